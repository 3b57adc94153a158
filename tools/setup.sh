#!/usr/bin/env bash
# Installs what is missing of the given groups of tools/packages.txt:  tools/setup.sh build test
#
# Installs nothing and says nothing when all is there. sudo is used only by users who are not root.
# PACTDB_NO_SETUP=1 skips everything, for machines where the tools come from elsewhere.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -z "${PACTDB_NO_SETUP:-}" ] || exit 0

list=tools/packages.txt
packages=()
for group in "$@"; do
  mapfile -t -O "${#packages[@]}" packages < <(
    awk -v want="[$group]" '{ sub(/#.*/, "") } $1 ~ /^\[/ { on = ($1 == want); next } on && NF { print $1 }' "$list")
  grep -qxF "[$group]" "$list" || { echo "setup: $list has no group [$group]" >&2; exit 2; }
done

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  {
    echo "setup: this machine has no apt. Install the equivalents of these Debian 12 packages by hand,"
    echo "setup: then set PACTDB_NO_SETUP=1 and run make again:"
    printf '  %s\n' "${packages[@]}" | sort -u
  } >&2
  exit 1
fi

missing=()
for package in $(printf '%s\n' "${packages[@]}" | sort -u); do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "setup: run this as root, or install sudo; missing: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
echo "setup: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# apt's own account of a success is noise; of a failure it is the message.
if ! { "${as_root[@]}" apt-get -q update &&
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends "${missing[@]}"; } \
  >"$log" 2>&1; then
  tail -n 20 "$log" >&2
  echo "setup: installing failed" >&2
  exit 1
fi
