"""The board: hexes with terrain, walls between them, units facing a hexside; front arcs, zones, who engages whom.

A board is a value: moving a unit makes another board. What cannot be is refused with every reason.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from types import MappingProxyType
from typing import Any, NamedTuple

from sim3d.finding import Finding, Hit, Refused, Severity, check, counted
from sim3d.rules.hexes.grid import EVEN_MM, SIDES, Hex, is_hex, is_whole, missing_from, neighbour, way_to
from sim3d.rules.hexes.ruleset import KEYWORDS, Options, Ruleset

KINDS = ("infantry", "cavalry", "swarm", "monster", "hero")
TRAITS = (
    "breakaway",
    "combat shift",
    "flying",
    "harass",  # an older name: a trait of its own here, since Lockdown names it
    "ignore difficult",
    "immovable",
    "lockdown",
    "nimble",
    "scout deploy",
    "skirmish",
    "tireless",
    "trample",
    "unstoppable",
)
PHASES = ("scout b", "scout a", "activations", "push a", "push b")  # the order in which they come; a round repeats 2 on
ROUND_BEGINS = PHASES.index("activations")


@dataclass(frozen=True, slots=True)
class Cell:
    """A hex's terrain: its keywords, whether a unit's base stands there, how high it lies (None: no ground)."""

    keywords: tuple[str, ...] = ()
    standable: bool = True
    height_mm: float | None = 0.0

    def __post_init__(self) -> None:
        if unknown := [k for k in self.keywords if k not in KEYWORDS]:
            raise ValueError(f"{unknown[0]!r} is no keyword of terrain; there are: {', '.join(KEYWORDS)}")
        object.__setattr__(self, "keywords", tuple(k for k in KEYWORDS if k in self.keywords))

    def is_(self, keyword: str) -> bool:
        """Whether it has a keyword."""
        return keyword in self.keywords


class Wall(NamedTuple):
    """The steepest rise and drop on the easiest way from one hex to the next, mm; infinite where there is no way."""

    up_mm: float = 0.0
    down_mm: float = 0.0

    @property
    def back(self) -> Wall:
        """The same seen from the other side."""
        return Wall(self.down_mm, self.up_mm)


FLAT = Wall()


@dataclass(frozen=True, slots=True)
class Unit:
    """One unit on one hex base, facing a hexside; what it can do, has done and suffered."""

    name: str
    side: str
    at: Hex
    facing: int = 0
    speed: int = 3
    kind: str = "infantry"
    traits: tuple[str, ...] = ()
    slow: int = 0  # tokens: each takes a point of speed
    fast: int = 0  # tokens: each gives one
    height_mm: float = 40.0
    circular: bool = False  # its zone is all six adjacent hexes
    activated: bool = False  # this round
    began_engaged: bool | None = None  # whether its activation began Engaged; None: it begins with this move
    health: int | None = None  # wounds that it takes before it is removed; None: nobody told
    wounds: int = 0

    def has(self, trait: str) -> bool:
        """Whether it has a trait."""
        return trait in self.traits

    @property
    def points(self) -> int:
        """Its movement points: its speed as its tokens leave it."""
        return max(0, self.speed + self.fast - self.slow)


@dataclass(frozen=True, slots=True)
class Board:
    """Hexes and their terrain, walls by directed pairs of neighbours, units, and where in its sequence the game is."""

    hexes: Mapping[Hex, Cell]
    walls: Mapping[tuple[Hex, Hex], Wall] = field(default_factory=dict)  # without one, nothing is between two hexes
    units: tuple[Unit, ...] = ()
    first: str = ""  # the side of player A, that of the first unit unless it is told; the other is player B
    phase: str = "activations"
    scouted: tuple[str, ...] = ()  # units that had their pre-game move
    pushed: tuple[str, ...] = ()  # units nominated in this round's God's Push
    levels: Mapping[tuple[int, int], tuple[Hex, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if shapeless := tuple(_shapeless(self)):
            raise Refused(*shapeless)
        levels: dict[tuple[int, int], tuple[Hex, ...]] = {}
        for at in self.hexes:
            levels[at.q, at.r] = (*levels.get((at.q, at.r), ()), at)
        object.__setattr__(self, "levels", MappingProxyType(levels))
        if not self.first and self.units:  # once: who is removed later changes no player
            object.__setattr__(self, "first", self.units[0].side)
        if faults := tuple(_faults(self)):
            raise Refused(*faults)

    def unit(self, name: str) -> Unit:
        """By name; `KeyError` lists what there is."""
        for unit in self.units:
            if unit.name == name:
                return unit
        raise KeyError(f"no unit is called {name!r}; there are: {', '.join(u.name for u in self.units) or 'none'}")

    def changed(self, unit: Unit) -> Board:
        """The same board with this unit in place of the one of its name."""
        return replace(self, units=tuple(unit if u.name == unit.name else u for u in self.units))

    def without(self, name: str) -> Board:
        """The same board with one unit gone."""
        return replace(self, units=tuple(u for u in self.units if u.name != name))

    def occupant(self, at: Hex, *, but: str = "") -> Unit | None:
        """Who is there, except for one."""
        return next((u for u in self.units if u.at == at and u.name != but), None)

    def next_to(self, at: Hex, way: int) -> tuple[Hex, ...]:
        """The neighbour in a direction, each of its levels; nothing beyond the board's edge."""
        beside = neighbour(at, way)
        return self.levels.get((beside.q, beside.r), ())

    def wall(self, start: Hex, end: Hex) -> Wall:
        """What is between two neighbours, walking from one to the other."""
        return Wall(*self.walls.get((start, end), FLAT))

    def enemies(self, unit: Unit) -> tuple[Unit, ...]:
        """The units of the other side."""
        return tuple(u for u in self.units if u.side != unit.side)

    def player(self, unit: Unit) -> str:
        """The letter of the player that a unit belongs to."""
        return "a" if unit.side == self.first else "b"

    def advanced(self) -> Board:
        """At the next step of the sequence; a new round forgets who was activated and who was pushed."""
        index = PHASES.index(self.phase) + 1
        if index < len(PHASES):
            return replace(self, phase=PHASES[index])
        fresh = tuple(replace(u, activated=False, began_engaged=None) for u in self.units)
        return replace(self, phase=PHASES[ROUND_BEGINS], units=fresh, pushed=())


# --- zones ------------------------------------------------------------------------------------------------------------


def front_arc(at: Hex, facing: int, ruleset: Ruleset) -> tuple[Hex, ...]:
    """The hexes before a unit: the one it faces and those either side of that."""
    sides = ruleset.numbers.arc_sides
    return tuple(neighbour(at, facing + turn) for turn in range(-sides, sides + 1))


def zone(board: Board, unit: Unit, ruleset: Ruleset) -> tuple[Hex, ...]:
    """Where a unit engages enemies: its front arc (all around where it is circular), up to walls as high as itself."""
    sides = ruleset.numbers.arc_sides
    turns = range(SIDES) if unit.circular else range(-sides, sides + 1)
    beside = (there for turn in turns for there in board.next_to(unit.at, unit.facing + turn))
    return tuple(there for there in beside if reaches(board, unit, there, ruleset.options))


def reaches(board: Board, unit: Unit, there: Hex, options: Options) -> bool:
    """Whether no wall as high as the unit is between it and an adjacent hex."""
    return options.zone_over_walls == "pure" or max(board.wall(unit.at, there)) < unit.height_mm - EVEN_MM


def engagers(board: Board, unit: Unit, ruleset: Ruleset, *, at: Hex | None = None) -> tuple[Unit, ...]:
    """The enemies whose zone holds a unit where it is, or where it would be."""
    there = unit.at if at is None else at
    return tuple(e for e in board.enemies(unit) if there in zone(board, e, ruleset))


def closed(board: Board, start: Hex, end: Hex, ruleset: Ruleset) -> float | None:
    """How high the wall is that closes the way from a hex to the next; None where the way is open."""
    wall = board.wall(start, end)
    high = wall.up_mm if ruleset.options.drops == "free" else max(wall)
    return high if high > ruleset.numbers.step_mm + EVEN_MM else None


# --- what cannot be ---------------------------------------------------------------------------------------------------


@check("HEX_BOARD_UNSOUND", Severity.ERROR, "{reason}")
def hex_board_unsound(reason: str) -> Iterable[Hit]:
    """A hex board that cannot be: units in one hex or off the board, words that mean nothing.

    Why: nothing is guessed. Example: `traits = ["nimbel"]`. Do: correct the word or the place.
    """
    yield Hit(reason=reason)


def _wrong(pointer: str, reason: str) -> Finding:
    return hex_board_unsound.hit(pointer=pointer, reason=reason)


def _shapeless(board: Board) -> Iterator[Finding]:
    """What of a board is not even of its kind, before anybody looks into it: a wall of nan mm would be open."""
    for at in board.hexes:
        if not is_hex(at):
            yield _wrong("/hexes", f"a board has hexes, Hex(q, r) or Hex(q, r, level) in whole numbers, not {at!r}")
    for pair, wall in board.walls.items():
        if not (isinstance(pair, tuple) and len(pair) == 2 and all(map(is_hex, pair))):
            yield _wrong("/wall", f"a wall is between two hexes, not at {pair!r}")
        elif not (isinstance(wall, tuple) and len(wall) == 2 and all(_is_number(high) and high >= 0 for high in wall)):
            where = f"{pair[0]} and {pair[1]}"
            yield _wrong(
                "/wall", f"the wall between {where} is {wall!r}; it takes Wall(up_mm, down_mm), each 0 or more"
            )
    for i, unit in enumerate(board.units):
        if not isinstance(unit, Unit):
            yield _wrong(f"/unit/{i}", f"a board has units (Unit), not {unit!r}")
            continue
        for key, takes in _unit_shapeless(unit):
            yield _wrong(f"/unit/{i}/{key}", f"unit {unit.name!r}: {key} is {getattr(unit, key)!r}; it takes {takes}")


def _unit_shapeless(unit: Unit) -> Iterator[tuple[str, str]]:
    """What of a unit is not of its kind, and what that takes."""
    for key in ("name", "side", "kind"):
        if not (isinstance(getattr(unit, key), str) and getattr(unit, key)):
            yield key, "a word"
    if not is_hex(unit.at):
        yield "at", "a hex, Hex(q, r) or Hex(q, r, level) in whole numbers"
    for key in ("facing", "speed", "slow", "fast", "wounds"):
        if not is_whole(getattr(unit, key)):
            yield key, "a whole number"
    if not (isinstance(unit.traits, tuple | list) and all(isinstance(word, str) for word in unit.traits)):
        yield "traits", "names, each by itself"
    if not (_is_number(unit.height_mm) and 0 < unit.height_mm < math.inf):
        yield "height_mm", "a number over 0"
    if not (unit.health is None or (is_whole(unit.health) and unit.health > 0)):
        yield "health", "a whole number over 0, or None"
    for key, more in (("circular", ()), ("activated", ()), ("began_engaged", (None,))):
        if getattr(unit, key) not in more and not isinstance(getattr(unit, key), bool):
            yield key, "true or false" + (", or None" if more else "")


def _is_number(value: object) -> bool:
    """Whether something is a number, an infinite one too."""
    return isinstance(value, Real) and not isinstance(value, bool) and not math.isnan(value)


def _faults(board: Board) -> Iterator[Finding]:
    for i, unit in enumerate(board.units):
        yield from (_wrong(f"/unit/{i}/{key}", f"unit {unit.name!r}: {reason}") for key, reason in _unit_faults(unit))
        if unit.at not in board.hexes:
            yield _wrong(f"/unit/{i}/at", f"unit {unit.name!r}: {missing_from(board.hexes, unit.at)}")
        for other in board.units[:i]:
            if other.name == unit.name:
                yield _wrong(f"/unit/{i}/name", f"two units are called {unit.name!r}")
            if other.at == unit.at:
                yield _wrong(f"/unit/{i}/at", f"{other.name!r} and {unit.name!r} are both on {unit.at}: one unit a hex")
    sides = dict.fromkeys(u.side for u in board.units)
    if len(sides) > 2:
        yield _wrong("/unit", f"there are two sides, not {len(sides)}: {', '.join(sides)}")
    for i, unit in enumerate(board.units):
        if unit.name in sides:
            yield _wrong(
                f"/unit/{i}/name", f"a unit and a side are both called {unit.name!r}: a push by it may be either's"
            )
    if board.phase not in PHASES:
        yield _wrong("/phase", f"{board.phase!r} is no step of the sequence; there are: {', '.join(PHASES)}")
    for start, end in board.walls:
        if way_to(start, end) is None:
            yield _wrong("/wall", f"a wall is between neighbours; {start} and {end} are none")
    for at in dict.fromkeys(at for pair in board.walls for at in pair):
        if at not in board.hexes:
            yield _wrong("/wall", f"a wall is between hexes of the board; {at} is not on it")


def _unit_faults(unit: Unit) -> Iterator[tuple[str, str]]:
    words: dict[str, tuple[Any, tuple[str, ...]]] = {"kind": ((unit.kind,), KINDS), "traits": (unit.traits, TRAITS)}
    for key, (given, known) in words.items():
        for word in given:
            if word not in known:
                yield key, f"{word!r} is unknown; there are: {', '.join(known)}"
    if not 0 <= unit.facing < SIDES:
        yield "facing", f"it faces one of the hexsides 0 to {SIDES - 1}, not {unit.facing}"
    for key in ("speed", "slow", "fast", "wounds"):
        if getattr(unit, key) < 0:
            yield key, f"{key} is 0 or more, not {getattr(unit, key)}"
    if unit.health is not None and unit.wounds >= unit.health:
        yield (
            "wounds",
            f"{counted(unit.wounds, 'wound')} of {unit.health} health: it was removed; leave it out, or tell fewer",
        )
