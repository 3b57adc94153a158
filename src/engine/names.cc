#include "engine/names.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace pactdb {
namespace {

Error InvalidType(std::string_view text, std::string_view why) {
  return Error(ErrorCode::kNodeTypeInvalid,
               "nodeType '" + std::string(text) + "' cannot be made: " + std::string(why))
      .With("nodeType", text);
}

struct HeaderName {
  std::string_view name;
  Header header;
};
// By length, so that a name is compared with its like alone.
constexpr std::array<HeaderName, 19> kHeaders = {{{"id", Header::kId},
                                                  {"ttl", Header::kTtl},
                                                  {"key", Header::kKey},
                                                  {"cad", Header::kCad},
                                                  {"role", Header::kRole},
                                                  {"kind", Header::kKind},
                                                  {"tags", Header::kTags},
                                                  {"refs", Header::kRefs},
                                                  {"mime", Header::kMime},
                                                  {"offset", Header::kOffset},
                                                  {"pinned", Header::kPinned},
                                                  {"content", Header::kContent},
                                                  {"nodeType", Header::kNodeType},
                                                  {"priority", Header::kPriority},
                                                  {"encoding", Header::kEncoding},
                                                  {"removable", Header::kRemovable},
                                                  {"provenance", Header::kProvenance},
                                                  {"created_at_ns", Header::kCreatedAtNs},
                                                  {"creation_index", Header::kCreationIndex}}};
static_assert(std::ranges::is_sorted(kHeaders, {},
                                     [](const HeaderName& header) { return header.name.size(); }));

// Where the names of a length begin; one more than the longest.
constexpr std::size_t kLengths = 16;
constexpr auto kFirstOfLength = [] {
  std::array<std::uint8_t, kLengths + 1> first{};
  for (std::size_t length = 0; length <= kLengths; ++length) {
    while (first[length] < kHeaders.size() && kHeaders[first[length]].name.size() < length)
      ++first[length];
  }
  return first;
}();

constexpr std::array<std::string_view, 4> kReserved = {"cycle", "content_hash", "parent_id",
                                                       "created_at_iso"};

// A decimal as the engine writes it: no sign, no leading zero.
std::optional<std::int64_t> ParsePlainDecimal(std::string_view digits) {
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool whole = end == digits.data() + digits.size() && digits[0] != '-';
  return whole && fault == std::errc() ? std::optional(value) : std::nullopt;
}

}  // namespace

Result<GivenType> ParseGivenType(std::string_view text, Dialect dialect) {
  const std::size_t colon = text.find(':');
  const std::string_view base = text.substr(0, colon);
  const std::string_view rest =
      colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (text.starts_with('^')) return std::unexpected(InvalidType(text, "regions exist already"));
  const auto alias = FindTypeAlias(base);
  if (alias == NodeClass::kTurn)
    return std::unexpected(InvalidType(text, "turns are made by commits"));
  if (colon == std::string_view::npos) {
    if (!alias) {
      return std::unexpected(
          InvalidType(text, "a type of your own needs a namespace, such as custom:note"));
    }
    return GivenType{*alias, std::string(TypeName(*alias, dialect)), std::nullopt};
  }
  if (base.empty() || rest.empty())
    return std::unexpected(InvalidType(text, "both sides of ':' must be there"));
  if (!alias) return GivenType{NodeClass::kBlock, std::string(text), std::nullopt};
  return GivenType{*alias, std::string(TypeName(*alias, dialect)) + ":" + std::string(rest),
                   std::string(rest)};
}

NodeClass ImportedClass(std::string_view text) {
  if (const auto region = ParseRegionName(text)) return *region;
  return FindTypeAlias(text.substr(0, text.find(':'))).value_or(NodeClass::kBlock);
}

bool HasDefaultIdShape(std::string_view id, std::int64_t cycle) {
  const std::size_t colon = id.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view base = id.substr(0, colon);
  const auto alias = base == "turn" ? std::nullopt : FindTypeAlias(base);
  if (!alias) return false;
  std::string_view number = id.substr(colon + 1);
  if (*alias != NodeClass::kTurn) {
    const std::size_t dot = number.find('.');
    if (dot == std::string_view::npos || !ParsePlainDecimal(number.substr(dot + 1))) return false;
    number = number.substr(0, dot);
  }
  const auto id_cycle = ParsePlainDecimal(number);
  return id_cycle && *id_cycle >= cycle;
}

std::optional<Header> FindHeader(std::string_view name) {
  if (name.size() >= kLengths) return std::nullopt;
  for (std::size_t i = kFirstOfLength[name.size()]; i < kFirstOfLength[name.size() + 1]; ++i) {
    if (kHeaders[i].name == name) return kHeaders[i].header;
  }
  return std::nullopt;
}

FieldKind ClassifyField(std::string_view name) {
  if (FindHeader(name)) return FieldKind::kSettable;
  if (std::ranges::find(kReserved, name) != kReserved.end()) return FieldKind::kReserved;
  if (IsContentAttribute(name)) return FieldKind::kCustom;
  const std::size_t colon = name.find(':');
  const bool namespaced = colon != std::string_view::npos && colon > 0 && colon + 1 < name.size();
  return namespaced ? FieldKind::kCustom : FieldKind::kUnknown;
}

}  // namespace pactdb
