#!/usr/bin/env bash
# The same scripts, the same hashes (test/determinism/): builds the command with GCC at -O0, -O2 and -O3, with Clang 19
# and with the sanitizers, and runs the scripts through each, then through one of them under another locale, in another
# time zone and with other address layouts. Ends with 1 if one of them differs.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${JOBS:-2}
failed=0

# build NAME [cmake argument ...]: the command alone, at build/determinism/NAME/bin/pactdb
build() {
  local name=$1
  shift
  echo "determinism: building $name"
  cmake --log-level=NOTICE -S . -B "build/determinism/$name" -G Ninja -DPACTDB_TESTS=OFF -DPACTDB_FUZZERS=OFF \
    -DPACTDB_BENCHMARKS=OFF "$@" >/dev/null
  cmake --build "build/determinism/$name" -j "$jobs" --target pactdb >/dev/null
}

# check NAME COMMAND ...: runs the scripts under the command, which gets the rest of the line
check() {
  local name=$1
  shift
  printf '%-28s' "$name"
  "$@" python3 -B test/determinism/determinism.py "$command" || failed=1
}

build gcc-O0 -DCMAKE_BUILD_TYPE=Debug
build gcc-O2 -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" -DPACTDB_OPTIMIZE=-O2
build gcc-O3 -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O3 -DNDEBUG" -DPACTDB_OPTIMIZE=-O3
build clang-19 -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE="-O2 -DNDEBUG" -DPACTDB_OPTIMIZE=-O2 \
  -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_C_COMPILER=clang-19
build asan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPACTDB_SANITIZE=address,undefined
for name in gcc-O0 gcc-O2 gcc-O3 clang-19 asan; do
  command=build/determinism/$name/bin/pactdb
  check "$name" env
done

# A locale with a decimal comma and another order of letters, made here if the machine has none.
command=build/determinism/gcc-O2/bin/pactdb
locales=build/determinism/locales
mkdir -p "$locales"
if [ ! -d "$locales/tr_TR.UTF-8" ] && ! localedef -i tr_TR -f UTF-8 "$locales/tr_TR.UTF-8" 2>/dev/null; then
  echo "determinism: no sources of locales (Debian package locales); under C.UTF-8 instead"
fi
tr=C.UTF-8
[ ! -d "$locales/tr_TR.UTF-8" ] || tr=tr_TR.UTF-8
check "locale $tr" env LOCPATH="$PWD/$locales" LC_ALL="$tr" LANG="$tr"
check "time zone Asia/Kathmandu" env TZ=Asia/Kathmandu
check "time zone of 23:30 hours" env TZ=ABC-23:30
check "addresses not randomised" setarch -R
check "memory filled, one arena" env MALLOC_PERTURB_=165 MALLOC_ARENA_MAX=1 MALLOC_TOP_PAD_=1048576
check "large environment" env PACTDB_PADDING="$(printf '%060000d' 0)"
exit "$failed"
