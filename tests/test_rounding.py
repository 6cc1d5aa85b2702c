"""A billionth of a millimetre changes no word, and no number by more than a hair: files are rounded."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim3d import Mini, Piece, Pose, Solid, Table, check, stand
from sim3d.solid.boolean import box
from sim3d.space import Floats, Ints
from sim3d.table import Placed

NOISE_MM = 1e-9
WEDGE: Floats = np.array(
    [[27, 10, 0], [27, 40, 0], [-13, 40, 0], [-13, 10, 0], [27, 40, 3.0100401625635165], [-13, 40, 3.0100401625635165]]
)
SIDES: Ints = np.array([[0, 2, 1], [0, 3, 2], [1, 2, 5], [1, 5, 4], [0, 1, 4], [3, 5, 2], [0, 4, 5], [0, 5, 3]])
PLACES = [(-5.61, -3.77, 90.0), (-3.401660391878106, -3.4582507315850286, 80.20491679024278)]


def shaken(vertices: Floats, seed: int) -> Floats:
    """The same corners, each a billionth of a millimetre elsewhere; seed 0: where they are."""
    moved: Floats = vertices + np.random.default_rng(seed).uniform(-NOISE_MM, NOISE_MM, vertices.shape) * (seed > 0)
    return moved


@pytest.mark.parametrize("mu", [0.1, 0.2])
@pytest.mark.parametrize("place", PLACES)
def test_across_the_foot_of_a_wedge_it_needs_the_same_friction(place: tuple[float, float, float], mu: float) -> None:
    x, y, turn = place
    needs = []
    for seed in range(12):
        on = Table(Table.of(Solid.of(shaken(WEDGE, seed), SIDES, name="wedge")).pieces, floor_mm=0.0)
        told = stand(on, Mini("50n", height=30, com=15), at=(x, y), turn=turn, friction=mu, physics="never")
        assert told.answer == "stable"
        check(told, on)
        needs.append(told.friction_needed)
    assert max(needs) - min(needs) < 1e-3  # where two corners carry alike, noise chooses one
    assert max(needs) == pytest.approx(math.tan(math.radians(5.73 / 2)), rel=0.1)  # two lines, each takes half


def test_half_over_an_edge_it_slides_where_the_plane_says() -> None:
    parts = [box((-36.03, 10.28, 0), (23.97, 10.68, 3)), box((-10, -42, 0), (20, 18, 3))]
    vertices = np.vstack([v for v, _ in parts])
    faces = np.vstack([parts[0][1], parts[1][1] + len(parts[0][0])])
    for seed in range(8):
        on = Table.of(Solid.of(shaken(vertices, seed), faces, name="t"))
        told = stand(on, Mini("32", height=30, com=15), at=(-6.77, 16.161), turn=90.0, friction=1.25, physics="never")
        assert told.slip_deg == pytest.approx(math.degrees(math.atan(1.25)), abs=1e-4)


def test_without_friction_level_ground_holds_however_it_is_stored() -> None:
    vertices, faces = box((-40, -40, 0), (40, 40, 3))
    for seed in range(6):
        pose = Pose.turned(np.random.default_rng(seed).normal(size=3), 50.0 + seed)
        piece = Piece("t", Solid.of(pose.inverse().apply(vertices), faces, name="t"), pose)
        told = stand(Table((piece,), floor_mm=None), Mini("27", height=30), at=(0, 0), friction=0.0, physics="never")
        assert told.answer == "stable"


@pytest.mark.parametrize("towards", [0.0, 11.0, 23.7, 57.3])
@pytest.mark.parametrize("bases", [("27", "27"), ("50", "25"), ("160", "27")])
def test_two_minis_overlap_by_a_fifth_of_a_millimetre_whichever_way(bases: tuple[str, str], towards: float) -> None:
    mine, theirs = (Mini(name, height=30) for name in bases)
    apart = mine.base.outline.reach_mm() + theirs.base.outline.reach_mm()
    for deep, word in ((0.19, "stable"), (0.21, "blocked")):
        far = apart - deep
        at = far * math.cos(math.radians(towards)), far * math.sin(math.radians(towards))
        told = stand(Table((), floor_mm=0.0, minis=(Placed("other", theirs, at),)), mine, at=(0, 0), physics="never")
        assert told.answer == word
