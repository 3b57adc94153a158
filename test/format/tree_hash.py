#!/usr/bin/env python3
"""tree_sha256, computed a second time from the page that specifies it.

docs/format/tree-hash.md says which bytes are hashed. The first half of this file follows that page and shares nothing
with the engine; the second half asks an engine for trees (`tree`, `serialize`), hashes them here and compares with
what `stats` and `commit` give: the example on the page, lists long enough for several levels of chunks, random
sessions, and imported documents that leave headers out.

usage: test/format/tree_hash.py [--engine "build/pactdb exec"] [--seeds N]      exit code 1 if anything differs
       test/format/tree_hash.py --page         the example of the page, as the engine's answers make it
"""
import argparse
import datetime
import hashlib
import json
import pathlib
import random
import re
import shlex
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/format/tree-hash.md"
U64 = (1 << 64) - 1
TOP_SLOTS_MAX = 32
NO_CHILDREN = bytes(32)


# ---- the format ----------------------------------------------------------------------------------------------------

def u32(value):
    return value.to_bytes(4, "little")


def number(tag, value):
    return tag + (value & U64).to_bytes(8, "little")


def text(tag, value):
    data = value.encode()
    return tag + u32(len(data)) + data


def sha256(data):
    return hashlib.sha256(data).digest()


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def is_content_attribute(name):
    return name.startswith(("content_", "data_"))


def content_hash(node):
    hashed = {"content": node.get("content", ""), "kind": node.get("kind", ""), "role": node.get("role", "")}
    hashed |= {k: v for k, v in node["attributes"].items() if is_content_attribute(k)}
    return sha256(canonical(hashed).encode())


def encoding(node):
    """The node's own bytes. `node` holds the headers that are there and no others; see `Reader.node`."""
    out = text(b"i" if "id" in node else b"I", node.get("id", "root"))
    if "nodeType" in node:
        out += text(b"t", node["nodeType"])
    if "offset" in node:
        out += number(b"o", node["offset"])
    if "expiry" in node:
        out += number(b"x", node["expiry"])
    elif "ttl" in node:
        out += b"n"
    if "priority" in node:
        out += number(b"p", node["priority"])
    if "cycle" in node:
        out += number(b"c", node["cycle"])
    if "listed" in node:
        out += number(b"l", node["listed"])
    elif "created_at_ns" in node:
        out += number(b"s", node["created_at_ns"])
    if "created_at_iso" in node:
        out += b"m"
    if "creation_index" in node:
        out += number(b"d", node["creation_index"])
    if "role" in node:
        out += text(b"r", node["role"])
    if "kind" in node:
        out += text(b"k", node["kind"])
    if "removable" in node:
        out += b"v" if node["removable"] else b"V"
    if node.get("pinned"):
        out += b"P"
    if node["lists_children"]:
        out += b"y"
    out += b"h" + content_hash(node)
    if "content" in node:
        out += b"C"
    for name in sorted(node["attributes"], key=str.encode):
        value = "" if is_content_attribute(name) else canonical(node["attributes"][name])
        out += text(b"a", name) + text(b"=", value)
    return out


def shape_hash(node_id):
    value = 0xCBF29CE484222325
    for byte in node_id.encode():
        value = (value ^ byte) * 0x100000001B3 & U64
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ value >> 33) * factor & U64
    return value ^ value >> 33


def is_boundary(node_id, level):
    """Whether the entry closes `level`."""
    bits = 4 * (level + 1)
    return bits <= 32 and shape_hash(node_id) & ((1 << bits) - 1) == 0


def list_hash(children, note=None):
    if not children:
        return NO_CHILDREN
    # The slots of a level: (bytes that stand for it in its chunk, id of its last entry).
    slots = [(entry(child, note), child.get("id", "root")) for child in children]
    level = 0
    while True:
        chunks = [slots] if len(slots) <= TOP_SLOTS_MAX else cut(slots, level)
        hashes = [sha256(bytes([min(level, 1)]) + b"".join(data for data, _ in chunk)) for chunk in chunks]
        if len(chunks) == 1:
            return hashes[0]
        slots = [(value, chunk[-1][1]) for value, chunk in zip(hashes, chunks)]
        level += 1


def cut(slots, level):
    chunks, chunk = [], []
    for slot in slots:
        chunk.append(slot)
        if is_boundary(slot[1], level):
            chunks.append(chunk)
            chunk = []
    return chunks + [chunk] if chunk else chunks


def entry(node, note):
    if node["children"] is not None:
        return b"\x02" + digest(node, note)
    data = encoding(node)
    if note:
        note(node, data, None)
    return b"\x03" + u32(len(data)) + data


def digest(container, note=None):
    """Of the container and all below it; of the root, it is tree_sha256."""
    below = list_hash(container["children"], note)
    data = encoding(container)
    value = sha256(b"\x02" + data + b"e" + below)
    if note:
        note(container, data, value)
    return value


# ---- reading an engine's trees -------------------------------------------------------------------------------------

HEADERS = {"id", "nodeType", "offset", "ttl", "priority", "cycle", "created_at_ns", "created_at_iso",
           "creation_index", "role", "kind", "content", "removable", "pinned"}
# Members of `tree` that are worked out, not stored.
DERIVED = {"depth", "content_hash", "children"}
# Whether these were given shows in `serialize`; `tree` fills in defaults.
SEEN_IN_SERIALIZE = ("id", "nodeType", "offset", "ttl", "priority", "cycle", "created_at_ns", "created_at_iso")


class Engine:
    def __init__(self, command):
        self.process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def answer(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def result(self, op, **arguments):
        answer = self.answer({"op": op, **arguments})
        if not answer["ok"]:
            raise SystemExit(f"{op}: {answer['error']}")
        return answer["result"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def iso_mirror(ns):
    seconds = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=ns // 10**9)
    return f"{seconds.isoformat()}.{ns % 10**9:09d}Z"


class Reader:
    """Turns answers into nodes that hold exactly the headers that were given."""

    def __init__(self, engine):
        self.engine = engine
        self.expiries = {}       # id -> cycle; a due node that had to stay shows 0 whatever its cycle is
        self.no_index = set()    # imported ids without creation_index
        self.lists_children = {}  # imported id -> whether its document listed children
        self.listed = {}         # imported turn -> its place in a listing without stamps

    def note_document(self, document, newest_first):
        stack = [document["root"]]
        while stack:
            node = stack.pop()
            node_id = node.get("id") or "root"
            if node.get("creation_index") is None:
                self.no_index.add(node_id)
            self.lists_children[node_id] = isinstance(node.get("children"), list)
            stack += node.get("children") or []
            if node.get("nodeType") == "^seq":
                turns = node.get("children") or []
                if all(turn.get("created_at_ns") is None for turn in turns):
                    order = reversed(turns) if newest_first else turns
                    self.listed |= {turn["id"]: i for i, turn in enumerate(order)}

    def tree(self, at="working"):
        """The root, and the open cycle seen from the tree: ttls count down from there."""
        arguments = {} if at == "working" else {"at": at}
        shown = self.engine.result("tree", **arguments)
        given = {}
        stack = [json.loads(self.engine.result("serialize", **arguments)["bytes"])]
        while stack:
            node = stack.pop()
            given[node.get("id", "root")] = node
            stack += node.get("children", [])
        if at == "working":
            now = self.engine.result("stats")["cycle"]
        else:
            now = int(at.removeprefix("@c")) + 1
        return self.node(shown, given, now)

    def node(self, shown, given, now):
        node_id = shown["id"]
        node = {"children": None, "lists_children": self.lists_children.get(node_id, "children" in shown)}
        node["attributes"] = {k: v for k, v in shown.items() if k not in HEADERS and k not in DERIVED}
        for name in HEADERS & shown.keys():
            if name not in SEEN_IN_SERIALIZE or name in given[node_id]:
                node[name] = shown[name]
        if node_id in self.no_index:
            node.pop("creation_index")
        if node_id in self.listed:
            node["listed"] = self.listed[node_id]
        self.set_iso(node)
        if shown["ttl"] is not None:
            node["expiry"] = self.expiry(node_id, shown["ttl"], now)
        if "children" in shown:
            node["children"] = [self.node(child, given, now) for child in shown["children"]]
        if content_hash(node).hex() != shown["content_hash"]:
            raise SystemExit(f"{node_id}: content_hash is {shown['content_hash']}, not {content_hash(node).hex()}")
        return node

    @staticmethod
    def set_iso(node):
        # Stored as an attribute only where it is not the mirror of a stamp that is there.
        if "created_at_iso" not in node:
            return
        mirrored = "created_at_ns" in node and iso_mirror(node["created_at_ns"]) == node["created_at_iso"]
        if not mirrored:
            node["attributes"]["created_at_iso"] = node["created_at_iso"]

    def expiry(self, node_id, ttl, now):
        known = self.expiries.get(node_id)
        if known is None or max(0, known - now) != ttl:
            self.expiries[node_id] = now + ttl
        return self.expiries[node_id]


class Comparison:
    def __init__(self, reader):
        self.reader = reader
        self.compared = 0

    def check(self, what, at, expected):
        computed = digest(self.reader.tree(at)).hex()
        self.compared += 1
        if computed != expected:
            raise SystemExit(f"{what}, {at}: the engine has {expected}, the page gives {computed}")

    def working(self, what):
        self.check(what, "working", self.reader.engine.result("stats")["tree_sha256"])

    def commit(self, what):
        self.working(what)  # also notes the expiry of what was added
        commit = self.reader.engine.result("commit")
        self.check(what, f"@c{commit['cycle']}", commit["tree_sha256"])
        return commit


# ---- what is compared ----------------------------------------------------------------------------------------------

def page_blocks(kind):
    """The fenced blocks of the page with this info string: (rest of the info string, lines)."""
    found = re.findall(rf"^```{kind}(?: +([^\n]*))?\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S)
    return [(name, body.rstrip("\n").split("\n")) for name, body in found]


def page_example(engine):
    """Bytes and digests of the example's nodes, from the requests on the page."""
    comparison = Comparison(Reader(engine))
    for line in page_blocks("jsonl")[0][1]:
        request = json.loads(line)
        if "op" in request and request["op"] != "stats":
            engine.result(request.pop("op"), **request)
    encodings, digests = {}, {}

    def note(node, data, value):
        encodings[node["id"]] = data
        if value is not None:
            digests[node["id"]] = value.hex()

    digest(comparison.reader.tree(), note)
    comparison.working("the page's example")
    return encodings, digests, comparison.compared


def check_page(engine):
    encodings, digests, compared = page_example(engine)
    blocks = page_blocks("bytes")
    if not blocks:
        raise SystemExit("the page shows no bytes")
    for name, lines in blocks:
        shown = bytes.fromhex("".join(line.split("  ")[0] for line in lines))
        if shown != encodings[name]:
            raise SystemExit(f"the page's bytes of {name} are {shown.hex()}, not {encodings[name].hex()}")
    for _, lines in page_blocks("digests"):
        shown = dict(line.split() for line in lines)
        if shown != digests:
            raise SystemExit(f"the page's digests are not {digests}")
    for _, lines in page_blocks("shapes"):
        for line in lines:
            node_id, value, closes = line.split(maxsplit=2)
            levels = sum(is_boundary(node_id, level) for level in range(8))
            if (int(value, 16), closes) != (shape_hash(node_id), str(levels)):
                raise SystemExit(f"the shape of {node_id} is {shape_hash(node_id):016x}, closing {levels}")
    return compared


def show_page(engine):
    encodings, digests, _ = page_example(engine)
    for name, data in encodings.items():
        print(f"bytes {name}: {data.hex()}")
    for name, value in digests.items():
        print(f"{name} {value}")


def check_long_lists(engine):
    """Three levels of turns and of blocks; then holes, so that chunks are joined and lose levels."""
    comparison = Comparison(Reader(engine))
    engine.result("configure", clock={"start_ns": 1000, "step_ns": 1})
    ids = []
    for i in range(5000):
        ids.append(engine.result("add", node={"content": i})["id"])
        if i < 120 or i % 1000 == 999:
            comparison.working(f"{i + 1} blocks in a core")
    rng = random.Random(1)
    rng.shuffle(ids)
    for count, node_id in enumerate(ids[:4980]):
        engine.result("remove", id=node_id)
        if count % 400 == 0 or count > 4880:
            comparison.working(f"{count + 1} blocks removed")
    for _ in range(600):
        engine.result("commit", hashes=False)
    comparison.commit("601 turns")
    return comparison.compared


def random_fields(rng, ids):
    fields = {}
    choices = {
        "role": lambda: rng.choice(["user", "assistant", "", "r\u00f6le"]),
        "kind": lambda: rng.choice(["text", "call", ""]),
        "content": lambda: rng.choice(["", "text", None, 1.5, 10**30, {"b": [1, 2], "a": "\u2713\u007f"}, True]),
        "ttl": lambda: rng.choice([None, 0, 1, 2, 5]),
        "priority": lambda: rng.choice([-5, 0, 7]),
        "pinned": lambda: rng.choice([True, False]),
        "key": lambda: rng.choice(["k1", "k2"]),
        "tags": lambda: rng.sample(["a", "b", "c"], rng.randrange(3)),
        "refs": lambda: rng.sample(sorted(ids), min(len(ids), rng.randrange(3))),
        "cad": lambda: rng.choice([1, 3]),
        "mime": lambda: "text/plain",
        "provenance": lambda: {"source": rng.randrange(9)},
        "data_call_id": lambda: rng.choice(["c1", "c2", 7]),
        "content_note": lambda: rng.choice([None, "n"]),
        "app:flag": lambda: rng.choice([None, -0.5, [1]]),
    }
    for name in rng.sample(sorted(choices), rng.randrange(6)):
        fields[name] = choices[name]()
    return fields


def random_step(rng, engine, ids):
    """One edit, legal or not; an edit that is refused changes nothing, and the comparison shows it."""
    some = rng.choice(sorted(ids)) if ids else "ah"
    kind = rng.randrange(10)
    if kind < 5:
        node = random_fields(rng, ids)
        if rng.random() < 0.3:
            node |= {"nodeType": rng.choice(["cont", "block:summary", "custom:note"]), "offset": rng.choice([-1, 1, 2])}
            if rng.random() < 0.5:
                node["removable"] = rng.random() < 0.7
        request = {"op": "add", "node": node}
        if rng.random() < 0.5:
            request["parent"] = rng.choice(["^sys", "^ah", some])
    elif kind == 5:
        request = {"op": "update", "id": some, "set": random_fields(rng, ids)}
    elif kind == 6:
        request = {"op": "replace", "id": some, "node": random_fields(rng, ids)}
    elif kind == 7:
        request = {"op": "move", "id": some, "parent": rng.choice(["^sys", "^ah", some]), "offset": rng.choice([0, 1])}
    elif kind == 8:
        request = {"op": rng.choice(["pin", "unpin"]), "id": rng.choice([some, "sys", "root"])}
    else:
        request = {"op": "remove", "id": some}
    result = engine.answer(request).get("result")
    if result and "id" in result:
        ids.add(result["id"])


def check_random(engine, seed):
    rng = random.Random(seed)
    comparison = Comparison(Reader(engine))
    engine.result("configure", dialect=rng.choice(["canonical", "classic"]), clock={"start_ns": 5, "step_ns": 3},
                  policy=rng.choice([None, {"max_nodes": 25}]))
    ids = set()
    for _ in range(12):
        for _ in range(rng.randrange(12)):
            random_step(rng, engine, ids)
        ids.add(comparison.commit(f"seed {seed}")["sealed"])
    return comparison.compared


DOCUMENT = {"spec_version": "PACT/0.1.0", "cycle": 7, "root": {"children": [
    {"id": "ah-1", "nodeType": "^ah", "children": [
        {"id": "loose", "role": "user", "content": "hello", "ttl": 3, "note": None}]},
    {"id": "seq-1", "nodeType": "^seq", "children": [
        {"id": "t2", "nodeType": "seg", "created_at_iso": "yesterday", "children": [
            {"id": "c2", "nodeType": "cont", "offset": 0, "ttl": None, "priority": 0, "cycle": 2,
             "creation_index": 1, "children": [{"id": "b2", "content": "new", "children": []}]}]},
        {"id": "t1", "children": [
            {"id": "b1", "created_at_ns": 1500000000, "created_at_iso": "1970-01-01T00:00:01.500000000Z",
             "kind": "text", "removable": False, "pinned": True, "zeta": {"y": 1, "x": 2.0}}]}]},
    {"id": "sys-1", "nodeType": "^sys"}]}}


def check_import(engine, dialect):
    comparison = Comparison(Reader(engine))
    engine.result("configure", dialect=dialect, clock={"start_ns": 1000, "step_ns": 1})
    comparison.reader.note_document(DOCUMENT, newest_first=dialect == "canonical")
    engine.result("import", snapshot=DOCUMENT)
    comparison.working(f"import, {dialect}")
    engine.result("add", parent="sys-1", node={"content": "into a region that listed no children"})
    engine.result("pin", id="b2")
    for _ in range(5):  # the head gets its core, `loose` expires
        comparison.commit(f"after the import, {dialect}")
    return comparison.compared


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", default="build/pactdb exec")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--page", action="store_true")
    arguments = parser.parse_args()
    checks = [check_page, check_long_lists]
    checks += [lambda engine, s=seed: check_random(engine, s) for seed in range(arguments.seeds)]
    checks += [lambda engine, d=dialect: check_import(engine, d) for dialect in ("canonical", "classic")]
    compared = 0
    for check in [show_page] if arguments.page else checks:
        engine = Engine(arguments.engine)
        compared += check(engine) or 0
        engine.close()
    print(f"{compared} trees have the hash that the page gives them")


if __name__ == "__main__":
    sys.exit(main())
