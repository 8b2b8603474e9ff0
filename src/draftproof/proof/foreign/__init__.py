"""Proofs of code that nobody here wrote: the exact law of an ordinary Python function."""

from draftproof.proof.foreign.program import Budget, ProgramLaw, Progress, explore_program

__all__ = ["Budget", "ProgramLaw", "Progress", "explore_program"]
