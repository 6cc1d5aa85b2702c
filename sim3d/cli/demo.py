"""The verb `demo`: the sample board and the sample pack, with a picture and reports; nothing to prepare."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from sim3d.cli.ahead import compiled_ahead
from sim3d.cli.apart import each_its_own, kept_apart
from sim3d.cli.options import Engine, Physics, installed
from sim3d.cli.saying import MISUSE, YES, a_picture, aside, fail, kept, progress, room_for, room_in, tell


def sample_folder(beside: Path) -> Path:
    """Where the sample terrain is: in a checkout beside the package; else it is made, beside the demo's reports."""
    checkout = Path(__file__).parent.parent.parent
    if (checkout / "meshes" / "pack" / "pack.toml").is_file() and (checkout / "scenarios" / "board.toml").is_file():
        return checkout
    from sim3d.forge.__main__ import sample

    aside(f"making the sample terrain in {beside / 'sample'}")
    try:
        sample(beside / "sample")
    except OSError as error:
        fail(f"cannot write {error.filename or beside}: {error.strerror}")
    return beside / "sample"


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

    installed(engine, physics)
    room_for(png)
    room_in(out)
    folder = sample_folder(out.parent)
    pack = folder / "meshes" / "pack"
    each_its_own((png, *validating.files_of(out)))
    kept_apart((png, *validating.files_of(out)), pack, folder / "scenarios" / "board.toml")
    a_picture(png)
    board = read_scenario(folder / "scenarios" / "board.toml").table
    with nullcontext() if quick else compiled_ahead("maps"):
        seen = demo_shown(board, engine=engine, physics=physics or "always")
        tell(demo_text(seen))
        shown = [Shown(placed, answer, placed.name) for placed, answer in seen]
        whole = kept(png, picture_of_stands(board, shown, width=1800, height=1100, title="will it stand?"))
        how = How(workers=os.cpu_count() or 1, standing=not quick)
        with progress("looking", 1) as bar:
            heard = validating.validated(pack, validating.Asked(how, bases=("27",)), said=aside, told=bar.upto)
        typer.echo("\n" + validation_text(heard.validation), nl=False)
        for made, data in validating.reports_in(heard, out):
            whole &= kept(made, data)
    raise typer.Exit(YES if whole else MISUSE)
