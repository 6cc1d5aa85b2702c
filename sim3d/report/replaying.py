"""A story told again: a scenario file with every choice and every die written down, and what came of each step."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim3d.form import to_toml
from sim3d.rules.hexes.asked import HexStep
from sim3d.rules.legion import Outcome
from sim3d.rules.legion.asked import MoveStep, move_data, unit_data
from sim3d.scenario import Played, Result, Step
from sim3d.stand import Stand
from sim3d.table import Placed, Table, table_data


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
    data["step"] = [_step_data(played, scenario.table) for played in result.played]
    head = {key: data.pop(key) for key in ("about", "story") if key in data}
    return to_toml(head | data)


def _step_data(played: Played, table: Table) -> dict[str, Any]:
    """A step with all that was chosen in it, and what came of it."""
    if played.error:
        raise ValueError(f"step {played.number} was not played: {played.error}")
    if isinstance(played.step, MoveStep) and isinstance(played.outcome, Outcome):
        return move_data(played.step, played.outcome)
    if isinstance(played.step, Step) and played.stand is not None:
        return _stand_data(played.step, played.stand, table.mini(played.step.mini))
    raise ValueError(f"step {played.number} is on hexes; only steps that move units, or ask about a mini, are recorded")


def _stand_data(step: Step, stand: Stand, placed: Placed) -> dict[str, Any]:
    """A question; what is as the mini is placed is left out, for in a story the mini may be elsewhere by then."""
    asked = {"at": list(step.at), "turn": step.turn, "level": "none" if step.level is None else step.level}
    usual = {"at": list(placed.at), "turn": placed.turn, "level": "none" if placed.level is None else placed.level}
    told: dict[str, Any] = {"stand": step.mini, "about": step.about or None}
    told |= {key: value for key, value in asked.items() if value != usual[key]}
    told |= {"friction": step.friction, "engine": step.engine, "physics": step.physics}
    return told | {"expect": {"answer": stand.answer}}
