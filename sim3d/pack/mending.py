"""`--fix`: safe repairs of a pack's pieces, into new files; every change listed with numbers and read back.

What is safe keeps the shape: corners and copies merged, triangles without area dropped, neighbours wound alike,
overlapping parts united, the lowest point put on z = 0, units and axes as declared. Nothing is closed or smoothed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sim3d.finding import Hit, Refused, Severity, check, counted
from sim3d.form import to_json
from sim3d.keep import keep, keep_text
from sim3d.pack.judging import How
from sim3d.pack.looking import opened
from sim3d.pack.manifest import HeadForm
from sim3d.pack.pack import Member, Pack
from sim3d.pack.shape import GROUND_MM
from sim3d.solid import Limits, Solid, read_solid
from sim3d.solid.mend import united, wound
from sim3d.solid.write import ENDINGS, encode
from sim3d.space import Floats, Ints
from sim3d.spread import Done, Task, spread

SAME_SHARE = 1e-5  # of volume and size, read back: float32 keeps seven digits
CALL = "sim3d.pack.mending:mended"
INSTEAD = ".stl"  # of formats that are not written
CHANGES = "changes.json"  # beside the copies: what was done, and which files are copies


@dataclass(frozen=True, slots=True)
class Fixed:
    """One piece: where its repaired copy is (empty: none was needed, or none could be made), and what was done."""

    name: str
    file: str
    out: str = ""
    changes: tuple[str, ...] = ()
    failed: str = ""
    denied: bool = False  # it was made, and the system did not let it be written


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
    within the limits of `how`, or here without it. They are listed beside them, also where this is stopped."""
    has_room(pack, folder, only=only)
    how = how or How(workers=0)
    tasks = []
    for number, (member, out) in enumerate(_copies(pack, only)):
        told = {"name": member.name, "file": member.file, "said": dict(member.said), "folder": str(folder.absolute())}
        told |= {"head": pack.head.model_dump_json(), "out": out}
        tasks.append(Task(str(number), CALL, told, {member.file: pack.path(member)}))
    before = _listed(folder)
    made: dict[str, Fixed] = {}
    try:
        for done in spread(tasks, workers=how.workers, seconds=how.seconds, memory_mb=how.memory_mb):
            made[done.key] = _made(tasks[int(done.key)], done)
    finally:
        _list(folder, [made[task.key] for task in tasks if task.key in made], before)
    return tuple(made[task.key] for task in tasks)


def has_room(pack: Pack, folder: Path, *, only: Callable[[str], bool] | None = None) -> None:
    """Nothing where repaired copies can go into a folder; else `ValueError`: in the pack's own folder none can, and
    over a file that is no earlier copy none is written."""
    home, there = Path(os.path.realpath(pack.folder)), Path(os.path.realpath(folder))
    if there == home or home in there.parents:
        raise ValueError(f"--fix {folder}: it is in the pack's own folder; repaired copies go somewhere else")
    ours = _listed(folder)
    known = {one["out"] for one in ours} | ({CHANGES} if ours else set())
    for out in (CHANGES, *(out for _, out in _copies(pack, only))):
        if home in Path(os.path.realpath(folder / out)).parents:
            raise ValueError(f"--fix {folder}: a link in it leads into the pack's own folder; name another folder")
        if out not in known and os.path.lexists(folder / out):
            raise ValueError(
                f"--fix {folder}: {folder / out} is no copy that --fix made; it would be overwritten: name a new folder"
            )


def _made(task: Task, done: Done) -> Fixed:
    failed = done.failure.why if done.failure is not None else ""
    data = done.value or asdict(Fixed(task.told["name"], task.told["file"], failed=failed))
    return Fixed(**{**data, "changes": tuple(data["changes"])})


def _copies(pack: Pack, only: Callable[[str], bool] | None) -> list[tuple[Member, str]]:
    """The pieces that are wanted, each with its copy's name from the folder of the copies."""
    taken = {m.file for m in pack.members}
    return [(m, _copy_of(m.file, taken)) for m in pack.members if only is None or only(m.name)]


def _listed(folder: Path) -> list[dict[str, Any]]:
    """The pieces that an earlier run listed in a folder; none where it did not, or the list is another program's."""
    try:
        data = json.loads((folder / CHANGES).read_text(encoding="utf-8"))
        pieces = data["pieces"] if data["version"] == 1 else []
        return [one for one in pieces if isinstance(one["out"], str) and isinstance(one["file"], str)]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []


def _list(folder: Path, made: Sequence[Fixed], before: Sequence[Mapping[str, Any]]) -> None:
    """What was done to each piece, as data beside the copies; what earlier runs copied and is still there stays."""
    if not any(one.out for one in made):
        return
    outs = {one.out for one in made}
    kept = [dict(one) for one in before if one["out"] not in outs and (folder / one["out"]).is_file()]
    told = [
        {"name": m.name, "file": m.file, "out": m.out, "changes": list(m.changes), "failed": m.failed} for m in made
    ]
    keep_text(folder / CHANGES, to_json({"version": 1, "pieces": [*told, *kept]}))


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
        keep(path, encode(out.suffix.lower(), vertices, faces))
        wrong = _differs(read_solid(path), vertices, volume)
    except OSError as error:
        return replace(made, failed=f"it cannot be written: {error.strerror}", denied=True)
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
        changes.append(f"{counted(turned, 'triangle')} turned to agree with neighbours")
        solid = Solid.of(vertices, faces)
        volume = solid.volume_mm3
        copies = dict(solid.source.left_out).get("duplicate", 0)
        if copies:  # a back that was turned is a copy of the front
            changes.append(_dropped(copies))
            vertices, faces = solid.vertices, np.concatenate([solid.faces, solid.slivers])
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
        changes.append(f"{counted(codes['MESH_SEAMS_JOINED'].count, 'corner')} merged with neighbours")
    left = dict(source.left_out)
    kept = len(solid.slivers)
    if left.get("degenerate", 0) > kept:
        changes.append(f"{counted(left['degenerate'] - kept, 'triangle')} without area dropped")
    if left.get("duplicate"):
        changes.append(_dropped(left["duplicate"]))
    if "MESH_UNUSED_CORNERS" in codes:
        changes.append(f"{counted(codes['MESH_UNUSED_CORNERS'].count, 'corner')} without a triangle dropped")
    return changes


def _dropped(copies: int) -> str:
    return f"{counted(copies, 'copy', 'copies')} of triangles dropped"


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
