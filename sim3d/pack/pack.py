"""`Pack`: a folder's pieces with all that was said of each, from its manifest or, openly, by assumption."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from sim3d.finding import Finding, Policy, Refused, Report, Severity, is_glob, meant_by, plain
from sim3d.form import Written, form_unreadable, line_of, listed
from sim3d.form.where import pointer_of
from sim3d.pack.folder import MANIFEST, Folder, inside, looked_through, one_name
from sim3d.pack.manifest import (
    HeadForm,
    MemberForm,
    PackForm,
    PrintForm,
    UseForm,
    manifest_file_missing,
    manifest_file_twice,
    manifest_file_unused,
    manifest_globs,
    manifest_ignores_nothing,
    manifest_missing,
    manifest_outside,
    pack_empty,
    read_manifest,
    strange_classes,
)
from sim3d.table.table import numbered

OUTSIDE = "outside of the pack's folder"
MOST_GLOBS = 100  # in one manifest: each is held against every file


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
        if not manifest.is_symlink() and not manifest.exists():
            return _assumed(folder)
        if not inside(folder, MANIFEST):
            reason = "it is a link that leads out of the pack's folder"
            raise Refused(form_unreadable.hit(file=manifest.as_posix(), reason=reason))
    elif path.exists():
        folder, manifest = path.parent, path
    else:
        reason = "there is no such folder or file"
        raise Refused(form_unreadable.hit(file=path.as_posix(), reason=reason))
    # where it lies is told by its name in the pack, as of every other file: however the pack was named
    return _declared(folder, manifest.name, replace(read_manifest(manifest), name=manifest.name))


def _assumed(folder: Path) -> Pack:
    there = looked_through(folder)
    files = there.files
    names = numbered([PurePosixPath(file).stem or "piece" for file in files])
    members = tuple(Member(name, file, _plain(MemberForm())) for name, file in zip(names, files, strict=True))
    use, printer = UseForm(), PrintForm()
    bed = " x ".join(f"{side:g}" for side in printer.bed)
    assumed = (
        f"the units and axes that each format has by custom, bases {', '.join(use.bases)}, minis one and a half bases "
        f"tall that climb {use.climb:g} mm, walls of {printer.wall:g} mm, a bed of {bed} mm"
    )
    name = plain(folder.resolve().name)[:100] or "pack"
    unread = f" ({plain(there.unread)} is not its name)" if there.unread else ""
    findings = Report(
        (manifest_missing.hit(assumed=assumed, unread=unread), *listed(there.findings), *pack_empty(len(files)))
    )
    return Pack(name, folder, members, HeadForm(id="pack", name=name), use, printer, findings=findings)


def _plain(form: MemberForm) -> dict[str, Any]:
    data: dict[str, Any] = form.model_dump(mode="json", exclude_none=True, by_alias=True)
    return data


Matches = Callable[[str], object]


def _declared(folder: Path, name: str, written: Written[PackForm]) -> Pack:
    form = written.form
    there = looked_through(folder)
    faults: list[Finding] = list(there.findings)
    globs, owner = _wanted(written, folder, there, faults)
    rest = [file for file in there.files if file not in owner]
    if form.piece:
        used = {file for file in rest if any(matches(file) for matches in globs.values())}
        for file in rest:
            if file not in used:
                faults += manifest_file_unused(file, file=file)
        rest = [file for file in rest if file in used]
    faults += strange_classes(written)
    told_of = (*there.files, written.name, *(finding.file for finding in there.findings))
    for glob in form.checks.per_file:
        if not any(map(meant_by(glob), told_of)):
            faults.append(written.fault(manifest_ignores_nothing, pointer_of(("checks", "per_file", glob)), glob=glob))
    members = _members(written, owner, rest, globs)
    checks = form.checks
    policy = Policy(
        ignore=checks.ignore,
        per_file=checks.per_file,
        severity={code: Severity.of(word) for code, word in checks.severity.items()},
    )
    findings = Report((*listed(faults), *pack_empty(len(members), bool(there.files), file=written.name)))
    return Pack(form.pack.name, folder, members, form.pack, form.use, form.print, name, findings, policy)


def _wanted(
    written: Written[PackForm], folder: Path, there: Folder, faults: list[Finding]
) -> tuple[dict[str, Matches], dict[str, str]]:
    """The tables with a glob, and whose table each named file has; what is wrong with either is a fault."""
    globs: dict[str, Matches] = {}
    owner: dict[str, str] = {}
    files = set(there.files)  # whatever characters are in its name: a file of that name is meant
    for key, piece in written.form.piece.items():
        at = pointer_of(("piece", key))
        wanted = PurePosixPath(piece.file or key).as_posix()
        told = {"piece": key, "path": wanted}
        crossed = "\\" in wanted and wanted not in files  # parts folders on Windows alone: there it is refused, too
        hint = f"; folders are parted by /: {wanted.replace(chr(92), '/')!r}" if crossed else ""
        if wanted not in files and (where := _astray(wanted)):
            faults.append(written.fault(manifest_outside, at, **told, where=where))
        elif wanted not in files and is_glob(wanted):
            if len(globs) == MOST_GLOBS:
                raise Refused(written.fault(manifest_globs, at, most=MOST_GLOBS))
            globs[key] = meant_by(wanted)
            if not any(map(globs[key], there.files)):
                faults.append(written.fault(manifest_file_missing, at, **told, hint=hint))
        elif wanted in owner:
            faults.append(written.fault(manifest_file_twice, at, path=wanted, first=owner[wanted], second=key))
        elif not inside(folder, wanted):
            faults.append(written.fault(manifest_outside, at, **told, where=OUTSIDE))
        elif crossed or not os.path.exists(folder / wanted):  # never raises, as a path's own method does
            hint = hint or _nearly(wanted, there.files)
            faults.append(written.fault(manifest_file_missing, at, **told, hint=hint))
        else:
            owner[wanted] = key
    return globs, owner


def _nearly(wanted: str, files: Iterable[str]) -> str:
    """Which file was meant by a name that none has, where only its case, its accents or its ending are missed."""
    for near in files:
        if one_name(near) == one_name(wanted):
            return f"; {near!r} is: upper and lower case count, and how an accent is written"
        if PurePosixPath(near).with_suffix("").as_posix() == wanted:
            return f"; {near!r} is: a file is named with its ending"
    return ""


def _astray(path: str) -> str:
    """Where a path leads that does not plainly stay in the folder, by its spelling alone; empty for one that does."""
    plainly = posixpath.normpath(path)
    if path.startswith(("/", "\\")) or ":" in path or plainly.startswith(".."):
        return OUTSIDE
    return f"a way with '..' in it; write {plainly!r}" if ".." in PurePosixPath(path).parts else ""


def _members(
    written: Written[PackForm], owner: Mapping[str, str], rest: Iterable[str], globs: Mapping[str, Matches]
) -> tuple[Member, ...]:
    """Each file with the defaults, then the globs in their order, then its own table: the later over the former."""
    form = written.form
    rest = tuple(rest)
    names = [*owner.values(), *numbered([PurePosixPath(file).stem or "piece" for file in rest], owner.values())]
    members = []
    for file, name in zip((*owner, *rest), names, strict=True):
        tables = [key for key, matches in globs.items() if matches(file)]
        tables += [owner[file]] if file in owner else []
        said = _plain(form.defaults)
        for key in tables:
            said |= _plain(form.piece[key])
        said.pop("file", None)
        at = pointer_of(("piece", tables[-1])) if tables else ""
        members.append(Member(name, file, said, at, line_of(at, written.lines)))
    return tuple(members)
