"""Placements on which the two witnesses once disagreed, each with its cause: they agree, and stay so."""

from __future__ import annotations

import math
import runpy
import sys
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from sim3d.check import check
from sim3d.ground import ground_of
from sim3d.mini import Mini
from sim3d.scenario import play_scenario, read_scenario
from sim3d.settle import BANDS, settle
from sim3d.solid import read_solid
from sim3d.stand import limits_near, stand
from sim3d.statics import Rest
from sim3d.statics.rest import case_of
from sim3d.table import Placed, Table

PACK = Path(__file__).parent.parent / "meshes" / "pack"
GRIPS = 3.0  # friction: it does not slide
STAND = PACK.parent.parent / "scenarios" / "stand"
ENGINES = (("bullet", "pybullet"), ("rapier", "rapier3d"))


@lru_cache(maxsize=8)
def table_of(name: str) -> Table:
    return Table.of(read_solid(PACK / name))


@pytest.mark.parametrize(("engine", "library"), ENGINES)
@pytest.mark.parametrize(
    ("mesh", "at", "turn", "tip"),
    [
        # over a ridge 0.7 mm beside the centre of mass
        ("shuttle-ramp.stl", (-29.302330, 33.266787), 179.975181, 1.30),
        ("broken-walls.stl", (45.372310, -36.520255), 256.640495, 1.34),
        # to another rest 2.6 degrees away, from which a swing takes it back
        ("bridge.stl", (44.946, -3.3697), 79.88, 1.949),
    ],
)
def test_a_base_that_a_small_tilt_takes_away_is_precarious(
    engine: str, library: str, mesh: str, at: tuple[float, float], turn: float, tip: float
) -> None:
    pytest.importorskip(library)
    seen = stand(table_of(mesh), Mini("50n"), at=at, turn=turn, engine=engine)
    assert (seen.answer, seen.decided_by) == ("precarious", ("statics", "settle")), seen.why
    assert seen.tip_deg == pytest.approx(tip, abs=0.01)


@pytest.mark.parametrize("name", ["ridge", pytest.param("pack-hill", marks=pytest.mark.slow)])
def test_a_base_that_touches_in_many_places_comes_to_rest_again(name: str) -> None:
    # Bullet keeps four contacts between two bodies: a fifth put out one that carried, and it rocked on
    pytest.importorskip("pybullet")
    result = play_scenario(read_scenario(STAND / f"{name}.toml"), engine="bullet", physics="always")
    assert result.ok, [step.stand.why for step in result.played if step.stand is not None]


@pytest.mark.parametrize(
    ("mesh", "base", "at", "turn"),
    [
        ("dome-fine.stl", "50n", (6.52650980164875, 0.7822175398290963), 60.13513243236107),
        ("dome-medium.stl", "27", (-10.543933737666727, 4.835808511306173), 239.09479397088282),
    ],
)
def test_a_base_on_a_small_face_does_not_creep_round(
    mesh: str, base: str, at: tuple[float, float], turn: float
) -> None:
    # all of its contacts within 2 mm: what 50 rounds of Bullet's solver left of its speed turned it by a degree in 2 s
    pytest.importorskip("pybullet")
    dome = Table.of(read_solid(PACK.parent / "gallery" / mesh))
    seen = stand(dome, Mini(base), at=at, turn=turn, engine="bullet")
    assert (seen.answer, seen.decided_by) == ("precarious", ("statics", "settle")), seen.why


def test_where_the_rim_slips_off_a_level_rest_a_steeper_one_is_found() -> None:
    # from level the pose is sought in circles: on the crest it leans so far that its rim is no longer over the crest
    seen = stand(table_of("hill.ply"), Mini("27"), at=(-58.439286, 74.772831), turn=359.394795, physics="never")
    assert seen.answer == "stable", seen.why
    assert seen.tilt_deg == pytest.approx(28.905, abs=1e-3)
    assert len(seen.contacts) == 3
    # it rolls along a crest on its rim, always back again: steps too coarse lost a contact there and saw it go at 2.2;
    # over the edges of its contacts it is 10.9, but between two of them, towards 149 degrees, it is easier
    assert seen.tip_deg == pytest.approx(9.2718, abs=1e-3)  # the same with steps and bands a tenth as large
    assert seen.rock_deg == pytest.approx(6.2626, abs=1e-3)


@pytest.mark.parametrize(("engine", "library"), ENGINES)
@pytest.mark.parametrize(
    ("mesh", "base", "at", "turn", "by_hand"),
    [
        ("pack/broken-walls.stl", "27", (43.0, -23.0), 0.0, True),  # level it is 0.7 mm over a wall
        ("pack/barricade-bags.obj", "25", (-43.769, 12.036), 280.78, True),
        ("gallery/pegs-6.stl", "25", (15.989, -14.507), 45.53, True),
        ("pack/stairs.stl", "27", (24.0, 0.0), 0.0, False),
    ],
)
def test_what_would_not_come_to_lean_so_by_itself_has_to_be_leant_there_by_hand(
    engine: str, library: str, mesh: str, base: str, at: tuple[float, float], turn: float, by_hand: bool
) -> None:
    """The word is that of its pose; let go level on the highest of what is under it, an engine sees where it goes."""
    pytest.importorskip(library)
    table, mini = Table.of(read_solid(PACK.parent / mesh)), Mini(base)
    told = stand(table, mini, at=at, turn=turn, physics="never")
    assert (told.answer, told.by_hand, told.as_dict().get("by_hand", False)) == ("stable", by_hand, by_hand)
    assert told.tilt_deg is not None
    assert told.tilt_deg > 10.0
    assert ("lean it there by hand" in told.why) == by_hand
    case = case_of(ground_of(table), mini, at=at, turn=turn, level=None)
    level, patch = case.level_pose(), case.patch
    assert level is not None
    there = patch.tris.reshape(-1, 3) + np.array([patch.x, patch.y, patch.z])
    rock = (there, np.arange(len(there)).reshape(-1, 3))
    went = settle(rock, mini, level, friction=GRIPS, engine=engine, nudge_deg=None, track=True)
    _, x, y, _ = went.pose.spin
    leans = math.degrees(math.acos(1 - 2 * (x * x + y * y)))
    assert leans > 80.0 if by_hand else leans == pytest.approx(told.tilt_deg, abs=1.0)


def test_where_there_is_no_room_no_hand_is_asked_for() -> None:
    mini, at = Mini("27"), (43.0, -23.0)
    free = Table.of(read_solid(PACK / "broken-walls.stl"))
    taken = replace(free, minis=(Placed("Oda", mini, (43.0, -10.0)),))
    for table, answer, by_hand in ((free, "stable", True), (taken, "blocked", False)):
        told = stand(table, mini, at=at, physics="never")
        assert (told.answer, told.by_hand, "by hand" in told.why) == (answer, by_hand, by_hand)


def test_a_balance_on_one_point_of_the_rim_is_no_rest() -> None:
    # leaning 41 degrees on the floor its centre of mass is right over the rim: an equilibrium, for no time at all
    table = table_of("stairs.stl")
    seen = stand(table, Mini("27"), at=(56.264315, -21.789730), turn=313.564936, physics="never")
    assert (seen.answer, seen.pose) == ("topples", None)
    check(seen, table)


@pytest.mark.parametrize(
    ("mesh", "at"),
    [
        ("ruin.stl", (87.687029, -36.084180)),
        ("stairs.stl", (55.134226, 21.383127)),
        ("bridge.stl", (-25.673818, 22.659099)),
        ("rocks.ply", (-39.498245, -38.665070)),
    ],
)
def test_where_no_pose_is_found_and_a_way_over_is_proven_it_topples(mesh: str, at: tuple[float, float]) -> None:
    # its rim slips off what carries it; what it would lean on then stands beside it
    table = table_of(mesh)
    seen = stand(table, Mini("27"), at=at, physics="never")
    assert (seen.answer, seen.pose) == ("topples", None)
    check(seen, table)
    assert stand(table, Mini("27"), at=at, physics="never", brief=True).answer == "topples"


@pytest.mark.parametrize(
    ("mesh", "at"),
    [
        ("domed-house.stl", (52.221924, 18.578176)),
        ("ruin.stl", (6.343971, 55.408837)),  # at 17 degrees on its way what it touches lies exactly at its rim
        ("stairs.stl", (59.778003, 37.784335)),  # at 0.04 degrees it touches two places at once
    ],
)
def test_where_no_pose_is_found_and_no_way_over_is_sure_nothing_is_said(mesh: str, at: tuple[float, float]) -> None:
    seen = stand(table_of(mesh), Mini("27"), at=at, physics="never")
    assert (seen.answer, seen.pose) == ("undecided", None)
    assert "its rim slips off" in seen.why


def test_what_is_near_which_limit() -> None:
    bullet, rapier = BANDS["bullet"], BANDS["rapier"]
    firm = {"tip_deg": 20.0, "tilt_deg": 10.0, "friction_needed": 0.2, "barrier_mm": 1.0, "rock_deg": 0.0}

    def near(band: object, **other: float) -> tuple[str, ...]:
        return limits_near(Rest("rests", **(firm | other)), 14.0, 1.25, band)  # type: ignore[arg-type]

    assert near(bullet) == near(rapier) == ()
    assert near(bullet, tip_deg=4.6) == ("nudge",)
    assert near(bullet, tip_deg=math.degrees(math.atan(0.09 / 14)), tilt_deg=0.0) == ("edge",)
    assert near(bullet, tip_deg=0.45) == ("slope",)
    assert near(bullet, friction_needed=1.24) == ("friction",)
    assert near(bullet, barrier_mm=0.0009) == ("barrier",)
    assert near(bullet, rock_deg=1.0) == ()
    assert near(rapier, rock_deg=1.0) == ("rolling",)
    assert near(bullet, rock_deg=1.9) == ()  # near the 2 degrees that count as come back: a contradiction is undecided
    assert limits_near(Rest("topples"), 14.0, 1.25, bullet) == ()
    assert limits_near(Rest("topples", near_limit=True), 14.0, 1.25, bullet) == ("edge",)


def test_the_benchmark_of_witnesses_asks_both_about_each_of_its_placements(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rapier3d")
    verb = sys.modules[stand.__module__]
    monkeypatch.setattr(verb, "solved", verb.solved)  # the benchmark remembers statics in its place
    bench = runpy.run_path(str(PACK.parent.parent / "benchmarks" / "witnesses.py"))
    crate = PACK.parent / "gallery" / "crate.stl"
    rows = list(bench["judged"]([bench["Job"](crate, 1.0, "27", k, 1) for k in range(4)], ["rapier"]))
    assert [row["engines"]["rapier"]["agree"] for row in rows if row["statics"] == "stable"] == [True] * 4
    assert "rapier" in "\n".join(bench["report"](rows))
