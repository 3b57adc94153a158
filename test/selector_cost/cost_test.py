#!/usr/bin/env python3
"""Parsing, printing and running a selector costs at most linearly more the longer it is.

    cost_test.py TOOL [--only NAME] [--table]

Each construct of the grammar is written n, n/2, n/4 times and once, n being the limit or what goes
into a selector's bytes. Counted are instructions (callgrind), so the figures do not depend on the
machine's load. Twice as many may cost twice as much, what it costs once taken off; 2.3 allows for
sorting.
"""

import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

import callgrind  # noqa: E402

GROWTH_MAX = 2.3
NOISE = 4000    # instructions that malloc now takes and now does not
# Of a row of optional parts RE2 makes a program that grows faster; the 4 KiB of a selector bound it.
RE2_GROWTH_MAX = {"regex of options": 4.2}


def repeat(pattern, before="", after="", between=""):
    return lambda n: before + between.join([pattern] * n) + after


def numbered(pattern, before, after, between=",", down=False):
    """Numbers far apart, so that no two melt into one."""
    def make(n):
        numbers = range(1001, 1001 + 2 * n, 2)
        return before + between.join(pattern % i for i in
                                     (reversed(numbers) if down else numbers)) + after
    return make


# name: (n, text of n). Tests hold for all nodes, so that none ends the evaluation early.
CONSTRUCTS = {
    "descendant steps": (64, repeat("*", between=" ")),
    "child steps": (64, repeat(".cont", between=" > ")),
    "groups": (8, repeat(".block, .cont", between=", ")),
    "groups of one": (16, repeat("*", between=",")),
    "filters": (64, repeat("[offset>-9]", ".block")),
    "filters in brackets": (64, repeat("offset>-9", "*[", "]", ",")),
    "filters in braces": (64, repeat("offset>-9", "*{", "}", " , ")),
    "filters in parentheses": (64, repeat("offset>-9", ".block(", ")", " ")),
    "filters of numbers": (64, repeat("[priority<5.5]", "*")),
    "filters of attributes": (64, repeat("[data_n=5]", ".block")),
    "filters of keys": (64, repeat("[key=k]")),
    "filters behind blanks": (64, repeat("{offset>-9}", "* ", "", " ")),
    "facets": (64, repeat("[sdepth<9]", "*")),
    "behaviors": (64, repeat("[ephemeral]")),
    "tags": (1024, repeat("+a")),
    "tags behind blanks": (1024, repeat("+a", between=" ")),
    "membership": (1024, repeat("x", "[role=[", "]]", ",")),
    "membership negated": (1024, repeat("x", "[role!=[", "]]", ",")),
    "membership of numbers": (1024, repeat("7", "[priority=[", "]]", ",")),
    "membership quoted": (512, repeat("'x y'", "[kind!=[", "]]", ", ")),
    "depths": (1024, repeat("1", "*:depth(", ")", ",")),
    "depths apart": (512, numbered("%d", "*:depth(", ")")),
    "depths apart, backwards": (512, numbered("%d", "*:depth(", ")", down=True)),
    "depth ranges": (256, numbered("%d..9000", "*:depth(", ")")),
    "depth comparisons": (512, numbered("<%d", "*:depth(", ")")),
    "depth sets": (512, numbered("{%d}", "*:depth(", ")")),
    "depth set": (512, numbered("%d", ".seg:depth({", "})", down=True)),
    "depth tests": (256, repeat(":depth(>-2)", "*")),
    "picks": (512, repeat(":first", ".seg *")),
    "picks of a key": (512, repeat(":first", "[key=k]")),
    "nth": (512, repeat(":nth(1)", ".block")),
    "slots": (512, repeat(":core", ".block")),
    "steps of slots": (16, repeat(":core *", "^seq ", "", " ")),
    "hops": (1024, repeat("*", "(d1,", ")", ",")),
    "hops of a type": (256, repeat("*:cont", "(d1, ", ")", ", ")),
    "hops with tests": (64, repeat("cont[offset>-9]", "(d1, ", ")", ", ")),
    "hops that ask": (64, repeat("?{offset>-9}", "(d1, ", ")", ", ")),
    "hop turns": (512, repeat("seg", "(d1, ", ")", ",")),
    "within depths": (1024, repeat("d1", "within(", ") ?? {offset>-9}", ",")),
    "within depths apart": (512, numbered("d%d", "within(", ") ?? {offset>-9}")),
    "within depths backwards": (512, numbered("d%d", "within(", ") ?? {offset>-9}", down=True)),
    "within depths with tests": (32, repeat("d1[offset>9]", "within(", ") ?? {offset>-9}", ",")),
    "within hops": (1024, repeat("*", "within(d1,", ") ?? {offset>-9}", ",")),
    "ask": (32, repeat("? {offset>-9} *", between=" ")),
    "search": (64, repeat("?? {offset>-9}", between=" ")),
    "quoted key": (2048, repeat("x", "#'", "'")),
    "quoted value": (2048, repeat("x", "[kind!='", "']")),
    "quoted value, escapes": (1024, repeat("\\'", "[kind!='", "']")),
    "quoted value, UTF-8": (1024, repeat("\u00e9", "[kind!=\"", "\"]")),
    "key token": (1024, repeat(".1", "#a")),
    "attribute name": (2048, repeat("a", "[", "!=1]")),
    "word": (2048, repeat("a", "[kind!=", "]")),
    "type": (1024, repeat(":a", ".x")),
    "kind": (1024, repeat(":a", ".block")),
    "number": (2048, repeat("1", "[priority<", "]")),
    "number of an attribute": (2048, repeat("1", "[data_n<", "]")),
    "number behind the point": (2048, repeat("1", "[priority<1.", "]")),
    "leading zeros": (2048, repeat("0", "[priority<", "9]")),
    "depth's digits": (2048, repeat("0", "d", "1")),
    "time's digits": (2048, repeat("0", "@t-", "1 *")),
    "range's digits": (2048, repeat("0", "@t-1..-", "2 *")),
    "regex": (2048, repeat("x", "[id~'", "']")),
    "regex of classes": (512, repeat("[a-z]", "[id~'", "']")),
    "regex of options": (1024, repeat("x?", "[id~'", "']")),
    "regex of alternatives": (1024, repeat("x", "[id~'", "']", "|")),
    "regex of groups": (512, repeat("(x)", "[id~'", "']")),
    "regex nested": (512, lambda n: "[id~'" + "(" * n + "x" + ")" * n + "']"),
    "regexes": (64, repeat("[id~'.']", "*")),
    "blanks before": (2048, repeat(" ", "", "*")),
    "blanks behind": (2048, repeat(" ", "*", "")),
    "blanks between steps": (2048, repeat(" ", "*", "*")),
    "blanks of a child": (1024, lambda n: "*" + " " * n + ">" + " " * n + "*"),
    "blanks in filters": (512, lambda n: "*[" + " " * n + "offset" + " " * n + ">" + " " * n +
                          "-9" + " " * n + "]"),
    "blanks in hops": (1024, lambda n: "(" + " " * n + "d1" + " " * n + ",*)"),
    "blanks in depths": (1024, lambda n: "*:depth(" + " " * n + "1" + " " * n + ")"),
    "blanks before filters": (1024, repeat(" ", "(d1, cont", "[offset>-9])")),
    "blanks before controls": (2048, repeat(" ", "*", "@limit=1")),
    "tabs and lines": (1024, repeat("\t\r", "*", "*")),
    "filters behind a control": (64, repeat("{offset>-9}", "* @unique ", "", " ")),
    "control's digits": (2048, repeat("0", "* @limit=", "9")),
}


def texts(constructs):
    found = []
    for name, (limit, make) in constructs.items():
        sizes = [1, limit // 4, limit // 2, limit]
        found += [("%s %d" % (name, size), make(size)) for size in sizes]
    return found


def count(tool, lines):
    """{"name size part": instructions}, and the tool's own lines."""
    warm = [("warm 1", "* [id~'x']:first")] * 2
    costs, done = callgrind.run(tool, ["%s\t%s" % line for line in warm + lines])
    if done.returncode != 0:
        sys.exit("cost_test: %s\n%s" % (done.returncode, done.stderr.decode()[-2000:]))
    return costs, done.stdout.decode().splitlines()


def growth(costs, name, limit, part):
    """The worst ratio of doubling, and the costs. Linear is 2."""
    sizes = (1, limit // 4, limit // 2, limit)
    row = [costs["%s %d %s" % (name, size, part)] for size in sizes]
    ratios = [2 * (right - row[0] - NOISE) / (left - row[0]) * (n - 1) / (2 * n - 1)
              for n, left, right in zip(sizes[1:], row[1:], row[2:]) if left > row[0]]
    return max(ratios, default=0), row


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("--only", help="one construct")
    parser.add_argument("--table", action="store_true", help="all figures")
    given = parser.parse_args()
    constructs = {name: row for name, row in CONSTRUCTS.items() if given.only in (None, name)}
    if not constructs:
        sys.exit("cost_test: no construct is named %r" % given.only)
    costs, answers = count(given.tool, texts(constructs))
    faults = [line for line in answers if ": E_" in line]
    for name, (limit, _) in constructs.items():
        for part in ("parse", "print", "run"):
            if "%s %d %s" % (name, limit, part) not in costs:
                faults.append("%s %s: not counted" % (name, part))
                continue
            ratio, row = growth(costs, name, limit, part)
            line = "%-26s %-5s n=%-4d %5.2f  %s" % (name, part, limit, ratio, row)
            if given.table:
                print(line)
            if ratio > RE2_GROWTH_MAX.get(name, GROWTH_MAX):
                faults.append("grows too fast: " + line)
    print("%d constructs, %d faults" % (len(constructs), len(faults)))
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
