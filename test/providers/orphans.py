#!/usr/bin/env python3
"""Pruning and expiry never part a call and its result; and `fix` leaves nothing that it can repair.

usage: orphans.py --pactdb "PROGRAM exec" [--seeds N] [--first SEED]
"""
import argparse
import random
import shlex
import sys

from session import Session


def some(rng, node, pins=True):
    """The node with a ttl, a priority or a pin, now and then."""
    if rng.random() < 0.5:
        node["ttl"] = rng.randrange(1, 6)
    if rng.random() < 0.5:
        node["priority"] = rng.randrange(-3, 4)
    if pins and rng.random() < 0.05:
        node["pinned"] = True
    return node


def play(session, seed, whole):
    rng = random.Random(seed)
    context = session.fresh()
    policy = {"max_nodes": rng.randrange(8, 40)} if rng.random() < 0.7 else {"max_turns": rng.randrange(2, 9)}
    session.must(op="configure", context=context, policy=policy, clock={"start_ns": 0, "step_ns": 1})
    number = 0

    def add(**node):
        session.must(op="add", context=context, node=some(rng, node, whole))

    for _ in range(rng.randrange(3, 20)):
        add(role="user", content="question")
        for _ in range(rng.randrange(0, 3)):
            calls = [f"call_{number + i}" for i in range(rng.randrange(1, 4))]
            number += len(calls)
            if rng.random() < 0.5:
                add(role="assistant", content="Let me see.")
            for call in calls:
                if whole or rng.random() < 0.8:
                    add(kind="tool_call", content={"q": 1}, data_call_id=call, data_name="look")
            for call in calls:
                for _ in range(rng.randrange(1, 3) if whole else rng.randrange(0, 3)):
                    add(role="tool", kind="tool_result", content="found", data_call_id=call)
        add(role="assistant", content="answer")
        session.must(op="commit", context=context, hashes=False)
        checked = session.must(op="check", context=context, at="@t0")
        found = [each for each in checked["findings"] if each["rule"].startswith("orphan")]
        if whole and found:
            sys.exit(f"seed {seed}: {found}")
    return context


def check_fix(session, seed):
    context = play(session, seed, False)
    format_ = random.Random(seed).choice([None, "openai-chat", "openai-responses", "anthropic", "gemini"])
    before = session.must(op="check", context=context, format=format_)
    fixed = session.must(op="fix", context=context, format=format_)
    # What is there now may be cured by the next commit; then there is nothing to do.
    after = session.must(op="check", context=context, at="@t0" if fixed["removed"] else None, format=format_)
    if any(each["fixable"] for each in after["findings"]):
        sys.exit(f"seed {seed}: left over: {after['findings']}")
    if bool(fixed["removed"]) != any(each["fixable"] for each in before["findings"]):
        sys.exit(f"seed {seed}: {before} {fixed}")
    if not session.must(op="verify", context=context)["ok"]:
        sys.exit(f"seed {seed}: broken by fix")
    return len(fixed["removed"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pactdb", required=True)
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    with Session(shlex.split(options.pactdb)) as session:
        seeds = range(options.first, options.first + options.seeds)
        for seed in seeds:
            play(session, seed, True)
        taken = sum(check_fix(session, seed) for seed in seeds)
    print(f"{options.seeds} lives without an orphan; as many broken ones repaired, {taken} nodes taken")


if __name__ == "__main__":
    main()
