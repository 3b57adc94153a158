#!/usr/bin/env python3
"""LangGraph replaying a conversation: one message a step, one checkpoint a step, by its own savers.

usage: langgraph_steps.py sqlite|sqlite-delta|postgres STEPS.tsv FOLDER|DSN     prints {"who","what","value"} a line

A step is update_state with one message on a graph whose state is a list of messages (add_messages, or DeltaChannel,
which stores what was added and replays on reading). Reading is get_state of the checkpoint in the middle, from a
connection of its own. Steps are lines of thread TAB role TAB text as JSON.
"""
import collections
import json
import pathlib
import sqlite3
import statistics
import sys
import time
from typing import Annotated, TypedDict

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.channels import DeltaChannel
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

NAMES = {"sqlite": "LangGraph, SqliteSaver", "sqlite-delta": "LangGraph, SqliteSaver, DeltaChannel",
         "postgres": "LangGraph, PostgresSaver"}
LAST = 50
CLASSES = {"assistant": AIMessage, "system": SystemMessage}


def appended(state, writes):
    messages = list(state or [])
    for write in writes:
        messages.extend(write if isinstance(write, list) else [write])
    return messages


class Whole(TypedDict):
    messages: Annotated[list, add_messages]


class Delta(TypedDict):
    messages: Annotated[list, DeltaChannel(appended)]


def make_graph(state, saver):
    graph = StateGraph(state)
    graph.add_node("agent", lambda _: {})
    graph.add_edge(START, "agent")
    graph.add_edge("agent", END)
    return graph.compile(checkpointer=saver)


def steps_of(file):
    lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines):
        thread, role, text = line.split("\t", 2)
        yield thread, CLASSES.get(role, HumanMessage)(content=json.loads(text), id=f"m{number}")


def replay(graph, steps):
    """The time of each step, and of each the configuration it left and how many messages its thread had."""
    samples = []
    made = []
    lengths = collections.Counter()
    for thread, message in steps:
        config = {"configurable": {"thread_id": thread}}
        start = time.perf_counter_ns()
        left = graph.update_state(config, {"messages": [message]}, as_node="agent")
        samples.append(time.perf_counter_ns() - start)
        lengths[thread] += 1
        made.append((left, lengths[thread]))
    return samples, made


def report(which, samples, size, graph, made):
    who = NAMES[which]

    def say(what, value):
        print(json.dumps({"who": who, "what": what, "value": value}))

    say("all steps", sum(samples))
    say("step", statistics.median(samples[-LAST:]))
    say("bytes", size())
    config, length = made[len(made) // 2 - 1]
    reads = []
    for _ in range(5):
        start = time.perf_counter_ns()
        state = graph.get_state(config)
        reads.append(time.perf_counter_ns() - start)
        assert len(state.values["messages"]) == length, len(state.values["messages"])
    say("read", statistics.median(reads))


def main():
    which, file, where = sys.argv[1:4]
    steps = list(steps_of(file))
    state = Delta if which == "sqlite-delta" else Whole
    if which == "postgres":
        from langgraph.checkpoint.postgres import PostgresSaver
        with PostgresSaver.from_conn_string(where) as saver:
            saver.setup()
            graph = make_graph(state, saver)
            samples, made = replay(graph, steps)

            def size():
                with saver.conn.cursor() as cursor:
                    cursor.execute("SELECT sum(pg_total_relation_size(oid)) AS n FROM pg_class WHERE relkind = 'r' "
                                   "AND relname LIKE 'checkpoint%'")
                    return int(cursor.fetchone()["n"])

            report(which, samples, size, graph, made)
        return
    from langgraph.checkpoint.sqlite import SqliteSaver
    path = pathlib.Path(where) / f"{which}.sqlite"
    connection = sqlite3.connect(path, check_same_thread=False)
    samples, made = replay(make_graph(state, SqliteSaver(connection)), steps)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    again = sqlite3.connect(path, check_same_thread=False)
    report(which, samples, lambda: path.stat().st_size, make_graph(state, SqliteSaver(again)), made)


if __name__ == "__main__":
    main()
