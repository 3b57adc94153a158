// The frames of a write-ahead log, read without SQLite, and what they say of a break in it.
//
// Each frame's checksum goes on from that of the frame before, and SQLite takes the first that does
// not fit for the end of the log. Behind it frames may lie that still go on from each other: what a
// transaction left that the machine did not finish, or commits that damage cut off. How that is
// told: docs/format/store.md, "A break in the log".
//
// Thread safety: pure functions; one thread at a time for an object.
#pragma once

#include <pactdb/error.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace pactdb::sqlite {

inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kLogHeaderBytes = 32;
inline constexpr std::size_t kFrameHeaderBytes = 24;
inline constexpr std::size_t kFrameBytes = kFrameHeaderBytes + kPageBytes;

// One frame: https://www.sqlite.org/fileformat.html, section 4.
struct LogFrame {
  std::uint64_t salts = 0;
  std::uint32_t page = 0;
  std::uint32_t pages_after = 0;  // not 0: a transaction ends here
  std::uint64_t checksum = 0;
};

// Goes through the frames by place in the file, those of an older log among them.
class LogWalk {
 public:
  // Nothing if there is no log, or less than a header of one.
  static std::optional<LogWalk> Open(const std::string& path);

  // False at the end; a frame that is cut short is none.
  bool Next();
  std::size_t number() const { return number_; }  // from 1
  const LogFrame& frame() const { return frame_; }
  std::string_view page() const { return std::string_view(bytes_).substr(kFrameHeaderBytes); }
  // Its checksum goes on from the one that the frame before states.
  bool follows() const { return follows_; }
  // It goes on from the one that the frame before should state: that one has another, and nothing
  // else of it that is summed is damaged.
  bool vouches_for_before() const { return vouches_; }

  bool is_header_whole() const { return is_header_whole_; }
  // What the frames of this log have, and those of an older one do not.
  std::uint64_t salts() const { return salts_; }

 private:
  LogWalk() = default;
  void ReadHeader(std::string_view header, std::string_view first_frames);

  std::ifstream file_;
  std::string bytes_;
  std::size_t number_ = 0;
  LogFrame frame_;
  bool follows_ = false;
  bool vouches_ = false;
  bool is_header_whole_ = false;
  bool is_big_endian_ = false;
  std::uint64_t salts_ = 0;
  std::uint64_t stated_ = 0;    // by the frame before
  std::uint64_t computed_ = 0;  // for it
};

struct LogDamage {
  std::size_t frame = 0;    // from 1; 0: the header
  std::size_t commits = 0;  // that SQLite would not see

  friend bool operator==(const LogDamage&, const LogDamage&) = default;
};

// Damage that no machine that stops can have made, if all of the log's commits were synced before
// the next began; with `unsynced`, if that is not known. Nothing if there is none, or no log.
std::optional<LogDamage> FindLogDamage(const std::string& log, bool unsynced);

// The same for the log of the database `path`, whoever may have it open: nothing while somebody may
// be writing to it.
std::optional<LogDamage> FindStillLogDamage(const std::string& path);

// "frame 15 of the log is damaged, and 42 commits lie behind it"
std::string TextOf(const LogDamage& damage);

}  // namespace pactdb::sqlite
