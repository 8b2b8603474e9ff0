"""A draft model of another vocabulary drafts exactly, and what is wrong with a translation is seen or harmless."""

from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from draftproof.carriers import normalise
from draftproof.catalogue import CATALOGUE
from draftproof.decode import Decoder
from draftproof.drafters.model import ModelDrafter
from draftproof.drafters.reading import Reading
from draftproof.drafters.translated import TranslatedCache, TranslatedModel, require_same, translated
from draftproof.errors import BadDraft, BadRequest, EmptyLaw, NotConforming, NotExact, Unsupported
from draftproof.models.protocol import Block, Model
from draftproof.models.table import TableModel
from draftproof.proof import Exactly, assert_decodes_exactly, assert_drafter, assert_model
from draftproof.proof.fixtures import constant, generic_pair, pairs, row
from draftproof.proof.loop import loop_law, plain_law
from draftproof.sampling.chain import Chain
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Limits
from draftproof.tree import Siblings, Tree
from draftproof.types import NOTHING
from draftproof.vocabulary import TokenMap, Vocabulary, shared

TARGET = Vocabulary((b"a", b"b", b"ab"))
REDUCED = Vocabulary((b"b", b"a"))
PERMUTED = Vocabulary((b"ab", b"a", b"b"))
TARGETS = [target for target, _ in pairs(3, 3, seed=3)]

three_rules = pytest.mark.parametrize("name", ["rejection", "block", "coupled"])


class Weights(Verbatim):
    """The model's rows are weights, -inf for none: softmax in fractions."""

    def laws(self, logits, prefix, drafted, parents):
        weights = np.where(logits == -np.inf, Fraction(0), logits)
        if not weights.sum(-1).all():
            raise EmptyLaw("no shared token has weight")
        return weights / weights.sum(-1)[:, None], [None] * (1 + len(drafted))


def draft_model(vocab, *, kind=0, seed=4):
    """A table of `vocab` tokens; kind 0 has every token everywhere."""
    if kind:
        return pairs(kind + 1, vocab, seed=seed)[kind][1]
    return generic_pair(Random(seed), vocab)[1]


def decoder(target, model, name, *, width=2):
    return Decoder(target, ModelDrafter(model, Tree.chain(width)), CATALOGUE[name].verification)


@pytest.mark.usefixtures("unchecked_shapes")
class TestADecode:
    @three_rules
    @pytest.mark.parametrize("draft", [REDUCED, PERMUTED], ids=["reduced", "permuted"])
    def test_is_exact(self, name, draft):
        for index, target in enumerate(TARGETS):
            model = translated(draft_model(len(draft), kind=index % 2), target=TARGET, draft=draft)
            assert_decodes_exactly(decoder(target, model, name), [0], params=Weights(), limits=Limits(4, frozenset({index % 3})))

    @three_rules
    def test_is_exact_when_one_id_of_two_with_the_same_bytes_is_never_drafted(self, name):
        twice = Vocabulary((b"a", b"b", b"a"))
        model = translated(draft_model(2), target=twice, draft=REDUCED)
        assert model.tokens.pairs == ((0, 1), (1, 0))
        assert_decodes_exactly(decoder(TARGETS[0], model, name), [2], params=Weights(), limits=Limits(4))

    def test_is_exact_on_a_tree_since_the_drafter_feeds_chains(self):
        model = translated(draft_model(3), target=TARGET, draft=PERMUTED)
        drafter = ModelDrafter(model, Tree((0, 0, 1), Siblings.DISTINCT))
        assert_decodes_exactly(
            Decoder(TARGETS[0], drafter, CATALOGUE["recursive"].verification), [0], params=Weights(), limits=Limits(3, frozenset({1}))
        )

    @three_rules
    def test_is_exact_with_a_claim_of_the_same_vocabulary_that_is_wrong(self, name):
        """The ids mean other tokens than the target's: that shows in what is kept, not in the text."""
        target = TARGETS[0]
        same = TableModel(target.table[np.ix_([2, 0, 1], [2, 0, 1], [2, 0, 1])])  # the target itself, its ids permuted
        right, wrong = translated(same, target=TARGET, draft=PERMUTED), same
        kept = []
        for model in (right, wrong):
            found = loop_law(decoder(target, model, name), [0, 1], params=Weights(), limits=Limits(4))
            assert found.law == plain_law(target, [0, 1], params=Weights(), limits=Limits(4))
            kept.append(found.engagement)
        assert kept[0].none_kept == kept[0].some_kept == 0, "the target's own draft is never refused"
        assert not kept[1].vacuous

    def test_is_exact_with_a_logit_of_0_for_what_the_model_cannot_say_but_drafts_it(self):
        """A drafter cannot spoil the law: this fault shows in the rows, not in the text."""
        logits = constant(row(50, 50))
        model, faulty = (kind(Logits(logits), shared(TARGET, REDUCED), read_of(REDUCED)) for kind in (TranslatedModel, UnmappedAtZero))
        target = Logits(TARGETS[0])
        for made, drafted in ((model, {0, 1}), (faulty, {0, 1, 2})):
            rows = made.extend([made.start()], [Block([0])])[0]
            assert set(np.flatnonzero(Chain(()).laws(rows, Chain(()).start([0]), (), ())[0][0]).tolist()) == drafted
            assert_decodes_exactly(decoder(target, made, "rejection", width=1), [0], params=Exactly(Chain(())), limits=Limits(2))


@dataclass(frozen=True)
class Logits:
    """A table whose rows are log-probabilities in floats."""

    table: TableModel

    @property
    def vocab(self):
        return self.table.vocab

    def start(self):
        return self.table.start()

    def extend(self, caches, blocks):
        with np.errstate(divide="ignore"):
            return [np.log(rows.astype(np.float64)) for rows in self.table.extend(caches, blocks)]


class UnmappedAtZero(TranslatedModel):
    """A token without counterpart has the logit 0."""

    def _translated(self, rows):
        logits = super()._translated(rows)
        return np.where(logits == -np.inf, 0.0, logits)


def read_of(draft, encode=None):
    return Reading(TARGET, shared(TARGET, draft).to_draft, encode or draft.spell)


class TestRows:
    def test_have_the_models_numbers_at_shared_tokens_and_minus_infinity_elsewhere(self, carrier):
        model = TableModel(carrier.array(draft_model(2).table.tolist()))
        wrapped = translated(model, target=TARGET, draft=REDUCED)
        (rows,) = wrapped.extend([wrapped.start()], [Block([1, 2])])
        law = model.law([0, 1, 0])
        assert type(rows) is type(model.table)
        assert rows.dtype == model.table.dtype
        assert rows.tolist() == [[law[1], law[0], -np.inf]]

    def test_become_the_models_law_given_a_shared_token(self):
        wrapped = TranslatedModel(Logits(constant(row(20, 50, 30))), TokenMap(((2, 0), (0, 1)), 4, 3), lambda text: text)
        rows = wrapped.extend([wrapped.start()], [Block([0])])[0]
        law = Chain(()).law(rows[0], Chain(()).start([0]))
        assert law == pytest.approx([5 / 7, 0, 2 / 7, 0], abs=1e-15)

    def test_follow_each_drafted_token(self):
        model = draft_model(2)
        wrapped = translated(model, target=TARGET, draft=REDUCED)
        (rows,) = wrapped.extend([wrapped.start()], [Block([1], [2, 0], [0, 1])])
        texts = [0], [0, 1, 0], [0, 1, 0, 1]
        assert rows[:, :2].tolist() == [model.law(text)[[1, 0]].tolist() for text in texts]


class TestTheModel:
    @pytest.mark.parametrize(
        "encode",
        [None, lambda text: [len(text) % 2], lambda text: [len(text) % 3 % 2] * (len(text) % 4 + 1)],
        ids=["spelt", "moving", "odd"],
    )
    @pytest.mark.parametrize("draft", [REDUCED, PERMUTED, Vocabulary((b"b", b"x"))], ids=["reduced", "permuted", "one shared"])
    def test_conforms_even_if_a_token_more_changes_how_the_last_ones_are_read(self, draft, encode):
        table = generic_pair(Random(7), len(draft))[0]
        assert_model(
            TranslatedModel(TableModel(table.table.astype(float)), shared(TARGET, draft), read_of(draft, encode or (lambda text: [0, 1])))
        )

    def test_with_a_cache_that_is_not_rolled_back_does_not_conform(self):
        class Forgetful(TranslatedCache):
            def truncate(self, length):
                self.tokens = self.tokens[: length + 1]

        class Faulty(TranslatedModel):
            def start(self):
                return Forgetful(super().start().memory, [])

        with pytest.raises(NotConforming):
            assert_model(Faulty(TableModel(draft_model(3).table.astype(float)), shared(TARGET, PERMUTED), read_of(PERMUTED)))

    def test_is_fed_no_token_twice(self):
        fed = []

        class Watched(TableModel):
            def extend(self, caches, blocks):
                fed.append([list(block.tokens) for block in blocks])
                return super().extend(caches, blocks)

        model = translated(Watched(draft_model(2).table), target=TARGET, draft=REDUCED)
        cache = model.start()
        for tokens in ([0, 2], [2], [1]):
            model.extend([cache], [Block(tokens)])
        assert cache.length == 4
        cache.truncate(2)
        model.extend([cache], [Block([1])])
        assert fed == [[[1, 1, 0]], [[1, 0]], [[0]], [[0]]]

    def test_is_a_model(self):
        assert isinstance(translated(draft_model(2), target=TARGET, draft=REDUCED), Model)

    def test_refuses_a_branch(self):
        model = translated(draft_model(2), target=TARGET, draft=REDUCED)
        with pytest.raises(Unsupported, match=r"a translated model reads chains only, not drafted tokens with parents \[0, 0\]"):
            model.extend([model.start()], [Block([0], [1, 1], [0, 0])])
        with pytest.raises(Unsupported, match=r"keeps chains only, not the entries \[0, 2\]; draft a chain"):
            model.start().keep(0, [0, 2])

    def test_refuses_a_map_of_another_vocabulary(self):
        with pytest.raises(BadRequest, match="the map is of a draft vocabulary of 2; the draft model's has 3"):
            translated(draft_model(3), target=TARGET, draft=REDUCED)

    def test_refuses_a_text_of_which_it_can_read_nothing(self):
        target = Vocabulary((b"", b"a"), {0: "<s>"})
        model = translated(draft_model(2), target=target, draft=REDUCED)
        with pytest.raises(BadRequest, match="can read nothing of a text of 1 tokens; give `Reading` a token to begin with"):
            model.extend([model.start()], [Block([0])])
        begun = translated(draft_model(2), target=target, draft=REDUCED, begin=(1,))
        assert begun.extend([begun.start()], [Block([0])])[0][0, 1] == draft_model(2).law([1])[1]

    def test_that_says_fewer_tokens_than_it_reads_is_told_the_ids_as_they_are(self):
        fed = []

        class ReadsAll(TableModel):
            def extend(self, caches, blocks):
                fed.extend(list(block.tokens) for block in blocks)
                return [self.table[:1, 0] for _ in blocks]

        model = TranslatedModel(ReadsAll(draft_model(2).table), TokenMap(((7, 0), (3, 1)), 9, 2), list)
        rows = model.extend([model.start()], [Block([8, 5])])[0]
        assert fed == [[8, 5]]
        assert np.flatnonzero(rows[0] != -np.inf).tolist() == [3, 7]


class TestTheSameVocabulary:
    def test_needs_no_translation(self):
        model = draft_model(3)
        assert translated(model, target=TARGET, draft=Vocabulary(TARGET.tokens)) is model
        require_same(TARGET, Vocabulary(TARGET.tokens))

    def test_that_is_another_is_refused_with_the_first_token_that_differs(self):
        with pytest.raises(Unsupported) as caught:
            require_same(TARGET, PERMUTED)
        assert str(caught.value) == (
            "the draft model has another vocabulary (second) than the target (first): "
            "token 0 is 'a' in the first vocabulary and 'ab' in the second; use `translated`"
        )


# ---------------------------------------------------------------- faults that the proof and the checks must see


class CountsOneOfTwo(ModelDrafter):
    """Two tokens of the draft stand for the target's token 0. A token is drawn in the draft's vocabulary; of the two
    probabilities only one is recorded."""

    def propose(self, requests, pick):
        def drawn_with_both(laws, node, depth, live):
            both = laws * np.array([Fraction(2), Fraction(1), Fraction(1)])
            return pick(normalise(both, otherwise=both), node, depth, live)

        return super().propose(requests, drawn_with_both)


def two_for_one(name):
    model = translated(draft_model(3), target=TARGET, draft=PERMUTED)
    return Decoder(TARGETS[0], CountsOneOfTwo(model, Tree.chain(2)), CATALOGUE[name].verification)


@pytest.mark.usefixtures("unchecked_shapes")
class TestAMapThatIsNotOneToOne:
    @pytest.mark.parametrize("name", ["rejection", "block"])
    def test_is_not_exact_under_rules_that_divide(self, name):
        with pytest.raises(NotExact, match="the decode is not exact"):
            assert_decodes_exactly(two_for_one(name), [0], params=Weights(), limits=Limits(3))

    def test_is_exact_where_the_law_of_the_draft_does_not_matter(self):
        assert_decodes_exactly(two_for_one("coupled"), [0], params=Weights(), limits=Limits(3))

    def test_does_not_conform(self):
        with pytest.raises(NotConforming, match="did not draw from the law that is recorded"):
            assert_drafter(two_for_one("rejection").drafter, TARGETS[0], params=Weights())

    def test_cannot_be_made(self):
        with pytest.raises(BadRequest, match="token 0 of the target comes 2 times in the map"):
            TokenMap(((0, 0), (0, 1), (1, 2)), 3, 3)


class DropsWhatItCannotSay(ModelDrafter):
    """A drawn token without counterpart is dropped after it was drawn."""

    def propose(self, requests, pick):
        def dropping(laws, node, depth, live):
            return np.where(pick(laws, node, depth, live) == 0, NOTHING, 1)

        return super().propose(requests, dropping)


def test_a_token_that_is_dropped_for_what_it_is_is_refused():
    drafter = DropsWhatItCannotSay(translated(draft_model(2), target=TARGET, draft=REDUCED), Tree.chain(1))
    with pytest.raises(BadDraft, match="draft row 0, node 1: token -1 was drawn, but its law gives it probability 0"):
        loop_law(Decoder(TARGETS[0], drafter, CATALOGUE["rejection"].verification), [0], params=Weights(), limits=Limits(2))


def test_a_translated_model_drafts_as_a_drafter_must():
    for draft in (REDUCED, PERMUTED):
        assert_drafter(
            ModelDrafter(translated(draft_model(len(draft)), target=TARGET, draft=draft), Tree.chain(3)), TARGETS[0], params=Weights()
        )
