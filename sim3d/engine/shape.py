"""A miniature as an engine takes it: its base as convex parts with notches left open, its mass and inertia.

Only the base carries; the body blocks elsewhere. Corners lie on the true outline and walls inside it, so that no engine
ever lets a base stand on more than it has: it loses at most `chord_mm` on a curve.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.engine.protocol import Moving
from sim3d.mini import Base, Mini
from sim3d.space import Floats

CHORD_MM = 0.03  # lost on a curve at most; a tenth of what engines promise on a ledge
CORNERS = 120  # of a round base at least: as a 48-gon it comes to rest on a side where it would roll on
TOP_STEP = 6  # every sixth corner of the underside appears on top: nothing stands there, and fewer corners are faster
REFLEX_MM = 0.02  # a ring that falls back less than this counts as convex: noise of a base read from a mesh
LONGEST_MM = 50.0  # of a part that is not round; half as long would be as fast where it rocks, slower where it lies
SEAM_MM = 0.4  # parts of one length overlap by: an engine that rounds their sides leaves no furrow between them
SAME_CORNER_MM = 1e-6  # a cut this near a corner goes through it


def moving_of(mini: Mini) -> Moving:
    """The base of a miniature, with the inertia of a solid elliptic cylinder as wide as the base, as tall as the mini.

    No verdict depends on inertia, only how long a fall takes: it must merely be of the right size.

    >>> moving_of(Mini("27", height=40, com=15)).com
    (0.0, 0.0, 15.0)
    """
    a, b = mini.base.outline.length_mm / 2, mini.base.outline.width_mm / 2
    tall = mini.height_mm**2 / 12
    squared = (b * b / 4 + tall, a * a / 4 + tall, (a * a + b * b) / 4)
    inertia = (mini.mass_g * squared[0], mini.mass_g * squared[1], mini.mass_g * squared[2])
    ring, round_mm = mini.base.outline.polygon(CHORD_MM), mini.base.outline.radius_mm
    return Moving(parts_of(mini.base), mini.com, mini.mass_g, inertia, round_mm, ring)


def parts_of(base: Base, *, chord_mm: float | None = None) -> tuple[Floats, ...]:
    """The base cut along its notches into convex prisms, each a cloud of corners (k, 3); long ones overlap by a seam.

    Curves lose `chord_mm`, if it is given; else what they may lose and still be round enough to roll.

    >>> len(parts_of(Base.named("27"))), len(parts_of(Base.named("50n"))), len(parts_of(Base.named("100x175n")))
    (1, 3, 12)
    """
    round_enough = base.outline.reach_mm() * (1 - math.cos(math.pi / CORNERS)) * (1 + 1e-9)
    cells = _convex_cells(base.outline.polygon(min(CHORD_MM, round_enough) if chord_mm is None else chord_mm))
    if base.outline.radius_mm is None:
        cells = [short for cell in cells for short in _shortened(cell)]
    return tuple(_prism(cell, base.thickness_mm) for cell in cells)


def _shortened(ring: Floats) -> list[Floats]:
    """A convex ring across itself in halves until none is long: they overlap by a seam.

    An engine asks each part about every triangle in its box: that of a long part that leans a little holds most of what
    is under it, those of short ones little more than what they touch.
    """
    size = np.ptp(ring, axis=0)
    along = int(np.argmax(size))
    if size[along] <= LONGEST_MM:
        return [ring]
    middle = (ring[:, along].min() + ring[:, along].max()) / 2
    halves = (_cut_off(ring, along, sign, sign * middle + SEAM_MM / 2) for sign in (1.0, -1.0))
    return [short for half in halves for short in _shortened(half)]


def _cut_off(ring: Floats, axis: int, sign: float, most: float) -> Floats:
    """Of a convex ring what lies no farther along an axis, or against it, than so much."""
    left = []
    for here, after in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        over, then = sign * here[axis] - most, sign * after[axis] - most
        if over <= 0.0:
            left.append(here)
        if (over < 0.0 < then) or (then < 0.0 < over):
            left.append(here + over / (over - then) * (after - here))
    return _tidy(np.array(left))


def _prism(ring: Floats, thickness_mm: float) -> Floats:
    step = TOP_STEP if len(ring) >= 4 * TOP_STEP else 1
    top = ring[::step]
    low = np.column_stack([ring, np.zeros(len(ring))])
    return np.vstack([low, np.column_stack([top, np.full(len(top), thickness_mm)])])


def raised(part: Floats, margin_mm: float, *, inset: bool = False) -> Floats:
    """The part with its underside higher by what an engine rounds it by, so that the rounded underside is the true one.

    With `inset` its sides move in by as much, about the middle.

    >>> raised(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 3]]), 0.1)[:, 2].tolist()
    [0.1, 0.1, 0.1, 3.0]
    """
    smaller = part.copy()
    smaller[part[:, 2] == part[:, 2].min(), 2] += margin_mm
    if inset:
        middle = (part[:, :2].max(axis=0) + part[:, :2].min(axis=0)) / 2
        out = part[:, :2] - middle
        smaller[:, :2] -= out * (margin_mm / np.hypot(out[:, 0], out[:, 1]))[:, None]
    return smaller


def _convex_cells(ring: Floats) -> list[Floats]:
    """Cut at each corner that points inwards, straight on along the wall that leads to it."""
    done: list[Floats] = []
    left = [ring]
    while left:
        cell = _tidy(left.pop())
        corner = _inward(cell)
        if corner is None:
            done.append(cell)
        else:
            left += _split(cell, corner)
    return done


def _tidy(ring: Floats) -> Floats:
    """Without corners that repeat the last one."""
    apart = np.linalg.norm(ring - np.roll(ring, 1, axis=0), axis=1) > SAME_CORNER_MM
    kept: Floats = ring[apart]
    return kept


def _inward(ring: Floats) -> int | None:
    """The corner that points inwards most, measured from the line through its neighbours."""
    before, after = np.roll(ring, 1, axis=0), np.roll(ring, -1, axis=0)
    u, v = ring - before, after - before
    depth = (u[:, 1] * v[:, 0] - u[:, 0] * v[:, 1]) / np.maximum(np.hypot(v[:, 0], v[:, 1]), SAME_CORNER_MM)
    worst = int(np.argmax(depth))
    return worst if depth[worst] > REFLEX_MM else None


def _split(ring: Floats, corner: int) -> list[Floats]:
    """Two rings: the shorter wall at this corner (a notch's side), carried on to the outline, is their new wall."""
    n = len(ring)
    ring = np.roll(ring, -corner, axis=0)  # the corner is now number 0
    here, before, after = ring[0], ring[-1], ring[1]
    wall = min((here - before, here - after), key=lambda w: float(w @ w))
    ahead = wall / math.hypot(wall[0], wall[1])
    best, where, hit = math.inf, 0, here
    for i in range(1, n - 1):
        p, q = ring[i], ring[i + 1]
        edge = q - p
        across = ahead[0] * edge[1] - ahead[1] * edge[0]
        if abs(across) < 1e-12:
            continue
        gap = p - here
        along = float(gap[0] * edge[1] - gap[1] * edge[0]) / across
        share = float(gap[0] * ahead[1] - gap[1] * ahead[0]) / across
        if SAME_CORNER_MM < along < best and -1e-9 <= share <= 1 + 1e-9:
            best, where, hit = along, i, here + along * ahead
    if not math.isfinite(best):
        raise ValueError("the outline of the base crosses itself: it cannot be cut into convex parts")
    first = np.vstack([ring[: where + 1], hit[None]])
    second = np.vstack([ring[:1], hit[None], ring[where + 1 :]])
    return [first, second]
