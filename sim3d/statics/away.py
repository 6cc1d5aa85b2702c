"""The easiest way away from where a base stands, of all there are: which gravity takes it, and which way that leans.

Compiled. Gravity that leans is the point (x, y) of the plane under it: the tangent of its tilt, towards where it leans.
Every edge that a base rolls over asks it to lie on the far side of a line. So a way over many edges is taken by what
lies beyond all of their lines, most easily by the point of that which is nearest to the origin.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, copied, lean, scratch
from sim3d.space import Bools, Floats, Ints
from sim3d.statics.footing import (
    BEHIND_MM,
    FREE,
    KEPT,
    LANDS,
    ON_RIM,
    STEPS,
    Footing,
    Trodden,
    followed,
    met_rolling,
    stepped,
)
from sim3d.statics.home import LYING, SAME_AXIS, SURELY_MM, is_lost, step_comes_back
from sim3d.statics.roll import ahead
from sim3d.statics.touch import MEETING, TRIANGLE, dot
from sim3d.statics.ways import BY_TILT, apart, at_home, beyond, foot_of_com, side_axis, way_out, ways_over

FEW_WAYS, WAYS = 16, 200  # that are not followed yet, where it is only asked whether it is held, and else
FEW_STEPS, MANY_STEPS = 200, 400  # of all ways together: where it is only asked whether it is held, and else
LINES = 12  # that one way keeps: those that ask for the most
X, Y, MANY = 0, 1, 2  # of what a way asks for: the nearest point, how many lines, and three numbers of each line
ASKED = 39  # numbers in all
ASIDE = 1.1  # times as dear as another way, one waits until that is followed
NO_ROOM = -1
ROUNDED = 1e-12
SAME_MM = 0.01  # poses on the same three things, no farther from each other, are one: to and fro it slips by less


class Away(NamedTuple):
    """What is known of the ways away that take less than a tilt."""

    held: bool  # there are none
    tilt: float  # radians: none takes less
    way: float  # radians: the direction in which one takes that much, mostly; NaN: none was found


class Pending(NamedTuple):
    """Ways that are not followed yet: from where, over what, and which gravity takes them so far."""

    frames: Floats  # (WAYS, 4, 3)
    axes: Floats  # (WAYS, 3, 3)
    asked: Floats  # (WAYS, ASKED)


class Followed(NamedTuple):
    """The steps that were followed, and what each way to one had asked for then."""

    last: Ints  # (KEPT,) by the number of the step: the last way that came by; -1: none
    before: Ints  # (MANY_STEPS,) the one that came by before that
    asked: Floats  # (MANY_STEPS, ASKED)
    landed: Ints  # (MANY_STEPS,) the number of the first step of all that landed in one pose,
    poses: Ints  # (1,) and how many there are


class Ends(NamedTuple):
    """Past both ends of the two contacts that a base rolls on, at the step before: where, and what that asks for.

    Before its first step the costs are infinite, and the rest is nothing.
    """

    frames: Floats  # (2, 4, 3)
    axes: Floats  # (2, 3, 3)
    asked: Floats  # (2, ASKED)
    costs: Floats  # (2,)
    eases: Bools  # (2,) whether it took less from step to step


@lean
def cost(asked: Floats) -> float:
    """The square of the tangent of the least tilt that takes a way."""
    return asked[X] * asked[X] + asked[Y] * asked[Y]


@lean
def towards(asked: Floats) -> float:
    """The direction (radians) of that."""
    return math.atan2(asked[Y], asked[X])


@lean
def ask(asked: Floats, normal: Floats) -> None:
    """One more edge on a way: the outward normal of the plane through it and the centre of mass.

    What it goes over by itself it does unless gravity that leans holds it back there: by then that leans as far as all
    edges before asked, and on the same way. It does not where it leans to the far side of a line through the origin.
    """
    nx, ny, nz = normal[0], normal[1], normal[2]
    if nz > 0.0:
        bar(asked, nx, ny, nz)
        return
    for i in range(int(asked[MANY])):
        ax, ay, az = asked[3 + 3 * i], asked[4 + 3 * i], asked[5 + 3 * i]
        if az > 0.0 and asked[X] < math.inf:
            bar(asked, az * nx - nz * ax, az * ny - nz * ay, 0.0)


@lean
def bar(asked: Floats, nx: float, ny: float, nz: float) -> None:
    """Take away what lies on the near side of a line: from there the nearest point moves onto it. Infinite: nowhere."""
    size = nx * nx + ny * ny
    if size < ROUNDED * ROUNDED:
        if nz > ROUNDED:
            asked[X] = math.inf
        return
    many = int(asked[MANY])
    if asked[X] * nx + asked[Y] * ny < nz - ROUNDED:
        fx, fy, low, high = nx * nz / size, ny * nz / size, -math.inf, math.inf
        for i in range(many):
            ax, ay, az = asked[3 + 3 * i], asked[4 + 3 * i], asked[5 + 3 * i]
            along, short = ay * nx - ax * ny, az - ax * fx - ay * fy  # along the line, and how far its foot lies beside
            if abs(along) < ROUNDED:
                if short > ROUNDED:
                    asked[X] = math.inf
                    return
            elif along > 0.0:
                low = max(low, short / along)
            else:
                high = min(high, short / along)
        if low > high + ROUNDED:
            asked[X] = math.inf
            return
        along = min(max(0.0, low), high)
        asked[X], asked[Y] = fx - along * ny, fy + along * nx
    elif asks_as_much(asked, nx, ny, nz):
        return
    if many < LINES:
        at, asked[MANY] = many, many + 1
    else:  # in place of the line that is least in the way
        at, most = -1, asked[X] * nx + asked[Y] * ny - nz
        for i in range(many):
            over = asked[X] * asked[3 + 3 * i] + asked[Y] * asked[4 + 3 * i] - asked[5 + 3 * i]
            if over > most:
                at, most = i, over
        if at < 0:
            return
    asked[3 + 3 * at], asked[4 + 3 * at], asked[5 + 3 * at] = nx, ny, nz


@lean
def put(pending: Pending, n: int, most: float, frame: Floats, axis: Floats, asked: Floats) -> int:
    """One more way to follow, unless it takes more; how many there are then."""
    if n == NO_ROOM or cost(asked) >= most:
        return n
    if n == pending.asked.shape[0]:
        return NO_ROOM
    for r in range(4):
        copied(frame[r], pending.frames[n, r])
    for r in range(3):
        copied(axis[r], pending.axes[n, r])
    copied(asked, pending.asked[n])
    return n + 1


@lean
def easiest_of(pending: Pending, n: int) -> int:
    """Which way takes the least so far."""
    least = 0
    for k in range(1, n):
        if cost(pending.asked[k]) < cost(pending.asked[least]):
            least = k
    return least


@lean
def take(pending: Pending, n: int, k: int, frame: Floats, axis: Floats, asked: Floats) -> int:
    """One way out of them, the last in its place; how many are left."""
    for r in range(4):
        copied(pending.frames[k, r], frame[r])
        copied(pending.frames[n - 1, r], pending.frames[k, r])
    for r in range(3):
        copied(pending.axes[k, r], axis[r])
        copied(pending.axes[n - 1, r], pending.axes[k, r])
    copied(pending.asked[k], asked)
    copied(pending.asked[n - 1], pending.asked[k])
    return n - 1


@compiled
def easiest_away(on: Footing, limit: float, only_held: bool) -> Away:
    """The easiest way that takes a base away for good, of those that take less than a limit (radians).

    Every way over is followed, and those from where it leads to, on and on, the easiest first. Away is where nothing
    stops it, and from where it would not come home. No gravity that leans by less takes it, whichever way it leans.

    `only_held`: nothing more is asked than whether there is any.
    """
    foot, least, way = on.foot, math.tan(limit) ** 2, math.nan
    pending = Pending(np.empty((WAYS, 4, 3)), np.empty((WAYS, 3, 3)), np.empty((WAYS, ASKED)))
    ends = Ends(np.empty((2, 4, 3)), np.empty((2, 3, 3)), np.empty((2, ASKED)), np.empty(2), np.empty(2, np.bool_))
    strayed, costs, many, t = np.empty(MANY_STEPS, np.int64), np.empty((MANY_STEPS, 2)), 0, on.trodden
    asked, axis = np.zeros(ASKED), np.zeros((3, 3))
    seen = Followed(
        np.full(KEPT, -1),
        np.empty(MANY_STEPS, np.int64),
        np.empty((MANY_STEPS, ASKED)),
        np.empty(MANY_STEPS, np.int64),
        np.zeros(1, np.int64),
    )
    close, taken, far = on.close, 0, least
    t.gone[0] = 0  # ways home that were found before: those of another base, or from nearer by
    n = ways_on(on, on.contacts, on.ring, on.frame, axis, least, asked, only_held, pending, 0)
    if n == NO_ROOM:
        return Away(False, 0.0, way)
    while n > 0:
        frame = np.empty((4, 3))
        n = take(pending, n, n - 1 if only_held else easiest_of(pending, n), frame, axis, asked)
        if cost(asked) >= least:
            break
        rival = math.inf if only_held or n == 0 else ASIDE * cost(pending.asked[easiest_of(pending, n)])
        close = followed(on, close, frame)
        contacts = met_rolling(close, frame, foot) if moved_at_all(frame, on.frame) else on.contacts
        ends.costs[:], ends.eases[:] = math.inf, True
        for step in range(STEPS):
            left = contacts
            kind, _, frame, contacts, ring, close, number = stepped(on, close, frame, axis, left, 1 + step)
            taken += 1
            home, gone = at_home(frame, on.frame)[0], kind == FREE or frame[3, 2] < LYING
            gone = gone or is_lost(on.com, foot.edges, on.frame, frame, contacts, ring, axis)
            if gone or ring.shape[0] < 2 or step == STEPS - 1 or (number < 0 and not home):
                least, way = cost(asked), towards(asked)
                break
            if taken >= (FEW_STEPS if only_held else MANY_STEPS):  # some steps were not asked: a way ended with them
                return Away(False, 0.0, way)
            if number >= 0 and followed_so(seen, as_landed(seen, t, number, foot.reach_mm), taken, asked):
                break
            if not home:
                same = step > 0 and kind == ON_RIM and on_the_same_two(left, contacts)
                if not (same and leads_back(on, frame, contacts, ring, axis)):
                    strayed[many], costs[many, 0], costs[many, 1] = number, cost(asked), towards(asked)
                    many += 1
            if kind != ON_RIM or ring.shape[0] != 2:
                n = ways_on(on, contacts, ring, frame, axis, least, asked, only_held, pending, n)
                break
            n = past_ends(on, contacts, ring, frame, least, asked, ends, pending, n)
            if only_held and min(ends.costs[0], ends.costs[1]) < least:
                return Away(False, 0.0, math.nan)
            onward(on, contacts, ring, frame, axis, asked)
            if cost(asked) >= least:
                break
            if cost(asked) > rival:
                n = put(pending, n, least, frame, axis, asked)
                break
        for e in range(2):
            if ends.eases[e] and ends.costs[e] < least:
                n = put(pending, n, least, ends.frames[e], ends.axes[e], ends.asked[e])
        if n == NO_ROOM or (only_held and least < far):
            return Away(False, 0.0, way)
    # the farthest is asked first whether it comes home: that way is looked at step by step, others lead into it; but
    # where it matters which is the easiest, they are asked in the order in which gravity that leans on leads there
    for i in range(many):
        k = many - 1 - i if only_held else i
        if costs[k, 0] >= least:
            continue
        if not step_comes_back(on, strayed[k]):
            least, way = costs[k, 0], costs[k, 1]
            if only_held:
                break
    return Away(least >= far, math.atan(math.sqrt(least)), way)


@lean
def as_landed(seen: Followed, t: Trodden, number: int, reach: float) -> int:
    """The first step that landed in the pose that this one lands in.

    Who rolls round a few facets comes back to each a hair's breadth beside where it was, and would go on without end.
    """
    if t.kinds[number] != LANDS or t.parts[number, 3] - t.parts[number, 2] < 3:
        return number
    many = seen.poses[0]
    for k in range(many):
        if is_same_landing(t, seen.landed[k], number, reach):
            return seen.landed[k]
    if many < seen.landed.shape[0]:
        seen.landed[many], seen.poses[0] = number, many + 1
    return number


@lean
def is_same_landing(t: Trodden, one: int, other: int, reach: float) -> bool:
    """Whether two steps over axes alike end in one pose: on the hull they touch the same, in the same places nearly."""
    if one == other:
        return True
    corners, first, others, last = t.parts[one, 2], t.parts[one, 0], t.parts[other, 2], t.parts[other, 0]
    many = t.parts[one, 3] - corners
    if t.parts[other, 3] - others != many or apart(t.frames[one], t.frames[other], reach) > SAME_MM:
        return False
    axis = t.froms[one, 6]
    if dot(axis[0], axis[1], axis[2], t.froms[other, 6]) < SAME_AXIS:
        return False
    for i in range(many):
        mine, found = t.contacts[first + t.rings[corners + i]], False
        for j in range(many):
            theirs = t.contacts[last + t.rings[others + j]]
            found = found or (mine[TRIANGLE] == theirs[TRIANGLE] and mine[MEETING] == theirs[MEETING])
        if not found:
            return False
    return True


@lean
def followed_so(seen: Followed, number: int, n: int, asked: Floats) -> bool:
    """Whether a way came by this step before that all gravity takes which takes this one; else it is noted as the n-th.

    What that leads on to is all that this one leads on to.
    """
    k = seen.last[number]
    while k >= 0:
        if takes_all(seen.asked[k], asked):
            return True
        k = seen.before[k]
    seen.before[n], seen.last[number] = seen.last[number], n
    copied(asked, seen.asked[n])
    return False


@lean
def takes_all(one: Floats, other: Floats) -> bool:
    """Whether all gravity that takes another way takes this one: it asks for nothing that the other does not."""
    takes = True
    for i in range(int(one[MANY])):
        takes = takes and asks_as_much(other, one[3 + 3 * i], one[4 + 3 * i], one[5 + 3 * i])
    return takes


@lean
def asks_as_much(asked: Floats, nx: float, ny: float, nz: float) -> bool:
    """Whether all points beyond the lines of a way lie beyond one more line: by one of them, or by two together."""
    many = int(asked[MANY])
    for i in range(many):
        ax, ay, az = asked[3 + 3 * i], asked[4 + 3 * i], asked[5 + 3 * i]
        share = (ax * nx + ay * ny) / (ax * ax + ay * ay)
        if share > 0.0 and abs(ax * ny - ay * nx) < ROUNDED and share * az >= nz - ROUNDED:
            return True
        for j in range(i):
            bx, by, bz = asked[3 + 3 * j], asked[4 + 3 * j], asked[5 + 3 * j]
            turn = ax * by - ay * bx
            if abs(turn) < ROUNDED:
                continue
            one, other = (nx * by - ny * bx) / turn, (ax * ny - ay * nx) / turn
            if one >= 0.0 and other >= 0.0 and one * az + other * bz >= nz - ROUNDED:
                return True
    return False


@compiled
def ways_on(
    on: Footing,
    contacts: Floats,
    ring: Ints,
    frame: Floats,
    last: Floats,
    most: float,
    asked: Floats,
    only_held: bool,
    pending: Pending,
    n: int,
) -> int:
    """Put the ways over of a pose, but for that it came by, to the `n` that are to be followed; how many there are.

    NO_ROOM: more than there is room for, or one over the rim itself where it is only asked whether there is any.
    """
    axes, _ = ways_over(contacts, ring, frame, on.foot.edges, on.com, BY_TILT)
    normal, more = scratch(3), np.empty(ASKED)
    for i in range(axes.shape[0]):
        if dot(last[2, 0], last[2, 1], last[2, 2], axes[i, 2]) < -SAME_AXIS:
            continue
        copied(asked, more)
        way_out(frame, axes[i], on.com, normal)
        ask(more, normal)
        if only_held and cost(more) < most and (n >= FEW_WAYS or ahead(frame, axes[i], on.foot) <= BEHIND_MM):
            return NO_ROOM
        n = put(pending, n, most, frame, axes[i], more)
    return n


@lean
def past_ends(
    on: Footing,
    contacts: Floats,
    ring: Ints,
    frame: Floats,
    most: float,
    asked: Floats,
    ends: Ends,
    pending: Pending,
    n: int,
) -> int:
    """Where a base rolls on two contacts it may go past either end: put where that is easiest to what is pending.

    That is told one step later; `ends` keeps what was seen at the last one.
    """
    axis, normal = scratch(3, 3), scratch(3)
    for e in range(2):
        before = ends.costs[e]
        side_axis(contacts, ring, 2 + e, frame, on.foot.edges, axis)
        way_out(frame, axis, on.com, normal)
        tried = scratch(ASKED)
        copied(asked, tried)
        ask(tried, normal)
        now = cost(tried)
        if now > before and ends.eases[e]:
            n = put(pending, n, most, ends.frames[e], ends.axes[e], ends.asked[e])
        ends.eases[e], ends.costs[e] = now < before or (now == before and ends.eases[e]), now
        for r in range(4):
            copied(frame[r], ends.frames[e, r])
        for r in range(3):
            copied(axis[r], ends.axes[e, r])
        copied(tried, ends.asked[e])
    return n


@lean
def onward(on: Footing, contacts: Floats, ring: Ints, frame: Floats, axis: Floats, asked: Floats) -> None:
    """On over two contacts: the axis over them that points as the last one, in place of that, and what it asks for."""
    side, normal = scratch(3, 3), scratch(3)
    for k in range(2):
        side_axis(contacts, ring, k, frame, on.foot.edges, side)
        if dot(side[2, 0], side[2, 1], side[2, 2], axis[2]) > 0.0:
            break
    for r in range(3):
        copied(side[r], axis[r])
    way_out(frame, axis, on.com, normal)
    ask(asked, normal)


@lean
def on_the_same_two(one: Floats, other: Floats) -> bool:
    """Whether two poses of a roll touch the same two pieces of terrain, and nothing else."""
    if one.shape[0] != 2 or other.shape[0] != 2:
        return False
    same = True
    for k in range(2):
        same = same and one[k, TRIANGLE] == other[k, TRIANGLE] and one[k, MEETING] == other[k, MEETING]
    return same


@lean
def leads_back(on: Footing, frame: Floats, contacts: Floats, ring: Ints, last: Floats) -> bool:
    """Whether a base that has rolled on two contacts goes back over them under gravity as it is: as it came."""
    vx, vy = foot_of_com(frame, on.com, 0.0, 0.0, -1.0)
    side, out = beyond(contacts, ring, vx, vy)
    if out <= SURELY_MM or side >= ring.shape[0]:
        return False
    axis = scratch(3, 3)
    side_axis(contacts, ring, side, frame, on.foot.edges, axis)
    return dot(last[2, 0], last[2, 1], last[2, 2], axis[2]) < -SAME_AXIS


@lean
def moved_at_all(one: Floats, other: Floats) -> bool:
    """Whether two frames differ in any bit."""
    for r in range(4):
        for a in range(3):
            if one[r, a] != other[r, a]:
                return True
    return False
