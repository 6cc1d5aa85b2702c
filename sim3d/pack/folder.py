"""What is in a pack's folder: its meshes, and what could not or must not be looked at; nothing outside is opened."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sim3d.finding import Finding, Hit, Severity, check, plain, unprintable
from sim3d.solid.guard import KINDS

DEEPEST = 100  # folders inside one another: more are no pack, but a mistake
ARCHIVES = {"zip", "rar", "7z"}
MODELS = {"fbx", "dae", "step", "stp", "iges", "igs", "3ds", "amf", "x3d", "wrl", "usd", "usdz", "blend", "max", "ztl"}
SLICED = {"lys", "chitubox", "ctb"}
MANIFEST = "pack.toml"
OTHER_KINDS = ARCHIVES | MODELS | SLICED  # what a maker ships and nobody here reads
NAMED = 5  # of such files: the rest is counted
MOST_MESHES = 20_000  # of one pack: the largest that are sold have some hundreds


@check("PACK_FILE_OUTSIDE", Severity.ERROR, "{path!r} is a link that leads out of the pack's folder")
def pack_file_outside(path: str) -> Iterable[Hit]:
    """A link in the pack's folder points to something elsewhere; it was not opened.

    Why: a pack from a stranger must not read your disk, and whoever gets the pack does not get the file.
    Example: ruin.stl, a link to /home/me/ruin.stl. Do: put the file itself into the folder.
    """
    yield Hit(path=path)


@check("PACK_FOLDER_UNREADABLE", Severity.ERROR, "{path!r} cannot be looked into: {reason}")
def pack_folder_unreadable(path: str, reason: str) -> Iterable[Hit]:
    """A folder of the pack cannot be opened, so its meshes were not looked at.

    Why: nothing can be said of what is in it. Example: a folder of another user, or folders a hundred deep.
    Do: fix the permissions, or copy the pack.
    """
    yield Hit(path=path, reason=reason)


@check("PACK_NAME_UNUSABLE", Severity.ERROR, "{path!r} has a name that cannot be shown; it was not looked at")
def pack_name_unusable(path: str) -> Iterable[Hit]:
    """A file's name holds control characters, marks that turn its order round, or bytes that are no text.

    Why: a report could not say which file it means, or would show another name. Example: "ruin\\u202elts.exe".
    Do: rename the file.
    """
    yield Hit(path=path)


@check(
    "PACK_NAMES_CLASH",
    Severity.WARNING,
    "{path!r} and {other!r} are one name where case, or how an accent is written, does not count",
)
def pack_names_clash(path: str, other: str) -> Iterable[Hit]:
    """Two files have names that differ in upper and lower case alone, or in how an accent is written.

    Why: on Windows and macOS one of them takes the other's place. Example: Ruin.stl and ruin.stl. Do: rename one.
    """
    yield Hit(path=path, other=other)


@check("PACK_TOO_MANY", Severity.ERROR, "{found} meshes; the first {most} are looked at")
def pack_too_many(found: int, most: int) -> Iterable[Hit]:
    """The folder holds more meshes than one pack can have.

    Why: looking at them would take days. Example: a whole download folder. Do: name the folder of one pack.
    """
    if found > most:
        yield Hit(found=found, most=most)


@check(
    "PACK_FILES_NOT_READ",
    Severity.INFO,
    "{count} [file looks like a model and is|files look like models and are] not looked at: {some}",
)
def pack_files_not_read(files: Sequence[str]) -> Iterable[Hit]:
    """The folder holds archives, or models in formats that are not read.

    Why: who sells them believes that they were validated, too. Example: tower.zip, tower.fbx. Do: unpack them, or
    export them as STL, 3MF or GLB; where they are sources that nobody plays with, nothing.
    """
    if files:
        more = ", …" if len(files) > NAMED else ""
        yield Hit(count=len(files), some=", ".join(plain(file) for file in files[:NAMED]) + more)


@dataclass(frozen=True, slots=True)
class Folder:
    """The mesh files under a folder, from there, sorted, and what was found on the way."""

    files: tuple[str, ...]
    findings: tuple[Finding, ...]
    unread: str = ""  # what is no manifest, but was meant as one by its name


@dataclass(slots=True)
class _Walk:
    """A walk under way."""

    home: Path
    files: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def looked_through(folder: Path) -> Folder:
    """Every mesh file under a folder; hidden files and folders are left alone, links to elsewhere are found."""
    walk, unread = _Walk(folder), ""
    for path in _walked(folder, DEEPEST, walk):
        file = path.relative_to(folder).as_posix()
        if one_name(file).removesuffix(".txt") == MANIFEST:  # some programs add an ending, and hide it
            unread = file
        kind = path.suffix.lower().lstrip(".")
        if kind not in KINDS:
            walk.others += [file] if kind in OTHER_KINDS else []
            continue
        if any(unprintable(char) for char in file):
            walk.findings += pack_name_unusable(plain(file), file=file)
        elif path.is_symlink() and not inside(folder, file):  # no linked folder was followed on the way here
            walk.findings += pack_file_outside(file, file=file)
        else:
            walk.files.append(file)
    files = sorted(walk.files)
    walk.findings += pack_too_many(len(files), MOST_MESHES)
    walk.findings += pack_files_not_read(sorted(walk.others))
    return Folder(tuple(files[:MOST_MESHES]), (*walk.findings, *_clashing(files)), unread)


def inside(folder: Path, file: str) -> bool:
    """Whether a path from a folder stays in it, whatever links lie on its way; also where nothing is there."""
    try:
        home = os.path.realpath(folder)
        return os.path.commonpath([home, os.path.realpath(os.path.join(home, file))]) == home
    except (OSError, ValueError):  # a name that no file can have, another drive
        return False


def _walked(folder: Path, deeper: int, walk: _Walk) -> Iterator[Path]:
    """Files below a folder, links to files among them; links to folders are not followed."""
    shown = folder.relative_to(walk.home).as_posix()
    try:
        within = sorted(folder.iterdir())
        folders = {path for path in within if path.is_dir()}
    except OSError as error:
        walk.findings += pack_folder_unreadable(shown, error.strerror or str(error), file=shown)
        return
    if not deeper and folders:
        walk.findings += pack_folder_unreadable(shown, f"more than {DEEPEST} folders deep", file=shown)
        return
    for path in within:
        if path.name.startswith("."):
            continue
        if path not in folders:
            yield path
        elif not path.is_symlink():
            yield from _walked(path, deeper - 1, walk)
        elif not inside(walk.home, path.relative_to(walk.home).as_posix()):
            name = path.relative_to(walk.home).as_posix()
            walk.findings += pack_file_outside(name, file=name)


def one_name(file: str) -> str:
    """What two names have in common that differ in case alone, or in how an accent is written.

    >>> one_name("Caf\u00e9.stl") == one_name("CAFE\u0301.STL")
    True
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", file).casefold())


def _clashing(files: Iterable[str]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for file in files:
        other = first.setdefault(one_name(file), file)
        if other != file:
            yield from pack_names_clash(file, other, file=file)
