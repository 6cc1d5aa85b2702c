"""sim3d: will it stand? Importing this loads nothing heavy; each name arrives with its first use."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import Any

from sim3d.names import HOME

__version__ = "0.1.0"

__all__ = ["__version__", *HOME]


class _House(ModuleType):
    """This package: `sim3d.stand` is the verb, however early somebody loads the module of that name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _House


def __getattr__(name: str) -> Any:
    home = HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'sim3d' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"sim3d.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
