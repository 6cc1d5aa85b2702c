"""Outlines are exact: areas, bounds and membership agree with closed forms and with shapely's polygons."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from sim3d.plane import (
    Line,
    Notch,
    Outline,
    apart_mm,
    area_mm2,
    area_of,
    circle_around,
    clipped,
    coverage,
    covered,
    covering,
    difference_mm,
    farthest_bare,
    hull,
    left_bare,
    parted_mm,
    placed,
    pockets,
    shadows,
    shrunk_whole,
    spread_along,
)
from sim3d.space import CHORD_MM

SHAPES = {
    "circle": (Outline.ellipse(50, 50), math.pi * 25**2),
    "ellipse": (Outline.ellipse(60, 35), math.pi * 30 * 17.5),
    "stadium": (Outline.stadium(175, 100), math.pi * 50**2 + 75 * 100),
    "rectangle": (Outline.rectangle(50, 25), 50 * 25),
    "hexagon": (Outline.hexagon(40), 40**2 * math.sqrt(3) / 2),
}
FOUR = tuple(Notch(facing, 15.2, 3.0) for facing in (0, 90, 180, 270))


@pytest.mark.parametrize("name", SHAPES)
def test_areas_are_the_closed_forms(name: str) -> None:
    outline, area = SHAPES[name]
    assert outline.area_mm2() == pytest.approx(area, rel=1e-12)
    assert shapely.Polygon(outline.polygon()).area == pytest.approx(area, rel=1e-4)


def test_a_notch_takes_away_a_strip_less_its_bow() -> None:
    # circle of radius r, strip of half width b from depth r - d outwards:
    # area = 2 * (integral over 0..b of sqrt(r^2 - v^2)) - 2 b (r - d)
    r, b, d = 25.0, 7.6, 3.0
    under = b * math.sqrt(r * r - b * b) + r * r * math.asin(b / r)
    cut = under - 2 * b * (r - d)
    whole = Outline.ellipse(50, 50)
    notched = whole.notched(Notch(0, 2 * b, d))
    assert notched.area_mm2() == pytest.approx(whole.area_mm2() - cut, rel=1e-12)


@pytest.mark.parametrize("outline", [Outline.ellipse(120, 120), Outline.stadium(175, 100), Outline.rectangle(90, 80)])
def test_four_notches_fit_and_close_the_ring(outline: Outline) -> None:
    notched = outline.notched(*FOUR)
    for edge, following in zip(notched.edges, notched.edges[1:] + notched.edges[:1], strict=True):
        assert math.dist(edge.end, following.start) < 1e-9
    assert shapely.Polygon(notched.polygon()).is_valid
    assert sum(isinstance(e, Line) for e in notched.edges) >= 12
    assert [round(direction) for direction, _, _ in pockets(notched.polygon())] == [0, 90, 180, 270]


@pytest.mark.parametrize("notch", [Notch(0, 40, 3), Notch(0, 15, 0.2), Notch(0, 15, 30)])
def test_a_notch_that_does_not_fit_is_refused(notch: Notch) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        Outline.ellipse(27, 27).notched(notch)


@pytest.mark.parametrize("outline", [o.notched(*FOUR) for o in (Outline.ellipse(120, 100), Outline.stadium(175, 100))])
def test_contains_agrees_with_a_very_fine_polygon(outline: Outline) -> None:
    points = np.random.default_rng(7).uniform(-90, 90, (20_000, 2))
    polygon = shapely.Polygon(outline.polygon(1e-6))
    shapely.prepare(polygon)
    differ = outline.contains(points) != shapely.contains_xy(polygon, points[:, 0], points[:, 1])
    assert (shapely.distance(polygon.exterior, shapely.points(points[differ])) <= 1e-5).all()


@given(
    st.floats(5, 200),
    st.floats(5, 200),
    st.floats(0, 2 * math.pi),
    st.floats(0.0, 2.0).filter(lambda s: abs(s - 1) > 1e-9),
)
def test_an_ellipse_holds_what_its_equation_holds(a: float, b: float, t: float, share: float) -> None:
    # (x/a)^2 + (y/b)^2 = share^2 is inside iff share < 1
    point = np.array([[a / 2 * math.cos(t) * share, b / 2 * math.sin(t) * share]])
    assert Outline.ellipse(a, b).contains(point)[0] == (share < 1)


@given(st.floats(20, 200), st.floats(20, 200))
def test_a_polygon_strays_from_an_ellipse_by_at_most_the_chord(a: float, b: float) -> None:
    ring = Outline.ellipse(a, b).polygon()
    middles = (ring + np.roll(ring, -1, axis=0)) / 2
    # a chord's middle is the farthest inside; along the radius the ellipse is this much farther out
    scale = np.hypot(middles[:, 0] / (a / 2), middles[:, 1] / (b / 2))
    gap = np.hypot(middles[:, 0], middles[:, 1]) * (1 / scale - 1)
    assert gap.max() <= CHORD_MM * 1.5  # the radial gap is at most the sagitta over the cosine of the radius' lean


def test_difference_is_the_gap_of_two_circles() -> None:
    gap = difference_mm(Outline.ellipse(50, 50).polygon(), Outline.ellipse(49, 49).polygon())
    assert gap == pytest.approx(0.5, abs=2e-3)


def test_an_outline_runs_counter_clockwise_whichever_way_its_corners_came() -> None:
    ring = [(0.0, 0.0), (0.0, 10.0), (10.0, 10.0), (10.0, 0.0)]
    assert Outline.polygon_of(ring).area_mm2() == Outline.polygon_of(ring[::-1]).area_mm2() == 100.0
    with pytest.raises(ValueError, match="not in a line"):
        Outline.polygon_of([(0, 0), (1, 1), (2, 2)])


def ring_at(x: float, size: float) -> list[tuple[float, float]]:
    return [(x, 0.0), (x + size, 0.0), (x + size, size), (x, size)]


def test_shadows_are_apart_largest_first_and_none_inside_another() -> None:
    corners = np.array([*ring_at(0, 2), *ring_at(10, 8), *ring_at(11, 1)])
    squares = [(i, i + 1, i + 2) for i in (0, 4, 8)] + [(i, i + 2, i + 3) for i in (0, 4, 8)]
    rings = shadows(corners, np.array([*squares, (0, 0, 1)]))
    assert [area_of(ring) for ring in rings] == [64.0, 4.0]
    assert all(shapely.LinearRing(ring).is_ccw for ring in rings)
    assert shadows(corners, np.array([(0, 1, 1)])) == []


def test_shadows_of_corners_less_than_nothing_off_an_axis_come_to_an_end() -> None:
    (ring,) = shadows(np.array([[0.0, 1e5], [254.0, 5e-323], [-0.0, 0.0]]), np.array([[0, 1, 2]]))
    assert sorted(map(tuple, ring.tolist())) == [(0.0, 0.0), (0.0, 1e5), (254.0, 0.0)]


def test_a_notch_leaves_the_circle_around_where_it_was() -> None:
    ring = Outline.ellipse(70, 70).notched(Notch(0, 15.2, 3.0)).polygon(1e-3) + np.array([3.0, -4.0])
    middle, filled = circle_around(ring)
    assert middle == (pytest.approx(3.0, abs=1e-2), pytest.approx(-4.0, abs=1e-2))
    assert filled == pytest.approx(1.0, abs=0.01)
    assert circle_around(Outline.hexagon(40).polygon())[1] == pytest.approx(1.5 * math.sqrt(3) / math.pi, rel=1e-4)
    assert pockets(ring, about=middle)[0][0] % 360 == pytest.approx(0.0, abs=0.05)


def test_coverage_is_the_share_of_the_rim_that_is_near() -> None:
    ring = np.array(ring_at(0, 10))
    sides = np.stack([ring, np.roll(ring, -1, axis=0)], axis=1)
    places = spread_along(ring, 256)
    assert [coverage(places, sides[:k], within_mm=1e-9) for k in range(5)] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert coverage(places, sides + 1.0, within_mm=1.0) > 0.9
    assert coverage(places, sides + 100.0, within_mm=1.0) == 0.0


def test_what_would_fall_apart_or_vanish_is_not_taken_in() -> None:
    """Two plates with a neck of 0.3 mm: a proof that looked at the larger one alone would miss half of the base."""
    half = [(10, 4.85), (11, 4.85), (11, 0), (20, 0), (20, 10), (11, 10), (11, 5.15), (10, 5.15)]
    plates = np.array([*half, *((20 - x, 10 - y) for x, y in half)], float)
    assert shrunk_whole(plates, 0.2) is None
    assert shrunk_whole(np.array(ring_at(0, 10)), 20.0) is None
    narrower = shrunk_whole(plates, 0.1)
    assert narrower is not None
    assert area_of(narrower) == pytest.approx(2 * 8.8 * 9.8 + 2.2 * 0.1, abs=1e-9)


def test_rings_part_as_their_sides_tell() -> None:
    """Against every side of either ring and every corner of the other, for rings of all sorts."""
    rng = np.random.default_rng(7)
    for _ in range(300):
        rings = []
        for _ in range(2):
            ring = hull(rng.normal(size=(int(rng.integers(3, 40)), 2)) * 10)
            rings.append(placed(ring, *rng.uniform(-25, 25, 2), rng.uniform(0, 360)))
        most = -math.inf
        for one, other in (rings, rings[::-1]):
            sides = np.roll(one, -1, axis=0) - one
            normals = np.column_stack([sides[:, 1], -sides[:, 0]]) / np.hypot(*sides.T)[:, None]
            most = max(most, float(((other @ normals.T).min(axis=0) - (one * normals).sum(axis=1)).max()))
        assert parted_mm(*rings) == pytest.approx(most, abs=1e-11)
        assert apart_mm(*rings) == pytest.approx(most, abs=1e-11) if most < 0 else apart_mm(*rings) >= most - 1e-11


# two triangles with a common side whose ends differ by a rounding: a plain union of the two is the first alone
ONE = np.array([[-2.9, -3.1], [-85.8, 70.4], [70.6, 96.9]])
OTHER = np.array([[-2.8999999999999995, -3.0999999999999996], [-85.79999999999998, 70.39999999999999], [-159.9, -19.2]])


def test_of_areas_whose_common_side_differs_by_a_rounding_none_is_lost() -> None:
    whole = area_of(ONE) + area_of(OTHER)
    assert area_mm2([ONE, OTHER]) == pytest.approx(whole)
    rings = shadows(np.concatenate([ONE, OTHER]), np.arange(6).reshape(2, 3))
    assert sum(area_of(ring) for ring in rings) == pytest.approx(whole)
    assert covered([ONE, OTHER], [OTHER], within_mm=0.01)
    triangles = covering([ONE, OTHER])
    assert sum(area_of(triangle) for triangle in triangles) == pytest.approx(whole)
    parts, _ = clipped([ONE, OTHER], np.stack([OTHER]))
    assert sum(area_of(part) for part in parts) == pytest.approx(area_of(OTHER))


def test_what_lies_under_one_of_two_covers_whose_common_side_differs_by_a_rounding_is_covered() -> None:
    # both parts of one slope, cut at two heights: a plain union of the two is the first alone
    left = [[-175.35325832015656, -15.304766895317048], [-46.55611621300912, -79.77827291883102]]
    left += [[-43.28797127345559, -73.24957990727188], [-107.61160735708907, 120.02106822338953]]
    right = [[25.064644870128777, 63.2967653718229], [-103.73249723701866, 127.77027139533688]]
    right += [[-107.61160735708907, 120.02106822338953], [-43.28797127345558, -73.24957990727188]]
    line = np.array([[-50.97870378471755, -42.191550863917364], [-51.94834386741752, -44.02842632129155]])
    for covers in ([np.array(left), np.array(right)], [np.array(right), np.array(left)]):
        assert not left_bare(None, line, covers)
    assert left_bare(None, line, [np.array(left)])


@pytest.mark.parametrize("seed", range(8))
def test_the_farthest_bare_place_of_a_ring_is_the_farthest_of_very_many(seed: int) -> None:
    """Where a look here and there leaves open that one between them is farther it looks again, and nowhere else."""
    rng = np.random.default_rng(seed)
    around = np.sort(rng.uniform(0.0, 2 * math.pi, 40))
    ring = np.column_stack([np.cos(around), np.sin(around)]) * rng.uniform(12.0, 20.0, (40, 1))
    covered = rng.uniform(-15.0, 15.0, (6, 1, 2)) + rng.uniform(-4.0, 4.0, (6, 3, 2))
    whole = shapely.Polygon(ring)
    inside = shapely.union_all([whole.intersection(shapely.Polygon(corners)) for corners in covered])
    border = whole.exterior
    places = shapely.line_interpolate_point(border, np.linspace(0.0, border.length, 20_001))
    seen = float(shapely.distance(inside, places).max())
    assert seen - 1e-9 <= farthest_bare(ring, covered[:2], covered[2:]) <= seen + border.length / 40_000
