#!/usr/bin/env python3
"""Alternatives in Python, Debian's git and SQLite among them, on the workload of pactdb_compare.

usage: lists.py list|reference|git TURNS.jsonl FOLDER         prints {"who","what","value"} a line, in ns and bytes

list:       a Python list of messages, dumped whole into SQLite after every turn (WAL, synchronous=FULL)
reference:  the documents' Python: the tree of dictionaries, serialized whole after every turn into a file that is synced
git:        a file a node, a commit a turn, by fast-import; then git diff and git archive as processes
"""
import json
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "test" / "differential"))
import reference  # noqa: E402

TIMED = 100


def say(who, what, value):
    print(json.dumps({"who": who, "what": what, "value": value}))


def timed(work):
    start = time.perf_counter_ns()
    result = work()
    return time.perf_counter_ns() - start, result


def repeat(times, work):
    return statistics.median(timed(work)[0] for _ in range(times))


def blocks(number, turn):
    return [{"id": f"block:{number}.{k}", "role": role, "kind": kind, "content": text}
            for k, (role, kind, text) in enumerate(turn, 1)]


def run_list(turns, folder):
    who = "Python list, json.dumps, SQLite"
    path = folder / "list.sqlite"
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE checkpoints(step INTEGER PRIMARY KEY, state BLOB)")
    messages = []
    samples = []

    def step(number, turn):
        messages.extend(blocks(number, turn))
        database.execute("INSERT INTO checkpoints VALUES(?, ?)", (number, json.dumps(messages)))

    for number, turn in enumerate(turns, 1):
        samples.append(timed(lambda: step(number, turn))[0])
    say(who, "step", statistics.median(samples[-TIMED:]))

    def state(number):
        return json.loads(database.execute("SELECT state FROM checkpoints WHERE step = ?", (number,)).fetchone()[0])

    say(who, "read", repeat(5, lambda: state(len(turns) // 2)))

    def diff():
        older = {m["id"]: m for m in state(len(turns) - 1)}
        return [m["id"] for m in state(len(turns)) if older.get(m["id"]) != m]

    say(who, "diff", repeat(5, diff))
    say(who, "bytes", len(json.dumps(messages)))
    database.close()


def run_reference(turns, folder):
    who = "the documents' Python reference"
    seq = {"id": "seq", "nodeType": "^seq", "children": []}
    root = {"id": "root", "nodeType": "^root", "children": [seq]}

    def node(identifier, node_type, number, index, **extra):
        return {"id": identifier, "nodeType": node_type, "offset": 0, "ttl": None, "priority": 0, "cycle": number,
                "created_at_ns": number * 1000 + index, "created_at_iso": "2023-11-14T22:13:20.000000000Z",
                "creation_index": index, **extra}

    def commit(number, turn, keep):
        core = node(f"cont:{number}.0", "mc", number, 0, children=[])
        for k, (role, kind, text) in enumerate(turn, 1):
            block = node(f"block:{number}.{k}", "cb", number, k, role=role, kind=kind, content=text)
            block["content_hash"] = reference.content_hash(block)
            core["children"].append(block)
        seq["children"].append(node(f"seg:{number}", "mt", number, 9, children=[core]))
        if keep:
            data = reference.serialize(root)
            with open(folder / f"snapshot-{number}.json", "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            return len(data)
        return 0

    first_kept = {len(turns) // 2, *range(len(turns) - 10, len(turns) + 1)}
    samples = []
    size = 0
    for number, turn in enumerate(turns, 1):
        took, size = timed(lambda: commit(number, turn, number in first_kept))
        if number > len(turns) - 10:
            samples.append(took)
    say(who, "step", statistics.median(samples))
    say(who, "bytes", size)
    say(who, "read", repeat(3, lambda: json.loads((folder / f"snapshot-{len(turns) // 2}.json").read_bytes())))

    def flat(number):
        nodes = {}
        todo = [json.loads((folder / f"snapshot-{number}.json").read_bytes())]
        while todo:
            one = todo.pop()
            todo.extend(one.pop("children", ()))
            nodes[one["id"]] = one
        return nodes

    def diff():
        older, newer = flat(len(turns) - 1), flat(len(turns))
        return [identifier for identifier, one in newer.items() if older.get(identifier) != one]

    say(who, "diff", repeat(3, diff))


def run_git(turns, folder):
    who = "git"
    path = folder / "repository"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", path], check=True)
    importer = subprocess.Popen(["git", "-C", path, "fast-import", "--quiet"], stdin=subprocess.PIPE)
    start = time.perf_counter_ns()
    write = importer.stdin.write
    for number, turn in enumerate(turns, 1):
        write(b"commit refs/heads/main\ncommitter a <a@b> %d +0000\ndata 1\nx\n" % (1700000000 + number))
        for one in [{"id": f"seg:{number}"}, {"id": f"cont:{number}.0"}, *blocks(number, turn)]:
            data = json.dumps(one).encode()
            write(b"M 100644 inline %03d/%d/%s\ndata %d\n%s\n" % (number // 1000, number, one["id"].encode(), len(data), data))
    importer.stdin.close()
    if importer.wait():
        sys.exit("git fast-import failed")
    say(who, "step", (time.perf_counter_ns() - start) / len(turns))
    run = ["git", "-C", path]
    shown = subprocess.run(run + ["diff", "--name-status", "main~1", "main"], check=True, stdout=subprocess.PIPE).stdout
    assert len(shown.splitlines()) == 10, shown
    say(who, "diff", repeat(9, lambda: subprocess.run(run + ["diff", "--name-status", "main~1", "main"], check=True,
                                                      stdout=subprocess.DEVNULL)))
    say(who, "read", repeat(3, lambda: subprocess.run(run + ["archive", f"main~{len(turns) - len(turns) // 2}"], check=True,
                                                      stdout=subprocess.DEVNULL)))
    say(who, "bytes", sum(file.stat().st_size for file in path.rglob("*.pack")) / len(turns))


def main():
    which, file, folder = sys.argv[1:4]
    turns = [json.loads(line) for line in pathlib.Path(file).read_text(encoding="utf-8").splitlines()]
    {"list": run_list, "reference": run_reference, "git": run_git}[which](turns, pathlib.Path(folder))


if __name__ == "__main__":
    main()
