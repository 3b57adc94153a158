"""The reference functions of the specification (its chapter of reference implementations), told in our own words.

Nothing here is clever on purpose: what these functions give, to the byte, is what `hash` and `serialize` give.
One rule of ours is in it (docs/reading.md): a stored content_hash is not hashed into itself.
"""

import hashlib
import json

# What a node keeps in the serialization, where it has it.
KEPT = ("id", "nodeType", "offset", "ttl", "priority", "cycle", "created_at_ns", "created_at_iso", "content", "role",
        "kind")


def canonical(value):
    """The one JSON text of a value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def content_hash(node):
    """SHA-256 of what a node says: content, kind and role ("" where missing) and its content attributes."""
    said = {name: node.get(name, "") for name in ("content", "kind", "role")}
    for name, value in node.items():
        if name.startswith(("content_", "data_")) and name != "content_hash":
            said[name] = value
    return hashlib.sha256(canonical(said)).hexdigest()


def place(node):
    """Siblings stand by this; ids compare by code point."""
    return (node.get("offset", 0), node.get("created_at_ns", 0), node.get("creation_index", 0), node.get("id", ""))


def bare(node):
    """The node as it is serialized, its children in order."""
    kept = {name: node[name] for name in KEPT if name in node}
    if "children" in node:
        kept["children"] = [bare(child) for child in sorted(node["children"], key=place)]
    return kept


def serialize(root):
    return canonical(bare(root))
