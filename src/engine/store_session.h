// A store that contexts are being read from and written to: the store, the numbers that its records
// have in memory, and the records that were read last.
//
// Thread safety: one thread at a time, as the store. While records are read ahead, only Record and
// Content are called.
#pragma once

#include <pactdb/ext/store.h>

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/records_ahead.h"
#include "model/stored_at.h"
#include "model/tree_loader.h"

namespace pactdb {

class StoreSession final : public RecordSource {
 public:
  explicit StoreSession(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  Store& store() { return *store_; }
  RecordNumbers& numbers() { return numbers_; }

  Result<const StoredRecord*> Record(const RecordId& id) override;
  Result<std::string> Content(const Digest& hash) override;

  // Around loading many: one state, and cheaper. Nests.
  class Reads {
   public:
    static Result<Reads> Begin(StoreSession& session);
    ~Reads() {
      if (session_ != nullptr) session_->EndReads();
    }
    Reads(Reads&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {}
    Reads(const Reads&) = delete;
    Reads& operator=(Reads&&) = delete;

   private:
    explicit Reads(StoreSession* session) : session_(session) {}
    StoreSession* session_;
  };

  // Changes until End are one step in the store; none of them if that is not reached. Nests: a
  // part ends with the whole, and must not fail unless that fails too.
  class Batch {
   public:
    static Result<Batch> Begin(StoreSession& session, Durability durability);
    Status End();
    ~Batch();
    Batch(Batch&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {}
    Batch(const Batch&) = delete;
    Batch& operator=(Batch&&) = delete;

   private:
    explicit Batch(StoreSession* session) : session_(session) {}
    StoreSession* session_;
  };
  bool is_in_batch() const { return batches_ > 0; }

  // From now on until the end of the answer's life another thread reads these records ahead, if
  // they are so many that it pays. REQUIRES: inside Reads, and nobody else does.
  class ReadingAhead {
   public:
    ReadingAhead(StoreSession& session, ContextNumber context, CommitRange commits);
    ~ReadingAhead() { session_.ahead_.reset(); }
    ReadingAhead(const ReadingAhead&) = delete;
    ReadingAhead& operator=(const ReadingAhead&) = delete;

   private:
    StoreSession& session_;
  };

  // Retention may have rewritten records.
  void ForgetRecords();

 private:
  // A tree is read nearly in the order of its records; what is asked for twice is asked for soon.
  static constexpr std::size_t kKept = 64;
  // Fewer are read before a thread has started.
  static constexpr CommitNumber kWorthAThread = 1'000;

  void EndReads();
  Result<StoredRecord> ReadRecord(const RecordId& id);

  std::unique_ptr<Store> store_;
  std::mutex store_mutex_;  // while records are read ahead
  int reads_ = 0;           // how deep
  int batches_ = 0;         // how deep
  RecordNumbers numbers_;
  std::array<std::optional<StoredRecord>, kKept> records_;
  std::optional<RecordsAhead> ahead_;
};

}  // namespace pactdb
