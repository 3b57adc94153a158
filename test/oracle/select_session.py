"""One context of the oracle that answers many `select` requests quickly: the trees do not change,
so views and parsed selectors are kept."""

import functools

import oracle
import selector_match
import selector_parse
import selector_time
import tree
from fault import Fault

selector_parse.parse = functools.lru_cache(maxsize=200000)(selector_parse.parse)


class Session:
    def __init__(self, script):
        self.script = script
        self.oracle = oracle.Oracle()
        self.setup = [self.oracle.serve(request) for request in script]
        self.context = self.oracle.contexts["main"]
        self.views = {}

    def make_view(self, root, open_cycle, snapshot_cycle, dialect):
        name = (id(root), dialect)
        if name not in self.views:
            self.views[name] = selector_match.View(root, open_cycle, snapshot_cycle, dialect)
        return self.views[name]

    def select(self, request):
        """The answer to a `select` request."""
        try:
            given = oracle.arguments(request)
            result = selector_time.select(self.context, given, oracle.resolve, self.make_view)
            return {"ok": True, "result": result}
        except Fault as fault:
            return oracle.error_answer(fault)

    def answer(self, request):
        """The answer to any request; one that edits spoils the views."""
        if request.get("op") == "select":
            return self.select(request)
        answer = self.oracle.serve(request)
        self.context = self.oracle.contexts["main"]
        self.views = {}
        return answer

    def ids(self):
        """Every id of the working state and of all snapshots, in a fixed order."""
        found = tree.ids(self.context.root)
        for snapshot in self.context.snapshots:
            found += tree.ids(snapshot["root"])
        return sorted(set(found))

    def paths(self):
        """(time prefix, nodes from the root down) for every node of the newest trees."""
        found = []
        trees = [("", self.context.root)]
        if self.context.snapshots:
            trees.append(("@t0 ", self.context.snapshots[-1]["root"]))
        for time, root in trees:
            found += [(time, tree.path_to(root, node)) for node, _ in tree.walk(root)]
        return found
