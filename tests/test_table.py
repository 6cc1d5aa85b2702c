"""Table files: read strictly, written again, every fault at once with its line and key."""

from __future__ import annotations

import json
import math
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim3d.finding import Refused
from sim3d.form import json_lines, parse_form, read_form, to_json, to_toml, toml_lines
from sim3d.mini import CATALOGUE, Base, Body, Mini, read_base
from sim3d.solid import Solid
from sim3d.solid.soup import MM_PER
from sim3d.solid.write import write_mesh
from sim3d.space import Pose
from sim3d.table import (
    Piece,
    Placed,
    Table,
    TableForm,
    Token,
    parse_table,
    read_table,
    table_data,
    write_table,
)
from tests.codes import fires, silent

GOOD = """\
about = "A crate on a felt table."

[table]
size = [600.0, 400.0]
material = "felt"

[material.ice]
friction = 0.1

[[piece]]
name = "crate"
mesh = "crate.stl"
at = [-40.0, 0.0]
turn = 30.0
class = { trooper = "difficult" }

[[piece]]
mesh = "crate.stl"
on = "crate"
at = [-40.0, 0.0]
scale = 0.5
material = "ice"

[[mini]]
name = "scout"
base = "27"
com = 15.0
at = [-1.0, 0.0]

[[token]]
name = "flag"
at = [0.0, 100.0]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("table")
    write_mesh(folder / "crate.stl", *box(80, 80, 30))
    (folder / "good.toml").write_text(GOOD, encoding="utf-8")
    return folder


def box(x: float, y: float, z: float) -> tuple[np.ndarray, np.ndarray]:
    from sim3d.solid.boolean import box as made

    return made((-x / 2, -y / 2, 0), (x / 2, y / 2, z))


def refused(text: str, folder: Path = Path(), **told: bool) -> Refused:
    with pytest.raises(Refused) as caught:
        parse_table(text, folder=folder, name="t.toml", **told)
    return caught.value


def test_a_table_says_what_its_file_says(folder: Path) -> None:
    table = read_table(folder / "good.toml")
    assert table.size_mm == (600.0, 400.0)
    assert [p.name for p in table.pieces] == ["crate", "crate-2"]
    assert table.piece("crate-2").pose.place == (-40.0, 0.0, 30.0)
    assert table.piece("crate-2").top_mm == pytest.approx(45.0)
    assert table.piece("crate").classes == {"trooper": "difficult"}
    assert table.mini("scout").mini.com == (0.0, 0.0, 15.0)
    assert table.friction("ice", "grip") == pytest.approx(0.1 * 1.25**0.5)
    assert table.tokens[0].diameter_mm == 25.0


@pytest.mark.parametrize("ending", [".toml", ".json"])
def test_a_table_written_reads_back_the_same(folder: Path, ending: str) -> None:
    table = read_table(folder / "good.toml")
    write_table(table, folder / f"again{ending}")
    again = read_table(folder / f"again{ending}")
    assert table_data(again, folder=folder) == table_data(table, folder=folder)
    for one, other in zip(table.pieces, again.pieces, strict=True):
        np.testing.assert_allclose(one.vertices(), other.vertices(), atol=1e-9)
    write_table(again, folder / f"twice{ending}")
    assert (folder / f"twice{ending}").read_bytes() == (folder / f"again{ending}").read_bytes()


def test_sizes_in_feet_and_no_edge_and_no_floor() -> None:
    assert parse_table('[table]\nsize = "6x3ft"\n').size_mm == (pytest.approx(1828.8), pytest.approx(914.4))
    assert parse_table("").size_mm is None
    assert parse_table('[table]\nfloor = "none"\n').floor_mm is None


def test_every_fault_comes_at_once_with_line_and_key(folder: Path) -> None:
    text = GOOD.replace("size = [600.0", "sise = [600.0").replace('base = "27"', "")
    text = text.replace("turn = 30.0", 'turn = "30"')
    wrong = refused(text, folder)
    assert fires("FORM_UNKNOWN_KEY", wrong)
    assert fires("FORM_MISSING_KEY", wrong)
    assert fires("FORM_BAD_VALUE", wrong)
    seen = {(f.code, f.pointer, f.line) for f in wrong.report}
    assert ("FORM_UNKNOWN_KEY", "/table/sise", 4) in seen
    assert ("FORM_MISSING_KEY", "/mini/0/base", 24) in seen
    assert ("FORM_BAD_VALUE", "/piece/0/turn", 14) in seen
    assert "did you mean 'size'" in str(wrong)


def test_a_sound_file_fires_none_of_it(folder: Path) -> None:
    report = read_table(folder / "good.toml").piece("crate").solid.findings
    for_form = ("FORM_UNKNOWN_KEY", "FORM_MISSING_KEY", "FORM_BAD_VALUE", "FORM_UNREADABLE")
    assert not set(for_form) & set(report.codes)
    assert silent("FORM_UNKNOWN_KEY", report)
    assert silent("FORM_MISSING_KEY", report)
    assert silent("FORM_BAD_VALUE", report)
    assert silent("FORM_UNREADABLE", report)
    assert silent("TABLE_NAME_TWICE", report)
    assert silent("TABLE_UNKNOWN_NAME", report)


def test_names_are_told_apart(folder: Path) -> None:
    text = GOOD.replace('on = "crate"', 'on = "crat"').replace('material = "ice"', 'material = "icy"')
    text += '\n[[token]]\nname = "flag"\nat = [1.0, 1.0]\n'
    wrong = refused(text, folder)
    assert fires("TABLE_UNKNOWN_NAME", wrong)
    assert fires("TABLE_NAME_TWICE", wrong)
    lines = {f.pointer: f.line for f in wrong.report}
    assert lines["/piece/1/on"] == 19
    assert lines["/token/1/name"] == 35


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("a = = 1", "not TOML", 1),
        ('[table]\nsize = [1, "x"]\n', "/table/size", 2),
        ("[table]\nsize = [-5.0, 5.0]\n", "greater than 0", 2),
        ("[table]\nsize = [nan, 5.0]\n", "finite", 2),
        ("[table]\nfloor = inf\n", "finite", 2),
        ('[[mini]]\nname = "a"\nbase = "33"\nat = [0.0, 0.0]\n', "round33", 3),
        ('[[mini]]\nname = "a"\nbase = "27"\ncom = 90.0\nat = [0.0, 0.0]\n', "'mini.0.com'", 4),
        ("\nabout = 2020-01-01\n", "'about': a date", 2),
        ("[table]\nfloor = " + "9" * 5000, "thousands of digits", 2),
        ("# a\x85b\u2028c\n[table]\nsizes = [1, 2]\n", "'size'", 3),
        ("[table]\nsize = [\n 1.0,\n -2.0,\n]\n", "'table.size.1': must be greater than 0", 4),
        ('[[piece]]\nmesh = "a.stl"\n"a/b" = 1\n', "/piece/0/a~1b", 3),
        ('[[piece]]\nmesh = "a.stl"\n"\\u0061t" = 1\n', "/piece/0/at", 3),
        ('token = [\n {name = "a", at = [0, 0]},\n {name = "b", att = [0, 0]},\n]\n', "did you mean 'at'", 3),
        ("[table]\nsize = [600, 400]\nsize = [1, 1]\n", "not TOML", None),
    ],
)
def test_a_bad_value_names_its_key_and_line(text: str, said: str, line: int | None) -> None:
    wrong = refused(text)
    assert said in str(wrong)
    if line is not None:
        assert wrong.report.findings[0].line == line


BAD_JSON = ('{"table": {"floor": NaN}}', '{"about": "a", "about": "b"}', "[" * 100_000, "{", "[]")


@pytest.mark.parametrize("text", BAD_JSON)
def test_bad_json_is_refused(text: str) -> None:
    assert refused(text, json_text=True).report.codes[0] in ("FORM_UNREADABLE", "FORM_BAD_VALUE")


def test_a_mesh_that_cannot_be_read_is_told_at_the_piece(folder: Path) -> None:
    (folder / "junk.stl").write_bytes(b"x")
    wrong = refused('[[piece]]\nname = "a"\nmesh = "junk.stl"\n[[piece]]\nmesh = "gone.stl"\n', folder)
    assert [(f.pointer, f.line) for f in wrong.report] == [("/piece/0/mesh", 3), ("/piece/1/mesh", 5)]
    assert "junk.stl" in wrong.report.findings[0].message


def test_unreadable_files(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b'about = "\xe9"')
    for path in (tmp_path / "gone.toml", tmp_path, tmp_path / "latin.toml"):
        with pytest.raises(Refused) as caught:
            read_form(path, TableForm)
        assert fires("FORM_UNREADABLE", caught.value)


def test_a_path_with_backslashes_is_told_how_folders_are_parted(folder: Path) -> None:
    text = "[[piece]]\nmesh = 'walls\\no.stl'\n[[mini]]\nname = \"m\"\nbase = 'b\\no.stl'\nat = [0, 0]\n"
    with pytest.raises(Refused) as caught:
        parse_table(text, folder=folder)
    for told, path in zip(caught.value.report, ("walls/no.stl", "b/no.stl"), strict=True):
        assert told.message.endswith(f"there is no such file; folders are parted by /: {path!r}")
    with pytest.raises(Refused) as caught:
        parse_table('[[piece]]\nmesh = "walls/no.stl"\n', folder=folder)
    assert caught.value.report.findings[0].message.endswith("there is no such file")


def test_a_base_may_be_a_mesh_beside_the_table(folder: Path) -> None:
    write_mesh(folder / "mine.stl", *Base.round(33.5).mesh(chord_mm=0.05))
    table = parse_table('[[mini]]\nname = "a"\nbase = "mine.stl"\nat = [0.0, 0.0]\n', folder=folder)
    base = table.mini("a").mini.base
    assert (base.name, base.outline.width_mm) == ("mine.stl", pytest.approx(33.5, abs=0.05))


OWN = [
    Base.round(27, thickness_mm=6),
    Base.round(33),
    Base.round(50, notches=("front",)),
    Base.round(50, notches=("rear", "front")),
    Base.ellipse(90, 52, notches=("front",)),
    Base.ellipse(41.5, 41.5),
    Base.stadium(100, 50, notches=("left", "right"), thickness_mm=4.123456789),
    Base.rectangle(60, 60, notches=("front", "rear", "left", "right")),
    Base.hexagon(33.123456789),
    *(Base.named(name) for name in CATALOGUE),
]


@pytest.mark.parametrize("ending", [".toml", ".json"])
def test_every_base_and_body_reads_back_as_it_was(tmp_path: Path, ending: str) -> None:
    minis = [Placed(f"m{i}", Mini(base), (0.1 + 0.2, i), turn=33.3, level=7) for i, base in enumerate(OWN)]
    minis.append(Placed("wide", Mini("27", body=Body(60.0, 40.0), com=(1, 2, 3), mass_g=7), (0, 0)))
    table = Table(minis=tuple(minis), size_mm=(600, 400), floor_mm=None)
    write_table(table, tmp_path / f"t{ending}")
    assert read_table(tmp_path / f"t{ending}") == table


@pytest.mark.parametrize("turn", [0.0, 33.3, -90.0, 180.0, 210.0, 359.9, 1e-7])
def test_a_pose_reads_back_to_the_last_bit(folder: Path, turn: float) -> None:
    for how in (f"turn = {turn}", f"spin = {list((Pose.turned((1, 2, 3), turn)).spin)}"):
        table = parse_table(f'[[piece]]\nmesh = "crate.stl"\nat = [0.1, 0.2, 0.3]\n{how}\nscale = 0.3\n', folder=folder)
        write_table(table, folder / "pose.toml")
        assert read_table(folder / "pose.toml").pieces[0].pose == table.pieces[0].pose


def test_a_base_from_a_mesh_is_found_from_another_folder(folder: Path) -> None:
    write_mesh(folder / "mine.stl", *Base.round(33.5).mesh(chord_mm=0.05))
    table = parse_table('[[mini]]\nname = "a"\nbase = "mine.stl"\nat = [0, 0]\n', folder=folder)
    (folder / "sub" / "deep").mkdir(parents=True)
    write_table(table, folder / "sub" / "deep" / "t.toml")
    assert 'base = "../../mine.stl"' in (folder / "sub" / "deep" / "t.toml").read_text(encoding="utf-8")
    assert read_table(folder / "sub" / "deep" / "t.toml") == table


@pytest.mark.parametrize("ending", [".toml", ".json"])
def test_a_base_whose_mesh_was_read_in_another_unit_is_written_with_it(folder: Path, ending: str) -> None:
    """Nothing said it: a base in inches was one of 2 mm, and such a table could not be written."""
    corners, faces = Base.round(50.8).mesh(chord_mm=0.05)
    write_mesh(folder / "inches.stl", corners / 25.4, faces)
    write_mesh(folder / "upright.obj", corners[:, [0, 2, 1]] * (1, 1, -1), faces)
    first, second = read_base(folder / "inches.stl", unit="in").base, read_base(folder / "upright.obj", up="y").base
    table = Table(minis=(Placed("a", Mini(first), (0, 0)), Placed("b", Mini(second), (90, 0))))
    write_table(table, folder / f"bases{ending}")
    again = read_table(folder / f"bases{ending}")
    assert again == table
    for placed in again.minis:
        assert placed.mini.base.outline.width_mm == pytest.approx(50.8, abs=0.1)
    text = '[[mini]]\nname = "{0}"\nbase = "inches.stl"\nat = [{1}, 0]\n{2}'
    two = parse_table(text.format("a", 0, 'base_unit = "in"\n') + text.format("b", 90, ""), folder=folder)
    assert [placed.mini.base.outline.width_mm for placed in two.minis] == pytest.approx([50.8, 2.0], abs=0.1)
    with pytest.raises(Refused, match="of a base's mesh, and '27' is a base by its name"):
        parse_table(text.format("a", 0, 'base_up = "y"\n').replace("inches.stl", "27"), folder=folder)


def test_a_base_may_lie_in_a_folder_of_a_long_name(folder: Path) -> None:
    """Of a path of over a hundred letters it was said that it is too long."""
    there = folder / ("long" * 30)
    there.mkdir()
    write_mesh(there / "mine.stl", *Base.round(33.5).mesh(chord_mm=0.05))
    text = f'[[mini]]\nname = "m"\nbase = "{there.name}/mine.stl"\nat = [0, 0]\n'
    assert parse_table(text, folder=folder).mini("m").mini.base.name == "mine.stl"


def test_a_fault_of_a_mesh_keeps_its_line(folder: Path) -> None:
    (folder / "cut.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n")
    with pytest.raises(Refused, match=r"cut.obj:4: 1 triangle uses corners that do not exist: number 9, of 3"):
        parse_table('[[piece]]\nmesh = "cut.obj"\n', folder=folder)


def test_what_a_file_cannot_say_is_refused_by_name_and_nothing_is_written(folder: Path) -> None:
    write_mesh(folder / "mine.stl", *Base.round(33.5).mesh(chord_mm=0.05))
    figure = Mini.of_solid("32", Solid.of(*Base.round(32).mesh(chord_mm=0.1)))
    good = read_table(folder / "good.toml")
    other = Solid.of(*box(1, 2, 3))

    def of(mini: Mini, **more: float) -> Table:
        return Table(minis=(Placed("m", mini, (0, 0), **more),))

    for table, said in (
        (of(Mini(replace(Base.round(32), thickness_mm=4))), "mini 'm': its base '32' is not the one of that name"),
        (of(Mini(replace(read_base(folder / "mine.stl").base, thickness_mm=4))), "mini 'm'"),
        (of(figure), "mini 'm': its body is a mesh"),
        (of(Mini("27"), turn=1e5), "/mini/0/turn"),
        (replace(good, pieces=(replace(good.pieces[0], solid=other),)), "mesh of piece 'crate'"),
        (replace(good, materials={"ice": 0.1, "ooze": 11.0}), "/material/ooze/friction"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            write_table(table, folder / "no.toml")
    assert not (folder / "no.toml").exists()


def test_numbers_of_numpy_are_made_plain_where_they_come_in(tmp_path: Path) -> None:
    at = (np.float64(1.5), np.float32(2.5))
    mini = Mini(Base.round(np.float64(33)), height=np.float64(40), com=np.int64(15), mass_g=np.float32(9))
    table = Table(
        minis=(Placed("m", mini, at, turn=np.float64(30), level=np.int64(3)),),  # type: ignore[arg-type]
        tokens=(Token("t", np.array([1.0, 2.0]), np.float32(25)),),  # type: ignore[arg-type]
        size_mm=tuple(np.array([600, 400])),  # type: ignore[arg-type]
        floor_mm=np.float64(0),
    )
    write_table(table, tmp_path / "t.toml")
    assert read_table(tmp_path / "t.toml") == table
    assert all(type(n) is float for n in (*table.minis[0].at, *table.tokens[0].at, table.minis[0].turn))
    assert to_toml({"a": np.float64(1), "b": np.arange(2), "c": np.bool_(True)}) == "a = 1.0\nb = [0, 1]\nc = true\n"
    assert json.loads(to_json({"a": np.int64(1), "b": [np.float32(0.5)]})) == {"a": 1, "b": [0.5]}
    with pytest.raises(ValueError, match="at is nan"):
        Token("t", (math.nan, 0.0))
    with pytest.raises(ValueError, match="number that can be used"):
        to_toml({"a": math.inf})


def test_no_two_things_of_a_table_have_one_name() -> None:
    solid = Solid.of(*box(10, 10, 10))
    named = [replace(solid, name=name) for name in ("a-2", "a", "a", "a1", "a", "")]
    assert [p.name for p in Table.of(*named).pieces] == ["a-2", "a", "a-3", "a1", "a-4", "piece"]
    with pytest.raises(ValueError, match="two tokens of a table have one name: t"):
        Table(tokens=(Token("t", (0, 0)), Token("t", (1, 1))))


def test_a_stacked_piece_stands_on_its_own_lowest_point(folder: Path) -> None:
    vertices, faces = box(20, 20, 10)
    write_mesh(folder / "ball.stl", vertices - [0, 0, 5], faces)  # about its origin: half of it lies below
    text = (
        '[[piece]]\nname = "a"\nmesh = "crate.stl"\n[[piece]]\nname = "b"\nmesh = "ball.stl"\non = "a"\nscale = 2.0\n'
    )
    for how, low in (("", 30.0), ("at = [0, 0, 7]\n", 37.0), ("spin = [0.5, 0.5, 0.5, 0.5]\n", 30.0)):
        piece = parse_table(text + how, folder=folder).piece("b")
        assert piece.vertices()[:, 2].min() == pytest.approx(low)


def test_a_piece_is_turned_in_one_way(folder: Path) -> None:
    wrong = refused('[[piece]]\nmesh = "crate.stl"\nturn = 30\nspin = [1.0, 0.0, 0.0, 0.0]\n', folder)
    assert [(f.line, f.message) for f in wrong.report] == [(4, "'piece.0.spin': give turn or spin, not both")]
    assert parse_table('[[piece]]\nmesh = "crate.stl"\nspin = [1.0, 0.0, 0.0, 0.0]\n', folder=folder).pieces


@pytest.mark.parametrize("unit", sorted(MM_PER))
def test_a_table_knows_every_unit_that_a_mesh_may_have(folder: Path, unit: str) -> None:
    write_mesh(folder / "one.stl", *box(10, 10, 10))
    table = parse_table(f'[[piece]]\nmesh = "one.stl"\nunit = "{unit}"\n', folder=folder)
    assert table.pieces[0].top_mm == pytest.approx(10 * MM_PER[unit])


def test_a_table_of_solids_has_a_floor_under_the_lowest() -> None:
    vertices, faces = box(10, 10, 10)
    table = Table.of(Solid.of(vertices - [0, 0, 4], faces, name="a"), Solid.of(vertices, faces, name="b"))
    assert (table.floor_mm, table.size_mm) == (-4.0, None)
    with pytest.raises(ValueError, match="not read from a file"):
        table_data(table, folder=Path())
    with pytest.raises(KeyError, match="no mini is called 'x'; there are: none"):
        table.mini("x")


def test_a_mini_moves_and_the_old_table_stays(folder: Path) -> None:
    table = read_table(folder / "good.toml")
    moved = table.moved("scout", at=(5, 5), turn=90)
    assert (moved.mini("scout").at, table.mini("scout").at) == ((5.0, 5.0), (-1.0, 0.0))
    assert moved.without("scout").minis == ()


def test_a_piece_is_scaled_then_turned_then_moved() -> None:
    piece = Piece("p", Solid.of(*box(10, 20, 30)), Pose.at(100, 0, turn=90), scale=2.0)
    low, high = piece.vertices().min(axis=0), piece.vertices().max(axis=0)
    np.testing.assert_allclose([low, high], [[80, -10, 0], [120, 10, 60]], atol=1e-9)


PLAIN = st.recursive(
    st.one_of(st.booleans(), st.integers(-(2**60), 2**60), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), PLAIN, max_size=4))
def test_toml_text_reads_back_as_the_same_data(data: dict[str, object]) -> None:
    import tomllib

    try:
        text = to_toml(data)
        text.encode("utf-8")
    except UnicodeEncodeError:
        return  # lone surrogates cannot stand in any file
    assert tomllib.loads(text) == data


@pytest.mark.parametrize(
    ("text", "pointer", "said"),
    [
        (
            '[table]\nsize = "600x400"',
            "/table/size",
            "must be a list of 2 numbers or '6x3ft', '3x3ft', '6x4ft' or '4x4ft'",
        ),
        ("[table]\nsize = [1, 2, 3]", "/table/size", "must be a list of 2 numbers or '6x3ft'"),
        ("[table]\nsize = [1, -2]", "/table/size/1", "must be greater than 0 (got -2"),
        ('[table]\nfloor = "no"', "/table/floor", "must be a number or 'none' (got 'no')"),
        ('[[piece]]\nmesh = "a"\nat = [1]', "/piece/0/at", "must be a list of 2 numbers or a list of 3 numbers"),
        ('[[piece]]\nmesh = "a"\nat = [1, "x"]', "/piece/0/at/1", "must be a number (got 'x')"),
        ('[[piece]]\nmesh = "a"\nup = "x"', "/piece/0/up", "must be 'y' or 'z' (got 'x')"),
        ('[[mini]]\nname = "a"\nbase = "27"\nat = [1]', "/mini/0/at", "item 2 of the list is missing"),
    ],
)
def test_a_value_of_several_kinds_is_one_fault_in_plain_words(text: str, pointer: str, said: str) -> None:
    (fault,) = refused(text).report.findings
    assert (fault.code, fault.pointer) == ("FORM_BAD_VALUE", pointer)
    assert fault.message == f"{pointer[1:].replace('/', '.')!r}: {said}" or said in fault.message
    for word in ("tuple", "constrained", "literal", "Input"):
        assert word not in str(fault)


@pytest.mark.parametrize(
    ("text", "pointer", "line"),
    [
        ('{"about": "a",\n"about": "b"}', "/about", 2),
        ('{"table": {"floor": 1,\n\n"floor": 2}}', "/table/floor", 3),
        ('{"about": "a",\n"table": {"floor": NaN}}', "", 2),
        ('{\n"about": ' + "9" * 5000 + "}", "", 2),
    ],
)
def test_a_fault_in_json_has_its_line(text: str, pointer: str, line: int) -> None:
    (fault,) = refused(text, json_text=True).report.findings
    assert (fault.pointer, fault.line) == (pointer, line)


DEEP = ("a" + ".a" * 200_000 + " = 1", "x = " + "[" * 300 + "]" * 300, "x = " + "{a = " * 300 + "1" + "}" * 300)


@pytest.mark.parametrize("text", [*DEEP, "[" + "a." * 150 + "a]", ("x = {" + ".".join("a" * 60) + " = {") * 2 + "}}"])
def test_what_nests_too_deep_is_refused_before_a_parser_chokes_on_it(text: str) -> None:
    assert "deeper than 100" in str(refused(text))


def test_what_nests_a_little_is_none_of_it() -> None:
    assert "deeper" not in str(refused(".".join("a" * 90) + " = 1"))
    assert parse_table(f'about = "{"a." * 500}"  # {"[" * 500}\n').about == "a." * 500


def test_a_hundred_equal_faults_are_told_and_the_rest_counted() -> None:
    report = refused("\n".join(f"k{i} = 1" for i in range(5000)) + '\n[table]\nfloor = "x"\n').report
    assert sorted(report.codes) == ["FORM_BAD_VALUE", "FORM_UNKNOWN_KEY"]
    assert (len(report), sum(f.count for f in report)) == (102, 5001)
    assert [f.count for f in report if "and 4899 more like it" in f.message] == [4900]
    names = "\n".join(f'[[token]]\nname = "a{i % 2000}"\nat = [0, 0]' for i in range(4000))
    assert len(refused(names).report) == 101


def test_a_table_of_thousands_reads_in_a_moment(folder: Path) -> None:
    # in proportion to its size: 5,000 unnamed pieces and 500 minis took minutes when anything was squared
    pieces = "\n".join(f'[[piece]]\nmesh = "crate.stl"\nat = [{i}, 0]' for i in range(5000))
    minis = "\n".join(f'[[mini]]\nname = "m{i}"\nbase = "27"\nat = [{i}, 0]' for i in range(500))
    before = time.process_time()
    table = parse_table(f"{pieces}\n{minis}\n", folder=folder)
    assert time.process_time() - before < 6  # under one here; machines differ
    assert (len(table.pieces), len(table.minis)) == (5000, 500)
    assert table.pieces[4999].name == "crate-5000"


def test_one_long_line_is_read_in_proportion() -> None:
    before = time.process_time()
    line = ",".join(f'{{name = "t{i}", at = [0, 0]}}' for i in range(20_000))
    assert len(parse_table(f"token = [{line}]").tokens) == 20_000
    assert time.process_time() - before < 10


@given(st.text(alphabet="a.=[]{}\"'\\#,\n 1", max_size=60))
def test_lines_of_any_text_are_looked_for_without_a_failure(text: str) -> None:
    most = text.count("\n") + 1
    for found in (toml_lines(text), json_lines(text)):
        assert all(1 <= line <= most for line in found.values())


def test_a_header_without_a_name_is_on_its_line() -> None:
    assert toml_lines("[]") == {"": 1}
    assert toml_lines("\n[[]]") == {"": 2}


def test_lines_are_found_through_strings_comments_and_long_values() -> None:
    text = 'a = """x\n[not]\n"""\nb = [\n 1, # ]\n 2,\n]\n[t."k.k"]\nc = "]["\n[[p]]\n[p.q]\nd = 1\n[[p]]\nx.y = 2\n'
    assert toml_lines(text) == {
        "/a": 1,
        "/b": 4,
        "/b/0": 5,
        "/b/1": 6,
        "/t": 8,
        "/t/k.k": 8,
        "/t/k.k/c": 9,
        "/p": 10,
        "/p/0": 10,
        "/p/0/q": 11,
        "/p/0/q/d": 12,
        "/p/1": 13,
        "/p/1/x": 14,
        "/p/1/x/y": 14,
    }
    assert json_lines('{\n"a": [1,\n{"b": "}"}],\n"c": {"d": 2}}')["/a/1/b"] == 3


def test_the_form_keeps_its_lines() -> None:
    written = parse_form(GOOD, TableForm, name="good.toml")
    assert written.lines["/mini/0/com"] == 27
    assert to_json({"a": 1}) == '{\n  "a": 1\n}\n'
