"""What a command reads it never writes over: exit code 2 before any work, and the file is as it was."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from sim3d.cli.apart import read_by
from sim3d.pack import CHANGES, fix, read_pack
from sim3d.pack.judging import How
from sim3d.report import validating
from sim3d.solid.boolean import box
from sim3d.solid.write import write_mesh
from sim3d.spread import spread
from tests.commands import sim3d
from tests.packs import crate, written

TABLE = '[table]\nsize = [200, 200]\n[[piece]]\nmesh = "crate.stl"\n'
ASKS = TABLE + '[[mini]]\nname = "m"\nbase = "27.stl"\nat = [0, 0]\n[[step]]\nstand = "m"\n'
BAKES = TABLE + '[hexes]\nsize = 50\nradius = 0\nbake = { base = "hex70", height = 40, field = "field.json" }\n'
BASE_FILE = Path(__file__).parent.parent / "meshes" / "bases" / "27.stl"
LOW = box((-30, -30, 5), (30, 30, 35))  # a piece that --fix puts down


def contents(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("apart")
    for name in ("crate.stl", "crate.glb", "crate-27.glb", "crate-1.glb"):
        write_mesh(folder / name, *crate())
    (folder / "27.stl").write_bytes(BASE_FILE.read_bytes())
    for name, text in (("t.toml", TABLE), ("asks.toml", ASKS), ("bakes.toml", BAKES), ("report.json", "{}")):
        (folder / name).write_text(text)
    (folder / "link.png").symlink_to("crate.stl")
    os.link(folder / "crate.stl", folder / "hard.html")
    written(folder / "pk", crate=crate())
    (folder / "pyproject.toml").write_text('[tool.sim3d]\nbaseline = "known.json"\n')
    return folder


@pytest.mark.parametrize(
    ("words", "file"),
    [
        ("bake t.toml --base hex70 --radius 0 --out t.toml", "t.toml"),
        ("bake t.toml --base hex70 --radius 0 --out crate.stl", "crate.stl"),
        ("bake bakes.toml --png crate.stl", "crate.stl"),
        ("atlas crate.glb -o crate.glb", "crate.glb"),
        ("atlas crate-27.glb --base 27 --base 50 -o crate.glb", "crate-27.glb"),
        ("atlas crate-1.glb --turn 0 --turn 45 -o crate.glb", "crate-1.glb"),
        ("run asks.toml --junit asks.toml", "asks.toml"),
        ("run asks.toml --junit crate.stl", "crate.stl"),
        ("run asks.toml --record 27.stl", "27.stl"),
        ("run . --junit asks.toml", "asks.toml"),
        ("show t.toml --html t.toml", "t.toml"),
        ("show t.toml --glb crate.stl", "crate.stl"),
        ("show crate.stl --png link.png", "link.png"),
        ("show crate.stl --html hard.html", "hard.html"),
        ("show t.toml --html 27.stl --base 27.stl", "27.stl"),
        ("validate pk --write-baseline pk/pack.toml", "pk/pack.toml"),
        ("validate pk --write-baseline pk/crate.stl", "pk/crate.stl"),
        ("validate pk/pack.toml --write-baseline pk/crate.stl", "pk/crate.stl"),
        ("validate pk --write-baseline pyproject.toml", "pyproject.toml"),
        ("validate t.toml --write-baseline t.toml", "t.toml"),
        ("validate t.toml --write-baseline crate.stl", "crate.stl"),
        ("validate report.json --out .", "report.json"),
        ("validate pk --baseline report.json --out .", "report.json"),
    ],
)
def test_what_is_read_is_not_written_over(words: str, file: str, folder: Path) -> None:
    before = contents(folder)
    done = sim3d(*words.split(), cwd=folder)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{file} is what is read; it would be overwritten" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert contents(folder) == before


def test_what_is_only_named_alike_is_written(folder: Path) -> None:
    """Near misses: a file of that name elsewhere, a baseline that is told anew, a field that is baked again."""
    (folder / "out").mkdir()
    write_mesh(folder / "out" / "crate.glb", *crate())
    done = sim3d(*["atlas", "crate.glb", "--pitch", "20", "--audit", "0", "-o", "out/crate.glb"], cwd=folder)
    assert done.exit_code == 0
    words = ["validate", "pk", "--no-standing", "--no-store", "--workers", "0", "--write-baseline", "known.json"]
    (folder / "known.json").write_text('{"version": 1, "known": []}')
    assert sim3d(*words, cwd=folder).exit_code == 0
    assert sim3d(*words, "--baseline", "known.json", cwd=folder).exit_code == 0
    for name in ("known.json", "pk/known.json"):
        assert sim3d(*words[:-1], name, cwd=folder).exit_code == 0
    for _ in range(2):
        done = sim3d("bake", "bakes.toml", "--out", "field.json", cwd=folder)
        assert "wrote field.json" in done.stderr, done.stderr


def test_a_layer_of_a_map_takes_no_other_maps_place(tmp_path: Path) -> None:
    write_mesh(tmp_path / "crate.stl", *crate())
    words = ["atlas", "crate.stl", "--pitch", "20", "--audit", "0"]
    before = contents(tmp_path)
    for more in (
        ["--turn", "0", "--turn", "45", "-o", "map.png", "-o", "map-1.png"],
        ["--levels", "-o", "map-1.glb", "-o", "map.glb"],
    ):
        done = sim3d(*words, *more, cwd=tmp_path)
        assert (done.exit_code, done.stdout) == (2, "")
        assert "a layer of map" in done.stderr
        assert "give one of the two another name" in done.stderr
        assert contents(tmp_path) == before
    for more in (
        ["-o", "map.png", "-o", "map-1.png"],  # it has one layer
        ["--turn", "0", "--turn", "45", "-o", "map.png", "-o", "map-2.png", "-o", "map-1.csv", "-o", "map-01.png"],
    ):
        assert sim3d(*words, *more, cwd=tmp_path).exit_code == 0


def test_a_buffer_is_read_by_whatever_name_its_address_has(tmp_path: Path) -> None:
    (tmp_path / "my mesh.bin").write_bytes(b"x")
    (tmp_path / "a.gltf").write_text('{"buffers": [{"uri": "my%20mesh.bin"}, {"uri": "data:,' + "x" * 9999 + '"}]}')
    assert [p.name for p in read_by([tmp_path / "a.gltf"])] == ["a.gltf", "my mesh.bin"]


# --- repairs ----------------------------------------------------------------------------------------------------------

FIX = ["validate", "pk", "--no-standing", "--no-store", "--workers", "0", "--fix"]


@pytest.mark.parametrize("name", ["crate.stl", CHANGES, "good.stl"])
def test_repairs_replace_no_file_that_is_no_copy(name: str, tmp_path: Path) -> None:
    written(tmp_path / "pk", crate=LOW, good=crate())
    (tmp_path / name).write_text("mine")
    before = contents(tmp_path)
    done = sim3d(*FIX, ".", "--out", "reports", cwd=tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{name} is no copy that --fix made; it would be overwritten" in done.stderr
    assert contents(tmp_path) == before
    with pytest.raises(ValueError, match="would be overwritten"):
        fix(read_pack(tmp_path / "pk"), tmp_path)


def test_repairs_replace_their_own_copies(tmp_path: Path) -> None:
    written(tmp_path / "pk", crate=LOW, other=LOW)
    for words in ([], [], ["--piece", "crate"], ["--piece", "other"], []):
        assert sim3d(*FIX, "fixed", *words, cwd=tmp_path).exit_code == 0
        listed = json.loads((tmp_path / "fixed" / CHANGES).read_text())["pieces"]
        assert sorted(p["out"] for p in listed) == ["crate.stl", "other.stl"]
    write_mesh(tmp_path / "pk" / "crate.stl", *crate())  # repaired at its source: its copy stays, and stays known
    for _ in range(2):
        assert sim3d(*FIX, "fixed", cwd=tmp_path).exit_code == 0


def test_repairs_do_not_follow_a_link_into_the_pack(tmp_path: Path) -> None:
    written(tmp_path / "pk", crate=crate())
    (tmp_path / "pk" / "deep").mkdir()
    write_mesh(tmp_path / "pk" / "deep" / "low.obj", *LOW)
    (tmp_path / "fixed").mkdir()
    (tmp_path / "fixed" / "deep").symlink_to(tmp_path / "pk")
    done = sim3d(*FIX, "fixed", cwd=tmp_path)
    assert (done.exit_code, "leads into the pack's own folder" in done.stderr) == (2, True)


def test_where_repairs_cannot_go_is_said_before_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "pk", crate=LOW)
    (tmp_path / "t.toml").write_text('[[piece]]\nmesh = "pk/crate.stl"\n')
    monkeypatch.setattr(validating, "validated", lambda *_, **__: pytest.fail("it was looked at"))
    inside = sim3d(*FIX, "pk/inside", cwd=tmp_path)
    assert (inside.exit_code, "somewhere else" in inside.stderr) == (2, True)
    of_table = sim3d("validate", "t.toml", "--fix", "fixed", cwd=tmp_path)
    assert (of_table.exit_code, "--fix is for packs, and t.toml is a table" in of_table.stderr) == (2, True)


def test_a_run_that_was_stopped_repairs_nothing_and_knows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object, **__: object) -> Any:
        raise KeyboardInterrupt
        yield

    written(tmp_path / "pk", crate=LOW)
    monkeypatch.setattr("sim3d.pack.judging.spread", stopped)
    done = sim3d(*FIX, "fixed", "--write-baseline", "known.json", "--out", "reports", cwd=tmp_path)
    assert done.exit_code == 1
    assert "so --write-baseline and --fix did nothing; run the same command again" in done.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["pk", "reports"]


def test_copies_are_listed_also_where_repairing_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(tasks: Any, **how: Any) -> Any:
        yield next(spread(tasks, **how))
        raise KeyboardInterrupt

    pack = read_pack(written(tmp_path / "pk", crate=LOW, other=LOW))
    with monkeypatch.context() as stopping:
        stopping.setattr("sim3d.pack.mending.spread", half)
        with pytest.raises(KeyboardInterrupt):
            fix(pack, tmp_path / "fixed", how=How(workers=0))
    assert [one.out for one in fix(pack, tmp_path / "fixed")] == ["crate.stl", "other.stl"]


def test_a_base_under_two_of_its_names_has_one_map(tmp_path: Path) -> None:
    write_mesh(tmp_path / "crate.stl", *crate())
    words = ["atlas", "crate.stl", "--pitch", "20", "--audit", "0"]
    done = sim3d(*words, "--base", "27", "--base", "round27", "-o", "map.csv", cwd=tmp_path)
    assert (done.exit_code, done.stdout.count("base 27:")) == (0, 1)
    assert {path.name for path in tmp_path.iterdir()} == {"crate.stl", "map.csv"}
    done = sim3d(*words, "--base", "27", "--base", "round28", "-o", "two.csv", cwd=tmp_path)
    assert done.exit_code == 0
    assert {path.name for path in tmp_path.glob("two*")} == {"two-27.csv", "two-round28.csv"}
