"""Boards of hexes, to be seen: every hex at its height with what it is, zones and walls, units, the way of a move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sim3d.finding import counted
from sim3d.mini import Base, Mini
from sim3d.rules.hexes import Outcome
from sim3d.rules.hexes.asked import Plan
from sim3d.rules.hexes.board import Board, Cell, Unit, closed, zone
from sim3d.rules.hexes.grid import SIDES, TURN_DEG, Hex
from sim3d.rules.hexes.reach import reachable
from sim3d.space import Pose
from sim3d.view.figures import TEAM_PAINT
from sim3d.view.hexboard import DARK, HEIGHTS, WATER
from sim3d.view.movescene import hop
from sim3d.view.picture import BAD, GOOD, WARN, Colour
from sim3d.view.scene import Area, Figure, HexCell, Line, Moment, Motion, Scene, Timed, Told

BASE_SHARE = 0.72  # of a hex's width across flats: the base of a unit on a board that is not baked
OVER_MM = 3.0  # a way is drawn this much over the ground


def hex_scene(scene: Scene, plan: Plan, board: Board) -> Scene:
    """A board over its table."""
    return replace(scene, figures=tuple(_figures(plan, board)), hexes=tuple(_cells(plan, board)))


def hex_moment(first: Scene, plan: Plan, told: Told, outcome: Outcome) -> Moment:
    """What came of a move on the board: the way, and what could have been reached."""
    made = outcome.made
    shown = hex_scene(first, plan, outcome.board)
    if not outcome.legal:  # as it was tried, if that is on the board
        tried = replace(made.unit, at=made.end, facing=made.facing)
        figures = [_figure(plan, made.board, u if u.name != tried.name else tried) for u in made.board.units]
        shown = replace(shown, figures=tuple(figures))
    way = [made.unit.at, *(made.move.path or ([made.end] if made.end != made.unit.at else []))]
    points = tuple(_middle(plan, made.board, at, OVER_MM) for at in way)
    colour = GOOD if outcome.legal else BAD
    lines = (Line(points, colour, "way", " to ".join(map(str, way))),) if len(way) > 1 else ()
    shown = replace(shown, lines=lines, areas=tuple(_reach(plan, made.board, made.unit)), focus=made.unit.name)
    return Moment(told, shown, tuple(_motion(plan, made.board, shown, made.unit, way)))


def _figures(plan: Plan, board: Board) -> Iterator[Figure]:
    for unit in board.units:
        yield _figure(plan, board, unit)


def _figure(plan: Plan, board: Board, unit: Unit) -> Figure:
    """A unit in the middle of its hex, upright, facing its hexside."""
    flats = BASE_SHARE * 3**0.5 * plan.layout.size_mm
    base = plan.mini.base if plan.mini is not None else Base.hexagon(round(flats, 1))
    mini = plan.mini or Mini(base, height=max(unit.height_mm, base.thickness_mm + 1))
    first = board.first or board.units[0].side
    paint = TEAM_PAINT[unit.side != first]
    pose = Pose.at(*_middle(plan, board, unit.at), turn=TURN_DEG * unit.facing + plan.layout.turn_deg)
    return Figure(unit.name, mini, pose, side=unit.side, paint=paint)


def _middle(plan: Plan, board: Board, at: Hex, over_mm: float = 0.0) -> tuple[float, float, float]:
    cell = board.hexes.get(at)
    high = (cell.height_mm if cell is not None else None) or 0.0
    return (*plan.layout.centre(at), high + over_mm)


def _cells(plan: Plan, board: Board) -> Iterator[HexCell]:
    """Every hex of every level."""
    zones: dict[Hex, list[str]] = {}
    for unit in board.units:
        for at in zone(board, unit, plan.ruleset):
            zones.setdefault(at, []).append(unit.name)
    for at, cell in board.hexes.items():
        corners = tuple((float(x), float(y)) for x, y in plan.layout.corners(at))
        walls = tuple(_walls(plan, board, at))
        told = (str(at), corners, cell.height_mm, cell.standable, cell.keywords, _colour(cell))
        yield HexCell(*told, tuple(zones.get(at, ())), walls)


def _colour(cell: Cell) -> Colour | None:
    """The wash of a hex by what it is, the strongest last."""
    found = None
    for keyword, colour in (("elevated", HEIGHTS), ("difficult", WATER), ("impassable", DARK)):
        found = colour if cell.is_(keyword) else found
    return found


def _walls(plan: Plan, board: Board, at: Hex) -> Iterator[int]:
    """The sides of a hex by which nobody leaves it on the level."""
    for way in range(SIDES):
        beside = [there for there in board.next_to(at, way) if there.level == at.level]
        if beside and closed(board, at, beside[0], plan.ruleset) is not None:
            yield way


def _reach(plan: Plan, board: Board, unit: Unit) -> Iterator[Area]:
    """Where a normal move of the unit could have ended."""
    best: dict[Hex, tuple[int, bool]] = {}
    for reach in reachable(board, unit.name, plan.ruleset):
        old = best.get(reach.hex)
        if old is None or (reach.spent, not reach.melee) < (old[0], not old[1]):
            best[reach.hex] = (reach.spent, reach.melee)
    for at, (spent, melee) in best.items():
        said = f"{at} for {counted(spent, 'point')}" + ("" if melee else ", without melee")
        x, y, z = _middle(plan, board, at, 0.8)
        ring = 0.8 * (plan.layout.corners(at) - [x, y]) + [x, y]
        kind = "in reach" if melee else "in reach, without melee"
        yield Area((ring,), GOOD if melee else WARN, "reach", said, z, 0.3, kind)


def _motion(plan: Plan, board: Board, shown: Scene, unit: Unit, way: list[Hex]) -> Iterator[Motion]:
    """Hex by hex, each a hop."""
    end = next((f for f in shown.figures if f.name == unit.name), None)
    if end is None or len(way) < 2:
        return
    here = _figure(plan, board, unit).pose
    track: list[Timed] = []
    for i, at in enumerate(way[1:], 1):
        there = end.pose if i == len(way) - 1 else Pose(_middle(plan, board, at), here.spin)
        track += hop(here, there, track[-1].time_s if track else 0.0)[1 if track else 0 :]
        here = there
    yield Motion(unit.name, tuple(track), counted(len(way) - 1, "hex", "hexes"))
