"""Bytes from disk, bounded: a regular file, within its limits, of the kind its name says; and only from its folder.

Nothing here follows a link out of the folder, opens a device or asks the network. `looks_like` decides by content.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from sim3d.finding import Finding, Refused, Severity, check, counted
from sim3d.space import Ints


@dataclass(frozen=True, slots=True)
class Limits:
    """What a reader takes on before it says no; raise them for a bigger machine.

    >>> Limits(max_triangles=10_000).max_bytes
    200000000
    """

    max_bytes: int = 200_000_000  # of the file, and of each file beside it: 4 million binary triangles
    max_triangles: int = 4_000_000  # about 1.5 GB while reading
    max_unpacked_bytes: int = 600_000_000  # of all parts of an archive together
    max_ratio: int = 200  # unpacked to packed of one archive member; numbers as text pack about 5 to 1, zeros 1000 to 1


USUAL = Limits()
KINDS = ("stl", "obj", "ply", "off", "glb", "gltf", "3mf")  # what can be read
_CALLED = {
    "stl": "an STL",
    "obj": "an OBJ",
    "ply": "a PLY",
    "off": "an OFF",
    "glb": "a binary glTF (.glb)",
    "gltf": "a glTF (JSON)",
    "3mf": "a 3MF or other zip archive",
}


@check("FILE_MISSING", Severity.ERROR, "there is no such file")
def missing(*_: object) -> None:
    """The file named does not exist.

    Why: nothing to read. Example: a typo in the name, or a path relative to another folder.
    Do: check the spelling, and from where the path counts.
    """


@check("FILE_NOT_REGULAR", Severity.ERROR, "is {what}, not a file")
def not_regular(*_: object) -> None:
    """The path is a folder, a pipe, a socket or a device.

    Why: reading one could wait forever or never end. Example: a folder where a mesh was meant. Do: name the mesh
    file itself.
    """


@check("FILE_UNREADABLE", Severity.ERROR, "cannot be read: {reason}")
def unreadable(*_: object) -> None:
    """The operating system refuses to read the file.

    Why: no permission, or a failing disk. Example: a mesh owned by another user. Do: fix the permissions, or copy
    the file.
    """


@check("FILE_EMPTY", Severity.ERROR, "the file is empty (0 bytes)")
def empty(*_: object) -> None:
    """The file holds no byte at all.

    Why: a download or an export failed. Example: a full disk while saving. Do: export or download it again.
    """


@check("FILE_TOO_LARGE", Severity.ERROR, "{size_bytes} bytes, at most {limit_bytes} are read")
def too_large(*_: object) -> None:
    """The file is larger than the limit.

    Why: memory is finite, and no terrain piece needs more. Example: a raw scan of 2 GB.
    Do: reduce the mesh (decimate it), or raise the limit `max_bytes`.
    """


@check("MESH_TOO_MANY_TRIANGLES", Severity.ERROR, "{triangles} triangles, at most {limit} are read")
def too_many_triangles(*_: object) -> None:
    """The mesh has, or would unfold to, more triangles than the limit.

    Why: memory and time are finite; parts placed within parts multiply. Example: 3MF components ten levels deep,
    ten each.
    Do: reduce the mesh (decimate it), or raise the limit `max_triangles`.
    """


@check("FILE_WRONG_KIND", Severity.ERROR, "is named .{named} but looks like {looks}")
def wrong_kind(*_: object) -> None:
    """The content is of another kind than the name says.

    Why: one of the two is wrong, and units and axes depend on the kind. Example: an error page saved as tower.stl.
    Do: rename the file to what it is, or download it again.
    """


@check("FILE_UNKNOWN_KIND", Severity.ERROR, "{what}; STL, OBJ, PLY, OFF, GLB, glTF and 3MF can be read")
def unknown_kind(*_: object) -> None:
    """Neither name nor content tell a kind of mesh that can be read.

    Why: guessing could give a wrong mesh. Example: a .step or .blend file. Do: export it as STL, 3MF or GLB.
    """


@check("FILE_OUTSIDE", Severity.ERROR, "asks for {uri!r}: {reason}")
def outside(*_: object) -> None:
    """The mesh asks for a file elsewhere: in another folder, by an absolute path, through a link, or on the web.

    Why: a mesh from a stranger must not read your disk or call home. Example: a glTF buffer at ../../etc/passwd.
    Do: put the file beside the mesh, or save as one file (.glb).
    """


@check("FILE_MALFORMED", Severity.ERROR, "not a sound {kind}: {reason}")
def malformed(*_: object) -> None:
    """The file does not keep to the rules of its format.

    Why: what cannot be parsed cannot be trusted. Example: a word where a number should be, a list cut short.
    Do: export it again, from another program if need be.
    """


def bad(kind: str, reason: str, *, line: int | None = None) -> Refused:
    """A malformed file, ready to be raised."""
    return Refused(malformed.hit(kind=kind, reason=reason, line=line))


def shown(text: object, *, most: int = 60) -> str:
    """Anything from a file, safe in a message: printable and short.

    >>> shown("a" * 100, most=5)
    'aaaaa…'
    """
    printable = "".join(c if c.isprintable() else "?" for c in str(text)[: most + 1])
    return printable if len(printable) <= most else printable[:most] + "…"


def read_bytes(path: Path, *, limits: Limits) -> bytes:
    """All bytes of a regular file, or `Refused`; never waits on a pipe or a device."""
    try:
        # Non-blocking and without becoming a controlling terminal: opening a pipe must not wait for a writer.
        handle = os.open(
            path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
        )
    except (FileNotFoundError, NotADirectoryError) as error:
        raise Refused(missing.hit()) from error
    except (OSError, ValueError) as error:
        if os.path.isdir(path):  # never raises, as a path's own method does; some systems refuse to open a folder
            raise Refused(not_regular.hit(what="a folder")) from error
        if getattr(error, "errno", None) == errno.ENXIO:
            raise Refused(not_regular.hit(what="a socket or a device")) from error
        raise Refused(unreadable.hit(reason=getattr(error, "strerror", None) or str(error))) from error
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise Refused(not_regular.hit(what=_sort(state.st_mode)))
        if state.st_size > limits.max_bytes:
            raise Refused(too_large.hit(size_bytes=state.st_size, limit_bytes=limits.max_bytes))
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(limits.max_bytes + 1)  # bounded though it may grow while read
    except OSError as error:
        raise Refused(unreadable.hit(reason=error.strerror or str(error))) from error
    finally:
        os.close(handle)
    if not data:
        raise Refused(empty.hit())
    if len(data) > limits.max_bytes:
        raise Refused(too_large.hit(size_bytes=len(data), limit_bytes=limits.max_bytes))
    return data


def _sort(mode: int) -> str:
    for test, name in (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a pipe"),
        (stat.S_ISSOCK, "a socket"),
    ):
        if test(mode):
            return name
    return "a device"


def neighbour(mesh: Path, uri: str) -> Path:
    """The file beside the mesh that a URI in it names; anything outside the mesh's own folder is `Refused`."""

    def no(reason: str) -> Refused:
        return Refused(outside.hit(uri=shown(uri), reason=reason))

    try:
        parts = urlsplit(uri)
    except ValueError as error:
        raise no("not an address that can be understood") from error
    if parts.scheme or parts.netloc or uri.startswith("//"):
        raise no("only files in the mesh's own folder are opened")
    name = unquote(uri).replace("\\", "/")
    if "\0" in name or not name.strip():
        raise no("not a file name")
    if name.startswith(("/", "~")) or re.match(r"[A-Za-z]:", name) or ".." in name.split("/"):
        raise no("only files in the mesh's own folder are opened")
    try:
        home = mesh.parent.resolve(strict=True)
        target = (home / name).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise no("its place cannot be found out") from error
    if home not in target.parents:
        raise no("a link leads out of the mesh's own folder")
    return target


_TEXT_KINDS = (
    (re.compile(rb"(?i)\s*(<!doctype\s+html|<html|<head|<body)"), "an HTML page"),
    (re.compile(rb"\s*<\?xml|\s*<"), "an XML text"),
    (re.compile(rb"ISO-10303-21"), "a STEP file"),
    (re.compile(rb"\s*(?:ST)?C?N?4?n?OFF(?![A-Za-z_])"), "off"),
    (re.compile(rb"ply\s"), "ply"),
    (re.compile(rb"\s*\{"), "gltf"),
    (re.compile(rb"(?i)\s*+(?>#[^\n\r]*+\s++)*+(?:mtllib|usemtl|v|vn|vt|vp|o|g|s|f)\s+\S"), "obj"),
)
_MAGIC = (
    (b"glTF", "glb"),
    (b"PK\x03\x04", "3mf"),
    (b"PK\x05\x06", "3mf"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"Kaydara FBX", "an FBX"),
    (b"BLENDER", "a Blender file"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself"),
)
_UNMARKED = re.compile(rb"(?:[\t\n\r -~]\0){8}|(?:\0[\t\n\r -~]){8}")  # UTF-16 without the mark at its beginning


def is_binary_stl(data: bytes) -> bool:
    """Exactly as long as the count in its header says: the only sign a binary STL has."""
    return len(data) >= 84 and len(data) == 84 + 50 * int.from_bytes(data[80:84], "little")


def looks_like(data: bytes) -> str:
    """The kind by content: one of `KINDS`, words for another kind, or "" where nothing tells.

    >>> looks_like(b"solid cube facet"), looks_like(b"%PDF-1.4"), looks_like(b"?")
    ('stl', 'a PDF', '')
    """
    if is_binary_stl(data):
        return "stl"
    for magic, kind in _MAGIC:
        if data.startswith(magic):
            return kind
    if _UNMARKED.match(data):
        return "text in UTF-16"
    head = data[:4096].removeprefix(b"\xef\xbb\xbf")
    if re.match(rb"(?i)\s*solid\b", head):
        return "stl"
    for pattern, kind in _TEXT_KINDS:
        if pattern.match(head):
            return kind
    return ""


def kind_of(path: Path, data: bytes) -> str:
    """The kind to read it as: content decides, the name must agree; otherwise `Refused`."""
    named = path.suffix.lower().lstrip(".")
    looks = looks_like(data)
    if named not in KINDS:
        if looks in KINDS:
            return looks
        what = (
            f"looks like {looks}" if looks else f"the name ends in {shown(path.suffix)!r} and the content tells nothing"
        )
        raise Refused(unknown_kind.hit(what=what))
    if not looks or looks == named:
        return named
    raise Refused(wrong_kind.hit(named=named, looks=_CALLED.get(looks, looks)))


def within(triangles: int, limits: Limits) -> tuple[Finding, ...]:
    """Nothing, or why so many triangles are not read."""
    if triangles <= limits.max_triangles:
        return ()
    return (too_many_triangles.hit(triangles=triangles, limit=limits.max_triangles),)


@check("FILE_TRUNCATED", Severity.ERROR, "cut off: {what}")
def cut_off(*_: object) -> None:
    """The file ends before what it declares.

    Why: part of the terrain is missing. Example: a PLY that declares 5000 faces and has 3000. Do: download or
    export it again.
    """


@check("FILE_TRAILING_BYTES", Severity.WARNING, "{what} behind the end of the mesh were ignored")
def trailing_bytes(*_: object) -> None:
    """Something follows the mesh that the file declares.

    Why: the mesh is complete as declared, but the file has more in it. Example: lines appended to an OFF.
    Do: nothing, or export it again.
    """


@check("FILE_TEXT_UNBROKEN", Severity.ERROR, "{most} bytes of text without {what}")
def text_unbroken(*_: object) -> None:
    """A line, a facet or an element of a text is longer than any that a program writes.

    Why: it had to be held in memory at once, at dozens of times its size. Example: an OBJ of 100 MB in one line.
    Do: export it again, from another program, or in a binary format: STL or GLB.
    """


@check("FILE_PARTS_SKIPPED", Severity.INFO, "skipped, for nothing can stand on it: {what}")
def skipped(*_: object) -> None:
    """Points, lines or curves, which have no surface; poses, of which the rest shape was read; parts not to be printed;
    meshes that are not in the scene or the build.

    Why: only triangles and polygons that will be there can carry a mini. Example: guide lines in an OBJ, a support
    blocker in a 3MF, a second scene in a GLB. Do: nothing; where it was meant, put it into the scene and export again.
    """


@check(
    "MESH_POLYGONS_CUT",
    Severity.INFO,
    "{count} [polygon with more than three corners was|polygons with more than three corners were] cut into triangles",
)
def polygons_cut(*_: object) -> None:
    """Faces with four or more corners were cut into triangles.

    Why: a bent polygon can be cut in several ways, so the surface may differ by its bend from what you saw.
    Example: an OBJ of quads. Do: nothing; triangulate before exporting if the cut matters.
    """


def _so_many(n: int, what: str) -> str:
    """A count of what is named in the plural.

    >>> _so_many(1, "faces with two corners"), _so_many(2, "points")
    ('1 face with two corners', '2 points')
    """
    first, space, rest = what.partition(" ")
    return counted(n, first.removesuffix("s") + space + rest, what)


def cut_and_skipped(sizes: Ints, **others: int) -> tuple[Finding, ...]:
    """What to say of polygons of these sizes, and of other things that were skipped."""
    found = []
    large = int((sizes > 3).sum())
    if large:
        found.append(polygons_cut.hit(count=large))
    short = {"faces_with_fewer_than_three_corners": int((sizes < 3).sum())}
    told = ", ".join(_so_many(n, what.replace("_", " ")) for what, n in (short | others).items() if n)
    if told:
        found.append(skipped.hit(what=told))
    return tuple(found)
