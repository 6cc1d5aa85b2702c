"""The one teller: what is said of a step, by `sim3d run`, by every viewer, and in the texts that tests keep."""

from __future__ import annotations

from sim3d.rules.hexes import Outcome as HexOutcome
from sim3d.rules.hexes.asked import told as told_on_hexes
from sim3d.rules.legion.asked import retold
from sim3d.scenario import Played
from sim3d.stand import Stand
from sim3d.view.scene import Told

NUMBERS = (
    ("z", "mm", "z_mm"),
    ("tilt", "deg", "tilt_deg"),
    ("tips at", "deg", "tip_deg"),
    ("rocks at", "deg", "rock_deg"),
    ("barrier", "mm", "barrier_mm"),
    ("margin", "mm", "margin_mm"),
    ("overhang", "mm", "overhang_mm"),
    ("overhang share", "", "overhang_share"),
    ("friction needed", "", "friction_needed"),
    ("friction there", "", "friction"),
    ("slides at", "deg", "slip_deg"),
    ("com at most", "mm", "com_limit_mm"),
    ("engine: drift", "mm", "drift_mm"),
    ("engine: turn", "deg", "turn_deg"),
)
UNITS = {"mm": " mm", "deg": "°", "": ""}


def numbers_of(answer: Stand) -> list[tuple[str, str, str]]:
    """The numbers that a verdict has: label, the number as it is written, unit."""
    told = []
    for label, unit, key in NUMBERS:
        value = (answer.pose.place[2] if answer.pose else None) if key == "z_mm" else getattr(answer, key)
        if value is not None:
            number = f"{value:.4f}" if key == "barrier_mm" else f"{value:.3f}" if not unit else f"{value:.2f}"
            unsure = key == "barrier_mm" and answer.barrier_is_least
            told.append((f"{label} about" if unsure else label, number, unit))
    return told


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
