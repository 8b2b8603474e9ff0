"""Evidence about one run of our own engine: of law, of state and of speed. None of the three stands for another."""

from collections.abc import Iterator
from dataclasses import dataclass

from draftproof.engine import Engine, Piece, Running
from draftproof.evidence.law import Acceptance
from draftproof.evidence.speed import Speed
from draftproof.evidence.state import Rescored, Scores, rescore
from draftproof.evidence.watch import Watch


@dataclass(frozen=True)
class Evidence:
    """What one run shows; each part answers its own question alone.

    Attributes:
        law: of the accepted tokens.
        state: of the cache.
        speed: None if it was not measured.
    """

    law: Acceptance
    state: Rescored
    speed: Speed | None = None


class WatchedRun:
    """One started request, decoded under watch.

    Args:
        engine: that started it.
        running: not yet decoded.
    """

    def __init__(self, engine: Engine, running: Running) -> None:
        self._law, self._scores = Acceptance(engine.decoder.verification), Scores()
        watch = Watch((self._law, self._scores))
        self._engine, self._running = engine.with_decoder(watch.decoder(engine.decoder)), running
        running.session.params = watch.sampling(running.session.params)

    def pieces(self) -> Iterator[Piece]:
        """Decode, token by token."""
        return self._engine.pieces(self._running)

    def evidence(self, speed: Speed | None = None) -> Evidence:
        """What the run has shown so far; the text is scored anew for it."""
        done = self._running.completion
        return Evidence(self._law, rescore(self._engine.target.model, done.prompt, done.tokens, self._scores.rows[0]), speed)
