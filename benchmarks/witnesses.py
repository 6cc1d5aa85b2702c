"""Both witnesses on random placements: how often they agree, and every disagreement with the command that repeats it.

    python benchmarks/witnesses.py meshes/pack MORE --scales INDEX.tsv --plan --out seen.jsonl
    python benchmarks/witnesses.py meshes/pack --bases 27,50n --engines bullet --count 300 --slice 2/5 --out seen.jsonl
    python benchmarks/witnesses.py --report seen.jsonl

A placement hangs on its seed, mesh, base and number alone, so slices in any order, on any day, are the same plan. Every
placement is written as soon as it is judged; those that are in the output already are not judged again.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sim3d.mini import Mini
from sim3d.settle import BANDS
from sim3d.solid import read_solid
from sim3d.stand import Stand, limits_near, stand
from sim3d.statics.rest import Rest
from sim3d.table import Table

MESHES = (".stl", ".ply", ".obj", ".glb")
PLAN = {"27": 1400, "50n": 1400, "100x175n": 240}  # placements in all of the whole plan, shared by the meshes
UNHEARD = ("blocked", "falls", "off-table")  # words that no engine is asked about
NUMBERS = ("tilt_deg", "tip_deg", "rock_deg", "barrier_mm", "margin_mm", "friction_needed", "com_limit_mm")


@dataclass(frozen=True, slots=True)
class Job:
    """One placement to judge: the mesh and its scale, a base, and the number that makes its place."""

    file: Path
    scale: float
    base: str
    number: int
    seed: int

    @property
    def key(self) -> str:
        """What makes it the same placement."""
        return f"{self.file.name} {self.base} {self.seed} {self.number}"

    def place(self, table_bounds: tuple[Any, Any]) -> tuple[tuple[float, float], float]:
        """Anywhere over the mesh, turned anyhow; rounded as a command line shows it."""
        rng = np.random.default_rng([self.seed, self.number, zlib.crc32(f"{self.file.name} {self.base}".encode())])
        (x0, y0, _), (x1, y1, _) = table_bounds
        x, y, turn = rng.uniform(x0, x1), rng.uniform(y0, y1), rng.uniform(0, 360)
        return (round(float(x), 6), round(float(y), 6)), round(float(turn), 6)

    def command(self, at: list[float], turn: float, engine: str) -> str:
        """What repeats it."""
        if self.scale != 1:  # the command line takes units, no odd scales
            which = f"--bases {self.base} --seed {self.seed} --number {self.number} --engines {engine}"
            return f"python benchmarks/witnesses.py {self.file} --scale {self.scale:g} {which}"
        place = f"--at {at[0]:.6f},{at[1]:.6f} --turn {turn:.6f}"
        return f"sim3d stand --mesh {self.file} --base {self.base} {place} --engine {engine}"


def main() -> int:
    """Judge what the command line asks for, or read what was judged; print the shares and every disagreement."""
    asked = _asked()
    if asked.report:
        print("\n".join(report(json.loads(line) for path in asked.report for line in path.read_text().splitlines())))
        return 0
    part, parts = (int(n) for n in asked.slice.split("/"))
    jobs = [job for i, job in enumerate(_jobs(asked)) if i % parts == part - 1]
    done: list[dict[str, Any]] = []
    if asked.out and asked.out.exists():
        done = [json.loads(line) for line in asked.out.read_text().splitlines()]
    known = {row["key"] for row in done}
    engines = asked.engines.split(",")
    jobs = sorted((job for job in jobs if job.key not in known), key=lambda job: (job.file, job.base))
    out = asked.out.open("a") if asked.out else None
    rows = list(done)
    for i, row in enumerate(judged(jobs, engines)):
        rows.append(row)
        if out:
            out.write(json.dumps(row) + "\n")
            out.flush()
        if i % 20 == 19 or i + 1 == len(jobs):
            sys.stderr.write(f"{i + 1} of {len(jobs)}, at {row['key']}\n")
    print("\n".join(report(rows)))
    return 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="*", help="meshes, or folders of them")
    parser.add_argument("--bases", default="27")
    parser.add_argument("--engines", default="bullet")
    parser.add_argument("--count", type=int, default=300, help="placements of each base, shared by the meshes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plan", action="store_true", help="the whole plan: all bases, both engines")
    parser.add_argument("--slice", default="1/1", help="2/5: the second fifth of all placements")
    parser.add_argument("--number", type=int, help="only the placements of this number: to repeat one")
    parser.add_argument("--scale", type=float, default=1.0, help="mm per unit, where --scales does not say")
    parser.add_argument("--scales", type=Path, help="a table (tab separated): file, mm per unit")
    parser.add_argument("--out", type=Path, help="a line of JSON for each placement; what is in it is not done again")
    parser.add_argument("--report", type=Path, nargs="+", help="only read these outputs and print the shares")
    asked = parser.parse_args()
    if asked.plan:
        asked.engines = ",".join(BANDS)
    return asked


def _jobs(asked: argparse.Namespace) -> Iterator[Job]:
    scales = {}
    if asked.scales:
        rows = [line.split("\t") for line in asked.scales.read_text().splitlines()[1:]]
        scales = {row[0]: float(row[1]) for row in rows}
    files = [
        file
        for folder in asked.folders
        for file in (sorted(folder.iterdir()) if folder.is_dir() else [folder])
        if file.suffix in MESHES
    ]
    counts = PLAN if asked.plan else dict.fromkeys(asked.bases.split(","), asked.count)
    for base, count in counts.items():
        numbers = range(math.ceil(count / max(len(files), 1))) if asked.number is None else [asked.number]
        for number in numbers:
            for file in files:
                yield Job(file, scales.get(file.name, asked.scale), base, number, asked.seed)


def judged(jobs: Iterable[Job], engines: list[str]) -> Iterator[dict[str, Any]]:
    """Each placement before statics alone, and before both witnesses with each engine."""
    verb: Any = sys.modules[stand.__module__]
    # statics is the same whichever engine is asked afterwards: work it out once
    once = verb.solved = _Once(verb.solved)
    minis: dict[str, Mini] = {}
    held: tuple[Path | None, Any, Any] = (None, None, None)
    for job in jobs:
        if held[0] != job.file:
            solid = read_solid(job.file).scaled(job.scale)
            held = (job.file, Table.of(solid), solid.bounds)
        mini = minis.setdefault(job.base, Mini(job.base))
        at, turn = job.place(held[2])
        begun = time.perf_counter()
        alone = stand(held[1], mini, at=at, turn=turn, physics="never")
        statics_s = time.perf_counter() - begun
        row: dict[str, Any] = {"key": job.key, "file": str(job.file), "scale": job.scale, "base": job.base}
        row |= {"at": list(at), "turn": turn, "statics": alone.answer, "why": alone.why}
        row |= {"com_mm": mini.com[2], "friction": alone.friction, "near_limit": bool(once.last[1].near_limit)}
        row |= {"statics_ms": round(1e3 * statics_s, 2), "engines": {}}
        row |= {name: getattr(alone, name) for name in NUMBERS}
        if alone.answer not in (*UNHEARD, "undecided"):
            for engine in engines:
                begun = time.perf_counter()
                both = stand(held[1], mini, at=at, turn=turn, engine=engine)
                row["engines"][engine] = _told(job, alone, both, engine, time.perf_counter() - begun)
        yield row


class _Once:
    """Statics, remembered for the last placement."""

    def __init__(self, solve: Callable[..., Any]) -> None:
        self.solve = solve
        self.last: tuple[Any, Any] = (None, None)

    def __call__(self, case: Any, mini: Mini, mu: float, names: Any, ground: Any, **asked: Any) -> Any:
        key = (case.patch.x, case.patch.y, case.turn, mini, mu, id(ground))
        if self.last[0] != key:
            self.last = (key, self.solve(case, mini, mu, names, ground, **asked))
        return self.last[1]


def _told(job: Job, alone: Stand, both: Stand, engine: str, seconds: float) -> dict[str, Any]:
    return {
        "answer": both.answer,
        "agree": both.answer == alone.answer and both.decided_by == ("statics", "settle"),
        "why": both.why if both.answer != alone.answer else "",
        "ms": round(1e3 * seconds, 1),
        "command": job.command(list(both.at), both.turn, engine),
    }


def report(rows: Iterable[dict[str, Any]]) -> list[str]:
    """The shares, a line each, and every disagreement outside the band with its command."""
    rows = list(rows)
    words = collections.Counter(row["statics"] for row in rows)
    silent = [row for row in rows if row["statics"] == "undecided"]
    judged = len(rows) - sum(words[word] for word in UNHEARD)
    lines = [f"{len(rows)} placements, by statics: {_counts(words)}"]
    lines.append(f"statics alone undecided: {len(silent)}, {_share(len(silent), judged)} of {judged} not blocked")
    for why, count in collections.Counter(row["why"] for row in silent).most_common():
        lines.append(f"    {count} x {why}")
    for engine in sorted({name for row in rows for name in row["engines"]}):
        lines += _of_engine(engine, [row for row in rows if engine in row["engines"]])
    lines.append(f"a placement before statics: {_times([row['statics_ms'] for row in rows])}")
    for row in silent:
        place = f"{row['at'][0]:.6f},{row['at'][1]:.6f} turn {row['turn']:.6f}"
        lines.append(f"statics undecided: {row['why']}  {row['file']} base {row['base']} at {place}")
    return lines


def _of_engine(engine: str, rows: list[dict[str, Any]]) -> list[str]:
    seen = [(row, row["engines"][engine] | {"near": _near(row, engine)}) for row in rows]
    outside = [(row, e) for row, e in seen if not e["near"]]
    inside = [(row, e) for row, e in seen if e["near"]]
    apart = [(row, e) for row, e in outside if not e["agree"]]
    agree_in = sum(e["agree"] for _, e in inside)
    limits = collections.Counter(limit for _, e in inside for limit in e["near"])
    agreed = len(outside) - len(apart)
    same = f"agree {agreed} ({_share(agreed, len(outside))})"
    wrong = [e for _, e in apart if e["answer"] != "undecided"]
    lines = [
        f"{engine}: {len(seen)} asked; outside its band {len(outside)}, {same}",
        f"    in its band {len(inside)} ({_share(len(inside), len(seen))}), agree {agree_in}; near {_counts(limits)}",
        f"    disagreements outside the band that did not come out as undecided: {len(wrong)}",
        f"    a placement before it: {_times([e['ms'] for _, e in seen])}",
    ]
    for row, e in apart:
        numbers = ", ".join(f"{name} {row[name]:.4g}" for name in NUMBERS if row[name] is not None)
        lines += [f"DISAGREE: {e['why']}", f"    {e['command']}", f"    {numbers}"]
    return lines


def _near(row: dict[str, Any], engine: str) -> tuple[str, ...]:
    """The limits it is near, by the bands as they are now."""
    outcome = "topples" if row["statics"] == "topples" else "rests"
    found = Rest(outcome, near_limit=row["near_limit"], **{name: row[name] for name in NUMBERS})
    return limits_near(found, row["com_mm"], row["friction"], BANDS[engine])


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %" if whole else "none"


def _counts(counter: collections.Counter[str]) -> str:
    return ", ".join(f"{word} {count}" for word, count in counter.most_common()) or "nothing"


def _times(ms: list[float]) -> str:
    if not ms:
        return "none"
    return f"median {np.median(ms):.1f} ms, mean {np.mean(ms):.1f} ms, longest {max(ms):.0f} ms"


if __name__ == "__main__":
    sys.exit(main())
