// Names for snapshots.
//
// A tag names one commit of a context; a commit may have many. A fork begins with the tags that its
// origin has on the commits they share, and both go on on their own. Making it copies nothing: the
// table is shared until one of the two changes it.
//
// Thread safety: one thread at a time. Contexts of different threads may share a table: they only
// read it.
#pragma once

#include <pactdb/error.h>

#include <map>
#include <memory>
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
  // Calls visit(name, Ordinal) by name.
  template <typename Visitor>
  void ForEach(Visitor&& visit) const {
    if (table_ == nullptr) return;
    for (const auto& [name, commit] : table_->by_name) {
      if (commit <= last_) visit(name, commit);
    }
  }

  // Moves a tag that is there already.
  void Set(std::string_view name, Ordinal commit);
  // False if there is none of that name.
  bool Remove(std::string_view name);

  // What a fork at `fork_point` begins with. O(1)
  Tags ForkAt(Ordinal fork_point);

 private:
  struct Table {
    std::map<std::string, Ordinal, std::less<>> by_name;
    std::set<std::pair<Ordinal, std::string>> by_commit;
  };
  // A table that nobody else has.
  Table& Own();

  std::shared_ptr<Table> table_;  // null: none
  bool is_shared_ = false;
  Ordinal last_ = kNever;  // tags of later commits are the origin's alone
};

}  // namespace pactdb
