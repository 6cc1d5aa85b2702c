"""The terrain as a base meets it: `Ground` finds the triangles under a footprint, `Foot` is the footprint, compiled."""

from sim3d.ground.foot import Foot
from sim3d.ground.patch import Ground, ground_of

__all__ = ["Foot", "Ground", "ground_of"]
