"""`generate` of the transformers that is installed, in this process.

A call with drafts has one request, since the library allows no more; without drafts, requests of one length share a call, so that none is
padded. Nothing ends an answer before its length: `generate` is told of no end of text, and then samples that token like any other.
"""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from draftproof.audit.engines.hf_call import Call, sampling_arguments
from draftproof.audit.engines.hf_rounds import watched
from draftproof.audit.engines.protocol import Answer, Ask, Facts, Tier
from draftproof.errors import BadRequest, Unavailable, Unsupported
from draftproof.models.hf_fit import context_length
from draftproof.models.hf_load import load, quiet
from draftproof.rules.greedy import greedy_law
from draftproof.sampling.transform import softmax

TOGETHER = 64
"""Requests in one plain call."""

LARGEST_SEED = 2**64 - 1


class Transformers:
    """An audited `generate`. Entering loads the models, leaving forgets them.

    Drafted and accepted tokens are read from the library's own loop, see `hf_rounds`. The laws, where they are asked for, are the processed
    scores that `generate` reports: its own account of what it sampled from, and not evidence that it did.

    Args:
        call: what is called, and how.
        laws: tell the law of every token, whether a request asks for it or not.
        together: requests in one plain call. They share its randomness: it is seeded with the seed of the first.
    """

    def __init__(self, call: Call, *, laws: bool = False, together: int = TOGETHER) -> None:
        self.call = call
        self._laws, self._together = laws, together
        self._target: Any = None
        self._draft: Any = None

    def __enter__(self) -> "Transformers":
        """The models, loaded.

        Raises:
            BadRequest, Unsupported: as `hf_load.load`.
        """
        self._target = self._loaded(self.call.target)
        if self.call.draft:
            self._draft = self._loaded(self.call.draft)
            settings = self._draft.generation_config
            settings.num_assistant_tokens = self.call.width
            settings.num_assistant_tokens_schedule = "constant"
            settings.assistant_confidence_threshold = self.call.draft_stop
        return self

    def __exit__(self, *error: object) -> None:
        self._target = self._draft = None

    def _loaded(self, source: str) -> Any:
        """A model that has no generation settings of its own."""
        found = load(source, dtype=self.call.dtype, device=self.call.device, allow_download=False)
        from transformers import GenerationConfig

        found.generation_config = GenerationConfig()
        return found.eval()

    @property
    def facts(self) -> Facts:
        call = self.call
        return Facts(
            name=f"transformers {_version('transformers')} (torch {_version('torch')})",
            tier=Tier.LAWS if self._laws else Tier.TOKENS,
            drafts=call.drafts,
            settings={
                "target": call.target,
                "draft": call.draft or "none",
                "dtype": call.dtype,
                "device": call.device,
                "requests in a call": str(self._in_a_call),
                **{name: repr(value) for name, value in call.arguments.items()},
            },
        )

    @property
    def _in_a_call(self) -> int:
        return 1 if self.call.drafts else self._together

    def answers(self, asks: Sequence[Ask]) -> Iterator[Answer]:
        """See `Audited.answers`.

        Raises:
            BadRequest: a prompt that is empty, too long with its answer, or of unknown tokens; a seed out of range.
            Unsupported: a parameter that `generate` cannot be given, or a call that it refuses.
            Unavailable: the call fails.
        """
        assert self._target is not None, "an engine is asked between entering and leaving"
        for ask in asks:
            self._check(ask)
        for together in self._calls(asks):
            yield from self._answered(together)

    def _check(self, ask: Ask) -> None:
        place = f"request {ask.number}"
        config = self._target.config
        if not ask.prompt or ask.length < 1:
            raise BadRequest(
                f"{place} has {len(ask.prompt)} tokens of prompt and asks for {ask.length}; there must be one of each at least"
            )
        if len(ask.prompt) + ask.length > (longest := context_length(config)):
            raise BadRequest(
                f"{place} has {len(ask.prompt)} tokens of prompt and asks for {ask.length}, more than the context of {longest} together"
            )
        if unknown := [token for token in ask.prompt if not 0 <= token < config.vocab_size]:
            raise BadRequest(f"{place} holds token {unknown[0]} in its prompt; the model has those from 0 to {config.vocab_size - 1}")
        if ask.seed is not None and not 0 <= ask.seed <= LARGEST_SEED:
            raise BadRequest(f"{place} has the seed {ask.seed}; torch takes those from 0 to {LARGEST_SEED}")
        sampling_arguments(ask.params)

    def _calls(self, asks: Sequence[Ask]) -> Iterator[list[Ask]]:
        """The requests of each call: alike but for their tokens and seeds, and as long as each other."""
        alike: dict[tuple[Any, ...], list[Ask]] = {}
        for ask in asks:
            alike.setdefault((ask.params, len(ask.prompt), ask.length, ask.seed is None, ask.laws), []).append(ask)
        for group in alike.values():
            for start in range(0, len(group), self._in_a_call):
                yield group[start : start + self._in_a_call]

    def _answered(self, asks: Sequence[Ask]) -> Iterator[Answer]:
        with watched(self._target) as rounds:
            found = self._generate(asks[0], [ask.prompt for ask in asks])
        tokens = found.sequences[:, len(asks[0].prompt) :].tolist()
        scores = None if found.scores is None else [row.double().cpu().numpy() for row in found.scores]
        for place, ask in enumerate(asks):
            emitted = tuple(tokens[place])
            yield Answer(
                ask.number,
                emitted,
                drafted=sum(drafted for drafted, _ in rounds),
                accepted=sum(accepted for _, accepted in rounds),
                rounds=tuple(rounds) if self.call.drafts else None,
                laws=None if scores is None else _laws([row[place] for row in scores], greedy=ask.params.temperature == 0),
                lost="" if len(emitted) == ask.length else "generate ended the answer before its length",
            )

    def _generate(self, ask: Ask, prompts: Sequence[tuple[int, ...]]) -> Any:
        """One call, for requests like `ask`."""
        import torch

        tokens = torch.tensor(prompts, device=self._target.device)
        drafting = {"assistant_model": self._draft} if self._draft else {}
        if self.call.lookup:
            drafting = {"prompt_lookup_num_tokens": self.call.width}
        cards = [] if tokens.device.type == "cpu" else [tokens.device]
        with quiet(), torch.random.fork_rng(cards) if ask.seed is not None else nullcontext():
            if ask.seed is not None:
                torch.manual_seed(ask.seed)
            try:
                return self._target.generate(
                    tokens,
                    attention_mask=torch.ones_like(tokens),
                    max_new_tokens=ask.length,
                    return_dict_in_generate=True,
                    output_scores=self._laws or ask.laws,
                    **sampling_arguments(ask.params),
                    **drafting,
                    **self.call.arguments,
                )
            except (ValueError, NotImplementedError) as error:
                raise Unsupported(f"transformers refuses the call: {_first_line(error)}") from error
            except Exception as error:  # whatever a hundred models raise
                raise Unavailable(f"generate failed with {type(error).__name__}: {_first_line(error)}") from error


def _laws(scores: Sequence[np.ndarray], *, greedy: bool) -> np.ndarray:
    laws = softmax(np.array(scores))
    return greedy_law(laws) if greedy else laws


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or "no reason given").splitlines()[0]


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
