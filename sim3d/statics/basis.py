"""Three points that carry a plane over a target: the basis of the resting plane's program, and how points enter it.

Compiled. The target is where the centre of mass lies over; it stays inside the three.
"""

from __future__ import annotations

import math

from sim3d.compiled import copied, lean, scratch
from sim3d.space import Floats, Ints
from sim3d.statics.over import OVER_MM, PROP

FAR = 8.0  # three props stand this many reaches out, so deep that any terrain lifts the plane off them
DEEP = 1e4


@lean
def plane_through(basis: Floats) -> tuple[bool, float, float, float]:
    """c, gx, gy of the plane through three points, measured along the two shorter sides: two may lie close together."""
    sizes = scratch(3)
    for i in range(3):
        j = (i + 1) % 3
        dx, dy = basis[j, 0] - basis[i, 0], basis[j, 1] - basis[i, 1]
        sizes[i] = dx * dx + dy * dy
    i = 2 if sizes[0] >= sizes[1] and sizes[0] >= sizes[2] else 0 if sizes[1] >= sizes[2] else 1
    j, k = (i + 1) % 3, (i + 2) % 3  # the longest side joins j and k
    ax, ay, az = basis[j, 0] - basis[i, 0], basis[j, 1] - basis[i, 1], basis[j, 2] - basis[i, 2]
    bx, by, bz = basis[k, 0] - basis[i, 0], basis[k, 1] - basis[i, 1], basis[k, 2] - basis[i, 2]
    det = ax * by - ay * bx
    if det == 0.0:
        return False, 0.0, 0.0, 0.0
    gx, gy = (az * by - bz * ay) / det, (bz * ax - az * bx) / det
    return True, basis[i, 2] - gx * basis[i, 0] - gy * basis[i, 1], gx, gy


@lean
def weights(basis: Floats, x: float, y: float, out: Floats) -> bool:
    """The shares with which three points carry (x, y); false when they lie in a line."""
    ax, ay = basis[1, 0] - basis[0, 0], basis[1, 1] - basis[0, 1]
    bx, by = basis[2, 0] - basis[0, 0], basis[2, 1] - basis[0, 1]
    px, py = x - basis[0, 0], y - basis[0, 1]
    det = ax * by - ay * bx
    if det == 0.0:
        return False
    out[1] = (px * by - py * bx) / det
    out[2] = (ax * py - ay * px) / det
    out[0] = 1.0 - out[1] - out[2]
    return True


@lean
def props(tx: float, ty: float, reach: float, low: float, basis: Floats, features: Ints) -> None:
    """Three points far out and far down around the target: a start that any terrain replaces."""
    for i in range(3):
        a = 2.0 * math.pi * i / 3.0 + 0.1
        basis[i, 0], basis[i, 1] = tx + FAR * reach * math.cos(a), ty + FAR * reach * math.sin(a)
        basis[i, 2] = low - DEEP * reach
        features[i, 0] = PROP


@lean
def leaving(basis: Floats, tx: float, ty: float, x: float, y: float, share: Floats, entering: Floats) -> int:
    """The basis point that may go for (x, y) without leaving the target uncarried; -1: none."""
    if not weights(basis, tx, ty, share) or not weights(basis, x, y, entering):
        return -1
    leave, least = -1, math.inf
    for i in range(3):
        if entering[i] > 1e-14:
            ratio = max(share[i], 0.0) / entering[i]
            if ratio < least or (ratio == least and entering[i] > entering[leave]):
                leave, least = i, ratio
    return leave


@lean
def guessed(basis: Floats, features: Ints, tx: float, ty: float, guess: Floats, marks: Ints, count: int) -> bool:
    """Terrain points that stand over the plane take a place in the basis, one after another: a start nearer the end."""
    share, entering = scratch(3), scratch(3)
    for k in range(count):
        ok, c, gx, gy = plane_through(basis)
        if not ok:
            return False
        if guess[k, 2] - c - gx * guess[k, 0] - gy * guess[k, 1] > OVER_MM * (1.0 + abs(gx) + abs(gy)):
            leave = leaving(basis, tx, ty, guess[k, 0], guess[k, 1], share, entering)
            if leave >= 0:
                copied(guess[k], basis[leave])
                copied(marks[k], features[leave])
    return True


@lean
def among(basis: Floats, point: Floats) -> bool:
    """Whether a point is one of the basis: where that stands over the plane through it, it is by rounding."""
    same = False
    for i in range(3):
        same = same or (basis[i, 0] == point[0] and basis[i, 1] == point[1] and basis[i, 2] == point[2])
    return same
