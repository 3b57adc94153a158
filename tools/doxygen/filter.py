#!/usr/bin/env python3
"""Reads a public header as Doxygen wants it and writes it to standard output, one line longer.

Our comments are plain: they stand before what they tell of, or behind it on the same line, and the first one is of the
file. This marks them for Doxygen, turns the indented examples into code blocks, and takes the meaning from characters
that Doxygen would read as commands, tags or links.

usage: tools/doxygen/filter.py HEADER
"""
import re
import sys


def escape(text):
    """`text` with what Doxygen reads as a command, a tag or a link made plain, but for code in backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") and len(part) > 1 else re.sub(r"([\\@<>#&$%])", r"\\\1", part)
                   for part in parts)


def body(text, in_code):
    """A comment's line without its mark; an example's is indented by three blanks."""
    is_code = text.startswith("   ") and (in_code or not text.lstrip().startswith(("-", "|")))
    return (f"  {text}" if is_code else escape(text)), is_code


def cpp_lines(lines, name):
    in_code = False
    at_top = True
    for line in lines:
        comment = re.match(r"(\s*)//(?!/)(.*)$", line)
        behind = re.match(r"(.*[;,{}]\s*)// (.*)$", line)
        if comment and "NOLINT" not in line:
            text, in_code = body(comment[2], in_code)
            if at_top:
                yield f"/// @file {name}"
            yield f"{comment[1]}///{text}"
            at_top = False
            continue
        at_top = False
        in_code = False
        if behind and "NOLINT" not in line and not behind[1].strip().startswith("}"):
            yield f"{behind[1]}///< {escape(behind[2])}"
        else:
            yield line


def c_lines(lines, name):
    inside = False
    at_top = True
    for line in lines:
        if "NOLINT" in line:
            yield line
            continue
        behind = re.match(r"(.*[;,]\s*)/\* (.*?)( \*/.*)$", line)
        if behind:
            yield f"{behind[1]}/**< {escape(behind[2])}{behind[3]}"
            continue
        opened = re.match(r"(\s*)/\*(.*)$", line)
        if opened and not inside:
            line = f"{opened[1]}/**{f' @file {name}{chr(10)} *' if at_top else ''}{escape(opened[2])}"
            at_top = False
            inside = "*/" not in line
        elif inside:
            inside = "*/" not in line
            middle = re.match(r"(\s*\*)(.*)$", line)
            line = middle[1] + body(middle[2], False)[0] if middle and inside else line
        yield line


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = file.read().split("\n")
    if not sys.argv[1].endswith(".h"):
        print("\n".join(lines))
        return
    is_c = lines[0].startswith("/*")
    name = sys.argv[1].rpartition("include/")[2]
    print("\n".join((c_lines if is_c else cpp_lines)(lines, name)))


if __name__ == "__main__":
    main()
