"""Bases by name and by mesh, and miniatures that can exist."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim3d.finding import Refused
from sim3d.mini import CATALOGUE, Base, Body, Mini, base_of, read_base
from sim3d.solid import Solid
from sim3d.solid.boolean import volume_and_centre
from sim3d.solid.write import write_mesh
from sim3d.space import Pose
from tests.codes import fires, silent


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


@pytest.mark.parametrize("name", ["33", "50m", "", "hex", "hex0", "100x100n", "rect5", "hex1e9"])
def test_an_unknown_base_is_an_error_that_lists_what_there_is(name: str) -> None:
    with pytest.raises(ValueError, match=r"known: 25, 27|1 to 1000 mm"):
        Base.named(name)


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_base_mesh_is_a_closed_prism_of_the_exact_outline(name: str) -> None:
    base = Base.named(name)
    volume, centre = volume_and_centre(*base.mesh())
    assert volume == pytest.approx(base.outline.area_mm2() * base.thickness_mm, rel=1e-4)
    assert centre == (pytest.approx(0, abs=1e-6), pytest.approx(0, abs=1e-6), pytest.approx(base.thickness_mm / 2))


@pytest.mark.parametrize("name", CATALOGUE)
@pytest.mark.parametrize("turn", [0.0, 37.0])
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
    silent("BASE_UNKNOWN_SIZE", reading.findings)
    silent("BASE_NOT_FLAT", reading.findings)


def test_a_base_of_its_own_keeps_its_outline_and_names_the_nearest() -> None:
    vertices, faces = Base.round(35.0).mesh()
    reading = base_of(Solid.of(vertices, faces))
    assert reading.base.outline.width_mm == pytest.approx(35.0, abs=0.01)
    assert reading.nearest == "32"
    assert reading.difference_mm == pytest.approx(
        1.5, abs=0.021
    )  # the catalogue's circle is laid as chords 0.02 mm off
    fires("BASE_UNKNOWN_SIZE", reading.findings)


def test_a_base_with_four_notches_is_read_as_such() -> None:
    vertices, faces = Base.round(120, notches=("front", "rear", "left", "right")).mesh(chord_mm=0.01)
    assert base_of(Solid.of(vertices, faces)).notches == ("front", "rear", "left", "right")


def test_a_dome_is_no_base() -> None:
    vertices = np.array([[0, 0, -2], [16, 0, 0], [-8, 14, 0], [-8, -14, 0]], dtype=float)  # stands on its tip
    with pytest.raises(Refused) as refused:
        base_of(Solid.of(vertices, np.array([[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]])))
    fires("BASE_NOT_FLAT", refused.value)


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
    assert 0 < shell.com[2] < 40


def test_every_base_is_a_trimesh_mesh_and_comes_back_from_one() -> None:
    import sim3d

    for name in CATALOGUE:
        mesh = sim3d.as_trimesh(*Base.named(name).mesh(chord_mm=0.05))
        assert mesh.is_watertight, name
        assert mesh.is_winding_consistent, name
        assert base_of(sim3d.of_trimesh(mesh)).nearest == name
    with pytest.raises(TypeError, match=r"trimesh\.Trimesh or Scene"):
        sim3d.of_trimesh("crate.stl")
