"""What ways away ask of gravity: lines, the nearest point beyond them, and which way asks for no more than another."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from sim3d.space import Floats
from sim3d.statics.away import ASKED, LINES, MANY, ask, cost, takes_all

SURELY = 1e-9  # none of these is so near that rounding decides


def asked(normals: Floats) -> Floats:
    """What a way over edges with these outward normals asks for."""
    all_of_them = np.zeros(ASKED)
    for normal in normals:
        ask(all_of_them, normal)
    return all_of_them


def some(rng: np.random.Generator, many: int) -> Floats:
    """Outward normals, a little downhill: gravity has to lean by up to 17 degrees to take a base over them."""
    angles, sines = rng.uniform(-1.2, 1.2, many), rng.uniform(0.02, 0.3, many)
    level = np.sqrt(1.0 - sines**2)
    return np.column_stack([np.cos(angles) * level, np.sin(angles) * level, sines])


def lines(way: Floats) -> Floats:
    """The lines that are kept: n x + m y >= z."""
    many = int(way[MANY])
    return way[3 : 3 + 3 * many].reshape(-1, 3)


@pytest.mark.parametrize("seed", range(40))
def test_a_way_takes_all_that_takes_another_if_its_lines_bar_none_of_it(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shared = some(rng, 2)
    one, other = asked(shared[: rng.integers(1, 3)]), asked(np.vstack([shared, some(rng, int(rng.integers(0, 3)))]))
    if seed % 2:
        one = asked(np.vstack([shared[:1], some(rng, 1)]))
    # the least of each of its lines on the far side of all lines of the other
    kept = lines(other)
    least = [linprog(n[:2], A_ub=-kept[:, :2], b_ub=-kept[:, 2], bounds=[(None, None)] * 2) for n in lines(one)]
    gaps = [-np.inf if r.status == 3 else r.fun - n[2] for r, n in zip(least, lines(one), strict=True)]
    assert takes_all(one, other) == (min(gaps) >= -SURELY)


def test_both_answers_are_met() -> None:
    rng = np.random.default_rng(7)
    shared = some(rng, 2)
    assert takes_all(asked(shared[:1]), asked(shared))
    assert not takes_all(asked(shared), asked(some(rng, 1)))
    assert takes_all(np.zeros(ASKED), asked(shared))  # who asks for nothing


@pytest.mark.parametrize("seed", range(20))
def test_the_nearest_point_lies_beyond_all_lines_and_none_is_nearer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    way = asked(some(rng, int(rng.integers(1, LINES))))
    kept = lines(way)
    point = way[:2]
    assert (kept[:, :2] @ point >= kept[:, 2] - 1e-9).all()
    angles = np.linspace(-np.pi, np.pi, 4001)
    nearer = 0.999 * np.sqrt(cost(way)) * np.column_stack([np.cos(angles), np.sin(angles)])
    assert not (nearer @ kept[:, :2].T >= kept[:, 2]).all(axis=1).any()
