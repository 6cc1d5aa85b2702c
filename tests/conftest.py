"""The suite says the same however it was started."""

from __future__ import annotations

import gc
import signal

from sim3d.cli import LASTING  # it sees to threads, too: tests run as commands do


def pytest_configure() -> None:
    """No garbage is looked for among what lasts, and Ctrl-C is heard."""
    gc.set_threshold(LASTING, 10, 10)
    hear_ctrl_c()


def hear_ctrl_c() -> None:
    """A shell's background jobs do not hear Ctrl-C, nor what they start: tests that send it must not depend on that."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
