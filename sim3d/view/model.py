"""A scene as a GLB: every piece and every mini a node of its own under its name, in the colours of the pictures."""

from __future__ import annotations

from sim3d.solid.write import Part, glb
from sim3d.view.picture import Shape
from sim3d.view.scene import Scene
from sim3d.view.tableau import ground_of, shapes_of_pieces


def glb_of_scene(scene: Scene) -> bytes:
    """The bytes of the file; `ValueError` where there is nothing to show."""
    shapes: list[tuple[str, Shape]] = list(shapes_of_pieces(scene.table))
    ground = ground_of(scene)
    if ground is not None:
        shapes.append(("table", ground))
    for figure in scene.figures:
        for part, shape in zip(("base", "body"), figure.shapes(), strict=True):
            shapes.append(
                (f"{figure.name} {part}", Shape(figure.pose.apply(shape.vertices), shape.faces, shape.colour))
            )
    if not shapes:
        raise ValueError("there is nothing to show: no piece, no mini and no floor")
    return glb([Part(name, shape.vertices, shape.faces, shape.colour) for name, shape in shapes])
