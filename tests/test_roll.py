"""A base that rolls: what stops it, at which angle, and what only stands beside it or over it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim3d.mini import Mini
from sim3d.space import Floats
from sim3d.statics.near import whole
from sim3d.statics.rest import foot_of
from sim3d.statics.roll import NEVER, first_touch

FRAME = np.vstack([np.zeros(3), np.eye(3)])  # level, its middle at the origin
ALONG_Y = np.array([[8.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])  # at x = 8, outward along x
HALF = math.sqrt(0.5)
ASKEW = np.array([[15.0, 0.0, 0.0], [HALF, HALF, 0.0], [-HALF, HALF, 0.0]])  # out over the long side, at its middle
SLACK_MM = 1e-4


def touch(*corners: tuple[float, float, float], axis: Floats = ALONG_Y) -> float:
    """The angle at which the rectangle base 30x20 (x to 15, y to 10) first meets a triangle."""
    tris = np.array([corners], dtype=float)
    spans: Floats = np.linalg.norm(tris[:, 1:] - tris[:, :1], axis=2).max(axis=1)
    return float(first_touch(whole(tris, spans), FRAME, axis, foot_of(Mini("rect30x20").base), SLACK_MM, 1.5)[0])


@pytest.mark.parametrize("depth", [0.5, 2.0, 5.0])
def test_a_corner_below_it_stops_it_where_it_comes_to_lie(depth: float) -> None:
    angle = touch((12.0, 0.0, -depth), (12.0, 1.0, -20.0), (13.0, 1.0, -20.0))
    assert angle == pytest.approx(math.atan2(depth, 4.0), abs=1e-9)


def test_a_corner_that_its_rim_passes_by_stops_nothing() -> None:
    assert math.hypot(6.9, 3.0) > 7.0  # so far before the axis it lies when the plane reaches it: beside the base
    assert touch((14.9, 0.0, -3.0), (30.0, 1.0, -20.0), (30.0, -1.0, -20.0)) == NEVER


@pytest.mark.parametrize("up", [0.5, 3.0, 8.0])
def test_what_rises_beside_it_stops_nothing(up: float) -> None:
    # an edge up from the end of the axis, beside the base: were it as far out as it is from the axis, it would be under
    top = (15.0 + 0.1 * up, 0.3 * up, up)
    assert touch((15.0, 0.0, 0.0), top, (40.0, 0.0, up), axis=ASKEW) == NEVER
    assert touch((15.1, 0.0, -5.0), top, (40.0, 0.0, up), axis=ASKEW) > 1.0  # there it lies on what goes down from it


def test_what_stands_high_over_it_stops_nothing() -> None:
    assert touch((10.0, 0.0, 20.0), (14.0, 2.0, 25.0), (14.0, -2.0, 25.0)) == NEVER
