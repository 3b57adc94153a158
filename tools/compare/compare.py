#!/usr/bin/env python3
"""The same work done by pactdb and by what people use instead, in one run on one workload. `make compare` runs it.

Installs the alternatives (Debian by tools/setup.sh before; npm and PyPI here, pinned by package-lock.json and
requirements.txt) into build/compare, runs every one of them once a round, round by round, and prints one table a kind
of work: the median of the rounds, and its ratio to pactdb. What cannot be installed or fails is listed as skipped, with
the reason. The report also goes to build/compare/report.md, the figures to build/compare/results.json; where pactdb has
no figures, the last ones are kept.

usage: tools/compare/compare.py [--rounds N] [--turns N] [--only NAME]... [--program build/bench/bench/pactdb_compare]
       tools/compare/compare.py --again      prints the report of the last run once more
"""
import argparse
import collections
import json
import os
import pathlib
import pwd
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
BUILD = ROOT / "build" / "compare"
TIME_LIMIT = 600
# Sections of real conversations, and the files of PACTDB_RECORDINGS they are: a session, or a list of dialogues.
RECORDINGS = {"large": "pi-large-session.jsonl", "compacted": "pi-before-compaction.jsonl", "dialogues": "tau-airline-openai.json"}

TURNS = ("turns", "A turn of 10 nodes, then a commit", [
    ("step", "commit a turn", "ns"), ("bytes", "bytes it adds", "B"), ("diff", "diff to the one before", "ns"),
    ("read", "state in the middle", "ns")])
SELECT = ("select", "Selectors", [
    ("A", "by id", "ns"), ("B", "by role, whole tree", "ns"), ("C", "by role, 3 newest turns", "ns"),
    ("D", "path of four", "ns")])
STEPS = [("step", "a step, at the end", "ns"), ("all steps", "all steps", "ns"), ("bytes", "bytes, all history", "B"),
         ("read", "state in the middle", "ns")]

# Whose figures a row is held against, where that is not the first row's: what keeps nothing on a disk goes beside what
# does not either, what does not wait for the disk beside what does not wait.
BASES = {"SQLite interval table, in memory": "pactdb, in memory", "Loro": "pactdb, in memory",
         "Automerge": "pactdb, in memory", "git": "pactdb, file, relaxed"}

NOT_COMPARABLE = [
    "pactdb, the SQLite interval table in a file, the Python list and LangGraph have every step on the disk before they "
    "go on. git fast-import syncs once at the end; Loro, Automerge and what is called in memory keep nothing until asked, "
    "and their bytes are those of one export of everything.",
    "pactdb checks every node, hashes it, hashes the tree and keeps an index of ids; the interval table hashes contents "
    "alone, and the Python list and LangGraph check and hash nothing.",
    "git runs as a process: about a millisecond of its diff and archive is starting it. Its bytes are compressed (zlib).",
    "The interval table's diff gives ids; pactdb's gives ids and changed fields, in order, as JSON.",
    "Loro and Automerge merge concurrent edits, which pactdb does not do at all. Automerge's tree is nested objects.",
    "State in the middle: pactdb opens the file anew and renders the thread of that turn; in memory, LangGraph, SQLite, "
    "Loro and Automerge use what they have open.",
    "css-select, unist-util-select and pugixml hold one tree without texts, no history; pactdb asks a snapshot. SQLite has "
    "an index made for the question by role over the whole tree.",
    "A LangGraph step does more than keeping a message: it runs its own channels and serializers.",
]


NOT_ASKED = "not asked for"


class Contender:
    def __init__(self, name, section, command, skip=None):
        self.name, self.section, self.command, self.skip = name, section, command, skip


def quiet(command, **options):
    """None, or why it failed."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    except OSError as error:
        return str(error)
    return None if done.returncode == 0 else (done.stdout.strip().splitlines() or ["it failed without a word"])[-1]


def install_python():
    python = BUILD / "venv" / "bin" / "python"
    wanted = (HERE / "requirements.txt").read_text(encoding="utf-8")
    mark = BUILD / "venv" / "requirements.txt"
    if mark.exists() and mark.read_text(encoding="utf-8") == wanted:
        return python, None
    reason = quiet(["/usr/bin/python3", "-m", "venv", BUILD / "venv"]) or quiet(
        [python, "-m", "pip", "-q", "--disable-pip-version-check", "install", "-r", HERE / "requirements.txt"])
    if reason is None:
        mark.write_text(wanted, encoding="utf-8")
    return python, reason


def install_node():
    if not shutil.which("npm") or not shutil.which("node"):
        return "there is no npm"
    wanted = (HERE / "package-lock.json").read_text(encoding="utf-8")
    mark = BUILD / "installed-lock.json"
    if mark.exists() and mark.read_text(encoding="utf-8") == wanted:
        return None
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, BUILD)
    reason = quiet(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=BUILD)
    if reason is None:
        mark.write_text(wanted, encoding="utf-8")
    return reason


def said_by(command):
    """What a program says of its version, or of anything; empty if it is not there."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    except OSError:
        return ""


def versions(python):
    """Of everything that took part, as it was installed: of the pinned ones what the pins made of it."""
    debian = said_by(["dpkg-query", "-W", "-f", "${Package} ${Version}\n", "libsqlite3-0", "libpugixml1v5", "postgresql-15", "git"])
    npm = [f"{name} {json.loads((BUILD / 'node_modules' / name / 'package.json').read_text(encoding='utf-8'))['version']}"
           for name in json.loads((HERE / "package.json").read_text(encoding="utf-8"))["dependencies"]
           if (BUILD / "node_modules" / name / "package.json").exists()]
    pip = [line.replace("==", " ") for line in said_by([str(python), "-m", "pip", "--disable-pip-version-check", "freeze"]).splitlines()
           if line.startswith(("langgraph", "langchain-core"))]
    runtimes = [f"Python {sys.version.split()[0]}", f"Node {said_by(['node', '--version']).lstrip('v')}"]
    return [*runtimes, *debian.splitlines(), *npm, *pip]


def machine_class(folder):
    cpu = next((line.partition(":")[2].strip() for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
                if line.startswith("model name")), "an unknown processor")
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    disk = said_by(["findmnt", "-n", "-o", "FSTYPE", "--target", str(folder)])
    return f"{os.cpu_count()} virtual cores of {cpu}, {memory:.0f} GB of memory, {disk or 'an unknown file system'}"


class Postgres:
    """A server of its own in a folder of its own, on a socket alone; stopped and removed at the end."""

    def __init__(self):
        self.folder = None
        self.user = []
        self.reason = self.start()

    def start(self):
        programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"))
        if not programs:
            return "there is no PostgreSQL"
        self.bin = programs[-1].parent
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pactdb-compare-pg-"))
        if os.getuid() == 0:  # which the server refuses to be
            try:
                owner = pwd.getpwnam("postgres")
            except KeyError:
                return "there is no user postgres"
            os.chown(self.folder, owner.pw_uid, owner.pw_gid)
            self.user = ["runuser", "-u", "postgres", "--"]
        data = self.folder / "data"
        reason = quiet([*self.user, self.bin / "initdb", "-D", data, "-A", "trust", "-U", "postgres"], cwd=self.folder)
        return reason or quiet([*self.user, self.bin / "pg_ctl", "-D", data, "-w", "-l", self.folder / "log", "-o",
                                f"-c listen_addresses='' -c unix_socket_directories={self.folder}", "start"],
                               cwd=self.folder)

    def fresh(self, name):
        """The address of an empty database."""
        quiet([*self.user, self.bin / "createdb", "-h", self.folder, "-U", "postgres", name], cwd=self.folder)
        return f"host={self.folder} user=postgres dbname={name}"

    def stop(self):
        if self.folder:
            quiet([*self.user, self.bin / "pg_ctl", "-D", self.folder / "data", "-m", "immediate", "stop"], cwd=self.folder)
            shutil.rmtree(self.folder, ignore_errors=True)


def text_of(message):
    content = message.get("content")
    if content is None:  # A message that is calls alone.
        content = message.get("tool_calls")
    return content if isinstance(content, str) else json.dumps(content)


def recorded_steps(path):
    """(thread, role, text) of each message, in order."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        threads = [[line["message"] for line in map(json.loads, text.splitlines()) if line.get("message")]]
    else:
        threads = [dialogue["traj"] for dialogue in json.loads(text)]
    for number, messages in enumerate(threads):
        for message in messages:
            yield f"t{number}", message["role"], text_of(message)


def write_steps(work, turns_file):
    """The conversations, a file each of lines of thread TAB role TAB text as JSON: {section: what it is, in words}."""
    folder = pathlib.Path(os.environ.get("PACTDB_RECORDINGS") or "/nowhere")
    found = {section: list(recorded_steps(folder / name)) for section, name in RECORDINGS.items() if (folder / name).exists()}
    words = {section: f"{RECORDINGS[section]} of PACTDB_RECORDINGS" for section in found}
    if not found:
        lines = turns_file.read_text(encoding="utf-8").splitlines()[:100]
        found["generated"] = [("t0", role, text) for line in lines for role, _, text in json.loads(line)]
        words["generated"] = "generated, for PACTDB_RECORDINGS is not set"
    for section, steps in found.items():
        (work / f"{section}.tsv").write_text("".join(f"{thread}\t{role}\t{json.dumps(text)}\n" for thread, role, text in steps),
                                             encoding="utf-8")
        threads = len({thread for thread, _, _ in steps})
        words[section] += (f": {len(steps):,} messages" + (f" in {threads} conversations" if threads > 1 else "") +
                           f", {sum(len(text.encode()) for _, _, text in steps):,} bytes of text")
    return words


def step_contenders(section, program, work, python, python_reason, postgres):
    file, script = work / f"{section}.tsv", HERE / "langgraph_steps.py"

    def langgraph(saver):
        return lambda folder, number: [str(python), "-B", str(script), saver, str(file),
                                       postgres.fresh(f"{section}{number}") if saver == "postgres" else str(folder)]

    return [
        Contender("pactdb", section, lambda folder, number: [str(program), "steps", str(file), str(folder)]),
        Contender("LangGraph, SqliteSaver", section, langgraph("sqlite"), python_reason),
        Contender("LangGraph, SqliteSaver, DeltaChannel", section, langgraph("sqlite-delta"), python_reason),
        Contender("LangGraph, PostgresSaver", section, langgraph("postgres"), python_reason or postgres.reason),
    ]


def contenders(program, turns, work, node_reason):
    turns_file = work / "turns.jsonl"
    lists, trees = HERE / "lists.py", HERE / "trees.mjs"
    git = None if shutil.which("git") else "there is no git"

    def plain(*words):
        return lambda folder, number: [str(word) for word in words] + [str(folder)]

    def fixed(*words):
        return lambda folder, number: [str(word) for word in words]

    return [
        Contender("pactdb and SQLite", "turns", plain(program, "turns", turns)),
        Contender("Python list, json.dumps, SQLite", "turns", plain(sys.executable, "-B", lists, "list", turns_file)),
        Contender("the documents' Python reference", "turns", plain(sys.executable, "-B", lists, "reference", turns_file)),
        Contender("git", "turns", plain(sys.executable, "-B", lists, "git", turns_file), git),
        Contender("Loro", "turns", fixed("node", trees, "loro", turns_file), node_reason),
        Contender("Automerge", "turns", fixed("node", trees, "automerge", turns_file), node_reason),
        Contender("pactdb, pugixml and SQLite", "select", fixed(program, "select", turns)),
        Contender("css-select", "select", fixed("node", trees, "css-select", turns_file), node_reason),
        Contender("unist-util-select", "select", fixed("node", trees, "unist-util-select", turns_file), node_reason),
    ]


def names():
    """What --only may name: sections, and who is in them."""
    everyone = contenders("", 0, BUILD, None)
    for section in (*RECORDINGS, "generated"):
        everyone += step_contenders(section, "", BUILD, "", None, argparse.Namespace(reason=None))
    return [*dict.fromkeys(one.section for one in everyone), *dict.fromkeys(one.name for one in everyone)]


def leave_out(everyone, only):
    """All but what is asked for, and pactdb beside it: what else would it be held against?"""
    asked = {one.section for one in everyone if one.name in only or one.section in only}
    for one in everyone:
        is_base = one.section in asked and one.name.startswith("pactdb")
        if not is_base and one.name not in only and one.section not in only:
            one.skip = NOT_ASKED


def is_measured(section, figures):
    return any(who.startswith("pactdb") for who, found in figures.get(section, {}).items() if found)


def run(contender, number, figures):
    folder = pathlib.Path(tempfile.mkdtemp(dir=BUILD))
    try:
        done = subprocess.run(contender.command(folder, number), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=TIME_LIMIT)
        if done.returncode:
            contender.skip = "it failed: " + (done.stderr.strip().splitlines() or ["without a word"])[-1]
            return
        if not done.stdout.strip():
            contender.skip = "it failed: it said nothing"
        for line in done.stdout.splitlines():
            one = json.loads(line)
            figures[contender.section][one["who"]][one["what"]].append(one["value"])
    except (OSError, subprocess.TimeoutExpired) as error:
        contender.skip = f"it failed: {error}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def shown(value, unit):
    if unit == "B":
        return f"{value / 1e6:,.1f} MB" if value >= 1e6 else f"{value:,.0f} B"
    for name, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if value >= size:
            return f"{value / size:,.1f} {name}"
    return f"{value:,.0f} ns"


def table(section, figures):
    """Markdown lines: a row a contender, a figure and its ratio to pactdb's in each cell."""
    key, _, columns = section
    rows = figures[key]
    first = next(iter(rows), "")
    yield "| | " + " | ".join(title for _, title, _ in columns) + " |"
    yield "| --- |" + " ---: |" * len(columns)
    for who, found in rows.items():
        cells = []
        for what, _, unit in columns:
            if what not in found:
                cells.append("-")
                continue
            value = statistics.median(found[what])
            cell = shown(value, unit)
            base = next((rows[name] for name in (BASES.get(who), first) if what in rows.get(name, {})), None)
            if not who.startswith("pactdb") and base:
                ratio = value / statistics.median(base[what])
                cell += f" ({ratio:,.0f}x)" if ratio >= 10 else f" ({ratio:.2g}x)"
            cells.append(cell)
        yield f"| {who} | " + " | ".join(cells) + " |"


def spread(figures):
    """How far the rounds of one figure lie apart: the median over all figures, and the largest."""
    factors = [max(values) / min(values) for rows in figures.values() for found in rows.values() for values in
               found.values() if len(values) > 1 and min(values) > 0]
    return (statistics.median(factors), max(factors)) if factors else (1, 1)


def check_hits(figures):
    """Every engine found as many nodes."""
    for what in "ABCD":
        hits = {found[f"{what} hits"][0] for found in figures["select"].values() if f"{what} hits" in found}
        if len(hits) > 1:
            sys.exit(f"compare: the engines do not agree on question {what}: {sorted(hits)}")


def report(run, figures):
    yield (f"{run['date']}, {run['machine']}; {run['rounds']} rounds, {run['seconds']:.0f} s. The load of the machine was "
           f"{run['load']:.1f} when the run began.")
    yield f"Versions: {', '.join(run['versions'])}."
    middle, largest = spread(figures)
    yield (f"The rounds of a figure lie apart by a factor of {middle:.2f} in the median, {largest:.1f} at most.")
    yield ("In brackets: times the figure of pactdb; below 1 is where pactdb loses. Loro, Automerge and SQLite in memory are "
           "held against pactdb in memory, git against pactdb relaxed, the others against the first row.")
    notes = {"turns": f"{run['turns']:,} turns, each of 10 nodes and about 1.6 kB of text; the last 100 commits are timed. Bytes: "
                      "of the Python list and of the reference, which keep everything again each time, at the last turn; of the "
                      "others all of it by the number of turns.",
             "select": f"On the tree of {run['turns']:,} turns, {run['turns'] * 10:,} nodes; every engine finds the same number."}
    conversations = [(section, f"Message by message: {what.split(' of ')[0].split(',')[0]}", STEPS)
                     for section, what in run["conversations"].items()]
    notes.update((section, f"{what[:1].upper()}{what[1:]}.") for section, what in run["conversations"].items())
    for section in (TURNS, SELECT, *conversations):
        if not is_measured(section[0], figures):
            continue
        yield ""
        yield f"### {section[1]}"
        yield ""
        yield notes[section[0]]
        yield ""
        yield from table(section, figures)
    yield ""
    yield "### Skipped"
    yield ""
    yield from [f"- {name}: {reason}" for name, reason in run["skipped"]] or ["Nothing."]
    yield ""
    yield "### Not comparable"
    yield ""
    yield from (f"- {note}" for note in NOT_COMPARABLE)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--only", action="append", help="a section or a contender, by its name; may be repeated")
    parser.add_argument("--program", default=str(ROOT / "build/bench/bench/pactdb_compare"))
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    if unknown := sorted(set(options.only or []) - set(names())):
        parser.error(f"--only {', '.join(unknown)}: there is no such thing; there are {'; '.join(names())}")
    if options.again:
        kept = json.loads((BUILD / "results.json").read_text(encoding="utf-8"))
        print("\n".join(report(kept["run"], kept["figures"])))
        return 0
    began, load = time.monotonic(), os.getloadavg()[0]
    work = BUILD / "work"
    work.mkdir(parents=True, exist_ok=True)
    python, python_reason = install_python()
    node_reason = install_node()
    postgres = Postgres()
    figures = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
    try:
        with open(work / "turns.jsonl", "wb") as file:
            subprocess.run([options.program, "texts", str(options.turns)], check=True, stdout=file)
        conversations = write_steps(work, work / "turns.jsonl")
        everyone = contenders(options.program, options.turns, work, node_reason)
        for section in conversations:
            everyone += step_contenders(section, options.program, work, python, python_reason, postgres)
        if options.only:
            leave_out(everyone, options.only)
        for number in range(options.rounds):
            for one in everyone:
                if not one.skip:
                    print(f"compare: round {number + 1}: {one.name} ({one.section})", file=sys.stderr, flush=True)
                    run(one, number, figures)
    finally:
        postgres.stop()
    check_hits(figures)
    sections = list(dict.fromkeys(one.section for one in everyone if one.skip != NOT_ASKED))
    unmeasured = [section for section in sections if not is_measured(section, figures)]
    if unmeasured or not sections:
        for one in everyone:
            if (one.skip or "").startswith("it failed"):
                print(f"compare: {one.name} ({one.section}): {one.skip}", file=sys.stderr)
        what = ", ".join(unmeasured) or "what is asked for"
        print(f"compare: pactdb has no figures of {what}; the last report is kept", file=sys.stderr)
        return 1
    described = {"date": time.strftime("%Y-%m-%d", time.gmtime()), "machine": machine_class(BUILD), "rounds": options.rounds,
                 "turns": options.turns, "seconds": time.monotonic() - began, "load": load,
                 "conversations": conversations, "versions": versions(python),
                 "skipped": [(f"{one.name} ({one.section})", one.skip) for one in everyone if one.skip]}
    text = "\n".join(report(described, figures)) + "\n"
    (BUILD / "report.md").write_text(text, encoding="utf-8")
    (BUILD / "results.json").write_text(json.dumps({"run": described, "figures": figures}, indent=1) + "\n",
                                        encoding="utf-8")
    print(text, end="")
    return 1 if any((one.skip or "").startswith("it failed") for one in everyone) else 0


if __name__ == "__main__":
    sys.exit(main())
