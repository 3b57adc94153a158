#!/usr/bin/env python3
"""Runs a program and compares all it prints with a file.

usage: test/docs/check_output.py EXPECTED PROGRAM [ARG ...]      exit code 1 if it prints something else or fails
"""
import pathlib
import subprocess
import sys


def main(argv):
    expected = pathlib.Path(argv[1]).read_text(encoding="utf-8")
    done = subprocess.run(argv[2:], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0 and done.stdout == expected:
        return 0
    print(f"exit code {done.returncode}\n--- expected\n{expected}--- printed\n{done.stdout}", end="")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
