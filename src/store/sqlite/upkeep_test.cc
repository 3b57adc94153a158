// Copies of a file that others go on with.
#include <gtest/gtest.h>
#include <pactdb/ext/store.h>

#include <filesystem>
#include <set>

#include "support/error_text.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb {
namespace {

using enum StoreAccess;
using support::ErrorText;
using support::Folder;
using support::MakeSample;
using support::OpenOrFail;

std::set<std::string> NamesIn(const Folder& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.insert(entry.path().filename().string());
  return names;
}

TEST(SqliteBackup, IsAFileOfItsOwn) {
  const Folder folder;
  MakeSample(folder.path("a"), 20);
  const auto store = OpenOrFail(folder.path("a"), kWrite);
  ASSERT_TRUE(store->Backup(folder.path("b"), {}).has_value());
  ASSERT_TRUE(support::AppendSample(*store, 1, 21).has_value());
  {
    const auto copy = OpenOrFail(folder.path("b"), kWrite);
    EXPECT_EQ(copy->GetContext(1)->head, 20);
    EXPECT_EQ(copy->Verify({})->size(), 0);
    ASSERT_TRUE(support::AppendSample(*copy, 1, 21).has_value());
    ASSERT_TRUE(support::AppendSample(*copy, 1, 22).has_value());
  }
  EXPECT_EQ(store->GetContext(1)->head, 21);
  std::set<std::string> names = NamesIn(folder);
  for (const char* beside : {"a-wal", "a-shm", "a-lock"}) names.erase(beside);
  EXPECT_EQ(names, (std::set<std::string>{"a", "b"}));
}

TEST(SqliteBackup, SaysWhyThereIsNone) {
  const Folder folder;
  MakeSample(folder.path("a"), 2);
  support::WriteFile(folder.path("b"), "mine");
  const auto store = OpenOrFail(folder.path("a"), kRead);
  EXPECT_EQ(
      ErrorText(store->Backup(folder.path("b"), {})),
      "E_STORE_IO: the file exists {path=" + folder.path("b") + " errno=17 reason=File exists}");
  EXPECT_EQ(support::ReadFile(folder.path("b")), "mine");
  EXPECT_EQ(
      ErrorText(store->Backup(folder.path("a"), {})),
      "E_STORE_IO: the file exists {path=" + folder.path("a") + " errno=17 reason=File exists}");
  EXPECT_EQ(ErrorText(store->Backup(folder.path("none/b"), {})),
            "E_STORE_IO: the folder cannot be reached {path=" + folder.path("none/") +
                " errno=2 reason=No such file or directory}");
  EXPECT_EQ(ErrorText(store->Backup("", {})),
            "E_STORE_IO: this is not the name of a file {path= errno=22 reason=Invalid argument}");
}

TEST(SqliteBackup, TellsHowFarItIs) {
  const Folder folder;
  MakeSample(folder.path("a"), 2);
  const auto store = OpenOrFail(folder.path("a"), kWrite);
  // Three times what is copied at once, and some more.
  const std::string record(std::size_t{13} << 20, 'x');
  AppendRequest request;
  request.context = 1;
  request.expected_head = 2;
  request.facts = support::SampleFacts(3);
  request.record = record;
  ASSERT_TRUE(store->Append(request).has_value());
  std::vector<double> told;
  ASSERT_TRUE(store->Backup(folder.path("b"), [&](double done) { told.push_back(done); }));
  ASSERT_EQ(told.size(), 4);
  const double pages = static_cast<double>(std::filesystem::file_size(folder.path("b"))) / 4096;
  EXPECT_DOUBLE_EQ(told[0], 1024 / pages);
  EXPECT_DOUBLE_EQ(told[1], 2048 / pages);
  EXPECT_DOUBLE_EQ(told[2], 3072 / pages);
  EXPECT_EQ(told[3], 1.0);
  EXPECT_EQ(OpenOrFail(folder.path("b"), kRead)->ReadRecord({1, 3}), record);
}

}  // namespace
}  // namespace pactdb
