"""Laws that hold for every tree and selector, whatever the evaluator; for --self-check.

Each law rewrites a selector that parses into another spelling of the same question, or into one
whose answer stands in a known relation to it.
"""

import random
import re

DIALECTS = ("classic", "depth", "canonical")
ALIASES = {"block": "cb", "cb": "block", "cont": "mc", "mc": "cont", "seg": "turn", "mt": "seg",
           "turn": "mt"}
FAULTS = ("E_SELECTOR_INVALID", "E_SNAPSHOT_RANGE_WILDCARD", "E_SNAPSHOT_RANGE_KIND_MISMATCH",
          "E_SNAPSHOT_NOT_FOUND", "E_FACET_NEEDS_SNAPSHOT", "E_REQUEST_INVALID")


class Broken(Exception):
    pass


def check(session, texts, seed):
    rng = random.Random("laws %d" % seed)
    for text in texts:
        dialect = rng.choice(DIALECTS)
        answer = ask(session, text, dialect)
        if not answer["ok"]:
            claim(answer["error"]["code"] in FAULTS, "a code of select", text, answer)
        spellings(session, text, dialect, answer)
        if answer["ok"] and isinstance(answer["result"], dict):
            blocks(text, answer["result"])
        elif answer["ok"]:
            claim(len(set(answer["result"])) == len(answer["result"]), "ids once", text, answer)
            windows(session, text, dialect, answer["result"])
            if not re.search(r"@|\bwithin", text):
                sets(session, text, dialect, answer["result"])
    filters(session, rng)


def ask(session, text, dialect, **more):
    return session.select(dict({"op": "select", "selector": text, "dialect": dialect}, **more))


def claim(holds, law, *facts):
    if not holds:
        raise Broken(law + ": " + " | ".join(str(fact)[:700] for fact in facts))


def same(session, law, dialect, one, other, known=None):
    left = known or ask(session, one, dialect)
    right = ask(session, other, dialect)
    left, right = outcome(left), outcome(right)
    claim(left == right, law, dialect, one, left, other, right)


def outcome(answer):
    """Ids, a code, or a range without its query, which is as it was spelled."""
    result = answer.get("result", answer.get("error", {}).get("code"))
    return dict(result, query=None) if isinstance(result, dict) else result


def blocks(text, result):
    """Laws of a range: neighbours, newest first, each id once in a block."""
    cycles = [ref["cycle"] for ref in result["snapshots"]]
    claim(cycles == sorted(cycles, reverse=True), "newest first", text, result)
    for block in result["diffs"]:
        ids = block["added_ids"] + block["removed_ids"] + [one["id"] for one in block["changed"]]
        claim(len(set(ids)) == len(ids), "ids once", text, block)
        claim(all(one["fields"] for one in block["changed"]), "a change names fields", text, block)
        claim(block["from"] in result["snapshots"] and block["to"] in result["snapshots"]
              and block["from"]["cycle"] > block["to"]["cycle"], "from is newer", text, block)


def spellings(session, text, dialect, answer):
    """Other spellings of the whole selector."""
    alias = re.sub(r"(?<=[.:])(block|cb|cont|mc|seg|mt|turn)(?![A-Za-z0-9_])",
                   lambda found: ALIASES[found.group()], text)
    same(session, "aliases of types", dialect, text, alias, answer)
    dots = re.sub(r"(\(|[,{] ?)(-?[0-9]+)-(-?[0-9]+)(?=[,)}])", r"\1\2..\3", text)
    if "'" not in text and '"' not in text:
        same(session, "a-b is a..b", dialect, text, dots, answer)
    wide = re.sub(r"(?<=[^\s>]) > (?=[^\s>?{+\[@])", "\n>\t", text)
    same(session, "white space round >", dialect, text, wide, answer)
    if dialect != "classic":
        depth = re.sub(r"(^|(?<= ))\^ah(?= |$)", "depth(0)", text)
        depth = re.sub(r"(^|(?<= ))\^sys(?= |$)", "depth(-1)", depth)
        same(session, "region names are depths", dialect, text, depth, answer)
        hops = re.sub(r"(^|(?<= ))depth\((-?[0-9]+)\)", r"d\2", text)
        same(session, "depth(n) is dN", dialect, text, hops, answer)
    group = re.sub(r"(\.[a-z]+)\(([a-z_]+[=<>]+[a-z0-9']+)\)", r"\1[\2]", text)
    same(session, "a group is a bracket", dialect, text, group, answer)
    if not text.strip().startswith("@") and answer["ok"] and session.context.snapshots:
        before = ask(session, "@t0 " + text, dialect)
        beside = ask(session, text, dialect, snapshot="@t0")
        claim(before == beside, "@t0 and snapshot", dialect, text, before, beside)
    same(session, "white space at the ends", dialect, text, " \t" + text + "\r\n", answer)


def windows(session, text, dialect, ids):
    """skip, limit and where are slices and subsets."""
    middle = ask(session, text, dialect, skip=1, limit=2)["result"]
    claim(middle == ids[1:3], "skip and limit", dialect, text, ids, middle)
    rooted = ask(session, text, dialect, where="^root")["result"]
    if "@" not in text:
        claim(rooted == ids, "everything lies in the root", dialect, text, ids, rooted)


def sets(session, text, dialect, ids):
    """Unions and orders of a selector without time and controls."""
    twice = ask(session, text + ", " + text, dialect)["result"]
    claim(set(twice) == set(ids), "a union with itself", dialect, text, ids, twice)
    every = ask(session, text + ", ^sys", dialect)["result"]
    other = ask(session, "^sys," + text, dialect)["result"]
    claim(every == other and set(ids) <= set(every), "a union has no sides", dialect, text, every,
          other)
    plain = ask(session, text + " @order=pre", dialect)["result"]
    claim(plain == twice, "@order=pre is the result order", dialect, text, plain, twice)
    turns = "asc" if dialect != "canonical" else "desc"
    turned = ask(session, text + " @order=turn:%s,pre" % turns, dialect)["result"]
    claim(turned == plain, "the dialect's order of turns", dialect, text, turned, plain)
    for order in ("post", "bfs", "path"):
        ids_so = ask(session, text + " @order=" + order, dialect)["result"]
        claim(sorted(ids_so) == sorted(ids), "an order keeps the set", dialect, text, ids_so, ids)
    paged = ask(session, text + " @limit=2 @p=2", dialect)["result"]
    claim(paged == ids[2:4], "the second page", dialect, text, paged, ids)
    first = ask(session, text + " @first", dialect)["result"]
    claim(first == ids[:1], "@first is the first", dialect, text, first, ids)


def filters(session, rng):
    """Filters, each drawn a few times."""
    for _ in range(10):
        dialect = rng.choice(DIALECTS)
        name = rng.choice(["role", "kind", "key", "ttl", "offset", "priority", "data_n", "tag",
                           "nodeType", "id", "content", "removable"])
        value = rng.choice(["user", "5", "'5'", "null", "true", "k1", "a", "block", "[user,a,5]"])
        time = "" if dialect != "classic" or not session.context.snapshots else "@t0 "
        if dialect == "classic" and not session.context.snapshots:
            continue
        every = set(ask(session, time + "^root, *", dialect)["result"])
        equal = ask(session, "%s[%s=%s]" % (time, name, value), dialect)["result"]
        unequal = ask(session, "%s[%s!=%s]" % (time, name, value), dialect)["result"]
        claim(not set(equal) & set(unequal) and set(equal) | set(unequal) == every,
              "!= is the negation of =", dialect, name, value, equal, unequal)
        key = rng.choice(["k1", "k2", "05", rng.choice(session.ids())])
        one = "#'%s'" % key
        other = "{%s='%s'}" % ("key" if dialect == "canonical" else "id", key)
        same(session, "# is key or id", dialect, time + one, time + other)
        same(session, "+tag is ??", dialect, time + "+a", time + "?? {tag=a}")
        same(session, "brackets are braces", dialect, "%s*[%s=%s]" % (time, name, value),
             "%s*{%s=%s}" % (time, name, value))
        child = ask(session, time + "^seq > *", dialect)["result"]
        below = ask(session, time + "^seq *", dialect)["result"]
        claim(set(child) <= set(below), "children lie below", dialect, child, below)
        same(session, "seg after a depth", dialect, time + "(d1, cont, *:block)",
             time + "(d1, seg, cont, *:block)")
        same(session, "hops are child steps", dialect, time + "(d1, *:block)",
             time + "depth(1) > .block")
