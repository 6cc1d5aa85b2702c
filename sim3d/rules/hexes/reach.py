"""`reachable`: every outcome of a unit's Move Action that no other one betters.

The search goes over (hex, points spent, stopped, zone passed), not over hexes alone: a hex may be reached early at the
cost of the melee attack, and later with it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from sim3d.rules.hexes import traits
from sim3d.rules.hexes.board import Board, Unit
from sim3d.rules.hexes.grid import SIDES, Hex, distance
from sim3d.rules.hexes.move import flight_range
from sim3d.rules.hexes.ruleset import Ruleset
from sim3d.rules.hexes.walk import At, Start, enter, melee_after, start_of


@dataclass(frozen=True, slots=True)
class Reach:
    """One outcome: the hex, what it costs, whether a zone ended it or was passed, whether melee is left."""

    hex: Hex
    spent: int
    stopped: bool
    passed: bool
    melee: bool
    path: tuple[Hex, ...] = ()  # hex by hex; empty for a flight
    flown: bool = False

    @property
    def cost(self) -> tuple[int, bool, bool, bool]:
        """What one would rather have less of."""
        return self.spent, self.stopped, self.passed, not self.melee

    def betters(self, other: Reach) -> bool:
        """At the same hex, in nothing worse and in something better."""
        no_worse = all(a <= b for a, b in zip(self.cost, other.cost, strict=True))
        return self.hex == other.hex and self.cost != other.cost and no_worse


def reachable(board: Board, name: str, ruleset: Ruleset, *, scouting: bool = False) -> tuple[Reach, ...]:
    """Every outcome that no other betters, by hex and cost; to stay is the first. For a scout, where it may end."""
    unit = board.unit(name)
    start = start_of(board, unit, ruleset, scouting=scouting)
    if scouting and not traits.scouts(unit):
        return ()
    found = [*_walks(start), *_flights(start)]
    if scouting:
        found = [r for r in found if traits.scout_may_end(start.zones.get(r.hex, ()))]
    best: dict[tuple[Hex, tuple[int, bool, bool, bool]], Reach] = {}
    for reach in found:
        best.setdefault((reach.hex, reach.cost), reach)
    at_hex: dict[Hex, list[Reach]] = {}
    for reach in best.values():
        at_hex.setdefault(reach.hex, []).append(reach)
    kept = [r for same in at_hex.values() for r in same if not any(o.betters(r) for o in same)]
    return tuple(sorted(kept, key=lambda r: (r.hex != unit.at, r.hex, r.cost)))


def _walks(start: Start) -> list[Reach]:
    """Every way on foot, each state of the search once, the shortest way to it first."""
    board, unit = start.board, start.unit
    first = At(unit.at)
    ways: dict[At, tuple[Hex, ...]] = {first: ()}
    waiting = deque([first])
    numbers = start.ruleset.numbers
    counted = max(numbers.least_hexes, numbers.engaged_hexes)  # beyond these, the number of steps decides nothing
    found = [_reach(start, first, ())]
    while waiting:
        at = waiting.popleft()
        for way in range(SIDES):
            for to in board.next_to(at.hex, way):
                step = enter(start, at, to)
                key = step.at._replace(steps=min(step.at.steps, counted))
                if step.faults or key in ways:
                    continue
                ways[key] = (*ways[at], to)
                waiting.append(key)
                if may_end(start, to):
                    found.append(_reach(start, key, ways[key]))
    return found


def may_end(start: Start, there: Hex) -> bool:
    """Whether a unit may end its move in a hex: ground that is not impassable, nobody there, and its base stands."""
    cell = start.board.hexes.get(there)
    if cell is None or cell.is_("impassable"):
        return False
    return traits.may_stay(start.occupants.get(there)) and cell.standable


def _reach(start: Start, at: At, path: tuple[Hex, ...]) -> Reach:
    melee, _ = melee_after(start, at)
    return Reach(at.hex, at.spent, at.stopped, bool(at.passed), melee, path)


def _flights(start: Start) -> list[Reach]:
    """Every hex that a flight may end on."""
    unit: Unit = start.unit
    if not (traits.flies(unit) and traits.flight_is_free(start.engagers) and start.full) or start.lockers:
        return []
    most = flight_range(unit, start.ruleset)
    found = []
    for to in start.board.hexes:
        far = distance(unit.at, to)
        if to != unit.at and far <= most and may_end(start, to):  # under a deck or up on it is another place
            melee, _ = melee_after(start, At(to, 1, far))
            found.append(Reach(to, far, False, False, melee, (), True))
    return found
