"""Where can minis be? `places`: the legal region of one mini; `cohere`: a whole arrangement, or why there is none.

Every place that is offered was judged like a move's end.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from sim3d.ground import ground_of
from sim3d.rules.legion.choosing import chosen_of
from sim3d.rules.legion.fitting import Keep, Search
from sim3d.rules.legion.move import Follower
from sim3d.rules.legion.offers import PITCH_MM, offers_of, set_down
from sim3d.rules.legion.pushing import reach_mm
from sim3d.rules.legion.site import Site
from sim3d.rules.legion.standing import Standing, exact, searching
from sim3d.table import Placed

LATTICE_DEG = 60.0  # a triangular lattice turned by this is itself again
ASKED = 8  # places that are asked about at a time at first
MOST_ASKED = 64  # and at last

KeepAll = Callable[[Sequence[Placed]], Sequence[bool]]  # which of some places are looked at at all


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


def places(site: Site, mini: Placed, *, pitch_mm: float = PITCH_MM, standing: Standing = exact) -> tuple[Spot, ...]:
    """The legal region of one mini: each place of a grid (multiples of the pitch) in the tool's reach, with its why."""
    search = Search(site, searching(standing))
    reach = reach_mm(site, mini)
    x, y = site.leader.at
    out = []
    for j in range(math.ceil((y - reach) / pitch_mm), math.floor((y + reach) / pitch_mm) + 1):
        for i in range(math.ceil((x - reach) / pitch_mm), math.floor((x + reach) / pitch_mm) + 1):
            at = (i * pitch_mm, j * pitch_mm)
            if math.dist(at, (x, y)) > reach:
                continue
            place = set_down(site, mini, at)
            out.append(Spot(*at, place) if search.fits(place) else Spot(*at, None, search.why(place)))
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
    search = Search(site, searching(standing), tuple(mates), keep, off, apart or {})
    dice = np.random.default_rng(seed)
    turn = dice.uniform(0, LATTICE_DEG) if seed else 0.0
    kinds = search.kinds(minis)
    if any(_nowhere(search, mini) for mini in kinds):
        return Arranged((), (), (("MV15", len(minis)),))
    offers = {search.kind(mini): offers_of(site, mini, turn, dice if seed else None) for mini in kinds}
    chosen = chosen_of(search, minis, offers, dice)
    if chosen is None:
        counts = Counter(rule for why in search.known.values() if why for rule in why.split())
        return Arranged((), (), tuple(sorted(counts.items())) or (("MV12", 1),))
    return Arranged(tuple(Follower.of(p) for p in chosen), tuple(chosen))


def _nowhere(search: Search, mini: Placed) -> bool:
    """Whether a mini stands nowhere about its leader: not on the bare floor, and there is nothing else."""
    site, table = search.site, search.site.battle.table
    reach = reach_mm(site, mini) + mini.mini.base.outline.reach_mm()
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
        self._search = Search(site, searching(standing), tuple(mates))
        self._offers = offers_of(site, mini, 0.0, None)

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
