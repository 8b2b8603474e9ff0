"""What `prove rules` proves, and that it can fail."""

from dataclasses import replace

import pytest

from draftproof.carriers import pick_row
from draftproof.catalogue import CATALOGUE
from draftproof.errors import BadRequest
from draftproof.proof.campaign import Settings, Word, prove, trees
from draftproof.rules.match import match
from draftproof.rules.rejection import rejection
from draftproof.types import VerdictLaw
from draftproof.verify import Coupled, Independent

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

SMALL = Settings(vocabulary=2, width=2, pairs=6, loop_pairs=1, length=3)


@pytest.mark.parametrize("entry", CATALOGUE.values(), ids=CATALOGUE.keys())
def test_every_rule_of_the_catalogue_passes(entry):
    checks = list(prove(entry, SMALL))
    assert {check.word for check in checks} == {Word.PASS}
    assert all(check.rule == entry.name and check.paths > 0 for check in checks)
    subjects = {check.subject for check in checks}
    assert ("the whole loop" in subjects) == entry.exact
    assert ("differs from the target" in subjects) == (not entry.exact)
    assert ("one round" in subjects) == isinstance(entry.verification, Independent)


def wrong(target_probs, draft):
    """Rejection that falls back to the target."""
    return VerdictLaw(rejection(target_probs, draft).kept, lambda kept: pick_row(target_probs, kept))


def test_a_wrong_rule_fails_alone_and_in_the_loop_with_a_counterexample():
    entry = replace(CATALOGUE["rejection"], verification=Independent(wrong))
    one_round, loop = prove(entry, SMALL)
    for check in (one_round, loop):
        assert check.word is Word.FAIL
        assert check.distance > 0
        assert "has probability" in check.detail


def test_a_lossy_rule_that_changes_nothing_fails_its_claim_to_differ():
    entry = replace(CATALOGUE["lenience"], verification=Independent(rejection))
    assert list(prove(entry, SMALL))[-1].word is Word.FAIL


def refuse_everything(target_probs, draft):
    """Exact, and useless: no draft is ever kept."""
    nothing = match(target_probs, draft).kept * 0
    nothing[:, 0] = 1
    return VerdictLaw(nothing, lambda kept: pick_row(target_probs, kept))


def test_a_proof_in_which_no_draft_was_kept_is_inconclusive():
    entry = replace(CATALOGUE["rejection"], verification=Independent(refuse_everything))
    assert {check.word for check in prove(entry, SMALL)} == {Word.INCONCLUSIVE}


def test_rules_of_trees_are_proved_on_chains_siblings_and_both():
    assert [tree.parents for tree in trees(CATALOGUE["block"], 3)] == [(0, 1, 2)]
    assert [tree.parents for tree in trees(CATALOGUE["traversal"], 3)] == [(0, 1, 2), (0, 0, 0), (0, 0, 1)]
    assert isinstance(CATALOGUE["coupled"].verification, Coupled)


@pytest.mark.parametrize(("name", "value"), [("vocabulary", 1), ("width", 0), ("pairs", 0), ("loop_pairs", 0), ("length", 1)])
def test_settings_below_their_least_value_are_refused(name, value):
    with pytest.raises(BadRequest, match=f"{name} is {value}; it must be at least {value + 1}"):
        Settings(**{name: value})
