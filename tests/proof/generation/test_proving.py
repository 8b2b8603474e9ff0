"""The verdict on one call of `generate`: each word can come out, and a deviation comes with the call that shows it."""

from dataclasses import replace

import pytest

from draftproof.errors import Untracked
from draftproof.proof.campaign import Word
from draftproof.proof.foreign import Budget, explore_merged, explore_program
from draftproof.proof.generation import montecarlo, proving
from draftproof.proof.generation.calls import Calls
from draftproof.proof.generation.configuration import Configuration
from draftproof.proof.generation.matrix import ONE, find
from draftproof.proof.generation.proving import prove
from draftproof.proof.generation.reproduction import reproduction

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

GUIDANCE = Configuration("guidance", given={"guidance_scale": 3.0}, assistant=ONE, length=2)


def test_assisted_generation_is_exact_up_to_rounding() -> None:
    result = prove(find(("assistant, end 1",))[0])
    assert (result.word, result.documented.word) == (Word.PASS, Word.PASS)
    assert 0 < result.verdict.distance < result.verdict.explained < 1e-4
    none_kept, _, all_kept, rounds = result.engagement
    assert none_kept > 0
    assert all_kept > 0
    assert rounds > 1
    assert result.paths == 43


def test_guidance_with_a_draft_is_not_and_counting_confirms_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(montecarlo, "FEWEST", 300)
    result = prove(GUIDANCE, confirmed=True)
    assert (result.word, result.documented.word) == (Word.FAIL, Word.PASS)
    assert result.verdict.distance > 1000 * result.verdict.explained
    assert " samples: p = " in result.confirmed
    assert not result.contradicted
    assert "guidance_scale=3.0" in result.reproduction


def test_the_script_of_a_reproduction_counts_the_two_probabilities(capsys: pytest.CaptureFixture[str]) -> None:
    found = proving.laws(Calls.of(GUIDANCE), Budget())
    text = reproduction(GUIDANCE, found.assisted.law, found.plain.law)
    script = text[text.index("from collections") :].replace("5000", "200")
    exec(compile(script, "script", "exec"), {})
    counted = [float(line.split()[1]) for line in capsys.readouterr().out.splitlines()]
    worst = proving.judged(found.assisted, found.plain)
    for share, law in zip(counted, (worst.observed, worst.expected), strict=True):
        assert abs(share - law) < 5 * (law * (1 - law) / 200) ** 0.5


def test_what_the_library_refuses_and_what_drafts_nothing_is_skipped() -> None:
    refused = prove(Configuration("mamba", models="mamba", assistant=ONE))
    assert refused.word is Word.SKIPPED
    assert "the library refuses" in refused.reason
    empty = prove(Configuration("one token", assistant=ONE, length=1))
    assert empty.word is Word.SKIPPED
    assert "nothing was tested" in empty.reason


def test_a_call_that_raises_is_an_error() -> None:
    result = prove(find(("two tokenizers, fewer",))[0])
    assert result.word is Word.ERROR
    assert "AttributeError" in result.reason


def test_a_fault_of_ours_is_no_verdict_on_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "explore_merged", None)
    with pytest.raises(TypeError, match="not callable"):
        prove(Configuration("any", assistant=ONE, length=2))


def test_what_cannot_be_explored_is_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    def untracked(calls: Calls, budget: Budget) -> None:
        raise Untracked("aten.normal has no exact rule")

    monkeypatch.setattr(proving, "laws", untracked)
    result = prove(Configuration("any", assistant=ONE, length=2))
    assert result.word is Word.INCONCLUSIVE
    assert "aten.normal" in result.reason


def test_a_plain_sampler_that_leaves_its_documented_law_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    documented = proving.documented_law
    monkeypatch.setattr(
        proving, "documented_law", lambda configuration, target: documented(replace(configuration, given={"temperature": 0.7}), target)
    )
    result = prove(Configuration("temperature", given={"temperature": 0.8}, assistant=ONE, length=2))
    assert (result.word, result.verdict.word, result.documented.word) == (Word.FAIL, Word.PASS, Word.FAIL)


def test_merging_at_round_boundaries_leaves_the_law_as_it_is() -> None:
    calls = Calls.of(Configuration("merged", draft="lookup", prompt=(0, 1, 0), given={"top_k": 2}))
    merged, whole = explore_merged(calls.assisted), explore_program(calls.assisted)
    assert merged.law == whole.law
    assert merged.progress.replays < merged.progress.paths == whole.progress.paths
