"""STL, binary and ASCII: every triangle it declares, or a reason.

A binary STL has no signature but its length; many begin with "solid" like the ASCII kind. The count in the header and
the length of the file must agree; a few bytes of junk at the end are tolerated and said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from sim3d.finding import Finding, Hit, Refused, Severity, check, counted, run
from sim3d.solid.guard import Limits, bad, is_binary_stl, shown, within
from sim3d.solid.soup import Soup
from sim3d.solid.text import floats_of, pieces

HEADER, RECORD = 84, 50  # bytes: 80 of text and a count; 12 floats and 2 spare bytes a triangle
JUNK_SHARE = 0.05  # more than this share of the file behind the last triangle is not junk but a wrong count
STRAY_SHARE = 0.005  # of zero bytes in a text that a disk or a program damaged
_RECORD = np.dtype([("normal", "<f4", (3,)), ("corners", "<f4", (3, 3)), ("spare", "<u2")])


@check("STL_TRUNCATED", Severity.ERROR, "cut off: {what}")
def truncated(declared: int, size: int, limits: Limits) -> Iterator[Hit]:
    """The STL ends before the triangles it declares.

    Why: part of the terrain is missing. Example: a download that stopped half way. Do: download or export it again.
    """
    if size < HEADER:
        yield Hit(what=f"{counted(size, 'byte')}, even an empty binary STL has {HEADER}")
    elif declared <= limits.max_triangles and size < HEADER + RECORD * declared:
        there = 10 * (size - HEADER) // RECORD / 10  # never as many as declared
        yield Hit(what=f"{declared} triangles declared, {there:.1f} are there", declared=declared, there=there)


@check("STL_COUNT_WRONG", Severity.ERROR, "the header declares {declared} triangles, the file has room for {room}")
def count_wrong(declared: int, size: int, limits: Limits) -> Iterator[Hit]:
    """The count in the header of a binary STL does not fit the length of the file.

    Why: either triangles are missing or bytes are not triangles; which, nobody can tell.
    Example: an exporter that wrote 0 and never came back to fill in the count. Do: export it again, from another
    program.
    """
    if size < HEADER:
        return
    extra = size - HEADER - RECORD * declared
    if extra < 0 and declared > limits.max_triangles:
        yield Hit(declared=declared, room=(size - HEADER) // RECORD)
    if extra > 0 and not _junk(extra, size):
        yield Hit(declared=declared, room=(size - HEADER) // RECORD)


@check("STL_TRAILING_BYTES", Severity.WARNING, "{said} ignored behind the last of {declared} triangles")
def trailing(declared: int, size: int, limits: Limits) -> Iterator[Hit]:
    """A few bytes follow the last declared triangle; they are no whole triangles.

    Why: the mesh is complete as declared, but something appended to the file. Example: a colour table, or a web
    server's junk.
    Do: nothing, or export it again.
    """
    extra = size - HEADER - RECORD * declared
    if size >= HEADER and extra > 0 and _junk(extra, size):
        yield Hit(extra=extra, declared=declared, said=_bytes_were(extra))


def _bytes_were(extra: int) -> str:
    return counted(extra, "byte was", "bytes were")


def _junk(extra: int, size: int) -> bool:
    return extra % RECORD != 0 and extra <= JUNK_SHARE * size


def read_stl(data: bytes, *, limits: Limits) -> Soup:
    """Either kind; a file that begins with "solid" is ASCII unless its length or a zero byte shows it is not."""
    head = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip().rstrip(FILLING).lower()
    # Zero bytes do not occur in text; a binary STL has one at the end of its count, and two in fifty are spare.
    words = b"facet" in head or head.startswith(b"solid")
    text = words and b"\0" not in data[:HEADER] and head.count(b"\0") <= len(head) * STRAY_SHARE
    if text and not is_binary_stl(data):
        return _ascii(data, limits=limits)
    return _binary(data, limits=limits)


def _binary(data: bytes, *, limits: Limits) -> Soup:
    size = len(data)
    declared = int.from_bytes(data[80:84], "little") if size >= HEADER else 0
    report = run((truncated, count_wrong, trailing), declared, size, limits)
    there = max(0, (size - HEADER) // RECORD)
    wanted = min(declared, there) if declared else there
    findings = report.findings + within(wanted, limits)
    if within(wanted, limits):
        raise Refused(*findings)
    records = np.frombuffer(data, _RECORD, count=wanted, offset=HEADER) if wanted else np.empty(0, _RECORD)
    corners = records["corners"].reshape(-1, 3).astype(np.float64)
    name = shown(data[:80].split(b"\0")[0].decode("latin-1").strip())
    return Soup(
        corners,
        np.arange(3 * wanted, dtype=np.int64).reshape(-1, 3),
        "stl binary",
        declared=declared,
        single=True,
        name=name,
        findings=findings,
    )


_WORDS = {
    0: b"facet",
    1: b"normal",
    5: b"outer",
    6: b"loop",
    7: b"vertex",
    11: b"vertex",
    15: b"vertex",
    19: b"endloop",
    20: b"endfacet",
}
_STRIDE = 21  # words of one facet
_CORNERS = (8, 9, 10, 12, 13, 14, 16, 17, 18)  # where its nine coordinates stand
# A line "solid name" or "endsolid name"; where all is on one line, the name ends before the next facet or solid.
# Lazy: a long line takes no room. A possessive group takes none either, but Python 3.11.2 gets that one wrong.
_FRAME = re.compile(
    rb"(?i)(?:(?<=\s)|\A)(?:end[ \t]*)?solid\b[^\r\n]*?(?=\bfacet\s+normal\b|\s(?:end[ \t]*)?solid\b|[\r\n]|\Z)"
)

FILLING = b"\0\x1a \t\r\n\f\v"  # behind the last word: to the end of a block, and the mark of an end that DOS had
LONGEST_NAME = 10_000  # bytes of a solid's name, and much more than any has
_END = re.compile(rb"(?i)\bend[ \t]*solid\b")
_FACET = re.compile(rb"(?i)\b(?:facet\s+normal|endfacet)\b")
_LINE = re.compile(rb"[^\r\n]+")
_BEGINS = frozenset(b"facet outer vertex endloop endfacet".split())  # the words that a line within a solid begins with


def _ascii(data: bytes, *, limits: Limits) -> Soup:
    text = data.removeprefix(b"\xef\xbb\xbf")
    data = text.rstrip(FILLING)
    behind = sum(map(len, text[len(data) :].split()))
    begun = _FRAME.match(data.lstrip())
    name = shown(begun.group()[6:].decode("latin-1").strip()) if begun else ""
    findings: list[Finding] = []
    if _unended(data):
        last = bytes(data[-200:].rstrip().split(b"\n")[-1][-40:]).decode("latin-1")
        findings.append(truncated.hit(what=f"no 'endsolid' at the end, the last words are {shown(last.strip())!r}"))
    parts, count, line, open_facets = [], 0, 1, False
    ends = b"\n" if b"\n" in data else b"\r"  # of its lines: an old Mac has no other
    for piece in pieces(data, after=rb"endfacet\s", what="an endfacet"):
        text, open_facets, at = _unframed(piece, open_facets)
        if at is not None and not findings:
            where = line + piece.count(ends, 0, at)
            findings.append(
                truncated.hit(what="a solid begins before the one before it has its 'endsolid'", line=where)
            )
        words = text.split()
        whole = len(words) // _STRIDE
        if findings and len(words) % _STRIDE:  # cut off: what is whole can still show its other faults
            words = words[: whole * _STRIDE]
        corners, wrong = _facets(words)
        if wrong:
            findings.append(_wrong(piece, wrong, line, ends))
            break
        count += whole
        if within(count, limits):
            raise Refused(*findings, *within(count, limits))
        parts.append(corners)
        line += piece.count(ends)
    if behind:
        findings.append(trailing.hit(extra=behind, declared=count, said=_bytes_were(behind)))
    corners = np.concatenate(parts) if parts else np.empty((0, 3))
    faces = np.arange(len(corners), dtype=np.int64).reshape(-1, 3)
    return Soup(corners, faces, "stl ascii", declared=None, name=name, findings=tuple(findings))


def _unended(data: bytes) -> bool:
    """Whether anything but names follows the last "endsolid", or there is none: every solid has its own."""
    last = -1
    for found in _END.finditer(data):
        last = found.start()
    rest = data[last:].rstrip()
    if last < 0 or len(rest) > LONGEST_NAME:
        return True
    begun = any(not _END.match(frame[0]) and _begins_line(rest, frame.start()) for frame in _FRAME.finditer(rest))
    return begun or bool(_FRAME.sub(b"", rest).strip())


def _unframed(piece: bytes, open_facets: bool) -> tuple[bytes, bool, int | None]:
    """A piece without its "solid" and "endsolid" lines; whether its last facets have no end yet, or come behind one;
    and where a solid begins though facets before it have no "endsolid"."""
    kept, at, begun = [], 0, None
    for frame in _FRAME.finditer(piece):
        between = piece[at : frame.start()]
        open_facets = open_facets or bool(_FACET.search(between))
        if begun is None and open_facets and not _END.match(frame[0]):
            begun = frame.start()
        kept.append(between)
        open_facets, at = False, frame.end()
    kept.append(piece[at:])
    return b"".join(kept), open_facets or bool(_FACET.search(kept[-1])), begun


def _begins_line(text: bytes, at: int) -> bool:
    """Whether nothing stands before a place on its line."""
    line = text[max(text.rfind(b"\n", 0, at), text.rfind(b"\r", 0, at)) + 1 : at]
    return not line.strip()


def _facets(words: list[bytes]) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.float64]], str]:
    """The corners of facets in a row; or what is wrong with them."""
    if len(words) % _STRIDE:
        return np.empty((0, 3)), f"{len(words) % _STRIDE} words too many for triangles of {_STRIDE} words each"
    for at, word in _WORDS.items():
        seen = set(words[at::_STRIDE])
        odd = [w for w in seen if w.lower() != word]
        if odd:
            return np.empty((0, 3)), f"{shown(min(odd).decode('latin-1'))!r} where {word.decode()!r} should be"
    table = np.empty((len(words) // _STRIDE, 9))
    for column, at in enumerate(_CORNERS):
        values = floats_of(words[at::_STRIDE])
        if values is None:
            return np.empty((0, 3)), "a corner's coordinate is not a number"
        table[:, column] = values
    return table.reshape(-1, 3), ""


def _odd_line(text: bytes, *, more: bool) -> tuple[int, str] | None:
    """Where in a wrong facet a line begins that is at fault by itself, and what is wrong with it; `more`: the facet has
    other words than its own."""
    names = [frame.span() for frame in _FRAME.finditer(text)]
    for line in _LINE.finditer(text):
        words = line[0].split()
        if not words or any(first < line.end() and line.start() < end for first, end in names):
            continue
        said = shown(line[0].decode("latin-1").strip())
        if more and words[0].lower() not in _BEGINS:
            return line.start(), f"it has no comments and no colours, and this line is none of its own: {said!r}"
        if words[0].lower() == b"vertex" and len(words) == 4 and floats_of(words[1:]) is None:
            return line.start(), f"a corner's coordinate is not a number: {said!r}"
    return None


def _wrong(piece: bytes, reason: str, line: int, ends: bytes) -> Finding:
    """The finding, with the line on which the first wrong facet begins: walk the piece facet by facet."""
    for text in re.split(rb"(?i)(?<=endfacet)(?=\s)", piece):
        facet = _FRAME.sub(b"", text)
        lead = facet[: len(facet) - len(facet.lstrip())].count(ends)
        words = facet.split()
        _, told = _facets(words)
        corners = sum(word.lower() == b"vertex" for word in words)
        if told and corners > 3 and len(words) == _STRIDE + 4 * (corners - 3):
            told = f"a facet with {corners} corners, an STL has triangles; cut its polygons into them, or export as OBJ"
        elif told and (odd := _odd_line(text, more=bool(len(words) % _STRIDE))):
            return bad("ASCII STL", odd[1], line=line + text.count(ends, 0, odd[0])).report.findings[0]
        if told:
            return bad("ASCII STL", told, line=line + lead).report.findings[0]
        line += text.count(ends)
    return bad("ASCII STL", reason).report.findings[0]
