"""`draftproof lint`: what a configuration does to the law of the text, without running the engine."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from draftproof.cli.terminal import write_lines, write_result
from draftproof.errors import BadRequest

if TYPE_CHECKING:
    from draftproof.lint import Finding


class LintCommand(TyperCommand):
    """A command whose words after `--` belong to another program, whatever they look like. They arrive as the option --argv."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        own = args.index("--") if "--" in args else len(args)
        return super().parse_args(ctx, [*args[:own], *(f"--argv={word}" for word in args[own + 1 :])])

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [*super().collect_usage_pieces(ctx), "[-- ARGV...]"]


def lint(
    file: Annotated[str | None, typer.Argument(metavar="FILE", help="A configuration; - is standard input.")] = None,
    engine: Annotated[
        str | None, typer.Option(metavar="NAME", help="vllm, sglang, llamacpp or transformers; found out where it can be.")
    ] = None,
    version: Annotated[
        str, typer.Option(metavar="X", help="Of the engine, such as 0.28, 5.24.0 or b9596. The newest known by default.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document.")] = False,
    sarif: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a SARIF 2.1.0 document.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show errors and warnings alone.")] = False,
    argv: Annotated[list[str] | None, typer.Option(hidden=True)] = None,
) -> None:
    """Read the configuration of an engine, and say where its text would not follow the target's law.

    Nothing is run. Errors are lossy rules, and what the engine refuses; warnings are what was asked for and does not
    happen: drafts that are never used, parameters that are ignored, options that are unknown; notes are right as they are.

    \b
    What is read:
      vllm          the JSON of --speculative-config, a serving configuration
                    in JSON, or a command line
      sglang        a command line
      llamacpp      a command line, or LLAMA_ARG_... lines of its environment
      transformers  generation_config.json, keyword arguments of generate, or both

    \b
    A file, which may also be a script that starts the engine:
      draftproof lint generation_config.json
      draftproof lint serve.sh --version 0.28
    A command line, after two dashes:
      draftproof lint -- llama-server -m target.gguf -md draft.gguf
    A call of generate on top of its file:
      draftproof lint generation_config.json -- assistant_model=draft do_sample=True
    In continuous integration:
      draftproof lint spec.json --engine vllm --version 0.28 -q --sarif lint.sarif

    Exit codes: 0 nothing worse than a note, 1 an error or a warning, 2 a file that cannot be read, or usage.
    """
    from draftproof.lint import Given, Level, check, detect, find
    from draftproof.lint.source import read
    from draftproof.report.lint import finding_lines, lint_content, summary

    if file is None and not argv:
        raise BadRequest("there is nothing to read; give a configuration file, or the arguments of an engine after --")
    if sarif and not sarif.parent.is_dir():
        raise BadRequest(f"cannot write {sarif}: there is no folder {sarif.parent}")
    known = find(engine) if engine else None
    source = "" if file is None else "standard input" if file == "-" else file
    given = Given(source, read(file) if file is not None else "", tuple(argv or ()))
    settings = (known or detect(given)).settings(given, version)
    if not settings.options:
        raise BadRequest(
            f"no option of {settings.engine} was found in {source or 'the arguments'}; what is read is said in draftproof lint --help, "
            "and YAML is not"
        )
    findings = check(settings)
    if sarif:
        _write_sarif(sarif, findings, source)
    if as_json:
        from draftproof.report.document import document

        write_result(document("lint", lint_content(findings, settings, source or "arguments")))
    else:
        for finding in findings:
            if not (quiet and finding.level is Level.NOTE):
                write_lines(finding_lines(finding, source or "arguments"))
        write_lines([summary(findings, settings)])
    raise typer.Exit(int(any(finding.level is not Level.NOTE for finding in findings)))


def _write_sarif(file: Path, findings: list["Finding"], source: str) -> None:
    from draftproof import __version__
    from draftproof.lint.sarif import sarif

    document = sarif(findings, file=source, version=__version__)
    try:
        file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise BadRequest(f"cannot write {file}: {error.strerror}") from None
