"""Bases by name and by mesh, and miniatures that can exist."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim3d.check import check
from sim3d.finding import Refused
from sim3d.forge.shapes import ring_of
from sim3d.mini import CATALOGUE, Base, Body, Mini, Unsound, base_of, read_base
from sim3d.plane import Outline, difference_mm
from sim3d.solid import Solid
from sim3d.solid.boolean import box, volume_and_centre
from sim3d.solid.write import write_mesh
from sim3d.space import Pose
from sim3d.stand import stand
from sim3d.table import Table
from tests.codes import fires, silent
from tests.packs import crate


def test_the_catalogue_holds_every_base_players_use() -> None:
    rounds = "25 27 28.5 30 32 40 50 60 65 70 80 90 100 120 130 150 160"
    ovals = "60x35 75x42 90x52 105x70 120x92 170x109"
    notched = "50n 70n 100n 120n 150n 100x175n 100x200n"
    assert " ".join((rounds, ovals, notched, "hex40")) == " ".join(CATALOGUE)


def test_a_name_is_as_large_as_it_says() -> None:
    for name in CATALOGUE:
        outline = Base.named(name).outline
        if name.startswith("hex"):
            assert outline.length_mm == pytest.approx(float(name[3:]))
        elif name.endswith("n") and "x" in name:
            width, length = (float(p) for p in name[:-1].split("x"))
            # front and rear are half-round: the notch's corners are the farthest points along the base
            reach = length / 2 - width / 2 + math.sqrt((width / 2) ** 2 - 7.6**2)
            assert (outline.length_mm, outline.width_mm) == (pytest.approx(2 * reach), pytest.approx(width))
        elif name.endswith("n"):
            d = float(name[:-1])
            assert outline.length_mm == pytest.approx(2 * math.sqrt((d / 2) ** 2 - 7.6**2))
            assert outline.width_mm == pytest.approx(d)
        elif "x" in name:
            assert (outline.length_mm, outline.width_mm) == tuple(float(p) for p in name.split("x"))
        else:
            assert outline.width_mm == outline.length_mm == float(name)


@pytest.mark.parametrize(
    "name",
    [
        "33",
        "50m",
        "",
        "hex",
        "hex0",
        "100x100n",
        "rect5",
        "hex1e9",
        "hex４０",
        "hex40-front",
        "round33x20",
        "stadium9-up",
    ],
)
def test_an_unknown_base_is_an_error_that_lists_what_there_is(name: str) -> None:
    with pytest.raises(ValueError, match=r"known: 25, 27|1 to 1000 mm|has no notches"):
        Base.named(name)


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_base_mesh_is_a_closed_prism_of_the_exact_outline(name: str) -> None:
    base = Base.named(name)
    volume, centre = volume_and_centre(*base.mesh())
    assert volume == pytest.approx(base.outline.area_mm2() * base.thickness_mm, rel=1e-4)
    assert centre == (pytest.approx(0, abs=1e-6), pytest.approx(0, abs=1e-6), pytest.approx(base.thickness_mm / 2))


@pytest.mark.parametrize("name", CATALOGUE)
@pytest.mark.parametrize("turn", [0.0, 37.0, 123.4, 200.0])
def test_a_base_is_known_again_from_its_mesh(name: str, turn: float, tmp_path: Path) -> None:
    base = Base.named(name)
    vertices, faces = base.mesh(chord_mm=0.02)
    write_mesh(tmp_path / "base.stl", Pose.at(12, -5, 3, turn=turn).apply(vertices), faces)
    reading = read_base(tmp_path / "base.stl")
    assert reading.nearest == name
    assert reading.difference_mm < 0.1
    assert reading.base.outline.area_mm2() == pytest.approx(base.outline.area_mm2(), rel=4e-3)
    assert reading.thickness_mm == pytest.approx(base.thickness_mm, abs=1e-4)
    assert reading.notches == (("front", "rear") if name.endswith("n") else ())
    assert reading.centre == (pytest.approx(12, abs=0.05), pytest.approx(-5, abs=0.05))
    # a disc has no front, a hexagon six, what is alike front and rear two
    period = 60.0 if name.startswith("hex") else 180.0
    expected = 0.0 if reading.base.outline.length_mm == pytest.approx(reading.base.outline.width_mm, abs=0.05) else turn
    expected = turn if name.startswith("hex") else expected
    assert abs((reading.turned_deg - expected + period / 2) % period - period / 2) < 0.05
    assert silent("BASE_UNKNOWN_SIZE", reading.findings)
    assert silent("BASE_NOT_FLAT", reading.findings)
    assert silent("BASE_NOT_ALONE", reading.findings)
    assert silent("BASE_NO_THICKNESS", reading.findings)
    assert silent("BASE_THICKNESS_UNKNOWN", reading.findings)


def test_a_base_of_its_own_keeps_its_outline_and_names_the_nearest() -> None:
    vertices, faces = Base.round(35.0).mesh()
    reading = base_of(Solid.of(vertices, faces))
    assert reading.base.outline.width_mm == pytest.approx(35.0, abs=0.01)
    assert reading.nearest == "32"
    assert reading.difference_mm == pytest.approx(3.0, abs=5e-3)  # of the diameters; chords stray 2e-3 mm
    assert fires("BASE_UNKNOWN_SIZE", reading.findings)


@pytest.mark.parametrize(
    ("diameter", "nearest"),
    [
        (26.8, "27"),
        (27.2, "27"),
        (28.3, "28.5"),
        (28.7, "28.5"),
        (29.8, "30"),
        (31.8, "32"),
        (39.8, "40"),
        (40.2, "40"),
    ],
)
def test_what_a_printer_may_be_off_is_the_same_base(diameter: float, nearest: str) -> None:
    reading = base_of(Solid.of(*Base.round(diameter).mesh(chord_mm=5e-3)))
    assert (reading.nearest, reading.difference_mm) == (nearest, pytest.approx(0.2, abs=0.02))
    assert silent("BASE_UNKNOWN_SIZE", reading.findings)


@pytest.mark.parametrize("diameter", [24.5, 26.0, 27.5, 28.0, 29.0, 29.5, 31.5, 32.5, 33.0, 40.5, 159.5, 900.0])
def test_half_a_millimetre_of_diameter_is_another_base(diameter: float) -> None:
    reading = base_of(Solid.of(*Base.round(diameter).mesh(chord_mm=5e-3)))
    nearest = min((Base.named(name).outline.width_mm for name in CATALOGUE), key=lambda d: abs(d - diameter))
    assert reading.difference_mm >= abs(nearest - diameter) - 0.02
    assert math.isfinite(reading.difference_mm)
    assert fires("BASE_UNKNOWN_SIZE", reading.findings)


NOTCHES = [
    # how it was made, how it reads, and how far its front is then turned from where it was made
    (("front",), ("front",), 0.0, 360.0),
    (("rear",), ("front",), 180.0, 360.0),
    (("right",), ("front",), 270.0, 360.0),
    (("front", "rear"), ("front", "rear"), 0.0, 180.0),
    (("left", "right"), ("front", "rear"), 90.0, 180.0),
    (("front", "left"), ("front", "left"), 0.0, 360.0),
    (("front", "right"), ("front", "left"), 270.0, 360.0),
    (("rear", "left", "right"), ("front", "rear", "left"), 90.0, 360.0),
    (("front", "rear", "left", "right"), ("front", "rear", "left", "right"), 0.0, 90.0),
]


@pytest.mark.parametrize(("made", "read", "extra", "period"), NOTCHES)
@pytest.mark.parametrize("turn", [0.0, 30.0, 117.0, 200.0])
def test_notches_are_named_from_the_front_however_the_mesh_is_turned(
    made: tuple[str, ...], read: tuple[str, ...], extra: float, period: float, turn: float
) -> None:
    vertices, faces = Base.round(70, notches=made).mesh(chord_mm=0.01)
    reading = base_of(Solid.of(Pose.at(3, -4, turn=turn).apply(vertices), faces))
    assert (reading.notches, reading.nearest.startswith("70")) == (read, True)
    assert abs((reading.turned_deg - turn - extra + period / 2) % period - period / 2) < 0.1
    assert reading.centre == (pytest.approx(3, abs=0.02), pytest.approx(-4, abs=0.02))
    again = Base.round(70, notches=read).outline.polygon(0.01)
    assert difference_mm(reading.base.outline.polygon(), again) < 0.05


def test_the_front_of_an_oval_is_its_length_whatever_its_notches() -> None:
    vertices, faces = Base.stadium(175, 100, notches=("right",)).mesh(chord_mm=0.01)
    reading = base_of(Solid.of(Pose.at(0, 0, turn=40).apply(vertices), faces))
    assert (reading.notches, reading.turned_deg) == (("left",), pytest.approx(220, abs=0.1))
    assert reading.base.outline.length_mm == pytest.approx(175, abs=0.05)


def stacked(*parts: tuple[np.ndarray, np.ndarray]) -> Solid:
    faces, offset = [], 0
    for vertices, triangles in parts:
        faces.append(triangles + offset)
        offset += len(vertices)
    return Solid.of(np.vstack([v for v, _ in parts]), np.vstack(faces))


def lifted(base: Base, *, to: tuple[float, float, float], top: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    vertices, faces = base.mesh(chord_mm=0.02)
    vertices[vertices[:, 2] > 0, :2] *= top
    return vertices + np.array(to), faces


@pytest.mark.parametrize(("thick", "top"), [(0.3, 1.0), (3.0, 1.0), (3.0, 28 / 32), (4.8, 1.0), (10.0, 1.0)])
def test_a_figure_on_a_base_does_not_make_it_thicker(thick: float, top: float) -> None:
    disc = lifted(Base.round(32, thickness_mm=thick), to=(0, 0, 0), top=top)
    figure = lifted(Base.round(12, thickness_mm=35), to=(4, 0, thick))
    rock = lifted(Base.rectangle(10, 6, thickness_mm=9), to=(10, 0, thick))
    reading = base_of(stacked(disc, figure, rock))
    assert reading.nearest == "32"
    assert reading.thickness_mm == pytest.approx(thick, abs=1e-3)
    assert reading.base.thickness_mm == reading.thickness_mm
    assert silent("BASE_THICKNESS_UNKNOWN", reading.findings)


def test_without_walls_at_its_rim_a_base_has_no_thickness_of_its_own() -> None:
    disc, plate = Base.round(30, thickness_mm=0.01).mesh(chord_mm=0.02), Base.round(35).mesh(chord_mm=0.02)
    reading = base_of(stacked(disc, (plate[0] + [0, 0, 5], plate[1])))  # a foil, and a plate that floats over it
    assert (reading.thickness_mm, reading.base.thickness_mm) == (None, 3.2)
    assert fires("BASE_THICKNESS_UNKNOWN", reading.findings)


def test_two_bases_side_by_side_are_not_one() -> None:
    two = stacked(lifted(Base.round(32), to=(0, 0, 0)), lifted(Base.round(25), to=(30, 0, 0)))
    with pytest.raises(Refused) as refused:
        base_of(two)
    assert fires("BASE_NOT_ALONE", refused.value)
    assert "2 separate areas; the smaller have 49" in str(refused.value)
    crumb = stacked(lifted(Base.round(32), to=(0, 0, 0)), lifted(Base.round(1), to=(30, 0, 0)))
    assert base_of(crumb).nearest == "32"


def test_a_sheet_is_no_base() -> None:
    level = Solid.of([(0, 0, 0), (40, 0, 0), (40, 20, 0), (0, 20, 0)], [(0, 1, 2), (0, 2, 3)])
    upright = Solid.of([(0, 0, 0), (40, 0, 0), (40, 0, 20), (0, 0, 20)], [(0, 1, 2), (0, 2, 3)])
    for solid, code in ((level, "BASE_NO_THICKNESS"), (upright, "BASE_NOT_FLAT")):
        with pytest.raises(Refused) as refused:
            base_of(solid)
        assert refused.value.report.codes == (code,)
    with pytest.raises(Refused) as refused:
        base_of(level)
    assert fires("BASE_NO_THICKNESS", refused.value)


def test_one_name_is_one_base() -> None:
    made = [
        Base.round(27, thickness_mm=6),
        Base.round(27.0000000001),
        Base.round(33),
        Base.round(50, notches=("front",)),
        Base.round(50, notches=("front", "rear")),
        Base.ellipse(90, 52, notches=("front",)),
        Base.stadium(100, 50),
        Base.rectangle(60, 60, notches=("rear", "front")),
        Base.hexagon(33.123456789),
        Base.round(28.5, thickness_mm=1e-5),
        *(Base.named(name) for name in CATALOGUE),
    ]
    assert len({base.name for base in made}) == len(made)
    for base in made:
        assert Base.named(base.name) == base
        assert hash(Base.named(base.name)) == hash(base)
    assert Base.round(50, notches=("rear", "front"), thickness_mm=4.8).name == "50n"
    assert Base.named("round27") is Base.named("27")
    assert Base.rectangle(60, 60, notches=("rear", "front")) == Base.named("rect60x60-front-rear")


def test_a_base_with_four_notches_is_read_as_such() -> None:
    vertices, faces = Base.round(120, notches=("front", "rear", "left", "right")).mesh(chord_mm=0.01)
    assert base_of(Solid.of(vertices, faces)).notches == ("front", "rear", "left", "right")


def test_a_dome_is_no_base() -> None:
    vertices = np.array([[0, 0, -2], [16, 0, 0], [-8, 14, 0], [-8, -14, 0]], dtype=float)  # stands on its tip
    with pytest.raises(Refused) as refused:
        base_of(Solid.of(vertices, np.array([[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])))
    assert fires("BASE_NOT_FLAT", refused.value)


HOOK = [(0, 0), (40, 0), (40, 9), (9, 9), (9, 30), (0, 30)]
PLUS = [(x * a - y * b, x * b + y * a) for a, b in ((1, 0), (0, 1), (-1, 0), (0, -1)) for x, y in ((20, 5), (5, 5))]
STAR = [(r * math.cos(math.pi * k / 5), r * math.sin(math.pi * k / 5)) for k, r in enumerate([20, 9] * 5)]


@pytest.mark.parametrize("turn", [0.0, 45.0, 101.3])
@pytest.mark.parametrize("ring", [HOOK, PLUS, STAR, [(0, 0), (50, 0), (50, 25), (0, 25)], [(0, 0), (120, 0), (120, 3)]])
def test_a_flat_underside_is_one_whatever_its_outline_and_however_it_is_turned(
    ring: list[tuple[float, float]], turn: float
) -> None:
    # half of the box round it was wanted, which none of these fills turned by 45 degrees
    flat = Base("odd", Outline.polygon_of([(float(x), float(y)) for x, y in ring]), 3.0)
    whole = stacked(flat.mesh(), box((1, 1, 3), (2, 2, 20)), box((-90, 1, 19), (90, 2, 20)))  # and wings
    found = base_of(whole.moved(Pose.at(31.0, -7.0, 4.0, turn=turn)))
    assert silent("BASE_NOT_FLAT", found.findings)
    assert found.base.outline.area_mm2() == pytest.approx(flat.outline.area_mm2(), rel=1e-6)
    assert found.thickness_mm == pytest.approx(3.0, abs=1e-4)


def test_what_lies_on_its_side_is_no_base() -> None:
    disc = Solid.of(*Base.round(32).mesh(chord_mm=0.05))
    with pytest.raises(Refused) as refused:
        base_of(disc.moved(Pose.turned([0, 1, 0], 90)))
    assert fires("BASE_NOT_FLAT", refused.value)


@pytest.mark.parametrize(
    ("pose", "scale", "size"),
    [(Pose(), 1 / 25.4, "1.06 x 1.06 x 0.126"), (Pose.turned([1, 0, 0], 90), 1.0, "27 x 3.2 x 27")],
)
def test_a_base_of_another_unit_or_axis_is_told_how_large_it_was_read(pose: Pose, scale: float, size: str) -> None:
    disc = Solid.of(*Base.round(27).mesh(chord_mm=0.05)).scaled(scale).moved(pose)
    with pytest.raises(Refused, match=rf"mm² needed; it was read as {size} mm, z up"):
        base_of(disc)


def test_defaults_are_a_body_of_three_quarters_and_a_careful_centre() -> None:
    mini = Mini(base="27", height=40)
    assert mini.body == Body(diameter_mm=20.25, height_mm=40.0)
    assert mini.com == (0.0, 0.0, 16.0)
    assert Mini("50n").height_mm == pytest.approx(1.5 * Base.named("50n").outline.length_mm)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"com": -1}, "above it"),
        ({"com": 50, "height": 40}, "over the top"),
        ({"com": (20.0, 0.0, 10.0)}, "outside the base"),
        ({"com": float("nan")}, "not a number"),
        ({"height": -5.0, "com": 1.0}, "height must be over 0"),
        ({"height": 1.0}, "lower than its base"),
        ({"mass_g": 0}, "mass must be over 0"),
        ({"height": 40, "body": Body(10, 40)}, "not both"),
        ({"com": (1.0, 2.0)}, "three numbers"),
    ],
)
def test_a_mini_that_cannot_exist_is_refused_with_the_reason(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Mini("27", **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("told", "key", "reason"),
    [
        ({"height": -4}, "height", "height must be over 0, got -4.0"),
        ({"height": 0}, "height", "height must be over 0, got 0.0"),
        ({"height": float("inf")}, "height", "height must be over 0, got inf"),
        ({"height": -4, "com": 15}, "height", "height must be over 0, got -4.0"),
        ({"com": 0}, "com", "the centre of mass lies in the underside; it must be above it"),
    ],
)
def test_a_height_that_cannot_be_is_one_fault(told: dict[str, float], key: str, reason: str) -> None:
    """The centre of mass that followed from it was told as a second and a third, "-0 mm under the underside"."""
    with pytest.raises(Unsound) as refused:
        Mini("27", **told)  # type: ignore[arg-type]
    assert refused.value.wrong == ((key, reason),)


@pytest.mark.parametrize(
    ("corners", "inside", "margin_mm", "outside"),
    [  # a horseshoe and an angle: their hulls end at x = 20 and on the line x + y = 12
        (
            [(20, -20), (20, -10), (-10, -10), (-10, 10), (20, 10), (20, 20), (-20, 20), (-20, -20)],
            (19.9, 0),
            0.1,
            (20.1, 0),
        ),
        ([(-20, -20), (20, -20), (20, -8), (-8, -8), (-8, 20), (-20, 20)], (5.9, 5.9), 0.2 / math.sqrt(2), (6.1, 6.1)),
    ],
)
def test_a_centre_of_mass_in_a_notch_stands_where_the_hull_goes_around_it(
    corners: list[tuple[float, float]], inside: tuple[float, float], margin_mm: float, outside: tuple[float, float]
) -> None:
    base = Base("own", Outline.polygon_of(corners), 4.0)
    assert Mini(base).com[:2] == (0.0, 0.0)
    assert not base.outline.contains(np.array([(0.0, 0.0), inside]))[0]
    mini = Mini(base, height=40, com=(*inside, 10.0))
    told = stand(Table(), mini, at=(0, 0), physics="never")
    assert (told.answer, told.margin_mm) == ("precarious", pytest.approx(margin_mm, abs=1e-3))
    check(told, Table())
    with pytest.raises(Unsound, match="outside the base"):
        Mini(base, height=40, com=(*outside, 10.0))


@pytest.mark.parametrize("deep", [20.0, 19.999999, 20.00001, 19.8])
def test_a_base_that_is_slotted_to_its_middle_stands_as_any_other(deep: float, tmp_path: Path) -> None:
    """A traceback where the slot ended at the middle; a hair beside, "blocked" by a base of a tenth of its size."""
    ring = [(-20, -20), (20, -20), (20, 20), (5, 20), (5, 20 - deep), (-5, 20 - deep), (-5, 20), (-20, 20)]
    write_mesh(tmp_path / "slotted.stl", *Base("slotted", Outline.polygon_of(ring), 3.0).mesh())
    mini = Mini(read_base(tmp_path / "slotted.stl").base, height=20, com=8)
    table = Table.of(Solid.of(*crate(80.0, 30.0)))  # its edge is at x = 40
    told = stand(table, mini, at=(32, 0), physics="never")
    # 8 mm inside of the edge: the arms, or all of it, are carried up to there, whichever way the slot looks
    assert (told.answer, told.margin_mm) == ("stable", pytest.approx(8.0, abs=1e-4))
    assert told.tip_deg == pytest.approx(45.0, abs=1e-3)  # atan(8 / 8)
    check(told, table)
    beside = stand(table, mini, at=(55, 0), physics="never")  # 5 mm of it lie over the crate's edge
    assert beside.answer == stand(table, Mini(Base.rectangle(40, 40), height=20, com=8), at=(55, 0)).answer


def test_the_centre_of_mass_of_a_whole_miniature_comes_from_its_mesh() -> None:
    # a base 4 mm thick with a rod of half its radius standing on it, sunk in by 1 mm: overlapping parts count once
    r, t, rod_r, rod_h = 16.0, 4.0, 8.0, 36.0
    disc = replace(Base.round(2 * r), thickness_mm=t).mesh()
    rod_v, rod_f = replace(Base.round(2 * rod_r), thickness_mm=rod_h + 1).mesh()
    vertices = np.vstack([disc[0], rod_v + np.array([0, 0, t - 1])])
    solid = Solid.of(vertices, np.vstack([disc[1], rod_f + len(disc[0])]))
    m1, m2 = r * r * t, rod_r * rod_r * rod_h
    expected = (m1 * t / 2 + m2 * (t + rod_h / 2)) / (m1 + m2)
    mini = Mini.of_solid("32", solid)
    assert mini.com == (pytest.approx(0, abs=1e-3), pytest.approx(0, abs=1e-3), pytest.approx(expected, rel=1e-3))
    assert mini.height_mm == pytest.approx(t + rod_h)
    shell = Mini.of_solid("32", solid, hollow=True)
    # a skin counts every face once, hidden ones too: level faces of area pi r^2, walls of area 2 pi r h
    skin = [(r * r, 0.0), (r * r, t), (2 * r * t, t / 2)]
    skin += [(rod_r**2, t - 1), (rod_r**2, t + rod_h), (2 * rod_r * (rod_h + 1), t - 1 + (rod_h + 1) / 2)]
    expected = sum(area * z for area, z in skin) / sum(area for area, _ in skin)
    assert shell.com == (pytest.approx(0, abs=1e-3), pytest.approx(0, abs=1e-3), pytest.approx(expected, rel=1e-3))


@pytest.mark.parametrize("low", [100.0, -20.0, 0.1])
def test_a_whole_miniature_stands_on_z_0(low: float) -> None:
    solid = Solid.of(*Base.round(32, thickness_mm=40).mesh(chord_mm=0.1))
    with pytest.raises(ValueError, match=rf"lowest point is at z {low:g}.*moved\(Pose.at\(0, 0, {-low:g}\)\)"):
        Mini.of_solid("32", solid.moved(Pose.at(0, 0, low)))
    assert Mini.of_solid("32", solid.moved(Pose.at(0, 0, 0.01))).com[2] == pytest.approx(20.01)


def test_every_reason_names_its_argument() -> None:
    with pytest.raises(Unsound) as caught:
        Mini("27", height=40, com=(20.0, 0.0, 50.0), mass_g=-1)
    assert [key for key, _ in caught.value.wrong] == ["com", "com", "mass_g"]


def test_every_base_is_a_trimesh_mesh_and_comes_back_from_one() -> None:
    import sim3d

    for name in CATALOGUE:
        mesh = sim3d.as_trimesh(*Base.named(name).mesh(chord_mm=0.05))
        assert mesh.is_watertight, name
        assert mesh.is_winding_consistent, name
        assert base_of(sim3d.of_trimesh(mesh)).nearest == name
    with pytest.raises(TypeError, match=r"trimesh\.Trimesh or Scene"):
        sim3d.of_trimesh("crate.stl")


@pytest.mark.parametrize("inner", [10.0, 24.0])
def test_a_hollow_in_an_underside_is_told(inner: float) -> None:
    vertices, faces = ring_of(inner / 2, 20.0, 0.0, 4.0)
    assert fires("BASE_HOLLOW", base_of(Solid.of(vertices, faces)).findings)
    assert silent("BASE_HOLLOW", base_of(Solid.of(*Base.round(40).mesh(chord_mm=0.02))).findings)
