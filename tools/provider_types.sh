#!/usr/bin/env bash
# JSON Schemas of the request types in the vendors' npm packages, in build/provider-types: what test/providers/vendor_types.py
# judges rendered requests by.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/npm.sh
. tools/npm.sh
fetch_packages test/providers/types build/provider-types \
  "rendered requests are not compared with the vendors' types" \
  package.json package-lock.json types.ts tsconfig.json || exit 0
for type in OpenAiChat OpenAiResponses Anthropic Gemini; do
  (cd build/provider-types && node node_modules/ts-json-schema-generator/bin/ts-json-schema-generator.js \
    --path types.ts --type "$type" --tsconfig tsconfig.json --no-type-check --out "$type.json")
done
keep_state
