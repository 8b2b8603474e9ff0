"""Every planted fault of a whole loop is found on its family and named there; and what hides it is known."""

from dataclasses import replace
from functools import cache

import pytest

from draftproof.proof.campaign import Word
from draftproof.proof.decoders.fixture import Table, expected_law
from draftproof.proof.decoders.judge import judge
from draftproof.proof.decoders.standard import family
from draftproof.proof.zoo.member import faults
from draftproof.proof.zoo.naming import suspects
from draftproof.proof.zoo.power import distance
from draftproof.proof.zoo.subject import subject

pytestmark = pytest.mark.usefixtures("unchecked_shapes")

MEMBERS = {member.name: member for member in faults()}
FAULTS = {name: member for name, member in MEMBERS.items() if member.fixtures not in ("position", "siblings")}
each_fault = pytest.mark.parametrize("name", FAULTS)


def of_families(*families):
    return pytest.mark.parametrize("name", [name for name, member in FAULTS.items() if member.fixtures in families])


RULES = ("filter", "temperature", "penalty", "grammar")
"""Families with a sampling rule."""

FIRST_TOKEN, WITHOUT_CONTEXT = "first token", "without context"

SHOWN_ALSO_BY = {
    "target_keeps_rejected_token": set(),
    "target_keeps_all_drafts": set(),
    "target_drops_last_accepted": set(),
    "bonus_from_row_before": set(),
    "bonus_from_draft_model": {WITHOUT_CONTEXT},
    "recovered_from_next_row": {FIRST_TOKEN, WITHOUT_CONTEXT},
    "residual_of_other_position": set(),
    "rows_shifted": {FIRST_TOKEN},
    "first_draft_unverified": {FIRST_TOKEN, WITHOUT_CONTEXT},
    "one_coin_for_all_positions": {WITHOUT_CONTEXT},
    "rejected_slot_refilled": set(),
    "residual_and_bonus_emitted": set(),
}
"""Besides by whole texts on tables that depend on their context: by the law of the first token alone, by tables that do not."""

PENALTIES = ("rule_frozen_at_round_start", "penalty_counts_rejected", "penalty_counts_one_token_a_round")


def loop_fixture():
    return replace(family("loop")[0], length=3)


def without_context(fixture):
    return replace(fixture, target=Table.constant(fixture.target.rows[0][0]), draft=Table.constant(fixture.draft.rows[0][0]))


@cache
def finding(name):
    """On the last fixture of the family, which sees all of its faults."""
    member = FAULTS[name]
    (only,) = judge(subject(name, member.decoder), family(member.fixtures)[-1:])
    return only


@each_fault
def test_it_is_found(name):
    assert finding(name).word is Word.FAIL
    assert sum(finding(name).observed.law.values()) == 1


@each_fault
def test_no_other_fault_of_its_family_has_its_law(name):
    beside = [other for other, member in FAULTS.items() if member.fixtures == FAULTS[name].fixtures]
    assert [other for other in beside if finding(other).observed.law == finding(name).observed.law] == [name]


@of_families("loop")
def test_it_is_among_the_suspects(name):
    """Of two tokens already, which leave some others as well."""
    member = FAULTS[name]
    short = judge(subject(name, member.decoder), [replace(family(member.fixtures)[-1], length=2)])
    assert {suspect.member.name: suspect.distance for suspect in suspects(list(short))}[name] == 0


@pytest.mark.parametrize("name", ["target_keeps_rejected_token", "rows_shifted", "rejected_slot_refilled", "same_numbers_every_round"])
def test_two_tokens_are_enough_to_name_it(name):
    (short,) = judge(subject(name, FAULTS[name].decoder), [replace(family("loop")[-1], length=2)])
    assert [suspect.member.name for suspect in suspects([short])] == [name]


@pytest.mark.parametrize("name", SHOWN_ALSO_BY)
def test_what_hides_it_is_what_was_worked_out_elsewhere(name):
    """Which distances are 0 is known for other tables; their values, 0.06 to 0.39, are of tables that were not published."""
    member, fixture = MEMBERS[name], loop_fixture()
    assert bool(distance(member, replace(fixture, length=1))) == (FIRST_TOKEN in SHOWN_ALSO_BY[name])
    assert bool(distance(member, without_context(fixture))) == (WITHOUT_CONTEXT in SHOWN_ALSO_BY[name])


@pytest.mark.parametrize("name", PENALTIES)
def test_the_first_token_hides_a_wrong_count(name):
    fixture = family("penalty")[0]
    assert distance(MEMBERS[name], fixture)
    assert distance(MEMBERS[name], replace(fixture, length=1)) == 0


@of_families(*RULES)
def test_a_rule_that_is_not_there_cannot_be_missed(name):
    assert distance(FAULTS[name], replace(loop_fixture(), length=2)) == 0


def test_requests_on_one_stream_are_right_one_by_one():
    fixture, law = finding("one_stream_for_all_requests").fixture, finding("one_stream_for_all_requests").observed.law
    for place, prompt in enumerate(fixture.prompts):
        texts = {}
        for pair, probability in law.items():
            texts[pair[place]] = texts.get(pair[place], 0) + probability
        assert texts == expected_law(replace(fixture, prompt=prompt, beside=()))
