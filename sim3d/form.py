"""Files people write: TOML and JSON read strictly, every error with its line and key; and the one door to pydantic.

A `Form` knows its keys and types. What a file gets wrong comes back all at once, as findings.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic import Field as Field  # re-exported: forms are written with it, the door stays here

from sim3d.finding import Check, Finding, Hit, Number, Refused, Severity, check

MAX_FORM_BYTES = 20_000_000  # a table of 5,000 pieces takes about one; more is not a file people write
T = TypeVar("T", bound="Form")


class Form(BaseModel):
    """A strict set of keys: unknown ones are errors, numbers are finite, nothing is coerced from text."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


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


@check("FORM_MISSING_KEY", Severity.ERROR, "key {key!r} is missing")
def form_missing_key(key: str) -> Iterable[Hit]:
    """A key that has no default is not there.

    Why: nothing is guessed. Example: a piece without `mesh`. Do: add the key.
    """
    yield Hit(key=key)


@check("FORM_BAD_VALUE", Severity.ERROR, "{key!r}: {reason}")
def form_bad_value(key: str, reason: str) -> Iterable[Hit]:
    """A key has a value of the wrong kind or outside its limits.

    Why: a number as text, a NaN, a negative size would give an answer about nothing. Example: `size = "600"`.
    Do: write the value as the message says.
    """
    yield Hit(key=key, reason=reason)


@dataclass(frozen=True, slots=True)
class Written(Generic[T]):
    """A form as somebody wrote it, with the line of every key, so that later faults can point there too."""

    form: T
    name: str = ""
    lines: Mapping[str, int] = dataclass_field(default_factory=dict)

    def fault(self, code: Check, pointer: str, **numbers: Number) -> Finding:
        """A finding about a place in the file."""
        return code.hit(file=self.name, pointer=pointer, line=line_of(pointer, self.lines), **numbers)


def line_of(pointer: str, lines: Mapping[str, int]) -> int | None:
    """The line of the nearest key at or above a pointer."""
    while pointer:
        if pointer in lines:
            return lines[pointer]
        pointer = pointer.rpartition("/")[0]
    return None


def read_form(path: str | Path, form: type[T]) -> Written[T]:
    """The file as a form; `Refused` with every fault, each with its line and key."""
    path = Path(path)
    name = path.as_posix()

    def unreadable(reason: str, line: int | None = None) -> Refused:
        return Refused(form_unreadable.hit(file=name, reason=reason, line=line))

    try:
        if not path.is_file():
            raise unreadable("there is no such file" if not path.exists() else "it is not a file")
        if path.stat().st_size > MAX_FORM_BYTES:
            raise unreadable(f"it is larger than {MAX_FORM_BYTES // 1_000_000} MB")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise unreadable(f"it is not text in UTF-8 (byte {error.start})") from None
    except OSError as error:
        raise unreadable(f"the system says: {error.strerror}") from None
    return parse_form(text, form, name=name, json_text=path.suffix.lower() == ".json")


def parse_form(text: str, form: type[T], *, name: str = "", json_text: bool = False) -> Written[T]:
    """Text as a form; `Refused` with every fault, each with its line and key."""
    try:
        data = (
            json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once) if json_text else tomllib.loads(text)
        )
    except json.JSONDecodeError as error:
        raise Refused(
            form_unreadable.hit(file=name, reason=f"not JSON: {error.msg} (column {error.colno})", line=error.lineno)
        ) from None
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"at line (\d+)", str(error))
        raise Refused(
            form_unreadable.hit(file=name, reason=f"not TOML: {error}", line=int(at[1]) if at else None)
        ) from None
    except (ValueError, RecursionError) as error:  # NaN constants, digits beyond the interpreter's limit, deep nesting
        raise Refused(form_unreadable.hit(file=name, reason=str(error) or type(error).__name__)) from None
    lines = json_lines(text) if json_text else toml_lines(text)
    try:
        # lists stand for tuples in files, so validate as JSON does; the text has no other liberties
        return Written(form.model_validate_json(json.dumps(data, default=_no_dates)), name, lines)
    except ValidationError as error:
        raise Refused(*(_fault(e, lines, name, form) for e in error.errors(include_url=False))) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(form_unreadable.hit(file=name, reason=str(error) or type(error).__name__)) from None


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is not a number that can be used")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise ValueError(f"key {twice!r} stands twice in one object")
    return made


def _no_dates(value: object) -> object:
    raise TypeError(f"a date or time is not a value that can be used: {value}")


def _fault(error: Any, lines: Mapping[str, int], name: str, form: type[Form]) -> Finding:
    loc = [str(part) for part in error["loc"]]
    pointer = "/" + "/".join(part.replace("~", "~0").replace("/", "~1") for part in loc) if loc else ""
    line = line_of(pointer, lines)
    key = loc[-1] if loc else "file"
    if error["type"] == "extra_forbidden":
        near = get_close_matches(key, _keys_at(form, loc[:-1]), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        return form_unknown_key.hit(file=name, pointer=pointer, line=line, key=key, hint=hint)
    if error["type"] == "missing":
        return form_missing_key.hit(file=name, pointer=pointer, line=line, key=key)
    reason = str(error["msg"]).removeprefix("Value error, ")
    given = error.get("input")
    if isinstance(given, (str, int, float, bool)):
        reason += f" (got {given!r})"
    return form_bad_value.hit(file=name, pointer=pointer, line=line, key=".".join(loc) or "file", reason=reason)


def _keys_at(form: type[Form], loc: list[str]) -> list[str]:
    """The keys that are known at a place, found by walking the form's schema."""
    schema: Any = form.model_json_schema()
    definitions = schema.get("$defs", {})
    here: Any = schema
    for part in loc:
        here = _resolved(here, definitions)
        here = here.get("items", {}) if part.isdigit() else here.get("properties", {}).get(part, {})
    return list(_resolved(here, definitions).get("properties", {}))


def _resolved(schema: Any, definitions: Mapping[str, Any]) -> Any:
    while True:
        if "$ref" in schema:
            schema = definitions[schema["$ref"].rsplit("/", 1)[1]]
        elif "anyOf" in schema:
            schema = next((s for s in schema["anyOf"] if s.get("type") != "null"), {})
        else:
            return schema


# --- where a key stands -----------------------------------------------------------------------------------------------

_KEY = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
_HEADER = re.compile(rf"\s*(\[\[?)\s*({_KEY}(?:\s*\.\s*{_KEY})*)\s*\]\]?")
_ASSIGN = re.compile(rf"\s*({_KEY}(?:\s*\.\s*{_KEY})*)\s*=")


def _dotted(text: str) -> list[str]:
    return [part.strip("\"'") for part in re.findall(_KEY, text)]


def toml_lines(text: str) -> dict[str, int]:
    """JSON pointer of each header and key of a TOML text, and the line it stands on.

    >>> toml_lines('[[piece]]\\nmesh = "a.stl"\\n')
    {'/piece/0': 1, '/piece/0/mesh': 2}
    """
    lines: dict[str, int] = {}
    counts: dict[str, int] = {}
    path = ""
    depth, inside = 0, ""  # open brackets of a value that runs over lines, and the quotes of a long string
    for number, line in enumerate(text.splitlines(), 1):
        if not depth and not inside:
            if header := _HEADER.match(line):
                path = ""
                parts = _dotted(header[2])
                for i, part in enumerate(parts):
                    path += "/" + part
                    if header[1] == "[[" and i == len(parts) - 1:
                        counts[path] = counts.get(path, -1) + 1
                        path += f"/{counts[path]}"
                    elif path in counts:
                        path += f"/{counts[path]}"
                lines.setdefault(path, number)
                continue
            if assign := _ASSIGN.match(line):
                lines.setdefault(path + "/" + "/".join(_dotted(assign[1])), number)
                line = line[assign.end() :]
        depth, inside = _open_after(line, depth, inside)
    return lines


def _open_after(line: str, depth: int, inside: str) -> tuple[int, str]:
    i = 0
    while i < len(line):
        if inside:
            end = line.find(inside, i)
            if end < 0:
                return depth, inside if len(inside) == 3 else ""
            if inside[0] == '"' and (end - len(line[:end].rstrip("\\"))) % 2:
                i = end + 1
                continue
            i, inside = end + len(inside), ""
            continue
        c = line[i]
        if c == "#":
            break
        if c in "\"'":
            inside = c * 3 if line.startswith(c * 3, i) else c
            i += len(inside)
            continue
        depth += (c in "[{") - (c in "]}")
        i += 1
    return max(depth, 0), inside if len(inside) == 3 else ""


def json_lines(text: str) -> dict[str, int]:
    """JSON pointer of each key and item of a valid JSON text, and the line it stands on.

    >>> json_lines('{"piece": [\\n{"mesh": 1}]}')
    {'/piece': 1, '/piece/0': 2, '/piece/0/mesh': 2}
    """
    lines: dict[str, int] = {}
    stack: list[list[Any]] = []  # [pointer of the container, index or None for an object, key]
    line = 1
    pending_key = True
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|\n|[^\s{}\[\],:"]+', text):
        word = token[0]
        if word == "\n":
            line += 1
        elif word in "{[":
            here = _here(stack, lines, line)
            stack.append([here, None if word == "{" else 0, ""])
            pending_key = word == "{"
        elif word in "}]":
            stack.pop()
            pending_key = False
        elif word == ",":
            if stack and stack[-1][1] is not None:
                stack[-1][1] += 1
            else:
                pending_key = True
        elif word == ":":
            pending_key = False
        elif pending_key and stack and stack[-1][1] is None:
            stack[-1][2] = json.loads(word)
            lines.setdefault(_pointer(stack[-1]), line)
        else:
            _here(stack, lines, line)
    return lines


def _pointer(level: list[Any]) -> str:
    return f"{level[0]}/{level[2] if level[1] is None else level[1]}"


def _here(stack: list[list[Any]], lines: dict[str, int], line: int) -> str:
    if not stack:
        return ""
    pointer = _pointer(stack[-1])
    lines.setdefault(pointer, line)
    return pointer


# --- writing ----------------------------------------------------------------------------------------------------------


def to_json(data: Mapping[str, Any]) -> str:
    """Stable JSON text, one trailing newline."""
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def to_toml(data: Mapping[str, Any]) -> str:
    """TOML text that reads back as the same data; None is left out.

    >>> print(to_toml({"a": 1.0, "p": [{"n": "x"}]}), end="")
    a = 1.0
    <BLANKLINE>
    [[p]]
    n = "x"
    """
    return "\n".join(_toml_table(data, "")).lstrip("\n") + "\n"


def _toml_table(data: Mapping[str, Any], path: str) -> list[str]:
    out, below = [], []
    for key, value in data.items():
        if value is None:
            continue
        name = key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _toml_value(key)
        if isinstance(value, Mapping):
            below += ["", f"[{path}{name}]", *_toml_table(value, f"{path}{name}.")]
        elif isinstance(value, (list, tuple)) and value and all(isinstance(v, Mapping) for v in value):
            for item in value:
                below += ["", f"[[{path}{name}]]", *_toml_table(item, f"{path}{name}.")]
        else:
            out.append(f"{name} = {_toml_value(value)}")
    return out + below


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml_value(v) for v in value) + "]"
    if isinstance(value, Mapping):
        return (
            "{ " + ", ".join(f"{_toml_value(k)} = {_toml_value(v)}" for k, v in value.items() if v is not None) + " }"
        )
    raise TypeError(f"{type(value).__name__} has no TOML form")


def schema_text(form: type[Form], *, title: str) -> str:
    """The JSON Schema of a form as stable text, as published under docs/schema."""
    schema = form.model_json_schema()
    return to_json({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": title})
