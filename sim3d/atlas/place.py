"""Where a map's cell is and what is put there: the triangles about it, the model's base in a pose, as loops take them.

Compiled.
"""

from __future__ import annotations

from typing import NamedTuple

from sim3d.atlas.clear import Model
from sim3d.compiled import compiled, lean, unlent
from sim3d.ground.patch import ANY, cut_out, sizes
from sim3d.space import Floats, Ints
from sim3d.statics.footing import Footing, Trodden, footing_of, forgotten
from sim3d.statics.rest import AROUND_MM
from sim3d.statics.touch import frame_of


class Index(NamedTuple):
    """The ground's triangles with the index that finds them, as `cut_out` takes them."""

    corners: Floats
    traits: Ints
    ends: Floats
    cell: float
    shape: Ints
    starts: Ints
    members: Ints
    floor: float


class Place(NamedTuple):
    """Where and how: the cut, friction, the table's half sizes (inf: none), and the base's reach along its sides."""

    turn: float  # radians
    cut: float
    friction: float  # the least that any surface here has
    half_x: float
    half_y: float
    exact_deg: float  # a tip below is found exactly, of one above that it is: for words alone the nudge's angle will do
    reach_x: float  # farthest towards +x
    reach_y: float
    back_x: float  # farthest towards -x
    back_y: float
    posts: Floats  # (ny, nx) over the cells of what can be in the way, as `posts_of` the cut; (0, 0): none


@lean
def beyond_edge(place: Place, x: float, y: float) -> float:
    """How far (mm) the base reaches over the table's edge; negative inside."""
    return max(
        x + place.reach_x - place.half_x,
        -x + place.back_x - place.half_x,
        y + place.reach_y - place.half_y,
        -y + place.back_y - place.half_y,
    )


@compiled
def patch_at(index: Index, model: Model, place: Place, x: float, y: float) -> tuple[Ints, Floats, Ints, float]:
    """The triangles about a place, as the exact solver cuts them out."""
    around = model.foot.reach_mm + AROUND_MM
    i = index
    return cut_out(
        i.corners, i.traits, i.ends, i.cell, i.shape, i.starts, i.members, i.floor, x, y, around, place.cut, ANY
    )


@compiled
def footing_at(
    index: Index, model: Model, place: Place, trodden: Trodden, x: float, y: float, c: float, gx: float, gy: float
) -> Footing:
    """A base in its pose, as the exact solver's loops take it. `trodden` is room for its steps."""
    _, tris, traits, high = patch_at(index, model, place, x, y)
    _, lengths = sizes(tris)
    frame = frame_of(0.0, 0.0, c - high, gx, gy, place.turn)
    return footing_of(tris, lengths, traits, frame, model.com, model.foot, forgotten(unlent(trodden)))


@compiled
def about(index: Index, model: Model, place: Place, x: float, y: float) -> tuple[Floats, Floats]:
    """The triangles about a place, and their lumps."""
    _, tris, _, _ = patch_at(index, model, place, x, y)
    lumps, _ = sizes(tris)
    return tris, lumps
