"""What statics hands on as proof: what carries the base where a nudge leads, and which way nothing does.

`sim3d.check` proves a word from it without this code.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, lean, scratch, scratch_marks, uncounted
from sim3d.ground.foot import CX, CY, RX, RY, Foot
from sim3d.ground.patch import LUMP, off_strip, over_lump
from sim3d.space import Floats, Ints
from sim3d.statics.basis import plane_through, props, weights
from sim3d.statics.lowest import PIVOTS
from sim3d.statics.near import Terrain, loose
from sim3d.statics.over import ROUNDED_MM, ground_point, strip, sunk, to_base, worst
from sim3d.statics.roll import raised
from sim3d.statics.touch import ANGLE, ARC, HEIGHT, PX, PZ, QX, QY, on_same_arc, touching, within_half_turn
from sim3d.statics.ways import com_place, foot_of_com

BESIDE = 1e-7  # a share of the weight by which a ground point may lie outside its contacts: rounding
ON_LINE_MM = 1e-6  # how far it may lie beside the line of two
SINKS = 4.0  # terrain this many times as near as the base has sunk in may carry it once it is lifted out
NEAR_MM = 0.1  # and this much more
CENTRAL = 0.99  # of the square of how far a circle that fits inside reaches: its chords leave out less
SUNK_MM = 1e-9  # terrain this far in counts as touching
SETTLES = 12  # rounds; two or three do
LEG = math.radians(3.0)  # a base that topples is looked at this often on its way
DEEP_MM = 1e6  # a plane or a band so deep that all terrain under a base counts
LEGS = 60  # steps of a base that is held for a while and has to find another way over
BACK = 0.25  # of a leg: nearer than this to where it was, it goes to and fro or round in circles
EASED = 1e-3  # of a leg: a base that lies flat has begun to tilt
ASIDES = 24  # directions in which a base is tilted that no pose was found for
STEEPER = (0.3, 1.0, 3.0)  # gradients to which it is tilted
PAST = 1.15  # a gradient, 49 degrees, so it is looked at beyond 45 too: nobody stands who leans so far
NEARBY = 3  # of those directions: the one in which it goes, and those beside that
AROUND = 256  # parts of a turn, to see in which directions something is
CLEAR_MM = 0.01  # behind its ground point a base touches by more: ten times the band of a word
SURELY_MM = 2e-3  # what is so near that it, too, may be what is touched first: a rim is a polygon for `check`
HOLDS_MM = (2e-6, 0.5)  # what it touches, and what is so near that the next step would meet it


@compiled
def aside(place: Floats, com: Floats, ux: float, uy: float, dx: float, dz: float) -> tuple[float, float]:
    """A place as seen along tilted gravity from the centre of mass: how far across the lean, and along it."""
    x, y, z = place[0] - com[0], place[1] - com[1], place[2] - com[2]
    # gravity is (dx ux, dx uy, dz): across is level, along is at a right angle to both
    return uy * x - ux * y, -dz * (ux * x + uy * y) + dx * z


@compiled
def carried_by(
    contacts: Floats,
    ring: Ints,
    frame: Floats,
    com: Floats,
    edges: Floats,
    ux: float,
    uy: float,
    tilt: float,
    places: Floats,
    shares: Floats,
) -> bool:
    """The three places (3, 3) and their shares of the weight that carry the centre of mass, gravity tilted to (ux, uy).

    Of a hull of contacts; beyond a chord of the rim, the rim's own point there carries, too. False where none do.
    """
    many = ring.shape[0]
    if many < 2:
        return False
    middle, seen = np.empty(3), np.empty((max(many, 3), 2))
    middle[0], middle[1], middle[2] = com_place(frame, com)
    dx, dz = math.sin(tilt), -math.cos(tilt)
    for i in range(many):
        seen[i, 0], seen[i, 1] = aside(contacts[ring[i], PX : PZ + 1], middle, ux, uy, dx, dz)
    for i in range(1, max(many - 1, 2)):  # a fan of triangles from the first corner; of two contacts, their line
        j = min(i + 1, many - 1)
        if shared(seen[0], seen[i], seen[j], shares):
            places[0] = contacts[ring[0], PX : PZ + 1]
            places[1] = contacts[ring[i], PX : PZ + 1]
            places[2] = contacts[ring[j], PX : PZ + 1]
            return True
    fx, fy = foot_of_com(frame, com, dx * ux, dx * uy, dz)
    for i in range(many):
        a, b = ring[i], ring[(i + 1) % many]
        if not on_same_arc(contacts[a], contacts[b]):
            continue
        e = int(contacts[a, ARC])
        span = within_half_turn(contacts[b, ANGLE] - contacts[a, ANGLE])
        angle = math.atan2((fy - edges[e, CY]) / edges[e, RY], (fx - edges[e, CX]) / edges[e, RX])
        off = within_half_turn(angle - contacts[a, ANGLE])
        if not 0.0 <= off <= span:
            continue
        qx, qy = edges[e, CX] + edges[e, RX] * math.cos(angle), edges[e, CY] + edges[e, RY] * math.sin(angle)
        places[0], places[2] = contacts[a, PX : PZ + 1], contacts[b, PX : PZ + 1]
        for k in range(3):
            places[1, k] = frame[0, k] + qx * frame[1, k] + qy * frame[2, k]
        for k in range(3):
            seen[k, 0], seen[k, 1] = aside(places[k], middle, ux, uy, dx, dz)
        return shared(seen[0], seen[1], seen[2], shares)
    return False


@compiled
def settled_on(
    terrain: Terrain,
    start: Floats,
    com: Floats,
    foot: Foot,
    ux: float,
    uy: float,
    tilt: float,
) -> Floats:
    """The pose a rolled base really rests in: rolling sinks in by a little with every facet, here it is lifted out.

    The lowest plane, where gravity's line through the centre of mass meets it, over all terrain near: a few rounds.
    The pose it came in where the terrain near carries no such plane.
    """
    frame = start.copy()
    basis, share, entering = np.empty((3, 3)), np.empty(3), np.empty(3)
    marks = np.zeros((3, 4), np.int64)
    band = NEAR_MM
    for turn_no in range(SETTLES):
        if turn_no == 0:
            sunk = touching(terrain, frame, foot, SUNK_MM)[:, HEIGHT]
            band = NEAR_MM + SINKS * (sunk.max() if sunk.shape[0] > 0 else 0.0)
        near = touching(terrain, frame, foot, band)
        tx, ty = foot_of_com(frame, com, math.sin(tilt) * ux, math.sin(tilt) * uy, -math.cos(tilt))
        props(tx, ty, foot.reach_mm, 0.0, basis, marks)
        real = 0
        c = gx = gy = 0.0
        for _ in range(PIVOTS):
            ok, c, gx, gy = plane_through(basis)
            if not ok:
                return start
            over, k = SUNK_MM, -1
            for i in range(near.shape[0]):
                v = near[i, HEIGHT] - c - gx * near[i, QX] - gy * near[i, QY]
                if v > over:
                    over, k = v, i
            if k < 0:
                break
            if not weights(basis, tx, ty, share) or not weights(basis, near[k, QX], near[k, QY], entering):
                return start
            leave, least = -1, math.inf
            for i in range(3):
                if entering[i] > 1e-14 and max(share[i], 0.0) / entering[i] < least:
                    leave, least = i, max(share[i], 0.0) / entering[i]
            if leave < 0:
                return start
            basis[leave, 0], basis[leave, 1], basis[leave, 2] = near[k, QX], near[k, QY], near[k, HEIGHT]
            real |= 1 << leave
        if real != 7 or abs(c) + (abs(gx) + abs(gy)) * foot.reach_mm > SINKS * band:
            return start
        frame[:] = raised(frame, c, gx, gy)
        if abs(c) + (abs(gx) + abs(gy)) * foot.reach_mm < SUNK_MM:
            break
    return frame


@lean
def shared(a: Floats, b: Floats, c: Floats, shares: Floats) -> bool:
    """The shares with which three points of the plane carry the origin; of points in a line, the outer two do."""
    det = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    size = (b[0] - a[0]) ** 2 + (b[1] - a[1]) ** 2
    if abs(det) <= 1e-9 * size:
        along = -(a[0] * (b[0] - a[0]) + a[1] * (b[1] - a[1])) / size if size > 0.0 else 0.0
        beside = abs(a[0] * (b[1] - a[1]) - a[1] * (b[0] - a[0])) / math.sqrt(size) if size > 0.0 else 1.0
        shares[0], shares[1], shares[2] = 1.0 - along, along, 0.0
        return beside < ON_LINE_MM and -BESIDE <= along <= 1.0 + BESIDE
    shares[1] = (c[0] * a[1] - c[1] * a[0]) / det
    shares[2] = (a[0] * b[1] - a[1] * b[0]) / det
    shares[0] = 1.0 - shares[1] - shares[2]
    return min(shares[0], shares[1], shares[2]) >= -BESIDE


@compiled
def goes_on(
    tris: Floats,
    lumps: Floats,
    com: Floats,
    turn: float,
    foot: Foot,
    here: Floats,
    there: Floats,
    out: Floats,
) -> bool:
    """Whether a base tilting from one normal to another touches first behind its centre of mass, all the way.

    Where it does not, or at the start of the last look: `out` is the contact, seen from the ground point, and how far
    before it the foremost contact lay; negative: behind.
    """
    ct, st = math.cos(turn), math.sin(turn)
    point, feature, up = np.empty(3), np.zeros(4, np.int64), np.empty(3)
    ahead_x, ahead_y = there[0] - here[0], there[1] - here[1]
    size = math.hypot(ahead_x, ahead_y)
    out[2] = -math.inf
    angle = math.acos(max(-1.0, min(1.0, here[0] * there[0] + here[1] * there[1] + here[2] * there[2])))
    looks = max(1, math.ceil(angle / LEG))
    for k in range(looks):
        share = max(k / looks, EASED)
        a, b = math.sin((1.0 - share) * angle), math.sin(share * angle)
        for i in range(3):
            up[i] = a * here[i] + b * there[i]
        gx, gy = -up[0] / up[2], -up[1] / up[2]
        over = worst(tris, lumps, -DEEP_MM, gx, gy, gx, gy, ct, st, foot, point, feature)
        if over <= 0.0:
            return False
        tx, ty = ground_point(com, gx, gy, ct, st)
        out[0], out[1] = point[0] - tx, point[1] - ty
        out[2] = max(out[2], (out[0] * ahead_x + out[1] * ahead_y) / size)
        if out[2] >= 0.0:
            return False
    return True


@compiled
def way_over(
    tris: Floats, lumps: Floats, com: Floats, turn: float, foot: Foot, gx: float, gy: float
) -> tuple[Floats, float, float, bool, float, float, bool]:
    """How a base topples: the normals (n, 3) it passes, its last gradient, and the direction in which nothing carries.

    Straight from level to the tilt tried last; where terrain holds it on that way for a while, aside, step by step.
    False: at that last gradient terrain holds it for good, as far as this can see. Last, whether it goes over clearly,
    with a centre of mass a hair elsewhere, too.
    """
    last, here, there = normal_of(gx, gy), np.array([0.0, 0.0, 1.0]), np.empty(3)
    free, bx, by = nothing_beyond(tris, lumps, com, gx, gy, turn, foot)
    contact, against = np.zeros(3), np.zeros(2)
    through = np.empty((LEGS, 3))
    n, turned_back, foremost = 0, False, -math.inf
    while n < LEGS:
        level = last[0] == here[0] and last[1] == here[1]
        if free and (level or goes_on(tris, lumps, com, turn, foot, here, last, contact)):
            return through[:n], gx, gy, True, bx, by, not level and max(foremost, contact[2]) < -CLEAR_MM
        if not step_on(tris, lumps, com, turn, foot, here, last[0] - here[0], last[1] - here[1], contact, there):
            # held: round what holds it, what it touches first and then all that the next step would meet
            against[:] = contact[:2]
            held = True
            for attempt in range(3):
                if attempt < 2:
                    wx, wy = free_way(tris, lumps, com, turn, foot, here, HOLDS_MM[attempt])
                else:
                    wx, wy = -against[0], -against[1]
                held = not step_on(tris, lumps, com, turn, foot, here, wx, wy, contact, there)
                if not held:
                    break
            if held:
                break
            hx, hy = -there[0] / there[2], -there[1] / there[2]
            found, ox, oy = nothing_beyond(tris, lumps, com, hx, hy, turn, foot)
            if found:
                return through[:n], hx, hy, True, ox, oy, max(foremost, contact[2]) < -CLEAR_MM
        foremost = max(foremost, contact[2])
        for k in range(n):  # back where it was: it would go round in circles
            gap = abs(through[k, 0] - there[0]) + abs(through[k, 1] - there[1]) + abs(through[k, 2] - there[2])
            turned_back = turned_back or gap < BACK * LEG
        here[:] = there
        through[n] = here
        n += 1
        if turned_back:
            break
    return through[:n], -here[0] / here[2], -here[1] / here[2], False, 0.0, 0.0, False


@compiled
def lying_level(
    tris: Floats, lumps: Floats, com: Floats, turn: float, foot: Foot
) -> tuple[Floats, Floats, float, float, float]:
    """A base that is set down level: its axes, what it touches, its ground point, and the direction in which it is held
    least."""
    seen, spans, along = seen_lowered(tris, lumps, turn, foot, 0.0, 0.0, HOLDS_MM[0])
    held = touching(loose(seen, spans), LEVEL.copy(), foot, HOLDS_MM[0])
    tx, ty = target_of(com, 0.0, 0.0, turn, along)
    _, middle = widest_gap(held, tx, ty)
    return along, held, tx, ty, middle


@lean
def aside_of(middle: float, k: int) -> float:
    """The directions about one, the nearest first, by turns to either side."""
    return middle + ((k + 1) // 2) * (1 if k % 2 else -1) * 2.0 * math.pi / ASIDES


@lean
def all_behind(held: Floats, tx: float, ty: float, way: float) -> bool:
    """Whether all that is touched lies clearly behind the ground point, seen in a direction."""
    behind = True
    for m in range(held.shape[0]):
        ahead = (held[m, QX] - tx) * math.cos(way) + (held[m, QY] - ty) * math.sin(way)
        behind = behind and ahead < -CLEAR_MM
    return behind


@compiled
def to_smaller(tris: Floats, lumps: Floats, foot: Foot) -> tuple[Floats, Floats]:
    """The terrain, and its lumps, as a base that is smaller by a hair sees it."""
    grown, larger = tris.copy(), lumps.copy()
    grown[:, :, :2] *= 1.0 + SURELY_MM / foot.reach_mm
    larger[:, :4] *= 1.0 + SURELY_MM / foot.reach_mm
    return grown, larger


@compiled
def any_way_over(
    tris: Floats, lumps: Floats, com: Floats, turn: float, foot: Foot, only_clearly: bool
) -> tuple[float, float, bool, float, float, bool]:
    """How a base goes over for which there is no pose: its last gradient, straight from level, and the direction in
    which nothing carries; False: none is found. Last, whether clearly, with a centre of mass a hair elsewhere, too.

    First to where nothing holds it level; a clear way goes before others, or is all that is asked for. So it must go
    over if it is smaller by a hair, too: what lies exactly at the rim proves nothing.
    """
    grown, larger = np.empty((0, 3, 3)), lumps  # once they are asked for
    level, contact = np.array([0.0, 0.0, 1.0]), np.empty(3)
    found, found_x, found_y, found_bx, found_by = False, 0.0, 0.0, 0.0, 0.0
    along, held, tx, ty, middle = lying_level(tris, lumps, com, turn, foot)
    for k in range(ASIDES):
        way = aside_of(middle, k)
        wx, wy = along_of(along, way)
        behind = all_behind(held, tx, ty, way)
        if not behind and (found or only_clearly):
            continue
        reached, foremost = level, -math.inf
        for slope in STEEPER:
            gx, gy = -slope * wx, -slope * wy
            further = normal_of(gx, gy)
            if not goes_on(tris, lumps, com, turn, foot, reached, further, contact):
                break
            reached, foremost = further, max(foremost, contact[2])
            clear = behind and foremost < -CLEAR_MM
            if not clear and (found or only_clearly):
                break
            free, bx, by = nothing_beyond(tris, lumps, com, gx, gy, turn, foot)
            if not free or not nothing_ahead(tris, lumps, com, turn, foot, gx, gy):
                continue
            if grown.shape[0] == 0:
                grown, larger = to_smaller(tris, lumps, foot)
            if nothing_ahead(grown, larger, com, turn, foot, gx, gy):
                if clear:
                    return gx, gy, True, bx, by, True
                found, found_x, found_y, found_bx, found_by = True, gx, gy, bx, by
    return found_x, found_y, found, found_bx, found_by, False


@compiled
def goes_past(
    tris: Floats, lumps: Floats, com: Floats, turn: float, foot: Foot
) -> tuple[float, float, bool, float, float]:
    """The same of a base that clearly goes on until it leans by more than 45 degrees, whatever it meets then: in the
    direction in which it begins to go over, or nearly."""
    level, contact = np.array([0.0, 0.0, 1.0]), np.empty(3)
    along, held, tx, ty, middle = lying_level(tris, lumps, com, turn, foot)
    for k in range(NEARBY):
        way = aside_of(middle, k)
        wx, wy = along_of(along, way)
        gx, gy = -PAST * wx, -PAST * wy
        if not all_behind(held, tx, ty, way):
            continue
        if not goes_on(tris, lumps, com, turn, foot, level, normal_of(gx, gy), contact):
            continue
        if contact[2] >= -CLEAR_MM or not nothing_ahead(tris, lumps, com, turn, foot, gx, gy):
            continue
        grown, larger = to_smaller(tris, lumps, foot)
        if nothing_ahead(grown, larger, com, turn, foot, gx, gy):
            return gx, gy, True, wx, wy
    return 0.0, 0.0, False, 0.0, 0.0


@compiled
def nothing_ahead(tris: Floats, lumps: Floats, com: Floats, turn: float, foot: Foot, gx: float, gy: float) -> bool:
    """Whether on a straight way from level to a gradient all that is touched at once lies behind."""
    there = normal_of(gx, gy)
    slope = math.hypot(gx, gy)
    angle = math.atan(slope)
    looks = math.ceil(angle / LEG)
    for k in range(looks):
        part = math.tan(max(k / looks, EASED) * angle) / slope
        lx, ly = part * gx, part * gy
        seen, spans, along = seen_lowered(tris, lumps, turn, foot, lx, ly, SURELY_MM)
        held = touching(loose(seen, spans), LEVEL.copy(), foot, SURELY_MM)
        tx, ty = target_of(com, lx, ly, turn, along)
        ux = there[0] * along[0, 0] + there[1] * along[1, 0]
        uy = there[0] * along[0, 1] + there[1] * along[1, 1]
        for m in range(held.shape[0]):
            if (held[m, QX] - tx) * ux + (held[m, QY] - ty) * uy >= 0.0:
                return False
    return True


@compiled
def step_on(
    tris: Floats,
    lumps: Floats,
    com: Floats,
    turn: float,
    foot: Foot,
    here: Floats,
    wx: float,
    wy: float,
    contact: Floats,
    there: Floats,
) -> bool:
    """The normal of a base that tilted on by one look in a horizontal direction; false where terrain holds it."""
    size = math.hypot(wx, wy)
    if size == 0.0:
        return False
    there[0], there[1], there[2] = here[0] + LEG / size * wx, here[1] + LEG / size * wy, here[2]
    there /= np.linalg.norm(there)
    return goes_on(tris, lumps, com, turn, foot, here, there, contact)


@compiled
def normal_of(gx: float, gy: float) -> Floats:
    """The upward normal of a plane with a gradient."""
    up = np.array([-gx, -gy, 1.0])
    return up / np.linalg.norm(up)


@compiled
def widest_gap(points: Floats, x: float, y: float) -> tuple[float, float]:
    """The widest angle in which none of the contacts lies as seen from a place on the base, and its middle; radians."""
    many = points.shape[0]
    if many == 0:
        return 2.0 * math.pi, 0.0
    angles = np.sort(np.arctan2(points[:, QY] - y, points[:, QX] - x))
    widest, middle = -1.0, 0.0
    for k in range(many):
        gap = (angles[k + 1] if k + 1 < many else angles[0] + 2.0 * math.pi) - angles[k]
        if gap > widest:
            widest, middle = gap, angles[k] + 0.5 * gap
    return widest, middle


@compiled
def seen_from(tris: Floats, gx: float, gy: float, turn: float, height: float) -> tuple[Floats, Floats, Floats]:
    """Terrain straight under or over a tilted base: its own x, y, heights over a plane; spans; table ways as x, y."""
    ct, st = math.cos(turn), math.sin(turn)
    along = np.empty((2, 2))
    along[0, 0], along[0, 1] = to_base(1.0, 0.0, gx, gy, ct, st)
    along[1, 0], along[1, 1] = to_base(0.0, 1.0, gx, gy, ct, st)
    seen, spans = np.empty_like(tris), np.zeros(tris.shape[0])
    for t in range(tris.shape[0]):
        for i in range(3):
            x, y = tris[t, i, 0], tris[t, i, 1]
            seen[t, i, 0], seen[t, i, 1] = x * along[0, 0] + y * along[1, 0], x * along[0, 1] + y * along[1, 1]
            seen[t, i, 2] = tris[t, i, 2] - gx * x - gy * y - height
        for i in range(3):
            dx, dy, dz = seen[t, i, 0] - seen[t, 0, 0], seen[t, i, 1] - seen[t, 0, 1], seen[t, i, 2] - seen[t, 0, 2]
            spans[t] = max(spans[t], math.sqrt(dx * dx + dy * dy + dz * dz))
    return seen, spans, along


@compiled
def seen_lowered(
    tris: Floats, lumps: Floats, turn: float, foot: Foot, gx: float, gy: float, band: float
) -> tuple[Floats, Floats, Floats]:
    """`seen_from` by a base that was lowered with a gradient until it touches: what may come within a band of it."""
    ct, st = math.cos(turn), math.sin(turn)
    over = worst(tris, lumps, -DEEP_MM, gx, gy, gx, gy, ct, st, foot, scratch(3), scratch_marks(4))
    height = over - DEEP_MM
    low = height - band - ROUNDED_MM
    near, n, held = np.empty(tris.shape[0], np.int64), 0, uncounted(tris)
    for b in range(lumps.shape[0]):
        if over_lump(lumps, b, gx, gy) < low - ROUNDED_MM:
            continue
        for t in range(b * LUMP, min((b + 1) * LUMP, tris.shape[0])):
            if not sunk(held, t, low, gx, gy, 0.0):
                near[n] = t
                n += 1
    return seen_from(tris[near[:n]], gx, gy, turn, height)


@lean
def carpets(tri: Floats, reach: float) -> bool:
    """Whether a triangle lies under all of a circle about the origin: the floor does."""
    turn = (tri[1, 0] - tri[0, 0]) * (tri[2, 1] - tri[0, 1]) - (tri[1, 1] - tri[0, 1]) * (tri[2, 0] - tri[0, 0])
    for i in range(3):
        j = (i + 1) % 3
        dx, dy = tri[j, 0] - tri[i, 0], tri[j, 1] - tri[i, 1]
        inward = (dy * tri[i, 0] - dx * tri[i, 1]) * (1.0 if turn > 0.0 else -1.0)
        if inward <= reach * math.sqrt(dx * dx + dy * dy):
            return False
    return True


LEVEL = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])


@compiled
def free_way(
    tris: Floats, lumps: Floats, com: Floats, turn: float, foot: Foot, up: Floats, band: float
) -> tuple[float, float]:
    """The horizontal direction in which nothing that a base touches, lowered with this normal, holds it."""
    gx, gy = -up[0] / up[2], -up[1] / up[2]
    seen, spans, along = seen_lowered(tris, lumps, turn, foot, gx, gy, band)
    held = touching(loose(seen, spans), LEVEL.copy(), foot, band)
    _, middle = widest_gap(held, *target_of(com, gx, gy, turn, along))
    return along_of(along, middle)


@compiled
def nothing_beyond(
    tris: Floats, lumps: Floats, com: Floats, gx: float, gy: float, turn: float, foot: Foot
) -> tuple[bool, float, float]:
    """The horizontal direction beyond the ground point in which a base of this gradient has nothing under it."""
    ct, st = math.cos(turn), math.sin(turn)
    x, y = ground_point(com, gx, gy, ct, st)
    x, y = to_base(x, y, gx, gy, ct, st)
    if (
        x * x + y * y < CENTRAL * foot.inner_mm * foot.inner_mm
        and tris.shape[0] > 0
        and carpets(tris[-1], foot.reach_mm)
    ):
        return False, 0.0, 0.0
    wedge = scratch(2, 2)
    if not open_to(tris, lumps, gx, gy, turn, foot, x, y, wedge):
        return False, 0.0, 0.0
    near, n = np.empty(tris.shape[0], np.int64), 0
    wide, held = strip(foot.reach_mm, gx, gy), uncounted(tris)
    for b in range(lumps.shape[0]):
        if off_strip(lumps, b, gx, gy, wide):
            continue
        for t in range(b * LUMP, min((b + 1) * LUMP, tris.shape[0])):
            if not in_wedge(held[t], gx, gy, ct, st, x, y, wedge):
                near[n] = t
                n += 1
    some = tris[near[:n]]
    highest = -math.inf  # all under a plane: nothing hangs over the base
    for t in range(n):
        for i in range(3):
            highest = max(highest, some[t, i, 2] - gx * some[t, i, 0] - gy * some[t, i, 1])
    seen, spans, along = seen_from(some, gx, gy, turn, highest)
    under = touching(loose(seen, spans), LEVEL.copy(), foot, DEEP_MM)
    gap, middle = widest_gap(under, *target_of(com, gx, gy, turn, along))
    if gap <= math.pi:
        return False, 0.0, 0.0
    x, y = along_of(along, middle)
    size = math.hypot(x, y)
    return True, x / size, y / size


@compiled
def open_to(
    tris: Floats, lumps: Floats, gx: float, gy: float, turn: float, foot: Foot, x: float, y: float, wedge: Floats
) -> bool:
    """Whether corners well under a tilted base leave half of all directions free, as seen from a place on it.

    `wedge` gets the two directions between which they lie, less than half a turn apart, drawn together by as much as
    they are told by: what lies wholly between them cannot be where the free directions end. None: both are zero.
    """
    ct, st = math.cos(turn), math.sin(turn)
    inner2 = CENTRAL * foot.inner_mm * foot.inner_mm
    wide = strip(foot.reach_mm, gx, gy)
    wedge[:] = 0.0
    seen, some = np.zeros(AROUND, np.bool_), False
    for b in range(lumps.shape[0]):
        if off_strip(lumps, b, gx, gy, wide):
            continue
        for t in range(b * LUMP, min((b + 1) * LUMP, tris.shape[0])):
            qx, qy = to_base(tris[t, 0, 0], tris[t, 0, 1], gx, gy, ct, st)
            px, py = qx - x, qy - y
            size = abs(px) + abs(py)
            if qx * qx + qy * qy < inner2 and size > NEAR_MM:
                quarter = py / size if px >= 0.0 else 2.0 - py / size  # from -1 to 3, once round
                seen[min(int((quarter + 1.0) * (AROUND // 4)), AROUND - 1)] = True
                some = True
    if not some:
        return True
    longest, first, last = 0, -1, 0
    for k in range(2 * AROUND):
        if seen[k % AROUND]:
            if first >= 0 and k - first - 1 > longest:
                longest, last = k - first - 1, first
            first = k
    if longest < AROUND // 2 - 1:
        return False
    for k in range(2):  # the wedge begins after the free directions, and ends before them
        at = (last + longest + 3.0) if k == 0 else last - 1.0
        quarter = 4.0 * (at % AROUND) / AROUND - 1.0
        right = quarter <= 1.0
        wedge[k, 0] = 1.0 - abs(quarter) if right else abs(quarter - 2.0) - 1.0
        wedge[k, 1] = quarter if right else 2.0 - quarter
    return True


@lean
def in_wedge(tri: Floats, gx: float, gy: float, ct: float, st: float, x: float, y: float, wedge: Floats) -> bool:
    """Whether a triangle, seen from a place on a tilted base, lies wholly between two directions."""
    if wedge[0, 0] * wedge[1, 1] - wedge[0, 1] * wedge[1, 0] <= 0.0:
        return False
    for i in range(3):
        qx, qy = to_base(tri[i, 0], tri[i, 1], gx, gy, ct, st)
        px, py = qx - x, qy - y
        if wedge[0, 0] * py - wedge[0, 1] * px <= 0.0 or px * wedge[1, 1] - py * wedge[1, 0] <= 0.0:
            return False
    return True


@lean
def target_of(com: Floats, gx: float, gy: float, turn: float, along: Floats) -> tuple[float, float]:
    """The ground point in the base's own coordinates."""
    tx, ty = ground_point(com, gx, gy, math.cos(turn), math.sin(turn))
    return tx * along[0, 0] + ty * along[1, 0], tx * along[0, 1] + ty * along[1, 1]


@lean
def along_of(along: Floats, angle: float) -> tuple[float, float]:
    """A direction in the base as one on the table."""
    c, s = math.cos(angle), math.sin(angle)
    return along[0, 0] * c + along[0, 1] * s, along[1, 0] * c + along[1, 1] * s
