"""Repairs: each reads back clean, keeps volume and size, is listed with numbers; originals are never touched."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from sim3d.finding import Report
from sim3d.pack import fix, fix_failed, read_pack
from sim3d.solid import read_solid
from sim3d.solid.boolean import box
from sim3d.solid.mend import wound
from sim3d.solid.write import write_mesh
from tests.codes import fires, silent
from tests.packs import HEAD, crate, together, turned, written

VOLUME = 60 * 60 * 30


def one(folder: Path, mesh, head: str = HEAD, ending: str = ".stl"):
    """The single piece of a pack, fixed: what is said of it, and the copy read back."""
    written(folder / "pack", head)
    path = folder / "pack" / f"piece{ending}"
    write_mesh(path, *mesh)
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    (made,) = fix(read_pack(folder / "pack"), folder / "fixed")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    return made, read_solid(folder / "fixed" / made.out) if made.out else None


def test_what_is_sound_is_not_copied(tmp_path):
    made, again = one(tmp_path, crate())
    assert (made.changes, again) == ((), None)
    assert not (tmp_path / "fixed").exists()


def test_a_piece_in_the_air_is_put_down(tmp_path):
    made, again = one(tmp_path, box((-30, -30, 12.5), (30, 30, 42.5)))
    assert made.changes == ("moved by -12.500 mm to stand on z = 0",)
    assert again.bounds == ((-30, -30, 0), (30, 30, 30))
    assert again.volume_mm3 == pytest.approx(VOLUME)


def test_triangles_turned_the_wrong_way_are_turned_back(tmp_path):
    vertices, faces = crate()
    faces = faces.copy()
    faces[[2, 7]] = faces[[2, 7], ::-1]
    made, again = one(tmp_path, (vertices, faces))
    assert made.changes == ("2 triangles turned to agree with neighbours",)
    assert (again.wound, again.volume_mm3) == (True, pytest.approx(VOLUME))
    assert silent("MESH_WINDING_MIXED", again.inspected())


def test_a_part_inside_out_is_turned_and_a_cavity_is_not(tmp_path):
    vertices, faces = crate()
    made, again = one(tmp_path / "a", (vertices, faces[:, ::-1]))
    assert made.changes == ("12 triangles turned to agree with neighbours",)
    assert silent("MESH_INSIDE_OUT", again.inspected())
    hollow = box((-10, -10, 10), (10, 10, 20))
    made, again = one(tmp_path / "b", together(crate(), (hollow[0], hollow[1][:, ::-1])))
    assert (made.changes, again) == ((), None)


def test_a_hollow_stays_one_whatever_else_is_mended(tmp_path):
    inner = box((-10, -10, 10), (10, 10, 20))
    vertices, faces = together(crate(), (inner[0], inner[1][:, ::-1]))
    made, again = one(tmp_path / "mirrored", (vertices * [-1, 1, 1], faces))  # both shells look the wrong way
    assert made.changes == ("24 triangles turned to agree with neighbours",)
    assert again.volume_mm3 == pytest.approx(VOLUME - 20 * 20 * 10)
    for k in range(24):  # one triangle of the shell or of the hollow
        flipped = faces.copy()
        flipped[k] = faces[k, ::-1]
        made, again = one(tmp_path / f"flipped {k}", (vertices, flipped))
        assert made.changes == ("1 triangle turned to agree with neighbours",)
        assert again.volume_mm3 == pytest.approx(VOLUME - 20 * 20 * 10)
    made, again = one(tmp_path / "overlapping", together((vertices, faces), box((20, -15, 10), (50, 15, 20))))
    assert made.changes[0].startswith("3 overlapping parts united: 36 triangles became ")
    assert made.failed == ""
    assert again.volume_mm3 == pytest.approx(VOLUME - 20 * 20 * 10 + 20 * 30 * 10)


def test_parts_are_united_where_a_triangle_without_area_closes_one(tmp_path):
    vertices, faces = crate()
    at = len(vertices)
    a, b, c = faces[0]
    split = np.concatenate([faces[1:], [[a, at, c], [at, b, c], [a, b, at]]])  # its neighbour has the whole side
    seam = np.vstack([vertices, (vertices[a] + vertices[b]) / 2]), split
    made, again = one(tmp_path, together(seam, box((0, -10, 10), (50, 10, 20))))
    assert made.changes[0].startswith("2 overlapping parts united: ")
    assert (again.parts, again.overlapping) == (1, False)
    assert again.volume_mm3 == pytest.approx(VOLUME + 20 * 20 * 10)


def test_a_strip_that_cannot_agree_stays():
    # Five squares in a ring with a half turn: a Möbius strip.
    n = 5
    low, high = np.arange(n), np.arange(n) + n
    after_low, after_high = np.append(low[1:], high[0]), np.append(high[1:], low[0])
    faces = np.concatenate([np.column_stack([low, after_low, high]), np.column_stack([after_low, after_high, high])])
    vertices = np.random.default_rng(0).normal(size=(2 * n, 3))
    assert wound(vertices, faces)[1] == 0


def test_overlapping_parts_are_united(tmp_path):
    both = together(crate(), box((0, -10, 10), (50, 10, 20)))
    made, again = one(tmp_path, both)
    assert made.changes[0].startswith("2 overlapping parts united: 24 triangles became ")
    assert (again.parts, again.overlapping) == (1, False)
    assert again.volume_mm3 == pytest.approx(VOLUME + 20 * 20 * 10)
    assert again.extents_mm == pytest.approx((80, 60, 30))


def test_copies_and_slivers_are_dropped(tmp_path):
    vertices, faces = crate()
    flat = np.vstack([vertices, [[0, 0, 50], [1, 0, 50], [2, 0, 50]]])
    made, again = one(tmp_path, (flat, np.vstack([faces, [[8, 9, 10]], faces[:1]])), ending=".obj")
    assert made.changes[:2] == ("1 triangle without area dropped", "1 copy of triangles dropped")
    assert (len(again.faces), again.volume_mm3) == (12, pytest.approx(VOLUME))
    assert len(again.findings) == 0


def test_a_back_that_is_turned_is_a_copy_of_the_front(tmp_path):
    vertices, faces = crate()
    made, again = one(tmp_path, (vertices, np.vstack([faces, faces[:, ::-1]])))
    assert made.changes == ("12 triangles turned to agree with neighbours", "12 copies of triangles dropped")
    assert (len(again.faces), again.volume_mm3, len(again.findings)) == (12, pytest.approx(VOLUME), 0)


def test_units_axes_and_scale_are_as_declared(tmp_path):
    small = crate()[0] / 10, crate()[1]
    head = '[pack]\nid = "t"\nname = "T"\nunits = "cm"\nup = "y"\nscale = 2\n'
    made, again = one(tmp_path, turned((small[0], small[1])), head)
    assert made.changes == ("converted from cm to mm", "turned from y up to z up", "scaled by 2")
    assert again.extents_mm == pytest.approx((120, 120, 60))
    assert again.volume_mm3 == pytest.approx(8 * VOLUME)


def test_what_cannot_be_repaired_is_said(tmp_path):
    written(tmp_path / "pack", crate=crate())
    (tmp_path / "pack" / "junk.stl").write_bytes(b"x")
    made = fix(read_pack(tmp_path / "pack"), tmp_path / "fixed")
    found = Report(tuple(f for one in made for f in fix_failed(one)))
    assert fires("FIX_FAILED", found)
    assert len(found) == 1
    assert silent("FIX_FAILED", fix_failed(made[0]))


def test_a_copy_that_reads_back_otherwise_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("sim3d.pack.mending.encode", lambda ending, v, f: b"solid broken\nendsolid\n")
    made, _ = one(tmp_path, box((-30, -30, 12.5), (30, 30, 42.5)))
    assert made.failed.startswith("read back: ")
    assert not any((tmp_path / "fixed").glob("*"))


def test_copies_never_go_into_the_pack_itself(tmp_path):
    pack = read_pack(written(tmp_path / "pack", crate=crate()))
    for folder in (tmp_path / "pack", tmp_path / "pack" / "inside"):
        with pytest.raises(ValueError, match="somewhere else"):
            fix(pack, folder)
