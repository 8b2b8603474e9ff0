"""One text that a command decodes: streamed, summed up, and with its evidence."""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from draftproof.cli.progress import progress
from draftproof.cli.terminal import notice, result_console, write_lines, write_result

if TYPE_CHECKING:
    from draftproof.engine import Engine, Piece, Running
    from draftproof.evidence import Evidence

INTERRUPTED = 130
"""`report.verdicts.Exit`, whose module is too slow to import for a line of help."""


@dataclass
class Job:
    """One text to decode, and how to show it."""

    prompt: str
    drafter: str
    rule: str
    rules: dict[str, Any]
    wishes: dict[str, Any]
    seed: int | None
    show_tokens: bool
    evidence: bool
    as_json: bool
    show_progress: bool
    pieces: list["Piece"] = field(default_factory=list)
    interrupted: bool = False

    def check(self) -> None:
        """Refuse, before a model is loaded, what no model could serve.

        Raises:
            BadRequest: see there.
        """
        from draftproof.catalogue import find
        from draftproof.drafting import known
        from draftproof.draws import SeededDraws
        from draftproof.engine import readable
        from draftproof.sampling.params import SamplingParams
        from draftproof.session import Limits

        find([self.rule])
        known(self.drafter)
        readable(self.prompt)
        SamplingParams.parse(self.rules, end_tokens=[0])
        Limits(self.wishes["max_tokens"])
        SeededDraws(self.seed or 0)

    def run(self, engine: "Engine") -> int:
        """Decode, show, and return the exit code."""
        from draftproof.engine import as_seeds
        from draftproof.evidence import WatchedRun

        wishes, seed = engine.wishes(self.rules, **self.wishes), as_seeds(self.seed, 1)[0]
        running = engine.start(self.prompt, seed, wishes)
        watched = WatchedRun(engine, running) if self.evidence else None
        began = time.perf_counter()
        self._stream(watched.pieces() if watched else engine.pieces(running))
        seconds = time.perf_counter() - began
        found = None
        if watched and running.completion.tokens and not self.interrupted:
            found = watched.evidence(self._speed(engine, seed, wishes))
        self._close(engine, running, found, seconds)
        return INTERRUPTED if self.interrupted else _exit_code(found, engine)

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

    def _asked(self, engine: "Engine") -> dict[str, Any]:
        """What the text was made from, for a program."""
        wishes = {**self.wishes, "stop": list(self.wishes["stop"])} if "stop" in self.wishes else self.wishes
        return {"target": engine.target.name, "drafter": self.drafter, "prompt": self.prompt, "params": self.rules, **wishes}

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
        from draftproof.report.evidence import evidence_content, evidence_lines
        from draftproof.report.generation import completion_content, summary

        done = running.completion
        if self.as_json:
            from draftproof.report.document import document

            content = completion_content(done, self.pieces, engine.rule, seconds=seconds)
            write_result(document("generate", {**content, **self._asked(engine), "evidence": found and evidence_content(found)}))
            return
        notice(summary(done, seconds=seconds).plain)
        if found:
            write_lines(["", *evidence_lines(found, engine.rule)])


def _exit_code(found: "Evidence | None", engine: "Engine") -> int:
    if found is None:
        return 0
    from draftproof.report.evidence import failed

    return int(failed(found, engine.rule))
