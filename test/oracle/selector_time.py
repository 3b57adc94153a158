"""`select`, `remove` by selector: which trees a selector runs on, and what is kept of the ids."""

import ranges
import selector_match
import selector_parse
import tree
from fault import Fault, invalid_request


def select(context, given, find_snapshot, make_view=selector_match.View):
    """P1: syntax, two snapshots named, snapshot exists, facets. `find_snapshot` resolves a name.

    `make_view` may keep views for as long as the trees do not change.
    """
    parsed = selector_parse.parse(given["selector"])
    where = read_where(given["where"])
    if parsed["time"] is not None and given["snapshot"] is not None:  # P9
        raise invalid_request("a time in the selector and a snapshot beside it")
    dialect = given["dialect"] or context.config["dialect"]
    if parsed["time"] is not None and parsed["time"][0] == "range":
        return ranges.select(context, parsed, where, given, dialect, make_view, window)
    scopes = scopes_of(context, parsed["time"], given["snapshot"], dialect, find_snapshot)
    facets = parsed["facets"] or (where is not None and where["facets"])
    if facets and scopes == [None]:
        raise Fault("E_FACET_NEEDS_SNAPSHOT", "a facet in the working state")
    ids = []
    for scope in scopes:
        view = view_of(context, scope, dialect, make_view)
        for seen in selector_match.result(view, parsed, where):
            if seen.attribute("id") not in ids:  # CF-10
                ids.append(seen.attribute("id"))
    return window(ids, parsed["controls"], given["skip"], given["limit"])


def read_where(text):
    """S18."""
    if text is None:
        return None
    where = selector_parse.parse(text)
    if where["time"] is not None or where["controls"]:
        raise Fault("E_SELECTOR_INVALID", "where takes no time and no controls")
    return where


def scopes_of(context, time, name, dialect, find_snapshot):
    """Snapshots, newest first; [None] for the working state."""
    if time is None and name is None:
        return [find_snapshot(context, "@t0")] if dialect == "classic" else [None]
    if time is None:
        return [find_snapshot(context, name)]
    if time[0] in ("t", "c"):
        return [find_snapshot(context, "@%s%d" % time)]
    if not context.snapshots:
        raise Fault("E_SNAPSHOT_NOT_FOUND", "there are no snapshots")
    if time[0] == "oldest":
        return [context.snapshots[0]]
    return context.snapshots[::-1]


def view_of(context, scope, dialect, make_view):
    root, open_cycle = context.view(scope)
    return make_view(root, open_cycle, scope["cycle"] if scope else None, dialect)


def window(ids, controls, skip, limit):
    """Pages, then the options of the call."""
    if "first" in controls:
        ids = ids[:1]
    if "limit" in controls:
        size = controls["limit"]
        start = (controls.get("p", 1) - 1) * size
        ids = ids[start:start + size]
    ids = ids[skip or 0:]
    return ids if limit is None else ids[:limit]


def select_for_removal(context, text):
    """L4: ids in the working state, in tree order."""
    parsed = selector_parse.parse(text)
    if parsed["time"] is not None:
        raise invalid_request("an edit addresses the working state")
    if parsed["facets"]:
        raise Fault("E_FACET_NEEDS_SNAPSHOT", "a facet in the working state")
    view = view_of(context, None, context.config["dialect"], selector_match.View)
    found = [seen.attribute("id") for seen in selector_match.result(view, parsed)]
    chosen = set(window(found, parsed["controls"], None, None))
    return [one for one in tree.ids(context.root) if one in chosen]
