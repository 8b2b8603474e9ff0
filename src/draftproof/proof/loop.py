"""The exact law of a whole decode: the production loop run under every outcome of its randomness.

Round by round, `Decoder.step` itself is run from every state a session can be in. States that are equal in all that the
next round can see are merged, with their probabilities added: the context, both caches, what the sampling rules
remember, and what is known of numbers that a later round may still read. Numbers of a finished round are forgotten,
and reading one raises `AddressReused`; so merging can hide no reuse.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple

from draftproof.decode import Decoder
from draftproof.draws import SeededDraws
from draftproof.models.protocol import Block, Model
from draftproof.proof.explore import Path, explore_from
from draftproof.proof.freeze import Freezer
from draftproof.proof.laws import Law, Output
from draftproof.proof.noise import ExploredDraws, Knowledge, fractions
from draftproof.sampling.protocol import Prefix, Sampling
from draftproof.session import Limits, Session, Step

TOGETHER = 256
"""Runs to a batch of `step`: enough to hide what a call costs, few enough to stay small."""


@dataclass
class Engagement:
    """What the runs of a proof went through. A proof that never refused a draft has proved little.

    Attributes:
        replays: runs of one round.
        paths: ways from the start of a text to its end: since equal states are merged, one run is part of many.
        none_kept, some_kept, all_kept: of those with a draft, how many kept none, some and all of it.
        rounds: the most rounds that one text took.
    """

    replays: int = 0
    paths: int = 0
    none_kept: int = 0
    some_kept: int = 0
    all_kept: int = 0
    rounds: int = 0

    def count(self, done: Step) -> None:
        self.replays += 1
        if done.drafted:
            self.none_kept += done.accepted == 0
            self.some_kept += done.refused and done.accepted > 0
            self.all_kept += not done.refused and done.accepted > 0

    def add(self, other: "Engagement") -> None:
        self.replays += other.replays
        self.paths += other.paths
        self.none_kept += other.none_kept
        self.some_kept += other.some_kept
        self.all_kept += other.all_kept
        self.rounds = max(self.rounds, other.rounds)

    @property
    def vacuous(self) -> bool:
        """True if drafts were not both refused and kept, or every text took one round."""
        return not (self.none_kept and self.all_kept and self.rounds > 1)


class State(NamedTuple):
    """A session between rounds. Equal states are the same to every later round, since it starts from these bytes.

    Attributes:
        frozen: everything the next round can see; None when the text has ended.
        emitted: the text so far.
    """

    frozen: bytes | None
    emitted: Output


class Weight(NamedTuple):
    """What led to a state: the probability of all paths to it, and their number."""

    probability: Fraction = Fraction(0)
    paths: int = 0

    def plus(self, other: "Weight") -> "Weight":
        return Weight(self.probability + other.probability, self.paths + other.paths)


@dataclass
class LoopLaw:
    """The law of the emitted text, and how it came about."""

    law: Law
    engagement: Engagement = field(default_factory=Engagement)


def loop_law(
    decoder: Decoder,
    prompt: Sequence[int],
    *,
    params: Sampling,
    limits: Limits,
    neighbours: Sequence[tuple[Sequence[int], int]] = (),
    together: int = TOGETHER,
) -> LoopLaw:
    """The exact law of the text that `decoder` emits for one request.

    Args:
        neighbours: (prompt, seed) of requests decoded in the same batch. Their draws are seeded, not explored: the law
            of the request must not depend on them.
        together: runs to a batch; 1 if what is drafted for a row depends on the rows beside it, as with `BestOf`, where a
            run is the same again only in the same company.
    """
    first, *beside = [
        decoder.open(text, params=params, limits=limits, draws=SeededDraws(seed)) for text, seed in [(prompt, 0), *neighbours]
    ]
    freezer = Freezer(shared=[params, limits])
    law: dict[Output, Fraction] = defaultdict(Fraction)
    result = LoopLaw(law)

    def one_round(runs: list[tuple[State, Path]]) -> list[State]:
        """Run one round from every state, all in one batch."""
        states = [freezer.thaw(start.frozen) for start, _ in runs if start.frozen]
        for (session, known, _), (_, path) in zip(states, runs, strict=True):
            session.draws = ExploredDraws(path, known)
        batch = [session for session, _, others in states for session in (session, *others) if session.finish is None]
        steps = dict(zip(map(id, batch), decoder.step(batch), strict=True))
        for session, _, _ in states:
            result.engagement.count(steps[id(session)])
        return [freeze(freezer, *state) for state in states]

    states = {freeze(freezer, first, Knowledge(), beside): Weight(Fraction(1), 1)}
    while states:
        result.engagement.rounds += 1
        following: dict[State, Weight] = defaultdict(Weight)
        for before, after, probability in explore_from(states, one_round, together=together):
            reached = Weight(states[before].probability * probability, states[before].paths)
            if after.frozen is None:
                law[after.emitted] += reached.probability
                result.engagement.paths += reached.paths
            else:
                following[after] = following[after].plus(reached)
        states = following
    return result


def freeze(freezer: Freezer, session: Session, known: Knowledge, others: Sequence[Session]) -> State:
    """The state of a session between rounds."""
    emitted = tuple(session.emitted)
    if session.finish:
        return State(None, emitted)
    session.draws = None  # type: ignore[assignment]
    return State(freezer.freeze((session, known.forget(len(session.context)), others)), emitted)


def plain_law(target: Model, prompt: Sequence[int], *, params: Sampling, limits: Limits) -> Law:
    """The law of the text that the target gives one token at a time, each from a fresh cache: the reference.

    It is written from the definition and shares no code with the loop: a text ends with an end-of-text token, with a
    stop sequence, when its bytes contain a stop string, or at its full length.
    """
    law: dict[Output, Fraction] = {}
    strings = limits.stop_strings

    def extend(text: Output, prefix: Prefix, probability: Fraction) -> None:
        ended = text[-1:] and text[-1] in limits.end_tokens
        stopped = any(text[-len(stop) :] == tuple(stop) for stop in limits.stop)
        said = strings and any(string.encode() in strings.vocabulary.bytes_of(text) for string in strings.strings)
        if ended or stopped or said or len(text) == limits.max_tokens:
            law[text] = probability
            return
        logits = target.extend([target.start()], [Block([*prompt, *text])])[0]
        row = params.laws(logits, prefix, [], [])[0][0]
        weights = fractions(row)
        for token, weight in enumerate(weights):
            if weight:
                extend((*text, token), params.fold(prefix, token, row), probability * weight / sum(weights))

    extend((), params.start(prompt), Fraction(1))
    return law
