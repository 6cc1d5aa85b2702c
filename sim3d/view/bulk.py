"""Arrays for a page: packed one after the other, compressed together, and referred to by where they begin."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

from sim3d.space import Floats, Ints

KINDS = {"u1": np.uint8, "u2": np.uint16, "u4": np.uint32, "f4": np.float32}
NOWHERE = 65535  # in sixteen bits: there is no such number
SIDE = 65535  # steps along each side of a mesh's box


class Bulk:
    """Takes arrays, gives references (kind, first byte, how many)."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.size = 0

    def put(self, kind: str, values: Any) -> list[Any]:
        """An array, each number in the kind's bytes."""
        data = np.ascontiguousarray(values, dtype=KINDS[kind])
        reference = [kind, self.size, int(data.size)]
        block = data.tobytes()
        block += b"\0" * (-len(block) % 4)  # every array begins where any kind may
        self.parts.append(block)
        self.size += len(block)
        return reference

    def mesh(self, vertices: Floats, faces: Ints) -> dict[str, Any]:
        """A mesh, its corners in sixteen bits along each side of its box: a metre is off by 8 thousandths of a mm."""
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        step = np.maximum((high - low) / SIDE, 1e-9)
        few = len(vertices) <= NOWHERE
        return {
            "corners": self.put("u2", np.round((vertices - low) / step)),
            "faces": self.put("u2" if few else "u4", faces),
            "low": low.tolist(),
            "step": step.tolist(),
        }

    def hundredths(self, values: Floats) -> list[Any]:
        """Numbers from 0 to 655 in hundredths; larger ones are as large as that, NaN is `NOWHERE`."""
        return self.sixteen(values, 0.0, 0.01)

    def sixteen(self, values: Floats, low: float, step: float) -> list[Any]:
        """Numbers in steps from a lowest one; NaN is `NOWHERE`."""
        known = np.isfinite(values)
        steps = np.clip(np.round((np.where(known, values, low) - low) / step), 0, NOWHERE - 1)
        return self.put("u2", np.where(known, steps, NOWHERE))

    def text(self) -> str:
        """Everything, compressed, in letters."""
        return base64.b64encode(zlib.compress(b"".join(self.parts), 9)).decode("ascii")
