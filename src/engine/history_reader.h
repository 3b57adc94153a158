// Import of a history: commits are read one part after the other and appended unseen; all are
// published together, or none.
//
// Every commit's tree is compared with the hash the document states for it, so what is kept is what
// was exported.
//
// Thread safety: as the context, which it changes.
#pragma once

#include <pactdb/context.h>
#include <pactdb/error.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "engine/context_impl.h"
#include "engine/export_info.h"
#include "engine/tree_reader.h"

namespace pactdb {

class HistoryReader {
 public:
  HistoryReader(ContextImpl& context, const ExportInfo& info, bool strict);
  // Without a successful Finish, takes back all that was appended.
  ~HistoryReader();
  HistoryReader(const HistoryReader&) = delete;
  HistoryReader& operator=(const HistoryReader&) = delete;

  // The next part. Errors: kImportInvalid, kLimitExceeded; then no more may be added.
  Status Add(const JsonRef& part);
  // After the last part. Errors: kImportInvalid if commits are missing, at `pos`.
  Result<ImportResult> Finish(std::size_t pos);

 private:
  // A commit whose parts are coming in: a tree of its own, or changes to the one before.
  struct Open {
    std::int64_t cycle = 0;
    std::optional<std::string> sealed;
    std::unique_ptr<TreeReader> whole;
    std::optional<WorkingTree> tree;
    std::vector<Departure> taken;
    std::vector<std::string> removed;
    std::unordered_set<NodeNumber> set;
  };

  Status Begin(const JsonRef& part, std::int64_t cycle);
  // Of the commit that begins.
  Status AddTags(const JsonRef& names);
  Status AddNodes(const JsonRef& nodes);
  Status AddRemoved(const JsonRef& ids);
  // Puts one node into the tree of the commit before.
  Status Change(const JsonRef& json, std::optional<std::string_view> parent, const NodeNote& note);
  Status CheckMove(const Node& node, const Node& holder, const JsonRef& where) const;
  Status Close(const JsonRef& part, const JsonRef& tree_sha256);
  Status TakeOutRemoved(const JsonRef& part);

  ContextImpl& context_;
  ExportInfo info_;
  Complaints complaints_;
  ContextImpl::Savepoint savepoint_;
  std::optional<Open> open_;
  std::int64_t commits_ = 0;
  bool is_done_ = false;
};

}  // namespace pactdb
