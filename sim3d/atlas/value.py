"""`Atlas`: the standing map as a value: words and numbers over a grid, per level and facing; saved and summed up."""

from __future__ import annotations

import json
import math
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim3d.atlas.regions import Region, regions_of
from sim3d.keep import keep
from sim3d.space import Floats
from sim3d.stand import WORDS

# what a file that is no map ends in: reading it, or taking it apart
_NO_MAP: tuple[type[Exception], ...] = (
    *(AttributeError, IndexError, KeyError, TypeError, ValueError, EOFError, MemoryError, OverflowError),
    *(RuntimeError, zipfile.BadZipFile, zlib.error),
)
FORM = 2  # of a saved map; another number is another form
NUMBERS = ("height", "slope_x", "slope_y", "tilt", "margin", "tip", "barrier", "surface")
FLAT, BOUND, TIP_EXACT, REFINED = 1, 2, 4, 8  # bits of `how`


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a map: its word and numbers; a number that there is none of is NaN."""

    answer: str
    at: tuple[float, float]
    turn: float
    level: float | None
    height_mm: float
    tilt_deg: float
    margin_mm: float
    tip_deg: float
    barrier_mm: float
    bound: bool  # tip and barrier are at least this
    refined: bool  # decided by the exact solver itself


@dataclass(frozen=True, slots=True)
class Layer:
    """One level and one facing: words (ny, nx) as numbers into `stand.WORDS`, how each was found, numbers."""

    turn: float
    level: float | None
    words: NDArray[np.uint8]
    how: NDArray[np.uint8]
    numbers: Floats  # (ny, nx, 8), in the order of NUMBERS

    def __repr__(self) -> str:
        rows, columns = self.words.shape
        return f"Layer(turn={self.turn}, level={self.level}, {rows} x {columns} cells)"

    @property
    def answers(self) -> NDArray[np.str_]:
        """The words themselves."""
        return np.array(WORDS)[self.words]


class Contradicted(NamedTuple):
    """A place of which the engine said something else: where, the map's word, and what was heard."""

    x: float
    y: float
    turn: float
    level: float | None
    word: str
    why: str


@dataclass(frozen=True, slots=True)
class Audit:
    """What the engine said of a random sample: asked, agreed, in its band, and where it disagreed."""

    asked: int = 0
    agreed: int = 0
    in_band: int = 0
    disagreed: tuple[Contradicted, ...] = ()
    refined: int = 0  # of those asked, how many the exact solver had decided

    def __str__(self) -> str:
        if not self.asked:
            return "the engine was not asked"
        said = f"{self.agreed} agreed, {self.in_band} in its band, {len(self.disagreed)} not"
        return f"the engine was asked {self.asked}: {said}"


@dataclass(frozen=True, slots=True)
class Atlas:
    """The standing map of one base on one table: cells centred on multiples of the pitch, first the plain layer.

    The middle of cell (j, i) is ((first[0] + i) pitch, (first[1] + j) pitch).
    """

    base: str
    pitch_mm: float
    first: tuple[int, int]
    layers: tuple[Layer, ...]
    audit: Audit = Audit()
    about: str = ""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        ny, nx = self.layers[0].words.shape
        return ny, nx

    @property
    def answers(self) -> NDArray[np.str_]:
        """The words of the first layer."""
        return self.layers[0].answers

    @property
    def height(self) -> Floats:
        """Heights of the underside's middle, first layer, mm."""
        return self.layers[0].numbers[:, :, 0]

    @property
    def tilt(self) -> Floats:
        """Tilts at rest, first layer, degrees."""
        return self.layers[0].numbers[:, :, 3]

    @property
    def margin(self) -> Floats:
        """Margins, first layer, mm."""
        return self.layers[0].numbers[:, :, 4]

    @property
    def tip(self) -> Floats:
        """Gravity tilts that take it over, first layer, degrees; above 10 what is proven."""
        return self.layers[0].numbers[:, :, 5]

    @property
    def barrier(self) -> Floats:
        """Energy barriers as lift, first layer, mm; where the tip is over 10 degrees what is proven."""
        return self.layers[0].numbers[:, :, 6]

    @property
    def levels(self) -> tuple[float | None, ...]:
        """The cut of every layer; None: no cut."""
        return tuple(layer.level for layer in self.layers)

    def xs(self) -> Floats:
        """The x of every column, mm."""
        return np.asarray((self.first[0] + np.arange(self.shape[1])) * self.pitch_mm, np.float64)

    def ys(self) -> Floats:
        """The y of every row, mm."""
        return np.asarray((self.first[1] + np.arange(self.shape[0])) * self.pitch_mm, np.float64)

    def at(self, x: float, y: float, layer: int = 0) -> Cell:
        """The cell whose middle is nearest to (x, y); `KeyError` outside the map."""
        i, j = round(x / self.pitch_mm) - self.first[0], round(y / self.pitch_mm) - self.first[1]
        if not (0 <= j < self.shape[0] and 0 <= i < self.shape[1]):
            raise KeyError(f"({x:g}, {y:g}) is outside the map")
        one = self.layers[layer]
        n, how = one.numbers[j, i], int(one.how[j, i])
        place = ((self.first[0] + i) * self.pitch_mm, (self.first[1] + j) * self.pitch_mm)
        found = (float(n[0]), float(n[3]), float(n[4]), float(n[5]), float(n[6]))
        word = WORDS[one.words[j, i]]
        return Cell(word, place, one.turn, one.level, *found, bool(how & BOUND), bool(how & REFINED))

    def areas(self, layer: int = 0) -> dict[str, float]:
        """mm² of each word that occurs, in the order of the words."""
        counts = np.bincount(self.layers[layer].words.ravel(), minlength=len(WORDS))
        return {w: float(n) * self.pitch_mm**2 for w, n in zip(WORDS, counts, strict=True) if n}

    def regions(self, layer: int = 0, words: tuple[str, ...] = ("stable",)) -> tuple[Region, ...]:
        """Connected ground with one of these words, the largest first, each with its widest free circle."""
        wanted = np.isin(self.layers[layer].words, [WORDS.index(w) for w in words])
        return regions_of(wanted, self.pitch_mm, self.first[0] * self.pitch_mm, self.first[1] * self.pitch_mm)

    def share(self, bit: int) -> float:
        """The share of all cells found so (FLAT, BOUND, REFINED)."""
        return float(np.mean([(layer.how & bit > 0).mean() for layer in self.layers]))

    def summary(self) -> dict[str, Any]:
        """Plain data: areas and regions per layer, and the audit."""
        layers = []
        for k, layer in enumerate(self.layers):
            regions = self.regions(k)
            layers.append(
                {
                    "level": layer.level,
                    "turn": layer.turn,
                    "area_mm2": self.areas(k),
                    "regions": len(regions),
                    "largest": [
                        {
                            "area_mm2": r.area_mm2,
                            "widest_mm": round(r.widest_mm, 3),
                            "widest_at": list(r.widest_at),
                        }
                        for r in regions[:5]
                    ],
                    "refined": int((layer.how & REFINED > 0).sum()),
                    "level_ground": int((layer.how & FLAT > 0).sum()),
                    "cells": int(layer.words.size),
                }
            )
        return {
            "base": self.base,
            "pitch_mm": self.pitch_mm,
            "first": list(self.first),
            "shape": list(self.shape),
            "layers": layers,
            "audit": asdict(self.audit),
        }

    # --- files --------------------------------------------------------------------------------------------------------

    def save(self, path: Path | str) -> None:
        """As `.npz`: arrays and a line of JSON, nothing to run; the same map is the same bytes."""
        keep(path, self.as_npz())

    def as_npz(self) -> bytes:
        """The bytes of a saved map."""
        about = {
            "form": FORM,
            "base": self.base,
            "pitch_mm": self.pitch_mm,
            "first": list(self.first),
            "layers": [{"turn": layer.turn, "level": layer.level} for layer in self.layers],
            "audit": asdict(self.audit),
            "about": self.about,
        }
        arrays: dict[str, Any] = {"about": np.frombuffer(json.dumps(about).encode(), np.uint8)}
        for k, layer in enumerate(self.layers):
            arrays |= {f"words{k}": layer.words, f"how{k}": layer.how, f"numbers{k}": layer.numbers}
        out = BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as kept:
            for name, array in arrays.items():
                member = BytesIO()
                np.save(member, array, allow_pickle=False)
                kept.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue(), zipfile.ZIP_DEFLATED)
        return out.getvalue()

    @staticmethod
    def load(path: Path | str) -> Atlas:
        """A saved map; `ValueError` where the file is none."""
        try:
            with Path(path).open("rb") as file, np.load(file, allow_pickle=False) as kept:
                about = json.loads(bytes(kept["about"]))
                if about["form"] != FORM:
                    raise ValueError(f"form {about['form']}")
                layers = tuple(_kept(kept, k, one) for k, one in enumerate(about["layers"]))
            audit = dict(about["audit"])
            audit["disagreed"] = tuple(Contradicted(*one) for one in audit["disagreed"])
            if len({layer.words.shape for layer in layers}) != 1:
                raise ValueError("its layers do not fit together")
            first = (int(about["first"][0]), int(about["first"][1]))
            return Atlas(about["base"], float(about["pitch_mm"]), first, layers, Audit(**audit), about["about"])
        except OSError as error:
            raise ValueError(f"{Path(path).name} cannot be read: {error.strerror or error}") from None
        except _NO_MAP as error:
            raise ValueError(f"{Path(path).name} is not a standing map: {error}") from None

    def as_csv(self) -> str:
        """A line per cell: layer, x, y, word and numbers; empty where there is none."""
        lines = ["level,turn,x_mm,y_mm,answer,height_mm,tilt_deg,margin_mm,tip_deg,barrier_mm,bound,refined"]
        xs, ys = self.xs(), self.ys()
        for layer in self.layers:
            level = "" if layer.level is None else f"{layer.level:g}"
            for j, y in enumerate(ys):
                for i, x in enumerate(xs):
                    n, how = layer.numbers[j, i], int(layer.how[j, i])
                    told = ",".join("" if math.isnan(n[k]) else f"{n[k]:.4f}" for k in (0, 3, 4, 5, 6))
                    flags = f"{int(how & BOUND > 0)},{int(how & REFINED > 0)}"
                    lines.append(f"{level},{layer.turn:g},{x:g},{y:g},{WORDS[layer.words[j, i]]},{told},{flags}")
        return "\n".join(lines) + "\n"


def _kept(kept: Mapping[str, Any], k: int, about: dict[str, Any]) -> Layer:
    """A layer out of a file; `ValueError` where an array is none, or does not fit."""
    words, how, numbers = kept[f"words{k}"], kept[f"how{k}"], kept[f"numbers{k}"]
    for name, array, kind in (("words", words, np.uint8), ("how", how, np.uint8), ("numbers", numbers, np.float64)):
        if not isinstance(array, np.ndarray) or array.dtype != kind:
            raise ValueError(f"{name} {k} is no array of {kind.__name__}")
    if words.ndim != 2 or how.shape != words.shape or numbers.shape != (*words.shape, len(NUMBERS)):
        raise ValueError(f"the arrays of layer {k} do not fit together")
    if words.size and words.max() >= len(WORDS):
        raise ValueError(f"layer {k} has a word of the number {words.max()}")
    level = about["level"]
    return Layer(float(about["turn"]), None if level is None else float(level), words, how, numbers)
