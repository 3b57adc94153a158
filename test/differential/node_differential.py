"""`hash` and `serialize` against the reference functions (reference.py).

Makes nodes and trees from a seed, sends them to `pactdb exec` in every spelling JSON allows, and compares each content
hash and each serialization, to the byte, with what the reference gives for the same value.

usage: node_differential.py PACTDB [--nodes N] [--trees N] [--seed S]

PACTDB_TEST_SCALE is a percentage of both numbers. A failure prints the request and both answers, and how to get it
again.
"""

import argparse
import json
import os
import random
import subprocess
import sys

import reference
from canonical_differential import Maker

BATCH_NODES = 10_000  # in one run of the command
BATCH_TREES = 500  # a context each
TREE_NODES_MAX = 30

HASHED_NAMES = ["content_type", "content_", "data_", "data_x", "data_call_id", "content_é", "data_\U0001f600", "data_\uffff",
                "content_hash", "data_z\"q"]
OTHER_NAMES = ["id", "ttl", "priority", "cycle", "created_at_ns", "offset", "parent_id", "children", "key", "x:y"]
ROLES = ["user", "assistant", "system", "tool", "", "rôle", "\U0001f600", "a\"b\\c"]
INTEGERS = [0, 0, 0, 1, -1, 2, 7, -5, 1000, 2**31, 2**53 + 1, 2**63 - 1, -2**63]


class Nodes:
    """Nodes as dicts, for the function on its own: it takes whatever it is given."""

    def __init__(self, maker):
        self.maker, self.rng = maker, maker.rng

    def make(self):
        rng, node = self.rng, {}
        if rng.random() < 0.9:
            node["content"] = self.maker.value() if rng.random() < 0.6 else self.maker.string()
        for name in ("role", "kind"):
            if rng.random() < 0.6:
                node[name] = rng.choice(ROLES) if rng.random() < 0.9 else rng.choice([None, 5, ["a"], 1.5])
        for _ in range(rng.choice([0, 0, 1, 2, 4])):
            node[rng.choice(HASHED_NAMES)] = self.maker.value(4)
        if rng.random() < 0.5:
            node[rng.choice(OTHER_NAMES)] = self.maker.value(6)
        return node


class Trees:
    """Snapshot documents as dicts: what import takes, with and without each header."""

    def __init__(self, maker):
        self.maker, self.rng = maker, maker.rng

    def make(self):
        self.left, self.used = self.rng.randrange(1, TREE_NODES_MAX), set()
        self.bare = self.rng.random() < 0.3  # no stamps: the ids decide, and the listing
        root = {"nodeType": "^root"} if self.rng.random() < 0.8 else {}
        if self.rng.random() < 0.8:
            root["id"] = "root"
        self.dress(root)
        regions = [name for name in ("sys", "seq", "ah") if self.rng.random() < 0.8]
        self.rng.shuffle(regions)
        root["children"] = [self.region(name) for name in regions]
        return root

    def region(self, name):
        node = {"id": name if self.rng.random() < 0.6 else self.new_id(), "nodeType": "^" + name}
        self.used.add(node["id"])
        self.dress(node)
        if name == "seq":
            node["children"] = [self.turn() for _ in range(self.rng.randrange(5))]
        else:
            node["children"] = self.children(1)
        return node

    def turn(self):
        node = {"id": self.new_id()}
        if self.rng.random() < 0.8:
            node["nodeType"] = self.rng.choice(["seg", "mt"])
        self.dress(node)
        node["children"] = self.children(1)
        return node

    def children(self, depth):
        some = []
        while self.left > 0 and self.rng.random() < 0.7:
            self.left -= 1
            some.append(self.cont(depth) if depth < 4 and self.rng.random() < 0.25 else self.block())
        return some

    def cont(self, depth):
        node = {"id": self.new_id(), "nodeType": self.rng.choice(["cont", "mc", "cont:plan"])}
        self.dress(node)
        if self.rng.random() < 0.9:
            node["children"] = self.children(depth + 1)
        return node

    def block(self):
        rng, node = self.rng, {"id": self.new_id()}
        if rng.random() < 0.8:
            node["nodeType"] = rng.choice(["block", "cb", "cb:summary", "block:text", "custom:note"])
        self.dress(node)
        if rng.random() < 0.9:
            node["content"] = self.maker.value(3) if rng.random() < 0.5 else self.maker.string()
        for name in ("data_n", "content_x", "extra"):
            if rng.random() < 0.1:
                node[name] = self.maker.value(5)
        return node

    def dress(self, node):
        """Headers, each there or not."""
        rng = self.rng
        for name in ("offset", "priority"):
            if rng.random() < 0.6:
                node[name] = rng.choice(INTEGERS)
        if rng.random() < 0.6:
            node["cycle"] = rng.randrange(5)
        for name in ("created_at_ns", "creation_index"):
            if not self.bare and rng.random() < 0.6:
                node[name] = rng.choice(INTEGERS)
        if rng.random() < 0.4:
            node["created_at_iso"] = rng.choice(["1970-01-01T00:00:00.000000000Z", "yesterday", "", "é"])
        if rng.random() < 0.6:
            node["ttl"] = rng.choice([None, None, 0, 1, 5, 2**62])
        for name in ("role", "kind"):
            if rng.random() < 0.4:
                node[name] = rng.choice(ROLES)

    def new_id(self):
        while True:
            name = self.rng.choice(["n%d" % self.rng.randrange(1000), self.maker.string() or "_", "\uffff" + str(self.left)])
            if name not in self.used and name not in ("root", "sys", "seq", "ah") and len(name.encode()) < 500:
                self.used.add(name)
                return name


def run(pactdb, lines):
    """The answers to request lines (bytes), one each."""
    done = subprocess.run([pactdb, "exec"], input=b"".join(line + b"\n" for line in lines), stdout=subprocess.PIPE,
                          check=True)
    answers = done.stdout.splitlines()
    if len(answers) != len(lines):
        raise SystemExit(f"{len(lines)} requests, {len(answers)} answers")
    return [json.loads(answer) for answer in answers]


class Comparison:
    def __init__(self, pactdb, seed):
        self.pactdb, self.seed, self.failures = pactdb, seed, 0

    def check(self, request, want, got):
        if want == got:
            return
        self.failures += 1
        if self.failures <= 5:
            print(f"request   {request.decode()}\nreference {want!r}\npactdb    {got!r}\nseed      {self.seed}\n")

    def nodes(self, maker, count):
        nodes = [Nodes(maker).make() for _ in range(count)]
        lines = [b'{"op":"hash","node":' + maker.text(node).encode() + b"}" for node in nodes]
        for line, node, answer in zip(lines, nodes, run(self.pactdb, lines)):
            self.check(line, reference.content_hash(node), answer.get("result", {}).get("content_hash", answer))

    def trees(self, maker, count):
        """How many nodes they had."""
        trees = [Trees(maker).make() for _ in range(count)]
        lines, total = [], 0
        for i, tree in enumerate(trees):
            context = b'"context":"t%d"' % i
            lines.append(b'{"op":"import",' + context + b',"snapshot":{"root":' + maker.text(tree).encode() + b"}}")
            lines.append(b'{"op":"serialize",' + context + b',"at":"@t0"}')
        answers = run(self.pactdb, lines)
        for i, tree in enumerate(trees):
            imported, serialized = answers[2 * i], answers[2 * i + 1]
            got = serialized.get("result", {}).get("bytes", imported)
            self.check(lines[2 * i], reference.serialize(tree).decode(), got)
            if imported["ok"]:
                total += imported["result"]["nodes"]
        return total


def main():
    parser = argparse.ArgumentParser(description="Compares hash and serialize with the reference functions.")
    parser.add_argument("pactdb")
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--trees", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    scale = int(os.environ.get("PACTDB_TEST_SCALE", "100"))
    nodes, trees = max(1, given.nodes * scale // 100), max(1, given.trees * scale // 100)

    maker = Maker(random.Random(given.seed))
    comparison = Comparison(given.pactdb, given.seed)
    tree_nodes = 0
    for done in range(0, nodes, BATCH_NODES):
        comparison.nodes(maker, min(BATCH_NODES, nodes - done))
    for done in range(0, trees, BATCH_TREES):
        tree_nodes += comparison.trees(maker, min(BATCH_TREES, trees - done))
    print(f"{nodes} nodes hashed, {trees} trees of {tree_nodes} nodes serialized, {comparison.failures} failures "
          f"(seed {given.seed})")
    return 1 if comparison.failures else 0


if __name__ == "__main__":
    sys.exit(main())
