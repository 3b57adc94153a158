#!/usr/bin/env python3
"""docs/scale.md: what one machine holds, computed from the figures that `make bench` measured.

Every number on the page is either a row of bench/results.json, or made of such rows by the sums told beside it. Run it
after a whole `make bench` and commit the page.

usage: tools/scale.py [--results bench/results.json] [--memory-gb 8] [--disk-gb 100] [--note TEXT] [--out docs/scale.md]
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SESSION_TURNS = 1000
GB = 1e9


class Figures:
    """The rows, found by how they begin; each that is asked for is kept for the page's last table."""

    def __init__(self, rows):
        self.rows = rows
        self.used = []

    def row(self, goal, pattern):
        found = [row for row in self.rows if row["goal"] == goal and re.search(pattern, row["what"])]
        if not found:
            sys.exit(f"scale: the results have no row of goal {goal or 'none'} that says {pattern!r}; run all of make bench")
        if found[-1] not in self.used:
            self.used.append(found[-1])
        return found[-1]

    def value(self, goal, pattern):
        return self.row(goal, pattern)["ours"]["value"]


def round_down(value):
    """Two digits are what a noisy machine gives."""
    if value < 10:
        return f"{value:.1f}"
    digits = max(0, len(str(int(value))) - 2)
    return f"{int(value) // 10 ** digits * 10 ** digits:,}"


def shown(row, side="ours"):
    if not row.get(side):
        return "-"
    value, unit = row[side]["value"], row["unit"]
    if unit == "ns":
        return f"{value / 1e3:,.1f} us" if value < 1e6 else f"{value / 1e6:,.1f} ms"
    if unit == "B":
        return f"{value:,.0f} B" if value < 1e6 else f"{value / 1e6:,.0f} MB"
    return f"{value:,.2f} {unit}"


def reference_of(row):
    return f"{row['reference_name']}: {shown(row, 'reference')}" if row.get("reference") else "-"


def page(figures, options, date):
    turn = figures.row("", "^a turn with its nodes, durable")
    full = turn["ours"]["value"]
    relaxed = figures.value("", "^a turn with its nodes, without sync")
    turn_bytes = figures.value("13", "bytes")
    loaded = figures.value("17", "^resident bytes, loaded W3")
    snapshot = figures.value("17b", "beyond the nodes")
    opened = figures.value("15", "")
    commit_small = figures.value("", "growth of commit, nodes: 1000$")
    commit_large = figures.value("", "growth of commit, nodes: 1000000$")
    select_large = figures.value("", "growth of select, nodes: 1000000$")
    diff_large = figures.value("", "growth of diff, nodes: 1000000$")
    per_turn_memory = loaded / 100_000 + snapshot
    session_memory = SESSION_TURNS * per_turn_memory
    memory_sessions = options.memory_gb * GB / session_memory
    disk_turns = options.disk_gb * GB / turn_bytes
    durable = 1e9 / full
    beside = f"{turn.get('reference_name') or 'no reference'} in the same run: {shown(turn, 'reference')}"
    return f"""# What one machine holds

Made by `tools/scale.py` from what `make bench` measured; do not edit. Figures of {date}, on {options.cores} virtual cores{options.note and ", " + options.note}. The
machine that is asked about has {options.memory_gb:g} GB of memory for pactdb and {options.disk_gb:g} GB of disk. A turn is ten nodes and about
1.6 kB of text, a session is {SESSION_TURNS:,} turns. Real turns are often longer: what follows from bytes scales with them.

| | one machine | how |
| --- | ---: | --- |
| durable turns a second, one writer | {round_down(durable)} | 1 / {full / 1e3:,.0f} us: ten nodes added and committed, one turn after the other, each on the disk; {beside} |
| turns a second without waiting for the disk | {round_down(1e9 / relaxed)} | 1 / {relaxed / 1e3:,.0f} us |
| turns on the disk | {round_down(disk_turns)} | {options.disk_gb:g} GB / {turn_bytes:,.0f} B |
| sessions on the disk | {round_down(disk_turns / SESSION_TURNS)} | of {SESSION_TURNS:,} turns, with all their history |
| turns in memory | {round_down(options.memory_gb * GB / per_turn_memory)} | {options.memory_gb:g} GB / {per_turn_memory:,.0f} B: the nodes, and a snapshot a turn |
| sessions in memory at once | {round_down(memory_sessions)} | {session_memory / 1e6:,.1f} MB each; a context that is not open costs none |
| agents that commit every 10 s | {round_down(min(durable * 10, memory_sessions))} | the smaller of {round_down(durable * 10)}, for which one writer has the time, and {round_down(memory_sessions)}, for which there is memory while their sessions are open |

A commit takes {commit_large / commit_small:.1f} times as long on a million nodes ({commit_large / 1e3:,.0f} us in memory) as on a thousand
({commit_small / 1e3:,.0f} us). On a million nodes the user's blocks of the three newest turns are found in {select_large / 1e3:,.1f} us, and two
neighbouring snapshots are compared in {diff_large / 1e3:,.1f} us. Opening a file of a million nodes to the first answer took
{opened / 1e6:,.0f} ms, reading the same file {shown(figures.row("15", ""), "reference")}. `build/bench/growth-time.svg` and `build/bench/growth-bytes.svg` show the growth in between.

## Where the next machine is needed

- **Commits.** One process writes to a file at a time, and waits for the disk once a commit. Above about {round_down(durable)} durable
  commits a second, spread the contexts over several files; each has a writer of its own. The next limit is then the
  disk: how many syncs a second it takes.
- **Memory.** Above about {round_down(memory_sessions)} sessions that are open at once, close those that wait for their user; what is
  closed costs disk alone. More that are busy at once need the next machine.
- **Disk.** Above about {round_down(disk_turns / SESSION_TURNS)} sessions with all their history, let old snapshots go
  ([`gc`](operations.md#gc)), or use the next disk.
- **Readers** wait for no writer. Threads read what their process has loaded anyway; another process that reads the file loads
  the newest snapshot of each context that it looks at, and needs memory for it.
- **Availability.** A file lives on one machine. If that must be able to fail, copies are yours to arrange
  ([`backup`](operations.md#backup)).

## The figures

As `make bench` measured them, each beside its reference of the same run, and its verdict on the goal where there is one.
A machine that does other work meanwhile makes whatever waits for the disk or a core longer: then read the ratio to the
reference, and put your own machine's figure in.

| goal | what | measured | reference | verdict |
| --- | --- | ---: | ---: | --- |
""" + "".join(f"| {row['goal'] or '-'} | {row['what']} | {shown(row)} | {reference_of(row)} | {row.get('verdict') or '-'} |\n"
              for row in figures.used)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--results", default=str(ROOT / "bench/results.json"))
    parser.add_argument("--memory-gb", type=float, default=8)
    parser.add_argument("--disk-gb", type=float, default=100)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--note", default="", help="what the reader should know of the machine")
    parser.add_argument("--out", default=str(ROOT / "docs/scale.md"))
    options = parser.parse_args()
    results = pathlib.Path(options.results)
    if not results.exists():
        sys.exit(f"scale: there is no {results}; run make bench first")
    date = datetime.datetime.fromtimestamp(results.stat().st_mtime, datetime.timezone.utc).strftime("%Y-%m-%d")
    figures = Figures(json.loads(results.read_text(encoding="utf-8"))["rows"])
    pathlib.Path(options.out).write_text(page(figures, options, date), encoding="utf-8")
    print(f"scale: {options.out}")


if __name__ == "__main__":
    main()
