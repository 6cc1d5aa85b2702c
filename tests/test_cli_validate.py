"""`sim3d validate` and `sim3d init` as people and programs use them: exit codes, streams, settings, interruptions."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from sim3d.forge.bad import defects
from sim3d.report.validation import ValidationForm
from sim3d.solid.boolean import box
from sim3d.solid.write import write_mesh
from tests.commands import sim3d
from tests.packs import HEAD, crate, dunes, together, written
from tests.test_spread import children, until

ROOT = Path(__file__).parent.parent
CRATE = "meshes/gallery/crate.stl"


def shapes(*words: str | Path, cwd: Path) -> Any:
    return sim3d("validate", *words, "--no-standing", "--no-store", "--workers", "0", cwd=cwd)


def started(*words: str, cwd: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "sim3d", *words]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    lamp = together(crate(), box((-2, -2, 31), (2, 2, 40)))
    written(folder / "good", crate=crate())
    written(folder / "warned", crate=crate(), lamp=lamp)
    written(folder / "broken", crate=crate())
    (folder / "broken" / "junk.stl").write_bytes(b"x")
    written(folder / "wrong", HEAD + "bed = 3\n", crate=crate())
    return folder


def test_exit_codes(folder: Path) -> None:
    assert shapes("good", cwd=folder).exit_code == 0
    assert shapes("good/pack.toml", cwd=folder).exit_code == 0
    assert shapes("warned", cwd=folder).exit_code == 0
    assert shapes("warned", "--fail-on", "warning", cwd=folder).exit_code == 1
    assert shapes("warned", "--max-warnings", "0", cwd=folder).exit_code == 1
    assert shapes("warned", "--max-warnings", "1", cwd=folder).exit_code == 0
    assert shapes("warned", "--ignore", "PART_IN_THE_AIR", "--fail-on", "hint", cwd=folder).exit_code == 0
    assert shapes("warned", "--piece", "cr*", "--fail-on", "hint", cwd=folder).exit_code == 0
    assert shapes("broken", cwd=folder).exit_code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("gone",), "no such folder or file"),
        (("wrong",), "wrong/pack.toml:6 /pack/bed: error FORM_UNKNOWN_KEY"),
        (("good", "--format", "pdf"), "--format pdf"),
        (("good", "--ignore", "MESH_OPNE"), "no such code"),
        (("good", "--fail-on", "fatal"), "not a severity"),
        (("good", "--piece", "tower"), "--piece tower: no piece is called so; there are: crate"),
        (("good", "--baseline", "none.json"), "--write-baseline makes one"),
        (("good", "--scheduler", "nowhere.json"), "sched"),
    ],
)
def test_misuse_is_exit_2_with_one_clear_message(words: tuple[str, ...], said: str, folder: Path) -> None:
    done = shapes(*words, cwd=folder)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_data_on_stdout_and_every_report_in_a_folder(folder: Path) -> None:
    done = shapes("warned", "--json", "--out", "reports", cwd=folder)
    assert ValidationForm.model_validate_json(done.stdout).verdict == "with warnings"
    assert (folder / "reports" / "report.json").read_text(encoding="utf-8") == done.stdout
    assert len(list((folder / "reports").iterdir())) == 8
    assert str(folder) not in done.stdout


def test_annotations_point_into_the_repository(folder: Path) -> None:
    done = shapes("warned", "--format", "github", cwd=folder)
    assert done.stdout.startswith("::warning file=warned/lamp.stl,title=PART_IN_THE_AIR::")
    data = json.loads(shapes("warned", "--format", "sarif", cwd=folder).stdout)
    (run,) = data["runs"]
    assert run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "warned/lamp.stl"
    absolute = shapes(folder / "warned", "--format", "github", cwd=folder)
    assert absolute.stdout.startswith("::warning file=lamp.stl,")


def test_a_baseline_leaves_only_what_is_new(folder: Path) -> None:
    first = shapes("warned", "--write-baseline", "known.json", "--max-warnings", "0", cwd=folder)
    assert first.exit_code == 1
    again = shapes("warned", "--baseline", "known.json", "--max-warnings", "0", cwd=folder)
    assert again.exit_code == 0
    assert "1 known findings" in again.stderr
    kept = shapes("warned", "--baseline", "known.json", "--write-baseline", "again.json", cwd=folder)
    assert kept.exit_code == 0
    assert (folder / "again.json").read_bytes() == (folder / "known.json").read_bytes()


def test_settings_of_a_project_and_of_a_manifest(tmp_path: Path) -> None:
    lamp = together(crate(), box((-2, -2, 31), (2, 2, 40)))
    written(tmp_path / "pack", HEAD + '[checks.severity]\nPART_IN_THE_AIR = "error"\n', lamp=lamp)
    assert shapes("pack", cwd=tmp_path).exit_code == 1
    project = tmp_path / "pyproject.toml"
    project.write_text('[tool.sim3d]\nseverity = { PART_IN_THE_AIR = "hint" }\n', encoding="utf-8")
    assert shapes("pack", "--fail-on", "warning", cwd=tmp_path).exit_code == 0
    project.write_text('[tool.sim3d]\nfail_on = "hint"\nignore = ["PART_IN_THE_AIR"]\n', encoding="utf-8")
    assert shapes("pack", cwd=tmp_path).exit_code == 0
    project.write_text('[tool.sim3d.per_file]\n"lamp.*" = ["PART_IN_THE_AIR"]\n', encoding="utf-8")
    assert shapes("pack", cwd=tmp_path).exit_code == 0
    project.write_text('[tool.sim3d]\nignore = ["PART_IN_THE_ARI"]\n', encoding="utf-8")
    wrong = shapes("pack", cwd=tmp_path)
    assert (wrong.exit_code, "PART_IN_THE_ARI" in wrong.stderr) == (2, True)
    project.write_text("[tool.sim3d]\nignroe = []\n", encoding="utf-8")
    assert "did you mean 'ignore'" in shapes("pack", cwd=tmp_path).stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.other]\nx = 1\n\n[tool.sim3d]\nseverity = 3\n", "pyproject.toml:5 /tool/sim3d/severity: "),
        ("[tool.sim3d]\n\nignore = ['MESH_OPNE']\n", "pyproject.toml:3 /tool/sim3d/ignore: "),
        ("[tool.sim3d.severity]\nMESH_OPNE = 'hint'\n", "pyproject.toml:1 /tool/sim3d/severity: "),
        ("[tool.sim3d]\n\nbaseline = '../known.json'\n", "pyproject.toml:3 /tool/sim3d/baseline: "),
        ("[tool.sim3d]\nfail_on = 2026-01-01\n", "pyproject.toml:2 /tool/sim3d/fail_on: "),
        ("[tool.sim3d]\nignroe = []\n", "did you mean 'ignore'"),
        ("[tool]\nsim3d = 3\n", "pyproject.toml:2 /tool/sim3d: "),
        ("\n[tool.sim3d\n", "pyproject.toml:2: "),
    ],
)
def test_a_fault_in_a_project_says_in_which_file_and_line(text: str, said: str, tmp_path: Path) -> None:
    written(tmp_path / "deep" / "pack", crate=crate())
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    for folder, name in ((tmp_path, "pyproject"), (tmp_path / "deep", "../pyproject")):
        done = shapes("deep/pack" if folder == tmp_path else "pack", cwd=folder)
        assert (done.exit_code, done.stdout) == (2, "")
        assert said.replace("pyproject", name, 1) in done.stderr, done.stderr


def test_dates_elsewhere_in_a_project_are_nobodys_business(tmp_path: Path) -> None:
    written(tmp_path / "pack", crate=crate())
    (tmp_path / "pyproject.toml").write_text("[tool.other]\nx = 2026-01-01\n[tool.sim3d]\nignore = []\n")
    assert shapes("pack", cwd=tmp_path).exit_code == 0
    (tmp_path / "pyproject.toml").write_text("tool = 3\n")
    assert shapes("pack", cwd=tmp_path).exit_code == 0


@pytest.mark.parametrize("text", ["", "about = 'nothing'\n", "[[piece]]\nmesh = 'crate.stl'\n", "[tool]\n"])
def test_what_is_called_pack_toml_is_a_manifest_however_it_is_named(text: str, tmp_path: Path) -> None:
    write_mesh(tmp_path / "crate.stl", *crate())
    (tmp_path / "pack.toml").write_text(text)
    seen = [shapes(name, cwd=tmp_path) for name in ("pack.toml", ".")]
    assert [(done.exit_code, done.stdout) for done in seen] == [(2, "")] * 2
    assert seen[0].stderr == seen[1].stderr
    assert "key 'pack' is missing" in seen[0].stderr
    (tmp_path / "table.toml").write_text(text)
    assert "key 'pack' is missing" not in shapes("table.toml", cwd=tmp_path).stderr


@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_table_is_told_by_the_name_that_it_was_given(workers: str, tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "t.toml").write_text('[[piece]]\nmesh = "none.stl"\n')
    done = sim3d("validate", "deep/t.toml", "--workers", workers, cwd=tmp_path)
    assert done.exit_code == 2
    assert done.stderr.startswith("deep/t.toml:2 /piece/0/mesh: error FILE_MISSING")


@pytest.mark.parametrize("workers", ["0", "1"])
def test_of_a_scenario_the_table_is_looked_at(workers: str, tmp_path: Path) -> None:
    write_mesh(tmp_path / "crate.stl", *box((-40, -40, 0), (40, 40, 30)))
    text = '[[piece]]\nmesh = "crate.stl"\nat = [0, 0, 9]\n[[mini]]\nname = "m"\nbase = "27"\nat = [0, 0]\n'
    (tmp_path / "asks.toml").write_text(text + '[[step]]\nstand = "m"\n')
    done = sim3d("validate", "asks.toml", "--workers", workers, "--out", "reports", cwd=tmp_path)
    assert done.exit_code == 0
    assert "warning TABLE_PIECE_FLOATS: crate hangs 9.0 mm over the table" in done.stdout
    assert (tmp_path / "reports" / "report.html").is_file()
    (tmp_path / "asks.toml").write_text(text + '[[step]]\nstand = "n"\n')
    done = sim3d("validate", "asks.toml", "--workers", workers, cwd=tmp_path)
    assert done.stderr.startswith("asks.toml:9 /step/0/stand: error TABLE_UNKNOWN_NAME")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no file has such a name")
def test_reports_are_written_of_folders_and_tables_whose_names_are_no_text(tmp_path: Path) -> None:
    folder = tmp_path / "p\udcff"  # a byte that is no UTF-8
    folder.mkdir()
    write_mesh(folder / "crate.stl", *crate())
    (tmp_path / "t\udcff.toml").write_text(
        f"[table]\nsize = [90, 90]\n[[piece]]\nmesh = {str(ROOT / CRATE)!r}\nat = [9, 0]\n"
    )
    for what, first in (("p\udcff", "p?/crate.stl"), ("t\udcff.toml", "t?.toml")):
        done = shapes(what, "--out", "reports", cwd=tmp_path)
        assert len(list((tmp_path / "reports").iterdir())) == 8, done.exception
        results = json.loads((tmp_path / "reports" / "report.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
        assert unquote(results[-1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) == first
        shutil.rmtree(tmp_path / "reports")
    (tmp_path / "t\udcff.toml").write_text("foo = 3")
    assert shapes("t\udcff.toml", cwd=tmp_path).stderr.startswith("t?.toml:1 /foo: error")


def test_repairs_go_to_a_folder_of_their_own_and_are_listed(tmp_path: Path) -> None:
    written(tmp_path / "pack", crate=box((-30, -30, 5), (30, 30, 35)), good=crate())
    done = shapes("pack", "--fix", "fixed", cwd=tmp_path)
    assert done.exit_code == 0
    assert "crate.stl -> crate.stl: moved by -5.000 mm to stand on z = 0" in done.stderr
    assert "1 of 2 pieces have a repaired copy" in done.stderr
    listed = json.loads((tmp_path / "fixed" / "changes.json").read_text(encoding="utf-8"))
    assert [p["out"] for p in listed["pieces"]] == ["crate.stl", ""]
    again = shapes(
        "fixed", "--fail-on", "hint", "--ignore", "MANIFEST_MISSING", "--ignore", "UNIT_NOT_DECLARED", cwd=tmp_path
    )
    assert again.exit_code == 0
    assert shapes("pack", "--fix", "pack/inside", cwd=tmp_path).exit_code == 2


def test_init_writes_a_manifest_once(tmp_path: Path) -> None:
    written(tmp_path / "pack", None, crate=crate())
    assert sim3d("init", "pack", cwd=tmp_path).exit_code == 0
    again = sim3d("init", "pack", cwd=tmp_path)
    assert (again.exit_code, "--force" in again.stderr) == (2, True)
    assert sim3d("init", "pack", "--force", cwd=tmp_path).exit_code == 0
    assert sim3d("init", "nowhere", cwd=tmp_path).exit_code == 2
    assert shapes("pack", "--fail-on", "hint", cwd=tmp_path).exit_code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_run_that_is_killed_goes_on_and_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    written(tmp_path / "pack", **{f"dunes-{n:02}": dunes(100 + n) for n in range(12)})
    words = ["validate", "pack", "--no-standing", "--json"]
    whole = sim3d(*words, "--no-store", "--workers", "0", cwd=tmp_path)
    assert whole.exit_code == 0
    store = tmp_path / "kept" / "answers.sqlite"
    main = started(*words, "--store", "kept", "--workers", "1", cwd=tmp_path)
    until(lambda: main.poll() is not None or _kept(store) >= 2)
    main.send_signal(signal.SIGKILL)
    main.communicate()
    before = _kept(store)
    assert 2 <= before < 12
    assert sim3d(*words, "--store", "kept", "--workers", "2", cwd=tmp_path).stdout == whole.stdout
    assert _kept(store) == 12


def _kept(store: Path) -> int:
    if not store.exists():
        return 0
    opened = sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=10)
    try:
        return int(opened.execute("SELECT count(*) FROM answers2").fetchone()[0])
    except sqlite3.OperationalError:  # not made yet
        return 0
    finally:
        opened.close()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_ctrl_c_leaves_a_valid_report_of_what_was_done(tmp_path: Path) -> None:
    written(tmp_path / "pack", **{f"dunes-{n:02}": dunes(160 + n) for n in range(12)})
    words = ["validate", "pack", "--no-standing", "--workers", "1", "--json", "--store", "kept"]
    main = started(*words, cwd=tmp_path)
    until(lambda: main.poll() is not None or _kept(tmp_path / "kept" / "answers.sqlite") >= 2)
    assert main.poll() is None, "it was done before it could be stopped"
    main.send_signal(signal.SIGINT)
    text, _ = main.communicate(timeout=60)
    data = ValidationForm.model_validate_json(text)
    assert main.returncode == 1
    assert (data.interrupted, data.verdict, len(data.pieces)) == (True, "undecided", 12)
    words_seen = {p.verdict for p in data.pieces}
    assert words_seen == {"with warnings", "undecided"}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_twenty_pieces_get_twenty_verdicts_whatever_happens(tmp_path: Path) -> None:
    """A killed worker, one that hangs, junk, NaN and a large mesh."""
    folder = written(tmp_path / "pack", **{f"crate-{n:02}": crate(40 + n) for n in range(17)})
    (folder / "junk.stl").write_bytes(b"x")
    (folder / "nan.stl").write_bytes(defects()["nan.stl"])
    write_mesh(folder / "a-huge.stl", *dunes(100))
    words = ["validate", "pack", "--no-standing", "--no-store", "--workers", "2", "--json", "--timeout", "8"]
    main = started(*words, cwd=tmp_path)
    until(lambda: len(children(main.pid)) == 2)
    first, second = sorted(children(main.pid))
    os.kill(first, signal.SIGSTOP)  # it hangs
    os.kill(second, signal.SIGKILL)
    text, _ = main.communicate(timeout=100)
    data = ValidationForm.model_validate_json(text)
    verdicts = {p.name: p.verdict for p in data.pieces}
    assert len(verdicts) == 20
    assert (verdicts["junk"], verdicts["nan"]) == ("not valid", "not valid")
    hung = [p for p in data.pieces if p.verdict == "undecided"]
    # One hangs; on a machine so busy that another is late, that one is told to be late, too.
    assert hung
    assert {f.code for p in hung for f in p.findings} == {"WORK_TIMED_OUT"}
    sound = [name for name, word in verdicts.items() if word == "valid" and name.startswith("crate")]
    assert len(sound) + len([p for p in hung if p.name.startswith("crate")]) == 17
    assert json.loads(text)["counts"]["pieces"] == 20
