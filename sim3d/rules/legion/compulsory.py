"""Compulsory moves: a full move at maximum speed; else shifted back, else as far along the tool as can be, with wounds.

The farthest place is sought from the far end back, a millimetre at a time. Whether a place is legal is asked at both
ends of each millimetre; where the two answers differ in their word, their reason, the pieces under the base, its height
or, where it would go over at a bump or slide, in what carries it, or where a number is so near to its limit that it
could pass it in between, the millimetre is halved until its parts are 0.02 mm. What is in the way of a base gives an
exact depth, and where the way stays at its height nothing nearer than that is asked.
Where nothing rests at either end, the way itself is looked at every 0.1 mm: under another cut something may. The
millimetre at whose near end it may stand is asked about every 0.1 mm, too.
So a pocket is passed over only if it is narrower than a millimetre and leaves no trace at either end.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Generic, TypeVar

import numpy as np

from sim3d.certificate import Contact
from sim3d.finding import Hit, Severity, check, told_apart
from sim3d.ground import ground_of
from sim3d.ground.way import LOW_MM, Track, Walk
from sim3d.plane import apart_mm, filled
from sim3d.rules.legion.actions import KINDS, NO_ACTION, STANDARD
from sim3d.rules.legion.battle import Battle, beside, feet_mm, near, overlap_mm, ring_of, tokens_under, touching
from sim3d.rules.legion.making import Made, faced, make, raised_speed, speed_of
from sim3d.rules.legion.move import Move
from sim3d.rules.legion.passage import (
    OFF_MM,
    bare_at,
    bare_from,
    carried,
    displaceable,
    outside_mm,
    pieces_at,
    stop_before,
    within_mm,
)
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.standing import NUDGE_DEG, Standing, exact, nowhere, searching
from sim3d.rules.legion.terrain import footing
from sim3d.stand import OVERLAP_MM, STEEP_DEG, Stand
from sim3d.table import Placed

COARSE_MM = 1.0  # between two places that are always looked at
FINE_MM = 0.02  # how exactly the farthest place is found
STEEP_PER_MM = 2.0  # degrees: a slope this near to the limit may pass it between two places a millimetre apart
SHORT_PER_MM = 0.1  # of a friction coefficient, the same: bases are carried by contacts some 10 mm apart
SAME_CONTACT_DEG = 5.0  # contacts whose normals differ by more are not the same, moved along
AHEAD = 8  # stretches for each core that are begun before the answers of those before them are known
CUT_MM = 0.1  # how finely the cut is looked at where nothing rests, and the millimetre that holds the farthest place
LIFT_MM = 1.0  # a base this much higher than a millimetre before stands on something else
RADIAN_DEG = 57.3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Compelled:
    """How a compulsory move came out."""

    full_mm: float
    travel_mm: float
    limit_mm: float  # how far the way goes: to what stops it, or to the battlefield's edge
    shift_limit_mm: float  # how far it may shift back; 0: not at all
    shifted: bool
    wounds: int
    reduced: bool  # at less than its maximum speed
    speed: int  # of the tool that it has to take: the fastest that the unit may
    why: tuple[str, ...] = ()  # codes of what speaks against the full move
    edge: bool = False  # a full move leaves the battlefield
    ignored: tuple[str, ...] = ()  # the pieces that it would end on and ignores
    left: bool = False  # the player goes over the edge

    @property
    def flush(self) -> bool:
        """Whether it ends against what stops it, not at the tool's end or at the battlefield's edge."""
        return self.limit_mm < self.full_mm and not self.edge and self.limit_mm - self.travel_mm <= FINE_MM

    @property
    def complete(self) -> bool:
        """Whether it is a full move, or one shifted back: no wounds."""
        return self.shifted or self.left or self.whole

    @property
    def whole(self) -> bool:
        """Whether it ends where a full move does: places nearer to that than `FINE_MM` are not told apart."""
        return abs(self.travel_mm - self.full_mm) <= FINE_MM

    def at(self, travel: float) -> Compelled:
        """The same, ended at a place: at the full move's end nothing speaks against it, nobody shifts or is hurt."""
        ended = replace(self, travel_mm=travel)
        return replace(ended, shifted=False, wounds=0, why=()) if ended.whole else ended


@dataclass(frozen=True, slots=True)
class Look:
    """The answer at one place along the tool: what speaks against it, and what it looks like there."""

    legal: bool
    trace: tuple[object, ...] = ()  # the same trace: nothing has changed in between
    gap_mm: float = 0.0  # nothing nearer than this is legal
    tip_deg: float | None = None
    tilt_deg: float | None = None
    height: float = 0.0
    cut: float = math.inf  # what is higher carries nothing
    codes: tuple[str, ...] = ()
    short: float | None = None  # by how much its friction coefficient is too small, if it slides
    contacts: tuple[Contact, ...] = ()  # what carries it where it slides or has a tip
    loose: bool = False  # it rests nowhere there; with another cut it may


@dataclass(slots=True)
class _Once(Generic[T]):
    """Answers at places along the tool, each worked out once: who asks meanwhile waits for it."""

    answers: dict[float, T] = field(default_factory=dict)
    locks: dict[float, Lock] = field(default_factory=dict)

    def at(self, travel: float, ask: Callable[[float], T]) -> T:
        with self.locks.setdefault(travel, Lock()):
            if travel not in self.answers:
                self.answers[travel] = ask(travel)
        return self.answers[travel]


@dataclass(slots=True)
class Scan:
    """A laid tool, walked once; every place along it is asked at most once."""

    made: Made  # the full move, nobody asked whether anything stands
    standing: Standing
    limit_mm: float
    seen: _Once[Look] = field(default_factory=lambda: _Once())
    there: dict[float, Placed] = field(default_factory=dict)

    def leader_at(self, travel: float) -> Placed:
        """The leader at a place, as a partial move would put it down."""
        if travel not in self.there:
            self.there[travel] = self._leader_at(travel)
        return self.there[travel]

    def _leader_at(self, travel: float) -> Placed:
        made = self.made
        assert made.path is not None
        assert made.track is not None
        poses = made.poses
        i = max(0, int(np.searchsorted(poses[:, 3], travel, side="left")) - 1)
        i = min(i, len(made.track.heights) - 1)
        x, y, turn = made.path.at(travel)
        faces = faced(made.move, made.leader, turn)
        pair = np.array([poses[i], [x, y, turn, travel]])
        base = made.leader.mini.base
        near_track = carried(made.battle.table, base, pair, made.walk, float(made.track.heights[i]))
        z = float(near_track.heights[-1])
        level: float | None = None
        if made.move.level is not None:
            level = made.move.level
        elif near_track.stopped >= 0:
            level = max(z + made.walk.step_mm, made.walk.over_mm)
        elif near_track.overhead[-1]:
            level = max(z + made.walk.tall_mm, made.walk.over_mm)
        return beside(made.battle.table, replace(made.leader, at=(x, y), turn=faces, level=level))

    def look(self, travel: float) -> Look:
        """Whether the leader may end here."""
        return self.seen.at(travel, self._looked)

    def _looked(self, travel: float) -> Look:
        made, ruleset = self.made, self.made.ruleset
        battle, unit = made.battle, made.unit
        leader = self.leader_at(travel)
        feet = feet_mm(battle.table, leader)
        cut = _cut_of(leader)
        codes: list[str] = []
        deep = 0.0
        pushed = displaceable(battle, unit, leader, ruleset)
        for other in battle.table.minis:
            if other.name in unit.minis or not near(leader, other) or other.name in pushed:
                continue
            foe = battle.unit_of(other.name)
            over = overlap_mm(battle.table, leader, other)
            hostile = foe is not None and foe.side != unit.side and not made.may_touch(leader, other)
            if over > ruleset.numbers.contact_mm:
                codes.append("END_ON_MINI")
                deep = max(deep, over - ruleset.numbers.contact_mm)
            elif hostile and touching(battle.table, leader, other, ruleset):
                codes.append("END_TOUCHES_ENEMY")
                gap = apart_mm(ring_of(leader), ring_of(other)) if over > -math.inf else math.inf
                deep = max(deep, ruleset.numbers.contact_mm - gap)
        for _, under in tokens_under(battle.table, leader, ruleset):
            codes.append("END_ON_TOKEN")
            deep = max(deep, under - ruleset.numbers.contact_mm)
        if codes:
            deep = min(deep, self._level_mm(travel))
            return Look(False, ("minis", *codes), deep, height=feet, cut=cut, codes=tuple(codes))
        still = replace(made.walk, over_mm=-math.inf)
        pieces = pieces_at(battle.table, leader, still, feet)
        agreed = [name for name in pieces if footing(battle.table.piece(name), unit).no_end]
        if bare_at(battle.table, leader, still, feet, agreed):
            return Look(False, ("no end", pieces), height=feet, cut=cut, codes=("END_AGREED_AGAINST",))
        wall = self._wall_in(leader, feet, still)
        if wall and leader.level is not None:  # what is beside it, over its cut, carries nothing
            return Look(False, ("in a wall", wall), height=feet, cut=cut, codes=("END_BLOCKED",))
        (stand,) = self.standing(replace(battle.table, minis=()), [leader])
        if stand.answer == "stable" and wall and wall not in {c.piece for c in stand.contacts}:
            return Look(False, ("in a wall", wall), height=feet, cut=cut, codes=("END_BLOCKED",))
        return _look_of(stand, pieces, feet, cut)

    def changes(self, below: float, above: float) -> bool:
        """Whether somewhere between two places terrain is cut at another height than at the upper one."""
        here = _cut_of(self.leader_at(above))
        first, last = math.floor(below / CUT_MM) + 1, math.ceil(above / CUT_MM) - 1
        places = [*(k * CUT_MM for k in range(last, first - 1, -1)), below]  # the same for every part of a stretch
        return any(_apart(here, _cut_of(self.leader_at(place))) for place in places)

    def _level_mm(self, travel: float) -> float:
        """For how far, ahead and behind, the way stays at the height that it has here: higher, other minis are met."""
        assert self.made.track is not None
        heights = self.made.track.heights
        places = self.made.poses[: len(heights), 3]
        here = max(0, int(np.searchsorted(places, travel, side="left")) - 1)
        elsewhere = np.flatnonzero(~(np.abs(heights - heights[here]) <= LIFT_MM))
        before, after = elsewhere[elsewhere < here], elsewhere[elsewhere > here]
        low = travel - float(places[before[-1] + 1]) if len(before) else math.inf
        high = float(places[after[0] - 1]) - travel if len(after) else math.inf
        return max(0.0, min(low, high))

    def _wall_in(self, leader: Placed, feet: float, still: Walk) -> str:
        """The piece that a base is deeper in than touching, notches filled; what it stands on may be meant, too.

        On any other way it would have stopped at it; here it was passed over.
        """
        table = self.made.battle.table
        pose = np.array([[*leader.at, leader.turn, 0.0]] * 2)
        low = replace(still, step_mm=max(leader.level - feet, 0.0) if leader.level is not None else LOW_MM)
        track = carried(table, leader.mini.base, pose, low, feet)
        return table.pieces[track.stopper].name if track.stopped >= 0 else ""


def _cut_of(leader: Placed) -> float:
    """Above which height terrain carries nothing; infinite without a cut."""
    return math.inf if leader.level is None else leader.level


def _apart(one: float, other: float) -> bool:
    """Whether two heights are not of the same floor."""
    return one != other and not abs(one - other) <= LIFT_MM


def _look_of(stand: Stand, pieces: tuple[str, ...], feet: float, cut: float) -> Look:
    """What a stand looks like; a number that could pass its limit counts only where it is what speaks against it."""
    blocked = stand.why if stand.answer == "blocked" else ""
    words = "".join(c for c in blocked if c.isalpha() or c == " ")
    legal = stand.answer == "stable"
    carriers = tuple(sorted({c.piece for c in stand.contacts}))
    code = "END_BLOCKED" if blocked else "END_DOES_NOT_STAND"
    loose = stand.answer in ("undecided", "topples", "falls") and stand.pose is None
    trace = ("rests nowhere" if loose else stand.answer, words, pieces, carriers)
    tip = stand.tip_deg if stand.answer in ("precarious", "undecided") else None
    tilt = stand.tilt_deg if stand.answer in ("too-steep", "slides", "undecided") else None
    slides = stand.answer == "slides"
    short = (stand.friction_needed or 0.0) - stand.friction if slides else None
    kept = stand.contacts if slides or tip is not None else ()
    return Look(legal, trace, 0.0, tip, tilt, feet, cut, () if legal else (code,), short, kept, loose)


@dataclass(slots=True)
class _Sought:
    """What a search along the tool asks, and how far it still has to."""

    asked: Callable[[float], Look]
    com_mm: float
    changes: Callable[[float, float], bool]  # whether the cut changes between two places
    pool: ThreadPoolExecutor | None = None  # where hands are free to look ahead
    found: float = -math.inf  # a legal place: nobody asks any more what lies before it

    def look(self, travel: float) -> Look:
        """The answer at a place; a legal one spares those that are looked at side by side, farther back."""
        seen = self.asked(travel)
        if seen.legal:
            self.found = max(self.found, travel)
        return seen

    def ahead(self, travel: float) -> None:
        """A place that is asked about next, unless the place before it says otherwise: meanwhile, if a hand is free."""
        if self.pool is not None and travel > self.found:
            self.pool.submit(self._ahead, travel)

    def _ahead(self, travel: float) -> None:
        if travel > self.found:
            self.asked(travel)


def farthest(
    low: float,
    high: float,
    look: Callable[[float], Look],
    com_mm: float,
    changes: Callable[[float, float], bool] = lambda below, above: False,
    *,
    hands: int = 1,
) -> float | None:
    """The greatest legal travel between two, to `FINE_MM`; None where there is none. See the head of this file.

    With several `hands` stretches are looked at side by side; the answer is the same.
    """
    if look(high).legal:
        return high
    above, begun = high, dict[float, Future[float | None]]()
    with ThreadPoolExecutor(hands) as pool:
        helping = pool if hands > 1 else None
        sought = _Sought(look, com_mm, changes, helping)
        try:
            while above > low:
                if hands > 1:
                    _begin(above, low, AHEAD * hands, sought, begun, pool)
                below = max(low, above - COARSE_MM)
                gap = math.floor(look(above).gap_mm / FINE_MM) * FINE_MM
                if gap > COARSE_MM:  # what was begun lies in what is in the way
                    sought.found = math.inf
                    sought, below, begun = _Sought(look, com_mm, changes, helping), max(low, above - gap), {}
                stretch = begun[above] if above in begun else pool.submit(_between, below, above, sought)
                found = stretch.result()
                if found is not None:
                    return found
                above = below
        finally:
            sought.found = math.inf
    return None


def _begin(
    above: float, low: float, most: int, sought: _Sought, begun: dict[float, Future[float | None]],
    pool: ThreadPoolExecutor,
) -> None:  # fmt: skip
    """Begin with the next stretches, as they follow each other where nothing is in the way."""
    for _ in range(most):
        below = max(low, above - COARSE_MM)
        if below < above and above not in begun:
            begun[above] = pool.submit(_between, below, above, sought)
        above = below


def _between(below: float, above: float, sought: _Sought) -> float | None:
    """The greatest legal travel in a stretch whose upper end is not legal."""
    if above <= sought.found:  # one was found farther on
        return None
    low = sought.look(below)
    if above - below <= FINE_MM:
        return below if low.legal else None
    if not low.legal:
        high = sought.look(above)
        could = _could(low, high, above - below, sought.com_mm)
        if not could and not (low.loose and high.loose and sought.changes(below, above)):
            return None
    elif above - below > 2 * CUT_MM:  # where it rests in two ways, what it does may come and go on the last of the way
        gap = math.floor(sought.look(above).gap_mm / CUT_MM)
        for k in range(gap + 1, math.ceil((above - below) / CUT_MM)):
            place = above - k * CUT_MM
            sought.ahead(place - CUT_MM)
            if sought.look(place).legal:
                upper = _between(place, above - (k - 1) * CUT_MM, sought)
                return place if upper is None else upper
    middle = (below + above) / 2
    if low.legal and above - middle > FINE_MM:
        sought.ahead((middle + above) / 2)
    if sought.look(middle).legal:
        upper = _between(middle, above, sought)
        return middle if upper is None else upper
    upper = _between(middle, above, sought)
    return upper if upper is not None else _between(below, middle, sought)


def _could(one: Look, other: Look, apart: float, com_mm: float) -> bool:
    """Whether there could be a legal place between two that are not."""
    if _apart(one.height, other.height) or _apart(one.cut, other.cut):
        return True
    if one.gap_mm + other.gap_mm >= apart:
        return False
    tilts = [look.tilt_deg for look in (one, other) if look.tilt_deg is not None]
    if len(tilts) == 2 and one.trace[1:] == other.trace[1:] and min(tilts) > STEEP_DEG + STEEP_PER_MM * apart:
        return False
    if one.trace != other.trace:
        return True
    if one.short is not None and other.short is not None:  # the friction it needs comes and goes with every contact
        return not _moved_along(one, other, apart) or min(one.short, other.short) <= SHORT_PER_MM * apart
    if one.tip_deg is not None and other.tip_deg is not None:  # so does what takes it over
        if not _moved_along(one, other, apart):
            return True
        # between two places where the same contacts carry it others may: as far as there, what holds at one end goes on
        most = max(one.tip_deg, other.tip_deg) + apart / max(com_mm, 1) * RADIAN_DEG
        return most >= NUDGE_DEG
    return len(tilts) == 2


def _moved_along(one: Look, other: Look, apart: float) -> bool:
    """Whether the same contacts carry at two places: as many, near each other, with nearly the same normals."""

    def near_to(a: Contact, b: Contact) -> bool:
        cosine = sum(u * v for u, v in zip(a.normal, b.normal, strict=True))
        return math.dist(a.place, b.place) <= 2 * apart and cosine >= math.cos(math.radians(SAME_CONTACT_DEG))

    return len(one.contacts) == len(other.contacts) and all(
        any(near_to(a, b) for b in other.contacts) for a in one.contacts
    )


# --- the move ---------------------------------------------------------------------------------------------------------


def compel(battle: Battle, move: Move, ruleset: Ruleset, *, standing: Standing) -> Made:
    """A compulsory move as it has to be made (CM03): the move at its end, and how it came to that.

    Where statics are asked, no more than words are worked out (`standing.searching`).
    """
    made = _compelled(battle, move, ruleset, standing=standing)
    found = made.compelled is not None and made.arranged is not None and not move.followers
    if found and move.tool is None and made.tool is not None and 0 < made.speed < made.tool.speed:
        slower = replace(move, tool=made.speed)  # its minis have no place but where it is difficult
        return _compelled(battle, slower, ruleset, standing=standing, due=made.speed)
    return made


def _compelled(battle: Battle, move: Move, ruleset: Ruleset, *, standing: Standing, due: int | None = None) -> Made:
    """The same with the tool that is told, or the fastest that its leader may take; `due`: that it has to take."""
    whole = _laid(battle, move, ruleset)
    if whole.path is None or whole.track is None or whole.speed == 0:
        return make(battle, replace(move, free=True), ruleset, standing=standing)
    full = whole.path.full_mm
    if due is None:
        due = _due(battle, move, whole, ruleset, standing)
    on_table, way = _on_table_mm(whole), _way_mm(whole)
    if move.travel_mm is not None and on_table < move.travel_mm <= full:
        chosen = replace(whole.move, travel_mm=move.travel_mm, followers=move.followers, free=True)
        left = Compelled(full, move.travel_mm, on_table, 0.0, False, 0, _reduced(whole), due, edge=True, left=True)
        return replace(make(battle, chosen, ruleset, standing=standing), compelled=left)
    scan = Scan(whole, searching(standing), min(on_table, way))
    done = _Done(scan, move, os.cpu_count() or 1 if standing is exact else 1)
    back, ignored = _shift(scan)
    edge = on_table < full and on_table <= way  # what stops it before the edge is the reason, else
    answer = Compelled(full, full, scan.limit_mm, back, False, 0, _reduced(whole), due, (), edge, ignored)
    if scan.limit_mm >= full and done.look(full).legal:
        return done.made(full, answer)
    why = done.look(full).codes if scan.limit_mm >= full else ("MOVE_TERRAIN_IN_THE_WAY",)
    answer = replace(answer, why=("UNIT_LEFT_TABLE",) if edge else why)
    top = scan.limit_mm
    if back > 0:
        top = max(0.0, full - back)
        place = done.farthest(top, full, scan.look)
        if place is not None and done.look(place).legal:
            return done.made(place, replace(answer, shifted=True))
        if place is not None:  # the leader would stand there, but not everybody has a place
            top, answer = place, replace(answer, why=done.look(place).codes)
    travel = done.farthest(0.0, top, done.look)
    speed = raised_speed(whole.unit, ruleset) if ruleset.options.reduced_wounds == "printed" else whole.speed
    return done.made(0.0 if travel is None else travel, replace(answer, wounds=speed))


def _laid(battle: Battle, move: Move, ruleset: Ruleset) -> Made:
    """The full move with the tool of the unit's maximum speed, as reduced (CM02); nobody is asked to stand."""
    unit = battle.unit(move.unit)
    told = replace(move, kind=STANDARD, travel_mm=None, free=True, followers=(), gather=False, displaced=())
    speed = speed_of(unit, told, ruleset, slow=False) if move.unit in [u.name for u in battle.units] else 0
    whole = make(battle, replace(told, compulsory=False, tool=move.tool or speed or None), ruleset, standing=nowhere)
    if move.tool is None and whole.tool is not None and 0 < whole.speed < whole.tool.speed:
        whole = make(battle, replace(told, compulsory=False, tool=whole.speed), ruleset, standing=nowhere)
    return replace(whole, move=replace(whole.move, compulsory=True))


def _due(battle: Battle, move: Move, whole: Made, ruleset: Ruleset, standing: Standing) -> int:
    """The speed that it has to take: told by the fastest tool, since a slower one may reach nothing that slows."""
    if move.tool is not None:
        whole = _laid(battle, replace(move, tool=None), ruleset)
        if whole.tool is not None and move.tool < whole.tool.speed and len(whole.ends) > 1:
            whole = compel(battle, replace(move, tool=None, travel_mm=None), ruleset, standing=standing)
    return whole.tool.speed if whole.tool is not None else whole.speed


def _reduced(whole: Made) -> bool:
    return whole.tool is not None and whole.tool.speed < raised_speed(whole.unit, whole.ruleset)


def _on_table_mm(whole: Made) -> float:
    """How far along the tool the leader's base stays on the battlefield."""
    assert whole.path is not None
    full, base, table = whole.path.full_mm, whole.leader.mini.base, whole.battle.table

    def off(travel: float) -> bool:
        x, y, turn = whole.path.at(travel) if whole.path is not None else (0.0, 0.0, 0.0)
        return outside_mm(table, base, np.array([[x, y, turn, travel]])) > OFF_MM

    if whole.outside_mm <= OFF_MM:
        return full
    before = 0.0
    for travel in whole.poses[:, 3]:
        if off(float(travel)):
            low, high = before, float(travel)
            while high - low > FINE_MM / 2:
                middle = (low + high) / 2
                low, high = (low, middle) if off(middle) else (middle, high)
            return low
        before = float(travel)
    return whole.path.legs_mm[0]  # only turning at the hinge takes it over the edge


def _way_mm(whole: Made) -> float:
    """How far the way goes: to terrain that it may not pass, or to a mini that it may not push aside."""
    assert whole.path is not None
    assert whole.track is not None
    ends = [whole.path.full_mm]
    if whole.stop_mm is not None:
        ends.append(whole.stop_mm)
    if whole.track.dropped >= 0 and whole.ruleset.options.deep_drop == "climb" and whole.walk.over_mm <= whole.feet:
        ends.append(_before_mm(whole, whole.track.dropped, lambda tried: tried.dropped < 0))
    for name in whole.barred:
        number = [p.name for p in whole.battle.table.pieces].index(name)
        seen = bare_from(whole.battle.table, whole.leader.mini.base, whole.poses, whole.track, whole.walk, number)
        ends.append(_before_mm(whole, seen, _not_met(number)))
    for met in whole.met:
        if met.way == "block":
            ends.append(met.at.travel_mm)
    return min(ends)


def _not_met(number: int) -> Callable[[Track], bool]:
    """Whether a way does not meet a piece."""
    return lambda tried: bool(tried.met[number] < 0)


def _before_mm(whole: Made, number: int, free: Callable[[Track], bool]) -> float:
    """The last place in the stride that ends at a pose where the way is still free."""
    assert whole.track is not None
    table = whole.battle.table
    base, ground = whole.leader.mini.base, ground_of(table)
    return stop_before(ground, base, whole.poses, whole.walk, whole.track, len(table.pieces), number, free).travel_mm


def _shift(scan: Scan) -> tuple[float, tuple[str, ...]]:
    """How far it may shift back (CM08), and from which pieces.

    Not at all where something that it does not ignore stops it (CM09), or where the leader may end a full move: who
    finds no place beside it lets nobody shift (CM07).
    """
    whole = scan.made
    assert whole.path is not None
    full = whole.path.full_mm
    if scan.limit_mm < full or scan.look(full).legal:
        return 0.0, ()
    leader = scan.leader_at(full)
    feet = feet_mm(whole.battle.table, leader)
    over = whole.walk.over_mm
    if whole.unit.type == "repulsor":
        over = max(over, whole.feet + whole.walk.step_mm)
    pieces = pieces_at(whole.battle.table, leader, replace(whole.walk, over_mm=-math.inf), feet)
    end = [ring_of(leader)]
    ignored = tuple(name for name in pieces if within_mm(whole.battle.table, name, end, over + OVERLAP_MM))
    ring = filled(whole.leader.mini.base.outline)
    length = float(ring[:, 0].max() - ring[:, 0].min())
    return (whole.ruleset.numbers.shift_share * length, ignored) if ignored else (0.0, ())


@dataclass(slots=True)
class _Done:
    """Ends of a compulsory move with everybody: the leader first, then the others where a place is found (CM07)."""

    scan: Scan
    asked: Move
    hands: int  # stretches looked at side by side: compiled loops let go of Python, engines do not
    kept: _Once[bool] = field(default_factory=lambda: _Once())  # whether everybody else has a place

    def look(self, travel: float) -> Look:
        """Whether the whole unit may end here."""
        seen = self.scan.look(travel)
        if not seen.legal or len(self.scan.made.ends) == 1:
            return seen
        if self.kept.at(travel, self._gathered):
            return seen
        return replace(seen, legal=False, trace=("cohesion",), codes=("FOLLOWER_NO_WAY",))

    def _gathered(self, travel: float) -> bool:
        made = self.scan.made
        whole = make(made.battle, self._move(travel, gather=True), made.ruleset, standing=self.scan.standing)
        return whole.arranged is None or whole.arranged.whole

    def _move(self, travel: float, *, gather: bool) -> Move:
        told = replace(self.scan.made.move, travel_mm=travel)
        if gather:
            return replace(told, gather=True, seed=self.asked.seed)
        return replace(told, gather=True, seed=self.asked.seed, followers=self.asked.followers,
                       displaced=self.asked.displaced, displacer=self.asked.displacer)  # fmt: skip

    def farthest(self, low: float, high: float, look: Callable[[float], Look]) -> float | None:
        """The farthest place between two where the leader, or the whole unit, may end."""
        return farthest(low, high, look, self.scan.made.leader.mini.com[2], self.scan.changes, hands=self.hands)

    def made(self, travel: float, answer: Compelled) -> Made:
        """The move as it is made in the end."""
        scan = self.scan
        made = make(scan.made.battle, self._move(travel, gather=False), scan.made.ruleset, standing=scan.standing)
        return replace(made, compelled=answer.at(travel), told_mm=self.asked.travel_mm)


# --- what is wrong, and what happens ----------------------------------------------------------------------------------


@check("COMPULSORY_NOT_AS_FAR", Severity.ERROR, "it has to go {due} mm, not {told}")
def compulsory_not_as_far(made: Made) -> Iterable[Hit]:
    """A compulsory move ends before the place where it has to, or a slower tool is taken (CM03, CM10, CM11).

    Why: it is full at maximum speed, or else goes as far as it can. Example: 0.2 mm short. Do: leave travel_mm out.
    """
    done, told = made.compelled, made.told_mm
    if done is None or done.left:
        return
    n = made.ruleset.numbers
    flush = n.contact_mm if done.flush else 0.0  # against what stops it: from flush to as deep as touching
    if told is not None and not -n.compulsory_mm - flush <= told - done.travel_mm <= n.compulsory_mm:
        rows = "CM03 CM10" if told > done.full_mm else "CM03 CM11" if done.shifted else "CM03"
        due, not_so = told_apart(done.travel_mm, told)
        yield Hit(rules=rows, due=due, told=not_so, travel_mm=done.travel_mm, told_mm=told)
    if made.tool is not None and made.tool.speed < done.speed:
        due_mm, told_mm = made.ruleset.tool_mm(done.speed), made.tool.length_mm
        due, not_so = told_apart(due_mm, told_mm)
        yield Hit(rules="CM03", due=due, told=not_so, travel_mm=due_mm, told_mm=told_mm)


@check("COMPULSORY_NOT_NOW", Severity.ERROR, "{unit} {why}")
def compulsory_not_now(made: Made) -> Iterable[Hit]:
    """A compulsory move, or an action after it, at a time that is not its own (CM01).

    Why: it is made once, at the start or at the end of the actions. Example: to aim after it, when it was the end.
    Do: make it before all actions, or after them.
    """
    state, move = made.unit.state, made.move
    if move.compulsory and state.compulsory:
        yield Hit(rules="CM01", unit=made.unit.name, why="has made its compulsory move in this activation")
    elif not move.compulsory and state.compulsory == "end" and not move.free and move.kind not in NO_ACTION:
        yield Hit(rules="CM01", unit=made.unit.name, why="has ended its actions with its compulsory move")


@check("AI_NEEDS_A_MOVE", Severity.ERROR, "{unit} has AI: move, its first action is a move, not to {kind}")
def ai_needs_a_move(made: Made) -> Iterable[Hit]:
    """A unit with AI: move and no order begins with another action than a move (CM13).

    Why: its first action has to be a move, and a compulsory one is none. Example: to aim after a compulsory move.
    Do: move first, or give it an order.
    """
    unit, move = made.unit, made.move
    first = not unit.state.done and not move.free and move.kind not in (*KINDS, *NO_ACTION)
    if first and unit.has("ai move") and not unit.state.ordered:
        yield Hit(rules="CM13", unit=unit.name, kind=move.kind)


@check("COMPULSORY_MOVE", Severity.INFO, "a compulsory move, free, at maximum speed{reduced}: {how}")
def compulsory_move(made: Made) -> Iterable[Hit]:
    """A compulsory move is made (CM01, CM02).

    Why: it takes no action and sets off what a move sets off. Example: at the start of the actions. Do: nothing.
    """
    done = made.compelled
    if done is not None:
        reduced = f" (reduced to {made.tool.speed})" if done.reduced and made.tool else ""
        how = "full" if done.complete and not done.shifted else f"{done.travel_mm:.1f} of {done.full_mm:.1f} mm"
        yield Hit(rules="CM01 CM02" if done.reduced else "CM01", reduced=reduced, how=how)


@check(
    "COMPULSORY_SHIFTED", Severity.INFO, "{leader} shifts back {shift_mm:.1f} mm, at most {limit_mm:.1f}, on {pieces}"
)
def compulsory_shifted(made: Made) -> Iterable[Hit]:
    """A leader shifts back along the tool to where it stands (CM08, CM10, CM11).

    Why: it would end on terrain that it ignores, and may go back half its base's length. Example: half on a roof.
    Do: nothing; there are no wounds.
    """
    done = made.compelled
    if done is not None and done.shifted:
        yield Hit(
            rules="CM08 CM10 CM11", leader=made.leader.name, shift_mm=done.full_mm - done.travel_mm,
            limit_mm=done.shift_limit_mm, pieces=" and ".join(done.ignored),
        )  # fmt: skip


@check("COMPULSORY_PARTIAL", Severity.INFO, "it cannot be completed ({why}): {unit} suffers {wounds} wounds")
def compulsory_partial(made: Made) -> Iterable[Hit]:
    """A compulsory move is only partial, as far along the tool as it can be (CM03, CM04, CM07, CM09, CM12).

    Why: nothing nearer to the end is legal. Example: a wall that it does not ignore. Do: bend the tool another way.
    """
    done = made.compelled
    if done is None or done.complete:
        return
    rows = ["CM03", "CM04"]
    if done.shift_limit_mm > 0:
        rows += ["CM12"]
    elif done.limit_mm < done.full_mm and not done.edge:
        rows += ["CM09"]
    stand = ("END_DOES_NOT_STAND", "END_BLOCKED", "FOLLOWER_NO_WAY")
    if any(code in stand for code in done.why):
        rows += ["CM07"]
    why = {
        "UNIT_LEFT_TABLE": "over the battlefield's edge", "MOVE_TERRAIN_IN_THE_WAY": "something stops it",
        "END_ON_MINI": "a mini that stays is there", "END_TOUCHES_ENEMY": "it would touch an enemy",
        "END_ON_TOKEN": "a token lies there", "END_AGREED_AGAINST": "players agreed against it",
        "FOLLOWER_NO_WAY": "not everybody can be placed in cohesion",
    }.get(done.why[0] if done.why else "", "it does not stand there")  # fmt: skip
    yield Hit(rules=" ".join(sorted(rows)), why=why, unit=made.unit.name, wounds=done.wounds)
