"""A question that an audit answers besides the law, with its answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from draftproof.proof.campaign import Word


class Kind(StrEnum):
    """Of evidence. None stands for another."""

    LAW = "law"
    STATE = "state"
    ACCEPTANCE = "acceptance"


@dataclass(frozen=True)
class Check:
    """One answer.

    Attributes:
        kind: of evidence it is.
        name: of the question, a few words.
        word: the verdict on it.
        sentence: what was seen, in one sentence.
        details: further lines, such as the smallest counterexample.
        values: the numbers behind it, for pictures and programs.
    """

    kind: Kind
    name: str
    word: Word
    sentence: str
    details: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)
