#!/usr/bin/env python3
"""Plants faults in the core, one at a time, and counts those that the tests find. `make mutants` runs it.

A mutant is one small change in one line of src/: a comparison turned, a boundary moved, a condition forced, an
arithmetic sign changed, a statement left out. Which ones is chosen by --seed; the same seed gives the same list. For
each the file is changed in a copy of the checkout's sources, the object and the tests of its layer are built (build/mutants,
the flags of `test`), and they run: first the programs of the layer, then of the layers above that are given by ABOVE, and
last the suites over the whole (SUITES). A mutant that does not compile does not count. Survivors are listed with
their change; the checkout is not touched.

usage: tools/mutants.py [--count 100] [--seed 1] [--layer base]... [--own] [--list]
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
COPY = ROOT / "build" / "mutants"
CORE = ("base", "text", "model", "select", "diff", "engine", "store")
# Whose tests also run: the engine uses everything below it, and its tests are where much of it is held to account.
ABOVE = {"base": ("text", "model"), "text": ("model", "engine"), "model": ("diff", "select", "engine"),
         "select": ("engine",), "diff": ("engine",), "store": ("engine",), "engine": ()}
# Where else a layer's test programs are declared.
ELSEWHERE = {"store": ("test/store_contract", "test/store_faults")}
TEST_SECONDS = 240
# What CTest runs over the whole: cases and sessions driven through the command and its files, the inputs of the fuzzers.
SUITES = r"^(conformance|cli\.(transcripts|page|habits|files|generated)|providers|render|format|fuzz|determinism|capi|docs)"
ENVIRONMENT = {**os.environ, "PACTDB_TEST_SCALE": "20"}

# (name, what a place looks like, what it becomes). Blanks around binary operators keep templates and references out.
CHANGES = [
    ("less or equal", r" < ", " <= "), ("less", r" <= ", " < "),
    ("greater or equal", r" > ", " >= "), ("greater", r" >= ", " > "),
    ("unequal", r" == ", " != "), ("equal", r" != ", " == "),
    ("or", r" && ", " || "), ("and", r" \|\| ", " && "),
    ("minus", r" \+ ", " - "), ("plus", r" - ", " + "),
    ("minus minus", r"\+\+", "--"),
    ("negated condition", r"\bif \(([^;{}]+)\)(?= (?:return|continue|break)\b)", r"if (!(\1))"),
    ("never", r"\bif \(([^;{}]+)\)(?= (?:return|continue|break)\b)", r"if (false && (\1))"),
    ("true", r"\breturn false;", "return true;"), ("false", r"\breturn true;", "return false;"),
    ("one more", r"(?<=[ (])0(?=[;,)])", "1"), ("one less", r"(?<=[ (])1(?=[;,)])", "0"),
    ("left out", r"^( +)([a-z]\w*(?:\.|->)\w+\([^;{}]*\);)$", r"\1// \2"),
]


def code_lines(text):
    """(number, line) of lines that do something: no comments, includes, declarations of constants by macro or checks."""
    for number, line in enumerate(text.split("\n")):
        bare = line.strip()
        if bare and not bare.startswith(("//", "#", "PACTDB_DCHECK", "PACTDB_CHECK", "static_assert", "template", "using")):
            yield number, line


def literals_apart(line):
    """Where literals and comments lie in a line: no change is made there."""
    return [match.span() for match in re.finditer(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])+\'|//.*$|<[\w:, *&]+>', line)]


def places(name, text):
    for number, line in code_lines(text):
        apart = literals_apart(line)
        for change, pattern, becomes in CHANGES:
            for match in re.finditer(pattern, line):
                if any(start <= match.start() < end for start, end in apart):
                    continue
                yield name, number, change, line, line[:match.start()] + match.expand(becomes) + line[match.end():]


def all_places(layers):
    for layer in layers:
        for path in sorted((ROOT / "src" / layer).rglob("*.cc")):
            if not path.name.endswith("_test.cc"):
                yield from places(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))


def copy_checkout():
    """The sources, in build/mutants/tree; files that are the same keep their times, so that a second run compiles less."""
    tree = COPY / "tree"
    wanted = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True, stdout=subprocess.PIPE,
                            text=True).stdout.splitlines()
    for name in wanted:
        source, target = ROOT / name, tree / name
        if not source.is_file():
            continue
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    return tree


def test_targets(tree, layer):
    """The GoogleTest programs of a layer, by its CMakeLists.txt; the ones of random tests and threads last."""
    folders = (f"src/{layer}", *ELSEWHERE.get(layer, ()))
    text = "\n".join((tree / folder / "CMakeLists.txt").read_text(encoding="utf-8") for folder in folders)
    found = []
    for call in re.findall(r"pactdb_test\((.*?)\)", text, re.S):
        words = call.split()
        suffix = f"_{words[words.index('NAME') + 1]}" if "NAME" in words else ""
        found.append((("soak" in words) + ("threads" in words), f"pactdb_{words[0]}{suffix}_test"))
    return [target for _, target in sorted(found)]


class Tester:
    def __init__(self, tree, jobs, only_own):
        self.tree, self.jobs, self.only_own = tree, jobs, only_own
        self.build = tree / "build" / "test"
        # A mutant that earns a warning is one for the tests to find. Of a layer that is a shared library it takes one
        # object and one link; linking fifty programs anew would take longer than running them.
        subprocess.run(["cmake", "--log-level=ERROR", "--preset", "test", "-DPACTDB_BENCHMARKS=OFF", "-DPACTDB_WERROR=OFF", "-DPACTDB_LAYER_TYPE=SHARED",
                        "-DCMAKE_LINK_DEPENDS_NO_SHARED=ON"], cwd=tree, check=True, stdout=subprocess.DEVNULL)
        self.programs = {}

    def groups(self, layer):
        """The layers whose tests are held against a mutant of this one, its own first."""
        return (layer,) if self.only_own else (layer, *ABOVE[layer])

    def make(self, targets):
        done = subprocess.run(["cmake", "--build", self.build, "-j", str(self.jobs), "--target", *targets], cwd=self.tree,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode == 0, done.stdout

    def program(self, target):
        if target not in self.programs:
            self.programs[target] = next(path for path in self.build.rglob(target) if path.is_file())
        return self.programs[target]

    def find(self, targets):
        """The program that fails, or None. One that hangs fails."""
        for target in targets:
            try:
                done = subprocess.run([self.program(target), "--gtest_brief=1", "--gtest_fail_fast"], cwd=self.tree,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=TEST_SECONDS,
                                      env=ENVIRONMENT)
            except subprocess.TimeoutExpired:
                return target
            if done.returncode:
                return target
        return None

    def find_by_suites(self):
        """Whether a suite over the whole finds it. None if that does not compile."""
        is_built, _ = self.make(["all"])
        if not is_built:
            return None
        done = subprocess.run(["ctest", "--test-dir", self.build, "-j", str(self.jobs), "--stop-on-failure", "--timeout",
                               str(TEST_SECONDS), "-R", SUITES], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env=ENVIRONMENT)
        return done.returncode != 0


def judge(tester, place):
    """'stillborn', 'killed' with who did it, or 'survived'."""
    name, number, _, line, changed = place
    path = tester.tree / name
    original = path.read_text(encoding="utf-8")
    lines = original.split("\n")
    if lines[number] != line:
        return "stillborn", ""
    lines[number] = changed
    layer = name.split("/")[1]
    try:
        path.write_text("\n".join(lines), encoding="utf-8")
        for group in tester.groups(layer):
            targets = test_targets(tester.tree, group)
            is_built, _ = tester.make(targets)
            if not is_built:
                return "stillborn", ""
            killer = tester.find(targets)
            if killer:
                return "killed", killer
        if tester.only_own:
            return "survived", ""
        return {None: ("stillborn", ""), True: ("killed", "the suites"), False: ("survived", "")}[tester.find_by_suites()]
    finally:
        path.write_text(original, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layer", action="append", choices=CORE)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--floor", type=float, default=85, help="percent that must be killed")
    parser.add_argument("--own", action="store_true", help="only the tests of the mutant's own layer: faster, finds less")
    parser.add_argument("--list", action="store_true", help="show the chosen mutants and build nothing")
    options = parser.parse_args()
    layers = options.layer or CORE
    found = list(all_places(layers))
    chosen = random.Random(options.seed).sample(found, min(options.count, len(found)))
    if options.list:
        for name, number, change, _, changed in chosen:
            print(f"{name}:{number + 1}: {change}: {changed.strip()}")
        print(f"mutants: {len(chosen)} of {len(found)} places")
        return 0
    tester = Tester(copy_checkout(), options.jobs, options.own)
    everything = sorted({target for layer in layers for group in tester.groups(layer)
                         for target in test_targets(tester.tree, group)})
    is_built, output = tester.make(everything)
    if not is_built:
        sys.exit(f"mutants: the tests do not build\n{output[-2000:]}")
    failing = tester.find(everything)
    if not failing and not options.own and tester.find_by_suites() is not False:
        failing = "one of the suites"
    if failing:
        sys.exit(f"mutants: {failing} fails without any mutant")
    counts = {"killed": 0, "survived": 0, "stillborn": 0}
    survivors = []
    for place in chosen:
        began = time.monotonic()
        verdict, killer = judge(tester, place)
        counts[verdict] += 1
        name, number, change, line, changed = place
        text = f"{name}:{number + 1}: {change}\n    - {line.strip()}\n    + {changed.strip()}"
        if verdict == "survived":
            survivors.append(text)
        print(f"{verdict:<9} {time.monotonic() - began:5.0f} s  {name}:{number + 1}: {change}"
              f"{' by ' + killer if killer else ''}", flush=True)
    alive = counts["killed"] + counts["survived"]
    percent = 100 * counts["killed"] / max(1, alive)
    print("\n".join(["", "Survivors:", *survivors] if survivors else []))
    print(f"mutants: {counts['killed']} of {alive} killed, {percent:.0f} %; {counts['stillborn']} did not compile; "
          f"seed {options.seed}, {len(found)} places")
    return 0 if percent >= options.floor else 1


if __name__ == "__main__":
    sys.exit(main())
