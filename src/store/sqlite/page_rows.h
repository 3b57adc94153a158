// The rows of table pages, read without the tree that leads to them: what a damaged page above, or
// a damaged list of tables, makes unreachable for SQLite is still there.
//
// Nothing here can be believed; whoever uses a row must have a checksum to tell.
// The format: https://www.sqlite.org/fileformat.html, section 1.6 and 2.
//
// Thread safety: one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "store/sqlite/salvage_copy.h"

namespace pactdb::sqlite {

// A value of a row: absent, a number, or the bytes of a text or blob. Ours have no fractions.
using RawValue = std::variant<std::monostate, std::int64_t, std::string_view>;

struct RawRow {
  std::int64_t id = 0;
  std::vector<RawValue> values;

  // What is not of that type reads as 0, or as nothing.
  std::int64_t Int(std::size_t column) const;
  std::string_view Bytes(std::size_t column) const;
  bool IsNull(std::size_t column) const;
};

// The columns of a row's bytes; none if they make no sense.
std::vector<RawValue> ParseRow(std::string_view payload);

// Every row on a leaf of a table, but for leaves in the list of free pages. `progress` gets 0..1.
void ForEachPageRow(SalvageCopy& copy, const std::function<void(const RawRow&)>& visit,
                    const std::function<void(double)>& progress);

}  // namespace pactdb::sqlite
