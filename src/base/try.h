// PACTDB_TRY: take the value of a Result or return its Error from the enclosing function.
//
//   PACTDB_TRY(auto node, tree.Find(id));   // declares `node`
//   PACTDB_TRY_STATUS(CheckPlacement(...)); // for a Status
#pragma once

#include <expected>
#include <utility>

#define PACTDB_CONCAT_INNER(a, b) a##b
#define PACTDB_CONCAT(a, b) PACTDB_CONCAT_INNER(a, b)

#define PACTDB_TRY(declaration, expression) \
  PACTDB_TRY_IMPL(PACTDB_CONCAT(pactdb_result_, __LINE__), declaration, expression)

#define PACTDB_TRY_IMPL(result, declaration, expression)          \
  auto result = (expression);                                     \
  if (!result) return std::unexpected(std::move(result).error()); \
  declaration = *std::move(result)

#define PACTDB_TRY_STATUS(expression)                           \
  do {                                                          \
    if (auto pactdb_status = (expression); !pactdb_status)      \
      return std::unexpected(std::move(pactdb_status).error()); \
  } while (false)
