"""An engine does not tire: memory stays flat over thousands of settles, and the same settle ends the same to the bit.

python benchmarks/endurance.py --count 5000 --engines bullet,rapier
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path

import numpy as np

from sim3d.engine import Rock, moving_of
from sim3d.mini import Mini
from sim3d.settle import settle_moving
from sim3d.space import Pose

CHECK_AFTER = 1000  # other settles, after which the first ones are asked again
GROWTH_MB = 20.0  # what a process may gain over all of them: less than 5 kB a settle
WARM = 200  # settles until caches and pools are full
PLACES = ((1.5, 14.0), (-0.8, 14.0), (4.0, 20.0))  # mm inside a rough ledge's edge, height of the centre of mass


def main() -> int:
    """Run them; 1 where memory grew or a digest changed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--engines", default="bullet,rapier")
    asked = parser.parse_args()
    return max(endured(engine, asked.count) for engine in asked.engines.split(","))


def endured(engine: str, count: int) -> int:
    """One engine: prints what it found; 1 where it tired."""
    ground, mini = _ground(), Mini("27", height=40, com=14.0)
    moving = moving_of(mini)
    rng = np.random.default_rng(7)
    first = _digests(engine, ground)
    start_mb, begun, changed = 0.0, time.perf_counter(), 0
    for i in range(1, count + 1):
        x, y = rng.uniform(-20, -5), rng.uniform(-8, 8)
        pose = Pose.at(float(x), float(y), 0.3, turn=float(rng.uniform(0, 360)))
        settle_moving(ground, moving, pose, friction=1.25, engine=engine, nudge_deg=None)
        if i == WARM:
            start_mb = _resident_mb()
        if i % CHECK_AFTER == 0:
            changed += _digests(engine, ground) != first
            print(f"{engine}: {i} settles, {_resident_mb():.1f} MB, digests {'changed' if changed else 'unchanged'}")
            sys.stdout.flush()
    grown = _resident_mb() - start_mb
    took = 1e3 * (time.perf_counter() - begun) / count
    print(f"{engine}: from {start_mb:.1f} MB after {WARM} settles to {start_mb + grown:.1f} MB after {count},", end=" ")
    print(f"{took:.1f} ms each; digests changed {changed} times")
    return int(grown > GROWTH_MB or changed > 0)


def _digests(engine: str, ground: Rock) -> list[str]:
    made = []
    for d, h in PLACES:
        mini, pose = Mini("27", height=40, com=h), Pose.at(-d, 1.0, 0.3, turn=17.3)
        made.append(settle_moving(ground, moving_of(mini), pose, friction=1.25, engine=engine).digest)
    return made


def _ground() -> Rock:
    """A rough ledge of 2 mm triangles, 60 by 40 mm, that ends at x 0."""
    x, y = np.meshgrid(np.linspace(-60, 0, 31), np.linspace(-20, 20, 21), indexing="ij")
    z = 0.3 * np.sin(0.4 * x) * np.cos(0.5 * y + 0.2 * x)
    i, j = np.meshgrid(np.arange(30), np.arange(20), indexing="ij")
    a = (i * 21 + j).ravel()
    faces = np.vstack([np.column_stack([a, a + 21, a + 22]), np.column_stack([a, a + 22, a + 1])])
    return Rock(np.column_stack([x.ravel(), y.ravel(), z.ravel()]), faces)


def _resident_mb() -> float:
    """What the process holds in memory now (Linux); its greatest so far elsewhere."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(row for row in status.read_text().splitlines() if row.startswith("VmRSS"))
        return float(line.split()[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024.0 if sys.platform == "linux" else math.pow(2, 20))


if __name__ == "__main__":
    sys.exit(main())
