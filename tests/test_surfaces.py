"""Friction where a base touches things of several materials: the slipperiest counts, however the table is turned."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim3d import Mini, Piece, Pose, Solid, Table, check, stand
from sim3d.space import Floats
from sim3d.statics.surfaces import on_triangle
from sim3d.table.table import MATERIALS

Area = tuple[float, float, float, float]  # from x, y to x, y
Part = tuple[Area, float, str]  # an area, how its ground rises along x, and what it is made of
ICE = {**MATERIALS, "ice": 0.1}
DRY, SLICK = 1.25, 0.1 * MATERIALS["grip"]


def ground(parts: list[Part], azimuth: float, *, reverse: bool, floor: float | None = None) -> Table:
    """Faces side by side that meet at their borders, each a piece of its own; turned about z, in either order."""
    pieces = []
    for k, ((left, low, right, high), rise, material) in enumerate(parts):
        corners = [(x, y, 50 + rise * x) for x, y in ((left, low), (right, low), (right, high), (left, high))]
        at = Pose.at(0, 0, turn=azimuth).apply(corners)
        pieces.append(Piece(f"{k}", Solid.of(at, [(0, 1, 2), (0, 2, 3)]), material=material))
    return Table(pieces=tuple(pieces[::-1] if reverse else pieces), floor_mm=floor, materials=ICE)


def told(parts: list[Part], at: tuple[float, float] = (0.0, 0.0)) -> set[tuple[str, float]]:
    """The word and the friction, of nine azimuths and both orders, in brief; and once at length, proven."""
    found, mini = set(), Mini("27", height=30, com=8)
    for azimuth in np.arange(0.0, 360.0, 40.0):
        x, y, _ = Pose.at(0, 0, turn=azimuth).apply([(*at, 0.0)])[0]
        for reverse in (False, True):
            table = ground(parts, azimuth, reverse=reverse)
            one = stand(table, mini, at=(x, y), turn=3 * azimuth, physics="never", brief=True)
            found.add((one.answer, round(one.friction, 6)))
    full = stand(table, mini, at=(x, y), physics="never")
    check(full, table)
    return found | {(full.answer, round(full.friction, 6))}


@pytest.mark.parametrize("deg", [0.0, 12.0])
@pytest.mark.parametrize("seam", [0.5, 8.0, 13.0, 13.6])
def test_over_a_seam_the_slipperiest_counts_however_it_is_turned(seam: float, deg: float) -> None:
    rise, wide = math.tan(math.radians(deg)), 80.0
    halves = [((-wide, -wide, wide, seam), rise, "grip"), ((-wide, seam, wide, wide), rise, "ice")]
    friction = SLICK if seam < 13.5 else DRY
    assert told(halves) == {("slides" if rise > friction else "stable", round(friction, 6))}


@pytest.mark.parametrize(("at", "friction"), [((0.0, 0.0), SLICK), ((14.0, 0.0), SLICK), ((30.0, 0.0), DRY)])
def test_a_tile_all_of_whose_corners_belong_to_others_too_counts(at: tuple[float, float], friction: float) -> None:
    around: list[Area] = [(-80, -80, 80, -3), (-80, 3, 80, 80), (-80, -3, -3, 3), (3, -3, 80, 3)]
    tile: list[Part] = [((-3, -3, 3, 3), 0.36, "ice"), *((area, 0.36, "grip") for area in around)]
    assert told(tile, at) == {("stable" if friction > 0.36 else "slides", round(friction, 6))}


def test_what_ends_where_the_base_ends_does_not_count() -> None:
    beside: list[Part] = [((-80, -80, 80, 13.5), 0.36, "grip"), ((-80, 13.5, 80, 80), 0.36, "ice")]
    assert told(beside) == {("stable", DRY)}


def test_the_floor_and_what_leans_on_it_count_as_one_and_the_other() -> None:
    for ramp, floor in (("ice", "grip"), ("grip", "ice"), ("grip", "grip")):
        corners = [(5.0, -80.0, 0.0), (80.0, -80.0, 37.5), (80.0, 80.0, 37.5), (5.0, 80.0, 0.0)]
        piece = Piece("ramp", Solid.of(corners, [(0, 1, 2), (0, 2, 3)]), material=ramp)
        table = Table(pieces=(piece,), floor_mm=0.0, floor_material=floor, materials=ICE)
        found = stand(table, Mini("27", height=30, com=8), at=(0, 0), physics="never")
        slick = "ice" in (ramp, floor)
        assert found.friction == pytest.approx(SLICK if slick else DRY)
        assert found.answer == ("slides" if slick else "stable")


@pytest.mark.parametrize(
    ("place", "on"),
    [
        ((1.0, 1.0, 0.0), True),
        ((0.0, 0.0, 0.0), True),
        ((2.0, 0.0, 0.0), True),
        ((2.0, -1e-7, 0.0), True),
        ((2.0, -1e-6, 0.0), False),
        ((1.0, 1.0, 1e-6), False),
        ((2.1, 2.1, 0.0), False),
    ],
)
def test_a_place_lies_on_a_triangle_or_not(place: tuple[float, float, float], on: bool) -> None:
    tri: Floats = np.array([(0.0, 0.0, 0.0), (4.0, 0.0, 0.0), (0.0, 4.0, 0.0)])
    for turn in range(3):
        for one in (tri, tri[::-1]):
            assert on_triangle(np.roll(one, turn, axis=0), np.array([(9.0, 9.0, 9.0), place])) is on
    line: Floats = np.array([(0.0, 0.0, 0.0), (4.0, 0.0, 0.0), (2.0, 0.0, 0.0)])
    assert on_triangle(line, np.array([(1.0, 0.0, 0.0)]))
    assert not on_triangle(line, np.array([(5.0, 0.0, 0.0)]))
