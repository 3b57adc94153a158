#!/usr/bin/env python3
"""Database files at the prompt: a second writer is refused and told who writes, readers are not; what is no database, of
a newer version, or may not be opened is an error with a code, and stays as it was; a killed writer loses nothing that
it acknowledged."""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

import habits
import transcript


def start_writer(shell, file):
    """`pactdb exec` on the file, which has answered its first request."""
    process = subprocess.Popen([str(shell.folder / ".bin/pactdb"), "exec", file], cwd=shell.folder, env=shell.env,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    ask(process, {"op": "stats"})
    return process


def ask(process, request):
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def check_busy(shell):
    shell.run("pactdb import busy.pactdb chat.json")
    writer = start_writer(shell, "busy.pactdb")
    for line in ("pactdb commit busy.pactdb", "pactdb add busy.pactdb x", "pactdb import busy.pactdb chat.json",
                 "pactdb exec busy.pactdb", "pactdb fork busy.pactdb f", "pactdb gc busy.pactdb --keep-last 1",
                 "pactdb tag busy.pactdb t", "pactdb contexts busy.pactdb --delete f", "pactdb init busy.pactdb --context n"):
        began = time.monotonic()
        done = shell.run(line)
        said = done.stderr.decode()
        if done.returncode != 2 or "E_STORE_BUSY" not in said or str(writer.pid) not in said or done.stdout:
            yield f"{line}: exit {done.returncode}, {said}"
        if time.monotonic() - began > 20:
            yield f"{line}: it waited"
    for verb, before in habits.READERS.items():
        done = shell.run(f"pactdb {verb} {before} busy.pactdb --json")
        if done.returncode != 0:
            yield f"{verb} beside a writer: exit {done.returncode}, {done.stderr.decode()}"
    done = shell.run("pactdb gc busy.pactdb --keep-last 1 --dry-run --json")
    if done.returncode != 0 or json.loads(done.stdout)["snapshots"] != 1:
        yield f"gc --dry-run beside a writer: exit {done.returncode}, {done.stdout!r} {done.stderr.decode()}"
    ask(writer, {"op": "add", "node": {"content": "news"}})
    ask(writer, {"op": "commit"})
    if len(json.loads(shell.run("pactdb log busy.pactdb --json").stdout)) != 3:
        yield "a reader does not see the commit of a writer that goes on"
    if shell.run("pactdb backup busy.pactdb copy.pactdb && pactdb verify copy.pactdb").returncode != 0:
        yield "no backup beside a writer"
    writer.stdin.close()
    writer.wait(60)


def check_kill(shell):
    shell.run("pactdb import kill.pactdb chat.json")
    for turn in range(3):
        writer = start_writer(shell, "kill.pactdb")
        ask(writer, {"op": "add", "node": {"content": f"turn {turn}"}})
        cycle = ask(writer, {"op": "commit", "hashes": False})["result"]["cycle"]
        ask(writer, {"op": "add", "node": {"content": f"open {turn}"}})
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait(60)
        log = json.loads(shell.run("pactdb log kill.pactdb --limit 1 --json").stdout)
        if log[0]["cycle"] != cycle:
            yield f"acknowledged @c{cycle}, found @c{log[0]['cycle']}"
        if f"open {turn}" not in shell.run("pactdb tree kill.pactdb").stdout.decode():
            yield f"the journal has lost what was open in turn {turn}"
    if shell.run("pactdb verify kill.pactdb").stdout != b"ok\n":
        yield "verify finds something after kill -9"


def check_killed_import(shell):
    """An import that makes a context is there whole or not at all, whenever it is killed or runs out of room."""
    turns = [{"role": role, "content": f"{role} {i} " + "x" * 500} for i in range(1500) for role in ("user", "assistant")]
    (shell.folder / "long.json").write_text(json.dumps(turns))
    shell.run("pactdb import killed.pactdb chat.json")
    began = time.monotonic()
    shell.run("pactdb import killed.pactdb long.json --context whole")
    takes = time.monotonic() - began
    whole = shell.run("pactdb log killed.pactdb --context whole --json").stdout.count(b'"cycle"')
    seen = set()
    # The machine may be busier than when that was timed: later and later then, until one import is through.
    for number, share in enumerate([n / 20 for n in range(24)] + [2.0 ** n for n in range(1, 7)]):
        if share >= 2 and whole in seen:
            break
        context = f"c{number}"
        process = subprocess.Popen([str(shell.folder / ".bin/pactdb"), "import", "killed.pactdb", "long.json",
                                    "--context", context],
                                   cwd=shell.folder, env=shell.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(takes * share)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        log = shell.run(f"pactdb log killed.pactdb --context {context} --json").stdout
        there = log.count(b'"cycle"') if log.startswith(b"[") else None
        seen.add(there)
        if there not in (None, whole):
            yield f"killed after {share} of its time, an import left {there} commits of {whole}"
    if seen != {None, whole}:
        yield f"no kill came early, or none late: {seen}"
    blocks = (shell.folder / "killed.pactdb").stat().st_size // 1024
    for more in (8, 64, 256, 1024):
        done = shell.run(f"ulimit -f {blocks + more}; pactdb import killed.pactdb long.json --context full")
        names = [one["name"] for one in json.loads(shell.run("pactdb contexts killed.pactdb --json").stdout)]
        if (done.returncode == 0) != ("full" in names):
            yield f"with room for {more} KiB: exit {done.returncode}, {names}, {done.stderr.decode()}"
        if "full" in names:
            shell.run("pactdb contexts killed.pactdb --delete full")
    for limit in (64, 256, 512, 1024):
        done = shell.run(f"rm -f fresh.pactdb*; ulimit -f {limit}; pactdb import fresh.pactdb long.json")
        if done.returncode == 0 or (shell.folder / "fresh.pactdb").exists():
            yield f"a new file with room for {limit} KiB: exit {done.returncode}, {done.stderr.decode()}"
    if shell.run("pactdb verify killed.pactdb").stdout != b"ok\n":
        yield "verify finds something after killed imports"


def check_refused(shell):
    """(file, how it is made, code): every verb refuses it and leaves it alone."""
    shell.run("pactdb import whole.pactdb chat.json")
    whole = (shell.folder / "whole.pactdb").read_bytes()
    newer = bytearray(whole)
    newer[60:64] = (10 ** 6).to_bytes(4, "big")  # SQLite's user_version: our format
    cases = {"empty.pactdb": (b"", "E_STORE_CORRUPT"), "text.pactdb": (b"hello\n" * 1000, "E_STORE_CORRUPT"),
             "newer.pactdb": (bytes(newer), "E_STORE_VERSION"), "cut.pactdb": (whole[:5000], "E_STORE_CORRUPT"),
             "head.pactdb": (whole[:40], "E_STORE_CORRUPT"), "spoilt.pactdb": (b"x" + whole[1:], "E_STORE_CORRUPT"),
             "chat.pactdb": ((shell.folder / "chat.json").read_bytes(), "E_STORE_CORRUPT")}
    for name, (data, code) in cases.items():
        path = shell.folder / name
        path.write_bytes(data)
        lines = [f"pactdb commit {name}", f"pactdb exec --create {name} < session.jsonl", f"pactdb init {name}",
                 f"pactdb import {name} chat.json", f"pactdb exec --read {name}", f"pactdb backup {name} to.pactdb",
                 f"pactdb shell {name}"]
        lines += [f"pactdb {verb} {before} {name}" for verb, before in habits.READERS.items()]
        for line in lines:
            done = shell.run(line)
            said = done.stderr.decode()
            if done.returncode != 2 or not said.startswith(f"pactdb: {name}: {code}: ") or done.stdout:
                yield f"{line}: exit {done.returncode}, {said}"
            # Of one that is empty nothing can be.
            can_be_repaired = code == "E_STORE_CORRUPT" and data != b""
            if (f"'pactdb repair {name} NEWFILE'" in said) != can_be_repaired:
                yield f"{line}: whether it can be repaired: {said}"
        if path.read_bytes() != data:
            yield f"{name} was changed"


def check_unreadable(shell):
    """A file that is not there, a folder, and a pipe: the same code from every verb, and nothing is made."""
    (shell.folder / "folder.pactdb").mkdir()
    os.mkfifo(shell.folder / "pipe.pactdb")
    for verb, before in habits.READERS.items():
        done = shell.run(f"pactdb {verb} {before} pipe.pactdb")
        if done.returncode != 2 or b"E_STORE_IO: this is not a regular file" not in done.stderr:
            yield f"{verb} of a pipe: exit {done.returncode}, {done.stderr.decode()}"
    (shell.folder / "pipe.pactdb").unlink()
    verbs = [f"{verb} {before} FILE" for verb, before in habits.READERS.items()]
    verbs += ["commit FILE", "add FILE x", "fork FILE f", "tag FILE t", "gc FILE --keep-last 1", "contexts FILE", "export FILE",
              "exec FILE", "exec --read FILE", "shell FILE", "backup FILE to.pactdb", "repair FILE to.pactdb",
              "import to.pactdb FILE", "replay FILE"]
    for name in ("folder.pactdb", "absent.pactdb", "absent.json", "absent/absent.pactdb", "chat.json/absent.pactdb"):
        for verb in verbs:
            done = shell.run("pactdb " + verb.replace("FILE", name))
            if done.returncode != 2 or not done.stderr.startswith(f"pactdb: {name}: E_STORE_IO: ".encode()) or done.stdout:
                yield f"{verb} of {name}: exit {done.returncode}, {done.stderr.decode()}"
    if list(shell.folder.glob("absent*")) or list(shell.folder.glob("to.pactdb*")):
        yield "a verb on a file that is not there made one"
    (shell.folder / "folder.pactdb").rmdir()


def check_repair(shell):
    """A damaged file gives a new one that verifies, or none; it is never touched, and nothing is written over."""
    shell.run("pactdb import hurt.pactdb chat.json")
    whole = (shell.folder / "hurt.pactdb").read_bytes()
    (shell.folder / "taken.pactdb").write_bytes(b"mine")
    cases = {"whole": (whole, 0), "headless": (b"x" * 100 + whole[100:], 1), "cut": (whole[:-5000], 1),
             "text": (b"hello\n" * 1000, 2), "empty": (b"", 2)}
    for name, (data, code) in cases.items():
        (shell.folder / f"{name}.pactdb").write_bytes(data)
        done = shell.run(f"pactdb repair {name}.pactdb {name}-sound.pactdb --json")
        if done.returncode != code or (code == 2) != ("error" in json.loads(done.stdout)):
            yield f"repair of {name}: exit {done.returncode}, {done.stdout.decode()} {done.stderr.decode()}"
        there = (shell.folder / f"{name}-sound.pactdb").exists()
        if there != (code != 2) or (there and shell.run(f"pactdb verify {name}-sound.pactdb").returncode != 0):
            yield f"repair of {name}: no new file, or one that does not verify"
        if shell.run(f"pactdb repair {name}.pactdb taken.pactdb").returncode != 2:
            yield f"repair of {name}: it wrote over a file"
        if (shell.folder / f"{name}.pactdb").read_bytes() != data:
            yield f"repair of {name}: the damaged file was changed"
    if (shell.folder / "taken.pactdb").read_bytes() != b"mine":
        yield "repair wrote over a file"
    left = [path.name for path in shell.folder.iterdir() if "-sound.pactdb-" in path.name]
    if left:
        yield f"repair left {left}"


def check_failed_import(shell):
    """An import that fails leaves no new file, and one that was there as it was."""
    bad = "echo '[{\"role\":\"user\",\"content\":\"a\"},{\"role\":7}]'"
    done = shell.run(f"{bad} | pactdb import fresh.pactdb -")
    if done.returncode != 2 or list(shell.folder.glob("fresh.pactdb*")):
        yield f"a failed import: exit {done.returncode}, left {list(shell.folder.glob('fresh.pactdb*'))}"
    shell.run("pactdb import old.pactdb chat.json")
    before = shell.run("pactdb export --history old.pactdb").stdout
    done = shell.run(f"{bad} | pactdb import old.pactdb -; pactdb verify old.pactdb")
    if done.returncode != 0 or shell.run("pactdb export --history old.pactdb").stdout != before:
        yield "a failed import changed a file that was there"


def check_damaged_later(shell):
    """Damage that only shows in what is read after opening, and a disk that is full then: with the file's name."""
    turns = [{"role": role, "content": f"{role} {i} " + "x" * 3000} for i in range(60) for role in ("user", "assistant")]
    (shell.folder / "turns.json").write_text(json.dumps(turns))
    shell.run("pactdb import later.pactdb turns.json")
    data = bytearray((shell.folder / "later.pactdb").read_bytes())
    at = data.index(b"user 30 ") if b"user 30 " in data else len(data) // 2
    seen = 0
    for place in (at, len(data) // 3, len(data) // 2, len(data) * 2 // 3):
        hurt = bytearray(data)
        hurt[place:place + 64] = b"\xa5" * 64
        (shell.folder / "later.pactdb").write_bytes(hurt)
        for line in ("pactdb tree later.pactdb", "pactdb log --hashes later.pactdb", "pactdb export --history later.pactdb",
                     "pactdb life block:1.1 later.pactdb", "pactdb tree --at @c30 later.pactdb"):
            said = shell.run(line).stderr.decode()
            if "E_STORE_CORRUPT" not in said:
                continue
            seen += 1
            if not said.startswith("pactdb: later.pactdb: E_STORE_CORRUPT: ") or "'pactdb repair later.pactdb NEWFILE'" not in said:
                yield f"{line}: {said}"
    if seen == 0:
        yield "no damage was found"
    (shell.folder / "later.pactdb").write_bytes(data)
    done = shell.run("ulimit -f 90; pactdb import full.pactdb turns.json")
    if not done.stderr.startswith(b"pactdb: full.pactdb: E_STORE_IO: "):
        yield f"an import into a full disk: {done.stderr.decode()}"
    done = shell.run("pactdb repair later.pactdb none/new.pactdb")
    if not done.stderr.startswith(b"pactdb: none/new.pactdb: E_STORE_IO: ") or b"No such file or directory" not in done.stderr:
        yield f"repair into a folder that is not there: {done.stderr.decode()}"
    done = shell.run("pactdb import chat.json chat.json")
    if b"'pactdb repair" in done.stderr or b"JSON" not in done.stderr or done.returncode != 2:
        yield f"a document in the place of a database: {done.stderr.decode()}"


def check_size_limit(shell):
    """A file that may not grow, of a database or of output, is an error with a code, and no signal."""
    rng = random.Random(7)
    log = [{"role": role, "content": rng.randbytes(2000).hex()} for _ in range(100) for role in ("user", "assistant")]
    (shell.folder / "long.json").write_text(json.dumps(log))
    shell.run("pactdb import long.pactdb long.json")
    for line, said in (("pactdb import limited.pactdb long.json", "E_STORE_IO"),
                       ("pactdb backup long.pactdb limited.pactdb", "E_STORE_IO"),
                       ("pactdb export long.pactdb > limited.json", "standard output: File too large")):
        done = shell.run(f"ulimit -f 90; {line}")
        if done.returncode != 2 or said not in done.stderr.decode() or list(shell.folder.glob("limited.pactdb*")):
            yield f"{line} with a limit of size: exit {done.returncode}, {done.stderr.decode()}"


def check_permissions(shell):
    """As a user who may not; root may everything, so root becomes somebody else."""
    shell.run("pactdb import locked.pactdb chat.json")
    locked = shell.folder / "locked.pactdb"
    become = None
    if os.geteuid() == 0:
        def become():
            os.setgid(65534)
            os.setuid(65534)
    # A copy: the command itself may lie in a checkout that is closed to others, .bin be closed by the umask.
    program = shell.folder / "program"
    shutil.copy(shell.folder / ".bin/pactdb", program)
    program.chmod(0o755)
    shell.folder.chmod(0o755)
    locked.chmod(0)
    for verb in ("commit", "log", "verify"):
        done = subprocess.run([str(program), verb, "locked.pactdb"], cwd=shell.folder, env=shell.env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=become, check=False)
        said = done.stderr.decode()
        if done.returncode != 2 or not said.startswith("pactdb: locked.pactdb: E_STORE_IO: ") or done.stdout:
            yield f"{verb} of a locked file: exit {done.returncode}, {said}"
    locked.chmod(0o444)
    for verb, codes in (("log", (0,)), ("commit", (2,))):
        done = subprocess.run([str(program), verb, "locked.pactdb"], cwd=shell.folder, env=shell.env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=become, check=False)
        if done.returncode not in codes:
            yield f"{verb} of a file for reading: exit {done.returncode}, {done.stderr.decode()}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pactdb", default="build/pactdb")
    options = parser.parse_args()
    shell = transcript.Shell(options.pactdb)
    checks = (check_busy, check_kill, check_killed_import, check_refused, check_unreadable, check_repair,
              check_failed_import, check_damaged_later, check_size_limit,
              check_permissions)
    faults = [fault for check in checks for fault in check(shell)]
    shell.close()
    print("\n".join(faults) if faults else "files at the prompt: all as it should be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
