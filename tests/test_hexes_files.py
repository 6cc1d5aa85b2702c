"""Boards of hexes in files and on the command line: errors with line, saved terrain, `sim3d bake`, the picture."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim3d.finding import Refused, Report
from sim3d.form import toml_value
from sim3d.mini import Mini
from sim3d.report.accepting import accepted
from sim3d.report.baking import baking_of, hexes_of
from sim3d.report.moving import MovingForm, moving_json, moving_text
from sim3d.report.running import Ran, RunningForm, junit, running_json, running_text
from sim3d.rules.hexes import Board, Cell, Hex, Layout, Outcome, Unit, disc
from sim3d.rules.hexes.bake import bake
from sim3d.rules.hexes.saved import FieldForm
from sim3d.scenario import parse_scenario, play_scenario, read_scenario
from sim3d.solid.write import write_mesh
from sim3d.table import Table
from sim3d.view.hexboard import picture_of_board
from tests.codes import codes_of
from tests.commands import sim3d
from tests.hexes import FOLDER
from tests.quiet import quiet

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


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ('hexs = "swamp"', "'hexs' is nobody that a class is for; there are: all, trooper"),
        ('hexes = "swmap"', "'swmap' is no terrain; there are: hill"),
        ('hexes = "swamp", trooper = "difficult"', ""),
    ],
)
def test_a_piece_says_what_it_is_in_words_that_are_known(told: str, words: str) -> None:
    mesh = Path(__file__).parent.parent / "meshes" / "gallery" / "tile.stl"  # too small to name a hex
    text = f"{TEXT}\n[[piece]]\nmesh = {mesh.as_posix()!r}\nclass = {{ {told} }}\n"
    if not words:
        parse_scenario(text)
        return
    with pytest.raises(Refused) as caught:
        parse_scenario(text)
    assert words in caught.value.report.findings[0].message
    assert caught.value.report.findings[0].line == text.count("\n")


def test_a_board_is_baked_on_a_material_of_its_file_and_on_none_that_nobody_knows() -> None:
    ice = TEXT.replace("radius = 3", 'radius = 1\nbake = { base = "hex60", material = "ice" }')
    assert play_scenario(parse_scenario(f"{ice}\n[material.ice]\nfriction = 0.1\n")).ok
    with pytest.raises(ValueError, match="'ice'"):
        bake(Table(), Layout(), disc(Hex(0, 0), 0), Mini("hex60"), steep_deg=45, material="ice")


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
        ("at = [1, 0]", "at = [8, 0]", 5, "(8, 0) is not on the board: with r = 0 its q goes from"),
        ("at = [1, 0]", "at = [0, 9]", 5, "(0, 9) is not on the board: its r goes from"),
        ("[[step]]", "[[hexes.wall]]\nat = [7, 0]\nside = 1\n[[step]]", 12, "(7, 0) is not on the board"),
        ("at = [0, 0]", "at = [9, 0]", 10, "(9, 0) is not on the board"),
        ('side = "red"', 'side = "red"\nfacing = 6', 10, "less than or equal to 5"),
        ("path = [[1, 0]]", "paht = [[1, 0]]", 14, "'paht'"),
        ("radius = 3", 'radius = 3\nbake = { base = "hexx" }', 4, "no base is called 'hexx'"),
        (
            "radius = 3",
            'radius = 3\nbake = { base = "hex60", material = "chese" }',
            4,
            "no material is called 'chese'; there are: grip, felt",
        ),
        ("radius = 3", 'radius = 3\nfirst = "green"', 4, "no side is called 'green'; there are: red"),
        ("[[hexes.unit]]", "[[hexes.cell]]\nat = [1, 0, 0]\n[[hexes.unit]]", 8, "another cell is at (1, 0)"),
        ("[[step]]", "[[hexes.wall]]\nat = [3, 0]\nside = 0\n[[step]]", 13, "side 0 of (3, 0) leads off the board"),
        ("at = [1, 0]", "at = [1, 0, 3]", 5, "(1, 0) level 3 is not on the board: there it has level 0"),
        ("[[step]]", "[[hexes.wall]]\nat = [0, 0, 2]\nside = 1\n[[step]]", 12, "(0, 0) level 2 is not on the board"),
        (
            "[[step]]",
            "[[hexes.wall]]\nat = [0, 0]\nside = 1\nto_level = 1\n[[step]]",
            14,
            "(1, -1) level 1 is not on the board",
        ),
        (
            "[[step]]",
            "[[hexes.wall]]\nat = [0, 0]\nside = 0\nup_mm = 9\n[[hexes.wall]]\nat = [1, 0]\nside = 3\n[[step]]",
            17,
            "another wall is between (1, 0) and (0, 0): say all of a hexside in one",
        ),
        ('name = "Mara"', 'name = "red"', 8, "a unit and a side are both called 'red'"),
        ("path = [[1, 0]]", "path = [[1.5, 0]]", 14, "'step.0.path.0.0': must be a whole number (got 1.5)"),
        (
            "path = [[1, 0]]",
            "path = [1, 0]",
            14,
            "must be a list of 2 whole numbers or a list of 3 whole numbers (got 1)",
        ),
        ("spent = 2", "why = []", 15, "'expect.why': an empty list expects nothing"),
        ('"swamp"', '"swmp"', 6, "'hexes.cell.0.terrain': 'swmp' is no terrain"),
        ("spent = 2", 'rules = ["HX6a"]', 15, "no clause is called 'HX6a'; did you mean 'HX06a'"),
        ("spent = 2", 'codes = ["MOOVE"]', 15, "no code is called 'MOOVE'"),
        ("spent = 2", 'stopped_by = ["Mora"]', 15, "no unit is called 'Mora'; there are: Mara"),
        ("spent = 2", 'keywords = ["dificult"]', 15, "no keyword of terrain is called 'dificult'; did you mean 'diff"),
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


STORY = """story = true
[hexes]
radius = 4
[[hexes.unit]]
name = "Rats"
side = "red"
at = [1, 0]
kind = "swarm"
health = 1
[[hexes.unit]]
name = "Ox"
side = "blue"
at = [0, 0]
traits = ["trample", "unstoppable"]
[[hexes.unit]]
name = "Oda"
side = "red"
at = [-2, 0]
[[step]]
hexes = "move"
unit = "Ox"
path = [[1, 0], [2, 0]]
dice = [6]
[[step]]
hexes = "move"
unit = "Oda"
path = [[-1, 0], [0, 0], [1, 0]]
expect = { legal = true, end = [1, 0] }
[[step]]
hexes = "move"
unit = "Ox"
path = [[3, 0]]
expect = { legal = false, codes = ["HEX_WRONG_STEP"] }
"""


def test_in_a_story_each_step_on_hexes_begins_where_the_one_before_it_ended(tmp_path: Path) -> None:
    told = play_scenario(parse_scenario(STORY))
    assert told.ok
    assert [o.board.units[0].name for p in told.played if isinstance(o := p.outcome, Outcome)] == ["Ox"] * 3
    apart = play_scenario(parse_scenario(STORY.replace("story = true\n", "")))
    words = [p.word for p in apart.played]  # Rats stand in the way, Ox is at (0, 0)
    assert words == ["legal", "not legal", "not legal"]
    file = tmp_path / "story.toml"
    file.write_text(STORY, encoding="utf-8")
    done = sim3d("run", file, "--record", tmp_path / "again.toml")
    assert done.exit_code == 2
    assert "--record writes down no moves on hexes: such a step has every choice and die in it" in quiet(done.stderr)


ROUNDS = """story = true
[hexes]
radius = 4
phase = "scout b"
[[hexes.unit]]
name = "Ox"
side = "blue"
at = [0, 0]
traits = ["scout deploy"]
[[hexes.unit]]
name = "Oda"
side = "red"
at = [-2, 0]
traits = ["scout deploy"]
[[step]]
hexes = "scout"
unit = "Oda"
path = [[-3, 0]]
expect = { legal = true }
[[step]]
hexes = "scout"
unit = "Ox"
path = [[1, 0]]
phase = "scout a"
expect = { legal = true }
[[step]]
hexes = "move"
unit = "Ox"
path = [[2, 0]]
phase = "activations"
expect = { legal = true }
[[step]]
hexes = "gods push"
unit = "Oda"
path = [[-2, 0]]
phase = "push b"
expect = { legal = true, end = [-2, 0] }
[[step]]
hexes = "gods push"
unit = "Oda"
path = [[-1, 0]]
expect = { legal = false, codes = ["HEX_PUSH_LIMIT"] }
[[step]]
hexes = "move"
unit = "Ox"
path = [[3, 0]]
phase = "activations"
expect = { legal = true, end = [3, 0] }
[[step]]
hexes = "move"
unit = "Ox"
path = [[3, -1]]
phase = "next round"
expect = { legal = true, end = [3, -1] }
[[step]]
hexes = "move"
unit = "Ox"
path = [[3, 0]]
expect = { legal = false, codes = ["HEX_WRONG_STEP"] }
"""


def test_a_story_on_hexes_goes_on_to_the_next_step_of_the_sequence_and_to_another_round() -> None:
    told = play_scenario(parse_scenario(ROUNDS))
    assert [(p.number, p.error or [j.got for j in p.judged if not j.held]) for p in told.played if not p.ok] == []
    back = play_scenario(parse_scenario(ROUNDS.replace('phase = "push b"', 'phase = "scout a"')))
    assert "the game is at activations, and scout a does not come again" in back.played[3].error
    with pytest.raises(Refused, match="'push c' is no step of the sequence"):
        parse_scenario(ROUNDS.replace('phase = "push b"', 'phase = "push c"'))


def test_who_is_player_a_does_not_change_when_the_first_unit_is_removed() -> None:
    scenario = parse_scenario(STORY)
    assert scenario.plan is not None
    board = scenario.plan.board(scenario.table)
    after = play_scenario(scenario).played[0].outcome
    assert isinstance(after, Outcome)
    assert [u.name for u in after.board.units] == ["Ox", "Oda"]
    for unit in after.board.units:
        assert after.board.player(unit) == board.player(unit) == {"Ox": "b", "Oda": "a"}[unit.name]


def test_a_unit_that_is_called_as_a_side_is_refused_whatever_the_order() -> None:
    units = (Unit("blue", "red", Hex(0, 0)), Unit("Ox", "blue", Hex(2, 0)))
    for order in (units, units[::-1]):
        with pytest.raises(Refused, match="a unit and a side are both called 'blue'"):
            Board({at: Cell() for at in disc(Hex(0, 0), 2)}, units=order)
    assert Board({at: Cell() for at in disc(Hex(0, 0), 2)}, units=(replace(units[0], name="Blue"), units[1]))


GATE = """[table]
size = [600, 600]
[hexes]
radius = 2
[[hexes.unit]]
name = "Mara"
side = "red"
at = [0, 0]
[[step]]
hexes = "move"
unit = "Mara"
path = [[1, 0]]
"""


def walled(text: str, **told: float) -> str:
    """With walls on all sides of (1, 0), seen from there, but for those told otherwise."""
    high = [told.get(f"side_{side}", 60.0) for side in range(6)]
    wall = "[[hexes.wall]]\nat = [1, 0]\nside = {}\ndown_mm = {}\n"
    return text.replace("[[step]]", "".join(wall.format(*one) for one in enumerate(high)) + "[[step]]")


@pytest.mark.parametrize("baked", [True, False])
def test_the_authors_walls_shut_a_hex_in_and_open_it(baked: bool) -> None:
    text = GATE.replace("radius = 2", 'radius = 2\nbake = { base = "hex60" }') if baked else GATE
    (shut,) = play_scenario(parse_scenario(walled(text))).played
    assert isinstance(shut.outcome, Outcome)
    assert set(codes_of(shut.outcome.findings)) == {"HEX_WALL", "HEX_IMPASSABLE"}
    (opened,) = play_scenario(parse_scenario(walled(text, side_3=0.0))).played
    assert opened.word == "legal"
    named = walled(text).replace("[[hexes.wall]]", "[[hexes.cell]]\nat = [1, 0]\n[[hexes.wall]]", 1)
    (own,) = play_scenario(parse_scenario(named)).played  # the author's word for the hex wins
    assert isinstance(own.outcome, Outcome)
    assert set(codes_of(own.outcome.findings)) == {"HEX_WALL"}


def block_on(tmp_path: Path, low: float, high: float) -> str:
    """The gate's table with a block over all of (1, 0), from a height to another."""
    x = 3**0.5 * 50
    corners = [(x + 52 * math.cos(a), 52 * math.sin(a)) for a in (math.radians(60 * k + 30) for k in range(6))]
    points = [(*at, z) for z in (low, high) for at in corners]
    faces = [(0, k + 1, k) for k in range(1, 5)] + [(6, 6 + k, 7 + k) for k in range(1, 5)]
    for k in range(6):
        faces += [(k, (k + 1) % 6, 6 + (k + 1) % 6), (k, 6 + (k + 1) % 6, 6 + k)]
    write_mesh(tmp_path / "block.stl", np.array(points), np.array(faces))
    piece = '[[piece]]\nmesh = "block.stl"\n[hexes]\n'
    return GATE.replace("[hexes]\n", piece).replace("radius = 2", 'radius = 2\nbake = { base = "hex60", height = 40 }')


def test_a_gate_that_the_author_opens_in_a_block_leads_onto_it(tmp_path: Path) -> None:
    text = block_on(tmp_path, 0.0, 60.0)
    (shut,) = play_scenario(parse_scenario(text, folder=tmp_path)).played
    assert shut.word == "not legal"
    ladder = text.replace("[[step]]", "[[hexes.wall]]\nat = [0, 0]\nside = 0\nup_mm = 0\n[[step]]")
    ladder += "expect = { legal = true, end = [1, 0], standable = true, height_mm = { near = 60, within = 0.001 } }\n"
    assert play_scenario(parse_scenario(ladder, folder=tmp_path)).ok


def test_a_wall_may_lead_to_a_level_beyond_and_one_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """A deck over (1, 0): its lower level lies beside (0, 0), whose only level is 0."""
    text = block_on(tmp_path, 50.0, 60.0).replace("path = [[1, 0]]", "path = [[1, 0, 1]]")
    (under,) = play_scenario(parse_scenario(text, folder=tmp_path)).played
    assert under.word == "legal"
    wall = "[[hexes.wall]]\nat = [0, 0]\nside = 0\nto_level = {}\nup_mm = 20\n[[step]]"
    (parted,) = play_scenario(parse_scenario(text.replace("[[step]]", wall.format(1)), folder=tmp_path)).played
    assert isinstance(parted.outcome, Outcome)
    assert codes_of(parted.outcome.findings) == ("HEX_WALL",)
    cell = "[[hexes.cell]]\nat = [0, 0, 3]\n"
    (nowhere,) = play_scenario(parse_scenario(text.replace("[[step]]", cell + wall.format(2)), folder=tmp_path)).played
    assert "a cell is told of (0, 0) level 3, and that is not on the board" in nowhere.error
    assert "a wall is between hexes of the board; (1, 0) level 2 is not on it" in nowhere.error


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


@pytest.mark.parametrize(
    ("expected", "told", "new"),
    [
        ('rules = ["HX01a", "HX02a"]', "rules", 'rules = ["HX13"]'),  # a list of one is a list
        ("codes = []", "codes", 'codes = ["HEX_END_UNSTANDABLE"]'),
        ('stopped_by = ["Mara"]', "stopped_by", "stopped_by = []"),  # and so is an empty one
        ('keywords = ["difficult"]', "keywords", "keywords = []"),
    ],
)
def test_a_list_that_is_accepted_stays_a_list(expected: str, told: str, new: str) -> None:
    wrong = TEXT.replace('terrain = "swamp"', "standable = false").replace("legal = true, spent = 2", expected)
    result = play_scenario(parse_scenario(wrong))
    assert [j.expected.key for j in result.played[0].failed] == [told]
    made = accepted(wrong, result)
    assert made.text == wrong.replace(expected, new)
    assert (made.rewritten, made.left) == (1, ())
    assert play_scenario(parse_scenario(made.text)).ok


@pytest.mark.parametrize("name", ["\U0001f409 of the hill", "Zo\u00eb"])
def test_names_that_are_accepted_are_written_as_toml_takes_them(name: str) -> None:
    ogre = f"[[hexes.unit]]\nname = {toml_value(name)}\nside = 'blue'\nat = [2, -1]\nfacing = 4\n"
    text = TEXT.replace("[[step]]", ogre + "[[step]]").replace("spent = 2", 'stopped_by = ["Mara"]')
    made = accepted(text, play_scenario(parse_scenario(text)))
    assert made.rewritten == 1
    assert play_scenario(parse_scenario(made.text)).ok


def test_where_nothing_came_out_nothing_is_put_in_its_place() -> None:
    wrong = TEXT.replace("spent = 2", "charge = true")
    result = play_scenario(parse_scenario(wrong))
    said = "charge: expected true, came out nothing"
    assert [str(j) for j in result.played[0].failed] == [said]
    made = accepted(wrong, result)
    assert (made.text, made.rewritten, made.left) == (wrong, 0, (f"step 1: {said}; nothing to put in its place",))


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
    assert done.exit_code == 0, done.stderr
    assert done.stdout == (tmp_path / "field.json").read_text(encoding="utf-8")
    assert len(FieldForm.model_validate_json(done.stdout).hexes) == 19
    assert play_scenario(scenario).ok
    (tmp_path / "field.json").rename(tmp_path / "board.field")
    assert play_scenario(parse_scenario(baked.replace("field.json", "board.field"), folder=tmp_path)).ok
    (tmp_path / "board.field").rename(tmp_path / "field.json")
    other = parse_scenario(baked.replace("hex60", "hex61"), folder=tmp_path)
    assert "other terrain, hexes or base" in play_scenario(other).played[0].error


def test_where_the_reach_of_a_unit_on_hexes_is_drawn_is_told(tmp_path: Path) -> None:
    file = FOLDER / "traits" / "hx01a-bites.toml"
    done = sim3d("show", file, "--html", tmp_path / "page.html", "--reach", "Mara")
    assert (done.exit_code, "drawn by `sim3d bake --png`" in done.stderr) == (2, True), done.stderr


def test_bake_of_a_table_says_what_it_needs(tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    table.write_text("[table]\nsize = [400, 400]\n", encoding="utf-8")
    done = sim3d("bake", table, "--base", "hex70", "--radius", "1", "--png", tmp_path / "b.png", "--pixels", "300x200")
    assert (done.exit_code, quiet(done.stderr)) == (0, f"wrote {tmp_path / 'b.png'}\n")
    assert "7 of 7 hexes and levels carry the base" in done.stdout
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")
    failed = sim3d("bake", table)
    assert failed.exit_code == 2
    assert "give --base, and --radius or --columns and --rows" in failed.stderr
    with pytest.raises(ValueError, match="give --radius, or --columns and --rows"):
        hexes_of(1, None, 2)
    with pytest.raises(ValueError, match="--rows is 1 to 60, not 0"):
        hexes_of(None, 5, 0)
    own = FOLDER / "terrain" / "hx13-bites.toml"
    with pytest.raises(ValueError, match="has a board of its own: leave out the base"):
        baking_of(own, Mini("hex70"), (), Layout())
    for words in (["--size", "30"], ["--turn", "0"], ["--origin", "5,5"], ["--height", "60"], ["--com", "20"]):
        done = sim3d("bake", own, *words)
        assert (done.exit_code, done.stdout) == (2, "")
        assert f"has a board of its own: leave out {words[0]}, or write it there" in done.stderr
    done = sim3d("bake", own, "--reach", "Mara")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "--reach Mara is drawn in a picture: say --png, too" in done.stderr
    for wrong in ({"size_mm": 1e308}, {"size_mm": math.nan}, {"origin": (0.0, 1e300)}):
        with pytest.raises(ValueError, match="at most"):
            Layout(**wrong)
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
