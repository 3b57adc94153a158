"""Longer histories in which nodes of one id change, move, leave and come back, and requests for
ranges over them.

Edits are tried, not planned: what the rules do not allow is answered with an error by both sides,
and the history goes on.
"""

import random

import select_text
import select_trees
from values import chance

WORDS = ["the", "Nile", "is", "6650", "km", "long", "and", "\u00fc\u00df", "\U0001d11e", "a~b", "/"]
STARTS = ["@t-1..@t0", "@t0..@t-2", "@t-5..-1", "@t-9:-1", "@c1..@c3", "@c2..9", "@history",
          "@t0..@t-*", "@t0..@t0", "@t+2..@t-1", "@c7..@c30", "@t-3..@t-1", "@t-30..@t-20"]
PLAIN = [".block", "*", "^sys .block", "^seq .block", "^seq .seg .block[role=user]", ".cont",
         "^seq .cont > .block", "[kind=text]", "+a", "^ah *", ".seg", "^sys *", ".seg > .block",
         "[ttl]", "[ttl<=1]", "^root", "[pinned=true]", ".block[priority>0], ^sys .cont",
         "?? {role=user}", ".cont .block", "^seq .seg:first .block", "[parent_id=sys]", "[age<2]"]
MODES = ["", "", "", "", " @mode=union", " @mode=latest", " @mode=latest", " @mode=reduce"]


def text(rng):
    gap = rng.choice([" ", " ", "\n", " \n"])
    return gap.join(rng.choice(WORDS) for _ in range(rng.randrange(12))) + rng.choice(["", "\n"])


def value(rng, level=0):
    draw = rng.randrange(10)
    if level > 2 or draw < 3:
        return rng.choice([0, 1, 1.0, -7, 10**30, 2.5, True, None, "", "x", "y\nz", text(rng)])
    if draw < 6:
        return {rng.choice(["a", "b", "~", "/", "", "k\u00e9y"]): value(rng, level + 1)
                for _ in range(rng.randrange(4))}
    return [value(rng, level + 1) for _ in range(rng.randrange(6))]


def changed(rng, content):
    """Much like it, or something else."""
    if chance(rng, 10):
        return content
    if isinstance(content, str) and chance(rng, 80):
        words = content.split(" ")
        for _ in range(rng.choice([1, 1, 2])):
            at = rng.randrange(len(words) + 1)
            words[at:at + rng.randrange(3)] = rng.sample(WORDS, rng.randrange(3))
        return " ".join(words)
    if isinstance(content, list) and chance(rng, 80):
        content = list(content)
        at = rng.randrange(len(content) + 1)
        content[at:at + rng.randrange(3)] = [value(rng, 2) for _ in range(rng.randrange(3))]
        return [changed(rng, one) if chance(rng, 20) else one for one in content]
    if isinstance(content, dict) and content and chance(rng, 80):
        content = dict(content)
        name = rng.choice(sorted(content))
        if chance(rng, 25):
            del content[name]
        else:
            content[name] = changed(rng, content[name])
        return content
    return text(rng) if chance(rng, 50) else value(rng)


def script(seed):
    return History(random.Random(seed * 7 + 1)).lines


class History(select_trees.Trees):
    """Starts as a tree of select_trees.py and goes on."""

    def __init__(self, rng):
        super().__init__(rng, rng.choice([3, 6, 10]))
        self.contents = {}
        for _ in range(rng.choice([2, 4, 7])):
            for _ in range(rng.randrange(7)):
                self.lines.append(self.step())
            self.lines.append({"op": "commit", "hashes": False})
            if chance(rng, 6):
                self.import_document()

    def step(self):
        rng = self.rng
        draw = rng.randrange(100)
        known = rng.choice(self.made) if self.made else "x"
        if draw < 25 or not self.contents:
            return self.add_speaker()
        if draw < 55:
            node_id = rng.choice(sorted(self.contents))
            self.contents[node_id] = changed(rng, self.contents[node_id])
            fields = {"content": self.contents[node_id]}
            if chance(rng, 20):
                fields = {"data_n": rng.choice([1, 2, "x"])}
            return {"op": "update", "id": node_id, "set": fields}
        if draw < 65:
            return {"op": rng.choice(["pin", "unpin"]), "id": rng.choice([known, "sys", "root"])}
        if draw < 75:
            return {"op": "remove", "id": known}
        if draw < 88:
            return {"op": "move", "id": known,
                    "parent": rng.choice(self.made[-6:] + ["^sys", "^ah"])}
        if draw < 92:
            return {"op": "move", "id": known, "offset": rng.choice([-2, -1, 1, 2])}
        return {"op": "add", **self.added()}

    def add_speaker(self):
        """A node that lives in ^sys and may change for ever."""
        rng = self.rng
        node_id = self.fresh_id()
        self.contents[node_id] = text(rng) if chance(rng, 60) else value(rng)
        node = self.decorate({"id": node_id, "role": rng.choice(["user", "system"])})
        if chance(rng, 90):
            node["content"] = self.contents[node_id]
        if chance(rng, 30):
            node["mime"] = rng.choice(["text/plain", "application/json", None])
        return {"op": "add", "parent": "^sys", "node": node}


class Requests:
    def __init__(self, rng, session):
        self.rng = rng
        self.texts = select_text.Texts(rng, session.ids(), session.paths())
        self.texts.sound = True

    def request(self):
        rng = self.rng
        start = rng.choice(STARTS)
        if chance(rng, 55):
            text_ = rng.choice(PLAIN)
        else:
            text_ = self.texts.selector(with_time=False, with_controls=chance(rng, 40))
        request = {"op": "select", "selector": start + " " + text_ + rng.choice(MODES)}
        self.add_options(request)
        return request

    def add_options(self, request):
        rng = self.rng
        if chance(rng, 70):
            request["includeContent"] = chance(rng, 95)
            request["contentMode"] = rng.choice(["unified", "jsonpatch", "tokens", None])
            request["contextLines"] = rng.choice([None, 0, 1, 2, 3, 50])
        if chance(rng, 15):
            request["materialize"] = rng.choice(
                [["content"], ["content_hash", "mime"], [], ["encoding", "content", "content"]])
        if chance(rng, 15):
            request["maxSnapshots"] = rng.choice([0, 1, 2, 3, 100])
        if chance(rng, 15):
            request["maxChangesPerSnapshot"] = rng.choice([0, 1, 2, 5, 1000])
        if chance(rng, 12):
            request["dialect"] = rng.choice(["classic", "depth", "canonical"])
        if chance(rng, 8):
            request["where"] = rng.choice(["^sys", ".seg", "[role=user]", "depth(1)", ".cont"])
        if chance(rng, 5):
            request.update(rng.choice([{"skip": 1}, {"limit": 0}, {"snapshot": "@t0"},
                                       {"contentMode": "words"}, {"materialize": ["id"]},
                                       {"contextLines": -1}, {"maxSnapshots": 1.0}]))
