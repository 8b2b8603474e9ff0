"""Every fault shows on its own family; families that cannot show a fault say so."""

from dataclasses import replace
from fractions import Fraction

import pytest

from draftproof.proof.decoders.standard import family
from draftproof.proof.zoo.member import Member, faults
from draftproof.proof.zoo.power import Sight, distance, power, power_lines
from draftproof.proof.zoo.specimen import SOUND

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

MEMBERS = {member.name: member for member in faults()}

HIDDEN = {
    "target_keeps_rejected_token": "position",  # a first token needs no cache
    "rule_not_on_bonus": "position",
    "tokens_after_end": "loop",  # no token ends the text
    "penalty_counts_rejected": "loop",  # there is no penalty
    "one_stream_for_all_requests": "ends",  # there is one request
    "reports_raw_probability": "position",  # nothing is reported
    "state_stale_after_empty_draft": "ends",  # no round is without drafts
    "fallback_argmax": "ends",  # with two tokens the residual is one
}
"""A family from which a fault hides."""


@pytest.mark.parametrize("fixtures", ["ends", "filter", "grammar"])
def test_no_fault_hides_from_its_own_family(fixtures):
    """The tests of the faults ask the same of the other families."""
    sights = power([member for member in faults() if member.fixtures == fixtures], [fixtures])
    assert sights
    assert [sight.member.name for sight in sights if not sight.largest] == []


@pytest.mark.parametrize("name", HIDDEN)
def test_a_family_that_cannot_show_a_fault_says_so(name):
    short = [replace(fixture, length=min(fixture.length, 3)) for fixture in family(HIDDEN[name])[-3:]]
    assert {distance(MEMBERS[name], fixture) for fixture in short} == {0}


def test_a_decoder_that_cannot_run_has_no_distance():
    def refusing(fixture, text):
        raise ZeroDivisionError

    (sight,) = power([Member(SOUND._replace(propose=refusing), name="refusing")], ["siblings"])
    assert set(sight.distances.values()) == {None}
    assert sight.largest is sight.smallest is None


def test_the_smallest_is_of_the_fixtures_that_show_it():
    sight = Sight(MEMBERS["fallback_argmax"], "position", {"F1": Fraction(0), "F2": Fraction(1, 5), "F3": Fraction(1, 10), "F4": None})
    assert (sight.largest, sight.smallest) == (Fraction(1, 5), Fraction(1, 10))


def test_the_table_has_a_row_a_fault_and_a_column_a_family():
    member = MEMBERS["rows_shifted"]
    known = {"loop": Fraction(1, 8), "position": Fraction(0), "batch": None}
    lines = power_lines([Sight(member, name, {"a fixture": value}) for name, value in known.items()])
    assert [line.split() for line in lines] == [["fault", "loop", "position", "batch"], ["rows_shifted", "M8", "0.125", "0"]]


def test_fractions_agree_with_a_law_worked_out_by_hand():
    """The residual of F2 is (2/5)(3/5, 2/5, 0) instead of (2/5)(1/2, 3/10, 1/5): a tenth of the draws go elsewhere."""
    (sight,) = power([MEMBERS["fallback_from_target"]], ["position"])
    assert sight.distances["F2"] == Fraction(1, 10)
