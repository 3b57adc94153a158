#!/usr/bin/env python3
"""Content diffs against programs that apply them: GNU patch, and python's jsonpatch where it is installed.

    content_differential.py build/pactdb [--pairs N]

One node's content goes through a chain of values, a commit each; ranges over the history give all differences at
once. Unified diffs are applied by GNU patch and by the strict applier of test/oracle/content_diffs.py, JSON patches by
that module's applier and by jsonpatch if it can be imported (the applier is there so that the test needs no package
that the distribution's python may lack), word hunks by the applier. Texts are random ones, and the project's own
documents with random edits.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "oracle"))

import content_diffs  # noqa: E402
import range_trees  # noqa: E402

try:
    import jsonpatch
except ImportError:
    jsonpatch = None

LINES = ["", "a", "b", "ab", "-a", "+b", " a", "@@ -1 +1 @@", "--- a", "\\ No newline at end of file", "x\r", "\f",
         "\u00fc", "\U0001d11e", "\\", "diff --git a/x b/x", "Index: x", "\x00", "a\tb"]
DOCUMENTS = ["README.md", "docs/operations.md", "docs/ARCHITECTURE.md", "src/engine/mutate.cc"]


def random_lines(rng):
    return "".join(rng.choice(LINES[:rng.choice([2, 5, len(LINES)])]) + "\n" for _ in range(rng.randrange(30)))


def edited_lines(rng, text):
    lines = text.split("\n")
    for _ in range(rng.choice([1, 1, 3, 10])):
        at = rng.randrange(len(lines) + 1)
        fresh = rng.sample(lines, min(len(lines), rng.randrange(4))) + rng.sample(LINES, rng.randrange(2))
        lines[at:at + rng.randrange(4)] = fresh
    return "\n".join(lines)


def texts(rng, count):
    documents = [(ROOT / name).read_text(encoding="utf-8") for name in DOCUMENTS]
    made = [""]
    while len(made) <= count:
        draw = rng.randrange(10)
        if draw < 2:
            made.append(random_lines(rng))
        elif draw < 6:
            made.append(edited_lines(rng, made[-1]))
        elif draw < 8:
            made.append(edited_lines(rng, rng.choice(documents)))
            made.append(edited_lines(rng, made[-1]))
        else:
            made.append(made[-1].rstrip("\n") if draw == 8 else made[-1] + "\n")
    return made


def values(rng, count):
    made = [None]
    while len(made) <= count:
        made.append(range_trees.changed(rng, made[-1]) if rng.randrange(4) else range_trees.value(rng))
        if rng.randrange(10) == 0:
            made.append({"list": [range_trees.value(rng, 1) for _ in range(40)], "name": "x" * 200})
    return made


def histories(engine, contents, options):
    """The differences from each content to the next: (older, newer, content_diff)."""
    requests = [{"op": "add", "parent": "^sys", "node": {"id": "n", "content": contents[0], "data_turn": 0}},
                {"op": "commit", "hashes": False}]
    for turn, content in enumerate(contents[1:], 1):
        requests += [{"op": "update", "id": "n", "set": {"content": content, "data_turn": turn}},
                     {"op": "commit", "hashes": False}]
    requests += [dict(option, op="select", selector="@history #n", includeContent=True) for option in options]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run([engine, "exec"], input=lines.encode(), stdout=subprocess.PIPE, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(requests), "%d answers to %d requests" % (len(answers), len(requests))
    for answer in answers:
        assert answer["ok"], answer
    for option, answer in zip(options, answers[-len(options):], strict=True):
        blocks = answer["result"]["diffs"][::-1]
        assert len(blocks) == len(contents) - 1
        yield option, [(older, newer, block["changed"][0]["content_diff"], block)
                       for older, newer, block in zip(contents, contents[1:], blocks)]


def gnu_patch(folder, older, diff):
    (folder / "old").write_bytes(older.encode())
    (folder / "diff").write_bytes(diff.encode())
    done = subprocess.run(["patch", "--binary", "-s", "--fuzz=0", "-o", "new", "old", "diff"], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")
    assert not done.stdout, done.stdout
    return (folder / "new").read_bytes().decode()


def check_texts(engine, rng, pairs):
    contents = texts(rng, pairs)
    options = [{"contentMode": "unified", "contextLines": lines} for lines in (3, 1, 0)] + [{"contentMode": "tokens"}]
    patched = 0
    with tempfile.TemporaryDirectory() as folder:
        for option, found in histories(engine, contents, options):
            for place, (older, newer, entry, block) in enumerate(found):
                labels = (block["to"]["label"], block["from"]["label"])
                mine = content_diffs.expected(option["contentMode"], {"content": older}, {"content": newer}, labels, "n")
                content_diffs.check(mine, entry, option.get("contextLines"))
                # Without context patch takes no hunk's place on trust, so it may refuse; see its manual.
                if option.get("contextLines") and entry["diff"] and place % 3 == option["contextLines"] % 3:
                    reached = gnu_patch(pathlib.Path(folder), older, entry["diff"])
                    assert reached == newer, (older, newer, entry["diff"])
                    patched += 1
    assert patched, "no diff to apply"
    return len(contents) - 1, patched


def check_values(engine, rng, pairs):
    contents = values(rng, pairs)
    operations = 0
    for option, found in histories(engine, contents, [{"contentMode": "jsonpatch"}, {"contentMode": "unified"}]):
        for older, newer, entry, block in found:
            labels = (block["to"]["label"], block["from"]["label"])
            mine = content_diffs.expected(option["contentMode"], {"content": older}, {"content": newer}, labels, "n")
            content_diffs.check(mine, entry, 3)
            operations += len(entry.get("patch", []))
            if jsonpatch and entry.get("patch"):
                reached = jsonpatch.apply_patch(older, entry["patch"])
                assert content_diffs.exact(reached) == content_diffs.exact(newer), (older, newer, entry)
    assert operations, "no patch has an operation"
    return len(contents) - 1, operations


def main():
    parser = argparse.ArgumentParser(description="content diffs lead from the older content to the newer")
    parser.add_argument("engine")
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    pairs = max(20, given.pairs * int(os.environ.get("PACTDB_TEST_SCALE", "100")) // 100)
    rng = random.Random(given.seed)
    print("%d pairs of texts, %d diffs applied by GNU patch" % check_texts(given.engine, rng, pairs))
    print("%d pairs of values, %d operations%s" % (check_values(given.engine, rng, 2 * pairs) + (
        ", jsonpatch agrees" if jsonpatch else ", jsonpatch is not installed",)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
