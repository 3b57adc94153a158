"""Selectors on one tree, by brute force: every step looks at every node.

A View is one tree as a selector sees it. Its `all` lists the nodes in the dialect's result order;
each is a Seen: the node, its parent, and for a block that lies right under a turn or head without
a core also the implicit core (S7), a Seen without a node.
"""

import re

import fields
import tree
from selector_filters import compiled
from strict_json import canonical

NUMBERS = ("offset", "ttl", "priority", "cycle", "created_at_ns", "creation_index", "cad",
           "born_turn", "age", "depth", "sdepth")
STRINGS = ("id", "nodeType", "type", "role", "kind", "key", "created_at_iso", "mime", "encoding",
           "content_hash", "parent_id")
ZERO_IF_MISSING = ("offset", "priority", "created_at_ns", "creation_index")
NUMERIC_TEXT = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\Z", re.ASCII)


class Seen:
    def __init__(self, node, parent):
        self.node = node          # None for an implicit core
        self.parent = parent      # a Seen, None for the root
        self.core = None          # the implicit core it also is a child of
        self.place = None         # in the dialect's result order
        self.depth = None         # universal depth; None for the root and ^seq

    def kind_of_node(self):
        return "cont" if self.node is None else self.node["class"]

    def above(self):
        """Everything it lies in, the implicit core too."""
        found = [] if self.core is None else [self.core]
        step = self.parent
        while step is not None:
            found.append(step)
            step = step.parent
        return found

    def attribute(self, name):
        return None if self.node is None else self.node["attrs"].get(name)


class View:
    def __init__(self, root, open_cycle, snapshot_cycle, dialect):
        self.root, self.open_cycle, self.dialect = root, open_cycle, dialect
        self.snapshot_cycle = snapshot_cycle    # None in the working state
        self.all = []
        self.visit(root, None)
        for place, seen in enumerate(self.all):
            seen.place = place
            if seen.node is not None:
                seen.depth = tree.depth(root, seen.node)
            else:
                seen.depth = tree.depth(root, seen.parent.node)

    def visit(self, node, parent):
        seen = Seen(node, parent)
        self.all.append(seen)
        below = tree.children(node)
        if node["class"] == "seq" and self.dialect == "canonical":
            below = below[::-1]
        core = None
        if node["class"] in ("turn", "ah") and not tree.cores(node):
            core = Seen(None, seen)
        for child in below:
            if core is not None and core not in self.all and tree.offset(child) >= 0:
                self.all.append(core)
            twin = self.visit(child, seen)
            if child["class"] == "block" and tree.offset(child) == 0:
                twin.core = core
        if core is not None and core not in self.all:
            self.all.append(core)
        return seen

    def addressed_depth(self, seen):
        """What :depth sees: in classic ^ah and ^sys have none (reading.md section 1)."""
        if self.dialect == "classic" and seen.depth is not None and seen.depth < 1:
            return None
        return seen.depth


# --- attributes -----------------------------------------------------------------------------------

def value_of(view, seen, name):
    """The attribute as a comparison sees it; None for null."""
    if seen.node is None:  # S7
        return {"offset": 0, "nodeType": fields.NAMES[view.dialect]["cont"]}.get(name)
    attrs = seen.node["attrs"]
    if name == "nodeType":
        return seen.node["typename"]
    if name == "ttl":
        return tree.shown_ttl(seen.node, view.open_cycle)
    if name == "kind":
        return seen_kind(seen)
    if name == "content_hash":
        return tree.content_hash(attrs)
    if name == "parent_id":
        return seen.parent.attribute("id") if seen.parent else None
    if name in ("born_turn", "age", "depth", "sdepth"):
        return facet(view, seen, name)
    if name in ZERO_IF_MISSING:  # D4
        return attrs.get(name, 0)
    return attrs.get(name)


def seen_kind(seen):
    """S22: an imported cb:x without kind has kind x for selectors."""
    if seen.node is None:
        return None
    prefix, _, rest = (seen.node["typename"] or "").partition(":")
    implied = rest if prefix in fields.CLASS_OF and rest else None
    stored = seen.attribute("kind")
    return implied if stored is None else stored


def facet(view, seen, name):
    born = seen.attribute("cycle")
    if name == "born_turn":
        return born
    if name == "age":
        return None if born is None else view.snapshot_cycle - born
    if name == "depth":  # S8
        return view.addressed_depth(seen)
    return len(tree.path_to(view.root, seen.node)) - 1


def effective_key(view, seen):
    """A node without a key has its id as key, in canonical only (S5)."""
    key = seen.attribute("key")
    if key is None and view.dialect == "canonical":
        return seen.attribute("id")
    return key


# --- comparing ------------------------------------------------------------------------------------

def number_of(text):
    """A numeric text as int or float, else None (S12)."""
    if not NUMERIC_TEXT.match(text):
        return None
    return int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else float(text)


def text_of(value):
    """A stored scalar as text; None for arrays and objects."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return canonical(value) if isinstance(value, (int, float)) else None


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same_type(view, stored, wanted):
    """nodeType against a name: aliases are equal; in depth and canonical a canonical name stands
    for its class (CF-15, CF-16, S21)."""
    left, right = type_parts(stored), type_parts(wanted)
    if view.dialect != "classic" and wanted in fields.CLASS_OF:
        return not stored.startswith("^") and fields.class_of_type(stored) == right[0]
    return left == right


def type_parts(name):
    prefix, colon, rest = name.partition(":")
    return (fields.CLASS_OF.get(prefix, prefix), colon, rest)


def equals(view, seen, name, value):
    """`=` with one literal."""
    if name == "tag":
        tags = seen.attribute("tags") or []
        return not tags if value[0] == "null" else value[1] in tags
    if name == "type":
        name = "nodeType"
    stored = value_of(view, seen, name)
    if value[0] == "null":
        return stored is None
    if name == "key":
        stored = effective_key(view, seen)
    if stored is None:
        return False
    if name == "nodeType":
        return same_type(view, stored, value[1])
    if name in NUMBERS:
        number = number_of(value[1])
        return number is not None and stored == number
    if name in STRINGS:
        return stored == value[1]
    if value[0] == "number":
        return is_number(stored) and stored == number_of(value[1])
    return isinstance(stored, (str, bool)) and text_of(stored) == value[1]


def ordered(view, seen, name, operator, value):
    """`<` `<=` `>` `>=`; null is on neither side of anything."""
    if value[0] == "null":
        return False
    if name == "tag":
        return any(holds(operator, one, value[1]) for one in seen.attribute("tags") or [])
    if name == "type":
        name = "nodeType"
    stored = effective_key(view, seen) if name == "key" else value_of(view, seen, name)
    if stored is None:
        return False
    if name in STRINGS:
        return holds(operator, stored, value[1])
    right = number_of(value[1])
    if name in NUMBERS:
        return right is not None and holds(operator, stored, right)
    left = stored if is_number(stored) else None
    if isinstance(stored, str):
        left = number_of(stored)
    if left is not None and right is not None:
        return holds(operator, left, right)
    text = text_of(stored)
    return text is not None and holds(operator, text, value[1])


def holds(operator, left, right):
    """Python orders str by code point and int against float exactly."""
    return {"<": left < right, "<=": left <= right, ">": left > right,
            ">=": left >= right}[operator]


def finds(view, seen, name, value):
    """`~`: strings only (S11)."""
    pattern = compiled(value[1])
    if name == "tag":
        return any(pattern.search(one) for one in seen.attribute("tags") or [])
    if name == "type":
        name = "nodeType"
    stored = effective_key(view, seen) if name == "key" else value_of(view, seen, name)
    return isinstance(stored, str) and bool(pattern.search(stored))


def compares(view, seen, name, operator, value):
    if operator == "!=":
        return not compares(view, seen, name, "=", value)
    if operator == "=":
        choices = value[1] if value[0] == "list" else [value]
        return any(equals(view, seen, name, choice) for choice in choices)
    if operator == "~":
        return finds(view, seen, name, value)
    return ordered(view, seen, name, operator, value)


# --- filters --------------------------------------------------------------------------------------

def passes(view, seen, part):
    """Any filter but a pick."""
    if part[0] == "attr":
        return compares(view, seen, part[1], part[2], part[3])
    if part[0] == "present":
        return not equals(view, seen, part[1], ("null",))
    if part[0] == "ephemeral":
        return value_of(view, seen, "ttl") is not None
    if part[0] == "sticky":
        return value_of(view, seen, "ttl") == 1 and value_of(view, seen, "cad") == 1
    if part[0] == "tag":
        return equals(view, seen, "tag", ("text", part[1]))
    if part[0] == "hash":
        name = "key" if view.dialect == "canonical" else "id"
        return equals(view, seen, name, ("text", part[1]))
    if part[0] == "slot":
        offset = value_of(view, seen, "offset")
        return {"pre": offset < 0, "core": offset == 0, "post": offset > 0}[part[1]]
    return in_depths(part[1], view.addressed_depth(seen))


def in_depths(expression, depth):
    if depth is None:
        return False
    for one in expression:
        if one[0] == "range" and one[1] <= depth <= one[2]:
            return True
        if one[0] != "range" and holds(one[0], depth, one[1]):
            return True
    return False


def apply_filters(view, found, filters, by_key):
    """S3: in written order. `by_key`: a pick is over the whole set in key order."""
    for part in filters:
        if part[0] == "pick":
            found = pick(view, found, part, by_key)
        else:
            found = [seen for seen in found if passes(view, seen, part)]
    return found


def pick(view, found, part, by_key):
    if by_key:
        return nth_of(sorted(found, key=key_order), part)
    picked = []
    for parent in {id(seen.parent): seen.parent for seen in found}.values():
        family = [seen for seen in found if seen.parent is parent]
        picked += nth_of(sorted(family, key=lambda seen: seen.place), part)
    return picked


def nth_of(candidates, part):
    index = len(candidates) - 1 if part[1] == "last" else part[2] - 1
    return candidates[index:index + 1] if candidates else []


def key_order(seen):
    """Newest first: the head, turns by depth, ^sys, then what has no depth."""
    if seen.depth is None:
        rank = (2, 0)
    elif seen.depth < 0:
        rank = (1, 0)
    else:
        rank = (0, seen.depth)
    node_id = (seen.attribute("id") or "").encode()
    return rank + (-(seen.attribute("created_at_ns") or 0),
                   -(seen.attribute("creation_index") or 0), node_id)


def names_one_key(view, step):
    """S4: exactly one equality with a key in the step; of a position the last hop counts too."""
    filters = list(step["filters"])
    if step["form"] == "position":
        filters += step["hops"][-1]["filters"]
    named = [part for part in filters
             if part[0] == "attr" and part[1] == "key" and part[2] == "="
             and part[3][0] not in ("null", "list")]
    if view.dialect == "canonical":
        named += [part for part in filters if part[0] == "hash"]
    return len(named) == 1


# --- steps ----------------------------------------------------------------------------------------

def has_type(view, seen, name, with_depth=False):
    """A type token or typed hop. With :depth in the step, .seg takes ^ah and ^sys too (S8)."""
    prefix, _, rest = name.partition(":")
    wanted = fields.CLASS_OF.get(prefix)
    if wanted is None:  # CF-117: an exact nodeType
        return seen.node is not None and seen.node["typename"] == name
    actual = seen.kind_of_node()
    fits = actual == wanted
    if wanted == "turn" and actual in ("ah", "sys") and with_depth and view.dialect != "classic":
        fits = True
    if not fits or not rest:
        return fits
    if view.dialect == "classic":
        return same_type(view, value_of(view, seen, "nodeType"), name)
    return seen_kind(seen) == rest


def is_depth_node(view, seen, expression):
    """The turn or region of that depth itself."""
    return (seen.kind_of_node() in ("turn", "ah", "sys")
            and in_depths(expression, view.addressed_depth(seen)))


def stands_for(view, seen, step):
    """Root, depth, type and star of a step; they describe the node wherever they are written."""
    kind = seen.kind_of_node()
    if seen.node is None and fields.class_of_type(step["type"] or "block") != "cont":  # S7
        return False
    if step["root"] and kind != step["root"]:
        return False
    if step["depth"] and not is_depth_node(view, seen, step["depth"]):
        return False
    if step["star"] and kind == "root":
        return False
    if step["type"] is None:
        return True
    with_depth = any(part[0] == "depth" for part in step["filters"])
    return has_type(view, seen, step["type"], with_depth)


def is_slot(step):
    """S6."""
    return (step["form"] == "compound" and not step["root"] and not step["depth"]
            and not step["type"] and not step["star"] and len(step["filters"]) == 1
            and step["filters"][0][0] == "slot")


def is_child(seen, found):
    return seen.parent in found or (seen.core is not None and seen.core in found)


def is_below(seen, found):
    return any(above in found for above in seen.above())


def follows(seen, step, before, found):
    """Whether the node stands to the step before as the combinator asks."""
    way = {"children": "child", "below": "below"}.get(step["form"], step["link"])
    if before is None:
        if step["form"] == "children":  # at the root: children of the regions
            return seen.parent is not None and seen.parent.kind_of_node() in tree.REGIONS
        return not (step["form"] == "below" or step["loose"]) or seen.parent is not None
    if is_slot(before):
        return seen in found or (way == "below" and is_below(seen, found))
    return is_child(seen, found) if way == "child" else is_below(seen, found)


def run_step(view, step, before, found):
    by_key = names_one_key(view, step)
    if step["form"] == "position":
        reached = run_hops(view, step["hops"])
    elif step["form"] == "within":
        scopes = run_hops(view, step["hops"])
        reached = [seen for seen in view.all
                   if seen.node is not None and is_below(seen, scopes)]
    else:
        reached = [seen for seen in view.all
                   if stands_for(view, seen, step) and follows(seen, step, before, found)]
    return apply_filters(view, reached, step["filters"], by_key)


def run_chain(view, steps):
    """The nodes a group matches, implicit cores among them."""
    before, found = None, None
    for step in steps:
        found = run_step(view, step, before, found)
        before = step
    return found


def run_hops(view, hops):
    """A position: child steps from the root; depths at the start are turns and regions."""
    found = [seen for seen in view.all if seen.parent is None]
    before = None
    for hop in hops:
        kept = []
        if hop["depth"] is not None:
            kept = found if before is not None else []  # within(d1,d3): further scopes
            reached = [seen for seen in view.all if is_depth_node(view, seen, hop["depth"])]
        elif hop["turn"] and before is not None and before["depth"] is not None:
            reached = [seen for seen in found if fits_kind(hop, seen)]
        else:
            reached = [seen for seen in view.all
                       if is_child(seen, found) and fits_hop(view, seen, hop)]
        reached = apply_filters(view, reached, hop["filters"], False)
        found = kept + [seen for seen in reached if seen not in kept]
        before = hop
    return found


def fits_hop(view, seen, hop):
    if seen.node is None and fields.class_of_type(hop["type"] or "block") != "cont":
        return False
    if hop["offset"] is not None and value_of(view, seen, "offset") != hop["offset"]:
        return False
    if hop["type"] is not None and not has_type(view, seen, hop["type"]):
        return False
    return fits_kind(hop, seen)


def fits_kind(hop, seen):
    return hop["kind"] is None or seen_kind(seen) == hop["kind"]


# --- results --------------------------------------------------------------------------------------

def matches(view, parsed):
    """Union of the groups, implicit cores among them, in no particular order."""
    found = {}
    for steps in parsed["groups"]:
        found.update({id(seen): seen for seen in run_chain(view, steps)})
    return list(found.values())


def result(view, parsed, where=None):
    """Filter, order, unique: the nodes of one tree."""
    found = [seen for seen in matches(view, parsed) if seen.node is not None]
    if where is not None:
        inside = matches(view, where)
        found = [seen for seen in found if seen in inside or is_below(seen, inside)]
    found = in_order(view, parsed, found)
    if "unique" in parsed["controls"]:
        found = unique(found)
    return found


def in_order(view, parsed, found):
    order = parsed["controls"].get("order")
    groups = parsed["groups"]
    if order is None and len(groups) == 1 and names_one_key(view, groups[0][-1]):
        return sorted(found, key=key_order)
    if order == "path":
        return sorted(found, key=lambda seen: path_of(seen).encode())
    if order == "bfs":
        return sorted(found, key=lambda seen: (level(seen), seen.place))
    if order == "post":
        return sorted(found, key=lambda seen: postorder(view).index(seen))
    if order in ("turn:asc,pre", "turn:desc,pre"):
        dialect = "classic" if order == "turn:asc,pre" else "canonical"
        other = View(view.root, view.open_cycle, view.snapshot_cycle, dialect)
        places = {id(seen.node): seen.place for seen in other.all}
        return sorted(found, key=lambda seen: places[id(seen.node)])
    return sorted(found, key=lambda seen: seen.place)


def level(seen):
    return 0 if seen.parent is None else 1 + level(seen.parent)


def path_of(seen):
    path = [seen.attribute("id")]
    while seen.parent is not None:
        seen = seen.parent
        path.insert(0, seen.attribute("id"))
    return "/".join(path)


def postorder(view, seen=None):
    if seen is None:
        seen = view.all[0]
    held = [one for one in view.all if one.parent is seen]
    return [inner for one in held for inner in postorder(view, one)] + [seen]


def unique(found):
    """S16: of each stored key the newest, where it stands."""
    kept = []
    for seen in found:
        key = seen.attribute("key")
        family = [one for one in found if one.attribute("key") == key]
        if key is None or seen is min(family, key=key_order):
            kept.append(seen)
    return kept
