"""The farthest legal place along a laid tool: `Scan` answers for each place once, `farthest` seeks from the end back.

It promises the same place, to 0.02 mm, however many hands look, and to skip nothing but what is told here.

The way is gone over a millimetre at a time. Whether a place is legal is asked at both ends of each millimetre; where
the two answers differ in their word, their reason, the pieces under the base, its height or, where it would go over at
a bump or slide, in what carries it, or where a number is so near to its limit that it could pass it in between, the
millimetre is halved until its parts are 0.02 mm. What is in the way of a base gives an exact depth, and where the way
stays at its height nothing nearer than that is asked.
Where nothing rests at either end, the way itself is looked at every 0.1 mm: under another cut something may. The
millimetre at whose near end it may stand is asked about every 0.1 mm, too.
So a pocket is passed over only if it is narrower than a millimetre and leaves no trace at either end.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Generic, TypeVar

import numpy as np

from sim3d.certificate import Contact
from sim3d.ground import ground_of
from sim3d.ground.relief import LEVEL_MM
from sim3d.ground.way import LOW_MM, Walk, along
from sim3d.plane import Outline, apart_mm, filled, hull
from sim3d.rules.legion.bare import bare_at
from sim3d.rules.legion.battle import beside, feet_mm, near, overlap_mm, ring_of, tokens_under, touching
from sim3d.rules.legion.laying import faced
from sim3d.rules.legion.making import Made
from sim3d.rules.legion.passage import carried, displaceable, fallen_mm, pieces_at
from sim3d.rules.legion.standing import NUDGE_DEG, Standing
from sim3d.rules.legion.terrain import footing
from sim3d.space import Floats, Pose
from sim3d.stand import STEEP_DEG, Stand
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
class Once(Generic[T]):
    """Answers at places along the tool, each worked out once: who asks meanwhile waits for it."""

    answers: dict[float, T] = field(default_factory=dict)
    locks: dict[float, Lock] = field(default_factory=dict)

    def at(self, travel: float, ask: Callable[[float], T]) -> T:
        """The answer at a place."""
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
    seen: Once[Look] = field(default_factory=lambda: Once())
    there: dict[float, tuple[Placed, float]] = field(default_factory=dict)

    def leader_at(self, travel: float) -> Placed:
        """The leader at a place, as a partial move would put it down."""
        if travel not in self.there:
            self.there[travel] = self._leader_at(travel)
        return self.there[travel][0]

    def _leader_at(self, travel: float) -> tuple[Placed, float]:
        """The leader at a place, and how high its way is there."""
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
        return beside(made.battle.table, replace(made.leader, at=(x, y), turn=faces, level=level)), z

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
        if stand.answer == "stable" and wall and stand.pose is not None:
            wall = self._wall_in(leader, feet, still, _lying(leader, stand.pose))
            if wall and wall not in {c.piece for c in stand.contacts}:
                return Look(False, ("in a wall", wall), height=feet, cut=cut, codes=("END_BLOCKED",))
        fallen = fallen_mm(stand, self.there[travel][1]) > made.walk.step_mm + LEVEL_MM
        if fallen and made.walk.over_mm <= made.feet and ruleset.options.deep_drop == "climb":
            return Look(False, ("fallen", pieces), height=feet, cut=cut, codes=("MOVE_DROP_TOO_DEEP",))
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

    def _wall_in(self, leader: Placed, feet: float, still: Walk, lying: Floats | None = None) -> str:
        """The piece that a base is deeper in than touching, notches filled; what it stands on may be meant, too.

        On any other way it would have stopped at it; here it was passed over. `lying`: what it covers where it rests,
        which is less where it leans, and as far as to the bottom of its rear notch: it has come from what is in that.
        """
        table = self.made.battle.table
        ring = (ring_of(leader) if lying is None else lying) - np.array(leader.at)
        low = replace(still, step_mm=max(leader.level - feet, 0.0) if leader.level is not None else LOW_MM)
        poses = np.array([[*leader.at, 0.0]] * 2)
        track = along(ground_of(table), ring, poses, low, feet, len(table.pieces))
        return table.pieces[track.stopper].name if track.stopped >= 0 else ""


def _lying(leader: Placed, pose: Pose) -> Floats:
    """What a base covers where it rests, its notches filled but the rear one: no way stops at what lies behind."""
    ring = _but_rear(leader.mini.base.outline)
    covered: Floats = pose.apply(np.column_stack([ring, np.zeros(len(ring))]))[:, :2]
    return covered


def _but_rear(outline: Outline) -> Floats:
    """A filled ring, cut off at the bottom of its rear notch.

    >>> from sim3d.mini import Base
    >>> float(_but_rear(Base.round(50, notches=["front", "rear"]).outline)[:, 0].min())
    -22.0
    """
    ring, bare = filled(outline), outline.polygon()
    ahead = np.roll(bare, -1, axis=0)
    middle = (bare[:, 1] >= 0) & (ahead[:, 1] < 0) & (bare[:, 0] < 0)  # counter-clockwise, behind, downwards
    rear = [x + (u - x) * y / (y - v) for (x, y), (u, v) in zip(bare[middle], ahead[middle], strict=True)]
    return hull(np.column_stack([np.maximum(ring[:, 0], min(rear, default=-math.inf)), ring[:, 1]]))


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
