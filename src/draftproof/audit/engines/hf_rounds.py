"""The rounds of assisted generation, as transformers itself counts them.

Every assisted call asks its model for a generator of drafts (`_get_candidate_generator`), asks that for the draft of each round
(`get_candidates`), and tells it how many tokens were kept (`update_candidate_strategy`). For the time of a call these three are
replaced, on the one model and on the one generator, by functions that call them with what they were given and return what they
returned; the numbers are written down in passing. No random number is drawn and no tensor is changed, so the law is that of the call
alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def watched(torch_model: Any) -> Iterator[list[tuple[int, int]]]:
    """Inside, every round of `torch_model.generate` is added to the list: tokens drafted, tokens kept.

    Where the greatest length cuts a draft that was kept whole, the library takes the last token for its own, and so does this list.
    """
    rounds: list[tuple[int, int]] = []
    make = torch_model._get_candidate_generator

    def noted(*args: Any, **named: Any) -> Any:
        generator = make(*args, **named)
        draft, update = generator.get_candidates, generator.update_candidate_strategy
        drafted = 0

        def drafting(tokens: Any, *args: Any, **named: Any) -> Any:
            nonlocal drafted
            found = draft(tokens, *args, **named)
            drafted = found[0].shape[1] - tokens.shape[1]
            return found

        def updating(tokens: Any, scores: Any, num_matches: Any) -> Any:
            rounds.append((drafted, int(num_matches)))
            return update(tokens, scores, num_matches)

        generator.get_candidates, generator.update_candidate_strategy = drafting, updating
        return generator

    torch_model._get_candidate_generator = noted
    try:
        yield rounds
    finally:
        del torch_model._get_candidate_generator
