#!/usr/bin/env python3
"""Manual pages and completions, which the build makes, know every verb and every option that `--help` shows."""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import pathlib

import habits
import transcript


def options_of(shell, verb):
    text = shell.run(f"pactdb {verb} --help").stdout.decode().split("Examples:")[0]
    # A flag that can be taken back has two names: --keep-tagged,--no-keep-tagged{false}.
    names = re.findall(r"^  (?:-\w,)?(--[\w-]+(?:,--[\w-]+)*)", text, re.M)
    return [option for one in names for option in one.split(",")]


def check_manual(shell, verbs, folder):
    shell.run(f"pactdb generate man --folder {folder}")
    pages = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    if set(pages) != {"pactdb.1"} | {f"pactdb-{verb}.1" for verb in verbs}:
        yield f"the pages are {sorted(pages)}"
    for verb in verbs:
        page = pages.get(f"pactdb-{verb}.1", "").replace("\\-", "-")
        if f"pactdb-{verb}" not in pages["pactdb.1"].replace("\\-", "-"):
            yield f"pactdb.1 does not name {verb}"
        for option in options_of(shell, verb):
            if option not in page:
                yield f"pactdb-{verb}.1 does not name {option}"
    if shutil.which("groff"):
        for name in pages:
            done = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-z", str(folder / name)], stderr=subprocess.PIPE,
                                  check=False)
            if done.returncode or done.stderr:
                yield f"{name}: groff says {done.stderr.decode()}"


def bash_replies(shell, words):
    """What bash would offer for the last of the words."""
    line = " ".join(f"'{word}'" for word in words)
    done = shell.run(f"source <(pactdb generate bash); COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _pactdb; "
                     'printf "%s\\n" "${COMPREPLY[@]}"')
    if done.stderr:
        sys.exit(f"bash: {done.stderr.decode()}")
    return done.stdout.decode().split()


def check_completions(shell, verbs):
    if set(bash_replies(shell, ["pactdb", ""])) != set(verbs) | {"help", "--help", "--version"}:
        yield f"bash offers {bash_replies(shell, ['pactdb', ''])}"
    for words, wanted in ((["pactdb", "rend"], ["render"]), (["pactdb", "tree", "--dialect", "c"], ["classic", "canonical"]),
                          (["pactdb", "tree", "sess"], ["session.jsonl"]), (["pactdb", "help", "ver"], ["verify"])):
        if bash_replies(shell, words) != wanted:
            yield f"bash offers {bash_replies(shell, words)} for {words}"
    texts = {name: shell.run(f"pactdb generate {name}").stdout.decode() for name in ("bash", "zsh", "fish")}
    for verb in verbs:
        options = options_of(shell, verb)
        if sorted(bash_replies(shell, ["pactdb", verb, "-"])) != sorted(options):
            yield f"bash offers other options of {verb} than its help"
        for option in options:
            if option + "[" not in texts["zsh"] or f"-l {option[2:]} " not in texts["fish"]:
                yield f"zsh or fish do not know {option} of {verb}"
    for name, command in (("bash", "bash -n"), ("zsh", "zsh -n"), ("fish", "fish --no-execute")):
        if shutil.which(name) and shell.run(f"{command} <(pactdb generate {name})").returncode:
            yield f"{name} cannot read its completion"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pactdb", default="build/pactdb")
    options = parser.parse_args()
    shell = transcript.Shell(options.pactdb)
    verbs = habits.verbs(shell)
    with tempfile.TemporaryDirectory() as folder:
        faults = list(check_manual(shell, verbs, pathlib.Path(folder))) + list(check_completions(shell, verbs))
    shell.close()
    print("\n".join(faults) if faults else f"{len(verbs)} verbs have a page and completions")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
