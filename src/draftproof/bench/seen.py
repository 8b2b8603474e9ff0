"""Pairs of single requests, with drafts and without, of an engine that tells what each round did."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import median
from typing import NamedTuple

from draftproof.bench.pairs import Pair, paired
from draftproof.bench.run import Reply, Run
from draftproof.errors import BadRequest

AT_ONCE = 1e-6
"""Seconds. Text that came within them came at one moment: no pass is as short."""


class Seen(NamedTuple):
    """A pair of runs, of one reply each.

    Attributes:
        drafted, plain: the replies.
        drafted_tokens, plain_tokens: emitted, as the engine counts them.
    """

    pair: Pair
    drafted: Reply
    plain: Reply
    drafted_tokens: int
    plain_tokens: int

    @classmethod
    def of(cls, pair: Pair) -> "Seen":
        (drafted,), (plain,) = pair.drafting.replies, pair.plain.replies
        plain_tokens = len(plain.rounds)
        # A draft that is kept to the end of a text brings no token after it, so where the plain text is the same it is the better count.
        drafted_tokens = plain_tokens if pair.same_text else sum(each.accepted + 1 for each in drafted.rounds)
        return cls(pair, drafted, plain, drafted_tokens, plain_tokens)

    @property
    def later_drafted_tokens(self) -> int:
        """Emitted after the first round, in which the prompt is read."""
        return max(self.drafted_tokens - self.drafted.rounds[0].accepted - 1, 1)

    @property
    def later_plain_tokens(self) -> int:
        return self.plain_tokens - 1

    @property
    def later_ratio(self) -> float:
        """How many times the tokens a second without drafts, after the first round."""
        plain = (self.plain.seconds - self.plain.first) / self.later_plain_tokens
        return plain / ((self.drafted.seconds - self.drafted.first) / self.later_drafted_tokens)


def seen(drafting: Iterable[Run], plain: Iterable[Run]) -> list[Seen]:
    """Every pair that tells its rounds, of which there are several on both sides, one after another.

    Raises:
        BadRequest: there is none.
    """
    told = [pair for pair in paired(drafting, plain) if all(map(_told, pair))]
    if not told:
        raise BadRequest(
            "there are no rounds to predict from; give runs of one request at a time, with drafts and without, "
            "of an engine that tells its rounds"
        )
    found = [Seen.of(pair) for pair in told if pair.timed and not any(map(_at_once, pair))]
    if not found:
        raise BadRequest(
            "the rounds of a request took no time after the first one: all of its text came at one moment, or there was none; give runs of "
            "an engine that sends its text as it comes"
        )
    return found


def over_prompts(pairs: Sequence[Seen], ratio: Callable[[Seen], float]) -> float:
    """A speed-up as `compare` has it: of the pairs of a prompt the median counts, and prompts by their time without drafts."""
    groups: dict[int, list[Seen]] = defaultdict(list)
    for pair in pairs:
        groups[pair.plain.place].append(pair)
    plain = [median(pair.plain.seconds for pair in group) for group in groups.values()]
    drafted = [seconds / median(map(ratio, group)) for seconds, group in zip(plain, groups.values(), strict=True)]
    return sum(plain) / sum(drafted)


def _told(run: Run) -> bool:
    return len(run.replies) == 1 and len(run.replies[0].rounds) == len(run.replies[0].times) > 1


def _at_once(run: Run) -> bool:
    return run.replies[0].seconds - run.replies[0].first < AT_ONCE
