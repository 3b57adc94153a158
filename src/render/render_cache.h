// The inside of RenderCache. See pactdb/render.h for what it promises.
//
// Thread safety: any thread; one lock, held for a lookup and never while bytes are copied.
#pragma once

#include <pactdb/render.h>

#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/sha256.h"

namespace pactdb {

class RenderCache::Impl {
 public:
  using Piece = std::shared_ptr<const std::string>;

  explicit Impl(std::size_t budget_bytes) : budget_(budget_bytes) {}

  // A rendering begins. Pieces that neither it nor the one before used may give way.
  void BeginPass();
  // Null if there is none.
  Piece Find(const Digest& key);
  // Keeps a copy if there is room, or can be made.
  void Insert(const Digest& key, std::string_view bytes);

  std::size_t budget() const;
  void SetBudget(std::size_t budget_bytes);
  Stats stats() const;

 private:
  struct Entry {
    Digest key;
    Piece piece;
    std::uint64_t used;  // the last pass that did
  };
  // A digest is as good as random already.
  struct DigestHash {
    std::size_t operator()(const Digest& digest) const {
      std::size_t hash = 0;
      std::memcpy(&hash, digest.data(), sizeof hash);
      return hash;
    }
  };
  using Entries = std::list<Entry>;  // last used first

  // What a piece takes beside its bytes, about.
  static constexpr std::size_t kEntryBytes = 192;
  // A piece that would take more than this part of the budget is not kept.
  static constexpr std::size_t kShareMin = 8;

  Entries::iterator Seek(const Digest& key);
  void PrefetchNext() const;
  void DropLast();

  mutable std::mutex mutex_;
  std::size_t budget_;
  std::size_t bytes_ = 0;
  std::uint64_t pass_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  Entries entries_;
  // Every pass asks in the same order, so what followed the piece that was found last time comes
  // next. It lies in memory behind that one; looking it up by its key would wait for several lines.
  Entries::iterator next_ = entries_.end();
  std::unordered_map<Digest, Entries::iterator, DigestHash> by_key_;
};

}  // namespace pactdb
