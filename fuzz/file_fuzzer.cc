// Any bytes as a database file: opened for reading and for writing, listed, selected from,
// exported, verified, thinned out, forked and repaired. Whatever they are, there is an answer or an
// error, and what a repair makes of them verifies.
//
// The first byte says how the rest is taken and what is done with it. From 0x80 on the rest is the
// file; below it is a list of changes to a file that this target makes, four bytes each (a place, a
// value), so that inputs get past the first page. 0x00 and 0xff do everything; of the others, one
// in thirty-two repairs, which takes as long as ten times reading, one writes, two verify, and the
// rest reads.
#include <pactdb/database.h>
#include <pactdb/repair.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "base/check.h"

namespace {

constexpr std::size_t kInputBytesMax = 1 << 20;
constexpr std::uint8_t kWhole = 0x80;

enum class Work { kAll, kRead, kVerify, kRepair, kWrite };

Work WorkOf(std::uint8_t first) {
  if (first == 0x00 || first == 0xff) return Work::kAll;
  switch (first % 32) {
    case 0:
      return Work::kRepair;
    case 1:
      return Work::kWrite;
    case 2:
    case 3:
      return Work::kVerify;
    default:
      return Work::kRead;
  }
}

using pactdb::Access;
using pactdb::Context;
using pactdb::Database;
using pactdb::NodeSpec;

// Whether it went well is not the question.
template <typename T>
void Ignore(const T& /*answer*/) {}

// A folder of the process, in memory where there is one.
class ProcessFolder {
 public:
  ProcessFolder()
      : name_(access("/dev/shm", W_OK) == 0 ? "/dev/shm/pactdb-fuzz-XXXXXX"
                                            : "/tmp/pactdb-fuzz-XXXXXX") {
    PACTDB_CHECK(mkdtemp(name_.data()) != nullptr);
  }
  ProcessFolder(const ProcessFolder&) = delete;
  ProcessFolder& operator=(const ProcessFolder&) = delete;
  ~ProcessFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(name_, ignored);
  }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

const std::string& Folder() {
  static const ProcessFolder folder;
  return folder.name();
}

void Write(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void Clear() {
  for (const auto& entry : std::filesystem::directory_iterator(Folder()))
    std::filesystem::remove(entry.path());
}

// Two contexts, a gap, a tag, a long content, a journal.
std::string MakeGoodFile() {
  const std::string path = Folder() + "/good";
  {
    Database database = Database::Open(path, Access::kCreate).value();
    Context& main = *database.Find("main").value();
    pactdb::Options options;
    options.clock = pactdb::SteppedClockOptions{.start_ns = 1'000, .step_ns = 1};
    options.journal = true;
    PACTDB_CHECK(main.Configure(options).has_value());
    for (int turn = 1; turn <= 6; ++turn) {
      PACTDB_CHECK(main.Add(NodeSpec().Role("user").Text("turn")).has_value());
      if (turn == 4)
        PACTDB_CHECK(main.Add(NodeSpec().Id("long").Text(std::string(3'000, 'x'))).has_value());
      PACTDB_CHECK(main.Commit().has_value());
    }
    PACTDB_CHECK(main.Tag("tag", "@c5").has_value());
    Context& fork = *database.Fork("main", "@c5", "fork").value();
    PACTDB_CHECK(fork.Add(NodeSpec().Text("other")).has_value());
    PACTDB_CHECK(fork.Commit().has_value());
    PACTDB_CHECK(database.Gc("main", {.keep_last = 3, .older_than = std::nullopt}).has_value());
    PACTDB_CHECK(database.Find("main").value()->Add(NodeSpec().Text("open")).has_value());
  }
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  Clear();
  return bytes;
}

std::string FileOf(std::string_view input) {
  static const std::string good = MakeGoodFile();
  if (static_cast<std::uint8_t>(input[0]) >= kWhole) return std::string(input.substr(1));
  std::string bytes = good;
  for (std::string_view rest = input.substr(1); rest.size() >= 4; rest.remove_prefix(4)) {
    const std::size_t place = static_cast<std::size_t>(static_cast<std::uint8_t>(rest[0])) << 16 |
                              static_cast<std::size_t>(static_cast<std::uint8_t>(rest[1])) << 8 |
                              static_cast<std::uint8_t>(rest[2]);
    bytes[place % bytes.size()] = rest[3];
  }
  return bytes;
}

void LookAt(Database& database) {
  const auto contexts = database.List();
  if (!contexts) return;
  for (const auto& info : *contexts) {
    const auto context = database.Find(info.name);
    if (!context) continue;
    Ignore((*context)->Select("*"));
    Ignore((*context)->Select("@t-1 .block"));
    Ignore((*context)->Log());
  }
}

void Read(const std::string& path) {
  if (auto database = Database::Open(path, Access::kRead)) LookAt(*database);
}

void Verify(const std::string& path) {
  auto database = Database::Open(path, Access::kRead);
  if (!database) return;
  Ignore(database->Verify());
  if (const auto main = database->Find("main")) {
    Ignore((*main)->Export({.at = std::nullopt, .history = true}));
    Ignore((*main)->SelectRange("@history .block"));
    Ignore((*main)->Life("long"));
  }
}

void Repair(const std::string& path) {
  const std::string sound = path + "-sound";
  const auto report = pactdb::RepairFile(path, sound);
  if (!report) return;
  auto repaired = Database::Open(sound, Access::kRead);
  PACTDB_CHECK(repaired.has_value());
  const auto problems = repaired->Verify();
  // What a hostile file brings along is named; what was damaged is gone.
  PACTDB_CHECK(problems.has_value() && (problems->empty() || !report->whole()));
}

void WriteTo(const std::string& path) {
  auto database = Database::Open(path, Access::kWrite);
  if (!database) return;
  LookAt(*database);
  if (const auto main = database->Find("main")) {
    Ignore((*main)->Add(NodeSpec().Text("on")));
    Ignore((*main)->Commit());
  }
  Ignore(database->Fork("main", "@t-1", "branch"));
  Ignore(database->Gc("main", {.keep_last = 1, .older_than = std::nullopt}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > kInputBytesMax) return 0;
  const std::string path = Folder() + "/file";
  Write(path, FileOf({reinterpret_cast<const char*>(data), size}));
  const Work work = WorkOf(data[0]);
  const auto does = [work](Work one) { return work == Work::kAll || work == one; };
  if (does(Work::kRead)) Read(path);
  if (does(Work::kVerify)) Verify(path);
  if (does(Work::kRepair)) Repair(path);
  if (does(Work::kWrite)) WriteTo(path);
  Clear();
  return 0;
}
