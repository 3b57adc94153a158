# Sourced: npm packages that tests compare us with, fetched once for each state of their pins.
#
#   fetch_packages FROM TO SAYS FILE ...
#
# copies the FILEs of FROM, package.json and its lock among them, to TO and fetches the packages there. True if they are
# new, and whoever made something of them then calls keep_state. False if they were there already, or if there is no npm
# or no way to the packages: then it says SAYS.
fetch_packages() {
  local from=$1 to=$2 says=$3 log
  shift 3
  command -v npm >/dev/null || tools/setup.sh types || true
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    echo "there is no npm; $says" >&2
    return 1
  fi
  packages_state=$(cd "$from" && cat "$@" | sha256sum | cut -d' ' -f1)
  packages_to=$to
  [ "$(cat "$to/state" 2>/dev/null || true)" != "$packages_state" ] || return 1
  mkdir -p "$to"
  rm -f "$to/state"
  (cd "$from" && cp "$@" "$OLDPWD/$to/")
  log=$(mktemp)
  # Nothing of the packages is run while they are fetched, and none may ask for another Node.
  if ! (cd "$to" && npm ci --ignore-scripts --no-audit --no-fund --engine-strict=false) >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    echo "npm could not fetch the packages; $says" >&2
    return 1
  fi
  rm -f "$log"
}

keep_state() {
  echo "$packages_state" >"$packages_to/state"
}
