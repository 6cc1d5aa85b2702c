"""How fast a placement is judged, and how fast others are on the same ground, in one run.

    python benchmarks/speed.py meshes/gallery meshes/pack
    python benchmarks/speed.py --both meshes/gallery      # words of both witnesses, with nudges
    python benchmarks/speed.py --engines          # settles against naive pybullet on 44,000 rough triangles
    python benchmarks/speed.py --cold             # `sim3d stand` in fresh processes, on 50,000 and 2 million triangles

Times are of the process, one thread, after everything is compiled; the machine may be busy. Medians, since a base that
rolls over a chain of facets takes a hundred times as long as one that lies flat.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sim3d.ground import ground_of
from sim3d.mini import Mini
from sim3d.settle import settle
from sim3d.solid import Solid, read_solid
from sim3d.space import Floats, Ints
from sim3d.stand import stand
from sim3d.statics import rest
from sim3d.statics.rest import Case, case_of
from sim3d.table import Table

MESHES = (".stl", ".ply", ".obj", ".glb")
SEED = 3
POSES = 20  # times each pose is sought again: one takes some millionths of a second
NAIVE_S = 4.0  # after which a naive drop is given up
NAIVE_HZ = 240
NAIVE_DROP_MM = 5.0
STILL_MM_S, STILL_DEG_S = 1.0, 5.0  # slower than this, a naive drop counts as at rest


def main() -> int:
    """Run what is asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--base", default="27")
    parser.add_argument("--count", type=int, default=40, help="placements a mesh")
    parser.add_argument("--both", action="store_true", help="ask both witnesses, not statics alone")
    parser.add_argument("--engines", action="store_true")
    parser.add_argument("--cold", action="store_true")
    asked = parser.parse_args()
    for folder in asked.folders:
        (witnesses if asked.both else statics)(folder, Mini(asked.base), asked.count)
    if asked.engines:
        engines(asked.count)
    if asked.cold:
        cold()
    return 0


def statics(folder: Path, mini: Mini, count: int) -> None:
    """Poses and whole answers a second, mesh by mesh."""
    print(f"{folder.name}: triangles near; poses a second (median, mean); all numbers a second (median, mean)")
    files = sorted(p for p in folder.iterdir() if p.suffix in MESHES)
    poses, whole = [], []
    for file in files:
        solid = read_solid(file)
        table, (low, high) = Table.of(solid), solid.bounds
        ground, rng = ground_of(table), np.random.default_rng(SEED)
        mine: list[tuple[int, float, float]] = []
        for k in range(count + 3):
            at = (float(rng.uniform(low[0], high[0])), float(rng.uniform(low[1], high[1])))
            case = case_of(ground, mini, at=at, turn=0.0, level=None)
            pose = _took(lambda case=case: _poses(case)) / POSES
            numbers = _took(lambda at=at, table=table: rest(table, mini, at=at))
            if k >= 3:  # the first compile, and fill the caches
                mine.append((len(case.patch.tris), pose, numbers))
        near, one, other = (np.array(column) for column in zip(*mine, strict=True))
        poses.extend(one)
        whole.extend(other)
        rates = [f"{rate:8.0f}" for t in (one, other) for rate in (1 / np.median(t), 1 / np.mean(t))]
        print(f"  {file.name:24s} {np.median(near):6.0f}  {' '.join(rates)}")
        sys.stdout.flush()
    rates = [f"{rate:8.0f}" for t in (poses, whole) for rate in (1 / np.median(t), 1 / np.mean(t))]
    print(f"  {'all':24s}         {' '.join(rates)}")


def witnesses(folder: Path, mini: Mini, count: int) -> None:
    """Words of both witnesses a second, the engine always asked: of all places, and of those where it had a say."""
    rng = np.random.default_rng(SEED)
    places = []
    for file in sorted(p for p in folder.iterdir() if p.suffix in MESHES):
        solid = read_solid(file)
        table, (low, high) = Table.of(solid), solid.bounds
        places += [(table, (float(x), float(y))) for x, y in rng.uniform(low[:2], high[:2], (count, 2))]
    for engine in ("bullet", "rapier"):
        stand(places[0][0], mini, at=places[0][1], engine=engine)  # the first compile
        took, seen = [], []
        for table, at in places:
            begun = time.perf_counter()
            told = stand(table, mini, at=at, engine=engine, physics="always")
            took.append(time.perf_counter() - begun)
            seen.append(told.drift_mm is not None)
        times, asked = np.array(took), np.array(seen)
        each = [f"{1 / t:.1f}" for t in (times.mean(), times[asked].mean(), np.median(times[asked]))]
        print(f"{folder.name}, both witnesses, {engine}: {each[0]} placements a second of {len(times)};")
        print(f"  {each[1]} of the {asked.sum()} that it was asked about, median {each[2]}")


def _poses(case: Case) -> None:
    for _ in range(POSES):
        case.lowest()


def _took(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def rough(size_mm: float, pitch_mm: float, relief_mm: float) -> Solid:
    """Rolling, rough ground about the origin, with a floor and walls: a closed solid."""
    n = round(size_mm / pitch_mm) + 1
    axis = np.linspace(-size_mm / 2, size_mm / 2, n)
    x, y = np.meshgrid(axis, axis, indexing="ij")
    bumps = np.random.default_rng(SEED).uniform(0, relief_mm, (n, n))
    z = 6 + 3 * np.sin(x / 17) * np.cos(y / 23) + bumps
    top = np.column_stack([x.ravel(), y.ravel(), z.ravel()])
    i, j = (a.ravel() for a in np.meshgrid(np.arange(n - 1), np.arange(n - 1), indexing="ij"))
    a, b, c, d = i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1
    faces = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    return Solid.of(top, faces)


def engines(count: int) -> None:
    """A settle without nudges, and both witnesses, against pybullet as it comes out of the box."""
    solid = rough(300, 2, 0.3)
    table, mini = Table.of(solid), Mini("27")
    rng = np.random.default_rng(SEED)
    ours: dict[str, list[float]] = {"bullet": [], "rapier": []}
    both: dict[str, list[float]] = {"bullet": [], "rapier": []}
    rested = dict.fromkeys(ours, 0)
    naive, naive_rested = [], 0
    for _ in range(count):
        at = (float(rng.uniform(-120, 120)), float(rng.uniform(-120, 120)))
        found = rest(table, mini, at=at)
        if found.pose is None:
            continue
        near = ground_of(table).patch(*at, mini.base.outline.reach_mm() + 8.0)
        soup = near.tris + np.array([near.x, near.y, near.z])
        mesh = (soup.reshape(-1, 3), np.arange(3 * len(soup)).reshape(-1, 3))
        for engine in ours:
            begun = time.perf_counter()
            seen = settle(mesh, mini, found.pose, friction=1.25, engine=engine, nudge_deg=None)
            ours[engine].append(time.perf_counter() - begun)
            rested[engine] += seen.rested
            begun = time.perf_counter()
            stand(table, mini, at=at, engine=engine)
            both[engine].append(time.perf_counter() - begun)
        begun = time.perf_counter()
        naive_rested += dropped(solid.vertices, solid.faces, mini, at, float(found.pose.place[2]))
        naive.append(time.perf_counter() - begun)
    each = statistics.mean(naive)
    print(f"rough ground, {len(solid.faces)} triangles of 2 mm, {len(naive)} places")
    print(f"  naive pybullet      {1e3 * each:8.1f} ms, {naive_rested} at rest")
    for engine in ours:
        mean = statistics.mean(ours[engine])
        print(
            f"  {engine} settle       {1e3 * mean:8.1f} ms, {rested[engine]} at rest: {each / mean:.1f} times as fast"
        )
        mean = statistics.mean(both[engine])
        print(f"  both, with {engine}   {1e3 * mean:8.1f} ms: {1 / mean:.1f} placements a second")


def dropped(vertices: Floats, faces: Ints, mini: Mini, at: tuple[float, float], z_mm: float) -> bool:
    """Pybullet as it comes: metres, its defaults, the whole mesh, a flat drop; whether it came to rest in time."""
    import pybullet  # a peer is measured as it is: not through our engines

    client = pybullet.connect(pybullet.DIRECT)
    try:
        pybullet.setGravity(0, 0, -9.81, physicsClientId=client)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "ground.obj"
            corners = [f"v {x} {y} {z}" for x, y, z in (vertices / 1000).tolist()]
            path.write_text("\n".join(corners + [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]))
            shape = pybullet.createCollisionShape(
                pybullet.GEOM_MESH,
                fileName=str(path),
                flags=pybullet.GEOM_FORCE_CONCAVE_TRIMESH,
                physicsClientId=client,
            )
        pybullet.createMultiBody(0, shape, physicsClientId=client)
        height, radius = 2 * mini.com[2] / 1000, mini.base.outline.reach_mm() / 1000
        body = pybullet.createCollisionShape(
            pybullet.GEOM_CYLINDER, radius=radius, height=height, physicsClientId=client
        )
        start = (at[0] / 1000, at[1] / 1000, (z_mm + NAIVE_DROP_MM) / 1000 + height / 2 + 0.003)
        mini_id = pybullet.createMultiBody(0.02, body, basePosition=start, physicsClientId=client)
        still = 0
        for _ in range(int(NAIVE_S * NAIVE_HZ)):
            pybullet.stepSimulation(physicsClientId=client)
            move, spin = pybullet.getBaseVelocity(mini_id, physicsClientId=client)
            slow = np.linalg.norm(move) * 1000 < STILL_MM_S and np.degrees(np.linalg.norm(spin)) < STILL_DEG_S
            still = still + 1 if slow else 0
            if still >= NAIVE_HZ // 4:
                return True
        return False
    finally:
        pybullet.disconnect(client)


def cold() -> None:
    """`sim3d stand` as a command: the time of the whole process and the most memory it took."""
    for pitch_mm, name in ((1.9, "50 thousand"), (0.3, "2 million")):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "ground.stl"
            _written(rough(300, pitch_mm, 0.3), path)
            command = [sys.executable, "-m", "sim3d", "stand", "--mesh", str(path), "--base", "27", "--at", "3,4"]
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            begun = time.perf_counter()
            said = subprocess.run(command, capture_output=True, text=True, check=False)
            took = time.perf_counter() - begun
            most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
            grown = most / 1024 if most > before else float("nan")
            print(f"cold, {name} triangles: {took:.2f} s, {grown:.0f} MB: {said.stdout.splitlines()[:1]}{said.stderr}")


def _written(solid: Solid, path: Path) -> None:
    soup = solid.vertices[solid.faces].astype("<f4")
    rows = np.zeros(len(soup), dtype=[("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
    rows["corners"] = soup
    path.write_bytes(b" " * 80 + np.uint32(len(soup)).tobytes() + rows.tobytes())


if __name__ == "__main__":
    sys.exit(main())
