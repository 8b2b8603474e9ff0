"""An explanation holds for every pair of laws, and its numbers are those of the rule that decodes."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from draftproof.errors import BadLaw, BadRequest
from draftproof.proof.fixtures import ROWS, all_rows
from draftproof.report import explanation
from draftproof.report.explanation import explain
from draftproof.rules.rejection import rejection
from draftproof.shapes import Array
from draftproof.types import Draft, VerdictLaw


@pytest.mark.usefixtures("unchecked_shapes")
def test_every_small_pair_adds_up() -> None:
    residuals = 0
    for p, q in product(all_rows(3, 4), repeat=2):
        found = explain(p, q)
        assert found.output == p
        assert found.kept == tuple(map(min, p, q))
        assert found.refused == tuple(max(b - a, Fraction(0)) for a, b in zip(p, q, strict=True))
        assert found.deficit == tuple(max(a - b, Fraction(0)) for a, b in zip(p, q, strict=True))
        assert found.overlap + found.refusal == 1
        assert sum(found.wrong_output) == 1
        assert (found.residual is None) is (p == q)
        if found.residual:
            residuals += 1
            assert sum(found.residual) == 1
            assert found.residual == tuple(part / found.refusal for part in found.deficit)
            assert (found.wrong_output == p) is (found.residual == p)
    assert residuals > 100


def test_a_fault_of_the_rule_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def faulty(target_probs: Array, draft: Draft) -> VerdictLaw:
        law = rejection(target_probs, draft)
        return VerdictLaw(law.kept, lambda kept: target_probs[np.arange(len(kept)), kept])

    p, q = ROWS["F2"]
    assert explain(p, q).output == p
    monkeypatch.setattr(explanation, "rejection", faulty)
    spoilt = explain(p, q)
    assert spoilt.output != p
    assert spoilt.output == spoilt.wrong_output


def test_every_number_is_a_fraction() -> None:
    found = explain([Fraction(1), Fraction(0)], [Fraction(1, 2), Fraction(1, 2)])
    for row in (found.target, found.kept, found.refused, found.deficit, found.residual, found.output, found.wrong_output):
        assert row is not None
        assert all(type(value) is Fraction for value in row)


def test_long_lists_of_tokens_are_shortened_in_a_sentence() -> None:
    p = [Fraction(1), *[Fraction(0)] * 9]
    q = [Fraction(0), *[Fraction(1, 9)] * 9]
    sentence = next(case.sentence for case in explain(p, q).cases if case.name == "never_wanted")
    assert sentence.endswith("'1', '2', '3', '4', '5', '6' and 3 more.")


@pytest.mark.parametrize(
    ("target", "draft", "tokens", "error"),
    [
        ([1], [1, 0], None, BadRequest),
        ([1], [1], ["a", "b"], BadRequest),
        ([], [], None, BadLaw),
        ([2, -1], [1, 0], None, BadLaw),
        ([1, 0], [1, 1], None, BadLaw),
    ],
)
def test_only_laws_are_explained(target: list[Fraction], draft: list[Fraction], tokens: list[str] | None, error: type[Exception]) -> None:
    rows = [Fraction(value) for value in target], [Fraction(value) for value in draft]
    with pytest.raises(error):
        explain(*rows, tokens)
