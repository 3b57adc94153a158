// What real conversations take in a file, against their JSON: recordings in the folder that
// PACTDB_RECORDINGS names.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "base/limits.h"
#include "check_result.h"
#include "goals.h"
#include "stored_turns.h"
#include "text/json_doc.h"

namespace pactdb::bench {
namespace {

struct Conversation {
  std::string format;
  std::string json;
};

// A session of pi is a file of lines; a file of dialogues is an array, the messages under `traj`.
std::vector<Conversation> ReadConversations(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (path.extension() == ".jsonl") return {{.format = "pi", .json = std::move(text)}};
  const JsonDoc doc = ValueOf(JsonDoc::ParseView(text, limits::kDocumentJsonDepthMax), "dialogues");
  std::vector<Conversation> conversations;
  Check(doc.root().is_array(), "the dialogues are an array");
  for (auto it = doc.root().begin(); it != doc.root().end(); ++it) {
    const auto messages = (*it).value.Find("traj");
    if (messages)
      conversations.push_back(
          {.format = "openai-chat", .json = std::string(messages->ToJson().text())});
  }
  return conversations;
}

// One file with a context for each conversation, one commit a turn: its bytes when it is closed.
Row MeasureRecording(const std::filesystem::path& path) {
  const BenchFolder folder;
  const std::string stored = folder.path("recording.pactdb");
  std::size_t json_bytes = 0;
  {
    Database database = ValueOf(Database::Open(stored, Access::kCreate), "a new file");
    Options options;
    options.durability = Durability::kRelaxed;
    int number = 0;
    for (const Conversation& conversation : ReadConversations(path)) {
      json_bytes += conversation.json.size();
      Context* context =
          ValueOf(database.Make("c" + std::to_string(++number), options), "a context");
      ValueOf(context->ImportThread(conversation.json, {.format = conversation.format}), "import");
      ValueOf(context->Commit(), "the last turn");
    }
  }
  const auto exact = [](double value) { return Figure{.value = value, .p99 = value, .spread = 1}; };
  return {.goal = "",
          .what = "stored bytes of " + path.filename().string(),
          .unit = Unit::kBytes,
          .ours = exact(static_cast<double>(std::filesystem::file_size(stored))),
          .reference_name = "its JSON",
          .reference = exact(static_cast<double>(json_bytes))};
}

}  // namespace

std::vector<Row> MeasureRecordingBytes(Fixtures& /*fixtures*/) {
  const char* folder = std::getenv("PACTDB_RECORDINGS");
  if (folder == nullptr) {
    std::fprintf(stderr, "PACTDB_RECORDINGS is not set: real conversations are skipped\n");
    return {};
  }
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto extension = entry.path().extension();
    if (extension == ".jsonl" || extension == ".json") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<Row> rows;
  rows.reserve(paths.size());
  for (const std::filesystem::path& path : paths) rows.push_back(MeasureRecording(path));
  return rows;
}

}  // namespace pactdb::bench
