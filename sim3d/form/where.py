"""Where a key stands: one pass over a TOML or JSON text, which also refuses what nests too deep to be read.

The pass never fails on broken text (that is the parser's to say), and takes time in proportion to its length.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field

MOST_DEEP = 100  # keys and brackets inside one another: a table file has five; parsers recurse, or take squared time
MOST_POINTER = 500  # characters of a place that is kept: a longer one is told by the line of what holds it
MOST_DIGITS = 4300  # of a whole number: Python reads no longer ones


class TooDeep(ValueError):
    """Brackets or dotted keys nest deeper than `MOST_DEEP`; `line` is where."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(f"keys and brackets nest deeper than {MOST_DEEP}")


@dataclass(slots=True)
class Seen:
    """The line of every place by its JSON pointer; keys that stand twice; words that no reader takes."""

    lines: dict[str, int] = field(default_factory=dict)
    twice: list[tuple[str, str, int]] = field(default_factory=list)  # pointer, key, line of the second
    unusable: list[int] = field(default_factory=list)  # lines of NaN, infinities, numbers of thousands of digits

    def note(self, pointer: str, line: int) -> None:
        """Keep the first line of a place."""
        if len(pointer) <= MOST_POINTER:
            self.lines.setdefault(pointer, line)


def pointer_of(parts: Iterable[object]) -> str:
    """A JSON pointer.

    >>> pointer_of(["a/b", 0, "~"])
    '/a~1b/0/~0'
    """
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


# --- TOML -------------------------------------------------------------------------------------------------------------

# possessive throughout: nothing is tried twice, so that a text of quotes alone takes no squared time either
_TOML = re.compile(
    r"""
      (?P<skip> [^\S\n]++ | \#[^\n]*+ )
    | (?P<line> \n )
    | (?P<text> \"\"\" (?: [^"\\]++ | \\[\s\S] | "{1,2}(?!") )*+ (?: "{3,5} )?
              | ''' (?: [^']++ | '{1,2}(?!') )*+ (?: '{3,5} )?
              | " (?: [^"\\\n]++ | \\[^\n] )*+ "?
              | ' [^'\n]*+ '? )
    | (?P<mark> [\[\]{}=,.] )
    | (?P<bare> [^\s\[\]{}=,."'\#]++ | [\s\S] )
    """,
    re.VERBOSE,
)


def toml_lines(text: str) -> dict[str, int]:
    """JSON pointer of each header, key and item of a TOML text, and the line it stands on.

    >>> toml_lines('[[piece]]\\nat = [\\n 1,\\n 2]\\n')
    {'/piece': 1, '/piece/0': 1, '/piece/0/at': 2, '/piece/0/at/0': 3, '/piece/0/at/1': 4}
    """
    return toml_seen(text).lines


def toml_seen(text: str) -> Seen:
    """The places of a TOML text; `TooDeep` where it nests too deep to be read."""
    walk = _Toml()
    line = 1
    for token in _TOML.finditer(text):
        kind, word = token.lastgroup, token[0]
        if kind == "line":
            walk.ended_line()
            line += 1
        elif kind == "mark":
            walk.mark(word, line)
        elif kind != "skip":
            walk.word(word, line)
            if kind == "text":
                line += word.count("\n")
    return walk.seen


@dataclass(slots=True)
class _Open:
    """A list or an inline table that is not closed yet."""

    pointer: str
    deep: int
    index: int | None  # of the item in a list; None in a table
    fresh: bool = True  # no token of the item was seen yet


class _Toml:
    """What the pass over a TOML text has to remember."""

    def __init__(self) -> None:
        self.seen = Seen()
        self.counts: dict[str, int] = {}  # how many tables a list of tables has so far
        self.table, self.deep = "", 0  # the place and depth of the last header
        self.open: list[_Open] = []
        self.parts: list[str] = []
        self.key_line = 0
        self.in_key, self.brackets, self.here = True, 0, ""

    def ended_line(self) -> None:
        if not self.open:
            self.parts, self.in_key, self.brackets = [], True, 0

    def word(self, word: str, line: int) -> None:
        if not self.in_key:
            self._item(line)
            if len(word) > MOST_DIGITS and word.lstrip("+-")[:1].isdigit():
                self.seen.unusable.append(line)
            return
        if not self.parts:
            self.key_line = line
        self.parts.append(_unquoted(word))
        if (self.open[-1].deep if self.open else self.deep) + len(self.parts) > MOST_DEEP:
            raise TooDeep(line)

    def mark(self, word: str, line: int) -> None:
        top = self.open[-1] if self.open else None
        if self.in_key and word == "[" and top is None and not self.parts:
            self.brackets += 1
            self.key_line = line
        elif self.in_key and word == "]" and self.brackets:
            self._header()
            self.in_key = False  # whatever else is on the line says nothing
        elif self.in_key and word == "=":
            self._assigned()
        elif word in "[{" and not self.in_key:
            self._item(line)
            deep = (top.deep if top else self.deep) + max(len(self.parts), 1)
            if deep > MOST_DEEP:
                raise TooDeep(line)
            self.open.append(_Open(self.here, deep, 0 if word == "[" else None))
            self.parts, self.in_key = [], word == "{"
        elif word in "]}" and top is not None:
            self.open.pop()
            self.parts, self.in_key = [], False
        elif word == "," and top is not None:
            if top.index is None:
                self.parts, self.in_key = [], True
            else:
                top.index, top.fresh = top.index + 1, True

    def _item(self, line: int) -> None:
        """The first token of a list's item says where the item stands."""
        if self.open and self.open[-1].index is not None and self.open[-1].fresh:
            self.open[-1].fresh = False
            self.here = f"{self.open[-1].pointer}/{self.open[-1].index}"
            self.seen.note(self.here, line)

    def _header(self) -> None:
        path = ""
        for i, part in enumerate(self.parts):
            path += pointer_of([part])
            self.seen.note(path, self.key_line)
            if self.brackets > 1 and i == len(self.parts) - 1:
                self.counts[path] = self.counts.get(path, -1) + 1
            if path in self.counts:
                path += f"/{self.counts[path]}"
        self.seen.note(path, self.key_line)
        self.table, self.deep, self.parts = path, len(self.parts) + 1, []

    def _assigned(self) -> None:
        path = self.open[-1].pointer if self.open else self.table
        for part in self.parts:
            path += pointer_of([part])
            self.seen.note(path, self.key_line)
        self.here, self.in_key = path, False


def _unquoted(word: str) -> str:
    """A key as it is meant: without its quotes, with its escapes resolved."""
    if word[0] == '"' and "\\" in word:
        try:
            return next(iter(tomllib.loads(f"{word} = 0")))
        except ValueError:
            return word[1:-1]
    return word[1:-1] if word[0] in "\"'" else word


# --- JSON -------------------------------------------------------------------------------------------------------------

_JSON = re.compile(r'(?P<text>"(?:[^"\\]++|\\[\s\S])*+"?)|(?P<mark>[{}\[\],:])|(?P<line>\n)|(?P<bare>[^\s{}\[\],:"]++)')
_NO_NUMBERS = ("NaN", "Infinity", "-Infinity")


def json_lines(text: str) -> dict[str, int]:
    """JSON pointer of each key and item of a JSON text, and the line it stands on.

    >>> json_lines('{"piece": [\\n{"mesh": 1}]}')
    {'/piece': 1, '/piece/0': 2, '/piece/0/mesh': 2}
    """
    return json_seen(text).lines


def json_seen(text: str) -> Seen:
    """The places of a JSON text; `TooDeep` where it nests too deep to be read."""
    seen = Seen()
    stack: list[_Open] = []
    keys: list[set[str]] = []  # of every object that is not closed yet
    line, here, in_key = 1, "", False
    for token in _JSON.finditer(text):
        word, kind = token[0], token.lastgroup
        if kind == "line":
            line += 1
            continue
        top = stack[-1] if stack else None
        if top and top.index is not None and top.fresh and word not in "]":
            top.fresh = False
            here = f"{top.pointer}/{top.index}"
            seen.note(here, line)
        if word in ("{", "["):
            if len(stack) >= MOST_DEEP:
                raise TooDeep(line)
            stack.append(_Open(here, len(stack), None if word == "{" else 0))
            keys.append(set())
            in_key = word == "{"
        elif word in ("}", "]"):
            if top:
                stack.pop()
                keys.pop()
            in_key = False
        elif word == "," and top:
            if top.index is not None:
                top.index, top.fresh = top.index + 1, True
            in_key = top.index is None
        elif word == ":":
            in_key = False
        elif kind == "text" and in_key and top:
            key = _json_text(word)
            here = top.pointer + pointer_of([key])
            seen.note(here, line)
            if key in keys[-1]:
                seen.twice.append((here, key, line))
            keys[-1].add(key)
        elif kind == "bare" and (word in _NO_NUMBERS or len(word) > MOST_DIGITS):
            seen.unusable.append(line)
        line += word.count("\n")  # broken text only: no string of a valid one goes over a line
    return seen


def _json_text(word: str) -> str:
    try:
        return str(json.loads(word))
    except ValueError:
        return word
