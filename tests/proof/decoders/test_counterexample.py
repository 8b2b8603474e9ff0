"""The counterexample is the smallest that fails, its numbers are true, and it can be followed."""

from dataclasses import replace
from fractions import Fraction

import pytest

from draftproof.proof.decoders.counterexample import SIMPLE, smallest
from draftproof.proof.decoders.fixture import Table
from draftproof.proof.decoders.judge import judge
from draftproof.proof.decoders.standard import family
from draftproof.proof.zoo.member import faults
from draftproof.proof.zoo.subject import subject

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

FAULTS = {member.name: member for member in faults()}


def example(name, **request):
    member = FAULTS[name]
    decoder = subject(name, member.decoder)
    first = replace(family(member.fixtures)[0], **request)
    return smallest(decoder, list(judge(decoder, [first])))


def test_a_fault_of_one_position_is_shown_on_one_token_of_two():
    found = example("fallback_from_target")
    assert found.finding.fixture.vocab == 2
    assert (found.finding.fixture.length, found.finding.fixture.widths) == (1, (1,))
    assert (found.output, found.observed, found.expected) == ((0,), Fraction(11, 16), Fraction(3, 4))
    ((context, target, draft),) = found.places
    assert (context, target, draft) == ((0, 0), *SIMPLE["two tokens"])


def test_a_fault_of_the_cache_needs_a_second_token_and_tables_with_a_context():
    found = example("target_keeps_rejected_token", length=3)
    assert found.finding.fixture.length == 2
    assert found.finding.fixture.target != Table.constant(found.finding.fixture.target.law((0, 0)))
    assert [place.context for place in found.places] == [(0, 0), (0, 0, found.output[0])]


@pytest.mark.parametrize(
    ("name", "request_"),
    [
        ("fallback_from_target", {}),
        ("penalty_counts_rejected", {}),
        ("grammar_advanced_by_rejected", {}),
        ("tokens_after_end", {"length": 3}),
    ],
)
def test_its_probabilities_are_those_of_the_two_laws(name, request_):
    found = example(name, **request_)
    assert found.observed == found.finding.observed.law.get(found.output, 0)
    assert found.expected == found.finding.expected.get(found.output, 0)
    assert found.observed != found.expected


def test_its_decisions_lead_to_the_output():
    found = example("fallback_from_target")
    probability = Fraction(1)
    for decision in found.decisions:
        probability *= Fraction(decision.weights[decision.taken]) / sum(decision.weights)
    assert 0 < probability <= found.observed
