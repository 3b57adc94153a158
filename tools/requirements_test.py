#!/usr/bin/env python3
"""Self-test of tools/requirements.py: a small build that holds everything passes, each planted fault is found."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent / "requirements.py"
REQUIREMENTS = {f"TREE-{i}": {"level": "MUST", "text": f"rule {i}"} for i in (1, 2)}
REQUIREMENTS["TREE-3"] = {"level": "MAY", "text": "rule 3"}
DEFERRED = {"TREE-3": {"part": "none", "reason": "MAY"}}
CASE = '{"case":"TREE-1: a claim"}\n{"do":{"op":"tree"}}\n'
CONFORMANCE = ("conformance.tree", ["true", "conformance/run.py", "--engine", "a command", "tree"], {})
GOOGLE = ("model.Tree.TREE_2_Claims", ["true", "--gtest_filter=Tree.TREE_2_Claims"], {})

HELD = {"requirements": REQUIREMENTS, "deferred": DEFERRED, "cases": {"tree/a.jsonl": CASE},
        "tests": [CONFORMANCE, GOOGLE]}


def test_file(tests):
    """The file that CMake writes and CTest reads."""
    for name, command, properties in tests:
        yield f"add_test([=[{name}]=] {' '.join(f'[=[{word}]=]' for word in command)})\n"
        for key, value in properties.items():
            yield f"set_tests_properties([=[{name}]=] PROPERTIES {key} [=[{value}]=])\n"


def judge(*arguments, **changes):
    """(exit code, what is printed) for the small project with `changes`; tests=None is one without a build."""
    project = {**HELD, **changes}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        files = {f"conformance/{name}": text for name, text in project["cases"].items()}
        files["conformance/requirements.json"] = json.dumps(project["requirements"])
        files["conformance/deferred.json"] = json.dumps(project["deferred"])
        files.update(project.get("files", {}))
        if project["tests"] is not None:
            files["build/CTestTestfile.cmake"] = "".join(test_file(project["tests"]))
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        got = subprocess.run([sys.executable, "-B", TOOL, "--build", root / "build", "--conformance", root / "conformance",
                              *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return got.returncode, got.stdout


def google(name, command="true", **properties):
    return name, [command, f"--gtest_filter={name.split('.', 1)[1]}"], properties


# What is planted, and what must be said.
PLANTED = [
    ("no build", {"tests": None}, "run make test first"),
    ("an empty build", {"tests": []}, "it has no tests: run make test first"),
    ("a program that is not built", {"tests": [CONFORMANCE, ("pactdb_model_test_NOT_BUILT", ["true"], {})]},
     "pactdb_model_test_NOT_BUILT is not built: run make test first"),
    ("a test inside #if 0 of a source",
     {"tests": [CONFORMANCE], "files": {"src/model/tree_test.cc": "#if 0\nTEST(Tree, TREE_2_Claims) {}\n#endif\n"}},
     "TREE-2: held by no case and not deferred (rule 2)"),
    ("a disabled test", {"tests": [CONFORMANCE, google("model.Tree.TREE_2_Claims", DISABLED="TRUE")]},
     "TREE-2: held by no case"),
    ("an area that CTest does not run", {"tests": [GOOGLE]}, "TREE-1: held by no case"),
    ("a runner that only lists",
     {"tests": [GOOGLE, ("conformance.tree", ["true", "conformance/run.py", "--list", "tree"], {})]},
     "TREE-1: held by no case"),
    ("a case without steps", {"cases": {"tree/a.jsonl": '{"case":"TREE-1: a claim"}\n'}}, "a case without steps"),
    ("a deferred id that is held", {"deferred": {**DEFERRED, "TREE-1": {"part": "none", "reason": "MAY"}}},
     "TREE-1: deferred, yet held by"),
    ("a deferred id without a reason", {"deferred": {"TREE-3": {"part": "none", "reason": ""}}},
     "TREE-3: deferred without a reason"),
    ("a MUST deferred as a MAY", {"deferred": {**DEFERRED, "TREE-2": {"part": "none", "reason": "MAY"}}, "tests": [CONFORMANCE]},
     "TREE-2: deferred as if it were MAY, it is MUST"),
    ("a deferred id that is none", {"deferred": {**DEFERRED, "TREE-9": {"part": "none", "reason": "MAY"}}},
     "TREE-9: deferred, but no such requirement"),
    ("a case of an id that is none", {"tests": [CONFORMANCE, GOOGLE, google("model.Tree.TREE_9_Claims")]},
     "TREE-9: no such requirement"),
    ("an overruled one without a reason",
     {"requirements": {**REQUIREMENTS, "TREE-1": {"level": "MUST", "text": "rule", "overruled": True}}},
     "TREE-1: overruled without a reason"),
]
PLANTED_IN_A_RUN = [
    ("a test that fails", {"tests": [CONFORMANCE, google("model.Tree.TREE_2_Claims", "false")]},
     "model.Tree.TREE_2_Claims: did not pass"),
    ("a test that skips itself",
     {"tests": [CONFORMANCE, google("model.Tree.TREE_2_Claims", "echo", SKIP_REGULAR_EXPRESSION="TREE_2")]},
     "TREE-2: held by no case"),
    ("a test that ends as one that is skipped",
     {"tests": [CONFORMANCE, google("model.Tree.TREE_2_Claims", "false", SKIP_RETURN_CODE=1)]},
     "TREE-2: held by no case"),
    ("an area that fails", {"tests": [GOOGLE, (CONFORMANCE[0], ["false", *CONFORMANCE[1][1:]], {})]},
     "TREE-1: held by no case"),
]


class RequirementsTest(unittest.TestCase):
    def test_says_what_is_held(self):
        for arguments in ([], ["--run"]):
            code, printed = judge(*arguments)
            self.assertEqual(code, 0, printed)
            self.assertIn("TREE-1: ", printed)
            self.assertIn("TREE-2: model.Tree.TREE_2_Claims\n", printed)
            self.assertIn("TREE-3: deferred: MAY\n", printed)

    def test_finds_each_planted_fault(self):
        planted = [((), *entry) for entry in PLANTED] + [(("--run",), *entry) for entry in PLANTED + PLANTED_IN_A_RUN]
        for arguments, what, changes, want in planted:
            with self.subTest(what=what, arguments=arguments):
                code, printed = judge(*arguments, **changes)
                self.assertNotEqual(code, 0, printed)
                self.assertIn(want, printed)


if __name__ == "__main__":
    unittest.main()
