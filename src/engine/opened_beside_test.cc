// A file is opened and read while somebody else commits to it, between any two calls of the store:
// every answer is that of one moment.
#include <gtest/gtest.h>
#include <pactdb/exec.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "support/contexts.h"
#include "support/failing_store.h"
#include "support/folder.h"

namespace pactdb {
namespace {

using support::FailingStore;
using support::Folder;
using support::Must;
using support::StoreFault;

// What somebody who opens the file for reading is answered.
std::vector<std::string> Answers(Database& database) {
  Context& context = *Must(database.Find("main"));
  const RetentionRules rules{.keep_last = 1, .older_than = std::nullopt};
  const RetentionResult plan = Must(database.Gc("main", rules, /*dry_run=*/true));
  return {Must(context.Render()).body, Must(context.Log()),
          std::to_string(plan.snapshots) + " snapshots, " + std::to_string(plan.bytes)};
}

class Writer {
 public:
  explicit Writer(const std::string& path)
      : database_(Must(Database::Open(path, Access::kCreate))),
        context_(*Must(database_.Find("main"))) {
    Options options;
    options.clock = SteppedClockOptions{.start_ns = 1'000, .step_ns = 1};
    options.journal = true;
    Must(context_.Configure(options));
    Add();
    Commit();
    Add();
  }
  // The edit before is in the snapshot, the edit after is one on it.
  void GoOn() {
    Commit();
    Add();
  }

 private:
  void Add() {
    Must(context_.Add(NodeSpec().Role("user").Text("turn " + std::to_string(++turn_))));
  }
  void Commit() { Must(context_.Commit()); }

  Database database_;
  Context& context_;
  int turn_ = 0;
};

TEST(OpenedBeside, AnswersAreOfOneMomentWhateverIsCommittedBetweenTheCalls) {
  int calls = 1;
  for (int at = 1; at <= calls; ++at) {
    const Folder folder;
    const std::string path = folder.path("a.pactdb");
    Writer writer(path);
    const auto fault = std::make_shared<StoreFault>();
    const auto answers = [&] {
      Database reader = Must(Database::Over(
          std::make_unique<FailingStore>(Must(OpenSqliteStore(path, StoreAccess::kRead)), fault)));
      return Answers(reader);
    };
    const std::vector<std::string> before = answers();
    fault->calls = 0;
    fault->at = at;
    fault->meanwhile = [&writer] { writer.GoOn(); };
    const std::vector<std::string> beside = answers();
    calls = fault->calls;
    fault->Mend();
    const std::vector<std::string> after = answers();
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_NE(before[i], after[i]);
      EXPECT_TRUE(beside[i] == before[i] || beside[i] == after[i])
          << "a commit before " << fault->in << ", call " << at << ": " << beside[i];
    }
  }
  EXPECT_GT(calls, 10);
}

}  // namespace
}  // namespace pactdb
