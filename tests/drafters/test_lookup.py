"""Prompt lookup finds what a search of the whole context finds, and reads every token once."""

from random import Random

import pytest

from draftproof.drafters.guess import LONGEST, Guess, support
from draftproof.drafters.lookup import Lookup
from draftproof.drafters.protocol import Request
from draftproof.errors import BadRequest
from draftproof.sampling.protocol import Verbatim


def ask(lookup, context, memory=None, width=5):
    memory = lookup.start() if memory is None else memory
    found = lookup.guess(Request(tuple(context), len(context), (), Verbatim(), None, memory, width))
    return list(found.tokens), found.support


def searched(context, least, longest, width):
    """The definition, by search: the longest suffix that occurred before, its last earlier occurrence, what followed."""
    for length in range(longest, least - 1, -1):
        for place in range(len(context) - 1, length - 1, -1):
            if context[place - length : place] == context[-length:]:
                text = list(context)
                for offset in range(width):
                    text.append(text[place + offset])
                return text[len(context) :], support(length)
    return [], 0


@pytest.mark.parametrize("limits", [(1, 8), (1, 1), (2, 3), (3, 12)], ids=str)
def test_is_the_search_of_the_whole_context(limits):
    random, found = Random(0), set()
    for _ in range(400):
        vocab = random.choice([1, 2, 3, 6])
        context = [random.randrange(vocab) for _ in range(random.randint(1, 30))]
        width = random.randint(0, 6)
        result = ask(Lookup(*limits), context, width=width)
        assert result == searched(context, *limits, width)
        found.add(result[1])
    assert found == {0} | {support(length) for length in range(limits[0], limits[1] + 1)}, "every kind of guess was met"


def test_an_index_that_grew_is_the_index_of_the_whole():
    random, lookup = Random(1), Lookup(1, 4)
    for _ in range(50):
        memory, context = lookup.start(), [random.randrange(3)]
        for _ in range(8):
            context += [random.randrange(3) for _ in range(random.randint(0, 5))]
            assert ask(lookup, context, memory) == ask(lookup, context)
            fresh = lookup.start()
            ask(lookup, context, fresh)
            assert memory == fresh


def test_only_new_tokens_are_read():
    lookup = Lookup(1, 4)
    memory = lookup.start()
    ask(lookup, range(100), memory)
    memory.places.clear()
    ask(lookup, range(102), memory)
    assert sorted(memory.places.values()) == [100] * 4 + [101] * 4


def test_a_repetition_is_repeated_to_the_full_width():
    assert ask(Lookup(), [7, 1, 2, 1, 2], width=5) == ([1, 2, 1, 2, 1], support(2))
    assert ask(Lookup(), [4, 4], width=3) == ([4, 4, 4], support(1))


def test_nothing_is_guessed_where_nothing_recurs():
    assert Lookup().guess(Request((1, 2, 3), 3, (), Verbatim(), None, Lookup().start(), 5)) == Guess((), 0)
    assert ask(Lookup(), [1]) == ([], 0)


@pytest.mark.parametrize("limits", [(0, 3), (4, 3)])
def test_impossible_lengths_are_refused(limits):
    with pytest.raises(BadRequest, match=rf"a lookup of {limits[0]} to {limits[1]} tokens finds nothing; give 1 <= least <= longest"):
        Lookup(*limits)


def test_by_default_1_to_8_tokens_are_looked_up():
    assert (Lookup().least, Lookup().longest) == (1, LONGEST)
