"""Damage that a file carries in its own words, and that was once read without one: it is refused or told."""

from __future__ import annotations

import numpy as np
import pytest

from sim3d.forge.bad import cube, glb, gltf, gltf_parts, mesh_xml, model_xml, obj, off, ply, stl, stl_ascii, threemf
from sim3d.solid import Limits
from sim3d.solid.gltf import Scene
from tests.codes import fires, silent
from tests.hostile import accepted, ply_with_colours, refused

# --- glTF -------------------------------------------------------------------------------------------------------------


def patched(*, kind, at=(7,)):
    """A glTF whose corners are changed at some places, counted by numbers of a type."""
    data, binary = gltf_parts()
    data["accessors"][0]["sparse"] = {
        "count": len(at),
        "indices": {"bufferView": 2, "componentType": kind},
        "values": {"bufferView": 3},
    }
    told = np.array(at, {5120: "<i1", 5121: "<u1", 5126: "<f4"}[kind]).tobytes()
    new = np.full((len(at), 3), 0.02, "<f4").tobytes()
    data["bufferViews"] = [
        *data["bufferViews"],
        {"buffer": 0, "byteOffset": len(binary), "byteLength": len(told)},
        {"buffer": 0, "byteOffset": len(binary) + len(told), "byteLength": len(new)},
    ]
    data["buffers"] = [{"byteLength": len(binary) + len(told) + len(new)}]
    return glb(data, binary + told + new)


def test_places_of_changed_corners_are_counted_by_whole_numbers(tmp_path):
    """A place of 7.0 as a float was rounded to a place, one of 1e9 or -1 to any."""
    assert accepted(tmp_path, "a.glb", patched(kind=5121)).extents_mm == pytest.approx((20, 20, 20))
    assert fires("GLTF_OUT_OF_BOUNDS", refused(tmp_path, "a.glb", patched(kind=5121, at=(8,))))
    for kind in (5120, 5126):
        assert fires("FILE_MALFORMED", refused(tmp_path, "a.glb", patched(kind=kind)))


@pytest.mark.parametrize(
    ("last", "read"),
    [((0, 0, 0, 1), True), ((0, 0, 0, 1 + 1e-6), True), ((0.005, 0, 0, 1), False), ((0, 0, 0, 2), False)],
)
def test_a_matrix_row_by_row_is_no_place(tmp_path, last, read):
    """Its move stands in the last row, where nothing may stand: the mesh stayed at the origin."""
    matrix = np.vstack([np.eye(4)[:3], last]).T.ravel().tolist()
    data = glb(*gltf_parts(nodes=[{"mesh": 0, "matrix": matrix}]))
    if read:
        assert accepted(tmp_path, "a.glb", data).extents_mm == pytest.approx((10, 10, 10), rel=1e-5)
    else:
        assert "a node's matrix ends in the row" in str(refused(tmp_path, "a.glb", data))


@pytest.mark.parametrize("length", [0.5, 0.98, 1.02, 10.0])
def test_a_rotation_is_a_quaternion_of_length_one(tmp_path, length):
    """It was made one in silence; a program that does not so turns and swells the mesh."""

    def turned(by):
        return glb(*gltf_parts(nodes=[{"mesh": 0, "rotation": [0, by * 0.6, 0, by * 0.8]}]))

    assert f"a quaternion of length {length:.3g}, not 1" in str(refused(tmp_path, "a.glb", turned(length)))
    assert len(accepted(tmp_path, "a.glb", turned(1 + 0.4 * (length - 1) / abs(length - 1) * 0.02)).faces) == 12


def test_a_count_of_one_is_in_the_singular(tmp_path):
    told = str(accepted(tmp_path, "a.obj", obj() + b"p 1\nl 1 2\nl 2 3\n").findings)
    assert "1 point, 2 lines" in told or "2 lines, 1 point" in told, told


def test_plain_rows_beside_packed_ones_are_not_read(tmp_path):
    data, binary = gltf_parts()
    for name in ("EXT_meshopt_compression", "KHR_meshopt_compression"):
        data["bufferViews"][0]["extensions"] = {name: {"buffer": 0}}
        assert fires("GLTF_COMPRESSED", refused(tmp_path, "a.glb", glb(data, binary)))


def test_many_meshes_of_the_same_few_bytes_are_refused_before_all_are_read(tmp_path, monkeypatch):
    """A kilobyte of JSON made 16 GB of corners: each mesh kept to the limit, and they were added when all were read."""
    data, binary = gltf_parts()
    data["meshes"], data["nodes"] = data["meshes"] * 100, [{"mesh": n} for n in range(100)]
    data["scenes"] = [{"nodes": list(range(100))}]
    read = []
    one = Scene._primitive
    monkeypatch.setattr(Scene, "_primitive", lambda scene, told: read.append(told) or one(scene, told))
    few = Limits(max_triangles=60)
    assert fires("MESH_TOO_MANY_TRIANGLES", refused(tmp_path, "a.glb", glb(data, binary), limits=few))
    assert len(read) == 6  # of twelve triangles each


def boxed(**changed):
    """The corners' accessor with the box that the standard asks for."""
    data, binary = gltf_parts()
    data["accessors"][0] |= {"min": [0, 0, 0], "max": [0.01, 0.01, 0.01]} | changed
    return data, binary


def test_corners_that_are_not_where_the_file_says(tmp_path):
    """A buffer of the right length that is another mesh's was read without a word."""
    assert silent("GLTF_BOX_WRONG", accepted(tmp_path, "a.glb", glb(*boxed())).findings)
    rounded = boxed(max=[0.01005, 0.00995, 0.01])
    assert silent("GLTF_BOX_WRONG", accepted(tmp_path, "a.glb", glb(*rounded)).findings)
    for broken in ([0.01, 0.01], ["a", 0, 0], "box", [1e300, 0, 0], [True, 0, None]):
        assert silent("GLTF_BOX_WRONG", accepted(tmp_path, "a.glb", glb(*boxed(max=broken))).findings)
    assert fires("GLTF_BOX_WRONG", accepted(tmp_path, "a.glb", glb(*boxed(max=[True, 0, 1e-300]))).findings)
    (tmp_path / "a.bin").write_bytes(gltf_parts(cube(size=12))[1])
    read = accepted(tmp_path, "a.gltf", gltf(*boxed(), uri="a.bin"))
    assert fires("GLTF_BOX_WRONG", read.findings)
    told = str(read.findings)
    assert "from (0, 0, 0) to (0.012, 0.012, 0.012), it says from (0, 0, 0) to (0.01, 0.01, 0.01)" in told
    data, binary = boxed(max=[1, 1, 1])
    data["meshes"][0]["primitives"] *= 2
    assert accepted(tmp_path, "a.glb", glb(data, binary)).findings.codes == ("GLTF_BOX_WRONG", "MESH_DUPLICATE")


@pytest.mark.parametrize(
    ("size", "said", "wrong"),
    [
        (44.9, 0.04, False),  # what 0.0449 is to two decimals
        (45.2, 0.05, False),
        (45.2, 0.04, True),
        (55.1, 0.05, True),
        (80.4, 0.0804, False),
        (82.4, 0.0812, True),  # with four decimals it would be 0.0824
        (14.0, 0.01, True),  # one step from end to end: not a rounded box but none
        (400.0, 0.0, True),
    ],
)
def test_a_box_may_be_rounded_to_the_decimals_that_it_is_written_with(tmp_path, size, said, wrong):
    data, binary = gltf_parts(cube(size=size))
    data["accessors"][0] |= {"min": [0, 0, 0], "max": [said] * 3}
    read = accepted(tmp_path, "a.glb", glb(data, binary))
    assert (fires if wrong else silent)("GLTF_BOX_WRONG", read.findings)


# --- texts and counts -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [b"f 1 /2 4 3", b"f /1 2 3", b"f 1 / 1 2 / 1 3 / 1", b"fo 1\t/2 3"])
def test_a_corner_without_a_number_is_no_corner_left_out(tmp_path, line):
    """What begins with a "/" was cut away with its "/": a quadrangle became a triangle."""
    no = refused(tmp_path, "a.obj", obj() + line + b"\n")
    assert no.report.findings[0].line == 21
    assert "a corner without a number before its '/'" in str(no)
    assert len(accepted(tmp_path, "a.obj", obj() + b"f 1/ 2/9/9 3//4\n").faces) == 13


def test_faces_as_they_were_spelled_once(tmp_path):
    old = obj().replace(b"f 1", b"fo 1")
    assert b"fo 1" in old
    assert accepted(tmp_path, "a.obj", old).volume_mm3 == pytest.approx(1000)
    assert fires("OBJ_UNKNOWN_WORD", refused(tmp_path, "a.obj", obj() + b"foo 1 2 3\n"))


def test_an_obj_that_calls_another_file_is_not_whole(tmp_path):
    no = refused(tmp_path, "a.obj", obj() + b"call walls.obj 2\n")
    assert fires("FILE_OUTSIDE", no)
    assert "asks for 'walls.obj 2'" in str(no)
    assert no.report.findings[0].line == 21
    assert silent("FILE_OUTSIDE", accepted(tmp_path, "a.obj", obj() + b"g call walls.obj\n").findings)


@pytest.mark.parametrize("order", ["ascii", "little", "big"])
def test_a_ply_that_declares_a_corner_too_many(tmp_path, order):
    """The first face was read as that corner, but for a byte: a face of no corners, and the others as they are."""
    data = ply(order=order).replace(b"element vertex 8", b"element vertex 9")
    refused(tmp_path, "a.ply", data)
    assert "1 faces have no corner at all" in str(refused(tmp_path, "a.ply", ply(faces=13) + b"0\n"))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.off", off().replace(b"8 12 0", b"8 11 0")),
        ("b.off", off().replace(b"8 12 0", b"8 6 0")),
        ("a.ply", ply(faces=11)),
        ("b.ply", ply(order="little", faces=11)),
        ("c.ply", ply(order="big", faces=6)),
        ("d.ply", ply_with_colours("little").replace(b"element face 12", b"element face 11")),
    ],
)
def test_a_face_behind_the_last_declared_one_is_no_junk(tmp_path, name, data):
    """It was ignored with a warning, and a piece of terrain without some of its faces was stood upon."""
    assert "faces are declared, and another one follows" in str(refused(tmp_path, name, data))


@pytest.mark.parametrize("junk", [b"3 0 1", b"3 0 1 8", b"3 0 1 -1", b"2 0 1", b"end of file", b"3", b"x" * 60])
def test_what_is_no_face_behind_the_last_one_is_junk(tmp_path, junk):
    for name, data in (("a.off", off()), ("a.ply", ply()), ("b.ply", ply(order="little"))):
        assert fires("FILE_TRAILING_BYTES", accepted(tmp_path, name, data + junk + b"\n").findings)


def test_an_off_whose_faces_are_among_its_corners(tmp_path):
    swapped = off().replace(b"8 12 0", b"12 8 0")
    assert "a corner with 4 numbers, where others have 3: '3 " in str(refused(tmp_path, "a.off", swapped))
    assert fires("FILE_MALFORMED", refused(tmp_path, "a.off", b"OFF\n3 1 0\n0 0 0\n1 0\n0 1 0\n3 0 1 2\n"))
    coloured = b"COFF\n3 1 0\n0 0 0 9 9 9 1\n30 0 0 9 9 9 1\n0 30 0 9 9 9 1\n3 0 1 2\n"
    assert accepted(tmp_path, "a.off", coloured).extents_mm == (30, 30, 0)


def test_an_off_of_two_pieces_of_text_whose_faces_are_among_its_corners(tmp_path, monkeypatch):
    monkeypatch.setattr("sim3d.solid.text.PIECE_BYTES", 70)  # the corners are one piece of the text, the faces another
    assert fires("FILE_MALFORMED", refused(tmp_path, "a.off", off().replace(b"8 12 0", b"12 8 0")))
    assert len(accepted(tmp_path, "a.off", off()).faces) == 12


@pytest.mark.parametrize("title", [b"facets by Foo", b"solid facet normal", b"solid" + b" " * 75])
def test_a_damaged_binary_stl_is_told_as_one_whatever_its_title(tmp_path, title):
    """With the word "facet" in its title it was said to lack an "endsolid"."""
    assert "12 triangles declared, 11.9 are there" in str(refused(tmp_path, "a.stl", stl(header=title)[:-5]))
    assert "12 triangles declared, 11.9 are there" in str(refused(tmp_path, "a.stl", stl(header=title)[:-1]))
    assert fires("STL_TRAILING_BYTES", accepted(tmp_path, "a.stl", stl(header=title) + b"\0\0").findings)
    stray = b"vert\0x".join(stl_ascii().rsplit(b"vertex", 1))
    assert "where 'vertex' should be" in str(refused(tmp_path, "a.stl", stray))


# --- 3MF --------------------------------------------------------------------------------------------------------------


def test_an_object_has_one_mesh_and_a_mesh_one_list_of_a_kind(tmp_path):
    """Of two meshes the last was read, of two lists the first."""
    mesh, more = mesh_xml(), mesh_xml(cube(at=(50, 0, 0)))
    for inside in (
        mesh + more,
        mesh.replace("<triangles>", "<vertices></vertices><triangles>"),
        mesh.replace("</mesh>", "<triangles></triangles></mesh>"),
    ):
        no = refused(tmp_path, "a.3mf", threemf(model_xml(f'<object id="1">{inside}</object>')))
        assert "of which only one may be" in str(no)


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["3D/3dmodel.model", "3d/3DModel.model"])
def test_a_part_that_is_in_the_archive_twice(tmp_path, name):
    other = model_xml(f'<object id="1">{mesh_xml(cube(size=20))}</object>')
    assert fires("ZIP_DAMAGED", refused(tmp_path, "a.3mf", threemf(more=[(name, other)])))
    read = accepted(tmp_path, "a.3mf", threemf(more=[("Metadata/a.png", b""), ("Metadata/a.png", b"x")]))
    assert read.extents_mm == (10, 10, 10)  # of what is not read it does not matter


@pytest.mark.parametrize(
    ("name", "mesh", "old", "new", "told"),
    [
        ("a.ply", ply(), b"\n10 0 0\n", b"\n1.D+01 0 0\n", "a coordinate that is no number: '1.D+01 0 0'"),
        ("a.ply", ply(), b"\n10 0 0\n", b"\n10 0\n", "a corner that does not have 3 numbers, but 2: '10 0'"),
        ("a.ply", ply(), b"\n3 0 ", b"\n3 0.5 ", "a corner's number that is not whole: '0.5'"),
        ("a.off", off(), b"\n10 0 0\n", b"\n1,0 0 0\n", "a coordinate that is no number: '1,0 0 0'"),
        ("a.off", off(), b"\n3 0 ", b"\n3 0.5 ", "a corner's number that is not whole: '3 0.5 "),
        ("a.off", off(), b"\n3 0 ", b"\n9 0 ", "a face that does not list as many corners as it says: '9 0 "),
        (
            "a.off",
            off(),
            b"\n3 0 ",
            b"\nthree 0 ",
            "a face that does not begin with how many corners it has: 'three 0 ",
        ),
    ],
)
def test_a_row_that_is_wrong_is_told_by_its_words(tmp_path, name, mesh, old, new, told):
    """Nobody was told which of them all."""
    assert old in mesh
    (found,) = refused(tmp_path, name, mesh.replace(old, new, 1)).report
    assert (found.code, told in found.message) == ("FILE_MALFORMED", True), found.message


def test_a_ply_that_says_two_things_is_not_read_by_one_of_them(tmp_path):
    """Of two lists of corners the ASCII kind read both, the binary kind the first; of two formats the last counted."""
    named = b"property list uchar int vertex_indices\n"
    (found,) = refused(tmp_path, "a.ply", ply().replace(named, named + named.replace(b"indices", b"index"))).report
    assert "two lists of corners, vertex_indices and vertex_index" in found.message
    (found,) = refused(tmp_path, "a.ply", ply().replace(b"\nelement", b"\nformat ascii 1.0\nelement", 1)).report
    assert (found.line, "'format ascii 1.0'" in found.message) == (3, True)


def test_a_value_of_a_3mf_that_is_no_number_is_told(tmp_path):
    for old, new, told in (
        ('x="10"', 'x="1.D+01"', "no number: '1.D+01'"),
        ('v1="0"', 'v1="0.0"', "no whole number: '0.0'"),
    ):
        (found,) = refused(tmp_path, "a.3mf", threemf(model_xml().replace(old, new, 1))).report
        assert (found.code, told in found.message) == ("FILE_MALFORMED", True), found.message


@pytest.mark.parametrize("also", [{"scale": [2, 2, 2]}, {"translation": [1, 0, 0]}, {"rotation": [0, 0, 1, 0]}])
def test_a_node_of_a_gltf_says_its_place_once(tmp_path, also):
    """The standard forbids both; the matrix counted here, and other programs multiply them."""
    data, buffer = gltf_parts()
    node = {"mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}
    assert len(accepted(tmp_path, "a.glb", glb(data | {"nodes": [node]}, buffer)).faces) == 12
    usual = {
        "translation": [0, 0, 0],
        "rotation": [0.0, 0.0, 0.0, 1.0],
        "scale": [1, 1, 1],
    }  # written out it says nothing
    assert len(accepted(tmp_path, "a.glb", glb(data | {"nodes": [node | usual]}, buffer)).faces) == 12
    (found,) = refused(tmp_path, "a.glb", glb(data | {"nodes": [node | also]}, buffer)).report
    assert f"both a matrix and a {next(iter(also))}" in found.message


def test_a_part_of_an_archive_that_ends_too_soon_is_told_as_one(tmp_path):
    """Behind the name of the part was nothing."""
    packed = bytearray(threemf())
    sizes = packed.rindex(b"PK\x01\x02") + 20  # how many bytes its last part is packed in, and unpacked
    for at in (sizes, sizes + 4):
        packed[at : at + 4] = (int.from_bytes(packed[at : at + 4], "little") + 5000).to_bytes(4, "little")
    (found,) = refused(tmp_path, "a.3mf", bytes(packed)).report
    assert (found.code, found.message.endswith(".model: its data ends too soon")) == ("ZIP_DAMAGED", True)
