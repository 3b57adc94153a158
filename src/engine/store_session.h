// A store that contexts are being read from and written to: the store, the numbers that its records
// have in memory, and the records that were read last.
//
// Thread safety: one thread at a time, as the store.
#pragma once

#include <pactdb/ext/store.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "model/stored_at.h"
#include "model/tree_loader.h"

namespace pactdb {

class StoreSession final : public RecordSource {
 public:
  explicit StoreSession(std::unique_ptr<Store> store) : store_(std::move(store)) {}

  Store& store() { return *store_; }
  RecordNumbers& numbers() { return numbers_; }

  Result<const StoredRecord*> Record(const RecordId& id) override;
  Result<std::string> Content(const Digest& hash) override { return store_->ReadContent(hash); }
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

  // Retention may have rewritten records.
  void ForgetRecords();

 private:
  // A tree is read nearly in the order of its records; what is asked for twice is asked for soon.
  static constexpr std::size_t kKept = 64;

  void EndReads();

  std::unique_ptr<Store> store_;
  int reads_ = 0;  // how deep
  RecordNumbers numbers_;
  std::array<std::optional<StoredRecord>, kKept> records_;
};

}  // namespace pactdb
