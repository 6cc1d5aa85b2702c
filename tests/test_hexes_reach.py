"""`reachable` against the slow way on random boards; `judge` on random paths; turns and mirrors permute answers."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from sim3d.rules.hexes import SEED, Board, Hex, Move, Reach, Ruleset, distance, play, reachable, scripted
from sim3d.rules.hexes.grid import mirrored, turned
from tests.hexes import SE, board, foe, friend, mara
from tests.hexes_slow import Ended, every_outcome, judge_path, not_bettered, paths, random_board

USUAL = 200  # boards of the normal run; the slow run takes all of them
ALL = 10_000


def quick(board: Board, ruleset: Ruleset, *, scouting: bool = False) -> set[Ended]:
    return {
        Ended(r.hex, r.spent, r.stopped, r.passed, r.melee)
        for r in reachable(board, "Mara", ruleset, scouting=scouting)
    }


def agrees(seed: int) -> Counter[str]:
    """Both searches on one board, on foot and scouting; and `judge` on a few of its paths. What was seen on it."""
    board, ruleset = random_board(seed)
    unit = board.unit("Mara")
    slow = not_bettered(every_outcome(board, "Mara", ruleset.options))
    assert quick(board, ruleset) == slow, seed
    if unit.has("scout deploy"):
        scout = every_outcome(board, "Mara", ruleset.options, scout=True)
        assert quick(board, ruleset, scouting=True) == not_bettered(scout), seed
    dice = random.Random(-seed - 1)
    every = [p for p in paths(board, unit.at, min(3, max(1, unit.points))) if p]
    for path in dice.sample(every, min(4, len(every))):
        ended = judge_path(board, unit, path, ruleset.options, scout=False)
        outcome = play(Move("Mara", path=path), board, ruleset, roll=scripted([3] * 9))
        made = outcome.made
        got = Ended(made.end, made.spent, bool(made.stopped_by), made.passed, made.melee) if outcome.legal else None
        assert got == ended, (seed, path, [str(f) for f in outcome.findings])
    hexes = Counter(e.hex for e in slow)
    return Counter(
        boards=1,
        outcomes=len(slow),
        zones=any(e.stopped for e in slow),
        passed=any(e.passed for e in slow),
        lost=any(not e.melee for e in slow),
        several=any(count > 1 for count in hexes.values()),
        stuck=len(slow) == 1,
    )


def test_random_boards_agree_with_the_slow_way() -> None:
    seen = sum((agrees(seed) for seed in range(USUAL)), Counter())
    assert seen["boards"] == USUAL
    # every kind of answer is there often enough to count
    assert min(seen["zones"], seen["passed"], seen["lost"], seen["several"], seen["stuck"]) > USUAL / 100, seen


@pytest.mark.slow
def test_ten_thousand_random_boards_agree_with_the_slow_way() -> None:
    seen = sum((agrees(seed) for seed in range(USUAL, ALL)), Counter())
    assert seen["boards"] == ALL - USUAL
    print(dict(seen))


def test_no_two_outcomes_better_each_other_and_each_way_leads_there() -> None:
    for seed in range(100):
        on, ruleset = random_board(seed)
        found = reachable(on, "Mara", ruleset)
        assert not any(a.betters(b) for a in found for b in found)
        for reach in found:
            move = Move("Mara", path=reach.path) if not reach.flown else Move("Mara", to=reach.hex)
            outcome = play(move, on, ruleset, roll=scripted([3] * 9))
            assert (outcome.legal, outcome.end, outcome.made.spent) == (True, reach.hex, reach.spent)


def moved(on: Board, turns: int, mirror: bool) -> Board:
    """The whole board turned by 60 degrees so often, then mirrored."""

    def place(at: Hex) -> Hex:
        at = turned(at, turns)
        return mirrored(at) if mirror else at

    def facing(way: int) -> int:
        way = way + turns
        return -way % 6 if mirror else way % 6

    return Board(
        {place(h): cell for h, cell in on.hexes.items()},
        {(place(a), place(b)): wall for (a, b), wall in on.walls.items()},
        tuple(replace(u, at=place(u.at), facing=facing(u.facing)) for u in on.units),
        on.first,
        on.phase,
    )


@pytest.mark.parametrize("mirror", [False, True])
def test_turning_and_mirroring_permutes_the_answers(mirror: bool) -> None:
    for seed in range(60):
        on, ruleset = random_board(seed)
        here = quick(on, ruleset)
        for turns in range(6):
            there = quick(moved(on, turns, mirror), ruleset)
            placed = {e._replace(hex=turned(e.hex, turns)) for e in here}
            if mirror:
                placed = {e._replace(hex=mirrored(e.hex)) for e in placed}
            assert there == placed, (seed, turns, mirror)


def at(found: tuple[Reach, ...], q: int, r: int) -> list[tuple[int, bool, bool]]:
    return [(f.spent, f.passed, f.melee) for f in found if f.hex[:2] == (q, r)]


def test_a_hex_reached_soon_without_melee_and_later_with_it() -> None:
    """Two points through (1, -1), a zone, at the cost of melee; three round it with the attack left."""
    on = board(mara("nimble", speed=4), foe("Watch", (1, -2), SE), radius=4)  # its zone: (0, -1), (1, -1), (2, -2)
    assert at(reachable(on, "Mara", SEED), 2, -2) == [(2, True, False), (3, False, True)]
    plain = board(mara(speed=4), foe("Watch", (1, -2), SE), radius=4)
    assert at(reachable(plain, "Mara", SEED), 2, -2) == [(3, False, True)]


def test_nobody_is_reached_on_an_occupied_or_unstandable_hex_and_staying_comes_first() -> None:
    on = board(mara(), friend("Oda", (1, 0), "skirmish"), bad=((0, 1),))
    found = reachable(on, "Mara", SEED)
    assert found[0] == Reach(Hex(0, 0), 0, False, False, True)
    assert at(found, 1, 0) == at(found, 0, 1) == []
    assert len({f.hex for f in found}) == 37 - 2
    assert max(distance(Hex(0, 0), f.hex) for f in found) == 3
