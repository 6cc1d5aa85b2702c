"""How the command ends when somebody stops it: in one line, with exit code 130. Imports nothing that takes time."""

from __future__ import annotations

import sys

STOPPED = 130  # as a shell says it of what Ctrl-C ended
STOPPED_LINE = "sim3d: stopped before it was done (Ctrl-C)"


def stopped(error: BaseException) -> None:
    """End as stopped, if that is what happened; else the error goes on.

    Compiled loops that are stopped do not say so by themselves: theirs is an error of the system that came from it.
    """
    came: BaseException | None = error
    while came is not None and not isinstance(came, KeyboardInterrupt):
        came = came.__cause__ or came.__context__
    if came is None:
        raise error
    sys.stderr.write(f"{STOPPED_LINE}\n")
    raise SystemExit(STOPPED) from None
