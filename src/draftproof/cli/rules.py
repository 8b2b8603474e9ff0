"""`draftproof rules`: the verification rules of this package, and what one must know to choose."""

from typing import Annotated

import typer

from draftproof.cli.terminal import write_lines, write_result


def rules(as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document instead of the table.")] = False) -> None:
    """List the verification rules: the law of each, what it needs, what it costs, where it is from.

    \b
    All rules:
      draftproof rules
    For a program:
      draftproof rules --json
    """
    from draftproof.catalogue import CATALOGUE
    from draftproof.report import rules as table
    from draftproof.report.document import document

    if as_json:
        write_result(document("rules", table.rules_content(CATALOGUE.values())))
        return
    write_lines([*table.rule_lines(CATALOGUE.values()), "", *table.LEGEND])
