"""Every signature: a right function of it passes, a wrong one fails, and what cannot be called or read is one sentence."""

import random
import types
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from transformers.generation.utils import _speculative_sampling

from draftproof.errors import BadRequest, Untracked
from draftproof.proof.campaign import Word
from draftproof.proof.decoders.diagnosis import plan
from draftproof.proof.decoders.engagement import Engagement
from draftproof.proof.decoders.judge import conclude, judge
from draftproof.proof.decoders.signatures import SIGNATURES, adapt

from . import strangers

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


def upside_down(candidate_input_ids, candidate_logits, candidate_length, new_logits):
    """Called as transformers calls its own; target and draft are exchanged."""
    return _speculative_sampling(
        candidate_input_ids, new_logits[:, :-1], candidate_length, torch.cat([candidate_logits, new_logits[:, -1:]], dim=1)
    )


PAIRS = {
    "probs": (strangers.right_numpy, strangers.wrong_numpy, "numpy"),
    "logits": (strangers.right_torch, strangers.wrong_torch, "torch64"),
    "row": (strangers.right_row, strangers.wrong_row, "fractions"),
    "transformers": (_speculative_sampling, upside_down, "torch32"),
    "vllm": (strangers.right_batch, strangers.wrong_batch, "torch32"),
    "decode": (strangers.loop(2), strangers.loop(2, fallback=strangers.whole_target), "floats"),
}
FAMILY = {"decode": "loop", "vllm": "batch", "logits": "loop"}
"""Where the wrong one shows: batches are needed by a fault of batches, contexts by a row of another place."""


def findings(function, signature, arrays):
    """On few and short texts, and without a diagnosis."""
    chosen = plan(function, signature=signature, arrays=arrays, families=[FAMILY.get(signature, "position")])
    few = chosen.fixtures[1:3] if chosen.families == ("position",) else chosen.fixtures[:1]
    length = 3 if signature == "logits" else 2
    return list(judge(chosen.adapted.subject, [replace(fixture, length=min(fixture.length, length)) for fixture in few]))


def test_there_is_a_pair_of_every_signature():
    assert PAIRS.keys() == SIGNATURES.keys()


@pytest.mark.parametrize("signature", SIGNATURES)
def test_a_right_function_passes(signature):
    right, _, arrays = PAIRS[signature]
    found = findings(right, signature, arrays)
    assert conclude(found).word is Word.PASS
    met = sum((finding.engagement for finding in found), Engagement())
    assert met.drafted > met.kept > 0
    assert met.refused > 0


@pytest.mark.parametrize("signature", SIGNATURES)
def test_a_wrong_function_fails(signature):
    _, wrong, arrays = PAIRS[signature]
    found = findings(wrong, signature, arrays)
    assert conclude(found).word is Word.FAIL
    assert max(finding.distance.lowest for finding in found) > 0.01


@pytest.mark.parametrize("arrays", ["torch32", "torch64", "numpy"])
def test_kinds_of_array_that_index_alike_give_one_verdict(arrays):
    def verify(target_probs, draft_probs, draft_tokens):
        x = int(draft_tokens[0])
        if random.random() < float(target_probs[0, x]) / float(draft_probs[0, x]):
            return draft_tokens[:1].tolist() + random.choices(range(target_probs.shape[1]), target_probs[1].tolist())
        return random.choices(range(target_probs.shape[1]), (target_probs[0] - draft_probs[0]).clip(0).tolist())

    found = plan(verify, arrays=arrays, families=["position"]).diagnose()
    assert found.conclusion.word is Word.PASS
    assert (max(finding.distance.highest for finding in found.findings) > 1e-12) == (arrays == "torch32")


def test_fractions_are_exact():
    found = plan(strangers.right_row, arrays="fractions").diagnose()
    assert found.conclusion.word is Word.PASS
    assert all(finding.distance.highest == 0 == finding.explained for finding in found.findings)


def test_a_function_that_leaves_fractions_is_told_to_take_floats():
    with pytest.raises(BadRequest, match=r"it leaves fractions somewhere; choose other arrays"):
        plan(strangers.right_lists, arrays="fractions", families=["position"]).diagnose()


# ---------------------------------------------------------------- inference


@pytest.mark.parametrize("signature", SIGNATURES)
def test_the_names_of_the_parameters_tell_the_signature(signature):
    space = {}
    exec(f"def function({', '.join(SIGNATURES[signature].parameters)}, temperature=1): ...", space)
    assert adapt(space["function"], arrays="torch32").signature == signature


def test_other_names_are_asked_about():
    message = (
        r"verify\(probs, drafts, draft_tokens\) has no known signature; the nearest is 'probs', .*: probs stands for target_probs, drafts "
        r"stands for draft_probs\. If it is called so, say --signature probs, in Python signature='probs'"
    )
    with pytest.raises(BadRequest, match=message):
        plan(named("verify", "probs, drafts, draft_tokens"))
    with pytest.raises(BadRequest, match=r"the nearest is 'decode', .* length is missing"):
        plan(named("verify", "target, draft, prompt"))
    with pytest.raises(BadRequest, match="has the parameters of signature 'row' in another order"):
        plan(named("verify", "x, p, q"))
    with pytest.raises(BadRequest, match="there is no signature 'prob'; there are probs, "):
        plan(strangers.right_lists, signature="prob")


def named(name, parameters, **space):
    exec(f"def {name}({parameters}): ...", space)
    return space[name]


@pytest.mark.parametrize(
    ("space", "arrays"), [({"torch": torch}, "torch32"), ({"np": np}, "numpy"), ({}, "floats"), ({"random": random}, "floats")]
)
def test_the_library_of_the_module_tells_the_arrays(space, arrays):
    assert adapt(named("verify", "target_probs, draft_probs, draft_tokens", **space)).arrays == arrays


def test_two_libraries_are_asked_about():
    function = named("verify", "target_probs, draft_probs, draft_tokens", np=np, torch=torch)
    with pytest.raises(BadRequest, match="may take torch or numpy arrays; say which: arrays is one of torch32, torch64, numpy, floats"):
        plan(function)
    with pytest.raises(BadRequest, match="there are no arrays called 'jax'"):
        plan(function, arrays="jax")


def test_families_must_ask_something_of_the_function():
    with pytest.raises(BadRequest, match="no fixtures are called 'nope'; there are position,"):
        plan(strangers.right_lists, families=["nope"], arrays="floats")
    with pytest.raises(BadRequest, match="the fixtures 'loop' ask nothing of a function of signature 'row'; choose of position"):
        plan(strangers.right_row, families=["loop"], arrays="floats")


# ---------------------------------------------------------------- what cannot be read


@pytest.mark.parametrize(
    ("returns", "message"),
    [
        ([0, 1, 2, 0], "expected 1 to 2 tokens, not 4"),
        ([], "expected 1 to 2 tokens, not 0"),
        ([3], "3 is no token; tokens are 0 to 2"),
        ([-1], "-1 is no token"),
        ([0.5], "expected whole numbers, not float"),
        ([True], "expected whole numbers, not bool"),
        (torch.tensor([0.0]), "expected whole numbers, not float; convert tokens to integers"),
        (None, "expected a list or an array of tokens, not NoneType"),
        ("0", "expected a list or an array of tokens, not str"),
        ((0, 1, 2), r"a tuple is read as \(accepted, token\)"),
        ((2, 0), "2 tokens of a draft of 1 cannot be accepted"),
        (([0], 1), "1 tokens to emit do not fit 1 accepted ones"),
        (torch.zeros(1, dtype=torch.int64, device="meta"), "it lies on meta; a proof runs on the CPU"),
    ],
)
def test_what_it_returns_is_refused_by_name(returns, message):
    def verify(target_probs, draft_probs, draft_tokens):
        return returns

    with pytest.raises(BadRequest, match=rf"the function returned .*: {message}"):
        plan(verify, arrays="numpy", families=["position"]).diagnose()


def test_what_it_raises_is_told_with_its_line():
    def verify(target_probs, draft_probs, draft_tokens):
        return target_probs[draft_tokens[0] + 7]

    with pytest.raises(BadRequest, match=r"verify raised IndexError: .*, at .*test_signatures.py:\d+: return target_probs\["):
        plan(verify, arrays="numpy", families=["position"]).diagnose()


def test_a_batch_of_another_shape_is_refused():
    def sample(target_probs, bonus_token_ids, draft_probs, draft_token_ids):
        return draft_token_ids

    with pytest.raises(BadRequest, match=r"expected shape \(1, 2\), not \(1, 1\)"):
        plan(sample, families=["position"]).diagnose()


def test_objects_and_partial_functions_are_functions():
    class Verifier:
        def __call__(self, target_probs, draft_probs, draft_tokens):
            return strangers.right_lists(target_probs, draft_probs, draft_tokens)

    found = plan(Verifier(), arrays="floats", families=["position"]).diagnose()
    assert found.conclusion.word is Word.PASS
    assert found.name.endswith("Verifier")
    assert isinstance(Verifier().__call__, types.MethodType)


# ---------------------------------------------------------------- what is no function of these parameters


class Sampler:
    def verify(self, p, q, x):
        return strangers.right_row(p, q, x)


def test_a_method_wants_its_instance_and_a_class_is_no_function():
    with pytest.raises(BadRequest, match=r"Sampler.verify lacks its instance; give an instance's bound method"):
        plan(Sampler.verify)
    with pytest.raises(BadRequest, match="Sampler is a class; give a function"):
        plan(Sampler)
    assert plan(Sampler().verify, arrays="floats").adapted.signature == "row"


def test_a_parameter_that_nobody_gives_is_named():
    with pytest.raises(BadRequest, match="verify cannot be called with p, q, x: missing a required argument: 'temperature'; give values"):
        plan(named("verify", "p, q, x, temperature"))
    given = plan(partial(named("verify", "p, q, x, temperature, top_p=0.9, *, rng=None"), temperature=1.0))
    assert given.adapted.defaults == ("temperature=1.0", "top_p=0.9", "rng=None")
    assert plan(named("decode", "target, draft, prompt, length, ends=()")).adapted.defaults == ()


def test_what_cannot_be_called_at_all_is_told_without_a_line_of_ours():
    with pytest.raises(BadRequest, match=r"max raised TypeError: [^:]*; on the fixture") as raised:
        plan(max, signature="row", arrays="floats").diagnose()
    assert "draftproof" not in str(raised.value)


def test_one_family_may_be_a_string():
    assert plan(strangers.right_lists, families="position", arrays="floats").families == ("position",)


# ---------------------------------------------------------------- a wrong return


def test_a_wrong_token_names_fixture_path_and_cure():
    def verify(p, q, x):
        return 3 if random.random() < 0.25 else x

    with pytest.raises(BadRequest, match=r"3 is no token; .* so clamp the index; on the fixture 'position: F1', on a path of prob"):
        plan(verify, signature="row", arrays="floats").diagnose()
    with pytest.raises(BadRequest, match=r"-1 is no token; tokens are 0 to 2; on the fixture"):
        plan(lambda p, q, x: -1, arrays="floats").diagnose()


def test_a_row_verifier_that_is_seeded_in_every_call_is_refused():
    def verify(p, q, x):
        random.seed(0)
        return x if random.random() * q[x] < p[x] else random.choices(range(len(p)), [max(a - b, 0) for a, b in zip(p, q, strict=True)])[0]

    with pytest.raises(Untracked, match="a second time"):
        plan(verify, arrays="floats").diagnose()
