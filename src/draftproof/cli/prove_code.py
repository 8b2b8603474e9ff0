"""`draftproof prove MODULE:FUNCTION`: the law of a function that knows nothing of this package."""

import inspect
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from draftproof.cli.progress import progress
from draftproof.cli.terminal import write_lines, write_result
from draftproof.errors import BadRequest, NotReproducible, Untracked

if TYPE_CHECKING:
    from draftproof.proof.decoders.diagnosis import Diagnosis
    from draftproof.proof.decoders.judge import Finding
    from draftproof.proof.foreign import Budget

INCONCLUSIVE = 3
"""`report.verdicts.Exit`, whose module is too slow to import for a line of help."""


def code(
    function: Annotated[str, typer.Argument(metavar="MODULE:FUNCTION", help="What to prove; the module may lie in the current directory.")],
    signature: Annotated[
        str | None, typer.Option(metavar="NAME", help="probs, logits, row, transformers, vllm, decode or program; see below.")
    ] = None,
    arrays: Annotated[str | None, typer.Option(metavar="KIND", help="torch32, torch64, numpy, floats or fractions.")] = None,
    family: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Fixtures to prove it on; may be repeated.")] = None,
    runs: Annotated[int, typer.Option(help="Most runs of the function on one fixture.")] = 100_000,
    seconds: Annotated[float, typer.Option(help="Most time for all fixtures, and for naming the fault.")] = float("inf"),
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document when all is done.")] = False,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a JUnit document, a case for each fixture.")] = None,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="Show no progress on stderr.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show only what did not pass, and the verdict.")] = False,
) -> None:
    """Prove a verifier or a decode loop of any project, unmodified.

    It is run under every outcome of its random numbers, from random, numpy or torch, and the law of what it emits is
    compared with the target's. A verifier runs inside a sound decode loop; a decode loop runs on two models that are
    tables. If it is wrong, the smallest counterexample is shown, and the known faults that have its law.

    \b
    Signatures; one is inferred if the parameters have these names:
      probs         (target_probs, draft_probs, draft_tokens) -> tokens to emit,
                    or (accepted, token); shapes (K+1, V), (K, V), (K,)
      logits        (target_logits, draft_logits, draft_tokens): the same
      row           (p, q, x) -> the token to emit at one position
      transformers  (candidate_input_ids, candidate_logits, candidate_length,
                    new_logits) -> (valid_tokens, n_matches)
      vllm          (target_probs, bonus_token_ids, draft_probs,
                    draft_token_ids) -> (B, K+1), -1 as padding
      decode        (target, draft, prompt, length[, ends]) -> emitted tokens;
                    target(tokens) and draft(tokens) give a row for each token
      program       () -> anything: its law is printed, and nothing is judged

    \b
    A verifier of your own, in the current directory:
      draftproof prove my_sampler:verify
    One of an installed library:
      draftproof prove transformers.generation.utils:_speculative_sampling
    In continuous integration:
      draftproof prove my_sampler:verify -q --junit proof.xml
    """
    from draftproof.proof.decoders.load import load
    from draftproof.proof.foreign import Budget

    if junit and not junit.parent.is_dir():
        raise BadRequest(f"cannot write {junit}: there is no folder {junit.parent}")
    budget = Budget(runs, seconds)
    budget.check()
    with redirect_stdout(sys.stderr):  # what a stranger's module prints is no part of the result
        loaded = load(function)
    show_progress = not (no_progress or quiet)
    try:
        if signature == "program" or (signature is None and not _parameters(loaded)):
            if arrays or family or junit:
                raise BadRequest("--arrays, --family and --junit are for what is judged; of a program only the law is printed")
            _program(function, loaded, budget, as_json=as_json, show_progress=show_progress)
        found = _judged(
            loaded,
            signature,
            arrays,
            family or [],
            budget,
            show_progress=show_progress,
            lines="none" if as_json else "not passed" if quiet else "all",
        )
    except (Untracked, NotReproducible) as error:
        raise BadRequest(f"{function} cannot be proven: {error}") from error
    _write(found, junit, as_json=as_json)


def _parameters(function: Callable[..., Any]) -> bool:
    try:
        return bool(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return True


def _judged(
    function: Callable[..., Any],
    signature: str | None,
    arrays: str | None,
    families: list[str],
    budget: "Budget",
    *,
    show_progress: bool,
    lines: str,
) -> "Diagnosis":
    """The diagnosis, with a line for each fixture as soon as it is known."""
    from draftproof.proof.campaign import Word
    from draftproof.proof.decoders.diagnosis import plan
    from draftproof.report.findings import finding_line

    planned, result = plan(function, signature=signature, arrays=arrays, families=families), sys.stdout
    with progress(len(planned.fixtures), wanted=show_progress) as shown, redirect_stdout(sys.stderr):
        done: list[Finding] = []

        def on_finding(finding: "Finding") -> None:
            done.append(finding)
            if lines == "all" or (lines == "not passed" and finding.word is not Word.PASS):
                with shown.paused(), redirect_stdout(result):
                    write_lines([finding_line(finding)])

        return planned.diagnose(
            budget=budget,
            progress=lambda fixture, far: shown.at(
                min(len(done) + 1, len(planned.fixtures)), f"{fixture.name}: {far.replays:,} runs, {float(far.explored):.1%}"
            ),
            on_finding=on_finding,
            on_naming=lambda left, fixture: shown.at(len(done), f"comparing with {left} known faults on {fixture}"),
        )


def _program(name: str, function: Callable[..., Any], budget: "Budget", *, as_json: bool, show_progress: bool) -> NoReturn:
    """The law of what a program returns, and no verdict."""
    from rich.text import Text

    from draftproof.proof.decoders.returned import called
    from draftproof.proof.foreign import explore_program
    from draftproof.report import finding_values, findings
    from draftproof.report.document import document

    with progress(1, wanted=show_progress) as shown, redirect_stdout(sys.stderr):
        law = explore_program(
            lambda: called(function),
            budget=budget,
            progress=lambda far: shown.at(1, f"{far.replays:,} runs, {float(far.explored):.1%}"),
        )
    if as_json:
        write_result(document("law", finding_values.law_content(name, law)))
    else:
        write_lines(map(Text, findings.law_lines(law)))
    raise typer.Exit(0 if law.complete else INCONCLUSIVE)


def _write(found: "Diagnosis", junit: Path | None, *, as_json: bool) -> None:
    from rich.text import Text

    from draftproof.report import finding_values, findings
    from draftproof.report.document import document
    from draftproof.report.junit import write
    from draftproof.report.verdicts import STYLES

    word = found.conclusion.word
    if junit:
        write(junit, f"draftproof prove {found.name}", finding_values.cases(found))
    if as_json:
        write_result(document("prove code", {**finding_values.content(found), "exit_code": int(findings.EXITS[word])}))
    else:
        headline, *details = findings.text(found).splitlines()
        write_lines([Text.assemble((word.value, STYLES[word]), f"  {headline}"), *map(Text, details)])
    raise typer.Exit(findings.EXITS[word])
