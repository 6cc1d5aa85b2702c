"""A standing map to look at: a plan in colours with a legend, and the same colours draped over the terrain as a GLB.

A word has one colour everywhere; stable ground is the deeper green the farther a gravity tilt may go.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sim3d.atlas import Atlas, Layer
from sim3d.settle import NUDGE_DEG
from sim3d.solid.write import Part, glb
from sim3d.stand import WORDS
from sim3d.view.draw import legend, legend_size, scale_bar, text
from sim3d.view.picture import BAD, GOOD, INK, WARN, Colour, Image
from sim3d.view.png import png_bytes
from sim3d.view.scene import UNSURE

COLOURS: Mapping[str, Colour] = {
    "off-table": (0.93, 0.93, 0.92),
    "blocked": (0.42, 0.43, 0.45),
    "falls": (0.16, 0.16, 0.18),
    "topples": BAD,
    "slides": (0.62, 0.28, 0.45),
    "too-steep": (0.88, 0.46, 0.30),
    "precarious": WARN,
    "stable": GOOD,
    "undecided": UNSURE,
}
BARELY: Colour = (0.70, 0.86, 0.55)  # stable, by little
SURE_DEG = 30.0  # a tip from which on the green is as deep as it gets
FEWEST, MOST = 500, 4000  # pixels along the longer side of a plan
OVER_MM = 0.2  # draped colours lie this much over the terrain


def colours_of(layer: Layer) -> NDArray[np.uint8]:
    """A colour (ny, nx, 3) for every cell."""
    table = np.array([COLOURS[word] for word in WORDS])
    out = table[layer.words]
    sure = np.clip((layer.numbers[:, :, 5] - NUDGE_DEG) / (SURE_DEG - NUDGE_DEG), 0.0, 1.0)[:, :, None]
    stable = (layer.words == WORDS.index("stable"))[:, :, None]
    out = np.where(stable, np.array(BARELY) * (1.0 - sure) + np.array(GOOD) * sure, out)
    colours: NDArray[np.uint8] = np.floor(out * 255.0 + 0.5).astype(np.uint8)
    return colours


def plan_of(atlas: Atlas, *, layer: int = 0) -> bytes:
    """A PNG of one layer from above, north up, with a legend of the words that occur and a scale bar."""
    one = atlas.layers[layer]
    cells = colours_of(one)[::-1]
    ny, nx = cells.shape[:2]
    zoom = max(1, math.ceil(FEWEST / max(ny, nx)))
    every = max(1, math.ceil(max(ny, nx) / MOST))  # a very large map shows every nth cell
    cells = np.repeat(np.repeat(cells[::every, ::every], zoom, axis=0), zoom, axis=1)
    height, width = cells.shape[:2]
    size = max(14.0, max(height, width) / 55.0)
    words = [w for w in WORDS if w in atlas.areas(layer)]
    title = f"base {atlas.base}" + ("" if one.level is None else f", below {one.level:g} mm")
    entries = [entry for word in words for entry in _swatches(word)]
    wide, high = legend_size(entries, title=title, size=size)
    side = max(int(13 * size), math.ceil(wide + size))
    image: Image = np.full((max(height, math.ceil(high + 5.5 * size)), width + side, 3), 255, np.uint8)
    image[:height, :width] = cells
    legend(image, (width + size / 2, size / 2), entries, title=title, size=size)
    total = one.words.size
    stable = atlas.areas(layer).get("stable", 0.0) / (total * atlas.pitch_mm**2)
    text(image, (width + size / 2, image.shape[0] - 1.2 * size), f"{100 * stable:.1f} % stable", size=size, colour=INK)
    at = (width + size / 2, image.shape[0] - 3.2 * size)
    scale_bar(image, at, mm_per_pixel=atlas.pitch_mm * every / zoom, longest=side - 2 * size, size=size)
    return png_bytes(image)


def _swatches(word: str) -> tuple[tuple[Colour, str], ...]:
    """What a legend says of a word: of stable ground how pale and how deep its green is."""
    if word != "stable":
        return ((COLOURS[word], word),)
    return ((GOOD, f"stable, tips past {SURE_DEG:g}°"), (BARELY, f"stable, tips past {NUDGE_DEG:g}°"))


def draped(atlas: Atlas, *, layer: int = 0) -> bytes:
    """A GLB of one layer's colours on the terrain: a corner in the middle of every cell, on the ground there.

    A single row or column of cells is a strip as wide as they are.
    """
    one = atlas.layers[layer]
    z, colours = one.numbers[:, :, 7], colours_of(one)
    middles = [atlas.ys(), atlas.xs()]
    for axis in (0, 1):
        if z.shape[axis] == 1:
            z, colours = np.repeat(z, 2, axis=axis), np.repeat(colours, 2, axis=axis)
            middles[axis] = middles[axis] + np.array([-0.5, 0.5]) * atlas.pitch_mm
    ny, nx = z.shape
    x, y = np.meshgrid(middles[1], middles[0])
    known = np.isfinite(z)
    vertices = np.column_stack([x.ravel(), y.ravel(), np.where(known, z, 0.0).ravel() + OVER_MM])
    n = np.arange(ny * nx).reshape(ny, nx)
    a, b, c, d = n[:-1, :-1], n[:-1, 1:], n[1:, 1:], n[1:, :-1]
    whole = (known[:-1, :-1] & known[:-1, 1:] & known[1:, 1:] & known[1:, :-1]).ravel()
    quads = np.stack([a, b, c, d], axis=-1).reshape(-1, 4)[whole]
    faces = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    used, numbers = np.unique(faces, return_inverse=True)
    if not len(used):
        raise ValueError("there is no ground under this map to drape it over")
    shades = colours.reshape(-1, 3)[used] / 255.0
    return glb([Part(f"base {atlas.base}", vertices[used], numbers.reshape(-1, 3), shades)])


def written(made: Atlas, path: Path) -> Iterator[tuple[Path, bytes]]:
    """The files of a map in the form its name asks for; pictures, one per layer."""
    if path.suffix == ".npz":
        yield path, made.as_npz()
    elif path.suffix == ".csv":
        yield path, made.as_csv().encode()
    else:
        for k in range(len(made.layers)):
            name = path if k == 0 else path.with_stem(f"{path.stem}-{k}")
            yield name, (plan_of if path.suffix == ".png" else draped)(made, layer=k)
