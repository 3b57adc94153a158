"""Random trees for selectors, as request lines: documents and edits, several snapshots each.

Values come from small pools, so that the selectors of select_text.py find something. Stamps never
come from the system clock.
"""

import random

from values import chance

DIALECTS = ("classic", "depth", "canonical")
KEYS = ["k1", "k1", "k2", "k3", "hero banner", "05", "b1"]
TAGS = ["a", "b", "c", "featured"]
ROLES = ["user", "user", "assistant", "system", "tool", ""]
KINDS = ["text", "text", "summary", "call", "note"]
CUSTOM = [5, "5", 10, "10", "9", 9, 1.5, "1.5", -2, "1e1", True, False, "true", "x", "X", "", None,
          [1], {"a": 1}, 2**63, 10**20, "10x", "\u00e9"]
CUSTOM_NAMES = ["data_n", "data_n", "ns:flag", "content_lang"]
BLOCK_TYPES = {True: ["block", "block", "block:summary", "block:note", "custom:note"],
               False: ["cb", "cb", "cb:summary", "cb:note", "custom:note"]}


def script(seed, size=None):
    """Requests that build one context."""
    return Trees(random.Random(seed), size).lines


class Trees:
    def __init__(self, rng, size=None):
        self.rng = rng
        self.size = size or rng.choice([3, 8, 8, 14])
        self.number = 0
        self.made = []
        self.turns = []          # ids of turns that documents brought
        self.dialect = rng.choice(DIALECTS)
        self.lines = [{"op": "configure", "dialect": self.dialect,
                       "clock": {"start_ns": 1000, "step_ns": 10}}]
        if chance(rng, 60):
            self.import_document()
        if chance(rng, 12) and self.lines[1:]:
            self.import_document()
        for _ in range(rng.choice([0, 1, 2, 3]) if self.lines[1:] else rng.choice([1, 2, 3, 4])):
            self.edit(rng.randrange(1, self.size))
            if chance(rng, 85):
                self.lines.append({"op": "commit", "hashes": False})
        if chance(rng, 70):
            self.edit(rng.randrange(1, 5))

    # --- fields -----------------------------------------------------------------------------------

    def fresh_id(self):
        self.number += 1
        letter = self.rng.choice(["b", "b", "n", "x", "B", "\u00e9"])
        self.made.append("%s%d" % (letter, self.number))
        return self.made[-1]

    def decorate(self, made):
        """Fields any node may have."""
        rng = self.rng
        if chance(rng, 25):
            made["key"] = rng.choice(KEYS)
        if chance(rng, 25):
            made["tags"] = rng.sample(TAGS, rng.randrange(4))
        if chance(rng, 25):
            made["ttl"] = rng.choice([1, 1, 2, 3, 5, 20])
        if chance(rng, 8):
            made["cad"] = rng.choice([1, 2])
        if chance(rng, 25):
            made["priority"] = rng.choice([-1, 0, 1, 5, 10])
        if chance(rng, 25):
            made[rng.choice(CUSTOM_NAMES)] = rng.choice(CUSTOM)
        if chance(rng, 5):
            made["pinned"] = True
        return made

    def speak(self, made):
        rng = self.rng
        if chance(rng, 85):
            made["role"] = rng.choice(ROLES)
        if chance(rng, 60):
            made["kind"] = rng.choice(KINDS)
        if chance(rng, 60):
            made["content"] = rng.choice(["Hello", "U1", "", 5, None, ["x"], "line\nend", "\u00e9"])
        if chance(rng, 5):
            made["mime"] = "text/plain"
        return made

    # --- edits ------------------------------------------------------------------------------------

    def edit(self, count):
        for _ in range(count):
            self.lines.append({"op": "add", **self.added()})

    def added(self):
        rng = self.rng
        node = self.decorate({})
        if chance(rng, 60):
            node["id"] = self.fresh_id()
        if chance(rng, 45):
            node["offset"] = rng.choice([-2, -1, -1, 0, 1, 1, 2])
        if chance(rng, 18):
            node["nodeType"] = rng.choice(["cont", "mc", "cont:grp"])
            node.setdefault("offset", rng.choice([-1, 1, 2]))
            if node["offset"] == 0:
                node["offset"] = 1
            if chance(rng, 30):
                node["removable"] = True
        else:
            self.speak(node)
            if chance(rng, 40):
                node["nodeType"] = rng.choice(BLOCK_TYPES[chance(rng, 50)])
        request = {"node": node}
        if chance(rng, 30):
            request["parent"] = rng.choice(["^sys", "^sys", "^ah"] + self.turns[-3:]
                                           + self.made[-3:])
        return request

    # --- documents --------------------------------------------------------------------------------

    def import_document(self):
        rng = self.rng
        self.canonical_names = chance(rng, 85 if self.dialect == "canonical" else 15)
        self.headers = rng.choice(["none", "none", "full", "some"])
        self.loose = chance(rng, 50)    # offset-0 blocks right under turns and head
        names = ["sys", "seq", "ah"]
        if chance(rng, 8):
            names.remove(rng.choice(names))
        document = {"root": {"children": [self.region(name) for name in names]}}
        if chance(rng, 20):
            document["root"].update(self.decorate({"id": "root-1"}))
        self.lines.append({"op": "import", "snapshot": document})

    def node(self, node_class, offset):
        """Common fields of a document's node; headers as this document has them."""
        rng = self.rng
        names = {"turn": ("seg", "mt"), "cont": ("cont", "mc"), "block": ("block", "cb")}
        made = {"id": self.fresh_id()}
        if node_class == "turn":
            self.turns.append(made["id"])
        if self.headers != "none" or chance(rng, 85):
            made["nodeType"] = names[node_class][0 if self.canonical_names else 1]
        if offset or chance(rng, 50):
            made["offset"] = offset
        every = {"cycle": rng.randrange(0, 4), "created_at_ns": 100 + 10 * rng.randrange(5),
                 "created_at_iso": "1970-01-01T00:00:00.00000010%dZ" % rng.randrange(3),
                 "creation_index": rng.randrange(3)}
        for name, value in every.items():
            if self.headers == "full" or (self.headers == "some" and chance(rng, 40)):
                made[name] = value
        return made

    def block(self, offset):
        rng = self.rng
        made = self.speak(self.decorate(self.node("block", offset)))
        if chance(rng, 25):
            made["nodeType"] = rng.choice(BLOCK_TYPES[self.canonical_names] + ["weird"])
        if chance(rng, 5):
            made["other"] = rng.choice(CUSTOM)
        return made

    def cont(self, offset, levels=1):
        rng = self.rng
        made = self.node("cont", offset)
        if chance(rng, 30):
            self.decorate(made)
        if chance(rng, 12):
            made["nodeType"] = rng.choice(["cont:grp", "mc:grp"])
        made["children"] = [self.block(rng.choice([0, 0, 0, -1, 1]))
                            for _ in range(rng.randrange(4))]
        if levels and chance(rng, 25):
            made["children"].append(self.cont(rng.choice([0, 1]), levels - 1))
        return made

    def inside(self):
        """What a turn or the head holds."""
        rng = self.rng
        held = []
        if not self.loose or chance(rng, 40):
            held.append(self.cont(0))
            if chance(rng, 8):
                held.append(self.cont(0))
        if self.loose:
            held += [self.block(0) for _ in range(rng.randrange(3))]
        held += [self.block(rng.choice([-2, -1, 1, 2])) for _ in range(rng.randrange(3))]
        if chance(rng, 35):
            held.append(self.cont(rng.choice([-1, 1, 2])))
        rng.shuffle(held)
        return held

    def region(self, name):
        rng = self.rng
        made = {"id": name + rng.choice(["", "-1"]), "nodeType": "^" + name, "children": []}
        if chance(rng, 12):
            self.decorate(made)
            made.pop("ttl", None)
        if name == "seq":
            for _ in range(rng.choice([0, 1, 2, 2, 3, 4])):
                turn = self.node("turn", 0)
                if chance(rng, 20):
                    self.decorate(turn)
                turn["children"] = self.inside()
                made["children"].append(turn)
        elif name == "sys":
            made["children"] = [self.block(rng.choice([0, 0, -1, 1]))
                                for _ in range(rng.randrange(4))]
            if chance(rng, 25):
                made["children"].append(self.cont(rng.choice([0, 1])))
        elif chance(rng, 75):
            made["children"] = self.inside()
        return made
