"""`Viewer`: whoever shows a story, moment by moment; and `Teller`, the one that shows nothing and tells it as text."""

from __future__ import annotations

import math
from typing import IO, Protocol

from sim3d.view.scene import Figure, Moment, Story


class Viewer(Protocol):
    """Shows a story: opened once, then each moment in its order, then closed, also after an error."""

    def open(self, story: Story) -> None:
        """A story begins."""
        ...

    def moment(self, moment: Moment) -> bool:
        """Show one moment, its motions first; False: nobody looks any more, the rest need not be shown."""
        ...

    def close(self) -> None:
        """It is over."""
        ...


def tell(story: Story, viewer: Viewer) -> None:
    """The whole story to a viewer."""
    viewer.open(story)
    try:
        for moment in story.moments:
            if not viewer.moment(moment):
                break
    finally:
        viewer.close()


class Teller:
    """The null viewer: the same story as text, what is said and what is seen, needing no screen."""

    def __init__(self, out: IO[str]) -> None:
        self.out = out
        self.seen: dict[str, str] = {}

    def open(self, story: Story) -> None:
        """What it is about."""
        self.seen = {}
        self.out.write(f"{story.about}\n")

    def moment(self, moment: Moment) -> bool:
        """What is said of it, then every figure that is not where it was, and everything marked."""
        told, scene = moment.told, moment.scene
        lines = [f"  {told.headline()}", *(f"      {line}" for line in (*told.lines, *told.failed))]
        now = {figure.name: _placed(figure) for figure in scene.figures}
        lines += [f"    {name} {said}" for name, said in now.items() if self.seen.get(name) != said]
        lines += [f"    {name} is gone" for name in self.seen if name not in now]
        lines += [f"    {motion.figure} moves: {motion.about}" for motion in moment.motions]
        marks = [(area.layer, area.about) for area in scene.areas if area.about]
        marks += [(line.layer, line.about) for line in scene.lines if line.about]
        for layer in dict.fromkeys(layer for layer, _ in marks):
            lines.append(f"    {layer}: {'; '.join(about for other, about in marks if other == layer)}")
        self.seen = now
        self.out.writelines(f"{line}\n" for line in lines)
        return True

    def close(self) -> None:
        """Nothing is left open."""


def _placed(figure: Figure) -> str:
    """Where a figure is, how it leans, what it stands on."""
    x, y, z = figure.pose.place
    up = float(figure.pose.rotation()[2, 2])
    lean = math.degrees(math.acos(min(1.0, max(-1.0, up))))
    said = f"at {x:.1f}, {y:.1f}, {z:.1f}" + (f", leaning {lean:.1f}°" if lean >= 0.05 else "")
    said += f": {figure.word}" if figure.word else ""
    if not figure.rests:
        return f"{said}, without a rest"
    forces = figure.forces
    on = ", ".join(dict.fromkeys(force.piece for force in forces))
    return f"{said}, on {on}: {len(forces)} contacts, {len(figure.support)} corners" if forces else said
