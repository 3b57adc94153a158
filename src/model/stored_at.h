// Where nodes and chunks are stored: a record and a place in it.
//
// In a record an address is written out (model/record.h). In memory it is one number, so that every
// node can carry its own: the records that a program has seen are numbered as it meets them.
//
// Thread safety: one thread at a time.
#pragma once

#include <pactdb/ext/store.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/check.h"
#include "model/node.h"

namespace pactdb {

struct StoredAddress {
  RecordId record;
  std::uint32_t index = 0;
  bool operator==(const StoredAddress&) const = default;
};

class RecordNumbers {
 public:
  static constexpr unsigned kIndexBits = 24;
  static constexpr std::uint32_t kIndexMax = (1u << kIndexBits) - 1;

  // REQUIRES: index <= kIndexMax.
  std::uint64_t Pack(const StoredAddress& address) {
    return NumberOf(address.record) << kIndexBits | address.index;
  }
  // REQUIRES: packed here.
  StoredAddress Unpack(std::uint64_t stored_at) const {
    PACTDB_CHECK(stored_at != kNotStored);
    return {records_[(stored_at >> kIndexBits) - 1],
            static_cast<std::uint32_t>(stored_at & kIndexMax)};
  }

 private:
  // From 1: 0 is kNotStored.
  std::uint64_t NumberOf(const RecordId& record) {
    if (record == last_) return last_number_;
    const auto [found, is_new] = numbers_.try_emplace(
        std::uint64_t{record.context} << 32 | record.commit, records_.size() + 1);
    if (is_new) records_.push_back(record);
    last_ = record;
    last_number_ = found->second;
    return last_number_;
  }

  std::vector<RecordId> records_;
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;
  RecordId last_{};
  std::uint64_t last_number_ = 0;
};

}  // namespace pactdb
