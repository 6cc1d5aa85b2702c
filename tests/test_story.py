"""What is shown is what was found: figures against the laws they illustrate, stories, tracks, the teller."""

from __future__ import annotations

import io
import json
import math
import struct
from pathlib import Path

import numpy as np
import pytest

from sim3d.engine import Rock, moving_of
from sim3d.finding import Report
from sim3d.mini import Mini
from sim3d.report.running import Ran, running_text
from sim3d.rules.hexes import Outcome as HexOutcome
from sim3d.scenario import Result, play_scenario, read_scenario
from sim3d.settle import settle, settle_moving
from sim3d.solid import read_solid
from sim3d.space import Pose
from sim3d.stand import stand
from sim3d.table import Placed, Table
from sim3d.view.figures import figure_of, released, thinned
from sim3d.view.model import glb_of_scene
from sim3d.view.plainer import clustered, plainer
from sim3d.view.scene import FORCE_MM, Figure, Moment, Story, Timed
from sim3d.view.story import story_of
from sim3d.view.viewer import Teller, tell

ROOT = Path(__file__).parent.parent
SCENARIOS = ROOT / "scenarios"
FENN = Mini("27", com=15)


def played(name: str) -> Result:
    return play_scenario(read_scenario(SCENARIOS / f"{name}.toml"), physics="never")


def asked_figures(name: str) -> list[Figure]:
    story = story_of(played(name), moving=False)
    figures = [m.scene.figure(m.scene.focus) for m in story.moments[1:]]
    return [f for f in figures if f.rests and f.stand is not None and f.stand.friction_needed is not None]


def to_border_mm(point: tuple[float, ...], ring: tuple[tuple[float, ...], ...]) -> float:
    """How far inside the lines of a convex ring a point lies, seen from above; negative outside."""
    corners = np.array(ring)[:, :2]
    sides = np.roll(corners, -1, axis=0) - corners
    normals = np.column_stack([-sides[:, 1], sides[:, 0]]) / np.hypot(*sides.T)[:, None]
    return float((((np.array(point[:2]) - corners) * normals).sum(axis=1)).min())


# --- figures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["stand/ledge", "stand/pegs", "stand/slope", "stand/pack-hill"])
def test_the_margin_is_the_way_from_the_ground_point_to_the_border_of_the_support(name: str) -> None:
    figures = [f for f in asked_figures(name) if f.stand and f.stand.margin_mm is not None and len(f.support) > 2]
    assert figures
    for figure in figures:
        assert figure.stand is not None
        # the border's arcs are a polygon here, a micron true; margin_mm knows them exactly
        assert to_border_mm(figure.com, figure.support) == pytest.approx(figure.stand.margin_mm, abs=0.02)


@pytest.mark.parametrize("name", ["stand/ledge", "stand/pegs", "stand/slope", "stand/rails"])
def test_the_arrows_carry_the_weight(name: str) -> None:
    for figure in asked_figures(name):
        held = figure.stand is not None and figure.word in ("stable", "precarious")
        if held:  # forces balance the weight: their sum is one, straight up
            total = np.sum([force.share for force in figure.forces], axis=0)
            assert total == pytest.approx([0, 0, 1], abs=1e-6)
            for force in figure.forces:
                long = math.dist(force.place, force.tip)
                assert long == pytest.approx(FORCE_MM * math.hypot(*force.share), abs=1e-9)


def test_the_ground_point_lies_under_the_centre_of_mass_on_the_leaning_base() -> None:
    (figure, *_) = [f for f in asked_figures("stand/slope") if ((f.stand and f.stand.tilt_deg) or 0) > 5]
    x, y, z = figure.ground_point
    assert (x, y) == figure.com[:2]
    local = figure.pose.inverse().apply([[x, y, z]])[0]
    assert abs(local[2]) < 1e-9


def test_what_has_no_rest_hovers_over_its_place() -> None:
    story = story_of(played("stand/ledge"), moving=False)
    figure = story.moments[6].scene.figure("Fenn")
    assert (figure.word, figure.rests, figure.support) == ("topples", False, ())
    assert figure.pose.place[2] > 30 + 5


# --- tracks -----------------------------------------------------------------------------------------------------------


def test_a_track_is_what_the_engine_saw_and_changes_nothing_for_who_asks_for_none() -> None:
    crate = read_solid(ROOT / "meshes" / "gallery" / "crate.stl", unit="mm")
    mini = FENN
    pose = Pose.at(37.0, 0.0, 30.0)
    ground = Rock(crate.vertices, crate.faces)
    without = settle(ground, mini, pose, friction=1.25)
    seen = settle_moving(ground, moving_of(mini), pose, friction=1.25, track=True)
    assert without.track == ()
    assert (without.stays, without.nudged) == (seen.stays, seen.nudged) == (True, True)
    times = [time for time, _ in seen.track]
    assert times == sorted(times)
    assert times[-1] == pytest.approx(seen.time_s)
    assert math.dist(seen.track[0][1].place, pose.place) < 0.05
    assert settle(ground, mini, pose, friction=1.25).digest == without.digest


def test_a_mini_over_the_edge_falls_and_one_inside_stays() -> None:
    crate = read_solid(ROOT / "meshes" / "gallery" / "crate.stl", unit="mm")
    table, mini = Table.of(crate), FENN
    over = stand(table, mini, at=(41.0, 0.0), physics="never")
    inside = stand(table, mini, at=(30.0, 0.0), physics="never")
    fell, kept = released(table, "Fenn", over), released(table, "Fenn", inside)
    assert fell is not None
    assert kept is not None
    assert fell.track[-1].pose.place[2] < 20
    assert all(math.dist(one.pose.place, (30, 0, 30)) < 0.1 for one in kept.track)
    dropped = released(table, "Fenn", inside, drop_mm=20.0)
    assert dropped is not None
    assert dropped.track[0].pose.place[2] > 48
    assert dropped.track[-1].pose.place[2] == pytest.approx(30, abs=0.1)
    assert released(table, "Fenn", stand(Table(floor_mm=None), mini, at=(0, 0), physics="never")) is None


def test_a_thinned_track_keeps_its_ends_and_when_it_began_to_move() -> None:
    still = [Timed(0.1 * k, Pose()) for k in range(50)]
    moved = [Timed(5.0 + 0.1 * k, Pose.at(k + 1.0, 0)) for k in range(5)]
    kept = thinned((*still, *moved))
    assert [one.time_s for one in kept[:2]] == [0.0, pytest.approx(4.9)]
    assert kept[2:] == tuple(moved)
    assert len(thinned(tuple(still))) == 2


# --- stories ----------------------------------------------------------------------------------------------------------


def test_run_and_every_viewer_have_one_teller() -> None:
    result = played("stand/ledge")
    out = io.StringIO()
    tell(story_of(result, moving=False), Teller(out))
    listed = running_text([Ran("ledge", result, Report())]).splitlines()[1:-2]
    lines = out.getvalue().splitlines()
    assert len(listed) == 6
    assert [line for line in listed if line not in lines] == []


def test_a_viewer_that_looks_away_is_told_no_more_and_is_closed() -> None:
    class Glance:
        def __init__(self) -> None:
            self.heard: list[str] = []

        def open(self, story: Story) -> None:
            self.heard.append("open")

        def moment(self, moment: Moment) -> bool:
            self.heard.append(moment.told.title)
            if moment.told.number == 2:
                raise RuntimeError("broken")
            return moment.told.number < 1

        def close(self) -> None:
            self.heard.append("close")

    story = story_of(played("stand/ledge"), moving=False)
    glance = Glance()
    tell(story, glance)
    assert glance.heard == ["open", "as it is set up", "1. Fenn: precarious", "close"]
    broken = Glance()
    with pytest.raises(RuntimeError, match="broken"):
        tell(Story("", "", story.moments[2:]), broken)
    assert broken.heard[-1] == "close"


def test_a_move_is_shown_along_the_poses_that_the_rules_looked_at() -> None:
    result = played("legion/setpieces/walker-through-two-units")
    _, tried, made, _ = story_of(result, moving=False).moments
    assert [m.told.word for m in (tried, made)] == ["not legal", "legal"]
    motion = next(m for m in made.motions if m.figure == "Grinder")
    end = made.scene.figure("Grinder").pose
    assert motion.track[-1].pose == end
    assert motion.track[0].pose.place[1] == pytest.approx(-400)
    assert {a.layer for a in made.scene.areas} == {"swept", "tool"}
    back = {m.figure for m in made.motions} - {"Grinder"}
    assert back == {"Mott", "Knox"}, "those who were put back elsewhere"


def test_tokens_lie_on_what_is_under_them() -> None:
    story = story_of(played("legion/movement/mv13-bites"), moving=False)
    for moment in story.moments:
        lying = [area for area in moment.scene.areas if area.layer == "tokens"]
        assert len(lying) == len(moment.scene.table.tokens) > 0
        for area, token in zip(lying, moment.scene.table.tokens, strict=True):
            assert np.ptp(area.rings[0], axis=0) == pytest.approx([token.diameter_mm] * 2, abs=0.1)
            assert area.rings[0].mean(axis=0) == pytest.approx(token.at, abs=0.01)


def test_a_board_of_hexes_is_shown_level_by_level() -> None:
    result = played("hexes/terrain/hx13-under-the-bridge")
    first, under, *_ = story_of(result, moving=False).moments
    outcome = result.played[0].outcome
    assert isinstance(outcome, HexOutcome)
    assert len(first.scene.hexes) == len(outcome.board.hexes)
    assert under.scene.figure("Mara").pose.place == pytest.approx((0, 0, 0), abs=0.1)
    assert under.scene.figure("Oda").pose.place[2] > 50
    assert {h.name for h in first.scene.hexes if "Guard" in h.zones}
    assert all(area.layer == "reach" for area in under.scene.areas)


# --- meshes to look at ------------------------------------------------------------------------------------------------


def test_meshes_are_made_plainer_until_they_are_few_and_by_no_more_than_is_said() -> None:
    hill = read_solid(ROOT / "meshes" / "pack" / "hill.ply")
    crate = read_solid(ROOT / "meshes" / "gallery" / "crate.stl", unit="mm")
    assert plainer([crate]) == ([(crate.vertices, crate.faces)], 0.0)
    (plain, same), off = plainer([hill, crate], 20_000)
    assert len(plain[1]) + len(same[1]) <= 20_000
    assert same[1] is crate.faces
    assert 0 < off <= 0.5
    lost = np.abs(np.ptp(plain[0], axis=0) - np.ptp(hill.vertices, axis=0)).max()
    assert lost <= 2 * off


def test_a_surface_without_an_inside_is_made_plainer_too() -> None:
    x, y = (v.ravel() for v in np.meshgrid(np.linspace(0, 50, 120), np.linspace(0, 50, 120)))
    n = np.arange(120 * 120).reshape(120, 120)
    a, b, c, d = (v.ravel() for v in (n[:-1, :-1], n[:-1, 1:], n[1:, 1:], n[1:, :-1]))
    sheet = (
        np.column_stack([x, y, np.sin(x)]),
        np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])]),
    )
    vertices, faces = clustered(sheet, 2.0)
    assert 100 < len(faces) < len(sheet[1]) / 3
    assert faces.max() < len(vertices)


def parts_of_glb(data: bytes) -> tuple[dict[str, object], bytes]:
    magic, version, length = struct.unpack_from("<4sII", data)
    assert (magic, version, length) == (b"glTF", 2, len(data))
    size, _ = struct.unpack_from("<II", data, 12)
    told: dict[str, object] = json.loads(data[20 : 20 + size])
    return told, data[28 + size :]


def test_a_glb_says_its_colours_in_linear_light_on_a_matt_surface_seen_from_both_sides() -> None:
    story = story_of(played("stand/ledge"), moving=False)
    data = glb_of_scene(story.moments[1].scene)
    told, bulk = parts_of_glb(data)
    (material,) = told["materials"]  # type: ignore[misc]
    assert material["doubleSided"] is True
    assert material["pbrMetallicRoughness"]["metallicFactor"] == 0.0
    assert [node["name"] for node in told["nodes"]] == ["crate", "table", "Fenn base", "Fenn body"]  # type: ignore[attr-defined]
    body = told["meshes"][3]["primitives"][0]  # type: ignore[index]
    accessor = told["accessors"][body["attributes"]["COLOR_0"]]  # type: ignore[index]
    view = told["bufferViews"][accessor["bufferView"]]  # type: ignore[index]
    first = np.frombuffer(bulk, "<u2", 4, view["byteOffset"]) / 65535
    # precarious is (0.93, 0.66, 0.14) on a screen: ((v + 0.055) / 1.055) ** 2.4
    assert first == pytest.approx([0.849, 0.393, 0.0176, 1.0], abs=2e-3)
    assert glb_of_scene(story.moments[1].scene) == data


def test_a_figure_without_a_question_is_where_it_rests() -> None:
    crate = read_solid(ROOT / "meshes" / "gallery" / "crate.stl", unit="mm")
    figure = figure_of(Table.of(crate), Placed("Fenn", FENN, (0, 0)))
    assert (figure.word, figure.pose.place[2], figure.forces) == ("", 30.0, ())
