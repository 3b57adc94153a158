// One writer, several readers: what a reader may rely on in the containers that are read without
// locks. Run under ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/append_vector.h"
#include "base/grow_list.h"
#include "base/interner.h"
#include "base/slab.h"
#include "base/spin_lock.h"
#include "support/crew.h"
#include "support/random.h"
#include "support/scale.h"

namespace pactdb {
namespace {

constexpr int kReaders = 3;

TEST(AppendVector, ReadersSeeEveryElementBelowTheSize) {
  const std::size_t count = support::Scaled(200'000);
  AppendVector<std::string> texts;
  support::Crew crew;
  for (int reader = 0; reader < kReaders; ++reader) {
    crew.Add([&texts, count, reader] {
      support::Random random(static_cast<std::uint64_t>(reader));
      for (std::size_t size = 0; size < count;) {
        size = texts.size();
        if (size == 0) continue;
        ASSERT_EQ(texts[size - 1], std::to_string(size - 1));
        const std::size_t index = random.Below(size);
        ASSERT_EQ(texts[index], std::to_string(index));
      }
    });
  }
  crew.Go();
  for (std::size_t i = 0; i < count; ++i) texts.emplace_back(std::to_string(i));
  crew.Join();
}

struct Pair {
  std::uint32_t first;
  std::uint32_t second;
};

TEST(GrowList, ReadersSeeWholeItemsOnly) {
  const auto count = static_cast<std::uint32_t>(support::Scaled(200'000));
  GrowList<Pair> pairs;
  support::Crew crew;
  for (int reader = 0; reader < kReaders; ++reader) {
    crew.Add([&pairs, count] {
      for (std::size_t size = 0; size < count;) {
        const auto items = pairs.items();
        ASSERT_GE(items.size(), size);
        for (; size < items.size(); ++size) {
          ASSERT_EQ(items[size].first, size);
          ASSERT_EQ(items[size].second, ~static_cast<std::uint32_t>(size));
        }
      }
    });
  }
  crew.Go();
  for (std::uint32_t i = 0; i < count; ++i) pairs.Append({.first = i, .second = ~i});
  crew.Join();
}

// A list that shrinks and grows again at its end, as versions do when a log is rolled back: readers
// rely on the items below what they were told of, and those stay.
TEST(GrowList, ReadersKeepWhatLiesBelowARemovedItem) {
  const auto rounds = static_cast<std::uint32_t>(support::Scaled(3'000));
  GrowList<Pair> pairs;
  std::atomic<std::uint32_t> published{0};
  support::Crew crew;
  for (int reader = 0; reader < kReaders; ++reader) {
    crew.Add([&pairs, &published, rounds] {
      for (std::uint32_t known = 0; known < rounds;) {
        known = published.load(std::memory_order_acquire);
        const auto items = pairs.items();
        ASSERT_GE(items.size(), known);
        if (known == 0) continue;
        ASSERT_EQ(items[known - 1].second, ~(known - 1));
      }
    });
  }
  crew.Go();
  for (std::uint32_t i = 0; i < rounds; ++i) {
    pairs.Append({.first = i, .second = 0});
    pairs.RemoveLast();
    pairs.Append({.first = i, .second = ~i});
    published.store(i + 1, std::memory_order_release);
  }
  crew.Join();
}

struct Payload {
  std::atomic<std::uint32_t> value{0};
};

TEST(Interner, ReadersFindWhatWasPublished) {
  const auto count = static_cast<std::uint32_t>(support::Scaled(150'000));
  Interner<Payload> interner;
  std::atomic<std::uint32_t> published{0};
  support::Crew crew;
  for (int reader = 0; reader < kReaders; ++reader) {
    crew.Add([&interner, &published, count, reader] {
      support::Random random(static_cast<std::uint64_t>(reader));
      for (std::uint32_t known = 0; known < count;) {
        known = published.load(std::memory_order_acquire);
        if (known == 0) continue;
        const auto number = static_cast<std::uint32_t>(random.Below(known));
        const std::string text = "id:" + std::to_string(number);
        ASSERT_EQ(interner.Find(text), number);
        ASSERT_EQ(interner.text(number), text);
        ASSERT_EQ(interner.entry(number).payload.value.load(std::memory_order_relaxed), number);
        // Whether a text of the future is there already is open; a wrong number is not.
        const auto next = interner.Find("id:" + std::to_string(known));
        ASSERT_TRUE(!next || *next == known);
      }
    });
  }
  crew.Go();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t number = interner.Intern("id:" + std::to_string(i));
    interner.entry(number).payload.value.store(i, std::memory_order_relaxed);
    published.store(i + 1, std::memory_order_release);
  }
  crew.Join();
}

// Whoever waits longer than it spins, because the holder sleeps, gets the lock in the end.
TEST(SpinLock, LetsOneThreadInAtATime) {
  const int rounds = static_cast<int>(support::Scaled(20'000));
  SpinLock lock;
  int inside = 0;
  std::int64_t total = 0;
  support::Crew crew;
  for (int thread = 0; thread < kReaders; ++thread) {
    crew.Add([&] {
      for (int round = 0; round < rounds; ++round) {
        const std::lock_guard guard(lock);
        ASSERT_EQ(++inside, 1);
        ++total;
        if (round % 1'000 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --inside;
      }
    });
  }
  crew.Join();
  EXPECT_EQ(total, std::int64_t{kReaders} * rounds);
}

// Snapshots are dropped on any thread: what one thread allocates another may free.
TEST(Slabs, AreSharedBetweenThreads) {
  const std::size_t rounds = support::Scaled(50'000);
  Slabs slabs;
  std::mutex mutex;
  std::vector<std::pair<std::size_t*, std::size_t>> waiting;
  support::Crew crew;
  for (int thread = 0; thread < kReaders; ++thread) {
    crew.Add([&, thread] {
      support::Random random(static_cast<std::uint64_t>(thread));
      for (std::size_t round = 0; round < rounds; ++round) {
        const std::size_t size = 8 * (1 + random.Below(70));
        std::pair<std::size_t*, std::size_t> piece{static_cast<std::size_t*>(slabs.Allocate(size)),
                                                   size};
        *piece.first = size;
        {
          const std::lock_guard lock(mutex);
          waiting.push_back(piece);
          piece = std::exchange(waiting[random.Below(waiting.size())], waiting.back());
          waiting.pop_back();
        }
        ASSERT_EQ(*piece.first, piece.second);
        slabs.Free(piece.first, piece.second);
      }
    });
  }
  crew.Join();
  EXPECT_TRUE(waiting.empty());
}

}  // namespace
}  // namespace pactdb
