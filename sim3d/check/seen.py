"""What a proof looks at: the table's triangles around a base, and plain geometry on them; none is left out."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from sim3d.mini import Mini
from sim3d.plane import Outline, shrunk
from sim3d.space import CHORD_MM, Bools, Floats, Ints, Pose
from sim3d.table import Piece, Table

WALL_COS = 0.342  # cosine of 70 degrees: what is steeper and goes on over the cut height is a wall, it carries nothing
PLACE_MM = 1e-3  # terrain this far into the base, or off a contact, is no lie: nobody can call a word that near
NEARLY_MM = 1e-9  # boxes that are no farther apart may meet, but for a rounding
AT_ONCE = 400_000  # pairs of edges compared in one go: some ten megabytes


# --- what is on the table ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything a proof looks at: the terrain near a base, cut at its level, and the base."""

    tris: Floats  # (k, 3, 3) mm on the table
    low: Floats  # (k, 3) and `high`: the bounds of each
    high: Floats
    outline: Outline
    rim: Floats  # (m, 2) corners on the outline, straying CHORD_MM at most
    inner: Floats  # the same, taken in by PLACE_MM
    com: Floats
    reach: float

    @staticmethod
    def of(table: Table, mini: Mini, at: tuple[float, float], level: float | None, around_mm: float = 0.0) -> Scene:
        """A mini at a place, and what comes within its base's reach of it, and `around_mm` more."""
        rim = mini.base.outline.polygon(CHORD_MM)
        reach = float(np.hypot(*rim.T).max())
        tris = terrain(table, at, reach + around_mm + 1.0, level)
        return Scene(tris, *bounds(tris), mini.base.outline, rim, shrunk(rim, PLACE_MM), np.array(mini.com), reach)

    def beside(self, point: Floats) -> Floats:
        """The triangles (n, 3, 3) whose bounds come within PLACE_MM of a point."""
        near = (self.low <= point + PLACE_MM) & (self.high >= point - PLACE_MM)
        return self.tris[near[:, 0] & near[:, 1] & near[:, 2]]


def terrain(table: Table, at: tuple[float, float], around: float, level: float | None) -> Floats:
    """All triangles whose bounds come within `around` mm of a place; what lies over the level carries nothing."""
    soups = [_carrying(piece, level) for piece in table.pieces]
    if table.floor_mm is not None:
        a, b, c, d = ((at[0] + 2 * sx * around, at[1] + 2 * sy * around, table.floor_mm) for sx, sy in _CORNERS)
        soups.append(np.array([[a, b, c], [a, c, d]]))
    tris: Floats = np.concatenate([np.zeros((0, 3, 3)), *soups])
    low, high = bounds(tris)
    tris = tris[((low[:, :2] <= np.array(at) + around) & (high[:, :2] >= np.array(at) - around)).all(axis=1)]
    if level is None:
        return tris
    low_z, high_z = tris[:, :, 2].min(axis=1), tris[:, :, 2].max(axis=1)
    parts = [below(tri, level) for tri in tris[(low_z <= level) & (high_z > level)]]
    kept: Floats = np.concatenate([tris[high_z <= level], *parts])
    return kept


_CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def _carrying(piece: Piece, level: float | None) -> Floats:
    """The triangles of a piece, but for walls that go on over the level, and for undersides of what has an inside."""
    vertices, faces = piece.vertices(), piece.solid.faces
    tris: Floats = vertices[faces]
    if level is None or not len(faces):
        return tris
    normals = crossed(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0])
    wall = normals[:, 2] ** 2 < WALL_COS**2 * (normals**2).sum(axis=1)
    carries = np.ones(len(faces), np.bool_)
    sided = piece.solid.sided
    if sided.any():
        part = _first_of_all(len(vertices), faces)[faces[:, 0]]
        outward = np.bincount(part[sided], ((tris[sided, 0] - tris[0, 0]) * normals[sided]).sum(axis=1), len(vertices))
        known = np.unique(part[sided])
        largest = outward[known[np.abs(outward[known]).argmax()]]
        carries = ~sided | (normals[:, 2] * largest >= 0.0) | (outward[part] * largest <= 0.0)
        carries[_drawn_again(faces, np.flatnonzero(~carries), np.flatnonzero(carries), sided)] = False
    first, tops = _first_of_all(len(vertices), faces[wall]), np.full(len(vertices), -math.inf)
    np.maximum.at(tops, first, vertices[:, 2])
    carries[wall] = tops[first[faces[wall, 0]]] <= level
    kept: Floats = tris[carries]
    return kept


def _drawn_again(faces: Ints, once: Ints, again: Ints, counts: Bools) -> Ints:
    """Those of `again` that are the same surface as some of `once`, unless as many of them count as those are."""
    again = again[np.isin(faces[again], np.unique(faces[once])).all(axis=1)]
    once = once[np.isin(faces[once], np.unique(faces[again])).all(axis=1)]
    left = Counter(map(frozenset, faces[once].tolist()))
    left.subtract(map(frozenset, faces[again[counts[again]]].tolist()))
    return again[[left[frozenset(face)] > 0 for face in faces[again].tolist()]]


def _first_of_all(corners: int, faces: Ints) -> Ints:
    """Of each corner the first of all that hang together with it."""
    first = np.arange(corners)
    while True:
        joined = first.copy()
        np.minimum.at(joined, faces, first[faces].min(axis=1)[:, None])
        joined = joined[joined]
        if (joined == first).all():
            return first
        first = joined


def below(tri: Floats, level: float) -> Floats:
    """The part of a triangle under a height, as triangles."""
    ring = []
    for a, b in zip(tri, np.roll(tri, -1, axis=0), strict=True):
        if a[2] <= level:
            ring.append(a)
        if (a[2] <= level) != (b[2] <= level):
            ring.append(a + (level - a[2]) / (b[2] - a[2]) * (b - a))
    return np.array([[ring[0], ring[k], ring[k + 1]] for k in range(1, len(ring) - 1)]).reshape(-1, 3, 3)


# --- plain geometry ---------------------------------------------------------------------------------------------------


def seen_from(pose: Pose, points: Floats) -> Floats:
    """Points (…, 3) straight over or under the tilted base: its own x, y there, and the height over its plane."""
    r = pose.rotation()
    away = points - np.array(pose.place)
    return np.concatenate([away[..., :2] @ np.linalg.inv(r[:2, :2]).T, away @ r[:, 2:] / r[2, 2]], axis=-1)


def under(tris: Floats, pose: Pose, ring: Floats, over: float = -math.inf) -> Floats:
    """What lies straight under or over a base: the corners (n, 3) of what each triangle and the footprint share.

    They are seen from the base. A plane's highest or farthest point of that part is always one of them. Triangles
    wholly lower than `over` are left out.
    """
    return shared(seen_from(pose, tris), ring, over)


def shared(seen: Floats, ring: Floats, over: float = -math.inf) -> Floats:
    """The same of triangles (k, 3, 3) that are seen from the base already."""
    low, high = bounds(seen)
    (left, down), (right, up) = ring.min(axis=0), ring.max(axis=0)
    across, along = (low[:, 0] <= right) & (high[:, 0] >= left), (low[:, 1] <= up) & (high[:, 1] >= down)
    met = (high[:, 2] >= over) & across & along
    seen, low, high = seen[met], low[met], high[met]
    corners = seen.reshape(-1, 3)
    found = [corners[inside(ring, corners[:, :2])]]
    away = np.hypot(seen[:, :, 0], seen[:, :, 1]) > about_middle(ring)
    there = away[:, 0] | away[:, 1] | away[:, 2]  # the others lie wholly inside
    seen, low, high = seen[there], low[there], high[there]
    step = max(1, AT_ONCE // (3 * len(ring)))
    for k in range(0, len(seen), step):
        some = slice(k, k + step)
        found += [crossings(seen[some], ring), ring_within(seen[some], low[some], high[some], ring)]
    return np.concatenate(found)


def bounds(tris: Floats) -> tuple[Floats, Floats]:
    """The lowest and the highest x, y and z of each triangle (k, 3, 3)."""
    a, b, c = tris[:, 0], tris[:, 1], tris[:, 2]
    return np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)


def paired(low: Floats, high: Floats, others_low: Floats, others_high: Floats) -> tuple[Ints, Ints]:
    """The pairs of boxes (n, 2) and others (m, 2) that meet, or nearly: far fewer than all of them."""
    low, high = low - NEARLY_MM, high + NEARLY_MM
    meet = low[:, None, 0] <= others_high[:, 0]
    meet &= high[:, None, 0] >= others_low[:, 0]
    meet &= low[:, None, 1] <= others_high[:, 1]
    meet &= high[:, None, 1] >= others_low[:, 1]
    one, other = np.divmod(np.flatnonzero(meet), len(others_low))
    return one, other


def about_middle(ring: Floats) -> float:
    """The radius of the circle about the middle that lies in a ring; 0 where the middle itself lies in a notch."""
    (ax, ay), (bx, by) = ring.T, np.roll(ring, -1, axis=0).T
    with np.errstate(divide="ignore", invalid="ignore"):
        right = ax - ay * (bx - ax) / (by - ay) > 0.0
    return to_rim(ring, np.zeros(2)) if (((ay <= 0.0) != (by <= 0.0)) & right).sum() % 2 else 0.0


def inside(ring: Floats, points: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Which points (n, 2) a ring goes around: a ray from each crosses it an odd number of times."""
    away = np.hypot(points[:, 0], points[:, 1])
    within = away < about_middle(ring)
    unsure = np.flatnonzero(~within & (away <= np.hypot(*ring.T).max()))
    (ax, ay), (bx, by) = ring.T, np.roll(ring, -1, axis=0).T
    step = max(1, AT_ONCE // len(ring))
    for k in range(0, len(unsure), step):
        some = unsure[k : k + step]
        x, y = points[some].T
        below = ay <= y[:, None]
        i, j = np.divmod(np.flatnonzero(below != np.roll(below, -1, axis=1)), len(ring))
        right = x[i] < ax[j] + (y[i] - ay[j]) * (bx[j] - ax[j]) / (by[j] - ay[j])
        within[some] = np.bincount(i[right], minlength=len(some)) % 2 == 1
    return within


def crossings(tris: Floats, ring: Floats) -> Floats:
    """Where edges of triangles cross a ring."""
    a, b = tris.reshape(-1, 3), np.roll(tris, -1, axis=1).reshape(-1, 3)
    c, d = ring, np.roll(ring, -1, axis=0)
    i, j = paired(np.minimum(a, b)[:, :2], np.maximum(a, b)[:, :2], np.minimum(c, d), np.maximum(c, d))
    along, rim, w = (b - a)[i], (d - c)[j], c[j] - a[i, :2]
    with np.errstate(divide="ignore", invalid="ignore"):
        det = along[:, 0] * rim[:, 1] - along[:, 1] * rim[:, 0]
        s = (w[:, 0] * rim[:, 1] - w[:, 1] * rim[:, 0]) / det
        t = (w[:, 0] * along[:, 1] - w[:, 1] * along[:, 0]) / det
    cross = (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)
    found: Floats = a[i[cross]] + s[cross][:, None] * along[cross]
    return found


def ring_within(tris: Floats, low: Floats, high: Floats, ring: Floats) -> Floats:
    """The corners of a ring that lie over or under triangles of these bounds, at their heights."""
    i, j = paired(low, high, ring, ring)
    a = tris[i, 0]
    u, v, w = tris[i, 1] - a, tris[i, 2] - a, ring[j] - a[:, :2]
    with np.errstate(divide="ignore", invalid="ignore"):
        det = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
        s = (w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]) / det
        t = (u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]) / det
        on = (s >= 0) & (t >= 0) & (s + t <= 1)
    height = a[on, 2] + s[on] * u[on, 2] + t[on] * v[on, 2]
    return np.column_stack([ring[j[on]], height])


def crossed(a: Floats, b: Floats) -> Floats:
    """The cross products of vectors (…, 3), one by one: numpy's own spends most of its time on shapes."""
    ax, ay, az, bx, by, bz = (v[..., k] for v in (a, b) for k in range(3))
    x = ay * bz - az * by
    out = np.empty((*x.shape, 3))
    out[..., 0], out[..., 1], out[..., 2] = x, az * bx - ax * bz, ax * by - ay * bx
    return out


def to_segments(point: Floats, a: Floats, b: Floats) -> Floats:
    """The distances from a point to segments."""
    d = b - a
    size = np.maximum((d * d).sum(axis=-1), 1e-300)
    along = np.clip(((point - a) * d).sum(axis=-1) / size, 0.0, 1.0)
    away: Floats = np.linalg.norm(a + along[..., None] * d - point, axis=-1)
    return away


def to_rim(ring: Floats, point: Floats) -> float:
    """The distance from a point to a ring."""
    return float(to_segments(point, ring, np.roll(ring, -1, axis=0)).min())


def to_triangles(point: Floats, tris: Floats) -> Floats:
    """The distances from a point to triangles (k, 3, 3)."""
    a, u, v = tris[:, 0], tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0]
    w = point - a
    n = crossed(u, v)
    size = np.maximum((n * n).sum(axis=1), 1e-300)
    s, t = (crossed(w, v) * n).sum(axis=1) / size, (crossed(u, w) * n).sum(axis=1) / size
    over = (s >= 0) & (t >= 0) & (s + t <= 1)
    beside = to_segments(point, tris, np.roll(tris, -1, axis=1)).min(axis=1)
    away: Floats = np.where(over, np.abs((w * n).sum(axis=1)) / np.sqrt(size), beside)
    return away


def goes_round(points: Floats, middle: Floats) -> bool:
    """Whether points (n, 2) lie on all sides of a middle, so that they could carry it."""
    away = points - middle
    size = np.hypot(*away.T)
    if (size <= PLACE_MM).any():
        return True
    if not len(points):
        return False
    angles = np.sort(np.arctan2(away[:, 1], away[:, 0]))
    gaps = np.diff(np.concatenate([angles, angles[:1] + 2 * math.pi]))
    return bool(gaps.max() <= math.pi + 1e-9)


def turn_of(pose: Pose) -> float:
    """The facing (degrees) of a base that was turned first and then tilted about a level axis."""
    w, _, _, z = pose.spin
    return math.degrees(2 * math.atan2(z, w))
