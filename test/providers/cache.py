#!/usr/bin/env python3
"""The prompt cache: what `cache` reports is what comparing two renderings byte by byte gives, and the node it names is one
of the message in which they part; marks change nothing but themselves; pruning with regard to the cache leaves what
canonical pruning leaves.

usage: cache.py --pactdb "PROGRAM exec" [--seeds N] [--first SEED]
"""
import argparse
import json
import random
import shlex
import sys

import make_anthropic
from session import Session, first_difference

FORMATS = ["thread", "openai-chat", "openai-responses", "anthropic", "gemini"]
# The members that are compared, in their order, and whether each is a list.
ORDER = {
    "openai-chat": [("model", 0), ("tools", 1), ("response_format", 0), ("messages", 1)],
    "openai-responses": [("model", 0), ("tools", 1), ("text", 0), ("instructions", 1), ("input", 1)],
    "anthropic": [("model", 0), ("tools", 1), ("system", 1), ("tool_choice", 0), ("thinking", 0), ("messages", 1)],
    "gemini": [("model", 0), ("tools", 2), ("systemInstruction", 1), ("toolConfig", 0), ("contents", 1)],
}


def compact(value):
    return json.dumps(value, separators=(",", ":"))


def listed(content):
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def bare(block):
    """An Anthropic block without marks, its contents as lists."""
    if not isinstance(block, dict):
        return block
    made = {key: value for key, value in block.items() if key != "cache_control"}
    if made.get("type") == "tool_result" and isinstance(made.get("content"), (str, list)):
        made["content"] = [bare(part) for part in listed(made["content"])]
    return made


def normal(format_, body):
    """The body as caches compare it."""
    if format_ == "anthropic":
        body = dict(body)
        for name in ("system", "tools"):
            if name in body:
                body[name] = [bare(block) for block in listed(body[name])]
        body["messages"] = [dict(each, content=[bare(block) for block in listed(each["content"])])
                            if isinstance(each.get("content"), (str, list)) else each for each in body["messages"]]
    if format_ == "openai-responses" and "instructions" in body:
        body = dict(body, instructions=[body["instructions"]])
    if format_ == "gemini" and "systemInstruction" in body:
        body = dict(body, systemInstruction=body["systemInstruction"]["parts"])
    return body


def units(session, context, at, format_):
    """The prefix, cut into its units; what stands between two belongs to the second."""
    body = session.must(op="render", context=context, at=at, format=format_, lossy=True)["body"]
    if format_ == "thread":
        parts = [compact(each) for each in json.loads(body)]
        made = [("," if i else "[") + part for i, part in enumerate(parts)] + ["]" if parts else "[]"]
        if "".join(made) != body:
            sys.exit(f"a thread that is not compact JSON: {body[:500]}")
        return made
    body = normal(format_, json.loads(body))
    made = []
    close = ""
    for name, kind in ORDER[format_]:
        if name not in body or (kind and not body[name]):
            continue
        open_ = (close + "," if made else "{") + f'"{name}":'
        if kind == 0:
            made.append(open_ + compact(body[name]))
            close = ""
            continue
        elements = [compact(each) for each in body[name]] if kind == 1 else [compact(body[name])[1:-1]]
        for i, element in enumerate(elements):
            made.append(("," if i else open_ + "[") + element)
        close = "]"
    return made + [(close if made else "{") + "}"]


def common(a, b):
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[:middle] == b[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def unit_at(made, byte):
    for unit in made:
        if byte < len(unit):
            return unit
        byte -= len(unit)
    return ""


class Life:
    """A context that everything happens to. Every content has a word of its own, so that it is found again."""

    def __init__(self, session, seed):
        self.session = session
        self.rng = random.Random(seed)
        self.context = session.fresh()
        self.words = {}  # by id
        self.number = 0
        policy = self.rng.choice([None, {"max_nodes": 30}, {"max_turns": 4}, {"max_turns": 8, "prune": "cache_aware"}])
        extra = {"policy": policy} if policy else {}
        self.must(op="configure", clock={"start_ns": 0, "step_ns": 1}, **extra)

    def must(self, **request):
        return self.session.must(context=self.context, **request)

    def word(self):
        self.number += 1
        return f"word{self.number}x"

    def add(self, parent=None, **node):
        word = node.get("data_call_id") or self.word()
        if node.get("kind") == "tool_definition":
            node["content"] = {"name": word, "parameters": {"type": "object"}}
            node["data_name"] = word
        elif node.get("kind") == "tool_call":
            node["content"] = {"q": word}
        else:
            node["content"] = word + " " * self.rng.randrange(3)
        where = {"parent": parent} if parent else {}
        id_ = self.must(op="add", node=node, **where)["id"]
        self.words[id_] = {word}
        return id_

    def try_(self, **request):
        return self.session.ask(context=self.context, **request)["ok"]

    def turn(self):
        rng = self.rng
        if rng.random() < 0.2:
            self.add("^sys", **rng.choice([{}, {"ttl": 2}, {"kind": "tool_definition"}, {"offset": rng.randrange(-2, 3)}]))
        if rng.random() < 0.3:
            self.add("^ah", role="user", offset=rng.choice([-1, 1]), ttl=rng.randrange(1, 4))
        self.add(role="user")
        for _ in range(rng.randrange(0, 3)):
            self.number += 1
            call = f"call_{self.number}x"
            self.add(kind="tool_call", data_call_id=call, data_name="look")
            self.add(kind="tool_result", role="tool", data_call_id=call)
        self.add(role="assistant")
        if self.words and rng.random() < 0.4:
            id_ = rng.choice(sorted(self.words))
            choice = rng.random()
            if choice < 0.4:
                word = self.word()
                if self.try_(op="update", id=id_, set={"content": word}):
                    self.words[id_].add(word)
            elif choice < 0.7:
                self.try_(op="remove", id=id_)
            else:
                self.try_(op="move", id=id_, offset=rng.randrange(-2, 3))
        self.must(op="commit", hashes=False)


def check_pair(life, older, newer, format_, seed):
    got = life.must(op="cache", **{"from": older, "to": newer}, format=format_, lossy=True)
    a = units(life.session, life.context, older, format_)
    b = units(life.session, life.context, newer, format_)
    before, after = "".join(a), "".join(b)
    same = common(before, after)
    where = f"seed {seed} {format_} {older} {newer}"
    if (got["common_prefix_bytes"], got["total_bytes"], got["from_bytes"]) != (same, len(after), len(before)):
        sys.exit(f"{where}: {got}\n{before[max(0, same - 50):same + 80]}\n{after[max(0, same - 50):same + 80]}")
    difference = got["first_difference"]
    if before == after:
        if difference is not None:
            sys.exit(f"{where}: equal, but {difference}")
        return got
    if difference is None or difference["byte"] != same:
        sys.exit(f"{where}: {difference}, not {same}")
    parted = unit_at(a, same) + unit_at(b, same)
    if difference["id"] in life.words and not any(word in parted for word in life.words[difference["id"]]):
        sys.exit(f"{where}: {difference} is not in {parted[:1000]}")
    for provider in ("anthropic", "openai"):
        cost = got[provider]
        if cost["read"] + cost["written"] + cost["uncached"] != got["total_tokens"] or cost["read"] < 0:
            sys.exit(f"{where}: {cost} of {got['total_tokens']}")
        if cost["read"] > got["common_prefix_tokens"]:
            sys.exit(f"{where}: more is read than is the same: {got}")
    return got


def check_life(session, seed):
    life = Life(session, seed)
    reasons = {}
    turns = life.rng.randrange(3, 12)
    for turn in range(turns):
        life.turn()
        if turn == 0:
            continue
        for format_ in FORMATS:
            got = check_pair(life, "@t-1", "@t0", format_, seed)
            if got["first_difference"]:
                reason = got["first_difference"]["reason"]
                reasons[reason] = reasons.get(reason, 0) + 1
        check_pair(life, f"@c{life.rng.randrange(1, turn + 1)}", "@t0", "thread", seed)
    life.add(role="user")
    check_pair(life, "@t0", "working", "anthropic", seed)
    for format_ in FORMATS:
        whole = life.must(op="cache", format=format_, lossy=True)
        for pair in whole["pairs"]:
            alone = life.must(op="cache", **{"from": pair["from"], "to": pair["to"]}, format=format_, lossy=True)
            alone.pop("format")
            if found := first_difference(alone, pair):
                sys.exit(f"seed {seed} {format_}: a pair alone and in its history: {found}")
        if len(whole["pairs"]) != turns - 1 or whole["to"] != f"@c{turns}":
            sys.exit(f"seed {seed}: {len(whole['pairs'])} pairs of {turns}")
    return reasons


# --- marks ---


def marks_of(body):
    """Where the marks are, by what they are on: tool, system or message, and block."""
    found = []
    for name in ("tools", "system"):
        for i, block in enumerate(body.get(name, []) if isinstance(body.get(name), list) else []):
            if isinstance(block, dict) and "cache_control" in block:
                found.append((name, i))
    for i, message in enumerate(body["messages"]):
        for k, block in enumerate(message["content"] if isinstance(message.get("content"), list) else []):
            if isinstance(block, dict) and "cache_control" in block:
                found.append(("messages", i, k))
    return found


def count_marks(value):
    """All of them, also those inside results; what is no object is no mark."""
    if isinstance(value, list):
        return sum(map(count_marks, value))
    if not isinstance(value, dict):
        return 0
    return isinstance(value.get("cache_control"), dict) + sum(map(count_marks, value.values()))


def long_marks_of(body):
    """Where marks of an hour are, as in marks_of, those inside of blocks too. That of the request is behind all others."""
    def asks(value):
        if isinstance(value, list):
            return any(map(asks, value))
        if not isinstance(value, dict):
            return False
        mark = value.get("cache_control")
        return (isinstance(mark, dict) and mark.get("ttl") == "1h") or any(map(asks, value.values()))

    found = [(name, i) for name in ("tools", "system") if isinstance(body.get(name), list)
             for i, block in enumerate(body[name]) if asks(block)]
    found += [("messages", i, k) for i, message in enumerate(body["messages"]) if isinstance(message["content"], list)
              for k, block in enumerate(message["content"]) if asks(block)]
    return found + [("zzz",)] * asks({"cache_control": body.get("cache_control")})


def in_prompt(place):
    """A key by which places are in the order of the prompt."""
    return (("tools", "system", "messages", "zzz").index(place[0]), *place[1:])


def rendered(session, context, at=None, **options):
    answer = session.must(op="render", context=context, at=at, format="anthropic", **options)
    return json.loads(answer["body"])


def check_growth(session, seed):
    """One message after the other: what was marked stays marked, but for the oldest."""
    rng = random.Random(seed)
    context = session.fresh()
    session.must(op="add", context=context, parent="^sys", node={"content": "Be kind."})
    before = None
    for number in range(rng.randrange(4, 12)):
        session.must(op="add", context=context, node={"role": "user", "content": f"question {number}"})
        plain = rendered(session, context)
        body = rendered(session, context, cache=True)
        if found := first_difference(normal("anthropic", plain), normal("anthropic", body)):
            sys.exit(f"seed {seed}: marks changed the request: {found}")
        marks = marks_of(body)
        last = len(body["messages"]) - 1
        if len(marks) != min(number + 2, 4) or marks[0] != ("system", 0) or marks[-1][1] != last:
            sys.exit(f"seed {seed}: {marks} of {number + 1} questions")
        if before is not None:
            old_marks, old_messages = before
            stay = old_marks[1:][-2:]
            if not set(stay) <= set(marks):
                sys.exit(f"seed {seed}: {old_marks} became {marks}")
            now = normal("anthropic", body)["messages"]
            if now[:len(old_messages)] != old_messages:
                sys.exit(f"seed {seed}: what was sent before is not a prefix")
        before = (marks, normal("anthropic", body)["messages"])
        for _ in range(rng.randrange(0, 3)):
            session.must(op="add", context=context, node={"role": "assistant", "content": "answer"})
        if rng.random() < 0.5:
            session.must(op="commit", context=context, hashes=False)


def check_imported(session, seed):
    """Marks that came stay where they came; ours fill what is left of four."""
    rng = random.Random(seed)
    context = session.fresh()
    thread = make_anthropic.document(rng)
    answer = session.ask(op="import", context=context, format="anthropic", thread=thread, lenient=True)
    if not answer["ok"]:
        return 0
    session.must(op="commit", context=context, hashes=False)
    plain = rendered(session, context, "@t0")
    body = rendered(session, context, "@t0", cache=True)
    if found := first_difference(normal("anthropic", plain), normal("anthropic", body)):
        sys.exit(f"seed {seed}: marks changed the request: {found}")
    had, has = count_marks(plain), count_marks(body)
    own, now = set(marks_of(plain)), set(marks_of(body))
    if not own <= now or (has > 4 and has > had):
        sys.exit(f"seed {seed}: {had} marks became {has}: {sorted(own, key=str)} {sorted(now, key=str)}")
    for place in now - own:
        if any(in_prompt(place) < in_prompt(each) for each in long_marks_of(plain)):
            sys.exit(f"seed {seed}: a mark at {place} is before one that asks for an hour: {long_marks_of(plain)}")
    if rendered(session, context, "@t0", cache=True) != body:
        sys.exit(f"seed {seed}: not the same twice")
    return has - had


# --- pruning ---


def check_pruning(session, seed):
    """A commit that cuts with regard to the cache leaves what canonical pruning to the lower mark leaves; one that cuts
    nothing, what canonical pruning to the limit leaves."""
    limit_name = ["max_nodes", "max_turns", "max_tokens"][seed % 3]
    lives = [Life(session, seed), Life(session, seed)]
    limit = {"max_nodes": 80, "max_turns": 8, "max_tokens": 120}[limit_name]
    clock = {"start_ns": 0, "step_ns": 1}
    base = {"protect_recent_turns": seed % 2}
    lives[0].must(op="configure", clock=clock, policy=dict(base, prune="cache_aware", **{limit_name: limit}))
    cuts = commits = 0
    for life in lives:
        life.rng = random.Random(seed)
    for _ in range(30):
        commits += 1
        results = []
        for life in lives:
            if life is lives[1]:
                low = limit - limit // 4 if results[0]["pruned"] else limit
                life.must(op="configure", policy=dict(base, **{limit_name: low}))
            for _ in range(life.rng.randrange(1, 4)):
                life.add(role="user", priority=life.rng.randrange(2))
            results.append(life.must(op="commit", hashes=False))
        first, second = results
        if first["tree_sha256"] != second["tree_sha256"] or first["pruned"] != second["pruned"]:
            sys.exit(f"seed {seed}: {first} is not {second}")
        if first.get("over_limit"):
            sys.exit(f"seed {seed}: over the limit: {first}")
        cuts += bool(first["pruned"])
    if not 0 < cuts < commits // 2:
        sys.exit(f"seed {seed}: {cuts} cuts in {commits} commits")
    return cuts


# --- lint ---


def check_lint(session):
    """Each rule finds what it is for, and names it; a context without faults has none."""

    def start(*nodes):
        context = session.fresh()
        for node in nodes:
            session.must(op="add", context=context, parent="^sys", node=node)
        return context

    def turn(context, **options):
        session.must(op="add", context=context, node=dict({"role": "user", "content": "question"}, **options))
        session.must(op="commit", context=context, hashes=False)

    def found(context, **options):
        answer = session.must(op="lint", context=context, **options)
        if answer["ok"] != (not answer["findings"]):
            sys.exit(f"lint: {answer}")
        return [(each["rule"], each["id"]) for each in answer["findings"]]

    def expect(what, got, want):
        if got != want:
            sys.exit(f"lint of {what}: {got}, not {want}")

    tool = {"kind": "tool_definition"}
    tools = [dict(tool, id=name, content={"name": name}, data_name=name) for name in ("a", "b", "c")]
    clean = start({"content": "Be brief."}, *tools)
    for _ in range(4):
        turn(clean)
    expect("a clean context", found(clean), [])
    expect("a date", found(start({"id": "d", "content": "It is 2026-11-15."})), [("volatile_content", "d")])
    short = start({"id": "s", "content": "for now", "ttl": 3}, {"content": "Be brief."})
    turn(short)
    session.must(op="add", context=short, parent="^ah", node={"id": "r", "content": "found", "offset": -1, "ttl": 5})
    turn(short)
    expect("short lives", found(short), [("ttl_before_stable", "s"), ("ttl_before_stable", "r")])
    changing = start({"id": "n", "content": "turn 0"}, {"content": "Be brief."})
    for number in range(5):
        session.must(op="update", context=changing, id="n", set={"content": f"turn {number}"})
        turn(changing)
    expect("a counter", found(changing), [("changing_content", "n")])
    expect("a counter, not looked for", found(changing, commits=1), [])
    order = start(*tools)
    turn(order)
    session.must(op="move", context=order, id="c", offset=-1)
    turn(order)
    expect("reordered tools", found(order), [("reordered_tools", "c")])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pactdb", required=True)
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    reasons = {}
    placed = 0
    with Session(shlex.split(options.pactdb)) as session:
        check_lint(session)
        for seed in range(options.first, options.first + options.seeds):
            for reason, count in check_life(session, seed).items():
                reasons[reason] = reasons.get(reason, 0) + count
            check_growth(session, seed)
            placed += sum(check_imported(session, 10 * seed + i) for i in range(10))
            check_pruning(session, seed)
    missing = {"added", "removed", "changed", "expired", "pruned", "moved"} - set(reasons)
    if options.seeds >= 60 and missing:
        sys.exit(f"never seen: {missing} of {reasons}")
    print(f"{options.seeds} lives; they parted by {reasons}; {placed} marks placed beside imported ones")


if __name__ == "__main__":
    main()
