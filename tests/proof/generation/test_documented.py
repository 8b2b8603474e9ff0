"""The documented law of a plain call: each rule moves it, and what has no law here has none."""

from dataclasses import replace
from fractions import Fraction

import pytest

from draftproof.proof.decoders.fixture import expected_law
from draftproof.proof.decoders.standard import family
from draftproof.proof.generation.configuration import Configuration
from draftproof.proof.generation.documented import RULES, documented_law
from draftproof.proof.generation.matrix import ENDS, SAMPLING, find
from draftproof.proof.generation.models import pair
from draftproof.proof.laws import compare

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

TARGET = "table 1"
WITHOUT = {"green watermark", "SynthID watermark", "stop string", "top-h 0.9"}
"""No law is worked out for these; only the two calls are compared."""

SAME = {"chunked prefill"}


def law(**given: object) -> dict[tuple[int, ...], Fraction]:
    found = documented_law(Configuration("plain", given=given), pair(TARGET).target)
    assert found is not None
    return found


def test_without_parameters_it_is_the_law_of_the_table() -> None:
    fixture = replace(family("loop")[0], prompt=(0, 1), length=3)
    assert compare(law(), expected_law(fixture)).distance < 1e-15


@pytest.mark.parametrize("name", sorted({**SAMPLING, **ENDS}.keys() - WITHOUT - SAME))
def test_every_parameter_of_the_matrix_moves_it(name: str) -> None:
    (configuration,) = find((f"assistant, {name}",))
    target = pair(TARGET).target
    moved, plain = documented_law(configuration, target), documented_law(replace(configuration, given={}), target)
    assert moved
    assert plain
    assert abs(sum(moved.values()) - 1) < 1e-12
    assert compare(moved, plain).distance > 0.01


@pytest.mark.parametrize("name", sorted(WITHOUT))
def test_what_has_no_law_here_is_not_guessed(name: str) -> None:
    assert documented_law(Configuration("plain", given=(SAMPLING | ENDS)[name]), pair(TARGET).target) is None


def test_rules_do_what_they_are_documented_to_do() -> None:
    end = ENDS["forced end"]
    assert all(output[-1] == 1 for output in law(**end))
    assert {output[0] for output in law(begin_suppress_tokens=[0])} == {1, 2}
    assert all(token != 2 for output in law(suppress_tokens=[2]) for token in output)
    biased, plain = law(sequence_bias=[[[1, 2], 2.0]]), law()
    assert biased[2, 0, 0] > plain[2, 0, 0]  # the prompt ends with 1
    assert "guidance_scale" in RULES
