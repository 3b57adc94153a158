#include "render/render_cache.h"

namespace pactdb {

void RenderCache::Impl::BeginPass() {
  const std::lock_guard lock(mutex_);
  ++pass_;
}

RenderCache::Impl::Piece RenderCache::Impl::Find(const Digest& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) {
    ++misses_;
    return nullptr;
  }
  ++hits_;
  found->second->used = pass_;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->piece;
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
