"""Strict JSON in (rule P3), canonical JSON out (reading.md section 5).

Python's reader is close to RFC 8259. What it lets through and we do not: the same key twice, NaN
and the infinities, numbers too large for a double, lone surrogates. What it refuses and we do not:
integers of more than 4300 digits.
"""

import json
import math
import sys

from fault import invalid_request, over_limit

DOCUMENT_DEPTH_MAX = 2 * 128 + 80

sys.set_int_max_str_digits(0)


def parse(line):
    """The value of one request line (bytes). Raises Fault."""
    try:
        text = line.decode("utf-8", "strict")
        value = _DECODER.decode(text)
    except RecursionError:
        raise over_limit("nesting", DOCUMENT_DEPTH_MAX) from None
    except ValueError as error:  # UnicodeDecodeError and JSONDecodeError are ValueErrors
        raise invalid_request("not strict JSON: %s" % error) from None
    if depth_of(value) > DOCUMENT_DEPTH_MAX:
        raise over_limit("nesting", DOCUMENT_DEPTH_MAX)
    if "\\u" in text:
        _refuse_lone_surrogates(value)
    return value


def _object_without_repeats(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("the same key twice")
    return result


def _finite(text):
    number = float(text)
    if math.isinf(number):
        raise ValueError("number out of range")
    return number


def _no_constant(text):
    raise ValueError(text + " is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object_without_repeats,
    parse_float=_finite,
    parse_constant=_no_constant,
)


def _refuse_lone_surrogates(value):
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise invalid_request("lone surrogate") from None


def depth_of(value):
    """How many arrays and objects enclose the innermost value, itself included."""
    deepest = 0
    pending = [(value, 0)]
    while pending:
        item, above = pending.pop()
        if isinstance(item, dict):
            pending.extend((child, above + 1) for child in item.values())
        elif isinstance(item, list):
            pending.extend((child, above + 1) for child in item)
        else:
            continue
        deepest = max(deepest, above + 1)
    return deepest


def canonical(value):
    """Keys sorted by code point, no blanks, ASCII escapes, floats by repr."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def is_integer(value):
    """P5: 2.0 is not an integer, true is not a number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_int64(value):
    return is_integer(value) and -(2**63) <= value < 2**63
