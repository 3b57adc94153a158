"""The Python reference of goal 5: reads a snapshot document on standard input and prints the nanoseconds that each of
its serializations takes, one a line, then the size and sha256 of the bytes.

usage: serialize_reference.py COUNT < document
"""

import hashlib
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "test", "differential"))

import reference  # noqa: E402


def main():
    root = json.load(sys.stdin)["root"]
    for _ in range(int(sys.argv[1])):
        began = time.perf_counter_ns()
        data = reference.serialize(root)
        print(time.perf_counter_ns() - began)
    print(len(data), hashlib.sha256(data).hexdigest())


if __name__ == "__main__":
    main()
