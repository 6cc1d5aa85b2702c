"""Corners and edges of large meshes: counted in passes they are what sorting says, whoever made the mesh."""

from __future__ import annotations

import time

import numpy as np
import pytest

from sim3d.solid import survey
from sim3d.solid.counted import MIX, first_seen
from sim3d.solid.survey import Edges, edges_of, same_corners


@pytest.mark.parametrize(("many", "places"), [(0, 3), (1, 3), (40, 3), (4000, 9), (4000, 400), (4000, 1_000_000)])
@pytest.mark.parametrize("seed", [0, 1])
def test_counting_says_what_sorting_says(monkeypatch: pytest.MonkeyPatch, many: int, places: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vertices = rng.integers(-places, places, (many, 3)) / 7.0
    faces = rng.integers(0, min(places, 5000), (many, 3))  # some use a corner twice, some are repeated
    sorted_ones, edges = same_corners(vertices), edges_of(faces, 5000)
    monkeypatch.setattr(survey, "MANY", -1)
    counted, found = same_corners(vertices), edges_of(faces, 5000)
    for one, other in zip(sorted_ones, counted, strict=True):
        assert np.array_equal(one, other)
        assert one.dtype == other.dtype
    assert isinstance(found, Edges)
    for name in ("ends", "uses", "forward", "of_half"):
        assert np.array_equal(getattr(edges, name), getattr(found, name)), name


def test_corners_chosen_to_collide_cost_no_time() -> None:
    b = np.arange(1, 200_001, dtype=np.uint64)
    mixed = b | b << np.uint64(32)  # all of them look at one slot first
    back = mixed * np.uint64(pow(int(MIX), -1, 2**64))  # what the last step made them of
    zero = np.zeros(len(b), np.uint64)
    first_seen(np.column_stack([zero, zero, b])[:10])
    begun = time.process_time()
    keep, became = first_seen(np.column_stack([zero, zero, back]))
    assert time.process_time() - begun < 2.0  # all against all would take half a minute
    assert len(keep) == len(became) == 0
