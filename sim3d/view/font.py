"""Letters for pictures: strokes on a small grid, drawn for this house, so that a picture needs no font file.

A glyph is a list of strokes, a stroke a list of points: a digit for x and a letter for y, where `d` is the baseline,
`j` the height of an x and `m` that of a capital. A small letter is a corner the pen goes through; a capital letter
pulls the pen without being reached, so that `0D6D6M0M.` is a round O. A stroke that ends in a dot is closed.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from sim3d.space import Floats

CAPITAL = 9.0  # grid units from the baseline to the top of a capital
BASELINE = "d"
GAP = 2.5  # units between two letters
SPACE = 3.0  # units a space is wide
STEPS = 6  # pieces a curve is drawn in: at 28 px no corner shows
UNKNOWN = "0d0m5m5d."  # a box, for what has no glyph

GLYPHS: dict[str, str] = {
    "A": "0d3m6d 1g5g",
    "B": "0i3i5I5M3m0m0d3d6D6I3i",
    "C": "6k6M0M0D6D6f",
    "D": "0d2d6D6M2m0m.",
    "E": "5d0d0m5m 0i4i",
    "F": "0d0m5m 0i4i",
    "G": "6k6M0M0D6D6h4h",
    "H": "0d0m 6d6m 0i6i",
    "I": "0d0m",
    "J": "4m4f4D0D0f",
    "K": "0d0m 5m0g 2i6d",
    "L": "0m0d5d",
    "M": "0d0m3f6m6d",
    "N": "0d0m6d6m",
    "O": "0D6D6M0M.",
    "P": "0d0m3m6M6H3h0h",
    "Q": "0D6D6M0M. 4f6c",
    "R": "0d0m3m6M6H3h0h 3h6d",
    "S": "6k6M0M0I3i6I6D0D0f",
    "T": "0m6m 3m3d",
    "U": "0m0h0D6D6h6m",
    "V": "0m3d6m",
    "W": "0m2d4k6d8m",
    "X": "0m6d 6m0d",
    "Y": "0m3h6m 3h3d",
    "Z": "0m6m0d6d",
    "a": "5g5D0D0J5J5g 5j5d",
    "b": "0m0d 0g0J5J5D0D0g",
    "c": "5i5J0J0D5D5e",
    "d": "5m5d 5g5J0J0D5D5g",
    "e": "0g5g5J0J0D5D5e",
    "f": "4m2M2j2d 0j4j",
    "g": "5j5d5A0A0b 5g5J0J0D5D5g",
    "h": "0m0d 0g0J5J5g5d",
    "i": "0d0j 0l0m",
    "j": "2j2c2A0a 2l2m",
    "k": "0m0d 4j0f 1g5d",
    "l": "0m0f0D2d",
    "m": "0j0d 0g0J4J4g4d 4g4J8J8g8d",
    "n": "0j0d 0g0J5J5g5d",
    "o": "0D5D5J0J.",
    "p": "0j0a 0g0J5J5D0D0g",
    "q": "5j5a 5g5J0J0D5D5g",
    "r": "0j0d 0g0J3j",
    "s": "4i4J0J0G2g4G4D0D0e",
    "t": "1m1f1D4d 0j4j",
    "u": "0j0g0D5D5g 5j5d",
    "v": "0j2d4j",
    "w": "0j2d4i6d8j",
    "x": "0j4d 4j0d",
    "y": "0j2d 4j2d1A0a",
    "z": "0j4j0d4d",
    "0": "0D5D5M0M.",
    "1": "0k2m2d",
    "2": "0k0M5M5I0d5d",
    "3": "0l0M5M5I2i 2i5I5D0D0e",
    "4": "4d4m0f5f",
    "5": "5m0m0i5J5D0D0e",
    "6": "4m0M0g0D5D5I0I0g",
    "7": "0m5m2d",
    "8": "2i0I0M5M5I2i 2i0I0D5D5I2i",
    "9": "1d5D5j5M0M0H5H5j",
    ".": "0d0e",
    ",": "1e0b",
    ":": "0d0e 0i0j",
    ";": "1e0b 1i1j",
    "!": "0m0g 0d0e",
    "?": "0k0M5M5J2I2g 2d2e",
    "'": "0m0k",
    '"': "0m0k 2m2k",
    "`": "0m1k",
    "-": "0h3h",
    "+": "0h6h 3e3k",
    "=": "0g5g 0i5i",
    "_": "0c5c",
    "*": "2l2g 0k4h 4k0h",
    "/": "0c4m",
    "\\": "0m4c",
    "|": "0b0m",
    "(": "2m0K0E2b",
    ")": "0m2K2E0b",
    "[": "2m0m0b2b",
    "]": "0m2m2b0b",
    "{": "2m1M1i0h1g1B2b",
    "}": "0m1M1i2h1g1B0b",
    "<": "5k0h5e",
    ">": "0k5h0e",
    "#": "1d2m 4d5m 0g6g 0j6j",
    "$": "5k5L0L0I3i5I5E0E0f 3c3n",
    "%": "0d6m 0J2J2M0M. 4D6D6G4G.",
    "&": "6d1k1M4M4K0G0D4D6h",
    "@": "5f5J2J2F5F5g5F7F7M0M0D6d",
    "^": "0j2m4j",
    "~": "0h0I2I2h2G4G4h",
    "°": "0J3J3M0M.",
    "µ": "0j0a 0g0D5D5g 5j5d",
    "²": "0l0M3M3K0i3i",
    "³": "0m3m1k3K3I0i",
    "±": "0i6i 3f3l 0d6d",
    "×": "0j4f 4j0f",
    "−": "0h5h",
    "–": "0h5h",
    "—": "0h8h",
    "…": "0d0e 3d3e 6d6e",
    "·": "0h0i",
    "≤": "5l0i5f 0d5d",
    "≥": "0l5i0f 0d5d",
    "→": "0h7h 5j7h5f",
}


@cache
def glyph(letter: str) -> tuple[tuple[Floats, ...], float]:
    """The strokes of a letter, points (n, 2) in grid units above the baseline, and its width without the gap."""
    if letter == " ":
        return (), SPACE
    strokes = tuple(_stroke(code) for code in GLYPHS.get(letter, UNKNOWN).split())
    return strokes, max(float(s[:, 0].max()) for s in strokes)


def _stroke(code: str) -> Floats:
    closed = code.endswith(".")
    points = [(float(a), float(ord(b.lower()) - ord(BASELINE)), b.isupper()) for a, b in zip(code[::2], code[1::2])]  # noqa: B905
    # Between two points that only pull, the pen passes the middle.
    path: list[tuple[float, float, bool]] = []
    for i, (x, y, pulls) in enumerate(points):
        path.append((x, y, pulls))
        following = points[(i + 1) % len(points)]
        if pulls and following[2] and (closed or i + 1 < len(points)):
            path.append(((x + following[0]) / 2, (y + following[1]) / 2, False))
    if closed:
        start = next(i for i, p in enumerate(path) if not p[2])
        path = [*path[start:], *path[: start + 1]]
    drawn: list[tuple[float, float]] = []
    for i, (x, y, pulls) in enumerate(path):
        if not pulls:
            drawn.append((x, y))
            continue
        (ax, ay, _), (bx, by, _) = path[i - 1], path[i + 1]
        for k in range(1, STEPS):
            t = k / STEPS
            a, b, c = (1 - t) * (1 - t), 2 * t * (1 - t), t * t
            drawn.append((a * ax + b * x + c * bx, a * ay + b * y + c * by))
    return np.array(drawn, dtype=np.float64)


def laid_out(text: str) -> tuple[list[Floats], float]:
    """All strokes of a line of text from x = 0, and its width, in grid units."""
    strokes: list[Floats] = []
    x = 0.0
    for letter in text:
        own, width = glyph(letter)
        strokes.extend(s + np.array([x, 0.0]) for s in own)
        x += width + GAP
    return strokes, max(0.0, x - GAP)
