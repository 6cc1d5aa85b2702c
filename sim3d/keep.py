"""The one door by which files are written: whole or not at all.

A disk that fills up, or a run that is stopped, leaves the file as it was before, not half of the new one.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from pathlib import Path

NOT_BESIDE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY}  # a file of ours in a folder that is not, or mounted


def keep(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file beside its place and move it there; a link stays a link, a device and a pipe are written into."""
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        place.write_bytes(data)
        return
    try:
        _moved(place, data)
    except OSError as error:
        if error.errno not in NOT_BESIDE or not place.exists():
            error.filename, error.filename2 = os.fspath(path), None  # not the draft: nobody knows that
            raise
        place.write_bytes(data)


def keep_text(path: str | os.PathLike[str], text: str) -> None:
    """A text as UTF-8, its lines ended alike on every system."""
    keep(path, text.encode("utf-8"))


def _moved(place: Path, data: bytes) -> None:
    rights = place.stat().st_mode & 0o777 if place.exists() else None  # a new one gets what is usual here
    if rights is not None:
        with place.open("ab"):  # who may not write it may not replace it either
            pass
    draft = place.with_name(f".sim3d-{secrets.token_hex(8)}")
    try:
        with draft.open("xb") as file:
            file.write(data)
        if rights is not None:
            draft.chmod(rights)
        os.replace(draft, place)
    except BaseException:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
