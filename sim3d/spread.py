"""Where work runs: here, in worker processes that may die, or on a Dask cluster; the answers never depend on where.

A task names a function, plain data for it and files it reads; its answer is plain data, too. A task whose process
dies, hangs or wants too much memory answers with a `Failure`, and costs no other task anything. Knows tasks, not packs.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import json
import logging
import math
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Any, Literal

from sim3d import __version__

TRIES = 2  # a process killed from outside loses nothing; a task that dies again kills its process itself
SECONDS = 600.0  # for one task: a large piece takes a minute
MEMORY_MB = 4000  # data of one worker process: a mesh of four million triangles is read in three gigabytes
MOST_MEMORY_MB = 1_000_000_000  # a petabyte: more than any machine has, and less than a limit of the system can say
CLUSTER_SECONDS = 30.0  # to reach a scheduler
TOLD = '{"told":'  # how a line of a worker begins that is no reply
ONE_THREAD = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

Kind = Literal["crashed", "timed-out", "no-memory", "raised"]


@dataclass(frozen=True, slots=True)
class Task:
    """`call` is "module:function"; it is handed `told`, plain data, and `files`: where each named file can be read."""

    key: str
    call: str
    told: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a task has no answer."""

    kind: Kind
    why: str


@dataclass(frozen=True, slots=True)
class Done:
    """A task's answer, or why there is none."""

    key: str
    value: Any = None
    failure: Failure | None = None


class Unreachable(OSError):
    """The cluster cannot be reached, or went away."""


def spread(
    tasks: Sequence[Task],
    *,
    workers: int = 1,
    scheduler: str | None = None,
    seconds: float = SECONDS,
    memory_mb: int = MEMORY_MB,
    cost: Callable[[Task], float] = lambda task: 0.0,
) -> Generator[Done, None, None]:
    """Each task's answer, as they come. `workers` 0 runs them here, one after the other and without any protection;
    `scheduler` is a Dask address (tcp://…) or a scheduler file. `cost` is asked whenever a worker has nothing to do."""
    if scheduler is not None:
        yield from _on_cluster(tasks, scheduler, seconds, memory_mb)
    elif workers < 1:
        for task in tasks:
            yield _here(task)
    else:
        yield from _in_processes(tasks, min(workers, len(tasks)), seconds, memory_mb, cost)


# --- doing a task -----------------------------------------------------------------------------------------------------


def _asked(call: str, told: Mapping[str, Any], files: Mapping[str, str]) -> dict[str, Any]:
    """One call as a reply: its value, or how it failed."""
    module, _, name = call.partition(":")
    try:
        function = getattr(importlib.import_module(module), name)
        value = function(dict(told), {name: Path(path) for name, path in files.items()})
        return {"value": json.loads(json.dumps(value, allow_nan=False))}  # plain, as another process would get it
    except MemoryError:
        return {"kind": "no-memory", "why": "it needs more memory than it was given"}
    except Exception as error:  # noqa: BLE001 - whatever a task raises is its answer, and the next task's turn
        return {"kind": "raised", "why": f"{type(error).__name__}: {error}"}


def _done(key: str, reply: Mapping[str, Any]) -> Done:
    if "kind" in reply:
        return Done(key, failure=Failure(reply["kind"], reply["why"]))
    return Done(key, reply["value"])


def _here(task: Task) -> Done:
    return _done(task.key, _asked(task.call, task.told, {name: str(path) for name, path in task.files.items()}))


# --- worker processes -------------------------------------------------------------------------------------------------


class _Worker:
    """A process that answers one task at a time, started when first needed and again when it is gone."""

    def __init__(self, memory_mb: int) -> None:
        self._memory_mb = memory_mb
        self._process: subprocess.Popen[str] | None = None
        self._starting = threading.Lock()  # nobody starts a process while another thread closes
        self._closed = False
        self._lines: queue.Queue[str | None] = queue.Queue()

    def ask(self, call: str, told: Mapping[str, Any], files: Mapping[str, str], seconds: float) -> dict[str, Any]:
        """The reply, whatever it takes."""
        line = json.dumps({"call": call, "told": told, "files": files}) + "\n"
        died = ""
        for _ in range(TRIES):
            if (process := self._running()) is None:
                break
            try:
                assert process.stdin is not None
                process.stdin.write(line)
                process.stdin.flush()
                reply = self._heard(seconds)
            except queue.Empty:
                self.stop()
                return {"kind": "timed-out", "why": f"no answer within {seconds:g} s"}
            except (OSError, ValueError):  # the process was gone, or closed, before it heard the question
                reply = None
            if reply is not None and reply.endswith("\n"):  # else it died in the middle of its answer
                made: dict[str, Any] = json.loads(reply)
                return made
            died = _end_of(process.wait())
            self.stop()
        return {"kind": "crashed", "why": f"its process {died}, {TRIES} times" if died else "it was called off"}

    def _heard(self, seconds: float) -> str | None:
        """The next reply; what the process tells while it works is told here, too."""
        most = seconds if seconds < threading.TIMEOUT_MAX else None  # longer than a lock can wait: without a limit
        while (line := self._lines.get(timeout=most)) is not None and line.startswith(TOLD):
            logging.getLogger("sim3d").info(json.loads(line)["told"])
        return line

    def close(self) -> None:
        """End the process, and start none again: from any thread."""
        with self._starting:
            self._closed = True
            self.stop()

    def stop(self) -> None:
        """End the process, at once."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):  # what was on its way to a dead process
                    assert stream is not None
                    stream.close()

    def _running(self) -> subprocess.Popen[str] | None:
        """The process, started if there is none; None once closed."""
        with self._starting:
            if self._process is None and not self._closed:
                self._process = self._started()
            return self._process

    def _started(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "sim3d.spread", str(self._memory_mb)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env={**os.environ, **ONE_THREAD, "PYTHONPATH": os.pathsep.join(os.path.abspath(p) for p in sys.path)},
            start_new_session=True,  # an interrupt from the keyboard is for us to handle
        )
        self._lines = queue.Queue()
        assert process.stdout is not None
        threading.Thread(target=_pump, args=(process.stdout, self._lines), daemon=True).start()
        return process


def _pump(stream: IO[str], lines: queue.Queue[str | None]) -> None:
    """Lines as they come, and None at the end: a read cannot be given up, a queue can."""
    with contextlib.suppress(ValueError, OSError):  # closed while it was read: the end all the same
        for line in stream:
            lines.put(line)
    lines.put(None)


def _end_of(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


class _Waiting:
    """Tasks that wait for a worker. One goes on with the call and the files that it was asked about last, and begins
    with none that another is asked about: what it has made of them serves again. Of those the dearest goes first, for a
    dear one that comes last is waited for alone; one of endless cost goes before all others."""

    def __init__(self, tasks: Sequence[Task], cost: Callable[[Task], float]) -> None:
        about: dict[object, int] = {}  # a number for each call about the same files; what reads none stands alone
        self._tasks = [
            (about.setdefault((task.call, *sorted(task.files.items())) if task.files else task.key, len(about)), task)
            for task in tasks
        ]
        self._cost = cost
        self._asked: dict[_Worker, int] = {}
        self._lock = threading.Lock()

    def taken(self, worker: _Worker) -> Task | None:
        """The next task for a worker; None: there is none."""
        with self._lock:
            mine = self._asked.pop(worker, None)
            others = set(self._asked.values())
            if not self._tasks:
                return None

            def rank(k: int) -> tuple[bool, bool, bool, float]:
                about, task = self._tasks[k]
                cost = self._cost(task)
                return cost == math.inf, about == mine, about not in others, cost

            self._asked[worker], task = self._tasks.pop(max(range(len(self._tasks)), key=rank))  # of equals the first
            return task


def _in_processes(
    tasks: Sequence[Task], workers: int, seconds: float, memory_mb: int, cost: Callable[[Task], float]
) -> Generator[Done, None, None]:
    waiting = _Waiting(tasks, cost)
    done: queue.SimpleQueue[Done | Exception] = queue.SimpleQueue()
    pool = [_Worker(memory_mb) for _ in range(workers)]
    stopped = threading.Event()

    def serve(worker: _Worker) -> None:
        try:
            while not stopped.is_set() and (task := waiting.taken(worker)) is not None:
                done.put(_answer(worker, task, seconds))
        except Exception as error:  # noqa: BLE001 - of whoever tells the costs: raised below, where they are waited for
            done.put(error)
        worker.close()

    threads = [threading.Thread(target=serve, args=(worker,), daemon=True) for worker in pool]
    for thread in threads:
        thread.start()
    try:
        for _ in tasks:
            if isinstance(answer := done.get(), Exception):
                raise answer
            yield answer
    finally:  # also when nobody wants the rest
        stopped.set()
        for worker in pool:
            worker.close()


def _answer(worker: _Worker, task: Task, seconds: float) -> Done:
    """A worker's answer; whatever goes wrong on the way to it is one, too, for somebody waits for every task."""
    try:
        files = {name: str(path.absolute()) for name, path in task.files.items()}
        return _done(task.key, worker.ask(task.call, task.told, files, seconds))
    except Exception as error:  # noqa: BLE001 - in a thread of its own it would be lost, and waited for without end
        why = f"{type(error).__name__}: {error}"
        try:
            worker.stop()  # it may be in the middle of a task
        except Exception as another:  # noqa: BLE001 - told with the first
            why += f"; its process could not be stopped: {type(another).__name__}: {another}"
        return Done(task.key, failure=Failure("raised", why))


class _Telling(logging.Handler):
    """In a worker: what is worth knowing goes where the replies go."""

    def __init__(self, out: IO[str]) -> None:
        super().__init__(logging.INFO)
        self.out = out

    def emit(self, record: logging.LogRecord) -> None:
        """One record, one line."""
        self.out.write(json.dumps({"told": record.getMessage()}) + "\n")
        self.out.flush()


def _serve(memory_mb: int) -> None:
    """The worker's side: questions from stdin, replies to what was stdout; libraries that print do not disturb."""
    _limited(memory_mb)
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    logging.getLogger("sim3d").addHandler(_Telling(out))
    logging.getLogger("sim3d").setLevel(logging.INFO)
    questions: queue.SimpleQueue[str] = queue.SimpleQueue()

    def listen() -> None:
        for line in sys.stdin:
            questions.put(line)
        os._exit(0)  # whoever asked is gone: nobody waits for the answer

    threading.Thread(target=listen, daemon=True).start()
    while True:
        asked = json.loads(questions.get())
        reply = _asked(asked["call"], asked["told"], asked["files"])
        out.write(json.dumps(reply) + "\n")
        out.flush()


def _limited(memory_mb: int) -> None:
    """At most so much data for this process, where the system can say so."""
    if sys.platform == "linux":
        import resource

        most = min(memory_mb, MOST_MEMORY_MB) * 1_000_000
        given = resource.getrlimit(resource.RLIMIT_DATA)[1]
        if given != resource.RLIM_INFINITY:  # whoever started us may have said less, and nobody may raise it
            most = min(most, given)
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a mesh that crashes it leaves no gigabytes behind


# --- a Dask cluster ---------------------------------------------------------------------------------------------------


def _on_cluster(tasks: Sequence[Task], scheduler: str, seconds: float, memory_mb: int) -> Generator[Done, None, None]:
    """Through a scheduler. Its workers ask a process of their own, so that what crashes here crashes nothing there."""
    try:
        import distributed
    except ImportError:
        raise Unreachable("a scheduler needs Dask, which is not installed: pip install 'sim3d[cluster]'") from None
    import dask
    from distributed.comm import resolve_address

    dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"})  # meshes travel in the graph, once each
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what is lost is said below, in one line
    try:
        address = _address(scheduler)
        resolve_address(address)  # a word that is no address Dask would hold on to for a minute
        client = distributed.Client(address, timeout=CLUSTER_SECONDS, set_as_default=False)
    except (OSError, ValueError, RuntimeError) as error:
        raise Unreachable(f"no scheduler answers at {scheduler}: {error}") from None
    try:
        client.wait_for_workers(1, timeout=CLUSTER_SECONDS)
        yield from _through(client, tasks, seconds, memory_mb)
    except TimeoutError:
        raise Unreachable(f"the scheduler at {scheduler} has no worker") from None
    except OSError as error:
        raise Unreachable(f"the scheduler at {scheduler} went away: {error}") from None
    except distributed.client.FutureCancelledError:
        raise Unreachable(f"the scheduler at {scheduler} went away") from None
    finally:
        client.close(timeout=5)


def _address(scheduler: str) -> str:
    """Where a scheduler is: by its address, or by the file that it has written."""
    if "://" in scheduler:
        return scheduler
    path = Path(scheduler)
    if not path.is_file():
        raise ValueError("it is a folder, not a file" if path.is_dir() else "there is no such file")
    try:
        told = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or not isinstance(told.get("address"), str):
        raise ValueError("that is no file of a scheduler: it says no address")
    return str(told["address"])


def _through(client: Any, tasks: Sequence[Task], seconds: float, memory_mb: int) -> Generator[Done, None, None]:
    import distributed

    ours = _code()
    sent: dict[str, Any] = {}  # what is on the cluster, by content; kept there as long as we hold on to it
    waiting = list(reversed(tasks))
    running: dict[Any, Task] = {}
    most = 2 * sum(client.nthreads().values()) + 2  # enough that no worker waits, few enough for its memory
    coming = distributed.as_completed(loop=client.loop)
    while waiting or running:
        while waiting and len(running) < most:
            task = waiting.pop()
            try:
                contents = {name: path.read_bytes() for name, path in task.files.items()}
            except OSError as error:
                yield Done(task.key, failure=Failure("raised", f"a file cannot be read: {error.strerror}"))
                continue
            names = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
            for name, digest in names.items():
                if digest not in sent:
                    sent[digest] = client.submit(_kept, contents[name], key=f"sim3d-file-{digest}", pure=True)
            data = [sent[digest] for digest in dict.fromkeys(names.values())]
            told = (ours, task.call, json.dumps(dict(task.told)), names, seconds, memory_mb)
            future = client.submit(_remote, *told, *data, pure=False)
            running[future] = task
            coming.add(future)
        if not running:
            break
        future = next(coming)
        task = running.pop(future)
        try:
            yield _done(task.key, json.loads(future.result()))
        except distributed.KilledWorker:
            yield Done(task.key, failure=Failure("crashed", "every worker of the cluster that tried it was lost"))
        future.release()


def _kept(data: bytes) -> bytes:
    """A file's content as a result of its own: the cluster keeps it, and makes it again where a worker was lost."""
    return data


_MINE: dict[tuple[int, int], _Worker] = {}  # in a cluster's worker: the process that each of its threads asks


def _remote(
    ours: str, call: str, told: str, names: Mapping[str, str], seconds: float, memory_mb: int, *data: bytes
) -> str:
    """On a worker of the cluster: files by their content, then the call in a process of our own."""
    if ours != _code():
        return json.dumps({"kind": "raised", "why": "the cluster's workers run another version of sim3d"})
    content = dict(zip(dict.fromkeys(names.values()), data, strict=True))
    with tempfile.TemporaryDirectory(prefix="sim3d-") as folder:
        files = {}
        for name, digest in names.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content[digest])
            files[name] = str(path)
        worker = _MINE.setdefault((threading.get_ident(), memory_mb), _Worker(memory_mb))
        return json.dumps(worker.ask(call, json.loads(told), files, seconds))


@cache
def _code() -> str:
    """A digest of this version's own source: equal code gives equal answers."""
    digest = hashlib.sha256(__version__.encode())
    home = Path(__file__).parent
    for path in sorted(home.rglob("*.py")):
        digest.update(path.relative_to(home).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def code_digest() -> str:
    """What an answer depends on beside its task: this version's own source."""
    return _code()


if __name__ == "__main__":
    _serve(int(sys.argv[1]))
