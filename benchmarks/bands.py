"""How wrong the engines are: where each lets go, against closed forms. The bands in settle.py cite what this prints.

    python benchmarks/bands.py --engines bullet,rapier

Each law is a family of placements with one exact limit, searched by halving for the engine's own. "early": it lets go
of what the law still holds, by so much; "late": it holds what the law has let go. Negative: never so.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from sim3d.mini import Mini
from sim3d.settle import Settle, settle
from sim3d.solid import Solid
from sim3d.space import Floats, Ints, Pose
from sim3d.stand import Stand, stand
from sim3d.table import Table

AZIMUTHS = (17.3, 200.0)  # odd: along an axis a square of contacts and a cone of friction prove nothing
PITCHES = (200.0, 2.0)  # two great triangles, and 2 mm ones
HALVINGS = 7
BODIES = (("27", 8.0), ("27", 14.0), ("27", 40.0), ("50n", 20.0))  # a base and the height of its centre of mass, mm
Mesh = tuple[Floats, Ints]


@dataclass(frozen=True, slots=True)
class Family:
    """Placements along one number: below `limit` the law holds, and it is asked for within `span` of it."""

    law: str
    unit: str
    case: str
    limit: float
    span: float
    holds: Callable[[float], bool]
    barrier_mm: Callable[[float], float] | None = None  # what stood against toppling at a number


def main() -> int:
    """A line for each law and engine: the worst early and late, and the case of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", default="bullet,rapier")
    parser.add_argument("--laws", default="ledge,pegs,slope,friction,nudge,groove")
    parser.add_argument("--each", action="store_true", help="a line for every family too")
    asked = parser.parse_args()
    for engine in asked.engines.split(","):
        for law in asked.laws.split(","):
            begun = time.perf_counter()
            rows = []
            for family in LAWS[law](engine):
                off = found(family)
                barrier = family.barrier_mm(family.limit - max(off, 0.0)) if family.barrier_mm else math.nan
                rows.append((off, family, barrier))
                if asked.each:
                    print(f"    {law}, {family.case}: {off:+.3f} {family.unit} early, barrier {barrier:.5f} mm")
            early, late = max(rows, key=lambda row: row[0]), min(rows, key=lambda row: row[0])
            lost = [row[2] for row in rows if row[0] > 0 and not math.isnan(row[2])]
            told = f"{engine} {law}: early {early[0]:.3f} {early[1].unit} ({early[1].case}), "
            told += f"late {-late[0]:.3f} {late[1].unit} ({late[1].case})"
            if lost:
                told += f"; the highest barrier it let go of {max(lost):.5f} mm"
            print(f"{told}; {len(rows)} families, {time.perf_counter() - begun:.0f} s", flush=True)
    return 0


def found(family: Family) -> float:
    """How much before the law's limit the engine lets go; negative: after."""
    low, high = family.limit - family.span, family.limit + family.span
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if family.holds(middle):
            low = middle
        else:
            high = middle
    return family.limit - (low + high) / 2


# --- terrain ----------------------------------------------------------------------------------------------------------


def field(half: float, pitch: float, height: Callable[[Floats, Floats], Floats] = lambda x, y: 0.0 * x) -> Mesh:
    """A square of triangles about the origin."""
    steps = max(1, round(2 * half / pitch))
    x, y = np.meshgrid(*[np.linspace(-half, half, steps + 1)] * 2, indexing="ij")
    corners = np.column_stack([x.ravel(), y.ravel(), height(x, y).ravel()])
    i, j = np.meshgrid(np.arange(steps), np.arange(steps), indexing="ij")
    a = (i * (steps + 1) + j).ravel()
    b, c, d = a + steps + 1, a + steps + 2, a + 1
    return corners, np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def turned(mesh: Mesh, deg: float) -> Mesh:
    """About z."""
    return Pose.at(0, 0, turn=deg).apply(mesh[0]), mesh[1]


def ledge(pitch: float, half: float) -> Mesh:
    """Flat where x < 0, with a cliff of 30 mm."""
    corners, faces = field(half, pitch)
    corners[:, 0] -= half
    rim = corners[corners[:, 0] > -1e-9]
    n, k, i = len(corners), len(rim), np.arange(len(rim) - 1)
    low = np.column_stack([n + i, n + k + i, n + k + i + 1])
    wall = np.vstack([low, np.column_stack([n + i, n + k + i + 1, n + i + 1])])
    return np.vstack([corners, rim, rim - (0, 0, 30)]), np.vstack([faces, wall])


def half_width(base: str) -> float:
    """The radius of a round base in mm, or half the shorter side of another."""
    return Mini(base).base.outline.width_mm / 2


# --- laws -------------------------------------------------------------------------------------------------------------


def _on_ledge(engine: str, d: float, base: str, h: float, pitch: float, azimuth: float, nudge: float | None) -> Settle:
    mini = Mini(base, height=max(40.0, h), com=h)
    x, y, _ = Pose.at(0, 0, turn=azimuth).apply([[-d, 3.3, 0.0]])[0]
    mesh = turned(ledge(pitch, mini.base.outline.reach_mm() * 1.5 + 10), azimuth)
    return settle(mesh, mini, Pose.at(x, y, turn=azimuth + 5), friction=1.25, engine=engine, nudge_deg=nudge)


def ledges(engine: str) -> Iterator[Family]:
    """Stands iff d > 0."""
    for base, h in BODIES:
        for pitch in PITCHES:
            for azimuth in AZIMUTHS:
                yield Family(
                    "ledge",
                    "mm",
                    f"base {base}, h {h:g}, {pitch:g} mm triangles, turned {azimuth:g}",
                    0.0,
                    0.64,
                    lambda x, a=(base, h, pitch, azimuth): _on_ledge(engine, -x, *a, None).stays,
                    lambda x, h=h: math.hypot(x, h) - h,
                )


def nudges(engine: str) -> Iterator[Family]:
    """A ledge's tip is atan(d/h): nudged by 5 degrees it stands iff that is more. In degrees of tip."""
    for base, h in BODIES:
        for pitch in PITCHES:

            def holds(x: float, a: tuple[str, float, float] = (base, h, pitch)) -> bool:
                seen = _on_ledge(engine, a[1] * math.tan(math.radians(-x)), *a, 17.3, 5.0)
                return seen.stays and bool(seen.nudged)

            yield Family("nudge", "deg", f"base {base}, h {h:g}, {pitch:g} mm triangles", -5.0, 1.28, holds)


def _on_slope(engine: str, deg: float, base: str, h: float, pitch: float, mu: float) -> Settle:
    azimuth = math.radians(17.3)
    lean = Pose.turned((-math.sin(azimuth), math.cos(azimuth), 0.0), deg)
    mini = Mini(base, height=max(40.0, h), com=h)
    corners, faces = field(mini.base.outline.reach_mm() + 12, pitch)
    pose = Pose(spin=(lean @ Pose.at(0, 0, turn=33)).spin)
    return settle((lean.apply(corners), faces), mini, pose, friction=mu, engine=engine, nudge_deg=None)


def slopes(engine: str) -> Iterator[Family]:
    """Topples iff tan a > r/h: the tip left there, in degrees."""
    for base, h in (("27", 14.0), ("27", 16.0), ("27", 20.0), ("27", 40.0), ("50", 30.0)):
        r = half_width(base)
        for pitch in PITCHES:
            yield Family(
                "slope",
                "deg",
                f"base {base}, h {h:g}, {pitch:g} mm triangles",
                math.degrees(math.atan(r / h)),
                2.56,
                lambda x, a=(base, h, pitch): _on_slope(engine, x, *a, 2.0).stays,
                lambda x, r=r, h=h: math.hypot(r, h) * (1 - math.cos(math.atan(r / h) - math.radians(x))),
            )


def frictions(engine: str) -> Iterator[Family]:
    """Slides iff tan a > mu: as a share of mu."""
    for base, mu in (("27", 0.3), ("27", 0.5), ("27", 0.8), ("27", 1.2), ("50n", 0.7)):
        for pitch in PITCHES:
            yield Family(
                "friction",
                "of mu",
                f"base {base}, mu {mu:g}, {pitch:g} mm triangles",
                1.0,
                0.064,
                lambda x, a=(base, 6.0, pitch, mu): _on_slope(engine, math.degrees(math.atan(x * a[3])), *a).stays,
            )


def pegs(engine: str) -> Iterator[Family]:
    """Three pegs on radius q, 0.1 mm wide: stands iff the centre of mass is within q/2 of the middle to a side."""
    tops = field(0.05, 0.1)
    for q in (5.0, 6.5, 8.0):  # the far peg must stay under the base
        for first in (0.3, 1.1):
            angles = [first + 2 * math.pi * k / 3 for k in range(3)]
            corners = np.vstack([tops[0] + (q * math.cos(a), q * math.sin(a), 0.0) for a in angles])
            faces = np.vstack([tops[1] + i * len(tops[0]) for i in range(3)])
            side = first + math.pi / 3

            def holds(x: float, mesh: Mesh = (corners, faces), side: float = side) -> bool:
                pose, mini = Pose.at(x * math.cos(side), x * math.sin(side), turn=3), Mini("27", height=40, com=14.0)
                return settle(mesh, mini, pose, friction=1.25, engine=engine, nudge_deg=None).stays

            yield Family("pegs", "mm", f"q {q:g}, first at {first:g}", q / 2, 0.64, holds)


def _rolling(engine: str, law: str, case: str, mesh: Mesh, most: float) -> Family:
    """Nudged by 5 degrees it stands iff statics' tip on this mesh is more, by the height of the centre of mass."""
    table = Table.of(Solid.of(*mesh))

    def told(h: float) -> tuple[Mini, Stand]:
        mini = Mini("27", height=max(40.0, h), com=h)
        return mini, stand(table, mini, at=(0, 0), physics="never")

    def holds(x: float) -> bool:
        low, high = 0.3 * most, most  # the higher, the sooner it tips
        for _ in range(14):
            middle = (low + high) / 2
            low, high = (middle, high) if (told(middle)[1].tip_deg or 0.0) > -x else (low, middle)
        mini, stands = told(low)
        assert stands.pose is not None
        seen = settle(mesh, mini, stands.pose, friction=1.25, engine=engine)
        return seen.stays and bool(seen.nudged)

    return Family(law, "deg", case, -5.0, 2.56, holds)


def grooves(engine: str) -> Iterator[Family]:
    """In a groove it rolls on its rim, as on a dome (but a meshed dome has facets to rest on). Degrees of tip."""
    for wall in (25.0, 35.0):
        tan = math.tan(math.radians(wall))
        mesh = turned(field(30.0, 4.0, lambda x, y, t=tan: np.abs(y) * t), 17.3)
        yield _rolling(engine, "groove", f"walls at {wall:g} degrees", mesh, 13.5 / tan)


LAWS: dict[str, Callable[[str], Iterator[Family]]] = {
    "ledge": ledges,
    "pegs": pegs,
    "slope": slopes,
    "friction": frictions,
    "nudge": nudges,
    "groove": grooves,
}

if __name__ == "__main__":
    sys.exit(main())
