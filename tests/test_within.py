"""Where there is no room: in solids of several parts, in other minis' bodies, about thin sheets, beside wide bodies."""

from __future__ import annotations

import importlib
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from sim3d import Mini, Solid, Table, check, stand
from sim3d.atlas import atlas
from sim3d.atlas.cell import verdict
from sim3d.atlas.clear import crosses
from sim3d.atlas.words import BLOCKED
from sim3d.compiled import compiled, lent
from sim3d.ground import ground_of
from sim3d.ground.foot import heart_of
from sim3d.ground.room import crossings_above
from sim3d.mini import Base, Body
from sim3d.overlap import body_rounds
from sim3d.plane import Outline
from sim3d.solid.boolean import Mesh, box
from sim3d.space import Pose
from sim3d.statics.footing import untrodden
from sim3d.table import Placed

sweep = importlib.import_module("sim3d.atlas.sweep")
FIGURE = Mini("27", height=40, com=15)
BLOCK = box((-50, -50, 0), (50, 50, 100))
OTHER = box((-60, -60, 0), (40, 40, 90))


def joined(*meshes: Mesh, name: str = "block") -> Solid:
    counts = np.cumsum([0, *(len(points) for points, _ in meshes)])
    faces = [f + n for (_, f), n in zip(meshes, counts, strict=False)]
    return Solid.of(np.vstack([points for points, _ in meshes]), np.vstack(faces), name=name)


def floored(*solids: Solid) -> Table:
    return Table(pieces=Table.of(*solids).pieces, floor_mm=0.0)


def turned(mesh: Mesh) -> Mesh:
    return mesh[0], mesh[1][:, ::-1]


def with_corners_on_edges(mesh: Mesh, many: int = 1) -> Mesh:
    """So many triangles cut in two at the middle of an edge that the triangle beside it keeps whole."""
    points, faces = mesh
    for _ in range(many):
        a, b, c = faces[0].tolist()
        halves = [[a, len(points), c], [len(points), b, c]]
        points, faces = np.vstack([points, (points[a] + points[b]) / 2]), np.vstack([faces[1:], halves])
    return points, faces


def with_backs(mesh: Mesh, *which: int, first: bool = False) -> Mesh:
    """Some triangles drawn on both sides, their backs at the end, or before all others."""
    backs = mesh[1][list(which)][:, ::-1]
    return mesh[0], np.vstack([backs, mesh[1]] if first else [mesh[1], backs])


STACKED = (
    np.vstack([BLOCK[0], BLOCK[0][4:] + np.array([0.0, 0.0, 20.0])]),
    np.vstack([BLOCK[1], box((0, 0, 0), (1, 1, 1))[1] + 4]),
)  # a second block on the first one, which has its four corners: they share a face, once each way


# --- solids -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("solid", "closed"),
    [
        (joined(BLOCK), True),
        (joined(BLOCK, OTHER), True),
        (joined(BLOCK, turned(OTHER)), True),
        (joined(turned(BLOCK), OTHER), True),
        (joined(with_corners_on_edges(BLOCK)), False),
        (joined(with_corners_on_edges(BLOCK, 12)), False),
        (joined(with_corners_on_edges(BLOCK, 40), OTHER), False),
        (joined(with_backs(BLOCK, 0)), False),
        (joined(with_backs(BLOCK, 2, 3, 4), OTHER), False),
        (joined(with_backs(BLOCK, 2, 7, first=True)), False),
        (joined(with_backs(BLOCK, *range(12))), True),
        (joined(STACKED), True),
        (joined(with_backs(STACKED, 0)), False),
    ],
)
def test_nobody_stands_inside_of_a_solid_whatever_it_is_made_of(solid: Solid, closed: bool) -> None:
    assert solid.closed == closed
    assert stand(Table.of(solid), FIGURE, at=(-5, -5), level=50, physics="never").answer == "blocked"
    made = atlas(Table.of(solid), FIGURE, pitch=10, levels=True)
    assert len(made.layers) == 1  # there is no storey in it


def test_in_a_cavity_there_is_room() -> None:
    room = box((-40, -40, 10), (40, 40, 80))
    for solid in (joined(BLOCK, turned(room)), joined(turned(BLOCK), room)):
        told = stand(Table.of(solid), FIGURE, at=(0, 0), level=60, physics="never")
        assert told.answer == "stable"
        assert told.pose is not None
        assert told.pose.place[2] == pytest.approx(10.0)
    pillar = box((-20, -20, 5), (20, 20, 85))  # what stands in a cavity is solid again
    solid = joined(BLOCK, turned(room), pillar)
    assert stand(Table.of(solid), FIGURE, at=(0, 0), level=60, physics="never").answer == "blocked"


def test_a_sheet_or_a_box_without_a_lid_has_no_inside() -> None:
    assert (joined((BLOCK[0], BLOCK[1][:-1])).insides == -1).all()
    assert not joined((BLOCK[0], BLOCK[1][:-1])).sided.any()
    stray = np.array([[0.0, 0, 200], [0.5, 0, 200], [0, 0.5, 200]]), np.array([[0, 1, 2]])
    both = joined(BLOCK, stray)
    assert both.insides.tolist() == [0] * 12 + [-1]
    assert both.sided.tolist() == [True] * 12 + [False]


# --- sheets -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("low", [2.5, 2.9, 3.05, 3.19, 3.3, 20.0])
def test_no_sheet_goes_through_a_model_unseen(low: float) -> None:
    sheet = joined(box((-60, -60, low), (60, 60, low + 0.3)), name="sheet")
    for mini in (FIGURE, Mini.of_solid("27", joined(box((-8, -8, 0), (8, 8, 40))))):
        assert stand(floored(sheet), mini, at=(0, 0), level=2, physics="never").answer == "blocked"


def test_what_lies_on_the_rim_of_a_base_touches_it() -> None:
    for deep, word in ((-0.01, "stable"), (0.19, "stable"), (0.21, "blocked")):
        lip = joined(box((11.5, -5, 3.2 - deep), (40, 5, 8)), name="lip")
        assert stand(floored(lip), FIGURE, at=(0, 0), level=2, physics="never").answer == word


@pytest.mark.parametrize("thick", [0.1, 0.35, 0.4, 0.41, 3.2])
def test_a_thin_base_is_in_the_way_of_a_post(thick: float) -> None:
    post = joined(box((15, -3, -1), (21, 3, 60)), name="post")
    mini = Mini(Base.round(50, thickness_mm=thick), body=Body(10, 40), com=10)
    assert stand(floored(post), mini, at=(0, 0), level=0.05, physics="never").answer == "blocked"


# --- minis ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("high", [5.0, 30.0, 80.0])
@pytest.mark.parametrize("into", [1e-6, 1e-3, 0.15])
def test_who_is_a_hair_into_a_wall_beside_it_is_told_how_it_stands_there(into: float, high: float) -> None:
    # its place was rounded, or the wall's: set down from above it is carried off by the wall's top
    table = floored(joined(box((13.5 - into, -60, 0), (40, 60, high))))
    seen = stand(table, FIGURE, at=(0, 0), physics="never")
    assert seen.answer in ("topples", "undecided")
    assert f"below a level of {high / 2:.1f}, it is stable." in seen.why
    assert stand(table, FIGURE, at=(0, 0), level=high / 2, physics="never").answer == "stable"


def test_who_is_not_merely_a_hair_into_a_wall_or_stands_on_nothing_beside_it_is_told_of_no_level() -> None:
    deep = floored(joined(box((13.0, -60, 0), (40, 60, 30))))  # half a millimetre: it is in the way under any level
    bare = Table(pieces=Table.of(joined(box((13.4, -60, 0), (40, 60, 30)))).pieces, floor_mm=None)
    for table in (deep, bare):
        seen = stand(table, FIGURE, at=(0, 0), physics="never")
        assert seen.answer != "stable"
        assert "level" not in seen.why


def test_nobody_stands_in_the_body_of_another() -> None:
    walker = Placed("walker", Mini("27", body=Body(120, 50), com=15), (0, 0))
    disc = Placed("disc", Mini("27", body=Body(300, 30), com=10), (-200, -200))
    low = Mini(Base.round(27, thickness_mm=1.0), height=2.5, com=1)  # lower than what the body hangs over
    table = Table(minis=(walker, disc))
    for mini, at, word in (
        (Mini("27", height=38, com=10), (35, 0), "blocked"),  # wholly within
        (Mini("27", height=25, com=10), (-200, -100), "blocked"),
        (low, (35, 0), "stable"),
        (Mini("27", height=38, com=10), (74, 0), "stable"),
    ):
        assert stand(table, mini, at=at, physics="never").answer == word
    small = Placed("small", Mini("27", height=20, com=8), (35, 0))
    assert stand(Table(minis=(small,)), walker.mini, at=(0, 0), physics="never").answer == "blocked"


# --- wide bodies, notches ---------------------------------------------------------------------------------------------


def test_a_body_that_narrows_fills_no_more_than_it_does() -> None:
    # a cone 30 wide at its foot, 56 tall: 10.7 at 40; its sides are single triangles from foot to tip
    around = 2 * np.pi * np.arange(48) / 48
    ring = np.column_stack([30 * np.cos(around), 30 * np.sin(around), np.full(48, 4.0)])
    sides = [(k, (k + 1) % 48, 48) for k in range(48)]
    cone = np.vstack([ring, [[0.0, 0.0, 60.0]]]), np.array(sides + [(0, k + 1, k) for k in range(1, 47)])
    mini = Mini("60", com=20, body=Body(60, 60, cone))
    rounds = body_rounds(mini)
    assert rounds[:, 2] == pytest.approx(np.minimum(30.0, 30 * (60 - rounds[:, 0]) / 56), abs=1e-9)
    shelf = floored(Solid.of(*box((12, -40, 40), (80, 40, 45))))
    for gap, word in ((11.2, "stable"), (9.5, "blocked")):  # up to the shelf's edge, from 39.2 up
        assert stand(shelf, mini, at=(12 - gap, 0), level=30.0, physics="never").answer == word


def test_the_map_asks_about_what_is_beside_the_base_where_the_body_is_wider() -> None:
    crate = joined(box((-40, -40, 0), (40, 40, 30)), name="crate")
    mini = Mini("27", body=Body(80, 40), com=10)
    made = atlas(Table.of(crate), mini, pitch=5, area=(55, 0, 95, 0))
    for x in range(55, 96, 5):
        told = stand(Table.of(crate), mini, at=(x, 0), physics="never").answer
        assert made.at(float(x), 0.0).answer == told == ("blocked" if x < 80 else "stable")


NOTCHED = Outline.polygon_of(
    [
        (-30.0, -30.0),
        (30.0, -30.0),
        (30.0, -10.0),
        (-10.0, -10.0),
        (-10.0, 10.0),
        (30.0, 10.0),
        (30.0, 30.0),
        (-30.0, 30.0),
    ]
)


def test_what_stands_in_a_notch_carries_nothing_and_is_not_in_the_way() -> None:
    x, y = heart_of(NOTCHED)
    assert NOTCHED.contains(np.array([[x, y]]))[0]
    mini = Mini(Base("U", NOTCHED, 4.0), body=Body(8, 30), com=(-15, 0, 10))
    pillar, rail = box((-6, -6, -50), (6, 6, 0)), box((-25, -40, -50), (-20, 40, 0))
    told = stand(Table(pieces=Table.of(joined(pillar, rail)).pieces, floor_mm=-50.0), mini, at=(0, 0), physics="never")
    assert told.answer == "topples"
    post = Table.of(joined(box((-3, -3, 0), (3, 3, 3)), name="post"))
    told = stand(post, mini, at=(0, 0), physics="never")
    assert (told.answer, told.tilt_deg) == ("stable", pytest.approx(0.0, abs=1e-6))
    check(told, post)
    made = atlas(post, mini, pitch=1, area=(0, 0, 0, 0)).at(0, 0)
    assert (made.answer, made.tilt_deg) == ("stable", pytest.approx(0.0, abs=1e-6))


# --- minis from meshes ------------------------------------------------------------------------------------------------


def test_minis_from_meshes_are_one_where_their_meshes_are() -> None:
    small, large = (joined(box((-r, -r, 0), (r, r, 40)), name="figure") for r in (8.0, 9.0))
    one, same, other = (Mini.of_solid("27", s) for s in (small, small, large))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert stand(Table(), one, at=(0, 0)).answer == "stable"


def cone(
    sides: int, *, bottom: bool = True, door: bool = False, up: float = 0.0, foot: tuple[float, ...] = (0.0,)
) -> Solid:
    """A hill whose sides meet in a point over the origin; without a bottom, or without one of its sides.

    Its foot may be uneven: the heights of its corners, again and again.
    """
    a = 2.0 * math.pi * np.arange(sides) / sides
    ring = np.column_stack([45.0 * np.cos(a), 45.0 * np.sin(a), np.resize(foot, sides)])
    i, j = np.arange(sides), (np.arange(sides) + 1) % sides
    faces = np.column_stack([i, j, np.full(sides, sides)])[door:]
    under = np.column_stack([j, i, np.full(sides, sides + 1)])
    points = np.vstack([ring, [[0.0, 0.0, 90.0], [0.0, 0.0, 0.0]]]) + np.array([0.0, 0.0, up])
    return Solid.of(points, np.vstack([faces, under]) if bottom else faces, name="hill")


def test_right_under_the_corner_where_many_sides_meet_a_base_is_inside() -> None:
    for sides in range(3, 40):
        hill = floored(cone(sides))
        tris = ground_of(hill).corners
        assert crossings_above(tris, 0.0, 0.0, 5.0) == 1
        assert sum(crosses(tri, 0.0, 0.0, 5.0) for tri in tris) == 1
        assert stand(hill, Mini("27", height=20, com=8), at=(0, 0), level=1.0, physics="never").answer == "blocked"


@pytest.mark.parametrize("at", [(0.0, 0.0), (3.1, -4.7)])
@pytest.mark.parametrize("level", [1.0, 30.0])
@pytest.mark.parametrize("up", [0.0, 0.005, 0.1, 11.0, -0.02, -5.0])
def test_a_hill_without_a_bottom_stands_on_the_floor_and_nobody_stands_in_it(
    at: tuple[float, float], level: float, up: float
) -> None:
    low = Mini("27", height=20, com=8)
    told = stand(floored(cone(12, bottom=False, up=up)), low, at=at, level=level, physics="never")
    assert (told.answer, told.why) == ("blocked", "it would stand inside hill.")
    doors = [cone(12, bottom=False, door=True, up=min(up, 0.0)), cone(12, bottom=False, up=13.0)]
    for open_one in doors:  # in through there, or under it
        assert stand(floored(open_one), low, at=at, level=level, physics="never").answer == "stable"


TENT = [(-60, 0, 70), (60, 0, 70), (-60, -60, 0), (60, -60, 0), (-60, 60, 0), (60, 60, 0)]  # ridge, feet


@pytest.mark.parametrize("first", range(6))
@pytest.mark.parametrize(
    ("faces", "at"),
    [
        ([(0, 2, 3), (0, 3, 1), (0, 1, 5), (0, 5, 4)], (0.0, 0.0)),  # open at both ends
        ([(0, 2, 3), (0, 3, 1), (0, 1, 5), (0, 5, 4), (0, 4, 2)], (0.0, 0.0)),  # at one end
        ([(0, 2, 3), (0, 3, 1)], (0.0, -15.0)),  # a sheet that leans
        ([(0, 2, 3)], (-40.0, -20.0)),
    ],
)
def test_a_tent_that_stands_on_the_floor_is_open_whatever_the_order_of_its_corners(
    faces: list[tuple[int, int, int]], at: tuple[float, float], first: int
) -> None:
    order = np.roll(np.arange(6), first)
    where = np.argsort(order)
    used, named = np.unique(where[np.array(faces)], return_inverse=True)
    tent = Solid.of(np.array(TENT, float)[order][used], named.reshape(-1, 3), name="tent")
    told = stand(floored(tent), Mini("27", height=9, com=4), at=at, level=2.0, physics="never")
    assert told.answer == "stable"


@pytest.mark.parametrize("doors", [(0, 6), (0, 3), (0, 1), (0, 4, 8), (0, 3, 6, 9)])
def test_a_tent_whose_openings_meet_at_its_peak_is_open(doors: tuple[int, ...]) -> None:
    whole = cone(12, bottom=False)
    tent = Solid.of(whole.vertices, np.delete(whole.faces, doors, axis=0), name="tent")
    for at in ((0.0, 0.0), (3.1, -4.7)):
        assert stand(floored(tent), Mini("27", height=20, com=8), at=at, level=5, physics="never").answer == "stable"


def test_a_hill_without_a_bottom_has_no_storey() -> None:
    low = Mini("27", height=20, com=8)
    assert len(atlas(floored(cone(12, bottom=False)), low, pitch=20, levels=True, words_only=True).layers) == 1
    assert (
        len(atlas(floored(cone(12, bottom=False, door=True)), low, pitch=20, levels=True, words_only=True).layers) == 2
    )


PLATE, DECK = joined(box((-60, -60, 0), (60, 60, 3)), name="plate"), joined(box((-60, -60, 60), (60, 60, 63)))
LOW = Mini("27", height=20, com=8)


def halves(of: Solid) -> list[Solid]:
    """A hill cut in two from its peak down."""
    cut = np.array_split(of.faces, 2)
    used = [np.unique(faces, return_inverse=True) for faces in cut]
    return [Solid.of(of.vertices[u], named.reshape(-1, 3), name="hill") for u, named in used]


ON_PLATE = {
    "on it": [cone(12, bottom=False, up=3.0)],
    "sunk": [cone(12, bottom=False, up=2.5)],
    "a hair over it": [cone(12, bottom=False, up=3.02)],
    "uneven": [cone(12, bottom=False, up=2.0, foot=(0.0, 1.7, 0.4, 0.9, 1.2))],
    "rough": [cone(12, bottom=False, up=2.0, foot=(0.0, 1.7, 9.4, 5.9, 1.2))],
    "drawn on both sides": [
        joined(
            with_backs((cone(12, bottom=False, up=3.0).vertices, cone(12, bottom=False).faces), *range(12)), name="hill"
        )
    ],
    "two halves": halves(cone(12, bottom=False, up=3.0)),
}


@pytest.mark.parametrize("hill", ON_PLATE.values(), ids=ON_PLATE)
def test_a_hill_without_a_bottom_has_an_inside_whatever_it_stands_on(hill: list[Solid]) -> None:
    table = floored(PLATE, *hill)
    for at in ((0.0, 0.0), (3.1, -4.7)):
        told = stand(table, LOW, at=at, level=8.0, physics="never")
        assert (told.answer, told.why) == ("blocked", "it would stand inside hill.")
    assert len(atlas(table, LOW, pitch=20, levels=True, words_only=True).layers) == 1


def holed(axis: int, u: float, v: float, wide: float) -> Solid:
    """The block without a square of the side that looks along an axis, in the middle between u and v."""
    points, faces = BLOCK
    a, b = (axis + 1) % 3, (axis + 2) % 3
    high, rings = points[:, axis].max(), np.zeros((8, 3))
    rings[:, axis] = high
    rings[:4, a], rings[:4, b] = points[:, a].max(), points[:, b].max()
    rings[[0, 3], a], rings[[0, 1], b] = points[:, a].min(), points[:, b].min()
    rings[4:, a], rings[4:, b] = u + wide / 2 * np.array([-1, 1, 1, -1]), v + wide / 2 * np.array([-1, -1, 1, 1])
    kept = faces[(points[faces][:, :, axis] < high).any(axis=1)]
    frame = [(k, (k + 1) % 4, 4 + (k + 1) % 4) for k in range(4)] + [(k, 4 + (k + 1) % 4, 4 + k) for k in range(4)]
    corners, numbers = np.unique(np.concatenate([points[kept], rings[np.array(frame)]]).reshape(-1, 3), axis=0,
                                 return_inverse=True)  # fmt: skip
    return Solid.of(corners, numbers.reshape(-1, 3))


@pytest.mark.parametrize(("axis", "u", "v"), [(0, 3.0, 40.0), (0, -20.0, 80.0), (2, 30.0, -25.0)])
def test_a_hole_through_which_nobody_gets_lets_nobody_in(axis: int, u: float, v: float) -> None:
    for wide, word in ((12.0, "blocked"), (15.0, "blocked"), (30.0, "stable")):
        table = floored(holed(axis, u, v, wide))
        assert not table.pieces[0].solid.closed
        assert stand(table, FIGURE, at=(0, 0), level=2.0, physics="never").answer == word
        seen = atlas(table, FIGURE, pitch=8.0, area=(-8, -8, 8, 8), levels=True, audit=0)
        below = {str(layer.answers[1, 1]) for layer in seen.layers if layer.level}
        assert below == ({"stable"} if word == "stable" else set())


@compiled
def word_at(
    spans: Any, room: Any, index: Any, closed: Any, model: Any, place: Any, trodden: Any, x: float, y: float, out: Any
) -> int:
    """The word of one cell, lent what it is asked with, as a sweep lends it: else all loops would be compiled again."""
    lending = lent(spans), lent(room), lent(index), closed, lent(model), lent(place), lent(trodden)
    return verdict(*lending, x, y, out)[0]


@pytest.mark.parametrize("turn", [0.0, 50.0])
@pytest.mark.parametrize("base", ["27", "60x35", "hex40"])
@pytest.mark.parametrize("wide", [0.5, 6.0, 15.0])
def test_right_under_a_hole_in_a_lid_a_base_is_inside_all_the_same(wide: float, base: str, turn: float) -> None:
    # a ray from its middle finds no lid; from most points of a base it does
    table, mini = floored(holed(2, 0.0, 0.0, wide)), Mini(base, height=40, com=10)
    for x in (0.0, 0.2, 1.0, 4.0):
        told = stand(table, mini, at=(x, 0.1), turn=turn, level=50.0, physics="never")
        assert (told.answer, told.why) == ("blocked", "it would stand inside piece.")
    exact_deg, room = 5.01, sweep._Terrain(table, None)
    place = sweep._place(table, mini.base, turn, 50.0, 1.25, exact_deg, room.posts(50.0))
    out, spans, model = np.empty(8), room.spans(50.0), sweep._model(mini)
    word = word_at(spans, room.spans(None), room.index(50.0), room.closed, model, place, untrodden(), 0.2, 0.1, out)
    assert word == BLOCKED


@pytest.mark.parametrize("x", [0.0, 0.3, 2.0, 9.0])
def test_under_what_hangs_with_a_hole_in_its_bottom_there_is_room(x: float) -> None:
    # a ray through that hole meets the lid alone: it told of an inside
    solid = holed(2, 0.0, 0.0, 3.0)
    table = floored(solid.moved(Pose.turned((1, 0, 0), 180.0)).moved(Pose.at(0, 0, 160)))
    assert stand(table, FIGURE, at=(x, 0.2), level=55.0, physics="never").answer == "stable"


def test_one_half_of_a_hill_and_one_with_a_door_are_open_on_a_plate() -> None:
    for open_one in (halves(cone(12, bottom=False, up=3.0))[0], cone(12, bottom=False, door=True, up=3.0)):
        told = stand(floored(PLATE, open_one), LOW, at=(0.0, 16.0), level=8.0, physics="never")
        assert told.answer == "stable"


@pytest.mark.parametrize("two", [False, True])
def test_under_a_deck_with_a_hill_on_it_there_is_room_and_in_that_hill_there_is_none(two: bool) -> None:
    hill = cone(12, bottom=False, up=63.0)
    table = floored(DECK, *(halves(hill) if two else [hill]))
    made = atlas(table, LOW, pitch=5, levels=True, area=(-70, -70, 70, 70), words_only=two)
    assert len(made.layers) == 2
    for x, y in ((0.0, 0.0), (20.0, -15.0), (-65.0, 5.0)):
        told = stand(table, LOW, at=(x, y), level=made.levels[1], physics="never")
        assert told.answer == made.at(x, y, layer=1).answer == "stable"
    assert stand(table, LOW, at=(0, 0), level=68.0, physics="never").answer == "blocked"


def test_whoever_stands_under_a_roof_without_a_bottom_may_look_into_it() -> None:
    for tall in (20.0, 45.0):
        told = stand(floored(cone(12, bottom=False, up=40.0)), Mini("27", height=tall, com=8), at=(0, 0), level=30.0)
        assert told.answer == "stable"


def tower(*, bottom: bool, floor: bool = True) -> Solid:
    """A round tower under a cone; the floor between the two is drawn once, or not at all."""
    roof, many = cone(12, up=60.0), 12
    foot = roof.vertices[:many] * [1.0, 1.0, 0.0]
    i, j, first = np.arange(many), (np.arange(many) + 1) % many, len(roof.vertices)
    walls = np.vstack([np.column_stack([first + i, first + j, j]), np.column_stack([first + i, j, i])])
    under = np.column_stack([first + j, first + i, np.full(many, first + many)])
    points = np.vstack([roof.vertices, foot, [[0.0, 0.0, 0.0]]])
    faces = np.vstack([roof.faces if floor else roof.faces[:many], walls, *([under] if bottom else [])])
    used, named = np.unique(faces, return_inverse=True)
    return Solid.of(points[used], named.reshape(-1, 3), name="tower")


def rooms(xs: list[float], ys: list[float], zs: list[float]) -> Solid:
    """A block cut into rooms by walls that are drawn once: all of its sheets."""
    sheets = []
    for turn, (u, v, w) in enumerate([(xs, ys, zs), (ys, zs, xs), (zs, xs, ys)]):
        for a, b in pairwise(u):
            for c, d in pairwise(v):
                for k, at in enumerate(w):
                    four = np.array([(a, c, at), (b, c, at), (b, d, at), (a, d, at)])
                    sheets.append(
                        (
                            np.roll(four, turn, axis=1),
                            np.array([[0, 2, 1], [0, 3, 2]] if k == 0 else [[0, 1, 2], [0, 2, 3]]),
                        )
                    )
    return joined(*sheets, name="rooms")


WALLED = {
    "a tower": tower(bottom=True),
    "without a bottom": tower(bottom=False),
    "without a floor": tower(bottom=True, floor=False),
    "two rooms": rooms([-120.0, 30.0, 120.0], [-60.0, 60.0], [0.0, 150.0]),
    "walls that cross": rooms([-120.0, 30.0, 120.0], [-60.0, 60.0], [0.0, 70.0, 150.0]),
}


@pytest.mark.parametrize("solid", WALLED.values(), ids=WALLED)
def test_walls_within_what_is_closed_open_it_for_nobody(solid: Solid) -> None:
    for at in ((3.1, -4.7), (-20.0, 15.0)):
        for level in (30.0, 55.0):
            told = stand(floored(solid), LOW, at=at, level=level, physics="never")
            assert (told.answer, told.why) == ("blocked", f"it would stand inside {solid.name}.")
    assert len(atlas(floored(solid), LOW, pitch=20, levels=True, words_only=True).layers) == 1


@pytest.mark.parametrize("foot", [1, 2])
def test_a_flag_on_a_block_lets_nobody_into_it(foot: int) -> None:
    points, faces = box((-60, -60, 0), (60, 60, 90))
    edge = np.flatnonzero((points[:, 2] == 90) & (points[:, 0] == -60))[:foot]  # it stands on a corner, or on an edge
    cloth = [(-60.0, 0.0, 130.0), (-80.0, 0.0, 130.0)][: 3 - foot]
    flag = np.array([[*edge, *range(len(points), len(points) + len(cloth))]])
    block = Solid.of(np.vstack([points, cloth]), np.vstack([faces, flag]), name="block")
    told = stand(floored(block), LOW, at=(3.1, -4.7), level=30.0, physics="never")
    assert (told.answer, told.why) == ("blocked", "it would stand inside block.")


def test_a_brim_round_a_tower_lets_nobody_into_it() -> None:
    whole = tower(bottom=True, floor=False)
    eaves = np.flatnonzero(np.isclose(whole.vertices[:, 2], 60.0))
    eaves = eaves[np.argsort(np.arctan2(whole.vertices[eaves, 1], whole.vertices[eaves, 0]))]
    inner, outer = np.column_stack([eaves, np.roll(eaves, -1)]), len(whole.vertices) + np.arange(len(eaves))
    brim = np.vstack([np.column_stack([inner, outer]), np.column_stack([outer, np.roll(outer, -1), inner[:, 1]])])
    points = np.vstack([whole.vertices, whole.vertices[eaves] * [1.6, 1.6, 1.0]])
    table = floored(Solid.of(points, np.vstack([whole.faces, brim]), name="tower"))
    for at, word in (((3.1, -4.7), "blocked"), ((59.0, 0.0), "stable")):
        assert stand(table, LOW, at=at, level=40.0, physics="never").answer == word


@pytest.mark.parametrize("open_up", [50.0, 100.0])
def test_a_floor_drawn_once_takes_no_room_where_a_side_is_open(open_up: float) -> None:
    house = rooms([-60.0, 60.0], [-60.0, 60.0], [0.0, 50.0, 100.0])
    corners = house.vertices[house.faces]
    side = (corners[:, :, 0] == -60.0).all(axis=1) & (corners[:, :, 2] <= open_up).all(axis=1)
    bare = Solid.of(house.vertices, house.faces[~side], name="house")
    for level, high in ((40.0, 0.0), (90.0, 50.0)):
        told = stand(floored(bare), LOW, at=(3.1, -4.7), level=level, physics="never")
        if high < open_up:
            assert told.answer == "stable"
            assert told.pose is not None
            assert told.pose.place[2] == pytest.approx(high, abs=1e-6)
