"""Table files: read strictly, written again, every fault at once with its line and key."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim3d.finding import Refused
from sim3d.form import json_lines, parse_form, read_form, to_json, to_toml, toml_lines
from sim3d.mini import Base
from sim3d.solid import Solid
from sim3d.solid.write import write_mesh
from sim3d.table import Piece, Table, TableForm, parse_table, read_table, table_data, write_table
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
    fires("FORM_UNKNOWN_KEY", wrong)
    fires("FORM_MISSING_KEY", wrong)
    fires("FORM_BAD_VALUE", wrong)
    seen = {(f.code, f.pointer, f.line) for f in wrong.report}
    assert ("FORM_UNKNOWN_KEY", "/table/sise", 4) in seen
    assert ("FORM_MISSING_KEY", "/mini/0/base", 24) in seen
    assert ("FORM_BAD_VALUE", "/piece/0/turn", 14) in seen
    assert "did you mean 'size'" in str(wrong)


def test_a_sound_file_fires_none_of_it(folder: Path) -> None:
    report = read_table(folder / "good.toml").piece("crate").solid.findings
    for_form = ("FORM_UNKNOWN_KEY", "FORM_MISSING_KEY", "FORM_BAD_VALUE", "FORM_UNREADABLE")
    assert not set(for_form) & set(report.codes)
    silent("FORM_UNKNOWN_KEY", report)
    silent("FORM_MISSING_KEY", report)
    silent("FORM_BAD_VALUE", report)
    silent("FORM_UNREADABLE", report)
    silent("TABLE_NAME_TWICE", report)
    silent("TABLE_UNKNOWN_NAME", report)


def test_names_are_told_apart(folder: Path) -> None:
    text = GOOD.replace('on = "crate"', 'on = "crat"').replace('material = "ice"', 'material = "icy"')
    text += '\n[[token]]\nname = "flag"\nat = [1.0, 1.0]\n'
    wrong = refused(text, folder)
    fires("TABLE_UNKNOWN_NAME", wrong)
    fires("TABLE_NAME_TWICE", wrong)
    lines = {f.pointer: f.line for f in wrong.report}
    assert lines["/piece/1/on"] == 19
    assert lines["/token/1"] is not None


@pytest.mark.parametrize(
    ("text", "said", "line"),
    [
        ("a = = 1", "not TOML", 1),
        ('[table]\nsize = [1, "x"]\n', "/table/size", 2),
        ("[table]\nsize = [-5.0, 5.0]\n", "greater than 0", 2),
        ("[table]\nsize = [nan, 5.0]\n", "finite", 2),
        ("[table]\nfloor = inf\n", "finite", 2),
        ('[[mini]]\nname = "a"\nbase = "33"\nat = [0.0, 0.0]\n', "no base is called '33'", 1),
        ('[[mini]]\nname = "a"\nbase = "27"\ncom = 90.0\nat = [0.0, 0.0]\n', "over the top", 1),
        ("about = 2020-01-01\n", "date", None),
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
        fires("FORM_UNREADABLE", caught.value)


def test_a_base_may_be_a_mesh_beside_the_table(folder: Path) -> None:
    write_mesh(folder / "mine.stl", *Base.round(33.5).mesh(chord_mm=0.05))
    table = parse_table('[[mini]]\nname = "a"\nbase = "mine.stl"\nat = [0.0, 0.0]\n', folder=folder)
    assert table.mini("a").mini.base.outline.width_mm == pytest.approx(33.5, abs=0.05)


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
    from sim3d.space import Pose

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


def test_lines_are_found_through_strings_comments_and_long_values() -> None:
    text = 'a = """x\n[not]\n"""\nb = [\n 1, # ]\n 2,\n]\n[t."k.k"]\nc = "]["\n[[p]]\n[p.q]\nd = 1\n[[p]]\nx.y = 2\n'
    assert toml_lines(text) == {
        "/a": 1,
        "/b": 4,
        "/t/k.k": 8,
        "/t/k.k/c": 9,
        "/p/0": 10,
        "/p/0/q": 11,
        "/p/0/q/d": 12,
        "/p/1": 13,
        "/p/1/x/y": 14,
    }
    assert json_lines('{\n"a": [1,\n{"b": "}"}],\n"c": {"d": 2}}')["/a/1/b"] == 3


def test_the_form_keeps_its_lines() -> None:
    written = parse_form(GOOD, TableForm, name="good.toml")
    assert written.lines["/mini/0/com"] == 27
    assert to_json({"a": 1}) == '{\n  "a": 1\n}\n'
