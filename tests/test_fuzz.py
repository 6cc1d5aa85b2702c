"""Every door for strangers' files and words, tried for a moment: an answer or a refusal in words, nothing else.

The same inputs on every run. `SIM3D_FUZZ=nightly python -m pytest tests/test_fuzz.py` tries others, two hundred times
as many; `python benchmarks/fuzz.py --minutes 60` is guided by coverage. Readers of meshes are in `test_solid_fuzz.py`.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from sim3d.atlas import Atlas
from sim3d.mini import Base
from tests.fuzzing import TARGETS, saved_map, worded

HERE = [name for name, target in TARGETS.items() if not target.seeds or name == "maps"]
common: dict[str, Any] = {"deadline": None, "database": None, "suppress_health_check": list(HealthCheck)}
settings.register_profile("ci", max_examples=25, derandomize=True, **common)
settings.register_profile("nightly", max_examples=5000, **common)
LENGTH = settings.get_profile(os.environ.get("SIM3D_FUZZ", "ci"))


@pytest.mark.parametrize("name", HERE)
def test_an_answer_or_a_refusal(name: str) -> None:
    target = TARGETS[name]
    tried = 0

    @settings(LENGTH)
    @given(target.made)
    def test(made: Any) -> None:
        nonlocal tried
        tried += 1
        with tempfile.TemporaryDirectory() as folder:
            assert target.tries(Path(folder), made) == []

    test()
    assert tried >= 20


def test_what_breaks_the_law_is_told() -> None:
    assert worded(ValueError("it is too large")) == []
    assert worded(ValueError()) == ["refused without a word: ValueError()"]


# --- found by fuzzing -------------------------------------------------------------------------------------------------


def test_a_base_of_infinite_thickness_is_refused() -> None:
    with pytest.raises(ValueError, match="over 0 and at most 1000 mm thick, got inf"):
        Base.named("rect50x25-thick" + "9" * 400)


def test_a_map_with_a_byte_gone_is_refused(tmp_path: Path) -> None:
    whole = saved_map()
    path = tmp_path / "a.npz"
    path.write_bytes(whole)
    assert Atlas.load(path).shape == (1, 2)
    for end in range(0, len(whole), 40):
        path.write_bytes(whole[:end])
        with pytest.raises(ValueError, match=r"a\.npz"):
            Atlas.load(path)
