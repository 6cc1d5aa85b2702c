"""Every format gives the same cube; units, axes, names and neighbours are what the file or the caller says."""

from __future__ import annotations

import errno
import json
import os
import pickle
import re
import sys
import time

import numpy as np
import pytest
import trimesh

from sim3d.finding import Refused
from sim3d.forge.bad import (
    cube,
    glb,
    gltf,
    gltf_parts,
    joined,
    mesh_xml,
    model_xml,
    obj,
    off,
    ply,
    stl,
    stl_ascii,
    threemf,
)
from sim3d.solid import Limits, Solid, read_solid
from tests.codes import fires, silent
from tests.hostile import EVERY, FEW, accepted, heard, ply_with_colours, refused


@pytest.mark.parametrize("name", EVERY)
def test_every_format_gives_the_same_cube(tmp_path, name):
    solid = accepted(tmp_path, name, EVERY[name])
    assert not solid.inspected().codes
    np.testing.assert_allclose(solid.extents_mm, (10, 10, 10), atol=1e-6)
    assert (solid.closed, solid.wound, solid.parts, len(solid.faces), len(solid.vertices)) == (True, True, 1, 12, 8)
    assert solid.volume_mm3 == pytest.approx(1000, rel=1e-6)
    assert solid.area_mm2 == pytest.approx(600, rel=1e-6)
    middle = (5, -5, 5) if name.endswith(("glb", "gltf")) else (5, 5, 5)  # y up becomes z up
    np.testing.assert_allclose(solid.centre_of_mass, middle, atol=1e-5)


@pytest.mark.parametrize("kind", ["stl", "stl_ascii", "obj", "ply", "off", "glb", "3mf"])
def test_trimesh_writes_what_is_read_here(tmp_path, kind):
    ball = trimesh.creation.icosphere(subdivisions=2, radius=20)
    data = ball.export(file_type=kind)
    name = "ball." + kind.split("_")[0]
    solid = accepted(tmp_path, name, data if isinstance(data, bytes) else data.encode(), unit="mm", up="z")
    assert len(solid.faces) == len(ball.faces)
    assert solid.volume_mm3 == pytest.approx(ball.volume, rel=1e-6)


def test_a_binary_stl_may_begin_with_solid(tmp_path):
    assert len(accepted(tmp_path, "a.stl", stl(header=b"solid made by something")).faces) == 12
    loud = stl_ascii().replace(b"facet", b"FACET").replace(b"solid", b"SOLID").replace(b"\n", b"\r\n")
    assert len(accepted(tmp_path, "loud.stl", loud).faces) == 12


def test_several_ascii_solids_in_one_file(tmp_path):
    both = stl_ascii(name="one") + stl_ascii(cube(at=(50, 0, 0)), name="two")
    solid = accepted(tmp_path, "a.stl", both)
    assert (solid.parts, solid.source.title) == (2, "one")


@pytest.mark.parametrize(
    ("unit", "longest"),
    [("mm", 10), ("cm", 100), ("m", 10_000), ("in", 254), ("inch", 254), ("ft", 3048), ("um", 0.01)],
)
def test_a_unit_is_what_the_caller_says(tmp_path, unit, longest):
    assert max(accepted(tmp_path, "a.stl", stl(), unit=unit).extents_mm) == pytest.approx(longest)


def test_an_axis_is_what_the_caller_says(tmp_path):
    tall = cube()[0] * (1, 2, 3), cube()[1]
    assert accepted(tmp_path, "a.obj", obj(tall), up="y").extents_mm == pytest.approx((10, 30, 20))
    assert accepted(tmp_path, "a.obj", obj(tall)).extents_mm == pytest.approx((10, 20, 30))
    turned = accepted(tmp_path, "a.obj", obj(tall), up="y")
    assert turned.volume_mm3 == pytest.approx(6000), "a turn mirrors nothing"
    with pytest.raises(ValueError, match="not a unit"):
        read_solid(tmp_path / "a.obj", unit="furlong")
    with pytest.raises(ValueError, match="axis"):
        read_solid(tmp_path / "a.obj", up="w")


@pytest.mark.parametrize(("unit", "longest"), [("inch", 254), ("centimeter", 100), ("foot", 3048), ("micron", 0.01)])
def test_a_3mf_has_its_own_unit(tmp_path, unit, longest):
    assert max(accepted(tmp_path, "a.3mf", threemf(model_xml(unit=unit))).extents_mm) == pytest.approx(longest)


def test_a_3mf_places_components_and_items(tmp_path):
    parts = f'<object id="1" type="model" name="brick">{mesh_xml()}</object><object id="2" type="model"><components>'
    parts += '<component objectid="1" /><component objectid="1" transform="2 0 0 0 1 0 0 0 1 100 0 0" />'
    parts += "</components></object>"
    build = '<item objectid="2" transform="0 1 0 -1 0 0 0 0 1 0 0 5" />'
    build += '<item objectid="1" transform="-1 0 0 0 1 0 0 0 1 0 -50 0" />'
    solid = accepted(tmp_path, "a.3mf", threemf(model_xml(parts, build)))
    # The pair is turned a quarter to the left (x becomes y), the third cube mirrored and yet not inside out.
    np.testing.assert_allclose(solid.bounds, [[-10, -50, 0], [0, 120, 15]])
    assert solid.volume_mm3 == pytest.approx(1000 + 2000 + 1000)
    assert silent("MESH_INSIDE_OUT", solid.inspected())


def test_a_3mf_of_the_production_extension(tmp_path):
    space = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
    root = f'requiredextensions="p" xmlns:p="{space}"'
    parts = '<component p:path="/3D/more/a.model" objectid="1" />'
    parts = f'<object id="8" type="model"><components>{parts}</components></object>'
    main = model_xml(parts, '<item objectid="8" />', root=root)
    solid = accepted(tmp_path, "a.3mf", threemf(main, more=[("3D/more/a.model", model_xml(build=""))]))
    assert solid.volume_mm3 == pytest.approx(1000)
    assert fires("THREEMF_REFERENCE", refused(tmp_path, "b.3mf", threemf(main)))


@pytest.mark.parametrize("also", ["", '<item p:path="/3D/more/b.model" objectid="1" />'])
def test_only_the_root_of_a_3mf_names_other_parts(tmp_path, also):
    """What another part names was "not in the file", though it was; or it was read where the build named it as well."""
    root = 'xmlns:p="http://schemas.microsoft.com/3dmanufacturing/production/2015/06"'
    inner = '<object id="1" type="model"><components><component p:path="/3D/more/{}.model" objectid="{}" />'
    inner += "</components></object>"
    main = model_xml(
        '<object id="8" type="model"><components><component p:path="/3D/more/a.model" objectid="1" /></components>'
        "</object>",
        '<item objectid="8" />' + also,
        root=root,
    )
    parts = [
        ("3D/more/a.model", model_xml(inner.format("b", 1), "", root=root)),
        ("3D/more/b.model", model_xml(build="")),
    ]
    report = refused(tmp_path, "a.3mf", threemf(main, more=parts))
    assert fires("THREEMF_REFERENCE", report)
    assert [f.message for f in report.report] == [
        "a component in part '/3D/more/a.model' is of part '/3D/more/b.model'; "
        "only the root model, /3D/3dmodel.model, names parts"
    ]
    own = inner.format("a", 2) + model_xml(build="").partition("<resources>")[2].partition("</resources>")[0].replace(
        'id="1"', 'id="2"'
    )
    fine = threemf(main, more=[("3D/more/a.model", model_xml(own, "", root=root)), parts[1]])
    assert silent("THREEMF_REFERENCE", accepted(tmp_path, "b.3mf", fine).findings)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: x.replace('<vertex x="0" y="0" z="0" />', "<vertex z='0' y='0' x='0'></vertex>"),
        lambda x: x.replace("<vertices>", "<vertices><!-- <vertex x='9' y='9' z='9'/> -->"),
        lambda x: x.replace("<resources>", '<metadata name="a"><![CDATA[<vertices><vertices>]]></metadata><resources>'),
        lambda x: x.replace("/><triangle", '\n p1="0" pid="7"/>\n\t<triangle'),
        lambda x: x.encode("utf-16"),
        lambda x: x.replace('encoding="UTF-8"', 'encoding="latin-1"'),
        lambda x: re.sub(r"<(/?)(\w)", r"<\1k:\2", x).replace("xmlns=", "xmlns:k=").replace("<?k:xml", "<?xml"),
    ],
    ids=["order", "comment", "cdata", "attributes", "utf16", "encoding", "prefix"],
)
def test_a_3mf_may_be_spelled_otherwise(tmp_path, change):
    assert accepted(tmp_path, "a.3mf", threemf(change(model_xml()))).volume_mm3 == pytest.approx(1000)


def test_gltf_nodes_move_turn_scale_and_mirror(tmp_path):
    half = float(np.sqrt(0.5))
    nodes = [
        {"children": [1, 2], "translation": [0, 0, 1]},
        {"mesh": 0, "scale": [2, 1, 1]},
        {"mesh": 0, "rotation": [half, 0, 0, half], "scale": [-1, 1, 1], "translation": [1, 0, 0]},
    ]
    data, binary = gltf_parts(nodes=nodes)
    solid = accepted(tmp_path, "a.glb", glb(data, binary))
    # As the file has it: a 20x10x10 mm box at z = 1 m, and a cube turned about x and mirrored at x = 1 m; y is up.
    np.testing.assert_allclose(solid.bounds, [[0, -1010, -10], [1000, -1000, 10]], atol=1e-3)
    assert solid.volume_mm3 == pytest.approx(3000, rel=1e-4)
    assert silent("MESH_INSIDE_OUT", solid.inspected())


@pytest.mark.parametrize(
    ("mode", "numbers", "triangles"),
    [(5, [0, 1, 2, 3, 6], [(0, 1, 2), (1, 3, 2), (2, 3, 6)]), (6, [0, 1, 3, 2], [(0, 1, 3), (0, 3, 2)])],
)
def test_gltf_strips_and_fans(tmp_path, mode, numbers, triangles):
    data, binary = gltf_parts()
    data["meshes"][0]["primitives"][0]["mode"] = mode
    data["accessors"][1]["count"] = len(numbers)
    binary = binary[:96] + np.array(numbers, dtype="<u2").tobytes() + bytes(100)
    solid = accepted(tmp_path, "a.glb", glb(data, binary), up="z")
    expected = {frozenset(map(tuple, np.round(cube()[0][list(t)]).tolist())) for t in triangles}
    assert {frozenset(map(tuple, np.round(solid.vertices[t]).tolist())) for t in solid.faces} == expected


def test_gltf_quantised_sparse_and_strided(tmp_path):
    data, binary = gltf_parts(extensionsRequired=["KHR_mesh_quantization"])
    points = np.zeros((8, 4), dtype="<u2")  # rows of 8 bytes, the last two unused
    points[:, :3] = cube()[0] * 6553.5
    numbers = binary[96:]
    fix = np.array([7], dtype="<u1").tobytes() + bytes(3) + np.array([65535] * 3, dtype="<u2").tobytes() + bytes(2)
    points[7] = 0
    data["accessors"][0] |= {"componentType": 5123, "normalized": True, "byteOffset": 0}
    data["accessors"][0]["sparse"] = {
        "count": 1,
        "indices": {"bufferView": 2, "componentType": 5121},
        "values": {"bufferView": 2, "byteOffset": 4},
    }
    data["bufferViews"][0] |= {"byteLength": 64, "byteStride": 8}
    data["bufferViews"][1]["byteOffset"] = 64
    data["bufferViews"].append({"buffer": 0, "byteOffset": 64 + len(numbers), "byteLength": 12})
    data["nodes"][0]["scale"] = [0.01, 0.01, 0.01]
    body = points.tobytes() + numbers + fix
    data["buffers"][0]["byteLength"] = len(body)
    assert accepted(tmp_path, "a.glb", glb(data, body)).volume_mm3 == pytest.approx(1000, rel=1e-6)


def test_a_gltf_reads_the_buffer_beside_it(tmp_path):
    data, binary = gltf_parts()
    (tmp_path / "the cube.bin").write_bytes(binary)
    near = accepted(tmp_path, "a.gltf", gltf(data, binary, uri="the%20cube.bin"))
    assert near.volume_mm3 == pytest.approx(1000, rel=1e-6)
    assert silent("FILE_OUTSIDE", near.findings)
    assert silent("GLTF_BUFFER_MISSING", near.findings)


def test_polygons_are_cut_also_concave_ones(tmp_path):
    # An arrow head (concave quadrangle, area 4) and a comb (ten corners, concave, area 9).
    flat = [
        (0, 0),
        (4, 0),
        (1, 1),
        (0, 4),
        (5, 0),
        (10, 0),
        (10, 3),
        (9, 3),
        (9, 1),
        (8, 1),
        (8, 3),
        (7, 3),
        (7, 1),
        (5, 1),
    ]
    v = np.array([(x, y, 0) for x, y in flat], dtype=float)
    faces = [[1, 2, 3, 0], list(range(4, 14))]
    for name, data in (("a.obj", obj((v, faces))), ("a.off", off((v, faces))), ("a.ply", ply((v, faces), order="big"))):
        solid = accepted(tmp_path, name, data)
        assert fires("MESH_POLYGONS_CUT", solid.findings)
        arrow, comb = 4.0, 9.0
        assert solid.area_mm2 == pytest.approx(arrow + comb)
        assert len(solid.faces) == 2 + 8
        up = np.cross(*(solid.vertices[solid.faces[:, k]] - solid.vertices[solid.faces[:, 0]] for k in (1, 2)))
        assert (up[:, 2] > 0).all(), "no triangle is turned over"
    assert silent("MESH_POLYGONS_CUT", accepted(tmp_path, "b.obj", obj()).findings)


def test_a_concave_polygon_that_is_too_large_to_cut_is_refused_not_cut_as_a_fan(tmp_path):
    def star(corners, inner):
        turn = np.linspace(0, 2 * np.pi, corners, endpoint=False)
        far = np.where(np.arange(corners) % 2, inner, 10)
        return np.column_stack([far * np.cos(turn), far * np.sin(turn), np.zeros(corners)]), [list(range(corners))]

    for name, write in (("a.obj", obj), ("a.off", off), ("a.ply", ply)):
        no = refused(tmp_path, name, write(star(20_002, 5)))
        assert fires("MESH_POLYGON_UNCUT", no)
        assert "polygon 1 of the file has 20002 corners" in no.report.findings[0].message
    side = np.column_stack([np.arange(12_000.0), np.zeros(12_000), np.zeros(12_000)])
    rim = np.concatenate([side, side[::-1] + np.array([0, 9, 0])]), [list(range(24_000))]  # not concave: a fan is right
    assert silent("MESH_POLYGON_UNCUT", accepted(tmp_path, "b.obj", obj(rim)).findings)
    kept = accepted(tmp_path, "c.obj", obj(star(2_002, 5)))
    assert silent("MESH_POLYGON_UNCUT", kept.findings)
    assert silent("MESH_POLYGON_CROSSED", kept.findings)
    assert kept.area_mm2 == pytest.approx(1001 * 10 * 5 * np.sin(np.pi / 1001))


def test_polygons_that_cross_themselves_take_no_minutes(tmp_path):
    points = np.random.default_rng(1).random((20_000, 3)) * (1000, 1000, 0)
    begun = time.monotonic()
    no = refused(tmp_path, "a.obj", obj((points, [list(range(20_000))] * 30)))
    assert time.monotonic() - begun < 20
    assert fires("MESH_POLYGON_UNCUT", no)


def test_a_polygon_that_crosses_itself_is_told(tmp_path):
    bow = np.array([(0, 0, 0), (9, 9, 0), (9, 0, 0), (0, 9, 0), (0, 4, 0)], dtype=float)
    uneven = bow * (1, 2, 1)
    for polygon in (bow[:4], bow, uneven, uneven[[0, 1, 2, 4]], bow[:4, [2, 0, 1]]):
        found = accepted(tmp_path, "a.obj", obj((polygon, [list(range(len(polygon)))]))).findings
        assert fires("MESH_POLYGON_CROSSED", found)
    bent = np.array([(0, 0, 0), (9, 0, 8), (9, 9, 0), (0, 9, 8)], dtype=float)  # a saddle, and an arrow head
    for polygon in (bent, np.array([(0, 0, 0), (9, 9, 0), (0, 3, 0), (-9, 9, 0)], dtype=float)):
        found = accepted(tmp_path, "b.obj", obj((polygon, [[0, 1, 2, 3]]))).findings
        assert silent("MESH_POLYGON_CROSSED", found)


def test_obj_counts_back_and_ignores_what_is_no_shape(tmp_path):
    lines = ["mtllib ../../etc/passwd", "o caf\xe9 \xb5", "vt 0 0", "vn 0 0 1", "usemtl x", "s off"]
    lines += [f"v {x} {y} {z} 1.0" for x, y, z in cube()[0]]
    lines += ["f " + " ".join(f"{i - 8}/1/1" if k % 2 else f"{i + 1}//1" for i in t) for k, t in enumerate(cube()[1])]
    lines += ["l 1 2", "p 1 \\", " 2", "# the end"]
    solid = accepted(tmp_path, "a.obj", "\r\n".join(lines).encode("latin-1"))
    assert solid.volume_mm3 == pytest.approx(1000)
    assert solid.source.title.startswith("caf")
    assert fires("FILE_PARTS_SKIPPED", solid.findings)
    assert silent("FILE_PARTS_SKIPPED", accepted(tmp_path, "b.obj", obj()).findings)
    for end in (b"f 1 2 3 \\", b"f 1 2 3\\", b"f 1 2 3 \\\n", b"f 1 2 \\\r\n3 \\\r\n", b"v 1 1 1 \\"):
        no = refused(tmp_path, "g.obj", obj() + end)
        assert fires("FILE_TRUNCATED", no)
        assert "the last line ends in '\\'" in no.report.findings[0].message
    for end in (b"mtllib C:\\maps\\", b"# the \\ end \\", b"f 1 2 \\\n3", b"f 1 2 3 \\\n\n", b"g C:\\maps\\\n"):
        assert silent("FILE_TRUNCATED", accepted(tmp_path, "h.obj", obj() + end).findings)
    assert fires("MESH_INDEX_RANGE", refused(tmp_path, "c.obj", obj() + b"f -1 -2 -9\n"))
    assert silent("MESH_INDEX_RANGE", accepted(tmp_path, "d.obj", obj() + b"f -1 -2 -8\n").findings)
    assert fires("MESH_INDEX_RANGE", refused(tmp_path, "e.obj", obj() + b"f 0 1 2\n"))
    assert fires("MESH_INDEX_RANGE", refused(tmp_path, "f.obj", obj() + b"f 1 2 99999999999999999999999\n"))


def test_ply_with_colours_mixed_lists_and_other_elements(tmp_path):
    data = ply(order="little").replace(b"element face", b"property uchar red\nelement face")
    start = data.index(b"end_header\n") + 11
    rows = b"".join(data[start + 12 * i : start + 12 * i + 12] + b"\xff" for i in range(8))
    assert accepted(tmp_path, "a.ply", data[:start] + rows + data[start + 96 :]).volume_mm3 == pytest.approx(1000)
    box = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), *cube()[1][6:].tolist()]
    for order in ("ascii", "little", "big"):
        assert accepted(tmp_path, "b.ply", ply((cube()[0], box), order=order)).volume_mm3 == pytest.approx(1000)


@pytest.mark.parametrize("order", ["ascii", "little", "big"])
def test_ply_faces_with_colours_and_marks_of_their_own(tmp_path, order):
    data = ply_with_colours(order)
    assert accepted(tmp_path, "a.ply", data).volume_mm3 == pytest.approx(1000)
    if order != "ascii":
        assert fires("FILE_TRUNCATED", refused(tmp_path, "b.ply", data[:-1]))


def test_what_is_read_cannot_be_changed(tmp_path):
    solid = accepted(tmp_path, "a.stl", stl())
    copy = pickle.loads(pickle.dumps(solid))
    for one in (solid, copy, solid.scaled(2)):
        with pytest.raises(ValueError, match="read-only"):
            one.vertices[0] = 0
        with pytest.raises(ValueError, match="read-only"):
            one.faces[0] = 0
    with pytest.raises(AttributeError):
        solid.name = "other"  # type: ignore[misc]
    mine = cube()[0]
    kept = Solid.of(mine, cube()[1])
    mine[:] = 7
    assert kept.extents_mm == (10, 10, 10)
    assert copy.volume_mm3 == solid.volume_mm3


def test_facts_are_plain_data(tmp_path):
    facts = accepted(tmp_path, "a.stl", stl(joined(cube(), cube(at=(0, 0, 30)), cube()))).facts()
    assert json.loads(json.dumps(facts)) == facts
    assert (facts["triangles"], facts["left_out"], facts["declared"]) == (24, {"duplicate": 12}, 36)
    assert facts["unit"] == "mm"


def test_files_that_are_none(tmp_path):
    with pytest.raises(Refused) as no:
        read_solid(tmp_path / "nothing.stl")
    assert fires("FILE_MISSING", no.value)
    assert silent("FILE_NOT_REGULAR", no.value)
    with pytest.raises(Refused) as no:
        read_solid(tmp_path)
    assert fires("FILE_NOT_REGULAR", no.value)
    assert silent("FILE_MISSING", no.value)
    with pytest.raises(Refused) as no:
        read_solid("bad\0name.stl")
    assert fires("FILE_UNREADABLE", no.value)
    assert fires("FILE_EMPTY", refused(tmp_path, "a.stl", b""))
    assert silent("FILE_EMPTY", refused(tmp_path, "b.stl", b"x"))
    assert silent("FILE_UNREADABLE", refused(tmp_path, "b.stl", b"x"))


def test_a_name_that_no_file_can_have(tmp_path):
    for name in ("a" * 300 + ".stl", "a/" * 3000 + "b.stl"):
        with pytest.raises(Refused) as no:
            read_solid(tmp_path / name)
        assert fires("FILE_UNREADABLE", no.value)


@pytest.mark.skipif(sys.platform == "win32", reason="folders are closed otherwise on Windows")
def test_a_folder_that_may_not_be_entered(tmp_path, monkeypatch):
    def closed(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    (tmp_path / "a.stl").write_bytes(stl())
    monkeypatch.setattr(os, "open", closed)
    monkeypatch.setattr(os, "stat", closed)  # root may enter any, so that the system's answer is played
    with pytest.raises(Refused) as no:
        read_solid(tmp_path / "a.stl")
    assert fires("FILE_UNREADABLE", no.value)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes in folders on Windows")
def test_a_pipe_or_a_device_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe.stl")
    for path in (tmp_path / "pipe.stl", "/dev/zero"):
        with pytest.raises(Refused) as no:
            read_solid(path)
        assert fires("FILE_NOT_REGULAR", no.value)


def test_limits_are_kept_to_the_byte(tmp_path):
    size = len(stl())
    assert fires("FILE_TOO_LARGE", refused(tmp_path, "a.stl", stl(), limits=Limits(max_bytes=size - 1)))
    assert silent("FILE_TOO_LARGE", accepted(tmp_path, "a.stl", stl(), limits=Limits(max_bytes=size)).findings)
    for name, data in EVERY.items():
        assert fires("MESH_TOO_MANY_TRIANGLES", refused(tmp_path, name, data, limits=Limits(max_triangles=11)))
        assert silent(
            "MESH_TOO_MANY_TRIANGLES", accepted(tmp_path, name, data, limits=Limits(max_triangles=12)).findings
        )


def test_the_kind_is_told_by_the_content(tmp_path):
    for name, data in EVERY.items():
        ending = name.split(".")[1]
        for other in {"stl", "obj", "ply", "off", "glb", "3mf"} - {ending}:
            no = refused(tmp_path, f"renamed.{other}", data)
            assert fires("FILE_WRONG_KIND", no)
        assert isinstance(heard(tmp_path, "no_ending", data, limits=FEW), Solid)
    assert silent("FILE_WRONG_KIND", accepted(tmp_path, "CUBE.STL", stl()).findings)
    told = refused(tmp_path, "wide.obj", obj().decode().encode("utf-16"))
    assert told.report.findings[0].message == "is named .obj but looks like text in UTF-16"
    assert fires("FILE_UNKNOWN_KIND", refused(tmp_path, "a.step", b"ISO-10303-21;"))
    assert silent("FILE_UNKNOWN_KIND", accepted(tmp_path, "a.mesh", obj()).findings)


def test_bytes_behind_the_end_are_said(tmp_path):
    assert fires("STL_TRAILING_BYTES", accepted(tmp_path, "a.stl", stl() + b"junk").findings)
    assert silent("STL_TRAILING_BYTES", accepted(tmp_path, "b.stl", stl()).findings)
    for filling, said in ((b"\0" * 300, "300 bytes were"), (b"\x1a", "1 byte was"), (b"\r\n\0\0\r\n", "2 bytes were")):
        filled = accepted(tmp_path, "c.stl", stl_ascii() + filling)
        assert fires("STL_TRAILING_BYTES", filled.findings)
        assert filled.findings.findings[0].message == f"{said} ignored behind the last of 12 triangles"
        assert len(filled.faces) == 12
        assert fires("STL_TRUNCATED", refused(tmp_path, "d.stl", stl_ascii()[:-20] + filling))
    assert silent("STL_TRAILING_BYTES", accepted(tmp_path, "e.stl", stl_ascii() + b" \r\n\t ").findings)
    for name, data in (("a.off", off()), ("a.ply", ply()), ("b.ply", ply(order="big")), ("a.glb", glb())):
        assert fires("FILE_TRAILING_BYTES", accepted(tmp_path, name, data + b"1 2 3 4\n").findings)
        assert silent("FILE_TRAILING_BYTES", accepted(tmp_path, name, data).findings)
