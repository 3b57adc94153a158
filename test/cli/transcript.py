#!/usr/bin/env python3
"""Runs transcripts of the command and compares everything it says.

A transcript is a text file, or the fenced blocks marked `console` of a Markdown page:

    $ pactdb show x session.jsonl
    ! pactdb: E_NODE_NOT_FOUND: there is no node 'x' in the working state
    [exit 2]

A line after `$ ` is run by the shell in a copy of test/cli/data, one after `% ` in a terminal of 60 columns, where an
escape is shown as \\e. A page's block whose mark names a file, as ```python agent.py, is that file from there on. What
follows is standard output, then standard error with `! ` before each line, then the exit code if it is not 0. A line
`...` alone stands for any lines, a time that ends in `.…Z` for any time; `...` beside anything else stands for itself.
A file without a command is a fault.

With --update the files are rewritten as the command answers now.
"""

import argparse
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import fcntl
import termios

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(__file__).resolve().parent / "data"


class Shell:
    """A folder with the data of the tests, and a shell in which `pactdb` is the command under test."""

    def __init__(self, command):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        for file in DATA.iterdir():
            shutil.copy(file, self.folder)
        binaries = self.folder / ".bin"
        binaries.mkdir()
        (binaries / "pactdb").symlink_to(pathlib.Path(command).resolve())
        self.env = {"PATH": f"{binaries}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "HOME": str(self.folder)}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LLVM_PROFILE_FILE", "LD_LIBRARY_PATH",
                     "LD_BIND_NOW"):
            if name in os.environ:
                self.env[name] = os.environ[name]

    def close(self):
        shutil.rmtree(self.folder)

    def run(self, line, data=b""):
        return subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.env, input=data, timeout=120,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def say(self, line):
        """What a transcript shows of the line."""
        done = self.run(line)
        text = done.stdout.decode("utf-8")
        if text and not text.endswith("\n"):
            text += "\n"
        text += "".join(f"! {one}\n" for one in done.stderr.decode("utf-8").splitlines())
        return text + (f"[exit {done.returncode}]\n" if done.returncode else "")

    def say_in_terminal(self, line, columns=60):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(["bash", "-c", line], cwd=self.folder, env={**self.env, "TERM": "xterm"},
                                   stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        os.close(theirs)
        out = b""
        while True:
            try:
                chunk = os.read(ours, 1 << 16)
            except OSError:  # Linux's way to say that the other end is closed
                break
            if not chunk:
                break
            out += chunk
        os.close(ours)
        code = process.wait(120)
        text = out.decode("utf-8").replace("\r\n", "\n").replace("\x1b", "\\e")
        return text + (f"[exit {code}]\n" if code else "")


def steps(text):
    """(line, what it should say) of a transcript."""
    parts = re.split(r"^([$%] .*)\n", text, flags=re.M)
    if parts[0].strip():
        sys.exit(f"a transcript starts with a command, not with {parts[0]!r}")
    return list(zip(parts[1::2], parts[2::2]))


def fits(got, wanted):
    pattern = re.sub(r"^\\\.\\\.\\\.\\\n", r"(?:.*\\n)*?", re.escape(wanted), flags=re.M)
    pattern = re.sub(r"\d{4}\\-\d\d\\-\d\dT\d\d:\d\d:\d\d\\\.…Z", r"\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z", pattern)
    return re.fullmatch(pattern, got) is not None


def play(text, shell):
    """The transcript as it is now, and what differs."""
    now, faults = [], []
    for line, wanted in steps(text):
        blank = wanted.endswith("\n\n") and "\n" or ""
        got = (shell.say if line[0] == "$" else shell.say_in_terminal)(line[2:])
        if fits(got, wanted.rstrip("\n") + "\n" if wanted.strip() else ""):
            now.append(f"{line}\n{wanted}")
            continue
        now.append(f"{line}\n{got}{blank}")
        faults.append(f"{line}\n--- wanted\n{wanted}--- got\n{got}")
    return "".join(now), faults


def play_file(path, shell, update):
    text = path.read_text(encoding="utf-8")
    faults, shown = [], []

    def block(match):
        if match[2]:
            (shell.folder / match[2]).write_text(match[4], encoding="utf-8")
        if match[1] != "console":
            return match[0]
        now, found = play(match[4], shell)
        shown.extend(steps(match[4]))
        faults.extend(found)
        return f"```console{match[3]}{now}```"

    if path.suffix == ".md":
        now = re.sub(r"^```(\w+)(?: +([\w-]+\.\w+))?( *\n)(.*?)^```$", block, text, flags=re.M | re.S)
    else:
        now, faults = play(text, shell)
        shown = steps(text)
    if not shown:
        sys.exit(f"{path}: no commands to run")
    if update and faults:
        path.write_text(now, encoding="utf-8")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pactdb", default="build/pactdb")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    files = [pathlib.Path(name) for name in options.files]
    files = files or sorted((DATA.parent / "golden").glob("*.txt"))
    failed = 0
    for path in files:
        shell = Shell(options.pactdb)
        for fault in play_file(path, shell, options.update):
            failed += 1
            print(f"{path}: {fault}", flush=True)
        shell.close()
    print(f"{len(files)} transcripts, {failed} commands {'rewritten' if options.update else 'differ'}")
    return 1 if not files or failed and not options.update else 0


if __name__ == "__main__":
    sys.exit(main())
