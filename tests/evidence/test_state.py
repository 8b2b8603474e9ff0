"""A fresh pass over the text gives the same scores, unless the cache held something else."""

from random import Random

import numpy as np
import pytest

from draftproof.drafters.function import FunctionDrafter, no_drafter
from draftproof.engine import Engine, Wishes
from draftproof.evidence.state import Rescored, Scores, log_prob, rescore
from draftproof.evidence.watch import Watch
from draftproof.models.language import LanguageModel
from draftproof.models.openvino import PagedCache
from draftproof.sampling import SamplingParams


def test_log_prob_is_in_nats() -> None:
    assert log_prob(np.log([0.25, 0.75]) + 3, 0) == pytest.approx(np.log(0.25))
    assert log_prob(np.array([0.0, -np.inf]), 1) == -np.inf


def noted(tiny: LanguageModel, rule: str) -> tuple[list[int], list[int], list[float], int]:
    """Decode at temperature 0 with a draft that knows the text, and errs now and then."""
    wishes, random = Wishes(SamplingParams(temperature=0), max_tokens=90, ignore_end=True), Random(1)
    plain = Engine(tiny, drafter=no_drafter(tiny.model.vocab)).generate("hello there", wishes.params, max_tokens=90, ignore_end=True)[0]

    def known(context: tuple[int, ...]) -> list[int]:
        text = [*plain.prompt, *plain.tokens][len(context) :][: random.randrange(5)]
        return [(token + (random.random() < 0.3)) % tiny.model.vocab for token in text]

    engine, scores = Engine(tiny, drafter=FunctionDrafter(known, tiny.model.vocab), rule=rule), Scores()
    watched = engine.with_decoder(Watch([scores]).decoder(engine.decoder))
    running = watched.start("hello there", 3, wishes)
    for _ in watched.run([running], batch=1):
        pass
    done = running.completion
    assert done.drafted > done.accepted > 0
    assert any(step.refused for step in done.steps)
    return done.prompt, done.tokens, scores.rows[0], len(done.steps)


@pytest.mark.parametrize("rule", ["coupled", "rejection"])
def test_a_sound_cache_agrees_to_the_bit(tiny: LanguageModel, rule: str) -> None:
    prompt, tokens, scores, rounds = noted(tiny, rule)
    assert rounds > 20
    found = rescore(tiny.model, prompt, tokens, scores)
    assert found == Rescored(len(tokens), 0.0, exact=True)
    assert found.agrees


def test_a_cache_that_keeps_a_refused_token_is_seen(tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    honest = PagedCache.keep
    with monkeypatch.context() as patch:
        # The entry of the second token of a round is that of a token that was fed twice: a stale key and value.
        def stale(cache: PagedCache, start: int, offsets: list[int]) -> None:
            honest(cache, start, offsets)
            names = cache._pool._names
            block, slot = cache.blocks[start // 32], start % 32
            for name in names:
                cache._pool._request.get_tensor(name).data[block, :, slot] *= 1.5

        patch.setattr(PagedCache, "keep", stale)
        prompt, tokens, scores, _ = noted(tiny, "coupled")
    assert not rescore(tiny.model, prompt, tokens, scores).agrees


def test_rounding_is_allowed_where_rows_are_not_invariant() -> None:
    assert Rescored(3, 1e-4, exact=False).agrees
    assert not Rescored(3, 1e-1, exact=False).agrees
    assert not Rescored(3, 1e-9, exact=True).agrees
