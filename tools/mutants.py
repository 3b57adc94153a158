#!/usr/bin/env python3
"""Plants faults in the core, one at a time, and counts those that the tests find. `make mutants` runs it.

A mutant is one small change in one line of a .cc file of src/: a comparison turned, a boundary moved, a condition forced, an
arithmetic sign changed, a statement left out. Which ones is chosen by --seed; the same seed gives the same list. Each layer
has as many as its share of the places, and at least a twentieth of all. How one is built and judged is in mutant_judge.py:
in a copy of the sources (build/mutants) the tests beside the file run first, then those of its layer and others that are
linked with it, until one fails; what all mutants have left alive is then held against the tests that drive the command, and
what is left then against the long ones: oracles, recorded sessions, crashes. A mutant that does not compile, or of which the
compiler makes the same code, does not count. Verdicts, survivors and the tally are printed as they come: what is still to
be tested counts as alive. The checkout is not touched.

usage: tools/mutants.py [--count 100] [--seed 1] [--layer base]... [--pick 3,20-30] [--own] [--list]
"""
import argparse
import collections
import pathlib
import random
import re
import signal
import sys
import time

import mutant_judge

ROOT = pathlib.Path(__file__).resolve().parents[1]
COPY = ROOT / "build" / "mutants"
CORE = ("base", "text", "model", "select", "diff", "engine", "store")

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


def choose(found, count, seed):
    """The mutants of a seed, layers mixed, so that a run that is cut short has seen them all."""
    by_layer = collections.defaultdict(list)
    for place in found:
        by_layer[place[0].split("/")[1]].append(place)
    chance = random.Random(seed)
    chosen = []
    for places_of_it in by_layer.values():
        share = max(-(-count // 20), round(count * len(places_of_it) / len(found)))
        chosen += chance.sample(places_of_it, min(share, len(places_of_it)))
    chance.shuffle(chosen)
    return chosen


def changed_text(place):
    name, number, _, _, changed = place
    original = (ROOT / name).read_text(encoding="utf-8")
    lines = original.split("\n")
    lines[number] = changed
    return original, "\n".join(lines)


class Tally:
    def __init__(self):
        self.verdicts = {}  # by number in the list: a later one takes the place of an earlier one

    def add(self, number, place, verdict):
        self.verdicts[number] = (place, verdict)

    def total(self, verdict, layer=""):
        return sum(was == verdict and place[0].startswith(f"src/{layer}") for place, was in self.verdicts.values())

    def judged(self, layer=""):
        return self.total("killed", layer) + self.total("survived", layer)

    @property
    def percent(self):
        return 100 * self.total("killed") / max(1, self.judged())

    def __str__(self):
        return f"{self.total('killed')} of {self.judged()} killed, {self.percent:.1f} %"

    def report(self):
        alive = {number: place for number, (place, verdict) in self.verdicts.items() if verdict in ("survived", "unjudged")}
        if alive:
            print("\nSurvivors:")
        for number, place in sorted(alive.items()):
            print(f"{number:4} {describe(place)}")
        print("\nlayer    killed  judged")
        for layer in CORE:
            if self.judged(layer):
                print(f"{layer:<8} {self.total('killed', layer):6}  {self.judged(layer):6}")


def describe(place):
    name, number, change, line, changed = place
    return f"{name}:{number + 1}: {change}\n       - {line.strip()}\n       + {changed.strip()}"


def numbers(text):
    """The numbers in `3,20-30`."""
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return {number for first, *last in ends for number in range(first, (last or [first])[0] + 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layer", action="append", choices=CORE)
    parser.add_argument("--pick", type=numbers, help="only these of the seed's list, as in 3,7,20-30")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--floor", type=float, default=85, help="percent that must be killed")
    parser.add_argument("--own", action="store_true", help="only the tests of the mutant's own layer: faster, finds less")
    parser.add_argument("--list", action="store_true", help="show the chosen mutants and build nothing")
    options = parser.parse_args()
    found = list(all_places(options.layer or CORE))
    chosen = list(enumerate(choose(found, options.count, options.seed), 1))
    if options.pick:
        chosen = [(count, place) for count, place in chosen if count in options.pick]
    if options.list:
        for count, (name, number, change, _, changed) in chosen:
            print(f"{count:4} {name}:{number + 1}: {change}: {changed.strip()}")
        print(f"mutants: {len(chosen)} of {len(found)} places")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the report is printed then too
    judge = mutant_judge.Judge(ROOT, COPY, options.jobs, options.own, lambda text: print(text, flush=True))
    tally = Tally()
    try:
        for stage in mutant_judge.STAGES:
            for count, place in chosen:
                if stage != mutant_judge.NEAR and tally.verdicts[count][1] != "survived":
                    continue
                began = time.monotonic()
                verdict, who = judge.judge(place[0], *changed_text(place), stage)
                tally.add(count, place, verdict)
                shown = "alive" if stage != mutant_judge.LAST and verdict == "survived" else verdict
                is_short = verdict in ("killed", "stillborn", "equal")
                text = f"{place[0]}:{place[1] + 1}: {place[2]}" if is_short else describe(place)
                print(f"{count:4} {shown:<9} {time.monotonic() - began:4.0f} s  {tally}; {who}{': ' if who else ''}{text}",
                      flush=True)
    finally:
        tally.report()
        print(f"mutants: {tally}; {tally.total('stillborn')} did not compile, {tally.total('equal')} are the same code, "
              f"{tally.total('unjudged')} not judged; "
              f"seed {options.seed}, {len(found)} places")
    return 0 if tally.percent >= options.floor else 1


if __name__ == "__main__":
    sys.exit(main())
