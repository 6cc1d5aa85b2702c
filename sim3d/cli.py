"""The command line: verbs as subcommands; each parses, calls one function of the house, prints.

Data on stdout, progress on stderr. Exit 0 yes, 1 no or findings, 2 misuse or input that cannot be read.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NoReturn

import typer

from sim3d import __version__

if TYPE_CHECKING:
    from sim3d.atlas import Atlas
    from sim3d.finding import Refused
    from sim3d.mini import Mini
    from sim3d.report.running import Ran
    from sim3d.report.showing import Shown
    from sim3d.report.validating import Asked
    from sim3d.solid import Limits
    from sim3d.table import Table

YES, NO, MISUSE = 0, 1, 2

app = typer.Typer(
    name="sim3d",
    help="Will it stand? Physics and exact statics for miniatures on tabletop terrain.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]
Engine = Annotated[str | None, typer.Option(help="bullet or rapier; without it, Bullet where it is installed.")]
Physics = Annotated[str | None, typer.Option(help="When an engine is asked, too: always, doubt or never.")]


def main() -> None:
    """The `sim3d` command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a degree sign shows a question mark
    try:
        app()
    except BrokenPipeError:  # the reader of our output went away, as `| head` does: nothing left to say
        sys.stderr.close()
        raise SystemExit(NO) from None
    except OSError as error:  # a full disk behind our output, say; files we read are answered where they are read
        where = f" ({error.filename})" if error.filename else ""
        sys.stderr.write(f"sim3d: the system says: {error.strerror or error}{where}\n")
        raise SystemExit(MISUSE) from None


def _fail(message: str) -> NoReturn:
    typer.echo(f"sim3d: {message}", err=True)
    raise typer.Exit(MISUSE)


class Bar(NamedTuple):
    """What moves a progress bar: a step, or how far it is of how much."""

    step: Callable[[], None]
    upto: Callable[[int, int], None]

    def __call__(self) -> None:
        """A step."""
        self.step()


@contextmanager
def _progress(what: str, total: int) -> Iterator[Bar]:
    """A bar on stderr for work that takes more than a moment; nothing where nobody looks."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield Bar(lambda: bar.advance(task), lambda done, of: bar.update(task, completed=done, total=of))


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sim3d {__version__}")
        raise typer.Exit(YES)


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Will it stand? Physics and exact statics for miniatures on tabletop terrain."""


@app.command()
def inspect(
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Meshes: STL, OBJ, PLY, OFF, GLB, glTF, 3MF.")],
    unit: Annotated[str | None, typer.Option(help="What the numbers in the file mean: mm, cm, m, in, ft.")] = None,
    up: Annotated[str | None, typer.Option(help="The axis that points up in the file: y or z.")] = None,
    as_base: Annotated[bool, typer.Option("--base", help="Read each file as a base: its outline and notches.")] = False,
    ignore: Annotated[list[str] | None, typer.Option(help="A code not to hear of; may be repeated.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Hear of this code alone; may be repeated.")] = None,
    fail_on: Annotated[str, typer.Option(help="Exit 1 from this severity: error, warning, info, hint.")] = "error",
    max_mb: Annotated[float | None, typer.Option(help="Refuse larger files.")] = None,
    max_triangles: Annotated[int | None, typer.Option(help="Refuse meshes with more triangles.")] = None,
    json: Json = False,
) -> None:
    """Facts and findings of meshes: can they be trusted?"""
    from sim3d.finding import Policy, Severity
    from sim3d.report.codes import every_code
    from sim3d.report.inspection import inspected, inspection_json, inspection_text

    every_code()
    policy = Policy(ignore=tuple(ignore or ()), only=tuple(only or ()))
    if unknown := policy.unknown_codes():
        _fail(f"no such code: {', '.join(unknown)}; docs/findings.md lists them all")
    try:
        worst = Severity.of(fail_on)
    except ValueError as error:
        _fail(str(error))
    limits = _limits(max_mb, max_triangles)
    _declared(unit, up)
    seen = []
    with _progress("reading", len(files)) as step:
        for file in files:
            seen.append(inspected(file, unit=unit, up=up, as_base=as_base, limits=limits, policy=policy))
            step()
    typer.echo(inspection_json(seen) if json else inspection_text(seen), nl=False)
    if any(not one.readable for one in seen):
        raise typer.Exit(MISUSE)
    raise typer.Exit(NO if any(one.report.at_least(worst) for one in seen) else YES)


def _declared(unit: str | None, up: str | None) -> None:
    """Refuse a unit or an axis that means nothing, before any file is read."""
    from sim3d.solid.soup import MM_PER, UPS

    if unit is not None and unit not in MM_PER:
        _fail(f"--unit {unit}: not a unit that is understood; use {', '.join(MM_PER)}")
    if up is not None and up not in UPS:
        _fail(f"--up {up}: the axis that points up is {' or '.join(UPS)}")


def _limits(max_mb: float | None, max_triangles: int | None) -> Limits:
    from sim3d.solid import Limits

    asked = {}
    if max_mb is not None and not 0 < max_mb <= 1e6:
        _fail(f"--max-mb is over 0 and at most a million, not {max_mb:g}")
    if max_triangles is not None and max_triangles < 1:
        _fail(f"--max-triangles is at least 1, not {max_triangles}")
    if max_mb is not None:
        asked["max_bytes"] = int(max_mb * 1_000_000)
    if max_triangles is not None:
        asked["max_triangles"] = max_triangles
    return Limits(**asked)


@app.command()
def stand(
    words: Annotated[
        list[str] | None, typer.Argument(metavar="[TABLE [MINI]]", help="A table or scenario file, and a mini on it.")
    ] = None,
    mesh: Annotated[Path | None, typer.Option(help="A mesh to stand on, in its own coordinates.")] = None,
    unit: Annotated[str | None, typer.Option(help="What the mesh's numbers mean: mm, cm, m, in, ft.")] = None,
    up: Annotated[str | None, typer.Option(help="The axis that points up in the mesh: y or z.")] = None,
    base: Annotated[str | None, typer.Option(help="Catalogue name (27, 60x35, 50n, hex40, …) or a mesh file.")] = None,
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
    from sim3d.report.standing import Desk, conversation, request, stand_json, stand_text

    words = words or []
    asked = {
        "mesh": None if mesh is None else str(mesh),
        "unit": unit,
        "up": up,
        "table": words[0] if words else None,
        "mini": words[1] if len(words) > 1 else None,
        "base": base,
        "com": _numbers("--com", com, 1, 3),
        "height": height,
        "at": _numbers("--at", at, 2),
        "turn": turn,
        "level": level,
        "friction": friction,
        "engine": engine,
        "physics": physics,
    }
    asked = {key: value for key, value in asked.items() if value is not None}
    if certificate and (stdin or not json):
        _fail("--certificate is part of the data that --json prints for one question; add --json")
    if stdin:
        if asked:
            _fail(f"--stdin takes its questions from the input; leave out {', '.join(asked)}")
        for line in conversation(sys.stdin.buffer):
            sys.stdout.write(line)
            sys.stdout.flush()
        raise typer.Exit(YES)
    if len(words) > 2:
        _fail(f"a table file and the name of one mini, not {len(words)} words")
    _declared(unit, up)
    try:
        answer = Desk().ask(request(asked))
    except Refused as refused:
        _refused(refused)
    except ValueError as error:
        _fail(str(error))
    typer.echo(stand_json(answer, certificate=certificate) if json else stand_text(answer), nl=False)
    raise typer.Exit(YES if answer.answer == "stable" else NO)


def _numbers(option: str, text: str | None, *counts: int) -> float | list[float] | None:
    """Numbers between commas; one alone is a number."""
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in counts:
        _fail(f"{option} takes {' or '.join(map(str, counts))} numbers with commas between them, not {text!r}")
    return numbers[0] if len(numbers) == 1 else numbers


@app.command()
def atlas(
    where: Annotated[Path, typer.Argument(metavar="MESH|SCENARIO", help="A mesh, or a table or scenario file.")],
    base: Annotated[list[str] | None, typer.Option(help="Catalogue name or a mesh file; may be repeated.")] = None,
    unit: Annotated[str | None, typer.Option(help="What the mesh's numbers mean: mm, cm, m, in, ft.")] = None,
    up: Annotated[str | None, typer.Option(help="The axis that points up in the mesh: y or z.")] = None,
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
    from sim3d.report.showing import html_of_maps
    from sim3d.report.standing import base_called
    from sim3d.scenario import read_scenario
    from sim3d.solid import read_solid
    from sim3d.table import Table
    from sim3d.view.standing_map import written

    _declared(unit, up)
    _installed(engine, None)
    files = out or []
    for file in files:
        if file.suffix not in (".npz", ".glb", ".png", ".csv", ".html"):
            _fail(f"-o {file}: a map is written as .npz, .glb, .png, .csv or .html")
    if audit < 0 or not 0 < pitch <= 1000 or not (threads is None or 1 <= threads <= 256):
        _fail("--audit is 0 or more, --pitch over 0 and at most 1000, --threads from 1 to 256")
    mass = _numbers("--com", com, 1, 3)
    box = _numbers("--area", area, 4)
    try:
        if where.suffix.lower() in (".toml", ".json"):
            if unit or up:
                _fail("--unit and --up are said of a mesh; a table file says its own")
            table = read_scenario(where).table
        else:
            table = Table.of(read_solid(where, unit=unit, up=up))
        minis = [Mini(base_called(name), height=height, com=mass) for name in base or ["27"]]
        maps = []
        for made in _swept(table, minis, pitch, turn, levels, box, friction, audit, engine, threads):
            typer.echo(map_json(made) if json else map_text(made), nl=False)
            maps.append(made)
    except Refused as refused:
        _refused(refused)
    except (ValueError, OSError) as error:
        _fail(str(error))
    for file in files:
        if file.suffix == ".html":
            _write(file, html_of_maps(where.name, table, maps, minis))
            continue
        for made in maps:
            name = file if len(maps) == 1 else file.with_stem(f"{file.stem}-{made.base}")
            for path, data in written(made, name):
                _write(path, data)
    raise typer.Exit(YES)


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
    typer.echo("sim3d: the first map after installing compiles its loops: a few minutes, once", err=True)
    with _progress("mapping", 1) as step:
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


@app.command()
def run(
    paths: Annotated[list[Path], typer.Argument(metavar="FILE|FOLDER…", help="Scenario files, or folders of them.")],
    engine: Engine = None,
    physics: Physics = None,
    junit: Annotated[Path | None, typer.Option(help="Write the results here as JUnit XML, too.")] = None,
    record: Annotated[Path | None, typer.Option(help="Write what was played here, every choice in it.")] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Rewrite expectations that did not hold.")] = False,
    json: Json = False,
) -> None:
    """Ask every step of scenario files and compare with what they expect."""
    from sim3d.report import running

    _installed(engine, physics)
    asked = running.searched(paths)
    for path in asked.skipped:
        typer.echo(f"sim3d: {path} asks nothing: it has no step", err=True)
    if not asked.files:
        _fail("no scenario with a step was found")
    if record is not None and len(asked.files) != 1:
        _fail("--record: give one scenario file whose steps move units")
    seen = []
    with _progress("playing", len(asked.files)) as step:
        for file in asked.files:
            seen.append(running.ran(file, engine=engine, physics=physics))
            step()
    typer.echo(running.running_json(seen) if json else running.running_text(seen), nl=False)
    if junit is not None:
        _write(junit, running.junit(seen).encode())
    if record is not None:
        _recorded(seen, record)
    n = running.counts(seen)
    settled = _accepted(seen) if accept else n["not_held"] == 0
    if n["unreadable"] or n["errors"]:
        raise typer.Exit(MISUSE)
    raise typer.Exit(YES if settled else NO)


def _recorded(seen: Sequence[Ran], path: Path) -> None:
    """Write the one file that was played with every choice in it."""
    from sim3d.report.replaying import replay_text

    if seen[0].result is None or seen[0].result.scenario.battle is None:
        _fail("--record: give one scenario file whose steps move units")
    try:
        text = replay_text(seen[0].result, folder=path.parent)
    except ValueError as error:
        _fail(f"--record: {error}")
    _write(path, text.encode())


def _accepted(seen: Sequence[Ran]) -> bool:
    """Rewrite what did not hold and say so on stderr; whether nothing is left to do by hand."""
    from sim3d.finding import Refused
    from sim3d.report.accepting import accept

    left = 0
    for one in seen:
        if one.result is None or one.ok:
            continue
        try:
            made = accept(Path(one.file), one.result)
        except Refused as refused:
            _refused(refused)
        except OSError as error:
            _fail(f"cannot write {one.file}: {error.strerror}")
        plural = "" if made.rewritten == 1 else "s"
        typer.echo(f"{one.file}: {made.rewritten} expectation{plural} rewritten", err=True)
        for line in made.left:
            typer.echo(f"{one.file}: {line}", err=True)
        left += len(made.left)
    return left == 0


def _installed(engine: str | None, physics: str | None) -> None:
    """Refuse an engine or a physics that means nothing, or is not here, before any file is read."""
    if physics not in (None, "always", "doubt", "never"):
        _fail(f"--physics {physics}: it is always, doubt or never")
    if engine is not None:
        from sim3d.engine import engine_named

        try:
            engine_named(engine)
        except ValueError as error:
            _fail(f"--engine: {error}")


@app.command()
def move(
    scenario: Annotated[Path, typer.Argument(help="A scenario file whose steps move units.")],
    step: Annotated[int | None, typer.Option(help="Only this step, counted from 1.")] = None,
    engine: Engine = None,
    physics: Physics = None,
    json: Json = False,
) -> None:
    """Judge the moves of a scenario and say what comes of them. Exit code 0: all are legal."""
    from dataclasses import replace

    from sim3d.finding import Refused
    from sim3d.report.moving import all_legal, moves_of, moving_json, moving_text
    from sim3d.scenario import play_scenario, read_scenario

    _installed(engine, physics)
    try:
        result = play_scenario(read_scenario(scenario), engine=engine, physics=physics)
    except Refused as refused:
        _refused(refused)
    moves = [p for p in moves_of(result) if step in (None, p.number)]
    if not moves:
        _fail(f"{scenario} has no move" + ("" if step is None else f" at step {step}"))
    result = replace(result, played=tuple(moves))
    typer.echo(moving_json(result) if json else moving_text(result), nl=False)
    if any(p.error for p in moves):
        raise typer.Exit(MISUSE)
    raise typer.Exit(YES if all_legal(moves) else NO)


@app.command()
def bake(
    file: Annotated[Path, typer.Argument(help="A scenario file with a hexes table, or a table file and the options.")],
    base: Annotated[str | None, typer.Option(help="The units' base, if the file has no hexes table: hex70, …")] = None,
    height: Annotated[float | None, typer.Option(help="Height of the units' minis in mm.")] = None,
    com: Annotated[float | None, typer.Option(help="Their centre of mass: mm over the underside.")] = None,
    radius: Annotated[int | None, typer.Option(help="Hexes around the origin.")] = None,
    columns: Annotated[int | None, typer.Option(help="Hexes in a row.")] = None,
    rows: Annotated[int | None, typer.Option(help="Rows of hexes.")] = None,
    size: Annotated[float | None, typer.Option(help="mm from a hex's centre to its corner; 50 without it.")] = None,
    turn: Annotated[float, typer.Option(help="Degrees; 0: corners up.")] = 0.0,
    origin: Annotated[str, typer.Option(help="X,Y in mm of the middle hex.")] = "0,0",
    out: Annotated[Path | None, typer.Option(help="Save the baked terrain here.")] = None,
    png: Annotated[Path | None, typer.Option(help="Draw the board here.")] = None,
    pixels: Annotated[str, typer.Option(help="With --png: its width and height.")] = "1600x1200",
    reach: Annotated[str, typer.Option(help="With --png: the unit whose reach is drawn.")] = "",
    json: Json = False,
) -> None:
    """Bake the terrain of a table onto hexes: heights, walls, and where the units' base stands."""
    from sim3d.finding import Refused
    from sim3d.mini import Mini
    from sim3d.report.baking import bake_text, baking_of, hexes_of
    from sim3d.rules.hexes.grid import HEX_MM, Layout
    from sim3d.rules.hexes.saved import field_text

    x, y = _numbers("--origin", origin, 2)  # type: ignore[misc]  # two of them
    wide, tall = _size("--pixels", pixels)
    try:
        layout = Layout(HEX_MM if size is None else size, turn, (x, y))
        mini = None if base is None else Mini(base, height=height, com=com)
        table, plan = baking_of(file, mini, hexes_of(radius, columns, rows), layout)
        field = plan.baked(table)
        assert field is not None  # a plan without a base was refused
        board = plan.board(table)
        if reach:
            board.unit(reach)
    except Refused as refused:
        _refused(refused)
    except (KeyError, ValueError) as error:
        _fail(str(error.args[0]))
    typer.echo(field_text(field) if json else bake_text(field, board, plan.ruleset), nl=False)
    if out is not None:
        _write(out, field_text(field).encode())
    if png is not None:
        from sim3d.view.hexboard import picture_of_board

        picture = picture_of_board(table, plan.layout, board, plan.ruleset, width=wide, height=tall, reach_of=reach)
        _write(png, picture)


@app.command()
def explain(
    code: Annotated[str | None, typer.Argument(help="A code, as a finding names it; without it, all.")] = None,
) -> None:
    """What a finding's code means, why it matters, an example, what to do."""
    from difflib import get_close_matches

    from sim3d.report.codes import every_code, explained

    codes = every_code()
    if code is None:
        for one in codes.values():
            typer.echo(f"{one.code:28} {one.severity.word:8} {one.doc.splitlines()[0]}")
        return
    if code.upper() not in codes:
        near = get_close_matches(code.upper(), codes, n=1)
        _fail(f"no code {code!r}" + (f"; did you mean {near[0]}?" if near else "; `sim3d explain` lists them all"))
    typer.echo(explained(codes[code.upper()]), nl=False)


@app.command()
def show(
    table: Annotated[Path, typer.Argument(help="A table or scenario file, a mesh, or with --png a pack's folder.")],
    png: Annotated[Path | None, typer.Option(help="Write a picture here.")] = None,
    gif: Annotated[
        Path | None, typer.Option(help="Write what moves here: a GIF, or an APNG if it ends in png.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write a page here: one file, 3D, offline.")] = None,
    glb: Annotated[Path | None, typer.Option(help="Write a GLB here, in colours, for other programs.")] = None,
    base: Annotated[
        list[str] | None, typer.Option(help="On the page: where this base stands; may be repeated; none: no map.")
    ] = None,
    pitch: Annotated[float | None, typer.Option(min=0.1, max=20, help="Of the page's standing maps, mm.")] = None,
    levels: Annotated[bool, typer.Option("--levels", help="A map of every storey below a roof, too.")] = False,
    reach: Annotated[str, typer.Option(help="On the page and in the window: the unit whose reach is shown.")] = "",
    engine: Engine = None,
    physics: Physics = None,
    size: Annotated[str | None, typer.Option(help="Width and height in pixels; 1600x1000, of a GIF 640x420.")] = None,
    azimuth: Annotated[float, typer.Option(help="Where the camera stands, degrees from +x.")] = -60.0,
    elevation: Annotated[float, typer.Option(help="How high it stands, degrees over the table.")] = 38.0,
    plan: Annotated[bool, typer.Option("--plan", help="From straight above, with a scale bar.")] = False,
    step: Annotated[int | None, typer.Option(min=0, help="Of the picture: this step, with its forces.")] = None,
    drop: Annotated[float | None, typer.Option(min=0, max=1000, help="In the window: dropped from so many mm.")] = None,
) -> None:
    """A table and what its steps say: in a window, or as a picture, a moving one, a page, a GLB."""
    from sim3d.finding import Refused
    from sim3d.report import showing
    from sim3d.view.album import picture_of_story

    width, height = _size("--size", size or "1600x1000")
    if not (abs(azimuth) <= 3600 and 0 < elevation <= 90):
        _fail("--azimuth is a number of degrees, --elevation over 0 and at most 90")
    _installed(engine, physics)
    files = [file for file in (png, gif, html, glb) if file is not None]
    for file in files:
        if file.exists() and table.exists() and file.samefile(table):
            _fail(f"{file} is what is shown; the picture would take its place")
    how: dict[str, Any] = {"engine": engine, "physics": physics}
    try:
        if table.is_dir():
            if png is None or len(files) > 1:
                _fail(f"{table} is a folder: of a pack there is a picture, --png, and `sim3d validate --format html`")
            _write(png, showing.sheet_of_pack(table))
            return
        shown = showing.Shown.read(table)
        if not files:
            _window(table, shown, reach, drop, how)
        if html is not None:
            with _progress("mapping", 1) as bar:
                page = showing.html_of(shown, base, pitch, levels=levels, unit=reach, told=bar.upto, **how)
            _write(html, page)
        if glb is not None:
            _write(glb, showing.glb_of(shown))
        if png is not None:
            view = {"azimuth_deg": azimuth, "elevation_deg": elevation}
            still = showing.still_of(shown, **how)
            _write(png, picture_of_story(still, width=width, height=height, plan=plan, step=step, **view))
        if gif is not None:
            wide, tall = _size("--size", size or "640x420")
            story = showing.story_shown(shown, **how)
            _write(gif, showing.moving_of(story, gif, step=step, width=wide, height=tall))
    except Refused as refused:
        _refused(refused)
    except (KeyError, ValueError) as error:
        _fail(str(error.args[0]))


def _window(path: Path, shown: Shown, unit: str, drop_mm: float | None, how: dict[str, Any]) -> None:
    """The window until it is closed; where there can be none, one line and the page instead."""
    import tempfile
    import webbrowser

    from sim3d.engine.glass import NoGlass, has_display
    from sim3d.report import showing

    try:
        showing.window_of(path, shown, unit=unit, drop_mm=drop_mm, **how)
    except NoGlass as reason:
        page = Path(tempfile.mkdtemp(prefix="sim3d-")) / f"{path.stem}.html"
        page.write_bytes(showing.html_of(shown, None, None, unit=unit, **how))
        opened = has_display() and webbrowser.open(page.as_uri())
        _aside(f"no window: {reason}; {'the page opens instead' if opened else 'here is the page instead'}: {page}")


@app.command()
def validate(
    path: Annotated[Path, typer.Argument(metavar="PACK", help="A folder of meshes, its pack.toml, or a table file.")],
    format: Annotated[str, typer.Option(help="text, json, sarif, junit, markdown, github, csv, html.")] = "text",
    out: Annotated[Path | None, typer.Option(help="Write every report into this folder, too.")] = None,
    piece: Annotated[list[str] | None, typer.Option(help="Only pieces of this name or glob; may be repeated.")] = None,
    base: Annotated[list[str] | None, typer.Option(help="Instead of the manifest's bases; may be repeated.")] = None,
    pitch: Annotated[float | None, typer.Option(min=0.1, max=20, help="Of standing maps, mm.")] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="A code not to hear of; may be repeated.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="Hear of this code alone; may be repeated.")] = None,
    fail_on: Annotated[str | None, typer.Option(help="Exit 1 from this severity; else error.")] = None,
    max_warnings: Annotated[int | None, typer.Option(min=0, help="Exit 1 from more warnings.")] = None,
    baseline: Annotated[Path | None, typer.Option(help="A file of known findings: only new ones are heard.")] = None,
    write_baseline: Annotated[Path | None, typer.Option(help="Write what is found to a baseline file.")] = None,
    fix: Annotated[
        Path | None, typer.Option(help="Write repaired copies into this folder; nothing else changes.")
    ] = None,
    no_standing: Annotated[bool, typer.Option("--no-standing", help="Leave out where bases stand.")] = False,
    audit: Annotated[int, typer.Option(min=0, help="Ask an engine about so many placements of each base.")] = 0,
    workers: Annotated[int | None, typer.Option(min=0, max=256, help="Processes; 0: none, in this one.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="A Dask cluster: tcp://… or a scheduler file.")] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds for one look at one piece.")] = 600.0,
    memory: Annotated[int, typer.Option(min=500, help="MB for one worker process.")] = 4000,
    store: Annotated[Path | None, typer.Option(help="Folder that keeps answers; else the user's cache.")] = None,
    no_store: Annotated[bool, typer.Option("--no-store", help="Keep no answers and use none.")] = False,
    json: Json = False,
) -> None:
    """Validate a terrain pack: a verdict for every piece, a reason for every finding. Exit code 0: a yes."""
    import os

    from sim3d.finding import Policy, Refused, Severity
    from sim3d.mini import Base
    from sim3d.pack import How
    from sim3d.report import validating
    from sim3d.report.codes import every_code
    from sim3d.spread import Unreachable

    every_code()
    wanted = "json" if json else format
    if wanted not in validating.EVERY:
        _fail(f"--format {wanted}: it is {', '.join(validating.EVERY)}")
    if unknown := Policy(ignore=tuple(ignore or ()), only=tuple(only or ())).unknown_codes():
        _fail(f"no such code: {', '.join(unknown)}; docs/findings.md lists them all")
    how = How(
        workers=(os.cpu_count() or 1) if workers is None else workers,
        scheduler=scheduler,
        seconds=timeout,
        memory_mb=memory,
        audit=audit,
        standing=not no_standing,
    )
    words = {
        "ignore": tuple(ignore or ()),
        "only": tuple(only or ()),
        "pieces": tuple(piece or ()),
        "bases": tuple(base or ()),
    }
    asked = validating.Asked(
        how, store, not no_store, pitch=pitch, baseline=baseline, fail_on=fail_on, max_warnings=max_warnings, **words
    )
    try:
        if fail_on is not None:
            Severity.of(fail_on)
        for name in base or ():
            Base.named(name)
        with _progress("looking", 1) as bar:
            heard = validating.validated(path, asked, said=_aside, told=bar.upto)
    except Refused as refused:
        _refused(refused)
    except (ValueError, Unreachable) as error:
        _fail(str(error))
    typer.echo(validating.text_of(heard, wanted), nl=False)
    if heard.known:
        _aside(f"{heard.known} known findings of the baseline were left out")
    if write_baseline is not None:
        _write(write_baseline, validating.baseline_text(heard.every).encode())
    if fix is not None:
        _fixed(path, fix, asked)
    if out is not None:
        for made in validating.written(heard, out):
            typer.echo(f"wrote {made}", err=True)
    raise typer.Exit(YES if heard.yes else NO)


def _fixed(path: Path, folder: Path, asked: Asked) -> None:
    """Repaired copies, and what was done to each, on stderr and beside them."""
    from sim3d.finding import Refused
    from sim3d.report import validating

    try:
        made = validating.fixed(path, folder, asked.pieces, asked.how)
    except Refused as refused:
        _refused(refused)
    except ValueError as error:
        _fail(str(error))
    for line in validating.fixed_text(made):
        typer.echo(line, err=True)
    if any(one.out for one in made):
        _write(folder / "changes.json", validating.fixed_json(made).encode())


def _aside(text: str) -> None:
    """Something worth knowing that is no data."""
    typer.echo(f"sim3d: {text}", err=True)


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="A folder of meshes without a pack.toml.")],
    force: Annotated[bool, typer.Option("--force", help="Write over a pack.toml that is there.")] = False,
) -> None:
    """Write a first pack.toml for a folder, from what its meshes show."""
    from sim3d.finding import Refused
    from sim3d.pack import MANIFEST
    from sim3d.pack.first import first_manifest

    if not folder.is_dir():
        _fail(f"{folder} is not a folder")
    if (folder / MANIFEST).exists() and not force:
        _fail(f"{folder / MANIFEST} is there already; --force writes over it")
    try:
        text, left = first_manifest(folder)
    except Refused as refused:
        _refused(refused)
    for line in left:
        _aside(line)
    _write(folder / MANIFEST, text.encode())


def _size(option: str, text: str) -> tuple[int, int]:
    """Width and height of a picture."""
    try:
        width, height = (int(part) for part in text.split("x"))
        if not (16 <= width <= 8000 and 16 <= height <= 8000):
            raise ValueError
    except ValueError:
        _fail(f"{option} is WIDTHxHEIGHT from 16x16 to 8000x8000, not {text!r}")
    return width, height


def _write(path: Path, data: bytes) -> None:
    """A file somebody asked for, its folder too; said on stderr."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        _fail(f"cannot write {path}: {error.strerror}")
    typer.echo(f"wrote {path}", err=True)


def _refused(refused: Refused) -> NoReturn:
    for finding in refused.report:
        typer.echo(str(finding), err=True)
    raise typer.Exit(MISUSE)


def sample_folder() -> Path:
    """Where the sample terrain is: beside the package in a checkout, inside it when installed."""
    inside = Path(__file__).parent / "sample"
    return inside if inside.is_dir() else Path(__file__).parent.parent


@app.command()
def demo(
    png: Annotated[Path, typer.Option(help="Write the picture here.")] = Path("out/demo.png"),
    out: Annotated[Path, typer.Option(help="Write the reports on the sample pack into this folder.")] = Path(
        "out/pack"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="Leave out where bases stand on each piece.")] = False,
    engine: Engine = None,
    physics: Physics = None,
) -> None:
    """Miniatures set down all over the sample board, with a picture; then the sample pack validated, with reports."""
    import os

    from sim3d.pack import How
    from sim3d.report import validating
    from sim3d.report.demo import demo_shown, demo_text
    from sim3d.report.validation import validation_text
    from sim3d.scenario import read_scenario
    from sim3d.view.stands import Shown, picture_of_stands

    _installed(engine, physics)
    folder = sample_folder()
    pack = folder / "meshes" / "pack"
    if not pack.is_dir():
        _fail(f"the sample pack is not at {folder}")
    board = read_scenario(folder / "scenarios" / "board.toml").table
    seen = demo_shown(board, engine=engine, physics=physics or "always")
    typer.echo(demo_text(seen), nl=False)
    shown = [Shown(placed, answer, placed.name) for placed, answer in seen]
    _write(png, picture_of_stands(board, shown, width=1800, height=1100, title="will it stand?"))
    how = How(workers=os.cpu_count() or 1, standing=not quick)
    with _progress("looking", 1) as bar:
        heard = validating.validated(pack, validating.Asked(how, bases=("27",)), said=_aside, told=bar.upto)
    typer.echo("\n" + validation_text(heard.validation), nl=False)
    for made in validating.written(heard, out):
        typer.echo(f"wrote {made}", err=True)
    raise typer.Exit(YES)
