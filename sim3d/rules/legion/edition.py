"""`RRG2`: the rules reference, second edition, as a ruleset: its numbers, its options, its checks in their order."""

from __future__ import annotations

from sim3d.rules.legion import climb, cohesion, ending, movement, transport
from sim3d.rules.legion.ruleset import Ruleset

RRG2 = Ruleset(
    edition="rrg2",
    checks=(
        movement.move_not_for_unit,
        movement.move_not_standard,
        movement.move_engaged,
        movement.move_action_repeated,
        movement.move_actions_spent,
        movement.move_no_speed,
        movement.move_tool_too_fast,
        movement.move_not_from_notch,
        movement.move_bend_too_far,
        movement.move_beyond_tool,
        movement.move_off_path,
        movement.move_wrong_facing,
        movement.move_pivot_too_far,
        climb.climb_not_for_unit,
        climb.climb_no_contact,
        climb.climb_too_high,
        climb.climb_off_edge,
        climb.climb_no_room,
        transport.embark_not_for_unit,
        transport.embark_not_in_contact,
        movement.move_terrain_in_the_way,
        movement.move_drop_too_deep,
        movement.move_mini_in_the_way,
        movement.move_through_impassable,
        movement.move_way_not_free,
        ending.end_does_not_stand,
        ending.end_too_steep,
        ending.end_precarious,
        ending.end_blocked,
        ending.stand_undecided,
        ending.end_agreed_against,
        ending.end_on_mini,
        ending.end_on_token,
        ending.end_touches_enemy,
        cohesion.follower_too_far,
        cohesion.follower_wrong_facing,
        cohesion.follower_no_way,
        cohesion.follower_other_level,
        cohesion.follower_climb_too_high,
        cohesion.follower_off_terrain,
        cohesion.follower_not_nearest,
    ),
)
