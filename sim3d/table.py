"""The table: `Piece`s of terrain and placed minis as one frozen value; read from and written to TOML and JSON.

The origin is the middle of the table, x runs along its first size, z is up; nothing is guessed and nothing is moved.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from sim3d.finding import Finding, Hit, Refused, Severity, check
from sim3d.form import Field, Form, Written, form_bad_value, line_of, parse_form, read_form, to_json, to_toml
from sim3d.mini import MASS_G, Base, Mini, read_base
from sim3d.solid import Solid, read_solid
from sim3d.space import Floats, Pose

FOOT_MM = 304.8
BASE_FILES = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf", ".3mf")  # a base may be a mesh instead of a name
GRIP = math.sqrt(1.25)  # two gripping surfaces multiply to 1.25, so that a 45-degree rule is what binds, not friction

# Friction coefficients multiply, so each is the root of what a surface does against itself.
MATERIALS: Mapping[str, float] = MappingProxyType(
    {
        "grip": GRIP,  # the default of tables, terrain and minis
        "felt": 0.85,
        "foam": 0.90,  # EVA and XPS
        "mdf": 0.65,
        "resin": 0.62,
        "pla": 0.55,  # bare, printed
    }
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A named solid at a pose, explicitly scaled, with a material and terrain classes per kind of unit."""

    name: str
    solid: Solid
    pose: Pose = field(default_factory=Pose)
    scale: float = 1.0
    material: str = "grip"
    classes: Mapping[str, str] = field(default_factory=dict)
    source: MeshSource | None = None  # the file it came from, so that a table can be written again

    def vertices(self) -> Floats:
        """Its corners (n, 3) where they are on the table."""
        return self.pose.apply(self.solid.vertices * self.scale)

    @property
    def top_mm(self) -> float:
        """The height of its highest point."""
        return float(self.vertices()[:, 2].max())


@dataclass(frozen=True, slots=True)
class MeshSource:
    """Where a piece's mesh was read from, and what was declared about it."""

    path: Path
    unit: str | None = None
    up: Literal["y", "z"] | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A mini somewhere: its underside's middle at (x, y), its facing, and the cut height it is set down below."""

    name: str
    mini: Mini
    at: tuple[float, float]
    turn: float = 0.0
    level: float | None = None
    material: str = "grip"


@dataclass(frozen=True, slots=True)
class Token:
    """A flat round marker lying somewhere."""

    name: str
    at: tuple[float, float]
    diameter_mm: float = 25.0


@dataclass(frozen=True, slots=True)
class Table:
    """Terrain, minis and tokens, frozen; `size_mm` None has no edge, `floor_mm` None has no ground."""

    pieces: tuple[Piece, ...] = ()
    minis: tuple[Placed, ...] = ()
    tokens: tuple[Token, ...] = ()
    size_mm: tuple[float, float] | None = None
    floor_mm: float | None = 0.0
    floor_material: str = "grip"
    materials: Mapping[str, float] = field(default_factory=lambda: MATERIALS)
    about: str = ""

    @staticmethod
    def of(*solids: Solid) -> Table:
        """Solids in their own coordinates, no table edge, an endless floor at their lowest z."""
        pieces = tuple(Piece(f"{solid.name or 'piece'}{i or ''}", solid) for i, solid in enumerate(solids))
        lowest = min((float(s.vertices[:, 2].min()) for s in solids), default=0.0)
        return Table(pieces=pieces, floor_mm=lowest)

    def piece(self, name: str) -> Piece:
        """By name; `KeyError` lists what there is."""
        found: Piece = _named(self.pieces, name, "piece")
        return found

    def mini(self, name: str) -> Placed:
        """By name; `KeyError` lists what there is."""
        found: Placed = _named(self.minis, name, "mini")
        return found

    def moved(self, name: str, *, at: tuple[float, float], turn: float | None = None) -> Table:
        """The same table with one mini somewhere else."""
        old = self.mini(name)
        new = replace(old, at=(float(at[0]), float(at[1])), turn=old.turn if turn is None else float(turn))
        return replace(self, minis=tuple(new if m is old else m for m in self.minis))

    def without(self, name: str) -> Table:
        """The same table with one mini taken off."""
        gone = self.mini(name)
        return replace(self, minis=tuple(m for m in self.minis if m is not gone))

    def friction(self, one: str, other: str) -> float:
        """The coefficient between two materials: their product.

        >>> round(Table().friction("grip", "grip"), 9)
        1.25
        """
        return self.materials[one] * self.materials[other]


def _named(things: Iterable[Any], name: str, kind: str) -> Any:
    things = tuple(things)
    for thing in things:
        if thing.name == name:
            return thing
    raise KeyError(f"no {kind} is called {name!r}; there are: {', '.join(t.name for t in things) or 'none'}")


# --- what a file may say ----------------------------------------------------------------------------------------------

Length = Annotated[float, Field(gt=0, le=100_000)]
Coordinate = Annotated[float, Field(ge=-1_000_000, le=1_000_000)]
Turn = Annotated[float, Field(ge=-3600, le=3600)]
Name = Annotated[str, Field(min_length=1, max_length=100)]


class SizeForm(Form):
    """`[table]`: its size and its ground."""

    size: tuple[Length, Length] | Literal["6x3ft", "3x3ft", "6x4ft", "4x4ft"] | None = Field(
        default=None, description="mm along x and y, or a size in feet by name; without it the table has no edge"
    )
    floor: Coordinate | Literal["none"] = Field(default=0.0, description="height of the ground in mm, or none")
    material: Name = "grip"


class MaterialForm(Form):
    """`[material.NAME]`: a surface of your own."""

    friction: Annotated[float, Field(ge=0, le=10)] = Field(description="coefficients of two surfaces multiply")


class PieceForm(Form):
    """`[[piece]]`: a piece of terrain."""

    mesh: Annotated[str, Field(min_length=1)] = Field(description="path of the mesh, from this file's folder")
    name: Name | None = Field(default=None, description="without it the mesh's name, numbered")
    unit: Literal["mm", "cm", "m", "in", "inch", "ft", "micron"] | None = None
    up: Literal["y", "z"] | None = None
    at: tuple[Coordinate, Coordinate] | tuple[Coordinate, Coordinate, Coordinate] = (0.0, 0.0)
    on: Name | None = Field(default=None, description="stacked: seated at the highest point of the piece of this name")
    turn: Turn = Field(default=0.0, description="degrees, counter-clockwise from above")
    spin: tuple[float, float, float, float] | None = Field(default=None, description="quaternion w, x, y, z, not turn")
    scale: Annotated[float, Field(gt=0, le=1000)] = 1.0
    material: Name = "grip"
    classes: dict[str, str] = Field(default_factory=dict, alias="class", description="terrain class per kind of unit")


class MiniForm(Form):
    """`[[mini]]`: a miniature."""

    name: Name
    base: Name = Field(description="catalogue name: 27, 60x35, 50n, hex40, …")
    height: Length | None = Field(default=None, description="mm from the underside to the top")
    com: Length | tuple[Coordinate, Coordinate, Length] | None = Field(default=None, description="centre of mass, mm")
    mass_g: Annotated[float, Field(gt=0, le=100_000)] | None = None
    at: tuple[Coordinate, Coordinate]
    turn: Turn = 0.0
    level: Coordinate | None = Field(default=None, description="cut height: terrain above it carries nothing")
    material: Name = "grip"


class TokenForm(Form):
    """`[[token]]`: a flat round marker."""

    name: Name
    at: tuple[Coordinate, Coordinate]
    diameter: Length = 25.0


class TableForm(Form):
    """A table file."""

    about: str = ""
    table: SizeForm = Field(default_factory=SizeForm)
    material: dict[Name, MaterialForm] = Field(default_factory=dict)
    piece: tuple[PieceForm, ...] = ()
    mini: tuple[MiniForm, ...] = ()
    token: tuple[TokenForm, ...] = ()


@check("TABLE_NAME_TWICE", Severity.ERROR, "{name!r} names two things")
def table_name_twice(name: str) -> Iterable[Hit]:
    """Two pieces, minis or tokens of a table have one name.

    Why: a step that names it could mean either. Example: two minis called "scout". Do: rename one.
    """
    yield Hit(name=name)


@check("TABLE_UNKNOWN_NAME", Severity.ERROR, "{what} {name!r} is not known; there are: {known}")
def table_unknown_name(what: str, name: str, known: str) -> Iterable[Hit]:
    """A table file names a piece or a material that it does not have.

    Why: nothing is guessed. Example: `on = "towr"`. Do: correct the name, or add the thing it names; a piece that is
    stacked comes after the one it stands on.
    """
    yield Hit(what=what, name=name, known=known)


def read_table(path: str | Path) -> Table:
    """A table file (TOML or JSON) as a table; `Refused` with every fault of the file and of its meshes at once."""
    return table_of(read_form(path, TableForm), folder=Path(path).parent)


def parse_table(text: str, *, folder: str | Path = ".", name: str = "", json_text: bool = False) -> Table:
    """Text of a table file as a table; mesh paths are taken from `folder`."""
    return table_of(parse_form(text, TableForm, name=name, json_text=json_text), folder=Path(folder))


def table_of(written: Written[Any], *, folder: Path) -> Table:
    """The table that a written form describes; every fault at once."""
    form: TableForm = written.form
    faults: list[Finding] = []
    materials = {**MATERIALS, **{name: m.friction for name, m in form.material.items()}}

    def material(name: str, pointer: str) -> str:
        if name not in materials:
            faults.append(
                written.fault(table_unknown_name, pointer, what="material", name=name, known=", ".join(materials))
            )
        return name

    pieces = _pieces(written, folder, faults, material)
    minis = []
    for i, m in enumerate(form.mini):
        pointer = f"/mini/{i}"
        material(m.material, f"{pointer}/material")
        try:
            mini = Mini(_base(m.base, folder), height=m.height, com=m.com, mass_g=m.mass_g or MASS_G)
        except Refused as refused:
            faults += _at(written, f"{pointer}/base", m.base, refused)
            continue
        except ValueError as error:
            faults.append(written.fault(form_bad_value, pointer, key=f"mini.{i}", reason=str(error)))
            continue
        minis.append(Placed(m.name, mini, m.at, m.turn, m.level, m.material))
    tokens = tuple(Token(t.name, t.at, t.diameter) for t in form.token)
    for kind, names in (
        ("piece", [p.name for p in pieces]),
        ("mini", [m.name for m in form.mini]),
        ("token", [t.name for t in form.token]),
    ):
        for i, name in enumerate(names):
            if name in names[:i]:
                faults.append(written.fault(table_name_twice, f"/{kind}/{i}", name=name))
    material(form.table.material, "/table/material")
    if faults:
        raise Refused(*faults)
    size = form.table.size
    if isinstance(size, str):
        width, depth = size.removesuffix("ft").split("x")
        size = (float(width) * FOOT_MM, float(depth) * FOOT_MM)
    return Table(
        pieces=tuple(pieces),
        minis=tuple(minis),
        tokens=tokens,
        size_mm=size,
        floor_mm=None if form.table.floor == "none" else form.table.floor,
        floor_material=form.table.material,
        materials=MappingProxyType(materials),
        about=form.about,
    )


def _base(name: str, folder: Path) -> Base:
    """A catalogue base, or one read from a mesh file beside the table."""
    if Path(name).suffix.lower() in BASE_FILES:
        return replace(read_base(folder / name).base, name=name)
    return Base.named(name)


def _at(written: Written[Any], pointer: str, named: str, refused: Refused) -> list[Finding]:
    """The faults of a file that the table names, told at the place that names it."""
    line = line_of(pointer, written.lines)
    return [
        replace(f, file=written.name, pointer=pointer, line=line, message=f"{named}: {f.message}")
        for f in refused.report
    ]


def _pieces(written: Written[Any], folder: Path, faults: list[Finding], material: Any) -> list[Piece]:
    form: TableForm = written.form
    read: dict[MeshSource, Solid | None] = {}
    pieces: list[Piece] = []
    for i, p in enumerate(form.piece):
        pointer = f"/piece/{i}"
        material(p.material, f"{pointer}/material")
        source = MeshSource(folder / p.mesh, p.unit, p.up)
        if source not in read:
            try:
                read[source] = read_solid(source.path, unit=p.unit, up=p.up)
            except Refused as refused:
                read[source] = None
                faults += _at(written, f"{pointer}/mesh", p.mesh, refused)
        solid = read[source]
        x, y, *rest = p.at
        z = rest[0] if rest else 0.0
        if p.on is not None:
            under = next((q for q in pieces if q.name == p.on), None)
            if under is None:
                known = ", ".join(q.name for q in pieces) or "none before it"
                faults.append(written.fault(table_unknown_name, f"{pointer}/on", what="piece", name=p.on, known=known))
            else:
                z += under.top_mm
        if solid is None:
            continue
        pose = Pose.at(x, y, z, turn=p.turn)
        if p.spin is not None:
            size = math.sqrt(sum(s * s for s in p.spin))
            if abs(size - 1) > 1e-6:
                reason = f"a quaternion has length 1, this one {size:g}"
                faults.append(written.fault(form_bad_value, f"{pointer}/spin", key="spin", reason=reason))
                continue
            w, a, b, c = (s / size for s in p.spin)
            pose = Pose((x, y, z), (w, a, b, c))
        name = p.name or _numbered(Path(p.mesh).stem, [q.name for q in pieces])
        pieces.append(Piece(name, solid, pose, p.scale, p.material, MappingProxyType(p.classes), source))
    return pieces


def _numbered(name: str, taken: list[str]) -> str:
    return next(n for n in (name, *(f"{name}-{k}" for k in range(2, len(taken) + 3))) if n not in taken)


# --- writing ----------------------------------------------------------------------------------------------------------


def write_table(table: Table, path: str | Path) -> None:
    """To TOML or JSON by the name's ending; reads back as the same table."""
    path = Path(path)
    data = table_data(table, folder=path.parent)
    path.write_text(to_json(data) if path.suffix.lower() == ".json" else to_toml(data), encoding="utf-8")


def table_data(table: Table, *, folder: Path) -> dict[str, Any]:
    """The table as plain data, as it stands in a file in `folder`; a piece without a file is a `ValueError`."""
    edge: dict[str, Any] = {}
    if table.size_mm is not None:
        edge["size"] = list(table.size_mm)
    edge["floor"] = "none" if table.floor_mm is None else table.floor_mm
    edge["material"] = table.floor_material
    own = {name: {"friction": f} for name, f in table.materials.items() if MATERIALS.get(name) != f}
    data: dict[str, Any] = _lean(
        {
            "about": table.about,
            "table": edge,
            "material": own,
            "piece": [_piece_data(p, folder) for p in table.pieces],
            "mini": [
                {
                    "name": m.name,
                    "base": m.mini.base.name,
                    "height": m.mini.height_mm,
                    "com": m.mini.com[2] if m.mini.com[:2] == (0.0, 0.0) else list(m.mini.com),
                    "mass_g": m.mini.mass_g,
                    "at": list(m.at),
                    "turn": m.turn,
                    "level": m.level,
                    "material": m.material,
                }
                for m in table.minis
            ],
            "token": [{"name": t.name, "at": list(t.at), "diameter": t.diameter_mm} for t in table.tokens],
        }
    )
    return data


def _piece_data(piece: Piece, folder: Path) -> dict[str, Any]:
    if piece.source is None:
        raise ValueError(f"piece {piece.name!r} was not read from a file; write its mesh and read it, then the table")
    w, x, y, z = piece.pose.spin
    upright = x == 0 and y == 0
    return {
        "name": piece.name,
        "mesh": Path(os.path.relpath(piece.source.path, folder)).as_posix(),
        "unit": piece.source.unit,
        "up": piece.source.up,
        "at": list(piece.pose.place),
        "turn": math.degrees(2 * math.atan2(z, w)) if upright and z else None,
        "spin": None if upright else [w, x, y, z],
        "scale": piece.scale if piece.scale != 1 else None,
        "material": piece.material,
        "class": dict(piece.classes),
    }


def _lean(value: Any) -> Any:
    """Without what is empty or None: a file says only what it has to."""
    if isinstance(value, dict):
        return {k: _lean(v) for k, v in value.items() if v is not None and v not in ("", {}, [])}
    if isinstance(value, list):
        return [_lean(v) for v in value]
    return value
