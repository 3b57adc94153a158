// Selectors: which nodes of a tree are meant.
//
//   Selector selector = Selector::Parse("^seq .seg:depth(1-3) .block[role=user]").value();
//   std::string form = selector.canonical();
//
// A Selector is parsed once and can be kept, copied and run on any snapshot. docs/selector.md has
// the language.
//
// Thread safety: an immutable value; any number of threads may use one.
#pragma once

#include <pactdb/error.h>
#include <pactdb/options.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace pactdb {

// A place among the siblings of equal offset. `n` counts from 1.
struct InsertionMark {
  enum class Kind : std::uint8_t { kStart, kEnd, kAfter, kBefore };
  Kind kind = Kind::kEnd;
  std::int64_t n = 0;
  bool operator==(const InsertionMark&) const = default;
};

class Selector {
 public:
  struct Impl;

  // Errors: kSelectorInvalid with `pos` (0-based byte) and `token`, its message showing the line
  // and a caret; kSnapshotRangeWildcard, kSnapshotRangeKindMismatch; kLimitExceeded.
  static Result<Selector> Parse(std::string_view text, Dialect dialect = Dialect::kCanonical);

  Dialect dialect() const;
  // As it was written.
  const std::string& text() const;
  // One text for all spellings of the same selector; parsing it gives an equal selector.
  std::string canonical() const;
  // {"tokens","ast","canonical","plan","cost"}: how it was read and how it will run.
  std::string Explain() const;

  // Equal in meaning by form: same dialect, same canonical text.
  bool operator==(const Selector& other) const;

  // For the layers of this library.
  const Impl& impl() const { return *impl_; }
  explicit Selector(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace pactdb
