#!/usr/bin/env python3
"""Long documents at the prompt. What the command holds of them: `export` and `import` of a history take memory for the context and for one
part of a commit, never for the document beside it, in either form of the history; what is too long to be read is
refused unread. Showing long contents costs no more than a few times what reading them does. Work over a second shows
that it goes on, in a terminal."""

import argparse
import json
import os
import subprocess
import sys
import time

import transcript

# A part of a commit, its JSON, the pages that SQLite keeps, and the allocator's leavings.
SLACK = 24e6
TURNS = 20_000


def run_alone(shell, line):
    """What a process of the command took."""
    process = subprocess.Popen(["bash", "-c", "exec " + line], cwd=shell.folder, env=shell.env)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise AssertionError(f"{line}: exit {process.returncode}")
    return usage


def peak(shell, line):
    """The largest resident size, in bytes."""
    return run_alone(shell, line).ru_maxrss * 1024


def make_log(shell):
    with open(shell.folder / "long.jsonl", "w", encoding="utf-8") as out:
        for turn in range(TURNS):
            for role in ("user", "assistant"):
                out.write(json.dumps({"role": role, "content": f"{role} {turn} " + "text " * 100}) + "\n")


def check_held(shell):
    make_log(shell)
    shell.run("pactdb import long.pactdb long.jsonl")
    opened = peak(shell, "pactdb log --limit 1 long.pactdb > said")
    exported = peak(shell, "pactdb export --history long.pactdb > history.json")
    document = (shell.folder / "history.json").stat().st_size
    print(f"open {opened / 1e6:.0f} MB; history {document / 1e6:.0f} MB, export {exported / 1e6:.0f} MB")
    # What was read of the past stays, and is not as long as the document.
    if exported > opened + document + SLACK:
        yield f"export --history: {exported / 1e6:.0f} MB, {opened / 1e6:.0f} MB when open"
    snapshot = peak(shell, "pactdb export --at @t0 long.pactdb > snapshot.json")
    if snapshot > opened + SLACK / 2:
        yield f"export --at @t0: {snapshot / 1e6:.0f} MB, {opened / 1e6:.0f} MB when open"
    shell.run("""sed 's/,"commits":\\[/}\\n/; s/},{"cycle"/}\\n{"cycle"/g; s/\\]}$//' history.json > history.jsonl""")
    for form in ("history.json", "history.jsonl"):
        took = peak(shell, f"pactdb import from-{form}.pactdb {form} > said")
        print(f"import of {form} {took / 1e6:.0f} MB")
        # The tree, and what the engine keeps of each commit until all are written; the document, its parsed form and
        # a request with it would be three times its size more.
        if took > 5.5 * document + SLACK:
            yield f"import of {form}: {took / 1e6:.0f} MB"
        if shell.run(f"pactdb export --history from-{form}.pactdb | cmp - history.json").returncode != 0:
            yield f"import of {form} is not what was exported"
    for verb in ("log --hashes", "cache"):
        began = time.monotonic()
        said = shell.say_in_terminal(f"pactdb {verb} long.pactdb > said")
        took = time.monotonic() - began
        # How long it takes is the machine's; whether the bar is due follows from that, but near the second.
        if took > 2 and ("working [" not in said or not said.endswith("\\e[K")):
            yield f"{verb} took {took:.1f} s in a terminal: {said[:500]}"
        if took < 1 and said:
            yield f"{verb} took {took:.1f} s in a terminal, and said: {said[:500]}"
        if shell.run(f"pactdb {verb} --limit 3 long.pactdb 2>&1 > said").stdout:
            yield f"{verb}: talk where there is no terminal"
    # More than a gibibyte, without the disk for it.
    with open(shell.folder / "huge.json", "wb") as out:
        out.truncate((1 << 30) + 1024)
    done = shell.run("ulimit -v 500000; pactdb tree huge.json")
    if done.returncode != 2 or b"huge.json: E_LIMIT_EXCEEDED" not in done.stderr:
        yield f"a text over the limit: exit {done.returncode}, {done.stderr.decode()}"


def check_shown(shell):
    """Contents of 14 kB, not all ASCII."""
    with open(shell.folder / "wide.jsonl", "w", encoding="utf-8") as out:
        for turn in range(400):
            for role in ("user", "assistant"):
                content = f"{role} {turn} " + "text über " * 1300
                out.write(json.dumps({"role": role, "content": content}, ensure_ascii=False) + "\n")
    shell.run("pactdb import wide.pactdb wide.jsonl")
    for verb in ("tree", "diff @c1 @t0"):
        text, parsed = (run_alone(shell, f"pactdb {verb} wide.pactdb {option} > said").ru_utime for option in ("", "--json"))
        print(f"{verb}: {text:.2f} s, as JSON {parsed:.2f} s")
        if text > 5 * parsed + 1:
            yield f"{verb}: {text:.1f} s, as JSON {parsed:.1f} s"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pactdb", default="build/pactdb")
    options = parser.parse_args()
    shell = transcript.Shell(options.pactdb)
    try:
        faults = list(check_held(shell)) + list(check_shown(shell))
    finally:
        shell.close()
    print("\n".join(faults) if faults else "long documents: all as it should be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
