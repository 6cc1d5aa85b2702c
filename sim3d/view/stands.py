"""Verdicts in a picture: every mini in the pose it was found in, its body in the colour of its word, and a number.

Nothing is drawn standing that has no rest: without a pose a mini hovers upright over its place, pale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim3d.space import Pose
from sim3d.stand import Stand
from sim3d.table import Placed, Table
from sim3d.view.camera import Camera
from sim3d.view.draw import legend, line, text
from sim3d.view.figures import over_mm
from sim3d.view.picture import INK, PAPER, Colour, Shape, outline_of, render
from sim3d.view.png import png_bytes
from sim3d.view.scene import colour_of
from sim3d.view.tableau import mini_shapes, shapes_of

LABEL_MM = 34.0  # over a mini's top: where its number hangs, clear of its neighbours


@dataclass(frozen=True, slots=True)
class Shown:
    """A mini, what was found about it, and what to write over it."""

    placed: Placed
    stand: Stand
    label: str = ""


def picture_of_stands(
    table: Table,
    shown: Sequence[Shown],
    *,
    width: int,
    height: int,
    azimuth_deg: float = -60.0,
    elevation_deg: float = 38.0,
    title: str = "",
) -> bytes:
    """A PNG of the table's terrain with these minis on it, and a legend of the words that occur."""
    terrain = shapes_of(replace(table, minis=()))
    minis: list[Shape] = []
    tops: list[tuple[float, float, float]] = []
    for one in shown:
        pose = one.stand.pose or Pose.at(*one.placed.at, over_mm(table, one.placed), turn=one.placed.turn)
        base, body = mini_shapes(one.placed, pose)
        colour = colour_of(one.stand.answer)
        minis += [base, replace(body, colour=colour if one.stand.pose else _pale(colour))]
        top = pose.apply([[0.0, 0.0, one.placed.mini.height_mm]])[0]
        tops.append((float(top[0]), float(top[1]), float(top[2])))
    shapes = [*terrain, *minis]
    flags = [Shape(np.array([[x, y, z + LABEL_MM]]), np.zeros((0, 3), dtype=np.int64)) for x, y, z in tops]
    camera = Camera.around(
        outline_of([*shapes, *flags]), azimuth_deg=azimuth_deg, elevation_deg=elevation_deg, inset=(0, 20, 0, 0)
    )
    image = render(shapes, camera, width=width, height=height)
    size = max(11.0, height / 55)
    for one, (x, y, z) in zip(shown, tops, strict=True):
        low, high = camera.project([[x, y, z + 2], [x, y, z + LABEL_MM]], width=width, height=height)
        line(image, [low, high], colour=INK, width=max(1.0, size / 12))
        text(image, high, one.label, size=size, align="centre", bold=True, halo=PAPER)
    words = tuple(dict.fromkeys(one.stand.answer for one in shown))
    if words:
        legend(image, (size, size), [(colour_of(word), word) for word in words], title=title, size=size)
    return png_bytes(image)


def _pale(colour: Colour) -> Colour:
    r, g, b = (0.45 * c + 0.55 for c in colour)
    return r, g, b
