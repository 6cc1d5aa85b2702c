"""Closed forms: what a base does on simple solids is a formula. Each at several sizes and turned by odd azimuths.

Statics within 1e-3 mm and 1e-3 degrees; never "stable" on the wrong side of a limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from sim3d.atlas import atlas
from sim3d.ground import ground_of
from sim3d.mini import Base, Body, Mini
from sim3d.solid import Solid, read_solid
from sim3d.solid.boolean import box
from sim3d.space import Pose
from sim3d.stand import Stand, stand
from sim3d.statics import Rest, rest
from sim3d.statics.barrier import barrier
from sim3d.statics.friction import needed
from sim3d.statics.numbers import FARTHEST_LIFT_MM
from sim3d.statics.rest import case_of
from sim3d.statics.touch import PX, PY
from sim3d.statics.weigh import arms_of
from sim3d.table import Piece, Placed, Table
from tests.cut import Soup, in_four, in_three

MM, DEG = 1e-3, 1e-3
PACK = Path(__file__).parent.parent / "meshes" / "pack"
GALLERY = PACK.parent / "gallery"
AZIMUTHS = (0.0, 17.3, 141.7)
BASES = ("27", "50", "100")


def table_of(vertices: np.ndarray, faces: np.ndarray, azimuth: float, *, floor: float | None = None) -> Table:
    piece = Piece("it", Solid.of(vertices, faces), Pose.at(0, 0, turn=azimuth))
    return Table(pieces=(piece,), floor_mm=floor)


def turned(x: float, y: float, azimuth: float) -> tuple[float, float]:
    (px, py, _), *_ = Pose.at(0, 0, turn=azimuth).apply([[x, y, 0.0]])
    return float(px), float(py)


@lru_cache(maxsize=32)
def crate(azimuth: float, size: float = 300.0) -> Table:
    """A crate from x = -size to 0: its edge is the y axis."""
    return table_of(*box((-size, -size, 0), (0, size, 30)), azimuth)


@lru_cache(maxsize=64)
def ramp(deg: float, azimuth: float) -> Table:
    t = math.tan(math.radians(deg))
    vertices = np.array([(x, y, x * t) for x in (-200.0, 200.0) for y in (-200.0, 200.0)])
    return table_of(vertices, np.array([[0, 2, 1], [1, 2, 3]]), azimuth)


def towers(points: list[tuple[float, float, float]], azimuth: float) -> Table:
    """Sharp pegs: pyramids with their tips at the points."""
    vertices, faces = [], []
    for x, y, z in points:
        n = len(vertices)
        vertices += [(x - 1, y - 1, 0.0), (x + 1, y - 1, 0.0), (x + 1, y + 1, 0.0), (x - 1, y + 1, 0.0), (x, y, z)]
        faces += [
            (n, n + 1, n + 4),
            (n + 1, n + 2, n + 4),
            (n + 2, n + 3, n + 4),
            (n + 3, n, n + 4),
            (n, n + 2, n + 1),
            (n, n + 3, n + 2),
        ]
    return table_of(np.array(vertices, dtype=float), np.array(faces), azimuth)


def radius(base: str) -> float:
    return float(base) / 2


# --- 1: the ledge -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(("share", "h"), [(0.05, 8.0), (0.2, 14.0), (0.9, 40.0)])
def test_ledge(base: str, share: float, h: float, azimuth: float) -> None:
    # tip = atan(d/h); barrier = sqrt(d^2 + h^2) - h; margin d; overhang r - d
    d = share * radius(base)
    seen = rest(crate(azimuth), Mini(base, height=80, com=h), at=turned(-d, 0.0, azimuth))
    assert seen.tilt_deg == pytest.approx(0, abs=DEG)
    assert seen.margin_mm == pytest.approx(d, abs=MM)
    assert seen.tip_deg == pytest.approx(math.degrees(math.atan(d / h)), abs=DEG)
    assert seen.barrier_mm == pytest.approx(math.hypot(d, h) - h, abs=MM)
    assert seen.overhang_mm == pytest.approx(radius(base) - d, abs=1e-6)
    # the part past the edge is a segment of the circle
    a = math.acos(share)
    assert seen.overhang_share == pytest.approx((a - share * math.sin(a)) / math.pi, abs=1e-6)
    assert seen.friction_needed == pytest.approx(0, abs=1e-6)
    # 5 degrees is the nudge: the highest centre of mass that stands is d / tan 5
    assert seen.com_limit_mm == pytest.approx(d / math.tan(math.radians(5)), rel=1e-6)


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize("base", BASES)
def test_ledge_past_the_edge_is_never_stable(base: str, azimuth: float) -> None:
    mini = Mini(base, height=80, com=14)
    for d in (2e-3, 0.01, 1.0):
        seen = stand(crate(azimuth), mini, at=turned(d, 0.0, azimuth), physics="never")
        assert seen.answer == "topples", d
    assert stand(crate(azimuth), mini, at=turned(0.0, 0.0, azimuth), physics="never").answer == "undecided"


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize("turn", [0.0, 33.0])
@pytest.mark.parametrize("high", [0.4, 5.0, 40.0])
@pytest.mark.parametrize("base", ["27", "50n", "100x175n", "hex60"])
def test_what_only_touches_its_rim_does_not_lift_it(base: str, high: float, turn: float, azimuth: float) -> None:
    # pushed against a block as flush as numbers are: a mesh's corners have rounded decimals, and a turn rounds more
    mini = Mini(base, height=60, com=15)
    corners, faces = box((-99.7, -80.3, 0), (-33.3, 80.3, high))
    block = table_of(corners.astype(np.float32).astype(float), faces, azimuth, floor=0.0)
    a = math.radians(turn)
    reach = mini.base.outline.support(-math.cos(a), math.sin(a))
    r = rest(block, mini, at=turned(reach - 33.3, 1.7, azimuth), turn=azimuth + turn)
    assert r.outcome == "rests"
    assert r.tilt_deg == pytest.approx(0.0, abs=DEG)
    assert r.pose is not None
    assert r.pose.place[2] == pytest.approx(0.0, abs=MM)


@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_at_a_corner_the_nearer_edge_counts(azimuth: float) -> None:
    table = table_of(*box((-300, -300, 0), (0, 0, 30)), azimuth)
    seen = rest(table, Mini("27", height=40, com=14), at=turned(-2.0, -5.0, azimuth))
    assert seen.margin_mm == pytest.approx(2.0, abs=MM)
    assert seen.tip_deg == pytest.approx(math.degrees(math.atan(2 / 14)), abs=DEG)


@pytest.mark.parametrize("gap", [-0.01, 0.01])
def test_a_nudge_of_five_degrees_parts_precarious_from_stable(gap: float) -> None:
    d = 14 * math.tan(math.radians(5)) + gap
    seen = stand(crate(17.3), Mini("27", height=40, com=14), at=turned(-d, 3.0, 17.3), physics="never")
    assert seen.answer == ("stable" if gap > 0 else "precarious")


# --- 2: the slope -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize(("base", "h"), [("27", 8.0), ("50", 20.0), ("100", 30.0)])
@pytest.mark.parametrize("deg", [10.0, 33.3, 44.0])
def test_slope(base: str, h: float, deg: float, azimuth: float) -> None:
    # needs tan a; tips at atan(r/h) - a; barrier sqrt(r^2 + h^2) - (h cos a + r sin a)
    a, r = math.radians(deg), radius(base)
    seen = rest(ramp(deg, azimuth), Mini(base, height=80, com=h), at=(0.0, 0.0))
    assert seen.tilt_deg == pytest.approx(deg, abs=DEG)
    assert seen.friction_needed == pytest.approx(math.tan(a), rel=1e-5)
    assert seen.tip_deg == pytest.approx(math.degrees(math.atan(r / h)) - deg, abs=DEG)
    assert seen.barrier_mm == pytest.approx(math.hypot(r, h) - (h * math.cos(a) + r * math.sin(a)), abs=MM)
    assert seen.slip_deg == pytest.approx(math.degrees(math.atan(1.25)) - deg, abs=DEG)


@pytest.mark.parametrize("turn", [179.0, 179.99999, 180.0, -180.0, 540.0, 180.00001])
def test_a_slope_is_the_same_for_a_base_turned_half_round(turn: float) -> None:
    # the pose of a base that leans and is turned by 180 degrees has a quaternion without a real part
    seen = stand(ramp(30.0, 17.3), Mini("27", height=40, com=10), at=(0, 0), turn=turn, physics="never")
    assert seen.answer == "stable"
    assert seen.pose is not None
    up = seen.pose.rotation()[:, 2]
    assert math.degrees(math.acos(up[2])) == pytest.approx(30.0, abs=DEG)


@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_slope_slides_or_topples_or_is_too_steep_whichever_is_first(azimuth: float) -> None:
    low, tall = Mini("27", height=40, com=8), Mini("27", height=40, com=16)
    assert stand(ramp(30.0, azimuth), low, at=(0, 0), friction=0.55, physics="never").answer == "slides"
    assert stand(ramp(30.0, azimuth), low, at=(0, 0), friction=0.60, physics="never").answer == "stable"
    assert stand(ramp(41.0, azimuth), tall, at=(0, 0), physics="never").answer == "topples"
    assert stand(ramp(44.9, azimuth), low, at=(0, 0), physics="never").answer == "stable"
    assert stand(ramp(45.1, azimuth), low, at=(0, 0), physics="never").answer == "too-steep"
    assert stand(ramp(45.0, azimuth), low, at=(0, 0), physics="never").answer == "undecided"


# --- 5: two rails, level and not --------------------------------------------------------------------------------------


def rails(left: float, right: float, azimuth: float) -> Table:
    vertices, faces = [], []
    for x, z in ((-8.0, left), (8.0, right)):
        n = len(vertices)
        vertices += [(x - 1, y, 0.0) for y in (-90.0, 90.0)] + [(x + 1, y, 0.0) for y in (-90.0, 90.0)]
        vertices += [(x, y, z) for y in (-90.0, 90.0)]
        faces += [(n, n + 4, n + 1), (n + 1, n + 4, n + 5), (n + 2, n + 3, n + 4), (n + 3, n + 5, n + 4)]
    return table_of(np.array(vertices, dtype=float), np.array(faces), azimuth)


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize("e", [0.0, 2.5, 4.9])
def test_level_rails(e: float, azimuth: float) -> None:
    # stands on rails 2a apart at offset e: tip = atan((a - |e|)/h), barrier = sqrt((a - |e|)^2 + h^2) - h
    h, d = 14.0, 8.0 - e
    seen = rest(rails(20, 20, azimuth), Mini("27", height=40, com=h), at=turned(e, 0.0, azimuth))
    assert seen.margin_mm == pytest.approx(d, abs=MM)
    assert seen.tip_deg == pytest.approx(math.degrees(math.atan(d / h)), abs=DEG)
    assert seen.barrier_mm == pytest.approx(math.hypot(d, h) - h, abs=MM)


@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_uneven_rails(azimuth: float) -> None:
    # rails 16 apart, one 2 higher: tan t = 2/16; the foot of the centre of mass moves h tan t downhill on the base
    h, s = 14.0, 2.0
    seen = rest(rails(20, 20 + s, azimuth), Mini("27", height=40, com=h), at=(0.0, 0.0))
    t = math.atan(s / 16)
    assert seen.tilt_deg == pytest.approx(math.degrees(t), abs=DEG)
    # about the lower rail, which lies 8/cos t down the base; the centre of mass is h tan t nearer to it
    d = 8 / math.cos(t) - h * math.tan(t)
    assert seen.margin_mm == pytest.approx(d * math.cos(t), abs=MM)
    assert seen.tip_deg == pytest.approx(math.degrees(math.atan(8 / math.cos(t) / h) - t), abs=2 * DEG)


# --- 6, 7: pegs -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize("n", [3, 4, 5, 6])
def test_pegs(n: int, azimuth: float) -> None:
    # equal pegs on radius q: q cos(pi/n) towards sides
    q, h = 10.0, 14.0
    points = [(q * math.cos(2 * math.pi * k / n), q * math.sin(2 * math.pi * k / n), 20.0) for k in range(n)]
    seen = rest(towers(points, azimuth), Mini("27", height=40, com=h), at=(0.0, 0.0))
    d = q * math.cos(math.pi / n)
    assert seen.margin_mm == pytest.approx(d, abs=MM)
    assert seen.tip_deg == pytest.approx(math.degrees(math.atan(d / h)), abs=DEG)
    assert seen.barrier_mm == pytest.approx(math.hypot(d, h) - h, abs=MM)


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize("short", [0.1, 0.3])
def test_one_peg_short_is_the_wobbly_reference(short: float, azimuth: float) -> None:
    # four pegs on radius q, one short by e: flattest pose level with margin 0; rocks by e/q
    q = 10.0
    points = [(q, 0.0, 20.0 - short), (0.0, q, 20.0), (-q, 0.0, 20.0), (0.0, -q, 20.0)]
    seen = rest(towers(points, azimuth), Mini("27", height=40, com=14), at=(0.0, 0.0))
    assert seen.tilt_deg == pytest.approx(0.0, abs=DEG)
    assert seen.margin_mm == pytest.approx(0.0, abs=MM)
    assert seen.rock_deg == pytest.approx(math.degrees(math.asin(short / q)), abs=5 * DEG)


def over_line(a: np.ndarray, b: np.ndarray, com: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """The normal of the plane through a line and a centre of mass, away from a point on the base."""
    normal = np.cross(b - a, com - a)
    return normal / np.linalg.norm(normal) * (-1.0 if normal @ (inner - a) > 0 else 1.0)


def least_tilt(normals: list[np.ndarray]) -> float:
    """The least tilt (degrees), whichever way, that takes a base over one line after another.

    The tangent of that, as a vector towards where gravity leans, lies beyond a line for each of them.
    """
    tried = [n[:2] * n[2] / (n[:2] @ n[:2]) for n in normals]
    tried += [np.linalg.solve(np.array([m[:2], n[:2]]), [m[2], n[2]]) for m in normals for n in normals if m is not n]
    return min(math.degrees(math.atan(np.hypot(*p))) for p in tried if all(p @ n[:2] >= n[2] - 1e-12 for n in normals))


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize(
    ("pegs", "com"),
    [
        (((5.6, -4.1, 20.0), (5.6, 5.9, 20.0), (-9.8, 2.4, 20.0), (11.2, -4.2, 19.82)), (4.9, 3.4)),
        (((5.5, -6.2, 20.0), (5.5, 8.5, 20.0), (-7.2, 3.3, 20.0), (7.1, -7.7, 19.95)), (4.4, 1.1)),
        (((5.5, -4.8, 20.0), (5.5, 4.8, 20.0), (-7.2, 0.6, 20.0), (7.0, -2.0, 19.95)), (4.8, -0.6)),
        (((3.9, -7.5, 20.0), (3.9, 3.4, 20.0), (-10.9, 0.6, 20.0), (5.9, 8.6, 19.94)), (3.2, -0.8)),
        (((2.5, -7.3, 20.0), (2.5, 6.5, 20.0), (-8.2, 2.5, 20.0), (6.3, -3.8, 19.87)), (1.5, 1.0)),
        (((4.8, -3.9, 20.0), (4.8, 7.1, 20.0), (-9.2, 0.6, 20.0), (8.6, 7.9, 19.88)), (4.3, 3.0)),
    ],
)
def test_over_one_line_and_then_another_goes_what_lies_beyond_both(
    pegs: tuple[tuple[float, float, float], ...], com: tuple[float, float], azimuth: float
) -> None:
    # it rocks over the line of the first two on to the fourth, and on over a line through that: the easiest direction
    # is neither's own
    mini = Mini("27", height=40, com=(*turned(*com, azimuth), 14.0))
    a, b, c, d = (np.array(p) for p in pegs)
    middle, up = np.array([*com, 34.0]), np.array([0.0, 0.0, 1.0])
    normal = np.cross(b - a, d - a)
    rocked = Pose.turned(tuple(np.cross(up, normal)), math.degrees(math.acos(abs(normal[2]) / np.linalg.norm(normal))))
    if normal[2] < 0:
        rocked = rocked.inverse()
    first, then = over_line(a, b, middle, c), a + rocked.rotation() @ (middle - a)
    ways = [[first, over_line(p, d, then, q)] for p, q in ((a, b), (b, a))]
    ways += [[over_line(p, c, middle, q)] for p, q in ((a, b), (b, a))]
    seen = rest(towers([(x, y, z) for x, y, z in pegs], azimuth), mini, at=(0.0, 0.0))
    assert seen.tilt_deg == pytest.approx(0.0, abs=DEG)
    assert seen.tip_deg == pytest.approx(min(least_tilt(way) for way in ways), abs=DEG)


# --- 8: stairs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize(("base", "s", "d"), [("27", 2.0, 1.0), ("27", 5.0, 3.0), ("27", 8.0, 8.0), ("50", 10.0, 4.0)])
def test_stairs(base: str, s: float, d: float, azimuth: float) -> None:
    # middle past the edge by d (horizontally): s = r sin t + d tan t; stands iff tan t < r/h
    r = radius(base)
    t = brentq(lambda a: r * math.sin(a) + d * math.tan(a) - s, 0.0, 1.4)
    vertices, faces = box((-200, -200, 0), (0, 200, 30))
    seen = rest(
        table_of(vertices, faces, azimuth, floor=30 - s), Mini(base, height=60, com=8), at=turned(d, 0, azimuth)
    )
    assert seen.tilt_deg == pytest.approx(math.degrees(t), abs=DEG)
    assert seen.pose is not None
    assert seen.pose.place[2] == pytest.approx(30 - d * math.tan(t), abs=MM)


# --- 9: the groove ----------------------------------------------------------------------------------------------------


def groove(deg: float, azimuth: float) -> Table:
    t = math.tan(math.radians(deg))
    vertices = np.array([(x, y, abs(x) * t) for x in (-90.0, 0.0, 90.0) for y in (-90.0, 90.0)])
    return table_of(vertices, np.array([[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5]]), azimuth)


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize("deg", [20.0, 35.0])
def test_groove_rests_on_two_points_of_its_rim_and_needs_no_friction(deg: float, azimuth: float) -> None:
    r = 13.5
    seen = rest(groove(deg, azimuth), Mini("27", height=40, com=14), at=(0.0, 0.0))
    assert seen.tilt_deg == pytest.approx(0.0, abs=DEG)
    assert seen.pose is not None
    assert seen.pose.place[2] == pytest.approx(r * math.tan(math.radians(deg)), abs=MM)
    assert seen.friction_needed == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("aside", [11.0, 12.5])
def test_across_a_groove_it_goes_over_the_nearer_of_its_two_points(aside: float) -> None:
    # beside the line through two points it rolls, and comes back at 12.5 degrees; along the line it ends at a point
    groove, mini = PACK.parent / "gallery" / "groove-20.stl", Mini("27", height=40, com=(aside, 0, 15))
    at_rest = rest(Table.of(read_solid(groove)), mini, at=(0, 0))
    assert len(at_rest.contacts) == 2
    assert at_rest.tip_deg == pytest.approx(math.degrees(math.atan((13.5 - aside) / 15)), abs=1e-3)
    assert at_rest.barrier_mm == pytest.approx(math.hypot(15, 13.5 - aside) - 15, abs=1e-3)


def test_along_a_groove_it_rolls_on_its_rim_like_on_a_dome() -> None:
    # stable along it iff h tan b < r: at 35 degrees and r 13.5 the limit is h 19.3
    assert rest(groove(35, 17.3), Mini("27", height=60, com=25), at=(0, 0)).tip_deg == pytest.approx(0.0, abs=0.5)
    seen = rest(groove(20, 17.3), Mini("27", height=40, com=14), at=(0, 0))
    assert seen.tip_deg is not None
    assert seen.tip_deg > 5


def falling_groove(slope: float, fall: float, azimuth: float) -> Table:
    """Two walls of a slope (their gradient across) that meet in a line which falls along x."""
    vertices = np.array([(x, y, abs(y) * slope - x * fall) for x in (-200.0, 200.0) for y in (-200.0, 0.0, 200.0)])
    return table_of(vertices, np.array([[0, 3, 1], [1, 3, 4], [1, 4, 2], [2, 4, 5]]), azimuth)


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize(("slope", "fall"), [(0.3, 0.1), (0.3, 0.25), (0.3, 0.31), (0.5, 0.1), (0.5, 0.16), (0.7, 0.1)])
def test_a_groove_that_falls_too_steeply_holds_nothing(slope: float, fall: float, azimuth: float) -> None:
    # leaning by t along the groove, with T = tan t - f, the rim meets the walls r cos^2 t T / sqrt(s^2 + (T cos t)^2)
    # ahead of its middle, and the centre of mass lies h sin t ahead: it rests where these are one, if they ever are
    r, h = radius("27"), 15.0

    def ahead(t: float) -> float:
        more = math.tan(t) - fall
        return r * math.cos(t) ** 2 * more / math.hypot(slope, more * math.cos(t)) - h * math.sin(t)

    leans = np.radians(np.arange(0.0, 60.0, 0.05))
    rests = next((k for k in range(len(leans)) if ahead(leans[k]) > 0), None)
    seen = rest(falling_groove(slope, fall, azimuth), Mini("27", height=40, com=h), at=(0.0, 0.0))
    if rests is None:
        assert seen.outcome == "topples"
    else:
        assert seen.tilt_deg == pytest.approx(math.degrees(brentq(ahead, leans[rests - 1], leans[rests])), abs=DEG)


@pytest.mark.parametrize(
    ("mesh", "at"), [("craters.ply", (0, 49)), ("craters.ply", (-42, 7)), ("hill.ply", (-7, 0)), ("hill.ply", (42, 98))]
)
def test_the_easiest_way_over_costs_no_more_than_the_one_that_the_tip_takes(mesh: str, at: tuple[float, float]) -> None:
    # gravity tilted by the tip drives it all the way: no rise is more than tan(tip) of how far it has gone to the side,
    # and before it goes over that is less than the base is wide
    mini = Mini("27")
    seen = rest(Table.of(read_solid(PACK / mesh)), mini, at=at)
    assert seen.tip_deg is not None
    assert seen.barrier_mm is not None
    assert 0 < seen.barrier_mm <= math.tan(math.radians(seen.tip_deg)) * 2 * mini.base.outline.reach_mm()


@pytest.mark.parametrize(("mesh", "at"), [("bridge.stl", (-10, -20)), ("craters.ply", (-55, 25))])
def test_it_tips_over_the_points_that_carry_it(mesh: str, at: tuple[float, float]) -> None:
    """Told with what nearly touches, a rim on a face was a bow a tenth of a mm wide: 5.005 degrees for 4.897."""
    mini = Mini("27")
    seen = rest(Table.of(read_solid(PACK / mesh)), mini, at=at)
    assert seen.pose is not None
    carriers = np.array([c.place for c in seen.contacts])
    assert len(carriers) == 3
    (centre,) = seen.pose.apply([mini.com])
    onsets = []
    for k in range(3):
        a, b, behind = carriers[k], carriers[k - 1], carriers[k - 2]
        out = np.cross(b - a, centre - a)
        out *= -np.sign(out @ (behind - a))
        onsets.append(math.degrees(math.asin(out[2] / np.linalg.norm(out))))
    assert seen.tip_deg is not None
    assert min(abs(onset - seen.tip_deg) for onset in onsets) < 1e-3  # over another edge it may rock, and come back


def test_it_may_rest_on_the_way_back() -> None:
    # nudged it rolls on by four degrees; let go, it rolls back to a hollow between two steps of that way. Bullet sees
    # it come back from 0.8 degrees and come to rest elsewhere from 1.5; it was told to hold 16
    seen = rest(Table.of(read_solid(PACK / "hill.ply")), Mini("27"), at=(-50.0, -70.0))
    assert seen.tip_deg == pytest.approx(1.177, abs=1e-2)
    assert seen.barrier_mm is not None
    assert seen.barrier_mm < 0.02


def test_it_lands_on_a_long_edge_that_it_reaches_by_little() -> None:
    # it rocks on to the deck and back on to the ramp, which ends under it at an edge as long as the bridge is wide:
    # looked at in eight places, that edge lay nowhere under it. Both engines see it come back from a nudge of 5
    seen = rest(Table.of(read_solid(PACK / "bridge.stl")), Mini("27"), at=(40.0, -25.0))
    assert seen.tip_deg is not None
    assert seen.tip_deg > 10


def test_a_hard_way_to_a_pose_hides_no_easier_one() -> None:
    # 0.0359 with steps and bands a tenth as large
    table, at, turn = Table.of(read_solid(PACK / "hill.ply")), (70.39, 8.101), 353.13
    case = case_of(ground_of(table), Mini("27"), at=at, turn=turn, level=None)
    _, c, gx, gy = case.lowest()
    lift, final = barrier(case.footing(case.frame(c, gx, gy)), FARTHEST_LIFT_MM)
    assert final
    assert lift == pytest.approx(0.0355, abs=2e-4)
    seen = rest(table, Mini("27"), at=at, turn=turn)
    # it goes over one of the two points that it rolls on; steps a tenth as long tell 2.601, a fortieth 2.634. Bullet
    # sees it come back from nudges of 2.4 and go over at 2.5, Rapier from 2.4 and at 2.6. It was 2.4795: steps that
    # went round and round counted as over; 2.77 while no end of a line between two points was looked at; 2.668 while
    # the direction was narrowed to a sixth of a degree
    assert seen.tip_deg == pytest.approx(2.665, abs=1e-3)
    assert seen.barrier_mm == pytest.approx(lift, abs=1e-5)
    assert not seen.barrier_is_least


# --- 11, 12: nothing depends on how the terrain is cut or turned ------------------------------------------------------


@pytest.mark.parametrize("azimuth", [0.0, 5.0, 22.5, 31.7])
def test_friction_is_the_same_in_every_direction(azimuth: float) -> None:
    seen = rest(ramp(30.0, azimuth), Mini("27", height=40, com=8), at=(0.0, 0.0))
    assert seen.friction_needed == pytest.approx(math.tan(math.radians(30)), rel=1e-9)


@lru_cache(maxsize=32)
def foot_of_ramp(deg: float, azimuth: float) -> Table:
    """A level floor from which a ramp rises towards x from the y axis on."""
    t = math.tan(math.radians(deg))
    vertices = np.array([(x, y, x * t) for x in (0.0, 200.0) for y in (-200.0, 200.0)])
    return table_of(vertices, np.array([[0, 2, 1], [1, 2, 3]]), azimuth, floor=0.0)


@pytest.mark.parametrize("azimuth", [*AZIMUTHS, 90.0])
@pytest.mark.parametrize(("base", "deg", "x"), [("27", 30.0, 0.0), ("27", 30.0, -3.7), ("50", 36.9, -2.0)])
def test_at_the_foot_of_a_ramp_two_places_of_the_rim_carry_it_and_friction_holds_it(
    base: str, deg: float, x: float, azimuth: float
) -> None:
    h, a, r = 8.0, math.radians(deg), float(base) / 2
    seen = rest(foot_of_ramp(deg, azimuth), Mini(base, height=40, com=h), at=turned(x, 0.0, azimuth))
    t = brentq(lambda t: 2 * r * math.sin(t) - (x + r * math.cos(t)) * math.tan(a), 0.0, a)
    assert (seen.outcome, seen.tilt_deg) == ("rests", pytest.approx(math.degrees(t), abs=DEG))
    low, high = x - r * math.cos(t), (x + r * math.cos(t), 2 * r * math.sin(t))
    middle = x - h * math.sin(t)

    def apart(z: float) -> tuple[float, float]:
        """How far forces that meet over the centre of mass lean from the normals: of the floor, of the ramp."""
        return math.atan2(middle - low, z), abs(math.atan2(high[0] - middle, z - high[1]) - a)

    z = brentq(lambda z: apart(z)[0] - apart(z)[1], high[1] + (high[0] - middle) / math.tan(a), 1e6)
    assert seen.friction_needed == pytest.approx(math.tan(apart(z)[0]), rel=1e-6)
    word = stand(foot_of_ramp(deg, azimuth), Mini(base, height=40, com=h), at=turned(x, 0.0, azimuth), physics="never")
    assert word.answer in ("stable", "precarious")


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize(
    ("base", "step", "x", "h"), [("27", 6.0, -5.0, 8.0), ("27", 9.0, -1.0, 10.0), ("50", 8.0, -9.0, 5.0)]
)
def test_against_a_step_its_edge_and_the_floor_carry_it_and_friction_holds_it(
    base: str, step: float, x: float, h: float, azimuth: float
) -> None:
    r, block = float(base) / 2, table_of(*box((0, -200, 0), (200, 200, step)), azimuth, floor=0.0)
    seen = rest(block, Mini(base, height=40, com=h), at=turned(x, 0.0, azimuth))
    t = brentq(lambda t: math.tan(t) * (r * math.cos(t) - x) - step, 0.0, 1.0)
    assert (seen.outcome, seen.tilt_deg) == ("rests", pytest.approx(math.degrees(t), abs=DEG))
    low, middle = x - r * math.cos(t), x - h * math.sin(t)

    def apart(z: float) -> tuple[float, float]:
        """How far forces that meet over the centre of mass lean from the normals: of the floor, of the base."""
        return math.atan2(middle - low, z), abs(math.atan2(-middle, z - step) - t)

    z = brentq(lambda z: apart(z)[0] - apart(z)[1], step - middle / math.tan(t), 1e6)
    assert seen.friction_needed == pytest.approx(math.tan(apart(z)[0]), rel=1e-6)


@pytest.mark.parametrize("soup", [in_three, in_four])
def test_where_the_whole_weight_pushes_straight_into_a_face_no_load_leaves_its_cone(soup: Callable[..., Soup]) -> None:
    """What lay along the face was rounding, and pointed out of it: less friction was said to do, by a part in 1e4."""
    solid = read_solid(GALLERY / "stairs.stl")
    cut = Solid.of(*soup(solid.vertices, solid.faces))
    needs = [rest(Table.of(one), Mini("27"), at=(-21.35, -19.01)).friction_needed for one in (solid, cut)]
    assert needs == pytest.approx([0.082548026, 0.082548026], rel=1e-6)


@pytest.mark.parametrize("beside", [0.0, 3e-7, -3e-7, 5e-6])
def test_a_centre_of_mass_beside_two_contacts_by_rounding_lies_between_them(beside: float) -> None:
    contacts = np.zeros((2, 10))
    contacts[:, PX], contacts[:, PY] = (-13.0, 13.0), beside
    frame = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    arms = arms_of(contacts, frame, np.array([1.0, 0.0, 8.0]))
    lean = math.radians(20.0)
    normals = np.array([[0.0, 0.0, 1.0], [-math.sin(lean), 0.0, math.cos(lean)]])
    mu = needed(arms, normals, np.array([0.0, 0.0, -1.0]), 13.5, np.zeros((2, 3)))
    # forces that meet over the centre of mass at a height z: 14 and 12 mm beside it, one leans from straight up
    z = brentq(lambda z: 14.0 / z - math.tan(abs(math.atan2(12.0, z) - lean)), 33.0, 1e6)
    assert mu == pytest.approx(14.0 / z, rel=1e-6)


# --- room -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("azimuth", AZIMUTHS)
@pytest.mark.parametrize(
    ("side", "over", "word"),
    [(30.0, 6.0, "blocked"), (30.0, 2.0, "stable"), (-48.0, 40.0, "blocked"), (-56.0, 40.0, "stable")],
)
def test_a_body_wider_than_its_base_meets_what_stands_beside_it(
    side: float, over: float, word: str, azimuth: float
) -> None:
    """On a slope of 30 degrees: its foot reaches 40 mm uphill, 3 over the slope; its head hangs 52 mm downhill."""
    t = math.tan(math.radians(30.0))
    slope, peg = ramp(30.0, azimuth), towers([(side, 0.0, side * t + over)], azimuth)
    table = Table(pieces=(*slope.pieces, replace(peg.pieces[0], name="peg")), floor_mm=None)
    told = stand(table, Mini("27", body=Body(80.0, 40.0), com=9), at=(0.0, 0.0), turn=azimuth, physics="never")
    assert told.answer == word


@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_a_wall_is_told_by_how_far_up_it_reaches_and_a_ceiling_by_how_low_it_hangs(azimuth: float) -> None:
    # below a cut a wall of 120 mm stands through a mini of 40 mm, and a deck from 30 to 34 mm hangs in its head
    wall, deck = box((-50, -4, 0), (50, 4, 120)), box((-50, -50, 30), (50, 50, 34))
    for mesh, said in ((wall, "up to 120.0 mm over its feet"), (deck, "30.0 mm over its feet")):
        table = Table(pieces=(Piece("it", Solid.of(*mesh), Pose.at(0, 0, turn=azimuth)),))
        told = stand(table, Mini("27", height=40), at=(0.0, 0.0), turn=azimuth, level=20.0, physics="never")
        assert (told.answer, told.why) == ("blocked", f"it is in the way, {said}.")


@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_what_a_leaning_body_reaches_down_into_is_under_its_feet(azimuth: float) -> None:
    # over a rail of 7 mm it leans by about 21 degrees; its head, 50 wide and 30 up, hangs lower than its feet
    table = replace(rails(7.0, 0.5, azimuth), floor_mm=0.0)
    seen = stand(table, Mini("27", com=3, body=Body(50, 30)), at=(0.0, 0.0), turn=azimuth, physics="never")
    assert seen.answer == "blocked"
    assert seen.pose is not None
    assert (
        seen.why
        == f"the table is in the way: the model leans down into it, {seen.pose.place[2]:.1f} mm under its feet."
    )


def test_what_a_mesh_reaches_beside_its_base_is_in_the_way_lower_than_its_top_too() -> None:
    # a foot of 40 mm, or a wing that droops to 1 mm over the floor, under a base of 27: a wall 15 mm away is in its way
    torso, wing = box((-3, -3, 2.9), (3, 3, 30)), box((-30, -2, 1), (30, 2, 3))
    foot, lip = Base.round(40, thickness_mm=3).mesh(chord_mm=0.05), Base.round(28.5, thickness_mm=3).mesh(chord_mm=0.05)
    wall = Piece("wall", Solid.of(*box((15, -40, 0), (40, 40, 50))))
    table = Table(pieces=(wall,), floor_mm=0.0)
    for low, word in ((foot, "blocked"), (wing, "blocked"), (lip, "stable")):
        corners = np.vstack([torso[0], low[0]])
        body = Body(60, 30, (corners, np.vstack([torso[1], np.asarray(low[1]) + len(torso[0])])))
        mini = Mini("27", com=10, body=body)
        seen = stand(table, mini, at=(0.0, 0.0), physics="never")
        assert seen.answer == word
        assert atlas(table, mini, area=(0, 0, 1, 1)).at(0.0, 0.0).answer == word
        beside = stand(Table(minis=(Placed("it", mini, (0.0, 0.0)),)), Mini("27"), at=(29.0, 0.0), physics="never")
        assert beside.answer == word


@pytest.mark.parametrize("azimuth", AZIMUTHS)
def test_a_wall_at_the_foot_of_a_leaning_base_lies_not_below_it(azimuth: float) -> None:
    # seen along the base's normal it lies over the whole underside, which was told as carried all over
    rail = [(4, -90, 0), (4, 90, 0), (6, -90, 0), (6, 90, 0), (5, -90, 7), (5, 90, 7)]
    faces = [(0, 4, 1), (1, 4, 5), (2, 3, 4), (3, 5, 4)]
    alone = replace(table_of(np.array(rail, dtype=float), np.array(faces), azimuth), floor_mm=0.0)
    mini = Mini("27", com=3, body=Body(2, 8))
    free = rest(alone, mini, at=(0.0, 0.0), turn=azimuth)
    assert free.tilt_deg is not None
    # the floor lies within 3 mm of it up to 3 / tan t from its foot; at the rail's edge both sides fall by 7 in 1 mm
    t, r = math.radians(free.tilt_deg), 13.5
    before = 3 / math.tan(t) - r
    a, b = math.acos(before / r), free.overhang_share
    assert b is not None
    assert b < (a - before / r * math.sin(a)) / math.pi
    gap, (corners, sides) = 1.4, box((-40, -60, 0), (0, 60, 100))
    wall = Piece("wall", Solid.of(corners, sides), Pose.at(*turned(-r * math.cos(t) - gap, 0.0, azimuth), turn=azimuth))
    seen = stand(replace(alone, pieces=(*alone.pieces, wall)), mini, at=(0.0, 0.0), turn=azimuth, physics="never")
    assert seen.answer == "stable"
    assert seen.overhang_share == pytest.approx(free.overhang_share, abs=1e-6)
    assert seen.overhang_mm == pytest.approx(free.overhang_mm, abs=1e-6)


# --- both witnesses ---------------------------------------------------------------------------------------------------

ENGINES = ("bullet", "rapier")


def with_engine(engine: str) -> None:
    if engine == "bullet":
        pytest.importorskip("pybullet")
    else:
        pytest.importorskip("rapier3d")


def test_a_brief_answer_is_the_same_word() -> None:
    mini, low, gallery = Mini("27", height=40, com=15), Mini("27", height=20, com=9), PACK.parent / "gallery"
    crate_, wall = (Table.of(read_solid(gallery / f"{name}.stl")) for name in ("crate", "wall"))
    asked = [
        (crate_, mini, (0.0, 0.0), None, "stable"),
        (crate_, mini, (39.5, 0.0), None, "precarious"),
        (crate_, mini, (41.0, 0.0), None, "topples"),
        (wall, mini, (40.0, 14.0), None, "blocked"),  # 2.5 mm deep in the wall's foot, on the floor beside it
        (ramp(30.0, 0.0), mini, (0.0, 0.0), 0.4, "slides"),
        (ramp(46.0, 0.0), low, (0.0, 0.0), 5.0, "too-steep"),
    ]
    for table, who, at, friction, word in asked:
        level = 0.5 if word == "blocked" else None
        told = [
            stand(table, who, at=at, level=level, friction=friction, physics="never", brief=brief)
            for brief in (False, True)
        ]
        assert [t.answer for t in told] == [word, word]
        assert told[0].pose == told[1].pose
        assert told[0].contacts == told[1].contacts


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("rocks", "word"), [(1.9, "stable"), (2.1, "precarious")])
def test_both_witnesses_on_what_counts_as_home(engine: str, rocks: float, word: str) -> None:
    with_engine(engine)
    # four pegs on radius q, one short by q tan(rocks), the centre 0.3 mm on the other side: a nudge takes it over on to
    # the short one, where it stays; two degrees from where it was put still count as having come back
    q = 12.0
    pegs = [(q, 0.0, 20.0 - q * math.tan(math.radians(rocks))), (0.0, q, 20.0), (-q, 0.0, 20.0), (0.0, -q, 20.0)]
    table = towers(pegs, 17.3)
    seen = stand(table, Mini("27", com=15), at=turned(-0.3, 0, 17.3), physics="always", engine=engine)
    assert (seen.answer, seen.decided_by) == (word, ("statics", "settle"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("d", [3.0, 1.7, 0.8])
def test_both_witnesses_on_a_ledge(engine: str, d: float) -> None:
    with_engine(engine)
    seen = stand(crate(17.3), Mini("27", height=40, com=14), at=turned(-d, 0.0, 17.3), engine=engine)
    assert seen.answer == ("stable" if math.atan(d / 14) > math.radians(5) else "precarious")
    assert seen.decided_by == ("statics", "settle")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("deg", "mu", "word"), [(30, 1.25, "stable"), (30, 0.5, "slides"), (43, 1.25, "stable")])
def test_both_witnesses_on_a_slope(engine: str, deg: float, mu: float, word: str) -> None:
    with_engine(engine)
    seen = stand(ramp(deg, 17.3), Mini("27", height=40, com=6), at=(0.0, 0.0), engine=engine, friction=mu)
    assert (seen.answer, seen.decided_by) == (word, ("statics", "settle"))


@pytest.mark.parametrize("engine", ENGINES)
def test_both_witnesses_past_an_edge(engine: str) -> None:
    with_engine(engine)
    seen: Stand = stand(crate(17.3), Mini("27", height=40, com=14), at=turned(1.0, 0.0, 17.3), engine=engine)
    assert seen.answer == "topples"
    assert isinstance(rest(crate(17.3), seen.mini, at=seen.at), Rest)
