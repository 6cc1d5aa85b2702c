"""Small hex boards for tests of the second game, every test case of the plan by its id, and its scenario files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from sim3d.finding import Finding
from sim3d.rules.hexes import SEED, Board, Cell, Hex, Move, Outcome, Ruleset, Unit, Wall, disc, play, scripted
from sim3d.rules.hexes.grid import neighbour

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "scenarios" / "hexes"
E, NE, NW, W, SW, SE = range(6)
Place = tuple[int, int]

P: tuple[Place, ...] = ((1, 0), (2, 0), (3, 0))
BACK: tuple[Place, ...] = ((-1, 0), (-2, 0), (-3, 0))
MUD = {(1, 0): ("difficult",)}
SCOUT = "scout deploy"

CASES: dict[str, Callable[[], None]] = {}
JUDGED: list[Outcome] = []  # what `yes` and `no` have held to their word, in order


def case(name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """A test case under its id, so that it can be run again with a clause made a no-op."""

    def kept(test: Callable[[], None]) -> Callable[[], None]:
        assert name not in CASES, name
        CASES[name] = test
        return test

    return kept


def unit(name: str, at: Place = (0, 0), facing: int = E, *traits: str, side: str = "red", **more: object) -> Unit:
    told = {"name": name, "side": side, "at": Hex(*at), "facing": facing, "traits": traits, **more}
    return Unit(**told)


def mara(*traits: str, at: Place = (0, 0), **more: object) -> Unit:
    """The unit that moves: speed 3, at (0, 0), facing east."""
    return unit("Mara", at, E, *traits, **more)


def foe(name: str, at: Place, facing: int, *traits: str, **more: object) -> Unit:
    return unit(name, at, facing, *traits, side="blue", **more)


def friend(name: str, at: Place, *traits: str, **more: object) -> Unit:
    return unit(name, at, E, *traits, **more)


def spear(*traits: str, **more: object) -> Unit:
    """An enemy at (1, 0) facing west: it engages whoever is at (0, 0)."""
    return foe("Spear", (1, 0), W, *traits, **more)


def guard(*traits: str) -> Unit:
    """An enemy beside the way: its zone holds (1, 0), (2, 0) and (1, -1)."""
    return foe("Guard", (2, -1), SW, *traits)


def board(
    *units: Unit,
    cells: Mapping[Place, tuple[str, ...]] | None = None,
    bad: tuple[Place, ...] = (),
    walls: Mapping[tuple[Place, int], float] | None = None,
    radius: int = 5,
    phase: str = "activations",
    first: str = "red",
) -> Board:
    """Open hexes around (0, 0); `cells` have keywords, `bad` carry no base, `walls` by hex and direction, both ways."""
    hexes = {h: Cell((cells or {}).get((h.q, h.r), ()), (h.q, h.r) not in bad) for h in disc(Hex(0, 0), radius)}
    raised = {}
    for (at, way), high in (walls or {}).items():
        there = neighbour(Hex(*at), way)
        raised[Hex(*at), there] = Wall(high, 0.0)
        raised[there, Hex(*at)] = Wall(0.0, high)
    return Board(hexes, raised, units, first=first, phase=phase)


def shove(*units: Unit, **more: object) -> Board:
    return board(*units, phase="push a", **more)


def go(
    on: Board, *path: Place, who: str = "Mara", ruleset: Ruleset = SEED, faces: tuple[int, ...] = (), **more: object
) -> Outcome:
    """Play a move along a path; dice come up as `faces`."""
    move = Move(who, path=tuple(Hex(*p) for p in path), **more)
    return play(move, on, ruleset, roll=scripted(faces))


def fly(on: Board, to: Place, *, kind: str = "move", **more: object) -> Outcome:
    return play(Move("Mara", kind, to=Hex(*to), **more), on, SEED)


def pushed(at: Board, *path: Place, **more: object) -> Outcome:
    return go(at, *(path or ((-1, 0),)), kind="gods push", **more)


def said(outcome: Outcome) -> tuple[Finding, ...]:
    """Everything an outcome tells."""
    return (*outcome.findings, *outcome.events)


def codes(outcome: Outcome) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f.code for f in said(outcome)))


def told(outcome: Outcome) -> tuple[bool, Place, bool]:
    """Legal, where it ends, whether melee is left."""
    return outcome.legal, (outcome.end.q, outcome.end.r), outcome.melee


def no(outcome: Outcome, *wanted: str) -> None:
    """Not legal, for exactly these reasons, and nothing has changed."""
    assert codes(outcome) == wanted, (codes(outcome), [str(f) for f in outcome.findings])
    assert not outcome.legal
    JUDGED.append(outcome)


def yes(outcome: Outcome, end: Place, *, melee: bool = True, stopped: tuple[str, ...] = ()) -> None:
    """Legal, ending there, with or without melee, stopped by these."""
    assert told(outcome) == (True, end, melee), (told(outcome), [str(f) for f in outcome.findings])
    assert outcome.made.stopped_by == stopped
    assert outcome.board.unit(outcome.made.unit.name).at[:2] == end
    JUDGED.append(outcome)
