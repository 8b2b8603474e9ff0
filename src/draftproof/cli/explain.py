"""`draftproof explain`: one drafted token under standard rejection, or one row under sampling rules."""

from typing import Annotated

import typer

from draftproof.cli.terminal import result_console, write_result
from draftproof.errors import BadRequest


def explain(
    target: Annotated[
        str | None, typer.Option(metavar="P,P,...", help="The target's law: one probability a token, such as 0.2,0.5,0.3 or 1/3,2/3.")
    ] = None,
    draft: Annotated[str | None, typer.Option(metavar="Q,Q,...", help="The draft's law, over the same tokens.")] = None,
    tokens: Annotated[str | None, typer.Option(metavar="NAME,NAME,...", help="Names of the tokens; by default 0,1,2,...")] = None,
    params: Annotated[
        str | None, typer.Option(metavar="NAME=VALUE", help="Sampling parameters, separated by spaces, or a JSON object.")
    ] = None,
    logits: Annotated[str | None, typer.Option(metavar="Z,Z,...", help="With --params: the model's row, one logit a token.")] = None,
    prompt: Annotated[str | None, typer.Option(metavar="ID,ID,...", help="With --params: the tokens of the prompt.")] = None,
    emitted: Annotated[str | None, typer.Option(metavar="ID,ID,...", help="With --params: the tokens emitted so far.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document instead of the picture.")] = False,
) -> None:
    """Show what happens to one drafted token, exactly, or what sampling rules do to one row.

    With --target and --draft: a token x is drawn from the draft's law q and kept with probability min(1, p(x)/q(x)),
    where p is the target's law. After a refusal the token is drawn from the residual, the positive part of p - q divided
    by its sum. The two ways together emit exactly p. The wrong fallback shows what comes out of a common fault instead:
    drawing from all of p after a refusal. Numbers are read exactly: 0.1 means 1/10, and 1/3 is a third.

    With --params and --logits: the chain of sampling rules in the order of a dialect (transformers, vllm, llamacpp,
    openai), and after each step the mass it removed, the tokens left and the entropy.

    \b
    Three tokens:
      draftproof explain --target 0.2,0.5,0.3 --draft 0.5,0.3,0.2
    Equal laws have no residual:
      draftproof explain --target 1/2,1/2 --draft 1/2,1/2
    With names, for a program:
      draftproof explain --target 1,0 --draft .5,.5 --tokens yes,no --json
    The same numbers, two engines:
      draftproof explain --params "top_p=.8 temperature=2" --logits 3,2,1,0
      draftproof explain --logits 3,2,1,0 \\
        --params "top_p=.8 temperature=2 dialect=llamacpp"
    """
    if params is not None or logits is not None:
        if target or draft or tokens:
            raise BadRequest("sampling rules (--params, --logits) and a verdict (--target, --draft, --tokens) are explained one at a time")
        if params is None or logits is None:
            raise BadRequest(f"{'--params' if params is None else '--logits'} is missing; sampling rules are explained on a row of logits")
        _explain_params(params, logits, prompt, emitted, as_json=as_json)
        return
    if target is None or draft is None:
        missing = "--draft" if target else "--target" if draft else "--target and --draft"
        raise BadRequest(f"{missing} missing; give both to explain a verdict, or --params and --logits to explain sampling rules")
    if prompt or emitted:
        raise BadRequest("--prompt and --emitted belong to --params and --logits; a verdict has no text before it")
    _explain_verdict(target, draft, tokens, as_json=as_json)


def _explain_verdict(target: str, draft: str, tokens: str | None, *, as_json: bool) -> None:
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


def _explain_params(params: str, logits: str, prompt: str | None, emitted: str | None, *, as_json: bool) -> None:
    import numpy as np

    from draftproof.cli.params import read_ids, read_numbers, read_params
    from draftproof.report import chain as report
    from draftproof.report.document import document
    from draftproof.sampling import SamplingParams
    from draftproof.sampling import explain as effects_of

    rules, row = SamplingParams.parse(read_params(params)), np.array(read_numbers(logits, "--logits"))
    prefix = rules.start(_known(read_ids(prompt, "--prompt"), len(row), "--prompt"))
    for token in _known(read_ids(emitted, "--emitted"), len(row), "--emitted"):
        # What a rule remembers may depend on the law a token was drawn from; here every step is taken to have had this row.
        prefix = rules.fold(prefix, token, rules.law(row, prefix))
    effects = effects_of(rules.chain, row, prefix)
    if as_json:
        write_result(document("explain_params", report.effects_content(effects, dialect=rules.dialect, chain=str(rules.chain))))
        return
    console = result_console()
    console.print(f"dialect {rules.dialect}: {rules.chain}", soft_wrap=True)
    console.print()
    console.print(report.effect_table(effects))
    console.print()
    console.print(report.final_table(effects))


def _known(ids: list[int], vocab: int, place: str) -> list[int]:
    for token in ids:
        if token >= vocab:
            raise BadRequest(f"{place} holds token {token}, but --logits has {vocab} tokens, 0 to {vocab - 1}")
    return ids
