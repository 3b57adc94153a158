#!/usr/bin/env python3
"""Says which requirement is held by which executed case, and fails where one is held by none.

A case is a conformance case whose name begins with the id, or a test of CTest whose name contains it (`TREE_4` for
TREE-4, `SEL_EX_7` for SEL-EX-7). What counts is what CTest runs in a build, not what stands in a source: the GoogleTests
that were found in the programs, tests of its own, and the cases of the areas for which it calls the runner. Every
requirement has a case or an entry in conformance/deferred.json, never both. With --run those tests are run, and one that
does not pass holds nothing.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
RUNNER = "conformance/run.py"
ID_IN_NAME = re.compile(r"(?<![A-Za-z0-9])([A-Z]+(?:_[A-Z]+)*)_(\d+)(?![A-Za-z0-9])")

sys.path.insert(0, str(ROOT / "conformance"))
import run  # noqa: E402  the runner knows how cases are written


def load(folder, name):
    with open(folder / name, encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=run.unique_members)


def ids_of_test(name):
    return [m[1].replace("_", "-") + "-" + m[2] for m in ID_IN_NAME.finditer(name)]


class Test:
    """One test of CTest's list; `number` is its place there, from 1."""

    def __init__(self, number, entry):
        self.number, self.name, self.command = number, entry["name"], entry.get("command", [])
        self.is_disabled = any(p["name"] == "DISABLED" and p["value"] for p in entry.get("properties", []))
        self.is_missing = self.name.endswith("_NOT_BUILT") or not self.command

    @property
    def areas(self):
        """The filters that the conformance runner is called with; None if it is not called."""
        at = next((i for i, a in enumerate(self.command) if a.endswith(RUNNER)), None)
        if at is None:
            return None
        words = iter(self.command[at + 1:])
        filters = []
        for word in words:
            if word in ("--engine", "--timeout", "--jobs"):
                next(words, None)
            elif word.startswith("-"):
                return []  # Lists, or compares less than everything.
            else:
                filters.append(word)
        return filters


def tests_of(build):
    if not (build / "CTestTestfile.cmake").is_file():
        sys.exit(f"requirements: there is no build in {build}: run make test first")
    command = ["ctest", "--test-dir", str(build), "--show-only=json-v1"]
    listed = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if listed.returncode != 0:
        sys.exit(f"requirements: ctest cannot list the tests of {build}: {listed.stderr.strip()}")
    tests = [Test(i, entry) for i, entry in enumerate(json.loads(listed.stdout)["tests"], 1)]
    missing = [t.name for t in tests if t.is_missing]
    if missing or not tests:
        what = f"{missing[0]} is not built" if missing else "it has no tests"
        sys.exit(f"requirements: the build in {build} is not complete, {what}: run make test first")
    return [t for t in tests if not t.is_disabled]


def holders(tests, cases):
    """(id, test, case) for every id that an executed case names."""
    for test in tests:
        for rule in ids_of_test(test.name):
            yield rule, test, test.name
        for case in cases if test.areas else []:
            if case.steps and any(f == case.area or f in case.name for f in test.areas):
                for rule in case.ids:
                    yield rule, test, f"{case.place} {case.name}"


def passed(build, tests):
    """The names of those of `tests` that pass when they are run now."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.xml"
        numbers = ",".join(str(t.number) for t in tests)
        subprocess.run(["ctest", "--test-dir", str(build), "-I", f"0,0,0,{numbers}", "-j", str(os.cpu_count()),
                        "--output-junit", str(report)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cases = xml.etree.ElementTree.parse(report).getroot().iter("testcase")
        return {case.get("name") for case in cases if case.get("status") == "run"}


def is_requirement_like(rule, areas):
    return rule.rsplit("-", 1)[0] in areas if "-" in rule else False


def check(requirements, deferred, held):
    """The faults, one line each."""
    areas = {rule.rsplit("-", 1)[0] for rule in requirements}
    for rule in held:
        if rule not in requirements and is_requirement_like(rule, areas):
            yield f"{rule}: no such requirement, named by {held[rule][0]}"
    for rule, entry in deferred.items():
        if rule not in requirements:
            yield f"{rule}: deferred, but no such requirement"
        elif rule in held:
            yield f"{rule}: deferred, yet held by {held[rule][0]}"
        elif not entry.get("reason") or not entry.get("part"):
            yield f"{rule}: deferred without a reason or a part"
        elif entry["reason"].startswith("MAY") != (requirements[rule]["level"] == "MAY"):
            yield f"{rule}: deferred as if it were {entry['reason'].split(':')[0]}, it is {requirements[rule]['level']}"
    for rule, entry in requirements.items():
        if rule not in held and rule not in deferred:
            yield f"{rule}: held by no case and not deferred ({entry['text']})"
        if entry.get("overruled") and not entry.get("reason"):
            yield f"{rule}: overruled without a reason"


def summary(requirements, deferred, held):
    areas = {}
    for rule in requirements:
        counts = areas.setdefault(rule.rsplit("-", 1)[0], [0, 0, 0])
        counts[0] += 1
        counts[1] += rule in held
        counts[2] += rule in deferred
    yield f"{'area':9} {'ids':>4} {'held':>5} {'deferred':>9}"
    for area, counts in areas.items():
        yield f"{area:9} {counts[0]:4} {counts[1]:5} {counts[2]:9}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "test", help="the build whose tests count")
    parser.add_argument("--conformance", type=pathlib.Path, default=ROOT / "conformance", help="folder of the cases")
    parser.add_argument("--run", action="store_true", help="run the tests that hold something; failed ones do not count")
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object")
    parser.add_argument("--summary", action="store_true", help="print only the counts of each area")
    options = parser.parse_args()
    requirements, deferred = load(options.conformance, "requirements.json"), load(options.conformance, "deferred.json")
    cases = run.load_cases(options.conformance)
    holding = list(holders(tests_of(options.build), cases))
    faults = [f"{case.place}: a case without steps" for case in cases if not case.steps]
    if options.run and holding:
        tests = {test.name: test for _, test, _ in holding}
        good = passed(options.build, list(tests.values()))
        faults += [f"{name}: did not pass" for name in tests if name not in good]
        holding = [entry for entry in holding if entry[1].name in good]
    held = {}
    for rule, _, case in holding:
        held.setdefault(rule, []).append(case)
    faults += check(requirements, deferred, held)
    if options.json:
        table = {rule: {**entry, "cases": held.get(rule, []), "deferred": deferred.get(rule)}
                 for rule, entry in requirements.items()}
        print(json.dumps({"requirements": table, "faults": faults}, indent=1, ensure_ascii=False))
    else:
        if not options.summary:
            for rule in requirements:
                for case in held.get(rule, [f"deferred: {deferred.get(rule, {}).get('reason')}"]):
                    print(f"{rule}: {case}")
        print("\n".join(summary(requirements, deferred, held)))
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
