"""A watched decode is the decode, and the clock counts each moment once."""

from random import Random

import numpy as np
import pytest

from draftproof import Coupled, Decoder, Independent, Limits, SeededDraws, Tree
from draftproof.drafters.model import ModelDrafter
from draftproof.evidence import watch as module
from draftproof.evidence.watch import Clock, Round, Watch
from draftproof.models.table import random_pair
from draftproof.rules.block import block
from draftproof.sampling.protocol import Verbatim


def test_the_clock_of_a_part_stands_still_in_a_part_within(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([0, 1, 3, 6, 10, 15])
    monkeypatch.setattr(module.time, "perf_counter", lambda: next(ticks))
    clock = Clock()
    with clock.part("draft"), clock.part("sampling"):  # at 0, at 1
        pass  # at 3, at 6
    with clock.part("draft"):  # at 10
        pass  # at 15
    assert clock.seconds == {"draft": 1 + 3 + 5, "sampling": 2}


def test_watching_changes_nothing_and_sees_every_round() -> None:
    target, draft = random_pair(Random(5), 4)
    rounds: list[Round] = []
    for verification in (Coupled(), Independent(block)):
        decoder = Decoder(target, ModelDrafter(draft, Tree.chain(3)), verification)
        texts, steps = [], []
        for which in (decoder, Watch([rounds.append]).decoder(decoder)):
            session = which.open([0, 1], params=Verbatim(), limits=Limits(30), draws=SeededDraws(2))
            steps.append([step for batch in which.generate([session]) for _, step in batch])
            texts.append(session.emitted)
        assert texts[0] == texts[1]
        assert steps[0] == steps[1]
        assert len(rounds) == len(steps[0]) > 1
        assert sum(step.drafted for step in steps[0]) == sum(int(seen.draft.present.sum()) for seen in rounds) > 0
        assert all(np.array_equal(seen.logits[0][0], seen.target_probs[0, 0]) for seen in rounds)
        rounds.clear()
