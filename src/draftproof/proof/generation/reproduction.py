"""The smallest call that shows a deviation, as text that can be pasted into an issue."""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import asdict, replace
from fractions import Fraction
from typing import Any

from draftproof.proof.decoders.standard import family
from draftproof.proof.generation.configuration import DRAFTS, Configuration
from draftproof.proof.laws import compare

SCRIPT = """\
from collections import Counter
import torch
from draftproof.proof.generation.calls import Calls
from draftproof.proof.decoders.standard import family
from draftproof.proof.generation.configuration import Configuration
torch.manual_seed(0)
calls = Calls.of(Configuration(**{fields}))
for call in (calls.assisted, calls.plain):
    counts = Counter(call() for _ in range({samples}))
    print(call.__name__, counts[{worst}] / {samples})
"""


def reproduction(configuration: Configuration, observed: Mapping[Any, Fraction], expected: Mapping[Any, Fraction]) -> str:
    """What was called, where the two laws differ most, token by token, and a script that counts it."""
    difference = compare(observed, expected)
    worst = difference.worst
    assert isinstance(worst, tuple)
    lines = [
        f"models: {configuration.models}; draft: {configuration.draft}",
        f"prompt {list(configuration.prompt)}, at most {configuration.length} new tokens",
        f"both calls: {_named({'do_sample': True, 'top_k': 0, **configuration.given})}",
        f"assisted call: {_named({**DRAFTS[configuration.draft], **configuration.drafting}) or 'assistant_model'}",
        f"generation_config of the assistant: {_named(configuration.assistant) or 'as it is'}",
        f"total variation {difference.distance:.6g}",
        f"P{worst}: observed {float(difference.observed):.9f}, expected {float(difference.expected):.9f}",
        *rows(configuration, worst),
        *(_step(worst[:place], worst[place], observed, expected) for place in range(len(worst))),
        "",
        script(configuration, worst),
    ]
    return "\n".join(lines)


def script(configuration: Configuration, worst: tuple[int, ...], samples: int = 5_000) -> str:
    """Python that counts an output of both calls with real randomness."""
    default = asdict(Configuration(configuration.name))
    fields = {name: value for name, value in asdict(configuration).items() if name == "name" or value != default[name]}
    return SCRIPT.format(fields=fields, samples=samples, worst=worst)


def rows(configuration: Configuration, worst: tuple[int, ...]) -> Iterator[str]:
    """Of a table: the rows of target and draft before each token of an output."""
    kind, _, number = configuration.models.partition(" ")
    if kind == "table":
        fixture = family("loop")[int(number) - 1]
        for place in range(len(worst)):
            context = [*configuration.prompt, *worst[:place]][-2:]
            target, draft = (", ".join(map(str, table.law(context))) for table in (fixture.target, fixture.draft))
            yield f"  rows after {context}: target {target}; draft {draft}"


def shorter(configuration: Configuration) -> list[Configuration]:
    """The same with fewer tokens, the smallest first."""
    return [replace(configuration, length=length) for length in range(1, configuration.length)]


def _step(prefix: tuple[int, ...], token: int, observed: Mapping[Hashable, Fraction], expected: Mapping[Hashable, Fraction]) -> str:
    shares = [_share(law, prefix, token) for law in (observed, expected)]
    return f"  after {list(prefix)} token {token}: observed {shares[0]}, expected {shares[1]}"


def _share(law: Mapping[Any, Fraction], prefix: tuple[int, ...], token: int) -> str:
    reached = sum((p for output, p in law.items() if output[: len(prefix)] == prefix), Fraction(0))
    taken = sum((p for output, p in law.items() if output[: len(prefix) + 1] == (*prefix, token)), Fraction(0))
    return f"{float(taken / reached):.9f}" if reached else "never"


def _named(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in values.items())
