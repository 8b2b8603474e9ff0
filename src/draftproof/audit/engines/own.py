"""Our own decoder as an audited engine: requests side by side, every round told."""

from collections.abc import Iterator, Sequence
from itertools import count

from draftproof.audit.engines.protocol import Answer, Ask, Facts, Tier
from draftproof.decode import Decoder
from draftproof.draws import SeededDraws
from draftproof.sampling.protocol import Sampling
from draftproof.session import Limits, Session

TOGETHER = 16
"""Requests in one batch."""


class Own:
    """A decoder of ours.

    Args:
        decoder: target, drafter and rule.
        name: for reports.
        drafts: how it drafts, in words; empty if it does not.
        params: the sampling rules of every request, for models whose rows are laws already; those of the request if None.
        together: requests side by side.
    """

    def __init__(
        self, decoder: Decoder, *, name: str = "draftproof", drafts: str = "", params: Sampling | None = None, together: int = TOGETHER
    ) -> None:
        self.facts = Facts(name, Tier.ROWS, drafts)
        self._decoder, self._params, self._together = decoder, params, together
        self._unseeded = count(2**52)

    def answers(self, asks: Sequence[Ask]) -> Iterator[Answer]:
        for start in range(0, len(asks), self._together):
            part = asks[start : start + self._together]
            sessions = [self._open(ask) for ask in part]
            rounds: list[list[tuple[int, int]]] = [[] for _ in part]
            places = {id(session): place for place, session in enumerate(sessions)}
            for done in self._decoder.generate(sessions):
                for session, step in done:
                    rounds[places[id(session)]].append((step.drafted, step.accepted))
            for ask, session, told in zip(part, sessions, rounds, strict=True):
                drafted, accepted = (sum(each[side] for each in told) for side in (0, 1))
                yield Answer(ask.number, tuple(session.emitted), drafted=drafted, accepted=accepted, rounds=tuple(told))

    def _open(self, ask: Ask) -> Session:
        seed = next(self._unseeded) if ask.seed is None else ask.seed
        return self._decoder.open(ask.prompt, params=self._params or ask.params, limits=Limits(ask.length), draws=SeededDraws(seed))

    def __enter__(self) -> "Own":
        return self

    def __exit__(self, *error: object) -> None:
        pass
