"""Text in, text out: a language model, a drafter and a rule, with every default chosen.

By default the rule is `coupled`: the text for a seed is the same bytes with any drafter, any width, or none.
"""

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields
from enum import StrEnum
from itertools import chain, islice
from typing import Any, NamedTuple

from draftproof.catalogue import find
from draftproof.decode import Decoder
from draftproof.detokenise import Detokeniser, StopStrings
from draftproof.drafters.protocol import Drafter
from draftproof.drafting import named_drafter, understood
from draftproof.draws import SeededDraws
from draftproof.errors import BadRequest
from draftproof.models.language import LanguageModel
from draftproof.models.weights import load
from draftproof.sampling.params import SamplingParams
from draftproof.session import Finish, Limits, Session, Step

MAX_TOKENS = 256
"""Of one completion, by default."""

BATCH = 8
"""Requests decoded together, by default."""

SEED_BITS = 53
"""Of a fresh seed: as many as a number in JSON keeps."""


class Origin(StrEnum):
    """Where an emitted token came from."""

    ACCEPTED = "accepted"
    """Drafted, and kept by the target."""
    RECOVERED = "recovered"
    """Drawn by the target in place of a drafted token that it refused."""
    BONUS = "bonus"
    """Drawn by the target after a draft that was kept whole."""
    PLAIN = "plain"
    """Drawn by the target in a round without a draft."""


class Piece(NamedTuple):
    """One emitted token.

    Attributes:
        token: its id.
        origin: where it came from.
        text: what became certain with it; it may be empty, since a character can take several tokens and a stop string
            can be in the making.
    """

    token: int
    origin: Origin
    text: str


@dataclass
class Completion:
    """What became of one prompt.

    Attributes:
        prompt: its token ids.
        seed: decode the same prompt with it again, in any company, and the text is the same.
        text: up to the stop string or end of text, if one came.
        tokens: every emitted id, those of a stop string and the end of text included.
        steps: what each round did.
        finish: why the text ended; None if it was interrupted.
    """

    prompt: list[int]
    seed: int
    text: str = ""
    tokens: list[int] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    finish: Finish | None = None

    @property
    def drafted(self) -> int:
        return sum(step.drafted for step in self.steps)

    @property
    def accepted(self) -> int:
        return sum(step.accepted for step in self.steps)

    @property
    def block_efficiency(self) -> float:
        """Emitted tokens a target pass."""
        return len(self.tokens) / len(self.steps) if self.steps else 0.0


@dataclass(frozen=True)
class Wishes:
    """What is asked for, once for all prompts of a call.

    Attributes:
        params: the sampling rules.
        max_tokens: at most so many tokens are emitted a prompt.
        stop: strings that end a text, or one such string; they are not part of it.
        raw: give the model the prompt as it stands, without the template of a chat.
        ignore_end: go on after an end of text, for measurements.
        prediction: a text that the answer may resemble; the drafter `given` proposes it.
    """

    params: SamplingParams = field(default_factory=SamplingParams)
    max_tokens: int = MAX_TOKENS
    stop: str | Sequence[str] = ()
    raw: bool = False
    ignore_end: bool = False
    prediction: str = ""

    def __post_init__(self) -> None:
        stop = (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())
        for name, value, kind in (
            ("max_tokens", self.max_tokens, int),
            ("prediction", self.prediction, str),
            *(("stop", one, str) for one in stop),
        ):
            if not isinstance(value, kind):
                raise BadRequest(f"{name} is {value!r}; give {'a whole number' if kind is int else 'text'}")
        if self.prediction:
            readable(self.prediction, "prediction")
        object.__setattr__(self, "stop", stop)


class Engine:
    """A target with a drafter and a rule.

    Args:
        target: a model, or what `models.weights.load` finds one by: `smollm2`, a GGUF file, a folder.
        drafter: a name of `drafting.DRAFTERS`, or any `Drafter`.
        rule: a name of the catalogue, for drafts that are chains.
        width: tokens to draft in a round at most, or "auto" to choose each round by what pays.
        draft_model: for the drafters `model`, `translated` and `text`, as `target`.
        layers: for the drafter `early_exit`, how many of the target's layers draft.
        assistant_model, num_assistant_tokens, prompt_lookup_num_tokens: what transformers calls `draft_model`, `width`,
            and `width` of the drafter `lookup`.

    Raises:
        BadRequest: an unknown rule or drafter, or arguments that contradict each other.
        Unsupported: a draft model with another vocabulary, a rule that needs what this drafter cannot give.
    """

    def __init__(
        self,
        target: LanguageModel | str,
        *,
        drafter: Drafter | str | None = None,
        rule: str = "coupled",
        width: int | str | None = None,
        draft_model: LanguageModel | str | None = None,
        layers: int | None = None,
        assistant_model: LanguageModel | str | None = None,
        num_assistant_tokens: int | None = None,
        prompt_lookup_num_tokens: int | None = None,
    ) -> None:
        self.target = load(target) if isinstance(target, str) else target
        self.rule = find([rule])[0]
        own = (width, draft_model, layers, assistant_model, num_assistant_tokens, prompt_lookup_num_tokens)
        if isinstance(drafter, str) or drafter is None:
            name, width, draft = understood(drafter, width, draft_model, assistant_model, num_assistant_tokens, prompt_lookup_num_tokens)
            draft = load(draft) if isinstance(draft, str) else draft
            drafter = named_drafter(name, self.target, self.rule, width=width, draft_model=draft, layers=layers)
        elif own != (None,) * len(own):
            raise BadRequest("a drafter of your own brings its own width and model; give it alone")
        self.decoder = Decoder(self.target.model, drafter, self.rule.verification)

    def with_decoder(self, decoder: Decoder) -> "Engine":
        """The same engine around another decoder: with its drafting off, or with its parts watched."""
        other = copy(self)
        other.decoder = decoder
        return other

    def generate(
        self,
        prompts: str | Sequence[int] | Sequence[str] | Sequence[Sequence[int]],
        params: SamplingParams | Mapping[str, Any] | None = None,
        *,
        seed: int | Sequence[int] | None = None,
        batch: int = BATCH,
        **wishes: Any,
    ) -> list[Completion]:
        """Decode prompts to their end, `batch` at a time; a finished one makes room for the next.

        Args:
            prompts: one or several, each text or token ids.
            params: the sampling rules, or their names and values in any spelling of `SamplingParams.parse`.
            seed: one for each prompt; from a single number the n-th prompt gets the n-th after it; None takes fresh ones.
            wishes: see `Wishes`.

        Returns:
            one completion a prompt, in order.
        """
        asked = as_prompts(prompts)
        seeds = as_seeds(seed, len(asked))
        wanted = self.wishes(params, **wishes)
        requests = [self.start(prompt, seed, wanted) for prompt, seed in zip(asked, seeds, strict=True)]
        completions = [request.completion for request in requests]
        requests.reverse()
        for _ in self.run((requests.pop() for _ in asked), batch=batch):  # a request that has ended leaves its cache to others
            pass
        return completions

    def stream(
        self,
        prompt: str | Sequence[int],
        params: SamplingParams | Mapping[str, Any] | None = None,
        *,
        seed: int | None = None,
        **wishes: Any,
    ) -> Iterator[Piece]:
        """Decode one prompt, token by token as they come. The arguments are those of `generate`."""
        yield from self.pieces(self.start(prompt, as_seeds(seed, 1)[0], self.wishes(params, **wishes)))

    def pieces(self, running: "Running") -> Iterator[Piece]:
        """Decode one started request, token by token as they come."""
        return chain.from_iterable(self.run([running], batch=1))

    def wishes(self, params: SamplingParams | Mapping[str, Any] | None = None, **wishes: Any) -> Wishes:
        """What is asked for, with sampling parameters under any of their names."""
        if not isinstance(params, SamplingParams):
            params = SamplingParams.parse(params or {}, end_tokens=sorted(self.target.tokenizer.end_tokens))
        if unknown := sorted(wishes.keys() - {item.name for item in fields(Wishes)}):
            raise BadRequest(f"{unknown[0]} is nothing that can be wished for; there are {', '.join(item.name for item in fields(Wishes))}")
        return Wishes(params, **wishes)

    def start(self, prompt: str | Sequence[int], seed: int, wishes: Wishes) -> "Running":
        """A prompt ready to be decoded.

        Raises:
            BadRequest: the prompt is empty, or does not fit into the model's context with what may follow.
        """
        tokenizer = self.target.tokenizer
        if isinstance(prompt, str):
            readable(prompt)
            prompt = tokenizer.encode(prompt) if wishes.raw else self.target.read(prompt)
        room = self.target.context_length - len(prompt)
        if wishes.max_tokens > room:
            raise BadRequest(
                f"{len(prompt)} tokens of prompt and {wishes.max_tokens} more do not fit into the {self.target.context_length} "
                f"that {self.target.name} reads; " + (f"ask for at most {room}" if room > 0 else "shorten the prompt")
            )
        ends = frozenset() if wishes.ignore_end else tokenizer.end_tokens
        stop_strings = StopStrings(tuple(wishes.stop), tokenizer.vocabulary) if wishes.stop else None
        limits = Limits(wishes.max_tokens, ends, stop_strings=stop_strings)
        given = tokenizer.encode(wishes.prediction)
        session = self.decoder.open(prompt, params=wishes.params, limits=limits, draws=SeededDraws(seed), given=given)
        return Running(session, Completion(list(prompt), seed), Detokeniser(tokenizer.vocabulary, wishes.stop))

    def run(self, waiting: Iterable["Running"], *, batch: int) -> Iterator[list[Piece]]:
        """Decode all, and yield what each round added, request by request."""
        if batch < 1:
            raise BadRequest(f"batch is {batch}; decode at least 1 request at a time")
        requests, live = iter(waiting), list[Running]()
        while live := [*live, *islice(requests, batch - len(live))]:
            steps = self.decoder.step([running.session for running in live])
            for running, step in zip(live, steps, strict=True):
                yield running.add(step)
            live = [running for running in live if running.session.finish is None]


@dataclass
class Running:
    """A prompt while it is decoded."""

    session: Session
    completion: Completion
    characters: Detokeniser

    def add(self, step: Step) -> list[Piece]:
        """Take what a round did into the completion."""
        done = self.completion
        done.steps.append(step)
        done.tokens += step.tokens
        done.finish = step.finish
        last = Origin.PLAIN if not step.drafted else Origin.RECOVERED if step.refused else Origin.BONUS
        origins = [Origin.ACCEPTED if place < step.accepted else last for place in range(len(step.tokens))]
        texts = [self.characters.feed([token]) for token in step.tokens]
        if step.finish:
            texts[-1] += self.characters.flush()
        done.text += "".join(texts)
        return [Piece(*each) for each in zip(step.tokens, origins, texts, strict=True)]


def readable(text: str, name: str = "prompt") -> None:
    """Return if a tokenizer can read the text.

    Raises:
        BadRequest: it is empty, or holds bytes that were no text.
    """
    if not text:
        raise BadRequest(f"the {name} is empty; write something for the model to go on from")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadRequest(f"the {name} is not UTF-8 text: {error.reason} at character {error.start}") from error


def as_prompts(prompts: Any) -> list[str | Sequence[int]]:
    """One prompt or several, as several.

    Raises:
        BadRequest: neither text nor token ids nor a sequence of these.
    """
    if not isinstance(prompts, str | list | tuple) or any(not isinstance(part, str | int | list | tuple) for part in prompts):
        raise BadRequest(f"prompts is {prompts!r:.60}; give text, or token ids, or a list of such prompts")
    if isinstance(prompts, str) or (len(prompts) and isinstance(prompts[0], int)):
        return [prompts]
    return list(prompts)


def as_seeds(seed: int | Sequence[int] | None, count: int) -> list[int]:
    """A seed for each of `count` prompts.

    Raises:
        BadRequest: another number of seeds.
    """
    if seed is None:
        return [secrets.randbits(SEED_BITS) for _ in range(count)]
    if not isinstance(seed, int | list | tuple | range):
        raise BadRequest(f"seed is {seed!r}; give a whole number, or one for each prompt")
    seeds = [seed + place for place in range(count)] if isinstance(seed, int) else list(seed)
    if len(seeds) != count:
        raise BadRequest(f"there are {count} prompts and {len(seeds)} seeds; give one seed for each, or a single one")
    return seeds
