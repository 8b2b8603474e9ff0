"""`draftproof zoo`: known faults of decoders, controls that look like faults, and the prover on trial over them."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from draftproof.cli.progress import progress
from draftproof.cli.terminal import write_lines, write_result
from draftproof.errors import BadRequest

if TYPE_CHECKING:
    from draftproof.proof.zoo.member import Member
    from draftproof.proof.zoo.trial import Trial

FEW = 8
"""Members that one process tries sooner than a second one would have started."""


def zoo(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Members to show, or to run the prover on.")] = None,
    run: Annotated[bool, typer.Option("--run", help="Run the prover: each fault must be found and named, each control acquitted.")] = False,
    processes: Annotated[int | None, typer.Option(help="With --run: processes to use; by default at most 2.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document.")] = False,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="With --run: also write a JUnit document.")] = None,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="Show no progress on stderr.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="With --run: show only what went wrong, and the verdict.")] = False,
) -> None:
    """List known faults of speculative decoders, show one, or put the prover on trial over all of them.

    Each fault is a sound decoder with one part replaced, a short file that stands for public reports. A control is exact
    although it looks wrong. With --run the exit code is 0 only if every fault is found and named and every control
    acquitted.

    \b
    All members, by mechanism:
      draftproof zoo
    One of them: its file, and its law beside the right one:
      draftproof zoo fallback_from_target
    The prover on all of them, or on some:
      draftproof zoo --run
      draftproof zoo --run fallback_from_target block_verification
    """
    from draftproof.proof.zoo.trial import members

    if not run and (junit or quiet or processes):
        raise BadRequest("--junit, --quiet and --processes belong to --run")
    if processes is not None and processes < 1:
        raise BadRequest(f"{processes} processes cannot run anything; give at least 1")
    if junit and not junit.parent.is_dir():
        raise BadRequest(f"cannot write {junit}: there is no folder {junit.parent}")
    wanted = members(names or [])
    if run:
        workers = min(2, os.cpu_count() or 1) if processes is None and len(wanted) > FEW else processes or 1
        _run(wanted, workers, junit, as_json=as_json, quiet=quiet, show_progress=not (no_progress or quiet))
    elif names:
        _show(wanted, as_json=as_json)
    else:
        _list(wanted, as_json=as_json)


def _list(members: Sequence["Member"], *, as_json: bool) -> None:
    from draftproof.report.document import document
    from draftproof.report.zoo import list_lines, member_content

    if as_json:
        write_result(document("zoo", {"members": [member_content(member) for member in members]}))
    else:
        write_lines(list_lines(members))


def _show(members: Sequence["Member"], *, as_json: bool) -> None:
    from draftproof.proof.campaign import Word
    from draftproof.proof.decoders.counterexample import smallest
    from draftproof.proof.decoders.judge import judge
    from draftproof.proof.decoders.standard import family
    from draftproof.proof.zoo.subject import subject
    from draftproof.report import finding_values as values
    from draftproof.report.document import document
    from draftproof.report.zoo import member_content, member_lines

    documents = []
    for member in members:
        decoder = subject(member.name, member.decoder)
        findings = list(judge(decoder, family(member.fixtures)))
        example = smallest(decoder, findings) if any(finding.word is Word.FAIL for finding in findings) else None
        if as_json:
            documents.append({**member_content(member), "findings": [values.finding_content(finding) for finding in findings],
                              "counterexample": example and values.counterexample_content(example)})  # fmt: skip
        else:
            write_lines(member_lines(member, _source(member), findings, example))
    if as_json:
        write_result(document("zoo", {"members": documents}))


def _run(wanted: Sequence["Member"], workers: int, junit: Path | None, *, as_json: bool, quiet: bool, show_progress: bool) -> None:
    from draftproof.proof.zoo.trial import try_all
    from draftproof.report import zoo as report
    from draftproof.report.document import document
    from draftproof.report.junit import write

    started = time.perf_counter()
    trials: list[Trial] = []
    with progress(len(wanted), wanted=show_progress) as shown:
        shown.at(1, "on trial")
        for trial in try_all(wanted, workers=workers):
            trials.append(trial)
            shown.at(len(trials), f"on trial: {trial.name} is done")
            if not (as_json or (quiet and trial.right)):
                with shown.paused():
                    write_lines([report.trial_line(trial)])
    seconds = time.perf_counter() - started
    if junit:
        write(junit, "draftproof zoo", report.cases(trials))
    if as_json:
        write_result(document("zoo run", report.trials_content(trials, seconds)))
    else:
        write_lines([report.summary(trials, seconds)])
    raise typer.Exit(0 if all(trial.right for trial in trials) else 1)


def _source(member: "Member") -> str:
    """The file of a member."""
    from importlib.util import find_spec

    folder = "faults" if member.mechanism else "controls"
    spec = find_spec(f"draftproof.proof.zoo.{folder}.{member.name}")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).read_text(encoding="utf-8")
