"""Minis as figures, with what a verdict does not keep: the hull of all that carries one, the way a released one takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from sim3d.engine import Ground as Rock
from sim3d.ground import ground_of
from sim3d.settle import settle_moving
from sim3d.space import TOUCH_MM, Pose
from sim3d.stand import Stand, frame_at, moving_body, resting_pose, without_far_floor
from sim3d.statics.rest import case_of
from sim3d.statics.touch import PX, PZ, at_rest, hull, touching
from sim3d.table import Placed, Table
from sim3d.view.scene import Figure, Motion, Point3, Timed

FALL_ROOM_MM = 120.0  # terrain this far beyond a mini's height is there for it to fall on to
SAME_MM, SAME_DEG = 0.005, 0.02  # poses of a track nearer than this look the same: the later is left out
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
    return Figure(placed.name, placed.mini, pose, stand, True, side, support_of(table, stand))


def figures_of(table: Table, sides: Mapping[str, str] | None = None) -> Iterator[Figure]:
    """Every mini of a table where it rests."""
    for placed in table.minis:
        yield figure_of(table, placed, side=(sides or {}).get(placed.name, ""))


def over_mm(table: Table, placed: Placed) -> float:
    """A height that is clear of all terrain within a base of the place: there, what has no rest hovers."""
    reach = max(placed.mini.base.outline.length_mm, placed.mini.base.outline.width_mm)
    high = table.floor_mm or 0.0
    for piece in table.pieces:
        corners = piece.vertices()
        near = np.abs(corners[:, :2] - np.array(placed.at)).max(axis=1) < reach
        if near.any():
            high = max(high, float(corners[near, 2].max()))
    return high + reach / 2


def support_of(table: Table, stand: Stand) -> tuple[Point3, ...]:
    """The corners of the hull of all terrain that touches the underside: `margin_mm` is the way to its border."""
    if stand.pose is None:
        return ()
    case = case_of(ground_of(table), stand.mini, at=stand.at, turn=stand.turn, level=stand.level)
    p = case.patch
    frame = frame_at(stand.pose, (p.x, p.y, p.z))
    touch = at_rest(touching(case.footing(frame).whole, frame, case.foot, TOUCH_MM))
    corners = touch[hull(touch), PX : PZ + 1] + np.array([p.x, p.y, p.z])
    return tuple((x, y, z) for x, y, z in corners.tolist())


def released(
    table: Table, name: str, stand: Stand, *, engine: str | None = None, drop_mm: float = 0.0, about: str = ""
) -> Motion | None:
    """How a mini moves when it is let go in its resting pose (and, if it stays, nudged), or dropped; None: nowhere to.

    It shows what an engine does; the verdict was told before and is not judged by this.
    """
    if stand.answer in ("off-table", "falls"):
        return None
    reach = stand.mini.height_mm + FALL_ROOM_MM
    patch = ground_of(table).patch(stand.at[0], stand.at[1], reach, level=stand.level)
    pose = stand.pose or Pose.at(patch.x, patch.y, patch.z, turn=stand.turn)
    if stand.pose is None:
        case = case_of(ground_of(table), stand.mini, at=stand.at, turn=stand.turn, level=stand.level)
        level = case.level_pose()
        if level is None:
            return None
        pose = level
    tris = patch.tris + np.array([patch.x, patch.y, patch.z])
    tris = without_far_floor(tris, patch.numbers, (patch.x, patch.y), reach)
    rock = Rock(tris.reshape(-1, 3), np.arange(3 * len(tris)).reshape(-1, 3))
    moving = moving_body(stand.mini)
    seen = settle_moving(rock, moving, pose, friction=stand.friction, engine=engine, drop_mm=drop_mm, track=True)
    return Motion(name, thinned(tuple(Timed(t, at) for t, at in seen.track)), about or seen.why)


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
