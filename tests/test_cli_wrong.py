"""What people type by mistake: one line that says what is wrong and what to do, exit code 2, at once."""

from __future__ import annotations

import errno
import io
import json
import os
import shutil
import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from sim3d.__main__ import main as whole
from sim3d.cli import main
from sim3d.report.standing import conversation
from sim3d.report.validating import files_of
from sim3d.solid.boolean import box
from sim3d.solid.write import write_mesh
from sim3d.stopping import stopped
from tests.commands import sim3d

BASE_FILE = Path(__file__).parent.parent / "meshes" / "bases" / "27.stl"
STAND = "stand --mesh crate.stl --base 27 --at 0,0"
ATLAS = "atlas crate.stl --pitch 40 --audit 0"


ASKS = '[[mini]]\nname = "m"\nbase = "27"\nat = [0, 0]\n[[step]]\nstand = "m"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wrong")
    write_mesh(folder / "crate.stl", *box((-40, -40, 0), (40, 40, 30)))
    write_mesh(folder / "crate.obj", *box((-40, -40, 0), (40, 40, 30)))
    (folder / "none").mkdir()
    (folder / "pack.zip").touch()
    (folder / "asks.toml").write_text(ASKS)
    (folder / "alone.toml").write_text(ASKS.partition("[[step]]")[0])
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
        *(
            (f"{verb} {more}", " is a pack's manifest: `sim3d validate` looks a pack over")
            for verb, more in (
                ("stand", "pack.toml scout"),
                ("atlas", "pack.toml"),
                ("run", "asks.toml pack/pack.toml"),
                ("move", "pack.toml"),
                ("bake", "Pack.toml"),
                ("show", "pack.toml --png a.png"),
            )
        ),
        *(
            (f"show none --png a.png {said}", f"{said.split()[0]} is of a table or a mesh, and none is a pack's folder")
            for said in ("--step 1", "--size 300x200", "--plan", "--azimuth 9", "--elevation 9", "--physics never")
        ),
        ("show asks.toml --glb a.glb --azimuth 9", "--azimuth is of a picture: add --png; it would have no effect"),
        ("show asks.toml --html a.html --elevation 9", "--elevation is of a picture: add --png"),
        ("validate pack.zip", "pack.zip is an archive: unpack it, and name the folder that comes of it"),
        ("init none", "no mesh is in none"),
        (f"{ATLAS} --turn 1e300", "--turn is from -3600 to 3600 degrees, not 1e+300"),
        (f"{ATLAS} --turn 0 --turn -3601", "--turn is from -3600 to 3600 degrees, not -3601"),
        ("bake empty.toml --turn 1e300", "--turn is from -3600 to 3600 degrees, not 1e+300"),
        ("show none --png a.png", "PACK_EMPTY: no mesh is in the folder"),
        ("stand --mesh crate.stl --at 0,0 --base 27mm", "did you mean '27'?"),
        ("stand --mesh cr\udcff.stl --base 27 --at 0,0", "cr?.stl: error FILE_MISSING: there is no such file"),
        (f"{STAND} --friction nan", "--friction: not a number that can be used"),
        ("stand --mesh crate.stl --base 27 --at nan,0", "--at: not a number that can be used"),
        (f"{STAND} --level inf", "--level: not a number that can be used"),
        ("atlas crate.stl --pitch -1", "--pitch is over 0 and at most 1000 mm, not -1"),
        ("atlas crate.stl --pitch nan", "--pitch is over 0 and at most 1000 mm, not nan"),
        (f"{ATLAS} --threads 0", "--threads is from 1 to 256, not 0"),
        # said before anything is computed, not after
        (f"{ATLAS} -o crate.stl/map.png", "cannot write crate.stl/map.png: crate.stl is not a folder"),
        (f"{ATLAS} -o none/.", "a map is written as .npz, .glb, .png, .csv or .html"),
        ("show crate.stl --png none", "cannot write none: it is a folder"),
        ("show crate.stl --png picture.jpg", "let its name end in .png"),
        ("show crate.stl --html none", "cannot write none: it is a folder"),
        ("validate none --write-baseline crate.stl/known.json", "crate.stl is not a folder"),
        # options that would have had no effect
        ("show crate.stl --step 1", "--step is of a picture: add --png or --gif; it would have no effect"),
        ("show crate.stl --html a.html --step 1", "--step is of a picture"),
        ("show crate.stl --glb a.glb --size 90x90", "--size is of a picture"),
        ("show crate.stl --png a.png --plan --azimuth 9", "--azimuth is of a picture at a slant, and --plan is one"),
        ("show crate.stl --png a.png --plan --elevation 9", "--elevation is of a picture at a slant"),
        ("show crate.stl --gif a.gif --plan", "--plan is of a picture: add --png; it would"),
        ("show crate.stl --png a.png --base 27", "--base is of the page: add --html; it would"),
        ("show crate.stl --pitch 3", "--pitch is of the page"),
        ("show crate.stl --png a.png --levels", "--levels is of the page"),
        ("show crate.stl --png a.png --reach Wardens", "--reach is of the page and the window: add --html; it would"),
        ("show crate.stl --html a.html --drop 3", "--drop is of the window: say no --png"),
        ("show crate.stl --png a.png --step 1", "no step 1: it has no step: leave it out, or say 0 for it as it is"),
        ("show asks.toml --png a.png --step 2", "no step 2: there are steps 1 to 1, and 0 as it is set up"),
        ("show asks.toml --gif a.gif --step 2", "nothing moves in 2: there are steps 1 to 1"),
        ("show alone.toml --html a.html --base 27", "--base: a table without pieces or size has no end: say its size"),
        ("bake asks.toml --pixels 90x90", "--pixels 90x90 is of a picture: say --png, too"),
        ("validate none --no-standing --audit 3", "--audit is of where bases stand, and --no-standing leaves that out"),
        ("validate none --no-standing --pitch 3", "--pitch is of where bases stand"),
        ("validate none --store kept --no-store", "--no-store keeps no answers, and --store kept says where"),
        ("validate none --only MESH_OPEN --ignore MESH_OPEN", "nothing would be heard; say one of them"),
        # names by which nobody could open them
        ("show crate.stl --gif a.mp4", "--gif a.mp4: let its name end in .gif, or in .png for full colour"),
        ("show crate.stl --html a.png", "--html a.png: a page is opened by its name; let it end in .html"),
        # two files where one is taken: the first was neither read nor written
        (f"{STAND} --mesh crate.obj", "--mesh is given 2 times, and takes one file: give it once"),
        (f"{STAND} --mesh=crate.stl --mesh crate.stl", "--mesh is given 3 times"),
        ("show crate.stl --png a.png --png b.png", "--png is given 2 times"),
        ("run asks.toml --junit a.xml --record b.toml --junit c.xml", "--junit is given 2 times"),
        ("validate none --out a --out b", "--out is given 2 times"),
        # two values where one is taken: the first was not heard
        (f"{STAND} --base 50", "--base is given 2 times, and takes one value: give it once"),
        (f"{STAND} --at 5,5", "--at is given 2 times, and takes one value"),
        ("validate none --workers 1 --workers 2", "--workers is given 2 times, and takes one value"),
        # a unit of what has none
        (f"{STAND} --base-unit in", "a unit or an axis is said of a base's mesh, and '27' is a base by its name"),
        (f"{ATLAS} --base-up y", "a unit or an axis is said of a base's mesh, and '27' is a base by its name"),
        (f"{STAND} --base-unit parsec", "--base-unit parsec: not a unit that is understood; use micron"),
        (f"{ATLAS} --base-up x", "--base-up x: the axis that points up is z or y"),
        ("show crate.stl --png a.png --base-unit in", "--base-unit is of the page: add --html; it would"),
        ("show crate.stl --html a.html --base 27 --base-up y", "'27' is a base by its name"),
        ("show asks.toml --png a.png --unit in", "--unit and --up are said of a mesh; a table file says its own"),
        ("show crate.stl --png a.png --unit parsec", "--unit parsec: not a unit that is understood"),
        # two things of one name: the second took the first one's place
        (f"{ATLAS} -o map.png -o ./map.png", "two things would be written to map.png"),
        (
            f"{ATLAS} --base 27 --base 50 -o map.csv -o none/../map.csv",
            "two things would be written to none/../map-27.csv",
        ),
        (
            "show crate.stl --png a.png --html a.png",
            "two things would be written to a.png: give each a name of its own",
        ),
        ("show crate.stl --glb a.stl", "--glb a.stl: let its name end in .glb"),
        ("bake empty.toml --out a.png --png a.png", "two things would be written to a.png"),
        ("run asks.toml --junit a.xml --record a.xml", "two things would be written to a.xml"),
        (
            "validate none --out made --write-baseline made/report.json",
            "two things would be written to made/report.json",
        ),
        ("demo --png made/report.html --out made", "two things would be written to made/report.html"),
        ("validate none --json --format csv", "--json prints JSON, and --format csv something else: say one of them"),
        ("validate none --baseline crate.stl", "not a baseline file: it is not text"),
        (
            "validate none --baseline asks.toml",
            "not a baseline file: Expecting value: line 1 column 3 (char 2); --write-baseline makes one",
        ),
        ("demo --png crate.stl/demo.png", "crate.stl is not a folder"),
        ("bake none", "none: error FORM_UNREADABLE: it is a folder, not a file"),
        # names by which nobody would find or read again what is written
        ("bake asks.toml --png board.jpg", "--png board.jpg: a picture is a PNG; let its name end in .png"),
        ("demo --png demo.jpg", "--png demo.jpg: a picture is a PNG; let its name end in .png"),
        ("run asks.toml --record again.json", "what was played is a TOML file; let its name end in .toml"),
        ("run asks.toml --junit -", "cannot write -: it names no file; the output is /dev/stdout"),
        ("bake asks.toml --out -", "cannot write -: it names no file; the output is /dev/stdout"),
        # of a table there is one look, at all of it
        ("validate asks.toml --piece nonsense", "--piece is for packs: asks.toml is a table"),
        ("validate asks.toml --pitch 3", "--pitch is for packs: asks.toml is a table"),
        ("validate asks.toml --audit 5", "--audit is for packs: asks.toml is a table"),
        ("validate asks.toml --scheduler tcp://127.0.0.1:9", "--scheduler is for packs: asks.toml is a table"),
        (
            "validate none --workers 2 --scheduler tcp://127.0.0.1:9",
            "on this machine, and --scheduler tcp://127.0.0.1:9",
        ),
        ("validate asks.toml --store kept", "--store is for packs: asks.toml is a table"),
    ],
)
def test_a_mistake_is_told_in_a_line(words: str, told: str, folder: Path) -> None:
    done = sim3d(*words.split(), cwd=folder)
    assert isinstance(done.exception, SystemExit), done.exception
    assert (done.exit_code, done.stdout) == (2, "")
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_page_of_a_table_without_an_end_has_no_map(folder: Path, tmp_path: Path) -> None:
    for name in ("alone.toml", "empty.toml"):
        done = sim3d("show", str(folder / name), "--html", str(tmp_path / "page.html"))
        assert done.exit_code == 0, done.stderr
        assert "</html>" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_one_file_that_may_not_be_read_keeps_no_other_back(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    done = sim3d("inspect", "gone.stl", "crate.stl", cwd=folder)
    assert (done.exit_code, "2 files: 1 cannot be trusted" in done.stdout) == (2, True), done.stderr


def test_a_folder_that_is_closed_is_told_as_that(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(path: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr("os.scandir", closed)
    done = sim3d("run", str(folder / "none"))
    assert (done.exit_code, "the system says: Permission denied" in done.stdout) == (2, True), done.stderr


def test_help_is_there_whatever_else_is_said() -> None:
    for words in (["stand", "--help"], ["stand", "--mesh", "a.stl", "-h"], ["run", "-h"]):
        done = sim3d(*words)
        assert (done.exit_code, "Usage" in done.stdout) == (0, True), done.stderr


@pytest.mark.parametrize(("more", "bases"), [((), ["27"]), (("--no-standing",), [])])
def test_of_a_table_without_standing_no_base_is_asked(
    more: tuple[str, ...], bases: list[str], folder: Path, tmp_path: Path
) -> None:
    table = tmp_path / "crate.toml"
    table.write_text('[table]\nsize = [200, 200]\n[[piece]]\nmesh = "crate.stl"\n')
    shutil.copy(folder / "crate.stl", tmp_path)
    done = sim3d("validate", table.name, "--base", "27", "--workers", "0", "--json", *more, cwd=tmp_path)
    assert json.loads(done.stdout)["bases"] == bases, done.stderr


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


def test_after_a_fault_of_ours_the_next_request_is_answered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setattr("sim3d.report.standing.Desk.ask", broken)
    lines = list(conversation(io.BytesIO(b'{"id": 1, "mesh": "a.stl", "at": [0, 0]}\n' * 2)))
    for line in lines:
        assert json.loads(line)["error"].endswith("please report it: IndexError: list index out of range")
    assert len(lines) == 2
    assert "Traceback" in capsys.readouterr().err


def test_a_request_that_is_cut_off_is_cut_off_in_its_own_line() -> None:
    for end in (b"", b"\n", b"\r\n"):
        (line,) = conversation(io.BytesIO(b'{"mesh": "a.stl"' + end))
        assert "(column 17)" in json.loads(line)["error"]


def test_a_mark_at_the_beginning_is_no_part_of_the_first_request() -> None:
    mark = b"\xef\xbb\xbf"
    first, second = conversation(io.BytesIO(mark + b'{"id": 1}\n' + mark + b'{"id": 2}\n'))
    assert json.loads(first) == {"id": 1, "error": "say mesh or table, one of them"}
    assert json.loads(second)["id"] is None
    assert list(conversation(io.BytesIO(mark + b"\n"))) == []


@pytest.mark.parametrize(("more", "told"), [({}, "on the table"), ({"base": "27", "mini": "m"}, "the table, not both")])
def test_a_base_or_a_mini_is_said(more: dict[str, str], told: str) -> None:
    (line,) = conversation(io.BytesIO(json.dumps({"mesh": "a.stl", "at": [0, 0], **more}).encode()))
    assert json.loads(line)["error"].endswith(told)


def test_one_cell_is_one_cell(folder: Path) -> None:
    done = sim3d("atlas", "crate.stl", "--pitch", "500", "--audit", "0", cwd=folder)
    assert done.stdout.startswith("base 27: 1 cell of 500 mm\n")


def test_a_base_of_no_width_is_not_proposed(folder: Path) -> None:
    done = sim3d(*STAND.split(), "--base", "0", cwd=folder)
    assert done.exit_code == 2
    assert "round0" not in done.stderr


def test_a_table_file_with_nothing_in_it_is_not_valid(folder: Path) -> None:
    done = sim3d("validate", "empty.toml", "--workers", "0", cwd=folder)
    assert done.exit_code == 1
    assert "TABLE_EMPTY" in done.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["validate", ""], "the name of a file or folder is empty; for the folder you are in say ."),
        (["run", ""], "the name of a file or folder is empty"),
        (["init", ""], "the name of a file or folder is empty"),
        (["validate", "none", "--out", ""], "the name of a file or folder is empty"),
        (["validate", "none", "--fix", ""], "the name of a file or folder is empty"),
        (["validate", "none", "--store", ""], "the name of a file or folder is empty"),
        ([*ATLAS.split(), "--friction", "nan"], "--friction: not a number that can be used"),
        ([*ATLAS.split(), "--turn", "inf"], "--turn: not a number that can be used"),
        ([*ATLAS.split(), "--friction", "10.01"], "friction is a number from 0 to 10, got 10.01"),
        ([*STAND.split(), "--friction", "10.01", "--physics", "never"], "from 0 to 10, got 10.01"),
        # said before anything is computed, not after
        (["validate", "none", "--out", "crate.stl"], "cannot write into crate.stl: it is not a folder"),
        (["validate", "none", "--fix", "crate.stl"], "cannot write into crate.stl: it is not a folder"),
        (["demo", "--out", "crate.stl"], "cannot write into crate.stl: it is not a folder"),
        (["run", "asks.toml", "--junit", "none"], "cannot write none: it is a folder"),
        (["run", "asks.toml", "--record", "none"], "cannot write none: it is a folder"),
        (["bake", "empty.toml", "--out", "none"], "cannot write none: it is a folder"),
        (["bake", "empty.toml", "--png", "none"], "cannot write none: it is a folder"),
        (["run", "nothing\x1b[2J\n::error::x"], "no scenario"),
    ],
)
def test_a_mistake_of_another_kind_is_told_in_a_line(words: list[str], told: str, folder: Path) -> None:
    done = sim3d(*words, cwd=folder)
    assert isinstance(done.exception, SystemExit), done.exception
    said = done.stderr or done.stdout
    assert done.exit_code == 2
    if told != "no scenario":
        assert done.stdout == ""
        assert told in said
        assert len(said.splitlines()) == 1
    assert "\x1b" not in done.output
    assert "\n::" not in "\n" + done.output


@pytest.mark.parametrize("verb", ["inspect", "run", "show"])
def test_a_name_gives_no_orders_to_who_prints_it(verb: str, tmp_path: Path) -> None:
    for name in ("a\n::error::b\x1b[2J.stl", "::error::c.stl", "##vso[task]d.stl"):
        name = name.replace(".stl", ".toml") if verb != "inspect" else name
        (tmp_path / name).write_text("nothing")
        done = sim3d(verb, name, cwd=tmp_path)
        assert done.exit_code == 2
        assert "a?" in done.output or "error" in done.output
        assert not {"\x1b"} & set(done.output)
        assert not any(line.lstrip().startswith("::") or "##" in line for line in done.output.splitlines())


def test_inspect_tells_the_line_of_a_finding(tmp_path: Path) -> None:
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nw 1 2 3\n")
    done = sim3d("inspect", str(tmp_path / "a.obj"))
    assert "error OBJ_UNKNOWN_WORD: line 3: a line begins with 'w'" in done.stdout


def test_maps_of_bases_have_files_of_their_own(folder: Path) -> None:
    """A base has one map however often and by whatever of its names it is asked for; files of one name have two."""
    again = folder / "none" / BASE_FILE.name
    again.write_bytes(BASE_FILE.read_bytes())
    asked = [*ATLAS.split(), "--base", "50", "--base", str(BASE_FILE), "--base", "50", "--base", str(again)]
    done = sim3d(*asked, "--base", "round50", "-o", "none/map.csv", cwd=folder)
    again.unlink()
    assert done.exit_code == 0, done.output
    made = sorted(path.name for path in (folder / "none").glob("map*"))
    (folder / "none").joinpath("map-50.csv").read_text()
    assert made == ["map-27.stl-2.csv", "map-27.stl.csv", "map-50.csv"]


def test_a_full_disk_is_told_as_one(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """Of a map's text on stdout it was an "[Errno 28]"."""

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("sys.argv", ["sim3d", *ATLAS.split()])
    monkeypatch.setattr("sim3d.cli.standing.tell", full)
    with chdir(folder), pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith("sim3d: the system says: No space left on device\n")


@pytest.mark.parametrize("full", [(), ("report.txt",), ("known.json", "report.json", "report.html")])
def test_one_report_that_cannot_be_written_keeps_no_other_back(
    full: tuple[str, ...], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`validate --out` stopped at the first: nobody got the others, and nobody was told of them."""
    from sim3d.keep import keep

    def kept(path: Path, data: bytes) -> None:
        if path.name in full:
            raise OSError(errno.ENOSPC, "No space left on device")
        keep(path, data)

    monkeypatch.setattr("sim3d.keep.keep", kept)
    words = ["validate", "empty.toml", "--workers", "0", "--no-store", "--write-baseline", str(tmp_path / "known.json")]
    done = sim3d(*words, "--out", str(tmp_path), cwd=folder)
    assert done.exit_code == (2 if full else 1), done.output  # an empty table is a no
    assert done.output.count("cannot write") == len(full)
    for name in full:
        assert f"cannot write {tmp_path / name}: No space left on device" in done.output
    every = {"known.json", *(path.name for path in files_of(tmp_path))}
    assert {path.name for path in tmp_path.iterdir()} == every - {*full}
    assert all(f"wrote {tmp_path / name}" in done.output for name in every - {*full})


@pytest.mark.parametrize(
    ("words", "files"),
    [
        (ATLAS, ["m.csv", "m.html", "m.npz"]),
        (
            "show crate.stl --html m.html --glb m.glb --png m.png --size 160x100 --pitch 20",
            ["m.html", "m.glb", "m.png"],
        ),
    ],
)
@pytest.mark.parametrize("full", [0, 1, 2])
def test_one_file_that_cannot_be_written_keeps_no_other_back(
    words: str, files: list[str], full: int, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A map that had taken minutes was lost, for the file named before it had no room."""
    from sim3d.keep import keep

    def kept(path: Path, data: bytes) -> None:
        if path.name == files[full]:
            raise OSError(errno.ENOSPC, "No space left on device")
        keep(path, data)

    monkeypatch.setattr("sim3d.keep.keep", kept)
    asked = [str(tmp_path / word) if word in files else word for word in words.split()]
    asked += [part for name in files for part in ("-o", str(tmp_path / name))] if words == ATLAS else []
    done = sim3d(*asked, cwd=folder)
    assert done.exit_code == 2, done.output
    assert f"cannot write {tmp_path / files[full]}: No space left on device" in done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(name for name in files if name != files[full])


@pytest.mark.parametrize("where", ["verb", "loop"])
def test_who_is_stopped_says_so_in_a_line(where: str, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    def ended(*_: object, **__: object) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as stop:
            if where == "verb":
                raise
            raise SystemError("<function> returned a result with an exception set") from stop

    monkeypatch.setattr("sim3d.report.inspection.inspected", ended)
    monkeypatch.setattr("sys.argv", ["sim3d", "inspect", "crate.stl"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 130
    assert capsys.readouterr().err.strip().splitlines() == ["sim3d: stopped before it was done (Ctrl-C)"]


def test_who_is_stopped_while_it_begins_says_so_too(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    def ended() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sim3d.cli.main", ended)
    with pytest.raises(SystemExit) as end:
        whole()
    assert end.value.code == 130
    assert capsys.readouterr().err == "sim3d: stopped before it was done (Ctrl-C)\n"


def test_an_error_that_is_no_stop_goes_on() -> None:
    with pytest.raises(SystemError, match="broken"):
        stopped(SystemError("broken"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_run_never_waits_for_a_pipe_nor_reads_what_has_no_end(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.toml")
    (tmp_path / "zero.toml").symlink_to("/dev/zero")
    with (tmp_path / "sparse.toml").open("wb") as file:
        file.truncate(3_000_000_000)
    for name in ("pipe.toml", "zero.toml", "sparse.toml"):
        done = sim3d("run", str(tmp_path / name))
        assert done.exit_code == 2
        assert "FORM_UNREADABLE" in done.output


@pytest.mark.skipif(sys.platform == "win32", reason="a folder that somebody is in stays there")
def test_a_folder_that_is_gone_is_told_as_that(tmp_path: Path) -> None:
    """Of a name within it, it was said that there is no such file, without the name."""
    gone = tmp_path / "gone"
    gone.mkdir()
    code = "import os, sys; os.rmdir(sys.argv[1]); sys.argv[1:] = sys.argv[2:]; from sim3d.cli import main; main()"
    words = [sys.executable, "-c", code, str(gone), "validate", "."]
    done = subprocess.run(words, cwd=gone, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the folder that you are in is no longer there: go to another" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_that_lead_to_each_other_are_told(tmp_path: Path) -> None:
    """`validate` fell over them with a traceback, of a pack or where copies go."""
    for name, other in (("a.toml", "b.toml"), ("b.toml", "a.toml"), ("to", "fro"), ("fro", "to")):
        (tmp_path / name).symlink_to(other)
    (tmp_path / "pack").mkdir()
    write_mesh(tmp_path / "pack" / "crate.stl", *box((-40, -40, 5), (40, 40, 30)))  # to be put on the ground
    for words, told in (
        ("validate a.toml", "a.toml: error FORM_UNREADABLE: there is no such folder or file"),
        ("validate to", "to: error FORM_UNREADABLE: there is no such folder or file"),
        ("validate pack --no-standing --no-store --workers 0 --fix to", "it cannot be written: File exists"),
        ("validate pack --no-standing --no-store --workers 0 --out to", "cannot write"),
        ("stand a.toml m", "a.toml: error FORM_UNREADABLE: there is no such file"),
        ("inspect to", ""),
        ("init to", "to is not a folder"),
        ("atlas a.toml", "a.toml: error FORM_UNREADABLE: there is no such file"),
    ):
        done = sim3d(*words.split(), cwd=tmp_path)
        assert done.exit_code == 2, (words, done.output)
        assert told in done.stderr, words


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ('about = "a"\n'.encode("utf-16"), "error FORM_UNREADABLE: it is text in UTF-16: save it as UTF-8"),
        ('about = "a"\n'.encode("utf-16-be"), "t.toml:1: error FORM_UNREADABLE"),
        (
            '# a\nabout = "café"\n'.encode("latin-1"),
            "t.toml:2: error FORM_UNREADABLE: it is not text in UTF-8 (byte 16)",
        ),
        (b"[table]\nsize = true\n", "(got true)"),
    ],
)
def test_a_text_that_another_program_saved_is_told_with_its_place(data: bytes, told: str, tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_bytes(data)
    done = sim3d("stand", "t.toml", "m", cwd=tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert told in done.stderr
