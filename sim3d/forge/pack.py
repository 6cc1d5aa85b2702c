"""The sample pack: fourteen pieces of scenery for minis about 40 mm tall on 27 mm bases, floors 60 mm apart."""

from __future__ import annotations

from sim3d.forge import cover, earth, house, pads, ruin, spans, timber
from sim3d.forge.item import Item

ITEMS = (
    Item("ruin.stl", ruin.ruin, "ruined house of two storeys: half the upper floor gone, windows, rubble, fallen slab",
         "3 ground (room 52), 60 upper floor, 120 corner of the attic; wall tops in steps of 6"),
    Item("broken-walls.stl", ruin.broken_walls, "corner of broken walls with a window and rubble",
         "2.4 ground; wall tops in steps of 6 up to 66"),
    Item("stairs.stl", spans.stairs, "stone stairs, eight steps of rise 7.5 and tread 16, worn and chipped, door below",
         "7.5, 15, … 52.5 the steps, 60 landing"),
    Item("bridge.stl", spans.bridge, "stone bridge, flags up to 0.4 uneven, a broken parapet, an arch to pass under",
         "60 deck; room of 51 under the crown, 128 wide at its foot"),
    Item("watch-tower.stl", timber.watch_tower, "timber tower, planks up to 0.5 uneven, ladder, rails, roof sloping 9°",
         "60 half deck (room 49), 120 deck (room 44 to 60), 171 to 189 roof"),
    Item("landing-pad.stl", pads.landing_pad, "octagonal pad with panel lines, lamps, a ramp of 23° and steps of 6",
         "30 deck, lines 0.6 deep, marks 0.4 high; 6, 12, 18, 24 steps"),
    Item("shuttle-ramp.stl", pads.shuttle_ramp, "boarding ramp of 27°, cleats every 9, up to a sill with a door frame",
         "60 sill (room 46), 120 top of the frame"),
    Item("domed-house.stl", house.domed_house, "house with a room, two domes, flat roof behind a parapet, outer steps",
         "3 room (ceiling 54), 60 roof, 67 parapet; 7.5, 15, … 60 steps"),
    Item("containers.stl", cover.containers, "two ribbed containers crossed, crates, barrels",
         "31.2 and 63.2 lids in frames 0.8 higher; 14, 16, 20, 36 crates; 20 barrels"),
    Item("barricade-bags.obj", cover.barricade_bags, "sandbags, 70 x 27 x 30", "about 30, uneven"),
    Item("barricade-plates.glb", cover.barricade_plates, "armoured barrier with hazard panels (painted), 70 x 27 x 30",
         "29.5, 10 wide, with rivets", paint=cover.paint_plates),
    Item("rocks.ply", earth.rocks, "six boulders leaning together, two with tops to stand on", "uneven, up to 62"),
    Item("hill.ply", earth.hill, "hill with a level crown, a walkable flank, terraces and cliffs",
         "about 44 crown, treads at about 16 and 30, foot 2"),
    Item("craters.ply", earth.craters, "churned ground with three craters", "uneven, 1 to 11"),
)  # fmt: skip
