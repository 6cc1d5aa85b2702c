"""Verdicts a second, side by side: the standing map, the exact solver, tuned Bullet, naive pybullet, Rapier, HiGHS.

    python benchmarks/atlas.py [--quick]

Cells of the map are timed with one thread and with all; the others on a sample of the same cells, one after another.
Rates are medians of three runs, by the clock of the process. Growth: the map's time over area, pitch and triangles.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linprog

import sim3d
from sim3d.atlas import atlas
from sim3d.ground import ground_of
from sim3d.ground.spans import spans_of
from sim3d.stand import stand

PACK = Path(__file__).parent.parent / "meshes" / "pack"
FILES = ("ruin.stl", "hill.ply", "rocks.ply")
NAIVE_S, NAIVE_HZ, NAIVE_DROP_M = 4.0, 240, 0.005  # what anybody writes first: metres, defaults, dropped flat


def timed(work: Callable[[], Any], times: int = 3) -> float:
    """The median seconds of a piece of work."""
    seen = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        seen.append(time.perf_counter() - begun)
    return statistics.median(seen)


def naive(corners: np.ndarray, at: tuple[float, float], top: float) -> None:
    """pybullet as it comes, on the triangles around a place."""
    import pybullet as p

    near = corners[np.abs(corners[:, :, :2].mean(axis=1) - np.array(at)).max(axis=1) < 22.0]
    client = p.connect(p.DIRECT)
    p.setGravity(0, 0, -9.81, physicsClientId=client)
    vertices = (near.reshape(-1, 3) - np.array([*at, 0.0])) / 1000.0
    flags = {"flags": p.GEOM_FORCE_CONCAVE_TRIMESH, "physicsClientId": client}
    if len(vertices):
        indices = list(range(len(vertices)))
        rock = p.createCollisionShape(p.GEOM_MESH, vertices=vertices.tolist(), indices=indices, **flags)
        p.createMultiBody(0, rock, physicsClientId=client)
    body = p.createCollisionShape(p.GEOM_CYLINDER, radius=0.0135, height=0.0032, physicsClientId=client)
    p.createMultiBody(0.01, body, basePosition=[0, 0, top / 1000.0 + NAIVE_DROP_M], physicsClientId=client)
    for _ in range(int(NAIVE_S * NAIVE_HZ)):
        p.stepSimulation(physicsClientId=client)
    p.disconnect(client)


def highs(corners: np.ndarray, at: tuple[float, float]) -> None:
    """The program of one round, given whole to scipy's solver."""
    points = corners.reshape(-1, 3) - np.array([*at, 0.0])
    points = np.unique(points[np.hypot(points[:, 0], points[:, 1]) <= 13.5], axis=0)
    if len(points):
        rows = -np.column_stack([np.ones(len(points)), points[:, :2]])
        linprog([1.0, 0.0, 0.0], A_ub=rows, b_ub=-points[:, 2], bounds=[(None, None)] * 3, method="highs")


def main() -> int:
    """Print one table, and the growth."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a coarser map, fewer placements")
    quick = parser.parse_args().quick
    pitch, count = (4.0, 4) if quick else (1.0, 20)
    mini = sim3d.Mini("27")
    print(f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}")
    print(f"{'mesh':12} {'what':16} {'a second':>12}")
    for name in FILES:
        table = sim3d.Table.of(sim3d.read_solid(PACK / name))
        made = atlas(table, mini, pitch=8.0)  # compiles, and fills what is kept
        x0, y0, x1, y1 = made.xs()[0], made.ys()[0], made.xs()[-1], made.ys()[-1]
        area = (float(x0), float(y0), float(x1), float(y1))
        ground = ground_of(table)
        raster = timed(lambda g=ground: spans_of(g.corners, g.floor_mm))  # type: ignore[misc]
        cells = atlas(table, mini, pitch=pitch, area=area).answers.size
        for threads in sorted({1, os.cpu_count() or 1}):
            t = timed(lambda n=threads, a=area, w=table: atlas(w, mini, pitch=pitch, area=a, threads=n))  # type: ignore[misc]
            print(f"{name:12} {f'atlas, {threads} thread':16} {cells / max(t - raster, 1e-9):12,.0f}")
        rng = np.random.default_rng(1)
        places = [(float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))) for _ in range(count)]

        def each(work: Callable[[tuple[float, float]], Any], places: list[tuple[float, float]] = places) -> float:
            work(places[0])
            return len(places) / timed(lambda: [work(at) for at in places], 1)

        print(
            f"{name:12} {'exact solver':16} {each(lambda at, w=table: stand(w, mini, at=at, physics='never')):12,.1f}"
        )
        for engine in ("bullet", "rapier"):
            rate = each(lambda at, w=table, e=engine: stand(w, mini, at=at, physics="always", engine=e))
            print(f"{name:12} {engine:16} {rate:12,.2f}")
        top = float(ground.corners[:, :, 2].max())
        print(f"{name:12} {'naive pybullet':16} {each(lambda at, g=ground, z=top: naive(g.corners, at, z)):12,.2f}")
        print(f"{name:12} {'HiGHS, one round':16} {each(lambda at, g=ground: highs(g.corners, at)):12,.1f}")
        for step in (4.0, 2.0) if quick else (4.0, 2.0, 1.0):
            t = timed(lambda s=step, a=area, w=table: atlas(w, mini, pitch=s, area=a), 1)  # type: ignore[misc]
            print(f"{name:12} {f'pitch {step:g} mm':16} {t:12.2f} s")
        print(f"{name:12} {'raster':16} {raster:12.3f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
