"""Whatever the bytes, reading ends in a solid or a refusal: cut anywhere, bytes flipped, words and numbers swapped."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sim3d.forge.bad import glb, gltf_parts, model_xml, threemf
from sim3d.solid import Solid
from tests.hostile import EVERY, FEW, heard
from tests.spoiled import paths

calm = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
WORDS = ["", " ", "\0", "\xff", "-1", "1e999", "nan", "inf", "9" * 20, "0", "x", '"', "<", ">", "/", "-", "[", "{"]


def ends(tmp_path, name, data):
    """Read, it is a solid with facts to tell, or refused with at least one finding."""
    read = heard(tmp_path, name, data, limits=FEW)
    if isinstance(read, Solid):
        return json.dumps(read.facts()) != "{}" and read.inspected() is not None
    return not read.report.ok


@pytest.mark.parametrize("name", EVERY)
def test_cut_anywhere(tmp_path, name):
    whole = EVERY[name]
    for end in {0, 1, 2, 5, 20, 79, 80, 83, 84, 85, len(whole) - 1, *range(0, len(whole), max(1, len(whole) // 60))}:
        assert ends(tmp_path, name, whole[:end])


@pytest.mark.parametrize("name", EVERY)
@calm
@given(st.data())
def test_bytes_flipped(tmp_path, name, data):
    broken = bytearray(EVERY[name])
    spots = st.tuples(st.integers(0, len(broken) - 1), st.integers(0, 255))
    for spot, value in data.draw(st.lists(spots, min_size=1, max_size=6)):
        broken[spot] = value
    assert ends(tmp_path, name, bytes(broken))


@pytest.mark.parametrize("name", ["words.stl", "cube.obj", "cube.off", "words.ply", "cube.3mf", "cube.gltf"])
@calm
@given(st.data())
def test_words_swapped(tmp_path, name, data):
    text = model_xml() if name == "cube.3mf" else EVERY[name].decode("latin-1")
    tokens = re.split(r"([\s\"=/<>,:\[\]{}]+)", text)
    for _ in range(data.draw(st.integers(1, 3))):
        tokens[data.draw(st.integers(0, len(tokens) - 1))] = data.draw(st.sampled_from(WORDS))
    broken = "".join(tokens).encode("latin-1")
    assert ends(tmp_path, name, threemf(broken) if name == "cube.3mf" else broken)


ODD = ["null", "-1", "0", "1", "2", "3", "7", str(2**31), str(2**70), "1.5", "1e308", "-1e308", "true", "[]", "{}"]
odd = st.sampled_from([*ODD, "[0]", "[[0]]", '"x"', '""', '{"a": 1}'])


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_gltf_values_swapped(tmp_path, data):
    root, binary = gltf_parts()
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from([p for p in paths(root) if p]))
        where = root
        for key in path[:-1]:
            where = where[key]
        if data.draw(st.booleans()) and isinstance(where, dict):
            del where[path[-1]]
        else:
            where[path[-1]] = json.loads(data.draw(odd))
    assert ends(tmp_path, "a.glb", glb(root, binary))
