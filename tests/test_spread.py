"""Work that may die: the same answers here, in processes and on a cluster; what dies costs nobody else."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sim3d.forge.bad import defects
from sim3d.pack import How, read_pack, validate
from sim3d.spread import Done, Task, Unreachable, _Waiting, _Worker, spread
from tests.packs import HEAD, crate, written

Cluster = tuple[Path, list[subprocess.Popen[bytes]]]  # the scheduler's file, the workers
CALLS = "tests.spread_calls"
ROOT = Path(__file__).parent.parent


def task(call: str, key: str = "", files: dict[str, Path] | None = None, **told: Any) -> Task:
    return Task(key or call, f"{CALLS}:{call}", told, files or {})


def by_key(done: Iterator[Done]) -> dict[str, Done]:
    return {d.key: d for d in done}


def kinds(done: dict[str, Done]) -> dict[str, str]:
    return {key: d.failure.kind if d.failure else "answered" for key, d in done.items()}


def test_an_answer_is_the_same_wherever_it_is_made(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("content")
    tasks = [task("answer", str(n), {"deep/a.txt": tmp_path / "a.txt"}, n=n, ä="ö") for n in range(5)]
    here = by_key(spread(tasks, workers=0))
    assert here["3"].value == {"told": {"n": 3, "ä": "ö"}, "files": {"deep/a.txt": "content"}, "third": 1 / 3}
    assert by_key(spread(tasks, workers=2)) == here


def test_whatever_happens_to_one_task_costs_no_other_anything(tmp_path: Path) -> None:
    tasks = [task(name) for name in ("raises", "dies", "leaves", "hangs", "prints", "stops_in_mid_sentence")]
    tasks += [task("wants", mb=3000), task("dies_once", mark=str(tmp_path / "mark"))]
    tasks += [task("answer", str(n), n=n) for n in range(6)]
    done = by_key(spread(tasks, workers=2, seconds=3, memory_mb=1000))
    assert kinds(done) == {
        "raises": "raised",
        "dies": "crashed",
        "leaves": "crashed",
        "hangs": "timed-out",
        "prints": "answered",
        "stops_in_mid_sentence": "crashed",
        "wants": "no-memory",
        "dies_once": "answered",
        **{str(n): "answered" for n in range(6)},
    }
    assert done["dies"].failure.why == "its process was killed by SIGSEGV, 2 times"
    assert done["leaves"].failure.why == "its process ended with code 3, 2 times"
    assert done["hangs"].failure.why == "no answer within 3 s"
    assert done["raises"].failure.why == "ValueError: as asked"
    assert (done["prints"].value, done["dies_once"].value) == ("heard", "at the second try")


@pytest.mark.parametrize("seconds", [float("inf"), 1e10, 1e300])
def test_longer_than_a_lock_can_wait_is_without_a_limit(seconds: float) -> None:
    assert by_key(spread([task("process")], workers=1, seconds=seconds))["process"].failure is None


def test_more_memory_than_there_can_be_is_no_fault_of_a_task() -> None:
    assert by_key(spread([task("process")], workers=1, memory_mb=10**14))["process"].failure is None


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process")
def test_a_limit_from_outside_holds() -> None:
    code = (
        "import resource\nresource.setrlimit(resource.RLIMIT_DATA, (2 * 10**9, 2 * 10**9))\n"
        "from sim3d.spread import Task, spread\n"
        f"tasks = [Task('memory', '{CALLS}:data_limit')]\n"
        "print([d.value for d in spread(tasks, workers=1, memory_mb=4000)])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.stdout == f"[{2 * 10**9}]\n", done.stderr


def test_whatever_goes_wrong_here_is_an_answer_and_never_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = _Worker._heard

    def fails_once(self: _Worker, seconds: float) -> str | None:
        reply = heard(self, seconds)
        if not failed:
            failed.append(reply)
            raise OverflowError("timestamp too large")
        return reply

    failed: list[str | None] = []
    monkeypatch.setattr(_Worker, "_heard", fails_once)
    done: dict[str, Done] = {}
    hearing = threading.Thread(
        target=lambda: done.update(by_key(spread([task("process", str(n)) for n in range(3)], workers=1))), daemon=True
    )
    hearing.start()
    hearing.join(60)
    assert kinds(done) == {"0": "raised", "1": "answered", "2": "answered"}
    assert done["0"].failure is not None
    assert done["0"].failure.why == "OverflowError: timestamp too large"


def test_what_a_worker_tells_is_told_here(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="sim3d"):
        (done,) = spread([task("tells")], workers=1)
    assert (done.value, caplog.messages) == ("told", ["worth knowing"])


def test_a_worker_has_one_thread_and_a_process_of_its_own() -> None:
    seen = [d.value for d in spread([task("process", str(n)) for n in range(4)], workers=2)]
    assert {v["threads"] for v in seen} == {"1"}
    assert os.getpid() not in {v["pid"] for v in seen}
    assert 1 <= len({v["pid"] for v in seen}) <= 2


def test_a_worker_killed_from_outside_costs_nothing() -> None:
    tasks = [task("slow", str(n), n=n, seconds=1.0) for n in range(4)]  # two seconds in all: the kill comes in between
    work = spread(tasks, workers=2)
    killer = threading.Timer(0.9, kill_one, [os.getpid()])
    killer.start()
    assert {d.value for d in work} == {0, 1, 2, 3}
    killer.join()


def test_nobody_is_left_behind_when_nobody_wants_the_rest() -> None:
    work = spread([task("process"), task("hangs"), task("hangs", "again")], workers=2)
    first = next(work)
    assert children(os.getpid())
    work.close()
    assert first.value["pid"] not in children(os.getpid())
    assert not alive(first.value["pid"])


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("later_s", [0.0, 0.02, 0.1, 0.4])
def test_called_off_at_any_moment_nobody_is_left_behind(later_s: float) -> None:
    before = set(children(os.getpid()))
    work = spread([task("process"), *(task("hangs", str(n)) for n in range(4))], workers=3)
    next(work)
    time.sleep(later_s)  # one may be starting, one be asked, one hang
    work.close()
    until(lambda: set(children(os.getpid())) <= before)
    assert set(children(os.getpid())) <= before


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_workers_end_with_whoever_asked(tmp_path: Path) -> None:
    code = (
        "from sim3d.spread import Task, spread\n"
        f"tasks = [Task('p', '{CALLS}:process'), *(Task(str(n), '{CALLS}:hangs') for n in range(2))]\n"
        "work = spread(tasks, workers=2)\n"
        "print(next(work).value['pid'], flush=True)\nnext(work)\n"
    )
    main = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert main.stdout is not None
    pid = int(main.stdout.readline())
    own = children(main.pid)
    assert pid in own
    main.kill()
    main.communicate()
    until(lambda: not any(alive(p) for p in own))


# --- a cluster --------------------------------------------------------------------------------------------------------

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="Dask is not installed: the extra `cluster` brings it"
)


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A scheduler and two workers in processes of their own; the file that says where the scheduler is."""
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *(p for p in sys.path if p)])}
    dask = [sys.executable, "-W", "ignore"]
    common: dict[str, Any] = {"env": env, "cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    quiet = ["--no-dashboard", "--scheduler-file", str(file)]
    scheduler = subprocess.Popen([*dask, "-m", "distributed.cli.dask_scheduler", *quiet, "--port", "0"], **common)
    started = [scheduler]
    try:
        until(file.exists)
        for _ in range(2):
            worker = [*dask, "-m", "distributed.cli.dask_worker", *quiet, "--nthreads", "1", "--no-nanny"]
            started.append(subprocess.Popen([*worker, "--memory-limit", "0"], **common))
        yield file, started[1:]
    finally:
        for process in started:
            process.kill()
            process.wait()


@needs_dask
def test_a_cluster_gives_the_same_answers_and_survives_the_same_things(cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("content")
    tasks = [task("answer", str(n), {"deep/a.txt": tmp_path / "a.txt"}, n=n) for n in range(4)]
    tasks += [task("dies"), task("raises"), task("hangs")]
    seen = by_key(spread(tasks, scheduler=str(cluster[0]), seconds=3))
    assert seen == by_key(spread(tasks, workers=2, seconds=3))


@needs_dask
def test_a_cluster_that_loses_a_worker_loses_nothing(cluster: Cluster) -> None:
    file, workers = cluster
    work = spread([task("slow", str(n), n=n, seconds=0.3) for n in range(8)], scheduler=str(file))
    seen = [next(work).value]
    workers[0].kill()
    seen += [d.value for d in work]
    assert sorted(seen) == list(range(8))


@needs_dask
def test_a_pack_of_twenty_gets_the_same_report_anywhere_also_when_a_worker_dies(
    cluster: Cluster, tmp_path: Path
) -> None:
    folder = written(tmp_path, HEAD + "[use]\npitch = 10\n", **{f"crate-{n:02}": crate(40 + n) for n in range(18)})
    (folder / "junk.stl").write_bytes(b"x")
    (folder / "nan.stl").write_bytes(defects()["nan.stl"])
    pack = read_pack(folder)
    here = validate(pack, how=How(workers=0))
    file, workers = cluster
    assert validate(pack, how=How(workers=2)) == here
    threading.Timer(4.0, workers[0].kill).start()
    assert validate(pack, how=How(scheduler=str(file))) == here
    assert [p.verdict for p in here.pieces].count("not valid") == 2
    assert len(here.pieces) == 20


@needs_dask
def test_a_scheduler_that_is_not_there_is_a_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sim3d.spread.CLUSTER_SECONDS", 1.0)
    with pytest.raises(Unreachable, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        list(spread([task("answer")], scheduler="tcp://127.0.0.1:9"))
    with pytest.raises(Unreachable, match=r"no scheduler answers at nowhere\.json"):
        list(spread([task("answer")], scheduler="nowhere.json"))


@needs_dask
@pytest.mark.parametrize("said", ["", "{}", "[1]", '{"address": 7}', '{"address": "tpc://127.0.0.1:9"}', "[" * 100_000])
def test_what_is_no_scheduler_is_told_and_not_waited_for(said: str, tmp_path: Path) -> None:
    (tmp_path / "it.json").write_text(said)
    started = time.monotonic()
    for where in (str(tmp_path / "it.json"), str(tmp_path), "tpc://127.0.0.1:9", "tcp://127.0.0.1"):
        with pytest.raises(Unreachable, match="no scheduler answers at"):
            list(spread([task("answer")], scheduler=where))
    assert time.monotonic() - started < 10


# --- processes --------------------------------------------------------------------------------------------------------


def children(pid: int) -> list[int]:
    """The worker processes of a process."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(stat[1]) == pid and b"sim3d.spread" in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
    return found


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kill_one(pid: int) -> None:
    os.kill(children(pid)[0], signal.SIGKILL)


def until(true: Any, seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.05)


def test_a_worker_goes_on_with_the_files_it_has_read_and_leaves_others_theirs(tmp_path: Path) -> None:
    files = [{"mesh": tmp_path / f"{name}.stl"} for name in "abc"]
    tasks = [Task(f"{k}{n}", "m:f", files=files[k]) for k in range(3) for n in range(2)]
    waiting = _Waiting([*tasks, Task("none", "m:f")], lambda task: 0.0)
    one, two = _Worker(1), _Worker(1)
    taken = [waiting.taken(worker) for worker in (one, two, one, two, two, one, one, two, one)]
    assert [task.key if task else None for task in taken] == [
        *("00", "10", "01", "11", "20", "none"),
        *("21", None, None),  # what another reads, too, before nothing
    ]


def test_what_is_dear_goes_first_and_what_tells_how_dear_before_all(tmp_path: Path) -> None:
    files = [{"mesh": tmp_path / f"{name}.stl"} for name in "abc"]
    looks = [Task(f"{k}{n}", "m:look", files=files[k]) for k in range(3) for n in range(2)]
    tells = [Task(f"{k}", "m:tell", files=files[k]) for k in range(3)]
    known: dict[str, float] = {}
    waiting = _Waiting(
        [*looks, *tells], lambda task: known.get(task.key[0], 0.0) if task.call == "m:look" else math.inf
    )
    worker = _Worker(1)
    first = [waiting.taken(worker) for _ in tells]
    known |= {"0": 1.0, "1": 3.0, "2": 2.0}
    then = [waiting.taken(worker) for _ in looks]
    assert [task.key for task in first if task] == ["0", "1", "2"]
    assert [task.key for task in then if task] == ["10", "11", "20", "21", "00", "01"]


def test_a_fault_of_whoever_tells_the_costs_is_raised_and_nobody_waits_for_ever() -> None:
    def cost(asked: Task) -> float:
        raise LookupError(f"no cost of {asked.key}")

    with pytest.raises(LookupError, match="no cost of one"):
        list(spread([task("answer", "one")], workers=1, cost=cost))
