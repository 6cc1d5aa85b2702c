"""What touches the underside at a pose: every terrain point within `TOUCH_MM` of its plane, and the hull of them all.

Compiled. A pose is a frame (4, 3): the middle of the underside, the base's two axes in its plane, and its normal.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, lean, scratch, scratch_marks, uncounted
from sim3d.ground.creases import NO_CORNER, NO_EDGE
from sim3d.ground.foot import (
    A0,
    CX,
    CY,
    KIND,
    ROUND,
    RX,
    RY,
    SWEEP,
    WHOLE,
    X0,
    Y0,
    Foot,
    beside_box,
    crossings,
    farthest_on_arc,
    inside,
    length,
    on_arc,
)
from sim3d.ground.patch import out_of_reach
from sim3d.space import TOUCH_MM, Floats, Ints
from sim3d.statics.near import BUNCH, Terrain

ARC_STEP = 0.0175  # radians between points that stand for an arc (a degree); a hull's edge on an arc is refined exactly
ROUND_HALF = 179  # so many steps either way go round an arc, but for less than a step
ALIKE_MM = 1e-6  # a face that rises by less across a base lies in its plane: no point of the rim is nearest
UPRIGHT = 1e6  # mm that a face rises in one: told by so steep a slope heights are wrong by more than 1e-8
ON_STEP = 1e-9  # of a step: rounding
STEP_X, STEP_Y = math.cos(ARC_STEP), math.sin(ARC_STEP)
ODD_COS, ODD_SIN = math.cos(0.7345), math.sin(0.7345)
SAME_POINT_MM = 1e-6  # contacts nearer than this are one: the word needs a thousand times less
OVERHEAD_MM = 0.5  # terrain higher over the plane is not under the base: rolling sinks in by less
LOOSE_MM = 1e-6  # heights are rounded
FEW_KEYS = 24  # so many are sorted by insertion
MANY = 48  # contacts of which those well inside their hull are dropped first: in a polygon of ...
SIDES, WITHIN = 16, 1e-9  # ... so many sides, by so much mm²
FEW = 256  # room for contacts at first

# Columns of a contact: base coordinates, place, height over the plane, arc of the outline (or -1) and angle on it,
# triangle, and kind: what meets what decides the normal.
QX, QY, PX, PY, PZ, HEIGHT, ARC, ANGLE, TRIANGLE, MEETING = range(10)
UNDER, RIM_ON_FACE, RIM_ON_EDGE = 0.0, 1.0, 2.0
# Of a corner, or a side, of the part of a face within the band: of no account; the terrain's; of the band's border
PLAIN, REAL, BORDER = 0, 1, 2


@compiled
def frame_of(x: float, y: float, z: float, gx: float, gy: float, turn: float) -> Floats:
    """The frame of a base at a place with a gradient: turned first, then tilted about a level axis."""
    frame = np.empty((4, 3))
    framed(x, y, z, gx, gy, turn, frame)
    return frame


@lean
def framed(x: float, y: float, z: float, gx: float, gy: float, turn: float, frame: Floats) -> None:
    """The same into room for it."""
    sec = math.sqrt(1.0 + gx * gx + gy * gy)
    frame[0, 0], frame[0, 1], frame[0, 2] = x, y, z
    frame[3, 0], frame[3, 1], frame[3, 2] = -gx / sec, -gy / sec, 1.0 / sec
    for i in range(2):
        ux, uy = (math.cos(turn), math.sin(turn)) if i == 0 else (-math.sin(turn), math.cos(turn))
        k = (gx * ux + gy * uy) / (sec * (1.0 + sec))
        hx, hy = ux - gx * k, uy - gy * k
        frame[1 + i, 0], frame[1 + i, 1], frame[1 + i, 2] = hx, hy, gx * hx + gy * hy


@lean
def within_half_turn(angle: float) -> float:
    """An angle (radians) as one from -pi to pi: to the bit `(angle + pi) % 2 pi - pi`, which is dear."""
    up = angle + math.pi
    if 0.0 <= up < 2.0 * math.pi:
        return up - math.pi
    if 2.0 * math.pi <= up < 4.0 * math.pi:
        return (up - 2.0 * math.pi) - math.pi
    return up % (2.0 * math.pi) - math.pi


@lean
def dot(ax: float, ay: float, az: float, row: Floats) -> float:
    """Inner product with a row of three."""
    return ax * row[0] + ay * row[1] + az * row[2]


@lean
def put(
    found: Floats,
    n: int,
    qx: float,
    qy: float,
    height: float,
    frame: Floats,
    arc: int,
    angle: float,
    meeting: float,
    triangle: float,
) -> int:
    """Write contact `n`, if there is room for it; how many there are then.

    What hangs over a leaning base does not touch it, and on an upright face a height may be anything: none is written.
    """
    if not height <= OVERHEAD_MM:
        return n
    if n < found.shape[0]:
        found[n, QX], found[n, QY] = qx, qy
        for a in range(3):
            found[n, PX + a] = frame[0, a] + qx * frame[1, a] + qy * frame[2, a] + height * frame[3, a]
        found[n, HEIGHT], found[n, ARC], found[n, ANGLE] = height, arc, angle
        found[n, TRIANGLE], found[n, MEETING] = triangle, meeting
    return n + 1


@lean
def in_ring(ring: Floats, count: int, x: float, y: float) -> bool:
    """Whether a point lies in a convex ring of either sense; its border counts."""
    left = right = False
    for i in range(count):
        j = (i + 1) % count
        dx, dy = ring[j, 0] - ring[i, 0], ring[j, 1] - ring[i, 1]
        side = dx * (y - ring[i, 1]) - dy * (x - ring[i, 0])
        slack = 1e-12 * (abs(dx) + abs(dy)) * (abs(x - ring[i, 0]) + abs(y - ring[i, 1]))
        left = left or side > slack
        right = right or side < -slack
    return not (left and right)


@compiled
def touching(terrain: Terrain, frame: Floats, foot: Foot, band: float) -> Floats:
    """All contacts within `band` of the plane: corners, crossings with the rim, points of arcs, borders of the band."""
    return contacts_of(terrain, frame, foot, band, band, True)


@compiled
def met_by(terrain: Terrain, frame: Floats, foot: Foot, band: float, bow_band: float) -> Floats:
    """What a base meets that rolls: the same without borders of the band, which hang on how wide it is.

    Of the points along a bow of its rim only those within `bow_band`: the nearest one stands for all the others.
    """
    return contacts_of(terrain, frame, foot, band, bow_band, False)


@compiled
def contacts_of(terrain: Terrain, frame: Floats, foot: Foot, band: float, bow_band: float, borders: bool) -> Floats:
    """The contacts, in room that is as long as they are."""
    few = scratch(FEW, 10)  # a step of rolling asks three times: room that large is not to be had for nothing
    many = touched(terrain, frame, foot, band, bow_band, borders, few)
    if many <= FEW:
        return few[:many].copy()
    found = np.empty((many, 10))
    touched(terrain, frame, foot, band, bow_band, borders, found)
    return found


@lean
def touched(
    terrain: Terrain, frame: Floats, foot: Foot, band: float, bow_band: float, borders: bool, found: Floats
) -> int:
    """How many contacts there are; as many as there is room for are written."""
    n = 0
    points = terrain.points
    for b in range(terrain.point_balls.shape[0]):
        if is_clear_of(terrain.point_balls[b], frame, band, math.inf):
            continue
        for i in range(b * BUNCH, min((b + 1) * BUNCH, points.shape[0])):
            dx, dy, dz = points[i, 0] - frame[0, 0], points[i, 1] - frame[0, 1], points[i, 2] - frame[0, 2]
            over = dot(dx, dy, dz, frame[3])
            if over >= -band:
                qx, qy = dot(dx, dy, dz, frame[1]), dot(dx, dy, dz, frame[2])
                n = put(found, n, qx, qy, over, frame, -1, 0.0, UNDER, terrain.owners[i])
    tris, spans = terrain.tris, terrain.spans
    reach2, inner2 = foot.reach_mm * foot.reach_mm * (1.0 + 1e-9), foot.inner_mm * foot.inner_mm * (1.0 - 1e-9)
    shares, angles, kinds = scratch(16), scratch(64), scratch_marks(64)
    ring, height, corners, sides = scratch(4, 2), scratch(4), scratch_marks(4), scratch_marks(4)
    q, h, round_one = scratch(3, 2), scratch(3), foot.inner_mm == foot.reach_mm
    for b in range(terrain.balls.shape[0]):
        if is_clear_of(terrain.balls[b], frame, band, foot.reach_mm):
            continue
        for t in range(b * BUNCH, min((b + 1) * BUNCH, tris.shape[0])):
            dx, dy, dz = tris[t, 0, 0] - frame[0, 0], tris[t, 0, 1] - frame[0, 1], tris[t, 0, 2] - frame[0, 2]
            if dot(dx, dy, dz, frame[3]) + spans[t] < -band:
                continue
            near = False
            for i in range(3):
                dx, dy, dz = tris[t, i, 0] - frame[0, 0], tris[t, i, 1] - frame[0, 1], tris[t, i, 2] - frame[0, 2]
                h[i] = dot(dx, dy, dz, frame[3])
                near = near or h[i] >= -band
            if not near:
                continue
            nearest, farthest = math.inf, 0.0
            for i in range(3):
                dx, dy, dz = tris[t, i, 0] - frame[0, 0], tris[t, i, 1] - frame[0, 1], tris[t, i, 2] - frame[0, 2]
                q[i, 0], q[i, 1] = dot(dx, dy, dz, frame[1]), dot(dx, dy, dz, frame[2])
                d2 = q[i, 0] * q[i, 0] + q[i, 1] * q[i, 1]
                nearest, farthest = min(nearest, d2), max(farthest, d2)
            if nearest > reach2 and out_of_reach(q, reach2):
                continue
            if not round_one and beside_box(q, foot.box, 0.0):
                continue
            count = within_band(q, h, terrain.traits[t], band, ring, height, corners, sides)
            if farthest > inner2 and out_of_reach(ring[:count], reach2):
                continue  # beside the base it may stand as high as it likes
            number = terrain.numbers[t]
            n = sides_touched(found, n, ring, height, corners, sides, count, borders, frame, foot, shares, number)
            det = (q[1, 0] - q[0, 0]) * (q[2, 1] - q[0, 1]) - (q[1, 1] - q[0, 1]) * (q[2, 0] - q[0, 0])
            if det != 0.0 and count >= 3 and farthest >= inner2:
                n = rim_on_face(
                    found, n, q, h, det, ring, sides, count, borders, frame, foot, angles, kinds, band, bow_band, number
                )
    return n


@lean
def is_clear_of(ball: Floats, frame: Floats, band: float, reach: float) -> bool:
    """Whether all of a ball lies deeper under a base than a band, or farther beside it than it reaches."""
    dx, dy, dz = ball[0] - frame[0, 0], ball[1] - frame[0, 1], ball[2] - frame[0, 2]
    over, far = dot(dx, dy, dz, frame[3]), reach + ball[3]
    return over + ball[3] < -band or dx * dx + dy * dy + dz * dz - over * over > far * far * (1.0 + 1e-9)


@lean
def within_band(
    q: Floats, h: Floats, traits: int, band: float, ring: Floats, height: Floats, corners: Ints, sides: Ints
) -> int:
    """The part of a face within the band: its corners with their heights, what they and the sides after them are."""
    count = 0
    for i in range(3):
        j = (i + 1) % 3
        side = PLAIN if traits & (NO_EDGE << i) else REAL
        if h[i] >= -band:
            ring[count, 0], ring[count, 1], height[count] = q[i, 0], q[i, 1], h[i]
            corners[count], sides[count] = (PLAIN if traits & (NO_CORNER << i) else REAL), side
            count += 1
        if (h[i] >= -band) != (h[j] >= -band):
            s = (-band - h[i]) / (h[j] - h[i])
            ring[count, 0] = q[i, 0] + s * (q[j, 0] - q[i, 0])
            ring[count, 1] = q[i, 1] + s * (q[j, 1] - q[i, 1])
            height[count] = -band
            corners[count] = BORDER if side == REAL else PLAIN
            sides[count] = BORDER if h[i] >= -band else side
            count += 1
    return count


@lean
def sides_touched(
    found: Floats,
    n: int,
    ring: Floats,
    height: Floats,
    corners: Ints,
    sides: Ints,
    count: int,
    borders: bool,
    frame: Floats,
    foot: Foot,
    shares: Floats,
    number: int,
) -> int:
    """The contacts of the part (count, 2) of a face within the band: its corners under the base and crossings."""
    edges, pieces, reach, inner = foot.edges, foot.pieces, foot.reach_mm, foot.inner_mm
    for i in range(count):
        if is_told(corners[i], borders) and inside(pieces, reach, inner, ring[i, 0], ring[i, 1]):
            n = put(found, n, ring[i, 0], ring[i, 1], height[i], frame, -1, 0.0, UNDER, number)
        if not is_told(sides[i], borders):
            continue
        j = (i + 1) % count
        meeting = RIM_ON_FACE if sides[i] == BORDER else RIM_ON_EDGE
        for k in range(crossings(edges, reach, inner, ring[i, 0], ring[i, 1], ring[j, 0], ring[j, 1], shares)):
            s = shares[k]
            x, y = ring[i, 0] + s * (ring[j, 0] - ring[i, 0]), ring[i, 1] + s * (ring[j, 1] - ring[i, 1])
            n = put(found, n, x, y, height[i] + s * (height[j] - height[i]), frame, -1, 0.0, meeting, number)
    return n


@lean
def is_told(kind: int, borders: bool) -> bool:
    """Whether a corner or a side of that kind makes contacts."""
    return kind == REAL or (kind == BORDER and borders)


@lean
def rim_on_face(
    found: Floats,
    n: int,
    q: Floats,
    h: Floats,
    det: float,
    ring: Floats,
    sides: Ints,
    count: int,
    borders: bool,
    frame: Floats,
    foot: Foot,
    angles: Floats,
    kinds: Ints,
    band: float,
    bow_band: float,
    number: int,
) -> int:
    """The contacts of the outline with one face: its corners, the nearest point of each arc, and points along arcs.

    The face is given by its corners on the base (3, 2), their heights, and the part (count, 2) of it within the band.
    Points along an arc are counted from its nearest point: so they are the same whatever triangles a plane is cut into.
    """
    h0, rx, ry = level_at(q, h, det)
    rises = length(rx, ry)
    if rises > UPRIGHT:  # its upper edge is what the rim meets
        return n
    edges, level = foot.edges, 2.0 * foot.reach_mm * rises < ALIKE_MM
    lowest, lowest_on_bow = -band - LOOSE_MM, -bow_band - LOOSE_MM  # heights are told by the face's slope: rounded
    for e in range(edges.shape[0]):
        x, y = edges[e, X0], edges[e, Y0]
        if edges.shape[0] > 1 and h0 + rx * x + ry * y >= lowest and in_ring(ring, count, x, y):
            n = put(found, n, x, y, h0 + rx * x + ry * y, frame, -1, 0.0, RIM_ON_FACE, number)
        if edges[e, KIND] != ROUND:
            continue
        cx, cy, rim_x, rim_y = edges[e, CX], edges[e, CY], edges[e, RX], edges[e, RY]
        first = edges[e, A0]
        if not level:
            met, x, y = farthest_on_arc(edges[e], rx, ry)
            first = math.atan2((y - cy) / rim_y, (x - cx) / rim_x)
            if met and h0 + rx * x + ry * y >= lowest and in_ring(ring, count, x, y):
                n = put(found, n, x, y, h0 + rx * x + ry * y, frame, e, first, RIM_ON_FACE, number)
        cuts = arc_cuts(edges[e], ring, sides, count, angles, kinds)
        for k in range(cuts - 1):
            a, b = angles[k], angles[k + 1]
            m = 0.5 * (a + b)
            if not in_ring(ring, count, cx + rim_x * math.cos(m), cy + rim_y * math.sin(m)):
                continue
            for i in range(2):
                angle = b if i == 1 else a
                x, y = cx + rim_x * math.cos(angle), cy + rim_y * math.sin(angle)
                if is_told(kinds[k + i], borders) and h0 + rx * x + ry * y >= lowest_on_bow:
                    n = put(found, n, x, y, h0 + rx * x + ry * y, frame, e, angle, RIM_ON_FACE, number)
            off = within_half_turn(a - first)
            for turn in range(2):  # once round, and on
                low, high = off - 2.0 * math.pi * turn, off + b - a - 2.0 * math.pi * turn
                step = max(math.ceil(low / ARC_STEP - ON_STEP), -ROUND_HALF)
                last = min(math.floor(high / ARC_STEP + ON_STEP), ROUND_HALF)
                if step > last:
                    continue
                u, v = math.cos(first + step * ARC_STEP), math.sin(first + step * ARC_STEP)
                while step <= last:
                    x, y = cx + rim_x * u, cy + rim_y * v
                    if h0 + rx * x + ry * y >= lowest_on_bow and (step != 0 or level):
                        n = put(
                            found, n, x, y, h0 + rx * x + ry * y, frame, e, first + step * ARC_STEP, RIM_ON_FACE, number
                        )
                    u, v = u * STEP_X - v * STEP_Y, v * STEP_X + u * STEP_Y  # turned on: sines are dear
                    step += 1
    return n


@lean
def level_at(q: Floats, h: Floats, det: float) -> tuple[float, float, float]:
    """How high a face stands over the base's plane at its middle, and its rise per mm along the base's axes.

    It is told by its corners on the base (3, 2), their heights, and twice the area of that triangle.
    """
    rx = ((h[1] - h[0]) * (q[2, 1] - q[0, 1]) - (h[2] - h[0]) * (q[1, 1] - q[0, 1])) / det
    ry = ((h[2] - h[0]) * (q[1, 0] - q[0, 0]) - (h[1] - h[0]) * (q[2, 0] - q[0, 0])) / det
    return h[0] - rx * q[0, 0] - ry * q[0, 1], rx, ry


@compiled
def at_rest(contacts: Floats) -> Floats:
    """The contacts of a base that has not rolled: none stands over its plane, what does hangs over a leaning one."""
    kept = 0
    firm = np.empty_like(contacts)
    for k in range(contacts.shape[0]):
        if contacts[k, HEIGHT] <= TOUCH_MM:
            firm[kept] = contacts[k]
            kept += 1
    return firm[:kept]


@lean
def arc_cuts(edge: Floats, ring: Floats, sides: Ints, count: int, angles: Floats, kinds: Ints) -> int:
    """The angles at which a convex ring cuts an arc, with the arc's own ends, sorted; how many.

    With each, what it is cut by; an end of an arc is real, that of a whole circle is of no account.
    """
    n, whole = 1, edge[SWEEP] >= WHOLE
    angles[0], kinds[0] = edge[A0], PLAIN if whole else REAL
    for i in range(count):
        j = (i + 1) % count
        px, py = (ring[i, 0] - edge[CX]) / edge[RX], (ring[i, 1] - edge[CY]) / edge[RY]
        qx, qy = (ring[j, 0] - edge[CX]) / edge[RX] - px, (ring[j, 1] - edge[CY]) / edge[RY] - py
        a, b, c = qx * qx + qy * qy, px * qx + py * qy, px * px + py * py - 1.0
        root = b * b - a * c
        if a == 0.0 or root < 0.0:
            continue
        root = math.sqrt(root)
        for side in (-1.0, 1.0):
            s = (-b + side * root) / a
            if 0.0 <= s <= 1.0 and n < angles.shape[0] - 1:
                u, v = px + s * qx, py + s * qy
                if on_arc(edge, u, v):
                    angles[n] = edge[A0] + (math.atan2(v, u) - edge[A0]) % (2.0 * math.pi)
                    kinds[n] = sides[i]
                    n += 1
    angles[n], kinds[n] = edge[A0] + edge[SWEEP], kinds[0]
    n += 1
    for i in range(1, n):  # few: insertion
        value, kind, k = angles[i], kinds[i], i
        while k > 0 and angles[k - 1] > value:
            angles[k], kinds[k] = angles[k - 1], kinds[k - 1]
            k -= 1
        angles[k], kinds[k] = value, kind
    if n > 2 and whole:  # a circle has no ends: where it is told to begin is no place of its own
        for i in range(1, n - 1):
            angles[i - 1], kinds[i - 1] = angles[i], kinds[i]
        n -= 1
        angles[n - 1], kinds[n - 1] = angles[0] + 2.0 * math.pi, kinds[0]
    return n


@compiled
def hull(points: Floats) -> Ints:
    """The numbers of the points on the convex hull, counter-clockwise; of a line of points its two ends."""
    points = uncounted(points)
    many = points.shape[0]
    if many == 0:
        return np.empty(0, np.int64)
    kept = np.empty(many, np.int64)
    n = 0
    if many > MANY:
        n = not_within(points, kept)
    else:
        for i in range(many):
            kept[i] = i
        n = many
    kept = kept[:n]
    keys = np.empty(n)
    for i in range(n):  # along an odd direction: terrain has many edges along x and y, and ties there would be rounding
        keys[i] = along_odd(points[kept[i]])
    order = in_rising_order(keys)
    # corners met twice, once from each neighbour, lie a rounding apart and would be an edge of no direction: keep one
    once = np.empty(n, np.int64)
    many_once = 0
    for k in range(n):
        i = kept[order[k]]
        back = many_once - 1
        same = -1
        while back >= 0 and keys[order[k]] - along_odd(points[once[back]]) < 2.0 * SAME_POINT_MM:
            if gap2(points, i, once[back]) < SAME_POINT_MM * SAME_POINT_MM:
                same = back
                break
            back -= 1
        if same < 0:
            once[many_once] = i
            many_once += 1
        elif goes_before(points[i], points[once[same]]):
            for m in range(same, many_once - 1):  # in its own place: hulls are walked in order
                once[m] = once[m + 1]
            once[many_once - 1] = i
    n = many_once
    stack = np.empty(2 * n + 2, np.int64)
    size = 0
    for part in range(2):
        base = size
        for step in range(n):
            i = once[step if part == 0 else n - 1 - step]
            while size - base >= 2 and turn_of(points, stack[size - 2], stack[size - 1], i) <= 1e-13:
                size -= 1
            stack[size] = i
            size += 1
        size -= 1
    if size <= 0:
        return once[:1].copy()
    return stack[:size].copy()


@lean
def goes_before(one: Floats, other: Floats) -> bool:
    """Which of two contacts in one place is kept: that on a bow of the rim, so that it stays whole, or the higher one.

    A wall's corners are met at its top and where it leaves the band.
    """
    if (one[ARC] < 0.0) != (other[ARC] < 0.0):
        return other[ARC] < 0.0
    return one[HEIGHT] > other[HEIGHT] + LOOSE_MM


@compiled
def in_rising_order(keys: Floats) -> Ints:
    """The numbers of keys as they rise, equal ones in their order: contacts of a bow come in long runs, up and down."""
    n = keys.shape[0]
    order = np.arange(n)
    if n < FEW_KEYS:
        for k in range(1, n):  # few: insertion
            i, back = order[k], k
            while back > 0 and keys[order[back - 1]] > keys[i]:
                order[back] = order[back - 1]
                back -= 1
            order[back] = i
        return order
    other, ends, many, first = np.empty(n, np.int64), np.empty(n + 1, np.int64), 0, 0
    ends[0] = 0
    while first < n:  # runs; one that falls is turned round
        last = first + 1
        if last < n and keys[last] < keys[first]:
            while last < n and keys[last] < keys[last - 1]:
                last += 1
            for k in range((last - first) // 2):
                order[first + k], order[last - 1 - k] = order[last - 1 - k], order[first + k]
        else:
            while last < n and keys[last] >= keys[last - 1]:
                last += 1
        many += 1
        ends[many] = first = last
    while many > 1:  # two and two become one
        made = 0
        for r in range(0, many, 2):
            i, middle, last = ends[r], ends[r + 1], ends[min(r + 2, many)]
            j = middle
            for k in range(ends[r], last):
                if j >= last or (i < middle and keys[order[i]] <= keys[order[j]]):
                    other[k] = order[i]
                    i += 1
                else:
                    other[k] = order[j]
                    j += 1
            made += 1
            ends[made] = last
        order, other, many = other, order, made
    return order


@lean
def not_within(points: Floats, kept: Ints) -> int:
    """Writes which points do not lie in the polygon of the farthest in 16 directions; how many.

    Most points of a flat lie well inside: in a circle within that polygon.
    """
    far, best = scratch_marks(SIDES), scratch(SIDES)
    ways = scratch(SIDES, 2)
    for d in range(SIDES):
        ways[d, 0], ways[d, 1] = math.cos(2.0 * d * math.pi / SIDES), math.sin(2.0 * d * math.pi / SIDES)
        best[d] = -math.inf
    for i in range(points.shape[0]):
        x, y = points[i, QX], points[i, QY]
        for d in range(SIDES):
            v = x * ways[d, 0] + y * ways[d, 1]
            if v > best[d]:
                best[d], far[d] = v, i
    mx = my = 0.0
    for d in range(SIDES):
        mx, my = mx + points[far[d], QX] / SIDES, my + points[far[d], QY] / SIDES
    sides = scratch(SIDES, 4)  # where each begins, and its direction
    radius = math.inf
    for d in range(SIDES):
        a, b = far[d], far[(d + 1) % SIDES]
        sides[d, 0], sides[d, 1] = points[a, QX], points[a, QY]
        sides[d, 2], sides[d, 3] = points[b, QX] - points[a, QX], points[b, QY] - points[a, QY]
        size = length(sides[d, 2], sides[d, 3])
        if size > 0.0:
            out = sides[d, 2] * (my - sides[d, 1]) - sides[d, 3] * (mx - sides[d, 0])
            radius = min(radius, (out - 2.0 * WITHIN) / size)
    well = radius * radius if 0.0 < radius < math.inf else 0.0
    n = 0
    for i in range(points.shape[0]):
        x, y = points[i, QX], points[i, QY]
        if (x - mx) * (x - mx) + (y - my) * (y - my) < well:
            continue
        for d in range(SIDES):
            dx, dy = sides[d, 2], sides[d, 3]
            if dx * (y - sides[d, 1]) - dy * (x - sides[d, 0]) <= WITHIN and dx * dx + dy * dy != 0.0:
                kept[n] = i
                n += 1
                break
    return n


@lean
def along_odd(point: Floats) -> float:
    """How far along the odd direction a contact lies."""
    return point[QX] * ODD_COS + point[QY] * ODD_SIN


@lean
def gap2(points: Floats, a: int, b: int) -> float:
    """The square of the distance of two contacts in the base's plane."""
    dx, dy = points[a, QX] - points[b, QX], points[a, QY] - points[b, QY]
    return dx * dx + dy * dy


@lean
def turn_of(points: Floats, a: int, b: int, c: int) -> float:
    """Twice the area of the triangle of three contacts."""
    return (points[b, QX] - points[a, QX]) * (points[c, QY] - points[a, QY]) - (points[b, QY] - points[a, QY]) * (
        points[c, QX] - points[a, QX]
    )


@lean
def on_same_arc(one: Floats, other: Floats) -> bool:
    """Whether the hull's edge between two contacts stands for a bow of the rim."""
    if one[ARC] < 0.0 or one[ARC] != other[ARC]:
        return False
    return abs(within_half_turn(other[ANGLE] - one[ANGLE])) < 1.5 * ARC_STEP
