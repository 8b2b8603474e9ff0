"""Ways to draft are ranked by the cost of their rounds, and what is promised is what such a machine would show."""

import numpy as np
import pytest

from draftproof.bench.charge import drafted_ms
from draftproof.bench.costs import Costs
from draftproof.bench.options import held_out, options_of
from draftproof.bench.record import Recording
from draftproof.bench.replay import Text, replay
from draftproof.bench.ways import Way
from draftproof.drafters.function import no_drafter
from draftproof.drafters.guess import GuessDrafter
from draftproof.drafters.lookup import Lookup
from draftproof.models.cost import PassCost
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Limits

VOCAB = 50
FREE = Costs(PassCost(((1, 20.0), (99, 20.0))))
DEAR = Costs(PassCost(((1, 20.0), (2, 45.0), (99, 2470.0))))


def text(*tokens):
    return Text((1, 2, 3, 4, 5, 6), tokens, 0, Verbatim(), Limits(len(tokens)))


COPYING = (text(1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6), text(1, 2, 3, 4, 9, 1, 2, 3, 4, 9))
FRESH = (text(*range(10, 22)), text(*range(30, 40)))
WAYS = [
    *(Way("lookup", width, False, GuessDrafter(Lookup(), VOCAB, width)) for width in (1, 3, 7)),
    Way("none", 0, False, no_drafter(VOCAB)),
]


def ranked(texts, costs, batch=1):
    recording = Recording(texts, (20.0,) * len(texts), 20.0, 0.0, 0.0)
    return options_of(WAYS, recording, costs, batch, clock=lambda: 0.0)


class TestTheRanking:
    def test_prefers_wide_drafts_of_a_text_that_repeats_where_rows_are_free(self):
        (best, *others), _ = ranked(COPYING, FREE)
        assert (best.drafter, best.width) == ("lookup", 7)
        assert best.speedup > 2
        assert [option.speedup for option in others] == sorted((option.speedup for option in others), reverse=True)
        assert others[-1].drafter == "none"
        assert others[-1].speedup == others[-1].low == others[-1].high == 1

    def test_prefers_nothing_where_a_row_costs_more_than_a_pass(self):
        options, gain = ranked(COPYING, DEAR)
        assert options[0].drafter == "none"
        assert gain == 1

    def test_finds_nothing_to_gain_where_nothing_repeats(self):
        for option in ranked(FRESH, FREE)[0]:
            assert option.speedup == 1
            assert option.acceptance.accepted == 0

    def test_without_drafts_every_batch_takes_what_it_takes(self):
        for batch in (1, 2, 3, 5):
            plain = next(option for option in ranked(COPYING, DEAR, batch)[0] if option.drafter == "none")
            assert plain.speedup == pytest.approx(1)
            assert plain.acceptance.tokens == sum(len(each.tokens) for each in COPYING) * -(-batch // 2)

    def test_sees_that_a_batch_leaves_no_room_for_rows(self):
        steps = Costs(PassCost(((1, 20.0), (8, 20.0), (99, 200.0))))
        gains = [next(o for o in ranked(COPYING, steps, batch)[0] if o.width == 7).speedup for batch in (1, 4, 16)]
        assert gains == sorted(gains, reverse=True)
        assert gains[0] > 2 > 1 > gains[2]


def test_the_reading_of_a_prompt_is_in_the_gain_and_not_in_that_of_decoding():
    recording = Recording(COPYING, (20.0 + 1000.0,) * 2, 20.0, 0.0, 0.0)
    best = options_of(WAYS, recording, FREE, 1, clock=lambda: 0.0)[0][0]
    assert best.speedup < 1.2 < 2 < best.decoding


def test_the_reading_is_worth_as_many_tokens_on_a_slower_machine():
    gains = []
    for slower in (1, 3):
        recording = Recording(COPYING, (slower * 100.0,) * 2, slower * 20.0, 0.0, 0.0)
        gains.append(options_of(WAYS, recording, FREE, 1, clock=lambda: 0.0)[0][0].speedup)
    assert gains[0] == pytest.approx(gains[1])


def test_the_promise_is_the_ratio_of_the_times_of_the_rounds():
    costs = Costs(PassCost(((1, 20.0), (4, 26.0), (8, 40.0))), round_ms=1.0, token_ms=0.5)
    recording = Recording(COPYING, (costs.plain_ms,) * 2, costs.plain_ms, 0.0, 0.0)
    option = next(option for option in options_of(WAYS, recording, costs, 1, clock=lambda: 0.0)[0] if option.width == 3)
    passes = list(replay(WAYS[1].drafter, COPYING, clock=lambda: 0.0))
    drafted = drafted_ms(passes, costs, [0.0, 0.0], entries=2).sum()
    assert option.speedup == pytest.approx(sum(len(each.tokens) for each in COPYING) * costs.plain_ms / drafted)
    assert option.low < option.speedup < option.high


def test_what_is_held_out_has_no_part_in_the_choice():
    plain = np.array([10.0, 10.0])
    drafted = np.array([[5.0, 20.0], [20.0, 5.0]])
    assert held_out(plain, drafted) == 20 / 40, "each way is the best on the other text"
    assert held_out(plain, drafted[:1]) == 20 / 25
