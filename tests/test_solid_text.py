"""Texts: strict numbers, lines that keep theirs, and spellings that are odd but right."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest

from sim3d.forge.bad import cube, model_xml, obj, off, ply, stl_ascii, threemf
from sim3d.solid import text
from sim3d.solid.soup import as_written, behind
from tests.codes import fires, silent
from tests.hostile import accepted, heard, refused


def test_numbers_are_what_a_format_calls_numbers(tmp_path):
    # Python's own float() and int() take underscores; no mesh format does, and 4_0 is more likely a damaged 4.0.
    for name, data in (
        ("a.obj", obj().replace(b"v 10 0 0", b"v 1_0.0 0 0", 1)),
        ("a.obj", obj().replace(b"f 1 3 2", b"f 1 3 0_2", 1)),
        ("a.off", off().replace(b"10 0 0", b"1_0 0 0", 1)),
        ("a.off", off().replace(b"3 0 2 1", b"3 0 0_2 1", 1)),
        ("a.ply", ply().replace(b"10 0 0", b"1_0 0 0", 1)),
        ("a.ply", ply().replace(b"3 0 2 1", b"3 0 0_2 1", 1)),
        ("a.ply", ply().replace(b"3 0 2 1", b"0_3 0 2 1", 1)),
        ("a.stl", stl_ascii().replace(b"vertex 10 0 0", b"vertex 1_0 0 0", 1)),
        ("a.stl", stl_ascii().replace(b"vertex 10 0 0", "vertex １0 0 0".encode(), 1)),
        ("a.3mf", threemf(model_xml().replace('x="10"', 'x="1_0"', 1))),
        ("a.3mf", threemf(model_xml().replace('v1="1"', 'v1="0_1"', 1))),
        ("a.3mf", threemf(model_xml(build='<item objectid="1" transform="1_0 0 0 0 1 0 0 0 1 0 0 0" />'))),
    ):
        assert fires("FILE_MALFORMED", refused(tmp_path, name, data))
    assert fires("MESH_NOT_FINITE", refused(tmp_path, "a.obj", obj().replace(b"v 10 0 0", b"v infinity 0 0", 1)))


def test_lines_keep_their_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "PIECE_BYTES", 101)
    head = b"v 1.5 2.25 3.0\r\n" * 40
    for tail in (b"f 1 2 x", b"w 1 2 3", b"v 1 2", b"f 0 1 2"):
        for end in (b"\r\n", b"\n", b"\r"):
            no = refused(tmp_path, "a.obj", (head + tail + b"\r\n").replace(b"\r\n", end))
            assert no.report.findings[0].line == 41, (tail, end)
    broken = b"v 1 2 3\nv 1 2 \\\n4\nv 2 2 4\nf 1 \\\r\n2 \\\r\n3\r\nf 1 2 x\n"
    assert refused(tmp_path, "b.obj", broken).report.findings[0].line == 8


def test_numbers_of_corners_are_shown_as_they_stand_in_the_file(tmp_path):
    for face, shown in ((b"f 0 1 2", "number 0,"), (b"f -1 -2 -99", "number -99,"), (b"f 1 2 99", "number 99,")):
        no = refused(tmp_path, "a.obj", obj() + face + b"\n")
        assert fires("MESH_INDEX_RANGE", no)
        assert shown in str(no)
        assert no.report.findings[0].line == 21


def test_faces_that_are_none_are_skipped_and_said(tmp_path):
    for name, data in (
        ("a.obj", obj() + b"f 1 2\n"),
        ("a.obj", obj() + b"f\n"),
        ("a.off", off().replace(b"8 12", b"8 13") + b"2 0 1\n"),
        ("a.ply", ply(faces=13) + b"2 0 1\n"),
    ):
        solid = accepted(tmp_path, name, data)
        assert fires("FILE_PARTS_SKIPPED", solid.findings)
        assert len(solid.faces) == 12


@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize(
    ("wrong", "line"),
    [  # the fourth facet of the cube begins on line 23: one for the solid, seven for each of three facets, and itself
        (
            lambda facet: re.sub(rb"vertex \S+", b"vertex x", facet, count=1),
            25,
        ),  # its third line has a word that is no number
        (lambda facet: b"# a comment\n" + facet, 23),
        (lambda facet: facet.replace(b"outer", b"other", 1), 23),
        (lambda facet: b"solid b\n" + facet, 23),
    ],
)
def test_a_fault_of_an_ascii_stl_has_its_line_however_lines_end(tmp_path, wrong, line, ends):
    """Where they end in CR alone, as on an old Mac, every fault was on line 1."""
    lines = stl_ascii().split(b"\n")
    facet = b"\n".join(lines[22:29])
    assert facet.lstrip().startswith(b"facet")
    text = b"\n".join([*lines[:22], wrong(facet), *lines[29:]])
    report = refused(tmp_path, "a.stl", text.replace(b"\n", ends)).report
    assert [f.line for f in report] == [line], [str(f) for f in report]


def test_an_ascii_stl_all_on_one_line(tmp_path):
    words = b" ".join(stl_ascii(name="a cube of mine").split())
    one = accepted(tmp_path, "a.stl", words)
    assert (len(one.faces), one.source.title) == (12, "a cube of mine")
    two = words + b" " + b" ".join(stl_ascii(cube(at=(50, 0, 0)), name="b").split())
    assert accepted(tmp_path, "b.stl", two).parts == 2
    assert len(accepted(tmp_path, "c.stl", stl_ascii(name="vertex facet solid")).faces) == 12
    assert fires("STL_TRUNCATED", refused(tmp_path, "d.stl", words[:-60]))
    assert silent("STL_TRUNCATED", one.findings)


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "windows-1252", "iso-8859-15", "UTF-8", "utf-16"])
def test_an_xml_in_the_encoding_that_it_declares(tmp_path, encoding):
    xml = model_xml().replace('type="model"', 'type="model" name="größe"').replace("UTF-8", encoding)
    solid = accepted(tmp_path, "a.3mf", threemf(xml.encode(encoding)))
    assert (solid.volume_mm3, solid.source.title) == (pytest.approx(1000), "größe")
    assert fires(
        "FILE_MALFORMED", refused(tmp_path, "b.3mf", threemf(xml.replace(encoding, "utf-8").encode("latin-1")))
    )


def test_a_model_with_a_space_in_its_name(tmp_path):
    kind = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"
    for target in ("/3D/my%20model.model", "/3D/my model.model"):
        relations = f'<Relationships><Relationship Target="{target}" Id="a" Type="{kind}" /></Relationships>'
        archive = threemf(model_xml(), name="3D/my model.model", more=[("_rels/.rels", relations)])
        assert accepted(tmp_path, "a.3mf", archive).volume_mm3 == pytest.approx(1000)


def test_a_long_text_of_corners_takes_no_longer_than_its_bytes(tmp_path):
    # Whatever the mix of lines: a million lines in a few seconds at most, so that 100 MB stay within 20 s.
    lines = b"v 1 2 3\n" * 400_000 + b"vn 0 0 1\nv 4 5 6\n" * 200_000 + b"v 7 8 1 1\n" * 100_000
    start = time.process_time()
    assert len(accepted(tmp_path, "a.obj", lines + b"f 1 400001 600001\n").vertices) == 3
    assert time.process_time() - start < 5


# --- texts without ends -----------------------------------------------------------------------------------------------

LINE = b"v 0 0 0 " + b"1 " * 600 + b"\n"
UNBROKEN = {
    "a.obj": obj() + LINE,
    "goes-on.obj": obj() + b"#\\\n" * 600 + b"\n",
    "a.off": off().replace(b"10 0 0", b"10 0 0" + b" 1" * 600, 1),
    "a.ply": ply() + LINE,
    "a.stl": stl_ascii().replace(b"endfacet", b"1 " * 600 + b"endfacet", 1),
    "a.3mf": threemf(model_xml().replace("<vertices>", "<vertices>" + '"""' * 600, 1)),
}


@pytest.mark.parametrize("name", list(UNBROKEN))
def test_a_text_without_an_end_is_refused_before_it_is_split(tmp_path, monkeypatch, name):
    for constant in ("PIECE_BYTES", "LONGEST_BYTES"):
        monkeypatch.setattr(text, constant, 300)
    sound = {"obj": obj, "off": off, "ply": ply, "stl": stl_ascii, "3mf": threemf}[name.split(".")[1]]
    no = refused(tmp_path, name, UNBROKEN[name])
    assert fires("FILE_TEXT_UNBROKEN", no)
    assert "300 bytes of text without " in str(no)
    assert silent("FILE_TEXT_UNBROKEN", accepted(tmp_path, name, sound()).findings)


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_a_piece_of_a_text_never_ends_in_a_line_that_goes_on(tmp_path, monkeypatch, end):
    whole = obj().replace(b"f 1 3 2", b"f 1 \\\n3 \\\n2").replace(b"\n", end)
    corners = accepted(tmp_path, "a.obj", obj()).vertices.tolist()
    for most in range(40, 120):
        monkeypatch.setattr(text, "PIECE_BYTES", most)
        assert accepted(tmp_path, "a.obj", whole).vertices.tolist() == corners


def test_equal_lines_are_counted_and_the_last_name_is_told(tmp_path):
    named = obj() + b"o a\n" * 3 + b"p 1\n" * 5 + b"o b\n" + b"o a\n"
    assert accepted(tmp_path, "a.obj", named).source.title == "a"
    assert "5 points" in str(accepted(tmp_path, "a.obj", named).findings)
    no = refused(tmp_path, "a.obj", b"o a\n" * 3 + b"w 1\n" + b"w 1\n")
    assert no.report.findings[0].line == 4


# --- spellings --------------------------------------------------------------------------------------------------------


def test_a_ply_whose_lines_end_in_cr_alone(tmp_path):
    lines = accepted(tmp_path, "a.ply", ply()).vertices.tolist()
    assert accepted(tmp_path, "a.ply", ply().replace(b"\n", b"\r")).vertices.tolist() == lines
    head, rows = ply_binary().split(b"end_header\n")
    assert rows[0] == 10  # a first byte that is a line feed, too, is a byte of the first number
    made = accepted(tmp_path, "b.ply", (head + b"end_header\n").replace(b"\n", b"\r") + rows)
    assert made.vertices.tolist() == accepted(tmp_path, "b.ply", head + b"end_header\n" + rows).vertices.tolist()


def ply_binary() -> bytes:
    """A tetrahedron whose first corner begins with the byte of a line feed."""
    head = b"ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
    head += b"property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"
    corners = np.array([(1, 0, 0), (9, 0, 0), (0, 9, 0), (0, 0, 9)], "<f4")
    corners.view("u1")[0, 0] = 10
    faces = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3))
    return head + corners.tobytes() + b"".join(b"\3" + np.array(face, "<i4").tobytes() for face in faces)


def test_an_off_with_a_mark_of_its_encoding(tmp_path):
    assert (
        accepted(tmp_path, "a.off", b"\xef\xbb\xbf" + off()).extents_mm == accepted(tmp_path, "a.off", off()).extents_mm
    )


@pytest.mark.parametrize("name", ["a.off", "a"])
def test_an_off_whose_counts_follow_without_a_gap(tmp_path, name):
    """As a whole collection of models is spelled: OFF8 12 0."""
    word, _, rest = off().partition(b"\n")
    assert word == b"OFF"
    data = b"OFF" + rest
    assert accepted(tmp_path, name, data).extents_mm == accepted(tmp_path, "b.off", off()).extents_mm
    assert fires("FILE_MALFORMED", refused(tmp_path, "c.off", b"OFFICE" + rest))


LARGE = "a number of nineteen digits or more, of "


@pytest.mark.parametrize(
    ("number", "told"), [("99", "index 99, counted"), ("-5", "index -5"), ("9" * 30, LARGE), ("-" + "9" * 20, LARGE)]
)
def test_a_corner_that_is_nowhere_is_told_by_its_own_number(tmp_path, number, told):
    twice = '<item objectid="1"/><item objectid="1" transform="1 0 0 0 1 0 0 0 1 50 0 0"/>'
    no = refused(tmp_path, "a.3mf", threemf(model_xml(build=twice).replace('v1="1"', f'v1="{number}"', 1)))
    assert fires("MESH_INDEX_RANGE", no)
    assert told in str(no)


@pytest.mark.parametrize(("name", "data"), [("a.ply", ply()), ("a.off", off())])
def test_a_number_that_is_too_long_is_not_told_as_another(tmp_path, name, data):
    no = refused(tmp_path, name, data.replace(b"3 0 2 1", b"3 0 2 " + b"9" * 20, 1))
    assert fires("MESH_INDEX_RANGE", no)
    assert LARGE in str(no)


def test_renumbering_twice_keeps_a_broken_number():
    once = behind(np.array([[0, 1, 9]]), 100, 3)
    again = behind(once, 1000, 103)
    assert (again.tolist()[0][:2], as_written(int(again.max()))) == ([1100, 1101], 9)


def continued(folder, text):
    """An OBJ of a cube with lines before its last face."""
    head, _, last = obj().rstrip(b"\n").rpartition(b"\n")
    return heard(folder, "a.obj", head + b"\n" + text + last + b"\n")


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize(
    "line",
    [
        b"# maps in C:\\maps\\",
        b"#\\",
        b"v 1 1 1 # C:\\maps\\",
        b"mtllib C:\\maps\\",
        b"usemtl C:\\maps\\stone\\",
        b"o C:\\crate\\",
        b"g \\ \\\n# a comment\\",
    ],
)
def test_a_comment_or_a_path_swallows_no_line(tmp_path, line, end):
    solid = continued(tmp_path, line.replace(b"\n", end) + end)
    assert len(solid.faces) == 12
    assert solid.volume_mm3 == pytest.approx(1000)


@pytest.mark.parametrize("line", [b"mtllib a.mtl \\\nb.mtl", b"f 1 \\\n4 \\\n6", b"v 1 \\\n1 \\\n1", b"g a \\\n  b"])
def test_other_lines_go_on_and_keep_their_count(tmp_path, line):
    assert len(heard(tmp_path, "a.obj", obj() + line + b"\n").faces) == 12 + line.startswith(b"f")
    wrong = refused(tmp_path, "b.obj", line + b"\n# c\\\nv 1 2 ten\n" + obj())
    assert wrong.report.findings[-1].line == line.count(b"\n") + 3
