"""Acceptance against prediction: right rules agree, wrong wiring does not."""

from random import Random

import numpy as np
import pytest

from draftproof import Coupled, Decoder, Independent, Limits, SeededDraws, Tree
from draftproof.drafters.function import FunctionDrafter
from draftproof.drafters.model import ModelDrafter
from draftproof.evidence.law import ALPHA, Acceptance
from draftproof.evidence.watch import Watch
from draftproof.models.table import random_pair
from draftproof.rules.block import block
from draftproof.rules.greedy import greedy
from draftproof.rules.rejection import rejection
from draftproof.sampling.protocol import Verbatim
from draftproof.verify import Verification

pytestmark = pytest.mark.usefixtures("unchecked_shapes")


class StrangeNoise(Coupled):
    """A draft from noise of its own: the race is no longer shared."""

    def pick_draft(self, draws, law, *, round_start, node, depth):  # type: ignore[no-untyped-def]
        return SeededDraws(99).race(law, round_start + depth - 1)


class Hasty(Independent):
    """The kept path ends one token early, now and then."""

    def verdict(self, target_probs, draft, draws, round_starts):  # type: ignore[no-untyped-def]
        verdict = super().verdict(target_probs, draft, draws, round_starts)
        return verdict._replace(kept=np.where(np.array(round_starts) % 2 == 0, np.minimum(verdict.kept, 1), verdict.kept))


def watched(verification: Verification, *, fixed: bool, tokens: int = 900) -> Acceptance:
    target, draft = random_pair(Random(8), 5)
    table = target.table.astype(float), draft.table.astype(float)
    target, draft = type(target)(table[0]), type(draft)(table[1])
    drafter = FunctionDrafter(lambda context: [context[-1], 1, context[-2]], 5) if fixed else ModelDrafter(draft, Tree.chain(3))
    decoder, seen = Decoder(target, drafter, verification), Acceptance(verification)
    session = decoder.open([0, 1], params=Verbatim(), limits=Limits(tokens), draws=SeededDraws(2))
    for _ in Watch([seen]).decoder(decoder).generate([session]):
        pass
    assert seen.drafted > tokens / 2
    assert 0 < seen.observed < seen.drafted
    return seen


@pytest.mark.parametrize("fixed", [False, True], ids=["sampled", "chosen"])
@pytest.mark.parametrize("verification", [Coupled(), Independent(rejection), Independent(block)], ids=["coupled", "rejection", "block"])
def test_right_rules_agree(verification: Verification, fixed: bool) -> None:
    seen = watched(verification, fixed=fixed)
    assert seen.agrees
    assert seen.predicted == pytest.approx(seen.observed, rel=0.2)


@pytest.mark.parametrize("verification", [StrangeNoise(), Hasty(rejection)], ids=["strange noise", "hasty"])
def test_wrong_wiring_is_seen(verification: Verification) -> None:
    assert not watched(verification, fixed=False).agrees


def test_a_certain_outcome_leaves_no_room() -> None:
    seen = watched(Independent(greedy), fixed=True)
    assert seen.variance == 0
    assert seen.observed == pytest.approx(seen.predicted)
    assert seen.p_value == 1
    seen.observed += 1
    assert seen.p_value == 0


@pytest.mark.parametrize(("chance", "drafted"), [(0.05, 1), (0.005, 10), (0.5, 40), (0.9, 200)])
def test_a_right_run_fails_no_more_often_than_is_stated_however_short(chance: float, drafted: int) -> None:
    counts = np.random.default_rng(4).binomial(drafted, chance, 20_000)
    fails = 0
    for observed, times in zip(*np.unique(counts, return_counts=True), strict=True):
        seen = Acceptance(Coupled(), drafted, int(observed), chance * drafted, chance * (1 - chance) * drafted)
        fails += int(times) * (not seen.agrees)
    assert fails <= 20_000 * ALPHA + 10
