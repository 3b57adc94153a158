#!/usr/bin/env python3
"""Runs the conformance cases against a command that speaks the exec protocol.

The format of a case is described in README.md beside this file. Every case gets a process of its own, so that a case
can neither help nor hurt the next one.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import select
import shlex
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
RESULT_MEMBERS = {"result", "has", "lacks", "outline", "thread", "save", "same", "differs"}
STEP_MEMBERS = RESULT_MEMBERS | {"do", "raw", "raw_hex", "times", "error", "details", "echo"}
CASE_MEMBERS = {"case", "dialect", "configure"}
STATS = ("cycle", "snapshots", "nodes", "tree_sha256")
RULE_ID = re.compile(r"^(?:[A-Z]+(?:-[A-Z]+)*-\d+|[PILMTBDX]\d+|LIMIT|OPS)$")
MISSING = object()


class Fault(Exception):
    """An expectation that did not hold; `wanted` and `got` are ready to print."""

    def __init__(self, what, wanted=None, got=None):
        super().__init__(what)
        self.what, self.wanted, self.got = what, wanted, got


# --- JSON ------------------------------------------------------------------------------------------------------------


def unique_members(pairs):
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a member stands twice in one object")
    return value


def refuse_constant(name):
    raise ValueError(name + " is not JSON")


def parse(text):
    return json.loads(text, object_pairs_hook=unique_members, parse_constant=refuse_constant)


def dump(value):
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def equal(a, b):
    """Equality of JSON values: types count, and -0.0 is not 0.0."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, float):
        return repr(a) == repr(b)
    return a == b


def contains(got, wanted, skip):
    """True if `got` has everything that `wanted` names; members in `skip` are not looked at."""
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(
            k in skip or (k in got and contains(got[k], v, skip)) for k, v in wanted.items())
    if isinstance(wanted, list):
        return isinstance(got, list) and len(got) == len(wanted) and all(
            contains(g, w, skip) for g, w in zip(got, wanted))
    return equal(got, wanted)


def follow(value, pointer):
    """What the JSON pointer leads to, or MISSING."""
    for part in pointer.split("/")[1:]:
        part = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        else:
            return MISSING
    return value


def substitute(value, saved):
    if isinstance(value, dict):
        return {k: substitute(v, saved) for k, v in value.items()}
    if isinstance(value, list):
        return [substitute(v, saved) for v in value]
    if isinstance(value, str) and value.startswith("${") and value.endswith("}"):
        return saved[value[2:-1]]
    return value


def outline(node):
    if "children" not in node:
        return node["id"]
    return node["id"] + "(" + " ".join(map(outline, node["children"])) + ")"


# --- Cases -----------------------------------------------------------------------------------------------------------


class Case:
    def __init__(self, path, line, head):
        self.area, self.path, self.line = path.parent.name, path, line
        self.name = head["case"]
        self.dialect = head.get("dialect", "canonical")
        self.configure = head.get("configure", True)
        self.steps = []

    @property
    def ids(self):
        words = self.name.split(":", 1)[0].split()
        return words if all(map(RULE_ID.match, words)) else []

    @property
    def place(self):
        return f"{shown(self.path)}:{self.line}"


def shown(path):
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def load_cases(folder=HERE):
    cases, seen = [], {}
    for path in sorted(folder.glob("*/*.jsonl")):
        for number, text in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
            if not text.strip():
                continue
            where = f"{shown(path)}:{number}"
            try:
                line = parse(text)
            except ValueError as error:
                sys.exit(f"{where}: {error}")
            if "case" in line:
                unknown = line.keys() - CASE_MEMBERS
                case = Case(path, number, line)
                if not case.ids:
                    sys.exit(f"{where}: the name must start with rule ids and a colon")
                if case.name in seen:
                    sys.exit(f"{where}: the name is taken by {seen[case.name]}")
                seen[case.name] = where
                cases.append(case)
            else:
                unknown = line.keys() - STEP_MEMBERS
                if sum(k in line for k in ("do", "raw", "raw_hex")) != 1:
                    sys.exit(f"{where}: a step has one of do, raw, raw_hex")
                reason = unchecked(line)
                if reason:
                    sys.exit(f"{where}: {reason}")
                if not cases or cases[-1].path != path:
                    sys.exit(f"{where}: a step before the first case of the file")
                cases[-1].steps.append((number, line))
            if unknown:
                sys.exit(f"{where}: unknown members {sorted(unknown)}")
    return cases


def unchecked(step):
    """Why a part of the step would hold whatever the engine answers; None if none would."""
    beside = sorted(step.keys() & RESULT_MEMBERS)
    if "error" in step and beside:
        return f"beside error nothing looks at {beside}"
    if "details" in step and "error" not in step:
        return "without error nothing looks at details"
    if "echo" in step and "do" in step:
        return "with do nothing looks at echo"
    times = step.get("times", 1)
    if type(times) is not int or times < 1:
        return "times is a whole number from 1"
    return None


def list_ids(cases):
    held = {}
    for case in cases:
        for rule in case.ids:
            held.setdefault(rule, []).append(case.name)
    return held


# --- The engine under test -------------------------------------------------------------------------------------------


class Engine:
    def __init__(self, command, timeout):
        self.timeout, self.buffer, self.complaints = timeout, b"", tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.complaints)

    def ask(self, line):
        """Sends the bytes of one line, returns the parsed answer."""
        try:
            self.process.stdin.write(line + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Fault("the engine has gone", None, self.last_words()) from None
        until = time.monotonic() + self.timeout
        while b"\n" not in self.buffer:
            ready = select.select([self.process.stdout], [], [], max(0, until - time.monotonic()))[0]
            if not ready:
                raise Fault(f"no answer within {self.timeout} s")
            chunk = os.read(self.process.stdout.fileno(), 1 << 20)
            if not chunk:
                raise Fault("the engine has gone", None, self.last_words())
            self.buffer += chunk
        answer, self.buffer = self.buffer.split(b"\n", 1)
        try:
            return parse(answer.decode("utf-8"))
        except ValueError as error:
            raise Fault(f"the answer is not strict JSON: {error}", None, answer.decode("utf-8", "replace")) from None

    def last_words(self):
        self.process.wait(10)
        self.complaints.seek(0)
        return f"exit {self.process.returncode}: " + self.complaints.read().decode("utf-8", "replace")[-2000:]

    def close(self):
        """Ends the input; the engine must leave with 0 and say nothing more."""
        self.process.stdin.close()
        try:
            code = self.process.wait(self.timeout)
            rest = self.buffer + self.process.stdout.read()
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Fault("the engine does not end with its input") from None
        finally:
            self.process.stdout.close()
        if code != 0 or rest:
            raise Fault("the engine did not end quietly", "exit 0", f"exit {code}, output {rest[:200]!r}")


# --- Running one case ------------------------------------------------------------------------------------------------


class Run:
    def __init__(self, engine, skip):
        self.engine, self.skip, self.saved = engine, skip, {}

    def step(self, step):
        for _ in range(step.get("times", 1)):
            line, request = self.line_of(step)
            context = request.get("context") if isinstance(request, dict) else None
            before = self.stats(context) if "error" in step else None
            answer = self.engine.ask(line)
            self.check_shape(answer)
            tag = request.get("tag", MISSING) if "do" in step else step.get("echo", MISSING)
            self.check_tag(answer, tag)
            if "error" in step:
                self.check_error(step, answer)
                after = self.stats(context)
                if not equal(before, after):
                    raise Fault("the refused request changed something", dump(before), dump(after))
            else:
                self.check_result(step, answer)

    def line_of(self, step):
        if "raw_hex" in step:
            return bytes.fromhex(step["raw_hex"]), None
        if "raw" in step:
            return step["raw"].encode("utf-8"), None
        request = substitute(step["do"], self.saved)
        return dump(request).encode("ascii"), request

    def stats(self, context):
        request = {"op": "stats"}
        if isinstance(context, str):
            request["context"] = context
        answer = self.engine.ask(dump(request).encode("ascii"))
        self.check_shape(answer)
        if not answer["ok"]:
            return answer["error"]["code"]
        return {k: answer["result"].get(k) for k in STATS if k not in self.skip}

    @staticmethod
    def check_shape(answer):
        fits = isinstance(answer, dict) and answer.get("ok") in (True, False)
        if fits:
            body = "result" if answer["ok"] else "error"
            fits = body in answer and not answer.keys() - {"ok", "tag", body}
        if fits and not answer["ok"]:
            error = answer["error"]
            fits = isinstance(error, dict) and error.keys() == {"code", "message", "details"}
            fits = fits and isinstance(error["message"], str) and error["message"] != ""
            fits = fits and isinstance(error["details"], dict)
        if not fits:
            raise Fault("the answer has not the shape of an answer", None, dump(answer))

    @staticmethod
    def check_tag(answer, tag):
        got = answer.get("tag", MISSING)
        if (got is MISSING) != (tag is MISSING) or (got is not MISSING and not equal(got, tag)):
            raise Fault("tag", "none" if tag is MISSING else dump(tag), dump(answer))

    def check_error(self, step, answer):
        if answer["ok"]:
            raise Fault("error", step["error"], dump(answer["result"]))
        error = answer["error"]
        if error["code"] != step["error"]:
            raise Fault("error", step["error"], dump(error))
        if not contains(error["details"], step.get("details", {}), self.skip):
            raise Fault("details", dump(step["details"]), dump(error))

    def check_result(self, step, answer):
        if not answer["ok"]:
            raise Fault("result", dump(step.get("result", step.get("has", "a success"))), dump(answer["error"]))
        got = answer["result"]
        if "result" in step:
            wanted = substitute(step["result"], self.saved)
            if not equal(self.without_skipped(got), self.without_skipped(wanted)):
                raise Fault("result", dump(wanted), dump(got))
        if "has" in step:
            wanted = substitute(step["has"], self.saved)
            if not contains(got, wanted, self.skip):
                raise Fault("has", dump(wanted), dump(got))
        for pointer in step.get("lacks", []):
            if follow(got, pointer) is not MISSING:
                raise Fault("lacks", pointer, dump(got))
        if "outline" in step and outline(got) != step["outline"]:
            raise Fault("outline", step["outline"], outline(got))
        if "thread" in step:
            ids = [unit["id"] for unit in parse(got["body"])]
            if ids != step["thread"]:
                raise Fault("thread", dump(step["thread"]), dump(ids))
        self.check_saved(step, got)

    def without_skipped(self, value):
        if isinstance(value, dict):
            return {k: self.without_skipped(v) for k, v in value.items() if k not in self.skip}
        return value

    def check_saved(self, step, got):
        for word, wanted_same in (("same", True), ("differs", False)):
            for name, pointer in named_pointers(step.get(word, {})):
                if pointer.rsplit("/", 1)[-1] in self.skip:
                    continue
                value = self.without_skipped(follow(got, pointer))
                if value is MISSING or equal(value, self.without_skipped(self.saved[name])) != wanted_same:
                    raise Fault(f"{word} {name} {pointer}", dump(self.saved[name]), dump(got))
        for name, pointer in named_pointers(step.get("save", {})):
            value = follow(got, pointer)
            if value is MISSING:
                if pointer.rsplit("/", 1)[-1] in self.skip:
                    continue
                raise Fault("save", pointer, dump(got))
            self.saved[name] = value


def named_pointers(value):
    return [(value, "")] if isinstance(value, str) else list(value.items())


def run_case(case, options):
    """None if the case passes, else the text that says why not."""
    skip = {"tree_sha256"} if options.no_tree_hash else set()
    try:
        engine = Engine(shlex.split(options.engine), options.timeout)
    except OSError as error:
        sys.exit(f"cannot start the engine: {error}")
    number, step = case.line, {}
    try:
        run = Run(engine, skip)
        if case.configure:
            step = {"do": {"op": "configure", "dialect": case.dialect, "clock": {"start_ns": 1000, "step_ns": 1}}}
            run.step(step)
        for number, step in case.steps:
            run.step(step)
        engine.close()
        return None
    except (Fault, KeyError, TypeError, ValueError) as fault:
        if engine.process.poll() is None:
            engine.process.kill()
            engine.process.wait()
        if not isinstance(fault, Fault):
            fault = Fault(f"{type(fault).__name__}: {fault}")
        sent = step.get("raw") or step.get("raw_hex") or dump(step.get("do"))
        lines = [f"FAIL {case.name}", f"  at      {shown(case.path)}:{number}", f"  request {sent[:2000]}",
                 f"  check   {fault.what}"]
        if fault.wanted is not None:
            lines.append(f"  wanted  {fault.wanted[:4000]}")
        if fault.got is not None:
            lines.append(f"  got     {fault.got[:4000]}")
        return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("filter", nargs="*", help="areas, or parts of names; a case runs if one fits")
    parser.add_argument("--engine", default="build/pactdb exec", help="command to drive (default: %(default)s)")
    parser.add_argument("--list", action="store_true", help="print rule ids and the cases that hold them as JSON")
    parser.add_argument("--names", action="store_true", help="print place and name of every case")
    parser.add_argument("--no-tree-hash", action="store_true", help="skip comparisons of tree_sha256")
    parser.add_argument("--timeout", type=float, default=60, help="seconds to wait for one answer")
    parser.add_argument("--jobs", type=int, default=1, help="cases at the same time")
    options = parser.parse_args()
    cases = [c for c in load_cases() if not options.filter or any(f == c.area or f in c.name for f in options.filter)]
    if options.list:
        print(json.dumps(list_ids(cases), indent=1, sort_keys=True))
        return 0
    if options.names:
        for case in cases:
            print(case.place, case.name)
        return 0
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for report in pool.map(lambda case: run_case(case, options), cases):
            if report:
                failed += 1
                print(report, flush=True)
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
