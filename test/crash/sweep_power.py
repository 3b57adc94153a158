#!/usr/bin/env python3
"""Cuts the power at moments spread over a run of the script, and looks at what can be left (make sweep-power).

The shim logs what reaches the system; power_replay makes the states and opens each. Acknowledged commits must be
there, but for relaxed ones; nothing may be corrupt.

Two controls must fail: commits that are acknowledged as durable but not synced (SQLite's synchronous=NORMAL) lose
some, and a system that syncs nothing (OFF) corrupts.

usage: sweep_power.py TOOL SHIM REPLAY [--states N] [--steps N]
"""
import argparse
import re
import subprocess
import sys

from sweeps import Room, Shim


def replay(args, room, seed, states, control=None, **faults):
    """(states, lost, corrupt)"""
    folder = room.fresh()
    log = room.path / "log"
    log.unlink(missing_ok=True)
    _, code = Shim(args.tool, args.shim, seed, args.steps).run(folder, control, LOG=log, **faults)
    if code != 0:
        raise SystemExit(f"the logged run ended with {code}")
    command = [args.replay, log, room.path / "state", str(seed), str(args.steps), str(states)]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.search(r"(\d+) states, (\d+) lost, (\d+) corrupt", out)
    return out, tuple(map(int, found.groups()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("shim")
    parser.add_argument("replay")
    parser.add_argument("--states", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args()
    good = True
    with Room() as room:
        left, seed, total = args.states, 1, [0, 0, 0]
        while left > 0:
            out, counts = replay(args, room, seed, min(left, 20_000))
            total = [a + b for a, b in zip(total, counts)]
            if counts[1] or counts[2]:
                print(out, end="")
                good = False
            left, seed = left - counts[0], seed + 1
        print("power: {} states, {} lost, {} corrupt".format(*total))
        some = max(100, min(1000, args.states // 10))
        for name, control, faults in [("NORMAL", "relaxed", {}), ("OFF", None, {"NOSYNC": 1})]:
            _, counts = replay(args, room, 1, some, control, **faults)
            print("control {}: {} states, {} lost, {} corrupt".format(name, *counts))
            # What is relaxed may be lost, and the file opens all the same.
            if name == "NORMAL" and counts[2]:
                print("relaxed commits made a file that is refused")
                good = False
            if counts[1] + counts[2] == 0:
                print(f"control {name}: was not caught, so the sweep proves nothing")
                good = False
    return 0 if good and total[0] >= args.states else 1


if __name__ == "__main__":
    sys.exit(main())
