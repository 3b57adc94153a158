// A writer of many commits, and readers of the same file meanwhile, each a process of its own.
//
//   readers_tool write FILE COMMITS [torn]   "begun" after the first commit; goes on when it is
//   told
//                                            to by a line; torn: each turn is made in two commits
//   readers_tool read FILE COMMITS           "looking", and reads until it has seen the last
//   commit:
//                                            "read TIMES seen COMMITS", or "bad WHY", exit code 1
//
// Commit n writes n into three nodes. A reader that sees commit n must find n in all three, whole
// trees whose hashes fit, and later never an earlier commit; what it opened stays what it was.
#include <fmt/format.h>
#include <pactdb/database.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/try.h"
#include "crash/number.h"

namespace pactdb::crash {
namespace {

constexpr std::array kNodes = {"one", "two", "three"};
// Loading the tree takes as long as it is large; most looks do without.
constexpr std::int64_t kGlances = 50;

void Say(const std::string& line) {
  const std::string text = line + "\n";
  if (write(STDOUT_FILENO, text.data(), text.size()) != static_cast<ssize_t>(text.size())) abort();
}

int Bad(const std::string& why) {
  Say("bad " + why);
  return 1;
}

std::string Told(const Error& error) {
  return fmt::format("{}: {}", WireName(error.code()), error.message());
}

Error NotWhole(std::string why) {
  return Error(ErrorCode::kStoreCorrupt, std::move(why));
}

Status WriteTurn(Context& main, std::int64_t number, bool is_torn) {
  for (const char* node : kNodes) {
    PACTDB_TRY_STATUS(main.Update(node, NodeSpec().Content(Json::Integer(number))));
    if (is_torn && node == kNodes.front()) PACTDB_TRY_STATUS(main.Commit({.hashes = false}));
  }
  PACTDB_TRY_STATUS(main.Commit({.hashes = false}));
  return {};
}

Status Write(const std::string& path, std::int64_t commits, bool is_torn) {
  PACTDB_TRY(Database database, Database::Open(path, Access::kCreate));
  PACTDB_TRY(Context * main, database.Find("main"));
  for (const char* node : kNodes)
    PACTDB_TRY_STATUS(main->Add(NodeSpec().Id(node).Content(Json::Integer(0)), {.parent = "^sys"}));
  for (std::int64_t number = 1; number <= commits; ++number) {
    PACTDB_TRY_STATUS(WriteTurn(*main, number, is_torn));
    if (number > 1) continue;
    Say("begun");
    std::cin.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return {};
}

// The number that all three nodes have; the cycle too, in a file whose turns are one commit each.
Result<std::int64_t> ReadNumber(const Context& main) {
  PACTDB_TRY(const Snapshot newest, main.At("@t0"));
  std::set<std::string, std::less<>> numbers;
  for (const char* id : kNodes) {
    const auto node = newest.Find(id);
    if (!node) return std::unexpected(NotWhole(fmt::format("node {} is missing", id)));
    numbers.emplace(node->content().value_or("none"));
  }
  if (numbers.size() != 1 || *numbers.begin() != std::to_string(newest.cycle())) {
    return std::unexpected(NotWhole(
        fmt::format("half a commit at @c{}: {}", newest.cycle(), fmt::join(numbers, ", "))));
  }
  return newest.cycle();
}

// One look at the file; the commit that is the newest there.
Result<std::int64_t> Look(const std::string& path, std::int64_t seen) {
  PACTDB_TRY(Database database, Database::Open(path, Access::kRead));
  PACTDB_TRY(const Context* main, database.Find("main"));
  PACTDB_TRY(const std::int64_t number, ReadNumber(*main));
  if (number < seen)
    return std::unexpected(NotWhole(fmt::format("commit {} after commit {}", number, seen)));
  // The writer goes on; what was opened does not, and neither does what comes from the file late.
  if (number > 2) {
    PACTDB_TRY(const Snapshot before, main->At("@t-1"));
    if (before.cycle() != number - 1)
      return std::unexpected(NotWhole(fmt::format("@c{} before @c{}", before.cycle(), number)));
  }
  PACTDB_TRY(const std::int64_t again, ReadNumber(*main));
  if (again != number)
    return std::unexpected(NotWhole(fmt::format("commit {} became {}", number, again)));
  return number;
}

// A quick look, without the tree: what the list of contexts says of the newest commit.
Result<std::int64_t> Glance(const std::string& path, std::int64_t seen) {
  PACTDB_TRY(Database database, Database::Open(path, Access::kRead));
  PACTDB_TRY(const std::vector<ContextInfo> contexts, database.List());
  if (contexts.size() != 1 || !contexts.front().cycle)
    return std::unexpected(NotWhole("the context is missing"));
  const ContextInfo& main = contexts.front();
  // The three nodes, and of each turn its own two.
  const std::int64_t nodes = static_cast<std::int64_t>(kNodes.size()) + 2 * *main.cycle;
  if (main.snapshots != *main.cycle || main.nodes != nodes || *main.cycle < seen) {
    return std::unexpected(NotWhole(fmt::format("half a commit at @c{}: {} snapshots, {} nodes",
                                                *main.cycle, main.snapshots, main.nodes)));
  }
  return *main.cycle;
}

int Read(const std::string& path, std::int64_t commits) {
  std::int64_t seen = 0;
  std::int64_t times = 0;
  std::int64_t different = 0;
  while (seen < commits) {
    const bool is_glance = times % kGlances != 0 && seen < commits - 1;
    const auto number = is_glance ? Glance(path, seen) : Look(path, seen);
    if (!number) return Bad(Told(number.error()));
    if (times == 0) Say("looking");
    different += *number != seen ? 1 : 0;
    seen = *number;
    ++times;
  }
  Say(fmt::format("read {} seen {}", times, different));
  return 0;
}

int Main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (argc < 4 || (verb != "write" && verb != "read")) return 2;
  const auto commits = static_cast<std::int64_t>(Number(argv[3]));
  if (verb == "read") return Read(argv[2], commits);
  const Status written = Write(argv[2], commits, argc > 4);
  return written ? 0 : Bad(Told(written.error()));
}

}  // namespace
}  // namespace pactdb::crash

int main(int argc, char** argv) {
  return pactdb::crash::Main(argc, argv);
}
