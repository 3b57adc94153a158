#!/usr/bin/env python3
"""`pactdb conformance` and conformance/run.py come to the same verdicts, on the cases and on cases spoilt on purpose;
the errata are exactly those that docs/reading.md names, and the table is complete."""

import argparse
import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "conformance"))
import run  # noqa: E402

# Section 6 of docs/reading.md, by requirement.
ERRATA = {"SEL-GOLD-14", "SEL-GOLD-22", "SEL-GOLD-26", "SEL-GOLD-28", "SEL-GOLD-33"}
MET_BY_A_RULE = {"SEL-GOLD-4", "SEL-GOLD-15", "SEL-GOLD-24", "SEL-GOLD-27", "ORDER-7"}


def conformance(pactdb, *arguments):
    done = subprocess.run([pactdb, "conformance", "--json", *arguments], stdout=subprocess.PIPE, cwd=ROOT, check=False)
    return done.returncode, json.loads(done.stdout)


def verdicts_of_runner(cases, pactdb):
    options = argparse.Namespace(engine=f"{pactdb} exec", timeout=60, no_tree_hash=False)
    return {case.name: run.run_case(case, options) is None for case in cases}


def spoil(step, rng):
    """The step with one expectation changed so that it cannot hold; nothing if there is none to change."""
    step = copy.deepcopy(step)
    ways = []
    if "result" in step:
        ways.append(lambda: step.update(result=[step["result"], 1]))
    if isinstance(step.get("has"), dict) and step["has"]:
        name = rng.choice(list(step["has"]))
        ways.append(lambda: step["has"].update({name: ["spoilt", step["has"][name]]}))
        ways.append(lambda: step["has"].update({"no_such_member": None}))
    if "outline" in step:
        ways.append(lambda: step.update(outline=step["outline"] + " x"))
    if "thread" in step:
        ways.append(lambda: step.update(thread=step["thread"] + ["x"]))
    if "error" in step:
        ways.append(lambda: step.update(error="E_ANOTHER"))
        ways.append(lambda: (step.pop("error"), step.pop("details", None)))
        ways.append(lambda: step.update(details={"no_such_detail": 1}))
    elif "do" in step:
        # Beside error no file may hold what looks at a result.
        ways.append(lambda: ([step.pop(name, None) for name in run.RESULT_MEMBERS], step.update(error="E_SEALED")))
        ways.append(lambda: step.update(lacks=[""]))
    if "same" in step:
        ways.append(lambda: step.update(differs=step.pop("same")))
    if not ways:
        return None
    rng.choice(ways)()
    return step


def spoilt_cases(cases, rng, count):
    lines = []
    for number, case in enumerate(rng.sample(cases, min(count, len(cases)))):
        steps = [step for _, step in case.steps]
        at = rng.randrange(len(steps))
        steps[at] = spoil(steps[at], rng) or steps[at]
        head = {"case": f"OPS: spoilt {number}: {case.name}", "dialect": case.dialect, "configure": case.configure}
        lines += [head] + steps
    return "".join(json.dumps(line) + "\n" for line in lines)


def compare(ours, theirs, what):
    if ours.keys() != theirs.keys():
        yield f"{what}: {len(ours)} cases here, {len(theirs)} there"
    for name in sorted(ours.keys() & theirs.keys()):
        if ours[name] != theirs[name]:
            yield f"{what}: {name}: pactdb says {ours[name]}, run.py {theirs[name]}"


def check_table(report):
    verdicts = {row["id"]: row["verdict"] for row in report["requirements"]}
    with open(ROOT / "conformance/requirements.json", encoding="utf-8") as file:
        if list(verdicts) != list(json.load(file)):
            yield "the table does not list the requirements"
    for row in report["requirements"]:
        if not row["document"]:
            yield f"{row['id']}: no document"
        if row["verdict"] in ("erratum", "rule", "deferred") and not row.get("reason"):
            yield f"{row['id']}: {row['verdict']} without a reason"
    for verdict, wanted in (("erratum", ERRATA), ("rule", MET_BY_A_RULE)):
        got = {rule for rule, one in verdicts.items() if one == verdict}
        if got != wanted:
            yield f"{verdict}: {sorted(got)}, not {sorted(wanted)}"
    page = (ROOT / "docs/reading.md").read_text(encoding="utf-8").split("## 6. Errata")[1].split("\n## ")[0]
    for rule in sorted(ERRATA | MET_BY_A_RULE):
        if rule not in page:
            yield f"docs/reading.md section 6 does not name {rule}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pactdb", default="build/pactdb")
    parser.add_argument("--count", type=int, default=300)
    options = parser.parse_args()
    pactdb = str(pathlib.Path(options.pactdb).resolve())
    cases = run.load_cases()

    code, report = conformance(pactdb)
    ours = {case["name"]: case["ok"] for case in report["cases"]}
    theirs = verdicts_of_runner(cases, pactdb)
    faults = list(compare(ours, theirs, "cases")) + list(check_table(report))
    failed = any(row["verdict"] == "fail" for row in report["requirements"]) or not all(ours.values())
    if code != (1 if failed else 0):
        faults.append(f"the exit code is {code}")

    with tempfile.TemporaryDirectory() as folder:
        area = pathlib.Path(folder) / "spoilt"
        area.mkdir()
        file = area / "spoilt.jsonl"
        file.write_text(spoilt_cases(cases, random.Random(11), options.count), encoding="utf-8")
        code, report = conformance(pactdb, "--cases", str(file))
        ours = {case["name"]: case["ok"] for case in report["cases"]}
        theirs = verdicts_of_runner(run.load_cases(pathlib.Path(folder)), pactdb)
        faults += list(compare(ours, theirs, "spoilt cases"))
        if code != 1 or sum(ours.values()) * 4 > len(ours):
            faults.append(f"of {len(ours)} spoilt cases {sum(ours.values())} pass, exit code {code}")
    print("\n".join(faults) if faults else f"{len(cases)} cases and {len(ours)} spoilt ones: the same verdicts")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
