"""The lowest layer of the selector parser: characters, blanks, tokens by pattern, strings."""

import re

from fault import Fault, over_limit

BLANKS = " \t\r\n"
BYTES_MAX = 4096

WORD = re.compile(r"[A-Za-z][A-Za-z0-9_:-]*")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?![A-Za-z0-9_.])")
INTEGER = re.compile(r"[+-]?[0-9]+")
DIGITS = re.compile(r"[0-9]+")


class Chars:
    def __init__(self, text):
        if len(text.encode()) > BYTES_MAX:
            raise over_limit("the selector", BYTES_MAX)
        self.text = text
        self.at = 0

    def fail(self, message, at=None):
        at = self.at if at is None else at
        raise Fault("E_SELECTOR_INVALID", "%s at %d in %s" % (message, at, self.text),
                    {"pos": len(self.text[:at].encode()), "token": self.text[at:at + 1]})

    def peek(self):
        return self.text[self.at:self.at + 1]

    def ended(self):
        return self.at >= len(self.text)

    def sees(self, piece):
        return self.text.startswith(piece, self.at)

    def take(self, piece):
        """True, and past it, if the piece stands here."""
        if not self.sees(piece):
            return False
        self.at += len(piece)
        return True

    def expect(self, piece):
        if not self.take(piece):
            self.fail("expected " + piece)

    def blanks(self):
        """Skips white space; True if there was any."""
        start = self.at
        while not self.ended() and self.peek() in BLANKS:
            self.at += 1
        return self.at > start

    def match(self, pattern):
        """The text the pattern finds here, taken; None if it finds none."""
        found = pattern.match(self.text, self.at)
        if not found:
            return None
        self.at = found.end()
        return found.group()

    def need(self, pattern, what):
        found = self.match(pattern)
        if found is None:
            self.fail("expected " + what)
        return found

    def quoted(self):
        r"""A string in either quote; \\ \' \" are decoded, any other backslash stays (CF-23)."""
        opening = self.at
        quote = self.peek()
        self.at += 1
        chars = []
        while True:
            if self.ended():
                self.fail("unterminated string", opening)
            char = self.peek()
            if char == quote:
                self.at += 1
                return "".join(chars)
            if char == "\\" and self.text[self.at + 1:self.at + 2] in ("\\", "'", '"'):
                self.at += 1
                char = self.peek()
            chars.append(char)
            self.at += 1
