"""A member of the zoo as a subject of proof: explored round by round."""

from collections.abc import Callable
from functools import cache

from draftproof.proof.decoders.fixture import Fixture
from draftproof.proof.decoders.judge import Subject
from draftproof.proof.foreign import Budget, ProgramLaw, Progress
from draftproof.proof.foreign.rounds import explore_rounds
from draftproof.proof.zoo.decoder import Decoder, Text, outcome, start

CANNOT_RUN = (ArithmeticError, LookupError, StopIteration, ValueError)
"""What a decoder raises on a request that its fault leaves without an answer, such as an empty law to draw from."""


def subject(name: str, decoder: Decoder) -> Subject:
    """The decoder, with equal states between its rounds merged."""

    def explore(fixture: Fixture, budget: Budget, progress: Callable[[Progress], None] | None) -> ProgramLaw:
        def step(texts: list[Text]) -> None:
            decoder.round(decoder, fixture, texts)

        def returned(texts: list[Text]) -> object | None:
            return outcome(fixture, texts) if all(text.ended for text in texts) else None

        return explore_rounds(lambda: start(fixture), step, returned, budget=budget, progress=progress)

    return Subject(name, explore)


def explored(decoder: Decoder, fixture: Fixture, budget: Budget = Budget()) -> ProgramLaw | None:  # noqa: B008  # immutable
    """The law of a decoder on a fixture, as far as the budget goes; None if it cannot run there."""
    try:
        return subject("", decoder).explore(fixture, budget, None)
    except CANNOT_RUN:
        return None


@cache
def law_of(decoder: Decoder, fixture: Fixture) -> ProgramLaw | None:
    """The whole law of a decoder on a fixture; None if it cannot run there."""
    return explored(decoder, fixture)
