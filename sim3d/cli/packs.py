"""Verbs about terrain packs: `validate` gives every piece its verdict, `init` writes a first manifest."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sim3d.cli.ahead import compiled_ahead
from sim3d.cli.apart import each_its_own, kept_apart
from sim3d.cli.options import Json, written_down
from sim3d.cli.saying import MISUSE, NO, YES, aside, fail, kept, named, note, progress, refuse, room_for, room_in, write

if TYPE_CHECKING:
    from sim3d.report.validating import Asked, Heard

ARCHIVES = ("zip", "rar", "7z", "tar", "gz", "tgz", "xz")


def validate(
    path: Annotated[
        Path,
        typer.Argument(metavar="PACK", parser=named, help="A folder of meshes, its pack.toml, or a table file."),
    ],
    format: Annotated[
        str | None, typer.Option(help="text (without it), json, sarif, junit, markdown, github, csv, html.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="PATH", parser=named, help="Write every report into this folder, too.")
    ] = None,
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
        Path | None,
        typer.Option(
            metavar="PATH", parser=named, help="Write repaired copies into this folder; nothing else changes."
        ),
    ] = None,
    no_standing: Annotated[bool, typer.Option("--no-standing", help="Leave out where bases stand.")] = False,
    audit: Annotated[int, typer.Option(min=0, help="Ask an engine about so many placements of each base.")] = 0,
    workers: Annotated[int | None, typer.Option(min=0, max=256, help="Processes; 0: none, in this one.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="A Dask cluster: tcp://… or a scheduler file.")] = None,
    timeout: Annotated[float, typer.Option(min=1, help="Seconds for one look at one piece; inf: no limit.")] = 600.0,
    memory: Annotated[int, typer.Option(min=500, max=1_000_000_000, help="MB for one worker process.")] = 4000,
    store: Annotated[
        Path | None,
        typer.Option(metavar="PATH", parser=named, help="Folder that keeps answers; else the user's cache."),
    ] = None,
    no_store: Annotated[bool, typer.Option("--no-store", help="Keep no answers and use none.")] = False,
    json: Json = False,
) -> None:
    """Validate a terrain pack: a verdict for every piece, a reason for every finding. Exit code 0: a yes."""
    import os

    from sim3d.pack import How
    from sim3d.report import validating
    from sim3d.report.codes import every_code

    _a_pack(path)
    every_code()
    wanted = _format_of(format, json=json)
    _room(path, out, fix, baseline, write_baseline)
    _codes(tuple(ignore or ()), tuple(only or ()))
    _of_one_mind(
        store,
        no_store=no_store,
        audit=audit,
        pitch=pitch,
        no_standing=no_standing,
        workers=workers,
        scheduler=scheduler,
    )
    how = How(
        workers=(os.cpu_count() or 1) if workers is None else workers,
        scheduler=scheduler,
        seconds=timeout,
        memory_mb=memory,
        audit=audit,
        standing=not no_standing,
    )
    asked = validating.Asked(
        how,
        store,
        keep=not no_store,
        pieces=tuple(piece or ()),
        bases=tuple(base or ()),
        pitch=pitch,
        ignore=tuple(ignore or ()),
        only=tuple(only or ()),
        baseline=baseline,
        fail_on=fail_on,
        max_warnings=max_warnings,
    )
    heard = _validated(path, asked, fix)
    typer.echo(validating.text_of(heard, wanted), nl=False)
    if heard.known:
        aside(f"{heard.known} known findings of the baseline were left out")
    whole = _followed_up(heard, path, asked, fix, write_baseline)
    if out is not None:  # each file that can be written is, whatever becomes of the others
        for made, data in validating.reports_in(heard, out):
            whole &= kept(made, data)
    if not whole:
        raise typer.Exit(MISUSE)
    raise typer.Exit(YES if heard.yes else NO)


def _a_pack(path: Path) -> None:
    """Refuse what is no folder of meshes and names none: an archive, a mesh."""
    if path.suffix.lower().lstrip(".") in ARCHIVES and path.is_file():
        fail(f"{path} is an archive: unpack it, and name the folder that comes of it")
    written_down(path, instead="a pack is a folder of meshes, and one mesh is looked at by `sim3d inspect`")


def _codes(ignore: tuple[str, ...], only: tuple[str, ...]) -> None:
    """Refuse codes that there are not, and to hear of one alone and not to hear of it."""
    from sim3d.finding import Policy

    if unknown := Policy(ignore=ignore, only=only).unknown_codes():
        fail(f"no such code: {', '.join(unknown)}; docs/findings.md lists them all")
    if both := [code for code in only if code in ignore]:
        fail(f"--only {both[0]} and --ignore {both[0]}: nothing would be heard; say one of them")


def _of_one_mind(
    store: Path | None,
    *,
    no_store: bool,
    audit: int,
    pitch: float | None,
    no_standing: bool,
    workers: int | None,
    scheduler: str | None,
) -> None:
    """Refuse options that contradict each other."""
    if workers is not None and scheduler is not None:
        fail(f"--workers {workers} is on this machine, and --scheduler {scheduler} on others: say one of them")
    if store is not None and no_store:
        fail(f"--no-store keeps no answers, and --store {store} says where: say one of them")
    for option, said in (("--audit", bool(audit)), ("--pitch", pitch is not None)):
        if said and no_standing:
            fail(f"{option} is of where bases stand, and --no-standing leaves that out: say one of them")


def _validated(path: Path, asked: Asked, fix: Path | None) -> Heard:
    """The validation; what makes no sense or cannot be read is told before any piece is looked at."""
    from sim3d.finding import Refused, Severity
    from sim3d.mini import Base
    from sim3d.report import validating
    from sim3d.spread import Unreachable

    try:
        if asked.fail_on is not None:
            Severity.of(asked.fail_on)
        for name in asked.bases:
            Base.named(name)
        if fix is not None:
            validating.can_fix(path, fix, asked.pieces)
        alone = not asked.how.standing or bool(asked.how.scheduler)  # what is compiled here is all that is needed here
        with nullcontext() if alone else compiled_ahead("stands"), progress("looking", 1) as bar:
            return validating.validated(path, asked, said=aside, told=bar.upto)
    except Refused as refused:
        refuse(refused)
    except (ValueError, Unreachable) as error:
        fail(str(error))


def _followed_up(heard: Heard, path: Path, asked: Asked, fix: Path | None, write_baseline: Path | None) -> bool:
    """A baseline and repairs, where all was looked at; whether everything that was to be written is."""
    from sim3d.report import validating

    if heard.validation.interrupted:
        left = " and ".join(word for word, it in (("--write-baseline", write_baseline), ("--fix", fix)) if it)
        if left:
            aside(f"not all of it was looked at, so {left} did nothing; run the same command again")
        return True
    whole = write_baseline is None or kept(write_baseline, validating.baseline_text(heard.every).encode())
    if fix is not None:
        whole &= _fixed(path, fix, asked)
    return whole


def _format_of(format: str | None, *, json: bool) -> str:
    """What is printed; two ways of saying it must not say two things."""
    from sim3d.report import validating

    if json and format not in (None, "json"):
        fail(f"--json prints JSON, and --format {format} something else: say one of them")
    wanted = "json" if json else format or "text"
    if wanted not in validating.EVERY:
        fail(f"--format {wanted}: it is {', '.join(validating.EVERY)}")
    return wanted


def _room(path: Path, out: Path | None, fix: Path | None, baseline: Path | None, write_baseline: Path | None) -> None:
    """See, before any work, that all that is written has a place, and that none of it is read or named twice."""
    from sim3d.report import validating

    if write_baseline is not None:
        room_for(write_baseline)
    for written in (out, fix):
        if written is not None:
            room_in(written)
    reports = validating.files_of(out) if out is not None else []
    each_its_own((write_baseline, *reports))
    kept_apart((write_baseline, *reports), *_read(path))
    if baseline is not None:
        kept_apart(reports, baseline)


def _fixed(path: Path, folder: Path, asked: Asked) -> bool:
    """Repaired copies, and what was done to each, on stderr and in a list beside them; whether all is written."""
    from sim3d.finding import Refused
    from sim3d.pack import CHANGES
    from sim3d.report import validating

    try:
        made = validating.fixed(path, folder, asked.pieces, asked.how)
    except Refused as refused:
        refuse(refused)
    except ValueError as error:
        fail(str(error))
    except OSError as error:
        aside(f"cannot write {folder / CHANGES}: {error.strerror}")
        return False
    for line in validating.fixed_text(made):
        note(line)
    if any(one.out for one in made):
        note(f"wrote {folder / CHANGES}")
    return not any(one.denied for one in made)


def _read(path: Path) -> list[Path]:
    """What a validation reads: the table's file, or the pack's folder however it was named; the project's settings."""
    from sim3d.report import validating

    settings = validating.settings_file(path)
    pack = path.parent if path.is_file() and not validating.is_table(path) else path
    return [path, pack, *([] if settings is None else [settings])]


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", parser=named, help="A folder of meshes without a pack.toml.")
    ],
    force: Annotated[bool, typer.Option("--force", help="Write over a pack.toml that is there.")] = False,
) -> None:
    """Write a first pack.toml for a folder, from what its meshes show."""
    from sim3d.finding import Refused
    from sim3d.pack import MANIFEST
    from sim3d.pack.first import first_manifest

    if not folder.is_dir():
        fail(f"{folder} is not a folder")
    if (folder / MANIFEST).exists() and not force:
        fail(f"{folder / MANIFEST} is there already; --force writes over it")
    try:
        text, left = first_manifest(folder)
    except Refused as refused:
        refuse(refused)
    for line in left:
        aside(line)
    if text is None:
        fail(f"no mesh is in {folder}; name the folder that has them")
    write(folder / MANIFEST, text.encode())
