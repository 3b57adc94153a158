#!/usr/bin/env python3
"""House rules that a machine can check. Runs as the CTest test house.tidy and in `make lint`.

Each check is a function `check_*(tree)` that yields (path, line, message). tools/tidy_test.py plants one violation of
each kind and expects it to be found. What needs a compiler is elsewhere: headers that compile alone are built in
test/public_headers, formatting and clang-tidy are in tools/lint.sh.

usage: tools/tidy.py [--only NAME] [ROOT]      exit code 1 if anything was found
"""
import argparse
import itertools
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from doc_commands import TOPS, check_doc_commands, exists, expand, spans  # noqa: E402,F401  found by CHECKS

# Lowest first. A layer may include itself and everything lower; names in one row are siblings and never include
# each other.
LEVELS = [
    ["base"],
    ["text"],
    ["model"],
    ["diff", "select", "render", "tokens", "providers", "store"],
    ["engine"],
    ["capi", "server"],
    ["cli"],
]
LEVEL_OF = {layer: i for i, row in enumerate(LEVELS) for layer in row}

# The layer that owns each public header (include/pactdb/NAME.h); whoever may include the layer may include it.
PUBLIC_OWNER = {
    "error": "base", "result": "base", "limits": "base", "clock": "base", "stream": "base", "host": "base",
    "json": "text",
    "node": "model", "snapshot": "model", "tree": "model", "options": "model",
    "ext/store": "model",
    "selector": "select", "diff": "diff", "render": "render", "tokens": "tokens",
    "context": "engine", "exec": "engine", "database": "engine", "repair": "engine",
    "pactdb": "capi",
}

# Headers that only one folder may see.
PRIVATE_LIBRARIES = {
    "sqlite3.h": ("src/store/sqlite/", "test/store_faults/", "bench/"),
    "libpq-fe.h": ("src/store/postgres/",),
    "CLI/CLI.hpp": ("src/cli/", "bench/"),
}

COLUMNS = 100
LINES_MAX = 1000
TODO_KINDS = {"perf", "api", "test", "docs", "port"}
ERROR_TABLE = "include/pactdb/error_codes.def"
OPERATIONS_PAGE = "docs/operations.md"
SKIPPED_DIRS = {"build", ".git", "__pycache__", ".cache", "node_modules"}
THIS = {"tools/tidy.py", "tools/tidy_test.py", "tools/doc_commands.py"}


class Tree:
    """The checkout: relative paths and their text, read once."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.texts = {}
        self.paths = set()
        for path in self._walk(self.root):
            name = path.relative_to(self.root).as_posix()
            self.paths.add(name)
            self.paths.update(p.as_posix() for p in path.relative_to(self.root).parents)

    def _walk(self, folder):
        for path in sorted(folder.iterdir()):
            if path.is_dir() and not path.is_symlink():
                if path.name not in SKIPPED_DIRS:
                    yield from self._walk(path)
            else:
                yield path

    def text(self, name):
        if name not in self.texts:
            self.texts[name] = (self.root / name).read_text(encoding="utf-8", errors="replace")
        return self.texts[name]

    def files(self, *suffixes, under=""):
        for name in sorted(self.paths):
            if name.startswith(under) and name.endswith(suffixes) and (self.root / name).is_file():
                yield name

    def lines(self, name):
        return enumerate(self.text(name).split("\n"), 1)

    def cpp(self, under=""):
        return self.files(".h", ".cc", under=under)

    def documents(self):
        return self.files(".md")


def layer_of(name):
    parts = name.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 and parts[1] in LEVEL_OF else None


def may_include(layer, other):
    return layer == other or LEVEL_OF[other] < LEVEL_OF[layer]


def is_test(name):
    return name.endswith(("_test.cc", "_benchmark.cc", "_fuzzer.cc"))


def code_only(text):
    """`text` with comments and the insides of literals blanked; line breaks stay."""
    pattern = r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"' + r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'"
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def includes(tree, name):
    for match in INCLUDE.finditer(tree.text(name)):
        yield tree.text(name).count("\n", 0, match.start()) + 1, match[1], match[2]


def public_owner(header):
    return PUBLIC_OWNER.get(re.sub(r"^pactdb/|\.(h|def)$", "", header.replace("_codes.def", ".def")))


def check_layers(tree):
    """Includes in src/ point downwards, never sideways or up."""
    for name in tree.cpp("src/"):
        layer = layer_of(name)
        if layer is None:
            yield name, 1, "not in a known layer folder; see LEVELS in tools/tidy.py"
            continue
        for line, mark, header in includes(tree, name):
            if header.startswith("pactdb/"):
                other = public_owner(header)
                if other is None:
                    yield name, line, f"<{header}> has no owner; see PUBLIC_OWNER in tools/tidy.py"
                    continue
            elif mark == '"':
                other = header.split("/")[0]
                if other == "support" and is_test(name):
                    continue
                if other not in LEVEL_OF or f"src/{header}" not in tree.paths:
                    yield name, line, f'"{header}": write private includes as "layer/file.h"'
                    continue
            else:
                continue
            if not may_include(layer, other):
                kind = "a sibling" if LEVEL_OF[layer] == LEVEL_OF[other] else "a higher layer"
                yield name, line, f"{layer} includes {header} of {kind}, {other}"


def check_public_headers(tree):
    """Public headers stand on public headers of their layer and below; the C ABI on nothing of ours."""
    for name in tree.cpp("include/"):
        own = public_owner(name.removeprefix("include/"))
        if own is None:
            yield name, 1, "has no owner; see PUBLIC_OWNER in tools/tidy.py"
            continue
        for line, mark, header in includes(tree, name):
            if mark == '"':
                yield name, line, f'a public header includes private "{header}"'
            elif header.startswith("pactdb/"):
                other = public_owner(header)
                if own == "capi" or other is None or not may_include(own, other):
                    yield name, line, f"a header of {own} includes <{header}> of {other}"


def check_outside_users(tree):
    """Examples and bindings see what a user sees."""
    for name in itertools.chain(tree.cpp("examples/"), tree.cpp("bindings/")):
        for line, mark, header in includes(tree, name):
            if mark == '"' and header.split("/")[0] in LEVEL_OF:
                yield name, line, f'"{header}" is private; use <pactdb/...>'


def check_private_libraries(tree):
    for name in tree.cpp():
        for line, _, header in includes(tree, name):
            folders = PRIVATE_LIBRARIES.get(header)
            if folders and not name.startswith(folders):
                yield name, line, f"<{header}> may be included only in {', '.join(folders)}"


def check_own_header_first(tree):
    for name in tree.files(".cc", under="src/"):
        own = {name.removeprefix("src/")[:-3] + ".h"}
        if f"src/{min(own)}" not in tree.paths:
            continue
        first = next(includes(tree, name), None)
        if first and first[2] not in own:
            yield name, first[0], f'include the own header "{min(own)}" first'


def check_pragma_once(tree):
    for name in tree.files(".h"):
        if name != "include/pactdb/pactdb.h" and "#pragma once" not in tree.text(name):
            yield name, 1, "no #pragma once"


def check_size(tree):
    for name in tree.cpp():
        count = 0
        for count, text in tree.lines(name):
            if len(text) > COLUMNS:
                yield name, count, f"{len(text)} columns; the limit is {COLUMNS}"
            if text != text.rstrip():
                yield name, count, "white space at the end of the line"
        if count > LINES_MAX and not is_test(name):
            yield name, count, f"{count} lines; look for a second idea (the limit is {LINES_MAX})"


def check_library_manners(tree):
    """A library returns errors and prints nothing."""
    banned = {
        r"\bthrow\b(?!\s+std::bad_alloc\b)": "no throw under src/: return an Error",
        r"\bstd::(cout|cerr|clog)\b|\bf?printf\s*\(|\bputs\s*\(": "the library prints nothing",
        r"\bassert\s*\(": "use PACTDB_CHECK or PACTDB_DCHECK",
    }
    for name in tree.cpp("src/"):
        if is_test(name):
            continue
        code = code_only(tree.text(name))
        for pattern, message in banned.items():
            if layer_of(name) == "cli" and "print" in message:
                continue
            for match in re.finditer(pattern, code):
                yield name, code.count("\n", 0, match.start()) + 1, message


def check_todo(tree):
    for name in tree.files(".h", ".cc", ".def", ".py", ".sh", ".cmake", "CMakeLists.txt", "Makefile"):
        if name in THIS:
            continue
        for line, text in tree.lines(name):
            if re.search(r"\b(FIXME|XXX|HACK)\b", text):
                yield name, line, "no FIXME, XXX or HACK; fix it or write TODO(kind)"
            for match in re.finditer(r"\bTODO\b(?:\((\w*)\))?", text):
                if match[1] not in TODO_KINDS:
                    yield name, line, f"write TODO(kind), kind one of {', '.join(sorted(TODO_KINDS))}"


def check_doc_paths(tree):
    """A path named in a document exists: code spans that look like one, and relative links."""
    tops = {p.split("/")[0] for p in tree.paths if "/" in p} | TOPS
    for name in tree.documents():
        for line, text, language in spans(tree, name):
            text = re.sub(r":\d+$", "", text.strip())
            if language is not None or not re.fullmatch(r"[\w.*{},/-]+", text) or "/" not in text:
                continue
            if text.split("/")[0] in tops - {"build"}:
                for path in expand(text):
                    if not exists(tree, path):
                        yield name, line, f"{path} does not exist"
        folder = pathlib.PurePosixPath(name).parent
        for line, text in tree.lines(name):
            for target in re.findall(r"\]\(([^)\s]+)\)", text):
                target = target.split("#")[0]
                if target and not re.match(r"[a-z]+:", target):
                    if not (tree.root / folder / target).exists():
                        yield name, line, f"the link to {target} leads nowhere"
    for name in tree.files(".h", ".cc", ".def", ".cmake", ".sh", ".py", "CMakeLists.txt", "Makefile"):
        if name in THIS:
            continue
        for line, text in tree.lines(name):
            for path in re.findall(r"(?<![\w/.])docs/[\w/.-]+\.md", text):
                if path not in tree.paths:
                    yield name, line, f"{path} does not exist"


def check_doc_error_codes(tree):
    if ERROR_TABLE not in tree.paths:
        return
    known = set(re.findall(r'"(\w+)"', tree.text(ERROR_TABLE)))
    for name in tree.documents():
        for line, text in tree.lines(name):
            for code in re.findall(r"\bE_[A-Z]+(?:_[A-Z]+)*\b(?![_*])", text):
                if code not in known:
                    yield name, line, f"{code} is not in {ERROR_TABLE}"


# What an error calls a limit: a text beside the word "limit", or before the bound itself.
LIMIT_NAMES = re.compile(r'With\("limit",\s*([^;]*?)\)\s*(?:\.|;|\n)|("\w+"(?: : "\w+")?),\s*(?:limits::k\w+|k\w+Max|max|visits_max_)\b')


def check_doc_limits(tree):
    """Every limit that an error can name is on the page of the operations."""
    if OPERATIONS_PAGE not in tree.paths:
        return
    documented = set(re.findall(r"`(\w+)`", tree.text(OPERATIONS_PAGE)))
    for name in tree.cpp("src/"):
        if is_test(name):
            continue
        text = tree.text(name)
        for match in LIMIT_NAMES.finditer(text):
            for limit in re.findall(r'"(\w+)"', match[1] or match[2]):
                if limit not in documented | {"limit", "max"}:
                    line = text.count("\n", 0, match.start()) + 1
                    yield name, line, f"the limit {limit} is not in {OPERATIONS_PAGE}"


EDITABLE_HEAD = re.compile(
    r"(?i)(?<![\w^])(\^ah|(?:active )?head)(?![\w-])[^.;:|]{0,40}\b(mutable|editable)\b|"
    r"\b(mutable|editable)\b[^.;:|]{0,20}(\^ah|active head)(?!\w)")


def check_head_words(tree):
    """TREE-11: `^ah` is a place in the tree; what can be edited is the open turn. Documents do not mix the two."""
    for name in itertools.chain(tree.documents(), tree.files(".h", under="include/")):
        text = tree.text(name).replace("`", " ")
        for match in EDITABLE_HEAD.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield name, line, f"TREE-11: {match[1] or match[4]} is a place, the open turn is what can be edited"


def check_no_machine_paths(tree):
    for name in tree.files(".md", ".h", ".cc", ".py", ".sh", ".cmake", "CMakeLists.txt", "Makefile", ".json"):
        if name in THIS:
            continue
        for line, text in tree.lines(name):
            if re.search(r"(?<![\w.~/*-])/(home|root|Users|work)/\w", text):
                yield name, line, "names a path of one machine"


def check_listed_sources(tree):
    """Every .cc is listed in the CMakeLists.txt of its folder, or of the nearest one above; every listed one exists."""
    lists = [n for n in tree.files("CMakeLists.txt") if "/" in n]
    listed = {}
    for cmake in lists:
        folder = cmake.removesuffix("/CMakeLists.txt")
        text = re.sub(r"#.*", "", tree.text(cmake))
        names = set(re.findall(r"(?<![\w/.\"}-])[\w./-]+\.cc\b", text))
        names |= {f"{n}_fuzzer.cc" for n in re.findall(r"pactdb_fuzzer\(\s*(\w+)", text)}
        listed[folder] = {f"{folder}/{n}" for n in names}
        optional = set(re.findall(r"EXISTS[^)]*?/([\w.-]+\.cc)", text))
        for source in sorted(listed[folder]):
            if source not in tree.paths and source.rsplit("/", 1)[1] not in optional:
                yield cmake, 1, f"lists {source}, which does not exist"
    for top in ("src/", "test/", "bench/", "fuzz/", "examples/"):
        for source in tree.files(".cc", under=top):
            parents = (p.as_posix() for p in pathlib.PurePosixPath(source).parents)
            owner = next((p for p in parents if p in listed), None)
            if owner is None or source not in listed[owner]:
                yield source, 1, f"is in no CMakeLists.txt (looked in {owner or 'none'})"


CHECKS = [check for name, check in sorted(globals().items()) if name.startswith("check_")]


def run(root, checks=None):
    """All findings in the checkout at `root`, as sorted lines."""
    tree = Tree(root)
    found = {(str(p), n, m) for check in checks or CHECKS for p, n, m in check(tree)}
    return [f"{path}:{line}: {message}" for path, line, message in sorted(found)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", metavar="NAME", choices=[c.__name__.removeprefix("check_") for c in CHECKS],
                        help="only check_NAME")
    parser.add_argument("root", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    checks = [c for c in CHECKS if options.only in (None, c.__name__.removeprefix("check_"))]
    findings = run(options.root, checks)
    print("\n".join(findings) if findings else f"tidy: {len(checks)} checks, nothing found")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
