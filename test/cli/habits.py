#!/usr/bin/env python3
"""What holds for every verb: the examples of its help run, JSON is JSON, bad input is refused and never crashes it."""

import argparse
import json
import os
import random
import re
import sys

import transcript

# Verbs that look at a FILE, with the arguments that come before it.
READERS = {"tree": "", "show": "block:1.2", "log": "", "render": "", "life": "block:1.2", "select": "'.block'",
           "verify": "", "stats": "", "diff": "@t0 working"}
NASTY = [
    b"", b"\0", b"{", b"[", b"null", b"7", b'"', b"[[[[", b"\xef\xbb\xbf[]", b'{"op":', b'{"op":7}', b'{"op":"commit"',
    b'{"root":null}', b'{"root":[]}', b'{"root":{}}', b'{"root":{"children":7}}', b'[1]', b'[{}]', b'[{"role":7}]',
    b'{"root":{"children":[{"id":"\xff"}]}}', b'[{"role":"user","content":"\\ud800"}]', b"[" * 100000,
    b'{"root":' * 5000, b'{"root":{"id":"a","children":[{"id":"a","nodeType":"^sys"}]}}', b"[1e999]", b"[-0]",
    b'{"cycle":-1,"root":{}}', b'{"spec_version":{},"root":{}}', b'{"op":"import","log":[{"role":"user"}]}\n{"op"',
]


def verbs(shell):
    listing = shell.run("pactdb --help").stdout.decode()
    return re.findall(r"^  (\w+) {5,}", listing.split("--version")[1], re.M)


def examples(shell, verb):
    text = shell.run(f"pactdb help {verb}").stdout.decode().split("Examples:\n")[1]
    return [line.strip() for line in text.split("\n\n")[0].splitlines()]


def check_examples(shell, names):
    for verb in names:
        for file in shell.folder.glob("*.pactdb*"):  # each verb starts with the files of the tests alone
            file.unlink()
        lines = examples(shell, verb)
        if not lines:
            yield f"{verb}: its help shows no example"
        for line in lines:
            done = shell.run("set -o pipefail; " + line)
            if done.returncode != 0:
                yield f"{line}: exit {done.returncode}: {done.stderr.decode()}"
            if not done.stdout and ">" not in line:
                yield f"{line}: it says nothing"


def check_json(shell):
    lines = [f"pactdb {verb} {before} chat.json --json" for verb, before in READERS.items()]
    lines += ["pactdb explain .block --json", "pactdb conformance LIFE --json", "pactdb contexts chat.json --json",
              "pactdb export chat.json", "pactdb import j.pactdb chat.json --json", "pactdb init j.pactdb --context c --json",
              "pactdb add j.pactdb x --json", "pactdb commit j.pactdb --json", "pactdb fork j.pactdb f --json",
              "pactdb tag j.pactdb t --json", "pactdb gc j.pactdb --keep-last 1 --json", "pactdb stats j.pactdb --json",
              "pactdb backup j.pactdb k.pactdb --json", "pactdb repair j.pactdb r.pactdb --json", "pactdb verify j.pactdb --json", "pactdb bench --turns 3 --json",
              "pactdb demo d.pactdb --json"]
    for line in lines:
        done = shell.run(line)
        if done.returncode != 0 or done.stdout.count(b"\n") != 1 or done.stderr:
            yield f"{line}: exit {done.returncode}, not one line, or talk"
        json.loads(done.stdout)


# What goes wrong with each verb that has --json, beside being called in a way that it cannot be; the code it gives.
FAULTS = {
    "tree": ("tree missing.jsonl", "E_STORE_IO"), "show": ("show nobody chat.json", "E_NODE_NOT_FOUND"),
    "log": ("log broken.pactdb", "E_STORE_CORRUPT"), "diff": ("diff @c9 @c1 chat.json", "E_SNAPSHOT_NOT_FOUND"),
    "render": ("render --at @c99 chat.json", "E_SNAPSHOT_NOT_FOUND"), "life": ("life nobody chat.json", "E_NODE_NOT_FOUND"),
    "tokens": ("tokens --at @c99 chat.json", "E_SNAPSHOT_NOT_FOUND"), "simulate": ("simulate missing.json", "E_STORE_IO"),
    "check": ("check --format telegram chat.json", "E_REQUEST_INVALID"), "cache": ("cache chat.json @c98 @c99", "E_SNAPSHOT_NOT_FOUND"),
    "lint": ("lint missing.json", "E_STORE_IO"), "select": ("select '.block[role=user' chat.json", "E_SELECTOR_INVALID"),
    "explain": ("explain '.block['", "E_SELECTOR_INVALID"), "contexts": ("contexts a.pactdb --delete nobody", "E_CONTEXT_NOT_FOUND"),
    "export": ("export --at @c99 chat.json", "E_SNAPSHOT_NOT_FOUND"), "init": ("init a.pactdb", "E_CONTEXT_EXISTS"),
    "import": ("import a.pactdb broken.json", "E_IMPORT_INVALID"), "add": ("add a.pactdb --parent nobody x", "E_NODE_NOT_FOUND"),
    "commit": ("commit a.pactdb --expect-cycle 77", "E_CONFLICT"), "fork": ("fork a.pactdb f --at @c99", "E_SNAPSHOT_NOT_FOUND"),
    "tag": ("tag a.pactdb t --at @c99", "E_SNAPSHOT_NOT_FOUND"), "verify": ("verify broken.pactdb", "E_STORE_CORRUPT"),
    "stats": ("stats a.pactdb --context nobody", "E_CONTEXT_NOT_FOUND"), "gc": ("gc a.pactdb --older-than never", "E_REQUEST_INVALID"),
    "backup": ("backup a.pactdb chat.json", "E_STORE_IO"), "repair": ("repair chat.json r.pactdb", "E_STORE_CORRUPT"),
    "replay": ("replay chat.json", "E_IMPORT_INVALID"), "conformance": ("conformance nonsense", "E_REQUEST_INVALID"),
    "bench": ("bench --folder /nowhere", "E_STORE_IO"), "demo": ("demo chat.json", "E_STORE_IO"),
}


def fault_of(done):
    """The error of a call with --json: one line on standard output; people are told on standard error."""
    if done.returncode != 2 or done.stdout.count(b"\n") != 1 or not done.stderr.startswith(b"pactdb: "):
        raise ValueError(f"exit {done.returncode}, {done.stdout!r}, {done.stderr!r}")
    answer = json.loads(done.stdout)
    if list(answer) != ["error"] or list(answer["error"]) != ["code", "message", "details"]:
        raise ValueError(f"not an error: {answer}")
    return answer["error"]


def check_json_errors(shell, names):
    shell.run("rm -f *.pactdb; pactdb import a.pactdb chat.json")
    (shell.folder / "broken.pactdb").write_bytes(b"not a database")
    (shell.folder / "broken.json").write_bytes(b'[{"role":"user","content":"x"},\n {"role":7}]')
    if missing := set(names) - set(FAULTS) - {"exec", "shell"}:
        yield f"no fault is known of {missing}"
    for verb, (line, code) in FAULTS.items():
        calls = [(f"pactdb {line} --json", code), (f"pactdb {verb} --json --nonsense", "E_REQUEST_INVALID")]
        for call, wanted in calls:
            try:
                error = fault_of(shell.run(call))
            except ValueError as fault:
                yield f"{call}: {fault}"
                continue
            if error["code"] != wanted or not error["message"] or not isinstance(error["details"], dict):
                yield f"{call}: {error}"
        if shell.run(f"pactdb {line}").stdout:
            yield f"{line}: an error on standard output without --json"
    for call, details in (("log missing.pactdb", {"errno": 2, "path": "missing.pactdb"}),
                          ("import a.pactdb broken.json", {"entry": 1, "pos": 33, "path": "broken.json"}),
                          ("select '.block[role=user' chat.json", {"pos": 16, "token": ""})):
        error = fault_of(shell.run(f"pactdb {call} --json"))
        if error["details"] != details:
            yield f"{call}: details {error['details']}"
    for call in ("nonsense --json", "--json", "log --json --limit x chat.json"):
        fault_of(shell.run(f"pactdb {call}"))
    # A text that looks like the option is none.
    if shell.run("pactdb add a.pactdb --parent nobody -- --json").stdout:
        yield "--json behind -- was taken for the option"
    lines = shell.run("printf 'show nobody --json\\nlog --limit 1 --json\\n' | pactdb shell a.pactdb").stdout.splitlines()
    if len(lines) != 2 or "error" not in json.loads(lines[0]) or not isinstance(json.loads(lines[1]), list):
        yield f"in a shell: {lines}"


def mutations(shell, count):
    rng = random.Random(7)
    originals = [(shell.folder / name).read_bytes() for name in ("session.jsonl", "chat.json", "snapshot.json")]
    for _ in range(count):
        data = bytearray(rng.choice(originals))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            kind = rng.randrange(4)
            if kind == 0:
                data[at] = rng.randrange(256)
            elif kind == 1:
                del data[at:at + rng.randint(1, 40)]
            elif kind == 2:
                data[at:at] = rng.choice([b'"', b"{", b"]", b",", b"\0", b"\\u0000", b"\xf0\x9f", b"9" * 30])
            else:
                del data[at:]
            if not data:
                break
        yield bytes(data)


def check_bad_input(shell, count):
    inputs = NASTY + list(mutations(shell, count))
    for number, data in enumerate(inputs):
        names = READERS if number < len(NASTY) else [list(READERS)[number % len(READERS)]]
        for verb in names:
            done = shell.run(f"pactdb {verb} {READERS[verb]}", data)
            what = f"{verb} of {data[:80]!r} ({number})"
            if done.returncode not in (0, 1, 2):
                yield f"{what}: exit {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}"
            if done.returncode == 2 and (not done.stderr.startswith(b"pactdb: ") or done.stdout):
                yield f"{what}: an error is told on standard error alone"
            done.stdout.decode("utf-8")


def check_numbers(shell, names):
    """Every option that takes a number takes decimal ones that fit, and no others."""
    seen = 0
    for verb in names:
        text = shell.run(f"pactdb help {verb}").stdout.decode()
        for option in re.findall(r"^  (--[\w-]+) INT", text, re.M):
            seen += 1
            for value in ("99999999999999999999", "-9223372036854775809", "9223372036854775808", "010", "-07", "00", "0x10",
                          "0b1", "1e3", "1.5", "+-5", "--5", "'5 '", "' 5'", "1_000", "x", "''"):
                done = shell.run(f"pactdb {verb} {option}={value} chat.json")
                said = done.stderr.decode()
                if done.returncode != 2 or not said.startswith(f"pactdb: {option}: '") or "--help'" not in said:
                    yield f"{verb} {option}={value}: exit {done.returncode}, {said}"
    if seen < 10:
        yield f"only {seen} options with numbers were found"
    shell.run("pactdb init numbers.pactdb")
    for value in ("0", "+5", "-7", "10", "9223372036854775807", "-9223372036854775808"):
        done = shell.run(f"pactdb add numbers.pactdb x --priority={value} > id && pactdb show $(cat id) numbers.pactdb --json")
        if done.returncode != 0 or json.loads(done.stdout)["priority"] != int(value):
            yield f"--priority={value}: exit {done.returncode}, {done.stdout.decode()} {done.stderr.decode()}"


def check_lost_output(shell):
    """What cannot be written is told, and is an error."""
    shell.run("pactdb exec --record lost.log < session.jsonl > answers.jsonl")
    lines = [f"pactdb {verb} {before} chat.json" for verb, before in READERS.items()]
    lines += ["pactdb --help", "pactdb --version", "pactdb help log", "pactdb log --help", "pactdb replay lost.log",
              "pactdb replay lost.log --json", "echo '{\"op\":\"stats\"}' | pactdb exec", "pactdb export chat.json",
              "pactdb init lost.pactdb", "echo log | pactdb shell lost.pactdb", "pactdb explain .block", "pactdb generate bash",
              "pactdb conformance LIFE", "pactdb tokens chat.json", "pactdb contexts chat.json"]
    for line in lines:
        for to, why in ((">&-", "Bad file descriptor"), ("> /dev/full", "No space left on device")):
            shell.run("rm -f lost.pactdb*; pactdb init lost.pactdb; pactdb add lost.pactdb x --commit" if "shell" in line
                      else "rm -f lost.pactdb*")
            done = shell.run(f"{line} {to}")
            if done.returncode != 2 or done.stderr.decode() != f"pactdb: standard output: {why}\n":
                yield f"{line} {to}: exit {done.returncode}, {done.stderr.decode()}"


def check_exec_unharmed(shell):
    """A verb's name as data, options that look like others', an empty argument."""
    for line in ("pactdb show '' session.jsonl", "pactdb select '' session.jsonl", "pactdb tree --at '' session.jsonl",
                 "pactdb tree --pointer / dialogues.json", "pactdb explain ''", "pactdb life root session.jsonl",
                 "pactdb conformance nonsense", "pactdb conformance --cases missing.jsonl",
                 "pactdb conformance --cases chat.json"):
        done = shell.run(line)
        if done.returncode not in (0, 1, 2):
            yield f"{line}: exit {done.returncode}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pactdb", default="build/pactdb")
    parser.add_argument("--count", type=int, default=200 * int(os.environ.get("PACTDB_TEST_SCALE", "100")) // 100)
    options = parser.parse_args()
    shell = transcript.Shell(options.pactdb)
    names = verbs(shell)
    faults = list(check_examples(shell, names)) + list(check_json(shell)) + list(check_json_errors(shell, names))
    faults += list(check_lost_output(shell)) + list(check_numbers(shell, names)) + list(check_bad_input(shell, options.count)) + list(check_exec_unharmed(shell))
    shell.close()
    print("\n".join(faults) if faults else f"{len(names)} verbs keep the habits")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
