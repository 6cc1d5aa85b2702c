"""`atlas()`: `stand()` everywhere on a table: a word and its numbers for every cell, level and facing, fast."""

from sim3d.asked import of_map
from sim3d.atlas import sweep
from sim3d.atlas.value import Atlas, Audit, Cell, Contradicted, Layer
from sim3d.table import checked_mini, checked_table

atlas = of_map(sweep.atlas, checked_table, checked_mini)
atlases = of_map(sweep.atlases, checked_table)

__all__ = ["Atlas", "Audit", "Cell", "Contradicted", "Layer", "atlas", "atlases"]
