"""The pieces of terrain that a move goes over and ends on: which slow it, which bar it, where nobody may end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sim3d.ground.way import Track, Walk
from sim3d.rules.legion.bare import bare, bare_at
from sim3d.rules.legion.battle import Battle, feet_mm, ring_of
from sim3d.rules.legion.move import Move
from sim3d.rules.legion.passage import names_met, rings_along, within_mm
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.terrain import Footing, footing
from sim3d.rules.legion.unit import Unit
from sim3d.space import Floats
from sim3d.table import Placed


def terrain_met(
    battle: Battle,
    unit: Unit,
    leader: Placed,
    move: Move,
    poses: Floats,
    track: Track | None,
    walk: Walk,
    ends: tuple[Placed, ...],
    ruleset: Ruleset,
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Pieces that slow, that bar the way and on which nobody ends."""
    table = battle.table
    told = [p.name for p in table.pieces if footing(p, unit) != Footing()]  # nobody asks about the others
    if not told:
        return (), (), ()
    crossed: tuple[str, ...] = ()
    if track is not None:
        crossed = bare(table, leader.mini.base, poses, track, walk, told)
        may = told if move.level is not None else names_met(table, track)  # the player may have put it on another floor
        under_cut = [name for name in may if name in told and name not in crossed]
        for after in (m for m in ends if m.name == leader.name):  # below its cut it is not on what it was carried over
            crossed += bare_at(table, after, _still(walk), feet_mm(table, after), under_cut)
    under: dict[str, None] = dict.fromkeys(crossed)
    ended: dict[str, None] = {}
    for before in [m for m in table.minis if m.name in unit.minis]:
        under |= dict.fromkeys(bare_at(table, before, _still(walk), feet_mm(table, before), told))
    for after in ends:
        there = bare_at(table, after, _still(walk), feet_mm(table, after), told)
        under |= dict.fromkeys(there)
        ended |= dict.fromkeys(there)
    way = rings_along(leader.mini.base, poses)
    whole = [*way, *map(ring_of, ends), *(ring_of(m) for m in table.minis if m.name in unit.minis)]

    def over(piece: str, rings: Sequence[Floats]) -> bool:
        return walk.over_mm > -np.inf and within_mm(table, piece, rings, walk.over_mm)

    spared = ruleset.options.ignored_difficult == "ignored"
    slow = tuple(
        p.name
        for p in table.pieces
        if p.name in under
        and footing(p, unit).word == "difficult"
        and not unit.has("unhindered")
        and not (spared and over(p.name, whole))
    )
    barred = tuple(
        p.name
        for p in table.pieces
        if p.name in crossed and footing(p, unit).word == "impassable" and not over(p.name, way)
    )
    no_end = tuple(p.name for p in table.pieces if p.name in ended and footing(p, unit).no_end)
    if move.kind == "pivot":
        slow = ()
    return slow, barred, no_end


def _still(walk: Walk) -> Walk:
    """The same walk for a mini that only stands."""
    return replace(walk, over_mm=-np.inf)
