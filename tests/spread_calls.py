"""What tests of `spread` let worker processes do: answer, raise, die, hang, want too much."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import stat
import sys
import time
from pathlib import Path
from typing import Any


def answer(told: dict[str, Any], files: dict[str, Path]) -> dict[str, Any]:
    return {"told": told, "files": {name: path.read_text() for name, path in files.items()}, "third": 1 / 3}


def slow(told: dict[str, Any], files: dict[str, Path]) -> int:
    time.sleep(told["seconds"])
    return int(told["n"])


def tells(told: dict[str, Any], files: dict[str, Path]) -> str:
    logging.getLogger("sim3d").info("worth knowing")
    return "told"


def raises(told: dict[str, Any], files: dict[str, Path]) -> None:
    raise ValueError("as asked")


def dies(told: dict[str, Any], files: dict[str, Path]) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def dies_once(told: dict[str, Any], files: dict[str, Path]) -> str:
    mark = Path(told["mark"])
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "at the second try"


def stops_in_mid_sentence(told: dict[str, Any], files: dict[str, Path]) -> None:
    for fd in range(3, 32):  # the way its answers take is a copy of what was its stdout
        with contextlib.suppress(OSError):
            if stat.S_ISFIFO(os.fstat(fd).st_mode):
                os.write(fd, b'{"kind": "answ')
    os.kill(os.getpid(), signal.SIGKILL)


def leaves(told: dict[str, Any], files: dict[str, Path]) -> None:
    os._exit(3)


def hangs(told: dict[str, Any], files: dict[str, Path]) -> None:
    while True:
        time.sleep(1)


def wants(told: dict[str, Any], files: dict[str, Path]) -> int:
    return len(bytearray(told["mb"] * 1_000_000))


def prints(told: dict[str, Any], files: dict[str, Path]) -> str:
    print("a library that prints")
    os.write(1, b"and one in C\n")
    sys.stdout.flush()
    return "heard"


def process(told: dict[str, Any], files: dict[str, Path]) -> dict[str, Any]:
    return {"pid": os.getpid(), "threads": os.environ.get("NUMBA_NUM_THREADS")}


def data_limit(told: dict[str, Any], files: dict[str, Path]) -> int:
    import resource

    return resource.getrlimit(resource.RLIMIT_DATA)[0]
