"""What a unit can do in its activation, by name: the move actions, what is no action at all, and the other ones."""

from __future__ import annotations

# the move actions (MV17); the first one is the standard move, the next three lay a tool, too
STANDARD = "standard"
LAID = ("standard", "reverse", "strafe left", "strafe right")
CLAMBER = "clamber"  # the one that rolls dice
VERTICAL = ("climb", CLAMBER)
KINDS = (*LAID, "pivot", *VERTICAL, "embark", "disembark")
BY_TOOL = (*LAID, "embark", "disembark")
DEPLOY = "deploy"  # no action at all: a unit is set down, its leader first, or asked about as it stands
BAIL_OUT = "bail out"  # no action either: who was aboard of a vehicle that is destroyed is set down beside it
NO_ACTION = (DEPLOY, BAIL_OUT)
ABOARD = ("embark", "disembark", BAIL_OUT)  # onto a vehicle and off it
OTHER_ACTIONS = ("aim", "attack", "dodge", "recover", "standby")  # each once in an activation (MV07)
