#include "support/tree_duel.h"

#include <gtest/gtest.h>

#include <string>

#include "support/scale.h"

namespace pactdb {
namespace {

TEST(WorkingTreeRandom, AgreesWithAPlainMapInEverySnapshot) {
  const std::size_t seeds = support::Scaled(300);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    support::TreeDuel(support::Random(seed)).Run(500);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace pactdb
