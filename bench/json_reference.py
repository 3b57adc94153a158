"""What Python's json does with recorded conversations: nanoseconds to read the messages of all of them, then to write them.

usage: json_reference.py FILE   (a JSON array of objects with `traj`)
"""

import json
import sys
import time


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        texts = [json.dumps(one["traj"]) for one in json.load(file)]
    began = time.perf_counter_ns()
    values = [json.loads(text) for text in texts]
    read = time.perf_counter_ns()
    for value in values:
        json.dumps(value)
    print(read - began, time.perf_counter_ns() - read)


if __name__ == "__main__":
    main()
