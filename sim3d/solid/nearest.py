"""How far it is from points of a plane to the nearest of many others."""

from __future__ import annotations

import numpy as np

from sim3d.space import Floats


def nearest_mm(points: Floats, others: Floats) -> Floats:
    """Of each point (n, 2) the distance to the nearest of the others (m, 2).

    >>> nearest_mm(np.array([[0.0, 3.0], [9, 1]]), np.array([[0.0, 0], [9, 0]])).tolist()
    [3.0, 1.0]
    """
    from scipy.spatial import cKDTree  # not before it is needed: it takes as long to load as a small mesh to read

    found: Floats = np.asarray(cKDTree(others).query(points)[0])
    return found
