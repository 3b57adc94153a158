"""Random selectors, sound and slightly broken, over the whole grammar.

Literals come from the same small pools as the trees of select_trees.py.
"""

from values import chance

TYPES = [".block", ".cb", ".block", ".cont", ".mc", ".seg", ".mt", ".turn", ".block:summary",
         ".cb:note", ".cb:text", ".cont:grp", ".custom:note", ".tool_call", ".weird"]
ROOTS = ["^sys", "^seq", "^ah", "^root"]
DEPTHS = ["1", "1", "2", "0", "-1", "3", "1,2", "1-2", "1..3", "-1-3", "-1..1", ">0", ">=1", "<0",
          "<=-1", "<=0", ">1", "{1,2}", "{0,1-2}", "1,>2", "{1},0", " 1 , 2 ", "-2", "99", "0-0"]
BAD_DEPTHS = ["", " ", "1,", ",1", "2-1", "3..1", "1.5", "{}", "{>1}", "x", "=1", "!=1", "1 2",
              "{1", "1}", "--1", "'1'", "{{1}}", "1-", "<", "*"]
NUMERIC = ["offset", "ttl", "priority", "cycle", "created_at_ns", "creation_index", "cad"]
FACETS = ["born_turn", "age", "depth", "sdepth"]
STRING = ["role", "role", "kind", "kind", "id", "key", "key", "nodeType", "type", "created_at_iso",
          "mime", "tag", "tag", "parent_id"]
OPEN = ["data_n", "data_n", "data_n", "ns:flag", "content_lang", "content", "other", "removable",
        "pinned", "tags", "nowhere", "refs"]
OPERATORS = ["=", "=", "=", "!=", "<", "<=", ">", ">="]
WORDS = {"role": ["user", "assistant", "system", "tool", "User"],
         "kind": ["text", "summary", "note", "call"], "key": ["k1", "k2", "05", "b1", "k3"],
         "tag": ["a", "b", "featured", "z"], "mime": ["text"],
         "nodeType": ["block", "cb", "cont", "mc", "seg", "mt", "turn", "block:summary",
                      "cb:summary", "cb:note", "custom:note", "weird"],
         "created_at_iso": ["x"], "parent_id": ["ah", "sys", "seq", "root"]}
WORDS["type"] = WORDS["nodeType"]
LITERALS = ["5", "10", "9", "05", "1.5", "-2", "+5", "0", "1", "'5'", "'10'", "\"9\"", "'1e1'",
            "null", "None", "true", "false", "'true'", "x", "'x'", "''", "'hero banner'", "Hello",
            "'\u00e9'", "9223372036854775808", "100000000000000000000", "5.0", "'it\\'s'", "'a\"b'"]
BAD_LITERALS = ["", "5x", "1e5", ".5", "5.", "-", "\u00e9", "'open", "[", "[]", "[1,]", "=5", "*",
                "#x", "05.", "+", "a.b"]
PATTERNS = ["'us'", "'^u'", "'e$'", "'s.s'", "'^(text|note)$'", "'[ab]'", "'k[0-9]+'", "user",
            "''", "'x*'", "'(?i)USER'", "'\\d'", "'b:s'", "true"]
BAD_PATTERNS = ["'('", "'['", "'*a'", "'a**'", "'(?=a)'", "'(a)\\1'", "5", "null", "'a++'", "[a]"]
ORDERS = ["pre", "post", "bfs", "path", "turn:asc,pre", "turn:desc,pre"]
CONTROLS = ["@limit=1", "@limit=2", "@limit=3", "@limit=0", "@first", "@unique", "@p=2", "@p=1"]
BAD_CONTROLS = ["@order=random", "@p=0", "@limit=-1", "@limit=", "@limit", "@nope", "@first=1",
                "@order=turn", "@mode=latest", "@mode=union", "@unique,", "@limit=1x", "@t0",
                "@limit =1", "@p=1 @p=1", "@first @limit=1"]
TIMES = ["@t0", "@t0", "@t0", "@t0", "@t-1", "@t-1", "@c1", "@c2", "@*", "@*", "@t-2", "@t-*",
         "@t-0", "@t0", "@t0", "@*"]
NO_TIMES = ["@c99", "@t1", "@t+1", "@t-99"]
RANGES = ["@t-1..@t0", "@t0..@t-1", "@t-5..-1", "@t-5:-1", "@t0:@t-1", "@c1..@c2", "@c1..2",
          "@history", "@t0..@t-*", "@t0 .. @t-1", "@t0 : @t-1"]
BAD_TIMES = ["@t-1..@c1", "@c1:@t0", "@*..@t0", "@t0..@*", "@c1..@*", "@t", "@c", "@c-1", "@x",
             "@t0.block", "@t0:first", "@t0,", "@t 0", "@t0..", "@history..@t0", "@t0..@t1..@t2",
             "@T0", "@", "@t*", "@t0..x"]
HOPS = ["cont", "cont[offset=0]", "mc[offset=0]", "seg", "block", "*", "*:block", "*:cb", "*:cont",
        "0", "1", "-1", "0:block", "1:cont", "*:block.text", "0:block.summary", "block.text",
        "cont.grp", "*:block:summary", "?{role=user}", "? {kind=text}"]
DEPTH_HOPS = ["d0", "d1", "d1", "d2", "d-1", "depth(0)", "depth(1)", "depth(-1)", "d+1", "d9",
              "depth(1,2)", "depth(>0)"]
BAD_HOPS = ["", "+1", "end", "foo", "d", "dx", "d1x", "??{a=1}", "1.5", "*:", ".block", "#k1", "^ah",
            "?", "depth()", "*:block:first", "block:first", "+a", "1x", "*.block", "'x'"]
BROKEN_INSERTS = list("[](){}<>=!~@#^.:,+*?'\"\\/|& \t\n$-_0x") + ["..", "??", "\u00e9", "\x00"]


class Texts:
    """`known_ids` feed id and key literals; `paths` are (time, nodes from the root down to one):
    what there is to be found."""

    def __init__(self, rng, known_ids, paths):
        self.rng = rng
        self.ids = known_ids or ["x"]
        self.paths = paths
        self.sound = False       # while True nothing is wrong on purpose

    def one_of(self, good, bad, percent=3):
        if self.sound:
            percent = 0
        return self.rng.choice(bad if chance(self.rng, percent) else good)

    # --- aimed at a node --------------------------------------------------------------------------

    def aimed(self):
        """A selector that describes a node of the tree by a few of those above it."""
        rng = self.rng
        time, path = rng.choice(self.paths)
        if rng.randrange(4) == 0:
            return time + self.aimed_position(path)
        above = [node for node in path[:-1] if chance(rng, 35)]
        steps = above + path[-1:]
        text = time + self.aimed_step(steps[0], path)
        for before, node in zip(steps, steps[1:]):
            direct = path.index(node) == path.index(before) + 1
            text += " > " if direct and chance(rng, 60) else " "
            text += self.aimed_step(node, path)
        if chance(rng, 15):
            text += rng.choice([", ", ","]) + self.aimed_step(path[-1], path)
        if chance(rng, 15):
            text += " " + rng.choice(["@order=" + rng.choice(ORDERS), "@limit=2", "@unique",
                                      "@first", "@limit=2 @p=2", "+" + rng.choice("abc")])
        return text

    def aimed_step(self, node, path):
        rng = self.rng
        choice = rng.randrange(10)
        if node["class"] in ("root", "sys", "seq", "ah") and choice < 8:
            return "^" + node["class"]
        if choice == 0:
            return "*" + self.maybe_pick()
        if choice == 1:
            return rng.choice([":pre", ":core", ":post"])
        names = {"turn": [".seg", ".mt"], "cont": [".cont", ".mc"], "block": [".block", ".cb"]}
        text = rng.choice(names.get(node["class"], ["*"]))
        if choice < 5:
            text += self.maybe_pick()
        if choice in (4, 5) and node["class"] == "turn":
            text += ":depth(" + rng.choice(DEPTHS) + ")"
        if choice > 5:
            text += self.aimed_test(node)
        if choice == 9:
            text = text[text.index("["):] if "[" in text else text
            text += self.maybe_pick()
        return text

    def maybe_pick(self):
        return self.rng.choice(["", "", "", ":first", ":last", ":nth(1)", ":nth(2)"])

    def aimed_test(self, node):
        """A filter on something the node has."""
        rng = self.rng
        name = rng.choice(sorted(node["attrs"]))
        value = node["attrs"][name]
        if name == "tags" and value:
            return rng.choice(["[tag=%s]", "+%s", "{tag=%s}"]) % rng.choice(value)
        if isinstance(value, bool) or value is None:
            return "[%s=%s]" % (name, {True: "true", False: "false", None: "null"}[value])
        if isinstance(value, int):
            return "[%s%s%d]" % (name, rng.choice(OPERATORS), value)
        if isinstance(value, str):
            return "[%s%s%s]" % (name, rng.choice(OPERATORS), self.quoted(value))
        return "[%s]" % name

    def aimed_position(self, path):
        rng = self.rng
        if len(path) < 2:
            return "(*)"
        if path[1]["class"] != "seq":
            hops, rest = [rng.choice(["d0", "depth(0)", "d-1", "depth(-1)"])], path[2:]
        else:
            hops, rest = [rng.choice(["d1", "d1", "d2", "depth(1)", "depth(>0)"])], path[3:]
        for node in rest:
            names = {"cont": ["cont", "mc", "*", "*:cont", "cont[offset=0]"],
                     "block": ["block", "*", "*:block", "*:cb", "?{kind}", "?{id}"]}
            hop = rng.choice(names.get(node["class"], ["*"]))
            if chance(rng, 25):
                hop = str(node["attrs"].get("offset", 0))
            hops.append(hop + (self.aimed_test(node) if chance(rng, 15) else ""))
        inner = ", ".join(hop for hop in hops if "+" not in hop)
        return rng.choice(["(%s)", "(%s)", "within(%s) ?? {offset>-9}"]) % inner

    # --- filters ----------------------------------------------------------------------------------

    def quoted(self, text):
        quote = self.rng.choice("'\"")
        return quote + text.replace("\\", "\\\\").replace(quote, "\\" + quote) + quote

    def literal(self, name):
        rng = self.rng
        if not self.sound and chance(rng, 2):
            return rng.choice(BAD_LITERALS)
        if name in ("id", "key", "parent_id") and chance(rng, 35):
            return self.quoted(rng.choice(self.ids))
        if name in WORDS and chance(rng, 80):
            word = rng.choice(WORDS[name])
            return word if chance(rng, 40) and word[0].isalpha() else self.quoted(word)
        if name in NUMERIC + FACETS and chance(rng, 80):
            return rng.choice(["0", "1", "2", "3", "-1", "5", "'1'", "1.5", "null", "20", "100"])
        return rng.choice(LITERALS)

    def test(self):
        rng = self.rng
        if chance(rng, 4):
            return rng.choice(["ephemeral", "sticky"])
        pool = rng.choice([NUMERIC, STRING, STRING, OPEN, FACETS if chance(rng, 25) else STRING])
        name = self.one_of(pool, ["", "5", "'x'", "-a", "a b", "\u00e9", "_x"], 1)
        blank = rng.choice(["", "", "", " "])
        if chance(rng, 10):
            return name
        if chance(rng, 8):
            return name + blank + "~" + blank + self.one_of(PATTERNS, BAD_PATTERNS, 8)
        if chance(rng, 8):
            items = [self.literal(name) for _ in range(rng.randrange(1, 4))]
            operator = self.one_of(["=", "=", "!="], ["<", "~", ">="], 5)
            return name + operator + "[" + ("," + blank).join(items) + "]"
        return name + blank + rng.choice(OPERATORS) + blank + self.literal(name)

    def bracket(self):
        blank = self.rng.choice(["", "", " "])
        tests = [self.test() for _ in range(self.rng.choice([1, 1, 1, 1, 2]))]
        return "[" + blank + ",".join(tests) + blank + "]"

    def braces(self):
        blank = self.rng.choice(["", " ", " "])
        tests = [self.test() for _ in range(self.rng.choice([1, 1, 2]))]
        return "{" + blank + ("," + blank).join(tests) + blank + "}"

    def group(self):
        if not self.sound and chance(self.rng, 2):
            return "()"
        tests = [self.test() for _ in range(self.rng.choice([1, 1, 2, 3]))]
        return "(" + self.rng.choice([" ", ",", ", ", " , "]).join(tests) + ")"

    def pseudo(self):
        rng = self.rng
        if chance(rng, 35):
            return ":depth(" + self.one_of(DEPTHS, BAD_DEPTHS) + ")"
        good = [":pre", ":core", ":post", ":first", ":last", ":nth(1)", ":nth(2)", ":nth( 3 )"]
        bad = [":nth(0)", ":nth()", ":nth", ":nth(-1)", ":nth(+1)", ":nth(1,2)", ":first()",
               ":foo", ":", ":depth", ":depth (1)", ":Pre", ":nth(1.0)"]
        return self.one_of(good, bad)

    def hash(self):
        rng = self.rng
        text = rng.choice(self.ids + ["k1", "k1", "k2", "05", "b1", "nobody"])
        plain = text.isascii() and all(c.isalnum() or c in "_:-" for c in text)
        return "#" + (text if plain and chance(rng, 70) else self.quoted(text))

    def tag(self):
        return "+" + self.one_of(["a", "a", "b", "c", "featured", "z"], ["1", "", "'a'", "-a"])

    # --- steps ------------------------------------------------------------------------------------

    def step(self):
        """A compound step: its parts, mostly in the usual order."""
        rng = self.rng
        parts = []
        head = rng.randrange(100)
        if head < 12:
            parts.append(rng.choice(ROOTS) if chance(rng, 97) else "^foo")
        elif head < 50:
            parts.append(rng.choice(TYPES))
            if chance(rng, 10):
                parts[0] += self.group()
        elif head < 60:
            parts.append("*")
        elif head < 70:
            parts.append(self.hash())
        elif head < 75:
            return "depth(" + self.one_of(DEPTHS, BAD_DEPTHS) + ")" + self.tail(20)
        elif head < 77:
            return rng.choice(["d0", "d1", "d2", "d-1"]) + self.tail(20)
        elif head < 84:
            return rng.choice([":pre", ":core", ":post"])
        if not parts or chance(rng, 25):
            parts.append(self.bracket())
        if chance(rng, 25):
            parts.append(self.pseudo())
        if chance(rng, 7):
            parts.append(self.pseudo())
        if chance(rng, 8):
            parts.append(rng.choice([self.braces, self.tag, self.bracket])())
        if chance(rng, 6):
            rng.shuffle(parts)
        if not self.sound and chance(rng, 2):
            parts.append(rng.choice([".block", "^ah", "#k1", "*", "(a=1)", "(d1)"]))
        return "".join(parts)

    def tail(self, percent):
        return self.bracket() if chance(self.rng, percent) else ""

    def chain(self):
        rng = self.rng
        text = self.step()
        for _ in range(rng.choice([0, 0, 0, 1, 1, 1, 1, 2, 2, 3])):
            sign = rng.choice([" ", " ", " ", " > ", " > ", ">", "  ", "\n"])
            if not self.sound and chance(rng, 1):
                sign = rng.choice([" > > ", " < ", "> ", "+", ",", " , , "])
            step = self.step()
            if chance(rng, 6) and ">" not in sign:
                step = rng.choice(["? ", "?? ", "??"]) + self.braces()
            text += sign + step
        return text

    def hops(self):
        rng = self.rng
        hops = [rng.choice(DEPTH_HOPS if chance(rng, 80) else HOPS)]
        for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3])):
            hops.append(self.one_of(HOPS, BAD_HOPS))
        for index, hop in enumerate(hops):
            if chance(rng, 15):
                hops[index] = hop + rng.choice([self.bracket, self.braces])()
        if not self.sound and chance(rng, 2):
            hops.append(rng.choice(["", "end", "+1", "-1", "d1"]))
        return rng.choice([", ", ",", " , "]).join(hops)

    def scopes(self):
        """Depths, some with tests of their own, and perhaps a way on from there."""
        rng = self.rng
        depths = [rng.choice(DEPTH_HOPS) + (self.bracket() if chance(rng, 40) else "")
                  for _ in range(rng.choice([2, 2, 3, 4]))]
        rest = rng.choice(["", "", "", ", seg", ", seg" + self.bracket(), ", cont", ", *:block"])
        return ", ".join(depths) + rest

    def group_text(self):
        rng = self.rng
        head = rng.randrange(100)
        if head < 62:
            text = self.chain()
        elif head < 80:
            text = "(" + self.hops() + ")"
        elif head < 83:
            text = rng.choice(DEPTH_HOPS + HOPS)
        elif head < 86:
            text = rng.choice(["?", "? "]) + self.braces()
        elif head < 90:
            text = rng.choice(["??", "?? "]) + self.braces()
        elif head < 94:
            scopes = rng.choice([self.hops(), self.scopes(), "d1, d3", "d0,d-1", "d1"])
            text = "within(" + scopes + ")" + self.one_of([" ?? ", "??", " ??"], ["", " ? "])
            text += self.braces()
        elif head < 97:
            text = self.tag() + (" " + self.tag() if chance(rng, 40) else "")
        else:
            text = self.hash()
        for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
            text += " " + rng.choice([self.braces, self.bracket, self.tag])()
        if chance(rng, 5):
            text += rng.choice([" ", " > "]) + self.step()
        return text

    def controls(self):
        rng = self.rng
        text = ""
        if chance(rng, 25):
            text += " @order=" + rng.choice(ORDERS)
        for _ in range(rng.choice([0, 1, 1, 2])):
            text += " " + self.one_of(CONTROLS, BAD_CONTROLS, 6)
        if chance(rng, 5):
            text += " " + rng.choice([self.bracket(), self.braces(), self.tag(), ".block"])
        return text

    def time(self):
        rng = self.rng
        pool = RANGES if chance(rng, 6) else NO_TIMES if chance(rng, 3) else TIMES
        text = self.one_of(pool, BAD_TIMES, 4)
        return text + self.one_of([" ", " ", " ", "  "], ["", ","], 1)

    def selector(self, with_time=True, with_controls=True):
        rng = self.rng
        text = self.time() if with_time and chance(rng, 35) else ""
        text += self.group_text()
        for _ in range(rng.choice([0, 0, 0, 0, 0, 1, 1, 2])):
            text += rng.choice([", ", ",", " , "]) + self.group_text()
        if with_controls and chance(rng, 18):
            text += self.controls()
        if not self.sound and chance(rng, 15):
            text = self.broken(text)
        return text

    def broken(self, text):
        """One small fault, or none by luck. Patterns stay whole: RE2 and `re` differ on odd ones."""
        rng = self.rng
        if "~" in text:
            return text
        at = rng.randrange(len(text) + 1)
        fault = rng.randrange(5)
        if fault == 0:
            return text[:at] + text[at + 1:]
        if fault == 1:
            return text[:at] + rng.choice(BROKEN_INSERTS) + text[at:]
        if fault == 2:
            return text[:at]
        if fault == 3:
            return text[at:]
        other = rng.randrange(len(text) + 1)
        return text[:at] + text[other:other + 3] + text[at:]

    def request(self):
        """A whole `select` request."""
        rng = self.rng
        self.sound = chance(rng, 50)
        aimed = self.paths and chance(rng, 45)
        request = {"op": "select", "selector": self.aimed() if aimed else self.selector()}
        if chance(rng, 20):
            request["dialect"] = rng.choice(["classic", "depth", "canonical"])
        if chance(rng, 8):
            request["snapshot"] = rng.choice(["@t0", "@t-1", "working", "@c1", "@c99", "@t0 "])
        if chance(rng, 6):
            request["skip"] = rng.choice([0, 1, 2])
        if chance(rng, 6):
            request["limit"] = rng.choice([0, 1, 2, 5])
        if chance(rng, 8):
            plain = chance(rng, 95)
            request["where"] = self.selector(with_time=not plain, with_controls=not plain)
        return request

    # --- edits ------------------------------------------------------------------------------------

    def edit(self):
        """add or move to a mark, or remove by selector."""
        rng = self.rng
        self.sound = chance(rng, 80)
        choice = rng.randrange(10)
        if choice < 2:
            return {"op": "remove", "selector": self.removal()}
        if choice < 6:
            request = {"op": "add", "node": self.new_node(), "at": self.place()}
            if chance(rng, 3):
                request["parent"] = "^ah"
            return request
        loose = [path[-1]["attrs"]["id"] for time, path in self.paths
                 if not time and len(path) > 2 and path[1]["class"] != "seq"]
        moved = rng.choice(loose or self.ids) if chance(rng, 70) else rng.choice(self.ids)
        request = {"op": "move", "id": moved, "at": self.place()}
        if chance(rng, 25):
            request["offset"] = rng.choice([-1, 0, 1, 2])
        return request

    def removal(self):
        rng = self.rng
        if chance(rng, 50):
            return "^ah " + self.step() + rng.choice(["", "", " @limit=1", " @first"])
        return self.selector(with_time=chance(rng, 10))

    def new_node(self):
        rng = self.rng
        if chance(rng, 25):
            literals = ["block", "block:text { key='hero' } [ ttl=3 ]", "cont [offset=1]",
                        "cb{role=user,tags=[a,'b c']}", "custom:note { data_n=1.5 }"]
            bad = ["block {", "seg", "block { key }", "block { ttl=-1 }", "{a=1}", "weird",
                   "block { key='a', key='b' }", "block [ cycle=1 ]", "block x"]
            return self.one_of(literals, bad, 25)
        node = {}
        if chance(rng, 40):
            node["offset"] = rng.choice([-1, 0, 1, 1, 2])
        if chance(rng, 25):
            node["nodeType"] = "cont"
        return node

    def place(self):
        """A position with a mark, mostly one that exists."""
        rng = self.rng
        hops = [rng.choice(["d0", "d0", "d0", "d-1", "d1", "d2", "depth(0)"])]
        if chance(rng, 20):
            hops.append("seg")
        if chance(rng, 55):
            hops.append(rng.choice(["cont", "cont[offset=0]", "cont[offset=0]", "1:cont", "mc", "*",
                                    "cont[key=k1]", "0", "1", "-1", "block"]))
        if chance(rng, 15):
            hops.append(rng.choice(["cont", "*", "d1", "?{role=user}"]))
        holders = [path for time, path in self.paths
                   if not time and len(path) > 1 and path[-1]["class"] not in ("block", "seq")]
        if chance(rng, 55) and holders:
            hops = ["*[id=%s]" % self.quoted(node["attrs"]["id"])
                    for node in rng.choice(holders)[1:]]
        mark = rng.choice(["", " ", "end", "end", "+1", "+2", "-1", "-1", "-2", "+3", "+0"])
        text = "(" + ", ".join(hops) + "," + rng.choice(["", " "]) + mark + ")"
        if not self.sound and chance(rng, 50):
            return rng.choice([self.broken(text), "@t0 " + text, text + " .block", text[:-1],
                               "(" + ", ".join(hops) + ")", "(" + mark + ")"])
        return text
