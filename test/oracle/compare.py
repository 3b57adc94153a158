#!/usr/bin/env python3
"""Runs random sessions through `pactdb exec` and through the oracle and compares the answers.

    compare.py --engine build/pactdb --seeds 0..300 --steps 60 --seconds 30
    compare.py --self-check --seeds 0..100

A mismatch prints the seed, the request and both answers, writes a shortened session to a file
(oracle-mismatch-<seed>.jsonl in --out) and ends with exit code 1. --keep-going counts the kinds of
mismatch instead of stopping at the first. --replay FILE runs a file of request lines.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import generate  # noqa: E402
import invariants  # noqa: E402
from oracle import Oracle  # noqa: E402

ANSWER_SECONDS_MAX = 60
MINIMISE_SECONDS_MAX = 20


# --- running --------------------------------------------------------------------------------------

def run_engine(command, lines):
    """Answer lines (bytes) of the engine, and its exit status (None if it hung)."""
    text = b"".join(line + b"\n" for line in lines)
    try:
        done = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=ANSWER_SECONDS_MAX, check=False)
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").splitlines(), None
    return done.stdout.splitlines(), done.returncode


def run_oracle(lines):
    oracle = Oracle()
    return [oracle.serve_line(line) for line in lines]


# --- comparing ------------------------------------------------------------------------------------

def op_of(line):
    try:
        request = json.loads(line)
    except ValueError:
        return "(not JSON)"
    return request.get("op") if isinstance(request, dict) else "(not an object)"


def comparable(op, answer):
    """What of an answer must agree: for errors the code, for some results a part."""
    kept = {"ok": answer.get("ok")}
    if "tag" in answer:
        kept["tag"] = answer["tag"]
    if answer.get("ok") is not True:
        error = answer.get("error")
        kept["code"] = error.get("code") if isinstance(error, dict) else error
        return kept
    result = answer.get("result")
    if isinstance(result, dict):
        result = dict(result)
        if op == "commit" and "tree_sha256" in result:
            result["tree_sha256"] = "compared apart"
        elif op == "stats":
            result = {name: result.get(name) for name in ("cycle", "snapshots", "nodes")}
        elif op == "import":
            result["warnings"] = bool(result.get("warnings"))
            result = {name: result.get(name) for name in ("cycle", "nodes", "warnings")}
    kept["result"] = result
    return kept


def text_of(value):
    """Tells 1, 1.0 and true apart, which Python's == does not."""
    return json.dumps(value, sort_keys=True)


class TreeHashes:
    """Equal logical trees have equal tree_sha256, different ones different."""

    def __init__(self):
        self.of_oracle, self.of_engine = {}, {}

    def agree(self, mine, theirs):
        mine = mine["result"].get("tree_sha256")
        theirs = theirs["result"].get("tree_sha256")
        if mine is None or theirs is None:
            return mine is theirs
        return (self.of_oracle.setdefault(mine, theirs) == theirs
                and self.of_engine.setdefault(theirs, mine) == mine)


class Mismatch:
    def __init__(self, index, line, why, mine, theirs):
        self.index, self.line, self.why, self.mine, self.theirs = index, line, why, mine, theirs

    def kind(self):
        """Two mismatches of one kind are probably one fault."""
        return (op_of(self.line), self.why.split(":")[0], brief(self.mine), brief(self.theirs))


def brief(answer):
    if not isinstance(answer, dict):
        return str(answer)[:40]
    return "ok" if answer.get("ok") is True else str((answer.get("error") or {}).get("code"))


def first_mismatch(command, lines, known=None):
    """None, or the first line on which the two disagree. `known`: the oracle's answers, if had."""
    answers, status = run_engine(command, lines)
    hashes = TreeHashes()
    for index, (line, mine) in enumerate(zip(lines, known or run_oracle(lines))):
        if index >= len(answers):
            why = "no answer: the engine hung" if status is None else "no answer: exit %d" % status
            return Mismatch(index, line, why, mine, None)
        try:
            theirs = json.loads(answers[index])
        except ValueError:
            text = answers[index].decode("utf-8", "replace")
            return Mismatch(index, line, "not JSON", mine, text)
        why = difference(op_of(line), mine, theirs, hashes)
        if why:
            return Mismatch(index, line, why, mine, theirs)
    if len(answers) > len(lines) or status != 0:
        return Mismatch(len(lines) - 1, lines[-1], "end: %d answers to %d lines, exit %s"
                        % (len(answers), len(lines), status), None, None)
    return None


def difference(op, mine, theirs, hashes):
    """Why the two answers disagree; None if they agree."""
    if not isinstance(theirs, dict):
        return "not an object"
    left, right = comparable(op, mine), comparable(op, theirs)
    if text_of(left) != text_of(right):
        return "at: " + where(left, right)
    if op == "commit" and mine["ok"] and not hashes.agree(mine, theirs):
        return "tree_sha256: equal trees with different hashes, or the reverse"
    return None


def where(left, right, path=""):
    """The path of the first difference between two values."""
    if isinstance(left, dict) and isinstance(right, dict):
        for name in list(left) + [name for name in right if name not in left]:
            if name not in left or name not in right:
                side = "only the engine has it" if name in right else "only the oracle has it"
                return "%s.%s (%s)" % (path, name, side)
            if text_of(left[name]) != text_of(right[name]):
                return where(left[name], right[name], path + "." + name)
    if isinstance(left, list) and isinstance(right, list):
        for index, (one, other) in enumerate(zip(left, right)):
            if text_of(one) != text_of(other):
                return where(one, other, "%s[%d]" % (path, index))
        return "%s (%d against %d items)" % (path, len(left), len(right))
    return "%s oracle %s, engine %s" % (path, text_of(left)[:300], text_of(right)[:300])


# --- minimising -----------------------------------------------------------------------------------

def minimise(command, lines, kept, found):
    """Greedy: drops lines in ever smaller pieces, then fields, while the same kind remains."""
    deadline = time.monotonic() + MINIMISE_SECONDS_MAX
    entries = [(line, index in kept) for index, line in enumerate(lines[:found.index + 1])]

    def still_fails(trial):
        if time.monotonic() > deadline:
            return False
        mismatch = first_mismatch(command, [line for line, _ in trial])
        return mismatch is not None and mismatch.kind() == found.kind()

    if not still_fails(entries):
        return [line for line, _ in entries]
    entries = drop_lines(entries, still_fails)
    return [line for line, _ in drop_fields(entries, still_fails)]


def drop_lines(entries, still_fails):
    size = max(1, len(entries) // 2)
    while True:
        start = 0
        while start < len(entries):
            piece = entries[start:start + size]
            trial = (entries[:start] + [entry for entry in piece if entry[1]]
                     + entries[start + size:])
            if len(trial) < len(entries) and still_fails(trial):
                entries = trial
            else:
                start += size
        if size == 1:
            return entries
        size //= 2


def drop_fields(entries, still_fails):
    for index, (line, is_kept) in enumerate(entries):
        try:
            request = json.loads(line)
        except ValueError:
            continue
        if not isinstance(request, dict):
            continue
        for path in removable_paths(request):
            smaller = json.dumps(without(request, path)).encode()
            trial = entries[:index] + [(smaller, is_kept)] + entries[index + 1:]
            if still_fails(trial):
                entries, request = trial, without(request, path)
    return entries


def removable_paths(request):
    paths = [(name,) for name in request if name not in ("op", "id", "clock", "context")]
    for name in ("node", "set", "policy"):
        if isinstance(request.get(name), dict):
            paths += [(name, field) for field in request[name]]
    return paths


def without(request, path):
    if path[0] not in request or (len(path) == 2 and path[1] not in request[path[0]]):
        return request
    if len(path) == 1:
        return {name: value for name, value in request.items() if name != path[0]}
    inner = {name: value for name, value in request[path[0]].items() if name != path[1]}
    return dict(request, **{path[0]: inner})


# --- reporting ------------------------------------------------------------------------------------

def report(seed, found, path):
    print("MISMATCH seed %s, line %d: %s" % (seed, found.index + 1, found.why))
    print("  request: %s" % found.line.decode("utf-8", "replace")[:2000])
    print("  oracle:  %s" % text_of(found.mine)[:2000])
    print("  engine:  %s" % text_of(found.theirs)[:2000])
    print("  shortened session: %s" % path)
    sys.stdout.flush()


def save(directory, seed, lines):
    path = os.path.join(directory, "oracle-mismatch-%s.jsonl" % seed)
    with open(path, "wb") as out:
        out.write(b"".join(line + b"\n" for line in lines))
    return path


# --- main -----------------------------------------------------------------------------------------

def parse_arguments():
    parser = argparse.ArgumentParser(description="compare pactdb exec with the oracle")
    parser.add_argument("--engine", help="the pactdb program")
    parser.add_argument("--command", help="any command that speaks exec, instead of --engine")
    parser.add_argument("--self-check", action="store_true", help="oracle against oracle")
    parser.add_argument("--seeds", default="0..300", help="A..B, B excluded")
    parser.add_argument("--steps", type=int, default=60, help="least number of lines per session")
    parser.add_argument("--seconds", type=float, default=None, help="stop after so long")
    parser.add_argument("--out", default=".", help="where shortened sessions go")
    parser.add_argument("--keep-going", action="store_true", help="count kinds of mismatch")
    parser.add_argument("--replay", help="a file of request lines instead of random ones")
    given = parser.parse_args()
    if sum(map(bool, (given.engine, given.command, given.self_check))) != 1:
        parser.error("one of --engine, --command, --self-check")
    try:
        first, _, last = given.seeds.partition("..")
        given.seeds = range(int(first), int(last or int(first) + 1))
    except ValueError:
        parser.error("--seeds A..B")
    return given


def command_of(given):
    if given.self_check:
        return [sys.executable, os.path.join(HERE, "exec.py")]
    if given.command:
        return shlex.split(given.command)
    return [given.engine, "exec"]


def replay(command, path):
    with open(path, "rb") as source:
        lines = source.read().splitlines()
    found = first_mismatch(command, lines)
    if found:
        report("(file)", found, path)
    if not lines:
        print("%s: no lines" % path)
    return 1 if found or not lines else 0


def main():
    given = parse_arguments()
    command = command_of(given)
    if given.replay:
        return replay(command, given.replay)
    began = time.monotonic()
    sessions = lines_run = 0
    kinds = {}
    for seed in given.seeds:
        if given.seconds is not None and time.monotonic() - began > given.seconds:
            break
        session = generate.Session(seed, given.steps)
        if given.self_check:
            invariants.check_session(session.lines)
        found = first_mismatch(command, session.lines, session.answers)
        sessions += 1
        lines_run += len(session.lines)
        if found and found.kind() not in kinds:
            shorter = minimise(command, session.lines, session.kept, found)
            last = first_mismatch(command, shorter) or found
            report(seed, last, save(given.out, seed, shorter))
            if not given.keep_going:
                return 1
        if found:
            kinds[found.kind()] = kinds.get(found.kind(), 0) + 1
    for kind, number in sorted(kinds.items(), key=lambda item: -item[1]):
        print("%5d  %s" % (number, kind))
    print("%d sessions, %d lines, %.1f s, %d mismatches"
          % (sessions, lines_run, time.monotonic() - began, sum(kinds.values())))
    return 1 if kinds or not lines_run else 0


if __name__ == "__main__":
    sys.exit(main())
