"""`diff`: two states compared node by node, every node looked at."""

import ranges
import selector_match
import selector_parse
import tree
from fault import Fault


def diff(one, other, given, dialect):
    """`one` and `other` are (context, a call that finds the snapshot or None)."""
    parsed = None
    if given["selector"] is not None:
        parsed = selector_parse.parse(given["selector"])
        if parsed["time"] is not None:  # D3
            raise Fault("E_SELECTOR_INVALID", "a diff has its times in from and to")
    states = [(context, find()) for context, find in (one, other)]
    one, other = (Side(context, at, parsed, dialect) for context, at in states)
    related = one.context is other.context
    there, here = (keys(side, related) for side in (other, one))
    added = [name for name in other.ids if keyed(other, name, related) not in here]
    removed = [name for name in one.ids if keyed(one, name, related) not in there]
    newer = one if (one.cycle, one.is_working) > (other.cycle, other.is_working) else other
    changed = []
    for name in newer.ids:
        key = keyed(newer, name, related)
        if key in here and key in there:
            pair = (here[key], there[key])
            names = ranges.fields(other.records[pair[1]], one.records[pair[0]])
            if names:
                changed.append((pair, names))
    result = {"added": added, "removed": removed,
              "changed": [{"id": pair[1], "fields": names} for pair, names in changed]}
    if given["detail"]:
        result.update(detail(one, other, added, removed, changed))
    if given["moves"]:
        result["moves"] = moves(one, other, added, removed)
    return result


class Side:
    def __init__(self, context, at, parsed, dialect):
        self.context, self.at, self.is_working = context, at, at is None
        self.root, now = context.view(at)
        self.cycle = now - 1
        if parsed is not None and parsed["facets"] and at is None:
            raise Fault("E_FACET_NEEDS_SNAPSHOT", "a facet in the working state")
        view = selector_match.View(self.root, now, at["cycle"] if at else None, dialect)
        if parsed is None:
            found = [seen for seen in view.all if seen.node is not None]
        else:
            found = selector_match.result(view, parsed)
        self.ids = [seen.attribute("id") for seen in found]
        if parsed is not None:
            self.ids = page(self.ids, parsed["controls"])
        self.records = ranges.records({"root": self.root, "cycle": self.cycle})
        self.nodes = {node["attrs"]["id"]: (node, parent) for node, parent in tree.walk(self.root)}

    def parent(self, name):
        return self.records[name]["parent"]

    def position(self, name):
        node, parent = self.nodes[name]
        return 0 if parent is None else tree.children(parent).index(node)

    def is_leaf(self, name):
        return self.nodes[name][0]["class"] == "block"

    def component(self, name):
        return {"position": self.position(name), "leaf": self.is_leaf(name),
                "node": self.context.get(name, self.at)}


def page(ids, controls):
    if "first" in controls:
        ids = ids[:1]
    if "limit" in controls:
        start = (controls.get("p", 1) - 1) * controls["limit"]
        ids = ids[start:start + controls["limit"]]
    return ids


def keyed(side, name, related):
    """What makes a node the same node: its id, or in unrelated contexts being a fixed container."""
    if related:
        return name
    node_class = side.nodes[name][0]["class"]
    return node_class if node_class in tree.FIXED else (id(side), name)


def keys(side, related):
    return {keyed(side, name, related): name for name in side.ids}


def detail(one, other, added, removed, changed):
    families = {}

    def note(side, name, what):
        parent = side.parent(name)
        if parent is not None:
            lists = families.setdefault(parent, {"children_added": [], "children_removed": []})
            lists[what].append(name)

    for name in added:
        note(other, name, "children_added")
    for name in removed:
        note(one, name, "children_removed")
    for (old, new), names in changed:
        if "parent" in names:
            note(one, old, "children_removed")
            note(other, new, "children_added")
    return {"components_added": [other.component(name) for name in added],
            "components_removed": [one.component(name) for name in removed],
            "components_modified": [modified(one, other, *change) for change in changed],
            "children": [dict(lists, id=parent) for parent, lists in families.items()]}


def modified(one, other, pair, names):
    old, new = pair
    entry = {"id": new, "fields": names, "old": values(one.records[old], names),
             "new": values(other.records[new], names)}
    if "parent" in names:
        entry["parent_changed"] = {"previous_parent_id": one.parent(old),
                                   "new_parent_id": other.parent(new)}
    if one.is_leaf(old) != other.is_leaf(new):
        entry["leaf"] = other.is_leaf(new)
    if set(names) & {"parent", "offset", "created_at_ns", "creation_index"}:
        entry["position"] = {"old": one.position(old), "new": other.position(new)}
    return entry


def values(record, names):
    wanted = names + (["content"] if "content_hash" in names else [])
    return {name: record.get(name) for name in wanted}


def moves(one, other, added, removed):
    """The first removed with a content hash goes with the first added, and so on."""
    left = list(removed)
    pairs = []
    for name in added:
        said = other.records[name]
        for old in left:
            before = one.records[old]
            if ("content" in said and "content" in before
                    and said["content_hash"] == before["content_hash"]):
                pairs.append({"removed": old, "added": name,
                              "content_hash": said["content_hash"]})
                left.remove(old)
                break
    return pairs
