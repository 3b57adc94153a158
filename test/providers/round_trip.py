#!/usr/bin/env python3
"""Import, then render the same format: equal as JSON, for made conversations and for the recorded ones.

usage: round_trip.py --pactdb "PROGRAM exec" [--seeds N] [--first SEED]

The recordings are read from the folder PACTDB_RECORDINGS names; without it that part is skipped, and says so.
"""
import argparse
import json
import os
import pathlib
import random
import shlex
import sys

import make_anthropic
import make_chat
import make_gemini
import make_responses
from session import Session, first_difference, text

MAKERS = {"openai-chat": make_chat, "openai-responses": make_responses, "anthropic": make_anthropic,
          "gemini": make_gemini}


def check_one(session, format_, document, want, name):
    context = session.fresh()
    session.must(op="import", context=context, thread=document, format=format_)
    session.must(op="commit", context=context, hashes=False)
    got = session.must(op="render", context=context, at="@t0", format=format_)
    if found := first_difference(want, json.loads(got["body"])):
        sys.exit(f"{name} ({format_}): {found}\n  of {text(document)[:4000]}")
    if not (verified := session.must(op="verify", context=context))["ok"]:
        sys.exit(f"{name} ({format_}): {verified}")
    return context


def check_made(session, format_, maker, seeds):
    for seed in seeds:
        rng = random.Random(seed)
        document = maker.document(rng)
        check_one(session, format_, document, maker.rendered(document), f"seed {seed}")


def check_bad(session, format_, maker):
    for document, index, field in maker.BAD + [maker.HUGE]:
        context = session.fresh()
        session.must(op="add", context=context, node={"role": "user", "content": "here first"})
        before = session.must(op="stats", context=context)
        answer = session.ask(op="import", context=context, thread=document, format=format_)
        is_huge = document is maker.HUGE[0]
        code = "E_LIMIT_EXCEEDED" if is_huge else "E_IMPORT_INVALID"
        details = {} if answer["ok"] else answer["error"]["details"]
        if (answer["ok"], details.get("index"), details.get("field")) != (False, index, field) or \
                answer["error"]["code"] != code:
            sys.exit(f"{format_}: expected {code} at {index} {field}: {text(answer)[:500]}\n  of {text(document)[:500]}")
        after = session.must(op="stats", context=context)
        if any(before[k] != after[k] for k in ("cycle", "nodes", "tree_sha256", "made_in_cycle")):
            sys.exit(f"{format_}: something was kept of {text(document)[:500]}")
        if is_huge:
            continue
        # Leniently: warned of, and rendered as it came.
        context = session.fresh()
        lenient = session.must(op="import", context=context, thread=document, format=format_, lenient=True)
        if not any(field in warning for warning in lenient["warnings"]):
            sys.exit(f"{format_}: no warning of {field}: {lenient}")
        got = json.loads(session.must(op="render", context=context, format=format_)["body"])
        if found := first_difference(maker.rendered(document), got):
            sys.exit(f"{format_}: leniently: {found}")


def said(parts):
    """A content as Anthropic writes it: one text as it is."""
    return parts[0]["text"] if len(parts) == 1 and parts[0]["type"] == "text" else parts


def messages_of_pi(lines):
    """What a session of pi says, as Anthropic messages."""
    made = []
    results = None  # the message that results of one step go to
    for line in lines:
        if line["type"] != "message":
            continue
        message = line["message"]
        if message["role"] == "toolResult":
            result = {"type": "tool_result", "tool_use_id": message["toolCallId"], "content": said(message["content"])}
            if message["isError"]:
                result["is_error"] = True
            if results is None:
                results = {"role": "user", "content": []}
                made.append(results)
            results["content"].append(result)
            continue
        if message["role"] == "bashExecution":
            results = None
            made.append({"role": "user", "content": f"Ran `{message['command']}`\n```\n{message['output']}\n```"})
            continue
        parts = []
        for part in message["content"]:
            if part["type"] == "toolCall":
                parts.append({"type": "tool_use", "id": part["id"], "name": part["name"], "input": part["arguments"]})
            elif part["type"] == "thinking":
                if part.get("thinkingSignature"):
                    parts.append({"type": "thinking", "thinking": part["thinking"], "signature": part["thinkingSignature"]})
            else:
                parts.append(part)
        if message["content"]:
            results = None
        if parts:  # else all it said is lost
            made.append({"role": message["role"], "content": said(parts)})
    return made


def check_pi(session, path):
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    context = session.fresh()
    session.must(op="import", context=context, thread=path.read_text(), format="pi")
    rendered = session.must(op="render", context=context, format="anthropic", lossy=True)
    if any(each["reason"].find("signed") < 0 for each in rendered["lost"]):
        sys.exit(f"{path.name}: {rendered['lost']}")
    if found := first_difference({"messages": messages_of_pi(lines)}, json.loads(rendered["body"])):
        sys.exit(f"{path.name}: {found}")
    print(f"{path.name}: {len(lines)} lines, {session.must(op='stats', context=context)['turns'] + 1} turns")


def check_recordings(session):
    folder = os.environ.get("PACTDB_RECORDINGS")
    if not folder:
        print("skipped: the recorded conversations: PACTDB_RECORDINGS is not set")
        return
    calls = 0
    for i, messages in enumerate(make_chat.load(pathlib.Path(folder) / "tau-airline-openai.json")):
        context = check_one(session, "openai-chat", messages, {"messages": messages}, f"dialogue {i}")
        opened = 0
        before = None
        for message in messages:
            if message["role"] == "system":
                continue
            opened += before is not None and message["role"] == "user" != before
            before = message["role"]
        if (got := session.must(op="stats", context=context)["turns"]) != opened + 1:
            sys.exit(f"dialogue {i}: {got} turns, not {opened + 1}")
        for message in messages:
            for call in message.get("tool_calls") or []:
                found = session.must(op="select", context=context, selector=f"[data_call_id='{call['id']}']")
                if len(found) < 2:
                    sys.exit(f"dialogue {i}: {call['id']} is not linked: {found}")
                calls += 1
        if not (checked := session.must(op="check", context=context, format="openai-chat"))["ok"]:
            sys.exit(f"dialogue {i}: {checked}")
    print(f"200 recorded dialogues with {calls} calls")
    for name in ("pi-large-session", "pi-before-compaction"):
        check_pi(session, pathlib.Path(folder) / f"{name}.jsonl")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pactdb", required=True)
    parser.add_argument("--seeds", type=int, default=150)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    with Session(shlex.split(options.pactdb)) as session:
        for format_, maker in MAKERS.items():
            check_made(session, format_, maker, range(options.first, options.first + options.seeds))
            check_bad(session, format_, maker)
            print(f"{format_}: {options.seeds} made conversations, {len(maker.BAD)} bad ones")
        check_recordings(session)


if __name__ == "__main__":
    main()
