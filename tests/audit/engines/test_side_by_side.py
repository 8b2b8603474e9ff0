"""Requests at once, and a failure that ends them all."""

from threading import Barrier, Event

import pytest

from draftproof.audit.engines.side_by_side import side_by_side


def test_all_are_answered_once() -> None:
    assert sorted(side_by_side(range(50), lambda ask, enough: ask * 2, workers=7)) == list(range(0, 100, 2))
    assert list(side_by_side([], lambda ask, enough: ask, workers=7)) == []


def test_as_many_are_under_way_as_there_are_workers() -> None:
    meeting = Barrier(3)
    assert len(list(side_by_side(range(6), lambda ask, enough: meeting.wait(30), workers=3))) == 6


def test_a_failure_is_raised_and_no_request_is_begun_after_it() -> None:
    begun: list[int] = []

    def answer(ask: int, enough: Event) -> int:
        begun.append(ask)
        if ask == 3:
            raise ValueError("three")
        return ask

    came: list[int] = []
    with pytest.raises(ValueError, match="three"):
        came.extend(side_by_side(range(1000), answer, workers=1))
    assert came == [0, 1, 2]
    assert begun == [0, 1, 2, 3]


def test_requests_under_way_are_told_and_not_waited_for() -> None:
    told, started = Event(), Event()

    def answer(ask: int, enough: Event) -> int:
        if ask == 0:
            started.set()
            enough.wait(30)
            told.set()
        else:
            started.wait(30)
        return ask

    answers = side_by_side(range(2), answer, workers=2)
    assert next(answers) == 1
    assert not told.is_set()
    answers.close()
    assert told.wait(30)
