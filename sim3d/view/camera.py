"""Where a picture is taken from: `Camera`, and the `Lens` it becomes once the picture's size is known.

The promise: everything inside the bounds a camera was made for is in the frame, and `project` gives the pixel that
shows a point. Pixels count from the top left corner; the centre of the first is (0.5, 0.5).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sim3d.space import Floats

Triple = tuple[float, float, float]

FOV_DEG = 28.0  # a short telephoto: models keep their proportions, and the far end of a table is still smaller
MARGIN = 0.04  # of the frame's shorter side, left free on every side
NEAREST_MM = 1.0  # nothing closer than this to the eye is drawn
SMALLEST_MM = 1e-3  # a scene with no extent is given this much, so that it still has a scale


@dataclass(frozen=True, slots=True)
class Lens:
    """A camera fitted to one picture size; `scale` is pixels per mm, or in perspective the focal length in pixels."""

    origin: Triple
    right: Triple
    up: Triple
    forward: Triple
    scale: float
    centre: tuple[float, float]
    perspective: bool
    nearest_mm: float = NEAREST_MM

    def frame(self) -> Floats:
        """Origin, right, up and forward as the rows of a (4, 3) array."""
        return np.array([self.origin, self.right, self.up, self.forward], dtype=np.float64)

    def optics(self) -> Floats:
        """Scale, centre x, centre y, 1 for perspective, nearest distance."""
        return np.array([self.scale, *self.centre, float(self.perspective), self.nearest_mm], dtype=np.float64)

    def enlarged(self, times: float) -> Lens:
        """The same view on a picture `times` as wide and high; it may be less than one."""
        centre = (self.centre[0] * times, self.centre[1] * times)
        return replace(self, scale=self.scale * times, centre=centre)

    def project(self, points: Any) -> Floats:
        """Pixel coordinates (n, 2) of points (n, 3) in mm; NaN for what is behind the eye."""
        x, y, z = _along(self, points)
        if self.perspective:
            z = np.where(z > 0, z, np.nan)
            x, y = x / z, y / z
        return np.stack([self.centre[0] + self.scale * x, self.centre[1] - self.scale * y], axis=1)


@dataclass(frozen=True, slots=True)
class Camera:
    """A direction to look in, and either what to show whole (a box by two corners, or points) or an eye to look from.

    >>> camera = Camera.plan([[-50, -50, 0], [50, 50, 30]], margin=0.0)
    >>> camera.project([[0, 0, 0], [50, 50, 0]], width=200, height=100).tolist()
    [[100.0, 50.0], [150.0, 0.0]]
    """

    right: Triple
    up: Triple
    forward: Triple
    fov_deg: float  # of the frame's longer side; 0 is a parallel projection
    shown: tuple[Triple, ...] | None = None
    eye: Triple | None = None
    margin: float = MARGIN
    inset: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)

    @staticmethod
    def plan(
        bounds: Any, *, margin: float = MARGIN, inset: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    ) -> Camera:
        """From straight above, to scale, x to the right; `inset` (left, top, right, bottom) pixels stay free."""
        return Camera(
            (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0), 0.0, _corners(bounds), margin=margin, inset=inset
        )

    @staticmethod
    def around(
        bounds: Any,
        *,
        azimuth_deg: float = -60.0,
        elevation_deg: float = 35.0,
        perspective: bool = True,
        fov_deg: float = FOV_DEG,
        margin: float = MARGIN,
        inset: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0),
    ) -> Camera:
        """From the side: standing at `azimuth_deg` (counter-clockwise from +x), looking down `elevation_deg`."""
        right, up, forward = _axes(math.radians(azimuth_deg), math.radians(elevation_deg))
        fov = fov_deg if perspective else 0.0
        return Camera(right, up, forward, fov, _corners(bounds), margin=margin, inset=inset)

    @staticmethod
    def looking(eye: Any, target: Any, *, fov_deg: float = FOV_DEG) -> Camera:
        """From the point `eye` at the point `target`; whatever is outside the frame is not shown."""
        ex, ey, ez = (float(a) for a in eye)
        tx, ty, tz = (float(a) for a in target)
        flat = math.hypot(ex - tx, ey - ty)
        if not (flat > 0 or ez != tz):
            raise ValueError("an eye cannot look at itself: eye and target are the same point")
        azimuth = math.atan2(ey - ty, ex - tx) if flat > 0 else -math.pi / 2
        right, up, forward = _axes(azimuth, math.atan2(ez - tz, flat))
        return Camera(right, up, forward, fov_deg, eye=(ex, ey, ez))

    def lens(self, *, width: int, height: int) -> Lens:
        """This camera on a picture of `width` by `height` pixels."""
        focal = max(width, height) / 2 / math.tan(math.radians(self.fov_deg) / 2) if self.fov_deg > 0 else 0.0
        if self.eye is not None:
            return Lens(self.eye, self.right, self.up, self.forward, focal, (width / 2, height / 2), True)
        left, top, right, bottom = self.inset
        edge = self.margin * min(width, height)
        half_w = max(1.0, (width - left - right) / 2 - edge)
        half_h = max(1.0, (height - top - bottom) / 2 - edge)
        centre = (left + (width - left - right) / 2, top + (height - top - bottom) / 2)
        if self.shown is None:
            raise ValueError("a camera needs bounds to show or an eye to look from")
        flat = Lens((0.0, 0.0, 0.0), self.right, self.up, self.forward, 1.0, centre, False)
        x, y, z = _along(flat, self.shown)
        if self.fov_deg > 0:
            return self._fitted(x, y, z, half_w, half_h, focal, flat)
        across, tall = max(np.ptp(x), SMALLEST_MM), max(np.ptp(y), SMALLEST_MM)
        scale = float(min(2 * half_w / across, 2 * half_h / tall))
        middle = ((x.min() + x.max()) / 2, (y.min() + y.max()) / 2, float(z.min()))
        return replace(flat, origin=_outward(flat, middle), scale=scale)

    def _fitted(self, x: Floats, y: Floats, z: Floats, half_w: float, half_h: float, focal: float, flat: Lens) -> Lens:
        # A corner is inside the right border when x - a <= t (z + d) for the eye at (a, b, -d), and likewise on the
        # other sides: the two largest of x - t z and -x - t z give the nearest d and the a in the middle.
        t, s = half_w / focal, half_h / focal
        right, left = (x - t * z).max(), (-x - t * z).max()
        top, bottom = (y - s * z).max(), (-y - s * z).max()
        away = max((right + left) / (2 * t), (top + bottom) / (2 * s), SMALLEST_MM - z.min())
        eye = _outward(flat, ((right - left) / 2, (top - bottom) / 2, -float(away)))
        nearest = max(float(z.min() + away) / 2, SMALLEST_MM)
        return replace(flat, origin=eye, scale=focal, perspective=True, nearest_mm=min(nearest, NEAREST_MM))

    def project(self, points: Any, *, width: int, height: int) -> Floats:
        """Where points (n, 3) mm are seen, in pixels (n, 2), on a picture of this size."""
        return self.lens(width=width, height=height).project(points)

    def mm_per_pixel(self, *, width: int, height: int) -> float:
        """How much one pixel shows: of a parallel projection exactly; in perspective, at the middle of the bounds."""
        lens = self.lens(width=width, height=height)
        if not lens.perspective:
            return 1 / lens.scale
        if self.shown is None:
            raise ValueError("a camera that looks from an eye has no one scale")
        middle = (np.min(self.shown, axis=0) + np.max(self.shown, axis=0)) / 2
        return float(_along(lens, middle[None])[2][0]) / lens.scale


def _axes(azimuth: float, elevation: float) -> tuple[Triple, Triple, Triple]:
    ca, sa, ce, se = math.cos(azimuth), math.sin(azimuth), math.cos(elevation), math.sin(elevation)
    return (-sa, ca, 0.0), (-se * ca, -se * sa, ce), (-ce * ca, -ce * sa, -se)


def _along(lens: Lens, points: Any) -> tuple[Floats, Floats, Floats]:
    """Written out, not `@`: a library's matrix product may round differently from machine to machine."""
    p = np.asarray(points, dtype=np.float64).reshape(-1, 3) - np.array(lens.origin)
    r, u, f = lens.right, lens.up, lens.forward
    return (
        p[:, 0] * r[0] + p[:, 1] * r[1] + p[:, 2] * r[2],
        p[:, 0] * u[0] + p[:, 1] * u[1] + p[:, 2] * u[2],
        p[:, 0] * f[0] + p[:, 1] * f[1] + p[:, 2] * f[2],
    )


def _outward(lens: Lens, at: tuple[float, float, float]) -> Triple:
    x, y, z = at
    r, u, f = lens.right, lens.up, lens.forward
    return (
        float(x * r[0] + y * u[0] + z * f[0]),
        float(x * r[1] + y * u[1] + z * f[1]),
        float(x * r[2] + y * u[2] + z * f[2]),
    )


def _corners(bounds: Any) -> tuple[Triple, ...]:
    """The eight corners of a box given by two, or the points themselves if there are more."""
    b = np.asarray(bounds, dtype=np.float64)
    if b.ndim != 2 or b.shape[1] != 3 or len(b) < 2 or not np.isfinite(b).all():
        raise ValueError(f"bounds are two corners of a box or a list of points, all finite; got shape {b.shape}")
    rows = [(float(x), float(y), float(z)) for x, y, z in b]
    if len(rows) > 2:
        return tuple(rows)
    (ax, ay, az), (bx, by, bz) = rows
    return tuple((x, y, z) for x in (ax, bx) for y in (ay, by) for z in (az, bz))
