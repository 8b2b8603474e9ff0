"""A real llama.cpp server answers as it was asked, drafts are really made, and its death is no verdict."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from draftproof.audit.engines.llamacpp import LARGEST_SEED, LlamaCpp
from draftproof.audit.engines.llamacpp_server import Serving
from draftproof.audit.engines.protocol import Answer, Ask, Audited, Tier
from draftproof.audit.engines.wire import Wire
from draftproof.errors import BadRequest, DraftproofError, Unavailable, Unsupported
from draftproof.models.language import LanguageModel
from draftproof.models.protocol import Block
from draftproof.models.tiny import write_tiny_gguf
from draftproof.models.tiny_model import TOKENS
from draftproof.sampling.params import SamplingParams

pytest.importorskip("xllamacpp")

PLAIN = SamplingParams(dialect="llamacpp")
COLD = SamplingParams(dialect="llamacpp", temperature=0.5)
LENGTH = 24


def asks(params: SamplingParams, count: int = 12, length: int = LENGTH) -> list[Ask]:
    return [Ask(number, (72, 101, 108, 108 + number % 3), params, length, seed=number) for number in range(count)]


def answered(engine: LlamaCpp, wanted: list[Ask]) -> list[Answer]:
    return sorted(engine.answers(wanted), key=lambda answer: answer.number)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The target's weights, rounded: a draft that is often right."""
    return write_tiny_gguf(tmp_path_factory.mktemp("draft") / "draft.gguf", quantisation="Q8_0")


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_gguf(tmp_path_factory.mktemp("draft") / "stranger.gguf", seed=1)


@pytest.fixture(scope="module")
def plain(tiny_gguf: Path) -> Iterator[LlamaCpp]:
    with LlamaCpp(Serving(str(tiny_gguf)), laws=True) as engine:
        yield engine


@pytest.fixture(scope="module")
def greedy(tiny_gguf: Path, other: Path) -> Iterator[LlamaCpp]:
    with LlamaCpp(Serving(str(tiny_gguf), draft=str(other))) as engine:
        yield engine


def test_it_is_an_audited_engine(plain: LlamaCpp, greedy: LlamaCpp) -> None:
    assert isinstance(plain, Audited)
    assert plain.draft_params(PLAIN) is None
    assert (plain.facts.tier, plain.facts.drafts, plain.facts.ends) == (Tier.LAWS, "", frozenset())
    assert (greedy.facts.tier, greedy.facts.drafts) == (Tier.TOKENS, "greedy drafts of draft.gguf, up to 3 tokens a round")
    assert plain.facts.name.startswith("llama.cpp (xllamacpp 2")


def test_plain_answers_have_no_drafts_and_the_asked_length(plain: LlamaCpp) -> None:
    answers = answered(plain, asks(PLAIN))
    assert [answer.number for answer in answers] == list(range(12))
    assert all(len(answer.tokens) == LENGTH and not answer.lost for answer in answers)
    assert {(answer.drafted, answer.accepted) for answer in answers} == {(None, None)}
    assert len({answer.tokens for answer in answers}) == 12


@pytest.mark.parametrize("sampling", ["greedy", "probabilistic"])
def test_drafts_are_made_kept_and_refused(tiny_gguf: Path, other: Path, stranger: Path, sampling: str) -> None:
    with LlamaCpp(Serving(str(tiny_gguf), draft=str(other), draft_sampling=sampling)) as engine:
        answers = answered(engine, asks(COLD, 24))
        assert all(len(answer.tokens) == LENGTH for answer in answers)
    drafted, accepted = sum(answer.drafted or 0 for answer in answers), sum(answer.accepted or 0 for answer in answers)
    assert 0.02 * drafted < accepted < drafted
    with LlamaCpp(Serving(str(tiny_gguf), draft=str(stranger), draft_sampling=sampling)) as engine:
        assert sum(answer.drafted or 0 for answer in answered(engine, asks(COLD, 4))) > 0


@pytest.mark.parametrize(
    ("sampling", "rules"), [("greedy", {"temperature": 0.5}), ("probabilistic", {"temperature": 0.5}), ("probabilistic", {"top_k": 5})]
)
def test_what_is_kept_is_the_overlap_with_the_law_of_the_draft(
    tiny_gguf: Path, tiny: LanguageModel, sampling: str, rules: dict[str, Any]
) -> None:
    params = SamplingParams(dialect="llamacpp", **rules)
    with LlamaCpp(Serving(str(tiny_gguf), draft=str(tiny_gguf), draft_sampling=sampling, width=1)) as engine:
        wanted = asks(params, 20, 40)
        answers, followed, drawn = answered(engine, wanted), engine.follows(params), engine.draft_params(params)
    assert drawn is not None
    overlaps: list[float] = []
    for ask, answer in zip(wanted, answers, strict=True):
        text, parents = answer.tokens[:-1], list(range(39))
        [logits] = tiny.model.extend([tiny.model.start()], [Block(ask.prompt, text, parents)])
        target, draft = (rule.laws(logits, rule.start(ask.prompt), text, parents)[0] for rule in (followed, drawn))
        overlaps += np.minimum(target, draft).sum(-1).tolist()
    drafted, accepted = sum(answer.drafted or 0 for answer in answers), sum(answer.accepted or 0 for answer in answers)
    assert drafted > 300
    assert accepted / drafted == pytest.approx(np.mean(overlaps), abs=0.1)
    assert 0.1 < np.mean(overlaps) < 0.9


def test_a_lookup_drafts_what_followed(tiny_gguf: Path) -> None:
    cycle = range(65, 71)
    again = SamplingParams(dialect="llamacpp", temperature=0.3, logit_bias=dict.fromkeys(cycle, 5.0))
    with LlamaCpp(Serving(str(tiny_gguf), lookup="ngram-simple", lookup_size=2)) as engine:
        answers = answered(engine, [Ask(number, (*cycle,) * 8, again, 40, seed=number) for number in range(8)])
    assert sum(answer.drafted or 0 for answer in answers) > sum(answer.accepted or 0 for answer in answers) > 0


def test_one_seed_is_one_answer(plain: LlamaCpp) -> None:
    first, second = (answered(plain, asks(COLD, 3)) for _ in range(2))
    assert [answer.tokens for answer in first] == [answer.tokens for answer in second]
    unseeded = [Ask(number, (72,), PLAIN, LENGTH) for number in range(8)]
    assert len({answer.tokens for answer in plain.answers(unseeded)}) == 8


ASCII = dict.fromkeys(range(128, 256), -np.inf)
"""Only tokens that are whole characters, since of the others llama.cpp tells no law."""


@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"temperature": 0.6},
        {"top_k": 9},
        {"top_p": 0.5},
        {"min_p": 0.3},
        {"typical_p": 0.4, "top_k": 60},
        {"top_n_sigma": 1.0},
        {"repetition_penalty": 1.5},
        {"frequency_penalty": 0.9, "presence_penalty": 0.4},
        {"presence_penalty": 0.9, "penalty_last_n": 3},
        {"logit_bias": {70: 5.0, 71: -np.inf}},
    ],
    ids=str,
)
def test_the_law_of_every_token_is_that_of_the_reference(plain: LlamaCpp, tiny: LanguageModel, rules: dict[str, Any]) -> None:
    """The reference follows `follows`: without the bans of the ends of text the laws would not meet."""
    bias = ASCII | rules.get("logit_bias", {})
    params = SamplingParams(dialect="llamacpp", **rules | {"logit_bias": bias})
    ask = Ask(0, (72, 101, 108, 108, 111), params, 16, seed=5)
    [answer] = plain.answers([ask])
    assert answer.laws is not None
    assert answer.laws.shape == (16, tiny.model.vocab)
    drafted, parents = answer.tokens[:-1], range(15)
    [logits] = tiny.model.extend([tiny.model.start()], [Block(ask.prompt, drafted, list(parents))])
    followed = plain.follows(params)
    expected, _ = followed.laws(logits, followed.start(ask.prompt), drafted, list(parents))
    apart = abs(answer.laws - expected).sum(-1) / 2
    assert np.median(apart) < 2e-3, apart
    assert (apart > 0.02).mean() < 0.2, "a token at the edge of a cut may fall to the other side"
    ends = sorted(plain.ends)
    assert not answer.laws[:, ends].any()


def test_the_ends_of_text_are_known_and_banned(plain: LlamaCpp) -> None:
    assert plain.ends == {256, 258}
    wanted = SamplingParams(dialect="llamacpp", logit_bias={258: 50.0, 7: 1.0})
    assert dict(plain.follows(wanted).logit_bias) == {7: 1.0, 256: -np.inf, 258: -np.inf}
    assert all(258 not in answer.tokens for answer in plain.answers(asks(wanted, 4)))


def test_an_end_of_text_ends_an_answer_where_it_is_left_in(tiny_gguf: Path) -> None:
    likely = SamplingParams(dialect="llamacpp", logit_bias={258: 50.0})
    with LlamaCpp(Serving(str(tiny_gguf)), past_ends=False) as engine:
        assert engine.facts.ends == {256, 258}
        assert engine.follows(likely) is likely
        [answer] = engine.answers(asks(likely, 1))
    assert answer.tokens == (258,)
    assert not answer.lost


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"prompt": ()}, BadRequest, "0 tokens of prompt"),
        ({"length": 0}, BadRequest, "asks for 0"),
        ({"length": 600}, BadRequest, "more than the context of 512 together"),
        ({"prompt": (264,)}, BadRequest, "token 264 in its prompt; the model has those from 0 to 263"),
        ({"seed": -1}, BadRequest, "the seed -1"),
        ({"seed": LARGEST_SEED + 1}, BadRequest, "takes those from 0 to 4294967294"),
        ({"params": SamplingParams()}, Unsupported, "rules of the dialect transformers; this engine has those of llamacpp"),
        ({"params": SamplingParams(dialect="llamacpp", dry_multiplier=1)}, Unsupported, "dry_multiplier"),
        ({"params": SamplingParams(dialect="llamacpp", typical_p=0.5)}, Unsupported, "typical_p is 0.5 while 2 tokens are banned"),
        ({"params": SamplingParams(dialect="llamacpp", xtc_probability=0.5)}, Unsupported, "the law after its coin"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(plain: LlamaCpp, change: dict[str, Any], error: type[Exception], match: str) -> None:
    wanted: dict[str, Any] = {"number": 3, "prompt": (72,), "params": PLAIN, "length": 4, "seed": 1} | change
    with pytest.raises(error, match=match):
        plain.answers([Ask(**wanted)])


def test_laws_of_rounds_with_drafts_are_refused(tiny_gguf: Path) -> None:
    with pytest.raises(Unsupported, match="no law of a token that came of a round with drafts"):
        LlamaCpp(Serving(str(tiny_gguf), draft=str(tiny_gguf)), laws=True)


def test_a_draft_of_another_vocabulary_is_loaded_and_never_used(tiny_gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """llama.cpp says so in its log and serves without drafts; entering refuses."""
    with monkeypatch.context() as patch:
        for module in ("tiny_model", "tiny_gguf"):
            patch.setattr(f"draftproof.models.{module}.TOKENS", (*TOKENS, *(f"more{number}" for number in range(200))))
        larger = write_tiny_gguf(tmp_path / "larger.gguf")
    engine = LlamaCpp(Serving(str(tiny_gguf), draft=str(larger)))
    with pytest.raises(Unsupported, match=r"loads the draft .*larger\.gguf and does not use it"):
        engine.__enter__()
    assert engine.server.death == "it was stopped"


def test_a_server_that_is_killed_is_unavailable_and_stops_all_requests(tiny_gguf: Path) -> None:
    with LlamaCpp(Serving(str(tiny_gguf))) as engine:
        answers = engine.answers(asks(PLAIN, 400))
        came = [next(answers)]
        os.kill(engine.server.pid, signal.SIGKILL)
        with pytest.raises(Unavailable, match=r"was ended by SIGKILL while it answered; .*start it again"):
            came.extend(answers)
    assert 0 < len(came) < 400


def test_it_is_asked_between_entering_and_leaving_only(tiny_gguf: Path) -> None:
    engine = LlamaCpp(Serving(str(tiny_gguf)))
    with engine:
        ask = asks(PLAIN, 1)
        assert len(answered(engine, ask)) == 1
    with pytest.raises(Unavailable, match="not running"):
        answered(engine, ask)


class TestAgainstAServerThatErrs:
    """The true server in front, and its answers spoilt on their way."""

    @pytest.fixture
    def spoilt(self, tiny_gguf: Path, serve: Any, reply: Any) -> Iterator[Callable[[Callable[[dict[str, Any]], Any]], LlamaCpp]]:
        with LlamaCpp(Serving(str(tiny_gguf))) as engine:
            true = Wire(engine.server.address)
            own = engine._require_wire()
            opened: list[Wire] = [true, own]

            def spoil(change: Callable[[dict[str, Any]], Any]) -> LlamaCpp:
                def answer(asked: Any) -> Any:
                    return reply({"status": "ok"}) if not asked.body else change(true.post(asked.path, asked.body))

                opened.append(Wire(serve(answer).address))
                engine._wire = opened[-1]
                return engine

            yield spoil
            engine._wire = None
            for wire in opened:
                wire.close()

    @pytest.mark.parametrize(
        ("change", "error", "match"),
        [
            ({"tokens": "abc"}, Unavailable, "answered with str where token ids must stand"),
            ({"tokens": [2**70]}, Unavailable, "answered with the token 1180591620717411303424; the model has those from 0 to 263"),
            ({"tokens": [True]}, Unavailable, "the token True"),
            ({"generation_settings": None}, Unavailable, "does not tell what it sampled by"),
            ({"timings": {"draft_n": -1, "draft_n_accepted": 0}}, Unavailable, "must be counts"),
        ],
    )
    def test_what_cannot_be_is_told(
        self, spoilt: Any, reply: Any, change: dict[str, Any], error: type[DraftproofError], match: str
    ) -> None:
        with pytest.raises(error, match=match):
            answered(spoilt(lambda message: reply(message | change)), asks(PLAIN, 1))

    @pytest.mark.parametrize(
        ("name", "value"), [("top_k", 40), ("temperature", 0.8), ("samplers", ["top_k"]), ("logit_bias", [{"token": 256, "bias": None}])]
    )
    def test_a_rule_that_was_not_followed_is_an_error(self, spoilt: Any, reply: Any, name: str, value: Any) -> None:
        def change(message: dict[str, Any]) -> Any:
            return reply(message | {"generation_settings": message["generation_settings"] | {name: value}})

        with pytest.raises(Unsupported, match=f"asked for .*{name.split('_')[-1]}"):
            answered(spoilt(change), asks(PLAIN, 1))

    def test_an_answer_that_is_cut_is_lost_and_the_others_go_on(self, spoilt: Any, reply: Any) -> None:
        count = iter(range(100))
        answers = answered(spoilt(lambda message: reply(message, cut=9 if next(count) == 2 else 0)), asks(PLAIN, 8))
        assert [bool(answer.lost) for answer in answers].count(True) == 1
        [lost] = [answer for answer in answers if answer.lost]
        assert lost.tokens == ()
        assert "broke off" in lost.lost

    def test_an_answer_that_ends_before_its_length_is_lost(self, spoilt: Any, reply: Any) -> None:
        [answer] = answered(spoilt(lambda message: reply(message | {"tokens": message["tokens"][:5]})), asks(PLAIN, 1))
        assert len(answer.tokens) == 5
        assert answer.lost == "the server ended the answer before its length"
