"""Where can it go? `furthest` along a bent tool; `reach`: each place of a grid with a move that ends there, or why not.

A place counts when a move that ends exactly on it is legal. For round bases a chart tells the ways to thousands of
places at once; the few that it leaves open are made and judged. Standing is asked once for each place that a way leads
to, or is looked up on a standing map where it ends below no cut.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sim3d.atlas import Atlas
from sim3d.finding import Finding, run
from sim3d.ground.fans import MAYBE, NO, ROUND_MM, SURE
from sim3d.rules.legion.actions import LAID
from sim3d.rules.legion.bare import may_be_covered
from sim3d.rules.legion.battle import Battle, all_beside, feet_mm, foes_touched
from sim3d.rules.legion.chart import ANYWHERE, Chart, chart_of, charted
from sim3d.rules.legion.chart import LAID as TOLD
from sim3d.rules.legion.judge import judged, rules_of, unit_left_table
from sim3d.rules.legion.laying import speed_of
from sim3d.rules.legion.making import Made, make, stood
from sim3d.rules.legion.move import Move
from sim3d.rules.legion.passage import tops_mm
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.standing import Standing, exact, nowhere, searching
from sim3d.rules.legion.terrain import footing, walk_of
from sim3d.rules.legion.tool import SIDE_DEG, from_end_mm, notches_of
from sim3d.rules.legion.unit import Unit
from sim3d.space import Floats, Ints
from sim3d.stand import WORDS
from sim3d.table import Placed

TENTH_MM = 0.1  # how exactly the furthest place is found
COARSE_MM = 1.0  # places tried first; a stretch of legal places shorter than this may be passed over
PITCH_MM = 10.0  # of the grid, when none is given: under half of the smallest base
PAST_MM = 2.0  # farther than any place that a base is over on its way
BEND_STEP_DEG = 5.0  # bends tried to get round something, when none are given
STANDS = ("END_DOES_NOT_STAND", "END_TOO_STEEP", "END_PRECARIOUS", "END_BLOCKED", "STAND_UNDECIDED")
FOLLOWING = (
    "FOLLOWER_NOT_NEAREST",
    "FOLLOWER_NO_PLACE",
    "FOLLOWER_NO_WAY",
    "FOLLOWER_OFF_TERRAIN",
    "FOLLOWER_OTHER_LEVEL",
    "FOLLOWER_TOO_FAR",
    "FOLLOWER_WRONG_FACING",
)  # of minis that nobody has placed yet: a reach is its leader's
AT_ITS_END = (
    *STANDS,
    *FOLLOWING,
    "END_AGREED_AGAINST",
    "END_ON_MINI",
    "END_ON_TOKEN",
    "END_TOUCHES_ENEMY",
    "MOVE_THROUGH_IMPASSABLE",
    "MOVE_TERRAIN_IN_THE_WAY",
)  # what a move of no length may hear and others not


def furthest(battle: Battle, move: Move, ruleset: Ruleset, *, standing: Standing = exact) -> float | None:
    """The greatest travel along a laid tool that is legal, in mm to a tenth; None where none is.

    Where terrain stops the way nothing beyond is tried; before that, places are tried back from the far end.
    """
    whole = make(battle, replace(move, travel_mm=None), ruleset, standing=nowhere)
    if whole.path is None:
        raise ValueError(f"a {move.kind} lays no tool")
    limit = whole.path.full_mm if whole.stop_mm is None else whole.stop_mm
    blocks = [m.at.travel_mm for m in whole.met if m.way == "block"]
    limit = min([limit, *blocks])

    def legal(travel: float) -> bool:
        way = make(battle, replace(move, travel_mm=travel), ruleset, standing=nowhere)
        return not judged(way) and not judged(stood(way, standing))

    if legal(limit):
        return limit
    steps = math.floor(limit / COARSE_MM)
    above = limit
    for k in range(steps, -1, -1):
        at = k * COARSE_MM
        if legal(at):
            fine = [at + TENTH_MM * i for i in range(1, math.ceil((above - at) / TENTH_MM))]
            for travel in reversed(fine):
                if legal(travel):
                    return travel
            return at
        above = at
    return None


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a grid: the move that ends there legally, or what speaks against the best one."""

    x: float
    y: float
    z: float | None
    move: Move | None
    findings: tuple[Finding, ...] = ()

    @property
    def legal(self) -> bool:
        """Whether a move ends here."""
        return self.move is not None


@dataclass(frozen=True, slots=True)
class Reach:
    """What a unit's leader reaches with one move: the places of a grid, each with its move or not."""

    battle: Battle
    ruleset: Ruleset
    unit: str
    kind: str
    bends_deg: tuple[float, ...] | None
    pitch_mm: float
    standing: Standing
    points: Floats  # (n, 2) the places of the grid
    words: Ints  # (n,) NO or SURE
    heights: Floats  # (n,) how high it ends
    laid: Floats  # (n, 4) tool, start, bend, travel
    findings: Mapping[int, tuple[Finding, ...]]  # what was heard about places that were judged
    chart: Chart | None = None

    @property
    def places(self) -> tuple[Place, ...]:
        """Every place of the grid."""
        return tuple(self.place(k) for k in range(len(self.points)))

    @property
    def region(self) -> tuple[Place, ...]:
        """The places where a move ends legally."""
        return tuple(self.place(int(k)) for k in np.flatnonzero(self.words == SURE))

    def place(self, number: int) -> Place:
        """One place of the grid by its number."""
        x, y = (float(v) for v in self.points[number])
        if self.words[number] != SURE:
            return Place(x, y, None, None, self.findings.get(number, ()))
        tool, start, bend, travel = (float(v) for v in self.laid[number])
        ahead = None if math.isnan(start) else start  # a notched base's tool leaves its notch
        move = Move(self.unit, self.kind, tool=int(tool), start_deg=ahead, bend_deg=bend, travel_mm=travel)
        return Place(x, y, float(self.heights[number]), move)

    def levels(self, step_mm: float) -> tuple[tuple[Place, ...], ...]:
        """The region in parts that hang together: neighbours on the grid no more than a step apart in height."""
        left = {(round(p.x / self.pitch_mm), round(p.y / self.pitch_mm)): p for p in self.region}
        parts = []
        while left:
            key = next(iter(left))
            part, todo = [], [(key, left.pop(key))]
            while todo:
                (i, j), place = todo.pop()
                part.append(place)
                for near in ((i + 1, j), (i - 1, j), (i, j + 1), (i, j - 1)):
                    other = left.get(near)
                    if other is not None and abs((other.z or 0.0) - (place.z or 0.0)) <= step_mm:
                        todo.append((near, left.pop(near)))
            parts.append(tuple(part))
        return tuple(sorted(parts, key=len, reverse=True))

    def at(self, x: float, y: float) -> Place:
        """The answer for any place, on the grid or not: made and judged."""
        return _answer(self, (x, y))

    def why(self, x: float, y: float) -> tuple[str, ...]:
        """The rules that keep the leader from a place; empty where a move ends there."""
        place = self.at(x, y)
        return () if place.legal else rules_of(place.findings) or ("MV04",)


def reach(
    battle: Battle,
    unit: str,
    ruleset: Ruleset,
    *,
    kind: str = "standard",
    pitch_mm: float | None = None,
    bends_deg: Sequence[float] | None = None,
    standing: Standing = exact,
    atlas: Atlas | None = None,
) -> Reach:
    """Every place on a grid (multiples of the pitch) that one move of a unit's leader could end on.

    `atlas` is the standing map of the leader's mini on this table without minis; its pitch is then the usual one.
    `bends_deg` are the only bends to try, if they are given.
    """
    if kind not in LAID:
        raise ValueError(f"a tool is laid for {', '.join(LAID)}, not for a {kind}")
    mover = battle.unit(unit)
    leader = battle.leader(mover)
    if atlas is not None and atlas.base != leader.mini.base.name:
        raise ValueError(f"the map is for a base {atlas.base}, {leader.name} stands on {leader.mini.base.name}")
    pitch = pitch_mm if pitch_mm is not None else PITCH_MM if atlas is None else atlas.pitch_mm
    if not (math.isfinite(pitch) and pitch > 0):
        raise ValueError(f"a pitch is over 0 mm, got {pitch}")
    far = _farthest(mover, leader, kind, ruleset)
    (x, y), steps = leader.at, (np.arange(math.ceil((v - far) / pitch), math.floor((v + far) / pitch) + 1) * pitch
                                for v in leader.at)  # fmt: skip
    across, up = np.meshgrid(*steps)
    points = np.column_stack([across.ravel(), up.ravel()])
    points = points[np.hypot(points[:, 0] - x, points[:, 1] - y) <= far]
    n = len(points)
    told = None if bends_deg is None else tuple(bends_deg)
    blank = Reach(battle, ruleset, unit, kind, told, pitch, standing, points, np.zeros(n, np.int64), np.full(n, np.nan),
                  np.full((n, TOLD), np.nan), {})  # fmt: skip
    if told is None and charted(mover, leader, kind) and not _uncharted(battle, mover, ruleset, far):
        chart, still = chart_of(battle, mover, ruleset)
        never = tuple(f for f in judged(still) if f.code not in AT_ITS_END)
        if chart is None or never:  # whatever its way
            return replace(blank, findings=dict.fromkeys(range(n), never))
        return _charted(replace(blank, chart=chart), atlas)
    return _one_by_one(blank, range(n))


def _uncharted(battle: Battle, unit: Unit, ruleset: Ruleset, far_mm: float) -> bool:
    """Whether a chart would not do: of pieces it knows no parts, ignored or covered, and of foes no single minis."""
    if not unit.melee and foes_touched(battle, unit, ruleset):
        return True
    leader, tops = battle.leader(unit), tops_mm(battle.table)
    walk = walk_of(unit, leader.mini, feet_mm(battle.table, leader), ruleset)
    classed = [p.name for p in battle.table.pieces if footing(p, unit).word != "open"]
    low_parts = walk.over_mm > -math.inf and any(tops[name] > walk.over_mm for name in classed)
    base = leader.mini.base
    around = far_mm + base.outline.reach_mm() + PAST_MM
    return low_parts or may_be_covered(battle.table, base, classed, walk, leader.at, around)


def _one_by_one(seen: Reach, numbers: Iterable[int]) -> Reach:
    """Some places of a reach, each made and judged."""
    words, heights, laid, findings = seen.words.copy(), seen.heights.copy(), seen.laid.copy(), dict(seen.findings)
    for k in numbers:
        x, y = (float(v) for v in seen.points[k])
        place = _answer(seen, (x, y))
        words[k] = SURE if place.legal else NO
        if place.move is not None:
            move = place.move
            heights[k] = math.nan if place.z is None else place.z
            start = move.start_deg if move.start_deg is not None else math.nan
            laid[k] = move.tool or 0, start, move.bend_deg, move.travel_mm or 0.0
        else:
            findings[k] = place.findings
    return replace(seen, words=words, heights=heights, laid=laid, findings=findings)


def _charted(seen: Reach, atlas: Atlas | None) -> Reach:
    """A reach by its chart: ways, ends and standing of all places, then the open ones one by one.

    Where it could not end or stand, a way that ends there at other heights is looked for: on a bridge or under it.
    """
    chart, points = seen.chart, seen.points
    assert chart is not None
    ways = chart.ways(points, np.empty((len(points), 0, 2)))
    words, heights, laid = ways.states.copy(), ways.heights[:, 1].copy(), ways.laid
    there = np.flatnonzero(words == SURE)
    but, ends = np.empty((len(there), 0, 2)), ways.heights[there]
    while len(there):
        words[there], heights[there], alike = _told(seen, atlas, points[there], ends, laid[there])
        lost = (words[there] == NO) & ~np.isneginf(alike[:, 0])
        known = ((but[:, :, 0] <= alike[:, None, 0]) & (alike[:, None, 1] <= but[:, :, 1])).any(axis=1)
        words[there[lost & known]] = MAYBE  # the cells tell heights that the laid move does not come to
        lost &= ~known
        there, but = there[lost], np.concatenate([but, alike[:, None]], axis=1)[lost]
        ways = chart.ways(points[there], but)
        words[there], laid[there] = ways.states, ways.laid
        more = ways.states == SURE
        there, but, ends = there[more], but[more], ways.heights[more]
    found = replace(seen, words=words, heights=heights, laid=laid)
    return _one_by_one(found, np.flatnonzero(words == MAYBE).tolist())


def _told(seen: Reach, atlas: Atlas | None, points: Floats, ends: Floats, laid: Floats) -> tuple[Ints, Floats, Floats]:
    """Whether it may end and stand at places (n, 2) at heights (n, 2) by laid moves: NO, MAYBE or SURE, and how high.

    And the heights (n, 2) at which the answer is the same.
    """
    chart = seen.chart
    assert chart is not None
    words, ends, hangs = _hung(seen, points, ends, laid)
    heights = ends[:, 1].copy()
    alike = np.where((words == NO)[:, None], ends, chart.alike(points, ends))
    there = np.flatnonzero(words == SURE)
    mapped = _mapped(chart, points[there], atlas)
    if atlas is None:
        bare = chart.on_floor(points[there], ends[there]) > 0
        mapped[bare] = SURE if bare.any() and _stands_on_floor(seen) else NO
    known = (mapped != MAYBE) & (hangs[there] == NO)
    words[there[known]] = mapped[known]
    which = there[~known].tolist()
    asked = []
    for k in which:
        level = max(float(heights[k]) + chart.walk.tall_mm, chart.walk.over_mm) if hangs[k] == SURE else None
        asked.append(replace(chart.leader, at=(float(points[k, 0]), float(points[k, 1])), level=level))
    bare_table = replace(seen.battle.table, minis=())
    asked = all_beside(bare_table, asked)
    for k, stand in zip(which, searching(seen.standing)(bare_table, asked), strict=True):
        words[k] = SURE if stand.answer == "stable" else NO
        heights[k] = stand.pose.place[2] if stand.pose is not None else heights[k]
    return words, heights, alike


def _hung(seen: Reach, points: Floats, ends: Floats, laid: Floats) -> tuple[Ints, Floats, Ints]:
    """Whether it may end at places (n, 2), at which of the heights (n, 2), and whether something hangs over it there.

    Below which cut it ends depends on both: where the cells do not tell, the laid move is walked.
    """
    chart = seen.chart
    assert chart is not None
    words, ends, hangs = chart.ends(points, ends), ends.copy(), np.full(len(points), NO, np.int64)
    there = np.flatnonzero(words == SURE)
    under = there[chart.covered(points[there], ends[there]) > 0]
    hangs[under] = chart.hangs(points[under], ends[under, 1], laid[under])
    for k in under[(hangs[under] == MAYBE) | (ends[under, 0] != ends[under, 1])].tolist():
        way = make(seen.battle, chart.move(laid[k]), seen.ruleset, standing=nowhere)
        if way.track is None or any(f.code not in STANDS for f in judged(way)):
            words[k] = MAYBE
        else:
            ends[k], hangs[k] = way.track.heights[-1], SURE if way.track.overhead[-1] else NO
    return words, ends, hangs


def _stands_on_floor(seen: Reach) -> bool:
    table = replace(seen.battle.table, minis=(), pieces=(), size_mm=None)
    leader = seen.battle.leader(seen.battle.unit(seen.unit))
    return searching(seen.standing)(table, [replace(leader, at=(0.0, 0.0), level=None)])[0].answer == "stable"


def _mapped(chart: Chart, points: Floats, atlas: Atlas | None) -> Ints:
    """What a standing map says without a cut: SURE or NO; MAYBE where it does not know, or a cut would be set."""
    out = np.full(len(points), MAYBE, np.int64)
    if atlas is None or atlas.layers[0].level is not None:
        return out
    com_x, com_y, _ = chart.leader.mini.com
    if (com_x or com_y) and (chart.leader.turn - atlas.layers[0].turn) % 360.0 > 1e-9:
        return out
    i = np.rint(points[:, 0] / atlas.pitch_mm).astype(np.int64)
    j = np.rint(points[:, 1] / atlas.pitch_mm).astype(np.int64)
    ny, nx = atlas.shape
    on = (np.abs(points - np.column_stack([i, j]) * atlas.pitch_mm) < 1e-6).all(axis=1)
    i, j = i - atlas.first[0], j - atlas.first[1]
    on &= (i >= 0) & (i < nx) & (j >= 0) & (j < ny)
    stands = atlas.layers[0].words[j[on], i[on]] == WORDS.index("stable")
    out[on] = np.where(stands, SURE, NO)
    leader, which = replace(chart.leader, level=None), np.flatnonzero(on)
    places = [replace(leader, at=(float(x), float(y))) for x, y in points[which]]
    low = [p.level is not None for p in all_beside(chart.battle.table, places)]
    out[which[np.array(low, bool)]] = MAYBE
    return out


def _farthest(unit: Unit, leader: Placed, kind: str, ruleset: Ruleset) -> float:
    speed = speed_of(unit, Move(unit.name, kind), ruleset, slow=False)
    return 0.0 if speed == 0 else sum(_legs(leader, kind, ruleset.tool_mm(speed), ruleset))


def _legs(leader: Placed, kind: str, length: float, ruleset: Ruleset) -> tuple[float, float]:
    side = SIDE_DEG[kind]
    base = leader.mini.base
    return from_end_mm(base, side, ruleset) + length / 2, length / 2 + from_end_mm(base, side + 180, ruleset)


def _answer(seen: Reach, at: tuple[float, float]) -> Place:
    """The first legal move to a place, the straightest first; without one, the reasons of the one with the fewest.

    Once a way is good and its end is not, only ways that end at other heights are looked at.
    """
    best: tuple[Finding, ...] | None = None
    remembered = searching(seen.standing)
    lost: set[tuple[float | None, float]] = set()
    but: Floats | None = ANYWHERE
    while but is not None:
        tried, but = but, None
        for move in _moves(seen, at, tried):
            way = make(seen.battle, move, seen.ruleset, standing=nowhere)
            gone = run((unit_left_table,), way).findings  # over the edge: it ends nowhere
            findings = gone or tuple(f for f in judged(way) if f.code not in (*STANDS, *FOLLOWING))
            asked = not findings and (way.end.level, way.end.turn) not in lost
            if asked:
                made = stood(way, remembered)
                findings = tuple(f for f in judged(made) if f.code not in FOLLOWING)
                if not findings:
                    return Place(*at, _height(made), move)
                lost.add((way.end.level, way.end.turn))
            if findings and (best is None or len(findings) < len(best)):
                best = findings
            if seen.chart is not None and asked:
                alike = _alike(seen.chart, way)
                but = None if np.isneginf(alike[0, 0]) else np.concatenate([tried, alike])
                break
    return Place(*at, None, None, best or ())


def _alike(chart: Chart, way: Made) -> Floats:
    """The heights (1, 2) at which a way that ends there would stand no better."""
    height = way.feet if way.track is None else float(way.track.heights[-1])
    return chart.alike(np.array([way.end.at]), np.array([[height, height]]))


def _moves(seen: Reach, at: tuple[float, float], but: Floats) -> Iterator[Move]:
    """Moves that end on a place, by the chart if there is one; where that has none, the straight one: to hear why.

    `but`: heights (k, 2) at which those of a chart do not end; then there may be none.
    """
    some = False
    if seen.chart is not None:
        for move in seen.chart.moves(at, but):
            some = True
            yield move
    if not (some or len(but)):
        bends = seen.bends_deg
        if bends is None and seen.chart is None:
            count = int(seen.ruleset.numbers.bend_deg / BEND_STEP_DEG)
            bends = tuple(sign * k * BEND_STEP_DEG for k in range(1, count + 1) for sign in (1.0, -1.0))
        yield from moves_to(seen.battle, seen.ruleset, seen.unit, seen.kind, bends or (), at)


def _height(made: Made) -> float | None:
    pose = made.stands[0].pose if made.stands else None
    return pose.place[2] if pose is not None else made.feet if made.track is None else float(made.track.heights[-1])


def moves_to(
    battle: Battle, ruleset: Ruleset, unit: str, kind: str, bends: Sequence[float], at: tuple[float, float]
) -> Iterator[Move]:
    """Moves that end exactly on a place: straight ones first, then bent ones, slower tools before faster ones."""
    mover = battle.unit(unit)
    leader = battle.leader(mover)
    dx, dy = at[0] - leader.at[0], at[1] - leader.at[1]
    far, aim = math.hypot(dx, dy), math.degrees(math.atan2(dy, dx))
    top = speed_of(mover, Move(unit, kind), ruleset, slow=False)
    speeds = range(ruleset.numbers.slowest, top + 1)
    legs = {s: _legs(leader, kind, ruleset.tool_mm(s), ruleset) for s in speeds}
    ahead = leader.turn + SIDE_DEG[kind]
    if notches_of(leader.mini.base):
        a = math.radians(ahead)
        on = dx * math.cos(a) + dy * math.sin(a)
        beside = dy * math.cos(a) - dx * math.sin(a)
        for s in speeds:
            first, second = legs[s]
            if abs(beside) < ruleset.numbers.flush_mm and 0 <= on <= first:
                yield Move(unit, kind, tool=s, travel_mm=on)
            rest, bend = math.hypot(on - first, beside), math.degrees(math.atan2(beside, on - first))
            if 0 < rest <= second + ROUND_MM and abs(bend) <= ruleset.numbers.bend_deg:
                yield Move(unit, kind, tool=s, bend_deg=bend, travel_mm=first + min(rest, second))
        return
    for s in speeds:
        full = sum(legs[s])
        if far <= full + ROUND_MM:
            yield Move(unit, kind, tool=s, start_deg=aim, travel_mm=min(far, full))
    for s in speeds:
        first, second = legs[s]
        for bend in bends:
            b = math.radians(bend)
            under = far * far - (first * math.sin(b)) ** 2
            rest = -first * math.cos(b) + math.sqrt(under) if under >= 0 else -1.0
            if 0 < rest <= second + ROUND_MM:
                start = aim - math.degrees(math.atan2(rest * math.sin(b), first + rest * math.cos(b)))
                travel = first + min(rest, second)
                yield Move(unit, kind, tool=s, start_deg=start, bend_deg=bend, travel_mm=travel)


__all__ = ["Place", "Reach", "furthest", "moves_to", "reach"]
