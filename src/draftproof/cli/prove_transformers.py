"""`draftproof prove transformers`: is `generate` with a draft the same law as `generate` without one?"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from draftproof.cli.campaign import ending
from draftproof.cli.progress import progress
from draftproof.cli.terminal import write_lines, write_result

if TYPE_CHECKING:
    from draftproof.proof.generation import Configuration, Result
    from draftproof.report.matrix import MatrixReport

HOW_TO_INSTALL = "in a checkout, run pip install torch==2.13.0 and then pip install -e '.[hf]'; make test does both"


def transformers(
    quick: Annotated[bool, typer.Option("--quick", help="A few configurations of every kind. The default.")] = False,
    full: Annotated[bool, typer.Option("--full", help="All of them.")] = False,
    only: Annotated[list[str] | None, typer.Option(metavar="NAME", help="This configuration alone; may be repeated. See --list.")] = None,
    list_names: Annotated[bool, typer.Option("--list", help="Show the names of all configurations and stop.")] = False,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Check every FAIL, and some of PASS, by counting calls with real randomness.")
    ] = False,
    resume: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Keep every result here as soon as it is known, and do not prove it again.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document when all is done.")] = False,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a JUnit document.")] = None,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="Show no progress on stderr.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show only what did not pass, and the verdict.")] = False,
) -> None:
    """Prove `generate` of the installed transformers: with a draft it must emit what it emits without one.

    Tiny models are built on the spot, and the whole of `generate`, unchanged, is run under every outcome of its
    randomness: once with a draft and once without. Both laws are exact but for the float32 in which the library computes,
    so a difference is either explained by rounding or is a deviation, shown with the output that differs most and the
    smallest call that shows it. The plain law itself is held against the documented meaning of each parameter.

    SKIPPED is what the library refuses, and what kept or refused no draft. ERROR is a call that the library accepts and
    that raises.

    \b
    A first look, in minutes:
      draftproof prove transformers
    Everything, and again from where it stopped:
      draftproof prove transformers --full --resume proved.jsonl
    One configuration, checked by counting as well:
      draftproof prove transformers --only "assistant, guidance" --confirm
    For a program, and for continuous integration:
      draftproof prove transformers --json --junit proved.xml > proved.json
    """
    from draftproof.errors import BadRequest
    from draftproof.proof.generation import matrix
    from draftproof.report.document import document
    from draftproof.report.matrix import MatrixReport, matrix_content

    if quick + full + bool(only) > 1:
        raise BadRequest("--quick, --full and --only each say what is proved; give one of them")
    if list_names:
        write_result("".join(f"{configuration.name}\n" for configuration in matrix.full()))
        return
    chosen = matrix.find(tuple(dict.fromkeys(only))) if only else matrix.full() if full else matrix.quick()
    _check_installed()
    report = MatrixReport(len(chosen))
    show_progress = not (no_progress or quiet)
    name_width = max(len(configuration.name) for configuration in chosen)
    show = (lambda result: None) if as_json else _shown(name_width, quiet=quiet)
    faults = _run(chosen, report, show, workers=workers, confirm=confirm, resume=resume, show_progress=show_progress)
    if as_json:
        write_result(document("prove transformers", matrix_content(report)))
    else:
        from draftproof.report.matrix import closing

        write_lines(closing(report))
    if junit:
        _write_junit(junit, report)
    for fault in faults:
        raise RuntimeError(f"while proving: {fault}") from fault
    raise typer.Exit(report.exit)


def _check_installed() -> None:
    """Return if there is something to prove.

    Raises:
        Unsupported: torch or transformers is not installed.
    """
    from importlib.util import find_spec

    from draftproof.errors import Unsupported

    for package in ("torch", "transformers"):
        if find_spec(package) is None:
            raise Unsupported(f"{package} is not installed, so there is nothing to prove; {HOW_TO_INSTALL}")


def _run(
    chosen: Sequence["Configuration"],
    report: "MatrixReport",
    show: Callable[["Result"], None],
    *,
    workers: int,
    confirm: bool,
    resume: Path | None,
    show_progress: bool,
) -> list[Exception]:
    """Fill in the report. Returns the error of ours that ended it early, if one did."""
    from draftproof.proof.generation import campaign

    with ending(report) as faults, progress(len(chosen), wanted=show_progress) as shown:
        shown.at(0, "proving generate")
        for number, result in enumerate(campaign(chosen, workers=workers, confirmed=confirm, kept_in=resume), start=1):
            report.results.append(result)
            shown.at(number, "proving generate")
            with shown.paused():
                show(result)
    return faults


def _shown(name_width: int, *, quiet: bool) -> Callable[["Result"], None]:
    from draftproof.proof.campaign import Word
    from draftproof.report.matrix import result_lines

    def show(result: "Result") -> None:
        if not (quiet and result.word is Word.PASS):
            write_lines(result_lines(result, name_width=name_width))

    return show


def _write_junit(path: Path, report: "MatrixReport") -> None:
    from draftproof.report.junit import junit
    from draftproof.report.matrix import cases

    path.write_text(junit("draftproof prove transformers", cases(report)), encoding="utf-8")
