// Flips one bit of a database, or of its log, and reads everything.
//
//   bit_flips FOLDER SEED STEPS FLIPS [unchecked|unsynced]
//
// What is read must be what was written, or an error. A flip may also be harmless (an unused byte),
// and one in the last transaction of the log may end it early: SQLite takes a bad frame for the end
// of what was written, so the state is then an earlier one of the script, whole. If there are later
// commits in the log, that is "untold": commits are lost and nobody says so. Anything else is
// altered bytes served as good. Each altered state is looked at by Verify too, which must find
// something. The last line is "FLIPS flips, A noticed, B harmless, C log cut, D untold, E altered,
// F missed by verify".
//
// Controls: with `unchecked` a record is changed together with its checksum instead, which must
// show as altered. With `unsynced` the file says that its commits were not synced, so that breaks
// of the log are no damage, which must show as untold.
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
#include "store/sqlite/log_frames.h"
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

enum class Outcome : std::uint8_t { kNoticed, kHarmless, kLogCut, kUntold, kAltered };

struct Counts {
  std::size_t outcomes[5] = {};
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

// Where transactions end in the log, in frames.
std::vector<std::size_t> EndsIn(const std::string& log) {
  std::vector<std::size_t> ends;
  auto walk = sqlite::LogWalk::Open(log);
  while (walk && walk->Next() && walk->follows() && walk->frame().salts == walk->salts()) {
    if (walk->frame().pages_after != 0) ends.push_back(walk->number());
  }
  return ends;
}

// True if there are commits behind a change of this byte that vouch for it. A single one vouches
// for the frame that ends the transaction before only if that frame's flag says so, and lies in
// one sector with the checksum (docs/format/store.md).
bool MustTell(const std::vector<std::size_t>& ends, std::size_t byte) {
  using namespace sqlite;
  if (byte < kLogHeaderBytes) return !ends.empty() && ends.back() > 1;
  const std::size_t frame = (byte - kLogHeaderBytes) / kFrameBytes + 1;
  const auto end = std::ranges::lower_bound(ends, frame);
  const auto later = ends.end() - end - 1;
  if (later != 1 || *end != frame) return later > 0;
  const std::size_t start = kLogHeaderBytes + (frame - 1) * kFrameBytes;
  const bool is_in_one = start / 512 == (start + kFrameHeaderBytes - 1) / 512;
  return is_in_one && (byte < start + 4 || byte >= start + 8);
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

enum class Control : std::uint8_t { kNone, kUnchecked, kUnsynced };

int FlipBits(const std::string& folder, Script script, std::size_t flips, Control control) {
  const bool unchecked = control == Control::kUnchecked;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  Files files = MakeFiles(folder + "/golden", script);
  const std::vector<Digest> expected = script.Expected();
  const std::string path = folder + "/a";
  WriteFile(path, files.database);
  WriteFile(path + "-wal", files.log);
  const std::string golden = script.Describe(**OpenSqliteStore(path, StoreAccess::kRead)).value();
  if (Sha256Of(golden) != expected.back()) return 1;
  const std::vector<std::size_t> ends = EndsIn(path + "-wal");
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
    if (control == Control::kUnsynced) WriteFile(path + "-lock", "1 unsynced\n");
    Outcome outcome = Look(path, script, golden, expected);
    if (outcome == Outcome::kLogCut && &bytes == &files.log && MustTell(ends, bit / 8))
      outcome = Outcome::kUntold;
    ++counts.outcomes[static_cast<int>(outcome)];
    if (outcome == Outcome::kAltered || outcome == Outcome::kUntold) {
      const bool found = IsFoundByVerify(path);
      counts.missed += found ? 0 : 1;
      const char* what = outcome == Outcome::kAltered ? "altered" : "untold";
      std::cout << fmt::format("{}: bit {} of byte {} of {}; verify {}\n", what, bit % 8, bit / 8,
                               &bytes == &files.log ? "the log" : "the file",
                               found ? "finds it" : "misses it");
    }
    if (!unchecked) Flip(bytes, bit);
  }
  std::cout << fmt::format(
      "{} flips, {} noticed, {} harmless, {} log cut, {} untold, {} altered, {} missed by verify\n",
      flips, counts.outcomes[0], counts.outcomes[1], counts.outcomes[2], counts.outcomes[3],
      counts.outcomes[4], counts.missed);
  return 0;
}

}  // namespace
}  // namespace pactdb::crash

int main(int argc, char** argv) {
  using namespace pactdb::crash;
  if (argc != 5 && argc != 6) {
    std::cerr << "usage: bit_flips FOLDER SEED STEPS FLIPS [unchecked|unsynced]\n";
    return 2;
  }
  return FlipBits(argv[1], Script(static_cast<std::uint64_t>(Number(argv[2])), Number(argv[3])),
                  static_cast<std::size_t>(Number(argv[4])),
                  argc != 6                                 ? Control::kNone
                  : std::string_view(argv[5]) == "unsynced" ? Control::kUnsynced
                                                            : Control::kUnchecked);
}
