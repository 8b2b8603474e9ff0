"""`draftproof generate` and `draftproof demo`: a real model writes, with drafts, and shows how it went."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from draftproof.cli.progress import progress
from draftproof.cli.terminal import result_console, write_lines, write_result
from draftproof.errors import BadRequest

if TYPE_CHECKING:
    from draftproof.engine import Engine, Piece, Running
    from draftproof.evidence import Evidence
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
        str | None, typer.Option(metavar="TEXT", help="For --drafter given: a text that the answer may resemble.")
    ] = None,
    width: Width = "auto",
    rule: RuleName = "coupled",
    seed: Seed = None,
    temperature: Annotated[float, typer.Option(help="0 takes the likeliest token.")] = 1.0,
    top_p: Annotated[float, typer.Option(help="Keep the likeliest tokens that hold this much probability.")] = 1.0,
    top_k: Annotated[int, typer.Option(help="Keep this many of the likeliest tokens; 0 keeps all.")] = 0,
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
    from draftproof.cli.params import read_params

    rules: dict[str, Any] = {"temperature": temperature, "top_p": top_p, "top_k": top_k}
    job = Job(
        prompt=_prompt(prompt),
        rules={**rules, **(read_params(params) if params else {})},
        wishes={"max_tokens": max_tokens, "stop": tuple(stop or ()), "raw": raw, "prediction": prediction or ""},
        seed=seed,
        show_tokens=show_tokens,
        evidence=evidence,
        as_json=as_json,
        show_progress=not no_progress,
    )
    sources = {"backend": backend, "precision": precision, "threads": threads, "allow_download": allow_download, "cache": cache}
    with loading(wanted=job.show_progress) as load:
        loaded = load(target, **sources)
        assistant = load(draft_model, **sources) if draft_model is not None else None
        engine = _engine(loaded, drafter=drafter, rule=rule, width=_width(width), draft_model=assistant, layers=layers)
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
        rules={"temperature": temperature},
        wishes={"max_tokens": max_tokens},
        seed=seed,
        show_tokens=True,
        evidence=True,
        as_json=as_json,
        show_progress=not no_progress,
    )
    with loading(wanted=job.show_progress) as load:
        engine = _engine(load("smollm2", cache=cache), drafter=drafter, rule=rule, width="auto", draft_model=None)
    if not as_json:
        write_result(f"Prompt, to SmolLM2-135M-Instruct:\n{DEMO}\n\n")
    code = job.run(engine)
    if not as_json:
        write_result('\nA copy is where such drafts pay. A question is not: draftproof generate --evidence "Why is the sky blue?"\n')
    raise typer.Exit(code)


@dataclass
class Job:
    """One text to decode, and how to show it."""

    prompt: str
    rules: dict[str, Any]
    wishes: dict[str, Any]
    seed: int | None
    show_tokens: bool
    evidence: bool
    as_json: bool
    show_progress: bool
    pieces: list["Piece"] = field(default_factory=list)
    interrupted: bool = False

    def run(self, engine: "Engine") -> int:
        """Decode, show, and return the exit code."""
        from draftproof.engine import as_seeds
        from draftproof.evidence import WatchedRun

        wishes, seed = engine.wishes(self.rules, **self.wishes), as_seeds(self.seed, 1)[0]
        running = engine.start(self.prompt, seed, wishes)
        watched = WatchedRun(engine, running) if self.evidence else None
        began = time.perf_counter()
        self._stream(watched.pieces() if watched else _pieces(engine, running))
        seconds = time.perf_counter() - began
        found = None
        if watched and running.completion.tokens and not self.interrupted:
            found = watched.evidence(self._speed(engine, seed, wishes))
        self._close(engine, running, found, seconds)
        return INTERRUPTED if self.interrupted else _exit_code(found)

    def _stream(self, pieces: Iterator["Piece"]) -> None:
        from draftproof.report.generation import legend, marked, visible

        console = result_console()
        colour, escaped = console.color_system is not None, sys.stdout.isatty()
        if self.show_tokens and not self.as_json:
            console.print(legend(colour=colour), soft_wrap=True)
        try:
            for piece in pieces:
                self.pieces.append(piece)
                if self.as_json:
                    continue
                if self.show_tokens:
                    console.print(marked(piece, colour=colour), end="", soft_wrap=True)
                else:
                    write_result(visible(piece.text) if escaped else piece.text)
        except KeyboardInterrupt:
            self.interrupted = True
        if not self.as_json:
            write_result("\n")

    def _speed(self, engine: "Engine", seed: int, wishes: Any) -> Any:
        from draftproof.evidence.speed import REPEATS, compare

        try:
            with progress(2 * REPEATS, wanted=self.show_progress) as shown:
                return compare(
                    engine,
                    lambda which: [which.start(self.prompt, seed, wishes)],
                    told=lambda done: shown.at(done, "timing, with drafts and without"),
                )
        except KeyboardInterrupt:
            self.interrupted = True
            return None

    def _close(self, engine: "Engine", running: "Running", found: "Evidence | None", seconds: float) -> None:
        from draftproof.cli.terminal import notice
        from draftproof.report.evidence import evidence_content, evidence_lines
        from draftproof.report.generation import completion_content, summary

        done = running.completion
        if self.as_json:
            from draftproof.report.document import document

            content = completion_content(done, self.pieces, engine.rule, seconds=seconds)
            write_result(document("generate", {**content, "target": engine.target.name, "evidence": found and evidence_content(found)}))
            return
        notice(summary(done, seconds=seconds).plain)
        if found:
            write_lines(["", *evidence_lines(found, engine.rule)])


INTERRUPTED = 130
"""`report.verdicts.Exit`, whose module is too slow to import for a line of help."""


def _exit_code(found: "Evidence | None") -> int:
    if found is None:
        return 0
    from draftproof.report.evidence import failed

    return int(failed(found))


def _pieces(engine: "Engine", running: "Running") -> Iterator["Piece"]:
    for pieces in engine.run([running], batch=1):
        yield from pieces


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
    if sys.stdin.isatty():
        raise BadRequest("there is no prompt; write it after the command, or pipe a text in")
    return sys.stdin.read()


def _width(text: str) -> int | str:
    if text == "auto":
        return text
    if not text.isdecimal():
        raise BadRequest(f"--width is {text!r}; write auto or a whole number")
    return int(text)
