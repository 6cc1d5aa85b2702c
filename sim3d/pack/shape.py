"""What can be known of one piece from its mesh: sound for a print, seated on the table, as its manifest says."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sim3d.finding import Hit, Place, Severity, check, counted
from sim3d.pack.manifest import DENSITY, HeadForm, PrintForm, UseForm
from sim3d.pack.seat import ROCK_MOST_DEG, Seat, flattest_side, nearest_rest_deg, ring_around, rocking, rolling, seat_of
from sim3d.solid import Solid
from sim3d.solid.mend import agreeing
from sim3d.solid.soup import MM_PER
from sim3d.solid.survey import cross_of
from sim3d.solid.within import crosses_itself, in_the_air, thin_walls, wraps
from sim3d.space import Floats, Ints

STATES_UNIT = ("glb", "gltf", "3mf")  # formats that say what their numbers mean
SMALLEST_MM, LARGEST_MM = 8.0, 1500.0  # a barrel is 10 mm, a whole board's ground 1200; beyond, a unit is likely wrong
GROUND_MM = 0.05  # of the lowest point from z = 0: less does not show
FOOTPRINT_SHARE, FOOTPRINT_MM = 0.02, 1.0  # a declared size may be rounded by as much as people round it
SIDE_TIMES = 3.0  # another side's seat is so many times as large: the piece lies on its side
NO_SEAT_SHARE = 0.05  # of its box: less is no underside to stand on
SIDE_SHARE = 0.25  # of its box: a side with less is no seat, either
ROUNDED_DEG = 0.1  # of an overhang: most are drawn at just the limit, and a file rounds the corners of a small face
ROUNDED_MM = 1e-4  # of a size: files keep seven digits, and a turn rounds
TINY = 1e-300  # mm: no wider are points on a line
OVERHANG_MM2 = 25.0  # less is a rivet's underside
THIN_PLACES = 3  # fewer are a chance meeting at a corner
BRIDGE_MM = 0.3  # faces so near to the bed are the first layer
ASIDE_MM = (1.3e-4, 0.7e-4)  # so that no look goes along the edges of round numbers
LOOK_MM2, LOOKS_MOST = 1.0, 10_000  # of faces that look down: a look under each mm², and how many looks there are then
DENSITIES = {"pla": DENSITY, "resin": 1.15, "mdf": 0.75, "foam": 0.03, "felt": 0.2}  # g/cm³, resin cast solid


@dataclass(frozen=True, slots=True)
class Subject:
    """A piece with all that was said of it; what costs more is computed once."""

    name: str
    file: str
    solid: Solid
    said: Mapping[str, Any]
    head: HeadForm
    use: UseForm
    print: PrintForm
    _known: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def role(self) -> str:
        """What it is there for."""
        return str(self.said.get("role", "terrain"))

    @property
    def mass_g(self) -> float | None:
        """As declared, else its volume in its material; None where neither is known."""
        if "mass_g" in self.said:
            return float(self.said["mass_g"])
        volume = self.solid.volume_mm3
        return None if volume is None else volume / 1000 * DENSITIES.get(self.said.get("material", ""), DENSITY)

    @property
    def printed(self) -> Solid:
        """As a slicer takes it: a triangle turned against its neighbours, or a hole, turns nothing inside out."""
        return self._once("printed", lambda: agreeing(self.solid))  # type: ignore[no-any-return]

    @property
    def seat(self) -> Seat:
        """What of it touches level ground."""
        return self._once("seat", lambda: seat_of(self.solid))  # type: ignore[no-any-return]

    @property
    def rest_deg(self) -> float | None:
        """How far it turns by itself before it rests on level ground; 0 where it sits as it is, None: unknown."""
        return self._once("rest", self._rest_deg)  # type: ignore[no-any-return]

    def _rest_deg(self) -> float | None:
        com = self.solid.centre_of_mass
        if com is None:
            return None
        return 0.0 if self.seat.margin_mm(com[0], com[1]) >= 0 else nearest_rest_deg(self.solid, com)

    def _once(self, fact: str, compute: Any) -> Any:
        if fact not in self._known:
            self._known[fact] = compute()
        return self._known[fact]


# --- units ------------------------------------------------------------------------------------------------------------


def sides_of(sides_mm: Iterable[float], digits: int) -> str:
    """The sides of a box with so many decimals; what is under 1 mm in two digits, never as nothing.

    >>> sides_of((120.0, 9.96, 0.0412), 0)
    '120 x 10 x 0.041'
    """
    return " x ".join(f"{v:.{digits}f}" if v >= 1 or v == 0 else f"{v:.2g}" for v in sides_mm)


@check("UNIT_NOT_DECLARED", Severity.INFO, "nobody says what its numbers mean; read as {unit}, {size} mm")
def unit_not_declared(s: Subject) -> Iterator[Hit]:
    """The format states no unit, and the manifest neither.

    Why: a slicer and a virtual table may take another unit than the designer. Example: an STL without a manifest.
    Do: `units = "mm"` under `[pack]`.
    """
    kind = s.solid.source.format.split()[0]
    if kind not in STATES_UNIT and s.said.get("units") is None and s.head.units is None:
        yield Hit(unit=s.solid.source.unit, size=sides_of(s.solid.extents_mm, 1))


@check("UNIT_IMPLAUSIBLE", Severity.WARNING, "its longest side is {longest_mm:.4g} mm{hint}")
def unit_implausible(s: Subject) -> Iterator[Hit]:
    """Too small or too large for a piece of terrain, as it was read.

    Why: a wrong unit makes a barrel of a house. Example: a ruin of 6.5 mm that was modelled in inches.
    Do: declare `units` and `scale` in the manifest, or export in millimetres.
    """
    longest = max(s.solid.extents_mm)
    if SMALLEST_MM <= longest <= LARGEST_MM:
        return
    tried = {unit: longest / MM_PER[s.solid.source.unit] * MM_PER[unit] for unit in ("mm", "cm", "in", "m")}
    fitting = [f"{size:.4g} mm in {unit}" for unit, size in tried.items() if SMALLEST_MM * 3 <= size <= LARGEST_MM / 2]
    yield Hit(longest_mm=longest, hint=f"; it would be {' or '.join(fitting)}" if fitting else "")


@check("PIECE_LIES_ON_SIDE", Severity.WARNING, "its {side} side is {times:.0f} times as flat as its underside")
def lies_on_side(s: Subject) -> Iterator[Hit]:
    """The piece does not stand on its underside, and another side of it makes a good seat.

    Why: its up axis is probably another, and nothing of it is where players expect it. Example: a model exported with
    y up. Do: declare `up = "y"`, or turn the model.
    """
    side, most, below = flattest_side(s.solid)
    x, y, z = s.solid.extents_mm
    box = {"x": y * z, "y": x * z, "z": x * y}
    deg = s.rest_deg
    seated = below > NO_SEAT_SHARE * box["z"] if deg is None else deg <= ROCK_MOST_DEG
    if not seated and side[1] != "z" and most > SIDE_SHARE * box[side[1]] and most > SIDE_TIMES * below:
        yield Hit(side=side, times=min(most / max(below, 1.0), 9999.0))


# --- mesh -------------------------------------------------------------------------------------------------------------


@check("MESH_CROSSES_ITSELF", Severity.WARNING, "{what} through each other{more}")
def mesh_crosses_itself(s: Subject) -> Iterator[Hit]:
    """Triangles of one part pass through each other.

    Why: slicers fill such places by luck, and walls inside waste material. Example: two walls pushed through each
    other and joined without a boolean. Do: unite the parts in the modelling program.
    """
    met = crosses_itself(s.solid)
    if met.count:
        what = counted(met.count, "pair of triangles passes", "pairs of triangles pass")
        more = f", up to {met.deepest_mm:.2f} mm" + (f"; {met.gave_up}" if met.gave_up else "")
        yield Hit(count=met.count, places=met.places, what=what, deepest_mm=met.deepest_mm, more=more)
    elif met.gave_up:
        yield Hit(what="it cannot be told which triangles pass", more=f": {met.gave_up}")


@check("PART_IN_THE_AIR", Severity.WARNING, "{what} neither the ground nor what stands on it")
def part_in_the_air(s: Subject) -> Iterator[Hit]:
    """A loose part floats: nothing of it touches the rest.

    Why: a printer lets it fall, and nobody stands on it at a table. Example: a lamp 0.2 mm off its post.
    Do: push it into the part that is to carry it.
    """
    places = in_the_air(s.solid)
    if places is None:
        yield Hit(what="it cannot be told which loose parts touch")
    elif places:
        yield Hit(
            count=len(places), places=places, what=counted(len(places), "loose part touches", "loose parts touch")
        )


# --- print ------------------------------------------------------------------------------------------------------------


@check("PRINT_WALL_THIN", Severity.WARNING, "walls down to {thinnest_mm:.2f} mm, under {wall_mm:g}: {share:.1%} of it")
def print_wall_thin(s: Subject) -> Iterator[Hit]:
    """Walls are thinner than the printer makes them.

    Why: a slicer leaves them out or they break. Example: a railing of 0.5 mm with a nozzle of 0.4.
    Do: make them thicker, or declare the printer's own `wall` under `[print]`.
    """
    thin = thin_walls(s.printed, s.print.wall)
    if len(thin.places) >= THIN_PLACES:
        yield Hit(
            area_mm2=thin.area_mm2,
            places=thin.places,
            thinnest_mm=thin.thinnest_mm,
            wall_mm=s.print.wall,
            share=thin.share,
        )


@check("PRINT_OVERHANG", Severity.HINT, "{area_mm2:.0f} mm² hang over by more than {limit_deg:g} degrees")
def print_overhang(s: Subject) -> Iterator[Hit]:
    """Faces look down more than a printer makes without support.

    Why: they need support, or sag. Example: the underside of a roof. Do: print with support or in parts.
    """
    solid = s.printed
    double = cross_of(solid.vertices, solid.outward)
    size = np.linalg.norm(double, axis=1)
    share = _share_over(solid.vertices[solid.faces][:, :, 2] - (solid.bounds[0][2] + BRIDGE_MM))
    down = -double[:, 2] > math.sin(math.radians(min(s.print.overhang + ROUNDED_DEG, 90.0))) * size
    hanging = np.flatnonzero(down & (share > 0) & (size > 0))
    size = size[hanging] / 2 * share[hanging]
    free, where = _free_below(solid, hanging, size)
    size *= free
    if size.sum() > OVERHANG_MM2:
        order = np.argsort(-size, kind="stable")[:5]
        worst = order[size[order] > 0]
        at = where[worst]
        places = [Place(float(x), float(y), float(z), float(n)) for (x, y, z), n in zip(at, size[worst], strict=True)]
        yield Hit(area_mm2=float(size.sum()), places=places, limit_deg=s.print.overhang)


def _share_over(heights: Floats) -> Floats:
    """The share of each triangle that lies over 0, by the heights (n, 3) of its corners.

    >>> _share_over(np.array([[1.0, 2, 3], [0, 0, 0], [-1, -1, 1], [1, 1, -1], [-2, 0, 0]])).tolist()
    [1.0, 0.0, 0.25, 0.75, 0.0]
    """
    low, middle, high = np.sort(heights, axis=1).T
    tip = np.where(middle > 0, low, high)  # the corner that is alone on its side
    others = (np.where(middle > 0, middle, low), np.where(middle > 0, high, middle))
    cut = np.ones(len(heights))
    for other in others:
        cut *= np.divide(tip, tip - other, out=np.zeros(len(heights)), where=tip != other)
    found: Floats = np.where(low >= 0, 1.0, np.where(middle > 0, 1 - cut, cut))
    return np.where(high <= 0, 0.0, found)


def _free_below(solid: Solid, faces: Ints, mm2: Floats) -> tuple[Floats, Floats]:
    """Of each of these faces the share under which there is air, and a place where: another block may carry it, or
    enclose it.

    Blocks that share a corner are one part, so it is asked of one part, too. The larger a face, the more looks.
    """
    if not len(faces):
        return np.zeros(0), np.zeros((0, 3))
    corners = solid.vertices[solid.faces[faces]]
    cuts = np.ceil(np.sqrt(mm2 / max(LOOK_MM2, float(mm2.sum()) / LOOKS_MOST))).clip(2).astype(np.int64)
    first = np.cumsum(cuts**2) - cuts**2
    points = np.empty((int((cuts**2).sum()), 3))
    for k in np.unique(cuts):
        some = np.flatnonzero(cuts == k)
        points[first[some][:, None] + np.arange(k**2)] = _middles(int(k)) @ corners[some]
    air = wraps(solid, points - [*ASIDE_MM, BRIDGE_MM / 2]) <= 0
    free = np.add.reduceat(air, first, dtype=np.int64) / cuts**2
    where = corners.mean(axis=1)
    for i in np.flatnonzero((free > 0) & (free < 1)):
        own = points[first[i] : first[i] + cuts[i] ** 2][air[first[i] : first[i] + cuts[i] ** 2]]
        where[i] = own[np.argmin(((own - where[i]) ** 2).sum(axis=1))]
    return free, where


def _middles(k: int) -> Floats:
    """The middles of the k² equal triangles that a triangle is cut into, as shares of its corners.

    >>> (_middles(2) * 6).round().astype(int).tolist()
    [[4, 1, 1], [1, 1, 4], [1, 4, 1], [2, 2, 2]]
    """
    x, y = np.indices((k, k)).reshape(2, -1)
    up, down = x + y < k, x + y < k - 1
    u, v = (np.concatenate([n[up] + 1 / 3, n[down] + 2 / 3]) / k for n in (x, y))
    return np.column_stack([1 - u - v, u, v])


@check("PRINT_TOO_LARGE", Severity.WARNING, "{size} mm do not fit on a bed of {bed} mm")
def print_too_large(s: Subject) -> Iterator[Hit]:
    """The piece is larger than the printer, as it stands, however it is turned on the bed.

    Why: nobody can print it in one. Example: a bridge of 310 mm on a bed of 220. Do: cut it, or declare the `bed`.
    """
    x, y, z = s.solid.extents_mm
    wide, deep, high = s.print.bed
    if z > high or not fits(s.solid.vertices[:, :2], wide, deep):
        yield Hit(size=f"{x:.1f} x {y:.1f} x {z:.1f}", bed=f"{wide:g} x {deep:g} x {high:g}")


def fits(points: Floats, wide: float, deep: float) -> bool:
    """Whether points (n, 2) fit into a rectangle when they are turned somehow.

    >>> plank = np.array([[0.0, 0], [301, 0], [301, 10], [0, 10]])
    >>> fits(plank, 220, 220), fits(plank, 219, 219)  # its length and its width, both over the root of two
    (True, False)
    """
    x, y = np.ptp(points, axis=0)
    if min(max(x - wide, y - deep), max(x - deep, y - wide)) <= ROUNDED_MM:
        return True
    ring = ring_around(points)
    sides = np.roll(ring, -1, axis=0) - ring
    ahead = np.arctan2(sides[:, 1], sides[:, 0]) % (2 * np.pi)
    order = np.argsort(ahead)

    def outermost(way: Floats) -> Floats:
        """The corner (n, 2) that lies farthest along each direction (radians)."""
        nth = np.searchsorted(ahead[order], (way + np.pi / 2) % (2 * np.pi), side="right") - 1
        found: Floats = ring[(order[nth] + 1) % len(ring)]
        return found

    def across(way: Floats) -> Floats:
        return outermost(way) - outermost(way + np.pi)

    turns = np.unique(ahead % (np.pi / 2))  # from one to the next the same corners are outermost
    middles = (turns + np.append(turns[1:], turns[0] + np.pi / 2)) / 2
    just = [turns]
    for quarter in (0.0, np.pi / 2):
        x, y = across(middles + quarter).T
        for side in (wide, deep):  # where it is just so long that way
            far = np.arccos(np.minimum(side / np.hypot(x, y).clip(TINY), 1.0))
            just += [np.arctan2(y, x) + far - quarter, np.arctan2(y, x) - far - quarter]
    turn = np.concatenate(just)
    x, y = (np.einsum("ij,ji->i", across(way), (np.cos(way), np.sin(way))) for way in (turn, turn + np.pi / 2))
    over = np.minimum(np.maximum(x - wide, y - deep), np.maximum(x - deep, y - wide))
    return bool(over.min() <= ROUNDED_MM)


# --- how it sits ------------------------------------------------------------------------------------------------------


@check("PIECE_OFF_GROUND", Severity.INFO, "its lowest point is at z = {low_mm:.2f} mm")
def off_ground(s: Subject) -> Iterator[Hit]:
    """The piece's lowest point is not at z = 0.

    Why: put on a table as it is, it floats or sinks in; here it is looked at as if it stood on the table.
    Example: a model centred about the origin. Do: nothing, or `--fix`, which seats it on z = 0.
    """
    low = s.solid.bounds[0][2]
    if abs(low) > GROUND_MM:
        yield Hit(low_mm=low)


@check("PIECE_NOT_FLAT", Severity.WARNING, "it does not sit flat: {how}")
def not_flat(s: Subject) -> Iterator[Hit]:
    """Of its underside only a point, an edge or an uneven few places touch the table.

    Why: it leans as soon as it is put down, and every height on it is another than drawn.
    Example: one foot 2 mm longer than the others. Do: cut the underside off level.
    """
    deg = s.rest_deg
    if deg is None:
        if len(s.seat.ring) < 3:
            yield Hit(how="it touches the table along a line or at a point only")
    elif 0 < deg <= ROCK_MOST_DEG:
        yield Hit(how=f"it leans by {deg:.1f} degrees as soon as it is put down", lean_deg=deg)


@check("PIECE_TIPS_OVER", Severity.ERROR, "it falls over by itself, by {fall_deg:.0f} degrees: {how}")
def tips_over(s: Subject) -> Iterator[Hit]:
    """The piece does not stand as it is modelled: its weight is not over what touches the table.

    Why: nothing can be played on it. Example: a wall with a foot on one side only, its weight on the other.
    Do: give it a wider foot, or declare the axis that is up.
    """
    deg, com = s.rest_deg, s.solid.centre_of_mass
    if deg is not None and com is not None and deg > ROCK_MOST_DEG:
        margin = s.seat.margin_mm(com[0], com[1])
        how = "it stands on a point or an edge" if margin == -math.inf else f"its weight is {-margin:.1f} mm outside"
        yield Hit(fall_deg=deg, how=how, places=[Place(*com)])


@check("PIECE_WOBBLES", Severity.WARNING, "it rocks by {rock_deg:.1f} degrees at a touch ({margin_mm:.1f} mm)")
def wobbles(s: Subject) -> Iterator[Hit]:
    """The piece tips to and fro between two ways of standing, or rolls on a rounded underside.

    Why: what stands on it is shaken off when somebody touches it. Example: four feet of which one is 1 mm short,
    a tile on a crumb under its middle, or one that came off the bed warped by 1 mm. Do: make the feet even, or the
    underside flat, or set its weight farther from the edge that the message gives in mm.
    """
    com = s.solid.centre_of_mass
    if com is None or s.rest_deg != 0.0:
        return
    rocks = rocking(s.solid, com, s.seat) or rolling(s.solid, com)
    if rocks is not None:
        place = Place(*rocks.at, s.solid.bounds[0][2], rocks.deg)
        yield Hit(rock_deg=rocks.deg, margin_mm=rocks.margin_mm, places=[place])


# --- as the manifest says ---------------------------------------------------------------------------------------------


@check("MANIFEST_SIZE_DIFFERS", Severity.WARNING, "the manifest says {said} mm, the mesh is {found} mm{hint}")
def size_differs(s: Subject) -> Iterator[Hit]:
    """The declared footprint or height is not that of the mesh.

    Why: organisers plan tables by these numbers, and a factor gives a wrong unit away.
    Example: a footprint of 100 x 80 and a mesh of 3.94 x 3.15. Do: correct the number, the unit or the mesh.
    """
    x, y, z = s.solid.extents_mm
    footprint, height = s.said.get("footprint_mm"), s.said.get("height_mm")
    told, seen = [], []
    if footprint is not None:
        # Laid down turned by a quarter a footprint is the same.
        told += sorted(footprint)
        seen += sorted((x, y))
    if height is not None:
        told.append(height)
        seen.append(z)
    wrong = [(a, b) for a, b in zip(told, seen, strict=True) if abs(a - b) > max(FOOTPRINT_MM, FOOTPRINT_SHARE * a)]
    if wrong:
        factor = wrong[0][0] / max(wrong[0][1], 1e-9)
        units = [f" (as if it were in {u})" for u in ("in", "cm", "m") if abs(factor / MM_PER[u] - 1) < FOOTPRINT_SHARE]
        said, found = (" x ".join(f"{v:.1f}" for v in some) for some in (told, seen))
        yield Hit(said=said, found=found, hint=units[0] if units else "")


UNITS = (unit_not_declared, unit_implausible, lies_on_side)
MESH = (mesh_crosses_itself, part_in_the_air)
PRINT = (print_wall_thin, print_overhang, print_too_large)
SITS = (off_ground, not_flat, tips_over, wobbles)
SAYS = (size_differs,)
SHAPE = (*UNITS, *MESH, *PRINT, *SITS, *SAYS)
