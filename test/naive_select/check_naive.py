#!/usr/bin/env python3
"""Two naive evaluators agree: the C++ one of this folder and the Python one of test/oracle.

    check_naive.py build/test/bin/pactdb_select_duel --pairs 1000 --seed 1

The program prints trees, requests and its naive answers; the oracle answers the same requests from
the text on, with a parser of its own.
"""

import argparse
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))

from select_session import Session  # noqa: E402


def answer_of(session, request):
    answer = session.select(request)
    return answer["result"] if answer["ok"] else answer["error"]["code"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--pairs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    out = subprocess.run([given.program, "print", str(given.pairs), str(given.seed)],
                         check=True, stdout=subprocess.PIPE).stdout
    session, pairs, found, differ = None, 0, 0, 0
    for line in out.decode().splitlines():
        said = json.loads(line)
        if "script" in said:
            session = Session(said["script"])
            continue
        pairs += 1
        mine = answer_of(session, said["request"])
        found += isinstance(mine, list) and mine != []
        if mine != said["answer"]:
            differ += 1
            print("MISMATCH\n  oracle %s\n  naive  %s" % (mine, said["answer"]))
            for request in session.script + [said["request"]]:
                print("  " + json.dumps(request))
    print("%d pairs, %d with results, %d mismatches" % (pairs, found, differ))
    return 1 if differ or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
