"""How long validating a pack takes: growth with its pieces, what a second worker gains, memory; or any pack, once.

    python benchmarks/packs.py --pieces 50,100,200 --workers 1,2
    python benchmarks/packs.py FOLDER --bases 27,50 --pitch 1 --audit 200 --workers 2

The synthetic pack is the sample pack's pieces over and over, each stretched a little otherwise, so that none is known
from another. Every run is a fresh process without a result store. Times are by the clock and of processors; memory is
that of the largest process of all.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sim3d.solid import read_solid
from sim3d.solid.write import write_mesh

SAMPLE = Path(__file__).parent.parent / "meshes" / "pack"
MESHES = (".stl", ".obj", ".ply", ".glb")
STRETCH = (0.85, 1.15)  # of the sample's size, along each axis


class Took(NamedTuple):
    """One run."""

    clock_s: float
    processor_s: float


def main() -> int:
    """A line for each run, then how it grows and what a second worker gains."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pack", nargs="?", type=Path)
    parser.add_argument("--pieces", default="50,100,200", help="sizes of the synthetic pack")
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--bases", default="27")
    parser.add_argument("--pitch", default="4")
    parser.add_argument("--audit", default="0")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    options = [
        *(f"--base={base}" for base in asked.bases.split(",")),
        f"--pitch={asked.pitch}",
        f"--audit={asked.audit}",
    ]
    workers = [int(w) for w in asked.workers.split(",")]
    if asked.pack is not None:
        for many in workers:
            told(str(asked.pack), many, validated(asked.pack, options, many))
        print(f"the largest process: {peak_mb():.0f} MB")
        return 0
    sizes = [int(n) for n in asked.pieces.split(",")]
    seen: dict[tuple[int, int], Took] = {}
    with tempfile.TemporaryDirectory() as place:
        for size in sizes:
            pack = synthetic(Path(place) / str(size), size, asked.seed)
            for many in workers:
                seen[size, many] = validated(pack, options, many)
                told(f"{size} pieces", many, seen[size, many])
    for many in workers:
        each = [1000.0 * seen[size, many].clock_s / size for size in sizes]
        print(f"{many} workers: " + ", ".join(f"{ms:.0f}" for ms in each) + " ms a piece")
    if len(workers) > 1:
        few, more = workers[0], workers[-1]
        gains = [seen[size, few].clock_s / seen[size, more].clock_s for size in sizes]
        print(f"{more} workers against {few}: " + ", ".join(f"{gain:.2f}" for gain in gains) + " times as fast")
    print(f"the largest process: {peak_mb():.0f} MB")
    return 0


def told(what: str, workers: int, took: Took) -> None:
    """One line."""
    print(
        f"{what}, {workers} workers: {took.clock_s:.1f} s by the clock, {took.processor_s:.1f} of processors",
        flush=True,
    )


def peak_mb() -> float:
    """Of all processes that were waited for, workers too."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024.0


def synthetic(folder: Path, size: int, seed: int) -> Path:
    """A pack of so many pieces, the same for a seed."""
    folder.mkdir(parents=True)
    dice = np.random.default_rng(seed)
    sample = [read_solid(p) for p in sorted(SAMPLE.iterdir()) if p.suffix in MESHES]
    for k, solid in enumerate(islice(cycle(sample), size)):
        middle = np.array(solid.vertices).mean(axis=0) * (1.0, 1.0, 0.0)
        places = (solid.vertices - middle) * dice.uniform(*STRETCH, 3) + middle
        write_mesh(folder / f"piece-{k:03d}.stl", places, solid.faces)
    return folder


def validated(pack: Path, options: list[str], workers: int) -> Took:
    """`sim3d validate`, in a process of its own; its answer is not looked at, but that there is one."""
    command = [sys.executable, "-m", "sim3d", "validate", str(pack), *options, f"--workers={workers}", "--no-store"]
    with tempfile.TemporaryFile() as answer:
        before, begun = os.times(), time.perf_counter()
        code = subprocess.run([*command, "--format=json"], stdout=answer).returncode
        clock, after = time.perf_counter() - begun, os.times()
        if not os.fstat(answer.fileno()).st_size:
            raise SystemExit(f"no report, and exit code {code}: {' '.join(command)}")
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return Took(clock, spent)


if __name__ == "__main__":
    sys.exit(main())
