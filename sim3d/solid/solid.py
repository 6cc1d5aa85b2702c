"""`Solid`: a mesh proven sound, in millimetres, z up; what is a `Solid` nobody downstairs asks about again.

Its surface is ready at once. What costs more (parts, volume) is computed when first asked for and then remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, cast

import numpy as np

from sim3d.asked import checked_pose
from sim3d.finding import Hit, Refused, Report, Severity, check
from sim3d.solid.insides import Insides, insides_of
from sim3d.solid.proof import Proven, distrust, prove
from sim3d.solid.soup import MM_PER, UPS, Soup
from sim3d.solid.survey import Edges, cross_of, edges_of, parts_by_corner
from sim3d.solid.volume import Body, body_of, outward
from sim3d.space import Bools, Floats, Ints, Pose

T = TypeVar("T")
EXACT_DIGITS = 6  # of facts in mm: a nanometre, so that a float's noise is not shown


@dataclass(frozen=True, slots=True)
class Source:
    """Where a solid came from: format, unit and axis it was read in, what the file declared, what was left out."""

    format: str = "arrays"
    unit: str = "mm"
    up: str = "z"
    title: str = ""  # what the file calls itself
    declared: int | None = None  # triangles or polygons, as the file says
    left_out: tuple[tuple[str, int], ...] = ()  # why, and how many
    degenerate: int = 0
    duplicate: int = 0


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Solid:
    """A proven surface: corners (n, 3) mm, triangles (m, 3), both read-only; made by `read_solid` or `Solid.of`.

    >>> tent = Solid.of([(0, 0, 0), (9, 0, 0), (0, 9, 0), (0, 0, 9)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)])
    >>> tent.closed, tent.parts, tent.volume_mm3
    (True, 1, 121.5)
    >>> tent.moved(Pose.at(1, 0)).extents_mm
    (9.0, 9.0, 9.0)
    >>> tent
    Solid(name='', 4 corners, 4 triangles, 9 x 9 x 9 mm)
    """

    vertices: Floats
    faces: Ints
    name: str = ""
    source: Source = field(default_factory=Source)
    findings: Report = field(default_factory=Report)
    slivers: Ints = field(default_factory=lambda: np.empty((0, 3), np.int64))  # no area: they only close it
    _edges: Edges | None = None
    _known: dict[str, Any] = field(default_factory=dict)  # facts already computed; never changes an answer

    def __post_init__(self) -> None:
        for array in (self.vertices, self.faces, self.slivers):
            array.flags.writeable = False

    def __repr__(self) -> str:  # a table of a hundred pieces is printed in a console, too
        size = " x ".join(f"{side:.4g}" for side in self.extents_mm)
        return f"Solid(name={self.name!r}, {len(self.vertices):,} corners, {len(self.faces):,} triangles, {size} mm)"

    def __reduce__(self) -> tuple[Any, ...]:  # so that a copy in a worker process is read-only too
        return Solid, (self.vertices, self.faces, self.name, self.source, self.findings, self.slivers)

    @staticmethod
    def of(
        vertices: Floats | Sequence[Sequence[float]],
        faces: Ints | Sequence[Sequence[int]],
        *,
        name: str = "",
        file: str = "",
    ) -> Solid:
        """From corners in mm and triangles, through the same proof as a file; `Refused` with every fault."""
        corners = np.array(vertices, dtype=np.float64).reshape(-1, 3)
        triangles = _whole(faces).reshape(-1, 3)
        return proven_solid(Soup(corners, triangles, "arrays", declared=len(triangles)), name=name, file=file)

    def moved(self, pose: Pose) -> Solid:
        """The same solid at a pose."""
        checked_pose(pose.place, pose.spin)
        return replace(self, vertices=pose.apply(self.vertices), _known={})

    def scaled(self, factor: float) -> Solid:
        """The same solid, larger or smaller by a positive factor about the origin; nothing is judged again."""
        if not 0 < factor < float("inf"):
            raise ValueError(f"a scale is a positive number, got {factor}")
        return replace(self, vertices=self.vertices * factor, _known={})

    # --- cheap facts -------------------------------------------------------------------------------------------------

    @property
    def bounds(self) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """The lowest and the highest corner of its box, mm."""
        return self._once("bounds", lambda: (_point(self.vertices.min(axis=0)), _point(self.vertices.max(axis=0))))

    @property
    def extents_mm(self) -> tuple[float, float, float]:
        """The sides of its box."""
        low, high = self.bounds
        return (high[0] - low[0], high[1] - low[1], high[2] - low[2])

    @property
    def edges(self) -> Edges:
        """Every edge of the surface (and of the slivers that close it)."""
        return self._edges or self._once("edges", lambda: edges_of(self._all_faces(), len(self.vertices)))

    @property
    def closed(self) -> bool:
        """No border anywhere: it has an inside."""
        return self._once("closed", lambda: self.edges.closed)

    @property
    def wound(self) -> bool:
        """Neighbouring triangles agree which side is outside."""
        return self._once("wound", lambda: not len(self.edges.miswound))

    @property
    def open_edges(self) -> int:
        """Edges that one triangle uses."""
        return len(self.edges.open)

    @property
    def nonmanifold_edges(self) -> int:
        """Edges that more than two triangles use."""
        return len(self.edges.crowded)

    @property
    def open_length_mm(self) -> float:
        """The length of its border."""
        ends = self.vertices[self.edges.ends[self.edges.open]]
        return float(np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).sum())

    @property
    def area_mm2(self) -> float:
        """The area of its surface, both sides of a thin wall counted."""
        return self._once("area", lambda: float(np.linalg.norm(cross_of(self.vertices, self.faces), axis=1).sum() / 2))

    @property
    def parts(self) -> int:
        """Loose parts: groups of triangles that share no corner with one another."""
        return self._once("parts", lambda: parts_by_corner(self._all_faces(), len(self.vertices))[0])

    @property
    def insides(self) -> Ints:
        """Of each triangle the shell whose inside it bounds; -1 where there is none."""
        return self._insides.shell

    @property
    def sided(self) -> Bools:
        """Of each triangle whether the side that is outside is known: its part has an inside and is wound alike."""
        return self._insides.sided

    @property
    def _insides(self) -> Insides:
        def told() -> Insides:
            seen, many = insides_of(self.vertices, self._all_faces(), self.edges), len(self.faces)
            return Insides(seen.shell[:many], seen.sided[:many])

        return self._once("insides", told)

    @property
    def outward(self) -> Ints:
        """Its triangles with those of closed parts that are inside out turned round, so that they look outwards."""
        return self._once("outward", self._turned_outward)

    def _turned_outward(self) -> Ints:
        turned = self._turns < 0
        return np.where(turned[:, None], self.faces[:, ::-1], self.faces) if turned.any() else self.faces

    @property
    def bounds_a_part(self) -> Bools:
        """Of each triangle whether it belongs to a part that is closed, and wound alike: such wraps what is in it."""
        return np.not_equal(self._turns, 0)

    @property
    def _turns(self) -> Ints:
        """Of each triangle 1, -1 where it is to be turned to look outwards, 0 where nothing has a side."""

        def told() -> Ints:
            body = self._known.get("body")
            if body is not None and not body.unknown and not body.inside_out:
                return np.ones(len(self.faces), np.int64)  # it is known already
            return outward(self.vertices, self._all_faces(), self.edges)[0][: len(self.faces)]

        return self._once("turns", told)

    # --- facts that need its inside ----------------------------------------------------------------------------------

    @property
    def body(self) -> Body:
        """Volume and centre by union of its closed parts, or why they are unknown; seconds for a large mesh."""
        return self._once("body", lambda: body_of(self.vertices, self._all_faces(), self.edges))

    @property
    def volume_mm3(self) -> float | None:
        """The true volume, overlaps counted once and cavities not; None where `body.unknown` says why."""
        return self.body.volume_mm3

    @property
    def centre_of_mass(self) -> tuple[float, float, float] | None:
        """Of the same material throughout, mm; None where `body.unknown` says why."""
        return self.body.centre_of_mass

    @property
    def overlapping(self) -> bool | None:
        """Whether closed parts share space; None where it cannot be told."""
        return self.body.overlapping

    def inspected(self) -> Report:
        """Its findings, and those that need its inside: inside out, overlaps, an unknown volume."""
        return self.findings + Report(tuple(f for c in INSIDE for f in c(self, file=self._file())))

    def facts(self) -> dict[str, Any]:
        """Everything known about it, as plain data."""
        body = self.body
        return {
            "format": self.source.format,
            "unit": self.source.unit,
            "up": self.source.up,
            "title": self.source.title,
            "declared": self.source.declared,
            "triangles": len(self.faces),
            "vertices": len(self.vertices),
            "extents_mm": [round(v, EXACT_DIGITS) for v in self.extents_mm],
            "bounds": [[round(v, EXACT_DIGITS) for v in corner] for corner in self.bounds],
            "closed": self.closed,
            "wound": self.wound,
            "inside_out": body.inside_out > 0 if not body.unknown else None,
            "parts": self.parts,
            "overlapping": body.overlapping,
            "cavities": body.cavities if not body.unknown else None,
            "open_edges": self.open_edges,
            "open_length_mm": round(self.open_length_mm, EXACT_DIGITS),
            "nonmanifold_edges": self.nonmanifold_edges,
            "degenerate": self.source.degenerate,
            "duplicate": self.source.duplicate,
            "left_out": dict(self.source.left_out),
            "area_mm2": round(self.area_mm2, EXACT_DIGITS),
            "volume_mm3": None if body.volume_mm3 is None else round(body.volume_mm3, EXACT_DIGITS),
            "centre_of_mass": None
            if body.centre_of_mass is None
            else [round(v, EXACT_DIGITS) for v in body.centre_of_mass],
            "volume_unknown": body.unknown,
        }

    def _all_faces(self) -> Ints:
        return np.concatenate([self.faces, self.slivers]) if len(self.slivers) else self.faces

    def _once(self, fact: str, compute: Callable[[], T]) -> T:
        if fact not in self._known:
            self._known[fact] = compute()
        return cast(T, self._known[fact])

    def _file(self) -> str:
        return next((f.file for f in self.findings), "")


def _whole(faces: Any) -> Ints:
    """Corner numbers as they were given; one that is no whole number is nobody's corner."""
    given = np.array(faces)
    if given.size and not np.issubdtype(given.dtype, np.integer):
        numbers = np.array(faces, dtype=np.float64)
        if not np.array_equal(numbers, np.floor(numbers)):  # nor is what is no number
            raise ValueError("faces are whole numbers, three for each triangle: the places of its corners in vertices")
    return np.array(faces, dtype=np.int64)


def _point(row: Floats) -> tuple[float, float, float]:
    return float(row[0]), float(row[1]), float(row[2])


def proven_solid(
    soup: Soup, *, name: str = "", unit: str | None = None, up: str | None = None, file: str = ""
) -> Solid:
    """A parser's triangles as a `Solid` in mm, or `Refused` with every fault of the file and of its mesh."""
    if unit is not None and unit not in MM_PER:
        raise ValueError(f"{unit!r} is not a unit; use {', '.join(MM_PER)}")
    if up is not None and up not in UPS:
        raise ValueError(f"{up!r} is not an axis that can be up; use {' or '.join(UPS)}")
    told = tuple(replace(f, file=file) for f in soup.findings)
    with np.errstate(over="ignore", invalid="ignore"):  # broken numbers are looked for, not computed with
        corners = soup.in_mm(unit=unit, up=up)
        faults = Report(told) + distrust(corners, soup.faces, single=soup.single, file=file)
    if not faults.ok:
        raise Refused(*faults)
    proven = prove(corners, soup.faces, left_out=soup.left_out, file=file)
    findings = Report(told + proven.findings)
    if not findings.ok:
        raise Refused(*findings)
    return _as_solid(proven, soup, name, unit or soup.unit, up or soup.up, findings)


def _as_solid(proven: Proven, soup: Soup, name: str, unit: str, up: str, findings: Report) -> Solid:
    source = Source(
        format=soup.kind,
        unit=unit,
        up=up,
        title=soup.name,
        declared=soup.declared,
        left_out=tuple(proven.left_out.items()),
        degenerate=proven.degenerate,
        duplicate=proven.duplicate,
    )
    return Solid(proven.vertices, proven.faces, name, source, findings, proven.slivers, proven.edges)


@check(
    "MESH_INSIDE_OUT",
    Severity.WARNING,
    "{count} closed [part is|parts are] turned inside out; counted in the volume as if [it was|they were] not",
)
def inside_out(solid: Solid) -> list[Hit]:
    """A closed part whose triangles look inwards, and which is no cavity in another part.

    Why: one-sided engines let things fall into it, and slicers may print nothing. Example: a mirrored part.
    Do: recalculate the normals outside in the program it came from.
    """
    return [Hit(count=solid.body.inside_out)] if solid.body.inside_out else []


@check("MESH_OVERLAP", Severity.INFO, "closed parts share space; volume and centre of mass are those of their union")
def overlap(solid: Solid) -> list[Hit]:
    """Closed parts of the mesh reach into one another, or one part into itself.

    Why: adding up their volumes would count the shared space twice; here it is counted once.
    Example: a rock half sunk into a slab. Do: nothing, or unite the parts.
    """
    return [Hit()] if solid.body.overlapping else []


@check("MESH_VOLUME_UNKNOWN", Severity.INFO, "no volume or centre of mass: {reason}")
def volume_unknown(solid: Solid) -> list[Hit]:
    """The mesh does not say what is inside it.

    Why: without an inside there is no mass; its surface can be stood upon all the same.
    Example: a hill without a bottom. Do: nothing for terrain; give a mini its mass and centre yourself, or close
    its mesh.
    """
    return [Hit(reason=solid.body.unknown)] if solid.body.unknown else []


INSIDE = (inside_out, overlap, volume_unknown)
