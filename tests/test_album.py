"""Pictures without a window: where things are in them, moving ones decoded again, marks and what they cover."""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sim3d
from sim3d.plane import area_mm2, clipped, covering
from sim3d.report.showing import Shown, moving_of, sheet_of_pack, still_of, story_shown
from sim3d.space import Floats, Pose
from sim3d.view.album import (
    CARD_PX,
    action_of,
    figure_shapes,
    frames_of,
    named,
    picture_of_story,
    shapes_of_scene,
    sheet_of,
    together,
)
from sim3d.view.camera import Camera
from sim3d.view.card import card_of, wrapped
from sim3d.view.draw import text_width
from sim3d.view.hexboard import WATER
from sim3d.view.hexmarks import LIFT_MM as HEX_LIFT_MM
from sim3d.view.hexmarks import entries_of
from sim3d.view.moving import apng_bytes, gif_bytes
from sim3d.view.outlook import USUAL_DEG, side_of
from sim3d.view.picture import BAD, GOOD, STONE, WARN, Shape, outline_of
from sim3d.view.props import arrow, bead, draped, flat, rod, shaded
from sim3d.view.scene import Told
from sim3d.view.stage import FORCE
from tests.commands import sim3d as command
from tests.test_picture import decoded

ROOT = Path(__file__).parent.parent
LEDGE = ROOT / "scenarios" / "stand" / "ledge.toml"


# --- moving pictures, taken apart by other code than made them --------------------------------------------------------


def chunks_of(data: bytes) -> list[tuple[bytes, bytes]]:
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    found, k = [], 8
    while k < len(data):
        (size,) = struct.unpack(">I", data[k : k + 4])
        name, body = data[k + 4 : k + 8], data[k + 8 : k + 8 + size]
        assert struct.unpack(">I", data[k + 8 + size : k + 12 + size]) == (zlib.crc32(name + body),)
        found.append((name, body))
        k += 12 + size
    return found


def unfiltered(data: bytes, width: int, height: int) -> np.ndarray:
    """Rows as PNG filters them, made pixels again."""
    raw, wide = zlib.decompress(data), 3 * width
    out = np.zeros((height, wide), dtype=np.int64)
    for y in range(height):
        kind, row = raw[y * (wide + 1)], np.frombuffer(raw[y * (wide + 1) + 1 : (y + 1) * (wide + 1)], np.uint8)
        for x in range(wide):
            a = out[y, x - 3] if x >= 3 else 0
            b = out[y - 1, x] if y else 0
            c = out[y - 1, x - 3] if y and x >= 3 else 0
            guess = a + b - c
            near = min((abs(guess - v), k) for k, v in enumerate((a, b, c)))[1]
            add = (0, a, b, (a + b) // 2, (a, b, c)[near])[kind]
            out[y, x] = (int(row[x]) + add) & 255
    return out.reshape(height, width, 3).astype(np.uint8)


def apng_frames(data: bytes) -> list[np.ndarray]:
    parts = chunks_of(data)
    width, height = struct.unpack(">II", parts[0][1][:8])
    now = np.zeros((height, width, 3), dtype=np.uint8)
    frames, place, count = [], (0, 0, 0, 0), -1
    for name, body in parts:
        if name == b"fcTL":
            number, w, h, x, y = struct.unpack(">IIIII", body[:20])
            place, count = (w, h, x, y), count + 1
            assert number >= count
        elif name in (b"IDAT", b"fdAT"):
            w, h, x, y = place
            now = now.copy()
            now[y : y + h, x : x + w] = unfiltered(body[4:] if name == b"fdAT" else body, w, h)
            frames.append(now)
    return frames


def gif_frames(data: bytes) -> list[np.ndarray]:
    """Written from the format's description: codes of growing length, and a table of what each stands for."""
    width, height, flags = struct.unpack("<HHB", data[6:11])
    count = 2 << (flags & 7)
    palette = np.frombuffer(data[13 : 13 + 3 * count], np.uint8).reshape(-1, 3)
    k, clear, now, frames = 13 + 3 * count, -1, np.zeros((height, width, 3), dtype=np.uint8), []
    while data[k] != 0x3B:
        extension = data[k] == 0x21
        if extension:
            clear = data[k + 6] if data[k + 1] == 0xF9 else clear
            k += 2
        else:
            x, y, w, h, _ = struct.unpack("<HHHHB", data[k + 1 : k + 10])
            bits, k = data[k + 10], k + 11
        body = b""
        while data[k]:
            body += data[k + 1 : k + 1 + data[k]]
            k += 1 + data[k]
        k += 1
        if not extension:
            pixels = np.array(unpacked(body, bits)).reshape(h, w)
            now = now.copy()
            now[y : y + h, x : x + w][pixels != clear] = palette[pixels[pixels != clear]]
            frames.append(now)
    return frames


def unpacked(body: bytes, bits: int) -> list[int]:
    stream, at, size = int.from_bytes(body, "little"), 0, bits + 1
    table: list[tuple[int, ...]] = []
    out: list[int] = []
    before: tuple[int, ...] = ()
    while True:
        code = (stream >> at) & ((1 << size) - 1)
        at += size
        if code == 1 << bits:
            table, size, before = [(n,) for n in range(1 << bits)] + [(), ()], bits + 1, ()
            continue
        if code == (1 << bits) + 1:
            return out
        entry = table[code] if code < len(table) else (*before, before[0])
        out += entry
        if before and len(table) < 4096:
            table.append((*before, entry[0]))
        if len(table) == 1 << size and size < 12:
            size += 1
        before = entry


def moving_dot(size: tuple[int, int] = (20, 31), count: int = 5) -> list[np.ndarray]:
    height, width = size
    frames = []
    for k in range(count):
        frame = np.zeros((height, width, 3), dtype=np.uint8)
        frame[:, :, 0] = np.arange(width) * 8
        frame[4 + k : 9 + k, 3 * k : 3 * k + 6] = (20, 200, 40 + 3 * k)
        frames.append(frame)
    return [*frames, frames[-1].copy()]


def test_an_apng_is_its_frames_again() -> None:
    frames = moving_dot()
    again = apng_frames(apng_bytes(frames, frame_ms=80, hold_ms=500))
    assert len(again) == len(frames)
    assert all(np.array_equal(a, b) for a, b in zip(again, frames, strict=True))


def test_a_gif_is_its_frames_again_as_closely_as_its_colours_let_it() -> None:
    frames = moving_dot()
    again = gif_frames(gif_bytes(frames, frame_ms=80, hold_ms=500))
    assert len(again) == len(frames)
    for a, b in zip(again, frames, strict=True):  # five bits of each colour tell two apart
        assert np.abs(a.astype(int) - b).max() <= 8


def test_a_gif_with_more_codes_than_fit_begins_anew() -> None:
    noise = np.random.default_rng(5).integers(0, 256, (120, 120, 3)).astype(np.uint8)  # 14,400 pixels, over 4,096 codes
    (again,) = gif_frames(gif_bytes([noise], frame_ms=80))
    assert np.abs(again.astype(int) - noise).mean() < 32  # 255 colours for noise: half of a step in each


def test_frames_of_two_sizes_are_refused() -> None:
    with pytest.raises(ValueError, match="one size"):
        gif_bytes([*moving_dot(), moving_dot((5, 5))[0]], frame_ms=80)
    with pytest.raises(ValueError, match="one size"):
        apng_bytes([], frame_ms=80)


# --- marks ------------------------------------------------------------------------------------------------------------


def ring_of(points: int, radius: float, at: tuple[float, float] = (0.0, 0.0)) -> Floats:
    a = 2 * np.pi * np.arange(points) / points
    return np.column_stack([at[0] + radius * np.cos(a), at[1] + radius * np.sin(a)])


def areas(triangles: Floats) -> Floats:
    u, v = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    return (u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]) / 2


def hills() -> Floats:
    x, y = np.meshgrid(np.linspace(-50, 50, 41), np.linspace(-50, 50, 41))
    points = np.stack([x, y, 0.2 * x + 3 * np.sin(y / 9)], axis=-1)
    a, b, c, d = points[:-1, :-1], points[:-1, 1:], points[1:, 1:], points[1:, :-1]
    return np.concatenate([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]).reshape(-1, 3, 3)


def test_what_rings_cover_is_cut_into_triangles_of_the_same_area() -> None:
    rings = [ring_of(40, 20.0), ring_of(7, 15.0, (18.0, 3.0)), ring_of(5, 6.0, (-60.0, 0.0))]
    signed = areas(covering(rings))
    assert (signed > 0).all()  # counter-clockwise
    assert signed.sum() == pytest.approx(area_mm2(rings), rel=1e-9)
    cut, number = clipped(rings[:2], hills()[:, :, :2])
    assert (areas(cut) >= 0).all()
    assert areas(cut).sum() == pytest.approx(area_mm2(rings[:2]), rel=1e-9)
    assert len(cut) == len(number)


def test_an_area_is_draped_over_the_ground_and_over_no_wall() -> None:
    wall = np.array([[[0.0, -9, 0], [0.0, 9, 0], [0.01, 0, 90]]])
    corners, faces = draped([ring_of(30, 20.0)], np.concatenate([hills(), wall]), 0.5)
    x, y, z = corners.T
    assert len(faces)
    off = z - 0.5 - (0.2 * x + 3 * np.sin(y / 9))
    # a chord of 2.5 mm under a curve of curvature 3 / 81: 2.5² / 8 * 3 / 81 mm
    assert np.abs(off).max() < 2.5**2 / 8 * 3 / 81 * 2 + 1e-9
    assert areas(corners[faces][:, :, :2]).sum() == pytest.approx(area_mm2([ring_of(30, 20.0)]), rel=1e-6)


def volume(mesh: tuple[Floats, Any]) -> float:
    t = mesh[0][mesh[1]]
    return float(np.einsum("ij,ij->", t[:, 0], np.cross(t[:, 1], t[:, 2]))) / 6


def test_props_face_outward_and_hold_what_their_shape_holds() -> None:
    round_14 = 14 / 2 * np.sin(2 * np.pi / 14) / np.pi  # a 14-gon's share of its circle
    assert volume(rod([(0, 0, 0), (0, 3, 4)], 2.0)) == pytest.approx(5 * np.pi * round_14)
    assert 0.85 < volume(bead((5, 6, 7), 3.0)) / (4 / 3 * np.pi * 27) < 1.0
    assert volume(arrow((0, 0, 0), (10, 0, 0), 1.0)) > volume(rod([(0, 0, 0), (7, 0, 0)], 1.0))
    assert len(arrow((1, 1, 1), (1, 1, 1), 1.0)[1]) == 0  # a push of nothing is not drawn
    assert volume(flat([ring_of(9, 5.0)], 3.0)) == pytest.approx(3.0 / 3 * area_mm2([ring_of(9, 5.0)]))


def test_a_crease_has_a_normal_on_either_side_and_a_round_side_one() -> None:
    corners, faces, normals = shaded(*rod([(0, 0, 0), (0, 0, 10)], 8.0))
    assert np.allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-6)
    ends, sides = np.abs(normals[:, 2]) > 0.99, np.abs(normals[:, 2]) < 0.01
    assert (ends | sides).all()
    rim = np.hypot(*corners.T[:2]) > 3.9
    assert (rim & ends).sum() == (rim & sides).sum() == 2 * 14  # once for its end, once for its side
    across = corners[rim & sides][:, :2] / 4.0
    assert np.allclose(across, normals[rim & sides][:, :2], atol=0.08)  # round: outward, by a third of half a face
    assert faces.max() < len(corners)


# --- stills -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ledge() -> Any:
    return still_of(Shown.read(LEDGE), physics="never")


def test_one_step_shows_its_word_where_the_mini_rests_and_its_pushes(ledge: Any) -> None:
    size = {"width": 800, "height": 360}
    image = decoded(picture_of_story(ledge, step=1, **size)).astype(int)
    scene = ledge.moments[1].scene
    figure = scene.figure("Fenn")
    camera = Camera.around(
        outline_of(shapes_of_scene(scene)), azimuth_deg=-60.0, elevation_deg=38.0, inset=(CARD_PX, 0, 0, 0)
    )
    ((x, y),) = camera.project(figure.pose.apply([[0.0, 0.0, 36.0]]), **size)
    r, _, b = image[round(y), round(x)]
    assert r > b + 80  # precarious: amber
    for force in figure.forces:
        if force.share[2] > 0.2:
            middle = (np.array(force.place) + np.array(force.tip)) / 2
            ((x, y),) = camera.project([middle], **size)
            patch = image[round(y) - 1 : round(y) + 2, round(x) - 1 : round(x) + 2].reshape(-1, 3)
            assert np.abs(patch - 255 * np.array(FORCE)).max(axis=1).min() < 60


def test_all_steps_together_leave_out_whom_another_hides(ledge: Any) -> None:
    scene, numbers = together(ledge)
    named = {figure.name for figure in scene.figures}
    assert set(numbers) <= named
    assert len(numbers) < len(ledge.moments) - 1  # they all stand at the same edge
    with pytest.raises(ValueError, match="there are steps 1 to 6"):
        picture_of_story(ledge, width=100, height=100, step=99)


def test_a_plan_has_a_scale_bar_and_a_legend(ledge: Any) -> None:
    image = decoded(picture_of_story(ledge, width=500, height=320, plan=True)).astype(int)
    dark = (image[298:302, 15:260] < 60).all(axis=2).any(axis=0)
    assert 20 < np.nonzero(dark)[0].max() < 245
    corner = image[:90, :160].reshape(-1, 3)
    assert (np.abs(corner - 255 * np.array(WARN)).max(axis=1) < 3).any()  # a swatch of the word


# --- from which side --------------------------------------------------------------------------------------------------


def box(low: tuple[float, float, float], high: tuple[float, float, float]) -> Shape:
    corners = np.array([[(low, high)[k >> a & 1][a] for a in range(3)] for k in range(8)])
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return Shape(corners, [(a, b, c) for a, b, c, _ in quads] + [(a, c, d) for a, _, c, d in quads])


def side_for(*around: Shape) -> float:
    mini = box((-10, -10, 0), (10, 10, 40))
    view = partial(Camera.around, [[-150, -150, 0], [150, 150, 60]], elevation_deg=30.0, inset=(320, 0, 0, 0))
    return side_of(around, [[mini]], view, width=1600, height=1000)


def test_a_picture_is_taken_from_where_the_mini_is_seen() -> None:
    assert side_for() == USUAL_DEG
    wall = box((15, -100, 0), (20, 100, 200))  # between the mini and +x
    behind = side_for(wall)
    assert math.cos(math.radians(behind)) < 0.1, "from the wall's other side, or along it"
    beside = box((15, 15, 0), (20, 100, 200))
    assert side_for(beside) == USUAL_DEG  # it hides nothing from there


def test_a_mini_in_a_house_is_seen_from_nowhere_and_the_usual_side_stays() -> None:
    assert side_for(box((-100, -100, 0), (100, 100, 100))) == USUAL_DEG


def test_who_was_pushed_aside_is_not_hidden_behind_who_pushed() -> None:
    story = still_of(Shown.read(ROOT / "scenarios" / "legion" / "displacement" / "dp01-bites.toml"), physics="never")
    kinds = [(area.layer, area.kind) for area in story.moments[1].scene.areas]
    assert kinds == [("swept", "swept by the leader"), ("tool", "movement tool")]
    usual = decoded(picture_of_story(story, step=1, width=800, height=400, azimuth_deg=USUAL_DEG))
    chosen = decoded(picture_of_story(story, step=1, width=800, height=400))
    assert (usual != chosen).any()


def test_one_step_is_seen_from_near(monkeypatch: pytest.MonkeyPatch) -> None:
    story = still_of(Shown.read(ROOT / "scenarios" / "legion" / "cohesion" / "co02-bites.toml"), physics="never")
    green = 255 * np.array(GOOD)
    size = {"width": 640, "height": 400}
    near = decoded(picture_of_story(story, step=1, **size))[:, 330:].astype(int)
    monkeypatch.setattr("sim3d.view.album.action_of", lambda scene, asked, whole: whole)
    far = decoded(picture_of_story(story, step=1, **size))[:, 330:].astype(int)
    seen = [(np.abs(image - green).sum(axis=2) < 60).sum() for image in (near, far)]
    assert seen[0] > 3 * seen[1] > 0  # pixels that show something of the minis
    whole = np.array([[-450.0, -450.0, -10.0], [450.0, 450.0, 40.0]])
    scene = story.moments[1].scene
    asked = [figure for figure in scene.figures if figure.word]
    low, high = action_of(scene, asked, whole)
    for figure in asked:
        for shape in figure_shapes(figure):
            assert (shape.vertices >= low).all()
            assert (shape.vertices <= high).all()
    assert np.array_equal(action_of(scene, [], whole), whole)


def test_a_name_is_left_out_where_it_would_cover_another() -> None:
    story = still_of(Shown.read(ROOT / "scenarios" / "legion" / "displacement" / "dp01-bites.toml"), physics="never")
    scene = story.moments[1].scene
    camera = Camera.around([[-450, -450, 0], [450, 450, 40]])
    names = {figure.name: figure.name for figure in scene.figures}

    def inked(labels: dict[str, str], width: int, height: int) -> int:
        image = np.full((height, width, 3), 255, np.uint8)
        named(image, camera, scene, labels, 14.0)
        return int((image < 90).all(axis=2).sum())

    one, other = (inked({name: name}, 2700, 1800) for name in names)
    assert one > 0 < other
    assert inked(names, 2700, 1800) == one + other  # side by side
    assert inked(names, 90, 60) == inked({"Grinder": "Grinder"}, 90, 60)  # who moved is named, the other is not


# --- hexes ------------------------------------------------------------------------------------------------------------


def test_a_board_of_hexes_is_drawn_with_what_its_hexes_are_and_told_in_the_legend() -> None:
    story = still_of(Shown.read(ROOT / "scenarios" / "hexes" / "terrain" / "hx13-spares.toml"), physics="never")
    scene = story.moments[1].scene
    said = [words for _, words in entries_of(scene.hexes)]
    assert said == ["elevated", "difficult", "wall", "zone", "no base stands"]
    without = len(shapes_of_scene(replace(scene, hexes=())))
    shapes = shapes_of_scene(scene)
    assert len(shapes) == without + 4 + 2  # grid, walls, zones, where none stands; and two kinds of ground
    washed = [s for s in shapes if s.colour == WATER]
    cells = [cell for cell in scene.hexes if cell.colour == WATER]
    assert len(washed) == 1
    assert len(washed[0].faces) == len(cells) * 6 * 4  # six strips of two triangles, seen from both sides
    heights = sorted({round(float(z), 6) for z in washed[0].vertices[:, 2]})
    assert heights == sorted({round(cell.height_mm + HEX_LIFT_MM, 6) for cell in cells if cell.height_mm is not None})


def test_a_board_without_terrain_is_ground_all_over() -> None:
    story = still_of(Shown.read(ROOT / "scenarios" / "hexes" / "traits" / "hx07c-bites.toml"), physics="never")
    scene = story.moments[0].scene
    assert not scene.table.pieces
    (ground,) = [s for s in shapes_of_scene(scene) if s.colour == STONE and len(s.faces) > 100]
    assert len(ground.faces) == 8 * sum(cell.colour is None for cell in scene.hexes)


def test_words_are_wrapped_and_a_card_is_as_high_as_it_must_be() -> None:
    lines = wrapped("one two three four five six", 60.0, 14.0)
    assert " ".join(lines) == "one two three four five six"
    assert all(text_width(line, size=14.0) <= 60.0 for line in lines)
    short = card_of("a.toml", Told(1, "Fenn", "legal", True, "moves"), None)
    long = card_of("a.toml", Told(1, "Fenn", "legal", True, "moves " * 40), None)
    assert short.shape[0] < long.shape[0]
    assert short.shape[1] == long.shape[1]


def test_the_card_of_a_move_says_first_whether_it_is_legal() -> None:
    stand = sim3d.stand(sim3d.Table(), sim3d.Mini("27"), at=(0.0, 0.0), physics="never")
    told = Told(1, "Grinders", "not legal", True, "Full speed.", ("not allowed: Hale stops it after 136.55 mm",))
    moved, stood = card_of("a.toml", told, stand), card_of("a.toml", replace(told, word="stable"), stand)
    stripes = [tuple(card[10, 2].astype(int)) for card in (moved, stood)]
    assert stripes == [tuple(round(255 * c) for c in colour) for colour in (BAD, GOOD)]
    assert moved.shape[0] > stood.shape[0]  # the word of who stands there has a line of its own
    assert moved.shape[0] > card_of("a.toml", replace(told, lines=()), stand).shape[0]


def test_what_moves_ends_where_it_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim3d.view.album.MOST_FRAMES", 4)
    story = story_shown(Shown.read(LEDGE), physics="never")
    moment = story.moments[6]  # it topples
    (motion,) = moment.motions
    assert motion.track[-1].pose.rotation()[2, 2] < 0.5  # on its side
    frames = list(frames_of(story, moment, width=60, height=40))
    assert len({frame.tobytes() for frame in frames}) == len(frames) == 5
    assert moving_of(story, Path("x.png"), step=6, width=60, height=40)[:4] == b"\x89PNG"
    with pytest.raises(ValueError, match="nothing moves in 99"):
        moving_of(story, Path("x.gif"), step=99, width=60, height=40)


def test_a_pose_between_two_is_in_proportion() -> None:
    from sim3d.view.scene import Motion, Timed

    motion = Motion("a", (Timed(1.0, Pose.at(0, 0)), Timed(3.0, Pose.at(10, 0, 4, turn=90.0))))
    assert motion.at(0.0).place == (0.0, 0.0, 0.0)
    assert motion.at(1.5).place == pytest.approx((2.5, 0.0, 1.0))
    turned = motion.at(2.0).rotation()
    assert np.degrees(np.arctan2(turned[1, 0], turned[0, 0])) == pytest.approx(45.0)
    assert motion.at(9.0).place == (10.0, 0.0, 4.0)


# --- a sheet ----------------------------------------------------------------------------------------------------------


def test_a_sheet_shows_every_piece_and_names_what_cannot_be_read(tmp_path: Path) -> None:
    for name in ("crate.stl", "pillar.stl"):
        (tmp_path / name).write_bytes((ROOT / "meshes" / "gallery" / name).read_bytes())
    (tmp_path / "broken.stl").write_bytes(b"solid nothing")
    image = decoded(sheet_of_pack(tmp_path))
    wide, tall = 300, 250
    assert image.shape[1] == 2 * wide
    cells = [image[46 + r * (tall + 44) + 20 : 46 + r * (tall + 44) + tall, c * wide + 20 : (c + 1) * wide - 20]
             for r in range(2) for c in range(2)]  # fmt: skip
    busy = [len(np.unique(cell.reshape(-1, 3), axis=0)) for cell in cells]
    assert sorted(b > 50 for b in busy) == [False, False, True, True]


def test_a_long_name_is_cut() -> None:
    box = Shape(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], colour=STONE
    )
    image = decoded(sheet_of([("a name that is far too long for its cell " * 3, "", box)]))
    assert (image[-30:, -6:] > 240).all()  # nothing runs into the border


@pytest.mark.parametrize(("name", "mark"), [("a.gif", b"GIF89a"), ("a.png", b"acTL"), ("a.apng", b"acTL")])
def test_the_command_writes_what_moves_under_names_that_play_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, mark: bytes
) -> None:
    monkeypatch.setattr("sim3d.view.album.MOST_FRAMES", 3)
    done = command("show", LEDGE, "--gif", tmp_path / name, "--step", "1", "--size", "60x40")
    assert done.exit_code == 0, done.output
    assert mark in (tmp_path / name).read_bytes()[:64]
