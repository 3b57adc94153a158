// What a format cannot say: an error, or under `lossy` a list.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "providers/block.h"
#include "providers/format.h"

namespace pactdb::providers {

struct Loss {
  std::string id;     // of the node
  std::string field;  // of the node, such as content or anthropic:part.cache_control
  std::string reason;
  bool operator==(const Loss&) const = default;
};

class Losses {
 public:
  Losses(Format format, bool lossy) : format_(format), lossy_(lossy) {}

  // Errors: kRenderIllegal with format, node and field, unless losses are accepted.
  Status Note(std::string id, std::string_view field, std::string_view reason);
  Status Note(const Block& block, std::string_view field, std::string_view reason) {
    return Note(block.id(), field, reason);
  }
  // What the node carries for other formats.
  Status NoteForeign(const TreeView& view, const Node& node);
  // What the request of another format said, apart from what is carried over.
  Status NoteRequest(const TreeView& view, const Node& request,
                     std::span<const std::string_view> carried);

  Format format() const { return format_; }
  std::size_t count() const { return lost_.size(); }
  std::vector<Loss> Take() { return std::move(lost_); }

 private:
  Format format_;
  bool lossy_;
  std::vector<Loss> lost_;
};

}  // namespace pactdb::providers
