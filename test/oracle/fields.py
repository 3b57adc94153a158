"""Node fields as `add`, `replace`, `update` and flat logs take them, and type names."""

import re

import strict_json
from fault import Fault, invalid_request, over_limit
from strict_json import is_int64, is_integer

# docs/operations.md, "Node fields": these are made by the engine, never given.
NEVER_GIVEN = ("cycle", "content_hash", "parent_id", "created_at_iso")
# I9: given at creation or by `move` only.
NEVER_UPDATED = NEVER_GIVEN + ("id", "nodeType", "offset", "created_at_ns", "creation_index",
                               "removable")

ID_BYTES_MAX = 512
KEY_BYTES_MAX = 256
CONTENT_DEPTH_MAX = 64
ATTRIBUTES_MAX = 256


def is_string(value):
    return isinstance(value, str)


def is_bool(value):
    return isinstance(value, bool)


def is_string_list(value):
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def is_anything(_value):
    return True


# Reserved headers have fixed types (reading.md section 2); ttl and cad have codes of their own.
TYPES = {
    "id": lambda value: is_string(value) and value != "",
    "nodeType": is_string, "offset": is_int64, "priority": is_int64,
    "created_at_ns": is_int64, "creation_index": is_int64,
    "role": is_string, "kind": is_string, "key": is_string, "mime": is_string,
    "encoding": is_string, "tags": is_string_list, "refs": is_string_list,
    "removable": is_bool, "pinned": is_bool, "provenance": is_anything,
    "ttl": is_anything, "cad": is_anything, "content": is_anything,
}


def is_custom(name):
    """data_*, content_*, ns:name."""
    if name.startswith(("data_", "content_")) and name != "content_hash":
        return True
    space, colon, rest = name.partition(":")
    return bool(space and colon and rest)


def check(given, never=NEVER_GIVEN, any_name=False):
    """P1 within the node fields: reserved names, unknown names, types, then ttl, then cad. Imports have any name."""
    for name in given:
        if name in never:
            raise Fault("E_ATTRIBUTE_RESERVED", name)
    for name in given:
        if name not in TYPES and not is_custom(name) and not any_name:
            raise invalid_request("unknown attribute " + name)
    for name, value in given.items():
        if value is not None and name in TYPES and not TYPES[name](value):
            raise invalid_request("wrong type for " + name)
    check_limits(given)
    if not is_ttl(given.get("ttl")):
        raise Fault("E_TTL_INVALID", repr(given["ttl"]))
    if not is_cadence(given.get("cad")):
        raise Fault("E_CADENCE_INVALID", repr(given["cad"]))


def is_ttl(value):
    return value is None or (is_int64(value) and value >= 0)


def is_cadence(value):
    return value is None or (is_int64(value) and value >= 1)


def check_limits(given):
    if len(given) > ATTRIBUTES_MAX:
        raise over_limit("number of attributes", ATTRIBUTES_MAX)
    for name, most in (("id", ID_BYTES_MAX), ("key", KEY_BYTES_MAX)):
        if is_string(given.get(name)) and len(given[name].encode()) > most:
            raise over_limit(name, most)
    for name, value in given.items():
        if strict_json.depth_of(value) > CONTENT_DEPTH_MAX:
            raise over_limit("nesting of " + name, CONTENT_DEPTH_MAX)


def stored(given):
    """I8: a null header and pinned:false are not stored; null content and custom ones are."""
    kept = {}
    for name, value in given.items():
        if value is None and not (name == "content" or is_custom(name)):
            continue
        if name == "pinned" and value is False:
            continue
        kept[name] = value
    return kept


# --- types ----------------------------------------------------------------------------------------

CLASS_OF = {"mt": "turn", "seg": "turn", "turn": "turn", "mc": "cont", "cont": "cont",
            "cb": "block", "block": "block"}
NAMES = {"canonical": {"turn": "seg", "cont": "cont", "block": "block"},
         "classic": {"turn": "mt", "cont": "mc", "block": "cb"},
         "depth": {"turn": "mt", "cont": "mc", "block": "cb"}}


def class_of_type(name):
    """CF-17: the prefix decides if it is a canonical type; all else is a block."""
    return CLASS_OF.get(name.partition(":")[0], "block")


def read_type(name, dialect):
    """(class, nodeType to store, kind it implies) of a type given to `add` (I5, I6)."""
    prefix, colon, rest = name.partition(":")
    known = CLASS_OF.get(prefix)
    if known == "turn" or name.startswith("^") or not prefix or (colon and not rest):
        raise Fault("E_NODE_TYPE_INVALID", "no such type: " + name)
    if known is None:
        if not colon:
            raise Fault("E_NODE_TYPE_INVALID", "no such type: " + name)
        return "block", name, None
    return known, NAMES[dialect][known] + colon + rest, rest or None


_DEFAULT_ID = re.compile(r"(?:(?:block|cont|cb|mc):(0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)"
                         r"|(?:seg|mt):(0|[1-9][0-9]*))\Z", re.ASCII)


def is_default_id(text, open_cycle):
    """I2: the shape of a default id of the open or a later cycle, in any dialect's names."""
    match = _DEFAULT_ID.match(text)
    return bool(match) and int(match.group(1) or match.group(2)) >= open_cycle
