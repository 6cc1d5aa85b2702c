"""What is near a base: balls about what follows each other, so that most of it is passed over at a look."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim3d.ground import ground_of
from sim3d.mini import Mini
from sim3d.solid import read_solid
from sim3d.space import Floats
from sim3d.statics.near import BUNCH, CLOSE, Terrain, near, whole
from sim3d.statics.rest import foot_of
from sim3d.statics.touch import frame_of, touching
from sim3d.table import Table

MESHES = Path(__file__).parents[1] / "meshes"
AT = (12.0, -7.0)


def terrain_at(mesh: str) -> tuple[Terrain, Floats]:
    """All triangles about a place, and a frame in which a base of 27 mm leans on the highest of them."""
    patch = ground_of(Table.of(read_solid(MESHES / mesh))).patch(*AT, 30.0)
    frame = frame_of(0.0, 0.0, 0.0, 0.1, -0.05, 0.3)
    frame[0, 2] = float(((patch.tris - frame[0]) @ frame[3]).max()) / frame[3, 2]
    return whole(patch.tris, patch.spans, patch.traits), frame


@pytest.mark.parametrize("mesh", ["pack/hill.ply", "pack/rocks.ply", "pack/ruin.stl"])
def test_a_ball_holds_all_that_it_stands_for(mesh: str) -> None:
    everything, frame = terrain_at(mesh)
    close = near(everything, frame, foot_of(Mini("27").base), CLOSE)
    for terrain in (everything, close):
        assert len(terrain.balls) == -(-len(terrain.tris) // BUNCH)
        assert len(terrain.point_balls) == -(-len(terrain.points) // BUNCH)
        held = np.repeat(terrain.balls, BUNCH, axis=0)[: len(terrain.tris)]
        assert (np.linalg.norm(terrain.tris - held[:, None, :3], axis=2) <= held[:, None, 3]).all()
        held = np.repeat(terrain.point_balls, BUNCH, axis=0)[: len(terrain.points)]
        assert (np.linalg.norm(terrain.points - held[:, :3], axis=1) <= held[:, 3]).all()


@pytest.mark.parametrize("mesh", ["pack/hill.ply", "pack/rocks.ply", "pack/ruin.stl"])
def test_what_is_passed_over_touches_nothing(mesh: str) -> None:
    everything, frame = terrain_at(mesh)
    endless = everything._replace(balls=np.tile([0.0, 0.0, 0.0, np.inf], (len(everything.balls), 1)))
    foot = foot_of(Mini("27").base)
    for sunk in (0.0, 0.5, 2.0):
        lower = frame - np.array([[0.0, 0.0, sunk], *np.zeros((3, 3))])
        assert np.array_equal(touching(everything, lower, foot, 0.3), touching(endless, lower, foot, 0.3))
