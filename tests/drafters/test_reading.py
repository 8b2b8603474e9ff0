"""A draft model reads the text that the target's tokens write, whatever its own tokens are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from draftproof.drafters.reading import Reading, by_characters
from draftproof.vocabulary import Vocabulary, shared

ENGLISH = "the cat sat on the mat and the cat ate the rat, 12 34 1234"
OTHER = "le chat était assis sur le tapis 你好世界 你好"


def byte_level(text, size):
    """A tokenizer of byte-level BPE trained on a text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator([text] * 3, trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False))
    return tokenizer


TOKENIZERS = byte_level(ENGLISH, 300), byte_level(OTHER, 310)
TARGET, DRAFT = map(Vocabulary.from_tokenizer, TOKENIZERS)
encode = by_characters(lambda text: TOKENIZERS[1].encode(text).ids, DRAFT)


class TestByCharacters:
    def test_gives_characters_to_the_tokenizer_and_spells_the_rest(self):
        vocabulary = Vocabulary((b"\xe4", b"\xbd", b"\xe4\xbd", b"x"))
        read = []
        encode = by_characters(lambda text: read.append(text) or [3], vocabulary)
        assert encode(b"\xbdab\xe4\xbdc") == [1, 3, 2, 3]
        assert read == ["ab", "c"]
        assert encode(b"") == []

    @given(st.binary(max_size=12) | st.text(max_size=12).map(str.encode))
    def test_loses_no_byte(self, text):
        assert DRAFT.bytes_of(encode(text)) == text

    @given(st.text("the cat你好 12", max_size=12))
    def test_is_the_tokenizer_for_text(self, text):
        assert encode(text.encode()) == TOKENIZERS[1].encode(text).ids


class TestAReading:
    def test_takes_counterparts_one_for_one_and_spells_runs_of_others_together(self):
        target, draft = Vocabulary((b"a", b"b", b"c")), Vocabulary((b"b", b"c", b"bc", b"a"))
        reading = Reading(target, {0: 3}, draft.spell)
        assert reading([0, 1, 2, 0, 2, 1]) == [3, 2, 3, 1, 0]

    def test_keeps_control_tokens_of_the_same_name_and_leaves_out_others(self):
        target = Vocabulary((b"", b"a", b""), {0: "<s>", 2: "<tool>"})
        draft = Vocabulary((b"a", b""), {1: "<s>"})
        assert Reading(target, shared(target, draft).to_draft, draft.spell)([0, 1, 2, 1]) == [1, 0, 0]

    def test_begins_with_what_it_is_told_to(self):
        vocabulary = Vocabulary((b"a",))
        assert Reading(vocabulary, {0: 0}, vocabulary.spell, begin=(5, 6))([0]) == [5, 6, 0]

    @pytest.mark.parametrize("counterparts", [shared(TARGET, DRAFT).to_draft, {}], ids=["shared", "none"])
    @given(tokens=st.lists(st.integers(0, len(TARGET) - 1), max_size=20))
    def test_is_the_same_text(self, counterparts, tokens):
        assert DRAFT.bytes_of(Reading(TARGET, counterparts, encode)(tokens)) == TARGET.bytes_of(tokens)

    @given(st.lists(st.integers(0, len(TARGET) - 1), max_size=10), st.lists(st.integers(0, len(TARGET) - 1), max_size=10))
    def test_does_not_change_in_front_of_a_counterpart(self, first, then):
        counterparts = shared(TARGET, DRAFT).to_draft
        reading, known = Reading(TARGET, counterparts, encode), next(iter(counterparts))
        assert reading([*first, known, *then]) == [*reading([*first, known]), *reading(then)]

    def test_spells_a_run_once(self):
        spelt = []
        reading = Reading(Vocabulary((b"a", b"b")), {0: 0}, lambda text: spelt.append(text) or [9])
        for _ in range(3):
            assert reading([1, 1, 0, 1]) == [9, 0, 9]
        assert spelt == [b"bb", b"b"]
