"""Guesses become drafts of point masses, cut at the width and nowhere else."""

from dataclasses import dataclass

import pytest

from draftproof.drafters.given import Given
from draftproof.drafters.guess import Guess, GuessDrafter, Guesser, first_new, support
from draftproof.drafters.lookup import Lookup
from draftproof.drafters.protocol import Drafter, Request
from draftproof.drafters.suffix import Suffix
from draftproof.errors import BadRequest, NotConforming
from draftproof.proof import assert_drafter
from draftproof.proof.fixtures import pairs
from draftproof.sampling.protocol import Verbatim
from draftproof.types import NOTHING

TARGET, _ = pairs(1, 3, seed=3)[0]
GUESSERS = [Lookup(), Lookup(2, 3), Suffix(), Suffix(depth=3, least_probability=0.5, past=[[0, 1, 2, 0, 1], [2, 2]]), Given()]


@dataclass(frozen=True)
class Says:
    """Guesses the same tokens after every context."""

    tokens: tuple[int, ...]

    def start(self):
        return None

    def guess(self, request):
        return Guess(self.tokens[: request.width], 0)


def request(context=(0,), width=9):
    return Request(tuple(context), len(context), (), Verbatim(), None, None, width)


def nobody(laws, node, depth, live):
    raise AssertionError("a guess was drawn")


def test_a_draft_is_as_wide_as_the_drafter_and_as_the_request_allow():
    drafter = GuessDrafter(Says((2, 1, 0, 1)), 3, width=3)
    draft = drafter.propose([request(), request(width=2), request(width=0)], nobody)
    assert draft.tokens.tolist() == [[2, 1, 0], [2, 1, NOTHING], [NOTHING] * 3]
    assert (draft.is_fixed, draft.vocab) == (True, 3)


def test_a_width_below_1_is_refused():
    with pytest.raises(BadRequest, match="the width of a guess is 0; give at least 1, or use no_drafter"):
        GuessDrafter(Says(()), 3, width=0)


@pytest.mark.parametrize("guesser", GUESSERS, ids=str)
def test_every_guesser_depends_on_the_context_alone(guesser):
    assert isinstance(guesser, Guesser)
    drafter = GuessDrafter(guesser, 3, width=4)
    assert isinstance(drafter, Drafter)
    assert_drafter(drafter, TARGET, texts=40, longest=12)


class AnswersFromMemory(Says):
    """Guesses for ever what it once guessed."""

    def start(self):
        return []

    def guess(self, request):
        request.memory.append(request.context[-1])
        return Guess(request.memory[:1], 0)


def test_a_guesser_that_trusts_its_memory_is_caught():
    with pytest.raises(NotConforming, match="with the memory of another context"):
        assert_drafter(GuessDrafter(AnswersFromMemory(()), 3, width=1), TARGET)


def test_support_tells_apart_1_2_4_and_8_matching_tokens():
    assert [support(length) for length in range(11)] == [0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4]


@pytest.mark.parametrize(
    ("seen", "context", "place"),
    [((), (1, 2), 0), ((1, 2), (1, 2, 3), 2), ((1, 2), (1, 2), 2), ((1, 2), (1, 3, 3), 0), ((1, 2, 3), (1, 2), 0)],
    ids=["first", "longer", "the same", "another", "shorter"],
)
def test_only_what_goes_on_from_what_was_seen_adds_to_it(seen, context, place):
    assert first_new(seen, context) == place
