#!/usr/bin/env python3
"""Counting a text twice as long costs about twice as much, whatever it says.

    cost_test.py TOOL [--bytes N] [--table]

Texts of one thing repeated, most of them a single piece for the pattern: what makes a merge that looks at all pairs each
time take the square of its length. Counted are instructions (callgrind), so the figures do not depend on the machine's
load. Linear is 2; a heap is a little more.
"""
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

import callgrind  # noqa: E402

SKIPPED = 77    # what CTest takes for a skipped test
GROWTH_MAX = 2.3
ENCODINGS = ["o200k_base", "cl100k_base"]
UNITS = ["a", "A", "aB", "abcdefghijklmnopqrstuvwxyz", " ", "\n", "\r\n", " \n", "\t", "1", "!", "!/", "=-", "'s", "a ", "é", "漢", "\u0301",
         "\u00a0", "👩‍👩‍👧", "\u180e", "\ufffd"]
# And what is no UTF-8.
UNITS = [unit.encode() for unit in UNITS] + [b"\xff", b"aaaaaaa\xff", b"\xe6\x97"]


def count(tool, lines):
    costs, done = callgrind.run(tool, lines)
    if done.returncode == 3:
        print("skipped: this build has no vocabularies")
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(f"cost_test: {done.returncode}\n{done.stderr.decode()[-2000:]}")
    return costs


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--bytes", type=int, default=32768)
    parser.add_argument("--table", action="store_true", help="all figures")
    given = parser.parse_args()
    sizes = [given.bytes // 4, given.bytes // 2, given.bytes]
    line = "{}\t{}\t{}".format
    texts = [(encoding, unit) for encoding in ENCODINGS for unit in UNITS]
    warm = [line(encoding, "61", 2000) for encoding in ENCODINGS]
    costs = count(given.tool, warm + [line(encoding, unit.hex(), size) for encoding, unit in texts for size in sizes])
    faults = []
    for encoding, unit in texts:
        row = [costs.get(line(encoding, unit.hex(), size), 0) for size in sizes]
        growth = max(row[1] / row[0], row[2] / row[1]) if all(row) else 99
        text = f"{encoding} {unit!r:34} {growth:5.2f}  {row}  {row[2] / given.bytes:.0f} a byte"
        if given.table:
            print(text)
        if growth > GROWTH_MAX:
            faults.append("grows too fast: " + text)
    print(f"{len(texts)} texts, {len(faults)} faults")
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
