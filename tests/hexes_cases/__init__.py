"""The test cases of the traits, one function each, by id: test_hexes_cases.py runs them, others break them."""

from tests.hexes_cases import others, ways, zones

__all__ = ["others", "ways", "zones"]
