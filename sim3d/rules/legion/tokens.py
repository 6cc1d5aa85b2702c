"""Tokens by their kind: which ones nobody ends on (MV13); a kind that the game does not know is refused."""

from __future__ import annotations

from collections.abc import Iterable

from sim3d.finding import Finding, Hit, Severity, check
from sim3d.rules.legion.ruleset import Ruleset
from sim3d.table import Table, Token

OBJECTIVES = ("objective", "condition", "asset", "poi")  # nobody ends on these; the last two are later words for one
FREE = (  # these lie beside whom they are about, or are moved out of the way
    "aim", "charge", "commander", "damage", "dodge", "immobilize", "ion", "observation", "order", "panic", "poison",
    "shield", "smoke", "standby", "suppression", "surge", "wound", "other",
)  # fmt: skip


def kept_clear(token: Token, ruleset: Ruleset) -> bool:
    """Whether nobody may end on a token (MV13)."""
    return token.kind in OBJECTIVES or (not token.kind and ruleset.options.plain_token == "objective")


@check("TOKEN_KIND_UNKNOWN", Severity.ERROR, "token {token!r}: {kind!r} is no kind of token; there are: {known}")
def token_kind_unknown(token: str, kind: str, known: str) -> Iterable[Hit]:
    """A token's kind is no word of the game.

    Why: a misspelt objective would count as free in silence, and a mini could end on it. Example: `kind = "objectve"`.
    Do: correct the word; for a token in nobody's way that the game has no word for, write other.
    """
    yield Hit(token=token, kind=kind, known=known)


def token_faults(table: Table) -> Iterable[Finding]:
    """Every kind of a table's tokens that means nothing; one that nobody told is read as the ruleset says."""
    for i, token in enumerate(table.tokens):
        if token.kind and token.kind not in (*OBJECTIVES, *FREE):
            told = {"token": token.name, "kind": token.kind, "known": ", ".join((*OBJECTIVES, *FREE))}
            yield token_kind_unknown.hit(**told, pointer=f"/token/{i}/kind")
