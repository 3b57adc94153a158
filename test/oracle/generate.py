"""Seeded random sessions: lists of request lines for `exec`.

The generator runs an oracle beside itself and looks into it, so that ids it names mostly exist and
what it asks mostly makes sense; some of what it asks is wrong on purpose, in several ways at once.
A session never depends on the system clock: every context is configured with a clock first, and
those lines are marked so that the minimiser leaves them in.
"""

import json
import random

import tree
import values
from oracle import Oracle
from values import chance

CONTEXTS = ["main"] * 8 + ["side", "side", "a.b-c_1"]
PROBES = ("tree", "serialize", "render", "log", "diff")
DIFF_SELECTORS = [".block", ".cb", "^seq .block", "*", "#k1", "^sys *", ".seg", "+t1", "[ttl!=null]",
                  ".block @limit=2", "[role=user]", "@t0 .block", ".block[", "[age>1]"]

RAW_LINES = [b"", b"   ", b"{", b"[1]", b"5", b"null", b'"op"', b'{"op":"stats"} x',
             b'{"op":"stats","op":"stats"}', b'{"op":"add","node":{"content":NaN}}',
             b'{"op":"add","node":{"content":Infinity}}', b'{"op":"add","node":{"content":1e999}}',
             b'{"op":"add","node":{"content":"\\ud800"}}',
             b'{"op":"add","node":{"content":"\xff"}}',
             b'{"op":"add","node":{"content":"\xed\xa0\x80"}}',
             b'{"op":"add","node":{"content":{"a":1,"\\u0061":2}}}', b"{'op':'stats'}",
             b'{"op":"stats",}', b'{"op":"add","node":{"content":01}}', b'{"op":"stats","tag":.5}',
             b'{"op":"add","node":{"content":"a\tb"}}', b'\xef\xbb\xbf{"op":"stats"}',
             b'{"op":"stats","tag":"\\udc00\\ud800"}', b'{"op":"stats","tag":+1}',
             b'{"op":"nope","tag":1}', b'{"tag":[1]}', b'{"op":5,"tag":{"a":-0.0}}',
             b'{"op":"stats","context":"","tag":0}', b'{"op":"stats","context":5}',
             b'{"op":"stats","context":"a/b"}', b'{"op":"stats","extra":1}', b'{"op":null}',
             b'{"op":"stats","context":null,"tag":null}',
             b'{"op":"add","node":{"content":[-0,-0.0,1e-999,1E5,1.5e300]}}',
             b'{"op":"add","node":{"content":[12345678901234567890123,-9223372036854775809]}}',
             b'{"op":"add","node":{"content":"\\ud83d\\ude00\\u0000\\/"}}',
             b' {"op" : "add" , "node" : { "content" : 1E400 } } ',
             b'\t{"op":"add","node":{"content":"blanks"}}\t',
             b'{"op":"add","node":5}', b'{"op":"add"}', b'{"op":"add","node":null}',
             b'{"op":"add","node":{},"parent":5}', b'{"op":"get"}', b'{"op":"get","id":5}',
             b'{"op":"update","id":"sys","set":[]}', b'{"op":"move","id":"sys"}',
             b'{"op":"move","id":"nope"}', b'{"op":"move","id":"sys","offset":1.0}',
             b'{"op":"remove"}', b'{"op":"remove","id":null}', b'{"op":"pin"}',
             b'{"op":"commit","expect_cycle":"1"}', b'{"op":"commit","hashes":1}',
             b'{"op":"commit","idempotency_key":5}', b'{"op":"commit","expect_cycle":1.0}',
             b'{"op":"tree","depth":-1}', b'{"op":"tree","depth":"0"}', b'{"op":"log","limit":-1}',
             b'{"op":"hash"}', b'{"op":"hash","node":[]}', b'{"op":"import"}',
             b'{"op":"import","snapshot":[]}', b'{"op":"import","log":{}}',
             b'{"op":"import","snapshot":{},"log":[]}', b'{"op":"import","snapshot":{}}',
             b'{"op":"import","snapshot":{"root":5}}', b'{"op":"attempt"}',
             b'{"op":"attempt","action":"stop"}', b'{"op":"attempt","action":"finish"}',
             b'{"op":"attempt","action":"finish","attempt_id":"attempt:1.1","status":"running"}',
             b'{"op":"configure","dialect":"modern"}', b'{"op":"configure","clock":{"start_ns":1}}',
             b'{"op":"configure","clock":{"start_ns":-1,"step_ns":1}}',
             b'{"op":"configure","clock":{"start_ns":1,"step_ns":0}}',
             b'{"op":"configure","clock":{"start_ns":1.0,"step_ns":1}}',
             b'{"op":"configure","authorize_sys":"no"}', b'{"op":"configure","ids":"random"}',
             b'{"op":"render","format":"html"}', b'{"op":"render","lossy":"no"}',
             b'{"op":"verify","deep":true}', b'{"op":"stats","context":"gone"}',
             b'{"op":"hash","context":"gone","node":{}}', b'{"op":"commit","context":"gone"}']
SNAPSHOT_NAMES = ["@t0", "@t-1", "@t-2", "@t-0", "@c1", "@c2", "@c3", "@c8", "@t-99", "@t1", "@t+1",
                  "working", "@t", "@c", "@x", "", "@c-1", "@t0 ", None]


# How often each kind of step comes, per profile of a session.
PROFILES = {
    "mixed": {"add": 34, "commit": 13, "update": 8, "replace": 5, "move": 11, "remove": 6,
              "pin": 6, "configure": 3, "import_something": 3, "attempt": 3, "read": 4, "diff": 4, "raw": 4},
    # Expiry, cascade and pruning: dense trees, few errors, one context.
    "lifecycle": {"add": 48, "commit": 24, "update": 4, "move": 6, "remove": 1, "pin": 6,
                  "configure": 4, "replace": 2, "read": 1, "diff": 5, "import_something": 1},
    # Where things may go.
    "placement": {"add": 36, "commit": 9, "move": 28, "replace": 9, "remove": 7, "pin": 2,
                  "update": 3, "configure": 2, "import_something": 3, "read": 2, "diff": 6},
    # Imported trees and what becomes of them.
    "import": {"import_something": 16, "add": 22, "commit": 20, "move": 16, "update": 6,
               "replace": 5, "remove": 5, "pin": 4, "configure": 6, "read": 4, "diff": 8},
}


class Session:
    """One session being written: `lines` and the oracle's `answers`; `kept` may not be removed."""

    def __init__(self, seed, steps):
        self.rng = random.Random("pactdb oracle %s" % seed)
        self.oracle = Oracle()
        self.lines = []
        self.answers = []
        self.kept = set()
        self.profile = self.rng.choice(["mixed", "mixed", "lifecycle", "placement", "import"])
        self.dense = self.profile == "lifecycle"
        self.policies = self.dense or chance(self.rng, 50)
        self.start("main")
        while len(self.lines) < steps:
            self.step()
        self.final_probes()

    # --- writing ----------------------------------------------------------------------------------

    def emit(self, request):
        if chance(self.rng, 5):
            request["tag"] = self.rng.choice([1, None, "t", [1.0], {"a": None}])
        line = json.dumps(request, ensure_ascii=chance(self.rng, 50)).encode()
        return self.emit_line(line)

    def emit_line(self, line):
        self.lines.append(line)
        self.answers.append(self.oracle.serve_line(line))
        return self.answers[-1]

    def start(self, name):
        """Makes a context, with a clock."""
        rng = self.rng
        request = {"op": "configure", "context": name, "clock": self.clock(),
                   "dialect": rng.choice(["canonical", "canonical", "classic", "depth"])}
        if self.policies and chance(rng, 80):
            request["policy"] = values.policy(rng)
        self.kept.add(len(self.lines))
        self.emit_line(json.dumps(request).encode())

    def clock(self):
        rng = self.rng
        return {"start_ns": rng.choice([0, 5, 100, 1000, 10**9, 1700000000123456789]),
                "step_ns": rng.choice([1, 1, 10, 1000])}

    # --- looking ----------------------------------------------------------------------------------

    def context(self, name):
        return self.oracle.contexts.get(name)

    def ids(self, name, *classes):
        return [node["attrs"]["id"] for node, _ in tree.walk(self.context(name).root)
                if not classes or node["class"] in classes]

    def some_id(self, name):
        rng = self.rng
        draw = rng.randrange(100)
        if draw < 70:
            return rng.choice(self.ids(name, "block", "cont") or ["x1"])
        if draw < 88:
            return rng.choice(self.ids(name))
        if draw < 95 and self.context(name).snapshots:
            return rng.choice(tree.ids(rng.choice(self.context(name).snapshots)["root"]))
        return rng.choice(["nope", "x1", "x2", "sys", "seg:1", "^sys"])

    def fresh_id(self, name):
        """Prefers nodes that can still be edited."""
        context = self.context(name)
        fresh = [node["attrs"]["id"] for node, _ in tree.walk(context.root)
                 if context.is_fresh(node) or node["class"] == "block"
                 and tree.region_of(context.root, node) == "sys"]
        return self.rng.choice(fresh) if fresh and chance(self.rng, 75) else self.some_id(name)

    def parent(self, name):
        rng = self.rng
        draw = rng.randrange(100)
        if draw < 35:
            return None
        if draw < 47:
            return "^ah"
        if draw < 62:
            return "^sys"
        if draw < 76:
            return rng.choice(self.ids(name, "turn") or ["^ah"])
        if draw < 94:
            return rng.choice(self.ids(name, "cont") or ["^sys"])
        return rng.choice(["^seq", "^root", "sys", "ah", "nope", "^foo"]
                          + self.ids(name, "block")[:2])

    # --- steps ------------------------------------------------------------------------------------

    def step(self):
        rng = self.rng
        name = rng.choice(CONTEXTS) if self.profile == "mixed" else "main"
        if self.context(name) is None:
            if chance(rng, 30):
                op = rng.choice(["stats", "commit", "verify", "tree"])
                self.emit({"op": op, "context": name})
                return
            self.start(name)
        request = self.request(name)
        if isinstance(request, bytes):
            answer = self.emit_line(request)
        else:
            if name != "main":
                request["context"] = name
            if chance(rng, 4):
                request = self.spoil(request)
            answer = self.emit(request)
        if not answer["ok"] and chance(rng, 30):
            self.emit(self.at(name, {"op": "tree"}))
        elif chance(rng, 18):
            self.probe(name)

    def at(self, name, request):
        return dict(request, context=name) if name != "main" else request

    def request(self, name):
        weights = PROFILES[self.profile]
        maker = self.rng.choices(list(weights), list(weights.values()))[0]
        return getattr(self, maker)(name)

    def raw(self, _name):
        return self.rng.choice(RAW_LINES)

    def node(self, name):
        rng = self.rng
        made = values.node(rng, self.ids(name), self.dense)
        context = self.context(name)
        if chance(rng, 5):
            made["creation_index"] = max(0, context.next_index + rng.choice([-1, 0, 1, 1, 2, 5]))
        if chance(rng, 5):
            made["created_at_ns"] = (context.last_stamp or 0) + rng.choice([0, 1, 1, 2, 50])
        if chance(rng, 7):
            values.spoil(rng, made)
        return made

    def loose_id(self, name):
        """Prefers nodes that can be moved, replaced and removed."""
        root = self.context(name).root
        loose = [node["attrs"]["id"] for node, parent in tree.walk(root)
                 if node["class"] in ("block", "cont") and not tree.is_core(node, parent)
                 and not tree.in_sealed_core(root, node)]
        return self.rng.choice(loose) if loose and chance(self.rng, 70) else self.some_id(name)

    def add(self, name):
        rng = self.rng
        request = {"op": "add", "node": self.node(name)}
        parent = self.parent(name)
        is_cont = str(request["node"].get("nodeType")).startswith(("cont", "mc"))
        if (is_cont or parent in self.ids(name, "turn")) and chance(rng, 75):
            request["node"]["offset"] = rng.choice([-1, 1, 1, 2])
        if parent is not None or chance(self.rng, 10):
            request["parent"] = parent
        return request

    def commit(self, name):
        rng = self.rng
        request = {"op": "commit"}
        if chance(rng, 15):
            request["expect_cycle"] = self.context(name).open_cycle + rng.choice([0, 0, 0, -1, 1])
        if chance(rng, 15):
            request["idempotency_key"] = rng.choice(["k1", "k2", "k3", ""])
        if chance(rng, 10):
            request["hashes"] = chance(rng, 30)
        if chance(rng, 25):
            self.emit(self.at(name, {"op": "render"}))
        return request

    def update(self, name):
        rng = self.rng
        changes = values.node(rng, self.ids(name), self.dense)
        names = list(changes)
        rng.shuffle(names)
        changes = {field: changes[field] for field in names[:rng.choice([0, 1, 1, 1, 2, 3])]}
        if chance(rng, 70):
            for field in ("id", "nodeType", "offset", "removable"):
                changes.pop(field, None)
        if chance(rng, 10):
            changes[rng.choice(["role", "kind", "ttl", "refs", "priority", "pinned", "content",
                                "key", "data_x"])] = None
        if chance(rng, 6):
            values.spoil(rng, changes)
        return {"op": "update", "id": self.fresh_id(name), "set": changes}

    def replace(self, name):
        rng = self.rng
        made = self.node(name)
        if chance(rng, 70):
            made.pop("offset", None)
            made.pop("nodeType", None)
        return {"op": "replace", "id": self.loose_id(name), "node": made}

    def move(self, name):
        rng = self.rng
        request = {"op": "move", "id": self.loose_id(name)}
        if chance(rng, 80):
            request["parent"] = self.parent(name) or "^ah"
        if chance(rng, 65) or "parent" not in request and chance(rng, 90):
            request["offset"] = values.offset(rng)
        return request

    def remove(self, name):
        return {"op": "remove", "id": self.loose_id(name)}

    def pin(self, name):
        return {"op": self.rng.choice(["pin", "pin", "unpin"]), "id": self.some_id(name)}

    def configure(self, name):
        rng = self.rng
        request = {"op": "configure"}
        draw = rng.randrange(100)
        if draw < 45 and self.policies:
            request["policy"] = values.policy(rng)
        elif draw < 55:
            request["policy"] = rng.choice(values.BAD_POLICIES)
        elif draw < 75:
            request["dialect"] = rng.choice(["canonical", "classic", "depth"])
        elif draw < 85:
            request["authorize_sys"] = chance(rng, 50)
        elif draw < 93:
            request["clock"] = self.clock()
        else:
            request.update(odi=rng.choice(["demote", "reject", None]),
                           durability=rng.choice(["full", "relaxed"]),
                           journal=rng.choice(["off", "on"]), policy=None)
        if chance(rng, 10):
            request["authorize_sys"] = True
        return request

    def import_something(self, name):
        rng = self.rng
        context = self.context(name)
        if chance(rng, 40):
            return {"op": "import", "log": values.log_entries(rng)}
        document = values.Documents(rng, context.config["dialect"]).document(context.open_cycle)
        if chance(rng, 20):
            values.spoil_document(rng, document)
        request = {"op": "import", "snapshot": document}
        if chance(rng, 25):
            request["strict"] = chance(rng, 80)
        return request

    def attempt(self, name):
        rng = self.rng
        known = [record["attempt_id"] for record in self.context(name).attempts]
        draw = rng.randrange(100)
        if draw < 45:
            request = {"op": "attempt", "action": "start", "provider": "p", "model": "m"}
            if chance(rng, 50):
                request["params"] = rng.choice(values.CONTENTS)
            elif chance(rng, 30):
                request["params_hash"] = "h"
            return request
        if draw < 85:
            request = {"op": "attempt", "action": "finish",
                       "attempt_id": rng.choice(known + ["attempt:1.9"]),
                       "status": rng.choice(["completed", "canceled", "error"])}
            if chance(rng, 50):
                request.update(token_in=5, token_out=7)
            if chance(rng, 20):
                request["error"] = "it broke"
            return request
        request = {"op": "attempt", "action": "list"}
        if chance(rng, 40):
            request["cycle"] = rng.choice([1, 2, 3])
        return request

    # --- reads ------------------------------------------------------------------------------------

    def read(self, name):
        rng = self.rng
        draw = rng.randrange(100)
        if draw < 45:
            request = {"op": "get", "id": self.some_id(name)}
            if chance(rng, 50):
                request["at"] = rng.choice(SNAPSHOT_NAMES)
            return request
        if draw < 60:
            return {"op": "hash", "node": values.spoil(rng, values.node(rng, ["x1"]))}
        if draw < 70:
            return {"op": "stats"}
        if draw < 75:
            return {"op": "verify"}
        if draw < 85:
            return {"op": "tree", "depth": rng.randrange(4)}
        if draw < 95:
            return {"op": "log", "limit": rng.randrange(4), "cursor": rng.randrange(6),
                    "hashes": chance(rng, 50)}
        return {"op": rng.choice(["tree", "serialize", "render"]), "at": rng.choice(SNAPSHOT_NAMES)}

    def diff(self, name):
        """Two states, mostly of this context."""
        rng = self.rng
        states = ["working"] + ["@c%d" % one["cycle"] for one in self.context(name).snapshots]
        request = {"op": "diff", "from": rng.choice(states), "to": rng.choice(states)}
        if chance(rng, 8):
            other = rng.choice(sorted(self.oracle.contexts))
            request["to"] = "%s@%s" % (other, rng.choice(["t0", "c1", "t-1"]))
        if chance(rng, 5):
            request[rng.choice(["from", "to"])] = rng.choice(SNAPSHOT_NAMES + ["no@c1", "@c1@c2"])
        if chance(rng, 25):
            request["selector"] = rng.choice(DIFF_SELECTORS)
        if chance(rng, 40):
            request["detail"] = chance(rng, 90)
        if chance(rng, 30):
            request["moves"] = chance(rng, 90)
        return request

    def probe(self, name):
        rng = self.rng
        request = {"op": rng.choice(PROBES)}
        if request["op"] == "log":
            request["hashes"] = chance(rng, 50)
        elif request["op"] == "diff":
            request = self.diff(name)
        elif chance(rng, 35) and self.context(name).snapshots:
            request["at"] = "@c%d" % rng.choice(self.context(name).snapshots)["cycle"]
        self.emit(self.at(name, request))

    def final_probes(self):
        for name in sorted(self.oracle.contexts):
            for op in PROBES + ("stats", "verify"):
                self.emit(self.at(name, self.diff(name) if op == "diff" else {"op": op}))
            for snapshot in self.context(name).snapshots:
                for op in ("tree", "serialize", "render"):
                    self.emit(self.at(name, {"op": op, "at": "@c%d" % snapshot["cycle"]}))

    # --- faults of shape --------------------------------------------------------------------------

    def spoil(self, request):
        """One or two faults of shape, or a fault of shape on top of others."""
        rng = self.rng
        request = dict(request)
        for _ in range(rng.choice([1, 1, 2])):
            draw = rng.randrange(4)
            arguments = [name for name in request if name not in ("op", "context")]
            if draw == 0:
                request["extra"] = 1
            elif draw == 1 and arguments:
                request.pop(rng.choice(arguments))
            elif draw == 2 and arguments:
                request[rng.choice(arguments)] = rng.choice([5, "x", [], {}, True, 1.0, None])
            elif draw == 3:
                request["context"] = rng.choice(["", "a b", 5, "nowhere"])
        if request.get("context") == "nowhere" and request["op"] in ("add", "import", "configure"):
            request["context"] = "no where"
        return request
