"""Both witnesses on random placements: how often they agree, and every disagreement with the command that repeats it.

python benchmarks/witnesses.py meshes/pack --count 300 --base 27 --engine bullet --seed 1
"""

from __future__ import annotations

import argparse
import collections
import sys
import time
from pathlib import Path

import numpy as np

from sim3d.mini import Mini
from sim3d.solid import read_solid
from sim3d.stand import stand
from sim3d.table import Table

MESHES = (".stl", ".ply", ".obj", ".glb")


def main() -> int:
    """Run what the command line asks; print every disagreement and the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=300, help="placements in all, shared by the meshes")
    parser.add_argument("--base", default="27")
    parser.add_argument("--engine", default="bullet")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scales", type=Path, help="a table (tab separated): file, mm per unit")
    asked = parser.parse_args()
    scales = {}
    if asked.scales:
        rows = [line.split("\t") for line in asked.scales.read_text().splitlines()[1:]]
        scales = {row[0]: float(row[1]) for row in rows}
    files = sorted(p for p in asked.folder.iterdir() if p.suffix in MESHES)
    rng = np.random.default_rng(asked.seed)
    mini = Mini(asked.base)
    words: collections.Counter[str] = collections.Counter()
    heard = agreed = undecided = 0
    statics_s = both_s = 0.0
    for file in files:
        solid = read_solid(file).scaled(scales.get(file.name, 1.0))
        table = Table.of(solid)
        (x0, y0, _), (x1, y1, _) = solid.bounds
        for _ in range(max(1, asked.count // len(files))):
            at = (float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1)))
            turn = float(rng.uniform(0, 360))
            begun = time.perf_counter()
            alone = stand(table, mini, at=at, turn=turn, physics="never")
            between = time.perf_counter()
            both = stand(table, mini, at=at, turn=turn, engine=asked.engine)
            statics_s += between - begun
            both_s += time.perf_counter() - between
            words[both.answer] += 1
            if alone.answer in ("blocked", "falls", "off-table"):
                continue
            heard += 1
            if alone.answer == "undecided":
                undecided += 1
                print(f"statics alone: {alone.why}  {file} at {at[0]:.6f},{at[1]:.6f} turn {turn:.6f}")
                continue
            if both.decided_by == ("statics", "settle") and both.answer == alone.answer:
                agreed += 1
                continue
            inside = both.answer == alone.answer
            print(
                f"{'in band' if inside else 'DISAGREE'}: {both.why}\n"
                f"    sim3d stand --mesh {file} --base {asked.base} --at {at[0]:.6f},{at[1]:.6f} --turn {turn:.6f}"
                f" --engine {asked.engine}   tip {alone.tip_deg} barrier {alone.barrier_mm} tilt {alone.tilt_deg}"
                f" margin {alone.margin_mm} rock {alone.rock_deg} needs {alone.friction_needed} statics {alone.answer}"
            )
            agreed += inside
        sys.stderr.write(f"{file.name}: {heard} heard, {agreed} agree\n")
    print(f"words: {dict(words)}")
    share, each = 100 * agreed / max(heard, 1), 1e3 / max(asked.count, 1)
    print(f"heard {heard}, statics undecided {undecided}, agree or in band {agreed} ({share:.2f} %)")
    print(f"a placement: statics {each * statics_s:.1f} ms, both {each * both_s:.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
