// A request in pieces: what a provider's prompt cache reads, apart from the JSON around it.
//
// A writer that is given a PieceSink hands every tool, every block of the system prompt and every
// message to it, in the normal form that caches compare: without marks such as cache_control, and
// with contents written as lists. Why: docs/design/0006-prompt-cache.md.
//
// Thread safety: a sink belongs to one thread.
#pragma once

#include <pactdb/error.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "model/tree_view.h"
#include "providers/block.h"
#include "providers/format.h"
#include "providers/losses.h"

namespace pactdb::providers {

// In the order in which the prefix is built. kSchema and kChoice are members of the request that
// stand before the instructions or before the messages.
enum class Section : std::uint8_t { kModel, kTools, kSchema, kSystem, kChoice, kMessages, kEnd };

class PieceSink {
 public:
  // `first_turn`: begins there, without ^sys and the turns before.
  explicit PieceSink(std::size_t first_turn = 0) : first_turn_(first_turn) {}
  virtual ~PieceSink() = default;
  // `parts`: content blocks in it. Views are valid during the call.
  virtual void Take(Section section, std::string_view bytes, std::span<const Block> blocks,
                    std::size_t parts) = 0;
  std::size_t first_turn() const { return first_turn_; }

 private:
  std::size_t first_turn_;
};

// Hands over the pieces of the request; sections come in no particular order, the pieces of one in
// theirs. Settings have no blocks and come as a member, "name":value. Errors: kRenderIllegal.
Status WritePieces(const TreeView& view, Losses& losses, PieceSink& sink);

// The member that holds the list of a section, such as "messages"; empty if it is no list.
std::string_view ListName(Format format, Section section);

}  // namespace pactdb::providers
