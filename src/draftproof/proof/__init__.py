"""Proofs: the exact law of a rule, of the whole loop, and whether a part keeps its protocol."""

from draftproof.proof.assertions import assert_decodes_exactly, assert_exact
from draftproof.proof.conformance import assert_drafter, assert_model
from draftproof.proof.exact import Exactly
from draftproof.proof.explore import explore
from draftproof.proof.foreign import Budget, explore_program
from draftproof.proof.laws import compare
from draftproof.proof.loop import loop_law, plain_law
from draftproof.proof.rule import fixed_round_law, round_law

__all__ = [
    "Budget",
    "Exactly",
    "assert_decodes_exactly",
    "assert_drafter",
    "assert_exact",
    "assert_model",
    "compare",
    "explore",
    "explore_program",
    "fixed_round_law",
    "loop_law",
    "plain_law",
    "round_law",
]
