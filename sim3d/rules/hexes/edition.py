"""The editions: `SEED`, the text we were given, and `CURRENT`, what a newer crawl of the same pages revises."""

from __future__ import annotations

from sim3d.rules.hexes.checks import CHECKS
from sim3d.rules.hexes.ruleset import CURRENT_TERRAIN, Options, Ruleset

SEED = Ruleset(edition="seed", checks=CHECKS)
CURRENT = Ruleset(
    edition="current",
    options=Options(lockdown_trample_exception=False, lockdown_stops_unstoppable=True),
    terrain=CURRENT_TERRAIN,
    checks=CHECKS,
)
EDITIONS = {ruleset.edition: ruleset for ruleset in (SEED, CURRENT)}
