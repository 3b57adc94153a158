#include "base/ref.h"

#include <gtest/gtest.h>

#include <utility>

namespace pactdb {
namespace {

struct Counted {
  explicit Counted(int* destroyed_count) : destroyed(destroyed_count) {}
  static void Destroy(Counted* counted) {
    ++*counted->destroyed;
    delete counted;
  }
  mutable std::atomic<std::uint32_t> refs{1};
  int* destroyed;
};

TEST(Ref, DestroysWithTheLastReference) {
  int destroyed = 0;
  {
    Ref<Counted> first = Ref<Counted>::Adopt(new Counted(&destroyed));
    EXPECT_TRUE(IsUnique(first.get()));
    {
      const Ref<Counted> second = first;
      const Ref<Counted> third = Ref<Counted>::Share(first.get());
      EXPECT_EQ(first->refs.load(), 3u);
      EXPECT_FALSE(IsUnique(first.get()));
    }
    EXPECT_TRUE(IsUnique(first.get()));
    EXPECT_EQ(destroyed, 0);
  }
  EXPECT_EQ(destroyed, 1);
}

TEST(Ref, MovesWithoutCounting) {
  int destroyed = 0;
  Ref<Counted> first = Ref<Counted>::Adopt(new Counted(&destroyed));
  Ref<Counted> second = std::move(first);
  EXPECT_FALSE(first);  // NOLINT(bugprone-use-after-move): the claim
  EXPECT_TRUE(second);
  EXPECT_EQ(second->refs.load(), 1u);
  second = Ref<Counted>();
  EXPECT_EQ(destroyed, 1);
}

TEST(Ref, KeepsTheObjectThroughSelfAssignment) {
  int destroyed = 0;
  Ref<Counted> ref = Ref<Counted>::Adopt(new Counted(&destroyed));
  const Ref<Counted>& same = ref;
  ref = same;
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(ref->refs.load(), 1u);
}

TEST(Ref, DetachGivesTheReferenceToTheCaller) {
  int destroyed = 0;
  Counted* raw = nullptr;
  {
    Ref<Counted> ref = Ref<Counted>::Adopt(new Counted(&destroyed));
    raw = ref.Detach();
    EXPECT_FALSE(ref);
  }
  EXPECT_EQ(destroyed, 0);
  Retain(raw);
  Release(raw);
  EXPECT_EQ(destroyed, 0);
  Release(raw);
  EXPECT_EQ(destroyed, 1);
}

TEST(Ref, RetainAndReleaseTakeNull) {
  Retain<Counted>(nullptr);
  Release<Counted>(nullptr);
  EXPECT_FALSE(Ref<Counted>::Share(nullptr));
}

}  // namespace
}  // namespace pactdb
