#!/usr/bin/env python3
"""Runs what the documents show.

A fenced block marked `jsonl` in README.md or docs/ holds requests and answers in turn, each a JSON value on one line or
several. Every block gets a fresh engine, unless it is marked `jsonl continued`; one marked `jsonl file` runs on a fresh
file, in an empty folder. An answer must be the one shown, member order included, where "..." leaves something out:

    "text..."        any string that starts with text
    "...": "..."     as a member of an object: members that are not shown
    "..."            as an element of an array: elements that are not shown

A block marked `cpp` in README.md must stand, line for line, in a file of examples/. docs/operations.md must have a
section for every operation of the engine's table, with an example in it, and for no other.

usage: test/docs/run_examples.py [--engine "build/pactdb exec"] [DOCUMENT ...]      exit code 1 if anything differs
"""
import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
OPERATIONS_PAGE = "docs/operations.md"
OPERATIONS_TABLE = "src/engine/operations.cc"


def fenced(name):
    """(line, info string, text) of every fenced block of a document."""
    block = None
    for line, text in enumerate((ROOT / name).read_text(encoding="utf-8").split("\n"), 1):
        if block is not None:
            if text.startswith("```"):
                yield block[0], block[1], "\n".join(block[2])
                block = None
            else:
                block[2].append(text)
        elif text.startswith("```"):
            block = (line, text[3:].strip(), [])


def values(text):
    """The JSON values of a text, one after the other."""
    decoder = json.JSONDecoder()
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        value, at = decoder.raw_decode(text, at)
        yield value


def matches(shown, got):
    if shown == "..." or (isinstance(shown, str) and isinstance(got, str) and shown.endswith("...")
                          and got.startswith(shown[:-3])):
        return True
    if type(shown) is not type(got):
        return False
    if isinstance(shown, dict):
        members = {k: v for k, v in shown.items() if k != "..."}
        order = list(members) == [k for k in got if k in members]
        return (order and members.keys() <= got.keys() and ("..." in shown or len(members) == len(got))
                and all(matches(value, got[key]) for key, value in members.items()))
    if isinstance(shown, list):
        return elements_match(shown, got)
    return shown == got


def elements_match(shown, got):
    if not shown:
        return not got
    if shown[0] == "..." and isinstance(shown[0], str):
        return any(elements_match(shown[1:], got[i:]) for i in range(len(got) + 1))
    return bool(got) and matches(shown[0], got[0]) and elements_match(shown[1:], got[1:])


class Engine:
    def __init__(self, command, on_file=False):
        self.folder = tempfile.TemporaryDirectory()
        words = shlex.split(command)
        words[0] = str(pathlib.Path(words[0]).absolute()) if "/" in words[0] else words[0]
        self.process = subprocess.Popen(words + (["--create", "agent.pactdb"] if on_file else []),
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
                                        cwd=self.folder.name)

    def answer(self, request):
        self.process.stdin.write(json.dumps(request, separators=(",", ":"), ensure_ascii=False) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()


def run_document(name, command):
    """Yields (line, fault or None) for each request of the document."""
    engine = None
    for line, info, text in fenced(name):
        if info not in ("jsonl", "jsonl continued", "jsonl file"):
            continue
        if engine is None or info != "jsonl continued":
            if engine:
                engine.close()
            engine = Engine(command, info == "jsonl file")
        found = list(values(text))
        if len(found) % 2:
            yield line, "the block does not hold requests and answers in turn"
            continue
        for request, shown in zip(found[::2], found[1::2]):
            got = engine.answer(request)
            fault = f"  request {json.dumps(request)}\n  shown   {json.dumps(shown)}\n  got     {json.dumps(got)}"
            yield line, None if matches(shown, got) else fault
    if engine:
        engine.close()


def check_quotes():
    examples = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").glob("*.cc"))]
    for line, info, text in fenced("README.md"):
        if info == "cpp" and not any(textwrap.dedent(text) in textwrap.dedent(quoted(example)) for example in examples):
            yield line, "the C++ shown is in no file of examples/"


def quoted(example):
    """What stands between the lines `// README: begin` and `// README: end`."""
    match = re.search(r"// README: begin\n(.*?)\n *// README: end", example, re.S)
    return match[1] if match else ""


def check_sections():
    table = (ROOT / OPERATIONS_TABLE).read_text(encoding="utf-8")
    operations = set(re.findall(r'\{"(\w+)",\s*(?:k\w+|\{\}),\s*(?:true|false),', table))
    if not operations:
        yield 1, f"no operations found in {OPERATIONS_TABLE}"
    page = (ROOT / OPERATIONS_PAGE).read_text(encoding="utf-8")
    sections = {}
    for title, body in re.findall(r"^### (.*?)\n(.*?)(?=^##|\Z)", page, re.M | re.S):
        for operation in re.findall(r"`(\w+)`", title):
            sections[operation] = body
    for operation in sorted(operations - sections.keys()):
        yield 1, f"the operation {operation} has no section"
    for operation, body in sorted(sections.items()):
        if operation not in operations:
            yield 1, f"there is no operation {operation}"
        if f'"op":"{operation}"' not in body:
            yield 1, f"the section of {operation} shows no example"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", default="build/pactdb exec")
    parser.add_argument("documents", nargs="*")
    arguments = parser.parse_args()
    documents = arguments.documents
    if not documents:
        documents = ["README.md"] + sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))
    run = 0
    faults = []
    for name in documents:
        before = run
        for line, fault in run_document(name, arguments.engine):
            run += 1
            if fault:
                faults.append(f"{name}:{line}:\n{fault}")
        if arguments.documents and run == before:
            faults.append(f"{name}: no requests")
    if not arguments.documents:
        faults += [f"README.md:{line}: {fault}" for line, fault in check_quotes()]
        faults += [f"{OPERATIONS_PAGE}:{line}: {fault}" for line, fault in check_sections()]
    if not run and not faults:
        faults.append(f"no requests in {len(documents)} documents")
    print("\n".join(faults) if faults else f"{run} requests of {len(documents)} documents are answered as shown")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
