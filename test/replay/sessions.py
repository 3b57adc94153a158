#!/usr/bin/env python3
"""Random sessions of the oracle's generator: a recording replays, and an exported history imports to the same answers.

usage: test/replay/sessions.py --engine build/pactdb [--seeds 0..200] [--seconds 30]
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "test/oracle"))
import generate  # noqa: E402


def ask(engine, lines, *options):
    text = b"".join(line + b"\n" for line in lines)
    done = subprocess.run([engine, "exec", *options], input=text, stdout=subprocess.PIPE, check=True, timeout=120)
    answers = done.stdout.splitlines()
    if len(answers) != len(lines):
        raise ValueError("%d answers to %d lines" % (len(answers), len(lines)))
    return answers


def request(op, context, **more):
    return json.dumps(dict({"op": op, "context": context}, **more)).encode()


def probes(session):
    """What is read of every context that has snapshots, and must be the same in a copy of it."""
    lines = []
    for name in sorted(session.oracle.contexts):
        snapshots = session.context(name).snapshots
        if not snapshots:
            continue
        lines.append(request("export", name, history=True))
        lines.append(request("log", name, hashes=True))
        for snapshot in snapshots:
            at = "@c%d" % snapshot["cycle"]
            lines += [request(op, name, at=at) for op in ("export", "tree", "serialize", "render")]
    return lines


def check_replay(engine, session, folder):
    log = str(pathlib.Path(folder, "session.log"))
    if ask(engine, session.lines, "--record", log) != ask(engine, session.lines):
        return "a recorded session is answered differently"
    done = subprocess.run([engine, "replay", log], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return None if done.returncode == 0 else done.stdout


def check_export(engine, session):
    asked = probes(session)
    if not asked:
        return None
    answers = ask(engine, session.lines + asked)[len(session.lines):]
    # The copy's own dialect shows where a name is made up for a node without a type, and in what export says it is.
    copies = []
    for line, answer in zip(asked, answers, strict=True):
        # Two refusals would be the same too.
        if not answer.startswith(b'{"ok":true'):
            return "%s\n%s" % (line[:300], answer)
        asking = json.loads(line)
        if asking["op"] == "export" and asking.get("history"):
            document = json.loads(answer)["result"]
            copies.append(request("configure", asking["context"], dialect=document["pactdb"]["dialect"]))
            # As it was answered: numbers and escapes must not pass through another reader.
            raw = answer[len(b'{"ok":true,"result":'):-1]
            copies.append(b'{"op":"import","context":' + json.dumps(asking["context"]).encode() + b',"snapshot":' + raw + b"}")
    again = ask(engine, copies + asked)
    for line, answer in zip(copies, again[:len(copies)], strict=True):
        if not answer.startswith(b'{"ok":true'):
            return "%s\n%s" % (line[:300], answer)
    for line, first, second in zip(asked, answers, again[len(copies):], strict=True):
        if first != second:
            return "%s\n  first  %s\n  second %s" % (line, first[:2000], second[:2000])
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", required=True)
    parser.add_argument("--seeds", default="0..100000")
    parser.add_argument("--seconds", type=float, default=15)
    given = parser.parse_args()
    first, last = (int(part) for part in given.seeds.split(".."))
    start = time.monotonic()
    seeds = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            session = generate.Session("replay %d" % seed, 60)
            try:
                fault = check_replay(given.engine, session, folder) or check_export(given.engine, session)
            except (ValueError, subprocess.SubprocessError) as error:
                fault = error
            if fault:
                print("seed %d: %s" % (seed, fault))
                return 1
            seeds += 1
            if time.monotonic() - start > given.seconds:
                break
    if not seeds:
        print("no session in %s" % given.seeds)
        return 1
    print("%d sessions replay, and their histories come back" % seeds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
