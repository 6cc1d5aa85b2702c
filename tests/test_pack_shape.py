"""Every check of a piece's shape fires on its defect and is silent on the near miss beside it."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from sim3d.finding import run
from sim3d.forge.shapes import cone, prism
from sim3d.pack import seat, shape
from sim3d.pack.manifest import PrintForm
from sim3d.pack.target import TARGETED, TARGETS, target_module_file
from sim3d.solid import contact, within
from sim3d.solid.boolean import box, union, volume_and_centre
from sim3d.solid.contact import Contacts
from tests.codes import fires, silent
from tests.packs import crate, dunes, inside_out, on_legs, subject, together, turned

FEET = [(-45, -45, 0.0), (45, -45, 0.0), (45, 45, 0.0), (-45, 45, 0.0)]


def seen(mesh, *checks, **told):
    return run(checks or shape.SHAPE, subject(mesh, **told))


def test_a_sound_crate_has_nothing_to_tell():
    assert seen(crate(), units="mm").codes == ()


def test_units():
    assert fires("UNIT_NOT_DECLARED", seen(crate()))
    (told,) = [f for f in seen(box((0, 0, 0), (0.1, 0.2, 0.0412))) if f.code == "UNIT_NOT_DECLARED"]
    assert "read as mm, 0.1 x 0.2 x 0.041 mm" in told.message  # and not as 0.0
    assert silent("UNIT_NOT_DECLARED", seen(crate(), units="mm"))
    assert silent("UNIT_NOT_DECLARED", seen(crate(), said={"units": "mm"}))
    assert silent("UNIT_NOT_DECLARED", seen(crate(), kind="glb binary", unit="m"))
    inches = seen(crate(2.5, 1.5), shape.unit_implausible)
    assert fires("UNIT_IMPLAUSIBLE", inches)
    assert "63.5 mm in in" in inches.findings[0].message
    assert silent("UNIT_IMPLAUSIBLE", seen(crate(8.1, 3)))
    assert fires("UNIT_IMPLAUSIBLE", seen(crate(1501, 3)))
    assert silent("UNIT_IMPLAUSIBLE", seen(crate(1499, 3)))


def test_a_piece_on_its_side():
    plate = union([crate(80, 5), box((-20, -20, 0), (20, 20, 60))])
    assert fires("PIECE_LIES_ON_SIDE", seen(turned(plate)))
    assert silent("PIECE_LIES_ON_SIDE", seen(plate))
    assert silent("PIECE_LIES_ON_SIDE", seen(box((-40, -3, 0), (40, 3, 60))))  # a wall stands on its narrow foot
    assert silent("PIECE_LIES_ON_SIDE", seen(on_legs((-45, 0, 2.0), (45, -45, 0.0), (45, 45, 0.0))))  # that is not flat


def test_a_part_that_crosses_itself():
    # Two bars of one file that share a corner are one part, and the second runs through the first.
    bar = box((0, 0, 0), (60, 10, 10))
    through = box((20, -20, 2), (30, 40, 8))
    vertices, faces = together(bar, through)
    joined = np.vstack([vertices, [[60.0, 10.0, 10.0]]]), faces
    corner = np.flatnonzero((joined[0] == [30.0, 40.0, 8.0]).all(axis=1))[0]
    vertices = joined[0].copy()
    vertices[corner] = [60.0, 10.0, 10.0]  # pulled onto the bar's own corner
    assert fires("MESH_CROSSES_ITSELF", seen((vertices, faces)))
    apart = together(bar, box((20, 20, 2), (30, 40, 8)))
    assert silent("MESH_CROSSES_ITSELF", seen(apart))
    assert silent("MESH_CROSSES_ITSELF", seen(together(bar, through)))  # two parts overlap: that is another finding


def test_what_lies_too_densely_to_be_looked_at_is_not_said_to_cross(monkeypatch):
    """No pair was found that does: a doubt, and no pair with a depth of 0.00 mm and no place."""
    given_up = Contacts(np.zeros((0, 2), np.int64), 0, "it lies too densely")
    monkeypatch.setattr(within, "contacts", lambda *_: given_up)
    (said,) = seen(crate(), shape.mesh_crosses_itself).findings
    assert said.message == "it cannot be told which triangles pass through each other: it lies too densely"
    assert not said.places


def test_a_large_mesh_is_looked_at_as_long_for_each_triangle_as_a_small_one(monkeypatch):
    """The looks were as many for all: three million triangles of sound ground were too many for them."""
    corners, faces = dunes(40)
    shell = np.zeros(len(faces), np.int64)
    monkeypatch.setattr(contact, "LOOKS_MOST", 1000)  # as if these were millions
    assert contact.contacts(corners, faces, shell).gave_up == ""
    monkeypatch.setattr(contact, "LOOKS_EACH", 10)
    assert "too densely" in contact.contacts(corners, faces, shell).gave_up


def test_a_part_in_the_air():
    body = crate()
    assert fires("PART_IN_THE_AIR", seen(together(body, box((-5, -5, 30.2), (5, 5, 40)))))
    assert silent("PART_IN_THE_AIR", seen(together(body, box((-5, -5, 30.0), (5, 5, 40)))))  # it lies on top
    assert silent("PART_IN_THE_AIR", seen(together(body, box((50, 50, 0), (60, 60, 40)))))  # it stands beside
    within = box((-5, -5, 10), (5, 5, 20))
    assert silent("PART_IN_THE_AIR", seen(together(body, within)))
    flag = np.array([[50.0, 0, 0], [60, 0, 0], [60, 0, 40]]), np.array([[0, 1, 2]])
    assert silent("PART_IN_THE_AIR", seen(together(body, within, flag)))  # also where another part is open
    for shell in (body[1], body[1][:, ::-1]):
        holed = body[0], shell[1:]
        assert silent("PART_IN_THE_AIR", seen(together(holed, within), shape.part_in_the_air))  # or has a small hole
        above = box((-5, -5, 31), (5, 5, 40))
        assert fires("PART_IN_THE_AIR", seen(together(holed, above), shape.part_in_the_air))


def test_parts_that_all_stand_on_the_bed_need_not_be_told_apart(monkeypatch):
    """A heap of 200 boxes in one place meets too densely to be told one by one; all of them stand, so none floats."""
    low, high = box((0, 0, 0), (9, 9, 9)), box((1, 1, 20), (8, 8, 29))
    given_up = Contacts(np.zeros((0, 2), np.int64), 0, "they meet too densely")
    monkeypatch.setattr(within, "contacts", lambda *_: given_up)
    assert silent("PART_IN_THE_AIR", seen(together(low, box((1, 1, 0.01), (8, 8, 12))), shape.part_in_the_air))
    assert fires("PART_IN_THE_AIR", seen(together(low, high), shape.part_in_the_air))


@pytest.mark.parametrize("turn", [0.0, 37.0])
def test_what_a_file_has_rounded_touches(turn):
    """Seven digits leave a part a ten-thousandth of a mm over the one it lies on, and no printer lets it fall."""
    a = math.radians(turn)
    along = np.array([[math.cos(a), 0, -math.sin(a)], [0, 1, 0], [math.sin(a), 0, math.cos(a)]])
    for gap, word in ((1e-6, silent), (0.001, silent), (0.005, silent), (0.02, fires)):
        low, high = box((-30, -30, 0), (30, 30, 30)), box((-5, -5, 30 + gap), (5, 5, 40))
        top = box((-5, -5, 40 + gap), (5, 5, 50))  # and what lies on that does, too
        vertices, faces = together(low, high, top)
        found = seen((vertices @ along.T, faces), shape.part_in_the_air)
        assert word("PART_IN_THE_AIR", found), gap


@pytest.mark.parametrize(("thick", "word"), [(0.5, fires), (0.79, fires), (0.81, silent), (2.0, silent)])
def test_thin_walls_are_measured(thick, word):
    wall = union([crate(), box((-30, -thick / 2, 0), (30, thick / 2, 80))])
    found = seen(wall, shape.print_wall_thin)
    if word is silent:
        assert silent("PRINT_WALL_THIN", found)
    else:
        assert fires("PRINT_WALL_THIN", found)
        assert dict(found.findings[0].numbers)["thinnest_mm"] == pytest.approx(thick, abs=1e-6)
        # Two sides of 60 x 50 mm above the crate; the share is a sample's.
        assert found.findings[0].area_mm2 == pytest.approx(2 * 60 * 50, rel=0.1)


def test_the_tip_of_a_wedge_is_no_thin_wall():
    # A wedge of 20 degrees: its tip is thinner than any wall, and no slicer minds.
    half = math.radians(10)
    wedge = prism([(0, 0), (60, -60 * math.tan(half)), (60, 60 * math.tan(half))], 0, 30)
    assert silent("PRINT_WALL_THIN", seen(wedge))


@pytest.mark.parametrize("sunk", [0.0, 0.01, 0.3, 0.45])
def test_what_lies_within_another_part_is_no_side_of_a_wall(sunk):
    plate, post = crate(60, 4), box((-20, -20, 4 - sunk), (20, 20, 30))
    for one in (post, inside_out(post)):
        assert silent("PRINT_WALL_THIN", seen(together(plate, one), shape.print_wall_thin))
    skin, core = box((-30, -0.3, 0), (30, 0.0, 40)), box((-30, -sunk, 0), (30, 0.3, 40))  # 0.6 mm, of two
    found = seen(together(skin, core, box((-40, -40, -5), (40, 40, 0.2))), shape.print_wall_thin)
    assert fires("PRINT_WALL_THIN", found)
    thick = 0.3 + max(0.3, sunk)
    assert dict(found.findings[0].numbers)["thinnest_mm"] == pytest.approx(thick, abs=1e-6)
    thicker = box((-30, -sunk, 0), (30, 0.6, 40))
    assert silent("PRINT_WALL_THIN", seen(together(skin, thicker), shape.print_wall_thin))


def test_thin_walls_are_the_same_however_the_surface_is_cut_into_triangles():
    vertices, faces = union([crate(), box((-30, -0.25, 0), (30, 0.25, 80)), box((-35, -20, 0), (-34, 20, 33))])

    def told(corners, triangles):
        (found,) = seen((corners, triangles), shape.print_wall_thin)
        return found.message, found.area_mm2, [(round(p.x, 4), round(p.y, 4), round(p.z, 4)) for p in found.places]

    rng = np.random.default_rng(3)
    shuffled = rng.permutation(len(faces))
    turned_on = (np.arange(3) + rng.integers(0, 3, len(faces))[:, None]) % 3
    as_it_is = told(vertices, faces)
    again = told(vertices, np.take_along_axis(faces, turned_on, axis=1)[shuffled])
    assert (again[0], again[2]) == (as_it_is[0], as_it_is[2])
    assert again[1] == pytest.approx(as_it_is[1])
    middles = vertices[faces].mean(axis=1)
    k = len(vertices) + np.arange(len(faces))
    split = np.concatenate([np.column_stack([faces[:, i], faces[:, (i + 1) % 3], k]) for i in range(3)])
    finer = told(np.vstack([vertices, middles]), split)
    assert (finer[0], finer[2]) == (as_it_is[0], as_it_is[2])
    # Of the blade 60 by 50 mm stand free on either side.
    assert as_it_is[1] == pytest.approx(2 * 60 * 50, rel=0.02)


@pytest.mark.parametrize(("thick", "word"), [(0.8, silent), (0.798, fires)])
@pytest.mark.parametrize("deg", [0.0, 33.7, 61.2])
def test_a_wall_of_just_the_limit_is_none_however_its_file_rounds_it(thick, word, deg):
    vertices, faces = box((-30, -thick / 2, 0), (30, thick / 2, 40))
    a = math.radians(deg)
    turn = np.array([[math.cos(a), math.sin(a), 0], [-math.sin(a), math.cos(a), 0], [0, 0, 1]])
    rounded_off = (vertices @ turn + [2000, -1500, 0]).astype(np.float32).astype(float)
    assert word("PRINT_WALL_THIN", seen((rounded_off, faces), shape.print_wall_thin))


def test_overhangs():
    slab = union([box((-5, -5, 0), (5, 5, 30)), box((-5, -5, 25), (40, 5, 30))])
    found = seen(slab, shape.print_overhang)
    assert fires("PRINT_OVERHANG", found)
    assert found.findings[0].area_mm2 == pytest.approx(35 * 10)
    assert silent("PRINT_OVERHANG", seen(crate()))
    corbel = prism([(-20, 0), (20, 0), (55, 36), (-20, 36)], -20, 20)  # it leans out by less than 45 degrees
    upright = corbel[0][:, [0, 2, 1]], corbel[1][:, ::-1]
    assert silent("PRINT_OVERHANG", seen(upright))


@pytest.mark.parametrize(("deg", "hangs"), [(44, False), (46, True), (60, True)])
@pytest.mark.parametrize("cuts", [1, 2, 30])
def test_what_leans_out_from_the_bed_hangs_over_however_it_is_cut_into_triangles(deg, hangs, cuts):
    """A leaning block of 40 x 30 mm: its underside is 40 / cos(deg) long per mm of height, but for the first layer."""
    lean = math.tan(math.radians(deg)) * 30
    heights = np.linspace(0, 30, cuts + 1)
    slices = [
        prism([(lean * a / 30, a), (40 + lean * a / 30, a), (40 + lean * b / 30, b), (lean * b / 30, b)], -20, 20)
        for a, b in pairwise(heights)
    ]
    block = union(slices) if cuts == 2 else together(*slices)
    found = seen((block[0][:, [0, 2, 1]], block[1][:, ::-1]), shape.print_overhang)
    assert bool(found) == hangs
    if hangs:
        area = 40 * (30 - shape.BRIDGE_MM) / math.cos(math.radians(deg))
        assert found.findings[0].area_mm2 == pytest.approx(area, rel=1e-3)


@pytest.mark.parametrize("turn", [0.0, 17.3, 45.0])
@pytest.mark.parametrize("aside", [0.0, 33.3, 1000.3])
def test_what_is_drawn_at_just_the_limit_does_not_hang_over_wherever_it_stands(turn, aside):
    """Corbels of 0.7 mm on a wall, out by as much as up, their corners rounded as a file of 32-bit numbers does."""
    a = math.radians(turn)
    along = np.array([[math.cos(a), math.sin(a), 0], [-math.sin(a), math.cos(a), 0], [0, 0, 1]])
    for out, word in ((0.7, silent), (0.71, fires)):  # 45 degrees; 45.4
        rows = [[(0, z), (out, z + 0.7), (out, z + 1.1), (0, z + 1.1)] for z in np.arange(0.9, 30, 1.3)]
        corbels = [prism(ring, -40, 40) for ring in rows]
        vertices, faces = union([*corbels, prism([(-9, 0), (0, 0), (0, 40), (-9, 40)], -40, 40)])
        placed = vertices[:, [0, 2, 1]] @ along + np.array([aside, -aside / 2, 0])
        rounded = placed.astype(np.float32).astype(float)
        assert word("PRINT_OVERHANG", seen((rounded, faces[:, ::-1]), shape.print_overhang))


def test_one_triangle_the_wrong_way_round_hangs_nothing_over():
    vertices, faces = crate()
    flipped = faces.copy()
    top = np.flatnonzero((vertices[faces][:, :, 2] == 30).all(axis=1))[0]
    flipped[top] = faces[top, ::-1]  # drawn so it looks down, and is no underside
    assert silent("PRINT_OVERHANG", seen((vertices, flipped), shape.print_overhang))
    corbel = union([box((-5, -5, 0), (5, 5, 30)), box((-5, -5, 25), (40, 5, 30))])
    under = np.flatnonzero((corbel[0][corbel[1]][:, :, 2] == 25).all(axis=1))
    for one in under:  # and an underside looks down, however it was drawn
        turned_up = corbel[1].copy()
        turned_up[one] = corbel[1][one, ::-1]
        (found,) = seen((corbel[0], turned_up), shape.print_overhang)
        assert found.area_mm2 == pytest.approx(35 * 10)


def test_a_hole_hides_neither_what_is_inside_out_nor_what_is_thin():
    vertices, faces = crate()
    for left_out in range(len(faces)):  # of a closed one the sides are known; here they are, as good as
        inward = vertices, np.delete(faces, left_out, axis=0)[:, ::-1]
        assert silent("PRINT_OVERHANG", seen(inward, shape.print_overhang))
    thin = union([crate(), box((-30, -0.25, 0), (30, 0.25, 80))])
    bottom = np.flatnonzero((thin[0][thin[1]][:, :, 2] == 0).all(axis=1))[0]
    opened = thin[0], np.delete(thin[1], bottom, axis=0)[:, ::-1]
    assert fires("PRINT_WALL_THIN", seen(opened, shape.print_wall_thin))
    # A sheet has no inside: one that looks up carries, and one that looks down hangs over, a bowl as well as a hill.
    rings = [(40.0, 9.0), (20.0, 5.0), (0.001, 4.0)]
    turn = np.arange(12) * (math.pi / 6)
    corners = np.concatenate([np.column_stack([r * np.cos(turn), r * np.sin(turn), np.full(12, z)]) for r, z in rings])
    ring = np.arange(12)
    after = np.roll(ring, -1)
    sheet = np.concatenate(
        [
            np.column_stack(one) + 12 * k
            for k in range(2)
            for one in ((ring, after, after + 12), (ring, after + 12, ring + 12))
        ]
    )
    assert silent("PRINT_OVERHANG", seen((corners, sheet), shape.print_overhang))
    assert fires("PRINT_OVERHANG", seen((corners, sheet[:, ::-1]), shape.print_overhang))


def test_a_sheet_over_it_carries_nothing():
    table = union([box((-5, -5, 0), (5, 5, 40)), box((-40, -40, 30), (40, 40, 40))])
    sheet = np.array([[-60.0, -60, 90], [60, -60, 90], [60, 60, 90], [-60, 60, 90]]), np.array([[0, 1, 2], [0, 2, 3]])
    found = seen(together(table, sheet), shape.print_overhang)
    assert fires("PRINT_OVERHANG", found)
    assert found.findings[0].area_mm2 == pytest.approx(80 * 80 - 10 * 10)


HOLLOW = together(box((0, 0, 0), (40, 40, 40)), inside_out(box((0.7, 0.7, 0.7), (39.3, 39.3, 39.3))))
HANGS = together(box((0, 0, 0), (20, 20, 60)), box((19, 0, 40), (40, 20, 60)))
LAMP = together(box((0, 0, 0), (60, 60, 20)), box((10, 10, 25), (20, 20, 35)), box((5, 5, 5), (9, 9, 9)))


@pytest.mark.parametrize(
    ("mesh", "codes"),
    [
        (box((-50, 0, 0), (50, 0.7, 40)), ("PRINT_WALL_THIN",)),
        (HOLLOW, ("PRINT_WALL_THIN", "PRINT_OVERHANG")),
        (HANGS, ("PRINT_OVERHANG",)),
        (LAMP, ("PART_IN_THE_AIR", "PRINT_OVERHANG")),
        (crate(), ()),
    ],
    ids=["a thin wall", "a hollow", "what hangs over", "a lamp in the air, a nut in the post", "a crate"],
)
def test_of_a_piece_that_is_inside_out_the_same_is_told(mesh, codes):
    sound, turned = seen(mesh, units="mm"), seen(inside_out(mesh), units="mm")
    assert sound.codes == codes
    assert [(f.code, f.message, f.area_mm2) for f in turned] == [(f.code, f.message, f.area_mm2) for f in sound]


def test_of_one_part_that_is_inside_out_the_same_is_told():
    foot, wall = box((-50, -20, 0), (50, 20, 5)), box((-50, 0, 4), (50, 0.7, 40))
    thin = [seen(together(foot, one), shape.print_wall_thin) for one in (wall, inside_out(wall))]
    assert all(fires("PRINT_WALL_THIN", found) for found in thin)
    assert thin[0].findings == thin[1].findings
    arm = box((-50, -20, 30), (50, 20, 35))
    for one in (foot, inside_out(foot)):
        for other in (arm, inside_out(arm)):
            (found,) = seen(together(one, other), shape.print_overhang)
            assert found.area_mm2 == pytest.approx(100 * 40)


def test_what_another_part_carries_or_holds_hangs_over_nothing():
    foot = crate(60, 20)
    on = box((-10, -10, 20), (10, 10, 40))
    inside = box((-10, -10, 5), (10, 10, 15))
    corner = box((-30, -30, 20), (0, 0, 40))  # it stands on a corner of the foot: both are one part
    for part in (on, inside, inside_out(on), corner):
        assert silent("PRINT_OVERHANG", seen(together(foot, part), shape.print_overhang))
    over = box((-10, -10, 20.5), (10, 10, 40))  # half a millimetre of air
    assert fires("PRINT_OVERHANG", seen(together(foot, over), shape.print_overhang))
    beyond = box((10, -10, 20), (90, 10, 40))  # 20 mm of 80 lie on it: by a look a mm²
    (found,) = seen(together(foot, beyond), shape.print_overhang)
    assert found.area_mm2 == pytest.approx(60 * 20, rel=0.02)
    assert found.places[0].x > 30
    brim = box((-33, -33, 20), (33, 33, 24))  # the middles of its two triangles, and of their quarters, are carried
    (found,) = seen(together(foot, brim), shape.print_overhang)
    assert found.area_mm2 == pytest.approx(66**2 - 60**2, rel=0.1)
    assert all(max(abs(p.x), abs(p.y)) > 30 for p in found.places)


def test_the_bed():
    # Turned by 45 degrees a plank takes (length + width) / sqrt(2) of a square bed along both of its sides.
    longest = 220 * math.sqrt(2) - 10
    assert fires("PRINT_TOO_LARGE", seen(box((0, 0, 0), (longest + 0.01, 10, 10))))
    assert silent("PRINT_TOO_LARGE", seen(box((0, 0, 0), (longest - 0.01, 10, 10))))
    assert fires("PRINT_TOO_LARGE", seen(box((0, 0, 0), (220.1, 220, 10))))  # no turn makes a square smaller
    assert silent("PRINT_TOO_LARGE", seen(box((0, 0, 0), (220.0, 220, 10))))
    long = subject(box((0, 0, 0), (10, 300, 10)))
    assert silent("PRINT_TOO_LARGE", run(shape.PRINT, _with(long, bed=(310.0, 20.0, 20.0))))  # turned by a quarter
    assert fires("PRINT_TOO_LARGE", run(shape.PRINT, _with(long, bed=(290.0, 20.0, 20.0))))
    assert fires("PRINT_TOO_LARGE", run(shape.PRINT, _with(long, bed=(310.0, 20.0, 9.9))))  # it is too high


@pytest.mark.parametrize("deg", [0.0, 17.0, 61.3, 90.0, 123.4])
def test_a_piece_that_is_turned_in_its_file_fits_the_same_bed(deg):
    a = math.radians(deg)
    turn = np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])
    plank = np.array([[0.0, 0], [180, 0], [180, 60], [0, 60]]) @ turn + [2000, -700]
    assert shape.fits(plank, 180, 60)
    assert shape.fits(plank, 60, 180)
    assert not shape.fits(plank, 179.9, 60)
    assert not shape.fits(plank, 180, 59.9)
    # At 30 degrees a plank of 250 by 60 is 250 cos + 60 sin long, and 250 sin + 60 cos wide.
    longer = np.array([[0.0, 0], [250, 0], [250, 60], [0, 60]]) @ turn
    wide, deep = 125 * math.sqrt(3) + 30, 125 + 30 * math.sqrt(3)
    assert shape.fits(longer, wide + 1e-3, deep + 1e-3)
    assert not shape.fits(longer, wide - 0.1, deep - 0.1)
    disc = 115 * np.column_stack([np.cos(np.arange(1000) / 500 * math.pi), np.sin(np.arange(1000) / 500 * math.pi)])
    assert not shape.fits(disc @ turn, 229.9, 400)
    assert shape.fits(disc @ turn, 230.01, 230.01)
    assert shape.fits(np.array([[0.0, 0], [300, 0]]) @ turn, 220, 220)  # a sheet that stands
    assert not shape.fits(np.array([[0.0, 0], [312, 0]]) @ turn, 220, 220)


def _with(s, **printer):
    object.__setattr__(s, "print", PrintForm(**printer))
    return s


def test_where_it_lies():
    assert fires("PIECE_OFF_GROUND", seen(box((-9, -9, 0.06), (9, 9, 9))))
    assert silent("PIECE_OFF_GROUND", seen(box((-9, -9, 0.04), (9, 9, 9))))


def test_what_does_not_sit_flat():
    # A slab on three feet of which one is lower: it leans by the arc tangent of 2 mm over their distance.
    lean = on_legs((-45, 0, 2.0), (45, -45, 0.0), (45, 45, 0.0))
    found = seen(lean)
    assert fires("PIECE_NOT_FLAT", found)
    told = next(f for f in found if f.code == "PIECE_NOT_FLAT")
    # It turns about the feet's outer edges at x = 43 until those at x = -47 touch.
    assert dict(told.numbers)["lean_deg"] == pytest.approx(math.degrees(math.atan2(2, 43 + 43)), abs=0.1)
    assert silent("PIECE_TIPS_OVER", found)
    assert silent("PIECE_NOT_FLAT", seen(on_legs((-45, 0, 0.0), (45, -45, 0.0), (45, 45, 0.0))))
    assert silent(
        "PIECE_NOT_FLAT", seen(on_legs((-45, 0, 0.04), (45, -45, 0.0), (45, 45, 0.0)))
    )  # less than a sheet of paper


@pytest.mark.parametrize(("reach", "word"), [(77.0, fires), (76.0, silent)])
def test_what_tips_over_by_itself(reach, word):
    # A foot to x = 20 and as high again a beam to x = L: (L + 20)(L - 20) / 2 = 20 (40 + L + 20) at L = 76.57.
    mesh = union([box((-20, -20, 0), (20, 20, 10)), box((-20, -20, 10), (reach, 20, 20))])
    assert (volume_and_centre(*mesh)[1][0] > 20) == (word is fires)
    assert word("PIECE_TIPS_OVER", seen(mesh))


def test_what_stands_on_its_tip_falls():
    vertices, faces = cone(20, 0, 50)
    upside_down = vertices * [1, 1, -1] + [0, 0, 50], faces[:, ::-1]
    assert fires("PIECE_TIPS_OVER", seen(upside_down))
    assert silent("PIECE_TIPS_OVER", seen((vertices, faces)))


@pytest.mark.parametrize(("short", "word"), [(2.0, fires), (0.1, silent), (0.0, silent)])
def test_four_feet_of_which_one_is_short(short, word):
    feet = [*FEET[:3], (-45, 45, short)]
    found = seen(on_legs(*feet))
    if word is silent:
        assert silent("PIECE_WOBBLES", found)
    else:
        assert fires("PIECE_WOBBLES", found)
        told = next(f for f in found if f.code == "PIECE_WOBBLES")
        # It turns about the line through its two neighbours' outer corners.
        assert 1.0 < dict(told.numbers)["rock_deg"] < 2.5


@pytest.mark.parametrize(("pad", "word"), [(2.0, fires), (8.0, fires), (12.0, silent), (60.0, silent)])
def test_a_crate_on_a_pad_rocks_where_a_tenth_of_its_weight_tips_it(pad, word):
    # Its rim is (100 - pad) / 2 beyond the pad's edge, and its weight pad / 2 inside of it: 0.02, 0.09, 0.14 of it.
    block = union([box((-50, -50, 1), (50, 50, 30)), box((-pad / 2, -pad / 2, 0), (pad / 2, pad / 2, 2))])
    found = seen(block, shape.wobbles)
    assert word("PIECE_WOBBLES", found)
    for finding in found:
        assert dict(finding.numbers)["rock_deg"] == pytest.approx(
            math.degrees(math.atan2(1, (100 - pad) / 2)), abs=0.01
        )


def rounded(radius, half=30.0):
    """A block of 60 by 60 by 20 mm on a part of a cylinder; hollow where the radius is negative."""
    x = np.linspace(-half, half, 241)
    z = np.copysign(1, radius) * (abs(radius) - np.sqrt(radius**2 - x**2))
    vertices, faces = prism([*zip(x, z - z.min(), strict=True), (half, 20), (-half, 20)], -30, 30)
    return vertices[:, [0, 2, 1]], faces[:, ::-1]


@pytest.mark.parametrize("deg", [0.0, 33.7, 90.0])
@pytest.mark.parametrize(("radius", "word"), [(450, fires), (150, fires), (4500, silent), (-450, silent)])
def test_what_rolls_on_a_rounded_underside_wobbles(radius, word, deg):
    vertices, faces = rounded(radius)
    a = math.radians(deg)
    turn = np.array([[math.cos(a), math.sin(a), 0], [-math.sin(a), math.cos(a), 0], [0, 0, 1]])
    as_filed = (vertices @ turn + [2000, -700, 0]).astype(np.float32).astype(float)
    found = seen((as_filed, faces), shape.wobbles)
    assert word("PIECE_WOBBLES", found)
    for finding in found:
        # A tenth of its weight at the rim moves the centre of mass by 30 / 11 mm; below the middle of the cylinder it
        # comes to rest where that lies over the place that it touches: (R - h) sin t = 30 / 11.
        high = volume_and_centre(vertices, faces)[1][2]
        leans = math.degrees(math.asin(30 / 11 / (radius - high)))
        assert dict(finding.numbers)["rock_deg"] == pytest.approx(leans, abs=math.degrees(0.25 / radius) + 0.01)
        # The first place over which it rolls: of the lowest, within a micron, the farthest that way.
        assert 0 <= dict(finding.numbers)["margin_mm"] < math.sqrt(2 * radius * 1e-3) + 0.5


def test_an_uneven_print_does_not_roll():
    x = np.linspace(-30, 30, 61)
    z = np.random.default_rng(2).uniform(0, 0.09, 61)
    vertices, faces = prism([*zip(x, z - z.min(), strict=True), (30, 20), (-30, 20)], -30, 30)
    assert silent("PIECE_WOBBLES", seen((vertices[:, [0, 2, 1]], faces[:, ::-1]), shape.wobbles))


def test_a_heavy_corner_keeps_it_from_wobbling():
    weighted = union([on_legs(*FEET[:3], (-45, 45, 2.0)), box((20, -45, 23), (45, -20, 90))])
    assert silent("PIECE_WOBBLES", seen(weighted))


@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_a_ring_goes_round_the_same_points_whether_their_midst_is_left_out_or_not(turn, monkeypatch):
    rng = np.random.default_rng(4)
    grid = np.stack(np.meshgrid(np.linspace(-60, 60, 70), np.linspace(-30, 30, 50)), axis=-1).reshape(-1, 2)
    disc = rng.normal(size=(4000, 2))
    disc *= (40 * np.sqrt(rng.uniform(size=4000)) / np.hypot(*disc.T))[:, None]
    line = np.linspace(0, 1, 3000)[:, None] * [30.0, 40.0]
    for points in (grid, disc, rng.uniform(size=(3000, 2)) * [90, 1e-3], line, np.zeros((2000, 2))):
        some = points @ np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
        quick = seat.ring_around(some)
        with monkeypatch.context() as patched:
            patched.setattr(seat, "MANY", len(some))
            assert np.array_equal(quick, seat.ring_around(some))


def test_what_the_manifest_says_of_its_size():
    assert fires("MANIFEST_SIZE_DIFFERS", seen(crate(), said={"footprint_mm": [62, 60]}))
    assert silent("MANIFEST_SIZE_DIFFERS", seen(crate(), said={"footprint_mm": [61, 60], "height_mm": 30.5}))
    assert silent("MANIFEST_SIZE_DIFFERS", seen(box((0, 0, 0), (80, 40, 9)), said={"footprint_mm": [40, 80]}))
    assert fires("MANIFEST_SIZE_DIFFERS", seen(crate(), said={"height_mm": 32}))
    inch = seen(crate(3.0, 2.0), shape.size_differs, said={"footprint_mm": [76.2, 76.2]})
    assert "as if it were in in" in inch.findings[0].message


def test_targets():
    def aimed(target, mesh, **told):
        return run(TARGETED, subject(mesh, **told), TARGETS[target])

    assert fires("TARGET_FORMAT", aimed("tts", crate(), kind="stl binary"))
    assert silent("TARGET_FORMAT", aimed("tts", crate(), kind="obj"))
    assert silent("TARGET_FORMAT", aimed("foundry", crate(), kind="glb"))
    assert fires("TARGET_UNIT", aimed("tabletopia", crate(), kind="obj"))
    assert silent("TARGET_UNIT", aimed("tabletopia", crate(), kind="obj", unit="cm"))
    assert silent("TARGET_UNIT", aimed("tts", crate(), kind="obj"))
    many, few = grid(159), grid(158)  # 25,600 and 25,281 corners
    assert (len(many[0]), len(few[0])) == (25_600, 25_281)
    assert fires("TARGET_VERTICES", aimed("tts", grid(158), kind="obj"))
    assert silent("TARGET_VERTICES", aimed("tts", grid(157), kind="obj"))
    assert silent("TARGET_VERTICES", aimed("tabletopia", many, kind="obj"))
    ball = cone(20, 0, 30, sides=200)
    assert fires("TARGET_COLLIDER", aimed("tabletopia", ball, kind="obj", said={"role": "collider"}))
    assert silent(
        "TARGET_COLLIDER", aimed("tabletopia", cone(20, 0, 30, sides=100), kind="obj", said={"role": "collider"})
    )
    assert silent("TARGET_COLLIDER", aimed("tabletopia", ball, kind="obj"))
    assert fires("TARGET_MODULE_FILE", target_module_file(False, TARGETS["foundry"]))
    assert silent("TARGET_MODULE_FILE", target_module_file(True, TARGETS["foundry"]))


def grid(n):
    """A level sheet of n by n squares."""
    x, y = np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0))
    corners = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
    a = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    faces = np.concatenate([np.column_stack([a, a + 1, a + n + 2]), np.column_stack([a, a + n + 2, a + n + 1])])
    return corners, faces
