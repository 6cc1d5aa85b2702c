"""A battle: a table and the units on it, as one frozen value; who touches whom, who is engaged, how high they stand.

A battle that cannot be (a leader who is not on the table, a mini in two units) is refused with every reason.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from sim3d.finding import Finding, Hit, Refused, Severity, check
from sim3d.ground import ground_of
from sim3d.ground.way import heights_under, rims_mm
from sim3d.mini import Base
from sim3d.plane import apart_mm, filled, parted_mm, placed
from sim3d.rules.legion.actions import KINDS, OTHER_ACTIONS
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.standing import words
from sim3d.rules.legion.terrain import class_faults, room_mm
from sim3d.rules.legion.tokens import kept_clear, token_faults
from sim3d.rules.legion.unit import KEYWORD, TYPES, State, Unit, known_keywords, whole
from sim3d.space import Floats
from sim3d.table import Placed, Table, known

MADE = ("", "start", "end")  # when a compulsory move was made
SIDES = 2  # of a battle: with a third one a side's misspelt name would make enemies of friends


@dataclass(frozen=True, slots=True)
class Battle:
    """A table and the units on it; `Refused` where they do not fit each other."""

    table: Table
    units: tuple[Unit, ...] = ()

    def __post_init__(self) -> None:
        faults = [*battle_faults(self.table, self.units), *class_faults(self.table), *token_faults(self.table)]
        if faults:
            raise Refused(*faults)

    def unit(self, name: str) -> Unit:
        """By name; `KeyError` lists what there is."""
        for unit in self.units:
            if unit.name == name:
                return unit
        raise KeyError(f"no unit is called {name!r}; there are: {known(u.name for u in self.units)}")

    def unit_of(self, mini: str) -> Unit | None:
        """The unit a mini belongs to; scenery, spare minis and what is left of a defeated unit belong to none."""
        return next((u for u in self.units if mini in u.minis and not u.state.defeated), None)

    def leader(self, unit: Unit) -> Placed:
        """Where a unit's leader is."""
        return self.table.mini(unit.leader)

    def without(self, minis: Iterable[str]) -> Battle:
        """The same battle with minis taken off; a unit that loses all of them goes, and who is aboard of it.

        Who stays without its leader is of its unit still, friend or enemy as before: the first of them stands in for
        the leader. To look at, not to play.
        """
        gone = set(minis)
        if not gone:
            return self
        left = tuple(reduced(u, rest) for u in self.units if (rest := tuple(m for m in u.minis if m not in gone)))
        names = ["", *(u.name for u in left)]
        left = tuple(u for u in left if u.state.aboard in names)
        return Battle(replace(self.table, minis=tuple(m for m in self.table.minis if m.name not in gone)), left)

    def with_unit(self, unit: Unit) -> Battle:
        """The same battle with one unit's new self."""
        return replace(self, units=tuple(unit if u.name == unit.name else u for u in self.units))


def reduced(unit: Unit, minis: tuple[str, ...]) -> Unit:
    """A unit with some of its minis alone: without its leader the first of them stands in for it."""
    return replace(unit, minis=minis, leader=unit.leader if unit.leader in minis else minis[0])


@check("UNIT_UNSOUND", Severity.ERROR, "unit {unit!r}: {reason}")
def unit_unsound(unit: str, reason: str) -> Iterable[Hit]:
    """A unit cannot be as it is written: its side, its minis, its leader, its speed or its keywords.

    Why: no rule can be judged for it. Example: a leader who is no mini of the table.
    Do: correct what the message names.
    """
    yield Hit(unit=unit, reason=reason)


def battle_faults(table: Table, units: tuple[Unit, ...]) -> Iterable[Finding]:
    """Everything that is wrong with units on a table."""
    shapeless = [
        unit_unsound.hit(unit=unit.name, reason=reason, pointer=f"/unit/{i}")
        for i, unit in enumerate(units)
        for reason in _shapeless(unit)
    ]
    if shapeless:
        yield from shapeless
        return
    on_table = [m.name for m in table.minis]
    owner: dict[str, str] = {}
    names = [u.name for u in units]
    sides = list(dict.fromkeys(u.side for u in units))
    for i, unit in enumerate(units):
        for reason in _unit_faults(unit, on_table, names):
            yield unit_unsound.hit(unit=unit.name, reason=reason, pointer=f"/unit/{i}")
        if unit.side in sides[SIDES:]:
            reason = f"its side {unit.side!r} is one too many beside {known(sides[:SIDES])}: two players play"
            yield unit_unsound.hit(unit=unit.name, reason=reason, pointer=f"/unit/{i}/side")
        if unit.name in names[:i]:
            yield unit_unsound.hit(unit=unit.name, reason="another unit has that name", pointer=f"/unit/{i}")
        for mini in unit.minis:
            if mini in owner and owner[mini] != unit.name:
                reason = f"{mini!r} belongs to {owner[mini]!r}, too"
                yield unit_unsound.hit(unit=unit.name, reason=reason, pointer=f"/unit/{i}")
            owner.setdefault(mini, unit.name)


def _shapeless(unit: Unit) -> Iterable[str]:
    """What of a unit is not even of its kind, before anybody looks into it."""
    for what, word in (("name", unit.name), ("side", unit.side), ("type", unit.type), ("leader", unit.leader)):
        if not isinstance(word, str):
            yield f"{what} is {word!r}; it takes a word"
    for what, listed in (("minis", unit.minis), ("keywords", unit.keywords)):
        if not isinstance(listed, tuple | list) or not all(isinstance(word, str) for word in listed):
            yield f"{what} is {listed!r}; it takes names, each by itself"
    if not isinstance(unit.carried, tuple | list) or not all(isinstance(mini, Placed) for mini in unit.carried):
        yield f"carried is {unit.carried!r}; it takes placed minis"
    if not isinstance(unit.state, State):
        yield f"state is {unit.state!r}; it takes a State"


def _unit_faults(unit: Unit, on_table: list[str], names: list[str]) -> Iterable[str]:
    if unit.type not in TYPES:
        yield f"{unit.type!r} is no type; there are: {', '.join(TYPES)}"
    if not (whole(unit.speed) and 0 <= unit.speed <= 3):
        yield f"a unit's speed is 0 to 3, not {unit.speed!r}"
    if unit.leader not in unit.minis:
        yield f"its leader {unit.leader!r} is none of its minis"
    for mini in dict.fromkeys(m for i, m in enumerate(unit.minis) if m in unit.minis[:i]):
        yield f"{mini!r} is named twice among its minis"
    aboard = {m.name for m in unit.carried}
    for mini in unit.minis:
        if mini not in on_table and mini not in aboard and not unit.state.defeated:
            yield f"no mini is called {mini!r}; there are: {known(on_table)}"
    for keyword in unit.keywords:
        if not KEYWORD.fullmatch(keyword):
            told = ", ".join(known_keywords())
            yield f"{keyword!r} is no keyword that is known; there are: {told}"
    if unit.state.aboard and unit.state.aboard not in names:
        yield f"it is aboard of {unit.state.aboard!r}, and no unit is called that"
    if not (isinstance(unit.name, str) and unit.name):
        yield "it has no name"
    elif unit.state.aboard == unit.name:
        yield "it is aboard of itself"
    yield from _state_faults(unit.state)


def _state_faults(state: State) -> Iterable[str]:
    """What a unit cannot have done or suffered: its numbers, its actions, its words."""
    for what, count in (
        ("immobilized", state.immobilized), ("suppression", state.suppression), ("wounds", state.wounds),
        ("extra", state.extra),
    ):  # fmt: skip
        if not (whole(count) and count >= 0):
            yield f"{what} is {count!r}; it is a whole number, 0 or more"
    done = (*KINDS, *OTHER_ACTIONS)
    if not isinstance(state.done, tuple | list):
        yield f"done is {state.done!r}; it takes the names of actions, each by itself"
    else:
        for action in dict.fromkeys(a for a in state.done if a not in done):
            yield f"done: {action!r} is no action; there are: {', '.join(done)}"
    if state.compulsory not in MADE:
        yield f"its compulsory move was made at the start or the end, or not yet, not {state.compulsory!r}"
    for what, said in (
        ("defeated", state.defeated), ("spurred", state.spurred), ("objective", state.objective),
        ("ordered", state.ordered), ("withdrawn", state.withdrawn), ("jumped", state.jumped),
    ):  # fmt: skip
        if not isinstance(said, bool):
            yield f"{what} is {said!r}; it is true or false"


RESTS = ("stable", "precarious")  # whoever stands so is carried where it touches
RUBBLE_MM = 0.5  # what stands higher than this at a base's rim, but not under it, is beside it


# --- who stands where -------------------------------------------------------------------------------------------------


def ring_of(mini: Placed) -> Floats:
    """What a mini's base covers, its notches filled: nobody stands in a notch."""
    return placed(filled(mini.mini.base.outline), *mini.at, mini.turn)


def feet_mm(table: Table, mini: Placed) -> float:
    """How high a mini stands: the highest walkable ground under the middle of its base, below its cut.

    Where it rests over a gap, on what is higher than all of that, it stands as high as the lowest that carries it.
    """
    asked = ground_of(table), filled(mini.mini.base.outline), *_posed([mini])
    ground, inner, _ = rims_mm(*asked, math.inf)[0].tolist()
    if inner > ground + RUBBLE_MM and mini.level is not None:  # what is over its cut is a roof
        _, inner, _ = rims_mm(*asked, mini.level - ground)[0].tolist()
    if inner <= ground + RUBBLE_MM:
        return float(ground)
    carries = _carried_mm(table, mini)
    return carries if carries > ground + RUBBLE_MM else ground


def _carried_mm(table: Table, mini: Placed) -> float:
    """The lowest of what carries a mini where it rests, else -inf."""
    (told,) = words(replace(table, minis=()), [mini])
    return min((c.place[2] for c in told.contacts if told.answer in RESTS), default=-math.inf)


def feet_of(table: Table, places: Sequence[Placed]) -> list[float]:
    """The highest walkable ground under the middle of each of many places of one mini, below its cut."""
    if not places:
        return []
    poses, cuts = _posed(places)
    heights: list[float] = heights_under(ground_of(table), filled(places[0].mini.base.outline), poses, cuts).tolist()
    return heights


def _posed(places: Sequence[Placed]) -> tuple[Floats, Floats]:
    """Places as poses (n, 3) and the cut of each, as ways take them."""
    poses = np.array([[*p.at, p.turn] for p in places])
    return poses, np.array([math.inf if p.level is None else p.level for p in places])


def beside(table: Table, mini: Placed) -> Placed:
    """The same place, its cut set where its rim touches something that it does not stand on: that carries nothing."""
    return all_beside(table, [mini])[0]


def all_beside(table: Table, places: Sequence[Placed]) -> list[Placed]:
    """The same for many places of one mini."""
    if not places:
        return []
    mini = places[0].mini
    poses, cuts = _posed(places)
    rims = rims_mm(ground_of(table), filled(mini.base.outline), poses, cuts, room_mm(mini))
    inner, outer = rims[:, 1], rims[:, 2]
    found = inner + RUBBLE_MM / 2
    lower = (outer > inner + RUBBLE_MM) & (found < cuts) & np.isfinite(found)
    return [
        replace(p, level=float(cut)) if low else p
        for p, cut, low in zip(places, found.tolist(), lower.tolist(), strict=True)
    ]


def cut_for_mates(table: Table, mini: Placed) -> float | None:
    """The cut that those go below who are placed beside a mini: its own, but not one that its rim alone has set.

    Who touches a wall is set down below that wall; who follows stands elsewhere.
    """
    over = feet_mm(table, mini) + room_mm(mini.mini)
    for plain in (None, over) if math.isfinite(over) else ():  # where nothing is under it there is nothing to set
        if beside(table, replace(mini, level=plain)).level == mini.level:
            return plain
    return mini.level


def near(one: Placed, other: Placed) -> bool:
    """Whether two bases could touch at all, whatever way they are turned."""
    return math.dist(one.at, other.at) <= reach_of(one.mini.base) + reach_of(other.mini.base) + 1


@cache
def reach_of(base: Base) -> float:
    """How far a base reaches from its middle."""
    return base.outline.reach_mm()


def overlap_mm(table: Table, one: Placed, other: Placed) -> float:
    """How deep two bases overlap; negative where they do not, or where one is over the other's head (MV12).

    Two that do not are farther apart than that. As high as the head of the lower one is over it.
    """
    deep = -parted_mm(ring_of(one), ring_of(other))
    if deep <= 0:
        return deep
    low, high = feet_mm(table, one), feet_mm(table, other)
    lower = one if low <= high else other
    return deep if abs(high - low) < room_mm(lower.mini) else -math.inf


def tokens_under(table: Table, mini: Placed, ruleset: Ruleset) -> Iterable[tuple[str, float]]:
    """The objective and condition tokens that a base lies over, and how deep (MV13)."""
    for token in table.tokens:
        if kept_clear(token, ruleset):
            gap = _from_point_mm(ring_of(mini), token.at) - token.diameter_mm / 2
            if gap < -ruleset.numbers.contact_mm:
                yield token.name, -gap


def _from_point_mm(ring: Floats, point: tuple[float, float]) -> float:
    """The distance from a point to what a ring covers; negative inside."""
    x, y = point
    dot = [[x - 1e-6, y - 1e-6], [x + 1e-6, y - 1e-6], [x, y + 1e-6]]
    return apart_mm(ring, np.array(dot))


def touching(table: Table, one: Placed, other: Placed, ruleset: Ruleset) -> bool:
    """Whether two bases are in contact: no gap seen from above, and no more height between them than options allow."""
    if not near(one, other):
        return False
    rings, limit = (ring_of(one), ring_of(other)), ruleset.numbers.contact_mm
    if parted_mm(*rings) >= limit or apart_mm(*rings) >= limit:
        return False
    if ruleset.options.contact_rise == "any":
        return True
    low, high = sorted((one, other), key=lambda m: feet_mm(table, m))
    return feet_mm(table, high) - feet_mm(table, low) <= low.mini.height_mm


def foes_touched(battle: Battle, unit: Unit, ruleset: Ruleset) -> tuple[str, ...]:
    """The enemy units with a mini in base contact with one of this unit's, in the order of the battle."""
    mine = [m for m in battle.table.minis if m.name in unit.minis]
    foes = [u for u in battle.units if u.side != unit.side and not u.state.defeated]
    return tuple(
        foe.name
        for foe in foes
        if any(touching(battle.table, m, o, ruleset) for m in mine for o in battle.table.minis if o.name in foe.minis)
    )


def engaged_with(battle: Battle, unit: Unit, ruleset: Ruleset) -> tuple[str, ...]:
    """The enemy trooper units that a trooper unit is in contact with; vehicles are in melees, never engaged."""
    if not unit.trooper:
        return ()
    return tuple(name for name in foes_touched(battle, unit, ruleset) if battle.unit(name).trooper)
