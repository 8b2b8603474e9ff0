"""What is asked in each circumstance, and what greedy texts are told to say."""

from collections.abc import Iterator, Sequence

import pytest

from draftproof.audit.engines.protocol import Answer, Ask, Facts, Tier
from draftproof.audit.state.circumstances import CIRCUMSTANCES, Asking, Circumstance, Needs, alone, greedy_check
from draftproof.audit.state.greedy_text import Difference, GreedyText
from draftproof.proof.campaign import Word
from draftproof.sampling.params import SamplingParams

PROMPTS = ((1, 2, 3), (4, 5))


class Echo:
    """Emits its prompt's last token over and over, in the wrong order of requests, and keeps what it was asked."""

    facts = Facts("echo", Tier.TOKENS)

    def __init__(self) -> None:
        self.batches: list[list[Ask]] = []

    def answers(self, asks: Sequence[Ask]) -> Iterator[Answer]:
        self.batches.append(list(asks))
        for ask in reversed(asks):
            yield Answer(ask.number, (ask.prompt[-1],) * ask.length)

    def __enter__(self) -> "Echo":
        return self

    def __exit__(self, *error: object) -> None:
        pass


def asked(name: str) -> tuple[Echo, Asking]:
    engine = Echo()
    asking = Asking(engine, SamplingParams(temperature=0.7), 8, 40)
    next(each for each in CIRCUMSTANCES if each.name == name).run(asking, PROMPTS)
    return engine, asking


@pytest.mark.parametrize("name", [each.name for each in CIRCUMSTANCES])
def test_answers_belong_to_their_requests_and_what_is_judged_is_greedy(name: str) -> None:
    engine, asking = asked(name)
    greedy = [ask for batch in engine.batches for ask in batch if ask.params.temperature == 0]
    assert [(text.prompt, len(text.tokens)) for text in asking.judged] == [(ask.prompt, ask.length) for ask in greedy]
    assert all(set(text.tokens) == {text.prompt[-1]} for text in asking.judged)
    numbers = [ask.number for batch in engine.batches for ask in batch]
    assert numbers == list(range(len(numbers)))


def test_a_prompt_comes_back_whole() -> None:
    engine, _ = asked("the same prompt twice")
    assert [batch[0].prompt for batch in engine.batches] == [PROMPTS[0], PROMPTS[0], PROMPTS[1], PROMPTS[1]]


def test_prompts_go_on_from_a_sampled_answer() -> None:
    engine, _ = asked("a shared prefix after refusals")
    [sampled], [whole], [half], [none] = engine.batches[:4]
    assert sampled.params.temperature == 0.7
    assert (len(whole.prompt), len(half.prompt), none.prompt) == (3 + 8, 3 + 4, PROMPTS[0])


def test_a_ragged_batch_is_one_batch() -> None:
    engine, _ = asked("a ragged batch")
    [batch] = engine.batches
    assert {len(ask.prompt) for ask in batch} == {1, 2, 3, 4, 6}
    assert {ask.length for ask in batch} == {8, 2, 4}


def test_rounds_without_a_draft_are_provoked() -> None:
    engine, _ = asked("rounds without a draft")
    assert [batch[0].length for batch in engine.batches].count(1) == 8
    last = engine.batches[-1][0].prompt
    assert len(set(last)) == len(last)


NEEDS_REFUSAL, NEEDS_NO_DRAFT = (Circumstance("it", alone, needs) for needs in Needs)
AGREE = GreedyText(10, 2, (), 0.01)


@pytest.mark.parametrize(
    ("circumstance", "drafted", "accepted", "rounds", "word"),
    [
        (NEEDS_REFUSAL, 4, 3, None, Word.PASS),
        (NEEDS_REFUSAL, 4, 4, None, Word.INCONCLUSIVE),
        (NEEDS_REFUSAL, 0, 0, None, Word.INCONCLUSIVE),
        (NEEDS_REFUSAL, None, None, None, Word.PASS),
        (NEEDS_NO_DRAFT, 4, 3, ((4, 3), (0, 0)), Word.PASS),
        (NEEDS_NO_DRAFT, 0, 0, None, Word.PASS),
        (NEEDS_NO_DRAFT, 5, 3, ((4, 3), (1, 0)), Word.SKIPPED),
        (NEEDS_NO_DRAFT, 4, 3, None, Word.SKIPPED),
    ],
)
def test_what_did_not_come_about_was_not_tested(
    circumstance: Circumstance, drafted: int | None, accepted: int | None, rounds: tuple[tuple[int, int], ...] | None, word: Word
) -> None:
    answers = [Answer(0, (1,), drafted=drafted, accepted=accepted, rounds=rounds)]
    assert greedy_check(circumstance, AGREE, answers, drafts=True).word is word
    assert greedy_check(circumstance, AGREE, answers, drafts=False).word is Word.PASS


def test_near_ties_are_counted_and_gaps_fail() -> None:
    tie, gap = Difference(0, 3, 1, 2, 0.001), Difference(1, 5, 7, 8, 2.5)
    near = greedy_check(NEEDS_REFUSAL, GreedyText(10, 2, (tie,), 0.01), [], drafts=False)
    assert near.word is Word.PASS
    assert "but for 1 near tie (near is within 0.01 nats, as it is at 2 places)" in near.sentence
    far = greedy_check(NEEDS_REFUSAL, GreedyText(10, 2, (tie, gap), 0.01), [], drafts=False)
    assert far.word is Word.FAIL
    assert "1 of 10 greedy tokens are not the target's likeliest, the first at place 5 of text 1 by 2.5 nats" in far.sentence
    assert far.details == (
        "text 1, place 5: token 7 where 8 is likelier by 2.5 nats",
        "text 0, place 3: token 1 where 2 is likelier by 0.001 nats",
    )


def test_lost_answers_are_told_and_none_at_all_are_skipped() -> None:
    lost = [Answer(0, (), lost="dropped")]
    check = greedy_check(NEEDS_REFUSAL, GreedyText(0, 0, (), 0.01), lost, drafts=True)
    assert check.word is Word.SKIPPED
    assert check.details == ("1 answers came in part",)
