"""`Viewer`: whoever shows a story, moment by moment; and `Teller`, the one that shows nothing and tells it as text."""

from __future__ import annotations

from typing import IO, Protocol

from sim3d.view.scene import Moment, Story


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
    """The null viewer: the same story as text, needing no screen."""

    def __init__(self, out: IO[str]) -> None:
        self.out = out

    def open(self, story: Story) -> None:
        """Its title, and what it is about."""
        self.out.write(f"{story.title}  {story.about}".rstrip() + "\n")

    def moment(self, moment: Moment) -> bool:
        """Its title and its lines."""
        self.out.write(f"  {moment.title}\n")
        self.out.writelines(f"      {line}\n" for line in moment.lines)
        return True

    def close(self) -> None:
        """Nothing is left open."""
