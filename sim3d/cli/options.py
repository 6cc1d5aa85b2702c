"""Options that several verbs share, and what their words mean; what means nothing is refused before a file is read."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperCommand

from sim3d.cli.saying import fail

if TYPE_CHECKING:
    from sim3d.solid import Limits


class Once(TyperCommand):
    """A command that refuses a second value where one is taken: of the first nothing would be heard, nor written."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments as they are, if none is said in another's place; a switch may be on twice."""
        if not ctx.resilient_parsing:  # of a line that is being completed nothing is asked
            kinds = get_type_hints(self.callback)
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            for param in dict.fromkeys(order):
                valued: Any = param  # of an argument there is one; typer has no type for options of its own
                if param.param_type_name != "option" or valued.is_flag or valued.multiple or order.count(param) < 2:
                    continue
                kind = kinds.get(str(param.name))
                what = "file" if Path in (kind, *get_args(kind)) else "value"
                fail(f"{param.opts[0]} is given {order.count(param)} times, and takes one {what}: give it once")
        return super().parse_args(ctx, args)


Json = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]
MANIFEST = "pack.toml"
Unit = Annotated[str | None, typer.Option(help="What the mesh's numbers mean: mm, cm, m, in, ft.")]
Up = Annotated[str | None, typer.Option(help="The axis that points up in the mesh: y or z.")]
BaseUnit = Annotated[str | None, typer.Option(help="What the numbers of a base's mesh mean; without it mm.")]
BaseUp = Annotated[str | None, typer.Option(help="The axis that points up in a base's mesh: y or z.")]
Engine = Annotated[str | None, typer.Option(help="bullet or rapier; without it, Bullet where it is installed.")]
Physics = Annotated[str | None, typer.Option(help="When an engine is asked, too: always, doubt or never.")]


def declared(unit: str | None, up: str | None, *, of: str = "") -> None:
    """Refuse a unit or an axis that means nothing, before any file is read; `of` is how their options begin."""
    from sim3d.solid.soup import MM_PER, UPS

    if unit is not None and unit not in MM_PER:
        fail(f"--{of}unit {unit}: not a unit that is understood; use {', '.join(MM_PER)}")
    if up is not None and up not in UPS:
        fail(f"--{of}up {up}: the axis that points up is {' or '.join(UPS)}")


def installed(engine: str | None, physics: str | None) -> None:
    """Refuse an engine or a physics that means nothing, or is not here, before any file is read."""
    if physics not in (None, "always", "doubt", "never"):
        fail(f"--physics {physics}: it is always, doubt or never")
    if engine is not None:
        from sim3d.engine import engine_named

        try:
            engine_named(engine)
        except ValueError as error:
            fail(f"--engine: {error}")


def written_down(path: Path, *, instead: str) -> None:
    """Refuse a mesh where a file is wanted that people write: a table, a scenario, a manifest."""
    from sim3d.solid.guard import KINDS

    if path.suffix.lower().lstrip(".") in KINDS and not path.is_dir():
        fail(f"{path} is a mesh by its name; {instead}")


def a_table(path: Path) -> None:
    """Refuse a pack's manifest where a table, a scenario or a mesh is wanted."""
    if path.name.lower() == MANIFEST:
        fail(f"{path} is a pack's manifest: `sim3d validate` looks a pack over, `sim3d show FOLDER --png` draws it")


def in_vain(*told: tuple[str, bool, str]) -> None:
    """Refuse options that are said where nothing is made that they are of: the option, whether that is so, of what."""
    for option, vain, of in told:
        if vain:
            fail(f"{option} is of {of}; it would have no effect")


def limits_of(max_mb: float | None, max_triangles: int | None) -> Limits:
    """How much of a file is read before it is refused."""
    from sim3d.solid import Limits

    asked = {}
    if max_mb is not None and not 0 < max_mb <= 1e6:
        fail(f"--max-mb is over 0 and at most a million, not {max_mb:g}")
    if max_triangles is not None and max_triangles < 1:
        fail(f"--max-triangles is at least 1, not {max_triangles}")
    if max_mb is not None:
        asked["max_bytes"] = int(max_mb * 1_000_000)
    if max_triangles is not None:
        asked["max_triangles"] = max_triangles
    return Limits(**asked)


def numbers(option: str, text: str | None, *counts: int) -> float | list[float] | None:
    """Numbers between commas; one alone is a number."""
    if text is None:
        return None
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if len(found) not in counts:
        fail(f"{option} takes {' or '.join(map(str, counts))} numbers with commas between them, not {text!r}")
    finite(**{option: found})
    return found[0] if len(found) == 1 else found


def finite(**options: float | list[float] | None) -> None:
    """Refuse what is a number to Python and no quantity: not-a-number and infinity."""
    for option, value in options.items():
        if value is not None and not all(map(math.isfinite, value if isinstance(value, list) else [value])):
            fail(f"{option}: not a number that can be used")


def turned(turns: list[float] | None) -> None:
    """Refuse turns that no table file may have either: of so many degrees nobody means one."""
    from sim3d.asked import MOST_TURN

    finite(**{"--turn": turns})
    for turn in turns or ():
        if abs(turn) > MOST_TURN:
            fail(f"--turn is from -{MOST_TURN:g} to {MOST_TURN:g} degrees, not {turn:g}")


def gripping(friction: float | None) -> None:
    """Refuse a friction that no two surfaces have, in the words of every other verb."""
    from sim3d.asked import checked_friction

    finite(**{"--friction": friction})
    try:
        checked_friction(friction or 0.0)
    except ValueError as error:
        fail(str(error))


def size_of(option: str, text: str) -> tuple[int, int]:
    """Width and height of a picture."""
    try:
        width, height = (int(part) for part in text.split("x"))
        if not (16 <= width <= 8000 and 16 <= height <= 8000):
            raise ValueError
    except ValueError:
        fail(f"{option} is WIDTHxHEIGHT from 16x16 to 8000x8000, not {text!r}")
    return width, height
