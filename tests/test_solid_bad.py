"""Every broken mesh in meshes/bad is what its recipe makes, and gets the report that lies beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sim3d.forge.bad import defects, make, report_of

BAD = Path(__file__).parents[1] / "meshes" / "bad"
NAMES = sorted(p.name for p in BAD.iterdir() if not p.name.endswith(".report.json"))


@pytest.mark.parametrize("name", NAMES)
def test_the_report_beside_each(name):
    beside = json.loads((BAD / f"{name}.report.json").read_text(encoding="utf-8"))
    assert json.loads(json.dumps(report_of(BAD / name))) == beside
    assert len((BAD / name).read_bytes()) < 6000


def test_the_folder_is_what_the_recipes_make(tmp_path):
    assert sorted(defects()) == NAMES
    make(tmp_path)
    for path in sorted(tmp_path.iterdir()):
        assert path.read_bytes() == (BAD / path.name).read_bytes(), path.name
    assert {p.name for p in BAD.iterdir()} == {p.name for p in tmp_path.iterdir()}
