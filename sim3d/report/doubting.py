"""What is doubtful about the meshes of a table: their warnings, each once, for who asks of a place, not of a mesh."""

from __future__ import annotations

from sim3d.finding import Finding, Severity
from sim3d.table import Table

OF_SIZE = ("MESH_TINY", "MESH_HUGE")  # not doubtful where a table says how much larger the piece is


def doubts_of(table: Table) -> tuple[Finding, ...]:
    """The warnings that came with reading the pieces of a table, in their order.

    >>> doubts_of(Table())
    ()
    """
    found = {
        finding: None
        for piece in table.pieces
        for finding in piece.solid.findings
        if finding.severity == Severity.WARNING and (piece.scale == 1.0 or finding.code not in OF_SIZE)
    }
    return tuple(found)
