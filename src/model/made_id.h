// Ids that the engine makes: `<type>:<cycle>.<index>`, and `<type>:<cycle>` for a turn.
//
// Nearly all ids are of this form, so it is worth taking them apart: the three parts fit into 64
// bits and say as much as the text.
//
// Thread safety: pure functions.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string_view>

namespace pactdb {

struct MadeId {
  static constexpr std::uint64_t kCycleMax = (std::uint64_t{1} << 36) - 1;
  static constexpr std::uint32_t kIndexMax = (1u << 24) - 2;
  static constexpr std::size_t kTextMax = 26;
  static constexpr std::uint8_t kTypeCount = 6;

  std::uint64_t cycle = 0;
  std::uint32_t index = 0;
  bool has_index = false;
  std::uint8_t type = 0;  // which of the six type names

  // REQUIRES: `name` is one of block, cont, seg, cb, mc, mt.
  static std::uint8_t TypeOf(std::string_view name);

  // Nothing if the text is not the one way such an id is written, or its numbers are too large.
  static std::optional<MadeId> Parse(std::string_view text);

  // The 64-bit form. The uppermost bit is never set.
  std::uint64_t Pack() const {
    const std::uint64_t low = has_index ? index + 1 : 0;
    return std::uint64_t{type} << 60 | cycle << 24 | low;
  }
  static MadeId Unpack(std::uint64_t packed);

  // Writes the text, at most kTextMax bytes, and returns its size.
  std::size_t Write(char* out) const;
};

// The text of an id that is to be looked up, taken apart once if it is a made one. The text is kept
// elsewhere.
struct WantedId {
  std::string_view text;
  std::optional<MadeId> made;

  explicit WantedId(std::string_view id) : text(id), made(MadeId::Parse(id)) {}
};

// The text of an id: a view of text kept elsewhere, or the text itself. Lives as long as the
// expression or variable that holds it; copy what is to be kept.
#if defined(__clang__)
class [[gsl::Owner(char)]] IdText {
#else
class IdText {
#endif
 public:
  explicit IdText(std::string_view kept) : text_(kept) {}
  explicit IdText(const MadeId& id) : text_(buffer_, id.Write(buffer_)) {}
  IdText(const IdText&) = delete;
  IdText& operator=(const IdText&) = delete;

  std::string_view view() const { return text_; }
  operator std::string_view() const { return text_; }  // NOLINT(google-explicit-constructor)

  friend bool operator==(const IdText& a, std::string_view b) { return a.text_ == b; }
  friend bool operator==(const IdText& a, const IdText& b) { return a.text_ == b.text_; }
  friend std::strong_ordering operator<=>(const IdText& a, const IdText& b) {
    return a.text_ <=> b.text_;
  }
  friend std::ostream& operator<<(std::ostream& out, const IdText& id) { return out << id.text_; }

 private:
  char buffer_[MadeId::kTextMax];
  std::string_view text_;
};

}  // namespace pactdb
