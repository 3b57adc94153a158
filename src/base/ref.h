// Intrusive reference counting for the pieces of persistent trees.
//
// The count is what makes copy-on-write cheap: a piece whose whole path from the root is held once
// may be changed in place; a shared one is copied first. Only the writer and the last holder of a
// snapshot touch counts. Readers walk raw pointers under a snapshot they hold.
//
// A counted type has `mutable std::atomic<std::uint32_t> refs` starting at 1 and a static `void
// Destroy(T*)`.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace pactdb {

template <typename T>
void Retain(T* object) {
  if (object != nullptr) object->refs.fetch_add(1, std::memory_order_relaxed);
}

template <typename T>
void Release(T* object) {
  if (object != nullptr && object->refs.fetch_sub(1, std::memory_order_acq_rel) == 1)
    T::Destroy(object);
}

// True if the caller holds the only reference.
template <typename T>
bool IsUnique(const T* object) {
  return object->refs.load(std::memory_order_acquire) == 1;
}

template <typename T>
class Ref {
 public:
  Ref() = default;
  // Takes over one reference.
  static Ref Adopt(T* object) { return Ref(object); }
  // Adds one reference.
  static Ref Share(T* object) {
    Retain(object);
    return Ref(object);
  }
  Ref(const Ref& other) : object_(other.object_) { Retain(object_); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Release(object_); }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  // Gives up the reference to the caller.
  T* Detach() { return std::exchange(object_, nullptr); }

 private:
  explicit Ref(T* object) : object_(object) {}
  T* object_ = nullptr;
};

}  // namespace pactdb
