#include "render/render_cache.h"

#include <iterator>

namespace pactdb {

void RenderCache::Impl::BeginPass() {
  const std::lock_guard lock(mutex_);
  ++pass_;
}

RenderCache::Impl::Entries::iterator RenderCache::Impl::Seek(const Digest& key) {
  if (next_ != entries_.end() && next_->key == key) return next_;
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? entries_.end() : found->second;
}

// While the caller copies a piece, what the next one is read from comes from memory, and the entry
// of the one behind it, which tells where that is.
void RenderCache::Impl::PrefetchNext() const {
  if (next_ == entries_.end()) return;
  __builtin_prefetch(next_->piece.get());
  if (next_ == entries_.begin()) return;
  const char* const entry = reinterpret_cast<const char*>(&*std::prev(next_));
  __builtin_prefetch(entry);
  __builtin_prefetch(entry + sizeof(Entry) - 1);
}

RenderCache::Impl::Piece RenderCache::Impl::Find(const Digest& key) {
  const std::lock_guard lock(mutex_);
  const auto found = Seek(key);
  if (found == entries_.end()) {
    ++misses_;
    return nullptr;
  }
  ++hits_;
  found->used = pass_;
  next_ = found == entries_.begin() ? entries_.end() : std::prev(found);
  entries_.splice(entries_.begin(), entries_, found);
  PrefetchNext();
  return found->piece;
}

void RenderCache::Impl::Insert(const Digest& key, std::string_view bytes) {
  const std::size_t size = bytes.size() + kEntryBytes;
  {
    const std::lock_guard lock(mutex_);
    if (size > budget_ / kShareMin || by_key_.contains(key)) return;
    while (bytes_ + size > budget_) {
      if (entries_.back().used + 1 >= pass_) return;
      DropLast();
    }
    bytes_ += size;  // taken now, so that others do not take it while the bytes are copied
  }
  auto piece = std::make_shared<const std::string>(bytes);
  const std::lock_guard lock(mutex_);
  // Another thread may have rendered the same turns meanwhile; its piece has the same bytes.
  if (by_key_.contains(key)) {
    bytes_ -= size;
    return;
  }
  entries_.push_front({key, std::move(piece), pass_});
  by_key_.emplace(key, entries_.begin());
}

void RenderCache::Impl::DropLast() {
  if (next_ == std::prev(entries_.end())) next_ = entries_.end();
  bytes_ -= entries_.back().piece->size() + kEntryBytes;
  by_key_.erase(entries_.back().key);
  entries_.pop_back();
}

std::size_t RenderCache::Impl::budget() const {
  const std::lock_guard lock(mutex_);
  return budget_;
}

void RenderCache::Impl::SetBudget(std::size_t budget_bytes) {
  const std::lock_guard lock(mutex_);
  budget_ = budget_bytes;
  while (bytes_ > budget_ && !entries_.empty()) DropLast();
}

RenderCache::Stats RenderCache::Impl::stats() const {
  const std::lock_guard lock(mutex_);
  return {bytes_, entries_.size(), hits_, misses_};
}

RenderCache::RenderCache(std::size_t budget_bytes) : impl_(std::make_unique<Impl>(budget_bytes)) {}
RenderCache::~RenderCache() = default;
std::size_t RenderCache::budget_bytes() const {
  return impl_->budget();
}
void RenderCache::SetBudget(std::size_t budget_bytes) {
  impl_->SetBudget(budget_bytes);
}
RenderCache::Stats RenderCache::stats() const {
  return impl_->stats();
}

}  // namespace pactdb
