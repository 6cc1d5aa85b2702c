"""Moves by the tool, to be seen: the tool as it lay, what the leader's base swept, where everybody goes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from sim3d.overlap import resting_pose
from sim3d.rules.legion import Outcome
from sim3d.rules.legion.making import Made
from sim3d.rules.legion.reach import Reach
from sim3d.rules.legion.tool import tool_rings
from sim3d.space import Pose
from sim3d.stand import Stand
from sim3d.table import Placed, Table
from sim3d.view.figures import figure_of, paint_of, sides_of, standing
from sim3d.view.picture import BAD, GOOD, SLATE
from sim3d.view.scene import Area, Figure, Line, Moment, Motion, Scene, Timed, Told

MM_PER_S = 90.0  # how fast a mini is carried along
HOP_S = 0.9  # to lift a mini to another place
HOP_STEPS = 14
HOP_SHARE = 0.25  # a hop rises over the higher end by this share of its width


def move_moment(told: Told, outcome: Outcome) -> Moment:
    """What came of a move: who ends where, by which way; of a move that is not legal, as it was tried."""
    made = outcome.made
    after = outcome.battle.table if outcome.legal else made.after()
    asked = dict(_asked(made, after))
    figures = tuple(standing(after, made.battle, asked))
    scene = Scene(after, figures, _areas(outcome), _lines(outcome), focus=made.leader.name)
    here = {figure.name: figure for figure in figures}
    return Moment(told, scene, tuple(_motions(made, here)))


def _asked(made: Made, after: Table) -> Iterator[tuple[str, Figure]]:
    """The figures of those who were put somewhere, with their verdicts."""
    by_name = {m.name: m for m in made.ends}
    answers: list[tuple[Placed, Stand]] = [
        (by_name[name], stand) for name, stand in zip(made.put, made.stands, strict=False)
    ]
    answers += [(back.mini, back.stand) for back in made.displacement.backs] if made.displacement else []
    sides = sides_of(made.battle)
    order = tuple(dict.fromkeys(sides.values()))
    for placed, stand in answers:
        side = sides.get(placed.name, "")
        yield placed.name, replace(figure_of(after, placed, stand, side=side), paint=paint_of(side, order))


def _areas(outcome: Outcome) -> tuple[Area, ...]:
    """What the leader's base swept, and the tool as it lay."""
    made = outcome.made
    if made.path is None or made.tool is None:
        return ()
    turning = made.ruleset.options.hinge == "turning"
    sweep = made.path.sweep(made.leader.mini.base, min(made.travel_mm, made.path.full_mm), turning=turning)
    said = f"{made.travel_mm:.0f} mm along a speed-{made.tool.speed} tool"
    colour = GOOD if outcome.legal else BAD
    high = made.feet if made.track is None else max(made.feet, float(np.max(made.track.heights)))
    return (
        Area(tuple(sweep), colour, "swept", said, made.feet, kind="swept by the leader"),
        Area(
            tuple(tool_rings(made.tool, made.path, made.ruleset)), SLATE, "tool", "", high + 1.0, 0.6, "movement tool"
        ),
    )


def reach_areas(found: Reach) -> Iterator[Area]:
    """The places of a grid where one move of a unit could end."""
    half = 0.46 * found.pitch_mm
    square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    for place in found.region:
        said = f"{place.x:g}, {place.y:g}"
        yield Area((square + np.array([place.x, place.y]),), GOOD, "reach", said, place.z or 0.0, 0.3, "in reach")


def _lines(outcome: Outcome) -> tuple[Line, ...]:
    """The way of the middle of the leader's base."""
    made = outcome.made
    if made.track is None or len(made.poses) < 2:
        return ()
    rows = zip(made.poses.tolist(), made.track.heights.tolist(), strict=True)
    points = tuple((x, y, z + 0.5) for (x, y, *_), z in rows)
    return (Line(points, GOOD if outcome.legal else BAD, "way"),)


def _motions(made: Made, here: dict[str, Figure]) -> Iterator[Motion]:
    """The leader along its way, then everybody else who is put somewhere, from where they stood."""
    table = made.battle.table
    before = {m.name: m for m in table.minis}
    begun = 0.0
    leader = here.get(made.leader.name)
    if leader is not None:
        track = _carried(made, leader)
        if len(track) > 1:
            begun = track[-1].time_s
            yield Motion(leader.name, track, _went(made))
    others = [m.name for m in made.ends[1:] if m.name in made.put]
    others += [m.name for m in made.displacement.places] if made.displacement is not None else []
    for name in others:
        if name in here and name in before and before[name].at != here[name].pose.place[:2]:
            start = resting_pose(table, before[name])
            yield Motion(name, hop(start, here[name].pose, begun), "is put there")


def _went(made: Made) -> str:
    return f"{made.move.kind}, {made.travel_mm:.0f} mm" if made.path is not None else made.move.kind


def _carried(made: Made, leader: Figure) -> tuple[Timed, ...]:
    """The leader along the poses that the rules looked at, then down to its rest."""
    start = resting_pose(made.battle.table, made.leader)
    if made.track is None or len(made.poses) < 2:
        return hop(start, leader.pose, 0.0) if start != leader.pose else ()
    track, time, last = [Timed(0.0, start)], 0.0, made.poses[0]
    for row, high in zip(made.poses[1:], made.track.heights[1:].tolist(), strict=True):
        time += max(math.dist(row[:2], last[:2]), abs(row[2] - last[2])) / MM_PER_S
        track.append(Timed(time, Pose.at(row[0], row[1], high, turn=row[2])))
        last = row
    return (*track, Timed(time + 0.2, leader.pose))


def hop(start: Pose, end: Pose, begun_s: float) -> tuple[Timed, ...]:
    """Lifted in an arc from one pose to another.

    >>> round(hop(Pose.at(0, 0), Pose.at(100, 0), 1.0)[-1].time_s, 6)
    1.9
    """
    a, b = np.array(start.place), np.array(end.place)
    p, q = np.array(start.spin), np.array(end.spin)
    q = q if float(p @ q) >= 0 else -q
    lift = 4.0 + HOP_SHARE * float(np.hypot(*(b - a)[:2]))
    track = [Timed(begun_s, start)]
    for k in range(1, HOP_STEPS):
        s = k / HOP_STEPS
        place = a + (b - a) * s
        place[2] = max(place[2], a[2] + (b[2] - a[2]) * s) + 4 * lift * s * (1 - s)
        w, x, y, z = ((1 - s) * p + s * q) / np.linalg.norm((1 - s) * p + s * q)
        there = (float(place[0]), float(place[1]), float(place[2]))
        track.append(Timed(begun_s + HOP_S * s, Pose(there, (float(w), float(x), float(y), float(z)))))
    return (*track, Timed(begun_s + HOP_S, end))
