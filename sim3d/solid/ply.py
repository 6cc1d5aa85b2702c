"""PLY, ASCII and binary of both byte orders: as many corners and faces as its header declares, or a reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sim3d.finding import Finding, Refused
from sim3d.solid.guard import Limits, bad, cut_and_skipped, cut_off, shown, trailing_bytes, within
from sim3d.solid.polygon import triangulated
from sim3d.solid.soup import Soup
from sim3d.solid.text import LineReader, floats_of, ints_of, table_of
from sim3d.space import Floats, Ints

HEADER_MOST = 65_536  # bytes
_TYPES = {
    "char": "i1",
    "int8": "i1",
    "uchar": "u1",
    "uint8": "u1",
    "short": "i2",
    "int16": "i2",
    "ushort": "u2",
    "uint16": "u2",
    "int": "i4",
    "int32": "i4",
    "uint": "u4",
    "uint32": "u4",
    "float": "f4",
    "float32": "f4",
    "double": "f8",
    "float64": "f8",
}
_LISTS = ("vertex_indices", "vertex_index")


@dataclass(frozen=True, slots=True)
class Property:
    """One column; `counted` is the type of a list's length, empty for a plain number."""

    name: str
    kind: str
    counted: str = ""

    def width(self, length: int) -> int:
        """How many bytes a row's part is, with that many numbers after their own number, if it is a list."""
        return (np.dtype(self.counted).itemsize if self.counted else 0) + length * np.dtype(self.kind).itemsize


@dataclass(frozen=True, slots=True)
class Element:
    """A block of rows."""

    name: str
    count: int
    properties: tuple[Property, ...]

    @property
    def plain(self) -> bool:
        """Without lists: every row is as long as the others."""
        return not any(p.counted for p in self.properties)

    def least_bytes(self, *, text: bool) -> int:
        """What a row takes at least."""
        if text:
            return max(1, 2 * len(self.properties) - 1)
        return sum(np.dtype(p.counted or p.kind).itemsize for p in self.properties)


def read_ply(data: bytes, *, limits: Limits) -> Soup:
    """The faces of a PLY as triangles."""
    order, elements, start = _header(data)
    by_name = {e.name: e for e in elements}
    vertex, face = by_name.get("vertex"), by_name.get("face")
    if vertex is None or not {"x", "y", "z"} <= {p.name for p in vertex.properties if not p.counted}:
        raise bad("PLY", "it declares no corners with x, y and z")
    strips = "tristrips" in by_name
    if not vertex.plain:
        name = next(p.name for p in vertex.properties if p.counted)
        raise bad("PLY", f"its corners have a list, {shown(name)!r}; export corners with plain numbers only")
    if face is None or strips:
        raise bad(
            "PLY", "triangle strips are not read; export plain faces" if strips else "it declares no faces, only points"
        )
    named = [p.name for p in face.properties if p.counted and p.name in _LISTS]
    if len(named) != 1:
        lists = f"two lists of corners, {' and '.join(named)}; export one" if named else "no list of corners"
        raise bad("PLY", f"its faces have {lists}")
    faults = within(max(face.count, sum(e.count for e in elements) // 4), limits)
    least = sum(e.count * e.least_bytes(text=not order) for e in elements)
    if least > len(data) - start:
        what = f"{vertex.count} corners and {face.count} faces are declared, the {len(data) - start} bytes that follow"
        faults += (cut_off.hit(what=f"{what} cannot hold them"),)
    if faults:
        raise Refused(*faults)
    read = _binary if order else _text
    corners, sizes, numbers, found = read(data, start, elements, order)
    if none := int((sizes == 0).sum()):  # one corner too many declared, and the first face is read as that corner
        reason = f"{none} faces have no corner at all: its numbers of corners and faces do not fit its rows"
        raise bad("PLY", reason)
    if within(int(np.maximum(sizes - 2, 0).sum()), limits):
        raise Refused(*within(int(np.maximum(sizes - 2, 0).sum()), limits))
    single = all(p.kind != "f8" for p in vertex.properties if p.name in "xyz") and bool(order)
    triangles, wrong = triangulated(corners, sizes, numbers)
    found += cut_and_skipped(sizes) + wrong
    kind = f"ply {'ascii' if not order else 'binary'}"
    return Soup(corners, triangles, kind, declared=face.count, single=single, findings=found)


def _header(data: bytes) -> tuple[str, list[Element], int]:
    """Byte order ("" for ASCII), the elements, and where the rows begin."""
    begin = re.match(rb"[^\r\n]*(\r(?!\n))?", data)  # where lines end in CR alone, a LF behind it is data
    ends = rb"\r" if begin and begin[1] else rb"(?:\r\n|\n|\r)"
    end = re.search(rb"(?:\A|(?<=[\r\n]))end_header[ \t]*" + ends, data[:HEADER_MOST])
    if end is None:
        raise Refused(cut_off.hit(what="the header has no 'end_header'"))
    order: str | None = None
    elements: list[Element] = []
    for number, line in enumerate(data[: end.start()].decode("latin-1").splitlines(), 1):
        words = line.split()
        match words:
            case [] | ["ply"] | ["comment", *_] | ["obj_info", *_]:
                pass
            case ["format", word, *_] if word in _ORDERS and order is None:
                order = _ORDERS[word]
            case ["element", name, count] if re.fullmatch(r"\d{1,18}", count) and name not in [
                e.name for e in elements
            ]:
                elements.append(Element(name, int(count), ()))
            case ["property", kind, name] if kind in _TYPES and elements:
                _add(elements, Property(name, _TYPES[kind]), number)
            case ["property", "list", counted, kind, name] if counted in _TYPES and kind in _TYPES and elements:
                if "f" in _TYPES[counted]:
                    raise bad("PLY", "the length of a list is not a whole number", line=number)
                _add(elements, Property(name, _TYPES[kind], _TYPES[counted]), number)
            case _:
                raise bad("PLY", f"a header line that says nothing: {shown(line)!r}", line=number)
    if order is None:
        raise bad("PLY", "its header names no format")
    return order, elements, end.end()


_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}


def _add(elements: list[Element], column: Property, line: int) -> None:
    last = elements[-1]
    if column.name in [p.name for p in last.properties]:
        raise bad("PLY", f"property {shown(column.name)!r} is declared twice", line=line)
    if column.counted and column.name in _LISTS and "f" in column.kind:
        raise bad("PLY", "the corners' numbers are not whole", line=line)
    elements[-1] = Element(last.name, last.count, (*last.properties, column))


Read = tuple[Floats, Ints, Ints, tuple[Finding, ...]]


def _text(data: bytes, start: int, elements: list[Element], order: str) -> Read:
    reader = LineReader(data, start)
    corners, sizes, numbers = np.empty((0, 3)), [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for element in elements:
        parts = []
        for lines in reader.take(element.count, f"{element.count} {shown(element.name)} rows are declared"):
            if element.name == "vertex":
                parts.append(_text_corners(lines, element))
            elif element.name == "face":
                size, number = _text_faces(lines, element)
                sizes.append(size)
                numbers.append(number)
        if parts:
            corners = np.concatenate(parts)
    if reader.ended():
        return corners, np.concatenate(sizes), np.concatenate(numbers), ()
    (line,) = next(reader.take(1, "a line more"))
    _no_more_faces(elements[-1], len(corners), lambda last: _text_faces([line], last))
    found = (trailing_bytes.hit(what="lines"),)
    return corners, np.concatenate(sizes), np.concatenate(numbers), found


def _no_more_faces(last: Element, corners: int, read: Callable[[Element], tuple[Ints, Ints]]) -> None:
    """`Refused` where what follows the last row reads as one more face: then the number of faces is wrong."""
    if last.name != "face":
        return
    try:
        size, numbers = read(replace(last, count=1))
    except Refused:  # whatever it is, it is none
        return
    if (size >= 3).all() and (numbers >= 0).all() and (numbers < corners).all():
        raise bad("PLY", f"{last.count} faces are declared, and another one follows")


def _text_corners(lines: list[bytes], element: Element) -> Floats:
    width = len(element.properties)
    names = [p.name for p in element.properties]
    table = table_of(b"\n".join(lines))
    if table is not None and table.shape[1] == width:
        return table[:, [names.index(axis) for axis in "xyz"]]
    rows = [line.split() for line in lines]
    at = [names.index(axis) for axis in "xyz"]
    for line, row in zip(lines, rows, strict=True):
        if len(row) != width:
            said = shown(line.decode("latin-1"))
            raise bad("PLY", f"a corner that does not have {width} numbers, but {len(row)}: {said!r}")
    columns = [floats_of([row[i] for row in rows]) for i in at]
    if any(column is None for column in columns):
        wrong = next(line for line, row in zip(lines, rows, strict=True) if floats_of([row[i] for i in at]) is None)
        raise bad("PLY", f"a coordinate that is no number: {shown(wrong.decode('latin-1'))!r}")
    return np.column_stack([c for c in columns if c is not None])


def _plain_numbers(lines: list[bytes]) -> Ints | None:
    """Lines of as many whole numbers each, where that is all they are."""
    text = b"\n".join(lines)
    table = table_of(text) if not re.search(rb"[^0-9\s+-]", text) else None
    return None if table is None or np.abs(table).max() > 2**52 else table.astype(np.int64)


def _text_faces(lines: list[bytes], element: Element) -> tuple[Ints, Ints]:
    table = _plain_numbers(lines) if len(element.properties) == 1 else None
    if table is not None and (table[:, 0] == table.shape[1] - 1).all():
        return table[:, 0].copy(), table[:, 1:].ravel()
    sizes, words = [], []
    for line in lines:
        row, at = line.split(), 0
        for column in element.properties:
            try:
                length = -1 if column.counted and b"_" in row[at] else int(row[at]) if column.counted else 1
            except (ValueError, IndexError):
                length = -1
            first = at + bool(column.counted)
            at = first + length
            if length < 0 or at > len(row):
                raise bad("PLY", f"a face that is not what the header declares: {shown(line.decode('latin-1'))!r}")
            if column.counted and column.name in _LISTS:
                sizes.append(length)
                words += row[first:at]
        if at != len(row):
            raise bad("PLY", f"a face with too many numbers: {shown(line.decode('latin-1'))!r}")
    numbers = ints_of(words)
    if numbers is None:
        wrong = next(word for word in words if ints_of([word]) is None)
        raise bad("PLY", f"a corner's number that is not whole: {shown(wrong.decode('latin-1'))!r}")
    return np.array(sizes, dtype=np.int64), numbers


def _binary(data: bytes, start: int, elements: list[Element], order: str) -> Read:
    corners, sizes, numbers = np.empty((0, 3)), np.empty(0, np.int64), np.empty(0, np.int64)
    for element in elements:
        if element.plain:
            row = np.dtype([(f"{i}", order + p.kind) for i, p in enumerate(element.properties)])
            end = start + element.count * row.itemsize
            if end > len(data):
                raise Refused(cut_off.hit(what=f"{element.count} {shown(element.name)} rows are declared"))
            if element.name == "vertex":
                table = np.frombuffer(data, row, count=element.count, offset=start)
                names = [p.name for p in element.properties]
                corners = np.column_stack([table[f"{names.index(axis)}"].astype(np.float64) for axis in "xyz"])
            start = end
        else:
            size, number, start = _lists(data, start, element, order)
            if element.name == "face":
                sizes, numbers = size, number
    if start < len(data):
        _no_more_faces(elements[-1], len(corners), lambda last: _lists(data, start, last, order)[:2])
    found = (trailing_bytes.hit(what=f"{len(data) - start} bytes"),) if start < len(data) else ()
    return corners, sizes, numbers, found


def _lists(data: bytes, start: int, element: Element, order: str) -> tuple[Ints, Ints, int]:
    """Rows with lists: read at once where all are as long as the first, one by one where not."""
    lengths, at = [], start
    for column in element.properties if element.count else ():
        lengths.append(_length(data, at, column, order, element))
        at += column.width(lengths[-1])
    wanted = next((i for i, p in enumerate(element.properties) if p.name in _LISTS and p.counted), None)
    fields = []
    for i, (column, length) in enumerate(zip(element.properties, lengths, strict=False)):
        fields += [(f"n{i}", order + column.counted)] if column.counted else []
        fields.append((f"v{i}", order + column.kind, (length,)))  # type: ignore[arg-type]
    row = np.dtype(fields) if fields and at - start < 2**30 else None
    if row is not None and start + element.count * row.itemsize <= len(data):
        table = np.frombuffer(data, row, count=element.count, offset=start)
        if all((table[f"n{i}"] == n).all() for i, n in enumerate(lengths) if element.properties[i].counted):
            end = start + element.count * row.itemsize
            if wanted is None:
                return np.empty(0, np.int64), np.empty(0, np.int64), end
            size = np.full(element.count, lengths[wanted], dtype=np.int64)
            return size, table[f"v{wanted}"].astype(np.int64).ravel(), end
    return _walked(data, start, element, order, wanted)


def _walked(data: bytes, start: int, element: Element, order: str, wanted: int | None) -> tuple[Ints, Ints, int]:
    at = start
    sizes: list[int] = []
    spots: list[int] = []
    widths = [(p.width(0), np.dtype(p.kind).itemsize) for p in element.properties]
    byte = [p.counted == "u1" for p in element.properties]
    total = len(data)
    for _ in range(element.count):
        for i, column in enumerate(element.properties):
            quick = byte[i] and at < total
            length = data[at] if quick else _length(data, at, column, order, element)
            at += widths[i][0]
            if i == wanted:
                sizes.append(length)
                spots.append(at)
            at += length * widths[i][1]
    if at > total:
        raise Refused(cut_off.hit(what=f"{element.count} {shown(element.name)} rows are declared"))
    size = np.array(sizes, dtype=np.int64)
    if wanted is None:
        return np.empty(0, np.int64), np.empty(0, np.int64), at
    width = widths[wanted][1]
    first = np.repeat(
        np.array(spots, dtype=np.int64) - np.concatenate([[0], np.cumsum(size)[:-1]]).astype(np.int64) * width, size
    )
    where = first + np.arange(int(size.sum())) * width
    raw = np.frombuffer(data, np.uint8)[where[:, None] + np.arange(width)]
    return size, np.ascontiguousarray(raw).view(order + element.properties[wanted].kind).astype(np.int64).ravel(), at


def _length(data: bytes, at: int, column: Property, order: str, element: Element) -> int:
    if not column.counted:
        return 1
    width = np.dtype(column.counted).itemsize
    if at + width > len(data):
        raise Refused(cut_off.hit(what=f"{element.count} {shown(element.name)} rows are declared"))
    signed = column.counted.startswith("i")
    length = int.from_bytes(data[at : at + width], "big" if order == ">" else "little", signed=signed)
    if length < 0:
        raise bad("PLY", "a list with a negative length")
    if length > len(data):
        raise Refused(cut_off.hit(what=f"a list of {length} numbers does not fit in the file"))
    return length
