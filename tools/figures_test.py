#!/usr/bin/env python3
"""Self-test of what makes tables, pages, plots and mutants: tools/compare/compare.py, scale.py, plots.py, coverage.py,
mutants.py."""
import argparse
import contextlib
import io
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest
import unittest.mock

TOOLS = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(TOOLS), str(TOOLS / "compare")]
import compare  # noqa: E402
import coverage  # noqa: E402
import mutant_judge  # noqa: E402
import mutants  # noqa: E402
import plots  # noqa: E402
import scale  # noqa: E402


def row(goal, what, value, unit="ns"):
    return {"goal": goal, "what": what, "unit": unit, "ours": {"value": value, "p99": 0, "spread": 1}}


GROWTH = [row("", f"growth of {what}, nodes: {nodes}", value)
          for what, value in (("commit", 20_000), ("select", 1_000), ("diff", 2_000))
          for nodes in (1000, 10_000, 100_000, 1_000_000)]


class CompareTest(unittest.TestCase):
    def test_a_ratio_is_the_others_median_by_ours(self):
        figures = {"turns": {"pactdb": {"step": [1e3, 2e3, 9e3]}, "other": {"step": [4e3, 4e3, 4e3], "bytes": [7]}}}
        lines = list(compare.table(compare.TURNS, figures))
        self.assertIn("| pactdb | 2.0 us | - | - | - |", lines)
        self.assertIn("| other | 4.0 us (2x) | 7 B | - | - |", lines)

    def test_what_was_not_run_is_named(self):
        run = {"date": "2026-01-31", "machine": "2 cores", "rounds": 1, "turns": 10, "seconds": 1, "load": 0,
               "versions": ["git 1:2.39"], "conversations": {"large": "large.jsonl of PACTDB_RECORDINGS: 3 messages"},
               "skipped": [("Loro (turns)", "there is no npm")]}
        figures = {"turns": {"Loro": {"step": [1e3]}}, "select": {}, "large": {"pactdb, file": {"step": [5e3]}}}
        text = "\n".join(compare.report(run, figures))
        self.assertIn("- Loro (turns): there is no npm", text)
        self.assertIn("Versions: git 1:2.39.", text)
        self.assertIn("### Message by message: large.jsonl\n\nLarge.jsonl of PACTDB_RECORDINGS: 3 messages.\n", text)
        self.assertIn("| pactdb, file | 5.0 us | - | - | - |", text)
        for section in (compare.TURNS, compare.SELECT):  # no row of pactdb, no table
            self.assertNotIn(section[1], text)

    def test_messages_keep_their_conversations(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "tau-airline-openai.json").write_text(json.dumps([
                {"traj": [{"role": "user", "content": "a"}, {"role": "assistant", "content": None, "tool_calls": [1]}]},
                {"traj": [{"role": "user", "content": "b"}]}]), encoding="utf-8")
            with unittest.mock.patch.dict(os.environ, {"PACTDB_RECORDINGS": name}):
                words = compare.write_steps(folder, None)
            self.assertEqual(words, {"dialogues": "tau-airline-openai.json of PACTDB_RECORDINGS: 3 messages in 2 conversations, "
                                                  "5 bytes of text"})
            self.assertEqual((folder / "dialogues.tsv").read_text(encoding="utf-8"),
                             't0\tuser\t"a"\nt0\tassistant\t"[1]"\nt1\tuser\t"b"\n')

    def test_engines_that_disagree_give_no_table(self):
        with self.assertRaises(SystemExit):
            compare.check_hits({"select": {"a": {"B hits": [3]}, "b": {"B hits": [4]}}})

    def compared(self, program, *arguments):
        """(exit code, what is said, whether the last results are kept) with this program in the place of ours."""
        with tempfile.TemporaryDirectory() as name:
            folder, said = pathlib.Path(name), io.StringIO()
            (folder / "results.json").write_text("kept", encoding="utf-8")
            (folder / "ours").write_text(f"#!/bin/sh\n{program}\n", encoding="utf-8")
            (folder / "ours").chmod(0o755)
            with unittest.mock.patch.multiple(compare, BUILD=folder, install_python=lambda: ("python3", "not here"),
                                              install_node=lambda: "not here", versions=lambda _: [],
                                              Postgres=lambda: unittest.mock.Mock(reason="not here")), \
                    unittest.mock.patch.dict(os.environ, {"PACTDB_RECORDINGS": ""}), \
                    unittest.mock.patch.object(sys, "argv", ["compare.py", *arguments, "--program", f"{folder}/ours"]), \
                    contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                try:
                    code = compare.main()
                except SystemExit as error:
                    code = error.code
            return code, said.getvalue(), (folder / "results.json").read_text(encoding="utf-8") == "kept"

    TEXTS = """[ "$1" != texts ] || { echo '[["user","text","a"]]'; exit; }\n"""
    STEP = """echo '{"who":"pactdb, file","what":"step","value":5000}'"""

    def test_only_what_is_known_can_be_asked_for(self):
        code, said, kept = self.compared(self.TEXTS + self.STEP, "--only", "Turns")
        self.assertEqual((code, kept), (2, True))
        self.assertIn("there are turns; select; ", said)
        self.assertIn("; Loro; ", said)

    def test_without_figures_of_ours_there_is_no_report(self):
        for program in (self.TEXTS, self.TEXTS + '[ "$1" != select ] || exit 0\n' + self.STEP):
            code, said, kept = self.compared(program, "--only", "turns", "--only", "select")
            self.assertEqual((code, kept), (1, True))
            self.assertIn("pactdb, pugixml and SQLite (select): it failed: it said nothing", said)
            self.assertNotIn("###", said)

    def test_what_is_asked_for_is_held_against_ours(self):
        code, said, kept = self.compared(self.TEXTS + self.STEP, "--only", "Loro")
        self.assertEqual((code, kept), (0, False))
        self.assertIn("| pactdb, file | 5.0 us | - | - | - |", said)
        self.assertIn("- Loro (turns): not here", said)
        self.assertNotIn("### Selectors", said)


class ScaleTest(unittest.TestCase):
    ROWS = GROWTH + [
        row("13", "stored bytes of a turn, turn 100000", 4_000, "B"), row("", "a turn with its nodes, durable", 200_000),
        row("", "a turn with its nodes, without sync", 20_000), row("15", "open a file to the first answer, W3", 100e6),
        row("17", "resident bytes, loaded W3", 400e6, "B"), row("17b", "a commit of 10 nodes, beyond the nodes, W3", 1_000, "B")]
    OPTIONS = argparse.Namespace(memory_gb=8, disk_gb=100, cores=2, note="")

    def test_the_page_has_the_sums(self):
        page = scale.page(scale.Figures(self.ROWS), self.OPTIONS, "2026-01-31")
        self.assertIn("| durable turns a second, one writer | 5,000 |", page)
        self.assertIn("| turns on the disk | 25,000,000 |", page)
        self.assertIn("| turns in memory | 1,600,000 | 8 GB / 5,000 B", page)
        self.assertIn("1.0 times as long on a million nodes (20 us in memory)", page)
        self.assertIn("| agents that commit every 10 s | 1,600 | the smaller of 50,000, ", page)

    def test_a_figure_that_was_not_measured_is_not_made_up(self):
        with self.assertRaises(SystemExit):
            scale.page(scale.Figures(self.ROWS[:-1]), self.OPTIONS, "2026-01-31")


class PlotsTest(unittest.TestCase):
    def test_what_does_not_grow_is_a_level_line(self):
        lines = plots.series_of(GROWTH)
        self.assertEqual(set(lines), {"commit", "select", "diff"})
        drawn = plots.plot("t", "us", {"commit": lines["commit"]})
        heights = {point.split(",")[1] for point in re.search(r'points="([^"]+)"', drawn)[1].split()}
        self.assertEqual(len(heights), 1)

    def test_ten_times_the_value_is_a_decade_higher(self):
        drawn = plots.plot("t", "us", {"x": [(1000, 10.0), (10_000, 100.0)]})
        (_, low), (_, high) = (map(float, point.split(",")) for point in re.search(r'points="([^"]+)"', drawn)[1].split())
        self.assertEqual(low - high, plots.HEIGHT - plots.TOP - plots.BOTTOM)


class CoverageTest(unittest.TestCase):
    def covered(self, layers):
        files = [{"filename": f"/x/src/{layer}/a.cc", "summary": {kind: {"covered": 95, "count": 100, "percent": 95}
                                                                for kind in ("branches", "lines")}} for layer in layers]
        said = io.StringIO()
        with unittest.mock.patch.object(coverage, "llvm_cov", lambda *_: json.dumps({"data": [{"files": files}]})), \
                unittest.mock.patch.object(sys, "argv", ["coverage.py", "--no-run"]), contextlib.redirect_stdout(said):
            return coverage.main(), said.getvalue()

    def test_a_layer_that_is_not_measured_is_too_low(self):
        self.assertEqual(self.covered([*coverage.CORE, "cli"])[0], 0)
        code, said = self.covered(coverage.CORE[:-1])
        self.assertEqual(code, 1)
        self.assertIn("under 90 % of branches: store\n", said)
        self.assertEqual(self.covered([])[0], 1)


class MutantsTest(unittest.TestCase):
    TEXT = '// if (a < b) return;\nif (a < b) return false;  // a < b\nSay("a < b", \'<\', x);\nstd::vector<int> v(0);\n'

    def test_comments_and_literals_are_left_alone(self):
        found = list(mutants.places("f.cc", self.TEXT))
        self.assertEqual({(number, change) for _, number, change, _, _ in found},
                         {(1, "less or equal"), (1, "negated condition"), (1, "never"), (1, "true"), (3, "one more")})

    def test_a_mutant_is_another_line(self):
        for _, _, _, line, changed in mutants.places("f.cc", self.TEXT):
            self.assertNotEqual(line, changed)

    def test_the_same_seed_gives_the_same_mutants(self):
        found = list(mutants.all_places(["base", "text"]))
        self.assertEqual(mutants.choose(found, 40, 7), mutants.choose(found, 40, 7))
        self.assertNotEqual(mutants.choose(found, 40, 7), mutants.choose(found, 40, 8))

    def test_a_small_layer_has_its_mutants_too(self):
        found = [("src/base/a.cc", number) for number in range(10)] + [("src/engine/b.cc", number) for number in range(9990)]
        chosen = mutants.choose(found, 100, 1)
        self.assertEqual(sum(name == "src/base/a.cc" for name, _ in chosen), 5)

    def test_a_checkout_that_cannot_be_listed_is_one_line(self):
        with tempfile.TemporaryDirectory() as name, unittest.mock.patch.dict(os.environ, GIT_CEILING_DIRECTORIES=name):
            judge = object.__new__(mutant_judge.Judge)
            judge.root, judge.tree = pathlib.Path(name), pathlib.Path(name) / "tree"
            with self.assertRaisesRegex(SystemExit, "^mutants: the checkout is no git repository"):
                judge.copy_checkout()

    def run_for(self, script, cpu_seconds=1):
        return mutant_judge.limited(["sh", "-c", script], ".", {}, cpu_seconds)[0]

    def test_only_processor_time_makes_a_loop(self):
        self.assertEqual(self.run_for("while :; do :; done"), mutant_judge.Outcome.LOOPED)
        self.assertEqual(self.run_for("exit 3"), mutant_judge.Outcome.FAILED)
        self.assertEqual(self.run_for("/bin/sleep 1.5"), mutant_judge.Outcome.PASSED)

    def test_what_waits_for_ever_is_neither_killed_nor_a_survivor(self):
        with unittest.mock.patch.multiple(mutant_judge, AWAKE_SECONDS_MIN=0.2, AWAKE_BY_CPU=0.2):
            self.assertEqual(self.run_for("/bin/sleep 60"), mutant_judge.Outcome.STUCK)
        tally = mutants.Tally()
        for number, verdict in enumerate(("killed", "unjudged", "stillborn", "survived")):
            tally.add(number, ("src/base/a.cc", 1), verdict)
        self.assertEqual(str(tally), "1 of 2 killed, 50.0 %")


if __name__ == "__main__":
    unittest.main()
