"""What is wrong with a file, in words for the person who wrote it: the codes, their lines, pydantic's errors told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from sim3d.finding import Check, Finding, Hit, Severity, check
from sim3d.form.where import pointer_of

MOST_LISTED = 100  # equal faults that are told one by one; one more says how many more there are


@check("FORM_UNREADABLE", Severity.ERROR, "{reason}")
def form_unreadable(reason: str) -> Iterable[Hit]:
    """A table, scenario or manifest file cannot be read at all.

    Why: nothing in it can be used. Example: a missing file, a folder, a PNG renamed to .toml, broken TOML syntax.
    Do: check the path; the message names the line where the syntax breaks.
    """
    yield Hit(reason=reason)


@check("FORM_UNKNOWN_KEY", Severity.ERROR, "key {key!r} is not known here{hint}")
def form_unknown_key(key: str) -> Iterable[Hit]:
    """A file has a key that means nothing there.

    Why: a misspelt key would be ignored in silence and the answer would be about another table. Example: `positon`.
    Do: correct the spelling, or remove the key; the schema in docs/schema lists every key.
    """
    yield Hit(key=key, hint="")


@check("FORM_MISSING_KEY", Severity.ERROR, "key {key!r}{others} is missing")
def form_missing_key(key: str) -> Iterable[Hit]:
    """A key that has no default is not there.

    Why: nothing is guessed. Example: a piece without `mesh`. Do: add the key; where several are named, one of them.
    """
    yield Hit(key=key, others="")


@check("FORM_BAD_VALUE", Severity.ERROR, "{key!r}: {reason}")
def form_bad_value(key: str, reason: str) -> Iterable[Hit]:
    """A key has a value of the wrong kind or outside its limits.

    Why: a number as text, a NaN, a negative size would give an answer about nothing. Example: `size = "600"`.
    Do: write the value as the message says.
    """
    yield Hit(key=key, reason=reason)


def line_of(pointer: str, lines: Mapping[str, int]) -> int | None:
    """The line of the nearest key at or above a pointer."""
    while pointer:
        if pointer in lines:
            return lines[pointer]
        pointer = pointer.rpartition("/")[0]
    return None


def listed(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The first hundred of each code as they are, and one that counts the rest of them."""
    counts: Counter[str] = Counter()
    kept: list[Finding] = []
    last: dict[str, int] = {}
    for finding in findings:
        counts[finding.code] += 1
        if counts[finding.code] <= MOST_LISTED + 1:
            last[finding.code] = len(kept)
            kept.append(finding)
    for code, count in counts.items():
        more = count - MOST_LISTED - 1
        if more > 0:
            kept[last[code]] = _and_more(kept[last[code]], more)
    return tuple(kept)


# --- pydantic's errors, told in the file's own words ------------------------------------------------------------------

Path = tuple[Any, ...]  # keys and numbers of items, as far as they are in the file


@dataclass(frozen=True, slots=True)
class Told:
    """One fault: its code, where it is, and its numbers, worded only when they are wanted."""

    code: Check
    path: Path
    numbers: Callable[[], dict[str, str]]


def told(errors: Iterable[Any], data: Any, keys_at: Callable[[Path], list[str]]) -> list[Told]:
    """Each fault once: a value that may be of several kinds is one fault, not one for every kind it is not."""
    out: list[Told | Path] = []
    kinds: dict[Path, dict[str, list[Any]]] = {}
    for error in errors:
        path, kind, below = _placed(error, data)
        if kind is None:
            out.append(_one(error, path, keys_at))
            continue
        if path not in kinds:
            kinds[path] = {}
            out.append(path)
        kinds[path].setdefault(kind, []).append({**error, "loc": below})
    return [
        one
        for fault in out
        for one in ([fault] if isinstance(fault, Told) else _of_kinds(fault, kinds[fault], data, keys_at))
    ]


def _placed(error: Any, data: Any) -> tuple[Path, str | None, Path]:
    """Where in the file it is; the kind of value that was tried there, if there are several; the way on below it."""
    path: list[Any] = []
    here, loc = data, error["loc"]
    for i, part in enumerate(loc):
        if (isinstance(here, dict) and part in here) or (
            isinstance(here, list) and isinstance(part, int) and part < len(here)
        ):
            here = here[part]
            path.append(part)
        elif error["type"] == "missing" and i == len(loc) - 1:
            path.append(part)
        elif part != "[key]":  # pydantic's word for a table's key itself
            return tuple(path), str(part), loc[i + 1 :]
    return tuple(path), None, ()


def _of_kinds(
    path: Path, kinds: Mapping[str, list[Any]], data: Any, keys_at: Callable[[Path], list[str]]
) -> list[Told]:
    """What is wrong with the kind of value it seems to be; where it is of no kind, which kinds there are."""
    here = data
    for part in path:
        here = here[part]
    fitting: list[list[Any]] = [errors for errors in kinds.values() if not any(map(_other_kind, errors))]
    fitting = [errors for errors in fitting if not all(map(_other_length, errors))]
    if not fitting:
        wanted = dict.fromkeys(_wanted(kind, errors[0]) for kind, errors in kinds.items())
        return [Told(form_bad_value, path, lambda: _bad(path, f"must be {' or '.join(wanted)}", here))]
    open_ways = list(dict.fromkeys(errors[0]["loc"][0] for errors in fitting if all(map(_is_owed, errors))))
    if len(open_ways) > 1:  # what is there fits several kinds as far as it goes
        return [Told(form_missing_key, path, lambda: _one_of(open_ways))]
    best = min(fitting, key=lambda errors: (sum(map(_other_keys, errors)), len(errors)))
    inside = told(best, here, lambda below: keys_at(path + below))
    return [Told(one.code, path + one.path, _under(path, one.numbers)) for one in inside]


def _under(path: Path, numbers: Callable[[], dict[str, str]]) -> Callable[[], dict[str, str]]:
    def longer() -> dict[str, str]:
        made = numbers()
        if "reason" in made:
            made["key"] = ".".join(str(p) for p in path) + (f".{made['key']}" if made["key"] != "file" else "")
        return made

    return longer


def _other_kind(error: Any) -> bool:
    return not error["loc"] and (error["type"].endswith(("_type", "_parsing")) or error["type"] == "literal_error")


def _other_length(error: Any) -> bool:
    if error["type"] == "missing":
        return len(error["loc"]) == 1 and isinstance(error["loc"][0], int)
    return not error["loc"] and error["type"] in ("too_long", "too_short")


def _other_keys(error: Any) -> bool:
    """Whether a table has a key that its kind does not have, or lacks one: it may be of another kind."""
    return len(error["loc"]) == 1 and error["type"] in ("extra_forbidden", "missing")


def _is_owed(error: Any) -> bool:
    """Whether it is a key that a table of this kind still lacks."""
    return error["type"] == "missing" and len(error["loc"]) == 1 and isinstance(error["loc"][0], str)


def _one_of(keys: list[str]) -> dict[str, str]:
    """Keys of which one is missing."""
    more = [repr(key) for key in keys[1:]]
    return {"key": keys[0], "others": "".join(f", {key}" for key in more[:-1]) + f" or {more[-1]}"}


def _wanted(kind: str, error: Any) -> str:
    """A kind of value in plain words."""
    if kind.startswith("tuple["):
        items = kind[6:-1].split(", ")
        what = ITEMS.get(items[0].removeprefix("constrained-"), "values")
        return f"a list of {what}" if items[-1] == "..." else f"a list of {len(items)} {what}"
    if error["type"] == "literal_error":
        return str(error["ctx"]["expected"])
    for word, said in (
        ("float", "a number"),
        ("int", "a whole number"),
        ("string", "a text"),
        ("bool", "true or false"),
    ):
        if error["type"].startswith(word):
            return said
    return "a table of keys" if error["type"].startswith(("model", "dict")) else _plainly(error)


def _one(error: Any, path: Path, keys_at: Callable[[Path], list[str]]) -> Told:
    key = str(path[-1]) if path else "file"
    if error["type"] == "extra_forbidden":

        def unknown() -> dict[str, str]:
            near = [one for one in get_close_matches(key, keys_at(path[:-1]), n=2) if one != key]
            if key in keys_at(path[:-1]):  # of another kind of table that may stand here
                return {
                    "key": key,
                    "hint": "; it belongs to another kind of table than the rest",
                }
            return {"key": key, "hint": f"; did you mean {near[0]!r}?" if near else ""}

        return Told(form_unknown_key, path, unknown)
    if error["type"] == "missing" and path and isinstance(path[-1], int):
        reason = f"item {path[-1] + 1} of the list is missing"
        return Told(form_bad_value, path[:-1], lambda: _bad(path[:-1], reason, None))
    if error["type"] == "missing":
        return Told(form_missing_key, path, lambda: {"key": key, "others": ""})
    return Told(form_bad_value, path, lambda: _bad(path, _plainly(error), error.get("input")))


def _bad(path: Path, reason: str, given: Any) -> dict[str, str]:
    if isinstance(given, (str, int, float, bool)):
        shown = str(given).lower() if isinstance(given, bool) else repr(given)  # as files write it
        reason += f" (got {shown if len(shown) <= 80 else shown[:80] + '…'})"
    return {"key": ".".join(str(p) for p in path) or "file", "reason": reason}


ITEMS = {"int": "whole numbers", "float": "numbers", "str": "texts"}  # of a list, by pydantic's word for one

SPELLED = {  # what a pattern of a form asks for, in words
    r"^[^\t\n\r]*$": "must be on one line",
    r"^[a-z0-9][a-z0-9._-]*$": "must be small letters, digits, '.', '_', '-', a letter or digit first: ruins-1",
    r"^[0-9]+(\.[0-9]+){0,3}([-+][0-9A-Za-z.-]+)?$": "must be a version: one to four numbers with dots, as in 1.0.2",
}


def _plainly(error: Any) -> str:
    said = str(error["msg"]).removeprefix("Value error, ").removesuffix(" after validation")
    for theirs, ours in (
        ("Input should be", "must be"),
        (" a valid number", " a number"),
        (" a valid integer", " a whole number"),
        (" a valid string", " a text"),
        (" a valid tuple", " a list"),
        (" a valid array", " a list"),
        (" a valid boolean", " true or false"),
        (" an object", " a table of keys"),
        ("Tuple should have", "the list should have"),
        (" after validation, not", ", not"),
        ("String should have", "the text should have"),
    ):
        said = said.replace(theirs, ours)
    if error["type"] == "string_pattern_mismatch":
        return SPELLED.get(str(error["ctx"]["pattern"]), said)
    return said


def findings_of(
    errors: Iterable[Any], data: Any, lines: Mapping[str, int], name: str, keys_at: Callable[[Path], list[str]]
) -> tuple[Finding, ...]:
    """Pydantic's errors as findings with lines and keys: a hundred of each code, and how many more there are."""
    counts: Counter[Check] = Counter()
    kept: dict[Check, list[Told]] = {}
    faults = told(errors, data, keys_at)
    for fault in faults:
        counts[fault.code] += 1
        if counts[fault.code] <= MOST_LISTED + 1:
            kept.setdefault(fault.code, []).append(fault)
    shown = {id(fault) for some in kept.values() for fault in some}
    findings = []
    for fault in faults:
        if id(fault) not in shown:
            continue
        pointer = pointer_of(fault.path)
        found = fault.code.hit(file=name, pointer=pointer, line=line_of(pointer, lines), **fault.numbers())
        more = counts[fault.code] - MOST_LISTED - 1
        if more > 0 and fault is kept[fault.code][-1]:
            found = _and_more(found, more)
        findings.append(found)
    return tuple(findings)


def _and_more(finding: Finding, more: int) -> Finding:
    return replace(finding, message=f"{finding.message} (and {more} more like it)", count=more + 1)
