"""One measured run: the raw data from which every table, interval and picture is made."""

from dataclasses import dataclass

from draftproof.bench.contender import Round


@dataclass(frozen=True)
class Reply:
    """One order as it was served.

    Attributes:
        place: of the prompt in its workload.
        seed: of the order.
        prompt_tokens, tokens: read and emitted, counted by one tokenizer for all contenders.
        arrival: seconds after the start of the run.
        times: seconds after the arrival at which each burst of text came.
        drafted, accepted: tokens; None where the engine does not tell.
        rounds: (drafted, accepted) of each pass of the target; empty where the engine does not tell.
        digest: of the text, so that it is seen where two texts are the same.
    """

    place: int
    seed: int
    prompt_tokens: int
    tokens: int
    arrival: float
    times: tuple[float, ...]
    drafted: int | None
    accepted: int | None
    rounds: tuple[Round, ...]
    digest: str

    @property
    def seconds(self) -> float:
        """From the arrival to the last burst."""
        return self.times[-1] if self.times else 0.0

    @property
    def first(self) -> float:
        """From the arrival to the first burst."""
        return self.times[0] if self.times else 0.0

    @property
    def gaps(self) -> tuple[float, ...]:
        """Seconds between bursts."""
        return tuple(later - earlier for earlier, later in zip(self.times, self.times[1:], strict=False))


@dataclass(frozen=True)
class Run:
    """Orders that one contender served together.

    Attributes:
        table: `one` (a request alone), `service` (all at once in `slots`), or `tail` (at random times, `rate` a second).
        workload: its name.
        temperature: of sampling.
        contender, engine: names.
        drafts: True if the contender is meant to draft.
        repeat: runs of the same repeat of all contenders stand next to each other in time.
        turn: the place in the whole session.
        slots: orders served at once at most.
        rate: arrivals a second; 0 where all arrive at the start.
        seconds: wall clock.
        parts: seconds by part, as (name, seconds); empty where the engine does not tell.
        replies: one an order.
    """

    table: str
    workload: str
    temperature: float
    contender: str
    engine: str
    drafts: bool
    repeat: int
    turn: int
    slots: int
    rate: float
    seconds: float
    parts: tuple[tuple[str, float], ...]
    replies: tuple[Reply, ...]

    @property
    def tokens(self) -> int:
        return sum(reply.tokens for reply in self.replies)
