"""The command line as people and programs use it: exit codes, streams, data with a schema."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sim3d.cli import saying
from sim3d.mini import Base
from sim3d.report.inspection import InspectionForm
from sim3d.solid.boolean import box
from sim3d.solid.write import write_mesh
from tests.commands import process, sim3d
from tests.quiet import quiet

ROOT = Path(__file__).parent.parent
CRATE = Path("meshes/gallery/crate.stl")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    vertices, faces = box((-40, -40, 0), (40, 40, 30))
    write_mesh(folder / "crate.stl", vertices, faces)
    write_mesh(folder / "open.stl", vertices, faces[:-2])
    write_mesh(folder / "base.stl", *Base.named("50n").mesh(chord_mm=0.02))
    (folder / "junk.stl").write_bytes(b"x")
    (folder / "table.toml").write_text('[[piece]]\nmesh = "crate.stl"\n', encoding="utf-8")
    (folder / "wrong.toml").write_text('[[piece]]\nmehs = "crate.stl"\n', encoding="utf-8")
    return folder


def test_facts_on_stdout_and_exit_0(folder: Path) -> None:
    done = process("inspect", "crate.stl", cwd=folder)
    assert (done.returncode, quiet(done.stderr)) == (0, "")
    assert "80 x 80 x 30" in done.stdout
    assert "192000" in done.stdout
    assert done.stdout.endswith("1 file: all can be trusted\n")


def test_json_follows_its_schema_and_names_no_absolute_path(folder: Path) -> None:
    done = sim3d("inspect", "crate.stl", "open.stl", "junk.stl", "--json", cwd=folder)
    assert done.exit_code == 2
    data = InspectionForm.model_validate_json(done.stdout)
    assert [f.readable for f in data.files] == [True, True, False]
    assert str(folder) not in done.stdout
    assert data.files[0].facts["volume_mm3"] == pytest.approx(192_000)


def test_findings_exit_1_only_when_asked_to_fail_on_them(folder: Path) -> None:
    codes = [
        f["code"]
        for f in json.loads(sim3d("inspect", folder / "open.stl", "--json").stdout)["files"][0]["report"]["findings"]
    ]
    assert codes
    assert sim3d("inspect", folder / "open.stl").exit_code == 0
    assert sim3d("inspect", folder / "open.stl", "--fail-on", "hint").exit_code == 1
    spared = [word for code in codes for word in ("--ignore", code)]
    assert sim3d("inspect", folder / "open.stl", "--fail-on", "hint", *spared).exit_code == 0


def test_a_base_is_read_as_a_base(folder: Path) -> None:
    done = sim3d("inspect", "--base", "--json", "base.stl", cwd=folder)
    facts = json.loads(done.stdout)["files"][0]["facts"]
    assert (facts["nearest"], facts["notches"]) == ("50n", ["front", "rear"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("inspect",), "FILE"),
        (("inspect", "x.stl", "--fail-on", "fatal"), "not a severity"),
        (("inspect", "x.stl", "--ignore", "NO_SUCH"), "no such code: NO_SUCH"),
        (("explain", "MESH_OPNE"), "did you mean"),
        (("nonsense",), "nonsense"),
        (("show", "gone.toml", "--png", "x.png"), "no such file"),
        (("show", "gone.toml", "--png", "x.png", "--size", "12"), "--size is"),
        (("show", "gone.toml", "--png", "x.png", "--elevation", "inf"), "--elevation"),
        (("show", "gone.toml", "--png", "x.png", "--azimuth", "nan"), "--azimuth"),
        (("inspect", "x.stl", "--max-mb", "nan"), "--max-mb"),
        (("inspect", "x.stl", "--max-triangles", "-5"), "--max-triangles"),
    ],
)
def test_misuse_is_exit_2_with_one_clear_message(words: tuple[str, ...], said: str, tmp_path: Path) -> None:
    done = sim3d(*words, cwd=tmp_path)
    assert done.exit_code == 2
    assert said in done.stderr
    assert done.stdout == ""


def test_misuse_as_a_process_ends_with_the_same_code_and_words(tmp_path: Path) -> None:
    words = ("inspect", "x.stl", "--ignore", "NO_SUCH")
    done, told = process(*words, cwd=tmp_path), sim3d(*words, cwd=tmp_path)
    assert (
        (done.returncode, done.stdout, done.stderr)
        == (told.exit_code, told.stdout, told.stderr)
        == (2, "", told.stderr)
    )


def test_limits_are_options(folder: Path) -> None:
    assert sim3d("inspect", folder / "crate.stl", "--max-triangles", "11").exit_code == 2
    assert sim3d("inspect", folder / "crate.stl", "--max-triangles", "12").exit_code == 0


def test_explain_says_what_why_and_what_to_do() -> None:
    done = sim3d("explain", "form_unknown_key")
    assert done.stdout.startswith("FORM_UNKNOWN_KEY (error)\n")
    assert "Do: " in done.stdout
    assert len(sim3d("explain").stdout.splitlines()) > 10


def test_a_picture_of_a_table(folder: Path) -> None:
    done = sim3d("show", "table.toml", "--png", "out/a.png", "--size", "160x100", cwd=folder)
    assert (done.exit_code, done.stdout) == (0, "")
    data = (folder / "out" / "a.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (160, 100)
    assert sim3d("show", "table.toml", "--png", "p.png", "--size", "160x100", "--plan", cwd=folder).exit_code == 0
    wrong = sim3d("show", "wrong.toml", "--png", "b.png", cwd=folder)
    assert wrong.exit_code == 2
    assert (
        "wrong.toml:2 /piece/0/mehs: error FORM_UNKNOWN_KEY: key 'mehs' is not known here; did you mean 'mesh'?"
        in wrong.stderr
    )


def test_a_picture_never_takes_the_place_of_what_it_shows(folder: Path) -> None:
    before = (folder / "crate.stl").read_bytes()
    done = sim3d("show", "crate.stl", "--png", "../" + folder.name + "/crate.stl", cwd=folder)
    assert done.exit_code == 2
    assert "is what is read; it would be overwritten" in done.stderr
    assert (folder / "crate.stl").read_bytes() == before


def test_a_terminal_that_knows_only_ascii_gets_an_answer() -> None:
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    for words in (("inspect", "--help"), ("explain",)):
        done = subprocess.run(
            [sys.executable, "-m", "sim3d", *words], capture_output=True, text=True, env=env, check=False
        )
        assert (done.returncode, quiet(done.stderr)) == (0, "")


def test_version_and_help() -> None:
    assert process("--version").stdout.startswith("sim3d ")
    for word in ("inspect", "explain", "show", "demo"):
        assert word in process("--help").stdout


def test_a_million_points_of_nothing_are_refused(tmp_path: Path) -> None:
    write_mesh(tmp_path / "flat.stl", np.zeros((3, 3)), np.array([[0, 1, 2]]))
    done = sim3d("inspect", tmp_path / "flat.stl")
    assert done.exit_code == 2
    assert "error" in done.stdout


def test_loops_are_said_to_be_compiled_only_where_they_are(tmp_path: Path) -> None:
    write_mesh(tmp_path / "crate.stl", *box((0, 0, 0), (40, 40, 30)))
    env = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA")} | {"XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "sim3d", "init", "--force", tmp_path]
    said = [subprocess.run(command, capture_output=True, text=True, env=env, check=True).stderr for _ in range(2)]
    assert ["compiled" in told for told in said] == [True, False], said


def test_long_work_says_how_far_it_is_where_no_bar_is_seen(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, 1.0, 19.0, 60.0, 61.0, 120.0, 150.0, 240.0])
    monkeypatch.setattr(saying, "monotonic", lambda: next(clock))
    with saying.progress("looking", 4) as bar:
        bar.upto(1, 4)  # soon: nobody waits yet
        bar.upto(1, 4)
        bar.upto(1, 4)
        bar.upto(1, 4)  # a second after the last line
        bar.upto(2, 4)
        bar.upto(3, 4)
        bar.upto(4, 4)  # done
    assert capsys.readouterr().err.splitlines() == [
        "sim3d: looking: 1 of 4, about 3 min left",
        "sim3d: looking: 2 of 4, about 2 min left",
        "sim3d: looking: 3 of 4, about 50 s left",
    ]


def test_how_far_long_work_is_does_not_count_that_its_loops_were_compiled(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, compiling = iter([0.0, 160.0, 190.0]), iter([10.0, 160.0, 160.0])
    monkeypatch.setattr(saying, "monotonic", lambda: next(clock))
    monkeypatch.setattr("sim3d.compiled.compiling_s", lambda: next(compiling))
    with saying.progress("mapping", 100) as bar:
        bar.upto(10, 100)
        bar.upto(40, 100)
    assert capsys.readouterr().err.splitlines() == [
        "sim3d: mapping: 10 of 100, about 90 s left",
        "sim3d: mapping: 40 of 100, about 60 s left",
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no file has such a name")
def test_json_of_files_whose_names_are_no_text_is_text(tmp_path: Path) -> None:
    name = "b\udcff\U0001f3f0.stl"  # a byte that is no UTF-8, and a castle
    (tmp_path / name).write_bytes((ROOT / "meshes" / "bases" / "27.stl").read_bytes())
    told = process("inspect", "--base", "--json", name, "none\udcfe.stl", cwd=tmp_path).stdout
    assert [f["file"] for f in json.loads(told)["files"]] == ["b?\U0001f3f0.stl", "none?.stl"]
    maps = process(
        "atlas", ROOT / CRATE, "--base", name, "--pitch", "40", "--audit", "0", "--json", cwd=tmp_path
    ).stdout
    assert json.loads(maps)["base"] == "b?\U0001f3f0.stl"
    for text in (told, maps):
        assert "\\udc" not in text
        text.encode("utf-8")
