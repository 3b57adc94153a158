#!/usr/bin/env python3
"""Makes calls fail, one after the other, once and from then on, and looks at what happens (make sweep-io).

The process must live, the error must be E_STORE_IO, a step that failed with the outcome unknown must not be taken
again by the same handle, and opened anew the file must hold what was acknowledged, or that and the step that failed.
A step that failed for want of room must go well when there is room again. A write that is done in part and says so,
and a call that was interrupted, must not be noticed at all.

The control acknowledges whatever came of a step, and must be caught.

usage: sweep_io.py TOOL SHIM [--points N] [--steps N]
"""
import argparse
import errno
import sys

from sweeps import Checker, Room, Shim, Tally, finish, spread

# name, what the shim does, calls it is done to, once or from then on
FAULTS = [
    ("EIO", errno.EIO, "", False),
    ("EIO from then on", errno.EIO, "", True),
    ("EIO in a sync", errno.EIO, "sync", False),
    ("EIO in every sync", errno.EIO, "sync", True),
    ("ENOSPC", errno.ENOSPC, "write", False),
    ("ENOSPC from then on", errno.ENOSPC, "write", True),
    ("EDQUOT", errno.EDQUOT, "write", False),
    ("EDQUOT from then on", errno.EDQUOT, "write", True),
    ("EMFILE", errno.EMFILE, "open", False),
    ("EMFILE from then on", errno.EMFILE, "open", True),
    ("EINTR", errno.EINTR, "write", False),
    ("EINTR in an open", errno.EINTR, "open", False),
    ("short write", "short", "write", False),
    ("short writes", "short", "write", True),
]
UNNOTICED = {"EINTR", "EINTR in an open", "short write", "short writes"}
NO_ROOM = {"ENOSPC", "EDQUOT"}


def judge(name, said, code, answer):
    """"ok", or what is wrong."""
    if code not in (0, 3):
        return f"bad: the process ended with {code}"
    if said.error and not said.error.startswith("E_STORE_IO"):
        return f"bad: {said.error}"
    if name in UNNOTICED and (code != 0 or said.error):
        return f"bad: noticed, {said.error}"
    if name in NO_ROOM and said.after:
        return f"bad: did not go on when there was room: {said.error}, {said.after}"
    if name == "EIO in a sync" and said.error and code == 0:
        return "bad: went on after a sync failed"
    return answer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("shim")
    parser.add_argument("--points", type=int, default=6_000)
    parser.add_argument("--steps", type=int, default=120)
    args = parser.parse_args()
    tallies = []
    control = Tally("control: errors are not heard")
    with Room() as room:
        shim = Shim(args.tool, args.shim, 1, args.steps)
        checker = Checker(args.tool, 1, args.steps)
        for name, what, only, many in FAULTS:
            tally = Tally(f"io: {name}")
            faults = {"DO": what, **({"ONLY": only} if only else {}), **({"MANY": 1} if many else {})}
            count = shim.count(room.fresh(), **({"ONLY": only} if only else {}))
            for at in spread(count, args.points // len(FAULTS)):
                folder = room.fresh()
                said, code = shim.run(folder, AT=at, **faults)
                answer = checker.ask(folder / "a", said.acked, said.acked)
                tally.add(f"call {at}", judge(name, said, code, answer))
            tallies.append(tally)
        for at in spread(shim.count(room.fresh()), 30):
            folder = room.fresh()
            said, _ = shim.run(folder, "deaf", AT=at, DO=errno.EIO, MANY=1)
            control.add(f"call {at}", checker.ask(folder / "a", said.acked, said.acked))
        checker.close()
    print(f"io: {sum(t.points for t in tallies)} points in all")
    return finish(tallies, [control])


if __name__ == "__main__":
    sys.exit(main())
