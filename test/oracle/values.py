"""Random values, nodes, policies and documents for generate.py.

Everything is drawn from small pools, so that ids meet again, ttls end soon and calls find partners.
"""

CONTENTS = ["a", "b", "", "Hello", "tab\t\"quote\" \\ / \u007f",
            "\u00e9\U0001f600\u2028\uffff", None, True, 0, -7, 1.0, -0.0, 0.1, 1e16, 1e-5, 1e22,
            5e-324, 123456789.125, 2**63, 10**30, [], {}, [1, 1.5, None, True],
            {"b": 1, "a": {"z": [], "Z": "x", "\U0001f600": 2}}]
ROLES = ["user", "assistant", "tool", "system", "", "other"]
KINDS = ["text", "call", "result", "summary"]
CUSTOM = ["data_x", "data_y", "content_lang", "ns:flag", "cb:foo"]
EXPLICIT_IDS = ["x1", "x2", "x3", "x4", "cb:u1", "block:u2", "cont:9", "\u00e9", "seg:1", "mt:2",
                "block:1.0", "block:2.1", "cont:2.0", "cb:1.1", "block:99.0", "seg:03", "root"]
CALLS = ["c1", "c1", "c2", "c3", 5]
TYPES = ["block", "cb", "cont", "mc", "cont", "block:summary", "cb:note", "cont:grp", "mc:grp",
         "custom:note"]
BAD_TYPES = ["seg", "mt", "turn", "seg:x", "^ah", "^sys", "weird", "block:", "cont:", ""]
BAD_FIELDS = [("cycle", 1), ("content_hash", "x"), ("parent_id", "ah"),
              ("created_at_iso", "2020-01-01T00:00:00Z"), ("foo", 1), ("children", []),
              ("depth", 1), ("ttl", -1), ("ttl", 1.0), ("ttl", True), ("ttl", "1"),
              ("ttl", 2**63), ("ttl", 1.5), ("cad", 0), ("cad", -1), ("cad", 2.0), ("cad", "1"),
              ("offset", 1.0), ("offset", "0"), ("offset", 2**63), ("offset", True),
              ("priority", 0.5), ("priority", []), ("role", 5), ("kind", {}), ("key", 1),
              ("tags", "t"), ("tags", [1]), ("refs", "x1"), ("refs", [None]), ("removable", 1),
              ("pinned", "yes"), ("id", 7), ("id", "i" * 513), ("key", "k" * 257),
              ("mime", False), ("encoding", 1), ("created_at_ns", 1.0), ("creation_index", "0")]


def chance(rng, percent):
    return rng.randrange(100) < percent


def nest(levels):
    value = []
    for _ in range(levels - 1):
        value = [value]
    return value


def ttl(rng):
    return rng.choice([0, 0, 1, 1, 1, 2, 2, 3, 3, 2**63 - 1 if chance(rng, 10) else 4])


def offset(rng):
    return rng.choice([0, 0, 0, -1, -2, 1, 1, 2, 2**63 - 1 if chance(rng, 10) else 3])


def node(rng, known_ids, dense=False):
    """Fields of a node as `add` takes them; mostly legal. `known_ids` feeds refs.

    A dense node is likelier to have a ttl, refs and a call.
    """
    made = {}
    optional_text(rng, made)
    if chance(rng, 65 if dense else 40):
        made["ttl"] = ttl(rng)
    if chance(rng, 50 if dense else 25):
        made["priority"] = rng.choice([-1, 0, 1, 2, 2])
    if chance(rng, 50):
        made["offset"] = offset(rng)
    if chance(rng, 35 if dense else 22) and known_ids:
        made["refs"] = [rng.choice(known_ids) for _ in range(rng.choice([0, 1, 1, 2]))]
    if chance(rng, 30 if dense else 20):
        made["data_call_id"] = rng.choice(CALLS)
    if chance(rng, 8):
        made["pinned"] = chance(rng, 75)
    if chance(rng, 4):
        made["cad"] = rng.choice([1, 3])
    if chance(rng, 15):
        made["id"] = rng.choice(EXPLICIT_IDS)
    if chance(rng, 45):
        made["nodeType"] = rng.choice(TYPES)
    is_cont = made.get("nodeType", "").startswith(("cont", "mc"))
    if chance(rng, 60 if is_cont else 4):
        made["removable"] = chance(rng, 80)
    if chance(rng, 4):
        header = rng.choice(["role", "kind", "ttl", "offset", "id", "nodeType", "refs", "priority"])
        made[header] = None
    return made


def optional_text(rng, made):
    if chance(rng, 85):
        made["content"] = rng.choice(CONTENTS)
    if chance(rng, 60):
        made["role"] = rng.choice(ROLES)
    if chance(rng, 30):
        made["kind"] = rng.choice(KINDS)
    if chance(rng, 12):
        made["key"] = rng.choice(["k1", "k2"])
    if chance(rng, 10):
        made["tags"] = rng.sample(["a", "b", "c"], rng.randrange(3))
    if chance(rng, 10):
        made[rng.choice(CUSTOM)] = rng.choice(CONTENTS)
    if chance(rng, 5):
        made["provenance"] = rng.choice(["tool", {"by": "agent"}])
    if chance(rng, 5):
        made["mime"] = "text/plain"
    if chance(rng, 1):
        made["content"] = nest(rng.choice([60, 64, 65, 70]))


def spoil(rng, made):
    """Adds one to three faults to the fields."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        if chance(rng, 20):
            made["nodeType"] = rng.choice(BAD_TYPES)
        else:
            name, value = rng.choice(BAD_FIELDS)
            made[name] = value
    return made


def policy(rng):
    made = {}
    if chance(rng, 50):
        made["max_nodes"] = rng.choice([0, 2, 4, 6, 8, 12, None])
    if chance(rng, 40):
        made["max_turns"] = rng.choice([0, 1, 1, 2, 3, None])
    if chance(rng, 35):
        made["protect_recent_turns"] = rng.choice([0, 1, 2])
    if chance(rng, 60):
        made["prune_regions"] = rng.choice([[], ["seq"], ["ah"], ["sys", "seq"], ["seq", "ah"],
                                            ["ah", "seq", "sys"], ["sys"]])
    if chance(rng, 40):
        chosen = rng.sample(["sys", "seq", "ah"], rng.choice([0, 1, 1, 2, 3]))
        made["regions"] = {name: {"max_nodes": rng.choice([0, 1, 2, 4])} for name in chosen}
    if chance(rng, 20):
        made["strict"] = True
    return made


BAD_POLICIES = [{"max_tokens": -5}, {"max_nodes": -1}, {"max_nodes": 2.0}, {"max_turns": True},
                {"other": 1}, {"prune_regions": ["root"]}, {"prune_regions": "seq"},
                {"regions": {"root": {}}}, {"regions": {"sys": {"max_turns": 1}}},
                {"regions": {"sys": {"max_tokens": -1}}}, {"strict": 1}, [], "none",
                {"protect_recent_turns": "1"}]


# --- documents ------------------------------------------------------------------------------------

class Documents:
    """Builds small snapshot documents: with full, some or no headers, tidy or not."""

    def __init__(self, rng, dialect):
        self.rng = rng
        self.headers = rng.choice(["full", "full", "none", "none", "some"])
        self.tidy = chance(rng, 50)
        self.canonical_names = chance(rng, 80 if dialect == "canonical" else 20)
        self.number = 0
        self.prefix = rng.choice(["n", "n", "m", "block:2.", "cb:1.", "cont:2."])

    def name(self, node_class):
        canonical, classic = {"turn": ("seg", "mt"), "cont": ("cont", "mc"),
                              "block": ("block", "cb")}[node_class]
        return canonical if self.canonical_names else classic

    def fresh_id(self):
        self.number += 1
        return "%s%d" % (self.prefix, self.number)

    def node(self, node_class, node_id=None, offset=None):
        rng = self.rng
        made = {"id": node_id or self.fresh_id()}
        if self.tidy or self.headers == "full" or chance(rng, 75):
            made["nodeType"] = self.name(node_class)
        if offset is not None and (offset != 0 or self.headers == "full" or chance(rng, 50)):
            made["offset"] = offset
        self.add_headers(made)
        return made

    def add_headers(self, made):
        rng = self.rng
        every = {"offset": 0, "ttl": None, "priority": rng.choice([0, 0, 1]),
                 "cycle": rng.randrange(1, 4), "created_at_ns": 100 + rng.randrange(5) * 10,
                 "created_at_iso": "1970-01-01T00:00:00.000000100Z",
                 "creation_index": rng.randrange(3)}
        for name, value in every.items():
            if self.headers == "full" or (self.headers == "some" and chance(rng, 40)):
                made.setdefault(name, value)

    def block(self, offset):
        rng = self.rng
        made = self.node("block", offset=offset)
        if chance(rng, 90):
            made["content"] = rng.choice(CONTENTS)
        if chance(rng, 80):
            made["role"] = rng.choice(ROLES)
        if chance(rng, 60):
            made["kind"] = rng.choice(KINDS)
        if chance(rng, 40):
            made["ttl"] = rng.randrange(4)
        self.decorate(made)
        if chance(rng, 3):
            made["nodeType"] = rng.choice(["cb:x", "block:x", "custom:note", "weird"])
        return made

    def decorate(self, made):
        rng = self.rng
        if chance(rng, 10):
            made["refs"] = ["%s%d" % (self.prefix, rng.randrange(1, 9))]
        if chance(rng, 10):
            made["data_call_id"] = rng.choice(CALLS)
        if chance(rng, 5):
            made["pinned"] = chance(rng, 80)
        if chance(rng, 10):
            made[rng.choice(["other", "data_x", "ns:flag", "expires", "content_hash", "depth",
                             "parent_id"])] = rng.choice([1, "x", None, [1.0]])

    def cont(self, offset, levels=1):
        rng = self.rng
        made = self.node("cont", offset=offset)
        if offset != 0 and chance(rng, 50):
            made["removable"] = True
            if chance(rng, 30):
                made["ttl"] = rng.randrange(3)
        inner = [self.block(rng.choice([0, 0, 1])) for _ in range(rng.randrange(3))]
        if levels and chance(rng, 20):
            inner.append(self.cont(rng.choice([0, 1]), levels - 1))
        made["children"] = inner
        return made

    def inside(self):
        """What a turn or the head holds."""
        rng = self.rng
        held = []
        if self.tidy or chance(rng, 50):
            held.append(self.cont(0))
            if not self.tidy and chance(rng, 10):
                held.append(self.cont(0))
        if not self.tidy:
            held += [self.block(0) for _ in range(rng.randrange(3))]
        held += [self.block(rng.choice([-1, 1])) for _ in range(rng.randrange(2))]
        if chance(rng, 30):
            held.append(self.cont(rng.choice([-1, 1, 2])))
        rng.shuffle(held)
        return held

    def region(self, name):
        rng = self.rng
        suffix = "" if self.headers == "full" or chance(rng, 40) else "-1"
        made = {"id": name + suffix, "nodeType": "^" + name}
        self.add_headers(made)
        if self.headers == "full":
            made["created_at_ns"] = 0
            made["creation_index"] = ["sys", "seq", "ah"].index(name)
        made["children"] = []
        if name == "seq":
            for number in range(rng.randrange(4)):
                cycle = rng.choice([0, 2]) * 5 + number
                turn = self.node("turn", "%s:%d" % (self.name("turn"), cycle))
                if self.headers != "full" and chance(rng, 10):
                    turn["offset"] = rng.choice([-1, 2])
                turn["children"] = self.inside()
                made["children"].append(turn)
        elif name == "sys":
            made["children"] = [self.block(rng.choice([0, 0, 1])) for _ in range(rng.randrange(3))]
        elif chance(rng, 60):
            made["children"] = self.inside()
        return made

    def document(self, open_cycle):
        rng = self.rng
        names = ["sys", "seq", "ah"]
        if self.headers != "full" and chance(rng, 25):
            names.remove(rng.choice(names))
        rng.shuffle(names)
        root = {"children": [self.region(name) for name in names]}
        if self.headers == "full" or chance(rng, 50):
            root["id"] = rng.choice(["root", "root-1"])
        if self.headers == "full" or chance(rng, 50):
            root["nodeType"] = "^root"
        self.add_headers(root)
        made = {"root": root}
        if chance(rng, 40):
            made["spec_version"] = rng.choice(["PACT/0.1.0", "PACT/0.1", "PACT/0.1.0", "PACT/9.0"])
        if chance(rng, 35):
            made["cycle"] = open_cycle + rng.choice([-1, 0, 0, 1, 2, 7])
        return made


def spoil_document(rng, document):
    """One fault that makes a document unfit (X3)."""
    every = []
    pending = [document["root"]]
    while pending:
        one = pending.pop()
        every.append(one)
        pending += one.get("children", [])
    one = rng.choice(every)
    fault = rng.randrange(9)
    if fault == 0:
        document.pop("root")
    elif fault == 1:
        document["root"]["children"].append({"id": "extra", "nodeType": rng.choice(
            ["^sys", "^ah", "^seq", "block", "seg", "^foo"]), "children": []})
    elif fault == 2 and one is not document["root"]:
        one.pop("id")
    elif fault == 3:
        one["id"] = rng.choice(every).get("id", "root")
    elif fault == 4:
        one[rng.choice(["ttl", "offset", "cycle", "priority", "created_at_ns"])] = rng.choice(
            [1.0, "1", True, 2**63, [], -1])
    elif fault == 5:
        header = rng.choice(["role", "kind", "tags", "refs", "pinned", "removable",
                             "created_at_iso"])
        one[header] = 5
    elif fault == 6:
        one.setdefault("children", []).append({"id": "late", "nodeType": rng.choice(
            ["seg", "mt", "block", "cont", "^ah"])})
    elif fault == 7:
        one["children"] = rng.choice([{}, [1], "x"])
    else:
        one["cad"] = 0
    return document


def log_entries(rng):
    entries = []
    for _ in range(rng.randrange(6)):
        entry = {"role": rng.choice(["user", "user", "assistant", "assistant", "tool", "system"])}
        if chance(rng, 90):
            entry["content"] = rng.choice(CONTENTS)
        if chance(rng, 20):
            entry["kind"] = rng.choice(KINDS)
        if chance(rng, 25):
            entry["ttl"] = ttl(rng)
        if chance(rng, 15):
            entry["data_call_id"] = rng.choice(CALLS)
        if chance(rng, 8):
            entry["offset"] = rng.choice([-1, 1])
        entries.append(entry)
    if chance(rng, 12) and entries:
        entries[rng.randrange(len(entries))] = rng.choice(
            [5, {}, {"role": 1}, {"role": "user", "ttl": -1}, {"role": "user", "foo": 1},
             {"role": "user", "cycle": 1}, None])
    return entries
