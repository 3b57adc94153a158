"""Builds one mutant and holds tests against it; tools/mutants.py chooses the mutants.

A mutant costs one object and one link: layers are shared libraries here, the changed one lies in a folder of its own, and
LD_LIBRARY_PATH puts it before the one in the build. The copied sources and their build are never changed, so a run that is
interrupted leaves nothing behind. Everything but the layers' type is as `make test` has it, and ccache knows the objects.
"""
import hashlib
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import signal
import subprocess
import time

# Not held against mutants: what judges the checkout, the command's manners or other implementations, installs or measures,
# and what runs the same cases a second time.
LEFT_OUT = re.compile(r"^(house|install|bench|tokens\.|examples|docs\.demo|cli\.(conformance|habits|generated|demo|shell)"
                      r"|providers\.vendor_types)")
# What takes long by its nature: oracles, recorded sessions, faults, counted instructions.
LONG = re.compile(r"^(crash|replay|oracle|naive_select\.oracle|select\.cost)")
# Which tests are held against a mutant, one stage after the other: those that call the library, those that drive the
# command, the long ones. A survivor costs every test of its stage.
STAGES = NEAR, DRIVING, LAST = range(3)
AWAKE_SECONDS_MIN = 180
AWAKE_BY_CPU = 20  # and so many times what a test may burn
MEMORY = 8 << 30
# Calls into shared libraries are bound before main: tests that count instructions would count the binding.
ENVIRONMENT = {**os.environ, "PACTDB_TEST_SCALE": "20", "LD_BIND_NOW": "1"}


class Outcome:
    PASSED, FAILED, LOOPED, STUCK = range(4)


def limited(command, folder, environment, cpu_seconds):
    """(Outcome, processor seconds of the command and its children). Processor time is what is limited: the whole machine
    may have been paused, and that is no loop. What waits forever is seen by the seconds in which this process was awake:
    twenty times what it may burn, more than a machine that does other things too makes of it."""

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=limit)
    awake, awake_max, nap, pid = 0.0, max(AWAKE_SECONDS_MIN, AWAKE_BY_CPU * cpu_seconds), 0.002, 0
    try:
        while not pid and awake < awake_max:
            time.sleep(nap)
            awake += nap
            nap = min(0.1, nap * 1.5)
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)  # also what the command left running
        except ProcessLookupError:
            pass
        process.returncode = 0 if pid else process.wait()
    if not pid:
        return Outcome.STUCK, 0.0
    seconds = used.ru_utime + used.ru_stime
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
        return Outcome.LOOPED, seconds
    return (Outcome.PASSED if status == 0 else Outcome.FAILED), seconds


class Unit:
    """Tests that run together: a GoogleTest program, or one CTest test of another kind."""

    def __init__(self, name, command, folder):
        self.name, self.command, self.folder = name, command, folder
        self.libraries = self.find_libraries()
        self.seconds = 1.0
        self.tries, self.kills = {}, {}

    def find_libraries(self):
        """The layers that its programs are linked with."""
        found = set()
        for word in {word for part in self.command for word in part.split()}:
            if os.path.isfile(word) and os.access(word, os.X_OK) and not word.endswith((".py", ".sh")):
                listed = subprocess.run(["ldd", word], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
                found |= set(re.findall(r"libpactdb_(\w+)\.so", listed))
        return found

    @property
    def stage(self):
        """Most mutants are found by tests that call the library, and these cost the least."""
        if self.name.endswith("_test") or self.name.startswith("fuzz."):
            return NEAR
        return LAST if LONG.match(self.name) else DRIVING

    def is_of(self, layer):
        return re.match(rf"pactdb_{layer}_(\w+_)?test$", self.name) is not None

    def promise(self, layer):
        """Mutants found a second, as far as is known: the order of the units."""
        guess = 2 if self.is_of(layer) else 0.5
        return (self.kills.get(layer, 0) + guess) / (self.tries.get(layer, 0) + 3) / max(0.05, self.seconds)

    @property
    def cpu_seconds(self):
        return int(max(5, 6 * self.seconds))


class Judge:
    def __init__(self, root, copy, jobs, only_own, say):
        self.root, self.copy, self.jobs, self.only_own, self.say = root, copy, jobs, only_own, say
        self.tree, self.work = copy / "tree", copy / "mutant"
        self.build = self.tree / "build" / "test"
        self.copy_checkout()
        self.make()
        self.commands = {entry["file"]: entry for entry in json.loads((self.build / "compile_commands.json").read_text())}
        self.units = self.find_units()
        self.recall()

    def copy_checkout(self):
        """The sources; files that are the same keep their times, so that a second run compiles less."""
        listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=self.root, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        if listed.returncode:
            raise SystemExit(f"mutants: the checkout is no git repository that can be listed: {listed.stderr.strip()}")
        wanted = listed.stdout.splitlines()
        digest = hashlib.sha256()
        for name in wanted:
            source, target = self.root / name, self.tree / name
            if not source.is_file():
                continue
            content = source.read_bytes()
            if not name.startswith("tools/mutant"):
                digest.update(f"{name} {len(content)}\n".encode() + content)
            if not target.exists() or target.read_bytes() != content:
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(source, target)
        for path in sorted(self.tree.rglob("*")):
            name = path.relative_to(self.tree).as_posix()
            if path.is_file() and not name.startswith("build/") and not (self.root / name).is_file():
                path.unlink()
        vocabularies = self.root / "build" / "vocabularies"
        if vocabularies.is_dir():
            shutil.copytree(vocabularies, self.tree / "build" / "vocabularies", dirs_exist_ok=True)
        self.digest = digest.hexdigest()

    def make(self):
        subprocess.run(["cmake", "--log-level=ERROR", "--preset", "test", "-DPACTDB_UNITY=OFF",
                        "-DPACTDB_BENCHMARKS=OFF", "-DPACTDB_LAYER_TYPE=SHARED", "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"],
                       cwd=self.tree, check=True, stdout=subprocess.DEVNULL)
        # The programs and what tests load into them; `all` would also compile every header alone.
        listed = subprocess.run(["ninja", "-t", "targets", "all"], cwd=self.build, check=True, stdout=subprocess.PIPE,
                                text=True).stdout
        built = re.findall(r"^([^/\n][^\n\[]*): CXX_(?:EXECUTABLE|MODULE_LIBRARY)_LINKER", listed, re.M)
        subprocess.run(["ninja", "-j", str(self.jobs), *built], cwd=self.build, check=True, stdout=subprocess.DEVNULL)

    def find_units(self):
        shown = subprocess.run(["ctest", "--test-dir", self.build, "--show-only=json-v1"], check=True, stdout=subprocess.PIPE,
                               text=True).stdout
        units = {}
        for test in json.loads(shown)["tests"]:
            command, program = test.get("command", []), pathlib.Path((test.get("command") or [""])[0]).name
            if not command or LEFT_OUT.match(test["name"]):
                continue
            if re.match(r"pactdb_\w+_test$", program):
                units.setdefault(program, [command[0], "--gtest_brief=1", "--gtest_fail_fast"])
            else:
                units.setdefault(test["name"], command)
        return [Unit(name, command, self.tree) for name, command in units.items()]

    def environment(self, is_mutant):
        scratch = self.work / "tmp"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        environment = {**ENVIRONMENT, "TMPDIR": str(scratch)}
        if is_mutant:
            environment["LD_LIBRARY_PATH"] = str(self.work)
        return environment

    def recall(self):
        """What every unit took without a mutant, when that was last asked, and with which files."""
        known = self.copy / "known.json"
        kept = json.loads(known.read_text()) if known.exists() else {}
        self.known = {unit.name: kept[unit.name] for unit in self.units if isinstance(kept.get(unit.name), dict)}
        for unit in self.units:
            unit.seconds = self.known.get(unit.name, {"seconds": 1.0})["seconds"]

    def check_unchanged(self, unit):
        """A unit passes without a mutant before it is held against the first one. Asked again only when a file has changed:
        a few mutants that die early ask for few."""
        if self.known.get(unit.name, {}).get("digest") == self.digest:
            return
        outcome, unit.seconds = limited(unit.command, unit.folder, self.environment(False), 3600)
        self.say(f"without a mutant: {unit.name}: {unit.seconds:.1f} s of processor time")
        if outcome != Outcome.PASSED:
            raise SystemExit(f"mutants: {unit.name} fails without any mutant")
        self.known[unit.name] = {"digest": self.digest, "seconds": unit.seconds}
        (self.copy / "known.json").write_text(json.dumps(self.known))

    def compile(self, name, text, to):
        entry = self.commands[str(self.tree / name)]
        source = self.work / pathlib.Path(name).name
        source.write_text(f'#line 1 "{self.tree / name}"\n{text}', encoding="utf-8")
        command = shlex.split(entry["command"])
        output = command[command.index("-o") + 1]
        command = [str(to) if word == output else str(source) if word == entry["file"] else word for word in command]
        # A mutant that earns a warning is one for the tests to find.
        launcher = [shutil.which("ccache")] if shutil.which("ccache") else []
        done = subprocess.run([*launcher, *command, "-Wno-error", "-w"], cwd=entry["directory"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
        return output if done.returncode == 0 else None

    def link(self, layer, old_object, new_object):
        library = next(self.build.rglob(f"libpactdb_{layer}.so")).relative_to(self.build).as_posix()
        listed = subprocess.run(["ninja", "-t", "commands", library], cwd=self.build, check=True, stdout=subprocess.PIPE,
                                text=True).stdout.strip().splitlines()[-1]
        words = shlex.split(listed.removeprefix(": && ").removesuffix(" && :"))
        swap = {library: str(self.work / f"libpactdb_{layer}.so"), old_object: str(new_object)}
        return subprocess.run([swap.get(word, word) for word in words], cwd=self.build, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode == 0

    def is_same_code(self, name, original, changed_object):
        """Whether the compiler makes the same of both, beside the lines of a debugger."""
        plain = self.work / "plain.o"
        self.compile(name, original, plain)
        bare = []
        for path in (plain, changed_object):
            stripped = path.with_suffix(".bare")
            subprocess.run(["objcopy", "--strip-debug", path, stripped], check=True)
            bare.append(stripped.read_bytes())
        return bare[0] == bare[1]

    def order(self, layer, name, stage):
        """The tests beside the file first, then by what they found so far and what they cost."""
        beside = self.tree / (name.removesuffix(".cc") + "_test.cc")
        units = [unit for unit in self.units if layer in unit.libraries and unit.stage == stage]
        if self.only_own:
            units = [unit for unit in units if unit.is_of(layer)]
        if stage == NEAR and beside.exists():
            suites = sorted(set(re.findall(r"^(?:TEST|TEST_F)\((\w+),", beside.read_text(encoding="utf-8"), re.M)))
            for unit in units:
                if suites and unit.is_of(layer):
                    yield unit, [*unit.command, "--gtest_filter=" + ":".join(f"{suite}.*" for suite in suites)]
        for unit in sorted(units, key=lambda unit: -unit.promise(layer)):
            yield unit, unit.command

    def judge(self, name, original, changed, stage):
        """(verdict, by what) of the tests of one stage: 'killed' or 'survived'; 'stillborn' if it does not compile, 'equal' if
        the compiler makes the same of it as of the original, 'unjudged' when a test waits and burns nothing."""
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        layer = name.split("/")[1]
        changed_object = self.work / "changed.o"
        old_object = self.compile(name, changed, changed_object)
        if not old_object or not self.link(layer, old_object, changed_object):
            return "stillborn", ""
        if stage == DRIVING and self.is_same_code(name, original, changed_object):
            return "equal", ""
        for unit, command in self.order(layer, name, stage):
            outcome = self.outcome(unit, command)
            if outcome == Outcome.STUCK:
                return "unjudged", unit.name
            is_killed = outcome != Outcome.PASSED
            if command is unit.command or is_killed:
                unit.tries[layer] = unit.tries.get(layer, 0) + 1
                unit.kills[layer] = unit.kills.get(layer, 0) + is_killed
            if is_killed:
                return "killed", unit.name + (" (a loop)" if outcome == Outcome.LOOPED else "")
        return "survived", ""

    def outcome(self, unit, command):
        """What fails must fail twice: a test that fails now and then has found nothing."""
        self.check_unchanged(unit)
        outcome, _ = limited(command, unit.folder, self.environment(True), unit.cpu_seconds)
        if outcome == Outcome.FAILED:
            outcome, _ = limited(command, unit.folder, self.environment(True), unit.cpu_seconds)
        return outcome
