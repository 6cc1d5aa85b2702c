"""The generator: the committed terrain is what it makes, sound, as large as its README says, and playable."""

from __future__ import annotations

import importlib.metadata
import itertools
import math
import os
import platform
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from sim3d.forge import bases, board, gallery, pack
from sim3d.forge.__main__ import main
from sim3d.forge.noise import chance, fbm
from sim3d.forge.shapes import box, is_clean
from sim3d.solid import read_solid
from sim3d.solid.boolean import (
    NotManifold,
    difference,
    hull,
    intersection,
    is_manifold,
    status,
    union,
    volume_and_centre,
)
from sim3d.solid.write import ENDINGS, encode, write_mesh
from sim3d.space import Pose
from tests.house import HOUSE

ROOT = Path(__file__).resolve().parents[1]
MESHES = ROOT / "meshes"
# another manifold3d may cut the same solid into other triangles; then only the solids are compared, not the bytes
MADE_WITH = ("3.5.4", "x86_64")
SAME_BYTES = (importlib.metadata.version("manifold3d"), platform.machine()) == MADE_WITH
ITEMS = {"bases": bases.ITEMS, "gallery": gallery.ITEMS, "pack": pack.ITEMS}


def files_below(folder: Path) -> list[Path]:
    wanted = [path for name in ITEMS for path in (folder / "meshes" / name).iterdir()]
    return [*sorted(p.relative_to(folder) for p in wanted), Path("scenarios/board.toml")]


def assert_same(made: Path, kept: Path) -> None:
    if made.read_bytes() == kept.read_bytes():
        return
    hint = f"{kept.name} is not what the generator makes: run `python -m sim3d.forge`"
    assert not SAME_BYTES, hint
    if made.suffix in ENDINGS:
        a, b = read_solid(made), read_solid(kept)
        assert np.allclose(a.extents_mm, b.extents_mm, atol=2e-3), hint
        assert math.isclose(a.volume_mm3, b.volume_mm3, rel_tol=1e-5), hint


# --- the committed files ---------------------------------------------------------------------------------------------


def test_the_committed_terrain_is_what_the_generator_makes(tmp_path):
    """In a fresh process, with a hash seed of its own."""
    command = [sys.executable, "-m", "sim3d.forge", "--out", str(tmp_path)]
    environment = {**os.environ, "PYTHONHASHSEED": "4242"}
    told = subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True, encoding="utf-8", timeout=60
    )
    made = files_below(tmp_path)
    kept = [p for p in files_below(ROOT) if p.suffix in (*ENDINGS, ".md", ".toml")]
    assert made == kept
    for path in made:
        assert_same(tmp_path / path, ROOT / path)
    assert told.stdout == ""  # data on stdout, progress on stderr
    assert "ruin.stl" in told.stderr


def test_what_is_named_is_made_and_nothing_else(tmp_path):
    names = ["ruin", "barricade-plates", "pegs-5", "board"]
    assert main(["--out", str(tmp_path), *(word for name in names for word in ("--only", name))]) == 0
    made = sorted(p.relative_to(tmp_path) for p in tmp_path.rglob("*.*"))
    assert len(made) == len(names)
    for path in made:
        assert_same(tmp_path / path, ROOT / path)


def test_an_unknown_name_is_misuse(tmp_path, capsys):
    assert main(["--out", str(tmp_path), "--only", "castle"]) == 2
    assert "castle" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", ["bases", "gallery", "pack"])
def test_every_mesh_is_one_closed_solid_on_the_table(folder):
    lines = (MESHES / folder / "README.md").read_text(encoding="utf-8").splitlines()
    rows = {row.split("`")[1]: [c.strip() for c in row.strip("|").split("|")] for row in lines if row.startswith("| `")}
    assert list(rows) == [item.file for item in ITEMS[folder]]
    for item in ITEMS[folder]:
        solid = read_solid(MESHES / folder / item.file)
        assert solid.closed, item.file
        assert solid.parts == 1, item.file
        assert solid.volume_mm3 > 0, item.file
        assert len(solid.slivers) == 0, item.file
        assert not solid.findings, (item.file, solid.findings.codes)
        assert is_clean((solid.vertices, solid.faces)), item.file
        low, high = solid.vertices.min(axis=0), solid.vertices.max(axis=0)
        assert abs(low[2]) < 1e-5, item.file
        # the middle of the footprint is rounded to a tenth; a GLB's metres in float32 add less than a micron
        assert np.allclose((low + high)[:2] / 2, 0.0, atol=0.051), item.file
        _, _, extents, triangles, _ = rows[item.file]
        assert extents == " x ".join(f"{v:.1f}" for v in (high - low).tolist()), item.file
        assert int(triangles.replace(",", "")) == len(solid.faces), item.file


def test_the_terrain_fits_into_the_repository():
    sizes = [p.stat().st_size for p in MESHES.rglob("*") if p.is_file()]
    assert sum(sizes) < 25e6


def test_fine_pieces_have_printing_resolution():
    for name in ("hill", "rocks"):
        assert 50_000 <= len(read_solid(MESHES / "pack" / f"{name}.ply").faces) <= 300_000


# --- the gallery's numbers -------------------------------------------------------------------------------------------


def corners(name: str) -> np.ndarray:
    return read_solid(MESHES / "gallery" / f"{name}.stl").vertices


def test_crate():
    assert {tuple(c) for c in corners("crate").tolist()} == set(itertools.product((-40, 40), (-40, 40), (0, 30)))


@pytest.mark.parametrize("deg", gallery.RAMPS_DEG)
def test_ramps_have_their_angle(deg):
    # the only rounding is that of one height of up to 277 mm to float32: 1.5e-5 mm over 160 mm is 6e-6 degrees
    points = corners(f"ramp-{deg}")
    assert set(points[:, 0]) == {-80.0, 80.0}
    assert abs(math.degrees(math.atan2(points[:, 2].max(), 160.0)) - deg) < 6e-6


def test_rails_and_pegs_have_their_tips():
    def tips(name, above):
        return sorted(tuple(c) for c in corners(name).tolist() if c[2] > above)

    assert tips("rails", 10) == [(-8, -60, 20), (-8, 60, 20), (8, -60, 20), (8, 60, 20)]
    assert tips("rails-uneven", 10) == [(-8, -60, 20), (-8, 60, 20), (8, -60, 22), (8, 60, 22)]
    assert tips("pegs-4-short", 10) == [(-10, 0, 20), (0, -10, 20), (0, 10, 20), (10, 0, 19)]
    assert tips("pegs-line", 10) == [(-10, 0, 20), (0, 0, 20), (10, 0, 20)]
    for count in (3, 4, 5, 6):
        # on the generator's grid of 1e-4 mm: a corner is off by at most half of that along x and y
        radii = [math.hypot(x, y) for x, y, _ in tips(f"pegs-{count}", 10)]
        assert np.allclose(radii, 10.0, atol=7.1e-5)
        assert len(radii) == count


@pytest.mark.parametrize(("word", "sides", "rings"), gallery.DOMES)
def test_domes_have_their_corners_on_the_ball(word, sides, rings):
    points = corners(f"dome-{word}")
    shell = points[np.linalg.norm(points, axis=1) > 1.0]
    assert np.allclose(np.linalg.norm(shell, axis=1), 40.0, atol=1e-4)
    assert len(shell) == sides * rings + 1


@pytest.mark.parametrize("rise", gallery.STEPS_MM)
def test_steps_have_their_edge_at_the_origin(rise):
    assert {(x, z) for x, _, z in corners(f"step-{rise}").tolist()} == {
        (-60, 0), (60, 0), (60, 20), (0, 20), (0, 20 + rise), (-60, 20 + rise)
    }  # fmt: skip


@pytest.mark.parametrize("deg", [20, 35])
def test_grooves_have_their_walls(deg):
    points = corners(f"groove-{deg}")
    walls = points[points[:, 2] > 1]
    assert np.allclose(walls[:, 2], 5 + np.abs(walls[:, 0]) * math.tan(math.radians(deg)), atol=6e-5)


# --- the pack can be played on ---------------------------------------------------------------------------------------


def crossings(name: str, x: float, y: float) -> list[float]:
    """The heights at which the vertical line through (x, y) passes the surface, from below."""
    file = next(item.file for item in pack.ITEMS if item.name == name)
    solid = read_solid(MESHES / "pack" / file)
    a, b, c = (solid.vertices[solid.faces[:, k]] for k in range(3))
    u, v, w = b[:, :2] - a[:, :2], c[:, :2] - a[:, :2], np.array([x, y]) - a[:, :2]
    turn = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        s = (w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]) / turn
        t = (u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]) / turn
        hit = (s >= 0) & (t >= 0) & (s + t <= 1)
        heights = a[:, 2] + s * (b[:, 2] - a[:, 2]) + t * (c[:, 2] - a[:, 2])
    return sorted(round(float(z), 3) for z in heights[hit])


def test_a_mini_has_room_on_every_floor():
    # between tile grooves and planks, so that each height is that of the floor itself
    assert crossings("ruin", -70.3, 9.7) == [0.0, 3.0, 55.0, 60.0]
    assert crossings("ruin", -90.3, 49.7)[-2:] == [115.0, 120.0]
    under = crossings("bridge", 0.3, 9.7)
    assert under[0] > 50.9
    assert 59.6 <= under[1] <= 60.0
    assert crossings("domed-house", 31.0, -2.3)[:3] == [0.0, 3.0, 54.0]
    sill = crossings("shuttle-ramp", 66.0, 3.3)
    assert 60.0 in sill
    assert sill[sill.index(60.0) + 1] - 60.0 >= 45.0
    tower = crossings("watch-tower", -20.3, -20.2)
    decks = [min(tower, key=lambda z, at=at: abs(z - at)) for at in (60.0, 120.0)]
    assert all(at - 0.5 <= z <= at for z, at in zip(decks, (60.0, 120.0), strict=True))
    assert tower[tower.index(decks[1]) + 1] - decks[1] >= 42.0


@pytest.mark.parametrize(
    ("name", "low", "high", "area"),
    [
        ("ruin", 60, 60, 15_000),
        ("ruin", 3, 3, 25_000),
        ("ruin", 120, 120, 3_500),
        ("bridge", 59.6, 60, 12_000),
        ("watch-tower", 119.5, 120, 10_000),
        ("watch-tower", 59.5, 60, 7_000),
        ("landing-pad", 30, 30, 26_000),
        ("stairs", 60, 60, 4_000),
        ("shuttle-ramp", 60, 60, 2_500),
        ("domed-house", 60, 60, 6_000),
    ],
)
def test_floors_are_level_and_large(name, low, high, area):
    solid = read_solid(MESHES / "pack" / f"{name}.stl")
    triangles = solid.vertices[solid.faces]
    normals = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]) / 2
    lies = (triangles[:, :, 2].min(axis=1) > low - 1e-3) & (triangles[:, :, 2].max(axis=1) < high + 1e-3)
    assert normals[lies & (normals[:, 2] > 0), 2].sum() > area


def footprints(meshes):
    """The convex outline of each placed piece seen from above, counter-clockwise, on the table."""
    plans = {name: _plan(mesh) for name, mesh in meshes.items()}
    out = {}
    for name, item, x, y, turn, _ in board.PLACES:
        flat = np.column_stack([plans[item], np.zeros(len(plans[item]))])
        out[name] = Pose.at(x, y, turn=turn).apply(flat)[:, :2]
    return out


def room_between(one, other):
    """How far apart two convex outlines are along their best separating side; negative when they overlap."""
    best = -np.inf
    for a, b in ((one, other), (other, one)):
        sides = np.roll(a, -1, axis=0) - a
        outward = np.column_stack([sides[:, 1], -sides[:, 0]]) / np.linalg.norm(sides, axis=1, keepdims=True)
        apart = (b @ outward.T).min(axis=0) - (a * outward).sum(axis=1)
        best = max(best, float(apart.max()))
    return best


def _plan(mesh):
    """The convex hull of the corners in x and y."""
    corners = np.unique(np.round(mesh[0][:, :2], 3), axis=0).tolist()
    flat = np.array([(x, y, z) for z in (0.0, 1.0) for x, y in corners])
    solid = hull(flat)[0]
    rim = solid[solid[:, 2] < 0.5][:, :2]
    middle = rim.mean(axis=0)
    around = np.argsort(np.arctan2(rim[:, 1] - middle[1], rim[:, 0] - middle[0]))
    return rim[around]


def test_the_board_has_no_overlap_and_nothing_over_the_edge():
    text = (ROOT / "scenarios" / "board.toml").read_text(encoding="utf-8")
    told = tomllib.loads(text)
    assert told["table"]["size"] == [914.4, 914.4]
    assert {Path(p["mesh"]).stem for p in told["piece"]} == {item.name for item in pack.ITEMS}
    assert all((ROOT / "scenarios" / p["mesh"]).is_file() for p in told["piece"])
    names = [p["name"] for p in told["piece"]]
    assert len(set(names)) == len(names)
    solids = {item.name: read_solid(MESHES / "pack" / item.file) for item in pack.ITEMS}
    plans = footprints({name: (solid.vertices, solid.faces) for name, solid in solids.items()})
    assert list(plans) == names
    assert all(np.abs(plan).max() < board.SIZE_MM / 2 - 5 for plan in plans.values())
    for a, b in itertools.combinations(plans, 2):
        # bridge, stairs and ramp meet end to end; between all others a base fits or nearly so
        assert room_between(plans[a], plans[b]) > (0.5 if "bridge" in a and "bridge" in b else 3.0), (a, b)


def test_room_between_outlines():
    square = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    assert room_between(square, square + np.array([3, 0])) == 2.0
    assert room_between(square, square + np.array([0.75, 0])) == -0.25


# --- solids and files ------------------------------------------------------------------------------------------------


def test_boolean_refuses_what_is_no_solid_and_says_which():
    cube = box((0, 0, 0), (1, 1, 1))
    holed = (cube[0], cube[1][1:])
    with pytest.raises(NotManifold, match=r"mesh 1 .* NotManifold") as caught:
        union([cube, holed])
    assert (caught.value.index, caught.value.status) == (1, "NotManifold")
    assert not is_manifold(*holed)
    assert status(cube[0] * np.nan, cube[1]) == "NonFiniteVertex"
    assert status(cube[0], cube[1] + 5) == "VertexOutOfBounds"


def test_volumes_add_up():
    # |a| + |b| = |a and b| + |a or b|, and what is cut away is what they share
    a, b = box((0, 0, 0), (4, 3, 2)), box((1, 1, 1), (6, 6, 6))
    whole, shared, left = (volume_and_centre(*m)[0] for m in (union([a, b]), intersection(a, b), difference(a, b)))
    assert whole == pytest.approx(24 + 125 - shared, rel=1e-12)
    assert left == pytest.approx(24 - shared, rel=1e-12)
    assert shared == pytest.approx(3 * 2 * 1, rel=1e-12)


def test_inward_faces_have_negative_volume():
    cube = box((0, 0, 0), (1, 2, 3))
    assert volume_and_centre(cube[0], cube[1][:, ::-1]) == (-6.0, (0.5, 1.0, 1.5))


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_format_reads_back_in_mm_z_up(tmp_path, ending):
    vertices, faces = box((-10.5, 2.25, 0), (30, 17, 8.125))
    path = tmp_path / f"block{ending}"
    write_mesh(path, vertices, faces)
    back = read_solid(path)
    assert back.closed
    # metres in float32 keep 30 mm to 2e-6 mm; the other formats keep these numbers exactly
    assert np.allclose(back.vertices.min(axis=0), (-10.5, 2.25, 0), atol=2e-6)
    assert np.allclose(back.vertices.max(axis=0), (30, 17, 8.125), atol=2e-6)
    assert encode(ending, vertices, faces) == path.read_bytes()


def test_colours_only_where_the_format_has_them():
    vertices, faces = box((0, 0, 0), (1, 1, 1))
    paint = np.full((8, 4), 200, dtype=np.uint8)
    assert len(encode(".ply", vertices, faces, colours=paint)) > len(encode(".ply", vertices, faces))
    assert b"COLOR_0" in encode(".glb", vertices, faces, colours=paint)
    with pytest.raises(ValueError, match="colours"):
        encode(".stl", vertices, faces, colours=paint)


def test_chance_is_pinned():
    # written down once: a change here changes every stone of the pack
    assert [round(chance(7, k), 6) for k in range(3)] == [0.854228, 0.086219, 0.624865]
    assert np.round(fbm(np.array([[3.0, 4.0, 5.0]]), size=10, octaves=4, seed=2), 6).tolist() == [0.42996]


def test_nothing_here_names_a_place_outside_the_repository():
    outside = re.compile(r"/(?:work|home|tmp|root)/")
    for path in [*(HOUSE / "forge").glob("*.py"), *MESHES.rglob("README.md")]:
        assert not outside.search(path.read_text(encoding="utf-8")), path
