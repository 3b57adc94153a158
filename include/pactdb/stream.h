// Bytes that go by piece by piece: a long document is never held twice.
//
//   std::string body;                    // kept by the caller, so its memory is used again
//   StringSink sink(body);
//   context.RenderTo(sink);
//
// Thread safety: a sink belongs to one thread at a time; sinks and sources are called on the
// calling thread, before the call returns.
#pragma once

#include <pactdb/error.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace pactdb {

// Where bytes go: a buffer, a file, a socket, a hash.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // Takes the next bytes, which are good during the call only. False: no more is wanted or can be
  // taken; whoever writes stops.
  virtual bool Write(std::string_view bytes) = 0;
};

// Appends to a string of the caller's.
class StringSink final : public ByteSink {
 public:
  explicit StringSink(std::string& out) : out_(out) {}
  bool Write(std::string_view bytes) override {
    out_.append(bytes);
    return true;
  }

 private:
  std::string& out_;
};

// Fills memory of the caller's that does not grow. What does not fit is counted and not kept, so
// size() says how much room there should have been.
class SpanSink final : public ByteSink {
 public:
  explicit SpanSink(std::span<char> room) : room_(room) {}
  bool Write(std::string_view bytes) override {
    if (size_ < room_.size()) {
      const std::size_t left = room_.size() - static_cast<std::size_t>(size_);
      std::copy_n(bytes.data(), std::min(left, bytes.size()), room_.data() + size_);
    }
    size_ += bytes.size();
    return true;
  }
  std::uint64_t size() const { return size_; }
  bool fits() const { return size_ <= room_.size(); }

 private:
  std::span<char> room_;
  std::uint64_t size_ = 0;
};

// Passes the bytes to a function of the caller's.
class FunctionSink final : public ByteSink {
 public:
  explicit FunctionSink(std::function<bool(std::string_view)> write) : write_(std::move(write)) {}
  bool Write(std::string_view bytes) override { return write_(bytes); }

 private:
  std::function<bool(std::string_view)> write_;
};

// Fills `buffer` with up to `size` bytes and says how many; 0 is the end. An error ends the reading
// and is passed on.
using ByteSource = std::function<Result<std::size_t>(char* buffer, std::size_t size)>;

}  // namespace pactdb
