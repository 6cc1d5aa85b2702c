"""How a move is laid: how fast it may be, its tool and path, how its leader faces and where all its minis end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim3d.ground.way import Track, Walk
from sim3d.overlap import OVERLAP_MM
from sim3d.rules.legion.actions import BY_TOOL, DEPLOY, LAID, NO_ACTION, VERTICAL
from sim3d.rules.legion.battle import Battle, beside
from sim3d.rules.legion.move import Move
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.tool import Path, Tool, notches_of, path_of
from sim3d.rules.legion.unit import Unit
from sim3d.space import Floats
from sim3d.table import Placed


def raised_speed(unit: Unit, ruleset: Ruleset) -> int:
    """A unit's maximum speed with what raises it, before anything lowers it."""
    n = ruleset.numbers
    return min(unit.speed + n.spur_speed, n.fastest) if unit.state.spurred else unit.speed


def speed_of(unit: Unit, move: Move, ruleset: Ruleset, *, slow: bool) -> int:
    """The greatest speed that a unit may move at; 0: it cannot. Gains come before losses (MV01, CL04)."""
    n = ruleset.numbers
    speed = max(0, raised_speed(unit, ruleset) - n.immobile_speed * unit.state.immobilized)
    if speed == 0:
        return 0
    if slow:
        speed = max(n.slowest, speed - n.difficult_speed)
    if move.kind in LAID[1:]:
        speed = max(n.slowest, speed - n.backwards_speed)
    if move.withdraw or move.kind in ("embark", "disembark"):
        speed = n.slowest
    return speed


def disembarked(battle: Battle, unit: Unit, move: Move) -> Battle:
    """The battle with a unit that leaves its vehicle: its leader where it is set down, the others where they are put.

    Who is gathered begins where the leader does; whom nobody places stays aboard.
    """
    assert move.begin is not None
    places = {f.mini: f.at for f in move.followers} | {unit.leader: move.begin}
    minis = tuple(
        replace(m, at=places.get(m.name, move.begin), level=move.level)
        for m in unit.carried
        if m.name in places or move.gather
    )
    table = replace(battle.table, minis=(*battle.table.minis, *minis))
    left = replace(unit, carried=tuple(m for m in unit.carried if m.name not in [p.name for p in minis]))
    return Battle(table, tuple(left if u.name == left.name else u for u in battle.units))


def laid(unit: Unit, leader: Placed, move: Move, ruleset: Ruleset) -> tuple[Tool | None, Path | None, float, Floats]:
    """The tool as it is laid, the path it makes, how far the leader goes on it, and its poses."""
    still = np.array([[*leader.at, leader.turn, 0.0]])
    if move.kind == "pivot":
        return None, None, 0.0, _turned(still[0], move.turn_deg)
    if move.kind not in BY_TOOL:
        return None, None, 0.0, still
    n = ruleset.numbers
    usual = min(speed_of(unit, move, ruleset, slow=False), move.speed_x or n.fastest)
    speed = move.tool or max(usual, n.slowest)
    kind = move.kind if move.kind in LAID else "standard"
    if move.reposition == "before":
        leader = replace(leader, turn=leader.turn + move.turn_deg)
    ahead = leader.turn + {"standard": 0.0, "reverse": 180.0, "strafe left": 90.0, "strafe right": -90.0}[kind]
    start = ahead if move.start_deg is None else move.start_deg
    tool = Tool(speed, ruleset.tool_mm(speed), start, move.bend_deg)
    path = path_of(tool, leader.mini.base, leader.at, leader.turn, kind, ruleset)
    travel = path.full_mm if move.travel_mm is None else move.travel_mm
    poses = path.poses(min(travel, path.full_mm), turning=ruleset.options.hinge == "turning")
    if move.reposition == "before":
        poses = np.vstack([_turned(still[0], move.turn_deg)[:-1], poses])
    elif move.reposition == "after":
        poses = np.vstack([poses[:-1], _turned(poses[-1], move.turn_deg)])
    return tool, path, travel, poses


def _turned(pose: Floats, by_deg: float) -> Floats:
    """Poses of a base that turns on the spot, degree by degree."""
    n = max(1, int(np.ceil(abs(by_deg))))
    rows = np.tile(pose, (n + 1, 1))
    rows[:, 2] += by_deg * np.arange(n + 1) / n
    return rows


def level_at(move: Move, track: Track, walk: Walk, travel: float, stop: float | None) -> float | None:
    """The cut below which a move ends: none where nothing hangs over it."""
    if move.level is not None:
        return move.level
    if stop is not None:  # what it only grazed carries nothing; put down farther in, it is set on top
        if travel - stop > OVERLAP_MM:
            return None
        return max(float(track.heights[-1]) + walk.step_mm, walk.over_mm)
    return max(float(track.heights[-1]) + walk.tall_mm, walk.over_mm) if track.overhead[-1] else None


def faced(move: Move, leader: Placed, turn: float) -> float:
    """How a leader faces at the end: a plain round base as the player says, others as the move turns them."""
    free = move.kind in (*BY_TOOL, *VERTICAL) and leader.mini.base.outline.radius_mm is not None
    return move.end_turn if free and move.end_turn is not None else turn


def ends_of(
    battle: Battle, unit: Unit, leader: Placed, move: Move, at: tuple[float, float], turn: float, level: float | None
) -> tuple[tuple[Placed, ...], tuple[str, ...]]:
    """Where the unit's minis are after the move, the leader first; and which were put somewhere (MV06)."""
    if move.kind not in (*BY_TOOL, *VERTICAL, "pivot", *NO_ACTION):
        return (leader,), ()
    turn = faced(move, leader, turn)
    ends = [beside(battle.table, replace(leader, at=at, turn=turn, level=level))]
    put = [leader.name]
    if move.kind == "embark":  # the others leave the table with it, from where they are
        return tuple(ends), tuple(put)
    chosen = {f.mini: f for f in move.followers}
    for name in unit.followers:
        if name not in [m.name for m in battle.table.minis]:
            continue
        mini = battle.table.mini(name)
        follower = chosen.get(name)
        notched = bool(notches_of(mini.mini.base))
        if follower is not None:
            facing = follower.turn if follower.turn is not None else turn if notched else mini.turn
            mini = replace(mini, at=follower.at, turn=facing, level=follower.cut(level))
            put.append(name)
        elif move.kind == DEPLOY and move.begin is None and not move.gather:  # asked about where it is
            put.append(name)
        elif move.kind == "pivot":
            mini = replace(mini, turn=turn)
            put.append(name)
        ends.append(beside(battle.table, mini) if name in put else mini)
    return tuple(ends), tuple(put)
