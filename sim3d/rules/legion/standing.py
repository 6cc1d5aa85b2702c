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
RECALLED = 2048  # answers: a unit of nine has some fifty places looked at, a compulsory move some hundreds
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


def recalling(standing: Standing) -> Standing:
    """The same answers; on tables without minis the last ones are kept.

    Who asks whether somebody stands in a place has often asked how high it rests there, or whether a search ends there.
    """
    kept: dict[tuple[object, ...], tuple[object, Stand]] = {}  # with the pieces, whose id is in the key

    def ask(table: Table, places: Sequence[Placed]) -> Sequence[Stand]:
        if table.minis:
            return standing(table, places)
        ground = (id(table.pieces), table.size_mm, table.floor_mm, table.floor_material, *table.materials.items())
        keys = [(ground, p.mini, p.material, p.at, p.turn, p.level) for p in places]
        known = {key: told[1] for key in keys if (told := kept.get(key)) is not None}  # other threads may forget
        new = {key: place for key, place in zip(keys, places, strict=True) if key not in known}
        known.update(zip(new, standing(table, list(new.values())), strict=True))
        if len(kept) + len(new) > RECALLED:
            kept.clear()
        kept.update((key, (table.pieces, known[key])) for key in new)
        return [known[key] for key in keys]

    return ask


exact = recalling(asking("never"))
words = recalling(asking("never", brief=True))  # the words of `exact`, sooner: for places that are only looked at


def surely(table: Table, places: Sequence[Placed]) -> Sequence[Stand]:
    """The same words, a yes only where `exact` says it, too: it may doubt what is on a limit."""
    told = list(words(table, places))
    yes = [k for k, seen in enumerate(told) if seen.answer == "stable"]
    for k, seen in zip(yes, exact(table, [places[k] for k in yes]), strict=True):
        told[k] = seen
    return told


def searching(standing: Standing, *, sure: bool = False) -> Standing:
    """Who is asked while places are sought: each place once, and no more than its word is worked out.

    A `sure` one takes longer, and says yes to nothing that is in doubt.
    """
    if standing is not exact:
        return remembering(standing)
    return remembering(surely if sure else words)


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
