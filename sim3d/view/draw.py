"""Marks on a picture: lines, rings, discs, areas, words, a scale bar and a legend, all with smooth edges.

A picture is paint: marks are made on it in place, in pixels from its top left corner, and what falls outside is left
out. Colours are those of a screen, 0 to 1; `alpha` 1 hides what is below.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sim3d.compiled import lean
from sim3d.space import Floats
from sim3d.view.font import CAPITAL, laid_out
from sim3d.view.picture import INK, PAPER, Colour, Image

CAPITAL_SHARE = 0.72  # of a text's size is the height of a capital
PEN = 0.095  # width of a letter's stroke as a share of its size
THINNEST = 1.15  # pixels: a thinner stroke would fade
SUB_ROWS = 5  # lines through a pixel row along which an area's coverage is exact
SPACING = 1.55  # from baseline to baseline, in sizes
FAR_OUTSIDE = 1e6  # pixels
SCALE_STEPS = (1, 2, 5)  # a scale bar is one of these times a power of ten


@lean
def cover_line(cover: Any, left: int, top: int, points: Any, half: float, dark: float) -> None:
    """Raise a mask whose first pixel is (left, top) to `dark` within `half` of a line, less where its edge cuts one."""
    last = points.shape[0] - 1
    for k in range(max(1, last)):
        ax, ay, bx, by = points[k, 0], points[k, 1], points[min(k + 1, last), 0], points[min(k + 1, last), 1]
        dx, dy = bx - ax, by - ay
        long = dx * dx + dy * dy
        low_x, high_x = max(min(ax, bx) - half - 1, -FAR_OUTSIDE), min(max(ax, bx) + half + 1, FAR_OUTSIDE)
        low_y, high_y = max(min(ay, by) - half - 1, -FAR_OUTSIDE), min(max(ay, by) + half + 1, FAR_OUTSIDE)
        for row in range(max(0, math.floor(low_y) - top), min(cover.shape[0], math.ceil(high_y) - top)):
            y = row + top + 0.5 - ay
            for column in range(max(0, math.floor(low_x) - left), min(cover.shape[1], math.ceil(high_x) - left)):
                x = column + left + 0.5 - ax
                t = min(max((x * dx + y * dy) / long, 0.0), 1.0) if long > 0 else 0.0
                away = math.sqrt((x - t * dx) ** 2 + (y - t * dy) ** 2)
                cover[row, column] = max(cover[row, column], min(max(half + 0.5 - away, 0.0), 1.0) * dark)


class _Mask:
    """How much each pixel of a window of the picture is covered, 0 to 1."""

    def __init__(self, image: Image, low: tuple[float, float], high: tuple[float, float]) -> None:
        height, width = image.shape[:2]
        self.image = image
        self.x, self.y = max(0, math.floor(_held(low[0]))), max(0, math.floor(_held(low[1])))
        self.right, self.bottom = min(width, math.ceil(_held(high[0]))), min(height, math.ceil(_held(high[1])))
        self.cover = np.zeros((max(0, self.bottom - self.y), max(0, self.right - self.x)))

    def window(self, low: tuple[float, float], high: tuple[float, float]) -> tuple[Any, Any, Any]:
        """The part of the mask within two corners, and its pixel centres."""
        x0, y0 = max(self.x, math.floor(_held(low[0]))), max(self.y, math.floor(_held(low[1])))
        x1, y1 = min(self.right, math.ceil(_held(high[0]))), min(self.bottom, math.ceil(_held(high[1])))
        part = self.cover[max(0, y0 - self.y) : max(0, y1 - self.y), max(0, x0 - self.x) : max(0, x1 - self.x)]
        return part, np.arange(part.shape[1])[None] + x0 + 0.5, np.arange(part.shape[0])[:, None] + y0 + 0.5

    def stroke(self, points: Floats, width: float) -> None:
        """A line with round ends through the points; where it crosses itself it is not darker."""
        if self.cover.size:
            cover_line(self.cover, self.x, self.y, np.ascontiguousarray(points), width / 2, min(1.0, width))

    def paint(self, colour: Colour, alpha: float) -> None:
        """Put the colour on the picture where the mask covers it."""
        if not self.cover.size:
            return
        spot = self.image[self.y : self.bottom, self.x : self.right]
        weight = (np.clip(self.cover, 0, 1) * min(max(alpha, 0.0), 1.0))[:, :, None]
        ink = np.clip(np.array(colour, dtype=np.float64), 0, 1) * 255
        spot[:] = np.floor(spot * (1 - weight) + ink * weight + 0.5).astype(np.uint8)


def line(image: Image, points: Any, *, colour: Colour = INK, width: float = 2.0, alpha: float = 1.0) -> None:
    """A line of `width` pixels through points (n, 2), with round ends; points that are not finite break it."""
    p = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    runs = [r[np.isfinite(r).all(axis=1)] for r in np.split(p, np.nonzero(~np.isfinite(p).all(axis=1))[0])]
    runs = [r for r in runs if len(r)]
    if runs:
        whole = np.concatenate(runs)
        mask = _Mask(image, _corner(whole.min(axis=0) - width / 2 - 1), _corner(whole.max(axis=0) + width / 2 + 1))
        for run in runs:
            mask.stroke(run, width)
        mask.paint(colour, alpha)


def disc(image: Image, centre: Any, radius: float, *, colour: Colour = INK, alpha: float = 1.0) -> None:
    """A filled circle."""
    line(image, [centre], colour=colour, width=2 * radius, alpha=alpha)


def circle(
    image: Image, centre: Any, radius: float, *, colour: Colour = INK, width: float = 2.0, alpha: float = 1.0
) -> None:
    """A ring whose middle line has this radius."""
    x0, y0 = (float(a) for a in centre)
    if not (math.isfinite(x0) and math.isfinite(y0)):
        return
    reach = radius + width / 2 + 1
    mask = _Mask(image, (x0 - reach, y0 - reach), (x0 + reach, y0 + reach))
    part, x, y = mask.window((x0 - reach, y0 - reach), (x0 + reach, y0 + reach))
    away = np.abs(np.sqrt((x - x0) ** 2 + (y - y0) ** 2) - radius)
    part[:] = np.clip(width / 2 + 0.5 - away, 0, 1) * min(1.0, width)
    mask.paint(colour, alpha)


def polygon(image: Image, points: Any, *, colour: Colour = INK, alpha: float = 1.0) -> None:
    """The area inside a closed outline (n, 2), even-odd where it crosses itself."""
    p = np.asarray(points, dtype=np.float64).reshape(-1, 2)
    if len(p) < 3 or not np.isfinite(p).all():
        return
    mask = _Mask(image, _corner(p.min(axis=0)), _corner(p.max(axis=0) + 1))
    edges = np.concatenate([p, np.roll(p, -1, axis=0)], axis=1)
    borders = np.arange(mask.cover.shape[1] + 1, dtype=np.float64) + mask.x
    for row in range(mask.cover.shape[0]):
        for k in range(SUB_ROWS):
            y = mask.y + row + (k + 0.5) / SUB_ROWS
            crossing = edges[(edges[:, 1] <= y) != (edges[:, 3] <= y)]
            share = (y - crossing[:, 1]) / (crossing[:, 3] - crossing[:, 1])
            xs = np.sort(crossing[:, 0] + share * (crossing[:, 2] - crossing[:, 0]))
            for start, stop in zip(xs[::2].tolist(), xs[1::2].tolist(), strict=True):
                mask.cover[row] += np.diff(np.clip(borders, start, stop)) / SUB_ROWS
    mask.paint(colour, alpha)


def rectangle(
    image: Image, low: Any, high: Any, *, colour: Colour = INK, width: float | None = None, alpha: float = 1.0
) -> None:
    """A filled rectangle between two corners, or with `width` only its outline."""
    (x0, y0), (x1, y1) = _corner(low), _corner(high)
    outline = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
    if width is None:
        polygon(image, outline, colour=colour, alpha=alpha)
    else:
        line(image, [*outline, outline[0]], colour=colour, width=width, alpha=alpha)


def text_width(words: str, *, size: float = 16.0) -> float:
    """How many pixels wide a line of text is.

    >>> text_width("")
    0.0
    """
    return laid_out(words)[1] * size * CAPITAL_SHARE / CAPITAL


def text(
    image: Image,
    at: Any,
    words: str,
    *,
    size: float = 16.0,
    colour: Colour = INK,
    align: str = "left",
    bold: bool = False,
    halo: Colour | None = None,
    alpha: float = 1.0,
) -> None:
    """Words whose baseline begins at `at` (or is centred on it, or ends there: `align` left, centre, right).

    `halo` is a soft border in another colour, for words on a picture.
    """
    if align not in ("left", "centre", "right"):
        raise ValueError(f"text is aligned left, centre or right, not {align!r}")
    x, y = (float(a) for a in at)
    strokes, units = laid_out(words)
    if not strokes or not (math.isfinite(x) and math.isfinite(y)):
        return
    unit = size * CAPITAL_SHARE / CAPITAL
    x -= units * unit * {"left": 0.0, "centre": 0.5, "right": 1.0}[align]
    pen = max(THINNEST, size * PEN * (1.6 if bold else 1.0))
    border = max(2.0, size * 0.16) if halo is not None else 0.0
    reach = pen + border + 2
    low = (x - reach, y - size - reach)
    high = (x + units * unit + reach, y + 0.4 * size + reach)
    lines = [s * np.array([unit, -unit]) + np.array([x, y]) for s in strokes]
    for wide, ink in ((pen + 2 * border, halo), (pen, colour)):
        if ink is not None:
            mask = _Mask(image, low, high)
            for stroke in lines:
                mask.stroke(stroke, wide)
            mask.paint(ink, alpha * 0.85 if ink is halo and ink is not colour else alpha)


def scale_bar(
    image: Image, at: Any, *, mm_per_pixel: float, longest: float = 200.0, size: float = 15.0, colour: Colour = INK
) -> float:
    """A bar of a round length from `at` to the right, at most `longest` pixels, with words above; its length in mm."""
    limit = longest * mm_per_pixel
    power = 10.0 ** math.floor(math.log10(limit))
    length = max(s * power for s in SCALE_STEPS if s * power <= limit)
    x, y = (float(a) for a in at)
    end = x + length / mm_per_pixel
    line(image, [(x, y - 5), (x, y), (end, y), (end, y - 5)], colour=colour, width=2.0)
    text(image, ((x + end) / 2, y - 9), f"{length:g} mm", size=size, colour=colour, align="centre")
    return length


def legend_size(entries: Sequence[tuple[Colour, str]], *, title: str = "", size: float = 15.0) -> tuple[float, float]:
    """How wide and high a legend's card is."""
    step, pad = size * SPACING, size * 0.8
    rows = len(entries) + (1 if title else 0)
    wide = max([text_width(title, size=size), *(step + text_width(words, size=size) for _, words in entries)])
    return wide + 2 * pad, rows * step + 2 * pad - (step - size)


def legend(
    image: Image, at: Any, entries: Sequence[tuple[Colour, str]], *, title: str = "", size: float = 15.0
) -> tuple[float, float]:
    """A card with a swatch and a word for each entry, its top left corner at `at`; its width and height."""
    x, y = (float(a) for a in at)
    step, pad = size * SPACING, size * 0.8
    width, height = legend_size(entries, title=title, size=size)
    rectangle(image, (x, y), (x + width, y + height), colour=PAPER, alpha=0.92)
    line(
        image,
        [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)],
        colour=(0.7, 0.71, 0.72),
        width=1.0,
    )
    base = y + pad + size * 0.86
    if title:
        text(image, (x + pad, base), title, size=size, bold=True)
        base += step
    for colour, words in entries:
        top = base - size * 0.80
        rectangle(image, (x + pad, top), (x + pad + size * 0.9, top + size * 0.9), colour=colour)
        text(image, (x + pad + step, base), words, size=size)
        base += step
    return width, height


def _corner(point: Any) -> tuple[float, float]:
    x, y = point
    return float(x), float(y)


def _held(value: float) -> float:
    """A coordinate far outside is outside, but still a whole number one can count with."""
    return min(max(value, -FAR_OUTSIDE), FAR_OUTSIDE)
