"""Pictures: exact coverage, true depth, honest projection, the same bytes always."""

from __future__ import annotations

import hashlib
import io
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest

from sim3d.solid import Solid
from sim3d.solid.boolean import box
from sim3d.table import Table
from sim3d.view import draw, light, picture, png
from sim3d.view.camera import Camera, Lens
from sim3d.view.font import GLYPHS, glyph
from sim3d.view.picture import Shape, bounds_of, outline_of, png_bytes, render, write_png
from sim3d.view.raster import rasterise
from sim3d.view.tableau import shapes_of

RED, GREEN, BLUE, WHITE = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0)
QUAD = [[0, 1, 2], [0, 2, 3]]

SCENE = """
import hashlib, sys
import numpy as np
from sim3d.view.picture import Camera, Shape, bounds_of, render
rng = np.random.default_rng(7)
points = rng.uniform(-40, 40, (300, 3))
shapes = [
    Shape(points, rng.integers(0, 300, (200, 3)), colours=rng.uniform(0, 1, (300, 3)), grain=0.2),
    Shape([[-60, -60, -41], [60, -60, -41], [60, 60, -41], [-60, 60, -41]], [[0, 1, 2], [0, 2, 3]], grain=0.3),
]
image = render(shapes, Camera.around(bounds_of(shapes)), width=120, height=80, threads=int(sys.argv[1]))
print(hashlib.sha256(image.tobytes()).hexdigest())
"""


def flat(x0: float, y0: float, x1: float, y1: float, z: float, colour: tuple[float, float, float]) -> Shape:
    return Shape([[x0, y0, z], [x1, y0, z], [x1, y1, z], [x0, y1, z]], QUAD, colour)


def screen(width: int, height: int) -> Lens:
    """One mm is one pixel; x to the right, y down the page as -y, seen from above."""
    return Lens((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, -1), 1.0, (0.0, 0.0), False)


def shown(points: list[list[float]], faces: list[list[int]], width: int = 10, height: int = 8) -> np.ndarray:
    args = np.array(points, dtype=np.float64), np.array(faces, dtype=np.int32), screen(width, height)
    return rasterise(*args, size=(height, width), keep=True, threads=1)[1]


def decoded(data: bytes) -> np.ndarray:
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    place, body, size = 8, b"", (0, 0)
    while place < len(data):
        (length,) = struct.unpack(">I", data[place : place + 4])
        name, part = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        assert struct.unpack(">I", data[place + 8 + length : place + 12 + length])[0] == zlib.crc32(name + part)
        if name == b"IHDR":
            width, height, *rest = struct.unpack(">IIBBBBB", part)
            size = (width, height)
            assert rest == [8, 2, 0, 0, 0]
        body += part if name == b"IDAT" else b""
        place += 12 + length
    width, height = size
    raw, row = zlib.decompress(body), bytes(3 * width)
    image = []
    for y in range(height):
        begin = y * (1 + 3 * width)
        row = unfiltered(raw[begin], raw[begin + 1 : begin + 1 + 3 * width], row)
        image.append(row)
    return np.frombuffer(b"".join(image), np.uint8).reshape(height, width, 3)


def unfiltered(kind: int, raw: bytes, above: bytes) -> bytes:
    """A row of pixels of three bytes, each told from those to its left, above it and at that corner."""
    row = bytearray(3) + raw
    over = bytes(3) + above
    if kind == 0:
        return raw
    if kind == 1:
        told = np.frombuffer(raw, np.uint8).reshape(-1, 3).cumsum(axis=0, dtype=np.uint8)
        return told.tobytes()
    if kind == 2:
        return (np.frombuffer(raw, np.uint8) + np.frombuffer(above, np.uint8)).tobytes()
    for k in range(3, len(row)):
        left, up, corner = row[k - 3], over[k], over[k - 3]
        if kind == 4:
            a, b, c = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
            told = left if a <= b and a <= c else up if b <= c else corner
        else:
            told = (left + up) // 2
        row[k] = (row[k] + told) & 255
    return bytes(row[3:])


def test_a_triangle_covers_the_pixels_whose_centres_it_holds():
    # Corners (0, 0), (8, 0), (0, 8) on the page: pixel (i, j) is inside when i + 0.5 + j + 0.5 < 8, and the slanted
    # edge, a right one, does not belong to it: 7 + 6 + … + 1 pixels.
    got = shown([[0, 0, 0], [8, 0, 0], [0, -8, 0]], [[0, 1, 2]])
    expected = np.add.outer(np.arange(8), np.arange(10)) + 1 < 8
    assert np.array_equal(got == 0, expected)
    assert np.array_equal(shown([[0, 0, 0], [8, 0, 0], [0, -8, 0]], [[0, 2, 1]]), got)  # from behind the same


def test_two_triangles_that_share_an_edge_share_no_pixel_and_leave_no_gap():
    rng = np.random.default_rng(3)
    for _ in range(50):
        middle = rng.integers(4, 28, 2) / 4.0  # on the grid of centres too, where ties are decided
        points = [[0, 0, 0], [8, 0, 0], [8, -8, 0], [0, -8, 0], [middle[0], -middle[1], 0]]
        fan = [[0, 1, 4], [1, 2, 4], [2, 3, 4], [3, 0, 4]]
        counted = sum((shown(points, [f]) >= 0).astype(int) for f in fan)
        assert (counted[:, :8] == 1).all()
        assert (counted[:, 8:] == 0).all()


@pytest.mark.parametrize("order", [1, -1])
def test_the_nearer_surface_is_seen(order):
    shapes = [flat(-10, -10, 10, 10, 0, RED), flat(-4, -4, 4, 4, 5, GREEN)][::order]
    camera = Camera.plan(bounds_of(shapes))
    image = render(shapes, camera, width=64, height=64)
    (x, y), (u, v) = camera.project([[0, 0, 5], [9, 9, 0]], width=64, height=64).astype(int)
    assert image[y, x].argmax() == 1
    assert image[v, u].argmax() == 0


def test_depth_in_perspective_is_correct_between_the_corners():
    # A floor seen along it: where the sample's ray meets the plane z = 0 the depth is known.
    camera = Camera.looking((0, -100, 50), (0, 0, 0), fov_deg=60)
    lens = camera.lens(width=40, height=40)
    points = np.array([[-500, -80, 0], [500, -80, 0], [500, 900, 0], [-500, 900, 0]], dtype=np.float64)
    depth, _ = rasterise(points, np.array(QUAD, np.int32), lens, size=(40, 40), keep=True, threads=1)
    o, r, u, f = lens.frame()
    for row in range(15, 40):
        ray = r * (20.5 - lens.centre[0]) / lens.scale + u * (lens.centre[1] - row - 0.5) / lens.scale + f
        # Corners are moved by up to 1/512 pixel: 2e-3 of relative depth at the far rows, where a pixel is many mm.
        assert 1 / depth[row, 20] == pytest.approx(-o[2] / ray[2], rel=2e-3)


@pytest.mark.parametrize("camera", ["plan", "around", "parallel"])
def test_a_projected_point_lands_on_the_pixel_that_shows_it(camera):
    rng = np.random.default_rng(1)
    marks = np.c_[rng.uniform(-80, 80, (5, 2)), rng.uniform(1, 30, 5)]
    shapes = [flat(-100, -100, 100, 100, 0, BLUE)]
    shapes += [flat(x - 4, y - 4, x + 4, y + 4, z, RED) for x, y, z in marks]
    bounds = bounds_of(shapes)
    view = Camera.plan(bounds) if camera == "plan" else Camera.around(bounds, perspective=camera == "around")
    image = render(shapes, view, width=150, height=100)
    for x, y in view.project(marks, width=150, height=100):
        assert image[int(y), int(x)].argmax() == 0


def test_everything_is_in_the_frame_and_fills_it():
    rng = np.random.default_rng(5)
    shape = Shape(rng.uniform(-1, 1, (400, 3)) * [300, 200, 50], [[0, 1, 2]])
    low, high = bounds_of([shape])
    box = np.array([[(low, high)[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])
    for aim, seen in (((low, high), box), (outline_of([shape]),) * 2):
        for azimuth in range(0, 360, 40):
            for perspective in (True, False):
                view = Camera.around(aim, azimuth_deg=azimuth, perspective=perspective, inset=(30, 0, 0, 10))
                at = view.project(seen, width=320, height=200)
                assert (at >= [30, 0]).all()
                assert (at <= [320, 190]).all()
                # 4 % margins of 200 px: the frame is used up in one direction or the other
                assert max(np.ptp(at[:, 0]) / (290 - 16), np.ptp(at[:, 1]) / (190 - 16)) > 0.999


def test_same_bytes_in_fresh_processes_whatever_the_threads():
    digests = {
        subprocess.run([sys.executable, "-c", SCENE, threads], capture_output=True, text=True, check=True).stdout
        for threads in ("1", "3")
    }
    assert len(digests) == 1


def test_png_decodes_to_the_picture(tmp_path):
    rng = np.random.default_rng(2)
    image = rng.integers(0, 256, (20, 17, 3)).astype(np.uint8)
    image[5:12] = np.linspace(0, 255, 17).astype(np.uint8)[None, :, None]
    assert np.array_equal(decoded(png_bytes(image)), image)
    buffer = io.BytesIO()
    write_png(buffer, image)
    write_png(tmp_path / "a.png", image)
    assert buffer.getvalue() == (tmp_path / "a.png").read_bytes() == png_bytes(image)
    with pytest.raises(ValueError, match="uint8"):
        png_bytes(image[:, :, 0])


def test_there_is_shadow_under_a_roof_and_none_without():
    floor, roof = flat(-100, -100, 100, 100, 0, WHITE), flat(-40, -40, 40, 40, 30, WHITE)
    camera = Camera.looking((0, -250, 40), (0, 0, 5), fov_deg=40)
    covered, bare = (render(s, camera, width=160, height=120) for s in ([floor, roof], [floor]))
    (x, y), (u, v) = camera.project([[0, 0, 0], [-60, -60, 0]], width=160, height=120).astype(int)
    assert covered[y, x].sum() < 0.6 * bare[y, x].sum()
    assert covered[v, u].sum() > 0.9 * bare[v, u].sum()


def test_a_small_picture_asks_for_small_maps_of_light_and_looks_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    shapes = [flat(-100, -100, 100, 100, 0, WHITE), flat(-40, -40, 40, 40, 30, WHITE)]
    for camera in (Camera.around(bounds_of(shapes)), Camera.plan(bounds_of(shapes))):
        lenses = [camera.lens(width=w, height=w) for w in (8, 100, 200, 4000)]
        sizes = [light.map_size(np.array(camera.shown), lens, 1) for lens in lenses]
        assert sizes[0] == light.LEAST_MAP
        assert sizes[1] * 2 == pytest.approx(sizes[2], rel=0.2)  # the frame's border is as wide in both
        assert sizes[3] == light.KEY_MAP
        assert light.map_size(np.array(camera.shown), lenses[1].enlarged(2), 2) == sizes[1]
    few = render(shapes, Camera.around(bounds_of(shapes)), width=120, height=90)
    monkeypatch.setattr(light, "LEAST_MAP", light.KEY_MAP)
    many = render(shapes, Camera.around(bounds_of(shapes)), width=120, height=90)
    off = np.abs(few.astype(int) - many)
    assert off.mean() < 1.0
    assert (off > 40).mean() < 0.002


def test_both_sides_are_lit_alike():
    one = flat(-10, -10, 10, 10, 0, WHITE)
    other = Shape(one.vertices, one.faces[:, ::-1], WHITE)
    camera = Camera.plan(bounds_of([one]))
    assert np.array_equal(*(render([s], camera, width=40, height=40) for s in (one, other)))


def test_colours_per_face_and_per_vertex():
    corners = flat(-10, -10, 10, 10, 0, WHITE).vertices
    faces = Shape(corners, QUAD, colours=[RED, BLUE])
    camera = Camera.plan(bounds_of([faces]))
    image = render([faces], camera, width=40, height=40)
    assert image[30, 30].argmax() == 0
    assert image[10, 10].argmax() == 2
    image = render([Shape(corners, QUAD, colours=[RED, RED, BLUE, BLUE])], camera, width=40, height=40)
    assert (np.diff(image[4:36, 20, 0].astype(int)) >= 0).all()  # red grows down the page


def test_a_mesh_through_the_eye_is_cut_not_torn():
    # The eye stands on the floor's near half; the floor fills all below the horizon and nothing above it.
    floor = flat(-1e5, -1e5, 1e5, 1e5, 0, WHITE)
    camera = Camera.looking((0, 0, 20), (0, 100, 20), fov_deg=60)
    image = render([floor], camera, width=60, height=60, background=RED)
    assert (image[:29, :, 1] == 0).all()
    assert (image[31:, :, 1] > 0).all()
    through = render([flat(-10, -10, 10, 10, 20, WHITE)], camera, width=60, height=60, background=RED)
    assert through.shape == (60, 60, 3)  # edge on, and round the eye


def test_nothing_to_show_is_the_background():
    for shapes in ([], [Shape(np.zeros((0, 3)), np.zeros((0, 3)))], [Shape(np.zeros((3, 3)), [[0, 1, 2]])]):
        image = render(shapes, Camera.around(bounds_of(shapes)), width=9, height=7, background=GREEN)
        assert (image == [0, 255, 0]).all()


def test_slivers_needles_and_repeated_faces_give_a_picture():
    rng = np.random.default_rng(9)
    points = np.repeat(rng.uniform(-1, 1, (50, 3)), 3, axis=0) + rng.uniform(-1e-9, 1e-9, (150, 3))
    points[::7] *= 1e6
    shape = Shape(points, rng.integers(0, 150, (300, 3)))
    for view in (Camera.around(bounds_of([shape])), Camera.plan([[-1, -1, -1], [1, 1, 1]])):
        with np.errstate(all="raise"):
            image = render([shape, shape], view, width=50, height=40)
        assert image.std() > 0


def test_a_shape_refuses_what_cannot_be_drawn():
    with pytest.raises(ValueError, match="finite"):
        Shape([[np.nan, 0, 0]], [])
    with pytest.raises(ValueError, match="faces name vertices 0 to 0"):
        Shape([[0, 0, 0]], [[0, 0, 1]])
    with pytest.raises(ValueError, match="colours"):
        Shape([[0, 0, 0]], [[0, 0, 0]], colours=[[1, 1]])
    with pytest.raises(ValueError, match="bounds"):
        Camera.plan([[0, 0, 0]])


def test_a_large_picture_is_made_in_bands_that_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    cloud = Shape(rng.uniform(-40, 40, (90, 3)), rng.integers(0, 90, (60, 3)), grain=0.2)
    shapes = [cloud, flat(-60, -60, 60, 60, -41, GREEN)]
    camera = Camera.around(bounds_of(shapes))
    monkeypatch.setattr(light, "KEY_MAP", 64)  # every band makes the maps of its lights: small ones here
    monkeypatch.setattr(light, "SKY_MAP", 48)
    whole = render(shapes, camera, width=60, height=50)
    file = png_bytes(whole)
    for rows in (1, 7, 40):
        monkeypatch.setattr(picture, "MOST_SAMPLES", rows * 60 * 4)
        assert np.array_equal(render(shapes, camera, width=60, height=50, threads=2), whole)
    for numbers in (1, 700):
        monkeypatch.setattr(png, "CHUNK", numbers)
        assert png_bytes(whole) == file


def test_no_more_samples_are_held_than_a_gigabyte_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    whole = picture.rasterise

    def counted(*args: object, size: tuple[int, int], **more: object) -> object:
        asked.append(size[0] * size[1])
        return whole(*args, size=size, **more)

    monkeypatch.setattr(picture, "rasterise", counted)
    monkeypatch.setattr(picture, "MOST_SAMPLES", 100_000)
    render([flat(-9, -9, 9, 9, 0, RED)], Camera.plan([[-9, -9, 0], [9, 9, 1]]), width=300, height=400)
    around = 2 * picture.AROUND_PIXELS * 300 * 4
    assert max(asked) <= 100_000 + around
    assert picture.MOST_SAMPLES * 40 < 1e9


def page() -> np.ndarray:
    return np.full((60, 200, 3), 255, np.uint8)


def test_words_change_the_pixels_where_they_stand():
    image = page()
    draw.text(image, (20, 40), "27 mm", size=20)
    rows, columns = np.nonzero((image < 128).any(axis=2))
    # A capital is 0.72 of the size; strokes reach half a pen, a pixel, beyond.
    assert 40 - 0.72 * 20 - 2 <= rows.min() < rows.max() <= 42
    assert 19 <= columns.min() < columns.max() <= 20 + draw.text_width("27 mm", size=20) + 1
    for align, start in (("centre", 100), ("right", 180)):
        other = page()
        draw.text(other, (start, 40), "27 mm", size=20, align=align)
        assert (other < 128).sum() == pytest.approx((image < 128).sum(), rel=0.3)


def test_every_letter_has_its_own_strokes():
    letters = [chr(c) for c in range(33, 127)] + list("°µ²³±×−…")
    assert not [x for x in letters if x not in GLYPHS]
    assert all(np.isfinite(stroke).all() for x in GLYPHS for stroke in glyph(x)[0])
    inks = {}
    for letter in letters[:94]:
        image = page()
        draw.text(image, (20, 40), letter, size=28)
        inks.setdefault(hashlib.sha256(image.tobytes()).hexdigest(), []).append(letter)
    assert all(len(same) == 1 for same in inks.values())
    draw.text(page(), (20, 40), "ж", size=12)  # unknown: a box, not a failure


def test_marks_have_the_area_they_should():
    # Ink in pixels against the closed form; the soft edge is a pixel wide and symmetric.
    def ink(paint, *args, **more):
        image = page()
        paint(image, *args, colour=(0, 0, 0), **more)
        return (255 - image[:, :, 0].astype(float)).sum() / 255

    assert ink(draw.disc, (100.3, 30.2), 20) == pytest.approx(np.pi * 400, rel=0.01)
    assert ink(draw.circle, (100.3, 30.2), 20, width=3) == pytest.approx(2 * np.pi * 20 * 3, rel=0.01)
    assert ink(draw.rectangle, (10.5, 10.5), (50.25, 30)) == pytest.approx(39.75 * 19.5, rel=0.01)
    assert ink(draw.polygon, [(10, 10), (110, 10), (10, 50)]) == pytest.approx(2000, rel=0.01)
    assert ink(draw.line, [(20, 20), (120, 40)], width=4) == pytest.approx(np.hypot(100, 20) * 4 + np.pi * 4, rel=0.02)
    assert ink(draw.disc, (-500, 30), 20) == ink(draw.line, [(np.nan, 1)]) == ink(draw.circle, (np.nan, 0), 3) == 0
    assert ink(draw.polygon, [(-1e9, -1e9), (1e9, -1e9), (1e9, 1e9), (-1e9, 1e9)]) == 60 * 200


def test_a_scale_bar_is_as_long_as_it_says():
    image = page()
    length = draw.scale_bar(image, (10, 50), mm_per_pixel=0.7, longest=180, colour=(0, 0, 0))
    assert length == 100
    dark = np.nonzero(image[50, :, 0] < 128)[0]
    assert np.ptp(dark) == pytest.approx(100 / 0.7, abs=2.5)
    width, height = draw.legend(page(), (5, 5), [(RED, "falls"), (GREEN, "stable")], title="27 mm")
    assert width > draw.text_width("stable", size=15)
    assert height > 40


def test_the_ground_under_the_smallest_things_is_a_slab_no_pillar() -> None:
    for wide, thick in ((0.02, 0.0065), (20.0, 6.5), (80.0, 12.0)):  # the ground goes 15 % further on either side
        ground, piece = shapes_of(Table.of(Solid.of(*box((0, 0, 0), (wide, wide, wide)))))
        low, high = bounds_of([ground])
        assert low[2] == pytest.approx(-thick)
        assert high[2] < 0.0 == bounds_of([piece])[0][2]
