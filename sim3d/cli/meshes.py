"""Verbs about meshes: `inspect` says whether they can be trusted, `explain` what a finding means."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sim3d.cli.options import Json, declared, limits_of
from sim3d.cli.saying import MISUSE, NO, YES, fail, named, progress, tell


def inspect(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE…", parser=named, help="Meshes: STL, OBJ, PLY, OFF, GLB, glTF, 3MF.")
    ],
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

    policy = Policy(ignore=tuple(ignore or ()), only=tuple(only or ()))
    if policy.ignore or policy.only:  # to know all of them everything has to be read
        every_code()
    if unknown := policy.unknown_codes():
        fail(f"no such code: {', '.join(unknown)}; docs/findings.md lists them all")
    try:
        worst = Severity.of(fail_on)
    except ValueError as error:
        fail(str(error))
    limits = limits_of(max_mb, max_triangles)
    declared(unit, up)
    seen = []
    with progress("reading", len(files)) as step:
        for file in files:
            seen.append(inspected(file, unit=unit, up=up, as_base=as_base, limits=limits, policy=policy))
            step()
    if json:
        typer.echo(inspection_json(seen), nl=False)
    else:
        tell(inspection_text(seen))
    if any(not one.readable for one in seen):
        raise typer.Exit(MISUSE)
    raise typer.Exit(NO if any(one.report.at_least(worst) for one in seen) else YES)


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
        fail(f"no code {code!r}" + (f"; did you mean {near[0]}?" if near else "; `sim3d explain` lists them all"))
    typer.echo(explained(codes[code.upper()]), nl=False)
