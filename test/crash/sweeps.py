"""What the sweeps share: running the script under a fault, collecting what it acknowledged, and asking whether the
file that is left holds exactly that."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


class Checker:
    """A `crash_tool check` that answers many questions."""

    def __init__(self, tool, seed, steps):
        self.process = subprocess.Popen([tool, "check", str(seed), str(steps)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, path, durable, acked):
        """"ok N", or "bad WHY"."""
        self.process.stdin.write(f"{path} {durable} {acked}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise SystemExit(f"the checker died on {path}, signal or code {self.process.wait()}")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Said:
    """What a run said: the steps it acknowledged, and the error it ended with, if one."""

    def __init__(self, text):
        self.acked = 0    # steps
        self.durable = 0  # steps up to the last durable one
        self.error = None
        self.after = None
        for line in text.splitlines():
            words = line.split(" ", 2)
            if words[0] == "ack" and len(words) == 3:
                self.acked = int(words[1]) + 1
                if words[2] == "durable":
                    self.durable = self.acked
            elif words[0] == "error" and len(words) == 3:
                self.error = words[2]
            elif words[0] == "after" and len(words) == 3:
                self.after = words[2]


class Shim:
    """The script under the preloaded fault_shim."""

    def __init__(self, tool, shim, seed, steps):
        self.command = [tool, "run"]
        self.script = [str(seed), str(steps)]
        self.shim = shim

    def run(self, folder, control=None, **faults):
        """faults: AT=5, DO="kill" become FAULT_AT and FAULT_DO. What it said, and how it ended."""
        environment = {**os.environ, "LD_PRELOAD": str(self.shim), "FAULT_DIR": str(folder)}
        environment |= {f"FAULT_{name}": str(value) for name, value in faults.items()}
        command = self.command + [folder / "a"] + self.script + ([control] if control else [])
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=60)
        return Said(done.stdout), done.returncode

    def count(self, folder, **faults):
        """How many calls of a whole run could fail."""
        count = folder.parent / "count"
        _, code = self.run(folder, COUNT=count, **faults)
        if code != 0:
            raise SystemExit(f"a run without faults ended with {code}")
        return int(count.read_text())


class Room:
    """A folder of its own, in memory where there is a place for that: syncing costs nothing there, and a killed
    process leaves the same as on a disk."""

    def __init__(self):
        memory = pathlib.Path("/dev/shm")
        parent = memory if os.access(memory, os.W_OK) else None
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="pactdb-sweep-", dir=parent))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)

    def fresh(self):
        """An empty folder; the one before is gone."""
        folder = self.path / "run"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder


class Tally:
    """Counts, and the first few findings."""

    def __init__(self, name):
        self.name = name
        self.points = 0
        self.bad = []

    def add(self, where, answer):
        self.points += 1
        if not answer.startswith("ok"):
            self.bad.append(f"{where}: {answer}")

    def report(self):
        print(f"{self.name}: {self.points} points, {len(self.bad)} bad")
        for line in self.bad[:10]:
            print(f"  {line}")
        sys.stdout.flush()


def finish(tallies, controls):
    """Exit code: good if nothing was bad, and each control was caught."""
    for tally in tallies + controls:
        tally.report()
    code = 0
    if any(t.bad for t in tallies) or not all(t.points for t in tallies):
        code = 1
    for control in controls:
        if not control.bad:
            print(f"{control.name}: the control was not caught, so the sweep proves nothing")
            code = 1
    return code


def spread(count, wanted):
    """`wanted` of the numbers 1..count, evenly, all of them if there are fewer."""
    if wanted >= count:
        return list(range(1, count + 1))
    return sorted({1 + i * count // wanted for i in range(wanted)})
