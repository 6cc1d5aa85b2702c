"""Whole tables: pieces in one another, over the edge, shutting off a part; each beside its near miss."""

from __future__ import annotations

import numpy as np
import pytest

from sim3d import Piece, Pose, Table
from sim3d.pack import BROKEN, FAULTY, VALID, validate_table
from sim3d.report.validation import ValidationForm
from sim3d.solid import Solid
from sim3d.solid.boolean import box
from sim3d.solid.write import write_mesh
from tests.codes import codes_of, fires, silent
from tests.commands import sim3d
from tests.packs import crate, inside_out, on_legs, together


def table(*boxes, size=(400.0, 300.0)):
    pieces = tuple(Piece(f"p{n}", Solid.of(*mesh), pose) for n, (mesh, pose) in enumerate(boxes))
    return Table(pieces=pieces, size_mm=size)


def seen(*boxes, **told):
    return validate_table(table(*boxes), name="table.toml", bases=("27",), **told)


def test_a_sound_table():
    found = seen((crate(), Pose.at(-80, 0)), (crate(), Pose.at(80, 0)))
    assert (found.verdict, codes_of(found.all), [p.verdict for p in found.pieces]) == (VALID, (), [VALID, VALID])


@pytest.mark.parametrize(("apart", "word"), [(59.0, fires), (60.0, silent), (59.99, silent)])
def test_pieces_in_one_another(apart, word):
    found = seen((crate(), Pose.at(0, 0)), (crate(), Pose.at(apart, 0)))
    if word is fires:
        assert fires("TABLE_PIECES_OVERLAP", found.all)
        assert dict(found.all.findings[0].numbers)["volume_mm3"] == pytest.approx(60 * 30)
        assert found.verdict == FAULTY
    else:
        assert silent("TABLE_PIECES_OVERLAP", found.all)
    stacked = seen((crate(), Pose.at(0, 0)), (crate(40), Pose.at(0, 0, 30)))
    assert silent("TABLE_PIECES_OVERLAP", stacked.all)


@pytest.mark.parametrize(("one", "other"), [(1, -1), (-1, 1), (-1, -1)])
def test_pieces_in_one_another_that_are_inside_out(one, other):
    ways = {1: lambda mesh: mesh, -1: inside_out}
    found = seen((ways[one](crate()), Pose.at(0, 0)), (ways[other](crate()), Pose.at(40, 0)))
    assert fires("TABLE_PIECES_OVERLAP", found.all)
    assert dict(found.all.findings[0].numbers)["volume_mm3"] == pytest.approx(20 * 60 * 30)
    stacked = seen((ways[one](crate()), Pose.at(0, 0)), (ways[other](crate(40)), Pose.at(0, 0, 30)))
    assert silent("TABLE_PIECES_OVERLAP", stacked.all)
    assert silent("TABLE_PIECE_FLOATS", stacked.all)
    hanging = seen((ways[one](crate()), Pose.at(0, 0)), (ways[other](crate(40)), Pose.at(0, 0, 32)))
    assert fires("TABLE_PIECE_FLOATS", hanging.all)


def test_pieces_in_one_another_of_which_a_part_is_inside_out():
    two = together(box((-60, -10, 0), (-20, 10, 20)), inside_out(box((20, -10, 0), (60, 10, 20))))
    post = box((-5, -5, 0), (5, 5, 20))
    for x in (-40, 40):
        found = seen((two, Pose.at(0, 0)), (post, Pose.at(x, 0)))
        assert fires("TABLE_PIECES_OVERLAP", found.all)
        assert dict(found.all.findings[0].numbers)["volume_mm3"] == pytest.approx(10 * 10 * 20)
    assert silent("TABLE_PIECES_OVERLAP", seen((two, Pose.at(0, 0)), (post, Pose.at(0, 0))).all)
    # A hollow stays one: what is in it shares nothing.
    vault = together(box((-60, -60, 0), (60, 60, 60)), inside_out(box((-50, -50, 5), (50, 50, 55))))
    for piece in (vault, inside_out(vault)):
        assert silent("TABLE_PIECES_OVERLAP", seen((piece, Pose.at(0, 0)), (crate(40), Pose.at(0, 0, 10))).all)


def test_what_cannot_be_told_is_said():
    opened = crate()[0], crate()[1][:-2]
    found = seen((opened, Pose.at(0, 0)), (crate(), Pose.at(20, 0))).all
    assert fires("TABLE_OVERLAP_UNKNOWN", found)
    assert found.findings[0].message.endswith("cannot be told: the surface is open (4 open edges)")
    flipped = crate()[0], np.concatenate([crate()[1][:-1], crate()[1][-1:, ::-1]])
    found = seen((flipped, Pose.at(0, 0)), (crate(), Pose.at(20, 0))).all
    assert fires("TABLE_OVERLAP_UNKNOWN", found)
    assert found.findings[0].message.endswith("cannot be told: the triangles do not agree which side is outside")
    assert silent("TABLE_OVERLAP_UNKNOWN", seen((crate(), Pose.at(0, 0)), (crate(), Pose.at(20, 0))).all)


def test_a_table_without_a_piece():
    assert fires("TABLE_EMPTY", seen().all)
    assert silent("TABLE_EMPTY", seen((crate(), Pose.at(0, 0))).all)


def test_pieces_over_the_edge():
    assert fires("TABLE_PIECE_OVER_EDGE", seen((crate(), Pose.at(171.1, 0))).all)
    assert silent("TABLE_PIECE_OVER_EDGE", seen((crate(), Pose.at(170.9, 0))).all)
    assert fires("TABLE_PIECE_OVER_EDGE", seen((crate(), Pose.at(165, 0, turn=45))).all)
    endless = validate_table(Table(pieces=table((crate(), Pose.at(999, 0))).pieces), name="t", bases=("27",))
    assert silent("TABLE_PIECE_OVER_EDGE", endless.all)


@pytest.mark.parametrize(("z", "word"), [(300.0, fires), (1.01, fires), (0.99, silent), (-1.0, silent)])
def test_a_piece_that_nothing_carries(z, word):
    found = seen((crate(), Pose.at(0, 0, z)), (crate(), Pose.at(100, 0))).all
    assert word("TABLE_PIECE_FLOATS", found)
    if word is fires:
        assert found.findings[0].message == f"p0 hangs {z:.1f} mm over the table; nothing carries it"


def test_what_is_carried_by_what_is_carried_does_not_float():
    tower = [(crate(), Pose.at(0, 0, 30.0 * n)) for n in range(4)]
    assert silent("TABLE_PIECE_FLOATS", seen(*reversed(tower)).all)
    apart = seen(*tower[:2], *tower[3:])  # the third crate is gone
    assert [f.message for f in apart.all] == ["p2 hangs 90.0 mm over the table; nothing carries it"]
    floating = seen(*tower[1:])  # they carry one another, and nothing carries them
    assert fires("TABLE_PIECE_FLOATS", floating.all)
    assert len(floating.all) == 3
    legs = on_legs((-40, -40, 0), (40, -40, 0), (40, 40, 0), (-40, 40, 0.9))
    on_top = seen((legs, Pose()), (crate(), Pose.at(0, 0, 24)), (crate(20, 10), Pose.at(0, 0, 1.5)))
    assert fires("TABLE_PIECE_FLOATS", on_top.all)
    assert [f.message.split()[0] for f in on_top.all] == ["p2"]  # under the top, and on nothing
    beside = seen((crate(60, 200), Pose()), (crate(20), Pose.at(40.9, 0, 100)), (crate(20), Pose.at(0, 41.1, 100)))
    assert [f.message.split()[0] for f in beside.all] == ["p2"]


def test_where_it_cannot_be_told_what_carries_nobody_is_said_to_float():
    opened = crate()[0], crate()[1][:-2]
    assert silent("TABLE_PIECE_FLOATS", seen((opened, Pose()), (crate(), Pose.at(0, 0, 30))).all)
    assert fires("TABLE_PIECE_FLOATS", seen((opened, Pose()), (crate(), Pose.at(0, 0, 40))).all)
    none = Table(pieces=table((crate(), Pose.at(0, 0, 300))).pieces, floor_mm=None)
    assert silent("TABLE_PIECE_FLOATS", validate_table(none, name="t", bases=("27",)).all)


@pytest.mark.parametrize(("z", "word"), [(-30.0, fires), (-2.01, fires), (-1.99, silent), (30.0, silent)])
def test_a_piece_that_reaches_through_the_table(z, word):
    lower = Table(pieces=table((crate(), Pose.at(0, 0, z - 10))).pieces, floor_mm=-10)
    for found in (seen((crate(), Pose.at(0, 0, z))).all, validate_table(lower, name="t", bases=("27",)).all):
        assert fires("TABLE_PIECE_SUNK", found) if word is fires else silent("TABLE_PIECE_SUNK", found)


@pytest.mark.parametrize(("scale", "word"), [(1e-6, fires), (0.016, fires), (0.017, silent), (1.0, silent)])
def test_a_piece_too_small_to_be_seen(scale, word):
    tiny = Table(pieces=(Piece("p", Solid.of(*crate()), Pose(), scale),), size_mm=(400, 300))
    found = validate_table(tiny, name="t", bases=("27",))
    if word is fires:
        assert fires("TABLE_PIECE_VANISHES", found.all)
        assert found.verdict == BROKEN
    else:
        assert silent("TABLE_PIECE_VANISHES", found.all)
        assert found.verdict == VALID


@pytest.mark.parametrize(("gap", "word"), [(24.0, fires), (29.0, silent)])
def test_a_part_that_is_shut_off(gap, word):
    # Two walls across the whole table with one gap between them.
    one = box((-5, -150, 0), (5, -gap / 2, 60))
    other = box((-5, gap / 2, 0), (5, 150, 60))
    found = seen((one, Pose()), (other, Pose()))
    if word is fires:
        assert fires("TABLE_NO_WAY", found.all)
        assert found.all.findings[0].area_mm2 == pytest.approx((195 - 27) * (300 - 27), rel=0.05)
    else:
        assert silent("TABLE_NO_WAY", found.all)
    assert silent("TABLE_NO_WAY", seen((one, Pose()), (other, Pose()), step_mm=60).all)


def bottomless(mesh):
    """The same box without its underside."""
    return mesh[0], mesh[1][2:]


def sheet(x, y0, y1):
    """A wall without thickness across a way along x."""
    corners = np.array([[x, y0, 0.0], [x, y1, 0], [x, y1, 60], [x, y0, 60]])
    return corners, np.array([[0, 1, 2], [0, 2, 3]])


WALLS = {
    "bottomless": lambda y0, y1: bottomless(box((-5, y0, 0), (5, y1, 60))),
    "a sheet": lambda y0, y1: sheet(0.3, y0, y1),
    "with a hole": lambda y0, y1: (box((-5, y0, 0), (5, y1, 60))[0], box((-5, y0, 0), (5, y1, 60))[1][:-1]),
    "thinner than the plan's pitch": lambda y0, y1: box((0.1, y0, 0), (0.4, y1, 60)),
    "inside out": lambda y0, y1: inside_out(box((-5, y0, 0), (5, y1, 60))),
    "through itself": lambda y0, y1: together(box((-9, y0, 0), (5, y1, 60)), box((-5, y0, 0), (9, y1, 60))),
    "through itself, one part inside out": lambda y0, y1: together(
        box((-9, y0, 0), (5, y1, 60)), inside_out(box((-5, y0, 0), (9, y1, 60)))
    ),
}


@pytest.mark.parametrize("wall", WALLS.values(), ids=WALLS)
def test_however_a_wall_was_modelled_it_shuts_off(wall):
    for turn in (0.0, 90.0):  # across a table of 300 by 300
        for gap, word in ((0.0, fires), (24.0, fires), (30.0, silent)):
            two = wall(-150, -gap / 2), wall(gap / 2, 150)
            pieces = tuple(Piece(f"p{n}", Solid.of(*mesh), Pose.at(0, 0, turn=turn)) for n, mesh in enumerate(two))
            found = validate_table(Table(pieces=pieces, size_mm=(300, 300)), name="t", bases=("27",))
            if word is fires:
                assert fires("TABLE_NO_WAY", found.all), (turn, gap)
            else:
                assert silent("TABLE_NO_WAY", found.all), (turn, gap)


def test_what_is_inside_of_a_piece_is_no_room():
    for mesh in (crate(200), bottomless(crate(200)), inside_out(crate(200)), together(crate(200), crate(150))):
        assert silent("TABLE_NO_WAY", seen((mesh, Pose()), step_mm=20).all)
    yard = together(*(bottomless(box(*corners)) for corners in (
        ((-80, -80, 0), (80, -70, 60)), ((-80, 70, 0), (80, 80, 60)), ((-80, -75, 0), (-70, 75, 60)),
        ((70, -75, 0), (80, 75, 60)),
    )))  # fmt: skip
    (found,) = (f for f in seen((yard, Pose())).all if f.code == "TABLE_NO_WAY")
    assert fires("TABLE_NO_WAY", [found])
    assert found.area_mm2 == pytest.approx((140 - 27) ** 2, rel=0.06)


def test_a_table_file_is_validated_by_the_same_command(tmp_path):
    write_mesh(tmp_path / "crate.stl", *crate())
    text = '[table]\nsize = [400, 300]\n[[piece]]\nmesh = "crate.stl"\nat = [190, 0]\n'
    (tmp_path / "table.toml").write_text(text, encoding="utf-8")
    done = sim3d("validate", "table.toml", "--json", "--fail-on", "warning", cwd=tmp_path)
    data = ValidationForm.model_validate_json(done.stdout)
    assert (done.exit_code, data.kind, data.verdict) == (1, "table", "with warnings")
    assert [f.code for f in data.findings] == ["TABLE_PIECE_OVER_EDGE"]
