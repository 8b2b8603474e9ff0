"""Our engine as a contender: texts that no draft and no company changes, arrivals that are kept, and every round told."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import pytest

from draftproof.bench.contender import Contender, Order, Served
from draftproof.bench.contenders.own import Own
from draftproof.detokenise import text_of
from draftproof.drafters.function import no_drafter
from draftproof.drafters.protocol import Request
from draftproof.engine import Engine
from draftproof.errors import BadRequest
from draftproof.models.language import LanguageModel
from draftproof.types import Draft, Picker

from .conftest import Pretended


@dataclass
class Counting:
    """A drafter of nothing that counts who is there, in every round."""

    vocab: int
    together: list[int] = field(default_factory=list)

    def start(self) -> None:
        return None

    def propose(self, requests: Sequence[Request], pick: Picker) -> Draft:
        self.together.append(len(requests))
        return no_drafter(self.vocab).propose(requests, pick)


def orders(tiny: LanguageModel, count: int = 6, **more: Any) -> list[Order]:
    random = Random(5)
    prompts = [tuple(tiny.tokenizer.encode("one two one two " * random.randint(1, 4))) for _ in range(count)]
    return [replace(Order(prompt, 5 + 5 * place, 0.7, place), **more) for place, prompt in enumerate(prompts)]


def own(tiny: LanguageModel, pretended: Pretended | None = None, **how: Any) -> Own:
    clock = {"clock": pretended.clock} if pretended else {}
    return Own(Engine(tiny, **how), "ours", "ours", how.get("drafter") != "none", **clock)


def texts(served: Served) -> list[str]:
    return [delivery.text for delivery in served.deliveries]


@pytest.fixture(scope="module")
def expected(tiny: LanguageModel) -> list[str]:
    engine = Engine(tiny, drafter="none")
    return [
        engine.generate([order.prompt], {"temperature": order.temperature}, seed=order.seed, max_tokens=order.max_tokens)[0].text
        for order in orders(tiny)
    ]


class TestTheTexts:
    @pytest.mark.parametrize("slots", [1, 3, 64])
    @pytest.mark.parametrize("drafter", ["none", "lookup"])
    def test_are_those_of_the_seeds_however_they_are_served(
        self, tiny: LanguageModel, expected: list[str], drafter: str, slots: int
    ) -> None:
        width = {"width": 3} if drafter == "lookup" else {}
        contender = own(tiny, drafter=drafter, **width)
        assert isinstance(contender, Contender)
        served = contender.serve(orders(tiny), slots)
        assert texts(served) == expected
        assert all(text for text in expected)
        drafted = sum(delivery.drafted or 0 for delivery in served.deliveries)
        assert (drafted > 20) == contender.drafts

    def test_end_without_the_end_of_text(self, tiny: LanguageModel) -> None:
        many = [Order(tuple(tiny.tokenizer.encode("a")), 60, 2.0, seed) for seed in range(12)]
        served = own(tiny, drafter="none").serve(many, 12)
        ended = [delivery for delivery in served.deliveries if len(delivery.rounds) < 60]
        assert ended
        assert not any("<|" in delivery.text for delivery in ended)


class TestTheRounds:
    def test_are_told_one_by_one_and_add_up(self, tiny: LanguageModel) -> None:
        asked = [replace(order, max_tokens=40, temperature=0.0) for order in orders(tiny)]
        served = own(tiny, drafter="lookup", width=4).serve(asked, 2)
        ends = tiny.tokenizer.end_tokens
        plain = Engine(tiny, drafter="none").generate([order.prompt for order in asked], {"temperature": 0}, seed=0, max_tokens=40)
        for delivery, done in zip(served.deliveries, plain, strict=True):
            assert len(delivery.rounds) == len(delivery.times) > 0
            assert delivery.drafted == sum(each.drafted for each in delivery.rounds)
            assert delivery.accepted == sum(each.accepted for each in delivery.rounds)
            emitted = sum(each.accepted + 1 for each in delivery.rounds)
            assert emitted - 1 <= len(done.tokens) <= emitted  # the last round may have ended on a drafted token
            assert delivery.text == text_of([token for token in done.tokens if token not in ends], tiny.tokenizer.vocabulary)
        rounds = [each for delivery in served.deliveries for each in delivery.rounds]
        assert any(each.accepted for each in rounds)
        assert any(each.accepted < each.drafted for each in rounds)

    def test_share_out_the_time(self, tiny: LanguageModel) -> None:
        served = own(tiny, drafter="lookup", width=3).serve(orders(tiny), 3)
        assert set(served.parts) == {"target", "draft", "sampling", "verdict", "rest"}
        assert all(seconds > 0 for seconds in served.parts.values())
        assert sum(served.parts.values()) == pytest.approx(served.seconds)


class TestSlots:
    @pytest.mark.parametrize("slots", [1, 2, 5])
    def test_are_never_exceeded_and_refilled_at_once(self, tiny: LanguageModel, slots: int) -> None:
        counting = Counting(tiny.model.vocab)
        served = Own(Engine(tiny, drafter=counting), "ours", "ours", False).serve(orders(tiny), slots)
        assert max(counting.together) == slots
        rounds = sum(len(delivery.rounds) for delivery in served.deliveries)
        assert sum(counting.together) == rounds
        full = len(counting.together) - 1 - counting.together[::-1].index(slots)  # the last round with nobody missing
        assert counting.together[: full + 1] == [slots] * (full + 1)

    def test_beyond_its_own_are_refused(self, tiny: LanguageModel) -> None:
        with pytest.raises(BadRequest, match="slots is 65; ours serves from 1 to 64 orders at once"):
            own(tiny, drafter="none").serve(orders(tiny), 65)


class TestArrivals:
    def test_are_kept_and_times_count_from_them(self, tiny: LanguageModel, pretended: Pretended) -> None:
        arrivals = (500.0, 0.0, 5000.0, 501.0)
        asked = [replace(order, arrival=arrival) for order, arrival in zip(orders(tiny, 4), arrivals, strict=True)]
        served = own(tiny, pretended, drafter="none").serve(asked, 4)
        ends = [delivery.times[-1] + order.arrival for delivery, order in zip(served.deliveries, asked, strict=True)]
        assert all(delivery.times[0] > 0 and list(delivery.times) == sorted(delivery.times) for delivery in served.deliveries)
        assert sorted(range(4), key=ends.__getitem__)[-1] == 2
        assert max(ends) < served.seconds < 5200
        assert len(pretended.slept) == 2  # for the first of the pair, and for the last; to the others it was at work or at once ready
        assert all(delivery.times[-1] < 200 for delivery in served.deliveries)

    def test_that_find_no_slot_wait_for_one_and_the_wait_counts(self, tiny: LanguageModel, pretended: Pretended) -> None:
        asked = [replace(order, max_tokens=20) for order in orders(tiny, 3, temperature=0.0)]
        served = own(tiny, pretended, drafter="none").serve(asked, 1)
        first, second, third = served.deliveries
        assert first.times[-1] < second.times[0]
        assert second.times[-1] < third.times[0]
        assert not pretended.slept

    def test_leave_the_time_of_waiting_to_no_part(self, tiny: LanguageModel, pretended: Pretended) -> None:
        late = [replace(order, arrival=10_000.0) for order in orders(tiny, 1)]
        served = own(tiny, pretended, drafter="none").serve(late)
        assert served.seconds > 10_000
        assert sum(served.parts.values()) < 1000


def test_a_prompt_that_does_not_fit_is_refused(tiny: LanguageModel) -> None:
    with pytest.raises(BadRequest, match="do not fit into the 512"):
        own(tiny, drafter="none").serve([Order((1,) * 500, 50, 0.0, 0)])
