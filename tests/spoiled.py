"""Good input made bad, by chance and the same on every run: texts, bytes, data."""

from __future__ import annotations

import copy
import re
import struct
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

NUMBERS = ["0", "-0.0", "-1", "1", "2", "3", "7", "255", "65535"]
NUMBERS += [str(n) for n in (2**31 - 1, 2**31, 2**32 - 1, 2**63)]
NUMBERS += ["1e-320", "1e-9", "0.1", "1e6", "1e30", "1e308", "-1e308", "1e999", "nan", "inf", "9" * 400, "0x10", "1_0"]
WORDS = ["", " ", "\0", "\xff", "x", '"', '"""', "'", "<", ">", "/", "..", "-"]
WORDS += ["[", "]", "{", "}", "[[", "=", ",", "\n"]
WORDS += ["null", "true", "[]", "{}", "[0]", '"x"', "é", "😀", "\u202e", "\ud800", "\x1b[31m", "a" * 5000, "[" * 200]
odd = st.sampled_from(NUMBERS + WORDS)
_SPLIT = re.compile(r"([\s\"=/<>,:\[\]{}]+)")
_WHOLE = re.compile(r"-?\d+(?:\.\d+)?")


@st.composite
def bad_text(draw: Any, *texts: str) -> str:
    """A good text with words swapped, lines lost, doubled or moved, or a piece cut out."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        way = draw(st.integers(0, 5))
        if way <= 1:
            tokens = _SPLIT.split(text)
            tokens[draw(st.integers(0, len(tokens) - 1))] = draw(odd)
            text = "".join(tokens)
        elif way == 2:
            found = list(_WHOLE.finditer(text))
            if found:
                one = found[draw(st.integers(0, len(found) - 1))]
                text = text[: one.start()] + draw(st.sampled_from(NUMBERS)) + text[one.end() :]
        elif way == 3:
            lines = text.split("\n")
            a, b = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
            lines[a] = draw(st.sampled_from([lines[b], "", lines[a] + lines[b]]))
            text = "\n".join(lines)
        else:
            a, b = sorted(draw(st.integers(0, len(text))) for _ in range(2))
            text = text[:a] + (draw(odd) if way == 4 else text[a:b] * 2) + text[min(b, a + 40) :]
    return text


@st.composite
def bad_bytes(draw: Any, *wholes: bytes) -> bytes:
    """Good bytes, flipped, cut, doubled, with numbers that lie."""
    data = bytearray(draw(st.sampled_from(wholes)))
    for _ in range(draw(st.integers(1, 5))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        way = draw(st.integers(0, 4))
        if way == 0:
            data[at : at + 1] = bytes([draw(st.integers(0, 255))])
        elif way == 1:
            data[at : at + 4] = struct.pack("<I", draw(st.sampled_from([0, 1, 2**16, 2**31, 2**32 - 1, 36, 84])))
        elif way == 2:
            data[at : at + 4] = struct.pack("<f", draw(st.floats(width=32)))
        elif way == 3:
            del data[at:]
        else:
            data[at:at] = data[at : at + draw(st.integers(0, 60))]
    return bytes(data)


@st.composite
def bad_json(draw: Any, make: Callable[[], Any]) -> Any:
    """Good data with values replaced by others, or gone."""
    root = make()
    for _ in range(draw(st.integers(1, 3))):
        ways = [p for p in paths(root) if p]
        if not ways:
            break
        path = draw(st.sampled_from(ways))
        where = root
        for key in path[:-1]:
            where = where[key]
        if isinstance(where, dict) and draw(st.booleans()):
            del where[path[-1]]
        else:
            where[path[-1]] = copy.deepcopy(draw(VALUES))
    return root


def paths(value: Any, path: tuple[Any, ...] = ()) -> Any:
    """The way to every value in some data, its own first."""
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from paths(value[key], (*path, key))


VALUES = st.sampled_from(
    [None, True, -1, 0, 1, 2, 7, 2**31, 2**70, 1.5, 1e308, -1e308, "", "x", "../x", "\0", [], {}, [0], [[0]], {"a": 1}]
)
