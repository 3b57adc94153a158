// Any bytes as a database file (hostile_file.h): opened for reading and for writing, listed,
// selected from, exported, verified, copied, forked and thinned out. Whatever they are, there is an
// answer or an error. That they are repaired is the target `repair`.
//
// Four bits of the first byte say what is done: one thing an input, because opening the file takes
// most of the time, and an input that does everything crowds out all others.
#include <pactdb/database.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hostile_file.h"
#include "reached.h"

namespace {

using pactdb::Access;
using pactdb::Context;
using pactdb::Database;
using pactdb::NodeSpec;
using pactdb::fuzz::HostileFile;
using pactdb::fuzz::Ignore;

constexpr std::size_t kInputBytesMax = 1 << 20;

void ReadAll(Database& database) {
  const auto contexts = database.List();
  if (!contexts) return;
  for (const auto& info : *contexts) Ignore(database.Find(info.name));
  Ignore(database.Stats());
}

void ReadContext(Database& database, std::string_view name) {
  const auto context = database.Find(name);
  if (!context) return;
  Ignore((*context)->Select("*"));
  Ignore((*context)->Select("@t-1 .block"));
}

void ReadHistory(Context& main) {
  Ignore(main.Log());
  Ignore(main.SelectRange("@history .block"));
  Ignore(main.Life("long"));
}

void Append(Context& main) {
  Ignore(main.Add(NodeSpec().Text("on")));
  Ignore(main.Commit());
}

void ForkOff(Database& database) {
  const auto branch = database.Fork("main", "@t-1", "branch");
  if (branch) Append(**branch);
}

// What a file that can be copied says of itself is not the question either.
void Copy(Database& database, const std::string& path) {
  if (database.Backup(path + "-copy")) Ignore(Database::Open(path + "-copy", Access::kRead));
}

void DoOne(unsigned work, Database& database, const std::string& path) {
  if (work == 0) return ReadAll(database);
  if (work <= 3) return ReadContext(database, "main");
  if (work <= 5) return ReadContext(database, "fork");
  if (work <= 7) return Ignore(database.Verify());
  if (work == 8) return Copy(database, path);
  if (work == 9) return ForkOff(database);
  if (work == 10) return Ignore(database.Gc("main", {.keep_last = 1, .older_than = std::nullopt}));
  const auto main = database.Find("main");
  if (!main) return;
  if (work == 11) return Ignore((*main)->Export({.at = std::nullopt, .history = true}));
  if (work <= 13) return ReadHistory(**main);
  Append(**main);
}

bool IsWriting(unsigned work) {
  return work == 9 || work == 10 || work >= 14;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || size > kInputBytesMax) return 0;
  const HostileFile file({data, size});
  const unsigned work = data[0] % 16;
  auto database = Database::Open(file.path(), IsWriting(work) ? Access::kWrite : Access::kRead);
  if (!database) return 0;
  pactdb::fuzz::CountReached();
  DoOne(work, *database, file.path());
  return 0;
}
