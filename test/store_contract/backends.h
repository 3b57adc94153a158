// The stores that the contract is tested on, and requests to test them with.
#pragma once

#include <gtest/gtest.h>
#include <pactdb/ext/store.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "support/folder.h"

namespace pactdb {

enum class Backend : std::uint8_t { kMemory, kSqlite };

// A test on each backend. What a test wrote, it can read again after Reopen, which does nothing to
// a store that has nothing to open.
class StoreContract : public testing::TestWithParam<Backend> {
 protected:
  StoreContract() {
    if (GetParam() == Backend::kMemory) store_ = MakeMemoryStore();
    Reopen();
  }

  Store& store() { return *store_; }

  void Reopen() {
    if (GetParam() == Backend::kMemory) return;
    store_.reset();
    auto opened = OpenSqliteStore(folder_.path("a.pactdb"), StoreAccess::kCreate);
    if (!opened) {
      ADD_FAILURE() << opened.error().message();
      std::abort();
    }
    store_ = *std::move(opened);
  }

  ContextNumber MakeContext(std::string_view name, RecordId origin = {}) {
    const Result<StoredContext> context = store().CreateContext(name, origin, "{}");
    EXPECT_TRUE(context.has_value());
    return context ? context->number : 0;
  }

  // Appends `count` commits whose cycles are ten times their numbers.
  void AppendTo(ContextNumber context, CommitNumber count) {
    for (CommitNumber i = 0; i < count; ++i) {
      const CommitNumber head = store().GetContext(context)->head;
      AppendRequest request = RequestAfter(context, head);
      request.durability = Durability::kRelaxed;
      ASSERT_TRUE(store().Append(request).has_value());
    }
  }

  // The request for the commit after `head`; its record says whose it is.
  AppendRequest RequestAfter(ContextNumber context, CommitNumber head) {
    AppendRequest request;
    request.context = context;
    request.expected_head = head;
    request.facts = FactsOf(head + 1);
    records_.push_back(std::make_unique<std::string>(RecordOf(context, head + 1)));
    request.record = *records_.back();
    return request;
  }

  static CommitFacts FactsOf(CommitNumber number) {
    CommitFacts facts{.number = number,
                      .cycle = std::int64_t{number} * 10,
                      .committed_at_ns = 1'700'000'000'000'000'000 + number,
                      .added = number + 1,
                      .removed = number + 2,
                      .changed = number + 3,
                      .nodes = number + 4};
    facts.tree_sha256.fill(static_cast<unsigned char>(number));
    return facts;
  }

  static std::string RecordOf(ContextNumber context, CommitNumber number) {
    return "record " + std::to_string(context) + "/" + std::to_string(number) +
           std::string(number * 7, '\0');
  }

 private:
  support::Folder folder_;
  std::unique_ptr<Store> store_;
  std::vector<std::unique_ptr<std::string>> records_;
};

inline std::vector<CommitFacts> FactsIn(Store& store, ContextNumber context, CommitRange range) {
  std::vector<CommitFacts> all;
  const Status status = store.VisitFacts(context, range, [&](const CommitFacts& facts) {
    all.push_back(facts);
    return true;
  });
  EXPECT_TRUE(status.has_value());
  return all;
}

inline std::vector<CommitNumber> NumbersIn(Store& store, ContextNumber context) {
  std::vector<CommitNumber> numbers;
  for (const CommitFacts& facts : FactsIn(store, context, {1, 0xffffffff})) {
    numbers.push_back(facts.number);
  }
  return numbers;
}

template <typename T>
void ExpectError(const std::expected<T, Error>& result, ErrorCode code) {
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(WireName(result.error().code()), WireName(code)) << result.error().message();
}

}  // namespace pactdb
