"""What the engines see against closed forms, each law in a comment with its tolerance: ledges, pegs, slopes, domes.

d: distance of the centre of mass inside the edge; h: its height; r: base radius; mu: friction. Every table is turned by
an odd angle, because along an axis a square of contacts and a cone of friction prove nothing.
"""

from __future__ import annotations

import importlib
import math
import platform
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim3d.engine import ENGINES, Engine, Rock, moving_of
from sim3d.mini import Mini
from sim3d.settle import BANDS, UNKNOWN, Expected, Settle, settle, settle_moving
from sim3d.space import Floats, Ints, Pose

Mesh = tuple[Floats, Ints]


@pytest.fixture(params=[e.name for e in ENGINES])
def engine(request: pytest.FixtureRequest) -> Engine:
    chosen = next(e for e in ENGINES if e.name == request.param)
    if not chosen.available():
        pytest.skip(f"{chosen.name} is not installed here")
    return chosen


def field(half: float, pitch: float, height: Callable[[Floats, Floats], Floats] = lambda x, y: 0.0 * x) -> Mesh:
    """A square of triangles about the origin."""
    steps = max(1, round(2 * half / pitch))
    ticks = np.linspace(-half, half, steps + 1)
    x, y = np.meshgrid(ticks, ticks, indexing="ij")
    corners = np.column_stack([x.ravel(), y.ravel(), height(x, y).ravel()])
    i, j = np.meshgrid(np.arange(steps), np.arange(steps), indexing="ij")
    a = (i * (steps + 1) + j).ravel()
    b, c, d = a + steps + 1, a + steps + 2, a + 1
    return corners, np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def turned(mesh: Mesh, deg: float) -> Mesh:
    return Pose.at(0, 0, turn=deg).apply(mesh[0]), mesh[1]


def ledge(pitch: float, half: float = 30.0) -> Mesh:
    """Flat at z 0 where x < 0, with a cliff 30 mm deep."""
    corners, faces = field(half, pitch)
    corners[:, 0] -= half
    rim = corners[corners[:, 0] > -1e-9]
    low = rim - (0, 0, 30)
    n, k = len(corners), len(rim)
    i = np.arange(k - 1)
    wall = np.vstack(
        [np.column_stack([n + i, n + k + i, n + k + i + 1]), np.column_stack([n + i, n + k + i + 1, n + i + 1])]
    )
    return np.vstack([corners, rim, low]), np.vstack([faces, wall])


def on_ledge(
    engine: Engine,
    d: float,
    h: float,
    *,
    pitch: float,
    azimuth: float = 17.3,
    base: str = "27",
    nudge_deg: float | None = None,
) -> Settle:
    half = Mini(base).base.outline.reach_mm() * 1.5 + 10
    x, y, _ = Pose.at(0, 0, turn=azimuth).apply([[-d, 3.3, 0.0]])[0]
    return settle(
        turned(ledge(pitch, half), azimuth),
        Mini(base, height=max(40.0, h), com=h),
        Pose.at(x, y, 0.0, turn=azimuth + 5),
        friction=1.25,
        engine=engine,
        nudge_deg=nudge_deg,
    )


def on_slope(engine: Engine, deg: float, *, mu: float, h: float, pitch: float, base: str = "27") -> Settle:
    azimuth = math.radians(17.3)
    lean = Pose.turned((-math.sin(azimuth), math.cos(azimuth), 0.0), deg)
    corners, faces = field(Mini(base).base.outline.reach_mm() + 12, pitch)
    pose = Pose(spin=(lean @ Pose.at(0, 0, turn=33)).spin)
    mini = Mini(base, height=max(40.0, h), com=h)
    return settle((lean.apply(corners), faces), mini, pose, friction=mu, engine=engine, nudge_deg=None)


# --- laws -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "h", "pitch"),
    [(base, h, 200.0) for base, h in (("27", 8.0), ("27", 14.0), ("27", 40.0), ("50n", 20.0), ("100x175n", 20.0))]
    + [("27", 14.0, 1.5), ("50n", 20.0, 3.0)]
    + [pytest.param("27", h, 1.5, marks=pytest.mark.slow) for h in (8.0, 40.0)]
    + [pytest.param(base, 20.0, p, marks=pytest.mark.slow) for base, p in (("50n", 1.5), ("100x175n", 5.0))],
)
def test_a_ledge_carries_what_is_inside_its_edge(engine: Engine, base: str, h: float, pitch: float) -> None:
    # stands iff d > 0; engines within their band of it
    band = BANDS[engine.name].edge_mm
    for azimuth in (17.3, 200.0):
        inside = on_ledge(engine, band, h, pitch=pitch, azimuth=azimuth, base=base)
        assert inside.stays, inside
        outside = on_ledge(engine, -band, h, pitch=pitch, azimuth=azimuth, base=base)
        assert not outside.stays, outside


@pytest.mark.parametrize(
    ("h", "pitch"),
    [(8.0, 200.0), (14.0, 200.0), (40.0, 200.0), (14.0, 2.0)]
    + [pytest.param(h, 2.0, marks=pytest.mark.slow) for h in (8.0, 40.0)],
)
def test_a_nudge_takes_over_what_tips_below_it(engine: Engine, h: float, pitch: float) -> None:
    # tip = atan(d/h) against a nudge of 5 degrees
    band = BANDS[engine.name].tip_deg
    over = on_ledge(engine, h * math.tan(math.radians(5 - band)), h, pitch=pitch, nudge_deg=5.0)
    assert over.stays
    assert over.nudged is False
    stands = on_ledge(engine, h * math.tan(math.radians(5 + band)), h, pitch=pitch, nudge_deg=5.0)
    assert stands.stays
    assert stands.nudged is True


@pytest.mark.parametrize("pitch", [200.0, 2.0])
@pytest.mark.parametrize(("mu", "base"), [(0.5, "27"), (0.8, "27"), (1.2, "27"), (0.7, "50n"), (0.7, "100x175n")])
def test_a_slope_holds_up_to_the_angle_of_friction(engine: Engine, mu: float, base: str, pitch: float) -> None:
    # slides iff tan a > mu, where it does not topple first: h well under r / tan a
    if base == "100x175n" and pitch < 5:
        pitch = 5.0
    share = BANDS[engine.name].friction_share
    holds = on_slope(engine, math.degrees(math.atan(mu * (1 - share))), mu=mu, h=6.0, pitch=pitch, base=base)
    assert holds.stays, holds
    slides = on_slope(engine, math.degrees(math.atan(mu * (1 + share))), mu=mu, h=6.0, pitch=pitch, base=base)
    assert not slides.stays, slides


@pytest.mark.parametrize("h", [14.0, 20.0, 40.0])
def test_a_slope_topples_what_is_too_tall(engine: Engine, h: float) -> None:
    # topples iff tan a > r/h
    limit, band = math.degrees(math.atan(13.5 / h)), BANDS[engine.name].slope_deg
    stands = on_slope(engine, limit - band, mu=2.0, h=h, pitch=200.0)
    assert stands.stays, stands
    over = on_slope(engine, limit + 0.5, mu=2.0, h=h, pitch=200.0)  # never beyond, whatever the band
    assert not over.stays, over


def test_three_pegs_carry_what_is_between_them(engine: Engine) -> None:
    # equal pegs on radius q: q/2 towards the sides; engines within 0.3 mm
    q, tops = 8.0, field(0.05, 0.1)
    pegs = [(q * math.cos(a), q * math.sin(a), 0.0) for a in (0.3, 0.3 + 2 * math.pi / 3, 0.3 + 4 * math.pi / 3)]
    corners = np.vstack([tops[0] + peg for peg in pegs])
    faces = np.vstack([tops[1] + i * len(tops[0]) for i in range(3)])
    side = 0.3 + math.pi / 3
    for off, stays in ((q / 2 - 0.3, True), (q / 2 + 0.35, False)):  # 0.05 more: the pegs have a width
        pose = Pose.at(off * math.cos(side), off * math.sin(side), turn=3)
        mini = Mini("27", height=40, com=14.0)
        seen = settle((corners, faces), mini, pose, friction=1.25, engine=engine, nudge_deg=None)
        assert seen.stays is stays, seen


@pytest.mark.parametrize("rock_deg", [0.2, 0.48, 0.52, 1.2])
def test_what_a_base_rocks_down_to_is_there(engine: Engine, rock_deg: float) -> None:
    """Half over an edge, with a lower floor under what is over it: it rocks by atan(depth / (r - d)) and comes back."""
    r, d = Mini("27").base.outline.reach_mm(), 0.5
    depth = (r - d) * math.tan(math.radians(rock_deg))
    corners, faces = ledge(10.0)
    shelf, more = field(30.0, 10.0)
    shelf[:, 0] += 33.0
    shelf[:, 2] -= depth
    both = np.vstack([corners, shelf])
    both[:, 0] += d
    mesh = turned((both, np.vstack([faces, more + len(corners)])), 23)
    seen = settle(mesh, Mini("27"), Pose.at(0, 0), friction=1.0, engine=engine)
    assert (seen.stays, seen.nudged) == (True, True), seen
    assert seen.rock_deg == pytest.approx(rock_deg, abs=0.06)


@pytest.mark.parametrize(
    ("h", "stands"), [(16.0, True), (38.0, False), pytest.param(42.0, False, marks=pytest.mark.slow)]
)
def test_a_dome_carries_what_is_lower_than_its_radius(engine: Engine, h: float, stands: bool) -> None:
    # dome of radius R: stable iff h < R; rolling, its tip is 18 degrees at h 16, and under 1 at h 38
    mesh = turned(field(25.0, 1.0, lambda x, y: np.sqrt(np.maximum(40.0**2 - x * x - y * y, 0.0)) - 40.0), 17.3)
    mini = Mini("27", height=max(40.0, h), com=h)
    seen = settle(mesh, mini, Pose(), friction=1.25, engine=engine)
    assert (seen.stays and bool(seen.nudged)) is stands, seen


@pytest.mark.parametrize(("wall_deg", "stands"), [(30.0, True), (35.0, False), (40.0, False)])
def test_a_groove_holds_what_lies_deep_in_it(wall_deg: float, stands: bool) -> None:
    # walls at slope b: on its rim like on a dome of radius r / tan b; tip 6.7 degrees at 30, 3.7 at 35, 1.3 at 40
    bullet = ENGINES[0]
    if not bullet.available():
        pytest.skip("bullet is not installed here; rapier sees less than it should in a groove, never more")
    tan = math.tan(math.radians(wall_deg))
    mesh = turned(field(30.0, 4.0, lambda x, y: np.abs(y) * tan), 17.3)
    mini = Mini("27", height=40, com=14.0)
    seen = settle(mesh, mini, Pose.at(0, 0, 13.5 * tan), friction=1.25, engine=bullet)
    assert seen.stays
    assert seen.nudged is stands, seen


@pytest.mark.parametrize("turn", [0.0, 2.1, 3.75])
def test_a_rim_rolls_on_whatever_corners_it_has_in_the_engine(engine: Engine, turn: float) -> None:
    # like a coin on a peg: a tilt that is twice the slope of the floor rolls it round, it does not lie on a side
    floor, peg = field(60.0, 120.0), field(0.5, 1.0)
    corners = np.vstack([floor[0], peg[0], [[0.0, 0.0, 4.0]]])
    faces = np.vstack([floor[1], [[4, 6, 8], [6, 7, 8], [7, 5, 8], [5, 4, 8]]])
    slope, leans = math.radians(0.5), math.asin(4.0 / 13.5)
    down = Pose((0, 0, 0), (math.cos(slope / 2), math.sin(slope / 2), 0, 0))
    lean = Pose((0, 0, 4), (math.cos(leans / 2), math.sin(leans / 2), 0, 0))
    pose = down @ lean @ Pose.at(0, 0, turn=turn)
    mini = Mini("27", height=40, com=10)
    seen = settle((down.apply(corners), faces), mini, pose, friction=1.0, engine=engine, nudge_deg=1.0)
    if engine.name == "bullet":
        assert seen.stays, seen
    assert not seen.rested or seen.rock_deg > 2, seen  # in rapier it may not even come to rest: it does not lie either


@pytest.mark.parametrize("azimuth", [-50.0, 130.0])
def test_a_nudge_to_another_rest_is_not_coming_back(engine: Engine, azimuth: float) -> None:
    # four pegs, one 0.49 mm short: two rests 2.8 degrees apart, each 0.35 mm inside; a tilt of 1.4 takes it across.
    # A swing that ends leaning the right way takes it back again: no proof that it stands
    q, lean_deg = 10.0, 2.8
    short = q * math.sin(math.radians(lean_deg))
    places = [(q, 0.0, 0.0), (-q, 0.0, 0.0), (0.0, q, 0.0), (0.0, -q, -short)]
    tops = field(0.02, 0.04)
    corners = np.vstack([tops[0] + place - (0.0, 0.35, 0.0) for place in places])
    faces = np.vstack([tops[1] + i * len(tops[0]) for i in range(4)])
    mesh = turned((corners, faces), azimuth)
    seen = settle(mesh, Mini("27", height=40, com=14.0), Pose(), friction=1.25, engine=engine)
    assert seen.stays
    assert seen.nudged is False, seen


@pytest.mark.parametrize("tip_deg", [3.0, 9.0])
def test_what_is_expected_of_a_nudge_saves_steps_and_decides_nothing(engine: Engine, tip_deg: float) -> None:
    # a ledge: tip = atan(d/h) towards its edge, that is along 17.3 degrees
    h, edge = 14.0, math.radians(17.3)
    x, y, _ = Pose.at(0, 0, turn=17.3).apply([[-h * math.tan(math.radians(tip_deg)), 3.3, 0.0]])[0]
    rock, moving = Rock(*turned(ledge(200.0), 17.3)), moving_of(Mini("27", height=40.0, com=h))
    seen = [
        settle_moving(rock, moving, Pose.at(x, y), friction=1.25, engine=engine, expected=told)
        for told in (
            UNKNOWN,
            Expected(True, edge),
            Expected(True, edge + 2.0),
            Expected(False, edge),
            Expected(True, None),
        )
    ]
    assert [s.stays for s in seen] == [True] * 5
    assert [s.nudged for s in seen] == [tip_deg > 5.0] * 5
    assert [s.over for s in seen] == [tip_deg < 5.0] * 5
    if tip_deg < 5.0:
        assert seen[1].steps < 0.8 * seen[0].steps


def test_no_nudge_is_made_twice(engine: Engine) -> None:
    rock, moving = Rock(*ledge(200.0)), moving_of(Mini("27", height=40.0, com=14.0))
    watched: Any = importlib.import_module("sim3d.settle")
    run = watched._Run(engine, rock, moving, Pose.at(-1.0, 0.0), 1.25, 5.0, 0.0, 10.0, watched.Settings())
    first = run._lean(0.3, 240, watched.ROCKING, again=False)
    steps = run.steps
    assert steps > 0
    assert run._lean(0.3, 240, watched.ROCKING, again=False) == first
    assert run.steps == steps
    run._lean(0.3, 240, watched.NARROW, again=False)
    assert run.steps > steps


@pytest.mark.parametrize("friction", [0.0, 10.0])
def test_friction_has_no_say_on_the_level(engine: Engine, friction: float) -> None:
    seen = settle(field(30.0, 60.0), Mini("27"), Pose.at(2, 1, turn=8), friction=friction, engine=engine)
    assert seen.stays
    assert seen.nudged
    assert seen.drift_mm < 0.01
    assert seen.rock_deg < 0.1


def test_without_friction_any_slope_slides(engine: Engine) -> None:
    assert not on_slope(engine, 1.0, mu=0.0, h=10.0, pitch=200.0).stays


# --- the rest of the promise ------------------------------------------------------------------------------------------


def test_with_nothing_under_it_it_falls(engine: Engine) -> None:
    seen = settle((np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)), Mini("27"), Pose(), friction=1, engine=engine)
    assert not seen.rested
    assert not seen.stays
    assert seen.nudged is None
    assert "left its place" in seen.why


def test_out_of_time_is_said_and_never_stays(engine: Engine) -> None:
    seen = settle(field(30, 60), Mini("27"), Pose(), friction=1, engine=engine, time_limit_s=0.01)
    assert seen.timed_out
    assert not seen.stays
    assert "did not come to rest within 0.01 s" in seen.why


def test_a_drop_is_flat_and_from_a_height(engine: Engine) -> None:
    level = settle(field(30, 60), Mini("27"), Pose(), friction=1, engine=engine, drop_mm=3.0, nudge_deg=None)
    assert level.stays
    # sqrt(2 h / g) = 25 ms of fall at least, and then rest
    assert level.time_s > 0.025
    clumsy = settle(
        turned(ledge(200.0), 17.3),
        Mini("27", height=40, com=14.0),
        Pose.at(-1.0 * math.cos(math.radians(17.3)), -1.0 * math.sin(math.radians(17.3))),
        friction=1.25,
        engine=engine,
        drop_mm=30.0,
        nudge_deg=None,
    )
    assert clumsy.steps > 0  # whether it survives is the drop's affair: it is told, not judged


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"friction": -1.0}, "friction"),
        ({"friction": math.nan}, "friction"),
        ({"nudge_deg": 60.0}, "nudge_deg"),
        ({"drop_mm": -1.0}, "drop_mm"),
        ({"time_limit_s": 0.0}, "time_limit_s"),
        ({"engine": "havok"}, "no engine is called"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, object], complaint: str) -> None:
    given: dict[str, object] = {"friction": 1.0, **wrong}
    with pytest.raises(ValueError, match=complaint):
        settle(field(30, 60), Mini("27"), Pose(), **given)  # type: ignore[arg-type]


def test_a_pose_is_a_pose() -> None:
    with pytest.raises(ValueError, match="unit quaternion"):
        settle(field(30, 60), Mini("27"), Pose((0, 0, math.nan)), friction=1.0)
    with pytest.raises(ValueError, match="unit quaternion"):
        settle(field(30, 60), Mini("27"), Pose(spin=(2.0, 0, 0, 0)), friction=1.0)


def test_broken_triangles_change_nothing(engine: Engine) -> None:
    # flipped, duplicated, degenerate: the same ground to the last bit
    corners, faces = field(30.0, 7.0, lambda x, y: 0.05 * np.sin(x) * np.cos(y))
    top = float(corners[:, 2].max())
    plain = settle((corners, faces), Mini("27"), Pose((0, 0, top)), friction=1.0, engine=engine, nudge_deg=None)
    worse = np.vstack([faces, faces[:5, ::-1], [[3, 3, 4]], [[7, 8, 7]]])
    again = settle((corners, worse), Mini("27"), Pose((0, 0, top)), friction=1.0, engine=engine, nudge_deg=None)
    assert again.digest == plain.digest
    flipped = settle(
        (corners, faces[:, ::-1]), Mini("27"), Pose((0, 0, top)), friction=1.0, engine=engine, nudge_deg=None
    )
    assert flipped.stays == plain.stays


# --- rest is reproducible ---------------------------------------------------------------------------------------------

CASES = (("27", 1.5, 14.0), ("27", -0.8, 14.0), ("50n", 4.0, 20.0))


def digests(name: str, *, reverse: bool = False) -> dict[tuple[str, float, float], str]:
    chosen = next(e for e in ENGINES if e.name == name)
    order = reversed(CASES) if reverse else CASES
    return {case: on_ledge(chosen, case[1], case[2], pitch=2.0, base=case[0], nudge_deg=5.0).digest for case in order}


def test_the_end_state_is_the_same_to_the_last_bit(engine: Engine) -> None:
    first = digests(engine.name)
    for i in range(50):
        on_ledge(engine, 0.1 * i, 14.0, pitch=200.0)
    assert digests(engine.name, reverse=True) == first
    code = f"from tests.test_settle import digests\nfor case, d in digests({engine.name!r}).items(): print(d)\n"
    home = Path(__file__).parent.parent  # wherever the tests are started from
    fresh = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120, cwd=home
    )
    assert fresh.stdout.split() == list(first.values())


# (engine, its library, its version): the end of a 2 mm drop on a flat, straight along the axes so that no processor's
# way of multiplying matrices shows; a new version of a library may change it, nothing else may
PINNED = {("bullet", "pybullet", "3.2.7"): "1a62b171a62e4aac", ("rapier", "rapier3d", "0.36.1"): "953d3409ba329239"}


@pytest.mark.skipif(sys.platform != "linux" or platform.machine() != "x86_64", reason="pinned on Linux x86_64")
def test_the_pinned_digest(engine: Engine) -> None:
    for (name, library, release), digest in PINNED.items():
        if name == engine.name:
            if version(library) != release:
                pytest.skip(f"pinned for {library} {release}")
            seen = settle(
                field(30, 15), Mini("27", height=40, com=14.0), Pose(), friction=1.0, engine=engine, drop_mm=2.0
            )
            assert seen.digest == digest
