"""The pipeline of OpenVINO GenAI as a contender: the same ids in, one request at a time, and what it tells of its drafts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from draftproof.bench.contender import Contender, Order
from draftproof.bench.contenders.genai import GenAi, pipeline
from draftproof.engine import Engine
from draftproof.errors import BadRequest, Unavailable, Unsupported
from draftproof.models.imported import imported
from draftproof.models.language import LanguageModel
from draftproof.models.openvino import PRECISIONS

from .conftest import Pretended

pytest.importorskip("openvino_genai")

FLOAT32 = {**PRECISIONS["float32"], "INFERENCE_NUM_THREADS": "1"}
WAYS = ("plain", "lookup", "draft")

Make = Callable[..., GenAi]


@pytest.fixture(scope="module")
def pipelines(tiny_gguf: Path, draft_gguf: Path) -> dict[str, Any]:
    folder, draft = (imported(path, cache=tiny_gguf.parent / "cache") for path in (tiny_gguf, draft_gguf))
    return {
        "plain": pipeline(folder, FLOAT32),
        "lookup": pipeline(folder, FLOAT32, lookup=True),
        "draft": pipeline(folder, FLOAT32, draft=draft),
    }


@pytest.fixture
def make(pipelines: dict[str, Any], tiny: LanguageModel) -> Make:
    drafting = {"plain": {}, "lookup": {"num_assistant_tokens": 3, "max_ngram_size": 3}, "draft": {"num_assistant_tokens": 3}}
    return lambda way, **more: GenAi(pipelines[way], tiny.tokenizer, way, "genai", drafting[way], **more)


def orders(tiny: LanguageModel, temperature: float = 0.0, count: int = 3) -> list[Order]:
    prompt = tuple(tiny.tokenizer.encode("the end, the end, the end, the"))
    return [Order(prompt[place:], 30, temperature, place) for place in range(count)]


@pytest.mark.parametrize("way", WAYS)
class TestEveryWay:
    def test_is_a_contender_of_one_slot(self, make: Make, tiny: LanguageModel, way: str) -> None:
        contender = make(way)
        assert isinstance(contender, Contender)
        assert contender.drafts == (way != "plain")
        with pytest.raises(BadRequest, match="serves from 1 to 1 orders at once"):
            contender.serve(orders(tiny), 2)

    def test_gives_the_text_of_the_likeliest_tokens(self, make: Make, tiny: LanguageModel, way: str) -> None:
        asked = orders(tiny)
        expected = Engine(tiny, drafter="none").generate([order.prompt for order in asked], {"temperature": 0}, seed=0, max_tokens=30)
        served = make(way).serve(asked)
        assert [delivery.text for delivery in served.deliveries] == [done.text for done in expected]

    def test_tells_its_bursts_and_its_drafts(self, make: Make, tiny: LanguageModel, pretended: Pretended, way: str) -> None:
        served = make(way, clock=pretended.clock).serve(orders(tiny))
        for delivery in served.deliveries:
            assert 0 < len(delivery.times) <= 30
            assert list(delivery.times) == sorted(delivery.times)
            assert delivery.rounds == ()
            told = {"plain": (0, 0), "lookup": (None, None)}.get(way, (delivery.drafted, delivery.accepted))
            assert (delivery.drafted, delivery.accepted) == told
        if way == "draft":
            assert all(0 < (delivery.accepted or 0) <= (delivery.drafted or 0) for delivery in served.deliveries)


@pytest.mark.parametrize("way", WAYS)
def test_a_seed_and_a_temperature_settle_the_text(make: Make, way: str) -> None:
    asked = [Order((5, 9), 12, 1.5, seed) for seed in range(8)]
    first, again = ([delivery.text for delivery in make(way).serve(asked).deliveries] for _ in range(2))
    assert first == again
    assert len(set(first)) > 4
    cold = make(way).serve([Order(order.prompt, 12, 0.0, order.seed) for order in asked])
    assert len({delivery.text for delivery in cold.deliveries}) == 1


def test_an_end_of_text_is_no_part_of_it(make: Make, tiny: LanguageModel) -> None:
    served = make("plain").serve([Order((5, 9), 80, 3.0, seed) for seed in range(8)])
    assert any(len(delivery.times) < 80 for delivery in served.deliveries)
    assert not any("<|im_end|>" in delivery.text for delivery in served.deliveries)


def test_a_failure_is_one_sentence(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing:
        def generate(self, *args: object) -> None:
            raise RuntimeError("Exception from somewhere\nno memory")

    with pytest.raises(Unavailable, match=r"^it failed: no memory$"):
        GenAi(Failing(), make("plain").tokenizer, "it", "genai").serve([Order((1,), 1, 0.0, 0)])


def test_what_a_pipeline_would_keep_of_earlier_prompts_is_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import openvino_genai

    given: list[Any] = []
    monkeypatch.setattr(openvino_genai, "LLMPipeline", lambda *args, **named: given.append(named["scheduler_config"]))
    monkeypatch.setattr(openvino_genai, "draft_model", lambda *args, **named: given.append(named["scheduler_config"]))
    pipeline(tmp_path, FLOAT32, draft=tmp_path)
    assert [scheduling.enable_prefix_caching for scheduling in given] == [False, False]


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="openvino_genai cannot load"):
        pipeline(tmp_path, FLOAT32)
