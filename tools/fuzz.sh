#!/usr/bin/env bash
# Runs every libFuzzer program of build/fuzz for FUZZ_SECONDS each and prints how many inputs it executed.
#
# Named targets only:       tools/fuzz.sh exec
# A number of inputs each:  FUZZ_RUNS=20000000 tools/fuzz.sh import
# More options of libFuzzer: FUZZ_ARGS='-max_len=512' tools/fuzz.sh tree
# New inputs stay in build/fuzz/inputs/NAME; a finding is left in build/fuzz/findings/NAME. Copy a finding into
# fuzz/corpora/NAME under a telling name, together with the fix: CTest replays it from then on.
set -euo pipefail
cd "$(dirname "$0")/.."
bound=-max_total_time=${FUZZ_SECONDS:-60}
[ -z "${FUZZ_RUNS:-}" ] || bound=-runs=$FUZZ_RUNS
# Where memory came from is only told when a finding is run alone, and what was freed is kept for as long as an input
# takes: a tenth to a fifth of the time of targets that allocate much. In MiB: an input of `tree` frees 0.4, one of
# `file` up to 1.5.
declare -A kept=([tree]=1 [file]=2)
read -ra more <<<"${FUZZ_ARGS:-}"
if [ $# -eq 0 ]; then
  for program in build/fuzz/fuzz/pactdb_*_fuzzer; do
    [ -x "$program" ] || { echo "fuzz: no fuzz targets are built" >&2; exit 1; }
    name=${program##*/pactdb_}
    set -- "$@" "${name%_fuzzer}"
  done
fi

failed=0
for name in "$@"; do
  inputs=build/fuzz/inputs/$name
  findings=build/fuzz/findings/$name
  log=build/fuzz/$name.log
  mkdir -p "$inputs" "$findings" "fuzz/corpora/$name"
  options=("$bound" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1
    -artifact_prefix="$findings/")
  [ ! -f "fuzz/$name.dict" ] || options+=(-dict="fuzz/$name.dict")
  options+=("${more[@]}")
  verdict=clean
  began=$SECONDS
  asan=malloc_context_size=0:thread_local_quarantine_size_kb=256:quarantine_size_mb=${kept[$name]:-8}
  ASAN_OPTIONS=${ASAN_OPTIONS:-$asan} "build/fuzz/fuzz/pactdb_${name}_fuzzer" "${options[@]}" \
    "$inputs" "fuzz/corpora/$name" >"$log" 2>&1 || verdict=FAILED
  executed=$(awk '/stat::number_of_executed_units/ { print $2 }' "$log")
  echo "fuzz: $name: ${executed:-0} executions in $((SECONDS - began)) s, $verdict"
  if [ "$verdict" = FAILED ]; then
    failed=1
    tail -n 40 "$log"
  fi
done
exit $failed
