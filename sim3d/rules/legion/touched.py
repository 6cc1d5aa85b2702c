"""Where a climb begins: the walls that a base touches, beside it or below the edge of what carries it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from sim3d.ground.relief import LEVEL_MM
from sim3d.ground.walls import faces_near
from sim3d.ground.way import LOW_MM, TOUCH_MM
from sim3d.plane import foot_on, gaps_mm
from sim3d.rules.legion.battle import ring_of
from sim3d.rules.legion.climber import ALONG_MM, PROBE_MM, SEEN_MM, Climber, Contact
from sim3d.space import Floats, Ints

APART_MM = 2.0  # places of contact nearer to each other than this are one
ALIKE = 6  # decimals of a place or an angle: what differs by less is rounding


def above(it: Climber) -> list[Contact]:
    """Where the rim touches steep faces that rise from about its feet; what lies under the base is not climbed."""
    return _near_first(it, it.feet + LEVEL_MM, it.feet + it.tall, _beside)


def below(it: Climber) -> list[Contact]:
    """Where the ground that carries the base ends, within its rim or at it, and nothing carries it from there on."""
    return _near_first(it, it.feet - it.tall, it.feet - LEVEL_MM, _drops)


def _near_first(it: Climber, low: float, high: float, fits: Callable[[Climber, Contact], bool]) -> list[Contact]:
    """The nearest places of contact with steep faces between two heights that fit, looked for nearby first."""
    reach = it.leader.mini.base.outline.reach_mm()
    for far in (APART_MM, SEEN_MM):
        segments, owners = faces_near(it.ground, *it.leader.at, reach + far, low, high, it.ruleset.numbers.slope_deg)
        gaps = gaps_mm(ring_of(it.leader), segments)
        order = np.argsort(gaps, kind="stable")
        order = order[gaps[order] <= far]  # faces are found by a box around the base
        found = _fitting(it, _contacts(it, segments[order], owners[order], gaps[order]), fits)
        if found and found[0].gap_mm + TOUCH_MM <= far:
            return _distinct(it, found)
    return _distinct(it, found)


def _fitting(it: Climber, contacts: Iterable[Contact], fits: Callable[[Climber, Contact], bool]) -> list[Contact]:
    """Of places in the order of their gaps the first that fits, and all that are as near; each place is asked once."""
    found: list[Contact] = []
    asked: dict[tuple[int, ...], bool] = {}
    for one in contacts:
        if found and one.gap_mm > found[0].gap_mm + TOUCH_MM:
            break
        key = tuple(round(v / PROBE_MM) for v in (*one.at, one.away))
        if key not in asked:
            asked[key] = fits(it, one)
        if asked[key]:
            found.append(one)
    return found


def _beside(it: Climber, one: Contact) -> bool:
    """Whether a face is at the rim, no deeper under the base than an eye sees."""
    rim = it.whole(one.away) - math.dist(one.at, it.leader.at)
    return one.gap_mm > 0 or rim <= it.ruleset.numbers.edge_mm


def _contacts(it: Climber, segments: Floats, owners: Ints, gaps: Floats) -> Iterator[Contact]:
    """The point of each segment that is nearest to the leader's middle, as a place of contact."""
    feet = foot_on(it.leader.at, segments)
    for (a, b), gap, (x, y), owner in zip(segments, gaps.tolist(), feet.tolist(), owners, strict=True):
        dx, dy = x - it.leader.at[0], y - it.leader.at[1]
        aways = [math.atan2(dy, dx)]
        if math.hypot(dx, dy) < TOUCH_MM:  # it stands with its middle on the edge: to either side
            across = math.atan2(b[0] - a[0], a[1] - b[1])
            aways = [across, across + math.pi]
        for away in aways:
            yield Contact(gap, (x, y), away, it.table.pieces[int(owner)].name)


def _distinct(it: Climber, found: list[Contact]) -> list[Contact]:
    """One place of contact for several that are next to each other, those nearest to the leader's middle first."""
    out: list[Contact] = []
    for one in sorted(found, key=lambda c: ahead(it, c)):
        if all(math.dist(one.beyond(APART_MM), o.beyond(APART_MM)) > APART_MM for o in out):
            out.append(one)
    return out


def ahead(it: Climber, one: Contact) -> tuple[float, float, float]:
    """The order of places of contact: by how far they are from the leader's middle, then by how far they are aside of
    where it faces, the left one first. It turns with the table.
    """
    aside = math.remainder(one.away - math.radians(it.leader.turn), math.tau)
    return round(math.dist(one.at, it.leader.at), ALIKE), round(abs(aside), ALIKE), -aside


def _drops(it: Climber, one: Contact) -> bool:
    """Whether nothing carries the base from a face to its rim, and the face begins about where its feet are."""
    rim = it.whole(one.away) - math.dist(one.at, it.leader.at)
    beyond = one.points(*np.arange(PROBE_MM, max(rim, 0.0) + 2 * PROBE_MM, ALONG_MM))
    if any(it.near.carried(beyond, it.feet - LOW_MM, it.feet + it.tall)):
        return False
    return it.near.through(one.strip(-PROBE_MM, PROBE_MM), it.feet - it.slack, it.feet + LOW_MM)
