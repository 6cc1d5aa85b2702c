"""Ways of one standard move of a round base, for thousands of places at once: sure, none, or to be walked.

What a chart calls sure `judge` finds no fault with on the way; what it calls none has no way. The rest is walked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from sim3d.compiled import dealt, in_threads
from sim3d.ground import ground_of
from sim3d.ground.fans import MAYBE, NO, SURE, Hinges, Walker, bent_to, hinges_of, hung_over, reached, reached_bent
from sim3d.ground.field import CELL_MM, Field, block, cluttered, field_of
from sim3d.ground.relief import terrain_of
from sim3d.ground.way import Walk, limits_of
from sim3d.plane import filled
from sim3d.rules.legion.battle import Battle, feet_mm, ring_of
from sim3d.rules.legion.making import OFF_MM, Made, make, speed_of
from sim3d.rules.legion.move import STANDARD, Move
from sim3d.rules.legion.passage import tops_mm, way_through
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.standing import nowhere
from sim3d.rules.legion.terrain import footing, room_mm
from sim3d.rules.legion.tokens import kept_clear
from sim3d.rules.legion.tool import STRIDE_MM, from_end_mm, notches_of
from sim3d.rules.legion.unit import Unit
from sim3d.space import Floats, Ints
from sim3d.table import Placed

HEADING_DEG = 1.0  # between two headings of the first leg that are tried: 1.3 mm at the hinge of a tool of speed 2
FINER_DEG = 0.25  # the same for a single place that has no way by these: narrow gaps, and the furthest bends
BLOCK = 4096  # places that are held against a ring at a time
PLACES = 24  # places that a thread takes at a time
HINGES = 45  # first legs that a thread takes at a time
NEAR_MM = 1e-3  # an end this near to a limit is left to the judge
LAID = 4  # numbers that tell a move: tool, start, bend, travel
ARCS = 4  # of which a round outline is made at most
ANYWHERE = np.empty((0, 2))  # no heights at which a way may not end
DEEPEST_MM = -1e6  # no terrain goes lower


@dataclass(frozen=True, slots=True)
class Fan:
    """One tool's first legs in every heading, carried to the hinge."""

    speed: int
    hinges: Hinges

    @property
    def full_mm(self) -> float:
        """How far its tool goes."""
        return self.hinges.leg + self.hinges.second


@dataclass(frozen=True, slots=True)
class Ways:
    """For many places: NO, MAYBE or SURE, the move that is sure (tool, start, bend, travel), the heights it ends at."""

    states: Ints
    laid: Floats
    heights: Floats


@dataclass(frozen=True, slots=True)
class Chart:
    """A leader, the field about it, its tools."""

    battle: Battle
    ruleset: Ruleset
    unit: Unit
    leader: Placed
    walk: Walk
    feet: float
    field: Field
    walker: Walker
    fans: tuple[Fan, ...]

    @property
    def far_mm(self) -> float:
        """How far the fastest tool takes it."""
        return max((f.full_mm for f in self.fans), default=0.0)

    def ways(self, places: Floats, but: Floats) -> Ways:
        """The ways to places (n, 2): straight ones first, slower tools before faster ones.

        None ends at a height that does not count for its place, between two of `but` (n, k, 2).
        """
        n = len(places)
        found = Ways(np.zeros(n, np.int64), np.full((n, LAID), np.nan), np.full((n, 2), np.nan))

        def some(part: slice) -> None:
            mine = Ways(found.states[part], found.laid[part], found.heights[part])
            self._some(np.ascontiguousarray(places[part]), np.ascontiguousarray(but[part]), mine)

        in_threads(some, dealt(n, PLACES))
        return found

    def _some(self, places: Floats, but: Floats, into: Ways) -> None:
        x, y = self.leader.at
        n = len(places)
        states, over, heights = np.zeros(n, np.int64), np.zeros(n, np.int64), np.full((n, 2), np.nan)
        away = places - np.array(self.leader.at)
        far, aim = np.hypot(away[:, 0], away[:, 1]), np.degrees(np.arctan2(away[:, 1], away[:, 0]))
        for bent in (False, True):
            for fan in self.fans:
                todo = (into.states < SURE).astype(np.int64)
                if bent:
                    reached_bent(self.field, self.walker, fan.hinges, places, todo, but, states, over, heights)
                else:
                    reached(
                        self.field, self.walker, x, y, self.feet, places, todo, but, fan.hinges.leg, fan.full_mm,
                        fan.hinges.slowed, states, heights,
                    )  # fmt: skip
                sure = (todo > 0) & (states == SURE)
                into.states[:] = np.where(todo > 0, np.maximum(into.states, states), into.states)
                into.heights[sure] = heights[sure]
                if not bent:
                    told = (np.full(n, float(fan.speed)), aim, np.zeros(n), np.minimum(far, fan.full_mm))
                    into.laid[sure] = np.column_stack(told)[sure]
                else:
                    into.laid[sure] = self._bent(fan, over[sure], places[sure])

    def fan(self, speed: int, leg: float, headings: Floats, *, slowed: bool) -> Fan:
        """A tool's first legs in some headings, carried to the hinge."""
        x, y = self.leader.at
        states, heights = np.zeros(len(headings), np.int64), np.zeros(len(headings))
        start = (x, y, self.feet)
        in_threads(_some_hinges(self.field, self.walker, start, leg, headings, slowed, states, heights),
                   range(0, len(headings), HINGES))  # fmt: skip
        size = self.battle.table.size_mm
        if size is not None:  # a hinge over the battlefield's edge takes the unit off it
            for axis, part in ((0, np.cos(headings)), (1, np.sin(headings))):
                there = np.abs((x, y)[axis] + leg * part) + self.leader.mini.base.outline.reach_mm()
                states[there > size[axis] / 2 + OFF_MM] = NO
        most = math.radians(self.ruleset.numbers.bend_deg)
        return Fan(speed, Hinges(x, y, leg, leg, most, slowed, headings, states, heights))

    def _bent(self, fan: Fan, which: Ints, places: Floats) -> Floats:
        """The moves that go over hinges to places."""
        start, leg = fan.hinges.headings[which], fan.hinges.leg
        hinge = np.array(self.leader.at) + leg * np.column_stack([np.cos(start), np.sin(start)])
        rest = places - hinge
        bend = np.degrees(np.arctan2(rest[:, 1], rest[:, 0]) - start)
        bend = (bend + 180.0) % 360.0 - 180.0
        travel = np.minimum(leg + np.hypot(rest[:, 0], rest[:, 1]), fan.full_mm)
        return np.column_stack([np.full(len(which), float(fan.speed)), np.degrees(start), bend, travel])

    def moves(self, at: tuple[float, float], but: Floats = ANYWHERE) -> Iterator[Move]:
        """Moves to one place: the sure one, or all that a walk has to decide, the straight ones first.

        None that ends at a height between two of `but` (k, 2) for sure.
        """
        x, y = self.leader.at
        far, aim = math.dist(at, (x, y)), math.degrees(math.atan2(at[1] - y, at[0] - x))
        later: list[Move] = []
        one, states, heights = np.ones(1, np.int64), np.zeros(1, np.int64), np.empty((1, 2))
        for fan in self.fans:
            place, slowed = np.array([at]), fan.hinges.slowed
            reached(
                self.field, self.walker, x, y, self.feet, place, one, but[None], fan.hinges.leg, fan.full_mm, slowed,
                states, heights,
            )  # fmt: skip
            move = Move(self.unit.name, tool=fan.speed, start_deg=aim, travel_mm=min(far, fan.full_mm))
            if states[0] == SURE:
                yield move
            elif states[0] == MAYBE:
                later.append(move)
        for fan in self.fans:
            state, moves = self._moves_over(fan, at, but)
            later[:0] = moves if state == SURE else []
            later += moves if state != SURE else []
        yield from later
        for fan in self.fans:
            finer = self._finer(fan, far, aim)
            if finer is not None:
                yield from self._moves_over(finer, at, but)[1]

    def _moves_over(self, fan: Fan, at: tuple[float, float], but: Floats) -> tuple[int, list[Move]]:
        """The bent moves of a tool to one place: the sure one, or all that a walk has to decide."""
        maybes = np.empty(len(fan.hinges.headings), np.int64)
        state, k = bent_to(self.field, self.walker, fan.hinges, *at, but, maybes)
        which = np.array([k]) if state == SURE else maybes[maybes >= 0]
        laid = self._bent(fan, which, np.tile(np.array(at), (len(which), 1)))
        return state, [self.move(row) for row in laid]

    def _finer(self, fan: Fan, far: float, aim_deg: float) -> Fan | None:
        """A tool's first legs in all headings that could lead to a place, close together and to the furthest bends."""
        hinge = fan.hinges
        if far <= hinge.leg:  # bends by more than a right angle
            return None
        near = (far * far + hinge.leg**2 - hinge.second**2) / (2 * far * hinge.leg)
        off = min(
            hinge.most - math.asin(hinge.leg * math.sin(hinge.most) / far), math.acos(min(max(near, -1.0), 1.0))
        ) * (1 - 1e-9)  # fmt: skip
        if off <= 0:  # only straight
            return None
        count = math.ceil(off / math.radians(FINER_DEG))
        headings = math.radians(aim_deg) + np.linspace(-off, off, 2 * count + 1)
        return self.fan(fan.speed, hinge.leg, headings, slowed=hinge.slowed)

    def move(self, laid: Floats) -> Move:
        """A row of `Ways.laid` as a move."""
        tool, start, bend, travel = (float(v) for v in laid)
        return Move(self.unit.name, tool=int(tool), start_deg=start, bend_deg=bend, travel_mm=travel)

    def cells(self, places: Floats) -> Ints:
        """The number of the cell that each place lies in."""
        i = np.floor((places[:, 0] - self.field.x0) / CELL_MM).astype(np.int64)
        j = np.floor((places[:, 1] - self.field.y0) / CELL_MM).astype(np.int64)
        return np.asarray(j * self.field.nx + i, np.int64)

    def covered(self, places: Floats, heights: Floats) -> Ints:
        """1 where something could hang over the leader, so that it ends below a cut."""
        over = self.field.hung[self.cells(places)] > heights[:, 0] + self.walk.tall_mm - NEAR_MM
        return np.asarray(over.astype(np.int64), np.int64)

    def hangs(self, places: Floats, heights: Floats, laid: Floats) -> Ints:
        """Whether something hangs over the leader at places (n, 2) where laid moves end, as their last strides see it.

        MAYBE: that depends on how long the last stride is, or it is stopped.
        """
        ahead = np.radians(laid[:, 1] + laid[:, 2])
        along = np.column_stack([np.cos(ahead), np.sin(ahead)])
        out = np.full(len(places), MAYBE, np.int64)

        def some(part: slice) -> None:
            there, high = np.ascontiguousarray(places[part]), np.ascontiguousarray(heights[part])
            short, long = np.full((2, len(there)), MAYBE, np.int64)
            for stride, states in ((0.0, short), (STRIDE_MM, long)):
                hung_over(self.walker, there - stride * along[part], there, high, states)
            out[part] = np.where(short == long, short, MAYBE)

        in_threads(some, dealt(len(places), PLACES))
        return out

    def alike(self, places: Floats, heights: Floats) -> Floats:
        """The heights (n, 2) at which standing is the same question as at others: all where nothing hangs over it."""
        free = self.field.hung[self.cells(places)] - self.walk.tall_mm + NEAR_MM
        low = self.covered(places, heights) > 0
        near = np.column_stack([heights[:, 0] - NEAR_MM, heights[:, 1] + NEAR_MM])
        return np.where(low[:, None], near, np.column_stack([free, np.full(len(free), math.inf)]))

    def on_floor(self, places: Floats, heights: Floats) -> Ints:
        """1 where it stands on the bare floor with nothing else as high as itself within reach."""
        floor = self.field.floor
        flat = (heights[:, 0] == floor) & (heights[:, 1] == floor)
        if not flat.any():
            return np.zeros(len(places), np.int64)
        reach = self.leader.mini.base.outline.reach_mm()
        busy = cluttered(ground_of(self.battle.table), self.field, reach, floor, floor + self.walk.tall_mm)
        return np.asarray(flat & (busy[self.cells(places)] == 0), np.int64)

    def ends(self, places: Floats, heights: Floats) -> Ints:
        """Whether it may end there as far as edges, other minis, tokens and agreements go: NO, MAYBE or SURE."""
        battle, n = self.battle, self.ruleset.numbers
        base, table = self.leader.mini.base, battle.table
        radius = base.outline.reach_mm()
        out = np.full(len(places), SURE, np.int64)
        if table.size_mm is not None:
            for axis in (0, 1):
                out[np.abs(places[:, axis]) + radius > table.size_mm[axis] / 2 + OFF_MM] = NO
        for other in table.minis:
            if other.name == self.leader.name:
                continue
            gap = _gaps(places, ring_of(other), radius + 1.0) - radius
            owner = battle.unit_of(other.name)
            hostile = owner is not None and owner.side != self.unit.side
            least = n.contact_mm if hostile else -n.contact_mm
            rise = np.abs(heights - feet_mm(table, other)).max(axis=1)
            apart = rise > min(room_mm(self.leader.mini), room_mm(other.mini)) - NEAR_MM
            close = gap < least - NEAR_MM
            out[close & ~apart] = NO
            unsure = (close & apart) | (np.abs(gap - least) <= NEAR_MM)
            out[unsure] = np.minimum(out[unsure], MAYBE)
        for token in table.tokens:
            if kept_clear(token, self.ruleset):
                gap = np.hypot(*(places - np.array(token.at)).T) - radius - token.diameter_mm / 2
                out[gap < -n.contact_mm - NEAR_MM] = NO
                unsure = np.abs(gap + n.contact_mm) <= NEAR_MM
                out[unsure] = np.minimum(out[unsure], MAYBE)
        for piece in table.pieces:
            if footing(piece, self.unit).no_end:
                corners = piece.vertices()[:, :2]
                low, high = corners.min(axis=0) - radius - 1, corners.max(axis=0) + radius + 1
                unsure = ((places >= low) & (places <= high)).all(axis=1)
                out[unsure] = np.minimum(out[unsure], MAYBE)
        return out


def _gaps(places: Floats, ring: Floats, within_mm: float) -> Floats:
    """How far places are from a convex ring, negative inside; where it is more than `within_mm`, at least that."""
    low, high = ring.min(axis=0), ring.max(axis=0)
    best = np.hypot(*np.maximum(np.maximum(low - places, places - high), 0.0).T)
    near = np.flatnonzero(best <= within_mm)
    sides = np.roll(ring, -1, axis=0) - ring
    sizes = np.maximum((sides * sides).sum(axis=1), np.finfo(np.float64).tiny)
    for first in range(0, len(near), BLOCK):
        part = near[first : first + BLOCK]
        w = places[part, None, :] - ring[None]
        share = np.clip((w * sides).sum(axis=2) / sizes, 0.0, 1.0)
        off = np.hypot(*np.moveaxis(w - share[..., None] * sides, 2, 0)).min(axis=1)
        inside = (sides[:, 0] * w[..., 1] - sides[:, 1] * w[..., 0] >= 0).all(axis=1)
        best[part] = np.where(inside, -off, off)
    return np.asarray(best, np.float64)


def charted(unit: Unit, leader: Placed, kind: str) -> bool:
    """Whether a chart can tell: a standard move of a round base without notches that pushes nobody aside."""
    outline = leader.mini.base.outline
    x0, y0, x1, y1 = outline.bounds()
    circle = max(abs(abs(v) - outline.reach_mm()) for v in (x0, y0, x1, y1)) < 1e-9 and len(outline.edges) <= ARCS
    pushes = unit.type in ("ground", "creature")
    return kind == STANDARD and circle and not notches_of(leader.mini.base) and not pushes


def chart_of(battle: Battle, unit: Unit, ruleset: Ruleset) -> tuple[Chart | None, Made]:
    """The chart of a unit's leader, and the move of no length; no chart where that one tells that it cannot move.

    The last one is kept: who asks how far a leader goes asks again, with a map or for another grid.
    """
    for known, name, rules, charted_so in _LAST:
        if (name, rules) == (unit.name, ruleset) and _same(known, battle):
            return charted_so
    drawn = _drawn(battle, unit, ruleset)
    _LAST[:] = [(battle, unit.name, ruleset, drawn)]
    return drawn


_LAST: list[tuple[Battle, str, Ruleset, tuple[Chart | None, Made]]] = []


def _same(one: Battle, other: Battle) -> bool:
    """Whether two battles are the same for a chart: the very same pieces, and all else alike."""
    a, b = one.table, other.table
    alike = (a.minis, a.tokens, a.size_mm, a.floor_mm) == (b.minis, b.tokens, b.size_mm, b.floor_mm)
    return a.pieces is b.pieces and alike and one.units == other.units


def _drawn(battle: Battle, unit: Unit, ruleset: Ruleset) -> tuple[Chart | None, Made]:
    leader = battle.leader(unit)
    slowest = ruleset.numbers.slowest
    still = make(battle, Move(unit.name, tool=slowest, travel_mm=0.0), ruleset, standing=nowhere)
    table, walk, base = battle.table, still.walk, leader.mini.base
    top, slow_top = (speed_of(unit, still.move, ruleset, slow=slow) for slow in (False, True))
    if still.slow:
        top = slow_top
    end = from_end_mm(base, 0.0, ruleset)
    legs = {s: end + ruleset.tool_mm(s) / 2 for s in range(slowest, top + 1)}
    if not legs:
        return None, still
    far = 2 * max(legs.values()) + 2 * CELL_MM
    over = {p.name: walk.over_mm > -math.inf and tops_mm(table)[p.name] <= walk.over_mm for p in table.pieces}
    words = {p.name: footing(p, unit).word for p in table.pieces}
    barred = [words[p.name] == "impassable" and not over[p.name] for p in table.pieces]
    spared = ruleset.options.ignored_difficult == "ignored"
    slow = [
        words[p.name] == "difficult" and not unit.has("unhindered") and not (over[p.name] and spared)
        for p in table.pieces
    ]
    x, y = leader.at
    ground = ground_of(table)
    lowest = min(still.feet, ground.floor_mm if ground.floor_mm == ground.floor_mm else -math.inf)
    free = ruleset.options.deep_drop == "free" or walk.over_mm > still.feet
    field = field_of(
        ground, (x - far, y - far, x + far, y + far), base.outline.reach_mm(), walk,
        low_mm=max(lowest, DEEPEST_MM), barred=np.array(barred, np.int64), slow=np.array(slow, np.int64),
        free_drop=free,
    )  # fmt: skip
    rings, lows, highs = [], [], []
    for other in table.minis:
        owner = battle.unit_of(other.name)
        if other.name not in unit.minis and way_through(battle, unit, owner, ruleset, withdrawing=False) == "block":
            feet = feet_mm(table, other)
            block(field, ring_of(other), feet, feet + room_mm(other.mini))
            rings.append(ring_of(other))
            lows.append(feet)
            highs.append(feet + room_mm(other.mini))
    starts = np.cumsum([0, *map(len, rings)])
    walker = Walker(
        terrain_of(ground), np.ascontiguousarray(filled(base.outline)), limits_of(ground, walk), leader.turn,
        np.array(barred, np.int64), np.array(slow, np.int64), np.concatenate([np.zeros((0, 2)), *rings]),
        np.asarray(starts, np.int64), np.array(lows, np.float64), np.array(highs, np.float64),
    )  # fmt: skip
    headings = np.radians(np.arange(-180.0, 180.0, HEADING_DEG))
    bare = Chart(battle, ruleset, unit, leader, walk, still.feet, field, walker, ())
    fans = tuple(
        bare.fan(speed, leg, headings, slowed=not still.slow and speed > slow_top) for speed, leg in legs.items()
    )
    return replace(bare, fans=fans), still


def _some_hinges(
    field: Field,
    walker: Walker,
    start: tuple[float, float, float],
    leg: float,
    headings: Floats,
    slowed: bool,
    states: Ints,
    heights: Floats,
) -> Callable[[int], None]:
    """First legs of one tool, so many headings at a time."""

    def some(first: int) -> None:
        part = slice(first, first + HINGES)
        hinges_of(field, walker, *start, leg, headings[part], slowed, states[part], heights[part])

    return some
