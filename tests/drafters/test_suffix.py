"""Suffix drafts follow the most frequent continuation of the longest suffix, as a count of the whole text gives it."""

from collections import Counter
from random import Random

import pytest

from draftproof.drafters.guess import support
from draftproof.drafters.protocol import Request
from draftproof.drafters.suffix import Suffix
from draftproof.errors import BadRequest
from draftproof.sampling.protocol import Verbatim


def ask(suffix, context, memory=None, width=6):
    memory = suffix.start() if memory is None else memory
    found = suffix.guess(Request(tuple(context), len(context), (), Verbatim(), None, memory, width))
    return list(found.tokens), found.support


def followers(text, sequence):
    """How often each token followed a sequence, and where last."""
    places = [end for end in range(len(sequence), len(text)) if text[end - len(sequence) : end] == sequence]
    return Counter(text[place] for place in places), {text[place]: place for place in places}


def longest_followed(texts, whole, depth):
    for length in range(min(depth - 1, len(whole)), 0, -1):
        if any(followers(text, whole[-length:])[0] for text in texts):
            return length
    return 0


def counted(context, depth, least, width):
    """The definition, by counting."""
    guessed, probability, first = [], 1.0, longest_followed([context], context, depth)
    while len(guessed) < width and (length := longest_followed([context], context + guessed, depth)):
        counts, last = followers(context, (context + guessed)[-length:])
        token = max(counts, key=lambda token: (counts[token], last[token]))
        probability *= counts[token] / counts.total()
        if probability < least:
            break
        guessed.append(token)
    return guessed, support(first)


@pytest.mark.parametrize(("depth", "least"), [(24, 0.1), (2, 0.1), (3, 0.5), (6, 0.01), (5, 1.0)])
def test_is_the_count_of_the_whole_context(depth, least):
    random, lengths = Random(0), set()
    for _ in range(300):
        vocab = random.choice([1, 2, 3, 6])
        context = [random.randrange(vocab) for _ in range(random.randint(1, 25))]
        result = ask(Suffix(depth, least), context)
        assert result == counted(context, depth, least, 6)
        lengths.add(len(result[0]))
    assert {0, 6} <= lengths, "nothing and a full draft were guessed"


def test_an_automaton_that_grew_is_that_of_the_whole():
    random, suffix = Random(1), Suffix(depth=5)
    for _ in range(50):
        memory, context = suffix.start(), [random.randrange(3)]
        for _ in range(8):
            context += [random.randrange(3) for _ in range(random.randint(0, 4))]
            fresh = suffix.start()
            assert ask(suffix, context, memory) == ask(suffix, context, fresh)
            assert memory == fresh


def test_the_guess_ends_before_its_path_becomes_unlikely():
    context = [1, 2, 1, 3, 1, 3, 1]
    assert ask(Suffix(least_probability=0.6), context, width=2) == ([3, 1], support(2)), "of two that followed 3, 1 both were 3"
    context = [9, 1, 9, 2, 9, 2, 9, 4, 9]
    assert ask(Suffix(depth=2, least_probability=0.5), context, width=2) == ([2, 9], support(1))
    assert ask(Suffix(depth=2, least_probability=0.51), context, width=2) == ([], support(1))
    assert ask(Suffix(depth=2, least_probability=0.5), context, width=9)[0] == [2, 9], "a second 2 would be a quarter"


def test_of_equally_frequent_tokens_the_last_is_followed():
    assert ask(Suffix(), [1, 2, 1, 3, 1], width=1)[0] == [3]
    assert ask(Suffix(), [1, 3, 1, 2, 1], width=1)[0] == [2]


class TestPastTexts:
    def test_are_followed_where_they_agree_with_more_of_the_context(self):
        suffix = Suffix(past=[[5, 6, 7, 8], [6, 7, 4]])
        assert ask(suffix, [1, 2, 5, 6, 7], width=3) == ([8], support(3))
        assert ask(suffix, [1, 6, 7], width=3) == ([4], support(2)), "of equally frequent ones the last"
        assert ask(suffix, [5, 6, 7, 1, 5, 6, 7], width=1) == ([1], support(3)), "its own text comes first"
        assert ask(suffix, [3], width=3) == ([], 0)

    def test_are_not_joined_to_each_other(self):
        suffix = Suffix(past=[[1, 2], [3, 4]])
        assert ask(suffix, [1], width=5) == ([2], support(1))
        assert ask(suffix, [2], width=5) == ([], 0)

    def test_are_read_once_and_never_added_to(self):
        suffix = Suffix(past=[[1, 2, 3]])
        ask(suffix, [1, 2, 9, 1, 2, 9])
        size = suffix._past.size
        ask(suffix, [1, 2, 9])
        assert suffix._past.size == size == 4
        assert ask(suffix, [1, 2], width=1) == ([3], support(2))

    def test_agree_with_a_search_of_them(self):
        random = Random(3)
        for _ in range(200):
            past = [[random.randrange(3) for _ in range(random.randint(1, 8))] for _ in range(2)]
            context = [random.randrange(3) for _ in range(random.randint(1, 8))]
            found = ask(Suffix(depth=5, past=past), context, width=1)
            assert found[1] == support(max(longest_followed(past, context, 5), longest_followed([context], context, 5)))


@pytest.mark.parametrize("values", [(1, 0.1), (5, 0.0), (5, 1.1)])
def test_impossible_values_are_refused(values):
    with pytest.raises(
        BadRequest, match=f"a depth of {values[0]} and a least probability of {values[1]}: give at least 2, and more than 0"
    ):
        Suffix(*values)
