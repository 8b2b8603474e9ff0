"""Several processes answer as one does."""

import os
from pathlib import Path

import pytest

from draftproof.audit.engines.hf import Transformers
from draftproof.audit.engines.hf_call import Call
from draftproof.audit.engines.hf_spread import SpreadTransformers
from draftproof.audit.engines.protocol import Ask, Audited
from draftproof.errors import BadRequest, Unavailable
from draftproof.models.tiny import Near, write_tiny_folder
from draftproof.sampling.params import SamplingParams

ASKS = [Ask(number, (257, 5, 9, number), SamplingParams(), 8, seed=number) for number in range(6)]


@pytest.fixture(scope="module")
def call(tmp_path_factory: pytest.TempPathFactory) -> Call:
    folder = tmp_path_factory.mktemp("spread")
    target = write_tiny_folder(folder / "target", layers=1, sharpness=3.0)
    draft = write_tiny_folder(folder / "draft", seed=1, layers=1, near=Near(0, 0.98), sharpness=3.0)
    return Call(str(target), draft=str(draft), width=3, draft_stop=0.0)


def test_two_processes_answer_as_one_does(call: Call) -> None:
    with SpreadTransformers(call, workers=2) as engine, Transformers(call) as alone:
        assert isinstance(engine, Audited)
        assert engine.facts == alone.facts
        answers = sorted(engine.answers(ASKS), key=lambda answer: answer.number)
        assert answers == sorted(alone.answers(ASKS), key=lambda answer: answer.number)
        assert sum(answer.drafted or 0 for answer in answers) > sum(answer.accepted or 0 for answer in answers) > 0
        unseeded = [Ask(number, (257, 5, 9), SamplingParams(temperature=2.0), 8) for number in range(6)]
        assert len({answer.tokens for answer in engine.answers(unseeded)}) == 6
        with pytest.raises(BadRequest, match="request 9 has 0 tokens of prompt"):
            list(engine.answers([Ask(9, (), SamplingParams(), 8)]))


def test_what_cannot_be_loaded_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="missing does not exist"), SpreadTransformers(Call(str(tmp_path / "missing")), workers=1):
        pass


def test_a_process_that_dies_is_told(call: Call) -> None:
    with SpreadTransformers(call, workers=1) as engine:
        assert engine._pool is not None
        engine._pool.submit(os._exit, 9)
        with pytest.raises(Unavailable, match="a process in which transformers ran died; its answers so far stand"):
            list(engine.answers(ASKS))
