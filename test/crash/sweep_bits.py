#!/usr/bin/env python3
"""Flips single bits of a database and its log, and reads everything (make sweep-bits).

No altered byte may be served as good, and no commit may be lost from the log untold if there are later ones. One
control changes a record together with its checksum, and must be found; another makes breaks of the log no damage.

With --pactdb, bits of what nodes say are flipped too, in records and in long contents: `verify` must name the node, in
one line. The control asks for another node's id.

usage: sweep_bits.py FLIPPER [--flips N] [--seeds N] [--pactdb PROGRAM]
"""
import argparse
import hashlib
import json
import random
import re
import sqlite3
import subprocess
import sys

from sweeps import Room


def flip(flipper, room, seed, steps, flips, *more):
    command = [flipper, room.path / "bits", str(seed), str(steps), str(flips), *more]
    out = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.search(r"(\d+) flips, (\d+) noticed, (\d+) harmless, (\d+) log cut, (\d+) untold, "
                      r"(\d+) altered, (\d+) missed", out)
    return out, list(map(int, found.groups()))


class Said:
    """A file of turns with short and long texts, and where in it each text is."""

    def __init__(self, pactdb, room, seed):
        self.pactdb = pactdb
        self.path = room.path / "said.pactdb"
        self.random = random.Random(seed)
        self.texts = nodes = self.make()
        self.bytes = self.path.read_bytes()
        with sqlite3.connect(f"file:{self.path}?mode=ro&immutable=1", uri=True) as file:
            contents = {bytes(key): bytes(data) for key, data in file.execute("SELECT hash, data FROM contents")}
        # (id, where it begins, how many bytes can be flipped there)
        self.places = []
        for node, text in nodes.items():
            data = contents.get(hashlib.sha256(json.dumps(text).encode()).digest(), text.encode())
            head = data[:200]  # of a long one, what is on one page
            assert self.bytes.count(head) == 1, node
            self.places.append((node, self.bytes.find(head), len(head)))

    def make(self):
        """The text of each node by its id."""
        texts = []
        requests = []
        for turn in range(8):
            for size in (60, 3000 if turn % 2 else 40):
                texts.append("".join(self.random.choice("abcdefghijklmnopqrstuvwxyz ") for _ in range(size)))
                requests.append({"op": "add", "node": {"role": "user", "content": texts[-1]}})
            requests.append({"op": "commit", "hashes": False})
        requests += [{"op": "fork", "at": "@c5", "name": name} for name in ("left", "right")]
        lines = "".join(json.dumps(request) + "\n" for request in requests)
        command = [self.pactdb, "exec", "--create", self.path]
        out = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True, check=True)
        answers = [json.loads(line)["result"] for line in out.stdout.splitlines()]
        ids = [answer["id"] for request, answer in zip(requests, answers) if request["op"] == "add"]
        return dict(zip(ids, texts))

    def flip(self):
        """A bit of one text: the node, what `verify` says, and the id of another node. Some bits of a compressed text mean
        nothing: where it is the same text still, there is nothing to tell, and another bit is flipped."""
        while True:
            (node, at, size), (other, _, _) = self.random.sample(self.places, 2)
            changed = bytearray(self.bytes)
            changed[at + self.random.randrange(size)] ^= 1 << self.random.randrange(8)
            self.path.write_bytes(changed)
            out = subprocess.run([self.pactdb, "verify", self.path, "--json"], stdout=subprocess.PIPE, text=True)
            problems = json.loads(out.stdout)["problems"]
            if problems or not self.reads_the_same(node):
                return node, problems, other

    def reads_the_same(self, node):
        out = subprocess.run([self.pactdb, "show", node, self.path, "--json"], stdout=subprocess.PIPE, text=True)
        return json.loads(out.stdout).get("content") == self.texts[node]


def names(node, problems):
    """True if the one problem names the node, apart from the snapshots."""
    return len(problems) == 1 and re.search(rf"[ :]{re.escape(node)}(?![0-9])", problems[0]) is not None


def sweep_names(pactdb, room, seed, flips):
    """How many flips were told of the right node; how many of another."""
    said = Said(pactdb, room, seed)
    right = wrong = 0
    for _ in range(flips):
        node, problems, other = said.flip()
        right += names(node, problems)
        wrong += names(other, problems)
        if not names(node, problems):
            print(f"{node} is not named: {problems}")
    return right, wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("flipper")
    parser.add_argument("--flips", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--pactdb")
    args = parser.parse_args()
    total = [0] * 7
    named = True
    with Room() as room:
        for seed in range(1, args.seeds + 1):
            out, counts = flip(args.flipper, room, seed, 80, args.flips // args.seeds)
            total = [a + b for a, b in zip(total, counts)]
            if counts[4] or counts[5]:
                print(out, end="")
        print("bits: {} flips, {} noticed, {} harmless, {} log cut, {} untold, {} altered".format(*total))
        _, control = flip(args.flipper, room, 1, 80, 10, "unchecked")
        print("control, checksums changed too: {} changes, {} altered".format(control[0], control[5]))
        _, unsynced = flip(args.flipper, room, 1, 80, 60, "unsynced")
        print("control, commits said not to be synced: {} flips, {} untold".format(unsynced[0], unsynced[4]))
        if args.pactdb:
            flips = max(1, args.flips // 5)
            right, wrong = sweep_names(args.pactdb, room, 1, flips)
            print(f"names: {flips} flips in texts, {right} told by their node; control, another node: {wrong}")
            named = right == flips and wrong == 0
    caught = control[5] > 0 and unsynced[4] > 0
    if not caught:
        print("control: was not caught, so the sweep proves nothing")
    return 0 if total[4] == total[5] == 0 and caught and named else 1


if __name__ == "__main__":
    sys.exit(main())
