"""A session commits what a round decided, up to where the text ends, and keeps its invariant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftproof.detokenise import StopStrings
from draftproof.draws import SeededDraws
from draftproof.errors import BadRequest, NotConforming
from draftproof.models.table import TableCache
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Finish, Limits, Session, Step
from draftproof.tree import Tree
from draftproof.types import NOTHING, Draft
from draftproof.vocabulary import Vocabulary

VOCAB = 10
END = 9
DIGITS = Vocabulary(tuple(b"%d" % token for token in range(VOCAB)))

tokens = st.lists(st.integers(0, 3), max_size=12)
limits = st.builds(
    Limits,
    st.integers(1, 14),
    st.frozensets(st.integers(0, 3), max_size=1),
    st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3).map(tuple), max_size=2).map(tuple),
    st.none() | st.builds(StopStrings, st.lists(st.text("0123", min_size=1, max_size=3), max_size=2).map(tuple), st.just(DIGITS)),
)


def session_after_pass(context, draft, *, row=0, **limits):
    """A session whose target has just read the last token of the context and the draft, one entry a token."""
    cache = TableCache([*context, *draft.branch(row)[0]])
    return Session(list(context), cache, SeededDraws(0), Limits(**{"max_tokens": 100, **limits}), Verbatim(), None, None)


def refusal(call):
    with pytest.raises(BadRequest) as caught:
        call()
    return str(caught.value)


class TestLimitsRefuse:
    @pytest.mark.parametrize("max_tokens", [0, -1])
    def test_to_emit_nothing(self, max_tokens):
        assert refusal(lambda: Limits(max_tokens)) == f"max_tokens is {max_tokens!r}; ask for a whole number of at least 1"

    def test_an_empty_stop_sequence(self):
        assert refusal(lambda: Limits(1, stop=((1,), ()))) == "stop sequence 1 is empty and would end every text at once; remove it"


class TestATextEnds:
    def test_with_an_end_token_which_is_emitted(self):
        assert Limits(100, frozenset({END})).clip([], [1, END, 2]) == ([1, END], Finish.END)

    def test_with_a_stop_sequence_which_is_emitted(self):
        assert Limits(100, stop=((1, 2),)).clip([], [0, 1, 2, 3]) == ([0, 1, 2], Finish.STOP)

    def test_with_a_stop_sequence_that_straddles_rounds(self):
        assert Limits(100, stop=((1, 2, 3),)).clip([0, 1], [2, 3, 4]) == ([2, 3], Finish.STOP)

    def test_with_a_stop_string_that_straddles_rounds(self):
        assert Limits(100, stop_strings=StopStrings(("123",), DIGITS)).clip([0, 1], [2, 3, 4]) == ([2, 3], Finish.STOP)

    def test_with_whichever_stop_sequence_is_complete_first(self):
        assert Limits(100, stop=((1, 2, 3), (2,))).clip([], [1, 2, 3]) == ([1, 2], Finish.STOP)

    def test_at_the_limit_counted_over_all_rounds(self):
        assert Limits(4).clip([1, 1], [1, 1, 1]) == ([1, 1], Finish.LENGTH)

    def test_nowhere_else(self):
        assert Limits(100, frozenset({END}), ((1, 2),)).clip([0], [2, 1, 3]) == ([2, 1, 3], None)

    def test_not_because_of_what_was_emitted_before(self):
        assert Limits(100, frozenset({END}), ((1, 2),)).clip([END, 1, 2], [3]) == ([3], None)

    @pytest.mark.parametrize(
        ("end", "stop", "max_tokens", "expected"),
        [
            ({2}, ((3,),), 3, ([1, 2], Finish.END)),
            ({3}, ((2,),), 3, ([1, 2], Finish.STOP)),
            ({3}, ((3,),), 1, ([1], Finish.LENGTH)),
        ],
    )
    def test_at_the_first_of_the_three(self, end, stop, max_tokens, expected):
        assert Limits(max_tokens, frozenset(end), stop).clip([], [1, 2, 3]) == expected

    def test_for_the_first_reason_in_the_order_end_stop_length_when_one_token_gives_several(self):
        assert Limits(1, frozenset({2}), ((2,),)).clip([], [2])[1] is Finish.END
        assert Limits(1, frozenset(), ((2,),)).clip([], [2])[1] is Finish.STOP

    @given(limits, tokens, tokens.filter(len))
    def test_for_the_same_reason_whether_the_text_is_given_in_one_or_in_two(self, limits, text, new):
        assert limits.finish(text, new) == limits.finish(text + new)

    @given(limits, tokens, tokens)
    def test_at_the_same_place_however_the_text_is_cut_into_rounds(self, limits, first, second):
        whole, finish = limits.clip([], first + second)
        begun, early = limits.clip([], first)
        if early:
            assert (begun, early) == (whole, finish)
        else:
            rest, late = limits.clip(first, second)
            assert (first + rest, late) == (whole, finish)


class TestSession:
    def test_refuses_an_empty_prompt(self):
        message = refusal(lambda: Session([], TableCache([]), SeededDraws(0), Limits(1), Verbatim(), None, None))
        assert message == "the prompt is empty; a language model needs at least one token to go on from"

    def test_counts_as_emitted_what_follows_the_prompt(self):
        session = session_after_pass([7, 8], draft := Draft.fixed([[1]], vocab=VOCAB))
        assert (session.prompt_tokens, session.emitted) == (2, [])
        session.commit(draft, 0, 1, 4)
        assert (session.prompt_tokens, session.emitted, session.context) == (2, [1, 4], [7, 8, 1, 4])

    @pytest.mark.parametrize("limits", [{"stop": ((1, 2),)}, {"stop_strings": StopStrings(("12",), DIGITS)}], ids=["sequence", "string"])
    def test_finds_nothing_to_stop_at_that_begins_in_the_prompt(self, limits):
        session = session_after_pass([7, 1], draft := Draft.none(1, vocab=VOCAB), **limits)
        assert session.commit(draft, 0, 0, 2).finish is None

    def test_stops_at_a_string_inside_a_draft(self):
        session = session_after_pass([7], draft := Draft.fixed([[1, 2, 3]], vocab=VOCAB), stop_strings=StopStrings(("12",), DIGITS))
        assert session.commit(draft, 0, 3, 5) == Step((1, 2), drafted=3, accepted=2, refused=False, finish=Finish.STOP)
        assert session.cache.tokens == [7, 1]


class TestCommitOfAChain:
    DRAFT = Draft.fixed([[1, 2, 3]], vocab=VOCAB)

    @pytest.mark.parametrize("kept", range(4))
    def test_emits_the_kept_tokens_and_the_one_that_follows(self, kept):
        session = session_after_pass([7, 8], self.DRAFT)
        step = session.commit(self.DRAFT, 0, kept, 5)
        new = [*[1, 2, 3][:kept], 5]
        assert step == Step(tuple(new), drafted=3, accepted=kept, refused=kept < 3, finish=None)
        assert session.context == [7, 8, *new]

    @pytest.mark.parametrize("kept", range(4))
    @pytest.mark.parametrize("max_tokens", range(1, 6))
    def test_leaves_the_cache_with_the_context_minus_its_last_token(self, kept, max_tokens):
        session = session_after_pass([7, 8], self.DRAFT, max_tokens=max_tokens)
        session.commit(self.DRAFT, 0, kept, 5)
        assert session.cache.tokens == session.context[:-1]

    def test_cut_inside_the_kept_tokens_emits_no_token_after_them(self):
        session = session_after_pass([7], self.DRAFT, end_tokens=frozenset({2}))
        step = session.commit(self.DRAFT, 0, 3, 5)
        assert step == Step((1, 2), drafted=3, accepted=2, refused=False, finish=Finish.END)
        assert session.finish is Finish.END

    def test_cut_right_after_the_kept_tokens_emits_no_token_after_them(self):
        session = session_after_pass([7], self.DRAFT, max_tokens=2)
        assert session.commit(self.DRAFT, 0, 2, 5) == Step((1, 2), drafted=3, accepted=2, refused=True, finish=Finish.LENGTH)

    def test_of_nothing_emits_one_token(self):
        session = session_after_pass([7], draft := Draft.none(1, vocab=VOCAB))
        assert session.commit(draft, 0, 0, 5) == Step((5,), drafted=0, accepted=0, refused=False, finish=None)
        assert session.cache.tokens == [7]

    def test_reads_its_own_row(self):
        draft = Draft.fixed([[1, 2, 3], [4]], vocab=VOCAB)
        session = session_after_pass([7], draft, row=1)
        assert session.commit(draft, 1, 1, 5) == Step((4, 5), drafted=1, accepted=1, refused=False, finish=None)
        assert session.cache.tokens == [7, 4]

    def test_emits_plain_integers(self):
        session = session_after_pass([7], self.DRAFT)
        step = session.commit(self.DRAFT, 0, 2, 5)
        assert {type(token) for token in (*step.tokens, *session.context)} == {int}


class TestCommitOfATree:
    TREE = Tree.branching(2, 2)  # 0 -> 1, 2;  1 -> 3, 4;  2 -> 5, 6
    FULL = Draft.fixed([[1, 2, 3, 4, 5, 6]], vocab=VOCAB, tree=TREE)

    @pytest.mark.parametrize("kept", range(7))
    def test_keeps_the_path_and_drops_the_branches(self, kept):
        session = session_after_pass([7, 8], self.FULL)
        step = session.commit(self.FULL, 0, kept, 0)
        assert session.context == [7, 8, *self.TREE.path(kept), 0]
        assert session.cache.tokens == session.context[:-1]
        assert step.refused == (kept < 3), "only a node without children refuses nobody"

    @pytest.mark.parametrize("kept", [0, 2, 6])
    def test_leaves_out_the_nodes_at_which_the_row_drafted_nothing(self, kept):
        draft = Draft.fixed([[NOTHING, 2, NOTHING, NOTHING, NOTHING, 6]], vocab=VOCAB, tree=self.TREE)
        session = session_after_pass([7, 8], draft)
        step = session.commit(draft, 0, kept, 0)
        assert session.cache.tokens == session.context[:-1] == [7, 8, *self.TREE.path(kept)]
        assert (step.drafted, step.accepted, step.refused) == (2, len(self.TREE.path(kept)), kept != 6)

    def test_refuses_nobody_where_no_child_was_drafted(self):
        draft = Draft.fixed([[1]], vocab=VOCAB, tree=self.TREE)
        session = session_after_pass([7], draft)
        assert not session.commit(draft, 0, 1, 0).refused


class Stubborn(TableCache):
    """A cache that forgets nothing."""

    def keep(self, start, offsets):
        pass


def test_a_cache_that_does_not_keep_what_it_is_told_is_caught_at_once():
    draft = Draft.fixed([[4, 5]], vocab=VOCAB)
    session = session_after_pass([7], draft)
    session.cache = Stubborn(session.cache.tokens)
    with pytest.raises(NotConforming, match="the cache holds 3 tokens after a round, and the context without its last token 1"):
        session.commit(draft, 0, 0, 6)


def test_rounds_follow_each_other_until_the_text_ends():
    session = session_after_pass([7], Draft.none(1, vocab=VOCAB), stop=((2, 3),))
    steps = []
    for drafted, kept, token in ([1], 1, 2), ([5, 6], 0, 2), ([3, 4], 2, 1):
        draft = Draft.fixed([drafted], vocab=VOCAB)
        session.cache.tokens = [*session.context, *drafted]
        steps.append(session.commit(draft, 0, kept, token))
        assert session.cache.tokens == session.context[:-1]
    assert [step.tokens for step in steps] == [(1, 2), (2,), (3,)]
    assert [step.finish for step in steps] == [None, None, Finish.STOP]
    assert session.context == [7, 1, 2, 2, 3]
