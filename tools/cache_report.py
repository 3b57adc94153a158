#!/usr/bin/env python3
"""How well `cache` predicts what a provider counted.

The recorded coding sessions (PACTDB_RECORDINGS, pi-*.jsonl) carry the provider's own figures for every call: tokens read
from its cache, written to it, and others. They do not carry the system prompt and the tools. So every call becomes a
commit, `cache` says how long the request is and how much of it the call before had sent, and what is compared are the
increments from call to call; the constant that is left is the part that was not seen.

usage: cache_report.py --pactdb "PROGRAM exec" [--recordings FOLDER]
"""
import argparse
import datetime
import json
import os
import pathlib
import shlex
import statistics
import subprocess
import sys

FIELDS = ("role", "kind", "content", "mime", "encoding", "data_call_id", "data_name", "data_is_error")


class Exec:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if not answer["ok"]:
            sys.exit(f"{str(request)[:500]}: {answer['error']}")
        return answer["result"]


def stretches(path):
    """Runs of messages in which a prompt only grows, with one model."""
    run, model = [], None
    for line in path.read_text().splitlines():
        entry = json.loads(line)
        message = entry.get("message", {})
        changes_model = usage_of(message) and message.get("model") != model
        if changes_model or entry["type"] == "compaction":
            yield run
            run = []
        if changes_model:
            model = message.get("model")
        if entry["type"] == "message":
            run.append(entry)
    yield run


def usage_of(message):
    """What the provider counted: the prompt, and what of it was read from the cache; None if it answered nothing."""
    usage = message.get("usage")
    if not usage or message.get("stopReason") in ("aborted", "error"):
        return None
    total = usage["input"] + usage["cacheRead"] + usage["cacheWrite"]
    return (total, usage["cacheRead"]) if total else None


def predict(session, name, lines):
    """One commit a call: what its prompt held. The provider's figures of each, whether a user had spoken since the one
    before, and how many seconds had passed."""
    header = json.dumps({"type": "session", "version": 3, "id": "x"})
    calls, last, is_asked = [], None, False
    for number, line in enumerate(lines):
        if usage := usage_of(line["message"]):
            session.ask(op="commit", context=name, hashes=False)
            now = datetime.datetime.fromisoformat(line["timestamp"].replace("Z", "+00:00"))
            calls.append((*usage, is_asked, (now - last).total_seconds() if last else 0))
            last, is_asked = now, False
        is_asked = is_asked or line["message"]["role"] == "user"
        # What the importer makes of this line, said again behind the others.
        piece = f"{name}.{number}"
        session.ask(op="import", context=piece, format="pi", lenient=True, thread=header + "\n" + json.dumps(line))
        for block in json.loads(session.ask(op="render", context=piece, format="thread")["body"]):
            node = session.ask(op="get", context=piece, id=block["id"])
            if node.get("kind") in ("thinking", "redacted_thinking"):
                continue  # not sent again once its turn is over
            session.ask(op="add", context=name, node={key: node[key] for key in FIELDS if key in node})
        session.ask(op="contexts", action="delete", name=piece)
    return calls


def report(session, path):
    """For every stretch, for every call: tokens of the prompt and of what was read, theirs and ours."""
    runs = []
    for number, lines in enumerate(stretches(path)):
        if sum(1 for line in lines if usage_of(line["message"])) < 3:
            continue
        name = f"{path.stem}.{number}"
        session.ask(op="configure", context=name, clock={"start_ns": 0, "step_ns": 1})
        calls = predict(session, name, lines)
        pairs = session.ask(op="cache", context=name, format="anthropic", lossy=True)["pairs"][::-1]
        first = session.ask(op="cache", context=name, **{"from": "@c1", "to": "@c1"}, format="anthropic", lossy=True)
        ours = [(first["total_tokens"], 0)] + [(pair["total_tokens"], pair["common_prefix_tokens"]) for pair in pairs]
        runs.append([(*call[:2], *own, *call[2:]) for call, own in zip(calls, ours)])
    return runs


def line_through(points):
    """Slope through the origin, least squares."""
    return sum(x * y for x, y in points) / sum(x * x for x, _ in points)


def correlation(points):
    xs, ys = zip(*points)
    return statistics.correlation(xs, ys)


def spread(errors):
    errors = sorted(errors)
    return f"median {statistics.median(errors):.1%}, nine of ten below {errors[len(errors) * 9 // 10]:.1%}"


def tell(path, runs):
    pairs = [(before, now) for run in runs for before, now in zip(run, run[1:])]
    steps = [(now[2] - before[2], now[0] - before[0]) for before, now in pairs]
    grown = [(ours, theirs) for ours, theirs in steps if theirs > 0 and ours > 0]
    ratio = line_through(grown)
    print(f"{path.name}: {sum(map(len, runs))} calls in {len(runs)} stretches")
    print(f"  prompt, from call to call: grew on both sides {len(grown)} times of {len(steps)}; "
          f"theirs = {ratio:.3f} x ours, correlation {correlation(grown):.3f}")
    print(f"  error of an increment: {spread(abs(ratio * ours - theirs) / theirs for ours, theirs in grown)}; "
          f"of their sum {abs(ratio * sum(ours for ours, _ in grown) / sum(theirs for _, theirs in grown) - 1):.1%}")
    unseen = [f"{theirs - ratio * ours:.0f}" for run in runs for theirs, _, ours, *_ in run[:1]]
    print(f"  unseen prefix: {unseen[0]} tokens at the first call, the system prompt and the tools"
          + (f"; with a summary and the messages kept beside it, behind compactions: {', '.join(unseen[1:])}"
             if unseen[1:] else ""))
    reads = [(now[3] - before[3], now[1] - before[1]) for before, now in pairs if before[1] and now[1]]
    reads = [(ours, theirs) for ours, theirs in reads if ours > 0 and theirs > 0]
    print(f"  cache reads, from call to call: {len(reads)} increments where both calls read; correlation "
          f"{correlation(reads):.3f}, error {spread(abs(ratio * ours - theirs) / theirs for ours, theirs in reads)}")
    missed = [now for _, now in pairs if now[1] == 0]
    print(f"  {len(missed)} of {len(pairs)} calls read nothing, although the prompt before was sent again: "
          f"{sum(1 for now in missed if now[4])} the first after a user spoke (of {sum(1 for _, now in pairs if now[4])} such "
          f"calls), {sum(1 for now in missed if now[5] > 300)} after more than five minutes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pactdb", required=True)
    parser.add_argument("--recordings", default=os.environ.get("PACTDB_RECORDINGS"))
    options = parser.parse_args()
    if not options.recordings:
        print("skipped: PACTDB_RECORDINGS names no recordings")
        return
    session = Exec(shlex.split(options.pactdb))
    for path in sorted(pathlib.Path(options.recordings).glob("pi-*.jsonl")):
        tell(path, report(session, path))


if __name__ == "__main__":
    main()
