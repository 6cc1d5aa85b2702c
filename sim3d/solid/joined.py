"""Which things hang together: numbers that are joined in pairs, in groups. The one place that asks a graph library."""

from __future__ import annotations

import numpy as np

from sim3d.space import Ints


def joined(count: int, one: Ints, other: Ints) -> tuple[int, Ints]:
    """How many groups there are of the numbers below `count`, and the group of each; groups in order of their first.

    >>> groups, group = joined(5, np.array([3, 0]), np.array([1, 3]))
    >>> groups, group.tolist()
    (3, [0, 0, 1, 0, 2])
    """
    from scipy.sparse import coo_matrix  # not before it is needed: it takes as long to load as a small mesh to read
    from scipy.sparse.csgraph import connected_components

    graph = coo_matrix((np.ones(len(one), np.int8), (one, other)), shape=(count, count))
    groups, group = connected_components(graph, directed=False)
    return int(groups), group.astype(np.int64)
