// Numbers and texts as bytes, the way stored records have them (docs/format/record.md).
//
// A number is a varint: seven bits a byte, lowest first, the upper bit set on all but the last. A
// signed one is folded first, so that small negative numbers are short too. A text is its size and
// its bytes.
//
// Thread safety: none; values.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/sha256.h"

namespace pactdb {

inline void AppendVarint(std::uint64_t value, std::string& out) {
  // Nearly all are one byte or two: put one by one, they need no call.
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

inline void AppendSigned(std::int64_t value, std::string& out) {
  AppendVarint(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63),
               out);
}

inline void AppendSized(std::string_view text, std::string& out) {
  AppendVarint(text.size(), out);
  out += text;
}

inline void AppendDigest(const Digest& digest, std::string& out) {
  out.append(reinterpret_cast<const char*>(digest.data()), digest.size());
}

// Reads what the functions above wrote. After the first fault every read gives zero or nothing and
// ok() is false, so that a caller can check once at the end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  std::uint64_t Varint() {
    // Nearly all numbers are small.
    if (at_ != end_ && static_cast<unsigned char>(*at_) < 0x80)
      return static_cast<unsigned char>(*at_++);
    return LongVarint();
  }

  std::int64_t Signed() {
    const std::uint64_t folded = Varint();
    return static_cast<std::int64_t>(folded >> 1 ^ (~(folded & 1) + 1));
  }

  // At most `max`, else a fault.
  std::uint32_t Count(std::uint64_t max) {
    const std::uint64_t value = Varint();
    if (value <= max && value <= UINT32_MAX) return static_cast<std::uint32_t>(value);
    return static_cast<std::uint32_t>(Fail());
  }

  std::string_view Bytes(std::uint64_t size) {
    if (size > left()) {
      Fail();
      return {};
    }
    const std::string_view bytes(at_, size);
    at_ += size;
    return bytes;
  }
  std::string_view Sized() { return Bytes(Varint()); }
  std::uint8_t Byte() {
    if (at_ == end_) return static_cast<std::uint8_t>(Fail());
    return static_cast<std::uint8_t>(*at_++);
  }

  Digest ReadDigest() {
    Digest digest{};
    const std::string_view bytes = Bytes(digest.size());
    if (ok_) std::memcpy(digest.data(), bytes.data(), digest.size());
    return digest;
  }

  std::uint64_t Fail() {
    ok_ = false;
    at_ = end_;
    return 0;
  }

 private:
  std::uint64_t LongVarint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) return Fail();
      const auto byte = static_cast<unsigned char>(*at_++);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    return Fail();
  }

  const char* at_;
  const char* end_;
  bool ok_ = true;
};

}  // namespace pactdb
