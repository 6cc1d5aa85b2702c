"""Verbs about standing: `stand` asks about one place, `atlas` about all of them."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim3d.cli.ahead import compiled_ahead
from sim3d.cli.apart import each_its_own, kept_apart
from sim3d.cli.options import (
    BaseUnit,
    BaseUp,
    Engine,
    Json,
    Physics,
    Unit,
    Up,
    a_table,
    declared,
    finite,
    gripping,
    installed,
    numbers,
    turned,
    written_down,
)
from sim3d.cli.saying import MISUSE, NO, YES, doubt, fail, kept, progress, refuse, room_for, tell

if TYPE_CHECKING:
    from sim3d.atlas import Atlas
    from sim3d.mini import Mini
    from sim3d.table import Table


LAYERED = (".glb", ".png")  # a file for each layer of a map


def stand(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[TABLE [MINI]]", help="A table or scenario file, and a mini on it.")
    ] = None,
    mesh: Annotated[Path | None, typer.Option(help="A mesh to stand on, in its own coordinates.")] = None,
    unit: Unit = None,
    up: Up = None,
    base: Annotated[str | None, typer.Option(help="Catalogue name (27, 60x35, 50n, hex40, …) or a mesh file.")] = None,
    base_unit: BaseUnit = None,
    base_up: BaseUp = None,
    com: Annotated[str | None, typer.Option(help="Centre of mass: mm over the underside, or X,Y,Z.")] = None,
    height: Annotated[float | None, typer.Option(help="Height of the mini in mm.")] = None,
    at: Annotated[str | None, typer.Option(help="X,Y in mm: where the middle of its underside comes to rest.")] = None,
    turn: Annotated[float | None, typer.Option(help="Facing in degrees, counter-clockwise from +x.")] = None,
    level: Annotated[float | None, typer.Option(help="Cut height: terrain above it carries nothing.")] = None,
    friction: Annotated[float | None, typer.Option(help="Product of both surfaces' coefficients.")] = None,
    engine: Engine = None,
    physics: Physics = None,
    certificate: Annotated[bool, typer.Option("--certificate", help="With --json: what proves the word, too.")] = False,
    stdin: Annotated[bool, typer.Option("--stdin", help="Answer requests in JSON lines until the input ends.")] = False,
    json: Json = False,
) -> None:
    """Will it stand here? Exit code 0 only for a plain yes: stable."""
    from sim3d.finding import Refused
    from sim3d.report.standing import Desk, request, stand_json, stand_text

    words = words or []
    finite(**{"--height": height, "--turn": turn, "--level": level})
    gripping(friction)
    asked = {
        "mesh": None if mesh is None else str(mesh),
        "unit": unit,
        "up": up,
        "table": words[0] if words else None,
        "mini": words[1] if len(words) > 1 else None,
        "base": base,
        "base_unit": base_unit,
        "base_up": base_up,
        "com": numbers("--com", com, 1, 3),
        "height": height,
        "at": numbers("--at", at, 2),
        "turn": turn,
        "level": level,
        "friction": friction,
        "engine": engine,
        "physics": physics,
    }
    asked = {key: value for key, value in asked.items() if value is not None}
    if certificate and (stdin or not json):
        fail("--certificate is part of the data that --json prints for one question; add --json")
    if stdin:
        _talked(asked)
        raise typer.Exit(YES)
    if len(words) > 2:
        fail(f"a table file and the name of one mini, not {len(words)} words")
    declared(unit, up)
    declared(base_unit, base_up, of="base-")
    if words:
        a_table(Path(words[0]))
        written_down(Path(words[0]), instead=f"to stand on it say --mesh {words[0]}")
    try:
        answer = Desk(doubt, options=True).ask(request(asked))
    except Refused as refused:
        refuse(refused)
    except ValueError as error:
        fail(str(error))
    if json:
        typer.echo(stand_json(answer, certificate=certificate), nl=False)
    else:
        tell(stand_text(answer))
    raise typer.Exit(YES if answer.answer == "stable" else NO)


def _talked(asked: Mapping[str, object]) -> None:
    """Every question of the input answered, a line each; nothing else is asked beside them."""
    from sim3d.report.standing import conversation

    if asked:
        fail(f"--stdin takes its questions from the input; leave out {_options(asked)}")
    if sys.stdin is None:  # somebody closed it
        fail("--stdin takes its questions from the input, and there is none")
    for line in conversation(sys.stdin.buffer, doubt):
        sys.stdout.write(line)
        sys.stdout.flush()


def _options(asked: Mapping[str, object]) -> str:
    """What was asked, as it is said on the command line."""
    return ", ".join(str(asked[key]) if key in ("table", "mini") else f"--{key.replace('_', '-')}" for key in asked)


def atlas(
    where: Annotated[Path, typer.Argument(metavar="MESH|SCENARIO", help="A mesh, or a table or scenario file.")],
    base: Annotated[list[str] | None, typer.Option(help="Catalogue name or a mesh file; may be repeated.")] = None,
    base_unit: BaseUnit = None,
    base_up: BaseUp = None,
    unit: Unit = None,
    up: Up = None,
    com: Annotated[str | None, typer.Option(help="Centre of mass: mm over the underside, or X,Y,Z.")] = None,
    height: Annotated[float | None, typer.Option(help="Height of the mini in mm.")] = None,
    pitch: Annotated[float, typer.Option(help="From cell to cell in mm.")] = 1.0,
    turn: Annotated[list[float] | None, typer.Option(help="Facing in degrees; may be repeated.")] = None,
    levels: Annotated[bool, typer.Option("--levels", help="A map of every storey below a roof, too.")] = False,
    area: Annotated[str | None, typer.Option(help="X0,Y0,X1,Y1 in mm; without it, all of it.")] = None,
    friction: Annotated[float | None, typer.Option(help="Product of both surfaces' coefficients.")] = None,
    audit: Annotated[int, typer.Option(help="Ask the engine about so many cells; half of them refined ones.")] = 200,
    engine: Engine = None,
    threads: Annotated[int | None, typer.Option(help="How many at once; the map is the same.")] = None,
    out: Annotated[
        list[Path] | None, typer.Option("-o", "--out", help="A .npz, .glb, .png, .csv or .html; repeatable.")
    ] = None,
    json: Json = False,
) -> None:
    """Where will it stand? The standing map of a piece or a table."""
    from sim3d.finding import Refused
    from sim3d.mini import Mini
    from sim3d.report.mapping import map_json, map_text
    from sim3d.table import bases_called

    declared(unit, up)
    declared(base_unit, base_up, of="base-")
    installed(engine, None)
    a_table(where)
    finite(**{"--height": height})
    turned(turn)
    gripping(friction)
    files = out or []
    read = (where, *map(Path, base or ()))
    _map_files(files, *read)
    _within_limits(pitch, audit, threads)
    mass = numbers("--com", com, 1, 3)
    box = numbers("--area", area, 4)
    try:
        table = _table_at(where, unit, up)
        doubt(table)
        bases = bases_called(base or ["27"], unit=base_unit, up=base_up)  # round27 is the 27: one map
        for one in bases:
            doubt(one)
        minis = [Mini(one, height=height, com=mass) for one in bases]
        _each_map_its_files(files, minis, math.inf if levels else len(turn or [0.0]), *read)
        maps = []
        for made in _swept(table, minis, pitch, turn, levels, box, friction, audit, engine, threads):
            if json:
                typer.echo(map_json(made), nl=False)
            else:
                tell(map_text(made))
            maps.append(made)
    except Refused as refused:
        refuse(refused)
    except ValueError as error:
        fail(str(error))
    raise typer.Exit(YES if _maps_kept(files, where.name, table, maps, minis) else MISUSE)


def _map_files(files: Sequence[Path], *read: Path) -> None:
    """See, before any file is read, that maps can be written so, have a place, and are none of what is read."""
    for file in files:
        if file.suffix not in (".npz", ".glb", ".png", ".csv", ".html"):
            fail(f"-o {file}: a map is written as .npz, .glb, .png, .csv or .html")
        room_for(file)
    kept_apart(files, *read)


def _within_limits(pitch: float, audit: int, threads: int | None) -> None:
    """Refuse numbers that no map is made with."""
    if not 0 < pitch <= 1000:
        fail(f"--pitch is over 0 and at most 1000 mm, not {pitch:g}")
    if audit < 0:
        fail(f"--audit is 0 or more, not {audit}")
    if threads is not None and not 1 <= threads <= 256:
        fail(f"--threads is from 1 to 256, not {threads}")


def _table_at(where: Path, unit: str | None, up: str | None) -> Table:
    """The table of a file, or the one that a mesh alone makes."""
    from sim3d.solid import read_solid
    from sim3d.table import Table

    if where.suffix.lower() not in (".toml", ".json"):
        return Table.of(read_solid(where, unit=unit, up=up))
    if unit or up:
        fail("--unit and --up are said of a mesh; a table file says its own")
    from sim3d.scenario import read_scenario  # not before one is named: it knows the rules of both games

    return read_scenario(where).table


def _each_map_its_files(files: Sequence[Path], minis: Sequence[Mini], layers: float, *read: Path) -> None:
    """See, before maps are made, that each has files of its own, with their layers, and none of what is read."""
    names = [name for file in files for name in _names(file, [mini.base.name for mini in minis])]
    each_its_own(names)
    _layers_apart(names, layers)
    kept_apart([*names, *_layers_of(names)], *read)


def _maps_kept(files: Sequence[Path], title: str, table: Table, maps: Sequence[Atlas], minis: Sequence[Mini]) -> bool:
    """Write the maps; where one file cannot be written, the others are: the maps took long. Whether all are."""
    from sim3d.report.showing import html_of_maps
    from sim3d.view.standing_map import written

    whole = True
    for file in files:
        if file.suffix == ".html":
            whole &= kept(file, html_of_maps(title, table, maps, minis))
            continue
        for made, name in zip(maps, _names(file, [made.base for made in maps]), strict=True):
            for path, data in written(made, name):
                whole &= kept(path, data)
    return whole


def _names(file: Path, bases: Sequence[str]) -> list[Path]:
    """The file of each map: as it was named, or with the map's base behind that."""
    return [file if len(bases) == 1 else file.with_stem(f"{file.stem}-{stem}") for stem in _stems(bases)]


def _layers_apart(names: Sequence[Path], layers: float) -> None:
    """Refuse a name that a layer of another map may get, where maps have up to so many layers."""
    import os

    known = {os.path.realpath(name): name for name in names}
    for name in names:
        if name.suffix not in LAYERED:
            continue
        for other in known.values():
            number = other.stem.removeprefix(f"{name.stem}-")
            numbered = number != other.stem and number.isdecimal() and number == str(int(number))
            if not (numbered and 1 <= int(number) < layers):
                continue
            if os.path.realpath(other) == os.path.realpath(name.with_stem(other.stem)):
                fail(f"a layer of {name} would be written to {other}, too: give one of the two another name")


def _layers_of(names: Sequence[Path]) -> list[Path]:
    """What is there already under a name that a layer of a map may get."""
    from glob import escape

    return [path for name in names for path in name.parent.glob(f"{escape(name.stem)}-[0-9]*{escape(name.suffix)}")]


def _stems(bases: Sequence[str]) -> list[str]:
    """What tells the maps' files apart: the bases' names, of a mesh file its last part, none twice."""
    from sim3d.table.table import numbered

    return numbered([Path(base.replace("\\", "/")).name or "base" for base in bases])


def _swept(
    table: Table,
    minis: Sequence[Mini],
    pitch: float,
    turns: Sequence[float] | None,
    levels: bool,
    area: float | list[float] | None,
    friction: float | None,
    audit: int,
    engine: str | None,
    threads: int | None,
) -> Iterator[Atlas]:
    """The maps, with a bar on stderr that says how long it still takes."""
    from sim3d.atlas import atlases

    x = area if isinstance(area, list) else None
    with compiled_ahead("stands"), progress("mapping", 1) as step:
        yield from atlases(
            table,
            minis,
            pitch=pitch,
            turns=turns or (0.0,),
            levels=levels,
            area=None if x is None else (x[0], x[1], x[2], x[3]),
            friction=friction,
            audit=audit,
            engine=engine,
            threads=threads,
            told=step.upto,
        )
