"""`draftproof prove SUBJECT`: exact proofs. Every subject is a command of this group with options of its own; a subject with a
colon in its name is a function of somebody else's, for `prove code`."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from draftproof.cli.campaign import ending
from draftproof.cli.progress import progress
from draftproof.cli.prove_code import code
from draftproof.cli.prove_transformers import transformers
from draftproof.cli.terminal import write_lines, write_result
from draftproof.errors import BadRequest

if TYPE_CHECKING:
    from draftproof.catalogue import Entry
    from draftproof.proof.campaign import Check
    from draftproof.report.verdicts import Report


class Subjects(TyperGroup):
    """The subjects by name; `MODULE:FUNCTION` goes to `code`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and any(":" in argument for argument in args):
            args = ["code", *args]
        elif args and args[0] not in self.commands and not args[0].startswith("-"):
            raise BadRequest(
                f"there is no subject {args[0]!r}; choose of {', '.join(self.commands)}, or give a function as MODULE:FUNCTION, such as "
                f"{args[0]}:verify, from the current directory"
            )
        return super().parse_args(ctx, args)


prove = typer.Typer(
    cls=Subjects,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="""Prove that emitted text has the law it should have, as an equality of fractions.

    \b
    A verifier or a decode loop of any project, unmodified:
      draftproof prove MODULE:FUNCTION
      draftproof prove code --help
    The installed transformers, whole `generate` calls:
      draftproof prove transformers
    The rules of this package:
      draftproof prove rules --rule rejection
    """,
)

prove.command("code", short_help="Prove a function of any project: prove MODULE:FUNCTION.")(code)
prove.command(short_help="Prove the decode loops of the installed transformers.")(transformers)


@prove.command(short_help="Prove the rules of this package.")
def rules(
    rule: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A rule to prove; may be repeated. All of them by default.")
    ] = None,
    vocabulary: Annotated[int, typer.Option(help="Tokens of the toy models.")] = 3,
    width: Annotated[int, typer.Option(help="Drafted tokens on a chain, and children of a branching node.")] = 2,
    pairs: Annotated[int, typer.Option(help="Random pairs of target and draft for a single round.")] = 60,
    loop_pairs: Annotated[int, typer.Option(help="Random pairs of target and draft for the whole decode loop.")] = 2,
    length: Annotated[int, typer.Option(help="Longest text of the whole loop, tokens.")] = 4,
    seed: Annotated[int, typer.Option(help="Of the random pairs.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document when all is done.")] = False,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="Show no progress on stderr.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show only the checks that did not pass, and the verdict.")] = False,
) -> None:
    """Prove the rules of this package: each alone, and inside the whole decode loop.

    The real code is run under every outcome of its randomness on small random models, and the law of what it emits is
    added up in fractions. A rule passes if that law equals the one it follows; a lossy rule must equal the law it
    declares, and differ from the target's. Time grows steeply with vocabulary, width and length.

    \b
    Everything, in minutes:
      draftproof prove rules
    Two rules, in seconds:
      draftproof prove rules --rule rejection --rule block
    A longer chain:
      draftproof prove rules --rule block --width 3
    For a program:
      draftproof prove rules --json --no-progress > proof.json
    """
    from draftproof.catalogue import find
    from draftproof.proof.campaign import Settings
    from draftproof.report.document import document
    from draftproof.report.verdicts import Report, report_content

    settings = Settings(vocabulary=vocabulary, width=width, pairs=pairs, loop_pairs=loop_pairs, length=length, seed=seed)
    entries = find(dict.fromkeys(rule or []))
    report = Report([entry.name for entry in entries], settings)
    show_progress = not (no_progress or quiet)
    if as_json:
        faults = _campaign(entries, report, show_progress=show_progress)
        write_result(document("prove rules", report_content(report)))
    else:
        faults = _campaign_for_a_reader(entries, report, quiet=quiet, show_progress=show_progress)
    for fault in faults:
        raise RuntimeError(f"while proving {report.stopped_at}: {fault}") from fault
    raise typer.Exit(report.exit)


def _campaign(
    entries: Sequence["Entry"], report: "Report", *, show_progress: bool, on_check: Callable[["Check"], None] = lambda check: None
) -> list[Exception]:
    """Prove one rule after another and fill in the report. Returns the error of ours that ended it early, if one did."""
    from draftproof.proof import campaign

    with ending(report) as faults, progress(len(entries), wanted=show_progress) as shown:
        for number, entry in enumerate(entries, start=1):
            shown.at(number, f"proving {entry.name}")
            report.stopped_at = entry.name
            for check in campaign.prove(entry, report.settings):
                report.checks.append(check)
                with shown.paused():
                    on_check(check)
        report.stopped_at = None
    return faults


def _campaign_for_a_reader(entries: Sequence["Entry"], report: "Report", *, quiet: bool, show_progress: bool) -> list[Exception]:
    """The same, with a verdict on stdout as soon as each check is done."""
    from draftproof.proof.campaign import Word
    from draftproof.report import verdicts

    name_width = max(len(name) for name in report.rules)

    def show(check: "Check") -> None:
        if not (quiet and check.word is Word.PASS):
            write_lines(verdicts.verdict_lines(check, name_width=name_width))

    if not quiet:
        write_lines([verdicts.opening(report)])
    faults = _campaign(entries, report, show_progress=show_progress, on_check=show)
    write_lines(verdicts.closing(report))
    return faults
