"""The suite says the same however it was started."""

from __future__ import annotations

import gc
import signal
from functools import cache

import typer.main
import typer.testing

from sim3d.cli import LASTING  # it sees to threads, too: tests run as commands do


def pytest_configure() -> None:
    """No garbage is looked for among what lasts, and Ctrl-C is heard; commands are made of their functions once."""
    gc.set_threshold(LASTING, 10, 10)
    typer.testing._get_command = cache(typer.main.get_command)  # as in a process of their own, not for every call
    hear_ctrl_c()


def hear_ctrl_c() -> None:
    """A shell's background jobs do not hear Ctrl-C, nor what they start: tests that send it must not depend on that."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
