"""Scenarios: a table, questions about its minis, and what is expected of the answers; read strictly, played, accepted.

A step asks about one mini as it is placed, or at the step's own place, with all other minis as obstacles. It moves
nothing: every step sees the table of the file, a move too, unless the file is a `story`. What did not hold is told by
how much, never rounded away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal

from sim3d.expect import Expected, Judged, NumberForm, numbers_expected, unknown_words
from sim3d.finding import Finding, Refused
from sim3d.form import Field, Form, Written, form_bad_value, line_of, parse_form, read_form, with_keys
from sim3d.question import Engine, Word
from sim3d.rules.hexes import Board
from sim3d.rules.hexes import Outcome as HexOutcome
from sim3d.rules.hexes import asked as on_hexes
from sim3d.rules.hexes.forms import HexesForm, HexStepForm
from sim3d.rules.legion import RRG2, Battle, Outcome
from sim3d.rules.legion.asked import MoveStep, MoveStepForm, UnitForm, battle_of, judged_step, played, step_of
from sim3d.stand import NUMBERS, SEEN, WORDS, Physics, Stand, stand
from sim3d.table import Coordinate, Name, Table, TableForm, Turn, known, table_of, table_unknown_name

# the numbers of which a step may expect something: those of a Stand, and two more
ASKED = {"z_mm": "height of the middle of its underside", "friction": "the coefficient there is", **NUMBERS}


@with_keys(ASKED, NumberForm)
class ExpectForm(Form):
    """`expect = { … }`: every key that is there must hold."""

    answer: Word | tuple[Word, ...] | None = Field(default=None, description="the word, or any one of these")
    on: Name | tuple[Name, ...] | None = Field(default=None, description="exactly the pieces that carry it")
    why: Name | tuple[Name, ...] | None = Field(default=None, description="words that the sentence must hold")


class StepForm(Form):
    """`[[step]]`: one question."""

    stand: Name = Field(description="the mini that is asked about")
    about: str = ""
    at: tuple[Coordinate, Coordinate] | None = Field(default=None, description="mm; without it where the mini is")
    turn: Turn | None = Field(default=None, description="degrees; without it as the mini is turned")
    level: Coordinate | Literal["none"] | None = Field(default=None, description="cut height, or none")
    friction: Annotated[float, Field(ge=0, le=10)] | None = Field(default=None, description="product of both surfaces")
    engine: Engine | None = None
    physics: Physics | None = None
    expect: ExpectForm = Field(default_factory=ExpectForm)


class ScenarioForm(TableForm):
    """A scenario file: a table file with steps."""

    unit: tuple[UnitForm, ...] = ()
    story: bool = Field(default=False, description="each step begins where the one before it ended")
    hexes: HexesForm | None = None
    step: tuple[StepForm | MoveStepForm | HexStepForm, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One question, with everything the file leaves to the mini filled in."""

    mini: str
    at: tuple[float, float]
    turn: float
    level: float | None
    friction: float | None
    engine: str | None
    physics: str | None
    expected: tuple[Expected, ...]
    about: str = ""
    line: int | None = None


AnyStep = Step | MoveStep | on_hexes.HexStep


@dataclass(frozen=True, slots=True)
class Scenario:
    """A table and its questions, in the order of the file."""

    file: str
    table: Table
    steps: tuple[AnyStep, ...]
    battle: Battle | None = None  # where the file has units
    story: bool = False  # each step begins where the one before it ended
    plan: on_hexes.Plan | None = None  # where the file has a board of hexes
    lines: dict[str, int] = field(default_factory=dict, repr=False)  # where each key stands, for `accepted`

    @property
    def about(self) -> str:
        """What it is about, in the file's own words."""
        return self.table.about


def read_scenario(path: str | Path) -> Scenario:
    """A scenario or table file (TOML or JSON); `Refused` with every fault of the file and of its meshes at once."""
    return _scenario_of(read_form(path, ScenarioForm), folder=Path(path).parent)


def parse_scenario(text: str, *, folder: str | Path = ".", name: str = "", json_text: bool = False) -> Scenario:
    """Text of a scenario file; mesh paths are taken from `folder`."""
    return _scenario_of(parse_form(text, ScenarioForm, name=name, json_text=json_text), folder=Path(folder))


def _scenario_of(written: Written[ScenarioForm], *, folder: Path) -> Scenario:
    form = written.form
    faults: list[Finding] = []
    table = Table()
    carry: tuple[str, ...] | None = None  # names of what a mini can rest on
    try:
        table = table_of(written, folder=folder)
        carry = (*(p.name for p in table.pieces), "table")
    except Refused as refused:
        faults += refused.report
    battle, unsound = battle_of(written, table) if not faults else (None, [])
    faults += unsound
    plan, unsound = on_hexes.plan_of(written, folder)
    faults += unsound
    placed = {m.name: m for m in form.mini}
    steps: list[AnyStep] = []
    for i, asked in enumerate(form.step):
        pointer = f"/step/{i}"
        if isinstance(asked, MoveStepForm):
            move = step_of(written, asked, pointer, faults)
            steps += [move] if move is not None else []
            continue
        if isinstance(asked, HexStepForm):
            steps += [on_hexes.step_of(written, asked, pointer, faults)]
            continue
        expected = _expected(written, asked.expect, f"{pointer}/expect", carry, faults)
        mini = placed.get(asked.stand)
        if mini is None:
            place = f"{pointer}/stand"
            faults.append(written.fault(table_unknown_name, place, what="mini", name=asked.stand, known=known(placed)))
            continue
        level = mini.level if asked.level is None else asked.level
        steps.append(
            Step(
                mini=mini.name,
                at=asked.at or mini.at,
                turn=mini.turn if asked.turn is None else asked.turn,
                level=None if level == "none" else level,
                friction=asked.friction,
                engine=asked.engine,
                physics=asked.physics,
                expected=expected,
                about=asked.about,
                line=line_of(pointer, written.lines),
            )
        )
    if faults:
        raise Refused(*faults)
    return Scenario(written.name, table, tuple(steps), battle, form.story, plan, dict(written.lines))


def _expected(
    written: Written[ScenarioForm],
    form: ExpectForm,
    pointer: str,
    carry: tuple[str, ...] | None,
    faults: list[Finding],
) -> tuple[Expected, ...]:
    """The expectations of one step; what contradicts itself is a fault, and so is a piece that nobody knows."""

    def wrong(key: str, reason: str) -> None:
        faults.append(written.fault(form_bad_value, f"{pointer}/{key}", key=f"expect.{key}", reason=reason))

    made = []
    for key in ("answer", "on", "why"):
        value = getattr(form, key)
        if value is None:
            continue
        words = (value,) if isinstance(value, str) else tuple(value)
        if not words:
            wrong(key, "an empty list expects nothing")
        for word in words if key == "answer" else ():
            if word not in WORDS:
                near = get_close_matches(word, WORDS, n=1)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                wrong(key, f"{word!r} is no answer; there are: {', '.join(WORDS)}{hint}")
        if key == "on" and carry is not None:
            for reason in unknown_words(words, carry, what="piece", else_see=f"there are: {known(carry)}"):
                wrong(key, reason)
        made.append(Expected(key, words))
    made += numbers_expected({key: getattr(form, key) for key in ASKED}, wrong)
    return tuple(made)


# --- playing ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Played:
    """One step's answer and how it compares; `error` where the question could not be asked."""

    number: int  # from 1, as people count
    step: AnyStep
    stand: Stand | None
    judged: tuple[Judged, ...] = ()
    error: str = ""
    outcome: Outcome | HexOutcome | None = None  # of a move

    @property
    def word(self) -> str:
        """The answer in a word."""
        if self.outcome is not None:
            return "legal" if self.outcome.legal else "not legal"
        return self.stand.answer if self.stand else "error"

    @property
    def ok(self) -> bool:
        """Asked, and nothing expected failed to hold."""
        return not self.error and all(j.held is not False for j in self.judged)

    @property
    def failed(self) -> tuple[Judged, ...]:
        """The expectations that did not hold."""
        return tuple(j for j in self.judged if j.held is False)


@dataclass(frozen=True, slots=True)
class Result:
    """A scenario and what came out, step by step."""

    scenario: Scenario
    played: tuple[Played, ...]

    @property
    def ok(self) -> bool:
        """Every step held."""
        return all(p.ok for p in self.played)


def play_scenario(
    scenario: Scenario,
    *,
    engine: str | None = None,
    physics: str | None = None,
    stand: Callable[..., Stand] = stand,
) -> Result:
    """Ask every step; `engine` and `physics` given here overrule the file."""
    played_steps = []
    battle, table = scenario.battle, scenario.table
    board: Board | None = None  # as a story has left it
    for number, step in enumerate(scenario.steps, 1):
        if isinstance(step, MoveStep):
            played_steps.append(_moved(number, step, battle, physics=physics or "always", engine=engine))
            outcome = played_steps[-1].outcome
            if scenario.story and isinstance(outcome, Outcome):
                battle, table = outcome.battle, outcome.battle.table
            continue
        if isinstance(step, on_hexes.HexStep):
            how = physics or "never"
            played_steps.append(_on_hexes(number, step, scenario, board, physics=how, engine=engine))
            outcome = played_steps[-1].outcome
            if scenario.story and isinstance(outcome, HexOutcome):
                board = outcome.board
            continue
        how = physics or step.physics or "always"
        placed, first = table.mini(step.mini), scenario.table.mini(step.mini)
        mini = placed.mini
        told: dict[str, Any] = {"at": step.at, "turn": step.turn, "level": step.level, "friction": step.friction}
        if scenario.story:  # as it is placed by now
            told |= {key: getattr(placed, key) for key in ("at", "turn", "level") if told[key] == getattr(first, key)}
        told["material"] = placed.material
        try:
            answer = stand(table.without(step.mini), mini, **told, engine=engine or step.engine, physics=how)
        except ValueError as error:
            played_steps.append(Played(number, step, None, error=_why(error)))
            continue
        seen = how == "always" or answer.drift_mm is not None
        judged = tuple(judge(e, answer, seen=seen) for e in step.expected)
        played_steps.append(Played(number, step, answer, judged))
    return Result(scenario, tuple(played_steps))


def _moved(number: int, step: MoveStep, battle: Battle | None, *, physics: str, engine: str | None) -> Played:
    """A move, played on the battle of the file, or in a story on what came of the step before."""
    assert battle is not None  # a step that moves a unit was read with its units
    try:
        outcome = played(step, battle, RRG2, physics=physics, engine=engine)
    except ValueError as error:
        return Played(number, step, None, error=_why(error))
    return Played(number, step, None, tuple(judged_step(e, outcome) for e in step.expected), outcome=outcome)


def _on_hexes(
    number: int,
    step: on_hexes.HexStep,
    scenario: Scenario,
    board: Board | None,
    *,
    physics: str,
    engine: str | None,
) -> Played:
    """A move on the board of the file, or in a story on what came of the step before.

    Its terrain is baked once, without an engine unless one is asked for.
    """
    assert scenario.plan is not None  # a step on hexes was read with its board
    try:
        if board is None:
            board = scenario.plan.board(scenario.table, physics=physics, engine=engine)  # type: ignore[arg-type]
        outcome = on_hexes.played(step, board, scenario.plan.ruleset)
    except ValueError as error:
        return Played(number, step, None, error=_why(error))
    return Played(number, step, None, tuple(on_hexes.judged_step(e, outcome) for e in step.expected), outcome=outcome)


def _why(error: ValueError) -> str:
    """Why a question could not be asked, on one line: every reason with its code."""
    if isinstance(error, Refused):
        return "; ".join(f"{f.code}: {f.message}" for f in error.report)
    return str(error)


def judge(expected: Expected, answer: Stand, *, seen: bool = True) -> Judged:
    """One expectation against an answer; what only an engine sees is not judged where none looked."""
    key = expected.key
    if key == "answer":
        return Judged(expected, answer.answer, answer.answer in expected.words)
    if key == "why":
        return Judged(expected, answer.why, all(word in answer.why for word in expected.words))
    if key == "on":
        carry = tuple(sorted({contact.piece for contact in answer.contacts}))
        return Judged(expected, carry, carry == tuple(sorted(set(expected.words))))
    if key in SEEN and not seen:
        return Judged(expected, None, None)
    number = (answer.pose.place[2] if answer.pose else None) if key == "z_mm" else getattr(answer, key)
    if number is None:
        return Judged(expected, None, False)
    return Judged(expected, float(number), expected.holds(number), expected.beyond(number))
