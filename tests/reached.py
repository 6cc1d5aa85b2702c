"""Moves on a plain grid of headings, bends and lengths, to hold `reach` against: made one by one, nothing left out."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice

import numpy as np

from sim3d.ground.fans import SURE
from sim3d.rules.legion import RRG2, Battle, Move, judge, judged, make
from sim3d.rules.legion.ending import leaves
from sim3d.rules.legion.making import Made, stood
from sim3d.rules.legion.reach import Reach
from sim3d.rules.legion.standing import Standing, nowhere, remembering, words

STEP_MM, STEP_DEG = 0.5, 0.5  # of the grid of moves
END_MM = 0.45  # a move of the grid that ends this near to a place counts as ending there


def moves_of_grid(battle: Battle, unit: str, at: tuple[float, float], dice: np.random.Generator) -> Iterator[Move]:
    """Moves of the grid that end at a place, in any order: two equal legs that meet at the hinge, or part of that."""
    x, y = battle.leader(battle.unit(unit)).at
    rows = []
    for speed, leg in ((1, 51.0), (2, 76.0)):
        for k in range(int(360 / STEP_DEG)):
            start = k * STEP_DEG
            a = math.radians(start)
            hx, hy = x + leg * math.cos(a), y + leg * math.sin(a)
            rest = math.hypot(at[0] - hx, at[1] - hy)
            bend = round((math.degrees(math.atan2(at[1] - hy, at[0] - hx)) - start) / STEP_DEG) * STEP_DEG
            bend = (bend + 180.0) % 360.0 - 180.0
            travel = round((leg + rest) / STEP_MM) * STEP_MM
            if rest <= leg and abs(bend) <= 90.0 and travel <= 2 * leg:
                b = math.radians(start + bend)
                end = (hx + (travel - leg) * math.cos(b), hy + (travel - leg) * math.sin(b))
                if math.dist(end, at) <= END_MM:
                    rows.append((speed, start, bend, travel))
            straight = round(math.dist(at, (x, y)) / STEP_MM) * STEP_MM
            if straight <= leg and math.dist((x + straight * math.cos(a), y + straight * math.sin(a)), at) <= END_MM:
                rows.append((speed, start, 0.0, straight))
    for n in dice.permutation(len(rows)):
        speed, start, bend, travel = rows[n]
        yield Move(unit, tool=speed, start_deg=start, bend_deg=bend, travel_mm=travel)


def legal(battle: Battle, move: Move, standing: Standing) -> bool:
    """Whether a move ends on the battlefield and nothing speaks against it; who stands is asked last."""
    way: Made = make(battle, move, RRG2, standing=nowhere)
    return not leaves(way) and not judged(way) and not judged(stood(way, standing))


def outside(seen: Reach, dice: np.random.Generator, count: int, gap_mm: float = 2.0) -> Iterator[tuple[float, float]]:
    """Random places `gap_mm` to half a millimetre more from the nearest place that is reached, not reached themselves.

    Rough ground has places to stand that are narrower than the grid of the region: those are not outside.
    """
    region = seen.points[seen.words == SURE]
    while count:
        a, (x, y) = float(dice.uniform(0, 2 * math.pi)), region[int(dice.integers(len(region)))]
        far = gap_mm + float(dice.uniform(0, 0.5))
        spot = (float(x) + far * math.cos(a), float(y) + far * math.sin(a))
        if float(np.hypot(region[:, 0] - spot[0], region[:, 1] - spot[1]).min()) >= gap_mm and not seen.at(*spot).legal:
            count -= 1
            yield spot


def fault_inside(seen: Reach, number: int) -> str:
    """What is wrong with a place of the region: its move is not legal. Empty: nothing."""
    place = seen.place(number)
    assert place.move is not None
    findings = judge(place.move, seen.battle, RRG2)
    return f"{place.move} is not legal: {[f.code for f in findings]}" if findings else ""


def fault_outside(seen: Reach, spot: tuple[float, float], dice: np.random.Generator, moves: int | None = None) -> str:
    """What is wrong with a place outside: a move of the grid ends legally about it where `reach` says that none does,
    or nobody says why none ends on it. Empty: nothing.
    """
    stands = remembering(words)
    for move in islice(moves_of_grid(seen.battle, seen.unit, spot, dice), moves):
        if legal(seen.battle, move, stands):
            end = make(seen.battle, move, RRG2, standing=nowhere).end.at
            if not seen.at(*end).legal:
                return f"{move} ends at {end}, about {spot}"
    return "" if seen.why(*spot) else f"nobody says why not {spot}"
