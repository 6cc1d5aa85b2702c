"""Whole tables, as organisers check them: pieces in one another, over the edge, or shutting off a part of the table."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sim3d.atlas.regions import free_around, labelled
from sim3d.finding import Hit, Place, Refused, Report, Severity, check, plain, run
from sim3d.mini import Base
from sim3d.pack.passage import ABOVE_MM, section
from sim3d.pack.verdict import Judged, Validation, finding_data, validation_kept
from sim3d.solid.boolean import NotManifold, gap, intersection, volume_and_centre
from sim3d.space import Bools, Floats
from sim3d.table import Piece, Table, read_table

CALL = "sim3d.pack.tables:looked_at"
SHARED_MM3 = 50.0  # of two pieces: a cube of 3.7 mm; less is an uneven underside
OVER_MM = 1.0  # beyond the table's edge: less does not show
REST_MM = 1.0  # between a piece and what carries it: less does not show, and prints are not flatter
SUNK_MM = 2.0  # below the table: feet press that far into a mat, and a mesh may reach down a little to hide its rim
VANISHED_MM = 1.0  # across: no terrain, but a slip of unit or scale
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
            shared = intersection((one.vertices(), one.solid.outward), (other.vertices(), other.solid.outward))
        except NotManifold:
            continue  # `overlap_unknown` says so
        volume, centre = volume_and_centre(*shared)
        if volume > SHARED_MM3:
            yield Hit(places=[Place(*centre, volume)], one=one.name, other=other.name, volume_mm3=volume)


def _near(pieces: Sequence[Piece]) -> Iterator[tuple[Piece, Piece]]:
    """Pairs whose boxes overlap, in the order of the file."""
    if not pieces:
        return
    low, high = _boxes(pieces)
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
                intersection((solid.vertices, solid.outward), (solid.vertices[:0], solid.faces[:0]))
            except NotManifold as error:
                why[id(solid)] = solid.body.unknown or error.why
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


@check("TABLE_PIECE_FLOATS", Severity.WARNING, "{piece} hangs {over_mm:.1f} mm over the table; nothing carries it")
def piece_floats(table: Table) -> Iterator[Hit]:
    """A piece is over the table and touches neither it nor a piece that is carried itself.

    Why: on a real table it falls. Example: `at = [0, 0, 300]` for a crate, or a roof whose walls were taken away.
    Do: leave out the z of `at`, or name in `on` what it stands on.
    """
    if table.floor_mm is None or not table.pieces:
        return
    boxes = _boxes(table.pieces)
    carried = _carried(table.pieces, boxes, table.floor_mm)
    for i, piece in enumerate(table.pieces):
        if not carried[i]:
            low, high = boxes[0][i], boxes[1][i]
            x, y = (float(v) for v in (low[:2] + high[:2]) / 2)
            over = float(low[2]) - table.floor_mm
            yield Hit(places=[Place(x, y, float(low[2]))], piece=piece.name, over_mm=over)


def _boxes(pieces: Sequence[Piece]) -> tuple[Floats, Floats]:
    """The lowest and the highest corner of each piece's box."""
    boxes = [(v.min(axis=0), v.max(axis=0)) for v in (p.vertices() for p in pieces)]
    low, high = zip(*boxes, strict=True)
    return np.array(low), np.array(high)


def _carried(pieces: Sequence[Piece], boxes: tuple[Floats, Floats], floor_mm: float) -> list[bool]:
    """Which pieces are on the table, or on or against one that is carried."""
    low, high = boxes
    carried: list[bool] = (low[:, 2] <= floor_mm + REST_MM).tolist()
    aloft = [i for i, it_is in enumerate(carried) if not it_is]
    waiting = [i for i, it_is in enumerate(carried) if it_is]
    while aloft and waiting:
        i = waiting.pop()
        near = (low[aloft] <= high[i] + REST_MM).all(axis=1) & (high[aloft] >= low[i] - REST_MM).all(axis=1)
        for j in [aloft[k] for k in np.flatnonzero(near).tolist()]:
            if _touch(pieces[i], pieces[j]):
                carried[j] = True
                waiting.append(j)
        aloft = [j for j in aloft if not carried[j]]
    return carried


def _touch(one: Piece, other: Piece) -> bool:
    """Whether two pieces touch; whose gap cannot be measured (`overlap_unknown` says so) are taken to."""
    try:
        apart = gap((one.vertices(), one.solid.outward), (other.vertices(), other.solid.outward), 2 * REST_MM)
    except NotManifold:
        return True
    return apart <= REST_MM


@check("TABLE_PIECE_SUNK", Severity.WARNING, "{piece} reaches {under_mm:.1f} mm below the table")
def piece_sunk(table: Table) -> Iterator[Hit]:
    """A piece reaches down through the table.

    Why: on a real table it stands higher, and so does all that stands on it. Example: `at = [0, 0, -30]`, or a mesh
    whose origin is its middle. Do: correct the z of `at`, put the mesh on z = 0, or say the table's `floor`.
    """
    if table.floor_mm is None:
        return
    for piece in table.pieces:
        corners = piece.vertices()
        lowest = int(corners[:, 2].argmin())
        under = table.floor_mm - float(corners[lowest, 2])
        if under > SUNK_MM:
            place = Place(*(float(v) for v in corners[lowest]))
            yield Hit(places=[place], piece=piece.name, under_mm=under)


@check("TABLE_PIECE_VANISHES", Severity.ERROR, "{piece} is {longest_mm:.3g} mm at its longest: nothing to be seen")
def piece_vanishes(table: Table) -> Iterator[Hit]:
    """A piece is so small that there is nothing on the table.

    Why: who counts on it plays on an empty place. Example: `scale = 1e-6`, or a mesh in metres that was said to be in
    mm and scaled down. Do: correct `scale` or `unit` of the piece.
    """
    for piece in table.pieces:
        corners = piece.vertices()
        longest = float((corners.max(axis=0) - corners.min(axis=0)).max())
        if longest < VANISHED_MM:
            yield Hit(places=[Place(*piece.pose.place)], piece=piece.name, longest_mm=longest)


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


def plan(table: Table, z: float, pitch: float = PLAN_MM) -> Bools:
    """Which places of a table with an edge are in a piece at this height."""
    assert table.size_mm is not None
    size = np.array(table.size_mm)
    shape = np.ceil(size / pitch).astype(int)
    first = pitch / 2 - size / 2
    made = np.zeros((shape[1], shape[0]), dtype=bool)
    for piece in table.pieces:
        corners = piece.vertices()
        low = np.clip(np.floor((corners.min(axis=0)[:2] - first) / pitch), 0, shape).astype(int)
        high = np.clip(np.ceil((corners.max(axis=0)[:2] - first) / pitch) + 1, 0, shape).astype(int)
        (x, y), (nx, ny) = low, high - low
        if nx > 0 and ny > 0:
            at = first + low * pitch
            made[y : y + ny, x : x + nx] |= section(
                piece.solid, corners, z, (float(at[0]), float(at[1])), pitch, (ny, nx)
            )
    return made


def looked_at(
    told: dict[str, Any], _: dict[str, Path], *, read: Callable[[Path], Table] = read_table
) -> dict[str, Any]:
    """What a worker does for a table file: read it with its meshes, and look at it. Plain data in and out."""
    path = Path(told["path"])
    try:
        table = read(path)
    except Refused as refused:  # told by the name that somebody gave it
        files = {plain(path.as_posix()): told["shown"]}
        return {"refused": [finding_data(f) | {"file": files.get(f.file, f.file)} for f in refused.report]}
    return validation_kept(validate_table(table, name=told["name"], bases=tuple(told["bases"])))


OF_TABLE = (
    table_empty,
    pieces_overlap,
    overlap_unknown,
    piece_over_edge,
    piece_floats,
    piece_sunk,
    piece_vanishes,
)


def validate_table(table: Table, *, name: str, bases: tuple[str, ...], step_mm: float | None = None) -> Validation:
    """A table with a verdict for each piece and for the whole; `step_mm`: else one and a half base widths."""
    report = run(OF_TABLE, table, file=name)
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
