"""How far a notched base hangs over: what lies in a notch, as seen from above, carries none of its underside."""

from __future__ import annotations

import math

import pytest

from sim3d import Mini, Piece, Pose, Solid, Table, stand
from sim3d.solid.boolean import box


def bar(left: float, right: float, azimuth: float) -> Table:
    """A bar across x, as long as no base is wide, turned about z; its top is level."""
    vertices, faces = box((left, -90, 0), (right, 90, 30))
    return Table(pieces=(Piece("bar", Solid.of(vertices, faces), Pose.at(0, 0, turn=azimuth)),), floor_mm=None)


@pytest.mark.parametrize("azimuth", [0.0, 33.0, 160.0])
def test_what_lies_in_a_notch_carries_none_of_it(azimuth: float) -> None:
    """Its front ends at x, where its notch has its corners; the notch goes back 3 mm from its foremost point."""
    base = Mini("round50-front", height=40, com=10)
    corner = math.sqrt(25**2 - 7.6**2)
    floor = 25.0 - 3.0
    over_all = stand(bar(-60, 60, azimuth), base, at=(0, 0), turn=azimuth, physics="never")
    assert over_all.overhang_mm == 0.0
    # a bar that ends behind the notch's floor: the corners are as far off as their distance from it
    behind = stand(bar(-60, floor - 4, azimuth), base, at=(0, 0), turn=azimuth, physics="never")
    assert behind.overhang_mm == pytest.approx(corner - (floor - 4), abs=1e-4)
    # with a second bar all of which lies in the notch nothing is carried more: it was 1.5 mm less
    both = bar(-60, floor - 4, azimuth)
    vertices, faces = box((floor + 0.5, -7.0, 0), (floor + 40, 7.0, 30))
    stake = Piece("stake", Solid.of(vertices, faces), Pose.at(0, 0, turn=azimuth))
    found = stand(Table((*both.pieces, stake), floor_mm=None), base, at=(0, 0), turn=azimuth, physics="never")
    assert found.overhang_mm == pytest.approx(behind.overhang_mm, abs=1e-4)
    assert found.overhang_share == pytest.approx(behind.overhang_share, abs=1e-6)


def test_over_ground_that_is_deeper_than_three_millimetres_all_of_it_hangs_over() -> None:
    """Four pegs under a notched base, far out: between them the nearest is what counts."""
    q, s = 18.0, 0.5
    pieces = []
    for k in range(4):
        x, y = q * math.cos(math.pi * (k + 0.5) / 2), q * math.sin(math.pi * (k + 0.5) / 2)
        pieces.append(Piece(f"{k}", Solid.of(*box((x - s, y - s, 0), (x + s, y + s, 30)))))
    found = stand(Table(tuple(pieces), floor_mm=0.0), Mini("50n", height=40, com=10), at=(0, 0), physics="never")
    reach = q / math.sqrt(2) - s  # of the inner side of each from the axes
    assert found.answer == "stable"
    assert found.overhang_mm == pytest.approx(math.hypot(25.0 - reach - 2 * s, reach), abs=1e-4)


def test_it_hangs_over_by_more_than_it_reaches_from_its_middle() -> None:
    """Its middle is 8 mm past the edge; what it carries sits behind. It was told 25 mm, half of its length."""
    base = Mini("round50-front", height=40, com=(-15, 0, 5))
    corner = math.sqrt(25**2 - 7.6**2)
    at = (8 * math.cos(math.radians(20)), 8 * math.sin(math.radians(20)))
    found = stand(bar(-60, 0, 20.0), base, at=at, turn=20, physics="never")
    assert found.overhang_mm == pytest.approx(8 + corner, abs=1e-4)
