"""Where can minis be? `places`: the legal region of one mini; `cohere`: a whole arrangement, or why there is none.

Places are sought on a lattice and pushed out of what they overlap, so that pockets between bases, walls and edges
that are narrower than the lattice get a place, too. Every place that is offered was judged like a move's end.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from sim3d.ground import ground_of
from sim3d.ground.relief import LEVEL_MM
from sim3d.ground.walls import walls_near
from sim3d.ground.way import LOW_MM
from sim3d.plane import apart_mm, foot_on, parted_mm
from sim3d.plane.crowd import deepest
from sim3d.rules.legion.battle import all_beside, feet_of, ring_of
from sim3d.rules.legion.cohesion import (
    Kept,
    Site,
    along_wall,
    free,
    from_point_mm,
    kept,
    on_any,
    stands,
    walled,
    walls_of,
)
from sim3d.rules.legion.move import Follower
from sim3d.rules.legion.standing import NUDGE_DEG, Standing, exact, searching
from sim3d.rules.legion.terrain import room_mm
from sim3d.rules.legion.tokens import kept_clear
from sim3d.rules.legion.tool import notches_of
from sim3d.rules.legion.ways import beyond_mm
from sim3d.space import Floats, Ints
from sim3d.table import Placed

PITCH_MM = 4.5  # of the lattice: a third of the smallest base's radius
LATTICE_DEG = 60.0  # a triangular lattice turned by this is itself again
PUSH_MM = 9.0  # a place this deep in something may be pushed out of it
PUSHES = 12  # times all are pushed
SEGMENTS = 300  # walls looked at for pushing; the longest count
SLACK_MM = 0.02
RESTARTS = 40  # orders in which places are taken until all minis have one
JOINT = 60  # rounds of pushing all minis of a unit apart at once
TRIES = 24  # such rounds from different beginnings
DOWN = 16  # places that are set down at once
CONTACTS = 72  # places all round an enemy's base where one touches it
HALVINGS = 12  # until such a place is known to a few thousandths of a millimetre
ASKED = 8  # places that are asked about at a time at first
MOST_ASKED = 64  # and at last


Keep = Callable[[Placed], bool]
KeepAll = Callable[[Sequence[Placed]], Sequence[bool]]  # the same of many places


@dataclass(frozen=True, slots=True)
class Spot:
    """One place of a region: legal, or the rows that forbid it."""

    x: float
    y: float
    place: Placed | None
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Arranged:
    """Where a unit's minis go; without a whole arrangement nobody goes anywhere, `why` counts what forbids places."""

    followers: tuple[Follower, ...]
    places: tuple[Placed, ...] = ()
    why: tuple[tuple[str, int], ...] = ()

    @property
    def whole(self) -> bool:
        """Whether every mini has its place."""
        return not self.why


@dataclass(slots=True)
class _Search:
    """The work of one search: answers are kept, since a place is asked about more than once."""

    site: Site
    standing: Standing
    mates: tuple[Placed, ...] = ()  # minis of the unit that stay where they are
    keep: Keep | None = None  # which places are looked at at all
    off: tuple[str, ...] = ()  # pieces that nobody is put on
    apart: Mapping[str, object] = field(default_factory=dict)  # minis of different ones do not take each other's places
    known: dict[tuple[str, float, float], str] = field(default_factory=dict)
    straight: dict[tuple[str, float, float], bool] = field(default_factory=dict)
    clear: dict[tuple[str, float, float], bool] = field(default_factory=dict)
    walled_off: set[tuple[str, float, float]] = field(default_factory=set)  # at what was climbed, on another level

    def kind(self, mini: Placed) -> tuple[object, ...]:
        """Minis of one kind can take each other's places."""
        turn = mini.turn if _turns(mini) else 0.0
        return (mini.mini, mini.material, turn, self.apart.get(mini.name))

    def kinds(self, minis: Sequence[Placed]) -> list[Placed]:
        """The first of each kind."""
        return list({self.kind(mini): mini for mini in reversed(minis)}.values())[::-1]

    def fits(self, place: Placed, *, bent: bool = True) -> bool:
        """Whether one mini could be here, the unit's other minis aside; without `bent` only by a straight way."""
        key = (place.name, *place.at)
        if self.keep is not None and not (self.free(place) and self.keep(place)):
            if not self.free(place):
                self.known[key] = "MV12"
            return False
        if not bent and key not in self.known:
            if key not in self.straight:
                self.straight[key] = self._fits_straight(place)
            return self.straight[key]
        if key not in self.known:
            self.known[key] = "" if self.straight.get(key) else self._why(place)
        return not self.known[key]

    def free(self, place: Placed) -> bool:
        """Whether nobody and nothing is there: known sooner than anything else about a place."""
        key = (place.name, *place.at)
        if key not in self.clear:
            self.clear[key] = free(self.site, place, self.mates)
        return self.clear[key]

    def at_wall(self, place: Placed) -> bool:
        """Whether a place that fits is on another level after a climb: then others must not be nearer (CO13)."""
        return (place.name, *place.at) in self.walled_off

    def _kept(self, place: Placed, *, bent: bool = True) -> Kept:
        """A place against its leader."""
        facts = kept(self.site, place, bent=bent)
        if facts.other_level and self.site.placing.contact is not None:
            self.walled_off.add((place.name, *place.at))
        return facts

    def hopeful(self, offers: Offers) -> bool:
        """Whether one of so many places fits, or has not been asked about."""
        places = map(offers.place, range(len(offers)))
        return any(not self.known.get((place.name, *place.at)) for place in places)

    def _fits_straight(self, place: Placed) -> bool:
        site = self.site
        if not self.free(place) or place.name == site.leader.name:
            return False
        facts = self._kept(place, bent=False)
        if not facts.whole(site.ruleset) or on_any(site, place, self.off) or not stands(site, place, self.standing):
            return False
        return not facts.other_level or not walled(site, place)  # the end of a way is in no wall

    def _why(self, place: Placed) -> str:
        site = self.site
        if not self.free(place):
            return "MV12"
        follows = place.name != site.leader.name
        if follows and beyond_mm(site.leader, place, site.ruleset) > site.ruleset.numbers.contact_mm:
            return "CO02"
        if not stands(site, place, self.standing):  # sooner known than that no way leads there, however it is bent
            return "MV15"
        facts = self._kept(place) if follows else None
        if facts is not None and not facts.whole(site.ruleset):
            return facts.level_rule or ("CO12" if facts.other_level else "CO08")
        if on_any(site, place, self.off):
            return "MV19"
        on_way = facts is not None and not facts.other_level
        return "" if on_way or not walled(site, place) else "MV15"


def places(site: Site, mini: Placed, *, pitch_mm: float = PITCH_MM, standing: Standing = exact) -> tuple[Spot, ...]:
    """The legal region of one mini: each place of a grid (multiples of the pitch) in the tool's reach, with its why."""
    search = _Search(site, searching(standing))
    reach = _reach_mm(site, mini)
    x, y = site.leader.at
    out = []
    for j in range(math.ceil((y - reach) / pitch_mm), math.floor((y + reach) / pitch_mm) + 1):
        for i in range(math.ceil((x - reach) / pitch_mm), math.floor((x + reach) / pitch_mm) + 1):
            at = (i * pitch_mm, j * pitch_mm)
            if math.dist(at, (x, y)) > reach:
                continue
            place = set_down(site, mini, at)
            if search.fits(place):
                out.append(Spot(*at, place))
            else:
                out.append(Spot(*at, None, tuple(search.known[(place.name, *place.at)].split())))
    return tuple(out)


def cohere(
    site: Site,
    minis: Sequence[Placed],
    *,
    mates: Sequence[Placed] = (),
    keep: Keep | None = None,
    off: tuple[str, ...] = (),
    apart: Mapping[str, object] | None = None,
    seed: int = 0,
    standing: Standing = exact,
) -> Arranged:
    """A legal arrangement of a unit's minis about their leader, as compact as it is found; the same for a seed.

    Whoever can touches an enemy whose melee the unit is in. `minis` are placed in the order in which they are given;
    where they were does not matter. `mates` stay. Nobody is put on the pieces `off`. What `keep` says of a place holds
    for all minis of the first one's name, base and facing that nothing tells `apart`.
    """
    if not minis:
        return Arranged(())
    search = _Search(site, searching(standing), tuple(mates), keep, off, apart or {})
    dice = np.random.default_rng(seed)
    turn = dice.uniform(0, LATTICE_DEG) if seed else 0.0
    kinds = search.kinds(minis)
    if any(_nowhere(search, mini) for mini in kinds):
        return Arranged((), (), (("MV15", len(minis)),))
    offers = [_offers(search, mini, turn, dice if seed else None) for mini in kinds]
    by_kind = {search.kind(mini): offer for mini, offer in zip(kinds, offers, strict=True)}
    chosen = _greedy(search, minis, by_kind, bent=False) or _greedy(search, minis, by_kind, bent=True)
    some = chosen is not None or all(map(search.hopeful, offers))
    if chosen is None and some:
        chosen = _reordered(search, minis, by_kind, dice)
    if chosen is None and some and len(kinds) == 1:
        chosen = _pressed(search, minis, offers[0], dice)
    if chosen is None:
        counts = Counter(rule for why in search.known.values() if why for rule in why.split())
        return Arranged((), (), tuple(sorted(counts.items())) or (("MV12", 1),))
    return Arranged(tuple(Follower.of(p) for p in chosen), tuple(chosen))


def _nowhere(search: _Search, mini: Placed) -> bool:
    """Whether a mini stands nowhere about its leader: not on the bare floor, and there is nothing else."""
    site, table = search.site, search.site.battle.table
    reach = _reach_mm(site, mini) + mini.mini.base.outline.reach_mm()
    if len(ground_of(table).near(*site.leader.at, reach)):
        return False
    bare = replace(table, minis=(), pieces=(), tokens=(), size_mm=None)
    return search.standing(bare, [replace(mini, at=(0.0, 0.0), level=None)])[0].answer != "stable"


class Nearest:
    """Legal places for one mini beside a leader, the nearest to the leader first.

    With the leader itself as the mini: places within the tool's reach of where it stands. What was worked out for some
    of the places is kept for the next question.
    """

    def __init__(self, site: Site, mini: Placed, standing: Standing, *, mates: Sequence[Placed] = ()) -> None:
        self._search = _Search(site, searching(standing), tuple(mates))
        self._offers = _offers(self._search, mini, 0.0, None)

    def places(self, keep: KeepAll) -> Iterator[Placed]:
        """Those that are kept; where others are nobody asks that. Some are asked about at a time, then ever more."""
        search, many = self._search, ASKED
        free = filter(search.free, self._offers.clear_of(search.mates))
        while some := list(islice(free, many)):
            there = [place for place, kept_there in zip(some, keep(some), strict=True) if kept_there]
            for k, place in enumerate(there):
                if k % ASKED == 1 and place.name == search.site.leader.name:  # where it stands is all that is asked
                    search.standing(replace(search.site.battle.table, minis=()), there[k : k + ASKED])
                if search.fits(place):
                    yield place
            many = min(2 * many, MOST_ASKED)


def _turns(mini: Placed) -> bool:
    outline = mini.mini.base.outline
    return not notches_of(mini.mini.base) and abs(outline.length_mm - outline.width_mm) > LEVEL_MM


def set_down(site: Site, mini: Placed, at: tuple[float, float]) -> Placed:
    """A mini put down beside its leader: on the leader's level where there is one, else on what is there (CO03)."""
    return all_set_down(site, mini, [at])[0]


def all_set_down(site: Site, mini: Placed, spots: Sequence[Sequence[float]]) -> list[Placed]:
    """The same for many spots of one mini."""
    table, most = site.battle.table, max(site.ways.walk.step_mm, site.placing.ignored_mm)
    faced = _faced(site, mini)
    places = [replace(faced, at=(x, y), level=site.cut) for x, y in spots]
    over = [feet > site.feet + most + LEVEL_MM for feet in feet_of(table, places)]
    lower = site.feet + room_mm(mini.mini)
    return all_beside(table, [replace(p, level=lower) if up else p for p, up in zip(places, over, strict=True)])


def _faced(site: Site, mini: Placed) -> Placed:
    """A mini turned as it is put down beside its leader: a notched one faces as that does (CO03)."""
    return replace(mini, turn=site.leader.turn) if notches_of(mini.mini.base) else mini


def _reach_mm(site: Site, mini: Placed) -> float:
    """The farthest that a mini's middle can be from its leader's."""
    return math.dist(mini.at, site.leader.at) - beyond_mm(site.leader, mini, site.ruleset)


# --- offers -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Round:
    """What keeps a round base away: points with distances, walls with distances, the table's edge, the tool."""

    points: Floats  # (m, 3): x, y, least distance
    walls: Floats  # (w, 2, 2)
    gaps: Floats  # (w,)
    half: tuple[float, float]  # the box for its middle
    middle: tuple[float, float]
    reach: float

    def pushed(self, spots: Floats, rounds: int, apart: float = 0.0) -> Floats:
        """Spots (n, 2), pushed out of what they are deepest in, again and again; with `apart` out of each other."""
        spots = spots.copy()
        for _ in range(rounds):
            depth, way = self.deepest(spots)
            if apart:
                away = spots[:, None] - spots[None]
                gap = np.hypot(away[..., 0], away[..., 1]) + np.eye(len(spots)) * 2 * apart
                deep = apart - gap
                other = deep.argmax(axis=1)
                k = np.arange(len(spots))
                more = deep[k, other] > depth
                size = np.maximum(gap[k, other], LEVEL_MM)[:, None]
                way = np.where(more[:, None], away[k, other] / size, way)
                depth = np.where(more, deep[k, other] / 2 + SLACK_MM, depth)
            moving = depth > 0
            if not moving.any():
                break
            spots[moving] += way[moving] * (depth[moving] + SLACK_MM)[:, None]
        return spots

    def deepest(self, spots: Floats) -> tuple[Floats, Floats]:
        """How deep each spot is in its worst obstacle, and the way out of it."""
        depth, way = np.empty(len(spots)), np.empty((len(spots), 2))
        half, middle = np.array(self.half), np.array(self.middle)
        deepest(np.ascontiguousarray(spots), self.points, self.walls, self.gaps, half, middle, self.reach, depth, way)
        return depth, way


def _round_of(site: Site, mini: Placed) -> _Round:
    """The obstacles about a leader for one kind of mini; bases that are not round count as far as they reach."""
    table, n = site.battle.table, site.ruleset.numbers
    radius = mini.mini.base.outline.reach_mm()
    reach = _reach_mm(site, mini)
    mine = mini.name == site.leader.name
    rows = [] if mine else [(*site.leader.at, radius + site.leader.mini.base.outline.reach_mm())]
    for other in table.minis:
        theirs = other.mini.base.outline.reach_mm()
        if other.name in site.unit.minis or math.dist(other.at, site.leader.at) > reach + radius + theirs:
            continue
        foe = site.battle.unit_of(other.name)
        hostile = foe is not None and foe.side != site.unit.side and foe.name not in site.melee
        rows.append((*other.at, radius + theirs + (n.contact_mm if hostile else 0.0)))
    rows += [(*t.at, radius + t.diameter_mm / 2) for t in table.tokens if kept_clear(t, site.ruleset)]
    walls, gaps = _walls_about(site, mini, reach + radius)
    half = (math.inf, math.inf) if table.size_mm is None else table.size_mm
    box = (half[0] / 2 - radius, half[1] / 2 - radius)
    return _Round(np.array(rows).reshape(-1, 3), walls, gaps, box, site.leader.at, reach)


def _walls_about(site: Site, mini: Placed, reach: float) -> tuple[Floats, Floats]:
    """Walls that a base keeps off by its radius, and ledges that its centre of mass keeps off by a nudge's tilt."""
    ground, n = ground_of(site.battle.table), site.ruleset.numbers
    tall = max(mini.mini.height_mm, 2 * LOW_MM)
    radius = mini.mini.base.outline.reach_mm()
    firm = mini.mini.com[2] * math.tan(math.radians(NUDGE_DEG)) + SLACK_MM
    found, gaps = [np.zeros((0, 2, 2))], [np.zeros(0)]
    for low, high, gap in (
        (site.feet + LEVEL_MM, site.feet + tall, radius + SLACK_MM),
        (site.feet - tall, site.feet - LEVEL_MM, firm),
    ):
        mine = ground.corners[walls_near(ground, *site.leader.at, reach, low, high, n.slope_deg)][:, :, :2]
        ends = np.concatenate([mine[:, [0, 1]], mine[:, [1, 2]], mine[:, [2, 0]]])
        found.append(ends)
        gaps.append(np.full(len(ends), gap))
    walls, away = np.concatenate(found), np.concatenate(gaps)
    if not len(walls):
        return walls, away
    near = foot_on(site.leader.at, walls) - np.array(site.leader.at)
    within = np.hypot(near[:, 0], near[:, 1]) <= reach
    walls, away = walls[within], away[within]
    lengths = np.hypot(*(walls[:, 1] - walls[:, 0]).T)
    if len(walls) > SEGMENTS:
        long = lengths >= np.partition(lengths, -SEGMENTS)[-SEGMENTS]
        walls, away, lengths = walls[long], away[long], lengths[long]
    longest = np.argsort(-lengths, kind="stable")[:SEGMENTS]
    return walls[longest], away[longest]


@dataclass(slots=True)
class Offers:
    """Places for one kind of mini, the best first, set down only when they are looked at."""

    site: Site
    mini: Placed
    at: Floats  # (n, 2)
    more: Iterator[Placed]  # on another level after a climb, looked for only when all others are taken
    last: list[Placed] = field(default_factory=list)  # those of them that were found already
    down: dict[int, Placed] = field(default_factory=dict)
    off_level: dict[int, bool] = field(default_factory=dict)

    def __len__(self) -> int:
        self.last.extend(self.more)
        return len(self.at) + len(self.last)

    def place(self, i: int) -> Placed:
        """The place of a number."""
        if i >= len(self.at):
            return self.last[i - len(self.at)]
        if i not in self.down:
            more = [k for k in range(i, min(i + DOWN, len(self.at))) if k not in self.down]
            self.down.update(zip(more, all_set_down(self.site, self.mini, self.at[more].tolist()), strict=True))
        return self.down[i]

    def aside(self, i: int) -> bool:
        """Whether the place of a number is more than a step over or under where the leader stands."""
        if i not in self.off_level:
            self.place(i)
            new = [k for k in self.down if k not in self.off_level]
            heights = feet_of(self.site.battle.table, [self.down[k] for k in new])
            step = self.site.ways.walk.step_mm + LEVEL_MM
            self.off_level.update((k, abs(z - self.site.feet) > step) for k, z in zip(new, heights, strict=True))
        return self.off_level[i]

    def clear_of(self, chosen: Sequence[Placed]) -> Iterator[Placed]:
        """Those whose middle lies on nobody who is chosen already, in order."""
        yield from self.about(chosen)
        yield from self.below(chosen)

    def about(self, chosen: Sequence[Placed], *, aside: bool | None = None) -> Iterator[Placed]:
        """Those of them that lie about the leader; `aside` or not (True, False) as there, else all."""
        out = np.ones(len(self.at), dtype=bool)
        for other in chosen:
            out &= np.hypot(*(self.at - np.array(other.at)).T) >= other.mini.base.outline.width_mm / 2
        for i in np.flatnonzero(out).tolist():
            if aside is None or self.aside(i) is aside:
                yield self.place(i)

    def below(self, chosen: Sequence[Placed]) -> Iterator[Placed]:
        """Those that were looked for on another level, the nearest to where the leader climbed first."""
        for place in self._lower():
            if all(math.dist(place.at, other.at) >= other.mini.base.outline.width_mm / 2 for other in chosen):
                yield place

    def _lower(self) -> Iterator[Placed]:
        """The places on another level, those that nobody has looked for yet, too."""
        i = 0
        while True:
            if i == len(self.last):
                found = next(self.more, None)
                if found is None:
                    return
                self.last.append(found)
            yield self.last[i]
            i += 1


def _offers(search: _Search, mini: Placed, turn: float, dice: np.random.Generator | None) -> Offers:
    """Places for one kind of mini: in contact with whom its unit fights, then the nearest; on another level last."""
    site = search.site
    around = _round_of(site, mini)
    spots = _lattice(site.leader.at, around.reach, turn)
    bare = replace(around, walls=np.zeros((0, 2, 2)), gaps=np.zeros(0))
    depth = around.deepest(spots)[0]
    pushed = around.pushed(spots[(depth > 0) & (depth <= PUSH_MM)], PUSHES)
    clear = _thinned(np.concatenate([spots[depth <= 0], pushed[around.deepest(pushed)[0] <= 0]]))
    rough = spots[(depth > 0) & (bare.deepest(spots)[0] <= 0)]  # over rubble, half over a step: it may stand there
    every = np.concatenate([clear, rough])
    far = np.hypot(every[:, 0] - site.leader.at[0], every[:, 1] - site.leader.at[1])
    if dice is not None:
        far = far + dice.uniform(0, mini.mini.base.outline.reach_mm(), len(far))
    later = np.arange(len(every)) >= len(clear)
    order = np.lexsort((every[:, 1], every[:, 0], far, later))
    spots = np.concatenate([_in_contact(site, mini, around.reach), every[order]])
    return Offers(site, mini, spots, _below(site, mini))


def _in_contact(site: Site, mini: Placed, reach: float) -> Floats:
    """Where a mini touches an enemy of its unit's melee, the nearest to the leader first: who can joins it."""
    if mini.name == site.leader.name:
        return np.zeros((0, 2))
    faced = _faced(site, mini)
    touch, mine = site.ruleset.numbers.contact_mm / 2, mini.mini.base.outline.reach_mm()
    spots = [np.zeros((0, 2))]
    for other in site.battle.table.minis:
        foe = site.battle.unit_of(other.name)
        theirs = other.mini.base.outline.reach_mm()
        near = math.dist(other.at, site.leader.at) <= reach + mine + theirs + touch
        if not near or foe is None or foe.side == site.unit.side or foe.name not in site.melee:
            continue
        toward = np.linspace(0.0, 2 * math.pi, CONTACTS, endpoint=False)
        low, high = np.zeros(CONTACTS), np.full(CONTACTS, mine + theirs + touch)  # there they overlap, here they do not
        ways, there = np.column_stack([np.cos(toward), np.sin(toward)]), ring_of(other)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            here = np.array(other.at) + middle[:, None] * ways
            rings = [ring_of(replace(faced, at=(x, y))) for x, y in here.tolist()]
            apart = np.array([parted_mm(ring, there) >= touch or apart_mm(ring, there) >= touch for ring in rings])
            low, high = np.where(apart, low, middle), np.where(apart, middle, high)
        spots.append(np.array(other.at) + high[:, None] * ways)
    every = np.concatenate(spots)
    far = np.hypot(every[:, 0] - site.leader.at[0], every[:, 1] - site.leader.at[1])
    order = np.lexsort((every[:, 1], every[:, 0], far.round(6)))
    return every[order[far[order] <= reach]]


def _below(site: Site, mini: Placed) -> Iterator[Placed]:
    """After a climb: places at the foot (or on top) of what was climbed, nearest to the point of contact first."""
    placing = site.placing
    if not placing.climbed or placing.contact is None or placing.start_mm is None:
        return
    there = replace(mini, at=placing.contact, level=placing.start_mm + room_mm(mini.mini))
    yield from along_wall(site, there, placing.start_mm, walls_of(site, there, placing.start_mm))


def _lattice(middle: tuple[float, float], reach: float, turn: float) -> Floats:
    """A triangular lattice about a middle, within reach."""
    n = math.ceil(reach / PITCH_MM * 2 / math.sqrt(3))
    i, j = (v.ravel() for v in np.meshgrid(np.arange(-n, n + 1), np.arange(-n, n + 1)))
    x, y = (i + j / 2) * PITCH_MM, j * PITCH_MM * math.sqrt(3) / 2
    a = math.radians(turn)
    spots: Floats = np.column_stack([x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a)])
    within: Floats = spots[np.hypot(spots[:, 0], spots[:, 1]) <= reach + PUSH_MM] + np.array(middle)
    return within


def _thinned(spots: Floats) -> Floats:
    """One of those that lie within half a millimetre of each other."""
    _, first = np.unique(np.round(spots * 2).astype(np.int64), axis=0, return_index=True)
    return spots[np.sort(first)]


# --- choosing ---------------------------------------------------------------------------------------------------------


def _clear(site: Site, place: Placed, chosen: Sequence[Placed]) -> bool:
    limit = site.ruleset.numbers.contact_mm / 2
    for other in chosen:
        reach = place.mini.base.outline.reach_mm() + other.mini.base.outline.reach_mm()
        gap = math.dist(place.at, other.at)
        if gap >= reach - limit:
            continue
        if place.mini.base == other.mini.base and notches_of(place.mini.base) == () and not _turns(place):
            return False
        if parted_mm(ring_of(place), ring_of(other)) < -limit:
            return False
    return True


def _named(place: Placed, mini: Placed) -> Placed:
    return replace(place, name=mini.name)


def _greedy(
    search: _Search, minis: Sequence[Placed], offers: dict[tuple[object, ...], Offers], *, bent: bool
) -> list[Placed] | None:
    """Each mini at the first of its offers that is free and fits."""
    chosen: list[Placed] = []
    for mini in minis:
        place = _first(search, offers[search.kind(mini)], chosen, bent=bent)
        if place is None:
            return None
        chosen.append(_named(place, mini))
    return chosen if _agreed(search, chosen) else None


def _first(search: _Search, offer: Offers, chosen: Sequence[Placed], *, bent: bool) -> Placed | None:
    """The first place that is free and fits; after a climb those on the leader's level come first, then the wall."""

    def first(places: Iterable[Placed]) -> Placed | None:
        fitting = (place for place in places if _clear(search.site, place, chosen) and search.fits(place, bent=bent))
        return next((place for place in fitting if not search.at_wall(place)), None)

    def wall() -> Placed | None:
        return _at_wall(search, offer, chosen, bent=bent)

    if search.site.placing.contact is None:
        return first(offer.clear_of(chosen))
    return first(offer.about(chosen, aside=False)) or wall() or first(offer.about(chosen, aside=True)) or wall()


def _at_wall(search: _Search, offer: Offers, chosen: Sequence[Placed], *, bent: bool) -> Placed | None:
    """The place at what was climbed that is nearest to where its leader did (CO12, CO13); None without a climb.

    They are sought a millimetre apart. Only where all of those are taken one of the others may be between them.
    """
    contact = search.site.placing.contact
    if contact is None:
        return None
    for place in offer.below(chosen):
        if _clear(search.site, place, chosen) and search.fits(place, bent=bent):
            return place
    about = (p for p in offer.about(chosen) if search.at_wall(p) and _clear(search.site, p, chosen))
    fitting = [place for place in about if search.fits(place, bent=bent)]
    return min(fitting, key=lambda place: from_point_mm(place, contact), default=None)


def _agreed(search: _Search, chosen: Sequence[Placed]) -> bool:
    """Whether places hold also beside each other (CO13 looks at who else could be nearer)."""
    site = search.site
    if not site.placing.climbed:
        return True
    return all(kept(site, p, (*search.mates, *chosen), search.standing).whole(site.ruleset) for p in chosen)


def _reordered(
    search: _Search, minis: Sequence[Placed], offers: dict[tuple[object, ...], Offers], dice: np.random.Generator
) -> list[Placed] | None:
    """Other orders: first who is in the fewest others' way. What turns out not to fit is left out the next time."""
    pool = [(kind, i) for kind, offer in offers.items() for i in range(len(offer.at))]
    at = np.concatenate([offer.at for offer in offers.values()])
    reach = np.array([offers[kind].mini.mini.base.outline.reach_mm() for kind, _ in pool])
    gap = np.hypot(at[:, None, 0] - at[None, :, 0], at[:, None, 1] - at[None, :, 1])
    crossed = gap < reach[:, None] + reach[None] - search.site.ruleset.numbers.contact_mm / 2
    good = np.ones(len(pool), dtype=bool)
    shut = crossed.sum(axis=1)  # how many good ones each one shuts out
    sure = np.zeros(len(pool), dtype=bool)
    want = Counter(search.kind(m) for m in minis)
    for _ in range(RESTARTS):
        while True:
            taken = _loosest(pool, crossed, good, shut, sure, want.copy(), dice)
            asked = [(k, offers[pool[k][0]].place(pool[k][1])) for k in taken if not sure[k]]
            wrong = [k for k, place in asked if not search.fits(place) or search.at_wall(place)]
            good[wrong] = False
            shut -= crossed[wrong].sum(axis=0)
            sure[[k for k in taken if k not in wrong]] = True
            if not wrong:
                break
        by_kind: dict[tuple[object, ...], list[Placed]] = {}
        for k in sorted(taken):
            by_kind.setdefault(pool[k][0], []).append(offers[pool[k][0]].place(pool[k][1]))
        taken_by = {m.name: by_kind[kind].pop(0) for m in minis if by_kind.get(kind := search.kind(m))}
        chosen = _filled(search, minis, offers, taken_by)
        if chosen is not None and _agreed(search, chosen):
            return chosen
    return None


def _filled(
    search: _Search, minis: Sequence[Placed], offers: dict[tuple[object, ...], Offers], places: Mapping[str, Placed]
) -> list[Placed] | None:
    """Places of some minis, and for all others at the wall that was climbed; None where somebody finds none there."""
    found = dict(places)
    for mini in minis:
        if mini.name not in found:
            place = _at_wall(search, offers[search.kind(mini)], list(found.values()), bent=True)
            if place is None:
                return None
            found[mini.name] = place
    return [_named(found[mini.name], mini) for mini in minis]


def _loosest(
    pool: Sequence[tuple[tuple[object, ...], int]],
    crossed: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    good: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    shut: Ints,
    sure: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    want: Counter[tuple[object, ...]],
    dice: np.random.Generator,
) -> list[int]:
    """As many places as are wanted, none in another's way, each time the one that shuts out the fewest others."""
    left, shut = good.copy(), shut.copy()
    taken: list[int] = []
    jitter = dice.uniform(0, 3, len(left)) - sure
    while left.any() and want.total() > 0:
        k = int(np.where(left, shut + jitter, math.inf).argmin())
        gone = left & crossed[k]
        gone[k] = True
        left &= ~gone
        shut -= crossed[gone].sum(axis=0)  # who is in whose way is mutual: rows are read faster than columns
        if want[pool[k][0]] > 0:
            want[pool[k][0]] -= 1
            taken.append(k)
    return taken


def _pressed(
    search: _Search, minis: Sequence[Placed], offers: Offers, dice: np.random.Generator
) -> list[Placed] | None:
    """All minis at once, from places that nearly work, pushed out of each other and of everything else."""
    good = (key for key, why in search.known.items() if not why and key not in search.walled_off)
    at = np.array([key[1:] for key in good]).reshape(-1, 2)
    if not len(at):
        return None
    around = _round_of(search.site, minis[0])
    apart = 2 * minis[0].mini.base.outline.reach_mm()
    for _ in range(TRIES):
        spots = [at[int(dice.integers(len(at)))]]
        while len(spots) < len(minis):  # the next one far from the others, with some chance in it
            gap = np.min([np.hypot(*(at - s).T) for s in spots], axis=0)
            spots.append(at[int((np.minimum(gap, apart) + dice.uniform(0, apart / 3, len(at))).argmax())])
        pushed = around.pushed(np.array(spots), JOINT, apart)
        chosen: list[Placed] = []
        for mini, (x, y) in zip(minis, pushed, strict=True):
            place = set_down(search.site, mini, (float(x), float(y)))
            if not _clear(search.site, place, chosen) or not search.fits(place) or search.at_wall(place):
                break
            chosen.append(place)
        if len(chosen) == len(minis) and _agreed(search, chosen):
            return chosen
    return None
