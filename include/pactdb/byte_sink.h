// Where bytes go that are too many to be held twice: a buffer, a file, a socket, a hash.
//
//   std::string body;                    // kept by the caller, so its memory is used again
//   StringSink sink(body);
//   context.RenderTo(sink);
//
// Thread safety: a sink belongs to one thread at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pactdb {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // Takes the next bytes, which are good during the call only. False: no more is wanted; whoever
  // writes stops, and that is no error of theirs.
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

}  // namespace pactdb
