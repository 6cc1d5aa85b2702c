"""Ways over a field: where a round base can be carried, straight or over a hinge: sure, not at all, or to be walked.

A line is carried over the cells it crosses with a lowest and a highest height to stand on. What is sure needs no walk
(`way.along`), what is impossible neither; the rest is left to the walk itself. Compiled.
"""

from __future__ import annotations

import math

from sim3d.compiled import compiled
from sim3d.ground.field import (
    BARRED_IN,
    BARRED_OUT,
    CELL_MM,
    SLOW_IN,
    SLOW_OUT,
    STEEP_IN,
    STEEP_OUT,
    UNDER_IN,
    UNDER_OUT,
    Field,
)
from sim3d.ground.way import LEVEL_MM, STRIDE_MM
from sim3d.space import Floats, Ints

NO, MAYBE, SURE = 0, 1, 2
SLACK_MM = 2 * LEVEL_MM
SIDES = 12  # places about a middle whose cores together cover the whole base


@compiled
def ground_in(field: Field, m: int, which: int, cap: float) -> float:
    """The highest ground of a list that a base steps on to below a cap; -inf where there is none."""
    best = field.floor if field.floor == field.floor and field.floor <= cap else -math.inf
    for k in range(field.counts[m, which]):
        low, high = field.spans[m, which, k, 0], field.spans[m, which, k, 1]
        if low <= cap:
            best = max(best, min(high, cap))
    return best


@compiled
def meets(field: Field, m: int, which: int, low: float, high: float) -> bool:
    """Whether an interval of a list reaches between two heights."""
    for k in range(field.counts[m, which]):
        if field.spans[m, which, k, 0] <= high and field.spans[m, which, k, 1] >= low:
            return True
    return False


@compiled
def rises(field: Field, m: int, which: int, begins: float, over: float) -> bool:
    """Whether a face of a list that begins below one height goes over another one."""
    for k in range(field.counts[m, which]):
        if field.spans[m, which, k, 0] <= begins and field.spans[m, which, k, 1] > over:
            return True
    return False


@compiled
def _hangs(field: Field, x: float, y: float, cap: float, least: float) -> bool:
    """Whether nothing that could be anywhere under the base is as high as `least`: it has gone over an edge."""
    radius = field.walk[3]
    out = 0.6 * radius
    for k in range(SIDES + 1):
        a = 2.0 * math.pi * k / SIDES
        px, py = (x, y) if k == SIDES else (x + out * math.cos(a), y + out * math.sin(a))
        i, j = math.floor((px - field.x0) / CELL_MM), math.floor((py - field.y0) / CELL_MM)
        if i < 0 or j < 0 or i >= field.nx or j >= field.ny:
            return False
        if ground_in(field, j * field.nx + i, UNDER_OUT, cap) >= least:
            return False
    return True


@compiled
def carry(
    field: Field, ax: float, ay: float, bx: float, by: float, zlo: float, zhi: float, slowed: bool
) -> tuple[int, float, float]:
    """A line from a place to another, standing between two heights at first: NO, MAYBE or SURE, and the heights there.

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
    t = 0.0
    while True:
        if i < 0 or j < 0 or i >= field.nx or j >= field.ny:
            return MAYBE, zlo, zhi
        if int(t * length / STRIDE_MM) != stride:
            stride = int(t * length / STRIDE_MM)
            lo1, hi1, lo0, hi0 = lo0, hi0, zlo, zhi
        m = j * nx + i
        wlo, whi = min(lo0, lo1), max(hi0, hi1)
        caplo, caphi = max(wlo + step, over), max(whi + step, over) + SLACK_MM
        if counts[m, STEEP_OUT] and rises(field, m, STEEP_OUT, whi + tall + SLACK_MM, caplo):
            if rises(field, m, STEEP_IN, wlo + tall, caphi):
                return NO, zlo, zhi
            state = MAYBE
        if counts[m, BARRED_OUT] and meets(field, m, BARRED_OUT, wlo - step, max(whi + tall, caphi)):
            if meets(field, m, BARRED_IN, whi, wlo + tall):
                return NO, zlo, zhi
            state = MAYBE
        if slowed and counts[m, SLOW_OUT] and meets(field, m, SLOW_OUT, wlo - step, max(whi + tall, caphi)):
            if meets(field, m, SLOW_IN, whi, wlo + tall):
                return NO, zlo, zhi
            state = MAYBE
        least, most = ground_in(field, m, UNDER_IN, caplo), ground_in(field, m, UNDER_OUT, caphi)
        if least < whi - step:  # over an edge?
            x, y, edge = field.x0 + (i + 0.5) * CELL_MM, field.y0 + (j + 0.5) * CELL_MM, wlo - step - SLACK_MM
            if most < edge and not free and _hangs(field, x, y, caphi, edge):
                return NO, zlo, zhi
            state = MAYBE
            least, most = max(least, wlo - step), max(most, whi)
        zlo, zhi = min(least, most), max(least, most)
        lo0, hi0 = min(lo0, zlo), max(hi0, zhi)
        if i == ie and j == je:
            return state, zlo, zhi
        if tx < ty:
            t, tx, i = tx, tx + each_x, i + si
        else:
            t, ty, j = ty, ty + each_y, j + sj
        if t > 1.0 + 1e-9:  # rounding at a corner: it has arrived
            return state, zlo, zhi


@compiled
def hinges_of(
    field: Field,
    x: float,
    y: float,
    z: float,
    leg: float,
    headings: Floats,
    slowed: bool,
    states: Ints,
    heights: Floats,
) -> None:
    """The first leg in every heading: its answer, and the heights at the hinge."""
    for k in range(headings.shape[0]):
        hx, hy = x + leg * math.cos(headings[k]), y + leg * math.sin(headings[k])
        states[k], heights[k, 0], heights[k, 1] = carry(field, x, y, hx, hy, z, z, slowed)


@compiled
def bent_to(
    field: Field,
    x: float,
    y: float,
    leg: float,
    second: float,
    most: float,
    headings: Floats,
    states: Ints,
    heights: Floats,
    px: float,
    py: float,
    slowed: bool,
    maybes: Ints,
) -> tuple[int, int, float, float]:
    """The best bent way to a place: its answer, its heading, the heights there. The straightest first.

    Headings of ways that only a walk can decide are written into `maybes`, -1 behind them.
    """
    n = headings.shape[0]
    aim = math.atan2(py - y, px - x)
    first = round((aim - headings[0]) / (headings[1] - headings[0]))
    many = 0
    maybes[:] = -1
    for back in range(n):
        k = (first + ((back + 1) // 2) * (1 if back % 2 else -1)) % n
        if states[k] == NO:
            continue
        hx, hy = x + leg * math.cos(headings[k]), y + leg * math.sin(headings[k])
        rest = math.hypot(px - hx, py - hy)
        if rest > second or rest < 1e-9:
            continue
        bend = abs((math.atan2(py - hy, px - hx) - headings[k] + math.pi) % (2.0 * math.pi) - math.pi)
        if bend > most:
            continue
        state, zlo, zhi = carry(field, hx, hy, px, py, heights[k, 0], heights[k, 1], slowed)
        state = min(state, states[k])
        if state == SURE:
            return SURE, k, zlo, zhi
        if state == MAYBE and many < maybes.shape[0]:
            maybes[many] = k
            many += 1
    return (MAYBE if many else NO), -1, math.nan, math.nan


@compiled
def reached(
    field: Field,
    x: float,
    y: float,
    z: float,
    places: Floats,
    wanted: Ints,
    straight: float,
    slowed: bool,
    states: Ints,
    heights: Floats,
) -> None:
    """Straight ways to many places that are wanted: answers, and heights there."""
    for k in range(places.shape[0]):
        states[k] = NO
        if wanted[k] and math.hypot(places[k, 0] - x, places[k, 1] - y) <= straight:
            states[k], heights[k, 0], heights[k, 1] = carry(field, x, y, places[k, 0], places[k, 1], z, z, slowed)


@compiled
def reached_bent(
    field: Field,
    x: float,
    y: float,
    leg: float,
    second: float,
    most: float,
    headings: Floats,
    firsts: Ints,
    lifts: Floats,
    places: Floats,
    wanted: Ints,
    slowed: bool,
    states: Ints,
    over: Ints,
    heights: Floats,
    maybes: Ints,
) -> None:
    """Bent ways to many places that are wanted."""
    for k in range(places.shape[0]):
        states[k], over[k] = NO, -1
        if wanted[k] and math.hypot(places[k, 0] - x, places[k, 1] - y) <= leg + second:
            states[k], over[k], heights[k, 0], heights[k, 1] = bent_to(
                field, x, y, leg, second, most, headings, firsts, lifts, places[k, 0], places[k, 1], slowed, maybes[k]
            )
