"""`Certificate`: what proves a verdict's word without the code that found it; `sim3d.check` reads it, anybody may.

Places are millimetres on the table, forces shares of the weight, moments are about the centre of mass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sim3d.space import Pose

Three = tuple[float, float, float]
DIGITS = 12  # after the point: a proof's balance is looked at to the sixth


@dataclass(frozen=True, slots=True)
class Contact:
    """Where the base touches: place in mm, the normal the force acts along, its share of the weight, on which piece."""

    place: Three
    normal: Three
    load: float
    force: Three
    piece: str


@dataclass(frozen=True, slots=True)
class Nudged:
    """Where the base leans to when gravity leans: towards where (degrees from +x), the pose, what carries which share.

    Friction is unlimited there, so the forces are the shares of the weight, straight against that gravity.
    """

    towards_deg: float
    pose: Pose
    places: tuple[Three, ...]
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Certificate:
    """The pose and what proves the word about it.

    At rest: the contacts with forces that balance the weight; for "stable" also where each nudge leads. "slides": the
    motion (a velocity of the centre of mass in mm, a spin in radians) that gravity drives and no contact can hold up.
    "topples": the pose is the tilt tried last, `beyond` the horizontal direction in which nothing carries there,
    or the one in which it goes over, that tilt being 48 degrees or more;
    on its way from level it passes the tilts whose normals are `through`, mostly none: straight.
    """

    pose: Pose
    contacts: tuple[Contact, ...] = ()
    nudged: tuple[Nudged, ...] = ()
    motion: tuple[Three, Three] | None = None
    beyond: tuple[float, float] | None = None
    through: tuple[Three, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON, as exact as proofs are read; without what there is none of or was said before."""
        out: dict[str, Any] = {"pose": _posed(self.pose)}
        if self.contacts:
            out["contacts"] = [
                {"place": _said(c.place), "normal": _said(c.normal), "force": _said(c.force), "piece": c.piece}
                for c in self.contacts
            ]
        if self.nudged:
            out["nudged"] = [
                {"towards_deg": n.towards_deg}
                | ({} if n.pose == self.pose else {"pose": _posed(n.pose)})
                | {"places": [_said(p) for p in n.places], "shares": _said(n.shares)}
                for n in self.nudged
            ]
        if self.motion is not None:
            out["motion"] = [_said(part) for part in self.motion]
        if self.beyond is not None:
            out["beyond"] = _said(self.beyond)
        if self.through:
            out["through"] = [_said(up) for up in self.through]
        return out

    @staticmethod
    def of_dict(data: Mapping[str, Any]) -> Certificate:
        """The certificate again from what `as_dict` made of it.

        >>> one = Certificate(Pose.at(1, 2, 3), beyond=(0.6, 0.8))
        >>> Certificate.of_dict(one.as_dict()) == one
        True
        """
        pose, motion, beyond = _pose_of(data["pose"]), data.get("motion"), data.get("beyond")
        return Certificate(
            pose,
            tuple(
                Contact(_three(c["place"]), _three(c["normal"]), float(c["force"][2]), _three(c["force"]), c["piece"])
                for c in data.get("contacts", ())
            ),
            tuple(
                Nudged(
                    float(n["towards_deg"]),
                    _pose_of(n["pose"]) if "pose" in n else pose,
                    tuple(_three(p) for p in n["places"]),
                    tuple(float(s) for s in n["shares"]),
                )
                for n in data.get("nudged", ())
            ),
            None if motion is None else (_three(motion[0]), _three(motion[1])),
            None if beyond is None else (float(beyond[0]), float(beyond[1])),
            tuple(_three(up) for up in data.get("through", ())),
        )


def _posed(pose: Pose) -> dict[str, list[float]]:
    return {"place": _said(pose.place), "spin": _said(pose.spin)}


def _said(numbers: tuple[float, ...]) -> list[float]:
    return [round(v, DIGITS) + 0.0 for v in numbers]


def _pose_of(data: Mapping[str, Any]) -> Pose:
    w, x, y, z = (float(v) for v in data["spin"])
    return Pose(_three(data["place"]), (w, x, y, z))


def _three(values: Any) -> Three:
    x, y, z = (float(v) for v in values)
    return x, y, z
