// Nodes from documents: one JSON object a node, what it holds apart.
//
// Headers that are not there stay absent, unknown attributes are kept, and types and bounds are
// those of `add`. A document of our own may say beside a node what its fields cannot (the note, see
// docs/format/export.md).
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>
#include <pactdb/options.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "model/body.h"
#include "model/lexicon.h"
#include "model/node.h"
#include "text/json_doc.h"

namespace pactdb {

// kImportInvalid at the value's byte position.
Error InvalidImport(std::string message, const JsonRef& where);
Error ImportOverLimit(std::string_view limit, std::size_t max);

// What strict import refuses and lenient import warns of, each said once.
class Complaints {
 public:
  explicit Complaints(bool strict) : strict_(strict) {}
  Status Add(std::string_view what, const JsonRef& where);
  void Warn(std::string_view what);
  bool strict() const { return strict_; }
  std::vector<std::string> Take() { return std::move(warnings_); }

 private:
  bool strict_;
  std::vector<std::string> warnings_;
};

// What a note says of a node.
struct NodeNote {
  std::int64_t overdue = 0;               // commits by which a node outlived its expiry
  std::optional<std::int64_t> place;      // of a turn: its place in the listing it came in
  std::optional<std::string> shown_type;  // what a node without a nodeType shows as its type
  bool lists_children = true;             // false: it has children, though its document had none

  static Result<NodeNote> Read(const JsonRef& json);
};

enum class NodeMember : std::uint8_t;

class NodeReader {
 public:
  struct Settings {
    Dialect dialect = Dialect::kCanonical;
    std::int64_t now = 1;  // shown ttls count from here
  };

  NodeReader(Lexicon& lexicon, const Settings& settings, Complaints& complaints)
      : lexicon_(lexicon), settings_(settings), complaints_(complaints) {}

  // The node, and `children` as its object lists them, if it does. `holder` is null for the root,
  // whose parent stays unset. Errors: kImportInvalid, kLimitExceeded.
  Result<Ref<Node>> Read(const JsonRef& json, const Node* holder, const NodeNote& note = {});
  const std::optional<JsonRef>& children() const { return children_; }

 private:
  // A canonical value in scratch_.
  struct Value {
    std::string_view name;
    std::size_t start = 0;
    std::size_t size = 0;
  };

  Status ReadMembers(const JsonRef& json);
  Status ReadMember(std::string_view key, const JsonRef& value, std::size_t& fields);
  Status ReadHeader(NodeMember member, std::string_view key, const JsonRef& value);
  Status ReadAttribute(NodeMember member, std::string_view key, const JsonRef& value);
  Status ReadInteger(std::string_view key, const JsonRef& value,
                     std::optional<std::int64_t>& out) const;
  Status ReadText(std::string_view key, const JsonRef& value,
                  std::optional<std::string_view>& out) const;
  Status ReadBool(std::string_view key, const JsonRef& value, std::optional<bool>& out) const;
  Status ReadTexts(std::string_view key, const JsonRef& value);
  Status ReadAny(std::string_view key, const JsonRef& value, std::optional<Value>& out);
  Status KeepAttribute(std::string_view key, const JsonRef& value);
  Result<NodeClass> ClassOf(const JsonRef& json, const Node* holder) const;
  void SetIdentity(Node& node);
  WordNumber WordOf(std::string_view word);
  void SetHeaders(const NodeNote& note, Node& node);
  void SetBody(Node& node);
  std::string_view Text(const Value& value) const {
    return std::string_view(scratch_).substr(value.start, value.size);
  }

  Lexicon& lexicon_;
  Settings settings_;
  Complaints& complaints_;
  // The node being read. Texts are views into the document.
  std::optional<JsonRef> children_;
  std::optional<std::string_view> id_;
  std::optional<std::string_view> type_;
  std::optional<std::string_view> role_;
  std::optional<std::string_view> kind_;
  std::optional<std::string_view> iso_;
  std::optional<std::int64_t> offset_;
  std::optional<std::int64_t> ttl_;
  std::optional<std::int64_t> priority_;
  std::optional<std::int64_t> cycle_;
  std::optional<std::int64_t> created_at_ns_;
  std::optional<std::int64_t> creation_index_;
  std::optional<bool> removable_;
  std::optional<bool> pinned_;
  std::optional<Value> content_;
  bool has_ttl_ = false;
  std::vector<Value> values_;
  std::vector<Attribute> attributes_;
  std::string scratch_;
  // Words come again and again; the last ones need no look into the lexicon's table.
  struct KnownWord {
    std::string text;
    WordNumber number = kNoWord;
  };
  std::array<KnownWord, 64> words_;
  IsoWriter iso_writer_;
};

}  // namespace pactdb
