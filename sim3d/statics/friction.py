"""How much friction a pose needs: loads at the contacts, inside their friction cones, that balance gravity.

Compiled. Cones are exact: a load is added where the cone reaches farthest against what is still unbalanced, so the
answer "balances" comes with its loads and the answer "cannot" with the motion that no load opposes.
"""

from __future__ import annotations

import math

import numpy as np

from sim3d.compiled import compiled
from sim3d.space import Floats

BALANCED = 1e-9  # of the weight: what may stay unbalanced
ROUNDS = 400  # of adding a load; a dozen do
MOST = 1e3  # a coefficient beyond which nothing is called friction


@compiled
def least_squares(columns: Floats, count: int, target: Floats, out: Floats) -> None:
    """Weights of up to 12 columns of six that come nearest to a target (normal equations, slightly damped)."""
    a = np.empty((count, count))
    b = np.empty(count)
    for i in range(count):
        for j in range(i, count):
            s = 0.0
            for k in range(6):
                s += columns[i, k] * columns[j, k]
            a[i, j] = a[j, i] = s
        s = 0.0
        for k in range(6):
            s += columns[i, k] * target[k]
        b[i] = s
        a[i, i] *= 1.0 + 1e-13
    for i in range(count):  # Cholesky in place, zero rows skipped
        for j in range(i + 1):
            s = a[i, j]
            for k in range(j):
                s -= a[i, k] * a[j, k]
            if i == j:
                a[i, i] = math.sqrt(max(s, 1e-30))
            else:
                a[i, j] = s / a[j, j]
    for i in range(count):
        s = b[i]
        for k in range(i):
            s -= a[i, k] * b[k]
        b[i] = s / a[i, i]
    for i in range(count - 1, -1, -1):
        s = b[i]
        for k in range(i + 1, count):
            s -= a[k, i] * b[k]
        b[i] = s / a[i, i]
        out[i] = b[i]


@compiled
def balance(places: Floats, normals: Floats, pull: Floats, scale: float, mu: float, loads: Floats) -> float:
    """What stays unbalanced (a share of the weight) of a pull at the origin against loads in cones; loads (n, 3).

    `places` are relative to the centre of mass, moments count per `scale` mm.
    """
    many = places.shape[0]
    columns, owner, forces = np.empty((12, 6)), np.empty(12, np.int64), np.empty((12, 3))
    weight, trial = np.zeros(12), np.zeros(12)
    rest, target = np.empty(6), np.zeros(6)
    for k in range(3):
        target[k] = -pull[k]
    count = 0
    size = 1.0
    before = math.inf
    for _ in range(ROUNDS):
        for k in range(6):
            s = target[k]
            for i in range(count):
                s -= weight[i] * columns[i, k]
            rest[k] = s
        size = 0.0
        for k in range(6):
            size += rest[k] * rest[k]
        size = math.sqrt(size)
        if size <= BALANCED or (size >= before * (1.0 - 1e-13) and count > 0):
            break
        before = size
        best, chosen = 1e-12 * size, -1
        fx = fy = fz = 0.0
        for i in range(many):
            x, y, z = places[i, 0] / scale, places[i, 1] / scale, places[i, 2] / scale
            # rest . (f, p x f) = f . (rest_f + rest_m x p)
            gx = rest[0] + rest[4] * z - rest[5] * y
            gy = rest[1] + rest[5] * x - rest[3] * z
            gz = rest[2] + rest[3] * y - rest[4] * x
            n = gx * normals[i, 0] + gy * normals[i, 1] + gz * normals[i, 2]
            tx, ty, tz = gx - n * normals[i, 0], gy - n * normals[i, 1], gz - n * normals[i, 2]
            slide = math.sqrt(tx * tx + ty * ty + tz * tz)
            gain = (n + mu * slide) / math.sqrt(1.0 + mu * mu)
            if gain > best:
                best, chosen = gain, i
                pull_in = mu / slide if slide > 0.0 else 0.0
                fx, fy = normals[i, 0] + pull_in * tx, normals[i, 1] + pull_in * ty
                fz = normals[i, 2] + pull_in * tz
        if chosen < 0:
            break
        if count == 12:
            break
        size_f = math.sqrt(fx * fx + fy * fy + fz * fz)
        fx, fy, fz = fx / size_f, fy / size_f, fz / size_f
        x, y, z = places[chosen, 0] / scale, places[chosen, 1] / scale, places[chosen, 2] / scale
        forces[count, 0], forces[count, 1], forces[count, 2] = fx, fy, fz
        columns[count, 0], columns[count, 1], columns[count, 2] = fx, fy, fz
        columns[count, 3], columns[count, 4], columns[count, 5] = y * fz - z * fy, z * fx - x * fz, x * fy - y * fx
        owner[count], weight[count] = chosen, 0.0
        count += 1
        while True:  # non-negative least squares over the loads so far
            least_squares(columns, count, target, trial)
            step = 1.0
            for i in range(count):
                if trial[i] <= 0.0:
                    step = min(step, weight[i] / max(weight[i] - trial[i], 1e-300))
            if step >= 1.0:
                weight[:count] = trial[:count]
                break
            kept = 0
            for i in range(count):
                w = weight[i] + step * (trial[i] - weight[i])
                if w > 1e-15 or (trial[i] > 0.0 and i == count - 1):
                    weight[kept], owner[kept], forces[kept], columns[kept] = w, owner[i], forces[i], columns[i]
                    kept += 1
            if kept == count:
                weight[:count] = np.maximum(trial[:count], 0.0)
                break
            count = kept
    loads[:] = 0.0
    for i in range(count):
        for k in range(3):
            loads[owner[i], k] += weight[i] * forces[i, k]
    return size


@compiled
def needed(
    places: Floats, normals: Floats, pull: Floats, scale: float, enough: float, loads: Floats
) -> tuple[float, float]:
    """Between which coefficients the smallest lies that balances a pull: (cannot, can); `enough` is one that can.

    If even `MOST` cannot, both are infinite.
    """
    low, high = 0.0, enough
    if balance(places, normals, pull, scale, 0.0, loads) <= 10 * BALANCED:
        return 0.0, 0.0
    while balance(places, normals, pull, scale, high, loads) > 10 * BALANCED:
        low, high = high, 2.0 * high + 0.1
        if high > MOST:
            return math.inf, math.inf
    for _ in range(60):
        if high - low <= 1e-9 * (1.0 + high):
            break
        middle = 0.5 * (low + high)
        if balance(places, normals, pull, scale, middle, loads) <= 10 * BALANCED:
            high = middle
        else:
            low = middle
    balance(places, normals, pull, scale, high, loads)
    return low, high
