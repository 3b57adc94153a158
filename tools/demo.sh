#!/usr/bin/env bash
# A recorded conversation of an agent (examples/agent.jsonl) in a real file, told with the command: commits, selectors,
# time travel, a range of differences, the thread a model is sent, a fork, kill -9 in the middle and what is there
# afterwards, verify. Every step is shown as a user would type it, then what it answers; the demo stops with an error
# at the first step that does not give what it should.
#
# usage: tools/demo.sh [COMMAND]      COMMAND is build/pactdb unless given
set -euo pipefail
cd "$(dirname "$0")/.."
pactdb=${1:-build/pactdb}
[ -x "$pactdb" ] || { echo "demo: there is no $pactdb; run make build first" >&2; exit 1; }
pactdb=$(realpath "$pactdb")

folder=$(mktemp -d)
agent=
trap '[ -z "$agent" ] || { kill -9 "$agent"; wait "$agent"; } 2>/dev/null || true; rm -rf "$folder"' EXIT
cp examples/agent.jsonl "$folder"
mkdir "$folder/bin"
ln -s "$pactdb" "$folder/bin/pactdb"
export PATH="$folder/bin:$PATH"
cd "$folder"

say() { printf '\n# %s\n' "$@"; }

# step 'COMMAND LINE' PATTERN [EXIT CODE]: shows and runs it, and checks what it says against a shell pattern, and how it
# ends: with 0 unless told. The hash of no bytes at all is nothing to show.
step() {
  local out code=0
  printf '$ %s\n' "$1"
  out=$(eval "$1" 2>&1) || code=$?
  printf '%s\n' "$out" | sed -E 's/([0-9a-f]{8})[0-9a-f]{56}/\1.../g' | cut -c1-150
  # shellcheck disable=SC2053 # a pattern, not a text
  [[ $out == $2 ]] || { printf 'demo: expected something like %s\n' "$2" >&2; exit 1; }
  [ "$code" -eq "${3:-0}" ] || { printf 'demo: expected exit code %d, not %d\n' "${3:-0}" "$code" >&2; exit 1; }
  [[ $out != *e3b0c44298fc1c14* ]] || { echo 'demo: there are no bytes to hash' >&2; exit 1; }
}

say 'A conversation of an agent: requests as an agent sends them, one JSON object a line. Here are some.'
step 'grep -n tool agent.jsonl' '*timetable*fares*'
say 'They go into a database file. Every commit is on the disk when it is answered.'
step 'pactdb exec --create trip.pactdb < agent.jsonl > answers.jsonl && tail -n 1 answers.jsonl' '*"cycle":4*"durable":true*'

say 'What each commit did, newest first.'
step 'pactdb log trip.pactdb' '@c4*@c3*priced*@c2*@c1*'
say 'The context now: old turns were pruned by the policy, a summary stands for the first.'
step 'pactdb tree trip.pactdb' '*assistant/summary*Booked*'

say 'Time travel: the first snapshot is as it was, with the page that has expired since.'
step 'pactdb tree --at @c1 trip.pactdb' '*document*ttl 0*Timetable 2024*'
step 'pactdb life block:1.6 trip.pactdb' '*born*sealed*expired*its ttl ended*'
step 'pactdb diff @c1 @c2 trip.pactdb' '*- block:1.6*+ block:2.1*At 21:04.*'
say 'A selector finds nodes; a range of snapshots answers what came, went and changed between each two.'
step "pactdb select '@c3 .block[role=assistant]' trip.pactdb" '*41.20 euros*Correction*'
step "pactdb select '@c1..@c4 .block[role=assistant]' trip.pactdb" '@c3 .. @c4*@c2 .. @c3*+ block:3.0*@c1 .. @c2*+ block:2.1*'

say 'The thread that the model was sent at @c3, and the very bytes of it.'
step 'pactdb render --at priced trip.pactdb' '*assistant*Correction*user*Thank you*tool*41.20*'
step 'pactdb render --at @c3 --body trip.pactdb | sha256sum' '*  -'

say 'What if it had gone otherwise? A fork shares the past and goes on by itself.'
step 'pactdb fork trip.pactdb cheaper --at @c3' 'cheaper from @c3*'
step "pactdb add trip.pactdb --context cheaper --role user 'Is there a cheaper one?' --commit" 'block:4.1*@c4*'
step 'pactdb diff main@c4 cheaper@c4 trip.pactdb' '*cheaper one*'
step 'pactdb contexts trip.pactdb' '*cheaper*main*'

say 'kill -9 in the middle: an agent that commits turn after turn is killed while it does.'
cat >agent.sh <<'SCRIPT'
for ((n = 1; ; ++n)); do
  printf '{"op":"add","node":{"role":"user","content":"question %d"}}\n{"op":"commit","hashes":false}\n' "$n"
done
SCRIPT
cat <<'SHOWN'
$ pactdb exec trip.pactdb < <(bash agent.sh) > acknowledged.jsonl & agent=$!
$ pactdb commit trip.pactdb
SHOWN
: >acknowledged.jsonl  # there before the agent is
pactdb exec trip.pactdb < <(bash agent.sh 2>/dev/null) >>acknowledged.jsonl & agent=$!
for ((waited = 0; $(grep -c durable acknowledged.jsonl) < 3; ++waited)); do
  kill -0 "$agent" 2>/dev/null || { echo 'demo: the agent ended by itself' >&2; exit 1; }
  [ "$waited" -lt 600 ] || { echo 'demo: the agent has not committed three turns in a minute' >&2; exit 1; }
  sleep 0.1
done
code=0
out=$(pactdb commit trip.pactdb 2>&1) || code=$?
printf '%s\n' "$out"
[[ $code -eq 2 && $out == *"E_STORE_BUSY: process $agent writes"* ]] ||
  { echo 'demo: expected it to be busy' >&2; exit 1; }
step 'pactdb log --limit 1 trip.pactdb' '@c*'
echo "\$ kill -9 \$agent"
kill -9 "$agent"
wait "$agent" 2>/dev/null || true
agent=
acknowledged=$(grep -o '"cycle":[0-9]*,"sealed"' acknowledged.jsonl | tail -n 1 | grep -o '[0-9]*')
say "It was told that @c$acknowledged is on the disk, so that must be there; perhaps one more, whose answer was lost."
step 'pactdb log --limit 2 trip.pactdb' "*@c$acknowledged*"
say 'Nothing is broken, and the next turn goes on. What is not committed is kept in the journal.'
step 'pactdb verify trip.pactdb' 'ok'
step "pactdb add trip.pactdb --role user 'Still there?'" 'block:*'
step 'pactdb diff @t0 working trip.pactdb' '*Still there?*'

say 'Old snapshots can go, but for tagged ones; a copy is taken while others write.'
step 'pactdb gc trip.pactdb --keep-last 2 --dry-run' '*would go*'
step 'pactdb backup trip.pactdb copy.pactdb && pactdb log --limit 1 copy.pactdb' '*@c*'

say 'And all this at a prompt, with history and completion: pactdb shell trip.pactdb'
step "printf 'stats\\n@c1 .block[tag=web]\\n' | pactdb shell trip.pactdb" '*snapshots*block:1.6*Timetable*'
say 'A mistake is shown where it is.'
step "pactdb select '.block[role=user' trip.pactdb" "*expected ']'*^*" 2
