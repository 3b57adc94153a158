"""The middle layer of the selector parser: tests in brackets, braces and groups; depths; patterns."""

import re

from fault import over_limit
from selector_chars import INTEGER, NUMBER, WORD, Chars

FACETS = ("born_turn", "age", "depth", "sdepth")
OPERATORS = ("!=", "<=", ">=", "=", "<", ">", "~")
ATTRIBUTES_MAX = 64
DEPTHS_MAX = 1024


class Filters(Chars):
    def __init__(self, text):
        super().__init__(text)
        self.facets = False      # a derived facet is named somewhere
        self.attributes = 0

    def filters_in(self, opening, closing, filters):
        """[a, b], {a, b} and (a b, c): one or more tests. Only a group may separate by blanks."""
        self.expect(opening)
        self.blanks()
        while True:
            filters.append(self.test())
            self.attributes += 1
            if self.attributes > ATTRIBUTES_MAX:
                raise over_limit("number of attributes", ATTRIBUTES_MAX)
            apart = self.blanks()
            if self.take(closing):
                return
            if self.take(","):
                self.blanks()
            elif not (opening == "(" and apart):
                self.fail("expected %s or a comma" % closing)

    def test(self):
        name = self.need(WORD, "the name of an attribute")
        if name in FACETS:
            self.facets = True
        here = self.at
        self.blanks()
        for operator in OPERATORS:
            if self.take(operator):
                break
        else:
            self.at = here
            return (name,) if name in ("ephemeral", "sticky") else ("present", name)
        self.blanks()
        start = self.at
        if self.peek() == "[":
            if operator not in ("=", "!="):
                self.fail("a list goes with = and != only")
            return ("attr", name, operator, ("list", self.array()))
        value = self.value()
        if operator == "~":
            self.check_pattern(value, start)
        return ("attr", name, operator, value)

    def array(self):
        self.expect("[")
        values = []
        while True:
            self.blanks()
            values.append(self.value())
            self.blanks()
            if self.take("]"):
                return values
            self.expect(",")

    def value(self):
        char = self.peek()
        if char and char in "'\"":
            return ("text", self.quoted())
        word = self.match(WORD)
        if word in ("null", "None"):
            return ("null",)
        if word in ("true", "false"):
            return ("bool", word)
        if word is not None:
            return ("text", word)
        return ("number", self.need(NUMBER, "a value"))

    def check_pattern(self, value, start):
        """S11, S23. Python's `re` stands in for RE2: what only one of them knows is refused."""
        if value[0] in ("number", "null"):
            self.fail("~ takes a pattern", start)
        if compiled(value[1]) is None:
            self.fail("not a pattern", start)

    # --- depth expressions ------------------------------------------------------------------------

    def depth_expression(self):
        """After the opening parenthesis, through the closing one."""
        ranges = []
        while True:
            self.blanks()
            if self.take("{"):
                self.depth_set(ranges)
            else:
                ranges.append(self.depth_item(comparisons=True))
            if len(ranges) > DEPTHS_MAX:
                raise over_limit("number of depths", DEPTHS_MAX)
            self.blanks()
            if self.take(")"):
                return ranges
            self.expect(",")

    def depth_set(self, ranges):
        while True:
            self.blanks()
            ranges.append(self.depth_item(comparisons=False))
            self.blanks()
            if self.take("}"):
                return
            self.expect(",")

    def depth_item(self, comparisons):
        for operator in ("<=", ">=", "<", ">"):
            if comparisons and self.take(operator):
                self.blanks()
                return (operator, int(self.need(INTEGER, "a number")))
        start = self.at
        low = high = int(self.need(INTEGER, "a depth"))
        here = self.at
        self.blanks()
        if self.take("..") or self.take("-"):
            self.blanks()
            high = int(self.need(INTEGER, "a number"))
        else:
            self.at = here
        if low > high:
            self.fail("a reversed range", start)
        return ("range", low, high)


# --- patterns -------------------------------------------------------------------------------------

# What RE2 and `re` do not share: lookaround, backreferences, possessive and atomic forms, named
# escapes. RE2 refuses these, so they are refused here.
NOT_RE2 = re.compile(r"\(\?(?![:imsP)])|\(\?P[=>]|\\[1-9kgGZ]|[*+?}]\+")


def compiled(pattern):
    """The pattern for `re`, or None if it is none. `$` is the end of the text, as in RE2."""
    if NOT_RE2.search(pattern):
        return None
    translated = re.sub(r"(?<!\\)\$", r"\\Z", pattern.replace("(?)", "(?:)"))
    try:
        return re.compile(translated, re.ASCII)
    except (re.error, OverflowError, RecursionError):
        return None
