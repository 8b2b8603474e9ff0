"""Text of tokens as they come: whole characters only, nothing of a stop string, and in all what one decode would give."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from draftproof.decode import Decoder
from draftproof.detokenise import Detokeniser, StopStrings, text_before_stop, text_of
from draftproof.drafters.model import ModelDrafter
from draftproof.errors import BadRequest
from draftproof.proof.fixtures import pairs
from draftproof.proof.loop import loop_law, plain_law
from draftproof.rules.block import block
from draftproof.sampling.protocol import Verbatim
from draftproof.session import Limits
from draftproof.tree import Tree
from draftproof.verify import Coupled, Independent
from draftproof.vocabulary import Vocabulary

PIECES = (
    b"a",
    b"b",
    b"ab",
    b"\n",
    b"a\nb",
    b"\xc3",
    b"\xa9",
    b"\xe4\xbd\xa0",
    b"\xe4\xbd",
    b"\xa0",
    b"\xf0\x9f",
    b"\x99\x82",
    b"\xff",
    b"",
)
VOCABULARY = Vocabulary(PIECES, {len(PIECES) - 1: "<end>"})
"""Letters, whole characters, their parts, a byte that is no text, and a token that writes nothing."""

texts = st.lists(st.integers(0, len(PIECES) - 1), max_size=12)
strings = st.lists(st.sampled_from(["a", "ab", "ba", "bab", "aab", "b\na", "é", "你", "🙂", "a你"]), min_size=1, max_size=3)


def ids(*pieces):
    return [PIECES.index(piece) for piece in pieces]


def given_out(tokens, stop=()):
    """What each token brings, and what is left at the end."""
    stream = Detokeniser(VOCABULARY, stop)
    return [stream.feed([token]) for token in tokens], stream.flush()


class TestAStream:
    def test_gives_out_a_character_when_it_is_whole(self):
        assert given_out(ids(b"a", b"\xe4\xbd", b"\xa0", b"\xf0\x9f", b"\x99\x82", b"b")) == (["a", "", "你", "", "🙂", "b"], "")

    def test_shows_bytes_that_are_no_text_as_soon_as_they_cannot_become_any(self):
        assert given_out(ids(b"\xe4\xbd", b"a", b"\xff", b"\xc3")) == (["", "\ufffda", "\ufffd", ""], "\ufffd")

    def test_gives_out_nothing_for_a_control_token_even_within_a_character(self):
        assert given_out(ids(b"\xc3", b"", b"\xa9")) == (["", "", "é"], "")

    @given(texts, st.data())
    @example(ids(b"\xf0\x9f", b"\xf0\x9f", b"\x99\x82", b"\xe4\xbd"), None)
    def test_is_in_all_what_one_decode_gives_however_it_is_cut(self, tokens, data):
        stream, given = Detokeniser(VOCABULARY), []
        cuts = sorted(data.draw(st.lists(st.integers(0, len(tokens)), max_size=4))) if data else range(len(tokens))
        for start, end in zip([0, *cuts], [*cuts, len(tokens)], strict=True):
            given.append(stream.feed(tokens[start:end]))
        given.append(stream.flush())
        assert "".join(given) == text_of(tokens, VOCABULARY)
        assert stream.flush() == ""

    @given(texts)
    def test_gives_out_no_half_character(self, tokens):
        parts, rest = given_out(tokens)
        whole = text_of(tokens, VOCABULARY)
        for count in range(len(parts) + 1):
            assert whole.startswith("".join(parts[:count]))
        assert whole == "".join(parts) + rest


class TestStopStrings:
    @pytest.mark.parametrize(
        ("strings", "message"),
        [
            (("a", ""), "stop string 1 is empty and would end every text at once; remove it"),
            (("\ud800",), "stop string 0 is '\\ud800', which is no text: surrogates not allowed"),
        ],
    )
    def test_that_cannot_be_looked_for_are_refused(self, strings, message):
        with pytest.raises(BadRequest) as caught:
            StopStrings(strings, VOCABULARY)
        assert str(caught.value) == message

    def test_are_found_at_the_token_that_completes_one(self):
        stop = StopStrings(("b\na",), VOCABULARY)
        text = ids(b"ab", b"\n", b"", b"a", b"a")
        assert [stop.found(text[: end + 1]) for end in range(len(text))] == [False, False, False, True, False]

    def test_are_found_inside_a_token_and_in_parts_of_characters(self):
        assert StopStrings(("\n",), VOCABULARY).found(ids(b"a\nb"))
        assert StopStrings(("你",), VOCABULARY).found(ids(b"\xe4\xbd"), ids(b"\xa0"))
        assert not StopStrings(("\ufffd",), VOCABULARY).found(ids(b"\xff")), "bytes that are no text are no string"

    def test_that_are_none_are_never_found(self):
        assert not StopStrings((), VOCABULARY).found(ids(b"a"))

    @given(texts.filter(len), strings, st.data())
    def test_are_found_exactly_where_the_text_comes_to_contain_one(self, tokens, strings, data):
        stop = StopStrings(tuple(strings), VOCABULARY)
        cut = data.draw(st.integers(0, len(tokens)))
        counts = [sum(ends_of(string, tokens[:end])) for end in (len(tokens) - 1, len(tokens)) for string in strings]
        assert stop.found(tokens[:cut], tokens[cut:]) == (counts[: len(strings)] != counts[len(strings) :])

    @pytest.mark.usefixtures("unchecked_shapes")
    def test_read_the_end_of_the_text_alone(self):
        class Tail(list):
            def __getitem__(self, place):
                raise AssertionError("the text was indexed or copied")

            def __reversed__(self):
                for place, token in enumerate(super().__reversed__()):
                    assert place < 3, "more was read than the stop string has bytes"
                    yield token

        text = Tail(ids(b"a") * 1000)
        assert StopStrings(("aaa",), VOCABULARY).found(text)
        assert StopStrings(("aab",), VOCABULARY).found(text, ids(b"b"))


def ends_of(string, tokens):
    """For every place in the bytes, whether the string ends there."""
    text, wanted = VOCABULARY.bytes_of(tokens), string.encode()
    return [text[:end].endswith(wanted) for end in range(len(text) + 1)]


class TestTheTextBeforeAStop:
    @pytest.mark.parametrize(
        ("tokens", "stop", "parts", "rest"),
        [
            ((b"a", b"b", b"a", b"b"), ("bab",), ["a", "", "", ""], ""),
            ((b"a", b"b", b"a", b"a"), ("bab",), ["a", "", "", "baa"], ""),
            ((b"a", b"b"), ("bab",), ["a", ""], "b"),
            ((b"a\nb",), ("\n", "a\nb"), [""], ""),
            ((b"\xe4\xbd", b"a", b"b"), ("ab",), ["", "", "\ufffd"], ""),
            ((b"a", b"\xc3"), ("aé",), ["", ""], "a\ufffd"),
            ((b"ab", b"a"), ("b", "aba"), ["a", ""], ""),
        ],
        ids=["held and cut", "held and let go", "held to the end", "two at once", "broken before", "broken at the end", "first completed"],
    )
    def test_is_given_out_when_it_is_certain(self, tokens, stop, parts, rest):
        assert given_out(ids(*tokens), stop) == (parts, rest)

    def test_is_all_there_is_after_the_stop(self):
        stream = Detokeniser(VOCABULARY, ("b",))
        assert stream.feed(ids(b"a", b"b", b"a")) == "a"
        assert stream.stopped
        assert stream.feed(ids(b"a")) == stream.flush() == ""

    @given(texts, strings)
    def test_is_the_text_up_to_the_completing_token_without_what_follows_the_stop(self, tokens, strings):
        stop = StopStrings(tuple(strings), VOCABULARY)
        end = next((end for end in range(1, len(tokens) + 1) if stop.found(tokens[:end])), None)
        whole = VOCABULARY.bytes_of(tokens[:end])
        starts = [whole.find(string.encode()) for string in strings if string.encode() in whole]
        assert bool(starts) == (end is not None)
        assert text_before_stop(tokens, stop) == whole[: min(starts, default=None)].decode(errors="replace")

    @given(texts, strings)
    def test_is_never_taken_back(self, tokens, strings):
        parts, rest = given_out(tokens, strings)
        assert "".join(parts) + rest == text_before_stop(tokens, StopStrings(tuple(strings), VOCABULARY))


@pytest.mark.usefixtures("unchecked_shapes")
@pytest.mark.parametrize("verification", [Independent(block), Coupled()], ids=["block", "coupled"])
def test_a_decode_with_stop_strings_is_exact(verification):
    """A string of one token, one that straddles two, and one that begins inside a token."""
    target, draft = pairs(1, 3, seed=5)[0]
    vocabulary = Vocabulary((b"a", b"ba", b"c"))
    for strings in [("ac",), ("aba", "b")]:
        limits = Limits(4, stop_strings=StopStrings(strings, vocabulary))
        found = loop_law(Decoder(target, ModelDrafter(draft, Tree.chain(2)), verification), [0], params=Verbatim(), limits=limits)
        assert found.law == plain_law(target, [0], params=Verbatim(), limits=limits)
        assert not found.engagement.vacuous
        written = {text: vocabulary.bytes_of(text).decode() for text in found.law}
        assert any(len(text) < 4 for text in written), "texts stopped early"
        assert all(any(string in words for string in strings) for text, words in written.items() if len(text) < 4)
