"""What `sim3d move` says: each move of a scenario, its judgement and its outcome, as text or as data with a schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sim3d.form import Field, Form, to_json
from sim3d.report.inspection import FindingForm
from sim3d.rules.hexes import Outcome as HexOutcome
from sim3d.rules.hexes import asked as hexes
from sim3d.rules.legion import Outcome
from sim3d.rules.legion import asked as legion
from sim3d.scenario import Played, Result, Step


class MiniEndForm(Form):
    """Where a mini ends."""

    name: str
    at: tuple[float, float]
    turn: float
    level: float | None = None


class OutcomeForm(Form):
    """A move's judgement and what came of it."""

    edition: str
    legal: bool
    rules: list[str]
    findings: list[FindingForm]
    events: list[FindingForm]
    wounds: int
    suppression: int
    defeated: bool
    displaced: list[str]
    speed: int = Field(description="the greatest speed it may move at, as reduced")
    minis: list[MiniEndForm] = Field(description="those of the unit that moves")
    put_back: list[MiniEndForm] = Field(
        default=[], description="where minis are put that were displaced, and those that follow a displaced leader"
    )
    full_mm: float | None = None
    stop_mm: float | None = None


class HexWoundsForm(Form):
    """What a unit suffers by a Trample."""

    unit: str
    wounds: int


class HexOutcomeForm(Form):
    """The judgement of a move on hexes and what came of it."""

    edition: str
    legal: bool
    rules: list[str]
    findings: list[FindingForm]
    events: list[FindingForm]
    end: tuple[int, int, int] = Field(description="q, r and level of the hex it is on afterwards")
    spent: int = Field(description="movement points")
    stopped_by: list[str]
    melee: bool
    charge: bool | None
    trodden: list[tuple[int, int, int]]
    dice: int
    wounds: list[HexWoundsForm]
    morale: int


class MoveResultForm(Form):
    """One move of the file."""

    step: int
    unit: str
    move: str
    about: str = ""
    error: str = ""
    outcome: OutcomeForm | HexOutcomeForm | None = None


class MovingForm(Form):
    """What `sim3d move --json` prints."""

    version: int = 1
    file: str
    moves: list[MoveResultForm]


def moves_of(result: Result) -> tuple[Played, ...]:
    """The steps that are moves."""
    return tuple(p for p in result.played if not isinstance(p.step, Step))


def outcome_data(outcome: Outcome | HexOutcome) -> dict[str, Any]:
    """An outcome of either game as plain data."""
    return hexes.outcome_data(outcome) if isinstance(outcome, HexOutcome) else legion.outcome_data(outcome)


def told(outcome: Outcome | HexOutcome) -> list[str]:
    """An outcome of either game in a player's words."""
    return hexes.told(outcome) if isinstance(outcome, HexOutcome) else legion.told(outcome)


def all_legal(moves: Sequence[Played]) -> bool:
    """Whether every move could be judged and is legal."""
    return all(p.outcome is not None and p.outcome.legal for p in moves)


def moving_text(result: Result) -> str:
    """A paragraph for each move."""
    lines = []
    for p in moves_of(result):
        assert not isinstance(p.step, Step)
        about = f": {p.step.about}" if p.step.about else ""
        said = told(p.outcome) if p.outcome is not None else [p.error]
        lines += [f"{p.number}. {p.step.move.unit}, {p.step.move.kind}{about}", *(f"   {line}" for line in said), ""]
    return "\n".join(lines).rstrip() + "\n"


def moving_json(result: Result) -> str:
    """Stable JSON text, as docs/schema/move.schema.json describes it."""
    moves = []
    for p in moves_of(result):
        assert not isinstance(p.step, Step)
        one = {"step": p.number, "unit": p.step.move.unit, "move": p.step.move.kind, "about": p.step.about}
        one |= {"error": p.error, "outcome": None if p.outcome is None else outcome_data(p.outcome)}
        moves.append(one)
    return to_json({"version": 1, "file": result.scenario.file, "moves": moves})
