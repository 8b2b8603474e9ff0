"""Speculative decoding, whole.

A round: the drafter proposes a tree of tokens, the target reads them all in one pass, the verification decides how far
the draft is kept and which token follows, and the session commits that much. Nothing here knows which drafter, target,
rule or sampling law is at work.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from draftproof.drafters.protocol import Drafter, Request
from draftproof.draws import Draws
from draftproof.errors import BadRequest, Unsupported
from draftproof.models.protocol import Model
from draftproof.sampling.protocol import Sampling
from draftproof.session import Limits, Session, Step
from draftproof.shapes import Array
from draftproof.target import TargetLaws
from draftproof.types import NOTHING, Picker
from draftproof.verify import Verification


@dataclass(frozen=True)
class Decoder:
    """A target, a drafter, and the way in which a round is settled.

    Raises:
        Unsupported: `verification` is a bare rule or a class, not one of the objects of `verify`.
    """

    target: Model
    drafter: Drafter
    verification: Verification

    def __post_init__(self) -> None:
        if isinstance(self.verification, type) or not hasattr(self.verification, "verdict"):
            name = getattr(self.verification, "__name__", self.verification)
            raise Unsupported(f"verification is {name}; give Coupled(), or a rule with independent draws as Independent(rule)")

    def open(self, prompt: Sequence[int], *, params: Sampling, limits: Limits, draws: Draws, given: Sequence[int] = ()) -> Session:
        """A request ready for its first round.

        Args:
            given: tokens that its author expects to be emitted. A drafter may propose them; no law depends on them.

        Raises:
            BadRequest: an empty prompt, or a token outside the target's vocabulary.
        """
        for name, text in (("prompt", prompt), ("given", given)):
            for place, token in enumerate(text):
                if not 0 <= token < self.target.vocab:
                    raise BadRequest(f"{name} token {place} is {token}, outside the target's vocabulary of {self.target.vocab}")
        memories = params.start(prompt), self.drafter.start()
        return Session(list(prompt), self.target.start(), draws, limits, params, *memories, given=tuple(given))

    def generate(self, sessions: Sequence[Session]) -> Iterator[list[tuple[Session, Step]]]:
        """Decode all sessions to their end, yielding what each round did to each session that took part."""
        while live := [session for session in sessions if session.finish is None]:
            yield list(zip(live, self.step(live), strict=True))

    def step(self, sessions: Sequence[Session]) -> list[Step]:
        """One draft-verify round. Every session emits between 1 and K + 1 tokens."""
        draft = self.drafter.propose(draft_requests(sessions), draft_picker(sessions, self.verification))
        emitted = [session.emitted for session in sessions]
        draft = draft.ending(lambda row, path: sessions[row].limits.finish(emitted[row], path) is not None)
        laws = TargetLaws(sessions, self.target, draft)
        verdict = self.verification.verdict(
            laws if self.verification.by_row else laws.all(), draft, [s.draws for s in sessions], [len(s.context) for s in sessions]
        )
        kept, token = verdict.kept.tolist(), verdict.token.tolist()
        steps = []
        for row, session in enumerate(sessions):
            steps.append(session.commit(draft, row, kept[row], token[row]))
            last = (0, *draft.tree.path(kept[row]))[len(steps[-1].tokens) - 1]  # the node that the last emitted token follows
            session.prefix = session.params.fold(laws.prefix(row, last), steps[-1].tokens[-1], laws[row, last])
        return steps


def draft_requests(sessions: Sequence[Session]) -> list[Request]:
    """What the drafter may know of each session."""
    return [
        Request(
            tuple(session.context),
            session.prompt_tokens,
            session.given,
            session.params,
            session.prefix,
            session.memory,
            session.limits.max_tokens - len(session.emitted),
        )
        for session in sessions
    ]


def draft_picker(sessions: Sequence[Session], verification: Verification) -> Picker:
    """What the drafter draws with: the noise of each session, used as the verification needs it."""

    def pick(laws: Array, node: int, depth: int, live: np.ndarray) -> np.ndarray:
        return np.array(
            [
                verification.pick_draft(session.draws, law, round_start=len(session.context), node=node, depth=depth) if drawn else NOTHING
                for session, law, drawn in zip(sessions, laws, live, strict=True)
            ]
        )

    return pick
