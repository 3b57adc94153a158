"""The same scripts give the same hashes: from every compiler, at every level of optimisation, under any locale, time
zone and address layout.

Runs the seeded scripts of scripts.py through a command and compares a digest of each with digests.txt. A digest is
over the ids and hashes that the answers hold, over the codes of the errors, and over the result of a range with its
content differences: nothing that wording could change. Every build of the test suite runs it, and
tools/determinism.sh runs it on builds made for the purpose.

usage: determinism.py PACTDB [--count N] [--write]

--write makes digests.txt anew, which is right only when a change of bytes was intended.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys

import scripts

HERE = os.path.dirname(os.path.abspath(__file__))
DIGESTS = os.path.join(HERE, "digests.txt")
BATCH = 50  # scripts in one run of the command, a context each

COMMIT = ("cycle", "sealed", "expired", "cascaded", "pruned", "deferred", "thread_sha256", "tree_sha256")
LOG = ("cycle", "committed_at_iso", "added", "removed", "changed", "nodes", "thread_sha256")


def essence(op, answer):
    """What of an answer goes into the digest."""
    if not answer["ok"]:
        return answer["error"]["code"]
    result = answer["result"]
    if op == "commit":
        return [result[name] for name in COMMIT]
    if op == "log":
        return [[entry[name] for name in LOG] for entry in result]
    if op in ("render", "serialize"):
        return result["sha256"]
    if op == "import":
        return [result["cycle"], result["nodes"]]
    if op == "configure":
        return None
    if op == "tree":
        return outline(result)
    if op == "select" and isinstance(result, dict):
        return {name: value for name, value in result.items() if name != "warnings"}
    return result  # ids, and the content hash


def outline(node):
    """A tree as its ids and content hashes."""
    return [node["id"], node["content_hash"], [outline(child) for child in node.get("children", [])]]


def digests(pactdb, numbers):
    """The digest of each script."""
    lines, ops = [], []
    for number in numbers:
        for line in scripts.Script(number).lines:
            request = json.loads(line)
            ops.append((number, request["op"]))
            lines.append('{"context":"s%d",%s\n' % (number, line[1:]))
    done = subprocess.run([pactdb, "exec"], input="".join(lines).encode(), stdout=subprocess.PIPE, check=True)
    answers = done.stdout.splitlines()
    if len(answers) != len(lines):
        raise SystemExit(f"{len(lines)} requests, {len(answers)} answers")
    hashes = {number: hashlib.sha256() for number in numbers}
    for (number, op), answer in zip(ops, answers):
        said = json.dumps(essence(op, json.loads(answer)), sort_keys=True, separators=(",", ":"))
        hashes[number].update(said.encode() + b"\n")
    return [hashes[number].hexdigest()[:32] for number in numbers]


def main():
    parser = argparse.ArgumentParser(description="Compares the hashes of seeded scripts with digests.txt.")
    parser.add_argument("pactdb")
    parser.add_argument("--count", type=int, default=scripts.COUNT)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    found = []
    for first in range(0, given.count, BATCH):
        found += digests(given.pactdb, range(first, min(first + BATCH, given.count)))
    if given.write:
        with open(DIGESTS, "w", encoding="ascii") as out:
            out.write("".join(digest + "\n" for digest in found))
        return 0
    with open(DIGESTS, encoding="ascii") as source:
        wanted = source.read().split()[:given.count]
    wrong = [number for number, (want, got) in enumerate(zip(wanted, found)) if want != got]
    for number in wrong[:5]:
        print(f"script {number}: {wanted[number]} wanted, {found[number]} found")
    print(f"{len(found)} scripts, {len(wrong)} with other hashes")
    return 1 if wrong or len(wanted) != given.count else 0


if __name__ == "__main__":
    sys.exit(main())
