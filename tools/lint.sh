#!/usr/bin/env bash
# Everything a reader should not have to say in review. Run by `make lint`; all parts run, then the verdict.
# With --fix it only formats, in place.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
failed=()
part() { # part NAME COMMAND...
  local name=$1
  shift
  echo "lint: $name"
  "$@" || failed+=("$name")
}

# Files of the checkout, tracked or not yet, whose name matches one of the given patterns.
files() {
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -co --exclude-standard -z -- "$@" | xargs -0 -r ls -d 2>/dev/null
  else # An unpacked archive.
    for pattern in "$@"; do
      find . -path ./build -prune -o -name "$pattern" -type f -print
    done
  fi
}
check_format() { files '*.h' '*.cc' | xargs -r clang-format-19 --dry-run --Werror; }
check_shell() { { files '*.sh'; echo .ci/run; } | xargs -r shellcheck --shell=bash --severity=style; }
check_clang() {
  cmake --log-level=NOTICE --preset lint && cmake --build --preset lint -j "${JOBS:-2}"
}

if [ "${1:-}" = --fix ]; then
  files '*.h' '*.cc' | xargs -r clang-format-19 -i
  exit
fi
part clang-format check_format
part shellcheck check_shell
part 'house rules' python3 -B tools/tidy.py
part 'API reference' tools/docs.sh
part 'clang and clang-tidy' check_clang
if [ ${#failed[@]} -gt 0 ]; then
  (IFS=,; echo "lint: FAILED: ${failed[*]}")
  exit 1
fi
echo "lint: clean"
