// Goal "recordings": import and render of real conversations, beside what reads and writes JSON
// only.
//
// Ours makes a context of each conversation, one commit a turn, every content hashed and every call
// linked; the others make dicts or objects of the same bytes. So this is no race but a scale.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/limits.h"
#include "check_result.h"
#include "goals.h"
#include "setup.h"
#include "text/json_doc.h"

namespace pactdb::bench {
namespace {

std::string ReadAll(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(text).str();
}

// The messages of each conversation, as JSON.
std::vector<std::string> ReadConversations(const std::string& path) {
  const std::string text = ReadAll(path);
  const JsonDoc doc =
      ValueOf(JsonDoc::ParseView(text, limits::kDocumentJsonDepthMax), "read the recordings");
  std::vector<std::string> conversations;
  for (auto it = doc.root().begin(); it != doc.root().end(); ++it)
    conversations.emplace_back((*it).value.Find("traj")->ToJson().text());
  return conversations;
}

struct Times {
  Series read = {};
  Series write = {};
};

void RunOurs(const std::vector<std::string>& conversations, Times& times) {
  std::vector<Context> contexts;
  contexts.reserve(conversations.size());
  times.read.Add(TimeNs([&] {
    for (const std::string& one : conversations) {
      contexts.push_back(ValueOf(Context::Make({}), "make a context"));
      Check(contexts.back()
                .ImportThread(one, {.format = "openai-chat", .lenient = false})
                .has_value(),
            "a recorded conversation is imported");
    }
  }));
  times.write.Add(TimeNs([&] {
    for (const Context& context : contexts) {
      const auto body =
          context.Render({.at = std::nullopt, .format = "openai-chat", .lossy = false});
      Check(body.has_value() && !body->body.empty(), "a recorded conversation is rendered");
    }
  }));
}

// False if the program is not there.
bool RunReference(const std::string& command, Times& times) {
  std::FILE* output = popen((command + " 2>/dev/null").c_str(), "r");
  Check(output != nullptr, "a shell can be started");
  double read = 0;
  double write = 0;
  const int numbers = std::fscanf(output, "%lf %lf", &read, &write);
  if (pclose(output) != 0 || numbers != 2) return false;
  times.read.Add(read);
  times.write.Add(write);
  return true;
}

}  // namespace

std::vector<Row> MeasureRecordings(Fixtures& fixtures) {
  const char* folder = std::getenv("PACTDB_RECORDINGS");
  if (folder == nullptr) {
    fmt::print(stderr, "recordings: PACTDB_RECORDINGS names no folder of conversations\n");
    return {};
  }
  const std::string path = std::string(folder) + "/tau-airline-openai.json";
  const std::vector<std::string> conversations = ReadConversations(path);
  std::size_t bytes = 0;
  for (const std::string& one : conversations) bytes += one.size();
  struct Reader {
    std::string name;
    std::string command;
    Times times = {};
    bool is_there = true;
  };
  Times ours;
  std::vector<Reader> others = {
      {.name = "Python json", .command = "python3 -B '" PACTDB_BENCH_DIR "/json_reference.py' '"},
      {.name = "Node JSON", .command = "node '" PACTDB_BENCH_DIR "/json_reference.mjs' '"}};
  for (int round = 0; round < fixtures.plan().rounds; ++round) {
    ours.read.BeginRound();
    ours.write.BeginRound();
    RunOurs(conversations, ours);
    for (Reader& other : others) {
      other.times.read.BeginRound();
      other.times.write.BeginRound();
      other.is_there = other.is_there && RunReference(other.command + path + "'", other.times);
    }
  }
  const auto rate = [bytes](const Series& series) {
    const Figure figure = series.Summarize();
    return Figure{static_cast<double>(bytes) / figure.value * 1e3, 0, figure.spread};
  };
  std::vector<Row> rows;
  for (const auto& [what, series] :
       {std::pair{"import", &Times::read}, {"render", &Times::write}}) {
    for (const Reader& other : others) {
      if (!other.is_there) continue;
      rows.push_back({.goal = "recordings",
                      .what = fmt::format("{} {} conversations, {:.1f} MB", what,
                                          conversations.size(), static_cast<double>(bytes) / 1e6),
                      .unit = Unit::kMbPerSecond,
                      .ours = rate(ours.*series),
                      .reference_name = other.name,
                      .reference = rate(other.times.*series)});
    }
  }
  return rows;
}

}  // namespace pactdb::bench
