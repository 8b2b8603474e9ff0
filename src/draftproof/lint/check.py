"""All rules on one configuration."""

from draftproof.lint.engines import find
from draftproof.lint.finding import Finding, Level
from draftproof.lint.rules import general
from draftproof.lint.settings import Settings

_ORDER = {Level.ERROR: 0, Level.WARNING: 1, Level.NOTE: 2}


def check(settings: Settings) -> list[Finding]:
    """Every finding, the gravest first; within a level as they stand in the configuration."""
    rules = (*general.RULES, *find(settings.engine).rules)
    found = [finding for rule in rules for finding in rule.findings(settings)]
    return sorted(found, key=lambda finding: (_ORDER[finding.level], finding.place.line, finding.place.column, finding.place.argument))
