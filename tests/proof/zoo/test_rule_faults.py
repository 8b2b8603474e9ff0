"""Every planted fault of a verdict is found, at the distance that was published, and named; so is a stranger's."""

from functools import cache

import numpy as np
import pytest
import torch

from draftproof.proof.campaign import Word
from draftproof.proof.decoders.judge import Subject, judge
from draftproof.proof.decoders.standard import family
from draftproof.proof.foreign import explore_program
from draftproof.proof.zoo.member import faults
from draftproof.proof.zoo.naming import suspects
from draftproof.proof.zoo.subject import subject

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

FAULTS = {member.name: member for member in faults() if member.fixtures in ("position", "siblings")}

SAME_LAW = {
    "argmax_draft_fresh_target": {"target_draw_for_each_row"},  # with one draft
    "siblings_target_not_updated": {"fallback_from_target"},  # with two; with one it is sound
}
"""Which others have the law of a fault on every fixture of its family."""

TELLING = ("F4", "tables 1")
"""Fixtures that are enough to name a fault: a residual of three tokens, and rows that depend on the text."""

each_fault = pytest.mark.parametrize("name", FAULTS)


@cache
def findings(name):
    member = FAULTS[name]
    return tuple(judge(subject(name, member.decoder), family(member.fixtures)))


def telling(found):
    return [finding for finding in found if finding.fixture.name in TELLING]


@each_fault
def test_it_is_found(name):
    words = {finding.word for finding in findings(name)}
    assert Word.FAIL in words
    assert Word.INCONCLUSIVE not in words


@each_fault
def test_it_lies_at_the_published_distance(name):
    seen = {finding.fixture.name: float(finding.distance.lowest) for finding in findings(name)}
    for fixture, published in FAULTS[name].distances.items():
        assert seen[fixture] == pytest.approx(published, abs=5.0001e-4), fixture


@each_fault
def test_it_is_named(name):
    named = {suspect.member.name: suspect.distance for suspect in suspects(telling(findings(name)))}
    assert named[name] == 0
    assert named.keys() == {name} | SAME_LAW.get(name, set())


def numpy_verifier(fixture, fallback):
    """One token, as a stranger would write it."""
    p, q = (np.array([float(weight) for weight in table.law(fixture.prompt)]) for table in (fixture.target, fixture.draft))
    rng = np.random.default_rng()
    token = int(rng.choice(len(q), p=q))
    if rng.random() < p[token] / q[token]:
        return (token,)
    weights = fallback(p, q)
    return (int(rng.choice(len(p), p=weights / weights.sum())),)


def torch_verifier(fixture, fallback):
    """The same in float32, by races."""
    p, q = (torch.tensor([float(weight) for weight in table.law(fixture.prompt)]) for table in (fixture.target, fixture.draft))
    token = (q / torch.empty_like(q).exponential_()).argmax()
    if torch.rand(()) * q[token] < p[token]:
        return (token.item(),)
    return (torch.multinomial(fallback(p, q), 1).item(),)


def strangers_findings(verifier, bits, fallback):
    def explore(fixture, budget, progress):
        return explore_program(lambda: verifier(fixture, fallback), budget=budget, progress=progress)

    return list(judge(Subject("a stranger's", explore, bits), family("position")))


VERIFIERS = {"numpy": (numpy_verifier, 53), "torch": (torch_verifier, 24)}
strangers = pytest.mark.parametrize(("verifier", "bits"), VERIFIERS.values(), ids=VERIFIERS)


@strangers
def test_a_strangers_fallback_to_the_target_is_named(verifier, bits):
    found = strangers_findings(verifier, bits, lambda p, q: p)
    assert Word.FAIL in {finding.word for finding in found}
    (suspect,) = suspects(telling(found))
    assert (suspect.member.mechanism, suspect.member.name) == ("M6", "fallback_from_target")


@strangers
def test_a_strangers_sound_verifier_passes(verifier, bits):
    """The smallest weight keeps the residual from being empty where rounding refuses a draft of p = q."""
    found = strangers_findings(verifier, bits, lambda p, q: (p - q).clip(0) + 2.0**-60 * p)
    assert {finding.word for finding in found} == {Word.PASS}


@strangers
def test_a_strangers_fault_that_is_not_in_the_zoo_has_no_name(verifier, bits):
    found = strangers_findings(verifier, bits, lambda p, q: p * 0 + 1)
    assert Word.FAIL in {finding.word for finding in found}
    assert suspects(telling(found)) == []
