"""The checks of the second game, in the words a player hears: each tells what the working out of a move has met."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sim3d.finding import Check, Hit, Severity, check
from sim3d.rules.hexes.move import Made


def _met(made: Made, code: str) -> Iterator[Hit]:
    """What was met on the way under a code."""
    for fault in made.faults:
        if fault.code == code:
            yield Hit(**{"rules": "", **fault.numbers})


@check("HEX_LOCKED", Severity.ERROR, "{unit} is locked by {who}: no Move Action")
def hex_locked(made: Made) -> Iterable[Hit]:
    """A unit that a Lockdown unit engages takes no Move Action, turns included (HX06a).

    Why: it cannot leave while it is in that zone. Example: Lockdown faces it, one hex west. Do: displace it by other
    means, or leave by a Trample where the unit could leave without the lock.
    """
    yield from _met(made, "HEX_LOCKED")


@check("HEX_NOT_ADJACENT", Severity.ERROR, "{at} is not next to {before}")
def hex_not_adjacent(made: Made) -> Iterable[Hit]:
    """A path goes from hex to neighbouring hex.

    Why: a Move Action enters hexes one by one. Example: (0, 0), then (2, 0). Do: name every hex of the way.
    """
    yield from _met(made, "HEX_NOT_ADJACENT")


@check("HEX_OFF_BOARD", Severity.ERROR, "{at} is not on the board")
def hex_off_board(made: Made) -> Iterable[Hit]:
    """A unit stays on the board.

    Why: there is no such hex, or no such level of it. Example: (9, 9) on a board of radius 5. Do: end where there is
    a hex.
    """
    yield from _met(made, "HEX_OFF_BOARD")


@check("HEX_IMPASSABLE", Severity.ERROR, "{at} is impassable")
def hex_impassable(made: Made) -> Iterable[Hit]:
    """Nobody enters an impassable hex.

    Why: a cliff, a lake, a hole in the terrain, or walls all around. Example: a building. Do: go round it, or fly
    over it.
    """
    yield from _met(made, "HEX_IMPASSABLE")


@check("HEX_WALL", Severity.ERROR, "between {before} and {at} is {wall}")
def hex_wall(made: Made) -> Iterable[Hit]:
    """Steep ground higher than a step closes a hexside (HX13).

    Why: the terrain has a wall there; where nothing joins two hexes, there is no way at all. Example: a terrace of
    25 mm. Do: go round it, or fly.
    """
    yield from _met(made, "HEX_WALL")


@check("HEX_OCCUPIED", Severity.ERROR, "{who} is on {at}, and {unit} cannot pass")
def hex_occupied(made: Made) -> Iterable[Hit]:
    """Nobody moves through an occupied hex without a trait for it.

    Why: one unit a hex; friends pass with Skirmish, Infantry and Swarm are passed by Trample. Example: a friend in
    the way, and neither has Skirmish. Do: go round.
    """
    yield from _met(made, "HEX_OCCUPIED")


@check("HEX_ONE_HEX", Severity.ERROR, "{unit} began Engaged ({who}): it has one hex, and {at} is another")
def hex_one_hex(made: Made) -> Iterable[Hit]:
    """A unit that starts its activation Engaged moves one hex at most.

    Why: it has no normal Move Action. Example: two hexes away from the enemy. Do: move one hex, or use Breakaway or
    Unstoppable.
    """
    yield from _met(made, "HEX_ONE_HEX")


@check("HEX_TOO_FAR", Severity.ERROR, "{at} takes {points} movement points, {unit} has {has}")
def hex_too_far(made: Made) -> Iterable[Hit]:
    """A move costs no more than the unit's movement points.

    Why: each hex costs 1, a Difficult one 2; the first is always to be had. Example: two Difficult hexes at speed 2.
    Do: stop sooner.
    """
    yield from _met(made, "HEX_TOO_FAR")


@check("HEX_PAST_ZONE", Severity.ERROR, "entering {at} ended the move, in the zone of {who}; it cannot go on to {to}")
def hex_past_zone(made: Made) -> Iterable[Hit]:
    """Entering an empty hex in an enemy's zone ends the Move Action (HX01b, HX06b, HX07c, HX07d).

    Why: nothing lets this unit pass this zone. Example: three hexes past a spear wall. Do: stop there, or go round.
    """
    yield from _met(made, "HEX_PAST_ZONE")


@check("HEX_END_OCCUPIED", Severity.ERROR, "{unit} cannot end on {at}: {who} is there")
def hex_end_occupied(made: Made) -> Iterable[Hit]:
    """Nobody ends a move in an occupied hex (HX09b).

    Why: one unit a hex, whoever may pass. Example: on a friend, with Skirmish. Do: go on, or stop before.
    """
    yield from _met(made, "HEX_END_OCCUPIED")


@check("HEX_END_UNSTANDABLE", Severity.ERROR, "the base of {unit} does not stand on {at}")
def hex_end_unstandable(made: Made) -> Iterable[Hit]:
    """Nobody ends a move where the base does not stand on the terrain (HX13).

    Why: it would fall, slide, lean over 45 degrees, or nobody can say. Example: half over the lip of a terrace. Do:
    cross it and end elsewhere.
    """
    yield from _met(made, "HEX_END_UNSTANDABLE")


@check("HEX_FLIGHT_BARRED", Severity.ERROR, "{unit} cannot fly: {reason}")
def hex_flight_barred(made: Made) -> Iterable[Hit]:
    """A flight takes the trait, and nobody takes off while Engaged (HX03b).

    Why: an Engaged unit has one hex. Example: an enemy's zone holds it. Do: step out first.
    """
    yield from _met(made, "HEX_FLIGHT_BARRED")


@check("HEX_FLIGHT_TOO_FAR", Severity.ERROR, "{unit} flies at most {far}, not {hexes}")
def hex_flight_too_far(made: Made) -> Iterable[Hit]:
    """A flight goes as many hexes as the unit has movement points (HX03a).

    Why: its range is its speed. Example: four hexes at speed 3. Do: land sooner.
    """
    yield from _met(made, "HEX_FLIGHT_TOO_FAR")


@check("HEX_SCOUT_BARRED", Severity.ERROR, "{unit} cannot scout: {reason}")
def hex_scout_barred(made: Made) -> Iterable[Hit]:
    """One free Move Action before the game, with Scout Deploy, in the owner's step (HX08a).

    Why: player B's scouts go first, then player A's. Example: a second move of the same unit. Do: wait for the step,
    or leave it.
    """
    yield from _met(made, "HEX_SCOUT_BARRED")


@check("HEX_SCOUT_ENGAGED", Severity.ERROR, "{unit} would end on {at}, Engaged by {who}")
def hex_scout_engaged(made: Made) -> Iterable[Hit]:
    """A scout's move does not end in an enemy's zone (HX08b).

    Why: nobody begins the game Engaged by scouting. Example: the hex before a spear wall. Do: stop one hex before, or
    pass the zone.
    """
    yield from _met(made, "HEX_SCOUT_ENGAGED")


@check("HEX_WRONG_STEP", Severity.ERROR, "{unit} cannot do this now: {reason}")
def hex_wrong_step(made: Made) -> Iterable[Hit]:
    """Every move has its step in the round.

    Why: a unit is activated once a round, and the God's Push comes after the activations. Example: a Move Action of a
    unit that was activated. Do: wait for its step.
    """
    yield from _met(made, "HEX_WRONG_STEP")


@check("HEX_NOT_ELIGIBLE", Severity.ERROR, "{unit} is not eligible for the God's Push: {reason}")
def hex_not_eligible(made: Made) -> Iterable[Hit]:
    """The God's Push moves a unit that was not activated and is not Engaged (HX02b).

    Why: Combat Shift waives Engaged for a unit that was not activated, Tireless waives activated. Example: an Engaged
    unit without Combat Shift. Do: nominate another unit.
    """
    yield from _met(made, "HEX_NOT_ELIGIBLE")


@check("HEX_PUSH_LIMIT", Severity.ERROR, "{who} was nominated; a player nominates {most}, each once")
def hex_push_limit(made: Made) -> Iterable[Hit]:
    """A player nominates so many units in a God's Push, and each once.

    Why: the limit is an option of the ruleset. Example: a second unit. Do: leave it.
    """
    yield from _met(made, "HEX_PUSH_LIMIT")


@check("HEX_IMMOVABLE", Severity.ERROR, "{unit} is Immovable: no {what} by {by}")
def hex_immovable(made: Made) -> Iterable[Hit]:
    """An enemy cannot push, displace or teleport an Immovable unit (HX05a, HX05b, HX05c).

    Why: only its own side moves it. Example: a push after a lost melee. Do: leave it where it is.
    """
    yield from _met(made, "HEX_IMMOVABLE")


@check("HEX_NOT_RETREAT", Severity.ERROR, "{at} is not behind {unit}")
def hex_not_retreat(made: Made) -> Iterable[Hit]:
    """A push goes into the loser's Retreat Arc: the three hexes at its rear.

    Why: it falls back from its front. Example: sideways. Do: choose one of the three.
    """
    yield from _met(made, "HEX_NOT_RETREAT")


@check("HEX_SHOVED_TOO_FAR", Severity.ERROR, "a {what} moves {unit} at most {far}, not {hexes}")
def hex_shoved_too_far(made: Made) -> Iterable[Hit]:
    """A push, a displacement and a God's Push move one hex; a teleport has its range.

    Why: they are no Move Actions. Example: two hexes. Do: choose a nearer hex.
    """
    yield from _met(made, "HEX_SHOVED_TOO_FAR")


@check("HEX_NO_PIVOT", Severity.ERROR, "a {what} does not turn {unit}{still}")
def hex_no_pivot(made: Made) -> Iterable[Hit]:
    """A unit that is moved by others keeps its facing.

    Why: the final pivot belongs to a Move Action; a God's Push allows one after its hex, none without. Example: a
    pushed unit that turns round. Do: leave the facing out.
    """
    yield from _met(made, "HEX_NO_PIVOT")


@check("HEX_TRAMPLE_REROLLED", Severity.ERROR, "{unit} tramples: those dice are not rolled again")
def hex_trample_rerolled(made: Made) -> Iterable[Hit]:
    """The dice of a Trample cannot be rerolled (HX11c).

    Why: the trait says so. Example: a 2 that is rolled again. Do: keep what came up.
    """
    yield from _met(made, "HEX_TRAMPLE_REROLLED")


@check("HEX_MELEE_LOST", Severity.ERROR, "{unit} cannot attack {who}: {reason}")
def hex_melee_lost(made: Made) -> Iterable[Hit]:
    """Passing a zone by Nimble, leaving or passing one by Unstoppable, costs the melee attack (HX07b, HX12c).

    Why: so does a unit that left by its one hex. Example: a raider that ran through a zone. Do: move without passing,
    or do not attack.
    """
    yield from _met(made, "HEX_MELEE_LOST")


@check("HEX_STRIKE_OUT_OF_REACH", Severity.ERROR, "{unit} at {at} does not reach {who}")
def hex_strike_out_of_reach(made: Made) -> Iterable[Hit]:
    """A melee attack is made on an enemy in an adjacent hex, without a wall as high as the unit between them.

    Why: it strikes what is before it. Example: two hexes away. Do: end next to the target.
    """
    yield from _met(made, "HEX_STRIKE_OUT_OF_REACH")


CHECKS: tuple[Check, ...] = (
    hex_locked,
    hex_not_adjacent,
    hex_off_board,
    hex_impassable,
    hex_wall,
    hex_occupied,
    hex_one_hex,
    hex_too_far,
    hex_past_zone,
    hex_end_occupied,
    hex_end_unstandable,
    hex_flight_barred,
    hex_flight_too_far,
    hex_scout_barred,
    hex_scout_engaged,
    hex_wrong_step,
    hex_not_eligible,
    hex_push_limit,
    hex_immovable,
    hex_not_retreat,
    hex_shoved_too_far,
    hex_no_pivot,
    hex_trample_rerolled,
    hex_melee_lost,
    hex_strike_out_of_reach,
)
