"""`--fix`: safe repairs of a pack's pieces, into new files; every change listed with numbers and read back.

What is safe keeps the shape: corners and copies merged, triangles without area dropped, neighbours wound alike,
overlapping parts united, the lowest point put on z = 0, units and axes as declared. Nothing is closed or smoothed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sim3d.finding import Hit, Refused, Severity, check
from sim3d.pack.judging import How
from sim3d.pack.looking import opened
from sim3d.pack.manifest import HeadForm
from sim3d.pack.pack import Pack
from sim3d.pack.shape import GROUND_MM
from sim3d.solid import Limits, Solid, read_solid
from sim3d.solid.mend import united, wound
from sim3d.solid.write import ENDINGS, encode
from sim3d.space import Floats, Ints
from sim3d.spread import Task, spread

SAME_SHARE = 1e-5  # of volume and size, read back: float32 keeps seven digits
CALL = "sim3d.pack.mending:mended"
INSTEAD = ".stl"  # of formats that are not written


@dataclass(frozen=True, slots=True)
class Fixed:
    """One piece: where its repaired copy is (empty: none was needed, or none could be made), and what was done."""

    name: str
    file: str
    out: str = ""
    changes: tuple[str, ...] = ()
    failed: str = ""


@check("FIX_FAILED", Severity.ERROR, "no repaired copy of {piece}: {why}")
def fix_failed(fixed: Fixed) -> Iterable[Hit]:
    """A piece could not be repaired, or its repaired copy did not read back as it should.

    Why: a wrong copy is worse than none, so none was kept. Example: a piece that cannot be read.
    Do: repair it in the program it came from.
    """
    if fixed.failed:
        yield Hit(piece=fixed.name, why=fixed.failed)


def fix(
    pack: Pack, folder: Path, *, how: How | None = None, only: Callable[[str], bool] | None = None
) -> tuple[Fixed, ...]:
    """Repaired copies of all pieces that need one, in a folder that is not the pack's own; each made by a worker
    within the limits of `how`, or here without it."""
    home, there = pack.folder.resolve(), folder.resolve()
    if there == home or home in there.parents:
        raise ValueError(f"--fix {folder}: it is in the pack's own folder; repaired copies go somewhere else")
    how = how or How(workers=0)
    chosen = [m for m in pack.members if only is None or only(m.name)]
    taken = {m.file for m in pack.members}
    tasks = []
    for number, member in enumerate(chosen):
        told = {"name": member.name, "file": member.file, "said": dict(member.said), "folder": str(folder.absolute())}
        told |= {"head": pack.head.model_dump_json(), "out": _copy_of(member.file, taken)}
        tasks.append(Task(str(number), CALL, told, {member.file: pack.path(member)}))
    done = {d.key: d for d in spread(tasks, workers=how.workers, seconds=how.seconds, memory_mb=how.memory_mb)}
    made = []
    for task in tasks:
        one = done[task.key]
        failed = one.failure.why if one.failure is not None else ""
        data = one.value or asdict(Fixed(task.told["name"], task.told["file"], failed=failed))
        made.append(Fixed(**{**data, "changes": tuple(data["changes"])}))
    return tuple(made)


def _copy_of(file: str, taken: Iterable[str]) -> str:
    """The name of a piece's copy: its own, or with another ending, and never another piece's."""
    path = Path(file)
    if path.suffix.lower() in ENDINGS:
        return file
    instead = path.with_suffix(INSTEAD).as_posix()
    return f"{file}{INSTEAD}" if instead in taken else instead


def mended(told: dict[str, Any], files: dict[str, Path]) -> dict[str, Any]:
    """What a worker does for one piece: a copy, if it needs one. Plain data in and out."""
    made = Fixed(told["name"], told["file"])
    return asdict(_fixed(made, files[made.file], HeadForm.model_validate_json(told["head"]), told))


def _fixed(made: Fixed, source: Path, head: HeadForm, told: dict[str, Any]) -> Fixed:
    try:
        solid = opened(source, made.file, told["said"], head, Limits())
    except Refused as refused:
        return replace(made, failed=refused.report.findings[0].message)
    changes, (vertices, faces), volume = _mended(solid, float(told["said"].get("scale", head.scale)))
    if not changes:
        return made
    out = Path(told["out"])
    suffix = source.suffix.lower()
    if out.suffix.lower() != suffix:
        changes.append(f"written as {out.suffix[1:].upper()}: {suffix[1:].upper()} is not written here")
    path = Path(told["folder"]) / out
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(encode(out.suffix.lower(), vertices, faces))
        wrong = _differs(read_solid(path), vertices, volume)
    except OSError as error:
        return replace(made, failed=f"it cannot be written: {error.strerror}")
    except Refused as refused:
        wrong = f"read back: {refused.report.findings[0].message}"
    if wrong:
        path.unlink()
        return replace(made, failed=wrong)
    return replace(made, out=out.as_posix(), changes=tuple(changes))


def _mended(solid: Solid, scale: float) -> tuple[list[str], tuple[Floats, Ints], float | None]:
    """What was changed, the mesh, and the volume it has to have."""
    changes = _reading(solid, scale)
    vertices = solid.vertices * scale
    faces = np.concatenate([solid.faces, solid.slivers])
    faces, turned = wound(vertices, faces)
    if turned:
        changes.append(f"{turned} triangles turned to agree with their neighbours")
        solid = Solid.of(vertices, faces)
        volume = solid.volume_mm3
    else:
        volume = None if solid.volume_mm3 is None else solid.volume_mm3 * scale**3
        solid = Solid.of(vertices, faces) if solid.overlapping else solid
    if solid.overlapping and volume is not None:
        one = united(solid)
        if one is not None and len(one[1]):
            changes.append(f"{solid.parts} overlapping parts united: {len(faces)} triangles became {len(one[1])}")
            vertices, faces = one
    low = float(vertices[:, 2].min())
    if abs(low) > GROUND_MM:
        vertices = vertices - np.array([0.0, 0.0, low])
        changes.append(f"moved by {-low:+.3f} mm to stand on z = 0")
    return changes, (vertices, faces), volume


def _reading(solid: Solid, scale: float) -> list[str]:
    """What reading alone has changed, as far as a new file says it."""
    changes = []
    source = solid.source
    codes = {f.code: f for f in solid.findings}
    is_gltf = source.format.startswith("gl")
    if source.unit not in ("mm", "millimeter") and not is_gltf:
        changes.append(f"converted from {source.unit} to mm")
    if source.up != "z" and not is_gltf:
        changes.append(f"turned from {source.up} up to z up")
    if scale != 1:
        changes.append(f"scaled by {scale:g}")
    if "MESH_SEAMS_JOINED" in codes:
        changes.append(f"{codes['MESH_SEAMS_JOINED'].count} corners merged with their neighbours")
    left = dict(source.left_out)
    kept = len(solid.slivers)
    if left.get("degenerate", 0) > kept:
        changes.append(f"{left['degenerate'] - kept} triangles without area dropped")
    if left.get("duplicate"):
        changes.append(f"{left['duplicate']} copies of triangles dropped")
    if "MESH_UNUSED_CORNERS" in codes:
        changes.append(f"{codes['MESH_UNUSED_CORNERS'].count} corners without a triangle dropped")
    return changes


def _differs(again: Solid, vertices: Floats, volume: float | None) -> str:
    """What of the copy is not as it should be; empty: nothing."""
    size = vertices.max(axis=0) - vertices.min(axis=0)
    off = float(np.abs(np.array(again.extents_mm) - size).max())
    if off > SAME_SHARE * float(size.max()) + 1e-4:
        return f"read back it is {off:.3g} mm larger or smaller"
    if volume is not None:
        if again.volume_mm3 is None:
            return f"read back it has no volume: {again.body.unknown}"
        if abs(again.volume_mm3 - volume) > SAME_SHARE * volume + 1e-3:
            return f"read back its volume is {again.volume_mm3:.2f} mm³, not {volume:.2f}"
    return ""
