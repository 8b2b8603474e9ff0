"""The same audit of our own engine: sound rules pass, and each of five planted faults fails."""

import runpy
from pathlib import Path

import numpy as np
import pytest

from draftproof.audit.engines.own import Own
from draftproof.audit.judgement import Condition, Judgement, judge
from draftproof.audit.law.plan import Goal, plan
from draftproof.audit.law.rows import Reference
from draftproof.audit.law.suspects import suspects
from draftproof.catalogue import find
from draftproof.decode import Decoder
from draftproof.drafters.model import ModelDrafter
from draftproof.models.table import TableModel
from draftproof.proof.campaign import Word
from draftproof.sampling.params import SamplingParams
from draftproof.sampling.protocol import Verbatim
from draftproof.tree import Tree
from draftproof.verify import Independent, Verification

FAULTS = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "audit" / "planted.py"))["FAULTS"]

VOCAB = 8


def table(seed: int) -> TableModel:
    return TableModel(np.random.default_rng(seed).dirichlet(np.ones(VOCAB), size=(VOCAB, VOCAB)))


def audited(verification: Verification) -> Judgement:
    target, draft = table(0), table(1)
    reference, suspected = Reference(target, Verbatim(), draft), suspects(draft=True)
    prompts = [(one, other) for one in range(3) for other in range(3)]
    planned = plan(reference, suspected, prompts, Goal(effect=0.2))
    condition = Condition("as it is", SamplingParams(), reference, suspected, planned, seed=0)
    return judge(Own(Decoder(target, ModelDrafter(draft, Tree.chain(2)), verification), drafts="a table", params=Verbatim()), condition)


@pytest.mark.parametrize("rule", ["rejection", "block", "coupled"])
def test_a_sound_rule_passes(rule: str) -> None:
    found = audited(find([rule])[0].verification)
    assert (found.word, found.counters.engaged) == (Word.PASS, True), found.reason


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_fails(name: str) -> None:
    found = audited(Independent(FAULTS[name]))
    assert found.word is Word.FAIL, found.reason
    assert found.law.tokens <= found.condition.plan.tokens


def test_the_likeliest_suspect_is_the_fault_where_it_is_one_of_them() -> None:
    named = {name: audited(Independent(FAULTS[name])).ranked[0].name for name in ("whole_fallback", "argmax")}
    assert named == {"whole_fallback": "full-target fallback", "argmax": "argmax"}
