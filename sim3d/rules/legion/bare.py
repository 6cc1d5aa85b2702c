"""Terrain that nothing covers: what lies wholly under what a base is carried over is not what it moves through.

A cover is ground of another piece, no steeper than what is walked, that lies higher and that the base steps onto from
where it is: a deck, a causeway, a crate. What lies over its cut carries nobody and covers nothing. In doubt it is bare.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np

from sim3d.ground import ground_of
from sim3d.ground.relief import LEVEL_MM
from sim3d.ground.way import TOUCH_MM, Track, Walk, tall_over
from sim3d.mini import Base
from sim3d.plane import Covers, Within, filled, hull, left_bare, may_hide, placed, share_plan
from sim3d.rules.legion.around import Plane, kept
from sim3d.rules.legion.passage import LIFTED_DEG, LINE_MM, carried
from sim3d.space import Bools, Floats, Ints
from sim3d.table import Placed, Table

UPRIGHT_DEG = 89.99  # a face so steep is seen from above as a line
FEW = 40  # triangles of a piece that are asked first, spread over what is under a base
BANDS = 8  # heights by which what may be covered is asked together; so many triangles in each, but for a few
TINY_MM = 1e-12  # sides of a ring that are shorter have no direction
MANY = 20_000  # triangles of a flat piece, of which nobody asks more closely what lies over it


def bare(
    table: Table, base: Base, poses: Floats, track: Track, walk: Walk, names: Collection[str], cut: float = math.inf
) -> tuple[str, ...]:  # fmt: skip
    """Of the pieces of a track those of some names of which the base covers anything that no other piece covers."""
    return tuple(
        piece.name
        for number, piece in enumerate(table.pieces)
        if piece.name in names and bare_from(table, base, poses, track, walk, number, cut) >= 0
    )


def bare_at(table: Table, mini: Placed, walk: Walk, feet: float, names: Collection[str]) -> tuple[str, ...]:
    """The same of a mini where it stands, below its cut."""
    if not names:
        return ()
    pose = np.array([[*mini.at, mini.turn, 0.0]])
    cut = math.inf if mini.level is None else mini.level
    return bare(table, mini.mini.base, pose, carried(table, mini.mini.base, pose, walk, feet), walk, names, cut)


def bare_from(
    table: Table, base: Base, poses: Floats, track: Track, walk: Walk, number: int, cut: float = math.inf
) -> int:
    """The first pose of a track at which it meets anything of a piece that no other piece covers; -1: it never does."""
    first = int(track.met[number])
    if first < 0:
        return first
    ground, ring = ground_of(table), filled(base.outline)
    last = track.stopped if track.stopped >= 0 else len(track.heights) - 1
    reach = float(np.hypot(*ring.T).max())
    way = poses[max(first - 1, 0) : last + 1, :2]
    middle = (way.min(axis=0) + way.max(axis=0)) / 2
    far = float((way.max(axis=0) - middle).max()) + reach
    near = ground.near(float(middle[0]), float(middle[1]), far)
    tris, mine = ground.corners[near], ground.pieces[near] == number
    covers = tris[~mine & _walked(tris, walk.slope_deg)]
    if not len(covers):
        return first
    stack, tall = _Stack(tris[mine], covers, Covers(covers[:, :, :2])), max(tall_over(ground, walk), walk.step_mm)
    for k in range(first, last + 1):
        before = poses[max(k - 1, 0)]
        heights = track.heights[max(k - 1, 0)], track.heights[k]
        low, high = min(heights), max(max(heights) + tall, walk.over_mm)
        over = placed(ring, *poses[k, :3])
        if abs(poses[k, 2] - before[2]) <= LIFTED_DEG + LINE_MM:
            over = hull(np.concatenate([placed(ring, *before[:3]), over]))
        if stack.bare_in(over, low - walk.step_mm, high, min(low + walk.step_mm, cut) + LEVEL_MM):
            return k
    return -1


@dataclass(slots=True)
class _Stack:
    """The triangles of a piece along a way, and those of others that may cover them."""

    under: Floats
    covers: Floats
    plans: Covers  # the covers, seen from above
    known: dict[int, float] = field(default_factory=dict)  # what is covered wholly, and how high its covers reach
    partly: dict[int, float] = field(default_factory=dict)  # what is not, by covers as high as this

    def bare_in(self, ring: Floats, low: float, high: float, cap: float) -> bool:
        """Whether anything of the piece between two heights is in a ring and under no cover, none higher than a cap."""
        heights = self.under[:, :, 2]
        rows = np.flatnonzero(
            _meeting(self.under, np.array([ring.min(axis=0), ring.max(axis=0)]))
            & (heights.max(axis=1) >= low) & (heights.min(axis=1) <= high)
        )  # fmt: skip
        if self._plainly(ring, rows[(heights[rows].min(axis=1) >= low) & (heights[rows].max(axis=1) <= high)]):
            return True
        within = Within(ring, self.under[rows][:, :, :2], deeper_mm=TOUCH_MM)
        rows = rows[within.rows]
        tris = self.under[rows]
        least, most = tris[:, :, 2].min(axis=1), tris[:, :, 2].max(axis=1)
        number, which = self.plans.near(within)
        tops, bottoms = self.covers[which][:, :, 2].max(axis=1), self.covers[which][:, :, 2].min(axis=1)
        could = (tops > np.maximum(least, low)[number]) & (bottoms <= cap)
        number, which = number[could], which[could]
        whole = (least >= low) & (most <= high)
        alone = np.bincount(number, minlength=len(rows)) == 0
        if (whole & alone).any():
            return True
        hidden, near = np.zeros(len(rows), np.bool_), np.unique(which)
        lows, highs = self.covers[near][:, :, 2].min(axis=1), self.covers[near][:, :, 2].max(axis=1)
        for band in np.array_split(np.argsort(most, kind="stable"), min(BANDS, len(rows) // BANDS + 1)):
            above = near[(lows >= most[band].max(initial=-math.inf) + LEVEL_MM) & (highs <= cap)]  # no height cuts them
            if len(band) and len(above):
                hidden[band] = self.plans.hide(above, within, band)
        return any(
            self._bare(int(rows[k]), self.covers[which[number == k]], ring, (low, high, cap), whole=bool(whole[k]))
            for k in np.flatnonzero(~hidden)
        )

    def _plainly(self, ring: Floats, rows: Ints) -> bool:
        """Whether one of a few of these rows lies well in a ring with no cover anywhere near: told without shapes."""
        few = rows[:: max(1, len(rows) // FEW)]
        (dx, dy), (x, y) = (np.roll(ring, -1, axis=0) - ring).T, ring.T
        corners = self.under[few][:, 0, :2]
        away = (dx * (corners[:, 1:] - y) - dy * (corners[:, :1] - x)) / np.maximum(np.hypot(dx, dy), TINY_MM)
        few = few[(away > 2 * TOUCH_MM).all(axis=1)]
        number, _ = self.plans.near(self.under[few][:, :, :2])
        return len(np.unique(number)) < len(few)

    def _bare(
        self, row: int, covers: Floats, ring: Floats, between: tuple[float, float, float], *, whole: bool
    ) -> bool:
        """The same of one triangle, with the covers near it."""
        low, high, cap = between
        if whole and self.known.get(row, math.inf) <= cap:
            return False
        whole = whole and cap > self.partly.get(row, -math.inf)
        part = kept(self.under[row], _between(low, high))
        if not len(part):
            return False
        if not whole:  # nobody asks what covers it elsewhere
            covers = covers[_meeting(covers, np.array([ring.min(axis=0), ring.max(axis=0)]))]
        over = [kept(cover, _between(float(part[:, 2].max()) + LEVEL_MM, cap)) for cover in covers]
        over = [cover for cover in over if len(cover)]
        plans = [cover[:, :2] for cover in over]
        if whole and over:
            if not left_bare(None, part[:, :2], plans):
                self.known[row] = max(float(cover[:, 2].max()) for cover in over)
                return False
            self.partly[row] = cap
        return left_bare(ring, part[:, :2], plans, deeper_mm=TOUCH_MM)


def may_be_covered(
    table: Table, base: Base, names: Collection[str], walk: Walk, at: tuple[float, float], far_mm: float
) -> bool:
    """Whether ground of another piece, no more than a step higher, may be over all of a piece that a base is over.

    Of pieces only what comes so near to a place is asked about, by the bounds of its triangles. A crate in the middle
    of a flat marsh that the base has no room on is not: something of the marsh is always bare.
    """
    ground = ground_of(table)
    tris, hidden = ground.corners, ground.undersides()  # what is seen from above is no underside
    near = ground.near(*at, far_mm)
    near = near[~hidden[near]]
    for number in (k for k, piece in enumerate(table.pieces) if piece.name in names):
        mine = near[ground.pieces[near] == number]
        if not len(mine):
            continue
        heights, plan = tris[mine][:, :, 2], tris[mine][:, :, :2].reshape(-1, 2)
        bounds = np.array([plan.min(axis=0), plan.max(axis=0)])
        (x, y), wide = bounds.mean(axis=0), float(np.ptp(bounds, axis=0).max())
        others = ground.near(float(x), float(y), wide / 2 + TOUCH_MM)
        others = others[(ground.pieces[others] != number) & ~hidden[others]]
        over = (tris[others][:, :, 2].max(axis=1) > heights.min()) & _meeting(tris[others], bounds)
        others = others[over & _walked(tris[others], walk.slope_deg)]
        first, second = Covers(tris[others][:, :, :2]).near(tris[mine][:, :, :2])
        one, other = tris[mine[first]], tris[others[second]]
        fits = (other[:, :, 2].max(axis=1) > one[:, :, 2].min(axis=1)) & (
            other[:, :, 2].min(axis=1) <= one[:, :, 2].max(axis=1) + walk.step_mm + LEVEL_MM
        )
        if not share_plan(one[fits][:, :, :2], other[fits][:, :, :2]):
            continue
        top = _walked(tris[mine], UPRIGHT_DEG)
        flat = 0 < top.sum() <= MANY and np.ptp(heights[top]) <= LEVEL_MM
        over_it = tris[others[np.unique(second[fits])]][:, :, :2]
        if not flat or may_hide(filled(base.outline), tris[mine[top]][:, :, :2], over_it):
            return True
    return False


def _between(low: float, high: float) -> list[Plane]:
    return [(0.0, 0.0, 1.0, low), (0.0, 0.0, -1.0, -high)]


def _walked(tris: Floats, slope_deg: float) -> Bools:
    """Which triangles are no steeper than what is walked."""
    normals = np.cross(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0])
    sizes = np.linalg.norm(normals, axis=1)
    walked: Bools = (sizes > 0) & (np.abs(normals[:, 2]) >= (math.cos(math.radians(slope_deg)) - 1e-6) * sizes)
    return walked


def _meeting(tris: Floats, bounds: Floats) -> Bools:
    """Which triangles (m, 3, 3) come within plan bounds."""
    plan = tris[:, :, :2]
    met: Bools = ((plan.min(axis=1) <= bounds[1]) & (plan.max(axis=1) >= bounds[0])).all(axis=1)
    return met
