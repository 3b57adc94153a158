#!/usr/bin/env python3
"""SNAP-4: a file whose commits are answered before they are on the disk holds the same as one whose commits are not.

One session is played into a file with full durability and into one with relaxed durability. The answers differ only in
`durable`; what is read when the files are opened again, every snapshot's bytes and the whole history, does not differ.
A third file, with one commit less, must differ: the comparison can fail.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

TURNS = 12


def session(durability, turns):
    yield {"op": "configure", "clock": {"start_ns": 1000, "step_ns": 1}, "durability": durability,
           "policy": {"max_nodes": 24}}
    yield {"op": "add", "parent": "^sys", "node": {"role": "system", "content": "rule"}}
    for turn in range(turns):
        yield {"op": "add", "node": {"role": "user", "content": f"question {turn}", "ttl": turn % 3}}
        yield {"op": "add", "node": {"role": "assistant", "content": "é" * 1000 * (turn % 4), "offset": 1}}
        yield {"op": "commit"}


def questions():
    yield {"op": "log"}
    yield {"op": "export", "history": True}
    yield {"op": "verify"}
    for turn in range(1, TURNS):
        yield {"op": "serialize", "at": f"@c{turn}"}
        yield {"op": "render", "at": f"@c{turn}"}


def ask(command, requests):
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    got = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True, check=True)
    answers = [json.loads(line) for line in got.stdout.splitlines()]
    for answer in answers:
        if not answer["ok"]:
            sys.exit(f"a request was refused: {answer}")
    return [answer["result"] for answer in answers]


def play(pactdb, path, durability, turns):
    """(the commits' answers without `durable`, the set of `durable`, what the file says when it is opened again)."""
    answers = ask([pactdb, "exec", "--create", path], session(durability, turns))
    commits = [dict(answer) for answer in answers if "sealed" in answer]
    durable = {commit.pop("durable") for commit in commits}
    return commits, durable, ask([pactdb, "exec", path], questions())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pactdb", required=True, help="the command")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = pathlib.Path(folder)
        full = play(options.pactdb, files / "full.pactdb", "full", TURNS)
        relaxed = play(options.pactdb, files / "relaxed.pactdb", "relaxed", TURNS)
        shorter = play(options.pactdb, files / "shorter.pactdb", "relaxed", TURNS - 1)
    faults = []
    if full[1] != {True} or relaxed[1] != {False}:
        faults.append(f"durable: {full[1]} with full, {relaxed[1]} with relaxed durability")
    if full[0] != relaxed[0]:
        faults.append("the commits' answers differ")
    if full[2] != relaxed[2]:
        faults.append("the files differ in what they hold")
    if shorter[2] == relaxed[2]:
        faults.append("the control, a file with one commit less, does not differ")
    print("\n".join(faults) if faults else f"{TURNS} commits, the same from both files")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
