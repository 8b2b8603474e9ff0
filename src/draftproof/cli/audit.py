"""`draftproof audit`: what a running engine emits, with a stated error rate."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from draftproof.cli.params import read_params
from draftproof.cli.terminal import write_lines, write_result
from draftproof.errors import BadRequest
from draftproof.report.text import printable

if TYPE_CHECKING:
    from draftproof.report.audit import AuditReport

RECORDS = ".jsonl"

LARGEST_SEED = 2**31
"""Room is left for the requests after the first."""

WHOLE = 2**20
"""Tokens of an answer: more than any log has."""

LONGEST_PROMPTS = 2**20
"""Bytes of a file of prompts."""


def audit(
    engine: Annotated[str, typer.Argument(metavar="ENGINE", help="What to audit, as told above.")],
    draft: Annotated[str, typer.Option(metavar="MODEL", help="The draft model: a file or folder, smollm2 or tiny.")] = "",
    lookup: Annotated[bool, typer.Option("--lookup", help="Draft from the text itself.")] = False,
    probabilistic: Annotated[
        bool, typer.Option("--probabilistic", help="llama.cpp and servers: drafts are sampled, not the likeliest tokens.")
    ] = False,
    width: Annotated[int, typer.Option(help="Tokens drafted in a round at most.")] = 3,
    rule: Annotated[str, typer.Option(metavar="NAME", help="Of our own engine: see draftproof rules.")] = "rejection",
    weights: Annotated[str, typer.Option(metavar="MODEL", help="A trusted copy of the target; the engine's own file by default.")] = "",
    served: Annotated[str, typer.Option(metavar="TEXT", help="How a running server drafts, in your words; it does not tell.")] = "",
    without: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The same server with its drafts off, to compare text with where there are no weights.")
    ] = "",
    dialect: Annotated[str, typer.Option(metavar="NAME", help="Of a running server: openai, vllm or llamacpp.")] = "openai",
    params: Annotated[
        str, typer.Option(metavar="NAME=VALUE", help="Sampling parameters; without a temperature the most telling one is taken.")
    ] = "",
    also: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="One more condition, with these parameters added; may be repeated.")
    ] = None,
    prompts: Annotated[Path | None, typer.Option(metavar="FILE", help="Text to go on from, a line each; ours by default.")] = None,
    effect: Annotated[float, typer.Option(help="A PASS excludes this share of every watched suspect.")] = 0.05,
    alpha: Annotated[float, typer.Option(help="The error rate.")] = 1e-3,
    tokens: Annotated[int | None, typer.Option(help="The most tokens to judge a condition; as many as the plan needs by default.")] = None,
    length: Annotated[int | None, typer.Option(help="Tokens of each answer that count: 16, or all of a log, by default.")] = None,
    band: Annotated[float | None, typer.Option(help="Total variation a row up to which the trusted copy is trusted.")] = None,
    seed: Annotated[int, typer.Option(min=0, max=LARGEST_SEED, help="Of the first request; each takes the next.")] = 0,
    state: Annotated[bool, typer.Option("--state/--no-state", help="Also test caches, seeds and the independence of requests.")] = True,
    plan_only: Annotated[bool, typer.Option("--plan", help="Show what could be seen, and stop.")] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Keep the answers and all reports here; the same audit goes on where it was.")
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the report as a page.")] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write a JUnit document.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document when all is done.")] = False,
    no_progress: Annotated[bool, typer.Option("--no-progress", help="Show no progress on stderr.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show only the verdict.")] = False,
) -> None:
    """Audit a running engine: does what it emits follow the target's law?

    The engine is asked many short questions. Its tokens are scored with a trusted copy of the target, and bets are placed on all that
    may be wrong with it: a draft that leaks, a wrong fallback, a parameter that is dropped, a stale row, and whatever else repeats. The
    verdict comes with an error rate that holds whenever one stops, and with an interval for each suspect: FAIL names the
    likeliest, PASS says what share of each is excluded, INCONCLUSIVE that it needs more tokens.

    \b
    Engines:
      hf:FOLDER             generate of the installed transformers
      llamacpp:FILE         a llama.cpp server, started for the audit
      openai+http://HOST    a running server; give --weights to score its
                            tokens, or --without to compare its text
      draftproof:MODEL      our own engine
      records.jsonl         a log of requests: see docs/auditing.md
    FILE, FOLDER and MODEL may be tiny: a random model made on the spot.

    \b
    A real llama.cpp server with a draft, in a minute:
      draftproof audit llamacpp:tiny --draft tiny
    transformers, with a page to send to someone:
      draftproof audit hf:tiny --draft tiny --html audit.html
    A server that you run, parameter by parameter:
      draftproof audit openai+http://127.0.0.1:8000 --dialect vllm \\
        --weights models/target --draft models/draft \\
        --also top_p=0.9 --also top_k=20 --out audits/today
    What could be seen, before anything is asked:
      draftproof audit llamacpp:tiny --draft tiny --plan
    """
    from draftproof.audit.law.plan import Goal
    from draftproof.cli.audit_job import Job, Shown

    for file in (html, junit):
        if file and not file.parent.is_dir():
            raise BadRequest(f"cannot write {file}: there is no folder {file.parent}")
        if file and file.is_dir():
            raise BadRequest(f"cannot write {file}: it is a folder; give a file in it")
    of_log = engine.endswith(RECORDS)
    given = {
        "--params": params,
        "--also": also,
        "--prompts": prompts,
        "--lookup": lookup,
        "--probabilistic": probabilistic,
        "--served": served,
        "--without": without,
        "--plan": plan_only,
        "--dialect": dialect != "openai",
        "--weights": weights,
    }
    _refuse_unused(engine, {name for name, value in given.items() if value}, of_log=of_log)
    goal = Goal(alpha, effect, length or (WHOLE if of_log else 16), tokens)
    if out:
        make_folder(out)
    shown = Shown(lines=not (as_json or quiet), progress=not (no_progress or quiet))
    if of_log:
        from draftproof.cli.audit_records import audit_records

        report, faults = audit_records(Path(engine), weights, draft, goal, band or 0.0, shown)
    else:
        from draftproof.audit.subject import Wanted

        wanted = Wanted(engine, draft, lookup, probabilistic, width, rule, weights, band, served, dialect)
        asked, further = read_params(params), [read_params(one, "--also") for one in also or ()]
        job = Job(wanted, goal, asked, further, read_prompts(prompts), without, seed, state, out)
        if plan_only:
            job.show_plan(shown)
            return
        report, faults = job.run(shown)
    _write(report, engine, out=out, html=html, junit=junit, as_json=as_json, quiet=quiet)
    for fault in faults:
        raise RuntimeError(f"while auditing: {fault}") from fault
    raise typer.Exit(report.exit)


UNUSED = {
    "draftproof": {"--probabilistic", "--served", "--without", "--dialect"},
    "hf": {"--probabilistic", "--served", "--without", "--dialect"},
    "llamacpp": {"--served", "--without", "--dialect"},
    "openai+http": {"--lookup"},
}
"""Options that mean nothing to an engine."""

OF_ENGINES = {"--params", "--also", "--prompts", "--lookup", "--probabilistic", "--served", "--without", "--plan", "--dialect"}
"""Options that mean nothing to a log: its lines say what they say."""


def _refuse_unused(engine: str, given: set[str], *, of_log: bool) -> None:
    """Return if every option has a meaning.

    Raises:
        BadRequest: naming one that would be ignored.
    """
    kind = engine.partition(":")[0].replace("https", "http")
    unused = OF_ENGINES if of_log else UNUSED.get(kind, set())
    if "--without" in given and "--weights" in given:
        raise BadRequest("--without compares text where there are no weights, and --weights gives some; leave one out")
    if "--without" in given:
        unused = unused | {"--also", "--plan"}
    for name in sorted(given & unused):
        raise BadRequest(f"{name} means nothing {'to a log' if of_log else f'here, for {engine}'}; leave it out")


def make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadRequest(f"the folder {out} cannot be made: {error.strerror}; give another") from error


def read_prompts(file: Path | None) -> list[str]:
    """A line each; a line that begins with a quotation mark is a JSON string. Ours without a file.

    Raises:
        BadRequest: a file that cannot be read, is too long or has no line.
    """
    from draftproof.audit.conditions import PROMPTS

    if file is None:
        return list(PROMPTS)
    try:
        with file.open("rb") as opened:
            text = opened.read(LONGEST_PROMPTS + 1).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"the prompts in {file} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}") from error
    if len(text) > LONGEST_PROMPTS:
        raise BadRequest(f"{file} has more than {LONGEST_PROMPTS} bytes; a few dozen prompts are enough")
    found = [_prompt(line, f"line {number} of {file}") for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if not found:
        raise BadRequest(f"{file} holds no prompt; write one on each line")
    return found


def _prompt(line: str, where: str) -> str:
    if not line.startswith('"'):
        return line
    try:
        found = json.loads(line)
    except ValueError as error:
        raise BadRequest(f"{where} begins like a JSON string and is none: {printable(str(error))}") from None
    if not isinstance(found, str):
        raise BadRequest(f"{where} is not a JSON string")
    return found


def _write(
    report: "AuditReport", engine: str, *, out: Path | None, html: Path | None, junit: Path | None, as_json: bool, quiet: bool
) -> None:
    """Every form of the report that was asked for, the one on stdout first."""
    from draftproof.report import audit, audit_summary, audit_values, page
    from draftproof.report import junit as junit_document

    if as_json:
        write_result(audit_values.run_document(report))
    else:
        lines = list(audit.closing(report))
        write_lines(lines[:1] if quiet else lines)
    name = f"draftproof audit {engine}"
    for file in filter(None, (junit, out and out / "junit.xml")):
        junit_document.write(file, name, audit_values.cases(report))
    for file in filter(None, (html, out and out / "report.html")):
        page.write(file, report)
    if out:
        for file, text in ((out / "run.json", audit_values.run_document(report)), (out / "summary.md", audit_summary.summary(report))):
            try:
                file.write_text(text, encoding="utf-8")
            except OSError as error:
                raise BadRequest(f"cannot write {file}: {error.strerror}") from error
