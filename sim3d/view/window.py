"""The window: a story in Bullet's own window, with sliders and buttons, so that a hand can try what was only told.

`Window` is a `Viewer` on an open `Glass`. Everything it says is a verdict of `stand`; what it plays back is what an
engine did. `opened` gives the glass, or says in one line why there is none.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Protocol

from sim3d.engine.glass import Closed, Glass, Hand, Slider
from sim3d.engine.watch import drift, turn
from sim3d.settle import NUDGE_DEG, STAYED_DEG, STAYED_MM
from sim3d.space import Pose
from sim3d.stand import Physics
from sim3d.table import Placed, Table
from sim3d.view.card import card_of, key_of
from sim3d.view.figures import figure_of, released
from sim3d.view.handling import Ask, asked, map_around
from sim3d.view.picture import Image
from sim3d.view.png import png_bytes
from sim3d.view.scene import Figure, Moment, Motion, Point3, Story, Told
from sim3d.view.stage import FORCE, SUPPORT, WEIGHT, Drawing, Stage, layers_of
from sim3d.view.viewer import tell

ROAM_MM = 80.0  # the place sliders go so far either way
MOST_FRICTION = 2.0  # on its slider; a gripping table has 1.25
MOST_NUDGE_DEG = 20.0
SPEED = 0.3  # of a table's clock, to begin with: a fall takes a third of a second
WIDTH, HEIGHT = 1280, 800  # pixels of the window
TICK_S = 0.02  # between two looks at the hand
CALM_S = 0.15  # sliders that rest so long are asked about
STEP_S = 1 / 40  # one step of a motion, as an engine is looked at
DROP_MM = 20.0  # without another height
TOP_LEFT = (262.0, 34.0)  # pixels: right of Bullet's own list, under its menu
LOWER_PX = 134.0  # pixels over the window's lower edge: there Bullet's own lines begin
YAW_DEG, PITCH_DEG, STEEP_DEG = 25.0, -28.0, -40.0  # on a mini; on the whole table
ASIDE = 0.36  # of its distance the camera looks past the action, which is then right of the card
WHOLE, NEAR = 1.0, 3.4  # how far the camera stands, in widths of the table, and in heights of a mini

SWITCH = " on, off"
CLOSED = "closed"
X, Y, TURN = "place x, mm", "place y, mm", "turn, degrees"
OVER, FRICTION, COM = "push over the edge, mm", "friction", "centre of mass, mm"
ASKED = (X, Y, TURN, OVER, FRICTION, COM)
NUDGE, PACE = "nudge, degrees", "speed, 1 as on a table"
SETTLE, DROP, NUDGED, BACK, PAUSE, ONE = "settle", "drop", "nudge", "as it was", "pause, go on", "one step"
FORCES, MAP = f"forces{SWITCH}", f"map{SWITCH}"
NEXT_MINI, NEXT_STEP, NEXT_FILE = "next mini", "next step", "next scenario"
KEYS = {" ": PAUSE, ".": ONE, "b": BACK, "n": NEXT_STEP, "j": NEXT_FILE, "m": NEXT_MINI}
MARKS = (
    (FORCE, "line", "pushes, 40 mm for the whole weight"),
    (WEIGHT, "dot", "centre of mass, and the point below it"),
    (SUPPORT, "area", "support: leave it, and over it goes"),
)


class Screen(Drawing, Protocol):
    """What a window is shown on: `Glass`, or a stand-in for it."""

    def card(self, name: str, picture: bytes, *, size: tuple[int, int], corner: tuple[float, float]) -> None:
        """A picture that keeps to a place of the window."""

    def controls(self, wanted: Sequence[Slider | str]) -> None:
        """Sliders and buttons, instead of those there are."""

    def look(self, target: Point3, distance_mm: float, *, yaw_deg: float, pitch_deg: float) -> None:
        """Where the camera stands."""

    def hand(self) -> Hand:
        """What was done since the last time."""
        ...


@dataclass(slots=True)
class Chosen:
    """The mini under the hand: as the scene has it, and as the sliders have it by now."""

    figure: Figure
    placed: Placed
    table: Table  # everything else
    friction: float
    shown: Figure
    first: dict[str, float] | None = None  # the sliders before a hand moved them, as Bullet rounds them
    last: dict[str, float] | None = None  # as they were asked about

    def sliders(self) -> list[Slider]:
        """Place, turn, overhang, friction, centre of mass, nudge: as it stands."""
        mini, (x, y) = self.placed.mini, self.placed.at
        return [
            Slider(X, x - ROAM_MM, x + ROAM_MM, x),
            Slider(Y, y - ROAM_MM, y + ROAM_MM, y),
            Slider(TURN, -180.0, 180.0, (self.placed.turn + 180.0) % 360.0 - 180.0),
            Slider(OVER, 0.0, mini.base.outline.length_mm, 0.0),
            Slider(FRICTION, 0.0, max(MOST_FRICTION, self.friction), self.friction),
            Slider(COM, 1.0, mini.height_mm, mini.com[2]),
            Slider(NUDGE, 0.0, MOST_NUDGE_DEG, NUDGE_DEG),
        ]

    def ask(self, values: dict[str, float]) -> Ask:
        """What the sliders say; what was not moved is as exact as it was."""
        first = self.first or values

        def moved(key: str) -> float | None:
            return values[key] if values[key] != first[key] else None

        (x, y), turn = self.placed.at, moved(TURN)
        given = (moved(X), moved(Y))
        at = (x if given[0] is None else given[0], y if given[1] is None else given[1])
        return Ask(at, self.placed.turn if turn is None else turn, moved(FRICTION), moved(COM), moved(OVER) or 0.0)


class Window:
    """Shows a story and lets a hand change it; `wanted` says why it ended: "", "next scenario" or "closed"."""

    def __init__(
        self,
        screen: Screen,
        *,
        drop_mm: float | None = None,
        engine: str | None = None,
        height: int = HEIGHT,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.screen, self.engine = screen, engine
        self.clock, self.wait, self.height = clock, wait, height
        self.drop_mm = DROP_MM if drop_mm is None else drop_mm
        self.drops = drop_mm is not None  # what is asked about is dropped, instead of released where it rests
        self.stage = Stage(screen)
        self.wanted = ""
        self.story = Story("", "", ())
        self.chosen: Chosen | None = None
        self.off: set[str] = set()  # layers that a hand switched off
        self.speed, self.paused = SPEED, False
        self.pressed: list[str] = []  # and not yet obeyed
        self.calm_s = 0.0  # since when the sliders have kept still
        self.values: dict[str, float] = {}
        self.looked: str | None = None  # what the camera was last turned to

    # --- a viewer -----------------------------------------------------------------------------------------------------

    def open(self, story: Story) -> None:
        """Another table, in the same window."""
        self.story, self.wanted, self.looked = story, "", None
        self.stage.clear()
        key = key_of(MARKS)
        self._card("key", key, (TOP_LEFT[0], self.height - LOWER_PX - key.shape[0]))

    def moment(self, moment: Moment) -> bool:
        """Show it, then obey the hand until it wants the next one."""
        try:
            self._show(moment)
            self._play(moment.motions)
            return self._obey()
        except Closed:
            self.wanted = CLOSED
            return False

    def close(self) -> None:
        """The window stays for the next story; who opened it closes it."""

    def _show(self, moment: Moment) -> None:
        self.now, self.scene = moment, moment.scene
        self.stage.scene(moment.scene)
        self._choose(moment.scene.focus or next((f.name for f in moment.scene.figures), ""))
        for layer in layers_of(moment.scene):
            if layer not in self.off:
                self.stage.overlay(layer, moment.scene)
        if self.drops and self.chosen is not None and self.chosen.figure.stand is not None:
            self.pressed.append(DROP)

    def _obey(self) -> bool:
        """Buttons and sliders, until the next step is wanted, or none."""
        while True:
            self._hear()
            while self.pressed:
                button = self.pressed.pop(0)
                if button == NEXT_STEP:
                    return True
                if button == NEXT_FILE:
                    self.wanted = NEXT_FILE
                    return False
                self._do(button)
            self._ask_when_calm()
            self.wait(TICK_S)

    def _hear(self) -> None:
        """What the hand did since the last time."""
        hand = self.screen.hand()
        self.pressed += [*hand.pressed, *(KEYS[key] for key in hand.keys if key in KEYS)]
        if hand.values != self.values:
            self.values, self.calm_s = hand.values, self.clock()
        self.speed = hand.values.get(PACE, self.speed)
        if self.chosen is not None and self.chosen.first is None:
            self.chosen.first = self.chosen.last = hand.values

    # --- the mini under the hand --------------------------------------------------------------------------------------

    def _choose(self, name: str) -> None:
        """The mini that sliders and buttons are about; none, where there is none of the name."""
        self.stage.unmark("forces")
        self.chosen = None
        if any(figure.name == name for figure in self.scene.figures):
            figure, table = self.scene.figure(name), self.scene.table
            known = {placed.name: placed for placed in table.minis}
            x, y, _ = figure.pose.place
            placed = known.get(name) or Placed(name, figure.mini, (x, y))
            found, others = figure.stand, table.without(name) if name in known else table
            if found is not None:
                placed = replace(placed, mini=found.mini, at=found.at, turn=found.turn, level=found.level)
            friction = found.friction if found is not None else table.friction(placed.material, "grip")
            self.chosen = Chosen(figure, placed, others, friction, figure)
        self._controls()
        self._look(name)
        self._tell()

    def _controls(self) -> None:
        """Sliders and buttons for what is there."""
        wanted: list[Slider | str] = []
        if self.chosen is not None:
            wanted += [*self.chosen.sliders()]
            self.chosen.first = self.chosen.last = None
        wanted.append(Slider(PACE, 0.02, 1.0, self.speed))
        wanted += [] if self.chosen is None else [SETTLE, DROP, NUDGED, BACK]
        wanted += [NEXT_STEP, NEXT_FILE, PAUSE, ONE]
        wanted += [NEXT_MINI] if len(self.scene.figures) > 1 else []
        wanted += [] if self.chosen is None else [FORCES, MAP]
        wanted += [f"{layer}{SWITCH}" for layer in layers_of(self.scene) if layer != "map"]
        self.screen.controls(wanted)

    def _ask_when_calm(self) -> None:
        """Once the sliders keep still, what they say is asked; quickly, without an engine."""
        if self._moved() and self.clock() - self.calm_s >= CALM_S and self.chosen is not None:
            self.chosen.last = self.values
            self._asked("never")

    def _moved(self) -> bool:
        """Whether a slider of the mini says something that was not asked about yet."""
        last = None if self.chosen is None else self.chosen.last
        return last is not None and any(last[key] != self.values[key] for key in ASKED)

    def _asked(self, physics: Physics) -> None:
        """The verdict on the mini as the sliders have it, shown."""
        chosen = self.chosen
        assert chosen is not None
        placed, answer = asked(
            chosen.table, chosen.placed, chosen.ask(self.values), engine=self.engine, physics=physics
        )
        made = figure_of(chosen.table, placed, answer, side=chosen.figure.side)
        chosen.shown = replace(made, paint=chosen.figure.paint)
        self._tell()

    def _do(self, button: str) -> None:
        """One button."""
        chosen = self.chosen
        if button == PAUSE:
            self.paused = not self.paused
        elif button == NEXT_MINI:
            names = [figure.name for figure in self.scene.figures]
            if names:  # a key has no button that could be missing
                self._choose(names[(names.index(chosen.figure.name) + 1) % len(names)] if chosen else names[0])
        elif button.endswith(SWITCH):
            self._switch(button.removesuffix(SWITCH))
        elif chosen is not None and button == BACK:
            chosen.shown = chosen.figure
            self._controls()
            self._tell()
        elif chosen is not None and button in (SETTLE, DROP, NUDGED):
            self._asked("always" if button == SETTLE else "never")
            self._release(button)

    def _switch(self, layer: str) -> None:
        """A layer on or off; the standing map is made when it is first wanted."""
        self.off ^= {layer}
        if layer == "map" and not self.scene.maps and self.chosen is not None:
            self.off.discard(layer)
            made = map_around(self.chosen.table, self.chosen.placed)
            self.scene = replace(self.scene, maps=(made,))
        if layer == "forces":
            self._tell()
        elif layer in self.off:
            self.stage.unmark(layer)
        else:
            self.stage.overlay(layer, self.scene)

    def _release(self, button: str) -> None:
        """Let it go, as an engine sees it, and watch."""
        chosen = self.chosen
        assert chosen is not None
        found = chosen.shown.stand
        assert found is not None
        motion = released(
            chosen.table,
            chosen.figure.name,
            found,
            engine=self.engine,
            drop_mm=self.drop_mm if button == DROP else 0.0,
            nudge_deg=self.values[NUDGE] if button == NUDGED else 0.0,
        )
        self._play(() if motion is None else (motion,))

    # --- what is seen -------------------------------------------------------------------------------------------------

    def _play(self, motions: Sequence[Motion]) -> None:
        """Motions side by side, slowly; what is pressed meanwhile ends them, but for pause and single steps."""
        known = [motion for motion in motions if motion.figure in self.stage.figures]
        if not known:
            return
        self.stage.unmark("forces")
        end, seen, last = max(motion.time_s for motion in known), 0.0, self.clock()
        for motion in known:
            self.stage.solid(motion.figure)
        while seen < end:
            self._hear()
            now = self.clock()
            seen += 0.0 if self.paused else (now - last) * self.speed
            last = now
            while self.pressed and self.pressed[0] in (PAUSE, ONE):
                button = self.pressed.pop(0)
                self.paused = not self.paused if button == PAUSE else True
                seen += STEP_S if button == ONE else 0.0
            if self.pressed or self._moved():
                break
            for motion in known:
                self.stage.pose(motion.figure, motion.at(min(seen, end)))
            self.wait(TICK_S)
        for motion in known:
            self.stage.pose(motion.figure, motion.track[-1].pose)
        self._tell(motions=known)

    def _tell(self, motions: Sequence[Motion] = ()) -> None:
        """The card, and the marks on the mini, which are only true where the verdict has it."""
        chosen = self.chosen
        note = " ".join(motion.about for motion in motions)
        figure = None if chosen is None else chosen.shown
        if chosen is not None and figure is not None:
            away = any(m.figure == figure.name and not near(m.track[-1].pose, figure.pose) for m in motions)
            asked_about = figure.stand is not None and not away and "forces" not in self.off
            if not away:
                self.stage.figure(figure, clear=asked_about and figure.rests)
            if asked_about:
                self.stage.forces(figure)
            else:
                self.stage.unmark("forces")
        told = self.now.told
        told = told if told.number else replace(told, about=self.story.about)
        if figure is not None and figure is not self.now_figure():
            told = Told(0, figure.name, figure.word, True, self.story.about)
        stand = None if figure is None else figure.stand
        card = card_of(PurePath(self.story.file).name, told, stand, note if note else "")
        self._card("told", card, TOP_LEFT)

    def now_figure(self) -> Figure | None:
        """The mini that the moment is about, as the story has it."""
        return self.scene.figure(self.scene.focus) if self.scene.focus else None

    def _card(self, name: str, image: Image, corner: tuple[float, float]) -> None:
        height, width = image.shape[:2]
        self.screen.card(name, png_bytes(image), size=(width, height), corner=corner)

    def _look(self, name: str) -> None:
        """The camera on the action: on the mini that it is about, or over the whole table."""
        if not self.scene.focus:
            name = ""
        if self.looked == name:
            return
        self.looked = name
        low, high = self.stage.everything()
        (x, y, z), far = ((low + high) / 2).tolist(), WHOLE * float((high - low).max())
        aside, pitch = ASIDE / 2, STEEP_DEG
        if self.chosen is not None and name:
            mini, (x, y, z) = self.chosen.figure.mini, self.chosen.figure.pose.place
            z, far = z + mini.height_mm / 3, NEAR * max(mini.height_mm, mini.base.outline.length_mm)
            aside, pitch = ASIDE, PITCH_DEG
        yaw = math.radians(YAW_DEG)
        at = (x - aside * far * math.cos(yaw), y - aside * far * math.sin(yaw), z)
        self.screen.look(at, far, yaw_deg=YAW_DEG, pitch_deg=pitch)


def near(a: Pose, b: Pose) -> bool:
    """Whether a mini that was let go is still where it was put."""
    return drift(a, b) <= STAYED_MM and turn(a, b) <= STAYED_DEG


def watch(
    stories: Sequence[Callable[[], Story | None]],
    *,
    width: int = WIDTH,
    height: int = HEIGHT,
    drop_mm: float | None = None,
    engine: str | None = None,
) -> None:
    """Stories in one window until it is closed: each from its beginning again, or the next one if that is wanted.

    One that cannot be told (None) is passed over. `NoGlass`, with the reason, where there can be no window.
    """
    with Glass(width=width, height=height) as glass:
        window = Window(glass, drop_mm=drop_mm, engine=engine, height=height)
        number = 0
        while window.wanted != CLOSED:
            story = stories[number % len(stories)]()
            window.wanted = ""
            while story is not None and not window.wanted:
                tell(story, window)
            number += 1
