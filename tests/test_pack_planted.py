"""A pack with one planted defect in each piece: each is found once, and nothing else; and the sample pack's report."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

from sim3d.forge.bad import defects
from sim3d.forge.shapes import along_y, cone
from sim3d.pack import How, Validation, heard, read_pack, validate
from sim3d.pack.standing import STANDING
from sim3d.report.validation import validation_data
from sim3d.solid.boolean import Mesh, box, union
from sim3d.solid.write import write_mesh
from tests.packs import HEAD, crate, on_legs, shapes_of, together, turned, written

PACK = Path(__file__).parent.parent / "meshes" / "pack"
GOLDEN = PACK / "pack.report.json"


def crossed() -> Mesh:
    """Two bars that share a corner, so that they are one part, and run through each other."""
    vertices, faces = together(box((0, 0, 0), (60, 10, 10)), box((20, -40, 0), (30, 40, 8)))
    corner = np.flatnonzero((vertices == [30.0, 40.0, 8.0]).all(axis=1))[0]
    vertices = vertices.copy()
    vertices[corner] = [60.0, 10.0, 10.0]
    return vertices, faces


def post() -> Mesh:
    """A plate with a post beside its middle."""
    return union([crate(80, 5), box((-20, -20, 0), (20, 20, 60))])


def on_ground(mesh: Mesh) -> Mesh:
    """The same with its lowest corner at z = 0."""
    return mesh[0] - [0, 0, mesh[0][:, 2].min()], mesh[1]


def tilted(mesh: Mesh, deg: float) -> Mesh:
    """A mesh leaning about the y axis, its lowest corner at z = 0."""
    a = math.radians(deg)
    x, y, z = mesh[0].T
    low = (x * math.sin(a) + z * math.cos(a)).min()
    return np.column_stack([x * math.cos(a) - z * math.sin(a), y, x * math.sin(a) + z * math.cos(a) - low]), mesh[1]


FEET = [(-45, -45, 0.0), (45, -45, 0.0), (45, 45, 0.0)]
PLANTED: dict[str, tuple[Mesh, tuple[str, ...]]] = {
    "sound": (crate(), ()),
    "opened": ((crate()[0], crate()[1][:-2]), ("MESH_OPEN", "MESH_VOLUME_UNKNOWN")),
    "crumb": (crate(2.5, 2.0), ("MESH_TINY", "UNIT_IMPLAUSIBLE")),
    "lying": (on_ground(turned(post())), ("PIECE_LIES_ON_SIDE", "PIECE_TIPS_OVER")),
    "lamp": (together(crate(), box((-2, -2, 31), (2, 2, 40))), ("PART_IN_THE_AIR",)),
    "thin": (union([crate(), box((-30, -0.25, 0), (30, 0.25, 80))]), ("PRINT_WALL_THIN",)),
    "long": (box((-155, -9, 0), (155, 9, 9)), ("PRINT_TOO_LARGE",)),
    "afloat": (box((-30, -30, 5), (30, 30, 35)), ("PIECE_OFF_GROUND",)),
    "leaning": (tilted(crate(), 3.0), ("PIECE_NOT_FLAT",)),
    "falling": (union([box((-20, -20, 0), (20, 20, 10)), box((-20, -20, 10), (77, 20, 20))]), ("PIECE_TIPS_OVER",)),
    "rocking": (on_legs(*FEET, (-45, 45, 2.0)), ("PIECE_WOBBLES",)),
    "mislabelled": (crate(), ("MANIFEST_SIZE_DIFFERS",)),
    "crossed": (crossed(), ("MESH_CROSSES_ITSELF", "MESH_OVERLAP")),
    "top": ((cone(20, 0, 50)[0] * [1, 1, -1] + [0, 0, 50], cone(20, 0, 50)[1][:, ::-1]), ("PIECE_TIPS_OVER",)),
    "inward": ((crate()[0], crate()[1][:, ::-1]), ("MESH_INSIDE_OUT",)),
}
SPARED = {"PRINT_OVERHANG"}  # what leans or stands on legs hangs over, too: a hint, not a defect


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Validation:
    folder = tmp_path_factory.mktemp("planted")
    pieces = "".join(f'[piece.{name}]\nfile = "{name}.stl"\n' for name in PLANTED)
    pieces = pieces.replace('"mislabelled.stl"\n', '"mislabelled.stl"\nheight_mm = 40\n')
    written(folder, HEAD + pieces + '[piece.nan]\nfile = "nan.stl"\n', **{n: m for n, (m, _) in PLANTED.items()})
    (folder / "nan.stl").write_bytes(defects()["nan.stl"])
    write_mesh(folder / "forgotten.stl", *crate())
    pack = read_pack(folder)
    return heard(shapes_of(pack), pack.policy)


@pytest.mark.parametrize("name", PLANTED)
def test_each_defect_is_found_and_nothing_else(name: str, planted: Validation) -> None:
    (piece,) = (p for p in planted.pieces if p.name == name)
    assert set(piece.report.codes) - SPARED == set(PLANTED[name][1])
    assert len({f.code for f in piece.report}) == len(piece.report)


def test_what_is_wrong_beside_the_pieces(planted: Validation) -> None:
    assert planted.report.codes == ("MANIFEST_FILE_UNUSED",)
    assert planted.pieces[-1].report.codes == ("MESH_NOT_FINITE",)


# --- the sample pack --------------------------------------------------------------------------------------------------

MAPPED = {check.code for check in STANDING}


def test_the_sample_pack_has_the_shapes_of_its_golden_report() -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    pack = read_pack(PACK)
    seen = json.loads(json.dumps(validation_data(heard(shapes_of(pack), pack.policy))))
    assert [p["name"] for p in seen["pieces"]] == [p["name"] for p in golden["pieces"]]
    for one, other in zip(seen["pieces"], golden["pieces"], strict=True):
        assert one["facts"] == other["facts"], one["name"]
        assert one["findings"] == [f for f in other["findings"] if f["code"] not in MAPPED], one["name"]


@pytest.mark.slow
def test_the_sample_pack_is_its_golden_report() -> None:
    pack = read_pack(PACK)
    seen = heard(validate(pack, how=How(workers=2)), pack.policy)
    assert json.loads(json.dumps(validation_data(seen))) == json.loads(GOLDEN.read_text(encoding="utf-8"))


@pytest.mark.skipif("SIM3D_DEMO" not in os.environ, reason="SIM3D_DEMO names no folder of `make demo`")
def test_the_demo_tells_the_figures_of_the_golden_report() -> None:
    golden = json.loads(GOLDEN.read_text(encoding="utf-8"))
    told = json.loads((Path(os.environ["SIM3D_DEMO"]) / "pack" / "report.json").read_text(encoding="utf-8"))
    figures = [
        {p["name"]: [{**f, "audit": None} for f in p["figures"] if f["base"] == "27"] for p in report["pieces"]}
        for report in (told, golden)
    ]
    assert figures[0] == figures[1] != {}


# --- planted ground ---------------------------------------------------------------------------------------------------


def walled(wall: float) -> Mesh:
    """A court of 100 mm within walls, and steps up to them outside."""
    sides = [box((-60, -60, 0), (60, -50, wall)), box((-60, 50, 0), (60, 60, wall))]
    sides += [box((-60, -60, 0), (-50, 60, wall)), box((50, -60, 0), (60, 60, wall))]
    stairs = [box((60 + 35 * k, -30, 0), (95 + 35 * k, 30, wall * (3 - k) / 4)) for k in range(3)]
    return union([*sides, *stairs, box((-55, -55, 0), (55, 55, 2))])


def gabled(deg: float) -> Mesh:
    """A roof of two slopes."""
    return along_y([(-40, 0), (40, 0), (0, 40 * math.tan(math.radians(deg)))], -40, 40)


LOW = "scalable = false\n"
GROUND: dict[str, tuple[Mesh, str, tuple[str, ...]]] = {
    "firm": (crate(80), "levels_mm = [30]\nexpect = { room = ['27'], stand = [{ at = [0, 0] }] }\n", ()),
    "rail": (union([box((-40, -20, 0), (40, 20, 2.0)), box((-40, -1, 0), (40, 1, 30))]), "", ("LEDGE_TOO_NARROW",)),
    "spire": (gabled(60), "", ("BASE_NO_ROOM",)),
    "promise": (gabled(60), "expect = { room = ['27'] }\n", ("BASE_NO_ROOM", "EXPECT_NO_ROOM")),
    "zone": (crate(80), "expect = { stand = [{ at = [48, 0] }] }\n", ("EXPECT_NOT_STANDABLE",)),
    "level": (crate(80), "levels_mm = [30, 60]\n", ("MANIFEST_LEVEL_ABSENT",)),
    "tall": (crate(80, 200), "", ("AREA_UNREACHABLE",)),
    "step": (crate(80, 43), LOW, ("AREA_UNREACHABLE", "STEP_TOO_HIGH")),
    "roof": (gabled(44.0), "", ("SLOPE_NEAR_45",)),  # for a mini so low that it does not topple before
    "court": (walled(60), LOW, ("ROOF_TRAP",)),
    "balcony": (on_legs((-8, -40, 0), (8, -40, 0), (-8, 40, 0), (8, 40, 0)), "", ("PIECE_TIPS_UNDER_MINI",)),
}


@pytest.mark.parametrize("name", GROUND)
def test_each_planted_ground_is_found_through_a_real_map(name: str, tmp_path: Path) -> None:
    mesh, said, codes = GROUND[name]
    use = "[use]\npitch = 5\n" + ("com = 8\n" if name == "roof" else "")
    printer = "[print]\nwall = 0.1\nbed = [300, 300, 300]\n"
    text = f'{HEAD}{use}{printer}[piece.{name}]\nfile = "{name}.stl"\n{said}'
    pack = read_pack(written(tmp_path, text, **{name: mesh}))
    (piece,) = heard(validate(pack, how=How(workers=0)), pack.policy).pieces
    assert set(piece.report.codes) - SPARED - {"AREA_UNDECIDED", "AREA_PRECARIOUS"} == set(codes)
