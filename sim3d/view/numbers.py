"""The numbers of a verdict as they are written, in text and beside a picture."""

from __future__ import annotations

from sim3d.stand import Stand

NUMBERS = (
    ("z", "mm", "z_mm"),
    ("tilt", "deg", "tilt_deg"),
    ("tips at", "deg", "tip_deg"),
    ("rocks by", "deg", "rock_deg"),
    ("barrier", "mm", "barrier_mm"),
    ("margin", "mm", "margin_mm"),
    ("overhang", "mm", "overhang_mm"),
    ("overhang share", "", "overhang_share"),
    ("friction needed", "", "friction_needed"),
    ("friction there", "", "friction"),
    ("slides or stirs at", "deg", "slip_deg"),
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
