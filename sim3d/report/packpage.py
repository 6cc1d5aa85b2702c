"""A validation as a page: every piece side by side in three dimensions, its findings pinned where they are."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sim3d.finding import Finding, Refused
from sim3d.pack import Judged, Pack, Validation
from sim3d.pack.looking import opened
from sim3d.report.validation import figures_rows, last_line, piece_line
from sim3d.solid import Limits, Solid
from sim3d.space import Pose
from sim3d.table import Piece, Table
from sim3d.view.page import Sheet, page_of
from sim3d.view.scene import Marker, Moment, Point3, Scene, Story, Told, Words

GAP_MM = 45.0  # between two pieces of a pack
WIDE = 1.35  # of the shelf they stand on: its width over its depth
LABEL_MM = 6.0  # over a piece's top


def validation_page(validation: Validation, source: Pack | Table) -> str:
    """The file, as text: a pack's pieces on a shelf, or a table as it is set up."""
    table = _shelf(validation, source) if isinstance(source, Pack) else source
    moved = {piece.name: piece.pose for piece in table.pieces} if isinstance(source, Pack) else {}
    markers = [_marker(f, Pose(), f.file or "the whole") for f in validation.report]
    for judged in validation.pieces:
        markers += [_marker(f, moved.get(judged.name, Pose()), judged.name) for f in judged.report]
    scene = Scene(table, words=tuple(_labels(validation, table)), markers=tuple(markers))
    story = Story(validation.name, last_line(validation), (Moment(Told(0, validation.name, "", True, ""), scene),))
    return page_of(story, sheets=tuple(_sheets(validation))).decode()


def _marker(finding: Finding, pose: Pose, where: str) -> Marker:
    """A finding, its places moved to where the piece stands on the page."""
    places: list[Point3] = []
    for place in finding.places:
        x, y, z = (float(v) for v in pose.apply([[place.x, place.y, place.z]])[0])
        places.append((x, y, z))
    return Marker(finding.code, finding.severity.word, finding.message, where, tuple(places))


def _labels(validation: Validation, table: Table) -> Iterator[Words]:
    verdicts = {judged.name: judged.verdict for judged in validation.pieces}
    for piece in table.pieces:
        corners = piece.vertices()
        x, y = (corners.min(axis=0) + corners.max(axis=0))[:2] / 2
        verdict = verdicts.get(piece.name)
        said = piece.name if verdict is None else f"{piece.name}: {verdict}"
        yield Words((float(x), float(y), piece.top_mm + LABEL_MM), said, "names")


def _sheets(validation: Validation) -> Iterator[Sheet]:
    rows = tuple((p.name, piece_line(p)) for p in validation.pieces)
    if rows:
        yield Sheet(f"Pieces ({len(rows)})", ("piece", "verdict"), rows)
    head, *figures = figures_rows(validation)
    if figures:
        yield Sheet("Where bases stand", head, tuple(figures))


# --- the shelf --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Box:
    """A piece and the rectangle it takes."""

    judged: Judged
    solid: Solid
    material: str

    @property
    def size(self) -> tuple[float, float]:
        wide, deep, _ = self.solid.extents_mm
        return wide + GAP_MM, deep + GAP_MM


def _shelf(validation: Validation, pack: Pack) -> Table:
    """The pieces that can be read, in rows, each on the ground with its own axes."""
    boxes = list(_boxes(validation, pack))
    sizes = [box.size for box in boxes]
    width = max([math.sqrt(WIDE * sum(a * b for a, b in sizes)), *(wide for wide, _ in sizes)])
    pieces, x, y, row = [], 0.0, 0.0, 0.0
    for box in boxes:
        wide, deep = box.size
        if x > 0 and x + wide > width:
            x, y, row = 0.0, y - row, 0.0
        low, high = (np.array(corner) for corner in box.solid.bounds)
        middle = (low + high) / 2
        at = Pose.at(x + wide / 2 - middle[0] - width / 2, y - deep / 2 - middle[1], -low[2])
        pieces.append(Piece(box.judged.name, box.solid, at, material=box.material))
        x, row = x + wide, max(row, deep)
    return Table(pieces=tuple(pieces), about=last_line(validation))


def _boxes(validation: Validation, pack: Pack) -> Iterator[_Box]:
    members = {member.name: member for member in pack.members}
    for judged in validation.pieces:
        if not judged.facts:
            continue  # no worker could read it within its limits, so it is not read here; its findings say why
        member = members[judged.name]
        try:
            solid = opened(pack.path(member), member.file, member.said, pack.head, Limits())
        except Refused:
            continue  # its findings say why; there is nothing to show
        scale = float(member.said.get("scale", pack.head.scale))
        material = str(member.said.get("material", "grip"))
        yield _Box(judged, solid if scale == 1 else solid.scaled(scale), material)
