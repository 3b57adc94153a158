#!/usr/bin/env python3
"""`pactdb shell` at a terminal: it prompts, completes verbs, options, ids, keys, tags, snapshots and attributes with TAB,
remembers what was typed, takes a line back at an interrupt, and ends with the input."""

import argparse
import fcntl
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import termios
import time

import transcript


class Typist:
    """A shell in a pseudo terminal, and somebody who types."""

    def __init__(self, shell, file):
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen([str(shell.folder / ".bin/pactdb"), "shell", file], cwd=shell.folder,
                                        env={**shell.env, "TERM": "xterm", "NO_COLOR": "1", **LIBEDIT}, stdin=theirs,
                                        stdout=theirs, stderr=theirs, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(theirs)
        self.seen = ""

    def type(self, keys):
        os.write(self.ours, keys.encode())

    def wait_for(self, text, seconds=60):
        """Until the text was said; how terminals are told about cursors is left out."""
        end = time.monotonic() + seconds
        while text not in self.plain():
            ready, _, _ = select.select([self.ours], [], [], max(0, end - time.monotonic()))
            if not ready:
                raise AssertionError(f"waited for {text!r}, saw {self.seen!r}")
            try:
                self.seen += os.read(self.ours, 1 << 16).decode(errors="replace")
            except OSError:
                raise AssertionError(f"it ended before {text!r}, after {self.seen!r}") from None
        self.seen = self.plain().split(text, 1)[1]

    def plain(self):
        return re.sub(r"\r(?!\n)|\x08", "", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.seen))

    def end(self):
        """The key at the end of input, again if it came while nobody read keys: then it is not one."""
        for _ in range(60):
            self.type("\x04")
            try:
                code = self.process.wait(1)
            except subprocess.TimeoutExpired:
                continue
            os.close(self.ours)
            return code
        raise AssertionError(f"it goes on after the end of its input, with {self.seen!r}")


# libedit does not give back all of its words at the end; a program checked for leaks would count them as ours.
LIBEDIT = {"ASAN_OPTIONS": "detect_leaks=0"}
PROMPT = "t.pactdb:main> "
# What is typed, up to TAB, and what the line then is or the list has.
COMPLETIONS = [
    ("lo\t", "log "),
    ("tree --dep\t", "--depth "),
    ("tree --dialect cl\t", "classic "),
    ("render --format anth\t", "anthropic "),
    ("tokens --encoding est\t", "estimate "),
    ("life block:1.6\t", "block:1.6x "),
    ("select '#pa\t", "#page"),
    ("select '+we\t", "+web"),
    ("select '@c\t\t", "@c1"),
    ("select '^se\t", "^seq"),
    ("select '.blo\t", ".block"),
    ("select '.block[ro\t", "role="),
    # A value and not a blank goes on from there.
    ("select '.block[role=us\t", "role=user]"),
    ("select '.block[ro\tus\t", "role=user]"),
    ("context dr\t", "draft "),
    ("log --context dr\t", "draft "),
    ("diff draft@c\t\t", "draft@c1"),
    ("tree --at mile\t", "milestone "),
    ("diff mile\t", "milestone "),
]


def check(shell):
    shell.run("pactdb demo t.pactdb && pactdb tree --at @c1 t.pactdb")
    # Keys and tags of the working state; the page of the conversation has left it.
    shell.run("pactdb add t.pactdb --key page --tag web --id block:1.6x 'A page' --commit")
    shell.run("pactdb fork t.pactdb draft --at @c3; pactdb tag t.pactdb milestone --at @c2")
    typist = Typist(shell, "t.pactdb")
    typist.wait_for(PROMPT)
    for keys, wanted in COMPLETIONS:
        typist.type(keys)
        typist.wait_for(wanted)
        typist.type("\x15")  # the line is taken back
        typist.type("context\r")
        typist.wait_for("main")
        typist.wait_for(PROMPT)
    typist.type("log --limit 1\r")
    typist.wait_for("@c5")
    typist.wait_for(PROMPT)
    # An interrupt takes back the line, also an empty one or one that is searched for, and nothing of it is left.
    for keys, shown in (("abandoned", "abandoned"), ("  ", "  "), ("\x12lim", "log --limit 1"), ("", None)):
        typist.type(keys)
        if shown:
            typist.wait_for(shown)
        typist.type("\x03")
        typist.wait_for("^C\r\n" + PROMPT)
    typist.type("pactdb log --limit 1\r")
    typist.wait_for("@c5")
    typist.wait_for(PROMPT)
    typist.type("nonsense\r")
    typist.wait_for("there is no verb 'nonsense'")
    typist.wait_for(PROMPT)
    if typist.end() != 0:
        raise AssertionError("the exit code is not 0")
    history = (shell.folder / ".local/state/pactdb/history").read_text(encoding="utf-8")
    if "nonsense" not in history or "abandoned" in history:
        raise AssertionError(f"the history has {history!r}")
    # What was typed last time is there again.
    typist = Typist(shell, "t.pactdb")
    typist.wait_for(PROMPT)
    typist.type("\x1b[A")
    typist.wait_for("nonsense")
    typist.type("\x15")
    typist.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pactdb", default="build/pactdb")
    options = parser.parse_args()
    shell = transcript.Shell(pathlib.Path(options.pactdb))
    try:
        check(shell)
    finally:
        shell.close()
    print(f"{len(COMPLETIONS)} completions, history, interrupts, errors")
    return 0


if __name__ == "__main__":
    sys.exit(main())
