#!/usr/bin/env bash
# The tokenizers that ours is compared with, in build/token-references: npm packages pinned in test/tokens/references.
# Fetched once for each state of the pins; does nothing, and says so, without npm.
set -euo pipefail
cd "$(dirname "$0")/.."
from=test/tokens/references
to=build/token-references
command -v npm >/dev/null || tools/setup.sh types || true
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  echo "token references: there is no npm; token counts are not compared with other tokenizers" >&2
  exit 0
fi
state=$(sha256sum <"$from/package-lock.json" | cut -d' ' -f1)
[ "$(cat "$to/state" 2>/dev/null || true)" != "$state" ] || exit 0
mkdir -p "$to"
rm -f "$to/state"
cp "$from"/{package.json,package-lock.json} "$to/"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! (cd "$to" && npm ci --ignore-scripts --no-audit --no-fund) >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "token references: npm could not fetch the packages; token counts are not compared with other tokenizers" >&2
  exit 0
fi
echo "$state" >"$to/state"
