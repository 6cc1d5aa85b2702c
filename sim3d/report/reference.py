"""The public names as they stand in the code: docs/api.md from their docstrings, and the plain list that is frozen.

`python -m sim3d.report.reference` prints the list: every public name with its signature, fields and methods.
"""

from __future__ import annotations

import inspect
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from importlib import import_module
from typing import Any

from sim3d.names import HOME
from sim3d.stand import NUMBERS, Stand

WIDE = 110  # a longer signature takes a line for each argument

# where a name is used in an example that runs, if not in its own docstring
EXAMPLES = {
    "Atlas": "start-developers.md#a-map",
    "Certificate": "start-developers.md#a-proof",
    "CheckFailed": "start-developers.md#a-proof",
    "Placed": "start-developers.md#tables",
    "Refused": "start-developers.md#what-is-refused",
    "Rest": "start-developers.md#the-witnesses",
    "Settle": "start-developers.md#the-witnesses",
    "Stand": "start-developers.md#one-verdict",
    "Table": "start-developers.md#tables",
    "atlas": "start-developers.md#a-map",
    "check": "start-developers.md#a-proof",
    "read_table": "start-developers.md#tables",
    "rest": "start-developers.md#the-witnesses",
    "settle": "start-developers.md#the-witnesses",
    "write_table": "start-developers.md#tables",
}


@dataclass(frozen=True, slots=True)
class Member:
    """Something a class has: a field, a property or a method, as it is written, and what it means."""

    written: str
    about: str


def names() -> list[str]:
    """The public names, verbs before nouns, each in order of the alphabet."""
    return sorted(HOME, key=lambda n: (n[0].isupper(), n))


def public(name: str) -> Any:
    """What a public name stands for."""
    return getattr(import_module(f"sim3d.{HOME[name]}"), name)


def signature_of(call: Any, name: str) -> str:
    """A function as it is called.

    >>> signature_of(textwrap.indent, "indent")
    'indent(text, prefix, predicate=None)'
    """
    signature = inspect.signature(call)
    parts, starred = [], False
    for one in signature.parameters.values():
        if one.name in ("self", "cls"):
            continue
        if one.kind is one.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred |= one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        mark = "*" if one.kind is one.VAR_POSITIONAL else "**" if one.kind is one.VAR_KEYWORD else ""
        text = mark + one.name + ("" if one.annotation is one.empty else f": {_said(one.annotation)}")
        if one.default is not one.empty:
            equals = "=" if one.annotation is one.empty else " = "
            text += equals + ("…" if repr(one.default).startswith("<") else repr(one.default))
        parts.append(text)
    nothing = signature.return_annotation is signature.empty or inspect.isclass(call)
    back = "" if nothing else f" -> {_said(signature.return_annotation)}"
    line = f"{name}({', '.join(parts)}){back}"
    if len(line) <= WIDE:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){back}"


def _said(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))


def members_of(kind: type) -> Iterator[Member]:
    """What a class has that is public: members of an enumeration, fields, properties, methods."""
    comments = _comments(kind)
    if issubclass(kind, Enum):
        for one in kind:
            yield Member(one.name, comments.get(one.name, ""))
    for field in fields(kind) if is_dataclass(kind) else ():
        if not field.name.startswith("_"):
            about = NUMBERS.get(field.name, "") if kind is Stand else ""
            yield Member(f"{field.name}: {_said(field.type)}", about or comments.get(field.name, ""))
    for name, value in vars(kind).items():
        if name.startswith("_"):
            continue
        about = _first(value) if _has_doc(value) else ""
        if isinstance(value, property):
            back = inspect.signature(value.fget).return_annotation if value.fget else ""
            yield Member(f"{name}: {_said(back)}", about)
        elif isinstance(value, (staticmethod, classmethod)):
            yield Member(signature_of(value.__func__, f"{kind.__name__}.{name}"), about)
        elif inspect.isfunction(value):
            yield Member(signature_of(value, f".{name}"), about)


def _has_doc(value: Any) -> bool:
    return isinstance(value, (property, staticmethod, classmethod)) or inspect.isfunction(value)


def _comments(kind: type) -> dict[str, str]:
    """What stands behind each field in the source."""
    found = {}
    for line in inspect.getsource(kind).splitlines():
        name, _, rest = line.strip().partition(":" if ":" in line.partition("#")[0] else " =")
        if name.isidentifier() and "  # " in rest:
            found[name] = rest.partition("  # ")[2].strip()
    return found


# --- as a page --------------------------------------------------------------------------------------------------------


def api_page() -> str:
    """docs/api.md."""
    lines = [
        "# Python API",
        "",
        "Written by `make docs` from the docstrings. Every example here runs in the tests. Lengths are millimetres,",
        "angles degrees; [conventions](conventions.md) has the rest. These names stay as they are: a test holds them.",
        "",
        "| name | |",
        "|---|---|",
    ]
    lines += [f"| [`{n}`](#{n.lower()}{'-1' if _twice(n) else ''}) | {_first(public(n))} |" for n in names()]
    for name in names():
        lines += ["", f"## {name}", "", *_entry(name, public(name))]
    return "\n".join(lines) + "\n"


def _twice(name: str) -> bool:
    """Whether a verb before it has the same letters: `atlas`, `Atlas`."""
    return name[0].isupper() and name.lower() in HOME


def _first(value: Any) -> str:
    return " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())


def _entry(name: str, value: Any) -> Iterator[str]:
    plain = inspect.isclass(value) and issubclass(value, (Enum, BaseException))
    if not plain:
        yield from ("```python", signature_of(value, name), "```", "")
    yield from _docstring(inspect.getdoc(value) or "")
    if name in EXAMPLES:
        page, _, part = EXAMPLES[name].partition("#")
        yield from ("", f"An example: [{part.replace('-', ' ')}]({page}#{part}).")
    if inspect.isclass(value) and (found := list(members_of(value))):
        yield from ("", "| it has | |", "|---|---|")
        for one in found:
            written = " ".join(one.written.split()).replace("( ", "(").replace(", )", ")").replace("|", "\\|")
            yield f"| `{written}` | {one.about.replace('|', chr(92) + '|')} |"


def _docstring(text: str) -> Iterator[str]:
    """Paragraphs as they are, examples fenced."""
    inside = False
    for line in text.splitlines():
        if line.startswith(">>>") and not inside:
            inside = True
            yield "```python"
        if not line and inside:
            inside = False
            yield "```"
        yield line
    if inside:
        yield "```"


# --- as a list --------------------------------------------------------------------------------------------------------


def names_text() -> str:
    """Every public name with its signature, and what the classes have: what a release may add to, but not change."""
    lines = []
    for name in names():
        value = public(name)
        if inspect.isclass(value):
            lines.append(f"class {name}")
            plain = issubclass(value, (Enum, BaseException))
            made = [] if plain else [signature_of(value, name)]
            lines += [textwrap.indent(text, "    ") for text in (*made, *(m.written for m in members_of(value)))]
        else:
            lines.append(signature_of(value, name))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(names_text())
