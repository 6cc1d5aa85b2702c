"""When a base slides: against the same question asked as a linear program, direction by direction."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from sim3d.space import Floats
from sim3d.statics.friction import needed, slips_at

SIDES = 90  # of a cone: inside a round one by a part in 1,600
AROUND = 120  # directions: a straight side's nearest place is missed by as little
DOWN, REACH_MM = np.array([0.0, 0.0, -1.0]), 13.5


def carried(seed: int) -> tuple[Floats, Floats, float]:
    """Three to five contacts round a centre of mass, pushing up and inward or outward, and friction that holds them."""
    rng = np.random.default_rng(seed)
    while True:
        many = int(rng.integers(3, 6))
        angles = np.sort(rng.uniform(0, 2 * math.pi, many))
        out = rng.uniform(4, 13, many)
        places = np.column_stack([out * np.cos(angles), out * np.sin(angles), rng.uniform(-14, -10, many)])
        normals = np.column_stack([rng.normal(0, 0.35, many), rng.normal(0, 0.35, many), np.ones(many)])
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        needs = needed(places, normals, DOWN, REACH_MM, np.zeros((many, 3)))
        if needs < 0.8:
            return places, normals, float(rng.uniform(1.1 * needs, 1.3))


def least_of_all_directions(places: Floats, normals: Floats, mu: float) -> float:
    """The smallest tilt (radians) of gravity at which loads in many-sided cones no longer balance it."""
    columns = []
    for place, normal in zip(places, normals, strict=True):
        aside = np.cross(normal, [1.0, 0.0, 0.0])
        aside /= np.linalg.norm(aside)
        other = np.cross(normal, aside)
        for k in range(SIDES):
            a = 2 * math.pi * k / SIDES
            force = normal + mu * (math.cos(a) * aside + math.sin(a) * other)
            columns.append([*force, *np.cross(place, force)])
    least = math.inf
    for k in range(AROUND):
        a = 2 * math.pi * k / AROUND
        pull = [math.cos(a), math.sin(a), 0.0, 0.0, 0.0, 0.0]
        system = np.column_stack([np.array(columns).T, pull])
        found = linprog([0.0] * len(columns) + [-1.0], A_eq=system, b_eq=[0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        assert found.status in (0, 3), found.message
        least = min(least, math.inf if found.status == 3 else float(found.x[-1]))
    return math.atan(least)


@pytest.mark.parametrize("seed", range(8))
def test_no_direction_slides_at_less_than_the_tilt_that_is_told(seed: int) -> None:
    """Of local leasts, where few directions were tried, another one was told: by up to a degree."""
    places, normals, mu = carried(seed)
    assert slips_at(places, normals, REACH_MM, mu) == pytest.approx(
        least_of_all_directions(places, normals, mu), rel=1.5e-3
    )


@pytest.mark.parametrize("seed", range(100, 160))
def test_the_tilt_at_which_it_slides_turns_and_mirrors_with_its_contacts(seed: int) -> None:
    places, normals, mu = carried(seed)
    told = slips_at(places, normals, REACH_MM, mu)
    c, s = math.cos(0.7), math.sin(0.7)
    for by in (np.diag([-1.0, 1.0, 1.0]), np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])):
        moved = slips_at(np.ascontiguousarray(places @ by.T), np.ascontiguousarray(normals @ by.T), REACH_MM, mu)
        assert moved == pytest.approx(told, rel=1e-6, abs=1e-8)
