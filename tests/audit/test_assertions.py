"""Audits as assertions: silence for a pass, and the verdict with its reason for anything else."""

import numpy as np
import pytest

from draftproof.audit.assertions import assert_follows, assert_on_policy, assert_same_text
from draftproof.audit.engines.own import Own
from draftproof.audit.judgement import Condition
from draftproof.audit.law.comparison import Comparison
from draftproof.audit.law.plan import Goal, plan
from draftproof.audit.law.rows import Reference
from draftproof.audit.law.suspects import suspects
from draftproof.audit.logs.record import Record
from draftproof.catalogue import find
from draftproof.decode import Decoder
from draftproof.drafters.model import ModelDrafter
from draftproof.errors import NotExact
from draftproof.models.table import TableModel
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.protocol import Verbatim
from draftproof.tree import Tree


def table(seed: int) -> TableModel:
    return TableModel(np.random.default_rng(seed).dirichlet(np.ones(6), size=(6, 6)))


@pytest.mark.parametrize(("served", "word"), [(0, None), (2, "FAIL after")])
def test_an_engine_of_another_target_does_not_pass(served: int, word: str | None) -> None:
    target, draft = table(0), table(1)
    reference, suspected = Reference(target, Verbatim(), draft), suspects(draft=True)
    planned = plan(reference, suspected, [(0, 1), (1, 2)], Goal(effect=0.4))
    condition = Condition("as it is", SamplingParams(), reference, suspected, planned, seed=0)
    decoder = Decoder(table(served), ModelDrafter(draft, Tree.chain(2)), find(["rejection"])[0].verification)
    engine = Own(decoder, drafts="a table", params=Verbatim())
    if word is None:
        assert_follows(engine, [condition])
        return
    with pytest.raises(NotExact, match=f"{word} .* tokens of as it is: the emitted tokens do not follow"):
        assert_follows(engine, [condition])


def test_text_that_differs_or_is_too_little_does_not_pass() -> None:
    assert_same_text(Comparison(0.5, (40, 40), 0.3))
    for found, word in ((Comparison(1e-5, (40, 40), 0.3), "FAIL"), (Comparison(0.5, (2, 2), None), "INCONCLUSIVE")):
        with pytest.raises(NotExact, match=word):
            assert_same_text(found)


def test_log_probabilities_that_differ_or_are_too_few_do_not_pass() -> None:
    def records(count: int, reference: float) -> list[Record]:
        row = (-1.0,) * count
        return [
            Record(
                prompt_ids=(1,), output_ids=(2,) * count, params=SamplingParams(), log_probs=row, reference_log_probs=(reference,) * count
            )
        ]

    assert_on_policy(records(2000, -1.0))
    for found, word in ((records(2000, -2.0), "FAIL"), (records(5, -1.0), "INCONCLUSIVE")):
        with pytest.raises(NotExact, match=word):
            assert_on_policy(found)
