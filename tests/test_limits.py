"""Numbers at their limits: tiny and huge, far away, flat, many. The right word or a clear error, in bounded time.

The times are of the processor, with room for a slow one: what they catch is a loop over everything where a few are
near, which took minutes or hours here before.
"""

from __future__ import annotations

import time

import numpy as np
import pytest

import sim3d
from sim3d.finding import Refused
from sim3d.forge.bad import obj
from sim3d.mini import Mini
from sim3d.pack.tables import validate_table
from sim3d.scenario import parse_scenario, play_scenario
from sim3d.solid import Solid, read_solid
from sim3d.solid.write import write_mesh
from sim3d.space import Pose
from sim3d.stand import stand
from sim3d.table import BASE_FILES, Piece, Placed, Table
from tests.codes import codes_of, fires, silent
from tests.packs import crate, dunes

TROOPER = Mini("27", height=40, com=15)
CRATE = Solid.of(*crate(80.0, 30.0))


def asked(table: Table, x: float, y: float, physics: str = "never"):
    return stand(table, TROOPER, at=(x, y), physics=physics)


@pytest.mark.parametrize("times", [1e-6, 1e-3, 1e-2])
def test_a_speck_under_a_base_changes_no_word(times):
    # a 30 mm crate at this scale is at most 0.3 mm high: the base stands on it, and tips no sooner than onto the floor
    speck = Table(pieces=(Piece("speck", CRATE, scale=times),))
    seen = asked(speck, 0, 0)
    assert (seen.answer, seen.tilt_deg) == ("stable", pytest.approx(0, abs=1e-9))
    assert seen.pose.place[2] == pytest.approx(30 * times, abs=1e-9)


@pytest.mark.parametrize("times", [1, 10, 1000])
def test_a_crate_as_large_as_a_house_is_as_firm(times):
    house = Table(pieces=(Piece("house", CRATE, scale=times),))
    assert asked(house, 0, 0).answer == "stable"
    seen = asked(house, 40 * times - 1, 0)
    assert (seen.answer, seen.margin_mm) == ("precarious", pytest.approx(1, abs=1e-6))


@pytest.mark.parametrize("far", [1e3, 1e4, 5e4])
def test_far_from_the_origin_the_margin_is_the_same(far):
    # at 50 m a float has steps of 7e-12 mm, so nothing may be lost to a micron
    near = asked(Table(pieces=(Piece("crate", CRATE),)), 39, 7)
    there = asked(Table(pieces=(Piece("crate", CRATE, Pose((far, -far, far))),)), far + 39, 7 - far)
    assert there.answer == near.answer == "precarious"
    assert there.margin_mm == pytest.approx(near.margin_mm, abs=1e-6)
    assert there.tip_deg == pytest.approx(near.tip_deg, abs=1e-6)


def test_ten_kilometres_away_an_engine_and_a_file_are_refused(tmp_path):
    there = Table(pieces=(Piece("crate", CRATE, Pose((1e7, 0, 0))),))
    assert asked(there, 1e7 + 39, 0).margin_mm == pytest.approx(1, abs=1e-6)  # statics has digits enough
    with pytest.raises(ValueError, match=r"1\.00000?\d?e\+07 mm out; at most 100000: move it to the origin"):
        asked(there, 1e7 + 39, 0, physics="always")
    vertices, faces = crate()
    (tmp_path / "far.obj").write_bytes(obj((vertices + np.array([1e7, 0, 0]), faces)))
    with pytest.raises(Refused) as no:
        read_solid(tmp_path / "far.obj")
    assert codes_of(no.value) == ("MESH_FAR_OFF",)


@pytest.mark.parametrize("at", [99_950, 100_010])
def test_an_engine_is_not_asked_beyond_a_hundred_metres_and_that_has_a_code(at):
    told = ()
    try:
        seen = stand(Table(), Mini("27"), at=(at, 0), physics="always")
        assert seen.answer == "stable"
        assert seen.drift_mm is not None
    except Refused as no:
        told = no.report
    assert fires("STAND_TOO_FAR", told) if at > 1e5 else silent("STAND_TOO_FAR", told)
    table = f'[[mini]]\nname = "a"\nbase = "27"\nat = [{at}, 0]\n[[step]]\nstand = "a"\n'
    (played,) = play_scenario(parse_scenario(table)).played
    assert ("STAND_TOO_FAR: " in played.error) is (at > 1e5)


@pytest.mark.parametrize("size", ["5e-324", "1e-310", "1e-30", "1e30", "1e308"])
def test_numbers_at_the_end_of_floats_are_refused_as_what_they_are(tmp_path, size):
    (tmp_path / "a.obj").write_bytes(obj().replace(b"10", size.encode()))
    with pytest.raises(Refused) as no:
        read_solid(tmp_path / "a.obj")
    assert "MESH_EMPTY" in codes_of(no.value) if float(size) < 1 else "MESH_FAR_OFF" in codes_of(no.value)


@pytest.mark.parametrize(
    "faces", [[(0, 1, 2), (0, 2, 3)], [(2, 1, 0), (3, 2, 0)], [(0, 1, 2), (0, 2, 3), (2, 1, 0), (3, 2, 0)]]
)
def test_a_sheet_without_thickness_carries_whichever_way_it_faces(faces):
    corners = np.array([(-30, -30, 10), (30, -30, 10), (30, 30, 10), (-30, 30, 10)], dtype=float)
    table = Table(pieces=(Piece("sheet", Solid.of(corners, np.array(faces))),))
    seen = asked(table, 0, 0)
    assert (seen.answer, seen.pose.place[2]) == ("stable", 10)
    assert asked(table, 29, 0).margin_mm == pytest.approx(1, abs=1e-6)


def test_a_hundred_thousand_coplanar_triangles_answer_as_two_do():
    corners, faces = dunes(224)
    flat = Table(pieces=(Piece("flat", Solid.of(corners * [1, 1, 0] + [0, 0, 5], faces)),))
    assert len(faces) > 100_000
    begun = time.process_time()
    seen = asked(flat, 60, 50)
    assert (seen.answer, seen.tilt_deg) == ("stable", 0)
    assert seen.overhang_mm == 0
    assert asked(flat, 99, 50).margin_mm == pytest.approx(1, abs=1e-4)
    assert time.process_time() - begun < 5


def test_a_table_of_five_thousand_pieces():
    where = [((i % 71) * 100.0 - 3500, (i // 71) * 100.0 - 3500) for i in range(5000)]
    table = Table(
        pieces=tuple(Piece(f"c{i}", CRATE, Pose((*at, 0))) for i, at in enumerate(where)), size_mm=(7400, 7400)
    )
    asked(table, 0, 0)
    begun = time.process_time()
    for x in range(20):
        assert asked(table, 39 + 100 * x, 0).answer == "precarious"
    assert time.process_time() - begun < 2
    begun = time.process_time()
    assert validate_table(table, name="a", bases=("27",)).report.codes == ()
    assert time.process_time() - begun < 30


def test_five_hundred_minis():
    minis = tuple(Placed(f"m{i}", TROOPER, ((i % 25) * 28.0, (i // 25) * 28.0)) for i in range(500))
    table = Table(minis=minis)
    begun = time.process_time()
    for one in minis[::50]:
        assert stand(table.without(one.name), TROOPER, at=one.at, physics="never").answer == "stable"
        assert asked(table, one.at[0] + 14, one.at[1]).answer == "blocked"
    assert time.process_time() - begun < 5


@pytest.mark.slow
def test_a_million_coplanar_triangles(tmp_path):
    corners, faces = dunes(708)
    write_mesh(tmp_path / "million.stl", corners * [1, 1, 0] + [0, 0, 5], faces)
    begun = time.process_time()
    table = Table(pieces=(Piece("flat", read_solid(tmp_path / "million.stl")),))
    assert asked(table, 60, 50, physics="always").answer == "stable"
    assert time.process_time() - begun < 30


# --- what is asked: refused alike by every verb, in words that say what is wanted ------------------------------------

VERBS = {
    "never": lambda friction: stand(Table(), TROOPER, at=(0, 0), friction=friction, physics="never"),
    "doubt": lambda friction: stand(Table(), TROOPER, at=(0, 0), friction=friction, physics="doubt"),
    "always": lambda friction: stand(Table(), TROOPER, at=(0, 0), friction=friction),
    "rest": lambda friction: sim3d.rest(Table(), TROOPER, at=(0, 0), friction=friction),
    "atlas": lambda friction: sim3d.atlas(Table(), TROOPER, area=(0, 0, 5, 5), pitch=5, friction=friction),
    "settle": lambda friction: sim3d.settle((CRATE.vertices, CRATE.faces), TROOPER, Pose(), friction=friction),
}


@pytest.mark.parametrize("friction", [float("nan"), float("inf"), -0.1, 10.01, 50, "1"])
@pytest.mark.parametrize("verb", list(VERBS))
def test_every_verb_takes_the_same_friction(verb, friction):
    with pytest.raises(ValueError, match=f"friction is a number from 0 to 10, got {friction!r}"):
        VERBS[verb](friction)


@pytest.mark.parametrize("verb", ["never", "rest", "atlas"])
def test_as_much_friction_as_there_may_be_is_taken(verb):
    assert VERBS[verb](10)


NAN = float("nan")


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: sim3d.rest(Table(), TROOPER, at=(NAN, 0)), "a place is two numbers"),
        (lambda: sim3d.rest(Table(), TROOPER, at=(0, 0), level=NAN), "a level is a height"),
        (lambda: sim3d.rest(Table(), TROOPER, at=(0, 0), turn=NAN), "a turn is a number"),
        (lambda: stand(Table(), TROOPER, at="12"), "a place is two numbers"),
        (lambda: stand(Table(), TROOPER, at=5), "a place is two numbers"),
        (lambda: stand(Table(), TROOPER, at=(0, 0), material="x"), "no material is called 'x'; this table has: felt"),
        (lambda: sim3d.atlas(Table(), TROOPER, area=(0, 0, 5, 5), material="x"), "no material is called 'x'"),
        (lambda: sim3d.atlas(Table(), TROOPER, area=(0, 0, 5, 5), audit=-1), "audit is how many cells"),
        (lambda: Solid.of(CRATE.vertices, CRATE.faces + 0.5), "faces are whole numbers"),
        (lambda: Solid.of(CRATE.vertices, [[0, 1, NAN]]), "faces are whole numbers"),
        (lambda: Mini(com="5"), "com is a number, got text, '5'"),
        (lambda: Mini(height="40"), "height is a number, got text"),
        (lambda: Mini(com=[0, 0, "5"]), "com is a number, got text"),
        (lambda: Mini(27), "a base's name is text"),
        (lambda: Mini(None), "a base's name is text"),
        (lambda: sim3d.Base.named(27), "a base's name is text"),
        (lambda: Pose.at(NAN, 0), "a place is numbers of mm"),
        (lambda: Pose.turned((1, 0, 0), NAN), "an axis needs a length"),
        (lambda: Piece("crate", CRATE, Pose(spin=(0, 0, 0, 0))), "a unit quaternion"),
        (lambda: CRATE.moved(Pose(spin=(0, 0, 0, 0))), "a unit quaternion"),
        (lambda: CRATE.moved(Pose((NAN, 0, 0))), "a unit quaternion"),
    ],
)
def test_what_is_no_quantity_is_a_value_error_that_says_what_is_wanted(ask, said):
    with pytest.raises(ValueError, match=said):
        ask()


ANN = Placed("Ann", TROOPER, at=(0, 0))
OPEN = Solid.of(CRATE.vertices, CRATE.faces[2:], name="figure")  # a figure with a hole, as many prints are


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (
            lambda: stand("evening.toml", TROOPER, at=(0, 0)),
            "the table is a Table, got 'evening.toml', a str; read_table",
        ),
        (lambda: stand(CRATE, TROOPER, at=(0, 0)), "the table is a Table.*a Solid; Table.of"),
        (lambda: stand(Table(), "Ann", at=(0, 0)), "the mini is a Mini, got 'Ann', a str; Mini"),
        (lambda: stand(Table(), ANN, at=(0, 0)), "the mini is a Mini.*a Placed; what is placed has its own: .mini"),
        (lambda: sim3d.rest(CRATE, TROOPER, at=(0, 0)), "the table is a Table"),
        (lambda: sim3d.rest(Table(), "27", at=(0, 0)), "the mini is a Mini"),
        (lambda: sim3d.atlas(CRATE, TROOPER), "the table is a Table"),
        (lambda: sim3d.atlas(Table(), "27", area=(0, 0, 5, 5)), "the mini is a Mini"),
        (lambda: sim3d.check(stand(Table(), TROOPER, at=(0, 0), physics="never"), CRATE), "the table is a Table"),
        (lambda: Table.of("crate.stl"), "what a table is made of is a Solid, got 'crate.stl', a str; read_solid"),
        (lambda: Table(pieces=(CRATE,)), "each of a table's pieces is a Piece.*a Solid"),
        (lambda: Table(minis=(TROOPER,)), "each of a table's minis is a Placed.*a Mini"),
        (lambda: Piece("crate", "crate.stl"), "piece 'crate': its solid is a Solid"),
        (lambda: Piece("crate", CRATE, (0, 0, 0)), "piece 'crate': its pose is a Pose.*Pose.at"),
        (lambda: Piece("crate", CRATE, scale="2"), "piece 'crate': its scale is a number, got '2'"),
        (lambda: Placed("Ann", "27", at=(0, 0)), "mini 'Ann': its mini is a Mini"),
        (lambda: Placed("Ann", TROOPER, at=3), "mini 'Ann': at is two numbers, got 3"),
        (lambda: Table(size_mm="3x3ft"), "the table's size is two numbers, got '3x3ft'"),
        (lambda: Pose.at("1", 0), "a place is numbers of mm"),
        (
            lambda: Mini.of_solid("27", "figure.stl"),
            "the whole miniature is a Solid, got 'figure.stl', a str; read_solid",
        ),
        (lambda: Mini.of_solid("27", OPEN), "figure: not a closed.*hollow=True, or describe it: Mini"),
        (lambda: Mini(sim3d.read_base("meshes/bases/27.stl")), "give its .base alone"),
    ],
)
def test_another_thing_than_is_wanted_is_a_value_error_that_says_what_makes_one(ask, said):
    with pytest.raises(ValueError, match=said):
        ask()


def test_an_open_figure_is_taken_as_its_message_says():
    assert Mini.of_solid("100", OPEN.moved(Pose.at(0, 0, -OPEN.bounds[0][2])), hollow=True).height_mm > 0


@pytest.mark.parametrize("ending", BASE_FILES)
def test_who_names_a_mesh_file_where_a_base_s_name_is_wanted_is_told_how_to_read_it(ending):
    with pytest.raises(ValueError, match=rf"in Python its base is read_base\('my{ending}'\)\.base"):
        Mini(f"my{ending}")


def test_a_table_is_not_written_under_the_name_of_something_else(tmp_path):
    for name in ("table.stl", "table", "table.tml"):
        with pytest.raises(ValueError, match=r"let its name end in \.toml or \.json"):
            sim3d.write_table(Table(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_whole_numbers_are_corners_whatever_type_they_have():
    assert len(Solid.of(CRATE.vertices, CRATE.faces.astype(float)).faces) == len(CRATE.faces)
    assert len(Solid.of(CRATE.vertices, CRATE.faces.tolist()).faces) == len(CRATE.faces)


@pytest.mark.parametrize(
    ("short_mm", "word"), [(-0.002, "off-table"), (0.0, "undecided"), (0.0005, "undecided"), (0.002, "stable")]
)
@pytest.mark.parametrize("base", ["27", "60x35"])
def test_a_base_at_the_table_s_edge_is_on_it_off_it_or_neither(base: str, short_mm: float, word: str) -> None:
    table = Table(size_mm=(300.0, 300.0), floor_mm=0.0)
    mini = Mini(base, height=40, com=12)
    x = 150.0 - mini.base.outline.reach_mm() - short_mm
    assert stand(table, mini, at=(x, 0.0), physics="never").answer == word
    assert stand(table, mini, at=(-x, 0.0), physics="never").answer == word
