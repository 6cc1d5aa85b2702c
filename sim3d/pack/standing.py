"""What a standing map says against a piece: where nobody stands, where it is doubtful, where nobody gets to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from sim3d.atlas.sweep import LARGEST
from sim3d.finding import Hit, Place, Report, Severity, check, counted, run
from sim3d.form.where import pointer_of
from sim3d.mini import Mini
from sim3d.pack.ground import ABOVE_MM, PRECARIOUS, STABLE, STEEP, Ground, labelled, leaves, reached
from sim3d.pack.manifest import called
from sim3d.pack.passage import JUST_SHARE, narrowest
from sim3d.pack.shape import Subject
from sim3d.space import Bools
from sim3d.stand import stand
from sim3d.table import Table

LEDGE_MM2 = 60.0  # of cells where a base rests: a ledge 3 mm wide and 20 long
LEDGE_TILT_DEG = 10.0  # nobody would put a model down on more
LEDGE_CELLS = 2  # of a coarse map: one alone is a chance meeting
PRECARIOUS_SHARE = 1 / 3  # of a level: players will notice
NEAR_DEG = 2.0  # of 45: as players see it with a phone
STEEP_DEG = 45.0
LEVEL_MM = 2.0  # a declared height may be rounded, and planks are uneven
SURE_MM = 1.0  # a map this fine misses only places that nobody hits with a hand
DOUBT_MM = 2.0  # a coarser one says nothing about what is not there
MOST_MM2 = 1e8  # of a standing map: ten metres square
DOUBT_SHARE = 0.2  # of what could be stood on: an edge at round coordinates alone makes a line of doubtful cells


@dataclass(frozen=True, slots=True)
class Seen:
    """A piece, one base, and where it stands."""

    piece: Subject
    ground: Ground
    _reached: dict[float, Bools] = field(default_factory=dict, init=False, compare=False, repr=False)

    def reached(self, up_mm: float) -> Bools:
        """Where it gets to when it rises at most so far at once; many checks ask for the same."""
        if up_mm not in self._reached:
            self._reached[up_mm] = reached(self.ground, up_mm)
        return self._reached[up_mm]

    @property
    def quarter_mm2(self) -> float:
        """A quarter of the base's square: less is a detail."""
        return self.ground.width_mm**2 / 4

    @property
    def step_mm(self) -> float:
        """What it steps over."""
        use = self.piece.use
        return use.step or use.height or 1.5 * self.ground.width_mm

    @property
    def up_mm(self) -> float:
        """How far it rises at once, where the piece may be climbed."""
        scalable = bool(self.piece.said.get("scalable", True))
        return max(self.step_mm, self.piece.use.climb) if scalable else self.step_mm


def places_of(ground: Ground, mask: Bools, *, most: int = 5) -> list[Place]:
    """The middle of the largest patches of a mask, in the mesh's coordinates; `size` is their mm²."""
    found = []
    for k in range(len(mask)):
        labels, many = labelled(mask[k], ground.height[k], ground.width_mm / 4)
        of = labels[mask[k]]
        every = np.argwhere(mask[k])[np.argsort(of, kind="stable")]
        for cells in np.split(every, np.cumsum(np.bincount(of, minlength=many))[:-1]) if many else ():
            middle = cells[np.argmin(((cells - cells.mean(axis=0)) ** 2).sum(axis=1))]
            found.append(Place(*ground.place(k, int(middle[0]), int(middle[1])), size=len(cells) * ground.cell_mm2))
    return sorted(found, key=lambda p: (-p.size, p.x, p.y, p.z))[:most]


def area_of(ground: Ground, mask: Bools) -> float:
    """mm² of a mask."""
    return float(mask.sum()) * ground.cell_mm2


# --- room -------------------------------------------------------------------------------------------------------------


@check("BASE_NO_ROOM", Severity.INFO, "a base {base} stands nowhere on it{seen}")
def base_no_room(s: Seen) -> Iterator[Hit]:
    """Nowhere above the table the base stands firmly.

    Why: the piece is something to hide behind, not to stand on, for this base. Example: a barricade.
    Do: nothing, or make a place of at least the base's size; `expect` makes it a promise.
    """
    if not s.ground.is_word(STABLE).any():
        seen = f", looked at every {s.ground.pitch_mm:g} mm" if s.ground.pitch_mm > DOUBT_MM else ""
        if undecided_share(s.ground) > DOUBT_SHARE:
            seen += f", as far as it can be told: {counted(s.ground.undecided, 'place is', 'places are')} undecided"
        yield Hit(base=s.ground.base, seen=seen)


@check("EXPECT_NO_ROOM", Severity.ERROR, "the manifest promises room for a base {base}, and there is none")
def expect_no_room(s: Seen) -> Iterator[Hit]:
    """The manifest promises room for a base that stands nowhere on the piece.

    Why: players were told otherwise. Example: `expect = { room = ["50"] }` and a roof of 40 mm.
    Do: enlarge the place, or take the promise back.
    """
    promised = called(s.piece.said.get("expect", {}).get("room", ()))
    if s.ground.base in promised and not s.ground.is_word(STABLE).any():
        yield Hit(base=s.ground.base)


@check("EXPECT_NOT_STANDABLE", Severity.ERROR, "a base {base} is promised to stand at {at}: {word}")
def expect_not_standable(s: Subject, table: Table, mini: Mini) -> Iterator[Hit]:
    """The manifest promises that a base stands somewhere, and it does not.

    Why: players were told otherwise. Example: a landing that ends 1 mm too early. Do: look at the place with
    `sim3d stand`, and change the piece or the promise; a `level` is a cut, between the floor meant and its roof.
    """
    (x0, y0, floor), (x1, y1, _) = s.solid.bounds
    zones = [zone for zone in s.said.get("expect", {}).get("stand", ()) if mini.base.name in called([zone["base"]])]
    for x, y, level in dict.fromkeys((*zone["at"], zone.get("level")) for zone in zones):
        pointer = pointer_of(("stand", ",".join(f"{v:g}" for v in (x, y, level) if v is not None)))
        told = f"({x:g}, {y:g})" + ("" if level is None else f" under {level:g} mm")
        cut = None if level is None else floor + level
        found = stand(table, mini, at=(x, y), level=cut, physics="never", brief=True)
        highest = max((c.place[2] for c in found.contacts), default=floor)
        if found.answer != STABLE:
            word = f"{found.answer}: {found.why.rstrip('.')}"
        elif highest - floor <= ABOVE_MM and not (x0 <= x <= x1 and y0 <= y <= y1):
            word = "that is beside the piece, on the table"
        else:
            continue
        yield Hit(places=[Place(x, y, highest)], pointer=pointer, base=mini.base.name, at=told, word=word)


@check(
    "LEDGE_TOO_NARROW",
    Severity.WARNING,
    "{count} [ledge|ledges], {area_mm2:.0f} mm², on which a base {base} only totters",
)
def ledge_too_narrow(s: Seen) -> Iterator[Hit]:
    """A place where a base can be set down but nowhere stands firmly: a touch of the table takes it off.

    Why: players put models there and quarrel. Example: a roof edge 12 mm deep for a base of 27.
    Do: make it deeper, or so narrow that nobody tries.
    """
    g = s.ground
    level = g.tilt <= LEDGE_TILT_DEG  # what leans on an edge beside it is no ledge
    rests, firm = g.is_word(STABLE, PRECARIOUS) & level, g.is_word(STABLE)
    bad = np.zeros_like(rests)
    for k in range(len(rests)):
        labels, many = labelled(rests[k], g.height[k], g.width_mm / 4)
        cells = np.bincount(labels[rests[k]], minlength=many)
        firmly = np.bincount(labels[rests[k] & firm[k]], minlength=many)
        narrow = (cells >= LEDGE_CELLS) & (cells * g.cell_mm2 >= LEDGE_MM2) & (firmly == 0)
        bad[k][rests[k]] = narrow[labels[rests[k]]]
    places = places_of(g, bad, most=1000)
    if places:
        yield Hit(count=len(places), area_mm2=area_of(g, bad), places=places, base=g.base)


@check("AREA_PRECARIOUS", Severity.INFO, "{share:.0%} of where a base {base} rests are precarious, {area_mm2:.0f} mm²")
def area_precarious(s: Seen) -> Iterator[Hit]:
    """Much of the ground holds a base only until somebody touches the table.

    Why: games are slowed down by models that fall. Example: a heap of rubble. Do: flatten it, or say that nobody
    stands there.
    """
    g = s.ground
    doubtful, rests = area_of(g, g.is_word(PRECARIOUS)), area_of(g, g.is_word(STABLE, PRECARIOUS))
    if doubtful >= s.quarter_mm2 and doubtful > PRECARIOUS_SHARE * rests:
        places = places_of(g, g.is_word(PRECARIOUS))
        yield Hit(area_mm2=doubtful, places=places, share=doubtful / rests, base=g.base)


@check("SLOPE_NEAR_45", Severity.WARNING, "{area_mm2:.0f} mm² where a base {base} leans by 43 to 47 degrees")
def slope_near_45(s: Seen) -> Iterator[Hit]:
    """A slope so near to 45 degrees that a print's own error decides whether one may stand on it.

    Why: two copies of the piece play differently, and players measure. Example: a roof of 44.5 degrees.
    Do: make it clearly flatter or clearly steeper.
    """
    g = s.ground
    near = g.is_word(STABLE, PRECARIOUS, STEEP) & (np.abs(g.tilt - STEEP_DEG) <= NEAR_DEG)
    if area_of(g, near) >= s.quarter_mm2:
        yield Hit(area_mm2=area_of(g, near), places=places_of(g, near), base=g.base)


@check("AREA_UNDECIDED", Severity.INFO, "{share:.0%} of the places could not be decided for a base {base}")
def area_undecided(s: Seen) -> Iterator[Hit]:
    """Many places lie so near to a limit that nobody can tell.

    Why: the figures are uncertain by so much. Example: a slope of exactly 45 degrees. Do: look at the map with
    `sim3d atlas`.
    """
    share = undecided_share(s.ground)
    if share > DOUBT_SHARE and s.ground.undecided * s.ground.cell_mm2 >= s.quarter_mm2:
        yield Hit(share=share, base=s.ground.base)


def undecided_share(ground: Ground) -> float:
    """Of the places above the table where a base might rest, how many could not be decided."""
    rests = int(ground.is_word(STABLE, PRECARIOUS).sum())
    return ground.undecided / max(rests + ground.undecided, 1)


@check("AUDIT_DISAGREES", Severity.WARNING, "the engine contradicts {count} of {asked} places for a base {base}")
def audit_disagrees(s: Seen) -> Iterator[Hit]:
    """The physics engine saw something else than the standing map says.

    Why: one of the two witnesses is wrong there. Example: a base on a knife's edge. Do: look at the place with
    `sim3d stand`, and tell us.
    """
    asked, _, _, disagreed = s.ground.audit
    if disagreed:
        places = [Place(*at) for at in s.ground.contradicted]
        yield Hit(count=disagreed, places=places, asked=asked, base=s.ground.base)


# --- ways -------------------------------------------------------------------------------------------------------------


@check(
    "AREA_UNREACHABLE", Severity.WARNING, "{area_mm2:.0f} mm² that a base {base} cannot get to: it rises {up_mm:g} mm"
)
def area_unreachable(s: Seen) -> Iterator[Hit]:
    """Ground to stand on that nobody gets to from the table.

    Why: it looks playable and is not. Example: a tower's top of 160 mm without a landing on the way.
    Do: add a ladder's landing, stairs, or say that it is no place to stand.
    """
    g = s.ground
    beyond = lost(s)
    if area_of(g, beyond) >= s.quarter_mm2:
        yield Hit(area_mm2=area_of(g, beyond), places=places_of(g, beyond), base=g.base, up_mm=s.up_mm)


@check(
    "ROOF_TRAP",
    Severity.WARNING,
    "{area_mm2:.0f} mm² that a base {base} gets into, but not out of",
)
def roof_trap(s: Seen) -> Iterator[Hit]:
    """Ground that is reached by coming down, with walls around it that nobody gets up again.

    Why: a model that drops in is out of the game. Example: a courtyard without a door in a ruin that may not be
    climbed. Do: open a way out, or lower a wall.
    """
    g = s.ground
    trapped = np.isin(g.word, (STABLE,)) & s.reached(s.up_mm) & ~leaves(g, s.up_mm)
    trapped &= (g.height > ABOVE_MM) | (g.top <= ABOVE_MM)  # nobody comes down onto the table through a hollow print
    if area_of(g, trapped) >= s.quarter_mm2:
        yield Hit(area_mm2=area_of(g, trapped), places=places_of(g, trapped), base=g.base, up_mm=s.up_mm)


@check(
    "STEP_TOO_HIGH", Severity.WARNING, "{area_mm2:.0f} mm² behind a step of {step_mm:.1f} mm: {limit_mm:g} are allowed"
)
def step_too_high(s: Seen) -> Iterator[Hit]:
    """A step is just a little higher than what may be stepped over or climbed.

    Why: it was surely meant to be allowed. Example: a floor at 155 mm where 152.4 are climbed.
    Do: lower the step, or add one before it.
    """
    g = s.ground
    limit = s.up_mm
    before, after = s.reached(limit), s.reached(limit * (1 + JUST_SHARE))
    gained = g.is_word(STABLE) & after & ~before
    if area_of(g, gained) >= s.quarter_mm2:
        step = _least_rise(g, gained, limit)
        yield Hit(area_mm2=area_of(g, gained), places=places_of(g, gained), step_mm=step, limit_mm=limit)


def _least_rise(ground: Ground, gained: Bools, limit: float) -> float:
    """The least rise over the limit that gets to some of the gained ground, to a tenth of a millimetre."""
    low, high = limit, limit * (1 + JUST_SHARE)
    while high - low > 0.05:
        middle = (low + high) / 2
        if (reached(ground, middle) & gained).any():
            high = middle
        else:
            low = middle
    return high


@check(
    "GAP_TOO_NARROW", Severity.WARNING, "a gap of about {gap_mm:.1f} mm: a base {base} of {width_mm:g} does not pass"
)
def gap_too_narrow(s: Seen) -> Iterator[Hit]:
    """A passage between two obstacles higher than a step is just narrower than a base.

    Why: it was surely meant to be passed. Example: a door of 26 mm for a base of 27. Do: widen it.
    """
    found = narrowest(s.piece.solid, s.ground.width_mm, s.step_mm)
    if found is not None:
        yield Hit(places=[Place(*found.at)], gap_mm=found.gap_mm, width_mm=s.ground.width_mm, base=s.ground.base)


# --- as the manifest says, and under weight ---------------------------------------------------------------------------


@check(
    "MANIFEST_LEVEL_ABSENT", Severity.WARNING, "no base {base} stands at {missing} mm, where the manifest has levels"
)
def level_absent(s: Seen) -> Iterator[Hit]:
    """The manifest lists a height to stand on, and the base stands nowhere near that height.

    Why: players and organisers rely on it. Example: levels_mm = [60] and a floor of 76 with rubble.
    Do: correct the height, or the piece.
    """
    if s.ground.base != called(s.piece.use.bases)[0]:
        return  # the smallest, by custom: a larger one need not stand everywhere
    g = s.ground
    (x0, y0, _), (x1, y1, _) = s.piece.solid.bounds
    x, y = (first + np.arange(many) * g.pitch_mm for first, many in ((g.x0, g.top.shape[1]), (g.y0, g.top.shape[0])))
    within = ((x0 <= x) & (x <= x1))[None, :] & ((y0 <= y) & (y <= y1))[:, None]  # a ground floor is the table's, there
    heights = g.height[g.is_word(STABLE) | (g.word == STABLE) & within]
    declared = [float(z) for z in s.piece.said.get("levels_mm", ())]
    missing = [z for z in declared if not (np.abs(heights - z) <= LEVEL_MM).any()]
    if missing:
        yield Hit(count=len(missing), base=g.base, missing=", ".join(f"{z:g}" for z in missing))


@check("PIECE_TIPS_UNDER_MINI", Severity.WARNING, "a mini of {mini_g:.0f} g on a base {base} tips it over at {at}")
def tips_under_mini(s: Seen) -> Iterator[Hit]:
    """The heaviest mini, at the worst place where it stands, tips the whole piece over.

    Why: it takes everything on it along. Example: a light balcony far beyond its foot. Do: make the foot wider or
    heavier, or say `mass_g` if the print is heavier than its plastic.
    """
    g, mini = s.ground, s.piece.use.mass_g
    k, j, i = np.nonzero(g.is_word(STABLE))
    x, y = g.x0 + i * g.pitch_mm, g.y0 + j * g.pitch_mm
    ring = s.piece.seat.ring
    sides = [(p, (q - p) / np.hypot(*(q - p))) for p, q in zip(ring, np.roll(ring, -1, axis=0), strict=True)]
    beyond = [along[1] * (x - p[0]) - along[0] * (y - p[1]) for p, along in sides]
    if not any((far > 0.0).any() for far in beyond):
        return  # nothing stands beyond what the piece stands on: its own weight need not be known
    com, mass = s.piece.solid.centre_of_mass, s.piece.mass_g
    if com is None or mass is None or s.piece.rest_deg != 0.0:
        return
    worst, at = 0.0, -1
    for (p, along), far in zip(sides, beyond, strict=True):
        own = along[0] * (com[1] - p[1]) - along[1] * (com[0] - p[0])
        moment = mini * far - mass * own
        if moment.max() > worst:
            worst, at = float(moment.max()), int(moment.argmax())
    if at >= 0:
        place = Place(*g.place(int(k[at]), int(j[at]), int(i[at])), worst)
        told = f"({place.x:.0f}, {place.y:.0f}, {place.z:.0f})"
        yield Hit(places=[place], mini_g=mini, base=g.base, at=told)


@check("PIECE_TOO_LARGE", Severity.ERROR, "{longest_mm:.0f} mm are too much for a map of where a base {base} stands")
def piece_too_large(s: Subject, base: str, around_mm2: float) -> Iterator[Hit]:
    """The piece is so large that no standing map of it can be made.

    Why: nobody can say where one stands on it, and nothing so large is on a table. Example: a GLB whose numbers are
    millimetres; a GLB means metres. Do: declare `units` for the piece in the manifest, or take a wider `pitch`.
    """
    if around_mm2 > MOST_MM2 or around_mm2 / s.use.pitch**2 > LARGEST:
        yield Hit(longest_mm=max(s.solid.extents_mm), base=base)


@check("MAP_TOO_COARSE", Severity.INFO, "a look every {pitch_mm:.1f} mm cannot tell of a base {base}: {codes}")
def map_too_coarse(s: Seen, codes: tuple[str, ...]) -> Iterator[Hit]:
    """The piece is so large that a map of it misses places to stand; what would follow from their absence is not said.

    Why: a way may lead over what lies between two looks, so nobody can say that there is none. Example: a table of
    2 by 2 metres as one mesh, with stairs whose treads are narrower than the looks are apart.
    Do: take the piece apart, or look at the place with `sim3d atlas --area`.
    """
    if codes and s.ground.pitch_mm > DOUBT_MM:
        yield Hit(base=s.ground.base, pitch_mm=s.ground.pitch_mm, codes=", ".join(codes))


STANDING = (
    base_no_room,
    expect_no_room,
    ledge_too_narrow,
    area_precarious,
    slope_near_45,
    area_undecided,
    audit_disagrees,
    area_unreachable,
    roof_trap,
    step_too_high,
    gap_too_narrow,
    level_absent,
    tips_under_mini,
)

# What is concluded from places that a map does not have: a coarse one is looked at again before it is said.
ABSENT = (expect_no_room, area_unreachable, roof_trap, step_too_high, level_absent)


def lost(s: Seen) -> Bools:
    """Where it stands firmly and does not get to."""
    return s.ground.is_word(STABLE) & ~s.reached(s.up_mm)


def judged(s: Seen, closer: Callable[[float], Ground]) -> tuple[Report, Seen]:
    """What a map says against a piece, and what its ways were judged by: a map of 1 mm where a coarse one would
    claim that something is not there. `closer` makes the map of a pitch, or of the finest that it can."""
    report = run(STANDING, s)
    named = {c.code for c in ABSENT}
    if s.ground.pitch_mm <= SURE_MM or not (named & set(report.codes) or lost(s).any()):
        return report, s
    near = Seen(s.piece, closer(SURE_MM))
    again = run(ABSENT, near)
    said = tuple(f for f in report if f.code not in named)
    if near.ground.pitch_mm <= DOUBT_MM:
        return Report(said) + again, near
    kept = tuple(f for f in again if f.severity == Severity.ERROR)  # a broken promise is said, doubtful or not
    doubtful = tuple(dict.fromkeys(f.code for f in again if f not in kept))
    return Report((*said, *kept)) + run((map_too_coarse,), near, doubtful), near
