"""A Bullet window in a process of its own: it obeys lists of orders that come over a pipe, and says what hands did.

Run as a script by `sim3d.engine.glass`, never imported: Xlib ends the whole process when somebody closes the window,
and so does a driver that cannot draw. Lengths are the engine's, 10 mm each; colours are red, green, blue, alpha.
What is not opaque casts no shadow, which is what marks want. Cards are pictures that keep their place on the screen.
"""

from __future__ import annotations

import math
import os
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pybullet as p

MOST_FACES = 40_000  # in one shape of Bullet's, which takes 131,072 corners and 524,288 indices
IDLE_S = 0.03  # between two looks at the camera while no orders come
AWAY = 1.0  # cards hang so far before the eye, in engine units: nothing of a table is ever nearer
FRAME_US = 25_000  # no two frames closer than this; Bullet's option says ms, and takes microseconds
CARD_LIGHT = 1.22  # Bullet shades everything: this brings white on a card back to white
FAULTY = 3  # how this process ends on a fault of ours; Xlib ends it with 1 when the window is closed
SLIGHTLY_CLEAR = 0.99  # as good as opaque, and casts no shadow


class Pane:
    """The window and all that is in it, by name. Each public method is an order."""

    def __init__(self, width: int, height: int, red: float, green: float, blue: float) -> None:
        options = (
            f"--width={width} --height={height} --minGraphicsUpdateTimeMs={FRAME_US} "
            f"--background_color_red={red} --background_color_green={green} --background_color_blue={blue}"
        )
        if p.connect(p.GUI, options=options) < 0:
            raise RuntimeError("Bullet opened no window")
        for flag in (
            p.COV_ENABLE_RGB_BUFFER_PREVIEW,
            p.COV_ENABLE_DEPTH_BUFFER_PREVIEW,
            p.COV_ENABLE_SEGMENTATION_MARK_PREVIEW,
            p.COV_ENABLE_KEYBOARD_SHORTCUTS,  # Bullet's own hide and show things by letters that are ours
            p.COV_ENABLE_MOUSE_PICKING,
        ):
            p.configureDebugVisualizer(flag, 0)
        self._bodies: dict[str, list[int]] = {}
        self._cards: dict[str, _Card] = {}
        self._files = 0
        self._controls: list[int] = []
        self._values: list[float] = []
        self._eye: tuple[Any, ...] = ()

    # --- orders -------------------------------------------------------------------------------------------------------

    def mesh(self, name: str, corners: Any, faces: Any, normals: Any, colour: Any, place: Any, spin: Any) -> None:
        """Draw a mesh under a name, instead of what had it; a normal for every corner; its back is not seen."""
        self.drop(name)
        made = []
        for first in range(0, len(faces), MOST_FACES):
            used, flat = np.unique(faces[first : first + MOST_FACES], return_inverse=True)
            shape = p.createVisualShape(
                p.GEOM_MESH,
                vertices=corners[used].tolist(),
                indices=flat.ravel().tolist(),
                normals=normals[used].tolist(),
                rgbaColor=colour,
                specularColor=(0.0, 0.0, 0.0),
            )
            made.append(p.createMultiBody(0, -1, shape, place, spin))
        self._bodies[name] = made

    def move(self, name: str, place: Any, spin: Any) -> None:
        """What has the name, elsewhere."""
        for body in self._bodies[name]:
            p.resetBasePositionAndOrientation(body, place, spin)

    def paint(self, name: str, colour: Any) -> None:
        """What has the name, in another colour."""
        for body in self._bodies[name]:
            p.changeVisualShape(body, -1, rgbaColor=colour)

    def drop(self, name: str) -> None:
        """Away with what has the name, if anything has."""
        for body in self._bodies.pop(name, ()):
            p.removeBody(body)

    def card(self, name: str, picture: bytes, width: int, height: int, left: float, top: float) -> None:
        """A picture (a PNG) at a place of the screen, in pixels from the left and the top of the window."""
        old = self._cards.pop(name, None)
        self._files += 1
        file = Path(f"card{self._files}.png")  # Bullet reads textures from files, and each name only once
        file.write_bytes(picture)
        self._cards[name] = _Card(p.loadTexture(str(file)), width, height, left, top)
        file.unlink()
        if old is not None:
            p.removeBody(old.body)
        self._eye = ()

    def uncard(self, name: str) -> None:
        """Away with a card, if there is one."""
        if name in self._cards:
            p.removeBody(self._cards.pop(name).body)

    def controls(self, wanted: list[tuple[Any, ...]]) -> None:
        """Sliders (label, lowest, highest, value) and buttons (label,) instead of those there are, from the top."""
        p.removeAllUserParameters()
        # Bullet cuts a piece off the first letter, so words begin with a space
        self._controls = [
            p.addUserDebugParameter(f" {label}", *(numbers or (1.0, 0.0, 0.0))) for label, *numbers in wanted
        ]
        self._values = [p.readUserDebugParameter(one) for one in self._controls]

    def look(self, target: Any, distance: float, yaw_deg: float, pitch_deg: float) -> None:
        """Where the camera stands; from then on it is the hand's."""
        p.resetDebugVisualizerCamera(distance, yaw_deg, pitch_deg, target)

    def light(self, place: Any, wide: float) -> None:
        """Where the lamp is, and how wide the world is that its shadows fall on."""
        p.configureDebugVisualizer(
            lightPosition=place, shadowMapWorldSize=math.ceil(wide), shadowMapResolution=4096, shadowMapIntensity=0.55
        )

    # --- what hands do ------------------------------------------------------------------------------------------------

    def hand(self) -> dict[str, Any]:
        """Values of the controls in their order (a button counts its clicks), keys pressed, and the camera."""
        keys = [
            key for key, state in p.getKeyboardEvents().items() if state & p.KEY_WAS_RELEASED
        ]  # a quick press shows nothing else
        self._values = [p.readUserDebugParameter(one) for one in self._controls]
        eye = self.follow()
        return {"values": self._values, "keys": keys, "yaw_deg": eye[8], "pitch_deg": eye[9], "distance": eye[10]}

    def follow(self) -> tuple[Any, ...]:
        """The camera; cards go with it."""
        eye: tuple[Any, ...] = p.getDebugVisualizerCamera()
        if eye[:4] != self._eye:
            self._eye = eye[:4]
            for card in self._cards.values():
                card.hang(*eye[:4])
        return eye


class _Card:
    """A picture before the eye."""

    def __init__(self, texture: int, width: int, height: int, left: float, top: float) -> None:
        self.texture, self.size, self.corner = texture, (width, height), (left, top)
        self.body, self.pixel = -1, 0.0

    def hang(self, wide: int, tall: int, view: Any, projection: Any) -> None:
        """Where a window of this size and camera shows it upright at its pixels."""
        pixel = 2 * AWAY / (projection[5] * tall)
        if pixel != self.pixel:
            self._make(pixel)
        seen = np.array(view).reshape(4, 4).T
        turn, eye = seen[:3, :3].T, -seen[:3, :3].T @ seen[:3, 3]
        corner = np.array([(self.corner[0] - wide / 2) * pixel, (tall / 2 - self.corner[1]) * pixel, -AWAY])
        p.resetBasePositionAndOrientation(self.body, (eye + turn @ corner).tolist(), _quaternion(turn))

    def _make(self, pixel: float) -> None:
        if self.body >= 0:
            p.removeBody(self.body)
        x, y = (pixel * side for side in self.size)
        shape = p.createVisualShape(
            p.GEOM_MESH,
            vertices=[[0, 0, 0], [x, 0, 0], [x, -y, 0], [0, -y, 0]],
            indices=[0, 2, 1, 0, 3, 2],
            uvs=[[0, 1], [1, 1], [1, 0], [0, 0]],  # Bullet counts rows of a picture from below
            normals=[[0, 0, 1]] * 4,
            rgbaColor=(*(CARD_LIGHT,) * 3, SLIGHTLY_CLEAR),
            specularColor=(0.0, 0.0, 0.0),
        )
        self.body, self.pixel = p.createMultiBody(0, -1, shape), pixel
        p.changeVisualShape(self.body, -1, textureUniqueId=self.texture)


def _quaternion(turn: Any) -> list[float]:
    """Of a rotation matrix: x, y, z, w."""
    (a, b, c), (d, e, f), (g, h, i) = turn.tolist()
    w, x, y, z = (math.sqrt(max(0.0, n)) / 2 for n in (1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i))
    return [math.copysign(x, h - f), math.copysign(y, c - g), math.copysign(z, d - b), w]


def serve(wire: Connection, pane: Pane) -> None:
    """Obey until the other end goes away or the window does."""
    wire.send({})  # it is open
    while p.isConnected():
        if not wire.poll(IDLE_S):
            pane.follow()
            continue
        orders = wire.recv()
        heavy = any(order[0] in ("mesh", "drop", "controls") for order in orders)
        if heavy:
            p.configureDebugVisualizer(p.COV_ENABLE_RENDERING, 0)  # many at once, without a frame between
        for order, *given in orders:
            getattr(pane, order)(*given)
        if heavy:
            p.configureDebugVisualizer(p.COV_ENABLE_RENDERING, 1)
        wire.send(pane.hand())


def main() -> None:
    """`pane.py FD WIDTH HEIGHT RED GREEN BLUE`, in a folder where files may be written."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the other end, and that ends this one
    wire = Connection(int(sys.argv[1]))
    width, height = (int(n) for n in sys.argv[2:4])
    pane = Pane(width, height, *(float(n) for n in sys.argv[4:7]))
    try:
        serve(wire, pane)
    except (EOFError, ConnectionError):
        p.disconnect()
    except Exception:  # noqa: BLE001 - whatever it is, the other end tells it
        if p.isConnected():  # an order it could not obey; without the window none can be
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(FAULTY)


if __name__ == "__main__":
    main()
