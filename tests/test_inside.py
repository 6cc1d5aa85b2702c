"""What triangles are inside of a column: the same as plain clipping says, whichever way they lie."""

from __future__ import annotations

import numpy as np
import pytest
from shapely import Polygon, contains_xy

from sim3d.ground.inside import meeting, over_points, spans_inside
from sim3d.rules.legion.around import sides_of

RING = np.array([[2.0, -1.0], [3.0, 2.0], [-1.0, 3.0], [-2.0, -2.0]])  # counter-clockwise


def soup(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    tris = rng.uniform(-6, 6, (120, 1, 3)) + rng.normal(0, 2.5, (120, 3, 3))
    tris[:30, 2, :2] = tris[:30, 0, :2]  # walls
    return np.ascontiguousarray(tris)


@pytest.mark.parametrize("seed", range(4))
def test_spans_hold_every_point_of_a_triangle_in_the_column_and_end_at_some(seed: int) -> None:
    tris, few = soup(seed), np.arange(120)
    least, most = -2.0, 3.0
    shares = np.random.default_rng(1).dirichlet([1, 1, 1], 4000)
    column = Polygon(RING)
    for t in few:
        told = spans_inside(tris, few[t : t + 1], sides_of(RING), least, most, False)
        points = shares @ tris[t]
        kept = points[contains_xy(column, points[:, :2]) & (least <= points[:, 2]) & (points[:, 2] <= most)]
        assert len(told) or not len(kept)
        if len(kept):
            low, high = told[0]
            assert low - 1e-9 <= kept[:, 2].min()
            assert kept[:, 2].max() <= high + 1e-9
            assert least - 1e-9 <= low <= high <= most + 1e-9
    assert len(spans_inside(tris, few, sides_of(RING), least, most, True)) == 1


def test_what_is_over_a_point_is_found_with_its_height() -> None:
    tris = np.array(
        [[[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 5.0]], [[0.0, 0.0, 0.0], [1.0, 1.0, 9.0], [0.0, 0.0, 9.0]]]
    )
    low, high = tris.min(axis=1), tris.max(axis=1)
    boxes = np.hstack([low[:, :2], high[:, :2]])
    points = np.array([[1.0, 1.0], [1.0, 2.0], [3.0, 3.0], [0.0, 0.0]])
    assert over_points(tris, boxes, points, 0.5, 2.5).tolist() == [True, False, False, True]
    assert over_points(tris, boxes, points, 2.5, 9.5).tolist() == [
        False,
        True,
        False,
        False,
    ]  # no wall is over anything
    heights = np.column_stack([low[:, 2], high[:, 2]])
    assert meeting(boxes, heights, np.array([2.0, 2.0]), np.array([3.0, 3.0]), 0.0, 9.0).tolist() == [0]
    assert meeting(boxes, heights, np.array([0.0, 0.0]), np.array([1.0, 1.0]), 5.0, 9.5).tolist() == [1]
