"""One rule on one configuration."""

import pytest

from draftproof.lint.conditions import given
from draftproof.lint.finding import NOWHERE, Finding, Level, Place
from draftproof.lint.rule import Hit, Rule, shown
from draftproof.lint.settings import Setting, Settings, Table

AT = Place(2, 3)


def settings(version: str = "1.5", **values: object) -> Settings:
    """Options with these values, all at one place."""
    return Settings("engine", version, "2.0", {name: Setting(f"--{name}", value, AT) for name, value in values.items()}, Table({}, ()))


RULE = Rule("r", Level.WARNING, "t", given("a"), "{option} is {value} in {engine} {version}.", "Stop.", "1.2", "1.8", ("p#1",))


def test_a_finding_names_option_value_and_version() -> None:
    assert RULE.findings(settings(a=True)) == [
        Finding("r", Level.WARNING, "--a is true in engine 1.5.", "Stop.", AT, ("p#1",)),
    ]
    assert RULE.findings(settings(b=1)) == []


@pytest.mark.parametrize(("version", "applies"), [("1.1", False), ("1.2", True), ("1.7.9", True), ("1.8", False), ("", False)])
def test_a_rule_is_for_versions_from_one_to_another(version: str, applies: bool) -> None:
    assert RULE.applies_to(settings(version)) is applies


def test_a_hit_may_bring_its_place_and_words() -> None:
    rule = Rule("r", Level.NOTE, "t", lambda settings: [Hit(place=Place(9, 9), words={"more": "x"}), Hit()], "{option}{engine}.", "Do.")
    assert [finding.place for finding in rule.findings(settings())] == [Place(9, 9), NOWHERE]


def test_a_value_in_a_message_is_short_and_may_hold_braces() -> None:
    assert shown("x" * 100) == "x" * 57 + "..."
    assert (shown(None), shown(True), shown(1.5), shown([1])) == ("null", "true", "1.5", "[1]")
    assert RULE.findings(settings(a="{b}"))[0].what == "--a is {b} in engine 1.5."
