#!/usr/bin/env python3
"""How far the estimate is from what a provider counted, on the recorded sessions (Claude 4.5).

usage: estimate_error.py --tool TOKEN_TOOL

The sessions lack the system prompt and the tools, so totals tell nothing; but from one call to the next the input grows by
the answer and by what was said since, and of those the texts are there. A message has some tokens of its own, and a call with its
result many (names of tools, ids): both as fitted, beside the weights in src/tokens/estimate.cc. Fails if the estimate gets worse.
"""
import argparse
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys

SKIPPED = 77    # what CTest takes for a skipped test
OF_MESSAGE = 5
OF_CALL = 71    # the call and its result
MEDIAN_MAX, NINE_IN_TEN_MAX, SUM_MAX = 0.10, 0.20, 0.05


def parts(message):
    """The texts, the calls, and whether it has parts that cannot be counted: thinking, images."""
    content = message.get("content") or []
    if isinstance(content, str):
        return [content], 0, False
    texts, calls = [], 0
    for part in content:
        if part["type"] == "text":
            texts.append(part["text"])
        elif part["type"] == "toolCall":
            texts += [part["name"], json.dumps(part["arguments"], ensure_ascii=False, separators=(",", ":"))]
            calls += 1
        else:
            return [], 0, True
    return texts, calls, False


def increments(path):
    """(tokens by which the input grew, texts, messages, calls) from each call to the next."""
    before, model, since = None, None, []
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry["type"] == "compaction":
            before = None
        if entry["type"] != "message":
            continue
        message = entry["message"]
        if message["role"] not in ("user", "assistant", "toolResult"):
            before = None
        if message["role"] == "assistant":
            usage = message["usage"]
            total = usage["input"] + usage["cacheRead"] + usage["cacheWrite"]
            is_whole = message.get("stopReason") not in ("aborted", "error") and total > 0
            found = [parts(m) for m in since]
            if is_whole and before is not None and total > before and model == message["model"] and not any(f[2] for f in found):
                yield total - before, [t for f in found for t in f[0]], len(found), sum(f[1] for f in found)
            before, model, since = total if is_whole else None, message["model"], []
        since.append(message)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    given = parser.parse_args()
    folder = os.environ.get("PACTDB_RECORDINGS")
    if not folder:
        print("skipped: PACTDB_RECORDINGS is not set")
        return SKIPPED
    rows = [row for path in sorted(pathlib.Path(folder).glob("pi-*.jsonl")) for row in increments(path)]
    texts = [text.encode() for row in rows for text in row[1]]
    data = b"".join(struct.pack("=I", len(text)) + text for text in texts)
    done = subprocess.run([given.tool, "estimate"], input=data, stdout=subprocess.PIPE, check=True)
    counts = iter(struct.unpack(f"={len(texts)}I", done.stdout))
    errors, sums = [], [0, 0]
    for grown, row_texts, messages, calls in rows:
        estimate = sum(next(counts) for _ in row_texts) + OF_MESSAGE * messages + OF_CALL * calls
        if grown > 4 * estimate:    # something came in that the session does not show
            continue
        errors.append(abs(estimate - grown) / grown)
        sums[0] += estimate
        sums[1] += grown
    errors.sort()
    median, nine_in_ten, of_sum = statistics.median(errors), errors[len(errors) * 9 // 10], sums[0] / sums[1] - 1
    print(f"{len(errors)} of {len(rows)} increments, {sums[1]} tokens: median error {median:.1%}, nine in ten within "
          f"{nine_in_ten:.1%}, of the sum {of_sum:+.1%}")
    return 1 if median > MEDIAN_MAX or nine_in_ten > NINE_IN_TEN_MAX or abs(of_sum) > SUM_MAX else 0


if __name__ == "__main__":
    sys.exit(main())
