#!/usr/bin/env python3
"""Runs random selectors on random trees through `pactdb exec` and through the oracle.

    compare_select.py --engine build/pactdb --seeds 0..1000 --seconds 30
    compare_select.py --engine build/pactdb --exhaustive 3 --trees 5
    compare_select.py --self-check --seeds 0..100
    compare_select.py --engine build/pactdb --ranges --selects 60

A seed is one tree, --selects requests on it, and then --edits edits by position and selector, all in
one process. --exhaustive N asks every
selector of up to N tokens of a small alphabet on --trees trees (--shard I/M: one part of them);
what does not parse is asked on one tree only. --self-check needs no engine: it holds the laws of
select_laws.py against the oracle. --ranges asks for ranges over longer histories (range_trees.py).
Compared are ids and error codes; of a range the whole result, but warnings by their number, errors
by their code, and content diffs by applying them (content_diffs.py).

A mismatch prints the seed, the tree as requests, the shortened request and both answers, writes
them to select-mismatch-<seed>.jsonl in --out (for `compare.py --replay`), and ends with exit code
1; with --keep-going kinds of mismatch are counted instead.
"""

import argparse
import copy
import itertools
import json
import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import content_diffs  # noqa: E402
import range_trees  # noqa: E402
import select_laws  # noqa: E402
import select_text  # noqa: E402
import select_trees  # noqa: E402
from compare import brief, command_of, run_engine, text_of  # noqa: E402
from select_session import Session  # noqa: E402

SHRINK_SECONDS_MAX = 20
BATCH = 4000
ALPHABET = ["^seq", "^ah", "^root", " ", " > ", ".block", ".seg", ".cont", ":first", ":last",
            ":depth(1)", "[role=user]", "[key=k1]", "*", "#k1", ":pre", ":core", ",", "@t0 ", "+a",
            "{kind=text}", "(d1, *)", "depth(0)", "?? {tag=a}", " @limit=1", "(d1, cont, *:block)"]


# --- asking ---------------------------------------------------------------------------------------

def ask_engine(command, script, requests):
    """(answers to the script, answers to the requests, what went wrong or None)."""
    lines = [json.dumps(request).encode() for request in script + requests]
    raw, status = run_engine(command, lines)
    answers = []
    for line in raw:
        try:
            answers.append(json.loads(line))
        except ValueError:
            answers.append({"not JSON": line.decode("utf-8", "replace")[:200]})
    fault = None
    if len(answers) < len(lines) or status != 0:
        fault = "%d answers to %d lines, exit %s" % (len(answers), len(lines), status)
    return answers[:len(script)], answers[len(script):], fault


def comparable(answer):
    if not isinstance(answer, dict):
        return answer
    if answer.get("ok") is True:
        return answer.get("result")
    error = answer.get("error")
    return {"code": error.get("code") if isinstance(error, dict) else error}


def agree(mine, theirs, request):
    mine, theirs = comparable(mine), comparable(theirs)
    if isinstance(mine, dict) and "diffs" in mine and isinstance(theirs, dict):
        try:
            mine, theirs = range_answers(mine, theirs, request)
        except (content_diffs.Bad, KeyError, TypeError, ValueError, IndexError):
            return False
    return text_of(mine) == text_of(theirs)


def range_answers(mine, theirs, request):
    """Both without what is free; raises where a content diff does not lead from old to new."""
    context_lines = request.get("contextLines")
    mine, theirs = copy.deepcopy(mine), copy.deepcopy(theirs)
    for one, other in zip(mine["diffs"], theirs["diffs"]):
        for left, right in zip(one["changed"], other["changed"]):
            if "content_diff" in left:
                content_diffs.check(left["content_diff"], right["content_diff"],
                                    3 if context_lines is None else context_lines)
                for name in ("older", "newer", "names"):
                    left["content_diff"].pop(name)
                right["content_diff"].pop(content_diffs.BODIES[left["content_diff"]["mode"]])
    for answer in (mine, theirs):
        if "warnings" in answer:
            answer["warnings"] = len(answer["warnings"])
        for error in answer.get("errors", []):
            error["message"] = ""
    return mine, theirs


def setup_differs(mine, theirs):
    """Trees are compared elsewhere; here only that both have built the same ids."""
    for one, other in zip(mine, theirs):
        left, right = comparable(one), comparable(other)
        if isinstance(left, dict) and isinstance(right, dict):
            left = [left.get(name) for name in ("code", "id", "cycle")]
            right = [right.get(name) for name in ("code", "id", "cycle")]
        if left != right:
            return "oracle %s, engine %s" % (text_of(one)[:300], text_of(other)[:300])
    return None


class Mismatch:
    def __init__(self, script, request, mine, theirs, why="answers"):
        self.script, self.request, self.why = script, request, why
        self.mine, self.theirs = mine, theirs

    def kind(self):
        """Two mismatches of one kind are probably one fault."""
        op = self.request["op"] if self.request else None
        if self.mine and "not a pattern" in str(self.mine.get("error")):
            op += " ~"    # shortening must not end in a pattern that only one side knows
        return (op, self.why.split(":")[0], brief(self.mine), brief(self.theirs),
                how(comparable(self.mine), comparable(self.theirs)))


def how(mine, theirs):
    if not isinstance(mine, list) or not isinstance(theirs, list):
        return ""
    if sorted(mine) == sorted(map(str, theirs)):
        return "order"
    return "too few" if set(theirs) < set(mine) else "too many or others"


def mismatches(command, session, requests, known=None):
    """All requests on which the two disagree; `known`: the oracle's answers, if there already."""
    setup, answers, fault = ask_engine(command, session.script, requests)
    trouble = setup_differs(session.setup, setup)
    if trouble:
        return [Mismatch(session.script, None, session.setup[-1], setup[-1], "setup: " + trouble)]
    found, done = [], []
    for index, (request, theirs) in enumerate(zip(requests, answers)):
        mine = known[index] if known else session.answer(request)
        if not agree(mine, theirs, request):
            found.append(Mismatch(session.script + done, request, mine, theirs))
        if request["op"] != "select":
            done = done + [request]
    if fault:
        last = requests[len(answers)] if len(answers) < len(requests) else None
        mine = session.answer(last) if last else None
        found.append(Mismatch(session.script + done, last, mine, None, "end: " + fault))
    return found


# --- shrinking ------------------------------------------------------------------------------------

def shrink(command, found):
    """First the request, then the tree: drops pieces while some mismatch remains."""
    if found.request is None:
        return found
    deadline = time.monotonic() + SHRINK_SECONDS_MAX
    while time.monotonic() < deadline:
        smaller = first_of(command, found, smaller_requests(found.request))
        if smaller is None:
            break
        found = smaller
    progress = True
    while progress and time.monotonic() < deadline:
        progress = False
        for script in smaller_scripts(found.script):
            if time.monotonic() > deadline:
                break
            left = still(command, found, script, [found.request])
            if left is not None:
                found, progress = left, True
                break
    return found


def first_of(command, found, requests):
    """The shortest of the requests that still fails in the same way; None if none does."""
    if found.request["op"] == "select":
        return still(command, found, found.script, requests)
    for request in requests[:40]:    # an edit each for itself
        left = still(command, found, found.script, [request])
        if left is not None:
            return left
    return None


def still(command, found, script, requests):
    left = [one for one in mismatches(command, Session(script), requests)
            if one.request is not None and one.kind() == found.kind()]
    return min(left, key=lambda one: len(json.dumps(one.request)), default=None)


def smaller_scripts(script):
    """Without a line, or without a node of a document."""
    for index in range(len(script) - 1, 0, -1):
        yield script[:index] + script[index + 1:]
        if script[index]["op"] == "import":
            for document in smaller_nodes(script[index]["snapshot"]["root"]):
                line = dict(script[index], snapshot={"root": document})
                yield script[:index] + [line] + script[index + 1:]


def smaller_nodes(node):
    """The node without one of those below it."""
    children = node.get("children", [])
    for index, child in enumerate(children):
        yield dict(node, children=children[:index] + children[index + 1:])
        for smaller in smaller_nodes(child):
            yield dict(node, children=children[:index] + [smaller] + children[index + 1:])


def smaller_requests(request):
    smaller = [{name: value for name, value in request.items() if name != dropped}
               for dropped in request if dropped not in ("op", "selector", "id", "node", "at")]
    for name in ("selector", "where", "at"):
        text = request.get(name) or ""
        for size in (24, 12, 6, 3, 2, 1):
            smaller += [dict(request, **{name: text[:at] + text[at + size:]})
                        for at in range(0, max(0, len(text) - size) + 1)
                        if size == 1 or len(text) > size]
    return smaller[:2500]


# --- reporting ------------------------------------------------------------------------------------

def report(seed, found, directory):
    path = os.path.join(directory, "select-mismatch-%s.jsonl" % seed)
    lines = found.script + ([found.request] if found.request else [])
    with open(path, "w", encoding="ascii") as out:
        out.write("".join(json.dumps(line) + "\n" for line in lines))
    print("MISMATCH seed %s: %s" % (seed, found.why))
    for line in found.script:
        print("  tree     %s" % json.dumps(line)[:1500])
    print("  request  %s" % json.dumps(found.request, ensure_ascii=False))
    print("  oracle   %s" % text_of(found.mine)[:1500])
    print("  engine   %s" % text_of(found.theirs)[:1500])
    print("  file     %s" % path)
    sys.stdout.flush()


class Tally:
    def __init__(self, command, given):
        self.command, self.given = command, given
        self.kinds, self.requests, self.trees = {}, 0, 0
        self.told = time.monotonic()

    def progress(self):
        """A line a minute, so that a long run can be watched."""
        if time.monotonic() - self.told > 60:
            self.told = time.monotonic()
            print("%d trees, %d requests so far" % (self.trees, self.requests), flush=True)

    def note(self, seed, found):
        """Reports a kind once; True if the run should stop."""
        for one in found:
            if one.kind() not in self.kinds:
                report("%s-%d" % (seed, len(self.kinds)), shrink(self.command, one),
                       self.given.out)
            self.kinds[one.kind()] = self.kinds.get(one.kind(), 0) + 1
            if not self.given.keep_going:
                return True
        return False

    def end(self, began):
        for kind, number in sorted(self.kinds.items(), key=lambda item: -item[1]):
            print("%5d  %s" % (number, kind))
        print("%d trees, %d requests, %.1f s, %d mismatches"
              % (self.trees, self.requests, time.monotonic() - began, sum(self.kinds.values())))
        return 1 if self.kinds or not self.requests else 0


# --- modes ----------------------------------------------------------------------------------------

def requests_for(seed, session, count, edits=0):
    texts = select_text.Texts(random.Random("select %d" % seed), session.ids(),
                              session.paths())
    return [texts.request() for _ in range(count)] + edits_for(texts, edits)


def edits_for(texts, count):
    """Edits, and what the tree is after each two of them."""
    requests = []
    for number in range(count):
        requests.append(texts.edit())
        if number % 2:
            requests.append({"op": "tree"})
    return requests


def run_random(tally, given, out_of_time):
    for seed in given.seeds:
        if out_of_time():
            return
        session = Session(select_trees.script(seed))
        requests = requests_for(seed, session, given.selects, given.edits)
        tally.trees += 1
        tally.requests += len(requests)
        if given.self_check:
            select_laws.check(session, [one["selector"] for one in requests
                                        if one["op"] == "select"], seed)
        elif tally.note(seed, mismatches(tally.command, session, requests)):
            return
        tally.progress()


def run_ranges(tally, given, out_of_time):
    for seed in given.seeds:
        if out_of_time():
            return
        session = Session(range_trees.script(seed))
        texts = range_trees.Requests(random.Random("ranges %d" % seed), session)
        requests = [texts.request() for _ in range(given.selects)]
        tally.trees += 1
        tally.requests += len(requests)
        if given.self_check:
            for request in requests:
                session.answer(request)
        elif tally.note(seed, mismatches(tally.command, session, requests)):
            return


def exhaustive_texts(given):
    part, _, parts = given.shard.partition("/")
    texts = dict.fromkeys("".join(tokens) for length in range(1, given.exhaustive + 1)
                          for tokens in itertools.product(ALPHABET, repeat=length))
    return itertools.islice(texts, int(part), None, int(parts))


def run_exhaustive(tally, given, out_of_time):
    texts = list(exhaustive_texts(given))
    for seed in range(given.trees):
        session = Session(select_trees.script(seed))
        sound = []
        for start in range(0, len(texts), BATCH):
            if out_of_time():
                print("stopped early at tree %d, selector %d of %d" % (seed, start, len(texts)))
                return
            piece = [{"op": "select", "selector": text} for text in texts[start:start + BATCH]]
            known = [session.select(one) for one in piece]
            sound += [one["selector"] for one, answer in zip(piece, known) if is_sound(answer)]
            tally.requests += len(piece)
            if given.self_check:
                continue
            found = mismatches(tally.command, session, piece, known)
            if tally.note("exhaustive-%d" % seed, found):
                return
            tally.progress()
        tally.trees += 1
        texts = sound    # what does not parse here parses nowhere


def is_sound(answer):
    return answer["ok"] or answer["error"]["code"] != "E_SELECTOR_INVALID"


# --- main -----------------------------------------------------------------------------------------

def parse_arguments():
    parser = argparse.ArgumentParser(description="compare select of pactdb exec with the oracle")
    parser.add_argument("--engine", help="the pactdb program")
    parser.add_argument("--command", help="any command that speaks exec, instead of --engine")
    parser.add_argument("--self-check", action="store_true", help="laws of the oracle alone")
    parser.add_argument("--seeds", default="0..100000", help="A..B, B excluded")
    parser.add_argument("--selects", type=int, default=250, help="selectors per tree")
    parser.add_argument("--edits", type=int, default=12, help="edits per tree, after those")
    parser.add_argument("--ranges", action="store_true", help="ranges over longer histories")
    parser.add_argument("--exhaustive", type=int, metavar="N", help="all selectors of N tokens")
    parser.add_argument("--trees", type=int, default=5, help="trees of --exhaustive")
    parser.add_argument("--shard", default="0/1", help="I/M: every M-th selector, from I")
    parser.add_argument("--seconds", type=float, default=30, help="stop after so long; 0: never")
    parser.add_argument("--out", default=".", help="where mismatches go")
    parser.add_argument("--keep-going", action="store_true", help="count kinds of mismatch")
    given = parser.parse_args()
    if sum(map(bool, (given.engine, given.command, given.self_check))) != 1:
        parser.error("one of --engine, --command, --self-check")
    try:
        first, _, last = given.seeds.partition("..")
        given.seeds = range(int(first), int(last or int(first) + 1))
    except ValueError:
        parser.error("--seeds A..B")
    return given


def main():
    given = parse_arguments()
    began = time.monotonic()
    tally = Tally(command_of(given), given)

    def out_of_time():
        return bool(given.seconds) and time.monotonic() - began > given.seconds

    run = run_exhaustive if given.exhaustive else run_ranges if given.ranges else run_random
    run(tally, given, out_of_time)
    return tally.end(began)


if __name__ == "__main__":
    sys.exit(main())
