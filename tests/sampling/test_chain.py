"""A block has the laws of its prefixes, whatever the transforms; what is out of reach is no error; what is empty is named."""

from itertools import combinations

import numpy as np
import pytest

from draftproof.errors import BadLaw, Unsupported
from draftproof.sampling.chain import Chain, Prefix
from draftproof.sampling.cuts import Epsilon, Eta, MinP, TopK, TopNSigma, TopP, Typical
from draftproof.sampling.dry import Dry
from draftproof.sampling.memory import Counts
from draftproof.sampling.mirostat import Mirostat, Surprise
from draftproof.sampling.penalties import FrequencyPenalty, PresencePenalty, RepetitionPenalty
from draftproof.sampling.sequences import BadWords, NoRepeatNgram
from draftproof.sampling.tail import Ties
from draftproof.sampling.temperature import Greedy, Temperature
from draftproof.sampling.tokens import AllowedTokens, ForcedTokens, LogitBias, MinNewTokens
from draftproof.sampling.transform import Transform
from draftproof.sampling.xtc import Xtc

VOCAB = 12
STEPS: tuple[Transform, ...] = (
    LogitBias(((1, 1.5), (2, -1.0))),
    AllowedTokens((0, 1, 2, 3, 5, 7, 8, 9, 11)),
    RepetitionPenalty(1.3, Counts(True)),
    FrequencyPenalty(0.7, Counts(False)),
    PresencePenalty(0.7, Counts(True, 3)),
    NoRepeatNgram(2),
    BadWords(((1, 2), (3,)), True),
    MinNewTokens(3, (0,)),
    ForcedTokens(((2, 5),)),
    Dry(0.8, 1.75, 1, ((3,),), None),
    Temperature(0.6),
    TopNSigma(2.0),
    TopK(6, Ties.LOW_IDS_STAY),
    TopP(0.9, Ties.HIGH_IDS_STAY),
    MinP(0.05),
    Typical(0.9, Ties.ALL_STAY, False),
    Epsilon(0.02),
    Eta(0.05),
    Xtc(0.4, 0.15),
    Mirostat(Surprise(1.5, 0.4)),
    Greedy(),
)
PARENTS = [0, 0, 1, 2, 3, 3, 4]
"""A tree of seven drafted tokens."""


def draft_one_at_a_time(chain: Chain, logits: np.ndarray, start: Prefix, rng: np.random.Generator) -> tuple[list[int], list[np.ndarray]]:
    """Drafted tokens, each drawn from the law after its own path, and the law of every row, one row and one fold at a time."""
    drafted, prefixes, laws = [], [start], [chain.law(logits[0], start)]
    for row, parent in enumerate(PARENTS, start=1):
        drafted.append(int(rng.choice(VOCAB, p=laws[parent] / laws[parent].sum())))
        prefixes.append(chain.fold(prefixes[parent], drafted[-1], laws[parent]))
        laws.append(chain.law(logits[row], prefixes[row]))
    return drafted, laws


PAIRS = [*((step,) for step in STEPS), *combinations(STEPS, 2), STEPS[:-1], STEPS[:10]]


@pytest.mark.usefixtures("unchecked_shapes")
def test_every_step_alone_and_in_all_pairs_gives_each_row_the_law_of_its_prefix() -> None:
    stale = 0
    for index, steps in enumerate(PAIRS):
        rng = np.random.default_rng(index)
        chain, logits, prompt = Chain(tuple(steps)), rng.normal(size=(8, VOCAB), scale=2), [1, 4, 1]
        drafted, expected = draft_one_at_a_time(chain, logits, chain.start(prompt), rng)
        laws, prefixes = chain.laws(logits, chain.start(prompt), drafted, PARENTS)
        assert np.allclose(laws, expected, rtol=0, atol=1e-15), chain
        assert len(prefixes) == 8
        stale += not np.allclose(laws, [chain.law(row, chain.start(prompt)) for row in logits])
    assert stale > len(PAIRS) // 2, "for most pairs the prefix must matter"


def test_the_memory_after_each_row_is_that_of_its_path() -> None:
    chain = Chain((RepetitionPenalty(2.0, Counts(True)), MinNewTokens(9, (0,))))
    start = chain.start([7])
    _, prefixes = chain.laws(np.zeros((4, VOCAB)), start, [1, 2, 3], [0, 0, 2])
    assert [prefix.states[0].ids.tolist() for prefix in prefixes] == [[7], [1, 7], [2, 7], [2, 3, 7]]
    assert [prefix.states[1] for prefix in prefixes] == [0, 1, 1, 2]
    assert start.states[0].ids.tolist() == [7]


def test_equal_memories_are_kept_once() -> None:
    counted = Counts(False)
    chain = Chain((FrequencyPenalty(1.0, counted), PresencePenalty(1.0, Counts(False)), Temperature(2.0), TopK(2, Ties.ALL_STAY)))
    assert len(chain.memories) == 2


def test_the_order_matters_and_prints() -> None:
    one, other = Chain((Temperature(0.5), TopP(0.7, Ties.ALL_STAY))), Chain((TopP(0.7, Ties.ALL_STAY), Temperature(0.5)))
    row = np.log(np.array([0.6, 0.3, 0.1]))
    assert (one.law(row, one.start([])) > 0).sum() < (other.law(row, other.start([])) > 0).sum()
    assert str(one) == "temperature(temperature=0.5) -> top_p(p=0.7, ties=all stay)"
    assert str(Chain(())) == "softmax alone"


def test_working_on_a_part_of_the_columns_changes_no_law() -> None:
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(4, 3000), scale=3)
    chain = Chain((TopK(40, Ties.ALL_STAY), Temperature(0.7), Xtc(0.5, 0.05), TopP(0.9, Ties.HIGH_IDS_STAY), MinP(0.01)))
    laws, _ = chain.laws(logits, chain.start([]), [0, 0, 0], [0, 1, 2])
    for row, law in zip(logits, laws, strict=True):
        columns = np.sort(np.argsort(row)[-40:])
        narrow = chain.law(row[columns], chain.start([]))
        assert np.allclose(law[columns], narrow, rtol=1e-12)
        assert (law > 0).sum() == (narrow > 0).sum()


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (LogitBias(tuple((token, -np.inf) for token in range(VOCAB))), "logit_bias"),
        (BadWords(tuple((token,) for token in range(VOCAB)), True), "bad_words_ids"),
    ],
)
def test_an_empty_row_names_the_step_that_emptied_it(step: Transform, name: str) -> None:
    chain = Chain((Temperature(0.5), step, TopK(3, Ties.ALL_STAY), TopP(0.5, Ties.ALL_STAY), Typical(0.5, Ties.ALL_STAY, False)))
    with pytest.raises(BadLaw, match=rf"row 0: no token is left after {name}\("):
        chain.law(np.zeros(VOCAB), chain.start([]))


def test_an_empty_row_in_reach_is_an_error_and_one_out_of_reach_is_not() -> None:
    chain = Chain((BadWords(((1, 0), (1, 1), (1, 2)), True), TopK(2, Ties.LOW_IDS_STAY)))
    reachable, unreachable = np.array([[0.0, 1.0, -1.0]] * 3), np.array([[1.0, -1.0, 0.0]] * 3)
    with pytest.raises(BadLaw, match="row 1: no token is left after bad_words_ids"):
        chain.laws(reachable, chain.start([]), [1, 0], [0, 1])
    laws, _ = chain.laws(unreachable, chain.start([]), [1, 0], [0, 1])
    assert laws[0, 1] == 0
    assert np.array_equal(laws[1], laws[0])
    assert np.allclose(laws.sum(-1), 1)


def test_a_row_out_of_reach_repeats_its_own_parent() -> None:
    chain = Chain((BadWords(((1, 0), (1, 1), (1, 2)), True), TopK(1, Ties.LOW_IDS_STAY)))
    laws, _ = chain.laws(np.array([[0.0, 1, 2], [2, 1, 0], [0, 0, 0]]), chain.start([]), [2, 1], [0, 1])
    assert laws.tolist() == [[0, 0, 1], [1, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_logits_that_are_no_numbers_are_refused(value: float) -> None:
    logits = np.zeros((2, 4))
    logits[1, 2] = value
    with pytest.raises(BadLaw, match=f"logits row 1 has the maximum {value}"):
        Chain(()).laws(logits, Prefix(()), [0], [0])


def test_logits_without_a_possible_token_are_refused() -> None:
    with pytest.raises(BadLaw, match="logits row 0 has the maximum -inf"):
        Chain(()).law(np.full(4, -np.inf), Prefix(()))


def test_one_row_more_than_drafted_tokens_is_expected() -> None:
    with pytest.raises(Unsupported, match="2 rows of logits for 2 drafted tokens and 2 parents"):
        Chain(()).laws(np.zeros((2, 4)), Prefix(()), [0, 0], [0, 1])


def test_the_logits_stay_as_they_were() -> None:
    logits = np.random.default_rng(0).normal(size=(9, VOCAB))
    before = logits.copy()
    chain = Chain(STEPS[:-1])
    chain.laws(logits, chain.start([1, 2]), [1] * 8, range(8))
    assert np.array_equal(logits, before)
