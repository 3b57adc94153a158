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

constexpr std::array<std::string_view, 19> kSettable = {
    "id",         "nodeType",  "offset", "ttl",  "priority", "created_at_ns", "creation_index",
    "role",       "kind",      "key",    "tags", "content",  "mime",          "encoding",
    "provenance", "removable", "pinned", "refs", "cad"};
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

FieldKind ClassifyField(std::string_view name) {
  if (std::ranges::find(kReserved, name) != kReserved.end()) return FieldKind::kReserved;
  if (std::ranges::find(kSettable, name) != kSettable.end()) return FieldKind::kSettable;
  if (IsContentAttribute(name)) return FieldKind::kCustom;
  const std::size_t colon = name.find(':');
  const bool namespaced = colon != std::string_view::npos && colon > 0 && colon + 1 < name.size();
  return namespaced ? FieldKind::kCustom : FieldKind::kUnknown;
}

}  // namespace pactdb
