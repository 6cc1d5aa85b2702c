"""How far a notched underside hangs over: what has risen into a notch lies beside the base, and carries none of it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sim3d.mini import Base
from sim3d.plane import area_of, farthest_bare, hull
from sim3d.space import CHORD_MM, Floats
from sim3d.statics.overhang import ABOVE_MM, BELOW_MM, JOIN_MM

NOTCHED_MM2 = 1e-3  # of a hull that an outline leaves free: less is rounding
FINE = 0.01  # of the chord of a mesh: as far the outline may stray


@lru_cache(maxsize=64)
def notched_ring(base: Base) -> Floats | None:
    """The corners of an outline that falls back from its hull somewhere; None of one that does not."""
    ring = base.outline.polygon(FINE * CHORD_MM)
    return ring if area_of(hull(ring)) - area_of(ring) > NOTCHED_MM2 else None


def overhang_of(tris: Floats, frame: Floats, ring: Floats) -> float:
    """How far (mm) the farthest point of an outline is from what lies at most 3 mm under its inside; or infinite."""
    from_middle = tris - frame[0]
    height, places = from_middle @ frame[3], from_middle @ frame[1:3].T
    least, reach = -BELOW_MM - JOIN_MM, float(np.hypot(*ring.T).max())
    near = (height.max(axis=1) >= least) & (height.min(axis=1) <= ABOVE_MM)
    near &= (places.min(axis=1) <= reach).all(axis=1) & (places.max(axis=1) >= -reach).all(axis=1)
    height, places = height[near], places[near]
    kept, corners = [(height >= least) & (height <= ABOVE_MM)], [places]
    for i in range(3):
        j = (i + 1) % 3
        rise = height[:, j] - height[:, i]
        for level in (least, ABOVE_MM):
            share = (level - height[:, i]) / np.where(rise == 0.0, 1.0, rise)
            kept.append(((rise != 0.0) & (share > 0.0) & (share < 1.0))[:, None])
            corners.append((places[:, i] + share[:, None] * (places[:, j] - places[:, i]))[:, None])
    inside, all_of, whole = np.concatenate(kept, axis=1), np.concatenate(corners, axis=1), kept[0].all(axis=1)
    cut = inside.any(axis=1) & ~whole
    inside, all_of = inside[cut], all_of[cut]
    first = all_of[np.arange(len(all_of)), inside.argmax(axis=1)]
    return farthest_bare(ring, places[whole], np.where(inside[:, :, None], all_of, first[:, None]))
