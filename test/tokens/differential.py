#!/usr/bin/env python3
"""Our tokens are tiktoken's: on the recorded conversations and on random texts over Unicode.

usage: differential.py --tool TOKEN_TOOL --references FOLDER [--texts N] [--first SEED]

FOLDER is what tools/token_references.sh made; without it the test is skipped, and says so. Random texts are made of the
code points that this Python knows (Debian 12: Unicode 14, as its PCRE2). A smaller number of texts has newer and unassigned
ones too; where tables of different age cut such a text differently is reported and is no fault.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unicodedata

SKIPPED = 77    # what CTest takes for a skipped test
ENCODINGS = ["o200k_base", "cl100k_base"]
HERE = pathlib.Path(__file__).resolve().parent
BATCH = 50000
# Characters at which tokenizers have gone different ways: blanks old and new, a letter that folds to s, joiners.
ODD = "\u180e\u0085\u00a0\u2028\u3000\ufeff\u200d\u017f\u212a\u0130\u00ad\u0345\u01c5\u2160\u20e3\ufe0f\U0001f3fb"
# Blocks that Unicode 15, 15.1 and 16 have filled.
NEWER = [(0x10d40, 0x10d8f), (0x105c0, 0x105f3), (0x10efd, 0x10eff), (0x11380, 0x113e2), (0x11b00, 0x11b09), (0x11bc0, 0x11bf9),
         (0x11f00, 0x11f59), (0x13460, 0x143fa), (0x16100, 0x16139), (0x16d40, 0x16d79), (0x1cc00, 0x1ceb3), (0x1d2c0, 0x1d2d3),
         (0x1e030, 0x1e08f), (0x1e4d0, 0x1e4f9), (0x1e5d0, 0x1e5ff), (0x2ebf0, 0x2ee5d), (0x31350, 0x323af)]
WORDS = ["the", "Hello", "don't", "I'LL", "we'Ve", "'s", "'ſ", "RFC", "camelCase", "snake_case", "12345", "3.14", "://", "\r\n",
         "\n\n", "  ", "\t", "//", "/\n", "{\"a\":", "}", "<|endoftext|>", "größer", "ΑΒΓδε", "日本語", "한국어", "👩‍👩‍👧", "नमस्ते", "ไทย"]


def code_points():
    """{category: [code point]} of what is assigned, and what is not."""
    found = collections.defaultdict(list)
    for point in range(0x110000):
        category = unicodedata.category(chr(point))
        if category != "Cs":
            found[category].append(point)
    unassigned = found.pop("Cn")
    found["Co"] = found["Co"][::500]    # of private use a few
    return dict(found), unassigned


class Texts:
    def __init__(self, seed, newer):
        self.rng = random.Random(seed)
        by_category, unassigned = code_points()
        self.categories = sorted(by_category)
        self.by_category = by_category
        self.all = [point for points in by_category.values() for point in points]
        self.newer = unassigned if newer else None
        self.newest = [point for first, last in NEWER for point in range(first, last + 1)]

    def character(self, kind):
        rng = self.rng
        if self.newer and rng.random() < 0.2:
            return chr(rng.choice(rng.choice([self.newer, self.newest])))
        if kind == 0:
            return chr(rng.choice(self.all))
        if kind == 1:
            return chr(rng.randrange(0x20, 0x7f))
        if kind == 2:
            return rng.choice("aAbBsStT'1 \n\r\t/.é") if rng.random() < 0.9 else rng.choice(ODD)
        return chr(rng.choice(self.by_category[rng.choice(self.categories)]))

    def one(self):
        rng = self.rng
        kind = rng.randrange(6)
        size = rng.randrange(1, 40)
        if kind == 4:
            return "".join(rng.choice(WORDS) + rng.choice(["", "", " "]) for _ in range(size // 2))
        if kind == 5:    # some characters, many times over
            few = [self.character(rng.randrange(4)) for _ in range(rng.randrange(1, 4))]
            return "".join(rng.choice(few) * rng.randrange(1, 9) for _ in range(size // 2))
        return "".join(self.character(kind) for _ in range(size))


def recorded():
    """Every text of the recorded conversations, and each whole line of the files."""
    folder = os.environ.get("PACTDB_RECORDINGS")
    if not folder:
        print("skipped: the recorded conversations: PACTDB_RECORDINGS is not set")
        return []
    found = []

    def walk(value):
        if isinstance(value, str):
            if len(value) < 200000:    # the reference takes the square of a long piece's length
                found.append(value)
        elif isinstance(value, dict):
            for key, member in value.items():
                if key != "data":    # media as base64
                    walk(member)
        elif isinstance(value, list):
            for member in value:
                walk(member)

    for path in sorted(pathlib.Path(folder).glob("*.json*")):
        text = path.read_text(encoding="utf-8")
        documents = [json.loads(text)] if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()]
        for document in documents:
            walk(document)
    return found


def answers(command, path, out):
    with open(path, "rb") as texts, open(out, "wb") as ids:
        done = subprocess.run(command, stdin=texts, stdout=ids, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        if done.returncode == 3:
            print("skipped: " + done.stderr.decode().strip())
            sys.exit(SKIPPED)
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr.decode()[-2000:]}")
    return pathlib.Path(out).read_bytes()


def each(ids):
    at = 0
    while at < len(ids):
        (count,) = struct.unpack_from("=I", ids, at)
        yield ids[at + 4:at + 4 + 4 * count]
        at += 4 + 4 * count


def compare(texts, given, folder):
    """How many tokens there are, and (encoding, text) of each text that is encoded otherwise."""
    path = folder / "texts"
    with open(path, "wb") as out:
        for text in texts:
            data = text.encode()
            out.write(struct.pack("=I", len(data)) + data)
    tokens, different = 0, []
    for encoding in ENCODINGS:
        ours = answers([given.tool, encoding], path, folder / "ours")
        theirs = answers(["node", str(HERE / "tiktoken_tool.cjs"), str(pathlib.Path(given.references).resolve()), encoding],
                         path, folder / "theirs")
        tokens += len(ours) // 4 - len(texts)
        if ours != theirs:
            pairs = list(zip(texts, each(ours), each(theirs), strict=True))
            different += [(encoding, text) for text, mine, other in pairs if mine != other]
    return tokens, different


def batches(given, newer, count):
    texts = Texts(given.first + (1 << 40 if newer else 0), newer)
    for start in range(0, count, BATCH):
        yield [texts.one() for _ in range(min(BATCH, count - start))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--references", required=True)
    parser.add_argument("--texts", type=int, default=20000)
    parser.add_argument("--first", type=int, default=1)
    given = parser.parse_args()
    if not (pathlib.Path(given.references) / "state").exists():
        print(f"skipped: there is no {given.references}/state; tools/token_references.sh makes it where there is npm")
        return SKIPPED
    count = max(100, given.texts * int(os.environ.get("PACTDB_TEST_SCALE") or 100) // 100)
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        real = recorded()
        if real:
            tokens, faults = compare(real, given, folder)
            print(f"{len(real)} recorded texts, {tokens} tokens of both encodings, {len(faults)} differ")
        tokens, different = 0, []
        for texts in batches(given, False, count):
            more, found = compare(texts, given, folder)
            tokens, different = tokens + more, different + found
        print(f"{count} random texts over Unicode {unicodedata.unidata_version}, {tokens} tokens of both encodings, "
              f"{len(different)} differ")
        faults += different
        newer = count // 10
        different = [found for texts in batches(given, True, newer) for found in compare(texts, given, folder)[1]]
        print(f"{newer} random texts with newer and unassigned code points: {len(different)} of {2 * newer} encodings differ "
              "(not a fault)")
    for encoding, text in faults[:10]:
        print(f"{encoding}: {text[:300]!r} {[hex(ord(c)) for c in text[:60]]}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
