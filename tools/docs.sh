#!/usr/bin/env bash
# The API reference from the public headers, into build/docs/html. Fails on any warning of Doxygen.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/docs
doxygen tools/doxygen/Doxyfile
echo "docs: build/docs/html/index.html, no warnings"
