"""The clauses of the second game in our own words, by id; `docs/rulebook-hexes.md` is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

RULES: Mapping[str, str] = MappingProxyType(
    {
        "HX01a": "Breakaway: a unit whose activation begins Engaged takes its whole Move Action all the same, and may "
        "attack afterwards. The waiver is for leaving the hex it begins on, for nothing else.",
        "HX01b": "Breakaway: from its first hex on it moves as any unit does: entering an enemy's front arc ends it.",
        "HX02a": "Combat Shift: the unit may be nominated in the God's Push although it is Engaged.",
        "HX02b": "Combat Shift: but only as long as it was not activated this round.",
        "HX03a": "Flying: the Move Action may be a teleport instead, to any free hex within the unit's speed.",
        "HX03b": "Flying: not while an enemy engages it.",
        "HX04a": "Ignore Difficult: a Difficult hex costs no more than any other.",
        "HX04b": "Ignore Difficult: terrain with No Charge, at the attacker or at the target, leaves its charge alone.",
        "HX05a": "Immovable: no enemy pushes it.",
        "HX05b": "Immovable: no enemy displaces it.",
        "HX05c": "Immovable: no enemy teleports it.",
        "HX06a": "Lockdown: an enemy that this unit engages takes no Move Action, turns on the spot included.",
        "HX06b": "Lockdown: in its zone Harass does nothing.",
        "HX06c": "Lockdown: it holds back no displacement and no teleport; a unit that could leave but for the lock "
        "may do so over infantry or a swarm that it tramples first.",
        "HX07a": "Nimble: entering an enemy's zone does not end the move.",
        "HX07b": "Nimble: having left a zone that it had entered so, it makes no melee attack in this activation.",
        "HX07c": "Nimble: in the zone of a Lockdown unit it does nothing.",
        "HX07d": "Nimble: it does nothing in an activation that began Engaged.",
        "HX08a": "Scout Deploy: one free Move Action before the game, in its owner's step: player B first, then A.",
        "HX08b": "Scout Deploy: that move does not end where an enemy engages the unit.",
        "HX09a": "Skirmish: the unit and its friends pass through each other's hexes.",
        "HX09b": "Skirmish: whoever may pass, no Move Action ends in an occupied hex.",
        "HX10": "Tireless: the God's Push may move the unit one hex although it was activated this round.",
        "HX11a": "Trample: the unit passes through hexes that infantry or swarms hold, friend or enemy.",
        "HX11b": "Trample: at the end of the action an attack die for each enemy hex passed; a success is a wound.",
        "HX11c": "Trample: those dice are not rolled again.",
        "HX12a": "Unstoppable: the unit takes its Move Action although its activation began Engaged.",
        "HX12b": "Unstoppable: it need not stop in an enemy's zone.",
        "HX12c": "Unstoppable: having needed either, it makes no melee attack for the rest of its activation.",
        "HX13": "Terrain is baked onto the hexes: heights, slopes and walls come from the same meshes, and a base "
        "stands on a hex only if the physical verdict is a plain yes. No move ends where it does not.",
    }
)
