"""The words with which files and lines ask how a base stands, and are answered: kinds of values for forms."""

from __future__ import annotations

from typing import Annotated, Literal

from sim3d.form import Field
from sim3d.stand import WORDS

Engine = Literal["bullet", "rapier"]
Word = Annotated[str, Field(json_schema_extra={"enum": list(WORDS)})]
