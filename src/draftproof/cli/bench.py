"""`draftproof bench`: how fast, with drafts and without, measured as a sceptic would."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from draftproof.cli.audit import LARGEST_SEED, make_folder
from draftproof.cli.bench_files import DOCUMENT, FIGURES, PAGE, RUNS, check_files
from draftproof.cli.generate import Cache, NoProgress, Threads
from draftproof.cli.params import read_number, read_params
from draftproof.cli.terminal import write_lines, write_result
from draftproof.errors import BadRequest
from draftproof.report.text import printable

if TYPE_CHECKING:
    from draftproof.bench.plan import Plan
    from draftproof.bench.store import Head
    from draftproof.bench.tail import Limits
    from draftproof.report.bench import BenchReport

TABLES = ("one", "service", "tail")

RATES = (0.5, 1.0)
"""Arrivals a second, unless others are asked for."""

LIMITS = {"first": "first", "token": "a_token"}
"""The names of the limits, as they are typed and as they are called."""

MOST_REPEATS, MOST_REQUESTS, MOST_SLOTS = 1000, 100_000, 1024
"""Of a sitting, of a run of the tail and of a contender. Whoever asks for more has mistyped."""

LEAST_RATE, MOST_RATE = 1e-6, 1e6
"""Arrivals a second: one in eleven days, and one in a microsecond."""

OF_LENGTH = {"--first", "--repeats", "--workload"}
"""Options that say how long a sitting is. Without any of them it is long, and that is told when it begins."""


def bench(
    target: Annotated[
        str | None, typer.Argument(metavar="TARGET", help="smollm2, which is the default, a GGUF file or a folder.", show_default=False)
    ] = None,
    engine: Annotated[
        list[str] | None, typer.Option(metavar="SPEC", help="What is measured, as told above; may be repeated. Ours by default.")
    ] = None,
    workload: Annotated[str, typer.Option(metavar="NAMES", help="chat, code_edit, summarise, extract, translate, long_context.")] = "",
    prompts: Annotated[Path | None, typer.Option(metavar="FILE", help='Prompts of your own: {"prompt": "..."} on each line.')] = None,
    first: Annotated[int | None, typer.Option(min=1, metavar="N", help="Take the first N prompts of each workload alone.")] = None,
    temperature: Annotated[str, typer.Option(metavar="NUMBERS", help="Of sampling.  [default: 0,0.8]")] = "",
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Of each text.  [default: 64]")] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, max=MOST_REPEATS, help="How often each contender does the same work.  [default: 4]")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=LARGEST_SEED, help="Of the first prompt; each takes the next.")] = None,
    table: Annotated[str, typer.Option(metavar="NAMES", help="one, service, tail.  [default: one]")] = "",
    slots: Annotated[
        str, typer.Option(metavar="NUMBERS", help="Served at once: by a service 1,2,4,8,16, else 1; the tail takes the most.")
    ] = "",
    rate: Annotated[str, typer.Option(metavar="NUMBERS", help="Arrivals a second, for the tail.  [default: 0.5,1]")] = "",
    requests: Annotated[int | None, typer.Option(min=1, max=MOST_REQUESTS, help="Arrivals of a run, for the tail.  [default: 100]")] = None,
    limit_ms: Annotated[
        str, typer.Option(metavar="NAME=MS", help="What a good request keeps, for the tail: first=500, token=100 or both.")
    ] = "",
    noise: Annotated[float | None, typer.Option(metavar="SHARE", help="Above it no speed-up is told.  [default: 0.15]")] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Answer whether to draft here, with what and how wide; measure no drafts.")] = False,
    draft: Annotated[str, typer.Option(metavar="MODEL", help="A draft model that a plan may choose.")] = "",
    out: Annotated[Path | None, typer.Option(metavar="FOLDER", help="Keep the raw runs here, with the report and its figures.")] = None,
    from_file: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="Make the report of an earlier sitting again; nothing is measured.")
    ] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Also write the report as a page.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON document when all is done.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show only the speed-ups, or of a plan the answers.")] = False,
    threads: Threads = None,
    cache: Cache = None,
    no_progress: NoProgress = False,
) -> None:
    """Measure speed: with drafts and without, turn and turn about.

    Every engine that drafts is measured beside itself without drafts, on the same prompts and weights, A B B A. A speed-up is a ratio
    pair by pair, with a 95% interval, and it is refused where nothing was drafted, where texts differ in length, or where the
    machine was too noisy. Speed is evidence of its own: it says nothing of the law of the texts. Three tables answer three
    questions: one (a client alone), service (many at once), tail (clients who come when they like).

    \b
    Engines:
      ours                          best_of, as wide as pays
      ours:lookup,width=5           one drafter; suffix, model with draft=MODEL
      hf:lookup   hf:draft=MODEL    generate of the installed transformers
      genai:lookup                  openvino_genai
      llamacpp:lookup               a llama.cpp server, started for it
      openai+http://HOST#drafts     a server that runs already

    \b
    A first look, on the packaged model:
      draftproof bench --workload code_edit,chat --first 6 --repeats 2
    Which width pays, with a page to send to someone:
      draftproof bench --workload code_edit --engine ours:lookup,width=1 \\
        --engine ours:lookup,width=5 --engine ours --out speed/today
    Against other engines on the same weights:
      draftproof bench --engine ours --engine genai:lookup --engine llamacpp
    A service, and clients who come at random:
      draftproof bench --table service,tail --rate 0.2 --limit-ms first=500
    Should I draft here at all?
      draftproof bench --plan --prompts mine.jsonl
    The same report again, without measuring; --noise may be another:
      draftproof bench --from speed/today/runs.jsonl --html speed.html

    Exit codes: 0, 2 usage, 3 every speed-up was refused, 4 no engine could be reached, 130 interrupted.
    """
    asked = {
        "TARGET": target,
        "--engine": engine,
        "--workload": workload,
        "--prompts": prompts,
        "--first": first,
        "--temperature": temperature,
        "--max-tokens": max_tokens,
        "--repeats": repeats,
        "--seed": seed,
        "--table": table,
        "--slots": slots,
        "--rate": rate,
        "--requests": requests,
        "--limit-ms": limit_ms,
        "--noise": noise,
        "--plan": plan or None,
        "--draft": draft,
        "--out": out,
        "--html": html,
        "--threads": threads,
        "--cache": cache,
    }
    given = {name for name, value in asked.items() if value is not None and value != ""}
    tables = _names(table or "one", "--table", TABLES)
    _refuse_unused(given, tables, of_file=from_file is not None, plan=plan)
    check_files(out=out, html=html, of_file=from_file, prompts=prompts)
    kept_limits = read_limits(limit_ms)

    from draftproof.bench.refusals import NOISE_LIMIT

    allowed = NOISE_LIMIT if noise is None else noise
    if not 0 < allowed < math.inf:
        raise BadRequest(f"--noise is {allowed:g}; give a share above 0, such as 0.15")
    if out:
        make_folder(out / FIGURES)
    if from_file:
        report, faults = _of_file(from_file, allowed, kept_limits), list[Exception]()
    else:
        from draftproof.cli.bench_job import Job

        job = Job(
            target=target or "smollm2",
            engines=tuple(engine or ()),
            workloads=tuple(_names(workload, "--workload")) if workload else (),
            prompts=prompts,
            first=first,
            temperatures=_distinct(temperature or "0,0.8", "--temperature", such_as="0.8"),
            max_tokens=64 if max_tokens is None else max_tokens,
            repeats=4 if repeats is None else repeats,
            seed=seed or 0,
            tables=tables,
            slots=tuple(_whole(number, "--slots") for number in _distinct(slots, "--slots", such_as="4")) if slots else (),
            rates=_rates(rate) if rate else RATES,
            requests=requests,
            noise_limit=allowed,
            limits=kept_limits,
            out=out and out / RUNS,
            threads=threads,
            cache=cache,
            show_progress=not (no_progress or quiet),
            tell_length=not quiet and not given & OF_LENGTH,
        )
        if plan:
            _write_plan(*job.plan(draft), as_json=as_json, quiet=quiet)
            return
        report, faults = job.run()
    kept = not any(isinstance(fault, BadRequest) for fault in faults)
    _write(report, out=out if kept else None, html=html, as_json=as_json, quiet=quiet)
    for fault in faults:
        if isinstance(fault, BadRequest):
            raise fault
        raise RuntimeError(f"while measuring: {fault}") from fault
    raise typer.Exit(report.exit)


OF_TABLES = {"--slots": {"service", "tail"}, "--rate": {"tail"}, "--requests": {"tail"}, "--limit-ms": {"tail"}}
"""Options that mean something to these tables alone."""

OF_REPORTS = {"--limit-ms", "--noise", "--out", "--html"}
"""Options that mean something to raw runs."""

NOT_OF_PLANS = {"--engine", "--repeats", "--table", "--rate", "--requests", *OF_REPORTS}


def _refuse_unused(given: set[str], tables: Sequence[str], *, of_file: bool, plan: bool) -> None:
    """Return if every option has a meaning.

    Raises:
        BadRequest: naming one that would be ignored.
    """
    if of_file:
        refused = dict.fromkeys(given - OF_REPORTS, "with --from, which measures nothing")
    elif plan:
        refused = dict.fromkeys(NOT_OF_PLANS, "to a plan")
    else:
        refused = {
            name: f"without {' or '.join(sorted(wanted))} in --table" for name, wanted in OF_TABLES.items() if not wanted & {*tables}
        }
        refused["--draft"] = "but to a plan; name a draft model in --engine, as ours:draft=MODEL"
    for name in sorted(given & refused.keys()):
        raise BadRequest(f"{name} means nothing {refused[name]}; leave it out")


def _names(text: str, option: str, known: Sequence[str] = ()) -> list[str]:
    """`a,b` as names, each once."""
    names = [name.strip() for name in text.split(",")]
    for place, name in enumerate(names):
        if not name or (known and name not in known):
            raise BadRequest(f"{option}: {printable(name)!r} is no name; give {', '.join(known) or 'names'}, separated by commas")
        if name in names[:place]:
            raise BadRequest(f"{option}: {printable(name)} is named twice; name it once")
    return names


def _distinct(text: str, option: str, *, such_as: str) -> tuple[float, ...]:
    """`0,0.8` as finite numbers, each once."""
    numbers = [read_number(entry, f"an entry of {option}", such_as=such_as) for entry in text.split(",")]
    for place, number in enumerate(numbers):
        if not math.isfinite(number) or number in numbers[:place]:
            raise BadRequest(f"{option}: {number:g} {'is given twice' if math.isfinite(number) else 'is no finite number'}; leave it out")
    return tuple(numbers)


def _whole(number: float, option: str) -> int:
    if number != int(number) or not 1 <= number <= MOST_SLOTS:
        raise BadRequest(f"{option}: {number:g} requests cannot be served at once; give whole numbers from 1 to {MOST_SLOTS}")
    return int(number)


def _rates(text: str) -> tuple[float, ...]:
    for number in (rates := _distinct(text, "--rate", such_as="0.5")):
        if not LEAST_RATE <= number <= MOST_RATE:
            raise BadRequest(f"--rate: {number:g} arrivals a second are not measured; give numbers from {LEAST_RATE:g} to {MOST_RATE:g}")
    return rates


def read_limits(text: str) -> "Limits":
    """`first=500 token=100`, milliseconds, as limits; a comma separates as well as a space.

    Raises:
        BadRequest: another name, or a number that is not above 0.
    """
    from draftproof.bench.tail import Limits

    found: dict[str, Any] = {}
    for name, value in read_params(text.replace(",", " "), "--limit-ms").items():
        if name not in LIMITS:
            raise BadRequest(f"--limit-ms: there is no limit {printable(name)!r}; give first=MS, token=MS or both")
        if type(value) not in (int, float) or not 0 < value < math.inf:
            raise BadRequest(f"--limit-ms: {name} is {printable(json.dumps(value))}; give milliseconds, above 0")
        found[LIMITS[name]] = value / 1000
    return Limits(**found)


def _of_file(file: Path, noise_limit: float, limits: "Limits") -> "BenchReport":
    from draftproof.bench.store import digest, read
    from draftproof.report.bench import BenchReport

    return BenchReport(read(file), digest(file), noise_limit, limits)


def _write(report: "BenchReport", *, out: Path | None, html: Path | None, as_json: bool, quiet: bool) -> None:
    """Every form of the report that was asked for, the one on stdout first."""
    from draftproof.report import bench_lines, bench_values

    if as_json:
        write_result(bench_values.bench_document(report))
    else:
        write_lines(bench_lines.speed_up_lines(report) if quiet else bench_lines.bench_lines(report))
    if not html and not out:
        return

    from draftproof.report import bench_page
    from draftproof.report.bench_pictures import pictures
    from draftproof.report.frame import write_text
    from draftproof.report.svg import standalone

    drawn = pictures(report)
    for file in filter(None, (html, out and out / PAGE)):
        bench_page.write(file, report, drawn)
    if out:
        write_text(out / DOCUMENT, bench_values.bench_document(report))
        for picture in drawn:
            write_text(out / FIGURES / f"{picture.name}.svg", standalone(picture.drawing.svg))


def _write_plan(plan: "Plan", head: "Head", *, as_json: bool, quiet: bool) -> None:
    from draftproof.report import bench_plan

    if as_json:
        write_result(bench_plan.plan_document(plan, head))
    else:
        write_lines(bench_plan.advice_lines(plan) if quiet else bench_plan.plan_lines(plan, head))
