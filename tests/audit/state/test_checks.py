"""A sound engine passes every experiment; each planted fault of its memory or its randomness fails the one that is for it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from draftproof.audit.check import Check
from draftproof.audit.engines.own import Own
from draftproof.audit.engines.protocol import Answer, Ask, Audited, Facts
from draftproof.audit.law.rows import Reference
from draftproof.audit.state.checks import StateSettings, state_checks
from draftproof.decode import Decoder
from draftproof.drafters.model import ModelDrafter
from draftproof.errors import BadRequest, Unavailable
from draftproof.models.protocol import Block
from draftproof.models.table import TableCache, TableModel
from draftproof.proof.campaign import Word
from draftproof.rules.rejection import rejection
from draftproof.sampling.params import SamplingParams
from draftproof.tree import Tree
from draftproof.verify import Independent

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

VOCAB = 10
PROMPTS = ((1, 2, 3, 4), (5, 6, 1))
SETTINGS = StateSettings(params=SamplingParams(temperature=0.8), length=11, long=60, promises_seeds=True, many=24)


@dataclass(frozen=True)
class Logits:
    """A table model whose rows are logits."""

    table: TableModel

    @property
    def vocab(self) -> int:
        return self.table.vocab

    def start(self) -> TableCache:
        return self.table.start()

    def extend(self, caches: Sequence[TableCache], blocks: Sequence[Block]) -> list[np.ndarray]:
        return [np.log(rows) for rows in self.table.extend(caches, blocks)]


@cache
def tables() -> tuple[TableModel, TableModel]:
    """A target, and a draft that is often of its opinion."""
    random = np.random.default_rng(0)
    target, noise = (random.dirichlet(np.full(VOCAB, 0.6), size=(VOCAB, VOCAB)) + 1e-4 for _ in range(2))
    rows = (part / part.sum(-1, keepdims=True) for part in (target, target + 0.7 * noise))
    first, second = (TableModel(part) for part in rows)
    return first, second


def engine(target: object | None = None) -> Own:
    """Our own, which now and then drafts nothing; around another model of the target if one is given."""
    drafter = ModelDrafter(Logits(tables()[1]), Tree.chain(3), depth=lambda request: (3, 2, 0, 3)[len(request.context) % 4])
    return Own(Decoder(target or Logits(tables()[0]), drafter, Independent(rejection)), drafts="a model")  # type: ignore[arg-type]


REFERENCE = Reference(Logits(tables()[0]), SamplingParams())


def checks(audited: Audited, settings: StateSettings = SETTINGS, *, until: str = "") -> dict[str, Check]:
    """The experiments by name, up to one of them."""
    found = {}
    for check in state_checks(audited, REFERENCE, PROMPTS, settings):
        found[check.name] = check
        if check.name == until:
            break
    return found


def test_a_sound_engine_passes_everything() -> None:
    found = checks(engine())
    told = found.pop("log-probabilities")
    assert told.word is Word.SKIPPED
    assert {check.word for check in found.values()} == {Word.PASS}, found
    assert list(found) == [
        "greedy text",
        "the same prompt twice",
        "a shared prefix after refusals",
        "a ragged batch",
        "rounds without a draft",
        "a long answer",
        "seeds",
        "equal answers without a seed",
        "neighbouring answers",
    ]
    assert "within 0.01 nats" in found["greedy text"].sentence


class Sticky(TableCache):
    """Where a draft was refused, its first refused token stays instead of the last one that was kept."""

    def keep(self, start: int, offsets: Sequence[int]) -> None:
        held = self.tokens[start:]
        super().keep(start, offsets)
        if len(held) > len(offsets):
            self.tokens[-1] = held[len(offsets)]


@dataclass(frozen=True)
class KeepsRefused(Logits):
    def start(self) -> TableCache:
        return Sticky([])


@dataclass(frozen=True)
class MixesRows(Logits):
    """In a pass over texts of different lengths the first gets the row of the last."""

    def extend(self, caches: Sequence[TableCache], blocks: Sequence[Block]) -> list[np.ndarray]:
        rows = super().extend(caches, blocks)
        if len({cache.length for cache in caches}) > 1:
            rows[0] = np.concatenate([rows[-1][:1], rows[0][1:]])
        return rows


@dataclass(frozen=True)
class StaleWithoutDraft(Logits):
    """A pass without drafted tokens gives the row of one place before."""

    def extend(self, caches: Sequence[TableCache], blocks: Sequence[Block]) -> list[np.ndarray]:
        rows = super().extend(caches, blocks)
        return [
            each if block.drafted else np.log(self.table.law(cache.tokens[:-1]))[None]
            for each, cache, block in zip(rows, caches, blocks, strict=True)
        ]


@dataclass(frozen=True)
class ForgetsLongTexts(Logits):
    """Beyond 48 tokens the last one is not seen."""

    def extend(self, caches: Sequence[TableCache], blocks: Sequence[Block]) -> list[np.ndarray]:
        rows = super().extend(caches, blocks)
        return [np.roll(each, 1, -1) if cache.length > 48 else each for each, cache in zip(rows, caches, strict=True)]


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        (KeepsRefused, "greedy text"),
        (MixesRows, "a ragged batch"),
        (StaleWithoutDraft, "rounds without a draft"),
        (ForgetsLongTexts, "a long answer"),
    ],
)
def test_a_fault_of_the_cache_fails_where_it_shows(fault: type[Logits], name: str) -> None:
    found = checks(engine(fault(tables()[0])), until=name)
    check = found[name]
    assert check.word is Word.FAIL
    if fault in (MixesRows, ForgetsLongTexts):
        assert found["greedy text"].word is Word.PASS
    assert "place" in check.sentence
    assert "nats" in check.sentence
    assert check.values["largest_gap"] > SETTINGS.tolerance


@dataclass
class Between:
    """An engine to whose requests, and to whose answers, something happens on the way."""

    inner: Audited
    asked: Callable[[Sequence[Ask]], Sequence[Ask]] = lambda asks: asks
    answered: Callable[[Ask, Answer], Answer] = lambda ask, answer: answer

    @property
    def facts(self) -> Facts:
        return self.inner.facts

    def answers(self, asks: Sequence[Ask]) -> Iterator[Answer]:
        by_number = {ask.number: ask for ask in asks}
        for answer in self.inner.answers(self.asked(asks)):
            yield self.answered(by_number[answer.number], answer)

    def __enter__(self) -> "Between":
        return self

    def __exit__(self, *error: object) -> None:
        pass


class StalePrefixes:
    """A cache of texts by their beginnings that holds, of a text it knows, a wrong last token.

    Args:
        answers_too: whether it knows the emitted tokens, or the prompts alone.
    """

    def __init__(self, *, answers_too: bool) -> None:
        self._known: set[tuple[int, ...]] = set()
        self._answers_too = answers_too

    def asked(self, asks: Sequence[Ask]) -> list[Ask]:
        return [replace(ask, prompt=(*ask.prompt[:-1], (ask.prompt[-1] + 3) % VOCAB)) if ask.prompt in self._known else ask for ask in asks]

    def answered(self, ask: Ask, answer: Answer) -> Answer:
        self._known.add((*ask.prompt, *answer.tokens) if self._answers_too else ask.prompt)
        return answer


@pytest.mark.parametrize(("answers_too", "name"), [(False, "the same prompt twice"), (True, "a shared prefix after refusals")])
def test_a_stale_prefix_is_found_when_it_is_used_again(answers_too: bool, name: str) -> None:
    stale = StalePrefixes(answers_too=answers_too)
    found = checks(Between(engine(), stale.asked, stale.answered), until=name)
    assert found[name].word is Word.FAIL
    assert found["greedy text"].word is Word.PASS


def test_requests_that_share_their_random_numbers_are_found() -> None:
    found = checks(Between(engine(), lambda asks: [replace(ask, seed=7) if ask.seed is None else ask for ask in asks]))
    assert found["equal answers without a seed"].word is Word.FAIL
    assert "share their random numbers" in found["equal answers without a seed"].sentence
    assert found["neighbouring answers"].word is Word.FAIL
    assert found["greedy text"].word is Word.PASS


def test_a_seed_that_depends_on_the_company_breaks_its_promise() -> None:
    audited = Between(engine(), lambda asks: [replace(ask, seed=None if ask.seed is None else ask.seed + len(asks)) for ask in asks])
    check = checks(audited, until="seeds")["seeds"]
    assert check.word is Word.FAIL
    assert "alone again the same text and in a batch another text from place" in check.sentence


def test_an_engine_that_dies_is_an_error_and_the_rest_is_skipped() -> None:
    asked = []

    def dies(asks: Sequence[Ask]) -> Sequence[Ask]:
        asked.append(asks)
        if len(asked) > 6:
            raise Unavailable("the server is gone")
        return asks

    found = [check.word for check in state_checks(Between(engine(), dies), REFERENCE, PROMPTS, SETTINGS)]
    assert found[:3] == [Word.PASS, Word.PASS, Word.ERROR]
    assert set(found[3:]) == {Word.SKIPPED}


def test_an_engine_that_never_refuses_leaves_its_rollback_untested() -> None:
    perfect = Own(Decoder(Logits(tables()[0]), ModelDrafter(Logits(tables()[0]), Tree.chain(3)), Independent(rejection)), drafts="itself")
    found = checks(perfect, until="rounds without a draft")
    assert found["greedy text"].word is Word.INCONCLUSIVE
    assert "no draft was refused" in found["greedy text"].sentence
    assert found["rounds without a draft"].word is Word.SKIPPED


@pytest.mark.parametrize(
    "change",
    [{"length": 0}, {"many": 1}, {"long": -1}, {"tolerance": -1.0}, {"alpha": 0.0}, {"params": SamplingParams(temperature=0)}],
    ids=lambda change: next(iter(change)),
)
def test_settings_that_test_nothing_are_refused(change: dict) -> None:
    with pytest.raises(BadRequest):
        replace(SETTINGS, **change)


@pytest.mark.parametrize("prompts", [(), ((),)])
def test_prompts_are_needed(prompts: tuple) -> None:
    with pytest.raises(BadRequest, match="prompts"):
        list(state_checks(engine(), REFERENCE, prompts, SETTINGS))
