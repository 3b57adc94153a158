#!/usr/bin/env python3
"""Writes docs/errors.md from the table of error codes; with --check only compares (CTest: house.errors_doc)."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "include/pactdb/error_codes.def"
PAGE = ROOT / "docs/errors.md"

HEAD = """\
# Errors

<!-- Made by tools/gen_errors_doc.py from include/pactdb/error_codes.def. Change the table, not this page. -->

Every call that can fail answers with an error of three parts, the same on every surface:

| part | what it is |
| --- | --- |
| `code` | one of the names below; it keeps its meaning for as long as the project lives |
| `message` | one line for a person: what is wrong and where; its wording may change |
| `details` | a few named values for a program: an id, a position, the limit that was reached |

A call that fails changes nothing. In C++ the code is `pactdb::ErrorCode`, the enumerator in the second column.
"""

ENTRY = re.compile(r'^//[ ](?P<section>[A-Z][^\n]*)$|'
                   r'^PACTDB_ERROR_CODE\(\s*(?P<name>\w+),\s*"(?P<wire>\w+)",\s*(?P<meaning>"(?:[^"\\]|\\.|"\s*")*")\s*\)',
                   re.M)


def render(table):
    page, section, rows = [HEAD], None, 0
    for match in ENTRY.finditer(table):
        if match["section"]:
            section = match["section"].rstrip(".")
            continue
        if section is not None or rows == 0:
            page.append(f"\n## {section or 'Codes'}\n\n| code | enumerator | meaning |\n| --- | --- | --- |\n")
            section = None
        meaning = re.sub(r'"\s*"', "", match["meaning"])[1:-1].replace('\\"', '"').replace("|", "\\|")
        page.append(f"| `{match['wire']}` | `{match['name']}` | {meaning} |\n")
        rows += 1
    if rows != len(re.findall(r"^PACTDB_ERROR_CODE\(", table, re.M)) or rows == 0:
        sys.exit(f"{TABLE.name}: an entry is not of the form PACTDB_ERROR_CODE(kName, \"E_NAME\", \"meaning\")")
    return "".join(page)


def main(argv):
    page = render(TABLE.read_text(encoding="utf-8"))
    if argv[1:] == ["--check"]:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
            sys.exit("docs/errors.md is not what the table says; run tools/gen_errors_doc.py")
    else:
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv)
