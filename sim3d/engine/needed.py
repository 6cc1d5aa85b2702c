"""Ground that a base could touch where it is put, and no more: the fewer triangles, the faster an engine steps.

A flat underside that lies on the highest places under it touches nothing between them, however much there is: a grating
of three thousand bars carries a base by some thirty of their corners. What is left out is proven never to be touched.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sim3d.engine.protocol import Moving, Rock
from sim3d.plane import well_inside
from sim3d.solid.hull import hull_corners
from sim3d.space import TOUCH_MM, Bools, Floats, Pose

FEWEST = 256  # triangles wholly under a base that are worth the search; with fewer a step takes a millisecond at most
OVER_MM = 0.01  # over the underside nothing is under it: a base released in a hair of terrain is left as it is
DEEP, WIDE = 1e3, 2.0  # reaches: so far below, and aside, lie points that hide the foot of all that stands upright


def needed(ground: Rock, moving: Moving, home: Pose, far_mm: float, far_deg: float) -> Rock:
    """What a base may touch that goes at most so far (mm), and leans by at most so many degrees, from where it is put.

    >>> spikes = [(x + d, y + e, -d) for x in range(20) for y in range(20) for d, e in ((0, 0), (0.2, 0), (0, 0.2))]
    >>> block = np.array([(x, y, z) for x in (-40, 40) for y in (-40, 40) for z in (0, 3)], dtype=float)
    >>> ring = np.array([(-40, -40), (40, -40), (40, 40), (-40, 40)], dtype=float)
    >>> ground = Rock(np.array(spikes) - (10.0, 10.0, 0.0), np.arange(len(spikes)).reshape(-1, 3))
    >>> len(needed(ground, Moving((block,), (0, 0, 9), 5.0, (1, 1, 1), ring=ring), Pose(), 0.1, 0.5).faces)
    4
    """
    if len(ground.faces) < FEWEST:
        return ground
    corners = (ground.vertices - np.array(home.place)) @ home.rotation()
    points, far = np.vstack(moving.parts), math.sin(math.radians(far_deg))
    reach, thick = float(np.hypot(points[:, 0], points[:, 1]).max()), float(points[:, 2].max())
    # so far sideways it may meet a place: no higher than its top, no lower than its rim, wherever it goes
    aside = far_mm + (thick + far_mm + reach * far) * far
    beside = _beside(corners[:, :2], ground.faces, reach + aside)
    under = corners[:, 2] <= OVER_MM
    under[under] = False if moving.ring is None else well_inside(moving.ring, corners[under, :2], aside)
    within = under[ground.faces].all(axis=1)
    if within.sum() < FEWEST:
        return ground.only(~beside)
    carriers = np.zeros(len(corners), dtype=np.bool_)
    carriers[_carriers(corners, np.unique(ground.faces[within]), reach)] = True
    return ground.only(~beside & (~within | carriers[ground.faces].any(axis=1)))


def _beside(places: Floats, faces: NDArray[np.int64], far_mm: float) -> Bools:
    """Which triangles, seen from above, lie farther than that from the base's middle: wholly beyond a line across."""
    middles = places[faces].mean(axis=1)
    middles /= np.maximum(np.linalg.norm(middles, axis=1), 1e-9)[:, None]
    beyond: Bools = np.einsum("tij,tj->ti", places[faces], middles).min(axis=1) > far_mm
    return beyond


def _carriers(corners: Floats, among: NDArray[np.int64], reach: float) -> NDArray[np.int64]:
    """Those corners that are corners of the hull of all of them and of what is deep below.

    A plane on these is on none of the others, but for what counts as touching.
    """
    turns = 2.0 * np.pi * np.arange(3) / 3.0
    wide, deep = WIDE * reach, float(corners[among, 2].min()) - DEEP * reach
    below = np.column_stack([wide * np.cos(turns), wide * np.sin(turns), np.full(3, deep)])
    places = corners[among]
    places[:, 2] = np.round(places[:, 2] / TOUCH_MM) * TOUCH_MM  # in a flat no corner is higher by a rounding
    ends = hull_corners(np.vstack([places, below]))
    return among[ends[ends < len(among)]]
