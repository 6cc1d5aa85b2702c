"""What has to be the same wherever it is made, as digests: `python -m tests.same` prints them.

A dozen scenarios with both witnesses, a standing map, a pack's report. `benchmarks/same.py` compares them byte for byte
between runs, workers, a cluster, locales, folders and hash seeds. `python -m tests.same --pin` writes `data/same.json`,
which `test_same.py` holds against what comes out now: after a change that is meant to change answers, pin again, and
say in the changelog what changed. Pinned are the words, and numbers as far as any processor tells them alike.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import sim3d
from sim3d.pack import How, read_pack, validate
from sim3d.report.validation import validation_json
from sim3d.scenario import play_scenario, read_scenario
from tests.packs import HEAD, crate, on_legs, written

ROOT = Path(__file__).parent.parent
PINS = Path(__file__).parent / "data" / "same.json"
LIBRARIES = {"bullet": "pybullet", "rapier": "rapier3d"}
SCENARIOS = (
    "bridge",
    "crowd",
    "doorway",
    "gap",
    "ledge",
    "ledge-leaning-figure",
    "notched",
    "pegs-three",
    "pillar",
    "rails-uneven",
    "slope",
    "step",
)  # files whose every step both witnesses answer: one of each kind of support
DIGITS, SEEN_DIGITS = 3, 1  # that are pinned of numbers, and of what an engine saw
SEEN = ("drift_mm", "turn_deg")


def release(engine: str) -> str:
    """The engine's library and its version: another one may end elsewhere."""
    try:
        return f"{engine} {version(LIBRARIES[engine])}"
    except PackageNotFoundError:
        return ""


def played(name: str, engine: str) -> list[dict[str, Any]]:
    """Every answer of a scenario, whole."""
    result = play_scenario(
        read_scenario(ROOT / "scenarios" / "stand" / f"{name}.toml"), engine=engine, physics="always"
    )
    return [p.stand.as_dict(certificate=True) for p in result.played if p.stand is not None]


def told(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is pinned of them: no certificate, and no digit that a processor may round its own way."""
    pinned = []
    for answer in answers:
        kept = {k: v for k, v in answer.items() if k not in ("certificate", "contacts", "pose", "why")}
        pinned.append({k: _rounded(v, SEEN_DIGITS if k in SEEN else DIGITS) for k, v in kept.items()})
    return pinned


def _rounded(value: Any, digits: int) -> Any:
    return round(value, digits) + 0.0 if isinstance(value, float) else value


def mapped(engine: str, threads: int | None = None) -> sim3d.Atlas:
    """A standing map with every kind of cell, and some of them asked of an engine."""
    ledge = sim3d.read_solid(ROOT / "meshes" / "gallery" / "stairs.stl", unit="mm")
    table = sim3d.Table.of(ledge)
    area = (-40.0, -10.0, 40.0, 10.0)
    return sim3d.atlas(table, sim3d.Mini("27"), pitch=5.0, area=area, audit=6, engine=engine, threads=threads)


def pinned_map(made: sim3d.Atlas) -> list[Any]:
    """What is pinned of a map: every cell's word, and what the audit says."""
    return [made.layers[0].words.tolist(), made.audit.asked, made.audit.agreed]


def reported(workers: int, scheduler: str | None = None) -> str:
    """The report of a small pack."""
    with tempfile.TemporaryDirectory() as folder:
        pieces = {"crate": crate(), "flat": crate(80, 5), "table": on_legs((-40, -40, 0), (40, -40, 0), (0, 40, 0))}
        pack = read_pack(written(Path(folder) / "pack", HEAD + "[use]\npitch = 5\n", **pieces))
        return validation_json(validate(pack, how=How(workers=workers, scheduler=scheduler, audit=6)))


def digest(data: Any) -> str:
    """Sixteen hexadecimal digits."""
    raw = data if isinstance(data, bytes) else json.dumps(data, sort_keys=True).encode()
    return hashlib.sha256(raw).hexdigest()[:16]


def installed() -> list[str]:
    """The engines that are here."""
    return [engine for engine in LIBRARIES if release(engine)]


def everything(workers: int, threads: int, scheduler: str | None) -> dict[str, str]:
    """Byte for byte: the answers of the scenarios and the map for each engine, and the pack's report."""
    made = {}
    for engine in installed():
        made[f"stands {engine}"] = digest([played(name, engine) for name in SCENARIOS])
        made[f"map {engine}"] = digest(mapped(engine, threads).as_npz())
    return made | {"pack": digest(reported(workers, scheduler))}


def pins() -> dict[str, dict[str, str]]:
    """What is to be pinned now, by engine and release."""
    return {
        release(engine): {name: digest(told(played(name, engine))) for name in SCENARIOS}
        | {"map": digest(pinned_map(mapped(engine)))}
        for engine in installed()
    }


def main() -> int:
    """Print the digests as JSON, or pin."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pin", action="store_true")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--scheduler")
    asked = parser.parse_args()
    if asked.pin:
        PINS.write_text(json.dumps(pins(), indent=1) + "\n", encoding="utf-8")
    else:
        sys.stdout.write(json.dumps(everything(asked.workers, asked.threads, asked.scheduler)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
