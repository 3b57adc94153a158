// Checksums of rows (docs/format/store.md): XXH3, 64 bits, over the row's values in a fixed form.
// SQLite itself does not notice most changes of a page; these notice every one that is read.
//
// Thread safety: pure functions, values.
#pragma once

#include <pactdb/ext/store.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pactdb::sqlite {

// Of many bytes alone; `seed` is the row's id, so that bytes moved to another row are noticed.
std::int64_t ChecksumOf(std::string_view bytes, std::int64_t seed);

// Of a row's values, in order: a number is 8 bytes, lowest first; a text or blob its size as a
// number and its bytes; an absent number one byte 0, a present one a byte 1 before it.
class RowChecksum {
 public:
  RowChecksum& Add(std::int64_t value);
  RowChecksum& Add(std::optional<std::int64_t> value);
  RowChecksum& Add(std::string_view bytes);
  std::int64_t Value() const { return ChecksumOf(bytes_, 0); }

 private:
  std::string bytes_;
};

// Of a commit's row, its record apart.
std::int64_t FactsChecksum(ContextNumber context, const CommitFacts& facts, std::int64_t epoch,
                           std::int64_t bytes_total, std::int64_t record_checksum);

// Of the other rows.
std::int64_t ContextChecksum(const StoredContext& context, std::int64_t bytes_retired);
std::int64_t TagChecksum(ContextNumber context, const Tag& tag);
std::int64_t AttemptChecksum(ContextNumber context, std::string_view id, std::int64_t n,
                             std::string_view json);
std::int64_t AnswerChecksum(ContextNumber context, std::string_view key, CommitNumber number,
                            std::string_view answer);
std::int64_t GapChecksum(ContextNumber context, CommitRange gap);

}  // namespace pactdb::sqlite
