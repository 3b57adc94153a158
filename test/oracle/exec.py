#!/usr/bin/env python3
"""The oracle as a program: one JSON request per line in, one JSON answer per line out."""

import json
import sys

from oracle import Oracle


def main():
    if len(sys.argv) > 1:
        print("usage: exec.py < requests", file=sys.stderr)
        return 2
    oracle = Oracle()
    for line in sys.stdin.buffer:
        answer = oracle.serve_line(line)
        print(json.dumps(answer, separators=(",", ":")), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
