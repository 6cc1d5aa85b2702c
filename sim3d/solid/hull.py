"""The one door to convex hulls: which points are corners of theirs."""

from __future__ import annotations

import numpy as np

from sim3d.space import Floats, Ints


def hull_corners(points: Floats) -> Ints:
    """The numbers of those points (n, 3) that are corners of the hull of all; they must not all lie in one plane.

    >>> hull_corners(np.array([(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4), (1, 1, 1.0)])).tolist()
    [0, 1, 2, 3]
    """
    from scipy.spatial import ConvexHull  # not before it is needed: it takes as long to load as a small mesh to read

    return np.asarray(ConvexHull(points).vertices, dtype=np.int64)
