"""`draftproof generate` and `draftproof demo`: a real model writes, with drafts, and shows how it went."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from draftproof.cli.job import Job
from draftproof.cli.progress import progress
from draftproof.cli.terminal import write_result
from draftproof.errors import BadRequest

if TYPE_CHECKING:
    from draftproof.engine import Engine
    from draftproof.models.language import LanguageModel

DEMO = """Copy these lines:
10:01 opened file part-1.csv
10:02 closed file part-1.csv
10:03 opened file part-2.csv
10:04 closed file part-2.csv"""

Target = Annotated[str, typer.Option(metavar="MODEL", help="smollm2, a GGUF file, a folder of safetensors, or a hub name.")]
DrafterName = Annotated[
    str, typer.Option(metavar="NAME", help="best_of, lookup, suffix, given, model, translated, text, early_exit or none.")
]
Width = Annotated[str, typer.Option(metavar="auto|N", help="Tokens to draft in a round at most; auto chooses by what pays.")]
RuleName = Annotated[str, typer.Option(metavar="NAME", help="How a round is settled: see draftproof rules.")]
Seed = Annotated[int | None, typer.Option(help="Of the random numbers; by default a fresh one, which is reported.")]
MaxTokens = Annotated[int, typer.Option(help="The most tokens to emit.")]
Backend = Annotated[str, typer.Option(metavar="NAME", help="openvino or hf; auto takes openvino for GGUF and hf for all else.")]
Precision = Annotated[str, typer.Option(metavar="NAME", help="float32 or bfloat16, of arithmetic and cache.")]
Threads = Annotated[int | None, typer.Option(help="Of the CPU; by default all.")]
Cache = Annotated[Path | None, typer.Option(metavar="FOLDER", help="Where imported models are kept; by default in your cache folder.")]
NoProgress = Annotated[bool, typer.Option("--no-progress", help="Show no progress on stderr.")]
AsJson = Annotated[bool, typer.Option("--json", help="Write one JSON document when all is done.")]


def generate(
    prompt: Annotated[
        str | None, typer.Argument(metavar="[PROMPT]", help="Read from stdin if it is missing or -.", show_default=False)
    ] = None,
    target: Target = "smollm2",
    drafter: DrafterName = "best_of",
    draft_model: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="For the drafters model, translated, text and best_of: a smaller model, named as --target."),
    ] = None,
    layers: Annotated[int | None, typer.Option(help="For --drafter early_exit: how many of the target's layers draft.")] = None,
    prediction: Annotated[
        str | None, typer.Option(metavar="TEXT", help="A text that the answer may resemble, for the drafters given and best_of.")
    ] = None,
    width: Width = "auto",
    rule: RuleName = "coupled",
    seed: Seed = None,
    temperature: Annotated[float | None, typer.Option(help="0 takes the likeliest token; by default 1, the model's own law.")] = None,
    top_p: Annotated[float | None, typer.Option(help="Keep the likeliest tokens that hold this much probability.")] = None,
    top_k: Annotated[int | None, typer.Option(help="Keep this many of the likeliest tokens.")] = None,
    params: Annotated[
        str | None, typer.Option(metavar="NAME=VALUE", help="More sampling parameters, separated by spaces, or a JSON object.")
    ] = None,
    max_tokens: MaxTokens = 256,
    stop: Annotated[list[str] | None, typer.Option(metavar="TEXT", help="End before this text; may be repeated.")] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Give the model the prompt as it stands, without the template of a chat.")] = False,
    show_tokens: Annotated[bool, typer.Option("--show-tokens", help="Mark every token by where it came from.")] = False,
    evidence: Annotated[bool, typer.Option("--evidence", help="Afterwards, show evidence of law, state and speed.")] = False,
    backend: Backend = "auto",
    precision: Precision = "float32",
    threads: Threads = None,
    allow_download: Annotated[bool, typer.Option("--allow-download", help="Let a model or tokenizer be fetched from a hub.")] = False,
    cache: Cache = None,
    as_json: AsJson = False,
    no_progress: NoProgress = False,
) -> None:
    """Decode text from a language model with a draft, exactly.

    The text comes on stdout as it is decoded; how it went, on stderr. With the rule coupled, which is the default, the text for
    a seed is the same with any drafter and any width. Ctrl-C ends the text and says what was done.

    \b
    Ask the packaged model:
      draftproof generate "Why is the sky blue?"
    See where each token came from:
      draftproof generate --show-tokens --temperature 0 "Count to twenty."
    Reproduce, with other drafts:
      draftproof generate --seed 7 --drafter none "Name a colour."
    Evidence, for a program:
      draftproof generate --seed 7 --evidence --json "Name a colour." > run.json
    A text from a file:
      draftproof generate --raw --max-tokens 64 < story.txt
    """
    if drafter == "given" and not prediction:
        raise BadRequest("--drafter given follows a text that you expect; give it with --prediction")
    if drafter == "early_exit" and layers is None:
        raise BadRequest("--drafter early_exit drafts with the target's first layers; say how many with --layers")
    job = Job(
        prompt=_prompt(prompt),
        drafter=drafter,
        rule=rule,
        rules=_rules({"temperature": temperature, "top_p": top_p, "top_k": top_k}, params),
        wishes={"max_tokens": max_tokens, "stop": tuple(stop or ()), "raw": raw, "prediction": prediction or ""},
        seed=seed,
        show_tokens=show_tokens,
        evidence=evidence,
        as_json=as_json,
        show_progress=not no_progress,
    )
    job.check()
    how_wide = _width(width)
    sources = {"backend": backend, "precision": precision, "threads": threads, "allow_download": allow_download, "cache": cache}
    with loading(wanted=job.show_progress) as load:
        loaded = load(target, **sources)
        assistant = load(draft_model, **sources) if draft_model is not None else None
        engine = _engine(loaded, drafter=drafter, rule=rule, width=how_wide, draft_model=assistant, layers=layers)
    raise typer.Exit(job.run(engine))


def demo(
    drafter: DrafterName = "best_of",
    rule: RuleName = "coupled",
    seed: Seed = 7,
    temperature: Annotated[float, typer.Option(help="0 takes the likeliest token.")] = 0.3,
    max_tokens: MaxTokens = 96,
    cache: Cache = None,
    as_json: AsJson = False,
    no_progress: NoProgress = False,
) -> None:
    """Decode SmolLM2-135M-Instruct with a draft, and show the three kinds of evidence.

    The weights come from an installed package; nothing is fetched. The first time they are imported for the CPU, which takes
    about ten seconds and half a gigabyte of disk. Drafts come from the text itself: what followed the last time it read so.

    \b
    The main job, on real weights:
      draftproof demo
    Without drafts the same text comes out:
      draftproof demo --drafter none
    """
    job = Job(
        prompt=DEMO,
        drafter=drafter,
        rule=rule,
        rules={"temperature": temperature},
        wishes={"max_tokens": max_tokens},
        seed=seed,
        show_tokens=True,
        evidence=True,
        as_json=as_json,
        show_progress=not no_progress,
    )
    job.check()
    with loading(wanted=job.show_progress) as load:
        engine = _engine(load("smollm2", cache=cache), drafter=drafter, rule=rule, width="auto", draft_model=None)
    if not as_json:
        write_result(f"Prompt, to SmolLM2-135M-Instruct:\n{DEMO}\n\n")
    code = job.run(engine)
    if not as_json:
        write_result("\nThe text of a seed is the same every time; what was drafted depends on how long passes take here.")
        write_result('\nA copy is where such drafts pay. A question is not: draftproof generate --evidence "Why is the sky blue?"\n')
    raise typer.Exit(code)


def _engine(target: "LanguageModel", **choices: Any) -> "Engine":
    from draftproof.engine import Engine

    return Engine(target, **choices)


@contextmanager
def loading(*, wanted: bool) -> Iterator[Any]:
    """`load(source, ...)` of `models.weights`, with progress while it works."""
    from draftproof.models.weights import load

    with progress(1, wanted=wanted) as shown:

        def load_shown(source: str, **how: Any) -> "LanguageModel":
            shown.at(0, f"loading {source}", 1)
            return load(source, **how, told=lambda what, done, total: shown.at(done, f"{what} {source}", total))

        yield load_shown


def _prompt(text: str | None) -> str:
    if text not in (None, "-"):
        return text
    if sys.stdin is None or sys.stdin.isatty():
        raise BadRequest("there is no prompt; write it after the command, or pipe a text in")
    try:
        return sys.stdin.read()
    except UnicodeDecodeError as error:
        raise BadRequest(f"the prompt is not UTF-8 text: {error.reason} at byte {error.start}") from error


def _rules(options: dict[str, Any], params: str | None) -> dict[str, Any]:
    """The sampling parameters that were given, each once."""
    from draftproof.cli.params import read_params

    rules = {name: value for name, value in options.items() if value is not None}
    more = read_params(params) if params else {}
    if twice := sorted(rules.keys() & more.keys()):
        raise BadRequest(f"{twice[0]} is given twice, as --{twice[0].replace('_', '-')} and in --params")
    return rules | more


def _width(text: str) -> int | str:
    if text == "auto":
        return text
    if not text.isdecimal():
        raise BadRequest(f"--width is {text!r}; write auto or a whole number")
    return int(text)
