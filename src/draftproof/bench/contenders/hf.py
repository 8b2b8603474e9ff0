"""`generate` of transformers: plain, with prompt lookup, or with a draft model. It takes one request at a time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from draftproof.audit.engines.hf_call import sampling_arguments
from draftproof.audit.engines.hf_rounds import watched
from draftproof.bench.contender import Delivery, Order, Round, Served
from draftproof.bench.contenders.arrivals import Clock, check_slots, one_by_one
from draftproof.bench.contenders.heard import Heard
from draftproof.detokenise import text_of
from draftproof.errors import Unavailable
from draftproof.models.hf_load import quiet
from draftproof.models.language import Tokenizer
from draftproof.sampling.params import SamplingParams

SEEDS = 2**63


@dataclass(frozen=True)
class Transformers:
    """A model of transformers as a contender.

    Attributes:
        torch_model: what generates.
        tokenizer: that of the counts, of the same ids.
        name, engine, slots: see `Contender`.
        drafting: the arguments of `generate` by which it drafts; none if it does not.
        width: of the drafts of a model; 0 leaves it to the library.
        threads: of the CPU.
    """

    torch_model: Any
    tokenizer: Tokenizer
    name: str
    engine: str
    drafting: Mapping[str, Any] = field(default_factory=dict)
    width: int = 0
    threads: int = 1
    slots: int = 1
    clock: Clock = field(default_factory=Clock)

    @property
    def drafts(self) -> bool:
        return bool(self.drafting)

    def serve(self, orders: Sequence[Order], slots: int = 1) -> Served:
        """See `Contender.serve`."""
        import torch

        check_slots(self, slots)
        torch.set_num_threads(self.threads)
        self._forget_settings()
        with quiet():
            return one_by_one(orders, self._answer, self.clock)

    def _forget_settings(self) -> None:
        """Leave the models with the library's own settings: what stands beside the weights must not be at work unasked."""
        from transformers import GenerationConfig

        self.torch_model.generation_config = GenerationConfig()
        if draft := self.drafting.get("assistant_model"):
            draft.generation_config = GenerationConfig()
            if self.width:
                draft.generation_config.num_assistant_tokens = self.width

    def _answer(self, order: Order, since: Callable[[], float]) -> Delivery:
        heard = _Streamer(since)
        with watched(self.torch_model) as rounds:
            self._generate(order, heard)
        told = tuple(Round(*each) for each in rounds) if self.drafts else (Round(0, 0),) * len(heard.times)
        drafted, accepted = sum(each.drafted for each in told), sum(each.accepted for each in told)
        return Delivery(text_of(heard.tokens, self.tokenizer.vocabulary), tuple(heard.times), drafted, accepted, told)

    def _generate(self, order: Order, heard: "_Streamer") -> None:
        import torch

        ids = torch.tensor([order.prompt])
        ends = sorted(self.tokenizer.end_tokens)
        with torch.random.fork_rng([]):
            torch.manual_seed(order.seed % SEEDS)
            try:
                self.torch_model.generate(
                    ids,
                    attention_mask=torch.ones_like(ids),
                    max_new_tokens=order.max_tokens,
                    eos_token_id=ends or None,
                    pad_token_id=ends[0] if ends else 0,
                    streamer=heard,
                    **sampling_arguments(SamplingParams(temperature=order.temperature)),
                    **self.drafting,
                )
            except Exception as error:  # whatever a hundred models raise
                reason = (str(error).strip() or "no reason given").splitlines()[0]
                raise Unavailable(f"generate of {self.name} failed with {type(error).__name__}: {reason}") from error


class _Streamer(Heard):
    """What `generate` calls for every burst, and first of all with the prompt."""

    _prompt_came = False

    def put(self, tokens: Any) -> None:
        if self._prompt_came:
            self.burst(tokens.reshape(-1).tolist())
        self._prompt_came = True

    def end(self) -> None:
        pass
