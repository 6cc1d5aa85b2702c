"""`Glass`: a Bullet window to draw in and to read sliders from, in mm; or `NoGlass`, with the reason.

Orders are gathered and go out with the next `hand()`, which says what the person did since the last one. When the
window is closed `hand()` raises `Closed`, and nothing is left of it: it lives in a process of its own.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import Pipe
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from sim3d.space import Floats, Ints, Pose

UNIT_MM = 10.0  # one engine unit, as for physics: Bullet's camera is made for things about one unit wide
HIGH_MM = 100.0  # all is drawn so much higher: under a floor, Bullet's grid and axes about the origin are not seen
OPENS_S = 60.0  # a window that is not there by then will never be; slow machines take two
ANSWERS_S = 120.0  # one that has not answered by then hangs
ENDS_S = 5.0  # to close by itself before it is ended

CLOSED = (0, 1)  # how its process ends when the window is closed: by Bullet itself, or by Xlib; else it is a fault
GREETING = "pybullet build time"  # what pybullet says of itself among errors, whenever it is imported

Rgba = tuple[float, float, float, float]
UPRIGHT = Pose()


class NoGlass(RuntimeError):
    """There can be no window here; says why."""


class Closed(Exception):
    """The window was closed."""


@dataclass(frozen=True, slots=True)
class Slider:
    """A number between two; it begins at `value`."""

    label: str
    low: float
    high: float
    value: float


@dataclass(frozen=True, slots=True)
class Hand:
    """What was done: sliders by label, buttons and keys pressed since the last time, and the camera's yaw."""

    values: dict[str, float]
    pressed: tuple[str, ...]
    keys: str
    yaw_deg: float
    pitch_deg: float
    distance_mm: float


def why_no_glass() -> str:
    """Why no window can be opened here, before trying; "" where one may."""
    if importlib.util.find_spec("pybullet") is None:
        return "pybullet, which draws the window, is not installed here (it has wheels for Linux and Python 3.11)"
    if not has_display():
        return "there is no display (DISPLAY is not set)"
    return ""


def has_display() -> bool:
    """Whether somebody could look at a window of any kind; only Linux runs without."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY"))


class Glass:
    """An open window."""

    def __init__(self, *, width: int, height: int, background: tuple[float, float, float] = (0.93, 0.94, 0.95)) -> None:
        if reason := why_no_glass():
            raise NoGlass(reason)
        self._orders: list[tuple[Any, ...]] = []
        self._controls: list[Slider | str] = []
        self._clicks: dict[str, float] = {}
        self._folder = tempfile.TemporaryDirectory(prefix="sim3d-")
        self._said = [Path(self._folder.name) / name for name in ("errors.txt", "said.txt")]
        self._wire, other = Pipe()
        words = [sys.executable, "-P", str(Path(__file__).with_name("pane.py")), str(other.fileno())]
        words += [str(n) for n in (width, height, *background)]
        with self._said[0].open("wb") as errors, self._said[1].open("wb") as said:
            self._process = subprocess.Popen(
                words, cwd=self._folder.name, stdin=subprocess.DEVNULL, stdout=said, stderr=errors,
                pass_fds=[other.fileno()],
            )  # fmt: skip
        other.close()
        try:
            self._heard(OPENS_S)
        except Closed:
            reason = self._last_words()
            self.close()
            raise NoGlass(f"no window could be opened: {reason}") from None
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """The window goes, and its process with it."""
        self._wire.close()
        try:
            self._process.wait(ENDS_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._folder.cleanup()

    # --- orders -------------------------------------------------------------------------------------------------------

    def mesh(
        self, name: str, corners: Floats, faces: Ints, normals: Floats, colour: Rgba, pose: Pose = UPRIGHT
    ) -> None:
        """Draw a mesh (mm) under a name, in the place of what had it."""
        if not len(faces):
            self.drop(name)
            return
        place, spin = _frame(pose)
        parts = (np.asarray(corners) / UNIT_MM, np.asarray(faces), np.asarray(normals))
        self._orders.append(("mesh", name, *parts, colour, place, spin))

    def move(self, name: str, pose: Pose) -> None:
        """What was drawn under the name, elsewhere."""
        self._orders.append(("move", name, *_frame(pose)))

    def paint(self, name: str, colour: Rgba) -> None:
        """What was drawn under the name, in another colour."""
        self._orders.append(("paint", name, colour))

    def drop(self, name: str) -> None:
        """Away with what has the name, if anything has."""
        self._orders.append(("drop", name))

    def card(self, name: str, picture: bytes, *, size: tuple[int, int], corner: tuple[float, float]) -> None:
        """A picture (a PNG of this width and height) whose top left corner keeps to a pixel of the window."""
        self._orders.append(("card", name, picture, *size, *corner))

    def uncard(self, name: str) -> None:
        """Away with a card, if there is one."""
        self._orders.append(("uncard", name))

    def controls(self, wanted: Sequence[Slider | str]) -> None:
        """Sliders, and buttons by their label, from top to bottom, in the place of those there are."""
        self._controls = list(wanted)
        self._clicks = {one: 0.0 for one in wanted if isinstance(one, str)}
        told = [(w,) if isinstance(w, str) else (w.label, w.low, w.high, w.value) for w in wanted]
        self._orders.append(("controls", told))

    def look(self, target: tuple[float, float, float], distance_mm: float, *, yaw_deg: float, pitch_deg: float) -> None:
        """The camera stands so far from a point, turned about the vertical, looking down for a negative pitch."""
        self._orders.append(("look", _point(target), distance_mm / UNIT_MM, yaw_deg, pitch_deg))

    def light(self, place: tuple[float, float, float], wide_mm: float) -> None:
        """Where the lamp is, and how wide the world is that shadows fall on."""
        self._orders.append(("light", _point(place), wide_mm / UNIT_MM))

    def hand(self) -> Hand:
        """Send the orders; what was done since the last time. `Closed` when the window is gone."""
        orders, self._orders = self._orders, []
        with contextlib.suppress(OSError):  # nobody there: hearing says why
            self._wire.send(orders)
        told = self._heard(ANSWERS_S)
        values, pressed = {}, []
        for one, value in zip(self._controls, told["values"], strict=True):
            if isinstance(one, Slider):
                values[one.label] = float(value)
            elif value != self._clicks[one]:
                self._clicks[one] = value
                pressed.append(one)
        keys = "".join(chr(key) for key in told["keys"] if 32 <= key < 127)
        return Hand(values, tuple(pressed), keys, told["yaw_deg"], told["pitch_deg"], told["distance"] * UNIT_MM)

    def _heard(self, patience_s: float) -> dict[str, Any]:
        try:
            if not self._wire.poll(patience_s):
                self._process.kill()
                raise NoGlass(f"the window has not answered for {patience_s:g} s")
            told: dict[str, Any] = self._wire.recv()
        except (EOFError, OSError):
            if self._process.wait() in CLOSED:
                raise Closed from None
            raise NoGlass(f"the window is broken: {self._last_words()}") from None
        return told

    def _last_words(self) -> str:
        """What Bullet or the X library said before it went: of errors the last one, else the last of all."""
        for said in self._said:
            lines = [line.strip() for line in said.read_text("utf-8", "replace").splitlines()]
            told = [line for line in lines if line and not line.startswith(GREETING)]
            if told:
                return told[-1]
        return f"its process ended with {self._process.returncode}"


def _frame(pose: Pose) -> tuple[list[float], list[float]]:
    w, x, y, z = pose.spin
    return _point(pose.place), [x, y, z, w]


def _point(place: tuple[float, float, float]) -> list[float]:
    x, y, z = place
    return [x / UNIT_MM, y / UNIT_MM, (z + HIGH_MM) / UNIT_MM]
