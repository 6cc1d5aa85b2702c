"""A base where it stands: what carries it, what it may roll on to, what it is. All that rolls it over takes this.

Compiled.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, copied, lean, scratch, scratch_marks
from sim3d.ground.foot import Foot
from sim3d.space import Bools, Floats, Ints
from sim3d.statics.glide import (
    APART_MM,
    AT_ONCE,
    FIRST,
    LIFTED_MM,
    LIFTS,
    POSES,
    SINK_MM,
    WALK_MM,
    Places,
    first_of_two,
    roll_on_two,
    told_step,
)
from sim3d.statics.near import ABOUT, CLOSE, Terrain, moved, near, whole
from sim3d.statics.roll import NEVER, ahead, first_touch, raised, turned
from sim3d.statics.touch import (
    ARC,
    HEIGHT,
    MEETING,
    OVERHEAD_MM,
    PX,
    PY,
    PZ,
    QX,
    QY,
    RIM_ON_FACE,
    TRIANGLE,
    UNDER,
    at_rest,
    dot,
    gap2,
    hull,
    met_by,
    on_same_arc,
)
from sim3d.statics.ways import STEEPEST

SMOOTH = 0.6  # of that angle: a bow is half way down when its deepest point touches; what touches later lies apart
SHORT = 0.02  # radians: a step on the rim is a tenth of it; terrain that is met later need not be looked at then
TRIES = 3  # steps tried, each as much shorter as what is not the rim had sunk in
FREE, LANDS, ON_RIM = 0, 1, 2  # how a step of rolling ends: nothing in the way; on terrain; rolling on its rim
FIRM_MM = 1e-6  # what touches, whatever is beside it
PIVOT_MM = 1e-3  # a point of the terrain this near the axis is what it turns about: it sinks in by a rounding
APART = 0.25  # of the length of the contacts: two so far apart are lifted each by its own depth
BEHIND_MM = 1e-7  # a base that reaches less over the axis than this meets nothing more
HALF_ROOM = 0.5  # of the room of what is near: then it is chosen anew
KEPT = 6144  # steps of one base that are remembered; a tenth is many, a search for a limit takes thousands
SLOTS = 8192  # places to look for them
KEPT_CONTACTS = 98304  # of all those together
ROOMY = 0.9  # of that: then it is as good as full
UNSURE = 2  # steps at the end of those told ahead
UNSEEN_MM = 0.8 * OVERHEAD_MM  # what has sunk in deeper hangs over the base, for all that one pose shows
FORETOLD_MM = 1e-5  # a contact this near the one that was told is it
UNASKED = -1  # of a step: nobody asked yet whether it comes home
STEPS = 400  # facets along one way; a smooth rim takes a hundred
SPREAD = 1e10  # what differs by more than a rounding gets another slot


class Trodden(NamedTuple):
    """Steps of rolling that were taken once: on its ways over, one direction after another, a base goes most again."""

    slots: Ints  # (SLOTS,) the number of a step, or -1
    froms: Floats  # (KEPT, 7, 3) frame and axis
    kinds: Ints  # (KEPT,)
    angles: Floats  # (KEPT,)
    homes: Ints  # (KEPT,) whether one with this centre of mass comes home from there, let go: 0, 1, or UNASKED
    frames: Floats  # (KEPT, 4, 3) after the step
    parts: Ints  # (KEPT, 4) which contacts and which of the rings are its own
    contacts: Floats  # (KEPT_CONTACTS, 10)
    rings: Ints  # (KEPT_CONTACTS,)
    many: Ints  # (3,) steps, contacts, corners of rings
    ways: Floats  # (STEPS, 4, 3) poses from which it is known to come home, of one way over,
    leads: Bools  # (STEPS,) whether it goes straight from this one to the next,
    gone: Ints  # (1,) and how many there are
    passed: Ints  # (STEPS,) room for the steps of one way home


class Step(NamedTuple):
    """One step of rolling."""

    kind: int  # FREE, LANDS or ON_RIM
    by: float  # radians
    frame: Floats  # the pose after it
    contacts: Floats  # there
    ring: Ints  # those on their hull
    close: Terrain  # what is near where it ended
    number: int  # among those that are remembered; -1: there was no room for it


class Footing(NamedTuple):
    """One base at rest, as the loops take it."""

    whole: Terrain  # all there is
    about: Terrain  # what it may meet before it has rolled far
    close: Terrain  # what is near
    frame: Floats  # the pose (4, 3)
    contacts: Floats  # what carries it
    ring: Ints  # those on their hull
    com: Floats
    foot: Foot
    trodden: Trodden


@compiled
def untrodden() -> Trodden:
    """No step yet."""
    return Trodden(
        np.full(SLOTS, -1),
        np.empty((KEPT, 7, 3)),
        np.empty(KEPT, np.int64),
        np.empty(KEPT),
        np.empty(KEPT, np.int64),
        np.empty((KEPT, 4, 3)),
        np.empty((KEPT, 4), np.int64),
        np.empty((KEPT_CONTACTS, 10)),
        np.empty(KEPT_CONTACTS, np.int64),
        np.zeros(3, np.int64),
        np.empty((STEPS, 4, 3)),
        np.empty(STEPS, np.bool_),
        np.zeros(1, np.int64),
        np.empty(STEPS, np.int64),
    )


@compiled
def forgotten(trodden: Trodden) -> Trodden:
    """The same room, for the steps of another base."""
    trodden.slots[:] = -1
    trodden.many[:] = 0
    return trodden


@compiled
def for_another(trodden: Trodden) -> Trodden:
    """The same steps for a base with another centre of mass: it rolls the same, but elsewhere it may not roll back."""
    trodden.homes[: trodden.many[0]] = UNASKED
    return trodden


@lean
def is_full(trodden: Trodden) -> bool:
    """Whether there is room for but a few more steps."""
    return trodden.many[0] > ROOMY * KEPT or max(trodden.many[1], trodden.many[2]) > ROOMY * KEPT_CONTACTS


@compiled
def footing_of(
    tris: Floats, spans: Floats, traits: Ints, frame: Floats, com: Floats, foot: Foot, trodden: Trodden
) -> Footing:
    """A base in a pose on the triangles of a patch; `trodden` is room for its steps, with none in it."""
    everything = whole(tris, spans, traits)
    about = near(everything, frame, foot, ABOUT)
    close = near(about, frame, foot, CLOSE)
    firm = at_rest(met_rolling(close, frame, foot))
    return Footing(everything, about, close, frame, firm, hull(firm), com, foot, trodden)


@compiled
def met_rolling(terrain: Terrain, frame: Floats, foot: Foot) -> Floats:
    """What a base meets at a pose on its way.

    What it turned about lies under it by what a lift leaves, and is met; but not what lies as low beside something
    else: rim and edges come down to what they touch by little, and what is near by as much is not met yet.
    """
    return met_rather(met_by(terrain, frame, foot, 0.5 * WALK_MM, FIRM_MM), foot)


@compiled
def met_rather(met: Floats, foot: Foot) -> Floats:
    """Of what lies so near those that are met, as `met_rolling` says."""
    if met.shape[0] == 0 or met[:, HEIGHT].min() >= -FIRM_MM:
        return met
    kept, n = np.empty(met.shape[0], np.int64), 0
    for i in range(met.shape[0]):
        if met[i, HEIGHT] >= -FIRM_MM or is_highest(met, i, beside(foot)):
            kept[n] = i
            n += 1
    return met[kept[:n]]


@lean
def beside(foot: Foot) -> float:
    """Twice as far (mm) as a bow is met to both sides of its deepest point by as much as a step may sink in."""
    return 2.0 * math.sqrt(2.0 * foot.reach_mm * SINK_MM)


@lean
def is_highest(contacts: Floats, i: int, within: float) -> bool:
    """Whether no contact as near as that to one is higher."""
    for k in range(contacts.shape[0]):
        if contacts[k, HEIGHT] > contacts[i, HEIGHT] and gap2(contacts, i, k) < within * within:
            return False
    return True


@compiled
def roll(on: Footing, close: Terrain, frame: Floats, axis: Floats, slack: float, limit: float) -> tuple[float, float]:
    """The first touch, as `first_touch` gives it, among what is near as far as that is sure, else among everything."""
    if ahead(frame, axis, on.foot) <= BEHIND_MM:
        return NEVER, NEVER
    for k in range(2):
        terrain = close if k == 0 else on.about
        if k == 1 and moved(terrain, frame, on.foot.reach_mm) > HALF_ROOM * terrain.room:
            break
        # from one side of the room to the other at most: farther, what is near is not sure
        far = min(limit, 2.0 * math.acos(max(0.0, 1.0 - terrain.room / on.foot.reach_mm)))
        exact, deep = first_touch(terrain, frame, axis, on.foot, slack, far)
        upto = far if exact >= NEVER else deep
        if upto < STEEPEST and moved(terrain, turned(frame, axis, upto), on.foot.reach_mm) <= terrain.room:
            return exact, deep
    return first_touch(on.whole, frame, axis, on.foot, slack, limit)


@compiled
def followed(on: Footing, close: Terrain, frame: Floats) -> Terrain:
    """What is near, chosen anew where the base has gone too far from where that was done."""
    if moved(close, frame, on.foot.reach_mm) <= HALF_ROOM * close.room:
        return close
    if moved(on.about, frame, on.foot.reach_mm) <= HALF_ROOM * on.about.room:
        return near(on.about, frame, on.foot, CLOSE)
    return near(on.whole, frame, on.foot, ABOUT)


@compiled
def stepped(on: Footing, close: Terrain, frame: Floats, axis: Floats, contacts: Floats, more: int) -> Step:
    """One step of rolling about an axis over some of the contacts of a pose; one that was taken before is known.

    Where so many more are likely to follow, they may be told ahead.
    """
    t = on.trodden
    slot, known = place_of(t, frame, axis)
    if known < 0 and slot >= 0 and contacts.shape[0] > 1:
        close = gone_ahead(on, close, frame, axis, contacts, more)
        known = t.slots[slot]
    if known >= 0:
        a, b, c, d = t.parts[known, 0], t.parts[known, 1], t.parts[known, 2], t.parts[known, 3]
        frame = t.frames[known]
        return Step(t.kinds[known], t.angles[known], frame, t.contacts[a:b], t.rings[c:d], close, known)
    close = followed(on, close, frame)
    kind, by, there, met, close = one_step(on, close, frame, axis, contacts, SINK_MM)
    ring = hull(met)
    return Step(kind, by, there, met, ring, close, noted(t, slot, frame, axis, kind, by, there, met, ring))


@compiled
def noted(
    t: Trodden,
    slot: int,
    frame: Floats,
    axis: Floats,
    kind: int,
    by: float,
    there: Floats,
    contacts: Floats,
    ring: Ints,
) -> int:
    """The number of a step that is remembered from now on; -1 where there is no room for it."""
    n, first, corner = t.many[0], t.many[1], t.many[2]
    last, end = first + contacts.shape[0], corner + ring.shape[0]
    if slot < 0 or n >= KEPT or last > KEPT_CONTACTS or end > KEPT_CONTACTS:
        return -1
    t.slots[slot], t.kinds[n], t.angles[n], t.homes[n] = n, kind, by, UNASKED
    t.froms[n, :4], t.froms[n, 4:], t.frames[n] = frame, axis, there
    t.parts[n, 0], t.parts[n, 1], t.parts[n, 2], t.parts[n, 3] = first, last, corner, end
    t.contacts[first:last], t.rings[corner:end] = contacts, ring
    t.many[0], t.many[1], t.many[2] = n + 1, last, end
    return n


@compiled
def gone_ahead(on: Footing, close: Terrain, frame: Floats, axis: Floats, contacts: Floats, more: int) -> Terrain:
    """Tell this step, and up to so many more that follow, ahead, and remember them; what is near where that ends.

    Every fraction of a millimetre on the way it is asked what is met: nothing else. Nor is it by the last two, had they
    sunk in as far as a step may: those are not remembered.
    """
    t, foot = on.trodden, on.foot
    poses, axes, angles, met = scratch(POSES, 4, 3), scratch(POSES, 3, 3), scratch(AT_ONCE), scratch(AT_ONCE, 2, 10)
    places = Places(scratch_marks(2), scratch_marks(2), scratch_marks(2, 2), scratch(2, 2, 9), scratch(2, 2, 4))
    seen, sure, gone = scratch(2, 3), 0, 0.0
    if not roll_on_two(on.whole.tris, foot, frame, axis, contacts, places, seen):
        return close
    for r in range(4):
        copied(frame[r], poses[0, r])
    for r in range(3):
        copied(axis[r], axes[0, r])
    most = min(1 + more + UNSURE, AT_ONCE)
    many, deep = 0, FIRST
    for k in range(most):
        while many < min(k + 2, most) and deep > 0.0:  # the next step tells how far this one goes unseen
            deep = told_step(
                foot, poses[many], axes[many], deep, places, seen, poses[many + 1], axes[many + 1], met[many]
            )
            angles[many] = 0.5 * deep
            many += deep > 0.0
        if k == many:
            break
        gone += 2.0 * foot.reach_mm * angles[k]
        if gone > UNSEEN_MM:
            break  # a step so long sweeps past what nobody would see
        if k + 1 == many or gone + 2.0 * foot.reach_mm * angles[k + 1] > UNSEEN_MM:
            close = followed(on, close, poses[k + 1])
            if not meets_only(met_rolling(close, poses[k + 1], foot), met[k]):
                break
            sure, gone = k + 1, 0.0
    ring = np.empty(2, np.int64)
    for k in range(sure - UNSURE):
        slot, known = place_of(t, poses[k], axes[k])
        if known >= 0:
            break
        first_of_two(met[k], ring)
        if noted(t, slot, poses[k], axes[k], ON_RIM, angles[k], poses[k + 1], met[k], ring) < 0:
            break
    return close


@lean
def meets_only(contacts: Floats, two: Floats) -> bool:
    """Whether a base that was lifted meets something at those two places, and nowhere else."""
    one = other = False
    for i in range(contacts.shape[0]):
        if contacts[i, HEIGHT] > FIRM_MM:
            return False
        here = False
        for k in range(2):
            dx, dy = contacts[i, QX] - two[k, QX], contacts[i, QY] - two[k, QY]
            if dx * dx + dy * dy < FORETOLD_MM * FORETOLD_MM:
                here, one, other = True, one or k == 0, other or k == 1
        if not here:
            return False
    return one and other


@lean
def place_of(trodden: Trodden, frame: Floats, axis: Floats) -> tuple[int, int]:
    """The slot of a step, -1 where none is free, and its number, -1 where it was not taken yet."""
    mixed = 0.0
    for r in range(7):
        for a in range(3):
            mixed = 0.7390851332151607 * mixed + (frame[r, a] if r < 4 else axis[r - 4, a])
    first = int(abs(mixed) * SPREAD)
    for k in range(SLOTS):
        slot = (first + k) % SLOTS
        n = trodden.slots[slot]
        if n < 0:
            return slot, -1
        same = True
        for r in range(7):
            for a in range(3):
                same = same and trodden.froms[n, r, a] == (frame[r, a] if r < 4 else axis[r - 4, a])
        if same:
            return slot, n
    return -1, -1


@compiled
def one_step(
    on: Footing, close: Terrain, frame: Floats, axis: Floats, before: Floats, sink: float
) -> tuple[int, float, Floats, Floats, Terrain]:
    """How a step of rolling ends, its angle, the pose after it, the contacts there, and what is near.

    `before` are the contacts where it begins.

    To the next touch, or FREE; where the rim rolls on a face it touches all the while: as far as it may `sink` in (mm),
    lifted out again.
    """
    exact, deep = roll(on, close, frame, axis, sink, SHORT)
    if exact >= NEVER:
        exact, deep = roll(on, close, frame, axis, sink, STEEPEST)
    limit = STEEPEST
    if deep < NEVER:
        limit = deep
        far = exact if exact >= SMOOTH * deep else 0.5 * deep
        about = close
        for _ in range(TRIES):
            rolled = turned(frame, axis, far)
            about = followed(on, about, rolled)
            too_far, rim, there, contacts = lifted(on, about, rolled, axis, before)
            if too_far == 0.0:
                return ON_RIM if rim else LANDS, far, there, contacts, about
            far -= too_far
            if far <= 0.0:
                break
    exact, deep = roll(on, close, frame, axis, WALK_MM, limit)
    if exact >= NEVER:
        return FREE, STEEPEST, frame, np.empty((0, 10)), close
    by = max(exact, 0.5 * deep)
    there = turned(frame, axis, by)
    about = followed(on, close, there)
    return LANDS, by, there, met_rolling(about, there, on.foot), about


@compiled
def lifted(
    on: Footing, near_by: Terrain, rolled: Floats, axis: Floats, before: Floats
) -> tuple[float, bool, Floats, Floats]:
    """A pose that has sunk in while it rolled about an axis, lifted out of the terrain, and its contacts there.

    Both ends of the axis are lifted, each by as much as it has sunk in. Where more than the rim has sunk in, the angle
    (radians) by which it rolled too far comes first, else 0; then whether the rim had to be lifted. Where it rolls on a
    face that it touched `before`, its deepest point may lie anywhere.
    """
    frame, close = rolled.copy(), followed(on, near_by, rolled)
    contacts = met_by(close, frame, on.foot, 0.5 * WALK_MM, 0.5 * WALK_MM)
    rim = False
    for k in range(LIFTS):
        if contacts.shape[0] == 0:
            return NEVER, False, frame, contacts
        ux, uy = dot(axis[1, 0], axis[1, 1], axis[1, 2], frame[1]), dot(axis[1, 0], axis[1, 1], axis[1, 2], frame[2])
        low, high, c, too_far = math.inf, -math.inf, -math.inf, 0.0
        for i in range(contacts.shape[0]):
            along = contacts[i, QX] * ux + contacts[i, QY] * uy
            low, high, c = min(low, along), max(high, along), max(c, contacts[i, HEIGHT])
            if contacts[i, HEIGHT] > LIFTED_MM:
                dx, dy, dz = contacts[i, PX] - axis[0, 0], contacts[i, PY] - axis[0, 1], contacts[i, PZ] - axis[0, 2]
                out = dot(dx, dy, dz, axis[2])
                far = PIVOT_MM if contacts[i, MEETING] == UNDER else beside(on.foot)
                if abs(out) > far and is_deepest(contacts, i) and not is_on_that_face(on, contacts, i, before):
                    too_far = max(too_far, contacts[i, HEIGHT] / out if out > 0.0 else NEVER)
        if too_far > 0.0 or c > 2.0 * SINK_MM:
            return too_far if too_far > 0.0 else NEVER, False, frame, contacts
        start, slope = lifted_by(contacts, ux, uy, c, APART * (high - low)) if high - low > APART_MM else (0.0, 0.0)
        if max(abs(c), abs(slope) * (high - low)) <= LIFTED_MM:
            if k == 0 and meets_bow(contacts):  # of which fewer points are met that rolls: else this is what it meets
                return 0.0, rim, frame, met_rolling(close, frame, on.foot)
            return 0.0, rim, frame, met_rather(contacts, on.foot)
        rim = rim or c > WALK_MM
        frame = raised(frame, c - slope * start, slope * ux, slope * uy)
        contacts = met_by(close, frame, on.foot, 0.5 * WALK_MM, FIRM_MM)  # mostly it is out: then this is what it meets
    return NEVER, False, frame, contacts


@lean
def meets_bow(contacts: Floats) -> bool:
    """Whether one of them is a point along a bow of the rim."""
    bow = False
    for i in range(contacts.shape[0]):
        bow = bow or contacts[i, ARC] >= 0.0
    return bow


@lean
def is_deepest(contacts: Floats, i: int) -> bool:
    """Whether a contact is none of a bow of the rim, or the one of that bow that has sunk in deepest.

    Beside it a bow has sunk in, too, and tells nothing of how far the base has rolled.
    """
    for k in range(contacts.shape[0]):
        if on_same_arc(contacts[i], contacts[k]) and contacts[k, HEIGHT] > contacts[i, HEIGHT]:
            return False
    return True


@lean
def is_on_that_face(on: Footing, contacts: Floats, i: int, before: Floats) -> bool:
    """Whether a contact of the rim lies on a face, or one in its plane, that it touched before."""
    if contacts[i, MEETING] != RIM_ON_FACE or contacts[i, ARC] < 0.0:
        return False
    tri = on.whole.tris[int(contacts[i, TRIANGLE])]
    ax, ay, az = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
    bx, by, bz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    for k in range(before.shape[0]):
        if before[k, ARC] == contacts[i, ARC]:
            dx, dy, dz = before[k, PX] - tri[0, 0], before[k, PY] - tri[0, 1], before[k, PZ] - tri[0, 2]
            if abs(dx * nx + dy * ny + dz * nz) < FIRM_MM * size:
                return True
    return False


@lean
def lifted_by(contacts: Floats, ux: float, uy: float, highest: float, apart: float) -> tuple[float, float]:
    """Where along (ux, uy) the highest contacts lie, and the least slope from there to any that lies apart from them.

    Of several that are the highest, but for rounding, that on the side of the slope: no other is pressed in.
    """
    left, right = math.inf, -math.inf
    for i in range(contacts.shape[0]):
        if contacts[i, HEIGHT] > highest - LIFTED_MM:
            along = contacts[i, QX] * ux + contacts[i, QY] * uy
            left, right = min(left, along), max(right, along)
    start, slope = left, math.inf
    for i in range(contacts.shape[0] if right - left <= apart else 0):
        along = contacts[i, QX] * ux + contacts[i, QY] * uy
        if along > right + apart and (highest - contacts[i, HEIGHT]) / (along - right) < abs(slope):
            start, slope = right, -(highest - contacts[i, HEIGHT]) / (along - right)
        elif along < left - apart and (highest - contacts[i, HEIGHT]) / (left - along) < abs(slope):
            start, slope = left, (highest - contacts[i, HEIGHT]) / (left - along)
    return start, slope if slope < math.inf else 0.0
