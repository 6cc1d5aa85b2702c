"""Boards of hexes in files and on the command line: errors with line, saved terrain, `sim3d bake`, the picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sim3d.finding import Refused, Report
from sim3d.mini import Mini
from sim3d.report.accepting import accepted
from sim3d.report.baking import baking_of, hexes_of
from sim3d.report.moving import MovingForm, moving_json, moving_text
from sim3d.report.running import Ran, RunningForm, junit, running_json, running_text
from sim3d.rules.hexes import Layout
from sim3d.rules.hexes.saved import FieldForm
from sim3d.scenario import parse_scenario, play_scenario, read_scenario
from sim3d.view.hexboard import picture_of_board
from tests.codes import codes_of
from tests.hexes import FOLDER
from tests.quiet import quiet
from tests.test_cli import sim3d

TEXT = """about = "a test"
[hexes]
radius = 3
[[hexes.cell]]
at = [1, 0]
terrain = "swamp"
[[hexes.unit]]
name = "Mara"
side = "red"
at = [0, 0]
[[step]]
hexes = "move"
unit = "Mara"
path = [[1, 0]]
expect = { legal = true, spent = 2 }
"""


def test_a_board_and_a_move() -> None:
    assert play_scenario(parse_scenario(TEXT)).ok


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('unit = "Mara"', 'unit = "Marla"', 13, "no unit is called 'Marla'; there are: Mara"),
        ('hexes = "move"', 'hexes = "walk"', 12, "'walk' is no move; there are: move, scout, gods push"),
        ("radius = 3", "radius = 3\ncolumns = 4\nrows = 4", 3, "give a radius, or columns and rows"),
        ("radius = 3", 'radius = 3\nedition = "third"', 4, "'third' is no edition; there are: seed, current"),
        ('"swamp"', '"swmap"', 6, "'swmap' is no terrain; there are: hill"),
        ('terrain = "swamp"', 'keywords = ["muddy"]', 6, "'muddy' is no keyword of terrain"),
        ('side = "red"', 'side = "red"\ntraits = ["nimbel"]', 10, "'nimbel' is unknown; there are: breakaway"),
        ('side = "red"', 'side = "red"\nkind = "dragon"', 10, "'dragon' is unknown; there are: infantry"),
        ("at = [1, 0]", "at = [8, 0]", 5, "(8, 0) is not on the board"),
        ("[[step]]", "[[hexes.wall]]\nat = [7, 0]\nside = 1\n[[step]]", 12, "(7, 0) is not on the board"),
        ("at = [0, 0]", "at = [9, 0]", 10, "(9, 0) is not on the board"),
        ('side = "red"', 'side = "red"\nfacing = 6', 10, "less than or equal to 5"),
        ("path = [[1, 0]]", "paht = [[1, 0]]", 14, "'paht'"),
        ("radius = 3", 'radius = 3\nbake = { base = "hexx" }', 4, "no base is called 'hexx'"),
        ("radius = 3", 'radius = 3\nfirst = "green"', 4, "no side is called 'green'; there are: red"),
        ("[[hexes.unit]]", "[[hexes.cell]]\nat = [1, 0, 0]\n[[hexes.unit]]", 8, "another cell is at (1, 0)"),
        ("[[step]]", "[[hexes.wall]]\nat = [3, 0]\nside = 0\n[[step]]", 13, "side 0 of (3, 0) leads off the board"),
        ("path = [[1, 0]]", "path = [[1.5, 0]]", 14, "'step.0.path.0.0': must be a whole number (got 1.5)"),
        (
            "path = [[1, 0]]",
            "path = [1, 0]",
            14,
            "must be a list of 2 whole numbers or a list of 3 whole numbers (got 1)",
        ),
        ("path = [[1, 0]]", "to = [1]", 14, "'step.0.to': must be a list of 2 whole numbers or a list of 3 whole"),
    ],
)
def test_errors_name_their_line(old: str, new: str, line: int, words: str) -> None:
    assert old in TEXT
    with pytest.raises(Refused) as caught:
        parse_scenario(TEXT.replace(old, new, 1), name="f.toml")
    told = [str(f) for f in caught.value.report]
    assert any(f"f.toml:{line}" in one and words in one for one in told), told


@pytest.mark.parametrize("way", ["path = [[1.5, 0]]", "path = [1, 0]", "to = [1]"])
def test_a_mistake_inside_a_step_on_hexes_is_told_as_such(way: str) -> None:
    with pytest.raises(Refused) as caught:
        parse_scenario(TEXT.replace("path = [[1, 0]]", way))
    assert set(codes_of(caught.value.report.findings)) == {"FORM_BAD_VALUE"}


def test_a_saved_field_that_is_missing_is_named_with_the_line_that_names_it() -> None:
    baked = TEXT.replace("radius = 3", 'radius = 3\nbake = { base = "hex60", field = "none.json" }')
    (played,) = play_scenario(parse_scenario(baked.replace('terrain = "swamp"', ""), name="f.toml")).played
    assert "none.json, the field that f.toml:4 names: there is no such file" in played.error


def test_a_step_on_hexes_needs_a_board_and_a_baked_one_says_itself_where_a_base_stands() -> None:
    with pytest.raises(Refused, match=r"the file has no board: write \[hexes\]"):
        parse_scenario('[[step]]\nhexes = "move"\nunit = "Mara"\n')
    baked = TEXT.replace("radius = 3", 'radius = 3\nbake = { base = "hex60" }')
    with pytest.raises(Refused, match="on a baked board the terrain says where a base stands"):
        parse_scenario(baked.replace('terrain = "swamp"', "standable = false"))
    assert play_scenario(parse_scenario(baked)).ok


def test_options_change_the_reading() -> None:
    text = TEXT.replace("path = [[1, 0]]", "path = [[0, 1]]").replace("spent = 2", "melee = false")
    unstoppable = text.replace('side = "red"', 'side = "red"\ntraits = ["unstoppable"]')
    assert not play_scenario(parse_scenario(unstoppable)).ok
    harsh = unstoppable.replace("radius = 3", 'radius = 3\noptions = { unstoppable_melee = "any_move" }')
    assert play_scenario(parse_scenario(harsh)).ok


def test_what_did_not_hold_is_told_and_accepted() -> None:
    wrong = TEXT.replace("spent = 2", "spent = 3, end = [0, 0], melee = true")
    result = play_scenario(parse_scenario(wrong, name="f.toml"))
    assert [str(j) for j in result.played[0].failed] == [
        "spent: expected 3, came out 2",
        "end: expected [0, 0], came out [1, 0]",
    ]
    made = accepted(wrong, result)
    assert (made.rewritten, made.left) == (2, ())
    assert play_scenario(parse_scenario(made.text)).ok


def test_data_follow_their_schema() -> None:
    for name in ("traits/hx11b-bites", "traits/hx07b-bites", "terrain/hx13-bites"):
        result = play_scenario(read_scenario(FOLDER / f"{name}.toml"))
        assert MovingForm.model_validate_json(moving_json(result)).moves
        seen = [Ran(name, result, Report())]
        assert RunningForm.model_validate_json(running_json(seen)).counts["held"] == len(result.played)
        assert "(seed)" in moving_text(result)
        assert "legal" in running_text(seen)
        assert "<failure" not in junit(seen)
    assert "by HX07a, HX07b" in moving_text(play_scenario(read_scenario(FOLDER / "traits" / "hx07a-bites.toml")))


def test_saved_terrain_is_used_and_refused_where_it_does_not_fit(tmp_path: Path) -> None:
    baked = TEXT.replace("radius = 3", 'radius = 2\nbake = { base = "hex60", field = "field.json" }')
    scenario = parse_scenario(baked, folder=tmp_path)
    assert scenario.plan is not None
    missing = play_scenario(scenario).played[0]
    assert "there is no such file" in missing.error
    path = tmp_path / "here.toml"
    path.write_text(TEXT.replace("radius = 3", 'radius = 2\nbake = { base = "hex60" }'), encoding="utf-8")
    done = sim3d("bake", path, "--out", tmp_path / "field.json", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stdout == (tmp_path / "field.json").read_text(encoding="utf-8")
    assert len(FieldForm.model_validate_json(done.stdout).hexes) == 19
    assert play_scenario(scenario).ok
    other = parse_scenario(baked.replace("hex60", "hex61"), folder=tmp_path)
    assert "other terrain, hexes or base" in play_scenario(other).played[0].error


def test_bake_of_a_table_says_what_it_needs(tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    table.write_text("[table]\nsize = [400, 400]\n", encoding="utf-8")
    done = sim3d("bake", table, "--base", "hex70", "--radius", "1", "--png", tmp_path / "b.png", "--pixels", "300x200")
    assert (done.returncode, quiet(done.stderr)) == (0, f"wrote {tmp_path / 'b.png'}\n")
    assert "7 of 7 hexes and levels carry the base" in done.stdout
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")
    failed = sim3d("bake", table)
    assert failed.returncode == 2
    assert "give --base, and --radius or --columns and --rows" in failed.stderr
    with pytest.raises(ValueError, match="give --radius, or --columns and --rows"):
        hexes_of(1, None, 2)
    with pytest.raises(ValueError, match="--rows is 1 to 60, not 0"):
        hexes_of(None, 5, 0)
    own = FOLDER / "terrain" / "hx13-bites.toml"
    with pytest.raises(ValueError, match="has a board of its own: leave out the base"):
        baking_of(own, Mini("hex70"), (), Layout())
    with pytest.raises(ValueError, match="is not baked: write bake"):
        baking_of(FOLDER / "traits" / "hx10-bites.toml", None, (), Layout())


def test_the_picture_shows_heights_zones_and_reach() -> None:
    scenario = read_scenario(FOLDER / "terrain" / "hx01a-zone-below-a-wall.toml")
    assert scenario.plan is not None
    board = scenario.plan.board(scenario.table)

    def drawn(**more: object) -> bytes:
        told = {"width": 200, "height": 150, **more}
        return picture_of_board(scenario.table, scenario.plan.layout, board, scenario.plan.ruleset, **told)

    plain = drawn()
    assert plain == drawn()  # the same bytes
    assert plain != drawn(reach_of="Mara")


def test_a_boards_faults_are_told_at_once() -> None:
    two = TEXT.replace('name = "Mara"', 'name = "Mara"\nfacing = 2\nkind = "dragon"\ntraits = ["nimbel"]')
    with pytest.raises(Refused) as caught:
        parse_scenario(two)
    assert codes_of(caught.value) == ("HEX_BOARD_UNSOUND",)
    assert len(caught.value.report) == 2
    assert json.loads(json.dumps(caught.value.report.as_dict()))["valid"] is False
