"""Does a closed surface count any space twice? Looked for along upright lines through a jittered grid of places.

Going up such a line, one enters the body, leaves it, enters again. Where one enters twice before leaving, the surface
passes through itself, and the plain volume formula would be wrong.
"""

from __future__ import annotations

import numpy as np

from sim3d.space import Floats, Ints

GRID = 96  # lines along each side of the box: an overlap of a thousandth of the plan is met by about nine of them
PAIRS_AT_ONCE = 2_000_000  # triangles times lines near them, in memory together
THIN_MM = 1e-3  # a double layer thinner than this is rounding
GOLDEN = (0.7548776662466927, 0.5698402909980532)  # jitter, so that lines avoid the edges of axis-aligned boxes


def miscounted_share(vertices: Floats, faces: Ints) -> float:
    """The share of the volume that is counted twice or wrongly, as far as the lines see; 0 for a simple body.

    >>> corners = np.array([[0.0, 0, 0], [9, 0, 0], [0, 9, 0], [0, 0, 9]])
    >>> miscounted_share(corners, np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]))
    0.0
    """
    low, high = vertices[:, :2].min(axis=0), vertices[:, :2].max(axis=0)
    step = (high - low) / GRID
    if not (step > 0).all():
        return 0.0
    n = np.arange(GRID * GRID)
    cell = np.column_stack([n % GRID, n // GRID])
    places = low + step * (cell + np.column_stack([(n * g) % 1.0 for g in GOLDEN]))
    line, height, sign = _crossings(vertices, faces, low, step, places)
    order = np.lexsort([height, line])
    line, height, sign = line[order], height[order], sign[order]
    inside = np.cumsum(sign)  # every whole line adds up to zero, so the sum starts afresh by itself
    thick = np.where(line[1:] == line[:-1], height[1:] - height[:-1], 0.0)
    odd = (inside[:-1] < 0) | (inside[:-1] > 1)
    wrong = float((thick * odd * (thick > THIN_MM)).sum())
    right = float(np.abs(thick * inside[:-1]).sum())
    return wrong / right if right > 0 else 0.0


def _crossings(vertices: Floats, faces: Ints, low: Floats, step: Floats, places: Floats) -> tuple[Ints, Floats, Ints]:
    """Where lines pass through triangles: which line, at which height, and +1 going in or -1 going out."""
    corners = vertices[faces]
    flat = corners[:, :, :2]
    first = np.clip(np.floor((flat.min(axis=1) - low) / step).astype(np.int64), 0, GRID - 1)
    last = np.clip(np.floor((flat.max(axis=1) - low) / step).astype(np.int64), 0, GRID - 1)
    wide = last - first + 1
    count = wide[:, 0] * wide[:, 1]
    ends = np.cumsum(count)
    lines, heights, signs = [np.empty(0, np.int64)], [np.empty(0)], [np.empty(0, np.int64)]
    start = 0
    while start < len(faces):
        stop = max(start + 1, int(np.searchsorted(ends, (ends[start - 1] if start else 0) + PAIRS_AT_ONCE)))
        own = np.repeat(np.arange(start, stop), count[start:stop])
        rank = np.arange(len(own)) - np.repeat(
            ends[start:stop] - count[start:stop] - (ends[start] - count[start]), count[start:stop]
        )
        cell = first[own] + np.column_stack([rank % wide[own, 0], rank // wide[own, 0]])
        line = cell[:, 1] * GRID + cell[:, 0]
        a, b, c = (flat[own, k] - places[line] for k in range(3))
        wa, wb, wc = _cross(b, c), _cross(c, a), _cross(a, b)
        hit = ((wa > 0) & (wb > 0) & (wc > 0)) | ((wa < 0) & (wb < 0) & (wc < 0))
        weights = np.column_stack([wa, wb, wc])[hit]
        z = corners[own[hit], :, 2]
        lines.append(line[hit])
        heights.append((weights * z).sum(axis=1) / weights.sum(axis=1))
        signs.append(np.where(weights[:, 0] > 0, -1, 1))  # a face that looks up is left, one that looks down entered
        start = stop
    return np.concatenate(lines), np.concatenate(heights), np.concatenate(signs)


def _cross(a: Floats, b: Floats) -> Floats:
    made: Floats = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return made
