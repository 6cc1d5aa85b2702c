"""`rest()`: the quasi-static resting pose of a miniature on a table, and every number of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from sim3d.asked import checked_place
from sim3d.certificate import Certificate, Contact, Nudged, Three
from sim3d.ground import Foot, ground_of
from sim3d.ground.patch import FLOOR, Ground, Patch, sizes
from sim3d.mini import Base, Mini
from sim3d.space import TOUCH_MM, WORD_BAND_DEG, WORD_BAND_MM, Floats, Ints, Pose
from sim3d.statics.bare import notched_ring, overhang_of
from sim3d.statics.footing import Footing, followed, footing_of, untrodden
from sim3d.statics.glide import WALK_MM
from sim3d.statics.home import BACK_AGAIN, goes_over_from, may_stay
from sim3d.statics.lowest import FALLS, LOST, RESTS, TOPPLES, lowest
from sim3d.statics.numbers import DIRECTIONS, Numbers, numbers_of
from sim3d.statics.over import worst
from sim3d.statics.overhang import Underside, overhang
from sim3d.statics.proofs import any_way_over, carried_by, goes_past, way_over
from sim3d.statics.ramp import BALANCES_MM, carried_at, nudges
from sim3d.statics.roll import NEVER
from sim3d.statics.surfaces import least_friction
from sim3d.statics.tip import FARTHER_AT_LEAST_DEG, tip, tip_for_word
from sim3d.statics.touch import at_rest, frame_of, hull, touching
from sim3d.statics.ways import BY_TILT, apart, ways_over
from sim3d.statics.weigh import Weighed, held, horizontal_margin, weighed
from sim3d.table import Table, checked_mini, checked_table

NUDGE_DEG = 5.0  # the gravity tilt of a bumped table
AROUND_MM = 2.0  # terrain farther than this beside the base cannot touch it while it rolls
FARTHEST_TIP_DEG = 85.0  # beyond it, gravity lies flat
RIM_MM = 9e-7  # so far from its rim a base carries nothing: what it only touches at its side, rounded, is not under it
LOADED = 1e-8  # of the weight: a contact that carries less is not shown, nor missed in the balance
BESIDE = 1e-3  # of a gradient: so far to its sides what balances is let go
HELD_WITHIN_MM = 1.0  # of where a rolling base was left: a pose farther off in which gravity holds it is another one
BETWEEN = (0.25, 0.5, 0.75, 0.9)  # of the way to the friction that holds it: so far off a slide is proven, too
ASIDE_MM = 0.2  # by so much a round rim in a face touches, but for a millionth of a millimetre
LEANS_DEG = 2.0  # at rest: a base that leans by less lies as good as level
HALF_ROUND = 1e-3  # the real part of a turn; less is divided by no more
Depth = Literal["word", "cell", "all"]  # what is asked: a word alone, what a map shows of a cell, or all


@dataclass(frozen=True, slots=True)
class Rest:
    """What statics finds: an outcome ("rests", "topples", "falls", "lost"), the pose, and its numbers."""

    outcome: str
    pose: Pose | None = None
    near_limit: bool = False  # the ground point lies within a thousandth of a mm of where the outcome changes
    tilt_deg: float | None = None
    margin_mm: float | None = None
    tip_deg: float | None = None
    tip_is_least: bool = False  # only the word was asked: the true tip is at least this
    rock_deg: float | None = None
    barrier_mm: float | None = None
    barrier_is_least: bool = False  # the search ended early: no way that it went was easier
    overhang_mm: float | None = None
    overhang_share: float | None = None
    friction_needed: float | None = None
    slip_deg: float | None = None
    com_limit_mm: float | None = None
    contacts: tuple[Contact, ...] = ()
    certificate: Certificate | None = None  # what `sim3d.check` needs to prove it
    friction: float = 0.0  # the coefficient there was
    by_hand: bool = False  # somebody has to lean it there: let go level it may roll off and go over
    tip_way: float | None = None  # radians: the direction in which gravity leans that tips it first, or nearly
    unproven: bool = False  # it takes the nudge, but what carries it where that leads could not be told


class Nudges(NamedTuple):
    """What a base touches at rest, which of that lies on its hull, and where nudges lead it."""

    touch: Floats
    ring: Ints
    leans: Floats  # (n, 4, 3)
    first: float  # radians: the direction of the first one


@lru_cache(maxsize=64)
def foot_of(base: Base) -> Foot:
    """The compiled form of a base, kept: a sweep asks for the same one."""
    return Foot.of(base.outline, RIM_MM)


@lru_cache(maxsize=64)
def foot_within(base: Base, mm: float) -> Foot:
    """The same of a base that is smaller by so much all round."""
    return Foot.of(base.outline, mm)


@lru_cache(maxsize=64)
def underside_of(base: Base) -> Underside:
    """The compiled form of what may hang over, kept as `foot_of`."""
    return Underside.of(base.outline)


@dataclass(frozen=True, slots=True)
class Case:
    """One placement, ready for the compiled loops: the terrain around it, the foot, the centre of mass."""

    patch: Patch
    foot: Foot
    com: Floats
    turn: float  # radians

    def lowest(
        self, com: Floats | None = None, start: tuple[float, float] = (0.0, 0.0)
    ) -> tuple[int, float, float, float]:
        """Outcome, c, gx, gy; with another centre of mass if given; sought from a gradient on, or from level."""
        p = self.patch
        basis, features = np.zeros((3, 3)), np.zeros((3, 4), np.int64)
        out, c, gx, gy, _ = lowest(
            p.tris,
            p.lumps,
            p.traits,
            self.com if com is None else com,
            self.turn,
            start[0],
            start[1],
            self.foot,
            basis,
            features,
        )
        return out, c, gx, gy

    def carried(self, out: int, c: float, gx: float, gy: float) -> bool:
        """Whether a pose rests by more than a balance on one point of its rim."""
        if out != RESTS:
            return False
        footing = self.footing(self.frame(c, gx, gy))
        band = WORD_BAND_MM / self.com[2]
        return bool(tip(footing, 2 * band, band)[0] > band)

    def footing(self, frame: Floats) -> Footing:
        """The base in this pose, as the loops take it."""
        p = self.patch
        return footing_of(p.tris, p.spans, p.traits, frame, self.com, self.foot, untrodden())

    def numbers(self, frame: Floats, *, limited: bool = True) -> Numbers:
        """All numbers of the base in this pose; the highest centre of mass only if so asked."""
        p, farthest = self.patch, math.radians(FARTHEST_TIP_DEG)
        return numbers_of(p.tris, p.spans, p.lumps, p.traits, frame, self.com, self.foot, self.turn, farthest, limited)

    def level_height(self, foot: Foot | None = None) -> float | None:
        """The highest terrain under the upright footprint, or another one, relative to the patch; None over nothing."""
        p, point, feature = self.patch, np.empty(3), np.zeros(4, np.int64)
        deep = -1e6
        ct, st = math.cos(self.turn), math.sin(self.turn)
        over = worst(p.tris, p.lumps, deep, 0.0, 0.0, 0.0, 0.0, ct, st, foot or self.foot, point, feature)
        return deep + float(over) if over > 0 else None

    def level_pose(self) -> Pose | None:
        """Upright on the highest terrain under the footprint, whether it rests there or not; None over nothing."""
        p, high = self.patch, self.level_height()
        return None if high is None else Pose.at(p.x, p.y, p.z + high, turn=math.degrees(self.turn))

    def by_hand(self, frame: Floats) -> bool:
        """Whether a base that rests in this pose goes over, let go level, without coming by it."""
        high = self.level_height()
        if high is None or frame[3, 2] >= math.cos(math.radians(LEANS_DEG)):
            return False
        return bool(goes_over_from(self.footing(frame), self.frame(high, 0.0, 0.0)))

    def frame(self, c: float, gx: float, gy: float) -> Floats:
        """The pose as a frame, relative to the patch."""
        return frame_of(0.0, 0.0, c, gx, gy, self.turn)


def case_of(ground: Ground, mini: Mini, *, at: tuple[float, float], turn: float, level: float | None) -> Case:
    """A placement, ready to be solved."""
    foot = foot_of(mini.base)
    patch = ground.patch(float(at[0]), float(at[1]), foot.reach_mm + AROUND_MM, level=level)
    return Case(patch, foot, np.array(mini.com), math.radians(turn))


def rest(
    table: Table,
    mini: Mini,
    *,
    at: tuple[float, float],
    turn: float = 0.0,
    level: float | None = None,
    friction: float | None = None,
) -> Rest:
    """The resting pose of a mini set down from above with its middle at `at`, and every number of it.

    Friction is the coefficient there is (only `slip_deg` and the loads depend on it); default: gripping surfaces.
    """
    checked_table(table)
    checked_mini(mini)
    checked_place(at, turn, level, friction)
    mu = table.friction("grip", "grip") if friction is None else float(friction)
    case = case_of(ground_of(table), mini, at=at, turn=turn, level=level)
    return solved(case, mini, mu, tuple(p.name for p in table.pieces), ground_of(table))


def solved(
    case: Case,
    mini: Mini,
    mu: float,
    names: tuple[str, ...],
    ground: Ground,
    *,
    prove: bool = False,
    depth: Depth = "all",
    real: Floats | None = None,
    fits: Callable[[Pose], bool] = lambda _: True,
    enough: Callable[[Rest], bool] = lambda _: False,
) -> Rest:
    """The numbers of one case, with their certificate if asked for: it takes as long again.

    `real`: the friction of each piece and, last, of the floor; that of what it touches is taken then. Of a word only
    what it needs is asked, and its pose and contacts; not even a tip where the rest is `enough` for one. No more is
    asked of a pose that does not fit. Of a cell neither overhang nor highest centre of mass is: no map shows them.
    """
    out, c, gx, gy = case.lowest()
    if out in (TOPPLES, LOST):
        gone, out, c, gx, gy = _caught(case, out, gx, gy, prove)
        if gone is not None:
            return replace(gone, friction=mu)
    if out == FALLS:
        return Rest("falls", friction=mu)
    p = case.patch
    frame = case.frame(c, gx, gy)
    pose = pose_of(frame, case)
    brief = depth == "word" or not fits(pose)
    seen: Footing | Numbers = case.footing(frame) if brief else case.numbers(frame, limited=depth == "all")
    touch, ring, margin = seen[:3] if isinstance(seen, Numbers) else _carriers(case, seen, frame)
    tilt = math.degrees(math.atan(math.hypot(gx, gy)))
    loads = weighed(touch, ring, p.tris, frame, case.com, case.foot)
    contacts = _contacts(case, loads, names, ground)
    mu = mu if real is None else least_friction(p, touch, frame, ground.pieces, real)
    slip, unheld = held(loads, case.foot.reach_mm, mu)
    told = Rest(
        outcome="rests",
        pose=pose,
        tilt_deg=tilt,
        margin_mm=margin,
        friction_needed=loads.needs,
        slip_deg=math.degrees(slip),
        contacts=contacts,
        friction=mu,
    )
    if isinstance(seen, Footing):
        onset = _onset_deg(seen)
        if onset > 10 * WORD_BAND_DEG and enough(told):
            return told
        tip_at, rocked, farthest = _tip_for_word(seen, onset)
    else:
        tip_at, rocked, farthest = seen.tip, seen.rocked, FARTHEST_TIP_DEG
    tip_deg = farthest if tip_at >= NEVER else math.degrees(tip_at)
    told = replace(
        told,
        near_limit=case.com[2] * math.tan(min(max(tip_at, math.radians(rocked)), 1.5)) < WORD_BAND_MM,
        tip_deg=tip_deg,
        tip_way=seen.way if isinstance(seen, Numbers) and tip_at < NEVER else None,
        tip_is_least=brief and tip_at >= NEVER,
        rock_deg=rocked,
    )
    if told.near_limit:  # a balance on a point or an edge
        ex, ey, _, bx, by, clearly = any_way_over(p.tris, p.lumps, case.com, case.turn, case.foot, True)
        if clearly and not _caught_beside(case, gx, gy):  # to which nothing leads: set down level it goes over
            return Rest("topples", certificate=_over(case, np.empty((0, 3)), ex, ey, bx, by), friction=mu)
    if isinstance(seen, Footing):
        if onset <= NUDGE_DEG + 10 * WORD_BAND_DEG and tip_deg >= NUDGE_DEG:  # it stirs, and comes home
            _, _, leans, first = nudges(seen, DIRECTIONS, math.radians(NUDGE_DEG), True)
            return replace(told, unproven=not _nudged(case, frame, pose, Nudges(touch, ring, leans, first)))
        return told
    proof, unproven = None, False
    if prove:
        motion = _least_opposed(loads, _motion(unheld, case.foot.reach_mm), mu, case.foot.reach_mm)
        nudges_to = Nudges(touch, ring, seen.leans, seen.first)
        nudged = _nudged(case, frame, pose, nudges_to) if tip_deg >= NUDGE_DEG and motion is None else ()
        proof, unproven = Certificate(pose, contacts, nudged, motion), tip_deg >= NUDGE_DEG and not nudged
    told = replace(
        told,
        unproven=unproven,
        barrier_mm=seen.lift,
        barrier_is_least=not seen.final,
        certificate=proof,
        by_hand=case.by_hand(frame),
    )
    if depth == "cell":
        return told
    over_mm, over_share = _overhang(case, mini.base, frame)
    return replace(told, overhang_mm=over_mm, overhang_share=over_share, com_limit_mm=seen.com_limit)


def _overhang(case: Case, base: Base, frame: Floats) -> tuple[float, float]:
    """How far a base in a pose hangs over, and with which share of its underside."""
    tris = case.patch.tris
    over_mm, share = overhang(tris, case.patch.spans, frame, underside_of(base))
    notched = notched_ring(base)
    if notched is not None and over_mm > 0.0:
        over_mm = overhang_of(tris, frame, notched)
        over_mm = case.foot.reach_mm if over_mm == math.inf else over_mm
    return over_mm, share


def _carriers(case: Case, on: Footing, frame: Floats) -> tuple[Floats, Ints, float]:
    """What a base touches, which of that lies on its hull, its margin: of `numbers_of` what a word needs."""
    touch = at_rest(touching(on.whole, frame, case.foot, TOUCH_MM))
    ring = hull(touch)
    return touch, ring, horizontal_margin(touch, ring, frame, case.com, case.foot.edges)


def _onset_deg(on: Footing) -> float:
    """The least tilt over an edge of its contacts: below it nothing stirs; 0 where there is no edge."""
    if on.ring.shape[0] < 2:
        return 0.0
    sines = ways_over(on.contacts, on.ring, on.frame, on.foot.edges, on.com, BY_TILT)[1]
    return math.degrees(math.asin(max(-1.0, min(1.0, float(sines.min())))))


def _tip_for_word(on: Footing, onset_deg: float) -> tuple[float, float, float]:
    """A tip on the same side of a nudge, and of a balance, as the true one, how much it rocks, what NEVER is at least.

    Where some way over an edge is easier than a nudge, no nudge has to be made.
    """
    if onset_deg > NUDGE_DEG + 10 * WORD_BAND_DEG:
        return NEVER, 0.0, onset_deg
    enough = math.radians(NUDGE_DEG - 10 * WORD_BAND_DEG)
    most = tip_for_word(on, math.radians(NUDGE_DEG + FARTHER_AT_LEAST_DEG), enough)
    if on.com[2] * math.tan(min(most, enough)) > BALANCES_MM:
        return most, 0.0, NUDGE_DEG + FARTHER_AT_LEAST_DEG
    over, rocked, _, _ = nudges(on, DIRECTIONS, most, True)
    return min(most, over), rocked, NUDGE_DEG + FARTHER_AT_LEAST_DEG


def _nudged(case: Case, frame: Floats, pose: Pose, seen: Nudges) -> tuple[Nudged, ...]:
    """What carries it where each nudge leads; nothing where one of them has no proof."""
    p, found, footing, touch, ring = case.patch, [], case.footing(frame), seen.touch, seen.ring
    origin, tilt = np.array([p.x, p.y, p.z]), math.radians(NUDGE_DEG)
    places, shares = np.empty((3, 3)), np.empty(3)
    for k, lean in enumerate(seen.leans):
        towards = seen.first + 2 * math.pi * k / DIRECTIONS
        ux, uy = math.cos(towards), math.sin(towards)
        there, gravity = pose, (case.com, case.foot.edges, ux, uy, tilt, places, shares)
        if np.array_equal(lean, frame):
            carried = carried_by(touch, ring, lean, *gravity)
            if not carried:
                mine = touching(footing.close, lean, case.foot, BACK_AGAIN * WALK_MM)
                carried = carried_by(mine, hull(mine), lean, *gravity)
        else:  # it rolled on to other contacts
            lean, carried = carried_at(footing, lean, ux, uy, tilt, places, shares)
            there = pose_of(lean, case)
        if not carried:
            lean = _held_near(case, lean, ux, uy, tilt)  # it was left in the middle of rolling on its rim
            there = pose_of(lean, case)
            mine = touching(followed(footing, footing.close, lean), lean, case.foot, 0.5 * WALK_MM)
            if not carried_by(mine, hull(mine), lean, *gravity):
                return ()
        if may_stay(footing, lean):
            return ()
        at = tuple((x, y, z) for x, y, z in (places + origin).tolist())
        found.append(Nudged(math.degrees(towards) % 360, there, at, tuple(shares.tolist())))
    return tuple(found)


def _held_near(case: Case, lean: Floats, ux: float, uy: float, tilt: float) -> Floats:
    """The pose near a leaning one in which gravity tilted towards (ux, uy) holds a base; itself where none is found.

    It is that of an upright base on terrain that is turned until gravity points down. A wall beside it may lean over it
    then, and a pose on top of that is not near.
    """
    s, c = math.sin(tilt), math.cos(tilt)
    upright = np.array([[c * ux, c * uy, s], [-uy, ux, 0.0], [-s * ux, -s * uy, c]])
    tris = np.ascontiguousarray((case.patch.tris - lean[0]) @ upright.T)
    lumps, _ = sizes(tris)
    front, up = upright @ lean[1], upright @ lean[3]
    gx, gy = -float(up[0] / up[2]), -float(up[1] / up[2])
    ahead = frame_of(0.0, 0.0, 0.0, gx, gy, 0.0)
    turn = math.atan2(float(front @ ahead[2]), float(front @ ahead[1]))
    basis, features = np.zeros((3, 3)), np.zeros((3, 4), np.int64)
    out, z, gx, gy, _ = lowest(tris, lumps, case.patch.traits, case.com, turn, gx, gy, case.foot, basis, features)
    if out != RESTS:
        return lean
    found = frame_of(0.0, 0.0, z, gx, gy, turn) @ upright
    found[0] += lean[0]
    return found if apart(found, lean, case.foot.reach_mm) < HELD_WITHIN_MM else lean


def _caught(case: Case, out: int, gx: float, gy: float, prove: bool) -> tuple[Rest | None, int, float, float, float]:
    """What becomes of a base that no pose was found for from level: it topples, or the pose in which it is caught.

    What provably goes over topples. Where terrain holds it on its way, a pose is sought from there: the program may
    have tilted it past one in which it leans on something farther down. Where there is none it topples: its rim may
    slip off what carried it before its weight is past all that is under it. For a proof ways aside are looked for, and
    it is enough that it goes on until it leans by more than 45 degrees.
    """
    p = case.patch
    through, free, bx, by, clearly = np.empty((0, 3)), False, 0.0, 0.0, False
    ex, ey = gx, gy
    if out == LOST:
        ex, ey, free, bx, by, clearly = any_way_over(p.tris, p.lumps, case.com, case.turn, case.foot, False)
    if not free:
        through, ex, ey, free, bx, by, clearly = way_over(p.tris, p.lumps, case.com, case.turn, case.foot, gx, gy)
    if not free:
        again = case.lowest(start=(ex, ey))
        if case.carried(*again):
            return None, *again
        if out == LOST:
            through = np.empty((0, 3))
            ex, ey, free, bx, by = goes_past(p.tris, p.lumps, case.com, case.turn, case.foot)
            clearly = free
            if not free:
                return Rest("lost", near_limit=True), *again
    near_limit = not clearly and _nearly_carried(case)
    if prove and not free and not near_limit:
        through = np.empty((0, 3))
        ex, ey, free, bx, by, _ = any_way_over(p.tris, p.lumps, case.com, case.turn, case.foot, False)
        if not free:
            ex, ey, free, bx, by = goes_past(p.tris, p.lumps, case.com, case.turn, case.foot)
    proof = _over(case, through, ex, ey, bx, by) if free else None
    return Rest("topples", near_limit=near_limit, certificate=proof), TOPPLES, 0.0, ex, ey


def _caught_beside(case: Case, gx: float, gy: float) -> bool:
    """Whether a base that balances at a gradient is caught once it is let go a hair to some side."""
    for k in range(8):
        a = math.pi * k / 4
        if case.carried(*case.lowest(start=(gx + BESIDE * math.cos(a), gy + BESIDE * math.sin(a)))):
            return True
    return False


def _over(case: Case, through: Floats, gx: float, gy: float, bx: float, by: float) -> Certificate:
    """That it goes over through some normals to a gradient at which nothing lies beyond its ground point."""
    passed = tuple((x, y, z) for x, y, z in through.tolist())
    return Certificate(pose_of(case.frame(0.0, gx, gy), case), beyond=(bx, by), through=passed)


def _nearly_carried(case: Case) -> bool:
    """Whether a centre of mass a thousandth of a millimetre elsewhere would rest."""
    for k in range(8):
        a = math.pi * k / 4
        com = case.com + np.array([WORD_BAND_MM * math.cos(a), WORD_BAND_MM * math.sin(a), 0.0])
        if case.lowest(com)[0] == RESTS:
            return True
    return False


def pose_of(frame: Floats, case: Case) -> Pose:
    """A frame of a patch as a pose on the table."""
    e1, e2, n = frame[1], frame[2], frame[3]
    w = math.sqrt(max(0.0, 1 + e1[0] + e2[1] + n[2])) / 2
    if w > HALF_ROUND:
        spin = (w, (e2[2] - n[1]) / (4 * w), (n[0] - e1[2]) / (4 * w), (e1[1] - e2[0]) / (4 * w))
    else:  # turned half round, or nearly: of an upward normal the turn about it is then what is large
        z = math.sqrt(1 - e1[0] - e2[1] + n[2]) / 2
        spin = ((e1[1] - e2[0]) / (4 * z), (n[0] + e1[2]) / (4 * z), (n[1] + e2[2]) / (4 * z), z)
    size = math.sqrt(sum(s * s for s in spin))
    p = case.patch
    return Pose(
        (p.x + float(frame[0, 0]), p.y + float(frame[0, 1]), p.z + float(frame[0, 2])),
        (float(spin[0] / size), float(spin[1] / size), float(spin[2] / size), float(spin[3] / size)),
    )


def _contacts(case: Case, loads: Weighed, names: tuple[str, ...], ground: Ground) -> tuple[Contact, ...]:
    """Those contacts that carry, on the table."""
    p, origin = case.patch, np.array([case.patch.x, case.patch.y, case.patch.z])
    shown = np.flatnonzero(np.sqrt((loads.loads**2).sum(axis=1)) > LOADED)
    numbers = p.numbers[loads.triangles[shown]]
    return tuple(
        Contact(tuple(a), tuple(n), f[2], tuple(f), "table" if t == FLOOR else names[int(ground.pieces[t])])
        for a, n, f, t in zip(
            (loads.places[shown] + origin).tolist(),
            loads.normals[shown].tolist(),
            loads.loads[shown].tolist(),
            numbers.tolist(),
            strict=True,
        )
    )


def _least_opposed(
    loads: Weighed, motion: tuple[Three, Three] | None, mu: float, scale: float
) -> tuple[Three, Three] | None:
    """How it starts to slide, by more friction than there is where the loads oppose that less; None where it holds."""
    if motion is None or loads.needs >= math.inf:
        return motion
    more = (_motion(held(loads, scale, mu + share * (loads.needs - mu))[1], scale) for share in BETWEEN)
    return min([motion, *(m for m in more if m is not None)], key=lambda one: _opposed(loads, one, mu))


def _opposed(loads: Weighed, motion: tuple[Three, Three], mu: float) -> float:
    """How much of gravity's power on a motion a contact takes at most, were it a little aside, as on a round rim."""
    velocity, spin = (np.array(part) for part in motion)
    most = -math.inf
    for aside in np.vstack([np.eye(3), -np.eye(3)]) * ASIDE_MM:
        at_place = velocity + np.cross(spin, loads.arms + aside)
        along = np.einsum("ij,ij->i", at_place, loads.normals)
        across = np.linalg.norm(at_place - along[:, None] * loads.normals, axis=1)
        most = max(most, float((mu * across - along).max()))
    return most / max(-float(velocity[2]), 1e-12)


def _motion(unheld: Floats, scale: float) -> tuple[Three, Three] | None:
    """How it starts to slide: velocity and spin about its centre of mass that no load opposes; None where it holds.

    What the best loads leave unbalanced is at a right angle to, or turned away from, every load there could be.
    """
    size = float(np.linalg.norm(unheld))
    if size == 0.0:
        return None
    a, b, c, d, e, f = (-unheld / size).tolist()
    return (a, b, c), (d / scale, e / scale, f / scale)
