"""Places that may do for a mini beside its leader, the best first, set down only when they are looked at.

They are sought on a lattice and pushed out of what they overlap; round enemies whose melee the unit is in; after a
climb also at the foot of what was climbed. Nobody has judged them yet.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sim3d.ground.relief import LEVEL_MM
from sim3d.plane import apart_mm, parted_mm
from sim3d.rules.legion.battle import all_beside, feet_of, ring_of
from sim3d.rules.legion.pushing import obstacles_of
from sim3d.rules.legion.site import Site
from sim3d.rules.legion.terrain import room_mm
from sim3d.rules.legion.tool import notches_of
from sim3d.rules.legion.wallside import DIGITS, along_wall, seen_from, walls_of
from sim3d.space import Floats
from sim3d.table import Placed

PITCH_MM = 4.5  # of the lattice: a third of the smallest base's radius
PUSH_MM = 9.0  # a place this deep in something may be pushed out of it
PUSHES = 12  # times all are pushed
DOWN = 16  # places that are set down at once
CONTACTS = 72  # places all round an enemy's base where one touches it
OFF_LATTICE = 0.4  # of half a millimetre: the lattice's rows lie at whole and half ones, nothing is decided there
HALVINGS = 12  # until such a place is known to a few thousandths of a millimetre


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


def offers_of(site: Site, mini: Placed, turn: float, dice: np.random.Generator | None) -> Offers:
    """Places for one kind of mini: in contact with whom its unit fights, then the nearest; on another level last.

    They lie as the leader does, so that they turn and go with it wherever the table is turned and moved to.
    """
    around = obstacles_of(site, mini)
    spots = _lattice(site.leader, around.reach, turn)
    bare = replace(around, walls=np.zeros((0, 2, 2)), gaps=np.zeros(0))
    depth = around.deepest(spots)[0].round(DIGITS)  # a row of the lattice may be just flush with the leader
    pushed = around.pushed(spots[(depth > 0) & (depth <= PUSH_MM)], PUSHES)
    clear = _thinned(site.leader, np.concatenate([spots[depth <= 0], pushed[around.deepest(pushed)[0] <= 0]]))
    over = (depth > 0) & (bare.deepest(spots)[0].round(DIGITS) <= 0)  # rubble, half a step: it may stand there
    rough = spots[over]
    every = np.concatenate([clear, rough])
    seen = seen_from(site.leader, every)
    far = np.hypot(*seen.T).round(DIGITS)
    if dice is not None:
        far = far + dice.uniform(0, mini.mini.base.outline.reach_mm(), len(far))
    later = np.arange(len(every)) >= len(clear)
    order = np.lexsort((seen[:, 1], seen[:, 0], far, later))
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
        toward = np.linspace(0.0, 2 * math.pi, CONTACTS, endpoint=False) + math.radians(site.leader.turn)
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
    seen = seen_from(site.leader, every)
    far = np.hypot(*seen.T).round(DIGITS)
    order = np.lexsort((seen[:, 1], seen[:, 0], far))
    nearest: Floats = every[order[far[order] <= reach]]
    return nearest


def _below(site: Site, mini: Placed) -> Iterator[Placed]:
    """After a climb: places at the foot (or on top) of what was climbed, nearest to the point of contact first."""
    placing = site.placing
    if not placing.climbed or placing.contact is None or placing.start_mm is None:
        return
    there = replace(mini, at=placing.contact, level=placing.start_mm + room_mm(mini.mini))
    yield from along_wall(site, there, placing.start_mm, walls_of(site, there, placing.start_mm))


def _lattice(leader: Placed, reach: float, turn: float) -> Floats:
    """A triangular lattice about a leader, turned so far from where it faces, within reach."""
    n = math.ceil(reach / PITCH_MM * 2 / math.sqrt(3))
    i, j = (v.ravel() for v in np.meshgrid(np.arange(-n, n + 1), np.arange(-n, n + 1)))
    x, y = (i + j / 2) * PITCH_MM, j * PITCH_MM * math.sqrt(3) / 2
    a = math.radians(leader.turn + turn)
    within = np.hypot(x, y).round(DIGITS) <= round(reach + PUSH_MM, DIGITS)
    x, y = x[within], y[within]
    spots: Floats = np.column_stack([x * math.cos(a) - y * math.sin(a), x * math.sin(a) + y * math.cos(a)])
    spots += np.array(leader.at)
    return spots


def _thinned(leader: Placed, spots: Floats) -> Floats:
    """One of those that lie within half a millimetre of each other; no row of the lattice lies on a limit of that."""
    halves = seen_from(leader, spots) * 2 + OFF_LATTICE
    _, first = np.unique(np.floor(halves).astype(np.int64), axis=0, return_index=True)
    return spots[np.sort(first)]
