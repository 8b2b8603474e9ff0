"""The automaton counts what a search of the whole text counts, in linear space."""

from collections import Counter
from random import Random

import pytest

from draftproof.drafters.automaton import SEPARATOR, Automaton


def built(text, order):
    automaton = Automaton(order)
    for token in text:
        automaton.append(token)
    return automaton


def state_of(automaton, sequence):
    state = 0
    for token in sequence:
        state = automaton.nexts[state][token]
    return state


def counted(text, order):
    """Every sequence of up to `order` tokens: how often it occurs, and where it last ends."""
    counts, recent = Counter(), {}
    for end in range(1, len(text) + 1):
        for start in range(max(end - order, 0), end):
            counts[tuple(text[start:end])] += 1
            recent[tuple(text[start:end])] = end
    return {sequence: (count, recent[sequence]) for sequence, count in counts.items()}


@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_counts_every_short_sequence_after_every_token(order):
    random = Random(order)
    for _ in range(30):
        vocab = random.choice([1, 2, 3, 5])
        text = [random.randrange(vocab) for _ in range(random.randint(1, 25))]
        automaton = Automaton(order)
        for end, token in enumerate(text, start=1):
            automaton.append(token)
            for sequence, expected in counted(text[:end], order).items():
                state = state_of(automaton, sequence)
                assert (automaton.counts[state], automaton.recent[state]) == expected
            tail = tuple(text[:end][-order:])
            assert automaton.tail_length == len(tail)
            assert automaton.tail == state_of(automaton, tail)


def test_followers_are_the_tokens_that_followed_and_no_others():
    random = Random(7)
    for _ in range(50):
        text = [random.choice([0, 1, SEPARATOR]) for _ in range(12)]
        automaton = built(text, 4)
        for start in range(len(text)):
            for end in range(start + 1, min(start + 4, len(text))):
                sequence = text[start:end]
                places = [place for place in range(len(text) - len(sequence)) if text[place : place + len(sequence)] == sequence]
                followed = {text[place + len(sequence)] for place in places} - {SEPARATOR}
                assert set(automaton.followers(state_of(automaton, sequence))) == followed


def test_shortened_is_the_state_of_the_suffix():
    text = [0, 1, 0, 0, 1, 1, 0, 1, 0, 0]
    automaton = built(text, 8)
    for length in range(1, 8):
        assert automaton.shortened(automaton.tail, length) == state_of(automaton, text[-length:])
    assert automaton.shortened(0, 3) == 0


@pytest.mark.parametrize("text", [[0] * 300, [0, 1] * 150, [Random(0).randrange(2) for _ in range(300)]], ids=["one", "two", "random"])
def test_a_token_raises_at_most_as_many_counts_as_sequences_are_long_and_states_are_linear_in_the_text(text):
    automaton, raised = Automaton(5), 0
    for token in text:
        before = sum(automaton.recent[state] == automaton.size for state in range(len(automaton.links)))
        raised = max(raised, before)
        automaton.append(token)
    assert 1 < raised <= 5
    assert len(automaton.links) <= 2 * len(text)
