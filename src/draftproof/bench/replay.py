"""A drafter on recorded texts, without the target: the very rounds that a decode would have had.

A coupled text does not depend on what is drafted. So of a draft is kept what it has in common with the text that was recorded, and no
pass of the target is needed to know it. The drafter is asked as a decode asks it: with the same requests, and with the noise of the
same seed, so what a draft model draws here is what it would have drawn there.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from time import perf_counter
from typing import NamedTuple

from draftproof.bench.contender import Round
from draftproof.decode import draft_picker, draft_requests
from draftproof.drafters.protocol import Drafter
from draftproof.draws import SeededDraws
from draftproof.engine import Running
from draftproof.errors import BadRequest, Unsupported
from draftproof.rules.coupled import coupled
from draftproof.sampling.protocol import Sampling
from draftproof.session import Limits, Session
from draftproof.verify import Coupled

AFTER_THE_END = 0
"""What a verdict is told of the token after the last one. It is cut off like any token that follows the end of a text."""


@dataclass(frozen=True)
class Text:
    """A text that the target emitted in coupled rounds, whole, with all that a drafter may know of its request.

    Raises:
        BadRequest: the text is not at its end.
        Unsupported: sampling rules that remember laws; a replay has none of the target.
    """

    prompt: tuple[int, ...]
    tokens: tuple[int, ...]
    seed: int
    params: Sampling
    limits: Limits
    given: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not self.tokens or self.limits.finish(self.tokens) is None:
            raise BadRequest(f"the text is not at its end after {len(self.tokens)} tokens; decode it until it is, then replay it")
        if getattr(self.params, "mirostat", 0):
            raise Unsupported("mirostat remembers the laws of the target, and a replay has none; decode with the drafter instead")

    @classmethod
    def of(cls, running: Running) -> "Text":
        """What became of a request."""
        session, done = running.session, running.completion
        return cls(tuple(done.prompt), tuple(done.tokens), done.seed, session.params, session.limits, session.given)


class Row(NamedTuple):
    """What one round was to one text.

    Attributes:
        entry: the place of the text among those that are replayed.
        round: what was drafted and accepted.
        first: True if the round is the text's first, so that its pass reads the prompt.
    """

    entry: int
    round: Round
    first: bool


class Pass(NamedTuple):
    """One round of a batch.

    Attributes:
        rows: one a text.
        draft_ms: the drafter's own time, passes of a draft model included.
    """

    rows: tuple[Row, ...]
    draft_ms: float


class Length:
    """A cache that holds nothing but its length."""

    def __init__(self) -> None:
        self.length = 0

    def truncate(self, length: int) -> None:
        self.length = min(self.length, length)

    def keep(self, start: int, offsets: Sequence[int]) -> None:
        self.length = start + len(offsets)


@dataclass
class Replayed:
    """A text while it is replayed."""

    entry: int
    text: Text
    session: Session
    first: bool = True


def replay(
    drafter: Drafter, texts: Iterable[Text], *, batch: int = 1, until: int | None = None, clock: Callable[[], float] = perf_counter
) -> Iterator[Pass]:
    """The passes that would have emitted the texts, `batch` at a time; a finished one makes room for the next.

    Args:
        texts: in order; endless if need be, to keep the batch full.
        until: stop when so many of the first texts have ended; by default all.
        clock: seconds.
    """
    waiting, live, open_entries = enumerate(texts), list[Replayed](), set(range(until or 0))
    while live := [*live, *(_started(drafter, entry, text) for entry, text in islice(waiting, batch - len(live)))]:
        yield _pass(drafter, live, clock)
        open_entries -= {each.entry for each in live if each.session.finish is not None}
        if until is not None and not open_entries:
            return
        live = [each for each in live if each.session.finish is None]


def rounds(passes: Iterable[Pass]) -> dict[int, tuple[Round, ...]]:
    """The rounds of each text, by its place."""
    found: dict[int, list[Round]] = {}
    for each in passes:
        for row in each.rows:
            found.setdefault(row.entry, []).append(row.round)
    return {entry: tuple(found[entry]) for entry in sorted(found)}


def _started(drafter: Drafter, entry: int, text: Text) -> Replayed:
    memories = text.params.start(text.prompt), drafter.start()
    session = Session(list(text.prompt), Length(), SeededDraws(text.seed), text.limits, text.params, *memories, given=text.given)
    return Replayed(entry, text, session)


def _pass(drafter: Drafter, live: Sequence[Replayed], clock: Callable[[], float]) -> Pass:
    """One round: `Decoder.step`, with the recorded tokens in place of those that the target would draw."""
    sessions = [each.session for each in live]
    began = clock()
    draft = drafter.propose(draft_requests(sessions), draft_picker(sessions, Coupled()))
    draft_ms = 1000 * (clock() - began)
    emitted = [session.emitted for session in sessions]
    draft = draft.ending(lambda row, path: sessions[row].limits.finish(emitted[row], path) is not None)

    def recorded(row: int, node: int) -> int:
        place = len(emitted[row]) + len(draft.tree.path(node))
        tokens = live[row].text.tokens
        return tokens[place] if place < len(tokens) else AFTER_THE_END

    verdict = coupled(recorded, draft)
    rows = []
    for row, each in enumerate(live):
        step = each.session.commit(draft, row, int(verdict.kept[row]), int(verdict.token[row]))
        for token in step.tokens:
            each.session.prefix = each.session.params.fold(each.session.prefix, token, None)
        rows.append(Row(each.entry, Round(step.drafted, step.accepted), each.first))
        each.first = False
    return Pass(tuple(rows), draft_ms)
