"""What lies flat between two triangles is no edge, and a corner in a plane or on a straight edge is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim3d.ground import ground_of
from sim3d.ground.creases import ALL_SPEAK, NO_CORNER, NO_EDGE, SPEAKS, traits_of, under_a_cut
from sim3d.solid import Solid, read_solid
from sim3d.table import Table
from tests.cut import in_four, in_three

SQUARE = np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [10.0, 10.0, 0.0], [0.0, 10.0, 0.0]])
HALVES = np.array([[0, 1, 2], [0, 2, 3]])
CRATE = Path(__file__).parent.parent / "meshes" / "gallery" / "crate.stl"


def edges(vertices: np.ndarray, faces: np.ndarray) -> set[tuple[int, int]]:
    """The edges that are some, as pairs of corners."""
    traits = traits_of(np.asarray(vertices, dtype=np.float64), np.asarray(faces))
    every = [(t, i) for t in range(len(faces)) for i in range(3) if not traits[t] & (NO_EDGE << i)]
    return {tuple(sorted((int(faces[t][i]), int(faces[t][(i + 1) % 3])))) for t, i in every}  # type: ignore[misc]


def corners(vertices: np.ndarray, faces: np.ndarray) -> list[int]:
    """The corners that some triangle speaks for; those that are none are not among them."""
    traits = traits_of(np.asarray(vertices, dtype=np.float64), np.asarray(faces))
    told = [int(faces[t][i]) for t in range(len(faces)) for i in range(3) if traits[t] & (SPEAKS << i)]
    none = {int(faces[t][i]) for t in range(len(faces)) for i in range(3) if traits[t] & (NO_CORNER << i)}
    assert not none & set(told)
    assert none | set(told) == set(np.unique(faces).tolist())
    return told


def test_a_square_has_no_diagonal() -> None:
    assert edges(SQUARE, HALVES) == {(0, 1), (1, 2), (2, 3), (0, 3)}
    assert sorted(corners(SQUARE, HALVES)) == [0, 1, 2, 3]


@pytest.mark.parametrize("cut", [in_three, in_four])
def test_a_cut_square_is_a_square(cut: object) -> None:
    vertices, faces = SQUARE, HALVES
    for _ in range(3):
        vertices, faces = cut(vertices, faces)  # type: ignore[operator]
    assert sorted(corners(vertices, faces)) == [0, 1, 2, 3]
    outer = [(a, b) for a, b in edges(vertices, faces)]
    ends = vertices[np.array(outer)]
    on_border = np.isin(ends, (0.0, 10.0)) & (ends == np.roll(ends, 1, axis=1))
    assert on_border[:, :, :2].any(axis=2).all()


@pytest.mark.parametrize("cut", [in_three, in_four])
def test_a_crate_cut_up_has_eight_corners(cut: object) -> None:
    solid = read_solid(CRATE)
    vertices, faces = cut(*cut(solid.vertices, solid.faces))  # type: ignore[operator]
    told = corners(vertices, faces)
    assert len(told) == 8
    assert len(set(told)) == 8
    assert len(edges(vertices, faces)) == (48 if cut is in_four else 12)


@pytest.mark.parametrize(("rise", "bent"), [(1e-6, True), (-1e-6, True), (1e-12, False), (0.0, False)])
def test_what_is_bent_is_an_edge(rise: float, bent: bool) -> None:
    vertices = SQUARE + np.array([[0, 0, 0], [0, 0, rise], [0, 0, 0], [0, 0, 0]])
    assert ((0, 2) in edges(vertices, HALVES)) == bent


def test_faces_twice_or_the_other_way_round_are_as_once() -> None:
    bent = SQUARE + np.array([[0, 0, 0], [0, 0, 1.0], [0, 0, 0], [0, 0, 0]])
    for vertices in (SQUARE, bent):
        for twice in (np.vstack([HALVES, HALVES]), np.vstack([HALVES, HALVES[:, ::-1]]), HALVES[:, ::-1]):
            assert edges(vertices, twice) == edges(vertices, HALVES)
            assert sorted(corners(vertices, twice)) == [0, 1, 2, 3]


def test_a_fold_is_an_edge() -> None:
    folded = np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [5.0, 6.0, 0.0], [4.0, 3.0, 0.0]])
    assert (0, 1) in edges(folded, np.array([[0, 1, 2], [0, 1, 3]]))


def test_a_fin_on_a_plane_stands_on_an_edge() -> None:
    vertices = np.vstack([SQUARE, [[5.0, 5.0, 4.0]]])
    assert (0, 2) in edges(vertices, np.vstack([HALVES, [[0, 2, 4]]]))


def test_a_triangle_without_area_hides_no_edge() -> None:
    vertices = np.vstack([SQUARE, [[5.0, 5.0, 0.0]]])
    assert (0, 2) in edges(vertices, np.vstack([HALVES, [[0, 2, 4]]]))


def test_a_corner_on_a_bent_border_is_one() -> None:
    vertices = np.vstack([SQUARE, [[5.0, -0.001, 0.0], [5.0, 0.0, 0.0]]])
    assert 4 in corners(vertices, np.array([[0, 4, 3], [4, 1, 2], [4, 2, 3]]))
    assert 5 not in corners(vertices, np.array([[0, 5, 3], [5, 1, 2], [5, 2, 3]]))


def test_two_faces_that_only_meet_in_a_corner_leave_it() -> None:
    vertices = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
    assert 0 in corners(vertices, np.array([[0, 1, 2], [0, 3, 4]]))


def test_a_fan_of_very_many_is_done_at_once() -> None:
    many = 100_000
    angles = np.linspace(0.0, 2.0 * np.pi, many, endpoint=False)
    rim = np.column_stack([np.cos(angles), np.sin(angles), np.zeros(many)]) * 100.0
    around = np.arange(many)
    faces = np.column_stack([np.full(many, many), around, np.roll(around, -1)])
    told = corners(np.vstack([rim, np.zeros((1, 3))]), faces)  # over every pair of neighbours it would take hours
    assert many not in told
    assert len(told) == many


def test_under_a_cut_others_speak() -> None:
    flat = (NO_CORNER | NO_EDGE << 1) | SPEAKS << 2
    assert under_a_cut(flat, False) == (NO_CORNER | NO_EDGE << 1 | SPEAKS << 1 | SPEAKS << 2)
    assert under_a_cut(flat, True) == ALL_SPEAK  # a wall beside it may be dropped


def test_parts_of_a_face_under_a_cut_have_their_edges() -> None:
    ramp = read_solid(CRATE.with_name("ramp-30.stl"))
    ground = ground_of(Table.of(Solid.of(*in_four(ramp.vertices, ramp.faces))))
    cut = 0.4 * float(ramp.bounds[1][2])
    for level, flat in ((None, True), (cut, False)):
        patch = ground.patch(0.0, 0.0, 400.0, level=level)
        high = (patch.tris[:, :, 2] + patch.z).max(axis=1) >= cut - 1e-9
        assert high.any()
        assert (patch.traits[high] & (7 * NO_EDGE) != 0).any() == flat


def test_ground_that_comes_up_to_a_cut_ends_there() -> None:
    vertices = np.array([[x, y, 10.0 * x] for x in (0.0, 1.0, 2.0) for y in (-1.0, 1.0)])
    faces = np.array([[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5]])
    assert (2, 3) not in edges(vertices * [1, 1, 0.1], faces)
    gentle = Table.of(Solid.of(vertices * [10, 10, 0.1], faces))
    patch = ground_of(gentle).patch(10.0, 0.0, 60.0, level=1.0)
    assert (patch.traits[np.isin(patch.numbers, (0, 1))] == ALL_SPEAK).all()
    whole = ground_of(gentle).patch(10.0, 0.0, 60.0, level=1.5)
    assert (whole.traits[np.isin(whole.numbers, (0, 1))] & (7 * NO_EDGE) != 0).all()
