"""A story told again: a scenario file with every choice and every die written down, and what came of each step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim3d.form import to_toml
from sim3d.rules.hexes.asked import HexStep
from sim3d.rules.legion import Outcome
from sim3d.rules.legion.asked import MoveStep, move_data, unit_data
from sim3d.scenario import Result
from sim3d.table import table_data


def on_hexes(result: Result) -> bool:
    """Whether any step moves a unit on hexes: that is no story of this kind."""
    return any(isinstance(p.step, HexStep) for p in result.played)


def replay_text(result: Result, *, folder: Path) -> str:
    """The text of a file in `folder` that plays to the same end; `ValueError` names what no file can say."""
    scenario = result.scenario
    assert scenario.battle is not None
    data = table_data(scenario.table, folder=folder)
    data["story"] = scenario.story
    data["unit"] = [unit_data(unit) for unit in scenario.battle.units]
    steps: list[dict[str, Any]] = []
    for p in result.played:
        if isinstance(p.step, MoveStep) and isinstance(p.outcome, Outcome):
            steps.append(move_data(p.step, p.outcome))
    data["step"] = steps
    head = {key: data.pop(key) for key in ("about", "story") if key in data}
    return to_toml(head | data)
