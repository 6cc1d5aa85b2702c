"""Every test case of the hex game's traits by its id; and each clause made a no-op breaks at least one of them."""

from __future__ import annotations

import pytest

import tests.hexes_cases  # noqa: F401 - fills CASES
from sim3d.rules.hexes import traits
from sim3d.rules.hexes.traits import CLAUSES, Clause
from tests.hexes import CASES

# how many cases each group of the plan has, as a literal list: deleting a case cannot delete its id
COUNTS = {
    "B": range(1, 5), "BW": range(1, 7), "CS": range(1, 7), "FL": range(1, 8), "ID": range(1, 7), "IM": range(1, 8),
    "LK": range(1, 9), "NI": range(1, 8), "SD": range(7), "SK": range(1, 8), "TI": range(1, 9), "TR": range(1, 9),
    "UN": range(1, 8), "PH": range(1, 6),
}  # fmt: skip
IDS = tuple(f"{group}{n}" for group, numbers in COUNTS.items() for n in numbers)


def test_every_case_of_the_plan_is_here() -> None:
    assert tuple(CASES) == IDS
    assert len(IDS) == 93


@pytest.mark.parametrize("name", IDS)
def test_case(name: str) -> None:
    CASES[name]()


def broken_by(clause: Clause, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The cases that fail, or cannot even be played, without a clause."""
    monkeypatch.setattr(traits, clause.function, lambda *_, **__: clause.idle)
    broken = []
    for name, test in CASES.items():
        try:
            test()
        except (AssertionError, ValueError):
            broken.append(name)
    return broken


@pytest.mark.parametrize("clause", CLAUSES.values(), ids=CLAUSES)
def test_without_its_clause_a_case_fails(clause: Clause, monkeypatch: pytest.MonkeyPatch) -> None:
    assert broken_by(clause, monkeypatch) != []
