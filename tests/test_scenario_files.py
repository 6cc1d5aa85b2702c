"""Every scenario file, asked: the quick witness on all of them; both on a dozen are in `test_same.py`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim3d.scenario import play_scenario, read_scenario
from tests.stories import FILES, different, kept, replayed, shown


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_every_step_holds_and_is_told_as_it_was(path: Path) -> None:
    result = play_scenario(read_scenario(path), physics="never")
    assert [p.error for p in result.played if p.error] == []
    assert [f"step {p.number}: {judged}" for p in result.played for judged in p.failed] == []
    assert different(replayed(result), kept()[shown(path)]) == ""


def test_there_are_many_and_each_has_one_idea_and_says_it() -> None:
    scenarios = [read_scenario(path) for path in FILES]
    assert len(scenarios) >= 40
    assert [s.file for s in scenarios if not s.about or not s.steps] == []
    assert [s.file for s in scenarios if any(not step.about or not step.expected for step in s.steps)] == []
    assert len({s.about for s in scenarios}) == len(scenarios)


def test_they_ask_for_every_word() -> None:
    from sim3d.stand import WORDS

    expected = {w for path in FILES for s in read_scenario(path).steps for e in s.expected for w in e.words}
    assert set(WORDS) <= expected
