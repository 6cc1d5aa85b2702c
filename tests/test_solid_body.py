"""What a surface encloses: exact volumes and centres by hand, and a reason wherever there is no telling."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim3d.forge.bad import cube, joined, loop, obj, stl, stl_ascii
from sim3d.solid import Solid, survey, volume
from sim3d.solid.boolean import box, hull, triangulate, union, volume_and_centre
from sim3d.solid.volume import Surface
from sim3d.solid.wrapped import winding
from sim3d.space import SAME_VERTEX_MM, Pose
from tests.codes import fires, silent
from tests.hostile import accepted, refused


def solid(*meshes):
    return Solid.of(*joined(*meshes))


def ball(radius, *, at=(0, 0, 0), rings=24):
    """A ball of latitude rings about a place: corners and triangles, outward."""
    sides = 2 * rings
    points = [(0.0, 0.0, radius)]
    for i in range(1, rings):
        up, out = radius * math.cos(math.pi * i / rings), radius * math.sin(math.pi * i / rings)
        points += [
            (out * math.cos(2 * math.pi * k / sides), out * math.sin(2 * math.pi * k / sides), up) for k in range(sides)
        ]
    points.append((0.0, 0.0, -radius))
    faces = []
    for k in range(sides):
        n = (k + 1) % sides
        faces.append((0, 1 + k, 1 + n))
        for i in range(rings - 2):
            a, b = 1 + i * sides, 1 + (i + 1) * sides
            faces += [(a + k, b + k, b + n), (a + k, b + n, a + n)]
        last = 1 + (rings - 2) * sides
        faces.append((last + k, len(points) - 1, last + n))
    return np.array(points) + np.array(at, dtype=float), np.array(faces, dtype=np.int64)


def test_a_rock_half_sunk_into_a_slab():
    # A ball of radius r with its centre in the top face: the union is the slab and half the ball, by symmetry.
    r, rock = 10.0, ball(10.0)
    slab = cube(at=(-30, -30, -60), size=60.0)
    whole = Solid.of(*rock).volume_mm3
    assert whole == pytest.approx(4 / 3 * math.pi * r**3, rel=0.02)
    both = solid(slab, rock)
    volume = 60.0**3 + whole / 2
    # The half ball's own centre: z = 3r/8 for a true one; for this polyhedron from its first moment.
    v, f = rock
    top = np.array([(max(z, 0.0)) for z in v[:, 2]])
    upper = np.column_stack([v[:, 0], v[:, 1], top])
    moment = 0.0
    for a, b, c in f:  # divergence of (0, 0, z²/2): the flat bottom at z = 0 adds nothing
        normal = np.cross(upper[b] - upper[a], upper[c] - upper[a])[2] / 2
        za, zb, zc = upper[a][2], upper[b][2], upper[c][2]
        moment += normal * (za * za + zb * zb + zc * zc + za * zb + zb * zc + zc * za) / 12
    centre = (60.0**3 * -30 + moment) / volume
    assert both.volume_mm3 == pytest.approx(volume, rel=1e-6)
    assert both.centre_of_mass == pytest.approx((0, 0, centre), abs=1e-3)
    assert moment / (whole / 2) == pytest.approx(3 * r / 8, rel=0.02)
    assert both.overlapping
    assert fires("MESH_OVERLAP", both.inspected())
    assert silent("MESH_OVERLAP", solid(slab, ball(10.0, at=(0, 0, 10.5))).inspected())


def test_parts_that_touch_do_not_overlap():
    for at in ((10, 0, 0), (10, 10, 0), (10, 10, 10), (10, 3, 3)):  # by a face, an edge, a corner, half a face
        two = solid(cube(), cube(at=at))
        assert two.volume_mm3 == pytest.approx(2000)
        assert two.overlapping is False
        assert two.centre_of_mass == pytest.approx(tuple(5 + np.array(at) / 2))
    assert silent("MESH_OVERLAP", two.inspected())


def test_hollows_count_as_hollow_and_bodies_in_them_as_bodies():
    hollow = solid(cube(size=30), cube(at=(10, 10, 10), inward=True))
    assert hollow.volume_mm3 == pytest.approx(27_000 - 1000)
    assert hollow.body.cavities == 1
    assert silent("MESH_INSIDE_OUT", hollow.inspected())
    rattle = solid(cube(size=30), cube(at=(5, 5, 5), size=20, inward=True), cube(at=(10, 10, 10)))
    assert rattle.volume_mm3 == pytest.approx(27_000 - 8000 + 1000)
    # A second body that fills the hollow of the first, wholly: nothing is hollow any more.
    filled = solid(cube(size=30), cube(at=(10, 10, 10), inward=True), cube(at=(5, 5, 5), size=20))
    assert filled.volume_mm3 == pytest.approx(27_000)
    assert filled.overlapping


def test_inside_out_is_said_and_put_right():
    turned = Solid.of(*cube(inward=True))
    assert turned.volume_mm3 == pytest.approx(1000)
    assert (turned.wound, turned.body.inside_out) == (True, 1)
    assert fires("MESH_INSIDE_OUT", turned.inspected())
    assert silent("MESH_INSIDE_OUT", Solid.of(*cube()).inspected())
    assert turned.faces.tolist() == cube(inward=True)[1].tolist(), "the surface itself is left alone"


@pytest.mark.parametrize(
    "parts",
    [
        [cube(size=30), cube(at=(10, 10, 10), inward=True)],
        [cube(size=30), cube(at=(5, 5, 5), size=20, inward=True), cube(at=(10, 10, 10))],
        [cube(size=30), cube(at=(10, 10, 10), inward=True), cube(at=(5, 5, 5), size=20)],
        [cube(size=30), cube(at=(10, 10, 10), inward=True), cube(at=(30, 0, 0)), cube(at=(25, 25, 25))],
    ],
    ids=["a hollow", "a body in a hollow", "a hollow filled", "a hollow, one beside it and one across"],
)
def test_what_is_inside_out_as_a_whole_has_the_same_body(parts):
    sound = solid(*parts)
    turned = Solid.of(sound.vertices, sound.faces[:, ::-1])
    assert turned.volume_mm3 == pytest.approx(sound.volume_mm3, rel=1e-12)
    assert turned.centre_of_mass == pytest.approx(sound.centre_of_mass, rel=1e-12)
    assert (turned.body.cavities, turned.overlapping) == (sound.body.cavities, sound.overlapping)
    assert turned.body.inside_out == len(parts) - sound.body.cavities
    assert np.array_equal(np.sort(turned.outward), np.sort(sound.faces))
    assert volume_and_centre(turned.vertices, turned.outward)[0] == volume_and_centre(sound.vertices, sound.faces)[0]
    assert sound.outward is sound.faces


def test_only_what_is_closed_and_wound_is_turned_outwards():
    v, f = cube(inward=True)
    for spoilt in (f[:-2], np.concatenate([f[:-1], f[-1:, ::-1]])):  # a lid off, a face flipped
        assert np.array_equal(Solid.of(v, spoilt).outward, spoilt)
        beside = Solid.of(*joined((v, spoilt), cube(at=(20, 0, 0), inward=True)))
        assert np.array_equal(beside.outward[: len(spoilt)], spoilt)
        assert np.array_equal(beside.outward[len(spoilt) :], beside.faces[len(spoilt) :, ::-1])


def test_no_volume_where_there_is_no_inside():
    v, f = cube()
    lid_off = Solid.of(v, f[:-2])
    assert (lid_off.closed, lid_off.volume_mm3, lid_off.centre_of_mass, lid_off.overlapping) == (
        False,
        None,
        None,
        None,
    )
    assert (lid_off.open_edges, lid_off.open_length_mm) == (4, 40)
    assert fires("MESH_OPEN", lid_off.findings)
    assert lid_off.findings.findings[0].places[0].size == 10
    assert fires("MESH_VOLUME_UNKNOWN", lid_off.inspected())
    assert silent("MESH_OPEN", Solid.of(v, f).findings)
    assert silent("MESH_VOLUME_UNKNOWN", Solid.of(v, f).inspected())
    f[4] = f[4][::-1]
    flipped = Solid.of(v, f)
    assert (flipped.closed, flipped.wound, flipped.volume_mm3) == (True, False, None)
    assert fires("MESH_WINDING_MIXED", flipped.findings)
    assert silent("MESH_WINDING_MIXED", Solid.of(v, f[:, ::-1][:4]).findings)


def test_a_surface_through_itself_counts_every_place_once():
    # A bar of 10 mm runs 40 + 40 + 20 + 60 mm along its middle, its end through its beginning: one cube is there twice.
    one = Solid.of(*loop())
    assert (one.closed, one.wound, one.parts) == (True, True, 1)
    assert one.volume_mm3 == pytest.approx(16_000 - 1000, rel=1e-12)
    assert one.centre_of_mass == pytest.approx(volume_and_centre(*union(BARS))[1], rel=1e-9)
    assert one.overlapping
    assert fires("MESH_OVERLAP", one.inspected())
    for deg in (17.0, 90.0):  # also where nothing is parallel to an axis, and beside another part
        turned = one.moved(Pose.at(3, 4, 5, turn=deg))
        far = joined((turned.vertices, turned.faces), cube(at=(200, 0, 0)))
        assert Solid.of(*far).volume_mm3 == pytest.approx(15_000 + 1000, rel=1e-9)
    upside_down = Solid.of(loop()[0], loop()[1][:, ::-1])
    assert upside_down.volume_mm3 == pytest.approx(15_000, rel=1e-12)
    assert upside_down.body.inside_out == 1


BARS = [
    box((0, -5, 0), (45, 5, 10)),
    box((35, -5, 0), (45, 45, 10)),
    box((15, 35, 0), (45, 45, 10)),
    box((15, -20, 0), (25, 45, 10)),
]  # what the bent bar is made of


def two_towers(x, lean):
    """A plate with two thin towers on it, the second leaning into the first: one shell, and the same in three parts."""
    rings = [np.array([(p, 91.3), (p + 1, 91.3), (p + 1, 92.3), (p, 92.3)]) for p in (x, x + 1.2)]
    outer = np.array([(0.0, 0), (200, 0), (200, 200), (0, 200)])
    plan = np.concatenate([outer, rings[0][::-1], rings[1][::-1]])
    top = np.column_stack([plan, np.ones(12)])
    corners, faces = [top, np.column_stack([outer, np.zeros(4)])], triangulate([outer, rings[0][::-1], rings[1][::-1]])
    faces = [tuple(f) for f in faces] + [(12, 14, 13), (12, 15, 14)]
    for i in range(4):
        j = (i + 1) % 4
        faces += [(12 + i, 12 + j, j), (12 + i, j, i)]
    parts = [box((0, 0, 0), (200, 200, 1))]
    count = 16
    for foot, shift, high in ((7, (0, 0), 400), (11, (-lean, 0.05), 400.3)):
        ring = rings[(foot - 7) // 4]
        low = [foot - k for k in range(4)]  # the hole runs the other way round
        levels = [np.column_stack([ring + np.array(shift), np.full(4, z)]) for z in (2.0, high)]
        corners += levels
        for a, b in ((low, range(count, count + 4)), (range(count, count + 4), range(count + 4, count + 8))):
            for i in range(4):
                j = (i + 1) % 4
                faces += [(a[i], a[j], b[j]), (a[i], b[j], b[i])]
        faces += [(count + 4, count + 5, count + 6), (count + 4, count + 6, count + 7)]
        parts += [hull(np.concatenate([top[low], levels[0]])), hull(np.concatenate(levels))]
        count += 8
    return Solid.of(np.concatenate(corners), faces), volume_and_centre(*union(parts))


@pytest.mark.parametrize("x", [20.0, 34.6, 49.2, 63.8, 99.5, 150.9])
@pytest.mark.parametrize("lean", [1.15, 1.2])  # into one another; and flush, so that three sides lie on three others
def test_towers_that_share_space_wherever_they_stand(x, lean):
    one, (volume, centre) = two_towers(x, lean)
    assert (one.closed, one.wound, one.parts) == (True, True, 1)
    assert one.volume_mm3 == pytest.approx(volume, rel=1e-9)
    assert one.centre_of_mass == pytest.approx(centre, rel=1e-9)
    assert one.overlapping
    apart, _ = two_towers(x, 0.1)
    assert apart.overlapping is False
    assert apart.volume_mm3 == pytest.approx(40_000 + 399 + 399.3, rel=1e-4)
    assert silent("MESH_OVERLAP", apart.inspected())


def test_a_surface_that_is_partly_inside_out_has_no_volume_that_can_be_told():
    # Two cubes joined into one shell by a bridge that shares their space, and that runs from the inside of one.
    v, f = joined(cube(size=20), cube(at=(5, 5, 5), size=20))
    hole_a, hole_b = f[2], f[12 + 2]
    tube = []
    for i in range(3):
        p, q = hole_a[i], hole_a[(i + 1) % 3]
        r, s = hole_b[-i % 3], hole_b[(-i - 1) % 3]
        tube += [(p, q, r), (q, s, r)]
    one = Solid.of(v, np.concatenate([np.delete(f, [2, 14], axis=0), np.array(tube)]))
    assert (one.closed, one.wound, one.parts) == (True, True, 1)
    assert one.volume_mm3 is None
    assert "through itself" in one.body.unknown


def test_a_part_that_only_touches_itself_is_a_plain_body():
    ring = [(x, y) for x in range(3) for y in range(3) if (x, y) not in ((1, 1), (2, 1))]  # a C of bricks
    bricks = [box((10 * x, 10 * y, 0), (10 * x + 10, 10 * y + 10, 10)) for x, y in ring]
    closing = box((20, 10, 0), (30, 20, 10))
    c = union(bricks)
    assert Solid.of(*c).volume_mm3 == pytest.approx(7000)
    both = Solid.of(*joined(c, closing))
    assert (both.volume_mm3, both.overlapping) == (pytest.approx(8000), False)
    v, f = union([box((0, 0, 0), (10, 10, 10)), box((10, 10, 0), (20, 20, 10)), box((0, 0, 10), (20, 20, 20))])
    edge = Solid.of(v, f)  # two feet that meet along an edge, under one plate
    assert edge.parts == 1
    assert (edge.volume_mm3, edge.overlapping) == (pytest.approx(6000), False)


def test_what_float64_blurs_is_put_on_a_grid_before_it_is_told_as_tangled(monkeypatch):
    """A roof of real walls, turned by 13.3 degrees and written with 13 digits, had no volume; its copy in STL had."""
    asked = []

    def blurred(vertices, *rest):
        asked.append(vertices)
        if len(asked) == 1:
            raise volume.Tangled("its surface passes through itself in a way that cannot be taken apart")
        return enclosed(vertices, *rest)

    enclosed = volume.enclosed
    monkeypatch.setattr(volume, "enclosed", blurred)
    vertices, faces = loop()
    assert Solid.of(Pose.at(3, 4, turn=13.3).apply(vertices), faces).volume_mm3 == pytest.approx(15_000)
    assert len(asked) == 2
    assert (asked[1] * 2**20 % 1 == 0).all()
    assert np.abs(asked[1] - asked[0]).max() <= 2**-21


def test_what_would_take_minutes_is_not_tried():
    angle = np.linspace(0, 2 * np.pi, 5000, endpoint=False)
    out = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(5000)]) * 50
    aside = np.column_stack([np.cos(angle + 5e-4), np.sin(angle + 5e-4), np.zeros(5000)]) * 50
    v = np.concatenate([[(0.0, 0, 0), (0, 0, 90)], out, aside])
    faces = []
    for i in range(5000):  # a fan of thin wedges about one edge
        faces += [(0, 2 + i, 5002 + i), (1, 5002 + i, 2 + i), (0, 1, 2 + i), (0, 5002 + i, 1)]
    start = time.process_time()
    crowd = Solid.of(v, faces)
    assert crowd.closed
    assert crowd.volume_mm3 is None
    assert "at one edge" in crowd.body.unknown
    needles = [(p[0] * 0.01 + (0, 0, k), p[1]) for k, p in enumerate([cube()] * 3)]
    heap = solid(*((v * (1, 100, 100) + (0.001 * i, 0, 0), f) for i in range(2000) for v, f in needles[:1]))
    assert heap.volume_mm3 is None
    assert "densely" in heap.body.unknown
    assert time.process_time() - start < 30


def test_copies_are_left_out_only_where_nothing_opens():
    twice = solid(cube(), cube())
    assert twice.source.left_out == (("duplicate", 12),)
    assert twice.volume_mm3 == pytest.approx(1000)
    assert fires("MESH_DUPLICATE", twice.findings)
    assert silent("MESH_DUPLICATE", solid(cube(), cube(inward=True)).findings)
    # Two boxes of different height on the same bottom: their bottoms are copies, and each box needs its own.
    tall = cube()[0] * (1, 1, 2), cube()[1]
    nested = solid(cube(), tall)
    assert nested.volume_mm3 == pytest.approx(2000)
    assert fires("MESH_DUPLICATE", nested.findings)
    assert nested.source.left_out == ()
    assert silent("MESH_DUPLICATE", solid(cube(), cube(at=(20, 0, 0))).findings)


def test_triangles_without_area_close_but_carry_nothing(tmp_path):
    v, f = cube()
    v = np.vstack([v, [(5, 0, 0)]])  # a corner halfway on an edge that only one of the two faces knows
    f = [t for t in f.tolist() if t != [0, 1, 4]] + [[0, 8, 4], [8, 1, 4], [0, 1, 8]]
    strange = Solid.of(v, f)
    assert strange.closed
    assert (len(strange.faces), len(strange.slivers)) == (13, 1)
    assert strange.volume_mm3 == pytest.approx(1000)
    assert fires("MESH_DEGENERATE", strange.findings)
    assert silent("MESH_DEGENERATE", Solid.of(*cube()).findings)
    assert accepted(tmp_path, "a.obj", obj() + b"v 5 0 0\nf 1 2 9\n").closed, "a sliver that lies about opens nothing"


def test_seams_are_joined_within_the_house_tolerance_and_said(tmp_path):
    v, f = cube()
    apart = v[f].reshape(-1, 3)
    apart[::2] += SAME_VERTEX_MM / 4
    sewn = Solid.of(apart, np.arange(36).reshape(-1, 3))
    assert sewn.closed
    assert fires("MESH_SEAMS_JOINED", sewn.findings)
    apart[::2] += SAME_VERTEX_MM * 10
    torn = Solid.of(apart, np.arange(36).reshape(-1, 3))
    assert not torn.closed
    assert silent("MESH_SEAMS_JOINED", torn.findings)
    assert silent("MESH_SEAMS_JOINED", accepted(tmp_path, "a.stl", stl_ascii()).findings)


def test_sizes_that_cannot_be_meant(tmp_path):
    assert fires("MESH_TINY", Solid.of(*cube(size=0.06)).findings)
    assert silent("MESH_TINY", Solid.of(*cube(size=3.0)).findings)
    assert fires("MESH_HUGE", Solid.of(*cube(size=3001)).findings)
    assert silent("MESH_HUGE", Solid.of(*cube(size=3000)).findings)
    assert fires("MESH_TINY", accepted(tmp_path, "a.stl", stl(cube(size=0.06))).findings)
    assert silent("MESH_TINY", accepted(tmp_path, "a.stl", stl(cube(size=0.06)), unit="m").findings)


def test_flat_and_crowded_and_unused(tmp_path):
    mat = [(0, 0, 0), (30, 0, 0), (30, 30, 0), (0, 30, 0)], [(0, 1, 2), (0, 2, 3)]
    assert fires("MESH_FLAT", Solid.of(*mat).findings)
    bent = [(0, 0, 0), (30, 0, 0), (30, 30, 0.01), (0, 30, 0)], [(0, 1, 2), (0, 2, 3)]
    assert silent("MESH_FLAT", Solid.of(*bent).findings)
    tilted = [(0, 0, 0), (30, 0, 7.7), (30, 30, 18.1), (0, 30, 10.4)], mat[1]
    assert fires("MESH_FLAT", Solid.of(*tilted).findings)
    assert fires("MESH_FLAT", accepted(tmp_path, "a.stl", stl((np.array(tilted[0]), np.array(tilted[1])))).findings)
    assert "normal" in str(Solid.of(*tilted).findings)
    assert silent("MESH_FLAT", Solid.of([(0, 0, 0), (30, 0, 7.7), (30, 30, 18.11), (0, 30, 10.4)], mat[1]).findings)
    edge = solid(cube(), cube(at=(10, 10, 0)))
    assert fires("MESH_NONMANIFOLD", edge.findings)
    assert edge.nonmanifold_edges == 1
    assert silent("MESH_NONMANIFOLD", solid(cube(), cube(at=(10, 10, 10))).findings)
    assert fires(
        "MESH_UNUSED_CORNERS",
        accepted(tmp_path, "a.obj", b"v 7 7 7\n" + obj().replace(b"f ", b"f -8 -7 -6\nf ", 1)).findings,
    )
    assert silent("MESH_UNUSED_CORNERS", accepted(tmp_path, "b.obj", obj()).findings)
    assert refused(tmp_path, "c.obj", b"v 1 1 1\n").report.codes


def test_six_hundred_loose_bodies():
    many = solid(*(cube(at=(12 * (i % 25), 12 * (i // 25), 0)) for i in range(600)))
    assert (many.parts, many.overlapping) == (600, False)
    assert many.volume_mm3 == pytest.approx(600_000)


place = st.integers(-8, 8)


@settings(max_examples=25, deadline=None)
@given(st.tuples(place, place, place), st.tuples(place, place, place), st.booleans())
def test_the_union_of_two_boxes_is_their_sum_less_what_they_share(a, b, reverse):
    shared = math.prod(max(0, 10 - abs(p - q)) for p, q in zip(a, b, strict=True))
    pair = [cube(at=a), cube(at=b)]
    two = solid(*(pair[::-1] if reverse else pair))
    assert two.volume_mm3 == pytest.approx(2000 - shared)
    assert two.overlapping == (0 < shared < 1000)


@settings(max_examples=25, deadline=None)
@given(
    st.tuples(st.floats(-200, 200), st.floats(-200, 200), st.floats(-200, 200)),
    st.floats(0, 360),
    st.floats(0.1, 10),
)
def test_moving_and_scaling_keep_what_they_must(at, deg, factor):
    one = solid(cube(size=30), cube(at=(10, 10, 10), inward=True), cube(at=(25, 25, 25)))
    two = one.moved(Pose.at(*at, turn=deg)).scaled(factor)
    assert two.volume_mm3 == pytest.approx(one.volume_mm3 * factor**3, rel=1e-6)
    assert two.area_mm2 == pytest.approx(one.area_mm2 * factor**2, rel=1e-6)
    assert (two.parts, two.closed, two.wound, two.overlapping) == (one.parts, one.closed, one.wound, one.overlapping)
    centre = Pose.at(*at, turn=deg).apply([one.centre_of_mass])[0] * factor
    assert two.centre_of_mass == pytest.approx(tuple(centre), abs=1e-4 * factor)
    with pytest.raises(ValueError, match="positive"):
        one.scaled(-1)


def test_corners_with_the_same_mix_are_told_apart(monkeypatch):
    # The fast way sorts corners by a 64-bit mix; when two places share one, the slow way must give the same mesh.
    plain = solid(cube(), cube(at=(3, 4, 5)))
    monkeypatch.setattr(survey, "_mixed", lambda vertices: np.zeros(len(vertices), np.uint64))
    slow = solid(cube(), cube(at=(3, 4, 5)))
    assert slow.vertices.tolist() == plain.vertices.tolist()
    assert slow.faces.tolist() == plain.faces.tolist()


whole = st.integers(0, 5)
sides = st.tuples(*[st.integers(1, 4)] * 3)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(whole, whole, whole, st.tuples(*[st.integers(1, 4)] * 3)), min_size=1, max_size=5, unique=True)
)
def test_boxes_taken_apart_triangle_by_triangle(made):
    # On a grid of whole millimetres faces lie on faces and edges on edges, and the truth is a count of cells.
    cells = {(x + i, y + j, z + k) for x, y, z, (a, b, c) in made for i in range(a) for j in range(b) for k in range(c)}
    one = solid(*(box((x, y, z), (x + a, y + b, z + c)) for x, y, z, (a, b, c) in made))
    volume, centre = taken_apart(one)
    assert volume == pytest.approx(len(cells), rel=1e-9)
    assert centre == pytest.approx(tuple(np.mean(list(cells), axis=0) + 0.5), rel=1e-9)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9), st.floats(-9, 9)), min_size=2, max_size=4))
def test_the_two_ways_to_a_union_agree(places):
    parts = [ball(10.0, at=at, rings=8) for at in places]
    volume, centre = volume_and_centre(*union(parts))
    slowly, middle = taken_apart(solid(*parts))
    assert slowly == pytest.approx(volume, rel=1e-6)
    assert middle == pytest.approx(centre, abs=1e-4)


def taken_apart(one):
    faces = np.concatenate([one.faces, one.slivers])
    surface = Surface(one.vertices, faces, one.edges, np.zeros(len(faces), np.int64))
    return surface.enclosed(np.empty(0, np.int64))


def test_a_mesh_winds_around_a_point_as_often_as_its_solid_angle_says() -> None:
    corners, faces = box((-1, -1, -1), (1, 1, 1))
    middle, beside = np.zeros(3), np.array([3.0, 0.5, 0.2])
    assert winding((corners, faces), middle) == pytest.approx(1.0)
    assert winding((corners, faces[:, ::-1]), middle) == pytest.approx(-1.0)
    assert winding((corners, np.vstack([faces, faces])), middle) == pytest.approx(2.0)
    assert winding((corners, faces), beside) == pytest.approx(0.0, abs=1e-12)
    top = faces[(corners[faces][:, :, 2] == 1.0).all(axis=1)]
    assert winding((corners, top), middle) == pytest.approx(1.0 / 6.0)
