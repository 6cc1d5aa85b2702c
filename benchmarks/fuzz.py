"""The long fuzzing run: every target for its share of the time, each in a process of its own with limits.

python benchmarks/fuzz.py --minutes 60                 all targets; prints how many inputs were tried of each
python benchmarks/fuzz.py --targets ply,glb --minutes 5

With atheris (Linux, `pip install 'sim3d[fuzz]'`) coverage guides it: readers get plain bytes half of their time and
made ones the other half; without it, hypothesis makes the inputs. A crash, a traceback, 20 s for one input or 2 GB is a
fault: its input is kept in `out/fuzz`, and the command ends with 1. `--again FILE` tries a kept input once more.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

HANG_S = 20  # for one input
MOST_MB = 2048  # of one process
OUT = ROOT / "out" / "fuzz"
GUIDES = ["sim3d.solid", "sim3d.form", "sim3d.pack", "sim3d.table", "sim3d.mini", "sim3d.scenario", "sim3d.report"]


def main() -> int:
    """Run all that was asked for; 1 where a fault was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--targets", default="")
    parser.add_argument("--one", help=argparse.SUPPRESS)  # what a process of its own does
    parser.add_argument("--bytes", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--again", type=Path, help="an input that was kept")
    asked = parser.parse_args()
    if asked.one:
        return one(asked.one, asked.minutes * 60, plain=asked.bytes, again=asked.again)
    from tests.fuzzing import TARGETS

    names = asked.targets.split(",") if asked.targets else list(TARGETS)
    runs = [(n, plain) for n in names for plain in ((False, True) if TARGETS[n].seeds and guided() else (False,))]
    many = {n: sum(1 for name, _ in runs if name == n) for n in names}
    print(f"{len(names)} targets, {asked.minutes:g} minutes, {'guided by coverage' if guided() else 'not guided'}")
    print(f"{'target':14} {'inputs':>9} {'seconds':>8} {'MB':>6}  faults", flush=True)
    total = faults = 0
    for name, plain in runs:
        share = asked.minutes / len(names) / many[name]
        tried, seconds, mb, fault = in_process(name, share, plain=plain)
        total, faults = total + tried, faults + bool(fault)
        label = f"{name}{' (bytes)' if plain else ''}"
        print(f"{label:14} {tried:9,} {seconds:8.0f} {mb:6.0f}  {fault or 'none'}", flush=True)
    print(f"{total:,} inputs in all, {faults} targets with a fault")
    return int(faults > 0)


def guided() -> bool:
    """Whether coverage can guide it."""
    import importlib.util

    return importlib.util.find_spec("atheris") is not None


def in_process(name: str, minutes: float, *, plain: bool) -> tuple[int, float, float, str]:
    """One target: inputs tried, seconds, peak MB, and what was found; a fault ends its turn."""
    OUT.mkdir(parents=True, exist_ok=True)
    log = OUT / f"{name}{'-bytes' if plain else ''}.log"
    command = [sys.executable, __file__, "--one", name, "--minutes", str(minutes), *(["--bytes"] if plain else [])]
    begun = time.monotonic()
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT, cwd=OUT, env=environment())
        try:
            code = process.wait(minutes * 60 + 20 * HANG_S)
        except subprocess.TimeoutExpired:
            process.kill()
            code = -9
    text = log.read_text(encoding="utf-8", errors="replace")
    tried = [int(n) for n in re.findall(r"(?:number_of_executed_units:|tried)\s+(\d+)", text)]
    if not tried:  # it ended before it could count: the last line that a guided run wrote counts
        tried = [int(n) for n in re.findall(r"^#(\d+)\s", text, re.MULTILINE)]
    mb = [float(n) for n in re.findall(r"(?:peak_rss_mb:|peak MB)\s+([\d.]+)", text)]
    fault = "" if code == 0 else f"code {code}: see {log.relative_to(ROOT)}"
    return max(tried, default=0), time.monotonic() - begun, max(mb, default=0.0), fault


def environment() -> dict[str, str]:
    """One thread, nothing of the user's own settings."""
    threads = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return {**os.environ, **threads, "PYTHONHASHSEED": "0"}


# --- one target, in its own process -----------------------------------------------------------------------------------


def one(name: str, seconds: float, *, plain: bool, again: Path | None) -> int:
    """Try inputs of one target until the time is over."""
    if guided() and again is None:
        import atheris

        with atheris.instrument_imports(include=GUIDES, exclude=compiled_modules()):
            from tests.fuzzing import TARGETS
    else:
        from tests.fuzzing import TARGETS
    warm()
    target = TARGETS[name]
    tries = in_empty_folder(target.tries)
    if again is not None:
        data = again.read_bytes()
        if plain:
            tries(data)
        else:
            by_hypothesis(target.made, tries, math.inf).hypothesis.fuzz_one_input(data)
        return 0
    if not guided():
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            by_hypothesis(target.made, tries, seconds)()
        print("tried", tries.count, "peak MB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)
        return 0
    import atheris

    with tempfile.TemporaryDirectory() as corpus:
        for i, seed in enumerate(target.seeds):
            (Path(corpus) / str(i)).write_bytes(seed)
        limits = [f"-timeout={HANG_S}", f"-rss_limit_mb={MOST_MB}", f"-max_total_time={max(int(seconds), 1)}"]
        more = ["-print_final_stats=1", "-max_len=20000", f"-artifact_prefix={OUT}/{name}-", corpus]
        body = tries if plain else by_hypothesis(target.made, tries, math.inf).hypothesis.fuzz_one_input
        atheris.Setup([sys.argv[0], *limits, *more], body)
        atheris.Fuzz()
    return 0


def warm() -> None:
    """Compile every loop once, in `sim3d` itself: a minute of compiling is no hang."""
    from sim3d import cli
    from tests.fuzzing import scenario_files

    with tempfile.TemporaryDirectory() as home:
        crate = ROOT / "meshes" / "gallery" / "crate.stl"
        for words in (
            ["run", "--physics", "never", *map(str, scenario_files())],
            ["atlas", str(crate), "--area", "36,0,44,8", "--pitch", "4", "--levels", "-o", f"{home}/a.npz"],
            ["inspect", *map(str, sorted((ROOT / "meshes" / "bad").glob("*.obj")))],
        ):
            with contextlib.suppress(SystemExit):
                cli.app(words)


def compiled_modules() -> list[str]:
    """Those that numba compiles: it cannot compile what counts coverage."""
    paths = [p for p in (ROOT / "sim3d").rglob("*.py") if "sim3d.compiled" in p.read_text(encoding="utf-8")]
    return [".".join(p.relative_to(ROOT).with_suffix("").parts) for p in paths]


class in_empty_folder:  # noqa: N801 - it is called like a function
    """A target's `tries` with a folder of its own for each input; counts them, and keeps the one that fails."""

    def __init__(self, tries: Callable[[Path, Any], list[str]]) -> None:
        self.tries, self.count = tries, 0
        self.home = Path(tempfile.mkdtemp(prefix="sim3d-fuzz-", dir=os.environ.get("SIM3D_FUZZ_DIR")))

    def __call__(self, made: Any) -> None:
        """Try one."""
        self.count += 1
        folder = self.home / "here"
        folder.mkdir()
        try:
            if wrong := self.tries(folder, made):
                raise AssertionError("; ".join(wrong))
        except BaseException:
            told = made if isinstance(made, bytes) else json.dumps(made, default=str).encode()
            (OUT / f"failed-{os.getpid()}").write_bytes(told)
            raise
        finally:
            shutil.rmtree(folder)


def by_hypothesis(made: Any, tries: Callable[[Any], None], seconds: float) -> Any:
    """A test that makes inputs until the time is over."""
    from hypothesis import HealthCheck, Phase, given, settings

    ends = time.monotonic() + seconds

    endless = settings(max_examples=10_000, deadline=None, database=None, phases=[Phase.generate])

    @settings(endless, suppress_health_check=list(HealthCheck))
    @given(made)
    def test(one: Any) -> None:
        if time.monotonic() < ends:
            tries(one)

    return test


if __name__ == "__main__":
    sys.exit(main())
