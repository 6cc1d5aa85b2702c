"""A table as text. What is written is read again before it is kept: a table that a file cannot say is refused."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sim3d.finding import Refused
from sim3d.form import to_json, to_toml
from sim3d.keep import keep_text
from sim3d.mini import Base, MeshSource, Mini
from sim3d.space import Pose
from sim3d.table.file import parse_table
from sim3d.table.table import MATERIALS, Piece, Placed, Table

TURN_DIGITS = 9  # of a turn that people wrote: what comes out of a pose has noise behind them


def write_table(table: Table, path: str | Path) -> None:
    """To TOML or JSON by the name's ending; reads back as the same table, or `ValueError` names what cannot."""
    path = Path(path)
    if path.suffix.lower() not in (".toml", ".json"):
        raise ValueError(f"{path.name}: a table is written as TOML or JSON; let its name end in .toml or .json")
    json_text = path.suffix.lower() == ".json"
    data = table_data(table, folder=path.parent)
    text = to_json(data) if json_text else to_toml(data)
    try:
        again = parse_table(text, folder=path.parent, json_text=json_text)
    except Refused as refused:
        reasons = "; ".join(f"{f.pointer}: {f.message}" for f in refused.report)
        raise ValueError(f"a file cannot say this table, it could not be read again: {reasons}") from None
    if changed := ", ".join(_changes(table, again)):
        raise ValueError(f"a file cannot say this table, it would read back with another: {changed}")
    keep_text(path, text)


def table_data(table: Table, *, folder: Path) -> dict[str, Any]:
    """The table as plain data, as it stands in a file in `folder`; `ValueError` names what a file cannot say."""
    edge: dict[str, Any] = {}
    if table.size_mm is not None:
        edge["size"] = list(table.size_mm)
    edge["floor"] = "none" if table.floor_mm is None else table.floor_mm
    edge["material"] = table.floor_material
    own = {name: {"friction": f} for name, f in table.materials.items() if MATERIALS.get(name) != f}
    data = {
        "about": table.about,
        "table": edge,
        "material": own,
        "piece": [_said(_piece_data(p, folder)) for p in table.pieces],
        "mini": [_said(_mini_data(m, folder)) for m in table.minis],
        "token": [
            _said({"name": t.name, "at": list(t.at), "diameter": t.diameter_mm, "kind": t.kind}) for t in table.tokens
        ],
    }
    return _said(data)


def _said(data: dict[str, Any]) -> dict[str, Any]:
    """Without what is empty or None: a file says only what it has to."""
    return {key: value for key, value in data.items() if value is not None and value not in ("", {}, [])}


def _piece_data(piece: Piece, folder: Path) -> dict[str, Any]:
    if piece.source is None:
        raise ValueError(f"piece {piece.name!r} was not read from a file; write its mesh and read it, then the table")
    spin = piece.pose.spin
    turn = _turn_of(spin)
    return {
        "name": piece.name,
        "mesh": _path(piece.source, folder),
        "unit": piece.source.unit,
        "up": piece.source.up,
        "at": list(piece.pose.place),
        "turn": turn or None,
        "spin": list(spin) if turn is None else None,
        "scale": piece.scale if piece.scale != 1 else None,
        "material": piece.material,
        "class": dict(piece.classes),
    }


def _turn_of(spin: tuple[float, float, float, float]) -> float | None:
    """The turn about z that makes this spin to the last bit; None where none does."""
    whole = math.degrees(2 * math.atan2(spin[3], spin[0]))
    turns = (round(whole, TURN_DIGITS), round(whole + 360, TURN_DIGITS), round(whole - 360, TURN_DIGITS), whole)
    return next((turn for turn in turns if Pose.at(0, 0, turn=turn).spin == spin), None)


def _path(source: MeshSource, folder: Path) -> str:
    try:
        return Path(os.path.relpath(source.path, folder)).as_posix()
    except ValueError:  # another drive: there is no way from here to there
        return source.path.absolute().as_posix()


def _mini_data(placed: Placed, folder: Path) -> dict[str, Any]:
    mini = placed.mini
    usual = mini.body == Mini.usual_body(mini.base, mini.height_mm) if mini.body.mesh is None else False
    if mini.body.mesh is not None:
        raise ValueError(f"mini {placed.name!r}: its body is a mesh, and a table file has bodies by measures only")
    return {
        "name": placed.name,
        "base": _base_said(placed, folder),
        "base_unit": mini.base.source.unit if mini.base.source else None,
        "base_up": mini.base.source.up if mini.base.source else None,
        "height": mini.height_mm if usual else None,
        "body": None if usual else {"diameter": mini.body.diameter_mm, "height": mini.body.height_mm},
        "com": mini.com[2] if mini.com[:2] == (0.0, 0.0) else list(mini.com),
        "mass_g": mini.mass_g,
        "at": list(placed.at),
        "turn": placed.turn,
        "level": placed.level,
        "material": placed.material,
    }


def _base_said(placed: Placed, folder: Path) -> str:
    base = placed.mini.base
    if base.source is not None:
        return _path(base.source, folder)
    try:
        same = Base.named(base.name) == base
    except ValueError:
        same = False
    if not same:
        reason = "make it with Base.round(…) and the like, or read it from a mesh file"
        raise ValueError(f"mini {placed.name!r}: its base {base.name!r} is not the one of that name; {reason}")
    return base.name


def _changes(table: Table, again: Table) -> Iterator[str]:
    """What is not the same in two tables, by name; materials that nothing is made of count for nothing."""
    for one, other in zip(table.pieces, again.pieces, strict=True):
        same = (one.name, one.pose, one.scale, one.material) == (other.name, other.pose, other.scale, other.material)
        if not same or dict(one.classes) != dict(other.classes):
            yield f"piece {one.name!r}"
        elif not _same_mesh(one, other):
            yield f"mesh of piece {one.name!r}, which is not what is in {one.source.path if one.source else 'no file'}"
    yield from (f"mini {one.name!r}" for one, other in zip(table.minis, again.minis, strict=True) if one != other)
    yield from (f"token {one.name!r}" for one, other in zip(table.tokens, again.tokens, strict=True) if one != other)
    for what in ("size_mm", "floor_mm", "floor_material", "about"):
        if getattr(table, what) != getattr(again, what):
            yield what
    yield from (f"material {name!r}" for name, f in table.materials.items() if again.materials.get(name) != f)


def _same_mesh(one: Piece, other: Piece) -> bool:
    return one.solid is other.solid or (
        np.array_equal(one.solid.vertices, other.solid.vertices) and np.array_equal(one.solid.faces, other.solid.faces)
    )
