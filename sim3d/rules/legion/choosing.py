"""Which mini goes where: one of the offers for each, none in another's way.

First each takes the best that is left; where some get none so, others of these go first; and at last all are
pushed apart at once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from sim3d.plane import parted_mm
from sim3d.rules.legion.battle import ring_of
from sim3d.rules.legion.cohesion import kept
from sim3d.rules.legion.fitting import Kind, Search, turns
from sim3d.rules.legion.offers import Offers, set_down
from sim3d.rules.legion.pushing import obstacles_of
from sim3d.rules.legion.site import Site
from sim3d.rules.legion.tool import notches_of
from sim3d.rules.legion.wallside import from_point_mm
from sim3d.space import Bools, Ints
from sim3d.table import Placed

RESTARTS = 40  # orders in which places are taken until all minis have one
JOINT = 60  # rounds of pushing all minis of a unit apart at once
TRIES = 24  # such rounds from different beginnings


def chosen_of(
    search: Search, minis: Sequence[Placed], offers: Mapping[Kind, Offers], dice: np.random.Generator
) -> list[Placed] | None:
    """A place for each mini, in the same order, from the offers for its kind; None where none were found for all."""
    chosen = _greedy(search, minis, offers, bent=False) or _greedy(search, minis, offers, bent=True)
    if chosen is not None or not all(map(search.hopeful, offers.values())):
        return chosen
    chosen = _reordered(search, minis, offers, dice)
    if chosen is None and len(offers) == 1:
        chosen = _pressed(search, minis, dice)
    return chosen


def _clear(site: Site, place: Placed, chosen: Sequence[Placed]) -> bool:
    limit = site.ruleset.numbers.contact_mm / 2
    for other in chosen:
        reach = place.mini.base.outline.reach_mm() + other.mini.base.outline.reach_mm()
        gap = math.dist(place.at, other.at)
        if gap >= reach - limit:
            continue
        if place.mini.base == other.mini.base and notches_of(place.mini.base) == () and not turns(place):
            return False
        if parted_mm(ring_of(place), ring_of(other)) < -limit:
            return False
    return True


def _named(place: Placed, mini: Placed) -> Placed:
    return replace(place, name=mini.name)


def _greedy(
    search: Search, minis: Sequence[Placed], offers: Mapping[Kind, Offers], *, bent: bool
) -> list[Placed] | None:
    """Each mini at the first of its offers that is free and fits."""
    chosen: list[Placed] = []
    for mini in minis:
        place = _first(search, offers[search.kind(mini)], chosen, bent=bent)
        if place is None:
            return None
        chosen.append(_named(place, mini))
    return chosen if _agreed(search, chosen) else None


def _first(search: Search, offer: Offers, chosen: Sequence[Placed], *, bent: bool) -> Placed | None:
    """The first place that is free and fits; after a climb those on the leader's level come first, then the wall."""

    def first(places: Iterable[Placed]) -> Placed | None:
        fitting = (place for place in places if _clear(search.site, place, chosen) and search.fits(place, bent=bent))
        return next((place for place in fitting if not search.at_wall(place)), None)

    def wall() -> Placed | None:
        return _at_wall(search, offer, chosen, bent=bent)

    if search.site.placing.contact is None:
        return first(offer.clear_of(chosen))
    return first(offer.about(chosen, aside=False)) or wall() or first(offer.about(chosen, aside=True)) or wall()


def _at_wall(search: Search, offer: Offers, chosen: Sequence[Placed], *, bent: bool) -> Placed | None:
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


def _agreed(search: Search, chosen: Sequence[Placed]) -> bool:
    """Whether places hold also beside each other (CO13 looks at who else could be nearer)."""
    site = search.site
    if not site.placing.climbed:
        return True
    return all(kept(site, p, (*search.mates, *chosen), search.standing).whole(site.ruleset) for p in chosen)


def _reordered(
    search: Search, minis: Sequence[Placed], offers: Mapping[Kind, Offers], dice: np.random.Generator
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
        by_kind: dict[Kind, list[Placed]] = {}
        for k in sorted(taken):
            by_kind.setdefault(pool[k][0], []).append(offers[pool[k][0]].place(pool[k][1]))
        taken_by = {m.name: by_kind[kind].pop(0) for m in minis if by_kind.get(kind := search.kind(m))}
        chosen = _filled(search, minis, offers, taken_by)
        if chosen is not None and _agreed(search, chosen):
            return chosen
    return None


def _filled(
    search: Search, minis: Sequence[Placed], offers: Mapping[Kind, Offers], places: Mapping[str, Placed]
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
    pool: Sequence[tuple[Kind, int]],
    crossed: Bools,
    good: Bools,
    shut: Ints,
    sure: Bools,
    want: Counter[Kind],
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


def _pressed(search: Search, minis: Sequence[Placed], dice: np.random.Generator) -> list[Placed] | None:
    """All minis at once, from places that nearly work, pushed out of each other and of everything else."""
    good = (key for key, why in search.known.items() if not why and key not in search.walled_off)
    at = np.array([key[1:] for key in good]).reshape(-1, 2)
    if not len(at):
        return None
    around = obstacles_of(search.site, minis[0])
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
