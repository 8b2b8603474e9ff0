"""`draftproof`: the verbs, and the one place where an error becomes a sentence and an exit code."""

import shlex
import sys
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from draftproof.cli.audit import audit
from draftproof.cli.bench import bench
from draftproof.cli.explain import explain
from draftproof.cli.generate import demo, generate
from draftproof.cli.lint import LintCommand, lint
from draftproof.cli.prove import prove
from draftproof.cli.rules import rules
from draftproof.cli.terminal import NO_ROOM, check_open, end_with_the_reader, notice, use_any_encoding, write_result
from draftproof.cli.zoo import zoo
from draftproof.errors import BadDraft, BadLaw, BadRequest, Unavailable, Unsupported

USAGE, UNREACHABLE, CRASH, INTERRUPTED = 2, 4, 70, 130
"""`report.verdicts.Exit`, whose module is too slow to import for a line of help."""

BAD_INPUT = (BadLaw, BadDraft, BadRequest, Unsupported)


@dataclass
class Wishes:
    """What was asked for before the verb."""

    traceback: bool = False


def build(wishes: Wishes) -> typer.Typer:
    """The whole command line. What stands before the verb is noted in `wishes`."""
    app = typer.Typer(
        name="draftproof",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        epilog="Exit codes: 0 all pass, 1 a check failed, 2 usage, 3 inconclusive, 4 target unreachable, 5 nothing was tested, "
        "70 our own crash, 130 interrupted.",
    )
    app.command(short_help="Decode text from a language model with a draft.")(generate)
    app.command(short_help="Decode a real model, and show the evidence.")(demo)
    app.command(short_help="Take one verdict, or one sampled row, apart.")(explain)
    app.command(short_help="List the verification rules of this package.")(rules)
    app.add_typer(prove, name="prove", short_help="Prove that emitted text has the right law.")
    app.command(short_help="Known faults of decoders, and the prover on trial over them.")(zoo)
    app.command(short_help="Audit a running engine, or a log, with a stated error rate.")(audit)
    app.command(short_help="Measure speed, with drafts and without.")(bench)
    app.command(short_help="Read an engine's configuration for what breaks exactness.", cls=LintCommand)(lint)

    @app.callback()
    def draftproof(
        version: Annotated[
            bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)
        ] = False,
        with_traceback: Annotated[bool, typer.Option("--traceback", help="Show where a crash of draftproof itself happened.")] = False,
    ) -> None:
        """Speculative decoding you can prove.

        A draft proposes tokens, the target verifies them, and the text that comes out must follow the target's law. These
        commands decode real models that way, show how it works, and prove it, as an equality of fractions.

        \b
        Decode, with evidence:
          draftproof demo
          draftproof generate "Why is the sky blue?"
        See one verdict taken apart:
          draftproof explain --target 0.2,0.5,0.3 --draft 0.5,0.3,0.2
        See which rules there are:
          draftproof rules
        Prove one of them, or a verifier of your own:
          draftproof prove rules --rule rejection
          draftproof prove my_package.sampling:verify
        See how decoders go wrong:
          draftproof zoo
        Measure whether it is faster, or ask whether it would be:
          draftproof bench --workload code_edit --first 4
          draftproof bench --plan --workload code_edit
        """
        wishes.traceback = with_traceback

    return app


def _show_version(wanted: bool) -> bool:
    if wanted:
        from draftproof import __version__

        write_result(f"draftproof {__version__}\n")
        raise typer.Exit
    return wanted


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. No error leaves it; each is one sentence on stderr."""
    if arguments is None:
        end_with_the_reader()
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    wishes = Wishes()
    use_any_encoding()
    try:
        check_open()
        build(wishes)(args=arguments, prog_name="draftproof")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except KeyboardInterrupt:
        notice("Interrupted.")
        return INTERRUPTED
    except BAD_INPUT as error:
        notice(f"draftproof: {error}")
        return USAGE
    except Unavailable as error:
        notice(f"draftproof: {error}")
        return UNREACHABLE
    except Exception as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            notice(f"draftproof: the result could not be written: {error.strerror}")
            return USAGE
        return _crash(error, arguments, with_traceback=wishes.traceback)
    return 0


def _crash(error: Exception, arguments: Sequence[str], *, with_traceback: bool) -> int:
    if with_traceback:
        traceback.print_exception(error)
    again = shlex.join(["draftproof", *(() if with_traceback else ("--traceback",)), *arguments])
    notice(
        f"draftproof: this is a fault of draftproof itself, not of your input ({type(error).__name__}: {error}); "
        f"please report it with the output of: {again}"
    )
    return CRASH
