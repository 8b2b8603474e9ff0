"""A whole audit of an engine: each word has its case, and no accident of the engine makes a PASS."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from draftproof.audit.engines.own import Own
from draftproof.audit.engines.protocol import Answer, Ask, Audited, Facts, Tier
from draftproof.audit.judgement import Audit, Condition, Counters, Judgement, judge
from draftproof.audit.law.plan import Goal, plan
from draftproof.audit.law.rows import Reference
from draftproof.audit.law.suspects import suspects
from draftproof.audit.store import Events
from draftproof.carriers import pick_row
from draftproof.catalogue import CATALOGUE
from draftproof.decode import Decoder
from draftproof.drafters.function import no_drafter
from draftproof.drafters.model import ModelDrafter
from draftproof.errors import Unavailable
from draftproof.models.table import TableModel
from draftproof.proof.campaign import Word
from draftproof.rules.rejection import rejection
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.protocol import Verbatim
from draftproof.tree import Tree
from draftproof.types import Draft, VerdictLaw
from draftproof.verify import Independent, Verification

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

VOCAB = 6


def table(seed: int) -> TableModel:
    return TableModel(np.random.default_rng(seed).dirichlet(np.ones(VOCAB), size=(VOCAB, VOCAB)))


TARGET, DRAFT = table(0), table(1)
REFERENCE = Reference(TARGET, Verbatim(), DRAFT)
SUSPECTS = tuple(one for one in suspects(draft=True) if one.name in ("draft leakage", "full-target fallback", "argmax", "uniform"))


@cache
def condition(**goal: float) -> Condition:
    planned = plan(REFERENCE, SUSPECTS, [(token,) for token in range(VOCAB)], Goal(**{"effect": 0.15, "length": 8} | goal))
    return Condition("as it is", SamplingParams(), REFERENCE, SUSPECTS, planned, seed=0)


def own(verification: Verification = CATALOGUE["rejection"].verification) -> Own:
    return Own(Decoder(TARGET, ModelDrafter(DRAFT, Tree.chain(2)), verification), drafts="a table", params=Verbatim(), together=64)


def whole_fallback(target_probs: np.ndarray, draft: Draft) -> VerdictLaw:
    """Rejection that falls back to the target."""
    return VerdictLaw(rejection(target_probs, draft).kept, lambda kept: pick_row(target_probs, kept))


class Altered:
    """An engine whose answers are changed on the way, and which may end."""

    def __init__(self, change: Callable[[Answer], Answer], *, engine: Audited | None = None, until: float = np.inf) -> None:
        self._change, self._engine, self._until = change, engine or own(), until
        self.facts, self.asked = self._engine.facts, list[int]()

    def answers(self, asks: Sequence[Ask]) -> Iterator[Answer]:
        for answer in self._engine.answers(asks):
            if len(self.asked) >= self._until:
                raise Unavailable("the engine died; see its log")
            self.asked.append(answer.number)
            yield self._change(answer)

    def __enter__(self) -> "Altered":
        return self

    def __exit__(self, *error: object) -> None:
        pass


@pytest.fixture(scope="module")
def sound() -> Judgement:
    return judge(own(), condition())


def test_an_exact_engine_passes(sound: Judgement) -> None:
    assert sound.word is Word.PASS
    assert "0.15" in sound.reason
    assert "0.999" in sound.reason
    assert sound.law.tokens < sound.condition.plan.tokens + 8
    assert sound.counters.engaged


def test_a_planted_fault_fails_early_and_is_named() -> None:
    found = judge(own(Independent(whole_fallback)), condition())
    assert found.word is Word.FAIL
    assert found.ranked[0].name == "full-target fallback"
    assert found.ranked[0].says in found.reason
    assert found.law.tokens < found.condition.plan.tokens


def test_where_nothing_is_drafted_nothing_was_tested() -> None:
    engine = Own(Decoder(TARGET, no_drafter(VOCAB), CATALOGUE["rejection"].verification), drafts="none, in truth", params=Verbatim())
    found = judge(engine, condition())
    assert found.word is Word.SKIPPED
    assert "drafted nothing" in found.reason


def test_where_all_is_accepted_one_side_was_not_tested() -> None:
    found = judge(Altered(lambda answer: replace(answer, accepted=3, drafted=3, rounds=None)), condition())
    assert found.word is Word.SKIPPED
    assert "all of" in found.reason


def test_an_engine_that_does_not_count_is_inconclusive() -> None:
    found = judge(Altered(lambda answer: replace(answer, drafted=None, accepted=None)), condition())
    assert found.word is Word.INCONCLUSIVE
    assert "does not say" in found.reason


def test_an_engine_without_drafts_need_not_count() -> None:
    engine = Own(Decoder(TARGET, no_drafter(VOCAB), CATALOGUE["rejection"].verification), params=Verbatim())
    assert judge(engine, condition()).word is Word.PASS


def test_tokens_that_run_out_are_inconclusive() -> None:
    found = judge(own(), condition(tokens=64, effect=0.02))
    assert found.word is Word.INCONCLUSIVE
    assert "64 tokens" in found.reason


def test_an_engine_that_dies_is_an_error() -> None:
    found = judge(Altered(lambda answer: answer, until=70), condition())
    assert found.word is Word.ERROR
    assert found.reason == "the engine died; see its log"


def test_an_engine_that_dies_after_it_was_refuted_has_failed() -> None:
    engine = Altered(lambda answer: answer, engine=own(Independent(whole_fallback)), until=64 * 40)
    assert judge(engine, condition()).word is Word.FAIL


def test_answers_that_are_lost_are_counted_and_what_came_of_them_is_judged(sound: Judgement) -> None:
    def cut(answer: Answer) -> Answer:
        return replace(answer, tokens=answer.tokens[:3], lost="it broke") if answer.number % 4 == 0 else answer

    found = judge(Altered(cut), condition())
    assert found.counters.lost == len(range(0, found.counters.answers, 4))
    assert found.law.tokens == found.counters.answers * 8 - found.counters.lost * 5
    assert found.word in (Word.PASS, Word.INCONCLUSIVE)


def test_answers_without_any_token_are_no_evidence() -> None:
    found = judge(Altered(lambda answer: replace(answer, tokens=(), lost="it broke")), condition(tokens=512))
    assert (found.word, found.reason) == (Word.ERROR, "every answer was lost: it broke")
    assert found.counters.lost == found.counters.answers == 64


def test_counters_that_contradict_the_output_fail() -> None:
    found = judge(Altered(lambda answer: replace(answer, accepted=9, drafted=20, rounds=None)), condition())
    assert found.word is Word.FAIL
    assert "9 accepted tokens and has 8" in found.reason


def test_more_accepted_than_drafted_is_a_contradiction() -> None:
    counters = Counters()
    counters.add(Answer(3, (1, 2, 3), drafted=1, accepted=2))
    assert counters.contradictions == ["answer 3 counts 2 accepted of 1 drafted tokens"]


def test_the_order_in_which_answers_come_does_not_matter(sound: Judgement) -> None:
    class Backwards(Altered):
        def answers(self, asks: Sequence[Ask]) -> Iterator[Answer]:
            return iter(list(super().answers(asks))[::-1])

    found = judge(Backwards(lambda answer: answer), condition())
    assert found.law.growth() == sound.law.growth()


def test_an_engine_is_judged_by_its_own_laws_where_it_tells_them() -> None:
    def with_laws(answer: Answer) -> Answer:
        rows = [TARGET.law([answer.number % VOCAB, *answer.tokens[:place]]) for place in range(len(answer.tokens))]
        return replace(answer, laws=np.array(rows))

    told = replace(condition(tokens=512), reference=None, suspects=suspects(draft=False))
    planned = replace(told.plan, prompts=tuple((token,) for token in range(VOCAB)))
    engine = Altered(with_laws)
    engine.facts = Facts("told", Tier.LAWS)
    assert judge(engine, replace(told, plan=planned)).word in (Word.PASS, Word.INCONCLUSIVE)
    assert judge(Altered(lambda answer: answer), told).word is Word.ERROR


def test_several_conditions_are_refuted_together(sound: Judgement) -> None:
    failed = judge(own(Independent(whole_fallback)), condition())
    audit = Audit(sound.facts, [sound, failed])
    assert audit.words == [Word.PASS, Word.FAIL]
    assert audit.refuted == [failed]
    assert Audit(sound.facts).refuted == []


class TestResumed:
    """An audit that was killed and begun again."""

    def test_it_says_the_same_and_asks_nothing_twice(self, tmp_path: Path, sound: Judgement) -> None:
        path = tmp_path / "events.jsonl"
        first = Altered(lambda answer: answer, until=70)
        assert judge(first, condition(), events=Events(path, {})).word is Word.ERROR
        kept = {number for _, number in Events(path, {}).known}
        second = Altered(lambda answer: answer)
        resumed = judge(second, condition(), events=Events(path, {}))
        assert (resumed.word, resumed.reason) == (sound.word, sound.reason)
        assert resumed.law.growth() == sound.law.growth()
        assert len(kept) == 64
        assert kept.isdisjoint(second.asked)

    def test_a_finished_one_asks_nothing_at_all(self, tmp_path: Path, sound: Judgement) -> None:
        path = tmp_path / "events.jsonl"
        judge(own(), condition(), events=Events(path, {}))
        again = Altered(lambda answer: answer, until=0)
        assert judge(again, condition(), events=Events(path, {})).reason == sound.reason
        assert again.asked == []

    def test_one_that_was_killed_while_it_wrote_goes_on_too(self, tmp_path: Path, sound: Judgement) -> None:
        path = tmp_path / "events.jsonl"
        judge(own(), condition(), events=Events(path, {}))
        path.write_bytes(path.read_bytes()[:-30])
        second = Altered(lambda answer: answer)
        resumed = judge(second, condition(), events=Events(path, {}))
        assert resumed.law.growth() == sound.law.growth()
        assert len(second.asked) == 1
