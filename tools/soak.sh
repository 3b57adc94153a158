#!/usr/bin/env bash
# The long tier: bounded, by hand, before a release. Tests labelled `soak` (random operation sequences against the
# oracles) and `threads` read PACTDB_TEST_SCALE, a percentage of their usual length.
set -euo pipefail
cd "$(dirname "$0")/.."
scale=${SOAK_SCALE:-2000}
jobs=${JOBS:-2}
for preset in test asan tsan; do
  echo "soak: $preset at $scale percent"
  cmake --log-level=NOTICE --preset "$preset"
  cmake --build --preset "$preset" -j "$jobs"
  PACTDB_TEST_SCALE=$scale ctest --preset "soak-$preset" -L 'soak|threads' -j "$jobs"
done
echo "soak: selectors against the naive evaluator"
JOBS=$jobs tools/soak_select.sh
echo "soak: a million texts by tiktoken and by us"
python3 -B test/tokens/differential.py --tool build/test/bin/token_tool --references build/token-references \
  --texts 1000000 --first 1000 || [ $? -eq 77 ]  # without npm it says that it is skipped
echo "soak: one set of hashes from every compiler"
JOBS=$jobs tools/determinism.sh
cmake --log-level=NOTICE --preset fuzz
cmake --build --preset fuzz -j "$jobs"
FUZZ_SECONDS=${FUZZ_SECONDS:-600} tools/fuzz.sh
