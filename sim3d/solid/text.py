"""Numbers in text, in bulk and strictly: pieces that fit in memory, and a word that is no number is never skipped."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from sim3d.finding import Refused
from sim3d.solid.guard import cut_off, text_unbroken
from sim3d.space import Floats, Ints

PIECE_BYTES = 8_000_000  # of text at once: split into words it takes about twenty times as much memory
LONGEST_BYTES = 8_000_000  # more behind a piece without a place to cut it is refused; a record has some hundred
_INT_LIMIT = 2**62


def pieces(data: bytes, *, after: bytes, what: str, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
    """The text in pieces of about 8 MB, each cut just behind a match of `after`, so that no record is torn.

    `what` tells people what `after` finds; `Refused` where there is none of it for as long again.

    >>> [bytes(p) for p in pieces(b"a;b;c", after=b";", what="a semicolon", start=2)]
    [b'b;c']
    """
    pattern = re.compile(after, re.IGNORECASE)
    stop = len(data) if stop is None else stop
    while start < stop:
        most = start + PIECE_BYTES + LONGEST_BYTES
        cut = pattern.search(data, start + PIECE_BYTES, min(most, stop)) if start + PIECE_BYTES < stop else None
        if cut is None and most < stop:
            raise Refused(text_unbroken.hit(most=LONGEST_BYTES, what=what))
        end = cut.end() if cut else stop
        yield data[start:end]
        start = end


LINE_END = rb"\r\n?|\n"
A_LINE_END = "the end of a line"


def floats_of(words: Sequence[bytes]) -> Floats | None:
    """All words as numbers, or None when one is not; nan and inf are numbers here, the proof refuses them later.

    >>> floats_of([b"1e3"]), floats_of([b"4_0"])
    (array([1000.]), None)
    """
    try:
        numbers = list(map(float, words))
    except ValueError:
        return None
    return None if _spaced_out(words) else np.array(numbers, dtype=np.float64)


def _spaced_out(words: Sequence[bytes]) -> bool:
    """Python reads 4_000 as a number; no file format does."""
    return b"_" in b"".join(words)


def table_of(text: bytes) -> Floats | None:
    """The numbers of lines that all have as many words as the first; None when one has not, or a word is no number.

    The fast way for the lines of most files; who gets None finds out by the slow one.

    >>> table_of(b"1 2\\n3 4").tolist(), table_of(b"1 2\\n3 4 5")
    ([[1.0, 2.0], [3.0, 4.0]], None)
    """
    width = len(text[: text.find(b"\n") + 1 or None].split())
    chars = np.frombuffer(text + b"\n", np.uint8)
    gap = chars <= 32
    begins = ~gap
    begins[1:] &= gap[:-1]
    words, ends = np.flatnonzero(begins), np.flatnonzero(chars == 10)
    if not width or len(words) != width * len(ends):
        return None
    if (words[width - 1 :: width] > ends).any() or (words[width::width] < ends[:-1]).any():
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", DeprecationWarning)
            numbers = np.fromstring(text, dtype=np.float64, sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    return numbers.reshape(-1, width) if len(numbers) == len(words) else None


def ints_of(words: Sequence[bytes]) -> Ints | None:
    """All words as whole numbers, or None when one is not; absurdly large ones become 2**62, out of every range."""
    try:
        numbers = list(map(int, words))
    except ValueError:
        return None
    if _spaced_out(words):
        return None
    try:
        return np.array(numbers, dtype=np.int64)
    except OverflowError:
        return np.array([max(-_INT_LIMIT, min(_INT_LIMIT, n)) for n in numbers], dtype=np.int64)


class LineReader:
    """Lines with something on them, taken in order and by count, a piece of the text in memory at a time."""

    __slots__ = ("_comment", "_lines", "_pieces")

    def __init__(self, data: bytes, start: int, *, comment: bytes = b"") -> None:
        self._pieces = pieces(data, after=LINE_END, what=A_LINE_END, start=start)
        self._lines: list[bytes] = []
        self._comment = comment

    def _fill(self) -> bool:
        while not self._lines:
            piece = next(self._pieces, None)
            if piece is None:
                return False
            lines = piece.splitlines()
            if self._comment and self._comment in piece:
                lines = [line.split(self._comment, 1)[0] for line in lines]
            self._lines = [line for line in lines if line and not line.isspace()]
        return True

    def take(self, count: int, wanted: str) -> Iterator[list[bytes]]:
        """The next `count` lines, in lists; `Refused` where there are fewer than `wanted` says."""
        left = count
        while left:
            if not self._fill():
                raise Refused(cut_off.hit(what=f"{wanted}, {count - left} are there"))
            now, self._lines = self._lines[:left], self._lines[left:]
            left -= len(now)
            yield now

    def ended(self) -> bool:
        """Nothing is left but blank lines."""
        return not self._fill()
