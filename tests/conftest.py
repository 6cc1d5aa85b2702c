"""The suite says the same however it was started."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """A shell's background jobs do not hear Ctrl-C, nor what they start: tests that send it must not depend on that."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
