"""Static reading of an engine's configuration: what it does to the law of the text, without running anything.

    given  ->  readers.ENGINE  ->  Settings  ->  rules.ENGINE  ->  Finding

Rules are tables and readers know no rules. Nothing here imports more of the package than its errors.
"""

from draftproof.lint.check import check
from draftproof.lint.engines import ENGINES, RULES, Engine, detect, find
from draftproof.lint.finding import Finding, Level, Place
from draftproof.lint.readers.given import Given
from draftproof.lint.rule import Rule
from draftproof.lint.settings import Setting, Settings

__all__ = ["ENGINES", "RULES", "Engine", "Finding", "Given", "Level", "Place", "Rule", "Setting", "Settings", "check", "detect", "find"]
