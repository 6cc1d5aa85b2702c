"""Accepting what came out: the expectations that did not hold are rewritten in the file's own text, nothing else is.

Comments, layout and every expectation that held stay as they are, so that a closed form is not replaced by a
measurement of it. The same keys, new values, the same `within`.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

from sim3d.expect import Judged
from sim3d.finding import Refused
from sim3d.form import form_bad_value, parse_form, toml_value
from sim3d.keep import keep
from sim3d.scenario import Result, ScenarioForm

_STRING = re.compile(r'"""(?:[^\\]|\\.)*?"""|\'\'\'.*?\'\'\'|"(?:[^"\\]|\\.)*"|\'[^\']*\'', re.DOTALL)
_BARE = re.compile(r"[^\s,\]}#=]+")
_BLANK = re.compile(r"(?:[\s,]|#[^\n]*)*")
_EXPECT = re.compile(r"\s*(?:expect|\"expect\"|'expect')\s*=\s*")


@dataclass(frozen=True, slots=True)
class Accepted:
    """The new text of a file, how many expectations were rewritten, and what has to be done by hand."""

    text: str
    rewritten: int
    left: tuple[str, ...]


def accept(path: Path, result: Result) -> Accepted:
    """Rewrite a scenario file in place; `Refused` where its text cannot be edited safely."""
    data = path.read_bytes()
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    made = accepted(data.decode("utf-8-sig"), result, json_text=path.suffix.lower() == ".json")
    if made.rewritten:
        keep(path, mark + made.text.encode("utf-8"))
    return made


def accepted(text: str, result: Result, *, json_text: bool = False) -> Accepted:
    """The text with what came out in place of what did not hold."""
    edits: list[tuple[int, int, str]] = []
    left: list[str] = []
    lines = [f"{line}\n" for line in text.split("\n")]
    file = result.scenario.file
    for played in result.played:
        if played.error:
            left.append(f"step {played.number}: {played.error}")
        if not played.failed:
            continue
        pointer = f"/step/{played.number - 1}/expect"
        line = result.scenario.lines.get(pointer)
        start = sum(len(one) for one in lines[: line - 1]) if line else -1
        found = _EXPECT.match(text, start) if line and not json_text else None
        places: dict[str, tuple[int, int]] = {}
        if found is not None and text[found.end()] == "{":
            _walk(text, found.end(), "", places)
        if any(key not in places for judged in played.failed for key in _new_values(judged)):
            reason = "only `expect = { … }` in a TOML file can be rewritten"
            raise Refused(form_bad_value.hit(file=file, pointer=pointer, line=line, key="expect", reason=reason))
        for judged in played.failed:
            new = _new_values(judged)
            if not new:
                left.append(f"step {played.number}: {judged}; nothing to put in its place")
            edits += [(*places[key], value) for key, value in new.items()]
    for begin, end, value in sorted(edits, reverse=True):
        text = text[:begin] + value + text[end:]
    if edits:
        parse_form(text, ScenarioForm, name=file)  # nothing is written that cannot be read again
    return Accepted(text, len(edits), tuple(left))


def _new_values(judged: Judged) -> dict[str, str]:
    """Place within `expect` and the TOML text that makes it hold; empty where there is none."""
    expected, got, key = judged.expected, judged.got, judged.expected.key
    if key == "why" or got is None or (isinstance(got, float) and not math.isfinite(got)):
        return {}
    if expected.bare:
        return {f"/{key}": str(got)}
    if isinstance(got, str):
        return {f"/{key}": toml_value(got)}
    if isinstance(got, tuple):
        if key != "on":  # what came of a move: a list, whatever is in it
            return {f"/{key}": toml_value(list(got))}
        return {f"/{key}": toml_value(got[0] if len(got) == 1 else list(got))} if got else {}
    new = {}
    if expected.near is not None and expected.within is not None and abs(got - expected.near) > expected.within:
        new[f"/{key}/near"] = _rounded(got, max(1, math.ceil(-math.log10(expected.within)) + 1))
    if expected.over is not None and not got > expected.over:
        low = math.floor(got * 10) / 10
        new[f"/{key}/over"] = _rounded(low if low < got else low - 0.1, 1)
    if expected.under is not None and not got < expected.under:
        high = math.ceil(got * 10) / 10
        new[f"/{key}/under"] = _rounded(high if high > got else high + 0.1, 1)
    return new


def _rounded(value: float, digits: int) -> str:
    whole, _, rest = f"{value:.{digits}f}".partition(".")
    text = f"{whole}.{rest.rstrip('0') or '0'}"
    return "0.0" if text == "-0.0" else text


def _walk(text: str, at: int, path: str, places: dict[str, tuple[int, int]]) -> int:
    """Where each value of an inline table stands, by its path; returns the end of the value at `at`."""
    begin = at
    if text[at] in "{[":
        close = "}" if text[at] == "{" else "]"
        at = _after_blank(text, at + 1)
        while text[at] != close:
            name = path
            if close == "}":
                word = _STRING.match(text, at) or _BARE.match(text, at)
                assert word is not None  # the text was read as TOML before
                key = word[0][1:-1] if word[0][0] in "\"'" else word[0].replace(".", "/")
                name = f"{path}/{key}"
                at = text.index("=", word.end()) + 1
                at += len(text[at:]) - len(text[at:].lstrip())
            at = _after_blank(text, _walk(text, at, name, places))
        at += 1
    else:
        value = _STRING.match(text, at) or _BARE.match(text, at)
        assert value is not None
        at = value.end()
    places[path] = (begin, at)  # after its items: a list is one value
    return at


def _after_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at
