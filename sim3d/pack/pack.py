"""`Pack`: a folder's pieces with all that was said of each, from its manifest or, openly, by assumption."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from sim3d.finding import Finding, Policy, Refused, Report, Severity
from sim3d.form import Written, form_unreadable, line_of, listed
from sim3d.form.where import pointer_of
from sim3d.pack.manifest import (
    MANIFEST,
    HeadForm,
    MemberForm,
    PackForm,
    PrintForm,
    UseForm,
    manifest_file_missing,
    manifest_file_twice,
    manifest_file_unused,
    manifest_missing,
    manifest_outside,
    pack_empty,
    read_manifest,
)
from sim3d.solid.guard import KINDS
from sim3d.table.table import numbered

GLOB = "*?["
DEEPEST = 100  # folders inside one another: more are no pack, but a mistake


@dataclass(frozen=True, slots=True)
class Member:
    """One piece: its name, its file from the pack's folder, and what was said of it (`said`: keys of the manifest)."""

    name: str
    file: str
    said: Mapping[str, Any]
    pointer: str = ""  # of its table in the manifest
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Pack:
    """A pack as it is to be validated; `findings` are about the manifest."""

    name: str
    folder: Path
    members: tuple[Member, ...]
    head: HeadForm
    use: UseForm = field(default_factory=UseForm)
    print: PrintForm = field(default_factory=PrintForm)
    manifest: str = ""  # its file's name, empty without one
    findings: Report = field(default_factory=Report)
    policy: Policy = field(default_factory=Policy)

    def path(self, member: Member) -> Path:
        """Where a member's mesh is."""
        return self.folder / member.file


def read_pack(path: str | Path) -> Pack:
    """A folder or a manifest file as a pack; `Refused` where it cannot be read or its manifest has a fault."""
    path = Path(path)
    if path.is_dir():
        folder, manifest = path, path / MANIFEST
        if not manifest.exists():
            return _assumed(folder)
    elif path.exists():
        folder, manifest = path.parent, path
    else:
        reason = "there is no such folder or file"
        raise Refused(form_unreadable.hit(file=path.as_posix(), reason=reason))
    return _declared(folder, manifest.name, read_manifest(manifest))


def meshes_in(folder: Path) -> tuple[str, ...]:
    """Every mesh file under a folder, from there, sorted; hidden files and folders are left alone."""
    found = []
    for path in _walk(folder, DEEPEST):
        if path.suffix.lower().lstrip(".") in KINDS:
            found.append(path.relative_to(folder).as_posix())
    return tuple(sorted(found))


def _walk(folder: Path, deeper: int) -> Iterable[Path]:
    try:
        inside = sorted(folder.iterdir())
    except OSError as error:
        raise Refused(
            form_unreadable.hit(file=folder.as_posix(), reason=f"the system says: {error.strerror}")
        ) from None
    for path in inside:
        if path.name.startswith("."):
            continue
        if path.is_dir() and not path.is_symlink():
            if not deeper:
                raise Refused(form_unreadable.hit(file=path.as_posix(), reason=f"more than {DEEPEST} folders deep"))
            yield from _walk(path, deeper - 1)
        else:
            yield path


def _assumed(folder: Path) -> Pack:
    files = meshes_in(folder)
    names = numbered([PurePosixPath(file).stem or "piece" for file in files])
    members = tuple(Member(name, file, _plain(MemberForm())) for name, file in zip(names, files, strict=True))
    use, printer = UseForm(), PrintForm()
    bed = " x ".join(f"{side:g}" for side in printer.bed)
    assumed = (
        f"the units and axes that each format has by custom, bases {', '.join(use.bases)}, minis one and a half bases "
        f"tall that climb {use.climb:g} mm, walls of {printer.wall:g} mm, a bed of {bed} mm"
    )
    name = folder.resolve().name or "pack"
    findings = Report((manifest_missing.hit(assumed=assumed), *pack_empty(len(files))))
    return Pack(name, folder, members, HeadForm(id="pack", name=name), use, printer, findings=findings)


def _plain(form: MemberForm) -> dict[str, Any]:
    data: dict[str, Any] = form.model_dump(mode="json", exclude_none=True, by_alias=True)
    return data


def _is_glob(text: str) -> bool:
    return any(c in text for c in GLOB)


def _declared(folder: Path, name: str, written: Written[PackForm]) -> Pack:
    form = written.form
    files = meshes_in(folder)
    faults: list[Finding] = []
    globs: dict[str, str] = {}  # of a table's key
    owner: dict[str, str] = {}  # whose table a file has
    for key, piece in form.piece.items():
        at = pointer_of(("piece", key))
        wanted = (piece.file or key).removeprefix("./")
        told = {"piece": key, "path": wanted}
        if ".." in PurePosixPath(wanted).parts or wanted.startswith(("/", "\\")) or ":" in wanted:
            faults.append(written.fault(manifest_outside, at, **told))
        elif _is_glob(wanted):
            globs[key] = wanted
            if not fnmatch.filter(files, wanted):
                faults.append(written.fault(manifest_file_missing, at, **told))
        elif wanted in owner:
            faults.append(written.fault(manifest_file_twice, at, path=wanted, first=owner[wanted], second=key))
        elif not (folder / wanted).exists():
            faults.append(written.fault(manifest_file_missing, at, **told))
        else:
            owner[wanted] = key
    rest = [file for file in files if file not in owner]
    if form.piece:
        used = {file for glob in globs.values() for file in fnmatch.filter(rest, glob)}
        for file in rest:
            if file not in used:
                faults += manifest_file_unused(file, file=file)
        rest = [file for file in rest if file in used]
    members = _members(written, owner, rest, globs)
    checks = form.checks
    policy = Policy(
        ignore=checks.ignore,
        per_file=checks.per_file,
        severity={code: Severity.of(word) for code, word in checks.severity.items()},
    )
    findings = Report((*listed(faults), *pack_empty(len(members), file=written.name)))
    return Pack(form.pack.name, folder, members, form.pack, form.use, form.print, name, findings, policy)


def _members(
    written: Written[PackForm], owner: Mapping[str, str], rest: Iterable[str], globs: Mapping[str, str]
) -> tuple[Member, ...]:
    """Each file with the defaults, then the globs in their order, then its own table: the later over the former."""
    form = written.form
    rest = tuple(rest)
    names = [*owner.values(), *numbered([PurePosixPath(file).stem or "piece" for file in rest], owner.values())]
    members = []
    for file, name in zip((*owner, *rest), names, strict=True):
        tables = [key for key, glob in globs.items() if fnmatch.fnmatchcase(file, glob)]
        tables += [owner[file]] if file in owner else []
        said = _plain(form.defaults)
        for key in tables:
            said |= _plain(form.piece[key])
        said.pop("file", None)
        at = pointer_of(("piece", tables[-1])) if tables else ""
        members.append(Member(name, file, said, at, line_of(at, written.lines)))
    return tuple(members)
