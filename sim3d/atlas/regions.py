"""Connected ground of a map: which cells hang together, how large they are, the widest circle that is free in each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim3d.compiled import compiled
from sim3d.space import Floats, Ints


@dataclass(frozen=True, slots=True)
class Region:
    """Connected cells: their area, and the largest circle about one of them that meets no other kind of cell."""

    area_mm2: float
    widest_mm: float  # radius
    widest_at: tuple[float, float]
    bounds: tuple[float, float, float, float]  # x, y of the first cell's middle, of the last


@compiled
def labelled(wanted: Any) -> tuple[Ints, int]:
    """A number for every group of wanted cells that touch along a side; -1 elsewhere; in the order of rows."""
    ny, nx = wanted.shape
    labels = np.full((ny, nx), -1, np.int64)
    stack = np.empty(ny * nx, np.int64)
    n = 0
    for j in range(ny):
        for i in range(nx):
            if not wanted[j, i] or labels[j, i] >= 0:
                continue
            stack[0], size = j * nx + i, 1
            labels[j, i] = n
            while size > 0:
                size -= 1
                b, a = stack[size] // nx, stack[size] % nx
                for k in range(4):
                    y, x = b + (k == 0) - (k == 1), a + (k == 2) - (k == 3)
                    if 0 <= y < ny and 0 <= x < nx and wanted[y, x] and labels[y, x] < 0:
                        labels[y, x] = n
                        stack[size] = y * nx + x
                        size += 1
            n += 1
    return labels, n


@compiled
def free_around(wanted: Any) -> Floats:
    """From every wanted cell the distance, in cells, to the nearest that is not wanted, or beside the map."""
    ny, nx = wanted.shape
    row = np.empty((ny, nx), np.int64)
    for j in range(ny):
        last = -1
        for i in range(nx):
            last = last if wanted[j, i] else i
            row[j, i] = i - last
        last = nx
        for i in range(nx - 1, -1, -1):
            last = last if wanted[j, i] else i
            row[j, i] = min(row[j, i], last - i)
    # of each column the cells that are nearest to some stretch of it, one after another, and where that begins: of two
    # cells the lower is nearer up to a place halfway, moved by how far beside the column what each stands for lies
    out = np.zeros((ny, nx))
    nearest, begins, beside = np.empty(ny + 2, np.int64), np.empty(ny + 2, np.int64), np.zeros(ny + 2, np.int64)
    for i in range(nx):
        for j in range(ny):  # rows from 1: 0 and ny + 1 lie beside the map
            beside[j + 1] = row[j, i] ** 2
        last = 0
        nearest[0] = begins[0] = 0
        for u in range(1, ny + 2):
            while last >= 0:
                at, q = begins[last], nearest[last]
                if (at - q) ** 2 + beside[q] <= (at - u) ** 2 + beside[u]:
                    break
                last -= 1
            if last < 0:
                last, nearest[0] = 0, u
                continue
            q = nearest[last]
            first = 1 + (u * u - q * q + beside[u] - beside[q]) // (2 * (u - q))
            if first <= ny + 1:
                last += 1
                nearest[last], begins[last] = u, first
        for j in range(ny, 0, -1):
            while begins[last] > j:
                last -= 1
            q = nearest[last]
            out[j - 1, i] = math.sqrt(float((j - q) ** 2 + beside[q]))
    return out


def regions_of(wanted: Any, pitch_mm: float, x0: float, y0: float) -> tuple[Region, ...]:
    """The connected regions of wanted cells, the largest first; (x0, y0) is the middle of the first cell."""
    labels, many = labelled(wanted)
    if not many:
        return ()
    free = free_around(wanted)
    inside = labels >= 0
    numbers = labels[inside]
    counts = np.bincount(numbers, minlength=many)
    js, ix = np.nonzero(inside)
    order = np.lexsort((np.arange(len(numbers)), -free[inside], numbers))
    first = order[np.searchsorted(numbers[order], np.arange(many))]
    low_x, high_x = np.full(many, labels.shape[1]), np.zeros(many, np.int64)
    low_y, high_y = np.full(many, labels.shape[0]), np.zeros(many, np.int64)
    np.minimum.at(low_x, numbers, ix)
    np.maximum.at(high_x, numbers, ix)
    np.minimum.at(low_y, numbers, js)
    np.maximum.at(high_y, numbers, js)
    found = []
    for k in np.argsort(-counts, kind="stable"):
        at = first[k]
        box = (low_x[k], low_y[k], high_x[k], high_y[k])
        found.append(
            Region(
                float(counts[k]) * pitch_mm**2,
                float(free[inside][at]) * pitch_mm,
                (x0 + float(ix[at]) * pitch_mm, y0 + float(js[at]) * pitch_mm),
                (
                    x0 + float(box[0]) * pitch_mm,
                    y0 + float(box[1]) * pitch_mm,
                    x0 + float(box[2]) * pitch_mm,
                    y0 + float(box[3]) * pitch_mm,
                ),
            )
        )
    return tuple(found)
