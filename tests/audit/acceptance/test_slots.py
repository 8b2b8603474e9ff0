"""Of which drafted tokens the fate is known."""

import numpy as np

from draftproof.audit.acceptance.ceiling import ceiling_check
from draftproof.audit.acceptance.drafting import Drafting
from draftproof.audit.acceptance.slots import slots
from draftproof.audit.engines.protocol import Answer
from draftproof.audit.law.rows import Rows
from draftproof.proof.campaign import Word


def found(tokens: int, *rounds: tuple[int, int], rule: str | None = "match"):  # type: ignore[no-untyped-def]
    """Slots of one text over two tokens, in which the target's chance of token 0, which is drafted, is 1/10, 2/10, ... by place."""
    first = np.arange(1, tokens + 1) / 10
    law = np.stack([first, 1 - first], -1)
    rows = Rows(np.zeros(tokens, int), law, np.array([[1.0, 0.0]] * tokens))
    return slots([Answer(0, (0,) * tokens, rounds=rounds)], [rows], Drafting(3, rule))


def test_all_that_was_reached_has_its_place_and_its_chance() -> None:
    seen = found(6, (3, 2), (0, 0), (3, 1))
    assert seen.position.tolist() == [1, 2, 3, 1, 2]
    assert seen.kept.tolist() == [1, 1, 0, 1, 0]
    np.testing.assert_allclose(seen.predicted, [0.1, 0.2, 0.3, 0.5, 0.6])
    assert seen.histogram == (1, 1, 1)


def test_a_draft_that_was_kept_whole_has_no_refused_token() -> None:
    assert found(4, (3, 3)).kept.tolist() == [1, 1, 1]


def test_what_lies_behind_the_end_of_a_text_was_not_reached() -> None:
    assert found(2, (3, 2)).position.tolist() == [1, 2]
    assert found(1, (3, 1)).position.tolist() == [1]


def test_values_are_shares_by_position() -> None:
    values = found(6, (3, 2), (0, 0), (3, 1)).values
    assert values["position"] == [1, 2, 3]
    assert values["observed"] == [1.0, 0.5, 0.0]
    assert values["drafts"] == [2, 2, 1]
    np.testing.assert_allclose(values["predicted"], [0.3, 0.4, 0.3])
    assert values["ceiling"] == values["predicted"]
    assert "predicted" not in found(6, (3, 2), (3, 2), rule=None).values


def test_without_a_draft_there_are_no_slots() -> None:
    seen = found(2, (0, 0), (0, 0))
    assert seen.positions == []
    assert seen.values["histogram"] == [2]
    assert ceiling_check(seen, alpha=1e-3).word is Word.SKIPPED
