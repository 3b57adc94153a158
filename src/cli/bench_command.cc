// How fast this machine keeps turns in a file. For the goals of the project see bench/.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "cli/commands.h"
#include "cli/progress_bar.h"
#include "cli/session.h"
#include "cli/terminal.h"

namespace pactdb::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::int64_t turns = 1000;
  std::int64_t bytes = 4096;
  std::string folder;
  std::string durability = "full";
  bool json = false;
};

struct Figures {
  std::vector<std::int64_t> commits_us;  // sorted
  std::int64_t total_ms = 0;
  std::int64_t open_us = 0;
  std::int64_t file_bytes = 0;
};

std::int64_t Micros(Clock::duration span) {
  return std::chrono::duration_cast<std::chrono::microseconds>(span).count();
}

// A folder of its own, gone with the object.
class Scratch {
 public:
  explicit Scratch(const std::string& folder) {
    namespace fs = std::filesystem;
    std::string name =
        ((folder.empty() ? fs::temp_directory_path() : fs::path(folder)) / "pactdb-bench-XXXXXX")
            .string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// One turn: a question, and an answer of the asked size that no other turn has.
Said<void> Turn(Session& session, const Options& options, std::int64_t number) {
  std::string text = "turn " + std::to_string(number) + " ";
  while (static_cast<std::int64_t>(text.size()) < options.bytes)
    text += std::to_string(number * 7919 + static_cast<std::int64_t>(text.size())) + " ";
  text.resize(static_cast<std::size_t>(std::max<std::int64_t>(options.bytes, 8)));
  for (const auto& [role, said] :
       {std::pair("user", std::string("Go on.")), std::pair("assistant", text)}) {
    JsonOut node;
    node.BeginObject().Key("role").String(role).Key("content").String(said).EndObject();
    if (auto added = session.Run(Ask("add").Raw("node", node.text())); !added)
      return std::unexpected(added.error());
  }
  return {};
}

Said<Figures> Measure(const Options& options, const std::string& file) {
  Figures figures;
  const Clock::time_point start = Clock::now();
  {
    auto session = Session::Open(file, Access::kCreate, "main");
    if (!session) return std::unexpected(session.error());
    const auto configured = session->Run(Ask("configure").Text("durability", options.durability));
    if (!configured) return std::unexpected(configured.error());
    ProgressBar bar("committing");
    for (std::int64_t i = 0; i < options.turns; ++i) {
      if (auto turn = Turn(*session, options, i); !turn) return std::unexpected(turn.error());
      const Clock::time_point before = Clock::now();
      const auto committed = session->Run(Ask("commit").Bool("hashes", false));
      if (!committed) return std::unexpected(committed.error());
      figures.commits_us.push_back(Micros(Clock::now() - before));
      bar.At(static_cast<double>(i) / static_cast<double>(options.turns));
    }
  }
  figures.total_ms = Micros(Clock::now() - start) / 1000;
  std::ranges::sort(figures.commits_us);
  const Clock::time_point opened = Clock::now();
  auto reader = Session::Open(file, Access::kRead, "main");
  if (!reader) return std::unexpected(reader.error());
  if (auto tree = reader->Run(Ask("log").Integer("limit", 1)); !tree)
    return std::unexpected(tree.error());
  figures.open_us = Micros(Clock::now() - opened);
  std::error_code ignored;
  figures.file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(file, ignored));
  return figures;
}

Said<int> Run(const Options& options) {
  const Scratch scratch(options.folder);
  if (scratch.path().empty()) {
    return Fail(Error(ErrorCode::kStoreIo, "no folder could be made").With("path", options.folder));
  }
  const auto figures = Measure(options, scratch.path() + "/bench.pactdb");
  if (!figures) return Fail(figures.error());
  const auto rank = [&figures](std::size_t percent) {
    return figures->commits_us[(figures->commits_us.size() - 1) * percent / 100];
  };
  const std::vector<std::pair<std::string, std::int64_t>> rows = {
      {"turns", options.turns},
      {"total_ms", figures->total_ms},
      {"commit_p50_us", rank(50)},
      {"commit_p99_us", rank(99)},
      {"open_us", figures->open_us},
      {"file_bytes", figures->file_bytes},
      {"file_bytes_per_turn", figures->file_bytes / options.turns}};
  JsonOut out;
  Table table;
  out.BeginObject();
  for (const auto& [name, value] : rows) {
    out.Key(name).Integer(value);
    table.Add({{name, Colour::kCyan}, {std::to_string(value), Colour::kPlain, true}});
  }
  out.EndObject();
  return Print(options.json ? out.text() + "\n" : table.Print(Terminal::Detect())) ? kOk : kError;
}

}  // namespace

const Command kBenchCommand = {
    .name = "bench",
    .about = "how fast this machine keeps turns in a file",
    .examples = R"(  pactdb bench --turns 20
  pactdb bench --turns 20 --bytes 100 --durability relaxed --json

Each turn is a question, an answer of --bytes bytes, and a commit, in a file that is removed
afterwards. `open_us` is from opening the file to the first answer.)",
    .setup = [](CLI::App& app, const Setting& /*here*/) -> Runner {
      auto options = std::make_shared<Options>();
      app.add_option("--turns", options->turns, "how many")
          ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000'000}))
          ->capture_default_str();
      app.add_option("--bytes", options->bytes, "of an answer")
          ->check(CLI::Range(std::int64_t{0}, std::int64_t{16} << 20))
          ->capture_default_str();
      app.add_option("--folder", options->folder, "on the disk to measure; else the system's");
      app.add_option("--durability", options->durability, "when a commit is acknowledged")
          ->check(CLI::IsMember({"full", "relaxed"}))
          ->capture_default_str();
      app.add_flag("--json", options->json, "the figures as JSON, on one line");
      return [options] { return Run(*options); };
    },
    .group = Group::kProgram,
    .in_shell = false};

}  // namespace pactdb::cli
