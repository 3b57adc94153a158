#!/usr/bin/env python3
"""Says which requirement is held by which case, and fails where one is held by none.

A case is a conformance case whose name begins with the id, or a GoogleTest whose name contains it (`TREE_4` for TREE-4,
`SEL_EX_7` for SEL-EX-7). Every requirement has a case or an entry in conformance/deferred.json, never both.
"""

import argparse
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONFORMANCE = ROOT / "conformance"
NOT_OURS = {"build", "third_party", "node_modules"}
TEST_MACRO = re.compile(r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)
ID_IN_NAME = re.compile(r"(?<![A-Za-z0-9])([A-Z]+(?:_[A-Z]+)*)_(\d+)(?![A-Za-z0-9])")

sys.path.insert(0, str(CONFORMANCE))
import run  # noqa: E402  the runner knows how cases are written


def load(name):
    with open(CONFORMANCE / name, encoding="utf-8") as file:
        return json.load(file, object_pairs_hook=run.unique_members)


def test_sources():
    for path in sorted(ROOT.rglob("*_test.cc")):
        if not NOT_OURS & set(path.relative_to(ROOT).parts):
            yield path


def ids_of_test(name):
    return [m[1].replace("_", "-") + "-" + m[2] for m in ID_IN_NAME.finditer(name)]


def cases_by_id():
    """(id, case) for every id that a case names."""
    for case in run.load_cases():
        for rule in case.ids:
            yield rule, f"{case.place} {case.name}"
    for path in test_sources():
        for suite, name in TEST_MACRO.findall(path.read_text(encoding="utf-8")):
            if not name.startswith("DISABLED_"):
                for rule in ids_of_test(name):
                    yield rule, f"{path.relative_to(ROOT)} {suite}.{name}"


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
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object")
    parser.add_argument("--summary", action="store_true", help="print only the counts of each area")
    options = parser.parse_args()
    requirements, deferred = load("requirements.json"), load("deferred.json")
    held = {}
    for rule, case in cases_by_id():
        held.setdefault(rule, []).append(case)
    faults = list(check(requirements, deferred, held))
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
