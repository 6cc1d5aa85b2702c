"""Walls and undersides under a cut: they carry nothing, however their triangles are cut."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim3d import Mini, Solid, Table, check, stand
from sim3d.atlas import atlas
from sim3d.solid.boolean import box
from sim3d.solid.walls import ends_of
from sim3d.space import Floats, Ints

Mesh = tuple[Floats, Ints]
FIGURE = Mini("27", height=40, com=15)


def split(mesh: Mesh, times: int) -> Mesh:
    """The same surface, each triangle cut in four at the middles of its edges, so often."""
    vertices, faces = mesh
    for _ in range(times):
        ends = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
        edges, which = np.unique(ends, axis=0, return_inverse=True)
        ab, bc, ca = (which.reshape(3, -1) + len(vertices)).astype(np.int64)
        a, b, c = faces.T
        vertices = np.vstack([vertices, vertices[edges].mean(axis=1)])
        faces = np.vstack([np.stack(t, axis=1) for t in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
    return vertices, faces


def walls(half: float, low: float, high: float, times: int, floor: float | None) -> Table:
    """Two walls beside a way so wide, along y."""
    pair = [box((half, -30, low), (40, 30, high)), box((-40, -30, low), (-half, 30, high))]
    return Table(
        Table.of(*(Solid.of(*split(m, times), name=n) for m, n in zip(pair, "ab", strict=True))).pieces, floor_mm=floor
    )


@pytest.mark.parametrize("times", [0, 1, 2, 3])
def test_a_way_a_hair_too_narrow_is_stood_in_on_its_floor(times: int) -> None:
    told = stand(walls(13.4, 0, 20, times, 0.0), FIGURE, at=(0, 0), level=12, physics="never")
    assert told.answer == "stable"
    assert told.pose is not None
    assert told.pose.place[2] == 0.0
    check(told, walls(13.4, 0, 20, times, 0.0))


@pytest.mark.parametrize("times", [0, 1, 2, 3])
@pytest.mark.parametrize("base", ["27", "rect50x25", "hex40"])
def test_in_a_shaft_without_a_floor_it_falls(times: int, base: str) -> None:
    half, turn = {"27": (13.4, 0.0), "rect50x25": (12.49999, 0.0), "hex40": (19.99999, 90.0)}[base]
    on = walls(half, -100, 20, times, None)
    told = stand(on, Mini(base, height=40, com=15), at=(0.3, 0), turn=turn, level=12, physics="never")
    assert told.answer in ("falls", "blocked")
    made = atlas(on, Mini(base, height=40, com=15), area=(0, 0, 1, 1), turns=(turn,), levels=True)
    assert not any(
        "stable" in str(made.at(x, 0.0, level=level).word) for x in (0, 1) for level in range(1, len(made.layers))
    )


@pytest.mark.parametrize("deep", [2e-6, 1e-4, 0.01, 0.19])
def test_a_wall_that_touches_it_takes_nothing_from_its_floor(deep: float) -> None:
    for times in (0, 1, 2):
        pieces = [box((-100, -100, -5), (100, 100, 0)), split(box((13.5 - deep, -30, 0), (40, 30, 20)), times)]
        on = Table(Table.of(*(Solid.of(*m, name=n) for m, n in zip(pieces, "fw", strict=True))).pieces, floor_mm=None)
        assert stand(on, FIGURE, at=(0, 0), level=12, physics="never").answer == "stable"


def test_nobody_stands_on_an_underside() -> None:
    pair = [box((-60, 12.4, 10), (60, 60, 20)), box((-60, -60, 10), (60, -12.4, 20))]
    on = Table(Table.of(*(Solid.of(*m, name=n) for m, n in zip(pair, "ab", strict=True))).pieces, floor_mm=0.0)
    told = stand(on, Mini("rect50x25", height=40, com=15), at=(0, 0), level=15, physics="never")
    assert told.pose is not None
    assert told.pose.place[2] == 0.0


UNDER, ALL = [i for i, f in enumerate(box((0, 0, 0), (1, 1, 1))[1].tolist()) if max(f) < 4], list(range(12))


@pytest.mark.parametrize("times", [0, 4])
@pytest.mark.parametrize(("backs", "again"), [(UNDER, []), (UNDER[:1], UNDER), (ALL, []), (ALL[:7], ALL), ([], UNDER)])
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_nobody_stands_on_an_underside_that_is_drawn_again(
    backs: list[int], again: list[int], seed: int | None, times: int
) -> None:
    pieces = []
    for low, high, name in (((-60, 12.4, 10), (60, 60, 20), "a"), ((-60, -60, 10), (60, -12.4, 20), "b")):
        corners, faces = box(low, high)
        drawn = split((corners, np.vstack([faces, faces[backs][:, ::-1], faces[again]])), times)
        order = np.random.default_rng(seed).permutation(len(drawn[1])) if seed else np.arange(len(drawn[1]))
        pieces.append(Solid.of(drawn[0], drawn[1][order], name=name))
    on = Table(Table.of(*pieces).pieces, floor_mm=0.0)
    told = stand(on, Mini("rect50x25", height=40, com=15), at=(0, 0), level=15, physics="never")
    assert told.pose is not None
    assert told.pose.place[2] == 0.0
    check(told, on)
    carried = stand(on, FIGURE, at=(0, 40), physics="never")
    assert carried.pose is not None
    assert carried.pose.place[2] == 20.0
    check(carried, on)


def test_of_two_parts_that_share_a_face_the_lower_one_carries() -> None:
    low, high = box((-30, -30, 0), (30, 30, 10)), box((-30, -30, 10), (30, 30, 20))
    shared = np.vstack([low[0], high[0][4:]]), np.vstack([low[1], high[1] + 4])
    solid = Solid.of(*shared, name="stacked")
    ends = ends_of(solid.vertices, solid.faces, solid.sided)
    level = (solid.vertices[solid.faces, 2] == 10.0).all(axis=1)
    assert np.isposinf(ends[level]).tolist() == [False, False, True, True]


@pytest.mark.parametrize(("height", "word"), [(25.0, "stable"), (40.0, "blocked")])
def test_under_a_leaning_underside_it_stands_on_the_ground_if_it_fits(height: float, word: str) -> None:
    ring = [(0.0, 10.0), (100.0, 60.0), (0.0, 60.0)]  # 35 mm up over its middle, and within its base lower than the cut
    corners = np.array([(x, y, z) for y in (-40.0, 40.0) for x, z in ring])
    faces = np.array([[0, 1, 2], [3, 5, 4], [0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [2, 5, 3], [2, 3, 0]])
    wedge = Solid.of(corners, faces, name="wedge")
    assert wedge.closed
    on = Table(Table.of(wedge).pieces, floor_mm=0.0)
    told = stand(on, Mini("27", height=height, com=15), at=(50, 0), level=45, physics="never")
    assert told.answer == word
    assert word == "blocked" or (told.pose is not None and told.pose.place[2] == 0.0)


@pytest.mark.parametrize("times", [0, 1, 2])
def test_steep_walls_over_a_cut_are_in_the_way_however_they_are_cut(times: int) -> None:
    pieces = []
    for s, name in ((1, "a"), (-1, "b")):
        foot, top = 5.0, 5.0 + 80.0 / math.tan(math.radians(71.0))
        at = [(foot, -40, 0), (foot, 40, 0), (top, 40, 80), (top, -40, 80)]
        corners = np.array([(s * x, y, z) for x, y, z in at])
        pieces.append(Solid.of(*split((corners, np.array([[0, 1, 2], [0, 2, 3]])), times), name=name))
    on = Table(Table.of(*pieces).pieces, floor_mm=0.0)
    told = stand(on, Mini("27", height=40, com=2.5), at=(0, 0), level=60, physics="never")
    assert told.answer == "blocked"


def test_a_low_wall_carries_under_a_cut_over_it() -> None:
    sheet = np.array([[-30.0, 0, 0], [30, 0, 0], [30, 0, 8], [-30, 0, 8]])
    ends = ends_of(sheet, np.array([[0, 1, 2], [0, 2, 3]]), np.zeros(2, np.bool_))
    assert ends.tolist() == [8.0, 8.0]
    low = Solid.of(*box((-10, -30, 0), (10, 30, 8)), name="low")
    told = stand(Table.of(low), FIGURE, at=(0, 0), level=12, physics="never")
    assert told.answer == "stable"
    assert told.pose is not None
    assert told.pose.place[2] == 8.0


def test_who_looks_inward_has_his_underside_below() -> None:
    vertices, faces = box((0, 0, 0), (10, 10, 10))
    up, down = (ends_of(vertices, f, np.ones(12, np.bool_)) for f in (faces, faces[:, ::-1]))
    assert up.tolist() == down.tolist()
    assert sum(e == math.inf for e in up) == 2
    assert not np.isinf(ends_of(vertices, faces, np.zeros(12, np.bool_))).all()


@pytest.mark.parametrize(("thick", "undersides"), [(5.0, [0, 2]), (30.0, [2, 0])])
def test_a_part_that_is_turned_inside_out_carries_as_it_did(thick: float, undersides: list[int]) -> None:
    slab, crate = box((-100, -100, 0), (100, 100, thick)), box((-60, -60, thick), (60, 60, thick + 30))
    faces = np.vstack([slab[1], crate[1][:, ::-1] + len(slab[0])])  # the crate looks inward, as some programs write it
    solid = Solid.of(np.vstack([slab[0], crate[0]]), faces, name="both")
    assert solid.closed
    assert solid.wound
    on = Table(Table.of(solid).pieces, floor_mm=0.0)
    for level in (None, 70.0):
        told = stand(on, FIGURE, at=(0, 0), level=level, physics="never")
        assert told.answer == "stable"
        assert told.pose is not None
        assert told.pose.place[2] == thick + 30
        check(told, on)
    ends = ends_of(solid.vertices, solid.faces, solid.sided)
    assert [int(np.isposinf(e).sum()) for e in (ends[:12], ends[12:])] == undersides  # the larger one tells which way
