#!/usr/bin/env python3
"""Readers beside a writer on one file, each a process (make sweep-readers).

Every look of a reader must succeed and see a whole commit, never an earlier one than the look before; a second writer is
refused at once. The control makes each turn in two commits, and must be caught.

usage: sweep_readers.py TOOL [--commits N] [--readers N]
"""
import argparse
import re
import subprocess
import sys
import time

from sweeps import Room


def watch(tool, room, commits, readers, *control):
    """What the readers said, and how long a second writer waited for its refusal."""
    path = room.fresh() / "shared.pactdb"
    writer = subprocess.Popen([tool, "write", path, str(commits), *control], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    if writer.stdout.readline() != "begun\n":
        raise SystemExit("the writer did not begin")
    watching = [subprocess.Popen([tool, "read", path, str(commits)], stdout=subprocess.PIPE, text=True)
                for _ in range(readers)]
    first = [reader.stdout.readline() for reader in watching]
    began = time.monotonic()
    second = subprocess.run([tool, "write", path, "1"], stdout=subprocess.PIPE, text=True, check=False)
    waited = time.monotonic() - began
    if "E_STORE_BUSY" not in second.stdout:
        raise SystemExit(f"a second writer was told {second.stdout!r}")
    rest = writer.communicate("go\n")[0]
    said = [(line + reader.communicate()[0]).replace("looking\n", "").strip() for line, reader in zip(first, watching)]
    if writer.returncode != 0:
        said.append("bad the writer: " + rest)
    return said, waited


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--commits", type=int, default=100_000)
    parser.add_argument("--readers", type=int, default=3)
    args = parser.parse_args()
    with Room() as room:
        said, waited = watch(args.tool, room, args.commits, args.readers)
        bad = [line for line in said if not line.startswith("read")]
        counts = [tuple(map(int, re.findall(r"\d+", line))) for line in said if line.startswith("read")]
        bad += [f"a reader saw {seen} commits: it shows nothing" for _, seen in counts if seen < 2]
        print("\n".join(bad), end="\n" if bad else "")
        print(f"readers: {args.commits} commits, {args.readers} readers, {sum(looks for looks, _ in counts)} looks at "
              f"{sum(seen for _, seen in counts)} commits, {len(bad)} bad; "
              f"a second writer was refused in {waited:.2f} s")
        control, _ = watch(args.tool, room, min(args.commits, 300), args.readers, "torn")
        caught = sum("half a commit" in line for line in control)
        print(f"control, turns in two commits: {caught} of {args.readers} readers saw it")
    if caught == 0:
        print("control: was not caught, so the sweep proves nothing")
    return 1 if bad or caught == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
