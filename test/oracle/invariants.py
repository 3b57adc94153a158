"""What must hold of the oracle itself, checked after every line of a session.

Written against the rules, not against the model's code: where the model computes something by
steps, this file asks for the property, or tries every possibility.
"""

import itertools

import tree
from oracle import Oracle

BRUTE_FORCE_MAX = 9


class Broken(AssertionError):
    pass


def require(claim, message, *details):
    if not claim:
        raise Broken(message + "".join(" %r" % (detail,) for detail in details))


def check_fresh():
    root = Oracle().contexts["main"].root
    require(tree.ids(root) == ["root", "sys", "seq", "ah"], "fresh tree", tree.ids(root))
    shown = tree.nested(root, root, 1, None)
    indices = [child["creation_index"] for child in shown["children"]]
    require(shown["creation_index"] == 0 and indices == [0, 1, 2], "fixed containers' indices")
    require(tree.thread(root) == "[]", "a fresh thread is empty")


def check_session(lines):
    """Runs the lines through an oracle and watches it. Raises Broken."""
    check_fresh()
    oracle = Oracle()
    watched = {}
    for line in lines:
        before = {name: context.copy() for name, context in oracle.contexts.items()}
        answer = oracle.serve_line(line)
        for name, context in oracle.contexts.items():
            old = before.get(name)
            if old is not None and state(old) == state(context):
                continue
            require(answer["ok"], "a failed operation changed something", line)
            check_shape(context)
            check_stamps(context)
            if old is not None and b'"commit"' in line and context.open_cycle > old.open_cycle:
                check_commit(old, context, answer["result"])
            check_history(context, watched.setdefault(name, {}))


def state(context):
    """Everything an operation could change, in a comparable form."""
    return (tree.fingerprint(context.root), context.open_cycle, context.ticks, context.next_index,
            context.last_stamp, len(context.snapshots), len(context.answers),
            str(context.attempts), str(context.config))


def check_shape(context):
    root = context.root
    every = tree.ids(root)
    require(len(set(every)) == len(every), "an id twice", every)
    require(sorted(child["class"] for child in root["children"]) == ["ah", "seq", "sys"], "regions")
    for node, parent in tree.walk(root):
        require(node["class"] != "block" or not node["children"], "a block holds something")
        if parent is not None:
            in_seq = parent["class"] == "seq"
            require((node["class"] == "turn") == in_seq, "turns lie in ^seq", every)
        if node["made"] is not None:
            for header in ("cycle", "created_at_ns", "creation_index"):
                require(isinstance(node["attrs"].get(header), int), "a header is missing", header)
            require(node["attrs"]["cycle"] == node["made"], "cycle is the cycle it was made in")
        if node["class"] == "turn" and node["made"] is not None:
            require(len(tree.cores(node)) == 1, "one core per sealed turn", node["attrs"]["id"])
        if node["made"] is not None and tree.is_core(node, parent):
            require(not node["attrs"].get("removable"), "a removable core")


def check_stamps(context):
    """Within a cycle stamps differ, and indices and stamps rise together."""
    by_cycle = {}
    for node, _ in tree.walk(context.root):
        if node["made"] is not None:
            by_cycle.setdefault(node["made"], []).append(
                (node["attrs"]["creation_index"], node["attrs"]["created_at_ns"]))
    for pairs in by_cycle.values():
        stamps = [stamp for _, stamp in sorted(pairs)]
        require(all(a < b for a, b in zip(stamps, stamps[1:])), "stamps of a cycle", sorted(pairs))


def check_history(context, seen):
    """Snapshots never change, and are numbered upwards."""
    cycles = [snapshot["cycle"] for snapshot in context.snapshots]
    require(cycles == sorted(set(cycles)), "cycles", cycles)
    require(not cycles or context.open_cycle == cycles[-1] + 1, "the open cycle follows the newest")
    for snapshot in context.snapshots:
        mark = tree.fingerprint(snapshot["root"])
        require(seen.setdefault(snapshot["cycle"], mark) == mark, "a snapshot changed")


# --- commits --------------------------------------------------------------------------------------

def check_commit(old, new, answer):
    snapshot = new.snapshots[-1]["root"]
    require(not tree.region(snapshot, "ah")["children"], "the snapshot's head is empty")
    turns = len(tree.region(snapshot, "seq")["children"])
    require(turns == len(tree.region(old.root, "seq")["children"]) + 1, "one turn per commit")
    lists = [answer[name] for name in ("expired", "cascaded", "pruned", "deferred")]
    flat = list(itertools.chain(*lists))
    require(len(set(flat)) == len(flat), "the lists overlap", lists)
    before, after = set(tree.ids(old.root)), set(tree.ids(snapshot))
    gone = set(itertools.chain(*lists[:3]))
    require(before - after == gone, "the lists say what left", before - after, gone)
    require(set(answer["deferred"]) <= after, "deferred nodes stay")
    check_preview(old, new)
    check_due(old, answer)
    check_limits(old, snapshot, answer)


def check_preview(old, new):
    """Rendering the working state gives the bytes of the commit, and changes nothing."""
    before = state(old)
    body = old.render(None)["body"]
    require(state(old) == before, "render changed something")
    require(body == tree.thread(new.snapshots[-1]["root"]), "preview and snapshot differ")


def check_due(old, answer):
    """T2 by trying every subset of the due nodes."""
    root, cycle = old.root, old.open_cycle
    due = [node for node, parent in tree.walk(root)
           if isinstance(node["expires"], int) and node["expires"] <= cycle
           and node["class"] in ("block", "cont") and not tree.is_core(node, parent)]
    taken = set(answer["expired"]) | set(answer["deferred"])
    other = set(answer["pruned"]) | set(answer["cascaded"])
    for node in due:
        require(node["attrs"]["id"] in taken | other, "a due node is in no list")
    if len(due) > BRUTE_FORCE_MAX:
        return
    best = set()
    for size in range(len(due), 0, -1):
        for chosen in itertools.combinations(due, size):
            gone = {inner for node in chosen for inner in tree.ids(node)}
            if len(gone) > len(best) and can_leave(root, gone):
                best = gone
    require(best == set(answer["expired"]), "not the largest set", best, answer["expired"])


def can_leave(root, gone):
    stay = [node["attrs"] for node, _ in tree.walk(root) if node["attrs"]["id"] not in gone]
    leave = [node["attrs"] for node, _ in tree.walk(root) if node["attrs"]["id"] in gone]
    named = {name for attrs in stay for name in attrs.get("refs", [])}
    calls = {attrs["data_call_id"] for attrs in stay if isinstance(attrs.get("data_call_id"), str)}
    for attrs in leave:
        call = attrs.get("data_call_id")
        if attrs.get("pinned") or attrs["id"] in named or (isinstance(call, str) and call in calls):
            return False
    return True


def check_limits(old, snapshot, answer):
    """Node limits hold after the commit, or are reported."""
    policy = old.config["policy"]
    if policy is None:
        require("over_limit" not in answer, "over_limit without policy")
        return
    broken = {entry["limit"] for entry in answer.get("over_limit", [])}
    for entry in answer.get("over_limit", []):
        require(entry["actual"] > entry["max"], "not over the limit", entry)
    made_by_sealing = 1 + (0 if tree.cores(tree.region(old.root, "ah")) else 1)
    if policy["max_nodes"] is not None and "max_nodes" not in broken:
        require(tree.count(snapshot) - made_by_sealing <= policy["max_nodes"], "max_nodes")
    in_sys = len(tree.ids(tree.region(snapshot, "sys"))) - 1
    of_sys = (policy["regions"].get("sys") or {}).get("max_nodes")
    if of_sys is not None and "sys.max_nodes" not in broken:
        require(in_sys <= of_sys, "sys.max_nodes")
