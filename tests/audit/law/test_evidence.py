"""All bets together: one error rate, one order of suspects, and no hole through which a leak would pass."""

import numpy as np
import pytest

from draftproof.audit.law import evidence as law_module
from draftproof.audit.law.evidence import LawEvidence
from draftproof.audit.law.learned import Repeated
from draftproof.audit.law.rows import Rows, Text
from draftproof.audit.law.suspects import suspects

VOCAB, LENGTH = 6, 8


def texts(share: float, count: int, *, seed: int = 0, law: str = "draft") -> tuple[list[Text], list[Rows]]:
    """Texts of which a share of the tokens comes from the draft, or from the likeliest of the target."""
    random, found = np.random.default_rng(seed), []
    for _ in range(count):
        p, q = random.dirichlet(np.ones(VOCAB), size=(2, LENGTH))
        wrong = q if law == "draft" else np.eye(VOCAB)[p.argmax(-1)]
        emitted = (1 - share) * p + share * wrong
        tokens = (emitted.cumsum(-1) < random.random((LENGTH, 1))).sum(-1).clip(max=VOCAB - 1)
        found.append(Rows(tokens, p, q))
    return [Text((number,), rows.tokens.tolist()) for number, rows in enumerate(found)], found


def evidence(share: float, count: int, *, law: str = "draft", band: float = 0.0) -> LawEvidence:
    found = LawEvidence(suspects(draft=True), band)
    found.add(*texts(share, count, law=law))
    return found


@pytest.mark.parametrize("band", [0.0, 1e-4])
def test_the_target_itself_is_not_refuted(band: float) -> None:
    found = evidence(0.0, 300, band=band)
    assert not found.refutes(0.01)
    assert found.bounds(["draft leakage", "argmax", "uniform"], 0.3, 0.01)
    assert all(finding.interval is not None and finding.interval[0] <= 0 <= finding.upper for finding in found.findings(0.01))


@pytest.mark.parametrize("band", [0.0, 1e-4])
@pytest.mark.parametrize(("law", "name"), [("draft", "draft leakage"), ("argmax", "argmax")])
def test_a_fault_is_refuted_and_named(law: str, name: str, band: float) -> None:
    found = evidence(0.5, 60, law=law, band=band)
    assert found.refutes(1e-3)
    first = found.findings(1e-3)[0]
    assert first.suspect.name == name
    assert first.interval is not None
    assert 0 < first.interval[0] < 0.5 < first.interval[1]
    assert first.upper == first.interval[1]


def test_a_fault_is_named_when_its_suspect_is_far_ahead_or_enough_was_judged() -> None:
    found = evidence(1.0, 100)
    first, second = found.findings(0.01)[:2]
    assert (first.suspect.name, first.log_e - second.log_e > law_module.APART) == ("draft leakage", True)
    assert found.named(found.tokens)
    alike = LawEvidence([*suspects(draft=True), *suspects(draft=True)])  # nobody can tell these two apart
    alike.add(*texts(1.0, 100))
    assert not alike.named(alike.tokens)
    assert not alike.named(alike.tokens // law_module.TO_NAME + 1)
    assert alike.named(alike.tokens // law_module.TO_NAME)
    assert LawEvidence(suspects(draft=True)[:1]).named(1)


def test_a_share_is_not_bounded_because_the_true_one_is_larger() -> None:
    """That the engine leaks so little is excluded: it leaks more."""
    found = evidence(0.6, 60)
    assert found.capitals[0].too_small(0.05, 0.01)
    assert not found.capitals[0].too_large(0.05, 0.01)
    assert not found.bounds(["draft leakage"], 0.05, 0.01)


def test_nothing_is_bounded_while_its_suspect_is_shown() -> None:
    found = evidence(0.1, 800)
    assert found.capitals[0].too_large(0.5, 0.01)
    assert found.capitals[0].too_small(0.0, 0.01)
    assert not found.bounds(["draft leakage"], 0.5, 0.01)


def test_the_whole_is_the_mean_of_its_parts() -> None:
    found = evidence(0.2, 20)
    assert np.exp(found.log_e) == pytest.approx(np.mean([np.exp(capital.log_e) for capital in found.capitals]))
    assert found.growth()[-1] == (160, pytest.approx(found.log_e))
    assert len(found.growth()) == 20
    ordered = [finding.log_e for finding in found.findings(0.01)]
    assert ordered == sorted(ordered, reverse=True)


def test_texts_are_judged_in_parts_that_fit_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = evidence(0.2, 20)
    monkeypatch.setattr(law_module, "ENTRIES_AT_ONCE", 100)
    in_parts = evidence(0.2, 20)
    np.testing.assert_allclose([each for _, each in in_parts.growth()], [each for _, each in at_once.growth()])
    assert in_parts.tokens == at_once.tokens == 160


def test_an_empty_text_says_nothing() -> None:
    found = LawEvidence(suspects(draft=False))
    found.add([Text((0,), [])], [Rows(np.array([], np.int64), np.empty((0, VOCAB)))])
    assert found.tokens == 0
    assert not found.growth()
    assert found.log_e == pytest.approx(0)


def test_a_fault_that_nobody_suspects_is_learned_where_texts_repeat() -> None:
    """Of two tokens that the target emits equally often the engine emits one."""
    found, target = LawEvidence(suspects(draft=False)), np.array([[0.4, 0.2, 0.2, 0.2]])
    random = np.random.default_rng(0)
    for _ in range(300):
        token = random.choice(4, p=[0.4, 0.35, 0.05, 0.2])
        found.add([Text((1,), [int(token)])], [Rows(np.array([token]), target)])
    assert found.refutes(1e-3)
    assert found.findings(1e-3)[0].suspect is Repeated.suspect
