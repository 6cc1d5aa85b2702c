"""Hexes and zones: distances are a metric, six turns are none, rings, lines, the world and back, three hexes ahead."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim3d.rules.hexes import SEED, Hex, Layout, disc, distance, front_arc, line, rectangle, ring, zone
from sim3d.rules.hexes.board import engagers
from sim3d.rules.hexes.grid import mirrored, neighbour, turned, way_to
from tests.hexes import E, W, board, foe, mara

HEXES = st.tuples(st.integers(-20, 20), st.integers(-20, 20)).map(lambda at: Hex(*at))
LAYOUTS = st.builds(
    Layout,
    st.floats(5, 100),
    st.floats(-180, 180),
    st.tuples(st.floats(-500, 500), st.floats(-500, 500)),
)


@given(HEXES, HEXES, HEXES)
@settings(deadline=None)
def test_distance_is_a_metric(a: Hex, b: Hex, c: Hex) -> None:
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a == b)
    assert distance(a, c) <= distance(a, b) + distance(b, c)


@given(HEXES, HEXES, st.integers(0, 5))
@settings(deadline=None)
def test_turns_and_mirrors_keep_distances(a: Hex, b: Hex, k: int) -> None:
    assert distance(turned(a, k), turned(b, k)) == distance(mirrored(a), mirrored(b)) == distance(a, b)
    assert turned(a, 6) == a == mirrored(mirrored(a))
    assert turned(turned(a, k), 6 - k) == a


@given(HEXES, st.integers(0, 5))
@settings(deadline=None)
def test_turning_turns_directions_and_mirroring_reverses_them(a: Hex, k: int) -> None:
    assert way_to(turned(a), turned(neighbour(a, k))) == (k + 1) % 6
    assert way_to(mirrored(a), mirrored(neighbour(a, k))) == -k % 6


@given(HEXES, st.integers(1, 8))
@settings(deadline=None)
def test_ring_k_has_6k_hexes_at_distance_k(centre: Hex, k: int) -> None:
    around = ring(centre, k)
    assert len(set(around)) == 6 * k
    assert {distance(centre, h) for h in around} == {k}
    assert len(set(disc(centre, k))) == 1 + 3 * k * (k + 1)


@given(HEXES, HEXES)
@settings(deadline=None)
def test_a_line_goes_from_neighbour_to_neighbour(a: Hex, b: Hex) -> None:
    way = line(a, b)
    assert (way[0], way[-1], len(way)) == (a, b, distance(a, b) + 1)
    assert all(distance(x, y) == 1 for x, y in pairwise(way))


@given(HEXES, LAYOUTS, st.floats(0, 0.99), st.floats(0, 360))
@settings(max_examples=40, deadline=None)
def test_the_world_and_back(at: Hex, layout: Layout, share: float, turn: float) -> None:
    x, y = layout.centre(at)
    inner = layout.size_mm * math.sqrt(3) / 2 * share  # within the inscribed circle
    assert layout.hex_at(x + inner * math.cos(turn), y + inner * math.sin(turn)) == at


@given(HEXES, LAYOUTS, st.integers(0, 5))
@settings(max_examples=40, deadline=None)
def test_direction_k_points_at_60_k_degrees(at: Hex, layout: Layout, k: int) -> None:
    (x, y), (u, v) = layout.centre(at), layout.centre(neighbour(at, k))
    angle = math.degrees(math.atan2(v - y, u - x)) - layout.turn_deg - 60 * k
    assert math.remainder(angle, 360) == pytest.approx(0, abs=1e-6)
    assert math.hypot(u - x, v - y) == pytest.approx(math.sqrt(3) * layout.size_mm)
    corners = layout.corners(at)
    assert [math.dist(c, (x, y)) for c in corners] == pytest.approx([layout.size_mm] * 6)


@given(HEXES, st.integers(0, 5))
@settings(max_examples=30, deadline=None)
def test_the_front_arc_has_three_hexes_and_turns_with_the_unit(at: Hex, facing: int) -> None:
    arc = front_arc(at, facing, SEED)
    assert len(set(arc)) == 3
    assert {distance(at, h) for h in arc} == {1}
    assert {turned(h) for h in arc} == set(front_arc(turned(at), (facing + 1) % 6, SEED))


def test_zones_of_the_plan() -> None:
    on = board(mara(), foe("Spear", (1, 0), W), foe("Guard", (2, -1), 4))
    assert {h[:2] for h in zone(on, on.unit("Spear"), SEED)} == {(1, -1), (0, 0), (0, 1)}
    assert {h[:2] for h in zone(on, on.unit("Guard"), SEED)} == {(1, -1), (1, 0), (2, 0)}
    assert [e.name for e in engagers(on, on.unit("Mara"), SEED)] == ["Spear"]
    assert engagers(on, on.unit("Spear"), SEED)[0].name == "Mara"  # Mara faces east: each engages the other
    round_about = board(mara(), foe("Ring", (1, 0), E, circular=True))
    assert len(zone(round_about, round_about.unit("Ring"), SEED)) == 6
    edge = board(mara(), foe("Edge", (5, 0), E))
    assert zone(edge, edge.unit("Edge"), SEED) == ()  # the board ends there


def test_a_board_of_columns_and_rows_lies_about_its_origin() -> None:
    layout = Layout(50.0, origin=(math.sqrt(3) * 50 / 4, 0.0))
    corners = [tuple(c) for h in rectangle(10, 9) for c in layout.corners(h)]
    xs, ys = [c[0] for c in corners], [c[1] for c in corners]
    assert (min(xs), max(xs)) == pytest.approx((-454.66, 454.66), abs=0.01)
    assert (min(ys), max(ys)) == pytest.approx((-350, 350), abs=0.01)


@pytest.mark.parametrize("told", [(0.0, 0.0, (0, 0)), (math.nan, 0.0, (0, 0)), (50.0, math.inf, (0, 0))])
def test_a_layout_that_cannot_be(told: tuple[float, float, tuple[float, float]]) -> None:
    with pytest.raises(ValueError, match=r"a hex measures|a layout is turned"):
        Layout(*told)
