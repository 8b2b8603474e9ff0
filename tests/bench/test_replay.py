"""A replay is the decode that would have been: the same rounds, without the target."""

from itertools import cycle

import numpy as np
import pytest

from draftproof.bench.contender import Round
from draftproof.bench.replay import Text, replay, rounds
from draftproof.decode import Decoder
from draftproof.drafters.best_of import BestOf
from draftproof.drafters.function import FunctionDrafter, no_drafter
from draftproof.drafters.guess import GuessDrafter
from draftproof.drafters.lookup import Lookup
from draftproof.drafters.model import ModelDrafter
from draftproof.drafters.suffix import Suffix
from draftproof.draws import SeededDraws
from draftproof.engine import Engine
from draftproof.errors import BadRequest, Unsupported
from draftproof.models.cost import PassCost
from draftproof.models.language import LanguageModel
from draftproof.models.table import TableModel
from draftproof.proof.fixtures import pairs
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Limits
from draftproof.tree import Tree
from draftproof.verify import Coupled

VOCAB = 5
TARGET, DRAFT = (TableModel(np.array(model.table, float)) for model in pairs(1, VOCAB, seed=4)[0])
LIMITS = Limits(30, frozenset({3}))
PROMPTS = [(0, 1, 0, 1, 0), (2,), (4, 4, 1, 4, 4), (1, 2, 0), (0, 0), (2, 4)]
COST = PassCost(((1, 10.0), (2, 11.0), (4, 13.0), (9, 20.0)))

DRAFTERS = {
    "none": no_drafter(VOCAB),
    "lookup": GuessDrafter(Lookup(), VOCAB, 3),
    "suffix": GuessDrafter(Suffix(), VOCAB, 6),
    "best_of": BestOf([Lookup(), Suffix()], VOCAB, COST),
    "model": ModelDrafter(DRAFT, Tree.chain(4)),
    "best_of with a model": BestOf([Lookup()], VOCAB, COST, 4, ModelDrafter(DRAFT, Tree.chain(4)), PassCost(((1, 1.0), (2, 1.0)))),
    "the end, always": FunctionDrafter(lambda context: (3, 0, 0), VOCAB),
}


def sessions(decoder):
    """Each prompt with a seed of its own."""
    return [
        decoder.open(prompt, params=Verbatim(), limits=LIMITS, draws=SeededDraws(seed)) for seed, prompt in enumerate(PROMPTS, start=20)
    ]


def decoded(drafter, *, batch):
    """Rounds of a real decode, as many at once as `batch`."""
    decoder = Decoder(TARGET, drafter, Coupled())
    waiting, live, found = list(enumerate(sessions(decoder))), [], {}
    while live := live + [waiting.pop(0) for _ in range(min(batch - len(live), len(waiting)))]:
        for (entry, _), step in zip(live, decoder.step([session for _, session in live]), strict=True):
            found.setdefault(entry, []).append(Round(step.drafted, step.accepted))
        live = [each for each in live if each[1].finish is None]
    return {entry: tuple(of_one) for entry, of_one in sorted(found.items())}


@pytest.fixture(scope="module")
def texts():
    decoder = Decoder(TARGET, no_drafter(VOCAB), Coupled())
    opened = sessions(decoder)
    for _ in decoder.generate(opened):
        pass
    return [
        Text(prompt, tuple(session.emitted), seed, Verbatim(), LIMITS)
        for seed, (prompt, session) in enumerate(zip(PROMPTS, opened, strict=True), 20)
    ]


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("name", DRAFTERS)
def test_the_rounds_are_those_of_the_decode(texts, name, batch):
    expected = decoded(DRAFTERS[name], batch=batch)
    assert rounds(replay(DRAFTERS[name], texts, batch=batch)) == expected
    met = [each for of_one in expected.values() for each in of_one]
    if name not in ("none", "the end, always"):
        assert any(each.accepted for each in met)
        assert any(each.accepted < each.drafted for each in met)
    assert len({len(text.tokens) for text in texts}) > 1, "some texts end before others, so that a batch has newcomers"


def test_a_replay_with_another_seed_is_another(texts):
    """What a draft model draws hangs on the noise of the seed, so this comparison can fail."""
    drafter = DRAFTERS["model"]
    other = [Text(text.prompt, text.tokens, text.seed + 100, text.params, text.limits) for text in texts]
    assert rounds(replay(drafter, other)) != decoded(drafter, batch=1)


def test_of_a_real_model_the_rounds_are_those_of_the_engine(tiny: LanguageModel):
    prompts = ["one two one two one two", "hello there, hello there"]
    plain = Engine(tiny, drafter="none")
    wishes = plain.wishes({"temperature": 0.3}, max_tokens=24)
    running = [plain.start(prompt, 5, wishes) for prompt in prompts]
    for _ in plain.run(running, batch=2):
        pass
    texts = [Text.of(each) for each in running]
    for name, width in (("lookup", 4), ("suffix", 8), ("model", 3)):
        engine = Engine(tiny, drafter=name, width=width, draft_model=tiny if name == "model" else None)
        done = engine.generate(prompts, {"temperature": 0.3}, seed=[5, 5], max_tokens=24, batch=1)
        expected = {place: tuple(Round(step.drafted, step.accepted) for step in each.steps) for place, each in enumerate(done)}
        assert rounds(replay(engine.decoder.drafter, texts)) == expected
        assert sum(each.drafted for each in done) > 0


class TestTheQueue:
    def test_a_finished_text_makes_room_for_the_next(self, texts):
        passes = list(replay(DRAFTERS["none"], texts, batch=2))
        assert [row.entry for row in passes[0].rows] == [0, 1]
        assert all(len(each.rows) <= 2 for each in passes)
        firsts = [row.entry for each in passes for row in each.rows if row.first]
        assert sorted(firsts) == list(range(len(texts)))

    def test_without_an_end_it_stops_when_the_first_texts_have_ended(self, texts):
        passes = list(replay(DRAFTERS["suffix"], cycle(texts), batch=4, until=5))
        assert {len(each.rows) for each in passes} == {4}, "the batch was full to the last"
        found = rounds(passes)
        assert max(found) > 5
        assert [found[entry] for entry in range(5)] == [decoded(DRAFTERS["suffix"], batch=1)[entry] for entry in range(5)]

    def test_the_drafter_is_timed_alone(self, texts):
        ticks = iter(range(10**6))
        assert {each.draft_ms for each in replay(DRAFTERS["lookup"], texts, clock=lambda: next(ticks))} == {1000}


class TestWhatCannotBeReplayed:
    def test_is_a_text_that_was_interrupted(self):
        with pytest.raises(BadRequest, match="the text is not at its end after 2 tokens"):
            Text((0,), (1, 2), 0, Verbatim(), LIMITS)
        with pytest.raises(BadRequest, match="the text is not at its end after 0 tokens"):
            Text((0,), (), 0, Verbatim(), LIMITS)

    def test_is_a_text_whose_rules_remember_laws(self):
        with pytest.raises(Unsupported, match="mirostat remembers the laws of the target"):
            Text((0,), (3,), 0, SamplingParams(dialect="llamacpp", mirostat=2), LIMITS)
