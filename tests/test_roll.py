"""A base that rolls: what stops it, at which angle, and what only stands beside it or over it."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sim3d.mini import Mini
from sim3d.space import Floats
from sim3d.statics.near import loose
from sim3d.statics.rest import foot_of
from sim3d.statics.roll import NEVER, first_touch, turned

FRAME = np.vstack([np.zeros(3), np.eye(3)])  # level, its middle at the origin
ALONG_Y = np.array([[8.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])  # at x = 8, outward along x
HALF = math.sqrt(0.5)
ASKEW = np.array([[15.0, 0.0, 0.0], [HALF, HALF, 0.0], [-HALF, HALF, 0.0]])  # out over the long side, at its middle
SLACK_MM = 1e-4
ROOT = Path(__file__).parents[1]


def touch(*corners: tuple[float, float, float], axis: Floats = ALONG_Y) -> float:
    """The angle at which the rectangle base 30x20 (x to 15, y to 10) first meets a triangle."""
    tris = np.array([corners], dtype=float)
    spans: Floats = np.linalg.norm(tris[:, 1:] - tris[:, :1], axis=2).max(axis=1)
    return float(first_touch(loose(tris, spans), FRAME, axis, foot_of(Mini("rect30x20").base), SLACK_MM, 1.5)[0])


@pytest.mark.parametrize("depth", [0.5, 2.0, 5.0])
def test_a_corner_below_it_stops_it_where_it_comes_to_lie(depth: float) -> None:
    angle = touch((12.0, 0.0, -depth), (12.0, 1.0, -20.0), (13.0, 1.0, -20.0))
    assert angle == pytest.approx(math.atan2(depth, 4.0), abs=1e-9)


def test_a_corner_that_its_rim_passes_by_stops_nothing() -> None:
    assert math.hypot(6.9, 3.0) > 7.0  # so far before the axis it lies when the plane reaches it: beside the base
    assert touch((14.9, 0.0, -3.0), (30.0, 1.0, -20.0), (30.0, -1.0, -20.0)) == NEVER


@pytest.mark.parametrize("up", [0.5, 3.0, 8.0])
def test_what_rises_beside_it_stops_nothing(up: float) -> None:
    # an edge up from the end of the axis, beside the base: were it as far out as it is from the axis, it would be under
    top = (15.0 + 0.1 * up, 0.3 * up, up)
    assert touch((15.0, 0.0, 0.0), top, (40.0, 0.0, up), axis=ASKEW) == NEVER
    assert touch((15.1, 0.0, -5.0), top, (40.0, 0.0, up), axis=ASKEW) > 1.0  # there it lies on what goes down from it


def test_what_stands_high_over_it_stops_nothing() -> None:
    assert touch((10.0, 0.0, 20.0), (14.0, 2.0, 25.0), (14.0, -2.0, 25.0)) == NEVER


@pytest.mark.parametrize("base", ["27", "50n", "100x175n", "60x35", "stadium100x50-left-right"])
@pytest.mark.parametrize("seed", range(6))
def test_a_rim_that_comes_down_on_a_face_sinks_in_evenly_however_the_face_is_cut(base: str, seed: int) -> None:
    """A base of several arcs that met a corner first sank in; depth was told along the face, not along the base."""
    rng, slack = np.random.default_rng(seed), 2e-3
    foot, outline = foot_of(Mini(base).base), Mini(base).base.outline
    rim = np.array(outline.polygon(1e-5))
    gx, gy = rng.uniform(-0.15, 0.15, 2)
    normal = np.array([-gx, -gy, 1.0]) / math.sqrt(1.0 + gx * gx + gy * gy)
    below = float(np.max(gx * rim[:, 0] + gy * rim[:, 1])) + rng.uniform(0.5, 3.0)  # all of it under the base
    towards = rng.uniform(0.0, 2.0 * math.pi)
    out = np.array([math.cos(towards), math.sin(towards), 0.0])
    axis = np.array([0.1 * out * foot.reach_mm, [-out[1], out[0], 0.0], out])

    def met(*triangles: list[Floats]) -> tuple[float, float]:
        tris = np.array(triangles)
        spans: Floats = np.linalg.norm(tris[:, 1:] - tris[:, :1], axis=2).max(axis=1)
        exact, deep = first_touch(loose(tris, spans), FRAME, axis, foot, slack, 1.2)
        return float(exact), float(deep)

    def on_face(angle: float) -> Floats:
        x, y = 900.0 * math.cos(angle), 900.0 * math.sin(angle)
        return np.array([x, y, gx * x + gy * y - below])

    corners = [on_face(towards + 2.0 * math.pi * k / 3) for k in range(3)]
    _, deep = met(corners)
    assert deep < NEVER
    frame = turned(FRAME, axis, deep)
    places = frame[0] + rim[:, :1] * frame[1] + rim[:, 1:] * frame[2]
    depths = (-below * normal[2] - places @ normal) / float(normal @ frame[3])
    assert depths.max() == pytest.approx(slack, abs=2e-5)
    inside = on_face(towards + 1.0) * 0.04 + np.array([0.0, 0.0, -below * 0.96])
    parts = [[corners[k], corners[(k + 1) % 3], inside] for k in range(3)]
    assert met(*parts)[1] == pytest.approx(deep, rel=1e-9)


def told_ahead(*words: str) -> list[dict[str, Any]]:
    """What is told of some places, by loops as they are written: so they can be watched."""
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(
        [sys.executable, "-m", "tests.ahead", *words], cwd=ROOT, env=env, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def agrees(place: dict[str, Any]) -> bool:
    """Whether the steps told ahead of a place are those that would be taken."""
    return place["kind"] == 0.0 and max(place["angle"], place["pose"], place["contacts"]) < 1e-9


def is_held_indeed(place: dict[str, Any]) -> bool:
    """Whether who is said to be held goes over in none of the directions tried."""
    return not place["held"] or min(place["tip"], place["tried"]) > 5.26


@pytest.fixture(scope="module")
def ahead() -> list[dict[str, Any]]:
    return told_ahead()


def test_steps_told_ahead_are_those_that_would_be_taken_one_by_one(ahead: list[dict[str, Any]]) -> None:
    """Rolling on the same two places, a rim's steps are told without a look around: not past a peg that stops it."""
    assert sum(place["told"] > 100 for place in ahead) >= 2
    for place in ahead:
        assert agrees(place), place


def test_who_is_held_whichever_way_it_leans_goes_over_in_none_of_the_directions_tried(
    ahead: list[dict[str, Any]],
) -> None:
    assert sum(place["held"] for place in ahead) == 2
    assert sum(not place["held"] for place in ahead) == 1
    for place in ahead:
        assert is_held_indeed(place), place


def test_no_direction_tried_is_easier_than_the_tip(ahead: list[dict[str, Any]]) -> None:
    assert sum(place["tip"] < 10.25 for place in ahead) >= 3
    for place in ahead:
        assert place["tip"] <= place["tried"] + 1e-4, place


def test_a_way_home_of_another_base_leads_nobody_home(ahead: list[dict[str, Any]]) -> None:
    for place in ahead:
        assert place["again"] == place["held"], place


@pytest.mark.slow
def test_all_of_that_holds_where_many_steps_are_taken() -> None:
    places = told_ahead("dear")
    assert len(places) == 7
    assert max(place["told"] for place in places) > 1000
    assert sum(place["told"] > 100 for place in places) >= 4
    assert any(place["tip"] < place["tried"] - 1e-3 for place in places)
    for place in places:
        assert agrees(place), place
        assert is_held_indeed(place), place
        assert place["tip"] <= place["tried"] + 1e-4, place
        assert place["again"] == place["held"], place
