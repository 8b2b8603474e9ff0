"""A given text is followed, left, and found again."""

from random import Random

from draftproof.drafters.given import Given
from draftproof.drafters.guess import LONGEST, support
from draftproof.drafters.protocol import Request
from draftproof.sampling.protocol import Verbatim

PROMPT = (90, 91, 92)
GIVEN = (1, 2, 3, 4, 5, 6, 7, 8, 9)


def ask(emitted, given=GIVEN, memory=None, width=3, prompt=PROMPT):
    memory = Given().start() if memory is None else memory
    found = Given().guess(Request((*prompt, *emitted), len(prompt), tuple(given), Verbatim(), None, memory, width))
    return list(found.tokens), found.support


def common_suffix(given, emitted):
    """How many of the last tokens agree, up to as many as are looked for."""
    length = 0
    while length < min(len(given), len(emitted), LONGEST) and given[-1 - length] == emitted[-1 - length]:
        length += 1
    return length


def test_begins_with_its_first_token_and_is_followed_to_its_end():
    assert ask([]) == ([1, 2, 3], 0)
    assert ask([1, 2]) == ([3, 4, 5], support(2))
    assert ask(GIVEN[:8]) == ([9], support(8))
    assert ask(GIVEN) == ([], support(8))
    assert ask([1], given=()) == ([], 0)


def test_the_prompt_is_not_looked_for_in_it():
    assert ask([], prompt=(1, 2, 3)) == ([1, 2, 3], 0)


def test_a_token_that_was_replaced_is_passed_over():
    assert ask([1, 2, 70]) == ([4, 5, 6], 0)
    assert ask([1, 2, 70, 71]) == ([5, 6, 7], 0)
    assert ask([1, 2, 70, 4]) == ([5, 6, 7], support(1))


def test_after_tokens_were_put_in_or_left_out_it_is_found_again():
    assert ask([1, 2, 70, 71, 3]) == ([4, 5, 6], support(1))
    assert ask([1, 2, 6, 7]) == ([8, 9], support(2))


def test_of_places_that_agree_in_as_many_tokens_the_nearest_is_taken_and_later_before_earlier():
    given = (5, 1, 0, 0, 0, 0, 5, 2, 0, 0, 5, 3)
    assert ask([5], given=given)[0] == [1, 0, 0]
    assert ask([9] * 5 + [5], given=given)[0] == [2, 0, 0]
    assert ask([9] * 8 + [5], given=given)[0] == [3], "places 7 and 11 are as near to 9; the later is taken"


def test_the_place_is_where_the_most_of_the_last_tokens_agree():
    """Against a search of the whole given text after every token."""
    random = Random(0)
    for _ in range(200):
        given = tuple(random.randrange(3) for _ in range(random.randint(1, 14)))
        emitted, memory = [], Given().start()
        for _ in range(14):
            before, following = memory.place, ask(emitted, given, memory, width=1)[0] or [0]
            emitted.append(random.choice([*following, random.randrange(3)]))
            ask(emitted, given, memory)
            agreeing = {place: common_suffix(given[:place], emitted) for place in range(1, len(given) + 1)}
            most = max(agreeing.values())
            places = [place for place, length in agreeing.items() if length == most > 0]
            step = before + 1
            assert memory.run == most
            assert memory.place == (min(places, key=lambda place: (abs(place - step), -place)) if places else step)


def test_a_memory_that_followed_is_that_of_the_whole_and_another_text_is_begun_anew():
    random, memory = Random(1), Given().start()
    for _ in range(60):
        given = tuple(random.randrange(4) for _ in range(12))
        emitted = []
        for _ in range(6):
            emitted += [random.randrange(4) for _ in range(random.randint(0, 3))]
            fresh = Given().start()
            assert ask(emitted, given, memory) == ask(emitted, given, fresh)
            assert memory == fresh
