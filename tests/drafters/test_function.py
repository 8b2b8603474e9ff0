"""A function drafts chosen tokens: point masses, drawn by nobody."""

import pytest

from draftproof.drafters.function import FunctionDrafter, no_drafter
from draftproof.drafters.protocol import Drafter, Request
from draftproof.errors import BadDraft
from draftproof.sampling.protocol import Verbatim
from draftproof.tree import Tree
from draftproof.types import NOTHING

VOCAB = 5


def requests(*contexts, width=9):
    return [Request(tuple(context), len(context), (), Verbatim(), None, None, width) for context in contexts]


def nobody(laws, node, depth, live):
    raise AssertionError("a chosen token was drawn")


def propose(drafter, *contexts, width=9):
    return drafter.propose(requests(*contexts, width=width), nobody)


def again(context):
    """A prompt lookup: what followed the last earlier occurrence of the last token."""
    earlier = [place for place, token in enumerate(context[:-1]) if token == context[-1]]
    return context[earlier[-1] + 1 :] if earlier else []


def test_drafts_what_the_function_makes_of_each_context():
    draft = propose(FunctionDrafter(again, VOCAB), [1, 2, 3, 1], [1, 2, 1], [1, 2])
    assert draft.tokens.tolist() == [[2, 3, 1], [2, 1, NOTHING], [NOTHING] * 3]
    assert (draft.is_fixed, draft.vocab, draft.tree) == (True, VOCAB, Tree.chain(3))


def test_fills_the_tree_it_was_given_from_the_first_node_on():
    draft = propose(FunctionDrafter(lambda context: context, VOCAB, tree=Tree.branching(3)), [4, 2])
    assert (draft.tokens.tolist(), draft.tree) == ([[4, 2, NOTHING]], Tree.branching(3))


def test_drafts_no_deeper_than_the_width():
    draft = propose(FunctionDrafter(again, VOCAB), [1, 2, 3, 1], [1, 2, 1], width=1)
    assert draft.tokens.tolist() == [[2], [2]]
    draft = propose(FunctionDrafter(lambda context: [0, 1, 2, 3], VOCAB, tree=Tree.branching(2, 1)), [0], width=1)
    assert draft.tokens.tolist() == [[0, 1, NOTHING, NOTHING]]
    assert propose(FunctionDrafter(again, VOCAB), [1, 2, 1], width=0).tokens.shape == (1, 0)


@pytest.mark.parametrize(
    ("tokens", "message"),
    [([0, 5], "token 5 is outside the vocabulary of 5"), ([0, 0, 0, 0], "draft row 0 has 4 tokens; the tree has room for 3")],
)
def test_refuses_a_proposal_that_cannot_be_a_draft(tokens, message):
    with pytest.raises(BadDraft, match=message):
        propose(FunctionDrafter(lambda context: tokens, VOCAB, tree=Tree.chain(3)), [0])


def test_remembers_nothing():
    assert FunctionDrafter(again, VOCAB).start() is None


def test_no_drafter_drafts_nothing():
    draft = propose(no_drafter(VOCAB), [1, 2, 1], [1])
    assert (draft.tokens.shape, draft.tree.width, draft.vocab) == ((2, 0), 0, VOCAB)


def test_is_a_drafter():
    assert isinstance(no_drafter(VOCAB), Drafter)
