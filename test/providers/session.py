"""A running `pactdb exec`, and JSON compared as JSON."""
import json
import subprocess


class Session:
    """Requests in, answers out. Use as a context manager."""

    def __init__(self, command):
        self.command = command

    def __enter__(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.contexts = 0
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"the command died of {json.dumps(request)[:2000]}")
        return json.loads(line)

    def must(self, **request):
        answer = self.ask(**request)
        if not answer["ok"]:
            raise SystemExit(f"{json.dumps(request)[:3000]}\n  {answer['error']}")
        return answer["result"]

    def fresh(self):
        """The name of a context that is not there yet."""
        self.contexts += 1
        return f"c{self.contexts}"


def text(value):
    """Equal texts are equal JSON: members in any order, 1 and 1.0 and true told apart."""
    return json.dumps(value, sort_keys=True)


def first_difference(want, got, path=""):
    if type(want) is not type(got):
        return f"{path}: {text(want)[:300]} became {text(got)[:300]}"
    if isinstance(want, dict):
        for key in sorted(set(want) | set(got)):
            if key not in want or key not in got:
                return f"{path}.{key}: {'came' if key in got else 'went'}: {text(got.get(key, want.get(key)))[:300]}"
            if found := first_difference(want[key], got[key], f"{path}.{key}"):
                return found
        return None
    if isinstance(want, list):
        for i, (a, b) in enumerate(zip(want, got)):
            if found := first_difference(a, b, f"{path}[{i}]"):
                return found
        if len(want) != len(got):
            return f"{path}: {len(want)} elements became {len(got)}"
        return None
    return None if want == got else f"{path}: {text(want)[:300]} became {text(got)[:300]}"
