"""Where the sources under test are: the checkout's, or what a wheel installed. Imports nothing of ours."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

_found = find_spec("sim3d")
assert _found is not None, "sim3d is not installed, and this is not its checkout"
assert _found.origin is not None
HOUSE = Path(_found.origin).parent
