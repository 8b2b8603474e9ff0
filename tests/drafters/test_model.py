"""A model drafts: every token from the model's own law at its own prefix, with no token fed twice."""

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from draftproof.drafters.model import Memory, ModelDrafter
from draftproof.drafters.protocol import Drafter, Request
from draftproof.draws import Address, Purpose, SeededDraws
from draftproof.errors import BadRequest, EmptyLaw
from draftproof.models.table import TableCache, TableModel, random_pair
from draftproof.sampling.protocol import Verbatim
from draftproof.tree import Siblings, Tree
from draftproof.types import NOTHING

VOCAB = 3
MODEL = TableModel(
    np.array(
        [[[Fraction(n + t + 1, 3 * n + 6) for t in range(VOCAB)] for n in range(k, k + VOCAB)] for k in range(0, VOCAB**2, VOCAB)],
        dtype=object,
    )
)
"""All positive, and no two rows equal."""


class Counting:
    """A model that counts the tokens it is fed."""

    def __init__(self, model):
        self.model, self.vocab, self.start, self.fed = model, model.vocab, model.start, []

    def extend(self, caches, blocks):
        assert not any(block.drafted for block in blocks)
        self.fed.append([list(block.tokens) for block in blocks])
        return self.model.extend(caches, blocks)


class Remembering(Verbatim):
    """Sampling rules whose memory of a prefix is the prefix, and that note at which one each law was asked for."""

    def __init__(self):
        self.asked = []

    def start(self, prompt):
        return tuple(prompt)

    def fold(self, prefix, token, law):
        assert law.tolist() == MODEL.law(prefix).tolist(), "folded with the law that the token was drawn from"
        return (*prefix, token)

    def laws(self, logits, prefix, drafted, parents):
        self.asked.append(prefix)
        return super().laws(logits, prefix, drafted, parents)


def requests(drafter, *contexts, params=None, width=99):
    params = params or Verbatim()
    return [Request(tuple(c), len(c), (), params, params.start(c), drafter.start(), width) for c in contexts]


def first_possible(laws, node, depth, live):
    """A picker that takes the lowest token of positive probability."""
    return np.array([(row > 0).tolist().index(True) if on else NOTHING for row, on in zip(laws, live, strict=True)])


def seeded(seed):
    """A picker with a seed."""

    def pick(laws, node, depth, live):
        rows = enumerate(zip(laws, live, strict=True))
        return np.array([SeededDraws(seed).pick(law, Address(row, node, Purpose.DRAFT)) if on else NOTHING for row, (law, on) in rows])

    return pick


class TestTheRecordedLaw:
    @pytest.mark.parametrize("tree", [Tree.chain(4), Tree.branching(2, 2, siblings=Siblings.INDEPENDENT)], ids=["chain", "tree"])
    @pytest.mark.parametrize("seed", range(5))
    def test_is_the_law_of_the_model_after_the_path_to_the_parent(self, tree, seed):
        drafter = ModelDrafter(MODEL, tree)
        contexts = [1, 2], [0]
        draft = drafter.propose(requests(drafter, *contexts), seeded(seed))
        laws = draft.laws(MODEL.table)
        for row, context in enumerate(contexts):
            for node, parent in enumerate(tree.parents, start=1):
                path = [int(draft.tokens[row, above - 1]) for above in tree.path(parent)]
                assert laws[row, node - 1].tolist() == MODEL.law([*context, *path]).tolist()

    def test_is_on_the_carrier_of_the_model(self, carrier):
        model = TableModel(carrier.array(MODEL.table.tolist()))
        drafter = ModelDrafter(model, Tree.chain(1))
        draft = drafter.propose(requests(drafter, [1, 2]), first_possible)
        assert carrier.same(draft.laws(model.table), [[MODEL.law([1, 2]).tolist()]])

    def test_follows_the_sampling_rules_of_each_path(self):
        params = Remembering()
        drafter = ModelDrafter(MODEL, Tree.branching(2, 1, 1))
        draft = drafter.propose(requests(drafter, [2], params=params), seeded(1))
        a, b, below_a, below_b = draft.tokens[0, :4].tolist()
        assert a != b
        assert params.asked == [(2,), (2, a), (2, b), (2, a, below_a), (2, b, below_b)]


class TestDepth:
    def test_of_each_request_is_asked_before_anything_is_drawn(self):
        drafter = ModelDrafter(MODEL, Tree.chain(3), depth=lambda request: request.context[-1])
        draft = drafter.propose(requests(drafter, [2], [0], [1]), first_possible)
        assert draft.present.tolist() == [[True, True, False], [False, False, False], [True, False, False]]
        laws = draft.laws(MODEL.table)
        assert not laws[~draft.present].any()
        assert (laws[draft.present].sum(-1) == 1).all()

    def test_cuts_a_tree_at_that_level(self):
        drafter = ModelDrafter(MODEL, Tree.branching(2, 1), depth=lambda request: 1)
        draft = drafter.propose(requests(drafter, [2]), seeded(0))
        assert draft.present.tolist() == [[True, True, False, False]]

    def test_beyond_the_tree_is_refused(self):
        drafter = ModelDrafter(MODEL, Tree.chain(2), depth=lambda request: 3)
        with pytest.raises(BadRequest, match=r"the draft depth is 3 after 1 tokens; this drafter's tree allows 0 \(draft nothing\) to 2"):
            drafter.propose(requests(drafter, [2]), first_possible)

    def test_of_0_in_every_request_runs_no_model(self):
        drafter = ModelDrafter(model := Counting(MODEL), Tree.chain(3), depth=lambda request: 0)
        draft = drafter.propose(requests(drafter, [2], [1]), first_possible)
        assert (draft.tokens.shape, draft.vocab, model.fed) == ((2, 0), VOCAB, [])

    def test_that_is_negative_is_refused(self):
        drafter = ModelDrafter(MODEL, Tree.chain(3), depth=lambda request: -1)
        with pytest.raises(BadRequest) as refusal:
            drafter.propose(requests(drafter, [2, 1]), first_possible)
        assert str(refusal.value) == "the draft depth is -1 after 2 tokens; this drafter's tree allows 0 (draft nothing) to 3"

    def test_is_bounded_by_the_width_of_each_request(self):
        drafter = ModelDrafter(model := Counting(MODEL), Tree.branching(2, 1))
        wide, narrow, none = (requests(drafter, [2], width=width)[0] for width in (9, 1, 0))
        draft = drafter.propose([wide, narrow, none], first_possible)
        assert draft.present.tolist() == [[True] * 4, [True, True, False, False], [False] * 4]
        assert drafter.propose([none], first_possible).tokens.shape == (1, 0)
        assert len(model.fed) == 3, "nothing was fed for a width of 0"


class TestARowThatRunsOutOfTokens:
    def test_drafts_nothing_below_the_missing_one(self):
        point_mass = np.full((VOCAB,) * 3, Fraction(0), object)
        point_mass[..., 1] = Fraction(1)
        drafter = ModelDrafter(model := Counting(TableModel(point_mass)), Tree.branching(2, 1))
        draft = drafter.propose(requests(drafter, [0]), first_possible)
        assert draft.tokens.tolist() == [[1, NOTHING, 1, NOTHING]]
        assert model.fed == [[[0]], [[1]], []], "no law is asked for below a token that was not drawn"


class Forbidding(Verbatim):
    """Sampling rules that leave nothing to say after a token 2."""

    def start(self, prompt):
        return prompt[-1]

    def fold(self, prefix, token, law):
        return token

    def laws(self, logits, prefix, drafted, parents):
        if prefix == 2:
            raise EmptyLaw("nothing is allowed after 2")
        return super().laws(logits, prefix, drafted, parents)


class TestWhereNothingIsAllowed:
    def test_a_row_drafts_nothing_from_there_on_and_the_others_go_on(self):
        drafter = ModelDrafter(MODEL, Tree.chain(3))
        asked = requests(drafter, [0], [2], [1], params=Forbidding())
        draft = drafter.propose(asked, lambda laws, node, depth, live: np.array([1, 1, [0, 2, 1][node - 1]]))
        assert draft.tokens.tolist() == [[1, 1, 1], [NOTHING] * 3, [0, 2, NOTHING]]
        assert not draft.laws(MODEL.table)[1].any()

    def test_every_row_drafts_nothing(self, carrier):
        drafter = ModelDrafter(TableModel(carrier.array(MODEL.table.tolist())), Tree.chain(3))
        draft = drafter.propose(requests(drafter, [2], [2], params=Forbidding()), first_possible)
        assert (draft.tokens.shape, draft.vocab) == ((2, 0), VOCAB)


class TestTheCache:
    def test_is_fed_the_prompt_once_and_then_a_token_at_a_time(self):
        drafter = ModelDrafter(model := Counting(MODEL), Tree.chain(3))
        draft = drafter.propose(requests(drafter, [2, 1, 0]), seeded(0))
        a, b, _ = draft.tokens[0].tolist()
        assert model.fed == [[[2, 1, 0]], [[a]], [[b]]]

    @pytest.mark.parametrize("kept", [0, 1, 2, 3])
    def test_catches_up_by_the_common_prefix_with_the_context(self, kept):
        drafter = ModelDrafter(model := Counting(MODEL), Tree.chain(3))
        (first,) = requests(drafter, [2, 1, 0])
        drafted = drafter.propose([first], seeded(0)).tokens[0].tolist()
        model.fed.clear()
        held = len(first.context) + 2  # the last drafted token was not fed
        other = next(token for token in range(VOCAB) if token != (*drafted, 0)[kept])
        then = first._replace(context=(*first.context, *drafted[:kept], other))
        drafter.propose([then], seeded(1))
        assert model.fed[0] == [list(then.context[min(held, 3 + kept) :])]
        assert then.memory.cache.tokens == then.memory.tokens

    def test_is_right_after_any_history(self):
        """Tree drafts, refusals and other contexts in between leave no trace in the laws."""
        random = Random(0)
        model, _ = random_pair(random, VOCAB)
        drafter = ModelDrafter(model, Tree.branching(2, 1, 2))
        (request,) = requests(drafter, [1])
        for seed in range(30):
            draft = drafter.propose([request], seeded(seed))
            for node in draft.followed(0):
                path = [int(draft.tokens[0, above - 1]) for above in draft.tree.path(draft.tree.parents[node - 1])]
                elders = [c for c in draft.tree.children[draft.tree.parents[node - 1]] if c < node]
                law = model.law([*request.context, *path]).copy()
                law[[int(draft.tokens[0, elder - 1]) for elder in elders]] = Fraction(0)
                assert draft.laws(model.table)[0, node - 1].tolist() == (law / law.sum()).tolist()
            kept = request.context[: 1 + random.randrange(len(request.context))]
            request = request._replace(context=(*kept, *(random.randrange(VOCAB) for _ in range(random.randrange(3)))))


class TestMemory:
    @pytest.mark.parametrize(
        ("held", "wanted", "fed"),
        [
            ([], [1, 2], [1, 2]),
            ([1, 2], [1, 2, 0], [0]),
            ([1, 2, 0, 0], [1, 2, 1], [1]),
            ([2, 1], [1, 1], [1, 1]),
            ([1, 2], [1, 2], [2]),
            ([1, 2, 0], [1, 2], [2]),
        ],
        ids=["empty", "longer", "another ending", "another beginning", "the same", "shorter"],
    )
    def test_feeds_what_is_missing_and_at_least_the_last_token(self, held, wanted, fed):
        memory = Memory(TableCache(list(held)), list(held))
        assert memory.missing(wanted) == fed
        assert memory.cache.tokens + fed == wanted == memory.tokens


def test_is_a_drafter():
    assert isinstance(ModelDrafter(MODEL, Tree.chain(1)), Drafter)
