"""`Move`: what a player does with a unit, as one frozen value; choices and dice come with it, nothing is drawn here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Literal

from sim3d.asked import MOST_TURN
from sim3d.finding import Hit, Refused, Severity, check
from sim3d.rules.legion.actions import (
    ABOARD,
    BAIL_OUT,
    BY_TOOL,
    CLAMBER,
    DEPLOY,
    KINDS,
    NO_ACTION,
    OTHER_ACTIONS,
    STANDARD,
    VERTICAL,
)
from sim3d.rules.legion.battle import SIDES, Battle
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.tool import notches_of
from sim3d.rules.legion.unit import Unit, whole
from sim3d.table import Placed, known

__all__ = ["FACES", "STANDARD", "Follower", "Move", "move_unsound", "sound"]

FACES = ("block", "surge", "blank")  # of a white defence die


@dataclass(frozen=True, slots=True)
class Follower:
    """Where a mini is put after its leader; without a facing it keeps its own (round) or takes the leader's.

    Without a cut height it goes below what its leader is below; a cut at infinity is none.
    """

    mini: str
    at: tuple[float, float]
    turn: float | None = None
    level: float | None = None

    def cut(self, usual: float | None = None) -> float | None:
        """The cut height that it is set down below."""
        if self.level is None:
            return usual
        return None if self.level == math.inf else self.level

    @staticmethod
    def of(place: Placed) -> Follower:
        """Exactly this place."""
        return Follower(place.name, place.at, place.turn, math.inf if place.level is None else place.level)


@dataclass(frozen=True, slots=True)
class Move:
    """One move action, or one action of another kind (`kind="aim"`): degrees are the table's, lengths flat mm."""

    unit: str
    kind: str = STANDARD
    tool: int | None = None  # the speed of the tool that is laid; without it the fastest that the unit may take
    start_deg: float | None = None  # where the tool leaves the base; without it ahead
    bend_deg: float = 0.0
    travel_mm: float | None = None  # without it a full move
    turn_deg: float = 0.0  # of a pivot, or of the one that goes with a standard move
    reposition: Literal["", "before", "after"] = ""  # a standard move with a free pivot before or after it
    end_at: tuple[float, float] | None = None  # where the player put the leader, if that is to be judged, too
    end_turn: float | None = None
    level: float | None = None  # a cut height: the move ends on what lies below it
    up: bool = True  # of a climb or clamber
    to: tuple[float, float] | None = None  # where a climb ends; without it on the nearest edge
    followers: tuple[Follower, ...] = ()
    gather: bool = False  # minis that nobody places go where a place is found
    seed: int = 0  # of the search for those places
    displaced: tuple[Follower, ...] = ()  # where the other player puts displaced minis; the rest where room is found
    displacer: str = ""  # the side that puts them there, if that is to be judged, too
    compulsory: bool = False  # as far as it has to go, whatever `travel_mm` says
    melee: str = ""  # the enemy unit whose melee is entered
    dice: tuple[str, ...] = ()  # the faces of a clamber's dice
    speed_x: int | None = None  # the x of the "speed-x" effect that this move serves
    free: bool = False  # takes no action
    jump: bool = False
    withdraw: bool = False
    direct: bool = False  # put straight at its end
    vehicle: str = ""  # the unit that is embarked on or left
    begin: tuple[float, float] | None = None  # where a leader is set down who disembarks or is deployed


@check("MOVE_UNSOUND", Severity.ERROR, "{reason}")
def move_unsound(reason: str) -> Iterable[Hit]:
    """A move cannot be judged as it is written.

    Why: nothing is guessed. Example: an unknown unit, a tool of speed 4, a mini that is not on the table, a bend of
    200 degrees. Do: correct what the message names.
    """
    yield Hit(reason=reason)


def sound(move: Move, battle: Battle, ruleset: Ruleset) -> None:
    """Refuse a move that makes no sense, with every reason at once."""
    wrong = list(_faults(move, battle, ruleset))
    if wrong:
        raise Refused(*(move_unsound.hit(reason=reason) for reason in wrong))


def _usable(value: object) -> bool:
    """Whether something is a finite number."""
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _shapeless(move: Move) -> Iterable[str]:
    """What of a move is not even of its kind: words, choices, places and dice, before anybody looks into them."""
    for what, word in (("melee", move.melee), ("vehicle", move.vehicle), ("displacer", move.displacer)):
        if not isinstance(word, str):
            yield f"{what} is {word!r}; it takes a name"
    for what, choice in (
        ("up", move.up), ("gather", move.gather), ("compulsory", move.compulsory), ("free", move.free),
        ("jump", move.jump), ("withdraw", move.withdraw), ("direct", move.direct),
    ):  # fmt: skip
        if not isinstance(choice, bool):
            yield f"{what} is {choice!r}; it takes true or false"
    for what, puts in (("followers", move.followers), ("displaced", move.displaced)):
        if not _row_of(Follower, puts) or not _row_of(str, [put.mini for put in puts]):
            yield f"{what} is {puts!r}; it takes places of minis (Follower)"
    if not _row_of(str, move.dice):
        yield f"dice is {move.dice!r}; it takes the faces that came up"


def _row_of(kind: type, values: object) -> bool:
    """Whether something is a row of things of one kind."""
    return isinstance(values, tuple | list) and all(isinstance(value, kind) for value in values)


def _place_usable(value: object) -> bool:
    """Whether something is two finite numbers."""
    return isinstance(value, Sequence) and len(value) == 2 and all(map(_usable, value))


def _numbers_wrong(move: Move, ruleset: Ruleset) -> Iterable[str]:
    """Numbers and places of a move that nothing can be worked out from."""
    n = ruleset.numbers
    for what, speed in (("a tool", move.tool), ("a speed-x effect", move.speed_x)):
        if speed is not None and not (whole(speed) and n.slowest <= speed <= n.fastest):
            yield f"{what} has speed {n.slowest} to {n.fastest}, not {speed!r}"
    if not whole(move.seed) or move.seed < 0:
        yield f"seed is {move.seed!r}; it is a whole number, 0 or more"
    for what, value, told in (
        ("start_deg", move.start_deg, False), ("bend_deg", move.bend_deg, True), ("travel_mm", move.travel_mm, False),
        ("turn_deg", move.turn_deg, True), ("level", move.level, False), ("end_turn", move.end_turn, False),
    ):  # fmt: skip
        if (told or value is not None) and not _usable(value):
            yield f"{what} is {value!r}, not a number that can be used"
        elif value is not None and what in ("turn_deg", "end_turn") and abs(value) > MOST_TURN:
            yield f"{what} is {value!r}; it takes -{MOST_TURN:g} to {MOST_TURN:g} degrees"
    for what, place in (("end_at", move.end_at), ("to", move.to), ("begin", move.begin)):
        if place is not None and not _place_usable(place):
            yield f"{what} is {place!r}, not a place: it takes x and y in mm"
    for put in (*move.followers, *move.displaced):
        if not _place_usable(put.at):
            yield f"{put.mini!r} is put at {put.at!r}, and that is no place: it takes x and y in mm"
        if put.turn is not None and not _usable(put.turn):
            yield f"{put.mini!r} is turned to {put.turn!r}, not a number that can be used"
        elif put.turn is not None and abs(put.turn) > MOST_TURN:
            yield f"{put.mini!r} is turned to {put.turn!r}; it takes -{MOST_TURN:g} to {MOST_TURN:g} degrees"
        if put.level is not None and not _usable(put.level) and put.level != math.inf:
            yield f"{put.mini!r} is put below {put.level!r}, not a height that can be used"
    if _usable(move.bend_deg) and abs(move.bend_deg) > 180:
        yield f"a tool with one hinge bends by less than 180 degrees, not {move.bend_deg:g}"
    if move.travel_mm is not None and _usable(move.travel_mm) and move.travel_mm < 0:
        yield f"nobody moves {move.travel_mm:g} mm along a tool"


def _faults(move: Move, battle: Battle, ruleset: Ruleset) -> Iterable[str]:
    shapeless = list(_shapeless(move))
    if shapeless:
        yield from shapeless
        return
    if move.kind not in (*KINDS, *NO_ACTION, *OTHER_ACTIONS):
        others = ", ".join((*NO_ACTION, *OTHER_ACTIONS))
        yield f"{move.kind!r} is no move; there are: {', '.join(KINDS)}, and others: {others}"
    yield from _numbers_wrong(move, ruleset)
    if move.unit not in [u.name for u in battle.units]:
        yield f"no unit is called {move.unit!r}; there are: {known(u.name for u in battle.units)}"
        return
    unit = battle.unit(move.unit)
    aboard, on_table = bool(unit.state.aboard), [m.name for m in battle.table.minis]
    if unit.state.defeated:
        yield f"{unit.name!r} is defeated"
    if aboard and move.kind not in ("disembark", BAIL_OUT):
        yield f"{unit.name!r} is aboard of {unit.state.aboard!r}; it can only disembark"
    if not aboard and move.kind not in ABOARD[1:] and unit.leader not in on_table:
        yield f"{unit.leader!r}, the leader of {unit.name!r}, is not on the table"
    names = [f.mini for f in move.followers]
    for name in names:
        if name not in unit.followers:
            yield f"{name!r} is no follower in {unit.name!r}; there are: {known(unit.followers)}"
    for name in (f.mini for f in move.displaced if f.mini not in on_table and _place_usable(f.at)):
        yield f"displace: no mini is called {name!r}; there are: {known(on_table)}"
    if (names or move.gather) and move.kind == "embark":
        yield "who embarks takes the whole unit aboard: place nobody on the table"
    if len(set(names)) != len(names):
        yield "a follower is placed twice"
    back = [f.mini for f in move.displaced]
    for name in dict.fromkeys(name for i, name in enumerate(back) if name in back[:i]):
        yield f"displace: {name!r} is put back twice"
    for face in move.dice:
        if face not in FACES:
            yield f"a white die has no face {face!r}; there are: {', '.join(FACES)}"
    if move.kind == CLAMBER and move.dice and len(move.dice) != len(unit.minis):
        yield f"a clamber rolls one die for each mini, {len(unit.minis)} in all, not {len(move.dice)}"
    for what, name in (("melee", move.melee), ("vehicle", move.vehicle)):
        if name and name not in [u.name for u in battle.units]:
            yield f"{what}: no unit is called {name!r}; there are: {known(u.name for u in battle.units)}"
    if move.melee in [u.name for u in battle.units if u.side == unit.side]:
        yield f"melee: {move.melee!r} is on the side of {unit.name!r}; name the enemy unit whose melee it enters"
    if move.melee in [u.name for u in battle.units if u.state.defeated]:
        yield f"melee: {move.melee!r} is defeated; there is no melee to enter"
    yield from _aboard_wrong(move, battle, unit, on_table)
    sides = dict.fromkeys(u.side for u in battle.units)
    if move.displacer and len(sides) == SIDES and move.displacer not in sides:  # of one side alone: the other player
        yield f"displacer: no side is called {move.displacer!r}; there are: {known(sides)}"
    if move.reposition not in ("", "before", "after"):
        yield f"a pivot goes before or after a standard move, not {move.reposition!r}"
    places = (*battle.table.minis, *unit.carried)
    yield from _out_of_place(move, unit, next((m for m in places if m.name == unit.leader), None))


def _aboard_wrong(move: Move, battle: Battle, unit: Unit, on_table: Sequence[str]) -> Iterable[str]:
    """Why nobody can board or leave a vehicle so: it is another one, it is not there, the unit is not aboard."""
    if move.kind not in ABOARD:
        return
    carrier = unit.state.aboard
    if move.kind == "embark" and not move.vehicle:
        yield f"to {move.kind} it takes a vehicle"
    if move.kind != "embark":
        if not carrier:
            yield f"{unit.name!r} is aboard of nothing"
        elif move.vehicle not in ("", carrier):
            yield f"vehicle: {unit.name!r} is aboard of {carrier!r}, not of {move.vehicle!r}"
        if move.begin is None:
            yield f"to {move.kind} the leader is first set down beside the vehicle: say where (begin)"
    for vehicle in (u for u in battle.units if u.name == (carrier or move.vehicle)):
        if not any(m in on_table for m in vehicle.minis):
            yield f"{vehicle.name!r} is not on the table, and nobody is set down or taken aboard there"


MEANS: Mapping[str, tuple[str, ...]] = {  # the kinds for which something that is said of a move means something
    **dict.fromkeys(("tool", "start_deg", "bend_deg", "travel_mm", "direct"), BY_TOOL),
    **dict.fromkeys(("up", "to"), VERTICAL),
    **dict.fromkeys(("level", "end_turn", "followers", "gather", "seed", "melee"), (*KINDS, *NO_ACTION)),
    **dict.fromkeys(("end_at", "displacer"), KINDS),
    "turn_deg": ("pivot",),
    "dice": (CLAMBER,),
    "vehicle": ABOARD,
    "begin": (*ABOARD[1:], DEPLOY),
    "free": (*KINDS, *OTHER_ACTIONS),
}
UNSAID = Move("")
PLACES = ("to", "begin", "end_at")
NUMBERS = ("tool", "start_deg", "bend_deg", "travel_mm", "level", "end_turn", "seed", "turn_deg")
IN_FILES = {"up": "way", "followers": "place"}  # what files call it, where that differs


def _said(move: Move, what: str) -> bool:
    """Whether something that can be used is said of a move."""
    value, usual = getattr(move, what), getattr(UNSAID, what)
    if what in PLACES:
        return _place_usable(value)
    if what in NUMBERS:
        return _usable(value) and value != usual
    return bool(value) != bool(usual)


def _out_of_place(move: Move, unit: Unit, leader: Placed | None) -> Iterable[str]:
    """What is said of a move that means nothing for it: nothing is passed over in silence."""
    if move.kind not in (*KINDS, *NO_ACTION, *OTHER_ACTIONS):
        return
    for what, kinds in MEANS.items():
        if move.kind in kinds or not _said(move, what):
            continue
        name = IN_FILES.get(what, what)
        if what == "turn_deg" and move.reposition:
            continue
        if what == "turn_deg" and move.kind == STANDARD:
            yield "turn_deg means nothing for a standard move without a pivot: say when it is made (reposition)"
            continue
        takes = ", ".join(IN_FILES.get(one, one) for one, meant in MEANS.items() if move.kind in meant)
        instead = f"it takes {takes}" if takes else "it takes none of what a move does"
        yield f"{name} means nothing for {move.kind!r}; it belongs to: {', '.join(kinds)}. Of {move.kind!r}: {instead}"
    if move.kind == CLAMBER and move.dice and unit.has("expert climber"):
        yield f"dice mean nothing for {unit.name!r}: an expert climber rolls none"
    if move.kind in KINDS and _said(move, "end_turn") and leader is not None and not notches_of(leader.mini.base):
        if move.kind == "pivot":
            yield f"end_turn means nothing for a pivot of {leader.name!r}: turn_deg says how far it turns"
        elif leader.mini.base.outline.radius_mm is None:
            yield f"end_turn means nothing for {leader.name!r}: it is neither round nor notched, and keeps its facing"
