// Lines out of a stream of bytes, one in memory at a time.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>
#include <pactdb/stream.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace pactdb {

class LineSource {
 public:
  explicit LineSource(const ByteSource& source) : source_(source) {}

  // False at the end. A last line need not end with a newline. Errors: the source's, and
  // kLimitExceeded for a line that is too long.
  Result<bool> Next();
  std::string_view line() const { return line_; }
  std::int64_t number() const { return number_; }  // from 1
  std::int64_t start() const { return start_; }    // of the line, in bytes from the stream's start

  // The current line and everything after it. Errors: as Next.
  Result<std::string> TakeAll();

 private:
  Result<bool> Fill();

  const ByteSource& source_;
  std::string line_;
  std::string block_;
  std::size_t next_ = 0;  // in block_
  std::int64_t number_ = 0;
  std::int64_t start_ = 0;
  bool ended_with_newline_ = false;
  bool is_at_end_ = false;
};

}  // namespace pactdb
