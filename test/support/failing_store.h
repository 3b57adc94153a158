// A store one of whose calls fails: it counts the calls that can fail, and answers the one that was
// asked for with kStoreIo instead of passing it on. What it passes on goes to another store, which
// several of these may share, one after another or, for looking, at once.
//
// Thread safety: as the store; the fault belongs to the thread of the test.
#pragma once

#include <gtest/gtest.h>
#include <pactdb/ext/store.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pactdb::support {

// When a call fails. Shared by the test and the stores it has made.
struct StoreFault {
  int at = 0;            // the call that fails, from 1; 0: none does
  bool lasts = false;    // and all behind it
  bool is_done = false;  // the one call is passed on nevertheless: its answer is lost
  int calls = 0;         // so far
  std::string in;        // the call that failed first; empty: none has
  // Instead of failing: what somebody else does just before that call.
  std::function<void()> meanwhile;

  void Mend() { at = 0; }
  bool Strikes(std::string_view call) {
    ++calls;
    if (at == 0 || (lasts ? calls < at : calls != at)) return false;
    if (in.empty()) in = call;
    if (meanwhile) {
      meanwhile();
      return false;
    }
    return true;
  }
};

class FailingStore final : public Store {
 public:
  FailingStore(std::shared_ptr<Store> store, std::shared_ptr<StoreFault> fault)
      : store_(std::move(store)), fault_(std::move(fault)) {}
  FailingStore(const FailingStore&) = delete;
  FailingStore& operator=(const FailingStore&) = delete;
  // What was begun was ended, whatever failed between.
  ~FailingStore() override {
    EXPECT_FALSE(is_reading_);
    EXPECT_FALSE(is_in_batch_);
  }

  bool read_only() const override { return store_->read_only(); }

  Result<std::vector<StoredContext>> ListContexts() override {
    return Call("ListContexts", [&] { return store_->ListContexts(); });
  }
  Result<std::optional<StoredContext>> FindContext(std::string_view name) override {
    return Call("FindContext", [&] { return store_->FindContext(name); });
  }
  Result<StoredContext> GetContext(ContextNumber number) override {
    return Call("GetContext", [&] { return store_->GetContext(number); });
  }
  Result<StoredContext> CreateContext(std::string_view name, RecordId origin,
                                      std::string_view config) override {
    return Call("CreateContext", [&] { return store_->CreateContext(name, origin, config); });
  }
  Status RenameContext(std::string_view name, std::string_view to) override {
    return Call("RenameContext", [&] { return store_->RenameContext(name, to); });
  }
  Status DeleteContext(std::string_view name) override {
    return Call("DeleteContext", [&] { return store_->DeleteContext(name); });
  }
  Status SetConfig(ContextNumber context, std::string_view config) override {
    return Call("SetConfig", [&] { return store_->SetConfig(context, config); });
  }

  Status Append(const AppendRequest& request) override {
    return Call("Append", [&] { return store_->Append(request); });
  }
  Status BeginBatch(Durability durability) override {
    Status begun = Call("BeginBatch", [&] { return store_->BeginBatch(durability); });
    EXPECT_FALSE(std::exchange(is_in_batch_, begun.has_value()));
    return begun;
  }
  // All or nothing: a batch that cannot be ended is gone.
  Status EndBatch() override {
    EXPECT_TRUE(std::exchange(is_in_batch_, false));
    if (!fault_->Strikes("EndBatch")) return store_->EndBatch();
    store_->AbandonBatch();
    return std::unexpected(Broken("EndBatch"));
  }
  void AbandonBatch() override {
    EXPECT_TRUE(std::exchange(is_in_batch_, false));
    store_->AbandonBatch();
  }
  Result<std::optional<std::string>> FindAnswer(ContextNumber context,
                                                std::string_view key) override {
    return Call("FindAnswer", [&] { return store_->FindAnswer(context, key); });
  }
  Status BeginReads() override {
    Status begun = Call("BeginReads", [&] { return store_->BeginReads(); });
    EXPECT_FALSE(std::exchange(is_reading_, begun.has_value()));
    return begun;
  }
  void EndReads() override {
    EXPECT_TRUE(std::exchange(is_reading_, false));
    store_->EndReads();
  }
  Result<std::string> ReadRecord(RecordId id) override {
    return Call("ReadRecord", [&] { return store_->ReadRecord(id); });
  }
  Result<std::vector<RecordId>> ListRecords() override {
    return Call("ListRecords", [&] { return store_->ListRecords(); });
  }
  Status VisitFacts(ContextNumber context, CommitRange range,
                    const std::function<bool(const CommitFacts&)>& visit) override {
    return Call("VisitFacts", [&] { return store_->VisitFacts(context, range, visit); });
  }
  Result<std::optional<CommitFacts>> FindCycle(ContextNumber context, std::int64_t cycle) override {
    return Call("FindCycle", [&] { return store_->FindCycle(context, cycle); });
  }
  Result<std::vector<CommitRange>> ListGaps(ContextNumber context) override {
    return Call("ListGaps", [&] { return store_->ListGaps(context); });
  }
  Status VisitContents(
      const std::function<void(const ContentHash256&, std::uint64_t)>& visit) override {
    return Call("VisitContents", [&] { return store_->VisitContents(visit); });
  }
  Result<std::string> ReadContent(const ContentHash256& hash) override {
    return Call("ReadContent", [&] { return store_->ReadContent(hash); });
  }
  Result<std::optional<CommitNumber>> FindId(ContextNumber context, std::string_view id) override {
    return Call("FindId", [&] { return store_->FindId(context, id); });
  }

  Status AppendJournal(ContextNumber context, std::span<const std::string> entries) override {
    return Call("AppendJournal", [&] { return store_->AppendJournal(context, entries); });
  }
  Result<std::vector<std::string>> ReadJournal(ContextNumber context) override {
    return Call("ReadJournal", [&] { return store_->ReadJournal(context); });
  }

  Status SetTag(ContextNumber context, const Tag& tag) override {
    return Call("SetTag", [&] { return store_->SetTag(context, tag); });
  }
  Status DeleteTag(ContextNumber context, std::string_view name) override {
    return Call("DeleteTag", [&] { return store_->DeleteTag(context, name); });
  }
  Result<std::vector<Tag>> ListTags(ContextNumber context) override {
    return Call("ListTags", [&] { return store_->ListTags(context); });
  }
  Status PutAttempt(ContextNumber context, std::string_view id, std::string_view json) override {
    return Call("PutAttempt", [&] { return store_->PutAttempt(context, id, json); });
  }
  Result<std::vector<std::string>> ListAttempts(ContextNumber context) override {
    return Call("ListAttempts", [&] { return store_->ListAttempts(context); });
  }

  Status Retire(const RetireRequest& request) override {
    return Call("Retire", [&] { return store_->Retire(request); });
  }
  Status Compact() override {
    return Call("Compact", [&] { return store_->Compact(); });
  }
  Status Backup(const std::string& path, const std::function<void(double)>& progress) override {
    return Call("Backup", [&] { return store_->Backup(path, progress); });
  }
  Result<std::vector<StoreProblem>> Verify(const std::function<void(double)>& progress) override {
    return Call("Verify", [&] { return store_->Verify(progress); });
  }
  Result<std::string> ReadDamagedRecord(RecordId id) override {
    return Call("ReadDamagedRecord", [&] { return store_->ReadDamagedRecord(id); });
  }
  Result<StoreStats> Stats() override {
    return Call("Stats", [&] { return store_->Stats(); });
  }

 private:
  static Error Broken(std::string_view call) {
    return Error(ErrorCode::kStoreIo, "the disk is broken").With("call", call);
  }
  template <typename Pass>
  auto Call(std::string_view call, const Pass& pass) -> decltype(pass()) {
    if (!fault_->Strikes(call)) return pass();
    if (fault_->is_done && fault_->calls == fault_->at) static_cast<void>(pass());
    return std::unexpected(Broken(call));
  }

  std::shared_ptr<Store> store_;
  std::shared_ptr<StoreFault> fault_;
  bool is_reading_ = false;
  bool is_in_batch_ = false;
};

}  // namespace pactdb::support
