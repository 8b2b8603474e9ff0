"""One way to call `generate`: the models, how they draft, and every parameter, in values that JSON can hold."""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any

from draftproof.errors import BadRequest

DRAFTS: Mapping[str, Mapping[str, Any]] = {
    "assistant": {},
    "lookup": {"prompt_lookup_num_tokens": 2},
    "early exit": {"assistant_early_exit": 1},
    "two tokenizers": {},
    "single position": {},
}
"""How drafts are made, and what `generate` is told so that it makes them; a plain call is told nothing."""


@dataclass(frozen=True)
class Configuration:
    """What is proved: one call of `generate`.

    Attributes:
        name: in reports; unique.
        models: of `models.pair`.
        draft: of `DRAFTS`.
        given: arguments of `generate` for the plain and the assisted call alike; those in `calls.MADE` are made of what stands here.
        drafting: arguments that only the assisted call has, besides those of `DRAFTS`.
        assistant: fields of the assistant's own `generation_config`, set again before every run, since the library writes to them.
        prompt: its tokens.
        length: the most new tokens.
        declared_lossy: whether the library says that this changes the law.
    """

    name: str
    models: str = "table 1"
    draft: str = "assistant"
    given: Mapping[str, Any] = field(default_factory=dict)
    drafting: Mapping[str, Any] = field(default_factory=dict)
    assistant: Mapping[str, Any] = field(default_factory=dict)
    prompt: tuple[int, ...] = (0, 1)
    length: int = 3
    declared_lossy: bool = False

    def __post_init__(self) -> None:
        if self.draft not in DRAFTS:
            raise BadRequest(f"draft is {self.draft!r}; it must be one of {', '.join(DRAFTS)}")
        if len(self.prompt) < 2 or self.length < 1:
            raise BadRequest(f"a prompt of at least 2 tokens and a length of at least 1; got {self.prompt} and {self.length}")

    def digest(self, versions: Mapping[str, str]) -> str:
        """A name for the result of this configuration under these versions: equal only if all of both is equal."""
        return sha256(json.dumps([asdict(self), dict(versions)], sort_keys=True).encode()).hexdigest()[:24]


def versions() -> dict[str, str]:
    """What a result depends on besides its configuration."""
    import torch
    import transformers

    ours = sys.modules[__name__.partition(".")[0]]
    return {"transformers": transformers.__version__, "torch": torch.__version__, "draftproof": ours.__version__}
