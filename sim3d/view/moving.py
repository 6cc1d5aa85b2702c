"""Moving pictures from frames of one size: APNG in full colour, GIF in 255 colours; the same frames, the same bytes."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim3d.view.picture import Image
from sim3d.view.png import SIGNATURE, chunk, filtered_data, header_data

COLOURS = 255  # of a GIF's 256; the last says: as in the frame before
CLEAR = 255
MOST_CODES = 4096  # of LZW in a GIF; then it begins anew
BITS = 8


def apng_bytes(frames: Sequence[Image], *, frame_ms: int, hold_ms: int = 0) -> bytes:
    """The bytes of an APNG that repeats for ever, its last frame held longer; readers that know none show the first.

    >>> apng_bytes([np.zeros((1, 1, 3), np.uint8)], frame_ms=50)[:8] == SIGNATURE
    True
    """
    height, width = _size(frames)
    out = [SIGNATURE, chunk(b"IHDR", header_data(width, height)), chunk(b"acTL", struct.pack(">II", len(frames), 0))]
    number = 0
    for k, frame in enumerate(frames):
        top, left, part = _changed(frames[k - 1] if k else None, frame)
        rows, columns = part.shape[:2]
        told = (number, columns, rows, left, top, _shown_ms(frames, k, frame_ms, hold_ms), 1000, 0, 0)
        out.append(chunk(b"fcTL", struct.pack(">IIIIIHHBB", *told)))
        number += 1
        data = filtered_data(part)
        if k == 0:
            out.append(chunk(b"IDAT", data))
        else:
            out.append(chunk(b"fdAT", struct.pack(">I", number) + data))
            number += 1
    return b"".join([*out, chunk(b"IEND", b"")])


def gif_bytes(frames: Sequence[Image], *, frame_ms: int, hold_ms: int = 0) -> bytes:
    """The bytes of a GIF that repeats for ever, its last frame held longer.

    >>> gif_bytes([np.zeros((1, 1, 3), np.uint8)], frame_ms=50)[:6]
    b'GIF89a'
    """
    height, width = _size(frames)
    palette, index = _palette(frames)
    out = [b"GIF89a", struct.pack("<HHBBB", width, height, 0xF7, 0, 0), palette.tobytes(), bytes(3)]
    out.append(b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
    before: NDArray[np.uint8] | None = None
    for k, frame in enumerate(frames):
        now = index[_coarse(frame)]
        top, left, part = _changed(None if before is None else before[:, :, None], now[:, :, None])
        shown = part[:, :, 0].copy()
        if before is not None:
            same = before[top : top + shown.shape[0], left : left + shown.shape[1]] == shown
            shown[same] = CLEAR
        hundredths = round(_shown_ms(frames, k, frame_ms, hold_ms) / 10)
        out.append(struct.pack("<BBBBHBB", 0x21, 0xF9, 4, 0b101, hundredths, CLEAR, 0))
        out.append(struct.pack("<BHHHHB", 0x2C, left, top, shown.shape[1], shown.shape[0], 0))
        out.append(_blocks(_lzw(shown.ravel().tolist())))
        before = now
    return b"".join([*out, b"\x3b"])


def _size(frames: Sequence[Image]) -> tuple[int, int]:
    sizes = {frame.shape for frame in frames}
    if len(sizes) != 1:
        raise ValueError(f"frames of one size make a moving picture, got {sorted(sizes) or 'none'}")
    height, width, _ = sizes.pop()
    return int(height), int(width)


def _shown_ms(frames: Sequence[Image], k: int, frame_ms: int, hold_ms: int) -> int:
    return frame_ms + (hold_ms if k == len(frames) - 1 else 0)


def _changed(before: NDArray[np.uint8] | None, now: NDArray[np.uint8]) -> tuple[int, int, NDArray[np.uint8]]:
    """The rectangle that is not as before: its first row and column, and what is in it; never empty."""
    if before is None:
        return 0, 0, now
    other = (before != now).any(axis=2)
    rows, columns = np.nonzero(other.any(axis=1))[0], np.nonzero(other.any(axis=0))[0]
    if not len(rows):
        return 0, 0, now[:1, :1]
    top, left = int(rows[0]), int(columns[0])
    return top, left, now[top : rows[-1] + 1, left : columns[-1] + 1]


# --- a GIF's colours and codes ----------------------------------------------------------------------------------------


def _coarse(frame: Image) -> NDArray[np.int64]:
    """Colours by their first five bits each: one of 32,768."""
    r, g, b = (frame[:, :, c].astype(np.int64) >> 3 for c in range(3))
    return (r << 10) | (g << 5) | b


def _palette(frames: Sequence[Image]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """255 colours for all frames by median cut, and for each coarse colour the one that shows it."""
    counts, sums = np.zeros(32768), np.zeros((32768, 3))
    for frame in frames:
        coarse = _coarse(frame).ravel()
        counts += np.bincount(coarse, minlength=32768)
        for c in range(3):
            sums[:, c] += np.bincount(coarse, weights=frame[:, :, c].ravel(), minlength=32768)
    used = np.nonzero(counts)[0]
    points, weights = sums[used] / counts[used, None], counts[used]
    boxes = [np.arange(len(used))]
    while len(boxes) < COLOURS:
        spread = [np.ptp(points[box], axis=0).max() * weights[box].sum() ** 0.25 for box in boxes]
        widest = int(np.argmax(spread))
        if spread[widest] <= 0:
            break
        box = boxes.pop(widest)
        axis = int(np.argmax(np.ptp(points[box], axis=0)))
        order = box[np.argsort(points[box, axis], kind="stable")]
        half = np.searchsorted(np.cumsum(weights[order]), weights[order].sum() / 2)
        cut = min(max(1, int(half)), len(order) - 1)
        boxes += [order[:cut], order[cut:]]
    palette, index = np.zeros((COLOURS, 3), dtype=np.uint8), np.zeros(32768, dtype=np.uint8)
    for number, box in enumerate(boxes):
        mean = (points[box] * weights[box, None]).sum(axis=0) / weights[box].sum()
        palette[number] = np.floor(mean + 0.5).astype(np.uint8)
        index[used[box]] = number
    return palette, index


def _lzw(pixels: Sequence[int]) -> bytes:
    """A GIF's variable-length codes, packed from the lowest bit."""
    clear, end = 1 << BITS, (1 << BITS) + 1
    known: dict[tuple[int, int], int] = {}
    size, following = BITS + 1, end + 1
    held, filled, out = clear, size, bytearray()
    prefix = pixels[0]
    for pixel in pixels[1:]:
        code = known.get((prefix, pixel))
        if code is not None:
            prefix = code
            continue
        held |= prefix << filled
        filled += size
        if following < MOST_CODES:
            known[prefix, pixel] = following
            following += 1
            if following > 1 << size and size < 12:
                size += 1
        else:
            held |= clear << filled
            filled += size
            known.clear()
            size, following = BITS + 1, end + 1
        prefix = pixel
        while filled >= 8:
            out.append(held & 0xFF)
            held >>= 8
            filled -= 8
    held |= prefix << filled
    filled += size
    if following < MOST_CODES and following + 1 > 1 << size and size < 12:
        size += 1
    held |= end << filled
    filled += size
    while filled > 0:
        out.append(held & 0xFF)
        held >>= 8
        filled -= 8
    return bytes(out)


def _blocks(data: bytes) -> bytes:
    """In blocks of at most 255, each with its length; the first byte of all says how long codes begin."""
    parts = [data[k : k + 255] for k in range(0, len(data), 255)]
    return bytes([BITS]) + b"".join(bytes([len(part)]) + part for part in parts) + b"\x00"
