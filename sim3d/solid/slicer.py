"""What slicing programs add to a 3MF: which of its parts are printed, and which only steer or cut the print.

Bambu Studio and OrcaSlicer name whole parts of an object, PrusaSlicer and Slic3r name runs of its triangles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sim3d.finding import Finding, Severity, check
from sim3d.solid.guard import skipped
from sim3d.solid.package import Package
from sim3d.solid.xml import tree
from sim3d.space import Bools, Ints

_PARTS = "metadata/model_settings.config"  # of Bambu Studio and OrcaSlicer
_RUNS = ("metadata/slic3r_pe_model.config", "metadata/slic3r_model.config")  # of PrusaSlicer and its kin
_PRINTED = ("normal_part", "modelpart", "")
_CUTTING = ("negative_part", "negativevolume")
UNPRINTED_TYPES = ("support", "solidsupport", "other")  # of an object in the build: "other" may not even be there


@check(
    "THREEMF_NEGATIVE_PART",
    Severity.WARNING,
    "{count} negative [part was|parts were] left out and nothing was cut away",
)
def negative_part(*_: object) -> None:
    """The slicer was to cut these parts out of the others; here they are left out, and the others stay whole.

    Why: the print has holes or recesses there that this mesh has not. Example: a magnet hole made in Bambu Studio.
    Do: cut the part out in the slicer or the modelling program (mesh boolean), and export it again.
    """


@dataclass(slots=True)
class Roles:
    """Which parts are not printed, by object; and how many of each kind were met."""

    parts: dict[tuple[str, str], str] = field(default_factory=dict)  # object, part of it: its role
    runs: dict[str, list[tuple[int, int, str]]] = field(default_factory=dict)  # object: first and last triangle, role
    met: dict[str, int] = field(default_factory=dict)
    dropped: set[tuple[str, str]] = field(default_factory=set)  # objects that were left out for their role

    def printed(self, owner: str, part: tuple[str, str]) -> bool:
        """Whether a part of an object is printed; one that is not is counted."""
        role = self.parts.get((owner, part[1]), "")
        return not role or self._left_out(role, part)

    def printed_type(self, made: tuple[str, str], kind: str) -> bool:
        """Whether an object of this type is printed; one that is not is counted."""
        return kind not in UNPRINTED_TYPES or self._left_out(f"object of type {kind}", made)

    def printed_item(self, made: tuple[str, str], printable: str) -> bool:
        """Whether an item of the build is printed, by what it says itself; one that is not is counted."""
        return printable.strip().lower() not in ("0", "false") or self._left_out("object marked as not printable", made)

    def printed_triangles(self, owner: str, count: int) -> Bools | None:
        """Which triangles of an object are printed; None for all of them."""
        runs = self.runs.get(owner, [])
        if not runs:
            return None
        kept = np.ones(count, dtype=bool)
        for first, last, role in runs:
            kept[max(first, 0) : max(last + 1, 0)] = False
            self._left_out(role)
        return kept

    def _left_out(self, role: str, *made: tuple[str, str]) -> bool:
        self.dropped.update(made)
        self.met[role] = self.met.get(role, 0) + 1
        return False

    def findings(self) -> tuple[Finding, ...]:
        """What to say of everything that was left out."""
        cut = sum(n for role, n in self.met.items() if role in _CUTTING)
        others = ", ".join(f"{n} {role}" for role, n in self.met.items() if role not in _CUTTING)
        told = (skipped.hit(what=f"not printed: {others}"),) if others else ()
        return told + ((negative_part.hit(count=cut),) if cut else ())


def roles_of(package: Package) -> Roles:
    """The roles that the slicer's own files in an archive give to its parts; none where there are no such files."""
    roles = Roles()
    for name, listed in ((_PARTS, _parts), *((name, _runs) for name in _RUNS)):
        if name in package.names:
            _read(tree(package.read(name)), listed, roles)
    return roles


def _read(root: Any, listed: Callable[[Any, str, Roles], None], roles: Roles) -> None:
    for made in root.iterfind("object"):
        listed(made, made.get("id", ""), roles)


def _parts(made: Any, owner: str, roles: Roles) -> None:
    for part in made.iterfind("part"):
        role = part.get("subtype", "").lower()
        if role not in _PRINTED:
            roles.parts[owner, part.get("id", "")] = role


def _runs(made: Any, owner: str, roles: Roles) -> None:
    for volume in made.iterfind("volume"):
        said = dict(_metadata(volume))
        role = said.get("volume_type", "")
        if not role and said.get("modifier") == "1":
            role = "ParameterModifier"
        first, last = volume.get("firstid", ""), volume.get("lastid", "")
        if role.lower() not in _PRINTED and first.isdecimal() and last.isdecimal():
            roles.runs.setdefault(owner, []).append((int(first), int(last), role.lower()))


def _metadata(volume: Any) -> Iterator[tuple[str, str]]:
    for row in volume.iterfind("metadata"):
        yield row.get("key", ""), row.get("value", "")


def kept_faces(faces: Ints, kept: Bools | None) -> Ints:
    """The triangles that are printed."""
    return faces if kept is None else faces[kept]
