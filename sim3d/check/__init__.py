"""`check()`: a verdict's word proven again from its certificate, by code that shares nothing with the solver."""

from sim3d.check.proofs import CheckFailed, check

__all__ = ["CheckFailed", "check"]
