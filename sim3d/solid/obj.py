"""OBJ: its polygons, by absolute or relative numbers; materials and texture coordinates are never opened or needed."""

from __future__ import annotations

import re

import numpy as np

from sim3d.finding import Refused, Severity, check
from sim3d.solid.guard import Limits, bad, cut_and_skipped, shown, within
from sim3d.solid.polygon import triangulated
from sim3d.solid.soup import Soup
from sim3d.solid.text import floats_of, ints_of, pieces
from sim3d.space import Floats, Ints

_LINES = {b"p": "points", b"l": "lines", b"curv": "curves", b"curv2": "curves", b"surf": "curved surfaces"}
_IGNORED = frozenset(
    b"vn vt vp o g s mg usemtl mtllib usemap maplib bevel c_interp d_interp lod shadow_obj trace_obj".split()
    + b"ctech stech cstype deg bmat step parm trim hole scrv sp end con call csh".split()
)


@check("OBJ_UNKNOWN_WORD", Severity.ERROR, "a line begins with {word!r}, which is no word of an OBJ")
def unknown_word(*_: object) -> None:
    """A line begins with a word that OBJ files do not have.

    Why: if it was a corner, all later faces are attached to the wrong corners. Example: a damaged "v" line. Do:
    export it again.
    """


def read_obj(data: bytes, *, limits: Limits) -> Soup:
    """The polygons of an OBJ as triangles."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\\" in data:
        data = re.sub(rb"\\\r?\n", b" ", data)  # a line that goes on in the next
    corners: list[Floats] = []
    sizes: list[Ints] = []
    numbers: list[Ints] = []
    others: dict[str, int] = {}
    before, line, triangles, name = 0, 0, 0, ""
    for piece in pieces(data, after=rb"[\r\n]"):
        lines = [text.strip() for text in piece.splitlines()]
        if b"#" in piece:
            lines = [text.split(b"#", 1)[0] for text in lines]
        points = [i for i, text in enumerate(lines) if text[:2] in (b"v ", b"v\t")]
        faces = [i for i, text in enumerate(lines) if text[:2] in (b"f ", b"f\t", b"fo")]
        name = _check_others(lines, others, line) or name
        corners.append(_corners([lines[i] for i in points], [line + i for i in points]))
        size, number = _faces(lines, points, faces, before, line)
        sizes.append(size)
        numbers.append(number)
        triangles += int(np.maximum(size - 2, 0).sum())
        if within(triangles, limits):
            raise Refused(*within(triangles, limits))
        before += len(points)
        line += len(lines)
    vertices, size, number = np.concatenate(corners), np.concatenate(sizes), np.concatenate(numbers)
    found = cut_and_skipped(size, **others)
    return Soup(vertices, triangulated(vertices, size, number), "obj", declared=len(size), name=name, findings=found)


def _check_others(lines: list[bytes], others: dict[str, int], before: int) -> str:
    """Count what is no corner and no face; the name of the last object."""
    name = ""
    for i, text in enumerate(lines):
        if not text or text[:2] in (b"v ", b"f ", b"vn", b"vt", b"v\t", b"f\t"):
            continue
        word = text.split(None, 1)[0]
        if word in _LINES:
            others[_LINES[word]] = others.get(_LINES[word], 0) + 1
        elif word == b"o":
            name = shown(text[2:].decode("utf-8", "replace").strip())
        elif word not in _IGNORED and word != b"fo":
            raise Refused(unknown_word.hit(word=shown(word.decode("latin-1")), line=before + i + 1))
    return name


def _corners(lines: list[bytes], at: list[int]) -> Floats:
    rows = [text.split() for text in lines]
    for i, row in enumerate(rows):
        if len(row) < 4:
            raise bad("OBJ", f"a corner with {len(row) - 1} coordinates", line=at[i] + 1)
    values = floats_of([word for row in rows for word in row[1:4]])
    if values is None:
        wrong = next(i for i, row in enumerate(rows) if floats_of(row[1:4]) is None)
        raise bad(
            "OBJ", f"a coordinate that is no number: {shown(lines[wrong].decode('latin-1'))!r}", line=at[wrong] + 1
        )
    return values.reshape(-1, 3)


def _faces(lines: list[bytes], points: list[int], faces: list[int], before: int, line: int) -> tuple[Ints, Ints]:
    """Sizes and corner numbers, from 0; negative numbers count back from the last corner given so far."""
    text = b"\n".join([lines[i] for i in faces])
    rows = [row.split() for row in re.sub(rb"/[^\s]*", b"", text).split(b"\n")] if faces else []
    size = np.array([len(row) - 1 for row in rows], dtype=np.int64)
    if len(size) and size.min() < 3:
        i = int(size.argmin())
        raise bad("OBJ", f"a face with {size[i]} corners", line=line + faces[i] + 1)
    numbers = ints_of([word for row in rows for word in row[1:]])
    if numbers is None:
        i = next(i for i, row in enumerate(rows) if ints_of(row[1:]) is None)
        raise bad(
            "OBJ",
            f"a corner's number is not whole: {shown(lines[faces[i]].decode('latin-1'))!r}",
            line=line + faces[i] + 1,
        )
    so_far = before + np.searchsorted(np.array(points, dtype=np.int64), np.array(faces, dtype=np.int64))
    return size, np.where(numbers < 0, np.repeat(so_far, size) + numbers, numbers - 1)
