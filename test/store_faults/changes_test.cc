// Whichever call fails in the middle of a change: the answer is an error that has a code, what was
// acknowledged is there, and what was not is there as a whole or not at all.
#include <gtest/gtest.h>
#include <pactdb/ext/store.h>

#include <algorithm>
#include <filesystem>

#include "store/sqlite/files.h"
#include "store_faults/faults.h"
#include "store_faults/scenario.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb {
namespace {

using enum StoreAccess;
using support::Fault;
using support::FileCall;
using support::Folder;
using support::Lever;
using support::NamedChange;
using support::OpenOrFail;
using support::Stride;
using support::WithFault;

struct Harm {
  const char* name;
  Fault fault;
  std::int64_t stride;
};

const std::vector<Harm>& Harms() {
  static const std::vector<Harm> harms = {
      {"one call of the file layer", {.lever = Lever::kFile}, 2},
      {"all calls of the file layer from one on", {.lever = Lever::kFile, .lasts = true}, 5},
      {"no room from one write on",
       {.lever = Lever::kFile, .lasts = true, .only = FileCall::kWrite, .system_error = ENOSPC},
       5},
      {"one statement", {.lever = Lever::kStatement}, 1},
      {"all statements from one on", {.lever = Lever::kStatement, .lasts = true}, 5},
      {"compiling one statement", {.lever = Lever::kPrepare}, 3},
      {"compiling all statements from one on", {.lever = Lever::kPrepare, .lasts = true}, 7},
  };
  return harms;
}

bool IsStoreError(const Error& error) {
  return error.code() == ErrorCode::kStoreIo || error.code() == ErrorCode::kStoreCorrupt;
}

class SqliteFaults : public testing::Test {
 protected:
  SqliteFaults() {
    {
      const auto store = OpenOrFail(path(), kCreate);
      EXPECT_TRUE(support::Fill(*store).has_value());
    }
    full_ = support::ReadFile(path());
    before_ = support::ExpectedState([](Store&) { return Status(); });
  }

  std::string path() const { return folder_.path("a"); }
  const Folder& folder() const { return folder_; }
  const std::string& before() const { return before_; }

  // The file as Fill left it.
  void Restore() const {
    // Not truncated: some file systems would wait for the disk.
    for (const char* suffix : {"", "-wal", "-shm", "-lock"}) {
      std::filesystem::remove(path() + suffix);
    }
    support::WriteFile(path(), full_);
  }

  // The state of the file, which must open and be sound.
  std::string StateOfFile() const {
    // The same bytes, and no log that could change them, are the same state.
    if (!std::filesystem::exists(path() + "-wal") && support::ReadFile(path()) == full_) {
      return before_;
    }
    const auto store = OpenOrFail(path(), kWrite);
    if (store == nullptr) return "";
    const auto problems = store->Verify({});
    EXPECT_TRUE(problems.has_value());
    EXPECT_TRUE(problems && problems->empty())
        << (problems->empty() ? "" : problems->front().message);
    return support::DescribeState(*store).value_or("unreadable");
  }

  // Runs the change with the fault; false if there were fewer calls than that.
  bool RunOnce(const NamedChange& change, const std::string& after, const Fault& fault) const;

 private:
  Folder folder_;
  std::string full_;
  std::string before_;
};

bool SqliteFaults::RunOnce(const NamedChange& change, const std::string& after,
                           const Fault& fault) const {
  Restore();
  auto store = OpenOrFail(path(), kWrite);
  Status status;
  bool fired = false;
  {
    const WithFault now(fault);
    status = change.run(*store);
    fired = now.fired() > 0;
    if (fault.lasts) store.reset();
  }
  if (!status) {
    EXPECT_TRUE(fired);
    EXPECT_TRUE(IsStoreError(status.error())) << status.error().message();
  }
  // Who has the store still open sees the state before, the state after, or the error that keeps
  // it from knowing; never something between.
  if (store != nullptr) {
    const Result<std::string> seen = support::DescribeState(*store);
    if (seen) {
      EXPECT_EQ(*seen, status ? after : before_);
    } else {
      EXPECT_TRUE(fired);
      EXPECT_EQ(seen.error().code(), ErrorCode::kStoreIo);
      EXPECT_EQ(store->SetConfig(1, "{}").error(), seen.error());
    }
    store.reset();
  }
  const std::string found = StateOfFile();
  EXPECT_TRUE(found == after || (!status && found == before_)) << found;
  return fired;
}

TEST_F(SqliteFaults, AChangeIsWholeOrNotAtAllWhicheverCallFails) {
  for (const NamedChange& change : support::Changes()) {
    const std::string after = support::ExpectedState(change.run);
    for (const Harm& harm : Harms()) {
      Fault fault = harm.fault;
      while (RunOnce(change, after, fault)) {
        if (HasFailure()) FAIL() << change.name << ": " << harm.name << ", the " << fault.at;
        fault.at += Stride(harm.stride);
      }
      if (HasFailure()) FAIL() << change.name << ": " << harm.name << ", the " << fault.at;
    }
  }
}

// The commits of a new file before which its log is made longer than it needs to be.
std::vector<CommitNumber> CommitsAfterFilling(const std::string& path, CommitNumber commits) {
  support::MakeSample(path, 0);
  const auto store = OpenOrFail(path, kWrite);
  std::vector<CommitNumber> found;
  std::uintmax_t bytes = 0;
  for (CommitNumber n = 1; n <= commits; ++n) {
    EXPECT_TRUE(support::AppendSample(*store, 1, n).has_value());
    const std::uintmax_t now = std::filesystem::file_size(path + "-wal");
    if (now > bytes + 40'000) found.push_back(n);
    bytes = now;
  }
  return found;
}

TEST_F(SqliteFaults, ACommitDoesNotNeedTheLogToBeMadeLongerAhead) {
  const std::vector<CommitNumber> after = CommitsAfterFilling(folder().path("b"), 100);
  ASSERT_GE(after.size(), 2u);
  for (const FileCall call : {FileCall::kSize, FileCall::kWrite}) {
    const std::string path = folder().path(call == FileCall::kSize ? "c" : "d");
    support::MakeSample(path, 0);
    const auto store = OpenOrFail(path, kWrite);
    for (CommitNumber n = 1; n <= after[0]; ++n) {
      std::optional<WithFault> fault;
      if (n == after[0]) fault.emplace(Fault{.only = call, .system_error = ENOSPC});
      ASSERT_TRUE(support::AppendSample(*store, 1, n).has_value());
      ASSERT_TRUE(!fault || fault->fired() == 1);
    }
    EXPECT_TRUE(support::AppendSample(*store, 1, after[0] + 1).has_value());
    EXPECT_TRUE(store->Verify({}).value().empty());
  }
}

TEST_F(SqliteFaults, AReadFailsOrAnswersTheTruth) {
  for (const support::NamedRead& read : support::Reads()) {
    const std::string truth = read.run(*OpenOrFail(path(), kRead)).value();
    for (const Lever lever : {Lever::kFile, Lever::kStatement, Lever::kPrepare}) {
      Fault fault{.lever = lever};
      for (bool fired = true; fired; fault.at += Stride(1)) {
        const auto store = OpenOrFail(path(), kRead);
        Result<std::string> answer = "";
        {
          const WithFault now(fault);
          answer = read.run(*store);
          fired = now.fired() > 0;
        }
        if (answer) {
          ASSERT_EQ(*answer, truth) << read.name << " " << fault.at;
        } else {
          ASSERT_TRUE(fired && IsStoreError(answer.error())) << read.name << " " << fault.at;
        }
        // It was the call that failed, not the store.
        ASSERT_EQ(read.run(*store).value_or("an error"), truth) << read.name << " " << fault.at;
      }
    }
  }
}

TEST_F(SqliteFaults, ACheckThatCouldNotReadDoesNotSayThatAllIsWell) {
  for (const Lever lever : {Lever::kStatement, Lever::kPrepare}) {
    Fault fault{.lever = lever};
    for (bool fired = true; fired; fault.at += Stride(1)) {
      const auto store = OpenOrFail(path(), kRead);
      const WithFault now(fault);
      const auto problems = store->Verify({});
      fired = now.fired() > 0;
      ASSERT_EQ(!problems || !problems->empty(), fired) << fault.at;
    }
  }
}

// Opens with each fault in turn; afterwards the file must be as `state` says.
void SweepOpening(const std::function<void()>& restore, const std::string& path, StoreAccess access,
                  const std::function<std::string()>& state, const std::string& expected) {
  for (const Harm& harm : Harms()) {
    Fault fault = harm.fault;
    for (bool fired = true; fired; fault.at += Stride(harm.stride)) {
      restore();
      {
        const WithFault now(fault);
        const auto store = OpenSqliteStore(path, access);
        fired = now.fired() > 0;
        ASSERT_TRUE(store || fired) << harm.name << " " << fault.at;
        if (!store) {
          ASSERT_TRUE(IsStoreError(store.error())) << store.error().message();
        }
      }
      ASSERT_FALSE(std::filesystem::exists(sqlite::DraftOf(path))) << harm.name << " " << fault.at;
      ASSERT_FALSE(std::filesystem::exists(path + "-lock")) << harm.name << " " << fault.at;
      ASSERT_EQ(state(), expected) << harm.name << " " << fault.at;
    }
  }
}

TEST_F(SqliteFaults, OpeningFailsOrNotAndTheFileKeepsWhatIsInItsLog) {
  // A writer that was killed: the files as they are while it has them open.
  std::string file;
  std::string log;
  {
    const auto store = OpenOrFail(path(), kWrite);
    ASSERT_TRUE(support::AppendRich(*store, 1, 7, 9000, {2}).has_value());
    file = support::ReadFile(path());
    log = support::ReadFile(path() + "-wal");
  }
  ASSERT_FALSE(log.empty());
  const std::string expected = support::ExpectedState(
      [](Store& store) { return support::AppendRich(store, 1, 7, 9000, {2}); });
  const auto restore = [&] {
    Restore();
    std::filesystem::remove(path());
    support::WriteFile(path(), file);
    support::WriteFile(path() + "-wal", log);
  };
  for (const StoreAccess access : {kRead, kWrite}) {
    SweepOpening(restore, path(), access, [this] { return StateOfFile(); }, expected);
  }
}

TEST_F(SqliteFaults, AFileThatCannotBeMadeIsNotThereOrIsWhole) {
  const std::string fresh = folder().path("fresh");
  const auto restore = [&] {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(fresh + suffix);
  };
  const auto state = [&]() -> std::string {
    const auto store = OpenOrFail(fresh, kCreate);
    return std::to_string(store->ListContexts()->size() + store->Verify({})->size());
  };
  SweepOpening(restore, fresh, kCreate, state, "0");
}

TEST_F(SqliteFaults, ABackupThatFailsLeavesNothing) {
  const std::string copy = folder().path("copy");
  const auto source = OpenOrFail(path(), kWrite);
  for (const Harm& harm : Harms()) {
    Fault fault = harm.fault;
    for (bool fired = true; fired; fault.at += Stride(harm.stride)) {
      Status status;
      {
        const WithFault now(fault);
        status = source->Backup(copy, {});
        fired = now.fired() > 0;
      }
      ASSERT_TRUE(status || fired);
      ASSERT_FALSE(std::filesystem::exists(sqlite::DraftOf(copy)));
      ASSERT_EQ(std::filesystem::exists(copy), status.has_value()) << harm.name << " " << fault.at;
      if (status) {
        const auto store = OpenOrFail(copy, kWrite);
        ASSERT_EQ(store->Verify({})->size(), 0);
        ASSERT_EQ(support::DescribeState(*store).value(), before());
      }
      std::filesystem::remove(copy);
    }
  }
  // The one that was copied did not suffer.
  EXPECT_EQ(support::DescribeState(*source).value(), before());
}

// A commit so large that the log is moved into the file after it.
Status AppendLarge(Store& store) {
  return support::AppendRich(store, 1, 7, 5'000'000);
}

TEST_F(SqliteFaults, WithoutRoomForTheLogInTheFileTheCommitStandsAndTheStoreGoesOn) {
  auto store = OpenOrFail(path(), kWrite);
  {
    const WithFault now(
        {.lasts = true, .only = FileCall::kWrite, .main_file = true, .system_error = ENOSPC});
    ASSERT_TRUE(AppendLarge(*store).has_value());
    EXPECT_GT(now.fired(), 0);
    EXPECT_TRUE(support::AppendRich(*store, 1, 8, 60).has_value());
  }
  EXPECT_TRUE(support::AppendRich(*store, 1, 9, 60).has_value());
  store.reset();
  EXPECT_EQ(OpenOrFail(path(), kRead)->GetContext(1)->head, 9);
}

TEST_F(SqliteFaults, AfterAFailedSyncTheStoreAnswersNothingUntilItIsOpenedAgain) {
  for (const FileCall call : {FileCall::kWrite, FileCall::kSync}) {
    Restore();
    auto store = OpenOrFail(path(), kWrite);
    {
      const WithFault now({.only = call, .main_file = true});
      // The log was synced before: the commit stands.
      ASSERT_TRUE(AppendLarge(*store).has_value());
      ASSERT_EQ(now.fired(), 1);
    }
    const Status next = support::AppendRich(*store, 1, 8, 60);
    ASSERT_FALSE(next.has_value());
    EXPECT_EQ(next.error().code(), ErrorCode::kStoreIo);
    EXPECT_EQ(store->ListContexts().error(), next.error());
    EXPECT_EQ(store->ReadRecord({1, 1}).error(), next.error());
    EXPECT_EQ(store->Stats().error(), next.error());
    EXPECT_EQ(store->Verify({}).error(), next.error());
    EXPECT_EQ(store->FindCycle(1, 1).error(), next.error());
    EXPECT_EQ(store->BeginReads().error(), next.error());
    EXPECT_EQ(store->BeginBatch(Durability::kFull).error(), next.error());
    EXPECT_EQ(store->Compact().error(), next.error());
    EXPECT_EQ(store->Backup(folder().path("copy"), {}).error(), next.error());
    store.reset();
    EXPECT_EQ(OpenOrFail(path(), kRead)->GetContext(1)->head, 7);
  }
}

}  // namespace
}  // namespace pactdb
