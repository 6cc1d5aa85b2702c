"""The house keeps its word: every code is fired, spared and documented; generated pages are fresh; imports are lazy."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

import sim3d
from sim3d.finding import (
    CODES,
    Check,
    Finding,
    Hit,
    Place,
    Policy,
    Refused,
    Report,
    Severity,
    check,
    numbered,
    read_baseline,
    write_baseline,
)
from sim3d.finding import run as run_checks
from sim3d.report.codes import every_code, explained
from sim3d.report.pages import generated
from sim3d.solid.proof import open_edges
from tests.house import HOUSE

ROOT = Path(__file__).parent.parent


@cache
def named_in_tests() -> dict[str, set[str]]:
    """The literal codes that tests hand to `fires`, or to `silent`; who hands one to `both` hands it to either."""
    found: dict[str, set[str]] = {"fires": set(), "silent": set(), "both": set()}
    for path in sorted((ROOT / "tests").glob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in found and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found[node.func.id].add(first.value)
    return {word: found[word] | found["both"] for word in ("fires", "silent")}


def test_every_code_is_fired_by_a_test_and_spared_by_a_near_miss() -> None:
    codes = set(every_code())
    assert codes - named_in_tests()["fires"] == set(), "never fired"
    assert codes - named_in_tests()["silent"] == set(), "no near miss"
    assert (named_in_tests()["fires"] | named_in_tests()["silent"]) - codes == set(), (
        "tests name codes that do not exist"
    )


def test_generated_pages_are_fresh() -> None:
    for name, text in generated(ROOT).items():
        assert (ROOT / name).read_text(encoding="utf-8") == text, f"{name} is stale; `make docs` writes it"


def test_every_message_speaks_of_one_thing_as_one() -> None:
    # "1 ledges": a template that counts has a word for one: "{count} [ledge|ledges]"; "{count} of" needs none
    counts = [one for one in every_code().values() if re.search(r"\{count\} (?!of )", one.template)]
    wrong = {one.code for one in counts if numbered(one.template, 1) == numbered(one.template, 2)}
    assert not wrong
    assert open_edges.hit(count=1, length_mm=2.0).message == "1 open edge, 2.0 mm in all: the surface has a border"
    assert open_edges.hit(count=3, length_mm=2.0).message == "3 open edges, 2.0 mm in all: the surface has a border"


def test_every_code_explains_itself() -> None:
    for one in every_code().values():
        text = explained(one)
        for part in ("Why: ", "Example: ", "Do: "):
            assert len(text.partition(part)[2].split("\n")[0]) >= len("nothing."), f"{one.code}: {part} says nothing"


def test_what_every_module_declares_is_in_the_catalogue() -> None:
    declared = set()
    for path in HOUSE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "check" and node.args:
                first = node.args[0]
                if isinstance(first, ast.Constant):
                    declared.add(first.value)
    assert declared == set(every_code())


# --- importing costs nothing ------------------------------------------------------------------------------------------

HEAVY = ("numba", "pybullet", "pydantic", "rapier3d", "scipy", "shapely", "trimesh")


def test_importing_sim3d_loads_nothing_heavy() -> None:
    code = f"import sys, sim3d; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


def test_every_public_name_arrives() -> None:
    for name in sim3d.__all__:
        assert getattr(sim3d, name) is not None
        assert name in dir(sim3d)
    with pytest.raises(AttributeError, match="no attribute 'stnd'"):
        sim3d.stnd  # noqa: B018 - the access is the test


def test_a_verb_is_a_verb_whatever_module_was_loaded_first() -> None:
    verbs = "('check', 'rest', 'settle', 'stand')"
    code = f"import sim3d, sim3d.check, sim3d.stand; print([callable(getattr(sim3d, verb)) for verb in {verbs}])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[True, True, True, True]"


def test_the_version_stands_in_one_word_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == sim3d.__version__
    assert f"## {sim3d.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_readme_is_short_and_begins_with_what_the_tool_answers() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 120
    top = "\n".join(lines[:30])
    assert "make demo" in top
    assert "make test" in top


# --- the machine of findings ------------------------------------------------------------------------------------------


@pytest.fixture
def spotted() -> object:
    """A check of our own, taken out of the registry afterwards."""

    @check("TEST_SPOT", Severity.WARNING, "{count} spots of {size_mm:.1f} mm")
    def spot(sizes: list[float]) -> object:
        """Something has spots.

        Why: it is a test. Example: a ladybird, 1 mm. Do: nothing at all.
        """
        for i, size in enumerate(sizes):
            yield Hit(size_mm=size, area_mm2=size * size, places=[Place(i, 0, 0, size)])

    yield spot
    del CODES["TEST_SPOT"]


def test_ten_thousand_equal_findings_are_one_with_the_worst_places(spotted: Check) -> None:
    report = run_checks((spotted,), [float(i) for i in range(10_000)], file="a.stl").grouped()
    (one,) = report.findings
    assert one.count == 10_000
    assert one.area_mm2 == sum(i * i for i in range(10_000))
    assert [p.size for p in one.places] == [9999, 9998, 9997, 9996, 9995]
    assert "9999 more like it" in one.message


def test_findings_of_two_files_or_severities_stay_apart(spotted: Check) -> None:
    both = run_checks((spotted,), [1.0], file="a") + run_checks((spotted,), [1.0], file="b")
    assert len(both.grouped()) == 2


def test_a_policy_ignores_keeps_regrades_and_knows_a_baseline(spotted: Check) -> None:
    report = run_checks((spotted,), [1.0], file="a/b.stl")
    assert len(report.under(Policy(ignore=("TEST_SPOT",)))) == 0
    assert len(report.under(Policy(only=("OTHER_CODE",)))) == 0
    assert len(report.under(Policy(only=("TEST_SPOT",)))) == 1
    assert len(report.under(Policy(per_file={"a/*": ("TEST_SPOT",)}))) == 0
    assert len(report.under(Policy(per_file={"c/*": ("TEST_SPOT",)}))) == 1
    worse = report.under(Policy(severity={"TEST_SPOT": Severity.ERROR}))
    assert (report.ok, worse.ok) == (True, False)
    known = read_baseline(write_baseline(report))
    assert len(report.under(Policy(baseline=known))) == 0
    assert len(run_checks((spotted,), [1.0], file="new.stl").under(Policy(baseline=known))) == 1
    assert Policy(ignore=("TEST_SPOT", "TSET_SPOT")).unknown_codes() == ("TSET_SPOT",)


@pytest.mark.parametrize("text", ["", "[]", '{"version": 2, "known": []}', '{"version": 1, "known": [1]}', "[" * 9999])
def test_a_broken_baseline_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a baseline file"):
        read_baseline(text)


@pytest.mark.parametrize("code", ["lower_case", "ONEWORD", "R412_", "_A_B", "A__B"])
def test_a_code_is_upper_case_words(code: str) -> None:
    with pytest.raises(ValueError, match="upper-case words"):
        check(code, Severity.ERROR, "")


def test_a_code_without_all_parts_or_twice_is_refused(spotted: Check) -> None:
    with pytest.raises(ValueError, match="twice"):
        check("TEST_SPOT", Severity.ERROR, "")
    with pytest.raises(ValueError, match="lacks Example:"):

        @check("TEST_OTHER", Severity.ERROR, "")
        def other() -> object:
            """Too short. Why: no. Do: more."""


def test_a_refusal_says_every_fault() -> None:
    refused = Refused(Finding("A_B", Severity.ERROR, "one", file="f"), Finding("C_D", Severity.ERROR, "two", line=3))
    assert str(refused) == "f: error A_B: one\n:3: error C_D: two"
    assert Report(refused.report.findings).codes == ("A_B", "C_D")
    assert json.loads(json.dumps(refused.report.as_dict()))["counts"] == {
        "error": 2,
        "warning": 0,
        "info": 0,
        "hint": 0,
    }


def test_the_readme_runs_as_it_is_written() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = (block.split("```")[0] for block in text.split("```python\n")[1:])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", example + "\nprint(board.size_mm, trooper.com, crate.closed)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "(914.4, 914.4) (0.0, 0.0, 15.0) True\n", done.stderr


def test_a_code_without_docstrings_is_refused_unless_python_left_them_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim3d.finding.CODES", {})
    with pytest.raises(ValueError, match="its docstring lacks"):
        check("UNTOLD_FAULT", Severity.ERROR, "")(lambda: None)
    monkeypatch.setattr("sim3d.finding.sys", SimpleNamespace(flags=SimpleNamespace(optimize=2)))
    made = check("UNTOLD_FAULT", Severity.ERROR, "")(lambda: None)
    assert "Python was told to leave explanations out" in explained(made)


@pytest.mark.slow
def test_the_command_works_where_python_leaves_docstrings_out() -> None:
    asked = [sys.executable, "-OO", "-m", "sim3d", "inspect", str(HOUSE.parent / "meshes" / "gallery" / "crate.stl")]
    first, done = (subprocess.run(asked, capture_output=True, text=True, timeout=120) for _ in range(2))
    assert first.returncode == 0, first.stderr  # on a fresh machine it says that loops are compiled
    assert (done.returncode, done.stderr) == (0, "")
