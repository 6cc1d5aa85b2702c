"""Minis as figures, with what a verdict does not keep: the hull that carries one, the way a released one takes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from sim3d.engine import Moving
from sim3d.engine.watch import lean
from sim3d.ground import ground_of
from sim3d.mini import Base, Mini
from sim3d.overlap import frame_at, resting_pose
from sim3d.rules.legion import Battle
from sim3d.settle import LOST_DEG, NUDGE_DEG, settle_moving
from sim3d.space import TOUCH_MM, Pose
from sim3d.stand import Stand, moving_body, rock_of
from sim3d.statics.rest import Case, case_of
from sim3d.statics.touch import PX, PZ, at_rest, hull, touching
from sim3d.table import Placed, Table
from sim3d.view.picture import BONE, Colour, extremes
from sim3d.view.scene import Area, Figure, Motion, Point3, Timed, cylinder_of

HOVER_SHARE = 1.0  # of a base's reach: how high over its place a mini without a rest hovers
TOKEN: Colour = (0.85, 0.75, 0.30)
TOKEN_MM = 0.05  # how far its outline may stray from its circle
FALL_ROOM_MM = 120.0  # terrain this far beyond a mini's height is there for it to fall on to
AFTER_S = 0.7  # on a table's clock, to come to lie
SAME_MM, SAME_DEG = 0.005, 0.02  # poses of a track nearer than this look the same: the later is left out
TEAM_PAINT: tuple[Colour, ...] = ((0.50, 0.61, 0.76), (0.77, 0.64, 0.50))  # bodies of the first side, of the other
FPS = 40.0  # looks an engine takes at most a table second: what a track keeps


def figure_of(table: Table, placed: Placed, stand: Stand | None = None, *, side: str = "") -> Figure:
    """A mini as it was found, or, without a verdict, where it rests; one without a rest hovers over its place."""
    if stand is None:
        return Figure(placed.name, placed.mini, resting_pose(table, placed), side=side)
    pose = stand.pose
    if pose is None:
        there = Placed(placed.name, placed.mini, stand.at, stand.turn, stand.level, placed.material)
        high = over_mm(table, there)
        return Figure(placed.name, placed.mini, Pose.at(*stand.at, high, turn=stand.turn), stand, False, side)
    return Figure(placed.name, placed.mini, pose, stand, True, side, support=support_of(table, stand))


def standing(table: Table, battle: Battle | None = None, asked: Mapping[str, Figure] | None = None) -> Iterator[Figure]:
    """Every mini of a table where it rests, in its side's paint; those somebody asked about as they were found."""
    sides = sides_of(battle)
    order = tuple(dict.fromkeys(sides.values()))
    known = asked or {}
    for placed in table.minis:
        if placed.name in known:
            yield known[placed.name]
        else:
            side = sides.get(placed.name, "")
            yield replace(figure_of(table, placed, side=side), paint=paint_of(side, order))


def sides_of(battle: Battle | None) -> dict[str, str]:
    """Whose each mini is."""
    return {name: unit.side for unit in (battle.units if battle else ()) for name in unit.minis}


def paint_of(side: str, order: Sequence[str]) -> Colour:
    """Of a side, in the order in which a file names them."""
    return TEAM_PAINT[order.index(side) % len(TEAM_PAINT)] if side in order else BONE


def over_mm(table: Table, placed: Placed) -> float:
    """A height that is clear of all terrain under a base at the place: there, what has no rest hovers."""
    level = _case(table, placed.mini, placed.at, placed.turn, placed.level).level_pose()
    high = (table.floor_mm or 0.0) if level is None else level.place[2]
    return high + HOVER_SHARE * placed.mini.base.outline.reach_mm()


def _case(table: Table, mini: Mini, at: tuple[float, float], turn: float, level: float | None) -> Case:
    return case_of(ground_of(table), mini, at=at, turn=turn, level=level)


def token_areas(table: Table) -> Iterator[Area]:
    """The tokens of a table, each lying on the highest terrain under it."""
    for token in table.tokens:
        base = Base.round(token.diameter_mm)
        level = _case(table, Mini(base), token.at, 0.0, None).level_pose()
        ring = base.outline.polygon(TOKEN_MM) + np.array(token.at)
        high = (table.floor_mm or 0.0) if level is None else level.place[2]
        yield Area((ring,), TOKEN, "tokens", height_mm=high, alpha=0.7, kind="token")


def support_of(table: Table, stand: Stand) -> tuple[Point3, ...]:
    """The corners of the hull of all terrain that touches the underside: `margin_mm` is the way to its border."""
    if stand.pose is None:
        return ()
    case = _case(table, stand.mini, stand.at, stand.turn, stand.level)
    p = case.patch
    frame = frame_at(stand.pose, (p.x, p.y, p.z))
    touch = at_rest(touching(case.footing(frame).whole, frame, case.foot, TOUCH_MM))
    corners = touch[hull(touch), PX : PZ + 1] + np.array([p.x, p.y, p.z])
    return tuple((x, y, z) for x, y, z in corners.tolist())


def released(
    table: Table,
    name: str,
    stand: Stand,
    *,
    engine: str | None = None,
    drop_mm: float = 0.0,
    nudge_deg: float = NUDGE_DEG,
    about: str = "",
) -> Motion | None:
    """How a mini moves when it is let go in its resting pose (and, if it stays, nudged), or dropped; None: nowhere to.

    It shows what an engine does; the verdict was told before and is not judged by this.
    """
    if stand.answer in ("off-table", "falls"):
        return None
    reach = stand.mini.height_mm + FALL_ROOM_MM
    patch = ground_of(table).patch(stand.at[0], stand.at[1], reach, level=stand.level)
    pose = stand.pose or _case(table, stand.mini, stand.at, stand.turn, stand.level).level_pose()
    if pose is None:
        return None
    rock = rock_of(patch, reach)
    moving = _whole(stand.mini)
    seen = settle_moving(
        rock,
        moving,
        pose,
        friction=stand.friction,
        drop_mm=drop_mm,
        nudge_deg=nudge_deg,
        engine=engine,
        track=True,
    )
    return Motion(name, thinned(_until_lost(tuple(Timed(t, at) for t, at in seen.track), pose)), about or seen.why)


def _until_lost(track: tuple[Timed, ...], rest: Pose) -> tuple[Timed, ...]:
    """Until a little after it has fallen: the engine goes on bumping the table, and nobody watches that."""
    homes = (rest, track[0].pose) if track else ()
    lost = (one.time_s for one in track if all(lean(home, one.pose) > LOST_DEG for home in homes))
    fell = next(lost, math.inf)
    return tuple(one for one in track if one.time_s <= fell + AFTER_S)


@lru_cache(maxsize=16)
def _whole(mini: Mini) -> Moving:
    """A mini with its body, which falls on its side; a verdict's has none, because a body never carries."""
    corners, _ = mini.body.mesh or cylinder_of(mini)
    moving = moving_body(mini)
    return replace(moving, parts=(*moving.parts, extremes(corners)))


def thinned(track: tuple[Timed, ...]) -> tuple[Timed, ...]:
    """Without the poses that look like the one before, but with the first and the last."""
    kept: list[Timed] = []
    for i, one in enumerate(track):
        if not kept or i == len(track) - 1 or _moved(kept[-1], one):
            if kept and i > 0 and track[i - 1] is not kept[-1] and _moved(kept[-1], one):
                kept.append(Timed(track[i - 1].time_s, kept[-1].pose))  # it kept still until then
            kept.append(one)
    return tuple(kept)


def _moved(a: Timed, b: Timed) -> bool:
    if b.time_s - a.time_s < 1 / FPS:
        return False
    place = np.abs(np.array(a.pose.place) - np.array(b.pose.place)).max()
    turn = 1.0 - abs(float(np.dot(a.pose.spin, b.pose.spin)))
    return bool(place > SAME_MM or turn > (np.radians(SAME_DEG) / 2) ** 2 / 2)
