"""A draft carries the law each of its tokens was drawn from, and cannot be made to claim another."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import numpy as np
import pytest

from draftproof.errors import BadDraft, BadLaw, Unsupported
from draftproof.tree import Siblings, Tree
from draftproof.types import NOTHING, Draft, among

THIRD, SIXTH, HALF, QUARTER = Fraction(1, 3), Fraction(1, 6), Fraction(1, 2), Fraction(1, 4)
LAW = [HALF, THIRD, SIXTH]


def constant(array, *rows):
    """A draft model that gives every node the same laws, one a batch entry."""
    return lambda tokens, node: array(list(rows))


def scripted(*columns):
    """A picker that gives node n the tokens of the n-th column."""
    return lambda laws, node, depth, live: np.array(columns[node - 1])


def refusal(error, call):
    with pytest.raises(error) as caught:
        call()
    return str(caught.value)


class TestADraftCannotBeBuiltFromLooseArrays:
    @pytest.mark.parametrize(
        "build",
        [
            lambda: Draft(),
            lambda: Draft(np.array([[0]]), Tree.chain(1), 3, np.array([[LAW]])),
            lambda: Draft(tokens=np.array([[0]]), tree=Tree.chain(1), vocab=3, laws=None),
            lambda: replace(Draft.fixed([[0]], vocab=3), tokens=np.array([[1]])),
        ],
        ids=["empty", "by position", "by name", "from another"],
    )
    def test_by_calling_it(self, build):
        assert refusal(BadDraft, build) == (
            "a Draft cannot be built from loose arrays, since its law would be a mere claim; "
            "use Draft.sample(child_law, tree, pick) for random tokens or Draft.fixed(tokens, vocab=...) for chosen ones"
        )

    def test_or_by_changing_one(self):
        with pytest.raises(FrozenInstanceError):
            Draft.fixed([[0]], vocab=3).tokens = np.array([[1]])

    @pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda draft: pickle.loads(pickle.dumps(draft))])
    def test_but_it_can_be_copied_and_sent(self, carrier, clone):
        draft = Draft.sample(constant(carrier.array, LAW), Tree.chain(2), scripted([0], [2]))
        cloned = clone(draft)
        assert cloned.tokens.tolist() == [[0, 2]]
        assert carrier.same(cloned.laws(carrier.array([1])), [[LAW, LAW]])


class TestSample:
    def test_records_the_law_that_each_token_was_drawn_from(self, carrier):
        laws = {0: [LAW, [0, 0, 1]], 1: [[0, 1, 0], LAW]}
        seen = []

        def pick(law, node, depth, live):
            seen.append(law)
            return np.array([[0, 2], [1, 1]][node - 1])

        draft = Draft.sample(lambda tokens, node: carrier.array(laws[node]), Tree.chain(2), pick)
        assert draft.tokens.tolist() == [[0, 1], [2, 1]]
        recorded = draft.laws(carrier.array([1]))
        assert carrier.same(recorded, [[LAW, [0, 1, 0]], [[0, 0, 1], LAW]])
        assert all((recorded[:, node] == law).all() for node, law in enumerate(seen))

    def test_tells_the_picker_the_node_its_depth_and_who_is_live(self):
        asked = []

        def pick(laws, node, depth, live):
            asked.append((node, depth, live.tolist()))
            return np.zeros(len(laws), np.int64)

        rows = [np.array([[1.0, 0.0], [0.0, 0.0]]), np.array([[1.0, 0.0], [1.0, 0.0]])]
        Draft.sample(lambda tokens, node: rows[min(node, 1)], Tree((0, 1, 1), Siblings.INDEPENDENT), pick)
        assert asked == [(1, 1, [True, False]), (2, 2, [True, False]), (3, 2, [True, False])]

    def test_asks_for_the_laws_below_a_node_once_and_as_soon_as_its_token_is_known(self):
        asked = []

        def child_law(tokens, node):
            asked.append((node, tokens.tolist()))
            return np.full((1, 4), 0.25)

        Draft.sample(child_law, Tree.branching(2, 2), scripted([0], [1], [2], [3], [0], [1]))
        assert asked == [(0, []), (1, [[0, 1]]), (2, [[0, 1, 2, 3]])]

    def test_shows_no_law_a_token_drawn_below_it(self):
        def child_law(tokens, node):
            assert tokens.shape[1] < node + 1 if node else not tokens.size
            return np.full((1, 4), 0.25)

        Draft.sample(child_law, Tree.chain(3), scripted([0], [1], [2]))

    def test_ends_the_draft_of_a_row_of_zeros_there(self, carrier):
        laws = {0: [LAW, LAW], 1: [LAW, [0, 0, 0]], 2: [LAW, LAW]}
        draft = Draft.sample(lambda tokens, node: carrier.array(laws[node]), Tree.chain(3), scripted([0, 0], [1, 1], [2, 2]))
        assert draft.tokens.tolist() == [[0, 1, 2], [0, NOTHING, NOTHING]]
        assert carrier.same(draft.laws(carrier.array([1])), [[LAW] * 3, [LAW, [0, 0, 0], [0, 0, 0]]])

    def test_ignores_what_the_picker_says_of_a_row_that_is_not_live(self):
        draft = Draft.sample(constant(np.array, [1.0, 0.0], [0.0, 0.0]), Tree.chain(1), scripted([0, 99]))
        assert draft.tokens.tolist() == [[0], [NOTHING]]

    def test_of_rows_that_all_draft_nothing_is_the_draft_of_width_0(self, carrier):
        draft = Draft.sample(constant(carrier.array, [0, 0, 0], [0, 0, 0]), Tree.branching(2, 1), scripted(*[[0, 0]] * 4))
        assert (draft.tokens.shape, draft.vocab, draft.tree) == ((2, 0), 3, Tree.chain(0))

    def test_is_not_fixed(self):
        assert not Draft.sample(constant(np.array, [1.0]), Tree.chain(1), scripted([0])).is_fixed


class TestSampleRefuses:
    def test_a_tree_without_nodes(self):
        call = lambda: Draft.sample(constant(np.array, [1.0]), Tree.chain(0), scripted())  # noqa: E731
        assert refusal(BadDraft, call) == "a draft of no tokens has no law; use Draft.none(batch, vocab=...)"

    def test_a_row_that_is_neither_a_law_nor_zeros(self, carrier):
        laws = {0: [LAW, LAW], 1: [LAW, [HALF, 0, 0]]}
        call = lambda: Draft.sample(lambda tokens, node: carrier.array(laws[node]), Tree.chain(2), scripted([0, 0]))  # noqa: E731
        assert refusal(BadLaw, call).startswith("draft law after node 1, row (1,): the probabilities sum to ")

    @pytest.mark.parametrize("later", [(1, 2), (2, 3)], ids=["vocabulary", "batch"])
    def test_laws_of_differing_shapes(self, later):
        laws = {0: np.full((1, 3), 1 / 3), 1: np.full(later, 1 / later[1])}
        call = lambda: Draft.sample(lambda tokens, node: laws[node], Tree.chain(2), scripted([0], [0]))  # noqa: E731
        assert refusal(BadLaw, call) == f"draft law after node 1 has shape {later}, the first had (1, 3)"

    @pytest.mark.parametrize("token", [1, 3, -1, -2], ids=["of probability 0", "beyond the vocabulary", "nothing", "negative"])
    def test_a_token_that_its_law_could_not_have_given(self, carrier, token):
        law = [HALF, 0, HALF]
        call = lambda: Draft.sample(constant(carrier.array, law, law), Tree.chain(1), scripted([0, token]))  # noqa: E731
        assert refusal(BadDraft, call) == f"draft row 1, node 1: token {token} was drawn, but its law gives it probability 0"


class TestIndependentSiblings:
    def test_are_drawn_from_one_law_and_may_be_equal(self, carrier):
        tree = Tree.branching(2, siblings=Siblings.INDEPENDENT)
        draft = Draft.sample(constant(carrier.array, LAW), tree, scripted([0], [0]))
        assert draft.tokens.tolist() == [[0, 0]]
        assert carrier.same(draft.laws(carrier.array([1])), [[LAW, LAW]])


class TestDistinctSiblings:
    def test_are_drawn_without_replacement(self, carrier):
        draft = Draft.sample(constant(carrier.array, LAW), Tree.branching(3), scripted([0], [2], [1]))
        assert carrier.same(draft.laws(carrier.array([1])), [[LAW, [0, Fraction(2, 3), THIRD], [0, 1, 0]]])

    def test_draw_nothing_when_the_tokens_run_out(self, carrier):
        draft = Draft.sample(constant(carrier.array, [HALF, HALF, 0]), Tree.branching(3), scripted([0], [1], [0]))
        assert draft.tokens.tolist() == [[0, 1, NOTHING]]
        assert carrier.same(draft.laws(carrier.array([1])), [[[HALF, HALF, 0], [0, 1, 0], [0, 0, 0]]])

    def test_of_different_parents_do_not_see_each_other(self, carrier):
        draft = Draft.sample(constant(carrier.array, LAW), Tree.branching(2, 1), scripted([0], [1], [2], [2]))
        assert carrier.same(draft.laws(carrier.array([1]))[:, 2:], [[LAW, LAW]])

    def test_have_no_children_under_a_token_that_was_not_drawn(self, carrier):
        draft = Draft.sample(constant(carrier.array, [1, 0, 0]), Tree.branching(2, 1), scripted([0], [0], [0], [0]))
        assert draft.tokens.tolist() == [[0, NOTHING, 0, NOTHING]]

    def test_a_repeated_token_is_refused(self):
        call = lambda: Draft.sample(constant(np.array, [0.5, 0.5]), Tree.branching(2), scripted([0], [0]))  # noqa: E731
        assert refusal(BadDraft, call) == "draft row 0, node 2: token 0 was drawn, but its law gives it probability 0"


class TestTopPlusOneSiblings:
    TREE = Tree.branching(3, siblings=Siblings.TOP_PLUS_ONE)

    def test_are_a_draw_off_the_likeliest_tokens_and_then_those_tokens_for_sure(self, carrier):
        law = [Fraction(1, 8), HALF, QUARTER, Fraction(1, 8)]
        draft = Draft.sample(constant(carrier.array, law), self.TREE, scripted([3], [1], [2]))
        assert carrier.same(draft.laws(carrier.array([1])), [[[HALF, 0, 0, HALF], [0, 1, 0, 0], [0, 0, 1, 0]]])

    def test_break_ties_by_the_lowest_id(self, carrier):
        draft = Draft.sample(constant(carrier.array, [QUARTER] * 4), self.TREE, scripted([3], [0], [1]))
        assert carrier.same(draft.laws(carrier.array([1])), [[[0, 0, HALF, HALF], [1, 0, 0, 0], [0, 1, 0, 0]]])

    def test_sample_nothing_when_the_likeliest_tokens_are_all_there_is(self, carrier):
        draft = Draft.sample(constant(carrier.array, [0, HALF, HALF, 0]), self.TREE, scripted([0], [1], [2]))
        assert draft.tokens.tolist() == [[NOTHING, 1, 2]]

    def test_draft_no_token_twice_and_none_of_probability_0(self, carrier):
        draft = Draft.sample(constant(carrier.array, [0, 0, 1, 0]), self.TREE, scripted([0], [2], [0]))
        assert draft.tokens.tolist() == [[NOTHING, 2, NOTHING]]

    def test_end_with_a_row_of_zeros(self, carrier):
        draft = Draft.sample(constant(carrier.array, [0] * 4, [QUARTER] * 4), self.TREE, scripted([0, 3], [0, 0], [0, 1]))
        assert draft.tokens.tolist() == [[NOTHING] * 3, [3, 0, 1]]

    def test_an_only_child_is_drawn_from_the_law_itself(self, carrier):
        tree = Tree.branching(1, siblings=Siblings.TOP_PLUS_ONE)
        draft = Draft.sample(constant(carrier.array, LAW), tree, scripted([1]))
        assert carrier.same(draft.laws(carrier.array([1])), [[LAW]])


class TestFixed:
    def test_makes_each_token_a_point_mass_on_the_carrier_asked_for(self, carrier):
        draft = Draft.fixed([[2, 0]], vocab=3)
        assert draft.is_fixed
        assert carrier.same(draft.laws(carrier.array([1])), [[[0, 0, 1], [1, 0, 0]]])

    def test_is_by_default_a_chain_as_long_as_the_longest_row(self):
        draft = Draft.fixed([[2], [], [0, 1]], vocab=3)
        assert draft.tree == Tree.chain(2)
        assert draft.tokens.tolist() == [[2, NOTHING], [NOTHING, NOTHING], [0, 1]]
        assert draft.present.tolist() == [[True, False], [False, False], [True, True]]

    def test_takes_a_tree_and_leaves_out_nodes(self):
        draft = Draft.fixed([[0, NOTHING, 2]], vocab=3, tree=Tree.branching(2, 1))
        assert draft.tokens.tolist() == [[0, NOTHING, 2, NOTHING]]

    @pytest.mark.parametrize(
        ("rows", "tree", "message"),
        [
            ([[0], [0, 3]], None, "draft row 1, node 2: token 3 is outside the vocabulary of 3"),
            ([[-2]], None, "draft row 0, node 1: token -2 is outside the vocabulary of 3"),
            ([[0, 1, 2]], Tree.chain(2), "draft row 0 has 3 tokens; the tree has room for 2"),
            ([[NOTHING, 1]], None, "draft row 0: node 2 holds token 1, but its parent 1 holds none"),
            ([[0, NOTHING, 1, 1]], Tree.branching(2, 1), "draft row 0: node 4 holds token 1, but its parent 2 holds none"),
        ],
    )
    def test_refuses_what_no_drafter_could_have_meant(self, rows, tree, message):
        assert refusal(BadDraft, lambda: Draft.fixed(rows, vocab=3, tree=tree)) == message


class TestNone:
    def test_is_an_ordinary_draft_of_width_0(self, carrier):
        draft = Draft.none(2, vocab=3)
        assert (draft.tokens.shape, draft.tree.width, draft.followed(1), draft.branch(1)) == ((2, 0), 0, [], ([], []))
        assert tuple(draft.laws(carrier.array([1])).shape) == (2, 0, 3)


def test_a_child_law_that_fills_one_array_again_and_again_is_recorded_as_it_was():
    laws, array = [[1, 2, 3], [3, 2, 1]], np.empty((1, 3), object)

    def child_law(tokens, node):
        array[0] = [Fraction(weight, 6) for weight in laws[node]]
        return array

    draft = Draft.sample(child_law, Tree.chain(2), scripted([0], [0]))
    assert (draft.laws(array)[0] * 6).tolist() == laws


class TestReading:
    @pytest.fixture
    def draft(self, carrier):
        laws = {0: [LAW, [1, 0, 0]], 1: [LAW, LAW], 2: [LAW, LAW]}
        picks = scripted([0, 0], [1, 0], [2, 2], [2, 0])
        return Draft.sample(lambda tokens, node: carrier.array(laws[node]), Tree.branching(2, 1), picks)

    def test_followed_nodes_are_those_where_the_row_drafts(self, draft):
        assert (draft.followed(0), draft.followed(1)) == ([1, 2, 3, 4], [1, 3])

    def test_nothing_hangs_below_the_end_of_a_text_and_its_row_is_not_asked_for(self, draft, carrier):
        ending = draft.ending(lambda row, path: row == 0 and path == [0])
        assert ending.tokens.tolist() == [[0, 1, NOTHING, 2], [0, NOTHING, 2, NOTHING]]
        assert ending.ends.tolist() == [[True, False, False, False], [False] * 4]
        assert (ending.followed(0), ending.branch(0)) == ([2, 4], ([1, 2], [0, 1]))
        assert not ending.laws(carrier.array([1]))[0, 2].any()
        assert carrier.same(ending.laws(carrier.array([1]))[0, 3], LAW)
        assert (ending.take([0]).ends == ending.ends[:1]).all()

    def test_a_draft_without_an_end_stays_as_it_is(self, draft):
        ending = draft.ending(lambda row, path: False)
        assert (ending.tokens == draft.tokens).all()
        assert not ending.ends.any()
        fixed = Draft.fixed([[1, 2]], vocab=3).ending(lambda row, path: len(path) == 1)
        assert fixed.tokens.tolist() == [[1, NOTHING]]
        assert fixed.is_fixed

    def test_branch_renumbers_what_is_left_when_absent_nodes_are_left_out(self, draft):
        assert draft.branch(0) == ([0, 1, 2, 2], [0, 0, 1, 2])
        assert draft.branch(1) == ([0, 2], [0, 1])

    def test_take_gives_the_rows_asked_for_in_that_order(self, draft, carrier):
        taken = draft.take([1, 0, 1])
        assert taken.tokens.tolist() == [[0, NOTHING, 2, NOTHING], [0, 1, 2, 2], [0, NOTHING, 2, NOTHING]]
        assert carrier.same(taken.laws(carrier.array([1]))[0], [[1, 0, 0], [0, 0, 0], LAW, [0, 0, 0]])
        assert carrier.same(taken.laws(carrier.array([1]))[1, 0], LAW)
        assert (taken.tree, taken.vocab, taken.is_fixed) == (draft.tree, 3, False)

    def test_take_from_a_fixed_draft_is_fixed(self):
        taken = Draft.fixed([[0], [1]], vocab=3).take([1])
        assert (taken.is_fixed, taken.tokens.tolist()) == (True, [[1]])

    def test_as_fixed_forgets_the_laws_and_nothing_else(self, draft, carrier):
        fixed = draft.as_fixed()
        assert fixed.is_fixed
        assert (fixed.tokens.tolist(), fixed.tree, fixed.vocab) == (draft.tokens.tolist(), draft.tree, 3)
        assert carrier.same(fixed.laws(carrier.array([1]))[0, :2], [[1, 0, 0], [0, 1, 0]])


class TestGathering:
    OTHER = [QUARTER, HALF, QUARTER]

    def sampled(self, carrier):
        """Two rows of two tokens, each row from a law of its own."""
        return Draft.sample(constant(carrier.array, LAW, self.OTHER), Tree.chain(2), scripted([0, 2], [1, 0]))

    def test_puts_every_row_in_its_place_and_takes_chosen_tokens_for_the_point_masses_they_are(self, carrier):
        drawn, chosen = self.sampled(carrier), Draft.fixed([[2], []], vocab=3)
        draft = Draft.gather([([3, 0], drawn), ([1, 2], chosen)])
        assert draft.tokens.tolist() == [[2, 0], [2, NOTHING], [NOTHING, NOTHING], [0, 1]]
        assert (draft.tree, draft.vocab, draft.is_fixed) == (Tree.chain(2), 3, False)
        blank = [0, 0, 0]
        assert carrier.same(draft.laws(carrier.array([0])), [[self.OTHER] * 2, [[0, 0, 1], blank], [blank, blank], [LAW] * 2])

    def test_of_chosen_tokens_alone_is_chosen(self):
        draft = Draft.gather([([1], Draft.fixed([[2, 0]], vocab=3)), ([0], Draft.none(1, vocab=3)), ([], Draft.none(0, vocab=3))])
        assert (draft.tokens.tolist(), draft.is_fixed) == ([[NOTHING, NOTHING], [2, 0]], True)

    def test_keeps_where_texts_end(self):
        ending = Draft.fixed([[2, 0]], vocab=3).ending(lambda row, path: path[-1] == 2)
        draft = Draft.gather([([1], ending), ([0], Draft.fixed([[1]], vocab=3))])
        assert draft.ends.tolist() == [[False, False], [True, False]]

    def test_leaves_one_part_as_it_is(self, carrier):
        drawn = self.sampled(carrier)
        draft = Draft.gather([([0, 1], drawn)])
        assert draft.tokens.tolist() == drawn.tokens.tolist()
        assert carrier.same(draft.laws(carrier.array([0])), [[LAW] * 2, [self.OTHER] * 2])

    @pytest.mark.parametrize(
        "parts",
        [
            [([0], Draft.none(1, vocab=3)), ([0], Draft.none(1, vocab=3))],
            [([1], Draft.none(1, vocab=3))],
            [([0, 1], Draft.none(1, vocab=3))],
            [([0], Draft.none(1, vocab=3)), ([1], Draft.none(1, vocab=4))],
        ],
        ids=["twice", "a gap", "too few rows", "vocabularies"],
    )
    def test_refuses_parts_that_do_not_make_a_batch(self, parts):
        message = refusal(BadDraft, lambda: Draft.gather(parts))
        assert message.startswith("parts of a draft must cover the batch once, over one vocabulary; (entries, shape, vocabulary): [([")

    def test_refuses_what_is_no_chain(self):
        tree = Draft.fixed([[0, 1]], vocab=3, tree=Tree((0, 0)))
        message = refusal(Unsupported, lambda: Draft.gather([([0], tree)]))
        assert message == "a draft of shape (0, 0) cannot stand in a batch with others; draft a chain"


def test_a_picker_among_others_draws_where_its_rows_stand():
    seen = []

    def pick(laws, node, depth, live):
        seen.append((laws.tolist(), node, depth, live.tolist()))
        return np.array([10, 11, 12, 13])

    tokens = among(pick, [3, 1], 4)(np.array([[1.0, 0.0], [0.0, 1.0]]), 5, 2, np.array([True, False]))
    assert tokens.tolist() == [13, 11]
    ((laws, node, depth, live),) = seen
    assert (laws[3], laws[1], node, depth, live) == ([1.0, 0.0], [0.0, 1.0], 5, 2, [False, False, False, True])
