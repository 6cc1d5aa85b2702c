"""Whether a mini could be at a place beside its leader, its unit's other minis aside: judged like a move's end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from sim3d.ground.relief import LEVEL_MM
from sim3d.rules.legion.cohesion import kept
from sim3d.rules.legion.offers import Offers
from sim3d.rules.legion.site import Kept, Site, free, on_any, stands, walled
from sim3d.rules.legion.standing import Standing
from sim3d.rules.legion.tool import notches_of
from sim3d.rules.legion.ways import beyond_mm
from sim3d.table import Placed

Keep = Callable[[Placed], bool]
Kind = tuple[object, ...]  # minis of one kind can take each other's places
Key = tuple[str, float, float]  # a mini's name and where it is


@dataclass(slots=True)
class Search:
    """The work of one search: answers are kept, since a place is asked about more than once."""

    site: Site
    standing: Standing
    mates: tuple[Placed, ...] = ()  # minis of the unit that stay where they are
    keep: Keep | None = None  # which places are looked at at all
    off: tuple[str, ...] = ()  # pieces that nobody is put on
    apart: Mapping[str, object] = field(default_factory=dict)  # minis of different ones do not take each other's places
    known: dict[Key, str] = field(default_factory=dict)  # the rows that forbid a place; none where it fits
    straight: dict[Key, bool] = field(default_factory=dict)
    clear: dict[Key, bool] = field(default_factory=dict)
    walled_off: set[Key] = field(default_factory=set)  # at what was climbed, on another level

    def kind(self, mini: Placed) -> Kind:
        """What a mini shares with those that can take its place."""
        turn = mini.turn if turns(mini) else 0.0
        return (mini.mini, mini.material, turn, self.apart.get(mini.name))

    def kinds(self, minis: Sequence[Placed]) -> list[Placed]:
        """The first of each kind."""
        return list({self.kind(mini): mini for mini in reversed(minis)}.values())[::-1]

    def fits(self, place: Placed, *, bent: bool = True) -> bool:
        """Whether one mini could be here, the unit's other minis aside; without `bent` only by a straight way."""
        key = _key(place)
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

    def why(self, place: Placed) -> tuple[str, ...]:
        """The rows that forbid a place that was asked about."""
        return tuple(self.known[_key(place)].split())

    def free(self, place: Placed) -> bool:
        """Whether nobody and nothing is there: known sooner than anything else about a place."""
        key = _key(place)
        if key not in self.clear:
            self.clear[key] = free(self.site, place, self.mates)
        return self.clear[key]

    def at_wall(self, place: Placed) -> bool:
        """Whether a place that fits is on another level after a climb: then others must not be nearer (CO13)."""
        return _key(place) in self.walled_off

    def _kept(self, place: Placed, *, bent: bool = True) -> Kept:
        """A place against its leader."""
        facts = kept(self.site, place, bent=bent)
        if facts.other_level and self.site.placing.contact is not None:
            self.walled_off.add(_key(place))
        return facts

    def hopeful(self, offers: Offers) -> bool:
        """Whether one of so many places fits, or has not been asked about."""
        places = map(offers.place, range(len(offers)))
        return any(not self.known.get(_key(place)) for place in places)

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


def _key(place: Placed) -> Key:
    return (place.name, *place.at)


def turns(mini: Placed) -> bool:
    """Whether it matters how a mini faces that may face anyhow: its base is not round, and has no notches."""
    outline = mini.mini.base.outline
    return not notches_of(mini.mini.base) and abs(outline.length_mm - outline.width_mm) > LEVEL_MM
