"""Physics engines behind one small protocol: release a body on a patch of terrain, step, read back. Nothing game-like.

>>> engine_named("rapier").name
'rapier'
"""

from __future__ import annotations

from sim3d.asked import MOST_FRICTION, checked_friction
from sim3d.engine.bullet import Bullet
from sim3d.engine.flat import merged
from sim3d.engine.needed import needed
from sim3d.engine.protocol import (
    FAR_MM,
    STANDARD_GRAVITY_M_S2,
    Engine,
    Moving,
    Rock,
    Settings,
    Touch,
    World,
)
from sim3d.engine.rapier import Rapier
from sim3d.engine.shape import moving_of, parts_of

__all__ = [
    "ENGINES",
    "FAR_MM",
    "MOST_FRICTION",
    "STANDARD_GRAVITY_M_S2",
    "Engine",
    "Moving",
    "Rock",
    "Settings",
    "Touch",
    "World",
    "checked_friction",
    "default_engine",
    "engine_named",
    "merged",
    "moving_of",
    "needed",
    "parts_of",
]

ENGINES: tuple[Engine, ...] = (Bullet(), Rapier())  # in order of preference


def engine_named(name: str) -> Engine:
    """By its word; one that is not installed here is a `ValueError` that says so."""
    for engine in ENGINES:
        if engine.name == name:
            if not engine.available():
                raise ValueError(f"the engine {name} is not installed here")
            return engine
    raise ValueError(f"no engine is called {name!r}; known: {', '.join(e.name for e in ENGINES)}")


def default_engine() -> Engine:
    """Bullet where it can be imported, else Rapier."""
    for engine in ENGINES:
        if engine.available():
            return engine
    raise ValueError("no physics engine is installed; install rapier3d")
