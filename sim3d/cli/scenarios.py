"""Verbs about scenario files: `run` holds them to what they expect, `move` judges, `bake` lays terrain on hexes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim3d.cli.apart import each_its_own, kept_apart
from sim3d.cli.options import Engine, Json, Physics, a_table, installed, numbers, size_of, turned, written_down
from sim3d.cli.saying import (
    MISUSE,
    NO,
    YES,
    a_picture,
    aside,
    doubt,
    fail,
    kept,
    named,
    note,
    progress,
    refuse,
    room_for,
    tell,
    write,
)

if TYPE_CHECKING:
    from sim3d.report.running import Ran

SCENARIO = "a scenario is wanted, a file that names it and asks (docs/scenarios.md)"


def run(
    paths: Annotated[
        list[Path], typer.Argument(metavar="FILE|FOLDER…", parser=named, help="Scenario files, or folders of them.")
    ],
    engine: Engine = None,
    physics: Physics = None,
    junit: Annotated[Path | None, typer.Option(help="Write the results here as JUnit XML, too.")] = None,
    record: Annotated[Path | None, typer.Option(help="Write what was played here, every choice in it.")] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Rewrite expectations that did not hold.")] = False,
    json: Json = False,
) -> None:
    """Ask every step of scenario files and compare with what they expect."""
    from sim3d.report import running

    installed(engine, physics)
    for written in (junit, record):
        if written is not None:
            room_for(written)
    each_its_own((junit, record))
    kept_apart((junit, record), *paths)
    for path in paths:
        a_table(path)
        written_down(path, instead=SCENARIO)
    if record is not None and record.suffix.lower() != ".toml":
        fail(f"--record {record}: what was played is a TOML file; let its name end in .toml")
    asked = running.searched(paths)
    for path in asked.skipped:
        aside(f"{path} asks nothing: it has no step")
    if not asked.files:
        fail("no scenario with a step was found")
    if record is not None and len(asked.files) != 1:
        fail("--record: give one scenario file whose steps move units")
    seen = []
    with progress("playing", len(asked.files)) as step:
        for file in asked.files:
            seen.append(running.ran(file, engine=engine, physics=physics))
            if seen[-1].result is not None:
                doubt(seen[-1].result.scenario.table)
            step()
    if json:
        typer.echo(running.running_json(seen), nl=False)
    else:
        tell(running.running_text(seen))
    if junit is not None:
        write(junit, running.junit(seen).encode())
    if record is not None:
        _recorded(seen, record)
    n = running.counts(seen)
    settled = _accepted(seen) if accept else n["not_held"] == 0
    if n["unreadable"] or n["errors"]:
        raise typer.Exit(MISUSE)
    raise typer.Exit(YES if settled else NO)


def _recorded(seen: Sequence[Ran], path: Path) -> None:
    """Write the one file that was played with every choice in it."""
    from sim3d.report.replaying import on_hexes, replay_text

    if seen[0].result is not None and on_hexes(seen[0].result):
        fail("--record writes down no moves on hexes: such a step has every choice and die in it already")
    if seen[0].result is None or seen[0].result.scenario.battle is None:
        fail("--record: give one scenario file whose steps move units")
    try:
        text = replay_text(seen[0].result, folder=path.parent)
    except ValueError as error:
        fail(f"--record: {error}")
    write(path, text.encode())


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
            refuse(refused)
        except OSError as error:
            fail(f"cannot write {one.file}: {error.strerror}")
        plural = "" if made.rewritten == 1 else "s"
        note(f"{one.file}: {made.rewritten} expectation{plural} rewritten")
        for line in made.left:
            note(f"{one.file}: {line}")
        left += len(made.left)
    return left == 0


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

    installed(engine, physics)
    a_table(scenario)
    written_down(scenario, instead=SCENARIO)
    try:
        asked = read_scenario(scenario)
        doubt(asked.table)
        result = play_scenario(asked, engine=engine, physics=physics)
    except Refused as refused:
        refuse(refused)
    moves = [p for p in moves_of(result) if step in (None, p.number)]
    if not moves:
        fail(f"{scenario} has no move" + ("" if step is None else f" at step {step}"))
    result = replace(result, played=tuple(moves))
    if json:
        typer.echo(moving_json(result), nl=False)
    else:
        tell(moving_text(result))
    if any(p.error for p in moves):
        raise typer.Exit(MISUSE)
    raise typer.Exit(YES if all_legal(moves) else NO)


def bake(
    file: Annotated[Path, typer.Argument(help="A scenario file with a hexes table, or a table file and the options.")],
    base: Annotated[str | None, typer.Option(help="The units' base, if the file has no hexes table: hex70, …")] = None,
    height: Annotated[float | None, typer.Option(help="Height of the units' minis in mm.")] = None,
    com: Annotated[float | None, typer.Option(help="Their centre of mass: mm over the underside.")] = None,
    radius: Annotated[int | None, typer.Option(help="Hexes around the origin.")] = None,
    columns: Annotated[int | None, typer.Option(help="Hexes in a row.")] = None,
    rows: Annotated[int | None, typer.Option(help="Rows of hexes.")] = None,
    size: Annotated[float | None, typer.Option(help="mm from a hex's centre to its corner; 50 without it.")] = None,
    turn: Annotated[float | None, typer.Option(help="Degrees; 0, and without it: corners up.")] = None,
    origin: Annotated[str | None, typer.Option(help="X,Y in mm of the middle hex; 0,0 without it.")] = None,
    out: Annotated[Path | None, typer.Option(help="Save the baked terrain here.")] = None,
    png: Annotated[Path | None, typer.Option(help="Draw the board here.")] = None,
    pixels: Annotated[str | None, typer.Option(help="With --png: its width and height; else 1600x1200.")] = None,
    reach: Annotated[str, typer.Option(help="With --png: the unit whose reach is drawn.")] = "",
    json: Json = False,
) -> None:
    """Bake the terrain of a table onto hexes: heights, walls, and where the units' base stands."""
    from sim3d.finding import Refused
    from sim3d.mini import Mini
    from sim3d.report.baking import bake_text, baking_of, hexes_of
    from sim3d.rules.hexes.grid import HEX_MM, Layout
    from sim3d.rules.hexes.saved import field_text

    turned([turn or 0.0])
    x, y = numbers("--origin", origin or "0,0", 2)  # type: ignore[misc]  # two of them
    wide, tall = size_of("--pixels", pixels or "1600x1200")
    if pixels is not None and png is None:
        fail(f"--pixels {pixels} is of a picture: say --png, too")
    if reach and png is None:
        fail(f"--reach {reach} is drawn in a picture: say --png, too")
    for written in (out, png):
        if written is not None:
            room_for(written)
    each_its_own((out, png))
    kept_apart((png,), file)
    a_picture(png)
    kept_apart((out,), file, but="field")  # a saved field that is out of date is baked again
    a_table(file)
    written_down(file, instead=SCENARIO)
    try:
        layout = Layout(HEX_MM if size is None else size, turn or 0.0, (x, y))
        mini = None if base is None else Mini(base, height=height, com=com)
        how = {"--height": height, "--com": com, "--size": size, "--turn": turn, "--origin": origin}
        given = [option for option, value in how.items() if value is not None]
        table, plan = baking_of(file, mini, hexes_of(radius, columns, rows), layout, given=given)
        doubt(table)
        field = plan.baked(table)
        assert field is not None  # a plan without a base was refused
        board = plan.board(table)
        if reach:
            board.unit(reach)
    except Refused as refused:
        refuse(refused)
    except (KeyError, ValueError) as error:
        fail(str(error.args[0]))
    if json:
        typer.echo(field_text(field), nl=False)
    else:
        tell(bake_text(field, board, plan.ruleset))
    whole = out is None or kept(out, field_text(field).encode())
    if png is not None:
        from sim3d.view.hexboard import picture_of_board

        picture = picture_of_board(table, plan.layout, board, plan.ruleset, width=wide, height=tall, reach_of=reach)
        whole &= kept(png, picture)
    if not whole:
        raise typer.Exit(MISUSE)
