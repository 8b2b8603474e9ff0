"""The planted faults as suspects: their laws are those that the prover works out, place by place."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

from draftproof.audit.law.evidence import LawEvidence
from draftproof.audit.law.known import expected_text_law, judged, known, text, text_law
from draftproof.proof.decoders.standard import family
from draftproof.proof.zoo.member import Member, controls, faults

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

ALPHA = 1e-3
SHOWN = next(fixture for fixture in family("position") if fixture.name == "draft with a zero")
SINGLE = family("single")[0]


def member(name: str) -> Member:
    return next(one for one in (*faults(), *controls()) if one.name == name)


def test_the_laws_along_a_text_multiply_to_its_probability() -> None:
    (suspect,) = known(SINGLE, [member("fallback_from_target")])
    law, right = text_law(SINGLE, member("fallback_from_target")), expected_text_law(SINGLE)
    assert law is not None
    assert law != right
    for tokens in product(range(SINGLE.vocab), repeat=SINGLE.length):
        _, rows = judged(SINGLE, tokens)
        along = suspect.law(rows)
        assert prod(along[place, token] for place, token in enumerate(tokens)) == pytest.approx(float(law[tokens]))
        assert prod(rows.probabilities) == pytest.approx(float(right[tokens]))
        np.testing.assert_allclose(along.sum(-1), 1)


def test_faults_of_one_law_are_one_suspect_and_those_that_hide_are_none() -> None:
    found = known(SHOWN)
    names = [name for suspect in found for name in suspect.name.split(", ")]
    assert len(names) == len(set(names))
    assert "one_coin_for_all_positions" not in names  # of one position
    merged = next(suspect for suspect in found if "fallback_from_target" in suspect.name)
    assert merged.name == "fallback_absolute_difference, fallback_from_target, recovered_from_next_row"
    assert merged.mechanism == "M6, M8"


def test_controls_are_no_suspects() -> None:
    assert known(SINGLE, [one for one in controls() if one.fixtures in ("position", "single", "loop")]) == ()


def test_where_a_text_may_end_its_end_is_a_token() -> None:
    fixture = next(one for one in family("ends") if one.length == 3 and one.ends == {1})
    assert text(fixture, (0, 1)) == (0, 1, 2)
    _, rows = judged(fixture, (0, 1))
    assert rows.target.shape == (3, 3)
    np.testing.assert_array_equal(rows.target[2], [0, 0, 1])
    _, beyond = judged(fixture, (0, 1, 0))  # the text goes on after its end
    assert beyond.probabilities.tolist()[-2:] == [0, 1]
    _, cut = judged(fixture, (0,))  # it stops before it
    assert cut.probabilities.tolist()[-1] == 0


def test_requests_stand_one_after_another() -> None:
    (fixture,) = family("batch")
    told, rows = judged(fixture, ((0, 1, 1), (1, 0, 0)))
    assert told.tokens == (0, 1, 1, 1, 0, 0)
    texts = (0, 1, 1), (1, 0, 0)
    one, other = (
        judged(replace(fixture, prompt=prompt, beside=()), tokens)[1] for prompt, tokens in zip(fixture.prompts, texts, strict=True)
    )
    np.testing.assert_array_equal(rows.target, np.concatenate([one.target, other.target]))
    assert rows.draft is not None
    assert one.draft is not None
    np.testing.assert_array_equal(rows.draft[:3], one.draft)


def test_reported_probabilities_are_no_tokens() -> None:
    fixture = family("probabilities")[0]
    assert text(fixture, ((2, Fraction(1, 2)), (0, Fraction(1)), (1, Fraction(1)))) == (2, 0, 1)
    for name in ("reports_zero_logprob", "reports_draft_probability"):
        assert text_law(fixture, member(name)) == expected_text_law(fixture)


def run(name: str, texts: int) -> LawEvidence:
    """A decoder, called again and again, judged by those who know all faults."""
    random.seed(1)
    evidence = LawEvidence(known(SHOWN))
    some = [judged(SHOWN, member(name).decoder(SHOWN)) for _ in range(texts)]
    evidence.add([text for text, _ in some], [rows for _, rows in some])
    return evidence


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("argmax_draft_soft_q", 300),
        ("greedy_verify", 60),
        ("fallback_from_target", 300),
        ("fallback_softmax", 300),
        ("first_draft_unverified", 60),
        ("accept_above_threshold", 100),
        ("draft_ids_mapped_after_verification", 100),
        ("coarse_coin", 900),
    ],
)
def test_a_fault_is_refuted_and_named(name: str, texts: int) -> None:
    evidence = run(name, texts)
    assert evidence.refutes(ALPHA)
    assert name in evidence.findings(ALPHA)[0].suspect.name.split(", ")


@pytest.mark.parametrize("name", [one.name for one in controls() if one.fixtures == "position"])
def test_a_control_is_acquitted(name: str) -> None:
    assert not run(name, 500).refutes(ALPHA)
