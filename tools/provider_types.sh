#!/usr/bin/env bash
# JSON Schemas of the request types in the vendors' npm packages, in build/provider-types: what test/providers/vendor_types.py
# judges rendered requests by. Made once for each state of test/providers/types; does nothing, and says so, without npm.
set -euo pipefail
cd "$(dirname "$0")/.."
from=test/providers/types
to=build/provider-types
command -v npm >/dev/null || tools/setup.sh types || true
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  echo "provider types: there is no npm; rendered requests are not compared with the vendors' types" >&2
  exit 0
fi
state=$(cat "$from"/package-lock.json "$from"/types.ts "$from"/tsconfig.json | sha256sum | cut -d' ' -f1)
[ "$(cat "$to/state" 2>/dev/null || true)" != "$state" ] || exit 0
mkdir -p "$to"
rm -f "$to/state"
cp "$from"/{package.json,package-lock.json,types.ts,tsconfig.json} "$to/"
cd "$to"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Types need no scripts of the packages that carry them, nor the Node they ask for.
if ! npm ci --ignore-scripts --no-audit --no-fund --engine-strict=false >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "provider types: npm could not fetch the packages; requests are not compared with the vendors' types" >&2
  exit 0
fi
for type in OpenAiChat OpenAiResponses Anthropic Gemini; do
  node node_modules/ts-json-schema-generator/bin/ts-json-schema-generator.js --path types.ts --type "$type" \
    --tsconfig tsconfig.json --no-type-check --out "$type.json"
done
echo "$state" >state
