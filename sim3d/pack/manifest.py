"""`pack.toml`: what a pack says of itself and its pieces; strict, with the line of every fault."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Literal

from sim3d.finding import CODES, Finding, Hit, Refused, Severity, check
from sim3d.form import Field, Form, Written, listed, read_form
from sim3d.form.where import pointer_of
from sim3d.mini import CATALOGUE, Base, Mini, Unsound
from sim3d.pack.folder import MOST_MESHES
from sim3d.rules.hexes.ruleset import SEED_TERRAIN
from sim3d.rules.legion.terrain import CLASSES, NO_END
from sim3d.table import CLASS_KINDS, MATERIALS, ON_HEXES, Coordinate, Length, Name
from sim3d.table.file import Unit
from sim3d.table.table import known

CLIMB_MM = 152.4  # six inches: the most that a miniature climbs at once
PITCH_MM = 1.0  # of standing maps: half a millimetre to either side of a cell's middle
WALL_MM = 0.8  # two lines of the usual 0.4 mm nozzle
BED_MM = (220.0, 220.0, 250.0)  # the commonest size of a home printer's bed
OVERHANG_DEG = 45.0  # from the upright: what prints without support by custom
DENSITY = 0.6  # g/cm³ of a printed piece: PLA has 1.24, walls and a fifth of infill leave about half of it

Target = Literal["tts", "tabletopia", "foundry"]
SeverityWord = Literal["error", "warning", "info", "hint"]
Code = Annotated[str, Field(min_length=1, max_length=100)]


class HeadForm(Form):
    """`[pack]`: what it is called, whose it is, and how its files are meant."""

    id: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]*$", max_length=100)]
    name: Name
    version: Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+){0,3}([-+][0-9A-Za-z.-]+)?$")] = "0.1.0"
    authors: tuple[Name, ...] = ()
    licence: str = Field(default="", max_length=200, description="an SPDX identifier or a sentence")
    units: Unit | None = Field(default=None, description="what the numbers of the meshes mean: mm, cm, m, in, ft")
    up: Literal["y", "z"] | None = Field(default=None, description="the axis that points up in the meshes")
    scale: Annotated[float, Field(gt=0, le=1000)] = Field(default=1.0, description="how much larger it is played")
    target: tuple[Target, ...] = Field(default=(), description="where the pack is to be used beside the table")


class UseForm(Form):
    """`[use]`: who plays on it."""

    bases: tuple[Name, ...] = Field(
        default=("27",), min_length=1, description="bases that must get along with it, the smallest first"
    )
    height: Length | None = Field(default=None, description="of the minis, mm; else one and a half base widths")
    com: Length | None = Field(default=None, description="height of their centre of mass, mm")
    mass_g: Annotated[float, Field(gt=0, le=100_000)] = Field(default=60.0, description="the heaviest mini in use")
    step: Length | None = Field(default=None, description="what a move steps over, mm; else the mini's height")
    climb: Length = Field(default=CLIMB_MM, description="what is climbed at once, mm")
    pitch: Annotated[float, Field(ge=0.1, le=20)] = Field(default=PITCH_MM, description="of standing maps, mm")


class PrintForm(Form):
    """`[print]`: the printer that the pack is made for."""

    wall: Length = Field(default=WALL_MM, description="thinnest wall, mm")
    bed: tuple[Length, Length, Length] = Field(default=BED_MM, description="mm along x, y and up")
    overhang: Annotated[float, Field(ge=0, lt=90)] = Field(default=OVERHANG_DEG, description="degrees from the upright")


class ChecksForm(Form):
    """`[checks]`: what is not to be heard, or otherwise."""

    ignore: tuple[Code, ...] = ()
    severity: dict[Code, SeverityWord] = Field(default_factory=dict)
    per_file: dict[str, tuple[Code, ...]] = Field(
        default_factory=dict, max_length=200, description="ignored codes by a glob of files"
    )


class ZoneForm(Form):
    """A place on a piece, in its own coordinates, where a base must be able to stand."""

    at: tuple[Coordinate, Coordinate]
    base: Name = "27"
    level: Coordinate | None = Field(default=None, description="cut height: under a roof")


class ExpectForm(Form):
    """`expect`: what a piece promises to players."""

    room: tuple[Name, ...] = Field(default=(), description="bases that find room to stand somewhere above the table")
    stand: tuple[ZoneForm, ...] = ()


class MemberForm(Form):
    """What is said of a piece, or of several by a glob, or of all by default."""

    role: Literal["terrain", "scatter", "base", "collider"] | None = None
    units: Unit | None = None
    up: Literal["y", "z"] | None = None
    scale: Annotated[float, Field(gt=0, le=1000)] | None = None
    footprint_mm: tuple[Length, Length] | None = Field(default=None, description="size along x and y")
    height_mm: Length | None = None
    levels_mm: tuple[Coordinate, ...] | None = Field(
        default=None, description="heights to stand on, for the first base in use"
    )
    classes: dict[str, str] | None = Field(default=None, alias="class", description="terrain class per kind of unit")
    cover: Annotated[str, Field(max_length=100)] | None = None
    scalable: bool | None = Field(default=None, description="may be climbed")
    movable: bool | None = None
    material: Name | None = None
    friction: Annotated[float, Field(ge=0, le=10)] | None = None
    mass_g: Annotated[float, Field(gt=0, le=1_000_000)] | None = Field(default=None, description="of the print")
    expect: ExpectForm | None = None


class PieceForm(MemberForm):
    """`[piece.NAME]` with a file, or `[piece."GLOB"]` without: then its key says which files."""

    file: Annotated[str, Field(min_length=1, max_length=500)] | None = None


class PackForm(Form):
    """A pack's manifest."""

    pack: HeadForm
    use: UseForm = Field(default_factory=UseForm)
    print: PrintForm = Field(default_factory=PrintForm)
    checks: ChecksForm = Field(default_factory=ChecksForm)
    defaults: MemberForm = Field(default_factory=MemberForm)
    piece: dict[Name, PieceForm] = Field(default_factory=dict, max_length=MOST_MESHES)


@check("MANIFEST_MISSING", Severity.INFO, "no pack.toml{unread}; assumed: {assumed}")
def manifest_missing(assumed: str, unread: str = "") -> Iterable[Hit]:
    """The folder has no manifest.

    Why: units, bases and heights are assumptions then, and nobody promised anything that could be checked.
    Example: a folder of STL files. Do: `sim3d init FOLDER` writes a first manifest; correct it. Rename a Pack.toml.
    """
    yield Hit(assumed=assumed, unread=unread)


@check("MANIFEST_UNKNOWN_NAME", Severity.ERROR, "{what} {name!r} is not known{hint}")
def manifest_unknown_name(what: str, name: str, hint: str) -> Iterable[Hit]:
    """The manifest names a base, a material or a code that does not exist.

    Why: nothing is guessed, and a misspelt code would ignore nothing. Example: `bases = ["28"]`.
    Do: correct the name; the message says what there is.
    """
    yield Hit(what=what, name=name, hint=hint)


@check("MANIFEST_FILE_MISSING", Severity.ERROR, "piece {piece!r} names {path!r}, which is not there{hint}")
def manifest_file_missing(piece: str, path: str, hint: str) -> Iterable[Hit]:
    """A piece of the manifest has no file.

    Why: the pack is incomplete, or the name is misspelt. Example: `file = "ruin.slt"`.
    Do: correct the name, add the file, or remove the piece.
    """
    yield Hit(piece=piece, path=path, hint=hint)


@check("MANIFEST_FILE_UNUSED", Severity.WARNING, "{path!r} belongs to no piece of the manifest")
def manifest_file_unused(path: str) -> Iterable[Hit]:
    """A mesh lies in the folder that no piece names.

    Why: it was forgotten in the manifest, or in the folder; it is not looked at. Example: an old version of a ruin.
    Do: add a piece or a glob for it, or remove the file.
    """
    yield Hit(path=path)


@check("MANIFEST_FILE_TWICE", Severity.ERROR, "{path!r} belongs to {first!r} and to {second!r}")
def manifest_file_twice(path: str, first: str, second: str) -> Iterable[Hit]:
    """Two pieces name one file.

    Why: which of the two it is meant to be cannot be told. Example: a piece that was copied and not changed.
    Do: give each its file; what many pieces share belongs into `[defaults]` or a table with a glob.
    """
    yield Hit(path=path, first=first, second=second)


@check("MANIFEST_CLASS_UNKNOWN", Severity.INFO, "class {word!r} for {kind!r}: {reason}")
def manifest_class_unknown(kind: str, word: str, reason: str) -> Iterable[Hit]:
    """What a piece says that it is to units is no word of a game that is played here.

    Why: if it is misspelt, whoever takes it over into a table is refused there. Example:
    `class = { trooper = "dificult" }`. Do: correct it; if it is a word of another game, nothing.
    """
    yield Hit(kind=kind, word=word, reason=reason)


@check("MANIFEST_OUTSIDE", Severity.ERROR, "piece {piece!r} names {path!r}, {where}")
def manifest_outside(piece: str, path: str, where: str) -> Iterable[Hit]:
    """A piece's file is not in the pack's folder, or is named by a way with ".." in it.

    Why: whoever gets the pack does not get the file; where a way with ".." ends depends on links.
    Example: `file = "../ruin.stl"`. Do: move the file into the folder, and name it by the shortest way.
    """
    yield Hit(piece=piece, path=path, where=where)


@check("MANIFEST_GLOBS", Severity.ERROR, "more than {most} tables with a glob")
def manifest_globs(most: int) -> Iterable[Hit]:
    """The manifest has more patterns than anybody writes.

    Why: each is held against every file of the pack. Example: a manifest of 20 MB made by a program.
    Do: name the files instead, or put what many pieces share into `[defaults]`.
    """
    yield Hit(most=most)


@check("MANIFEST_IGNORES_NOTHING", Severity.WARNING, "per_file {glob!r} means no file of the pack")
def manifest_ignores_nothing(glob: str) -> Iterable[Hit]:
    """Codes are ignored of files that the pack does not have.

    Why: a misspelt name would ignore nothing, and nobody would know why the finding is still heard.
    Example: `per_file = { "riun.stl" = ["PRINT_OVERHANG"] }`. Do: correct the name or glob, or remove it.
    """
    yield Hit(glob=glob)


@check("PACK_EMPTY", Severity.ERROR, "{what}")
def pack_empty(found: int, unnamed: bool = False) -> Iterable[Hit]:
    """A pack without a single piece.

    Why: nothing was validated. Example: the wrong folder. Do: name the folder with the meshes, or its pack.toml.
    """
    if not found:
        yield Hit(what="no piece of the manifest has a file" if unnamed else "no mesh is in the folder")


def read_manifest(path: str | Path) -> Written[PackForm]:
    """The manifest in a file; `Refused` with every fault, also names that mean nothing."""
    written = read_form(path, PackForm)
    faults = listed(_faults(written))
    if faults:
        raise Refused(*faults)
    return written


def _faults(written: Written[PackForm]) -> Iterable[Finding]:
    form = written.form

    def unknown(what: str, name: str, *at: object, hint: str) -> Finding:
        return written.fault(manifest_unknown_name, pointer_of(at), what=what, name=name, hint=hint)

    bases: list[tuple[str, tuple[object, ...]]] = [(b, ("use", "bases", i)) for i, b in enumerate(form.use.bases)]
    tables: list[tuple[tuple[object, ...], MemberForm]] = [(("defaults",), form.defaults)]
    tables += [(("piece", name), piece) for name, piece in form.piece.items()]
    for at, member in tables:
        if member.material is not None and member.material not in MATERIALS:
            yield unknown("material", member.material, *at, "material", hint=f"; there are: {known(MATERIALS)}")
        expect = member.expect or ExpectForm()
        bases += [(b, (*at, "expect", "room", i)) for i, b in enumerate(expect.room)]
        bases += [(zone.base, (*at, "expect", "stand", i, "base")) for i, zone in enumerate(expect.stand)]
    for name, where in bases:
        try:
            mini_of(name, form.use)
        except Unsound as error:
            yield unknown("mini on base", name, *where, hint=f": {error}")
        except ValueError:
            yield unknown("base", name, *where, hint=f"; there are: {', '.join(CATALOGUE)}")
    checks = form.checks
    codes: list[tuple[str, tuple[object, ...]]] = [(c, ("checks", "ignore", i)) for i, c in enumerate(checks.ignore)]
    codes += [(c, ("checks", "severity", c)) for c in checks.severity]
    codes += [
        (c, ("checks", "per_file", glob, i)) for glob, some in checks.per_file.items() for i, c in enumerate(some)
    ]
    for code, where in codes:
        if code not in CODES:
            yield unknown("code", code, *where, hint="; `sim3d explain` lists them all")


def strange_classes(written: Written[PackForm]) -> Iterator[Finding]:
    """Every class in a manifest that is no word of a game that is played here."""
    form = written.form
    tables: list[tuple[tuple[str, ...], MemberForm]] = [(("defaults",), form.defaults)]
    tables += [(("piece", name), piece) for name, piece in form.piece.items()]
    for at, member in tables:
        for kind, text in (member.classes or {}).items():
            there = SEED_TERRAIN if kind == ON_HEXES else (*CLASSES, NO_END)
            words = [text] if kind == ON_HEXES else [word.strip() for word in text.split(",")]
            if kind not in CLASS_KINDS:
                reason = f"no game here has such a unit; there are: {', '.join(CLASS_KINDS)}"
            elif any(word not in there for word in words):
                reason = f"no game here has such terrain; there are: {', '.join(there)}"
            else:
                continue
            where = pointer_of((*at, "class", kind))
            yield written.fault(manifest_class_unknown, where, kind=kind, word=text, reason=reason)


def called(bases: Iterable[str]) -> tuple[str, ...]:
    """The bases by the names that the catalogue has, each once: round27 is the 27.

    >>> called(["27", "round27", "ellipse60x35"])
    ('27', '60x35')
    """
    return tuple(dict.fromkeys(Base.named(base).name for base in bases))


def mini_of(base: str, use: UseForm) -> Mini:
    """The miniature that stands for everybody on this base."""
    return Mini(Base.named(base), height=use.height, com=use.com, mass_g=use.mass_g)
