"""Zip archives, bounded: sizes are judged before anything is unpacked, and no more is unpacked than was declared."""

from __future__ import annotations

import io
import zipfile
import zlib

from sim3d.finding import Refused, Severity, check
from sim3d.solid.guard import Limits, bad, shown

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # all that a 3MF may use
MEMBERS_MOST = 10_000  # files in one archive


@check("ZIP_BOMB", Severity.ERROR, "{part!r} would unpack to {size_bytes} bytes ({ratio} times its size): {why}")
def bomb(*_: object) -> None:
    """The archive would unpack to far more than a mesh needs.

    Why: it would fill the memory. Example: a kilobyte that unpacks to gigabytes of zeros.
    Do: do not trust its source; a real mesh that large needs a higher limit `max_unpacked_bytes`.
    """


@check("ZIP_ENCRYPTED", Severity.ERROR, "{part!r} is encrypted")
def encrypted(*_: object) -> None:
    """A part of the archive is locked by a password.

    Why: it cannot be read. Example: a zip with a password renamed to .3mf. Do: export it without a password.
    """


@check("ZIP_DAMAGED", Severity.ERROR, "the archive is damaged: {reason}")
def damaged(*_: object) -> None:
    """The archive cannot be unpacked, or its checksum does not fit.

    Why: part of the mesh is missing or wrong. Example: a download that stopped half way. Do: download or export it
    again.
    """


class Package:
    """The parts of a zip archive by name; read one by one, within limits."""

    __slots__ = ("_limits", "_spent", "_twice", "_zip", "names")

    def __init__(self, data: bytes, *, limits: Limits) -> None:
        if data.count(b"PK\x01\x02") > MEMBERS_MOST:  # before the directory is read: each entry costs a kilobyte
            raise bad("archive", f"more than {MEMBERS_MOST} files in it")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, UnicodeDecodeError) as error:
            raise Refused(damaged.hit(reason=shown(error))) from error
        self._limits = limits
        self._spent = 0
        self.names: dict[str, str] = {}
        self._twice: set[str] = set()
        for name in self._zip.namelist():
            key = name.lower().lstrip("/")
            self._twice |= {key} & self.names.keys()
            self.names[key] = name

    def read(self, name: str) -> bytes:
        """The bytes of one part, by its name without regard to case; `Refused` when it is not safe to unpack."""
        key = name.lower().lstrip("/")
        info = self._zip.getinfo(self.names[key])
        part = shown(info.filename)
        if key in self._twice:
            raise Refused(damaged.hit(reason=f"{part} is in it twice, and which one is meant it does not say"))
        if info.flag_bits & 0x41:
            raise Refused(encrypted.hit(part=part))
        if info.compress_type not in _METHODS:  # other unpackers take memory as the file tells them to
            raise bad("archive", f"{part} is packed by method {info.compress_type}; a 3MF has stored or deflated parts")
        ratio = info.file_size // max(info.compress_size, 1)
        too_much = self._spent + info.file_size > self._limits.max_unpacked_bytes
        if too_much or (ratio > self._limits.max_ratio and info.file_size > 1_000_000):
            why = f"at most {self._limits.max_unpacked_bytes} bytes and {self._limits.max_ratio} times are unpacked"
            raise Refused(bomb.hit(part=part, size_bytes=info.file_size, ratio=ratio, why=why))
        try:
            with self._zip.open(info) as file:
                data = file.read(info.file_size + 1)  # bounded: the declared size may be a lie
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            NotImplementedError,
            RuntimeError,
            ValueError,
        ) as error:
            raise Refused(damaged.hit(reason=f"{part}: {shown(error) or 'its data ends too soon'}")) from error
        if len(data) != info.file_size:
            raise Refused(damaged.hit(reason=f"{part} declares {info.file_size} bytes and has others"))
        self._spent += len(data)
        return data
