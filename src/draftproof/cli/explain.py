"""`draftproof explain`: one drafted token under standard rejection, as fractions and as a picture."""

from typing import Annotated

import typer

from draftproof.cli.terminal import result_console, write_result


def explain(
    target: Annotated[
        str, typer.Option(metavar="P,P,...", help="The target's law: one probability a token, such as 0.2,0.5,0.3 or 1/3,2/3.")
    ],
    draft: Annotated[str, typer.Option(metavar="Q,Q,...", help="The draft's law, over the same tokens.")],
    tokens: Annotated[str | None, typer.Option(metavar="NAME,NAME,...", help="Names of the tokens; by default 0,1,2,...")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document instead of the picture.")] = False,
) -> None:
    """Show what happens to one drafted token, exactly.

    A token x is drawn from the draft's law q and kept with probability min(1, p(x)/q(x)), where p is the target's law.
    After a refusal the token is drawn from the residual, the positive part of p - q divided by its sum. The two ways
    together emit exactly p. The wrong fallback shows what comes out of a common fault instead: drawing from all of p
    after a refusal.

    Numbers are read exactly: 0.1 means 1/10, and 1/3 is a third.

    \b
    Three tokens:
      draftproof explain --target 0.2,0.5,0.3 --draft 0.5,0.3,0.2
    Equal laws have no residual:
      draftproof explain --target 1/2,1/2 --draft 1/2,1/2
    With names, for a program:
      draftproof explain --target 1,0 --draft .5,.5 --tokens yes,no --json
    """
    from draftproof.cli.rows import read_names, read_row
    from draftproof.report import document, explanation

    found = explanation.explain(
        read_row(target, "--target"),
        read_row(draft, "--draft"),
        None if tokens is None else read_names(tokens),
    )
    if as_json:
        write_result(document.document("explain", document.explanation_content(found)))
        return
    from draftproof.report.picture import Picture

    result_console().print(Picture(found))
