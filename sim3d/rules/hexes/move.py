"""A move as a player announces it, worked out once: where it ends, what it costs, every fault on its way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from sim3d.finding import Finding, Hit, Refused, Severity, check, counted
from sim3d.rules.hexes import traits
from sim3d.rules.hexes.board import Board, Unit, closed, engagers, reaches
from sim3d.rules.hexes.grid import SIDES, Hex, distance, is_hex, is_whole, way_to
from sim3d.rules.hexes.ruleset import Ruleset
from sim3d.rules.hexes.walk import At, Fault, Start, enter, lock_fault, melee_after, start_of, wall_fault

KINDS = ("move", "scout", "gods push", "push", "displace", "teleport")
ACTIONS = ("move", "scout")  # these are Move Actions, the others are not
NOUNS = {"gods push": "God's Push", "push": "push", "displace": "displacement", "teleport": "teleport"}  # as told


@dataclass(frozen=True, slots=True)
class Move:
    """What a player announces. `path` is hex by hex, the hex it starts on not among them; `to` is a teleport's end."""

    unit: str
    kind: str = "move"
    path: tuple[Hex, ...] = ()
    to: Hex | None = None  # of a flight or a teleport
    facing: int | None = None  # the final pivot; None: as it faces
    by: str = ""  # of a push, displacement or teleport: the unit or the side it comes from
    reach: int | None = None  # of a teleport by somebody else: how many hexes
    strike: str = ""  # the enemy unit that it attacks in melee afterwards
    dice: tuple[int, ...] = ()  # of a Trample, as rolled
    rerolls: tuple[int, ...] = ()  # dice rolled again, as they came up


@dataclass(frozen=True, slots=True)
class Made:
    """A move worked out: where it leads, and everything that speaks against it."""

    board: Board
    unit: Unit
    move: Move
    ruleset: Ruleset
    end: Hex
    facing: int
    faults: tuple[Fault, ...] = ()
    used: tuple[str, ...] = ()  # the clauses that had an effect
    spent: int = 0
    passed: bool = False  # it left an enemy zone that it had entered
    stopped_by: tuple[str, ...] = ()
    melee: bool = True
    charge: bool | None = None  # of a melee attack; None where there is none
    trodden: tuple[Hex, ...] = field(default=())  # enemy hexes passed through, in the order of the way

    @property
    def moved(self) -> bool:
        """Whether it leaves its hex, or went round and came back."""
        return bool(self.move.path) or self.move.to not in (None, self.unit.at)


@check("HEX_MOVE_UNSOUND", Severity.ERROR, "{reason}")
def hex_move_unsound(reason: str) -> Iterable[Hit]:
    """A move that makes no sense as announced.

    Why: nothing is guessed. Example: a teleport without a destination. Do: say what is missing, leave out the rest.
    """
    yield Hit(reason=reason)


def make(board: Board, move: Move, ruleset: Ruleset) -> Made:
    """Work a move out; `Refused` with every reason where it makes no sense."""
    if wrong := tuple(_unsound(board, move, ruleset)):
        raise Refused(*wrong)
    unit = board.unit(move.unit)
    facing = unit.facing if move.facing is None else move.facing
    made = Made(board, unit, move, ruleset, unit.at, facing)
    if move.kind not in ACTIONS:
        return _shoved(made)
    start = start_of(board, unit, ruleset, scouting=move.kind == "scout")
    made = _flown(made, start) if move.to is not None else _walked(made, start)
    made = replace(made, faults=(*_sequence(made), *made.faults))
    if move.kind == "scout":
        made = _scouted(made)
    return _struck(made) if move.strike else made


def _unsound(board: Board, move: Move, ruleset: Ruleset) -> Iterator[Finding]:
    def wrong(reason: str) -> Finding:
        return hex_move_unsound.hit(reason=reason)

    names = [u.name for u in board.units]
    sides = [u.side for u in board.units]
    wholes: dict[str, object] = {"facing": move.facing, "reach": move.reach, "dice": move.dice, "rerolls": move.rerolls}
    for name, given in wholes.items():
        numbers = [n for n in (given if isinstance(given, tuple) else (given,)) if n is not None]
        if not all(map(is_whole, numbers)):
            yield wrong(f"{name} is told in whole numbers, not {given!r}")
            return
    if not isinstance(move.path, tuple | list) or not all(is_hex(h) for h in (*move.path, move.to or Hex(0, 0))):
        yield wrong("path is a tuple of hexes, (q, r) or (q, r, level) in whole numbers, and to is one")
        return
    if move.unit not in names:
        yield wrong(f"no unit is called {move.unit!r}; there are: {', '.join(names) or 'none'}")
    if move.kind not in KINDS:
        yield wrong(f"{move.kind!r} is no kind of move; there are: {', '.join(KINDS)}")
    if move.facing is not None and not 0 <= move.facing < SIDES:
        yield wrong(f"it faces one of the hexsides 0 to {SIDES - 1}, not {move.facing}")
    if move.path and move.to is not None:
        yield wrong("a path goes hex by hex, a teleport has an end alone: give path or to, not both")
    caused = move.kind in ("push", "displace", "teleport")
    noun = NOUNS[move.kind] if move.kind in tuple(NOUNS) else move.kind
    if caused and move.by not in (*names, *sides):
        known = ", ".join(dict.fromkeys((*sides, *names)))
        told = f"{move.by!r} is none" if move.by else "say which (by)"
        yield wrong(f"a {noun} comes from a unit or a side; {told}; there are: {known}")
    if not caused and (move.by or move.reach is not None):
        yield wrong("by and reach belong to a push, a displacement or a teleport")
    if caused and move.kind != "teleport" and move.reach is not None:
        yield wrong(f"reach is the range of a teleport; a {noun} goes one hex: leave it out")
    if move.to is not None and move.kind not in (*ACTIONS, "teleport"):
        yield wrong(f"a {noun} goes to a neighbour: give its path")
    if move.kind == "displace" and not move.path and move.to is None:
        yield wrong("a displacement goes to a neighbour: give its path")
    if move.kind == "teleport" and move.reach is not None and move.reach < 0:
        yield wrong(f"reach, the range of a teleport in hexes, is 0 or more, not {move.reach}")
    if move.kind == "teleport" and (move.to is None or move.reach is None):
        yield wrong("a teleport has an end (to) and a range in hexes (reach)")
    if move.kind not in ACTIONS and (move.strike or move.dice or move.rerolls):
        yield wrong("an attack and dice belong to a Move Action")
    if move.strike and move.strike not in names:
        yield wrong(f"no unit is called {move.strike!r}; there are: {', '.join(names)}")
    if any(not 1 <= face <= ruleset.numbers.die for face in (*move.dice, *move.rerolls)):
        yield wrong(f"a die shows 1 to {ruleset.numbers.die}")


# --- Move Actions -----------------------------------------------------------------------------------------------------


def _walked(made: Made, start: Start) -> Made:
    """Hex by hex along the path."""
    at, path = At(made.unit.at), made.move.path
    faults: list[Fault] = []
    used: list[str] = []
    trodden: list[Hex] = []
    for i, to in enumerate(path):
        step = enter(start, at, to, last=i == len(path) - 1)
        faults += [f for f in step.faults if f.code not in ONCE or f.code not in [g.code for g in faults]]
        used += step.used
        at = step.at
        occupant = start.occupants.get(to)
        if occupant is not None and occupant.side != made.unit.side and i < len(path) - 1:
            trodden.append(to)
    if made.move.rerolls and trodden and not traits.may_reroll():
        faults.append(Fault("HEX_TRAMPLE_REROLLED", {"rules": "HX11c", "unit": made.unit.name}))
    turned = made.facing != made.unit.facing
    if not path and turned and start.lockers and not made.ruleset.options.lockdown_allows_pivot:
        faults.append(lock_fault(start))
    melee, taken = melee_after(start, at, turned=turned)
    owners = start.zones.get(at.hex, ()) if at.stopped else ()
    return replace(
        made,
        end=at.hex,
        faults=(*faults, *(end_faults(made, at.hex) if path else ())),
        used=(*used, *taken),
        spent=at.spent,
        passed=bool(at.passed),
        stopped_by=tuple(e.name for e in owners),
        melee=melee,
        trodden=tuple(trodden),
    )


def _most(hexes: int) -> dict[str, Any]:
    return {"most": hexes, "far": counted(hexes, "hex", "hexes")}


def _kind(move: Move) -> dict[str, Any]:
    return {"kind": move.kind, "what": NOUNS[move.kind]}


ONCE = ("HEX_TOO_FAR", "HEX_ONE_HEX")  # what the first hex too many says, the next need not say again


def _flown(made: Made, start: Start) -> Made:
    """By flight: the range, the end, and whether it may take off at all."""
    unit, to = made.unit, made.move.to
    assert to is not None
    far, most = distance(unit.at, to), flight_range(unit, made.ruleset)
    told = {"unit": unit.name}
    faults = []
    if not traits.flies(unit):
        faults.append(Fault("HEX_FLIGHT_BARRED", {**told, "reason": "it does not fly"}))
    if not traits.flight_is_free(start.engagers):
        who = ", ".join(e.name for e in start.engagers)
        faults.append(Fault("HEX_FLIGHT_BARRED", {"rules": "HX03b", **told, "reason": f"{who} engages it"}))
    elif not start.full:
        reason = "its activation began Engaged, so it has no normal Move Action"
        faults.append(Fault("HEX_FLIGHT_BARRED", {**told, "reason": reason}))
    if start.lockers:
        faults.append(lock_fault(start))
    if far > most:
        faults.append(Fault("HEX_FLIGHT_TOO_FAR", {"rules": "HX03a", **told, **_most(most), "hexes": far}))
    melee, taken = melee_after(start, At(to, 1, far))
    faults += end_faults(made, to)
    return replace(made, end=to, faults=tuple(faults), used=("HX03a", *taken), spent=far, melee=melee)


def flight_range(unit: Unit, ruleset: Ruleset) -> int:
    """How many hexes a flight goes at most."""
    return max(unit.points, ruleset.numbers.least_hexes)


def end_faults(made: Made, to: Hex) -> list[Fault]:
    """What speaks against ending in a hex: it is off the board or impassable, somebody is there, no base stands."""
    cell = made.board.hexes.get(to)
    if cell is None:
        walked = made.move.kind in ACTIONS and made.move.to is None  # a walk has said so already
        return [] if walked else [Fault("HEX_OFF_BOARD", {"at": str(to)})]
    faults = []
    if cell.is_("impassable") and made.move.to is not None:
        faults.append(Fault("HEX_IMPASSABLE", {"at": str(to)}))
    occupant = made.board.occupant(to, but=made.unit.name)
    told = {"unit": made.unit.name, "at": str(to)}
    if not traits.may_stay(occupant) and occupant is not None:
        rules = "HX09b" if made.move.kind in ACTIONS else ""
        faults.append(Fault("HEX_END_OCCUPIED", {"rules": rules, **told, "who": occupant.name}))
    if not cell.standable:
        faults.append(Fault("HEX_END_UNSTANDABLE", {"rules": "HX13", **told}))
    return faults


def _sequence(made: Made) -> Iterator[Fault]:
    """Whether it is the time for this unit to move."""
    board, unit = made.board, made.unit
    if made.move.kind == "scout":
        if not traits.scouts(unit):
            yield Fault("HEX_SCOUT_BARRED", {"unit": unit.name, "reason": "it has no Scout Deploy"})
        elif board.phase != f"scout {board.player(unit)}":
            reason = f"its owner's step is scout {board.player(unit)}, and this is {board.phase}"
            yield Fault("HEX_SCOUT_BARRED", {"rules": "HX08a", "unit": unit.name, "reason": reason})
        elif unit.name in board.scouted:
            reason = "it had its free move"
            yield Fault("HEX_SCOUT_BARRED", {"rules": "HX08a", "unit": unit.name, "reason": reason})
        return
    if board.phase != "activations":
        yield Fault("HEX_WRONG_STEP", {"unit": unit.name, "reason": f"a Move Action is not part of {board.phase}"})
    if unit.activated:
        yield Fault("HEX_WRONG_STEP", {"unit": unit.name, "reason": "it was activated this round"})


def _scouted(made: Made) -> Made:
    """A scout's end lies in no enemy's zone."""
    there = engagers(made.board, made.unit, made.ruleset, at=made.end)
    if traits.scout_may_end(there):
        return replace(made, used=("HX08a", *made.used))
    told = {"rules": "HX08b", "unit": made.unit.name, "at": str(made.end), "who": ", ".join(e.name for e in there)}
    return replace(made, faults=(*made.faults, Fault("HEX_SCOUT_ENGAGED", told)))


def _struck(made: Made) -> Made:
    """A melee attack after the move: whether there is one, whether it charges; the attacker turns to its target."""
    target = made.board.unit(made.move.strike)
    faults = list(made.faults)
    way = way_to(made.end, target.at)
    told = {"unit": made.unit.name, "who": target.name}
    placed = replace(made.unit, at=made.end)
    if way is None or target.side == made.unit.side or not reaches(made.board, placed, target.at, made.ruleset.options):
        faults.append(Fault("HEX_STRIKE_OUT_OF_REACH", {**told, "at": str(made.end)}))
    if made.move.kind == "scout":
        faults.append(Fault("HEX_MELEE_LOST", {**told, "reason": "before the game nobody attacks"}))
    elif not made.melee:
        rules = [r for r in made.used if r in ("HX07b", "HX12c")]
        reason = "it moved out of an enemy's zone, or through one"
        faults.append(Fault("HEX_MELEE_LOST", {"rules": " ".join(rules), **told, "reason": reason}))
    charge, rules = _charge(made, target)
    facing = made.facing if way is None else way
    return replace(made, faults=tuple(faults), used=(*made.used, *rules), facing=facing, charge=charge)


def _charge(made: Made, target: Unit) -> tuple[bool, list[str]]:
    """Whether the attack charges: the unit moved, and neither hex's terrain takes the charge away."""
    from_hex, to_hex = made.board.hexes.get(made.end), made.board.hexes[target.at]
    held = to_hex.is_("no charge in") or (from_hex is not None and from_hex.is_("no charge out"))
    if not made.ruleset.charges(made.moved):
        return False, []
    if held and traits.charges_anyway(made.unit):
        return True, ["HX04b"]
    return not held, []


# --- other moves: no Move Actions, so that no zone stops them, no lock holds them, no points are paid -----------------


def _shoved(made: Made) -> Made:
    """A God's Push, a push, a displacement, or a teleport by somebody else."""
    move, unit, options = made.move, made.unit, made.ruleset.options
    faults = list(_gods_push(made) if move.kind == "gods push" else _caused(made))
    turned = made.facing != unit.facing
    pivots = move.kind == "gods push" and options.push_pivots
    if turned and not (pivots and move.path):
        still = ", whom it does not move" if pivots else ""
        faults.append(Fault("HEX_NO_PIVOT", {"unit": unit.name, "still": still, **_kind(move)}))
    if move.to is not None:
        faults += end_faults(made, move.to)
        return replace(made, end=move.to, faults=tuple(faults), used=())
    if not move.path:
        return replace(made, faults=tuple(faults))
    to = move.path[-1]
    faults += _one_hex(made)
    faults += end_faults(made, to)
    return replace(made, end=to, faults=tuple(faults), used=_eligible_by(made) if move.kind == "gods push" else ())


def _one_hex(made: Made) -> list[Fault]:
    """What speaks against being moved one hex along the ground."""
    move, unit = made.move, made.unit
    if len(move.path) > made.ruleset.numbers.shoved_hexes or way_to(unit.at, move.path[0]) is None:
        hexes = max(len(move.path), distance(unit.at, move.path[-1]))
        told = {"unit": unit.name, **_kind(move), **_most(1), "hexes": hexes}
        return [Fault("HEX_SHOVED_TOO_FAR", told)]
    to = move.path[0]
    if to not in made.board.hexes:
        return []  # said by its end
    faults = [Fault("HEX_IMPASSABLE", {"at": str(to)})] if made.board.hexes[to].is_("impassable") else []
    high = closed(made.board, unit.at, to, made.ruleset)
    return faults if high is None else [*faults, wall_fault(unit.at, to, high, made.ruleset)]


def _caused(made: Made) -> Iterator[Fault]:
    """What is said to a push, a displacement or a teleport that comes from somebody."""
    move, unit, board = made.move, made.unit, made.board
    side = next((u.side for u in board.units if move.by in (u.name, u.side)), "")
    enemy = side != unit.side
    proof, rule = {
        "push": (traits.unpushed, "HX05a"),
        "displace": (traits.undisplaced, "HX05b"),
        "teleport": (traits.unteleported, "HX05c"),
    }[move.kind]
    if proof(unit, enemy):
        yield Fault("HEX_IMMOVABLE", {"rules": rule, "unit": unit.name, **_kind(move), "by": move.by})
    if move.kind == "push" and move.path and way_to(unit.at, move.path[0]) is not None:
        allowed = retreats(unit, made.ruleset)
        if (way_to(unit.at, move.path[0]) or 0) not in allowed:
            yield Fault("HEX_NOT_RETREAT", {"unit": unit.name, "at": str(move.path[0])})
    if move.to is not None and move.reach is not None and distance(unit.at, move.to) > move.reach:
        told = {"unit": unit.name, **_kind(move), **_most(move.reach), "hexes": distance(unit.at, move.to)}
        yield Fault("HEX_SHOVED_TOO_FAR", told)


def retreats(unit: Unit, ruleset: Ruleset) -> tuple[int, ...]:
    """The directions in which a push moves a unit."""
    return tuple((unit.facing + side) % SIDES for side in ruleset.options.retreat_sides)


def _gods_push(made: Made) -> Iterator[Fault]:
    """Whether a unit is eligible, and whether its player has nominated enough."""
    board, unit, options = made.board, made.unit, made.ruleset.options
    if options.push_timing == "after" and board.phase != f"push {board.player(unit)}":
        reason = f"its player's God's Push is not part of {board.phase}"
        yield Fault("HEX_WRONG_STEP", {"unit": unit.name, "reason": reason})
    told = {"unit": unit.name}
    if unit.activated and not traits.tireless_moves(unit):
        yield Fault("HEX_NOT_ELIGIBLE", {**told, "reason": "it was activated this round"})
    holding = engagers(board, unit, made.ruleset)
    if holding:
        who = ", ".join(e.name for e in holding)
        if not traits.combat_shift_frees(unit):
            yield Fault("HEX_NOT_ELIGIBLE", {**told, "reason": f"{who} engages it"})
        elif not traits.combat_shift_in_time(unit):
            reason = f"{who} engages it, and it was activated this round"
            yield Fault("HEX_NOT_ELIGIBLE", {"rules": "HX02b", **told, "reason": reason})
    extra = options.tireless_is_extra and unit.has("tireless")
    mine = [u.name for u in board.units if u.name in board.pushed and u.side == unit.side]
    if unit.name in mine or (len(mine) >= options.push_limit and not extra):
        yield Fault("HEX_PUSH_LIMIT", {**told, "most": options.push_limit, "who": ", ".join(mine)})


def _eligible_by(made: Made) -> tuple[str, ...]:
    """The clauses that made a unit eligible."""
    shift = ("HX02a",) if engagers(made.board, made.unit, made.ruleset) else ()
    return (*shift, *(("HX10",) if made.unit.activated else ()))
