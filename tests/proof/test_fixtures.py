"""The fixtures are what they say, and every kind of row is among them."""

from fractions import Fraction

import pytest

from draftproof.proof.fixtures import ROWS, all_pairs, all_rows, constant, pairs, row


def test_named_rows_are_laws_and_all_but_the_first_have_a_residual_of_several_tokens():
    for name, (target, draft) in ROWS.items():
        assert sum(target) == sum(draft) == 1
        residual = [p for p, q in zip(target, draft, strict=True) if p > q]
        assert (len(residual) > 1) == (name != "F1")


def test_a_constant_model_gives_one_law_after_every_context():
    model = constant(row(50, 50))
    assert model.law([]).tolist() == model.law([1, 0, 1]).tolist() == [Fraction(1, 2), Fraction(1, 2)]


@pytest.mark.parametrize(("vocab", "largest", "count"), [(1, 3, 1), (2, 2, 3), (2, 6, 13), (3, 2, 6), (3, 6, 55)])
def test_all_rows_are_distinct_laws(vocab, largest, count):
    rows = all_rows(vocab, largest)
    assert len(set(rows)) == len(rows) == count
    assert all(sum(law) == 1 and min(law) >= 0 for law in rows)
    assert len(all_pairs(vocab, largest)) == count**2


def test_random_pairs_meet_in_every_way_that_matters():
    target = [law for model, _ in pairs(40, 3, seed=0) for law in model.table.reshape(-1, 3).tolist()]
    draft = [law for _, model in pairs(40, 3, seed=0) for law in model.table.reshape(-1, 3).tolist()]
    met = list(zip(target, draft, strict=True))
    assert any(p == q for p, q in met)
    assert any(max(p) == 1 for p in target)
    assert any(0 in p for p in target)
    assert any(len(set(p)) < 3 for p in target)
    assert any(all(min(a, b) == 0 for a, b in zip(p, q, strict=True)) for p, q in met)
    assert all(0 not in law for law in target[:9] + draft[:9])


def test_the_same_seed_gives_the_same_pairs():
    for (target, draft), (again, other) in zip(pairs(3, 4, seed=5), pairs(3, 4, seed=5), strict=True):
        assert (target.table == again.table).all()
        assert (draft.table == other.table).all()
