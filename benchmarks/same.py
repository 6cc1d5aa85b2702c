"""The same inputs give the same bytes, wherever and however often: digests of every way to run, and whether they agree.

python benchmarks/same.py

Each row is a fresh process that plays a dozen scenarios with both witnesses, maps a piece, and validates a small pack;
what is digested is every byte of the answers (`tests/same.py`). Ends with 1 where two rows differ.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
ELSEWHERE = {"LC_ALL": "C", "LANG": "C", "TZ": "Pacific/Chatham", "PYTHONUTF8": "0"}
WAIT_S = 30.0  # for a cluster to begin


def main() -> int:
    """Print the matrix."""
    rows: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        rows["first run"] = ran()
        print(f"{'':22}" + "".join(f"{what:>18}" for what in rows["first run"]))
        show("first run", rows["first run"])
        for name, words, env, cwd in ways(Path(folder)):
            rows[name] = ran(*words, env=env, cwd=cwd)
            show(name, rows[name])
        if importlib.util.find_spec("distributed") is None:
            print("a Dask cluster: not installed here, pip install 'sim3d[cluster]'")
        else:
            with cluster(Path(folder)) as file:
                rows["a Dask cluster"] = ran("--scheduler", str(file))
                show("a Dask cluster", rows["a Dask cluster"])
    different = [name for name, row in rows.items() if row != rows["first run"]]
    print("all equal" if not different else f"different: {', '.join(different)}")
    return int(bool(different))


def ways(folder: Path) -> list[tuple[str, list[str], dict[str, str], Path]]:
    """A name, options, environment and folder for each row after the first."""
    return [
        ("again", [], {}, ROOT),
        ("1 worker, 1 thread", ["--workers", "1", "--threads", "1"], {}, ROOT),
        ("2 workers, 2 threads", ["--workers", "2", "--threads", "2"], {}, ROOT),
        ("another locale", ["--workers", "1"], ELSEWHERE, ROOT),
        ("another folder", ["--workers", "1"], {}, folder),
        ("hash seed 1", ["--workers", "1"], {"PYTHONHASHSEED": "1"}, ROOT),
        ("hash seed 4242", ["--workers", "1"], {"PYTHONHASHSEED": "4242"}, ROOT),
    ]


def ran(*words: str, env: dict[str, str] | None = None, cwd: Path = ROOT) -> dict[str, str]:
    """The digests of one process."""
    command = [sys.executable, "-m", "tests.same", *words]
    done = subprocess.run(command, cwd=cwd, env=around(env or {}), stdout=subprocess.PIPE, check=True)
    digests: dict[str, str] = json.loads(done.stdout)
    return digests


def around(env: dict[str, str]) -> dict[str, str]:
    """This environment, with another hash seed on every run unless one is given, and these sources."""
    own = {k: v for k, v in os.environ.items() if k != "PYTHONHASHSEED"}
    return own | {"PYTHONPATH": str(ROOT)} | env


def show(name: str, row: dict[str, str]) -> None:
    """A line."""
    print(f"{name:22}" + "".join(f"{digest:>18}" for digest in row.values()), flush=True)


@contextlib.contextmanager
def cluster(folder: Path) -> Iterator[Path]:
    """A scheduler and two workers on this machine; the file that says where the scheduler is."""
    file = folder / "scheduler.json"
    common = {"cwd": folder, "env": around({}), "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-W", "ignore", "-m"]
    options = ["--no-dashboard", "--scheduler-file", str(file)]
    begun = [subprocess.Popen([*dask, "distributed.cli.dask_scheduler", *options, "--port", "0"], **common)]
    try:
        ends = time.monotonic() + WAIT_S
        while not file.exists() and time.monotonic() < ends:
            time.sleep(0.1)
        for _ in range(2):
            worker = [*dask, "distributed.cli.dask_worker", *options, "--nthreads", "1", "--no-nanny"]
            begun.append(subprocess.Popen([*worker, "--memory-limit", "0"], **common))
        yield file
    finally:
        for process in begun:
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
