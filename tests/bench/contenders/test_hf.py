"""`generate` as a contender: the prompt and the temperature that were asked for, its rounds, and its bursts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from draftproof.bench.contender import Contender, Order
from draftproof.bench.contenders.hf import Transformers
from draftproof.engine import Engine
from draftproof.errors import BadRequest, Unavailable
from draftproof.models.language import LanguageModel
from draftproof.models.weights import load

from .conftest import Pretended

WAYS = ("plain", "lookup", "draft")

Make = Callable[..., Transformers]


@pytest.fixture(scope="module")
def target(folder: Path) -> LanguageModel:
    return load(str(folder), backend="hf")


@pytest.fixture
def make(target: LanguageModel, draft_folder: Path) -> Make:
    def contender(way: str, **more: Any) -> Transformers:
        drafting: dict[str, Any] = {"lookup": {"prompt_lookup_num_tokens": 3}}.get(way, {})
        if way == "draft":
            drafting = {"assistant_model": load(str(draft_folder), backend="hf").model.torch_model}  # type: ignore[attr-defined]
        return Transformers(target.model.torch_model, target.tokenizer, way, "hf", drafting, **more)  # type: ignore[attr-defined]

    return contender


def orders(target: LanguageModel, temperature: float = 0.0, count: int = 3, max_tokens: int = 30) -> list[Order]:
    prompt = tuple(target.tokenizer.encode("the end, the end, the end, the"))
    return [Order(prompt[place:], max_tokens, temperature, place) for place in range(count)]


@pytest.mark.parametrize("way", WAYS)
class TestEveryWay:
    def test_is_a_contender_of_one_slot(self, make: Make, target: LanguageModel, way: str) -> None:
        contender = make(way)
        assert isinstance(contender, Contender)
        assert contender.drafts == (way != "plain")
        with pytest.raises(BadRequest, match="serves from 1 to 1 orders at once"):
            contender.serve(orders(target), 2)

    def test_gives_the_text_of_the_likeliest_tokens(self, make: Make, target: LanguageModel, way: str) -> None:
        asked = orders(target)
        expected = Engine(target, drafter="none").generate([order.prompt for order in asked], {"temperature": 0}, seed=0, max_tokens=30)
        served = make(way).serve(asked)
        assert [delivery.text for delivery in served.deliveries] == [done.text for done in expected]
        assert all(done.text for done in expected)

    @pytest.mark.parametrize("temperature", [0.0, 0.8])
    def test_tells_every_round_and_its_moment(
        self, make: Make, target: LanguageModel, pretended: Pretended, way: str, temperature: float
    ) -> None:
        served = make(way, clock=pretended.clock).serve(orders(target, temperature))
        for delivery in served.deliveries:
            assert len(delivery.rounds) == len(delivery.times) > 0
            assert list(delivery.times) == sorted(set(delivery.times))
            assert delivery.drafted == sum(each.drafted for each in delivery.rounds)
            assert delivery.accepted == sum(each.accepted for each in delivery.rounds)
            emitted = sum(each.accepted + 1 for each in delivery.rounds)
            assert emitted <= 30
        drafted = sum(delivery.drafted or 0 for delivery in served.deliveries)
        assert (drafted > 0) == (way != "plain")

    def test_gives_one_text_for_a_seed_and_leaves_the_numbers_of_others_alone(self, make: Make, target: LanguageModel, way: str) -> None:
        contender = make(way)
        before = torch.random.get_rng_state()
        first, again = (contender.serve(orders(target, 0.8)).deliveries for _ in range(2))
        assert [delivery.text for delivery in first] == [delivery.text for delivery in again]
        assert (torch.random.get_rng_state() == before).all()


def test_temperature_is_the_only_rule_whatever_stands_beside_the_weights(make: Make, target: LanguageModel) -> None:
    """Settings of the model's own that would take the likeliest token are forgotten."""
    model: Any = target.model.torch_model  # type: ignore[attr-defined]
    model.generation_config.top_k, model.generation_config.do_sample = 1, True
    served = make("plain").serve([Order((5, 9), 12, 1.5, seed) for seed in range(8)])
    assert len({delivery.text for delivery in served.deliveries}) > 4


def test_a_width_is_kept_beside_another_of_the_same_draft_model(target: LanguageModel, draft_folder: Path) -> None:
    models: list[Any] = [target.model, load(str(draft_folder), backend="hf").model]
    drafting = {"assistant_model": models[1].torch_model}
    narrow, wide = (Transformers(models[0].torch_model, target.tokenizer, "hf", "hf", drafting, width) for width in (1, 6))
    widest = [max(each.drafted for each in one.serve(orders(target)).deliveries[0].rounds) for one in (narrow, wide)]
    assert widest[0] == 1 < widest[1] <= 6


def test_an_end_of_text_ends_a_text_and_is_no_part_of_it(make: Make, target: LanguageModel) -> None:
    served = make("plain").serve([Order((5, 9), 80, 3.0, seed) for seed in range(8)])
    ended = [delivery for delivery in served.deliveries if len(delivery.rounds) < 80]
    assert ended
    assert not any(target.tokenizer.vocabulary.controls[end] in delivery.text for delivery in ended for end in target.tokenizer.end_tokens)


def test_arrivals_are_kept(make: Make, target: LanguageModel, pretended: Pretended) -> None:
    early, late = orders(target, count=2)
    served = make("plain", clock=pretended.clock).serve([Order(late.prompt, 5, 0.0, 0, 5000.0), early])
    assert len(pretended.slept) == 1
    assert 0 < served.deliveries[0].times[0] < 100
    assert served.seconds > 5000


def test_a_failure_is_one_sentence(make: Make) -> None:
    with pytest.raises(Unavailable, match="generate of plain failed with IndexError"):
        make("plain").serve([Order((100_000,), 3, 0.0, 0)])
