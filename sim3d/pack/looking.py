"""What a worker does for one piece: read it, look at its shape, look where bases stand. Plain data in and out."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim3d.atlas import atlas
from sim3d.finding import Refused, run
from sim3d.mini import Mini
from sim3d.pack.ground import PRECARIOUS, STABLE, Ground, ground_of
from sim3d.pack.manifest import HeadForm, PrintForm, UseForm, mini_of
from sim3d.pack.roofed import with_roofed
from sim3d.pack.shape import SHAPE, STATES_UNIT, Subject
from sim3d.pack.standing import Seen, area_of, expect_not_standable, judged, lost, piece_too_large, undecided_share
from sim3d.pack.target import TARGETED, TARGETS
from sim3d.pack.verdict import finding_data
from sim3d.solid import Limits, Solid, read_solid
from sim3d.table import MATERIALS, Piece, Table

OWN = "own"  # the material of a piece whose friction is given as a number
AROUND_MM = 12.0  # of free table around a piece and a base beside it: from there it walks and climbs
MOST_CELLS = 200_000  # of a second, closer look: a piece of 45 by 45 cm at 1 mm, a minute
FACT_DIGITS = 3  # of facts in mm and g: a micron


def opened(path: Path, file: str, said: Mapping[str, Any], head: HeadForm, limits: Limits) -> Solid:
    """A piece's mesh, unscaled; the pack's units and axes are for formats that state none, a piece's own for any."""
    states = file.rpartition(".")[2].lower() in STATES_UNIT
    unit = said.get("units") or (None if states else head.units)
    up = said.get("up") or (None if states else head.up)
    return read_solid(path, unit=unit, up=up, limits=limits)


def subject_of(told: Mapping[str, Any], files: Mapping[str, Path]) -> Subject:
    """The piece that a task is about; `Refused` where its file cannot be trusted."""
    head = HeadForm.model_validate_json(told["head"])
    said, file = told["said"], told["file"]
    solid = opened(files[file], file, said, head, Limits(**told["limits"]))
    scale = float(said.get("scale", head.scale))
    use, printer = UseForm.model_validate_json(told["use"]), PrintForm.model_validate_json(told["print"])
    return Subject(told["name"], file, solid if scale == 1 else solid.scaled(scale), said, head, use, printer)


def form(told: dict[str, Any], files: dict[str, Path]) -> dict[str, Any]:
    """A piece's facts, and every finding that its mesh alone gives."""
    _LAST.clear()  # another piece's table is of no more use, and a large mesh needs room
    try:
        s = subject_of(told, files)
    except Refused as refused:
        return {"readable": False, "facts": {}, "findings": [finding_data(f) for f in refused.report]}
    report = s.solid.inspected() + run(SHAPE, s)
    for name in s.head.target:
        report = report + run(TARGETED, s, TARGETS[name])
    return {"readable": True, "facts": facts_of(s), "findings": [finding_data(f) for f in report.grouped()]}


def facts_of(s: Subject) -> dict[str, Any]:
    """What a report says of a piece whether anything is wrong or not."""
    solid: Solid = s.solid
    mass = s.mass_g
    return {
        "format": solid.source.format,
        "unit": solid.source.unit,
        "up": solid.source.up,
        "triangles": len(solid.faces),
        "vertices": len(solid.vertices),
        "extents_mm": [round(v, FACT_DIGITS) for v in solid.extents_mm],
        "low_mm": round(solid.bounds[0][2], FACT_DIGITS),
        "closed": solid.closed,
        "parts": solid.parts,
        "volume_mm3": None if solid.volume_mm3 is None else round(solid.volume_mm3, FACT_DIGITS),
        "mass_g": None if mass is None else round(mass, FACT_DIGITS),
        "seat_mm2": round(s.seat.area_mm2, FACT_DIGITS),
    }


def standing(told: dict[str, Any], files: dict[str, Path]) -> dict[str, Any]:
    """How one base gets along with a piece: figures, and what its standing map says against it."""
    try:
        s, table = _placed(told, files)
    except Refused:
        return {"figures": None, "findings": []}  # its shape says why
    mini = mini_of(told["base"], s.use)
    x0, y0, x1, y1 = _around(s, mini)
    if too_large := tuple(piece_too_large(s, mini.base.name, (x1 - x0) * (y1 - y0))):
        return {"figures": None, "findings": [finding_data(f) for f in too_large]}
    seen = Seen(s, looked(s, table, mini, s.use.pitch, audit=told["audit"]))
    findings, ways = judged(seen, lambda pitch: looked(s, table, mini, max(pitch, _finest(s, mini))))
    said = findings.grouped() + run((expect_not_standable,), s, table, mini)  # each promise by itself
    return {"figures": figures(seen, ways), "findings": [finding_data(f) for f in said]}


_LAST: list[tuple[str, Subject, Table]] = []  # one at most
OF_ONE_BASE = ("base", "audit")  # what differs from one base of a piece to the next


def _placed(told: Mapping[str, Any], files: Mapping[str, Path]) -> tuple[Subject, Table]:
    """The piece that a task is about, on a table; that of the last task where it was about another base of the same.

    It is the same where what is told of it is, and the `contents` of its files: the digests that the asker read.
    """
    key = json.dumps({k: v for k, v in told.items() if k not in OF_ONE_BASE}, sort_keys=True)
    for known, s, table in _LAST[:1]:
        if known == key:
            return s, table
    _LAST.clear()
    s = subject_of(told, files)
    table = table_of(s)
    _LAST[:] = [(key, s, table)]
    return s, table


def looked(s: Subject, table: Table, mini: Mini, pitch: float, *, audit: int = 0) -> Ground:
    """The ground of a piece for a mini, from a map with the table around it."""
    around = _around(s, mini)
    map_of = atlas(table, mini, pitch=pitch, levels=True, area=around, words_only=True, audit=audit, threads=1)
    return with_roofed(ground_of(map_of, s.solid, mini.base.outline), map_of, table, mini)


def _around(s: Subject, mini: Mini) -> tuple[float, float, float, float]:
    (x0, y0, _), (x1, y1, _) = s.solid.bounds
    beside = mini.base.outline.reach_mm() + AROUND_MM
    return x0 - beside, y0 - beside, x1 + beside, y1 + beside


def _finest(s: Subject, mini: Mini) -> float:
    """The pitch of a map of so many cells as a second look takes."""
    x0, y0, x1, y1 = _around(s, mini)
    return math.sqrt((x1 - x0) * (y1 - y0) / MOST_CELLS)


def table_of(s: Subject) -> Table:
    """The piece on an endless floor, of the material or with the friction that it is said to have."""
    own = s.said.get("friction")
    materials = MATERIALS if own is None else {**MATERIALS, OWN: float(own)}
    material = str(s.said.get("material", "grip")) if own is None else OWN
    piece = Piece(s.name, s.solid, material=material)
    return Table(pieces=(piece,), floor_mm=s.solid.bounds[0][2], materials=materials)


def figures(seen: Seen, ways: Seen) -> dict[str, Any]:
    """A base's figures as plain data, as `figures_of` reads them; `ways`: the map by which its ways were judged."""
    g = seen.ground
    firm, rests = g.is_word(STABLE), g.is_word(STABLE, PRECARIOUS)
    asked, agreed, in_band, disagreed = g.audit
    audit = {"asked": asked, "agreed": agreed, "in_band": in_band, "disagreed": disagreed} if asked else {}
    return {
        "base": g.base,
        "standable_mm2": area_of(g, firm),
        "precarious_share": 1 - float(firm.sum()) / max(int(rests.sum()), 1) if rests.any() else 0.0,
        "unreachable_share": float(lost(ways).sum()) / max(int(ways.ground.is_word(STABLE).sum()), 1),
        "undecided_share": undecided_share(g),
        "levels": [list(level) for level in g.levels()],
        "audit": audit,
    }
