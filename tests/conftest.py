"""The suite says the same however it was started."""

from __future__ import annotations

import gc
import os
import signal

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the commands have it


def pytest_configure() -> None:
    """Nothing is looked for in half a million lasting objects (see `sim3d.cli`), and Ctrl-C is heard."""
    gc.set_threshold(500_000, 10, 10)
    hear_ctrl_c()


def hear_ctrl_c() -> None:
    """A shell's background jobs do not hear Ctrl-C, nor what they start: tests that send it must not depend on that."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
