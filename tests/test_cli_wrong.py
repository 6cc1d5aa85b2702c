"""What people type by mistake: one line that says what is wrong and what to do, exit code 2, at once."""

from __future__ import annotations

import io
import json
from contextlib import chdir
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sim3d.cli import app, main
from sim3d.report.standing import conversation
from sim3d.solid.boolean import box
from sim3d.solid.write import write_mesh

STAND = "stand --mesh crate.stl --base 27 --at 0,0"
ATLAS = "atlas crate.stl --pitch 40 --audit 0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    write_mesh(folder / "crate.stl", *box((-40, -40, 0), (40, 40, 30)))
    write_mesh(folder / "crate.obj", *box((-40, -40, 0), (40, 40, 30)))
    (folder / "none").mkdir()
    (folder / "empty.toml").touch()
    return folder


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("stand crate.stl --base 27 --at 0,0", "is a mesh by its name; to stand on it say --mesh crate.stl"),
        ("stand crate.obj scout", "is a mesh by its name; to stand on it say --mesh crate.obj"),
        ("run crate.stl", "is a mesh by its name; a scenario is wanted"),
        ("move crate.stl", "is a mesh by its name; a scenario is wanted"),
        ("bake crate.stl", "is a mesh by its name; a scenario is wanted"),
        ("validate crate.stl", "is a mesh by its name; a pack is a folder of meshes"),
        ("init none", "no mesh is in none"),
        ("show none --png a.png", "PACK_EMPTY: no mesh is in the folder"),
        (f"{STAND} --base 27mm", "did you mean '27'?"),
        (f"{STAND} --friction nan", "--friction: not a number that can be used"),
        (f"{STAND} --at nan,0", "--at: not a number that can be used"),
        (f"{STAND} --level inf", "--level: not a number that can be used"),
        (f"{ATLAS} --pitch -1", "--pitch is over 0 and at most 1000 mm, not -1"),
        (f"{ATLAS} --pitch nan", "--pitch is over 0 and at most 1000 mm, not nan"),
        (f"{ATLAS} --threads 0", "--threads is from 1 to 256, not 0"),
        # said before anything is computed, not after
        (f"{ATLAS} -o crate.stl/map.png", "cannot write crate.stl/map.png: crate.stl is not a folder"),
        (f"{ATLAS} -o none/.", "a map is written as .npz, .glb, .png, .csv or .html"),
        ("show crate.stl --png none", "cannot write none: it is a folder"),
        ("show crate.stl --png picture.jpg", "let its name end in .png"),
        ("show crate.stl --html none", "cannot write none: it is a folder"),
        ("validate none --write-baseline crate.stl/known.json", "crate.stl is not a folder"),
        ("validate none --baseline crate.stl", "not a baseline file: it is not text"),
        ("demo --png crate.stl/demo.png", "crate.stl is not a folder"),
    ],
)
def test_a_mistake_is_told_in_a_line(words: str, told: str, folder: Path) -> None:
    with chdir(folder):
        done = CliRunner().invoke(app, words.split())
    assert isinstance(done.exception, SystemExit), done.exception
    assert (done.exit_code, done.stdout) == (2, "")
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_closed_input_asks_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", None)
    monkeypatch.setattr("sys.argv", ["sim3d", "stand", "--stdin"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert "there is none" in capsys.readouterr().err


def test_a_line_that_is_no_text_has_an_answer_in_words() -> None:
    (line,) = conversation(io.BytesIO(b"\xff\xfe\n"))
    assert json.loads(line)["error"] == "it is not text in UTF-8 (byte 0)"


def test_a_base_of_no_width_is_not_proposed(folder: Path) -> None:
    with chdir(folder):
        done = CliRunner().invoke(app, [*STAND.split(), "--base", "0"])
    assert done.exit_code == 2
    assert "round0" not in done.stderr


def test_a_table_file_with_nothing_in_it_is_not_valid(folder: Path) -> None:
    with chdir(folder):
        done = CliRunner().invoke(app, ["validate", "empty.toml", "--workers", "0"])
    assert done.exit_code == 1
    assert "TABLE_EMPTY" in done.stdout
