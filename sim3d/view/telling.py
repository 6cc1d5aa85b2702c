"""The one teller: what is said of a step, by `sim3d run`, by every viewer, and in the texts that tests keep."""

from __future__ import annotations

from sim3d.rules.hexes import Outcome as HexOutcome
from sim3d.rules.hexes.asked import told as told_on_hexes
from sim3d.rules.legion.asked import retold
from sim3d.scenario import Played
from sim3d.view.numbers import UNITS, numbers_of
from sim3d.view.scene import Told


def told_of(p: Played) -> Told:
    """A step that was played."""
    said = [p.error] if p.error else []
    if not p.error:
        said += [f"{len(p.judged) - len(p.failed)} of {len(p.judged)} held"] if p.failed else []
        unseen = [j.expected.key for j in p.judged if j.held is None]
        said += [f"not judged: {', '.join(unseen)}"] if unseen else []
        said += [p.step.about] if p.step.about else []
    failed = tuple(str(judged) for judged in p.failed)
    return Told(p.number, p.step.mini, p.word, p.ok, "; ".join(said), tuple(_account(p)), failed)


def _account(p: Played) -> list[str]:
    """What happened, in sentences, a line each."""
    if isinstance(p.outcome, HexOutcome):
        return told_on_hexes(p.outcome)
    if p.outcome is not None:
        return retold(p.outcome)
    if p.stand is None:
        return []
    return [p.stand.why, ", ".join(f"{label} {number}{UNITS[unit]}" for label, number, unit in numbers_of(p.stand))]
