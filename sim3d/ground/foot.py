"""A base's underside for compiled loops: exact membership, exact crossings, exact farthest points. True arcs.

Coordinates are the base's own: millimetres in its plane, front towards +x, the middle at the origin.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sim3d.compiled import lean
from sim3d.plane import Arc, Line, Outline, monotone
from sim3d.space import Floats

# Columns of an edge: kind, start x y, end x y, then for arcs centre x y, radii x y, start and sweep in radians, the
# side of its centre; of all, the low and high corner of a box that it lies well in; of arcs, the directions of its ends
# on a circle of radius 1.
KIND, X0, Y0, X1, Y1, CX, CY, RX, RY, A0, SWEEP, SIDE, LOW_X, LOW_Y, HIGH_X, HIGH_Y, U0, V0, U1, V1 = range(20)
LENGTHS = [X0, Y0, X1, Y1, CX, CY, RX, RY, LOW_X, LOW_Y, HIGH_X, HIGH_Y]
ROOM_MM = 1e-6  # by which the box is wider than its edge
PLAIN = 1e-6  # a direction this far from an arc's ends, as a sine, is plainly on it or not
STRAIGHT, ROUND = 0.0, 1.0
WHOLE = 2.0 * math.pi * (1.0 - 1e-9)  # radians: an arc that is all round
NEAR_RIM = 0.1  # of the reach: drawn in towards a middle as near to the rim, a base loses ten times as much elsewhere
SHARPEST = 1e-3  # one and the cosine between two sides' normals: of a corner under 3 degrees the tip is drawn in less
SEAM = 1e-9  # a share of an arc's sweep by which its ends may be overshot: neighbours meet there anyway


class Foot(NamedTuple):
    """An outline as arrays: its edges, the same cut where they turn in y, its reach and the circle that fits inside."""

    edges: Floats
    pieces: Floats
    reach_mm: float
    inner_mm: float
    box: Floats  # (4,) the low and the high corner of a box that it lies in

    @staticmethod
    def of(outline: Outline, less_mm: float = 0.0) -> Foot:
        """The compiled form of an outline, or of one that is smaller by a hair all round."""
        nearest, within = _middle_of(outline)
        reach = outline.reach_mm()
        straight = all(isinstance(e, Line) for e in outline.edges)
        if less_mm > 0.0 and (straight or not within or nearest < NEAR_RIM * reach):
            ring = outline.polygon()
            outline, less_mm = Outline.polygon_of([(float(x), float(y)) for x, y in _drawn_in(ring, less_mm)]), 0.0
            nearest, within = _middle_of(outline)
            reach = outline.reach_mm()
        edges = np.array([_row(e) for e in outline.edges])
        pieces = np.array([_row(p) for e in outline.edges for p in monotone(e)])
        for i in range(len(pieces)):  # each begins where the last one ended, to the bit: a ray slips through no seam
            pieces[i, Y0] = pieces[i - 1, Y1]
        round_one = len(edges) == 1 and edges[0, RX] == edges[0, RY]
        inner = reach if round_one else nearest
        scale = 1.0 - less_mm / inner if less_mm > 0.0 else 1.0
        if not within:  # the middle lies in a notch: no circle about it is in the base
            inner = 0.0
        for rows in (edges, pieces):
            rows[:, LENGTHS] *= scale
        box = np.concatenate([edges[:, [LOW_X, LOW_Y]].min(axis=0), edges[:, [HIGH_X, HIGH_Y]].max(axis=0)])
        return Foot(edges, pieces, scale * reach, scale * inner, box)


def _middle_of(outline: Outline) -> tuple[float, bool]:
    """How far (mm) the middle lies from the rim, and whether it lies in the base."""
    ring = outline.polygon(1e-3)
    sides = np.roll(ring, -1, axis=0) - ring
    along = np.clip(-(ring * sides).sum(axis=1) / (sides * sides).sum(axis=1), 0.0, 1.0)
    nearest = np.hypot(*(ring + along[:, None] * sides).T).min()
    return float(nearest), bool(outline.contains(np.zeros((1, 2)))[0])


def _drawn_in(ring: Floats, by_mm: float) -> Floats:
    """A counter-clockwise ring (n, 2), each of its sides moved inwards; by a hair, so that no side is lost.

    >>> _drawn_in(np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.0, 2.0]]), 0.5).tolist()
    [[0.5, 0.5], [3.5, 0.5], [3.5, 1.5], [0.5, 1.5]]
    """
    sides = np.roll(ring, -1, axis=0) - ring
    inwards = np.column_stack([-sides[:, 1], sides[:, 0]]) / np.hypot(*sides.T)[:, None]
    before = np.roll(inwards, 1, axis=0)
    share = np.maximum(1.0 + (inwards * before).sum(axis=1), SHARPEST)
    return ring + by_mm * (inwards + before) / share[:, None]


def heart_of(outline: Outline) -> tuple[float, float]:
    """A point in an outline: the middle, or where that lies in a notch, one that is well inside.

    >>> heart_of(Outline.ellipse(27, 27))
    (0.0, 0.0)
    """
    if outline.contains(np.zeros((1, 2)))[0]:
        return 0.0, 0.0
    ring = outline.polygon(1e-2)
    best = (0.0, 0.0, 0.0)
    heights = np.unique(ring[:, 1])
    for y in (heights[1:] + heights[:-1]) / 2:
        (ax, ay), (bx, by) = ring.T, np.roll(ring, -1, axis=0).T
        across = (ay <= y) != (by <= y)
        xs = np.sort((ax + (y - ay) * (bx - ax) / np.where(across, by - ay, 1.0))[across])
        wide = xs[1::2] - xs[::2]
        if wide.max() > best[0]:
            k = int(wide.argmax())
            best = (float(wide[k]), float(xs[2 * k] + xs[2 * k + 1]) / 2, float(y))
    return best[1], best[2]


def _row(edge: Arc | Line) -> list[float]:
    ends = [*edge.start, *edge.end]
    points = [edge.start, edge.end]
    if isinstance(edge, Arc):
        turns = [t for axis in (0, 1) for t in _extremes(edge, axis)]
        points += [edge.at(t) for t in turns]
    low, high = np.min(points, axis=0) - ROOM_MM, np.max(points, axis=0) + ROOM_MM
    if isinstance(edge, Line):
        return [STRAIGHT, *ends, *[0.0] * 7, *low.tolist(), *high.tolist(), *[0.0] * 4]
    side = 1.0 if edge.at(0.5)[0] >= edge.centre[0] else -1.0
    start, sweep = math.radians(edge.start_deg), math.radians(edge.sweep_deg)
    directions = [math.cos(start), math.sin(start), math.cos(start + sweep), math.sin(start + sweep)]
    row = [ROUND, *ends, *edge.centre, edge.rx, edge.ry, start, sweep, side]
    return [*row, *low.tolist(), *high.tolist(), *directions]


def _extremes(arc: Arc, axis: int) -> list[float]:
    """The shares of an arc's sweep at which it is farthest out along an axis, either way."""
    turned = ((angle - arc.start_deg) % 360.0 for angle in (90.0 * axis, 90.0 * axis + 180.0))
    return [t / arc.sweep_deg for t in turned if t <= arc.sweep_deg]


@lean
def length(x: float, y: float) -> float:
    """Of a vector of ordinary size: a tenth of what a hypotenuse costs that minds the smallest and largest numbers."""
    return math.sqrt(x * x + y * y)


@lean
def inside(pieces: Floats, reach: float, inner: float, x: float, y: float) -> bool:
    """Whether a point lies under the base; its rim counts only as far as rounding goes."""
    d2 = x * x + y * y
    if d2 < inner * inner:  # 0 where the middle lies in a notch: what is right under that is not in the base
        return True
    if d2 > reach * reach:
        return False
    odd = False
    for i in range(pieces.shape[0]):
        y0, y1 = pieces[i, Y0], pieces[i, Y1]
        if (y0 <= y) == (y1 <= y):
            continue
        if pieces[i, KIND] == STRAIGHT:
            at = pieces[i, X0] + (y - y0) * (pieces[i, X1] - pieces[i, X0]) / (y1 - y0)
        else:
            height = (y - pieces[i, CY]) / pieces[i, RY]
            at = pieces[i, CX] + pieces[i, SIDE] * pieces[i, RX] * math.sqrt(max(0.0, 1.0 - height * height))
        if x < at:
            odd = not odd
    return odd


@lean
def off_rim(edges: Floats, x: float, y: float, far: float) -> bool:
    """Whether a point is seen at once to lie farther than that from the rim, inside or outside."""
    for i in range(edges.shape[0]):
        edge = edges[i]
        if x < edge[LOW_X] - far or x > edge[HIGH_X] + far or y < edge[LOW_Y] - far or y > edge[HIGH_Y] + far:
            continue
        if edge[KIND] == STRAIGHT:
            dx, dy = edge[X1] - edge[X0], edge[Y1] - edge[Y0]
            out = dx * (y - edge[Y0]) - dy * (x - edge[X0])
            if out * out <= far * far * (dx * dx + dy * dy):
                return False
        else:  # in circles about an ellipse's middle, stretched like it, nothing is nearer than along its short way
            across = length((x - edge[CX]) / edge[RX], (y - edge[CY]) / edge[RY]) - 1.0
            if abs(across) * min(edge[RX], edge[RY]) <= far:
                return False
    return True


@lean
def beside_box(ring: Floats, box: Floats, far: float) -> bool:
    """Whether a triangle, or any convex ring, lies beyond one side of a box by more than `far`."""
    left = right = before = behind = True
    for i in range(ring.shape[0]):
        left, right = left and ring[i, 0] < box[0] - far, right and ring[i, 0] > box[2] + far
        before, behind = before and ring[i, 1] < box[1] - far, behind and ring[i, 1] > box[3] + far
    return left or right or before or behind


@lean
def on_arc(edge: Floats, u: float, v: float) -> bool:
    """Whether a direction (of length 1, on the arc stretched to a circle) lies on an arc."""
    if edge[SWEEP] >= WHOLE:
        return True
    after, before = edge[U0] * v - edge[V0] * u, u * edge[V1] - v * edge[U1]
    if abs(after) > PLAIN and abs(before) > PLAIN:
        if edge[SWEEP] <= math.pi:
            return after > 0.0 and before > 0.0
        return after > 0.0 or before > 0.0
    turn = (math.atan2(v, u) - edge[A0]) % (2.0 * math.pi)
    return turn <= edge[SWEEP] * (1.0 + SEAM) or turn >= 2.0 * math.pi * (1.0 - SEAM)


@lean
def crossings(
    edges: Floats, reach: float, inner: float, ax: float, ay: float, bx: float, by: float, out: Floats
) -> int:
    """The shares (0 to 1) at which the straight way from a to b meets the rim, into `out`; how many."""
    n = 0
    dx, dy = bx - ax, by - ay
    if ax * ax + ay * ay < inner * inner and bx * bx + by * by < inner * inner:
        return 0
    along, size = -(ax * dx + ay * dy), dx * dx + dy * dy
    near = 0.0 if along <= 0.0 else 1.0 if along >= size else along / size
    px, py = ax + near * dx, ay + near * dy
    if px * px + py * py > reach * reach * (1.0 + SEAM):
        return 0
    low_x, high_x, low_y, high_y = min(ax, bx), max(ax, bx), min(ay, by), max(ay, by)
    for i in range(edges.shape[0]):
        if low_x > edges[i, HIGH_X] or high_x < edges[i, LOW_X] or low_y > edges[i, HIGH_Y] or high_y < edges[i, LOW_Y]:
            continue
        if edges[i, KIND] == STRAIGHT:
            ex, ey = edges[i, X1] - edges[i, X0], edges[i, Y1] - edges[i, Y0]
            det = ex * dy - ey * dx
            if det == 0.0:
                continue
            wx, wy = edges[i, X0] - ax, edges[i, Y0] - ay
            s = (ex * wy - ey * wx) / det
            t = (dx * wy - dy * wx) / det
            if 0.0 <= s <= 1.0 and -SEAM <= t <= 1.0 + SEAM and n < out.shape[0]:
                out[n] = s
                n += 1
            continue
        px, py = (ax - edges[i, CX]) / edges[i, RX], (ay - edges[i, CY]) / edges[i, RY]
        qx, qy = dx / edges[i, RX], dy / edges[i, RY]
        a = qx * qx + qy * qy
        b = px * qx + py * qy
        c = px * px + py * py - 1.0
        root = b * b - a * c
        if a == 0.0 or root < 0.0:
            continue
        root = math.sqrt(root)
        far = -(b + root) if b > 0.0 else root - b  # the root without cancellation
        for k in range(2):
            if k == 0:
                s = far / a
            elif far != 0.0:
                s = c / far
            else:
                continue
            if 0.0 <= s <= 1.0 and n < out.shape[0] and on_arc(edges[i], px + s * qx, py + s * qy):
                out[n] = s
                n += 1
    return n


@lean
def farthest_on_arc(edge: Floats, ux: float, uy: float) -> tuple[bool, float, float]:
    """The point of an arc's ellipse farthest along (ux, uy), and whether it lies on the arc."""
    vx, vy = edge[RX] * ux, edge[RY] * uy
    size = length(vx, vy)
    if size == 0.0:  # all points are as far: any will do
        return True, edge[X0], edge[Y0]
    vx, vy = vx / size, vy / size
    return on_arc(edge, vx, vy), edge[CX] + edge[RX] * vx, edge[CY] + edge[RY] * vy
