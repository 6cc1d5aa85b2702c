"""`sim3d stand`, `run` and `demo` as people and programs use them: words, exit codes, JSON lines, JUnit."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sim3d.mini import Base
from sim3d.report.demo import SPOTS
from sim3d.report.running import RunningForm
from sim3d.report.standing import MOST_BYTES, MOST_TABLES, NoReplyForm, ReplyForm, StandForm, conversation
from sim3d.solid.boolean import box
from sim3d.solid.write import write_mesh
from tests.commands import process, sim3d
from tests.quiet import quiet

SCENARIO = """\
about = "A crate."
[table]
size = [400, 400]
[[piece]]
mesh = "crate.stl"
[[mini]]
name = "Fenn"
base = "27"
com = 14
at = [39, 0]
[[mini]]
name = "Orla"
base = "27"
at = [0, 0]
[[step]]
stand = "Fenn"
about = "1 mm inside"
expect = { answer = "precarious", margin_mm = { near = 1.0, within = 0.01 } }  # d = 1
[[step]]
stand = "Orla"
expect = { answer = "stable" }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stand")
    write_mesh(folder / "crate.stl", *box((-40, -40, 0), (40, 40, 30)))
    write_mesh(folder / "base.stl", *Base.named("50n").mesh(chord_mm=0.02))
    (folder / "good.toml").write_text(SCENARIO)
    (folder / "wrong.toml").write_text(SCENARIO.replace("near = 1.0", "near = 2.0"))
    (folder / "broken.toml").write_text(SCENARIO.replace("mesh =", "mehs ="))
    (folder / "plain.toml").write_text('[[piece]]\nmesh = "crate.stl"\n')
    return folder


MESH = ("stand", "--mesh", "crate.stl", "--base", "27", "--com", "14", "--height", "40", "--physics", "never")


# --- one question -----------------------------------------------------------------------------------------------------


def test_the_word_the_sentence_the_numbers(folder: Path) -> None:
    done = process(*MESH, "--at", "39,0", cwd=folder)
    assert (done.returncode, quiet(done.stderr)) == (1, "")
    said, _, *numbers = done.stdout.splitlines()
    assert said.startswith("precarious: it rests on crate")
    assert any(line.split()[:2] == ["margin", "1.00"] for line in numbers)


def test_exit_0_is_stable_alone(folder: Path) -> None:
    assert sim3d(*MESH, "--at", "30,0", cwd=folder).exit_code == 0
    assert sim3d(*MESH, "--at", "41,0", cwd=folder).exit_code == 1


def test_data_follows_its_schema(folder: Path) -> None:
    done = sim3d(*MESH, "--at", "39,0", "--json", cwd=folder)
    answer = StandForm.model_validate_json(done.stdout)
    assert (answer.answer, answer.margin_mm) == ("precarious", pytest.approx(1.0, abs=1e-3))
    assert answer.drift_mm is None


def test_a_certificate_is_printed_for_who_asks(folder: Path) -> None:
    plain = sim3d(*MESH, "--at", "30,0", "--json", cwd=folder)
    assert StandForm.model_validate_json(plain.stdout).certificate is None
    asked = sim3d(*MESH, "--at", "30,0", "--json", "--certificate", cwd=folder)
    proof = StandForm.model_validate_json(asked.stdout).certificate
    assert proof is not None
    assert len(proof.nudged) == 16
    assert len(asked.stdout) < 10_000


def test_both_witnesses_by_default(folder: Path) -> None:
    done = sim3d(*(w for w in MESH if w not in ("--physics", "never")), "--at", "30,0", "--json", cwd=folder)
    answer = StandForm.model_validate_json(done.stdout)
    assert "settle" in answer.decided_by
    assert answer.drift_mm is not None


def test_a_mini_of_a_scenario_stands_where_it_is_put_or_where_it_is_asked_of(folder: Path) -> None:
    never = ("--physics", "never", "--json")
    placed = json.loads(sim3d("stand", "good.toml", "Fenn", *never, cwd=folder).stdout)
    assert (placed["answer"], placed["at"]) == ("precarious", [39.0, 0.0])
    moved = json.loads(sim3d("stand", "good.toml", "Fenn", "--at", "-30,0", *never, cwd=folder).stdout)
    assert (moved["answer"], moved["at"]) == ("stable", [-30.0, 0.0])
    other = json.loads(sim3d("stand", "good.toml", "--base", "27", "--at", "0,10", *never, cwd=folder).stdout)
    assert other["answer"] == "blocked"  # Orla stands there


def test_a_base_may_be_a_mesh(folder: Path) -> None:
    words = ("stand", "--mesh", "crate.stl", "--base", "base.stl", "--at", "0,0", "--physics", "never", "--json")
    answer = json.loads(sim3d(*words, cwd=folder).stdout)
    assert (answer["answer"], answer["margin_mm"]) == ("stable", pytest.approx(23.817, abs=0.05))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("stand",), "say --mesh or a table file, one of them"),
        (("stand", "--mesh", "crate.stl"), "say --base, or"),
        (("stand", "--mesh", "crate.stl", "--base", "27"), "say --at X,Y"),
        (("stand", "--mesh", "crate.stl", "--base", "33", "--at", "0,0"), "no base is called '33'"),
        (("stand", "--mesh", "crate.stl", "--base", "gone.stl", "--at", "0,0"), "no such file"),
        (("stand", "--mesh", "gone.stl", "--base", "27", "--at", "0,0"), "no such file"),
        (("stand", "--mesh", "crate.stl", "--base", "27", "--at", "0"), "--at takes 2 numbers"),
        (("stand", "--mesh", "crate.stl", "--base", "27", "--at", "x,y"), "--at takes 2 numbers"),
        (("stand", "--mesh", "crate.stl", "--base", "27", "--at", "nan,0"), "--at: not a number that can be used"),
        (("stand", "--mesh", "crate.stl", "--base", "27", "--at", "0,0", "--com", "1,2"), "--com takes 1 or 3"),
        (("stand", "--mesh", "crate.stl", "--base", "27", "--at", "0,0", "--com", "99"), "over the top"),
        (("stand", "--mesh", "crate.stl", "--base", "27", "--at", "0,0", "--friction", "-1"), "friction"),
        (("stand", "--mesh", "crate.stl", "--base", "27", "--at", "0,0", "--engine", "unity"), "engine"),
        (("stand", "--mesh", "crate.stl", "--base", "27", "--at", "0,0", "--unit", "ells"), "--unit ells"),
        (("stand", "good.toml", "Fenn", "--mesh", "crate.stl"), "one of them"),
        (("stand", "good.toml", "Nobody"), "there are: Fenn, Orla"),
        (("stand", "good.toml", "Fenn", "--base", "27"), "say --base, or"),
        (("stand", "good.toml", "Fenn", "--com", "3"), "stand in the table"),
        (("stand", "good.toml", "Fenn", "Orla"), "one mini"),
        (("stand", "broken.toml", "Fenn"), "did you mean 'mesh'"),
        (("stand", "--stdin", "--base", "27"), "leave out --base"),
        (("stand", "--mesh", "crate.stl", "--base", "27", "--at", "0,0", "--certificate"), "add --json"),
        (("run", "gone.toml"), "no such file"),
        (("run", "plain.toml"), "no step"),
        (("run", "good.toml", "--engine", "unity"), "no engine is called 'unity'"),
        (("run", "good.toml", "--physics", "maybe"), "always, doubt or never"),
    ],
)
def test_misuse_is_exit_2_with_one_clear_message(words: tuple[str, ...], said: str, folder: Path) -> None:
    done = sim3d(*words, cwd=folder)
    assert done.exit_code == 2
    assert said in done.stderr + done.stdout


# --- JSON lines -------------------------------------------------------------------------------------------------------


def talk(*requests: Any) -> list[dict[str, Any]]:
    lines = [r if isinstance(r, bytes) else json.dumps(r).encode() for r in requests]
    return [json.loads(line) for line in conversation(io.BytesIO(b"\n".join(lines)))]


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


ASK = {"mesh": "crate.stl", "base": "27", "com": 14, "height": 40, "at": [39, 0], "physics": "never"}


def test_every_request_has_its_answer_in_order(here: Path) -> None:
    first, second, third = talk(ASK | {"id": "a"}, ASK | {"id": 7, "at": [30, 0]}, ASK)
    assert [(r["id"], r["answer"]) for r in (first, second, third)] == [
        ("a", "precarious"),
        (7, "stable"),
        (None, "precarious"),
    ]
    for reply in (first, second, third):
        ReplyForm.model_validate_json(json.dumps(reply))


@pytest.mark.parametrize(
    ("request_", "name", "said"),
    [
        (b"{", None, "not JSON"),
        (b"\xff\xfe", None, "it is not text in UTF-8"),
        (b"[1]", None, "FORM_BAD_VALUE"),
        (b"[1]", None, 'a request is one object, as {"mesh": "crate.stl"'),
        (
            b'{"table": "crate.stl", "base": "27", "at": [0, 0]}',
            None,
            "crate.stl is a mesh by its name: say mesh, not table",
        ),
        (b'{"id": 3, "id": 3}', 3, "twice"),
        (b"[" * 100_000, None, "FORM_UNREADABLE"),
        (ASK | {"id": "u", "heigth": 40}, "u", "did you mean 'height'"),
        (ASK | {"id": "m", "mesh": "gone.stl"}, "m", "no such file"),
        (ASK | {"id": "t", "table": "good.toml"}, "t", "one of them"),
        (ASK | {"id": "n", "at": ["39", 0]}, "n", "/at/0"),
        (b'{"id": "n", "at": [NaN, 0]}', "n", "NaN"),
        (ASK | {"id": "b", "base": "33"}, "b", "no base is called"),
        (ASK | {"id": "c", "com": 90}, "c", "over the top"),
        (ASK | {"id": "f", "friction": 11}, "f", "less than or equal to 10"),
        ({"id": "w", "table": "broken.toml", "mini": "Fenn"}, "w", "FORM_UNKNOWN_KEY broken.toml"),
        ({"id": "x", "table": "good.toml", "mini": "Nobody"}, "x", "there are: Fenn, Orla"),
        ({"id": "\ud800", "table": "good.toml"}, "\ud800", "FORM_"),
        (ASK | {"id": [1]}, None, "/id"),
        (b'{"id": "' + b"x" * MOST_BYTES + b'"}', None, "at most"),
    ],
)
def test_a_bad_line_is_an_error_and_the_next_is_answered(here: Path, request_: Any, name: Any, said: str) -> None:
    bad, good = talk(request_, ASK | {"id": "next"})
    assert (bad["id"], set(bad)) == (name, {"id", "error"})
    assert said in bad["error"]
    assert (good["id"], good["answer"]) == ("next", "precarious")


def test_an_error_follows_its_schema(here: Path) -> None:
    (bad,) = talk(b"{")
    assert NoReplyForm.model_validate(bad).error


def test_a_table_is_read_once_until_it_changes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sim3d import scenario
    from sim3d.report import standing

    reads: list[str] = []
    real = scenario.read_scenario
    monkeypatch.setattr(scenario, "read_scenario", lambda path: (reads.append(str(path)), real(path))[1])
    ask = {"table": "again.toml", "mini": "Fenn", "physics": "never"}
    (here / "again.toml").write_text(SCENARIO)
    lines = io.BytesIO((json.dumps(ask) + "\n" + json.dumps(ask) + "\n").encode())
    said = conversation(lines)
    assert json.loads(next(said))["answer"] == json.loads(next(said))["answer"] == "precarious"
    assert reads == ["again.toml"]
    desk = standing.Desk()
    asked = standing.request(ask)
    desk.ask(asked)
    (here / "again.toml").write_text(SCENARIO.replace("at = [39, 0]", "at = [30, 0]"))
    os.utime(here / "again.toml", ns=(1, 1))
    assert desk.ask(asked).answer == "stable"
    assert len(reads) == 3


def test_a_question_about_a_mesh_loads_no_rules() -> None:
    code = "import sys; from sim3d.cli import app; app(sys.argv[1:], standalone_mode=False); "
    code += "print(sorted(m for m in sys.modules if m.startswith(('sim3d.rules', 'sim3d.scenario', 'scipy.sparse'))))"
    words = [
        "stand",
        "--mesh",
        str(Path(__file__).parents[1] / "meshes" / "gallery" / "crate.stl"),
        "--base",
        "27",
        "--at",
        "0,0",
    ]
    run = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
    assert "stable" in run.stdout


def test_a_fault_of_a_table_is_answered_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[table]\n\nsize = [600, -1]\n")
    ask = {"table": (tmp_path / "a.toml").as_posix(), "base": "27", "at": [0, 0]}
    (said,) = conversation(io.BytesIO(json.dumps(ask).encode()))
    assert "a.toml:3: 'table.size.1': must be greater than 0" in json.loads(said)["error"]


def test_a_mesh_of_a_table_is_read_again_when_it_changes(tmp_path: Path) -> None:
    from sim3d.report import standing

    def put(height: float) -> None:
        write_mesh(tmp_path / "crate.stl", *box((-40, -40, 0), (40, 40, height)))
        os.utime(tmp_path / "crate.stl", ns=(1, round(height)))

    put(30)
    (tmp_path / "t.toml").write_text('[[piece]]\nmesh = "crate.stl"\n')
    table = str(tmp_path / "t.toml")
    asked = standing.request({"table": table, "base": "27", "at": [0, 0], "physics": "never"})
    desk = standing.Desk()
    first = desk.ask(asked)
    put(60)
    again = desk.ask(asked)
    assert first.pose is not None
    assert again.pose is not None
    assert (first.pose.place[2], again.pose.place[2]) == pytest.approx((30, 60))


def test_a_desk_forgets_the_oldest_table(here: Path) -> None:
    from sim3d.report import standing

    desk = standing.Desk()
    for k in range(MOST_TABLES + 2):
        (here / f"many-{k}.toml").write_text(SCENARIO)
        desk.ask(standing.request({"table": f"many-{k}.toml", "mini": "Orla", "physics": "never"}))
    assert len(desk._tables) == MOST_TABLES


def test_a_mesh_may_be_called_what_the_system_lets_it_be_called(folder: Path) -> None:
    """A name that a terminal obeys, or that is no UTF-8, was refused, and a line's end in it made two lines of one."""
    for name in ("a\nb.stl", "a\x1b[31mb.stl", "a\udcffb.stl"):
        (folder / name).write_bytes((folder / "crate.stl").read_bytes())
        done = sim3d("stand", "--mesh", name, "--base", "27", "--at", "0,0", "--physics", "never", cwd=folder)
        assert done.exit_code == 0, done.output
        assert done.stdout.splitlines()[0].startswith("stable: it rests on a?")
        (folder / name).unlink()


def test_the_command_answers_while_it_is_still_being_asked(folder: Path) -> None:
    command = [sys.executable, "-m", "sim3d", "stand", "--stdin"]
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for request, word in ((ASK, "answer"), ({"id": 1}, "error"), (ASK | {"at": [0, 0]}, "answer")):
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            assert word in json.loads(process.stdout.readline())  # before the next question: flushed per line
        process.stdin.close()
        assert process.wait(timeout=60) == 0
        assert process.stdout.read() == ""


def test_no_question_is_no_answer_and_exit_0(folder: Path) -> None:
    done = process("stand", "--stdin", cwd=folder, said="\n\n")
    assert (done.returncode, done.stdout, quiet(done.stderr)) == (0, "", "")


# --- run --------------------------------------------------------------------------------------------------------------


def test_run_says_what_held(folder: Path) -> None:
    done = sim3d("run", "good.toml", "plain.toml", "--physics", "never", cwd=folder)
    assert done.exit_code == 0
    assert done.stdout.endswith("2 of 2 steps in 1 file held\n")
    assert "plain.toml asks nothing" in done.stderr
    wrong = sim3d("run", "wrong.toml", "--physics", "never", cwd=folder)
    assert wrong.exit_code == 1
    assert "margin_mm: expected 2 ± 0.01, came out 1" in wrong.stdout


def test_run_on_a_folder_reads_what_it_can(folder: Path) -> None:
    done = sim3d("run", ".", "--physics", "never", "--json", "--junit", "out/junit.xml", cwd=folder)
    assert done.exit_code == 2  # broken.toml
    data = RunningForm.model_validate_json(done.stdout)
    held = {f.file: (f.readable, f.held) for f in data.files}
    assert held["good.toml"] == (True, True)
    assert held["wrong.toml"] == (True, False)
    assert held["broken.toml"] == (False, False)
    assert str(folder) not in done.stdout
    root = ElementTree.parse(folder / "out" / "junit.xml").getroot()
    suites = {s.get("name"): s for s in root}
    assert suites["wrong.toml"].get("failures") == "1"
    assert suites["broken.toml"].get("errors") == "1"
    again = process("run", ".", "--physics", "never", "--json", cwd=folder)
    assert again.stdout == done.stdout


def test_accept_rewrites_and_then_it_holds(folder: Path) -> None:
    path = folder / "mine.toml"
    path.write_text(SCENARIO.replace("near = 1.0", "near = 2.5"))
    done = sim3d("run", "mine.toml", "--physics", "never", "--accept", cwd=folder)
    assert done.exit_code == 0
    assert "1 expectation rewritten" in done.stderr
    assert path.read_text() == SCENARIO
    assert sim3d("run", "mine.toml", "--physics", "never", cwd=folder).exit_code == 0
    path.unlink()


@pytest.mark.parametrize("engine", ["bullet", "rapier"])
def test_run_with_either_engine(folder: Path, engine: str) -> None:
    from sim3d.engine import ENGINES

    if engine not in [e.name for e in ENGINES if e.available()]:
        pytest.skip(f"{engine} is not installed here")
    assert sim3d("run", "good.toml", "--engine", engine, cwd=folder).exit_code == 0


# --- demo, show -------------------------------------------------------------------------------------------------------


def demo_told(beside: Path) -> tuple[str, Path]:
    """What the demo said, and where its files are: of `make demo`, where that has just run and SIM3D_DEMO names it."""
    if made := os.environ.get("SIM3D_DEMO"):
        return (Path(made) / "demo.log").read_text(encoding="utf-8"), Path(made)
    done = sim3d("demo", "--physics", "never", "--quick", cwd=beside)
    assert done.exit_code == 0
    return done.stdout, beside / "out"


def test_the_demo_answers_real_questions(tmp_path: Path) -> None:
    text, out = demo_told(tmp_path)
    lines = text.splitlines()
    assert sum(line[:3].strip().isdigit() for line in lines) == len(SPOTS)
    assert lines[-1].startswith("Sample scenery: ")
    assert " 14 pieces: " in lines[-1]
    assert " 0 errors" in lines[-1]
    assert len(list((out / "pack").iterdir())) == 8
    assert {"stable", "precarious", "blocked"} <= set(text.split())
    assert (out / "demo.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_where_there_is_no_checkout_the_demo_makes_its_own_terrain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made: list[Path] = []
    monkeypatch.setattr("sim3d.forge.__main__.sample", made.append)
    module = import_module("sim3d.cli.demo")
    monkeypatch.setattr(module, "__file__", str(tmp_path / "site-packages" / "sim3d" / "cli" / "demo.py"))
    assert [module.sample_folder(tmp_path / "out")] == made == [tmp_path / "out" / "sample"]
    assert "making the sample terrain" in capsys.readouterr().err


def test_a_scenario_has_a_picture_too(folder: Path) -> None:
    assert sim3d("show", "good.toml", "--png", "s.png", "--size", "160x100", cwd=folder).exit_code == 0
