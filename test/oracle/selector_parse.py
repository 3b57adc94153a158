"""Selector text to plain nested data: a recursive-descent parser for the union of the grammars.

    parse(text)          {"time", "groups", "controls", "facets"}
    parse_place(text)    {"hops", "mark", "facets"}: a position with an insertion mark
    parse_literal(text)  the fields of a node written as `block:text { key='hero' } [ ttl=3 ]`

A group is a list of steps. A step:

    link      None for the first, "below" (blank) or "child" (>)
    form      "compound", "position", "children" (?), "below" (??), "within"
    root      sys seq ah root; None
    depth     a depth expression where the step is a bare dN or depth(..); None
    type      the type token; None
    star      True if it has a *
    hops      of a position or within
    open      True once it has a tag or braces, so that ` [..]` filters it (S1)
    loose     True for a first step that begins with a tag: a search below the root
    filters   everything else, in written order

A filter is a tuple: ("attr", name, op, value), ("present", name), ("ephemeral",), ("sticky",),
("hash", text), ("tag", text), ("slot", "pre" core post), ("depth", expression),
("pick", "first" last nth, n).

A value is ("number", text), ("text", text), ("bool", text), ("null",) or ("list", [values]).
A depth expression is a list of ("range", low, high) and (operator, n).
A hop has depth, type, kind, offset, any and filters; its filters are of the same form.
Whether a dialect makes a difference is not asked here: the grammar is the same in all of them.
"""

import re

from fault import Fault, over_limit
from selector_chars import BLANKS, DIGITS, INTEGER, NAME, WORD
from selector_filters import Filters

PSEUDOS = ("pre", "core", "post", "depth", "first", "last", "nth")
SLOTS = ("pre", "core", "post")
ROOTS = ("sys", "seq", "ah", "root")
HOP_TYPES = ("mt", "seg", "turn", "mc", "cont", "cb", "block")
ORDERS = ("pre", "post", "bfs", "path", "turn:asc,pre", "turn:desc,pre")
MODES = ("union", "latest", "reduce")

STEPS_MAX = 64
GROUPS_MAX = 16

SEGMENT = re.compile(r"[A-Za-z0-9_-]+")
KEY_TOKEN = re.compile(r"[A-Za-z0-9_:-](?:[A-Za-z0-9_:-]|\.(?=[0-9]))*")
DEPTH_HOP = re.compile(r"d([+-]?[0-9]+)(?![A-Za-z0-9_])")


def parse(text):
    return Parser(text).selector()


def parse_place(text):
    return Parser(text).place()


def parse_literal(text):
    return Parser(text).literal()


def new_step(link, form="compound"):
    return {"link": link, "form": form, "root": None, "depth": None, "type": None, "star": False,
            "hops": [], "loose": False, "open": False, "filters": []}


class Parser(Filters):
    def __init__(self, text):
        super().__init__(text)
        self.steps = 0

    # --- the whole --------------------------------------------------------------------------------

    def selector(self):
        self.blanks()
        time = self.time() if self.peek() == "@" else None
        self.blanks()
        controls = {}
        groups = [self.chain(controls)]
        while self.peek() == ",":
            if controls:
                self.fail("a control ends the selector")
            self.at += 1
            self.blanks()
            groups.append(self.chain(controls))
            if len(groups) > GROUPS_MAX:
                raise over_limit("number of groups", GROUPS_MAX)
        if not self.ended():
            self.fail("unexpected")
        self.check_controls(controls, time)
        check_range(time)
        return {"time": time, "groups": groups, "controls": controls, "facets": self.facets}

    def check_controls(self, controls, time):
        if "first" in controls and ("limit" in controls or "p" in controls):
            self.fail("@first with @limit or @p")
        if "mode" in controls and (time is None or time[0] != "range"):
            self.fail("@mode without a range")

    # --- time -------------------------------------------------------------------------------------

    def time(self):
        """("t", n), ("c", n), ("oldest",), ("all",) or ("range", one, other)."""
        if self.take("@history"):
            self.time_ends()
            return ("range", ("t", 0), ("oldest",))
        first = self.atom()
        if not self.range_sign():
            self.time_ends()
            return first
        self.blanks()
        second = self.atom() if self.peek() == "@" else self.short_atom(first)
        self.time_ends()
        return ("range", first, second)

    def atom(self):
        if self.take("@*"):
            return ("all",)
        if self.take("@t-*"):
            return ("oldest",)
        if self.take("@t"):
            return ("t", int(self.need(INTEGER, "a number")))
        if self.take("@c"):
            return ("c", int(self.need(DIGITS, "a number")))
        return self.fail("no such time")

    def short_atom(self, first):
        """CF-7: the second end may drop its @t or @c."""
        if first[0] == "c":
            return ("c", int(self.need(DIGITS, "a number")))
        if self.take("-*"):
            return ("oldest",)
        return ("t", int(self.need(INTEGER, "a number")))

    def range_sign(self):
        """.. or : with blanks round it; : is one only before @, - or a digit (CF-7)."""
        start = self.at
        self.blanks()
        if self.take(".."):
            return True
        if self.take(":"):
            self.blanks()
            if self.peek() and self.peek() in "@-0123456789":
                return True
        self.at = start
        return False

    def time_ends(self):
        """S19."""
        if not self.ended() and self.peek() not in BLANKS + "(":
            self.fail("a time is followed by a blank")

    # --- chains -----------------------------------------------------------------------------------

    def chain(self, controls):
        steps = [self.step(None)]
        after_control = False
        while True:
            apart = self.blanks()
            char = self.peek()
            if self.ended() or char == ",":
                return steps
            if char == "@":
                if not apart:
                    self.fail("a control needs a blank before it")
                self.control(controls)
                after_control = True
            elif apart and (char in "{+" or (char == "[" and is_open(steps[-1]))):  # S1
                steps[-1]["open"] = True
                self.parts(steps[-1])
            elif after_control:
                self.fail("only filters and controls may follow a control")
            elif char == ">":
                self.at += 1
                self.blanks()
                steps.append(self.step("child", steps[-1]))
            elif apart:
                steps.append(self.step("below", steps[-1]))
            else:
                self.fail("unexpected")

    def control(self, controls):
        start = self.at
        self.at += 1
        name = self.need(NAME, "the name of a control")
        if name in controls:
            self.fail("a control twice", start)
        if name in ("first", "unique"):
            controls[name] = True
        elif name in ("p", "limit"):
            self.expect("=")
            controls[name] = int(self.need(DIGITS, "a number"))
            if name == "p" and controls[name] == 0:
                self.fail("pages count from 1", start)
        elif name in ("order", "mode"):
            self.expect("=")
            controls[name] = self.longest(ORDERS if name == "order" else MODES)
        else:
            self.fail("no such control", start)
        if not self.ended() and self.peek() not in BLANKS:
            self.fail("a control is followed by a blank")

    def longest(self, choices):
        for choice in sorted(choices, key=len, reverse=True):
            if self.take(choice):
                return choice
        return self.fail("expected one of " + " ".join(choices))

    # --- steps ------------------------------------------------------------------------------------

    def step(self, link, before=None):
        self.steps += 1
        if self.steps > STEPS_MAX:
            raise over_limit("number of steps", STEPS_MAX)
        char = self.peek()
        if char == "?" or self.sees("within("):
            step = self.search(link, before)
        elif char == "(":
            if link is not None:
                self.fail("a position stands at the start")  # S2
            step = new_step(link, "position")
            step["hops"], _ = self.hops(marked=False)
        elif DEPTH_HOP.match(self.text, self.at) or self.sees("depth("):
            step = new_step(link)
            step["depth"] = self.bare_depth()
        elif link is None and self.starts_hop():
            step = new_step(link, "position")
            step["hops"] = [self.hop()]
        else:
            step = new_step(link)
            step["loose"] = link is None and char == "+"
            self.parts(step, some=True)
            return step
        self.parts(step)
        return step

    def starts_hop(self):
        """A single hop without parentheses; `*` alone and `*:first` belong to chains."""
        char = self.peek()
        if char == "*":
            star = self.at
            self.at += 1
            typed = self.take(":") and self.match(NAME) in HOP_TYPES
            self.at = star
            return typed
        return char.isascii() and (char.isalnum() or char == "-")

    def bare_depth(self):
        hop = self.match(DEPTH_HOP)
        if hop:
            number = int(hop[1:])
            return [("range", number, number)]
        self.expect("depth(")
        return self.depth_expression()

    def search(self, link, before):
        start = self.at
        if link == "child":
            self.fail("a search brings its own way down")
        if self.take("within("):
            if link is not None:
                self.fail("within stands at the start", start)
            step = new_step(link, "within")
            self.at -= 1
            step["hops"], _ = self.hops(marked=False, scopes=True)
            self.blanks()
            if not self.sees("??"):
                self.fail("expected ??")
            self.at += 2
        elif self.take("??"):
            step = new_step(link, "below")
        else:
            self.at += 1
            if before is not None and before["form"] == "children":
                self.fail("? after ?", start)  # CF-109
            step = new_step(link, "children")
        self.blanks()
        if self.peek() != "{":
            self.fail("expected {")
        self.filters_in("{", "}", step["filters"])
        return step

    def parts(self, step, some=False):
        """Parts glued to each other, in any order; with `some` there must be one."""
        start = self.at
        after_type = False
        while not self.ended():
            char = self.peek()
            was_type, after_type = after_type, False
            if char == "^":
                self.root(step)
            elif char == ".":
                self.type_token(step)
                after_type = True
            elif char == "*":
                if step["form"] != "compound" or step["star"]:
                    self.fail("* does not belong here")
                step["star"] = True
                self.at += 1
            elif char == "#":
                self.hash(step)
            elif char == "[":
                self.filters_in("[", "]", step["filters"])
            elif char == "{":
                self.filters_in("{", "}", step["filters"])
                step["open"] = True
            elif char == "(" and was_type:
                self.filters_in("(", ")", step["filters"])
            elif char == ":":
                step["filters"].append(self.pseudo())
            elif char == "+":
                self.at += 1
                step["filters"].append(("tag", self.need(WORD, "a tag")))
                step["open"] = True
            else:
                break
        if some and self.at == start:
            self.fail("expected a step")

    def root(self, step):
        start = self.at
        self.at += 1
        name = self.match(NAME)
        if name not in ROOTS:
            self.fail("no such root", start)
        if step["form"] != "compound" or step["root"] or step["depth"]:
            self.fail("a second root", start)
        step["root"] = name

    def type_token(self, step):
        start = self.at
        self.at += 1
        name = self.type_name()
        if step["form"] != "compound" or step["type"]:
            self.fail("a second type", start)
        step["type"] = name

    def type_name(self):
        """S2: a colon goes on with the name unless a reserved pseudo follows it."""
        name = self.need(NAME, "a type")
        while self.peek() == ":":
            segment = SEGMENT.match(self.text, self.at + 1)
            if not segment or segment.group() in PSEUDOS:
                break
            name += ":" + segment.group()
            self.at = segment.end()
        return name

    def hash(self, step):
        start = self.at
        self.at += 1
        if self.peek() and self.peek() in "'\"":
            text = self.quoted()
        else:
            text = self.need(KEY_TOKEN, "a key")
        if step["form"] != "compound" or any(part[0] == "hash" for part in step["filters"]):
            self.fail("a second #", start)
        step["filters"].append(("hash", text))

    def pseudo(self):
        start = self.at
        self.at += 1
        name = self.match(NAME)
        if name in SLOTS:
            return ("slot", name)
        if name in ("first", "last"):
            return ("pick", name, 1)
        if name == "nth":
            self.expect("(")
            self.blanks()
            number = int(self.need(DIGITS, "a positive number"))
            self.blanks()
            self.expect(")")
            if number == 0:
                self.fail("nth counts from 1", start)
            return ("pick", "nth", number)
        if name == "depth":
            self.expect("(")
            return ("depth", self.depth_expression())
        return self.fail("no such pseudo", start)

    # --- positions --------------------------------------------------------------------------------

    def hops(self, marked, scopes=False):
        """From the opening parenthesis through the closing one: (hops, mark or None)."""
        self.expect("(")
        hops = []
        while True:
            self.blanks()
            mark = self.mark() if marked and hops else None
            if mark:
                return hops, mark
            start = self.at
            hop = self.hop()
            only_depths = all(one["depth"] is not None for one in hops)
            if hop["depth"] is not None and hops and not (scopes and only_depths):
                self.fail("a depth comes first", start)  # CF-100
            hops.append(hop)
            self.blanks()
            if self.take(")"):
                return hops, None
            self.expect(",")

    def mark(self):
        """An insertion mark and the closing parenthesis, or nothing taken."""
        start = self.at
        found = None
        if self.take(")"):
            return ("start", 0)
        if self.match(re.compile(r"end(?![A-Za-z0-9_:-])")):
            found = ("end", 0)
        elif self.peek() in ("+", "-"):
            sign = self.peek()
            number = self.match(re.compile(r"[+-][0-9]+"))
            if number:
                found = ("after" if sign == "+" else "before", int(number[1:]))
        if found:
            self.blanks()
            if self.take(")"):
                return found
        self.at = start
        return None

    def hop(self):
        hop = {"depth": None, "type": None, "kind": None, "offset": None, "any": False,
               "turn": False, "filters": []}
        start = self.at
        if self.sees("??"):
            self.fail("?? is no hop")  # S9
        if self.take("?"):
            hop["any"] = True
            self.blanks()
            if self.peek() != "{":
                self.fail("expected {")
        elif DEPTH_HOP.match(self.text, self.at) or self.sees("depth("):
            hop["depth"] = self.bare_depth()
        elif self.take("*"):
            hop["any"] = True
            if self.take(":"):
                self.hop_type(hop)
        elif self.peek() == "-" or self.peek().isdigit() and self.peek().isascii():
            hop["offset"] = int(self.need(re.compile(r"-?[0-9]+(?![A-Za-z0-9_])"), "a number"))
            if self.take(":"):
                self.hop_type(hop)
        else:
            name = self.match(WORD)
            if name not in HOP_TYPES:
                self.fail("no such hop", start)
            hop["type"] = name
            hop["turn"] = name in ("mt", "seg", "turn")
            self.hop_kind(hop)
        self.hop_filters(hop)
        return hop

    def hop_type(self, hop):
        hop["type"] = self.type_name()
        self.hop_kind(hop)

    def hop_kind(self, hop):
        if self.take("."):
            hop["kind"] = self.need(WORD, "a kind")

    def hop_filters(self, hop):
        while True:
            here = self.at
            self.blanks()
            if self.peek() == "[":
                self.filters_in("[", "]", hop["filters"])
            elif self.peek() == "{":
                self.filters_in("{", "}", hop["filters"])
            else:
                self.at = here
                return

    def place(self):
        """`at` of add and move: a position that ends in a mark, and nothing else."""
        self.blanks()
        if self.peek() == "@":
            raise Fault("E_REQUEST_INVALID", "an edit addresses the working state")
        hops, mark = self.hops(marked=True)
        if mark is None:
            self.fail("no insertion mark", self.at - 1)
        self.blanks()
        if not self.ended():
            self.fail("text after the mark")
        return {"hops": hops, "mark": mark, "facets": self.facets}

    # --- node literals ----------------------------------------------------------------------------

    def literal(self):
        """`type[:kind] {name=value, ..} [name=value, ..]` as fields for `add`."""
        self.blanks()
        fields = {"nodeType": self.need(WORD, "a type")}
        while True:
            self.blanks()
            if self.ended():
                return fields
            start = self.at
            tests = []
            if self.peek() == "[":
                self.filters_in("[", "]", tests)
            elif self.peek() == "{":
                self.filters_in("{", "}", tests)
            else:
                self.fail("unexpected")
            for test in tests:
                if test[0] != "attr" or test[2] != "=" or test[1] in fields:
                    self.fail("a literal gives each field once, with =", start)
                fields[test[1]] = plain(test[3])


def plain(value):
    """A value of the grammar as a JSON value."""
    if value[0] == "list":
        return [plain(item) for item in value[1]]
    if value[0] == "number":
        return float(value[1]) if "." in value[1] else int(value[1])
    if value[0] == "bool":
        return value[1] == "true"
    return None if value[0] == "null" else value[1]


def is_open(step):
    """S1: whether ` [..]` after a blank still filters this step."""
    lone = (not step["root"] and not step["depth"] and not step["type"] and not step["star"]
            and [part[0] for part in step["filters"]] == ["hash"])
    return step["form"] != "compound" or step["open"] or lone


def check_range(time):
    """CF-118: the wildcard is looked for first."""
    if time is None or time[0] != "range":
        return
    if ("all",) in time[1:]:
        raise Fault("E_SNAPSHOT_RANGE_WILDCARD", "@* in a range")
    kinds = {"t" if end[0] == "oldest" else end[0] for end in time[1:]}
    if len(kinds) > 1:
        raise Fault("E_SNAPSHOT_RANGE_KIND_MISMATCH", "@t and @c in a range")
