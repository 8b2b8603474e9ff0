"""Speculative decoding you can prove."""

from draftproof.catalogue import CATALOGUE, Entry
from draftproof.decode import Decoder
from draftproof.draws import SeededDraws
from draftproof.engine import Completion, Engine
from draftproof.errors import DraftproofError
from draftproof.session import Limits, Session, Step
from draftproof.tree import Siblings, Tree
from draftproof.types import Draft, Rule, Verdict, VerdictLaw
from draftproof.verify import Coupled, Independent

__version__ = "0.1.0"

__all__ = [
    "CATALOGUE",
    "Completion",
    "Coupled",
    "Decoder",
    "Draft",
    "DraftproofError",
    "Engine",
    "Entry",
    "Independent",
    "Limits",
    "Rule",
    "SeededDraws",
    "Session",
    "Siblings",
    "Step",
    "Tree",
    "Verdict",
    "VerdictLaw",
]
