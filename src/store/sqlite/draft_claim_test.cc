#include "store/sqlite/draft_claim.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "store/sqlite/files.h"
#include "support/error_text.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb::sqlite {
namespace {

using support::Folder;

std::set<std::string> NamesIn(const Folder& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.insert(entry.path().filename().string());
  return names;
}

TEST(DraftClaim, IsOfOneMakerAtATime) {
  const Folder folder;
  const std::string path = folder.path("a");
  const std::string draft = DraftOf(path);
  {
    const auto claim = DraftClaim::Make(path);
    ASSERT_TRUE(claim.has_value());
    EXPECT_TRUE(FileExists(draft));
    EXPECT_EQ(
        support::ErrorText(DraftClaim::Make(path)),
        "E_STORE_IO: the new file cannot be made {path=" + draft + " errno=17 reason=File exists}");
    EXPECT_TRUE(FileExists(draft));
  }
  // Its maker is gone, whatever it wrote.
  support::WriteFile(draft, "half a file");
  EXPECT_TRUE(DraftClaim::Make(path).has_value());
  EXPECT_EQ(FileBytes(draft), 0);
  EXPECT_EQ(support::ErrorText(DraftClaim::Make(folder.path("none/a"))),
            "E_STORE_IO: the new file cannot be made {path=" + DraftOf(folder.path("none/a")) +
                " errno=2 reason=No such file or directory}");
}

TEST(DraftClaim, TakesNothingAwayThatIsNoDraft) {
  const Folder folder;
  std::set<std::string> names = {"a-new-0123456789abcde",   "a-new-0123456789ABCDEF",
                                 "a-new_0123456789abcdef",  "aa-new-0123456789abcdef",
                                 "a-new-0123456789abcdef0", "-new-0123456789abcdef"};
  for (const std::string& name : names) support::WriteFile(folder.path(name), "mine");
  names.insert("a-new-0000000000000000");
  names.insert("a-new-1111111111111111");
  std::filesystem::create_directory(folder.path("a-new-0000000000000000"));
  std::filesystem::create_symlink(folder.path("aa-new-0123456789abcdef"),
                                  folder.path("a-new-1111111111111111"));
  support::WriteFile(folder.path("a-new-2222222222222222"), "left");
  support::WriteFile(folder.path("a-new-2222222222222222-fresh"), "left");
  ASSERT_TRUE(DraftClaim::Make(folder.path("a")).has_value());
  names.insert(std::filesystem::path(DraftOf(folder.path("a"))).filename());
  EXPECT_EQ(NamesIn(folder), names);
}

}  // namespace
}  // namespace pactdb::sqlite
