"""Where a wall that is touched leads: the edges over it, the foot below it, and what is in between."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from sim3d.ground.covered import CORE
from sim3d.ground.relief import LEVEL_MM
from sim3d.ground.way import LOW_MM, TOUCH_MM, height_under, heights_under
from sim3d.plane import filled, gaps_mm
from sim3d.rules.legion.around import Point, kept, nearest
from sim3d.rules.legion.climber import ALONG_MM, PROBE_MM, SEEN_MM, Climber, Contact
from sim3d.space import Floats

INWARD_MM = 0.5  # step of the search for room, from the base's whole width on the edge to its middle
FINELY_MM = 0.1  # the same for how wide that ground is, and for the foot of a wall that leans
MIDDLE = 0.02  # of a base's width: its middle alone
HALVED = 16  # times that the last step to an edge's end is halved


@dataclass(frozen=True, slots=True)
class Way:
    """From a place of contact to the edge that is nearest to it, and how long that is: up or down, and across."""

    contact: Contact
    mm: float
    edge: Point
    height: float  # of the edge
    flush: bool = True  # whether the ground there carries a base that is put flush on the edge

    def off(self, it: Climber, at: Point) -> float:
        """How far a base at a place would be from the edge."""
        return float(gaps_mm(it.ring(at), np.array([[self.edge, self.edge]]))[0])


def edges_over(it: Climber, one: Contact) -> Iterator[Way]:
    """The edges over a place of contact, the nearest first: straight up and then in, no farther aside than in.

    The shortest way counts, and one within a climb's limit before any that is not. Terrain over the middle of the base
    ends it (what hangs over less of the base is climbed around), and so does what is between there and the edge.
    """
    near = it.near
    roof = near.lowest(it.ring(it.leader.at, MIDDLE), it.feet + it.step)
    cut = math.inf if it.move.level is None else it.move.level
    x, y = one.at
    mine = near.walked & (near.heights[:, 1] > it.feet + LOW_MM) & (near.heights[:, 0] < min(cut, roof))
    mine &= (near.boxes[:, 0] <= x + it.seen_mm) & (near.boxes[:, 2] >= x - it.seen_mm)
    mine &= (near.boxes[:, 1] <= y + it.seen_mm) & (near.boxes[:, 3] >= y - it.seen_mm)
    cone = _cone(one)
    planes = [(0.0, 0.0, 1.0, it.feet + LOW_MM), (0.0, 0.0, -1.0, -cut), *cone]
    numbers = np.flatnonzero(mine)
    for nx, ny, _, d in cone:  # what lies beyond one of the planes with every corner has no part within
        seen_from = near.tris[numbers][:, :, 0] * nx + near.tris[numbers][:, :, 1] * ny - d
        numbers = numbers[seen_from.max(axis=1, initial=-math.inf) >= -TOUCH_MM]
    boxes = near.boxes[numbers]
    ways = np.hypot(
        np.maximum(np.maximum(boxes[:, 0] - x, x - boxes[:, 2]), 0.0),
        np.maximum(np.maximum(boxes[:, 1] - y, y - boxes[:, 3]), 0.0),
    )
    rises = np.maximum(near.heights[numbers, 0] - it.feet, LOW_MM)
    tops = near.heights[numbers, 1] - it.feet
    queue: list[tuple[bool, float, float, int, Floats | None]] = [
        (rise > it.limit + LEVEL_MM, rise + away, away, number, None)
        for number, rise, away, top in zip(numbers.tolist(), rises.tolist(), ways.tolist(), tops.tolist(), strict=True)
        if _seen(it, away, top)
    ]
    heapq.heapify(queue)
    seen: set[tuple[float, ...]] = set()
    while queue:
        _, mm, _, number, place = heapq.heappop(queue)
        if place is None:
            part = kept(near.tris[number], planes)
            if not len(part):
                continue
            away, place = nearest(part, one.at)
            rise = float(place[2]) - it.feet
            if _seen(it, away, rise):
                heapq.heappush(queue, (rise > it.limit + LEVEL_MM, rise + away, away, number, place))
            continue
        key = tuple(round(float(v) / ALONG_MM) for v in place)
        if key not in seen and place[2] + it.tall <= roof + LEVEL_MM:
            edge, z = _rim(it, one, place), float(place[2])
            flush = _open(it, one, edge, z)
            if flush is not None:
                yield Way(one, mm, edge, z, flush)
        seen.add(key)


def _seen(it: Climber, away: float, rise: float) -> bool:
    """Whether an edge so far in may be where a wall leads: farther in than any lies, it would be walked up."""
    return away <= min(it.seen_mm, max(SEEN_MM, rise / it.steep)) + TOUCH_MM


def _cone(one: Contact) -> list[tuple[float, float, float, float]]:
    """The planes that keep what is no farther aside of a place of contact than beyond it."""
    out = []
    for sign in (1.0, -1.0):
        a = one.away + sign * math.pi / (2 * 2)
        n = (math.cos(a), math.sin(a))
        out.append((*n, 0.0, n[0] * one.at[0] + n[1] * one.at[1] - TOUCH_MM))
    return out


def _rim(it: Climber, one: Contact, place: Floats) -> Point:
    """Where ground over a place of contact ends towards the leader: an eave's edge, if it goes out over the wall."""
    edge, z = (float(place[0]), float(place[1])), float(place[2])
    if math.dist(edge, one.at) > TOUCH_MM:
        return edge

    def carried(out: float) -> bool:
        return it.near.carried(one.points(-out), z - LOW_MM, z + LOW_MM)[0]

    most = math.dist(one.at, it.leader.at)
    inside, outside = 0.0, PROBE_MM
    while outside < most and carried(outside):
        inside, outside = outside, outside + ALONG_MM
    if inside == 0.0:
        return edge
    for _ in range(HALVED):
        half = (inside + outside) / 2
        inside, outside = (half, outside) if carried(half) else (inside, half)
    return one.beyond(-inside)


def _open(it: Climber, one: Contact, edge: Point, z: float) -> bool | None:
    """Whether an edge carries the leader flush on it, or only farther out over it; None where it gets onto nothing.

    It is no edge where terrain goes on around it, nor where something is in between.
    """
    there = replace(one, at=edge)
    if math.dist(edge, one.at) > TOUCH_MM:
        dx, dy = one.at[0] - edge[0], one.at[1] - edge[1]
        out = dx * math.cos(one.away) + dy * math.sin(one.away) > 0.0  # an eave's: its own ground goes on to the wall
        back = replace(one, at=edge, away=math.atan2(-dy, -dx) if out else math.atan2(dy, dx))
        if it.near.carried(back.points(PROBE_MM), z - LOW_MM, z + LOW_MM)[0]:
            return None
    if it.near.carried(there.points(PROBE_MM), z + LOW_MM, z + it.tall)[0]:
        return None
    places = [*inward(it, there), it.move.to] if it.move.to is not None else list(inward(it, there))
    poses = np.array([(*at, it.leader.turn) for at in places])
    cuts = np.full(len(poses), z + max(it.slack, it.tall) + LEVEL_MM)  # ground that high is in the way of the model
    heights = heights_under(it.ground, filled(it.leader.mini.base.outline), poses, cuts)
    carried = (heights >= z - CORE * it.slack - LOW_MM) & (heights <= z + it.slack + LEVEL_MM)
    flush = bool(carried[0])
    if not carried.any():
        return None
    return flush if it.passes(edge, z) and _joined(it, one, edge, z) else None


def _joined(it: Climber, one: Contact, edge: Point, z: float) -> bool:
    """Whether terrain goes on from a place of contact to an edge farther in, nowhere flatter than what is climbed."""
    far = math.dist(one.at, edge)
    line = replace(one, away=math.atan2(edge[1] - one.at[1], edge[0] - one.at[0]))
    for mm in np.arange(ALONG_MM, far - ALONG_MM, ALONG_MM).tolist():
        least = min(it.feet + it.steep * mm, z) - LOW_MM
        if not it.near.through(line.strip(mm, mm + ALONG_MM), least, z + it.head):
            return False
    return True


# --- places on an edge and beyond one ---------------------------------------------------------------------------------


def inward(it: Climber, edge: Contact) -> Iterator[Point]:
    """Places of a base on an edge: flush there, then farther and farther out over it, to its middle on the edge."""
    whole = it.whole(edge.away)
    return (edge.beyond(whole - k * INWARD_MM) for k in range(int(whole / INWARD_MM) + 1))


def midst(it: Climber, edge: Contact, z: float) -> Point:
    """The middle of the ground that begins at an edge and goes in from there, as far as a base reaches."""
    marks = np.arange(PROBE_MM, 2 * it.whole(edge.away), FINELY_MM)
    over = it.near.carried(edge.points(*marks), z - LOW_MM, z + LOW_MM)
    return edge.beyond(float(marks[over.index(False) if False in over else -1]) / 2)


def outward(it: Climber, one: Contact) -> Iterator[Point]:
    """Places beyond a contact, the base flush outside of it first."""
    whole = it.whole(one.away)
    return (one.beyond(whole + k * INWARD_MM) for k in range(int(whole / INWARD_MM) + 1))


def foot_below(it: Climber, one: Contact) -> tuple[Point, float] | None:
    """The foot of the wall below a contact, and how high it is where a base gets down to: beside the wall, or past all
    of it if that leans.
    """
    whole = it.whole(one.away)
    for k in range(int((whole + it.seen_mm) / INWARD_MM) + 1):
        at = one.beyond(whole + k * INWARD_MM)
        landing = landing_under(it, at)
        if landing < it.feet - LOW_MM and clear_down(it, at, landing):
            foot = foot_of(it, one, landing)
            if k * INWARD_MM <= max(whole, math.dist(one.at, foot) + INWARD_MM):
                return foot, landing
    return None


def aside(it: Climber, one: Contact, most: float) -> Iterator[Point]:
    """Places of a base flush beyond a contact, but aside of it, the nearest first, by at most so much (mm) off it."""
    whole = it.whole(one.away)
    x, y = one.beyond(whole)
    for k in range(1, int(math.sqrt(2 * whole * most + most * most) / INWARD_MM) + 1):
        for mm in (k * INWARD_MM, -k * INWARD_MM):
            yield x - mm * math.sin(one.away), y + mm * math.cos(one.away)


def landing_under(it: Climber, at: Point) -> float:
    """The ground under a place, below the leader's feet and the player's cut; what is climbed is none."""
    cut = it.feet - LOW_MM if it.move.level is None else min(it.move.level, it.feet - LOW_MM)
    ring, slope = filled(it.leader.mini.base.outline), it.ruleset.numbers.slope_deg
    return height_under(it.ground, ring, (*at, it.leader.turn), level=cut, slope_deg=slope)


def clear_down(it: Climber, at: Point, landing: float) -> bool:
    """Whether nothing is in the way from where the leader is to over a place, and from there down."""
    column = it.ring(at, MIDDLE)
    return not it.near.through(column, landing + it.head, it.feet + it.head) and it.passes(at, it.feet)


def foot_of(it: Climber, one: Contact, landing: float) -> Point:
    """Where the terrain beyond an edge ends that is higher than where the base is set down: a wall's foot.

    Rubble is none; but a wall that leans goes on below its height.
    """
    far = _goes_on(it, one, landing + LOW_MM, 0.0, it.seen_mm, ALONG_MM)
    if far > 0.0:
        far = _goes_on(it, one, landing + LEVEL_MM, far, far + 2 * ALONG_MM + LOW_MM / it.steep, FINELY_MM)
    return one.beyond(far)


def _goes_on(it: Climber, one: Contact, over: float, far: float, most: float, step: float) -> float:
    """How far beyond a contact terrain over a height goes on from so far, at most, in steps."""
    while far < most and it.near.through(one.strip(far + step, far + 2 * step), over, it.feet - LEVEL_MM):
        far += step
    return far
