"""The movement tool as geometry: two arms and a hinge, its ends against bases and in notches, the path and its sweep.

Lengths are flat: a tool is held over whatever keeps it from lying down, and stops nothing itself (MV09).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from sim3d.mini import Base
from sim3d.plane import Arc, Outline, filled, hull, placed, swept, turned_through
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.space import Floats

SIDE_DEG = {
    "standard": 0.0,
    "reverse": 180.0,
    "strafe left": 90.0,
    "strafe right": -90.0,
}  # which side leads
NOTCH_SEEN_MM = 0.5  # a flat this deep under the filled outline is a notch
KEPT = 4096  # reaches of bases that are remembered
STRIDE_MM = 2.0  # between two poses of a path that is walked; what lies between is swept


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool laid down: its speed, where it leaves the base (degrees on the table), its bend (left is positive)."""

    speed: int
    length_mm: float
    start_deg: float
    bend_deg: float = 0.0


@dataclass(frozen=True, slots=True)
class Path:
    """The way of a base's middle: two straight legs that meet at the hinge, and its facing on each.

    Full, it ends flush with the tool's far end; partial, anywhere on it (MV03, MV04, MV05).
    """

    start: tuple[float, float]
    legs_mm: tuple[float, float]
    headings_deg: tuple[float, float]
    turns_deg: tuple[float, float]
    turned: bool = False  # whether the facing changes at the hinge: a notched base

    @property
    def full_mm(self) -> float:
        """How far a full move goes."""
        return self.legs_mm[0] + self.legs_mm[1]

    def at(self, travel_mm: float) -> tuple[float, float, float]:
        """x, y and facing after so many mm; at the hinge itself still as on the first leg."""
        first = min(travel_mm, self.legs_mm[0])
        rest = max(travel_mm - self.legs_mm[0], 0.0)
        x, y = self.start
        for distance, heading in ((first, self.headings_deg[0]), (rest, self.headings_deg[1])):
            a = math.radians(heading)
            x, y = x + distance * math.cos(a), y + distance * math.sin(a)
        return x, y, self.turns_deg[1] if rest > 0 else self.turns_deg[0]

    def poses(self, travel_mm: float, *, turning: bool = False, stride_mm: float = STRIDE_MM) -> Floats:
        """Rows x, y, facing, travel from the start to `travel_mm`, at most a stride apart.

        With `turning` the base turns at the hinge degree by degree; without, it is lifted round.
        """
        marks = [0.0]
        for end in (min(travel_mm, self.legs_mm[0]), travel_mm):
            begin = marks[-1]
            n = math.ceil((end - begin) / stride_mm - 1e-9)
            marks += [begin + (end - begin) * k / n for k in range(1, n + 1)]
        rows = [(*self.at(0.0), 0.0)]
        bend = self.turns_deg[1] - self.turns_deg[0]
        for mark in marks[1:]:
            x, y, turn = self.at(mark)
            before = rows[-1]
            if turn != before[2]:
                steps = math.ceil(abs(bend)) if turning else 1
                rows += [(before[0], before[1], before[2] + bend * k / steps, before[3]) for k in range(1, steps + 1)]
            rows.append((x, y, turn, mark))
        return np.array(rows)

    def sweep(self, base: Base, travel_mm: float, *, turning: bool = False) -> list[Floats]:
        """The convex rings that the base sweeps up to `travel_mm`, exactly: one per leg, and its turn at the hinge."""
        ring = filled(base.outline)
        first = min(travel_mm, self.legs_mm[0])
        x, y, turn = self.at(first)
        rings = [swept(ring, (*self.start, self.turns_deg[0]), (x, y))]
        if travel_mm > self.legs_mm[0]:
            if turning and self.turned:
                rings.append(turned_through(ring, x, y, turn, self.turns_deg[1] - self.turns_deg[0]))
            end = self.at(travel_mm)
            rings.append(swept(ring, (x, y, self.turns_deg[1]), (end[0], end[1])))
        return rings


@cache
def notches_of(base: Base) -> tuple[int, ...]:
    """The sides (0 front, 180 rear, 90 left, 270 right) where a base has a notch.

    >>> notches_of(Base.named("50n")), notches_of(Base.named("27"))
    ((0, 180), ())
    """
    whole = Outline.polygon_of([(float(x), float(y)) for x, y in filled(base.outline)])
    return tuple(
        side for side in (0, 90, 180, 270) if reach_mm(whole, side) - reach_mm(base.outline, side) > NOTCH_SEEN_MM
    )


def reach_mm(outline: Outline, direction_deg: float) -> float:
    """How far an outline goes from its middle in a direction of its own: to a notch's floor where there is one.

    >>> reach_mm(Base.named("50n").outline, 0), round(reach_mm(Base.named("27").outline, 77), 9)
    (22.0, 13.5)
    """
    a = math.radians(direction_deg)
    c, s = (round(v, 15) for v in (math.cos(a), math.sin(a)))

    best = 0.0
    for edge in outline.edges:
        if isinstance(edge, Arc):
            p, q = edge.centre[0] / edge.rx, edge.centre[1] / edge.ry
            u, v = c / edge.rx, s / edge.ry
            square, half, rest = u * u + v * v, -(u * p + v * q), p * p + q * q - 1.0
            root = half * half - square * rest
            for sign in (-1.0, 1.0) if root >= 0 else ():
                t = (-half + sign * math.sqrt(root)) / square
                angle = math.degrees(math.atan2((t * s - edge.centre[1]) / edge.ry, (t * c - edge.centre[0]) / edge.rx))
                if (angle - edge.start_deg) % 360.0 <= edge.sweep_deg + 1e-9:
                    best = max(best, t)
        else:
            (x0, y0), (x1, y1) = edge.start, edge.end
            det = c * (y1 - y0) - s * (x1 - x0)
            if abs(det) > 1e-15:
                t = (x0 * (y1 - y0) - y0 * (x1 - x0)) / det
                along = (x0 * s - y0 * c) / det
                if -1e-12 <= along <= 1 + 1e-12:
                    best = max(best, t)
    return best


@lru_cache(maxsize=KEPT)
def _reach_mm(base: Base, side_deg: float) -> float:
    """The same of a base; kept, for searches ask about the same headings again and again."""
    return reach_mm(base.outline, side_deg)


def stand_off_mm(radius_mm: float, ruleset: Ruleset) -> float:
    """How far a tool's hollow end keeps from a round base that is wider than the hollow: its prongs touch first.

    >>> from sim3d.rules.legion import RRG2
    >>> stand_off_mm(13.5, RRG2), 1.0 < stand_off_mm(25, RRG2) < 1.2
    (0.0, True)
    """
    half, hug = ruleset.numbers.tool_width_mm / 2, ruleset.numbers.hug_mm
    if radius_mm <= hug:
        return 0.0
    return (hug - math.sqrt(hug * hug - half * half)) - (radius_mm - math.sqrt(radius_mm**2 - half * half))


def from_end_mm(base: Base, side_deg: float, ruleset: Ruleset) -> float:
    """From a base's middle to the end of a tool on one of its sides: in a notch there, or else flush (MV02).

    >>> from sim3d.rules.legion import RRG2
    >>> [round(from_end_mm(Base.named("60x35"), side, RRG2), 2) for side in (0, 90)]
    [30.0, 19.22]
    """
    if notches_of(base):
        reach = _reach_mm(base, side_deg)
        held = any(abs((side_deg - side + 180) % 360 - 180) < 1e-9 for side in notches_of(base))
        return reach if held else reach + stand_off_mm(reach, ruleset)
    if _round(base):
        reach = _reach_mm(base, side_deg)
        return reach + stand_off_mm(reach, ruleset)
    return _flush_mm(base, side_deg, ruleset.numbers.tool_width_mm / 2, ruleset.numbers.hug_mm)


def _round(base: Base) -> bool:
    """Whether a base is one circle about its middle."""
    return all(isinstance(e, Arc) and e.centre == (0.0, 0.0) and e.rx == e.ry for e in base.outline.edges)


@lru_cache(maxsize=KEPT)
def _flush_mm(base: Base, side_deg: float, half_mm: float, hug_mm: float) -> float:
    """The same for any other outline: how far the tool comes along its own line until its hollow end touches.

    Beside that line the end reaches forward by the depth of its hollow. It deepens ever faster towards the prongs, so
    that a straight piece of the outline is touched first at one of its ends, or by a prong. Arcs are rings of corners.
    """
    ring = placed(filled(base.outline), 0.0, 0.0, -side_deg)
    ends = np.roll(ring, -1, axis=0)
    touched = [ring[np.abs(ring[:, 1]) <= half_mm], np.array([[reach_mm(base.outline, side_deg), 0.0]])]
    for prong in (-half_mm, half_mm):
        across = (ring[:, 1] - prong) * (ends[:, 1] - prong) < 0
        begin, end = ring[across], ends[across]
        touched.append(begin + ((prong - begin[:, 1]) / (end[:, 1] - begin[:, 1]))[:, None] * (end - begin))
    ahead, aside = np.concatenate(touched).T
    return float((ahead + hug_mm - np.sqrt(hug_mm * hug_mm - np.minimum(aside * aside, half_mm * half_mm))).max())


def path_of(tool: Tool, base: Base, at: tuple[float, float], turn: float, kind: str, ruleset: Ruleset) -> Path:
    """The path that a laid tool makes for a base (MV03): from notch to opposite notch, or flush to flush (MV04)."""
    side = SIDE_DEG[kind]
    half = tool.length_mm / 2
    headings = (tool.start_deg, tool.start_deg + tool.bend_deg)
    if notches_of(base):  # it faces along the tool, as it left it
        turns = (headings[0] - side, headings[1] - side)
        leaves, arrives = from_end_mm(base, side, ruleset), from_end_mm(base, side + 180, ruleset)
        return Path(at, (leaves + half, half + arrives), headings, turns, turned=tool.bend_deg != 0)
    leaves, arrives = (
        from_end_mm(base, headings[0] - turn, ruleset),
        from_end_mm(base, headings[1] + 180 - turn, ruleset),
    )
    return Path(at, (leaves + half, half + arrives), headings, (turn, turn))


def tool_rings(tool: Tool, path: Path, ruleset: Ruleset) -> list[Floats]:
    """The tool where it lies, to draw it: its two arms with hollow ends cut straight at the prongs, and its hinge."""
    n = ruleset.numbers
    half = n.tool_width_mm / 2
    prong = n.hug_mm - math.sqrt(n.hug_mm**2 - half * half)
    hx, hy, _ = path.at(path.legs_mm[0])
    long = tool.length_mm / 2 + prong
    arm = np.array([[0.0, -half], [long, -half], [long, half], [0.0, half]])
    disc = placed(filled(Outline.ellipse(n.hinge_mm, n.hinge_mm)), hx, hy, 0.0)
    return [placed(arm, hx, hy, path.headings_deg[0] + 180), disc, placed(hull(arm), hx, hy, path.headings_deg[1])]
