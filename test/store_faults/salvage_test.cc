// Salvaging with failing calls: it fails and leaves nothing behind, or it says what it may have
// lost. The damaged file is never touched.
#include <gtest/gtest.h>
#include <pactdb/ext/store.h>

#include <algorithm>
#include <filesystem>

#include "store/sqlite/salvage.h"
#include "store_faults/faults.h"
#include "store_faults/scenario.h"
#include "support/folder.h"
#include "support/store_requests.h"

namespace pactdb::sqlite {
namespace {

using support::Fault;
using support::FileCall;
using support::Folder;
using support::Lever;
using support::OpenOrFail;
using support::WithFault;

// What says that everything is there: the store itself, of which nothing is damaged.
Settlement SettlementOf(Store& store) {
  Settlement settlement;
  for (ContextNumber number = 1; number <= 4; ++number) {
    settlement.contexts.push_back({.context = store.GetContext(number).value(),
                                   .gaps = store.ListGaps(number).value(),
                                   .tags = store.ListTags(number).value()});
  }
  return settlement;
}

bool SaysThatSomethingIsLost(const Salvaged& salvaged) {
  return !salvaged.losses.empty() || !salvaged.damaged.empty() || !salvaged.unknown.empty() ||
         !salvaged.without_facts.empty();
}

class SqliteSalvageFaults : public testing::Test {
 protected:
  SqliteSalvageFaults() {
    const auto store = OpenOrFail(from(), StoreAccess::kCreate);
    EXPECT_TRUE(support::Fill(*store).has_value());
    settlement_ = SettlementOf(*store);
    state_ = support::DescribeState(*store).value();
  }

  std::string from() const { return folder_.path("from"); }
  std::string to() const { return folder_.path("to"); }
  const std::string& state() const { return state_; }
  const Settlement& settlement() const { return settlement_; }

  std::size_t CountFiles() const {
    const std::filesystem::directory_iterator files(folder_.path());
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  // Settles what was salvaged as if nothing had been lost, and reads it.
  std::string SettleAndRead(const Settlement& settlement) const {
    EXPECT_TRUE(SettleRows(DraftOf(to()), settlement).has_value());
    EXPECT_TRUE(PlaceDraft(to()).has_value());
    const auto store = OpenOrFail(to(), StoreAccess::kWrite);
    EXPECT_EQ(store->Verify({})->size(), 0);
    return support::DescribeState(*store).value();
  }

  // False if there are fewer calls than that.
  bool RunOnce(const Fault& fault) const {
    const std::string before = support::ReadFile(from());
    Result<Salvaged> salvaged = Salvaged();
    bool fired = false;
    {
      const WithFault now(fault);
      salvaged = SalvageRows(from(), to(), {});
      fired = now.fired() > 0;
    }
    EXPECT_EQ(support::ReadFile(from()), before);
    if (!salvaged) {
      EXPECT_TRUE(fired);
      EXPECT_EQ(CountFiles(), 1);
      return fired;
    }
    if (!SaysThatSomethingIsLost(*salvaged)) {
      EXPECT_EQ(SettleAndRead(settlement_), state_);
    }
    RemoveDraft(to());
    std::filesystem::remove(to());
    EXPECT_EQ(CountFiles(), 1);
    return fired;
  }

  void Sweep(std::int64_t usual) const {
    for (const Lever lever : {Lever::kFile, Lever::kStatement, Lever::kPrepare}) {
      for (const bool lasts : {false, true}) {
        Fault fault{.lever = lever, .lasts = lasts};
        const std::int64_t stride = lasts ? 17 : lever == Lever::kStatement ? 1 : 3;
        while (RunOnce(fault)) {
          if (HasFailure()) FAIL() << static_cast<int>(lever) << " " << fault.at;
          fault.at += support::Stride(stride * usual);
        }
      }
    }
  }

 private:
  Folder folder_;
  Settlement settlement_;
  std::string state_;
};

TEST_F(SqliteSalvageFaults, SalvagesAllOfAWholeFileOrSaysThatItDidNot) {
  EXPECT_FALSE(RunOnce({.at = 1'000'000}));
  Sweep(1);
}

TEST_F(SqliteSalvageFaults, SalvagesAFileWithoutItsFirstPageOrSaysThatItDidNot) {
  std::string bytes = support::ReadFile(from());
  bytes.replace(0, 4096, 4096, '\0');
  support::WriteFile(from(), bytes);
  // Long: much of it is making a new file.
  Sweep(3);
}

TEST_F(SqliteSalvageFaults, APartOfTheDiskThatCannotBeReadIsLostAndNamed) {
  const WithFault now({.at = 5, .only = FileCall::kRead, .main_file = true});
  const auto salvaged = SalvageRows(from(), to(), {});
  ASSERT_TRUE(salvaged.has_value());
  EXPECT_EQ(now.fired(), 1);
  EXPECT_EQ(std::ranges::count(salvaged->losses, "a part of the file cannot be read"), 1);
}

// A settlement that takes much: a row without facts, a lost one, a context that is not needed.
Settlement HarshSettlement(Settlement settlement) {
  SettledContext& main = settlement.contexts[0];
  main.gaps = {{3, 4}};
  main.lost = {{4, 4}};
  main.keeps_journal = false;
  main.ids = {{5, "id-found"}};
  settlement.contexts[1].stays = false;
  settlement.dropped = {{1, 4}, {2, 1}};
  settlement.cycles = {{{1, 3}, 3}};
  return settlement;
}

TEST_F(SqliteSalvageFaults, ASettlementThatFailedCanBeMadeAgain) {
  std::string bytes = support::ReadFile(from());
  // A byte of the facts of commit 3, which is in a gap.
  const std::size_t at = bytes.find(std::string(32, '\x03'));
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'x';
  support::WriteFile(from(), bytes);
  const auto salvaged = SalvageRows(from(), to(), {});
  ASSERT_TRUE(salvaged.has_value());
  EXPECT_EQ(salvaged->without_facts, (std::set<RecordId>{{1, 3}}));
  const std::string draft = support::ReadFile(DraftOf(to()));
  const Settlement harsh = HarshSettlement(settlement());
  const std::string settled = SettleAndRead(harsh);
  {
    const auto store = OpenOrFail(to(), StoreAccess::kRead);
    EXPECT_EQ(store->ListContexts()->size(), 2);
    EXPECT_EQ(store->ReadRecord({1, 4}).error().code(), ErrorCode::kSnapshotNotFound);
    EXPECT_EQ(store->FindAnswer(1, "key-1-4"), std::nullopt);
    EXPECT_EQ(store->FindAnswer(1, "key-1-5"), "answer");
    EXPECT_EQ(store->FindId(1, "id-found"), 5);
    EXPECT_TRUE(store->ReadJournal(1)->empty());
  }
  for (const Lever lever : {Lever::kFile, Lever::kStatement, Lever::kPrepare}) {
    Fault fault{.lever = lever};
    const std::int64_t stride = lever == Lever::kStatement ? 1 : 5;
    for (bool fired = true; fired; fault.at += support::Stride(stride)) {
      std::filesystem::remove(to());
      support::WriteFile(DraftOf(to()), draft);
      {
        const WithFault now(fault);
        const Status status = SettleRows(DraftOf(to()), harsh);
        fired = now.fired() > 0;
        ASSERT_TRUE(fired || status);
      }
      ASSERT_EQ(SettleAndRead(harsh), settled) << fault.at;
    }
  }
}

}  // namespace
}  // namespace pactdb::sqlite
