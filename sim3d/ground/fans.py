"""Ways over a field: where a round base can be carried, straight or over a hinge: sure, not at all, or undecided.

A line is carried over the cells it crosses with a lowest and a highest height to stand on. What is sure needs no walk,
what is impossible neither; the rest is walked (`way.stepped`), from the last stride whose height the cells still tell.
Undecided is only what passes another base by less than its ring is exact. Compiled.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import compiled, lean
from sim3d.ground.covered import Carried, carried_by
from sim3d.ground.field import (
    BARRED_IN,
    BARRED_OUT,
    CELL_MM,
    MARGIN_MM,
    SLOW_IN,
    SLOW_OUT,
    STEEP_IN,
    STEEP_OUT,
    UNDER_IN,
    UNDER_OUT,
    Field,
)
from sim3d.ground.relief import LEVEL_MM, Terrain
from sim3d.ground.way import FREE, STRIDE_MM, TOUCH_MM, stepped
from sim3d.space import Floats, Ints

NO, MAYBE, SURE = 0, 1, 2
SLACK_MM = 2 * LEVEL_MM
ROUND_MM = 1e-9  # a tool's very end may lie this much beyond it by rounding
SIDES = 16  # places about a middle whose cores are looked at for ground under the whole base
ROUND_ABOUT = np.array(
    [(math.cos(2.0 * math.pi * k / SIDES), math.sin(2.0 * math.pi * k / SIDES)) for k in range(SIDES + 1)]
)
COVERED = 0.6  # how far out, as a share of the radius: together with the middle's they cover 1.07 of it
COVERED_MM = 9.5  # smaller bases reach farther than that from some place of a cell
WORTH = 3  # strides: to leave out as many, two are made: from the lowest and the highest place
RING_MM = 5e-3  # a ring of corners is this near to the base it stands for, and more


class Walker(NamedTuple):
    """Whom to walk where the cells do not tell: its base and limits, what bars or slows it, the bases in its way."""

    terrain: Terrain
    ring: Floats  # (n, 2)
    limits: Floats  # `way.limits_of`
    turn: float  # degrees
    barred: Ints  # (pieces,) 1: may not be met
    slow: Ints  # (pieces,) 1: slows
    rings: Floats  # (m, 2) convex rings of other bases, one after another
    starts: Ints  # (bases + 1,) where each begins
    lows: Floats  # (bases,) heights between which they are in the way
    highs: Floats


class Line(NamedTuple):
    """A straight line over the cells: NO, MAYBE or SURE, the heights at its end, and up to where it was sure."""

    state: int
    low: float
    high: float
    known: float  # a share of the line that it gets along in any case, a stride or two less than the most
    below: float  # the heights of the last stride or two there
    above: float
    fixed: float  # the share of the line up to which these are one height
    level: float


class Hinges(NamedTuple):
    """One tool's first legs in every heading: how far it may bend, answers and heights at the hinge."""

    x: float
    y: float
    leg: float
    second: float
    most: float  # radians
    slowed: bool  # whether what slows bars this tool
    headings: Floats  # radians, evenly spread
    states: Ints
    heights: Floats


@lean
def ground_in(field: Field, m: int, which: int, cap: float) -> float:
    """The highest ground of a list that a base steps on to below a cap; -inf where there is none."""
    best = field.floor if field.floor == field.floor and field.floor <= cap else -math.inf
    for k in range(field.counts[m, which]):
        low, high = field.spans[m, which, k, 0], field.spans[m, which, k, 1]
        if low <= cap:
            best = max(best, min(high, cap))
    return best


@lean
def meets(field: Field, m: int, which: int, low: float, high: float) -> bool:
    """Whether an interval of a list reaches between two heights."""
    for k in range(field.counts[m, which]):
        if field.spans[m, which, k, 0] <= high and field.spans[m, which, k, 1] >= low:
            return True
    return False


@lean
def rises(field: Field, m: int, which: int, begins: float, over: float) -> bool:
    """Whether a face of a list that begins below one height goes over another one."""
    for k in range(field.counts[m, which]):
        if field.spans[m, which, k, 0] <= begins and field.spans[m, which, k, 1] > over:
            return True
    return False


@lean
def _next_up(field: Field, m: int, which: int, least: float) -> float:
    """The lowest height of a list or the floor that is not below another; infinite where there is none."""
    best = field.floor if field.floor >= least else math.inf
    for k in range(field.counts[m, which]):
        if field.spans[m, which, k, 1] >= least:
            best = min(best, max(field.spans[m, which, k, 0], least))
    return best


@lean
def _under_all(field: Field, x: float, y: float, caplo: float, caphi: float, edge: float) -> tuple[float, float, float]:
    """The highest ground under the whole of a base with its middle anywhere in the cell about a place.

    At least, at most, and at least if it is not below an edge. Cores about the middle lie under its rim in any case;
    cores farther out cover all that could.
    """
    radius = field.walk[3]
    inner, outer = 0.5 * radius - MARGIN_MM - TOUCH_MM, COVERED * radius
    least, most, over = -math.inf, -math.inf, math.inf
    if radius < COVERED_MM:
        most, over = caphi, edge
    for k in range(SIDES + 1):
        ux, uy = ROUND_ABOUT[k, 0], ROUND_ABOUT[k, 1]
        far = outer if k < SIDES else 0.0
        i, j = math.floor((x + far * ux - field.x0) / CELL_MM), math.floor((y + far * uy - field.y0) / CELL_MM)
        if i < 0 or j < 0 or i >= field.nx or j >= field.ny:
            most, over = caphi, edge
        else:
            most = max(most, ground_in(field, j * field.nx + i, UNDER_OUT, caphi))
            over = min(over, _next_up(field, j * field.nx + i, UNDER_OUT, edge))
        far = inner if k < SIDES and inner > 0.0 else 0.0
        i, j = math.floor((x + far * ux - field.x0) / CELL_MM), math.floor((y + far * uy - field.y0) / CELL_MM)
        if i >= 0 and j >= 0 and i < field.nx and j < field.ny:
            least = max(least, ground_in(field, j * field.nx + i, UNDER_IN, caplo))
    return least, most, over


@compiled
def carry(field: Field, ax: float, ay: float, bx: float, by: float, zlo: float, zhi: float, slowed: bool) -> Line:
    """A line from a place to another, standing between two heights at first.

    With `slowed` what slows bars the way, too. Heights that count for a step are those of the last stride or two.
    """
    dx, dy = bx - ax, by - ay
    length = math.hypot(dx, dy)
    step, tall, over, free = field.walk[0], field.walk[1], field.walk[2], field.walk[4] > 0.0
    counts, nx = field.counts, field.nx
    state = SURE
    u, v = (ax - field.x0) / CELL_MM, (ay - field.y0) / CELL_MM
    i, j = math.floor(u), math.floor(v)
    ie, je = math.floor((bx - field.x0) / CELL_MM), math.floor((by - field.y0) / CELL_MM)
    si, sj = 1 if dx > 0 else -1, 1 if dy > 0 else -1
    tx = math.inf if dx == 0.0 else ((i + (1 if dx > 0 else 0)) - u) * CELL_MM / dx
    ty = math.inf if dy == 0.0 else ((j + (1 if dy > 0 else 0)) - v) * CELL_MM / dy
    each_x = math.inf if dx == 0.0 else CELL_MM / abs(dx)
    each_y = math.inf if dy == 0.0 else CELL_MM / abs(dy)
    lo0, hi0, lo1, hi1 = zlo, zhi, zlo, zhi  # the heights of this stride, and of the one before
    stride = 0
    t = known = fixed = 0.0
    below, above, level, gone = zlo, zhi, zlo, -1.0
    latest, before = (0.0, zlo, zhi), (0.0, zlo, zhi)  # where it was sure in this stride, and in the one before
    while True:
        if i < 0 or j < 0 or i >= field.nx or j >= field.ny:
            return Line(MAYBE, zlo, zhi, known, below, above, fixed, level)
        if int(t * length / STRIDE_MM) != stride:
            stride = int(t * length / STRIDE_MM)
            lo1, hi1, lo0, hi0 = lo0, hi0, zlo, zhi
            if state == SURE:
                (known, below, above), before = before, latest
        m = j * nx + i
        wlo, whi = min(lo0, lo1), max(hi0, hi1)
        caplo, caphi = max(wlo + step, over), max(whi + step, over) + SLACK_MM
        if counts[m, STEEP_OUT] and rises(field, m, STEEP_OUT, whi + tall + SLACK_MM, caplo):
            if rises(field, m, STEEP_IN, wlo + tall, caphi):
                return Line(NO, zlo, zhi, known, below, above, fixed, level)
            state = MAYBE
        if counts[m, BARRED_OUT] and meets(field, m, BARRED_OUT, wlo - step, max(whi + tall, caphi)):
            if meets(field, m, BARRED_IN, whi, wlo + tall):
                return Line(NO, zlo, zhi, known, below, above, fixed, level)
            state = MAYBE
        if slowed and counts[m, SLOW_OUT] and meets(field, m, SLOW_OUT, wlo - step, max(whi + tall, caphi)):
            if meets(field, m, SLOW_IN, whi, wlo + tall):
                return Line(NO, zlo, zhi, known, below, above, fixed, level)
            state = MAYBE
        least, most = ground_in(field, m, UNDER_IN, caplo), ground_in(field, m, UNDER_OUT, caphi)
        hangs = False
        if least < whi - step:  # its middle may be over an edge: its rim carries it on, or it drops
            x, y, edge = field.x0 + (i + 0.5) * CELL_MM, field.y0 + (j + 0.5) * CELL_MM, wlo - step - SLACK_MM
            low, high, over_edge = _under_all(field, x, y, caplo, caphi, edge)
            hangs = high < edge and not free
            if hangs or low < whi - step:
                state = MAYBE
            if hangs:  # a stride may still lead over so short a gap
                gone = t if gone < 0.0 else gone
                if (i == ie and j == je) or (min(tx, ty, 1.0) - gone) * length >= STRIDE_MM:
                    return Line(NO, zlo, zhi, known, below, above, fixed, level)
                least, most = wlo, whi
            elif free:
                least, most = low, max(high, whi)
            else:
                least, most = max(least, over_edge), high
        gone = gone if hangs else -1.0
        zlo, zhi = min(least, most), max(least, most)
        lo0, hi0 = min(lo0, zlo), max(hi0, zhi)
        if state == SURE:
            latest = (t, min(lo0, lo1), max(hi0, hi1))
            if latest[1] == latest[2]:
                fixed, level = t, latest[1]
        if i == ie and j == je:
            return Line(state, zlo, zhi, known, below, above, fixed, level)
        if tx < ty:
            t, tx, i = tx, tx + each_x, i + si
        else:
            t, ty, j = ty, ty + each_y, j + sj
        if t > 1.0 + 1e-9:  # rounding at a corner: it has arrived
            return Line(state, zlo, zhi, known, below, above, fixed, level)


@compiled
def _off2(px: float, py: float, ax: float, ay: float, bx: float, by: float) -> float:
    """The square of the distance from a point to a segment."""
    ex, ey = bx - ax, by - ay
    size = ex * ex + ey * ey
    s = 0.0 if size == 0.0 else min(1.0, max(0.0, ((px - ax) * ex + (py - ay) * ey) / size))
    qx, qy = px - ax - s * ex, py - ay - s * ey
    return qx * qx + qy * qy


@lean
def from_ring(ax: float, ay: float, bx: float, by: float, rings: Floats, first: int, last: int) -> float:
    """The distance from a segment to what a convex ring covers; 0 where they meet."""
    best, inside = math.inf, True
    for i in range(first, last):
        j = first if i + 1 == last else i + 1
        cx, cy, dx, dy = rings[i, 0], rings[i, 1], rings[j, 0], rings[j, 1]
        ex, ey = dx - cx, dy - cy
        sa, sb = ex * (ay - cy) - ey * (ax - cx), ex * (by - cy) - ey * (bx - cx)
        inside = inside and sa >= 0.0
        sc, sd = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax), (bx - ax) * (dy - ay) - (by - ay) * (dx - ax)
        if sa * sb < 0.0 and sc * sd < 0.0:
            return 0.0
        one = min(_off2(ax, ay, cx, cy, dx, dy), _off2(bx, by, cx, cy, dx, dy))
        best = min(best, one, _off2(cx, cy, ax, ay, bx, by))
    return 0.0 if inside else math.sqrt(best)


@lean
def _passes(walker: Walker, it: Carried, before: Floats, pose: Floats, z: float) -> int:
    """Whether one stride passes the bases that are in the way: NO, MAYBE where it is a hair's breadth, or SURE."""
    state = SURE
    for k in range(walker.lows.shape[0]):
        if walker.lows[k] > z + it.tall or z > walker.highs[k]:
            continue
        far = from_ring(before[0], before[1], pose[0], pose[1], walker.rings, walker.starts[k], walker.starts[k + 1])
        if far < it.reach - TOUCH_MM - RING_MM:
            return NO
        if far < it.reach - TOUCH_MM + RING_MM:
            state = MAYBE
    return state


@lean
def _barred(walker: Walker, met: Ints, slowed: bool) -> bool:
    """Whether a piece was met that may not be."""
    count = 0
    for k in range(met.shape[0]):
        if met[k] >= 0 and (walker.barred[k] or (slowed and walker.slow[k])):
            count += 1
    return count > 0


@lean
def _ask(walker: Walker, met: Ints, slowed: bool) -> None:
    """Only what may not be met is asked for: of the other pieces a stride then looks at nothing but what stops it."""
    for k in range(met.shape[0]):
        met[k] = -1 if walker.barred[k] or (slowed and walker.slow[k]) else 0


@compiled
def _agreed(
    walker: Walker, it: Carried, met: Ints, before: Floats, pose: Floats, line: Line, slowed: bool
) -> tuple[bool, float]:
    """Whether one stride comes to the same from every height that the cells told before it, and to which.

    Who begins higher never ends lower, so the lowest and the highest tell. Nobody is stopped where one is not who
    stands at the lowest and is as much taller.
    """
    taller = Carried(
        it.ring, it.normals, it.fits, it.reach, it.first, it.before,
        it.step, it.tall + line.above - line.below, it.flat, it.over, it.sides, it.work, it.kept,
    )  # fmt: skip
    _ask(walker, met, slowed)
    low = stepped(walker.terrain, taller, pose, before, True, line.below, met, 0)
    high = stepped(walker.terrain, it, pose, before, True, line.above, met, 0)
    same = low.height == high.height and low.drop == 0.0 and high.drop == 0.0
    free = low.stopper == FREE and high.stopper == FREE and not _barred(walker, met, slowed)
    return same and free, low.height


@lean
def elsewhere(but: Floats, low: float, high: float) -> int:
    """Whether a height between two lies outside of all intervals (n, 2): NO, MAYBE or SURE."""
    state = SURE
    for k in range(but.shape[0]):
        if but[k, 0] <= low and high <= but[k, 1]:
            return NO
        if but[k, 0] <= high and low <= but[k, 1]:
            state = MAYBE
    return state


@compiled
def walked(
    field: Field,
    walker: Walker,
    it: Carried,
    met: Ints,
    ax: float,
    ay: float,
    bx: float,
    by: float,
    z: float,
    line: Line,
    begins: bool,
    slowed: bool,
    exactly: bool,
    but: Floats,
) -> tuple[int, float, float]:
    """A straight leg from a height, in the strides of a path: its answer and its heights, as of `led`.

    Strides that the cells told (`line`) are left out, and they are asked again about the rest of the way from
    where it is walked, for there they know one height. A leg that `begins` a way is set down at first.
    """
    free = field.walk[4] > 0.0
    n, dx, dy = max(1, math.ceil(math.hypot(bx - ax, by - ay) / STRIDE_MM - 1e-9)), bx - ax, by - ay
    before, pose = np.array([ax, ay, walker.turn]), np.array([ax, ay, walker.turn])
    state, done, tried, wait = SURE, 0, -1, 3
    while True:
        told, fixed = min(math.floor(line.known * (n - done)), n - done - 1), math.floor(line.fixed * (n - done))
        agreed = False
        if told - fixed >= WORTH and done + told > tried:
            tried = done + told
            before[0], before[1] = ax + dx * (done + told) / n, ay + dy * (done + told) / n
            pose[0], pose[1] = ax + dx * (done + told + 1) / n, ay + dy * (done + told + 1) / n
            agreed, height = _agreed(walker, it, met, before, pose, line, slowed)
            if agreed:
                state, z, told = min(state, _passes(walker, it, before, pose, height)), height, told + 1
                if state == NO:
                    return NO, z, z
        if not agreed:
            told = min(fixed, n - done - 1)
            z = line.level if told > 0 else z
        done += told
        before[0], before[1] = ax + dx * done / n, ay + dy * done / n
        _ask(walker, met, slowed)
        if begins and done == 0:
            z = stepped(walker.terrain, it, before, before, False, z, met, 0).height
        since = 0
        while done < n:
            pose[0], pose[1] = ax + dx * (done + 1) / n, ay + dy * (done + 1) / n
            stride = stepped(walker.terrain, it, pose, before, True, z, met, done)
            if stride.stopper != FREE or (stride.drop > 0.0 and not free):
                return NO, z, z
            z = stride.height
            state = min(state, _passes(walker, it, before, pose, z))
            if state == NO:
                return NO, z, z
            before[0], before[1] = pose[0], pose[1]
            done, since = done + 1, since + 1
            if since < wait or done == n:
                continue
            if _barred(walker, met, slowed):
                return NO, z, z
            line = carry(field, pose[0], pose[1], bx, by, z, z, slowed)
            counts = NO if line.state == NO else elsewhere(but, line.low, line.high)
            if counts == NO:
                return NO, z, z
            if line.state == SURE and counts == SURE and (line.low == line.high or not exactly):
                return state, line.low, line.high
            known, fixed = math.floor(line.known * (n - done)), math.floor(line.fixed * (n - done))
            if fixed > 0 or (known >= WORTH and done + known > tried):
                wait = 3
                break
            wait, since = 2 * wait, 0
        if done == n:
            return (NO if _barred(walker, met, slowed) or elsewhere(but, z, z) == NO else state), z, z


@lean
def led(
    field: Field,
    walker: Walker,
    it: Carried,
    met: Ints,
    ax: float,
    ay: float,
    bx: float,
    by: float,
    z: float,
    begins: bool,
    slowed: bool,
    exactly: bool,
    but: Floats,
) -> tuple[int, float, float]:
    """A line over the cells, and walked where they do not tell: its answer and its heights; `exactly`: one height.

    A way that ends at heights that do not count (`but`) is none.
    """
    line = carry(field, ax, ay, bx, by, z, z, slowed)
    counts = NO if line.state == NO else elsewhere(but, line.low, line.high)
    if counts == NO:
        return NO, line.low, line.high
    if line.state == MAYBE or counts == MAYBE or (exactly and line.low != line.high):
        return walked(field, walker, it, met, ax, ay, bx, by, z, line, begins, slowed, exactly, but)
    return line.state, line.low, line.high


@compiled
def hinges_of(
    field: Field,
    walker: Walker,
    x: float,
    y: float,
    z: float,
    leg: float,
    headings: Floats,
    slowed: bool,
    states: Ints,
    heights: Floats,
) -> None:
    """The first leg in every heading: its answer, and the height at the hinge."""
    it, met = carried_by(walker.ring, walker.limits), np.empty(walker.barred.shape[0], np.int64)
    anywhere = np.empty((0, 2))
    for k in range(headings.shape[0]):
        hx, hy = x + leg * math.cos(headings[k]), y + leg * math.sin(headings[k])
        states[k], heights[k], _ = led(field, walker, it, met, x, y, hx, hy, z, True, slowed, True, anywhere)


@compiled
def _bent_to(
    field: Field,
    walker: Walker,
    it: Carried,
    met: Ints,
    hinge: Hinges,
    px: float,
    py: float,
    but: Floats,
    maybes: Ints,
) -> tuple[int, int, float, float]:
    """The best bent way to a place: its answer, its heading, the heights there. The straightest first.

    What the cells are sure of comes before what has to be walked. `maybes` has the headings that stay undecided.
    """
    n = hinge.headings.shape[0]
    first = round(
        (math.atan2(py - hinge.y, px - hinge.x) - hinge.headings[0]) / (hinge.headings[1] - hinge.headings[0])
    )
    many = 0
    maybes[:] = -1
    for back in range(n):
        k = (first + ((back + 1) // 2) * (1 if back % 2 else -1)) % n
        if hinge.states[k] == NO:
            continue
        hx, hy = hinge.x + hinge.leg * math.cos(hinge.headings[k]), hinge.y + hinge.leg * math.sin(hinge.headings[k])
        rest = math.hypot(px - hx, py - hy)
        if rest > hinge.second + ROUND_MM or rest < ROUND_MM:
            continue
        turned = (math.atan2(py - hy, px - hx) - hinge.headings[k] + math.pi) % (2.0 * math.pi) - math.pi
        if abs(turned) > hinge.most:
            continue
        line = carry(field, hx, hy, px, py, hinge.heights[k], hinge.heights[k], hinge.slowed)
        counts = NO if line.state == NO else elsewhere(but, line.low, line.high)
        if line.state == SURE and hinge.states[k] == SURE and counts == SURE:
            return SURE, k, line.low, line.high
        if counts != NO:
            maybes[many] = k
            many += 1
    left = 0
    for m in range(many):
        k = maybes[m]
        hx, hy = hinge.x + hinge.leg * math.cos(hinge.headings[k]), hinge.y + hinge.leg * math.sin(hinge.headings[k])
        z = hinge.heights[k]
        state, low, high = led(field, walker, it, met, hx, hy, px, py, z, False, hinge.slowed, False, but)
        if state == SURE and hinge.states[k] == SURE:
            return SURE, k, low, high
        if state != NO:
            maybes[left] = k
            left += 1
    maybes[left:] = -1
    return (MAYBE if left else NO), -1, math.nan, math.nan


@compiled
def bent_to(
    field: Field, walker: Walker, hinge: Hinges, px: float, py: float, but: Floats, maybes: Ints
) -> tuple[int, int]:
    """The best bent way to one place: its answer and its heading; `maybes` (one for each heading): the undecided."""
    it, met = carried_by(walker.ring, walker.limits), np.empty(walker.barred.shape[0], np.int64)
    state, k, _, _ = _bent_to(field, walker, it, met, hinge, px, py, but, maybes)
    return state, k


@compiled
def reached(
    field: Field,
    walker: Walker,
    x: float,
    y: float,
    z: float,
    places: Floats,
    wanted: Ints,
    but: Floats,
    leg: float,
    straight: float,
    slowed: bool,
    states: Ints,
    heights: Floats,
) -> None:
    """Straight ways to many places that are wanted: answers, and heights there, none of those in `but` (n, k, 2).

    What has to be walked is walked leg by leg, as a path is: with other strides a base may step up elsewhere.
    """
    it, met = carried_by(walker.ring, walker.limits), np.empty(walker.barred.shape[0], np.int64)
    for k in range(places.shape[0]):
        states[k] = NO
        px, py = places[k, 0], places[k, 1]
        far = math.hypot(px - x, py - y)
        if not wanted[k] or far > straight + ROUND_MM:
            continue
        if far > leg:
            line = carry(field, x, y, px, py, z, z, slowed)
            counts = NO if line.state == NO else elsewhere(but[k], line.low, line.high)
            if counts == NO:
                continue
            if line.state == MAYBE or counts == MAYBE:
                hx, hy = x + leg * (px - x) / far, y + leg * (py - y) / far
                first, over, _ = led(field, walker, it, met, x, y, hx, hy, z, True, slowed, True, but[k, :0])
                if first == NO:
                    continue
                state, low, high = led(field, walker, it, met, hx, hy, px, py, over, False, slowed, False, but[k])
                states[k], heights[k, 0], heights[k, 1] = min(first, state), low, high
                continue
        states[k], heights[k, 0], heights[k, 1] = led(
            field, walker, it, met, x, y, px, py, z, True, slowed, False, but[k]
        )


@compiled
def reached_bent(
    field: Field,
    walker: Walker,
    hinge: Hinges,
    places: Floats,
    wanted: Ints,
    but: Floats,
    states: Ints,
    over: Ints,
    heights: Floats,
) -> None:
    """Bent ways to many places that are wanted."""
    it, met = carried_by(walker.ring, walker.limits), np.empty(walker.barred.shape[0], np.int64)
    maybes = np.empty(hinge.headings.shape[0], np.int64)
    for k in range(places.shape[0]):
        states[k], over[k] = NO, -1
        px, py = places[k, 0], places[k, 1]
        if wanted[k] and math.hypot(px - hinge.x, py - hinge.y) <= hinge.leg + hinge.second + ROUND_MM:
            states[k], over[k], heights[k, 0], heights[k, 1] = _bent_to(
                field, walker, it, met, hinge, px, py, but[k], maybes
            )


@compiled
def hung_over(walker: Walker, before: Floats, places: Floats, heights: Floats, states: Ints) -> None:
    """Whether something hangs over a base at places (n, 2) that it comes to at heights: NO, SURE; MAYBE: it is stopped.

    It comes there in one stride from `before` (n, 2).
    """
    it, met = carried_by(walker.ring, walker.limits), np.zeros(walker.barred.shape[0], np.int64)  # nobody asks
    first, pose = np.array([0.0, 0.0, walker.turn]), np.array([0.0, 0.0, walker.turn])
    for k in range(places.shape[0]):
        first[:2], pose[:2] = before[k], places[k]
        z = stepped(walker.terrain, it, first, first, False, heights[k], met, 0).height
        done = stepped(walker.terrain, it, pose, first, True, z, met, 1)
        states[k] = MAYBE if done.stopper != FREE else SURE if done.overhead else NO
