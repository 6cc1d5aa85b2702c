"""What ways away ask of gravity: lines, the nearest point beyond them, and which way asks for no more than another."""

from __future__ import annotations

import importlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from sim3d.compiled import compiled, lent
from sim3d.ground import ground_of
from sim3d.mini import Mini
from sim3d.solid import read_solid
from sim3d.space import Floats
from sim3d.statics.away import ASKED, LINES, MANY, MANY_STEPS, ask, cost, easiest_away, takes_all
from sim3d.statics.footing import Footing
from sim3d.statics.rest import case_of
from sim3d.table import Table

PACK = Path(__file__).parents[1] / "meshes" / "pack"
SURELY = 1e-9  # none of these is so near that rounding decides
FARTHEST_DEG = 10.25


def footing(mesh: str, at: tuple[float, float]) -> Footing:
    """A 27 mm base where it comes to rest on a sample piece."""
    case = case_of(ground_of(Table.of(read_solid(PACK / mesh))), Mini("27"), at=at, turn=0.0, level=None)
    _, *plane = case.lowest()
    return case.footing(case.frame(*plane))


@compiled
def is_held(on: Footing) -> bool:
    """Whether no way leads away, lent what it stands on: else the loops would be compiled again."""
    return easiest_away(lent(on), math.radians(FARTHEST_DEG), False).held


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


def least_of(normals: Floats, around: int) -> float:
    """The square of the tangent of the least tilt of gravity that leans on and on one way, and takes a base over all.

    Of so many directions all around. Over an edge that gravity has to lean over it leans as far, and never less again;
    over one that falls away it goes unless gravity leans back from it by more than that by then.
    """
    angles = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)
    tilts = np.zeros(around)
    for nx, ny, nz in normals:
        along = nx * np.cos(angles) + ny * np.sin(angles)
        with np.errstate(divide="ignore"):
            edge = nz / along
        if nz > 0.0:
            tilts = np.where(along > 0.0, np.maximum(tilts, edge), np.inf)
        else:
            tilts = np.where((along < 0.0) & (tilts > edge), np.inf, tilts)
    return float(tilts.min() ** 2)


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


@pytest.mark.parametrize("seed", range(200))
def test_over_edges_that_fall_away_it_goes_only_if_gravity_does_not_hold_it_back(seed: int) -> None:
    rng = np.random.default_rng(seed)
    many = int(rng.integers(2, 6))
    normals = some(rng, many) * np.where(rng.random(many) < 0.5, 1.0, -1.0)[:, None] if seed % 2 else some(rng, many)
    if seed % 2 == 0:  # the same ways, but some fall away
        normals[1::2, 2] *= -rng.uniform(0.1, 1.0)
        normals[1::2, :2] *= rng.choice([-1.0, 1.0])
    told, tried = cost(asked(normals)), least_of(normals, 200_000)
    assert told <= tried * (1.0 + SURELY) + SURELY**2
    if tried < 1.0:  # beyond 45 degrees a grid of directions may miss the window
        assert told == pytest.approx(tried, rel=1e-3)


def test_such_edges_are_met_that_hold_it_and_that_do_not() -> None:
    up, down = (1.0, 0.0, 0.2), (-1.0, 0.0, -0.1)  # over the top, and back over what falls away less steeply
    assert cost(asked(np.array([up, down]))) == np.inf
    assert cost(asked(np.array([down, up]))) == pytest.approx(0.04)  # it went there before gravity leaned
    assert cost(asked(np.array([up, (-1.0, 0.0, -0.3)]))) == pytest.approx(0.04)


@pytest.mark.parametrize(
    ("mesh", "at"),
    [
        ("hill.ply", (-30.0, 12.0)),
        ("hill.ply", (50.0, 80.0)),
        ("hill.ply", (50.0, -85.0)),
        ("hill.ply", (-72.0, -66.0)),
        ("craters.ply", (65.0, 30.0)),
        ("ruin.stl", (65.0, 30.0)),
    ],
)
def test_a_base_that_rolls_round_a_few_facets_is_not_followed_round_and_round(
    mesh: str, at: tuple[float, float]
) -> None:
    on = footing(mesh, at)
    assert is_held(on)  # each of them was told "not held, that was too many steps" before
    assert on.trodden.many[0] < MANY_STEPS / 2


@pytest.mark.slow  # what is asked without being compiled has its loops compiled anew: half a minute
@pytest.mark.parametrize(
    ("mesh", "at", "most"),
    [
        ("hill.ply", (68.0, -40.0), 14),
        ("hill.ply", (56.0, -40.0), 9),
        ("hill.ply", (72.0, 28.0), 20),
        ("hill.ply", (28.0, -20.0), 20),
        ("craters.ply", (40.0, -52.0), 17),
    ],
)
def test_no_way_is_followed_past_the_room_for_steps(
    mesh: str, at: tuple[float, float], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last step that there is room for leads away, and easier ways are left: they were followed without end."""
    away: Any = importlib.import_module("sim3d.statics.away")
    on = footing(mesh, at)
    monkeypatch.setattr(away, "MANY_STEPS", most)
    monkeypatch.setattr(away, "followed_so", away.followed_so.py_func)  # not compiled it raises where room ends
    seen = away.easiest_away.py_func(on, math.radians(FARTHEST_DEG), False)
    assert not seen.held
