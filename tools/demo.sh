#!/usr/bin/env bash
# A conversation of an agent, told with the command: a tool call, a retrieved document that leaves when its time is
# over, a correction, a summary, and the past read again; then the same session through the verbs for people. Every
# step is shown as a user would type it, then its answer, shortened; the demo stops with an error at the first step
# that does not give what it should.
#
# usage: tools/demo.sh [COMMAND]      COMMAND is build/pactdb unless given
set -euo pipefail
cd "$(dirname "$0")/.."
pactdb=${1:-build/pactdb}
[ -x "$pactdb" ] || { echo "demo: there is no $pactdb; run make build first" >&2; exit 1; }

coproc engine { "$pactdb" exec; }
session=$(mktemp)
trap 'rm -f "$session"' EXIT

say() { printf '\n# %s\n' "$@"; }

# Sends a request and reads its answer; no output. What was granted is kept: together it is the session.
ask() {
  printf '%s\n' "$1" >&"${engine[1]}"
  IFS= read -r answer <&"${engine[0]}" || { echo "demo: the engine ended" >&2; exit 1; }
  if [[ $answer == '{"ok":true,'* ]]; then printf '%s\n' "$1" >>"$session"; fi
}

# For reading: hashes cut short, empty lists of a commit left out, entries of a list one a line, long lines cut.
trim() {
  sed -E 's/"([0-9a-f]{8})[0-9a-f]{56}"/"\1..."/g
    s/"(expired|cascaded|pruned|deferred|materialized|tags)":\[\],?//g; s/,\}/}/g
    s/\},\{/},\n  {/g' <<<"$1" | sed -E 's/^(.{170}).+/\1 .../'
}

# shown REQUEST PATTERN: shows both sides and checks the whole answer against a shell pattern.
shown() {
  printf '> %s\n' "$1"
  ask "$1"
  trim "$answer"
  # shellcheck disable=SC2053 # a pattern, not a text
  [[ $answer == $2 ]] || { printf 'demo: expected an answer like %s\n' "$2" >&2; exit 1; }
}

# thread REQUEST WANTED: a render, its messages one a line as "role: content"; WANTED are those lines.
thread() {
  printf '> %s\n' "$1"
  ask "$1"
  local lines
  lines=$(sed -E 's/.*"body":"\[(.*)\]","sha256".*/\1/; s/\\"/"/g; s/\},\{"id"/}\n{"id"/g' <<<"$answer" |
    sed -E 's/.*"role":"([a-z]*)".*"content":(.*)\}$/  \1: \2/')
  printf '%s\n' "$lines"
  [ "$lines" = "$2" ] || { printf 'demo: expected\n%s\n' "$2" >&2; exit 1; }
}

field() { sed -E "s/.*\"$1\":\"([^\"]*)\".*/\1/" <<<"$answer"; }

echo "\$ $pactdb exec"
say 'A clock of our own, so that this session gives the same ids, times and hashes wherever it runs.'
shown '{"op":"configure","clock":{"start_ns":1700000000000000000,"step_ns":1000000}}' '{"ok":true,*'

say 'Turn 1. Instructions go to ^sys, everything else to the head, ^ah.'
shown '{"op":"add","parent":"^sys","node":{"role":"system","content":"You help travellers. Be exact."}}' \
  '{"ok":true,"result":{"id":"block:1.0","cycle":1}}'
shown '{"op":"add","node":{"role":"user","content":"When does the last train to Dresden leave?"}}' \
  '{"ok":true,"result":{"id":"block:1.2","cycle":1}}'

say 'The agent calls a tool. A call and its result share data_call_id: they leave together or not at all.'
shown '{"op":"add","node":{"role":"assistant","kind":"call","content":{"name":"timetable","to":"Dresden"},"data_call_id":"t1"}}' \
  '{"ok":true,*"block:1.3"*'
shown '{"op":"add","node":{"role":"tool","kind":"result","content":"21:04, 22:12","data_call_id":"t1"}}' \
  '{"ok":true,*"block:1.4"*'

say 'A retrieved page: before the core (offset -1), in a group of its own, for one cycle beyond this one.'
shown '{"op":"add","node":{"nodeType":"cont","offset":-1,"removable":true}}' '{"ok":true,*"cont:1.5"*'
shown '{"op":"add","parent":"cont:1.5","node":{"kind":"document","content":"Timetable 2024: works on the line in May.","ttl":1}}' \
  '{"ok":true,*"block:1.6"*'

say 'What the model would be sent if we committed now. Rendering changes nothing.'
thread '{"op":"render"}' '  system: "You help travellers. Be exact."
  user: "Timetable 2024: works on the line in May."
  user: "When does the last train to Dresden leave?"
  assistant: {"name":"timetable","to":"Dresden"}
  tool: "21:04, 22:12"'
preview=$(field sha256)

say 'The commit seals the head as the turn seg:1 and makes the snapshot @c1: the very bytes of the preview.'
shown '{"op":"commit","expect_cycle":1}' "*\"sealed\":\"seg:1\"*\"thread_sha256\":\"$preview\"*"

say 'Turn 2. The answer is wrong: it overlooks 22:12. The page is due now; its emptied group goes with it.'
shown '{"op":"add","node":{"role":"assistant","content":"At 21:04."}}' '{"ok":true,*"block:2.1"*'
shown '{"op":"commit"}' '*"expired":\["block:1.6"\],"cascaded":\["cont:1.5"\]*'

say 'History is not rewritten: what was said stays said.'
shown '{"op":"update","id":"block:2.1","set":{"content":"At 22:12."}}' '{"ok":false,"error":{"code":"E_SEALED",*'
say 'A correction is a node of its own, behind the core of that turn.'
shown '{"op":"add","parent":"seg:2","node":{"role":"assistant","kind":"correction","offset":1,"content":"Correction: the last train leaves at 22:12.","refs":["block:2.1"]}}' \
  '{"ok":true,*"block:3.0"*'

say 'A summary of turn 1, pinned so that no policy takes it; then a policy that keeps the thread short.'
shown '{"op":"add","parent":"seg:1","node":{"nodeType":"block:summary","role":"assistant","offset":1,"pinned":true,"content":"Asked for the last train to Dresden; trains at 21:04 and 22:12."}}' \
  '{"ok":true,*"block:3.1"*'
shown '{"op":"configure","policy":{"max_nodes":9,"protect_recent_turns":1}}' '{"ok":true,*'
shown '{"op":"commit"}' '*"pruned":\["block:1.2","block:1.3","block:1.4"\]*'

say 'Now the thread is short ...'
thread '{"op":"render","at":"@t0"}' '  system: "You help travellers. Be exact."
  assistant: "Asked for the last train to Dresden; trains at 21:04 and 22:12."
  assistant: "At 21:04."
  assistant: "Correction: the last train leaves at 22:12."'

say '... and the past is as it was: @c1 has the bytes it was committed with, the page included.'
thread '{"op":"render","at":"@c1"}' '  system: "You help travellers. Be exact."
  user: "Timetable 2024: works on the line in May."
  user: "When does the last train to Dresden leave?"
  assistant: {"name":"timetable","to":"Dresden"}
  tool: "21:04, 22:12"'
[ "$(field sha256)" = "$preview" ] || { echo 'demo: @c1 changed' >&2; exit 1; }

say 'What each commit did, newest first; and a check of every invariant and every hash.'
shown '{"op":"log"}' '*"cycle":3,*"cycle":2,*"cycle":1,*'
shown '{"op":"verify"}' '{"ok":true,"result":{"ok":true,"problems":\[\]}}'

# verb 'ARGUMENTS' PATTERN: runs a verb on the session and checks what it prints against a shell pattern.
verb() {
  local out
  # shellcheck disable=SC2086 # words of a command line
  out=$(eval "\"\$pactdb\" $1" 2>&1 <"$session") || true
  printf '\n$ pactdb %s\n%s\n' "$1" "$(sed -E 's/([0-9a-f]{8})[0-9a-f]{56}/\1.../' <<<"$out")"
  # shellcheck disable=SC2053 # a pattern, not a text
  [[ $out == $2 ]] || { printf 'demo: expected something like %s\n' "$2" >&2; exit 1; }
}

say 'The same session for people: the requests above are a script that the verbs of the command read.'
verb 'tree' '*block:3.1*summary*block:2.1*'
verb 'tree --at @c1' '*block:1.6*document*ttl 0*Timetable 2024*'
verb 'log' '@c3*@c2*@c1*'
verb 'diff @c2 @c3' '*- block:1.2*+ block:3.1*summary*'
say 'Where did the page go, and the question?'
verb 'life block:1.6' '*born*sealed*expired*its ttl ended*'
verb 'life block:1.2' '*born*sealed*pruned*max_nodes*'
verb "select '@c1 .block[role=user]'" 'block:1.2*Dresden*'
say 'A mistake is shown where it is.'
verb "select '.block[role=user'" "*expected ']'*^*"
verb 'verify' '*ok*'

say 'And what the specification asks, answered by running this build (errata and goldens met only by a rule).'
"$pactdb" conformance erratum rule | cut -c1-110
