"""PNG files: the same picture is the same bytes, with nothing in the file but the picture."""

from __future__ import annotations

import os
import struct
import zlib
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from sim3d.keep import keep

SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHUNK = 4_000_000  # numbers filtered at once: some ten copies of them are needed
COMPRESSION = 9  # pictures are written once and looked at often


def png_bytes(image: NDArray[np.uint8]) -> bytes:
    """A picture (h, w, 3) as the bytes of a PNG file.

    >>> png_bytes(np.zeros((1, 1, 3), np.uint8))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    pixels = np.asarray(image)
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or 0 in pixels.shape:
        raise ValueError(f"a picture is uint8 (height, width, 3), got {pixels.dtype} {pixels.shape}")
    height, width, _ = pixels.shape
    parts = (b"IHDR", header_data(width, height)), (b"IDAT", filtered_data(pixels)), (b"IEND", b"")
    return SIGNATURE + b"".join(chunk(name, data) for name, data in parts)


def write_png(target: str | os.PathLike[str] | BinaryIO, image: NDArray[np.uint8]) -> None:
    """Write a picture to a path or an open binary file."""
    data = png_bytes(image)
    if isinstance(target, str | os.PathLike):
        keep(target, data)
    else:
        target.write(data)


def header_data(width: int, height: int) -> bytes:
    """What a PNG says of itself first: eight bits of red, green and blue."""
    return struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)


def filtered_data(pixels: NDArray[np.uint8]) -> bytes:
    """Pixels (h, w, 3) as PNG keeps them."""
    return zlib.compress(_filtered(pixels), COMPRESSION)


def chunk(name: bytes, data: bytes) -> bytes:
    """A piece of a PNG file, with its length and its sum."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _filtered(pixels: NDArray[np.uint8]) -> bytes:
    """Each row by the filter that leaves the smallest numbers: they compress best."""
    rows = max(1, CHUNK // (pixels.shape[1] * 3))
    before = np.zeros((1, *pixels.shape[1:]), dtype=np.uint8)
    out = bytearray()
    for top in range(0, len(pixels), rows):
        part = pixels[top : top + rows]
        out += _rows_filtered(part, np.concatenate([before, part[:-1]]))
        before = part[-1:]
    return bytes(out)


def _rows_filtered(pixels: NDArray[np.uint8], above: NDArray[np.uint8]) -> bytes:
    """Rows, and the row above each."""
    height = pixels.shape[0]
    now, up = pixels.astype(np.int16), above.astype(np.int16)
    left, corner = np.zeros_like(now), np.zeros_like(now)
    left[:, 1:], corner[:, 1:] = now[:, :-1], up[:, :-1]
    guess = left + up - corner
    far_l, far_u, far_c = abs(guess - left), abs(guess - up), abs(guess - corner)
    paeth = np.where((far_l <= far_u) & (far_l <= far_c), left, np.where(far_u <= far_c, up, corner))
    best = now.astype(np.uint8).reshape(height, -1)
    cost = np.abs(best.view(np.int8).astype(np.int32)).sum(axis=1)
    kind = np.zeros(height, dtype=np.uint8)
    for number, expected in enumerate((left, up, (left + up) >> 1, paeth), start=1):
        rows = (now - expected).astype(np.uint8).reshape(height, -1)
        price = np.abs(rows.view(np.int8).astype(np.int32)).sum(axis=1)
        better = price < cost
        best[better], cost[better], kind[better] = rows[better], price[better], number
    return np.concatenate([kind[:, None], best], axis=1).tobytes()
