#include "model/far_run.h"

#include <optional>

namespace pactdb {

void FarRun::Add(NodeNumber number, Ordinal before, const Node* version) {
  past_.entry(past_.Intern(KeyOf(number))).payload.list.Append({.before = before, .node = version});
}

const Node* FarRun::Find(NodeNumber number, Ordinal at) const {
  if (const auto entry = past_.Find(KeyOf(number))) {
    std::optional<const Node*> node;
    for (const Version& version : past_.entry(*entry).payload.list.items()) {
      if (version.before <= at) break;
      node = version.node;
    }
    if (node) return *node;
  }
  return newest_->Find(number);
}

}  // namespace pactdb
