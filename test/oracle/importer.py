"""Snapshot documents in: reading, judging (X3, X4), listing order (X1), missing regions (X2)."""

import fields
import tree
from fault import Fault
from strict_json import is_int64

DROPPED = ("content_hash", "parent_id", "depth")
REQUIRED = ("id", "nodeType", "offset", "ttl", "priority", "cycle", "created_at_ns",
            "created_at_iso", "creation_index")
# Header types of a document; a wrong one is E_IMPORT_INVALID whatever the field.
TYPES = dict(fields.TYPES, cycle=is_int64, created_at_iso=fields.is_string,
             ttl=fields.is_ttl, cad=fields.is_cadence)


def bad(message):
    return Fault("E_IMPORT_INVALID", message)


def read_document(document, dialect, open_cycle):
    """(cycle, tree of the snapshot, warnings). The tree has the regions the document has."""
    cycle = document.get("cycle")
    if cycle is None:
        cycle = open_cycle
    if not is_int64(cycle) or cycle < open_cycle:
        raise bad("cycle is not greater than the newest snapshot's")
    if not isinstance(document.get("root"), dict):
        raise bad("no root")
    root = read_node(document["root"], None, cycle, dialect)
    refuse_repeats(root)
    set_ranks(root, dialect)
    return cycle, root, version_warnings(document) + breaches(root)


# --- one node -------------------------------------------------------------------------------------

def read_node(given, parent_class, cycle, dialect):
    node_class, typename = classify(given, parent_class, dialect)
    attrs = read_attrs(given)
    node = tree.make(node_class, attrs)
    if "id" not in attrs:
        if node_class != "root":
            raise bad("a node without id")
        attrs["id"] = "root"
        node["unnamed"] = True
    node["typename"] = attrs.get("nodeType", typename)
    node["expires"] = read_ttl(given, cycle)
    node["children"] = read_children(given, node_class, cycle, dialect)
    node["bare"] = node_class != "block" and given.get("children") is None
    node["listed"] = node_class == "block" and given.get("children") is not None
    return node


def read_ttl(given, cycle):
    """A snapshot of cycle c shows what is left while c + 1 is open."""
    if "ttl" not in given:
        return tree.ABSENT
    return None if given["ttl"] is None else cycle + 1 + given["ttl"]


def read_attrs(given):
    fields.check_limits({name: value for name, value in given.items() if name != "children"})
    for name, value in given.items():
        if value is not None and name in TYPES and not TYPES[name](value):
            raise bad("wrong type for " + name)
    attrs = {}
    for name, value in given.items():
        if name in DROPPED or name in ("children", "ttl"):
            continue
        if value is None and name in TYPES and name != "content":  # I8
            continue
        if name == "pinned" and value is False:  # I8
            continue
        attrs[name] = value
    return attrs


def read_children(given, node_class, cycle, dialect):
    listed = given.get("children")
    if listed is None:
        return []
    if not isinstance(listed, list) or not all(isinstance(child, dict) for child in listed):
        raise bad("children must be an array of nodes")
    if node_class == "block" and listed:
        raise bad("children under a block")
    read = [read_node(child, node_class, cycle, dialect) for child in listed]
    if node_class == "root" and len({child["class"] for child in read}) != len(read):
        raise bad("a second region of a kind")
    return read


def classify(given, parent_class, dialect):
    """(class, nodeType to show); X6 for a missing nodeType, X3 for what may lie where."""
    name = given.get("nodeType")
    if name is not None and not isinstance(name, str):
        raise bad("wrong type for nodeType")
    if parent_class is None:
        if name not in (None, "^root"):
            raise bad("the root is not ^root")
        return "root", "^root"
    if parent_class == "root":
        if name not in ("^sys", "^seq", "^ah"):
            raise bad("not a region under the root")
        return name[1:], name
    if name in ("^root", "^sys", "^seq", "^ah"):
        raise bad("a region inside a region")
    if name is None:
        node_class = "turn" if parent_class == "seq" else "block"
        if node_class == "block" and given.get("children") is not None:
            node_class = "cont"
        name = fields.NAMES[dialect][node_class]
    else:
        node_class = fields.class_of_type(name)
    if (node_class == "turn") != (parent_class == "seq"):
        raise bad("turns lie in ^seq, and nothing else does")
    return node_class, name


# --- the whole ------------------------------------------------------------------------------------

def refuse_repeats(root):
    every = tree.ids(root)
    if len(set(every)) != len(every):
        raise bad("an id twice")


def set_ranks(root, dialect):
    """X1: turns without any created_at_ns keep their listing, read as the dialect reads it."""
    seq = tree.region(root, "seq")
    if seq is None or any("created_at_ns" in turn["attrs"] for turn in seq["children"]):
        return
    oldest_first = list(seq["children"])
    if dialect == "canonical":
        oldest_first.reverse()
    for rank, turn in enumerate(oldest_first):
        turn["rank"] = rank


def version_warnings(document):
    """CF-81: any PACT version or none; an unknown major version is worth a word."""
    version = document.get("spec_version")
    if version is None:
        return []
    if not isinstance(version, str):
        raise bad("spec_version is not a string")
    return [] if version.startswith("PACT/0") else ["unknown version " + version]


def breaches(root):
    """X4: what `strict` refuses, and what a lenient import warns about."""
    found = []
    for node, parent in tree.walk(root):
        for name in REQUIRED:
            if not has_header(node, name):
                found.append("%s lacks %s" % (node["attrs"]["id"], name))
        if (node["class"] == "block" and tree.offset(node) == 0
                and parent["class"] in ("turn", "ah")):
            found.append(node["attrs"]["id"] + " lies in no core")
        if node["class"] == "turn" and len(tree.cores(node)) != 1:
            found.append(node["attrs"]["id"] + " has not exactly one core")
    for name in tree.REGIONS:
        if tree.region(root, name) is None:
            found.append("no ^" + name)
    return found


def has_header(node, name):
    if name == "ttl":
        return node["expires"] is not tree.ABSENT
    if name == "id":
        return not node["unnamed"]
    return name in node["attrs"]


def add_missing_regions(root, taken):
    """X2; the id is marked with ~1, ~2 ... where the document uses it for something else (I3)."""
    for name in tree.REGIONS:
        if tree.region(root, name) is None:
            root["children"].append(tree.fixed_container(name, free_id(name, taken)))


def free_id(wanted, taken):
    """I3: the id, or the first of id~1, id~2 ... that is free."""
    candidate, number = wanted, 0
    while candidate in taken:
        number += 1
        candidate = "%s~%d" % (wanted, number)
    return candidate
