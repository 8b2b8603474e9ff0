"""What a model does with cache and mask is measured, and every way to fail is noticed."""

import pytest
import torch
import transformers
from transformers.cache_utils import DynamicLayer

from draftproof.errors import Unsupported
from draftproof.models.hf_pass import Pass
from draftproof.models.hf_probe import check_rollback, obeys_masks

VOCAB = 31
LLAMA = {
    "vocab_size": VOCAB,
    "hidden_size": 16,
    "intermediate_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "initializer_range": 0.2,
}


@pytest.fixture
def passes():
    torch.manual_seed(0)
    return Pass(transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA)).eval())


@pytest.fixture
def spoil(passes, monkeypatch):
    """Change what the model is given, and what it gives, before it sees or gives it."""
    honest = passes.torch_model.forward

    def change(given=lambda kwargs: kwargs, found=lambda output: output):
        def forward(input_ids, attention_mask, cache, use_cache, return_dict, position_ids=None, logits_to_keep=0):
            kwargs = {"attention_mask": attention_mask, "position_ids": position_ids, "cache": cache, "logits_to_keep": logits_to_keep}
            return found(honest(input_ids=input_ids, use_cache=use_cache, return_dict=return_dict, **given(kwargs)))

        monkeypatch.setattr(passes.torch_model, "forward", forward)

    return change


def without(name):
    return lambda kwargs: {key: value for key, value in kwargs.items() if key != name}


class TestRollback:
    def test_is_that_of_attention(self, passes):
        check_rollback(passes, VOCAB)

    def test_needs_a_cache_that_is_written(self, passes, spoil):
        spoil(given=without("cache"))
        with pytest.raises(Unsupported, match=r"^LlamaForCausalLM keeps nothing in its cache of a text of 4 tokens; a rollback"):
            check_rollback(passes, VOCAB)

    def test_needs_one_entry_a_token(self, passes, monkeypatch):
        honest = DynamicLayer.update

        def twice(own, keys, values, **given):
            seen = honest(own, keys, values)
            own.keys, own.values = (torch.cat([part, part], dim=-2) for part in seen)
            return seen

        monkeypatch.setattr(DynamicLayer, "update", twice)
        with pytest.raises(Unsupported, match=r"^LlamaForCausalLM keeps \[8\] in its cache of a text of 4 tokens"):
            check_rollback(passes, VOCAB)

    def test_needs_rows_that_see_no_token_after_them(self, passes, spoil):
        def everything(kwargs):
            rows, columns = kwargs["logits_to_keep"], kwargs["attention_mask"].shape[-1]
            return kwargs | {"attention_mask": torch.zeros(1, 1, rows if rows > 1 else columns, columns)}

        spoil(given=everything)
        with pytest.raises(Unsupported, match=r"^the rows of LlamaForCausalLM depend on the tokens after them, or on chance"):
            check_rollback(passes, VOCAB)

    def test_needs_rows_without_chance(self, passes, spoil):
        def noisy(output):
            output.logits += torch.randn(output.logits.shape)
            return output

        spoil(found=noisy)
        with pytest.raises(Unsupported, match="or on chance"):
            check_rollback(passes, VOCAB)

    def test_needs_a_model_that_forgets_what_its_cache_does(self, passes, spoil):
        """One that counts the tokens it was fed, in a place of its own."""
        fed = {}

        def remember(kwargs):
            cache = kwargs["cache"]
            past = fed.get(id(cache), (cache, 0))[1]
            fed[id(cache)] = cache, past + kwargs["logits_to_keep"]
            rows = kwargs["attention_mask"].shape[1] - cache.get_seq_length()
            return kwargs | {"position_ids": past + torch.arange(rows)[None]}

        spoil(given=remember)
        with pytest.raises(Unsupported, match=r"^LlamaForCausalLM remembers tokens that its cache has dropped"):
            check_rollback(passes, VOCAB)

    def test_needs_the_vocabulary_of_the_configuration(self, passes):
        with pytest.raises(
            Unsupported, match=r"^LlamaForCausalLM gives rows of 31 logits, and its configuration names a vocabulary of 30$"
        ):
            check_rollback(passes, 30)

    def test_refuses_a_model_that_fails(self, passes, spoil):
        def fail(kwargs):
            raise ValueError("what is this?")

        spoil(given=fail)
        with pytest.raises(Unsupported, match=r"^LlamaForCausalLM does not run on a cache and an attention mask: what is this\?$"):
            check_rollback(passes, VOCAB)

    def test_refuses_an_encoder(self):
        config = {"vocab_size": VOCAB, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
        encoder = transformers.BertLMHeadModel(transformers.BertConfig(**config)).eval()
        with pytest.raises(Unsupported, match=r"^the rows of BertLMHeadModel depend on the tokens after them"):
            check_rollback(Pass(encoder), VOCAB)


class TestMasks:
    def test_are_obeyed_by_llama(self, passes):
        assert obeys_masks(passes, VOCAB)

    @pytest.mark.parametrize("name", ["attention_mask", "position_ids"])
    def test_that_are_ignored_are_noticed(self, passes, spoil, name):
        spoil(given=without(name))
        assert not obeys_masks(passes, VOCAB)

    def test_that_make_the_model_fail_are_not_obeyed(self, passes, spoil):
        spoil(given=lambda kwargs: kwargs | {"attention_mask": kwargs["attention_mask"][..., 1:]})
        assert not obeys_masks(passes, VOCAB)

    def test_are_not_tried_with_other_kinds_of_attention(self, passes):
        passes.torch_model.config._attn_implementation = "flash_attention_2"
        assert not obeys_masks(passes, VOCAB)
