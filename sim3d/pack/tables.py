"""Whole tables, as organisers check them: pieces in one another, over the edge, or shutting off a part of the table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sim3d.atlas.regions import free_around, labelled
from sim3d.finding import Hit, Place, Refused, Report, Severity, check, run
from sim3d.mini import Base
from sim3d.pack.passage import ABOVE_MM, Mask, cut
from sim3d.pack.verdict import Judged, Validation, finding_data, validation_kept
from sim3d.solid.boolean import NotManifold, intersection, volume_and_centre
from sim3d.table import Piece, Table, read_table

CALL = "sim3d.pack.tables:looked_at"
SHARED_MM3 = 50.0  # of two pieces: a cube of 3.7 mm; less is an uneven underside
OVER_MM = 1.0  # beyond the table's edge: less does not show
PLAN_MM = 1.0  # of the plan in which ways are looked for
MOST_CELLS = 4_000_000  # of that plan: a table over two metres by two gets a coarser one
ROOM_MM2 = 10_000.0  # of the table: a smaller corner is no part of it that anybody misses


@check("TABLE_PIECES_OVERLAP", Severity.WARNING, "{one} and {other} share {volume_mm3:.0f} mm³")
def pieces_overlap(table: Table) -> Iterator[Hit]:
    """Two pieces reach into one another.

    Why: on a real table they cannot stand so. Example: a barricade inside a wall. Do: move one of them.
    """
    for one, other in _near(table.pieces):
        try:
            shared = intersection((one.vertices(), one.solid.faces), (other.vertices(), other.solid.faces))
        except NotManifold:
            continue  # `overlap_unknown` says so
        volume, centre = volume_and_centre(*shared)
        if volume > SHARED_MM3:
            yield Hit(places=[Place(*centre, volume)], one=one.name, other=other.name, volume_mm3=volume)


def _near(pieces: Sequence[Piece]) -> Iterator[tuple[Piece, Piece]]:
    """Pairs whose boxes overlap, in the order of the file."""
    if not pieces:
        return
    boxes = [(v.min(axis=0), v.max(axis=0)) for v in (p.vertices() for p in pieces)]
    low, high = (np.array(ends) for ends in zip(*boxes, strict=True))
    for i, one in enumerate(pieces):
        meets = (low[i + 1 :] < high[i]).all(axis=1) & (high[i + 1 :] > low[i]).all(axis=1)
        for j in np.flatnonzero(meets).tolist():
            yield one, pieces[i + 1 + j]


@check("TABLE_OVERLAP_UNKNOWN", Severity.INFO, "whether {piece} reaches into its neighbours cannot be told: {why}")
def overlap_unknown(table: Table) -> Iterator[Hit]:
    """A piece has no inside, so what it shares with others cannot be measured.

    Why: an overlap would go unnoticed. Example: a hill without a bottom. Do: look at it, or close its mesh.
    """
    why: dict[int, str] = {}  # of a solid that stands there many times
    for piece in table.pieces:
        solid = piece.solid
        if id(solid) not in why:
            why[id(solid)] = ""
            try:
                intersection((solid.vertices, solid.faces), (solid.vertices[:0], solid.faces[:0]))
            except NotManifold as error:
                why[id(solid)] = error.status
        if why[id(solid)]:
            yield Hit(piece=piece.name, why=why[id(solid)])


@check("TABLE_PIECE_OVER_EDGE", Severity.WARNING, "{piece} reaches {over_mm:.1f} mm over the table's edge")
def piece_over_edge(table: Table) -> Iterator[Hit]:
    """A piece hangs over the edge of the table.

    Why: it falls off or is pushed back, and then stands elsewhere. Example: a bridge of 244 mm with its middle 100 mm
    from the edge. Do: move it inwards.
    """
    if table.size_mm is None:
        return
    half = np.array(table.size_mm) / 2
    for piece in table.pieces:
        corners = piece.vertices()
        over = np.abs(corners[:, :2]) - half
        worst = int(over.max(axis=1).argmax())
        if over[worst].max() > OVER_MM:
            place = Place(*(float(v) for v in corners[worst]))
            yield Hit(places=[place], piece=piece.name, over_mm=float(over[worst].max()))


@check("TABLE_EMPTY", Severity.ERROR, "there is no piece on it")
def table_empty(table: Table) -> Iterator[Hit]:
    """A table file that puts nothing on the table.

    Why: nothing was validated. Example: an empty file, or `[[pieces]]` cut out by mistake. Do: name the file that was
    meant, or write its `[[piece]]` tables.
    """
    if not table.pieces:
        yield Hit()


@check("TABLE_NO_WAY", Severity.WARNING, "a base {base} has no way to {area_mm2:.0f} mm² of the table")
def no_way(table: Table, base: str, step_mm: float) -> Iterator[Hit]:
    """A part of the table is shut off for a base by terrain that it does not step over.

    Why: what stands there is out of the game, or has to be climbed to. Example: a row of houses with gaps of 25 mm.
    Do: widen a gap.
    """
    if table.size_mm is None or table.floor_mm is None:
        return
    pitch = max(PLAN_MM, math.sqrt(table.size_mm[0] * table.size_mm[1] / MOST_CELLS))
    blocked = plan(table, table.floor_mm + step_mm + ABOVE_MM, pitch)
    outline = Base.named(base).outline
    half = min(outline.length_mm, outline.width_mm) / 2
    free = (free_around(~blocked) - 0.5) * pitch
    labels, many = labelled(free >= half - pitch)
    sizes = np.bincount(labels[labels >= 0], minlength=many) * pitch**2
    if many < 2:
        return
    shut = [n for n in np.argsort(-sizes, kind="stable")[1:].tolist() if sizes[n] >= ROOM_MM2]
    places = []
    for n in shut:
        cells = np.argwhere(labels == n)
        j, i = cells[np.argmin(((cells - cells.mean(axis=0)) ** 2).sum(axis=1))]
        x, y = (k * pitch + pitch / 2 - size / 2 for k, size in zip((i, j), table.size_mm, strict=True))
        places.append(Place(float(x), float(y), table.floor_mm, float(sizes[n])))
    if shut:
        yield Hit(count=len(shut), area_mm2=float(sizes[shut].sum()), places=places, base=base)


def plan(table: Table, z: float, pitch: float = PLAN_MM) -> Mask:
    """Which places of a table with an edge are within a piece at this height; pieces without an inside are nowhere."""
    assert table.size_mm is not None
    size = np.array(table.size_mm)
    shape = np.ceil(size / pitch).astype(int)
    first = pitch / 2 - size / 2
    made = np.zeros((shape[1], shape[0]), dtype=bool)
    for piece in table.pieces:
        if not piece.solid.closed:
            continue
        corners = piece.vertices()
        low = np.clip(np.floor((corners.min(axis=0)[:2] - first) / pitch), 0, shape).astype(int)
        high = np.clip(np.ceil((corners.max(axis=0)[:2] - first) / pitch) + 1, 0, shape).astype(int)
        (x, y), (nx, ny) = low, high - low
        if nx > 0 and ny > 0:
            at = first + low * pitch
            inside = cut(corners, piece.solid.faces, z, (float(at[0]), float(at[1])), pitch, (ny, nx))
            if inside is not None:
                made[y : y + ny, x : x + nx] |= inside
    return made


def looked_at(told: dict[str, Any], _: dict[str, Path]) -> dict[str, Any]:
    """What a worker does for a table file: read it with its meshes, and look at it. Plain data in and out."""
    try:
        table = read_table(told["path"])
    except Refused as refused:
        return {"refused": [finding_data(f) | {"file": f.file} for f in refused.report]}
    return validation_kept(validate_table(table, name=told["name"], bases=tuple(told["bases"])))


def validate_table(table: Table, *, name: str, bases: tuple[str, ...], step_mm: float | None = None) -> Validation:
    """A table with a verdict for each piece and for the whole; `step_mm`: else one and a half base widths."""
    report = run((table_empty, pieces_overlap, overlap_unknown, piece_over_edge), table, file=name)
    for base in bases:
        outline = Base.named(base).outline
        step = 1.5 * min(outline.length_mm, outline.width_mm) if step_mm is None else step_mm
        report = report + Report(no_way(table, base, step, file=name))
    of_solid = {id(piece.solid): piece.solid.inspected() for piece in table.pieces}
    pieces = tuple(_judged(piece, of_solid[id(piece.solid)]) for piece in table.pieces)
    return Validation(name, "table", name, pieces, report, bases)


def _judged(piece: Piece, of_solid: Report) -> Judged:
    file = piece.source.path.name if piece.source is not None else piece.name
    found = Report(tuple(replace(f, file=file) for f in of_solid))
    low, high = (piece.vertices().min(axis=0), piece.vertices().max(axis=0))
    facts = {
        "format": piece.solid.source.format,
        "triangles": len(piece.solid.faces),
        "at": [round(v, 3) for v in piece.pose.place],
        "extents_mm": [round(float(v), 3) for v in high - low],
        "closed": piece.solid.closed,
    }
    return Judged(piece.name, file, facts, (), found)
