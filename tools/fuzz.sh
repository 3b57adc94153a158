#!/usr/bin/env bash
# Runs every libFuzzer program of build/fuzz for FUZZ_SECONDS each and prints how many inputs it executed, and how many
# of those were not refused before what the target is for.
#
# Named targets only:       tools/fuzz.sh exec
# A number of inputs each:  FUZZ_RUNS=20000000 tools/fuzz.sh import
# The numbers of a release: tools/fuzz.sh --r1
# More options of libFuzzer: FUZZ_ARGS='-max_len=512' tools/fuzz.sh tree
# Into the tree:            tools/fuzz.sh --minimize selector
# New inputs stay in build/fuzz/inputs/NAME; a finding is left in build/fuzz/findings/NAME. Copy a finding into
# fuzz/corpora/NAME under a telling name, together with the fix: CTest replays it from then on.
#
# --minimize merges what was found into fuzz/corpora/NAME: of the inputs of at most FUZZ_KEEP_BYTES (4096) those that
# reach what the corpus does not, at most FUZZ_KEEP (100) of them, the smallest first, within FUZZ_SECONDS. Inputs with
# names stay as they are; those named by their hash, which an earlier merge brought, stay if they are still needed.
set -euo pipefail
cd "$(dirname "$0")/.."
# How many inputs of each kind a release has been tried with: selectors, imports, database files, sequences of operations.
declare -A release=([selector]=100000000 [import]=20000000 [file]=5000000 [tree]=5000000)
declare -A release_args=([file]=-entropic=0 [tree]=-max_len=512)
# Where memory came from is only told when a finding is run alone, and what was freed is kept for as long as an input
# takes: a tenth to a fifth of the time of targets that allocate much. In MiB: an input of `tree` frees 0.4, one of
# `file` up to 1.5.
declare -A kept=([tree]=1 [file]=2)

# start NAME OPTIONS...: the program of a target, with the sanitizer's options and, if that is set, stopped at a time
within=()
start() {
  local name=$1
  shift
  local asan=malloc_context_size=0:thread_local_quarantine_size_kb=256:quarantine_size_mb=${kept[$name]:-8}
  ASAN_OPTIONS=${ASAN_OPTIONS:-$asan} "${within[@]}" "build/fuzz/fuzz/pactdb_${name}_fuzzer" "$@"
}

# fuzz NAME: runs it and says how many inputs it took; false if that were fewer than asked for, or one was a finding
fuzz() {
  local name=$1 runs=${FUZZ_RUNS:-} more=${FUZZ_ARGS:-} verdict=clean began=$SECONDS
  if [ -n "$is_release" ]; then
    runs=${release[$name]}
    more+=" ${release_args[$name]:-}"
  fi
  local inputs=build/fuzz/inputs/$name findings=build/fuzz/findings/$name log=build/fuzz/$name.log
  mkdir -p "$inputs" "$findings" "fuzz/corpora/$name"
  local bound=-max_total_time=${FUZZ_SECONDS:-60} words executed reached
  [ -z "$runs" ] || bound=-runs=$runs
  local options=("$bound" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$findings/")
  [ ! -f "fuzz/$name.dict" ] || options+=(-dict="fuzz/$name.dict")
  read -ra words <<<"$more"
  start "$name" "${options[@]}" "${words[@]}" "$inputs" "fuzz/corpora/$name" >"$log" 2>&1 || verdict=FAILED
  executed=$(awk '/stat::number_of_executed_units/ { print $2 }' "$log")
  [ "${executed:-0}" -ge "${runs:-0}" ] || verdict=FAILED
  reached=$(awk '/stat::reached/ { print $2 }' "$log")
  [ "${reached:-1}" -gt 0 ] || verdict=FAILED # Every input was refused at the door.
  echo "fuzz: $name: ${executed:-0}${runs:+ of $runs} executions${reached:+, $reached of them not refused,} in $((SECONDS - began)) s, $verdict"
  [ "$verdict" = clean ] || { tail -n 40 "$log"; return 1; }
}

is_hash() { [[ ${1##*/} =~ ^[0-9a-f]{40}$ ]]; }

# minimize NAME: merges inputs into the corpus, and says how many
minimize() {
  local name=$1 pool=build/fuzz/pool/$1 merged=build/fuzz/merged/$1 log=build/fuzz/$1.merge.log
  local corpus=fuzz/corpora/$1 file named=0 before=0 wanted=0 added=0
  rm -rf "$pool" "$merged"
  mkdir -p "$pool" "$merged" "$corpus" "build/fuzz/inputs/$name"
  for file in "build/fuzz/inputs/$name" "$corpus"; do # One by one: they share names, and those are the same inputs.
    find "$file" -type f -size "-$((${FUZZ_KEEP_BYTES:-4096} + 1))c" -exec cp -t "$pool" {} +
  done
  for file in "$corpus"/*; do
    if is_hash "$file"; then
      before=$((before + 1))
    elif [ -f "$file" ]; then
      cp "$file" "$merged"
      named=$((named + 1))
    fi
  done
  within=(timeout $((${FUZZ_SECONDS:-60} + 60))) # Should it not keep to its own bound.
  if ! start "$name" -merge=1 -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=2048 \
    "$merged" "$pool" >"$log" 2>&1; then
    echo "fuzz: $name: the merge FAILED, the corpus is as it was"
    tail -n 40 "$log"
    return 1
  fi
  for file in "$corpus"/*; do
    ! is_hash "$file" || rm "$file"
  done
  while read -r file; do
    is_hash "$file" || continue
    wanted=$((wanted + 1))
    [ "$added" -lt "${FUZZ_KEEP:-100}" ] || continue
    cp "$merged/$file" "$corpus"
    added=$((added + 1))
  done < <(find "$merged" -type f -printf '%s %f\n' | sort -n | cut -d ' ' -f 2)
  echo "fuzz: $name: $named named inputs, and $added of $wanted that reach more; there were $before"
}

action=fuzz
is_release=
case ${1:-} in
  --minimize)
    action=minimize
    shift
    ;;
  --r1)
    is_release=yes
    shift
    [ $# -gt 0 ] || set -- selector import file tree
    ;;
esac
if [ $# -eq 0 ]; then
  for program in build/fuzz/fuzz/pactdb_*_fuzzer; do
    [ -x "$program" ] || { echo "fuzz: no fuzz targets are built" >&2; exit 1; }
    name=${program##*/pactdb_}
    set -- "$@" "${name%_fuzzer}"
  done
fi
failed=0
for name in "$@"; do
  if [ -n "$is_release" ] && [ -z "${release[$name]:-}" ]; then
    echo "fuzz: no number of inputs is set for $name" >&2
    exit 1
  fi
  if [ "$action" = minimize ]; then
    minimize "$name" || failed=1
  else
    fuzz "$name" || failed=1
  fi
done
exit $failed
