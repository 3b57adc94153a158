#!/usr/bin/env bash
# Selectors by the engine and by naive evaluators, the long run of `make soak`: every selector of up to SOAK_TOKENS
# tokens on SOAK_TREES trees, SOAK_PAIRS random selector/tree pairs, both by test/naive_select with the release flags;
# then SOAK_ORACLE_PAIRS through the command and the Python oracle, and as many by both naive ones.
#
#   tools/soak_select.sh [exhaustive] [random] [oracle]    all if none is named
#   SOAK_PARTS="0 17" tools/soak_select.sh random          some parts of SOAK_SHARDS, here or on another machine
#
# JOBS parts run at a time. A part prints a line when it ends; a mismatch is printed as a session to replay and fails
# the run at its end. Logs stay in build/soak. DUEL is the program, ENGINE the command to test.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-2}
tokens=${SOAK_TOKENS:-4}
trees=${SOAK_TREES:-200}
pairs=${SOAK_PAIRS:-10000000}
oracle_pairs=${SOAK_ORACLE_PAIRS:-20000}
shards=${SOAK_SHARDS:-20}
parts=${SOAK_PARTS:-$(seq 0 $((shards - 1)))}
duel=${DUEL:-build/duel/bin/pactdb_select_duel}
engine=${ENGINE:-build/test/bin/pactdb}
out=build/soak
mkdir -p "$out"

# --part MODE I: one part; its output stays in a log.
if [ "${1:-}" = --part ]; then
  log=$out/$2-$3.log
  if [ "$2" = exhaustive ]; then
    arguments=(exhaustive "$tokens" "$trees" "$3/$shards")
  else
    arguments=(random $(((pairs + shards - 1) / shards)) "$((1000 + $3))")
  fi
  verdict=ok
  nice "$duel" "${arguments[@]}" >"$log" 2>&1 || verdict=FAILED
  echo "soak: $(tail -n 1 "$log"), $verdict"
  [ "$verdict" = ok ] || { cat "$log"; exit 1; }
  exit 0
fi

build_duel() {
  cmake --log-level=NOTICE --preset bench -B build/duel -DPACTDB_TESTS=ON -DPACTDB_BENCHMARKS=OFF -DPACTDB_CLI=OFF
  nice cmake --build build/duel -j "$jobs" --target pactdb_select_duel
}

run_parts() {
  [ -n "${DUEL:-}" ] || build_duel
  tr ' ' '\n' <<<"$parts" | xargs -P "$jobs" -I{} tools/soak_select.sh --part "$1" {} || failed=1
  for index in $parts; do tail -n 1 "$out/$1-$index.log" | sed 's/^.*: //'; done |
    awk -v mode="$1" -F '[ ,]+' '{ pairs += $1; parsed += $3; found += $5; refused += $8; mismatches += $10; s += $12 }
      END { printf "soak: %s: %d pairs, %d parsed, %d with results, %d refused, %d mismatches, %d s in all parts\n",
            mode, pairs, parsed, found, refused, mismatches, s }'
}

run_oracle() {
  [ -n "${DUEL:-}" ] || build_duel
  nice python3 -B test/oracle/compare_select.py --engine "$engine" --seconds 0 --keep-going --out "$out" \
    --seeds "0..$((oracle_pairs < 250 ? 1 : oracle_pairs / 250))" --selects 250 --edits 0 || failed=1
  nice python3 -B test/naive_select/check_naive.py "$duel" --pairs "$oracle_pairs" || failed=1
}

[ $# -gt 0 ] || set -- exhaustive random oracle
failed=0
for mode in "$@"; do
  if [ "$mode" = oracle ]; then run_oracle; else run_parts "$mode"; fi
done
exit $failed
