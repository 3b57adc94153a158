"""The naive model: one context, and the operations on it.

Every operation runs on a copy of the context (`oracle.py` keeps the copy only if it succeeds), so
none of them has to undo anything. Rule names are those of the specification notes: P protocol,
I nodes, L/M placement, T time, X import.
"""

import time
import uuid

import fields
import importer
import lifecycle
import placement
import selector_time
import tree
from fault import Fault, invalid_request, over_limit
from strict_json import canonical

POLICY_DEFAULTS = {"max_nodes": None, "max_turns": None, "max_tokens": None,
                   "protect_recent_turns": 0, "prune_regions": ["seq"], "regions": {},
                   "strict": False}


TREE_DEPTH_MAX = 128


class Context:
    def __init__(self):
        self.config = {"dialect": "canonical", "clock": "system", "ids": "counter",
                       "policy": None, "authorize_sys": True, "odi": "demote",
                       "durability": "full", "journal": "off"}
        self.root = tree.fresh()
        self.open_cycle = 1
        self.ticks = 0            # of the clock now configured
        self.next_index = 0       # next creation_index of the open cycle
        self.last_stamp = None    # greatest created_at_ns made in the open cycle
        self.snapshots = []       # {"cycle", "root", "committed_at_iso"}, oldest first
        self.answers = {}         # idempotency key -> answer of its commit
        self.attempts = []

    def copy(self):
        twin = Context.__new__(Context)
        twin.__dict__.update(self.__dict__)
        twin.config = dict(self.config)
        twin.root = tree.copy(self.root)
        twin.snapshots = list(self.snapshots)
        twin.answers = dict(self.answers)
        twin.attempts = [dict(record) for record in self.attempts]
        return twin

    # --- clock and ids ----------------------------------------------------------------------------

    def reading(self):
        """What the next tick of the clock reads."""
        clock = self.config["clock"]
        if clock == "system":
            return time.time_ns()
        return clock["start_ns"] + self.ticks * clock["step_ns"]

    def take_stamp(self, explicit_ns=None, explicit_index=None):
        """One tick, one index. I1 for given ones. Returns (created_at_ns, creation_index)."""
        stamp = self.reading()
        self.ticks += 1
        if self.last_stamp is not None:
            stamp = max(stamp, self.last_stamp + 1)
        if explicit_ns is not None:
            if self.last_stamp is not None and explicit_ns <= self.last_stamp:
                raise Fault("E_PLACEMENT_INVALID", "created_at_ns is not the newest")
            stamp = explicit_ns
        index = self.next_index if explicit_index is None else explicit_index
        if index < self.next_index:
            raise Fault("E_PLACEMENT_INVALID", "creation_index is used up")
        self.last_stamp = stamp
        self.next_index = index + 1
        return stamp, index

    def used_ids(self):
        used = set(tree.ids(self.root))
        for snapshot in self.snapshots:
            used.update(tree.ids(snapshot["root"]))
        return used

    def default_id(self, node_class, index):
        if self.config["ids"] == "uuid":
            return str(uuid.uuid4())
        name = fields.NAMES[self.config["dialect"]][node_class]
        text = "%s:%d" % (name, self.open_cycle)
        if node_class != "turn":
            text += ".%d" % index
        return importer.free_id(text, self.used_ids())

    def new_node(self, node_class, given, type_name=None):
        """A node of the open cycle with all nine headers; `given` has passed fields.check."""
        stamp, index = self.take_stamp(given.get("created_at_ns"), given.get("creation_index"))
        attrs = {"offset": 0, "priority": 0}
        attrs.update(fields.stored(given))
        if "id" not in attrs:
            attrs["id"] = self.default_id(node_class, index)
        attrs.update(nodeType=type_name or fields.NAMES[self.config["dialect"]][node_class],
                     cycle=self.open_cycle, created_at_ns=stamp, created_at_iso=tree.iso(stamp),
                     creation_index=index)
        ttl = attrs.pop("ttl", None)
        expires = None if ttl is None else self.open_cycle + ttl
        return tree.make(node_class, attrs, expires, self.open_cycle)

    # --- lookups ----------------------------------------------------------------------------------

    def find(self, node_id):
        node, parent = tree.find(self.root, node_id)
        if node is None:
            raise Fault("E_NODE_NOT_FOUND", "no node " + node_id)
        return node, parent

    def find_parent(self, name):
        """L1: a region by its nodeType, or any node by id."""
        if name is None:
            return tree.region(self.root, "ah")
        if name == "^root":
            return self.root
        if name in ("^sys", "^seq", "^ah"):
            return tree.region(self.root, name[1:])
        return self.find(name)[0]

    def authorize(self, *nodes):
        """L8."""
        if self.config["authorize_sys"]:
            return
        if any(tree.region_of(self.root, node) == "sys" for node in nodes):
            raise Fault("E_NOT_AUTHORIZED", "authorize_sys is off")

    def is_fresh(self, node):
        """Made in the open cycle, hence in no snapshot yet."""
        return node["made"] == self.open_cycle

    def view(self, at):
        """(root, cycle that counts as open for ttl) of a resolved snapshot or the working state."""
        if at is None:
            return self.root, self.open_cycle
        return at["root"], at["cycle"] + 1

    # --- placement --------------------------------------------------------------------------------

    def check_landing(self, parent, node_class, offset, removable):
        """L1 to L3: may such a node be put there by hand?"""
        if parent["class"] in ("root", "seq", "block"):
            raise Fault("E_PLACEMENT_INVALID", "that parent takes no such child")
        if tree.in_sealed_core(self.root, parent):
            raise Fault("E_SEALED", "a sealed core")
        if offset != 0 or parent["class"] not in ("turn", "ah"):
            return
        if node_class == "cont" and tree.cores(parent):
            raise Fault("E_CORE_EXISTS", "there is a core already")
        if parent["class"] == "turn":
            raise Fault("E_SEALED", "the core of a sealed turn")
        if node_class == "cont" and removable:
            raise Fault("E_PLACEMENT_INVALID", "a core is not removable")

    def land(self, parent, node_class, offset):
        """The node that will hold it: an offset-0 block in the head goes to its core."""
        if parent["class"] == "ah" and node_class == "block" and offset == 0:
            if not tree.cores(parent):
                parent["children"].append(self.new_node("cont", {}))
            return tree.cores(parent)[0]
        return parent

    def check_id(self, node_id):
        """I2."""
        if node_id is None:
            return
        if node_id in self.used_ids() or fields.is_default_id(node_id, self.open_cycle):
            raise Fault("E_ID_EXISTS", "taken: " + node_id)

    def add(self, given, parent_name, at=None, any_name=False):
        fields.check(given, any_name=any_name)
        node_class, type_name, kind = self.read_type(given, "block")
        spot = placement.find(self, parent_name, at)
        self.authorize(spot["parent"])
        offset = given.get("offset") or 0
        placement.check_landing(self, spot, node_class, offset, given.get("removable"))
        later = placement.later_siblings(self, spot, node_class, offset)
        self.check_id(given.get("id"))
        holder = placement.land(self, spot, node_class, offset)
        node = self.new_node(node_class, with_kind(given, kind), type_name)
        holder["children"].append(node)
        placement.settle(self, spot, holder, node, later)
        self.check_height()
        return {"id": node["attrs"]["id"], "cycle": self.open_cycle}

    def check_height(self):
        # Levels below the root; a head gains one when it is sealed.
        head = tree.height(tree.region(self.root, "ah")) + 1
        if max(tree.height(self.root) - 1, head) > TREE_DEPTH_MAX:
            raise over_limit("depth of the tree", TREE_DEPTH_MAX)

    def read_type(self, given, default_class):
        name = given.get("nodeType")
        if name is None:
            return default_class, None, None
        return fields.read_type(name, self.config["dialect"])

    # --- edits ------------------------------------------------------------------------------------

    def update(self, node_id, changes):
        node, _ = self.find(node_id)
        self.authorize(node)
        self.check_frozen(node, changes)
        fields.check(changes, fields.NEVER_UPDATED)
        for name, value in changes.items():
            self.set_field(node, name, value)
        fields.check_limits(node["attrs"])
        return {"id": node_id}

    def check_frozen(self, node, changes):
        """Nodes of this cycle are free; older ones in ^sys may change their content (I9)."""
        if self.is_fresh(node):
            return
        if node["class"] in tree.FIXED or tree.region_of(self.root, node) != "sys":
            raise Fault("E_SEALED", "made in an earlier cycle")
        for name in changes:
            if name != "content" and not name.startswith(("content_", "data_")):
                raise Fault("E_SEALED", name + " is frozen")

    def set_field(self, node, name, value):
        if name == "ttl":
            node["expires"] = None if value is None else self.open_cycle + value
        elif fields.stored({name: value}):
            node["attrs"][name] = value
        elif name == "priority":
            node["attrs"][name] = 0
        else:
            node["attrs"].pop(name, None)

    def replace(self, node_id, given):
        """L5."""
        old, parent = self.find(node_id)
        fields.check(given)
        node_class, type_name, kind = self.read_type(given, old["class"])
        self.authorize(old)
        self.check_movable(old, parent)
        if node_class != old["class"]:
            raise Fault("E_PLACEMENT_INVALID", "another type")
        offset = tree.offset(old)
        if given.get("offset") not in (None, offset):
            raise Fault("E_PLACEMENT_INVALID", "another offset")
        self.check_id(given.get("id"))
        node = self.new_node(node_class, with_kind(dict(given, offset=offset), kind), type_name)
        parent["children"].append(node)
        lifecycle.delete(self.root, {node_id})
        return {"id": node["attrs"]["id"], "replaced": node_id}

    def check_movable(self, node, parent):
        """L5, L6: what can be neither replaced nor moved."""
        if node["class"] == "turn":
            raise Fault("E_SEALED", "a turn")
        if node["class"] in tree.FIXED or tree.is_core(node, parent):
            raise Fault("E_PLACEMENT_INVALID", "a core or fixed container")
        if tree.in_sealed_core(self.root, node):
            raise Fault("E_SEALED", "in a sealed core")

    def move(self, node_id, parent_name, offset, at=None):
        """L6, M1. Creation headers stay, unless a held node changes regions or a mark says where."""
        node, old_parent = self.find(node_id)
        if parent_name is None and at is None:
            spot = {"parent": old_parent, "mark": None, "core": False}
        else:
            spot = placement.find(self, parent_name, at)
        target = spot["parent"]
        self.authorize(*[end for end in (node, target) if end is not None])
        self.check_movable(node, old_parent)
        if target["class"] in ("root", "seq", "block"):
            raise Fault("E_PLACEMENT_INVALID", "that parent takes no such child")
        if any(above is node for above in tree.path_to(self.root, target)):
            raise Fault("E_CYCLE_DETECTED", "under itself")
        new_offset = tree.offset(node) if offset is None else offset
        removable = node["attrs"].get("removable")
        placement.check_landing(self, spot, node["class"], new_offset, removable)
        crosses = tree.region_of(self.root, node) != tree.region_of(self.root, target)
        later = placement.later_siblings(self, spot, node["class"], new_offset, node)
        if spot["mark"] is not None and not crosses and not self.is_fresh(node):  # M1
            raise Fault("E_PLACEMENT_INVALID", "the stamps of a held node stay")
        holder = placement.land(self, spot, node["class"], new_offset)
        old_parent["children"] = [one for one in old_parent["children"] if one is not node]
        holder["children"].append(node)
        if offset is not None:
            node["attrs"]["offset"] = offset
        if spot["mark"] is not None and self.is_fresh(node):
            placement.restamp(self, node)
        if crosses:
            self.rename_held(node)
        placement.settle(self, spot, holder, node, later)
        self.check_height()
        return {"id": node["attrs"]["id"]}

    def rename_held(self, top):
        """M1: every node of the subtree that a snapshot holds becomes a new one, in tree order."""
        for node in [node for node, _ in tree.walk(top)]:
            if self.is_fresh(node):
                continue
            stamp, index = self.take_stamp()
            node["attrs"].update(id=self.default_id(node["class"], index), cycle=self.open_cycle,
                                 created_at_ns=stamp, created_at_iso=tree.iso(stamp),
                                 creation_index=index)
            node["made"] = self.open_cycle

    def remove(self, node_id):
        """L4."""
        self.find(node_id)
        return self.remove_all([node_id])

    def remove_selected(self, selector):
        return self.remove_all(selector_time.select_for_removal(self, selector))

    def remove_all(self, doomed):
        """All or nothing; `doomed` in tree order."""
        nodes = [self.find(node_id)[0] for node_id in doomed]
        self.authorize(*nodes)
        for node in nodes:
            if node["class"] in tree.FIXED:
                raise Fault("E_PLACEMENT_INVALID", "a fixed container")
            if node["class"] == "turn" or tree.in_sealed_core(self.root, node):
                raise Fault("E_SEALED", "a turn, or in a sealed core")
        gone = {inner for node in nodes for inner in tree.ids(node)}
        removed = [one for one in tree.ids(self.root) if one in gone]
        lifecycle.delete(self.root, gone)
        return {"removed": removed}

    def pin(self, node_id, pinned):
        """L9; I8: unpin deletes."""
        node, _ = self.find(node_id)
        self.authorize(node)
        node["attrs"].pop("pinned", None)
        if pinned:
            node["attrs"]["pinned"] = True
        return {"id": node_id, "pinned": pinned}

    # --- commit -----------------------------------------------------------------------------------

    def commit(self, expect_cycle=None, idempotency_key=None, hashes=True):
        if idempotency_key == "":
            raise Fault("E_REQUEST_INVALID", "an idempotency key must not be empty")
        if idempotency_key is not None and idempotency_key in self.answers:  # P7
            return self.answers[idempotency_key]
        if expect_cycle is not None and expect_cycle != self.open_cycle:
            raise Fault("E_CONFLICT", "the open cycle is %d" % self.open_cycle)
        answer = self.run_commit(hashes)
        if idempotency_key is not None:
            self.answers[idempotency_key] = answer
        return answer

    def run_commit(self, hashes):
        cycle = self.open_cycle
        if len(tree.cores(tree.region(self.root, "ah"))) > 1:  # T10
            raise Fault("E_CORE_EXISTS", "the head has two cores")
        lists = lifecycle.run(self.root, cycle, self.config["policy"])
        turn = self.seal()
        self.keep_snapshot(cycle, tree.copy(self.root), turn["attrs"]["created_at_iso"])
        answer = {"cycle": cycle, "sealed": turn["attrs"]["id"], "durable": False,
                  "expired": lists["expired"], "cascaded": lists["cascaded"],
                  "pruned": lists["pruned"], "deferred": lists["deferred"], "materialized": []}
        if hashes:
            answer["thread_sha256"] = tree.sha256(tree.thread(self.root))
        answer["tree_sha256"] = tree.fingerprint(self.root)
        if lists["over_limit"]:
            answer["over_limit"] = lists["over_limit"]
        return answer

    def seal(self):
        """A missing core first, then the turn, which takes over the head's children."""
        head = tree.region(self.root, "ah")
        if not tree.cores(head):
            core = self.new_node("cont", {})
            loose, head["children"] = head["children"], [core]
            for node in loose:
                of_core = node["class"] == "block" and tree.offset(node) == 0
                (core if of_core else head)["children"].append(node)
        turn = self.new_node("turn", {})
        turn["children"], head["children"] = head["children"], []
        tree.region(self.root, "seq")["children"].append(turn)
        return turn

    def keep_snapshot(self, cycle, root, committed_at_iso):
        self.snapshots.append({"cycle": cycle, "root": root, "committed_at_iso": committed_at_iso})
        self.open_cycle = cycle + 1
        self.next_index = 0
        self.last_stamp = None

    # --- import -----------------------------------------------------------------------------------

    def import_snapshot(self, document, strict):
        cycle, root, warnings = importer.read_document(document, self.config["dialect"],
                                                       self.open_cycle)
        if strict and importer.breaches(root):
            raise Fault("E_IMPORT_INVALID", importer.breaches(root)[0])
        seq = tree.region(root, "seq")
        newest = tree.children(seq)[-1:] if seq else []
        when = newest[0]["attrs"].get("created_at_iso") if newest else None
        self.keep_snapshot(cycle, root, when)
        self.root = tree.copy(root)
        importer.add_missing_regions(self.root, set(records({"root": root, "cycle": cycle})))
        self.check_height()
        return {"cycle": cycle, "nodes": tree.count(root), "warnings": warnings}

    def import_log(self, entries):
        """X5: system lines to ^sys; a user line after any other opens a new turn."""
        before = None
        for entry in entries:
            given = self.read_entry(entry)
            if given["role"] == "system":
                self.authorize(tree.region(self.root, "sys"))
                self.add_entry(given, "^sys")
                continue
            if given["role"] == "user" and before not in (None, "user"):
                self.run_commit(hashes=False)
            before = given["role"]
            self.add_entry(given, "^ah")
        return {"cycle": self.open_cycle, "nodes": len(entries), "warnings": []}

    def read_entry(self, entry):
        if not isinstance(entry, dict) or not isinstance(entry.get("role"), str):
            raise Fault("E_IMPORT_INVALID", "not a log entry")
        given = dict(entry)
        if given.get("kind") is None:
            given["kind"] = "text"
        return given

    def add_entry(self, given, parent_name):
        try:
            self.add(given, parent_name, any_name=True)
        except Fault as fault:
            raise Fault("E_IMPORT_INVALID", str(fault)) from None

    # --- reading ----------------------------------------------------------------------------------

    def get(self, node_id, at):
        root, open_cycle = self.view(at)
        node, parent = tree.find(root, node_id)
        if node is None:
            raise Fault("E_NODE_NOT_FOUND", "no node " + node_id)
        parent_id = parent["attrs"]["id"] if parent else None
        return dict(tree.shown(root, node, open_cycle), parent_id=parent_id)

    def show_tree(self, at, levels):
        root, open_cycle = self.view(at)
        return tree.nested(root, root, open_cycle, levels)

    def serialize(self, at):
        root, open_cycle = self.view(at)
        text = tree.serialize(root, open_cycle)
        return {"bytes": text, "sha256": tree.sha256(text)}

    def render(self, at):
        """The working state is shown as committing now would leave it."""
        if at is None:
            trial = self.copy()
            trial.run_commit(hashes=False)
            body = tree.thread(trial.root)
        else:
            body = tree.thread(at["root"])
        return {"format": "thread", "body": body, "sha256": tree.sha256(body), "bytes": len(body)}

    def log(self, limit, cursor, hashes):
        """X7: newest first; the first entry is compared with an empty tree."""
        entries = []
        for older, newer in zip([None] + self.snapshots, self.snapshots):
            if cursor is None or newer["cycle"] < cursor:
                entries.append(log_entry(older, newer, hashes))
        entries.reverse()
        return entries if limit is None else entries[:limit]

    def stats(self):
        return {"cycle": self.open_cycle, "snapshots": len(self.snapshots),
                "nodes": tree.count(self.root), "tree_sha256": tree.fingerprint(self.root)}

    # --- attempts ---------------------------------------------------------------------------------

    def start_attempt(self, provider, model, params, params_hash):
        if params is not None:
            params_hash = tree.sha256(canonical(params))
        record = {"attempt_id": "attempt:%d.%d" % (self.open_cycle, len(self.attempts) + 1),
                  "cycle_id": self.open_cycle, "status": "running",
                  "started_at": tree.iso(self.reading()), "ended_at": None, "provider": provider,
                  "model": model, "params_hash": params_hash, "token_in": None, "token_out": None}
        self.attempts.append(record)
        return dict(record)

    def finish_attempt(self, attempt_id, status, token_in, token_out, error):
        for record in self.attempts:
            if record["attempt_id"] == attempt_id:
                break
        else:
            raise Fault("E_NODE_NOT_FOUND", "no attempt " + attempt_id)
        if record["status"] != "running":
            raise invalid_request("the attempt has ended")
        record.update(status=status, ended_at=tree.iso(self.reading()), token_in=token_in,
                      token_out=token_out)
        if error is not None:
            record["error"] = error
        return dict(record)

    def list_attempts(self, cycle):
        return {"attempts": [dict(record) for record in self.attempts
                             if cycle is None or record["cycle_id"] == cycle]}


def with_kind(given, kind):
    """A node made as block:summary has that kind unless it was given another."""
    if kind is None or given.get("kind") is not None:
        return given
    return dict(given, kind=kind)


# --- log ------------------------------------------------------------------------------------------

def log_entry(older, newer, hashes):
    before = records(older) if older else {}
    after = records(newer)
    fixed = fixed_ids(newer) | (fixed_ids(older) if older else set())
    entry = {"cycle": newer["cycle"], "committed_at_iso": newer["committed_at_iso"],
             "added": len(set(after) - set(before) - fixed),
             "removed": len(set(before) - set(after) - fixed),
             "changed": sum(1 for node in before if node in after and before[node] != after[node]),
             "nodes": tree.count(newer["root"]), "tokens": None, "tags": []}
    if hashes:
        entry["thread_sha256"] = tree.sha256(tree.thread(newer["root"]))
    return entry


def fixed_ids(snapshot):
    return {node["attrs"]["id"] for node, _ in tree.walk(snapshot["root"])
            if node["class"] in tree.FIXED}


def records(snapshot):
    """Id -> everything a diff looks at: stored attributes, shown ttl, parent (absent = null)."""
    found = {}
    for node, parent in tree.walk(snapshot["root"]):
        seen = dict(node["attrs"], ttl=tree.shown_ttl(node, snapshot["cycle"] + 1),
                    nodeType=node["typename"])  # a missing one is known for every node (X6)
        seen = {name: value for name, value in seen.items() if value is not None}
        parent_id = parent["attrs"]["id"] if parent else None
        found[node["attrs"]["id"]] = canonical([seen, parent_id,
                                                tree.content_hash(node["attrs"])])
    return found
