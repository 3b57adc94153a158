#include "store/sqlite/log_frames.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <filesystem>

#include "store/sqlite/big_endian.h"
#include "store/sqlite/files.h"
#include "store/sqlite/lock_file.h"

namespace pactdb::sqlite {
namespace {

constexpr std::uint32_t kLogMagic = 0x377f0682;  // or the next, if words are read big end first
constexpr std::size_t kSummedOfLogHeader = 24;
constexpr std::size_t kSummedOfFrameHeader = 8;
// What a disk writes whole or not at all.
constexpr std::size_t kSectorBytes = 512;

std::uint64_t BigEndian64(std::string_view bytes, std::size_t at) {
  return std::uint64_t{BigEndian32(bytes, at)} << 32 | BigEndian32(bytes, at + 4);
}

LogFrame ParseFrame(std::string_view header) {
  return {.salts = BigEndian64(header, 8),
          .page = BigEndian32(header, 0),
          .pages_after = BigEndian32(header, 4),
          .checksum = BigEndian64(header, 16)};
}

// The log's own checksum over pairs of words, going on from `start`.
std::uint64_t LogChecksum(std::string_view bytes, std::uint64_t start, bool is_big_endian) {
  auto first = static_cast<std::uint32_t>(start >> 32);
  auto second = static_cast<std::uint32_t>(start);
  const bool is_swapped = is_big_endian != (std::endian::native == std::endian::big);
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return is_swapped ? __builtin_bswap32(value) : value;
  };
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    first += word(at) + second;
    second += word(at + 4) + first;
  }
  return std::uint64_t{first} << 32 | second;
}

// REQUIRES: kFrameBytes.
std::uint64_t FrameChecksum(std::string_view frame, std::uint64_t before, bool is_big_endian) {
  return LogChecksum(frame.substr(kFrameHeaderBytes),
                     LogChecksum(frame.substr(0, kSummedOfFrameHeader), before, is_big_endian),
                     is_big_endian);
}

// True if the flag of a commit and the checksum of a frame are one write, also of a disk that
// stops: a frame that has another's flag would be taken for a commit that it is not.
bool IsHeaderInOneSector(std::size_t number) {
  const std::size_t at = kLogHeaderBytes + (number - 1) * kFrameBytes;
  return at / kSectorBytes == (at + kFrameHeaderBytes - 1) / kSectorBytes;
}

}  // namespace

// --- walking ---

// A damaged header is made up for by the frames, as far as they agree.
void LogWalk::ReadHeader(std::string_view header, std::string_view first_frames) {
  is_big_endian_ = (BigEndian32(header, 0) & 1) != 0;
  salts_ = BigEndian64(header, 16);
  stated_ = BigEndian64(header, 24);
  computed_ = LogChecksum(header.substr(0, kSummedOfLogHeader), 0, is_big_endian_);
  is_header_whole_ = (BigEndian32(header, 0) & ~1U) == kLogMagic && computed_ == stated_;
  if (is_header_whole_ || first_frames.size() < 2 * kFrameBytes) return;
  const std::string_view second = first_frames.substr(kFrameBytes, kFrameBytes);
  const LogFrame frames[2] = {ParseFrame(first_frames), ParseFrame(second)};
  if (frames[0].salts == frames[1].salts) salts_ = frames[0].salts;
  if (FrameChecksum(second, frames[0].checksum, !is_big_endian_) == frames[1].checksum)
    is_big_endian_ = !is_big_endian_;
  computed_ = LogChecksum(header.substr(0, kSummedOfLogHeader), 0, is_big_endian_);
}

std::optional<LogWalk> LogWalk::Open(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  LogWalk walk;
  walk.file_.open(path, std::ios::binary);
  std::string start(kLogHeaderBytes + 2 * kFrameBytes, '\0');
  walk.file_.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(walk.file_.gcount()));
  if (start.size() < kLogHeaderBytes) return std::nullopt;
  walk.ReadHeader(start, std::string_view(start).substr(kLogHeaderBytes));
  walk.file_.clear();
  walk.file_.seekg(kLogHeaderBytes);
  walk.bytes_.resize(kFrameBytes);
  return walk;
}

bool LogWalk::Next() {
  if (!file_.read(bytes_.data(), static_cast<std::streamsize>(bytes_.size()))) return false;
  ++number_;
  frame_ = ParseFrame(bytes_);
  const std::uint64_t after_stated = FrameChecksum(bytes_, stated_, is_big_endian_);
  std::uint64_t computed = after_stated;
  follows_ = after_stated == frame_.checksum;
  vouches_ = false;
  if (!follows_ && computed_ != stated_) {
    const std::uint64_t after_computed = FrameChecksum(bytes_, computed_, is_big_endian_);
    vouches_ = after_computed == frame_.checksum;
    if (vouches_) computed = after_computed;
  }
  stated_ = frame_.checksum;
  computed_ = computed;
  return true;
}

// --- what a break is ---

namespace {

// Looks at the frames behind a break, one after the other.
class BreakJudge {
 public:
  // The walk stands at the frame that breaks, or behind it.
  void Look(const LogWalk& walk, bool is_first) {
    const LogFrame& frame = walk.frame();
    const bool goes_on = walk.follows() || walk.vouches_for_before();
    const bool is_of_log = goes_on && frame.page != 0 && (is_first || frame.salts == walk.salts());
    if (!is_first && is_of_log) {
      has_run_ = true;
      // Whatever goes on from a commit was begun when that was done.
      if (is_commit_ && (is_checked_ || walk.vouches_for_before() || is_one_write_)) {
        has_later_ = true;
        if (!is_checked_) ++commits_;
      }
    }
    is_commit_ = frame.pages_after != 0;
    is_checked_ = is_of_log;
    is_one_write_ = IsHeaderInOneSector(walk.number());
    if (is_commit_ && is_checked_) ++commits_;
  }

  bool has_run() const { return has_run_; }
  bool has_later() const { return has_later_; }
  std::size_t commits() const { return commits_; }

 private:
  bool has_run_ = false;    // two frames that go on from each other
  bool has_later_ = false;  // a commit, and a frame that goes on from it
  std::size_t commits_ = 0;
  // Of the frame before.
  bool is_commit_ = false;
  bool is_checked_ = false;
  bool is_one_write_ = false;
};

}  // namespace

std::optional<LogDamage> FindLogDamage(const std::string& log, bool unsynced) {
  auto walk = LogWalk::Open(log);
  if (!walk) return std::nullopt;
  LogDamage damage;
  BreakJudge judge;
  bool is_broken = !walk->is_header_whole();
  while (walk->Next()) {
    const bool is_whole =
        walk->follows() && walk->frame().salts == walk->salts() && walk->frame().page != 0;
    const bool is_first = !is_broken && !is_whole;
    if (is_first) damage.frame = walk->number();
    is_broken = is_broken || is_first;
    if (is_broken) judge.Look(*walk, is_first);
  }
  damage.commits = judge.commits();
  // The header is synced before the first frame is written, whatever the commits are.
  if (!walk->is_header_whole()) return judge.has_run() ? std::optional(damage) : std::nullopt;
  return judge.has_later() && !unsynced ? std::optional(damage) : std::nullopt;
}

std::optional<LogDamage> FindStillLogDamage(const std::string& path) {
  if (FileBytes(path + "-wal") == 0) return std::nullopt;
  std::optional<LogDamage> found;
  // A writer that comes meanwhile moves the log; none leaves the same damage there twice.
  for (int i = 0; i < 2; ++i) {
    const LockState before = ReadLock(path + "-lock");
    if (before.is_held) return std::nullopt;
    const auto damage = FindLogDamage(path + "-wal", before.has_unsynced);
    if (!damage || ReadLock(path + "-lock").is_held) return std::nullopt;
    if (found && *found != *damage) return std::nullopt;
    found = damage;
  }
  return found;
}

std::string TextOf(const LogDamage& damage) {
  const std::string where =
      damage.frame == 0 ? "the beginning" : fmt::format("frame {}", damage.frame);
  return fmt::format("{} of the log is damaged, and {} {} behind it", where, damage.commits,
                     damage.commits == 1 ? "commit lies" : "commits lie");
}

}  // namespace pactdb::sqlite
