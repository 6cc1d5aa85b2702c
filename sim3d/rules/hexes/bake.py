"""Terrain baked onto hexes (HX13): each hex's heights, slope and walls from the same meshes, its footing from `stand`.

A `HexField` holds what was measured; `board_of` names it by a ruleset's thresholds. The author's words win over those.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np

from sim3d.asked import checked_material
from sim3d.finding import Refused
from sim3d.ground import Ground, ground_of
from sim3d.mini import Mini
from sim3d.rules.hexes.board import Board, Cell, Unit, Wall, closed, hex_board_unsound
from sim3d.rules.hexes.grid import EVEN_MM, ROOT3, SIDES, TURN_DEG, Hex, Layout
from sim3d.rules.hexes.ruleset import HILL, Ruleset
from sim3d.rules.hexes.samples import DIGITS, DIVISIONS, FLOOR, INNER, Samples, sampled, skin_of
from sim3d.rules.hexes.ways import walls_between
from sim3d.space import Floats, Ints
from sim3d.stand import WORDS, Physics, stand
from sim3d.table import ON_HEXES, Table

CLEAR_MM = 5.0  # terrain farther than this beside a base changes nothing about how it stands
SURE = 0.99  # of the friction there is: what needs no more than this holds whatever the last digits are
EVEN_DEG = 1e-3  # slopes that differ by less are equal
FIT_MM = 1e-6  # how far a base may reach over its hex: the noise of a sum
KEPT = 8  # fields kept in memory: a folder of scenarios asks for the same board again and again
MEASURED = 6  # the version of how things are measured: a field of another version is baked again
BEST = (*(word for word in WORDS if word not in ("stable", "undecided")), "undecided", "stable")  # of facings, the last


@dataclass(frozen=True, slots=True)
class Spot:
    """What was measured of one level of a hex; heights are the table's, mm, and None where there is no ground."""

    answer: str  # how the base stands there: one word of `stand`
    height_mm: float | None = None  # in the middle
    median_mm: float | None = None
    range_mm: float = 0.0
    slope_deg: float = 0.0  # of the plane that fits best
    rough_mm: float = 0.0  # the RMS height over and under that plane
    cover: float = 0.0  # the share of the hex that has ground
    cut_mm: float | None = None  # under what hangs over a lower level, as `stand` takes it
    tag: str = ""  # the author's word for most of it
    tag_share: float = 0.0

    @property
    def standable(self) -> bool:
        """Whether the base stands: nothing but a plain yes."""
        return self.answer == "stable"


@dataclass(frozen=True, slots=True)
class HexField:
    """Terrain as hexes see it: every level's measures, walls between levels, and the hash of what they come from."""

    layout: Layout
    spots: Mapping[Hex, Spot]
    walls: Mapping[tuple[Hex, Hex], Wall]  # without one, the way is flat
    base_mm: float  # the board's base level: the table's floor, or the lowest middle of a hex
    digest: str


_RECENT: dict[str, HexField] = {}  # the last fields by their digest


def bake(
    table: Table,
    layout: Layout,
    hexes: Sequence[Hex],
    mini: Mini,
    *,
    steep_deg: float,
    material: str = "grip",
    physics: Physics = "never",
    engine: str | None = None,
) -> HexField:
    """Measure the terrain of a table (its minis are no terrain) under hexes, for units on this mini's base.

    `ValueError` where the base reaches out of its hex, or the table has no such material.
    """
    checked_material(material, table.materials)
    reach = max(_reach(mini, layout, way) for way in range(SIDES)) - ROOT3 / 2 * layout.size_mm
    if reach > FIT_MM:
        raise ValueError(f"base {mini.base.name} reaches {reach:.1f} mm out of a hex of {layout.size_mm:g} mm")
    how = {"steep_deg": steep_deg, "material": material, "physics": physics, "engine": engine}
    digest = digest_of(table, layout, hexes, mini, **how)  # type: ignore[arg-type]
    table = replace(table, minis=(), tokens=())
    if digest in _RECENT:
        return _RECENT[digest]
    ground = ground_of(table)
    skin = skin_of(table, ground)
    samples = sampled(skin, layout, hexes, mini.height_mm)
    tags = tuple(piece.classes.get(ON_HEXES, "") for piece in table.pieces)
    asking = Footing(table, ground, layout, mini, material, physics, engine)
    measured: dict[Hex, Spot] = {}
    levels: dict[tuple[int, int], list[float]] = {}
    for at in hexes:
        found = list(_measured(samples, at, tags))
        levels[at.q, at.r] = [spot.height_mm for spot in found if spot.height_mm is not None]
        measured |= {Hex(at.q, at.r, level): spot for level, spot in enumerate(found or [Spot("falls")])}
    many = (os.cpu_count() or 1) if physics == "never" else 1  # statics lets go of Python, an engine does not
    with ThreadPoolExecutor(many) as pool:
        answers = pool.map(asking.answer, measured, measured.values())
        spots = {at: replace(spot, answer=word) for (at, spot), word in zip(measured.items(), answers, strict=True)}
    gap_mm = min(mini.base.outline.length_mm, mini.base.outline.width_mm) / 2
    walls = walls_between(skin, samples, levels, room_mm=mini.height_mm, steep_deg=steep_deg, gap_mm=gap_mm)
    heights = [spot.height_mm for spot in spots.values() if spot.height_mm is not None]
    base = min(heights, default=0.0) if table.floor_mm is None else table.floor_mm
    _RECENT[digest] = HexField(layout, spots, walls, _said(base), digest)
    while len(_RECENT) > KEPT:
        del _RECENT[next(iter(_RECENT))]
    return _RECENT[digest]


def _said(number: float) -> float:
    """As it is kept, so that a saved field reads back as the same."""
    return round(float(number), DIGITS) + 0.0


def digest_of(
    table: Table,
    layout: Layout,
    hexes: Iterable[Hex],
    mini: Mini,
    *,
    steep_deg: float,
    material: str = "grip",
    physics: Physics = "never",
    engine: str | None = None,
) -> str:
    """A hash of everything that a field is measured from: terrain, layout, base, and how it is asked."""
    how = (steep_deg, material, physics, engine if physics != "never" else None)
    found = hashlib.sha256(f"hex field {MEASURED} {layout} {[tuple(h) for h in hexes]} {how}".encode())
    body = mini.body
    found.update(f"{mini.base.name} {mini.base.outline} {mini.base.thickness_mm} {mini.com} {mini.mass_g}".encode())
    found.update(f"{body.diameter_mm} {body.height_mm}".encode())
    for part in body.mesh or ():
        found.update(np.ascontiguousarray(part).tobytes())
    found.update(f"{table.size_mm} {table.floor_mm} {table.floor_material} {sorted(table.materials.items())}".encode())
    for piece in table.pieces:
        found.update(f"{piece.material} {piece.classes.get(ON_HEXES, '')} {len(piece.solid.faces)}".encode())
        found.update(np.ascontiguousarray(piece.vertices()).tobytes())
        found.update(np.ascontiguousarray(piece.solid.faces, dtype=np.int64).tobytes())
    return found.hexdigest()


# --- measures of one hex ----------------------------------------------------------------------------------------------


def _measured(samples: Samples, at: Hex, tags: Sequence[str]) -> Iterator[Spot]:
    """Each level of a hex, from the top, not yet asked how the base stands there; none where there is no ground.

    What lies on a hexside is the neighbour's as well: a wall that ends there, or the seam between two tiles.
    """
    middle = np.array(samples.middle(at))
    columns, rows = (INNER + middle - np.array(samples.low)).T
    heights, owners = samples.heights[columns, rows], samples.owners[columns, rows]
    covered = ~np.isnan(heights[:, 0])
    if not covered.any():
        return
    near = _anchor(heights[:, 0], covered)
    ceilings = samples.ceilings[columns[near], rows[near]]
    xy = INNER @ np.array([samples.layout.vector(0), samples.layout.vector(5)]) / DIVISIONS
    for level in range(int((~np.isnan(heights[near])).sum())):
        height, ceiling = float(heights[near, level]), float(ceilings[level])
        layer = np.nanargmin(np.rint(np.abs(heights[covered] - height) / EVEN_MM), axis=1)
        pick = (np.arange(len(layer)), layer)
        z, mine = heights[covered][pick], owners[covered][pick]
        slope, rough = _plane(xy[covered], z)
        tag, share = _tagged(mine, tags)
        yield Spot(
            answer="",
            height_mm=_said(height),
            median_mm=_said(float(np.median(z))),
            range_mm=_said(float(np.ptp(z))),
            slope_deg=_said(slope),
            rough_mm=_said(rough),
            cover=_said(float(covered.mean())),
            cut_mm=None if math.isinf(ceiling) else _said((height + ceiling) / 2),
            tag=tag,
            tag_share=_said(share * float(covered.mean())),
        )


def _anchor(tops: Floats, covered: Ints) -> int:
    """The covered point nearest to the middle; of several as near, the highest."""
    far = (INNER[:, 0] ** 2 + INNER[:, 0] * INNER[:, 1] + INNER[:, 1] ** 2)[covered]
    numbers = np.flatnonzero(covered)[far == far.min()]
    return int(numbers[np.argmax(tops[numbers])])


def _plane(xy: Floats, z: Floats) -> tuple[float, float]:
    """The slope of the plane that fits best, degrees, and the RMS height off it, mm."""
    rows = np.column_stack([xy, np.ones(len(z))])
    fit, _, rank, _ = np.linalg.lstsq(rows, z, rcond=None)
    if rank < rows.shape[1]:  # too few points, or all in a line
        return 0.0, float(z.std())
    off = z - rows @ fit
    return math.degrees(math.atan(math.hypot(fit[0], fit[1]))), float(np.sqrt((off**2).mean()))


def _tagged(owners: Ints, tags: Sequence[str]) -> tuple[str, float]:
    """The author's word that covers most of a hex, and its share of what is covered."""
    shares: dict[str, float] = {}
    for number in np.unique(owners[owners != FLOOR]).tolist():
        if tags[number]:
            shares[tags[number]] = shares.get(tags[number], 0.0) + float((owners == number).mean())
    return max(shares.items(), key=lambda item: (item[1], item[0]), default=("", 0.0))


# --- how the base stands ----------------------------------------------------------------------------------------------


def _reach(mini: Mini, layout: Layout, way: int) -> float:
    """How far a base set down in its hex reaches towards a hexside, mm."""
    a = math.radians(TURN_DEG * way)
    return mini.base.outline.support(math.cos(a), math.sin(a))


@dataclass(frozen=True, slots=True)
class Footing:
    """Asks `stand` for one mini on one table, and no more than it has to."""

    table: Table
    ground: Ground
    layout: Layout
    mini: Mini
    material: str
    physics: Physics
    engine: str | None
    flat: list[str] = field(default_factory=list)  # its answer on the bare floor, once asked

    def answer(self, at: Hex, spot: Spot) -> str:
        """`stand`'s word for a level of a hex, in the best facing that differs for this base."""
        if spot.height_mm is None:
            return spot.answer
        cut_mm = spot.cut_mm
        x, y = self.layout.centre(at)
        outline, body = self.mini.base.outline, self.mini.body
        reach = max(outline.reach_mm(), body.diameter_mm / 2)
        near = self.ground.near(x, y, reach + CLEAR_MM)
        if not len(near) and self.table.floor_mm is not None and self._inside(x, y, reach):
            if not self.flat:
                self.flat.append(self._asked(replace(self.table, size_mm=None), (x, y), 0.0, cut_mm, near))
            return self.flat[0]
        answers = []
        for turn in self._facings():
            answers.append(self._asked(self.table, (x, y), turn, cut_mm, near))
            if answers[-1] == BEST[-1]:
                break
        return max(answers, key=BEST.index)

    def _inside(self, x: float, y: float, reach: float) -> bool:
        """Whether the base is clear of the table's edge, however it is turned."""
        size = self.table.size_mm
        return size is None or (abs(x) + reach < size[0] / 2 - CLEAR_MM and abs(y) + reach < size[1] / 2 - CLEAR_MM)

    def _facings(self) -> tuple[float, ...]:
        """The turns to ask at: all six facings, or one, the least turned, where they are all one for this base."""
        mini, outline = self.mini, self.mini.base.outline
        directions = [math.radians(a) for a in range(0, 360, 5)]
        turn = math.radians(TURN_DEG)
        same = all(
            abs(outline.support(math.cos(a), math.sin(a)) - outline.support(math.cos(a + turn), math.sin(a + turn)))
            < FIT_MM
            for a in directions
        )
        central = mini.com[0] == mini.com[1] == 0.0 and mini.body.mesh is None
        if same and central:
            return (self.layout.turn_deg % TURN_DEG,)
        return tuple(self.layout.turn_deg + TURN_DEG * way for way in range(SIDES))

    def _asked(self, table: Table, at: tuple[float, float], turn: float, cut_mm: float | None, near: Ints) -> str:
        """One question. The least friction around comes first: what stands on that stands on more."""
        numbers = np.unique(self.ground.pieces[near]).tolist()
        surfaces = [table.floor_material, *(table.pieces[n].material for n in numbers)]
        frictions = [table.friction(self.material, surface) for surface in surfaces]
        how = {"at": at, "turn": turn, "level": cut_mm, "physics": self.physics, "engine": self.engine}
        told = stand(table, self.mini, friction=min(frictions), **how)  # type: ignore[arg-type]
        needs = told.friction_needed or 0.0
        if needs > SURE * min(frictions) and max(frictions) > min(frictions):
            told = stand(table, self.mini, material=self.material, **how)  # type: ignore[arg-type]
        return told.answer


# --- the board --------------------------------------------------------------------------------------------------------


def board_of(
    baked: HexField,
    ruleset: Ruleset,
    units: Sequence[Unit] = (),
    *,
    named: Mapping[Hex, Sequence[str]] | None = None,
    walls: Mapping[tuple[Hex, Hex], Wall] | None = None,
    first: str = "",
    phase: str = "activations",
) -> Board:
    """The board of a field: keywords by the ruleset's thresholds, or by the author's word for a piece, or for a hex.

    Walls that the author gives are in the place of what was measured.
    """
    cells = {
        at: Cell(
            () if named and at in named else keywords_of(spot, baked.base_mm, ruleset), spot.standable, spot.height_mm
        )
        for at, spot in baked.spots.items()
    }
    between = {**baked.walls, **(walls or {})}
    return board_with(cells, ruleset, units, named=named, walls=between, first=first, phase=phase)


def board_with(
    cells: Mapping[Hex, Cell],
    ruleset: Ruleset,
    units: Sequence[Unit] = (),
    *,
    named: Mapping[Hex, Sequence[str]] | None = None,
    walls: Mapping[tuple[Hex, Hex], Wall] | None = None,
    first: str = "",
    phase: str = "activations",
) -> Board:
    """The board of cells, with the author's word for some of them; any other that walls shut in is impassable."""
    given = named or {}
    faults = [
        hex_board_unsound.hit(pointer="/cell", reason=f"a cell is told of {at}, and that is not on the board")
        for at in given
        if at not in cells
    ]
    try:
        bare = Board(cells, walls or {})
    except Refused as refused:
        raise Refused(*faults, *refused.report) from None
    if faults:
        raise Refused(*faults)
    told = {}
    for at, cell in cells.items():
        if at in given:
            told[at] = replace(cell, keywords=tuple(given[at]))
        else:
            told[at] = replace(cell, keywords=(*cell.keywords, *_shut_in(bare, at, ruleset)))
    return Board(told, bare.walls, tuple(units), first=first, phase=phase)


def keywords_of(spot: Spot, base_mm: float, ruleset: Ruleset) -> tuple[str, ...]:
    """What a hex's terrain is to the rules, going by the author's word for most of it, else by what was measured."""
    numbers = ruleset.numbers
    if spot.height_mm is None:
        return ("impassable",)
    if spot.tag and spot.tag_share >= numbers.tagged_share:
        if spot.tag not in ruleset.terrain:
            known = ", ".join(ruleset.terrain)
            raise Refused(hex_board_unsound.hit(reason=f"{spot.tag!r} is no terrain; there are: {known}"))
        return ruleset.terrain[spot.tag]
    sloping = numbers.difficult_from_deg - EVEN_DEG <= spot.slope_deg <= numbers.difficult_to_deg + EVEN_DEG
    rough = numbers.rough_from_mm - EVEN_MM <= spot.rough_mm <= numbers.rough_to_mm + EVEN_MM
    high = spot.height_mm - base_mm >= numbers.level_mm - EVEN_MM
    return (("difficult",) if sloping or rough else ()) + (HILL if high else ())


def _shut_in(bare: Board, at: Hex, ruleset: Ruleset) -> tuple[str, ...]:
    """What a place is besides where walls close every hexside of it."""
    beside = [there for way in range(SIDES) for there in bare.next_to(at, way)]
    shut = bool(beside) and all(
        closed(bare, at, there, ruleset) is not None and closed(bare, there, at, ruleset) is not None
        for there in beside
    )
    return ("impassable",) if shut and ruleset.options.shut_in == "impassable" else ()
