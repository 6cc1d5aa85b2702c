"""Every clause of the ledger has code that carries it out, words, two scenarios; without it, something breaks."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import tests.hexes_cases  # noqa: F401 - fills CASES
from sim3d.report.hexbook import checks_of, scenarios_of
from sim3d.rules.hexes import bake as baking
from sim3d.rules.hexes import traits
from sim3d.rules.hexes.asked import HexStep
from sim3d.rules.hexes.board import Cell
from sim3d.rules.hexes.book import RULES
from sim3d.rules.hexes.traits import CLAUSES
from sim3d.scenario import Scenario, play_scenario, read_scenario
from tests.hexes import CASES, FOLDER
from tests.house import HOUSE, numbers_in

# the clauses, as a literal list: deleting one cannot delete its row
IDS = (
    "HX01a", "HX01b", "HX02a", "HX02b", "HX03a", "HX03b", "HX04a", "HX04b", "HX05a", "HX05b", "HX05c", "HX06a",
    "HX06b", "HX06c", "HX07a", "HX07b", "HX07c", "HX07d", "HX08a", "HX08b", "HX09a", "HX09b", "HX10", "HX11a",
    "HX11b", "HX11c", "HX12a", "HX12b", "HX12c", "HX13",
)  # fmt: skip
TERRAIN = "HX13"  # carried out by the bake; all the others by a function of traits.py
CODE = HOUSE / "rules" / "hexes"


@cache
def scenario(path: Path) -> Scenario:
    return read_scenario(path)


def files() -> list[Path]:
    return sorted(FOLDER.rglob("*.toml"))


def cited() -> dict[str, set[str]]:
    """The ids that each file of code names, outside of the rulebook's own words."""
    return {
        path.name: set(re.findall(r"\bHX[0-9]{2}[a-d]?\b", path.read_text(encoding="utf-8")))
        for path in sorted(CODE.glob("*.py"))
        if path.name != "book.py"
    }


def uncovered(code: dict[str, set[str]], names: list[str]) -> list[str]:
    """What is missing, clause by clause."""
    named = set().union(*code.values())
    wrong = [f"{rule}: no code names it" for rule in IDS if rule not in named]
    for rule in IDS:
        for word in ("bites", "spares"):
            if f"{rule.lower()}-{word}.toml" not in names:
                wrong.append(f"{rule}: no scenario {word}")
    return wrong


def test_every_clause_has_words_code_and_scenarios() -> None:
    assert tuple(RULES) == IDS
    assert sorted([*CLAUSES, TERRAIN]) == sorted(IDS)
    assert uncovered(cited(), [f.name for f in files()]) == []


@pytest.mark.parametrize("rule", IDS)
def test_a_missing_one_is_noticed(rule: str) -> None:
    names = [f.name for f in files()]
    for word in ("bites", "spares"):
        left = [n for n in names if n != f"{rule.lower()}-{word}.toml"]
        assert uncovered(cited(), left) == [f"{rule}: no scenario {word}"]
    silent = {name: ids - {rule} for name, ids in cited().items()}
    assert uncovered(silent, names) == [f"{rule}: no code names it"]


def test_files_are_named_after_a_clause_and_a_dozen_lie_on_terrain() -> None:
    known = {rule.lower() for rule in IDS}
    assert [f.name for f in files() if f.name.split("-")[0] not in known] == []
    baked = [f for f in files() if (plan := scenario(f).plan) is not None and plan.mini is not None]
    assert len(baked) >= 12
    assert all(scenario(f).table.pieces for f in baked)


@pytest.mark.parametrize("rule", IDS)
def test_a_scenario_that_bites_expects_its_clause_and_one_that_spares_does_not(rule: str) -> None:
    expected: dict[str, set[str]] = {"bites": set(), "spares": set()}
    for path in scenarios_of(rule, FOLDER):
        for word, heard in expected.items():
            if path.stem.endswith(f"-{word}"):
                for step in scenario(path).steps:
                    assert isinstance(step, HexStep)
                    told = {e.key: e.words for e in step.expected}
                    assert {"legal", "rules"} <= set(told), (path.name, step.about)
                    heard |= set(told["rules"])
    assert rule in expected["bites"]
    assert rule not in expected["spares"]


def test_every_file_says_what_it_is_about() -> None:
    for path in files():
        assert scenario(path).about.startswith(path.name[:4].upper()), path.name


def test_checks_name_the_clauses_that_forbid() -> None:
    forbid = {r for r in IDS if checks_of(r)}
    assert {"HX01b", "HX02b", "HX03a", "HX03b", "HX05a", "HX05b", "HX05c", "HX06a", "HX07c", "HX08b", "HX09b"} <= forbid
    assert {"HX11b", "HX11c", "HX12c", "HX13"} <= forbid


# --- each clause made a no-op -----------------------------------------------------------------------------------------


def broken_scenarios(paths: list[Path]) -> list[str]:
    """The files of which a step does not hold, or cannot be played."""
    return [p.name for p in paths if not play_scenario(scenario(p)).ok]


@pytest.mark.parametrize("rule", IDS)
def test_without_its_clause_its_own_scenario_breaks(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = [FOLDER / ("terrain" if rule == TERRAIN else "traits") / f"{rule.lower()}-bites.toml"]
    assert broken_scenarios(mine) == []
    if rule == TERRAIN:
        monkeypatch.setattr("sim3d.rules.hexes.asked.board_of", _even)
    else:
        clause = CLAUSES[rule]
        monkeypatch.setattr(traits, clause.function, lambda *_, **__: clause.idle)
    assert broken_scenarios(mine) == [mine[0].name]


def _even(baked: baking.HexField, ruleset: object, units: tuple[object, ...], **more: object) -> object:
    """A board that has not looked at its terrain."""
    from sim3d.rules.hexes import Board

    return Board({at: Cell() for at in baked.spots}, {}, units, phase=str(more["phase"]))


@pytest.mark.parametrize("rule", [r for r in IDS if r != TERRAIN])
def test_without_its_clause_a_case_of_the_plan_breaks(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clause = CLAUSES[rule]
    monkeypatch.setattr(traits, clause.function, lambda *_, **__: clause.idle)
    broken = []
    for name, test in CASES.items():
        try:
            test()
        except (AssertionError, ValueError):
            broken.append(name)
    assert broken != []


@pytest.mark.parametrize(("game", "other"), [("hexes", "legion"), ("legion", "hexes")])
def test_the_two_games_share_no_code(game: str, other: str) -> None:
    files = sorted((HOUSE / "rules" / game).glob("*.py"))
    assert files
    assert [f.name for f in files if f"rules.{other}" in f.read_text(encoding="utf-8")] == []


def test_no_number_of_the_rules_hides_in_a_function() -> None:
    """Bodies hold no numbers but 0, 1, 2, 3 and halves: those of the game are in ruleset.py."""
    plain = {0, 1, 2, 3, 0.5, 1.5, 1e-9, 60, 5, 360}
    assert numbers_in(CODE, plain) == []
