"""A board of hexes from above, on its terrain: heights, keywords, walls, zones, units, and how far one comes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from sim3d.rules.hexes import Board, Hex, Layout, Reach, Ruleset, Unit, reachable, zone
from sim3d.rules.hexes.board import Cell, closed
from sim3d.rules.hexes.grid import SIDES, TURN_DEG
from sim3d.space import Floats
from sim3d.table import Table
from sim3d.view.camera import Camera
from sim3d.view.draw import circle, disc, legend, line, polygon, text
from sim3d.view.picture import BAD, FELT, GOOD, PAPER, WARN, Colour, Image, Shape, bounds_of, render
from sim3d.view.png import png_bytes
from sim3d.view.tableau import shapes_of

WATER: Colour = (0.25, 0.45, 0.72)  # ground that costs two points
HEIGHTS: Colour = (0.96, 0.90, 0.70)  # elevated ground, lit
DARK: Colour = (0.16, 0.17, 0.20)  # impassable
ZONE: Colour = (0.55, 0.22, 0.55)
TEAMS: tuple[Colour, ...] = ((0.75, 0.20, 0.18), (0.16, 0.35, 0.70))  # the first side, the other
GRID_SHARE = 0.985  # hexes are drawn a hair smaller, so that walls between them have room
LETTERS = {"difficult": "D", "elevated": "E", "cover": "C", "obstructing": "O", "impassable": "I", "destructible": "X"}


class _Sheet:
    """A picture under way: where the board's points are on it."""

    def __init__(self, table: Table, layout: Layout, board: Board, width: int, height: int) -> None:
        corners = np.vstack([layout.corners(at) for at in board.hexes])
        if table.size_mm is None:  # ground as far as the hexes go
            x, y = (2 * np.abs(corners).max(axis=0) + layout.size_mm).tolist()
            table = replace(table, size_mm=(x, y))
        shapes = shapes_of(table)
        flat = np.column_stack([corners, np.zeros(len(corners))])
        whole = [*shapes, Shape(flat, np.zeros((0, 3), dtype=np.int64), colour=FELT)]
        self.layout = layout
        self.camera = Camera.plan(bounds_of(whole), inset=(10, 10, 210, 10))
        self.width, self.height = width, height
        self.image: Image = render(whole, self.camera, width=width, height=height)
        self.unit_px = layout.size_mm / self.camera.mm_per_pixel(width=width, height=height)

    def pixels(self, points: Floats) -> Floats:
        """Points (n, 2) mm on the picture."""
        flat = np.column_stack([points, np.zeros(len(points))])
        return self.camera.project(flat, width=self.width, height=self.height)

    def outline(self, at: Hex, share: float = GRID_SHARE) -> Floats:
        """The corners of a hex, drawn smaller by a share."""
        middle = np.array(self.layout.centre(at))
        return self.pixels(middle + share * (self.layout.corners(at) - middle))

    def spot(self, at: Hex, right: float = 0.0, up: float = 0.0) -> Floats:
        """The middle of a hex, moved by shares of its size."""
        place: Floats = self.pixels(np.array([self.layout.centre(at)]))[0]
        return place + self.unit_px * np.array([right, -up])


def picture_of_board(
    table: Table, layout: Layout, board: Board, ruleset: Ruleset, *, width: int, height: int, reach_of: str = ""
) -> bytes:
    """A PNG of a board over its terrain; `reach_of` names the unit whose reach is shown."""
    sheet = _Sheet(table, layout, board, width, height)
    tops = {at: cell for at, cell in board.hexes.items() if at.level == 0}
    for at, cell in tops.items():
        _ground(sheet, board, at, cell)
    for at in tops:
        _walls(sheet, board, at, ruleset)
    for unit in board.units:
        _zone(sheet, board, unit, ruleset)
    for unit in board.units:
        first = board.first or board.units[0].side
        _unit(sheet, unit, TEAMS[unit.side != first])
    if reach_of:
        _reach(sheet, reachable(board, reach_of, ruleset))
    _legend(sheet, bool(reach_of))
    return png_bytes(sheet.image)


def _ground(sheet: _Sheet, board: Board, at: Hex, cell: Cell) -> None:
    """A hex: washed by what it is, with its outline, the heights of its levels, and letters."""
    ring = sheet.outline(at)
    for keyword, colour, alpha in (("elevated", HEIGHTS, 0.35), ("difficult", WATER, 0.22), ("impassable", DARK, 0.60)):
        if cell.is_(keyword):
            polygon(sheet.image, ring, colour=colour, alpha=alpha)
    line(sheet.image, [*ring, ring[0]], colour=PAPER, width=1.6, alpha=0.85)
    if not cell.standable:
        for a, b in ((-0.3, 0.3), (0.3, -0.3)):
            line(sheet.image, [sheet.spot(at, a, -0.3), sheet.spot(at, b, 0.3)], colour=BAD, width=2.5, alpha=0.6)
    size = max(8.0, sheet.unit_px * 0.24)
    heights = [board.hexes[level].height_mm for level in board.levels[at.q, at.r]]
    said = " / ".join("none" if high is None else f"{high:.0f}" for high in heights)
    text(sheet.image, sheet.spot(at, 0.0, -0.72), said, size=size, align="centre", halo=PAPER)
    letters = "".join(letter for keyword, letter in LETTERS.items() if cell.is_(keyword))
    text(sheet.image, sheet.spot(at, 0.0, 0.58), letters, size=size, align="centre", bold=True, halo=PAPER)


def _walls(sheet: _Sheet, board: Board, at: Hex, ruleset: Ruleset) -> None:
    """A thick line on each hexside of a top level that is closed from here."""
    corners = sheet.pixels(sheet.layout.corners(at))
    for way in range(SIDES):
        beside = [there for there in board.next_to(at, way) if there.level == 0]
        if beside and closed(board, at, beside[0], ruleset) is not None:
            side = [corners[way - 1], corners[way]]  # the corners either side of direction `way`
            line(sheet.image, side, colour=DARK, width=max(2.5, sheet.unit_px * 0.09))


def _zone(sheet: _Sheet, board: Board, unit: Unit, ruleset: Ruleset) -> None:
    """The hexes in which a unit engages, ringed."""
    for at in zone(board, unit, ruleset):
        ring = sheet.outline(at, 0.86)
        line(sheet.image, [*ring, ring[0]], colour=ZONE, width=max(2.0, sheet.unit_px * 0.05), alpha=0.8)


def _unit(sheet: _Sheet, unit: Unit, colour: Colour) -> None:
    """A disc with a nose towards the hexside it faces, and its name."""
    middle = sheet.spot(unit.at)
    a = math.radians(TURN_DEG * unit.facing + sheet.layout.turn_deg)
    ahead = np.array([math.cos(a), -math.sin(a)])
    aside = np.array([ahead[1], -ahead[0]])
    far, wide = 0.62 * sheet.unit_px, 0.24 * sheet.unit_px
    polygon(sheet.image, [middle + far * ahead, middle + wide * aside, middle - wide * aside], colour=colour)
    disc(sheet.image, middle, 0.36 * sheet.unit_px, colour=colour)
    circle(sheet.image, middle, 0.36 * sheet.unit_px, colour=PAPER, width=1.5)
    text(
        sheet.image,
        middle + np.array([0.0, 5.0]),
        unit.name,
        size=max(9.0, sheet.unit_px * 0.24),
        align="centre",
        colour=PAPER,
    )


def _reach(sheet: _Sheet, found: tuple[Reach, ...]) -> None:
    """A ring in every hex that is reached, with its points: green with melee left, amber without."""
    by_hex: dict[Hex, list[Reach]] = {}
    for reach in found:
        by_hex.setdefault(reach.hex._replace(level=0), []).append(reach)
    for at, ways in by_hex.items():
        for ring, melee in enumerate(dict.fromkeys(r.melee for r in ways)):
            best = min(r.spent for r in ways if r.melee is melee)
            colour = GOOD if melee else WARN
            radius = (0.47 + 0.09 * ring) * sheet.unit_px
            circle(sheet.image, sheet.spot(at), radius, colour=colour, width=max(3.0, sheet.unit_px * 0.08))
            place = sheet.spot(at, 0.62 * (1 if ring else -1), -0.08)
            text(
                sheet.image,
                place,
                str(best),
                size=max(9.0, sheet.unit_px * 0.28),
                align="centre",
                bold=True,
                halo=PAPER,
            )


def _legend(sheet: _Sheet, reach: bool) -> None:
    entries = [
        (HEIGHTS, "elevated (E, O)"),
        (WATER, "difficult (D)"),
        (DARK, "impassable, walls"),
        (BAD, "no base stands"),
        (ZONE, "zones"),
        *([(GOOD, "in reach"), (WARN, "without melee")] if reach else []),
    ]
    legend(sheet.image, (sheet.width - 200, 16), entries, title="numbers: mm, points")
