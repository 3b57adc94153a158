// What a selector finds, the slow and obvious way: every step looks at every node.
//
// Shares the parser's AST with the engine and nothing else of src/select.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "naive_select/plain_tree.h"
#include "select/ast.h"

namespace pactdb::naive {

// As SelectOptions, with `where` parsed.
struct Options {
  std::optional<std::string> snapshot;
  std::int64_t skip = 0;
  std::optional<std::int64_t> limit;
  const select::Ast* where = nullptr;
};

struct Answer {
  std::string error;  // a wire name; empty for none
  std::vector<std::string> ids;
  bool operator==(const Answer&) const = default;
};

Answer Select(const History& history, const select::Ast& ast, const Options& options);

}  // namespace pactdb::naive
