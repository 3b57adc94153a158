"""RangeDiffLatestResult: what a selector's matches did over a range of snapshots.

The answer holds, where the engine puts a content diff's body, what the body must lead to: `older`
and `newer`, which content_diffs.py checks by applying the engine's body.
"""

import content_diffs
import selector_match
import tree
from fault import Fault
from strict_json import canonical

# Fields in the order a diff names them (CF-87); all others follow by name.
HEADERS = ("nodeType", "offset", "ttl", "priority", "cycle", "created_at_ns", "created_at_iso",
           "creation_index", "role", "kind", "parent", "content_hash")
MATERIAL = ("content", "mime", "encoding", "content_hash")


def select(context, parsed, where, given, dialect, make_view, window):
    if not context.snapshots:  # S15
        raise Fault("E_SNAPSHOT_NOT_FOUND", "there are no snapshots")
    chosen, warnings = expand(context.snapshots, parsed["time"])
    cut = given["maxSnapshots"] is not None and len(chosen) > given["maxSnapshots"]
    if cut:  # CF-89
        chosen = chosen[:given["maxSnapshots"]]
    sides = []
    for ref, snapshot in chosen:
        view = make_view(snapshot["root"], snapshot["cycle"] + 1, snapshot["cycle"], dialect)
        ids = [seen.attribute("id") for seen in selector_match.result(view, parsed, where)]
        sides.append((ref, window(ids, parsed["controls"], None, None), records(snapshot)))
    mode = parsed["controls"].get("mode")
    pairs = list(zip(sides, sides[1:]))
    if mode == "reduce":
        pairs = [(sides[0], sides[-1])] if len(sides) > 1 else []
    truncated, reported, blocks = cut, set(), []
    for newer, older in pairs:
        lists = differences(newer, older)
        if mode == "latest":  # S17
            lists = [[one for one in found if one not in reported] for found in lists]
            reported.update(one for found in lists for one in found)
        stats = dict(zip(("added", "removed", "changed"), map(len, lists)))
        shown = capped(lists, given["maxChangesPerSnapshot"])
        truncated = truncated or shown != lists
        blocks.append({"from": newer[0], "to": older[0], "added_ids": shown[0],
                       "removed_ids": shown[1], "stats": stats,
                       "changed": [changed(one, newer, older, given) for one in shown[2]]})
    result = {"query": given["selector"], "snapshots": [side[0] for side in sides],
              "diffs": blocks, "mode": "pairwise"}
    return with_notes(result, given, truncated, warnings, cut)


def with_notes(result, given, truncated, warnings, cut):
    """CF-92: only where there is something to say."""
    limits = {name: given[name] for name in ("maxSnapshots", "maxChangesPerSnapshot")
              if given[name] is not None}
    if limits or truncated:
        result["limits"] = dict(limits, truncated=truncated)
    if warnings:
        result["warnings"] = warnings
    if cut:
        result["errors"] = [{"code": "E_SNAPSHOT_RANGE_LIMIT", "message": "", "fatal": False}]
    return result


# --- which snapshots ------------------------------------------------------------------------------

def expand(snapshots, time):
    """([(SnapshotRef, snapshot)], newest first; warnings)."""
    kind = "c" if time[1][0] == "c" else "t"
    if kind == "t":
        values = [place - len(snapshots) + 1 for place in range(len(snapshots))]
    else:
        values = [snapshot["cycle"] for snapshot in snapshots]
    ends = sorted(values[0] if end[0] == "oldest" else end[1] for end in time[1:])
    chosen = [({"kind": kind, "value": value, "label": "@%s%d" % (kind, value),
                "cycle": snapshot["cycle"]}, snapshot)
              for value, snapshot in zip(values, snapshots) if ends[0] <= value <= ends[1]]
    if not chosen:
        return [], ["outside"]
    warnings = ["end"] * ((ends[0] < values[0]) + (ends[1] > values[-1]))  # CF-6
    return chosen[::-1], warnings


# --- one block ------------------------------------------------------------------------------------

def differences(newer, older):
    """Added and changed as the newer selection lists them, removed by id (CF-86)."""
    _, now, after = newer
    _, then, before = older
    return [[one for one in now if one not in then],
            sorted((one for one in then if one not in now), key=str.encode),
            [one for one in now if one in then and fields(after[one], before[one])]]


def capped(lists, most):
    """CF-90."""
    if most is None:
        return lists
    shown = []
    for found in lists:
        shown.append(found[:most])
        most -= len(shown[-1])
    return shown


def changed(one, newer, older, given):
    after, before = newer[2][one], older[2][one]
    names = fields(after, before)
    entry = {"id": one, "fields": names, "delta": {}}
    for name in names:
        now, then = after.get(name), before.get(name)
        if not isinstance(now, (dict, list)) and not isinstance(then, (dict, list)):
            entry["delta"][name] = {"from": now, "to": then}
    if "content_hash" not in names:
        return entry
    if given["includeContent"]:
        labels = (older[0]["label"], newer[0]["label"])
        entry["content_diff"] = content_diffs.expected(
            given["contentMode"] or "unified", before, after, labels, one)
    if given["materialize"]:
        entry["materialized"] = {
            side: {name: seen.get(name) for name in MATERIAL if name in given["materialize"]}
            for side, seen in (("from", after), ("to", before))}
    return entry


def fields(after, before):
    """Names of what differs, absent being null (D2); `content_hash` stands for content."""
    found = {name for name in set(after) | set(before)
             if canonical(after.get(name)) != canonical(before.get(name))}
    if "content" in found or ("content" in after) != ("content" in before):
        found.add("content_hash")
    found -= {"content"}
    return [name for name in HEADERS if name in found] + sorted(
        found - set(HEADERS), key=str.encode)


def field_of(name):
    """`parent` is a move; an attribute that a document calls so has another name in a diff."""
    return "attribute:" + name if name == "parent" or name.startswith("attribute:") else name


def records(snapshot):
    """Id -> field -> value, as the snapshot shows them."""
    found = {}
    for node, parent in tree.walk(snapshot["root"]):
        attrs = {field_of(name): value for name, value in node["attrs"].items()}
        seen = dict(attrs, nodeType=node["typename"],
                    ttl=tree.shown_ttl(node, snapshot["cycle"] + 1),
                    parent=parent["attrs"]["id"] if parent else None,
                    content_hash=tree.content_hash(node["attrs"]))
        del seen["id"]
        found[node["attrs"]["id"]] = seen
    return found
