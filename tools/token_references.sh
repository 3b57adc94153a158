#!/usr/bin/env bash
# The tokenizers that ours is compared with, in build/token-references: npm packages pinned in test/tokens/references.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/npm.sh
. tools/npm.sh
fetch_packages test/tokens/references build/token-references \
  "token counts are not compared with other tokenizers" package.json package-lock.json || exit 0
keep_state
