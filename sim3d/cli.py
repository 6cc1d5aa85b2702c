"""The command line: verbs as subcommands; each parses, calls one function of the house, prints.

Data on stdout, progress on stderr. Exit 0 yes, 1 no or findings, 2 misuse or input that cannot be read.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from sim3d import __version__

if TYPE_CHECKING:
    from sim3d.finding import Refused
    from sim3d.solid import Limits

YES, NO, MISUSE = 0, 1, 2

app = typer.Typer(
    name="sim3d",
    help="Will it stand? Physics and exact statics for miniatures on tabletop terrain.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print data instead of text.")]


def main() -> None:
    """The `sim3d` command."""
    try:
        app()
    except BrokenPipeError:  # the reader of our output went away, as `| head` does: nothing left to say
        sys.stderr.close()
        raise SystemExit(NO) from None


def _fail(message: str) -> NoReturn:
    typer.echo(f"sim3d: {message}", err=True)
    raise typer.Exit(MISUSE)


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar on stderr for work that takes more than a moment; nothing where nobody looks."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


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
    if max_mb is not None:
        asked["max_bytes"] = int(max_mb * 1_000_000)
    if max_triangles is not None:
        asked["max_triangles"] = max_triangles
    return Limits(**asked)


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
    table: Annotated[Path, typer.Argument(help="A table file, or a mesh.")],
    png: Annotated[Path, typer.Option(help="Write a picture here.")],
    size: Annotated[str, typer.Option(help="Width and height in pixels.")] = "1600x1000",
    azimuth: Annotated[float, typer.Option(help="Where the camera stands, degrees from +x.")] = -60.0,
    elevation: Annotated[float, typer.Option(help="How high it stands, degrees over the table.")] = 38.0,
    plan: Annotated[bool, typer.Option("--plan", help="From straight above, with a scale bar.")] = False,
) -> None:
    """A picture of a table."""
    from sim3d.finding import Refused
    from sim3d.table import Table, read_table
    from sim3d.view.tableau import picture_of

    try:
        width, height = (int(part) for part in size.split("x"))
        if not (16 <= width <= 8000 and 16 <= height <= 8000):
            raise ValueError
    except ValueError:
        _fail(f"--size is WIDTHxHEIGHT from 16x16 to 8000x8000, not {size!r}")
    try:
        if table.suffix.lower() in (".toml", ".json"):
            seen = read_table(table)
        else:
            from sim3d.solid import read_solid

            seen = Table.of(read_solid(table))
    except Refused as refused:
        _refused(refused)
    image = picture_of(seen, width=width, height=height, azimuth_deg=azimuth, elevation_deg=elevation, plan=plan)
    try:
        png.parent.mkdir(parents=True, exist_ok=True)
        png.write_bytes(image)
    except OSError as error:
        _fail(f"cannot write {png}: {error.strerror}")
    typer.echo(f"wrote {png}", err=True)


def _refused(refused: Refused) -> NoReturn:
    for finding in refused.report:
        typer.echo(str(finding), err=True)
    raise typer.Exit(MISUSE)


def sample_folder() -> Path:
    """Where the sample terrain is: beside the package in a checkout, inside it when installed."""
    inside = Path(__file__).parent / "sample"
    return inside if inside.is_dir() else Path(__file__).parent.parent


@app.command()
def demo() -> None:
    """Inspect the sample pack and say, piece by piece, whether it can be trusted."""
    from sim3d.report.inspection import demo_text, inspected

    folder = sample_folder() / "meshes" / "pack"
    files: Sequence[Path] = sorted(p for p in folder.glob("*") if p.suffix in (".stl", ".ply", ".obj", ".glb"))
    if not files:
        _fail(f"the sample pack is not at {folder}")
    seen = []
    with _progress("inspecting the sample pack", len(files)) as step:
        for file in files:
            seen.append(inspected(file, shown=file.name))
            step()
    typer.echo(demo_text(seen), nl=False)
    raise typer.Exit(YES if all(one.readable and one.report.ok for one in seen) else NO)
