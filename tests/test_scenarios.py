"""Scenario files: read strictly, played against a stand of our own making, judged, and accepted into their own text."""

from __future__ import annotations

import math
import os
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim3d.finding import Refused, Report
from sim3d.mini import Mini
from sim3d.report.accepting import accept, accepted
from sim3d.report.running import Ran, RunningForm, counts, junit, running_json, running_text, searched
from sim3d.report.standing import StandForm
from sim3d.scenario import ASKED, Expected, Result, judge, parse_scenario, play_scenario, read_scenario
from sim3d.space import Pose
from sim3d.stand import NUMBERS, Stand
from sim3d.view.numbers import NUMBERS as LABELS
from tests.codes import fires, silent
from tests.legion import ONE_MOVE

CRATE = (Path(__file__).parent.parent / "meshes" / "gallery" / "crate.stl").as_posix()
GOOD = f"""\
about = "A crate."   # the scenery

[[piece]]
mesh = "{CRATE}"

[[mini]]
name = "Fenn"
base = "27"
com = 14
at = [39, 0]
turn = 10
level = 50

[[mini]]
name = "Orla"
base = "27"
at = [-20.0, 0.0]

[[step]]
stand = "Fenn"
about = "half over"
expect = {{ answer = "stable", margin_mm = {{ near = 2.0, within = 0.01 }}, tip_deg = {{ over = 5 }} }}  # why not

[[step]]
stand = "Fenn"
at = [1, 2]
turn = 0
level = "none"
friction = 0.5
engine = "rapier"
physics = "never"
expect = {{ answer = ["stable", "precarious"], slip_deg = {{ over = 9 }}, drift_mm = {{ under = 1.0 }}, why = "edge" }}

[[step]]
stand = "Orla"
"""

ANSWER = Stand(
    answer="precarious",
    why="It lies on the crate and tips over its edge.",
    decided_by=("statics",),
    at=(39.0, 0.0),
    turn=0.0,
    level=None,
    friction=1.25,
    mini=Mini("27", com=14),
    pose=Pose.at(39, 0, 30),
    tilt_deg=0.0,
    tip_deg=4.0856,
    rock_deg=None,
    barrier_mm=0.0357,
    margin_mm=1.0,
    overhang_mm=12.5,
    overhang_share=0.45,
    friction_needed=0.0,
    slip_deg=math.inf,
    com_limit_mm=None,
    drift_mm=0.01,
    turn_deg=0.0,
    contacts=(),
)


def refused(text: str) -> Refused:
    with pytest.raises(Refused) as caught:
        parse_scenario(text, name="s.toml")
    return caught.value


def asked_of(text: str = GOOD, **options: Any) -> tuple[Result, list[dict[str, Any]]]:
    calls: list[dict[str, Any]] = []

    def stand(table: Any, mini: Any, **told: Any) -> Stand:
        calls.append({"others": [m.name for m in table.minis], "base": mini.base.name, **told})
        return replace(ANSWER, drift_mm=None) if told["physics"] == "never" else ANSWER

    return play_scenario(parse_scenario(text, name="s.toml"), stand=stand, **options), calls


# --- reading ----------------------------------------------------------------------------------------------------------


def test_a_step_asks_about_the_mini_as_placed_or_as_it_says() -> None:
    _, (first, second, third) = asked_of()
    assert first == {
        "others": ["Orla"],
        "base": "27",
        "at": (39.0, 0.0),
        "turn": 10.0,
        "level": 50.0,
        "friction": None,
        "material": "grip",
        "engine": None,
        "physics": "always",
    }
    assert second == first | {
        "at": (1.0, 2.0),
        "turn": 0.0,
        "level": None,
        "friction": 0.5,
        "engine": "rapier",
        "physics": "never",
    }
    assert (third["others"], third["at"]) == (["Fenn"], (-20.0, 0.0))


def test_what_the_caller_says_overrules_the_file() -> None:
    _, calls = asked_of(engine="bullet", physics="doubt")
    assert {(c["engine"], c["physics"]) for c in calls} == {("bullet", "doubt")}


def test_a_table_file_is_a_scenario_without_steps() -> None:
    scenario = parse_scenario(GOOD[: GOOD.index("[[step]]")])
    assert (scenario.steps, scenario.about, len(scenario.table.minis)) == ((), "A crate.", 2)


@pytest.mark.parametrize(
    ("step", "pointer", "said"),
    [
        ("", "/step/0", "key 'stand', 'move' or 'hexes' is missing"),
        ('about = "Nothing is asked."', "/step/0", "key 'stand', 'move' or 'hexes' is missing"),
        ('unit = "Mara"', "/step/0", "key 'move' or 'hexes' is missing"),
        ("at = [0, 0]", "/step/0/stand", "key 'stand' is missing"),
        ('expect = { answer = "stable" }', "/step/0/stand", "key 'stand' is missing"),
    ],
)
def test_a_step_that_may_be_of_several_kinds_is_told_so(step: str, pointer: str, said: str) -> None:
    """Whatever lacked was "key 'stand' is missing", as if nothing else could be asked."""
    with pytest.raises(Refused) as refused:
        parse_scenario(f"[[step]]\n{step}\n")
    assert [(f.pointer, f.message) for f in refused.value.report] == [(pointer, said)]


@pytest.mark.parametrize(
    ("old", "new", "code", "pointer", "said"),
    [
        ('stand = "Fenn"\nabout', 'stand = "Fen"\nabout', "TABLE_UNKNOWN_NAME", "/step/0/stand", "Fenn, Orla"),
        ('stand = "Fenn"\nabout', "about", "FORM_MISSING_KEY", "/step/0/stand", "'stand' is missing"),
        ("friction = 0.5", "friktion = 0.5", "FORM_UNKNOWN_KEY", "/step/1/friktion", "did you mean 'friction'"),
        ("friction = 0.5", "friction = -1", "FORM_BAD_VALUE", "/step/1/friction", "greater than or equal to 0"),
        ('"rapier"', '"unity"', "FORM_BAD_VALUE", "/step/1/engine", "bullet"),
        ('"never"', '"sometimes"', "FORM_BAD_VALUE", "/step/1/physics", "'doubt'"),
        ("at = [1, 2]", "at = [1, nan]", "FORM_BAD_VALUE", "/step/1/at/1", "finite"),
        ("at = [1, 2]", 'at = [1, "2"]', "FORM_BAD_VALUE", "/step/1/at/1", "number"),
        ('answer = "stable"', 'answer = "stabel"', "FORM_BAD_VALUE", "/step/0/expect/answer", "did you mean 'stable'"),
        ('["stable", "precarious"]', "[]", "FORM_BAD_VALUE", "/step/1/expect/answer", "empty list"),
        (
            'why = "edge"',
            'on = "crat"',
            "FORM_BAD_VALUE",
            "/step/1/expect/on",
            "piece is called 'crat'; did you mean 'crate'",
        ),
        ('why = "edge"', 'on = "floor"', "FORM_BAD_VALUE", "/step/1/expect/on", "there are: crate, table"),
        ("margin_mm", "margn_mm", "FORM_UNKNOWN_KEY", "/step/0/expect/margn_mm", "did you mean 'margin_mm'"),
        ("near = 2.0, within = 0.01", "near = 2.0", "FORM_BAD_VALUE", "/step/0/expect/margin_mm", "go together"),
        ("near = 2.0, within = 0.01", "", "FORM_BAD_VALUE", "/step/0/expect/margin_mm", "say near and within"),
        ("within = 0.01", "within = 0", "FORM_BAD_VALUE", "/step/0/expect/margin_mm/within", "greater than 0"),
        (
            "over = 5",
            "over = 5, under = 4",
            "FORM_BAD_VALUE",
            "/step/0/expect/tip_deg",
            "nothing is over 5 and under 4",
        ),
        ("over = 5", 'over = "5"', "FORM_BAD_VALUE", "/step/0/expect/tip_deg/over", "number"),
    ],
)
def test_every_fault_names_its_key_and_line(old: str, new: str, code: str, pointer: str, said: str) -> None:
    text = GOOD.replace(old, new, 1)
    finding = next(f for f in refused(text).report if f.code == code and f.pointer == pointer)
    assert said in finding.message
    assert finding.line is not None
    line = text.splitlines()[finding.line - 1]
    assert line.partition(" =")[0] in (*pointer.split("/"), "[[step]]")


def test_a_step_that_expects_to_rest_on_the_table_names_it_so() -> None:
    text = GOOD.replace('why = "edge"', 'on = ["table", "crate"]')
    assert parse_scenario(text).steps[1].expected[1].words == ("table", "crate")
    unread = refused(text.replace(CRATE, "nowhere.stl"))
    assert not [f for f in unread.report if f.pointer.endswith("/on")]  # what the piece would be called nobody knows


LEGION = f"""\
[[piece]]
name = "crate"
mesh = "{CRATE}"
at = [300, 0]

{ONE_MOVE}expect = {{ legal = true, TOLD }}
"""


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ('rules = ["MV1S"]', "'expect.rules': no rule is called 'MV1S'; docs/rulebook.md lists them all"),
        ('rules = ["mv15"]', "no rule is called 'mv15'; did you mean 'MV15'"),
        ('codes = ["MOVE_TOOL_TO_FAST"]', "no code is called 'MOVE_TOOL_TO_FAST'; did you mean 'MOVE_TOOL_TOO_FAST'"),
        ('displaced = ["Ode"]', "no mini of a unit is called 'Ode'; there are: Oda"),
        ('suppressed = ["Oda"]', "no unit is called 'Oda'; there are: Wardens"),
        ("why = []", "'expect.why': an empty list expects nothing"),
        ('triggers = ["after a move"]', "no trigger is called 'after a move'; there is: after a move action"),
    ],
)
def test_a_word_that_never_comes_out_of_a_move_is_refused(told: str, said: str) -> None:
    (finding,) = refused(LEGION.replace("TOLD", told)).report
    assert said in finding.message
    assert (finding.code, finding.line) == ("FORM_BAD_VALUE", 20)


def test_words_that_may_come_out_of_a_move_are_read() -> None:
    told = 'rules = ["MV15", "CL05"], codes = ["MOVE_TOOL_TOO_FAST"], displaced = ["Oda"], suppressed = ["Wardens"]'
    (step,) = parse_scenario(LEGION.replace("TOLD", told + ', triggers = ["after a move action"]')).steps
    assert [e.key for e in step.expected] == ["legal", "rules", "codes", "displaced", "suppressed", "triggers"]


def test_faults_of_the_table_and_of_the_steps_come_together() -> None:
    wrong = refused(GOOD.replace('base = "27"', 'base = "33"', 1).replace("over = 5", "over = 5, under = 4"))
    assert [f.pointer.rpartition("/base")[0] or f.pointer for f in wrong.report] == [
        "/mini/0",
        "/step/0/expect/tip_deg",
    ]
    assert fires("TABLE_UNKNOWN_NAME", refused(GOOD.replace('stand = "Orla"', 'stand = "Olra"')))
    assert silent("TABLE_UNKNOWN_NAME", wrong)


# --- judging ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "held", "beyond"),
    [
        (Expected("margin_mm", near=1.0, within=0.001), True, 0.0),
        (Expected("margin_mm", near=1.5, within=0.25), False, 0.25),
        (Expected("margin_mm", near=0.75, within=0.25), True, 0.0),  # a limit of near is inside
        (Expected("margin_mm", over=1.0), False, 0.0),  # a limit is not over itself
        (Expected("margin_mm", under=1.0), False, 0.0),
        (Expected("margin_mm", over=0.5, under=1.5), True, 0.0),
        (Expected("margin_mm", under=0.25), False, 0.75),
        (Expected("rock_deg", over=0.0), False, None),  # there is no such number
        (Expected("z_mm", near=30.0, within=0.1), True, 0.0),
        (Expected("answer", ("precarious",)), True, None),
        (Expected("answer", ("stable", "undecided")), False, None),
        (Expected("why", ("crate", "edge")), True, None),
        (Expected("why", ("crate", "wall")), False, None),
        (Expected("on", ("crate",)), False, None),
    ],
)
def test_an_expectation_holds_or_says_by_how_much_not(expected: Expected, held: bool, beyond: float | None) -> None:
    judged = judge(expected, ANSWER)
    assert (judged.held, judged.beyond) == (held, beyond)


def test_what_only_an_engine_sees_is_not_judged_without_one() -> None:
    drift = Expected("drift_mm", under=0.001)
    assert judge(drift, ANSWER).held is False
    assert judge(drift, ANSWER, seen=False).held is None
    result, _ = asked_of()
    assert [j.held for j in result.played[1].judged] == [True, True, True, None]
    assert result.played[1].ok


def test_without_a_pose_there_is_no_height() -> None:
    assert judge(Expected("z_mm", near=0.0, within=1.0), replace(ANSWER, pose=None)).held is False


def test_a_question_that_cannot_be_asked_is_an_error_and_the_next_is_asked() -> None:
    def stand(table: Any, mini: Any, **told: Any) -> Stand:
        if told["friction"] == 0.5:
            raise ValueError("the engine rapier is not installed here")
        return ANSWER

    result = play_scenario(parse_scenario(GOOD), stand=stand)
    assert [p.error for p in result.played] == ["", "the engine rapier is not installed here", ""]
    assert not result.played[1].ok
    assert result.played[2].ok


# --- telling ----------------------------------------------------------------------------------------------------------


def test_the_numbers_of_a_verdict_are_listed_once_and_told_everywhere() -> None:
    a_number = {f.name for f in fields(Stand) if f.type == "float | None"} - {"level"}
    assert set(NUMBERS) == a_number
    assert {key for _, _, key in LABELS} == set(ASKED) == a_number | {"z_mm", "friction"}
    assert all(StandForm.model_fields[name].description == NUMBERS[name] for name in NUMBERS)
    told_at_times = {"level", "certificate", "barrier_is_least", "by_hand"}
    assert set(StandForm.model_fields) == set(ANSWER.as_dict()) | a_number | told_at_times


@pytest.fixture
def seen(tmp_path: Path) -> list[Ran]:
    result, _ = asked_of()
    (tmp_path / "bad.toml").write_text("[[step]]\nstnd = 1\n")
    with pytest.raises(Refused) as caught:
        read_scenario(tmp_path / "bad.toml")
    return [Ran("a.toml", result, Report()), Ran("bad.toml", None, caught.value.report)]


def test_text_names_what_did_not_hold_and_by_how_much(seen: list[Ran]) -> None:
    text = running_text(seen)
    assert "  NO    1  Fenn  precarious  0 of 3 held; half over\n" in text
    assert "  ok    2  Fenn  precarious  not judged: drift_mm\n" in text
    assert "answer: expected stable, came out precarious\n" in text
    assert "margin_mm: expected 2 ± 0.01, came out 1 (0.99 beyond)" in text
    assert "tip_deg: expected over 5, came out 4.0856 (0.9144 beyond)" in text
    assert "FORM_UNKNOWN_KEY" in text
    assert text.endswith("2 of 3 steps in 2 files held; cannot be read: bad.toml\n")
    assert counts(seen) == {"files": 2, "unreadable": 1, "steps": 3, "held": 2, "not_held": 1, "errors": 0}


def test_data_follows_its_schema(seen: list[Ran]) -> None:
    data = RunningForm.model_validate_json(running_json(seen))
    first, second, third = data.files[0].steps
    assert [s.held for s in (first, second, third)] == [False, True, True]
    assert first.stand is not None
    assert first.stand.answer == "precarious"
    assert {e.key: e.beyond for e in first.expectations}["margin_mm"] == pytest.approx(0.99)
    assert (second.asked.level, second.asked.engine, first.asked.level) == (None, "rapier", 50.0)
    assert data.files[1].findings[0].code in ("FORM_UNKNOWN_KEY", "FORM_MISSING_KEY")


def test_junit_is_xml_with_a_case_per_step(seen: list[Ran]) -> None:
    root = ElementTree.fromstring(junit(seen))
    one, other = root.findall("testsuite")
    assert (one.get("tests"), one.get("failures"), one.get("errors")) == ("3", "1", "0")
    assert [c.get("name") for c in one.findall("testcase")] == [
        "step 1: Fenn: half over",
        "step 2: Fenn",
        "step 3: Orla",
    ]
    failure = one.find("testcase/failure")
    assert failure is not None
    assert "0.99 beyond" in (failure.text or "")
    assert (other.get("errors"), other.find("testcase/error") is not None) == ("1", True)


def test_junit_holds_whatever_stood_in_a_file() -> None:
    result, _ = asked_of()  # a file with such characters is refused; a step made in Python may have them
    first, *others = result.played
    hostile = replace(first, step=replace(first.step, about="\x01 <&> \uffff"))
    root = ElementTree.fromstring(junit([Ran("a&b.toml", replace(result, played=(hostile, *others)), Report())]))
    assert root.find("testsuite/testcase").get("name") == "step 1: Fenn: ? <&> ?"  # type: ignore[union-attr]


def test_folders_are_searched_for_files_with_steps(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "b.toml").write_text("[[step]]\n")
    (tmp_path / "deep" / "a.toml").write_text("[[step]]\n")
    (tmp_path / "table.toml").write_text("about = 'no step'\n")
    (tmp_path / "broken.toml").write_text("= =\n")
    (tmp_path / "notes.txt").write_text("[[step]]\n")
    found = searched([tmp_path, tmp_path / "b.toml", tmp_path / "gone.toml"])
    assert [p.relative_to(tmp_path).as_posix() for p in found.files] == [
        "b.toml",
        "broken.toml",
        "deep/a.toml",
        "gone.toml",
    ]
    assert [p.name for p in found.skipped] == ["table.toml"]


def test_a_file_of_any_name_without_a_step_asks_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"about": "no step"}')
    (tmp_path / "b.toml").write_text("step = []\n")
    (tmp_path / "c.yaml").write_text("# no step\n")
    (tmp_path / "d.json").write_text('{"step": [{}]}')
    (tmp_path / "e.json").write_text("[]")  # its fault is told
    (tmp_path / "f.toml").write_text("[[Steps]]\nstand = 'a'\n")  # and so is this one
    found = searched(sorted(tmp_path.iterdir()))
    assert [[p.name for p in paths] for paths in (found.files, found.skipped)] == [
        ["d.json", "e.json", "f.toml"],
        ["a.json", "b.toml", "c.yaml"],
    ]


def test_nothing_that_is_called_toml_is_passed_over_in_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "BIG.TOML").write_text("[[step]]\n")
    (tmp_path / "gone.toml").symlink_to("nowhere")
    (tmp_path / "shut").mkdir()
    (tmp_path / "shut" / "a.toml").write_text("[[step]]\n")
    scan = os.scandir

    def shut(path: str) -> Any:  # as where a folder is another user's
        if os.fspath(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", os.fspath(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", shut)
    assert [p.name for p in searched([tmp_path]).files] == ["BIG.TOML", "gone.toml", "shut"]


# --- accepting --------------------------------------------------------------------------------------------------------


def test_accepting_rewrites_what_did_not_hold_and_nothing_else() -> None:
    result, _ = asked_of()
    made = accepted(GOOD, result)
    old = 'expect = { answer = "stable", margin_mm = { near = 2.0, within = 0.01 }, tip_deg = { over = 5 } }  # why not'
    new = (
        'expect = { answer = "precarious", margin_mm = { near = 1.0, within = 0.01 }, tip_deg = { over = 4.0 } }'
        "  # why not"
    )
    assert made.text == GOOD.replace(old, new)
    assert (made.rewritten, made.left) == (3, ())
    again, _ = asked_of(made.text)
    assert again.ok
    assert accepted(made.text, again) == replace(made, rewritten=0)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{ answer = ["stable", # not ]\n "blocked" ] }', '{ answer = "precarious" }'),
        ("{answer='falls'}", '{answer="precarious"}'),
        ('{ "answer" = "falls" , }', None),  # not TOML
        ("{ tip_deg = { near = 1e1, within = 0.5 } }", "{ tip_deg = { near = 4.09, within = 0.5 } }"),
        ("{ tip_deg.near = 10, tip_deg.within = 0.001 }", "{ tip_deg.near = 4.0856, tip_deg.within = 0.001 }"),
        ("{ margin_mm = { over = 1.0 } }", "{ margin_mm = { over = 0.9 } }"),
        ("{ margin_mm = { under = 1.0 } }", "{ margin_mm = { under = 1.1 } }"),
        ("{ margin_mm = { under = 0.5, over = 0.1 } }", "{ margin_mm = { under = 1.1, over = 0.1 } }"),
        ("{ answer = '''falls''' }", '{ answer = "precarious" }'),
        ('{ why = \'a "}" b\', answer = "precarious" }', "left"),
        ("{ rock_deg = { over = 1.0 } }", "left"),
        ("{ on = 'crate' }", "left"),
        ("{ slip_deg = { under = 1.0 } }", "left"),
    ],
)
def test_accepting_edits_any_way_of_writing(before: str, after: str | None) -> None:
    text = GOOD[: GOOD.index("[[step]]")] + f'[[step]]\nstand = "Fenn"\nexpect = {before} # end\nabout = "x"\n'
    if after is None:
        with pytest.raises(Refused):
            asked_of(text)
        return
    result, _ = asked_of(text)
    made = accepted(text, result)
    if after == "left":
        assert made.text == text
        assert len(made.left) == 1
    else:
        assert made.text == text.replace(before, after)
        assert tomllib.loads(made.text)["step"][0]["about"] == "x"
        assert asked_of(made.text)[0].ok


@pytest.mark.parametrize("form", ['[step.expect]\nanswer = "falls"\n', 'expect.answer = "falls"\n'])
def test_what_cannot_be_edited_safely_is_refused(form: str) -> None:
    text = GOOD[: GOOD.index("[[step]]")] + f'[[step]]\nstand = "Fenn"\n{form}'
    result, _ = asked_of(text)
    with pytest.raises(Refused, match="can be rewritten"):
        accepted(text, result)


@given(st.floats(-1e4, 1e4), st.sampled_from(["near = 77777.0, within = 0.05", "over = 77777", "under = -77777"]))
def test_what_was_accepted_holds(number: float, limits: str) -> None:
    text = GOOD[: GOOD.index("[[step]]")] + f'[[step]]\nstand = "Fenn"\nexpect = {{ margin_mm = {{ {limits} }} }}\n'
    scenario = parse_scenario(text)
    answer = replace(ANSWER, margin_mm=number)
    made = accepted(text, play_scenario(scenario, stand=lambda *_, **__: answer))
    assert play_scenario(parse_scenario(made.text), stand=lambda *_, **__: answer).ok


def test_a_file_is_rewritten_in_place_with_its_line_ends_and_mark(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    result = play_scenario(read_scenario(path), stand=lambda *_, **__: ANSWER)
    assert accept(path, result).rewritten == 3
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    assert data.count(b"\r\n") == GOOD.count("\n") == data.count(b"\n")
    before = path.read_bytes()
    accept(path, play_scenario(read_scenario(path), stand=lambda *_, **__: ANSWER))
    assert path.read_bytes() == before


# --- names and words of strangers in what `run` says ------------------------------------------------------------------


def test_what_a_file_says_gives_no_orders_to_who_prints_it(tmp_path):
    text = GOOD.replace('about = "A crate."', 'about = "A crate.\\n::error::of mine ##[group]"')
    file = tmp_path / "good.toml"
    file.write_text(text, encoding="utf-8")
    told = running_text([Ran("a\n::warning::b\x1b[2J.toml", play(file), Report())])
    assert not any(line.lstrip().startswith("::") for line in told.splitlines())
    assert "\x1b" not in told
    assert "##" not in told
    assert "a?::warning::b?[2J.toml  A crate.?::error::of mine" in told


def play(file):
    return Result(read_scenario(file), ())


def test_junit_keeps_what_xml_can_hold(tmp_path):
    (case,) = ElementTree.fromstring(junit([Ran("ruin 😀 חורבה\x1b\ufffe.toml", None, Report())])).iter("testcase")
    assert case.get("classname") == "ruin 😀 חורבה??.toml"


def test_a_key_of_another_kind_of_step_is_not_told_to_be_itself():
    both = GOOD + '\n[[step]]\nstand = "Fenn"\nmove = "full"\nunit = "Fenn"\n'
    with pytest.raises(Refused) as no:
        parse_scenario(both, name="two.toml")
    assert fires("FORM_UNKNOWN_KEY", no.value)
    assert "did you mean 'stand'" not in str(no.value)
    assert "it belongs to another kind of table than the rest" in str(no.value)


def test_a_file_that_cannot_be_read_is_kept_so_that_its_faults_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr("sim3d.form.form.MAX_FORM_BYTES", 100)
    (tmp_path / "long.toml").write_text("# " + "x" * 200)
    (tmp_path / "none.toml").write_text("")
    found = searched([tmp_path])
    assert [[path.name for path in paths] for paths in (found.files, found.skipped)] == [["long.toml"], ["none.toml"]]
