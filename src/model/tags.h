// Names for snapshots of one context.
//
// A tag names one commit; a commit may have many. They belong to their context: a fork begins
// without.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/error.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/lexicon.h"

namespace pactdb {

// kRequestInvalid for what cannot be told from other names of snapshots, or is no name at all.
Status CheckTagName(std::string_view name);

class Tags {
 public:
  std::optional<Ordinal> Find(std::string_view name) const;
  // The tags of a commit, by name.
  std::vector<std::string> Of(Ordinal commit) const;

  // Moves a tag that is there already.
  void Set(std::string_view name, Ordinal commit);
  // Nothing happens if there is none of that name.
  void Remove(std::string_view name);

 private:
  std::map<std::string, Ordinal, std::less<>> by_name_;
  std::set<std::pair<Ordinal, std::string>> by_commit_;
};

}  // namespace pactdb
