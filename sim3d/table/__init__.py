"""The table: `Piece`s of terrain and placed minis as one frozen value; read from and written to TOML and JSON.

The origin is the middle of the table, x runs along its first size, z is up; nothing is guessed and nothing is moved.
"""

from sim3d.mini import MeshSource
from sim3d.table.file import (
    BASE_FILES,
    BaseName,
    Coordinate,
    Length,
    Name,
    TableForm,
    Turn,
    base_called,
    bases_called,
    parse_table,
    read_table,
    table_name_twice,
    table_of,
    table_unknown_name,
)
from sim3d.table.table import (
    CLASS_KINDS,
    GRIP,
    MATERIALS,
    ON_HEXES,
    Piece,
    Placed,
    Table,
    Token,
    checked_mini,
    checked_table,
    known,
)
from sim3d.table.writing import table_data, write_table

__all__ = [
    "BASE_FILES",
    "CLASS_KINDS",
    "GRIP",
    "MATERIALS",
    "ON_HEXES",
    "BaseName",
    "Coordinate",
    "Length",
    "MeshSource",
    "Name",
    "Piece",
    "Placed",
    "Table",
    "TableForm",
    "Token",
    "Turn",
    "base_called",
    "bases_called",
    "checked_mini",
    "checked_table",
    "known",
    "parse_table",
    "read_table",
    "table_data",
    "table_name_twice",
    "table_of",
    "table_unknown_name",
    "write_table",
]
