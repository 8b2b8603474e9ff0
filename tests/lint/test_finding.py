"""What a finding says, and how its place is written."""

import pytest

from draftproof.lint.finding import NOWHERE, Finding, Level, Place


@pytest.mark.parametrize(("place", "text"), [(Place(3, 5), "line 3, column 5"), (Place(argument=2), "argument 2"), (NOWHERE, "the whole")])
def test_a_place_is_written_in_words(place: Place, text: str) -> None:
    assert str(place) == text


def test_a_place_is_in_a_file_or_among_arguments() -> None:
    with pytest.raises(AssertionError):
        Place(3, 5, argument=1)
    with pytest.raises(AssertionError):
        Place(3)


def test_a_message_is_both_sentences() -> None:
    assert Finding("rule", Level.NOTE, "It is so.", "Do that.").message == "It is so. Do that."
