"""glTF numbers: the rows an accessor points at; offset, stride and count are checked against the bytes there are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim3d.finding import Hit, Refused, Severity, check
from sim3d.solid.guard import bad, cut_off, shown

_NUMBERS = {5120: "i1", 5121: "u1", 5122: "i2", 5123: "u2", 5125: "u4", 5126: "f4"}
_WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
COUNT_MOST = 2**31
NOTHING_MOST = 12_000_000  # rows that take no byte in the file
BOX_SHARE = 0.01  # of a box: programs round what they say of it, to three digits and more
ROUNDED = 1e-4  # of half a decimal: what a corner's own rounding to seven digits may add
STEPS_LEAST = 4  # of the last decimal from end to end of a box that was rounded to it; one of fewer says nothing
MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")  # of a buffer view; its plain rows need not be there


@check("GLTF_OUT_OF_BOUNDS", Severity.ERROR, "{what}")
def out_of_bounds(*_: object) -> None:
    """The file refers to a buffer, a view, an accessor, a node or bytes that it does not have.

    Why: the numbers of the mesh are not there, and what would be read in their place is something else.
    Example: an accessor of 900 corners over a buffer of 100 bytes. Do: export it again, from another program.
    """


@check(
    "GLTF_COMPRESSED",
    Severity.ERROR,
    "its geometry is packed by {extension}, which is not read; export it without compression",
)
def compressed(*_: object) -> None:
    """The geometry is packed in a way that needs another program.

    Why: without unpacking there is no terrain, and some readers silently give an empty one. Example: Draco or meshopt.
    Do: export without compression, or unpack with a glTF tool.
    """


@check("GLTF_EXTENSION", Severity.ERROR, "it needs the extension {extension!r}, which is not read")
def unknown_extension(*_: object) -> None:
    """The file says that it cannot be understood without an extension, and that extension is not known here.

    Why: the mesh could be elsewhere or otherwise than it seems. Example: EXT_mesh_gpu_instancing places copies of a
    mesh.
    Do: export without it.
    """


@check(
    "GLTF_BOX_WRONG",
    Severity.WARNING,
    "the corners of accessor {accessor} reach from {low} to {high}, it says from {said_low} to {said_high}",
)
def box_wrong(root: dict[str, Any], index: int, rows: NDArray[Any]) -> Iterator[Hit]:
    """The corners do not reach where the file says that they do, by more than a hundredth of its box and by more than
    the decimals that it says it with were rounded by.

    Why: a wrong box alone does no harm, but numbers read from a wrong place look like this, and no other way.
    Example: a .gltf beside the .bin of a later export. Do: look at the mesh; if it is wrong, export both files again.
    """
    accessor = root["accessors"][index]
    said = [accessor.get("min"), accessor.get("max")]
    if not len(rows) or not all(isinstance(row, list) and len(row) == rows.shape[1] for row in said):
        return
    if not all(isinstance(v, int | float) and abs(v) < 1e30 for row in said for v in row):
        return
    low, high = np.array(said, dtype=np.float64)
    is_low, is_high = rows.min(axis=0).astype(np.float64), rows.max(axis=0).astype(np.float64)
    if not np.isfinite([is_low, is_high]).all():  # said of the mesh
        return
    apart = max(float(np.abs(low - is_low).max()), float(np.abs(high - is_high).max()))
    size = max(float(np.abs(high - low).max()), float((is_high - is_low).max()))
    rounded = _rounded_by([v for row in said for v in row])
    if apart > max(BOX_SHARE * size, rounded if 2 * STEPS_LEAST * rounded <= size * (1 + BOX_SHARE) else 0.0):
        at = [_point(row) for row in (is_low, is_high, low, high)]
        yield Hit(accessor=index, low=at[0], high=at[1], said_low=at[2], said_high=at[3])


def _rounded_by(numbers: list[float]) -> float:
    """How far numbers may be from what they stand for, where all were rounded to as many decimals as the longest has.

    >>> round(_rounded_by([0.04, -0.0, 0.1]), 6)
    0.005
    """
    decimals = max(0, *(-int(Decimal(str(float(v))).normalize().as_tuple().exponent) for v in numbers))
    return 0.5 * 10.0**-decimals * (1 + ROUNDED)


def _point(row: NDArray[np.float64]) -> str:
    return "(" + ", ".join(f"{v:.4g}" for v in row + 0.0) + ")"


def pick(where: dict[str, Any], many: str, index: object, kind: str = "") -> dict[str, Any]:
    """The object `index` of a list in the file, or `Refused`."""
    rows = where.get(many, [])
    if not isinstance(rows, list):
        raise bad("glTF", f"{many!r} is not a list")
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < len(rows):
        raise Refused(out_of_bounds.hit(what=f"{kind or many} {shown(index)} is asked for, there are {len(rows)}"))
    row = rows[index]
    if not isinstance(row, dict):
        raise bad("glTF", f"{many} {index} is not an object")
    return row


def whole(where: dict[str, Any], key: str, default: int | None = None) -> int:
    """A number that counts something: an integer from 0, not absurdly large."""
    value = where.get(key, default)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < COUNT_MOST:
        raise bad("glTF", f"{key!r} is {shown(value)}, not a count")
    return value


Buffers = Callable[[int], bytes]


def column(root: dict[str, Any], index: object, buffers: Buffers, *, width: str) -> tuple[NDArray[Any], bool]:
    """The rows of an accessor as stored, (count, width), and whether they stand for fractions ("normalized")."""
    accessor = pick(root, "accessors", index, "accessor")
    if accessor.get("type") != width:
        raise bad("glTF", f"accessor {index} is {shown(accessor.get('type'))}, not {width}")
    kind = _kind(accessor, "componentType")
    count = whole(accessor, "count")
    if "bufferView" in accessor:
        rows = _rows(
            root, accessor["bufferView"], whole(accessor, "byteOffset", 0), kind, count, _WIDTH[width], buffers
        )
    elif "sparse" in accessor:
        if count > NOTHING_MOST:
            raise bad("glTF", f"accessor {index} has {count} rows of nothing")
        rows = np.zeros((count, _WIDTH[width]), kind)
    else:
        raise bad("glTF", f"accessor {index} has no numbers: it points at no buffer view")
    if "sparse" in accessor:
        rows = _patched(root, accessor["sparse"], rows, kind, buffers)
    return rows, accessor.get("normalized") is True


def _kind(where: dict[str, Any], key: str) -> np.dtype[Any]:
    code = where.get(key)
    if not isinstance(code, int) or code not in _NUMBERS:
        raise bad("glTF", f"{key} {shown(code)} is no type of number")
    return np.dtype("<" + _NUMBERS[code])


def _rows(
    root: dict[str, Any], view: object, offset: int, kind: np.dtype[Any], count: int, width: int, buffers: Buffers
) -> NDArray[Any]:
    seen = pick(root, "bufferViews", view, "buffer view")
    extensions = seen.get("extensions")
    if isinstance(extensions, dict):
        for name in MESHOPT:
            if extensions.get(name) is not None:
                raise Refused(compressed.hit(extension=name))
    pick(root, "buffers", seen.get("buffer"), "buffer")
    data = buffers(seen["buffer"])
    start, length = whole(seen, "byteOffset", 0), whole(seen, "byteLength")
    size = width * kind.itemsize
    stride = whole(seen, "byteStride", 0) or size
    if stride < size:
        raise bad("glTF", f"buffer view {view} has rows of {stride} bytes for numbers of {size}")
    if start + length > len(data):
        what = f"buffer view {view} reaches to byte {start + length}, buffer {seen['buffer']} has {len(data)}"
        raise Refused(out_of_bounds.hit(what=what))
    if count and offset + stride * (count - 1) + size > length:
        what = f"{count} rows of {size} bytes, {stride} apart, reach beyond the {length} bytes of buffer view {view}"
        raise Refused(out_of_bounds.hit(what=what))
    if not count:
        return np.empty((0, width), kind)
    return np.ndarray((count, width), kind, data, start + offset, (stride, kind.itemsize))


def _patched(
    root: dict[str, Any], sparse: object, rows: NDArray[Any], kind: np.dtype[Any], buffers: Buffers
) -> NDArray[Any]:
    if not isinstance(sparse, dict) or not all(isinstance(sparse.get(k), dict) for k in ("indices", "values")):
        raise bad("glTF", "a sparse accessor without indices and values")
    count, where, values = whole(sparse, "count"), sparse["indices"], sparse["values"]
    numbers = _kind(where, "componentType")
    if numbers.kind != "u":
        raise bad("glTF", "a sparse accessor whose rows are counted by a signed or fractional type")
    at = _rows(root, where.get("bufferView"), whole(where, "byteOffset", 0), numbers, count, 1, buffers)
    new = _rows(root, values.get("bufferView"), whole(values, "byteOffset", 0), kind, count, rows.shape[1], buffers)
    spots = at[:, 0].astype(np.int64)
    if count and spots.max() >= len(rows):
        raise Refused(out_of_bounds.hit(what=f"a sparse accessor changes row {spots.max()} of {len(rows)}"))
    rows = np.array(rows)
    rows[spots] = new
    return rows


def fractions(rows: NDArray[Any], normalized: bool) -> NDArray[np.float64]:
    """Numbers as float64; whole ones that stand for fractions become -1 to 1."""
    values = rows.astype(np.float64)
    if normalized and rows.dtype.kind in "iu":
        values = np.maximum(values / np.iinfo(rows.dtype).max, -1.0)
    return values


def chunks_of(data: bytes) -> tuple[bytes, bytes, int]:
    """The JSON and the binary chunk of a GLB, and how many bytes follow; lengths are checked against the file."""
    if len(data) < 20:
        raise Refused(cut_off.hit(what=f"a GLB of {len(data)} bytes"))
    version, length = int.from_bytes(data[4:8], "little"), int.from_bytes(data[8:12], "little")
    if version != 2:
        raise bad("GLB", f"version {version}; only version 2 is read")
    if length > len(data):
        raise Refused(cut_off.hit(what=f"{length} bytes declared, {len(data)} are there"))
    at = 12
    found: list[tuple[bytes, int, int]] = []
    while at + 8 <= length and len(found) < 16:
        size, kind = int.from_bytes(data[at : at + 4], "little"), data[at + 4 : at + 8]
        if at + 8 + size > length:
            raise Refused(cut_off.hit(what=f"a chunk of {size} bytes, {length - at - 8} are there"))
        found.append((kind, at + 8, size))
        at += 8 + size
    if not found or found[0][0] != b"JSON":
        raise bad("GLB", "the first chunk is not JSON")
    binary = data[found[1][1] : found[1][1] + found[1][2]] if len(found) > 1 and found[1][0] == b"BIN\0" else b""
    return data[found[0][1] : found[0][1] + found[0][2]], binary, len(data) - length
