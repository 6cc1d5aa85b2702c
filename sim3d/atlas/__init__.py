"""`atlas()`: `stand()` everywhere on a table: a word and its numbers for every cell, level and facing, fast."""

from sim3d.atlas.sweep import atlas, atlases
from sim3d.atlas.value import Atlas, Audit, Cell, Layer

__all__ = ["Atlas", "Audit", "Cell", "Layer", "atlas", "atlases"]
