// Exact token counts beside the tokenizers that JavaScript programs use: gpt-tokenizer, and
// tiktoken in WASM. The texts are those of the recorded conversations (PACTDB_RECORDINGS), or of
// the workload without them. The others run in one Node process that is asked round by round, so
// that they are as warm as we are.
#include <fmt/format.h>
#include <pactdb/tokens.h>
#include <simdjson.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "check_result.h"
#include "goals.h"

extern char** environ;

namespace pactdb::bench {
namespace {

constexpr std::size_t kTextBytesMax = 100'000;  // longer ones are media
constexpr std::string_view kReferences = PACTDB_TOKEN_REFERENCES;

// Every text of a document but media, in base64 under "data".
void AddTexts(simdjson::dom::element document, std::vector<std::string>& texts) {
  std::vector<simdjson::dom::element> open = {document};
  while (!open.empty()) {
    const simdjson::dom::element element = open.back();
    open.pop_back();
    if (element.is_string()) {
      const std::string_view text = element.get_string().value();
      if (text.size() <= kTextBytesMax) texts.emplace_back(text);
    } else if (element.is_array()) {
      const simdjson::dom::array array = element.get_array();
      for (const auto member : array) open.push_back(member);
    } else if (element.is_object()) {
      const simdjson::dom::object object = element.get_object();
      for (const auto& [name, member] : object) {
        if (name != "data") open.push_back(member);
      }
    }
  }
}

std::vector<std::string> RecordedTexts(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension().string().starts_with(".json")) paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<std::string> texts;
  simdjson::dom::parser parser;
  for (const auto& path : paths) {
    simdjson::dom::document_stream documents;
    const auto fault = parser.load_many(path.string(), 64'000'000).get(documents);
    Check(fault == simdjson::SUCCESS, "the recordings can be read");
    for (auto document : documents) AddTexts(document.value(), texts);
  }
  return texts;
}

std::vector<std::string> MadeTexts() {
  std::vector<std::string> texts;
  const Workload workload({.turns = kW1Turns * 10});
  for (std::int64_t cycle = 1; cycle <= kW1Turns * 10; ++cycle) {
    for (const Block& block : workload.MakeTurn(cycle)) texts.push_back(block.text);
  }
  return texts;
}

// The other tokenizers, in a process of their own.
class Reference {
 public:
  Reference(std::string encoding, std::string texts_path) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    Check(pipe(in.data()) == 0 && pipe(out.data()) == 0, "pipes can be made");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    for (const int file : {in[0], in[1], out[0], out[1]}) {
      posix_spawn_file_actions_addclose(&actions, file);
    }
    std::string script = PACTDB_BENCH_DIR "/token_reference.cjs";
    std::string folder(kReferences);
    std::array<char*, 6> arguments = {node_.data(),    script.data(),     folder.data(),
                                      encoding.data(), texts_path.data(), nullptr};
    Check(posix_spawnp(&process_, "node", &actions, nullptr, arguments.data(), environ) == 0,
          "node can be started");
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    to_ = fdopen(in[1], "w");
    from_ = fdopen(out[0], "r");
  }
  ~Reference() {
    std::fclose(to_);
    std::fclose(from_);
    waitpid(process_, nullptr, 0);
  }
  Reference(const Reference&) = delete;
  Reference& operator=(const Reference&) = delete;

  // Nanoseconds it takes; ends the program unless the tokens are as many.
  double Run(const std::string& tokenizer, std::uint64_t tokens) {
    std::fputs((tokenizer + "\n").c_str(), to_);
    std::fflush(to_);
    double ns = 0;
    unsigned long long found = 0;
    Check(std::fscanf(from_, "%lf %llu", &ns, &found) == 2, "the reference counted");
    Check(found == tokens, "the reference counts the same");
    return ns;
  }

 private:
  std::string node_ = "node";
  pid_t process_ = 0;
  std::FILE* to_ = nullptr;
  std::FILE* from_ = nullptr;
};

// The texts, and the file in which the references find them.
struct Texts {
  std::vector<std::string> texts;
  std::string what;
  std::string path;
  double bytes = 0;

  explicit Texts(bool is_quick) {
    const char* const folder = std::getenv("PACTDB_RECORDINGS");
    texts = folder != nullptr ? RecordedTexts(folder) : MadeTexts();
    what = folder != nullptr ? "recorded texts" : "made texts";
    Thin(is_quick ? 100'000 : 2'000'000);
    path =
        std::filesystem::temp_directory_path() / ("pactdb-bench-texts-" + std::to_string(getpid()));
    std::ofstream file(path, std::ios::binary);
    for (const std::string& text : texts) {
      const auto size = static_cast<std::uint32_t>(text.size());
      file.write(reinterpret_cast<const char*>(&size), sizeof size);
      file << text;
      bytes += static_cast<double>(text.size());
    }
  }
  // Leaves every nth text, about so many bytes: the slowest of the others reads 4 MB a second.
  void Thin(std::size_t bytes_max) {
    std::size_t all = 0;
    for (const std::string& text : texts) all += text.size();
    const std::size_t step = all / bytes_max + 1;
    for (std::size_t i = 0; i * step < texts.size(); ++i) texts[i].swap(texts[i * step]);
    texts.resize((texts.size() + step - 1) / step);
  }

  ~Texts() { std::filesystem::remove(path); }
  Texts(const Texts&) = delete;
  Texts& operator=(const Texts&) = delete;
};

std::uint64_t CountAll(const Tokenizer& tokenizer, const Texts& texts) {
  std::uint64_t tokens = 0;
  for (const std::string& text : texts.texts) tokens += tokenizer.Count(text);
  return tokens;
}

// Without a reference, which is then not shown.
std::vector<Row> Rows(const Texts& texts, std::string_view name, const Figure& ours) {
  const std::string what = fmt::format("tokens of {}, {}", texts.what, name);
  return {{.goal = "20",
           .what = what,
           .unit = Unit::kMbPerSecond,
           .ours = ours,
           .reference_name = "gpt-tokenizer",
           .bar = {.must = 1.5, .aim = 3, .is_floor = true}},
          {.goal = "20b",
           .what = what,
           .unit = Unit::kMbPerSecond,
           .ours = ours,
           .reference_name = "tiktoken (WASM)",
           .bar = {.must = 8, .aim = 12, .is_floor = true}}};
}

std::vector<Row> Compare(const Tokenizer& tokenizer, const Texts& texts, int rounds) {
  const std::string name(tokenizer.name());
  const std::uint64_t tokens = CountAll(tokenizer, texts);
  const double bytes_per_ns_as_mb = texts.bytes * 1e3;  // over nanoseconds: MB/s
  Series ours;
  Series gpt;
  Series tiktoken;
  std::vector<Contender> contenders = {{&ours, [&](Series& series) {
                                          std::uint64_t found = 0;
                                          const double ns =
                                              TimeNs([&] { found = CountAll(tokenizer, texts); });
                                          Check(found == tokens, "a count repeats itself");
                                          series.Add(bytes_per_ns_as_mb / ns);
                                        }}};
  std::optional<Reference> reference;
  if (std::filesystem::exists(std::string(kReferences) + "/state")) {
    reference.emplace(name, texts.path);
    contenders.push_back({&gpt, [&](Series& series) {
                            series.Add(bytes_per_ns_as_mb /
                                       reference->Run("gpt-tokenizer", tokens));
                          }});
    contenders.push_back({&tiktoken, [&](Series& series) {
                            series.Add(bytes_per_ns_as_mb / reference->Run("tiktoken", tokens));
                          }});
  }
  Interleave(rounds, contenders);
  std::vector<Row> rows = Rows(texts, name, ours.Summarize());
  if (!reference) return rows;
  rows[0].reference = gpt.Summarize();
  rows[1].reference = tiktoken.Summarize();
  return rows;
}

}  // namespace

std::vector<Row> MeasureTokens(Fixtures& fixtures) {
  const Plan& plan = fixtures.plan();
  const Texts texts(plan.is_quick);
  std::vector<Row> rows;
  for (const std::string_view name : {"o200k_base", "cl100k_base"}) {
    const auto tokenizer = Tokenizer::Find(name);
    // Built without vocabularies: nothing can be shown.
    std::vector<Row> of_one =
        tokenizer ? Compare(*tokenizer, texts, plan.rounds) : Rows(texts, name, Figure());
    std::ranges::move(of_one, std::back_inserter(rows));
  }
  return rows;
}

}  // namespace pactdb::bench
