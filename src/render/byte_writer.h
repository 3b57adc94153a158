// Bytes on their way to a sink, gathered into pieces.
//
// Room is asked for once a node and then written to without further checks. What is large goes
// past the buffer, uncopied.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/stream.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace pactdb {

class ByteWriter {
 public:
  // `position`: where in the whole the first byte stands.
  explicit ByteWriter(ByteSink& sink, std::uint64_t position = 0)
      : sink_(sink), start_(position), buffer_(std::make_unique_for_overwrite<char[]>(kBytes)) {}
  ~ByteWriter() = default;
  ByteWriter(const ByteWriter&) = delete;
  ByteWriter& operator=(const ByteWriter&) = delete;

  // What is not larger than this may be asked for at once.
  static constexpr std::size_t kRoomMax = std::size_t{1} << 14;

  // Room for `size` bytes, to be written from the start; Took says where they end. REQUIRES: size
  // <= kRoomMax.
  char* Room(std::size_t size) {
    if (kBytes - used_ < size) Flush();
    return buffer_.get() + used_;
  }
  void Took(const char* end) { used_ = static_cast<std::size_t>(end - buffer_.get()); }

  void Put(char c) {
    char* to = Room(1);
    *to = c;
    Took(to + 1);
  }
  void Write(std::string_view bytes) {
    if (bytes.size() <= kRoomMax) {
      char* to = Room(bytes.size());
      if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
      Took(to + bytes.size());
      return;
    }
    Flush();
    Pass(bytes);
  }
  void Flush() {
    if (used_ > 0) Pass({buffer_.get(), used_});
    used_ = 0;
  }

  std::uint64_t position() const { return start_ + used_; }
  // The sink wants no more; what is written from here on goes nowhere.
  bool stopped() const { return stopped_; }

 private:
  // Small enough to stay in a core's own cache until the sink has copied it.
  static constexpr std::size_t kBytes = std::size_t{1} << 16;

  void Pass(std::string_view bytes) {
    if (!stopped_) stopped_ = !sink_.Write(bytes);
    start_ += bytes.size();
  }

  ByteSink& sink_;
  std::uint64_t start_;  // of the buffer
  std::size_t used_ = 0;
  bool stopped_ = false;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace pactdb
