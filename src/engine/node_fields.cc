#include "engine/node_fields.h"

#include <algorithm>

#include "base/limits.h"
#include "base/try.h"
#include "engine/names.h"

namespace pactdb {
namespace {

enum class ValueType : std::uint8_t { kInteger, kTtl, kCadence, kText, kTexts, kBool, kAny };

ValueType TypeOf(std::string_view name) {
  const auto header = FindHeader(name);
  if (!header) return ValueType::kAny;
  switch (*header) {
    case Header::kOffset:
    case Header::kPriority:
    case Header::kCreatedAtNs:
    case Header::kCreationIndex:
      return ValueType::kInteger;
    case Header::kTtl:
      return ValueType::kTtl;
    case Header::kCad:
      return ValueType::kCadence;
    case Header::kId:
    case Header::kNodeType:
    case Header::kRole:
    case Header::kKind:
    case Header::kKey:
    case Header::kMime:
    case Header::kEncoding:
      return ValueType::kText;
    case Header::kTags:
    case Header::kRefs:
      return ValueType::kTexts;
    case Header::kRemovable:
    case Header::kPinned:
      return ValueType::kBool;
    case Header::kProvenance:
    case Header::kContent:
      return ValueType::kAny;
  }
  return ValueType::kAny;
}

Error WrongType(std::string_view name, std::string_view wanted,
                ErrorCode code = ErrorCode::kRequestInvalid) {
  return Error(code, std::string(name) + " must be " + std::string(wanted)).With("field", name);
}

Error OverLimit(std::string_view name, std::string_view limit, std::size_t max) {
  return Error(ErrorCode::kLimitExceeded,
               std::string(name) + " is over the limit of " + std::to_string(max))
      .With("field", name)
      .With("limit", limit)
      .With("max", static_cast<std::int64_t>(max));
}

bool IsTexts(const Json& value) {
  const auto items = value.AsArray();
  return items && std::ranges::all_of(
                      *items, [](const Json& item) { return item.kind() == Json::Kind::kString; });
}

// Nesting of a canonical value: brackets outside strings.
std::size_t JsonDepth(std::string_view canonical) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < canonical.size(); ++i) {
    const char byte = canonical[i];
    if (in_string) {
      if (byte == '\\') ++i;
      if (byte == '"') in_string = false;
    } else if (byte == '"') {
      in_string = true;
    } else if (byte == '[' || byte == '{') {
      deepest = std::max(deepest, ++depth);
    } else if (byte == ']' || byte == '}') {
      --depth;
    }
  }
  return deepest;
}

// Of every value, whatever its field: canonical bytes, as documents that are imported count them.
Status CheckSize(std::string_view name, const Json& value) {
  if (value.text().size() <= limits::kContentBytesMax) return {};
  return std::unexpected(OverLimit(name, "content_bytes", limits::kContentBytesMax));
}

Status CheckText(std::string_view name, const Json& value) {
  if (value.kind() != Json::Kind::kString) return std::unexpected(WrongType(name, "a string"));
  const bool is_id = name == "id";
  if (!is_id && name != "key") return CheckSize(name, value);
  const std::size_t size = value.AsString()->size();
  if (is_id && size == 0) return std::unexpected(WrongType(name, "a string that is not empty"));
  const std::size_t max = is_id ? limits::kIdBytesMax : limits::kKeyBytesMax;
  if (size > max) return std::unexpected(OverLimit(name, is_id ? "id_bytes" : "key_bytes", max));
  return {};
}

Status CheckAny(std::string_view name, const Json& value) {
  PACTDB_TRY_STATUS(CheckSize(name, value));
  const char first = value.text()[0];
  if ((first == '[' || first == '{') && JsonDepth(value.text()) > limits::kContentJsonDepthMax) {
    return std::unexpected(OverLimit(name, "content_json_depth", limits::kContentJsonDepthMax));
  }
  return {};
}

}  // namespace

Status CheckFieldNames(std::span<const Field> fields, AttributeNames names) {
  const std::string* unknown = nullptr;
  // Headers do not count: an export writes more of them than were given.
  std::size_t attributes = 0;
  for (const auto& [name, value] : fields) {
    const FieldKind kind = ClassifyField(name);
    if (kind == FieldKind::kReserved) {
      return std::unexpected(
          Error(ErrorCode::kAttributeReserved, name + " is set by the engine and cannot be given")
              .With("field", name));
    }
    if (kind == FieldKind::kUnknown && unknown == nullptr) unknown = &name;
    if (kind != FieldKind::kSettable) ++attributes;
  }
  if (unknown != nullptr && names != AttributeNames::kAny) {
    return std::unexpected(Error(ErrorCode::kRequestInvalid,
                                 "unknown field '" + *unknown +
                                     "'; attributes of your own are data_*, content_* or ns:name")
                               .With("field", *unknown));
  }
  if (attributes > limits::kAttributesMax) {
    return std::unexpected(
        OverLimit("a node's number of attributes", "attributes", limits::kAttributesMax));
  }
  return {};
}

Status CheckFieldValue(std::string_view name, const Json& value) {
  const ValueType type = TypeOf(name);
  if (value.is_null() && type != ValueType::kAny) return {};
  switch (type) {
    case ValueType::kInteger:
      if (!value.AsInt64()) return std::unexpected(WrongType(name, "a 64-bit integer"));
      return {};
    case ValueType::kTtl:
      if (!value.AsInt64() || *value.AsInt64() < 0) {
        return std::unexpected(
            WrongType(name, "a whole number of cycles, zero or more", ErrorCode::kTtlInvalid));
      }
      return {};
    case ValueType::kCadence:
      if (!value.AsInt64() || *value.AsInt64() < 1) {
        return std::unexpected(
            WrongType(name, "a whole number of cycles, one or more", ErrorCode::kCadenceInvalid));
      }
      return {};
    case ValueType::kText:
      return CheckText(name, value);
    case ValueType::kTexts:
      if (!IsTexts(value)) return std::unexpected(WrongType(name, "an array of strings"));
      return CheckSize(name, value);
    case ValueType::kBool:
      if (!value.AsBool()) return std::unexpected(WrongType(name, "true or false"));
      return {};
    case ValueType::kAny:
      return CheckAny(name, value);
  }
  return {};
}

Status CheckFieldValues(std::span<const Field> fields) {
  std::optional<Error> first;
  // Which of several faults is told must not depend on the order of the fields.
  const auto rank = [](const Error& error) {
    switch (error.code()) {
      case ErrorCode::kLimitExceeded:
        return 1;
      case ErrorCode::kTtlInvalid:
        return 2;
      case ErrorCode::kCadenceInvalid:
        return 3;
      default:
        return 0;
    }
  };
  for (const auto& [name, value] : fields) {
    const Status checked = CheckFieldValue(name, value);
    if (!checked && (!first || rank(checked.error()) < rank(*first))) first = checked.error();
  }
  if (first) return std::unexpected(*std::move(first));
  return {};
}

void TakeField(const Field& field, NodeFields& fields) {
  const auto& [name, value] = field;
  const auto header = FindHeader(name);
  if (header == Header::kContent) {
    fields.content = value.text();
    return;
  }
  // Of a header null means absent. Custom attributes keep their null.
  if (header && value.is_null()) return;
  switch (header.value_or(Header::kKey)) {
    case Header::kId:
      fields.id = value.AsString();
      return;
    case Header::kNodeType:
      fields.node_type = value.AsString();
      return;
    case Header::kOffset:
      fields.offset = value.AsInt64();
      return;
    case Header::kTtl:
      fields.ttl = value.AsInt64();
      return;
    case Header::kPriority:
      fields.priority = value.AsInt64();
      return;
    case Header::kCreatedAtNs:
      fields.created_at_ns = value.AsInt64();
      return;
    case Header::kCreationIndex:
      fields.creation_index = value.AsInt64();
      return;
    case Header::kRole:
      fields.role = value.AsString();
      return;
    case Header::kKind:
      fields.kind = value.AsString();
      return;
    case Header::kRemovable:
      fields.removable = value.AsBool();
      return;
    case Header::kPinned:
      fields.pinned = *value.AsBool();
      return;
    case Header::kContent:
    case Header::kKey:
    case Header::kTags:
    case Header::kRefs:
    case Header::kMime:
    case Header::kEncoding:
    case Header::kProvenance:
    case Header::kCad:
      fields.attributes.push_back({name, value.text()});
  }
}

Result<NodeFields> ParseNodeFields(std::span<const Field> fields, AttributeNames names) {
  PACTDB_TRY_STATUS(CheckFieldNames(fields, names));
  PACTDB_TRY_STATUS(CheckFieldValues(fields));
  NodeFields parsed;
  for (const Field& field : fields) TakeField(field, parsed);
  std::ranges::sort(parsed.attributes, {}, &Attribute::name);
  return parsed;
}

}  // namespace pactdb
