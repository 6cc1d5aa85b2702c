"""How far from toppling: the smallest gravity tilt and the smallest lift that take a resting base over for good.

Compiled. The base rolls without slipping from contacts to contacts; every way over is followed, chains of facets too.
"Over for good" is: nothing stops it, or it comes to rest more than 1 mm or 2 degrees from where it stood.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled
from sim3d.ground.foot import CX, CY, RX, RY
from sim3d.space import Floats, Ints
from sim3d.statics.roll import NEVER, STEEPEST, first_touch, turned
from sim3d.statics.touch import ANGLE, ARC, ARC_STEP, PX, QX, QY, dot, hull, on_same_arc, touching

HOME_MM = 1.0  # farther than this from where it was put, it did not come back
HOME_DEG = 2.0
LYING = 0.17  # cosine: a base tilted beyond 80 degrees lies on its side
STEPS = 400  # facets along one way; a smooth rim takes a hundred
SPACING = 0.02  # of the reach: poses nearer than this are one while the easiest way is sought; about a degree
SAME_WAY = 0.05  # radians between directions that count as one
NODES = 100  # facets in all while the easiest way is sought; beyond it the barrier found so far is a lower bound
WALK_MM = 1e-4  # while rolling, what touches: less takes more steps on a smooth rim, more blurs where it would rest
BACK_AGAIN = 5.0  # contact widths: a pose this near the one before last is the same
LEAN_ON = math.radians(0.02)  # where it balances on an edge, gravity leans on in such steps
ON_HULL_MM = 1e-7  # the foot of the centre of mass may lie this far outside its contacts: rounding
GOLDEN = 0.3819660112501051


@compiled
def com_place(frame: Floats, com: Floats) -> tuple[float, float, float]:
    """The centre of mass on the table."""
    return (
        frame[0, 0] + com[0] * frame[1, 0] + com[1] * frame[2, 0] + com[2] * frame[3, 0],
        frame[0, 1] + com[0] * frame[1, 1] + com[1] * frame[2, 1] + com[2] * frame[3, 1],
        frame[0, 2] + com[0] * frame[1, 2] + com[1] * frame[2, 2] + com[2] * frame[3, 2],
    )


@compiled
def foot_of_com(frame: Floats, com: Floats, dx: float, dy: float, dz: float) -> tuple[float, float]:
    """Where a line from the centre of mass along (dx, dy, dz) meets the underside, in the base's coordinates."""
    down = -dot(dx, dy, dz, frame[3])
    if down <= 1e-9:
        return 1e9, 1e9
    k = com[2] / down
    return com[0] + k * dot(dx, dy, dz, frame[1]), com[1] + k * dot(dx, dy, dz, frame[2])


@compiled
def axis_at(contacts: Floats, a: int, b: int, frame: Floats, edges: Floats, angle: float, axis: Floats) -> None:
    """The axis of a hull edge: through its two contacts, or with an angle the tangent of the rim there."""
    if math.isnan(angle):
        qx, qy = contacts[a, QX], contacts[a, QY]
        dx, dy = contacts[b, QX] - qx, contacts[b, QY] - qy
    else:
        e = int(contacts[a, ARC])
        qx = edges[e, CX] + edges[e, RX] * math.cos(angle)
        qy = edges[e, CY] + edges[e, RY] * math.sin(angle)
        dx, dy = -edges[e, RX] * math.sin(angle), edges[e, RY] * math.cos(angle)
    for k in range(3):  # in the base's plane, also where the contact lies a hair under it
        axis[0, k] = frame[0, k] + qx * frame[1, k] + qy * frame[2, k]
    size = math.hypot(dx, dy)
    dx, dy = dx / size, dy / size
    for k in range(3):
        axis[1, k] = dx * frame[1, k] + dy * frame[2, k]
        axis[2, k] = dy * frame[1, k] - dx * frame[2, k]


@compiled
def way_out(frame: Floats, axis: Floats, com: Floats, normal: Floats) -> float:
    """The outward normal of the plane through an axis and the centre of mass; returns its z, the sine of the tilt."""
    gx, gy, gz = com_place(frame, com)
    x, y, z = gx - axis[0, 0], gy - axis[0, 1], gz - axis[0, 2]
    ax, ay, az = axis[1, 0], axis[1, 1], axis[1, 2]
    nx, ny, nz = ay * z - az * y, az * x - ax * z, ax * y - ay * x
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    if size == 0.0:
        normal[0], normal[1], normal[2] = axis[2, 0], axis[2, 1], axis[2, 2]
    else:
        if dot(nx, ny, nz, axis[2]) < 0.0:
            size = -size
        normal[0], normal[1], normal[2] = nx / size, ny / size, nz / size
    return normal[2]


@compiled
def lift_over(frame: Floats, axis: Floats, com: Floats, limit: float) -> tuple[float, float]:
    """The most the centre of mass rises while turning about an axis up to an angle, and by how much at its end."""
    gx, gy, gz = com_place(frame, com)
    x, y, z = gx - axis[0, 0], gy - axis[0, 1], gz - axis[0, 2]
    up, out = dot(x, y, z, frame[3]), dot(x, y, z, axis[2])
    c = up * frame[3, 2] + out * axis[2, 2]
    s = up * axis[2, 2] - out * frame[3, 2]
    end = c * math.cos(limit) + s * math.sin(limit) - c
    top = math.atan2(s, c)
    if 0.0 < top < limit:
        return math.hypot(c, s) - c, end
    return max(0.0, end), end


@compiled
def best_angle(
    contacts: Floats, a: int, b: int, frame: Floats, edges: Floats, com: Floats, by_lift: bool
) -> tuple[float, float]:
    """On a bow of the rim: the angle where it is easiest to tip, and that tilt's sine or that lift."""
    axis, normal = np.empty((3, 3)), np.empty(3)
    low = contacts[a, ANGLE]
    high = low + ((contacts[b, ANGLE] - low + math.pi) % (2.0 * math.pi) - math.pi)
    x1 = low + GOLDEN * (high - low)
    x2 = high - GOLDEN * (high - low)
    values = np.empty(2)
    for i in range(2):
        axis_at(contacts, a, b, frame, edges, x1 if i == 0 else x2, axis)
        values[i] = lift_over(frame, axis, com, STEEPEST)[0] if by_lift else way_out(frame, axis, com, normal)
    for _ in range(40):
        if values[0] <= values[1]:
            high, x2, values[1] = x2, x1, values[0]
            x1 = low + GOLDEN * (high - low)
            axis_at(contacts, a, b, frame, edges, x1, axis)
            values[0] = lift_over(frame, axis, com, STEEPEST)[0] if by_lift else way_out(frame, axis, com, normal)
        else:
            low, x1, values[0] = x1, x2, values[1]
            x2 = high - GOLDEN * (high - low)
            axis_at(contacts, a, b, frame, edges, x2, axis)
            values[1] = lift_over(frame, axis, com, STEEPEST)[0] if by_lift else way_out(frame, axis, com, normal)
        if high - low < 1e-9:
            break
    return 0.5 * (low + high), min(values[0], values[1])


@compiled
def beyond(contacts: Floats, ring: Ints, frame: Floats, x: float, y: float) -> tuple[int, float]:
    """The hull edge over which (x, y) lies farthest, and how far (negative: inside all of them)."""
    worst, edge = -math.inf, 0
    many = ring.shape[0]
    if many == 1:
        a = ring[0]
        return 0, math.hypot(x - contacts[a, QX], y - contacts[a, QY])
    for i in range(many):
        a, b = ring[i], ring[(i + 1) % many]
        dx, dy = contacts[b, QX] - contacts[a, QX], contacts[b, QY] - contacts[a, QY]
        size = math.hypot(dx, dy)
        if size == 0.0:
            continue
        out = ((x - contacts[a, QX]) * dy - (y - contacts[a, QY]) * dx) / size
        if out > worst:
            worst, edge = out, i
    return edge, worst


@compiled
def at_home(frame: Floats, home: Floats) -> tuple[bool, float]:
    """Whether a pose is within 1 mm and 2 degrees of where it stood, and the angle between them in degrees."""
    moved = math.sqrt(
        (frame[0, 0] - home[0, 0]) ** 2 + (frame[0, 1] - home[0, 1]) ** 2 + (frame[0, 2] - home[0, 2]) ** 2
    )
    sine = 0.0
    for r in range(1, 4):  # half the squared chords: no loss at small angles
        for a in range(3):
            sine += (frame[r, a] - home[r, a]) ** 2
    angle = math.degrees(2.0 * math.asin(min(1.0, math.sqrt(sine / 8.0))))
    return moved <= HOME_MM and angle <= HOME_DEG, angle


@compiled
def apart(one: Floats, other: Floats, reach: float) -> float:
    """How far two poses are apart: the most any point of the base has moved, about, in mm."""
    most = 0.0
    for r in range(4):
        for a in range(3):
            most = max(most, abs(one[r, a] - other[r, a]) * (1.0 if r == 0 else reach))
    return most


@compiled
def ramp(
    tris: Floats,
    spans: Floats,
    start: Floats,
    com: Floats,
    edges: Floats,
    pieces: Floats,
    reach: float,
    inner: float,
    ux: float,
    uy: float,
    limit: float,
) -> tuple[float, float, Floats]:
    """The gravity tilt (radians) towards (ux, uy) at which it is over for good; the most it rocked; where it ended.

    NEVER if it still stands, or would come back, at the limit: the frame is the one it leans into there.
    """
    frame = start.copy()
    axis, normal = np.empty((3, 3)), np.empty(3)
    contacts = touching(tris, spans, frame, edges, pieces, reach, inner, 0.5 * WALK_MM)
    ring = hull(contacts)
    old, older = start.copy(), start + 1e3
    tilt, rocked = 0.0, 0.0
    leaving = -1
    for _ in range(STEPS):
        many = ring.shape[0]
        if many == 0:
            return tilt, rocked, frame
        if many == 1:  # a point: it leans wherever gravity does
            dx, dy, dz = math.sin(tilt) * ux, math.sin(tilt) * uy, -math.cos(tilt)
            wx, wy = ux, uy
            k = dot(wx, wy, 0.0, frame[3])
            vx, vy, vz = wx - k * frame[3, 0], wy - k * frame[3, 1], -k * frame[3, 2]
            size = math.sqrt(vx * vx + vy * vy + vz * vz)
            if size == 0.0:
                return tilt, rocked, frame
            for a in range(3):
                axis[0, a] = contacts[ring[0], PX + a]
            axis[2, 0], axis[2, 1], axis[2, 2] = vx / size, vy / size, vz / size
            axis[1, 0] = frame[3, 1] * axis[2, 2] - frame[3, 2] * axis[2, 1]
            axis[1, 1] = frame[3, 2] * axis[2, 0] - frame[3, 0] * axis[2, 2]
            axis[1, 2] = frame[3, 0] * axis[2, 1] - frame[3, 1] * axis[2, 0]
            fx, fy = foot_of_com(frame, com, dx, dy, dz)
            a0 = ring[0]
            ahead = (fx - contacts[a0, QX]) * dot(axis[2, 0], axis[2, 1], axis[2, 2], frame[1]) + (
                fy - contacts[a0, QY]
            ) * dot(axis[2, 0], axis[2, 1], axis[2, 2], frame[2])
            if ahead < 0.0:
                s = way_out(frame, axis, com, normal)
                c = normal[0] * ux + normal[1] * uy
                if c <= 0.0:
                    return NEVER, rocked, frame
                tilt = max(tilt, math.atan2(s, c))
            if tilt >= limit:
                return NEVER, rocked, frame
        else:
            dx, dy, dz = math.sin(tilt) * ux, math.sin(tilt) * uy, -math.cos(tilt)
            fx, fy = foot_of_com(frame, com, dx, dy, dz)
            leaving, out = beyond(contacts, ring, frame, fx, fy)
            if out <= ON_HULL_MM:
                # it rests under this gravity; vertical again, would it stay here, away from home?
                home, angle = at_home(frame, start)
                rocked = max(rocked, angle) if home else rocked
                if not home:
                    vx, vy = foot_of_com(frame, com, 0.0, 0.0, -1.0)
                    _, back = beyond(contacts, ring, frame, vx, vy)
                    if back <= ON_HULL_MM:
                        return tilt, rocked, frame
                # lean on to the edge it leaves over
                least = NEVER
                for i in range(many):
                    a, b = ring[i], ring[(i + 1) % many]
                    axis_at(contacts, a, b, frame, edges, math.nan, axis)
                    s = way_out(frame, axis, com, normal)
                    c = normal[0] * ux + normal[1] * uy
                    if c > 1e-9:
                        t = math.atan2(s, c)
                        if t < least and t >= tilt - 1e-9:
                            least, leaving = t, i
                tilt = max(tilt, least)
                if tilt >= limit:
                    return NEVER, rocked, frame
            a, b = ring[leaving], ring[(leaving + 1) % many]
            angle_on_rim = math.nan
            if on_same_arc(contacts[a], contacts[b]):
                # the bow's point that looks where gravity leans
                wx, wy = dot(ux, uy, 0.0, frame[1]), dot(ux, uy, 0.0, frame[2])
                e = int(contacts[a, ARC])
                angle_on_rim = math.atan2(edges[e, RY] * wy, edges[e, RX] * wx)
                span = (contacts[b, ANGLE] - contacts[a, ANGLE] + math.pi) % (2.0 * math.pi) - math.pi
                off = (angle_on_rim - contacts[a, ANGLE] + math.pi) % (2.0 * math.pi) - math.pi
                if not 0.0 <= off <= span:
                    angle_on_rim = contacts[a, ANGLE] + (0.0 if abs(off) < abs(off - span) else span)
            axis_at(contacts, a, b, frame, edges, angle_on_rim, axis)
            if not math.isnan(angle_on_rim):
                s = way_out(frame, axis, com, normal)
                c = normal[0] * ux + normal[1] * uy
                if c > 1e-9 and out <= ON_HULL_MM:
                    tilt = max(tilt, math.atan2(s, c))
                if tilt >= limit:
                    return NEVER, rocked, frame
        exact, deep = first_touch(tris, spans, frame, axis, edges, pieces, reach, inner, WALK_MM, STEEPEST)
        if exact >= NEVER:
            return tilt, rocked, frame
        older[:] = old
        old[:] = frame
        frame = turned(frame, axis, max(exact, 0.5 * deep))
        if frame[3, 2] < LYING:
            return tilt, rocked, frame
        if apart(frame, older, reach) < BACK_AGAIN * WALK_MM:
            # to and fro over one edge: it balances there, and gravity has to lean on to move it
            home, angle = at_home(frame, start)
            rocked = max(rocked, angle) if home else rocked
            tilt += LEAN_ON
            if tilt >= limit:
                return NEVER, rocked, frame
        contacts = touching(tris, spans, frame, edges, pieces, reach, inner, 0.5 * WALK_MM)
        ring = hull(contacts)
    return tilt, rocked, frame


@compiled
def tip(
    tris: Floats,
    spans: Floats,
    start: Floats,
    com: Floats,
    edges: Floats,
    pieces: Floats,
    reach: float,
    inner: float,
    limit: float,
    fine: bool,
) -> float:
    """The smallest gravity tilt (radians, at most `limit`) that takes it over for good; NEVER beyond the limit."""
    axis, normal = np.empty((3, 3)), np.empty(3)
    contacts = touching(tris, spans, start, edges, pieces, reach, inner, 0.5 * WALK_MM)
    ring = hull(contacts)
    many = ring.shape[0]
    if many < 2:
        return 0.0
    onset, ways = np.empty(many), np.empty((many, 2))
    for i in range(many):
        axis_at(contacts, ring[i], ring[(i + 1) % many], start, edges, math.nan, axis)
        s = way_out(start, axis, com, normal)
        onset[i] = math.asin(max(-1.0, min(1.0, s)))
        ways[i, 0], ways[i, 1] = normal[0], normal[1]
    for i in range(many):  # where bows of the rim are lowest, exactly
        a, b = ring[i], ring[(i + 1) % many]
        if on_same_arc(contacts[a], contacts[b]):
            before, after = onset[i - 1], onset[(i + 1) % many]
            slack = 2.0 * ARC_STEP * ARC_STEP
            if onset[i] <= before + slack and onset[i] <= after + slack:
                angle, s = best_angle(contacts, a, b, start, edges, com, False)
                axis_at(contacts, a, b, start, edges, angle, axis)
                s = way_out(start, axis, com, normal)
                onset[i] = math.asin(max(-1.0, min(1.0, s)))
                ways[i, 0], ways[i, 1] = normal[0], normal[1]
            else:
                onset[i] = max(onset[i], min(before, after))
    best, along = limit, math.nan
    order = np.argsort(onset, kind="mergesort")
    asked = np.empty(many)
    n = 0
    for k in range(many):
        i = order[k]
        if onset[i] >= best - 1e-12:
            break
        if ways[i, 0] == 0.0 and ways[i, 1] == 0.0:
            continue
        way = math.atan2(ways[i, 1], ways[i, 0])
        seen = False
        for m in range(n):  # an easier edge that looks the same way was asked: the same path
            seen = seen or abs((way - asked[m] + math.pi) % (2.0 * math.pi) - math.pi) < SAME_WAY
        if seen:
            continue
        asked[n] = way
        n += 1
        over, _, _ = ramp(tris, spans, start, com, edges, pieces, reach, inner, math.cos(way), math.sin(way), best)
        over = max(over, onset[i])
        if over < best:
            best = over
            along = way if over > onset[i] + 1e-7 else math.nan
    if fine and not math.isnan(along):
        # over a chain of facets the easiest direction need not be across an edge
        best = chained(tris, spans, start, com, edges, pieces, reach, inner, along, best)
    return best if best < limit else NEVER


@compiled
def chained(
    tris: Floats,
    spans: Floats,
    start: Floats,
    com: Floats,
    edges: Floats,
    pieces: Floats,
    reach: float,
    inner: float,
    base: float,
    best: float,
) -> float:
    """The easiest direction within 24 degrees of one: sampled, then narrowed to an eighth of a degree."""
    step, centre = math.radians(12.0), base
    for _ in range(4):
        around = centre
        for k in (-2, -1, 1, 2):
            angle = around + k * step
            ux, uy = math.cos(angle), math.sin(angle)
            over, _, _ = ramp(tris, spans, start, com, edges, pieces, reach, inner, ux, uy, best)
            if over < best:
                best, centre = over, angle
        step *= 0.25
    return best


@compiled
def roll_on(
    tris: Floats,
    spans: Floats,
    start: Floats,
    first: Floats,
    com: Floats,
    edges: Floats,
    pieces: Floats,
    reach: float,
    inner: float,
) -> tuple[bool, Floats, float, float]:
    """Tip over an edge, and where the rim rolls on in tiny steps go on the same way until the pose is clearly another.

    Whether nothing stopped it, the pose, the highest lift on the way and the lift at its end (mm, against the start).
    """
    frame, axis = start.copy(), first.copy()
    top = level = 0.0
    ox, oy, oz = first[2, 0], first[2, 1], first[2, 2]
    for _ in range(STEPS):
        exact, deep = first_touch(tris, spans, frame, axis, edges, pieces, reach, inner, WALK_MM, STEEPEST)
        angle = STEEPEST if exact >= NEVER else max(exact, 0.5 * deep)
        rise, end = lift_over(frame, axis, com, angle)
        top = max(top, level + rise)
        level += end
        if exact >= NEVER:
            return True, frame, top, level
        frame = turned(frame, axis, angle)
        if frame[3, 2] < LYING:
            return True, frame, top, level
        if apart(frame, start, reach) >= SPACING * reach:
            break
        contacts = touching(tris, spans, frame, edges, pieces, reach, inner, 0.5 * WALK_MM)
        ring = hull(contacts)
        many = ring.shape[0]
        if many < 2:
            break
        most, chosen = 0.0, -1
        for i in range(many):
            axis_at(contacts, ring[i], ring[(i + 1) % many], frame, edges, math.nan, axis)
            along = dot(ox, oy, oz, axis[2])
            if along > most:
                most, chosen = along, i
        if chosen < 0:
            break
        axis_at(contacts, ring[chosen], ring[(chosen + 1) % many], frame, edges, math.nan, axis)
    return False, frame, top, level


@compiled
def barrier(
    tris: Floats,
    spans: Floats,
    start: Floats,
    com: Floats,
    edges: Floats,
    pieces: Floats,
    reach: float,
    inner: float,
    high: float,
) -> tuple[float, bool]:
    """The lift (mm) of the centre of mass on the easiest way over for good, at most `high`; whether that is final.

    Best first over facets: the way whose highest point so far is lowest goes on. Not final: a lower bound.
    """
    frames = np.empty((NODES + 1, 4, 3))
    frames[0] = start
    known = 1
    room = 16
    peaks, levels, froms = np.empty(room), np.empty(room), np.empty(room, np.int64)
    axes = np.empty((room, 3, 3))
    n = 0
    axis = np.empty((3, 3))
    grown = 0
    at = np.zeros(NODES + 1)  # the lift at each facet
    peak_to = np.zeros(NODES + 1)
    while True:
        while grown < known:
            frame = frames[grown]
            contacts = touching(tris, spans, frame, edges, pieces, reach, inner, 0.5 * WALK_MM)
            ring = hull(contacts)
            many = ring.shape[0]
            if many < 2:
                return peak_to[grown], True
            lifts = np.empty(many)
            for i in range(many):
                axis_at(contacts, ring[i], ring[(i + 1) % many], frame, edges, math.nan, axis)
                lifts[i] = lift_over(frame, axis, com, STEEPEST)[0]
            for i in range(many):
                a, b = ring[i], ring[(i + 1) % many]
                angle = math.nan
                if on_same_arc(contacts[a], contacts[b]):
                    slack = 4.0 * reach * ARC_STEP * ARC_STEP
                    if lifts[i] > lifts[i - 1] + slack or lifts[i] > lifts[(i + 1) % many] + slack:
                        continue  # a neighbour on the bow is easier
                    angle, _ = best_angle(contacts, a, b, frame, edges, com, True)
                axis_at(contacts, a, b, frame, edges, angle, axis)
                lift = lift_over(frame, axis, com, STEEPEST)[0]
                if n == room:
                    room *= 2
                    more, more_levels, more_froms = np.empty(room), np.empty(room), np.empty(room, np.int64)
                    more_axes = np.empty((room, 3, 3))
                    more[:n], more_levels[:n], more_froms[:n], more_axes[:n] = peaks, levels, froms, axes
                    peaks, levels, froms, axes = more, more_levels, more_froms, more_axes
                peaks[n] = max(peak_to[grown], min(at[grown] + lift, math.inf))
                levels[n] = max(peak_to[grown], at[grown])  # the touch may come before the top
                froms[n] = grown
                axes[n] = axis
                n += 1
            grown += 1
        if n == 0:
            return high, True
        i = 0
        for k in range(1, n):
            if levels[k] < levels[i]:
                i = k
        if levels[i] >= high:
            return high, True
        level, peak, source = levels[i], peaks[i], froms[i]
        axis[:] = axes[i]
        n -= 1
        peaks[i], levels[i], froms[i], axes[i] = peaks[n], levels[n], froms[n], axes[n]
        frame = frames[source]
        if peak < -0.5:  # a landing that waited for its turn: over for good
            return level, True
        over, landed, top, end = roll_on(tris, spans, frame, axis, com, edges, pieces, reach, inner)
        reached = max(peak_to[source], at[source] + top)
        if not over:
            fresh = True
            for k in range(known):
                if apart(frames[k], landed, reach) < 0.6 * SPACING * reach:
                    fresh = False
                    break
            if not fresh:
                continue
            home, _ = at_home(landed, start)
            if not home:
                contacts = touching(tris, spans, landed, edges, pieces, reach, inner, 0.5 * WALK_MM)
                ring = hull(contacts)
                if ring.shape[0] >= 2:
                    vx, vy = foot_of_com(landed, com, 0.0, 0.0, -1.0)
                    _, back = beyond(contacts, ring, landed, vx, vy)
                    over = back <= ON_HULL_MM
                else:
                    over = True
            if not over:
                if known > NODES:
                    return level, False
                frames[known] = landed
                at[known] = at[source] + end
                peak_to[known] = reached
                known += 1
                continue
        # over for good, at this height: final once nothing lower waits
        if n == room:
            return reached, True
        peaks[n], levels[n], froms[n], axes[n] = -1.0, reached, source, axis
        n += 1
