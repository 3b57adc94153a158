"""What the commands that documents cite name exists: tools/tidy.py runs check_doc_commands.

Commands stand in code spans, in fenced blocks of shell, and in lines indented by four blanks. Of each the targets of
make and what its variables pass on, verbs and options of pactdb, presets, labels and names of tests, paths, options of
scripts, goals of the benchmark and fuzz targets are looked up.
"""
import re
import shlex

SHELL_FENCES = {"sh", "bash", "shell", "console", ""}
RUNNERS = {"python3", "python", "bash", "sh", "source", "time", "sudo", "env", "exec"}
# Folders a path may begin with. What is under build/ is made by a build and cannot be looked up.
TOPS = {"src", "include", "docs", "tools", "test", "fuzz", "bench", "cmake", "conformance", "examples", ".ci"}
PATH = re.compile(r"(?:\./)?([\w.-]+(?:/[\w.*{},-]+)+)/?\Z")
SEPARATORS = re.compile(r"[;&|()<>]+\Z")
# In prose, what follows "`make a`" in a list of code spans is another target of make.
MAKE_LIST = re.compile(r"`make [^`\n]+`((?:(?:,| and| or|, and|, or)\s+`[a-z]+-[a-z-]+`)+)")


def expand(path):
    """a/{b,c}.h -> a/b.h, a/c.h"""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    choices = match[1].split(",")
    return [p for c in choices for p in expand(path[: match.start()] + c.strip() + path[match.end():])]


def exists(tree, path):
    path = path.rstrip("/")
    if "*" in path:
        return any(tree.root.glob(path))
    return path in tree.paths


def spans(tree, name):
    """Yields (line, text, language) for each code span, language None, and each line of a fenced block."""
    language = None
    paragraph = []  # its lines: a span may run over the end of one

    def spans_of_paragraph():
        text = "\n".join(text for _, text in paragraph)
        for match in re.finditer(r"`([^`]+)`", text):
            yield paragraph[text.count("\n", 0, match.start())][0], re.sub(r"\s*\n\s*", " ", match[1]), None
        paragraph.clear()

    for line, text in tree.lines(name):
        is_fence = text.lstrip().startswith("```")
        # No span runs from one of these to the next.
        if is_fence or not text.strip() or re.match(r"\s*(?:[|#>]|[-*] |\d+\. )", text):
            yield from spans_of_paragraph()
        if is_fence:
            language = None if language is not None else (text.strip("` ").split() or [""])[0]
        elif language is not None:
            yield line, text, language
        else:
            paragraph.append((line, text))
    yield from spans_of_paragraph()


def commands(tree, name):
    """(line, the words of one simple command, whether it is in a block of shell)."""
    for line, text, language in spans(tree, name):
        if language is None:
            yield from ((line, words, False) for words in split(text))
        elif language in SHELL_FENCES:
            prompt = re.match(r"\s*[$#%] ", text)
            if language != "console" or prompt:
                yield from ((line, words, True) for words in split(text[prompt.end():] if prompt else text))
    fenced = False
    for line, text in tree.lines(name):
        fenced ^= text.lstrip().startswith("```")
        if not fenced and re.match(r" {4}(?:[$] )?(?:[A-Z_]+=\S+ )*(?:make|c?make|ctest|pactdb|\.ci/|python3|[a-z]+/[\w./-]+)\b", text):
            yield from ((line, words, True) for words in split(text.strip().removeprefix("$ ")))


def split(text):
    """The simple commands of a line of shell, as lists of words."""
    lexer = shlex.shlex(re.sub(r"(?:^|\s)#\s.*", "", text), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # No shell, or half a line of it.
        words = text.split()
    command = []
    for word in words:
        if SEPARATORS.match(word):
            yield command
            command = []
        else:
            command.append(word)
    yield command


class Known:
    """What exists, of each kind of thing that a command can name; None where the checkout has nothing of that kind."""

    def __init__(self, tree):
        self.tree = tree
        self.targets = self.find("Makefile", r"^([a-z][\w-]*):")
        self.presets = self.find("CMakePresets.json", r'"name":\s*"([\w-]+)"')
        self.verbs = self.options_of_verbs()
        cmake = {name: re.sub(r"#.*", "", tree.text(name)) for name in tree.files("CMakeLists.txt", ".cmake")}
        words = " ".join(" ".join(re.findall(r"LABELS\s+([^)\n]*)", text)) for text in cmake.values())
        self.labels = set(re.findall(r"[a-z_]+", words))
        self.tests = {test for name, text in cmake.items() for test in self.tests_of(name, text)}
        self.goals = self.find("bench/goals.cc", r'Goal\{"([\w-]+)"')
        self.fuzzers = {one for text in cmake.values() for one in re.findall(r"pactdb_fuzzer\(\s*(\w+)", text)}
        self.scripts_of_variables = self.variables_passed_on()

    def variables_passed_on(self):
        """{variable of make: the scripts and programs that get its words}"""
        passed = {}
        if "Makefile" in self.tree.paths:
            for line in self.tree.text("Makefile").replace("\\\n", " ").split("\n"):
                programs = [p for p in self.tree.paths if p.endswith((".py", ".sh")) and re.search(rf"\s{re.escape(p)}\s", line)]
                programs += [f"bench/{p}.cc" for p in re.findall(r"build/bench/bench/(\w+)", line)]
                for variable in re.findall(r"\$\(([A-Z_]+_ARGS)\)", line):
                    passed.setdefault(variable, set()).update(programs)
        return passed

    def find(self, name, pattern):
        return set(re.findall(pattern, self.tree.text(name), re.M)) if name in self.tree.paths else None

    def options_of_verbs(self):
        """{verb: options}: those told in the verb's file, and in files that are no verb's."""
        sources = {name: set(re.findall(r"--[a-z][a-z0-9-]+", self.tree.text(name)))
                   for name in self.tree.files(".cc", ".h", under="src/cli/") if not name.endswith("_test.cc")}
        shared = {"--help", "--version"}.union(*(o for name, o in sources.items() if not name.endswith("_command.cc")))
        verbs = {"help": shared}
        for name, options in sources.items():
            for verb in re.findall(r"\.name = \"(\w+)\"", self.tree.text(name)):
                verbs[verb] = shared | options
        return verbs

    def tests_of(self, name, text):
        """Names that CTest will have; ${area} and the like become what the checkout has for them."""
        folder = name.rpartition("/")[0]
        for test in re.findall(r"(?:pactdb_python_test|add_test)\(\s*(?:NAME\s+)?([\w.]+)[\s)]", text):
            yield test
        for what, names in (("bench.smoke", re.findall(r"pactdb_benchmark\(\s*(\w+)", text)),
                            ("fuzz.replay", re.findall(r"pactdb_fuzzer\(\s*(\w+)", text))):
            yield from (f"{what}.{one}" for one in names)
        if "conformance.${" in text:
            yield from (f"conformance.{p.split('/')[1]}" for p in self.tree.files(".jsonl", under="conformance/"))
        for layer, rest in re.findall(r"pactdb_test\(\s*(\w+)([^)]*)\)", text):
            suffix = re.search(r"\bNAME\s+(\w+)", rest)
            stem = f"{layer}_{suffix[1]}" if suffix else layer
            for source in re.findall(r"[\w./]+_test\.cc", rest):
                if f"{folder}/{source}" in self.tree.paths:
                    macro = r"^\s*(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)"
                    found = re.findall(macro, self.tree.text(f"{folder}/{source}"), re.M)
                    yield from (f"{stem}.{suite}.{claim}" for suite, claim in found)

    def has_variable(self, name):
        return any(re.search(rf"\b{name}\b", self.tree.text(path)) for path in self.tree.files("Makefile", ".sh", "run"))

    def script_text(self, path):
        """A script with the modules beside it that it imports: where its options may be told."""
        text, folder = self.tree.text(path), path.rpartition("/")[0]
        for module in re.findall(r"^(?:from|import) (\w+)", text, re.M):
            beside = f"{folder}/{module}.py"
            text += self.tree.text(beside) if beside in self.tree.paths else ""
        return text


def judge(known, words, in_block):
    """The faults of one simple command."""
    while words and re.fullmatch(r"[A-Z_][A-Z0-9_]*=.*", words[0]):
        variable, _, value = words[0].partition("=")
        yield from missing_paths(known.tree, [value])
        yield from of_variable(known, variable, value)
        words = words[1:]
    while words and (words[0] in RUNNERS or words[0] in ("-B", "then", "do")) and len(words) > 1:
        words = words[1:]
    if not words:
        return
    head, rest = words[0], words[1:]
    program = head.removeprefix("./")
    if head == "make":
        yield from of_make(known, rest)
    elif re.fullmatch(r"(?:build/(?:\w+/bin/)?)?pactdb", program):
        yield from of_pactdb(known, rest)
    elif head in ("cmake", "ctest"):
        yield from of_cmake(known, head, rest)
    elif PATH.match(head) and program.split("/")[0] in TOPS and (in_block or rest or re.search(r"\.(?:py|sh)\Z|\A\.ci/", program)):
        yield from of_script(known, program, rest)
    if in_block:
        yield from missing_paths(known.tree, rest)
    else:
        yield from missing_paths(known.tree, [w for w in rest if head in ("make", "ctest", "cmake") or PATH.match(head)])


def missing_paths(tree, words):
    for word in words:
        word = word.rpartition("=")[2] if re.match(r"--|[A-Z_]+=", word) else word
        for part in word.split(" "):  # --engine "python3 test/oracle/exec.py"
            match = PATH.match(part)
            if match and match[1].split("/")[0] in TOPS:
                yield from (f"{path} does not exist" for path in expand(match[1]) if not exists(tree, path))


def of_variable(known, variable, value):
    """What is passed on to programs by a variable of make."""
    texts = [known.script_text(p) for p in known.scripts_of_variables.get(variable, ()) if p in known.tree.paths]
    if not texts:
        return
    words = value.split()
    for word in words:
        option = word.partition("=")[0]
        if re.fullmatch(r"--[a-z][a-z0-9-]+", option) and not any(f"{option}" in text for text in texts):
            yield f"nothing that gets {variable} has an option {option}"
    yield from unknown_goals(known, words)


def unknown_goals(known, words):
    for option, value in zip(words, words[1:]):
        if option == "--goal" and known.goals is not None and value not in known.goals | {"N"}:
            yield f"the benchmark has no goal {value}"


def of_make(known, words):
    for word in words:
        if re.fullmatch(r"[a-z][\w-]*", word) and known.targets is not None and word not in known.targets:
            yield f"the Makefile has no target {word}"
        elif re.match(r"[A-Z_]+=", word) and not known.has_variable(word.partition("=")[0]):
            yield f"nothing that make runs knows {word.partition('=')[0]}"
        elif re.match(r"[A-Z_]+=", word):
            yield from of_variable(known, *word.split("=", 1))
        elif not re.fullmatch(r"[a-z][\w-]*|[A-Z_]+=.*|-\w*|\d+", word):
            return  # Prose, or the name of a placeholder.


def of_pactdb(known, words):
    if words and re.fullmatch(r"[a-z][a-z-]*", words[0]) and words[0] not in known.verbs:
        yield f"the command has no verb {words[0]}"
    if not words or words[0] not in known.verbs:
        return
    for word in words[1:]:
        option = word.partition("=")[0]
        if re.fullmatch(r"--[a-z][a-z0-9-]+", option) and option not in known.verbs[words[0]]:
            yield f"pactdb {words[0]} has no option {option}"


def of_cmake(known, program, words):
    for option, value in zip(words, words[1:]):
        if option == "--preset" and known.presets is not None and value not in known.presets | {"NAME"}:
            yield f"there is no preset {value}"
        if program != "ctest" or option not in ("-L", "-LE", "-R", "-E"):
            continue
        kind, names = ("label", known.labels) if option[1] == "L" else ("test", known.tests)
        for one in value.split("|"):
            try:
                if not any(re.search(one, name) for name in names):
                    yield f"no {kind} fits {one}"
            except re.error:
                yield f"{one} is no pattern of CTest"
    for word in words:
        if word.startswith("--preset="):
            yield from of_cmake(known, program, ["--preset", word.partition("=")[2]])


def of_script(known, path, words):
    for one in expand(path):
        if not exists(known.tree, one):
            yield f"{one} does not exist"
    if path not in known.tree.paths or not path.endswith((".py", ".sh")):
        return
    text = known.script_text(path)
    for word in words:
        option = word.partition("=")[0]
        if re.fullmatch(r"--[a-z][a-z0-9-]+", option) and option != "--help" and option not in text:
            yield f"{path} has no option {option}"
        if path == "tools/fuzz.sh" and re.fullmatch(r"[a-z]+", word) and word not in known.fuzzers:
            yield f"there is no fuzz target {word}"


def check_doc_commands(tree):
    """Commands in documents can be given: targets, verbs, presets, labels, tests, paths and options are there."""
    known = Known(tree)
    for name in tree.documents():
        for line, words, in_block in commands(tree, name):
            for fault in judge(known, words, in_block):
                yield name, line, fault
        if known.targets is None:
            continue
        text = tree.text(name)
        named = [(m.start(), one) for m in MAKE_LIST.finditer(text) for one in re.findall(r"`([a-z-]+)`", m[1])]
        named += [(m.start(), m[1]) for m in re.finditer(r"`(sweep-[a-z-]+)`", text)]
        for start, target in named:
            if target not in known.targets:
                yield name, text.count("\n", 0, start) + 1, f"the Makefile has no target {target}"
