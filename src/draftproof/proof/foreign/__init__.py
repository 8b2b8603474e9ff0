"""Proofs of code that nobody here wrote: the exact law of an ordinary Python function."""

from draftproof.proof.foreign.merging import explore_merged
from draftproof.proof.foreign.program import explore_program
from draftproof.proof.foreign.report import Budget, ProgramLaw, Progress
from draftproof.proof.foreign.rounds import explore_rounds

__all__ = ["Budget", "ProgramLaw", "Progress", "explore_merged", "explore_program", "explore_rounds"]
