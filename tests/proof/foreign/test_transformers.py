"""A library's own decoder, unchanged: assisted generation of transformers follows its plain sampling."""

import warnings

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from draftproof.proof.foreign import explore_program
from draftproof.proof.laws import compare, rounding_bound

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

LENGTH = 2


def model(seed):
    """A Llama of three tokens whose laws are far from uniform."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        config = LlamaConfig(
            vocab_size=3, hidden_size=8, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=2,
            max_position_embeddings=32, bos_token_id=None, eos_token_id=None, pad_token_id=0,
        )  # fmt: skip
        llama = LlamaForCausalLM(config).eval()
        with torch.no_grad():
            for weights in llama.parameters():
                if weights.dim() > 1:
                    weights.normal_(0, 0.7)
    return llama


def generate(target, **options):
    prompt = torch.tensor([[0, 1]])
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = target.generate(prompt, attention_mask=torch.ones_like(prompt), do_sample=True, max_new_tokens=LENGTH, top_k=0, **options)
    return text[0, 2:]


def test_assisted_generation_follows_plain_sampling_up_to_rounding_and_another_temperature_does_not():
    target, assistant = model(0), model(1)
    assistant.generation_config.num_assistant_tokens = 2
    assistant.generation_config.num_assistant_tokens_schedule = "constant"
    plain = explore_program(lambda: generate(target))
    assisted = explore_program(lambda: generate(target, assistant_model=assistant))
    assert plain.progress.paths == 3**LENGTH < assisted.progress.paths
    bound = rounding_bound(decisions=assisted.decisions, outcomes=3, bits=24)
    assert compare(assisted.law, plain.law).total_variation < bound
    warmer = explore_program(lambda: generate(target, assistant_model=assistant, temperature=1.5))
    assert compare(warmer.law, plain.law).total_variation > 1000 * bound
