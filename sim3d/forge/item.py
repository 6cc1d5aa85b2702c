"""What the generator can make: an `Item` has a file, a recipe, and the words of its line in a README."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sim3d.forge.shapes import is_clean, welded
from sim3d.solid.boolean import Mesh
from sim3d.solid.write import Colours, encode


@dataclass(frozen=True, slots=True)
class Item:
    """One mesh file: its name with ending, how it is made, what it is, and what else its README line says."""

    file: str
    make: Callable[[], Mesh]
    about: str
    note: str  # gallery: the closed form it serves; pack: the heights of its floors
    paint: Callable[[Mesh], Colours] | None = None

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.file.rpartition(".")[0]

    def built(self) -> Mesh:
        """The mesh as its file holds it; a recipe that does not give a closed solid is a bug here, and raises."""
        mesh = welded(*self.make())
        if not is_clean(mesh):
            raise ValueError(f"{self.file}: the recipe does not give one closed solid")
        return mesh

    def encoded(self, mesh: Mesh) -> bytes:
        """The bytes of its file."""
        return encode("." + self.file.rpartition(".")[2], *mesh, colours=self.paint(mesh) if self.paint else None)


def readme(title: str, words: str, items: tuple[tuple[Item, Mesh], ...], *, note: str) -> str:
    """The table of a folder: a line for each file, with the extents and triangles it really has."""
    lines = [
        f"# {title}",
        "",
        words,
        "",
        f"| file | what it is | extents, mm | triangles | {note} |",
        "|---|---|---|---|---|",
    ]
    for item, (corners, triangles) in items:
        size = corners.max(axis=0) - corners.min(axis=0)
        extents = " x ".join(f"{v:.1f}" for v in size.tolist())
        lines.append(f"| `{item.file}` | {item.about} | {extents} | {len(triangles):,} | {item.note} |")
    return "\n".join(lines) + "\n"
