"""JSON documents: what a program reads.

Every document says which kind it is, the version of its layout and the draftproof that wrote it. A field is never given
another meaning within one version.
"""

import json
from collections.abc import Mapping
from typing import Any

from draftproof import __version__
from draftproof.report.explanation import Explanation
from draftproof.report.numbers import floats, fractions, number

SCHEMA_VERSION = 1


def document(kind: str, content: Mapping[str, Any]) -> str:
    """The text of one document, ending with a line break."""
    head = {"kind": kind, "schema_version": SCHEMA_VERSION, "draftproof": __version__}
    return json.dumps({**head, **content}, indent=2) + "\n"


LAWS = ("target", "draft", "kept", "refused", "deficit", "residual", "output")
"""The columns of an explanation, in the order in which they follow from each other."""


def explanation_content(of: Explanation) -> dict[str, Any]:
    """An explanation as JSON values: each column as exact fractions, and again under `floats`."""
    return {
        "rule": "rejection",
        "evidence": "law",
        "tokens": list(of.tokens),
        **{name: fractions(getattr(of, name)) for name in LAWS},
        "overlap": number(of.overlap),
        "wrong_fallback": {
            "draws_from": "the whole target",
            "output": fractions(of.wrong_output),
            "total_variation": number(of.wrong_distance),
        },
        "cases": [{"name": case.name, "sentence": case.sentence} for case in of.cases],
        "floats": {**{name: floats(getattr(of, name)) for name in LAWS}, "wrong_output": floats(of.wrong_output)},
    }
