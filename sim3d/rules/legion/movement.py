"""Checks of the movement page: speed, the laid tool, the way, who moves, actions. Each names the rows it carries out.

What players may do without harm has no check: holding the tool over things (MV09) and stopping short (MV05).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from sim3d.finding import Hit, Severity, check, counted, told_apart
from sim3d.ground.relief import LEVEL_MM
from sim3d.rules.legion.actions import BY_TOOL, KINDS, LAID, NO_ACTION, STANDARD, VERTICAL
from sim3d.rules.legion.laying import raised_speed, speed_of
from sim3d.rules.legion.making import Made
from sim3d.rules.legion.passage import fallen_mm
from sim3d.rules.legion.tool import SIDE_DEG, notches_of

SAID = {
    "standard": "standard move", "strafe left": "strafe to the left", "strafe right": "strafe to the right",
    "embark": "embarking move", "disembark": "disembarking move",
}  # kinds of moves that are told in other words  # fmt: skip


def _between_deg(a: float, b: float) -> float:
    return abs((a - b + 180.0) % 360.0 - 180.0)


# --- speed and tool ---------------------------------------------------------------------------------------------------


@check("MOVE_TOOL_TOO_FAST", Severity.ERROR, "a tool of speed {tool} is too fast: {unit} moves at most at {speed}{why}")
def move_tool_too_fast(made: Made) -> Iterable[Hit]:
    """A move uses a faster tool than the unit may take (MV01, CL04, MV16).

    Why: a unit moves at its maximum speed or slower, and difficult terrain, a reverse or a strafe lower it.
    Example: speed 3 for a unit of speed 2. Do: take a slower tool.
    """
    if made.tool is None or made.speed == 0:
        return
    if made.tool.speed > made.speed:
        rules, why = _slowed(made)
        yield Hit(rules=rules, tool=made.tool.speed, unit=made.unit.name, speed=made.speed, why=why)
    if made.move.speed_x is not None and made.tool.speed > made.move.speed_x:
        why = f" in a speed-{made.move.speed_x} move"
        yield Hit(rules="MV16", tool=made.tool.speed, unit=made.unit.name, speed=made.move.speed_x, why=why)


def _slowed(made: Made) -> tuple[str, str]:
    """The rows that lower a unit's speed, and the words for it; its own speed needs none."""
    move, unit, n = made.move, made.unit, made.ruleset.numbers
    if move.withdraw:
        return "MV01", " in a withdrawal"
    if move.kind in ("embark", "disembark"):
        return "MV01", f" to {move.kind}"
    rules, why = "MV01", ""
    left = raised_speed(unit, made.ruleset) - n.immobile_speed * unit.state.immobilized
    if move.kind in LAID[1:] and left > n.slowest:
        rules, why = f"{rules} MV17", f" in a {move.kind.split()[0]}"
    if made.slow and speed_of(unit, move, made.ruleset, slow=False) > made.speed:
        rules, why = f"CL04 {rules}", f"{why}, slowed by {', '.join(made.slow)}"
    if unit.state.immobilized:
        why += f", held down by {counted(unit.state.immobilized, 'immobilize token')}"
    return rules, why


@check("MOVE_NO_SPEED", Severity.ERROR, "{unit} has no speed left and makes no moves")
def move_no_speed(made: Made) -> Iterable[Hit]:
    """A unit whose speed is 0 moves (MV01).

    Why: tokens that hold it down leave it none. Example: speed 2 with two immobilize tokens. Do: do not move it; a
    stationary unit that never had any may pivot.
    """
    turns = made.move.kind == "pivot" and made.unit.has("stationary") and made.unit.speed == 0
    if made.speed == 0 and made.move.kind in KINDS and not turns:
        yield Hit(rules="MV01", unit=made.unit.name)


@check("MOVE_NOT_FROM_NOTCH", Severity.ERROR, "the tool leaves {off} degrees beside the {where} notch")
def move_not_from_notch(made: Made) -> Iterable[Hit]:
    """The tool of a notched base does not start in its notch (MV02).

    Why: a notched base leaves straight from the notch; a round one from anywhere on its rim. Example: 0.1 degrees
    off. Do: pivot first, or leave out start_deg.
    """
    if made.tool is None or made.move.kind not in LAID or not notches_of(made.leader.mini.base):
        return
    side = SIDE_DEG[made.move.kind]
    off = _between_deg(made.tool.start_deg, made.laid_turn + side)
    if off > made.ruleset.numbers.flush_deg:
        where = {0.0: "front", 180.0: "rear", 90.0: "left", -90.0: "right"}[side]
        yield Hit(rules="MV02", off=told_apart(off, 0.0)[0], off_deg=off, where=where)


@check("MOVE_BEND_TOO_FAR", Severity.ERROR, "the tool is bent by {bend} degrees, {limit_deg:g} is its limit")
def move_bend_too_far(made: Made) -> Iterable[Hit]:
    """The tool is bent farther than its hinge goes (MV03).

    Why: the bent tool is the path. Example: 90.1 degrees. Do: bend it less.
    """
    limit = made.ruleset.numbers.bend_deg
    if made.tool is not None and abs(made.tool.bend_deg) > limit + 1e-9:
        bend, _ = told_apart(made.tool.bend_deg, math.copysign(limit, made.tool.bend_deg))
        yield Hit(rules="MV03", bend=bend, bend_deg=made.tool.bend_deg, limit_deg=limit)


@check("MOVE_BEYOND_TOOL", Severity.ERROR, "{travel} mm is farther than the tool goes, {full}")
def move_beyond_tool(made: Made) -> Iterable[Hit]:
    """A leader goes farther than the far end of the tool (MV04).

    Why: a full move ends flush with it. Example: 152.1 mm with a tool of speed 2 and a 27 mm base.
    Do: leave travel_mm out for a full move.
    """
    if made.path is not None and made.travel_mm > made.path.full_mm + made.ruleset.numbers.flush_mm:
        travel, full = told_apart(made.travel_mm, made.path.full_mm)
        yield Hit(rules="MV04", travel=travel, full=full, travel_mm=made.travel_mm, full_mm=made.path.full_mm)


def _takes(made: Made) -> tuple[str, str]:
    """What takes a leader to where its move ends, and the rows that say so."""
    if made.path is not None:
        return "the tool", "MV04" if made.full else "MV05"
    return f"the {made.move.kind}", "CL01" if made.move.kind in VERTICAL else "MV17"


@check("MOVE_OFF_PATH", Severity.ERROR, "{leader} was put {off} mm from where {what} takes it")
def move_off_path(made: Made) -> Iterable[Hit]:
    """The place that the player claims is not where the move ends: on the tool's path (MV04, MV05), on the edge that
    a climb leads to (CL01), where a pivot turns (MV17).

    Why: the base stays centred on the tool; a climb has an end, too, and who pivots stays where it is. Example:
    0.1 mm beside the path. Do: put it where the move ends, or stop on the path; a climb's end is told by `to`.
    """
    if made.move.end_at is None:
        return
    x, y = made.end.at
    if made.path is not None:
        x, y, _ = made.path.at(min(made.travel_mm, made.path.full_mm))
    off = ((x - made.move.end_at[0]) ** 2 + (y - made.move.end_at[1]) ** 2) ** 0.5
    if off > made.ruleset.numbers.flush_mm:
        (what, rows), told = _takes(made), told_apart(off, 0.0)[0]
        yield Hit(rules=rows, leader=made.leader.name, what=what, off=told, off_mm=off)


@check("MOVE_WRONG_FACING", Severity.ERROR, "{leader} faces {off} degrees beside {what}")
def move_wrong_facing(made: Made) -> Iterable[Hit]:
    """A notched base does not face as its move leaves it: along the part of the tool that it reached (MV04, MV05), as
    far round as it pivots (MV17), as before a climb (CL01).

    Why: at the end the tool lies in its notch, before the end it is parallel to it. Example: still facing as before
    the hinge. Do: turn it along the tool, or by what the pivot says.
    """
    if made.move.end_turn is None or made.move.kind in NO_ACTION or not notches_of(made.leader.mini.base):
        return
    turn = made.end.turn
    if made.path is not None:
        turn = made.path.at(min(made.travel_mm, made.path.full_mm))[2]
        turn += made.move.turn_deg if made.move.reposition == "after" else 0.0
    off = _between_deg(turn, made.move.end_turn)
    if off > made.ruleset.numbers.flush_deg:
        (what, rows), told = _takes(made), told_apart(off, 0.0)[0]
        yield Hit(rules=rows, leader=made.leader.name, what=what, off=told, off_deg=off)


# --- the way ----------------------------------------------------------------------------------------------------------


@check(
    "MOVE_TERRAIN_IN_THE_WAY",
    Severity.ERROR,
    "{piece} stops it after {after}: {over} mm up, its step is {step}",
)
def move_terrain_in_the_way(made: Made) -> Iterable[Hit]:
    """A base meets terrain that is higher than its step (MV08, CL05, CL06).

    Why: it stops there unless it may go over. Example: a wall of 40.1 mm before a model of 40 mm. Do: stop before it,
    climb, or go around.
    """
    track = made.track
    if track is None or track.stopped < 0 or made.stop is None:
        return
    feet = float(track.heights[track.stopped])
    ignores = made.walk.over_mm > feet
    over_mm, step_mm = track.stop_top_mm - feet, max(made.walk.step_mm, made.walk.over_mm - feet)
    over, step = told_apart(over_mm, step_mm)
    yield Hit(
        rules="CL06 MV08" if ignores else "CL05 MV08",
        piece=made.battle.table.pieces[track.stopper].name,
        after=made.stop.said,
        over=over,
        step=step,
        stop_mm=made.stop.travel_mm,
        stop_deg=made.stop.turned_deg,
        over_mm=over_mm,
        step_mm=step_mm,
    )


@check("MOVE_DROP_TOO_DEEP", Severity.ERROR, "it goes {down}, {step} is its step")
def move_drop_too_deep(made: Made) -> Iterable[Hit]:
    """A base leaves an edge that is higher than its step (CL05).

    Why: down is as up: higher takes a climb, or a keyword that ignores it. Example: off a roof of 60 mm, or so far off
    it that only a notch of the base is still over it. Do: climb down.
    """
    track = made.track
    if track is None or made.ruleset.options.deep_drop == "free":
        return
    if made.walk.over_mm > made.feet:  # what goes over terrain comes down again, however deep
        return
    deep = track.drop_mm if track.dropped >= 0 else 0.0
    if track.dropped < 0 and track.stopped < 0 and made.floors is None and made.stands:
        deep = fallen_mm(made.stands[0], float(track.heights[-1]))
    if deep <= made.walk.step_mm + LEVEL_MM:
        return
    drop, step = told_apart(deep, made.walk.step_mm)
    if math.isfinite(deep):
        down = f"{drop} mm down at once"
        yield Hit(rules="CL05", down=down, step=step, drop_mm=deep, step_mm=made.walk.step_mm)
    else:
        yield Hit(rules="CL05", down="where there is nothing below it", step=step, step_mm=made.walk.step_mm)


@check("MOVE_OTHER_FLOOR", Severity.ERROR, "it is put on a floor {there} mm high, and its way leads to one at {way}")
def move_other_floor(made: Made) -> Iterable[Hit]:
    """A leader is put below a cut (`level`) on a floor that its way does not lead to (CL05).

    Why: a cut says on which of several floors it ends, and takes nobody through a deck. Example: to walk under a bridge
    and end on top of it. Do: leave out level, or go a way that leads there.
    """
    if made.floors is not None:
        way, there = made.floors
        if math.isinf(there):  # on none: it falls, and that is told
            return
        tops = [c.place[2] for s in made.stands[:1] if s.answer == "stable" for c in s.contacts]
        if tops and abs(max(tops) - way) <= made.walk.step_mm + LEVEL_MM:  # a cut through a slope that carries it
            return
        told, to = told_apart(there, way)
        yield Hit(rules="CL05", there=told, way=to, there_mm=there, way_mm=way)


@check("MOVE_MINI_IN_THE_WAY", Severity.ERROR, "{mini} stops it after {after}: {what}")
def move_mini_in_the_way(made: Made) -> Iterable[Hit]:
    """A base meets a mini that it may neither pass through nor push aside (MV08, DP03, DP04).

    Why: troopers pass troopers and repulsors, ground vehicles push troopers aside, nobody passes a ground vehicle.
    Example: a trooper's way through a walker. Do: bend the tool around it.
    """
    for met in made.met:
        if met.way == "block":
            rows, stop = f"{met.rule} MV08".strip(), met.at
            what, mm, deg = _bars(made, met.unit), stop.travel_mm, stop.turned_deg
            yield Hit(rules=rows, mini=met.mini, after=stop.said, what=what, stop_mm=mm, stop_deg=deg)


def _bars(made: Made, name: str) -> str:
    """Why a unit's minis are neither passed through nor pushed aside."""
    if not name:
        return "it belongs to no unit that plays"
    kind = made.battle.unit(name).type
    if kind == "trooper":
        return f"{name} is engaged, nobody pushes it aside"
    kinds = {"ground": "a ground vehicle", "emplacement": "an emplacement"}
    return f"{name} is {kinds.get(kind, f'a {kind}')}"


@check("MOVE_THROUGH_IMPASSABLE", Severity.ERROR, "{pieces} is impassable for a {type}")
def move_through_impassable(made: Made) -> Iterable[Hit]:
    """A standard move, reverse or strafe overlaps impassable terrain (CL04).

    Why: neither on the way nor at the end. Example: a base over a chasm's rim. Do: go around, climb, or use a keyword
    that ignores its height.
    """
    if made.barred and made.move.kind in BY_TOOL:
        yield Hit(rules="CL04", pieces=" and ".join(made.barred), type=made.unit.type)


@check("MOVE_WAY_NOT_FREE", Severity.ERROR, "it was put straight at its end, but {what} is in the way")
def move_way_not_free(made: Made) -> Iterable[Hit]:
    """A mini is put straight at its end although its way is not free (MV18).

    Why: that saves sliding it, and changes nothing that sliding would have met. Example: over a wall.
    Do: slide it along the tool.
    """
    if not made.move.direct or made.move.kind not in BY_TOOL:
        return
    what = [m.mini for m in made.met if m.way == "block"]
    if made.track is not None and made.track.stopped >= 0:
        what.insert(0, made.battle.table.pieces[made.track.stopper].name)
    if what:
        yield Hit(rules="MV18", what=" and ".join(what))


# --- who moves, and with which action ---------------------------------------------------------------------------------


@check("MOVE_NOT_FOR_UNIT", Severity.ERROR, "{unit} ({type}) makes no {what}{why}")
def move_not_for_unit(made: Made) -> Iterable[Hit]:
    """A unit makes a move action that its type or base does not have (MV17).

    Why: reverses, strafes and pivots belong to notched bases, and not to every one. Example: a reverse on a round
    base without notches. Do: make a standard move.
    """
    unit, move = made.unit, made.move
    notches = notches_of(made.leader.mini.base)
    why = ""
    if move.kind in ("reverse", "pivot") or move.kind.startswith("strafe"):
        side = {"reverse": 180, "strafe left": 90, "strafe right": 270}.get(move.kind, 0)
        if side not in notches:
            why = ": its base has no notch there"
        elif move.kind != "pivot" and not unit.has("hover"):
            hovers = unit.type == "repulsor" or (move.kind != "reverse" and not unit.has("strafe"))
            why = " without hover" if hovers else ""
    if unit.has("stationary") and move.kind in KINDS and move.kind != "pivot":
        why = ": it is stationary"
    if unit.has("plodding") and move.kind == STANDARD and STANDARD in unit.state.done and not move.free:
        why = " twice: it plods"
    if move.jump and not unit.has("jump"):
        why = " with a jump it does not have"
    if why:
        what = SAID.get(move.kind, move.kind)
        yield Hit(rules="MV17", unit=unit.name, type=unit.type, kind=move.kind, what=what, why=why)


@check("MOVE_PIVOT_TOO_FAR", Severity.ERROR, "a pivot of {turn} degrees, {limit_deg:g} is the limit")
def move_pivot_too_far(made: Made) -> Iterable[Hit]:
    """A pivot turns farther than it may, by itself or with a standard move (MV17).

    Why: it turns a quarter either way, a whole turn with the keyword. Example: 90.1 degrees. Do: turn less.
    """
    n = made.ruleset.numbers
    limit = n.full_pivot_deg if made.unit.has("full pivot") else n.pivot_deg
    if (made.move.kind == "pivot" or made.move.reposition) and abs(made.move.turn_deg) > limit + 1e-9:
        turn, _ = told_apart(made.move.turn_deg, math.copysign(limit, made.move.turn_deg))
        yield Hit(rules="MV17", turn=turn, turn_deg=made.move.turn_deg, limit_deg=limit)


@check("MOVE_REPOSITION", Severity.ERROR, "{unit} makes no pivot {when} its move: {why}")
def move_reposition(made: Made) -> Iterable[Hit]:
    """A free pivot goes with a move that has none (MV17).

    Why: units that reposition pivot before or after a standard move, not both. Example: with a reverse.
    Do: pivot as an action.
    """
    move, unit = made.move, made.unit
    if not move.reposition:
        return
    reasons = []
    if not unit.has("reposition"):
        reasons.append("it does not reposition")
    if move.kind != STANDARD:
        reasons.append(f"its move is a {SAID.get(move.kind, move.kind)}")
    if not notches_of(made.leader.mini.base):
        reasons.append("its base has no notches")
    if move.withdraw:
        reasons.append("who withdraws uses no keyword")
    if move.compulsory and move.reposition == "after":
        reasons.append("a compulsory move is turned into before it, where its end is not known yet")
    if reasons:
        yield Hit(rules="MV17", unit=unit.name, when=move.reposition, why=" and ".join(reasons))


@check("MOVE_NOT_STANDARD", Severity.ERROR, "{what} is a standard move, not {a} {kind}")
def move_not_standard(made: Made) -> Iterable[Hit]:
    """A speed-x effect, a compulsory move, a withdrawal or a jump is made as something that is not a standard move
    (MV16, CM01, CL06).

    Why: climbs, reverses, strafes, pivots, embarking and disembarking are moves of their own, and other actions are
    none. Example: to clamber with a speed-1 move. Do: make a standard move, full or partial.
    """
    move = made.move
    if move.kind == STANDARD:
        return
    kind, a = move.kind, "an" if move.kind[0] in "aeiou" else "a"
    if move.speed_x is not None:
        yield Hit(rules="MV16", what=f"a speed-{move.speed_x} move", a=a, kind=kind)
    if move.compulsory:
        yield Hit(rules="CM01 MV16", what="a compulsory move", a=a, kind=kind)
    if move.withdraw:
        yield Hit(rules="MV16 MV17", what="a withdrawal, a speed-1 move,", a=a, kind=kind)
    if move.jump:
        yield Hit(rules="CL06 MV17", what="a jump", a=a, kind=kind)


@check("MOVE_ENGAGED", Severity.ERROR, "{unit} is engaged with {foes} and stays, unless it withdraws")
def move_engaged(made: Made) -> Iterable[Hit]:
    """An engaged unit moves without withdrawing (MV17).

    Why: troopers in contact with enemy troopers are held; a withdrawal is a speed-1 move out of it. Example: a
    standard move out of a melee. Do: withdraw.
    """
    pivots = made.move.kind == "pivot" and made.unit.type in ("creature", "emplacement")
    if made.engaged and made.move.kind in KINDS and not made.move.withdraw and not pivots:
        yield Hit(rules="MV17", unit=made.unit.name, foes=" and ".join(made.engaged))


@check("MOVE_WITHDRAWAL_NOT_ALONE", Severity.ERROR, "{unit} {why}")
def move_withdrawal_not_alone(made: Made) -> Iterable[Hit]:
    """A withdrawal is not the one thing that a unit does in its activation (MV17).

    Why: who withdraws makes that speed-1 move and nothing else: no other action, no free one, no keyword of its own.
    Example: to aim and then withdraw. Do: withdraw alone.
    """
    move, state = made.move, made.unit.state
    why = []
    if move.withdraw and not made.touched:
        why.append("is in contact with no enemy and has nobody to withdraw from")
    if move.withdraw and state.done:
        why.append(f"withdraws after it has taken the action {state.done[0]}")
    if move.withdraw and move.free:
        why.append("withdraws, and that is no free action")
    if move.withdraw and move.jump:
        why.append("withdraws, and uses no keyword for it")
    if state.withdrawn and move.kind not in NO_ACTION:
        why.append("has withdrawn in this activation and does nothing more, not even what is free")
    if why:
        yield Hit(rules="MV17", unit=made.unit.name, why=" and ".join(why))


def extra_of(made: Made) -> int:
    """How many actions more than usual a move takes: onto a closed transport, or off one that has gone far."""
    move, n = made.move, made.ruleset.numbers
    if move.kind not in ("embark", "disembark"):
        return 0
    vehicle = made.battle.unit(made.unit.state.aboard or move.vehicle)
    if move.kind == "embark":
        return n.closed_cost if vehicle.transport == "closed transport" else 0
    moves = [kind for kind in vehicle.state.done if kind in KINDS and kind != "pivot"]
    return n.actions - n.move_cost if len(moves) + bool(vehicle.state.compulsory) > n.calm_moves else 0


def cost_of(kind: str, made: Made) -> int:
    """How many actions it takes."""
    n = made.ruleset.numbers
    return n.climb_cost if kind == VERTICAL[0] else n.move_cost


@check("MOVE_ACTION_REPEATED", Severity.ERROR, "{unit} takes the action {kind} again; only moves may be repeated")
def move_action_repeated(made: Made) -> Iterable[Hit]:
    """An action that is no move, or a jump, is taken twice in one activation (MV07).

    Why: only move actions may be taken again, and a jump is once. Example: to aim twice. Do: take another action.
    """
    kind = made.move.kind
    if made.move.jump and made.unit.state.jumped:
        yield Hit(rules="MV07", unit=made.unit.name, kind="jump")
    if kind not in KINDS and kind in made.unit.state.done and not made.move.free:
        yield Hit(rules="MV07", unit=made.unit.name, kind=kind)


@check("MOVE_ACTIONS_SPENT", Severity.ERROR, "it takes {takes}, {unit} has {left} left")
def move_actions_spent(made: Made) -> Iterable[Hit]:
    """A unit takes more actions than its activation has (MV07, CL01, MV17).

    Why: two actions, and a climb takes both, as it does to board a closed transport, or to leave one that has made
    more than one move. Example: a climb after a move. Do: clamber, or wait.
    """
    if made.move.free or made.move.kind in NO_ACTION:
        return
    state, extra = made.unit.state, extra_of(made)
    left = made.ruleset.numbers.actions - sum(cost_of(kind, made) for kind in state.done) - state.extra
    cost = cost_of(made.move.kind, made) + extra
    if cost > left:
        rows = "CL01" if made.move.kind == "climb" else "MV07 MV17" if extra else "MV07"
        yield Hit(rules=rows, takes=counted(cost, "action"), cost=cost, unit=made.unit.name, left=left)
