"""Where can it go? `furthest` along a bent tool; `reach`: each place of a grid with a move that ends there, or why not.

Every answer is `judge`'s own: a place counts when a move that ends exactly on it is legal. Standing is asked for many
places at once, so that a map of answers can take the place of statics.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sim3d.finding import Finding
from sim3d.rules.legion.battle import Battle
from sim3d.rules.legion.judge import judged, rules_of
from sim3d.rules.legion.making import Made, make, speed_of, stood
from sim3d.rules.legion.move import LAID, Move
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.standing import Standing, exact, nowhere, remembering
from sim3d.rules.legion.tool import SIDE_DEG, from_end_mm, notches_of
from sim3d.rules.legion.unit import Unit
from sim3d.table import Placed

TENTH_MM = 0.1  # how exactly the furthest place is found
COARSE_MM = 1.0  # places tried first; a stretch of legal places shorter than this may be passed over
PITCH_MM = 10.0  # of the grid, when none is given: under half of the smallest base
BEND_STEP_DEG = 5.0  # bends tried to get round something, when none are given
STANDS = ("END_DOES_NOT_STAND", "END_TOO_STEEP", "END_PRECARIOUS", "END_BLOCKED", "STAND_UNDECIDED")


def furthest(battle: Battle, move: Move, ruleset: Ruleset, *, standing: Standing = exact) -> float | None:
    """The greatest travel along a laid tool that is legal, in mm to a tenth; None where none is.

    Where terrain stops the way nothing beyond is tried; before that, places are tried back from the far end.
    """
    whole = make(battle, replace(move, travel_mm=None), ruleset, standing=nowhere)
    if whole.path is None:
        raise ValueError(f"a {move.kind} lays no tool")
    limit = whole.path.full_mm if whole.stop_mm is None else whole.stop_mm
    blocks = [m.travel_mm for m in whole.met if m.way == "block"]
    limit = min([limit, *blocks])

    def legal(travel: float) -> bool:
        way = make(battle, replace(move, travel_mm=travel), ruleset, standing=nowhere)
        return not judged(way) and not judged(stood(way, standing))

    if legal(limit):
        return limit
    steps = math.floor(limit / COARSE_MM)
    above = limit
    for k in range(steps, -1, -1):
        at = k * COARSE_MM
        if legal(at):
            fine = [at + TENTH_MM * i for i in range(1, math.ceil((above - at) / TENTH_MM))]
            for travel in reversed(fine):
                if legal(travel):
                    return travel
            return at
        above = at
    return None


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a grid: the move that ends there legally, or what speaks against the best one."""

    x: float
    y: float
    z: float | None
    move: Move | None
    findings: tuple[Finding, ...] = ()

    @property
    def legal(self) -> bool:
        """Whether a move ends here."""
        return self.move is not None


@dataclass(frozen=True, slots=True)
class Reach:
    """What a unit's leader reaches with one move: the places of a grid, each with its move or its reasons."""

    battle: Battle
    ruleset: Ruleset
    unit: str
    kind: str
    bends_deg: tuple[float, ...]
    pitch_mm: float
    places: tuple[Place, ...]
    standing: Standing

    @property
    def region(self) -> tuple[Place, ...]:
        """The places where a move ends legally."""
        return tuple(p for p in self.places if p.legal)

    def levels(self, step_mm: float) -> tuple[tuple[Place, ...], ...]:
        """The region in parts that hang together: neighbours on the grid no more than a step apart in height."""
        left = {(round(p.x / self.pitch_mm), round(p.y / self.pitch_mm)): p for p in self.region}
        parts = []
        while left:
            key = next(iter(left))
            part, todo = [], [(key, left.pop(key))]
            while todo:
                (i, j), place = todo.pop()
                part.append(place)
                for near in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                    other = left.get(near)
                    if other is not None and abs((other.z or 0.0) - (place.z or 0.0)) <= step_mm:
                        todo.append((near, left.pop(near)))
            parts.append(tuple(part))
        return tuple(sorted(parts, key=len, reverse=True))

    def at(self, x: float, y: float) -> Place:
        """The answer for any place, on the grid or not."""
        return _answer(self.battle, self.ruleset, self.unit, self.kind, self.bends_deg, (x, y), self.standing)

    def why(self, x: float, y: float) -> tuple[str, ...]:
        """The rules that keep the leader from a place; empty where a move ends there."""
        place = self.at(x, y)
        return () if place.legal else rules_of(place.findings) or ("MV04",)


def reach(
    battle: Battle,
    unit: str,
    ruleset: Ruleset,
    *,
    kind: str = "standard",
    pitch_mm: float = PITCH_MM,
    bends_deg: Sequence[float] | None = None,
    standing: Standing = exact,
) -> Reach:
    """Every place on a grid (multiples of the pitch) that one move of a unit could end on."""
    if kind not in LAID:
        raise ValueError(f"a tool is laid for {', '.join(LAID)}, not for a {kind}")
    mover = battle.unit(unit)
    leader = battle.leader(mover)
    n = ruleset.numbers
    bends = (
        tuple(bends_deg)
        if bends_deg is not None
        else tuple(
            sign * k * BEND_STEP_DEG for k in range(1, int(n.bend_deg / BEND_STEP_DEG) + 1) for sign in (1.0, -1.0)
        )
    )
    far = _farthest(mover, leader, kind, ruleset)
    low_x, high_x = (math.ceil((leader.at[0] - far) / pitch_mm), math.floor((leader.at[0] + far) / pitch_mm))
    low_y, high_y = (math.ceil((leader.at[1] - far) / pitch_mm), math.floor((leader.at[1] + far) / pitch_mm))
    places = []
    for j in range(low_y, high_y + 1):
        for i in range(low_x, high_x + 1):
            at = (i * pitch_mm, j * pitch_mm)
            if math.dist(at, leader.at) <= far:
                places.append(_answer(battle, ruleset, unit, kind, bends, at, standing))
    return Reach(battle, ruleset, unit, kind, bends, pitch_mm, tuple(places), standing)


def _farthest(unit: Unit, leader: Placed, kind: str, ruleset: Ruleset) -> float:
    speed = speed_of(unit, Move(unit.name, kind), ruleset, slow=False)
    return 0.0 if speed == 0 else sum(_legs(leader, kind, ruleset.tool_mm(speed), ruleset))


def _legs(leader: Placed, kind: str, length: float, ruleset: Ruleset) -> tuple[float, float]:
    side = SIDE_DEG[kind]
    base = leader.mini.base
    return from_end_mm(base, side, ruleset) + length / 2, length / 2 + from_end_mm(base, side + 180, ruleset)


def _answer(
    battle: Battle,
    ruleset: Ruleset,
    unit: str,
    kind: str,
    bends: Sequence[float],
    at: tuple[float, float],
    standing: Standing,
) -> Place:
    """The first legal move to a place, the straightest first; without one, the reasons of the one with the fewest."""
    best: tuple[Finding, ...] | None = None
    remembered = remembering(standing)
    for move in moves_to(battle, ruleset, unit, kind, bends, at):
        way = make(battle, move, ruleset, standing=nowhere)
        findings = tuple(f for f in judged(way) if f.code not in STANDS)
        if not findings:
            made = stood(way, remembered)
            findings = judged(made)
            if not findings:
                return Place(*at, _height(made), move)
            if all(f.code in STANDS for f in findings) and not notches_of(made.leader.mini.base):
                return Place(*at, None, None, findings)  # however it gets there, it would not stand
        if best is None or len(findings) < len(best):
            best = findings
    return Place(*at, None, None, best or ())


def _height(made: Made) -> float | None:
    pose = made.stands[0].pose if made.stands else None
    return pose.place[2] if pose is not None else made.feet if made.track is None else float(made.track.heights[-1])


def moves_to(
    battle: Battle, ruleset: Ruleset, unit: str, kind: str, bends: Sequence[float], at: tuple[float, float]
) -> Iterator[Move]:
    """Moves that end exactly on a place: straight ones first, then bent ones, slower tools before faster ones."""
    mover = battle.unit(unit)
    leader = battle.leader(mover)
    dx, dy = at[0] - leader.at[0], at[1] - leader.at[1]
    far, aim = math.hypot(dx, dy), math.degrees(math.atan2(dy, dx))
    top = speed_of(mover, Move(unit, kind), ruleset, slow=False)
    speeds = range(ruleset.numbers.slowest, top + 1)
    legs = {s: _legs(leader, kind, ruleset.tool_mm(s), ruleset) for s in speeds}
    ahead = leader.turn + SIDE_DEG[kind]
    if notches_of(leader.mini.base):
        a = math.radians(ahead)
        on = dx * math.cos(a) + dy * math.sin(a)
        beside = dy * math.cos(a) - dx * math.sin(a)
        for s in speeds:
            first, second = legs[s]
            if abs(beside) < ruleset.numbers.flush_mm and 0 <= on <= first:
                yield Move(unit, kind, tool=s, travel_mm=on)
            rest, bend = math.hypot(on - first, beside), math.degrees(math.atan2(beside, on - first))
            if 0 < rest <= second and abs(bend) <= ruleset.numbers.bend_deg:
                yield Move(unit, kind, tool=s, bend_deg=bend, travel_mm=first + rest)
        return
    for s in speeds:
        if far <= sum(legs[s]):
            yield Move(unit, kind, tool=s, start_deg=aim, travel_mm=far)
    for s in speeds:
        first, second = legs[s]
        for bend in bends:
            b = math.radians(bend)
            under = far * far - (first * math.sin(b)) ** 2
            rest = -first * math.cos(b) + math.sqrt(under) if under >= 0 else -1.0
            if 0 < rest <= second:
                start = aim - math.degrees(math.atan2(rest * math.sin(b), first + rest * math.cos(b)))
                yield Move(unit, kind, tool=s, start_deg=start, bend_deg=bend, travel_mm=first + rest)


__all__ = ["Place", "Reach", "furthest", "moves_to", "reach"]
