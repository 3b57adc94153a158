// Random numbers that are the same on every machine: a failing seed replays exactly. (The
// standard's distributions are not; its engines are.) A fuzzer gives the numbers themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace pactdb::support {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  // A byte a number, then zeros.
  explicit Random(std::span<const std::uint8_t> bytes) : engine_(0), bytes_(bytes) {}

  bool is_used_up() const { return bytes_ && bytes_->empty(); }

  // 0 .. bound - 1. REQUIRES: bound > 0.
  std::size_t Below(std::size_t bound) { return static_cast<std::size_t>(Next() % bound); }
  // first .. last.
  std::int64_t Between(std::int64_t first, std::int64_t last) {
    const auto span = static_cast<std::uint64_t>(last - first) + 1;
    return first + static_cast<std::int64_t>(Next() % span);
  }
  bool Chance(unsigned percent) { return Next() % 100 < percent; }

  // REQUIRES: not empty.
  template <typename T>
  const T& Pick(const std::vector<T>& items) {
    return items[Below(items.size())];
  }
  template <typename T>
  void Shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[Below(i)]);
  }

 private:
  std::uint64_t Next() {
    if (!bytes_) return engine_();
    if (bytes_->empty()) return 0;
    const std::uint8_t next = bytes_->front();
    bytes_ = bytes_->subspan(1);
    return next;
  }

  std::mt19937_64 engine_;
  std::optional<std::span<const std::uint8_t>> bytes_;
};

}  // namespace pactdb::support
