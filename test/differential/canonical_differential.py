"""Canonical bytes against Python's json.dumps.

Makes JSON texts from a seed, gives them to canonical_tool (one a line) and compares each answer with what Python says:

  - a text made from a value must come back as json.dumps(value, sort_keys=True, separators=(",", ":"));
  - a damaged text must be refused if Python refuses it, or if it breaks one of the rules we add to Python's: no key
    twice in one object, no lone surrogate, no NaN or Infinity, nothing beyond the largest double. If both accept it,
    the bytes must agree.

Usage: canonical_differential.py TOOL [--count N] [--seed S]

PACTDB_TEST_SCALE is a percentage of the count.
"""

import argparse
import json
import math
import os
import random
import struct
import subprocess
import sys

BATCH = 20_000  # texts in one run of the tool
DEPTH_MAX = 6  # of a value; far below the tool's limit
BLANKS = ["", "", "", " ", "\t", "\r", "  \t "]
DAMAGE = list('{}[]",:\\0123456789.-+eEtfnu /\x00\x1f\x7f') + [
    "NaN", "Infinity", "-Infinity", "true", "null", "\\u", "\\ud800", "\\udc00", "\\ud83d\\ude00", "1e999", "-1e999",
    "01", "-", ".5", "5.", "1e", "0x1", "'a'", "//", "/**/", "\ufeff", "\u00e9", "\U0001f600", '"a":', '{"a":1,"a":2}', ",,"]


class Refused(Exception):
    """The text is not strict JSON."""


class Maker:
    """Makes values, and texts that stand for them, from one random source."""

    def __init__(self, rng):
        self.rng = rng

    def code_point(self):
        rng = self.rng
        kind = rng.randrange(10)
        if kind < 4:
            return rng.randrange(0x20, 0x7f)
        if kind == 4:
            return rng.randrange(0x20)
        if kind == 5:
            return rng.choice([0x22, 0x5c, 0x2f, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xfffe, 0xffff, 0x10000, 0x10ffff,
                               0x2028, 0x2029, 0xfeff, 0xfffd])
        if kind == 6:
            return rng.randrange(0x80, 0x800)
        if kind == 7:
            return rng.choice([rng.randrange(0x800, 0xd800), rng.randrange(0xe000, 0x10000)])
        plane = rng.randrange(1, 17)
        return plane * 0x10000 + rng.randrange(0x10000)

    def string(self):
        rng = self.rng
        if rng.random() < 0.4:
            return "".join(rng.choices("abcdefgh_ ", k=rng.randrange(12)))
        length = rng.choice([0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 60])
        if rng.random() < 0.3:  # one odd character at any offset of a plain run
            text = ["x"] * (length + 1)
            text[rng.randrange(length + 1)] = chr(self.code_point())
            return "".join(text)
        return "".join(chr(self.code_point()) for _ in range(length))

    def double(self):
        rng = self.rng
        kind = rng.randrange(9)
        if kind == 0:
            return rng.choice([0.0, -0.0, 5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308,
                               1e15, 1e16, 1e17, 9999999999999998.0, 0.0001, 0.00001, 1e22, 1e23, 9007199254740993.0, 0.1])
        if kind == 1:  # subnormal
            return struct.unpack("<d", struct.pack("<Q", rng.getrandbits(52)))[0]
        if kind == 2:  # around a power of two, where the gap changes
            value = math.ldexp(1.0, rng.randrange(-1074, 1024))
            return rng.choice([value, math.nextafter(value, 0), math.nextafter(value, math.inf)])
        if kind == 3:  # around a power of ten, where the layout changes
            value = float(f"1e{rng.randrange(-8, 20)}")
            return rng.choice([value, math.nextafter(value, 0), math.nextafter(value, math.inf), -value])
        if kind == 4:
            return rng.randrange(-10**6, 10**6) / 100
        if kind == 5:
            return float(rng.randrange(10**rng.randrange(1, 20)))
        if kind == 6:
            return rng.random()
        while True:
            value = struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]
            if math.isfinite(value):
                return value

    def integer(self):
        rng = self.rng
        kind = rng.randrange(4)
        if kind == 0:
            return rng.randrange(-3, 10)
        if kind == 1:
            return rng.choice([2**53, 2**53 + 1, 2**63 - 1, 2**63, -2**63, -2**63 - 1, 2**64 - 1, 2**64])
        if kind == 2:
            return rng.getrandbits(64) - 2**63
        return rng.choice([1, -1]) * rng.getrandbits(rng.randrange(1, 700))

    def value(self, depth=0):
        rng = self.rng
        kind = rng.randrange(10 if depth < DEPTH_MAX else 7)
        if kind < 2:
            return self.string()
        if kind < 4:
            return self.double()
        if kind == 4:
            return self.integer()
        if kind < 7:
            return rng.choice([None, True, False])
        size = rng.choice([0, 1, 2, 3, 4])
        if rng.random() < 0.01:
            size = rng.randrange(10, 60)  # past the count where duplicate keys are found by sorting
            depth = DEPTH_MAX
        if kind == 7:
            return [self.value(depth + 1) for _ in range(size)]
        return {self.string(): self.value(depth + 1) for _ in range(size)}

    def string_text(self, value):
        """A spelling of a string: raw characters, named escapes or \\u escapes in either case."""
        named = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
        out = []
        for c in value:
            must = c in '"\\' or ord(c) < 0x20
            if not must and self.rng.random() < 0.8:
                out.append(c)
            elif c in named and self.rng.random() < 0.5:
                out.append(named[c])
            else:
                units = c.encode("utf-16-be").hex()
                if self.rng.random() < 0.5:
                    units = units.upper()
                out.append("".join("\\u" + units[i:i + 4] for i in range(0, len(units), 4)))
        return '"' + "".join(out) + '"'

    def double_text(self, value):
        """A spelling that Python reads as this double."""
        kind = self.rng.randrange(5)
        if kind == 0:
            return f"{value:.17e}"
        if kind == 1:
            return f"{value:.30E}"
        if kind == 2 and 1e-5 < abs(value) < 1e25:
            return f"{value:.40f}"
        if kind == 3 and "e" not in repr(value):
            return repr(value) + "0" * self.rng.randrange(30)
        return repr(value)

    def text(self, value):
        blank = lambda: self.rng.choice(BLANKS)
        if isinstance(value, str):
            return self.string_text(value)
        if isinstance(value, float):
            return self.double_text(value)
        if isinstance(value, list):
            return "[" + blank() + ",".join(blank() + self.text(v) + blank() for v in value) + "]"
        if isinstance(value, dict):
            members = list(value.items())
            self.rng.shuffle(members)
            return "{" + blank() + ",".join(blank() + self.string_text(k) + blank() + ":" + blank() + self.text(v) + blank()
                                            for k, v in members) + "}"
        if value is not False and value == 0 and self.rng.random() < 0.3:
            return "-0"
        return json.dumps(value)

    def damaged(self, text):
        """The bytes of `text` with one to three edits; often still JSON, often not UTF-8."""
        rng = self.rng
        data = bytearray(text.encode())
        for _ in range(rng.choice([1, 1, 2, 3])):
            at = rng.randrange(len(data) + 1)
            kind = rng.randrange(5)
            if kind == 0:
                data[at:at + 1] = b""
            elif kind == 1:
                data[at:at] = rng.choice(DAMAGE).encode()
            elif kind == 2:
                data[at:at + rng.randrange(3)] = rng.choice(DAMAGE).encode()
            elif kind == 3:
                data[at:at] = data[at:at + rng.randrange(12)]  # repeats a piece, which makes duplicate keys
            else:
                data[at:at + 1] = bytes([rng.randrange(256)])
        return bytes(data).replace(b"\n", b" ")


def refuse_constant(name):
    raise Refused(name)


def unique_members(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Refused("the same key twice")
    return members


def finite_double(text):
    value = float(text)
    if not math.isfinite(value):
        raise Refused("too large")
    return value


DECODER = json.JSONDecoder(object_pairs_hook=unique_members, parse_constant=refuse_constant, parse_float=finite_double)
ENCODER = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def expected(data):
    """The canonical bytes of a text, or None where it must be refused."""
    try:
        value = DECODER.decode(data.decode())
        canonical = ENCODER.encode(value)
        json.dumps(value, ensure_ascii=False, sort_keys=True).encode()  # fails on a lone surrogate
        return canonical.encode()
    except (ValueError, Refused):
        return None


def make_cases(maker, count):
    """Pairs of text and wanted answer, the wanted answer being None for a refusal."""
    cases = []
    for i in range(count):
        value = maker.value()
        text = maker.rng.choice(BLANKS) + maker.text(value) + maker.rng.choice(BLANKS)
        if i % 3 == 2:
            data = maker.damaged(text)
            cases.append((data, expected(data)))
        else:
            cases.append((text.encode(), ENCODER.encode(value).encode()))
    return cases


def run(tool, cases):
    """The number of cases the tool answers otherwise than Python."""
    answers = subprocess.run([tool], input=b"".join(data + b"\n" for data, _ in cases), stdout=subprocess.PIPE,
                             check=True).stdout.split(b"\n")[:-1]
    if len(answers) != len(cases):
        print(f"{len(cases)} texts, {len(answers)} answers")
        return 1
    failures = 0
    for (data, want), got in zip(cases, answers):
        if got == (b"error E_REQUEST_INVALID" if want is None else want):
            continue
        failures += 1
        if failures <= 5:
            print(f"text   {data!r}\npython {want!r}\npactdb {got!r}\n")
    return failures


def main():
    parser = argparse.ArgumentParser(description="Compares canonical bytes with Python's json.dumps.")
    parser.add_argument("tool")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)

    maker = Maker(random.Random(arguments.seed))
    failures = refused = done = 0
    count = max(1, arguments.count * int(os.environ.get("PACTDB_TEST_SCALE", "100")) // 100)
    while done < count:
        cases = make_cases(maker, min(BATCH, count - done))
        failures += run(arguments.tool, cases)
        refused += sum(want is None for _, want in cases)
        done += len(cases)
    print(f"{done} texts, {refused} to be refused, {failures} failures (seed {arguments.seed})")
    # A run in which nothing had to be refused would prove nothing about refusals.
    return 1 if failures or (done >= 1000 and not refused) else 0


if __name__ == "__main__":
    sys.exit(main())
