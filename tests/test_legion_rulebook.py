"""Every row of the ledger has code that names it, words in the rulebook, and two scenarios: one bites, one spares."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim3d.report.rulebook import checks_of, scenarios_of
from sim3d.rules.legion.asked import MoveStep
from sim3d.rules.legion.book import RULES
from sim3d.scenario import read_scenario
from tests.house import HOUSE, numbers_in
from tests.legion import SCENARIOS

# the rows, as a literal list: deleting a rule cannot delete its row
IDS = (
    "MV01", "MV02", "MV03", "MV04", "MV05", "MV06", "MV07", "MV08", "MV09", "MV10", "MV11", "MV12", "MV13", "MV14",
    "MV15", "MV16", "MV17", "MV18", "MV19", "CL01", "CL02", "CL03", "CL04", "CL05", "CL06",
    "CO01", "CO02", "CO03", "CO04", "CO05", "CO06", "CO07", "CO08", "CO09", "CO10", "CO11", "CO12", "CO13", "CO14",
    "CO15", "CO16", "DP01", "DP02", "DP03", "DP04", "DP05", "DP06", "DP07", "DP08", "DP09", "DP10", "DP11",
    "CM01", "CM02", "CM03", "CM04", "CM05", "CM06", "CM07", "CM08", "CM09", "CM10", "CM11", "CM12", "CM13",
)  # fmt: skip
PERMISSIVE = (
    "MV09",
    "CO05",
    "CO06",
    "CO09",
    "CO10",
)  # a rule that forbids nothing: its scenarios show a legal and an illegal use of it


def cited(folder: Path) -> dict[str, set[str]]:
    """The ids that each file of code names, outside of the rulebook's own words."""
    found = {}
    for path in sorted(folder.glob("*.py")):
        if path.name != "book.py":
            found[path.name] = set(re.findall(r"\b(?:MV|CL|CO|DP|CM)[0-9]{2}\b", path.read_text(encoding="utf-8")))
    return found


def uncovered(ids: tuple[str, ...], code: dict[str, set[str]], files: list[Path]) -> list[str]:
    """What is missing, row by row."""
    named = set().union(*code.values()) if code else set()
    wrong = [f"{rule}: no code names it" for rule in ids if rule not in named]
    for rule in ids:
        for word in ("bites", "spares"):
            if not any(re.match(rf"{rule.lower()}-{word}(-|\.)", f.name) for f in files):
                wrong.append(f"{rule}: no scenario {word}")
    return wrong


def files() -> list[Path]:
    return sorted(p for p in SCENARIOS.rglob("*.toml") if p.parent.name not in ("setpieces", "stories"))


def test_every_row_has_code_and_scenarios() -> None:
    assert uncovered(IDS, cited(HOUSE / "rules" / "legion"), files()) == []
    assert tuple(RULES) == IDS


@pytest.mark.parametrize("rule", IDS)
def test_a_missing_one_is_noticed(rule: str) -> None:
    code = cited(HOUSE / "rules" / "legion")
    for word in ("bites", "spares"):
        left = [f for f in files() if not f.name.startswith(f"{rule.lower()}-{word}")]
        assert uncovered(IDS, code, left) == [f"{rule}: no scenario {word}"]
    silent = {name: ids - {rule} for name, ids in code.items()}
    assert uncovered(IDS, silent, files()) == [f"{rule}: no code names it"]


@pytest.mark.parametrize("rule", IDS)
def test_a_scenario_that_bites_expects_its_rule_and_one_that_spares_expects_a_yes(rule: str) -> None:
    expected: dict[str, list[str]] = {"bites": [], "spares": []}
    for path in scenarios_of(rule, SCENARIOS):
        word = "bites" if "-bites" in path.name else "spares"
        for step in read_scenario(path).steps:
            assert isinstance(step, MoveStep)
            for one in step.expected:
                if one.key in ("rules", "legal"):
                    expected[word] += one.words
    assert "true" in expected["spares"]
    assert rule in expected["bites"] or (rule in PERMISSIVE and "false" in expected["bites"])
    assert rule not in expected["spares"]


def test_files_are_named_after_a_row_and_nothing_else() -> None:
    assert [f.name for f in files() if f.name[:4].upper() not in IDS] == []


def test_rules_have_checks_where_they_can_be_broken() -> None:
    # the tool is only held; leaders go first, own minis and notches turn in the search for places and ways
    assert [rule for rule in IDS if not checks_of(rule)] == list(PERMISSIVE)


def test_no_number_of_the_rules_hides_in_a_function() -> None:
    """Function bodies of the rules hold no numbers but 0, 1, 2, halves, full turns and roundings."""
    plain = {0, 1, 2, 3, 6, 9, 0.5, 180, 360.0, 90, 270, 1e-6, 1e-9, 1e-12, 1e-15, 15, 9999.0}
    assert numbers_in(HOUSE / "rules" / "legion", plain) == []
