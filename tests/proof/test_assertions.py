"""Two lines for a stranger: exact rules pass, wrong ones fail with a counterexample, and vacuous ones are not passed."""

import pytest

from draftproof.carriers import pick_row
from draftproof.decode import Decoder
from draftproof.drafters.function import no_drafter
from draftproof.drafters.model import ModelDrafter
from draftproof.errors import NotExact
from draftproof.proof import assert_decodes_exactly, assert_exact
from draftproof.proof.fixtures import pairs
from draftproof.rules.block import block
from draftproof.rules.greedy import greedy, greedy_law
from draftproof.rules.match import match
from draftproof.rules.recursive import recursive
from draftproof.rules.rejection import rejection
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Limits
from draftproof.tree import Tree
from draftproof.types import VerdictLaw
from draftproof.verify import Independent

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def wrong(target_probs, draft):
    """Rejection that falls back to the target."""
    return VerdictLaw(rejection(target_probs, draft).kept, lambda kept: pick_row(target_probs, kept))


def refuse_everything(target_probs, draft):
    nothing = match(target_probs, draft).kept * 0
    nothing[:, 0] = 1
    return VerdictLaw(nothing, lambda kept: pick_row(target_probs, kept))


def test_exact_rules_pass():
    assert_exact(rejection)
    assert_exact(block, count=10)
    assert_exact(recursive, shapes=[Tree.branching(2, 1)], count=5)
    assert_exact(match, any_draft=True, count=5)
    assert_exact(greedy, follows=lambda p, q: greedy_law(p), count=10)


def test_a_wrong_rule_fails_with_the_text_and_both_probabilities():
    with pytest.raises(NotExact, match=r"wrong is not exact: pair 0, draft shape \(0,\): text .* has probability .*, it should be"):
        assert_exact(wrong)


def test_a_rule_that_needs_q_is_not_exact_given_each_draft():
    def trusts_q_but_gets_none(target_probs, draft):
        return rejection(target_probs, draft) if not draft.is_fixed else wrong(target_probs, draft)

    assert_exact(trusts_q_but_gets_none)
    with pytest.raises(NotExact, match="trusts_q_but_gets_none is not exact"):
        assert_exact(trusts_q_but_gets_none, any_draft=True)


def test_a_rule_that_keeps_nothing_tests_nothing():
    with pytest.raises(NotExact, match="never both kept and refused a draft"):
        assert_exact(refuse_everything)


def test_a_decode_is_exact_or_says_where_it_is_not():
    target, draft = pairs(1, 3, seed=2)[0]
    arguments = {"params": Verbatim(), "limits": Limits(3)}
    assert_decodes_exactly(Decoder(target, ModelDrafter(draft, Tree.chain(2)), Independent(rejection)), [0], **arguments)
    with pytest.raises(NotExact, match="the decode is not exact: text"):
        assert_decodes_exactly(Decoder(target, ModelDrafter(draft, Tree.chain(2)), Independent(wrong)), [0], **arguments)
    with pytest.raises(NotExact, match="nothing was tested"):
        assert_decodes_exactly(Decoder(target, no_drafter(3), Independent(rejection)), [0], **arguments)
