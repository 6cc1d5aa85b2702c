"""What cannot be trusted is refused: with its own code, in one go, without a hang, and a near miss is read."""

from __future__ import annotations

import io
import json
import time
import zipfile

import numpy as np
import pytest

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
from tests.hostile import accepted, heard, refused

NAN, INF = float("nan"), float("inf")


def moved(corner, place):
    v, f = cube()
    v[corner] = place
    return v, f


def near(data, **changed):
    return glb(*gltf_parts(**changed)) if data is None else data


# --- STL ----------------------------------------------------------------------------------------------------------


def test_an_stl_cut_off(tmp_path):
    for data in (b"x", stl()[:83], stl()[:-1], stl()[:-120], b"solid\n", stl_ascii()[:-12], stl_ascii()[:200]):
        assert fires("STL_TRUNCATED", refused(tmp_path, "a.stl", data))
    assert silent("STL_TRUNCATED", accepted(tmp_path, "a.stl", stl()).findings)
    assert silent("STL_TRUNCATED", accepted(tmp_path, "a.stl", stl_ascii()[:-1]).findings)


def test_every_solid_of_an_ascii_stl_has_its_end(tmp_path):
    one, two = stl_ascii(name="one"), stl_ascii(cube(at=(50, 0, 0)), name="two")
    unended = one[: one.rindex(b"endsolid")]
    facet = one.index(b"endfacet\n") + len(b"endfacet\n")  # a cut behind a whole facet leaves only whole facets
    for cut in (
        one + two[:facet],
        one + two[: two.rindex(b"endsolid")],
        one + two[:200],
        one + b"solid two\n",
        one + unended.split(b"\n", 1)[1],
        unended + two,
        unended + b" " + b" ".join(two.split()),
        (one + two[:facet]).replace(b"endsolid", b"end solid"),
    ):
        assert fires("STL_TRUNCATED", refused(tmp_path, "a.stl", cut))
    for whole in (
        one + two,
        (one + two)[:-1],
        (one + two).replace(b"endsolid", b"end solid"),
        (one + two).replace(b"two", b"my solid two"),
        (one + two).replace(b"two", b"endsolid solid"),
        (one + two).replace(b"\n", b"\r"),
        b" ".join((one + two).split()),
        one + b"\n\n",
    ):
        assert silent("STL_TRUNCATED", accepted(tmp_path, "b.stl", whole).findings)


def test_where_an_ascii_stl_ends_is_told(tmp_path):
    told = refused(tmp_path, "a.stl", stl_ascii()[: stl_ascii().rindex(b"endsolid")]).report.findings[0].message
    assert told.endswith("the last words are 'endfacet'")
    both = stl_ascii().replace(b"endsolid a cube\n", b"") + stl_ascii()
    (found,) = refused(tmp_path, "b.stl", both).report.findings
    assert (found.line, "begins before the one before it" in found.message) == (1 + 7 * 12 + 1, True)


def test_a_facet_of_four_corners_is_told_as_one(tmp_path):
    quad = stl_ascii().replace(b"endloop", b"vertex 1 1 1 endloop", 1)
    (found,) = refused(tmp_path, "a.stl", quad).report.findings
    assert (found.code, found.line) == ("FILE_MALFORMED", 2)
    assert "a facet with 4 corners, an STL has triangles" in found.message


@pytest.mark.parametrize("odd", [b"# made by hand", b"; facet 1", b"colour 1 0 0"])
def test_a_line_that_no_stl_has_is_told_where_it_is(tmp_path, odd):
    """Before the first solid it was said to be one that "begins before the one before it has its 'endsolid'"."""
    lines = stl_ascii().split(b"\n")
    for before in (0, 1, 2, 4, 8):
        text = b"\n".join([*lines[:before], odd, *lines[before:]])
        (found,) = refused(tmp_path, "a.stl", text).report.findings
        assert (found.code, found.line) == ("FILE_MALFORMED", before + 1)
        assert odd.decode() in found.message


def test_a_coordinate_that_is_no_number_is_told_with_its_line(tmp_path):
    text = stl_ascii()
    at = text.rindex(b"vertex")
    wrong = text[:at] + b"vertex 1.D+01 0 0\n" + text[text.index(b"endloop", at) :]
    (found,) = refused(tmp_path, "a.stl", wrong).report
    assert (found.code, found.line) == ("FILE_MALFORMED", text.count(b"\n", 0, at) + 1)
    assert "'vertex 1.D+01 0 0'" in found.message


@pytest.mark.parametrize("code", ["utf-16-le", "utf-16-be"])
def test_text_of_two_bytes_a_letter_is_told_as_one_without_its_mark(tmp_path, code):
    for name, text in (("a.stl", stl_ascii()), ("a.obj", obj())):
        (found,) = refused(tmp_path, name, text.decode().encode(code)).report.findings
        assert (found.code, "text in UTF-16" in found.message) == ("FILE_WRONG_KIND", True)


@pytest.mark.parametrize("tail", ["abc", "1 0 0 xyz", "v 4 5 6", "/1", "1_0"])
def test_a_corner_of_an_obj_with_a_word_that_is_no_number_behind_it(tmp_path, tail):
    """Where a line end is lost, the next corner stands behind this one; it was passed over, and all faces were off."""
    lines = obj().decode().splitlines()
    (found,) = refused(tmp_path, "a.obj", "\n".join([lines[0], f"{lines[1]} {tail}", *lines[2:]]).encode()).report
    assert (found.code, found.line) == ("FILE_MALFORMED", 2)
    assert f"{lines[1]} {tail}" in found.message
    for sound in ("1.0", "0.5 0.5 0.5", "1 0 0 1"):
        assert len(accepted(tmp_path, "a.obj", "\n".join([f"{lines[0]} {sound}", *lines[1:]]).encode()).faces) == 12


@pytest.mark.parametrize("face", ["f 1/1 2/1 3/1f 4/1 5/1 6/1", "f 1/a 2/b 3/c", "f 1//x 2 3", "f 1 2 3/1v"])
def test_a_face_of_an_obj_whose_references_are_no_numbers(tmp_path, face):
    """Two faces without a line end between them were read as one hexagon."""
    (found,) = refused(tmp_path, "a.obj", obj() + face.encode() + b"\n").report
    assert (found.code, found.line) == ("FILE_MALFORMED", obj().count(b"\n") + 1)
    assert face in found.message


@pytest.mark.parametrize("name", ["a.ply", "a.off", "a.3mf", "a.glb"])
def test_a_corner_that_is_not_there_is_told_as_the_file_counts(tmp_path, name):
    """It was told by a number one too high, but for an OBJ, which counts from 1."""
    corners, faces = cube()
    faces = faces.copy()
    faces[3, 1] = 99
    made = {
        "a.ply": ply((corners, faces)),
        "a.off": off((corners, faces)),
        "a.3mf": threemf(model_xml(f'<object id="1" type="model">{mesh_xml((corners, faces))}</object>')),
        "a.glb": glb(*gltf_parts((corners, faces))),
    }
    found = next(f for f in refused(tmp_path, name, made[name]).report if f.code == "MESH_INDEX_RANGE")
    assert "index 99, counted from 0, of 8" in found.message


@pytest.mark.parametrize("word", ["9", "9/1/2", "99999999999999999999", "-9", "-99999999999999999999", "0"])
def test_a_number_of_no_corner_is_told_as_it_stands_there(tmp_path, word):
    mesh = obj() + f"f 1 2 3\nf 1 2 {word}\nf 3 2 1\n".encode()
    (found,) = refused(tmp_path, "a.obj", mesh).report.findings
    assert (found.code, found.line, found.count) == ("MESH_INDEX_RANGE", obj().count(b"\n") + 2, 1)
    assert found.message.endswith(f"number {word.split('/')[0]}, of 8")
    head, tail = mesh.split(b"f", 1)
    later = accepted(tmp_path, "b.obj", b"f" + tail.replace(word.encode(), b"8") + head)  # corners may come last
    assert len(later.faces) >= 12


def test_an_stl_with_another_count(tmp_path):
    for count in (0, 6, 11, 2**32 - 1):
        assert fires("STL_COUNT_WRONG", refused(tmp_path, "a.stl", stl(count=count)))
    assert silent("STL_COUNT_WRONG", accepted(tmp_path, "a.stl", stl() + b"junk").findings)
    assert fires("STL_COUNT_WRONG", refused(tmp_path, "a.stl", stl() + bytes(50)))
    assert silent("STL_COUNT_WRONG", refused(tmp_path, "a.stl", stl()[:-50]))


def test_every_fault_is_told_at_once(tmp_path):
    # Cut off, with a corner that is no number, and one in the next town.
    v, f = cube()
    v[0], v[1] = NAN, (5e7, 0, 0)
    no = refused(tmp_path, "a.stl", stl((v, f))[:-60])
    assert no.report.codes == ("STL_TRUNCATED", "MESH_NOT_FINITE", "MESH_OUTLIER")
    assert all(finding.file.endswith("a.stl") for finding in no.report)


def test_a_damaged_ascii_stl_names_the_line(tmp_path):
    wrong = stl_ascii().replace(b"vertex 10 ", b"vertex ten ", 1)
    no = refused(tmp_path, "a.stl", wrong)
    assert fires("FILE_MALFORMED", no)
    assert no.report.findings[0].line == wrong[: wrong.index(b"vertex ten")].count(b"\n") + 1
    for old, new in ((b"endloop", b"endlop"), (b"vertex 0 0 0", b"vertex 0 0"), (b"outer", b"inner")):
        assert fires("FILE_MALFORMED", refused(tmp_path, "a.stl", stl_ascii().replace(old, new, 1)))
    assert silent("FILE_MALFORMED", accepted(tmp_path, "a.stl", stl_ascii().replace(b"10", b"1.0e+1")).findings)


# --- the mesh itself ----------------------------------------------------------------------------------------------


def test_corners_that_are_no_numbers(tmp_path):
    for value in (NAN, INF, -INF):
        for name, data in (
            ("a.stl", stl(moved(2, value))),
            ("a.obj", obj(moved(2, value))),
            ("a.ply", ply(moved(2, value))),
        ):
            assert fires("MESH_NOT_FINITE", refused(tmp_path, name, data))
    assert silent("MESH_NOT_FINITE", accepted(tmp_path, "a.stl", stl(moved(2, 1e-30))).findings)
    assert fires("MESH_NOT_FINITE", refused(tmp_path, "a.obj", obj() + b"v 1e999 0 0\nf 1 2 9\n"))


def test_corners_in_the_next_town(tmp_path):
    for far in (1e30, -3.4e38, 2e6):
        no = refused(tmp_path, "a.stl", stl(moved(2, (0, far, 0))))
        assert fires("MESH_OUTLIER", no)
        assert no.report.findings[0].places
        assert silent("MESH_FAR_OFF", no)
    assert silent("MESH_OUTLIER", accepted(tmp_path, "a.stl", stl(moved(2, (0, 9e5, 0)))).findings)


def test_meshes_in_the_next_town(tmp_path):
    assert fires("MESH_FAR_OFF", refused(tmp_path, "a.stl", stl(cube(at=(5e6, 0, 0)))))
    # float32 steps are 1/64 mm from 131 072 mm on, and 1/128 mm below: a hundredth lies between.
    assert fires("MESH_FAR_OFF", refused(tmp_path, "a.stl", stl(cube(at=(131_100, 0, 0)))))
    assert silent("MESH_FAR_OFF", accepted(tmp_path, "a.stl", stl(cube(at=(131_000, 0, 0)))).findings)
    assert fires("MESH_FAR_OFF", refused(tmp_path, "a.obj", obj(cube(at=(2e6, 0, 0)))))
    assert silent("MESH_FAR_OFF", accepted(tmp_path, "a.obj", obj(cube(at=(200_000, 0, 0)))).findings)
    assert fires("MESH_FAR_OFF", refused(tmp_path, "a.stl", stl(cube(at=(200, 0, 0))), unit="m"))


def test_nothing_to_stand_on(tmp_path):
    nothing = np.empty((0, 3)), np.empty((0, 3), np.int64)
    for name, data in (
        ("a.stl", stl(nothing)),
        ("b.stl", b"solid a\nendsolid a\n"),
        ("a.obj", b"v 1 2 3\n"),
        ("a.off", off(nothing)),
        ("a.ply", ply(nothing)),
        ("a.3mf", threemf(model_xml(build=""))),
        ("a.glb", glb(*gltf_parts(scenes=[{"nodes": []}]))),
        ("all_on_a_line.obj", b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\nf 1 1 2\n"),
    ):
        assert fires("MESH_EMPTY", refused(tmp_path, name, data))
    with pytest.raises(Refused) as no:
        Solid.of([], [])
    assert fires("MESH_EMPTY", no.value)
    assert silent("MESH_EMPTY", Solid.of([(0, 0, 0), (9, 0, 0), (0, 9, 0)], [(0, 1, 2)]).findings)
    with pytest.raises(Refused) as no:
        Solid.of([(0, 0, 0), (9, 0, 0), (0, NAN, 0)], [(0, 1, 2), (0, 1, 3)])
    assert fires("MESH_NOT_FINITE", no.value)
    assert fires("MESH_INDEX_RANGE", no.value)


# --- texts --------------------------------------------------------------------------------------------------------


def test_a_word_that_no_obj_has(tmp_path):
    assert fires("OBJ_UNKNOWN_WORD", refused(tmp_path, "a.obj", obj() + b"w 1 2 3\n"))
    assert silent("OBJ_UNKNOWN_WORD", accepted(tmp_path, "a.obj", obj() + b"vp 1 2 3\n").findings)
    for line in (b"v 1 2", b"v 1 2 x", b"v", b"f 1 2 x", b"f 1 2 3.5", b"v 1_0 2 3", b"f 1 2 1_0"):
        no = refused(tmp_path, "a.obj", obj() + line + b"\n")
        assert fires("FILE_MALFORMED", no)
        assert no.report.findings[0].line == 21


@pytest.mark.parametrize("kind", [b"ascii", b"binary_little_endian", b"binary_big_endian"])
def test_corners_with_lists_are_told_as_that_in_every_encoding(tmp_path, kind):
    listed = ply().replace(b"property float z\n", b"property float z\nproperty list uchar int near\n")
    assert listed != ply()
    no = refused(tmp_path, "a.ply", listed.replace(b"ascii", kind))
    assert "its corners have a list, 'near'; export corners with plain numbers only" in no.report.findings[0].message


def test_texts_with_less_than_they_declare(tmp_path):
    for name, data in (
        ("a.off", off().replace(b"8 12", b"8 13")),
        ("b.off", off().replace(b"8 12", b"999999999999 12")),
        ("a.ply", ply(faces=13)),
        ("b.ply", ply(order="big")[:-1]),
        ("c.ply", ply(order="little", faces=10**15)),
        ("a.glb", glb()[:-4]),
    ):
        no = refused(tmp_path, name, data, limits=Limits(max_triangles=10**18))
        assert fires("FILE_TRUNCATED", no)
    assert silent("FILE_TRUNCATED", accepted(tmp_path, "a.off", off()).findings)
    for old, new in ((b"8 12", b"-8 12"), (b"8 12 0", b"eight"), (b"OFF", b"OFF BINARY"), (b"3 0 2 1", b"-3 0 2 1")):
        assert fires("FILE_MALFORMED", refused(tmp_path, "a.off", off().replace(old, new, 1)))
    for old, new in (
        (b"ascii 1.0", b"morse 1.0"),
        (b"float x", b"float w"),
        (b"vertex_indices", b"corners"),
        (b"uchar int", b"float int"),
        (b"element vertex 8", b"element vertex -8"),
        (b"property float y", b"property float x"),
    ):
        assert fires("FILE_MALFORMED", refused(tmp_path, "a.ply", ply().replace(old, new, 1)))


# --- glTF ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "uri",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e/cube.bin",
        "a/../../cube.bin",
        "..\\cube.bin",
        "C:\\cube.bin",
        "~/cube.bin",
        "file:///etc/passwd",
        "http://example.org/cube.bin",
        "//example.org/cube.bin",
        "ftp://example.org/a",
        "link.bin",
        "data:text/plain,hello",
        "a\0b",
        "http://[::1",
    ],
)
def test_no_file_outside_and_no_network(tmp_path, uri, monkeypatch):
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "cube.bin").write_bytes(gltf_parts()[1])
    (folder / "link.bin").symlink_to(tmp_path / "cube.bin")
    monkeypatch.setattr("socket.socket", None)
    data, binary = gltf_parts()
    assert fires("FILE_OUTSIDE", refused(folder, "a.gltf", gltf(data, binary, uri=uri)))


def test_a_buffer_that_is_not_there(tmp_path):
    data, binary = gltf_parts()
    assert fires("GLTF_BUFFER_MISSING", refused(tmp_path, "a.gltf", gltf(data, binary, uri="nowhere.bin")))
    assert fires(
        "GLTF_BUFFER_MISSING", refused(tmp_path, "a.gltf", gltf(data, binary, uri="%00.bin" * 0 + "a.gltf/b.bin"))
    )


@pytest.mark.parametrize(
    "changed",
    [
        {"nodes": [{"children": [0], "mesh": 0}]},
        {"nodes": [{"children": [1]}, {"children": [2]}, {"children": [1], "mesh": 0}]},
        {"nodes": [{"mesh": 0}, {"children": [2]}, {"children": [1]}]},
    ],
)
def test_nodes_that_form_a_loop(tmp_path, changed):
    no = heard(tmp_path, "a.glb", glb(*gltf_parts(**changed)))
    assert isinstance(no, Refused)
    assert set(no.report.codes) <= {"GLTF_NODE_LOOP", "GLTF_NODE_SHARED"}


def test_loops_and_shared_nodes_have_their_own_codes(tmp_path):
    loop = gltf_parts(nodes=[{"children": [1], "mesh": 0}, {"children": [0]}])
    assert fires("GLTF_NODE_LOOP", refused(tmp_path, "a.glb", glb(*loop)))
    shared = gltf_parts(nodes=[{"children": [1, 2]}, {"children": [3]}, {"children": [3]}, {"mesh": 0}])
    no = refused(tmp_path, "a.glb", glb(*shared))
    assert fires("GLTF_NODE_SHARED", no)
    assert silent("GLTF_NODE_LOOP", no)
    tree = gltf_parts(nodes=[{"children": [1, 2]}, {"mesh": 0}, {"mesh": 0, "translation": [1, 0, 0]}])
    assert silent("GLTF_NODE_SHARED", accepted(tmp_path, "a.glb", glb(*tree)).findings)
    chain = gltf_parts(nodes=[*({"children": [i + 1]} for i in range(5000)), {"mesh": 0}])
    assert len(accepted(tmp_path, "deep.glb", glb(*chain)).faces) == 12


def changed_accessor(number, **fields):
    data, binary = gltf_parts()
    data["accessors"][number] |= fields
    return glb(data, binary)


def test_numbers_beyond_the_bytes(tmp_path):
    for data in (
        changed_accessor(0, count=9),
        changed_accessor(0, byteOffset=4),
        changed_accessor(1, componentType=5125),
        changed_accessor(0, bufferView=7),
        changed_accessor(1, count=2**31 - 1),
        glb(*gltf_parts(bufferViews=[{"buffer": 0, "byteLength": 2**30}, {"buffer": 0, "byteLength": 72}])),
        glb(*gltf_parts(bufferViews=[{"buffer": 3, "byteLength": 96}, {"buffer": 0, "byteLength": 72}])),
        glb(*gltf_parts(nodes=[{"mesh": 5}])),
        glb(*gltf_parts(nodes=[{"children": [77]}])),
        glb(*gltf_parts(scene=4)),
    ):
        assert fires("GLTF_OUT_OF_BOUNDS", refused(tmp_path, "a.glb", data))
    assert silent("GLTF_OUT_OF_BOUNDS", accepted(tmp_path, "a.glb", glb()).findings)
    for data in (
        changed_accessor(0, count=-8),
        changed_accessor(0, count=2**80),
        changed_accessor(0, type="VEC2"),
        changed_accessor(0, componentType=9999),
        changed_accessor(1, componentType=5122),
        changed_accessor(1, count=35),
        glb(*gltf_parts(nodes=[{"mesh": 0, "scale": [1, 2]}])),
        glb(*gltf_parts(nodes=[{"mesh": 0, "rotation": [0, 0, 0, 0]}])),
        glb(*gltf_parts(nodes=[{"mesh": 0, "translation": [0, 0, "x"]}])),
        glb(*gltf_parts(asset={"version": "1.0"})),
        glb(*gltf_parts(nodes={"a": 1})),
        glb(b'{"asset":{"version":"2.0"},"nodes":' + b"[" * 100_000 + b"]" * 100_000 + b"}", b""),
        glb(b'{"asset":{"version":"2.0"},"scene":NaN}', b""),
        glb(b'{"asset":{"version":"2.0"},"scene":' + b"9" * 10_000 + b"}", b""),
        glb(b"\xff\xfe{}", b""),
        glb(b"[" + b"[]," * 3_000_000 + b"1]", b""),
    ):
        assert fires("FILE_MALFORMED", refused(tmp_path, "a.glb", data))


def test_packed_geometry_and_extensions(tmp_path):
    data, binary = gltf_parts()
    data["meshes"][0]["primitives"][0]["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": 0}}
    assert fires("GLTF_COMPRESSED", refused(tmp_path, "a.glb", glb(data, binary)))
    data, binary = gltf_parts(extensionsUsed=["KHR_draco_mesh_compression"])
    assert silent("GLTF_COMPRESSED", accepted(tmp_path, "a.glb", glb(data, binary)).findings)
    data["bufferViews"][0]["extensions"] = {"EXT_meshopt_compression": {"buffer": 0}}
    assert fires("GLTF_COMPRESSED", refused(tmp_path, "a.glb", glb(data, binary)))
    assert fires("GLTF_EXTENSION", refused(tmp_path, "a.glb", glb(*gltf_parts(extensionsRequired=["XYZ_warp"]))))
    placed = {"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {}}}}
    assert fires("GLTF_EXTENSION", refused(tmp_path, "a.glb", glb(*gltf_parts(nodes=[placed]))))
    harmless = gltf_parts(extensionsRequired=["KHR_materials_unlit"], extensionsUsed=["XYZ_warp"])
    assert silent("GLTF_EXTENSION", accepted(tmp_path, "a.glb", glb(*harmless)).findings)


def test_a_glb_cut_anywhere_is_refused(tmp_path):
    whole = glb()
    for end in range(0, len(whole), 7):
        refused(tmp_path, "a.glb", whole[:end])
    assert fires("FILE_TRUNCATED", refused(tmp_path, "a.glb", whole[: len(whole) // 2]))


def test_what_a_gltf_has_besides_triangles_is_said(tmp_path):
    data, binary = gltf_parts()
    data["meshes"][0]["primitives"].append({"attributes": {"POSITION": 0}, "mode": 1})
    data["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": 0}]
    no = accepted(tmp_path, "a.glb", glb(data, binary)).findings
    assert fires("FILE_PARTS_SKIPPED", no)
    assert all(word in no.findings[0].message for word in ("lines", "morph"))


# --- 3MF ----------------------------------------------------------------------------------------------------------


def components(*uses):
    parts = []
    for key, used in uses:
        inner = "".join(f'<component objectid="{u}" />' for u in used)
        shape = f"<components>{inner}</components>" if used else mesh_xml()
        parts.append(f'<object id="{key}" type="model">{shape}</object>')
    return threemf(model_xml("".join(parts)))


def test_a_zip_bomb_is_refused_before_it_unpacks(tmp_path):
    bomb = threemf(b"<" + b" " * 300_000_000, compression=zipfile.ZIP_DEFLATED)
    assert len(bomb) < 1_000_000
    start = time.monotonic()
    assert fires("ZIP_BOMB", refused(tmp_path, "a.3mf", bomb))
    assert time.monotonic() - start < 2
    # The same with a lie: it declares a hundred bytes and holds three hundred million.
    entry = bomb.index(b"PK\x01\x02")
    liar = bomb[:22] + b"\x64\0\0\0" + bomb[26 : entry + 24] + b"\x64\0\0\0" + bomb[entry + 28 :]
    start = time.monotonic()
    no = refused(tmp_path, "b.3mf", liar)
    assert time.monotonic() - start < 2
    assert fires("ZIP_DAMAGED", no)
    assert silent("ZIP_BOMB", accepted(tmp_path, "c.3mf", threemf(compression=zipfile.ZIP_DEFLATED)).findings)
    assert silent("ZIP_DAMAGED", accepted(tmp_path, "c.3mf", threemf()).findings)
    assert fires("ZIP_DAMAGED", refused(tmp_path, "d.3mf", threemf()[:-30]))


def test_archives_that_are_no_mesh(tmp_path):
    zipped = refused(tmp_path, "a.3mf", threemf(threemf(), name="inner.3mf"))
    assert fires("THREEMF_REFERENCE", zipped)
    assert "unpack it" in zipped.report.findings[0].message
    assert "unpack it" not in refused(tmp_path, "e.3mf", threemf(b"x", name="x.txt")).report.findings[0].message
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as archive:
        for i in range(10_001):
            archive.writestr(zipfile.ZipInfo(f"{i}"), "")
    assert fires("FILE_MALFORMED", refused(tmp_path, "b.3mf", many.getvalue()))
    locked = bytearray(threemf())
    locked[6] |= 1
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    assert fires("ZIP_ENCRYPTED", refused(tmp_path, "c.3mf", bytes(locked)))
    assert silent("ZIP_ENCRYPTED", accepted(tmp_path, "d.3mf", threemf()).findings)


def test_xml_with_a_document_type(tmp_path):
    laughs = '<!DOCTYPE m [<!ENTITY a "ha">' + "".join(
        f'<!ENTITY {c} "{f"&{b};" * 10}">' for b, c in zip("abcdefgh", "bcdefghi", strict=True)
    )
    bomb = (
        model_xml()
        .replace("<model", laughs + "]><model")
        .replace("<build>", '<metadata name="&i;">&i;</metadata><build>')
    )
    outside = '<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><model'
    for text in (
        bomb,
        model_xml().replace("<model", outside),
        model_xml().replace("<model", "<!DOCTYPE m SYSTEM 'http://a/b'><model"),
    ):
        for data in (text, text.encode("utf-16")):
            start = time.monotonic()
            assert fires("XML_DOCTYPE", refused(tmp_path, "a.3mf", threemf(data)))
            assert time.monotonic() - start < 1
    assert silent(
        "XML_DOCTYPE",
        accepted(tmp_path, "b.3mf", threemf(model_xml().replace("<model", "<!-- no type --><model"))).findings,
    )
    relations = '<!DOCTYPE m><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships" />'
    assert fires("XML_DOCTYPE", refused(tmp_path, "c.3mf", threemf(more=[("_rels/.rels", relations)])))


def test_components_that_loop_or_blow_up(tmp_path):
    assert fires("THREEMF_LOOP", refused(tmp_path, "a.3mf", components((1, [2]), (2, [1]))))
    assert fires("THREEMF_LOOP", refused(tmp_path, "a.3mf", components((1, [1]))))
    assert silent("THREEMF_LOOP", accepted(tmp_path, "b.3mf", components((1, [2, 2]), (2, []))).findings)
    start = time.monotonic()
    blow_up = components((40, []), *((n, [n + 1] * 10) for n in range(1, 40)))
    assert fires("MESH_TOO_MANY_TRIANGLES", refused(tmp_path, "c.3mf", blow_up))
    ten = '<component objectid="{0}" />' * 10
    empty = "".join(
        f'<object id="{n}" type="model"><components>{ten.format(n + 1)}</components></object>' for n in range(1, 9)
    )
    hollow = model_xml('<object id="9" type="model"><components /></object>' + empty)
    assert fires("FILE_MALFORMED", refused(tmp_path, "d.3mf", threemf(hollow)))
    assert time.monotonic() - start < 2


def test_3mf_units_references_and_extensions(tmp_path):
    assert fires("THREEMF_UNIT", refused(tmp_path, "a.3mf", threemf(model_xml(unit="parsec"))))
    assert silent("THREEMF_UNIT", accepted(tmp_path, "a.3mf", threemf(model_xml(unit="inch"))).findings)
    assert fires("THREEMF_REFERENCE", refused(tmp_path, "a.3mf", threemf(model_xml(build='<item objectid="2" />'))))
    assert silent("THREEMF_REFERENCE", accepted(tmp_path, "a.3mf", threemf()).findings)
    needs = 'requiredextensions="b" xmlns:b="http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"'
    beams = refused(tmp_path, "a.3mf", threemf(model_xml(root=needs)))
    assert fires("THREEMF_EXTENSION", beams)
    assert "needs the extension 'http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02'" in str(beams)
    material = 'requiredextensions="m" xmlns:m="http://schemas.microsoft.com/3dmanufacturing/material/2015/02"'
    assert silent("THREEMF_EXTENSION", accepted(tmp_path, "a.3mf", threemf(model_xml(root=material))).findings)
    for old, new in (
        ('x="10"', 'x="ten"'),
        ("</vertices>", ""),
        ('transform="', ""),
        ('v1="0"', ""),
        ("</model>", "<!-- "),
    ):
        data = model_xml().replace(old, new, 1)
        if data != model_xml():
            assert fires("FILE_MALFORMED", refused(tmp_path, "a.3mf", threemf(data)))
    item = '<item objectid="1" transform="1 0 0 0 1 0 0 0 1 0 0 nan" />'
    assert fires("FILE_MALFORMED", refused(tmp_path, "a.3mf", threemf(model_xml(build=item))))
    assert fires(
        "MESH_INDEX_RANGE",
        refused(tmp_path, "a.3mf", threemf(model_xml().replace('v1="7"', 'v1="8"').replace('v3="7"', 'v3="-1"'))),
    )


# --- time ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.stl", b"solid a\n" + b" " * 3_000_000),
        ("b.stl", b"solid a\n" + b"facet normal " * 300_000),
        ("a.obj", b"#" + b" \n#" * 1_000_000 + b"x"),
        ("b.obj", b"v 0 0 0\n" + b"f 1 1 1\n" * 200_000),
        ("a.off", b"OFF\n" + b"#\n\n" * 1_000_000 + b"x"),
        ("b.off", b"#\n\n" * 500_000 + b"OFF"),
        ("a.ply", b"ply\n" + b"comment a\n" * 300_000),
        ("a.3mf", threemf(b"<model>" + b"<vertices>" * 300_000)),
        ("b.3mf", threemf(b"<model>" + b"<!--" * 500_000)),
        ("c.3mf", threemf(b"<model>" + b"<!---->" * 300_000)),
        ("d.3mf", threemf(b"<model>" + b"<a>" * 500_000)),
        ("a.gltf", b'{"asset":' + b"[" * 500_000),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_texts_made_to_waste_time_do_not(tmp_path, name, data):
    start = time.monotonic()
    refused(tmp_path, name, data)
    assert time.monotonic() - start < 5


def test_a_heap_of_points_in_one_spot_is_no_trap(tmp_path):
    rng = np.random.default_rng(1)
    v = rng.random((30_000, 3)) * 1e-6 + 5
    v[::3] += (9, 0, 0)
    v[1::3] += (0, 9, 0)
    start = time.monotonic()
    solid = Solid.of(v, np.arange(30_000).reshape(-1, 3))
    assert len(solid.faces) > 0
    assert time.monotonic() - start < 10


def test_json_of_a_refusal_is_plain(tmp_path):
    no = refused(tmp_path, "a.stl", stl(count=6))
    assert json.loads(json.dumps(no.report.as_dict()))["valid"] is False
    with pytest.raises(Refused):
        read_solid(tmp_path / "a.stl")
    assert joined(cube(), cube())[1].max() == 15


# --- 3MF: names, marks and packing ----------------------------------------------------------------------------------

CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
TWO = '<item objectid="1"/><item objectid="2"/>'


def objects(second):
    return f'<object id="1">{mesh_xml()}</object><object id="2">{second}</object>'


@pytest.mark.parametrize("prefix", ["c-3", "c.3", "é", "_x"])
def test_every_legal_prefix_of_a_3mf_is_read(tmp_path, prefix):
    v, f = cube(at=(50, 0, 0))
    plain = mesh_xml((v, f))
    named = plain.replace("</", "\0").replace("<", f"<{prefix}:").replace("\0", f"</{prefix}:")
    for mesh in (named, named.replace(f"<{prefix}:vertex x", f'<{prefix}:vertex {prefix}:a="1" x')):
        model = model_xml(objects(mesh), TWO, root=f'xmlns:{prefix}="{CORE}"')
        assert len(accepted(tmp_path, "a.3mf", threemf(model)).faces) == 24


@pytest.mark.parametrize("number", ["0", "99", "x"])
def test_the_lists_of_another_object_cannot_be_asked_for(tmp_path, number):
    forged = f'<mesh><vertices lifted="{number}"/><triangles lifted="{number}"/></mesh>'
    assert fires("MESH_EMPTY", refused(tmp_path, "a.3mf", threemf(model_xml(objects(forged), TWO[21:]))))
    assert len(accepted(tmp_path, "b.3mf", threemf(model_xml(objects(forged), TWO))).faces) == 12


def test_a_3mf_mesh_without_a_list_is_no_empty_one(tmp_path):
    for left_out in ("<mesh/>", "<mesh><vertices/></mesh>", "<mesh><triangles/></mesh>"):
        no = refused(tmp_path, "a.3mf", threemf(model_xml(objects(left_out), TWO)))
        assert fires("FILE_MALFORMED", no)
        assert "the mesh of object '2' has no list of" in no.report.findings[0].message


def test_numbers_of_a_3mf_may_be_written_as_references(tmp_path):
    model = model_xml().replace('x="10"', 'x="&#49;0"')
    assert model != model_xml()
    assert len(accepted(tmp_path, "a.3mf", threemf(model)).faces) == 12


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_3mf_is_unpacked_by_no_other_method(tmp_path, method):
    packed = threemf(compression=method)
    for data in (packed, packed.replace(b"\x5d\x00\x00", b"\x5d\xff\xff")):  # a dictionary of 4 GB is asked for
        no = refused(tmp_path, "a.3mf", data)
        assert fires("FILE_MALFORMED", no)
        assert "is packed by method" in no.report.findings[0].message
    assert silent("FILE_MALFORMED", accepted(tmp_path, "b.3mf", threemf(compression=zipfile.ZIP_DEFLATED)).findings)
