#!/usr/bin/env bash
# A short session with the command. Each step is shown as a user would type it, then its answer.
set -euo pipefail
cd "$(dirname "$0")/.."
pactdb=build/pactdb
[ -x "$pactdb" ] || { echo "demo: run make build first" >&2; exit 1; }

requests=$(cat <<'END'
{"op":"configure","clock":{"start_ns":1700000000000000000,"step_ns":1000}}
{"op":"add","parent":"sys","node":{"role":"system","content":"You are a careful assistant."}}
{"op":"add","node":{"role":"user","content":"What changed since yesterday?"}}
{"op":"add","node":{"role":"assistant","content":"Two files.","ttl":1}}
{"op":"commit"}
{"op":"commit","expect_cycle":7}
{"op":"log"}
{"op":"render","at":"@t0","format":"thread"}
{"op":"verify"}
END
)
echo "\$ $pactdb exec <<'END'"
echo "$requests"
echo END
echo
# One answer per request, in order: print them in pairs.
paste -d '\n' <(printf '> %s\n' "${requests//$'\n'/$'\n'> }") <("$pactdb" exec <<<"$requests" | sed 's/$/\n/')
