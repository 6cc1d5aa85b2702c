"""Squads planted on the sample board, with minis, walls and edges put around them afterwards, for `cohere` to find."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from sim3d.mini import Mini
from sim3d.rules.legion import RRG2, Battle, Unit
from sim3d.rules.legion.cohesion import kept
from sim3d.rules.legion.offers import set_down
from sim3d.rules.legion.site import Placing, Site, free, site_of, stands
from sim3d.rules.legion.standing import exact
from sim3d.scenario import read_scenario
from sim3d.space import Pose
from sim3d.stand import stand
from sim3d.table import Piece, Placed, Table
from tests.legion import ROOT, mesh, piece

SQUAD = Mini("27", height=40, com=15)
FOLLOWERS = 5
WALLED_MM = 0.3  # nearest that a wall comes to a base
NAMES = ("Oda", "Fenn", "Pell", "Orla", "Tarn", "Ibb")


@dataclass(frozen=True)
class Planted:
    """A battle in which a squad of six has a legal arrangement; its followers lie where nobody looks."""

    battle: Battle
    unit: Unit
    arrangement: tuple[Placed, ...]


@cache
def board() -> Table:
    return read_scenario(ROOT / "scenarios" / "board.toml").table


@cache
def small_board() -> Table:
    """A foot of the board's size with a house, rubble and a ramp: cheap to build again with walls on it."""
    things = (piece("crate", 60, 40, scale=1.5), piece("tile", -70, 60), piece("ramp-20", -60, -80),
              piece("stairs", 90, -90), piece("pillar", 20, -30))  # fmt: skip
    return Table(pieces=things, size_mm=(320.0, 320.0))


def site(battle: Battle, unit: Unit) -> Site:
    return site_of(battle, unit, RRG2, Placing())


def legal(at: Site, places: tuple[Placed, ...]) -> bool:
    """Whether an arrangement holds, mini by mini."""
    bare = replace(at.battle.table, minis=())
    return all(
        free(at, p, places) and kept(at, p).whole(RRG2) and exact(bare, [p])[0].answer == "stable" for p in places
    )


def planted(number: int, table: Table | None = None) -> Planted | None:
    """Case of a number; None where no arrangement could be planted about its leader."""
    dice = np.random.default_rng([6, number])
    table = board() if table is None else table
    assert table.size_mm is not None
    half = table.size_mm[0] / 2 - 14
    at = (float(dice.uniform(-half, half)), float(dice.uniform(-half, half)))
    if stand(table, SQUAD, at=at, physics="never").answer != "stable":
        return None
    unit = Unit("Wardens", "red", "trooper", 2, NAMES[0], NAMES)
    spread = [Placed(name, SQUAD, at) for name in NAMES]
    first = site(Battle(replace(table, minis=tuple(spread)), (unit,)), unit)
    places = _arranged(first, dice)
    if places is None:
        return None
    others = _crowd(table, at, places, dice)
    watch = Unit("Watch", "blue", "trooper", 2, others[0].name, tuple(o.name for o in others)) if others else None
    units = (unit, watch) if watch else (unit,)
    walls = _walls(at, places, dice)
    for pieces in ((*table.pieces, *walls), table.pieces):
        battle = Battle(replace(table, pieces=pieces, minis=(*spread, *others)), units)
        if legal(site(battle, unit), places):
            return Planted(battle, unit, places)
    return None


def _arranged(at: Site, dice: np.random.Generator) -> tuple[Placed, ...] | None:
    places: tuple[Placed, ...] = ()
    for _ in range(120):
        far, angle = 27 + 74.9 * math.sqrt(float(dice.uniform())), float(dice.uniform(0, 2 * math.pi))
        spot = (at.leader.at[0] + far * math.cos(angle), at.leader.at[1] + far * math.sin(angle))
        place = set_down(at, Placed(NAMES[1 + len(places)], SQUAD, spot), spot)
        if free(at, place, places) and kept(at, place).whole(RRG2) and stands(at, place, exact):
            places = (*places, place)
        if len(places) == FOLLOWERS:
            return places
    return None


def _crowd(
    table: Table, leader: tuple[float, float], places: tuple[Placed, ...], dice: np.random.Generator
) -> list[Placed]:
    """Enemies wherever they fit, 0.1 mm from the squad or more: up to thirty, so that little room is left."""
    assert table.size_mm is not None
    taken = [leader, *(p.at for p in places)]
    out: list[Placed] = []
    for _ in range(int(dice.integers(0, 300))):
        spot = tuple(float(v) for v in np.array(leader) + dice.uniform(-110, 110, 2))
        clear = all(math.dist(spot, t) >= 27.1 for t in taken) and all(math.dist(spot, o.at) >= 27 for o in out)
        if clear and max(abs(v) for v in spot) < table.size_mm[0] / 2 - 14 and len(out) < 30:
            out.append(Placed(f"Watch-{len(out)}", SQUAD, (spot[0], spot[1])))
    return out


def _walls(leader: tuple[float, float], places: tuple[Placed, ...], dice: np.random.Generator) -> list[Piece]:
    """Walls beside the squad, some a fraction of a millimetre from a base."""
    solid = mesh("wall")
    (x0, y0, _), (x1, y1, _) = solid.bounds
    out = []
    for k in range(int(dice.integers(0, 4))):
        turn = float(dice.uniform(0, 180))
        beside = places[int(dice.integers(len(places)))].at
        a = math.radians(turn + 90)
        off = 13.5 + (y1 - y0) / 2 + WALLED_MM + float(dice.exponential(3.0))
        slide = float(dice.uniform(-40, 40))
        at = (beside[0] + off * math.cos(a) + slide * math.sin(a), beside[1] + off * math.sin(a) - slide * math.cos(a))
        if all(_from_wall(p, at, turn, (x1 - x0) / 2, (y1 - y0) / 2) > 13.5 for p in (leader, *(q.at for q in places))):
            out.append(Piece(f"planted-{k}", solid, Pose.at(*at, turn=turn)))
    return out


def _from_wall(point: tuple[float, float], at: tuple[float, float], turn: float, long: float, wide: float) -> float:
    a = math.radians(turn)
    dx, dy = point[0] - at[0], point[1] - at[1]
    u, v = dx * math.cos(a) + dy * math.sin(a), dy * math.cos(a) - dx * math.sin(a)
    return math.hypot(max(abs(u) - long, 0.0), max(abs(v) - wide, 0.0))
