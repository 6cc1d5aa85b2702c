"""OFF: as many corners and faces as its first numbers declare, or a reason."""

from __future__ import annotations

import re

import numpy as np

from sim3d.finding import Refused
from sim3d.solid.guard import Limits, bad, cut_and_skipped, cut_off, shown, trailing_bytes, within
from sim3d.solid.polygon import triangulated
from sim3d.solid.soup import Soup
from sim3d.solid.text import LineReader, floats_of, ints_of, table_of
from sim3d.space import Floats, Ints

_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?(?>\s*+#[^\n\r]*+)*+\s*+((?:ST)?C?N?4?n?)OFF(?![A-Za-z_])[ \t]*(BINARY\b)?")
_COUNTS = re.compile(rb"(?>\s++|#[^\n\r]*+)*+(-?\d{1,18})[ \t]+(-?\d{1,18})(?:[ \t]+-?\d{1,18})?[^\n\r]*")


def read_off(data: bytes, *, limits: Limits) -> Soup:
    """The polygons of an OFF as triangles."""
    begin = _BEGIN.match(data)
    if begin is None:
        raise bad("OFF", "it does not begin with OFF")
    if begin.group(2) or b"4" in begin.group(1) or b"n" in begin.group(1):
        raise bad("OFF", "binary and four-dimensional OFF files are not read; export plain OFF or STL")
    counts = _COUNTS.match(data, begin.end())
    if counts is None:
        raise bad("OFF", "the numbers of corners and faces are missing", line=2)
    corners, faces = int(counts.group(1)), int(counts.group(2))
    if corners < 0 or faces < 0:
        raise bad("OFF", f"{corners} corners and {faces} faces are declared")
    left = len(data) - counts.end()
    faults = within(faces, limits) + within(corners // 3, limits)
    if corners * 6 + faces * 2 > left:  # the shortest rows are "0 0 0" and "0", each on a line
        faults += (cut_off.hit(what=f"{corners} corners and {faces} faces are declared, {left} bytes follow"),)
    if faults:
        raise Refused(*faults)
    reader = LineReader(data, counts.end(), comment=b"#")
    places, wide = [], 0
    for lines in reader.take(corners, f"{corners} corners are declared"):
        made, wide = _corners(lines, wide)
        places.append(made)
    vertices = np.concatenate(places) if places else np.empty((0, 3))
    rows = [_faces(lines) for lines in reader.take(faces, f"{faces} faces are declared")]
    sizes = np.concatenate([r[0] for r in rows]) if rows else np.empty(0, np.int64)
    numbers = np.concatenate([r[1] for r in rows]) if rows else np.empty(0, np.int64)
    triangles = int(np.maximum(sizes - 2, 0).sum())
    if within(triangles, limits):
        raise Refused(*within(triangles, limits))
    found = cut_and_skipped(sizes)
    if not reader.ended():
        (line,) = next(reader.take(1, "a line more"))
        if _is_face(line, corners):
            raise bad("OFF", f"{faces} faces are declared, and another one follows: {shown(line.decode('latin-1'))!r}")
        found += (trailing_bytes.hit(what="lines"),)
    cut, wrong = triangulated(vertices, sizes, numbers)
    return Soup(vertices, cut, "off", declared=faces, findings=found + wrong)


def _is_face(line: bytes, corners: int) -> bool:
    """Whether a line behind the last face reads as one more."""
    words = line.split()
    size = ints_of(words[:1])
    if size is None or not 3 <= size[0] < len(words):
        return False
    numbers = ints_of(words[1 : size[0] + 1])
    return numbers is not None and bool((numbers >= 0).all() and (numbers < corners).all())


def _told(line: bytes) -> str:
    return repr(shown(line.decode("latin-1").strip()))


def _corners(lines: list[bytes], wide: int) -> tuple[Floats, int]:
    """The corners, and how many numbers each has: all as many as those before (`wide`), or faces are among them."""
    table = table_of(b"\n".join(lines))
    if table is not None and table.shape[1] >= 3 and wide in (0, table.shape[1]):
        return table[:, :3], table.shape[1]
    rows = [line.split() for line in lines]
    wide = wide or len(rows[0])
    for line, row in zip(lines, rows, strict=True):
        if len(row) < 3 or len(row) != wide:
            unlike = "" if len(row) < 3 else f", where others have {wide}"
            raise bad("OFF", f"a corner with {len(row)} numbers{unlike}: {shown(line.decode('latin-1'))!r}")
    values = floats_of([word for row in rows for word in row[:3]])
    if values is None:
        wrong = next(line for line, row in zip(lines, rows, strict=True) if floats_of(row[:3]) is None)
        raise bad("OFF", f"a coordinate that is no number: {_told(wrong)}")
    return values.reshape(-1, 3), wide


def _faces(lines: list[bytes]) -> tuple[Ints, Ints]:
    rows = [line.split() for line in lines]
    sizes = ints_of([row[0] for row in rows])
    for line, row in zip(lines, rows, strict=True) if sizes is None else ():
        if ints_of(row[:1]) is None:
            raise bad("OFF", f"a face that does not begin with how many corners it has: {_told(line)}")
    assert sizes is not None  # else one of the rows had no number
    for line, row, n in zip(lines, rows, sizes.tolist(), strict=True):
        if not 0 <= n < len(row):
            raise bad("OFF", f"a face that does not list as many corners as it says: {_told(line)}")
    numbers = ints_of([word for row, n in zip(rows, sizes.tolist(), strict=True) for word in row[1 : n + 1]])
    if numbers is None:
        found = zip(lines, rows, sizes.tolist(), strict=True)
        wrong = next(line for line, row, n in found if ints_of(row[1 : n + 1]) is None)
        raise bad("OFF", f"a corner's number that is not whole: {_told(wrong)}")
    return sizes, numbers
