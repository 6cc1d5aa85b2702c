"""Whether minis stand at places: one function for many, so that a map of answers can take the place of statics."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

from sim3d.ground import ground_of
from sim3d.stand import Stand, stand
from sim3d.statics.rest import NUDGE_DEG
from sim3d.table import Placed, Table

__all__ = ["NUDGE_DEG", "Standing", "asking", "exact", "nowhere", "remembering", "searching", "words"]

MANY = 4  # places that are worth threads
Standing = Callable[[Table, Sequence[Placed]], Sequence[Stand]]  # a table without minis, places; an answer for each


def asking(
    physics: Literal["always", "doubt", "never"] = "never", engine: str | None = None, *, brief: bool = False
) -> Standing:
    """Standing by `stand`, each place by itself, with or without an engine; `brief` as there.

    Many places are told in threads where no engine is asked: compiled loops let go of Python.
    """

    def ask(table: Table, places: Sequence[Placed]) -> tuple[Stand, ...]:
        def one(place: Placed) -> Stand:
            return stand(
                table,
                place.mini,
                at=place.at,
                turn=place.turn,
                level=place.level,
                material=place.material,
                physics=physics,
                engine=engine,
                brief=brief,
            )

        if physics != "never" or len(places) < MANY:
            return tuple(map(one, places))
        ground_of(table)  # built once, not by every thread
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            return tuple(pool.map(one, places))

    return ask


exact = asking("never")
words = asking("never", brief=True)  # the same words as `exact`, sooner: for places that are only looked at


def searching(standing: Standing) -> Standing:
    """Who is asked while places are sought: each place once, and no more than its word is worked out."""
    return remembering(words if standing is exact else standing)


def nowhere(table: Table, places: Sequence[Placed]) -> Sequence[Stand]:
    """Nobody is asked and everybody stands: for ways alone."""
    return [Stand("stable", "", ("nobody",), p.at, p.turn, p.level, 0.0, p.mini) for p in places]


def remembering(standing: Standing) -> Standing:
    """The same answers, each place asked about once: for searches on one table."""
    kept: dict[tuple[object, ...], Stand] = {}

    def ask(table: Table, places: Sequence[Placed]) -> Sequence[Stand]:
        keys = [(p.mini, p.material, *p.at, p.turn, p.level) for p in places]
        new = [(k, p) for k, p in zip(keys, places, strict=True) if k not in kept]
        for (key, _), answer in zip(new, standing(table, [p for _, p in new]), strict=True):
            kept[key] = answer
        return [kept[k] for k in keys]

    return ask
