"""Every test case of the hex game's traits by its id; test_hexes_rulebook.py breaks them, clause by clause."""

from __future__ import annotations

import pytest

import tests.hexes_cases  # noqa: F401 - fills CASES
from tests.hexes import CASES, JUDGED

# how many cases each group of the plan has, as a literal list: deleting a case cannot delete its id
COUNTS = {
    "CS": range(1, 7), "IM": range(1, 8), "SD": range(7), "TI": range(1, 9),
    "FL": range(1, 8), "ID": range(1, 7), "SK": range(1, 8), "TR": range(1, 9), "PH": range(1, 6),
    "B": range(1, 5), "BW": range(1, 7), "LK": range(1, 9), "NI": range(1, 8), "UN": range(1, 8),
}  # fmt: skip
IDS = tuple(f"{group}{n}" for group, numbers in COUNTS.items() for n in numbers)


def test_every_case_of_the_plan_is_here() -> None:
    assert tuple(CASES) == IDS
    assert len(IDS) == 93


@pytest.mark.parametrize("name", IDS)
def test_case(name: str) -> None:
    before = len(JUDGED)
    CASES[name]()
    assert len(JUDGED) > before, "a case that judges no outcome proves nothing"
