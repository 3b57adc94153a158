#!/usr/bin/env python3
"""What is rendered is a request by the vendors' own types: made contexts, and the recorded conversations.

usage: vendor_types.py --pactdb "PROGRAM exec" --types FOLDER [--seeds N] [--first SEED]

FOLDER is what tools/provider_types.sh made; without it the test is skipped, and says so.
"""
import argparse
import json
import os
import pathlib
import random
import shlex
import subprocess
import sys

import make_chat
from make_chat import BYTES
from session import Session

FORMATS = ["openai-chat", "openai-responses", "anthropic", "gemini"]
# What the types ask for and a context does not know.
NEEDED = {"openai-chat": {"model": "m"}, "openai-responses": {"model": "m"},
          "anthropic": {"model": "m", "max_tokens": 9}, "gemini": {}}


def made_nodes(rng):
    """Blocks as a person would make them: in our words, without a trace of a format."""
    nodes = []
    if rng.random() < 0.7:
        nodes.append(("^sys", {"content": "Be brief."}))
    for i in range(rng.randrange(0, 3)):
        nodes.append(("^sys", {"kind": "tool_definition", "data_name": f"t{i}", "content": {
            "name": f"t{i}", "description": "Finds.", "parameters": {"type": "object", "properties": {}}}}))
    number = 0
    for _ in range(rng.randrange(1, 6)):
        nodes.append(("^ah", {"role": "user", "content": rng.choice(["Hello", "Grüße"])}))
        if rng.random() < 0.4:
            nodes.append(("^ah", rng.choice([
                {"role": "user", "kind": "image", "mime": "image/png", "encoding": "base64", "content": BYTES},
                {"role": "user", "kind": "image", "content": "https://h/a.png"},
                {"role": "user", "kind": "image", "mime": "image/png", "encoding": "url", "content": "https://h/a.png"},
                {"role": "user", "kind": "audio", "mime": "audio/wav", "encoding": "base64", "content": BYTES},
                {"role": "user", "kind": "file", "mime": "application/pdf", "encoding": "base64", "content": BYTES,
                 "data_filename": "a.pdf"}])))
        for _ in range(rng.randrange(0, 3)):
            if rng.random() < 0.5:
                nodes.append(("^ah", {"role": "assistant", "content": "Let me see."}))
            calls = [f"call_{number + i}" for i in range(rng.randrange(1, 3))]
            number += len(calls)
            for call in calls:
                nodes.append(("^ah", {"kind": "tool_call", "data_call_id": call, "data_name": "t0",
                                      "content": rng.choice([{"q": 1}, "{\"q\": 1}"])}))
            for call in calls:
                nodes.append(("^ah", {"kind": "tool_result", "data_call_id": call, "content": rng.choice(["rain", {"a": 1}])}))
                if rng.random() < 0.2:
                    nodes.append(("^ah", {"role": "tool", "kind": "image", "mime": "image/png", "encoding": "base64",
                                          "content": BYTES, "data_call_id": call}))
        nodes.append(("^ah", {"role": rng.choice(["assistant", "critic"]), "content": "Answer."}))
        nodes.append(None)
    return nodes


def render_made(session, seed):
    rng = random.Random(seed)
    context = session.fresh()
    session.must(op="configure", context=context)
    for each in made_nodes(rng):
        if each is None:
            session.must(op="commit", context=context, hashes=False)
        else:
            session.must(op="add", context=context, parent=each[0], node=each[1])
    for format_ in FORMATS:
        yield f"seed {seed}", format_, session.must(op="render", context=context, format=format_, lossy=True)["body"]


def render_recorded(session, folder):
    for i, messages in enumerate(make_chat.load(folder / "tau-airline-openai.json")[:40]):
        # The recorder gave results a name, which the vendor's type does not have.
        stripped = [{k: v for k, v in m.items() if k != "name" or m["role"] != "tool"} for m in messages]
        context = session.fresh()
        session.must(op="import", context=context, format="openai-chat", thread=stripped)
        for format_ in FORMATS:
            yield f"dialogue {i}", format_, session.must(op="render", context=context, format=format_)["body"]
    for name in ("pi-large-session", "pi-before-compaction"):
        context = session.fresh()
        session.must(op="import", context=context, format="pi", thread=(folder / f"{name}.jsonl").read_text())
        for format_ in FORMATS:
            yield name, format_, session.must(op="render", context=context, format=format_, lossy=True)["body"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pactdb", required=True)
    parser.add_argument("--types", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    if not (options.types / "state").exists():
        print(f"skipped: {options.types} has no schemas; tools/provider_types.sh makes them")
        sys.exit(77)  # CTest: skipped
    cases = []
    with Session(shlex.split(options.pactdb)) as session:
        for seed in range(options.first, options.first + options.seeds):
            cases += render_made(session, seed)
        if folder := os.environ.get("PACTDB_RECORDINGS"):
            cases += render_recorded(session, pathlib.Path(folder))
        else:
            print("skipped: the recorded conversations: PACTDB_RECORDINGS is not set")
    lines = [json.dumps({"format": format_, "body": NEEDED[format_] | json.loads(body)}) for _, format_, body in cases]
    judge = pathlib.Path(__file__).parent / "types" / "validate.mjs"
    verdicts = subprocess.run(["node", judge, options.types], input="\n".join(lines), capture_output=True, text=True)
    if verdicts.returncode:
        sys.exit(verdicts.stderr)
    for (name, format_, body), verdict in zip(cases, verdicts.stdout.splitlines(), strict=True):
        if verdict != "null":
            sys.exit(f"{name}, {format_}: {verdict}\n  {body[:3000]}")
    print(f"{len(cases)} requests are what the vendors' types ask for")


if __name__ == "__main__":
    main()
