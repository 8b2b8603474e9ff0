"""`generate` of transformers as an audited engine: it samples by what it is told and by nothing else, and its rounds are counted."""

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log
from pathlib import Path
from typing import Any

import pytest
import torch

from draftproof.audit.engines.hf import Transformers
from draftproof.audit.engines.hf_call import Call, sampling_arguments
from draftproof.audit.engines.hf_rounds import watched
from draftproof.audit.engines.protocol import Answer, Ask, Audited, Tier
from draftproof.audit.law.evidence import LawEvidence
from draftproof.audit.law.rows import Reference, Text
from draftproof.audit.law.suspects import suspects
from draftproof.errors import BadRequest, Unavailable, Unsupported
from draftproof.models.hf import HfModel
from draftproof.models.tiny import Near, write_tiny_folder
from draftproof.sampling.params import SamplingParams

END, LENGTH = 258, 12
PROMPT = (257, 104, 101, 5, 9, 5, 9)
RULES = {
    "none": SamplingParams(),
    "temperature": SamplingParams(temperature=0.7),
    "cuts": SamplingParams(top_k=40, top_p=0.9, min_p=0.01),
    "rarer cuts": SamplingParams(typical_p=0.9, epsilon_cutoff=1e-3, eta_cutoff=1e-3),
    "penalty": SamplingParams(repetition_penalty=1.3, no_repeat_ngram_size=2),
    "bans": SamplingParams(logit_bias={5: -float("inf"), 9: 2.0}, bad_words_ids=[[7], [9, 5]]),
    "allowed": SamplingParams(allowed_token_ids=range(100), temperature=2.0),
    "likeliest": SamplingParams(temperature=0),
}


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_tiny_folder(tmp_path_factory.mktemp("hf") / "target", layers=1, context_length=64, sharpness=3.0))


@pytest.fixture(scope="module")
def draft(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("hf") / "draft"
    return str(write_tiny_folder(folder, seed=1, layers=1, context_length=64, near=Near(0, 0.98), sharpness=3.0))


@pytest.fixture(scope="module")
def reference(target: str) -> HfModel:
    return HfModel.load(target)


@pytest.fixture(scope="module")
def plain(target: str) -> Iterator[Transformers]:
    with Transformers(Call(target), laws=True) as engine:
        yield engine


@pytest.fixture(scope="module")
def drafting(target: str, draft: str) -> Iterator[Transformers]:
    with Transformers(Call(target, draft=draft, width=3, draft_stop=0.0), laws=True) as engine:
        yield engine


@pytest.fixture(scope="module")
def looking_up(target: str) -> Iterator[Transformers]:
    with Transformers(Call(target, lookup=True, width=3), laws=True) as engine:
        yield engine


@pytest.fixture(params=["plain", "drafting", "looking_up"])
def engine(request: pytest.FixtureRequest) -> Transformers:
    return request.getfixturevalue(request.param)


def asks(count: int = 1, *, params: SamplingParams = RULES["none"], seed: int | None = 0, prompt: Sequence[int] = PROMPT) -> list[Ask]:
    return [Ask(number, tuple(prompt), params, LENGTH, None if seed is None else seed + number) for number in range(count)]


def ask_all(engine: Transformers, requests: Sequence[Ask]) -> list[Answer]:
    return sorted(engine.answers(requests), key=lambda answer: answer.number)


class TestAnswers:
    def test_are_whole(self, engine: Transformers) -> None:
        assert isinstance(engine, Audited)
        answers = ask_all(engine, asks(3))
        assert [answer.number for answer in answers] == [0, 1, 2]
        assert all(len(answer.tokens) == LENGTH and not answer.lost for answer in answers)

    def test_are_those_of_their_prompts_whatever_shares_a_call(self, plain: Transformers) -> None:
        prompts = (PROMPT, (3, 2, 1), PROMPT[::-1])
        greedy = [asks(params=RULES["likeliest"], prompt=prompt)[0] for prompt in prompts]
        together = ask_all(plain, [replace(ask, number=number) for number, ask in enumerate(greedy)])
        assert [answer.tokens for answer in together] == [ask_all(plain, [ask])[0].tokens for ask in greedy]

    def test_go_on_after_an_end_of_text(self, engine: Transformers) -> None:
        """The end is made all but certain, and sampled again and again."""
        (answer,) = ask_all(engine, asks(params=SamplingParams(logit_bias={END: 40.0})))
        assert answer.tokens == (END,) * LENGTH

    def test_to_one_seed_are_one_text(self, engine: Transformers) -> None:
        first, again, other = (ask_all(engine, asks(seed=seed))[0].tokens for seed in (7, 7, 8))
        assert first == again != other

    def test_without_a_seed_leave_the_randomness_to_torch(self, engine: Transformers) -> None:
        torch.manual_seed(3)
        first, second = (ask_all(engine, asks(seed=None))[0].tokens for _ in range(2))
        torch.manual_seed(3)
        assert first == ask_all(engine, asks(seed=None))[0].tokens != second

    def test_to_a_seed_leave_torch_as_it_was(self, engine: Transformers) -> None:
        before = torch.random.get_rng_state()
        ask_all(engine, asks())
        assert (torch.random.get_rng_state() == before).all()


class TestLaws:
    """What `generate` says that it sampled from, held against our own reading of the same rules."""

    @pytest.mark.parametrize("rules", RULES)
    def test_are_those_of_the_rules(self, engine: Transformers, reference: HfModel, rules: str) -> None:
        (answer,) = ask_all(engine, asks(params=RULES[rules]))
        assert answer.laws is not None
        (rows,) = Reference(reference, RULES[rules]).rows([Text(PROMPT, answer.tokens)])
        assert abs(answer.laws - rows.target).sum(-1).max() < 1e-4
        assert (rows.probabilities > 0).all()

    def test_do_not_know_the_settings_that_stand_beside_the_weights(self, target: str, draft: str, tmp_path: Path) -> None:
        """A file of settings by which every text would be greedy, short and unlike itself."""
        spoilt = {
            "do_sample": True,
            "top_k": 1,
            "repetition_penalty": 9.0,
            "eos_token_id": list(range(264)),
            "min_p": 0.9,
            "temperature": 0.1,
        }
        for source, name in ((target, "target"), (draft, "draft")):
            shutil.copytree(source, tmp_path / name)
            (tmp_path / name / "generation_config.json").write_text(json.dumps(spoilt))
        texts = []
        for folder, other in ((target, draft), (str(tmp_path / "target"), str(tmp_path / "draft"))):
            with Transformers(Call(folder, draft=other, width=3, draft_stop=0.0)) as engine:
                texts.append([answer.tokens for answer in engine.answers(asks(2))])
        assert texts[0] == texts[1]

    def test_are_told_only_when_asked_for(self, target: str, plain: Transformers) -> None:
        assert plain.facts.tier is Tier.LAWS
        with Transformers(Call(target)) as engine:
            assert engine.facts.tier is Tier.TOKENS
            assert ask_all(engine, asks())[0].laws is None


class TestRounds:
    def test_are_counted_in_the_loop_of_the_library(self, drafting: Transformers) -> None:
        answers = ask_all(drafting, asks(6))
        for answer in answers:
            assert answer.rounds is not None
            assert len(answer.rounds) > 1
            assert (answer.drafted, answer.accepted) == tuple(map(sum, zip(*answer.rounds, strict=True)))
            assert sum(accepted + 1 for _, accepted in answer.rounds) == LENGTH
            assert all(accepted <= drafted <= 3 for drafted, accepted in answer.rounds)
        rounds = [each for answer in answers for each in answer.rounds or ()]
        assert any(drafted == accepted > 0 for drafted, accepted in rounds)
        assert any(drafted > accepted for drafted, accepted in rounds)

    def test_of_a_lookup_draft_what_the_prompt_repeats(self, looking_up: Transformers) -> None:
        """Of two tokens that may occur, one is always found again."""
        (answer,) = ask_all(looking_up, asks(params=SamplingParams(allowed_token_ids=[5, 9], temperature=4.0)))
        assert answer.drafted is not None
        assert answer.accepted is not None
        assert answer.drafted > answer.accepted > 0

    def test_are_none_without_drafts(self, plain: Transformers) -> None:
        (answer,) = ask_all(plain, asks())
        assert (answer.drafted, answer.accepted, answer.rounds) == (0, 0, None)
        assert plain.facts.drafts == ""

    def test_are_watched_without_a_trace(self, target: str, draft: str) -> None:
        from transformers import AutoModelForCausalLM

        models = [AutoModelForCausalLM.from_pretrained(source) for source in (target, draft)]

        def text() -> list[int]:
            torch.manual_seed(0)
            return models[0].generate(torch.tensor([PROMPT]), assistant_model=models[1], do_sample=True, max_new_tokens=LENGTH)[0].tolist()

        alone = text()
        with watched(models[0]) as rounds:
            assert text() == alone
        assert rounds
        assert "_get_candidate_generator" not in vars(models[0])

    def test_stop_where_the_draft_is_unsure(self, target: str, draft: str) -> None:
        with Transformers(Call(target, draft=draft, width=8, draft_stop=0.99)) as engine:
            (answer,) = engine.answers(asks(params=SamplingParams(temperature=2.0)))
        assert {drafted for drafted, _ in answer.rounds or ()} <= {0, 1}


@pytest.mark.parametrize(("weight", "refuted"), [(0.05, True), (None, False)])
def test_drafts_that_pass_unrefused_are_found(target: str, reference: HfModel, tmp_path: Path, weight: float | None, refuted: bool) -> None:
    """By a setting of the library's own, the text is all but that of a draft which is nothing like the target."""
    unlike = str(write_tiny_folder(tmp_path / "unlike", seed=5, layers=1, context_length=64, sharpness=3.0))
    evidence = LawEvidence(suspects(draft=True))
    judged = Reference(reference, SamplingParams(), HfModel.load(unlike))
    arguments = {"assistant_ensemble_weight": weight} if weight else {}
    with Transformers(Call(target, draft=unlike, width=3, draft_stop=0.0, arguments=arguments)) as engine:
        answers = ask_all(engine, asks(3))
    assert 0 < sum(answer.accepted or 0 for answer in answers) < sum(answer.drafted or 0 for answer in answers)
    texts = [Text(PROMPT, answer.tokens) for answer in answers]
    evidence.add(texts, judged.rows(texts))
    assert (evidence.log_e > log(1000)) == refuted
    assert (evidence.findings(1e-3)[0].suspect.name == "draft leakage") is refuted


def test_facts_name_the_library_and_how_it_drafts(drafting: Transformers, looking_up: Transformers) -> None:
    import transformers

    assert drafting.facts.name == f"transformers {transformers.__version__} (torch {torch.__version__})"
    assert drafting.facts.drafts == "samples of draft, up to 3 tokens a round"
    assert Call("t", draft="d").drafts == "samples of d, up to 20 tokens a round, to the first below 0.4"
    assert looking_up.facts.drafts == "prompt lookup, up to 3 tokens a round"
    assert drafting.facts.ends == frozenset()
    assert Transformers(Call("t", arguments={"guidance_scale": 1.5})).facts.settings["guidance_scale"] == "1.5"


class TestRefusals:
    @pytest.mark.parametrize(
        ("params", "sentence"),
        [
            (SamplingParams(forced_tokens={0: 1}), "forced_tokens is .* cannot be given to generate: .* no token but the last"),
            (SamplingParams(min_new_tokens=2, eos_token_id=END), "min_new_tokens is 2, which cannot be given .* end of a text"),
            (SamplingParams(logits_processor=lambda tokens, scores: scores), "logits_processor is .* cannot be given to generate"),
            (SamplingParams(dialect="vllm"), "the rules are of the dialect vllm; this engine has those of transformers"),
        ],
    )
    def test_name_the_parameter(self, plain: Transformers, params: SamplingParams, sentence: str) -> None:
        with pytest.raises(Unsupported, match=sentence):
            ask_all(plain, asks(params=params))

    @pytest.mark.parametrize(
        ("ask", "sentence"),
        [
            (Ask(4, (), SamplingParams(), 3), "request 4 has 0 tokens of prompt and asks for 3"),
            (Ask(4, (1,), SamplingParams(), 0), "request 4 has 1 tokens of prompt and asks for 0"),
            (Ask(4, (1,) * 60, SamplingParams(), 5), "more than the context of 64 together"),
            (Ask(4, (1, 264), SamplingParams(), 5), "request 4 holds token 264 in its prompt; the model has those from 0 to 263"),
            (Ask(4, (1,), SamplingParams(), 5, seed=-1), "request 4 has the seed -1; torch takes those from 0 to"),
        ],
    )
    def test_name_the_request(self, plain: Transformers, ask: Ask, sentence: str) -> None:
        with pytest.raises(BadRequest, match=sentence):
            ask_all(plain, [*asks(), ask])

    @pytest.mark.parametrize(
        ("given", "error", "sentence"),
        [
            ({"target": ""}, BadRequest, "no target is given"),
            ({"draft": "d", "lookup": True}, BadRequest, "both a draft model and prompt lookup are given"),
            ({"width": 0}, BadRequest, "width is 0; it must be at least 1"),
            ({"draft_stop": 1.0}, BadRequest, "draft_stop is 1.0; it must be a probability below 1"),
            ({"arguments": {"top_k": 3}}, BadRequest, "the argument top_k of generate is set by the audit"),
            ({"arguments": {"stop_strings": ["a"]}}, Unsupported, "the argument stop_strings of generate ends an answer early"),
        ],
    )
    def test_name_what_is_wrong_with_a_call(self, given: dict[str, Any], error: type[Exception], sentence: str) -> None:
        with pytest.raises(error, match=sentence):
            Call(**{"target": "t", **given})

    def test_every_argument_that_is_set_is_refused_from_others(self) -> None:
        from draftproof.audit.engines.hf_call import SET

        assert sampling_arguments(SamplingParams()).keys() <= SET

    def test_of_the_library_are_passed_on(self, target: str) -> None:
        with (
            Transformers(Call(target, arguments={"nonsense": 3})) as engine,
            pytest.raises(Unsupported, match=r"transformers refuses the call: .*nonsense"),
        ):
            ask_all(engine, asks())

    def test_a_call_that_breaks_is_an_engine_that_died(self, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*args: Any, **named: Any) -> None:
            raise IndexError("list index out of range\nand more")

        with Transformers(Call(target)) as engine:
            monkeypatch.setattr(engine._target, "generate", broken)
            with pytest.raises(Unavailable, match=r"generate failed with IndexError: list index out of range$"):
                ask_all(engine, asks())

    def test_a_folder_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(BadRequest, match="missing does not exist"), Transformers(Call(str(tmp_path / "missing"))):
            pass
