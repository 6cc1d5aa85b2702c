"""The verb `show`: a table, a scenario or a mesh in a window, or written as a picture, a page, a GLB."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sim3d.cli.apart import each_its_own, kept_apart
from sim3d.cli.options import (
    BaseUnit,
    BaseUp,
    Engine,
    Physics,
    Unit,
    Up,
    a_table,
    declared,
    in_vain,
    installed,
    size_of,
)
from sim3d.cli.saying import MISUSE, a_picture, aside, doubt, fail, kept, progress, refuse, room_for, write

if TYPE_CHECKING:
    from sim3d.report.showing import Shown


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
    unit: Unit = None,
    up: Up = None,
    base_unit: BaseUnit = None,
    base_up: BaseUp = None,
    pitch: Annotated[float | None, typer.Option(min=0.1, max=20, help="Of the page's standing maps, mm.")] = None,
    levels: Annotated[bool, typer.Option("--levels", help="A map of every storey below a roof, too.")] = False,
    reach: Annotated[str, typer.Option(help="On the page and in the window: the unit whose reach is shown.")] = "",
    engine: Engine = None,
    physics: Physics = None,
    size: Annotated[str | None, typer.Option(help="Width and height in pixels; 1600x1000, of a GIF 640x420.")] = None,
    azimuth: Annotated[
        float | None, typer.Option(help="Where the camera stands, degrees from +x; else where the minis are seen.")
    ] = None,
    elevation: Annotated[
        float | None, typer.Option(help="How high it stands, degrees over the table; without it 38.")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="From straight above, with a scale bar.")] = False,
    step: Annotated[int | None, typer.Option(min=0, help="Of the picture: this step, with its forces.")] = None,
    drop: Annotated[float | None, typer.Option(min=0, max=1000, help="In the window: dropped from so many mm.")] = None,
) -> None:
    """A table and what its steps say: in a window, or as a picture, a moving one, a page, a GLB."""
    from sim3d.finding import Refused
    from sim3d.report import showing
    from sim3d.view.album import picture_of_story

    width, height = size_of("--size", size or "1600x1000")
    if not (abs(azimuth or 0.0) <= 3600 and (elevation is None or 0 < elevation <= 90)):
        fail("--azimuth is a number of degrees, --elevation over 0 and at most 90")
    declared(unit, up)
    declared(base_unit, base_up, of="base-")
    installed(engine, physics)
    a_table(table)
    files = [file for file in (png, gif, html, glb) if file is not None]
    _room(files, table, *map(Path, base or ()))
    _called_what_they_are(png, glb, gif, html)
    flat, page = png is not None or gif is not None, html is not None
    in_vain(
        ("--step", step is not None and not flat, "a picture: add --png or --gif"),
        ("--size", size is not None and not flat, "a picture: add --png or --gif"),
        ("--plan", plan and png is None, "a picture: add --png"),
        ("--azimuth", azimuth is not None and png is None, "a picture: add --png"),
        ("--elevation", elevation is not None and png is None, "a picture: add --png"),
        ("--base", bool(base) and not page, "the page: add --html"),
        ("--base-unit", base_unit is not None and not page, "the page: add --html"),
        ("--base-up", base_up is not None and not page, "the page: add --html"),
        ("--pitch", pitch is not None and not page, "the page: add --html"),
        ("--levels", levels and not page, "the page: add --html"),
        ("--reach", bool(reach) and not page and bool(files), "the page and the window: add --html"),
        ("--drop", drop is not None and bool(files), "the window: say no --png, --gif, --html or --glb"),
    )
    for option, angle in (("--azimuth", azimuth), ("--elevation", elevation)):
        if angle is not None and plan:
            fail(f"{option} is of a picture at a slant, and --plan is one from straight above: say one of them")
    how: dict[str, Any] = {"engine": engine, "physics": physics}
    try:
        if table.is_dir():
            said = {"--step": step, "--size": size, "--plan": plan or None, "--azimuth": azimuth}
            said |= {"--elevation": elevation, "--engine": engine, "--physics": physics, "--unit": unit, "--up": up}
            _sheet(table, png, alone=len(files) == 1, said=said)
            return
        shown = showing.Shown.read(table, unit=unit, up=up)
        doubt(shown.table)
        if not files:
            _window(table, shown, reach, drop, how)
        whole = True  # where one file cannot be written, the others are
        if html is not None:
            bases = showing.bases_of_maps(shown, base, unit=base_unit, up=base_up)
            for one in bases:
                doubt(one)
            with progress("mapping", 1) as bar:
                made = showing.html_of(shown, bases, pitch, levels=levels, unit=reach, told=bar.upto, **how)
            whole &= kept(html, made)
        if glb is not None:
            whole &= kept(glb, showing.glb_of(shown))
        if png is not None:
            view: dict[str, Any] = {"width": width, "height": height, "plan": plan, "azimuth_deg": azimuth}
            view |= {} if elevation is None else {"elevation_deg": elevation}
            whole &= kept(png, picture_of_story(showing.still_of(shown, **how), step=step, **view))
        if gif is not None:
            wide, tall = size_of("--size", size or "640x420")
            story = showing.story_shown(shown, **how)
            whole &= kept(gif, showing.moving_of(story, gif, step=step, width=wide, height=tall))
        if not whole:
            raise typer.Exit(MISUSE)
    except Refused as refused:
        refuse(refused)
    except (KeyError, ValueError) as error:
        fail(str(error.args[0]))


def _room(files: list[Path], *read: Path) -> None:
    """See, before any work, that all that is written has a place, and that none of it is read or named twice."""
    for file in files:
        room_for(file)
    each_its_own(files)
    kept_apart(files, *read)


def _called_what_they_are(png: Path | None, glb: Path | None, gif: Path | None, html: Path | None) -> None:
    """Refuse names by which nobody could open what is written."""
    a_picture(png)
    if glb is not None and glb.suffix.lower() != ".glb":
        fail(f"--glb {glb}: let its name end in .glb; under another nobody can read it")
    if gif is not None and gif.suffix.lower() not in (".gif", ".png", ".apng"):
        fail(f"--gif {gif}: let its name end in .gif, or in .png for full colour; under another nobody plays it")
    if html is not None and html.suffix.lower() not in (".html", ".htm"):
        fail(f"--html {html}: a page is opened by its name; let it end in .html")


def _sheet(folder: Path, png: Path | None, *, alone: bool, said: dict[str, Any]) -> None:
    """A pack's folder has one picture, of all its pieces; options that are said have nothing to do there."""
    from sim3d.report import showing

    if png is None or not alone:
        fail(f"{folder} is a folder: of a pack there is a picture, --png, and `sim3d validate --format html`")
    of = f"a table or a mesh, and {folder} is a pack's folder"
    in_vain(*((option, value is not None, of) for option, value in said.items()))
    write(png, showing.sheet_of_pack(folder))


def _window(path: Path, shown: Shown, unit: str, drop_mm: float | None, how: dict[str, Any]) -> None:
    """The window until it is closed; where there can be none, one line and the page instead."""
    import tempfile
    import webbrowser

    from sim3d.engine.glass import NoGlass, has_display
    from sim3d.keep import keep
    from sim3d.report import showing

    try:
        showing.window_of(path, shown, unit=unit, drop_mm=drop_mm, **how)
    except NoGlass as reason:
        page = Path(tempfile.mkdtemp(prefix="sim3d-")) / f"{path.stem}.html"
        keep(page, showing.html_of(shown, showing.bases_of_maps(shown, None), None, unit=unit, **how))
        opened = has_display() and webbrowser.open(page.as_uri())
        aside(f"no window: {reason}; {'the page opens instead' if opened else 'here is the page instead'}: {page}")
