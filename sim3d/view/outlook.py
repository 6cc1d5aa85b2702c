"""From which side a picture is taken where nobody said: the usual one, unless what it is about is hidden from there.

The promise: the same shapes give the same side, and no other side shows what the picture is about much better.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import numpy as np

from sim3d.view.camera import Camera, Lens
from sim3d.view.picture import Shape
from sim3d.view.raster import rasterise

USUAL_DEG = -60.0
TURNS_DEG = (0.0, -30.0, 30.0, -60.0, 60.0, -90.0, 90.0, -120.0, 120.0, -150.0, 150.0, 180.0)  # the nearest ones first
LOOK_PX = 300  # the longer side of a look
ENOUGH = 0.25  # a side that shows so much less of them than another one is not taken
NEARLY = 0.05  # of two sides as good as one another by this, the one nearer to the usual


def side_of(
    around: Sequence[Shape],
    subjects: Sequence[Sequence[Shape]],
    camera_at: Callable[..., Camera],
    *,
    width: int,
    height: int,
) -> float:
    """The azimuth, degrees, from which the subjects are seen well: `camera_at` an azimuth is how the picture is taken.

    Each subject counts alike, by the share of it that nothing hides; from everywhere none is seen inside of a house.
    """
    if not subjects:
        return USUAL_DEG
    share = min(1.0, LOOK_PX / max(width, height))
    size = (max(1, round(share * height)), max(1, round(share * width)))

    def seen(turn: float) -> float:
        lens = camera_at(azimuth_deg=USUAL_DEG + turn).lens(width=width, height=height).enlarged(share)
        return _seen(around, subjects, lens, size)

    shares = [seen(TURNS_DEG[0])]
    if shares[0] < 1.0 - ENOUGH:
        shares += [seen(turn) for turn in TURNS_DEG[1:]]
    best = max(shares)
    if shares[0] >= best - ENOUGH:
        return USUAL_DEG
    return USUAL_DEG + next(turn for turn, share in zip(TURNS_DEG, shares, strict=True) if share >= best - NEARLY)


def _seen(around: Sequence[Shape], subjects: Sequence[Sequence[Shape]], lens: Lens, size: tuple[int, int]) -> float:
    """The share of the subjects that is seen, on average, with all that is around them."""
    alone = [_pixels([subject], lens, size)[0] for subject in subjects]
    among = _pixels([*subjects, around], lens, size)
    return float(np.mean([min(1.0, a / b) if b else 0.0 for a, b in zip(among, alone, strict=False)]))


def _pixels(groups: Sequence[Sequence[Shape]], lens: Lens, size: tuple[int, int]) -> list[int]:
    """How many pixels show each group of shapes, the nearest in front."""
    shapes = [shape for group in groups for shape in group]
    first = np.cumsum([0, *(len(shape.vertices) for shape in shapes)])
    points = np.concatenate([shape.vertices for shape in shapes] or [np.zeros((0, 3))])
    faces = [shape.faces + np.int32(k) for shape, k in zip(shapes, first[:-1], strict=True)]
    drawn = np.ascontiguousarray(np.concatenate([np.zeros((0, 3), np.int32), *faces]).astype(np.int32))
    _, shown = rasterise(points, drawn, lens, size=size, keep=True, threads=os.cpu_count() or 1)
    owner = np.repeat(np.arange(len(groups)), [sum(len(shape.faces) for shape in group) for group in groups])
    return [int(n) for n in np.bincount(owner[shown[shown >= 0]], minlength=len(groups))]
