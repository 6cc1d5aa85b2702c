"""A `Form` knows its keys and types. What a file gets wrong comes back all at once, as findings."""

from __future__ import annotations

import codecs
import datetime
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic import Field as Field  # re-exported: forms are written with it, the door stays here

from sim3d.finding import Check, Finding, Number, Refused, unprintable
from sim3d.form.faults import findings_of, form_bad_value, form_unreadable, line_of, listed
from sim3d.form.text import to_json
from sim3d.form.where import Seen, TooDeep, json_seen, pointer_of, toml_seen

MAX_FORM_BYTES = 20_000_000  # a table of 5,000 pieces takes about one; more is not a file people write
T = TypeVar("T", bound="Form")


class Form(BaseModel):
    """A strict set of keys: unknown ones are errors, numbers are finite, nothing is coerced from text."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def with_keys(meanings: Mapping[str, str], kind: Any) -> Callable[[type[T]], type[T]]:
    """A decorator: the form with these keys, too, each of a kind or left out, with what it means in the schema."""

    def made(form: type[T]) -> type[T]:
        keys: dict[str, Any] = {
            name: (kind | None, Field(default=None, description=meaning)) for name, meaning in meanings.items()
        }
        return create_model(form.__name__, __base__=form, __doc__=form.__doc__, __module__=form.__module__, **keys)

    return made


@dataclass(frozen=True, slots=True)
class Written(Generic[T]):
    """A form as somebody wrote it, with the line of every key, so that later faults can point there too."""

    form: T
    name: str = ""
    lines: Mapping[str, int] = dataclass_field(default_factory=dict)

    def fault(self, code: Check, pointer: str, **numbers: Number) -> Finding:
        """A finding about a place in the file."""
        return code.hit(file=self.name, pointer=pointer, line=line_of(pointer, self.lines), **numbers)


def read_form(path: str | Path, form: type[T], *, json_text: bool | None = None) -> Written[T]:
    """The file as a form; `Refused` with every fault, each with its line and key. Without `json_text` its name says."""
    path = Path(path)
    if json_text is None:
        json_text = path.suffix.lower() == ".json"
    return parse_form(read_text(path), form, name=path.as_posix(), json_text=json_text)


def read_text(path: Path) -> str:
    """The text of a regular file of a size that people write; `Refused` with what is in the way."""

    def unreadable(reason: str, line: int | None = None) -> Refused:
        return Refused(form_unreadable.hit(file=path.as_posix(), line=line, reason=reason))

    try:
        if path.is_dir():
            os.scandir(path).close()  # of one that is closed the system says so
            raise unreadable("it is a folder, not a file")
        if not path.is_file():
            raise unreadable("there is no such file" if not path.exists() else "it is not a file")
        with path.open("rb") as file:
            data = file.read(MAX_FORM_BYTES + 1)
        if len(data) > MAX_FORM_BYTES:
            raise unreadable(f"it is larger than {MAX_FORM_BYTES // 1_000_000} MB")
        if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise unreadable("it is text in UTF-16: save it as UTF-8")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise unreadable(f"it is not text in UTF-8 (byte {error.start}): save it as UTF-8", line) from None
    except OSError as error:
        raise unreadable(f"the system says: {error.strerror}") from None


def parse_form(
    text: str, form: type[T], *, name: str = "", json_text: bool = False, at: tuple[str, ...] = ()
) -> Written[T]:
    """Text as a form, or the table in it that keys lead to (`at`; empty where there is none); `Refused` with every
    fault, each with its line and key."""
    data, seen = _parsed(text, name, json_text, at)
    try:
        # lists stand for tuples in files, so validate as JSON does; the text has no other liberties
        return Written(form.model_validate_json(json.dumps(_section(data, at))), name, seen.lines)
    except ValidationError as error:
        errors: Any = [{**one, "loc": (*at, *one["loc"])} for one in error.errors(include_url=False)]
        raise Refused(
            *findings_of(errors, data, seen.lines, name, lambda path: _keys_at(form, path[len(at) :]))
        ) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(form_unreadable.hit(file=name, reason=str(error) or type(error).__name__)) from None


def parse_data(text: str, *, name: str = "", json_text: bool = False) -> tuple[Any, Seen]:
    """Whatever data is in a TOML or JSON text, and where each of it stands; `Refused` where it cannot be read."""

    def unreadable(reason: str, line: int | None) -> Refused:
        return Refused(form_unreadable.hit(file=name, reason=reason, line=line))

    try:
        seen = json_seen(text) if json_text else toml_seen(text)
    except TooDeep as error:
        raise unreadable(str(error), error.line) from None
    try:
        data = json.loads(text, parse_constant=_no_constant) if json_text else tomllib.loads(text)
    except json.JSONDecodeError as error:
        raise unreadable(f"not JSON: {error.msg} (column {error.colno})", error.lineno) from None
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"at line (\d+)", str(error))
        raise unreadable(f"not TOML: {error}", int(at[1]) if at else None) from None
    except (ValueError, RecursionError) as error:  # NaN constants, digits beyond the interpreter's limit
        line = seen.unusable[0] if seen.unusable else None
        said = str(error) or type(error).__name__
        raise unreadable("a whole number of thousands of digits" if "digits" in said else said, line) from None
    return data, seen


def _section(data: Any, at: tuple[str, ...]) -> Any:
    """The value that keys lead to; an empty table where they lead nowhere."""
    for key in at:
        data = data.get(key, {}) if isinstance(data, dict) else {}
    return data


def _parsed(text: str, name: str, json_text: bool, at: tuple[str, ...]) -> tuple[Any, Seen]:
    """The data in a text for a form: nothing stands twice, no dates, no characters that cannot be shown."""
    data, seen = parse_data(text, name=name, json_text=json_text)
    faults = [
        form_bad_value.hit(file=name, pointer=where, line=line, key=key, reason="stands twice in one object")
        for where, key, line in seen.twice
    ]
    for path, reason in _unusable(_section(data, at), at):
        where = pointer_of(path)
        line = line_of(where, seen.lines)
        faults.append(
            form_bad_value.hit(file=name, pointer=where, line=line, key=".".join(map(str, path)), reason=reason)
        )
    if faults:
        raise Refused(*listed(faults))
    return data, seen


def _no_constant(word: str) -> float:
    raise ValueError(f"{word} is not a number that can be used")


def _unusable(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    """Where a value or a key is one that no form takes, and why."""
    if isinstance(value, (datetime.date, datetime.time)):
        yield path, f"a date or time is not a value that can be used: {value}"
    elif isinstance(value, str):
        yield from ((path, reason) for reason in _unshown(value, _LAYOUT))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from (((*path, key), f"its key: {reason}") for reason in _unshown(key, ""))
            yield from _unusable(item, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _unusable(item, (*path, i))


_LAYOUT = "\n\t\r"  # of a text over several lines


def _unshown(text: str, allowed: str) -> Iterator[str]:
    """Why a text cannot be shown as it is, if it cannot."""
    if text.isprintable():
        return
    wrong = next((c for c in text if unprintable(c) and c not in allowed), None)
    if wrong is not None:
        half = "; a name with bytes that are no UTF-8 has such" if "\ud800" <= wrong <= "\udfff" else ""
        yield f"it holds a character that cannot be shown (U+{ord(wrong):04X}){half}"


@cache
def _schema(form: type[Form]) -> dict[str, Any]:
    return form.model_json_schema()


def _keys_at(form: type[Form], path: tuple[Any, ...]) -> list[str]:
    """The keys that are known at a place, found by walking the form's schema."""
    here: Any = _schema(form)
    definitions = here.get("$defs", {})
    for part in path:
        here = _resolved(here, definitions)
        here = here.get("items", {}) if isinstance(part, int) else here.get("properties", {}).get(part, {})
    return list(_resolved(here, definitions).get("properties", {}))


def _resolved(schema: Any, definitions: Mapping[str, Any]) -> Any:
    while True:
        if "$ref" in schema:
            schema = definitions[schema["$ref"].rsplit("/", 1)[1]]
        elif "anyOf" in schema:
            kinds = [s for s in schema["anyOf"] if s.get("type") != "null"]
            schema = next((s for s in kinds if "$ref" in s), kinds[0] if kinds else {})
        else:
            return schema


def schema_text(form: type[Form], *, title: str) -> str:
    """The JSON Schema of a form as stable text, as published under docs/schema."""
    schema = form.model_json_schema()
    return to_json({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": title})
