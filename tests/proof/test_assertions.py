"""Two lines for a stranger: exact rules pass, wrong ones fail with a counterexample, and vacuous ones are not passed."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof.carriers import at, normalise, pick_row, ratio
from draftproof.decode import Decoder
from draftproof.drafters.function import no_drafter
from draftproof.drafters.model import ModelDrafter
from draftproof.errors import BadRequest, NotExact, Unsupported
from draftproof.models.table import TableModel
from draftproof.proof import Exactly, assert_decodes_exactly, assert_exact
from draftproof.proof.fixtures import pairs
from draftproof.rules.block import block
from draftproof.rules.chains import chain_laws, first_rejection
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


def forgets_the_clip(target_probs, draft):
    """Accepts with p / q, above 1 too: the signed sums come out right, and no decode could draw from them."""
    q, x = chain_laws(target_probs, draft, rule="forgets_the_clip")
    kept = first_rejection(ratio(at(target_probs, x), at(q, x)))

    def correction(node):
        p = pick_row(target_probs, node)
        return normalise(p * (pick_row(q, node) == 0), otherwise=p)

    return VerdictLaw(kept, correction)


def asks_the_first_row_for_all(target_probs, draft):
    law = rejection(target_probs, draft)
    return VerdictLaw(law.kept, lambda node: law.correction(node * 0 + node[0]))


def keeps_what_was_never_drafted(target_probs, draft):
    q, x = chain_laws(target_probs, draft, rule="keeps_what_was_never_drafted")
    last = np.arange(x.shape[1]) == x.shape[1] - 1
    accept = ratio(at(target_probs, x), at(q, x)).clip(max=1) + ((at(q, x) == 0) & ~last) * Fraction(1)
    return VerdictLaw(first_rejection(accept), rejection(target_probs, draft).correction)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (forgets_the_clip, "kept is not a law"),
        (asks_the_first_row_for_all, "may depend on its own node alone"),
        (keeps_what_was_never_drafted, "not exact|not a law"),
    ],
)
def test_rules_that_only_a_sum_would_acquit_are_refused(rule, sentence):
    with pytest.raises(NotExact, match=sentence):
        assert_exact(rule, count=5)


def test_what_is_no_verdict_is_named():
    with pytest.raises(Unsupported, match=r"a rule returns VerdictLaw.* this one gave NoneType"):
        assert_exact(lambda target_probs, draft: None)
    with pytest.raises(Unsupported, match=r"kept of shape .* this one gave VerdictLaw of shape"):
        assert_exact(lambda p, d: VerdictLaw(rejection(p, d).kept[:, :1], rejection(p, d).correction))
    with pytest.raises(Unsupported, match="correction returns laws of shape"):
        assert_exact(lambda p, d: VerdictLaw(rejection(p, d).kept, lambda node: p))


def test_nothing_to_try_is_refused():
    for arguments in ({"shapes": []}, {"count": 0}):
        with pytest.raises(BadRequest, match="prove nothing"):
            assert_exact(rejection, **arguments)


def test_floats_are_refused_and_not_mistaken_for_a_fault():
    target, draft = pairs(1, 3, seed=2)[0]
    in_floats = TableModel(draft.table.astype(float))
    decoder = Decoder(target, ModelDrafter(in_floats, Tree.chain(2)), Independent(rejection))
    with pytest.raises(Unsupported, match="the laws of the drafter are floats"):
        assert_decodes_exactly(decoder, [0], params=Verbatim(), limits=Limits(3))
    assert_decodes_exactly(decoder, [0], params=Exactly(Verbatim()), limits=Limits(3))
