"""Proofs of `generate` of transformers: the exact law of what it emits with a draft, beside what it emits without one."""

from draftproof.proof.generation.configuration import Configuration, versions
from draftproof.proof.generation.matrix import find, full, quick
from draftproof.proof.generation.proving import prove
from draftproof.proof.generation.result import Result
from draftproof.proof.generation.running import campaign

__all__ = ["Configuration", "Result", "campaign", "find", "full", "prove", "quick", "versions"]
