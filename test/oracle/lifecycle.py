"""What a commit does to the tree before it seals: expiry, cascade, pruning (T1 to T9).

All functions change the tree they are given and return lists of ids.
"""

import tree
from fault import Fault


# --- who is held ----------------------------------------------------------------------------------

def node_id(node):
    return node["attrs"]["id"]


def stays_always(node, parent):
    """Fixed containers, turns and cores are never taken by expiry, cascade or pruning."""
    return node["class"] in tree.FIXED or node["class"] == "turn" or tree.is_core(node, parent)


def named_by_survivors(root, leaving):
    """Ids that a node outside `leaving` names in its refs."""
    named = set()
    for node, _ in tree.walk(root):
        if node_id(node) not in leaving:
            named.update(node["attrs"].get("refs", ()))
    return named


def call_of(node):
    """T3: the call a node belongs to."""
    call = node["attrs"].get("data_call_id")
    return call if isinstance(call, str) else None


def delete(root, doomed):
    """Takes the nodes with these ids, and all they hold, out of the tree."""
    root["children"] = [child for child in root["children"] if node_id(child) not in doomed]
    for child in root["children"]:
        delete(child, doomed)


# --- expiry ---------------------------------------------------------------------------------------

def due_nodes(root, cycle):
    return [node for node, parent in tree.walk(root)
            if node["expires"] not in (None, tree.ABSENT) and node["expires"] <= cycle
            and not stays_always(node, parent)]


def expire(root, cycle):
    """T2: the largest set of due nodes that can leave together; returns what left, in order."""
    leaving = due_nodes(root, cycle)
    while True:
        gone = {inner for node in leaving for inner in tree.ids(node)}
        held = held_back(root, gone)
        still = [node for node in leaving if not held.intersection(tree.ids(node))]
        if len(still) == len(leaving):
            break
        leaving = still
    expired = [node_id(node) for node, _ in tree.walk(root) if node_id(node) in gone]
    delete(root, gone)
    return expired


def held_back(root, gone):
    """Those of `gone` that must stay if exactly `gone` were to leave."""
    named = named_by_survivors(root, gone)
    calls_that_stay = {call_of(node) for node, _ in tree.walk(root)
                       if node_id(node) not in gone and call_of(node) is not None}
    return {node_id(node) for node, _ in tree.walk(root)
            if node_id(node) in gone
            and (node["attrs"].get("pinned") or node_id(node) in named
                 or call_of(node) in calls_that_stay)}


# --- cascade --------------------------------------------------------------------------------------

def cascade(root):
    """Empty removable conts go, pass after pass, until a pass finds none (T5, CF-59)."""
    cascaded = []
    while True:
        empty = empty_groups(root)
        if not empty:
            return cascaded
        cascaded += empty
        delete(root, set(empty))


def empty_groups(root):
    """What one pass takes, in tree order: pinned and referenced ones stay (T4)."""
    empty = [node_id(node) for node, parent in tree.walk(root)
             if node["class"] == "cont" and not node["children"]
             and node["attrs"].get("removable") and not node["attrs"].get("pinned")
             and not tree.is_core(node, parent)]
    while True:
        named = named_by_survivors(root, set(empty))
        free = [one for one in empty if one not in named]
        if len(free) == len(empty):
            return empty
        empty = free


# --- pruning --------------------------------------------------------------------------------------

def prune(root, policy):
    """Enforces every limit in the order of P6. Returns (pruned, cascaded)."""
    pruned, cascaded = [], []
    for limit in limits_of(policy):
        while is_broken(root, limit):
            victims = next_victims(root, policy, limit)
            if not victims:
                break
            pruned += victims
            delete(root, set(victims))
            cascaded += cascade(root)
    return pruned, cascaded


def limits_of(policy):
    """(name, region or None, max) in the order of enforcement."""
    limits = [("max_turns", None, policy["max_turns"])]
    for name in tree.REGIONS:
        of_region = policy["regions"].get(name) or {}
        limits.append((name + ".max_nodes", name, of_region.get("max_nodes")))
    limits.append(("max_nodes", None, policy["max_nodes"]))
    return [limit for limit in limits if limit[2] is not None]


def actual(root, limit):
    name, of_region, most = limit
    if name == "max_turns":
        return deepest_full_turn(root)
    if of_region:
        return len(tree.ids(tree.region(root, of_region))) - 1
    return tree.count(root)


def is_broken(root, limit):
    return actual(root, limit) > limit[2]


def deepest_full_turn(root):
    """T7: the greatest depth after this sealing at which a turn still holds more than its core."""
    deepest = 1 if loose_nodes(tree.region(root, "ah")) else 0
    for turn in tree.region(root, "seq")["children"]:
        if loose_nodes(turn):
            deepest = max(deepest, tree.turn_depth(root, turn) + 1)
    return deepest


def loose_nodes(container):
    """What a turn or the head holds, its cores apart."""
    return [node for node, parent in tree.walk(container)
            if node is not container and not tree.is_core(node, parent)]


def next_victims(root, policy, limit):
    """The first prunable node in pruning order, with all that must go with it; [] if none."""
    allowed = prunable_ids(root, policy)
    for node in sorted(candidates(root, limit), key=pruning_order):
        together = leaves_with(root, node)
        if set(together) <= allowed and not set(together) & named_by_survivors(root, set(together)):
            return together
    return []


def pruning_order(node):
    attrs = node["attrs"]
    return (attrs.get("priority", 0), attrs.get("created_at_ns", 0), node_id(node).encode())


def candidates(root, limit):
    """Nodes whose going would serve the limit; whether they may go is another question."""
    name, of_region, most = limit
    if name == "max_turns":
        return [node for turn in turns_beyond(root, most) for node in loose_nodes(turn)]
    top = tree.region(root, of_region) if of_region else root
    return [node for node, parent in tree.walk(top) if parent is not None]


def turns_beyond(root, most):
    """T7: turns whose depth after this sealing exceeds `most`; the head will have depth 1."""
    beyond = [turn for turn in tree.region(root, "seq")["children"]
              if tree.turn_depth(root, turn) + 1 > most]
    return beyond + ([tree.region(root, "ah")] if most < 1 else [])


def prunable_ids(root, policy):
    """T6: what policy and pins allow to go; refs and call partners are looked at per victim."""
    allowed = set()
    for name in policy["prune_regions"]:
        for node, parent in tree.walk(tree.region(root, name)):
            if (parent is not None and not stays_always(node, parent)
                    and not node["attrs"].get("pinned") and not protected(root, node, policy)):
                allowed.add(node_id(node))
    return allowed


def protected(root, node, policy):
    """`protect_recent_turns` counts depths before this sealing."""
    node_depth = tree.depth(root, node)
    return node_depth >= 1 and node_depth <= policy["protect_recent_turns"]


def leaves_with(root, node):
    """T5: the node with its subtree, then its call partners with theirs."""
    together = tree.ids(node)
    while True:
        calls = {call_of(one) for one, _ in tree.walk(root) if node_id(one) in together} - {None}
        partners = [one for one, _ in tree.walk(root)
                    if call_of(one) in calls and node_id(one) not in together]
        if not partners:
            return together
        for partner in partners:
            together += [inner for inner in tree.ids(partner) if inner not in together]


# --- the whole ------------------------------------------------------------------------------------

def run(root, cycle, policy):
    """Expiry, cascade, pruning. Returns the lists a commit answers with."""
    expired = expire(root, cycle)
    cascaded = cascade(root)
    pruned, over_limit = [], []
    if policy is not None:
        pruned, more = prune(root, policy)
        cascaded += more
        over_limit = [{"limit": limit[0], "max": limit[2], "actual": actual(root, limit)}
                      for limit in limits_of(policy) if is_broken(root, limit)]
        if over_limit and policy["strict"]:
            raise Fault("E_LIMIT_EXCEEDED", "the policy's limits cannot be met", over_limit[0])
    deferred = [node_id(node) for node in due_nodes(root, cycle)]
    return {"expired": expired, "cascaded": cascaded, "pruned": pruned, "deferred": deferred,
            "over_limit": over_limit}
