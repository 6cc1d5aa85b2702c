"""A Move Action by the book, the slow way: every path there is, each judged from its beginning by plain loops.

It shares the values of a board with the product and none of its code: directions, zones, costs and stops are written
out again here, from the rules in words.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from sim3d.rules.hexes import CURRENT, SEED, Board, Cell, Hex, Options, Ruleset, Unit, Wall

AROUND = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)]


class Ended(NamedTuple):
    hex: Hex
    spent: int
    stopped: bool
    passed: bool
    melee: bool


def beside(board: Board, at: Hex) -> list[Hex]:
    """Every place, of any level, in the six hexes around one."""
    return [h for h in board.hexes if (h.q - at.q, h.r - at.r) in AROUND]


def engages(board: Board, enemy: Unit, place: Hex, pure: bool) -> bool:
    """Whether a place is in the front three hexes of an enemy (or around it), and no wall as high as it between."""
    step = (place.q - enemy.at.q, place.r - enemy.at.r)
    if step not in AROUND:
        return False
    off = (AROUND.index(step) - enemy.facing) % 6
    if not enemy.circular and off not in (5, 0, 1):
        return False
    up, down = board.walls.get((enemy.at, place), (0.0, 0.0))
    return pure or (up < enemy.height_mm and down < enemy.height_mm)


def holders(board: Board, unit: Unit, place: Hex, options: Options) -> list[Unit]:
    pure = options.zone_over_walls == "pure"
    return [e for e in board.units if e.side != unit.side and engages(board, e, place, pure)]


def who(board: Board, unit: Unit, place: Hex) -> Unit | None:
    for other in board.units:
        if other.name != unit.name and other.at == place:
            return other
    return None


def can_pass(unit: Unit, other: Unit) -> bool:
    friends = unit.side == other.side
    if friends and ("skirmish" in unit.traits or "skirmish" in other.traits):
        return True
    return "trample" in unit.traits and other.kind in ("infantry", "swarm")


def judge_path(board: Board, unit: Unit, path: tuple[Hex, ...], options: Options, *, scout: bool) -> Ended | None:
    """What a path comes to; None where it is not legal."""
    now = holders(board, unit, unit.at, options)
    began = bool(now) if unit.began_engaged is None else unit.began_engaged
    if scout:
        began = False
    has = unit.traits.__contains__
    if not path:
        return Ended(unit.at, 0, False, False, True)
    if any("lockdown" in e.traits for e in now):
        first = who(board, unit, path[0])
        slips = first is not None and has("trample") and first.kind in ("infantry", "swarm")
        if not (slips and options.lockdown_trample_exception):
            return None
    one_hex = began and not has("breakaway") and not has("unstoppable")
    if one_hex and len(path) > 1:
        return None
    points = max(0, unit.speed - unit.slow + unit.fast)
    spent, ended, in_zone, passed = 0, False, False, False
    at = unit.at
    for i, to in enumerate(path):
        if ended or to not in board.hexes or to not in beside(board, at):
            return None
        if "impassable" in board.hexes[to].keywords:
            return None
        up, down = board.walls.get((at, to), (0.0, 0.0))
        if up > 10.0 or (down > 10.0 and options.drops == "closed"):
            return None
        hard = "difficult" in board.hexes[to].keywords and not has("ignore difficult") and not one_hex
        spent += 2 if hard else 1
        if i > 0 and spent > points:
            return None
        passed = passed or in_zone  # it goes on from a zone that it did not stop in
        in_zone = False
        other = who(board, unit, to)
        if other is not None and not can_pass(unit, other):
            return None
        at = to
        if other is not None:
            continue
        owners = holders(board, unit, to, options)
        if not owners:
            continue
        lock = any("lockdown" in e.traits for e in owners)
        strides = has("unstoppable") and not (lock and options.lockdown_stops_unstoppable)
        slips = (has("nimble") or has("harass")) and not began and not lock
        if strides or slips:
            in_zone = True
        elif began and has("breakaway") and options.breakaway_same_enemy_exempt:
            ended = any(e.name not in [n.name for n in now] for e in owners)
        else:
            ended = True
    cell = board.hexes[at]
    if who(board, unit, at) is not None or not cell.standable:
        return None
    melee = not one_hex and not passed
    if has("unstoppable") and not has("breakaway") and began:
        melee = False
    if has("unstoppable") and options.unstoppable_melee == "any_move" and not one_hex:
        melee = False
    return Ended(at, spent, ended, passed, melee)


def paths(board: Board, at: Hex, longest: int) -> Iterator[tuple[Hex, ...]]:
    yield ()
    if longest > 0:
        for to in beside(board, at):
            for rest in paths(board, to, longest - 1):
                yield (to, *rest)


def every_outcome(board: Board, name: str, options: Options, *, scout: bool = False) -> set[Ended]:
    """Every legal end of every path, and of every flight."""
    unit = board.unit(name)
    points = max(0, unit.speed - unit.slow + unit.fast)
    found = set()
    for path in paths(board, unit.at, max(1, points)):
        ended = judge_path(board, unit, path, options, scout=scout)
        if ended is not None:
            found.add(ended)
    now = holders(board, unit, unit.at, options)
    began = (bool(now) if unit.began_engaged is None else unit.began_engaged) and not scout
    grounded = began and not ("breakaway" in unit.traits or "unstoppable" in unit.traits)
    if "flying" in unit.traits and not now and not grounded:
        for to, cell in board.hexes.items():
            q, r = to.q - unit.at.q, to.r - unit.at.r
            far = (abs(q) + abs(r) + abs(q + r)) // 2
            free = who(board, unit, to) is None and cell.standable and "impassable" not in cell.keywords
            if to != unit.at and far <= max(1, points) and free:  # another level of its own hex is a place
                lost = "unstoppable" in unit.traits and (
                    (began and "breakaway" not in unit.traits) or options.unstoppable_melee == "any_move"
                )
                found.add(Ended(to, far, False, False, not lost))
    if scout:
        found = {e for e in found if not holders(board, unit, e.hex, options)}
    return found


def not_bettered(found: set[Ended]) -> set[Ended]:
    """Those that no other at the same hex betters: nothing worse, something better."""

    def cost(e: Ended) -> tuple[int, int, int, int]:
        return e.spent, int(e.stopped), int(e.passed), int(not e.melee)

    return {
        e
        for e in found
        if not any(
            o.hex == e.hex and cost(o) != cost(e) and all(a <= b for a, b in zip(cost(o), cost(e), strict=True))
            for o in found
        )
    }


# --- random boards ----------------------------------------------------------------------------------------------------

MOVERS = (
    "breakaway",
    "flying",
    "harass",
    "ignore difficult",
    "nimble",
    "scout deploy",
    "skirmish",
    "trample",
    "unstoppable",
)
KINDS = ("infantry", "cavalry", "swarm", "monster", "hero")


def random_board(seed: int) -> tuple[Board, Ruleset]:
    """A crowded little board with terrain, walls, a second level here and there, and options of either edition."""
    dice = random.Random(seed)
    chance = dice.random
    hexes: dict[Hex, Cell] = {}
    radius = dice.choice((1, 2, 3, 3))
    for q in range(-radius, radius + 1):
        for r in range(-radius, radius + 1):
            if abs(q + r) <= radius and (chance() < 0.93 or (q, r) == (0, 0)):
                for level in range(2 if chance() < 0.06 else 1):
                    words = [w for w, p in (("difficult", 0.2), ("impassable", 0.06)) if chance() < p]
                    hexes[Hex(q, r, level)] = Cell(tuple(words), chance() < 0.85)
    walls = {}
    for a in hexes:
        for b in hexes:
            if (b.q - a.q, b.r - a.r) in AROUND and (chance() < 0.07 or (a.level != b.level and chance() < 0.5)):
                walls[a, b] = Wall(dice.choice((0.0, 10.0, 10.1, 45.0)), dice.choice((0.0, 10.0, 10.1, 45.0)))
    units = [_random_unit(dice, "Mara", "red", Hex(0, 0), speed=dice.choice((0, 1, 2, 3, 3, 4)), most=3)]
    places = [h for h in hexes if h != Hex(0, 0)]
    for i in range(dice.randint(0, 6)):
        if places:
            at = places.pop(dice.randrange(len(places)))
            units.append(_random_unit(dice, f"unit {i}", dice.choice(("red", "blue", "blue")), at, speed=2, most=1))
    board = Board(hexes, walls, tuple(units), first="red")
    return board, _random_ruleset(dice)


def _random_unit(dice: random.Random, name: str, side: str, at: Hex, *, speed: int, most: int) -> Unit:
    traits = dice.sample(MOVERS, dice.randint(0, most)) + (["lockdown"] if dice.random() < 0.2 else [])
    if most > 1 and dice.random() < 0.4 and not {"nimble", "unstoppable"} & set(traits):
        traits.append(dice.choice(("nimble", "unstoppable")))
    return Unit(
        name,
        side,
        at,
        dice.randrange(6),
        speed,
        dice.choice(KINDS),
        tuple(traits),
        slow=int(dice.random() < 0.1),
        fast=int(dice.random() < 0.1),
        height_mm=40.0,
        circular=dice.random() < 0.1,
        began_engaged=None if dice.random() < 0.94 else dice.random() < 0.5,
    )


def _random_ruleset(dice: random.Random) -> Ruleset:
    options = Options(
        breakaway_same_enemy_exempt=dice.random() < 0.2,
        lockdown_trample_exception=dice.random() < 0.7,
        lockdown_stops_unstoppable=dice.random() < 0.3,
        unstoppable_melee=dice.choice(("if_used", "if_used", "any_move")),
        zone_over_walls=dice.choice(("cut", "pure")),
        drops=dice.choice(("closed", "free")),
    )
    return Ruleset(edition="made up", options=options, checks=(SEED if dice.random() < 0.5 else CURRENT).checks)
