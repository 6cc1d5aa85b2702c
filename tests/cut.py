"""The same faces cut into others: in three from the middle, in four along the middles of their edges."""

from __future__ import annotations

import numpy as np

Soup = tuple[np.ndarray, np.ndarray]


def in_three(vertices: np.ndarray, faces: np.ndarray) -> Soup:
    """Each face in three that meet in its middle."""
    a, b, c = faces.T
    middle = len(vertices) + np.arange(len(faces))
    parts = [np.column_stack(corners) for corners in ((a, b, middle), (b, c, middle), (c, a, middle))]
    return np.vstack([vertices, vertices[faces].mean(axis=1)]), np.concatenate(parts)


def in_four(vertices: np.ndarray, faces: np.ndarray) -> Soup:
    """Each face in four; where two share an edge, they share its middle."""
    edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    once, which = np.unique(edges, axis=0, return_inverse=True)
    ab, bc, ca = len(vertices) + which.reshape(3, -1)
    a, b, c = faces.T
    parts = [np.column_stack(corners) for corners in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
    return np.vstack([vertices, vertices[once].mean(axis=1)]), np.concatenate(parts)
