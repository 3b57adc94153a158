// Members of a provider's object that our words do not cover. They are kept as one attribute of the
// node, an object, and written out again where they stood.
//
// Thread safety: one thread at a time; ExtraFields is a view into its node.
#pragma once

#include <pactdb/json.h>

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/node.h"
#include "text/json_doc.h"
#include "text/json_out.h"

namespace pactdb::providers {

using Names = std::span<const std::string_view>;

// Collects what is left of objects.
class ExtrasBuilder {
 public:
  // All members of `object` but the known ones.
  void Take(const JsonRef& object, std::initializer_list<std::string_view> known);
  // The same of an object that is itself the member `name`.
  void TakeInside(std::string_view name, const JsonRef& object,
                  std::initializer_list<std::string_view> known);
  void Set(std::string_view name, Json value);
  // None if nothing was left.
  std::optional<Json> Done();

 private:
  std::vector<std::pair<std::string, Json>> members_;
};

// Reads what a builder left on a node.
class ExtraFields {
 public:
  ExtraFields(const Node& node, std::string_view attribute) { Parse(node.Find(attribute)); }

  bool empty() const { return !doc_; }
  // Writes the members into the object that is open, but those written already: what a caller put
  // on a node must not make a key stand twice.
  void Write(JsonOut& out, Names written) const;
  void Write(JsonOut& out, std::initializer_list<std::string_view> written) const {
    Write(out, Names(written.begin(), written.size()));
  }
  void WriteInside(std::string_view name, JsonOut& out,
                   std::initializer_list<std::string_view> written) const;
  bool Has(std::string_view name) const { return Find(name).has_value(); }
  // A view into these fields, so not of what ends with the statement.
  std::optional<JsonRef> Find(std::string_view name) const&;
  std::optional<JsonRef> Find(std::string_view name) const&& = delete;
  // Calls visit(name, value) for every member.
  template <typename Visitor>
  void ForEach(Visitor&& visit) const {
    if (!doc_) return;
    for (auto it = doc_->root().begin(); it != doc_->root().end(); ++it)
      visit((*it).key, (*it).value);
  }

 protected:
  ExtraFields() = default;
  void Parse(std::optional<std::string_view> value);

 private:
  std::optional<JsonDoc> doc_;
};

// The same of what stands as a node's content.
class ContentFields : public ExtraFields {
 public:
  explicit ContentFields(const Node& node) { Parse(node.content()); }
};

}  // namespace pactdb::providers
