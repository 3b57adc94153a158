#!/usr/bin/env python3
"""Files of each format version, which every later version must open, and what they say.

test/format/golden has database files and beside each NAME.pactdb a NAME.json: of every context its log with hashes, and
of its working state the hash; and of every commit the tree hash, as the file's own tables have it. The test copies each file and compares: read as it is, verified, then opened for writing
(which brings an older one up to date), where commits go on, keys are answered and ids stay taken.

usage: golden_files.py --pactdb PROGRAM                        the test
       golden_files.py --pactdb PROGRAM --make [--overwrite]   makes the files of the program's version

Files that were released are never made anew: --make refuses to touch one that is there unless told to overwrite.
"""
import argparse
import contextlib
import hashlib
import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / "golden"
VERSION = 1
# Long enough to be kept by hash, and to be worth compressing.
LONG = "A sentence that comes again and again, number {0}. " * 60


def run(program, file, requests, *flags):
    """Answers of `exec FILE`, each with its result or its error."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run([program, "exec", *flags, str(file)], input=lines, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def must(answers):
    for answer in answers:
        if not answer["ok"]:
            raise SystemExit(f"refused: {answer['error']}")
    return [answer["result"] for answer in answers]


# ---- what the files hold --------------------------------------------------------------------------------------------

def turn(context, number, **more):
    text = LONG.format(number) if number % 3 == 0 else f"message {number}"
    user = {"role": "user", "content": text, "offset": number}
    if number % 4 == 0:
        user |= {"id": f"{context}-given-{number}", "key": f"k{number}", "tags": ["web"], "data_n": number}
    if number % 5 == 0:
        user["ttl"] = 2
    return [{"op": "add", "context": context, "node": user},
            {"op": "add", "context": context, "node": {"role": "assistant", "content": {"parts": [number, None, "é"]}}},
            {"op": "commit", "context": context} | more]


def configure(context, **more):
    return [{"op": "configure", "context": context, "clock": {"start_ns": 1700000000000000000, "step_ns": 1000}} | more]


def conversation():
    """One context, plain."""
    script = configure("main")
    for number in range(1, 8):
        script += turn("main", number)
    return script


def everything():
    """Forks of forks, tags, gaps that retention left, keys, a journal, an import, deleted and renamed contexts."""
    script = configure("main", journal="on")
    for number in range(1, 11):
        script += turn("main", number, idempotency_key=f"turn-{number}")
    script += [{"op": "tag", "name": "kept", "at": "@c3"}, {"op": "gc", "keep_last": 4}]
    for number in range(11, 15):
        script += turn("main", number, idempotency_key=f"turn-{number}")
    script += [{"op": "tag", "name": "late", "at": "@c12"}, {"op": "fork", "at": "@c9", "name": "branch"},
               {"op": "fork", "at": "@c11", "name": "going"}]
    script += turn("branch", 20) + turn("branch", 21) + turn("going", 22)
    script += [{"op": "fork", "context": "branch", "at": "@t0", "name": "twig"},
               {"op": "fork", "context": "going", "at": "@t0", "name": "heir"}]
    script += turn("twig", 30) + turn("heir", 31)
    script += [{"op": "contexts", "action": "delete", "name": "going"}, {"op": "contexts", "action": "rename", "name": "twig", "to": "renamed"}]
    script += configure("log")
    script += [{"op": "import", "context": "log",
                "log": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": LONG.format(0)}]}]
    script += [{"op": "add", "node": {"id": "open", "role": "user", "content": "not committed"}},
               {"op": "add", "node": {"role": "tool", "content": LONG.format(99)}}, {"op": "pin", "id": "open"}]
    return script


SCRIPTS = {"conversation": conversation, "everything": everything}


# ---- what they say --------------------------------------------------------------------------------------------------

def describe(program, file):
    """Every context: its log with hashes, the hashes of its snapshots' trees, and of its working state."""
    said = {}
    for name in [entry["name"] for entry in must(run(program, file, [{"op": "contexts", "action": "list"}], "--read"))[0]]:
        log, stats = must(run(program, file, [{"op": "log", "context": name, "hashes": True},
                                              {"op": "stats", "context": name}], "--read"))
        trees = must(run(program, file, [{"op": "serialize", "context": name, "at": f"@c{line['cycle']}"} for line in log],
                         "--read"))
        said[name] = {"log": log, "working": stats["tree_sha256"], "serialized": [digest(tree) for tree in trees]}
    return said


def rows(file):
    """Context, number and tree hash of every commit, by the view that people read; needs no program of ours."""
    with contextlib.closing(sqlite3.connect(f"file:{file}?immutable=1", uri=True)) as database:
        return [list(row) for row in database.execute("SELECT context, number, tree_sha256 FROM log ORDER BY 1, 2")]


def digest(value):
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def check(program, golden, room):
    expected = json.loads(golden.with_suffix(".json").read_text())
    copy = room / golden.name
    shutil.copyfile(golden, copy)
    if describe(program, copy) != expected["contexts"]:
        yield "read as it is, it says something else"
    if rows(copy) != expected["rows"]:
        yield "its commits have other tree hashes"
    if subprocess.run([program, "verify", copy], stdout=subprocess.PIPE, check=False).returncode != 0:
        yield "it does not verify"
    if golden.read_bytes() != copy.read_bytes():
        yield "reading changed it"
    for key, cycle in expected["keys"].items():
        answer = run(program, copy, [{"op": "commit", "idempotency_key": key}])[0]
        if not answer["ok"] or answer["result"]["cycle"] != cycle:
            yield f"the key {key} is not answered: {answer}"
    for taken in expected["ids"]:
        answer = run(program, copy, [{"op": "add", "node": {"id": taken}}])[0]
        if answer["ok"] or answer["error"]["code"] != "E_ID_EXISTS":
            yield f"the id {taken} is not taken: {answer}"
    if describe(program, copy) != expected["contexts"]:
        yield "after a writer had it, it says something else"
    must(run(program, copy, [{"op": "commit", "context": name} for name in expected["contexts"]]))
    for name, said in describe(program, copy).items():
        if said["log"][1:] != expected["contexts"][name]["log"]:
            yield f"after a commit of {name} the log before it is another"
    if subprocess.run([program, "verify", copy], stdout=subprocess.PIPE, check=False).returncode != 0:
        yield "after a commit it does not verify"


# ---- making them ----------------------------------------------------------------------------------------------------

def make(program, overwrite):
    FOLDER.mkdir(exist_ok=True)
    for name, script in SCRIPTS.items():
        path = FOLDER / f"v{VERSION}-{name}.pactdb"
        if path.exists() and not overwrite:
            raise SystemExit(f"{path} is there: a file that was released is never made anew (--overwrite does)")
        path.unlink(missing_ok=True)
        must(run(program, path, script(), "--create"))
        requests = script()
        keys = {request["idempotency_key"]: number + 1 for number, request in
                enumerate(r for r in requests if r["op"] == "commit" and r.get("context") == "main")
                if "idempotency_key" in request}
        ids = [request["node"]["id"] for request in requests
               if request["op"] == "add" and request.get("context", "main") == "main" and "id" in request["node"]]
        said = {"keys": keys, "ids": ids, "contexts": describe(program, path), "rows": rows(path)}
        path.with_suffix(".json").write_text(json.dumps(said, indent=1, sort_keys=True) + "\n")
        print(f"{path.name}: {path.stat().st_size} bytes, {len(said['contexts'])} contexts")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pactdb", default="build/pactdb")
    parser.add_argument("--make", action="store_true")
    parser.add_argument("--overwrite", action="store_true")
    args = parser.parse_args()
    program = str(pathlib.Path(args.pactdb).resolve())
    if args.make:
        make(program, args.overwrite)
        return 0
    goldens = sorted(FOLDER.glob("*.pactdb"))
    faults = []
    with tempfile.TemporaryDirectory() as room:
        for golden in goldens:
            faults += [f"{golden.name}: {fault}" for fault in check(program, golden, pathlib.Path(room))]
    print("\n".join(faults) if faults else f"{len(goldens)} files of released formats open and say what they said")
    return 1 if faults or not goldens else 0


if __name__ == "__main__":
    sys.exit(main())
