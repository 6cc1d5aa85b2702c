"""Units and moves as scenario files say them: strict forms, the values they describe, what a step expects of a move."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Annotated, Any, Literal

from sim3d.expect import Expected, Judged, NumberForm, numbers_expected, unknown_words
from sim3d.finding import CODES, Finding, Refused
from sim3d.form import Field, Form, Written, form_bad_value, line_of
from sim3d.rules.legion.actions import KINDS, NO_ACTION, OTHER_ACTIONS
from sim3d.rules.legion.battle import Battle
from sim3d.rules.legion.book import RULES
from sim3d.rules.legion.judge import AFTER_MOVE, Outcome, play
from sim3d.rules.legion.move import FACES, Follower, Move
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.standing import asking
from sim3d.rules.legion.unit import TYPES, State, Unit, known_keywords
from sim3d.table import Coordinate, Name, Placed, Table, Turn, known

Speed = Annotated[int, Field(ge=1, le=3)]
Count = Annotated[int, Field(ge=0, le=100)]
NUMBERS = ("x_mm", "y_mm", "z_mm", "facing_deg", "stop_mm", "full_mm", "gap_mm", "rise_mm")
NAMED = ("rules", "codes", "displaced", "suppressed", "triggers")
COUNTS = ("legal", "defeated", "wounds", "suppression", "speed")


class StateForm(Form):
    """`state = { … }`: what a unit has done and suffered."""

    done: tuple[Annotated[str, Field(json_schema_extra={"enum": [*KINDS, *OTHER_ACTIONS]})], ...] = Field(
        default=(), description="the actions of this activation so far"
    )
    immobilized: Count = 0
    suppression: Count = 0
    wounds: Count = 0
    spurred: bool = False
    objective: bool = Field(default=False, description="it holds an objective")
    aboard: str = Field(default="", description="the unit that carries it; its minis are then off the table")
    pushed: tuple[Name, ...] = Field(default=(), description="units that it has displaced in this activation")
    compulsory: Literal["", "start", "end"] = Field(default="", description="when its compulsory move was made")
    ordered: bool = Field(default=False, description="it has a face-up order")
    withdrawn: bool = Field(default=False, description="it has withdrawn in this activation")
    jumped: bool = Field(default=False, description="it has jumped in this activation")
    extra: Count = Field(default=0, description="actions that what it has done took over the usual ones")
    defeated: bool = Field(
        default=False, description="it is destroyed; minis of it that lie on the table are in the way and no enemies"
    )


class UnitForm(Form):
    """`[[unit]]`: a unit of the game."""

    name: Name
    side: Name
    type: Annotated[str, Field(json_schema_extra={"enum": list(TYPES)})]
    speed: Annotated[int, Field(ge=0, le=3)]
    leader: Name = Field(description="the mini that moves by the tool")
    minis: tuple[Name, ...] = Field(default=(), description="all of them; without it the leader alone")
    keywords: tuple[Name, ...] = Field(default=(), description=f"of: {', '.join(known_keywords())}")
    weapons: tuple[Literal["melee", "ranged"], ...] = ()
    state: StateForm = Field(default_factory=StateForm)


class PlaceForm(Form):
    """One item of `place`: where a mini is put after its leader."""

    mini: Name
    at: tuple[Coordinate, Coordinate]
    turn: Turn | None = None
    level: Coordinate | Literal["none"] | None = Field(default=None, description="cut height; without it the leader's")

    def follower(self) -> Follower:
        """The value it describes."""
        return Follower(self.mini, self.at, self.turn, math.inf if self.level == "none" else self.level)


class MoveExpectForm(Form):
    """`expect = { … }` of a move: every key that is there must hold."""

    legal: bool | None = None
    rules: tuple[Name, ...] | None = Field(default=None, description="exactly the rules that speak against it or bite")
    codes: tuple[Name, ...] | None = Field(default=None, description="exactly the codes of its findings and events")
    why: Name | tuple[Name, ...] | None = Field(default=None, description="words that the messages must hold")
    displaced: tuple[Name, ...] | None = Field(default=None, description="exactly the minis that are pushed aside")
    suppressed: tuple[Name, ...] | None = Field(default=None, description="exactly the units that gain a suppression")
    triggers: tuple[Name, ...] | None = Field(default=None, description="exactly what it sets off")
    wounds: Count | None = None
    suppression: Count | None = Field(default=None, description="how many are gained, over all units")
    defeated: bool | None = None
    speed: Count | None = Field(default=None, description="its maximum speed, as reduced")
    x_mm: NumberForm | None = Field(default=None, description="where the leader ends")
    y_mm: NumberForm | None = None
    z_mm: NumberForm | None = None
    facing_deg: NumberForm | None = None
    stop_mm: NumberForm | None = Field(default=None, description="how far it comes before terrain stops it")
    full_mm: NumberForm | None = Field(default=None, description="how far a full move goes")
    gap_mm: NumberForm | None = Field(default=None, description="of a climb: from the base to the wall")
    rise_mm: NumberForm | None = Field(default=None, description="of a climb: how far up")


class MoveStepForm(Form):
    """`[[step]]` with `move`: a unit moves, or takes another action; every step sees the table of the file."""

    move: Annotated[str, Field(json_schema_extra={"enum": [*KINDS, *NO_ACTION, *OTHER_ACTIONS]})]
    unit: Name
    about: str = ""
    begins: bool = Field(default=False, description="the unit's activation begins: what it did before is forgotten")
    tool: Speed | None = Field(default=None, description="speed of the tool; without it the unit's")
    start_deg: Turn | None = Field(
        default=None, description="the table's direction that the tool leaves the base in; else ahead"
    )
    bend_deg: Annotated[float, Field(ge=-180, le=180)] = Field(
        default=0.0, description="at the hinge, left is positive"
    )
    travel_mm: Annotated[float, Field(ge=0, le=1000)] | None = Field(default=None, description="without it a full move")
    turn_deg: Annotated[float, Field(ge=-360, le=360)] = Field(
        default=0.0, description="of a pivot, or of a reposition"
    )
    reposition: Literal["", "before", "after"] = Field(default="", description="when its free pivot is made")
    end_at: tuple[Coordinate, Coordinate] | None = Field(default=None, description="where the player put the leader")
    end_turn: Turn | None = Field(
        default=None,
        description="how the player put the leader: a round base as it likes, others as the move turns them",
    )
    level: Coordinate | None = Field(default=None, description="cut height: it ends on what lies below")
    way: Literal["up", "down"] = Field(default="up", description="of a climb or clamber")
    to: tuple[Coordinate, Coordinate] | None = Field(default=None, description="where a climb ends; else on the edge")
    place: tuple[PlaceForm, ...] = Field(default=(), description="where the unit's other minis are put")
    displace: tuple[PlaceForm, ...] = Field(default=(), description="where the other player puts displaced minis")
    displacer: str = Field(default="", description="the side that puts them there")
    compulsory: bool = Field(default=False, description="a compulsory move: as far as it has to go")
    gather: bool = Field(default=False, description="minis that `place` leaves out go where a place is found")
    seed: Count = Field(default=0, description="of the search for those places")
    melee: str = Field(default="", description="the enemy unit whose melee is entered")
    dice: tuple[Annotated[str, Field(json_schema_extra={"enum": list(FACES)})], ...] = ()
    speed_x: Speed | None = Field(default=None, description="the x of the speed-x effect that this move serves")
    free: bool = False
    jump: bool = False
    withdraw: bool = False
    direct: bool = Field(default=False, description="put straight at its end, not slid along the tool")
    vehicle: str = ""
    begin: tuple[Coordinate, Coordinate] | None = Field(
        default=None, description="where a leader is set down who disembarks or is deployed"
    )
    expect: MoveExpectForm = Field(default_factory=MoveExpectForm)


@dataclass(frozen=True, slots=True)
class MoveStep:
    """One move of a scenario."""

    move: Move
    expected: tuple[Expected, ...]
    about: str = ""
    line: int | None = None
    begins: bool = False

    @property
    def mini(self) -> str:
        """Whom it is about."""
        return self.move.unit


def battle_of(written: Written[Any], table: Table) -> tuple[Battle | None, list[Finding]]:
    """The battle that a file describes, and what is wrong with it; none without units."""
    forms: tuple[UnitForm, ...] = written.form.unit
    if not forms:
        return None, []
    units, gone = [], set()
    for form in forms:
        minis = form.minis or (form.leader,)
        carried: tuple[Placed, ...] = ()
        if form.state.aboard:
            carried = tuple(m for m in table.minis if m.name in minis)
            gone |= set(minis)
        state = State(
            form.state.done,
            form.state.immobilized,
            form.state.suppression,
            form.state.wounds,
            form.state.defeated,
            form.state.spurred,
            form.state.objective,
            form.state.aboard,
            form.state.pushed,
            form.state.compulsory,
            form.state.ordered,
            form.state.withdrawn,
            form.state.jumped,
            form.state.extra,
        )
        melee = "melee" in form.weapons
        told = (form.name, form.side, form.type, form.speed, form.leader, minis, form.keywords, melee, state, carried)
        units.append(Unit(*told))  # type: ignore[arg-type]
    names = [f.name for f in forms]
    faults = [
        written.fault(form_bad_value, f"/unit/{i}/state/pushed", key="state.pushed", reason=reason)
        for i, form in enumerate(forms)
        for reason in (
            f"no unit is called {n!r}; there are: {known(names)}" for n in form.state.pushed if n not in names
        )
    ]
    if faults:
        return None, faults
    for name in sorted(gone):
        if name in [m.name for m in table.minis]:
            table = table.without(name)
    try:
        return Battle(table, tuple(units)), []
    except Refused as refused:
        return None, [
            Finding(
                f.code, f.severity, f.message, written.name, f.pointer, line_of(f.pointer, written.lines), 1, None, (),
                f.numbers,
            )
            for f in refused.report
        ]  # fmt: skip


def step_of(written: Written[Any], form: MoveStepForm, pointer: str, faults: list[Finding]) -> MoveStep | None:
    """The move that a step describes; a word that means nothing is a fault."""

    def wrong(key: str, reason: str) -> None:
        faults.append(written.fault(form_bad_value, f"{pointer}/{key}", key=key.replace("/", "."), reason=reason))

    if form.move not in (*KINDS, *NO_ACTION, *OTHER_ACTIONS):
        wrong("move", f"{form.move!r} is no move; there are: {', '.join((*KINDS, *NO_ACTION, *OTHER_ACTIONS))}")
        return None
    if form.unit not in [u.name for u in written.form.unit]:
        known = ", ".join(u.name for u in written.form.unit) or "none"
        wrong("unit", f"no unit is called {form.unit!r}; there are: {known}")
        return None
    for face in form.dice:
        if face not in FACES:
            wrong("dice", f"a white die has no face {face!r}; there are: {', '.join(FACES)}")
    followers = tuple(p.follower() for p in form.place)
    move = Move(
        unit=form.unit, kind=form.move, tool=form.tool, start_deg=form.start_deg, bend_deg=form.bend_deg,
        travel_mm=form.travel_mm, turn_deg=form.turn_deg, end_at=form.end_at, end_turn=form.end_turn,
        level=form.level, up=form.way == "up", to=form.to, followers=followers, melee=form.melee, dice=form.dice,
        speed_x=form.speed_x, free=form.free, jump=form.jump, withdraw=form.withdraw, direct=form.direct,
        vehicle=form.vehicle, begin=form.begin, gather=form.gather, seed=form.seed,
        displaced=tuple(p.follower() for p in form.displace), displacer=form.displacer,
        compulsory=form.compulsory, reposition=form.reposition,
    )  # fmt: skip
    for key, reason in _never(form.expect, written.form.unit):
        wrong(f"expect/{key}", reason)
    return MoveStep(move, tuple(_expected(form.expect, wrong)), form.about, line_of(pointer, written.lines),
                    form.begins)  # fmt: skip


def _never(form: MoveExpectForm, units: Iterable[UnitForm]) -> Iterable[tuple[str, str]]:
    """Words that can never come out, whatever the move; each with its key."""
    names = [u.name for u in units]
    minis = [mini for u in units for mini in (u.leader, *u.minis)]
    there = {
        "rules": (RULES, "rule", "docs/rulebook.md lists them all"),
        "codes": (CODES, "code", "`sim3d explain` lists them all"),
        "displaced": (minis, "mini of a unit", f"there are: {known(dict.fromkeys(minis))}"),
        "suppressed": (names, "unit", f"there are: {known(names)}"),
        "triggers": ((AFTER_MOVE,), "trigger", f"there is: {AFTER_MOVE}"),
    }
    for key, (words, what, else_see) in there.items():
        for reason in unknown_words(getattr(form, key) or (), tuple(words), what=what, else_see=else_see):
            yield key, reason


def _expected(form: MoveExpectForm, wrong: Callable[[str, str], None]) -> Iterable[Expected]:
    for key in COUNTS:
        value = getattr(form, key)
        if value is not None:
            yield Expected(key, (str(value).lower(),), bare=True)
    for key in NAMED:
        value = getattr(form, key)
        if value is not None:
            yield Expected(key, tuple(value))
    if form.why == ():
        wrong("expect/why", "an empty list expects nothing")
    elif form.why is not None:
        yield Expected("why", (form.why,) if isinstance(form.why, str) else tuple(form.why))
    yield from numbers_expected({key: getattr(form, key) for key in NUMBERS}, lambda k, r: wrong(f"expect/{k}", r))


def played(step: MoveStep, battle: Battle, ruleset: Ruleset, *, physics: str, engine: str | None) -> Outcome:
    """The outcome of a step: places are sought by statics, where it ends is asked with as much physics as is wanted."""
    if step.begins:
        battle = battle.with_unit(
            battle.unit(step.move.unit).after(done=(), extra=0, pushed=(), compulsory="", withdrawn=False, jumped=False)
        )
    return play(step.move, battle, ruleset, standing=asking(physics, engine))  # type: ignore[arg-type]


def judged_step(expected: Expected, outcome: Outcome) -> Judged:
    """One expectation against an outcome."""
    key = expected.key
    findings = (*outcome.findings, *outcome.events)
    if key in COUNTS:
        got = outcome.made.speed if key == "speed" else getattr(outcome, key)
        word = str(got).lower()
        return Judged(expected, word, (word,) == expected.words)
    if key == "why":
        text = " ".join(f.message for f in findings)
        return Judged(expected, text, all(word in text for word in expected.words))
    if key in NAMED:
        named: dict[str, tuple[str, ...]] = {
            "rules": outcome.rules,
            "codes": tuple(dict.fromkeys(f.code for f in findings)),
            "displaced": outcome.displaced,
            "suppressed": outcome.suppressed,
            "triggers": outcome.triggers,
        }
        return Judged(expected, named[key], tuple(sorted(named[key])) == tuple(sorted(expected.words)))
    number = _number(key, outcome)
    if number is None:
        return Judged(expected, None, False)
    return Judged(expected, number, expected.holds(number), expected.beyond(number))


def _number(key: str, outcome: Outcome) -> float | None:
    made = outcome.made
    if key in ("x_mm", "y_mm"):
        return made.end.at[0 if key == "x_mm" else 1]
    if key == "z_mm":
        pose = made.stands[0].pose if made.stands else None
        return None if pose is None else pose.place[2]
    if key == "facing_deg":
        return made.end.turn
    if key == "stop_mm":
        return made.stop_mm
    if key == "full_mm":
        return None if made.path is None else made.path.full_mm
    if made.climb is None:
        return None
    return made.climb.gap_mm if key == "gap_mm" else made.climb.rise_mm


def told(outcome: Outcome) -> list[str]:
    """The judgement and the outcome in a player's words, a line each; the first names the edition."""
    lines = [f"{'legal' if outcome.legal else 'not legal'} ({outcome.edition})"]
    for f in (*outcome.findings, *outcome.events):
        lines.append(f"  {'/'.join(str(dict(f.numbers).get('rules', '')).split())}  {f.code}: {f.message}")
    made = outcome.made
    if outcome.legal and not outcome.defeated and made.put:
        by_name = {mini.name: mini for mini in made.ends}
        for name, stand in zip(made.put, made.stands, strict=True):  # the leader first, then who is put with it
            mini = by_name[name]
            x, y = (_plain(v, 1) for v in mini.at)
            lines.append(f"  {mini.name} ends at {x}, {y}, facing {_plain(mini.turn, 1)}°: {stand.why}")
        lines += [f"  {line}" for line in _aboard(outcome)]
    for back in made.displacement.backs if outcome.legal and made.displacement is not None else ():
        what = "is put back" if back.set_aside else "follows its leader"
        x, y = (_plain(v, 1) for v in back.mini.at)
        lines.append(f"  {back.mini.name} {what} at {x}, {y}, facing {_plain(back.mini.turn, 1)}°: {back.stand.why}")
    for what in ("wounds", "suppression"):
        if getattr(outcome, what):
            lines.append(f"  {what}: {getattr(outcome, what)}")
    if outcome.defeated:
        lines.append(f"  {made.unit.name} is defeated")
    if outcome.displaced:
        lines.append(f"  displaced: {', '.join(outcome.displaced)}")
    return lines


def outcome_data(outcome: Outcome) -> dict[str, Any]:
    """Plain data for JSON."""
    made = outcome.made
    data: dict[str, Any] = {
        "edition": outcome.edition,
        "legal": outcome.legal,
        "rules": list(outcome.rules),
        "findings": [f.as_dict() for f in outcome.findings],
        "events": [f.as_dict() for f in outcome.events],
        "wounds": outcome.wounds,
        "suppression": outcome.suppression,
        "defeated": outcome.defeated,
        "displaced": list(outcome.displaced),
        "speed": made.speed,
        "minis": [_place_data(m) for m in made.ends],
    }
    if made.displacement is not None:
        data["put_back"] = [_place_data(m) for m in made.displacement.places]
    if made.path is not None:
        data["full_mm"] = round(made.path.full_mm, 6)
    if made.stop_mm is not None:
        data["stop_mm"] = round(made.stop_mm, 3)
    return data


def _place_data(mini: Placed) -> dict[str, Any]:
    """Where a mini ends, as data."""
    data = {"name": mini.name, "at": [round(v, 6) + 0.0 for v in mini.at], "turn": round(mini.turn, 6) + 0.0}
    return data | ({} if mini.level is None else {"level": round(mini.level, 6)})


# --- written down again -----------------------------------------------------------------------------------------------


def unit_data(unit: Unit) -> dict[str, Any]:
    """A unit as a scenario file says it."""
    usual, state = State(), unit.state
    told = {f.name: getattr(state, f.name) for f in fields(State) if getattr(state, f.name) != getattr(usual, f.name)}
    data: dict[str, Any] = {"name": unit.name, "side": unit.side, "type": unit.type, "speed": unit.speed}
    data |= {"leader": unit.leader, "minis": list(unit.minis)}
    data |= {"keywords": list(unit.keywords)} if unit.keywords else {}
    data |= {"weapons": ["melee"]} if unit.melee else {}
    return data | ({"state": {k: list(v) if isinstance(v, tuple) else v for k, v in told.items()}} if told else {})


def move_data(step: MoveStep, outcome: Outcome) -> dict[str, Any]:
    """A move as a scenario file says it, every choice that was made in it written down, and what came of it."""
    move, made = step.move, outcome.made
    usual = Move(move.unit)
    names = {"up": "way", "kind": "move", "displaced": "displace", "followers": "place"}
    told: dict[str, Any] = {"move": move.kind, "unit": move.unit, "about": step.about, "begins": step.begins}
    if made.tool is not None:
        told["tool"] = made.tool.speed
    for f in fields(Move):
        value = getattr(move, f.name)
        if f.name not in ("unit", "kind", "tool", "followers", "displaced", "gather", "up") and value != getattr(
            usual, f.name
        ):
            told[names.get(f.name, f.name)] = list(value) if isinstance(value, tuple) else value
    if not move.up:
        told["way"] = "down"
    if outcome.faces:
        told["dice"] = list(outcome.faces)
    place, displace = move.followers, move.displaced
    if outcome.legal:
        backs = made.displacement.places if made.displacement is not None else ()
        place = tuple(Follower.of(m) for m in made.ends[1:] if m.name in made.put)
        displace = tuple(Follower.of(m) for m in backs)
    else:  # nobody went anywhere: what was asked is asked again, a search for places, too
        told["gather"] = move.gather
    told |= {
        key: [_followed_data(f) for f in minis] for key, minis in (("place", place), ("displace", displace)) if minis
    }
    told["expect"] = {"legal": outcome.legal, "rules": list(outcome.rules), "wounds": outcome.wounds}
    return {key: value for key, value in told.items() if value not in ("", False, None)}


def _followed_data(place: Follower) -> dict[str, Any]:
    """A place as a scenario file says it; what it leaves to its leader is left out."""
    level = "none" if place.level == math.inf else place.level
    told = {"mini": place.mini, "at": list(place.at), "turn": place.turn, "level": level}
    return {key: value for key, value in told.items() if value is not None}


def retold(outcome: Outcome) -> list[str]:
    """What happened, in sentences, a line each: who went where, who was pushed aside, what it cost."""
    made = outcome.made
    if not outcome.legal:
        return [f"not allowed: {f.message}" for f in outcome.findings]
    lines = [f.message for f in outcome.events]
    if outcome.defeated:
        return lines
    if not made.put:
        return [*lines, f"{made.unit.name} takes the action {made.move.kind}"]
    x, y = made.end.at
    went = (
        f"{made.end.name} goes {made.travel_mm:.0f} mm and ends" if made.path is not None else f"{made.end.name} ends"
    )
    lines.append(f"{went} at {_plain(x)}, {_plain(y)}: {made.stands[0].why}")
    lines += _aboard(outcome)
    backs = made.displacement.places if made.displacement is not None else ()
    for what, minis in (("follows to", [m for m in made.ends[1:] if m.name in made.put]), ("is put back at", backs)):
        lines += [f"{m.name} {what} {_plain(m.at[0])}, {_plain(m.at[1])}" for m in minis]
    return lines


def _aboard(outcome: Outcome) -> list[str]:
    """That a unit is on its vehicle now, and no longer where its leader ended."""
    vehicle = outcome.battle.unit(outcome.made.unit.name).state.aboard
    return [f"{outcome.made.unit.name} goes aboard of {vehicle}"] if vehicle else []


def _plain(number: float, digits: int = 0) -> str:
    """A number as it is read: never as minus nothing."""
    return f"{round(number, digits) + 0.0:.{digits}f}"
