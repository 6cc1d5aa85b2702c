"""A screen in memory for tests of the window: Xvfb with its own picture file, and a hand made of xdotool."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tests.chromium import needed

T = TypeVar("T")
WIDTH, HEIGHT = 1280, 800
PATIENCE_S = 90.0  # a window drawn by software on a busy machine takes its time


class Screen:
    """A display of its own."""

    def __init__(self, display: str, folder: Path) -> None:
        self.display, self.folder = display, folder
        # drawn by software: with threads of its own it takes a third more, and others are waiting for the cores
        self.env = {**os.environ, "DISPLAY": display, "LP_NUM_THREADS": "1"}

    def hand(self, *words: str) -> str:
        """What xdotool says to these words; "" where it failed, as while a window is not there yet."""
        done = subprocess.run(
            ["xdotool", *words], env=self.env, capture_output=True, text=True, timeout=30, check=False
        )
        return done.stdout.strip() if done.returncode == 0 else ""

    def click(self, x: int, y: int) -> None:
        """With the left button, slowly enough for a window that draws three frames a second."""
        self.hand("mousemove", str(x), str(y), "sleep", "0.2", "mousedown", "1", "sleep", "0.4", "mouseup", "1")

    def key(self, name: str) -> None:
        """Over the middle of the view."""
        self.hand("mousemove", "640", "560", "key", name)

    def window(self) -> str:
        """The number of Bullet's window, once it is there."""
        return until(self.found)

    def window_of(self, process: subprocess.Popen[str]) -> str:
        """The same; else a failure with what the process said that should open it, at once where that has ended."""
        try:
            seen = until(lambda: self.found() or process.poll() is not None)
        except AssertionError:
            process.kill()
        else:
            if isinstance(seen, str):
                return seen
        said = process.communicate(timeout=60)
        raise AssertionError(f"no window; its process ended with {process.returncode}, and said {said}")

    def found(self) -> str:
        """The number of Bullet's window, "" while there is none."""
        return self.hand("search", "--name", "Bullet Physics").split("\n")[0]

    def picture(self) -> NDArray[np.uint8]:
        """What is on it (height, width, 3): the XWD file that Xvfb keeps."""
        data = (self.folder / "Xvfb_screen0").read_bytes()
        head = struct.unpack(">25I", data[:100])
        begin, wide, high, line = head[0] + 12 * head[19], head[4], head[5], head[12]
        rows = np.frombuffer(data[begin : begin + line * high], np.uint8).reshape(high, line)
        return rows[:, : 4 * wide].reshape(high, wide, 4)[:, :, 2::-1]


def until(ask: Callable[[], T], patience_s: float = PATIENCE_S) -> T:
    """The first answer that is not false; an `AssertionError` if there is none in time."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        answer = ask()
        if answer:
            return answer
        time.sleep(0.2)
    raise AssertionError(f"not within {patience_s:g} s")


@contextmanager
def screen() -> Iterator[Screen]:
    """A screen until the test is over."""
    needed("Xvfb", shutil.which("Xvfb") is not None)
    needed("xdotool", shutil.which("xdotool") is not None)
    with tempfile.TemporaryDirectory() as folder:
        read, write = os.pipe()
        size = f"{WIDTH}x{HEIGHT}x24"
        # -noreset: else it begins anew whenever the last of its clients goes, as each of the hand's words does, and a
        # window that comes in that moment is turned away
        words = ["Xvfb", "-noreset", "-displayfd", str(write), "-screen", "0", size, "+extension", "GLX"]
        server = subprocess.Popen(
            [*words, "-fbdir", folder, "-nolisten", "tcp"],
            pass_fds=[write],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        try:
            with os.fdopen(read) as told:
                yield Screen(f":{told.readline().strip()}", Path(folder))
        finally:
            server.terminate()
            server.wait(10)
