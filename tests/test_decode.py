"""The decode loop, a sentence at a time. That it is exact is proved in tests/proof/test_loop.py."""

from fractions import Fraction

import numpy as np
import pytest

from draftproof.catalogue import CATALOGUE
from draftproof.decode import Decoder
from draftproof.drafters.function import FunctionDrafter, no_drafter
from draftproof.drafters.model import ModelDrafter
from draftproof.draws import SeededDraws
from draftproof.errors import BadDraft, BadLaw, BadRequest, Unsupported
from draftproof.models.table import TableModel
from draftproof.proof.fixtures import pairs
from draftproof.rules.rejection import rejection
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Finish, Limits
from draftproof.target import TargetLaws
from draftproof.tree import Siblings, Tree
from draftproof.types import Draft
from draftproof.verify import Coupled, Independent

TARGET, DRAFT = pairs(1, 4, seed=1)[0]
EXACT = [entry for entry in CATALOGUE.values() if entry.exact]
by_name = pytest.mark.parametrize("entry", EXACT, ids=lambda entry: entry.name)


def decoder_of(entry, *, parents=(0, 1, 2), depth=None):
    return Decoder(TARGET, ModelDrafter(DRAFT, Tree(parents, entry.siblings or Siblings.DISTINCT), depth), entry.verification)


def open_with(decoder, prompt=(0, 1), *, seed=0, limits=None, given=()):
    return decoder.open(prompt, params=Verbatim(), limits=limits or Limits(12), draws=SeededDraws(seed), given=given)


def decode(decoder, prompts, seeds, limits=None):
    """The sessions after all is done, and every step that was taken."""
    sessions = [open_with(decoder, prompt, seed=seed, limits=limits) for prompt, seed in zip(prompts, seeds, strict=True)]
    steps = [done for finished in decoder.generate(sessions) for done in finished]
    return sessions, steps


@pytest.mark.usefixtures("unchecked_shapes")
@pytest.mark.parametrize(("given", "shown"), [(rejection, "rejection"), (Coupled, "Coupled"), (None, "None")])
def test_a_bare_rule_or_a_class_is_no_verification(given, shown):
    with pytest.raises(Unsupported, match=rf"verification is {shown}; give Coupled\(\), or a rule .* as Independent\(rule\)"):
        Decoder(TARGET, no_drafter(4), given)


class TestOpen:
    def test_a_prompt_needs_a_token(self):
        with pytest.raises(BadRequest, match="the prompt is empty"):
            open_with(decoder_of(CATALOGUE["rejection"]), ())

    @pytest.mark.parametrize("token", [-1, 4])
    def test_a_token_outside_the_vocabulary_is_named_with_its_place(self, token):
        with pytest.raises(BadRequest, match=f"prompt token 1 is {token}, outside the target's vocabulary of 4"):
            open_with(decoder_of(CATALOGUE["rejection"]), (0, token))
        with pytest.raises(BadRequest, match=f"given token 0 is {token}, outside the target's vocabulary of 4"):
            open_with(decoder_of(CATALOGUE["rejection"]), given=(token,))

    def test_the_prompt_is_copied_and_the_cache_is_empty(self):
        prompt = [0, 1]
        session = open_with(decoder_of(CATALOGUE["rejection"]), prompt)
        prompt.append(2)
        assert session.context == [0, 1]
        assert session.cache.length == 0
        assert session.emitted == []


@by_name
class TestStep:
    def test_a_round_emits_1_to_k_plus_1_tokens_and_leaves_the_cache_one_short(self, entry):
        decoder = decoder_of(entry, parents=(0, 1))
        session, seen = open_with(decoder, limits=Limits(120)), set()
        while session.finish is None:
            before = len(session.context)
            (done,) = decoder.step([session])
            assert 1 <= len(done.tokens) <= 3
            assert len(session.context) == before + len(done.tokens)
            assert session.cache.tokens == session.context[:-1]
            assert done.drafted <= 2
            seen |= {(done.accepted > 0, done.refused)}
        assert session.finish is Finish.LENGTH
        assert len(session.emitted) == 120
        assert {(False, True), (True, False)} <= seen, "drafts were both refused at once and kept whole"

    def test_a_batch_decodes_each_request_as_it_would_be_decoded_alone(self, entry):
        decoder = decoder_of(entry, depth=lambda request: len(request.context) % 4)
        prompts, seeds = [(0,), (1, 2), (3, 3, 3), (2,)], [5, 6, 7, 5]
        limits = Limits(15, frozenset({3}), ((2, 2),))
        together, _ = decode(decoder, prompts, seeds, limits)
        for session, prompt, seed in zip(together, prompts, seeds, strict=True):
            (alone,), _ = decode(decoder, [prompt], [seed], limits)
            assert session.context == alone.context
            assert session.finish is alone.finish
        assert len({len(session.emitted) for session in together}) > 1, "requests ended at different rounds"

    def test_the_same_request_twice_in_one_batch_is_no_reuse_of_numbers(self, entry):
        (first, second), _ = decode(decoder_of(entry), [(0,), (0,)], [9, 9])
        assert first.context == second.context

    def test_the_text_ends_inside_a_block(self, entry):
        for limits, reason in [
            (Limits(50, frozenset({2})), Finish.END),
            (Limits(50, stop=((1,), (3, 0))), Finish.STOP),
            (Limits(2), Finish.LENGTH),
        ]:
            sessions, steps = decode(decoder_of(entry), [(0, 1)] * 12, range(12), limits)
            assert {session.finish for session in sessions} == {reason}
            for session, done in steps:
                assert session.cache.tokens == session.context[:-1]
                assert done.finish in (None, reason)
            for session in sessions:
                assert session.cache.length == len(session.context) - 1
                assert not limits.end_tokens & set(session.emitted[:-1])
                assert len(session.emitted) <= limits.max_tokens


def test_a_request_that_has_ended_takes_no_part_in_later_rounds():
    decoder = Decoder(TARGET, no_drafter(4), Independent(rejection))
    sessions = [open_with(decoder, seed=seed, limits=Limits(length)) for seed, length in enumerate((1, 5, 9))]
    live = [len(steps) for steps in decoder.generate(sessions)]
    assert live == [3] + [2] * 4 + [1] * 4


def test_plain_decoding_is_a_round_of_width_0():
    decoder = Decoder(TARGET, no_drafter(4), Independent(rejection))
    (session,), steps = decode(decoder, [(0,)], [3])
    assert [done.drafted for _, done in steps] == [0] * 12
    assert [len(done.tokens) for _, done in steps] == [1] * 12
    assert not any(done.refused or done.accepted for _, done in steps)
    assert session.finish is Finish.LENGTH


def test_the_coupled_text_of_a_seed_is_the_same_with_any_drafter():
    adversary = FunctionDrafter(lambda context: [3 - context[-1]] * (len(context) % 5), 4)
    drafters = [
        no_drafter(4),
        adversary,
        *(ModelDrafter(model, tree) for model in (TARGET, DRAFT) for tree in (Tree.chain(5), Tree.branching(2, 2))),
    ]
    for seed in range(5):
        texts = {tuple(decode(Decoder(TARGET, drafter, Coupled()), [(0, 1)], [seed])[0][0].context) for drafter in drafters}
        assert len(texts) == 1


def test_no_row_is_asked_of_the_target_where_the_text_has_ended():
    """What hangs below an end of text is dropped, and the ending token itself is verified but not fed."""
    fed = []

    class Watched(TableModel):
        def extend(self, caches, blocks):
            fed.extend(list(block.drafted) for block in blocks)
            return super().extend(caches, blocks)

    target = Watched(TARGET.table)
    decoder = Decoder(target, FunctionDrafter(lambda context: [1, 3, 0, 2], 4), Coupled())
    cases = [
        (Limits(9), [1, 3, 0, 2]),
        (Limits(9, frozenset({0})), [1, 3]),
        (Limits(9, stop=((1, 3),)), [1]),
        (Limits(1), []),
    ]
    for limits, expected in cases:
        fed.clear()
        session = open_with(decoder, limits=limits)
        decoder.step([session])
        assert fed == [expected]
        assert session.cache.tokens == session.context[:-1]


class TestTargetLaws:
    def laws(self, target, draft):
        session = open_with(Decoder(target, no_drafter(4), Independent(rejection)))
        return TargetLaws([session], target, draft)

    def test_rows_stand_at_their_nodes_and_absent_nodes_have_zeros(self):
        draft = Draft.fixed([[2, -1, 3]], vocab=4, tree=Tree((0, 0, 1)))
        found = self.laws(TARGET, draft)
        laws = found.all()
        assert (laws[0, 0] == TARGET.law([0, 1])).all()
        assert (laws[0, 1] == TARGET.law([1, 2])).all()
        assert not laws[0, 2].any()
        assert (laws[0, 3] == TARGET.law([2, 3])).all()
        alone = self.laws(TARGET, draft)
        for node in (3, 1, 0):
            assert (alone[0, node] == found[0, node]).all()
            assert (alone[0, node] == laws[0, node]).all()
            assert alone.prefix(0, node) == found.prefix(0, node)

    def test_a_row_that_is_not_a_law_is_named(self):
        class Broken(TableModel):
            def extend(self, caches, blocks):
                return [row * Fraction(1, 2) for row in super().extend(caches, blocks)]

        with pytest.raises(BadLaw, match=r"target law of row 0, row \(0,\): the probabilities sum to 1/2, not 1"):
            self.laws(Broken(TARGET.table), Draft.none(1, vocab=4)).all()

    def test_not_a_number_raises_and_is_never_sampled(self):
        class Broken(TableModel):
            def extend(self, caches, blocks):
                return [row * np.nan for row in super().extend(caches, blocks)]

        with pytest.raises(BadLaw, match="token 0 has probability nan"):
            self.laws(Broken(TARGET.table.astype(float)), Draft.none(1, vocab=4))[0, 0]

    @pytest.mark.parametrize("draft", [Draft.none(1, vocab=5), Draft.none(2, vocab=4)], ids=["vocabulary", "batch"])
    def test_a_draft_that_does_not_fit_the_target_is_refused(self, draft):
        with pytest.raises(BadDraft, match="the target has 1 sessions and a vocabulary of 4"):
            self.laws(TARGET, draft)


def test_a_drafter_asked_beyond_its_width_is_refused():
    decoder = Decoder(TARGET, ModelDrafter(DRAFT, Tree.chain(2), depth=lambda request: 3), Independent(rejection))
    with pytest.raises(BadRequest, match="the draft depth is 3 after 2 tokens; this drafter's tree allows 0"):
        decoder.step([open_with(decoder)])
    decoder = Decoder(TARGET, FunctionDrafter(lambda context: [0, 0, 0], 4, tree=Tree.chain(2)), Independent(rejection))
    with pytest.raises(BadDraft, match="draft row 0 has 3 tokens; the tree has room for 2"):
        decoder.step([open_with(decoder)])
