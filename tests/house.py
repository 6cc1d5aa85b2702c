"""Where the sources under test are, a checkout's or a wheel's, and what is read in them. Imports nothing of ours."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path

_found = find_spec("sim3d")
assert _found is not None, "sim3d is not installed, and this is not its checkout"
assert _found.origin is not None
HOUSE = Path(_found.origin).parent


def numbers_in(game: Path, plain: set[float]) -> list[str]:
    """The numbers in the functions of a game's rules that are none of some plain ones, and where each is."""
    wrong = []
    for path in sorted(game.glob("*.py")):
        if path.name in ("ruleset.py", "asked.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                for inner in ast.walk(node):
                    number = isinstance(inner, ast.Constant) and type(inner.value) in (int, float)
                    if number and inner.value not in plain:
                        wrong.append(f"{path.name}:{inner.lineno}: {inner.value}")
    return wrong
