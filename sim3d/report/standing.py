"""What `sim3d stand` says: one verdict as text or data, and a conversation in JSON lines that never falls silent.

One request a line, one answer a line, in order, with the same id. A line that cannot be answered gets an `error` and
the conversation goes on. Tables and meshes are read once and again when their file changes.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Annotated, Any

from sim3d.finding import Finding, Refused
from sim3d.form import Field, Form, parse_form, to_json_line, with_keys
from sim3d.mini import Base, Mini
from sim3d.question import Engine, Word
from sim3d.solid import read_solid
from sim3d.stand import NUMBERS, Physics, Stand, stand
from sim3d.table import BASE_FILES, BaseName, Coordinate, Length, Name, Placed, Table, Turn, base_called
from sim3d.view.numbers import numbers_of

MOST_TABLES = 16  # kept warm; a bot plays on a few, and a table of dense prints takes hundreds of megabytes
MOST_BYTES = 1_000_000  # of one request: a hundred are usual

# --- one verdict as text ----------------------------------------------------------------------------------------------


def stand_text(answer: Stand) -> str:
    """The word, the sentence, and the numbers that there are."""
    lines = [f"{answer.answer}: {answer.why}", ""]
    lines += [f"  {label:16} {number:>9} {unit}".rstrip() for label, number, unit in numbers_of(answer)]
    lines.append(f"  {'decided by':16} {', '.join(answer.decided_by) or 'nobody'}")
    return "\n".join(lines) + "\n"


def stand_json(answer: Stand, *, certificate: bool = False) -> str:
    """One line of JSON, as docs/schema/stand.schema.json describes it; with what proves it, if asked for."""
    return to_json_line(answer.as_dict(certificate=certificate))


def _reply(name: str | int | None, data: dict[str, Any]) -> str:
    """A line for who asked; its own id comes back as it was, whatever it is."""
    return f'{{"id": {json.dumps(name)}, {to_json_line(data)[1:]}'


# --- as data ----------------------------------------------------------------------------------------------------------


class PoseForm(Form):
    """Where the base's frame is: the middle of its underside, and a quaternion w, x, y, z."""

    place: tuple[float, float, float]
    spin: tuple[float, float, float, float]


class ContactForm(Form):
    """Where it is carried: the place in mm, the push's direction, its share of the load, the piece."""

    place: tuple[float, float, float]
    normal: tuple[float, float, float]
    load: float
    piece: str


class PushForm(Form):
    """A contact of a proof: the place in mm, the normal it pushes along, the force in shares of the weight."""

    place: tuple[float, float, float]
    normal: tuple[float, float, float]
    force: tuple[float, float, float]
    piece: str


class NudgedForm(Form):
    """Where the base leans to when gravity leans 5 degrees: the pose (left out: it stays), what carries which share."""

    towards_deg: float
    pose: PoseForm | None = None
    places: list[tuple[float, float, float]]
    shares: list[float]


class CertificateForm(Form):
    """What proves the word, for `sim3d.check` or anybody: balance at rest and when nudged; how it slides or topples."""

    pose: PoseForm
    contacts: list[PushForm] = Field(default_factory=list)
    nudged: list[NudgedForm] = Field(default_factory=list)
    motion: tuple[tuple[float, float, float], tuple[float, float, float]] | None = Field(
        default=None, description="slides: velocity and spin about the centre of mass that no contact opposes"
    )
    beyond: tuple[float, float] | None = Field(
        default=None, description="topples: the horizontal direction in which nothing carries at the tilt of the pose"
    )
    through: list[tuple[float, float, float]] = Field(
        default_factory=list, description="topples: the normals it passes on its way from level, where not straight"
    )


@with_keys(NUMBERS, float)
class StandForm(Form):
    """A verdict; a number that there is none of is left out."""

    answer: Word
    why: str
    decided_by: list[str]
    at: tuple[float, float]
    turn: float
    level: float | None = None
    friction: float
    pose: PoseForm | None = None
    contacts: list[ContactForm] = Field(default_factory=list)
    certificate: CertificateForm | None = None
    barrier_is_least: bool | None = Field(
        default=None, description="true: no way that was sought is easier, but not all were"
    )
    by_hand: bool | None = Field(
        default=None, description="true: it rests leaning, and has to be leant there: let go level it may go over"
    )


class RequestForm(Form):
    """One line to `sim3d stand --stdin`: a mesh or a table, a mini described or named, a place."""

    id: str | int | None = Field(default=None, description="comes back with the answer")
    mesh: str | None = Field(default=None, description="path of a mesh, in its own coordinates, on an endless floor")
    unit: str | None = Field(default=None, description="of the mesh: mm, cm, m, in, ft")
    up: str | None = Field(default=None, description="axis of the mesh that points up: y or z")
    table: str | None = Field(default=None, description="path of a table or scenario file; its minis are obstacles")
    mini: Name | None = Field(default=None, description="a mini of the table, where it stands unless told otherwise")
    base: BaseName | None = Field(default=None, description="catalogue name or a mesh file, for a mini of no table")
    base_unit: str | None = Field(default=None, description="of the base's mesh: mm, cm, m, in, ft")
    base_up: str | None = Field(default=None, description="axis of the base's mesh that points up: y or z")
    height: Length | None = None
    com: Length | tuple[Coordinate, Coordinate, Length] | None = None
    at: tuple[Coordinate, Coordinate] | None = None
    turn: Turn | None = None
    level: Coordinate | None = None
    friction: Annotated[float, Field(ge=0, le=10)] | None = None
    engine: Engine | None = None
    physics: Physics | None = None


class ReplyForm(StandForm):
    """One line from `sim3d stand --stdin` that answers; the id is the request's."""

    id: str | int | None = None


class NoReplyForm(Form):
    """One line from `sim3d stand --stdin` that says why there is no answer."""

    id: str | int | None = None
    error: str


def request(asked: Mapping[str, Any]) -> RequestForm:
    """A request from plain values, as a command line has them; `ValueError` with everything that is wrong.

    Files may be called what the system lets them be called.
    """
    files = {key: asked[key] for key in ("mesh", "table", "base") if key in asked}
    if Path(files.get("base", "")).suffix.lower() not in BASE_FILES:
        files.pop("base", None)
    try:
        form = parse_form(json.dumps({**asked, **dict.fromkeys(files, "a file")}), RequestForm, json_text=True).form
        return form.model_copy(update=files)
    except Refused as refused:
        raise ValueError("; ".join(f.message for f in refused.report)) from None


# --- questions --------------------------------------------------------------------------------------------------------


class Desk:
    """Answers requests; keeps the last tables read, so that a thousand questions read each file once."""

    def __init__(self, told: Callable[[Table | Base], None] | None = None, *, options: bool = False) -> None:
        """`told` hears of all tables and bases that are read; `options`: what is asked is called by these, not keys."""
        self._mesh, self._table_file, self._base, self._at = (
            ("--mesh", "a table file", "--base", "--at X,Y") if options else ("mesh", "table", "base", "at")
        )
        self._tables: dict[tuple[str | None, ...], tuple[tuple[Stamp, ...], Table]] = {}
        self._bases: dict[tuple[str, str | None, str | None], tuple[Stamp, Base]] = {}
        self._told = told

    def ask(self, request: RequestForm) -> Stand:
        """The verdict; `Refused` or `ValueError` with what is wrong about the request."""
        if (request.mesh is None) == (request.table is None):
            raise ValueError(f"say {self._mesh} or {self._table_file}, one of them")
        if request.table is not None and (request.unit or request.up):
            raise ValueError("unit and up are said of a mesh; a table file says its own")
        if (request.mini is None) == (request.base is None):
            both = ", not both" if request.base is not None else ""
            raise ValueError(f"say {self._base}, or the name of a mini on the table{both}")
        if request.mini is not None and (request.height is not None or request.com is not None):
            raise ValueError(f"height and com of {request.mini!r} stand in the table")
        if request.mini is not None and (request.base_unit or request.base_up):
            raise ValueError(f"unit and axis of the base of {request.mini!r} stand in the table (base_unit, base_up)")
        table = self._table(request)
        if request.mini is not None:
            placed = _on(table, request.mini)
            table = table.without(request.mini)
        elif request.at is None:
            raise ValueError(f"say {self._at}, where it is set down")
        else:
            mini = Mini(self._based(request), height=request.height, com=request.com)
            placed = Placed("", mini, request.at)
        return stand(
            table,
            placed.mini,
            at=placed.at if request.at is None else request.at,
            turn=placed.turn if request.turn is None else request.turn,
            level=placed.level if request.level is None else request.level,
            friction=request.friction,
            material=placed.material,
            engine=request.engine,
            physics=request.physics or "always",
        )

    def _based(self, request: RequestForm) -> Base:
        name, unit, up = key = (request.base or "", request.base_unit, request.base_up)
        stamp = _stamp(Path(name))
        kept = self._bases.pop(key, None)
        if kept is None or kept[0] != stamp:
            kept = (stamp, base_called(name, unit=unit, up=up))
            if self._told is not None and kept[1].source is not None:  # one of the catalogue has no file
                self._told(kept[1])
        self._bases[key] = kept
        while len(self._bases) > MOST_TABLES:
            del self._bases[next(iter(self._bases))]
        return kept[1]

    def _table(self, request: RequestForm) -> Table:
        path = Path(request.mesh or request.table or "")
        key = (request.mesh, request.unit, request.up, request.table)
        stamps = (_stamp(path),)  # before it is read: what changes meanwhile is read again
        kept = self._tables.pop(key, None)
        if kept is None or kept[0] != (*stamps, *map(_stamp, _meshes(kept[1]))):
            table = self._read(path, request)
            kept = ((*stamps, *map(_stamp, _meshes(table))), table)
            if self._told is not None:
                self._told(table)
        self._tables[key] = kept
        while len(self._tables) > MOST_TABLES:
            del self._tables[next(iter(self._tables))]
        return kept[1]

    @staticmethod
    def _read(path: Path, request: RequestForm) -> Table:
        if request.table is not None:
            if path.suffix.lower() in BASE_FILES:
                raise ValueError(f"{request.table} is a mesh by its name: say mesh, not table")
            from sim3d.scenario import read_scenario  # not before one is named: it knows the rules of both games

            return read_scenario(path).table
        return Table.of(read_solid(path, unit=request.unit, up=request.up))


Stamp = tuple[int, int]  # of a file: when it was written, and how long it is


def _stamp(path: Path) -> Stamp:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return 0, 0
    return status.st_mtime_ns, status.st_size


def _meshes(table: Table) -> list[Path]:
    """The files that a table's terrain and bases were read from."""
    sources = [*(piece.source for piece in table.pieces), *(placed.mini.base.source for placed in table.minis)]
    return list(dict.fromkeys(source.path for source in sources if source is not None))


def _on(table: Table, name: str) -> Placed:
    try:
        return table.mini(name)
    except KeyError as error:
        raise ValueError(error.args[0]) from None


def conversation(lines: IO[bytes], told: Callable[[Table | Base], None] | None = None) -> Iterator[str]:
    """An answer for every request line, until the lines end; blank lines are passed over. `told` hears of every table
    and base when it is read."""
    desk = Desk(told)
    mark = b"\xef\xbb\xbf"  # some programs begin a text in UTF-8 with it
    while line := lines.readline(MOST_BYTES + 1):
        asked, mark = line.removeprefix(mark), b""
        if len(line) > MOST_BYTES:
            while line and not line.endswith(b"\n"):
                line = lines.readline(MOST_BYTES)
            yield _reply(None, {"error": f"a request has at most {MOST_BYTES:,} bytes"})
        elif asked.strip():
            yield _answered(desk, asked)


def _answered(desk: Desk, line: bytes) -> str:
    name: str | int | None = None
    try:
        text = line.rstrip(b"\r\n").decode("utf-8")  # so that what is cut off is cut off on its own line
        name = _id_of(text)
        if isinstance(_data_of(text), (list, str, int, float)):
            raise ValueError(
                'FORM_BAD_VALUE: a request is one object, as {"mesh": "crate.stl", "base": "27", "at": [0, 0]}'
            )
        answer = desk.ask(parse_form(text, RequestForm, json_text=True).form)
    except Refused as refused:
        return _reply(name, {"error": "; ".join(_brief(f) for f in refused.report)})
    except UnicodeDecodeError as error:
        return _reply(name, {"error": f"it is not text in UTF-8 (byte {error.start})"})
    except (ValueError, OSError, ArithmeticError, RuntimeError) as error:
        return _reply(name, {"error": str(error) or type(error).__name__})
    except Exception as error:  # noqa: BLE001  # a fault of ours: whoever asks next is answered all the same
        traceback.print_exc()
        return _reply(name, {"error": f"a fault in sim3d, please report it: {type(error).__name__}: {error}"})
    return _reply(name, answer.as_dict())


def _id_of(text: str) -> str | int | None:
    """The id of a request that may be wrong in every other way."""
    data = _data_of(text)
    name = data.get("id") if isinstance(data, dict) else None
    return name if isinstance(name, (str, int)) and not isinstance(name, bool) else None


def _data_of(text: str) -> Any:
    """What a line of JSON holds, whatever that is; None where it cannot be read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _brief(finding: Finding) -> str:
    where = finding.file or finding.pointer
    where += f":{finding.line}" if finding.file and finding.line is not None else ""
    return f"{finding.code}{' ' + where if where else ''}: {finding.message}"
