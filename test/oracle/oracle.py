"""Requests in, answers out: shapes of arguments (P1, P2), contexts, snapshot names (P9)."""

import re

import difference
import fields
import selector_parse
import selector_time
import strict_json
import tree
from fault import Fault, invalid_request
from model import POLICY_DEFAULTS, Context
from strict_json import is_int64

CONTEXT_NAME = re.compile(r"[A-Za-z0-9._-]{1,128}\Z", re.ASCII)
MAKES_CONTEXT = ("configure", "import", "add")
FORMATS = ("thread", "openai-chat", "openai-responses", "anthropic", "gemini", "text")


# --- argument types -------------------------------------------------------------------------------

def is_object(value):
    return isinstance(value, dict)


def is_array(value):
    return isinstance(value, list)


def is_count(value):
    return is_int64(value) and value >= 0


def one_of(*names):
    return lambda value: isinstance(value, str) and value in names


def is_snapshot_name(value):
    """P9; a name without @ could be a tag."""
    if not isinstance(value, str) or value == "":
        return False
    return not value.startswith("@") or bool(re.match(r"@(t[+-]?[0-9]+|c[0-9]+)\Z", value))


def is_state_name(value):
    """A snapshot, also of another context: NAME@c12."""
    if not isinstance(value, str):
        return False
    return is_snapshot_name(value[value.index("@"):] if "@" in value else value)


def is_node(value):
    """A JSON object, or a node literal."""
    return is_object(value) or isinstance(value, str)


def is_materialize(value):
    return fields.is_string_list(value) and set(value) <= {"content", "mime", "encoding",
                                                           "content_hash"}


def is_clock(value):
    if value == "system":
        return True
    return (is_object(value) and set(value) == {"start_ns", "step_ns"}
            and is_count(value["start_ns"]) and is_count(value["step_ns"])
            and value["step_ns"] >= 1)


def is_policy(value):
    """P6. Nobody here counts tokens, so limits of them are not given but to be refused."""
    if not is_object(value) or not set(value) <= set(POLICY_DEFAULTS):
        return False
    checks = {"max_nodes": is_count, "max_turns": is_count, "max_tokens": lambda _: False,
              "protect_recent_turns": is_count, "prune_regions": is_region_list,
              "regions": is_region_limits, "strict": fields.is_bool}
    return all(item is None or checks[name](item) for name, item in value.items())


def is_region_list(value):
    return fields.is_string_list(value) and set(value) <= set(tree.REGIONS)


def is_region_limits(value):
    if not is_object(value) or not set(value) <= set(tree.REGIONS):
        return False
    return all(is_object(limits) and set(limits) <= {"max_nodes", "max_tokens"}
               and limits.get("max_tokens") is None
               and (limits.get("max_nodes") is None or is_count(limits["max_nodes"]))
               for limits in value.values())


TEXT, BOOL, ANY = fields.is_string, fields.is_bool, fields.is_anything
DIALECT = one_of("classic", "depth", "canonical")

# Per operation: its arguments and their types; a name ending in ! is required.
ARGUMENTS = {
    "configure": {"dialect": DIALECT, "clock": is_clock,
                  "ids": one_of("counter", "uuid"), "policy": is_policy, "authorize_sys": BOOL,
                  "odi": one_of("demote", "reject"), "durability": one_of("full", "relaxed"),
                  "journal": one_of("off", "on")},
    "add": {"node!": is_node, "at": TEXT, "parent": TEXT},
    "update": {"id!": TEXT, "set!": is_object},
    "replace": {"id!": TEXT, "node!": is_object},
    "move": {"id!": TEXT, "parent": TEXT, "offset": is_int64, "at": TEXT},
    "remove": {"id": TEXT, "selector": TEXT},
    "pin": {"id!": TEXT},
    "unpin": {"id!": TEXT},
    "commit": {"expect_cycle": is_int64, "idempotency_key": TEXT, "hashes": BOOL},
    "select": {"selector!": TEXT, "snapshot": is_snapshot_name, "dialect": DIALECT,
               "skip": is_count, "limit": is_count, "where": TEXT, "includeContent": BOOL,
               "contentMode": one_of("unified", "jsonpatch", "tokens"), "contextLines": is_count,
               "materialize": is_materialize, "maxSnapshots": is_count,
               "maxChangesPerSnapshot": is_count},
    "diff": {"from!": is_state_name, "to!": is_state_name, "selector": TEXT, "detail": BOOL,
             "moves": BOOL},
    "get": {"id!": TEXT, "at": is_snapshot_name},
    "tree": {"at": is_snapshot_name, "depth": is_count},
    "render": {"at": is_snapshot_name, "format": one_of(*FORMATS), "lossy": BOOL},
    "serialize": {"at": is_snapshot_name},
    "hash": {"node!": is_object},
    "import": {"snapshot": is_object, "log": is_array, "thread": ANY, "format": TEXT,
               "strict": BOOL, "lenient": BOOL},
    "log": {"limit": is_count, "cursor": is_int64, "hashes": BOOL},
    "verify": {},
    "stats": {},
}
ATTEMPT_ARGUMENTS = {
    "start": {"provider": TEXT, "model": TEXT, "params": ANY, "params_hash": TEXT},
    "finish": {"attempt_id!": TEXT, "status!": one_of("completed", "canceled", "error"),
               "token_in": is_int64, "token_out": is_int64, "error": ANY},
    "list": {"cycle": is_int64},
}


def arguments(request):
    """The arguments by name, absent and null ones as None (P2). Raises on any fault of shape."""
    op = request.get("op")
    known = ARGUMENTS.get(op) if isinstance(op, str) else None
    if op == "attempt":
        if not one_of(*ATTEMPT_ARGUMENTS)(request.get("action")):
            raise invalid_request("action must be start, finish or list")
        known = dict(ATTEMPT_ARGUMENTS[request["action"]], action=TEXT)
    if known is None:
        raise invalid_request("unknown op")
    types = {name.rstrip("!"): check for name, check in known.items()}
    for name in request:
        if name not in types and name not in ("op", "tag", "context"):
            raise invalid_request("unknown argument " + name)
    for name, check in types.items():
        if request.get(name) is not None and not check(request[name]):
            raise invalid_request("wrong type for " + name)
    for name in known:
        if name.endswith("!") and request.get(name[:-1]) is None:
            raise invalid_request("missing argument " + name[:-1])
    check_combination(op, request)
    return {name: request.get(name) for name in types}


def check_combination(op, request):
    given = {name for name, value in request.items() if value is not None}
    if op == "move" and not given & {"parent", "offset", "at"}:  # L6
        raise invalid_request("move where?")
    if op == "remove" and len(given & {"id", "selector"}) != 1:
        raise invalid_request("remove takes an id or a selector")
    if op == "import" and len(given & {"snapshot", "log", "thread"}) != 1:
        raise invalid_request("one of snapshot, log, thread")
    if op == "import" and given & {"thread", "format"}:
        raise invalid_request("provider threads are not in the oracle's scope")
    if op == "render" and request.get("format") not in (None, "thread"):
        raise invalid_request("only the thread format is in the oracle's scope")
    if op == "attempt" and {"params", "params_hash"} <= given:
        raise invalid_request("params or params_hash")


class Oracle:
    """All contexts of one session."""

    def __init__(self):
        self.contexts = {"main": Context()}

    def serve_line(self, line):
        """One request line (bytes) to one answer (dict)."""
        try:
            request = strict_json.parse(line)
        except Fault as fault:
            return error_answer(fault)
        return self.serve(request)

    def serve(self, request):
        if not isinstance(request, dict):
            return error_answer(invalid_request("not an object"))
        try:
            answer = {"ok": True, "result": self.run(request)}
        except Fault as fault:
            answer = error_answer(fault)
        if "tag" in request:  # P4
            answer["tag"] = request["tag"]
        return answer

    def run(self, request):
        name = request.get("context")
        if name is None:
            name = "main"
        if not isinstance(name, str) or not CONTEXT_NAME.match(name):
            raise invalid_request("bad context name")
        given = arguments(request)
        if name not in self.contexts and request["op"] not in MAKES_CONTEXT:
            raise Fault("E_CONTEXT_NOT_FOUND", name)
        before = self.contexts.get(name) or Context()
        if request["op"] == "diff":
            return self.diff(before, given)
        context = before if request["op"] == "select" else before.copy()
        result = perform(context, request["op"], given)
        self.contexts[name] = context  # reached only if nothing failed
        return result


    def diff(self, context, given):
        sides = [self.state(context, given[end]) for end in ("from", "to")]
        return difference.diff(sides[0], sides[1], given, context.config["dialect"])

    def state(self, context, text):
        """(context, a call that resolves the snapshot)."""
        name, at, rest = text.partition("@")
        if name and at:
            if name not in self.contexts:
                raise Fault("E_CONTEXT_NOT_FOUND", name)
            context, text = self.contexts[name], at + rest
        return context, lambda: resolve(context, text)


def error_answer(fault):
    return {"ok": False, "error": {"code": fault.code, "message": fault.message,
                                   "details": fault.details}}


def perform(context, op, given):
    if "at" in given and op not in ("add", "move"):
        given["at"] = resolve(context, given["at"])
    if op == "configure":
        return configure(context, given)
    if op == "attempt":
        return attempt(context, given)
    if op == "add":
        node = given["node"]
        if isinstance(node, str):
            node = selector_parse.parse_literal(node)
        return context.add(node, given["parent"], given["at"])
    if op == "update":
        return context.update(given["id"], given["set"])
    if op == "replace":
        return context.replace(given["id"], given["node"])
    if op == "move":
        return context.move(given["id"], given["parent"], given["offset"], given["at"])
    if op == "remove":
        if given["selector"] is not None:
            return context.remove_selected(given["selector"])
        return context.remove(given["id"])
    if op in ("pin", "unpin"):
        return context.pin(given["id"], op == "pin")
    if op == "commit":
        return context.commit(given["expect_cycle"], given["idempotency_key"],
                              given["hashes"] is not False)
    if op == "import":
        if given["snapshot"] is not None:
            return context.import_snapshot(given["snapshot"], bool(given["strict"]))
        return context.import_log(given["log"])
    return read(context, op, given)


def read(context, op, given):
    if op == "select":
        return selector_time.select(context, given, resolve)
    if op == "get":
        return context.get(given["id"], given["at"])
    if op == "tree":
        return context.show_tree(given["at"], given["depth"])
    if op == "render":
        return context.render(given["at"])
    if op == "serialize":
        return context.serialize(given["at"])
    if op == "hash":
        return {"content_hash": tree.content_hash(given["node"])}
    if op == "log":
        return context.log(given["limit"], given["cursor"], bool(given["hashes"]))
    if op == "verify":
        return {"ok": True, "problems": []}
    return context.stats()


def resolve(context, name):
    """The snapshot of that name; None for the working state."""
    if name is None or name == "working":
        return None
    number = int(name[2:]) if name.startswith("@") else None
    found = None
    if name.startswith("@c"):
        found = [one for one in context.snapshots if one["cycle"] == number]
    elif name.startswith("@t") and number <= 0:
        found = context.snapshots[number - 1:][:1] if -number < len(context.snapshots) else None
    if not found:
        raise Fault("E_SNAPSHOT_NOT_FOUND", name)
    return found[0]


def configure(context, given):
    for name, value in given.items():
        if value is None:
            continue
        if name == "policy":  # replaced as a whole
            value = {key: default if value.get(key) is None else value[key]
                     for key, default in POLICY_DEFAULTS.items()}
        if name == "clock":  # P8
            context.ticks = 0
        context.config[name] = value
    return dict(context.config)


def attempt(context, given):
    action = given.pop("action")
    if action == "start":
        return context.start_attempt(**given)
    if action == "finish":
        return context.finish_attempt(**given)
    return context.list_attempts(**given)
