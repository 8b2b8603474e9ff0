"""The best source is chosen by the past alone: whole decodes stay exact, and a choice that looks at a token is caught."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from draftproof.decode import Decoder
from draftproof.drafters.best_of import BestOf, Patience
from draftproof.drafters.given import Given
from draftproof.drafters.guess import Guess, Guesser
from draftproof.drafters.lookup import Lookup
from draftproof.drafters.model import ModelDrafter
from draftproof.drafters.protocol import Drafter, Request
from draftproof.drafters.suffix import Suffix
from draftproof.drafters.survival import Proposal
from draftproof.draws import SeededDraws
from draftproof.errors import BadRequest, NotExact, Unsupported
from draftproof.models.cost import PassCost
from draftproof.proof import assert_decodes_exactly, assert_drafter
from draftproof.proof.fixtures import pairs
from draftproof.proof.laws import compare
from draftproof.proof.loop import Engagement, loop_law, plain_law
from draftproof.rules.block import block
from draftproof.rules.rejection import rejection
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Limits
from draftproof.tree import Siblings, Tree
from draftproof.types import NOTHING, Draft
from draftproof.verify import Coupled, Independent

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

TABLES = pairs(10, 3, seed=11)
COST = PassCost(((1, 10.0), (2, 11.0), (3, 13.0), (6, 20.0)))
DRAFT_COST = PassCost(((1, 0.5), (2, 0.5)))
VERIFICATIONS = {"rejection": Independent(rejection), "block": Independent(block), "coupled": Coupled()}


@dataclass
class Watched:
    """A drafter, and how often it drafted how many tokens, drawn or not."""

    drafter: Drafter
    met: Counter = field(default_factory=Counter)

    def start(self) -> Any:
        return self.drafter.start()

    def propose(self, requests, pick):
        draft = self.drafter.propose(requests, pick)
        laws = draft.laws(np.empty(0, object)) if not draft.is_fixed else None
        for row, width in enumerate(draft.present.sum(1).tolist()):
            drawn = laws is not None and any(0 < value < 1 for law in laws[row] for value in law)
            self.met[width, drawn] += 1
        return draft


def best_of(draft, *guessers, width=2, cost=COST):
    drafter = ModelDrafter(draft, Tree.chain(width)) if draft else None
    return Watched(BestOf(guessers, 3, cost, width, drafter, DRAFT_COST if draft else None))


def requests(drafter, *contexts, width=9):
    return [Request(tuple(context), 1, (), Verbatim(), None, drafter.start(), width) for context in contexts]


def likeliest(laws, node, depth, live):
    return laws.argmax(-1)


# ---------------------------------------------------------------- what it drafts


@dataclass(frozen=True)
class Says:
    """Guesses the same tokens after every context."""

    tokens: tuple[int, ...]

    def start(self) -> None:
        return None

    def guess(self, request):
        return Guess(self.tokens[: request.width], 0)


@dataclass(frozen=True)
class Draws:
    """A drafter of chosen tokens that notes how many it was asked for."""

    tokens: tuple[int, ...]
    asked: list = field(default_factory=list)

    def start(self) -> str:
        return "memory of the drafter"

    def propose(self, requests, pick):
        self.asked.extend((request.memory, request.width) for request in requests)
        return Draft.fixed([self.tokens[: request.width] for request in requests], vocab=3)


FREE = PassCost(((1, 10.0), (9, 10.0)))
DEAR = PassCost(((1, 10.0), (2, 20.0)))


def goes_on(drafter, request, *tokens):
    """The draft after more of the text was emitted."""
    return drafter.propose([request._replace(context=(*request.context, *tokens))], likeliest)


class TestTheChoice:
    def test_is_as_wide_as_pays(self):
        drafter = BestOf([Says((1, 2, 1, 2))], 3, FREE, width=3)
        assert drafter.propose(requests(drafter, [0]), likeliest).tokens.tolist() == [[1, 2, 1]]
        drafter = BestOf([Says((1, 2, 1, 2))], 3, DEAR)
        assert drafter.propose(requests(drafter, [0]), likeliest).tokens.shape == (1, 0)

    def test_goes_to_the_source_that_was_right(self):
        drafter = BestOf([Says((1, 1)), Says((2, 2))], 3, FREE, width=1)
        (request,) = requests(drafter, [0])
        assert drafter.propose([request], likeliest).tokens.tolist() == [[1]], "of two unknown sources the first"
        for length in range(1, 4):
            assert goes_on(drafter, request, *[2] * length).tokens.tolist() == [[2]]
        assert goes_on(drafter, request, 2, 2, 2, 1).tokens.tolist() == [[2]], "one bad guess after three good ones is not enough"
        text = (2, 2, 2, 1)
        for _ in range(9):
            text += (1,)
            last = goes_on(drafter, request, *text)
        assert last.tokens.tolist() == [[1]]

    def test_learns_from_guesses_that_were_not_drafted(self):
        drafter = BestOf([Says((1, 1, 1))], 3, DEAR)
        (request,) = requests(drafter, [0])
        widths, text = [], ()
        for _ in range(12):
            widths.append(goes_on(drafter, request, *text).tokens.shape[1])
            text += (1,)
        assert widths[0] == 0
        assert widths[-1] == 0, "twice the time for twice the tokens is not taken"
        drafter = BestOf([Says((1, 1, 1))], 3, PassCost(((1, 10.0), (2, 17.0))))
        (request,) = requests(drafter, [0])
        widths, text = [], ()
        for _ in range(12):
            widths.append(goes_on(drafter, request, *text).tokens.shape[1])
            text += (1,)
        assert widths[0] == 0
        assert widths[-1] == 3

    def test_is_bounded_by_the_width_of_the_request(self):
        drafter = BestOf([Says((1, 2, 1))], 3, FREE, drafter=Draws((0, 0, 0)), draft_cost=DRAFT_COST)
        wide, narrow, none = (requests(drafter, [0], width=width)[0] for width in (9, 1, 0))
        assert drafter.propose([wide, narrow, none], likeliest).present.sum(1).tolist() == [3, 1, 0]

    def test_asks_each_source_with_its_own_memory(self):
        drafter = BestOf([Lookup(), Suffix()], 3, FREE, 4, drafter=(draws := Draws((0, 0, 0))), draft_cost=PassCost(((1, 0.01), (2, 0.01))))
        assert [type(memory).__module__.rpartition(".")[2] for memory in drafter.start().sources[:2]] == ["lookup", "suffix"]
        drafter.propose(requests(drafter, [0]), likeliest)
        assert draws.asked == [("memory of the drafter", 4)]

    def test_a_token_that_was_asked_for_and_not_drafted_counts_as_refused(self):
        drafter = BestOf([], 3, FREE, width=4, drafter=Draws((1, 1)), draft_cost=PassCost(((1, 0.01), (2, 0.01))))
        (request,) = requests(drafter, [0])
        drafter.propose([request], likeliest)
        assert request.memory.record.open[0].tokens == (1, 1, NOTHING, NOTHING)
        goes_on(drafter, request, 1, 1, 1)
        survival = request.memory.record.survival[0, 0]
        assert (survival.tried, survival.kept) == (pytest.approx([0.95] * 3), pytest.approx([0.95, 0.95, 0]))


class TestADrafterThatIsLeftOut:
    def trials(self, good, rounds=300):
        """In which rounds it drafts, when a drafted token costs a fifth of a pass and it is right or wrong all the time."""
        cost = PassCost(((1, 10.0), (2, 10.0), (3, 10.0)))
        drafter = BestOf([], 3, cost, width=1, drafter=(draws := Draws((1,))), draft_cost=PassCost(((1, 2.0), (2, 2.0))))
        (request,) = requests(drafter, [0])
        drafted, text = [], ()
        for place in range(rounds):
            before = len(draws.asked)
            goes_on(drafter, request, *text)
            drafted += [place] * (len(draws.asked) - before)
            text += (1 if good(place) else 2,)
        return drafted

    def test_is_tried_as_often_as_a_hundredth_of_the_time_allows(self):
        drafted = self.trials(lambda place: False)
        assert drafted[-1] - drafted[-2] == pytest.approx(20, abs=1)
        assert len(drafted) * 2 / (300 * 10) < 0.02

    def test_is_taken_back_when_it_is_right(self):
        drafted = self.trials(lambda place: place >= 150)
        back = next(place for place in drafted if place >= 150)
        assert back < 172, "the first try"
        assert drafted[drafted.index(back) :] == list(range(back, 300))

    def test_is_tried_less_where_others_draft_well(self):
        poor, rich = Patience(0.0), Patience(0.0)
        tries = [sum(each.left_out(10.0, loss, repeat=True) for _ in range(1000)) for each, loss in ((poor, 2.0), (rich, 10.0))]
        assert tries == [pytest.approx(50, abs=1), pytest.approx(10, abs=1)]

    def test_a_try_that_was_kept_is_repeated_only_where_little_else_would_be_drafted(self):
        for repeat in (True, False):
            patience = Patience(2.0)
            assert patience.left_out(10.0, 2.0, repeat=repeat)
            patience.drafted(Proposal("kind", (1,), agreed=1))
            assert patience.left_out(10.0, 2.0, repeat=repeat) == repeat

    def test_has_spent_its_time_when_it_was_chosen_for_its_merit(self):
        patience = Patience(2.0)
        patience.chosen()
        assert not patience.left_out(10.0, 2.0, repeat=True)


class TestABatch:
    def test_rows_of_several_sources_stand_in_one_draft(self):
        _, draft = TABLES[0]
        drafter = BestOf([Lookup()], 3, FREE, 2, ModelDrafter(draft, Tree.chain(2)), PassCost(((1, 1.0), (2, 1.0))))
        found = drafter.propose(requests(drafter, [0, 1], [2, 1, 2, 1], [0, 2]), likeliest)
        laws = found.laws(np.empty(0))
        assert found.tokens[1].tolist() == [2, 1]
        assert laws[1].tolist() == [[0, 0, 1], [0, 1, 0]]
        assert laws[0, 0].tolist() == draft.law([0, 1]).tolist()
        assert laws[2, 0].tolist() == draft.law([0, 2]).tolist()

    def test_a_row_draws_with_its_own_numbers_wherever_it_stands(self):
        target, draft = TABLES[0]
        decoder = Decoder(target, best_of(draft, Lookup(), Suffix()), Coupled())
        limits = Limits(12)

        def texts(seeds):
            sessions = [decoder.open([0, 1], params=Verbatim(), limits=limits, draws=SeededDraws(seed)) for seed in seeds]
            for _ in decoder.generate(sessions):
                pass
            return [session.emitted for session in sessions]

        assert texts(range(8)) == [texts([seed])[0] for seed in range(8)]
        assert {drawn for _, drawn in decoder.drafter.met} == {True, False}

    def test_a_drafter_of_trees_is_refused(self):
        _, draft = TABLES[0]
        drafter = BestOf([Lookup()], 3, FREE, 2, ModelDrafter(draft, Tree((0, 0), Siblings.DISTINCT)), DRAFT_COST)
        with pytest.raises(Unsupported, match=r"a draft of shape \(0, 0\) cannot stand in a batch with others; draft a chain"):
            drafter.propose(requests(drafter, [0]), lambda laws, node, depth, live: np.array([node - 1]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"guessers": []}, "there is nothing to draft from; give a guesser or a drafter, or use no_drafter"),
        ({"guessers": [Lookup()], "width": 0}, "the deepest draft is 0 tokens; give at least 1, or use no_drafter"),
        ({"guessers": [Lookup()], "draft_cost": COST}, "a drafter and its draft_cost belong together; give both or neither"),
        ({"guessers": [], "drafter": Draws(())}, "a drafter and its draft_cost belong together; give both or neither"),
    ],
    ids=["nothing", "no width", "no drafter", "no cost"],
)
def test_parts_that_do_not_belong_together_are_refused(arguments, message):
    with pytest.raises(BadRequest, match=message):
        BestOf(vocab=3, cost=COST, **arguments)


def test_it_keeps_the_protocol():
    target, draft = TABLES[0]
    assert isinstance(Says(()), Guesser)
    for drafter in (
        best_of(None, Lookup(), cost=FREE),
        best_of(None, Lookup(), Suffix(), Given(), width=5, cost=FREE),
        best_of(draft, width=3, cost=FREE),
        best_of(draft, Lookup(), Suffix()),
    ):
        assert isinstance(drafter, Drafter)
        assert_drafter(drafter, target, adaptive=True)
        assert len(drafter.met) > 1, "several widths, or both kinds of source"


# ---------------------------------------------------------------- whole decodes


def gap(drafter, target, verification, *, length, prompt=(0, 1), neighbours=(), end=None):
    limits = Limits(length, frozenset() if end is None else frozenset({end}))
    found = loop_law(Decoder(target, drafter, verification), prompt, params=Verbatim(), limits=limits, neighbours=neighbours, together=1)
    return compare(found.law, plain_law(target, prompt, params=Verbatim(), limits=limits)).total_variation, found.engagement


@pytest.mark.parametrize("verification", VERIFICATIONS.values(), ids=VERIFICATIONS.keys())
class TestTheWholeDecodeIsExact:
    def test_with_guesses_and_a_model_of_changing_width(self, verification):
        met, drafted = Engagement(), Counter()
        for index, (target, draft) in enumerate(TABLES[1:6]):
            drafter = best_of(draft, Lookup(), Suffix())
            distance, engagement = gap(drafter, target, verification, length=4, end=index % 3)
            assert distance == 0, f"pair {index}"
            met.add(engagement)
            drafted += drafter.met
        assert not met.vacuous
        assert met.some_kept > 0
        assert {(1, True), (2, True), (1, False)} <= set(drafted), "both kinds of source, and several widths"

    def test_with_a_drafter_that_is_switched_off_and_tried_again(self, verification):
        """Trying costs nothing here, so it is tried at once; rows cost so much that a refusal switches it off."""
        met, drafted = Engagement(), Counter()
        cost = PassCost(((1, 10.0), (2, 13.9), (3, 17.4)))
        for index, (target, draft) in enumerate([TABLES[1], TABLES[9]]):
            drafter = Watched(BestOf([], 3, cost, 2, ModelDrafter(draft, Tree.chain(2)), PassCost(((1, 0.01), (2, 0.01)))))
            distance, engagement = gap(drafter, target, verification, length=4)
            assert distance == 0, f"pair {index}"
            met.add(engagement)
            drafted += drafter.met
        assert not met.vacuous
        assert {width for width, _ in drafted} == {0, 1, 2}

    def test_beside_requests_that_move_its_width(self, verification):
        target, draft = TABLES[0]
        drafter = best_of(draft, Lookup())
        distance, engagement = gap(drafter, target, verification, length=3, neighbours=[((2, 0, 2, 0), 5), ((1,), 6)])
        assert distance == 0
        assert not engagement.vacuous
        assert {(0, False), (1, True), (1, False)} <= set(drafter.met)

    def test_as_a_stranger_would_ask(self, verification):
        target, draft = TABLES[0]
        decoder = Decoder(target, best_of(draft, Lookup()), verification)
        assert_decodes_exactly(decoder, [0, 1], params=Verbatim(), limits=Limits(3), together=1)


# ---------------------------------------------------------------- the proof must fail for a choice that looks at a token


@dataclass(frozen=True)
class DropsWhatLooksUnlikely:
    """Draws a draft, and drops it when its first token is not the likeliest."""

    drafter: ModelDrafter

    def start(self) -> Any:
        return self.drafter.start()

    def propose(self, requests, pick):
        draft = self.drafter.propose(requests, pick)
        if draft.is_fixed:
            return draft
        unlikely = draft.laws(np.empty(0, object))[0, 0].argmax() != draft.tokens[0, 0]
        return Draft.none(1, vocab=draft.vocab) if unlikely else draft


@dataclass(frozen=True)
class CutsBeforeWhatLooksUnlikely(DropsWhatLooksUnlikely):
    """Draws two tokens, and drops the second when it is not the likeliest."""

    def propose(self, requests, pick):
        drawn = {}

        def remembering(laws, node, depth, live):
            if node not in drawn:
                drawn[node] = pick(laws, node, depth, live)
            return drawn[node]

        draft = self.drafter.propose(requests, remembering)
        if draft.tree.width < 2 or draft.laws(np.empty(0, object))[0, 1].argmax() == draft.tokens[0, 1]:
            return draft
        return self.drafter.propose([request._replace(width=1) for request in requests], remembering)


@pytest.mark.parametrize("kind", [DropsWhatLooksUnlikely, CutsBeforeWhatLooksUnlikely])
@pytest.mark.parametrize("name", VERIFICATIONS)
def test_a_length_that_depends_on_a_dropped_token_is_seen(kind, name):
    target, draft = TABLES[3]
    drafter = kind(ModelDrafter(draft, Tree.chain(2)))
    distance, engagement = gap(drafter, target, VERIFICATIONS[name], length=2)
    assert not engagement.vacuous
    if name == "coupled":
        assert distance == 0, "the target's own token is emitted, whatever was drafted"
    else:
        assert distance > 0.05


def test_and_a_stranger_is_told():
    target, draft = TABLES[3]
    decoder = Decoder(target, CutsBeforeWhatLooksUnlikely(ModelDrafter(draft, Tree.chain(2))), Independent(rejection))
    with pytest.raises(NotExact, match="the decode is not exact: text"):
        assert_decodes_exactly(decoder, [0, 1], params=Verbatim(), limits=Limits(2), together=1)
