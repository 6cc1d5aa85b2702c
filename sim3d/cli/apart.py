"""What a command writes and what it reads are never one file, nor two that it writes; said before any work is done."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sim3d.cli.saying import fail

WRITTEN_DOWN = (".toml", ".json", ".gltf")  # files that name other files
PROJECT = "pyproject.toml"  # what it names is not read, but for a baseline, which may be written anew


def each_its_own(written: Iterable[Path | None]) -> None:
    """Refuse to write two things into one file: the second would take the first one's place."""
    import os

    seen: set[str] = set()
    for path in written:
        if path is None:
            continue
        known = os.path.realpath(path)
        if known in seen:
            fail(f"two things would be written to {path}: give each a name of its own")
        seen.add(known)


def kept_apart(written: Iterable[Path | None], *read: Path, but: str = "") -> None:
    """Refuse to write over a file that is read, or that such a file names: a mesh of a table, of a pack, a buffer;
    `but` is a key in it whose file is not read but made anew."""
    there = [path for path in written if path is not None and path.is_file()]
    if not there:  # nothing is overwritten
        return
    ids = {_id(file) for file in read_by(read, but)}
    for path in there:
        if _id(path) in ids:
            fail(f"{path} is what is read; it would be overwritten: give what is written another name")


def read_by(named: Iterable[Path], but: str = "") -> Iterator[Path]:
    """Files as named, a folder's meshes and TOML files, and the files whose names stand in any of them; each once."""
    waiting = list(named)
    seen: set[tuple[int, int]] = set()
    while waiting:
        path = waiting.pop()
        if _is_dir(path):
            waiting += _in_folder(path)
        elif (known := _id(path)) is not None and known not in seen:
            seen.add(known)
            yield path
            waiting += _named_in(path, but)


def _in_folder(folder: Path) -> Iterator[Path]:
    from sim3d.pack.folder import looked_through

    yield from (folder / file for file in looked_through(folder).files)
    yield from folder.rglob("*.toml")


def _named_in(path: Path, but: str) -> list[Path]:
    """Files whose names stand in a file that people or programs wrote as text, from its own folder."""
    from sim3d.finding import Refused
    from sim3d.form import parse_data, read_text

    suffix = path.suffix.lower()
    if suffix not in WRITTEN_DOWN or path.name == PROJECT:
        return []
    try:
        data = parse_data(read_text(path), json_text=suffix != ".toml")[0]
    except Refused:  # whoever reads it says what is wrong with it
        return []
    names = dict.fromkeys(
        name for text in _texts(data, but) for name in (text, unquote(text))
    )  # a glTF's are addresses
    return [found for name in names if _id(found := path.parent / name) is not None]


def _texts(data: Any, but: str) -> Iterator[str]:
    """Every text in it, those of one key left out."""
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [item for key, item in value.items() if key != but]
        elif isinstance(value, list):
            waiting += value


def _id(path: Path) -> tuple[int, int] | None:
    """Which file it is, whatever links lead to it; None where there is none."""
    import stat

    try:
        status = path.stat()
    except (OSError, ValueError):  # names that no file can have
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
