"""A recording is the plain decode, and what is needed to replay it."""

from dataclasses import replace

from draftproof.bench.record import record
from draftproof.engine import Engine
from draftproof.models.language import LanguageModel

PROMPTS = [[5, 6, 7, 5, 6], [9, 9]]


def test_holds_the_texts_of_the_seeds(tiny: LanguageModel):
    engine = Engine(tiny, drafter="none")
    done, ticks = [], iter(range(10**6))
    found = record(engine, PROMPTS, temperature=0.7, max_tokens=9, seed=3, clock=lambda: next(ticks), told=done.append)
    expected = engine.generate(PROMPTS, {"temperature": 0.7}, seed=3, max_tokens=9)
    assert [list(text.tokens) for text in found.texts] == [each.tokens for each in expected]
    assert [(list(text.prompt), text.seed) for text in found.texts] == [(PROMPTS[0], 3), (PROMPTS[1], 4)]
    assert [text.params for text in found.texts] == [engine.wishes({"temperature": 0.7}).params] * 2, "the watch is taken off"
    assert found.first_ms == (1000.0, 1000.0)
    assert found.later_ms == 1000.0
    assert found.reading_tokens == (0.0, 0.0)
    assert replace(found, first_ms=(4000.0, 500.0)).reading_tokens == (3.0, 0.0)
    assert replace(found, later_ms=0.0).reading_tokens == (0.0, 0.0), "nothing is known of texts of one token"
    assert done == [1, 2]


def test_tells_what_is_outside_the_passes(tiny: LanguageModel):
    found = record(Engine(tiny, drafter="none"), PROMPTS, temperature=0.7, max_tokens=9)
    assert found.token_ms > 0
    assert found.round_ms > 0
