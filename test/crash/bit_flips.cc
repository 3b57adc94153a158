// Flips one bit of a database, or of its log, and reads everything.
//
//   bit_flips FOLDER SEED STEPS FLIPS [unchecked]
//
// What is read must be what was written, or an error. A flip may also be harmless (an unused byte),
// and one in the log may end it early: SQLite takes a bad frame for the end of what was written, so
// the state is then an earlier one of the script, whole. Anything else is altered bytes served as
// good. With `unchecked`, the control, a record is changed together with its checksum instead,
// which must show as altered. Each altered state is looked at by Verify too, which must find
// something. The last line is "FLIPS flips, A noticed, B harmless, C log cut, D altered, E missed
// by verify".
#include <fmt/format.h>
#include <pactdb/ext/store.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "crash/check.h"
#include "crash/number.h"
#include "crash/script.h"
#include "support/random.h"

namespace pactdb::crash {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

struct Files {
  std::string database;
  std::string log;
};

// The files as they are while a writer has them open: part of the state is in the log.
Files MakeFiles(const std::string& path, Script& script) {
  auto store = OpenSqliteStore(path, StoreAccess::kCreate);
  for (int step = 0; step < script.steps(); ++step) {
    if (script.KindOf(step) == Script::Kind::kReopen) {
      store = std::unexpected(Error(ErrorCode::kStoreIo, "closed"));
      store = OpenSqliteStore(path, StoreAccess::kWrite);
    }
    if (!store || !script.Run(**store, step)) std::abort();
  }
  return {.database = ReadFile(path), .log = ReadFile(path + "-wal")};
}

enum class Outcome : std::uint8_t { kNoticed, kHarmless, kLogCut, kAltered };

struct Counts {
  std::size_t outcomes[4] = {};
  std::size_t missed = 0;
};

// True if Verify, or opening, finds fault with the file.
bool IsFoundByVerify(const std::string& path) {
  const auto store = OpenSqliteStore(path, StoreAccess::kRead);
  if (!store) return true;
  const auto problems = (*store)->Verify({});
  return !problems || !problems->empty();
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// True if all that differs is that records or contents could not be read: a description says "none"
// for such a record and leaves such a content out.
bool IsLessOf(const std::string& state, const std::string& golden) {
  const std::vector<std::string> found = Lines(state);
  std::size_t at = 0;
  for (const std::string& line : Lines(golden)) {
    if (at < found.size() && found[at] == line) {
      ++at;
    } else if (line.starts_with("record ") && at < found.size() &&
               found[at] == line.substr(0, line.rfind(' ')) + " none") {
      ++at;
    } else if (!line.starts_with("content ")) {
      return false;
    }
  }
  return at == found.size();
}

Outcome Look(const std::string& path, const Script& script, const std::string& golden,
             const std::vector<Digest>& expected) {
  const auto store = OpenSqliteStore(path, StoreAccess::kRead);
  if (!store) return Outcome::kNoticed;
  const Result<std::string> state = script.Describe(**store);
  if (!state) return Outcome::kNoticed;
  if (*state == golden) return Outcome::kHarmless;
  if (IsLessOf(*state, golden)) return Outcome::kNoticed;
  const bool is_earlier = std::ranges::find(expected, Sha256Of(*state)) != expected.end();
  return is_earlier ? Outcome::kLogCut : Outcome::kAltered;
}

void Flip(std::string& bytes, std::size_t bit) {
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
}

// Changes the newest record, checksum and all.
void ChangeRecord(const std::string& path, std::size_t i) {
  const auto store = OpenSqliteStore(path, StoreAccess::kWrite);
  RetireRequest request;
  const CommitNumber head = (*store)->GetContext(1)->head;
  request.rewritten = {{{1, head}, fmt::format("changed {}", i)}};
  if (!(*store)->Retire(request)) std::abort();
}

int FlipBits(const std::string& folder, Script script, std::size_t flips, bool unchecked) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  Files files = MakeFiles(folder + "/golden", script);
  const std::vector<Digest> expected = script.Expected();
  const std::string path = folder + "/a";
  WriteFile(path, files.database);
  WriteFile(path + "-wal", files.log);
  const std::string golden = script.Describe(**OpenSqliteStore(path, StoreAccess::kRead)).value();
  if (Sha256Of(golden) != expected.back()) return 1;
  support::Random random(static_cast<std::uint64_t>(script.steps()));
  Counts counts;
  for (std::size_t i = 0; i < flips; ++i) {
    std::string& bytes = i % 3 == 2 ? files.log : files.database;
    const std::size_t bit = random.Below(bytes.size() * 8);
    if (!unchecked) Flip(bytes, bit);
    for (const char* suffix : {"-shm", "-lock"}) std::filesystem::remove(path + suffix);
    WriteFile(path, files.database);
    WriteFile(path + "-wal", files.log);
    if (unchecked) ChangeRecord(path, i);
    const Outcome outcome = Look(path, script, golden, expected);
    ++counts.outcomes[static_cast<int>(outcome)];
    if (outcome == Outcome::kAltered) {
      const bool found = IsFoundByVerify(path);
      counts.missed += found ? 0 : 1;
      std::cout << fmt::format("altered: bit {} of byte {} of {}; verify {}\n", bit % 8, bit / 8,
                               &bytes == &files.log ? "the log" : "the file",
                               found ? "finds it" : "misses it");
    }
    if (!unchecked) Flip(bytes, bit);
  }
  std::cout << fmt::format(
      "{} flips, {} noticed, {} harmless, {} log cut, {} altered, {} missed by verify\n", flips,
      counts.outcomes[0], counts.outcomes[1], counts.outcomes[2], counts.outcomes[3],
      counts.missed);
  return 0;
}

}  // namespace
}  // namespace pactdb::crash

int main(int argc, char** argv) {
  using namespace pactdb::crash;
  if (argc != 5 && argc != 6) {
    std::cerr << "usage: bit_flips FOLDER SEED STEPS FLIPS [unchecked]\n";
    return 2;
  }
  return FlipBits(argv[1], Script(static_cast<std::uint64_t>(Number(argv[2])), Number(argv[3])),
                  static_cast<std::size_t>(Number(argv[4])), argc == 6);
}
