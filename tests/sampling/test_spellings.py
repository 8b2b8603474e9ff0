"""Foreign names."""

from dataclasses import fields

import pytest

from draftproof.errors import BadRequest
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.spellings import ALIASES, ELSEWHERE, canonical

NAMES = {item.name for item in fields(SamplingParams)}


def test_every_alias_means_a_parameter_and_none_hides_one() -> None:
    assert set(ALIASES.values()) <= NAMES
    assert NAMES.isdisjoint(ALIASES)
    assert NAMES.isdisjoint(ELSEWHERE)
    assert set(ALIASES).isdisjoint(ELSEWHERE)


def test_both_names_give_the_same_parameters() -> None:
    foreign = {"dialect": "llamacpp", "temp": 0.5, "typ_p": 0.9, "repeat_penalty": 1.1, "repeat_last_n": 64}
    ours = {"dialect": "llamacpp", "temperature": 0.5, "typical_p": 0.9, "repetition_penalty": 1.1, "penalty_last_n": 64}
    assert canonical(foreign, known=NAMES) == ours
    assert SamplingParams.parse(foreign) == SamplingParams(**ours)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"topp": 0.5}, "topp is not a sampling parameter: see SamplingParams"),
        ({"seed": 1}, "seed is not a sampling parameter: randomness is not part of the law; see draws"),
        ({"do_sample": False}, "do_sample is not a sampling parameter: do_sample=False is temperature=0"),
        ({"temp": 1, "temperature": 1}, "temperature is given twice, as temp and as temperature"),
        ({"min_tokens": 1, "min_new_tokens": 1}, "min_new_tokens is given twice, as min_tokens and as min_new_tokens"),
    ],
)
def test_what_is_refused(given: dict, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        SamplingParams.parse(given)
