"""What no run can be. A file may have been written by anyone, and an engine may tell of its drafts what is not so: neither is believed."""

from collections.abc import Hashable, Iterator

from draftproof.bench.cell import ONE, cell_of
from draftproof.bench.contender import Round
from draftproof.bench.measure import Withdrawn
from draftproof.bench.pairs import places
from draftproof.bench.run import Reply, Run
from draftproof.errors import BadRequest

MOMENT = 1e-6
"""Seconds. Floats lose less between a moment and its distance from another; and no run is as short."""

DEEPEST = 10_000
"""Tokens drafted in one round: the target's pass has as many rows."""

MOST_TOKENS = 10**9
"""Of one prompt or text."""


def check(run: Run) -> None:
    """Return if it may have happened.

    Raises:
        BadRequest: it cannot; the message is a clause that says why.
    """
    if reason := next(_impossible(run), ""):
        raise BadRequest(reason)


def believed(measured: Run | Withdrawn) -> Run | Withdrawn:
    """The same; of a run that cannot be, that its contender withdrew."""
    if isinstance(measured, Run) and (reason := next(_impossible(measured), "")):
        return Withdrawn(cell_of(measured), measured.contender, f"what its engine tells cannot be: {reason}")
    return measured


def _impossible(run: Run) -> Iterator[str]:
    """Every reason."""
    if run.slots < 1:
        yield "there was no slot to serve anything in"
    if not run.replies or (run.table == ONE and len(run.replies) > 1):
        yield f"it has {len(run.replies)} replies, and {'a request alone has one' if run.table == ONE else 'a run has one or more'}"
    if run.seconds < MOMENT:
        yield "it took no time"
    if any(run.seconds + MOMENT < reply.arrival + reply.seconds for reply in run.replies):
        yield "it ended before its last text came"
    if sum(seconds for _, seconds in run.parts) > run.seconds + MOMENT:
        yield "its parts took longer than the whole"
    for reply in run.replies:
        yield from _impossible_reply(reply)


def _impossible_reply(reply: Reply) -> Iterator[str]:
    if reply.tokens and not reply.times:
        yield "it has tokens that never came"
    if max(reply.prompt_tokens, reply.tokens, reply.drafted or 0) > MOST_TOKENS:
        yield f"it has more than {MOST_TOKENS:,} tokens"
    if (reply.drafted is None) != (reply.accepted is None):
        yield "drafted and kept tokens are told one without the other"
    if any(each.accepted > each.drafted for each in (Round(reply.drafted or 0, reply.accepted or 0), *reply.rounds)):
        yield "more tokens were kept than drafted"
    if any(each.drafted > DEEPEST for each in reply.rounds):
        yield f"more than {DEEPEST:,} tokens were drafted in one round"
    sums = sum(each.drafted for each in reply.rounds), sum(each.accepted for each in reply.rounds)
    if reply.rounds and sums != (reply.drafted, reply.accepted):
        yield "its rounds do not add up to the tokens drafted and kept"


class Ledger:
    """The runs of one sitting so far, and what they say of the next one."""

    def __init__(self) -> None:
        self._turns: set[int] = set()
        self._contenders: dict[str, tuple[str, bool]] = {}
        self._orders: dict[Hashable, tuple[tuple[int, int, float], ...]] = {}
        self._served: set[Hashable] = set()

    def enter(self, run: Run) -> None:
        """Add one run.

        Raises:
            BadRequest: it cannot have happened, or not beside those before it; the message is a clause that says why.
        """
        check(run)
        if run.turn in self._turns:
            raise BadRequest(f"another run has the turn {run.turn} too")
        if self._contenders.setdefault(run.contender, (run.engine, run.drafts)) != (run.engine, run.drafts):
            raise BadRequest("engine or drafts are not those of its contender in earlier runs")
        work = cell_of(run), run.repeat, places(run)
        if (run.contender, work) in self._served:
            raise BadRequest("its contender served the same prompts in the same repeat before")
        orders = tuple((reply.seed, reply.prompt_tokens, reply.arrival) for reply in run.replies)
        if self._orders.setdefault(work, orders) != orders:
            raise BadRequest("seeds, prompts or arrivals are not those of the other contenders in the same repeat")
        self._turns.add(run.turn)
        self._served.add((run.contender, work))
