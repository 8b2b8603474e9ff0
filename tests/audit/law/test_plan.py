"""A plan is made of target and draft alone: what can be seen, with how many tokens, on which prompts."""

import numpy as np
import pytest

from draftproof.audit.law.plan import MOST_TOKENS, OUT_OF_SIGHT, Goal, Outlook, outlook_of, plan, written
from draftproof.audit.law.rows import Reference
from draftproof.audit.law.scoring import EFFECTS
from draftproof.audit.law.suspects import suspects
from draftproof.decode import Decoder
from draftproof.drafters.function import no_drafter
from draftproof.draws import SeededDraws
from draftproof.errors import BadRequest
from draftproof.models.table import TableModel
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Limits
from draftproof.verify import Coupled

VOCAB = 6
PROMPTS = [(token,) for token in range(VOCAB)]


def table(seed: int, *, zeros: bool = False) -> TableModel:
    rows = np.random.default_rng(seed).dirichlet(np.ones(VOCAB), size=(VOCAB, VOCAB))
    if zeros:
        rows[..., 0] = 0
    return TableModel(rows / rows.sum(-1, keepdims=True))


REFERENCE = Reference(table(0), Verbatim(), table(1))


@pytest.mark.parametrize(
    ("wrong", "name"), [({"alpha": 0.0}, "alpha"), ({"effect": 1.0}, "effect"), ({"length": 0}, "length"), ({"tokens": 0}, "tokens")]
)
def test_a_goal_out_of_range_is_refused_by_name(wrong: dict, name: str) -> None:
    with pytest.raises(BadRequest, match=name):
        Goal(**wrong)


def test_what_is_needed_and_what_is_detectable_agree() -> None:
    growth = np.array([np.square(EFFECTS) * 0.5, np.square(EFFECTS) * 0.001])
    outlook = Outlook(("loud", "faint"), growth)
    assert outlook.of("loud", 0.05) == pytest.approx(0.00125)
    assert outlook.of("loud", 0.07) == pytest.approx(0.5 * 0.07**2)  # between two effects, as a power
    for share in (0.02, 0.1, 0.4):
        tokens = outlook.needed("loud", share, 1e-3)
        found = outlook.detectable("loud", tokens, 1e-3)
        assert found is not None
        assert found == pytest.approx(share, rel=0.05)
        assert outlook.needed("faint", share, 1e-3) > 100 * tokens
    assert outlook.needed("loud", 0.05, 1e-6) > outlook.needed("loud", 0.05, 1e-2)
    assert outlook.detectable("faint", 10, 1e-3) is None


def test_a_suspect_that_is_the_target_is_out_of_sight() -> None:
    outlook = Outlook(("the same",), np.zeros((1, len(EFFECTS))))
    assert outlook.needed("the same", 0.5, 1e-3) == OUT_OF_SIGHT


def test_it_promises_to_exclude_only_what_it_can() -> None:
    found = plan(REFERENCE, suspects(draft=True), PROMPTS, Goal(effect=0.1))
    assert "draft leakage" in found.watched
    assert "forbidden token" in found.unseen  # here nothing is forbidden
    assert set(found.watched) | set(found.unseen) == set(found.outlook.names)
    assert found.needed == max(found.outlook.needed(name, 0.1, 1e-3) for name in found.watched) <= MOST_TOKENS
    assert found.tokens == 2 * found.needed
    assert found.answers * 16 >= found.tokens > (found.answers - 1) * 16


def test_to_ask_for_few_tokens_does_not_make_a_pass_cheaper() -> None:
    few, many = (plan(REFERENCE, suspects(draft=True), PROMPTS, Goal(effect=0.02, tokens=tokens)) for tokens in (100, None))
    assert few.tokens == 100
    assert few.watched == many.watched
    assert few.needed == many.needed == many.tokens // 2 > 100


def test_the_prompts_on_which_a_token_says_most_are_kept() -> None:
    """After tokens 0, 1 and 2 the draft is the target, and text after them stays among them."""
    p = table(0).table.copy()
    p[:, :3, 3:] = 0
    p[:, 3:, :3] = 0
    p /= p.sum(-1, keepdims=True)
    q = p.copy()
    q[:, 3:, 3:] = p[:, 3:, [4, 5, 3]]
    found = plan(Reference(TableModel(p), Verbatim(), TableModel(q)), suspects(draft=True)[:1], PROMPTS, Goal())
    assert sorted(found.prompts) == [(3,), (4,), (5,)]


def test_there_must_be_prompts() -> None:
    with pytest.raises(BadRequest, match="at least one"):
        plan(REFERENCE, suspects(draft=True), [], Goal())


def test_the_same_plan_comes_of_the_same_seed() -> None:
    one, other = (plan(REFERENCE, suspects(draft=True), PROMPTS, Goal(), seed=3) for _ in range(2))
    assert one.prompts == other.prompts
    np.testing.assert_array_equal(one.outlook.growth, other.outlook.growth)


def test_the_texts_it_looks_at_are_not_those_of_the_audit() -> None:
    """A coupled engine with the plan's seeds would write the very texts for which a prompt was chosen."""
    (pilot,) = written(REFERENCE.target, Verbatim(), [(1,)], 30, seed=0)
    decoder = Decoder(REFERENCE.target, no_drafter(VOCAB), Coupled())
    session = decoder.open((1,), params=Verbatim(), limits=Limits(30), draws=SeededDraws(0))
    for _ in decoder.generate([session]):
        pass
    assert session.emitted != list(pilot.tokens)


def test_the_growth_is_what_tokens_bring_that_leak_or_that_do_not_whichever_is_less() -> None:
    """The mean logarithm of a bet on the right share, over many tokens, against the outlook of the same rows."""
    texts = written(REFERENCE.target, Verbatim(), [(token,) for token in range(VOCAB)] * 20, 16, seed=0)
    rows = REFERENCE.rows(texts)
    expected = np.mean([outlook_of(suspects(draft=True)[:1], each, 0.0)[0, EFFECTS.index(0.5)] for each in rows])
    random, leaking, sound = np.random.default_rng(0), [], []
    for each in rows:
        assert each.draft is not None
        leaked = 0.5 * each.target + 0.5 * each.draft
        gains = np.log(leaked / each.target)
        for law, won in ((leaked, leaking), (each.target, sound)):
            tokens = (law.cumsum(-1) < random.random((len(law), 1))).sum(-1).clip(max=VOCAB - 1)
            won += gains[np.arange(len(tokens)), tokens].tolist()
    assert min(np.mean(leaking), -np.mean(sound)) == pytest.approx(expected, rel=0.15)
