#!/usr/bin/env python3
"""Self-test of tools/tidy.py: a clean small tree passes, and each planted violation is found, alone."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import tidy  # noqa: E402

CLEAN = {
    "Makefile": "JOBS ?= 1\nbuild:\n\tpython3 tools/draw.py \\\n\t  $(DRAW_ARGS)\ntest:\n\tbuild/bench/bench/pactdb_bench $(BENCH_ARGS)\nsweep-io:\n\ttrue\n",
    "bench/CMakeLists.txt": "add_executable(pactdb_bench goals.cc pactdb_bench.cc)\n",
    "bench/goals.cc": 'Goal{"14b", "a commit"},\n',
    "bench/pactdb_bench.cc": "// --goal N\n",
    "CMakePresets.json": '{"configurePresets":[{"name":"dev"}]}\n',
    ".ci/run": "true\n",
    "tools/draw.py": 'import shades\nparser.add_argument("--size")\n',
    "tools/shades.py": 'parser.add_argument("--dark")\n',
    "tools/walk.sh": "# --far goes further\n",
    "tools/fuzz.sh": "true\n",
    "README.md": "See `src/base/error.h`, `pactdb tree --at @c1`, [the guide](docs/guide.md) and `make build`. `E_SEALED` is an error.\n",
    "docs/operations.md": "| `leaf_bytes` | 5 |\n",
    "docs/guide.md": "Every node in `^ah` is in the open turn; that is editable. A head is immutable.\n```sh\n$ make build\n```\nBack to [the start](../README.md#top). Any `src/*/CMakeLists.txt`.\n",
    "include/pactdb/error.h": "#pragma once\n#include <string>\n#include <pactdb/error_codes.def>\n",
    "include/pactdb/error_codes.def": 'PACTDB_ERROR_CODE(kSealed, "E_SEALED", "frozen")\n',
    "include/pactdb/node.h": "#pragma once\n#include <pactdb/error.h>\n",
    "src/base/CMakeLists.txt": "pactdb_layer(base SOURCES error.cc)\npactdb_test(base error_test.cc LABELS soak)\n",
    "src/select/CMakeLists.txt": "pactdb_python_test(select.cost tools/draw.py)\n",
    "src/base/error.h": "#pragma once\n#include <pactdb/error.h>\n",
    "src/base/error.cc": '#include "base/error.h"\n// May throw in a comment; "throw" in a string.\nint x = 1\'000;\n',
    "src/base/error_test.cc": '#include "base/error.h"\n#include "support/fake.h"\nTEST(Error, TellsItsCode) {}\n',
    "src/model/CMakeLists.txt": "pactdb_layer(model SOURCES tree.cc DEPENDS base)\n",
    "src/model/tree.h": "#pragma once\n",
    "src/model/tree.cc": '#include "model/tree.h"\n#include "base/error.h"\n// TODO(perf): share more.\n',
    "src/diff/CMakeLists.txt": "pactdb_layer(diff DEPENDS model)\n",
    "src/diff/changes.h": '#pragma once\n#include "model/tree.h"\n',
    "src/render/CMakeLists.txt": "pactdb_layer(render DEPENDS model)\n",
    "src/render/thread.h": "#pragma once\n",
    "fuzz/CMakeLists.txt": "pactdb_fuzzer(exec DEPENDS base)\n",
    "fuzz/exec_fuzzer.cc": "int x;\n",
    "src/cli/CMakeLists.txt": "add_executable(pactdb leaf_command.cc tree_command.cc)\n",
    "src/cli/leaf_command.cc": 'const Command kLeaf{\n    .name = "leaf",\n};\napp.add_flag("--leaf");\n',
    "src/cli/tree_command.cc": 'const Command kTree{\n    .name = "tree",\n};\napp.add_flag("--depth,--at");\n',
    "docs/commands.md": """`make build test`, `JOBS=2 make build`, `make sweep-io` and `sweep-io`. `cmake --workflow --preset dev`, `ctest -L soak`.
Run `ctest --preset dev -R 'base\\.Error'`, `ctest -R select.cost|Error`, `tools/walk.sh --far` or `.ci/run`. Or `make test BENCH_ARGS='--goal
14b'`, `DRAW_ARGS='--size 3'`, and `tools/fuzz.sh exec`.

    python3 -B tools/draw.py --size 3 --dark | tools/walk.sh       # in black
    SHADE=tools/shades.py build/pactdb tree a.db --depth > out/of/it

```sh
python3 tools/draw.py docs/guide.md && run --engine "python3 tools/shades.py"
make -j 2 build && cmake --build --preset dev
```
```console
$ pactdb tree --depth a.db
tools/no.sh is what it prints; make nothing
```
```jsonl
{"file":"tools/no.sh"}
```
""",
}

# (file, text put at its end, what the finding must say)
VIOLATIONS = [
    ("src/base/error.h", '#include "model/tree.h"\n', "base includes model/tree.h of a higher layer, model"),
    ("src/base/error.h", "#include <pactdb/node.h>\n", "base includes pactdb/node.h of a higher layer, model"),
    ("src/render/thread.h", '#include "diff/changes.h"\n', "render includes diff/changes.h of a sibling, diff"),
    ("src/base/error_test.cc", '#include "model/tree.h"\n', "of a higher layer, model"),
    ("src/base/error.h", '#include "error_codes.h"\n', 'write private includes as "layer/file.h"'),
    ("src/odd/thing.h", "#pragma once\n", "not in a known layer folder"),
    ("include/pactdb/error.h", "#include <pactdb/node.h>\n", "a header of base includes <pactdb/node.h> of model"),
    ("include/pactdb/node.h", '#include "model/tree.h"\n', 'a public header includes private "model/tree.h"'),
    ("include/pactdb/mystery.h", "#pragma once\n", "has no owner"),
    ("include/pactdb/pactdb.h", "#include <pactdb/error.h>\n", "a header of capi includes"),
    ("examples/hello.h", '#pragma once\n#include "base/error.h"\n', "is private"),
    ("src/model/tree.h", "#include <sqlite3.h>\n", "<sqlite3.h> may be included only in"),
    ("src/model/tree.h", "// " + "x" * 98 + "\n", "101 columns"),
    ("src/model/tree.h", "int x; \n", "white space at the end"),
    ("src/model/tree.h", "\n" * 1000, "look for a second idea"),
    ("src/model/tree.cc", "void F() { throw 1; }\n", "no throw under src/"),
    ("src/model/tree.cc", 'void F() { std::printf("x"); }\n', "the library prints nothing"),
    ("src/model/tree.cc", "void F() { assert(x); }\n", "use PACTDB_CHECK"),
    ("src/model/tree.cc", "// TODO: later\n", "write TODO(kind)"),
    ("src/model/tree.cc", "// TODO(someday): later\n", "write TODO(kind)"),
    ("src/model/tree.cc", "// FIXME\n", "no FIXME"),
    ("src/model/tree.cc", "// See docs/gone.md.\n", "docs/gone.md does not exist"),
    ("src/model/lost.cc", "int x;\n", "is in no CMakeLists.txt (looked in src/model)"),
    ("src/model/CMakeLists.txt", "target_sources(pactdb_model PRIVATE gone.cc)\n", "lists src/model/gone.cc"),
    ("src/model/gone_guard.h", "int x;\n", "no #pragma once"),
    ("README.md", "`src/base/gone.h`\n", "src/base/gone.h does not exist"),
    ("README.md", "`src/base/{error,gone}.h`\n", "src/base/gone.h does not exist"),
    ("README.md", "`src/base/*_gone.h`\n", "src/base/*_gone.h does not exist"),
    ("docs/guide.md", "[there](gone.md)\n", "the link to gone.md leads nowhere"),
    ("docs/guide.md", "Then `make coffee`.\n", "the Makefile has no target coffee"),
    ("docs/guide.md", "```sh\nJOBS=1 make build && make tea\n```\n", "the Makefile has no target tea"),
    ("docs/guide.md", "Then `pactdb brew pot.db`.\n", "the command has no verb brew"),
    ("docs/guide.md", "```console\n$ pactdb tree a.db | pactdb pour -\n```\n", "the command has no verb pour"),
    ("docs/guide.md", "Then `make build coffee`.\n", "the Makefile has no target coffee"),
    ("docs/guide.md", "Then `make sweep-io` or `sweep-air`.\n", "the Makefile has no target sweep-air"),
    ("docs/guide.md", "| all | by `make test`, `sweep-air` |\n", "the Makefile has no target sweep-air"),
    ("docs/guide.md", "Also `make build`, `bench-tea`.\n", "the Makefile has no target bench-tea"),
    ("docs/guide.md", "Then `tools/gone.sh import`.\n", "tools/gone.sh does not exist"),
    ("docs/guide.md", "Then `FUZZ_RUNS=2 tools/gone.sh`.\n", "tools/gone.sh does not exist"),
    ("docs/guide.md", "Then `python3 -B tools/gone.py`.\n", "tools/gone.py does not exist"),
    ("docs/guide.md", "Then `python3 tools/draw.py docs/gone.md`.\n", "docs/gone.md does not exist"),
    ("docs/guide.md", "Then `make build WALK=tools/gone.py`.\n", "tools/gone.py does not exist"),
    ("docs/guide.md", "Then `make build GONE_ARGS=1`.\n", "nothing that make runs knows GONE_ARGS"),
    ("docs/guide.md", "Then `.ci/gone --all`.\n", ".ci/gone does not exist"),
    ("docs/guide.md", "```sh\ntools/gone.sh\n```\n", "tools/gone.sh does not exist"),
    ("docs/guide.md", "```sh\ncat docs/gone.md\n```\n", "docs/gone.md does not exist"),
    ("docs/guide.md", "```console\n$ cat x | test/gone.py\n```\n", "test/gone.py does not exist"),
    ("docs/guide.md", "```sh\nREFS=tools/gone.py make build\n```\n", "tools/gone.py does not exist"),
    ("docs/guide.md", '```sh\nbuild/run --engine "python3 tools/gone.py"\n```\n', "tools/gone.py does not exist"),
    ("docs/guide.md", "\n    python3 tools/gone.py    # in the margin\n", "tools/gone.py does not exist"),
    ("docs/guide.md", "Then `cmake --preset gone`.\n", "there is no preset gone"),
    ("docs/guide.md", "Then `ctest --preset=gone -L soak`.\n", "there is no preset gone"),
    ("docs/guide.md", "Then `ctest -L gone`.\n", "no label fits gone"),
    ("docs/guide.md", "Then `ctest -L 'soak|gone'`.\n", "no label fits gone"),
    ("docs/guide.md", "Then `ctest -R 'base\\.Gone'`.\n", "no test fits base\\.Gone"),
    ("docs/guide.md", "Then `tools/draw.py --gone`.\n", "tools/draw.py has no option --gone"),
    ("docs/guide.md", "```sh\nbash tools/walk.sh --near\n```\n", "tools/walk.sh has no option --near"),
    ("docs/guide.md", "Then `pactdb tree a.db --gone`.\n", "pactdb tree has no option --gone"),
    ("docs/guide.md", "Then `pactdb tree a.db --leaf`.\n", "pactdb tree has no option --leaf"),
    ("docs/guide.md", "Then `pactdb tree a.db\n--gone`.\n", "pactdb tree has no option --gone"),
    ("docs/guide.md", "- an entry `pactdb tree\n  a.db --gone` of a list.\n", "pactdb tree has no option --gone"),
    ("docs/guide.md", "Then `make build DRAW_ARGS='--gone'`.\n", "nothing that gets DRAW_ARGS has an option --gone"),
    ("docs/guide.md", "Then `DRAW_ARGS='--gone' make build`.\n", "nothing that gets DRAW_ARGS has an option --gone"),
    ("docs/guide.md", "Then `DRAW_ARGS=--gone`.\n", "nothing that gets DRAW_ARGS has an option --gone"),
    ("docs/guide.md", "Then `BENCH_ARGS='--goal gone'`.\n", "the benchmark has no goal gone"),
    ("docs/guide.md", "Then `tools/fuzz.sh gone`.\n", "there is no fuzz target gone"),
    ("docs/guide.md", "It gives E_GONE.\n", "E_GONE is not in"),
    ("src/model/tree.cc", 'auto e = Error().With("limit", deep ? "levels" : "leaf_bytes").With("max", 5);\n',
     "the limit levels is not in docs/operations.md"),
    ("src/model/tree.cc", 'return OverLimit("branches", limits::kBranchesMax);\n',
     "the limit branches is not in docs/operations.md"),
    ("docs/guide.md", "The `^ah` region is editable.\n", "TREE-11: ^ah is a place"),
    ("README.md", "It goes into the active head, which\nis mutable.\n", "TREE-11: active head is a place"),
    ("include/pactdb/node.h", "// Nodes of the mutable ^ah.\n", "TREE-11: ^ah is a place"),
    ("docs/guide.md", "Look in /home/someone/pactdb.\n", "names a path of one machine"),
]
# Violations that replace the file instead.
REPLACED = [
    ("src/base/error.cc", '#include <string>\n#include "base/error.h"\n', 'include the own header "base/error.h" first'),
]


def findings(changes):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**CLEAN, **changes}.items():
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tidy.run(folder)


class TidyTest(unittest.TestCase):
    def test_clean_tree_has_no_findings(self):
        self.assertEqual(findings({}), [])

    def test_each_planted_violation_is_found(self):
        planted = [(n, CLEAN.get(n, "") + text, want) for n, text, want in VIOLATIONS] + REPLACED
        for name, text, want in planted:
            with self.subTest(name=name, want=want):
                found = findings({name: text})
                self.assertTrue(any(want in line for line in found), found)

    def test_each_check_has_a_control(self):
        seen = set()
        for name, text, _ in [(n, CLEAN.get(n, "") + t, w) for n, t, w in VIOLATIONS] + REPLACED:
            with tempfile.TemporaryDirectory() as folder:
                for file, content in {**CLEAN, name: text}.items():
                    path = pathlib.Path(folder) / file
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(content, encoding="utf-8")
                tree = tidy.Tree(folder)
                seen |= {check.__name__ for check in tidy.CHECKS if list(check(tree))}
        self.assertEqual(seen, {check.__name__ for check in tidy.CHECKS})


if __name__ == "__main__":
    unittest.main()
