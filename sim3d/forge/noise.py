"""Chance and noise without a random module: the same numbers from the same seed on every machine.

`chance` is a hash of whole numbers; `fbm` is smooth value noise summed over octaves, both without state.

>>> chance(7, 1, 2) == chance(7, 1, 2), chance(7, 1, 2) == chance(7, 2, 1)
(True, False)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim3d.space import Floats

Words = NDArray[np.uint32]


def chance(seed: int, *numbers: int) -> float:
    """A number in [0, 1) that depends on the seed and the numbers alone."""
    word = np.array([seed & 0xFFFFFFFF], dtype=np.uint32)
    for number in numbers:
        word = _mixed(word ^ np.uint32((number * 0x9E3779B1 + 0x85EBCA6B) & 0xFFFFFFFF))
    return float(_mixed(word)[0]) / 2.0**32


def between(low: float, high: float, seed: int, *numbers: int) -> float:
    """A number in [low, high), to a hundredth, so that it is short to write down.

    >>> 2.0 <= between(2, 3, 5, 1) <= 3.0
    True
    """
    return round(low + (high - low) * chance(seed, *numbers), 2)


def value_noise(points: Floats, *, seed: int) -> Floats:
    """Smooth noise in [-1, 1] at points (n, 3), one lattice cell per unit."""
    base = np.floor(points)
    part = points - base
    ease = part * part * part * (part * (part * 6.0 - 15.0) + 10.0)
    cell = base.astype(np.int64)
    total = np.zeros(len(points))
    for corner in range(8):
        dx, dy, dz = corner & 1, corner >> 1 & 1, corner >> 2 & 1
        weight = np.ones(len(points))
        for axis, step in enumerate((dx, dy, dz)):
            weight *= ease[:, axis] if step else 1.0 - ease[:, axis]
        total += weight * _lattice(cell[:, 0] + dx, cell[:, 1] + dy, cell[:, 2] + dz, seed)
    return total


def fbm(points: Floats, *, size: float, octaves: int, seed: int, fade: float = 0.5) -> Floats:
    """Noise of several sizes: the largest `size` mm across, each next half of it and `fade` times as strong.

    >>> import numpy as np
    >>> bool(abs(fbm(np.array([[1.5, 2.5, 0.0]]), size=10, octaves=4, seed=1)[0]) <= 1)
    True
    """
    total, strength, weight = np.zeros(len(points)), 0.0, 1.0
    scaled = points / size
    for octave in range(octaves):
        total += weight * value_noise(scaled + 17.25 * octave, seed=seed + 101 * octave)
        strength += weight
        weight *= fade
        scaled = scaled * 2.0
    return total / strength


def _lattice(x: NDArray[np.int64], y: NDArray[np.int64], z: NDArray[np.int64], seed: int) -> Floats:
    word = np.full(len(x), seed & 0xFFFFFFFF, dtype=np.uint32)
    for axis in (x, y, z):
        word = _mixed(word ^ (axis & 0xFFFFFFFF).astype(np.uint32))
    signed: Floats = word.astype(np.float64) / 2.0**31 - 1.0
    return signed


def _mixed(word: Words) -> Words:
    """A finaliser in the manner of murmur: every bit of the answer depends on every bit of the question."""
    word = (word ^ (word >> np.uint32(16))) * np.uint32(0x7FEB352D)
    word = (word ^ (word >> np.uint32(15))) * np.uint32(0x846CA68B)
    return (word ^ (word >> np.uint32(16))) + np.uint32(0x9E3779B9)
