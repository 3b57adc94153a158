#!/usr/bin/env python3
"""Branch coverage of src/, a row a layer, from the tests of the `coverage` build. `make coverage` runs it.

Runs the tests with counters on (one profile a process, merged), asks llvm-cov for the branches of every file under src/
that is not a test, and fails if a core layer has less than --floor percent of them taken; one that is not measured has
none. --html writes the annotated sources to build/coverage/html.

usage: tools/coverage.py [--floor 90] [--tests REGEX] [--no-run] [--html] [--files]
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "coverage"
PROFILES = BUILD / "profiles"
MERGED = BUILD / "merged.profdata"
CORE = ("base", "text", "model", "select", "diff", "engine", "store")


def run_tests(pattern):
    PROFILES.mkdir(exist_ok=True)
    for old in PROFILES.glob("*.profraw"):
        old.unlink()
    # %m: processes of one program add to one of four files instead of leaving one each.
    environment = {**os.environ, "LLVM_PROFILE_FILE": str(PROFILES / "%4m.profraw")}
    command = ["ctest", "--preset", "coverage"] + (["-R", pattern] if pattern else [])
    done = subprocess.run(command, cwd=ROOT, env=environment)
    subprocess.run(["llvm-profdata-19", "merge", "-sparse", "-o", MERGED, *PROFILES.glob("*.profraw")], check=True)
    return done.returncode


def programs():
    """Everything that was built with counters: the tests and the command."""
    found = [path for path in BUILD.rglob("*") if path.is_file() and os.access(path, os.X_OK)
             and path.suffix in ("", ".so") and "CMakeFiles" not in path.parts]
    return [path for path in found if path.read_bytes()[:4] == b"\x7fELF"]


def llvm_cov(what, *options):
    first, *others = programs()
    command = ["llvm-cov-19", what, f"-instr-profile={MERGED}", "-ignore-filename-regex=_test\\.cc$|/test/|/fuzz/|/usr/",
               *options, first]
    for other in others:
        command += ["-object", other]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT).stdout


def layer_of(name):
    parts = pathlib.PurePath(name).parts
    return parts[parts.index("src") + 1] if "src" in parts else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--floor", type=float, default=90)
    parser.add_argument("--tests")
    parser.add_argument("--no-run", action="store_true")
    parser.add_argument("--html", action="store_true")
    parser.add_argument("--files", action="store_true", help="also every file, the least covered first")
    options = parser.parse_args()
    failed_tests = 0 if options.no_run else run_tests(options.tests)
    files = json.loads(llvm_cov("export", "-summary-only"))["data"][0]["files"]
    layers = collections.defaultdict(collections.Counter)
    rows = []
    for file in files:
        layer = layer_of(file["filename"])
        if layer is None:
            continue
        for kind in ("branches", "lines"):
            layers[layer][f"{kind} covered"] += file["summary"][kind]["covered"]
            layers[layer][kind] += file["summary"][kind]["count"]
        if file["summary"]["branches"]["count"]:
            rows.append((file["summary"]["branches"]["percent"], os.path.relpath(file["filename"], ROOT)))
    print(f"{'layer':<12} {'branches':>10} {'taken':>8} {'lines':>8}")
    low = []
    for layer in [*CORE, *sorted(set(layers) - set(CORE))]:
        counts = layers[layer]
        branches = 100 * counts["branches covered"] / max(1, counts["branches"])
        lines = 100 * counts["lines covered"] / max(1, counts["lines"])
        is_low = layer in CORE and branches < options.floor
        low += [layer] if is_low else []
        print(f"{layer:<12} {counts['branches']:>10,} {branches:>7.1f}% {lines:>7.1f}%{'  too low' if is_low else ''}")
    if options.files:
        print("\n".join(f"{percent:6.1f}%  {name}" for percent, name in sorted(rows)))
    if options.html:
        llvm_cov("show", "-format=html", f"-output-dir={BUILD / 'html'}", "-show-branches=count")
        print(f"coverage: {BUILD / 'html' / 'index.html'}")
    if failed_tests:
        print("coverage: tests failed; the figures are of what ran")
    if low:
        print(f"coverage: under {options.floor:g} % of branches: {', '.join(low)}")
    return 1 if low or failed_tests else 0


if __name__ == "__main__":
    sys.exit(main())
