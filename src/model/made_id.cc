#include "model/made_id.h"

#include <array>
#include <charconv>
#include <cstring>

namespace pactdb {
namespace {

// With the colon; commonest first. On disk: add at the end; never renumber.
constexpr std::array<std::string_view, MadeId::kTypeCount> kTypes = {
    "block:", "cont:", "seg:", "cb:", "mc:", "mt:"};

constexpr std::size_t kCycleDigits = 11;
constexpr std::size_t kIndexDigits = 8;
static_assert(MadeId::kTextMax == 5 + 1 + kCycleDigits + 1 + kIndexDigits);

// The number at the front of `text`, which it leaves; no sign, no leading zero.
inline std::optional<std::uint64_t> TakeNumber(std::string_view& text, std::size_t digits_max) {
  std::uint64_t value = 0;
  std::size_t digits = 0;
  while (digits < text.size()) {
    const auto digit = static_cast<unsigned char>(text[digits] - '0');
    if (digit > 9) break;
    value = value * 10 + digit;
    if (++digits > digits_max) return std::nullopt;
  }
  if (digits == 0 || (digits > 1 && text[0] == '0')) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

}  // namespace

std::uint8_t MadeId::TypeOf(std::string_view name) {
  std::uint8_t type = 0;
  while (kTypes[type].substr(0, kTypes[type].size() - 1) != name) ++type;
  return type;
}

std::optional<MadeId> MadeId::Parse(std::string_view text) {
  MadeId id;
  while (id.type < kTypes.size() && !text.starts_with(kTypes[id.type])) ++id.type;
  if (id.type == kTypes.size()) return std::nullopt;
  text.remove_prefix(kTypes[id.type].size());
  const auto cycle = TakeNumber(text, kCycleDigits);
  if (!cycle || *cycle > kCycleMax) return std::nullopt;
  id.cycle = *cycle;
  if (text.empty()) return id;
  if (text[0] != '.') return std::nullopt;
  text.remove_prefix(1);
  const auto index = TakeNumber(text, kIndexDigits);
  if (!index || *index > kIndexMax || !text.empty()) return std::nullopt;
  id.index = static_cast<std::uint32_t>(*index);
  id.has_index = true;
  return id;
}

MadeId MadeId::Unpack(std::uint64_t packed) {
  const auto low = static_cast<std::uint32_t>(packed & 0xffffff);
  return {.cycle = packed >> 24 & kCycleMax,
          .index = low == 0 ? 0 : low - 1,
          .has_index = low != 0,
          .type = static_cast<std::uint8_t>(packed >> 60)};
}

std::size_t MadeId::Write(char* out) const {
  const std::string_view name = kTypes[type];
  std::memcpy(out, name.data(), name.size());
  char* at = out + name.size();
  at = std::to_chars(at, at + kCycleDigits, cycle).ptr;
  if (has_index) {
    *at++ = '.';
    at = std::to_chars(at, at + kIndexDigits, index).ptr;
  }
  return static_cast<std::size_t>(at - out);
}

}  // namespace pactdb
