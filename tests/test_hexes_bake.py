"""The bake (HX13): what terrain becomes on hexes, as the plan's acceptance tests say; turns, shifts, files, levels."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sim3d.finding import Refused
from sim3d.ground import ground_of
from sim3d.mini import Base, Mini
from sim3d.report.moving import outcome_data
from sim3d.rules.hexes import SEED, Board, Hex, Layout, Move, Unit, Wall, disc, play, rectangle, ring
from sim3d.rules.hexes import bake as baking
from sim3d.rules.hexes.bake import HexField, Spot, bake, board_of, digest_of
from sim3d.rules.hexes.board import closed
from sim3d.rules.hexes.grid import mirrored, turned
from sim3d.rules.hexes.samples import skin_of
from sim3d.rules.hexes.saved import field_text, read_field
from sim3d.scenario import read_scenario
from sim3d.solid import Solid, read_solid
from sim3d.solid.boolean import box, difference
from sim3d.solid.volume import outward
from sim3d.space import Pose
from sim3d.stand import Stand, stand
from sim3d.table import Piece, Placed, Table
from tests.codes import fires, silent

ROOT = Path(__file__).parent.parent
MINI = Mini(Base.hexagon(70), height=40, com=15)
SMALL = Layout(50.0)
STEEP = SEED.numbers.wall_deg
HERE = Pose()


def fresh(table: Table, hexes: tuple[Hex, ...] = disc(Hex(0, 0), 2), layout: Layout = SMALL) -> HexField:
    """Baked anew, nothing remembered."""
    baking._RECENT.clear()
    return bake(table, layout, hexes, MINI, steep_deg=STEEP)


def board(table: Table, **more: object) -> Board:
    return board_of(fresh(table, **more), SEED)


def words(on: Board) -> set[tuple[str, ...]]:
    return {cell.keywords for cell in on.hexes.values()}


@cache
def mesh(name: str, folder: str = "gallery") -> Solid:
    return read_solid(ROOT / "meshes" / folder / name)


def block(x: float, y: float, z: float, *, name: str = "block", at: tuple[float, float] = (0.0, 0.0)) -> Piece:
    """A box of this size about a place, on the floor."""
    vertices, faces = box((-x / 2, -y / 2, 0), (x / 2, y / 2, z))
    return Piece(name, Solid.of(vertices, faces), Pose.at(*at))


def ramp(degrees: float) -> Piece:
    """A slope up along +x over the whole board: z = (x + 500) tan, 500 mm either side."""
    high = 1000 * math.tan(math.radians(degrees))
    points = np.array([[-500, -500, 0], [500, -500, 0], [500, -500, high]], dtype=float)
    vertices = np.vstack([points, points + np.array([0, 1000, 0])])
    faces = np.array([[0, 1, 2], [3, 5, 4], [0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [0, 2, 5], [0, 5, 3]])
    return Piece("ramp", Solid.of(vertices, faces))


# --- the plan's acceptance tests --------------------------------------------------------------------------------------


def test_flat_board() -> None:
    field = fresh(Table())
    assert {s.answer for s in field.spots.values()} == {"stable"}
    assert field.walls == {}
    assert words(board_of(field, SEED)) == {()}
    assert {s.cover for s in field.spots.values()} == {1.0}


def test_a_slope_of_20_degrees_stands_and_is_difficult_without_walls() -> None:
    field = fresh(Table(pieces=(ramp(20),), floor_mm=None))
    for spot in field.spots.values():
        assert (spot.answer, spot.slope_deg) == ("stable", pytest.approx(20, abs=1e-6))
    assert field.walls == {}
    on = board_of(field, SEED)
    assert all(cell.is_("difficult") and not cell.is_("impassable") for cell in on.hexes.values())


@pytest.mark.parametrize("degrees", [44.9, 45.1])
def test_walls_begin_at_45_degrees(degrees: float) -> None:
    field = fresh(Table(pieces=(ramp(degrees),), floor_mm=None), disc(Hex(0, 0), 1))
    assert bool(field.walls) == (degrees > 45)
    if degrees > 45:  # the whole way up is one wall: from centre to centre, sqrt(3) times 50 mm
        rise = math.sqrt(3) * 50 * math.tan(math.radians(degrees))
        assert field.walls[Hex(0, 0), Hex(1, 0)] == (pytest.approx(rise, abs=1e-3), 0.0)
        assert field.walls[Hex(1, 0), Hex(0, 0)] == (0.0, pytest.approx(rise, abs=1e-3))


def test_a_slope_of_50_degrees_does_not_stand_and_is_a_wall() -> None:
    field = fresh(Table(pieces=(ramp(50),), floor_mm=None))
    assert all(not spot.standable for spot in field.spots.values())
    on = board_of(field, SEED)
    assert closed(on, Hex(0, 0), Hex(1, 0), SEED) == pytest.approx(math.sqrt(3) * 50 * math.tan(math.radians(50)))
    assert closed(on, Hex(1, 0), Hex(0, 0), SEED) is not None


def plateau() -> Table:
    """A plateau 30 high whose edge runs along x = -60: it carries the hexes around (0, 0), and cuts through others."""
    return Table(pieces=(block(520, 1000, 30, at=(200, 0)),))


def test_a_plateau_and_its_lip() -> None:
    field = fresh(plateau())
    on = board_of(field, SEED)
    for at, cell in on.hexes.items():
        x = SMALL.centre(at)[0]
        if x > -60 + 36:  # wholly on top: the base reaches 35 mm towards the edge
            assert (cell.standable, cell.height_mm) == (True, 30.0), at
            assert cell.keywords == ("elevated", "obstructing", "no charge in")
        elif x < -60 - 36:  # wholly below
            assert (cell.standable, cell.keywords) == (True, ()), at
    # rows of odd r have a middle 43.3 mm left of (0, 0): over the edge's hex, and 16.7 mm inside the edge
    lip = Hex(-1, 1)
    assert SMALL.centre(lip)[0] == pytest.approx(-43.3, abs=0.1)
    assert on.hexes[lip].standable  # its centre of mass is on top
    assert field.spots[lip].range_mm == 30.0
    # the edge is closed both ways: 30 mm up, and 30 mm down
    low, high = Hex(-1, 0), Hex(0, 0)
    assert (on.wall(low, high), on.wall(high, low)) == ((30.0, 0.0), (0.0, 30.0))
    for a, b in ((low, high), (high, low)):
        assert closed(on, a, b, SEED) == 30.0
    assert closed(on, Hex(0, 0), Hex(1, 0), SEED) is None


def test_a_lip_with_its_middle_off_the_edge_does_not_stand() -> None:
    high = Table(pieces=(block(520, 1000, 50, at=(225, 0)),))  # its edge at x = -35, too high to lean on
    field = fresh(high)
    lip = Hex(-1, 1)  # its middle 8.3 mm outside the edge
    assert field.spots[lip].height_mm == 0.0
    assert not field.spots[lip].standable
    moved = play(Move("Mara", path=(lip,)), board_of(field, SEED, (Unit("Mara", "red", Hex(-2, 1)),)), SEED)
    assert fires("HEX_END_UNSTANDABLE", moved.findings)
    assert moved.rules == ("HX13",)


def test_a_hole_is_impassable_and_never_a_silent_0() -> None:
    vertices, faces = difference(box((-300, -300, -5), (300, 300, 0)), box((-60, -60, -10), (60, 60, 5)))
    field = fresh(Table(pieces=(Piece("plate", Solid.of(vertices, faces)),), floor_mm=None))
    hole = field.spots[Hex(0, 0)]
    assert (hole.answer, hole.height_mm, hole.cover) == ("falls", None, 0.0)
    on = board_of(field, SEED)
    assert on.hexes[Hex(0, 0)].keywords == ("impassable",)
    assert on.hexes[Hex(0, 0)].height_mm is None
    moved = play(Move("Mara", path=(Hex(0, 0),)), board_of(field, SEED, (Unit("Mara", "red", Hex(-2, 0)),)), SEED)
    assert fires("HEX_NOT_ADJACENT", moved.findings)
    step = play(Move("Mara", path=(Hex(0, 0),)), board_of(field, SEED, (Unit("Mara", "red", Hex(-1, 0)),)), SEED)
    assert fires("HEX_IMPASSABLE", step.findings)
    nothing = fresh(Table(floor_mm=None), disc(Hex(0, 0), 1))
    assert {s.height_mm for s in nothing.spots.values()} == {None}


def test_a_narrow_crack_is_stepped_over_and_a_wide_one_is_not() -> None:
    for width, open_way in ((30.0, True), (40.0, False)):  # half of the base, 35 mm, is the most
        plate = box((-300, -300, -5), (300, 300, 0))
        crack = box((43.3 - width / 2, -400, -10), (43.3 + width / 2, 400, 5))
        table = Table(pieces=(Piece("plate", Solid.of(*difference(plate, crack))),), floor_mm=None)
        on = board(table, hexes=disc(Hex(0, 0), 1))
        assert (closed(on, Hex(0, 0), Hex(1, 0), SEED) is None) == open_way


# --- how a mesh is wound decides nothing ------------------------------------------------------------------------------


def arch(*turned: str, bottomless: bool = False) -> Table:
    """Two piers of 50 mm under a deck of 10 mm; the parts named here are turned inside out."""
    parts = {
        "left": box((-120, -40, 0), (-60, 40, 50)),
        "right": box((60, -40, 0), (120, 40, 50)),
        "deck": box((-120, -40, 50.0), (120, 40, 60)),
    }
    return Table((Piece("arch", wound(parts, turned, bottomless)),), size_mm=(600.0, 600.0))


def wound(parts: dict[str, tuple[np.ndarray, np.ndarray]], turned: tuple[str, ...], bottomless: bool = False) -> Solid:
    """Parts in one solid, the ones named here turned inside out, and what lies on the floor left out."""
    corners, triangles, before = [], [], 0
    for name, (vertices, faces) in parts.items():
        corners.append(vertices)
        triangles.append((faces[:, ::-1] if name in turned else faces) + before)
        before += len(vertices)
    vertices, faces = np.vstack(corners), np.vstack(triangles)
    if bottomless:
        faces = faces[(vertices[faces][:, :, 2] > 0).any(axis=1)]
    return Solid.of(vertices, faces)


def measured(table: Table) -> tuple[dict[Hex, Spot], dict[tuple[Hex, Hex], Wall], float]:
    field = fresh(table)
    return dict(field.spots), dict(field.walls), field.base_mm


ALL = ("left", "right", "deck")


@pytest.mark.parametrize("turned", [ALL, ("deck",), ("left",), ("left", "right")])
@pytest.mark.parametrize("bottomless", [False, True])
def test_terrain_turned_inside_out_is_baked_as_it_would_be_the_right_way_round(
    turned: tuple[str, ...], bottomless: bool
) -> None:
    plain = measured(arch(bottomless=bottomless))
    assert fresh(arch(bottomless=bottomless)).spots[Hex(0, 0)].height_mm == 60.0
    assert plain[1]
    assert measured(arch(*turned, bottomless=bottomless)) == plain


@pytest.mark.parametrize("turned", [("block", "vault", "hollow"), ("vault", "hollow"), ("block",)])
def test_a_hollow_in_what_is_turned_inside_out_stays_one(turned: tuple[str, ...]) -> None:
    """A vault with a room of its own inside, and a larger block beside it."""
    vertices, faces = box((-60, -60, 10), (60, 60, 70))
    parts = {
        "block": box((150, -200, 0), (300, 200, 80)),
        "vault": box((-70, -70, 0), (70, 70, 80)),
        "hollow": (vertices, faces[:, ::-1]),
    }

    def terrain(solid: Solid) -> tuple[object, ...]:
        spots, *others = measured(Table((Piece("vault", solid),)))
        return {at: replace(spot, answer="") for at, spot in spots.items()}, *others

    spots, _, _ = measured(Table((Piece("vault", wound(parts, ())),)))
    assert [spot.height_mm for at, spot in spots.items() if at[:2] == (0, 0)] == [80.0, 10.0]
    solid = wound(parts, turned)
    assert terrain(solid) == terrain(wound(parts, ()))
    turn, _ = outward(solid.vertices, solid.faces, solid.edges)
    assert turn.tolist() == [-1 if part in turned else 1 for part in parts for _ in range(12)]


@pytest.mark.parametrize("faces", [[(0, 1, 2), (0, 2, 3)], [(0, 2, 1), (0, 3, 2)], [(0, 1, 2), (0, 3, 2)]])
def test_an_open_sheet_is_ground_whichever_way_it_looks(faces: list[tuple[int, int, int]]) -> None:
    sheet = Solid.of([(-100, -100, 20), (100, -100, 20), (100, 100, 20), (-100, 100, 20)], faces)
    field = fresh(Table((Piece("sheet", sheet),)), (Hex(0, 0),))
    assert {at: (spot.height_mm, spot.rough_mm, spot.answer) for at, spot in field.spots.items()} == {
        Hex(0, 0): (20.0, 0.0, "stable")
    }


def test_triangles_that_do_not_agree_are_still_floors_and_ceilings() -> None:
    vertices, faces = box((-90, -90, 50), (90, 90, 60))
    for k in range(len(faces)):
        mixed = faces.copy()
        mixed[k] = mixed[k][::-1]
        assert measured(Table((Piece("deck", Solid.of(vertices, mixed)),))) == measured(gallows())


# --- what is thinner than the points are apart ------------------------------------------------------------------------


def fence(thick: float, at: float, *, high: float = 60.0, turn: float = 0.0) -> Table:
    """A fence right across, from this x on, the whole turned about the origin."""
    vertices, faces = box((at, -300, 0), (at + thick, 300, high))
    return Table((Piece("fence", Solid.of(vertices, faces), Pose.at(0, 0, turn=turn)),))


@pytest.mark.parametrize("thick", [0.2, 2.0, 3.1])
@pytest.mark.parametrize("at", [41.4, 42.1, 43.35, 44.5, 45.9])
def test_no_fence_is_too_thin(thick: float, at: float) -> None:
    baked = fresh(fence(thick, at), disc(Hex(0, 0), 1))
    assert baked.walls[Hex(0, 0), Hex(1, 0)] == baked.walls[Hex(1, 0), Hex(0, 0)] == (60.0, 60.0)
    turned_by_60 = fresh(fence(thick, at, turn=60.0), disc(Hex(0, 0), 1))
    assert turned_by_60.walls[Hex(0, 0), Hex(1, -1)] == (60.0, 60.0)
    assert (Hex(0, 0), Hex(1, 0)) not in fresh(fence(thick, at, high=0.0005), disc(Hex(0, 0), 1)).walls


def test_no_fence_is_too_thin_beside_the_way_to_a_lane() -> None:
    """(0, 1) has its middle 43.30 mm east of that of (0, 0), west of a fence that every lane to (1, 0) crosses."""
    baked = fresh(fence(3.1, 43.35), disc(Hex(0, 0), 1))
    assert baked.walls[Hex(0, 1), Hex(1, 0)] == (60.0, 60.0)


@pytest.mark.parametrize(("foot", "closed_way"), [(0.9, True), (1.6, True), (14.0, False)])
def test_a_ridge_between_two_points_counts_as_steep_as_it_is(foot: float, closed_way: bool) -> None:
    """12 mm high over a foot of twice this: 85, 82 and 41 degrees."""
    middle = 43.3 + 1.08
    points = [(middle - foot, 0.0), (middle, 12.0), (middle + foot, 0.0)]
    vertices = [(x, y, z) for y in (-300.0, 300.0) for x, z in points]
    faces = [(0, 2, 1), (3, 4, 5), (0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4), (0, 3, 5), (0, 5, 2)]
    turned_out = [f[::-1] for f in faces]
    baked = fresh(Table((Piece("ridge", Solid.of(vertices, turned_out)),)), disc(Hex(0, 0), 1))
    wall = baked.walls.get((Hex(0, 0), Hex(1, 0)), (0.0, 0.0))
    assert wall == (pytest.approx(12.0, abs=0.01), pytest.approx(12.0, abs=0.01)) if closed_way else wall == (0.0, 0.0)


def test_ledges_between_two_points_part_no_cliff() -> None:
    """A cliff of 40 mm in steps of 0.5, each with a tread of 0.05: one does not walk up 85 degrees."""
    treads = [block(200, 600, 0.5 * (k + 1), name=f"{k}", at=(143.0 + 0.05 * k, 0)) for k in range(80)]
    baked = fresh(Table(tuple(treads)), disc(Hex(0, 0), 1))
    assert baked.walls[Hex(0, 0), Hex(1, 0)].up_mm == 40.0


def test_a_groove_before_a_wall_makes_no_crack_of_it() -> None:
    """A parapet of 16.4 on a deck, and a groove of 0.2 about as far from it as it is high."""
    deck = [block(300, 600, 60, name="a", at=(-150 + 12.0, 0)), block(0.8, 600, 59.8, name="g", at=(12.4, 0))]
    deck += [block(300, 600, 60, name="b", at=(162.8, 0)), block(8, 600, 76.4, name="parapet", at=(33.3, 0))]
    for at in (12.7, 13.0, 13.3):  # the parapet's side 16.2 to 16.8 mm from the groove's
        moved = (*deck[:3], replace(deck[3], pose=Pose.at(at + 20.5, 0)))
        on = fresh(Table(moved), disc(Hex(0, 0), 1))
        assert on.walls[Hex(0, 0), Hex(1, 0)] == (16.4, 16.4)
        assert on.walls[Hex(1, 0), Hex(0, 0)] == (16.4, 16.4)


# --- what bakes have in common ----------------------------------------------------------------------------------------


def answers(field: HexField) -> dict[Hex, tuple[object, ...]]:
    on = board_of(field, SEED)
    return {
        at: (spot.answer, on.hexes[at].keywords, round(spot.slope_deg, 3), round(spot.cover, 9))
        for at, spot in field.spots.items()
    }


def varied(pose: Pose = HERE) -> Table:
    """A table with a slope, a step, a bridge to pass under, rubble, off every axis."""
    pieces = [
        Piece("ramp", mesh("ramp-30.stl"), pose @ Pose.at(121.3, 14.7, turn=17)),
        Piece("step", mesh("step-15.stl"), pose @ Pose.at(-93.1, 61.9, turn=31)),
        Piece("bridge", mesh("bridge.stl"), pose @ Pose.at(3.3, -7.1, turn=9), classes={"hexes": "building"}),
        Piece("walls", mesh("broken-walls.stl", "pack"), pose @ Pose.at(-80.0, -120.0, turn=63), material="resin"),
    ]
    return Table(pieces=tuple(pieces))


def tile(q: int, r: int, high: float, seam: float) -> Piece:
    """A hex of terrain, smaller than its place by half a seam all round."""
    x, y = SMALL.centre(Hex(q, r))
    far = SMALL.size_mm - seam / math.sqrt(3)
    ring_of = [(x + far * math.sin(math.radians(60 * k)), y + far * math.cos(math.radians(60 * k))) for k in range(6)]
    corners = [(a, b, z) for z in (0.0, high) for a, b in ring_of]
    faces = [(0, k, k + 1) for k in range(1, 5)] + [(6, 7 + k, 6 + k) for k in range(1, 5)]
    for k in range(6):
        m = (k + 1) % 6
        faces += [(k, 6 + k, 6 + m), (k, 6 + m, m)]
    return Piece(f"tile {q} {r}", Solid.of(corners, faces))


@pytest.mark.parametrize("seam", [0.0, 0.02, 0.3, 1.7])
@pytest.mark.parametrize("floor_mm", [0.0, None])
def test_a_seam_between_tiles_is_no_wall_and_makes_nothing_difficult(seam: float, floor_mm: float | None) -> None:
    hexes = disc(Hex(0, 0), 1)
    on = board(Table(tuple(tile(h.q, h.r, 20.0, seam) for h in hexes), floor_mm=floor_mm), hexes=hexes)
    assert words(on) == {()}
    assert not on.walls
    moved = play(Move("m", path=(Hex(1, 0),)), replace(on, units=(Unit("m", "red", Hex(0, 0), 0),)), SEED)
    assert moved.legal


def test_a_trench_as_deep_as_a_wall_is_high_is_one_where_no_base_spans_it() -> None:
    near, far = block(100, 600, 20, at=(-50, 0)), block(300, 600, 20, name="far", at=(50 + 43.3 + 150, 0))
    hexes = disc(Hex(0, 0), 1)
    wide = fresh(Table((replace(near, pose=Pose.at(-70, 0)), far)), hexes)
    assert wide.walls  # 80 mm and more from edge to edge
    spans = fresh(
        Table((block(300, 600, 20, at=(-150 + 30, 0)), block(300, 600, 20, name="far", at=(150 + 50, 0)))), hexes
    )
    assert (Hex(0, 0), Hex(1, 0)) not in spans.walls  # 20 mm


@pytest.mark.parametrize("high", [10.0, 10.1, 25.0, 60.0])
def test_a_wall_on_a_hexside_makes_the_hex_below_it_no_rougher(high: float) -> None:
    side = SMALL.size_mm * math.sqrt(3) / 2
    baked = fresh(Table((block(300, 600, high, at=(side + 150, 0)),)))
    low, up = baked.spots[Hex(0, 0)], baked.spots[Hex(1, 0)]
    assert (low.rough_mm, low.slope_deg, up.rough_mm, up.slope_deg) == (0.0, 0.0, 0.0, 0.0)
    assert baked.walls[Hex(0, 0), Hex(1, 0)].up_mm == high
    assert baked.walls[Hex(1, 0), Hex(0, 0)].down_mm == high
    assert board_of(baked, SEED).hexes[Hex(0, 0)].keywords == ()


def test_turning_mesh_and_layout_together_by_60_degrees_changes_nothing_but_order() -> None:
    here = fresh(varied())
    for k in (1, 2, 3):
        there = fresh(varied(Pose.at(0, 0, turn=60.0 * k)))  # the same layout, whose hexes change places
        assert answers(there) == {turned(at, k): told for at, told in answers(here).items()}
        walls = {(turned(a, k), turned(b, k)): wall for (a, b), wall in here.walls.items()}
        assert set(there.walls) == set(walls)
        for pair, wall in walls.items():
            assert there.walls[pair] == pytest.approx(wall, abs=0.02)
        laid = fresh(varied(Pose.at(0, 0, turn=60.0 * k)), layout=Layout(50.0, turn_deg=60.0 * k))
        assert answers(laid) == answers(here)


def test_shifting_mesh_and_layout_together_changes_nothing() -> None:
    here = answers(fresh(varied()))
    there = fresh(varied(Pose.at(317.0, -41.3)), layout=Layout(50.0, origin=(317.0, -41.3)))
    assert answers(there) == here


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("top", [59.9996, 60, 60.0004])  # less than what is told apart decides nothing
def test_of_two_drops_as_deep_in_one_step_of_a_lane_both_are_told(way: int, top: float) -> None:
    """A groove, 17.4 to 19.0, is stepped over; behind a ridge of 0.1 mm the ground stays 0.5 mm lower: a drop alone.

    One of the two drops was told, by the last digit or the end that the lane was walked from: then it also rose 0.5.
    """
    low = block(400, 400, 59.5, name="low")
    high = block(217.4, 400, 60, at=(way * -91.3, 0), name="high")  # from -200 to 17.4
    ridge = block(0.1, 400, top, at=(way * 19.05, 0), name="ridge")
    field = fresh(Table(pieces=(low, high, ridge)), disc(Hex(0, 0), 1))
    assert field.walls[Hex(0, 0), Hex(way, 0)] == (pytest.approx(0, abs=1e-3), pytest.approx(0.5, abs=1e-3))
    assert field.walls[Hex(way, 0), Hex(0, 0)] == (pytest.approx(0.5, abs=1e-3), pytest.approx(0, abs=1e-3))


def test_which_faces_are_too_steep_to_have_a_height_does_not_hang_on_the_turn() -> None:
    """The sides of a bar, 80 mm long, lean by 6e-5 mm: its length was taken along the axes, 57 mm at 45 degrees."""
    vertices, faces = box((-40, -1, 0), (40, 1, 50))
    vertices = vertices + np.outer(vertices[:, 2] / 50, [0, 6e-5, 0])
    bar = Table(pieces=(Piece("bar", Solid.of(vertices, faces)),))
    for degrees in (0, 20, 45, 70, 90, 135):
        turned_so = replace(bar, pieces=(replace(bar.pieces[0], pose=Pose.at(0, 0, turn=degrees)),))
        assert skin_of(turned_so, ground_of(turned_so)).level.sum() == 8, degrees  # top, bottom, and both sides


def test_a_brace_whose_ends_are_nearly_upright_is_as_solid_however_the_table_is_turned() -> None:
    """One of both triangles of its end was left out, the floor below had a hole there, and a wall of 77 mm was 119."""
    hexes, turn, th = (Hex(1, -2), Hex(1, -1)), 71.0170717534784, -126.16802723284215
    place = np.array([16.005004730368945, 1.6862491681538287])
    solid, mini = mesh("watch-tower.stl", "pack"), Mini(Base.hexagon(40), height=20, com=12)
    low, high = solid.vertices.min(axis=0), solid.vertices.max(axis=0)
    middle = (*np.round((low[:2] + high[:2]) / 2, 1), low[2])
    a = math.radians(th)
    spin = np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]])
    tables = [
        (solid.vertices - middle, turn, place),
        ((solid.vertices - middle) @ spin.T, turn + th, spin[:2, :2] @ place),
    ]
    here, there = (
        bake(
            Table((Piece("tower", Solid.of(vertices, solid.faces)),)),
            Layout(30.822500228881836, degrees, tuple(map(float, origin))),
            hexes,
            mini,
            steep_deg=STEEP,
        ).walls
        for vertices, degrees, origin in tables
    )
    assert here.keys() == there.keys()
    assert all(here[pair] == pytest.approx(there[pair], abs=2e-3) for pair in here)


def test_mirroring_changes_nothing_but_order() -> None:
    table = Table(pieces=(block(60, 40, 18, at=(70, 55)), block(30, 90, 12, at=(-60, -40), name="bar")))
    mirror = Table(pieces=(block(60, 40, 18, at=(70, -55)), block(30, 90, 12, at=(-60, 40), name="bar")))
    here, there = fresh(table), fresh(mirror)
    assert answers(there) == {mirrored(at): told for at, told in answers(here).items()}
    assert there.walls == {(mirrored(a), mirrored(b)): wall for (a, b), wall in here.walls.items()}


def test_two_bakes_are_the_same_bytes_and_a_saved_one_reads_back(tmp_path: Path) -> None:
    first, second = field_text(fresh(varied())), field_text(fresh(varied()))
    assert first == second
    path = tmp_path / "field.json"
    path.write_text(first, encoding="utf-8")
    hexes = disc(Hex(0, 0), 2)
    digest = digest_of(varied(), SMALL, hexes, MINI, steep_deg=STEEP)
    back = read_field(path, digest)
    assert back == fresh(varied())
    assert field_text(back) == first


def test_a_field_of_other_terrain_or_a_changed_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "field.json"
    field = fresh(plateau(), disc(Hex(0, 0), 1))
    path.write_text(field_text(field), encoding="utf-8")
    assert silent("HEX_FIELD_UNUSABLE", () if read_field(path, field.digest) == field else (field,))
    other = fresh(Table(), disc(Hex(0, 0), 1))
    with pytest.raises(Refused) as caught:
        read_field(path, other.digest)
    assert fires("HEX_FIELD_UNUSABLE", caught.value)
    path.write_text(field_text(field).replace('"slope_deg": 0.0', '"slope_deg": 1.0', 1), encoding="utf-8")
    with pytest.raises(Refused, match="changed after it was baked"):
        read_field(path, field.digest)


def test_everything_that_matters_changes_the_hash() -> None:
    hexes = disc(Hex(0, 0), 1)
    table = varied()
    seen = {digest_of(table, SMALL, hexes, MINI, steep_deg=STEEP)}
    for other in (
        digest_of(varied(Pose.at(0.001, 0)), SMALL, hexes, MINI, steep_deg=STEEP),
        digest_of(table, Layout(50.0, 1.0), hexes, MINI, steep_deg=STEEP),
        digest_of(table, SMALL, hexes[:-1], MINI, steep_deg=STEEP),
        digest_of(table, SMALL, hexes, Mini(Base.hexagon(70), height=40, com=15.1), steep_deg=STEEP),
        digest_of(table, SMALL, hexes, Mini(Base.hexagon(71), height=40, com=15), steep_deg=STEEP),
        digest_of(table, SMALL, hexes, MINI, steep_deg=44.0),
        digest_of(table, SMALL, hexes, MINI, steep_deg=STEEP, material="pla"),
        digest_of(table, SMALL, hexes, MINI, steep_deg=STEEP, physics="always"),
        digest_of(replace(table, floor_mm=1.0), SMALL, hexes, MINI, steep_deg=STEEP),
        digest_of(replace(table, pieces=table.pieces[:-1]), SMALL, hexes, MINI, steep_deg=STEEP),
        digest_of(
            replace(table, pieces=(replace(table.pieces[0], material="pla"),)), SMALL, hexes, MINI, steep_deg=STEEP
        ),
    ):
        assert other not in seen
        seen.add(other)
    moved = replace(table, minis=(Placed("Oda", MINI, (0.0, 0.0)),))  # minis are no terrain
    assert digest_of(moved, SMALL, hexes, MINI, steep_deg=STEEP, engine="rapier") in seen  # nor is it asked


# --- the same verdict, and not more questions than needed -------------------------------------------------------------


def test_standable_is_what_stand_says_also_where_it_was_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    table = replace(varied(), size_mm=(520.0, 400.0))
    asked = []

    def counting(*args: object, **more: object) -> Stand:
        asked.append(more["at"])
        return stand(*args, **more)

    monkeypatch.setattr(baking, "stand", counting)
    hexes = disc(Hex(0, 0), 3)
    field = fresh(table, hexes)
    spots = {at: s for at, s in field.spots.items() if s.height_mm is not None}
    for at, spot in spots.items():
        plain = stand(table, MINI, at=SMALL.centre(at), level=spot.cut_mm, physics="never")
        assert spot.answer == plain.answer, at
    assert {"stable", "off-table"} < {s.answer for s in spots.values()}
    assert len(asked) < len(spots)  # bare floor is asked once


def test_a_base_that_is_not_the_same_all_round_is_asked_in_every_facing() -> None:
    beam = Table(pieces=(block(400, 24, 30),))  # along x: an oval of 80 by 30 stands along it, and nowhere across
    oval = Mini("ellipse80x30", height=30, com=10)
    baking._RECENT.clear()
    hexes = (Hex(0, 0), *ring(Hex(0, 0), 1))
    field = bake(replace(beam, pieces=beam.pieces), SMALL, hexes, oval, steep_deg=STEEP)
    assert field.spots[Hex(0, 0)].standable
    crossed = replace(beam, pieces=(replace(beam.pieces[0], pose=Pose.at(0, 0, turn=60)),))
    baking._RECENT.clear()
    assert bake(crossed, SMALL, hexes, oval, steep_deg=STEEP).spots[Hex(0, 0)].standable


def test_a_base_larger_than_its_hex_is_refused() -> None:
    with pytest.raises(ValueError, match=r"base hex90 reaches 1\.7 mm out of a hex of 50 mm"):
        bake(Table(), SMALL, (Hex(0, 0),), Mini(Base.hexagon(90)), steep_deg=STEEP)


# --- the plan's cases where physics meets a move, on terrain ----------------------------------------------------------


def icy(at: Hex, *units: Unit, phase: str = "activations") -> Board:
    """Open ground with a mound of smooth ice on one hex: low enough to cross, and nobody stands on it."""
    x, y = SMALL.centre(at)
    around = [(x + 45 * math.cos(math.radians(60 * k)), y + 45 * math.sin(math.radians(60 * k)), 0.0) for k in range(6)]
    faces = [(k, (k + 1) % 6, 6) for k in range(6)] + [(0, k + 1, k) for k in range(1, 5)]
    mound = Piece("mound", Solid.of([*around, (x, y, 14.0)], faces), material="ice")
    field = fresh(Table((mound,), materials={**Table().materials, "ice": 0.1}), disc(Hex(0, 0), 4))
    assert (field.spots[at].answer, dict(field.walls)) == ("slides", {})
    assert [there for there, spot in field.spots.items() if not spot.standable] == [at]
    return board_of(field, SEED, units, first="red", phase=phase)


GUARD = Unit("Guard", "blue", Hex(2, -1), 4)  # its zone holds (1, 0), (2, 0) and (1, -1)
MARA = Unit("Mara", "red", Hex(0, 0))


def test_on_terrain_nobody_ends_where_no_base_stands() -> None:
    lip = Hex(1, 0)
    crossed = play(Move("Mara", path=(lip, Hex(2, 0))), icy(lip, MARA), SEED)  # PH1
    assert (crossed.legal, crossed.end) == (True, Hex(2, 0))
    assert fires("HEX_END_UNSTANDABLE", play(Move("Mara", path=(lip,)), icy(lip, MARA), SEED).findings)  # PH2
    past = play(Move("Mara", path=(lip, Hex(1, 1))), icy(lip, MARA, GUARD), SEED)  # PH3
    assert fires("HEX_PAST_ZONE", past.findings)
    nimble = play(Move("Mara", path=(lip, Hex(1, 1))), icy(lip, replace(MARA, traits=("nimble",)), GUARD), SEED)  # PH4
    assert (nimble.legal, nimble.end, nimble.melee) == (True, Hex(1, 1), False)


def test_on_terrain_nobody_is_pushed_flies_or_shifts_to_where_no_base_stands() -> None:
    lip = Hex(1, 0)
    on = icy(lip, replace(MARA, at=Hex(2, 0)), Unit("Ram", "blue", Hex(3, 0), 3))
    assert fires("HEX_END_UNSTANDABLE", play(Move("Mara", "push", path=(lip,), by="Ram"), on, SEED).findings)  # PH5
    held = play(Move("Mara", "push", by="Ram"), on, SEED)
    assert (held.legal, held.end, held.morale) == (True, Hex(2, 0), -1)
    flyer = icy(Hex(3, 0), replace(MARA, traits=("flying",)))
    assert fires("HEX_END_UNSTANDABLE", play(Move("Mara", to=Hex(3, 0)), flyer, SEED).findings)  # FL6
    assert play(Move("Mara", to=Hex(2, 1)), flyer, SEED).legal
    tired = icy(Hex(-1, 0), replace(MARA, traits=("tireless",), activated=True), phase="push a")
    assert fires(
        "HEX_END_UNSTANDABLE", play(Move("Mara", "gods push", path=(Hex(-1, 0),)), tired, SEED).findings
    )  # TI5
    assert play(Move("Mara", "gods push", path=(Hex(0, 1),)), tired, SEED).legal


# --- levels, tags -----------------------------------------------------------------------------------------------------


def gallows() -> Table:
    """A deck at z = 50 to 60 over hexes (0, 0) and its neighbours' halves, open all round, on a post far away."""
    vertices, faces = box((-90, -90, 50), (90, 90, 60))
    return Table(pieces=(Piece("deck", Solid.of(vertices, faces)),))


def test_what_lies_under_a_deck_is_a_level_of_its_own() -> None:
    field = fresh(gallows())
    top, under = field.spots[Hex(0, 0)], field.spots[Hex(0, 0, 1)]
    assert (top.height_mm, top.cut_mm, top.answer) == (60.0, None, "stable")
    assert (under.height_mm, under.cut_mm, under.answer) == (0.0, 25.0, "stable")
    on = board_of(field, SEED, (Unit("Mara", "red", Hex(-2, 0)), Unit("Oda", "red", Hex(0, 0))))
    assert on.hexes[Hex(0, 0)].is_("elevated")
    assert not on.hexes[Hex(0, 0, 1)].is_("elevated")
    # from beside it one walks under it, past whoever stands on it; up to the deck is a wall, down from it a drop
    beside = Hex(-2, 0)
    walked = play(Move("Mara", path=(Hex(-1, 0, 1), Hex(0, 0, 1))), on, SEED)
    assert (walked.legal, walked.end) == (True, Hex(0, 0, 1))
    assert on.wall(beside, Hex(-1, 0)) == (60.0, 0.0)
    assert fires("HEX_WALL", play(Move("Mara", path=(Hex(-1, 0),)), on, SEED).findings)
    assert math.isinf(closed(on, Hex(0, 0), Hex(1, 0, 1), SEED) or 0.0) or closed(on, Hex(0, 0), Hex(1, 0, 1), SEED)


def test_a_deck_too_low_for_the_mini_makes_no_level() -> None:
    low = Mini(Base.hexagon(70), height=50.1, com=15)
    baking._RECENT.clear()
    field = bake(gallows(), SMALL, disc(Hex(0, 0), 1), low, steep_deg=STEEP)
    assert Hex(0, 0, 1) not in field.spots


def test_the_authors_word_for_a_piece_wins_over_what_was_measured() -> None:
    swamp = replace(ramp(20), classes={"hexes": "swamp"})
    assert words(board(Table(pieces=(swamp,), floor_mm=None))) == {("difficult", "no charge out")}
    lake = replace(block(600, 600, 1), classes={"hexes": "lake"})
    assert words(board(Table(pieces=(lake,)))) == {("impassable",)}
    narrow = replace(block(30, 600, 1), classes={"hexes": "lake"})  # under half of a hex
    assert words(board(Table(pieces=(narrow,)), hexes=(Hex(0, 0),))) == {()}
    named = board_of(fresh(Table()), SEED, named={Hex(1, 0): ("cover",)})
    assert named.hexes[Hex(1, 0)].keywords == ("cover",)
    typo = replace(block(600, 600, 1), classes={"hexes": "laek"})
    with pytest.raises(Refused, match="'laek' is no terrain; there are: hill, cliffs"):
        board(Table(pieces=(typo,)))


def test_a_hex_with_walls_all_round_is_impassable() -> None:
    pillar = board(Table(pieces=(block(90, 90, 40),)), hexes=disc(Hex(0, 0), 1))
    assert pillar.hexes[Hex(0, 0)].is_("impassable")
    low = board(Table(pieces=(block(90, 90, 10),)), hexes=disc(Hex(0, 0), 1))  # a step of exactly 10 is one
    assert not low.hexes[Hex(0, 0)].is_("impassable")


# --- the sample board -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_sample_board_bakes_in_seconds() -> None:
    import time

    table = read_scenario(ROOT / "scenarios" / "board.toml").table
    layout, hexes = Layout(50.0, origin=(21.65, 0.0)), rectangle(10, 9)
    begin = time.process_time()
    field = fresh(table, hexes, layout)
    cold = time.process_time() - begin
    begin = time.process_time()
    assert bake(table, layout, hexes, MINI, steep_deg=STEEP) is field
    again = time.process_time() - begin
    print(f"cold {cold:.1f} s, again {again:.2f} s")
    assert (cold < 15, again < 3) == (True, True)


@pytest.mark.parametrize("turn", [37.0, 123.0, 211.0])
def test_a_groove_as_deep_as_its_sides_differ_is_a_crack_however_the_table_is_turned(turn: float) -> None:
    # across stairs of 6 mm, down from 24 to 12 and up to 18: both are 6, and the last digits told which was more
    def laid(by: float) -> HexField:
        place = Pose.at(0, 0, turn=by) @ Pose.at(-6, 7, turn=55.0)
        steps = Piece("stairs", mesh("stairs.stl"), place)
        return fresh(Table(pieces=(steps,)), disc(Hex(0, 0), 1), Layout(50.0, turn_deg=by))

    here, there = laid(0.0), laid(turn)
    assert here.walls[Hex(1, 0), Hex(0, 0)] == pytest.approx((24.0, 0.0), abs=0.01)
    assert set(there.walls) == set(here.walls)
    for pair, wall in here.walls.items():
        assert there.walls[pair] == pytest.approx(wall, abs=0.02)


def test_where_nothing_joins_two_hexes_there_is_no_way_and_no_endless_wall() -> None:
    # two decks 36 mm apart, and no floor: data for programs take no infinite number
    decks = (block(50, 80, 20), block(50, 80, 20, at=(86.6, 0.0), name="far"))
    baked = fresh(Table(pieces=decks, floor_mm=None), (Hex(0, 0), Hex(1, 0)))
    assert baked.walls[Hex(0, 0), Hex(1, 0)] == Wall(math.inf, math.inf)
    outcome = play(Move("Mara", path=(Hex(1, 0),)), board_of(baked, SEED, (Unit("Mara", "red", Hex(0, 0)),)), SEED)
    told = next(f for f in outcome.findings if f.code == "HEX_WALL")
    assert told.message == "between (0, 0) and (1, 0) is no way: nothing joins them that a base could walk over"
    json.dumps(outcome_data(outcome), allow_nan=False)
