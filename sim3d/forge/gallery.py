"""The gallery: solids so simple that what a base does on them is a formula. Their numbers are the tests' numbers.

All stand on z = 0 about the origin; x is the direction that matters. `README.md` beside the files lists them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from sim3d.forge.item import Item
from sim3d.forge.shapes import Outline, along_y, box, circle, cone, dome, drum, lathe, moved, prism, rectangle, ring_of
from sim3d.solid.boolean import Mesh, difference, union

RAMPS_DEG = (10, 20, 30, 40, 44, 45, 46, 50, 60)
STEPS_MM = (2, 5, 8, 10, 15)
DOMES = (("coarse", 12, 4), ("medium", 32, 10), ("fine", 96, 32))  # sides, rings
HALF = 80.0  # half the length and width of a ramp: a 100 mm base lies on it with room to spare
TIP_MM = 20.0  # how high rails and pegs stand
PEG_RADIUS = 10.0
RAIL = 8.0


def ramp(deg: float) -> Mesh:
    """A slope along x: z = (x + 80) tan(deg). Not on the generator's grid, so that the angle is float32's best."""
    corners, faces = along_y([(-HALF, 0), (HALF, 0), (HALF, 1)], -HALF, HALF)
    height = 2 * HALF if deg == 45 else 2 * HALF * math.tan(math.radians(deg))
    return corners * np.array([1.0, 1.0, height]), faces


def rails(*, left: float, right: float) -> Mesh:
    """Two sharp rails along y at x = -8 and 8, joined by a plate."""
    blades = [along_y([(x - 3, 1), (x + 3, 1), (x, top)], -60, 60) for x, top in ((-RAIL, left), (RAIL, right))]
    return union([box((-20, -60, 0), (20, 60, 3)), *blades])


def pegs(tips: Sequence[tuple[float, float, float]]) -> Mesh:
    """Sharp cones from a plate up to these tips."""
    cones = [moved(cone(2.0, 1.0, z, sides=16), (x, y, 0)) for x, y, z in tips]
    return union([drum(20, 0, 3, sides=48), *cones])


def pegs_around(count: int, *, short: float = 0.0) -> Mesh:
    """`count` tips on a radius of 10, the one on the x axis `short` mm lower than the others."""
    ring = circle(PEG_RADIUS, count)
    return pegs([(x, y, TIP_MM - (short if k == 0 else 0.0)) for k, (x, y) in enumerate(ring)])


def step(rise: float) -> Mesh:
    """One step with its edge along y at x = 0: z = 20 to the right of it, 20 + rise to the left."""
    section: Outline = [(-60, 0), (60, 0), (60, 20), (0, 20), (0, 20 + rise), (-60, 20 + rise)]
    return along_y(section, -60, 60)


def stairs(*, rise: float, tread: float, count: int) -> Mesh:
    """A flight that climbs along x."""
    section: list[tuple[float, float]] = [(0, 0), (tread * count, 0)]
    for k in range(count, 0, -1):
        section += [(tread * k, rise * k), (tread * (k - 1), rise * k)]
    middle = tread * count / 2
    return along_y([(x - middle, z) for x, z in section], -40, 40)


def groove(deg: float) -> Mesh:
    """A V along y: z = 5 + |x| tan(deg), 120 mm wide and long."""
    high = 5 + 60 * math.tan(math.radians(deg))
    return along_y([(-60, 0), (60, 0), (60, high), (0, 5), (-60, high)], -60, 60)


def half_cylinder(radius: float, *, length: float, facets: int) -> Mesh:
    """A ridge along y, its crest an edge at x = 0."""
    arc = [math.pi * k / facets for k in range(facets + 1)]
    section = [(radius * math.cos(a), radius * math.sin(a) if 0 < a < math.pi else 0.0) for a in arc]
    return along_y(section, -length / 2, length / 2)


def ball(radius: float, *, sides: int, rings: int) -> Mesh:
    """A ball that touches z = 0, corners on its surface, poles on the axis."""
    angles = [-math.pi / 2 + math.pi * k / rings for k in range(1, rings)]
    profile = [(radius * math.cos(a), radius + radius * math.sin(a)) for a in angles]
    return lathe([(0.0, 0.0), *profile, (0.0, 2 * radius)], sides)


def arch() -> Mesh:
    """A block with a half-round opening of radius 30 along y."""
    opening = [(30 * math.cos(math.pi * k / 64), 30 * math.sin(math.pi * k / 64)) for k in range(1, 64)]
    section = [(50.0, 0.0), (50.0, 60.0), (-50.0, 60.0), (-50.0, 0.0), (-30.0, 0.0), *opening[::-1], (30.0, 0.0)]
    return along_y(section, -20, 20)


def bridge() -> Mesh:
    """A level deck on two piers."""
    piers = [box((-60, -30, 0), (-50, 30, 47)), box((50, -30, 0), (60, 30, 47))]
    return union([*piers, box((-60, -30, 45), (60, 30, 50))])


def wall() -> Mesh:
    """A wall along x with a doorway in its middle."""
    door = box((-16, -10, -1), (16, 10, 45))
    return difference(box((-60, -3, 0), (60, 3, 60)), door)


def _items() -> tuple[Item, ...]:
    def item(name: str, make: Callable[[], Mesh], about: str, serves: str) -> Item:
        return Item(f"{name}.stl", make, about, serves)

    made = [
        item("crate", lambda: box((-40, -40, 0), (40, 40, 30)), "box, top at z = 30, edges at x, y = ±40",
             "1 ledge; corner of two ledges: the nearer edge counts"),
        item("pillar", lambda: box((-5, -5, 0), (5, 5, 20)), "box 10 x 10, top at z = 20",
             "1 plateau smaller than the base"),
        item("tile", lambda: box((-100, -100, 0), (100, 100, 5)), "floor tile, top at z = 5", "level ground"),
    ]  # fmt: skip
    for deg in RAMPS_DEG:
        told = f"slope of {deg} degrees, z = (x + 80) tan {deg}°, x and y to ±80"
        made.append(item(f"ramp-{deg}", partial(ramp, deg), told, "2 slope: slides, topples, too steep"))
    made += [
        item("rails", partial(rails, left=TIP_MM, right=TIP_MM), "sharp rails along y at x = ±8, z = 20",
             "5 two level rails, a = 8"),
        item("rails-uneven", partial(rails, left=TIP_MM, right=TIP_MM + 2), "rails at x = -8, z = 20 and x = 8, z = 22",
             "5 two-line support, s = 2: tan t = 2/16"),
        item("pegs-3", partial(pegs_around, 3), "3 tips on radius 10 (the first on +x), z = 20",
             "6 pegs: 5 towards sides, 10 towards pegs"),
        item("pegs-4", partial(pegs_around, 4), "4 tips on radius 10, z = 20", "6 pegs: q cos(π/4)"),
        item("pegs-4-short", partial(pegs_around, 4, short=1.0), "4 tips on radius 10, z = 20, the one on +x at 19",
             "7 one short by 1: margin 0, rocks by atan 0.1"),
        item("pegs-5", partial(pegs_around, 5), "5 tips on radius 10, z = 20", "6 pegs: q cos(π/5)"),
        item("pegs-6", partial(pegs_around, 6), "6 tips on radius 10, z = 20", "6 pegs: q cos(π/6)"),
        item("pegs-line", lambda: pegs([(-10, 0, TIP_MM), (0, 0, TIP_MM), (10, 0, TIP_MM)]),
             "3 tips in a line at x = -10, 0, 10, z = 20", "trap: collinear supports, never stable"),
    ]  # fmt: skip
    for rise in STEPS_MM:
        told = f"edge along y at x = 0; z = {20 + rise} for x < 0, z = 20 for x > 0"
        made.append(item(f"step-{rise}", partial(step, float(rise)), told, f"8 stairs, s = {rise}"))
    made.append(
        item("stairs", partial(stairs, rise=6, tread=12, count=6), "6 steps of rise 6, tread 12, climbing along +x",
             "8 a flight, treads narrower than the base")
    )  # fmt: skip
    for word, sides, rings in DOMES:
        told = f"half ball R 40, corners on the ball, {sides} sides by {rings} rings, pole at z = 40"
        made.append(item(f"dome-{word}", partial(dome, 40, sides=sides, rings=rings), told, "3 dome, R = 40"))
    for deg in (20, 35):
        told = f"V along y, z = 5 + abs(x) tan {deg}°, x and y to ±60"
        made.append(item(f"groove-{deg}", partial(groove, deg), told, f"9 V-groove, b = {deg}°"))
    made += [
        item("ridge", partial(half_cylinder, 20, length=120, facets=96), "half cylinder R 20 along y, 96 facets",
             "4 ridge: stable across iff h < 20, neutral along"),
        item("knife", lambda: along_y([(-10, 0), (10, 0), (0, 30)], -60, 60), "sharp edge along y at x = 0, z = 30",
             "4 knife edge: never stable"),
        item("cone", lambda: cone(20, 0, 30, sides=64), "cone R 20, tip at z = 30", "4 tip: never stable"),
        item("needle", lambda: union([drum(15, 0, 3, sides=48), cone(1.5, 1, 40, sides=16)]), "tip at z = 40",
             "4 needle: never stable"),
        item("ball", partial(ball, 10, sides=48, rings=24), "ball R 10, centre z = 10", "4 ball, stable iff h < R"),
        item("ring", lambda: ring_of(8, 10, 0, 20, sides=96), "ring, radii 8 and 10, 96 sides, z = 20",
             "6 ring: q = 10 (9.9946 at the middle of a side)"),
        item("hole", lambda: prism(rectangle(-40, -40, 40, 40), 0, 20, holes=[circle(10, 96)]),
             "plate 80 x 80, z = 20, hole R 10 in the middle", "6 a hole under the centre does not matter"),
        item("bridge", bridge, "deck z = 45 to 50, x to ±60, y to ±30; piers 10 wide at the ends",
             "trap: deck above the base; room of 45 under it"),
        item("arch", arch, "block 100 x 40 x 60 with a half-round opening R 30 along y, 64 facets",
             "trap: arch above the base"),
        item("wall", wall, "wall along x, 120 x 6 x 60, doorway x to ±16, z to 45", "side clearance, ceilings"),
    ]  # fmt: skip
    return tuple(made)


ITEMS = _items()
