"""A baked field as a file beside its pack: the same bytes for the same terrain, refused where it belongs to another."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sim3d.finding import Hit, Refused, Severity, check
from sim3d.form import Form, read_form, to_json
from sim3d.rules.hexes.bake import HexField, Spot
from sim3d.rules.hexes.board import Wall
from sim3d.rules.hexes.grid import Hex, Layout

VERSION = 1  # of the file's form


class SpotForm(Form):
    """One level of a hex."""

    at: tuple[int, int, int]
    answer: str
    height_mm: float | None = None
    median_mm: float | None = None
    range_mm: float = 0.0
    slope_deg: float = 0.0
    rough_mm: float = 0.0
    cover: float = 0.0
    cut_mm: float | None = None
    tag: str = ""
    tag_share: float = 0.0


class WallForm(Form):
    """A wall between two levels of neighbours; without numbers there is no way at all."""

    start: tuple[int, int, int]
    end: tuple[int, int, int]
    up_mm: float | None = None
    down_mm: float | None = None


class LayoutForm(Form):
    """Where the hexes lie."""

    size_mm: float
    turn_deg: float
    origin: tuple[float, float]


class FieldForm(Form):
    """A saved field."""

    version: int
    terrain: str  # the hash of what it was measured from
    content: str  # the hash of what follows
    base_mm: float
    layout: LayoutForm
    hexes: list[SpotForm]
    walls: list[WallForm]


@check("HEX_FIELD_UNUSABLE", Severity.ERROR, "{reason}")
def hex_field_unusable(reason: str) -> Iterable[Hit]:
    """A saved hex field belongs to other terrain, or was changed.

    Why: a board that does not fit its terrain would lie. Example: a piece was moved after the bake. Do: bake it again
    with `sim3d bake SCENARIO --out FILE`.
    """
    yield Hit(reason=reason)


def field_text(field: HexField) -> str:
    """The text of a field's file: stable JSON, the same bytes every time."""
    layout = field.layout
    content: dict[str, Any] = {
        "base_mm": field.base_mm,
        "layout": {"size_mm": layout.size_mm, "turn_deg": layout.turn_deg, "origin": list(layout.origin)},
        "hexes": [_spot_data(at, spot) for at, spot in field.spots.items()],
        "walls": [_wall_data(a, b, wall) for (a, b), wall in field.walls.items()],
    }
    return to_json({"version": VERSION, "terrain": field.digest, "content": _hash(content), **content})


def _hash(content: dict[str, Any]) -> str:
    return hashlib.sha256(to_json(content).encode()).hexdigest()


def _spot_data(at: Hex, spot: Spot) -> dict[str, Any]:
    told = {name: getattr(spot, name) for name in SpotForm.model_fields if name != "at"}
    return {"at": list(at), **{name: value for name, value in told.items() if value is not None}}


def _wall_data(start: Hex, end: Hex, wall: Wall) -> dict[str, Any]:
    known = {} if math.isinf(wall.up_mm) else {"up_mm": wall.up_mm, "down_mm": wall.down_mm}
    return {"start": list(start), "end": list(end), **known}


def read_field(path: str | Path, digest: str) -> HexField:
    """A saved field, if it was baked from terrain, layout and base of this hash (`digest_of`); else `Refused`."""
    form = read_form(path, FieldForm, json_text=True).form  # whatever it is called: `bake --out` writes nothing else
    walls = {
        (Hex(*w.start), Hex(*w.end)): Wall(math.inf, math.inf) if w.up_mm is None else Wall(w.up_mm, w.down_mm or 0.0)
        for w in form.walls
    }
    spots = {Hex(*s.at): Spot(**{k: v for k, v in s.model_dump().items() if k != "at"}) for s in form.hexes}
    layout = Layout(form.layout.size_mm, form.layout.turn_deg, form.layout.origin)
    found = HexField(layout, spots, walls, form.base_mm, form.terrain)
    name = Path(path).as_posix()
    if f'"content": "{form.content}"' not in field_text(found) or form.version != VERSION:
        raise Refused(hex_field_unusable.hit(file=name, reason="it was changed after it was baked"))
    if form.terrain != digest:
        raise Refused(
            hex_field_unusable.hit(
                file=name, reason="it was baked from other terrain, hexes or base, or asked otherwise"
            )
        )
    return found
