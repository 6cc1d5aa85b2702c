"""What inspect says: facts, findings, and refusals that nothing can silence."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sim3d.finding import Policy, Severity
from sim3d.mini import Base
from sim3d.report.inspection import InspectionForm, inspected, inspection_json, inspection_text
from sim3d.solid import read_solid
from sim3d.solid.boolean import box
from sim3d.solid.write import write_mesh
from tests.codes import fires, silent


@pytest.mark.parametrize(
    "policy",
    [
        Policy(ignore=("FILE_MISSING",)),
        Policy(only=("MESH_OPEN",)),
        Policy(per_file={"*": ("FILE_MISSING",)}),
        Policy(severity={"FILE_MISSING": Severity.HINT}),
        Policy(baseline=inspected(Path("nothing.stl")).report.fingerprints()),
    ],
)
def test_why_a_file_cannot_be_trusted_is_told_whatever_is_ignored(policy: Policy) -> None:
    seen = inspected(Path("nothing.stl"), policy=policy)
    assert (seen.readable, seen.report.codes) == (False, ("FILE_MISSING",))
    (file,) = json.loads(inspection_json([seen]))["files"]
    assert (file["readable"], file["report"]["valid"]) == (False, False)
    assert "error FILE_MISSING: there is no such file" in inspection_text([seen])


def test_a_fault_of_ours_keeps_no_other_file_from_being_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in "ab":
        write_mesh(tmp_path / f"{name}.stl", *box((0, 0, 0), (9, 9, 9)))

    def failing(path: Path, **more: object) -> object:
        if path.stem == "a":
            raise ZeroDivisionError("of nothing\n::error::by nothing")
        return read_solid(path)

    monkeypatch.setattr("sim3d.report.inspection.read_solid", failing)
    failed, seen = (inspected(tmp_path / f"{name}.stl") for name in "ab")
    assert (failed.readable, seen.readable) == (False, True)
    assert fires("INSPECT_FAILED", failed.report)
    assert silent("INSPECT_FAILED", seen.report)
    text = inspection_text([failed, seen])
    assert "a fault in sim3d, please report it: ZeroDivisionError: of nothing?::error::by nothing" in text
    assert "1 cannot be trusted" in text
    assert "in failing" in capsys.readouterr().err  # where it happened


def test_what_can_be_read_is_told_as_the_policy_wants(tmp_path: Path) -> None:
    vertices, faces = box((0, 0, 0), (9, 9, 9))
    write_mesh(tmp_path / "open.stl", vertices, faces[:-2])
    codes = inspected(tmp_path / "open.stl").report.codes
    assert codes
    seen = inspected(tmp_path / "open.stl", policy=Policy(ignore=codes))
    assert (seen.readable, len(seen.report)) == (True, 0)


SHEETS = {
    "upright": ([(0, 0, 0), (40, 0, 0), (40, 0, 20), (0, 0, 20)], "BASE_NOT_FLAT"),
    "level": ([(0, 0, 0), (40, 0, 0), (40, 20, 0), (0, 20, 0)], "BASE_NO_THICKNESS"),
}


@pytest.mark.parametrize("name", SHEETS)
def test_what_is_no_base_is_refused_with_a_code(name: str, tmp_path: Path) -> None:
    corners, code = SHEETS[name]
    write_mesh(tmp_path / "sheet.stl", np.array(corners, dtype=float), np.array([(0, 1, 2), (0, 2, 3)]))
    assert inspected(tmp_path / "sheet.stl").readable
    seen = inspected(tmp_path / "sheet.stl", as_base=True)
    assert (seen.readable, seen.report.codes) == (False, (code,))
    InspectionForm.model_validate_json(inspection_json([seen]))


def test_a_disc_far_from_any_base_has_finite_numbers(tmp_path: Path) -> None:
    write_mesh(tmp_path / "disc.stl", *Base.round(900).mesh(chord_mm=0.1))
    seen = inspected(tmp_path / "disc.stl", as_base=True)
    InspectionForm.model_validate_json(inspection_json([seen]))
    assert (seen.facts["nearest"], seen.report.codes) == ("160", ("BASE_UNKNOWN_SIZE",))
    assert seen.facts["difference_mm"] == pytest.approx(740, abs=0.5)
    assert " inf " not in inspection_text([seen])


def test_an_unknown_thickness_is_said_to_be_unknown(tmp_path: Path) -> None:
    foil, plate = Base.round(30, thickness_mm=0.01).mesh(chord_mm=0.1), Base.round(35).mesh(chord_mm=0.1)
    vertices = np.vstack([foil[0], plate[0] + [0, 0, 5]])
    write_mesh(tmp_path / "foil.stl", vertices, np.vstack([foil[1], plate[1] + len(foil[0])]))
    seen = inspected(tmp_path / "foil.stl", as_base=True)
    assert seen.facts["thickness_mm"] is None
    assert "BASE_THICKNESS_UNKNOWN" in seen.report.codes
    assert "thickness mm       unknown" in inspection_text([seen])
