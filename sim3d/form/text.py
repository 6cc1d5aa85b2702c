"""Plain data as text: TOML and JSON that read back as the same data."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

# what a terminal or an editor would obey instead of showing; JSON has its own way to write it
_OBEYED = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_NO_TEXT = re.compile("[\ud800-\udfff]")  # halves of characters: names may have them, strict readers of JSON do not
_MAYBE_NO_TEXT = re.compile(r"\\ud[89a-f]")


def to_json(data: Mapping[str, Any]) -> str:
    """Stable JSON text, one trailing newline."""
    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False, default=_plain)
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", _NO_TEXT.sub("?", text)) + "\n"


def to_json_line(data: Any) -> str:
    """JSON on one line, all ASCII, whatever the terminal or the pipe takes.

    >>> to_json_line({"mesh": "cr\\udcff.stl", "°": 1.5})
    '{"mesh": "cr?.stl", "\\\\u00b0": 1.5}\\n'
    """
    text = json.dumps(data, allow_nan=False)
    if _MAYBE_NO_TEXT.search(text):  # of a pair that is a character nothing is taken
        text = json.dumps(json.loads(_NO_TEXT.sub("?", json.dumps(data, ensure_ascii=False))))
    return text + "\n"


def _plain(value: Any) -> Any:
    """A numpy number or array as Python's own."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no form in a file")


def to_toml(data: Mapping[str, Any]) -> str:
    """TOML text that reads back as the same data; None is left out.

    >>> print(to_toml({"a": 1.0, "p": [{"n": "x"}]}), end="")
    a = 1.0
    <BLANKLINE>
    [[p]]
    n = "x"
    """
    return "\n".join(_table(data, "")).lstrip("\n") + "\n"


def _table(data: Mapping[str, Any], path: str) -> list[str]:
    out, below = [], []
    for key, value in data.items():
        if value is None:
            continue
        name = key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else toml_value(key)
        if isinstance(value, Mapping):
            below += ["", f"[{path}{name}]", *_table(value, f"{path}{name}.")]
        elif isinstance(value, (list, tuple)) and value and all(isinstance(v, Mapping) for v in value):
            for item in value:
                below += ["", f"[[{path}{name}]]", *_table(item, f"{path}{name}.")]
        else:
            out.append(f"{name} = {toml_value(value)}")
    return out + below


def toml_value(value: Any) -> str:
    """A value as it stands behind a key.

    >>> print(toml_value(["a", 1]), toml_value([]))
    ["a", 1] []
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is not a number that can be used")
        return float.__repr__(value)  # numpy's own numbers are floats, too, but write themselves with their type
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_value(v) for v in value) + "]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_value(k)} = {toml_value(v)}" for k, v in value.items() if v is not None) + " }"
    return toml_value(_plain(value))
