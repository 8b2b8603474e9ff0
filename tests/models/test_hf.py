"""A transformers model: its rows are those of a plain pass over the whole text, whatever was cached, refused or beside it."""

from random import Random

import numpy as np
import pytest
import torch
import transformers

from draftproof.decode import Decoder
from draftproof.drafters.model import ModelDrafter
from draftproof.draws import SeededDraws
from draftproof.errors import BadRequest, NotConforming, Unsupported
from draftproof.models import hf
from draftproof.models.hf import HfModel
from draftproof.models.hf_cache import HfCache
from draftproof.models.hf_layout import Layout
from draftproof.models.hf_pass import Pass
from draftproof.models.protocol import Block, Cache, Model
from draftproof.proof import assert_model
from draftproof.rules.greedy import greedy
from draftproof.rules.recursive import recursive
from draftproof.sampling import SamplingParams
from draftproof.session import Limits
from draftproof.tree import Tree
from draftproof.verify import Independent

VOCAB = 61
WINDOW = 4
TOLERANCE = 1e-4
"""Right rows of these models, whose logits range over about 5, were seen to differ by 3e-6; one refused token in a cache made it 3."""

LLAMA = {
    "vocab_size": VOCAB,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 96,
    "initializer_range": 0.2,
    "eos_token_id": 2,
    "bos_token_id": 1,
}
GPT2 = {"vocab_size": VOCAB, "n_embd": 32, "n_layer": 4, "n_head": 4, "n_positions": 96, "initializer_range": 0.2}
SPECIAL = {"bos_token_id": 1, "eos_token_id": 2}


def llama(**changes):
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA | changes))


def gpt2():
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(**GPT2 | SPECIAL))


def mistral():
    return transformers.MistralForCausalLM(transformers.MistralConfig(**LLAMA, sliding_window=WINDOW))


def qwen2():
    """Two layers that see all, and two that see a window."""
    windows = {"use_sliding_window": True, "sliding_window": WINDOW, "max_window_layers": 2}
    return transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**LLAMA, **windows))


def gemma3():
    config = transformers.Gemma3TextConfig(
        **LLAMA, head_dim=8, sliding_window=WINDOW, layer_types=["sliding_attention", "full_attention"] * 2
    )
    return transformers.Gemma3ForCausalLM(config)


def bloom():
    """Positions by ALiBi, which are counted in columns: no mask of our own, so chains and a pass a request."""
    return transformers.BloomForCausalLM(
        transformers.BloomConfig(vocab_size=VOCAB, hidden_size=32, n_layer=2, n_head=4, initializer_range=0.2)
    )


MASKED = [llama, gpt2, mistral, qwen2, gemma3]
WINDOWED = [mistral, qwen2, gemma3]


def made(family, **changes):
    torch.manual_seed(0)
    return HfModel(family(**changes))


@pytest.fixture(scope="module")
def target():
    model = made(llama)
    assert model.obeys_masks  # measured here, before any test spoils something
    return model


def plain(model, text):
    """Every row of a text, by one pass without any cache: transformers alone."""
    with torch.inference_mode():
        return model.torch_model(torch.tensor([text]), use_cache=False).logits[0].numpy()


def gap(rows, expected):
    return float(abs(rows - expected).max())


class TestProtocol:
    @pytest.mark.parametrize("family", [*MASKED, bloom])
    def test_is_kept_by_families_with_and_without_windows(self, family):
        model = made(family)
        assert isinstance(model, Model)
        assert isinstance(model.start(), Cache)
        assert model.obeys_masks == (family is not bloom)
        assert_model(model, tolerance=TOLERANCE, texts=4, longest=14)

    def test_is_kept_in_16_bits_with_rows_of_32(self):
        model = HfModel(made(llama).torch_model.to(torch.bfloat16))
        assert model.obeys_masks
        assert_model(model, tolerance=0.5, texts=3)
        assert model.extend([model.start()], [Block([1, 2])])[0].dtype == np.float32

    def test_is_kept_by_eager_attention(self):
        model = made(llama, attn_implementation="eager")
        assert model.torch_model.config._attn_implementation == "eager"
        assert_model(model, tolerance=TOLERANCE, texts=3, longest=12)

    @pytest.mark.parametrize(
        ("part", "name", "spoilt"),
        [
            (HfCache, "truncate", lambda honest: lambda cache, length: honest(cache, length + 1)),
            (HfCache, "truncate", lambda honest: lambda cache, length: _forget_the_beginning(cache, length)),
            (HfCache, "keep", lambda honest: lambda cache, start, offsets: cache.truncate(start + len(offsets))),
            (Layout, "within", lambda honest: lambda layout, window: np.ones_like(layout.visible)),
            (Layout, "fed_positions", lambda honest: property(lambda layout: honest.fget(layout) + 1 * (layout.tokens > 30))),
        ],
        ids=["one too few", "the wrong end", "siblings kept in order", "no mask", "positions"],
    )
    def test_of_a_spoilt_model_is_seen_to_be_broken(self, target, monkeypatch, part, name, spoilt):
        monkeypatch.setattr(part, name, spoilt(getattr(part, name)))
        with pytest.raises(NotConforming):
            assert_model(target, tolerance=TOLERANCE)

    @pytest.mark.parametrize("window", [WINDOW - 1, WINDOW + 1, None])
    def test_of_another_window_is_seen_to_be_broken(self, monkeypatch, window):
        model = made(mistral)
        assert model.obeys_masks
        honest = Layout.within
        monkeypatch.setattr(Layout, "within", lambda layout, _: honest(layout, window))
        with pytest.raises(NotConforming):
            assert_model(model, tolerance=TOLERANCE, texts=4, longest=14)


def _forget_the_beginning(cache, length):
    for layer in cache.entries.layers:
        dropped = max(cache.length - length, 0)
        layer.keys, layer.values = layer.keys[..., dropped:, :], layer.values[..., dropped:, :]


def adversarial_gap(model, *, rounds=8, seed=0):
    """How far the rows of three ragged requests ever get from plain passes while random trees are drafted and refused."""
    random = Random(seed)
    texts = [[random.randrange(VOCAB) for _ in range(length)] for length in (1, 9, 4)]
    caches = [model.start() for _ in texts]
    worst = 0.0
    for _ in range(rounds):
        blocks = []
        for text, cache in zip(texts, caches, strict=True):
            width = random.randint(0, 6)
            parents = [random.randint(0, node) for node in range(width)] if model.obeys_masks else range(width)
            blocks.append(Block(text[cache.length :], [random.randrange(VOCAB) for _ in range(width)], parents))
        rows = model.extend(caches, blocks)
        for place, block in enumerate(blocks):
            path = [node := random.randint(0, len(block.drafted))]
            while node:
                path.append(node := block.parents[node - 1])
            path = path[::-1][1:] if path[0] else []
            fresh = plain(model, [*texts[place], *(block.drafted[node - 1] for node in path)])
            worst = max(worst, gap(rows[place][[0, *path]], fresh[len(texts[place]) - 1 :]))
            caches[place].keep(len(texts[place]) - 1, [0, *path])
            texts[place] += [*(block.drafted[node - 1] for node in path), random.randrange(VOCAB)]
    return worst, min(map(len, texts))


class TestState:
    @pytest.mark.parametrize("family", [*MASKED, bloom])
    def test_after_refused_trees_in_a_ragged_batch_is_that_of_a_plain_pass(self, family):
        worst, shortest = adversarial_gap(made(family))
        assert worst < TOLERANCE
        assert shortest > 2 * WINDOW

    def test_that_holds_one_refused_token_is_seen(self, target, monkeypatch):
        honest = HfCache.keep
        monkeypatch.setattr(HfCache, "keep", lambda cache, start, offsets: honest(cache, start, [*offsets[:-1], 0]))
        assert adversarial_gap(target)[0] > 100 * TOLERANCE

    @pytest.mark.parametrize("family", WINDOWED)
    def test_far_beyond_the_window_is_rolled_back_to_what_the_window_had_passed(self, family):
        model = made(family)
        text = [Random(1).randrange(VOCAB) for _ in range(30)]
        cache = model.start()
        model.extend([cache], [Block(text)])
        cache.truncate(3)
        rows = model.extend([cache], [Block(text[3:10], text[10:], range(20))])[0]
        assert gap(rows, plain(model, text)[9:]) < TOLERANCE

    def test_of_a_windowed_model_forgets_what_lies_outside(self):
        """Else the windows of these tests would not matter. Four layers reach back 4 * 3 tokens."""
        model = made(mistral)
        text = [Random(2).randrange(VOCAB) for _ in range(20)]
        last = [model.extend([model.start()], [Block([first, *text])])[0] for first in (5, 6)]
        assert gap(*last) < TOLERANCE < gap(*(plain(made(llama), [first, *text])[-1] for first in (5, 6)))

    def test_is_as_it_was_if_a_pass_fails(self, target, monkeypatch):
        caches = [target.start() for _ in range(3)]
        target.extend(caches, [Block([3, 4, 5]), Block([6]), Block([7, 8])])
        layer = target.torch_model.model.layers[2]

        def fail(*args, **kwargs):
            raise RuntimeError("out of memory")

        with monkeypatch.context() as patch:
            patch.setattr(layer, "forward", fail)
            for some in ([0], [0, 1, 2]):
                with pytest.raises(RuntimeError, match="out of memory"):
                    target.extend([caches[place] for place in some], [Block([9], [1, 2], [0, 0])] * len(some))
        assert [cache.length for cache in caches] == [3, 1, 2]
        rows = target.extend(caches, [Block([9])] * 3)
        for row, text in zip(rows, ([3, 4, 5, 9], [6, 9], [7, 8, 9]), strict=True):
            assert gap(row[0], plain(target, text)[-1]) < TOLERANCE


class TestPasses:
    @pytest.fixture
    def passes(self, monkeypatch):
        """The requests, rows and rows of logits of every pass."""
        seen = []
        honest = Pass._forward

        def forward(own, tokens, cache, keep, layout=None):
            logits = honest(own, tokens, cache, keep, layout)
            seen.append((*tokens.shape, logits.shape[1]))
            return logits

        monkeypatch.setattr(Pass, "_forward", forward)
        return seen

    def test_make_logits_only_where_they_are_wanted(self, target, passes):
        target.extend([target.start()], [Block(list(range(50)), [1, 2], [0, 1])])
        assert passes == [(1, 52, 3)]

    def test_are_shared_by_short_blocks_and_not_by_long_ones(self, target, passes, monkeypatch):
        monkeypatch.setattr(hf, "LONG", 8)
        texts = [[1, 2], list(range(20)), [3], [4] * 8]
        rows = target.extend([target.start() for _ in texts], [Block(text) for text in texts])
        assert passes == [(3, 8, 1), (1, 20, 1)]
        for row, text in zip(rows, texts, strict=True):
            assert gap(row[0], plain(target, text)[-1]) < TOLERANCE

    def test_are_one_a_request_for_a_model_that_does_not_obey_masks(self, passes):
        model = made(bloom)
        assert not model.obeys_masks
        passes.clear()
        model.extend([model.start(), model.start()], [Block([1, 2]), Block([3])])
        assert passes == [(1, 2, 1), (1, 1, 1)]

    def test_feed_a_long_prompt_in_parts(self, target, passes, monkeypatch):
        monkeypatch.setattr(hf, "CHUNK", 7)
        text = [Random(3).randrange(VOCAB) for _ in range(24)]
        rows = target.extend([target.start()], [Block(text[:22], text[22:], [0, 1])])[0]
        assert passes == [(1, 7, 1), (1, 7, 1), (1, 7, 1), (1, 3, 3)]
        assert gap(rows, plain(target, text)[21:]) < TOLERANCE

    def test_give_rows_that_belong_to_nobody_else(self, target):
        """Numpy float32, and a later pass does not write into them."""
        cache = target.start()
        row = target.extend([cache], [Block([1, 2])])[0]
        before = row.copy()
        target.extend([cache], [Block([3])])
        assert type(row) is np.ndarray
        assert row.dtype == np.float32
        assert (row == before).all()


class TestRefusals:
    def test_of_a_text_beyond_the_context_names_both_numbers(self, target):
        cache = target.start()
        target.extend([cache], [Block([1] * 90)])
        with pytest.raises(BadRequest) as refusal:
            target.extend([cache], [Block([1, 2], [3] * 5, range(5))])
        assert str(refusal.value) == "a text of 97 tokens, its draft included; the context of LlamaForCausalLM is 96"
        assert cache.length == 90
        siblings = Block([1, 2], [3] * 5, [0] * 5)
        assert target.extend([cache], [siblings])[0].shape == (6, VOCAB)

    @pytest.mark.parametrize("token", [-1, VOCAB])
    def test_of_a_token_outside_the_vocabulary(self, target, token):
        with pytest.raises(BadRequest, match=rf"^token {token} is outside the vocabulary of LlamaForCausalLM, which has {VOCAB}$"):
            target.extend([target.start()], [Block([1], [token], [0])])

    def test_of_a_tree_names_the_model(self):
        model = made(bloom)
        with pytest.raises(Unsupported, match=r"^BloomForCausalLM does not obey the attention mask that a tree needs; draft chains$"):
            model.extend([model.start()], [Block([1], [2, 3], [0, 0])])


class TestAttributes:
    def test_are_those_of_the_configuration(self, target):
        assert (target.name, target.vocab, target.context_length) == ("LlamaForCausalLM", VOCAB, 96)
        assert target.end_tokens == {2}
        assert not target.row_invariant

    def test_a_model_in_training_is_put_into_evaluation(self):
        config = transformers.GPT2Config(**GPT2 | SPECIAL, resid_pdrop=0.5, embd_pdrop=0.5)
        torch_model = transformers.GPT2LMHeadModel(config).train()
        model = HfModel(torch_model, "mine")
        assert not torch_model.training
        assert model.name == "mine"
        rows = [model.extend([model.start()], [Block([1, 2])])[0] for _ in range(2)]
        assert (rows[0] == rows[1]).all()


def decoded(decoder, prompts, *, params, limit):
    """The sessions at their end, and the steps of every round."""
    limits = Limits(limit, end_tokens=decoder.target.end_tokens)
    sessions = [decoder.open(prompt, params=params, limits=limits, draws=SeededDraws(n)) for n, prompt in enumerate(prompts)]
    return sessions, list(decoder.generate(sessions))


def assert_engaged(rounds):
    steps = [step for finished in rounds for _, step in finished]
    assert len(rounds) > 2
    assert any(step.refused for step in steps)
    assert any(step.drafted and not step.refused and step.finish is None for step in steps), "no round kept a whole path"
    assert any(len({step.accepted for _, step in finished}) > 1 for finished in rounds), "rows accepted the same numbers in every round"


PROMPTS = [[1, 5, 9], [7], [11, 3, 3, 8, 20, 41], [30, 31]]


class TestDecoding:
    @pytest.mark.parametrize("family", [llama, gpt2, qwen2])
    def test_at_temperature_0_writes_what_generate_writes(self, family):
        model = made(family)
        decoder = Decoder(model, ModelDrafter(model.early_exit(3), Tree.chain(3)), Independent(greedy))
        sessions, rounds = decoded(decoder, PROMPTS, params=SamplingParams(temperature=0), limit=30)
        assert_engaged(rounds)
        for session, prompt in zip(sessions, PROMPTS, strict=True):
            ids = torch.tensor([prompt])
            expected = model.torch_model.generate(
                ids, attention_mask=torch.ones_like(ids), do_sample=False, max_new_tokens=30, pad_token_id=0
            )
            assert session.context == expected[0].tolist()

    def test_of_sampled_trees_leaves_caches_as_plain_passes_would(self, target):
        drafter = ModelDrafter(target.early_exit(3), Tree.branching(2, 2, 1))
        decoder = Decoder(target, drafter, Independent(recursive))
        sessions, rounds = decoded(decoder, PROMPTS, params=SamplingParams(), limit=20)
        assert_engaged(rounds)
        for session in sessions:
            assert session.cache.length == len(session.context) - 1
            row = target.extend([session.cache], [Block(session.context[-1:])])[0][0]
            assert gap(row, plain(target, session.context)[-1]) < TOLERANCE
