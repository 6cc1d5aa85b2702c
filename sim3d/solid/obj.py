"""OBJ: its polygons, by absolute or relative numbers; materials and texture coordinates are never opened or needed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from sim3d.finding import Finding, Refused, Severity, check
from sim3d.solid.guard import Limits, bad, cut_and_skipped, cut_off, outside, shown, within
from sim3d.solid.polygon import triangulated
from sim3d.solid.proof import index_range
from sim3d.solid.soup import Soup
from sim3d.solid.text import A_LINE_END, LINE_END, floats_of, ints_of, pieces, table_of
from sim3d.space import Floats, Ints

_LINES = {b"p": "points", b"l": "lines", b"curv": "curves", b"curv2": "curves", b"surf": "curved surfaces"}
_IGNORED = frozenset(
    b"vn vt vp o g s mg usemtl mtllib usemap maplib bevel c_interp d_interp lod shadow_obj trace_obj".split()
    + b"ctech stech cstype deg bmat step parm trim hole scrv sp end con csh".split()
)
FAULTS_MOST = 20  # of one kind: one of each piece of the text
_WHOLE_LINE = rb"(?<!\\)(?<!\\\r)(?:\r\n?|\n)"  # an end of a line that does not go on in the next
_LAST_BREAK = re.compile(rb"\\(?:\r\n?|\n)?\Z")
_NAMES = re.compile(rb"(?:mtllib|maplib|usemtl|usemap|shadow_obj|trace_obj|o|g)\s")  # lines that may end in a path
HEAD_BYTES = 20  # of a line: more than the longest of those words
_NUMBERLESS = re.compile(rb"(?:\A|\s)/")
_OF_REFERENCES = b"0123456789+-/ \t\n\r\v\f"
_NO_REFERENCE = re.compile(rb"/[0-9+/-]*[^\s0-9+/-]")  # where a line end is lost, a word of the next line
_POINTS = frozenset([b"v ", b"v\t", b"v"])
_FACES = frozenset([b"f ", b"f\t", b"f", b"fo"])
_OLD_FACES = (b"fo ", b"fo\t", b"fo")
_PASSED = frozenset([b"", b"v ", b"f ", b"vn", b"vt", b"v\t", b"f\t", b"v", b"f"])


@check("OBJ_UNKNOWN_WORD", Severity.ERROR, "a line begins with {word!r}, which is no word of an OBJ")
def unknown_word(*_: object) -> None:
    """A line begins with a word that OBJ files do not have.

    Why: if it was a corner, all later faces are attached to the wrong corners. Example: a damaged "v" line. Do:
    export it again.
    """


def read_obj(data: bytes, *, limits: Limits) -> Soup:
    """The polygons of an OBJ as triangles."""
    data = data.removeprefix(b"\xef\xbb\xbf")
    goes_on = b"\\" in data
    if goes_on:
        _ends_whole(data)
    corners: list[Floats] = []
    sizes: list[Ints] = []
    numbers: list[Ints] = []
    others: dict[str, int] = {}
    told: tuple[Finding, ...] = ()
    worst = Worst()
    before, line, triangles, name = 0, 0, 0, ""
    for piece in pieces(data, after=_WHOLE_LINE if goes_on else LINE_END, what=A_LINE_END):
        whole = _unbroken(piece) if goes_on and b"\\" in piece else piece
        lines = [text.strip() for text in whole.splitlines()]
        if b"#" in whole:
            lines = [text.split(b"#", 1)[0] for text in lines]
        heads = [text[:2] for text in lines]
        kinds = set(heads)
        points = [i for i, head in enumerate(heads) if head in _POINTS] if kinds & _POINTS else []
        faces = [i for i, head in enumerate(heads) if head in _FACES] if kinds & _FACES else []
        if b"fo" in kinds:
            faces = [i for i in faces if heads[i] != b"fo" or lines[i][:3] in _OLD_FACES]
        if kinds - _PASSED:
            name = _check_others(lines, heads, others, line) or name
        corners.append(_corners([lines[i] for i in points], [line + i for i in points]))
        size, number, wrong, most = _faces(lines, points, faces, before, line)
        told += wrong
        worst = max(worst, most, key=lambda one: one.number)  # of equal ones the first
        sizes.append(size)
        numbers.append(number)
        triangles += int(np.maximum(size - 2, 0).sum())
        if within(triangles, limits):
            raise Refused(*within(triangles, limits))
        before += len(points)
        line += len(lines)
    vertices, size, number = np.concatenate(corners), np.concatenate(sizes), np.concatenate(numbers)
    told += _beyond(number, size, before, worst)
    found = told[:FAULTS_MOST] + cut_and_skipped(size, **others)
    cut, wrong = triangulated(vertices, size, number)
    return Soup(vertices, cut, "obj", declared=len(size), name=name, findings=found + wrong)


class Worst(NamedTuple):
    """The highest number of a corner in some faces, from 0; as it is written, and on which line."""

    number: int = -1
    word: str = ""
    line: int = 0


def _beyond(numbers: Ints, size: Ints, corners: int, worst: Worst) -> tuple[Finding, ...]:
    """What to say of faces whose corners do not come in the whole file; their numbers are mended, for they are told."""
    if worst.number < corners:
        return ()
    wrong = np.flatnonzero(numbers >= corners)
    owner = np.repeat(np.arange(len(size)), size)
    numbers[wrong] = 0
    many = len(np.unique(owner[wrong]))
    return (index_range.hit(count=many, worst=f"number {worst.word}", corners=corners, line=worst.line),)


def _check_others(lines: list[bytes], heads: list[bytes], others: dict[str, int], before: int) -> str:
    """Count what is no corner and no face; the name of the last object."""
    odd = [text for text, head in zip(lines, heads, strict=True) if head not in _PASSED]
    named = False
    for text, count in Counter(odd).items():  # equal lines are looked at once: a file may have millions
        word = text.split(None, 1)[0]
        if word in _LINES:
            others[_LINES[word]] = others.get(_LINES[word], 0) + count
        elif word == b"o":
            named = True
        elif word not in _IGNORED and word != b"fo":  # a face as it was spelled once, and read as one
            line = before + lines.index(text) + 1
            if word != b"call":
                raise Refused(unknown_word.hit(word=shown(word.decode("latin-1")), line=line))
            uri = shown(text[len(word) :].decode("utf-8", "replace").strip())
            raise Refused(outside.hit(uri=uri, reason="an OBJ in parts is not read; put all into one file", line=line))
    last = next(text for text in reversed(odd) if text.split(None, 1)[0] == b"o") if named else b""
    return shown(last[2:].decode("utf-8", "replace").strip())


def _corners(lines: list[bytes], at: list[int]) -> Floats:
    table = table_of(b"\n".join([text[1:] for text in lines]))
    if table is not None and table.shape[1] >= 3:
        return table[:, :3]
    rows = [text.split() for text in lines]
    for i, row in enumerate(rows):
        if len(row) < 4:
            raise bad("OBJ", f"a corner with {len(row) - 1} coordinates", line=at[i] + 1)
    values = floats_of([word for row in rows for word in row[1:]])  # a colour too: behind a lost line end is a corner
    if values is None:
        wrong = next(i for i, row in enumerate(rows) if floats_of(row[1:]) is None)
        what = "coordinate" if floats_of(rows[wrong][1:4]) is None else "word behind a corner's coordinates"
        raise bad(
            "OBJ",
            f"a {what} that is no number: {shown(lines[wrong].decode('latin-1'))!r}",
            line=at[wrong] + 1,
        )
    wide = np.array([len(row) - 1 for row in rows], dtype=np.int64)
    corners: Floats = values[(np.cumsum(wide) - wide)[:, None] + np.arange(3)]
    return corners


def _faces(
    lines: list[bytes], points: list[int], faces: list[int], before: int, line: int
) -> tuple[Ints, Ints, tuple[Finding, ...], Worst]:
    """Sizes and corner numbers, from 0, what is wrong with them, and the highest; negative ones count back from the
    last corner."""
    texts = [lines[i][2:] if lines[i][:2] == b"fo" else lines[i][1:] for i in faces]

    def refused(i: int, what: str) -> Refused:
        return bad("OBJ", f"{what}: {shown(lines[faces[i]].decode('latin-1'))!r}", line=line + faces[i] + 1)

    size, numbers = _numbers_of(texts, refused)
    so_far = np.repeat(
        before + np.searchsorted(np.array(points, dtype=np.int64), np.array(faces, dtype=np.int64)), size
    )
    made = np.where(numbers < 0, so_far + numbers, numbers - 1)
    wrong = np.flatnonzero((numbers == 0) | (made < 0))

    def written(k: int) -> tuple[str, int]:
        """A number as it stands in the file, and its line."""
        starts = np.cumsum(size) - size
        owner = int(np.searchsorted(starts, k, side="right")) - 1
        word = texts[owner].split()[k - starts[owner]].split(b"/")[0]
        return shown(word.decode("latin-1")), line + faces[owner] + 1

    high = int(made.argmax()) if len(made) else 0
    most = Worst(int(made[high]), *written(high)) if len(made) else Worst()
    if not len(wrong):
        return size, made, (), most
    owner = np.repeat(np.arange(len(size)), size)
    made[wrong] = 0  # said here, by the number that stands in the file
    first = int(wrong[0])
    word, at = written(first)
    told = index_range.hit(
        count=len(np.unique(owner[wrong])), worst=f"number {word}", corners=int(so_far[first]), line=at
    )
    return size, made, (told,), most


def _numbers_of(texts: list[bytes], refused: Callable[[int, str], Refused]) -> tuple[Ints, Ints]:
    """Sizes of faces and the numbers of their corners as they are written; what stands behind a `/` is passed over."""

    def first(odd: re.Pattern[bytes]) -> int:
        return next(i for i, text in enumerate(texts) if odd.search(text))

    text = b"\n".join(texts)
    if b"/" in text:
        if _NUMBERLESS.search(text):
            raise refused(first(_NUMBERLESS), "a corner without a number before its '/'")
        if text.translate(None, _OF_REFERENCES) and _NO_REFERENCE.search(text):
            raise refused(first(_NO_REFERENCE), "a corner with something else than numbers behind its '/'")
        text = re.sub(rb"/[^\s]*", b"", text)
    table = None if re.search(rb"[^0-9\s+-]", text) else table_of(text)
    if table is not None and np.abs(table).max() < 2**52:
        return np.full(len(table), table.shape[1], dtype=np.int64), table.astype(np.int64).ravel()
    rows = [row.split() for row in text.split(b"\n")] if texts else []
    numbers = ints_of([word for row in rows for word in row])
    if numbers is None:
        raise refused(next(i for i, row in enumerate(rows) if ints_of(row) is None), "a corner's number is not whole")
    return np.array([len(row) for row in rows], dtype=np.int64), numbers


def _ends_whole(data: bytes) -> None:
    """`Refused` where the last line says that it goes on, and the file is at its end."""
    broken = _LAST_BREAK.search(data, max(0, len(data) - 3))
    if broken is None:
        return
    begins = max(data.rfind(b"\n", 0, broken.start()), data.rfind(b"\r", 0, broken.start())) + 1
    last = data[begins : broken.start()]
    if b"#" not in last and not (_NAMES.match(last.lstrip()) and not last[-1:].isspace()):
        said = shown(last.decode("latin-1") + "\\")
        raise Refused(
            cut_off.hit(what=f"the last line ends in '\\', and none follows that it could go on in: {said!r}")
        )


def _unbroken(data: bytes) -> bytes:
    """Lines that go on in the next as one, with empty lines behind them, so that every other keeps its number.

    A comment ends with its line, and a name with its backslash: `mtllib C:\\maps\\` does not go on.
    """
    kept: list[bytes] = []
    owed, head = 0, b""
    parts = re.split(rb"(\\(?:\r\n?|\n))", data)
    for part, broken in zip(parts[::2], [*parts[1::2], b""], strict=True):
        begins = max(part.rfind(b"\n"), part.rfind(b"\r")) + 1
        last = part[begins:]
        end = re.search(rb"[\r\n]", part) if owed else None
        if end:
            part = part[: end.end()] + b"\n" * owed + part[end.end() :]
            owed = 0
        head = (b"" if begins else head) or last.strip()[:HEAD_BYTES]
        kept.append(part)
        if broken and (b"#" in last or (_NAMES.match(head) and not last[-1:].isspace())):
            kept.append(broken + b"\n" * owed)
            owed, head = 0, b""
        elif broken:
            kept.append(b" ")
            owed += 1
    return b"".join(kept)
