"""The standing map on random windows of meshes, against the exact solver on every cell and against the engines on some.

    python benchmarks/cells.py meshes/pack MORE --scales INDEX.tsv [--cells 20000] [--audit 1000] [--pitch 1] [--seed 1]

Cells are shared evenly by the meshes, a window has 7 by 7 of them. Printed for each mesh: cells, refined, undecided,
contradicted (the map has a confident word, the exact solver another confident one), what the engines said. Every
contradiction and every disagreement comes with its place; contradictions make the exit code 1.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from sim3d.atlas import atlas
from sim3d.atlas.value import REFINED
from sim3d.mini import Mini
from sim3d.solid import read_solid
from sim3d.stand import WORDS, stand
from sim3d.table import Table

MESHES = (".stl", ".ply", ".obj", ".glb")
SIDE = 7  # cells along a window
ENGINES = ("bullet", "rapier")


def main() -> int:
    """A line for each mesh, a line for all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", help="meshes, or folders of them")
    parser.add_argument("--scales", type=Path, help="a table (tab separated): file, mm per unit")
    parser.add_argument("--cells", type=int, default=20_000)
    parser.add_argument("--audit", type=int, default=0, help="cells for the engines, half of each")
    parser.add_argument("--pitch", type=float, default=1.0)
    parser.add_argument("--base", default="27")
    parser.add_argument("--seed", type=int, default=1)
    told = parser.parse_args()
    files = [f for folder in told.folders for f in _meshes(folder)]
    scales = dict(row[:2] for row in csv.reader(told.scales.open(), delimiter="\t")) if told.scales else {}
    windows = math.ceil(told.cells / len(files) / SIDE**2)
    each = math.ceil(told.audit / len(files) / windows / 2)
    seen: Counter[str] = Counter()
    for file in files:
        scale = float(scales.get(file.name, 1.0))
        dice = np.random.default_rng([told.seed, len(file.name), windows])
        mine: Counter[str] = Counter()
        begun = time.process_time()
        for line in _asked(file, scale, told.base, told.pitch, windows, each, dice, mine):
            print(f"  {file.name} {line}", flush=True)
        seen += mine
        print(f"{file.name}: {_line(mine)}, {time.process_time() - begun:.0f} s", flush=True)
    print(f"all: {_line(seen)}")
    return 1 if seen["contradicted"] else 0


def _meshes(folder: Path) -> list[Path]:
    return [folder] if folder.is_file() else sorted(f for f in folder.iterdir() if f.suffix in MESHES)


def _line(seen: Counter[str]) -> str:
    cells = max(seen["cells"], 1)
    told = f"{seen['cells']} cells, refined {seen['refined'] / cells:.2%}, undecided {seen['undecided'] / cells:.2%}"
    told += f", contradicted {seen['contradicted']}"
    return told + "".join(
        f"; {engine}: {seen[f'{engine} asked']} asked, {seen[f'{engine} in its band']} in its band, "
        f"{seen[f'{engine} disagreed']} disagreed"
        for engine in ENGINES
        if seen[f"{engine} asked"]
    )


def _asked(
    file: Path,
    scale: float,
    base: str,
    pitch: float,
    windows: int,
    each: int,
    dice: np.random.Generator,
    seen: Counter[str],
) -> Iterator[str]:
    """Counts into `seen`, and what was contradicted as lines."""
    solid = read_solid(file).scaled(scale)
    table, mini = Table.of(solid), Mini(base)
    low, high = (np.asarray(b)[:2] for b in solid.bounds)
    for window in range(windows):
        x, y = (float(v) for v in np.rint(dice.uniform(low, high) / pitch) * pitch)
        across = (SIDE - 1) * pitch
        for engine in ENGINES if each else (None,):
            made = atlas(
                table, mini, pitch=pitch, area=(x, y, x + across, y + across), threads=1,
                audit=each if engine else 0, seed=window, engine=engine,
            )  # fmt: skip
            if engine:
                seen[f"{engine} asked"] += made.audit.asked
                seen[f"{engine} in its band"] += made.audit.in_band
                seen[f"{engine} disagreed"] += len(made.audit.disagreed)
                yield from (f"{engine}: {place}" for place in made.audit.disagreed)
        (layer,) = made.layers
        seen["cells"] += layer.words.size
        seen["refined"] += int((layer.how & REFINED > 0).sum())
        seen["undecided"] += int((layer.words == WORDS.index("undecided")).sum())
        for j, i in np.ndindex(layer.words.shape):
            at = (float(made.first[0] + i) * pitch, float(made.first[1] + j) * pitch)
            word = WORDS[layer.words[j, i]]
            if word == "undecided":
                continue
            exact = stand(table, mini, at=at, physics="never")
            if exact.answer not in (word, "undecided"):
                seen["contradicted"] += 1
                yield f"at {at[0]:g},{at[1]:g}: {word}, exactly {exact.answer}: {exact.why}"


if __name__ == "__main__":
    sys.exit(main())
