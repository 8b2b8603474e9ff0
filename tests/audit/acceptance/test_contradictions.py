"""Counters that the output of an answer refutes, one by one."""

import pytest

from draftproof.audit.acceptance.contradictions import contradictions, counters_check
from draftproof.audit.engines.protocol import Answer
from draftproof.proof.campaign import Word

SOUND = (
    Answer(0, (1, 2, 3, 4, 5), drafted=5, accepted=3, rounds=((3, 2), (2, 1))),
    Answer(1, (1, 2, 3, 4), drafted=5, accepted=3, rounds=((3, 2), (2, 1))),  # the text ended with the token that was kept
    Answer(3, (1, 2), drafted=0, accepted=0, rounds=((0, 0), (0, 0))),
    Answer(4, (), drafted=0, accepted=0, rounds=()),
    Answer(5, (1,), drafted=9, accepted=7, rounds=((9, 7),), lost="the connection broke"),
    Answer(6, (1, 2, 3), drafted=4, accepted=2),
    Answer(7, (1, 2, 3)),
)
FALSE = (
    (Answer(0, (1, 2, 3), drafted=1, accepted=2), "counts 2 accepted of 1 drafted"),
    (Answer(0, (1, 2, 3), drafted=1, accepted=-1), "counts -1 accepted"),
    (Answer(0, (1, 2, 3), drafted=9, accepted=4), "counts 4 accepted tokens and has 3"),
    (Answer(0, (1, 2, 3, 4), rounds=((1, 2), (0, 0))), "counts 2 accepted of 1 drafted tokens in round 0"),
    (Answer(0, (1, 2, 3), drafted=3, accepted=1, rounds=((2, 1), (0, 0))), "counts 3 drafted tokens, and 2 in its rounds"),
    (Answer(0, (1, 2, 3), drafted=2, accepted=2, rounds=((2, 1), (0, 0))), "counts 2 accepted tokens, and 1 in its rounds"),
    (Answer(0, (1, 2, 3, 4), rounds=((2, 1), (0, 0))), "has 4 tokens and tells of 2 rounds, which emit 3 to 3"),
    (Answer(0, (1, 2), rounds=((2, 1), (0, 0))), "has 2 tokens and tells of 2 rounds, which emit 3 to 3"),
    (Answer(0, (1, 2, 3, 4), rounds=((3, 2), (3, 3))), "has 4 tokens and tells of 2 rounds, which emit 6 to 7"),
    (Answer(0, (1,), rounds=()), "has 1 tokens and tells of 0 rounds, which emit 0 to 0"),
)


@pytest.mark.parametrize("answer", SOUND, ids=lambda answer: answer.number)
def test_sound_accounts_contradict_nothing(answer: Answer) -> None:
    assert contradictions(answer) == []


@pytest.mark.parametrize(("answer", "sentence"), FALSE)
def test_a_false_account_is_told_in_a_sentence(answer: Answer, sentence: str) -> None:
    assert any(sentence in found for found in contradictions(answer))
    check = counters_check([*SOUND, answer])
    assert check.word is Word.FAIL
    assert sentence in " ".join((check.sentence, *check.details))


def test_sound_counters_pass_and_none_are_skipped() -> None:
    assert counters_check(SOUND).word is Word.PASS
    assert counters_check(SOUND[-1:]).word is Word.SKIPPED
