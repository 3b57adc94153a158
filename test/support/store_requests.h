// Requests and files to test stores with.
#pragma once

#include <gtest/gtest.h>
#include <pactdb/ext/store.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

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

inline std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void WriteFile(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

}  // namespace pactdb::support
