#!/usr/bin/env bash
# Selectors through the command and through the naive evaluator of test/oracle, the long run of `make soak`: every
# selector of up to SOAK_TOKENS tokens on SOAK_TREES trees, then SOAK_PAIRS random selector/tree pairs.
#
#   tools/soak_select.sh [exhaustive] [random]        both if none is named
#   SOAK_PARTS="0 17" tools/soak_select.sh random     some parts of SOAK_SHARDS, here or on another machine
#
# JOBS parts run at a time. A part prints a line when it ends; a mismatch is printed with its shortened session, which
# stays in build/soak, and fails the run at its end. ENGINE is the command to test.
set -euo pipefail
cd "$(dirname "$0")/.."
engine=${ENGINE:-build/test/bin/pactdb}
jobs=${JOBS:-2}
tokens=${SOAK_TOKENS:-4}
trees=${SOAK_TREES:-200}
pairs=${SOAK_PAIRS:-10000000}
shards=${SOAK_SHARDS:-100}
parts=${SOAK_PARTS:-$(seq 0 $((shards - 1)))}
selects=250 # on one random tree
out=build/soak
mkdir -p "$out"

# --part MODE I: one part; its output stays in a log.
if [ "${1:-}" = --part ]; then
  log=$out/$2-$3.log
  if [ "$2" = exhaustive ]; then
    arguments=(--exhaustive "$tokens" --trees "$trees" --shard "$3/$shards")
  else
    seeds=$(((pairs / selects + shards - 1) / shards))
    arguments=(--seeds "$(($3 * seeds))..$((($3 + 1) * seeds))" --selects "$selects" --edits 0)
  fi
  verdict=ok
  python3 -B test/oracle/compare_select.py --engine "$engine" --seconds 0 --keep-going --out "$out" \
    "${arguments[@]}" >"$log" 2>&1 || verdict=FAILED
  echo "soak: $2 $3/$shards: $(tail -n 1 "$log"), $verdict"
  [ "$verdict" = ok ] || { cat "$log"; exit 1; }
  exit 0
fi

[ $# -gt 0 ] || set -- exhaustive random
failed=0
for mode in "$@"; do
  tr ' ' '\n' <<<"$parts" | xargs -P "$jobs" -I{} tools/soak_select.sh --part "$mode" {} || failed=1
  for index in $parts; do tail -n 1 "$out/$mode-$index.log"; done |
    awk -v mode="$mode" '{ trees += $1; requests += $3; seconds += $5; mismatches += $7 }
      END { printf "soak: %s: %d trees, %d requests, %d s of one core, %d mismatches\n",
            mode, trees, requests, seconds, mismatches }'
done
exit $failed
