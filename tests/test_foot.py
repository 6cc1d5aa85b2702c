"""A base's underside for compiled loops: what lies on an arc, where a way meets the rim, and planes through points that
nearly coincide.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim3d.ground import ground_of
from sim3d.ground.foot import A0, CX, CY, KIND, ROUND, RX, RY, SWEEP, X0, Y0, Foot, crossings, inside, off_rim, on_arc
from sim3d.mini import Base, Mini
from sim3d.plane import Notch, Outline
from sim3d.solid import Solid
from sim3d.statics.basis import plane_through
from sim3d.statics.lowest import RESTS
from sim3d.statics.rest import case_of
from sim3d.table import Table

BASES = ("27", "50n", "70n", "100x175n", "60x35")


@pytest.mark.parametrize("name", BASES)
def test_a_direction_lies_on_an_arc_where_its_angle_does(name: str) -> None:
    edges = Foot.of(Base.named(name).outline).edges
    seen = set()
    for edge in edges[edges[:, KIND] == ROUND]:
        for angle in np.linspace(-math.pi, math.pi, 721):
            turn = (angle - edge[A0]) % (2 * math.pi)
            if min(abs(turn - edge[SWEEP]), turn, 2 * math.pi - turn) < 1e-6:
                continue  # at an end: a seam, which both neighbours may claim
            on = bool(on_arc(edge, math.cos(angle), math.sin(angle)))
            assert on is bool(turn < edge[SWEEP] or edge[SWEEP] > 6.28)
            seen.add(on)
    assert True in seen


@pytest.mark.parametrize("name", BASES)
def test_a_way_meets_the_rim_as_often_as_it_goes_in_and_out(name: str) -> None:
    foot = Foot.of(Base.named(name).outline)
    ring = Base.named(name).outline.polygon(1e-3)
    dice, out, met = np.random.default_rng(4), np.empty(16), 0
    for k in range(400):
        middle = dice.uniform(-foot.reach_mm, foot.reach_mm, 2)
        a, b = middle + dice.normal(0, (1.0, 20.0)[k % 2], (2, 2))
        n = crossings(foot.edges, foot.reach_mm, foot.inner_mm, *a, *b, out)
        within = [inside(foot.pieces, foot.reach_mm, foot.inner_mm, *p) for p in (a, b)]
        assert (n % 2 == 1) is (within[0] is not within[1])
        for share in out[:n]:
            x, y = a + share * (b - a)
            sides = np.roll(ring, -1, axis=0) - ring
            along = np.clip(((([x, y] - ring) * sides).sum(axis=1)) / (sides**2).sum(axis=1), 0, 1)
            assert np.hypot(*(ring + along[:, None] * sides - [x, y]).T).min() < 2e-3
            met += 1
    assert met > 50


@pytest.mark.parametrize("name", [*BASES, "rect25x50", "hex40"])
def test_what_is_seen_to_be_off_the_rim_is_and_most_is_seen(name: str) -> None:
    foot = Foot.of(Base.named(name).outline)
    ring = Base.named(name).outline.polygon(1e-4)
    sides = np.roll(ring, -1, axis=0) - ring
    dice, seen, off = np.random.default_rng(5), 0, 0
    for point in dice.uniform(-1.1 * foot.reach_mm, 1.1 * foot.reach_mm, (1500, 2)):
        along = np.clip(((point - ring) * sides).sum(axis=1) / (sides**2).sum(axis=1), 0, 1)
        away = np.hypot(*(ring + along[:, None] * sides - point).T).min()
        for far in (0.1, 2.0):
            told = off_rim(foot.edges, *point, far)
            assert not told or away > far - 2e-4
            seen, off = seen + told, off + (away > far)
    assert seen > 0.8 * off


def test_the_ends_of_an_arc_are_where_it_begins_and_ends() -> None:
    for edge in Foot.of(Base.named("50n").outline).edges:
        if edge[KIND] == ROUND:
            end = edge[A0] + edge[SWEEP]
            assert edge[CX] + edge[RX] * math.cos(end) == pytest.approx(edge[3], abs=1e-9)
            assert edge[CY] + edge[RY] * math.sin(end) == pytest.approx(edge[4], abs=1e-9)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_plane_goes_through_points_of_which_two_nearly_coincide(which: int) -> None:
    # the rim on a floor and, far across, on the top of a wall: contacts of a base that leans, microns apart
    far, one = (-2.953838253441032, -20.972035211662764, -16.4), (2.953846535961359, 20.972034045096432, -43.0)
    other = (2.953842400990874, 20.972034627494015, -43.0)
    basis = np.roll(np.array([far, one, other]), which, axis=0)
    ok, c, gx, gy = plane_through(basis)
    assert ok
    assert np.abs(basis[:, 2] - c - gx * basis[:, 0] - gy * basis[:, 1]).max() < 1e-12


@pytest.mark.parametrize("deep", [20.0, 20.0 - 1e-9, 20.0 + 1e-7, 20.0 - 1e-6, 20.0 + 1e-6, 20.0 - 1e-5, 19.0, 21.0])
def test_a_base_is_smaller_by_a_hair_all_round_wherever_its_middle_lies(deep: float) -> None:
    """A horseshoe with its middle on its rim was a division by zero; near its rim it had a tenth of its size."""
    ring = [(-20, -20), (20, -20), (20, 20), (5, 20), (5, 20 - deep), (-5, 20 - deep), (-5, 20), (-20, 20)]
    hair = 9e-7
    foot = Foot.of(Outline.polygon_of(ring), hair)
    inwards = [(1, 1), (-1, 1), (-1, -1), (1, -1), (1, -1), (-1, -1), (-1, -1), (1, -1)]
    assert foot.edges[:, [X0, Y0]] == pytest.approx(np.array(ring) + hair * np.array(inwards), abs=1e-12)
    assert foot.reach_mm == pytest.approx(math.hypot(20, 20), abs=2e-6)
    whole = Foot.of(Outline.polygon_of(ring))
    assert whole.edges[:, [X0, Y0]].tolist() == [list(map(float, corner)) for corner in ring]
    assert whole.inner_mm == pytest.approx(max(20.0 - deep, 0.0), abs=1e-12)


@pytest.mark.parametrize("deep", [18.1, 19.9, 19.999, 19.999999])
def test_a_round_base_that_is_notched_nearly_to_its_middle_keeps_its_size(deep: float) -> None:
    foot = Foot.of(Outline.ellipse(40, 40).notched(Notch(0, 10, deep)), 9e-7)
    assert foot.reach_mm == pytest.approx(20.0, abs=1e-5)
    assert inside(foot.pieces, foot.reach_mm, foot.inner_mm, -19.999, 0.0)
    assert not inside(foot.pieces, foot.reach_mm, foot.inner_mm, -20.0, 0.0)
    assert not inside(foot.pieces, foot.reach_mm, foot.inner_mm, 20.0 - deep, 0.0)


def test_what_lies_right_under_a_middle_that_is_in_a_notch_is_not_under_the_base() -> None:
    """A horseshoe set down around a pin, just in its middle, leant on the pin: "stable", 8 mm beside its outline."""
    ring = [(-20, -20), (20, -20), (20, 20), (8, 20), (8, -8), (-8, -8), (-8, 20), (-20, 20)]
    base = Base("horseshoe", Outline.polygon_of(ring), 3.0)
    foot = Foot.of(base.outline)
    assert foot.inner_mm == 0.0
    assert not inside(foot.pieces, foot.reach_mm, foot.inner_mm, 0.0, 0.0)
    pin = Solid.of([(5, 0, 0), (-3, 4, 0), (-3, -4, 0), (0, 0, 12)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])
    mini = Mini(base, height=20, com=(0.0, -3.0, 8.0))
    for x in (0.0, 0.01):
        case = case_of(ground_of(Table.of(pin)), mini, at=(x, 0.0), turn=0.0, level=None)
        out, c, gx, gy = case.lowest()
        assert (out, c + case.patch.z) == (RESTS, pytest.approx(0.0, abs=1e-9))
        assert math.hypot(gx, gy) < 1e-9
