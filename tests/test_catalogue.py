"""The rules by name, and what is said of each."""

import numpy as np
import pytest

from draftproof.catalogue import CATALOGUE, find, target_law
from draftproof.errors import BadRequest
from draftproof.proof.fixtures import row
from draftproof.rules.greedy import greedy_law
from draftproof.tree import Siblings
from draftproof.verify import Coupled, Verification

P, Q = row(50, 30, 20), row(20, 50, 30)


class TestFind:
    def test_gives_the_entries_in_the_order_asked_for(self):
        assert [entry.name for entry in find(["block", "rejection"])] == ["block", "rejection"]

    def test_gives_all_of_them_for_no_names(self):
        assert find([]) == list(CATALOGUE.values())

    def test_refuses_a_name_it_does_not_know_by_listing_those_it_does(self):
        with pytest.raises(BadRequest) as refusal:
            find(["rejection", "rejecton"])
        assert str(refusal.value) == f"there is no rule 'rejecton'; the rules are {', '.join(CATALOGUE)}"


class TestTheCatalogue:
    def test_names_every_rule_once_the_exact_ones_first(self):
        assert list(CATALOGUE) == [entry.name for entry in CATALOGUE.values()]
        exact = [entry.exact for entry in CATALOGUE.values()]
        assert exact == sorted(exact, reverse=True)

    def test_holds_every_rule_of_the_package(self):
        assert list(CATALOGUE) == [
            "rejection", "block", "point_mass", "match", "greedy", "recursive", "recursive_independent", "top_plus_one", "kseq",
            "traversal", "coupled", "lenience", "ensemble", "mentored", "typical", "threshold",
        ]  # fmt: skip

    @pytest.mark.parametrize("entry", CATALOGUE.values(), ids=lambda entry: entry.name)
    def test_describes_each(self, entry):
        assert isinstance(entry.verification, Verification)
        assert entry.law
        assert entry.cost
        assert entry.source
        assert entry.law.startswith("target" if entry.exact else "declared: ")

    def test_says_which_need_no_law_of_the_draft(self):
        assert [entry.name for entry in CATALOGUE.values() if not entry.needs_draft_law] == ["point_mass", "match", "greedy", "coupled"]

    def test_follows_the_target_by_default_and_its_argmax_where_greedy(self):
        p, q = np.array([P], object), np.array([Q], object)
        assert target_law(p, q) is p
        for entry in CATALOGUE.values():
            wanted = greedy_law(p) if entry.name == "greedy" else p
            assert (entry.law_of_rows(p, q) == wanted).all() == entry.exact


def test_the_rules_that_need_independent_siblings_say_so():
    assert {entry.name for entry in CATALOGUE.values() if entry.siblings is Siblings.INDEPENDENT} == {"recursive_independent", "kseq"}
    assert {entry.name for entry in CATALOGUE.values() if entry.siblings is Siblings.TOP_PLUS_ONE} == {"top_plus_one"}


def test_one_rule_alone_shares_noise():
    assert [entry.name for entry in CATALOGUE.values() if isinstance(entry.verification, Coupled)] == ["coupled"]
