"""Who asks of a place hears what is doubtful about its meshes: on stderr, once, and the data is the same."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from sim3d.cli.saying import _Aside
from sim3d.mini import Base
from sim3d.report.doubting import doubts_of
from sim3d.report.standing import conversation
from sim3d.solid import read_solid
from sim3d.solid.boolean import box
from sim3d.solid.write import encode, write_mesh
from sim3d.table import Table, read_table
from tests.commands import sim3d

TABLE = '[table]\nsize = [600, 600]\n[[piece]]\nmesh = "crumb.stl"\n'
MINI = '[[mini]]\nname = "m"\nbase = "27"\nat = [0, 0]\n'
STEP = '[[step]]\nstand = "m"\nphysics = "never"\n'
CRUMB = "crumb.stl: warning MESH_TINY: its longest side is 0.08 mm"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(_Aside, "said", set())  # a run of its own
    crate = box((-40, -40, 0), (40, 40, 30))
    (tmp_path / "crumb.stl").write_bytes(encode(".stl", crate[0] / 1000, crate[1]))
    (tmp_path / "crate.stl").write_bytes(encode(".stl", *crate))
    (tmp_path / "junk.stl").write_bytes(encode(".stl", *crate) + b"junk")
    (tmp_path / "steps.toml").write_text(TABLE + MINI + STEP + STEP)
    (tmp_path / "scaled.toml").write_text(TABLE + "scale = 1000.0\n")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        "stand --mesh crumb.stl --base 27 --at 0,0 --physics never --json",
        "stand steps.toml m --physics never",
        "atlas crumb.stl --audit 0 --pitch 30",
        "run steps.toml ./steps.toml",
        "show crumb.stl --png a.png --size 64x64",
        "bake steps.toml --base hex40 --radius 0",
    ],
)
def test_a_crumb_is_told_once_beside_the_verdict(words: str, folder: Path) -> None:
    """A mesh in metres was "stable" to stand on, and nobody heard that it is 0.08 mm large."""
    done = sim3d(*words.split(), cwd=folder)
    assert done.exit_code in (0, 1), done.output
    assert [line for line in done.stderr.splitlines() if "warning" in line and CRUMB in line] != []
    assert done.stderr.count("MESH_TINY") == 1
    assert "MESH_TINY" not in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        "stand --mesh crate.stl --base inch.stl --at 0,0 --physics never",
        "stand based.toml m --at 0,0 --physics never",
        "atlas crate.stl --base 27 --base inch.stl --audit 0 --pitch 30",
        "show crate.stl --html a.html --base 27 --base inch.stl --pitch 20",
    ],
)
def test_a_base_of_another_unit_is_told_beside_the_verdict(words: str, folder: Path) -> None:
    """A base in inches was one of 2 mm, "stable"; said in inches nothing is doubtful about it."""
    corners, faces = Base.round(50.8).mesh(chord_mm=0.05)
    write_mesh(folder / "inch.stl", corners / 25.4, faces)
    based = '[[mini]]\nname = "m"\nbase = "inch.stl"\nat = [0, 0]\n'
    (folder / "based.toml").write_text(based)
    done = sim3d(*words.split(), cwd=folder)
    assert "inch.stl: warning MESH_TINY: its longest side is 2 mm" in done.stderr
    (folder / "based.toml").write_text(based + 'base_unit = "in"\n')
    said = [] if "based.toml" in words else ["--base-unit", "in"]
    again = sim3d(*words.split(), *said, cwd=folder)
    assert (again.exit_code, again.stderr.replace("wrote a.html\n", "")) == (0, "")


def test_a_base_is_read_once_and_again_when_its_file_changes(folder: Path) -> None:
    def asked() -> Iterator[bytes]:
        for wide in (20, 20, 30):
            if wide != 20 or not (folder / "base.stl").exists():
                write_mesh(folder / "base.stl", *Base.round(wide).mesh(chord_mm=0.05 if wide == 20 else 0.01))
            yield b'{"mesh": "crate.stl", "base": "base.stl", "at": [0, 0], "physics": "never"}\n'

    told: list[Table | Base] = []
    lines = asked()
    with chdir(folder):
        list(conversation(_Read(lines), told.append))  # type: ignore[arg-type]
    assert [one.outline.width_mm for one in told if isinstance(one, Base)] == pytest.approx([20, 30], abs=0.1)


class _Read:
    """An input whose lines are made when they are read."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        self.lines = lines

    def readline(self, most: int) -> bytes:
        """The next line, nothing at the end."""
        return next(self.lines, b"")[:most]


def test_a_conversation_is_told_once_per_table(folder: Path) -> None:
    asked = b'{"mesh": "junk.stl", "base": "27", "at": [0, 0], "physics": "never"}\n'
    told: list[Table | Base] = []
    with chdir(folder):
        answers = list(conversation(io.BytesIO(asked * 3), told.append))
    assert [answer[:29] for answer in answers] == ['{"id": null, "answer": "stabl'] * 3
    assert [[f.code for f in doubts_of(table)] for table in told] == [["STL_TRAILING_BYTES"]]


def test_nothing_is_doubtful_about_a_sound_mesh_or_one_whose_scale_was_said(folder: Path) -> None:
    crate = read_solid(folder / "crate.stl")
    assert doubts_of(Table.of(crate)) == ()
    assert doubts_of(read_table(folder / "scaled.toml")) == ()
    assert len(doubts_of(Table.of(*[read_solid(folder / "junk.stl")] * 2))) == 1
