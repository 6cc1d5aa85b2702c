"""Pictures without a window: shapes, a camera, and `render`, which gives the same bytes for the same input.

In every process on a machine, and with any number of threads.

Nothing is drawn that is not there: every pixel of a shape is a sample of a triangle, and `Camera.project` says which
pixel shows a point, so that marks can be drawn over the picture (see `sim3d.view.draw`).
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim3d.compiled import compiled
from sim3d.space import Floats
from sim3d.view.camera import Camera, Lens
from sim3d.view.light import CREASE_PIXELS, corner_normals, crease_light, illuminate, place, sample_normals, shares
from sim3d.view.png import png_bytes, write_png
from sim3d.view.raster import Indices, in_parallel, rasterise, rows_of

__all__ = ["Camera", "Colour", "Image", "Lens", "Shape", "bounds_of", "outline_of", "png_bytes", "render", "write_png"]

Colour = tuple[float, float, float]  # sRGB as on a screen, 0 to 1
Image = NDArray[np.uint8]

# --- the palette: quiet grounds, so that marks in strong colours are what one sees ---------------------------------
STONE: Colour = (0.66, 0.65, 0.62)
SAND: Colour = (0.80, 0.70, 0.53)
RUST: Colour = (0.60, 0.38, 0.27)
METAL: Colour = (0.52, 0.56, 0.60)
WOOD: Colour = (0.55, 0.41, 0.28)
BONE: Colour = (0.87, 0.83, 0.74)
FELT: Colour = (0.36, 0.43, 0.33)  # a playing surface, grassy
EARTH: Colour = (0.47, 0.40, 0.33)
SLATE: Colour = (0.27, 0.30, 0.34)  # a dark playing surface
BASE: Colour = (0.13, 0.13, 0.14)  # the rim of a miniature's base
GOOD: Colour = (0.16, 0.62, 0.47)  # these three stay apart for colour-blind eyes
WARN: Colour = (0.93, 0.66, 0.14)
BAD: Colour = (0.80, 0.24, 0.22)
INK: Colour = (0.12, 0.13, 0.15)
PAPER: Colour = (0.97, 0.97, 0.96)
BACKDROP: tuple[Colour, Colour] = ((0.955, 0.958, 0.962), (0.80, 0.815, 0.83))  # top, bottom

KEY = (1.42, 1.34, 1.21)  # the key light is a little warm and the sky a little cool: faces part without outlines
SKY = (0.47, 0.52, 0.59)
BOUNCE = (0.075, 0.07, 0.065)  # light from below and from the room: no surface is black
FINE_GRAIN_MM = 0.9
COARSE_GRAIN_MM = 11.0
FARTHEST_MM = 1e9  # a thousand kilometres: farther off, numbers are not models any more
OUTLINE_DIRECTIONS = 200  # an extreme point is missed by less than the camera's margin
MOST_SAMPLES = 16_000_000  # shaded at once, some 40 bytes each: a larger picture is made in bands of rows
AROUND_PIXELS = math.ceil(CREASE_PIXELS) + 1  # rows a band sees above and below itself, so that its edges do not show
SHOULDER = 0.62  # brightness from which highlights are pressed together instead of cut off


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """Triangles in one colour, or with `colours` (n, 3) per vertex or (m, 3) per face where the counts tell which.

    `grain` mottles the surface (felt 0.25, stone 0.15); `smooth` rounds what bends less than a crease where faces share
    vertices. Where there are as many vertices as faces, colours are per face.

    >>> len(Shape([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]], STONE).faces)
    1
    """

    vertices: Any
    faces: Any
    colour: Colour = STONE
    colours: Any = None
    grain: float = 0.0
    smooth: bool = True

    def __post_init__(self) -> None:
        vertices = np.ascontiguousarray(self.vertices, dtype=np.float64).reshape(-1, 3)
        faces = np.ascontiguousarray(self.faces, dtype=np.int32).reshape(-1, 3)
        if not (np.abs(vertices) <= FARTHEST_MM).all():
            raise ValueError(f"a shape's vertices must be finite and within {FARTHEST_MM:g} mm of the origin")
        if faces.size and (faces.min() < 0 or faces.max() >= len(vertices)):
            raise ValueError(f"a shape's faces name vertices 0 to {len(vertices) - 1}; one names another")
        object.__setattr__(self, "vertices", vertices)
        object.__setattr__(self, "faces", faces)
        if self.colours is not None:
            colours = np.ascontiguousarray(self.colours, dtype=np.float64)
            if colours.shape not in ((len(faces), 3), (len(vertices), 3)) or not np.isfinite(colours).all():
                raise ValueError(f"colours are (n, 3) per vertex or (m, 3) per face and finite, got {colours.shape}")
            object.__setattr__(self, "colours", colours)


def bounds_of(shapes: Sequence[Shape]) -> Floats:
    """The lowest and the highest corner (2, 3) of all vertices in mm; without any, a millimetre about the origin."""
    filled = [s.vertices for s in shapes if len(s.vertices)]
    if not filled:
        return np.array([[-0.5, -0.5, 0.0], [0.5, 0.5, 0.0]])
    return np.array([np.min([v.min(axis=0) for v in filled], axis=0), np.max([v.max(axis=0) for v in filled], axis=0)])


def outline_of(shapes: Sequence[Shape]) -> Floats:
    """The vertices (k, 3) that are outermost in some direction: a camera fits them more closely than a box."""
    found = [extremes(shape.vertices) for shape in shapes if len(shape.vertices)]
    return np.concatenate(found) if found else bounds_of(shapes)


def extremes(points: Floats) -> Floats:
    """Those of points (n, 3) that are outermost in some of 200 directions."""
    n = np.arange(OUTLINE_DIRECTIONS)
    z = 1 - (2 * n + 1) / OUTLINE_DIRECTIONS
    flat, turn = np.sqrt(1 - z * z), n * math.pi * (3 - math.sqrt(5))
    best = {int(np.argmax(points[:, 0] * a + points[:, 1] * b + points[:, 2] * c)) for a, b, c in _rays(flat, turn, z)}
    return points[sorted(best)]


def _rays(flat: Any, turn: Any, z: Any) -> list[tuple[float, float, float]]:
    return list(zip((flat * np.cos(turn)).tolist(), (flat * np.sin(turn)).tolist(), z.tolist(), strict=True))


@compiled
def mottle(x: float, y: float, z: float) -> float:
    """Smooth noise between -1 and 1, one bump per unit, the same everywhere and always."""
    ix, iy, iz = math.floor(x), math.floor(y), math.floor(z)
    fx, fy, fz = x - ix, y - iy, z - iz
    fx, fy, fz = fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy), fz * fz * (3 - 2 * fz)
    total = 0.0
    for k in range(8):
        dx, dy, dz = k & 1, (k >> 1) & 1, (k >> 2) & 1
        h = np.uint32((ix + dx) & 0xFFFF) * np.uint32(374761393)
        h = np.uint32(h + np.uint32((iy + dy) & 0xFFFF) * np.uint32(668265263))
        h = np.uint32(h + np.uint32((iz + dz) & 0xFFFF) * np.uint32(2246822519))
        h = np.uint32((h ^ (h >> np.uint32(13))) * np.uint32(1274126177))
        value = float((h ^ (h >> np.uint32(16))) & np.uint32(0xFFFF)) / 65535.0
        total += value * (fx if dx else 1 - fx) * (fy if dy else 1 - fy) * (fz if dz else 1 - fz)
    return 2 * total - 1


@compiled
def resolve(
    points: Any, faces: Any, corner_paint: Any, paint: Any, owner: Any, grain: Any, depth: Any, shown: Any,
    normals: Any, key: Any, sky: Any, left: Any, frame: Any, optics: Any, tones: Any, backdrop: Any, over: int,
    many: int, first: int, last: int, image: Any,
) -> None:  # fmt: skip
    """Samples to pixels: paint times light, highlights pressed, averaged, and encoded for a screen.

    Rows of the image `first` to `last`; the buffers begin at row `over` of it.
    """
    total = np.zeros(3)
    for i in range(first, last):
        for j in range(image.shape[1]):
            total[:] = 0.0
            for phase in range(many * many):
                row, column = (i - over) * many + phase // many, j * many + phase % many
                f = shown[row, column]
                if f < 0:
                    for c in range(3):
                        total[c] += backdrop[i, c]
                    continue
                x, y, z = place(frame, optics, column + 0.5, row + over * many + 0.5, float(depth[row, column]))
                p, q, r = shares(points, faces, f, x, y, z)
                rough = grain[owner[f]]
                spots = 1.0
                if rough > 0:
                    fine = mottle(x / FINE_GRAIN_MM, y / FINE_GRAIN_MM, z / FINE_GRAIN_MM)
                    coarse = mottle(x / COARSE_GRAIN_MM, y / COARSE_GRAIN_MM, z / COARSE_GRAIN_MM)
                    spots = max(0.0, 1.0 + rough * (0.6 * fine + 0.4 * coarse))
                open_sky = left[row, column]
                up = 0.5 - 0.5 * normals[row, column, 2]
                for c in range(3):
                    a = paint[corner_paint[f, 0], c] * p
                    a += paint[corner_paint[f, 1], c] * q + paint[corner_paint[f, 2], c] * r
                    light = tones[0, c] * key[phase, i - over, j] * (0.4 + 0.6 * open_sky)
                    light += (tones[1, c] * sky[phase, i - over, j] + tones[2, c] * (1.0 + up)) * open_sky
                    value = a * spots * light
                    if value > SHOULDER:
                        value = SHOULDER + (1 - SHOULDER) * (1 - math.exp((SHOULDER - value) / (1 - SHOULDER)))
                    total[c] += value
            for c in range(3):
                value = min(max(total[c] / (many * many), 0.0), 1.0)
                shade = value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
                image[i, j, c] = np.uint8(shade * 255.0 + 0.5)


def render(
    shapes: Sequence[Shape],
    camera: Camera,
    *,
    width: int = 1600,
    height: int = 1000,
    background: Colour | tuple[Colour, Colour] = BACKDROP,
    supersample: int = 2,
    threads: int | None = None,
) -> Image:
    """The picture (height, width, 3) of the shapes; `background` is a colour, or one at the top and one at the bottom.

    `threads` changes how long it takes, never what comes out. `supersample=1` is a quick draft with jagged edges.
    Beside the picture and the shapes it takes about 1 GB at most, however large the picture is.
    """
    if width < 1 or height < 1 or not 1 <= supersample <= 4:
        raise ValueError(f"a picture needs pixels, and 1 to 4 samples across each: {width}x{height}, {supersample}")
    threads = max(1, threads if threads is not None else os.cpu_count() or 1)
    many = supersample
    lens = camera.lens(width=width, height=height).enlarged(many)
    points, faces, owner, smooth, paint, corner_paint = _gathered(shapes)
    corner = np.zeros((len(faces), 3, 3), dtype=np.float32)
    members = np.zeros(len(faces) * 3, dtype=np.int32)
    corner_normals(points, faces, smooth, np.zeros(len(points) + 1, dtype=np.int64), members, corner)
    low, high = bounds_of(shapes)
    scene = _Scene(
        points=points,
        faces=faces,
        corner=corner,
        owner=owner,
        grain=np.array([max(0.0, float(s.grain)) for s in shapes] or [0.0]),
        paint=paint,
        corner_paint=corner_paint,
        corners=np.array([[(low, high)[k >> a & 1][a] for a in range(3)] for k in range(8)]),
        backdrop=_backdrop(background, height),
        lens=lens,
        many=many,
        threads=threads,
    )
    image = np.zeros((height, width, 3), dtype=np.uint8)
    tall = max(1, MOST_SAMPLES // (width * many * many))
    for top in range(0, height, tall):
        _band(scene, image, top, min(height, top + tall))
    return image


@dataclass(frozen=True, slots=True, eq=False)
class _Scene:
    """What every band of a picture is made from."""

    points: Floats
    faces: Indices
    corner: Any
    owner: Indices
    grain: Floats
    paint: Floats
    corner_paint: Indices
    corners: Floats  # of the box around it all
    backdrop: Floats
    lens: Lens
    many: int
    threads: int


def _band(s: _Scene, image: Image, top: int, bottom: int) -> None:
    """Rows `top` to `bottom` of the image, seen with as many rows around them as their light depends on."""
    height, width = image.shape[:2]
    parts = 8 * s.threads
    start, stop = max(0, top - AROUND_PIXELS), min(height, bottom + AROUND_PIXELS)
    over = start * s.many
    size = ((stop - start) * s.many, width * s.many)
    depth, shown = rasterise(s.points, s.faces, s.lens, size=size, keep=True, threads=s.threads, over=over)
    frame, optics = s.lens.frame(), s.lens.optics()
    normals = np.zeros((*size, 3), dtype=np.float32)

    def normal_strip(part: int) -> None:
        first, last = rows_of(part, parts, size[0])
        sample_normals(s.points, s.faces, s.corner, depth, shown, frame, optics, over, first, last, normals)

    in_parallel(normal_strip, parts, s.threads)
    key, sky = illuminate(
        s.points, s.faces, depth, normals, s.lens, corners=s.corners, over=over, many=s.many, threads=s.threads
    )
    left = crease_light(depth, normals, s.lens, over=over, many=s.many, threads=s.threads)
    tones = np.array([KEY, SKY, BOUNCE])

    def pixel_strip(part: int) -> None:
        first, last = rows_of(part, parts, bottom - top)
        resolve(
            s.points, s.faces, s.corner_paint, s.paint, s.owner, s.grain, depth, shown, normals,
            key, sky, left, frame, optics, tones, s.backdrop, start, s.many, top + first, top + last, image,
        )  # fmt: skip

    in_parallel(pixel_strip, parts, s.threads)


def linear(colour: Any) -> Floats:
    """Screen colours (0 to 1) as amounts of light.

    >>> linear((0.0, 1.0, 1.0)).tolist()
    [0.0, 1.0, 1.0]
    """
    c = np.clip(np.asarray(colour, dtype=np.float64), 0.0, 1.0)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def _backdrop(background: Any, height: int) -> Floats:
    ends = np.asarray(background, dtype=np.float64)
    if ends.shape == (3,):
        ends = np.stack([ends, ends])
    t = ((np.arange(height) + 0.5) / height)[:, None]
    return linear(ends[0] * (1 - t) + ends[1] * t)


def _gathered(shapes: Sequence[Shape]) -> tuple[Floats, Indices, Indices, Any, Floats, Indices]:
    """All shapes as one mesh, and for every corner of every face the row of its paint."""
    points: list[Any] = [np.zeros((0, 3))]
    faces: list[Any] = [np.zeros((0, 3), dtype=np.int32)]
    paint: list[Any] = [np.zeros((0, 3))]
    corner_paint: list[Any] = [np.zeros((0, 3), dtype=np.int32)]
    offset, row = 0, 0
    for shape in shapes:
        count = len(shape.faces)
        points.append(shape.vertices)
        faces.append(shape.faces + np.int32(offset))
        if shape.colours is None:
            paint.append(linear(shape.colour)[None])
            corner_paint.append(np.full((count, 3), row, dtype=np.int32))
        else:
            paint.append(linear(shape.colours))
            own = np.repeat(np.arange(count, dtype=np.int32)[:, None], 3, axis=1)
            corner_paint.append((own if len(shape.colours) == count else shape.faces) + np.int32(row))
        offset += len(shape.vertices)
        row += len(paint[-1])
    counts = [len(s.faces) for s in shapes]
    owner = np.repeat(np.arange(len(shapes), dtype=np.int32), counts)
    smooth = np.repeat(np.array([s.smooth for s in shapes], dtype=np.bool_), counts)
    return (
        np.concatenate(points),
        np.ascontiguousarray(np.concatenate(faces)),
        owner,
        smooth,
        np.concatenate(paint),
        np.ascontiguousarray(np.concatenate(corner_paint)),
    )
