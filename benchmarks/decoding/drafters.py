"""Drafters that are made to do harm; the text must not care."""

from collections.abc import Callable, Sequence
from random import Random

from draftproof.drafters.function import FunctionDrafter
from draftproof.drafters.protocol import Request
from draftproof.types import Draft, Picker


class Varied:
    """Another drafter, each request with a width of its own, 1 to `most`, by the length of its prompt."""

    def __init__(self, inner: object, most: int) -> None:
        self.inner, self.most = inner, most

    def start(self) -> object:
        return self.inner.start()

    def propose(self, requests: Sequence[Request], pick: Picker) -> Draft:
        return self.inner.propose([each._replace(width=min(each.width, 1 + each.prompt_tokens % self.most)) for each in requests], pick)


def random_drafter(vocab: int, width: int) -> FunctionDrafter:
    """Any tokens: half of them from the context, half from anywhere."""
    random = Random(5)
    return FunctionDrafter(
        lambda context: [random.choice(context) if random.random() < 0.5 else random.randrange(vocab) for _ in range(width)], vocab
    )


def adversaries(vocab: int, known: Sequence[Sequence[int]], end: int) -> dict[str, Callable[[Sequence[int]], list[int]]]:
    """Proposals from the context, by name, for texts that are known in advance (prompt and answer)."""

    def rest(context: Sequence[int]) -> list[int]:
        return next((list(text[len(context) :]) for text in known if list(text[: len(context)]) == list(context)), [])

    def wrong(context: Sequence[int]) -> list[int]:
        return [(token + 1) % vocab for token in rest(context)[:4]]

    def alternating(context: Sequence[int]) -> list[int]:
        return rest(context)[:5] if len(context) // 3 % 2 else wrong(context)

    return {
        "always wrong": wrong,
        "always right": lambda context: rest(context)[:6],
        "alternating": alternating,
        "longer than the limit": lambda context: [*rest(context), *range(64)][:64],
        "end of text": lambda context: [*rest(context)[:2], end, end, 7],
    }
