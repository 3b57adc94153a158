#include "store/sqlite/checksum.h"

#include <xxhash.h>

#include <array>
#include <bit>

namespace pactdb::sqlite {

std::int64_t ChecksumOf(std::string_view bytes, std::int64_t seed) {
  return std::bit_cast<std::int64_t>(
      XXH3_64bits_withSeed(bytes.data(), bytes.size(), std::bit_cast<std::uint64_t>(seed)));
}

RowChecksum& RowChecksum::Add(std::int64_t value) {
  auto rest = std::bit_cast<std::uint64_t>(value);
  std::array<char, 8> bytes{};
  for (char& byte : bytes) {
    byte = static_cast<char>(rest & 0xff);
    rest >>= 8;
  }
  bytes_.append(bytes.data(), bytes.size());
  return *this;
}

RowChecksum& RowChecksum::Add(std::optional<std::int64_t> value) {
  bytes_ += value ? '\1' : '\0';
  return value ? Add(*value) : *this;
}

RowChecksum& RowChecksum::Add(std::string_view bytes) {
  Add(static_cast<std::int64_t>(bytes.size()));
  bytes_ += bytes;
  return *this;
}

std::int64_t FactsChecksum(ContextNumber context, const CommitFacts& facts, std::int64_t epoch,
                           std::int64_t bytes_total, std::int64_t record_checksum) {
  const std::string_view hash(reinterpret_cast<const char*>(facts.tree_sha256.data()),
                              facts.tree_sha256.size());
  return RowChecksum()
      .Add(std::int64_t{context})
      .Add(std::int64_t{facts.number})
      .Add(facts.cycle)
      .Add(facts.committed_at_ns)
      .Add(std::int64_t{facts.added})
      .Add(std::int64_t{facts.removed})
      .Add(std::int64_t{facts.changed})
      .Add(std::int64_t{facts.nodes})
      .Add(hash)
      .Add(epoch)
      .Add(bytes_total)
      .Add(record_checksum)
      .Value();
}

std::int64_t ContextChecksum(const StoredContext& context, std::int64_t bytes_retired) {
  return RowChecksum()
      .Add(std::int64_t{context.number})
      .Add(context.name)
      .Add(std::int64_t{context.origin.context})
      .Add(std::int64_t{context.origin.commit})
      .Add(context.epoch)
      .Add(std::int64_t{context.deleted})
      .Add(bytes_retired)
      .Add(context.config)
      .Value();
}

std::int64_t TagChecksum(ContextNumber context, const Tag& tag) {
  return RowChecksum()
      .Add(std::int64_t{context})
      .Add(tag.name)
      .Add(std::int64_t{tag.context})
      .Add(std::int64_t{tag.commit})
      .Value();
}

std::int64_t AttemptChecksum(ContextNumber context, std::string_view id, std::int64_t n,
                             std::string_view json) {
  return RowChecksum().Add(std::int64_t{context}).Add(id).Add(n).Add(json).Value();
}

std::int64_t AnswerChecksum(ContextNumber context, std::string_view key, CommitNumber number,
                            std::string_view answer) {
  return RowChecksum()
      .Add(std::int64_t{context})
      .Add(key)
      .Add(std::int64_t{number})
      .Add(answer)
      .Value();
}

std::int64_t GapChecksum(ContextNumber context, CommitRange gap) {
  return RowChecksum()
      .Add(std::int64_t{context})
      .Add(std::int64_t{gap.first})
      .Add(std::int64_t{gap.last})
      .Value();
}

}  // namespace pactdb::sqlite
