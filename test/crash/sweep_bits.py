#!/usr/bin/env python3
"""Flips single bits of a database and its log, and reads everything (make sweep-bits).

No altered byte may be served as good. The control changes a record together with its checksum, and must be found.

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
    found = re.search(r"(\d+) flips, (\d+) noticed, (\d+) harmless, (\d+) log cut, (\d+) altered, (\d+) missed", out)
    return out, list(map(int, found.groups()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flipper")
    parser.add_argument("--flips", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    total = [0] * 6
    with Room() as room:
        for seed in range(1, args.seeds + 1):
            out, counts = flip(args.flipper, room, seed, 80, args.flips // args.seeds)
            total = [a + b for a, b in zip(total, counts)]
            if counts[4]:
                print(out, end="")
        print("bits: {} flips, {} noticed, {} harmless, {} log cut, {} altered".format(*total))
        _, control = flip(args.flipper, room, 1, 80, 10, "unchecked")
        print("control, checksums changed too: {} changes, {} altered".format(control[0], control[4]))
    if control[4] == 0:
        print("control: was not caught, so the sweep proves nothing")
    return 0 if total[4] == 0 and control[4] > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
