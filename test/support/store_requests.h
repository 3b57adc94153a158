// Requests and files to test stores with.
#pragma once

#include <gtest/gtest.h>
#include <pactdb/ext/store.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sha256.h"

namespace pactdb::support {

// A commit whose record is a function of its number.
inline std::string SampleRecord(CommitNumber number) {
  std::string record = "record " + std::to_string(number) + ": ";
  for (CommitNumber i = 0; i < 40 + number * 37 % 400; ++i) {
    record += static_cast<char>('a' + (number * 31 + i * i) % 26);
  }
  return record;
}

inline CommitFacts SampleFacts(CommitNumber number) {
  CommitFacts facts{.number = number,
                    .cycle = number,
                    .committed_at_ns = 1'700'000'000'000'000'000 + number,
                    .added = number % 7,
                    .nodes = number};
  facts.tree_sha256.fill(static_cast<unsigned char>(number));
  return facts;
}

inline Status AppendSample(Store& store, ContextNumber context, CommitNumber number,
                           Durability durability = Durability::kFull) {
  const std::string record = SampleRecord(number);
  AppendRequest request;
  request.context = context;
  request.expected_head = number - 1;
  request.facts = SampleFacts(number);
  request.record = record;
  request.durability = durability;
  return store.Append(request);
}

inline std::unique_ptr<Store> OpenOrFail(const std::string& path, StoreAccess access) {
  Result<std::unique_ptr<Store>> store = OpenSqliteStore(path, access);
  if (!store) {
    ADD_FAILURE() << store.error().message();
    return nullptr;
  }
  return *std::move(store);
}

// A file with a context "main" of `commits` commits.
inline void MakeSample(const std::string& path, CommitNumber commits) {
  const std::unique_ptr<Store> store = OpenOrFail(path, StoreAccess::kCreate);
  ASSERT_NE(store, nullptr);
  ASSERT_TRUE(store->CreateContext("main", {}, "{}").has_value());
  for (CommitNumber n = 1; n <= commits; ++n) {
    ASSERT_TRUE(AppendSample(*store, 1, n, Durability::kRelaxed).has_value());
  }
}

inline constexpr std::string_view kContent =
    "a content that is kept by its hash and long enough to see";

// Two contexts, with one of everything a row can be about.
inline void MakeFull(const std::string& path) {
  MakeSample(path, 9);
  const auto store = OpenOrFail(path, StoreAccess::kWrite);
  const std::string record = "with content";
  const StoredContent content{.hash = Sha256Of(kContent), .bytes = kContent};
  AppendRequest request;
  request.context = 1;
  request.expected_head = 9;
  request.facts = SampleFacts(10);
  request.record = record;
  request.contents = {&content, 1};
  request.idempotency_key = "key";
  request.answer = "answer";
  ASSERT_TRUE(store->Append(request).has_value());
  ASSERT_TRUE(store->CreateContext("fork", {1, 5}, R"({"a":1})").has_value());
  ASSERT_TRUE(store->SetTag(1, {.name = "tag", .commit = 3, .context = 1}).has_value());
  ASSERT_TRUE(store->PutAttempt(1, "attempt", "{}").has_value());
  const std::vector<std::string> entries = {"one", "two"};
  ASSERT_TRUE(store->AppendJournal(1, entries).has_value());
  RetireRequest retire;
  retire.snapshots = {{1, {2, 2}}};
  ASSERT_TRUE(store->Retire(retire).has_value());
}

inline std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace pactdb::support
