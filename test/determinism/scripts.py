"""Scripts of requests, from a number alone.

Frozen: the digests beside it are of exactly these scripts. Nothing here may depend on Python's own random numbers, on
another file, or on what the engine answers; a new kind of request goes into new scripts behind the old ones, with a
version of its own. Many requests fail, as guessed ids will; how they fail is part of the digest.
"""

import json

COUNT = 1000
STEPS = 40

WORDS = ["hello", "naïve", "größer", "東京", "🙂", "a\"b\\c", "tab\tnew\nline", "", "\x7f\x1f", "Привет", "x" * 300]
NUMBERS = [0, -1, 1.0, 0.1, 1e16, 1e-5, 5e-324, 1.7976931348623157e308, 2**53 + 1, -2**63, 10**40, 123456.789, -0.0]
ROLES = ["user", "assistant", "tool", "system"]
KINDS = ["text", "call", "result", "summary"]
SELECTORS = ["^seq .seg:depth(1-3) .block[role=user]", ".block", "^ah *", ".seg:depth(1)", "[priority>0]", "+t1",
             ".cont > .block:first", "[ttl<3]", "^sys .block", "#k1", ".block[content~'o']", "[data_n>=2]"]


class Draw:
    """SplitMix64: the same numbers everywhere."""

    def __init__(self, seed):
        self.state = seed
        # Neighbouring seeds would otherwise give one stream, a step apart.
        self.state = self.next() ^ seed << 32

    def next(self):
        self.state = (self.state + 0x9e3779b97f4a7c15) % 2**64
        mixed = self.state
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9 % 2**64
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb % 2**64
        return mixed ^ mixed >> 31

    def below(self, bound):
        return self.next() % bound

    def chance(self, percent):
        return self.below(100) < percent

    def pick(self, items):
        return items[self.below(len(items))]


class Script:
    """The lines of script `number`."""

    def __init__(self, number):
        self.draw = Draw(number)
        self.named = []  # ids given by the script
        self.made = [0, 1]  # about how many nodes each cycle made; the last one is open
        dialect = self.draw.pick(["canonical", "canonical", "classic", "depth"])
        self.types = ("mt", "mc", "cb") if dialect != "canonical" else ("seg", "cont", "block")
        self.lines = []
        configure = {"op": "configure", "dialect": dialect,
                     "clock": {"start_ns": self.draw.below(2**60), "step_ns": 1 + self.draw.below(10**9)}}
        if self.draw.chance(40):
            configure["policy"] = {"max_nodes": 5 + self.draw.below(40), "protect_recent_turns": self.draw.below(3)}
        self.send(configure)
        if self.draw.chance(20):
            self.send({"op": "import", "snapshot": {"root": self.document()}})
        while len(self.lines) < STEPS:
            self.step()
        if self.draw.chance(30):
            self.send({"op": "import", "log": [{"role": self.draw.pick(ROLES), "content": self.value(1)}
                                               for _ in range(self.draw.below(12))]})
        self.send({"op": "commit"})
        for op in ("render", "serialize"):
            self.send({"op": op, "at": "@t0"})
        self.send({"op": "log", "hashes": True})
        self.send({"op": "select", "selector": "@history *", "includeContent": True,
                   "contentMode": ["unified", "jsonpatch", "tokens"][number % 3]})

    def send(self, request):
        if request["op"] == "commit":
            self.made.append(1)
        elif request["op"] in ("add", "replace"):
            self.made[-1] += 1
        self.lines.append(json.dumps(request, ensure_ascii=False, separators=(",", ":")))

    def step(self):
        kind = self.draw.below(100)
        if kind < 50:
            node, place = self.node(), self.place()
            if self.draw.chance(60):
                node["id"] = "n%d" % len(self.named)
                self.named.append(node["id"])
            self.send({"op": "add", "node": node, **place})
        elif kind < 60:
            self.send({"op": "commit"})
        elif kind < 66:
            self.send({"op": "update", "id": self.an_id(), "set": self.node()})
        elif kind < 70:
            self.send({"op": "replace", "id": self.an_id(), "node": self.node()})
        elif kind < 75:
            self.send({"op": "move", "id": self.an_id(), "offset": self.draw.below(5) - 2})
        elif kind < 79:
            self.send({"op": "remove", "id": self.an_id()})
        elif kind < 82:
            self.send({"op": self.draw.pick(["pin", "unpin"]), "id": self.an_id()})
        elif kind < 90:
            self.send({"op": "select", "selector": self.draw.pick(SELECTORS), **self.at("snapshot")})
        elif kind < 94:
            self.send({"op": "hash", "node": {"content": self.value(3), "data_x": self.value(2)}})
        else:
            self.send({"op": self.draw.pick(["render", "serialize", "tree"]), **self.at("at")})

    def at(self, name):
        return {name: self.draw.pick(["@t0", "@t-1", "@c1", "@c3"])} if self.draw.chance(50) else {}

    def place(self):
        if self.draw.chance(60):
            return {}
        return {"parent": self.draw.pick(["^sys", "^ah", self.an_id(), self.an_id()])}

    def an_id(self):
        if self.named and self.draw.chance(75):
            return self.named[-1 - self.draw.below(min(6, len(self.named)))]
        cycle = len(self.made) - 1
        if self.draw.chance(40) or self.made[-1] == 1:
            cycle = max(1, cycle - 1 - self.draw.below(3))
        if self.draw.chance(10):
            return "%s:%d" % (self.types[0], cycle)
        name = self.types[1 if self.draw.chance(10) else 2]
        return "%s:%d.%d" % (name, cycle, self.draw.below(1 + self.made[cycle]))

    def node(self):
        draw, node = self.draw, {}
        if draw.chance(90):
            node["content"] = self.value(2)
        if draw.chance(70):
            node["role"] = draw.pick(ROLES)
        if draw.chance(40):
            node["kind"] = draw.pick(KINDS)
        for name, percent, bound in (("ttl", 25, 4), ("priority", 25, 5), ("offset", 25, 3)):
            if draw.chance(percent):
                node[name] = draw.below(bound)
        if draw.chance(15):
            node["nodeType"] = draw.pick([self.types[1], self.types[2] + ":summary", "custom:note"])
            node["offset"] = 1 + draw.below(2)
        if draw.chance(15):
            node["key"] = "k%d" % draw.below(3)
        if draw.chance(15):
            node["tags"] = ["t%d" % draw.below(3)]
        if draw.chance(10):
            node["data_n"] = draw.below(5)
        if draw.chance(8):
            node["data_call_id"] = "c%d" % draw.below(2)
        if draw.chance(8):
            node["refs"] = [self.an_id()]
        return node

    def value(self, depth):
        kind = self.draw.below(10 if depth else 7)
        if kind < 4:
            return self.draw.pick(WORDS)
        if kind < 6:
            return self.draw.pick(NUMBERS)
        if kind < 7:
            return self.draw.pick([None, True, False])
        if kind < 8:
            return [self.value(depth - 1) for _ in range(self.draw.below(4))]
        return {self.draw.pick(WORDS): self.value(depth - 1) for _ in range(self.draw.below(4))}

    def document(self):
        """A snapshot whose nodes lack headers and whose ids decide their order."""
        turns = [{"id": "old%d" % i, "children": [{"id": "old%d.%d" % (i, j), **self.node_text()}
                                                 for j in range(self.draw.below(4))]}
                 for i in range(self.draw.below(6))]
        return {"children": [{"id": "sys", "nodeType": "^sys", "children": [{"id": "s", **self.node_text()}]},
                             {"id": "seq", "nodeType": "^seq", "children": turns}]}

    def node_text(self):
        return {"content": self.value(2), "role": self.draw.pick(ROLES), "offset": self.draw.below(3) - 1}
