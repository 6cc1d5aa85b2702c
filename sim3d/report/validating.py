"""`sim3d validate` from end to end: settings of manifest, project and command line; reports; yes or no."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sim3d.finding import CODES, Finding, Policy, Refused, Severity, read_baseline, write_baseline
from sim3d.form import (
    Field,
    Form,
    form_bad_value,
    parse_data,
    parse_form,
    read_text,
)
from sim3d.form.where import pointer_of
from sim3d.pack import (
    MANIFEST,
    UNDECIDED,
    Fixed,
    How,
    Pack,
    Store,
    Validation,
    fix,
    fix_failed,
    has_room,
    heard,
    inside,
    read_pack,
    usual_folder,
    validate,
    validate_table_file,
)
from sim3d.pack.manifest import Code, SeverityWord, UseForm
from sim3d.pack.tables import looked_at
from sim3d.report.exchange import FORMATS
from sim3d.report.packpage import validation_page
from sim3d.scenario import read_scenario
from sim3d.table import Table

CALL = "sim3d.report.validating:of_a_scenario"
PROJECT = "pyproject.toml"
PAGE = "html"  # the one format that shows the meshes themselves, and needs them
EVERY = (*FORMATS, PAGE)


class SettingsForm(Form):
    """`[tool.sim3d]` in a project's pyproject.toml: what holds for all packs of a repository."""

    ignore: tuple[Code, ...] = ()
    severity: dict[Code, SeverityWord] = Field(default_factory=dict)
    per_file: dict[str, tuple[Code, ...]] = Field(default_factory=dict)
    fail_on: SeverityWord | None = None
    max_warnings: int | None = Field(default=None, ge=0)
    baseline: str | None = Field(default=None, description="a baseline file, from this file's folder")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line says; None: it says nothing."""

    how: How
    store: Path | None = None
    keep: bool = True
    pieces: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()  # instead of those of the manifest
    pitch: float | None = None
    ignore: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    baseline: Path | None = None
    fail_on: str | None = None
    max_warnings: int | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """A validation as it is to be heard, the one before any policy but with the same words, and whether it is a yes."""

    validation: Validation
    every: Validation
    yes: bool
    source: Pack | Path  # of a pack, or the table's file
    known: int = 0  # findings that a baseline knew
    settings: SettingsForm = field(default_factory=SettingsForm)


def validated(
    path: Path, asked: Asked, *, said: Callable[[str], None], told: Callable[[int, int], None] | None = None
) -> Heard:
    """The pack or table at a path, looked at and judged; `Refused` or `ValueError` where that cannot be."""
    settings, home = settings_for(path)
    pack = None if is_table(path) else read_pack(path)
    if pack is None:
        _not_of_tables(path, asked)
    policy = _policy(pack.policy if pack else Policy(), settings, asked)
    baseline = asked.baseline or (home / settings.baseline if settings.baseline else None)
    known = _baseline(baseline) if baseline is not None else frozenset()
    if pack is None:
        how = replace(asked.how, more=_words(asked))
        bases = asked.bases or UseForm().bases
        seen = validate_table_file(path, bases=bases if how.standing else (), how=how, call=CALL)
    else:
        seen = _pack(pack, asked, said, told)
    every = heard(seen, policy)
    judged = heard(seen, replace(policy, baseline=known))
    return Heard(judged, every, _yes(judged, settings, asked), pack or path, len(every.all) - len(judged.all), settings)


def of_a_scenario(told: dict[str, Any], files: dict[str, Path]) -> dict[str, Any]:
    """What a worker does for a table, also where a file asks something of it: it is played on all the same."""
    return looked_at(told, files, read=lambda path: read_scenario(path).table)


def _not_of_tables(path: Path, asked: Asked) -> None:
    """`ValueError` where the command line says what a table has no use for."""
    said = {
        "--piece": asked.pieces,
        "--pitch": asked.pitch is not None,
        "--audit": asked.how.audit,
        "--scheduler": asked.how.scheduler,
        "--store": asked.store,
    }
    if idle := [option for option, value in said.items() if value]:
        raise ValueError(f"{idle[0]} is for packs: {path} is a table, which is looked at as a whole; leave it out")


def is_table(path: Path) -> bool:
    """Whether a file is a table's and not a pack's manifest; what is called pack.toml never is."""
    if not path.is_file() or path.name.lower() == MANIFEST:
        return False
    try:
        return path.suffix.lower() == ".json" or "pack" not in parse_data(read_text(path))[0]
    except Refused:
        return True


def _pack(pack: Pack, asked: Asked, said: Callable[[str], None], told: Callable[[int, int], None] | None) -> Validation:
    only = _only(asked.pieces, pack)
    changed = {"bases": asked.bases, "pitch": asked.pitch}
    use = pack.use.model_copy(update={key: value for key, value in changed.items() if value})
    pack = replace(pack, use=use)
    store = Store((asked.store or usual_folder()) if asked.keep else None, said)
    try:
        return validate(pack, how=replace(asked.how, more=_words(asked)), store=store, only=only, told=told)
    finally:
        store.close()


def _words(asked: Asked) -> tuple[str, ...]:
    """What the command line said of bases and pitch: a look that failed is seen again with the same."""
    bases = [word for base in asked.bases for word in ("--base", base)]
    return (*bases, *(() if asked.pitch is None else ("--pitch", f"{asked.pitch:g}")))


def _only(wanted: tuple[str, ...], pack: Pack) -> Callable[[str], bool] | None:
    """Which pieces are meant, all where none is named."""
    if not wanted:
        return None
    names = [m.name for m in pack.members]
    for one in wanted:
        if not any(name == one or fnmatch.fnmatchcase(name, one) for name in names):
            raise ValueError(f"--piece {one}: no piece is called so; there are: {', '.join(names[:30]) or 'none'}")
    return lambda name: any(name == one or fnmatch.fnmatchcase(name, one) for one in wanted)


def _policy(own: Policy, settings: SettingsForm, asked: Asked) -> Policy:
    """The pack's own wishes, then the project's, then those of the command line."""
    severity = {code: Severity.of(word) for code, word in settings.severity.items()}
    return Policy(
        ignore=(*own.ignore, *settings.ignore, *asked.ignore),
        only=asked.only,
        per_file=_joined(own.per_file, settings.per_file),
        severity={**own.severity, **severity},
    )


def _joined(one: Mapping[str, tuple[str, ...]], other: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    return {glob: (*one.get(glob, ()), *other.get(glob, ())) for glob in (*one, *other)}


def _baseline(path: Path) -> frozenset[str]:
    try:
        return read_baseline(read_text(path))  # a regular file of bounded size: it may be a stranger's who names it
    except Refused as no:
        reason = no.report.findings[0].message
        raise ValueError(f"--baseline {path}: not a baseline file: {reason}; --write-baseline makes one") from None
    except ValueError as error:
        raise ValueError(f"--baseline {path}: {error}; --write-baseline makes one") from None


def _yes(judged: Validation, settings: SettingsForm, asked: Asked) -> bool:
    worst = Severity.of(asked.fail_on or settings.fail_on or "error")
    most = asked.max_warnings if asked.max_warnings is not None else settings.max_warnings
    found = judged.all
    if found.at_least(worst) or judged.verdict == UNDECIDED:
        return False
    return most is None or sum(f.severity == Severity.WARNING for f in found) <= most


def settings_for(path: Path) -> tuple[SettingsForm, Path]:
    """What the nearest pyproject.toml at or above a pack says under [tool.sim3d], and that file's folder."""
    file = settings_file(path)
    return (SettingsForm(), Path()) if file is None else (_settings(file), file.parent)


def settings_file(path: Path) -> Path | None:
    """The nearest pyproject.toml at or above a pack."""
    start = Path(os.path.realpath(path))  # of links that lead to each other it says nothing
    return next((folder / PROJECT for folder in (start, *start.parents) if (folder / PROJECT).is_file()), None)


SECTION = ("tool", "sim3d")  # of a pyproject.toml


def _settings(file: Path) -> SettingsForm:
    written = parse_form(read_text(file), SettingsForm, name=_shown_path(file), at=SECTION)
    form = written.form

    def fault(key: str, reason: str) -> Finding:
        return written.fault(form_bad_value, pointer_of((*SECTION, key)), key=key, reason=reason)

    of_files = [code for codes in form.per_file.values() for code in codes]
    faults = []
    for key, codes in (("ignore", form.ignore), ("severity", form.severity), ("per_file", of_files)):
        if wrong := [code for code in codes if code not in CODES]:
            faults.append(fault(key, f"no such code: {', '.join(wrong)}; `sim3d explain` lists them all"))
    if form.baseline is not None and not inside(file.parent, form.baseline):
        faults.append(fault("baseline", "it is not in this file's folder"))
    if faults:
        raise Refused(*faults)
    return form


def _shown_path(file: Path) -> str:
    """A file of this machine from the folder that somebody is in."""
    try:
        return Path(os.path.relpath(file)).as_posix()
    except (OSError, ValueError):  # on another drive
        return file.as_posix()


def text_of(heard: Heard, format: str) -> str:
    """A report in one of the formats, the page among them."""
    if format == PAGE:
        return validation_page(heard.validation, _shown(heard))
    return FORMATS[format][1](heard.validation)


def _shown(heard: Heard) -> Pack | Table:
    """What the page shows: only meshes that a worker has read within its limits are read here again."""
    if isinstance(heard.source, Pack):
        return heard.source
    return Table() if heard.validation.interrupted else read_scenario(heard.source).table


def files_of(folder: Path) -> list[Path]:
    """The files that the reports get in a folder, in the order of their formats."""
    return [folder / (f"report.{PAGE}" if format == PAGE else FORMATS[format][0]) for format in EVERY]


def reports_in(heard: Heard, folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Every report as the bytes of its file in a folder, one made after the other."""
    for format, path in zip(EVERY, files_of(folder), strict=True):
        yield path, text_of(heard, format).encode("utf-8")


def baseline_text(every: Validation) -> str:
    """A baseline of all that was found."""
    return write_baseline(every.all)


# --- repairs ----------------------------------------------------------------------------------------------------------


def can_fix(path: Path, folder: Path, pieces: tuple[str, ...]) -> None:
    """Nothing where repaired copies of a pack's pieces can go into a folder; else `ValueError`, before any work."""
    if is_table(path):
        raise ValueError(f"--fix is for packs, and {path} is a table; name the folder of its meshes")
    pack = read_pack(path)
    has_room(pack, folder, only=_only(pieces, pack))


def fixed(path: Path, folder: Path, pieces: tuple[str, ...], how: How) -> tuple[Fixed, ...]:
    """Repaired copies of the pieces of a pack, in a folder of their own."""
    pack = read_pack(path)
    return fix(pack, folder, how=how, only=_only(pieces, pack))


def fixed_text(made: tuple[Fixed, ...]) -> list[str]:
    """What was done to each piece, a line for each change."""
    lines = []
    for one in made:
        lines += [str(replace(f, file=one.file)) for f in fix_failed(one)]
        lines += [f"{one.file} -> {one.out}: {change}" for change in one.changes]
    copies = sum(bool(one.out) for one in made)
    return [*lines, f"{copies} of {len(made)} pieces have a repaired copy; the others needed none, or see above"]
