// One message on its way into a context: its entries, and what readers of all formats do with them.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/try.h"
#include "providers/block.h"
#include "providers/entry.h"
#include "providers/extras.h"
#include "providers/format.h"

namespace pactdb::providers {

class Draft {
 public:
  Draft(std::size_t index, const JsonRef& message) : index_(index), message_(message) {}

  // An entry of the role and kind, to be filled.
  Entry& Add(std::string_view role, std::string_view kind);
  Entry& first() { return entries_.front(); }
  bool empty() const { return entries_.empty(); }
  std::size_t index() const { return index_; }
  const JsonRef& message() const { return message_; }
  std::vector<Entry>& entries() { return entries_; }

  Error Fault(std::string_view field, std::string_view what) const {
    return Faults::At(index_, field, what, message_);
  }

 private:
  std::size_t index_;
  JsonRef message_;
  std::vector<Entry> entries_;
};

// Hands drafts on, and says of every entry where it goes and whether it joins the one before.
class DraftSender {
 public:
  DraftSender(JoinRule rule, EntrySink& sink) : rule_(rule), sink_(sink) {}

  // Messages of the system go to ^sys until somebody else has spoken; later ones stay where they
  // are said.
  Status Send(Draft& draft, Speaker speaker, bool is_system);
  // A message that could not be read, verbatim.
  Status SendRaw(Format format, const JsonRef& message, std::size_t index);
  // The rest of a request: a group of ^sys. Nothing if there is no rest.
  Status SendRequest(Format format, ExtrasBuilder& rest, const JsonRef& document);
  // The definition of a tool, into ^sys.
  Status SendTool(Entry& entry);

 private:
  JoinRule rule_;
  EntrySink& sink_;
  Traits before_;
  std::string before_call_;  // what before_.call_id looks at
  bool has_before_ = false;
  bool somebody_spoke_ = false;
};

// The data_call_id of the entry, canonical; empty: none.
std::string_view CallOf(const Entry& entry);

// The place of an element: "content" and 2 give "content[2]"; then "content[2].text".
std::string At(std::string_view list, std::size_t index);
std::string Dot(std::string_view place, std::string_view name);

}  // namespace pactdb::providers
