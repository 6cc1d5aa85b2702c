"""The tool as geometry, against the table of measured centre travels, and closed forms of its path and sweep."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim3d.mini import Base
from sim3d.plane import apart_mm, area_mm2, covered, filled, placed
from sim3d.rules.legion import RRG2, Path, Tool, path_of, tool_rings
from sim3d.rules.legion.tool import from_end_mm, notches_of, stand_off_mm
from sim3d.space import Floats

# base: its length in the direction of travel, centre travel of a straight full move at speed 1, 2, 3 (mm)
TABLE = {
    "27": (102, 152, 202),
    "50n": (119, 169, 219),
    "70n": (139, 189, 239),
    "100n": (169, 219, 269),
    "120n": (189, 239, 289),
    "150n": (219, 269, 319),
    "100x175n": (244, 294, 344),
    "100x200n": (269, 319, 369),
}


def laid(base: str, speed: int, bend: float = 0.0, *, kind: str = "standard", start: float = 0.0) -> Path:
    tool = Tool(speed, RRG2.tool_mm(speed), start, bend)
    turn = start - {"standard": 0.0, "reverse": 180.0, "strafe left": 90.0, "strafe right": -90.0}[kind]
    return path_of(tool, Base.named(base), (0.0, 0.0), turn, kind, RRG2)


@pytest.mark.parametrize("base", TABLE)
@pytest.mark.parametrize("speed", [1, 2, 3])
def test_centre_travel_is_the_tables(base: str, speed: int) -> None:
    told = TABLE[base][speed - 1]
    assert laid(base, speed).full_mm == pytest.approx(told, abs=0.01)
    for bend in (30.0, 60.0, 90.0, -45.0):
        # two legs of half the travel each, turned by the bend: end to end it is 2 a cos(bend / 2)
        x, y, turn = laid(base, speed, bend).at(laid(base, speed, bend).full_mm)
        assert math.hypot(x, y) == pytest.approx(told * math.cos(math.radians(bend) / 2), abs=0.01)
        assert turn == pytest.approx(bend if base != "27" else 0.0)


def test_a_reverse_and_a_strafe_keep_their_facing_relative_to_the_tool() -> None:
    back = laid("50n", 2, 30.0, kind="reverse", start=180.0)
    assert (back.at(0)[2], back.at(back.full_mm)[2]) == (0.0, 30.0)
    assert back.at(back.legs_mm[0])[:2] == pytest.approx((-84.5, 0.0))
    side = Base.round(70, notches=["front", "rear", "left", "right"])
    left = path_of(Tool(1, 75.0, 90.0, 20.0), side, (0.0, 0.0), 0.0, "strafe left", RRG2)
    assert left.full_mm == pytest.approx(139.0)
    assert left.at(left.full_mm)[2] == pytest.approx(20.0)


def test_notches_are_seen_and_counted_solid() -> None:
    assert notches_of(Base.named("100x175n")) == (0, 180)
    assert filled(Base.named("50n").outline)[:, 0].max() == pytest.approx(25.0)
    assert from_end_mm(Base.named("100x175n"), 0, RRG2) == pytest.approx(84.5)


def test_prongs_keep_a_wide_base_off_the_hollow() -> None:
    # a prong 7.5 beside the axis is 13.5 - sqrt(13.5² - 7.5²) = 2.275 in front of the hollow's floor
    assert stand_off_mm(13.5, RRG2) == 0.0
    assert stand_off_mm(25.0, RRG2) == pytest.approx(13.5 - math.sqrt(126.0) - (25 - math.sqrt(625 - 56.25)))
    assert laid("50", 2).full_mm == pytest.approx(125 + 50 + 2 * stand_off_mm(25.0, RRG2))


def test_the_tool_lies_between_the_bases() -> None:
    path = laid("27", 2, 40.0)
    rings = tool_rings(Tool(2, 125.0, 0.0, 40.0), path, RRG2)
    ends = [filled(Base.named("27").outline) + path.at(t)[:2] for t in (0.0, path.full_mm)]
    # it hugs both: its straight ring ends 2.275 past the hollow's floor
    assert apart_mm(rings[0], ends[0]) == pytest.approx(-2.275, abs=0.01)
    assert apart_mm(rings[2], ends[1]) == pytest.approx(-2.275, abs=0.01)


def test_the_sweep_of_a_straight_move_is_a_stadium() -> None:
    # pi r² + 2 r d
    path = laid("27", 2)
    assert area_mm2(path.sweep(Base.named("27"), 152.0)) == pytest.approx(math.pi * 13.5**2 + 27 * 152, rel=2e-4)


@settings(max_examples=40, deadline=None)
@given(
    base=st.sampled_from(["27", "50n", "100x175n"]),
    bend=st.floats(-90, 90),
    start=st.floats(0, 360),
    share=st.floats(0.05, 1.0),
    turning=st.booleans(),
)
def test_every_pose_of_a_path_lies_in_its_sweep(
    base: str, bend: float, start: float, share: float, turning: bool
) -> None:
    path = laid(base, 2, bend, start=start)
    body = Base.named(base)
    swept = path.sweep(body, share * path.full_mm, turning=turning)
    rings = [placed(filled(body.outline), x, y, t) for x, y, t, _ in path.poses(share * path.full_mm, turning=turning)]
    assert covered(swept, rings[::5], within_mm=0.01)


@settings(max_examples=40, deadline=None)
@given(base=st.sampled_from(["27", "50n", "100n"]), bend=st.floats(-90, 90), start=st.floats(0, 360))
def test_a_full_move_reversed_stays_within_the_swept_area(base: str, bend: float, start: float) -> None:
    body = Base.named(base)
    path = laid(base, 2, bend, start=start)
    x, y, turn = path.at(path.full_mm)
    kind = "reverse" if notches_of(body) else "standard"
    back = path_of(Tool(2, 125.0, start + bend + 180.0, -bend), body, (x, y), turn, kind, RRG2)
    assert back.full_mm == pytest.approx(path.full_mm)
    assert back.at(back.full_mm)[:2] == pytest.approx((0.0, 0.0), abs=1e-6)
    assert covered(path.sweep(body, path.full_mm), back.sweep(body, back.full_mm), within_mm=0.01)


# --- how far a tool goes ----------------------------------------------------------------------------------------------


def hollow_mm(aside: float) -> float:
    """How far a tool's end reaches forward beside its middle line: its hollow is an arc of radius 13.5."""
    return 13.5 - math.sqrt(13.5**2 - aside**2)


@pytest.mark.parametrize(
    ("base", "turn", "half"),
    [
        ("60x35", 0.0, 30.0),  # it curves more than the hollow: touched in the middle
        ("60x35", 90.0, 17.5 * math.sqrt(1 - 7.5**2 / 30**2) + hollow_mm(7.5)),  # the prongs touch it
        ("rect50x25", 0.0, 25.0 + hollow_mm(7.5)),  # prongs on a straight side
        ("rect50x25", 90.0, 12.5 + hollow_mm(7.5)),
    ],
)
def test_a_tool_is_flush_with_the_outline_that_a_base_has(base: str, turn: float, half: float) -> None:
    path = path_of(Tool(1, 75.0, 0.0), Base.named(base), (0.0, 0.0), turn, "standard", RRG2)
    assert path.full_mm == pytest.approx(75.0 + 2 * half, abs=0.002)


@pytest.mark.parametrize("base", ["60x35", "rect50x25", "90x52", "50"])
def test_a_flush_tool_touches_and_does_not_overlap(base: str) -> None:
    aside = np.linspace(-7.5, 7.5, 1501)
    for side in (0.0, 20.0, 33.0, 45.0, 70.0, 90.0, 137.5, 300.0):
        ring = placed(filled(Base.named(base).outline), 0.0, 0.0, -side)
        gaps = from_end_mm(Base.named(base), side, RRG2) - np.array([hollow_mm(v) for v in aside]) - far_mm(ring, aside)
        assert gaps.min() == pytest.approx(0.0, abs=0.01)


def far_mm(ring: Floats, aside: Floats) -> Floats:
    """How far a convex ring reaches along x on lines beside the axis; -inf where it does not."""
    out = np.full(len(aside), -math.inf)
    for (x0, y0), (x1, y1) in zip(ring, np.roll(ring, -1, axis=0), strict=True):
        if y0 != y1:
            share = (aside - y0) / (y1 - y0)
            on = (share >= 0) & (share <= 1)
            out[on] = np.maximum(out[on], x0 + share[on] * (x1 - x0))
    return out


def test_round_and_notched_bases_keep_their_ways() -> None:
    assert from_end_mm(Base.named("27"), 12.0, RRG2) == pytest.approx(13.5)
    assert from_end_mm(Base.named("50"), 12.0, RRG2) == pytest.approx(25.0 + stand_off_mm(25.0, RRG2))
    assert from_end_mm(Base.named("50n"), 180.0, RRG2) == pytest.approx(22.0)
