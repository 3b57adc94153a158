// Operation sequences from bytes, on a working tree and on a plain map beside it: each byte is a
// decision (test/support/tree_duel.h). Every snapshot is what the map was, and verifies.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "support/tree_duel.h"

namespace {

constexpr std::size_t kInputBytesMax = 4'096;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > kInputBytesMax) return 0;
  GTEST_FLAG_SET(break_on_failure, true);
  pactdb::support::TreeDuel(pactdb::support::Random({data, size})).Run(1'000);
  return 0;
}
