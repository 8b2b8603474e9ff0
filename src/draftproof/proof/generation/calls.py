"""The calls of `generate` that are proved: with a draft, and plain. Each is a function of its randomness alone."""

import warnings
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from draftproof.proof.generation.configuration import DRAFTS, Configuration
from draftproof.proof.generation.letters import letters
from draftproof.proof.generation.made import Made, made
from draftproof.proof.generation.models import Pair, pair
from draftproof.proof.generation.state import digest
from draftproof.proof.loop import Engagement

READING = "abcdef"
"""Letters of the tokenizer that reads stop strings: the library reads them beside a text of these."""

Boundary = Callable[[Hashable], None]


class Round(NamedTuple):
    """How long the text was at its beginning, and how many tokens were drafted."""

    start: int
    drafted: int


def _go_on(_: Hashable) -> None:
    """A boundary at which nothing happens."""


@dataclass
class Calls:
    """A configuration with its models, ready to be called.

    Attributes:
        engagement: what the assisted calls went through so far; a round that is run again counts again.
    """

    configuration: Configuration
    models: Pair
    made: Made
    engagement: Engagement = field(default_factory=Engagement)

    @classmethod
    def of(cls, configuration: Configuration) -> "Calls":
        models = pair(configuration.models)
        return cls(configuration, models, made(configuration.given, models.target, letters(READING)))

    def plain(self) -> tuple[int, ...]:
        """The new tokens of one call without a draft."""
        return self._generate({})

    def assisted(self, boundary: Boundary = _go_on) -> tuple[int, ...]:
        """The new tokens of one call with drafts; its rounds are counted.

        Args:
            boundary: called between two rounds with a digest of everything that the second depends on.
        """
        configuration, models = self.configuration, self.models
        extra = {**DRAFTS[configuration.draft], **configuration.drafting}
        if not DRAFTS[configuration.draft]:
            extra["assistant_model"] = models.draft
        if models.tokenizers:
            extra["tokenizer"], extra["assistant_tokenizer"] = models.tokenizers
        drafting = models.target if configuration.draft == "early exit" else models.draft
        for name, value in configuration.assistant.items():
            setattr(drafting.generation_config, name, value)
        with self._watched(boundary) as rounds:
            text = self._generate(extra)
        self._count(rounds, self._before + len(text))
        return text

    @property
    def _before(self) -> int:
        """Tokens that stand before the new ones in what `generate` returns: the prompt, or a start token where an encoder reads it."""
        return 1 if self.models.target.config.is_encoder_decoder else len(self.configuration.prompt)

    def _generate(self, extra: dict[str, Any]) -> tuple[int, ...]:
        import torch

        prompt = torch.tensor([self.configuration.prompt])
        self.made.reset()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text = self.models.target.generate(
                prompt,
                attention_mask=torch.ones_like(prompt),
                max_new_tokens=self.configuration.length,
                **{"do_sample": True, "top_k": 0, **self.made.arguments},
                **extra,
            )
        return tuple(text[0, self._before :].tolist())

    @contextmanager
    def _watched(self, boundary: Boundary) -> Iterator[list[Round]]:
        """Inside, every round of the target is noted, and its beginning told to the boundary."""
        target, rounds = self.models.target, list[Round]()
        make = target._get_candidate_generator

        def watching(*args: Any, **named: Any) -> Any:
            generator = make(*args, **named)
            draft = generator.get_candidates

            def noted(tokens: Any, **others: Any) -> Any:
                if rounds:
                    self._count(rounds[-1:], tokens.shape[1])
                    boundary(digest((tokens, generator, named, others), apart={"get_candidates"}))
                drafted, scores = draft(tokens, **others)
                rounds.append(Round(tokens.shape[1], drafted.shape[1] - tokens.shape[1]))
                self.engagement.rounds = max(self.engagement.rounds, len(rounds))
                return drafted, scores

            generator.get_candidates = noted
            return generator

        target._get_candidate_generator = watching
        try:
            yield rounds
        finally:
            del target._get_candidate_generator

    def _count(self, rounds: list[Round], end: int) -> None:
        """Count the last round, which ended with a text of this length."""
        start, drafted = rounds[-1]
        accepted = end - start - 1
        self.engagement.replays += 1
        if drafted:
            self.engagement.none_kept += accepted == 0
            self.engagement.some_kept += 0 < accepted < drafted
            self.engagement.all_kept += accepted == drafted
