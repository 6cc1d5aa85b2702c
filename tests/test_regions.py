"""How far every cell is from the nearest that is not wanted: against looking at all of them."""

from __future__ import annotations

import numpy as np
import pytest

from sim3d.atlas.regions import free_around


@pytest.mark.parametrize("shape", [(1, 1), (1, 30), (30, 1), (7, 9), (24, 31)])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.9, 0.99, 1.0])
def test_distances_are_those_to_the_nearest_of_all_cells(shape: tuple[int, int], share: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(8):
        wanted = rng.random(shape) < share
        others = np.argwhere(~np.pad(wanted, 1)) - 1  # and all that lie beside the map
        cells = np.stack(np.indices(shape), axis=-1).astype(np.float64)
        near = np.sqrt(((cells[:, :, None] - others) ** 2).sum(axis=3).min(axis=2))
        assert np.array_equal(free_around(wanted), np.where(wanted, near, 0.0))
