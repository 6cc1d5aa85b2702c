"""What is to be shown, as frozen values made of the same values the rules use: a `Scene`, its `Moment`, the `Story`.

A scene holds the table and the verdicts themselves; a viewer asks them for meshes, forces and words and invents
nothing. Places are millimetres on the table, z up, times are seconds as a table's clock would show.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sim3d.atlas import Atlas
from sim3d.mini import Mini
from sim3d.space import Bools, Floats, Pose
from sim3d.stand import Stand
from sim3d.table import Table
from sim3d.view.picture import BAD, BASE, BONE, GOOD, INK, WARN, Colour, Shape

Point3 = tuple[float, float, float]

UNSURE: Colour = (0.45, 0.38, 0.66)  # nobody could call it
WORD_COLOURS = {"stable": GOOD, "legal": GOOD, "precarious": WARN, "undecided": UNSURE}  # every other word is a no
FORCE_MM = 40.0  # an arrow of this length is the whole weight
GROUND_MM = 0.4  # a mark on the ground is drawn this much over it, so that both are seen


def colour_of(word: str) -> Colour:
    """The colour of a mini by the word of its verdict, and of what is said of a move, the same everywhere."""
    return WORD_COLOURS.get(word, BAD)


@dataclass(frozen=True, slots=True)
class Force:
    """A contact: where, along which normal, which share of the weight as a vector, on which piece."""

    place: Point3
    normal: Point3
    share: Point3
    piece: str

    @property
    def tip(self) -> Point3:
        """Where its arrow ends: `FORCE_MM` is the whole weight."""
        (x, y, z), (a, b, c) = self.place, self.share
        return x + FORCE_MM * a, y + FORCE_MM * b, z + FORCE_MM * c


@dataclass(frozen=True, slots=True)
class Figure:
    """A mini at a pose, and what was found about it; `rests` False: it has no rest and hovers over its place."""

    name: str
    mini: Mini
    pose: Pose
    stand: Stand | None = None  # None: nobody asked about it in this moment
    rests: bool = True
    side: str = ""  # in a game, whose it is
    paint: Colour = BONE  # of its body, where no verdict colours it
    support: tuple[Point3, ...] = ()  # the hull of all that carries it, on the underside, counter-clockwise from above

    @property
    def word(self) -> str:
        """The verdict's word; "" where nobody asked."""
        return self.stand.answer if self.stand else ""

    @property
    def colour(self) -> Colour:
        """Of its body."""
        return colour_of(self.word) if self.word else self.paint

    @property
    def com(self) -> Point3:
        """Its centre of mass on the table."""
        return _point(self.pose.apply([self.mini.com])[0])

    @property
    def ground_point(self) -> Point3:
        """Straight below the centre of mass, on the plane of the underside: outside the support it goes over."""
        x, y, z = self.com
        ux, uy, uz = (float(v) for v in self.pose.rotation()[:, 2])
        px, py, pz = self.pose.place
        return x, y, (pz - (ux * (x - px) + uy * (y - py)) / uz) if uz > 1e-6 else z

    @property
    def forces(self) -> tuple[Force, ...]:
        """Its contacts with their loads."""
        found = self.stand.contacts if self.stand else ()
        return tuple(Force(c.place, c.normal, c.force, c.piece) for c in found)

    def shapes(self) -> tuple[Shape, Shape]:
        """Base and body in the mini's own frame: a viewer moves them by the pose."""
        vertices, faces = self.mini.base.mesh(chord_mm=0.05)
        body_v, body_f = self.mini.body.mesh or cylinder_of(self.mini)
        return Shape(vertices, faces, colour=BASE), Shape(body_v, body_f, colour=self.colour)


@dataclass(frozen=True, slots=True, eq=False)
class Area:
    """Flat polygons shown at a height, also through what is over them: what a base sweeps, a tool, a place in reach.

    `rings` are (n, 2) corners each, drawn together.
    """

    rings: tuple[Floats, ...]
    colour: Colour
    layer: str  # the switch it belongs to: "swept", "reach", "tool", ...
    about: str = ""
    height_mm: float = 0.0
    alpha: float = 0.35
    kind: str = ""  # what a legend says of its colour


@dataclass(frozen=True, slots=True)
class Line:
    """A way through space."""

    points: tuple[Point3, ...]
    colour: Colour
    layer: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """A few words at a place."""

    at: Point3
    text: str
    layer: str
    colour: Colour = INK


@dataclass(frozen=True, slots=True)
class HexCell:
    """A hex of a board: its outline (corners in order, mm), its height, what it is, its colour."""

    name: str
    corners: tuple[tuple[float, float], ...]
    height_mm: float | None  # None: no ground
    standable: bool
    keywords: tuple[str, ...]
    colour: Colour | None  # None: plain ground
    zones: tuple[str, ...] = ()  # the units that engage there
    walls: tuple[int, ...] = ()  # sides that are closed from here: from corner k - 1 to corner k

    @property
    def about(self) -> str:
        """What it is, in a line."""
        high = "no ground" if self.height_mm is None else f"{self.height_mm:.0f} mm"
        said = [high, *self.keywords, *([] if self.standable else ["no base stands here"])]
        return f"{self.name}: {', '.join(said)}" + (f"; zone of {', '.join(self.zones)}" if self.zones else "")


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """A layer of a standing map; `unreachable` marks the cells that nobody gets to on foot."""

    name: str
    atlas: Atlas
    layer: int
    outline: Floats  # of its base, (n, 2), not turned
    unreachable: Bools | None = None


@dataclass(frozen=True, slots=True)
class Marker:
    """Something that was found, and the places it was found at."""

    code: str
    severity: str
    message: str
    piece: str
    places: tuple[Point3, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything that is there at once; `table` holds terrain, ground and tokens, `figures` stand for its minis."""

    table: Table
    figures: tuple[Figure, ...] = ()
    areas: tuple[Area, ...] = ()
    lines: tuple[Line, ...] = ()
    words: tuple[Words, ...] = ()
    maps: tuple[Map, ...] = ()
    hexes: tuple[HexCell, ...] = ()
    markers: tuple[Marker, ...] = ()
    focus: str = ""  # the figure that it is about

    def figure(self, name: str) -> Figure:
        """By name; `KeyError` lists what there is."""
        for one in self.figures:
            if one.name == name:
                return one
        raise KeyError(f"no figure is called {name!r}; there are: {', '.join(f.name for f in self.figures) or 'none'}")


@dataclass(frozen=True, slots=True)
class Timed:
    """A pose at a time."""

    time_s: float
    pose: Pose


@dataclass(frozen=True, slots=True)
class Motion:
    """How a figure gets where it is in the scene: poses in the order of time."""

    figure: str
    track: tuple[Timed, ...]
    about: str = ""

    @property
    def time_s(self) -> float:
        """How long it takes."""
        return self.track[-1].time_s if self.track else 0.0

    def at(self, time_s: float) -> Pose:
        """Where it is at a time, between two poses of the track in proportion; before the first, and after the last."""
        times = [timed.time_s for timed in self.track]
        k = bisect_right(times, time_s)
        if k == 0 or k == len(times):
            return self.track[min(k, len(times) - 1)].pose
        a, b = self.track[k - 1], self.track[k]
        return between(a.pose, b.pose, (time_s - a.time_s) / (b.time_s - a.time_s))


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of one step: who, the answer in a word, what it is about, what happened, what did not hold."""

    number: int  # from 1; 0: before the first step
    who: str
    word: str
    ok: bool
    about: str
    lines: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Who and the answer, as a heading."""
        return f"{self.number}. {self.who}: {self.word}" if self.number else self.who

    def headline(self, wide: int = 0) -> str:
        """One line, the name as wide as the widest of its list."""
        return (
            f"{'ok' if self.ok else 'NO':2}  {self.number:3}  {self.who:{wide}}  {self.word:10}  {self.about}".rstrip()
        )


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """One step of a story: what is said of it, what is seen, what moves to get there."""

    told: Told
    scene: Scene
    motions: tuple[Motion, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Story:
    """A file told from its beginning: the first moment is the table as it is set up."""

    file: str
    about: str
    moments: tuple[Moment, ...]


def between(a: Pose, b: Pose, share: float) -> Pose:
    """A pose that is this share of the way from one to the other.

    >>> between(Pose.at(0, 0), Pose.at(10, 0), 0.25).place
    (2.5, 0.0, 0.0)
    """
    p, q = np.array(a.spin), np.array(b.spin)
    spin = (1 - share) * p + share * (q if float(p @ q) >= 0 else -q)
    w, x, y, z = (float(v) for v in spin / np.linalg.norm(spin))
    return Pose(_point((1 - share) * np.array(a.place) + share * np.array(b.place)), (w, x, y, z))


def cylinder_of(mini: Mini) -> tuple[Floats, np.ndarray[tuple[int, int], np.dtype[np.int64]]]:
    """The body of a mini without a mesh, in its own frame."""
    body, low = mini.body, mini.base.thickness_mm
    n = 48
    a = 2 * np.pi * np.arange(n) / n
    ring = np.column_stack([np.cos(a), np.sin(a)]) * body.diameter_mm / 2
    vertices = np.vstack(
        [
            np.column_stack([ring, np.full(n, low)]),
            np.column_stack([ring, np.full(n, body.height_mm)]),
            [[0, 0, low], [0, 0, body.height_mm]],
        ]
    )
    i = np.arange(n)
    j = (i + 1) % n
    faces = [[i, j, j + n], [i, j + n, i + n], [np.full(n, 2 * n + 1), i + n, j + n], [np.full(n, 2 * n), j, i]]
    return vertices, np.vstack([np.column_stack(f) for f in faces]).astype(np.int64)


def _point(values: Sequence[float] | Floats) -> Point3:
    x, y, z = (float(v) for v in values)
    return x, y, z
