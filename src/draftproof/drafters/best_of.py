"""Draft from whatever did best so far, as deep as pays: guesses, a draft model, or nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from draftproof.drafters.guess import Guess, Guesser
from draftproof.drafters.length import Candidate, Choice, choose
from draftproof.drafters.protocol import Drafter, Request
from draftproof.drafters.survival import Proposal, Record
from draftproof.errors import BadRequest
from draftproof.models.cost import PassCost
from draftproof.types import NOTHING, Draft, Picker, among

TRIES = 0.01
"""The part of the time that may go into trying a drafter that is left out. Without a try it would stay out for good."""

LITTLE = 0.5
"""Where fewer tokens than this would be kept of the best other draft, a try that was kept is repeated at once."""


@dataclass
class Patience:
    """When a drafter that is left out is tried again: nothing is learned of drafts that are not drawn.

    Attributes:
        spare_ms: what tries may take by now.
        trying: True if it drafts in this round to be tried, not for its merit.
        last: what it drafted when it was last tried.
    """

    spare_ms: float
    trying: bool = False
    last: Proposal | None = None

    def chosen(self) -> None:
        """The drafter drafts for its merit."""
        self.spare_ms, self.trying, self.last = 0.0, False, None

    def left_out(self, round_ms: float, loss_ms: float, *, repeat: bool) -> bool:
        """True if the drafter is to be tried in this round, which would take `round_ms` and lose `loss_ms` by it.

        With `repeat`, a try that was kept is followed by another whatever it loses.
        """
        kept, self.last = self.last is not None and self.last.agreed > 0, None
        self.spare_ms += TRIES * round_ms
        self.trying = loss_ms <= self.spare_ms or (kept and repeat)
        if self.trying:
            self.spare_ms = max(self.spare_ms - loss_ms, 0.0)
        return self.trying

    def drafted(self, proposal: Proposal) -> None:
        """Take note of what it drafted."""
        self.last = proposal if self.trying else None


@dataclass
class Memory:
    """What a session remembers: the memory of each source, the drafter last, what was learned of them, and its rows of the last pass."""

    sources: list[Any]
    patience: Patience
    record: Record = field(default_factory=Record)
    rows: int = 0


@dataclass(frozen=True)
class BestOf:
    """Each row drafts from the source, and as deep, as should make the batch emit the most tokens a millisecond; or nothing.

    The choice depends on the past, on costs and on the other rows. So the text has the target's law, but which text a seed
    gives is the same in any company and on any machine only if rounds are coupled.

    Attributes:
        guessers: they guess in every round, and every guess is scored, whether it is drafted or not.
        vocab: the target's vocabulary.
        cost: of the target's pass.
        width: the deepest draft.
        drafter: a source that runs a pass of `draft_cost` for every token; it drafts chains.
        draft_cost: given with a drafter.

    Raises:
        BadRequest: no source, a width below 1, or only one of drafter and draft_cost.
    """

    guessers: Sequence[Guesser]
    vocab: int
    cost: PassCost
    width: int = 15
    drafter: Drafter | None = None
    draft_cost: PassCost | None = None

    def __post_init__(self) -> None:
        if not self.guessers and self.drafter is None:
            raise BadRequest("there is nothing to draft from; give a guesser or a drafter, or use no_drafter")
        if self.width < 1:
            raise BadRequest(f"the deepest draft is {self.width} tokens; give at least 1, or use no_drafter")
        if (self.drafter is None) != (self.draft_cost is None):
            raise BadRequest("a drafter and its draft_cost belong together; give both or neither")

    def start(self) -> Memory:
        sources = [guesser.start() for guesser in self.guessers]
        if self.drafter is not None:
            sources.append(self.drafter.start())
        return Memory(sources, Patience(self._try_ms))

    def propose(self, requests: Sequence[Request], pick: Picker) -> Draft:
        narrow = [request._replace(width=min(self.width, request.width)) for request in requests]
        guesses = [self._guess(request) for request in narrow]
        candidates = [self._candidates(request, row) for request, row in zip(narrow, guesses, strict=True)]
        choices = choose(candidates, self.cost, self.draft_cost, before=sum(request.memory.rows for request in narrow))
        choices = [self._tried(*row) for row in zip(narrow, candidates, choices, strict=True)]
        for request, choice in zip(narrow, choices, strict=True):
            request.memory.rows = max(1 + choice.width, self.cost.least_rows)
        drawn = [row for row, choice in enumerate(choices) if self._is_drawn(choice)]
        fixed = [row for row, choice in enumerate(choices) if not self._is_drawn(choice)]
        tokens = [guesses[row][choices[row].candidate].tokens[: choices[row].width] if choices[row].width else () for row in fixed]
        guessed = Draft.fixed(tokens, vocab=self.vocab)
        if not drawn:
            return guessed
        asked = [narrow[row]._replace(width=choices[row].width) for row in drawn]
        return Draft.gather([(fixed, guessed), (drawn, self._draw(asked, among(pick, drawn, len(requests))))])

    def _guess(self, request: Request) -> list[Guess]:
        """What every guesser says, remembered to be scored."""
        request.memory.record.read(request.context)
        guesses = [guesser.guess(_as_source(request, source)) for source, guesser in enumerate(self.guessers)]
        for source, guess in enumerate(guesses):
            request.memory.record.add((source, guess.support), guess.tokens)
        return guesses

    def _candidates(self, request: Request, guesses: Sequence[Guess]) -> list[Candidate]:
        survival = request.memory.record.survival
        candidates = [Candidate(survival[source, guess.support].curve(len(guess.tokens))) for source, guess in enumerate(guesses)]
        if self.drafter is None:
            return candidates
        return [*candidates, Candidate(survival[self._drafter_kind].curve(request.width), drawn=True)]

    def _tried(self, request: Request, candidates: Sequence[Candidate], choice: Choice) -> Choice:
        """The choice, or one token of the drafter if it is left out and its turn has come."""
        if self.drafter is None or not request.width:
            return choice
        if self._is_drawn(choice):
            request.memory.patience.chosen()
            return choice
        lost = sum(candidates[choice.candidate].survival[: choice.width])
        round_ms = self.cost.ms([1 + choice.width])
        loss_ms = self._try_ms + round_ms * lost / (1 + lost)
        due = request.memory.patience.left_out(round_ms, loss_ms, repeat=lost < LITTLE)
        return Choice(len(self.guessers), 1) if due else choice

    @property
    def _try_ms(self) -> float:
        """What a draft of one token adds to a plain round."""
        return self.cost.ms([2]) - self.cost.ms([1]) + self.draft_cost.ms([1]) if self.draft_cost else 0.0

    @property
    def _drafter_kind(self) -> tuple[int, int]:
        return len(self.guessers), 0

    def _is_drawn(self, choice: Choice) -> bool:
        return choice.width > 0 and choice.candidate == len(self.guessers)

    def _draw(self, requests: Sequence[Request], pick: Picker) -> Draft:
        """The drafter's draft, remembered to be scored; a token that it was asked for and did not draft counts as refused."""
        assert self.drafter is not None
        draft = self.drafter.propose([_as_source(request, len(self.guessers)) for request in requests], pick)
        for request, tokens in zip(requests, draft.tokens.tolist(), strict=True):
            asked = [*tokens, *[NOTHING] * request.width][: request.width]
            request.memory.patience.drafted(request.memory.record.add(self._drafter_kind, asked))
        return draft


def _as_source(request: Request, source: int) -> Request:
    return request._replace(memory=request.memory.sources[source])
