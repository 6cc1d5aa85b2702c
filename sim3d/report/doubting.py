"""What is doubtful about the meshes of a table and of bases: their warnings, each once, for who asks of a place."""

from __future__ import annotations

from sim3d.finding import Finding, Severity
from sim3d.mini import Base
from sim3d.table import Table

OF_SIZE = ("MESH_TINY", "MESH_HUGE")  # not doubtful where a table says how much larger the piece is


def doubts_of(about: Table | Base) -> tuple[Finding, ...]:
    """The warnings that came with reading the pieces of a table and the bases on it, or one base, in their order.

    >>> doubts_of(Table())
    ()
    """
    pieces, minis = (about.pieces, about.minis) if isinstance(about, Table) else ((), ())
    bases = [about] if isinstance(about, Base) else [placed.mini.base for placed in minis]
    found = [f for p in pieces for f in p.solid.findings if p.scale == 1.0 or f.code not in OF_SIZE]
    found += [finding for base in bases for finding in base.findings]
    return tuple(dict.fromkeys(finding for finding in found if finding.severity == Severity.WARNING))
