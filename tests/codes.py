"""The two words every code is tested with: it fires here, it is silent there. The house test reads the literals."""

from __future__ import annotations

from collections.abc import Iterable

from sim3d.finding import Finding, Refused, Report


def codes_of(seen: Report | Refused | Iterable[Finding]) -> tuple[str, ...]:
    """Each code once, in order."""
    findings = seen.report if isinstance(seen, Refused) else seen
    return tuple(dict.fromkeys(f.code for f in findings))


def fires(code: str, seen: Report | Refused | Iterable[Finding]) -> bool:
    """The code is among the findings; where it is not, the failure says what is."""
    codes = codes_of(seen)
    assert code in codes, f"{code} did not fire; what did: {codes or 'nothing'}"
    return True


def silent(code: str, seen: Report | Refused | Iterable[Finding]) -> bool:
    """The code is not among the findings; where it is, the failure says what else is."""
    codes = codes_of(seen)
    assert code not in codes, f"{code} fired on a near miss; findings: {codes}"
    return True


def both(code: str, *cases: tuple[str, int]) -> tuple[object, ...]:
    """A row of a parametrized test: a code, where it has to fire, where it has to be silent."""
    return (code, *cases)
