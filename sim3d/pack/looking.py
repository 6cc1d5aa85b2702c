"""What a worker does for one piece: read it, look at its shape, look where bases stand. Plain data in and out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sim3d.finding import Finding, Refused, run
from sim3d.pack.manifest import HeadForm, PrintForm, UseForm
from sim3d.pack.shape import SHAPE, STATES_UNIT, Subject
from sim3d.pack.target import TARGETED, TARGETS
from sim3d.pack.verdict import finding_data
from sim3d.solid import Limits, Solid, read_solid

FACT_DIGITS = 3  # of facts in mm and g: a micron


def subject_of(told: Mapping[str, Any], files: Mapping[str, Path]) -> Subject:
    """The piece that a task is about; `Refused` where its file cannot be trusted."""
    head = HeadForm.model_validate_json(told["head"])
    said, file = told["said"], told["file"]
    own_unit = file.rpartition(".")[2].lower() in STATES_UNIT
    unit = said.get("units") or (None if own_unit else head.units)
    up = said.get("up") or (None if own_unit else head.up)
    solid = read_solid(files[file], unit=unit, up=up, limits=Limits(**told["limits"]))
    scale = float(said.get("scale", head.scale))
    use, printer = UseForm.model_validate_json(told["use"]), PrintForm.model_validate_json(told["print"])
    return Subject(told["name"], file, solid if scale == 1 else solid.scaled(scale), said, head, use, printer)


def form(told: dict[str, Any], files: dict[str, Path]) -> dict[str, Any]:
    """A piece's facts, and every finding that its mesh alone gives."""
    try:
        s = subject_of(told, files)
    except Refused as refused:
        return {"readable": False, "facts": {}, "findings": [finding_data(f) for f in refused.report]}
    report = s.solid.inspected() + run(SHAPE, s)
    for name in s.head.target:
        report = report + run(TARGETED, s, TARGETS[name])
    return {"readable": True, "facts": facts_of(s), "findings": [finding_data(f) for f in report.grouped()]}


def facts_of(s: Subject) -> dict[str, Any]:
    """What a report says of a piece whether anything is wrong or not."""
    solid: Solid = s.solid
    mass = s.mass_g
    return {
        "format": solid.source.format,
        "unit": solid.source.unit,
        "up": solid.source.up,
        "triangles": len(solid.faces),
        "vertices": len(solid.vertices),
        "extents_mm": [round(v, FACT_DIGITS) for v in solid.extents_mm],
        "low_mm": round(solid.bounds[0][2], FACT_DIGITS),
        "closed": solid.closed,
        "parts": solid.parts,
        "volume_mm3": None if solid.volume_mm3 is None else round(solid.volume_mm3, FACT_DIGITS),
        "mass_g": None if mass is None else round(mass, FACT_DIGITS),
        "seat_mm2": round(s.seat.area_mm2, FACT_DIGITS),
    }


def named(findings: tuple[Finding, ...], file: str) -> tuple[Finding, ...]:
    """The findings as being about this file."""
    return tuple(replace(f, file=file) for f in findings)
