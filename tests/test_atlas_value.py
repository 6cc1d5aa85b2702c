"""`Atlas` as a value: saved and read again, summed up, audited, drawn. What its cells say is in `test_atlas`."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import sim3d
from sim3d.atlas import Atlas, Audit, Contradicted, atlas
from sim3d.report.mapping import map_text
from sim3d.stand import WORDS
from sim3d.table import Table
from sim3d.view.standing_map import colours_of, draped, plan_of
from tests.test_atlas import MINI, table_of
from tests.test_picture import decoded


def test_printed_it_tells_its_cells_and_not_what_is_in_them() -> None:
    made = atlas(table_of("gallery/crate.stl"), MINI, pitch=8, audit=0)
    rows, columns = made.shape
    assert f"Layer(turn=0.0, level=None, {rows} x {columns} cells)" in repr(made)
    assert "crate" in repr(table_of("gallery/crate.stl"))
    assert "array" not in repr(table_of("gallery/crate.stl"))


def test_saved_and_loaded_it_is_the_same_map(tmp_path: Path) -> None:
    made = atlas(table_of("gallery/crate.stl"), MINI, pitch=8, audit=4)
    made.save(tmp_path / "crate.npz")
    again = Atlas.load(tmp_path / "crate.npz")
    assert again.as_npz() == made.as_npz()
    assert again.audit == made.audit
    assert again.summary() == made.summary()


def rewritten(kept: bytes, member: str, content: bytes) -> bytes:
    """A saved map with one of its members exchanged."""
    out = BytesIO()
    with zipfile.ZipFile(BytesIO(kept)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            target.writestr(
                member if name == f"{member}.npy" else name, content if member in name else source.read(name)
            )
    return out.getvalue()


def as_npy(array: NDArray[Any]) -> bytes:
    out = BytesIO()
    np.save(out, array)
    return out.getvalue()


def test_a_file_that_is_no_map_is_refused(tmp_path: Path) -> None:
    made = atlas(table_of("gallery/crate.stl"), MINI, pitch=20, audit=0)
    ny, nx = made.shape
    path, kept = tmp_path / "wrong.npz", made.as_npz()
    wrong = {
        "no archive": b"PK\x05\x06" + bytes(18),
        "no array, but bytes": rewritten(kept, "how0", b"raw"),
        "no such word": rewritten(kept, "words0.npy", as_npy(np.full((ny, nx), len(WORDS), np.uint8))),
        "words that are fractions": rewritten(kept, "words0.npy", as_npy(np.full((ny, nx), 0.5))),
        "one row": rewritten(kept, "how0.npy", as_npy(np.zeros((1, nx), np.uint8))),
        "no axis": rewritten(kept, "words0.npy", as_npy(np.uint8(0))),
        "numbers that are text": rewritten(kept, "numbers0.npy", as_npy(np.full((ny, nx, 8), "1"))),
        "one number": rewritten(kept, "numbers0.npy", as_npy(np.zeros((ny, nx, 1)))),
    }
    for what, content in wrong.items():
        path.write_bytes(content)
        with pytest.raises(ValueError, match="not a standing map"):
            pytest.fail(f"{what}: read as {Atlas.load(path)}")
    path.write_bytes(rewritten(kept, "how0.npy", as_npy(made.layers[0].how)))
    assert Atlas.load(path).as_npz() == kept


# --- what it is summed up as ------------------------------------------------------------------------------------------


def test_areas_regions_and_their_widest_circle() -> None:
    made = atlas(Table(size_mm=(127, 127)), MINI, pitch=1)  # the base's middle may be anywhere within 50 mm
    inner = made.regions()
    assert len(inner) == 1
    assert inner[0].widest_at == (0.0, 0.0)
    assert inner[0].widest_mm == pytest.approx(50.0, abs=1.0)
    assert sum(made.areas().values()) == made.shape[0] * made.shape[1]
    assert inner[0].area_mm2 == made.areas()["stable"]


def test_an_audit_asks_the_engine() -> None:
    made = atlas(table_of("gallery/crate.stl"), MINI, pitch=6, audit=6)
    assert isinstance(made.audit, Audit)
    assert made.audit.asked == 6
    assert made.audit.agreed + made.audit.in_band + len(made.audit.disagreed) == 6


def test_what_the_engine_contradicts_is_kept_and_told_with_turn_and_cut(tmp_path: Path) -> None:
    made = atlas(table_of("gallery/crate.stl"), MINI, pitch=40)
    plain = Contradicted(40.0, 0.0, 0.0, None, "stable", "it fell.")
    made = replace(made, audit=Audit(2, 0, 0, (plain, Contradicted(0.0, 40.0, 30.0, 12.5, "topples", "it stood."))))
    made.save(tmp_path / "map.npz")
    again = Atlas.load(tmp_path / "map.npz")
    assert again.audit == made.audit
    text = map_text(again)
    assert "at 40, 0: stable, but it fell." in text
    assert "at 0, 40, turned by 30, under a cut at 12.5: topples, but it stood." in text


def test_pictures_tables_and_draped_colours() -> None:
    made = atlas(table_of("gallery/crate.stl"), MINI, pitch=4)
    assert plan_of(made)[:4] == b"\x89PNG"
    assert plan_of(made) == plan_of(made)
    assert draped(made)[:4] == b"glTF"
    assert draped(made) == draped(made)
    assert colours_of(made.layers[0]).shape == (*made.shape, 3)
    lines = made.as_csv().splitlines()
    assert len(lines) == made.shape[0] * made.shape[1] + 1


@pytest.mark.parametrize(("far", "size"), [((10, 2), (9, 3)), ((2, 10), (3, 9)), ((2, 2), (3, 3)), ((10, 10), (9, 9))])
def test_a_map_of_a_single_row_is_draped_as_a_strip(
    far: tuple[int, int], size: tuple[int, int], tmp_path: Path
) -> None:
    made = atlas(table_of("gallery/crate.stl"), MINI, pitch=3, area=(0, 0, *far))
    (tmp_path / "map.glb").write_bytes(draped(made))
    strip = sim3d.read_solid(tmp_path / "map.glb")
    assert strip.extents_mm == pytest.approx((*size, 0), abs=1e-4)
    assert strip.bounds[0][2] == pytest.approx(30.2, abs=1e-4)


def test_the_legend_of_a_plan_fits_whatever_its_title() -> None:
    made = atlas(table_of("gallery/crate.stl"), sim3d.Mini("ellipse123.25x61.5"), pitch=24)
    cut = replace(made, layers=(replace(made.layers[0], level=123.456),))
    for one in (made, cut):
        image = decoded(plan_of(one))
        assert (image[:, -3:] == 255).all(), "the card ends before the picture does"
