"""What a command says beside its answer, but for the note that depends on what ran before it."""

from __future__ import annotations


def quiet(stderr: str) -> str:
    """Without the line that loops are compiled: it comes once, whoever is first."""
    return "".join(line for line in stderr.splitlines(keepends=True) if "loops are being compiled" not in line)
