#include "diff/align.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace pactdb::diff {
namespace {

// A part of the problem: items [older_start, older_end) against [newer_start, newer_end).
using Box = Change;
using Items = std::span<const std::string_view>;

Box Trimmed(Box box, auto&& is_equal, auto&& on_kept) {
  while (box.older_start < box.older_end && box.newer_start < box.newer_end &&
         is_equal(box.older_start, box.newer_start)) {
    on_kept(box.older_start++, box.newer_start++);
  }
  while (box.older_start < box.older_end && box.newer_start < box.newer_end &&
         is_equal(box.older_end - 1, box.newer_end - 1)) {
    on_kept(--box.older_end, --box.newer_end);
  }
  return box;
}

// One side's items that the other side has too, as numbers: equal items, equal numbers.
struct Side {
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint32_t> places;  // where in the sequence
};

// Sorting takes O(n log n) on any input; a hash table would need a seed to promise that.
std::pair<Side, Side> Number(Items older, Items newer, const Box& box) {
  struct Place {
    std::string_view text;
    std::uint32_t at;
    bool is_newer;
  };
  std::vector<Place> sorted;
  sorted.reserve(box.older_end - box.older_start + box.newer_end - box.newer_start);
  for (std::size_t i = box.older_start; i < box.older_end; ++i)
    sorted.push_back({older[i], static_cast<std::uint32_t>(i), false});
  for (std::size_t i = box.newer_start; i < box.newer_end; ++i)
    sorted.push_back({newer[i], static_cast<std::uint32_t>(i), true});
  std::ranges::sort(sorted, {}, [](const Place& place) {
    return std::tuple(place.text, place.is_newer, place.at);
  });
  constexpr std::uint32_t kAlone = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> older_numbers(older.size(), kAlone);
  std::vector<std::uint32_t> newer_numbers(newer.size(), kAlone);
  std::uint32_t number = 0;
  for (auto from = sorted.begin(); from != sorted.end(); ++number) {
    const auto to = std::find_if(from, sorted.end(),
                                 [&from](const Place& place) { return place.text != from->text; });
    const bool is_shared = !from->is_newer && (to - 1)->is_newer;
    for (; from != to; ++from) {
      if (is_shared) (from->is_newer ? newer_numbers : older_numbers)[from->at] = number;
    }
  }
  const auto gather = [](const std::vector<std::uint32_t>& numbers) {
    Side side;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == kAlone) continue;
      side.numbers.push_back(numbers[i]);
      side.places.push_back(static_cast<std::uint32_t>(i));
    }
    return side;
  };
  return {gather(older_numbers), gather(newer_numbers)};
}

// A path from a corner of a box: on each diagonal (older index - newer index) how far it came.
// Diagonals are counted from that of the corner.
class Front {
 public:
  explicit Front(std::size_t cost_max)
      : middle_(static_cast<std::ptrdiff_t>(cost_max) + 1), reached_(2 * cost_max + 3) {}
  std::ptrdiff_t& operator[](std::ptrdiff_t diagonal) {
    return reached_[static_cast<std::size_t>(diagonal + middle_)];
  }

 private:
  std::ptrdiff_t middle_;
  std::vector<std::ptrdiff_t> reached_;
};

class Search {
 public:
  Search(const Side& older, const Side& newer, const AlignBounds& bounds)
      : older_(older.numbers),
        newer_(newer.numbers),
        cost_max_(bounds.cost_max),
        steps_left_(bounds.steps_max),
        ahead_(bounds.cost_max),
        back_(bounds.cost_max) {}

  // Calls on_kept(older index, newer index) for each pair of the two sides, in any order.
  template <typename OnKept>
  void Run(OnKept&& on_kept) {
    std::vector<Box> open = {{0, older_.size(), 0, newer_.size()}};
    while (!open.empty()) {
      const Box whole = open.back();
      open.pop_back();
      const Box box = Trimmed(
          whole, [this](std::size_t a, std::size_t b) { return older_[a] == newer_[b]; }, on_kept);
      if (box.older_start == box.older_end || box.newer_start == box.newer_end) continue;
      const auto [x, y] = Split(box);
      const Box first{box.older_start, x, box.newer_start, y};
      const Box second{x, box.older_end, y, box.newer_end};
      if (first == box || second == box) continue;  // nothing was found: replaced
      open.push_back(second);
      open.push_back(first);
    }
  }

 private:
  struct Point {
    std::size_t older;
    std::size_t newer;
  };

  // A point that a shortest path through the box crosses, or a good one; a corner if the steps are
  // used up. REQUIRES: both sides nonempty, first items and last items differ.
  Point Split(const Box& box) {
    const auto n = static_cast<std::ptrdiff_t>(box.older_end - box.older_start);
    const auto m = static_cast<std::ptrdiff_t>(box.newer_end - box.newer_start);
    const std::ptrdiff_t delta = n - m;  // the diagonal of the far corner
    const bool is_odd = (delta & 1) != 0;
    const auto point = [&box](std::ptrdiff_t x, std::ptrdiff_t diagonal) {
      return Point{box.older_start + static_cast<std::size_t>(x),
                   box.newer_start + static_cast<std::size_t>(x - diagonal)};
    };
    for (std::ptrdiff_t cost = 0;; ++cost) {
      // Diagonals outside the box lead nowhere.
      for (std::ptrdiff_t k = cost; k >= -cost; k -= 2) {
        if (k > n || k < -m) continue;
        const std::ptrdiff_t x = Ahead(box, k, cost, n, m);
        const std::ptrdiff_t other = k - delta;  // the same diagonal, counted from the far corner
        if (is_odd && other > -cost && other < cost && back_[other] <= x) return point(x, k);
      }
      for (std::ptrdiff_t k = -cost; k <= cost; k += 2) {
        if (k > m || k < -n) continue;
        const std::ptrdiff_t x = Back(box, k, cost, n, m, delta);
        const std::ptrdiff_t other = k + delta;
        if (!is_odd && other >= -cost && other <= cost && ahead_[other] >= x)
          return point(x, other);
      }
      if (steps_left_ == 0) return {box.older_start, box.newer_start};
      if (static_cast<std::size_t>(cost) == cost_max_) return Furthest(box, cost, n, m);
    }
  }

  // The furthest point on the diagonal at this cost, from the near corner.
  std::ptrdiff_t Ahead(const Box& box, std::ptrdiff_t k, std::ptrdiff_t cost, std::ptrdiff_t n,
                       std::ptrdiff_t m) {
    const std::ptrdiff_t below = Inside(k - 1, cost, n, m) ? ahead_[k - 1] + 1 : kNowhere;
    const std::ptrdiff_t above = Inside(k + 1, cost, n, m) ? ahead_[k + 1] : kNowhere;
    std::ptrdiff_t x = cost == 0 ? 0 : std::max(below, above);
    const std::ptrdiff_t from = x;
    while (x < n && x - k < m &&
           older_[box.older_start + static_cast<std::size_t>(x)] ==
               newer_[box.newer_start + static_cast<std::size_t>(x - k)]) {
      ++x;
    }
    Spend(x - from);
    return ahead_[k] = x;
  }

  // The same from the far corner; `k` is counted from its diagonal.
  std::ptrdiff_t Back(const Box& box, std::ptrdiff_t k, std::ptrdiff_t cost, std::ptrdiff_t n,
                      std::ptrdiff_t m, std::ptrdiff_t delta) {
    const std::ptrdiff_t below = Inside(k - 1, cost, m, n) ? back_[k - 1] : kBeyond;
    const std::ptrdiff_t above = Inside(k + 1, cost, m, n) ? back_[k + 1] - 1 : kBeyond;
    std::ptrdiff_t x = cost == 0 ? n : std::min(below, above);
    const std::ptrdiff_t from = x;
    while (x > 0 && x - k - delta > 0 &&
           older_[box.older_start + static_cast<std::size_t>(x) - 1] ==
               newer_[box.newer_start + static_cast<std::size_t>(x - k - delta) - 1]) {
      --x;
    }
    Spend(from - x);
    return back_[k] = x;
  }

  // True if the diagonal was reached at the cost before: from -(cost - 1) to cost - 1, in the box.
  static bool Inside(std::ptrdiff_t k, std::ptrdiff_t cost, std::ptrdiff_t right,
                     std::ptrdiff_t left) {
    return k > -cost && k < cost && k <= right && k >= -left;
  }

  // Of all points reached, the one that has most behind it.
  Point Furthest(const Box& box, std::ptrdiff_t cost, std::ptrdiff_t n, std::ptrdiff_t m) {
    const std::ptrdiff_t delta = n - m;
    std::ptrdiff_t best = -1;
    Point point{box.older_start, box.newer_start};
    const auto offer = [&](std::ptrdiff_t x, std::ptrdiff_t y, std::ptrdiff_t behind) {
      if (x < 0 || y < 0 || x > n || y > m || behind <= best) return;
      best = behind;
      point = {box.older_start + static_cast<std::size_t>(x),
               box.newer_start + static_cast<std::size_t>(y)};
    };
    for (std::ptrdiff_t k = cost; k >= -cost; k -= 2) {
      if (k <= n && k >= -m) offer(ahead_[k], ahead_[k] - k, 2 * ahead_[k] - k);
    }
    for (std::ptrdiff_t k = cost; k >= -cost; k -= 2) {
      if (k > m || k < -n) continue;
      const std::ptrdiff_t y = back_[k] - k - delta;
      offer(back_[k], y, n + m - back_[k] - y);
    }
    return point;
  }

  void Spend(std::ptrdiff_t matches) {
    const auto steps = static_cast<std::size_t>(matches) + 1;
    steps_left_ -= std::min(steps, steps_left_);
  }

  static constexpr std::ptrdiff_t kNowhere = -1;
  static constexpr std::ptrdiff_t kBeyond = std::numeric_limits<std::ptrdiff_t>::max();

  const std::vector<std::uint32_t>& older_;
  const std::vector<std::uint32_t>& newer_;
  std::size_t cost_max_;
  std::size_t steps_left_;
  Front ahead_;
  Front back_;
};

}  // namespace

std::vector<Change> Align(Items older, Items newer, const AlignBounds& bounds) {
  PACTDB_CHECK(older.size() <= kItemsMax && newer.size() <= kItemsMax);
  const Box box = Trimmed(
      {0, older.size(), 0, newer.size()},
      [&](std::size_t a, std::size_t b) { return older[a] == newer[b]; },
      [](std::size_t, std::size_t) {});
  if (box.older_start == box.older_end && box.newer_start == box.newer_end) return {};
  std::vector<bool> kept_older(box.older_end, false);
  std::vector<bool> kept_newer(box.newer_end, false);
  const auto [a, b] = Number(older, newer, box);
  Search(a, b, bounds).Run([&](std::size_t i, std::size_t j) {
    kept_older[a.places[i]] = true;
    kept_newer[b.places[j]] = true;
  });
  std::vector<Change> changes;
  std::size_t i = box.older_start;
  std::size_t j = box.newer_start;
  while (i < box.older_end || j < box.newer_end) {
    Change change{i, i, j, j};
    while (change.older_end < box.older_end && !kept_older[change.older_end]) ++change.older_end;
    while (change.newer_end < box.newer_end && !kept_newer[change.newer_end]) ++change.newer_end;
    if (change != Change{i, i, j, j}) changes.push_back(change);
    // What is kept stands on both sides in the same order.
    i = change.older_end + 1;
    j = change.newer_end + 1;
  }
  return changes;
}

std::vector<std::span<const Change>> GroupChanges(std::span<const Change> changes,
                                                  std::size_t context) {
  std::vector<std::span<const Change>> groups;
  std::size_t first = 0;
  for (std::size_t i = 1; i <= changes.size(); ++i) {
    // Halved instead of doubling the context, which may be any number.
    if (i < changes.size() &&
        (changes[i].older_start - changes[i - 1].older_end + 1) / 2 <= context) {
      continue;
    }
    groups.push_back(changes.subspan(first, i - first));
    first = i;
  }
  return groups;
}

}  // namespace pactdb::diff
