"""Content diffs: what one must say, and whether one leads from the older content to the newer.

How a text is best taken apart is the engine's business; here a diff is applied, strictly, and the
outcome compared. The appliers know the formats (unified, RFC 6902, word hunks) and nothing of how
the diffs were made.
"""

import copy
import json
import re

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@\Z")
WORD = re.compile(r"[ \t\n\v\f\r]*[^ \t\n\v\f\r]+|[ \t\n\v\f\r]+\Z")
NO_NEWLINE = "\\ No newline at end of file"
BODIES = {"unified": "diff", "jsonpatch": "patch", "tokens": "hunks"}
TOKEN_CONTEXT = 3


class Bad(Exception):
    pass


def need(condition, why):
    if not condition:
        raise Bad(why)


# --- what one must say ----------------------------------------------------------------------------

def text_of(value):
    """X9: a string as it is, any other value as indented canonical JSON."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, indent=2)


def size_of(value):
    if isinstance(value, str):
        return len(value.encode())
    return len(json.dumps(value, sort_keys=True, separators=(",", ":")))


def expected(mode, before, after, labels, node_id):
    older, newer = before.get("content", ""), after.get("content", "")
    entry = {"mode": mode, "summary": {
        "bytesNewer": size_of(newer), "bytesOlder": size_of(older), "truncated": False,
        "identical": exact(older) == exact(newer)}}
    if isinstance(after.get("mime"), str):
        entry["mime"] = after["mime"]
    if mode == "tokens":
        entry["tokenizer"] = "word"
        entry["summary"]["tokensNewer"] = len(WORD.findall(text_of(newer)))
        entry["summary"]["tokensOlder"] = len(WORD.findall(text_of(older)))
    entry["older"], entry["newer"] = older, newer
    entry["names"] = ["older(%s)/%s" % (labels[0], node_id), "newer(%s)/%s" % (labels[1], node_id)]
    return entry


def exact(value):
    return json.dumps(value, sort_keys=True)


def check(mine, theirs, context_lines):
    """Raises Bad unless the engine's entry is the expected one and its body leads there."""
    older, newer, names = (mine[name] for name in ("older", "newer", "names"))
    body = theirs.get(BODIES[mine["mode"]])
    need(body is not None, "no body")
    if mine["mode"] == "unified":
        reached = apply_unified(text_of(older), body, names, context_lines)
        need(reached == text_of(newer), "the unified diff leads elsewhere")
        need(body or text_of(older) == text_of(newer), "empty")
    elif mine["mode"] == "jsonpatch":
        need(exact(apply_patch(older, body)) == exact(newer), "the patch leads elsewhere")
        need(len(json.dumps(body)) <= len(json.dumps(newer)) + 60, "a patch longer than its end")
    else:
        reached = apply_hunks(text_of(older), body)
        need(reached == text_of(newer), "the hunks lead elsewhere")
    if mine["summary"]["identical"]:
        need(not body, "differences of equal contents")


# --- unified --------------------------------------------------------------------------------------

def lines_of(text):
    """Lines with their line feed."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def quoted(name):
    if not re.search(r'[\x00-\x1f\x7f"\\]', name):
        return name
    escaped = re.sub(r'["\\]', lambda found: "\\" + found.group(), name)
    return '"%s"' % re.sub(r"[\x00-\x1f\x7f]", lambda found: "\\%03o" % ord(found.group()), escaped)


def apply_unified(text, diff, names, context_lines):
    if not diff:
        return text
    older, rest = lines_of(text), diff.split("\n")
    need(rest.pop() == "", "no line feed at the end")
    need(rest[:2] == ["--- " + quoted(names[0]), "+++ " + quoted(names[1])], "header")
    result, at, position = [], 2, 0
    while at < len(rest):
        found = HUNK.match(rest[at])
        need(found, "hunk header " + rest[at])
        first, count, second, other = (int(number or 1) if place % 2 else int(number)
                                       for place, number in enumerate(found.groups()))
        at += 1
        start = first - 1 if count else first
        need(start >= position, "hunks overlap")
        result += older[position:start]
        need(len(result) == (second - 1 if other else second), "place in the newer text")
        body, at = hunk_lines(rest, at, count, other)
        check_context(body, start, len(older), context_lines)
        position = start
        for sign, line in body:
            if sign in " -":
                need(position < len(older) and older[position] == line, "context or deletion")
                position += 1
            if sign in " +":
                result.append(line)
    return "".join(result + older[position:])


def hunk_lines(rest, at, count, other):
    body = []
    while count or other:
        sign, line = rest[at][:1], rest[at][1:] + "\n"
        need(sign in (" ", "-", "+"), "line " + rest[at])
        at += 1
        if at < len(rest) and rest[at] == NO_NEWLINE:
            line, at = line[:-1], at + 1
        count -= sign in " -"
        other -= sign in " +"
        need(count >= 0 and other >= 0, "counts")
        body.append((sign, line))
    return body, at


def check_context(body, start, size, context_lines):
    """As many lines around as asked for, unless the text ends; never more than two such between."""
    signs = "".join(sign for sign, _ in body)
    before, after = len(signs) - len(signs.lstrip(" ")), len(signs) - len(signs.rstrip(" "))
    kept = signs.count(" ") + signs.count("-")
    need(before == min(context_lines, start + before), "context before")
    need(after == min(context_lines, size - (start + kept) + after), "context after")
    runs = re.findall(" +", signs.strip(" "))
    need(all(len(run) <= 2 * context_lines for run in runs), "a hunk that should be two")


# --- RFC 6902 -------------------------------------------------------------------------------------

def apply_patch(document, patch):
    document = copy.deepcopy(document)
    for step in patch:
        need(set(step) <= {"op", "path", "value"}, "members")
        need(step["op"] in ("add", "remove", "replace"), "op")
        need(("value" in step) == (step["op"] != "remove"), "value")
        path = step["path"]
        if path == "":
            need(step["op"] == "replace", "the whole document")
            document = copy.deepcopy(step["value"])
            continue
        need(path.startswith("/"), "path")
        *way, last = [part.replace("~1", "/").replace("~0", "~") for part in path[1:].split("/")]
        target = document
        for part in way:
            target = target[index_in(target, part, False) if isinstance(target, list) else part]
        apply_step(target, last, step)
    return document


def index_in(array, part, may_append):
    need(re.match(r"(0|[1-9][0-9]*)\Z", part), "index " + part)
    need(int(part) < len(array) + may_append, "index beyond the array")
    return int(part)


def apply_step(target, last, step):
    op, value = step["op"], copy.deepcopy(step.get("value"))
    if isinstance(target, list):
        if op == "add":
            target.insert(len(target) if last == "-" else index_in(target, last, True), value)
        elif op == "remove":
            del target[index_in(target, last, False)]
        else:
            target[index_in(target, last, False)] = value
        return
    need(isinstance(target, dict), "a path through a scalar")
    need((last in target) == (op != "add"), "key " + last)
    if op == "remove":
        del target[last]
    else:
        target[last] = value


# --- word hunks -----------------------------------------------------------------------------------

def apply_hunks(text, hunks):
    older, result, position = WORD.findall(text), [], 0
    for hunk in hunks:
        need(set(hunk) == {"older", "newer", "ops"}, "members")
        start, end = hunk["older"]["start"], hunk["older"]["end"]
        need(position <= start <= end <= len(older), "place in the older text")
        result += older[position:start]
        need(len(result) == hunk["newer"]["start"], "place in the newer text")
        position = start
        for op in hunk["ops"]:
            position = apply_word_op(op, older, position, result)
        need(position == end and len(result) == hunk["newer"]["end"], "counts")
        check_keeps(hunk, len(older))
    return "".join(result + older[position:])


def apply_word_op(op, older, position, result):
    if op["op"] == "keep":
        need(set(op) == {"op", "count"} and op["count"] > 0, "keep")
        result += older[position:position + op["count"]]
        return position + op["count"]
    need(set(op) == {"op"} | {"rep": {"del", "ins"}, "del": {"del"}, "ins": {"ins"}}[op["op"]],
         "members of " + op["op"])
    need(op.get("del") != 0 and op.get("ins") != [], "an empty operation")
    result += op.get("ins", [])
    return position + op.get("del", 0)


def check_keeps(hunk, size):
    keeps = [op["count"] if op["op"] == "keep" else 0 for op in hunk["ops"]]
    before, after = keeps[0], keeps[-1]
    need(before == min(TOKEN_CONTEXT, hunk["older"]["start"] + before), "words before")
    need(after == min(TOKEN_CONTEXT, size - hunk["older"]["end"] + after), "words after")
    need(all(keep <= 2 * TOKEN_CONTEXT for keep in keeps), "a hunk that should be two")
