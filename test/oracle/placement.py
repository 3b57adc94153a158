"""Where `add` and `move` put a node: a parent by name, or a position with an insertion mark (L7).

A spot is a dict: parent, mark (None without `at`), and `core`: True where the position names the
implicit core of a turn or head, which has to be made first.
"""

import selector_match
import selector_parse
import selector_time
import tree
from fault import Fault, invalid_request


def find(context, parent_name, at):
    """P1: both given, then the lookup."""
    if at is None:
        return {"parent": context.find_parent(parent_name), "mark": None, "core": False}
    if parent_name is not None:
        raise invalid_request("at or parent, not both")
    place = selector_parse.parse_place(at)
    if place["facets"]:
        raise Fault("E_FACET_NEEDS_SNAPSHOT", "a facet in the working state")
    view = selector_time.view_of(context, None, context.config["dialect"], selector_match.View)
    named = selector_match.run_hops(view, place["hops"])
    if len(named) != 1:
        raise Fault("E_PLACEMENT_INVALID", "the position names %d parents" % len(named),
                    {"matched": [seen.attribute("id") for seen in named]})
    seen = named[0]
    core = seen.node is None
    return {"parent": (seen.parent if core else seen).node, "mark": place["mark"], "core": core}


def check_landing(context, spot, node_class, offset, removable):
    """An implicit core: that of the head takes anything, that of a turn is sealed (L3)."""
    if not spot["core"]:
        context.check_landing(spot["parent"], node_class, offset, removable)
    elif spot["parent"]["class"] == "turn":
        raise Fault("E_SEALED", "a sealed core")


def later_siblings(context, spot, node_class, offset, apart=None):
    """Siblings the mark puts behind the node, in order; [] without a mark. `apart`: itself."""
    if spot["mark"] is None:
        return []
    holder = None if spot["core"] else spot["parent"]
    if holder is not None and goes_to_core(holder, node_class, offset):
        holder = (tree.cores(holder) or [None])[0]
    siblings = [] if holder is None else [
        node for node in tree.children(holder) if tree.offset(node) == offset and node is not apart]
    later = after_mark(siblings, spot["mark"])
    if not all(context.is_fresh(node) for node in later):
        raise Fault("E_PLACEMENT_INVALID", "a later sibling is older than this cycle")
    return later


def after_mark(siblings, mark):
    word, number = mark
    if word == "start":
        return siblings
    if word == "end":
        return []
    if not 1 <= number <= len(siblings):
        raise Fault("E_PLACEMENT_INVALID", "there is no child %d" % number)
    return siblings[number if word == "after" else number - 1:]


def goes_to_core(parent, node_class, offset):
    return parent["class"] == "ah" and node_class == "block" and offset == 0


def land(context, spot, node_class, offset):
    """The node that will hold it, with the core it may need."""
    if spot["core"]:
        core = context.new_node("cont", {})
        spot["parent"]["children"].append(core)
        return core
    return context.land(spot["parent"], node_class, offset)


def restamp(context, node):
    stamp, index = context.take_stamp()
    node["attrs"].update(created_at_ns=stamp, created_at_iso=tree.iso(stamp), creation_index=index)


def settle(context, spot, holder, node, later):
    """The later siblings take fresh stamps, in order; then the node must be where it was wanted."""
    if spot["mark"] is None:
        return
    for sibling in later:
        restamp(context, sibling)
    equals = [one for one in tree.children(holder) if tree.offset(one) == tree.offset(node)]
    behind = equals[[id(one) for one in equals].index(id(node)) + 1:]
    if [id(one) for one in behind] != [id(one) for one in later]:
        raise Fault("E_PLACEMENT_INVALID", "the place cannot be had")
