"""Steps of rolling that are told ahead: while a base rolls on the same two places, the rest of the terrain has no say.

Compiled. A place is a point of the terrain under the base, an edge across its rim, or a face on which its rim rolls.
The steps are those of `footing.one_step`; where one of the two places changes they end. Whether something else was met
on the way is for the caller to ask, now and then: what lies ahead of a rolling base only comes nearer.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from sim3d.compiled import copied, lean, scratch, scratch_marks
from sim3d.ground.foot import A0, CX, CY, RX, RY, Foot, crossings, inside, length, on_arc
from sim3d.space import Floats, Ints
from sim3d.statics.roll import raised_into, turned_into
from sim3d.statics.touch import (
    ALIKE_MM,
    ANGLE,
    ARC,
    HEIGHT,
    MEETING,
    PX,
    PY,
    PZ,
    QX,
    QY,
    RIM_ON_EDGE,
    RIM_ON_FACE,
    SAME_POINT_MM,
    TRIANGLE,
    UNDER,
    UPRIGHT,
    along_odd,
    dot,
    gap2,
    in_ring,
)
from sim3d.statics.ways import side_axis

WALK_MM = 1e-4  # while rolling, what touches: less takes more steps on a smooth rim, more blurs where it would rest
SINK_MM = 2e-3  # a rim rolling on a face sinks in by a quarter of it in a step; ten times as much skips facets
LIFTS = 4  # rounds; one or two do
APART_MM = 0.1  # contacts nearer than this are one
LIFTED_MM = 1e-8  # in by less, nothing is lifted
POINT, EDGE, FACE = 0, 1, 2
AT_ONCE, POSES = 32, 33  # steps told ahead at most, and the poses before and after them
FIRST = 2e-3  # radians: where the search for the end of a step begins; where it went on it begins where the last ended
DEEPEST = 0.1  # radians that a step may sink in: larger ones are no rolling on a rim
JUST = 1e-10  # of an angle
SEARCHES = 12  # rounds; three do
LEAPS_MM = 1.0  # along an edge in one step


class Places(NamedTuple):
    """The two places that a base rolls on."""

    kinds: Ints  # (2,)
    arcs: Ints  # (2,) of the outline
    sides: Ints  # (2, 2) the triangles at an edge, or the one of a face; -1: none
    corners: Floats  # (2, 2, 9) of those, of an edge its ends first; or the point
    planes: Floats  # (2, 2, 4) of those: the normal, on the base's side, and how far along it the plane lies


@lean
def roll_on_two(
    tris: Floats, foot: Foot, frame: Floats, axis: Floats, contacts: Floats, places: Places, seen: Floats
) -> bool:
    """Whether a base rolls from a pose about an axis over two places on which steps are told ahead; both are written.

    And where on the base they are, `seen`. `tris` are all triangles of the patch: contacts know them by their numbers.
    """
    ends = scratch_marks(2)
    if not both_ends(contacts, frame, axis, ends):
        return False
    for k in range(2):
        if not place_of_contact(tris, foot, frame, contacts, ends[k], k, places):
            return False
        seen[k, 0], seen[k, 1] = contacts[ends[k], QX], contacts[ends[k], QY]
    return bool(places.kinds[0] == FACE or places.kinds[1] == FACE)


@lean
def told_step(
    foot: Foot,
    frame: Floats,
    axis: Floats,
    guess: float,
    places: Places,
    seen: Floats,
    there: Floats,
    onward: Floats,
    met: Floats,
) -> float:
    """One step told ahead of rolling from a pose about an axis on two places: twice its angle; 0: one of them changes.

    The pose after it, the axis on from there, and the two contacts (2, 10) are written. `guess` is twice the angle of
    the step before.
    """
    now, side, sunk = scratch(4, 3), scratch(3, 3), scratch(2, 3)
    deep = sinks_by(foot, frame, axis, guess, places, now, sunk)
    if deep == 0.0:
        return 0.0
    turned_into(frame, axis, 0.5 * deep, now)
    if not lifted_out(foot, now, axis, places, seen):
        return 0.0
    for r in range(4):
        copied(now[r], there[r])
    for k in range(2):
        contact = met[k]
        contact[QX], contact[QY], contact[HEIGHT] = seen[k, 0], seen[k, 1], seen[k, 2]
        for a in range(3):
            contact[PX + a] = now[0, a] + seen[k, 0] * now[1, a] + seen[k, 1] * now[2, a] + seen[k, 2] * now[3, a]
        contact[TRIANGLE], contact[ARC] = places.sides[k, 0], places.arcs[k]
        if places.kinds[k] == POINT:
            contact[ANGLE], contact[MEETING] = 0.0, UNDER
        else:
            contact[ANGLE] = angle_on(foot.edges[places.arcs[k]], seen[k, 0], seen[k, 1], places.kinds[k])
            contact[MEETING] = RIM_ON_FACE
    ring = scratch_marks(2)
    first_of_two(met, ring)
    for k in range(2):
        side_axis(met, ring, k, now, foot.edges, side)
        if dot(side[2, 0], side[2, 1], side[2, 2], axis[2]) > 0.0:
            break
    for r in range(3):
        copied(side[r], onward[r])
    return deep


@lean
def first_of_two(met: Floats, ring: Ints) -> None:
    """Two contacts as their hull has them."""
    ring[0] = 1 if along_odd(met[1]) < along_odd(met[0]) else 0
    ring[1] = 1 - ring[0]


@lean
def both_ends(contacts: Floats, frame: Floats, axis: Floats, ends: Ints) -> bool:
    """The two contacts on an axis, where there are two and they lie apart; of several at one place any is it."""
    dx, dy, dz = axis[0, 0] - frame[0, 0], axis[0, 1] - frame[0, 1], axis[0, 2] - frame[0, 2]
    x, y = dot(dx, dy, dz, frame[1]), dot(dx, dy, dz, frame[2])
    ux, uy = dot(axis[1, 0], axis[1, 1], axis[1, 2], frame[1]), dot(axis[1, 0], axis[1, 1], axis[1, 2], frame[2])
    low, high = math.inf, -math.inf
    for i in range(contacts.shape[0]):
        dx, dy = contacts[i, QX] - x, contacts[i, QY] - y
        if abs(dx * uy - dy * ux) > SAME_POINT_MM:
            continue
        along = dx * ux + dy * uy
        if along < low:
            low, ends[0] = along, i
        if along > high:
            high, ends[1] = along, i
    if not high - low > APART_MM:
        return False
    for i in range(contacts.shape[0]):
        dx, dy = contacts[i, QX] - x, contacts[i, QY] - y
        along = dx * ux + dy * uy
        if abs(dx * uy - dy * ux) <= SAME_POINT_MM and low + SAME_POINT_MM < along < high - SAME_POINT_MM:
            return False
    return True


@lean
def place_of_contact(
    tris: Floats,
    foot: Foot,
    frame: Floats,
    contacts: Floats,
    i: int,
    k: int,
    places: Places,
) -> bool:
    """Of what kind the place of a contact is, and its geometry, as number `k`; False: of none that is told ahead."""
    edge = other = face = arc = -1
    point = False
    for j in range(contacts.shape[0]):
        if gap2(contacts, i, j) > SAME_POINT_MM * SAME_POINT_MM:
            continue
        number = int(contacts[j, TRIANGLE])
        if contacts[j, MEETING] == UNDER:
            point = True
        elif contacts[j, MEETING] == RIM_ON_EDGE:
            if edge < 0:
                edge = number
            elif number != edge and other < 0:
                other = number
            elif number != edge and number != other:
                return False
        elif contacts[j, ARC] < 0.0:
            return False
        else:
            face, arc = number, int(contacts[j, ARC])
    if point:
        places.kinds[k], places.sides[k, 0], places.sides[k, 1], places.arcs[k] = (
            POINT,
            int(contacts[i, TRIANGLE]),
            -1,
            -1,
        )
        for a in range(3):
            places.corners[k, 0, a] = contacts[i, PX + a]
        return edge < 0 and face < 0
    if arc < 0:
        return False
    places.arcs[k] = arc
    if edge < 0:
        places.kinds[k], places.sides[k, 0], places.sides[k, 1] = FACE, face, -1
        return written(tris[face], 0, frame, places.corners[k, 0], places.planes[k, 0])
    places.kinds[k], places.sides[k, 0], places.sides[k, 1] = EDGE, edge, other
    start = side_through(tris[edge], contacts[i, PX], contacts[i, PY], contacts[i, PZ])
    if start < 0 or not written(tris[edge], start, frame, places.corners[k, 0], places.planes[k, 0]):
        return False
    return other < 0 or written(tris[other], 0, frame, places.corners[k, 1], places.planes[k, 1])


@lean
def written(tri: Floats, start: int, frame: Floats, nine: Floats, plane: Floats) -> bool:
    """The corners of a triangle, from one of them on, and its plane; False: it has none, or stands upright."""
    for j in range(3):
        for a in range(3):
            nine[3 * j + a] = tri[(start + j) % 3, a]
    ax, ay, az = tri[1, 0] - tri[0, 0], tri[1, 1] - tri[0, 1], tri[1, 2] - tri[0, 2]
    bx, by, bz = tri[2, 0] - tri[0, 0], tri[2, 1] - tri[0, 1], tri[2, 2] - tri[0, 2]
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    up = dot(nx, ny, nz, frame[3])
    if abs(up) * UPRIGHT <= size:
        return False
    size = -size if up < 0.0 else size
    plane[0], plane[1], plane[2] = nx / size, ny / size, nz / size
    plane[3] = plane[0] * tri[0, 0] + plane[1] * tri[0, 1] + plane[2] * tri[0, 2]
    return True


@lean
def side_through(tri: Floats, x: float, y: float, z: float) -> int:
    """The side of a triangle on which a point lies; -1: none, or more than one."""
    found, many = -1, 0
    for i in range(3):
        j = (i + 1) % 3
        ex, ey, ez = tri[j, 0] - tri[i, 0], tri[j, 1] - tri[i, 1], tri[j, 2] - tri[i, 2]
        dx, dy, dz = x - tri[i, 0], y - tri[i, 1], z - tri[i, 2]
        size = ex * ex + ey * ey + ez * ez
        if size == 0.0:
            continue
        s = min(1.0, max(0.0, (dx * ex + dy * ey + dz * ez) / size))
        dx, dy, dz = dx - s * ex, dy - s * ey, dz - s * ez
        if dx * dx + dy * dy + dz * dz < 25.0 * SAME_POINT_MM * SAME_POINT_MM:
            found = i
            many += 1
    return found if many == 1 else -1


@lean
def seen_from(nine: Floats, j: int, frame: Floats) -> tuple[float, float, float]:
    """A corner in the base's own coordinates, and its height over the plane."""
    dx, dy, dz = nine[3 * j] - frame[0, 0], nine[3 * j + 1] - frame[0, 1], nine[3 * j + 2] - frame[0, 2]
    return dot(dx, dy, dz, frame[1]), dot(dx, dy, dz, frame[2]), dot(dx, dy, dz, frame[3])


@lean
def nearest_on(plane: Floats, frame: Floats, edge: Floats, seen: Floats) -> None:
    """Of an arc's ellipse the point nearest to a plane: where it lies on the base, how high that stands over it."""
    x, y = -dot(plane[0], plane[1], plane[2], frame[1]), -dot(plane[0], plane[1], plane[2], frame[2])
    px, py = edge[RX] * x, edge[RY] * y
    size = length(px, py)
    off = plane[3] - dot(plane[0], plane[1], plane[2], frame[0]) + x * edge[CX] + y * edge[CY]
    seen[0] = edge[CX] + (edge[RX] * px / size if size > 0.0 else edge[RX])
    seen[1] = edge[CY] + (edge[RY] * py / size if size > 0.0 else 0.0)
    seen[2] = (off + size) / dot(plane[0], plane[1], plane[2], frame[3])


@lean
def rolls_on(nine: Floats, plane: Floats, frame: Floats, edge: Floats, seen: Floats) -> bool:
    """Whether an arc rolls on a face: its ellipse's point nearest to that, `seen`, is one of the arc, in the face."""
    if not on_arc(edge, (seen[0] - edge[CX]) / edge[RX], (seen[1] - edge[CY]) / edge[RY]):
        return False
    x, y = dot(plane[0], plane[1], plane[2], frame[1]), dot(plane[0], plane[1], plane[2], frame[2])
    up = dot(plane[0], plane[1], plane[2], frame[3])
    if length(x, y) > UPRIGHT * up or 2.0 * (edge[RX] + edge[RY]) * length(x, y) < ALIKE_MM * up:
        return False
    q = scratch(3, 2)
    for j in range(3):
        dx, dy, dz = nine[3 * j] - frame[0, 0], nine[3 * j + 1] - frame[0, 1], nine[3 * j + 2] - frame[0, 2]
        q[j, 0], q[j, 1] = dot(dx, dy, dz, frame[1]), dot(dx, dy, dz, frame[2])
    return in_ring(q, 3, seen[0], seen[1])


@lean
def on_edge(nine: Floats, frame: Floats, foot: Foot, seen: Floats) -> bool:
    """Whether an edge crosses the rim near where it did: where, and how high it stands over the plane there."""
    ax, ay, ah = seen_from(nine, 0, frame)
    bx, by, bh = seen_from(nine, 1, frame)
    shares, nearest, share = scratch(16), LEAPS_MM, -1.0
    for k in range(crossings(foot.edges, foot.reach_mm, foot.inner_mm, ax, ay, bx, by, shares)):
        s = shares[k]
        far = length(ax + s * (bx - ax) - seen[0], ay + s * (by - ay) - seen[1])
        if far < nearest:
            nearest, share = far, s
    seen[0], seen[1], seen[2] = ax + share * (bx - ax), ay + share * (by - ay), ah + share * (bh - ah)
    return share >= 0.0


@lean
def at_place(foot: Foot, frame: Floats, k: int, places: Places, seen: Floats) -> bool:
    """Where the base meets one of two places at a pose, and how high that stands over its plane; False: nowhere."""
    if places.kinds[k] == POINT:
        seen[k, 0], seen[k, 1], seen[k, 2] = seen_from(places.corners[k, 0], 0, frame)
        return True
    if places.kinds[k] == EDGE:
        return on_edge(places.corners[k, 0], frame, foot, seen[k])
    nearest_on(places.planes[k, 0], frame, foot.edges[places.arcs[k]], seen[k])
    return True


@lean
def still_there(foot: Foot, frame: Floats, k: int, places: Places, seen: Floats) -> bool:
    """Whether a place is what it was: under the base; in the face; on the edge, and in no face beside it."""
    if places.kinds[k] == POINT:
        return inside(foot.pieces, foot.reach_mm, foot.inner_mm, seen[k, 0], seen[k, 1])
    edge = foot.edges[places.arcs[k]]
    if places.kinds[k] == FACE:
        return rolls_on(places.corners[k, 0], places.planes[k, 0], frame, edge, seen[k])
    beside = scratch(3)
    for j in range(2 if places.sides[k, 1] >= 0 else 1):
        nearest_on(places.planes[k, j], frame, edge, beside)
        if rolls_on(places.corners[k, j], places.planes[k, j], frame, edge, beside):
            return False
    return True


@lean
def sinks_by(foot: Foot, frame: Floats, axis: Floats, guess: float, places: Places, now: Floats, sunk: Floats) -> float:
    """The angle at which its rim has sunk by `SINK_MM` in the faces that it rolls on; 0: not while it does.

    It sinks in by about the square of the angle.
    """
    angle = guess
    for _ in range(SEARCHES):
        most = 0.0
        for k in range(2):
            if places.kinds[k] == FACE:
                most = max(most, sunk_at(places.planes[k, 0], frame, axis, foot.edges[places.arcs[k]], angle))
        if most <= 0.0:
            return 0.0
        better = angle * math.sqrt(SINK_MM / most)
        if better > DEEPEST:
            return 0.0
        if abs(better - angle) <= JUST * angle:
            turned_into(frame, axis, better, now)
            for k in range(2):
                if places.kinds[k] == POINT:
                    continue
                if places.kinds[k] == FACE:
                    nearest_on(places.planes[k, 0], now, foot.edges[places.arcs[k]], sunk[k])
                if not still_there(foot, now, k, places, sunk):
                    return 0.0
            return better
        angle = better
    return 0.0


@lean
def sunk_at(plane: Floats, frame: Floats, axis: Floats, edge: Floats, angle: float) -> float:
    """How deep an arc's ellipse has sunk in a plane, rolled about an axis by an angle."""
    c, s = math.cos(angle), math.sin(angle)
    u, w = dot(plane[0], plane[1], plane[2], axis[1]), dot(plane[0], plane[1], plane[2], axis[2])
    up = dot(plane[0], plane[1], plane[2], frame[3])
    w, up = w * c - up * s, up * c + w * s  # the normal along the axis, outward and up, as the base sees it there
    x = -(u * dot(axis[1, 0], axis[1, 1], axis[1, 2], frame[1]) + w * dot(axis[2, 0], axis[2, 1], axis[2, 2], frame[1]))
    y = -(u * dot(axis[1, 0], axis[1, 1], axis[1, 2], frame[2]) + w * dot(axis[2, 0], axis[2, 1], axis[2, 2], frame[2]))
    dx, dy, dz = frame[0, 0] - axis[0, 0], frame[0, 1] - axis[0, 1], frame[0, 2] - axis[0, 2]
    off = plane[3] - dot(axis[0, 0], axis[0, 1], axis[0, 2], plane) - u * dot(dx, dy, dz, axis[1])
    off += x * edge[CX] + y * edge[CY] - w * dot(dx, dy, dz, axis[2])
    return (off + length(edge[RX] * x, edge[RY] * y)) / up


@lean
def lifted_out(foot: Foot, frame: Floats, axis: Floats, places: Places, seen: Floats) -> bool:
    """Lift a pose out of both places, as `footing.lifted` does; the frame is overwritten. Whether its rim was lifted.

    False, too, where one of the places is no more what it was.
    """
    rim, out = False, scratch(4, 3)
    for _ in range(LIFTS):
        for k in range(2):
            if not at_place(foot, frame, k, places, seen) or seen[k, 2] < -0.5 * WALK_MM:
                return False
        ux, uy = dot(axis[1, 0], axis[1, 1], axis[1, 2], frame[1]), dot(axis[1, 0], axis[1, 1], axis[1, 2], frame[2])
        one, two = seen[0, 0] * ux + seen[0, 1] * uy, seen[1, 0] * ux + seen[1, 1] * uy
        high = 0 if seen[0, 2] >= seen[1, 2] else 1
        c, less = seen[high, 2], seen[1 - high, 2]
        start, end = (one, two) if high == 0 else (two, one)
        if abs(one - two) <= APART_MM or c > 2.0 * SINK_MM:
            return False
        slope = 0.0
        if c - less < LIFTED_MM:
            start = min(one, two)
        else:
            slope = (less - c) / (end - start)
        if max(abs(c), abs(slope) * abs(one - two)) <= LIFTED_MM:
            return rim and still_there(foot, frame, 0, places, seen) and still_there(foot, frame, 1, places, seen)
        rim = rim or c > WALK_MM
        raised_into(frame, c - slope * start, slope * ux, slope * uy, out)
        for r in range(4):
            copied(out[r], frame[r])
    return False


@lean
def angle_on(edge: Floats, x: float, y: float, kind: int) -> float:
    """The angle of a place on an arc, as `touch` tells it: where an edge cuts the arc it is one from its begin on."""
    angle = math.atan2((y - edge[CY]) / edge[RY], (x - edge[CX]) / edge[RX])
    return angle if kind == FACE else float(edge[A0] + (angle - edge[A0]) % (2.0 * math.pi))
