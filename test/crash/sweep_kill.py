#!/usr/bin/env python3
"""Kills the script at every call that changes something, and looks at what is left (make sweep-kill).

Every state between two calls is one that a killed process can leave. Then the file must open within a second, verify,
and hold what was acknowledged, or that and the one step that was under way. Some runs are killed a second time while
they go on from there.

Most points are made by the preloaded shim, which costs nothing; some by strace, which counts the system calls
themselves and does not know how the program makes them.

The control acknowledges each step before it is done, and must be caught.

usage: sweep_kill.py TOOL SHIM [--points N] [--strace N] [--steps N]
"""
import argparse
import random
import subprocess
import sys

from sweeps import Checker, Room, Said, Shim, Tally, finish, spread

CALLS = ["pwrite64", "fdatasync", "fsync", "ftruncate", "unlink", "renameat2", "openat", "write", "close", "fcntl",
         "mmap"]
KILLED = -9


def strace(tool, folder, seed, steps, call, when):
    """Runs the script; a positive `when` kills it at that call. What it said, if it was killed, how many calls."""
    trace = folder.parent / "trace"
    inject = ["-e", f"inject={call}:signal=KILL:when={when}"] if when else []
    command = ["strace", "-f", "-qq", "-o", trace, "-e", f"trace={call}", *inject, tool, "run", folder / "a", str(seed),
               str(steps)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    text = trace.read_text(errors="replace")
    return Said(done.stdout), "killed by SIGKILL" in text, text.count(f"{call}(")


def sweep_by_strace(tool, seed, steps, wanted, room, tally):
    counts = {call: strace(tool, room.fresh(), seed, steps, call, 0)[2] for call in CALLS}
    total = sum(counts.values())
    checker = Checker(tool, seed, steps)
    for call, count in counts.items():
        for when in spread(count, max(1, wanted * count // total)) if count else []:
            folder = room.fresh()
            said, killed, _ = strace(tool, folder, seed, steps, call, when)
            if killed:  # Counts differ a little from run to run.
                tally.add(f"seed {seed}, {call} {when}", checker.ask(folder / "a", said.acked, said.acked))
    checker.close()


def sweep_by_shim(args, seed, wanted, room, tally, again, control=None):
    shim = Shim(args.tool, args.shim, seed, args.steps)
    checker = Checker(args.tool, seed, args.steps)
    for index, at in enumerate(spread(shim.count(room.fresh()), wanted)):
        folder = room.fresh()
        said, code = shim.run(folder, control, AT=at, DO="kill")
        where = f"seed {seed}, call {at}"
        if code != KILLED:
            tally.add(where, f"bad: was not killed but ended with {code}")
        elif again is not None and index % 10 == 5:
            second = random.Random(at).randrange(1, 60)
            more, code = shim.run(folder, AT=second, DO="kill")
            # Without a word from the second run: its step and that of the first may both be there.
            acked, under_way = (more.acked, 0) if more.acked else (said.acked, 1)
            again.add(f"{where}, then call {second}", checker.ask(folder / "a", acked, acked + under_way))
        else:
            tally.add(where, checker.ask(folder / "a", said.acked, said.acked))
    checker.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("shim")
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--strace", type=int, default=500)
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args()
    tally, again, traced = Tally("kill"), Tally("kill twice"), Tally("kill by strace")
    control = Tally("control: acknowledged early")
    can_trace = args.strace > 0 and subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"],
                                                   stderr=subprocess.DEVNULL).returncode == 0
    with Room() as room:
        seed = 1
        while (left := args.points - tally.points - again.points) > 0:
            sweep_by_shim(args, seed, left, room, tally, again)
            seed += 1
        sweep_by_shim(args, 1, 40, room, control, None, "early")
        if can_trace:
            sweep_by_strace(args.tool, 1, args.steps, args.strace, room, traced)
        elif args.strace:
            print("skipped: kill by strace: strace may not trace here")
    return finish([tally, again] + [traced] * can_trace, [control])


if __name__ == "__main__":
    sys.exit(main())
