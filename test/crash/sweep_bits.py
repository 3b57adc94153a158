#!/usr/bin/env python3
"""Flips single bits of a database and its log, and reads everything (make sweep-bits).

No altered byte may be served as good, and no commit may be lost from the log untold if there are later ones. One
control changes a record together with its checksum, and must be found; another makes breaks of the log no damage.

usage: sweep_bits.py FLIPPER [--flips N] [--seeds N]
"""
import argparse
import re
import subprocess
import sys

from sweeps import Room


def flip(flipper, room, seed, steps, flips, *more):
    command = [flipper, room.path / "bits", str(seed), str(steps), str(flips), *more]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.search(r"(\d+) flips, (\d+) noticed, (\d+) harmless, (\d+) log cut, (\d+) untold, "
                      r"(\d+) altered, (\d+) missed", out)
    return out, list(map(int, found.groups()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flipper")
    parser.add_argument("--flips", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    total = [0] * 7
    with Room() as room:
        for seed in range(1, args.seeds + 1):
            out, counts = flip(args.flipper, room, seed, 80, args.flips // args.seeds)
            total = [a + b for a, b in zip(total, counts)]
            if counts[4] or counts[5]:
                print(out, end="")
        print("bits: {} flips, {} noticed, {} harmless, {} log cut, {} untold, {} altered".format(*total))
        _, control = flip(args.flipper, room, 1, 80, 10, "unchecked")
        print("control, checksums changed too: {} changes, {} altered".format(control[0], control[5]))
        _, unsynced = flip(args.flipper, room, 1, 80, 60, "unsynced")
        print("control, commits said not to be synced: {} flips, {} untold".format(unsynced[0], unsynced[4]))
    caught = control[5] > 0 and unsynced[4] > 0
    if not caught:
        print("control: was not caught, so the sweep proves nothing")
    return 0 if total[4] == total[5] == 0 and caught else 1


if __name__ == "__main__":
    sys.exit(main())
