"""A session as it is kept today: a list of messages, dumped whole into SQLite after every turn.

    naive_session.py DATABASE TURNS.tsv TURNS

Prints the nanoseconds it took. A turn appends its messages, makes the request's bytes, looks three times through the
list, and stores the state as one blob in a transaction (WAL, synchronous=FULL).
"""

import json
import sqlite3
import sys
import time

BLOCKS_PER_TURN = 8


def main():
    path, texts, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with open(texts, encoding="utf-8") as lines:
        blocks = [line.rstrip("\n").split("\t", 1) for line in lines]
    blocks = [(role, json.loads(text)) for role, text in blocks]
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE checkpoints(step INTEGER PRIMARY KEY, state BLOB)")
    start = time.perf_counter_ns()
    messages = []
    for turn in range(turns):
        for index, (role, text) in enumerate(blocks[turn * BLOCKS_PER_TURN:(turn + 1) * BLOCKS_PER_TURN]):
            messages.append({"id": f"block:{turn + 1}.{index + 1}", "role": role, "kind": "text", "content": text})
        body = json.dumps(messages, ensure_ascii=False).encode()
        recent = [m["id"] for m in messages[-3 * BLOCKS_PER_TURN:] if m["role"] == "user"]
        assistant = [m["id"] for m in messages if m["role"] == "assistant"][:50]
        last = [m["id"] for m in messages[-BLOCKS_PER_TURN:]]
        assert body and recent and assistant and last
        database.execute("INSERT INTO checkpoints VALUES(?, ?)", (turn, json.dumps(messages)))
    print(time.perf_counter_ns() - start)
    database.close()


if __name__ == "__main__":
    main()
