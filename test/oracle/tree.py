"""Nodes, their order, and everything that is read off a tree.

A node is a plain dict:

    class     root sys seq ah turn cont block: what the node is, whatever its type is called
    attrs     every stored field but ttl, under the name it has on the wire
    expires   the cycle at whose commit the node is due; None for no ttl; ABSENT if an imported
              document did not write ttl at all
    children  list of nodes, in no particular order
    made      the cycle it was made in through the API; None if it came in a snapshot document
    rank      place of a turn in a listing without creation headers (X1), 0 = oldest; else None
    typename  nodeType to show where the document wrote none (X6)
    bare      True where an imported container wrote no `children`
    listed    True where an imported block wrote an empty `children`
    unnamed   True for an imported root without id

Every question is answered by walking the whole tree.
"""

import datetime
import hashlib

from strict_json import canonical

ABSENT = "(absent)"
REGIONS = ("sys", "seq", "ah")
FIXED = ("root",) + REGIONS
SERIALIZED = ("id", "nodeType", "offset", "priority", "cycle", "created_at_ns",
              "created_at_iso", "content", "role", "kind")


# --- making and copying ---------------------------------------------------------------------------

def make(node_class, attrs, expires=None, made=None):
    return {"class": node_class, "attrs": attrs, "expires": expires, "children": [], "made": made,
            "rank": None, "typename": attrs.get("nodeType"), "bare": False,
            "listed": False, "unnamed": False}


def copy(node):
    """A deep copy, except that stored JSON values are shared: nobody changes them in place."""
    twin = dict(node)
    twin["attrs"] = dict(node["attrs"])
    twin["children"] = [copy(child) for child in node["children"]]
    return twin


def iso(ns):
    """created_at_iso: UTC, nine decimals, Z."""
    seconds, rest = divmod(ns, 10**9)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + ".%09dZ" % rest


def fixed_container(node_class, node_id):
    index = {"root": 0, "sys": 0, "seq": 1, "ah": 2}[node_class]
    return make(node_class, {"id": node_id, "nodeType": "^" + node_class, "offset": 0,
                             "priority": 0, "cycle": 0, "created_at_ns": 0,
                             "created_at_iso": iso(0), "creation_index": index})


def fresh():
    root = fixed_container("root", "root")
    root["children"] = [fixed_container(name, name) for name in REGIONS]
    return root


# --- order ----------------------------------------------------------------------------------------

def offset(node):
    return node["attrs"].get("offset", 0)


def comparator(node):
    """Sibling order: (offset, created_at_ns, creation_index, id as bytes); missing counts as 0."""
    attrs = node["attrs"]
    return (attrs.get("offset", 0), attrs.get("created_at_ns", 0), attrs.get("creation_index", 0),
            attrs["id"].encode())


def children(node):
    """Children as every reader but `serialize` sees them."""
    if node["class"] == "root":
        return sorted(node["children"], key=lambda child: REGIONS.index(child["class"]))
    if node["class"] == "seq":
        return sorted(node["children"], key=_turn_order)
    return sorted(node["children"], key=comparator)


def _turn_order(turn):
    """X1: listed turns keep their listing, and all later ones are newer."""
    if turn["rank"] is not None:
        return (0, turn["rank"])
    return (1,) + comparator(turn)


def walk(node, parent=None):
    """(node, parent) in tree order: sys, turns oldest first, ah; each node before what it holds."""
    yield node, parent
    for child in children(node):
        yield from walk(child, node)


def ids(node):
    return [inner["attrs"]["id"] for inner, _ in walk(node)]


# --- finding --------------------------------------------------------------------------------------

def region(root, name):
    for child in root["children"]:
        if child["class"] == name:
            return child
    return None


def find(root, node_id):
    """(node, parent) or (None, None)."""
    for node, parent in walk(root):
        if node["attrs"]["id"] == node_id:
            return node, parent
    return None, None


def path_to(root, wanted):
    """Nodes from the root down to `wanted`, both included."""
    if root is wanted:
        return [root]
    for child in root["children"]:
        below = path_to(child, wanted)
        if below:
            return [root] + below
    return []


def region_of(root, node):
    """Class of the region the node is or lies in; None for the root."""
    path = path_to(root, node)
    return path[1]["class"] if len(path) > 1 else None


def is_core(node, parent):
    """The cont at offset 0 of a turn or of the head."""
    return (node["class"] == "cont" and offset(node) == 0
            and parent is not None and parent["class"] in ("turn", "ah"))


def cores(container):
    return [child for child in children(container) if is_core(child, container)]


def in_sealed_core(root, node):
    """True for a sealed core and what it holds; L3: for offset-0 blocks right under a turn too."""
    path = path_to(root, node)
    for above, inner in zip(path, path[1:]):
        if above["class"] == "turn" and inner["class"] in ("cont", "block") and offset(inner) == 0:
            return True
    return False


def count(root):
    """T9: all nodes but the four fixed containers."""
    return sum(1 for node, _ in walk(root) if node["class"] not in FIXED)


def height(node):
    return 1 + max((height(child) for child in node["children"]), default=0)


def depth(root, node):
    """The universal depth (D4): -1 sys, 0 ah, 1 the newest turn; None for the root and ^seq."""
    path = path_to(root, node)
    if len(path) < 2:
        return None
    if path[1]["class"] == "sys":
        return -1
    if path[1]["class"] == "ah":
        return 0
    return turn_depth(root, path[2]) if len(path) > 2 else None


def turn_depth(root, turn):
    turns = children(region(root, "seq"))
    return len(turns) - [id(one) for one in turns].index(id(turn))


# --- values ---------------------------------------------------------------------------------------

def content_hash(fields):
    """The reference function of chapter 08, which leaves `content_hash` out (CF-75)."""
    hashed = {"content": fields.get("content", ""), "kind": fields.get("kind", ""),
              "role": fields.get("role", "")}
    for name, value in fields.items():
        if name.startswith(("content_", "data_")) and name != "content_hash":
            hashed[name] = value
    return sha256(canonical(hashed))


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def shown_ttl(node, open_cycle):
    """What is left of the ttl while `open_cycle` is open; a deferred node shows 0 (T1)."""
    if node["expires"] is ABSENT or node["expires"] is None:
        return None
    return max(0, node["expires"] - open_cycle)


# --- what operations show -------------------------------------------------------------------------

def shown(root, node, open_cycle):
    """The node as `tree` shows it, children apart (D4 for the defaults)."""
    result = {"offset": 0, "priority": 0, "created_at_ns": 0, "creation_index": 0,
              "cycle": None, "created_at_iso": None}
    result.update(node["attrs"])
    result["nodeType"] = node["typename"]
    result["ttl"] = shown_ttl(node, open_cycle)
    result["depth"] = depth(root, node)
    result["content_hash"] = content_hash(node["attrs"])
    return result


def nested(root, node, open_cycle, levels):
    """`tree`: nested nodes, `levels` deep (None for all of it)."""
    result = shown(root, node, open_cycle)
    if node["class"] != "block" and levels != 0:
        below = None if levels is None else levels - 1
        result["children"] = [nested(root, child, open_cycle, below) for child in children(node)]
    return result


def thread(root):
    """The provider thread's bytes, as text: only blocks speak."""
    units = []
    for node, _ in walk(root):
        if node["class"] == "block":
            units.append(_unit(root, node))
    return "[" + ",".join(units) + "]"


def _unit(root, node):
    attrs = node["attrs"]
    role = attrs.get("role", "system" if region_of(root, node) == "sys" else "user")
    parts = [("id", attrs["id"]), ("role", role)]
    if "kind" in attrs:
        parts.append(("kind", attrs["kind"]))
    parts.append(("content", attrs.get("content", "")))
    return "{" + ",".join('"%s":%s' % (name, canonical(value)) for name, value in parts) + "}"


def serialize(root, open_cycle):
    """The reference snapshot serialization: the comparator alone decides the order (CF-45/46)."""
    return canonical(_normalized(root, open_cycle))


def _normalized(node, open_cycle):
    attrs = node["attrs"]
    result = {name: attrs[name] for name in SERIALIZED if name in attrs}
    if node["unnamed"]:
        del result["id"]
    if node["expires"] is not ABSENT:
        result["ttl"] = shown_ttl(node, open_cycle)
    is_container = node["class"] != "block"
    if node["children"] or (is_container and not node["bare"]) or node["listed"]:
        result["children"] = [_normalized(child, open_cycle)
                              for child in sorted(node["children"], key=comparator)]
    return result


def fingerprint(root):
    """A function of the logical tree alone; stands in for the engine's tree_sha256."""
    return sha256(canonical(_logical(root)))


def _logical(node):
    return [node["attrs"], node["expires"], [_logical(child) for child in children(node)]]
