"""How much friction a pose needs: loads at the contacts, inside their friction cones, that balance gravity.

Compiled. Cones are exact: a load is added where the cone reaches farthest against what is still unbalanced. "Balances"
comes with its loads; "cannot" comes with the motion that no load opposes.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled, copied, lean, scratch, scratch_marks
from sim3d.space import Floats, Ints

BALANCED = 1e-10  # of the weight: what may stay unbalanced
ENOUGH = 10.0 * BALANCED  # where contacts lie close together, less is rounding: a greater coefficient would not do, too
ROUNDS = 400  # of adding a load; a dozen do
NARROWED = 60  # steps towards a lean; half a dozen do
SAME = 1e-11  # radians: two steps towards a lean that differ by less have reached it
CLOSE = 1e-9  # of one plus a coefficient: how near the least is come to
MOST = 1e3  # a coefficient beyond which nothing is called friction
STARTS = 6  # directions in which it is asked first how far gravity may lean ...
DIRECTIONS = 96  # ... and in all, where it slides nearly as easily any way
CLOSE_TILT = 1e-6  # of the gradient at which it slides: no other direction is easier by more
FARTHEST = 1e3  # the gradient at which gravity points sideways
CLEARLY = 1e-6  # of the weight: what stays unbalanced of a pull clearly beyond a bound ...
BEYOND = 0.01  # ... which lies beyond it by no larger share
DEPENDENT = 1e-12  # of a load's length: less that is new in it, and it adds nothing


@lean
def least_squares(columns: Floats, count: int, target: Floats, out: Floats) -> bool:
    """Weights of up to six columns of six that come nearest to a target; false where one depends on the others."""
    q, r = scratch(6, 6), scratch(6, 6)
    for i in range(count):
        size = 0.0
        for j in range(i):
            r[j, i] = 0.0
        for k in range(6):
            q[i, k] = columns[i, k]
            size += columns[i, k] * columns[i, k]
        for _ in range(2):  # twice is enough
            for j in range(i):
                s = 0.0
                for k in range(6):
                    s += q[j, k] * q[i, k]
                r[j, i] += s
                for k in range(6):
                    q[i, k] -= s * q[j, k]
        left = 0.0
        for k in range(6):
            left += q[i, k] * q[i, k]
        if left <= DEPENDENT * DEPENDENT * size:
            return False
        r[i, i] = math.sqrt(left)
        for k in range(6):
            q[i, k] /= r[i, i]
    for i in range(count - 1, -1, -1):
        s = 0.0
        for k in range(6):
            s += q[i, k] * target[k]
        for j in range(i + 1, count):
            s -= r[i, j] * out[j]
        out[i] = s / r[i, i]
    return True


@lean
def balance(
    places: Floats, normals: Floats, pull: Floats, scale: float, mu: float, loads: Floats, rest: Floats
) -> float:
    """What stays unbalanced (a share of the weight) of a pull at the origin against loads in cones; loads (n, 3).

    `places` are relative to the centre of mass, moments count per `scale` mm. `rest` (6) is the force and moment left:
    read as a motion, gravity drives it and no load opposes it.
    """
    many = places.shape[0]
    columns, owner, forces = scratch(7, 6), scratch_marks(7), scratch(7, 3)
    weight, trial, target = scratch(7), scratch(7), scratch(6)
    for k in range(3):
        target[k], target[3 + k] = -pull[k], 0.0
    count = 0
    size, before = 1.0, math.inf
    for _ in range(ROUNDS):
        size = 0.0
        for k in range(6):
            s = target[k]
            for i in range(count):
                s -= weight[i] * columns[i, k]
            rest[k] = s
            size += s * s
        size = math.sqrt(size)
        if size <= BALANCED or (count > 0 and size >= before * (1.0 - 1e-14)) or count == 6:
            break
        before = size
        best, chosen = 1e-13 * size, -1
        fx = fy = fz = 0.0
        for i in range(many):
            gx, gy, gz = power_at(rest, places, i, scale)
            n = gx * normals[i, 0] + gy * normals[i, 1] + gz * normals[i, 2]
            tx, ty, tz = gx - n * normals[i, 0], gy - n * normals[i, 1], gz - n * normals[i, 2]
            # straight into the face it is rounding, and that may point out of the face: no load leaves its cone by it
            out = tx * normals[i, 0] + ty * normals[i, 1] + tz * normals[i, 2]
            tx, ty, tz = tx - out * normals[i, 0], ty - out * normals[i, 1], tz - out * normals[i, 2]
            slide = math.sqrt(tx * tx + ty * ty + tz * tz)
            gain = (n + mu * slide) / math.sqrt(1.0 + mu * mu)
            if gain > best:
                best, chosen = gain, i
                part = mu / slide if slide > 0.0 else 0.0
                fx, fy, fz = normals[i, 0] + part * tx, normals[i, 1] + part * ty, normals[i, 2] + part * tz
        if chosen < 0:
            break
        length = math.sqrt(fx * fx + fy * fy + fz * fz)
        fx, fy, fz = fx / length, fy / length, fz / length
        x, y, z = places[chosen, 0] / scale, places[chosen, 1] / scale, places[chosen, 2] / scale
        forces[count, 0], forces[count, 1], forces[count, 2] = fx, fy, fz
        columns[count, 0], columns[count, 1], columns[count, 2] = fx, fy, fz
        columns[count, 3], columns[count, 4], columns[count, 5] = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
        owner[count], weight[count] = chosen, 0.0
        count += 1
        count = fitted(columns, count, target, weight, trial, owner, forces)
    for i in range(many):
        loads[i, 0] = loads[i, 1] = loads[i, 2] = 0.0
    for i in range(count):
        for k in range(3):
            loads[owner[i], k] += weight[i] * forces[i, k]
    return size


@lean
def fitted(
    columns: Floats, count: int, target: Floats, weight: Floats, trial: Floats, owner: Ints, forces: Floats
) -> int:
    """Non-negative least squares over the loads so far: those that would pull are let go; how many stay."""
    while count > 0:
        if not least_squares(columns, count, target, trial):
            return count - 1  # the newest adds nothing
        step, drop = 1.0, -1
        for i in range(count):
            if trial[i] <= 0.0:
                share = weight[i] / max(weight[i] - trial[i], 1e-300)
                if drop < 0 or share < step:
                    step, drop = share, i
        if drop < 0:
            copied(trial[:count], weight)
            return count
        for i in range(count):
            weight[i] += step * (trial[i] - weight[i])
        for i in range(drop, count - 1):
            weight[i], owner[i] = weight[i + 1], owner[i + 1]
            copied(columns[i + 1], columns[i])
            copied(forces[i + 1], forces[i])
        count -= 1
    return 0


@lean
def power_at(rest: Floats, places: Floats, i: int, scale: float) -> tuple[float, float, float]:
    """The force at a contact that a motion weighs: rest . (f, p x f) = f . (rest_f + rest_m x p)."""
    x, y, z = places[i, 0] / scale, places[i, 1] / scale, places[i, 2] / scale
    return (
        rest[0] + rest[4] * z - rest[5] * y,
        rest[1] + rest[5] * x - rest[3] * z,
        rest[2] + rest[3] * y - rest[4] * x,
    )


@lean
def needed(places: Floats, normals: Floats, pull: Floats, scale: float, loads: Floats) -> float:
    """The smallest coefficient that balances a pull, to a part in 1e9, with its loads; infinite if none does.

    What stays unbalanced falls nearly straight to nothing as the coefficient grows: two values say where.
    """
    rest = scratch(6)
    low, short = 0.0, balance(places, normals, pull, scale, 0.0, loads, rest)
    if short <= ENOUGH:
        return 0.0
    high = 0.25
    older, older_short = 0.0, short
    while True:
        left = balance(places, normals, pull, scale, high, loads, rest)
        if left <= ENOUGH:
            break
        older, older_short, low, short = low, short, high, left
        high *= 4.0
        if high > MOST:
            return math.inf
    turn = 0
    while high - low > CLOSE * (1.0 + high):
        turn += 1
        middle = 0.5 * (low + high)
        if turn % 3 != 0 and older_short > short:
            # where the last two point, a hair to either side: that may close in at once
            guess = low + short * (low - older) / (older_short - short)
            guess += 0.25 * CLOSE * (1.0 + high) if turn % 3 == 1 else -0.25 * CLOSE * (1.0 + high)
            if low < guess < high:
                middle = guess
        left = balance(places, normals, pull, scale, middle, loads, rest)
        if left <= ENOUGH:
            high = middle
        else:
            older, older_short, low, short = low, short, middle, left
    balance(places, normals, pull, scale, high, loads, rest)
    return high


@compiled
def slips_at(places: Floats, normals: Floats, scale: float, mu: float) -> float:
    """The smallest gravity tilt (radians) at which no loads within the friction there is balance.

    Pulls that loads balance, drawn where they reach as far down as the weight, fill a convex shape. How far it reaches
    is told in some directions, each with the motion that bounds it there; the lines from one end to the next lie in it.
    Where such a line comes nearer than every bound, it is asked between: what is told is the least of the bounds.
    """
    ends, bounds = scratch(DIRECTIONS, 2), scratch(DIRECTIONS, 4)
    loads, here, bound = np.zeros((places.shape[0], 3)), scratch(2), scratch(4)
    least, way = FARTHEST, 0.0
    for n in range(DIRECTIONS):
        at = n
        if n < STARTS:
            way = 2.0 * math.pi * n / STARTS
        else:
            nearest = math.inf
            for i in range(n):
                away = nearest_between(ends[i - 1 if i > 0 else n - 1], ends[i], here)
                if away < nearest:
                    at, nearest, way = i, away, math.atan2(here[1], here[0])
            if nearest >= least * (1.0 - CLOSE_TILT):
                break
        bound[0], bound[1], bound[2], bound[3] = math.cos(way), math.sin(way), FARTHEST, 1.0
        for i in range(n):
            nearer(bounds[i], way, bound)
        far = bounded(places, normals, scale, mu, way, loads, bound)
        least = min(least, bound[2])
        if least <= 0.0:
            return 0.0
        for i in range(n, at, -1):
            copied(ends[i - 1], ends[i])
            copied(bounds[i - 1], bounds[i])
        ends[at, 0], ends[at, 1] = far * math.cos(way), far * math.sin(way)
        copied(bound, bounds[at])
    return math.atan(least) if least < FARTHEST else 0.5 * math.pi


@lean
def nearer(bound: Floats, way: float, best: Floats) -> bool:
    """Whether a bound cuts a direction off nearer than the best one, which it then becomes."""
    towards = bound[0] * math.cos(way) + bound[1] * math.sin(way)
    if towards <= 0.0 or bound[2] >= reach_of(best, way) * towards * (1.0 - SAME):
        return False
    copied(bound, best)
    return True


@lean
def bounded(
    places: Floats, normals: Floats, scale: float, mu: float, way: float, loads: Floats, bound: Floats
) -> float:
    """How far the pulls that loads balance reach in a direction, at most to a bound: that becomes the one found there.

    A bound is its direction and its distance, from which on gravity drives a motion that no load opposes; and the share
    of that motion that is level. It is told by a pull clearly beyond: what stays unbalanced of one at it is rounding.
    """
    rest, pull, cut = scratch(6), scratch(3), scratch(4)
    for _ in range(NARROWED):
        far = reach_of(bound, way)
        far += min(CLEARLY / bound[3], BEYOND * far) if bound[2] < FARTHEST else 0.0
        size = math.hypot(1.0, far)
        pull[0], pull[1], pull[2] = far * math.cos(way) / size, far * math.sin(way) / size, -1.0 / size
        left = balance(places, normals, pull, scale, mu, loads, rest)
        if left <= ENOUGH:
            break
        level = math.hypot(rest[0], rest[1])
        if level == 0.0:
            break
        cut[0], cut[1], cut[2], cut[3] = -rest[0] / level, -rest[1] / level, max(0.0, -rest[2] / level), level / left
        if not nearer(cut, way, bound):  # it reaches as far as that
            break
    return reach_of(bound, way)


@lean
def reach_of(bound: Floats, way: float) -> float:
    """How far a bound lets pulls reach in a direction."""
    return bound[2] / (bound[0] * math.cos(way) + bound[1] * math.sin(way))


@lean
def nearest_between(one: Floats, other: Floats, here: Floats) -> float:
    """How far from the origin the line between two ends comes, and where."""
    dx, dy = other[0] - one[0], other[1] - one[1]
    size = dx * dx + dy * dy
    s = min(1.0, max(0.0, -(one[0] * dx + one[1] * dy) / size)) if size > 0.0 else 0.0
    here[0], here[1] = one[0] + s * dx, one[1] + s * dy
    return math.hypot(here[0], here[1])
