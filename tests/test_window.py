"""The window: a real one on a screen in memory, driven by clicks and keys; and its logic with a stand-in for Bullet."""

from __future__ import annotations

import importlib.util
import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sim3d.engine.glass import Closed, Glass, Hand, NoGlass, Slider
from sim3d.scenario import parse_scenario, play_scenario, read_scenario
from sim3d.space import Pose
from sim3d.view.handling import Ask, asked, nearest_edge
from sim3d.view.scene import Motion, Story, Timed
from sim3d.view.stage import GHOST
from sim3d.view.story import story_of
from sim3d.view.viewer import tell
from sim3d.view.window import (
    BACK,
    DROP,
    FORCES,
    MAP,
    NEXT_FILE,
    NEXT_MINI,
    NEXT_STEP,
    NUDGED,
    ONE,
    OVER,
    PACE,
    PAUSE,
    SETTLE,
    Window,
    X,
    Y,
)
from tests.chromium import needed
from tests.quiet import quiet
from tests.screen import Screen, screen, until
from tests.test_picture import decoded

ROOT = Path(__file__).parent.parent
CRATE = ROOT / "meshes" / "gallery" / "crate.stl"  # 80 by 80 mm, its edge at x = 40

CRATE_MM, TALL_MM = 30.0, 40.5  # the height of the crate; of a 27 mm mini of which nothing is said

SCENARIO = f"""
about = "A mini in the middle of a crate, and one at its edge."
[[piece]]
mesh = "{CRATE.as_posix()}"
[[mini]]
name = "Fenn"
base = "27"
com = 14
at = [0, 0]
[[mini]]
name = "Gale"
base = "27"
com = 14
at = [-15, -26]
[[step]]
stand = "Fenn"
"""


def told(text: str = SCENARIO, *, moving: bool = False) -> Story:
    return story_of(play_scenario(parse_scenario(text), physics="never"), moving=moving)


# --- the real window --------------------------------------------------------------------------------------------------

CARD_STRIPE = (264, 60)  # the left border of the card: the colour of the word
SLIDER_OVER, SLIDER_Y = (1051, 1246), 238  # the fourth slider: its ends, its height on the screen
BUTTONS_Y, BUTTON_PX = 436, 22  # buttons follow eight sliders


@pytest.fixture(scope="module")
def shown() -> Iterator[Screen]:
    needed("pybullet", importlib.util.find_spec("pybullet") is not None)
    with screen() as one:
        yield one


def started(shown: Screen, *words: str, cwd: Path) -> subprocess.Popen[str]:
    env = {**shown.env, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "sim3d", "show", *words],
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def processes_of(session: int) -> list[int]:
    """Processes of a session that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def stripe(picture: NDArray[np.uint8]) -> str:
    """The word on the card by its colour."""
    r, g, b = (int(v) for v in picture[CARD_STRIPE[1], CARD_STRIPE[0]])
    if g > r + 40 and g > b:
        return "green"
    if r > g + 80:
        return "red"
    return "amber" if r > b + 80 else "none"


def seen_at(point: tuple[float, float, float], target: Any, far: float, yaw: float, pitch: float) -> tuple[int, int]:
    """The pixel of a point on the table, for Bullet's camera: 90 degrees from top to bottom, z up."""
    a, p = math.radians(yaw), math.radians(pitch)
    forward = np.array([-math.cos(p) * math.sin(a), math.cos(p) * math.cos(a), math.sin(p)])
    right = np.array([math.cos(a), math.sin(a), 0.0])
    up = np.cross(right, forward)
    way = np.array(point) - (np.array(target) - far * forward)
    focal = 400.0  # half the window over the tangent of half of 90 degrees
    depth = way @ forward
    return round(640 + focal * (way @ right) / depth), round(400 - focal * (way @ up) / depth)


def test_the_real_window_opens_obeys_and_closes(shown: Screen, tmp_path: Path) -> None:
    from sim3d.view.window import ASIDE, NEAR, PITCH_DEG, YAW_DEG

    (tmp_path / "a.toml").write_text(SCENARIO, encoding="utf-8")
    (tmp_path / "b.toml").write_text(SCENARIO.replace("Fenn", "Bea"), encoding="utf-8")
    process = started(shown, "a.toml", "--physics", "never", cwd=tmp_path)
    try:
        window = shown.window_of(process)
        until(lambda: len(np.unique(shown.picture()[180:660, 620:1020].reshape(-1, 3), axis=0)) > 60)  # not blank
        assert stripe(shown.picture()) == "none"  # nobody was asked about yet
        shown.key("n")
        until(lambda: stripe(shown.picture()) == "green")

        far, yaw = NEAR * TALL_MM, math.radians(YAW_DEG)
        target = (-ASIDE * far * math.cos(yaw), -ASIDE * far * math.sin(yaw), CRATE_MM + TALL_MM / 3)
        spots = [seen_at((0.0, 0.0, CRATE_MM + z), target, far, YAW_DEG, PITCH_DEG) for z in (22.0, 27.0, 32.0, 36.0)]

        def green() -> bool:
            picture = shown.picture().astype(int)
            return all(picture[y, x + 8, 1] > picture[y, x + 8, 0] + 12 for x, y in spots)

        until(green)  # seen through, where it rests

        low, high = SLIDER_OVER
        shown.click(low + round(15.0 / 27.0 * (high - low)), SLIDER_Y)  # 15 of 27 mm over the edge: its middle is out
        until(lambda: stripe(shown.picture()) == "red")
        shown.click(1150, BUTTONS_Y + 3 * BUTTON_PX)  # as it was
        until(lambda: stripe(shown.picture()) == "green")
        shown.click(1150, BUTTONS_Y)  # settle
        before = shown.picture()[40:120, 270:580].copy()
        shown.key("j")  # the next scenario of the folder
        until(lambda: not np.array_equal(shown.picture()[40:120, 270:580], before))
        assert process.poll() is None
        shown.hand("windowkill", window)  # what a window manager does to a window that has no manners
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out, quiet(err)) == (0, "", "")
        until(lambda: not processes_of(process.pid), 15.0)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_window_outlives_its_command(shown: Screen, tmp_path: Path, how: signal.Signals) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO, encoding="utf-8")
    process = started(shown, "a.toml", "--physics", "never", cwd=tmp_path)
    try:
        assert shown.window_of(process)
        assert len(processes_of(process.pid)) == 2  # the command, and its window
        os.kill(process.pid, how)
        process.communicate(timeout=60)
        assert process.returncode != 0  # it was ended, it did not end
        assert until(lambda: processes_of(process.pid) == [], 30.0)
    finally:
        process.kill()
        process.communicate()


def test_escape_closes_it_too_and_a_fault_is_no_closing(shown: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", shown.display)
    with Glass(width=640, height=480) as glass:
        glass.controls([Slider("wide", 0.0, 10.0, 2.5), "press"])
        assert glass.hand().values == pytest.approx({"wide": 2.5})
        shown.window()
        shown.hand("mousemove", "320", "240", "key", "Escape")
        with pytest.raises(Closed):
            until(lambda: glass.hand() is None)
    with Glass(width=640, height=480) as glass:
        glass.move("nobody", Pose())
        with pytest.raises(NoGlass, match="broken: KeyError"):
            glass.hand()


def test_without_a_display_one_line_says_so_and_the_page_is_there(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(SCENARIO, encoding="utf-8")
    env = {k: v for k, v in os.environ.items() if k != "DISPLAY"} | {"PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    words = [sys.executable, "-m", "sim3d", "show", "a.toml", "--physics", "never"]
    done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout, quiet(done.stderr).count("\n")) == (0, "", 1)
    assert "no window: " in done.stderr
    page = Path(done.stderr.strip().rpartition(": ")[2])
    assert "<html" in page.read_text(encoding="utf-8")[:200].lower()


def test_a_display_that_nobody_serves_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    needed("pybullet", importlib.util.find_spec("pybullet") is not None)
    monkeypatch.setenv("DISPLAY", ":99999")
    with pytest.raises(NoGlass, match=r"no window could be opened: .*connect"):
        Glass(width=320, height=200)


# --- its logic, with a stand-in ---------------------------------------------------------------------------------------


class StandIn:
    """A screen that keeps what is drawn, and a hand that does what is written down."""

    def __init__(self, *acts: Any) -> None:
        self.acts = list(acts)  # a button, [key], {slider: value}, or a function that looks at this
        self.drawn: dict[str, tuple[float, ...]] = {}
        self.places: dict[str, Pose] = {}
        self.cards: dict[str, int] = {}
        self.pictures: dict[str, bytes] = {}
        self.wanted: list[Slider | str] = []
        self.values: dict[str, float] = {}
        self.ticks, self.time = 0, 0.0
        self.looks: list[tuple[float, float, float]] = []
        self.far: list[float] = []

    def mesh(self, name: str, corners: Any, faces: Any, normals: Any, colour: Any, pose: Pose | None = None) -> None:
        assert len(corners) == len(normals)
        assert faces.max() < len(corners)
        assert np.allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-3)
        self.drawn[name] = colour
        self.places[name] = pose or Pose()

    def move(self, name: str, pose: Pose) -> None:
        assert name in self.drawn
        self.places[name] = pose

    def paint(self, name: str, colour: Any) -> None:
        self.drawn[name] = colour

    def drop(self, name: str) -> None:
        self.drawn.pop(name, None)

    def light(self, place: Any, wide_mm: float) -> None:
        assert wide_mm > 0

    def card(self, name: str, picture: bytes, *, size: tuple[int, int], corner: tuple[float, float]) -> None:
        self.cards[name], self.pictures[name] = hash(picture), picture

    def controls(self, wanted: Any) -> None:
        self.wanted = list(wanted)
        self.values = {one.label: one.value for one in wanted if isinstance(one, Slider)}

    def look(self, target: Any, distance_mm: float, *, yaw_deg: float, pitch_deg: float) -> None:
        self.looks.append(target)
        self.far.append(distance_mm)

    def hand(self) -> Hand:
        self.ticks += 1
        self.time = self.ticks / 10
        pressed: tuple[str, ...] = ()
        keys = ""
        if self.acts and self.ticks % 5 == 0:  # now and then, so that sliders come to rest
            act = self.acts.pop(0)
            if callable(act):
                act(self)
            elif isinstance(act, list):
                (keys,) = act
            elif isinstance(act, dict):
                assert set(act) <= set(self.values)
                self.values = self.values | act
            else:
                assert act in self.wanted, f"there is no button {act!r} among {self.wanted}"
                pressed = (act,)
        elif not self.acts:
            raise Closed
        return Hand(dict(self.values), pressed, keys, 0.0, 0.0, 100.0)

    def layers(self) -> set[str]:
        return {name.partition(": ")[0] for name in self.drawn if ": " in name}


def watched(story: Story, *acts: Any, drop_mm: float | None = None) -> tuple[Window, StandIn]:
    fake = StandIn(*acts)
    window = Window(fake, drop_mm=drop_mm, clock=lambda: fake.time, wait=lambda _s: None)
    tell(story, window)
    return window, fake


def test_a_closed_window_ends_the_story() -> None:
    window, fake = watched(told())
    assert window.wanted == "closed"
    assert {"Fenn/base", "Fenn/body", "Gale/base", "Gale/body"} <= set(fake.drawn)


def test_next_step_next_scenario_next_mini() -> None:
    window, fake = watched(told(), NEXT_STEP, NEXT_FILE)
    assert window.wanted == NEXT_FILE
    assert fake.layers() == {"table", "forces"}
    begins: list[float] = []
    watched(
        told(),
        NEXT_MINI,
        lambda fake: begins.append(fake.values[Y]),
        NEXT_MINI,
        lambda fake: begins.append(fake.values[Y]),
    )
    assert begins == [-26.0, 0.0]  # Gale's place, Fenn's


def test_keys_without_a_mini_do_nothing() -> None:
    window, fake = watched(told("[table]\nsize = [100, 100]\n"), ["m"], ["b"], [" "], ["."], ["m"])
    assert window.wanted == "closed"
    assert fake.layers() == {"table"}


def test_the_whole_table_is_seen_where_it_is_no_more_than_its_minis() -> None:
    minis = "".join(f'[[mini]]\nname = "{x}"\nbase = "27"\nheight = 40\nat = [{x}, 0]\n' for x in (0, 300))
    _, fake = watched(told(f'[table]\nfloor = "none"\n{minis}'))
    assert fake.far == [pytest.approx(327.0, abs=0.1)]


def test_the_card_of_a_move_says_whether_it_is_legal() -> None:
    path = Path(__file__).parent.parent / "scenarios" / "legion" / "setpieces" / "walker-through-two-units.toml"
    story = story_of(play_scenario(read_scenario(path), physics="never"), moving=False)
    assert [moment.told.word for moment in story.moments[1:3]] == ["not legal", "legal"]
    stripes: list[str] = []

    def look(fake: StandIn) -> None:
        stripes.append(stripe(decoded(fake.pictures["told"])[40:, 2:3].repeat(300, axis=1)))

    watched(story, NEXT_STEP, look, NEXT_STEP, look)
    assert stripes == ["red", "green"]  # who tried to go there would stand there: that is said below


def test_sliders_ask_and_the_word_colours_the_mini() -> None:
    colours: list[tuple[float, ...]] = []
    acts: list[Any] = [NEXT_STEP]
    for act in ({OVER: 15.0}, {OVER: 0.0, X: 0.0}, {OVER: 12.5}, BACK):
        acts += [act, nothing, lambda fake: colours.append(fake.drawn["Fenn/body"])]
    watched(told(), *acts)
    red, green, amber, back = colours
    assert red[0] > 2 * red[1]  # topples
    assert green[1] > 2 * green[0]
    assert amber[0] > amber[1] > amber[2]  # 1 mm inside the edge: precarious
    assert back == green
    assert {c[3] for c in (green, amber)} == {GHOST}  # seen through, for its marks


def nothing(fake: StandIn) -> None:
    """For a while."""


@pytest.mark.parametrize("button", [SETTLE, DROP, NUDGED])
def test_settle_drop_and_nudge_move_the_mini_and_bring_it_back(button: str) -> None:
    seen: list[float] = []
    look = [lambda fake: seen.append(fake.places["Fenn/base"].place[2])] * 60
    watched(told(), {PACE: 0.05}, NEXT_STEP, button, *look)  # a look every 25 ms: Rapier's fall takes 70
    assert abs(seen[-1] - 30.0) < 0.05
    assert (max(seen) > 32.0) == (button == DROP)


def test_with_drop_it_is_dropped_by_itself() -> None:
    seen: list[float] = []
    look = [lambda fake: seen.append(fake.places["Fenn/base"].place[2])] * 40
    watched(told(), {PACE: 0.05}, NEXT_STEP, *look, drop_mm=30.0)
    assert max(seen) > 40.0  # of 60, less the first look's fall
    assert abs(seen[-1] - 30.0) < 0.05


def test_pause_and_single_steps() -> None:
    motion = Motion("Fenn", (Timed(0.0, Pose.at(0, 0, 30)), Timed(10.0, Pose.at(10, 0, 30))))
    first, second = told().moments
    story = Story("", "", (first, replace(second, motions=(motion,))))
    seen: list[float] = []

    def look(fake: StandIn) -> None:
        seen.append(fake.places["Fenn/base"].place[0])

    watched(story, NEXT_STEP, look, PAUSE, look, nothing, look, ONE, look, PAUSE, nothing, look)
    before, held, still, stepped, on = seen
    assert before < held == still < stepped < on
    assert stepped - still == pytest.approx(1.0 / 40.0)  # a fortieth of a second at 1 mm a second


def test_forces_and_the_standing_map_go_on_and_off() -> None:
    layers: list[list[str]] = []

    def look(fake: StandIn) -> None:
        layers.append(sorted(fake.layers() - {"table"}))

    watched(told(), NEXT_STEP, look, FORCES, look, FORCES, look, MAP, look, MAP, look)
    assert layers == [["forces"], [], ["forces"], ["forces", "map"], ["forces"]]


def test_hexes_and_moves_are_overlays() -> None:
    layers: list[set[str]] = []

    def look(fake: StandIn) -> None:
        layers.append(fake.layers())

    board = read_scenario(ROOT / "scenarios/hexes/terrain/hx13-under-the-bridge.toml")
    hexes = story_of(play_scenario(board, physics="never"))
    watched(replace(hexes, moments=hexes.moments[:2]), look, NEXT_STEP, look)
    assert all("hexes" in one for one in layers)
    assert "reach" in layers[1]
    layers.clear()
    moves = play_scenario(read_scenario(ROOT / "scenarios/legion/movement/mv01-spares.toml"), physics="never")
    watched(story_of(moves), NEXT_STEP, look)
    assert {"swept", "tool"} <= layers[0]


# --- what a hand asks -------------------------------------------------------------------------------------------------


def test_a_mini_is_pushed_over_the_nearest_edge_by_so_much() -> None:
    table = parse_scenario(SCENARIO).table
    fenn = table.mini("Fenn")
    others = table.without("Fenn")
    for over in (2.0, 7.5, 12.0):
        placed, found = asked(others, fenn, Ask((20.0, 0.0), 0.0, over_mm=over))
        # the rim of a 13.5 mm base is at x + 13.5, the edge at 40
        assert placed.at == pytest.approx((40.0 + over - 13.5, 0.0), abs=0.02)
        assert found.overhang_mm == pytest.approx(over, abs=0.02)
    far = nearest_edge(others, asked(others, fenn, Ask((20.0, 0.0), 0.0))[1])
    assert far is not None
    assert far[:2] == pytest.approx((1.0, 0.0), abs=1e-9)
    assert far[2] == pytest.approx(20.0, abs=0.5)


def test_friction_and_the_centre_of_mass_are_asked_as_the_hand_has_them() -> None:
    table = parse_scenario(SCENARIO).table
    fenn, others = table.mini("Fenn"), table.without("Fenn")
    _, found = asked(others, fenn, Ask((35.0, 0.0), 0.0, friction=0.3, com_mm=30.0))
    assert found.friction == 0.3
    assert found.tip_deg == pytest.approx(math.degrees(math.atan2(5.0, 30.0)), abs=0.01)  # atan(d / h)
    _, high = asked(others, fenn, Ask((0.0, 0.0), 0.0, com_mm=1000.0))
    assert high.mini.com[2] == fenn.mini.height_mm


def test_ground_without_an_edge_leaves_the_mini_where_it_is() -> None:
    table = parse_scenario('[[mini]]\nname = "Fenn"\nbase = "27"\nat = [0, 0]\n').table
    placed, found = asked(table.without("Fenn"), table.mini("Fenn"), Ask((3.0, 4.0), 0.0, over_mm=5.0))
    assert (placed.at, found.answer) == ((3.0, 4.0), "stable")
