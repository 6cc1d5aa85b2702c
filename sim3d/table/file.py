"""What a table file may say, and the table that it describes; every fault of the file and its meshes at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

from sim3d.finding import Finding, Hit, Refused, Severity, check, plain
from sim3d.form import Field, Form, Written, form_bad_value, line_of, listed, parse_form, read_form
from sim3d.mini import MASS_G, Base, Body, MeshSource, Mini, Unsound, read_base
from sim3d.solid import Solid, read_solid
from sim3d.solid.guard import missing
from sim3d.solid.soup import MM_PER
from sim3d.space import Pose
from sim3d.table.table import MATERIALS, Piece, Placed, Table, Token, known, numbered, repeated

FOOT_MM = 304.8
BASE_FILES = (".stl", ".obj", ".ply", ".off", ".glb", ".gltf", ".3mf")  # a base may be a mesh instead of a name
UNIT_LENGTH = 1e-6  # how far from 1 the length of a quaternion may be: six digits, as people copy them
EXACT_LENGTH = 1e-15  # nearer than this it is 1, and the numbers stay as they are written

LONGEST_MM = 100_000  # of anything on a table
Length = Annotated[float, Field(gt=0, le=LONGEST_MM)]
Coordinate = Annotated[float, Field(ge=-1_000_000, le=1_000_000)]
Turn = Annotated[float, Field(ge=-3600, le=3600)]
Name = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\t\n\r]*$")]  # on one line
LONGEST_PATH = 4096  # letters: no system takes more
BaseName = Annotated[str, Field(min_length=1, max_length=LONGEST_PATH, pattern=r"^[^\t\n\r]*$")]  # or a mesh's path
if TYPE_CHECKING:
    Unit = str
else:
    Unit = Literal[tuple(MM_PER)]  # one list of units for files and for everything else


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
    unit: Unit | None = None
    up: Literal["y", "z"] | None = None
    at: tuple[Coordinate, Coordinate] | tuple[Coordinate, Coordinate, Coordinate] = (0.0, 0.0)
    on: Name | None = Field(
        default=None,
        description="stacked: its lowest point is as high as the highest point of the piece of this name, plus at's z",
    )
    turn: Turn = Field(default=0.0, description="degrees, counter-clockwise from above")
    spin: tuple[float, float, float, float] | None = Field(default=None, description="quaternion w, x, y, z, not turn")
    scale: Annotated[float, Field(gt=0, le=1000)] = 1.0
    material: Name = "grip"
    classes: dict[str, str] = Field(default_factory=dict, alias="class", description="terrain class per kind of unit")


class BodyForm(Form):
    """`body = { … }`: the upright cylinder that stands for the figure."""

    diameter: Length
    height: Length = Field(description="mm from the underside of the base to the top")


class MiniForm(Form):
    """`[[mini]]`: a miniature."""

    name: Name
    base: BaseName = Field(
        description="catalogue name (27, 60x35, 50n, hex40, …), a shape (round33, ellipse90x52-front, stadium100x50, "
        "rect50x25-thick6, …), or the path of a mesh from this file's folder"
    )
    base_unit: Unit | None = Field(default=None, description="what the numbers of a base's mesh mean; without it mm")
    base_up: Literal["y", "z"] | None = Field(default=None, description="the axis of a base's mesh that points up")
    height: Length | None = Field(default=None, description="mm from the underside to the top")
    body: BodyForm | None = Field(default=None, description="instead of height; else three quarters of the base wide")
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
    kind: str = Field(
        default="", max_length=100, description="what it is, in the words of the game: objective, condition, order, …"
    )


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

    def material(name: str, pointer: str) -> None:
        if name not in materials:
            told = {"what": "material", "name": name, "known": known(materials)}
            faults.append(written.fault(table_unknown_name, pointer, **told))

    pieces = _pieces(written, folder, faults, material)
    minis = _minis(written, folder, faults, material)
    tokens = tuple(Token(t.name, t.at, t.diameter, t.kind) for t in form.token)
    for kind, names in (
        ("piece", [p.name or "" for p in form.piece]),
        ("mini", [m.name for m in form.mini]),
        ("token", [t.name for t in form.token]),
    ):
        for i in repeated(names):
            if names[i]:
                faults.append(written.fault(table_name_twice, f"/{kind}/{i}/name", name=names[i]))
    material(form.table.material, "/table/material")
    if faults:
        raise Refused(*listed(faults))
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


def _at(written: Written[Any], pointer: str, named: str, refused: Refused) -> list[Finding]:
    """The faults of a file that the table names, told at the place that names it."""
    line = line_of(pointer, written.lines)

    def place(f: Finding) -> str:
        return named if f.line is None else f"{named}:{f.line}"

    crossed = f"; folders are parted by /: {named.replace(chr(92), '/')!r}" if "\\" in named else ""
    return [
        replace(
            f, file=written.name, pointer=pointer, line=line,
            message=f"{place(f)}: {f.message}{crossed if f.code == missing.code else ''}",
        )
        for f in refused.report
    ]  # fmt: skip


def _minis(
    written: Written[Any], folder: Path, faults: list[Finding], material: Callable[[str, str], None]
) -> list[Placed]:
    form: TableForm = written.form
    bases: dict[tuple[str, str | None, str | None], Base | None] = {}
    placed = []
    for i, m in enumerate(form.mini):
        pointer = f"/mini/{i}"
        material(m.material, f"{pointer}/material")
        called = (m.base, m.base_unit, m.base_up)
        if called not in bases:
            bases[called] = None
            try:
                bases[called] = base_called(m.base, unit=m.base_unit, up=m.base_up, folder=folder)
            except Refused as refused:
                faults += _at(written, f"{pointer}/base", m.base, refused)
            except ValueError as error:
                told = {"key": f"mini.{i}.base", "reason": str(error)}
                faults.append(written.fault(form_bad_value, f"{pointer}/base", **told))
        base = bases[called]
        if base is None:
            continue
        body = None if m.body is None else Body(m.body.diameter, m.body.height)
        try:
            mini = Mini(base, height=m.height, com=m.com, mass_g=m.mass_g or MASS_G, body=body)
        except Unsound as error:
            for key, reason in error.wrong:
                told = {"key": f"mini.{i}.{key}", "reason": reason}
                faults.append(written.fault(form_bad_value, f"{pointer}/{key}", **told))
            continue
        placed.append(Placed(m.name, mini, m.at, m.turn, m.level, m.material))
    return placed


def base_called(name: str, *, unit: str | None = None, up: str | None = None, folder: Path | None = None) -> Base:
    """A base by its catalogue name, or from a mesh file: from a folder under its own name, else under what it is called
    here; `ValueError` where a unit or an axis is said of one that is no mesh."""
    if Path(name).suffix.lower() in BASE_FILES:
        if folder is not None:
            return read_base(folder / name, unit=unit, up=up).base
        return replace(read_base(name, unit=unit, up=up).base, name=plain(name))
    if unit or up:
        raise ValueError(f"a unit or an axis is said of a base's mesh, and {name!r} is a base by its name")
    return Base.named(name)


def bases_called(names: Sequence[str], *, unit: str | None = None, up: str | None = None) -> tuple[Base, ...]:
    """Bases by their names, each once; a unit and an axis are of those that are meshes, and refused where none is."""
    meshes = [name for name in names if Path(name).suffix.lower() in BASE_FILES]
    said = {name: (unit, up) if name in meshes or not meshes else (None, None) for name in names}
    return tuple(dict.fromkeys(base_called(name, unit=unit, up=up) for name, (unit, up) in said.items()))


def _pieces(
    written: Written[Any], folder: Path, faults: list[Finding], material: Callable[[str, str], None]
) -> list[Piece]:
    form: TableForm = written.form
    read: dict[MeshSource, Solid | None] = {}
    given = [p.name for p in form.piece if p.name]
    others = iter(numbered([plain(Path(p.mesh).stem) or "piece" for p in form.piece if not p.name], given))
    names = [p.name or next(others) for p in form.piece]
    tops: dict[str, float] = {}  # how high each piece so far reaches
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
        spin = _spin(written, i, p, faults)
        if p.on is not None and p.on not in tops:
            there = known(tops) if tops else "none before it"
            faults.append(written.fault(table_unknown_name, f"{pointer}/on", what="piece", name=p.on, known=there))
        solid = read[source]
        if solid is None or spin is None:
            tops.setdefault(names[i], 0.0)  # it is there, and told to be broken already
            continue
        low, high = _heights(solid, spin, p.scale)
        x, y, *rest = p.at
        z = rest[0] if rest else 0.0
        if p.on in tops:
            z += tops[p.on] - low
        pose = Pose((x, y, z), spin)
        tops.setdefault(names[i], z + high)
        pieces.append(Piece(names[i], solid, pose, p.scale, p.material, MappingProxyType(p.classes), source))
    return pieces


Spin = tuple[float, float, float, float]


def _spin(written: Written[Any], i: int, p: PieceForm, faults: list[Finding]) -> Spin | None:
    """How a piece is turned, about z or in any way; None where that is wrong."""
    if p.spin is None:
        return Pose.at(0, 0, turn=p.turn).spin
    wrong = []
    size = math.sqrt(sum(s * s for s in p.spin))
    if abs(size - 1) > UNIT_LENGTH:
        wrong.append(f"a quaternion has length 1, this one {size:g}")
    if "turn" in p.model_fields_set:
        wrong.append("give turn or spin, not both")
    for reason in wrong:
        faults.append(written.fault(form_bad_value, f"/piece/{i}/spin", key=f"piece.{i}.spin", reason=reason))
    if abs(size - 1) <= EXACT_LENGTH or wrong:
        return None if wrong else p.spin
    w, x, y, z = (s / size for s in p.spin)
    return w, x, y, z


def _heights(solid: Solid, spin: Spin, scale: float) -> tuple[float, float]:
    """How low and how high a solid reaches, turned and scaled about its origin."""
    if spin[1] == 0 and spin[2] == 0:
        low, high = solid.bounds
        return low[2] * scale, high[2] * scale
    z = Pose(spin=spin).apply(solid.vertices * scale)[:, 2]
    return float(z.min()), float(z.max())
