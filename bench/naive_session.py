"""A session as it is kept today: the state of an agent, dumped whole into SQLite after every turn.

    naive_session.py DATABASE DOCUMENT.json

Prints the nanoseconds it took. DOCUMENT is a snapshot document; its turns are the session, and what is dumped are its
nodes with all they have, which is what the other side keeps. A turn appends its nodes, makes the request's bytes, looks
three times through the messages, and stores the state as one blob in a transaction (WAL, synchronous=FULL).
"""

import json
import sqlite3
import sys
import time


def regions(document):
    return {region["nodeType"]: region.get("children", []) for region in document["root"]["children"]}


def blocks(node):
    if "content" in node:
        yield node
    for child in node.get("children", []):
        yield from blocks(child)


def main():
    path, document = sys.argv[1], sys.argv[2]
    with open(document, encoding="utf-8") as file:
        turns = regions(json.load(file))["^seq"]
    messages_of = [[{"id": block["id"], "role": block["role"], "kind": block["kind"], "content": block["content"]}
                    for block in blocks(turn)] for turn in turns]
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE checkpoints(step INTEGER PRIMARY KEY, state BLOB)")
    start = time.perf_counter_ns()
    state = []
    messages = []
    for step, (turn, new) in enumerate(zip(turns, messages_of)):
        state.append(turn)
        messages += new
        body = json.dumps(messages, ensure_ascii=False).encode()
        recent = [m["id"] for m in messages[-3 * len(new):] if m["role"] == "user"]
        assistant = [m["id"] for m in messages if m["role"] == "assistant"][:50]
        last = [m["id"] for m in messages[-len(new):]]
        assert body and recent and assistant and last
        database.execute("INSERT INTO checkpoints VALUES(?, ?)", (step, json.dumps(state)))
    print(time.perf_counter_ns() - start)
    database.close()


if __name__ == "__main__":
    main()
