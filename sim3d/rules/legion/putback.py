"""Minis are set aside, the mover moves, and the other player puts them back: the steps that two players drive.

What the other player chooses comes in as `Follower` values; for what is left open a legal place is found, leaders of
all units first, then the rest (CO06).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from sim3d.rules.legion.arranging import Arranged, Nearest, cohere
from sim3d.rules.legion.battle import (
    Battle,
    beside,
    cut_for_mates,
    feet_mm,
    feet_of,
    near,
    overlap_mm,
    reduced,
    tokens_under,
    touching,
)
from sim3d.rules.legion.cohesion import kept
from sim3d.rules.legion.levels import SAME_MM, Spot, ends_of
from sim3d.rules.legion.move import Follower
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.rules.legion.site import Kept, Placing, Site, site_of
from sim3d.rules.legion.standing import Standing
from sim3d.rules.legion.terrain import walk_of
from sim3d.rules.legion.unit import Unit
from sim3d.rules.legion.ways import beyond_mm
from sim3d.stand import Stand
from sim3d.table import Placed

ANYWHERE = -1  # no elevation that a mini has to stay on
LEADERS_TRIED = 40  # places of a leader until one lets its minis follow


@dataclass(frozen=True, slots=True)
class Aside:
    """Step 1: who was set aside, where each stood (a leader's place is its mark), and the sides that put them back."""

    minis: tuple[Placed, ...]
    feet: tuple[float, ...]  # how high each stood
    units: tuple[Unit, ...]  # theirs, as they are in the battle
    by: tuple[str, ...]

    def stood(self, mini: str) -> tuple[Placed, float] | None:
        """Where a mini was set aside from."""
        return next(((m, z) for m, z in zip(self.minis, self.feet, strict=True) if m.name == mini), None)


@dataclass(frozen=True, slots=True)
class Back:
    """Step 3: one mini where it is put back, and everything that rules ask about that place."""

    mini: Placed
    unit: str
    set_aside: bool  # else it only follows its leader
    leader: bool
    stand: Stand
    kept: Kept | None  # against its leader
    from_mark_mm: float  # how much farther than the tool goes it is from its mark; a leader's
    on: tuple[str, ...]  # bases and tokens that it overlaps
    touches: tuple[str, ...]  # enemy minis
    rise_mm: float  # from where it stood, where that is another elevation; else 0
    could_stay: bool  # there was a place on its elevation


@dataclass(frozen=True, slots=True)
class Displacement:
    """All of it: who was set aside, how they were put back, which units found no room."""

    aside: Aside
    backs: tuple[Back, ...]
    homeless: tuple[str, ...] = ()  # units for which no arrangement was found
    needless: tuple[str, ...] = ()  # minis that were placed without need

    @property
    def places(self) -> tuple[Placed, ...]:
        """The minis where they are put back."""
        return tuple(b.mini for b in self.backs)


def set_aside(battle: Battle, minis: Sequence[str], mover: Unit) -> Aside:
    """Step 1: take minis off, mark where they stood (DP06). The players who do not move will place them (DP07)."""
    gone = tuple(m for m in battle.table.minis if m.name in minis)
    units = tuple(u for u in battle.units if any(m.name in u.minis for m in gone))
    sides = tuple(dict.fromkeys(u.side for u in battle.units if u.side != mover.side))
    return Aside(gone, tuple(feet_mm(battle.table, m) for m in gone), units, sides)


def put_back(
    between: Battle,
    aside: Aside,
    choices: Sequence[Follower],
    ruleset: Ruleset,
    standing: Standing,
    *,
    seed: int = 0,
) -> Displacement:
    """Step 3 on the battle after the move, without who was set aside: as chosen, the rest where a place is found."""
    work = _Work(between, aside, {c.mini: c for c in choices}, ruleset, standing, seed)
    leaders = {u.name: work.leader(u) for u in aside.units}
    homeless = [name for name, place in leaders.items() if place is None]
    backs: list[Back] = []
    for unit in aside.units:
        if unit.name not in homeless:
            arranged = work.rest(unit)
            if not arranged.whole:
                homeless.append(unit.name)
    for unit in aside.units:
        if unit.name not in homeless:
            backs += work.judged(unit)
    placed = {m.name for m in work.placed}
    lost = {m for u in aside.units if u.name in homeless for m in u.minis}
    needless = [*work.needless, *(c for c in work.choices if c not in placed and c not in lost)]
    return Displacement(aside, tuple(backs), tuple(homeless), tuple(needless))


@dataclass(frozen=True, slots=True)
class Floors:
    """The elevations that minis were set aside from, each by one who stood there; the number of each mini's."""

    of: Mapping[str, int]  # ANYWHERE for one that was not set aside
    stood: tuple[tuple[Placed, float], ...]

    def on(self, number: int, minis: Sequence[Placed]) -> list[Placed]:
        """Those of some minis that were set aside from one."""
        return [mini for mini in minis if self.of[mini.name] == number]


class _Work:
    """One putting back, step by step: `now` is the battle as it stands with those who are back."""

    def __init__(
        self,
        between: Battle,
        aside: Aside,
        choices: dict[str, Follower],
        ruleset: Ruleset,
        standing: Standing,
        seed: int,
    ) -> None:
        self.between, self.aside, self.choices = between, aside, choices
        self.ruleset, self.standing, self.seed = ruleset, standing, seed
        self.placed: list[Placed] = []
        self.needless: list[str] = []  # chosen, but neither set aside nor out of cohesion
        self.rises: dict[tuple[object, ...], float] = {}  # of every place that was asked about
        self.uprooted: set[str] = set()  # leaders for whom no place was found on their own elevation

    def _battle(self, unit: Unit, leader: Placed) -> Battle:
        """Everybody who is on the table, this unit's leader at its place, its other minis wherever they are."""
        back = {m.name: m for m in self.placed} | {leader.name: leader}
        minis = [back.pop(m.name, m) for m in self.between.table.minis]
        table = replace(self.between.table, minis=(*minis, *back.values()))
        on = {m.name for m in table.minis}
        units: list[Unit] = []
        for u in (*self.between.units, *(a for a in self.aside.units)):
            whole = next((a for a in self.aside.units if a.name == u.name), u)
            left = tuple(m for m in whole.minis if m in on)
            if left and u.name not in [v.name for v in units]:
                units.append(reduced(whole, left))
        return Battle(table, tuple(units))

    def _site(self, unit: Unit, leader: Placed) -> Site:
        battle = self._battle(unit, leader)
        return site_of(battle, replace(unit, minis=battle.unit(unit.name).minis), self.ruleset, Placing())

    def _chosen(self, was: Placed, leader: Placed) -> Placed | None:
        """Where a mini is said to be put, below the cut of its leader (or of its leader's mark) where none is said."""
        chosen = self.choices.get(was.name)
        if chosen is None:
            return None
        turn = was.turn if chosen.turn is None else chosen.turn
        table = self.between.table
        level = chosen.cut(cut_for_mates(table, leader))
        return beside(table, replace(was, at=chosen.at, turn=turn, level=level))

    def _minis(self, unit: Unit) -> Iterator[tuple[Placed, bool]]:
        """A unit's minis without the leader, where they stand or stood, and whether they were set aside."""
        on = {m.name: m for m in self.between.table.minis}
        for name in unit.followers:
            was = self.aside.stood(name)
            if was is not None:
                yield was[0], True
            elif name in on:
                yield on[name], False

    def _left(self, unit: Unit) -> list[Placed]:
        """The minis of a unit that were not set aside: they stand there when their leader is placed."""
        return [mini for mini, aside in self._minis(unit) if not aside]

    def _stays(self, site: Site, mini: Placed) -> bool:
        """Whether a mini that was not set aside has no reason to move: only who lost its leader follows it (DP08)."""
        return self.aside.stood(site.unit.leader) is None or kept(site, mini).whole(self.ruleset)

    def leader(self, unit: Unit) -> Placed | None:
        """Where a unit's leader is: chosen, found near its mark (DP08), or where it always was."""
        mark = self.aside.stood(unit.leader)
        if mark is None:
            return self.between.table.mini(unit.leader)
        place = self._chosen(mark[0], mark[0])
        if place is None:
            first: Placed | None = None
            for tried in self._leader_places(unit, *mark):
                first = first or tried
                if self._followed(unit, tried).whole:
                    place = tried
                    break
            place = place or first
        if place is not None:
            self.placed.append(place)
        return place

    def _leader_places(self, unit: Unit, mark: Placed, feet: float) -> Iterator[Placed]:
        """Places for a leader, the nearest to its mark first, on its own elevation before others (DP10).

        Its minis that were not set aside are in its way, and those that are said to be put back somewhere.
        """
        told = [self._chosen(mini, mark) for mini, aside in self._minis(unit) if aside]
        mates = [*self._left(unit), *(place for place in told if place is not None)]
        found = Nearest(self._site(unit, mark), mark, self.standing, mates=mates)
        own = islice(
            found.places(lambda some: [not rise for rise in self.rises_of(unit, mark, feet, some)]), LEADERS_TRIED
        )
        first = next(own, None)
        if first is None:
            self.uprooted.add(unit.leader)
        else:
            yield first
            yield from own
        yield from islice(
            found.places(lambda some: [bool(rise) for rise in self.rises_of(unit, mark, feet, some)]), LEADERS_TRIED
        )

    def _followed(self, unit: Unit, leader: Placed) -> Arranged:
        """The minis that have to be placed after their leader is: set aside, or out of a lost leader's cohesion (DP08).

        Each stays on the elevation that it was set aside from; where they find no room so, those leave theirs that
        could not even stay by themselves, and at last all of them (DP10).
        """
        site = self._site(unit, leader)
        stay, loose = [], []
        for mini, aside in self._minis(unit):
            chosen = self._chosen(mini, leader)
            if chosen is not None:
                stay.append(chosen)
            elif not aside and self._stays(site, mini):
                stay.append(mini)
            else:
                loose.append(mini)
        floors = self._floors(unit, loose)

        def placed(minis: Sequence[Placed], of: Mapping[str, int], bound: Collection[int]) -> Arranged:
            def own(place: Placed) -> bool:
                return of[place.name] not in bound or not self.rise(unit, *floors.stood[of[place.name]], place)

            asked = {"mates": stay, "apart": of, "seed": self.seed, "standing": self.standing}
            return cohere(site, minis, keep=own if bound else None, **asked)  # type: ignore[arg-type]

        def ways() -> Iterator[tuple[Mapping[str, int], Collection[int]]]:
            of, every = floors.of, range(len(floors.stood))
            if len(every) == 1:  # all of them, as if they had stood there: so they can take each other's places
                yield dict.fromkeys(of, 0), every
            if len(set(of.values())) > 1:
                yield of, every
            if len(every) > 1:
                yield of, [f for f in every if placed(floors.on(f, loose), of, [f]).whole]
            yield dict.fromkeys(of, ANYWHERE), ()

        arranged = Arranged(())
        for of, bound in ways():
            arranged = placed(loose, of, bound)
            if arranged.whole:
                break
        return arranged

    def _floors(self, unit: Unit, minis: Sequence[Placed]) -> Floors:
        """The elevations that minis were set aside from."""
        of: dict[str, int] = {}
        found: list[tuple[Placed, float]] = []
        for mini in minis:
            was = self.aside.stood(mini.name)
            if was is None:
                of[mini.name] = ANYWHERE
                continue
            same = (i for i, first in enumerate(found) if not self.rise(unit, *first, was[0]))
            of[mini.name] = next(same, len(found))
            if of[mini.name] == len(found):
                found.append(was)
        return Floors(of, tuple(found))

    def rest(self, unit: Unit) -> Arranged:
        """Place the others; what is placed is kept, what was chosen without need is remembered."""
        leader = next((m for m in self.placed if m.name == unit.leader), None)
        leader = leader or self.between.table.mini(unit.leader)
        arranged = self._followed(unit, leader)
        site = self._site(unit, leader)
        for mini, aside in self._minis(unit):
            place = self._chosen(mini, leader)
            if place is not None:
                self.placed.append(place)
                if not aside and self._stays(site, mini):
                    self.needless.append(mini.name)
        self.placed.extend(arranged.places)
        return arranged

    def rise(self, unit: Unit, was: Placed, feet: float, now: Placed) -> float:
        """How much higher a place is than where a mini stood, if it is another elevation; 0 on the same one (DP10)."""
        return self.rises_of(unit, was, feet, [now])[0]

    def rises_of(self, unit: Unit, was: Placed, feet: float, places: Sequence[Placed]) -> list[float]:
        """The same for many places of one mini."""
        keys = [(unit.name, was.name, now.name, now.at, now.turn, now.level) for now in places]
        new = {key: now for key, now in zip(keys, places, strict=True) if key not in self.rises}
        there = feet_of(self.between.table, list(new.values()))
        apart = {key: height - feet for key, height in zip(new, there, strict=True)}
        slight = self.ruleset.numbers.elevation_mm
        self.rises.update((key, 0.0) for key, far in apart.items() if abs(far) <= slight)
        other = [key for key, far in apart.items() if not abs(far) <= slight]
        if other:
            one = new[other[0]]
            walk = replace(walk_of(unit, one.mini, feet, self.ruleset), step_mm=slight, over_mm=-math.inf)
            spots = np.array([new[key].at for key in other])
            ends = ends_of(self.between.table, one, walk, Spot(*was.at, feet), spots)
            for key, end in zip(other, ends.tolist(), strict=True):
                self.rises[key] = 0.0 if abs(end - feet - apart[key]) <= SAME_MM else apart[key]
        return [self.rises[key] for key in keys]

    def judged(self, unit: Unit) -> Iterator[Back]:
        """Everything about the places of one unit's minis."""
        leader = next((m for m in self.placed if m.name == unit.leader), None)
        leader = leader or self.between.table.mini(unit.leader)
        site = self._site(unit, leader)
        mine = [m for m in self.placed if m.name in unit.minis]
        for mini in mine:
            was = self.aside.stood(mini.name)
            leads = mini.name == unit.leader
            others = [m for m in site.battle.table.minis if m.name != mini.name and near(mini, m)]
            limit = self.ruleset.numbers.contact_mm
            on = [o.name for o in others if overlap_mm(site.battle.table, mini, o) > limit]
            on += [name for name, _ in tokens_under(site.battle.table, mini, self.ruleset)]
            foes = [o.name for o in others if self._hostile(site, o.name)]
            touched = [n for n in foes if touching(site.battle.table, mini, site.battle.table.mini(n), self.ruleset)]
            rise = self.rise(unit, *was, mini) if was is not None else 0.0
            yield Back(
                mini, unit.name, was is not None, leads,
                self.standing(replace(site.battle.table, minis=()), [mini])[0],
                None if leads else kept(site, mini),
                beyond_mm(was[0], mini, self.ruleset) if leads and was is not None else -math.inf,
                tuple(on), tuple(touched), rise,
                was is not None and rise != 0 and self._could_stay(unit, site, mini, was),
            )  # fmt: skip

    def _hostile(self, site: Site, name: str) -> bool:
        foe = site.battle.unit_of(name)
        return foe is not None and foe.side != site.unit.side

    def _could_stay(self, unit: Unit, site: Site, mini: Placed, was: tuple[Placed, float]) -> bool:
        """Whether there was a legal place on the elevation that a mini stood on."""
        if mini.name in self.uprooted:
            return False
        mates = [m for m in self.placed if m.name in unit.minis and m.name != mini.name]
        if mini.name == unit.leader:
            site, mates = self._site(unit, was[0]), self._left(unit)
        found = Nearest(site, was[0], self.standing, mates=mates)
        return any(True for _ in found.places(lambda some: [not rise for rise in self.rises_of(unit, *was, some)]))
