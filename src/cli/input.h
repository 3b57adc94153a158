// Bytes of a file or of standard input, as they come.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/stream.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "cli/fault.h"

namespace pactdb::cli {

class Input {
 public:
  // - is standard input.
  static Said<Input> Open(const std::string& file);

  // The first bytes, as many as are there up to a few thousand; they are read again by what
  // follows. Without the mark of UTF-8 that some editors put in front.
  std::string_view Head();
  // As a ByteSource; good for as long as the input stays where it is.
  Result<std::size_t> Read(char* buffer, std::size_t size);
  bool has_failed() const { return std::ferror(in_.get()) != 0; }
  // What is left. Errors: more than a JSON text may have, before it is read where that shows.
  Said<std::string> ReadAll();

 private:
  using Closed = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  Input(std::string file, Closed in) : file_(std::move(file)), in_(std::move(in)) {}

  std::string file_;
  Closed in_;
  std::string head_;
  std::size_t next_ = 0;  // in head_
  bool has_head_ = false;
};

// The file's bytes; - is standard input.
Said<std::string> ReadAll(const std::string& file);

}  // namespace pactdb::cli
