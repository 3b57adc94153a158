#!/usr/bin/env python3
"""Runs the console blocks of docs/replay.md, in order and in one folder, and compares what they print.

usage: test/replay/replay_page.py --engine build/pactdb

A line `$ ...` is a command; what follows is its output, then what goes to standard error with `! ` before each line,
then `[exit N]` if the exit code is not 0. A `cat` whose file is not there yet makes the file instead: that is how the
page gives its input. Of a damaged log the number of the byte depends on the readings of the clock, and is not compared.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def steps(text):
    """(line number, command, expected output) of every command."""
    found = []
    in_block = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            in_block = line == "```console"
        elif in_block and line.startswith("$ "):
            found.append([number, line[2:], ""])
        elif in_block:
            found[-1][2] += line + "\n"
    return found


def without_byte(text):
    return re.sub(r"\(byte \d+\)", "(byte N)", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", required=True)
    engine = pathlib.Path(parser.parse_args().engine).resolve()
    commands = steps((ROOT / "docs/replay.md").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(engine, os.path.join(folder, "pactdb"))
        env = dict(os.environ, PATH=folder + os.pathsep + os.environ["PATH"])
        for number, command, expected in commands:
            made = re.fullmatch(r"cat (\S+)", command)
            if made and not os.path.exists(os.path.join(folder, made[1])):
                pathlib.Path(folder, made[1]).write_text(expected, encoding="utf-8")
                continue
            done = subprocess.run(command, shell=True, cwd=folder, env=env, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, check=False)
            talk = "".join(f"! {line}\n" for line in done.stderr.splitlines())
            printed = done.stdout + talk + (f"[exit {done.returncode}]\n" if done.returncode else "")
            if without_byte(printed) != without_byte(expected):
                print(f"docs/replay.md:{number}: $ {command}\n--- expected\n{expected}--- printed\n{printed}", end="")
                return 1
    print(f"{len(commands)} commands of docs/replay.md print what is shown")
    return 0 if commands else 1


if __name__ == "__main__":
    sys.exit(main())
