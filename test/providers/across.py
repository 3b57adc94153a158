#!/usr/bin/env python3
"""From every format to every other: nothing vanishes unreported.

usage: across.py --pactdb "PROGRAM exec" [--seeds N] [--first SEED]

Of every made conversation, and of the recorded ones: what a block says is in the rendered request, or the block is
among the losses; no message is left empty by them; without `lossy` losses are an error that names a node; and what is
rendered can be imported.
"""
import argparse
import json
import os
import pathlib
import random
import shlex
import sys

import make_chat
from round_trip import MAKERS
from session import Session, text


def blocks(node):
    stack = [node]
    while stack:
        each = stack.pop()
        if "children" in each:
            stack += each["children"]
        elif each["nodeType"].startswith("block"):
            yield each


def strings_and_objects(value):
    """Every string in the value, and the text of every object."""
    strings, objects, stack = [], set(), [value]
    while stack:
        each = stack.pop()
        if isinstance(each, str):
            strings.append(each)
        elif isinstance(each, dict):
            objects.add(text(each))
            stack += each.values()
        elif isinstance(each, list):
            stack += each
    return strings, objects


def is_said(content, strings, objects):
    if content in ("", None, {}):
        return True
    if isinstance(content, str):
        if any(content in each for each in strings):
            return True
        try:  # arguments that were a text and are an object now
            return text(json.loads(content)) in objects
        except ValueError:
            return False
    return text(content) in objects or any(each and parsed(each) == content for each in strings)


def parsed(string):
    try:
        return json.loads(string)
    except ValueError:
        return None


def check(session, source, target, document, name):
    context = session.fresh()
    session.must(op="import", context=context, thread=document, format=source)
    strict = session.ask(op="render", context=context, format=target)
    lossy = session.must(op="render", context=context, format=target, lossy=True)
    body = json.loads(lossy["body"])
    lost = {each["id"] for each in lossy["lost"]}
    where = f"{name}, {source} to {target}"
    if strict["ok"] != (not lossy["lost"]):
        sys.exit(f"{where}: strictly {text(strict)[:300]}, leniently {lossy['lost']}")
    if not strict["ok"] and (strict["error"]["code"] != "E_RENDER_ILLEGAL" or
                             strict["error"]["details"]["node"] != lossy["lost"][0]["id"] or
                             strict["error"]["details"]["field"] != lossy["lost"][0]["field"]):
        sys.exit(f"{where}: {strict}")
    empty = [each for name in ("messages", "input", "contents") if isinstance(body.get(name), list) for each in body[name]
             if [] in (each.get("content"), each.get("parts"))]
    if empty and source != target:
        sys.exit(f"{where}: nothing is left of {text(empty)[:500]}\n  of {text(document)[:3000]}")
    strings, objects = strings_and_objects(body)
    for block in blocks(session.must(op="tree", context=context)):
        content = block.get("content")
        if block.get("kind") == "tool_definition":
            content = content.get("name") if isinstance(content, dict) else content
        if block["id"] not in lost and not is_said(content, strings, objects):
            sys.exit(f"{where}: {block} vanished\n  of {text(document)[:3000]}\n  {lossy['body'][:3000]}")
    again = session.ask(op="import", context=session.fresh(), thread=body, format=target)
    if not again["ok"]:
        sys.exit(f"{where}: what was rendered cannot be read: {again['error']}\n  {lossy['body'][:3000]}")
    return strict["ok"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pactdb", required=True)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    carried = tried = 0
    with Session(shlex.split(options.pactdb)) as session:
        for source, maker in MAKERS.items():
            for target in MAKERS:
                for seed in range(options.first, options.first + options.seeds):
                    document = maker.document(random.Random(seed))
                    carried += check(session, source, target, document, f"seed {seed}")
                    tried += 1
        if folder := os.environ.get("PACTDB_RECORDINGS"):
            for i, messages in enumerate(make_chat.load(pathlib.Path(folder) / "tau-airline-openai.json")[:20]):
                for target in MAKERS:
                    check(session, "openai-chat", target, messages, f"dialogue {i}")
        else:
            print("skipped: the recorded conversations: PACTDB_RECORDINGS is not set")
    print(f"{carried} of {tried} made conversations carried without loss")


if __name__ == "__main__":
    main()
