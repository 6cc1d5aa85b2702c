"""Cards: what is said of a moment as a small picture, the word in its colour, its numbers, what the marks mean."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sim3d.stand import Stand
from sim3d.view.draw import disc, line, rectangle, text, text_width
from sim3d.view.numbers import UNITS, numbers_of
from sim3d.view.picture import INK, PAPER, Colour, Image
from sim3d.view.scene import Told, colour_of

WIDE = 330  # pixels
PAD = 14
SMALL, BIG = 14.0, 26.0
FAINT: Colour = (0.40, 0.42, 0.45)
SHOWN = ("tilt", "tips at", "margin", "overhang", "friction needed", "friction there", "com at most")
ANSWERS = ("legal", "not legal")  # to a move
MOST_LINES = 10  # of sentences


def wrapped(words: str, width: float, size: float) -> list[str]:
    """Lines no wider than `width` pixels; a word that is wider alone stays whole.

    >>> wrapped("", 100.0, 14.0)
    []
    """
    lines: list[str] = []
    for word in words.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size=size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def card_of(title: str, told: Told, stand: Stand | None, note: str = "") -> Image:
    """The card of a moment: the file, the step, its word, the numbers of its verdict or what happened, a note."""
    moved = told.word in ANSWERS  # of a move: whether it may be made and what came of it, before where it ends
    rows: list[tuple[str, float, Colour, bool]] = [(title, SMALL, FAINT, False)]
    rows += [(told.title if stand is None else told.who, SMALL + 2, INK, True)]
    word = stand.answer if stand is not None and not moved else told.word
    if word:
        rows.append((word, BIG, colour_of(word), True))
    rows += _lines([told.about, *told.lines] if moved or stand is None else [stand.why])
    if stand is not None:
        rows += [(stand.answer, SMALL + 2, colour_of(stand.answer), True)] if moved else []
        numbers = [(label, f"{number}{UNITS[unit]}") for label, number, unit in numbers_of(stand) if label in SHOWN]
        rows += [(f"{label}\t{number}", SMALL, INK, False) for label, number in numbers]
    rows += [(one, SMALL, FAINT, False) for one in wrapped(note, WIDE - 2 * PAD, SMALL)]
    return _drawn(rows, None if not word else colour_of(word))


def _lines(said: Sequence[str]) -> list[tuple[str, float, Colour, bool]]:
    lines = [one for sentence in said for one in wrapped(sentence, WIDE - 2 * PAD, SMALL)]
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], "…"]
    return [(one, SMALL, INK, False) for one in lines]


def _drawn(rows: Sequence[tuple[str, float, Colour, bool]], stripe: Colour | None) -> Image:
    height = int(2 * PAD + sum(1.5 * size for _, size, _, _ in rows))
    image: Image = np.empty((height, WIDE, 3), dtype=np.uint8)
    image[:] = np.floor(np.array(PAPER) * 255 + 0.5).astype(np.uint8)
    if stripe is not None:
        rectangle(image, (0, 0), (5, height), colour=stripe)
    y = float(PAD)
    for words, size, colour, bold in rows:
        y += 1.5 * size
        left, tab, right = words.partition("\t")
        text(image, (PAD, y - 0.4 * size), left, size=size, colour=colour if not tab else FAINT, bold=bold)
        if tab:
            text(image, (WIDE - PAD, y - 0.4 * size), right, size=size, colour=colour, align="right")
    return image


def key_of(entries: Sequence[tuple[Colour, str, str]]) -> Image:
    """What the marks mean: a colour, how it is drawn ("line", "dot", "area"), and what it is."""
    height = int(2 * PAD + 1.5 * SMALL * len(entries))
    image: Image = np.empty((height, WIDE, 3), dtype=np.uint8)
    image[:] = np.floor(np.array(PAPER) * 255 + 0.5).astype(np.uint8)
    y = float(PAD)
    for colour, kind, words in entries:
        y += 1.5 * SMALL
        middle = y - 0.75 * SMALL
        if kind == "dot":
            disc(image, (PAD + 9, middle), 5, colour=colour)
        elif kind == "line":
            line(image, [(PAD, middle), (PAD + 18, middle)], colour=colour, width=3.0)
        else:
            rectangle(image, (PAD, middle - 6), (PAD + 18, middle + 6), colour=colour)
        text(image, (PAD + 28, y - 0.4 * SMALL), words, size=SMALL)
    return image
