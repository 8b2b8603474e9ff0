"""docs/linting.md lists every rule as it is."""

from pathlib import Path

import pytest

from draftproof.lint import RULES, Rule

PAGE = (Path(__file__).parents[2] / "docs" / "linting.md").read_text()


def row(rule: Rule) -> str:
    """The rule as a row of the table."""
    versions = ", ".join([f"from {rule.since}"] * bool(rule.since) + [f"before {rule.until}"] * bool(rule.until)) or "all"
    return f"| `{rule.name}` | {rule.level} | {versions} | {rule.title} | {', '.join(rule.reports)} |"


def test_the_table_has_a_row_for_each_rule_in_their_order() -> None:
    _, _, table = PAGE.partition("| rule | level | versions | what it looks for | reports |\n|---|---|---|---|---|\n")
    assert table.partition("\n\n")[0].splitlines() == [row(rule) for rule in RULES]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_reports_are_named_by_project_and_number(rule: Rule) -> None:
    for report in rule.reports:
        project, number = report.split("#")
        assert project in ("vllm", "sglang", "llama.cpp", "transformers")
        assert number.isdigit()
