// What only the store in memory says; all else is in test/store_contract.
#include "store/memory/memory_store.h"

#include <gtest/gtest.h>

#include "base/sha256.h"
#include "support/error_text.h"
#include "support/store_requests.h"

namespace pactdb {
namespace {

TEST(MemoryStore, HasNoFile) {
  const auto store = MakeMemoryStore();
  EXPECT_FALSE(store->read_only());
  EXPECT_EQ(support::ErrorText(store->Backup("/tmp/x", {})),
            "E_STORE_IO: a store in memory has no file to copy");
  EXPECT_EQ(store->Stats()->path, "");
  EXPECT_EQ(store->Stats()->file_bytes, 0);
  EXPECT_EQ(store->Stats()->free_bytes, 0);
}

TEST(MemoryStore, VerifyNamesEveryContentWithAnotherHash) {
  const auto store = MakeMemoryStore();
  ASSERT_TRUE(store->CreateContext("main", {}, "{}").has_value());
  const std::vector<StoredContent> contents = {
      {Sha256Of("one"), "one"}, {Sha256Of("two"), "other"}, {Sha256Of("three"), "three"}};
  AppendRequest request;
  request.context = 1;
  request.facts = support::SampleFacts(1);
  request.record = "record";
  request.contents = contents;
  ASSERT_TRUE(store->Append(request).has_value());
  std::vector<double> told;
  const auto problems = store->Verify([&](double done) { told.push_back(done); });
  ASSERT_EQ(problems->size(), 1);
  EXPECT_EQ(problems->front().what, "content " + ToHex(Sha256Of("two")));
  EXPECT_EQ(problems->front().message, "the bytes have another hash");
  EXPECT_EQ(told, std::vector<double>{1.0});
  EXPECT_EQ(store->Stats()->contents, 3);
  EXPECT_EQ(store->Stats()->content_bytes, 13);
  EXPECT_EQ(store->Stats()->content_stored_bytes, 13);
}

}  // namespace
}  // namespace pactdb
